r"""json: the canonical form of agentmsg as JSON. It holds every History exactly.

    {"agentmsg": 1, "messages": [
        {"role": "user", "content": [{"type": "text", "text": "Hello"}], "created_at": "2026-11-21T10:00:00+00:00"},
        {"role": "assistant", "content": [{"type": "tool_use", "name": "add", "id": "c1", "raw_input": "{\"a\":1}"}]}
    ]}

A document is such an object, a list of messages, or one message. It is written on one line, so a file of documents is
JSON Lines. Fields with their default value are left out. Integers have any size.

Follows version 1 of the canonical form. ``agentmsg schema json`` prints its JSON Schema.

| model | JSON |
| --- | --- |
| History | ``{"agentmsg": 1, "messages": [...], ...}`` |
| Msg | ``{"role", "content", ...}``; content may also be a text |
| a block | ``{"type": its tag, ...}``; an unknown tag is a NativeBlock of "agentmsg", written back unchanged |
| a source, a tool | ``{"type": ...}`` with url, base64, file, text, blocks; tool, native |
| all others | an object of their fields |
| a time | ISO 8601 |
| a call's arguments | ``input``, or ``raw_input`` if there is a text, whose value is the input |
| ``extras["agentmsg"]`` | unknown keys beside the known ones, so fields of later versions are kept |
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, cast

import attrs

from agentmsg import DecodeError, History, InvalidMessage, Msg
from agentmsg.formats import (
    Caps,
    Codec,
    adopt,
    dump_json,
    excerpt,
    is_list,
    is_mapping,
    is_object,
    note_of,
    speed,
    with_note,
)
from agentmsg_codecs.canonical.engine import Engine, check_version, with_messages
from agentmsg_codecs.canonical.fields import FAMILY
from agentmsg_codecs.canonical.shapes import JsonShape, wrong

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmsg import Limits
    from agentmsg.formats import Duplicates

__all__ = ["JsonCodec"]


def _engine() -> Engine:
    return Engine(JsonShape())


def _copied(value: Any) -> Any:
    """Copy free-form JSON that the caller still owns."""
    return adopt(speed.copy_document(value, speed.DEFAULT_LIMITS.depth))


def _count(_: object, attribute: Any, value: object) -> None:
    if type(value) is not int or value < 0:
        msg = f"{attribute.name} must be a whole number, at least 0, not {excerpt(value)}"
        raise InvalidMessage(msg, code="type", path=(attribute.name,))


@attrs.frozen(kw_only=True, eq=False, repr=False, slots=False)
class JsonCodec(Codec):
    """The canonical JSON form.

    Attributes:
        remember: number of documents to remember after reading them, 64 MiB at most. The same bytes then give the same
            history object. Histories that grow need no option.
        engine: reads and writes; hooks registered on ``engine.converter`` before first use replace ours.
    """

    name: ClassVar[str] = "json"
    family: ClassVar[str] = FAMILY
    title: ClassVar[str] = "agentmsg canonical JSON"

    remember: int = attrs.field(default=0, validator=_count)
    engine: Engine = attrs.field(factory=_engine, init=False, eq=False, repr=False)
    _seen: speed.Seen = attrs.field(
        default=attrs.Factory(lambda self: speed.Seen(self.remember), takes_self=True),
        init=False,
        eq=False,
        repr=False,
    )

    def from_bytes(self, raw: bytes | bytearray | memoryview | str, limits: Limits, duplicates: Duplicates) -> History:
        """Read bytes; with ``remember``, bytes that were read before give the same history object."""
        if not self.remember or type(raw) is not bytes:
            return super().from_bytes(raw, limits, duplicates)
        known: History | None = self._seen.get(raw, limits, duplicates)
        if known is None:
            known = super().from_bytes(raw, limits, duplicates)
            self._seen.keep(raw, limits, duplicates, known)
        return known

    def make_caps(self) -> Caps:
        """Return that every history is supported."""
        return Caps(everything=True)

    def read(self, document: Any) -> History:
        """Read a document: an object with "agentmsg", a list of messages, or one message."""
        return self._read(self.engine, document)

    def read_held(self, document: Any, depth: int) -> History | None:
        """Read a document that the caller still owns; copy only its free-form JSON."""
        held = self._held(document, depth)
        return None if held is None else self._read(held, document)

    def _held(self, value: Any, depth: int) -> Engine | None:
        """Return the engine that copies what it keeps, or None if foreign hooks must read the value.

        Raises:
            TypeError: if the value is too deep or isn't JSON, so that even its strings can't be trusted.
        """
        self.engine.fill()
        if not self.engine.is_unhooked:
            return None
        speed.written_within(value, depth)
        return self._copying

    @cached_property
    def _copying(self) -> Engine:
        return Engine(JsonShape(), _copied, only_ours=True)

    def read_part(self, cls: type[Any], value: Any) -> Any:
        """Read a part of a document, users' blocks included."""
        try:
            held = self._held(value, speed.DEFAULT_LIMITS.depth)
            if held is not None:
                return held.read_part(cls, value)
        except Exception:  # noqa: BLE001, S110 - whatever a foreign object raises, the careful way reports the error
            pass
        return self.engine.read_part(cls, speed.copy_document(value, speed.DEFAULT_LIMITS.depth))

    def write_part(self, part: Any) -> Any:
        """Write an object of the model as it appears in a document."""
        self.engine.fill()
        return self.engine.write_any(part)

    def _read(self, engine: Engine, document: Any) -> History:
        engine.fill()
        if is_object(document):
            if FAMILY in document:
                check_version(document[FAMILY])
                return engine.read_history(document)
            if "role" in document:
                message = engine.read_one(Msg, document, -1)
                return with_note(History((message,)), self.name, {"form": "message"})
            raise DecodeError('an object with "agentmsg" or "role" is needed', code="required", path=(FAMILY,))
        if is_list(document):
            messages = with_messages(History(), engine.read_messages(document))
            return with_note(messages, self.name, {"form": "list"})
        raise wrong(document, "an object or a list of messages")

    def write(self, history: History) -> Any:
        """Write a history; one with nothing but messages keeps the form it was read from."""
        self.engine.fill()
        form = note_of(history, self.name).get("form") if history.notes else None
        document = cast("dict[str, Any]", self.engine.write_any(history))
        if form not in ("list", "message") or set(document) != {FAMILY, "messages"}:
            return document
        messages = document["messages"]
        if form == "list":
            return messages
        # A message with a key "agentmsg" would be read as a history.
        return messages[0] if len(messages) == 1 and FAMILY not in messages[0] else document

    def to_bytes(self, history: History) -> bytes:
        """Write a history as bytes; if it grew from one already written, only its new messages are written.

        With blocks or hooks of yours all messages are written: their output may have changed.
        """
        body = None if self.engine.has_foreign_writers else speed.body_of(history)
        # A single message may have no list around it.
        if body is None or len(history.messages) < 2:  # noqa: PLR2004 - more than one
            return self.render(self.write(history)) if history.notes else self._bytes((history,))[1:-1]
        return body.get(self, history, self._frame, self._joined)

    def _frame(self, history: History) -> tuple[bytes, bytes]:
        """Return the bytes before and after the messages of a history."""
        document = self.write(speed.without_messages(history))
        if type(document) is list:
            return b"[", b"]"
        names = list(document)
        place = names.index("messages")
        before, behind = (
            dump_json({name: document[name] for name in some}) for some in (names[:place], names[place + 1 :])
        )
        return b'%b,"messages":[' % before[:-1], b"],%b" % behind[1:] if len(behind) > 2 else b"]}"  # noqa: PLR2004 - {}

    def _joined(self, messages: Sequence[Msg]) -> bytes:
        """Write messages as bytes, with commas between them."""
        return self._bytes(messages)[1:-1]

    def _bytes(self, values: Sequence[History | Msg]) -> bytes:
        """Write histories or messages as the bytes of an array."""
        self.engine.fill()
        timed = self.engine.write_timed(values)
        raw = None if timed is None else speed.dump_with_times(timed)
        return dump_json(list(map(self.engine.write_any, values))) if raw is None else raw

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the canonical form; canonical/schema.py lists its limits."""
        from agentmsg_codecs.canonical.schema import json_schema  # noqa: PLC0415 - few ask for it

        return json_schema()

    def likeness(self, document: Any) -> float:
        """Return 1 for an object that names a version of this form."""
        return float(self.is_declared(document))

    def is_declared(self, document: Any) -> bool:
        """Whether an object names a version of this form, whatever else it holds."""
        return is_mapping(document) and type(document.get(FAMILY)) is int
