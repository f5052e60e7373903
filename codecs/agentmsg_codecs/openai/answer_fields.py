"""The keys of a response beside its message, at their two levels: the choice, and the document.

An ``index`` that isn't 0, an ``object`` other than chat.completion, an ``id`` that isn't a text ...: values without
their normal meaning are kept unchanged in the response metadata, and reported if they are lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

import attrs

from agentmsg import AgentMsgError, thaw
from agentmsg.formats import Unreadable, read_as, spelling, write_as
from agentmsg.formats.forms import Described
from agentmsg_codecs.openai.format import USAGE
from agentmsg_codecs.openai.names import CHOICE, FAMILY, FINISH, FINISH_WORDS, RESPONSE

if TYPE_CHECKING:
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


@attrs.frozen(slots=False)
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

    @cached_property
    def by_key(self) -> Mapping[str, Field]:
        """The fields by their keys."""
        return {field.native: field for field in self.fields}

    @cached_property
    def keys(self) -> frozenset[str]:
        """All keys."""
        return frozenset({self.inner, *self.by_key})

    @cached_property
    def always(self) -> tuple[str, ...]:
        """The keys that usually stand there."""
        return tuple(field.native for field in self.fields if field.is_always)

    def read(self, native: Native, values: Native, told: Native) -> tuple[Native, Native]:
        """Read the fields and the metadata that an object tells of a message; return its notes and its extras."""
        note: Native = {}
        rest: Native = {}
        by_key, inner = self.by_key, self.inner
        for key, value in native.items():
            field = by_key.get(key)
            if field is None:
                if key != inner:
                    rest[key] = value
            elif value is None:
                if field.usual is not None or not field.is_always:
                    note[key] = "null"
            elif field.field is None:
                told[key] = value
            else:
                try:
                    values[field.field] = field.read(value)
                except (Unreadable, AgentMsgError):
                    if value:
                        told[key] = value
                    else:
                        note[key] = spelling.spelling_of(value) or ["=", value]
        note |= {key: "absent" for key in self.always if key not in native}
        return note, rest

    def write(self, message: am.Msg, inner: Any) -> Native:
        """Return the usual object of a message that fits, around what stands inside."""
        told = message.response_metadata
        native: Native = {}
        for key, field in self.by_key.items():
            value = getattr(message, field.field) if field.field else None
            if value is not None:
                native[key] = field.write(value)
            elif field.is_always or key in told:
                native[key] = thaw(told.get(key, field.usual)) if told else field.usual
        native[self.inner] = inner
        return native


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
FIELDS = {field.native: field for level in (CHOICE_LEVEL, RESPONSE_LEVEL) for field in level.fields}


def is_told(key: str, value: Any, message: am.Msg) -> bool:
    """Whether a response keeps an entry of the response metadata: one that has a key, and no field of the message."""
    field = FIELDS[key]
    if field.field is None:
        return value is not None
    if field.field and getattr(message, field.field) is not None:
        return False
    try:
        field.read(thaw(value))
    except (Unreadable, AgentMsgError):
        return bool(value)
    return False
