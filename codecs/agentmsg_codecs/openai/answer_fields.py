"""The keys of a response beside its message, on two levels: the choice, and the document.

Values without their normal meaning, such as an ``index`` other than 0, another ``object`` or an invalid ``id``, are
kept unchanged in the response metadata, and reported if they are lost. Their message is marked ``/odd``: in any other,
metadata under such a key have no place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

import attrs

from agentmsg import AgentMsgError, thaw
from agentmsg.formats import Unreadable, is_marked, spelling
from agentmsg_codecs.openai.names import CHOICE, FINISH, FINISH_WORDS, RESPONSE
from agentmsg_codecs.openai.usage import read_usage, write_usage

if TYPE_CHECKING:
    import agentmsg as am
    from agentmsg.formats import Native

_SECONDS = range(-62_135_596_800, 253_402_300_800)  # the range of datetime


@attrs.frozen
class Field:
    """A key.

    Attributes:
        native: the key.
        field: of the message; "" if the value is constant, None if it belongs to the response metadata.
        read: returns the value of the field; raises Unreadable for a value without meaning.
        write: returns the native value.
        usual: the native value if there is nothing.
        is_always: whether the key is there even so.
    """

    native: str
    field: str | None
    read: Callable[[Any], Any] = thaw
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


def _constant(native: str, usual: Any) -> Field:
    def read(value: Any) -> None:
        if type(value) is not type(usual) or value != usual:
            raise Unreadable

    return Field(native, "", read, usual=usual)


def _finish_reason(value: Any) -> str:
    word = _text(value)
    return FINISH.get(word, word)


@attrs.frozen(slots=False)
class Level:
    """An object around the message.

    Attributes:
        space: the namespace of its extras and notes.
        inner: the key of the next level.
        fields: its other keys.
    """

    space: str
    inner: str
    fields: tuple[Field, ...]

    @cached_property
    def by_key(self) -> Mapping[str, Field]:
        """The fields by key."""
        return {field.native: field for field in self.fields}

    @cached_property
    def keys(self) -> frozenset[str]:
        """All keys."""
        return frozenset({self.inner, *self.by_key})

    @cached_property
    def always(self) -> tuple[str, ...]:
        """The keys of usual objects."""
        return tuple(field.native for field in self.fields if field.is_always)

    def read(self, native: Native, values: Native, metadata: Native) -> tuple[Native, Native]:
        """Read an object's keys into the fields and the metadata of a message; return its notes and its extras."""
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
                metadata[key] = value
            else:
                try:
                    values[field.field] = field.read(value)
                except (Unreadable, AgentMsgError):
                    if value:
                        metadata[key] = value
                    else:
                        note[key] = spelling.spelling_of(value) or ["=", value]
        note |= {key: "absent" for key in self.always if key not in native}
        return note, rest

    def write(self, message: am.Msg, inner: Any) -> Native:
        """Write the usual object of a message that fits, around the next level."""
        metadata = message.response_metadata
        native: Native = {}
        for key, field in self.by_key.items():
            value = getattr(message, field.field) if field.field else None
            if value is not None:
                native[key] = field.write(value)
            elif field.is_always or key in metadata:
                native[key] = thaw(metadata.get(key, field.usual)) if metadata else field.usual
        native[self.inner] = inner
        return native


CHOICE_LEVEL = Level(CHOICE, "message", (
    _constant("index", 0),
    Field("finish_reason", "finish_reason", _finish_reason, lambda reason: FINISH_WORDS.get(reason, reason)),
    Field("logprobs", None),
))  # fmt: skip
RESPONSE_LEVEL = Level(RESPONSE, "choices", (
    Field("id", "id", _text, str),
    _constant("object", "chat.completion"),
    Field("created", "created_at", _time, lambda time: int(time.timestamp())),
    Field("model", "model", _text),
    Field("usage", "usage", read_usage, write_usage),
    *(Field(key, None, is_always=False) for key in ("system_fingerprint", "service_tier", "metadata", "moderation")),
))  # fmt: skip
FIELDS = {**CHOICE_LEVEL.by_key, **RESPONSE_LEVEL.by_key}


def is_metadata(key: str, value: Any, message: am.Msg) -> bool:
    """Whether a response keeps an entry of the response metadata: its key is free, or was read with such a value."""
    field = FIELDS[key]
    if field.field is None:
        return value is not None
    if not is_marked(message, RESPONSE, "/odd") or (field.field and getattr(message, field.field) is not None):
        return False
    try:
        field.read(thaw(value))
    except (Unreadable, AgentMsgError):
        return bool(value)
    return False
