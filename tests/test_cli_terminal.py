"""The view of a person: colours, progress, reports of losses and errors, and the speed of Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from click.testing import CliRunner

import agentmsg as am
from agentmsg.cli.output import indented, painted
from agentmsg.cli.program import program
from agentmsg.cli.progress import Progress, progress_of
from agentmsg.files import Input, Request, run, targets_of
from agentmsg.files.engines import ENGINES, Crew
from agentmsg.files.groups import LossGroups
from agentmsg.fitting.losses import Loss
from data import some
from support.files import ENVIRONMENT, JOB, lines
from support.terminal import dying, in_terminal, slowly

if TYPE_CHECKING:
    from collections.abc import Generator

    from click.testing import Result

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there are no such terminals")

EXAMPLES = Path(__file__).parent / "examples"
ESCAPE = "\x1b["
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
# Every command that prints something, with one that prints JSON.
COMMANDS = {
    "convert": "convert a.json -t anthropic",
    "convert, many": "convert a.json b.json -t anthropic",
    "convert, an error": "convert a.json -t transcipt",
    "restore": "restore c.json l.jsonl",
    "show": "show a.json",
    "stats": "stats a.json",
    "stats --json": "stats a.json --json",
    "diff": "diff a.json c.json",
    "diff --json": "diff a.json c.json --json",
    "detect": "detect a.json",
    "detect --json": "detect a.json --json",
    "formats": "formats json anthropic",
    "formats --json": "formats --json",
    "schema": "schema",
    "bench": "bench a.json --rounds 1",
    "bench --json": "bench a.json --rounds 1 --json",
    "guide": "guide losses",
}
COLOURED = [name for name in COMMANDS if name not in {"detect", "formats"}]
AS_JSON = ["convert", "restore", "schema", *(name for name in COMMANDS if name.endswith("--json"))]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of the test's own, with two documents, a converted one, and its loss report."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    shutil.copy(EXAMPLES / "weather.json", "a.json")
    shutil.copy(EXAMPLES / "weather.json", "b.json")
    assert agentmsg("convert", "a.json", "-t", "anthropic", "-o", "c.json", "--losses", "l.jsonl").exit_code == 0


def agentmsg(*args: str, given: bytes | None = None) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(program, args, input=given, prog_name="agentmsg")


# -- colours


@pytest.mark.parametrize("name", some(COLOURED, len(COLOURED), least=3))
def test_terminals_get_colours(name: str) -> None:
    """On a terminal each command that has colours shows them."""
    assert COLOURS.search(in_terminal(*COMMANDS[name].split())[1])


@pytest.mark.parametrize("name", some(COMMANDS, len(COMMANDS), least=3))
def test_no_color_is_heeded_everywhere(name: str) -> None:
    """With NO_COLOR no command writes an escape sequence to a terminal, FORCE_COLOR or not."""
    assert ESCAPE not in in_terminal(*COMMANDS[name].split(), NO_COLOR="1", FORCE_COLOR="1")[1]


@pytest.mark.parametrize("name", COMMANDS)
def test_pipes_and_files_get_none(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe gets no escape sequence, and a file none with FORCE_COLOR."""
    words = COMMANDS[name].split()
    assert ESCAPE not in agentmsg(*words).output
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    agentmsg(*words, "-o", "out")
    assert not Path("out").is_file() or ESCAPE not in Path("out").read_text(encoding="utf-8")


def test_dumb_terminals_get_none() -> None:
    """TERM=dumb means a terminal without colours."""
    assert ESCAPE not in in_terminal("show", "a.json", TERM="dumb")[1]


@pytest.mark.parametrize("name", some(AS_JSON, len(AS_JSON), least=3))
def test_terminals_get_indented_json_and_pipes_a_line(name: str) -> None:
    """JSON is indented for a terminal, and one line of the same value for a pipe."""
    words = COMMANDS[name].split()
    seen = COLOURS.sub("", in_terminal(*words, streams=["stdout"])[1])
    piped = agentmsg(*words).stdout
    assert json.loads(seen) == json.loads(piped)
    assert seen.count("\n") > 5
    assert piped.count("\n") <= 1 or name == "schema"


