"""RELIABILITY, rows F and G, for files and the command line: each case is named by its row.

Other displays of text are tested in test_show.py and test_show_page.py.
"""

from __future__ import annotations

import errno
import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import wait
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import get_ident
from typing import TYPE_CHECKING, Any, cast

import attrs
import msgpack
import pytest
from click.testing import CliRunner

import agentmsg as am
from agentmsg.cli.program import program
from agentmsg.files import storage
from data import effort
from support.files import ENVIRONMENT, JOB, converted, lines, process, reference, rows, written
from support.killed import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from click.testing import Result

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals, links and limits are those of POSIX")

# In total; each kind of run gets its share.
KILLS = min(effort(100), 1_000)
AGENTMSG = ("-m", "agentmsg", "convert", "a.jsonl", "-o", "b.jsonl", "--from", "openai", "--to", "anthropic")
CONTROLS = re.compile(r"[^\n\t\x20-\x7e\xa0-\u1fff\u2030-\u205f\u2070-\ud7ff\ue000-\U000dffff]")
_CASES: dict[str, Callable[[], None]] = {}
SLOW = {"G5 C10 a line of 2 GB"}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of the test's own, with small ranges."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("agentmsg.files.plan.PIECE", 1500)


def row(name: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Add a case to the table, under its row of the catalogue."""

    def put(case: Callable[[], None]) -> Callable[[], None]:
        assert name not in _CASES
        _CASES[name] = case
        return case

    return put


def agentmsg(*args: str, given: bytes | None = None) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(program, args, input=given, prog_name="agentmsg")


def convert(source: str, target: str, *more: str) -> Result:
    """Convert OpenAI documents by the command line, replacing the earlier output."""
    return agentmsg("convert", source, "-o", target, "--force", "--from", "openai", "--to", "anthropic", *more)


def small_pieces(arguments: tuple[str, ...], size: int) -> str:
    """Return a program that runs the command line with ranges of that size, also in its processes."""
    return (
        f"import runpy, sys; from agentmsg.files import plan; plan.PIECE = {size}; sys.argv = {list(arguments)!r}; "
        "__name__ == '__main__' and runpy.run_module('agentmsg', run_name='__main__')"
    )


# -- F: display


@row("F1 F2 what is told of files and data")
def told_is_escaped() -> None:
    """Control characters, text directions and invisible ones, in file names and data, are printed as escapes."""
    for char in "\x1b[2J", "\x07", "\x7f", "\x9b31m", "\r", "\x08", "\u202e", "\u2066", "\u200b", "\U000e0041":
        name = f"{char}x.jsonl"
        Path(name).write_bytes(b'{"messages":[],"%s":1,"%s":2}\n' % ((json.dumps(char)[1:-1].encode(),) * 2))
        for done in convert(name, "out.jsonl"), agentmsg("detect", name, f"no{char}"), convert(f"no{char}", "x.jsonl"):
            assert not CONTROLS.findall(done.output.replace("\r\n", "\n")), ascii(done.output)
            assert repr(char)[1:-1][:4] in done.output or "\\U000e0041" in done.output or "\\t" in done.output


@row("F5 a long value in an error")
def errors_are_short() -> None:
    """However long the invalid value, one short line reports it."""
    Path("a.json").write_bytes(b'{"messages":[{"role":"user","content":[{"type":"%b"}]}]' % (b"x" * 10_000_000))
    done = convert("a.json", "b.json")
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert len(done.stderr) < 300


# -- G1: killed


def _sources() -> None:
    lines("a.jsonl", 60, bad=[7])
    Path("d.jsonl").write_bytes(Path(lines("x.jsonl", 20, bad=[20])).read_bytes())
    mixed = [json.loads(row) for row in rows(20)] + [{"content": "Hi", "type": "human"}, {"odd": 1}]
    records = [{"log": mixed[number : number + 3], "one": json.dumps(mixed[-number])} for number in range(1, 23)]
    Path("e.jsonl").write_bytes(b"".join(json.dumps(record).encode() + b"\n" for record in records) + b'{"log":[]}\n')
    Path("c.jsonl.gz").write_bytes(gzip.compress(Path("x.jsonl").read_bytes()))
    frames = [am.dumps(am.decode(json.loads(row), "openai"), "msgpack") for row in rows(60)]
    Path("a.msgpack").write_bytes(b"".join([*frames[:9], cast("Any", msgpack).packb([5]), *frames[9:]]))


def _rows() -> None:
    arrow: Any = import_module("pyarrow")
    bodies = Path("a.jsonl").read_text(encoding="utf-8").splitlines()
    import_module("pyarrow.parquet").write_table(arrow.table({"body": bodies}), "a.parquet", row_group_size=7)


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, id=f"G1 {kind}", marks=[pytest.mark.slow] * (kind == "rows")) for kind in KINDS]
)
def test_killed_at_any_moment_nothing_is_half_done(kind: str) -> None:
    """A run killed at random moments leaves whole files or none, and the last resume gives the same bytes."""
    _sources()
    if kind == "rows":
        _rows()
    times = max(-(-KILLS // len(KINDS)), 6)
    done = process("-m", "support.killed", kind, str(times))
    assert (done.returncode, done.stderr) == (0, "")
    resumed, finished = map(int, done.stdout.split())
    # With few kills, chance decides how many stopped half-way, if any.
    assert times <= 8 or resumed > times // 4
    assert resumed + finished <= times


def _wait_for_a_piece(child: subprocess.Popen[bytes]) -> None:
    while not list(Path(".b.jsonl.agentmsg").glob("*.done")):
        assert child.poll() is None
        time.sleep(0.01)


@row("G1 with several processes")
def processes_end_with_the_run() -> None:
    """If a run of several processes is killed, they end too; the next run continues and gives the same bytes."""
    lines("a.jsonl", 20_000)
    with subprocess.Popen(
        [sys.executable, "-c", small_pieces((*AGENTMSG[1:], "--jobs", "2"), 20_000)],
        env=ENVIRONMENT,
        start_new_session=True,
    ) as child:
        _wait_for_a_piece(child)
        child.kill()
    group, until = child.pid, time.monotonic() + 30
    while True:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            break
        assert time.monotonic() < until, "processes of a run that was killed are still there"
        time.sleep(0.05)
    assert not Path("b.jsonl").exists()
    assert process("-c", small_pieces((*AGENTMSG[1:], "--resume"), 20_000)).returncode == 0
    assert process(*AGENTMSG[:4], "-o", "c.jsonl", *AGENTMSG[6:]).returncode == 0
    assert Path("b.jsonl").read_bytes() == Path("c.jsonl").read_bytes()


# -- G2: what the system refuses


@row("G2 full disk")
def full_disk() -> None:
    """If the disk is full: one line, the old target unchanged, and a run that continues later."""
    lines("a.jsonl", 400)
    Path("b.jsonl").write_bytes(b"old")
    limited = "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)); "
    limited += f"sys.argv = {[*AGENTMSG[1:], '--force']!r}; runpy.run_module('agentmsg', run_name='__main__')"
    done = process("-c", limited)
    assert done.returncode == 1
    assert [line.split("]")[0] for line in done.stderr.splitlines()] == ["agentmsg: error [file"]
    assert "File too large" in done.stderr
    assert Path("b.jsonl").read_bytes() == b"old"
    assert process(*AGENTMSG, "--resume", "--force").returncode == 0
    assert len(Path("b.jsonl").read_bytes().splitlines()) == 400


@pytest.mark.parametrize(
    ("source", "target", "words"),
    [
        pytest.param("a.jsonl", "/proc/b.jsonl", "/proc/", id="G2 read-only target"),
        pytest.param("a.jsonl", "/dev/full", "/dev/full: No space left on device", id="G2 full device"),
        pytest.param("a.jsonl", "no/b.jsonl", "no/b.jsonl: No such file or directory", id="G2 no folder"),
        pytest.param("a.jsonl", "a.jsonl/b.jsonl", "a.jsonl/b.jsonl: Not a directory", id="G2 file as folder"),
        pytest.param("none.jsonl", "b.jsonl", "none.jsonl: No such file or directory", id="G2 no source"),
    ],
)
def test_what_the_system_refuses_is_one_line(source: str, target: str, words: str) -> None:
    """A target or source that the system refuses is one line with its name, and nothing on stdout."""
    lines("a.jsonl", 3)
    done = process(*AGENTMSG[:3], source, "-o", target, *AGENTMSG[6:], "--form", "jsonl", "-q")
    assert (done.returncode, done.stderr.count("\n"), done.stdout) == (1, 1, "")
    assert done.stderr.startswith(f"agentmsg: error [file] {words}")


@row("G2 full stdout")
def full_stdout() -> None:
    """If stdout has no more room: one line."""
    lines("a.jsonl", 3)
    commands = (*AGENTMSG[:4], *AGENTMSG[6:], "-q"), (*AGENTMSG[:2], "formats"), (*AGENTMSG[:2], "schema")
    for command in commands:
        with Path("/dev/full").open("wb") as full:
            arguments = [sys.executable, *command]
            done = subprocess.run(arguments, env=ENVIRONMENT, check=False, stdout=full, stderr=subprocess.PIPE)
        assert done.stderr == b"agentmsg: error [file] stdout: No space left on device\n"
        assert done.returncode == 1


@row("G2 target is a folder")
def target_is_a_folder() -> None:
    """A folder as target takes files; one with the name of such a file, or of a loss report, isn't replaced."""
    lines("a.jsonl", 3)
    Path("b.jsonl/a.jsonl").mkdir(parents=True)
    for options in ["b.jsonl"], ["c.jsonl", "--losses", "b.jsonl"]:
        done = convert("a.jsonl", *options)
        assert (done.exit_code, done.stderr.splitlines()[-1].endswith("Is a directory")) == (1, True), done.stderr
    assert Path("b.jsonl/a.jsonl").is_dir()
    assert not Path("c.jsonl").exists()


@row("G2 another disk")
def another_disk() -> None:
    """A loss report on another disk than the target is written whole too, and nothing remains."""
    lines("a.jsonl", 50)
    with TemporaryDirectory(dir="/dev/shm") as other:
        assert convert("a.jsonl", "b.jsonl", "--losses", f"{other}/l.jsonl").exit_code == 0
        convert("a.jsonl", "c.jsonl", "--losses", "l.jsonl")
        assert sorted(path.name for path in Path(other).iterdir()) == ["l.jsonl"]
        assert Path(f"{other}/l.jsonl").read_bytes() == Path("l.jsonl").read_bytes()
        assert Path("b.jsonl").read_bytes() == Path("c.jsonl").read_bytes()


# -- G3: a source that changed


def stopped_after(pieces: int, **options: Any) -> None:
    """Run until some ranges are done, and stop there as by Ctrl-C."""
    done = 0

    def progress(size: int, documents: int) -> None:
        nonlocal done
        done += bool(size or documents)
        if done > pieces:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        converted(["a.jsonl"], "b.jsonl", progress=progress, **options)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        pytest.param("same size", "source-changed", id="G3 same size"),
        pytest.param("longer", "source-changed", id="G3 longer"),
        pytest.param("other job", "resume", id="G3 other job"),
        pytest.param("other account", "resume", id="G3 other account"),
    ],
)
def test_a_resume_of_something_else_is_refused(change: str, code: str) -> None:
    """A run doesn't continue with a changed source, whatever its size, nor with another job or other files."""
    data = Path(lines("a.jsonl")).read_bytes()
    stopped_after(3)
    if change == "same size":
        Path("a.jsonl").write_bytes(data.replace(b'"0 ', b'"1 ', 1))
    if change == "longer":
        Path("a.jsonl").write_bytes(data + b"{}\n")
    job = attrs.evolve(JOB, verify=True) if change == "other job" else JOB
    bad: dict[str, Any] = {"bad": ("elsewhere.jsonl",)} if change == "other account" else {}
    with pytest.raises(am.FileError) as raised:
        converted(["a.jsonl"], "b.jsonl", job=job, resume=True, **bad)
    assert raised.value.code == code
    assert written("b.jsonl") == {}


