"""The keys of a response beside its message, at their two levels: the choice, and the document.

An ``index`` that is not 0, an ``object`` other than chat.completion, an ``id`` that isn't a text ...: what cannot be
read as what it means is kept as it is, among the response metadata, and told where it is lost.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import attrs

from agentmsg import AgentMsgError, thaw
from agentmsg.formats import Unreadable, read_as, spelling, write_as
from agentmsg.formats.forms import Described
from agentmsg_codecs.openai.format import USAGE
from agentmsg_codecs.openai.names import CHOICE, FAMILY, FINISH, FINISH_WORDS, RESPONSE

if TYPE_CHECKING:
    from collections.abc import Callable

    import agentmsg as am
    from agentmsg.formats import Native

TOLD = Described(FAMILY, (USAGE,), {})
OLD_WORD = "function_call"
_SECONDS = range(-62_135_596_800, 253_402_300_800)  # what a datetime holds


@attrs.frozen
class Field:
    """A key.

    Attributes:
        native: the key.
        field: of the message; "" if it always says the same, None if it is of the response metadata.
        read: returns the value of the field; raises Unreadable for what it doesn't mean.
        write: returns the native value.
        usual: what stands there where there is nothing.
        is_always: whether the key stands there even so.
    """

    native: str
    field: str | None
    read: Callable[[Any], Any]
    write: Callable[[Any], Any] = thaw
    usual: Any = None
    is_always: bool = True


def _text(value: Any) -> str:
    if type(value) is not str:
        raise Unreadable
    return value


def _time(value: Any) -> datetime:
    if type(value) is not int or value not in _SECONDS:
        raise Unreadable
    return datetime.fromtimestamp(value, UTC)


def _only(usual: Any) -> Callable[[Any], None]:
    def read(value: Any) -> None:
        if type(value) is not type(usual) or value != usual:
            raise Unreadable

    return read


def _word(value: Any) -> str:
    word = _text(value)
    return FINISH.get(word, word)


def _usage(value: Any) -> Any:
    return read_as(TOLD.shapes["usage"], value, FAMILY)


_OBJECT = "chat.completion"
_METADATA = ("system_fingerprint", "service_tier", "metadata", "moderation")


@attrs.frozen
class Level:
    """An object around the message.

    Attributes:
        space: whose extras and notes are told there.
        inner: the key of what stands inside.
        fields: its own keys.
    """

    space: str
    inner: str
    fields: tuple[Field, ...]

    @property
    def keys(self) -> frozenset[str]:
        """All keys."""
        return frozenset({self.inner, *(field.native for field in self.fields)})

    def read(self, native: Native) -> tuple[Native, Native, Native, Native]:
        """Return the fields of the message, the response metadata, the notes, and the extras that an object tells."""
        values: Native = {}
        told: Native = {}
        note: Native = {}
        left = len(native) - 1
        for key, name, read, _, usual, is_always in self._rows:
            if key not in native:
                if is_always:
                    note[key] = "absent"
                continue
            left -= 1
            value = native[key]
            if value is None:
                if usual is not None or not is_always:
                    note[key] = "null"
            elif name is None:
                told[key] = value
            else:
                try:
                    values[name] = read(value)
                except (Unreadable, AgentMsgError):
                    if value:
                        told[key] = value
                    else:
                        note[key] = spelling.spelling_of(value) or ["=", value]
        rest = {key: value for key, value in native.items() if key not in self._known} if left else {}
        return values, told, note, rest

    def write(self, message: am.Msg, inner: Any) -> Native:
        """Return the usual object of a message that fits, around what stands inside."""
        told = message.response_metadata
        native: Native = {}
        for key, name, _, write, usual, is_always in self._rows:
            value = getattr(message, name) if name else None
            if value is not None:
                native[key] = write(value)
            elif is_always or key in told:
                native[key] = thaw(told.get(key, usual)) if told else usual
        native[self.inner] = inner
        return native

    @property
    def _rows(self) -> tuple[tuple[Any, ...], ...]:
        return _ROWS[self.space]

    @property
    def _known(self) -> frozenset[str]:
        return _KNOWN[self.space]


CHOICE_LEVEL = Level(
    CHOICE,
    "message",
    (
        Field("index", "", _only(0), usual=0),
        Field("finish_reason", "finish_reason", _word, lambda reason: FINISH_WORDS.get(reason, reason)),
        Field("logprobs", None, thaw),
    ),
)
RESPONSE_LEVEL = Level(
    RESPONSE,
    "choices",
    (
        Field("id", "id", _text, str),
        Field("object", "", _only(_OBJECT), usual=_OBJECT),
        Field("created", "created_at", _time, lambda time: int(time.timestamp())),
        Field("model", "model", _text),
        Field("usage", "usage", _usage, lambda usage: write_as(TOLD.shapes["usage"], usage, FAMILY)),
        *(Field(key, None, thaw, is_always=False) for key in _METADATA),
    ),
)
_ROWS = {level.space: tuple(map(attrs.astuple, level.fields)) for level in (CHOICE_LEVEL, RESPONSE_LEVEL)}
_KNOWN = {level.space: level.keys for level in (CHOICE_LEVEL, RESPONSE_LEVEL)}
FIELDS = {field.native: field for level in (CHOICE_LEVEL, RESPONSE_LEVEL) for field in level.fields}


def is_told(key: str, value: Any, message: am.Msg) -> bool:
    """Whether a response keeps an entry of the response metadata: one that has a key, and no field of the message."""
    field = FIELDS[key]
    if field.field is None:
        return value is not None
    if field.field and getattr(message, field.field) is not None:
        return False
    try:
        field.read(value)
    except (Unreadable, AgentMsgError):
        return bool(value)
    return False
