"""The kinds of messages and their fields.

Everything else is made from this table: the sets of keys, which values are extras (engine.py), the fields that shorter
forms leave out, the kwargs of dumpd (lc/envelopes.py), the readers and writers of usual messages and the deviations
that they accept (layouts.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from agentmsg.formats import is_mapping, speed
from agentmsg_codecs.langchain.blocks.v1 import is_hint
from agentmsg_codecs.langchain.calls.joining import is_calls

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


NEEDED: Any = object()
"""The default of a field without a default value: without the field, the message says less."""
_NOTHING = frozenset[str]()
_ABSENT = frozenset({"absent"})
_NO_OBJECT = frozenset({"absent", "null"})
_NO_LIST = frozenset({"absent", "null", "{}"})


def _is_word(value: Any) -> bool:
    return type(value) is str


def _is_last(value: Any) -> bool:
    return bool(value == "last")


def _is_never(_: Any) -> bool:
    return False


class Field(speed.Record):
    """One field of messages.

    Attributes:
        key: as ``model_dump`` names it.
        field: the field of the model, for the documentation.
        default: its value if it says nothing.
        spelt: the spellings that read as the default.
        dumpd: whether dumpd writes it always, if it isn't empty, or always but last if it is empty.
        means: the test of values with a meaning; any other is an extra, and the rest of the message is still read.
        is_idle: whether a usual message has only the default.
        is_foreign: whether LangChain has no such field; it keeps unknown ones.
        about: more for the documentation.
    """

    key: str
    field: str
    default: Any = NEEDED
    spelt: frozenset[str] = _NOTHING
    dumpd: Literal["always", "if set", "last"] = "always"
    means: Callable[[Any], bool] | None = None
    is_idle: bool = False
    is_foreign: bool = False
    about: str = ""


_REST = "but for what other fields say"
_TYPE = Field("type", "role", spelt=_ABSENT)
_SHARED = (
    Field("content", "content", "", frozenset({"null", "[]"}), about="a text is one TextBlock, a part one block"),
    Field("additional_kwargs", "metadata", {}, _NO_OBJECT, dumpd="if set", means=is_mapping, about=_REST),
    Field("response_metadata", "response_metadata", {}, _NO_OBJECT, dumpd="if set", means=is_mapping, about=_REST),
    _TYPE,
    Field("name", "name", None, _ABSENT, dumpd="if set", means=_is_word),
    Field("id", "id", None, _ABSENT, dumpd="if set", means=_is_word),
)
_CALLS = "each a ToolUseBlock"
_OF_ANSWER = (
    Field("tool_calls", "content", [], _NO_LIST, dumpd="last", means=is_calls, about=_CALLS),
    Field("invalid_tool_calls", "content", [], _NO_LIST, dumpd="last", means=is_calls, is_idle=True, about=_CALLS),
    Field("usage_metadata", "usage", None, _ABSENT, dumpd="if set", means=is_mapping, about="the form `usage`"),
    Field("reasoning_content", "content", means=_is_word, is_foreign=True, about="a ThinkingBlock in front"),
)
_OF_CHUNK = (
    # Pieces of calls are no extras; any other value is.
    Field("tool_call_chunks", "content", [], dumpd="if set", means=_is_never, about="of a chunk"),
    Field("chunk_position", "done", None, dumpd="if set", means=_is_last, about="of a chunk"),
)
_OF_RESULT = (
    Field("tool_call_id", "tool_call_id", means=_is_word),
    Field("artifact", "artifact", None, _ABSENT, dumpd="if set"),
    Field("status", "status", means=_is_word),
    Field("structured", "structured", is_foreign=True),
    Field("error", "error", means=_is_word, is_foreign=True),
    Field("error_type", "error_type", means=_is_word, is_foreign=True),
    Field("cache_control", "cache", means=is_hint, is_foreign=True),
)


class Kind(speed.Record):
    """One kind of messages.

    Attributes:
        tag: the word in ``type``.
        cls: the class.
        role: of the model; None: any other.
        own: the fields that not all kinds have.
        of_chunk: those that only its chunk has.
        module: LangChain's module of the class, if its name isn't the tag.
        about: more for the documentation, if there is no role.
    """

    tag: str
    cls: str
    role: str | None
    own: tuple[Field, ...] = ()
    of_chunk: tuple[Field, ...] = ()
    module: str | None = None
    about: str = ""


_KINDS = (
    Kind("human", "HumanMessage", "user"),
    Kind("ai", "AIMessage", "assistant", _OF_ANSWER, _OF_CHUNK),
    Kind("system", "SystemMessage", "system"),
    Kind("tool", "ToolMessage", "tool", _OF_RESULT),
    Kind("function", "FunctionMessage", None, about='role="tool"; its result has no tool_call_id'),
    Kind("chat", "ChatMessage", None, (Field("role", "role"),), about="the role in `role`"),
    Kind("remove", "RemoveMessage", "remove", module="modifier", about="without content"),
)
_CHUNKS = {kind.tag: f"{kind.cls}Chunk" for kind in _KINDS if kind.tag != "remove"}
_BY_WORD = {
    **{kind.tag: kind for kind in _KINDS},
    **{_CHUNKS[kind.tag]: kind for kind in _KINDS if kind.tag in _CHUNKS},
    "generic": next(kind for kind in _KINDS if kind.tag == "chat"),
    # What people write who dump messages by themselves.
    **{kind.cls: kind for kind in _KINDS if kind.tag in _CHUNKS},
}


# -- words ------------------------------------------------------------------------------------------------------------

KINDS: Mapping[str, str] = {word: kind.tag for word, kind in _BY_WORD.items()}
"""By the word in ``type``, the kind."""
TAG_OF_ROLE: Mapping[str, str] = {
    **{kind.role: kind.tag for kind in _KINDS if kind.role is not None},
    "developer": "system",
}
"""By our role, the kind."""
KIND_OF_ROLE: Mapping[str, str] = {**TAG_OF_ROLE, **{kind.tag: kind.tag for kind in _KINDS if kind.tag != "chat"}}
"""By the words in ``role`` that convert_to_messages knows, the kind; any other word makes a chat message."""
ROLE_OF_KIND: Mapping[str, str] = {kind.tag: kind.role for kind in _KINDS if kind.role is not None}
"""By the kind, our role."""
CHUNK_OF_ROLE: Mapping[str, str] = {role: _CHUNKS[tag] for role, tag in TAG_OF_ROLE.items() if tag in _CHUNKS}
"""By our role, the word in the ``type`` of a chunk."""
TAGS: Mapping[str, str] = {**{kind.cls: kind.tag for kind in _KINDS}, **{name: name for name in _CHUNKS.values()}}
"""By the class, the word in ``type``."""
CLASSES: Mapping[str, str] = {
    **{tag: name for name, tag in TAGS.items()},
    **{kind.cls: kind.cls for kind in _KINDS},
    "generic": "ChatMessage",
}
"""By the word in ``type``, the class."""
MODULES: Mapping[str, str] = {
    CLASSES[word]: f"langchain_core.messages.{kind.module or kind.tag}" for word, kind in _BY_WORD.items()
}
"""By the class, its module, according to LangChain's classes."""

