"""Hostile JSON: every byte string gives a value or one DecodeError, in linear time, and leaks nothing."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmsg import AgentMsgError, DecodeError, ToolUseBlock
from agentmsg.errors import CODES
from agentmsg.values.text import parse_arguments, parse_json
from data import SHARED, effort, shared_dir
from support.timing import seconds_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SUITE = SHARED / "hostile" / "JSONTestSuite"
COUNTS = {"y_": 95, "n_": 188, "i_": 35}
# The two files with a duplicate key that every parser must accept.
TWICE = {"y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"}
# Cases that the suite leaves open: the value, or the code; "surrogate" for all others of the 35.
OPEN: dict[str, Any] = {
    "i_number_double_huge_neg_exp.json": [0.0],
    "i_number_huge_exp.json": "number",
    "i_number_neg_int_huge_exp.json": "number",
    "i_number_pos_double_huge_exp.json": "number",
    "i_number_real_neg_overflow.json": "number",
    "i_number_real_pos_overflow.json": "number",
    "i_number_real_underflow.json": [0.0],
    "i_number_too_big_neg_int.json": [-123123123123123123123123123123],
    "i_number_too_big_pos_int.json": [100000000000000000000],
    "i_number_very_big_negative_int.json": [-237462374673276894279832749832423479823246327846],
    "i_string_UTF-16LE_with_BOM.json": "syntax",
    "i_string_UTF-8_invalid_sequence.json": "syntax",
    "i_string_UTF8_surrogate_U+D800.json": "syntax",
    "i_string_invalid_utf-8.json": "syntax",
    "i_string_iso_latin_1.json": "syntax",
    "i_string_lone_utf8_continuation_byte.json": "syntax",
    "i_string_not_in_unicode_range.json": "syntax",
    "i_string_overlong_sequence_2_bytes.json": "syntax",
    "i_string_overlong_sequence_6_bytes.json": "syntax",
    "i_string_overlong_sequence_6_bytes_null.json": "syntax",
    "i_string_truncated-utf-8.json": "syntax",
    "i_string_utf16BE_no_BOM.json": "syntax",
    "i_string_utf16LE_no_BOM.json": "syntax",
    "i_structure_500_nested_arrays.json": "depth",
    "i_structure_UTF-8_BOM_empty_object.json": "syntax",
}
TRANSFORM: dict[str, Any] = {
    "number_-9223372036854775808.json": [-(2**63)],
    "number_-9223372036854775809.json": [-(2**63) - 1],
    "number_1.0.json": [1.0],
    "number_1.000000000000000005.json": [1.0],
    "number_1000000000000000.json": [10**15],
    "number_10000000000000000999.json": [10000000000000000999],
    "number_1e-999.json": [0.0],
    "number_1e6.json": [1e6],
    "number_9223372036854775807.json": [2**63 - 1],
    "number_9223372036854775808.json": [2**63],
    "object_key_nfc_nfd.json": {"\u00e9": "NFC", "e\u0301": "NFD"},
    "object_key_nfd_nfc.json": {"e\u0301": "NFD", "\u00e9": "NFC"},
    "object_same_key_different_values.json": "duplicate-key",
    "object_same_key_same_value.json": "duplicate-key",
    "object_same_key_unclear_values.json": "duplicate-key",
    "string_1_escaped_invalid_codepoint.json": "surrogate",
    "string_1_invalid_codepoint.json": "syntax",
    "string_2_escaped_invalid_codepoints.json": "surrogate",
    "string_2_invalid_codepoints.json": "syntax",
    "string_3_escaped_invalid_codepoints.json": "surrogate",
    "string_3_invalid_codepoints.json": "syntax",
    "string_with_escaped_NULL.json": ["A\0B"],
}


@cache
def _cases(folder: str, prefix: str = "") -> dict[str, bytes]:
    shared_dir()
    found: dict[str, Path] = {path.name: path for path in (SUITE / folder).glob(prefix + "*.json")}
    return {name: found[name].read_bytes() for name in sorted(found)}


def _forms(raw: bytes) -> list[Any]:
    """Return the four types in which a caller may hold a text; bytes that aren't UTF-8 have no str form."""
    forms: list[Any] = [raw, bytearray(raw), memoryview(raw)]
    try:
        forms.append(raw.decode())
    except UnicodeDecodeError:
        pass
    return forms


def _outcome(raw: Any, **options: Any) -> Any:
    """Return the value of a text, or the code of its error after checking the error's form."""
    try:
        return parse_json(raw, **options)
    except DecodeError as error:
        caught = error
    assert caught.code in CODES
    assert str(caught).isprintable()
    assert len(str(caught)) < 250
    return caught.code


def _is_read(text: str) -> bool:
    try:
        parse_json(text)
    except DecodeError:
        return False
    return True