@row("G3 nothing changed")
def goes_on() -> None:
    """After a stop there is no target; a resumed run does only the rest, and writes the same bytes."""
    whole = reference(bad=[9])
    stopped_after(3)
    assert written("b.jsonl") == {}
    assert converted(["a.jsonl"], "b.jsonl", resume=True).resumed == 4
    assert written("b.jsonl") == whole


@row("G3 without --resume")
def begins_anew() -> None:
    """A stopped run's work is thrown away only by force; without it and --resume, the error suggests both."""
    whole = reference()
    stopped_after(3)
    with pytest.raises(am.FileError, match="--resume continues it, --force starts over") as raised:
        converted(["a.jsonl"], "b.jsonl")
    assert raised.value.code == "resume"
    assert converted(["a.jsonl"], "b.jsonl", force=True).resumed == 0
    assert written("b.jsonl") == whole


# -- G4: bad lines


@row("G4 a file")
def bad_lines_are_kept() -> None:
    """An unconvertible line is in the quarantine: its number, offset, code, reason and bytes."""
    Path("a.jsonl").write_bytes(b'{"messages":[]}\n\n  {"messages": 5}\r\n\xff\xfe\n\x00\x00\n' + next(rows(1)))
    outcome = converted(["a.jsonl"], "b.jsonl")
    kept = [json.loads(line) for line in Path("b.jsonl.bad.jsonl").read_bytes().splitlines()]
    assert [(row["line"], row["offset"], row["code"]) for row in kept] == [
        (3, 17, "schema"),
        (4, 36, "syntax"),
        (5, 39, "syntax"),
    ]
    assert [row.get("text", row.get("base64")) for row in kept] == ['  {"messages": 5}', "//4=", "\x00\x00"]
    assert (outcome.documents, outcome.bad, outcome.bad_files) == (2, 3, ["b.jsonl.bad.jsonl"])
    assert outcome.first_bad is not None
    assert outcome.first_bad.startswith("a.jsonl:3: [schema] ")