def test_documents_for_people_and_programs() -> None:
    """A converted document goes to a pipe with the bytes of a file, to a terminal indented; each of several too."""
    document = Path("c.json").read_bytes()
    assert agentmsg("convert", "a.json", "-t", "anthropic").stdout_bytes == document
    seen = in_terminal("convert", "a.json", "b.json", "-t", "anthropic", streams=["stdout"], NO_COLOR="1")[1]
    assert seen == f"{indented(json.loads(document))}\n" * 2
    assert agentmsg("convert", "a.json", "b.json", "-t", "anthropic").stdout_bytes == (document + b"\n") * 2


def test_terminals_obey_no_document() -> None:
    """Anything in a document that a terminal could obey is escaped as in JSON: the value is the same."""
    evil = "\x1b[2J \x7f \x9b31m \u202e \u200b \U000e0041 \ufeff é 日"
    shown = painted(indented({evil: [evil, 1.5e300, True, None, {}]}), has_colours=False)
    assert json.loads(shown) == {evil: [evil, 1.5e300, True, None, {}]}
    assert shown.replace("\n", "").isprintable()
    assert "é 日" in shown
    coloured = painted(indented({evil: [evil, 1.5e300, True, None, {}]}), has_colours=True)
    assert COLOURS.sub("", coloured) == shown
    Path("e.json").write_text(json.dumps([{"role": "user", "content": evil}]), encoding="utf-8")
    seen = in_terminal("convert", "e.json", "-f", "openai", "-t", "json", streams=["stdout"])[1]
    assert COLOURS.sub("", seen).replace("\n", "").isprintable()


# -- what is told of losses


def _loss(path: tuple[str | int, ...], level: Any = "content", kind: Any = "dropped", why: str = "") -> Loss:
    return Loss(path, kind, "x", level, why=why)


def test_losses_are_grouped() -> None:
    """Losses with the same level, path without indexes, kind and reason are one group, with two counts."""
    groups = LossGroups()
    signature = "thinking needs a signature"
    for document in range(1, 31):
        groups.add([_loss(("messages", n, "content", 0), why=signature) for n in (1, document)], document)
    groups.add([_loss(("messages", 1, "content", 0), kind="changed", why=signature)], 31)
    groups.add([_loss(("messages", 1, "content", 0), "annotation", why=signature)], 31)
    groups.add([_loss(("messages", 7, "name"))], 31)
    content = groups.of_level("content")
    assert [(str(group), group.documents) for group in content] == [
        ("60 × messages/*/content/*: thinking needs a signature", 30),
        ("1 × messages/1/content/0: changed, thinking needs a signature", 1),
        ("1 × messages/7/name: dropped", 1),
    ]
    assert [str(group) for group in groups.of_level("annotation")] == [f"1 × messages/1/content/0: {signature}"]


def test_groups_do_not_grow_without_end() -> None:
    """Paths through free-form data are reported together if there are too many."""
    groups = LossGroups()
    for number in range(5_000):
        groups.add([_loss(("extras", f"k{number}"), "annotation")], number + 1)
    found = groups.of_level("annotation")
    assert len(found) < 1_000
    assert sum(group.count for group in found) == 5_000