@pytest.mark.parametrize("prefix", list(COUNTS))
def test_the_suite_is_whole(prefix: str) -> None:
    """No file of JSONTestSuite is missing."""
    assert len(_cases("test_parsing", prefix)) == COUNTS[prefix]
    assert len(_cases("test_transform")) == len(TRANSFORM)


def test_what_every_parser_accepts() -> None:
    """All 95 y_ files are read, in all four forms, as exactly the value that json reads."""
    for name, raw in _cases("test_parsing", "y_").items():
        exact = json.loads(raw, parse_float=Decimal)
        for form in _forms(raw):
            value = _outcome(form)
            assert value == json.loads(raw), name
            assert repr(value) == repr(json.loads(raw)) or "-0" in repr(exact), name


def test_the_policy_refuses_two_of_them() -> None:
    """With duplicates refused, exactly the two y_ files with a duplicate key are refused."""
    cases = _cases("test_parsing", "y_")
    assert {name for name in cases if _outcome(cases[name], duplicates="error") == "duplicate-key"} == TWICE


def test_what_every_parser_rejects() -> None:
    """All 188 n_ files are refused in all four forms, as syntax unless a nearer reason comes first."""
    nearer = {
        "n_string_1_surrogate_then_escape.json": "surrogate",
        "n_string_incomplete_surrogate_escape_invalid.json": "surrogate",
        "n_structure_100000_opening_arrays.json": "depth",
        "n_structure_open_array_object.json": "depth",
    }
    for name, raw in _cases("test_parsing", "n_").items():
        for form in _forms(raw):
            assert _outcome(form) == nearer.get(name, "syntax"), name


def test_what_parsers_may_decide() -> None:
    """Each of the 35 i_ files has one pinned outcome, in every form."""
    for name, raw in _cases("test_parsing", "i_").items():
        for form in _forms(raw):
            outcome = _outcome(form)
            assert outcome == OPEN.get(name, "surrogate"), name
            assert type(outcome) is type(OPEN.get(name, "surrogate")), name


def test_what_parsers_transform() -> None:
    """Each of the 22 transform files keeps its value or is refused; two normal forms of é are two keys."""
    for name, raw in _cases("test_transform").items():
        for form in _forms(raw):
            assert repr(_outcome(form, duplicates="error")) == repr(TRANSFORM[name]), name


def test_the_suite_as_arguments() -> None:
    """As the arguments of a call, every UTF-8 file is valid JSON or kept byte for byte."""
    for folder in ("test_parsing", "test_transform"):
        for name, raw in _cases(folder).items():
            text = _forms(raw)[-1]
            if isinstance(text, str):
                call = ToolUseBlock("1", "f", raw_input=text)
                assert call.raw_input == text, name
                assert call.is_valid == (not text.strip() or _is_read(text)), name
                assert call.significant_text in {None, text}


@pytest.mark.parametrize(
    "raw",
    [b"", b" ", b"null null", b"[1,]", b"[][]", b"{} x", b"\x00", b"\xff\xfe{\x00}\x00", b"{}\x00", b"'a'"],
)
def test_what_is_no_document(raw: bytes) -> None:
    """Nothing, two documents, trailing commas and other encodings are syntax errors."""
    assert _outcome(raw) == "syntax"


@given(st.binary(max_size=60) | st.text(max_size=60) | st.text('[]{}",:0123456789eE.-\\u ntf', max_size=60))
def test_any_input_gives_a_value_or_a_decode_error(raw: Any) -> None:
    """Any bytes and any text: a value, or one DecodeError with a known code."""
    _outcome(raw)
    _outcome(raw, duplicates="error")
    if isinstance(raw, str):
        valid, _, exact = parse_arguments(raw)
        assert valid or not exact


def test_every_prefix_of_a_document_is_refused() -> None:
    """A document cut anywhere is a syntax error, never a shorter document."""
    raw = json.dumps({"a": [1, {"b": "c\n\u20ac"}], "d": None}).encode()
    assert all(_outcome(raw[:end]) == "syntax" for end in range(len(raw)))


@pytest.mark.parametrize("text", ["\0", "\u2028\u2029", "\uffff", "\U0001f600", "\u202eabc", "e" + "\u0301" * 10_000])
def test_odd_characters_are_kept(text: str) -> None:
    """NUL, line separators, noncharacters, emoji, bidi controls and long combining runs are kept exactly."""
    assert parse_json(json.dumps({text: text})) == {text: text}
    assert parse_json(json.dumps({text: text}, ensure_ascii=False)) == {text: text}


@pytest.mark.parametrize("key", ["__proto__", "__class__", "constructor", "$ref", "", "k" * 1_000_000])
def test_odd_keys_are_data(key: str) -> None:
    """No key has a meaning for the parser."""
    assert parse_json(json.dumps({key: 1}), duplicates="error") == {key: 1}