# -- fields -----------------------------------------------------------------------------------------------------------


FIELDS: Mapping[str, Mapping[str, Field]] = {
    word: {
        field.key: field.evolve(default=word) if field is _TYPE else field
        for field in (*_SHARED, *kind.own, *(kind.of_chunk if word == _CHUNKS.get(kind.tag) else ()))
    }
    for word, kind in _BY_WORD.items()
}
"""By the word in ``type``, the fields by key; those of another kind are unknown to it."""
USUAL: Mapping[str, Mapping[str, Field]] = {
    word: {key: field for key, field in fields.items() if not field.is_foreign} for word, fields in FIELDS.items()
}
"""The same without foreign fields, as in usual messages."""
_ALL: Mapping[str, Field] = {key: field for fields in FIELDS.values() for key, field in fields.items()}
KEYS: Mapping[str, frozenset[str]] = {word: frozenset(fields) for word, fields in FIELDS.items()}
"""By the word in ``type``, the keys."""
BODY_KEYS = frozenset(_ALL)
"""Those of any kind."""
MAY_MEAN = BODY_KEYS | {"data", "text"}
"""The same, and the keys that would be taken for a form."""
HAS_MEANING: Mapping[str, Callable[[Any], bool]] = {
    key: field.means for key, field in _ALL.items() if field.means is not None
}
"""By key, the test of values with a meaning; others are extras."""
LEFT_OUT: Mapping[str, Any] = {
    key: field.default for key, field in _ALL.items() if field.dumpd != "always" and field not in _OF_CHUNK
}
"""By key, the default of the fields that shorter forms leave out."""
_OF_BLOCK = frozenset({"content", "name", *(field.key for field in _OF_RESULT)})


def mapped() -> tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...]:
    """Return the kinds of messages and their fields, for the documentation."""
    return tuple(map(_mapped, _KINDS))


def _mapped(kind: Kind) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    words = [word for word, other in _BY_WORD.items() if other is kind]
    model = ["Msg", *([f'role="{kind.role}"'] if kind.role else []), *([kind.about] if kind.about else [])]
    inner = _OF_BLOCK if kind.tag in {"tool", "function"} else _NOTHING
    keys: dict[str, str] = {}
    for word in words:
        for key, field in FIELDS[word].items():
            about = f" ({field.about})" if field.about else ""
            keys[key] = f"{'ToolResultBlock: ' if key in inner else ''}{field.field}{about}"
    return ", ".join(words), ", ".join(model), tuple(keys.items())


def is_empty(field: Field, value: Any) -> bool:
    """Whether a value of a field says nothing."""
    return value is None if field.default is None else not value and isinstance(value, type(field.default))