@row("G4 stdout")
def bad_lines_of_a_pipe() -> None:
    """With stdout as target, bad lines are kept in the file of --bad; without it a line reports that they are lost."""
    data = Path(lines("a.jsonl", 4, bad=[2, 3])).read_bytes()
    for arguments, kept in (["--bad", "bad.jsonl.gz"], True), ([], False):
        command = ["convert", "-", "--form", "jsonl", "--to", "anthropic", "--from", "openai", "-q", *arguments]
        done = agentmsg(*command, given=data)
        assert (done.exit_code, done.stdout.count("\n")) == (3, 2)
        words = "quarantined: 2 documents, in bad.jsonl.gz" if kept else "not converted: 2 documents (--bad FILE"
        assert done.stderr.startswith(f"agentmsg: {words}")
    found = [json.loads(line) for line in gzip.decompress(Path("bad.jsonl.gz").read_bytes()).splitlines()]
    assert [(row["line"], row["text"]) for row in found] == [(2, "{]"), (3, "{]")]


@row("G4 --bad")
def bad_lines_go_where_they_are_told() -> None:
    """With --bad a file of lines, one document, or a folder have their quarantine there, and none beside them."""
    Path("in").mkdir()
    for name in "in/a.jsonl", "a.jsonl":
        lines(name, 3, bad=[2])
    Path("c.json").write_bytes(b'{"messages":5}')
    for source, target, bad, found in (
        ("a.jsonl", "b.jsonl", "x.jsonl", "x.jsonl"),
        ("in", "out/", "asides", "asides/a.jsonl"),
        ("c.json", "d.json", "y.jsonl", "y.jsonl"),
    ):
        assert convert(source, target, "--bad", bad).exit_code == 3
        assert len(Path(found).read_bytes().splitlines()) == 1
    assert not [*Path().rglob("*.bad.jsonl"), *Path().glob("d.json")]
    assert convert("a.jsonl", "b.jsonl", "--bad", "a.jsonl").exit_code == 2


