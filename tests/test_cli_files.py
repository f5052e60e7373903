"""The command line over files of many documents: what it prints, writes, refuses, and restores."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from click.testing import CliRunner, Result

import agentmsg as am
from agentmsg.cli.program import program
from agentmsg.files import Job, Kind, Request, Source, Target, run
from agentmsg.files.documents import records
from agentmsg.files.engines import ENGINES
from agentmsg.formats.spelling import same_document
from agentmsg_codecs import CODECS
from support.documents import documents
from support.files import ENVIRONMENT

if TYPE_CHECKING:
    from collections.abc import Sequence

ROWS: list[Any] = [
    {"messages": [{"role": "user", "content": "Hi"}], "model": "m"},
    {"messages": [{"role": "assistant", "content": None, "audio": {"id": "a1"}}]},
    {"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Bye", "name": "ada"}]},
]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)


def agentmsg(*args: str, given: bytes | None = None) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(program, args, input=given, prog_name="agentmsg")


def saved(name: str, rows: Sequence[Any] = ROWS) -> str:
    """Write documents to a file, one per line; return its name."""
    Path(name).write_bytes(b"".join(json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in rows))
    return name


def lines(name: str) -> list[Any]:
    """Return the values of a file of lines."""
    return [json.loads(line) for line in Path(name).read_bytes().splitlines()]


def test_many_documents_are_summed_up() -> None:
    """A run over many documents reports format, counts, and losses by kind with the place of the first."""
    done = agentmsg("convert", saved("a.jsonl"), "-o", "b.jsonl", "--to", "anthropic")
    assert done.exit_code == 0
    assert done.stderr.splitlines()[:2] == ["agentmsg: read as openai", "agentmsg: 3 documents, 4 messages -> b.jsonl"]
    assert "(1 document), first in b.jsonl:2" in done.stderr
    assert done.stdout == ""


def test_bad_documents_are_put_aside_and_told() -> None:
    """If documents were quarantined, the exit code is 3, and one line has their number, place, and first error."""
    Path("a.jsonl").write_bytes(Path(saved("a.jsonl")).read_bytes() + b"{]\n")
    done = agentmsg("convert", "a.jsonl", "-o", "b.jsonl", "--to", "anthropic", "--quiet")
    assert done.exit_code == 3
    assert done.stderr.startswith(
        "agentmsg: quarantined: 1 document, in b.jsonl.bad.jsonl; the first: a.jsonl:4: [syntax]"
    )


def test_on_loss_error_puts_lossy_documents_aside() -> None:
    """With --on-loss error documents that would lose content are quarantined, and the others written."""
    done = agentmsg("convert", saved("a.jsonl"), "-o", "b.jsonl", "--to", "anthropic", "--on-loss", "error")
    assert done.exit_code == 3
    assert [row["line"] for row in lines("b.jsonl.bad.jsonl")] == [2]
    assert len(lines("b.jsonl")) == 2


def test_the_form_that_is_named_wins() -> None:
    """--form says how the input holds documents, whatever its name says."""
    Path("lines.json").write_bytes(Path(saved("a.jsonl")).read_bytes())
    assert agentmsg("convert", "lines.json", "-o", "b.jsonl", "--to", "openai", "-q").exit_code == 1
    done = agentmsg("convert", "lines.json", "-o", "c.jsonl", "--to", "openai", "-q", "--form", "jsonl")
    assert done.exit_code == 0
    assert len(lines("c.jsonl")) == 3
    for command in (["check", "--for", "openai"], ["stats"]):
        assert agentmsg(command[0], "lines.json", *command[1:], "--form", "jsonl").exit_code == 0


@pytest.mark.parametrize("target", ["b.jsonl", "b.jsonl.gz", "-"])
def test_restore_gives_files_back(target: str) -> None:
    """Converted documents and their loss reports rebuild the sources, byte for byte, compressed or through a pipe."""
    original = Path(saved("a.jsonl")).read_bytes()
    done = agentmsg("convert", "a.jsonl", "-o", target, "--to", "anthropic", "--losses", "l.jsonl.gz", "--verify")
    assert done.exit_code == 0
    piped = done.stdout_bytes if target == "-" else None
    rest = ["-o", "c.jsonl"] if piped is None else ["--form", "jsonl"]
    restored = agentmsg("restore", target, "l.jsonl.gz", *rest, given=piped)
    assert restored.exit_code == 0, restored.output
    assert (restored.stdout_bytes if piped is not None else Path("c.jsonl").read_bytes()) == original


def test_what_is_no_report_is_refused() -> None:
    """A file that doesn't begin with the header of a loss report is refused with one line, and nothing is written."""
    agentmsg("convert", saved("a.jsonl"), "-o", "b.jsonl", "--to", "anthropic", "--losses", "l.jsonl")
    Path("l.jsonl").write_bytes(b"".join(Path("l.jsonl").read_bytes().splitlines(keepends=True)[1:]))
    done = agentmsg("restore", "b.jsonl", "l.jsonl", "-o", "c.jsonl")
    assert (done.exit_code, Path("c.jsonl").exists()) == (1, False)
    assert "a loss report begins with its header (l.jsonl)" in done.stderr


