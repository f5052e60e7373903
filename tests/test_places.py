"""Documents inside records (``--at``), and files of several formats (``--from each``).

Whatever the file, a part is treated as if it were in a file of its own.
"""

from __future__ import annotations

import gzip
import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgpack
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.cli.program import program
from agentmsg.files import Input, Job, Kind, targets_of
from agentmsg.files.places import parts_of, pointers
from agentmsg.formats.spelling import same_document
from agentmsg.values.types import class_of
from support.files import documents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

OPENAI: Any = {"messages": [{"role": "user", "content": "Hi", "name": "ada"}], "model": "m"}
ANTHROPIC: Any = {"messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}], "system": "Be brief."}
RESPONSE: Any = {
    "id": "r1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello."}, "finish_reason": "stop"}],
}
LANGCHAIN: Any = [{"type": "human", "data": {"content": "Hi"}}]
REQUESTS: list[Any] = [OPENAI, {**OPENAI, "model": "n"}, {"messages": [{"role": "user", "content": "Bye"}]}]
MIXED: list[Any] = [OPENAI, RESPONSE, ANTHROPIC, LANGCHAIN, OPENAI]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of the test's own, with small ranges."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("agentmsg.files.plan.PIECE", 200)


def agentmsg(*args: str, given: bytes | None = None) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(program, args, input=given, prog_name="agentmsg")


def jsonl(values: Sequence[Any]) -> bytes:
    """Return values as compact lines."""
    return b"".join(json.dumps(value, separators=(",", ":")).encode() + b"\n" for value in values)


def saved(name: str, values: Sequence[Any]) -> str:
    """Write a file of lines; return its name."""
    Path(name).write_bytes(jsonl(values))
    return name


def read(name: str) -> list[Any]:
    """Return the values of a file of lines."""
    return [json.loads(line) for line in Path(name).read_bytes().splitlines()]


# -- findings ----------------------------------------------------------------------------------------------------------

KEYS = st.sampled_from(["a", "b", "*", "a/b", "~", "~1", "0", "", "é"])
STEPS = st.sampled_from(["a", "b", "*", "~2", "a~1b", "~0", "~01", "0", "1", "01", "-", "", "é"])
LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.sampled_from(["", " ", "text", '{"a":', "7", '"b"', "[7]"])
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(KEYS, inner, max_size=3),
        inner.map(json.dumps),
        inner.map(lambda value: f" {json.dumps(value, indent=1)}\n"),
    ),
    max_leaves=12,
)
POINTERS = st.lists(st.lists(STEPS, max_size=4).map(lambda steps: "".join(f"/{step}" for step in steps)), max_size=3)


MEMBERS: dict[type[Any], Callable[[Any], Any]] = {dict: lambda value: value.items(), list: enumerate}