# -- G5: how lines end


ONE, TWO = rows(2)


@pytest.mark.parametrize(
    ("data", "bad"),
    [
        pytest.param(ONE + b"\r\n" + TWO + b"\r\n", [], id="G5 CRLF"),
        pytest.param(ONE + b"\n" + TWO, [], id="G5 no last newline"),
        pytest.param(b"\n \n" + ONE + b"\n\n\t\r\n" + TWO + b"\n\n", [], id="G5 empty lines"),
        pytest.param(b"\xef\xbb\xbf" + ONE + b"\n" + TWO + b"\n", [], id="G5 BOM on line 1"),
        pytest.param(ONE + b"\n\xef\xbb\xbf" + ONE + b"\n" + TWO, [2], id="G5 BOM on line 2"),
        pytest.param(ONE + b"\n" + TWO + b"\n" + b"\x00" * 5000, [3], id="G5 NUL padding"),
        pytest.param(ONE + b"\n" + b"\x00" * 5000 + TWO + b"\n" + TWO, [2], id="G5 NULs within"),
    ],
)
def test_lines_end_as_they_may(data: bytes, bad: list[int]) -> None:
    """Both documents of a file are written, whatever the line ends; anything else is counted and kept."""
    Path("a.jsonl").write_bytes(data)
    done = convert("a.jsonl", "b.jsonl")
    assert done.exit_code == (3 if bad else 0)
    assert Path("b.jsonl").read_bytes().splitlines() == [
        am.convert(row, "openai", "anthropic").document for row in (ONE, TWO)
    ]
    kept = Path("b.jsonl.bad.jsonl").read_bytes().splitlines() if bad else []
    assert [json.loads(line)["line"] for line in kept] == bad