def test_edits_are_refused_or_kept() -> None:
    """An edited document is refused with the place and the way out; --edits keep restores the rest around the edit."""
    agentmsg("convert", saved("a.jsonl"), "-o", "b.jsonl", "--to", "anthropic", "--losses", "l.jsonl")
    before, written = Path("a.jsonl").read_bytes(), Path("b.jsonl").read_bytes()
    Path("b.jsonl").write_bytes(written.replace(b"Bye", b"Ciao"))
    refused = agentmsg("restore", "b.jsonl", "l.jsonl", "-o", "c.jsonl")
    assert refused.exit_code == 3
    assert len(lines("c.jsonl")) == len(ROWS) - 1
    (bad,) = lines("c.jsonl.bad.jsonl")
    assert bad["code"] == "edited"
    assert "messages/1/content/0" in bad["reason"]
    assert 'edits="keep"' in bad["reason"]
    kept = agentmsg("restore", "b.jsonl", "l.jsonl", "-o", "d.jsonl", "--edits", "keep")
    assert kept.exit_code == 0, kept.output
    assert Path("d.jsonl").read_bytes() == before.replace(b"Bye", b"Ciao")


@pytest.mark.parametrize(("depth", "is_read"), [(120, True), (126, True), (130, False), (200, False)])
def test_whatever_can_be_read_can_be_verified(depth: int, is_read: bool) -> None:
    """A document of the greatest readable depth is proved too; a deeper one is refused."""
    document = b'{"messages":[{"role":"user","content":"Hi"}],"metadata":%b%b}' % (b"[" * depth, b"]" * depth)
    Path("a.json").write_bytes(document)
    done = agentmsg(
        "convert", "a.json", "-o", "b.json", "--to", "anthropic", "--from", "openai", "--losses", "l", "--verify"
    )
    if not is_read:
        assert (done.exit_code, "error [depth]" in done.stderr) == (1, True)
        return
    assert done.exit_code == 0, done.stderr
    assert agentmsg("restore", "b.json", "l").stdout_bytes == document


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["x*.jsonl", "a.jsonl"], "x*.jsonl: no file matches"),
        (["[xy].jsonl", "a.jsonl"], "[xy].jsonl: no file matches"),
        (["empty", "a.jsonl"], "empty: no files that end with .json"),
    ],
)
def test_names_that_stand_for_nothing_are_errors(names: list[str], words: str) -> None:
    """A pattern or folder without files is an error, even if other names have some."""
    saved("a.jsonl")
    Path("empty").mkdir()
    done = agentmsg("convert", *names, "-o", "out/", "--to", "anthropic")
    assert (done.exit_code, f"error [file] {words}" in done.stderr) == (1, True)


def test_patterns_of_any_kind_find_files() -> None:
    """A pattern may have *, ? and [...]; a file with the name of a pattern is taken itself."""
    for name in ("a1.jsonl", "a2.jsonl", "b1.jsonl"):
        saved(name, ROWS[:1])
    for pattern, count in (("a?.jsonl", 2), ("[ab]1.jsonl", 2), ("*.jsonl", 3)):
        done = agentmsg("convert", pattern, "-o", "out.jsonl.gz", "--to", "json", "--force")
        assert f" {count} documents, " in done.stderr
    saved("a?.jsonl", ROWS)
    done = agentmsg("convert", "a?.jsonl", "-o", "out.jsonl.gz", "--to", "json", "--force")
    assert " 3 documents, " in done.stderr


