"""JSON text to values and back: integers are exact, duplicate keys follow a policy, nothing is silent."""

from __future__ import annotations

import datetime as dt
import enum
import json
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmsg import DecodeError, EncodeError, InvalidMessage, Limits, Made, same
from agentmsg.values.copies import copy_document
from agentmsg.values.frozen import adopt, freeze, plain_copy
from agentmsg.values.objects import opener
from agentmsg.values.text import dump_json, parse_arguments, parse_json
from agentmsg.values.types import class_of, is_list, is_mapping

if TYPE_CHECKING:
    from agentmsg.values.text import Duplicates

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
# Digit runs of all lengths around the bounds of 64 bits and of the largest float.
DIGITS = st.integers(1, 400).flatmap(lambda n: st.text("0123456789", min_size=n, max_size=n))
INTEGERS = st.integers() | DIGITS.map(int) | DIGITS.map(lambda digits: -int(digits))
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | INTEGERS | FLOATS | TEXTS | st.just('"1": 12345678901234567890 [{\\'),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def _code(raw: Any, limits: Limits | None = None, duplicates: Duplicates = "last") -> str:
    with pytest.raises(DecodeError) as caught:
        parse_json(raw, limits or Limits(), duplicates)
    return caught.value.code


@given(VALUES)
def test_values_come_back_from_text(value: Any) -> None:
    """The output of json and dump_json is read exactly, with either policy for duplicate keys."""
    for raw in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1), dump_json(value)):
        assert same(parse_json(raw), value)
        assert same(parse_json(raw, duplicates="error"), value)


@given(VALUES)
def test_dumping_takes_frozen_values(value: Any) -> None:
    """Plain, frozen and lazily frozen values give the same compact bytes, which json reads."""
    raw = dump_json(value)
    assert raw == dump_json(freeze(value)) == dump_json(adopt(json.loads(raw)))
    assert same(json.loads(raw), value)


@pytest.mark.parametrize("digits", [18, 19, 20, 308, 309, 310, 400, 4299, 4300])
def test_integers_of_any_size_are_exact(digits: int) -> None:
    """An integer of up to 4,300 digits is read and written exactly, in any place."""
    for number in (10**digits - 1, 10 ** (digits - 1), 1 - 10**digits):
        text = f'{{"a":[{number},1.5],"{number}":"\\u0031{number}"}}'
        value = parse_json(text)
        assert value == {"a": [number, 1.5], str(number): f"1{number}"}
        assert type(value["a"][0]) is int
        assert dump_json({"a": number}) == f'{{"a":{number}}}'.encode()


@pytest.mark.parametrize("digits", [4301, 1_000_000])
def test_longer_integers_are_a_typed_error(digits: int) -> None:
    """More digits than Python converts are refused by their number, before any computation."""
    assert _code("1" * digits) == "integer-range"
    assert _code('{"a": [-' + "9" * digits + "]}") == "integer-range"


@pytest.mark.parametrize("text", ["1e999", "-1e999", "[1e400]", "1" * 400 + ".5", "1" * 400 + "e1"])
def test_numbers_beyond_floats_are_a_typed_error(text: str) -> None:
    """A number that would become infinite is refused."""
    assert _code(text) == "number"


@pytest.mark.parametrize(
    "text", ["NaN", "[Infinity]", '{"a": -Infinity}', "1" * 400 + "}", "[" + "1" * 400, "01" * 200]
)
def test_what_is_no_json_is_a_syntax_error(text: str) -> None:
    """Literals outside JSON, and errors after a very long integer, are syntax errors."""
    assert _code(text) == "syntax"


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1,"a":2}',
        '{"b":[{"a":1,"\\u0061":2}]}',
        '{"a" \n:1, "a"\t: 1}',
        '{"x": 12345678901234567890123, "a": 0, "a": 0}',
        '{"":1,"":1}',
        # Letters as escapes, so that the text never equals the written value; a quote or a colon too.
        '{"a":"\\u00e9","a":2}',
        '{"a":"\\u00e9","a":2,"x":"\\u0022:"}',
        '{"a":"\\u00e9","a":2,"x":"\\"\\u003a"}',
        '{"a":"\\u00e9","a":2,"x":"\\"\\u003A"}',
        '{"a" :"\\u00e9","a" :2,"x":"\\":"}',
    ],
)
def test_duplicate_keys_follow_the_policy(text: str) -> None:
    """A duplicate key, at any depth and in any spelling, is refused, or the last one counts."""
    assert _code(text, duplicates="error") == "duplicate-key"
    assert parse_json(text, duplicates="last") == json.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"a":"\\":","b":1}',
        '{"a": "\\"a\\":1, \\"a\\": 2"}',
        '["\\":\\":"]',
        '{"a": "\\u00e9\\":", "b": "\\u0022:"}',
        '{"a": ":\\u00e9\\u0022\\u003a", "b" : "\\\\"}',
    ],
)
def test_colons_inside_of_texts_are_no_keys(text: str) -> None:
    """A lookalike of a key inside a text makes the scan check again, not refuse."""
    assert parse_json(text, duplicates="error") == json.loads(text)