def test_the_summary_is_as_the_issue_shows_it() -> None:
    """A run over many documents reports each kind of loss in a line, content first, with its number of documents."""
    thought = am.Msg("assistant", [am.ThinkingBlock("hm"), am.TextBlock("x")], id="m1", created_at=None)
    asked = am.Msg.user("Hi", id="m2", created_at=None)
    history = am.History.of(thought, asked, thought.evolve(id="m3"))
    Path("t.jsonl").write_bytes((am.dumps(history, "json") + b"\n") * 30)
    done = agentmsg("convert", "t.jsonl", "-t", "anthropic", "-o", "t.out.jsonl")
    told = [line.removeprefix("agentmsg: ") for line in done.stderr.splitlines()]
    assert told[2:4] == [
        "lost: 60 content losses",
        "  60 × messages/*/content/*: thinking needs a signature here (30 documents), first in t.out.jsonl:1",
    ]
    assert [line for line in told if line.startswith("lost:")] == ["lost: 60 content losses", told[4]]
    assert told[4].endswith("annotation losses")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_summary_does_not_depend_on_ranges(jobs: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However a file is cut, and whoever converts it, the report is the same; a resumed run's too."""
    row = json.dumps([{"role": "user", "content": "Hi", "name": "ada"}]).encode()
    Path("n.jsonl").write_bytes((row + b"\n") * 400)
    command = ["convert", "n.jsonl", "-f", "openai", "-t", "anthropic"]
    whole = agentmsg(*command, "-o", "x.jsonl").stderr
    monkeypatch.setattr("agentmsg.files.plan.PIECE", 1500)
    assert agentmsg(*command, "-o", "y.jsonl", "--jobs", jobs).stderr == whole.replace("x.jsonl", "y.jsonl")
    assert "400 × messages/*/name: dropped (400 documents)" in whole


def test_restore_tells_losses_in_groups() -> None:
    """If many documents are restored into a lossy format, that is reported once for all."""
    Path("m.jsonl").write_bytes(json.dumps(json.loads(Path("a.json").read_bytes())).encode() * 1 + b"\n")
    Path("m.jsonl").write_bytes(Path("m.jsonl").read_bytes() * 50)
    agentmsg("convert", "m.jsonl", "-t", "json", "-o", "j.jsonl", "--losses", "jl.jsonl")
    told = agentmsg("restore", "j.jsonl", "jl.jsonl", "-t", "anthropic", "-o", "r.jsonl").stderr.splitlines()
    assert "agentmsg:   50 × messages/*/name: dropped (50 documents)" in told
    assert len(told) < 10


def test_many_quarantines_are_one_line() -> None:
    """However many files are quarantined, one line reports it, with the first."""
    Path("in").mkdir()
    for number in range(40):
        Path(f"in/{number:02}.json").write_bytes(b"{]")
    done = agentmsg("convert", "in", "-t", "json", "-o", "out")
    assert done.exit_code == 3
    assert "quarantined: 40 documents, in out/00.json.bad.jsonl and 39 other files; the first: " in done.stderr
    assert done.stderr.count("\n") == 3


# -- what cannot be read


@pytest.mark.parametrize("count", [1, 2, 1000])
def test_unreadable_lines_are_one_line(count: int) -> None:
    """However many lines of a file are unreadable, one line has their number, with the first."""
    good = json.dumps(json.loads(Path("a.json").read_bytes())).encode()
    Path("u.jsonl").write_bytes(good + b"\n" + b"{]\n" * count + good)
    done = agentmsg("stats", "u.jsonl", "--json")
    assert (done.exit_code, json.loads(done.stdout)["unreadable"]) == (1, count)
    more = f"; and {count - 1:,} more in this file" if count > 1 else ""
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("agentmsg: error [syntax] u.jsonl, line 2: openai: not JSON: ")
    assert done.stderr.endswith(f"{more}\n")


def test_unreadable_files_are_counted() -> None:
    """Of a thousand unreadable files the first ten have a line each, and one line counts the others."""
    Path("in").mkdir()
    for number in range(200):
        Path(f"in/{number}.json").write_bytes(b"{]")
    done = agentmsg("stats", "in")
    assert (done.exit_code, len(done.stderr.splitlines())) == (1, 11)
    assert done.stderr.endswith("agentmsg: error: and 190 more files with unreadable documents\n")


# -- progress


class Recorded(Progress):
    """Keeps its calls."""

    def __init__(self) -> None:
        self.told: list[tuple[float, Any]] = []

    def __call__(self, size: int, documents: int) -> None:
        self.told.append((size, documents))

    def share(self, done: float, words: str) -> None:
        self.told.append((done, words))


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> Recorded:
    """Make all commands report their progress after each document."""
    found = Recorded()

    @contextmanager
    def recording(total: int | None, *, quiet: bool) -> Generator[Progress]:
        del total, quiet
        yield found

    for name in ("diff", "running", "reading"):
        monkeypatch.setattr(f"agentmsg.cli.{name}.progress_of", recording)
    for name in ("agentmsg.cli.reading._EVERY", "agentmsg.files.converting._EVERY"):
        monkeypatch.setattr(name, 0)
    return found


@pytest.mark.parametrize("kind", ["lines", "gzip", "array", "frames", "stdin"])
def test_progress_moves_within_a_range(kind: str, recorded: Recorded) -> None:
    """Although a file is one range, its progress grows with every document, up to all of it."""
    rows = Path(lines("many.jsonl", 3000)).read_bytes()
    name, more = "many.jsonl", ["-f", "openai"]
    if kind == "gzip":
        import gzip

        # Random, so that it stays long: from Python 3.12 on, gzip reads 128 KiB at a time.
        noise = [json.dumps([{"role": "user", "content": os.urandom(2000).hex()}]).encode() for _ in range(3000)]
        name = "many.jsonl.gz"
        Path(name).write_bytes(gzip.compress(b"\n".join(noise)))
    elif kind == "array":
        name, more = "many.json", ["-f", "openai", "--split"]
        Path(name).write_bytes(b"[" + b",".join(rows.splitlines()) + b"]")
    elif kind == "frames":
        agentmsg("convert", "many.jsonl", "-f", "openai", "-t", "msgpack", "-o", "many.msgpack")
        recorded.told.clear()
        name, more = "many.msgpack", []
    given = rows if kind == "stdin" else None
    source = ["-", "--form", "jsonl"] if kind == "stdin" else [name]
    done = agentmsg("convert", *source, *more, "-t", "json", "-o", "out.jsonl", given=given)
    assert done.exit_code == 0, done.output
    size = len(rows) if kind == "stdin" else Path(name).stat().st_size
    sizes = [told[0] for told in recorded.told]
    assert sizes == sorted(sizes)
    assert len({each for each in sizes if 0 < each < size}) > 20
    assert recorded.told[-1][1] == 3000
    if kind != "stdin":
        assert sizes[-1] == size


def test_progress_of_several_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each process reports the progress of its call while it runs."""
    monkeypatch.setattr("agentmsg.files.engines._EVERY", 0.02)
    told: list[tuple[int, int, int]] = []
    calls = [(number,) for number in range(3)]

    def advance(number: int, size: int, documents: int) -> None:
        told.append((number, size, documents))

    done = ENGINES["local"](slowly, calls, Crew(jobs=2), advance)
    assert sorted(done) == [(0, 0), (1, 1), (2, 2)]
    for number in range(3):
        steps = [(size, documents) for each, size, documents in told if each == number]
        assert len(set(steps)) > 1
        assert steps == sorted(steps)
        assert {size // 10 == documents for size, documents in steps} == {True}


def test_a_process_that_dies_is_one_line() -> None:
    """A process ended by the system is an error of ours, and no other process is waited for."""
    with pytest.raises(am.FileError, match="a worker process was killed") as raised:
        list(ENGINES["local"](dying, [(1,), (2,)], Crew(jobs=2), lambda number, size, documents: None))
    assert raised.value.code == "file"


def test_a_resumed_run_begins_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Earlier work counts from the beginning; pieces in progress are added to it."""
    monkeypatch.setattr("agentmsg.files.plan.PIECE", 1500)
    monkeypatch.setattr("agentmsg.files.converting._EVERY", 0)
    targets = targets_of([lines("many.jsonl")], "out.jsonl", JOB, Input(source="openai"))
    told: list[tuple[int, int]] = []

    def stopping(size: int, documents: int) -> None:
        told.append((size, documents))
        if size > 5000:
            raise KeyboardInterrupt

    job = attrs.evolve(JOB, losses=False, flat=False)
    with pytest.raises(KeyboardInterrupt):
        run(job, targets, Request(work=".work", progress=stopping))
    before = told[-1]
    told.clear()

    def noting(size: int, documents: int) -> None:
        told.append((size, documents))

    run(job, targets, Request(work=".work", progress=noting, resume=True))
    whole = list(range(1500, before[0] - 1500, 1500))
    assert [size for size, _ in told[: len(whole)]] == whole
    assert told == sorted(told)
    assert told[-1] == (Path("many.jsonl").stat().st_size, 200)


def test_stats_tell_how_far_they_are(recorded: Recorded) -> None:
    """Counting reports how much of all files is read."""
    sizes = [Path(lines(name, 300)).stat().st_size for name in ("x.jsonl", "y.jsonl")]
    assert agentmsg("stats", "x.jsonl", "y.jsonl", "-f", "openai").exit_code == 0
    told = [each[0] for each in recorded.told]
    assert told == sorted(told)
    assert len(set(told)) == 602
    assert told[-1] == sum(sizes)


def test_diff_tells_how_far_it_is(recorded: Recorded) -> None:
    """Comparing reports which file is being read, and how many messages are compared."""
    one = am.History.of(*(am.Msg.user(f"message {number}", id=f"m{number}") for number in range(500)))
    Path("x.json").write_bytes(am.dumps(one, "json"))
    Path("y.json").write_bytes(am.dumps(am.History.of(*one[:250], *one[251:]), "json"))
    assert agentmsg("diff", "x.json", "y.json").exit_code == 1
    assert [words for _, words in recorded.told][:2] == ["reading x.json", "reading y.json"]
    assert [words for _, words in recorded.told][3:5] == ["64 of 500 messages compared", "128 of 500 messages compared"]
    shares = [share for share, _ in recorded.told]
    assert shares == sorted(shares)
    assert shares[-1] <= 1


def test_bars_are_for_terminals_only(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a terminal there is a line now and then; with --quiet, and for small input, there is nothing."""
    monkeypatch.setattr("agentmsg.cli.progress._EVERY", 0.0)
    for total, quiet in ((5 << 20, False), (None, False), (5 << 20, True), (5, False)):
        with progress_of(total, quiet=quiet) as progress:
            progress(1 << 20, 7)
            progress.share(0.5, "half of it")
        told = capsys.readouterr().err
        assert bool(told) is (not quiet and total != 5)
        if told:
            assert re.search(r"7 documents, [\d.]+ MB/s", told)
            assert told.endswith("50%: half of it\n")
            assert told.startswith("agentmsg: 20%: ") is (total is not None)


@pytest.mark.parametrize("command", ["convert big.jsonl -f openai -t json -o o.jsonl", "stats big.jsonl -f openai"])
def test_terminals_see_a_bar(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal a bar moves, and is gone at the end; with NO_COLOR it has no colours."""
    script = "import agentmsg.cli.progress as p; p._SMALL = 0; import sys; from agentmsg.cli import main; main()"
    lines("big.jsonl", 20_000)
    monkeypatch.setattr("support.terminal.PROGRAM", ["-c", script])
    code, seen = in_terminal(*command.split(), NO_COLOR="1")
    assert code == 0, seen
    assert re.search(r"\d+% .* documents", seen)
    assert not COLOURS.search(seen)


# -- Ctrl-C


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_is_answered_at_once(jobs: str) -> None:
    """Ctrl-C doesn't wait for running ranges: it leaves one line, no process and no target."""
    lines("big.jsonl", 60_000)
    script = (
        "from agentmsg.files import plan; plan.PIECE = 2 << 20\n"
        "from agentmsg.cli import main\n"
        "if __name__ == '__main__': main()"
    )
    command = [
        sys.executable,
        "-c",
        script,
        *["convert", "big.jsonl", "-f", "openai", "-t", "anthropic", "-o", "o.jsonl", "-q", "--jobs"],
        jobs,
    ]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.PIPE, start_new_session=True) as child:
            part, until = Path(".o.jsonl.agentmsg/0.out"), time.monotonic() + 60
            while not part.exists() or not part.stat().st_size:
                assert child.poll() is None
                assert time.monotonic() < until
                time.sleep(0.01)
            os.killpg(child.pid, signal.SIGINT)
            _, errors = child.communicate()
    finally:
        signal.signal(signal.SIGINT, before)
    assert (child.returncode, errors) == (130, b"agentmsg: stopped; --resume continues from here\n")
    # However busy the machine is: a range that had just begun did not come to its end.
    assert part.exists()
    assert not list(part.parent.glob("*.done"))
    assert _is_gone(child.pid), "processes of a run that was stopped are still there"
    assert not Path("o.jsonl").exists()


def _is_gone(group: int) -> bool:
    """Whether a group of processes ends soon."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False