@pytest.mark.parametrize("name", [pytest.param(f"a{end}", id=f"G5 empty {end}") for end in (".jsonl", ".msgpack")])
@pytest.mark.parametrize("source", [["--from", "openai"], []], ids=["told", "detected"])
def test_empty_files_hold_no_documents(name: str, source: list[str]) -> None:
    """A file without lines or frames is converted into one like it, whatever its format."""
    Path(name).write_bytes(b"")
    done = agentmsg("convert", name, "-o", "b.jsonl", "--to", "anthropic", *source)
    assert (done.exit_code, Path("b.jsonl").read_bytes()) == (0, b"")
    assert "0 documents, 0 messages -> b.jsonl" in done.stderr


# Not getrusage's value: on Linux that is at least the memory of the parent process.
_PEAK = """
import resource, runpy, sys
sys.argv = sys.argv[1:]
try:
    runpy.run_module('agentmsg', run_name='__main__')
finally:
    if sys.platform == "darwin":
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 20)
    else:
        (peak,) = (line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM'))
        print(int(peak) >> 10)
"""


@row("G5 C10 a line of 2 GB")
def a_line_of_two_gigabytes() -> None:
    """A line of 2 GB is reported by its length, the others are converted, and memory is that of an allowed line."""
    end = 2 << 30
    with Path("a.jsonl").open("wb") as file:
        file.write(ONE + b"\n")
        file.seek(end)  # a hole: it takes no room
        file.write(b"\n" + TWO + b"\n")
    done = process("-c", _PEAK, *AGENTMSG[1:])
    assert done.returncode == 3, done.stderr
    assert int(done.stdout) < 64 * 4
    assert len(Path("b.jsonl").read_bytes().splitlines()) == 2
    (kept,) = [json.loads(line) for line in Path("b.jsonl.bad.jsonl").read_bytes().splitlines()]
    assert (kept["line"], kept["offset"], kept["length"]) == (2, len(ONE) + 1, end - len(ONE) - 1)
    assert (kept["code"], "text" in kept) == ("bytes", False)


# -- G6: others at the same files


