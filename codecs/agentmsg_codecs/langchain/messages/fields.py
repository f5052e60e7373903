"""The kinds of messages and their fields.

Everything else is made from this table: the sets of keys, which values are extras (engine.py), the fields that shorter
forms leave out, the kwargs of dumpd (lc.py), the readers and writers of usual messages and the deviations
that they accept (quick_read.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from agentmsg.formats import EMPTY, Native, is_list, is_mapping, is_object, natives, speed
from agentmsg_codecs.langchain.blocks.v1 import is_hint
from agentmsg_codecs.langchain.calls import is_calls
from agentmsg_codecs.langchain.names import ENVELOPE, FAMILY, OWN_ROLES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import agentmsg as am


NEEDED: Any = object()
"""The default of a field without a default value: without the field, the message says less."""
_NOTHING = frozenset[str]()
_ABSENT = frozenset({"absent"})
_NO_OBJECT = frozenset({"absent", "null"})
_NO_LIST = frozenset({"absent", "null", "{}"})


def _is_word(value: Any) -> bool:
    return type(value) is str


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
    Field("tool_call_chunks", "content", [], dumpd="if set", means=lambda _: False, about="of a chunk"),
    Field(
        "chunk_position", "done", None, dumpd="if set", means=lambda value: bool(value == "last"), about="of a chunk"
    ),
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


# -- forms: how the body of a stored message is wrapped ---------------------------------------------------------------
# dict     {"type", "data": body}            messages_to_dict; LangChain JS with short bodies
# flat     body, with "type"                 model_dump, LangGraph's JSON
# role     body, with "role" for "type"      input of convert_to_messages; empty fields are left out; some add a "type"
# oldest   {"type", "role", "text"}          the first form of LangChain JS
# pair     [role, content]                   shorthand
# text     content                           shorthand for a human message


FORMS = frozenset({"dict", "flat", "role", "oldest", "text", "pair"})
# Unknown fields that would say what kind of message it is, or in which form.
_ONLY_INSIDE = frozenset({"role", "data", "text"})
_CHATS = frozenset({"chat", "generic", "ChatMessageChunk"})


class Unwrapped(NamedTuple):
    """One native message, unwrapped.

    Attributes:
        form: see the module.
        kind: human, ai, system, tool, function, chat or remove.
        tag: the word in `type`; that of the kind if the form has none.
        body: the fields, with `content`; in the forms dict and flat also `type`.
        word: the word in `role`, if that says the kind.
        rest: unknown keys beside `type` and `data`.
        typed: the word in `type` beside `role`, if it says the same.
    """

    form: str
    kind: str
    tag: str
    body: Native
    word: str | None = None
    rest: Mapping[str, Any] = EMPTY
    typed: str | None = None

    @property
    def known(self) -> frozenset[str]:
        """The keys of the fields: without type, if the role says the kind."""
        return KEYS[self.tag] - {"type"} if self.form == "role" else KEYS[self.tag]


def split(native: Any) -> Unwrapped | None:
    """Return a native message unwrapped; None if it has none of the forms."""
    if type(native) is str:
        return Unwrapped("text", "human", "human", {"content": native})
    if is_list(native):
        return _pair(native)
    if not is_object(native):
        return None
    part: Native = native
    tag, word = part.get("type"), part.get("role")
    if type(tag) is not str or tag not in KINDS:
        return _by_role(part, word) if type(word) is str else None
    kind = KINDS[tag]
    if is_object(part.get("data")) and "content" not in part:
        rest = {key: value for key, value in part.items() if key not in ("type", "data")}
        return Unwrapped("dict", kind, tag, part["data"], rest=rest)
    if "content" not in part and type(part.get("text")) is str:
        has_role = type(word) is str and kind != "chat" and KIND_OF_ROLE.get(word) == kind
        left_out = {"type", "role"} if has_role else {"type"}
        body = {("content" if key == "text" else key): part[key] for key in part if key not in left_out}
        return Unwrapped("oldest", kind, tag, body, word if has_role else None)
    if type(word) is str and kind != "chat":
        # An unknown role beside the type of a known kind doesn't say who speaks.
        return _by_role(part, word) if word in KIND_OF_ROLE else None
    return Unwrapped("flat", kind, tag, part)


def _by_role(part: Native, word: str) -> Unwrapped | None:
    if "content" not in part and not part.keys() & {"tool_calls", "additional_kwargs"}:
        return None
    kind = KIND_OF_ROLE.get(word, "chat")
    if kind == "chat" and (word in OWN_ROLES or "type" in part):
        return None
    tag = part.get("type")
    typed = tag if type(tag) is str and KINDS.get(tag) == kind else None
    body = {key: value for key, value in part.items() if key != "role" and not (typed and key == "type")}
    return Unwrapped("role", kind, kind, body, word, typed=typed)


def _pair(native: list[Any]) -> Unwrapped | None:
    if len(native) != 2 or type(native[0]) is not str or type(native[1]) not in (str, list):  # noqa: PLR2004
        return None
    kind = KIND_OF_ROLE.get(native[0], "chat")
    if kind in {"tool", "function", "remove"} or native[0] in OWN_ROLES:
        return None
    return Unwrapped("pair", kind, kind, {"content": native[1]}, native[0])


def wrap(form: str, tag: str, body: Native, message: am.Msg, note: Mapping[str, Any]) -> Any:
    """Return a body in a form."""
    if form == "dict":
        return {**natives.extras_of(message, ENVELOPE), "type": tag, "data": body}
    if form == "flat":
        return body
    if form == "oldest":
        head: Native = {"type": tag}
        if isinstance(note.get("/role"), str) and tag != "chat":
            head["role"] = note["/role"]
        return {**head, **{("text" if key == "content" else key): value for key, value in body.items()}}
    noted = note.get("/role")
    word = noted if isinstance(noted, str) else "function" if KINDS.get(tag) == "function" else message.role
    if form == "role":
        typed = KINDS[tag] if note.get("/typed") is True else note.get("/typed")
        is_own = isinstance(typed, str) and KINDS.get(typed) == KINDS[tag]
        return {"role": word, "type": typed, **body} if is_own else {"role": word, **body}
    return [word, body.get("content", "")] if form == "pair" else body.get("content", "")


def able(form: str, message: am.Msg, tag: str) -> str:
    """Return the form, or one that can say what kind of message it is."""
    if message.extras:
        own = natives.extras_of(message, FAMILY)
        if ENVELOPE in message.extras or not _ONLY_INSIDE.isdisjoint(own):
            return "dict"
        if "type" in own and tag not in _CHATS:
            return "role"
    if form == "role" and tag in _CHATS and message.role in KIND_OF_ROLE:
        return "dict"
    return form


# By form, the likeness: roles and contents are in all formats, and bare texts in none.
_SCORES: Mapping[str, float] = {"dict": 1.0, "flat": 0.9, "oldest": 0.85}
_OWN_KEYS = frozenset({"additional_kwargs", "response_metadata"})
_OWN_WORDS = frozenset({"human", "ai"})
# Keys of which a flat message has one.
_SAYING = frozenset({"content", "tool_calls", *_OWN_KEYS})


def sniff_message(native: Any) -> float:
    """Return how much a message looks like LangChain: 0 if many formats have such, less if it can't be one."""
    found = split(native)
    if found is None:
        return -1.0
    if found.form == "role":
        is_own = found.typed is not None or not _OWN_KEYS.isdisjoint(found.body)
        return 0.85 if is_own else 0.8 if found.word in _OWN_WORDS else 0.0
    if found.form == "pair":
        return 0.85 if found.word in _OWN_WORDS else 0.0
    if found.form == "flat" and _SAYING.isdisjoint(found.body):
        return 0.3  # such as a tool, or a call, of another format
    return _SCORES.get(found.form, 0.0)
