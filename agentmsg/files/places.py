"""Documents inside records, at places named by JSON pointers: ``/interactions/*/request``.

Pointers follow RFC 6901. A step ``*`` means every item of an array, or every value of an object; for a key ``*`` write
``~2``. A text that holds JSON counts as that JSON, on the way and at the place. Null and an empty text count as
nothing.
"""

from __future__ import annotations

from functools import partial, reduce
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import attrs
import msgpack

from agentmsg.errors import AgentMsgError, DecodeError, excerpt, is_a, refused
from agentmsg.limits import AROUND, beyond, room_of
from agentmsg.values.pointers import SPACES, Way, is_pointer, onward_of, opened, step_to, way_of
from agentmsg.values.text import dump_json, parse_json
from agentmsg.values.types import is_list, is_mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from agentmsg.files.documents import Found
    from agentmsg.files.file_names import Form
    from agentmsg.limits import Limits

# The first bytes of a MessagePack map, and of an array.
_MAPS = frozenset((*range(0x80, 0x90), 0xDE, 0xDF))
_ARRAYS = frozenset((*range(0x90, 0xA0), 0xDC, 0xDD))


def pointers(given: object) -> tuple[str, ...]:
    """Return the caller's pointers: one, several, or none for None.

    Raises:
        InvalidMessage: code "option" if one isn't a JSON pointer.
    """
    several: Any = (given,) if is_a(given, str) else () if given is None else given
    if not is_a(several, (list, tuple)):
        raise refused("at", given, "a JSON pointer, or a list of them", code="option")
    found = tuple(several)
    for each in found:
        if not is_a(each, str) or not is_pointer(each):
            raise refused("at", each, "a JSON pointer such as /request or /items/*/body", code="option")
    return found


def is_many(at: tuple[str, ...]) -> bool:
    """Whether pointers may find several documents in one."""
    return len(at) > 1 or any(None in way_of(each) for each in at)


def nothing_at(at: tuple[str, ...]) -> DecodeError:
    """Return the error for an input without a document at any of these places."""
    return DecodeError(f"no document found at {' or '.join(excerpt(each)[1:-1] for each in at)}", code="required")


def parts_of(record: Found, at: tuple[str, ...], form: Form, limits: Limits) -> Iterator[Found]:
    """Yield the documents at some places of a record, in the order of the record.

    Each is yielded once, however many pointers lead to it. A record that can't be read is itself a fault.

    Args:
        record: as found in its file.
        at: the pointers; those that lead to the record go on from there, if it is at a place itself.
        form: how the file holds records.
        limits: bounds on the documents; the record may be deeper, for what it has around them.
    """
    here = record.at or ""
    ways = reduce(onward_of, way_of(here), tuple(dict.fromkeys(map(way_of, at))))
    if record.data is None or record.fault is not None:
        yield record
        return
    search = _in_frame if form == "msgpack" else _in_text
    try:
        parts = list(search(record.data, ways, attrs.evolve(limits, depth=room_of(limits).depth + AROUND)))
    except AgentMsgError as error:
        yield attrs.evolve(record, fault=error)
        return
    except RecursionError:
        msg = "nested deeper than the caller's stack leaves room for"
        yield attrs.evolve(record, fault=DecodeError(msg, code="depth"))
        return
    for number, (pointer, render) in enumerate(parts, 1):
        until = record.end if number == len(parts) else record.offset + record.length * number // len(parts)
        part = attrs.evolve(record, data=None, until=until, at=here + pointer)
        try:
            part = attrs.evolve(part, data=render())
        except AgentMsgError as error:
            part = attrs.evolve(part, fault=error)
        yield part


def joined(parts: Iterable[Found], limits: Limits) -> Iterator[Found]:
    """Yield several documents as one, an array of them; nothing if there are none.

    Where one of them is a fault, so is all, and its place is told.
    """
    held: list[bytes] = []
    size, first, last = 0, None, None
    fault: AgentMsgError | None = None
    for last in parts:
        first = first or last
        size += len(last.data or b"") + 1
        if size > limits.bytes:
            words = beyond(f"a conversation of more than {limits.bytes} bytes", "bytes")
            fault = fault or DecodeError(words, code="bytes")
            held.clear()
        elif fault is not None:
            held.append(last.data or b"")
        else:
            try:
                held.append(_spliced(last, limits))
            except AgentMsgError as error:
                where = f"line {last.number}" if last.at is None else f"at {excerpt(last.at)[1:-1]}"
                fault = DecodeError(f"{error.message} (part {len(held)}, {where})", code=error.code, path=error.path)
                held.append(last.data or b"")
    if first is None or last is None:
        return
    length = last.offset + last.length - first.offset
    whole = attrs.evolve(first, length=length, at=None, until=last.end, is_joined=True)
    # What is quarantined is what was read, one part a line.
    data = (b"\n".join(held) or None) if fault else b"[" + b",".join(held) + b"]"
    yield attrs.evolve(whole, data=data, fault=fault)


