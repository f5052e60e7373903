"""JSON text to values and back, exactly: parse, depth, suspicion scan, slow path.

orjson is fast and silent: it reads integers beyond 64 bits as floats, keeps the last of duplicate keys and writes NaN
as null. So every text passes a cheap scan, and only suspicious texts are read again, exactly, by the standard library.
orjson alone decides whether a text is well-formed.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, cast

from agentmsg.errors import DecodeError, EncodeError, InvalidMessage, excerpt
from agentmsg.limits import DEFAULT_LIMITS, Limits, beyond
from agentmsg.values.depth import written_within
from agentmsg.values.frozen import plain_copy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Duplicates = Literal["error", "last"]
"""What to do about a key that an object holds twice: refuse the document, or let the last one win."""

# One pass of bytes.translate turns digits into "0", so that a plain search finds a run of 19 digits: about 1 ns a byte,
# where a regular expression takes 8. A number needs at least 19 digits to leave 64 bits.
_DIGITS_ALIKE = bytes(48 if chr(code) in "0123456789" else 0 for code in range(256))
_LONG_RUN = b"0" * 19
# The largest float has 309 digits; orjson refuses integers beyond it.
_HUGE_RUN = b"0" * 309
_SHORT = 80
_CONTAINERS = frozenset({dict, list})
_SPACES = b" \t\n\r"
_INT64 = 2**63


def parse_json(
    raw: bytes | bytearray | memoryview | str,
    limits: Limits = DEFAULT_LIMITS,
    duplicates: Duplicates = "last",
) -> Any:
    """Return the plain value of a JSON text; integers of any size are exact.

    Args:
        raw: the text, as UTF-8 bytes or str.
        limits: bounds on size and depth.
        duplicates: what to do with a duplicate key.

    Raises:
        DecodeError: codes "syntax", "bytes", "depth", "duplicate-key", "integer-range", "number", "surrogate".
    """
    data = raw if type(raw) is bytes else as_bytes(raw)
    size = len(data)
    if size > limits.bytes:
        msg = beyond(f"{size} bytes are more than the limit of {limits.bytes}", "bytes")
        raise DecodeError(msg, code="bytes")
    value: Any = None
    fault: ValueError | None = None
    try:
        value = library()[0](data)
    except ValueError as error:
        fault = error
    if fault is not None:
        value = _loads_huge(data, fault)
    # Four times as fast as a walk: what orjson can write isn't too deep.
    try:
        written = written_within(value, limits.depth, size=size)
    except TypeError:
        _check_depth(data, value, limits.depth)
        written = b""
    if written == data or (duplicates == "last" and fault is None and not may_round(data)):
        return value
    # JSON that comes out as it went in, apart from spaces: no number was rounded and no key dropped.
    if _is_as_written(data, written):
        return value
    if duplicates == "error" and fault is None and not may_round(data) and not _drops_keys(data, written, value):
        return value
    return _exact(data, duplicates, limits)


def may_round(data: bytes) -> bool:
    """Whether a text has a run of digits that orjson may read as a rounded float."""
    return data.translate(_DIGITS_ALIKE).find(_LONG_RUN) >= 0


def _is_as_written(data: bytes, written: bytes) -> bool:
    """Whether a text is what orjson writes for its value, apart from spaces; strings keep theirs on both sides.

    If only one of the two is ASCII, they differ in more than spaces: Python's json escapes letters, orjson doesn't.
    """
    # Where Python's json puts its spaces. For longer texts it is faster to remove them on both sides.
    if written == data or (len(data) <= _SHORT and written == data.replace(b'": ', b'":').replace(b', "', b',"')):
        return True
    return written.isascii() is data.isascii() and written.translate(None, _SPACES) == data.translate(None, _SPACES)


def as_bytes(raw: bytes | bytearray | memoryview | str) -> bytes:
    """Return text as UTF-8 bytes; refuse what is neither (codes "surrogate" and "type")."""
    if type(raw) is bytes:
        return raw
    if isinstance(raw, str):
        try:
            return raw.encode()
        except UnicodeEncodeError as error:
            msg = f"a lone surrogate at character {error.start}"
            raise DecodeError(msg, code="surrogate") from None
    if isinstance(raw, (bytes, bytearray, memoryview)):  # pyright: ignore[reportUnnecessaryIsInstance]
        return bytes(raw)
    msg = f"bytes or text are needed, not {excerpt(raw)}"
    raise DecodeError(msg, code="type")


def _loads_huge(data: bytes, fault: ValueError) -> Any:
    """Parse a text that orjson has refused, and that only the slow path can read exactly.

    orjson refuses integers beyond the largest float (309 digits and more). Cutting them short leaves the rest of the
    text as it is, so that orjson still decides whether it is well-formed.
    """
    if _HUGE_RUN in data.translate(_DIGITS_ALIKE):
        import re  # noqa: PLC0415 - loaded already wherever attrs is

        try:
            return library()[0](re.sub(rb"\d{300,}", lambda run: run[0][:20], data))
        except ValueError as error:
            fault = error
    from agentmsg.values.syntax import syntax_error  # noqa: PLC0415 - only for the message

    raise syntax_error(data, fault)


def _check_depth(data: bytes, value: object, limit: int) -> None:
    """Refuse a value nested deeper than the limit; without recursion, because the caller's stack may be deep."""
    # There are at least as many brackets as levels, so this count settles small documents.
    if data.count(b"{") + data.count(b"[") <= limit:
        return
    level: list[Any] = [[value]]
    containers = _CONTAINERS
    for _ in range(limit + 1):
        parts: list[Iterable[Any]] = [outer.values() if type(outer) is dict else outer for outer in level]
        level = [item for item in chain.from_iterable(parts) if type(item) in containers]
        if not level:
            return
    msg = beyond(f"nested deeper than the limit of {limit}", "depth")
    raise DecodeError(msg, code="depth")


