"""Files that are one JSON array: their items are read one by one, in the memory of one."""

from __future__ import annotations

import gzip
import io
import json
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.cli.program import program
from agentmsg.files import plan as plan_module
from agentmsg.files.documents import Found, JsonReader, parts
from agentmsg.files.places import parts_of
from support.examples import ROOT
from support.files import documents
from support.growth import work_of

if TYPE_CHECKING:
    from collections.abc import Sequence


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)


def agentmsg(*args: str) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(program, args, prog_name="agentmsg")


OPENAI = {"model": "gpt-5", "messages": [{"role": "user", "content": 'Hi ]}, "[{ \\" \\\\'}]}
_VALUES = st.recursive(
    st.sampled_from([None, True, -1.5e9, 10**30]) | st.text('a"\\[]{},: \n\u00e9\U0001f600', max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('k"\\]', max_size=3), inner, max_size=3),
    max_leaves=8,
)


class _Slow(io.BytesIO):
    """Gives a few bytes at a time, so that each place is the end of a piece once."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(3, size) if size and size > 0 else -1)


@given(st.lists(_VALUES, max_size=5), st.sampled_from([None, 0, 2]), st.booleans(), st.booleans())
def test_items_are_those_of_the_array(items: list[Any], indent: int | None, ascii_only: bool, bom: bool) -> None:
    """However an array is written, and wherever its pieces end: each item's bytes are found, at their place."""
    data = json.dumps(items, indent=indent, ensure_ascii=ascii_only).encode()
    data = b"\xef\xbb\xbf" * bom + data + b" \n"
    for stream in (io.BytesIO(data), _Slow(data)):
        reader = JsonReader(stream, 1 << 20)
        assert reader.opens(b"[")
        found = list(reader.parts(((None,),)))
        assert [json.loads(raw or b"") for _, _, raw in found] == items
        assert all(data[offset : offset + length] == raw for offset, length, raw in found)
    for item in found:
        rest = io.BytesIO(data)
        rest.seek(item[0])
        assert next(JsonReader(rest, 1 << 20, item[0]).parts(((None,),))) == item


@pytest.mark.parametrize(
    ("data", "good", "bad"),
    [
        ('{"a": 1}', 0, '{"a": 1}'),
        ("", 0, ""),
        ("3", 0, "3"),
        ('[{"a": 1}', 1, ""),
        ('[{"a": 1},', 1, ""),
        ('[{"a": 1},]', 1, "]"),
        ("[,1]", 0, ",1]"),
        ('[{"a": 1} {"b": 2}]', 1, '{"b": 2}]'),
        ('[{"a": 1}, {"b": "x', 1, '{"b": "x'),
        ('[{"a": 1}] [2]', 1, "[2]"),
        ('[1, "cut\\', 1, '"cut\\'),
        ("[1}", 1, "}"),
    ],
)
def test_what_is_no_array_is_a_fault_from_there(data: str, good: int, bad: str) -> None:
    """Items before a fault of the array are read; from there on all is one fault, with its place and bytes."""
    found = list(documents(io.BytesIO(data.encode()), "array", am.Limits()))
    assert [each.fault is None for each in found] == [True] * good + [False]
    assert (found[-1].data or b"").decode().strip() == bad
    assert found[-1].fault is not None
    assert found[-1].fault.code in ("syntax", "schema")


def test_an_item_that_is_too_long_is_passed() -> None:
    """It isn't held, and the others are read; the fault says which limit it was, and how to raise it."""
    data = b'[{"a": 1}, {"b": "' + b'[\\"' * 100_000 + b'"}, {"c": 3}]'
    found = list(documents(io.BytesIO(data), "array", am.Limits(bytes=1000)))
    assert [each.data for each in found] == [b'{"a": 1}', None, b'{"c": 3}']
    assert (found[1].length, found[1].fault and found[1].fault.code) == (300_009, "bytes")
    assert "Limits(bytes=...) allows more, and so does --limit bytes=..." in str(found[1].fault)


def _rows(count: int) -> list[Any]:
    return [{**OPENAI, "messages": [{"role": "user", "content": f"{number} ]}},{{"}]} for number in range(count)]


