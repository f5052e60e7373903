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
from agentmsg.formats import Codec, adopt, dump_json, excerpt, note_of, speed, with_note
from agentmsg_codecs.canonical.engine import Engine, check_version
from agentmsg_codecs.canonical.fields import FAMILY
from agentmsg_codecs.canonical.shapes import JsonShape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmsg import Limits
    from agentmsg.formats import Duplicates

__all__ = ["JsonCodec"]


def _engine() -> Engine:
    return Engine(JsonShape())


def _copied(value: Any) -> Any:
    """Return free-form JSON that a caller holds as the model's own."""
    return adopt(speed.copy_document(value, speed.DEFAULT_LIMITS.depth))


def _count(_: object, attribute: Any, value: object) -> None:
    if type(value) is not int or value < 0:
        msg = f"{attribute.name} must be a whole number, at least 0, not {excerpt(value)}"
        raise InvalidMessage(msg, code="type", path=(attribute.name,))


@attrs.frozen(kw_only=True)
class JsonCodec(Codec):
    """The canonical JSON form.

    Attributes:
        remember: how many documents that were read to remember, of 64 MiB at most: bytes that come again are the same
            history. Histories that grow need no option.
        engine: what reads and writes; hooks registered on ``engine.converter`` before first use replace ours.
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
        """Return the history of some bytes; with ``remember``, that of bytes that were read before is the same one."""
        if not self.remember or type(raw) is not bytes:
            return super().from_bytes(raw, limits, duplicates)
        known: History | None = self._seen.get(raw, limits, duplicates)
        if known is None:
            known = super().from_bytes(raw, limits, duplicates)
            self._seen.keep(raw, limits, duplicates, known)
        return known

    def read(self, document: Any) -> History:
        """Return the history of a document: an object with "agentmsg", a list of messages, or one message."""
        return self._read(self.engine, document)

    def read_held(self, document: Any, depth: int) -> History | None:
        """Return the history of a document that others hold: only its free-form JSON is copied."""
        held = self._held(document, depth)
        return None if held is None else self._read(held, document)

    def _held(self, value: Any, depth: int) -> Engine | None:
        """Return the engine that reads what others hold; None where somebody's hooks must read it.

        Raises:
            TypeError: where the value is too deep or no JSON: then the texts in it may be none either.
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
        """Return the object that a part of a document stands for; blocks of users, too."""
        try:
            held = self._held(value, speed.DEFAULT_LIMITS.depth)
            if held is not None:
                return held.read_part(cls, value)
        except Exception:  # noqa: BLE001, S110 - whatever a stranger's object raises, the careful way tells what is wrong
            pass
        return self.engine.read_part(cls, speed.copy_document(value, speed.DEFAULT_LIMITS.depth))

    def write_part(self, part: Any) -> Any:
        """Return what stands for an object of the model in a document."""
        self.engine.fill()
        return self.engine.write_any(part)

    def _read(self, engine: Engine, document: Any) -> History:
        engine.fill()
        if type(document) is dict:
            if FAMILY in document:
                check_version(cast("Any", document)[FAMILY], FAMILY)
                return cast("History", engine.read_one(History, document, 0))
            if "role" in document:
                message = engine.read_one(Msg, document, -1)
                return with_note(History((message,)), self.name, {"form": "message"})
            msg = 'an object with "agentmsg" or "role" is needed'
            raise DecodeError(msg, code="required", path=(FAMILY,))
        if type(document) is list:
            messages = engine.read_all(Msg, cast("Any", document), -1)
            return with_note(History(messages), self.name, {"form": "list"})
        msg = f"an object or a list of messages is needed, not {excerpt(document)}"
        raise DecodeError(msg, code="type")

    def write(self, history: History) -> Any:
        """Return the document of a history, in the form that it was read from, where it has only messages."""
        self.engine.fill()
        form = note_of(history, self.name).get("form") if history.notes else None
        document = cast("dict[str, Any]", self.engine.write_any(history))
        if isinstance(form, str) and form in _FORMS and set(document) == {FAMILY, "messages"}:
            return _FORMS[form](document)
        return document

    def to_bytes(self, history: History) -> bytes:
        """Return the bytes of a history; where it grew from one that was written, only what is new is written.

        Not so with blocks and hooks of yours: what they write may have changed since.
        """
        body = None if self.engine.has_foreign_writers else speed.body_of(history)
        # One message alone may stand without a list around it.
        if body is None or len(history.messages) < 2:  # noqa: PLR2004 - more than one
            return self.render(self.write(history)) if history.notes else self._bytes((history,))[1:-1]
        return body.get(self, history, self._frame, self._joined)

    def _frame(self, history: History) -> tuple[bytes, bytes]:
        """Return what stands before and behind the messages of a history."""
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
        """Return the bytes of messages, with commas between them."""
        return self._bytes(messages)[1:-1]

    def _bytes(self, values: Sequence[History | Msg]) -> bytes:
        """Return the bytes of histories or messages, as an array."""
        self.engine.fill()
        timed = self.engine.write_timed(values)
        raw = None if timed is None else speed.dump_with_times(timed)
        return dump_json(list(map(self.engine.write_any, values))) if raw is None else raw

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the canonical form; see canonical/schema.py for what it can tell."""
        from agentmsg_codecs.canonical.schema import json_schema  # noqa: PLC0415 - few ask for it

        return json_schema()

    def likeness(self, document: Any) -> float:
        """Return 1 for an object that names a version of ours."""
        if isinstance(document, dict) and type(cast("Any", document).get(FAMILY)) is int:
            return 1.0
        return 0.0


def _one_message(document: dict[str, Any]) -> Any:
    messages = document["messages"]
    # A message with a key "agentmsg" would be taken for a history.
    return messages[0] if len(messages) == 1 and FAMILY not in messages[0] else document


def _bare_list(document: dict[str, Any]) -> Any:
    return document["messages"]


_FORMS = {"list": _bare_list, "message": _one_message}