def _spliced(part: Found, limits: Limits) -> bytes:
    """Return a document as JSON; at a place, a text that isn't JSON is that text."""
    data = part.content()
    if part.at is not None and data.lstrip()[:1] not in (b"{", b"["):
        try:
            return dump_json(data.decode())
        except UnicodeDecodeError:
            raise DecodeError("not UTF-8", code="syntax") from None
    parse_json(data, limits, "error")
    return data


_Part: TypeAlias = "tuple[str, Callable[[], bytes]]"


# -- JSON


def _in_text(data: bytes, ways: tuple[Way, ...], limits: Limits) -> Iterator[_Part]:
    yield from _in_value(parse_json(data, limits, "error"), ways, "", limits)


def _in_value(value: Any, ways: tuple[Way, ...], pointer: str, limits: Limits) -> Iterator[_Part]:
    if () in ways and not _is_nothing(value):
        yield pointer, partial(_rendered, value, limits)
    if not (ways := tuple(filter(None, ways))):
        return
    while is_a(value, str):
        value = opened(value, limits)
    for key, member in _members(value, ways):
        yield from _in_value(member, onward_of(ways, key), pointer + step_to(key), limits)


def _members(value: Any, ways: tuple[Way, ...]) -> Iterator[tuple[str, Any]]:
    """Yield the members of a value that ways lead through, in order."""
    keys = {way[0] for way in ways}
    if is_mapping(value):
        if len(keys) == 1 and None not in keys:  # the common case, without a search
            (key,) = keys
            if key in value:
                yield str(key), value[key]
            return
        for key, member in value.items():
            if None in keys or key in keys:
                yield key, member
    elif is_list(value):
        for index, member in enumerate(value):
            if None in keys or str(index) in keys:
                yield str(index), member


def _is_nothing(value: object) -> bool:
    return value is None or (isinstance(value, (str, bytes)) and not value.strip())


def _rendered(value: Any, limits: Limits) -> bytes:
    """Return the bytes of a document; for a text, its own content."""
    while is_a(value, str):
        inner = opened(value, limits) if value.lstrip(SPACES)[:1] == '"' else None
        if not is_a(inner, str):
            return value.encode()
        value = inner
    return dump_json(value)


# -- MessagePack


def _in_frame(data: bytes, ways: tuple[Way, ...], limits: Limits) -> Iterator[_Part]:
    """Yield the parts of a frame as their bytes in it; a text or bytes are the document themselves."""
    frame = _Frame(data, limits)
    try:
        yield from frame.parts(ways, "")
    except (ValueError, msgpack.UnpackException) as error:
        msg = f"not MessagePack: {error or type(error).__name__}"
        raise DecodeError(msg, code="syntax") from None


class _Frame:
    """Walks through a MessagePack frame; only keys and texts are unpacked."""

    def __init__(self, data: bytes, limits: Limits) -> None:
        self._data = data
        self._limits = limits
        self._unpacker: Any = cast("Any", msgpack).Unpacker(max_buffer_size=len(data))
        self._unpacker.feed(data)

    def parts(self, ways: tuple[Way, ...], pointer: str) -> Iterator[_Part]:
        """Yield the parts of the next object, and go past it."""
        start: int = self._unpacker.tell()
        lead: int = self._data[start]
        if lead in _MAPS or lead in _ARRAYS:
            inner = tuple(filter(None, ways))
            parts = list(self._inner(lead, inner, pointer)) if inner else self._unpacker.skip()
            if () in ways:
                own = self._data[start : self._unpacker.tell()]
                yield pointer, lambda: own
            yield from parts or ()
        elif isinstance(value := self._unpacker.unpack(), str):
            yield from _in_value(value, ways, pointer, self._limits)
        elif () in ways and not _is_nothing(value):
            own = value if isinstance(value, bytes) else self._data[start : self._unpacker.tell()]
            yield pointer, lambda: own

    def _inner(self, lead: int, ways: tuple[Way, ...], pointer: str) -> Iterator[_Part]:
        is_map = lead in _MAPS
        count = self._unpacker.read_map_header() if is_map else self._unpacker.read_array_header()
        for index in range(count):
            key = self._unpacker.unpack() if is_map else str(index)
            onward = onward_of(ways, key if isinstance(key, str) else None)
            if onward:
                yield from self.parts(onward, pointer + step_to(key if isinstance(key, str) else str(key)))
            else:
                self._unpacker.skip()