_WAYS = st.lists(st.sampled_from(["/*", "/a", "/a/*", "/a/b", "/*/a", "/b/*/a", "/1", "/b/0/*", "/~2/*", "/a~1b/*"]))
_INNER = st.recursive(
    st.sampled_from([None, 1, "", "x", '{"a": [1, {"b": 2}]}', "[3]"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "*", "a/b"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(_INNER, _WAYS.filter(bool), st.sampled_from([None, 1]))
def test_parts_are_those_of_the_whole(value: Any, at: list[str], indent: int | None) -> None:
    """What is read part by part, wherever pieces end, is what the pointers find in the whole of it."""
    data, limits = json.dumps(value, indent=indent).encode(), am.Limits()
    whole = parts_of(Found(1, 0, len(data), data), tuple(at), "json", limits)
    expected = [(each.at, json.loads(each.data or b"")) for each in whole if not _is_text(each)]
    for stream in (io.BytesIO(data), *[_Slow(data)] * isinstance(value, (list, dict))):
        found = [each for part in parts(stream, limits, at) for each in parts_of(part, tuple(at), "json", limits)]
        assert [(each.at, json.loads(each.data or b"")) for each in found if not _is_text(each)] == expected


def _is_text(found: Found) -> bool:
    return found.data == b"x"


@pytest.mark.parametrize(
    ("data", "good", "code", "words"),
    [
        ('{"a": [1, 2', 2, "syntax", "array that is cut"),
        ('{"a": [1, 2], "b": ', 2, "syntax", "cut"),
        ('{"a": [1, 2], "b": ,"c": 1}', 2, "syntax", "cut or missing"),
        ('{"b": "cut, "a": [1]}', 0, "syntax", "cut"),
        ('{"a": [1, 2] "b": 1}', 2, "syntax", "misses a comma"),
        ('{"a" [1, 2]}', 0, "syntax", "misses a colon"),
        ('{1: 2, "a": [1]}', 0, "syntax", "a key that is no text"),
        ('{"a": [1], "\\u0061": [2]}', 1, "duplicate-key", "'a' occurs twice"),
        ('{"a": [1]}\n{"a": [2]}\n', 1, "syntax", "--form jsonl"),
        ('{"a": [1}', 1, "syntax", "array that is cut, or misses a comma"),
    ],
)
def test_what_is_no_object_is_a_fault_from_there(data: str, good: int, code: str, words: str) -> None:
    """Parts before a fault of what they are in are read; then there is one fault, which says what is wrong."""
    found = list(parts(io.BytesIO(data.encode()), am.Limits(), ["/a/*"]))
    assert [each.fault is None for each in found] == [True] * good + [False]
    assert found[-1].fault is not None
    assert (found[-1].fault.code, words in str(found[-1].fault)) == (code, True)


@pytest.mark.parametrize("name", ["a.json", "a.json.gz"])
@pytest.mark.parametrize(
    ("lead", "end", "how"),
    [
        ("", "", ["--split"]),
        ("", "", ["--at", "/*"]),
        ('\ufeff{"meta": {"n": [1, "]}"]}, "data": ', ', "end": null}', ["--at", "/data/*"]),
        ('[{"rows":', '}, {"rows": []}]', ["--at", "/*/rows/*"]),
        ('{"a": {"b": [0, ', "]}}", ["--at", "/a/b/1/*"]),
    ],
)
def test_all_commands_read_items(name: str, lead: str, end: str, how: list[str]) -> None:
    """detect, stats, check, show and convert read the items of an array, wherever it is; restore gives them back."""
    data = (lead + json.dumps(_rows(30)) + end).encode()
    Path(name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    assert agentmsg("detect", name, *how).stdout.startswith(f"{name}:  openai")
    assert json.loads(agentmsg("stats", name, *how, "--json").stdout)["histories"] == 30
    assert json.loads(agentmsg("check", name, *how, "--for", "openai", "--json").stdout)["documents"] == 30
    assert "29 ]},{" in agentmsg("show", name, *how, "--index", "29").stdout
    written = ("-t", "json", "-o", "b.json", "--array", "--losses", "l.jsonl")
    assert agentmsg("convert", name, *how, *written).exit_code == 0
    assert agentmsg("restore", "b.json", "l.jsonl", "--split", "--array", "-o", "c.json").exit_code == 0
    assert json.loads(Path("c.json").read_bytes()) == _rows(30)
    Path("b.json").write_text(f'{{"rows": {Path("b.json").read_text()}}}')
    assert agentmsg("restore", "b.json", "l.jsonl", "--at", "/rows/*", "--array", "-o", "d.json").exit_code == 0
    assert Path("d.json").read_bytes() == Path("c.json").read_bytes()


def test_one_bad_item_is_one_bad_document() -> None:
    """An item that isn't JSON, or that no format knows, is quarantined alone, byte for byte, at its place."""
    good = json.dumps(OPENAI)
    Path("a.json").write_text(f'[{good}, {{"a" 1}}, {{"x": NaN}}, {good}]')
    for how, at in ((["--split"], [None, None]), (["--at", "/*"], ["/1", "/2"])):
        done = agentmsg("convert", "a.json", *how, "-f", "openai", "-t", "json", "-o", "b.jsonl", "--force")
        rows = [json.loads(line) for line in Path("b.jsonl.bad.jsonl").read_bytes().splitlines()]
        assert (done.exit_code, [row.get("text") for row in rows], [row.get("at") for row in rows]) == (
            3,
            ['{"a" 1}', '{"x": NaN}'],
            at,
        )
        assert [json.loads(line) for line in Path("b.jsonl").read_bytes().splitlines()]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_array_is_cut_between_items(jobs: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large array is worked on in pieces, with the same output; the quarantine and findings count through."""
    rows: list[Any] = _rows(40)
    rows[35] = {"odd": 1}
    Path("a.json").write_text(json.dumps(rows, indent=1))
    Path("a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    done = agentmsg("convert", "a.jsonl", "-f", "openai", "-t", "json", "-o", "whole.jsonl")
    monkeypatch.setattr(plan_module, "PIECE", 1000)
    done = agentmsg("convert", "a.json", "--split", "-f", "openai", "-t", "json", "-o", "b.jsonl", "--jobs", jobs)
    assert done.exit_code == 3
    assert Path("b.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()
    (bad,) = map(json.loads, Path("b.jsonl.bad.jsonl").read_bytes().splitlines())
    assert bad["line"] == 36
    assert Path("a.json").read_bytes()[bad["offset"] :][: bad["length"]] == bad["text"].encode()
    done = agentmsg("stats", "a.json", "--split", "--json", "--jobs", jobs)
    assert ("a.json, item 36" in done.stderr, json.loads(done.stdout)["histories"]) == (True, 39)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["detect", "a.json"], "--at '/*' reads what is there one by one (so does --split)"),
        (["convert", "b.json", "-t", "json", "-f", "openai"], "--at '/data/*' reads what is there one by one"),
        (["check", "b.json", "--for", "openai"], "--at '/data/*' reads what is there one by one"),
        (["show", "b.json"], "--at '/data/*' reads what is there one by one"),
        (["stats", "c.json"], "--at '/splits/*/rows/*' reads what is there one by one"),
        (["stats", "d.json"], "--at '/train/*' --at '/test/*' reads what is there one by one"),
        (["stats", "c.json", "--at", "/splits/*/rows/*", "--limit", "bytes=60"], "a value of more than 60 bytes"),
        (["stats", "c.json", "--at", "/splits/*/rows/*", "--limit", "bytes=200"], "6 conversations"),
        (
            ["check", "c.json", "--for", "openai", "--at", "/splits/*/rows/*", "--jobs", "2", "--limit", "bytes=200"],
            "--jobs",
        ),
        (["detect", "a.json", "--limit", "bytes=1M"], ""),
        (["stats", "a.json", "--split", "--limit", "depth=1"], "--limit depth=..."),
        (["detect", "a.json", "--limit", "size=1"], "--limit takes bytes, depth"),
        (["detect", "a.json", "--limit", "bytes=0"], "at least 1"),
    ],
)
def test_a_limit_says_which_it_is(arguments: Sequence[str], words: str) -> None:
    """What is beyond a limit names the limit and the option that raises it; of an array, also what reads its items."""
    Path("a.json").write_text(json.dumps(_rows(2)))
    Path("b.json").write_text(json.dumps({"meta": {}, "data": _rows(2)}))
    Path("c.json").write_text(json.dumps({"splits": {name: {"rows": _rows(2)} for name in ("train", "dev", "test")}}))
    Path("d.json").write_text(json.dumps({"train": _rows(2), "filler": "x" * (1 << 20), "test": _rows(2)}))
    more = [] if "--limit" in arguments else ["--limit", "bytes=100"]
    done = agentmsg(*arguments, *more)
    assert words in done.output
    assert "more than 100 bytes" not in done.stderr or "--limit bytes=..." in done.stderr


@pytest.mark.parametrize("member", [_rows(1)[0], _rows(1)], ids=["objects", "arrays"])
def test_what_stands_in_a_large_object_is_told_in_the_time_of_reading_it(member: Any) -> None:
    """However many members it has: only the first arrays in it are looked into."""
    work = []
    for number, count in enumerate((40, 80)):
        Path(f"{number}.json").write_text(json.dumps({f"k{index}": member for index in range(count)}))
        took, done = work_of(partial(agentmsg, "stats", f"{number}.json", "--limit", "bytes=100"))
        assert "more than 100 bytes" in done.stderr
        work.append(took)
    assert work[1] < 2.5 * work[0]


def test_python_reads_items_on_demand() -> None:
    """``load_lines`` takes items one by one, whatever follows them."""
    Path("a.json").write_text(json.dumps(_rows(3))[:-1] + ", broken")
    found = am.load_lines("a.json", "openai", at="/*")
    assert [next(found)[0].text for _ in range(3)] == ["0 ]},{", "1 ]},{", "2 ]},{"]
    with pytest.raises(am.DecodeError, match="at /3"):
        next(found)


_PEAK = """
import sys
from agentmsg.cli import main
sys.argv = ["agentmsg", *sys.argv[1:]]
try:
    main()
finally:
    # The usage that ``resource`` tells counts the process that started this one.
    lines = open("/proc/self/status").read().splitlines()
    print(next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM")), file=sys.stderr)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of memory is Linux's to tell")
@pytest.mark.parametrize(
    "arguments",
    [
        ["stats", "--split"],
        ["detect", "--at", "/*"],
        ["convert", "--split", "-t", "json", "-o", "b.jsonl"],
        ["stats", "--at", "/data/*"],
        ["detect", "--at", "/data/*"],
        ["show", "--at", "/data/*", "--index", "1999"],
    ],
    ids=lambda arguments: f"{arguments[0]}-{arguments[-1]}",
)
def test_the_memory_is_that_of_one_item(arguments: list[str]) -> None:
    """A large array takes no more memory than a small one; here of 200 MB, at most 150."""
    row = json.dumps({"messages": [{"role": "user", "content": "some words " * 10_000}]})
    array = "[" + ",\n".join([row] * 2000) + "]"
    Path("a.json").write_text(f'{{"rest": {array}, "data": {array}}}' if "/data/*" in arguments else array)
    assert peak(*arguments, "a.json") <= 150


def peak(*arguments: str) -> int:
    """Run the command line, and return the most memory that it had, in MB."""
    command = [sys.executable, "-c", _PEAK, *arguments]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stderr.splitlines()[-1])


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of memory is Linux's to tell")
def test_the_guide_says_how_much_memory_a_run_takes() -> None:
    """The figure is that of a conversion of lines, with its loss report, and with the format detected."""
    guide = (ROOT / "agentmsg/guides/command-line.md").read_text(encoding="utf-8")
    stated, less = map(int, re.findall(r"A process needs about (\d+) MB of memory.*?(\d+) MB less", guide)[0])
    Path("a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in _rows(10_000)))
    convert = ("convert", "a.jsonl", "-t", "anthropic", "-o", "b.jsonl", "--losses", "l.jsonl", "--force")
    for more, expected in ((), stated), (("-f", "openai"), stated - less):
        assert 0.8 * expected <= peak(*convert, *more) <= 1.1 * expected