BOMB = """
from agentmsg.errors import DecodeError
from agentmsg.values.text import parse_arguments, parse_json

def attempt(text):
    try:
        parse_json(text, duplicates="error")
    except DecodeError as error:
        return error.code
    return "read"

def deep(stack, text):
    return deep(stack - 1, text) if stack else attempt(text)

for levels in (127, 128, 129, 254, 255, 1024, 1025, 100_000, 500_000):
    wanted = "read" if levels <= 128 else "depth"
    mixed = '[{"a":' * (levels // 2)
    closed = "}]" * (levels // 2)
    for text in (
        "[" * levels + "0" + "]" * levels,
        '{"a":' * levels + "0" + "}" * levels,
        "[" * (levels % 2) + mixed + "0" + closed + "]" * (levels % 2),
    ):
        for stack in (0, 900):
            assert deep(stack, text) == wanted, (levels, text[:9], stack, deep(stack, text))
    # What the standard library reads again needs a stack: where there is none, the error is a typed one.
    text = "[12345678901234567890," * levels + "0" + "]" * levels
    assert deep(0, text) == wanted, (levels, deep(0, text))
    assert deep(900, text) in {wanted, "depth"}, (levels, deep(900, text))
    for opener in ("[", '{"a":', '[{"a":'):
        assert deep(900, opener * levels) in {"syntax", "depth"}
    assert parse_arguments("[" * levels + "]" * levels)[0] == (levels <= 128)
print("alive")
"""


def test_depth_bombs_do_not_kill() -> None:
    """Up to 500,000 levels, from any stack: read up to 128, refused above, never a crash."""
    path = "import sys; sys.path[:] = " + repr(sys.path)
    done = subprocess.run([sys.executable, "-c", path + BOMB], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "alive"


# Texts that cost a careless scan quadratic time; each takes the number of repetitions.
COSTLY: dict[str, Callable[[int], str]] = {
    "backslashes": lambda n: '["' + "\\\\" * n + '"]',
    "brackets in a text": lambda n: '["' + "[{" * n + '"]',
    "digits in a text": lambda n: '["' + "1" * n + '"]',
    "digits of a fraction": lambda n: "[0." + "1" * n + "]",
    "empty arrays": lambda n: "[" + "[]," * n + "0]",
    "escaped quotes": lambda n: '["' + '\\"' * n + '"]',
    "key twice at the end": lambda n: "{" + "".join(f'"{i}":1,' for i in range(n // 4)) + '"a":1,"a":1}',
    "keys in a text": lambda n: '["' + '\\":' * n + '"]',
    "many keys": lambda n: "{" + "".join(f'"{i}":1,' for i in range(n // 4)) + '"a":1}',
    "open text after brackets": lambda n: "[" + "[]," * 200 + '"' + '\\"' * n,
    "quotes and spaces": lambda n: '["' + '\\" ' * n + '"]',
    "too many digits": lambda n: "1" * n,
}


def _seconds(text: str) -> float:
    def work() -> None:
        for duplicates in ("last", "error"):
            _outcome(text, duplicates=duplicates)
        parse_arguments(text)

    return seconds_of(work, rounds=5)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(COSTLY))
def test_the_time_grows_with_the_length(name: str) -> None:
    """Double length takes at most 2.3 times the time, measured over two doublings; 300 kB take less than 3 s."""
    text = COSTLY[name]
    ratios: list[float] = []
    # Both sizes fit into a small part of the processor's cache, which others use too: so the work grows, not the
    # distance to memory.
    for _ in range(12):  # again if disturbed: a square cost gives 16 each time
        ratios.append(_seconds(text(16_000)) / _seconds(text(4_000)))
        if ratios[-1] <= 2.3**2:
            break
    else:
        # Below a few milliseconds caches and clocks decide; the absolute bound counts.
        assert _seconds(text(200_000)) < 0.02, ratios
    assert _seconds(text(300_000)) < 3


LEAKY: dict[str, Any] = {
    "bytes that are no json": b'{"a": [1, {"b": "c"}, NaN]}',
    "big integers": b"[" + b"123456789012345678901234567890," * 20 + b"0]",
    "depth": b"[" * 200 + b"]" * 200,
    "duplicate keys": b'{"a": [1, 2, {"b": 1, "b": 2}]}',
    "surrogates": b'{"a": "\\ud800"}',
    "too many digits": b"[" + b"1" * 4400 + b"]",
}


@pytest.mark.parametrize("name", list(LEAKY))
def test_errors_leak_nothing(name: str) -> None:
    """10,000 repetitions of each path, most of them errors, let the process grow by at most 4 MiB."""

    def repeat(times: int) -> None:
        for _ in range(times):
            try:
                parse_json(LEAKY[name], duplicates="error")
            except AgentMsgError:
                pass

    repeat(1_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    repeat(effort(10_000))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before <= 4 * 1024