@row("G6 two writers")
def two_writers() -> None:
    """While a run works on a target, another is refused, and the first ends undisturbed."""
    whole = reference()
    refused: list[str] = []

    def progress(size: int, documents: int) -> None:
        del size, documents
        if not refused:
            with pytest.raises(am.FileError) as raised:
                converted(["a.jsonl"], "b.jsonl")
            refused.append(raised.value.code)

    converted(["a.jsonl"], "b.jsonl", progress=progress)
    assert refused == ["busy"]
    assert written("b.jsonl") == whole


@row("G6 links at the names of parts")
def links_are_not_followed() -> None:
    """If somebody puts a link in the place of a part, nothing is written through it."""
    Path("victim").write_bytes(b"mine")
    lines("a.jsonl")
    Path(".work-b.jsonl").mkdir()
    for name in ("0.out", "run.json.part", "0.done.part", "0.out.joined", "0.losses.joined"):
        Path(".work-b.jsonl", name).symlink_to(Path("victim").absolute())
    converted(["a.jsonl"], "b.jsonl")
    Path(f".c.json.{os.getpid()}-{get_ident()}.part").symlink_to(Path("victim").absolute())
    Path("a.json").write_bytes(ONE)
    convert("a.json", "c.json")
    assert Path("victim").read_bytes() == b"mine"
    assert len(Path("b.jsonl").read_bytes().splitlines()) == 200
    assert not Path("c.json").is_symlink()


# -- G7: pipes and Ctrl-C


@row("G7 a closed pipe")
def closed_pipe() -> None:
    """If the reader of the output is gone, the exit code is 141 and nothing is printed."""
    lines("a.jsonl", 20_000)
    command = [sys.executable, *AGENTMSG[:4], *AGENTMSG[6:]]
    with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.readline()
        child.stdout.close()
        assert child.stderr.read() == b""
    assert child.returncode == 141


@pytest.mark.parametrize(
    ("closed", "files"),
    [
        pytest.param(name, files, id=f"G7 closed {name}")
        for name, files in [("stdin", ["-", "b.jsonl"]), ("stdout", ["a.jsonl", "-"])]
    ],
)
def test_streams_that_are_closed_are_told(closed: str, files: list[str]) -> None:
    """If a needed stream is closed, one line reports it."""
    lines("a.jsonl", 3)
    descriptor = ["stdin", "stdout"].index(closed)
    program = f"import os, sys; os.close({descriptor}); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    done = process("-c", program, *AGENTMSG[:3], files[0], "-o", files[1], *AGENTMSG[6:], "--form", "jsonl")
    assert (done.returncode, done.stderr) == (1, f"agentmsg: error [file] {closed} is closed\n")


@contextmanager
def _heeding_ctrl_c() -> Generator[None]:
    """Start processes that react to Ctrl-C, which a shell's background jobs ignore by inheritance."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@row("G7 Ctrl-C")
def ctrl_c() -> None:
    """Ctrl-C in a run of several processes: one line, no target, and a resume with less to do."""
    lines("a.jsonl", 20_000)
    with (
        _heeding_ctrl_c(),
        subprocess.Popen(
            [sys.executable, "-c", small_pieces((*AGENTMSG[1:], "--jobs", "2"), 20_000)],
            env=ENVIRONMENT,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as child,
    ):
        _wait_for_a_piece(child)
        os.killpg(child.pid, signal.SIGINT)
        _, errors = child.communicate()
    assert (child.returncode, errors) == (130, b"agentmsg: stopped; --resume continues from here\n")
    assert not Path("b.jsonl").exists()


@pytest.mark.parametrize(("presses", "ended"), [(1, 1), (2, 0)], ids=["G7 Ctrl-C in a lock", "G7 Ctrl-C twice"])
def test_ctrl_c_lets_other_code_end_its_locks(presses: int, ended: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while the run waits for its processes stops it after that wait; a second one stops it at once."""
    lines("a.jsonl", 1_000)
    waited: list[Any] = []

    def interrupted(*args: Any, **options: Any) -> Any:
        for _ in range(presses):
            signal.raise_signal(signal.SIGINT)
        waited.append(wait(*args, **options))
        return waited[-1]

    monkeypatch.setattr("agentmsg.files.plan.PIECE", 20_000)
    monkeypatch.setattr("concurrent.futures.wait", interrupted)
    with _heeding_ctrl_c(), pytest.raises(KeyboardInterrupt):
        converted(["a.jsonl"], "b.jsonl", jobs=2)
    assert len(waited) == ended
    assert not Path("b.jsonl").exists()