def everything(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every value of a document with its path, outermost first; a text with JSON has members too."""
    yield path, value
    while isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return
    for key, member in MEMBERS.get(class_of(value), lambda _: cast("Any", ()))(value):
        yield from everything(member, (*path, str(key)))


def leads(pointer: str, path: tuple[str, ...]) -> bool:
    """Whether a pointer leads to a path."""
    steps = pointer.split("/")[1:]
    return len(steps) == len(path) and all(
        step == "*" or re.sub("~([012])", lambda code: "~/*"[int(code[1])], step) == key
        for step, key in zip(steps, path, strict=True)
    )


def document_of(value: Any) -> Any:
    """Return a value as a document: for a text, its content."""
    while isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return value
    return value


def found_in(data: bytes, at: Sequence[str], form: Any) -> list[tuple[str, Any]]:
    """Return the parts found in a file, each with its pointer."""
    limits = am.Limits()
    (record,) = documents(io.BytesIO(data), form, limits)
    parts = list(parts_of(record, pointers(list(at)), form, limits))
    assert [part.end for part in parts][-1:] == [record.end][: len(parts)]
    assert [part.end for part in parts] == sorted(part.end for part in parts)
    return [(part.at or "", part.data) for part in parts]


@given(VALUES, POINTERS)
def test_places_are_what_a_simple_reference_finds(value: Any, at: list[str]) -> None:
    """Each value that a pointer leads to is found once, in order, except null and blank texts."""
    expected = [
        (path, document_of(inner))
        for path, inner in everything(value)
        if any(leads(pointer, path) for pointer in at) and inner is not None and inner not in ("", " ")
    ]
    text = found_in(json.dumps(value).encode(), at, "json")
    assert [document_of((data or b"").decode()) for _, data in text] == [inner for _, inner in expected]
    packed = found_in(cast("Any", msgpack).packb(value), at, "msgpack")
    assert [pointer for pointer, _ in packed] == [pointer for pointer, _ in text]
    # The place of a part is a pointer to it, and to nothing else.
    for (pointer, data), (path, _) in zip(text, expected, strict=True):
        assert leads(pointer, path)
        assert found_in(json.dumps(value).encode(), [pointer], "json") == [(pointer, data)]


def test_values_stay_exact() -> None:
    """Large integers, duplicate keys and depth are as in any document: exact, or refused."""
    assert found_in(b'{"a":[123456789012345678901234567890,-0.0]}', ["/a"], "json") == [
        ("/a", b"[123456789012345678901234567890,-0.0]")
    ]
    deep = b"[" * 250 + b"]" * 250
    assert found_in(b'{"a":{"b":%b}}' % deep, ["/a/b"], "json") == [("/a/b", deep)]
    for bad in (b'{"a":1,"a":{}}', b'{"a":"{\\"b\\":1,\\"b\\":2}"}', b'{"a":' + b"[" * 500 + b"]" * 500 + b"}"):
        (record,) = documents(io.BytesIO(bad), "json", am.Limits())
        (part,) = parts_of(record, ("/a/b",), "json", am.Limits())
        assert isinstance(part.fault, am.DecodeError)


@pytest.mark.parametrize(
    ("data", "form", "pointer", "code"),
    [
        (b'{"a":' + b"[" * 300 + b"]" * 300 + b"}", "json", "/a", "depth"),
        (b"x" * 9999, "json", "/a", "bytes"),
        (b"\x81\xa1a\xa1\xff", "msgpack", "/a", "syntax"),
        (b"\x91" * 500 + b"\x01", "msgpack", "/*" * 500, "depth"),
    ],
)
def test_what_cannot_be_read_is_a_fault(data: bytes, form: Any, pointer: str, code: str) -> None:
    """A record or part that is too deep, too long, or broken is an error of its own, and never raised."""
    limits = am.Limits(bytes=9000)
    (record, *_) = documents(io.BytesIO(data), form, limits)
    (part,) = parts_of(record, (pointer,), form, limits)
    assert isinstance(part.fault, am.AgentMsgError)
    assert part.fault.code == code


def test_frames_have_keys_of_any_kind() -> None:
    """MessagePack keys that aren't texts are skipped by name, and found by *; other bytes are the document."""
    frame = cast("Any", msgpack).packb({1: {"a": b"x"}, "b": b"", "c": 5})
    assert found_in(frame, ["/1/a"], "msgpack") == []
    assert found_in(frame, ["/*/a", "/b", "/*"], "msgpack") == [
        ("/1", b"\x81\xa1a\xc4\x01x"),
        ("/1/a", b"x"),
        ("/c", b"\x05"),
    ]


@pytest.mark.parametrize("pointer", ["a", "/~", "/~3", "/a~", "a/b", "~2"])
def test_what_is_no_pointer_is_a_wrong_command_line(pointer: str) -> None:
    """Anything but a JSON pointer is refused before a file is read."""
    for command in (["convert", "x", "-t", "json"], ["stats", "x"], ["show", "x"], ["detect", "x"], ["diff", "x", "y"]):
        done = agentmsg(*command, "--at", pointer)
        assert (done.exit_code, "--at must be a JSON pointer" in done.stderr) == (2, True)
    with pytest.raises(am.InvalidMessage, match="at must be a JSON pointer") as raised:
        am.load("x", at=pointer)
    assert raised.value.code == "option"
    with pytest.raises(am.InvalidMessage, match="at must be a JSON pointer, or a list of them"):
        am.load_lines("x", at=cast("Any", 5))


# -- files of any kind -------------------------------------------------------------------------------------------------


def _cassette(documents: Sequence[Any]) -> bytes:
    records = [{"request": document, "response": {"status": 200}} for document in documents]
    return json.dumps({"version": 1, "interactions": [{"request": None}, *records]}, indent=2).encode()


def _texts(documents: Sequence[Any]) -> bytes:
    return jsonl([{"id": 1, "body": json.dumps(document, separators=(",", ":"))} for document in documents])


FILES: dict[str, tuple[str, Callable[[Sequence[Any]], bytes], str, list[str]]] = {
    "a cassette": ("a.json", _cassette, "/interactions/*/request", []),
    "a log": ("a.jsonl", lambda rows: jsonl([{"request": row} for row in rows]), "/request", []),
    "a log of many": ("a.jsonl", lambda rows: jsonl([{"all": rows[:1]}, {}, {"all": rows[1:]}]), "/all/*", []),
    "a column of text": ("a.jsonl.gz", lambda rows: gzip.compress(_texts(rows)), "/body", []),
    "a column": ("a.json", lambda rows: json.dumps([{"r": row} for row in rows]).encode(), "/r", ["--split"]),
    "an object": ("a.json", lambda rows: json.dumps(dict(enumerate(rows))).encode(), "/*", []),
    "frames of text": (
        "a.msgpack",
        lambda rows: b"".join(cast("Any", msgpack).packb({"x": [json.dumps(row)]}) for row in rows),
        "/x/0",
        [],
    ),
    "stdin": ("-", _texts, "/body", ["--form", "jsonl"]),
}


def unplaced(line: dict[str, Any]) -> dict[str, Any]:
    """Return a line of a loss report; of a header, without the document's place."""
    return {key: line[key] for key in line if "agentmsg-losses" not in line or key not in ("file", "offset", "at")}


@pytest.mark.parametrize(("kind", "jobs"), [*((kind, "1") for kind in FILES), ("a log of many", "2")])
def test_files_become_what_the_parts_alone_become(kind: str, jobs: str) -> None:
    """Documents, loss reports and restored documents equal those of a file of the parts, whatever the file and jobs."""
    name, make, at, options = FILES[kind]
    rows = REQUESTS * (1 if jobs == "1" else 4)
    data = make(rows)
    if name != "-":
        Path(name).write_bytes(data)
    done = agentmsg(
        *("convert", name, "-t", "anthropic", "-o", "b.jsonl", "--losses", "b.l.jsonl", "--verify"),
        *("--at", at, "--jobs", jobs, *options),
        given=data,
    )
    assert done.exit_code == 0, done.stderr
    assert "read as openai" in done.stderr
    assert (
        agentmsg(
            "convert", saved("p.jsonl", rows), "-t", "anthropic", "-o", "c.jsonl", "--losses", "c.l.jsonl"
        ).exit_code
        == 0
    )
    assert Path("b.jsonl").read_bytes() == Path("c.jsonl").read_bytes()
    assert [*map(unplaced, read("b.l.jsonl"))] == read("c.l.jsonl")
    assert agentmsg("restore", "b.jsonl", "b.l.jsonl", "-o", "d.jsonl").exit_code == 0
    assert Path("d.jsonl").read_bytes() == Path("p.jsonl").read_bytes()


def test_loss_reports_say_where_a_document_stood() -> None:
    """Headers of loss reports, and rows of --losses-flat, name file, offset and pointer."""
    saved("a.jsonl", [{"r": [OPENAI]}, {"r": [OPENAI, OPENAI]}])
    agentmsg(
        "convert", "a.jsonl", "-t", "anthropic", "-o", "b.jsonl", "--losses", "l", "--losses-flat", "f", "--at", "/r/*"
    )
    size = len(jsonl([{"r": [OPENAI]}]))
    stood = [("a.jsonl", 0, "/r/0"), ("a.jsonl", size, "/r/0"), ("a.jsonl", size, "/r/1")]
    headers = [line for line in read("l") if "agentmsg-losses" in line]
    assert [(line["file"], line["offset"], line["at"]) for line in headers] == stood
    told = [line for line in read("f") if line["path"] == "/settings/model"]
    rows = [(line["line"], line["file"], line["offset"], line["at"]) for line in told]
    assert rows == [(number, *each) for number, each in enumerate(stood, 1)]


def test_one_place_of_one_document_is_one_document() -> None:
    """A pointer without * finds one document in a .json file: the target may be a .json file, and errors are raised."""
    Path("a.json").write_text(json.dumps({"request": OPENAI, "odd": {"x": 1}, "text": "{]"}))
    assert agentmsg("convert", "a.json", "-t", "json", "-o", "b.json", "--at", "/request").exit_code == 0
    assert am.load("b.json") == am.decode(OPENAI, "openai")
    done = agentmsg("convert", "a.json", "-t", "json", "-f", "openai", "-o", "c.json", "--at", "/text")
    assert (done.exit_code, "error [syntax]" in done.stderr, "(at /text) (a.json)" in done.stderr) == (1, True, True)
    done = agentmsg("convert", "a.json", "-t", "json", "-o", "c.json", "--at", "/*")
    assert (done.exit_code, "a .json file holds one document" in done.stderr) == (2, True)
    for more in (["--array", "-o", "d.json"], ["--array"]):
        done = agentmsg("convert", "a.json", "-t", "json", *more, "--at", "/request", "--at", "/request/../nix")
        data = done.stdout if more == ["--array"] else Path("d.json").read_text()
        assert json.loads(data) == [am.encode(am.decode(OPENAI, "openai"), "json")]
    assert not Path("c.json").exists()


def test_bad_parts_are_quarantined_alone() -> None:
    """An unconvertible part is quarantined with line and pointer, an unreadable record as a whole."""
    Path("a.jsonl").write_bytes(jsonl([{"r": [OPENAI, {"x": 1}, "{]", None]}, {"r": [OPENAI]}]) + b"{]\n")
    done = agentmsg("convert", "a.jsonl", "-t", "json", "-o", "b.jsonl", "-f", "openai", "--at", "/r/*")
    assert done.exit_code == 3
    assert "quarantined: 3 documents, in b.jsonl.bad.jsonl; the first: a.jsonl:1 at /r/1: [schema] " in done.stderr
    rows = [(row["line"], row.get("at"), row["code"], row["text"]) for row in read("b.jsonl.bad.jsonl")]
    assert rows == [
        (1, "/r/1", "schema", '{"x":1}'),
        (1, "/r/2", "syntax", "{]"),
        (3, None, "syntax", "{]"),
    ]
    assert len(read("b.jsonl")) == 2


def test_lines_without_parts_keep_their_numbers() -> None:
    """Blank lines, and lines without a part, count as lines, in every range."""
    Path("a.jsonl").write_bytes(jsonl([{"r": OPENAI}]).ljust(300, b"\n") * 5 + b"{]\n")
    agentmsg("convert", "a.jsonl", "-t", "json", "-o", "c.jsonl", "--at", "/r")
    (row,) = read("c.jsonl.bad.jsonl")
    assert row["line"] == Path("a.jsonl").read_bytes()[: row["offset"]].count(b"\n") + 1
    Path("a.jsonl").write_bytes(jsonl([{"x": "y" * 60}, {"r": OPENAI}] * 10) + b"{]\n")
    done = agentmsg("convert", "a.jsonl", "-t", "json", "-o", "b.jsonl", "--at", "/r")
    assert "--at: nothing found in 10 documents" in done.stderr
    assert [row["line"] for row in read("b.jsonl.bad.jsonl")] == [21]


@pytest.mark.parametrize("target", ["b.jsonl", "b.jsonl.gz", "out/", "-"])
@pytest.mark.parametrize("source", ["a.jsonl", "a.json", "-"])
def test_nothing_in_all_the_input_is_an_error(source: str, target: str) -> None:
    """If no document has anything at the pointers, that is an error, and no file is written."""
    data = jsonl([{"r": None, "s": " "}] * (1 if source == "a.json" else 30))
    Path("a.jsonl").write_bytes(data)
    Path("a.json").write_bytes(data)
    more = ["--form", "jsonl"] if source == "-" else []
    done = agentmsg(
        "convert", source, "-t", "json", "-o", target, "--losses", "l", *more, "--at", "/r", "--at", "/s/*", given=data
    )
    assert done.exit_code == 1
    assert "error [required] no document found at /r or /s/*" in done.stderr
    assert sorted(path.name for path in Path().rglob("*") if path.is_file()) == ["a.json", "a.jsonl"]


def test_folders_keep_their_layout() -> None:
    """Each file of a folder becomes a file, except one without parts; an empty one is no error."""
    Path("in").mkdir()
    saved("in/a.jsonl", [{"r": OPENAI}])
    saved("in/b.jsonl", [{"x": 1}])
    Path("in/c.json").write_bytes(_cassette(REQUESTS))
    done = agentmsg("convert", "in", "-t", "json", "-o", "out", "--at", "/r", "--at", "/interactions/*/request")
    assert done.exit_code == 0, done.stderr
    assert {path.name: len(read(str(path))) for path in Path("out").iterdir()} == {"a.jsonl": 1, "c.jsonl": 3}
    assert agentmsg("convert", saved("e.jsonl", []), "-t", "json", "-o", "f.jsonl", "--at", "/r").exit_code == 0


def test_another_place_is_another_run() -> None:
    """A stopped run is continued only with the same pointers."""
    Path("a.jsonl").write_bytes(jsonl([{"r": OPENAI, "s": OPENAI}] * 20))
    job = Job(codec="json", kind=Kind("jsonl"))
    one, other = (targets_of(["a.jsonl"], "b.jsonl", job, Input(at=at)) for at in (("/r",), ("/s",)))
    assert one != other


# -- commands that read, and Python ------------------------------------------------------------------------------------


def test_commands_that_read_look_there_too() -> None:
    """detect, stats, show and diff take --at, and name document and pointer in errors."""
    Path("a.json").write_bytes(_cassette([*REQUESTS, {"x": 1}]))
    at = ("--at", "/interactions/*/request")
    assert agentmsg("detect", "a.json", *at).stdout.startswith("a.json:  openai")
    done = agentmsg("stats", "a.json", *at, "--json")
    assert (done.exit_code, json.loads(done.stdout)["histories"]) == (1, 3)
    assert "error [schema] a.json, at /interactions/4/request: openai, /messages: a request of OpenAI" in done.stderr
    done = agentmsg("stats", "a.json", *at, "--json", "--from", "each")
    assert "error [not-understood] a.json, at /interactions/4/request: no format is recognised" in done.stderr
    assert "Bye" in agentmsg("show", "a.json", *at, "--index", "2").stdout
    assert "a.json, at /interactions/4/request" in agentmsg("show", "a.json", *at, "--index", "3").stderr
    saved("b.jsonl", [{"interactions": {"1": {"request": OPENAI}}}])
    assert agentmsg("diff", "a.json", "b.jsonl", "--at", "/interactions/1/request").exit_code == 0
    for command in (["detect", "a.json"], ["stats", "a.json"], ["show", "a.json"], ["diff", "a.json", "a.json"]):
        done = agentmsg(*command, "--at", "/nix")
        assert done.exit_code == (2 if command[0] == "diff" else 1)
        assert "[required]" in done.stderr
        assert "no document found at /nix" in done.stderr
    done = agentmsg("stats", saved("c.jsonl", [{"r": OPENAI}, {}]), "--at", "/r")
    assert (done.exit_code, "--at: nothing found in 1 document" in done.stderr) == (0, True)


def test_load_and_load_lines_look_there_too() -> None:
    """``load`` and ``load_lines`` take pointers; errors name them, and the next line is read after one."""
    Path("a.json").write_bytes(_cassette([*REQUESTS, {"x": 1}]))
    assert am.load("a.json", at="/interactions/1/request") == am.decode(OPENAI, "openai")
    lines = am.load_lines("a.json", at=["/interactions/*/request"])
    assert [next(lines) for _ in REQUESTS] == [am.decode(row, "openai") for row in REQUESTS]
    with pytest.raises(am.DecodeError, match="at /interactions/4/request"):
        next(lines)
    assert list(lines) == []
    text = io.StringIO(json.dumps({"r": json.dumps(OPENAI)}) + "\n{}\n")
    assert list(am.load_lines(text, at="/r")) == [am.decode(OPENAI, "openai")]
    for read_all in (lambda: am.load("a.json", at="/nix"), lambda: list(am.load_lines("a.json", "openai", at="/nix"))):
        with pytest.raises(am.DecodeError, match=r"no document found at /nix \(a.json\)") as raised:
            read_all()
        assert raised.value.code == "required"
    with pytest.raises(am.DecodeError, match="load_lines reads them one by one"):
        am.load("a.json", at="/interactions/*/request")


# -- several formats ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "jobs"), [*((kind, "1") for kind in FILES), ("a log of many", "2")])
def test_mixed_files_come_back_each_document_in_its_format(kind: str, jobs: str) -> None:
    """--from each reads each document in its own format, counts them, and restore returns each in its own."""
    name, make, at, options = FILES[kind]
    rows = MIXED * (1 if jobs == "1" else 4)
    data = make(rows)
    if name != "-":
        Path(name).write_bytes(data)
    done = agentmsg(
        *("convert", name, "-t", "agentscope", "-o", "b.jsonl", "--losses", "l", "--verify", "-f", "each"),
        *("--at", at, "--jobs", jobs, *options),
        given=data,
    )
    assert done.exit_code == 0, done.stderr
    count = len(rows) // len(MIXED)
    words = "document" if count == 1 else "documents"
    others = ", ".join(f"{codec} ({count} {words})" for codec in ("anthropic", "langchain", "openai-response"))
    assert f"read as openai ({2 * count} documents), {others}\n" in done.stderr
    assert agentmsg("restore", "b.jsonl", "l", "-o", "c.jsonl").exit_code == 0
    assert all(map(same_document, read("c.jsonl"), rows))
    assert len(read("c.jsonl")) == len(rows)
    assert [am.decode(row, codec) for row, codec in zip(MIXED, CODECS_OF_MIXED, strict=True)] == list(
        am.load_lines(saved("m.jsonl", MIXED), "each")
    )


CODECS_OF_MIXED: tuple[am.CodecName, ...] = ("openai", "openai-response", "anthropic", "langchain", "openai")


def test_what_is_not_recognised_is_quarantined_alone() -> None:
    """With --from each a document without a certain format is a bad one; the others are converted."""
    saved("a.jsonl", [OPENAI, {"odd": 1}, RESPONSE])
    done = agentmsg("convert", "a.jsonl", "-t", "json", "-o", "b.jsonl", "-f", "each")
    assert (done.exit_code, len(read("b.jsonl"))) == (3, 2)
    assert [(row["line"], row["code"]) for row in read("b.jsonl.bad.jsonl")] == [(2, "not-understood")]
    Path("c.json").write_text('{"odd": 1}')
    assert agentmsg("convert", "c.json", "-t", "json", "-f", "each").exit_code == 1


def test_a_mixed_file_is_told_of() -> None:
    """If detection finds several formats, or a bad document has another one, the message names --from each."""
    done = agentmsg("convert", saved("a.jsonl", [OPENAI, RESPONSE]), "-t", "json")
    assert (done.exit_code, "--from each detects the format of each document (a.jsonl)" in done.stderr) == (1, True)
    for more, code in (([], 1), (["-f", "openai-response"], 3)):
        done = agentmsg("convert", saved("b.jsonl", [RESPONSE, OPENAI]), "-t", "json", *more)
        assert done.exit_code == code
        assert "--from each detects the format of each document" in done.stderr
    with pytest.raises(am.NotUnderstood, match=r'load_lines\(..., "each"\)') as raised:
        next(am.load_lines("a.jsonl"))
    assert raised.value.is_mixed


BATCH = {"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": OPENAI}
EXCHANGE = {"request": {"body": json.dumps(OPENAI)}, "response": {"status": 200, "body": RESPONSE}}


@pytest.mark.parametrize(
    ("records", "inside"),
    [
        ([BATCH], [("/body", "openai")]),
        ([{"odd": 1}, BATCH], [("/body", "openai")]),
        ([{"a~b/*": {"*": OPENAI}}], [("/a~0b~1*/~2", "openai")]),
        (
            [{"interactions": [EXCHANGE, EXCHANGE]}],
            [("/interactions/*/request/body", "openai"), ("/interactions/*/response/body", "openai-response")],
        ),
        ([{"odd": [1, {"role": "user"}], "tools": [{"type": "function", "function": {"name": "f"}}]}], []),
        ([{"turns": [{"role": "user", "content": "Hi"}, {"by": "b", "words": "x"}]}], []),
        ([None, 1, "x", True], []),
        ([2.5, json.dumps(json.dumps(OPENAI))], [("", "openai")]),
    ],
    ids=["batch", "second line", "odd keys", "cassette", "pieces", "one message", "no objects", "JSON twice"],
)
def test_documents_inside_unknown_records_are_told(records: list[Any], inside: list[tuple[str, str]]) -> None:
    """If a record has no format, the error says where documents are inside it; that place leads to them."""
    name = saved("a.jsonl", records)
    done, found = agentmsg("convert", name, "-t", "json"), agentmsg("detect", name)
    assert (done.exit_code, found.exit_code, "unknown" in found.stdout) == (1, 1, True)
    assert all(f"{codec} at {pointer}" in shown.stderr for pointer, codec in inside for shown in (done, found))
    assert ("--at" in done.stderr) == bool(inside)
    Path("b.json").write_text(json.dumps(records[-1]))
    with pytest.raises(am.NotUnderstood) as raised:
        am.load("b.json")
    assert raised.value.inside == tuple(inside)
    for pointer, codec in inside:
        first = re.sub(r"/\*(?=/|$)", "/0", pointer)
        assert am.load("b.json", at=first) == am.load("b.json", am.get_codec(codec), at=first)


def test_binary_documents_are_not_restored_into_lines() -> None:
    """Binary and JSON documents don't fit into one file: restore quarantines some, unless --to names a format."""
    packed = am.dumps(am.decode(OPENAI, "openai"), "msgpack")
    Path("a.msgpack").write_bytes(
        cast("Any", msgpack).packb([packed, cast("Any", msgpack).unpackb(packed), json.dumps(OPENAI)])
    )
    done = agentmsg("convert", "a.msgpack", "-f", "each", "-t", "json", "-o", "b.jsonl", "--losses", "l", "--at", "/*")
    assert "read as msgpack (2 documents), openai (1 document)" in done.stderr
    for target, count, words in (
        ("c.jsonl", 2, "the first: b.jsonl:1: [form] msgpack is binary: name the target .msgpack (--to"),
        ("c.msgpack", 1, "the first: b.jsonl:3: [form] openai is JSON: name the target .json or .jsonl (--to"),
        ("-", 2, "the first: b.jsonl:1: [form] msgpack is binary"),
    ):
        done = agentmsg("restore", "b.jsonl", "l", "-o", target)
        assert (done.exit_code, words in done.stderr) == (3, True)
        assert f"{count} document" in done.stderr
    assert agentmsg("restore", "b.jsonl", "l", "-t", "openai").stdout_bytes == jsonl([OPENAI] * 3)


def test_commands_that_detect_each_document_take_the_word() -> None:
    """stats, show, diff and restore detect each document anyway, and take --from each as that."""
    saved("a.jsonl", MIXED)
    done = agentmsg("stats", "a.jsonl", "-f", "each", "--json")
    assert (done.exit_code, json.loads(done.stdout)["histories"]) == (0, len(MIXED))
    assert "Hello." in agentmsg("show", "a.jsonl", "-f", "each", "--index", "1").stdout
    assert agentmsg("convert", "a.jsonl", "-t", "each").exit_code != 0
