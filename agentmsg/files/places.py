"""Documents inside records, at places named by JSON pointers: ``/interactions/*/request``.

Pointers follow RFC 6901. A step ``*`` means every item of an array, or every value of an object; for a key ``*`` write
``~2``. A text that holds JSON counts as that JSON, on the way and at the place. Null and an empty text count as
nothing.
"""

from __future__ import annotations

from functools import partial, reduce
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs
import msgpack

from agentmsg.errors import AgentMsgError, DecodeError, excerpt, is_a, refused
from agentmsg.files.documents import Found, too_long
from agentmsg.limits import AROUND, beyond, room_of
from agentmsg.values.pointers import SPACES, Way, is_pointer, onward_of, opened, step_to, way_of
from agentmsg.values.text import dump_json, parse_json
from agentmsg.values.types import is_list, is_mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from agentmsg.files.file_names import Form
    from agentmsg.limits import Limits

_msgpack: Any = msgpack  # ships no types


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
    roomy = attrs.evolve(limits, depth=room_of(limits).depth + AROUND)
    try:
        if form == "msgpack":
            parts = list(_in_value(_unpacked(record.data), ways, "", roomy, _packed))
        else:
            parts = list(_in_value(parse_json(record.data, roomy, "error"), ways, "", roomy))
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
            fault = fault or too_long("conversation", "bytes", limits)
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
_Render: TypeAlias = "Callable[[Any, Limits], bytes]"


def _in_value(
    value: Any, ways: tuple[Way, ...], pointer: str, limits: Limits, render: _Render | None = None
) -> Iterator[_Part]:
    """Yield the parts of a value, each with what renders it: as JSON unless other bytes are wanted."""
    if () in ways and not _is_nothing(value):
        yield pointer, partial(render or _rendered, value, limits)
    if not (ways := tuple(filter(None, ways))):
        return
    if pointer.count("/") > limits.depth:
        raise DecodeError(beyond(f"nested deeper than the limit of {limits.depth}", "depth"), code="depth")
    while is_a(value, str):
        value, render = opened(value, limits), None
    for key, member in _members(value, ways):
        onward = onward_of(ways, key if is_a(key, str) else None)
        yield from _in_value(member, onward, pointer + step_to(str(key)), limits, render)


def _members(value: Any, ways: tuple[Way, ...]) -> Iterator[tuple[Any, Any]]:
    """Yield the members of a value that ways lead through, in order."""
    keys = {way[0] for way in ways}
    if is_mapping(value):
        if len(keys) == 1 and None not in keys:  # the common case, without a search
            (key,) = keys
            if key in value:
                yield key, value[key]
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


def _packed(value: Any, limits: Limits) -> bytes:
    """Return the bytes of a document in a frame; a text or bytes are the document themselves."""
    if is_a(value, (str, bytes)):
        return _rendered(value, limits) if is_a(value, str) else value
    try:
        return bytes(_msgpack.packb(value))
    except ValueError as error:
        raise DecodeError(f"nested too deep: {error}", code="depth") from None


def _unpacked(frame: bytes) -> Any:
    try:
        return _msgpack.unpackb(frame, strict_map_key=False, object_pairs_hook=_once)
    except (ValueError, TypeError, msgpack.UnpackException) as error:
        raise DecodeError(f"not MessagePack: {error or type(error).__name__}", code="syntax") from None


def _once(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise DecodeError("a key occurs twice in one map", code="duplicate-key")
    return members