@pytest.mark.parametrize("duplicates", ["last", "error"])
def test_long_digits_alone_are_no_reason_to_read_twice(duplicates: Duplicates, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text with long digit runs that round-trips, apart from spaces, isn't read by the slow path."""

    def slow(*_: object) -> object:
        raise AssertionError

    monkeypatch.setattr("agentmsg.values.text._exact", slow)
    text = '{"id": "12345678901234567890123", "n": [1234567890123456789, 2]}'
    assert parse_json(text, duplicates=duplicates) == json.loads(text)


def test_limits_are_the_callers() -> None:
    """Size and depth are bounded; a caller can raise the bounds up to the parser's own."""
    assert _code(b"[1,2,3]", Limits(bytes=6)) == "bytes"
    assert parse_json(b"[1,2,3]", Limits(bytes=7)) == [1, 2, 3]
    assert _code("[" * 129 + "]" * 129) == "depth"
    assert parse_json("[" * 128 + "]" * 128) is not None
    assert parse_json("[" * 1000 + "]" * 1000, Limits(depth=1000)) is not None
    assert _code("[" * 2000 + "]" * 2000, Limits(depth=5000)) == "depth"


def test_brackets_inside_of_texts_are_no_depth() -> None:
    """Only arrays and objects count, however many brackets the texts hold."""
    text = json.dumps({"a": "[" * 1000 + '"{\\' * 1000, "b": [[] for _ in range(1000)]})
    assert parse_json(text) == json.loads(text)


def test_depth_counts_both_kinds() -> None:
    """A level is an array or an object; the limit holds for mixtures, and at the end of a wide document."""
    assert _code('{"a":[' * 65 + "]}" * 65) == "depth"
    assert _code("[" + "[]," * 200 + "[" * 128 + "]" * 128 + "]") == "depth"
    assert parse_json("[" + "[]," * 200 + "[" * 127 + "]" * 127 + "]")


def test_an_error_says_what_is_odd() -> None:
    """A byte order mark, compressed data, another encoding and JSON Lines are named; other types are refused."""
    with pytest.raises(DecodeError, match="byte order mark"):
        parse_json(b"\xef\xbb\xbf{}")
    with pytest.raises(DecodeError, match="compressed"):
        parse_json(b"\x1f\x8b\x08\x00")
    with pytest.raises(DecodeError, match="it isn't UTF-8; it looks like UTF-16"):
        parse_json('{"a":1}'.encode("utf-16"))
    with pytest.raises(DecodeError, match="it isn't UTF-8"):
        parse_json('{"a":"é"}'.encode("latin-1"))
    with pytest.raises(DecodeError, match=r"line 2 column 1 .*; one document per line is JSON Lines"):
        parse_json("{}\n{}")
    assert _code(5) == "type"
    assert _code({"a": 1}) == "type"
    assert _code("\ud800") == "surrogate"


@dataclass
class _Point:
    x: int


NO_JSON: dict[str, tuple[Any, str]] = {
    "bytes": ({"a": b"x"}, "type"),
    "dataclass": ([_Point(1)], "type"),
    "date": ([dt.date(2026, 1, 1)], "type"),
    "deep": (json.loads("[" * 300 + "]" * 300), "depth"),
    "key": ({1: 2}, "key"),
    "set": ({"a": {1}}, "type"),
    "surrogate": (["\ud800"], "surrogate"),
    "time": ({"at": dt.datetime(2026, 1, 1, tzinfo=dt.UTC)}, "type"),
    "too many digits": ([10**5000], "integer-range"),
}


@pytest.mark.parametrize("name", list(NO_JSON))
def test_what_is_no_json_is_not_written(name: str) -> None:
    """Function dump_json refuses everything but JSON types with a typed error."""
    value, code = NO_JSON[name]
    with pytest.raises(EncodeError) as caught:
        dump_json(value)
    assert caught.value.code == code


def test_derived_texts_are_written() -> None:
    """A made id is written as its text, as a value and as a key."""
    made = Made(uuid.UUID(int=5))
    assert dump_json({made: made}) == f'{{"{made}":"{made}"}}'.encode()


ARGUMENTS: dict[str, tuple[bool, Any, bool]] = {
    "": (True, {}, True),
    " \n": (True, {}, True),
    "{}": (True, {}, True),
    "\u00a0": (False, None, False),
    '{"a": 1': (False, None, False),
    '{"a": NaN}': (False, None, False),
    '{"a": "\\ud800"}': (False, None, False),
    "null": (True, None, True),
    "[1]": (True, [1], True),
    '{"a": 1.10}': (True, {"a": 1.1}, True),
    '{"a": 1E2}': (True, {"a": 100.0}, True),
    '{"a": -0.0}': (True, {"a": -0.0}, True),
    '{"a": 1e400}': (False, None, False),
    '{"a": 1e-400}': (True, {"a": 0.0}, False),
    '{"a": 1e-99999999999999999999}': (True, {"a": 0.0}, False),
    '{"a": 0.1000000000000000055511151231257827}': (True, {"a": 0.1}, False),
    '{"a": 1.000000000000000005}': (True, {"a": 1.0}, False),
    '{"a": "1.000000000000000005"}': (True, {"a": "1.000000000000000005"}, True),
    '{"a": 12345678901234567890}': (True, {"a": 12345678901234567890}, True),
    '{"a": ' + "9" * 400 + "}": (True, {"a": 10**400 - 1}, True),
    '{"a": 1, "a": 1}': (True, {"a": 1}, False),
    '{"a": 1, "a": 2}': (True, {"a": 2}, False),
    '{"a": "\\": 1.5", "b": 1}': (True, {"a": '": 1.5', "b": 1}, True),
}


@pytest.mark.parametrize("text", list(ARGUMENTS))
def test_arguments_are_read_with_their_exactness(text: str) -> None:
    """Arguments are valid or not, and a text that says more than its value is recognised."""
    valid, value, exact = ARGUMENTS[text]
    found = parse_arguments(text)
    assert (found[0], found[2]) == (valid, exact)
    assert same(found[1], value)


@given(VALUES)
def test_arguments_that_python_wrote_say_all(value: Any) -> None:
    """The text that json writes for a value says no more than the value."""
    valid, found, exact = parse_arguments(json.dumps(value))
    assert valid
    assert exact
    assert same(found, value)


class _Word(enum.StrEnum):
    ONE = "one"


class _Number(enum.IntEnum):
    ONE = 1


class _Plain(enum.Enum):
    ONE = "one"


@dataclass
class _Record:
    a: int = 1


def _careful_copy(value: Any, depth: int) -> Any:
    return plain_copy(value, depth, opened=opener())


def _outcome(copy: Any, value: Any) -> Any:
    """Return the copy with the types of everything in it, or the code and path of the refusal."""
    try:
        found = copy(value, 254)
    except InvalidMessage as error:
        return error.code, error.path
    return repr(found), _types(found)


def _types(value: Any) -> Any:
    if is_mapping(value):
        return type(value), [(type(key), _types(item)) for key, item in value.items()]
    if is_list(value):
        return list, list(map(_types, value))
    return class_of(value)


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_documents_are_copied_quickly_as_slowly(document: Any) -> None:
    """The quick copy of a document equals the careful one, down to types and the order of keys, and shares nothing."""
    assert _outcome(copy_document, document) == _outcome(_careful_copy, document)
    assert copy_document(document, 254) is not document


@pytest.mark.parametrize(
    "odd",
    [
        *(float("nan"), float("inf"), -0.0, 2**64, -(2**63) - 1, 10**400, True, 1, 1.0, 1e16, "\ud800", b"x", {1, 2}),
        *(
            (1, [2]),
            {1: 2},
            {None: 1},
            {True: 1},
            {"\ud800": 1},
            Made("m"),
            _Word.ONE,
            _Number.ONE,
            _Plain.ONE,
            _Record(),
        ),
        *({_Word.ONE: 1}, {Made("k"): 1}, dt.datetime(2026, 1, 1), dt.date(2026, 1, 1), dt.time(1), uuid.UUID(int=5)),
        *(freeze({"a": [1]}), adopt({"b": [1]}), object()),
    ],
    ids=lambda odd: repr(odd)[:30].split(" at 0x")[0],
)
def test_odd_values_are_copied_quickly_as_slowly(odd: Any) -> None:
    """The quick copy refuses values outside plain JSON, or makes them plain, like the careful one, without coercion."""
    for document in ({"a": odd}, [odd, {"b": [odd]}]):
        assert _outcome(copy_document, document) == _outcome(_careful_copy, document)


def test_depth_and_cycles_are_copied_quickly_as_slowly() -> None:
    """A cycle, and nesting around the limits of orjson, have the same outcome in both copies."""
    cycle: list[Any] = []
    cycle.append(cycle)
    assert _outcome(copy_document, cycle) == _outcome(plain_copy, cycle)
    for depth in (250, 253, 254, 255, 256, 2000):
        deep: Any = []
        for _ in range(depth - 1):
            deep = [deep]
        assert _outcome(copy_document, deep)[0] == _outcome(plain_copy, deep)[0], depth