@row("G7 Ctrl-C in a pipe")
def ctrl_c_in_a_pipe() -> None:
    """Ctrl-C while a pipe is read: one line, which suggests no resume, and no loss report."""
    command = [sys.executable, *AGENTMSG[:3], "-", *AGENTMSG[6:], "--form", "jsonl", "-q", "--losses", "l.jsonl"]
    with (
        _heeding_ctrl_c(),
        subprocess.Popen(
            command, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as child,
    ):
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(ONE + b"\n")
        child.stdin.flush()
        assert child.stdout.readline() == am.convert(ONE, "openai", "anthropic").document + b"\n"
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate()
    assert (child.returncode, errors) == (130, b"agentmsg: stopped\n")
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=name, marks=[pytest.mark.slow] * (name in SLOW)) for name, case in _CASES.items()]
)
def test_row(case: Callable[[], None]) -> None:
    """Each row's expectation is tested by its case."""
    case()


# -- what can't be read is never skipped in silence -------------------------------------------------------------------


def _closed_folder() -> None:
    """Make a folder that can't be read; root reads any, so that for root the system's answer is put in its place."""
    Path("in/closed").mkdir()
    Path("in/closed/b.jsonl").write_text("{}")
    Path("in/closed").chmod(0)


def _answer_as_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    own = os.scandir

    def scandir(path: Any = ".") -> Any:
        if os.fspath(path).rstrip("/").endswith("in/closed"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return own(path)

    monkeypatch.setattr(os, "scandir", scandir)


UNREADABLE: dict[str, tuple[Callable[[], object], str]] = {
    "link": (lambda: Path("in/b.jsonl").symlink_to("nowhere"), "in/b.jsonl: a link that leads nowhere"),
    "circle": (lambda: Path("in/b.jsonl").symlink_to("b.jsonl"), "in/b.jsonl: Too many levels"),
    "pipe": (lambda: os.mkfifo("in/b.jsonl"), "in/b.jsonl: neither a file nor a folder"),
    "folder": (_closed_folder, "in/closed: Permission denied"),
}


@pytest.mark.parametrize("command", ["convert", "stats", "check", "detect", "filter"])
@pytest.mark.parametrize("name", ["in", "in/*", "file"])
@pytest.mark.parametrize("kind", UNREADABLE)
def test_nothing_in_a_folder_is_skipped_in_silence(
    kind: str, name: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that can't be read, and what isn't a file there, are named; the exit code is 3; nothing is written."""
    if kind == "folder" and os.geteuid() == 0:
        _answer_as_for_others(monkeypatch)
    Path("in").mkdir()
    Path("in/a.jsonl").write_bytes(am.dumps(["Hi"], "openai") + b"\n")
    make, words = UNREADABLE[kind]
    make()
    names = {"file": [f"file://{Path.cwd()}/in"], "in/*": ["in/*/*"] if kind == "folder" else ["in/*.jsonl"]}
    more = {
        "convert": ["-t", "json", "-o", "out"],
        "check": ["--for", "openai"],
        "filter": ["--role", "user", "-o", "out"],
    }
    done = agentmsg(command, *names.get(name, ["in"]), *more.get(command, []))
    if kind == "folder":
        Path("in/closed").chmod(0o700)
    assert (done.exit_code, Path("out").exists()) == (3, False)
    assert words in done.stderr
    assert "[unreadable]" in done.stderr


@pytest.mark.parametrize("command", ["convert", "stats", "check", "detect"])
def test_a_file_of_a_folder_that_cannot_be_opened_is_told(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is named, the exit code is 3, and the other files are read; a file that was named alone is a mere error."""
    Path("in").mkdir()
    for name in ("a", "b"):
        Path(f"in/{name}.jsonl").write_bytes(am.dumps(["Hi"], "openai") + b"\n")

    def opened(path: str) -> Any:
        if path.endswith("b.jsonl"):
            raise am.FileError(f"{path}: Permission denied", code="file")
        return Path(path).open("rb")

    monkeypatch.setattr(storage.LOCAL, "open", opened)
    more = {"convert": ["-t", "json", "-o", "out.jsonl"], "check": ["--for", "openai"]}.get(command, [])
    done = agentmsg(command, "in", *more)
    assert (done.exit_code, "in/b.jsonl: Permission denied" in done.stderr) == (3, True)
    assert agentmsg(command, "in/b.jsonl", *more).exit_code == 1


# -- the quarantine says what show needs ------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_quarantine_numbers_documents_as_show_does(jobs: str) -> None:
    """Blank lines count as lines and not as documents, in any number of pieces; codes and blank lines are counted."""
    good = am.dumps(["Hi " * 50], "openai")
    lines = [good, b"", b"{broken", b" ", b"\t", good, *[good] * 20, b'{"messages": 7}', b'{"a": NaN}', b"", good]
    Path("a.jsonl").write_bytes(b"\n".join(lines) + b"\n\n")
    done = agentmsg("convert", "a.jsonl", "-f", "openai", "-t", "json", "-o", "b.jsonl", "--jobs", jobs)
    bad = [json.loads(line) for line in Path("b.jsonl.bad.jsonl").read_bytes().splitlines()]
    assert [(row["line"], row["index"], row["code"]) for row in bad] == [
        (3, 1, "syntax"),
        (27, 23, "schema"),
        (28, 24, "syntax"),
    ]
    assert "NaN is no number of JSON: line 1 column 7" in bad[2]["reason"]
    for row in bad:
        shown = agentmsg("show", "a.jsonl", "-f", "openai", "--index", str(row["index"]))
        assert f"[{row['code']}]" in shown.stderr
        assert f"line {row['line']}" in shown.stderr
    assert (done.exit_code, done.stderr.splitlines()[0]) == (3, "agentmsg: skipped: 5 blank lines")
    assert done.stderr.splitlines()[-3:][1:] == ["agentmsg:   2 × syntax", "agentmsg:   1 × schema"]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["convert", "a.jsonl.gz", "-t", "json", "-o", "b.jsonl"], "a.jsonl.gz can't be cut"),
        (["stats", "a.jsonl.gz"], "a.jsonl.gz can't be cut"),
        (["check", "a.jsonl.gz", "--for", "openai"], "a.jsonl.gz can't be cut"),
        (["convert", "a.jsonl", "a.jsonl.gz", "-t", "json", "--bad", "x.jsonl"], "one process writes to a stream"),
        (["convert", "a.jsonl", "-t", "json", "-o", "b.jsonl"], ""),
        (["stats", "a.jsonl"], ""),
    ],
)
def test_jobs_say_where_they_do_not_help(command: list[str], words: str) -> None:
    """What several processes can't share is told, unless there is one process anyway, or a small file."""
    data = b"".join(am.dumps([os.urandom(300).hex()], "openai") + b"\n" for _ in range(20))
    Path("a.jsonl").write_bytes(data)
    Path("a.jsonl.gz").write_bytes(gzip.compress(data))
    for jobs in ("2", "1"):
        done = agentmsg(*command, "-f", "openai", "--jobs", jobs, *(["--force"] if "-o" in command else []))
        assert words in done.stderr or jobs == "1"
        assert ("--jobs:" in done.stderr) == (bool(words) and jobs == "2")
        Path("x.jsonl").unlink(missing_ok=True)


@pytest.mark.parametrize(
    "command", [["convert", "-t", "json"], ["stats"], ["check", "--for", "openai"], ["detect"], ["show"]]
)
def test_lines_on_stdin_name_what_reads_them(command: list[str]) -> None:
    """Each command that takes JSON Lines for one document names the option that reads lines."""
    name, *more = command
    raw = am.dumps(["Hi"], "openai") + b"\n"
    done = agentmsg(name, "-", *more, given=raw * 2)
    assert "--form jsonl" in done.stderr