def _drops_keys(data: bytes, written: bytes, value: object) -> bool:
    """Whether a text may hold more keys than its value, if it is written otherwise: with letters for escapes.

    A key ends with a quote and a colon, and strings that contain these contain them in both texts. Both texts have the
    same number of them, unless spaces stand between or one of the two characters is an escape.
    """
    import re  # noqa: PLC0415 - loaded already wherever attrs is

    if not written or re.search(rb'"[ \t\n\r]+:|\\u00(?:22|3[aA])', data):
        return _may_repeat_keys(data, value)
    return data.count(b'":') != written.count(b'":')


def _may_repeat_keys(data: bytes, value: object) -> bool:
    """Compare the colons after a quote with the keys read: the count can only be too high.

    A quote after an odd number of backslashes is part of a text, such as one that holds JSON. Runs of backslashes are
    checked from their first one only; otherwise a long run would take quadratic time.
    """
    import re  # noqa: PLC0415 - loaded already wherever attrs is

    marks = len(re.findall(rb'"[ \t\n\r]*:', data))
    within = sum(len(run) % 2 for run in re.findall(rb'(?<!\\)(\\++)"[ \t\n\r]*:', data))
    return marks - within != _count_keys(value)


def _count_keys(value: object) -> int:
    count, waiting = 0, [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            fields = cast("dict[str, object]", item)
            count += len(fields)
            waiting.extend(fields.values())
        elif isinstance(item, list):
            waiting.extend(cast("list[object]", item))
    return count


def _pairs(duplicates: Duplicates) -> Callable[[list[tuple[str, Any]]], dict[str, Any]] | None:
    if duplicates == "last":
        return None

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        fields = dict(pairs)
        if len(fields) != len(pairs):
            seen: set[str] = set()
            for key, _ in pairs:
                if key in seen:
                    msg = f"the key {excerpt(key)} occurs twice in one object"
                    raise DecodeError(msg, code="duplicate-key")
                seen.add(key)
        return fields

    return once


def _integer(digits: str) -> int:
    if len(digits.lstrip("-")) > 4300:  # noqa: PLR2004 - Python's own limit, asked before int() has done the work
        msg = f"an integer of {len(digits)} digits"
        raise DecodeError(msg, code="integer-range")
    return int(digits)


def _exact(data: bytes, duplicates: Duplicates, limits: Limits) -> Any:
    """Read a text that orjson has accepted again, with exact integers."""
    import json  # noqa: PLC0415 - the slow path

    try:
        value = json.loads(data, object_pairs_hook=_pairs(duplicates), parse_int=_integer)
        return plain_copy(value, limits.depth)
    except RecursionError:
        msg = "nested deeper than the caller's stack leaves room for"
        raise DecodeError(msg, code="depth") from None
    except InvalidMessage as error:
        raise DecodeError(error.message, code=error.code, path=error.path) from None


def dump_json(value: Any) -> bytes:
    """Return compact UTF-8 JSON of a value made of JSON types, including frozen containers and big integers.

    Raises:
        EncodeError: if the value holds anything else (code "type", "number", "surrogate", "depth" ...).
    """
    _, dumps, strict, _ = library()
    try:
        return dumps(value, option=strict)
    except TypeError:
        return _dump_exactly(value)


def json_text(value: Any) -> str:
    """Return a value as compact JSON text; see ``dump_json``."""
    return dump_json(value).decode()


def dump_with_times(value: Any) -> bytes | None:
    """Return compact JSON of a value that may hold times, as ``time_text`` writes those without a zone or in UTC.

    None if the value holds something that only ``dump_json`` takes, such as an integer beyond 64 bits.
    """
    _, dumps, _, timed = library()
    try:
        return dumps(value, option=timed)
    except TypeError:
        return None


def time_text(value: datetime) -> str:
    """Return the ISO 8601 text of a time."""
    if type(value) is datetime and ((zone := value.tzinfo) is None or zone is UTC):
        # The same text; the standard library takes three times as long.
        return library()[1](value)[1:-1].decode()
    return value.isoformat()


def _dump_exactly(value: Any) -> bytes:
    import orjson  # noqa: PLC0415 - see dump_json

    def big(item: Any) -> Any:
        if type(item) is dict:
            return {key: big(each) for key, each in cast("dict[str, Any]", item).items()}
        if type(item) is list:
            return [big(each) for each in cast("Any", item)]
        if type(item) is int and not -_INT64 <= item < 2 * _INT64:
            return orjson.Fragment(str(item).encode())
        return item

    try:
        # Levels beyond orjson's own limit are refused here, with a path.
        return orjson.dumps(big(plain_copy(value, 250)))
    except RecursionError:
        msg = "nested deeper than the caller's stack leaves room for"
        raise EncodeError(msg, code="depth") from None
    except InvalidMessage as error:
        raise EncodeError(error.message, code=error.code, path=error.path) from None
    except TypeError as error:
        raise EncodeError(f"not JSON: {error}", code="type") from None


@cache
def library() -> tuple[Callable[[bytes], Any], Callable[..., bytes], int, int]:
    """Return orjson's ``loads``, ``dumps``, its strict option, and the function that also takes times.

    For short texts an import statement takes as long as the work. Without the option, orjson silently writes
    dataclasses and times.
    """
    import orjson  # noqa: PLC0415 - not every user of the model parses or writes JSON

    timed = orjson.OPT_PASSTHROUGH_DATACLASS
    return orjson.loads, orjson.dumps, timed | orjson.OPT_PASSTHROUGH_DATETIME, timed


UNUSUAL: Any = object()
"""What is given for a text that isn't a usual one: None is a value."""


def usual_arguments(text: str) -> Any:
    """Return the value of an arguments text that certainly says no more than its value; else UNUSUAL.

    Such a text is what orjson writes for the value, apart from spaces: no key was duplicated, and no number rounded.
    Spaces inside strings are the same on both sides, so the comparison may ignore them, too.
    """
    loads, dumps, _, _ = library()
    try:
        data = text.encode()
        value = loads(data)
        written = dumps(value)
    except (TypeError, ValueError):
        return UNUSUAL
    if not _is_as_written(data, written):
        return UNUSUAL
    # Every level has two brackets, so a short text needs no further check.
    depth = DEFAULT_LIMITS.depth
    return value if len(data) <= 2 * depth or data.count(b"{") + data.count(b"[") <= depth else UNUSUAL


def parse_arguments(text: str) -> tuple[bool, Any, bool]:
    """Read the JSON text of a tool's arguments.

    Returns:
        ``(valid, value, exact)``: whether the text is JSON (the empty text counts as ``{}``); its value; and whether
        the value says all that the text says. It doesn't if a key is duplicated, or if a number has more digits than a
        float holds.
    """
    value = usual_arguments(text)
    if value is not UNUSUAL:
        return True, value, True
    if not text.strip(" \t\n\r"):
        return True, {}, True
    try:
        value = parse_json(text)
    except DecodeError:
        return False, None, False
    data = text.encode()
    repeats = _may_repeat_keys(data, value) and _repeats(data)
    return True, value, not repeats and not _rounds(text)


def _repeats(data: bytes) -> bool:
    try:
        _exact(data, "error", DEFAULT_LIMITS)
    except DecodeError:
        return True
    return False


def _rounds(text: str) -> bool:
    """Whether a number in the text, as written, differs from the number that Python reads."""
    import re  # noqa: PLC0415 - loaded already wherever attrs is

    if not re.search(r"[0-9][.eE]", text):
        return False
    strings_and_numbers = r'"[^"\\]*(?:\\.[^"\\]*)*"|(-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)'
    for literal in re.finditer(strings_and_numbers, text, re.DOTALL):
        number = literal[1]
        if number and not number.lstrip("-").isdigit() and not _holds(number):
            return True
    return False


def _holds(number: str) -> bool:
    from decimal import Decimal  # noqa: PLC0415 - only for numbers with a fraction or exponent

    try:
        return Decimal(number) == Decimal(repr(float(number)))
    except ArithmeticError:
        # An exponent that even a Decimal can't hold; the float is zero.
        return False