def test_losses_flat_is_a_table() -> None:
    """--losses-flat has one JSON object per loss: line, path, kind, level, codec, why."""
    agentmsg("convert", saved("a.jsonl"), "-o", "b.jsonl", "--to", "anthropic", "--losses-flat", "f.jsonl")
    rows = lines("f.jsonl")
    assert all(list(row) == ["line", "path", "kind", "level", "codec", "why"] for row in rows)
    losses = [
        (number, loss) for number, row in enumerate(ROWS, 1) for loss in am.convert(row, "openai", "anthropic").losses
    ]
    assert [(row["line"], row["path"], row["level"]) for row in rows] == [
        (number, "/" + "/".join(map(str, loss.path)), loss.level) for number, loss in losses
    ]


def test_an_array_can_be_split() -> None:
    """With --split the items of a JSON array are documents, one per line."""
    Path("a.json").write_text(json.dumps(ROWS))
    done = agentmsg("convert", "a.json", "-o", "b.jsonl", "--to", "json", "--split", "--from", "openai")
    assert done.exit_code == 0
    assert [am.decode(row, "json") for row in lines("b.jsonl")] == [am.decode(row, "openai") for row in ROWS]


@pytest.mark.parametrize("target", ["b.json", "b.json.gz", "-"])
@pytest.mark.parametrize("count", [0, 1, 3])
def test_documents_become_an_array_and_come_back(target: str, count: int) -> None:
    """With --array all documents are one JSON array, which --split reads, and restore returns as lines or array."""
    original = Path(saved("a.jsonl", ROWS[:count])).read_bytes()
    done = agentmsg(
        "convert", "a.jsonl", "-o", target, "--to", "anthropic", "--from", "openai", "--array", "--losses", "l"
    )
    assert done.exit_code == 0
    data = done.stdout_bytes if target == "-" else Path(target).read_bytes()
    data = gzip.decompress(data) if target.endswith(".gz") else data
    assert json.loads(data) == [am.convert(row, "openai", "anthropic").document for row in ROWS[:count]]
    piped = data if target == "-" else None
    assert agentmsg("restore", target, "l", "-o", "c.jsonl", "--split", given=piped).exit_code == 0
    assert Path("c.jsonl").read_bytes() == original
    assert agentmsg("restore", target, "l", "-o", "c.json", "--split", "--array", given=piped).exit_code == 0
    assert json.loads(Path("c.json").read_bytes()) == ROWS[:count]
    refused = agentmsg("restore", target, "l", "-o", "d.json", "--split", given=piped)
    assert (refused.exit_code, Path("d.json").exists()) == (2, False)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_arrays_are_joined_of_ranges(jobs: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An array of many ranges and sources has a comma after each document but the last; bad ones leave no gap."""
    monkeypatch.setattr("agentmsg.files.plan.PIECE", 300)
    bad = Path(saved("x.jsonl", [])).read_bytes() + b"{]\n" * 200
    Path("x.jsonl").write_bytes(bad)
    names = ["x.jsonl", saved("a.jsonl", ROWS * 20), "x.jsonl", saved("c.jsonl", ROWS), "x.jsonl"]
    done = agentmsg("convert", *names, "-o", "b.json", "--to", "json", "--array", "--from", "openai", "--jobs", jobs)
    assert done.exit_code == 3
    found = json.loads(Path("b.json").read_bytes())
    assert [am.decode(row, "json") for row in found] == [am.decode(row, "openai") for row in ROWS * 21]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_bad_lines_have_their_numbers_in_all_ranges(jobs: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bad documents of later ranges and sources have the numbers of their lines in the file; blank lines count."""
    monkeypatch.setattr("agentmsg.files.plan.PIECE", 300)
    row = Path(saved("a.jsonl", ROWS[:1])).read_bytes()
    content = [row] * 40 + [b"\n", row, b"{]\n", b" \r\n", row] * 30
    for name in ("x.jsonl", "y.jsonl"):
        Path(name).write_bytes(b"".join(content))
    out = ["-o", "b.jsonl", "--to", "json", "--from", "openai", "--jobs", jobs]
    done = agentmsg("convert", "x.jsonl", "y.jsonl", *out)
    expected = [number for number, line in enumerate(content, 1) if line == b"{]\n"]
    kept = [json.loads(line) for line in Path("b.jsonl.bad.jsonl").read_bytes().splitlines()]
    assert [(each["file"], each["line"]) for each in kept] == [
        (name, number) for name in ("x.jsonl", "y.jsonl") for number in expected
    ]
    assert f"the first: x.jsonl:{expected[0]}: [syntax]" in done.stderr


def test_losses_have_the_numbers_of_their_documents_in_all_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first document with a loss is named by its number in the output, in whichever range it is."""
    monkeypatch.setattr("agentmsg.files.plan.PIECE", 300)
    saved("a.jsonl", [ROWS[0]] * 40 + [ROWS[1]])
    done = agentmsg("convert", "a.jsonl", "-o", "b.jsonl", "--to", "anthropic", "--from", "openai")
    assert "(1 document), first in b.jsonl:41" in done.stderr


def test_blank_lines_are_skipped_at_the_speed_of_reading() -> None:
    """Blank lines are counted, and take no more time than as many bytes of text; even one of any length is no fault."""
    row = Path(saved("a.jsonl", ROWS[:1])).read_bytes()
    count = 1 << 23
    Path("a.jsonl").write_bytes(row + b"\n" * count + b" " * 1000 + b"\n" + row)
    with Path("a.jsonl").open("rb") as file:
        found = list(records(file, "jsonl", am.Limits(line=len(row))))
    assert [each.number for each in found if not each.is_blank] == [1, count + 3]
    assert all(each.fault is None for each in found)
    assert len(found) < count // 1000


@pytest.mark.parametrize("most", [50, 200])
def test_blank_lines_are_counted_wherever_a_file_is_cut(most: int) -> None:
    """Adjacent ranges hold each line once, blank or not."""
    pieces = [b"\n", b" \n", b"\r\n", b'{"x":1}\n', b"   ", b"{}\r\n"]
    data = b"".join(random.Random(most).choices(pieces, k=most))

    def read(start: int, end: int | None) -> tuple[list[Any], int]:
        found = list(records(BufferedReader(cast("Any", BytesIO(data))), "jsonl", am.Limits(), start, end))
        return [(each.offset, each.data) for each in found if not each.is_blank], found[-1].number if found else 0

    documents, lines = read(0, None)
    assert lines == len(data.removesuffix(b"\n").split(b"\n"))
    for cut in range(1, len(data)):
        (before, number), (after, rest) = read(0, cut), read(cut, None)
        assert (before + after, number + rest) == (documents, lines)


def test_a_long_line_is_told_with_place_and_length() -> None:
    """A line over the limit isn't copied into the quarantine; file, line, offset and length say which bytes it is."""
    row = Path(saved("a.jsonl", ROWS[:1])).read_bytes()
    Path("a.jsonl").write_bytes(row + b"x" * 5000 + b"\n" + row)
    job = Job(kind=Kind("jsonl"), codec="json", limits=am.Limits(line=4000))
    sources = (Source(path="a.jsonl", kind=Kind("jsonl"), codec="openai", size=Path("a.jsonl").stat().st_size),)
    outcome = run(job, [Target("b.jsonl", Kind("jsonl"), sources)], Request(work=".b.agentmsg"))
    (kept,) = [json.loads(line) for line in Path("b.jsonl.bad.jsonl").read_bytes().splitlines()]
    assert (outcome.documents, kept["file"], kept["line"], kept["offset"], kept["length"]) == (
        2, "a.jsonl", 2, len(row), 5000,
    )  # fmt: skip
    assert not {"text", "base64"} & kept.keys()


@pytest.mark.parametrize("engine", ["local", "dask"])
def test_an_error_before_any_work_leaves_no_folder(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a run fails before any of it is done, there is nothing to resume, and no folder stays."""

    def fails(*_: Any, **__: Any) -> Any:
        msg = "no"
        raise am.FileError(msg, code="unavailable")

    saved("a.jsonl", ROWS)
    monkeypatch.setitem(cast("Any", ENGINES), engine, fails)
    before = sorted(path.name for path in Path().rglob("*"))
    for more in ([], ["--force"], ["--resume"]):
        done = agentmsg("convert", "a.jsonl", "-t", "json", "-o", "b.jsonl", "--engine", engine, *more)
        assert (done.exit_code, "[unavailable] no" in done.stderr) == (1, True)
        assert sorted(path.name for path in Path().rglob("*")) == before


@pytest.mark.parametrize("command", ["convert -t json", "detect", "stats", "check --for openai", "diff"])
def test_stdin_is_named_once(command: str) -> None:
    """Whoever names stdin twice is told that it is a wrong command line."""
    done = agentmsg(*command.split(), "-", "-", given=b"{}")
    assert (done.exit_code, done.stdout, "stdin" in done.stderr) == (2, "", True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["b.jsonl", "--to", "anthropic"], "--array makes JSON: name the target .json"),
        (["b.json", "--to", "anthropic", "--pretty"], "--pretty needs a .json file with one document"),
        (["b.msgpack", "--to", "msgpack"], "msgpack is binary: no --array"),
    ],
)
def test_arrays_are_compact_json(arguments: list[str], words: str) -> None:
    """With --array any other kind of target is a usage error."""
    done = agentmsg("convert", saved("a.jsonl"), "-o", *arguments, "--array")
    assert (done.exit_code, words in done.stderr) == (2, True)


def test_lines_go_through_pipes_as_they_come() -> None:
    """A pipe of lines gives each converted line before the next arrives."""
    command = [sys.executable, "-m", "agentmsg", "convert", "-", "--to", "json", "--form", "jsonl", "-q"]
    with subprocess.Popen(command, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for row in ROWS:
            child.stdin.write(json.dumps(row).encode() + b"\n")
            assert am.loads(child.stdout.readline(), "json") == am.decode(row, "openai")
        child.stdin.close()
    assert child.returncode == 0


def test_folders_are_converted_whole() -> None:
    """A folder becomes a folder; its loss reports are in a folder too, and restore it."""
    Path("in").mkdir()
    saved("in/a.jsonl")
    saved("in/b.jsonl", ROWS[::-1])
    assert (
        agentmsg("convert", "in", "-o", "out", "--to", "anthropic", "--losses", "accounts", "--jobs", "2").exit_code
        == 0
    )
    for name in ("a.jsonl", "b.jsonl"):
        assert agentmsg("restore", f"out/{name}", f"accounts/{name}", "-o", "again.jsonl", "--force").exit_code == 0
        assert Path("again.jsonl").read_bytes() == Path("in", name).read_bytes()


@pytest.mark.parametrize("options", [["--losses", "b.jsonl"], ["--losses", "x", "--losses-flat", "x"], ["--pretty"]])
def test_files_that_would_collide_are_a_wrong_command_line(options: list[str]) -> None:
    """Two outputs of one name, and indented lines, are reported before anything is read."""
    assert agentmsg("convert", saved("a.jsonl"), "-o", "b.jsonl", "--to", "anthropic", *options).exit_code == 2
    assert not Path("b.jsonl").exists()


@pytest.mark.parametrize("codec", [name for name in CODECS if not am.get_codec(name).binary])
def test_recorded_documents_are_verified(codec: str) -> None:
    """Every golden and recorded document of a format, as lines of one file, is converted, verified, and restored."""
    target = "openai" if codec == "anthropic" else "anthropic"
    rows = [document for _, document in documents(codec)]
    Path("a.jsonl").write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in rows))
    done = agentmsg(
        "convert", "a.jsonl", "-o", "b.jsonl", "--from", codec, "--to", target, "--losses", "l.jsonl", "--verify"
    )
    assert done.exit_code == 0, done.stderr
    assert agentmsg("restore", "b.jsonl", "l.jsonl", "-o", "c.jsonl").exit_code == 0
    again = [json.loads(line) for line in Path("c.jsonl").read_bytes().splitlines()]
    assert len(again) == len(rows) > 8
    assert all(map(same_document, again, rows))


def test_deep_documents_are_verified_with_their_room() -> None:
    """A document with more levels than one value may have, because of its format's wrapping, is proved like others."""
    deep = b"[" * 125 + b"]" * 125
    Path("a.json").write_bytes(b'[{"role":"user","content":[{"type":"weird","x":%s}]}]' % deep)
    done = agentmsg("convert", "a.json", "-o", "b.json", "--from", "openai", "--to", "json", "--verify")
    assert done.exit_code == 0, done.output
