"""JSON text to values and back, exactly: gate, parse, suspicion scan, slow path.

orjson is fast and silent: it reads integers beyond 64 bits as floats, keeps the last of duplicate keys and writes
NaN as null. So every text passes a cheap scan, and only what looks suspicious is read again, exactly, by the
standard library. orjson alone decides whether a text is well-formed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, cast

from agentmsg.errors import DecodeError, EncodeError, InvalidMessage, excerpt
from agentmsg.json_values import plain_copy
from agentmsg.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

__all__ = ["Duplicates", "dump_json", "parse_arguments", "parse_json"]

Duplicates = Literal["error", "last"]

# One pass of bytes.translate turns digits into "0", so that a run of 19 digits can be found by a plain search:
# about 1 ns a byte, where a regular expression takes 8. 19 digits are the fewest that can leave 64 bits.
_DIGITS_ALIKE = bytes(48 if 48 <= code <= 57 else 0 for code in range(256))
_LONG_RUN = b"0" * 19
_INT64 = 2**63


def parse_json(raw: bytes | bytearray | memoryview | str, limits: Limits = DEFAULT_LIMITS, duplicates: Duplicates = "last") -> Any:
    """Return the plain value of a JSON text; integers of any size are exact.

    Args:
        raw: the text, as UTF-8 bytes or str.
        limits: bounds on size and depth.
        duplicates: what to do with a key that an object holds twice.

    Raises:
        DecodeError: codes "syntax", "bytes", "depth", "duplicate-key", "integer-range", "number", "surrogate".
    """
    import orjson  # noqa: PLC0415 - not every user of the model parses JSON

    data = _as_bytes(raw)
    if len(data) > limits.bytes:
        msg = f"{len(data)} bytes are more than the limit of {limits.bytes}"
        raise DecodeError(msg, code="bytes")
    _check_depth(data, limits.depth)
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise _syntax_error(data, error) from None
    if _LONG_RUN in data.translate(_DIGITS_ALIKE) or (duplicates == "error" and _may_repeat_keys(data, value)):
        return _exact(data, duplicates, limits)
    return value


def _as_bytes(raw: bytes | bytearray | memoryview | str) -> bytes:
    if isinstance(raw, bytes):
        return raw
    if isinstance(raw, str):
        try:
            return raw.encode()
        except UnicodeEncodeError as error:
            msg = f"a lone surrogate at character {error.start}"
            raise DecodeError(msg, code="surrogate") from None
    if isinstance(raw, (bytearray, memoryview)):  # pyright: ignore[reportUnnecessaryIsInstance]
        return bytes(raw)
    msg = f"bytes or text are needed, not {excerpt(raw)}"
    raise DecodeError(msg, code="type")


def _check_depth(data: bytes, limit: int) -> None:
    # As many brackets as levels at most, so this count settles nearly every document.
    if data.count(b"[") + data.count(b"{") <= limit:
        return
    import re  # noqa: PLC0415 - loaded already wherever attrs is

    depth = deepest = 0
    for token in re.finditer(rb'"(?:[^"\\]|\\.)*"|[\[{\]}]', data, re.DOTALL):
        mark = token[0][:1]
        if mark in b"[{":
            depth += 1
            deepest = max(deepest, depth)
            if deepest > limit:
                msg = f"nested deeper than the limit of {limit}"
                raise DecodeError(msg, code="depth")
        elif mark in b"]}":
            depth -= 1


def _syntax_error(data: bytes, error: ValueError) -> DecodeError:
    hint = "; it begins with a byte order mark" if data.startswith(b"\xef\xbb\xbf") else ""
    if data.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd")):
        hint = "; it looks compressed"
    number = "number" in str(error) and "out of range" in str(error)
    code = "surrogate" if "surrogate" in str(error) else "number" if number else "syntax"
    return DecodeError(f"not JSON: {error}{hint}", code=code)


def _may_repeat_keys(data: bytes, value: object) -> bool:
    """Compare the colons that follow a quote with the keys read: a count of marks can only be too high."""
    import re  # noqa: PLC0415 - loaded already wherever attrs is

    return len(re.findall(rb'"[ \t\n\r]*:', data)) != _count_keys(value)


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
            key = next(key for key, _ in pairs if key in seen or seen.add(key))
            msg = f"the key {excerpt(key)} stands twice in one object"
            raise DecodeError(msg, code="duplicate-key")
        return fields

    return once


def _integer(digits: str) -> int:
    if len(digits) > 4300:  # noqa: PLR2004 - Python's own limit, asked before int() has done the work
        msg = f"an integer of {len(digits)} digits"
        raise DecodeError(msg, code="integer-range")
    return int(digits)


def _exact(data: bytes, duplicates: Duplicates, limits: Limits) -> Any:
    """Read a text that orjson has accepted again, with exact integers."""
    import json  # noqa: PLC0415 - the slow path

    value = json.loads(data, object_pairs_hook=_pairs(duplicates), parse_int=_integer)
    try:
        return plain_copy(value, limits.depth)
    except InvalidMessage as error:
        raise DecodeError(error.message, code=error.code, path=error.path) from None


def dump_json(value: Any) -> bytes:
    """Return compact UTF-8 JSON of a value made of JSON types; frozen containers and big integers are taken.

    Raises:
        EncodeError: where the value holds anything else (code "type", "number", "surrogate", "depth" ...).
    """
    import orjson  # noqa: PLC0415 - not every user of the model writes JSON

    try:
        return orjson.dumps(value)
    except TypeError:
        return _dump_exactly(value)


def _dump_exactly(value: Any) -> bytes:
    import orjson  # noqa: PLC0415 - see dump_json

    def big(item: Any) -> Any:
        if isinstance(item, dict):
            return {key: big(each) for key, each in cast("dict[str, Any]", item).items()}
        if isinstance(item, list):
            return [big(each) for each in cast("list[Any]", item)]
        if type(item) is int and not -_INT64 <= item < 2 * _INT64:
            return orjson.Fragment(str(item).encode())
        return item

    try:
        # 254 levels are orjson's own bound on writing.
        return orjson.dumps(big(plain_copy(value, 250)))
    except InvalidMessage as error:
        raise EncodeError(error.message, code=error.code, path=error.path) from None
    except TypeError as error:
        raise EncodeError(f"not JSON: {error}", code="type") from None


def parse_arguments(text: str) -> tuple[bool, Any, bool]:
    """Read the JSON text of a tool's arguments.

    Returns:
        ``(valid, value, exact)``: whether the text is JSON (the empty text counts as ``{}``); its value; and
        whether the value says all that the text says. It does not where a key stands twice, or where a number
        has more digits than a float holds.
    """
    if not text.strip():
        return True, {}, True
    try:
        value = parse_json(text)
    except DecodeError:
        return False, None, False
    data = text.encode()
    exact = not _may_repeat_keys(data, value) and not _rounds(text)
    if not exact:
        exact = not _repeats(data) and not _rounds(text)
    return True, value, exact


def _repeats(data: bytes) -> bool:
    try:
        _exact(data, "error", DEFAULT_LIMITS)
    except DecodeError:
        return True
    return False


def _rounds(text: str) -> bool:
    """Tell whether a number of the text, as written, is not the number that Python reads."""
    if "." not in text and "e" not in text and "E" not in text:
        return False
    import re  # noqa: PLC0415 - loaded already wherever attrs is

    for literal in re.finditer(r'"(?:[^"\\]|\\.)*"|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)', text, re.DOTALL):
        number = literal[1]
        if number and not number.lstrip("-").isdigit() and not _holds(number):
            return True
    return False


def _holds(number: str) -> bool:
    from decimal import Decimal  # noqa: PLC0415 - only for numbers with a fraction or exponent

    value = float(number)
    return math.isfinite(value) and Decimal(number) == Decimal(repr(value))
