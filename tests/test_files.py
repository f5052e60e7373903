"""Files of documents: ranges, runs, resumes, quarantine; the same bytes whoever does the work."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import attrs
import msgpack
import pytest
import ray
from backports import zstd
from fsspec import core
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.files import Job, Kind, Outcome, Piece, Request, Source, convert_range, kind_of, run, targets_of
from agentmsg.files.documents import documents
from agentmsg.files.names import renamed
from agentmsg.limits import Limits
from data import PROFILE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

SMALL = Limits(line=40, bytes=200)
HISTORY = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello", "refusal": None}]}
JOB = Job(codec="anthropic", kind=Kind("jsonl"), losses=True, flat=True)


def rows(count: int, **more: Any) -> Iterator[bytes]:
    """Yield documents of OpenAI, each with its number in it."""
    for number in range(count):
        yield json.dumps(
            {"messages": [{"role": "user", "content": f"{number} " + "x" * (number % 97)}], **more}
        ).encode()


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of the test's own, with small ranges."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("agentmsg.files.plan.PIECE", 1500)


def lines(name: str, count: int = 200, *, bad: Sequence[int] = ()) -> str:
    """Write a file of documents, some of them bad; return its name."""
    Path(name).write_bytes(
        b"".join(b"{]\n" if number in bad else row + b"\n" for number, row in enumerate(rows(count, seed=7), 1))
    )
    return name


def converted(
    names: Sequence[str], target: str, *, job: Job = JOB, codec: str | None = "openai", **options: Any
) -> Outcome:
    """Run a job over files, with accounts beside the target."""
    targets = targets_of(names, target, job, codec=codec)
    losses, flat = (tuple(f"{one.path}.{side}.jsonl" for one in targets) for side in ("losses", "flat"))
    return run(job, targets, Request(work=f".work-{target.strip('/')}", losses=losses, flat=flat, **options))


def written(target: str) -> dict[str, bytes]:
    """Return all files that belong to a target, by what follows its name."""
    return {path.name.removeprefix(target): path.read_bytes() for path in sorted(Path().glob(f"{target}*"))}


# -- documents of a range


FILES = st.lists(
    st.sampled_from([b"{}", b"", b" ", b"{}\r", b"\x00\x00", b"x" * 39, b"x" * 40, b"x" * 41, b"y" * 90, b"\xff"])
).map(b"\n".join)


@given(FILES, st.lists(st.integers(0, 400), max_size=5), st.booleans())
def test_ranges_hold_each_line_once(data: bytes, cuts: list[int], bom: bool) -> None:
    """Wherever a file of lines is cut, its ranges hold the same lines, at the same offsets, with the same faults."""
    data = b"\xef\xbb\xbf" * bom + data
    borders = [0, *sorted({cut for cut in cuts if 0 < cut < len(data)}), len(data)]

    def found(start: int, end: int | None) -> list[Any]:
        return [
            (item.offset, item.length, item.data, item.fault and item.fault.code)
            for item in documents(io.BytesIO(data), "jsonl", SMALL, start, end)
        ]

    whole = found(0, None)
    assert [item for start, end in pairwise(borders) for item in found(start, end)] == whole
    for offset, length, line, fault in whole:
        assert line == (None if fault else data[offset : offset + length])
        assert (fault == "bytes") == (length > 40)


packb: Callable[[Any], bytes] = cast("Any", msgpack).packb
VALUES = st.none() | st.integers(-(2**63), 2**64 - 1) | st.text(max_size=9)
FRAMES = st.lists(st.recursive(VALUES, st.lists, max_leaves=9), max_size=9)


@given(FRAMES.map(lambda values: [packb(value) for value in values if not isinstance(value, int)]))
def test_frames_are_cut_where_they_end(frames: list[bytes]) -> None:
    """A file of frames gives each frame, with its offset; a frame that is cut is one fault, with all its bytes."""
    data = b"".join(frames)
    found = list(documents(io.BytesIO(data), "msgpack", Limits()))
    assert [item.data for item in found] == frames
    assert [item.offset for item in found] == [sum(map(len, frames[:index])) for index in range(len(frames))]
    cut = list(documents(io.BytesIO(data[:-1]), "msgpack", Limits()))
    faults = [(item.data, item.fault.code) for item in cut if item.fault]
    assert faults == ([(frames[-1][:-1], "syntax")] if frames and len(frames[-1]) > 1 else [])


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"\xc1\x01", [(0, b"\xc1\x01", "syntax")]),
        (b"\x01\xc1", [(0, b"\x01", None), (1, b"\xc1", "syntax")]),
        (b"\xdb\xff\xff\xff\xffxx", [(0, b"\xdb\xff\xff\xff\xffxx", "syntax")]),
        (b"\xc4\x64" + b"x" * 102, [(0, b"\xc4\x64" + b"x" * 100, None), (102, b"x", None), (103, b"x", None)]),
        (b"\xc5\x02\x00" + b"x" * 512 + b"y", [(0, None, "bytes"), (515, b"y", None)]),
    ],
)
def test_bytes_that_are_no_frames_are_one_fault(data: bytes, expected: list[Any]) -> None:
    """After bytes that are no MessagePack, nothing tells where the next frame begins."""
    found = [
        (item.offset, item.data, item.fault and item.fault.code)
        for item in documents(io.BytesIO(data), "msgpack", SMALL)
    ]
    assert found == expected


def test_an_endless_line_is_held_in_pieces() -> None:
    """A line beyond the limit is told by its length, and the next line is found; it is never in memory as a whole."""

    class Endless(io.RawIOBase):
        """Three hundred megabytes without a line end, then a document."""

        left = 300 << 20

        def readable(self) -> bool:
            """Return True."""
            return True

        def readinto(self, buffer: Any) -> int:
            """Fill the buffer."""
            size = min(len(buffer), self.left or 3)
            buffer[:size] = b"x" * size if self.left else b"\n{}"
            self.left = -1 if self.left <= 0 else self.left - size
            return 0 if self.left == -1 and size != 3 else size

    stream = io.BufferedReader(Endless())
    first = next(documents(stream, "jsonl", Limits(line=1 << 20)))
    assert (first.length >= 300 << 20, first.data, first.fault and first.fault.code) == (True, None, "bytes")


# -- names


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.json", Kind("json")),
        ("a.b.JSONL.GZ", Kind("jsonl", ".gz")),
        ("s3://bucket/x.ndjson.zst", Kind("jsonl", ".zst")),
        ("a.msgpack", Kind("msgpack")),
    ],
)
def test_names_tell_kinds(name: str, kind: Kind) -> None:
    """The suffixes of a name say how documents stand in the file."""
    assert kind_of(name) == kind


def test_names_that_do_not_tell_need_a_form() -> None:
    """A name without a suffix that is known is an error, unless a form is given."""
    with pytest.raises(am.FileError) as raised:
        kind_of("a.txt")
    assert raised.value.code == "form"
    assert kind_of("a.txt.gz", "jsonl") == Kind("jsonl", ".gz")
    assert [renamed(name, Kind("jsonl")) for name in ("a.json.gz", "a.b", "x/y.msgpack")] == [
        "a.jsonl",
        "a.b.jsonl",
        "x/y.jsonl",
    ]


# -- runs


def reference(bad: Sequence[int] = ()) -> dict[str, bytes]:
    """Return what a run writes that is done in one piece."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("agentmsg.files.plan.PIECE", 1 << 30)
        converted([lines("a.jsonl", bad=bad)], "whole.jsonl")
    return written("whole.jsonl")


@pytest.fixture
def no_ray_after() -> Iterator[None]:
    """End the processes that Ray started."""
    yield
    cast("Any", ray).shutdown()


@pytest.mark.usefixtures("no_ray_after")
@pytest.mark.parametrize("engine", ["local", "dask", "ray"])
def test_bytes_do_not_depend_on_who_works(engine: str) -> None:
    """Target, accounts, losses and quarantine are the same bytes for any number of ranges and jobs, and any engine."""
    whole = reference(bad=[1, 77, 200])
    outcome = converted(["a.jsonl"], "b.jsonl", engine=engine, jobs=2)
    assert (outcome.documents, outcome.bad, outcome.levels) == (197, 3, {"setting": 197})
    assert written("b.jsonl") == whole
    assert sorted(whole) == ["", ".bad.jsonl", ".flat.jsonl", ".losses.jsonl"]
    assert not Path(".work-b.jsonl").exists()


def test_each_document_is_what_convert_makes_of_it() -> None:
    """A file of documents is converted as each of its documents is."""
    converted([lines("a.jsonl", 50)], "b.jsonl")
    expected = [am.convert(row, "openai", "anthropic").document for row in rows(50, seed=7)]
    assert Path("b.jsonl").read_bytes().splitlines() == expected


def test_what_is_bad_is_kept_byte_for_byte() -> None:
    """A line that cannot be converted is in the quarantine: its number, offset, code, reason and bytes."""
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


def test_a_quarantine_of_before_is_gone() -> None:
    """Where nothing is bad any more, no quarantine of an earlier run stays beside the target."""
    converted([lines("a.jsonl", 5, bad=[2])], "b.jsonl")
    assert Path("b.jsonl.bad.jsonl").exists()
    converted([lines("a.jsonl", 5)], "b.jsonl")
    assert not Path("b.jsonl.bad.jsonl").exists()


PACKED: Mapping[str, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]] = {
    ".gz": (gzip.compress, gzip.decompress),
    ".zst": (zstd.compress, zstd.decompress),
}


@pytest.mark.parametrize("suffix", PACKED)
def test_compression_changes_nothing_else(suffix: str) -> None:
    """Compressed sources and targets hold the same documents; a damaged source is an error, and no target."""
    pack, unpack = PACKED[suffix]
    packed = pack(Path(lines("a.jsonl")).read_bytes())
    Path(f"a.jsonl{suffix}").write_bytes(packed)
    converted([f"a.jsonl{suffix}"], f"b.jsonl{suffix}")
    converted(["a.jsonl"], "c.jsonl")
    assert unpack(Path(f"b.jsonl{suffix}").read_bytes()) == Path("c.jsonl").read_bytes()
    Path(f"cut.jsonl{suffix}").write_bytes(packed[:-9])
    with pytest.raises(am.FileError) as raised:
        converted([f"cut.jsonl{suffix}"], "d.jsonl")
    assert raised.value.code == "compression"
    assert not Path("d.jsonl").exists()


def test_folders_become_folders() -> None:
    """Each data file of a folder has its own target, account and quarantine, in a folder of the same shape."""
    Path("in/deep").mkdir(parents=True)
    lines("in/a.jsonl", 30, bad=[3])
    lines("in/deep/b.jsonl", 30)
    Path("in/deep/c.json").write_bytes(next(rows(1)))
    for name in ("in/notes.txt", "in/.hidden.jsonl", "in/a.jsonl.bad.jsonl"):
        Path(name).write_bytes(b"{]")
    outcome = converted(["in"], "out/", jobs=2)
    assert (outcome.documents, outcome.bad) == (60, 1)
    found = sorted(str(path.relative_to("out")) for path in Path("out").rglob("*") if path.is_file())
    sides = ["flat.jsonl", "losses.jsonl"]
    expected = [
        f"{name}{side}"
        for name in ("a.jsonl", "deep/b.jsonl", "deep/c.json")
        for side in ["", *(f".{s}" for s in sides)]
    ]
    assert found == sorted([*expected, "a.jsonl.bad.jsonl"])


def test_several_sources_become_one_target() -> None:
    """The documents of several sources stand in one target in their order; losses count on, bad lines by source."""
    lines("a.jsonl", 40, bad=[40])
    lines("b.jsonl", 40, bad=[1])
    converted(["a.jsonl", "b.jsonl"], "c.jsonl")
    flat = [json.loads(line)["line"] for line in Path("c.jsonl.flat.jsonl").read_bytes().splitlines()]
    assert flat == list(range(1, 79))
    bad = [json.loads(line) for line in Path("c.jsonl.bad.jsonl").read_bytes().splitlines()]
    assert [(row["file"], row["line"]) for row in bad] == [("a.jsonl", 40), ("b.jsonl", 1)]


def test_binary_documents_are_frames() -> None:
    """A binary format goes to frames and back, in ranges that end where frames end."""
    converted([lines("a.jsonl", 100)], "b.msgpack", job=attrs.evolve(JOB, codec="msgpack"))
    converted(["b.msgpack"], "c.jsonl", job=attrs.evolve(JOB, codec="openai"), codec="msgpack", jobs=2)
    expected = [json.loads(row) for row in rows(100, seed=7)]
    assert [json.loads(line) for line in Path("c.jsonl").read_bytes().splitlines()] == expected


@pytest.mark.parametrize(
    ("names", "target", "codec"),
    [
        (["a.jsonl"], "b.json", "anthropic"),
        (["a.jsonl"], "b.msgpack", "anthropic"),
        (["a.jsonl"], "b.jsonl", "msgpack"),
        (["a.jsonl", "a.jsonl"], "b.json", "anthropic"),
    ],
)
def test_targets_that_cannot_hold_the_documents_are_refused(names: list[str], target: str, codec: str) -> None:
    """Many documents do not go into a .json file, nor binary into text, nor text into frames."""
    lines("a.jsonl", 3)
    with pytest.raises(am.FileError) as raised:
        targets_of(names, target, attrs.evolve(JOB, codec=codec), codec="openai")
    assert raised.value.code == "form"


def test_the_heart_depends_on_its_arguments_only() -> None:
    """A range of a file, converted alone, gives the parts that a run joins, in this process or any other."""
    name = lines("a.jsonl")
    source = Source(path=name, kind=Kind("jsonl"), codec="openai", size=Path(name).stat().st_size)
    borders = [0, 1, 999, 1000, 5000, None]
    whole = Path("whole.out")
    parts = b""
    for index, (start, end) in enumerate(pairwise(borders)):
        report = convert_range(JOB, Piece(source=source, start=start or 0, end=end), f"p{index}")
        parts += Path(f"p{index}.out").read_bytes()
        assert report.sizes[".out"] == Path(f"p{index}.out").stat().st_size
    convert_range(JOB, Piece(source=source), "whole")
    assert parts == whole.read_bytes()


# -- places that fsspec reaches


@pytest.mark.parametrize("scheme", ["memory://bucket", "file://{here}/remote"])
def test_urls_are_files(scheme: str) -> None:
    """Sources and targets may be URLs; the bytes are those of local files, and no work folder stays."""
    expected = reference(bad=[5])
    base = scheme.format(here=Path.cwd())
    files, root = cast("Any", core).url_to_fs(base)
    files.makedirs(root, exist_ok=True)
    files.pipe_file(f"{base}/a.jsonl", Path("a.jsonl").read_bytes())
    job, target = JOB, f"{base}/b.jsonl"
    targets = targets_of([f"{base}/a.jsonl"], target, job, codec=None)
    run(job, targets, Request(work=f"{base}/work", losses=(f"{target}.losses.jsonl",), flat=(f"{target}.flat.jsonl",)))
    found = {path.rsplit("b.jsonl", 1)[1]: files.cat_file(path) for path in files.find(root) if "b.jsonl" in path}
    moved = expected[".bad.jsonl"].replace(b'"file":"a.jsonl"', f'"file":"{base}/a.jsonl"'.encode())
    assert found == expected | {".bad.jsonl": moved}
    assert not [path for path in files.find(root) if "work" in path]
    files.rm(root, recursive=True)


# -- stopped, and resumed


def stopped_after(pieces: int, **options: Any) -> None:
    """Run until so many ranges are done, and stop there as by Ctrl-C."""
    done = 0

    def progress(size: int, documents: int) -> None:
        nonlocal done
        done += bool(size or documents)
        if done > pieces:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        converted(["a.jsonl"], "b.jsonl", progress=progress, **options)


def test_a_stopped_run_leaves_no_target_and_goes_on() -> None:
    """After a stop there is no target; a run that resumes does the rest only, and writes the same bytes."""
    whole = reference(bad=[9])
    stopped_after(3)
    assert written("b.jsonl") == {}
    outcome = converted(["a.jsonl"], "b.jsonl", resume=True)
    assert outcome.resumed == 4
    assert written("b.jsonl") == whole


def test_without_resume_a_run_begins_anew() -> None:
    """What a stopped run left is thrown away by a run that does not resume."""
    whole = reference()
    stopped_after(3)
    assert converted(["a.jsonl"], "b.jsonl").resumed == 0
    assert written("b.jsonl") == whole


@pytest.mark.parametrize(
    ("change", "code"), [("same size", "source-changed"), ("longer", "source-changed"), ("other job", "resume")]
)
def test_a_resume_of_something_else_is_refused(change: str, code: str) -> None:
    """A run does not go on with a source that changed, whatever its size, nor with another job."""
    data = Path(lines("a.jsonl")).read_bytes()
    stopped_after(3)
    if change == "same size":
        Path("a.jsonl").write_bytes(data.replace(b'"0 ', b'"1 ', 1))
    if change == "longer":
        Path("a.jsonl").write_bytes(data + b"{}\n")
    job = attrs.evolve(JOB, verify=True) if change == "other job" else JOB
    with pytest.raises(am.FileError) as raised:
        converted(["a.jsonl"], "b.jsonl", job=job, resume=True)
    assert raised.value.code == code
    assert written("b.jsonl") == {}


def test_two_runs_of_one_target_do_not_mix() -> None:
    """While a run is at work on a target, another is refused, and the first ends as if nothing had been."""
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


@pytest.mark.skipif(os.name == "nt", reason="there are no such links")
def test_links_at_the_names_of_parts_are_not_followed() -> None:
    """Whoever puts a link where a part will be gets nothing written through it."""
    Path("victim").write_bytes(b"mine")
    lines("a.jsonl", 3)
    Path(".work-b.jsonl").mkdir()
    for name in ("0.out", "run.json.part", "0.done.part"):
        Path(".work-b.jsonl", name).symlink_to(Path("victim").absolute())
    converted(["a.jsonl"], "b.jsonl")
    assert Path("victim").read_bytes() == b"mine"
    assert len(Path("b.jsonl").read_bytes().splitlines()) == 3


KILLS = {"ci": 200, "quick": 20, "long": 1000}.get(PROFILE, 50)
# Starts a run in a child, kills it at a random moment, looks, and starts it again, so many times.
_KILLER = """
import os, random, signal, sys, time
from pathlib import Path
from agentmsg.files import Job, Kind, Request, plan, run, targets_of

plan.PIECE = 1500
job = Job(codec="anthropic", kind=Kind("jsonl"), losses=True)
sides = Path("b.jsonl"), Path("b.jsonl.losses.jsonl"), Path("b.jsonl.bad.jsonl")
request = Request(work=".work", losses=("b.jsonl.losses.jsonl",), resume=True)

def whole_run():
    run(job, targets_of(["a.jsonl"], "b.jsonl", job, codec="openai"), request)

whole_run()
expected = [path.read_bytes() for path in sides]
random.seed(7)
began = time.monotonic()
whole_run()
usual = time.monotonic() - began
resumed = finished = 0
for kill in range(int(sys.argv[1])):
    if Path(".work").exists():
        resumed += 1
    else:
        for path in sides:
            path.unlink(missing_ok=True)
    if not (child := os.fork()):
        whole_run()
        os._exit(0)
    time.sleep(random.uniform(0, usual))
    os.kill(child, signal.SIGKILL)
    finished += os.waitpid(child, 0)[1] == 0
    for path, data in zip(sides, expected):
        if path.exists() and path.read_bytes() != data:
            sys.exit(f"half a file: {path}")
    if sides[0].exists() and not all(path.exists() for path in sides):
        sys.exit("a document without its account")
whole_run()
if [path.read_bytes() for path in sides] != expected:
    sys.exit("another result")
print(resumed, finished)
"""


def process(*command: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run Python in a process of its own, with our import path."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    return subprocess.run([sys.executable, *command], env=env, check=False, capture_output=True, text=True, **options)


@pytest.mark.skipif(os.name == "nt", reason="there is no such signal")
def test_killed_at_any_moment_nothing_is_half_done() -> None:
    """Killed at random moments, a run leaves whole files or none, and the last resume gives the same bytes (G1)."""
    lines("a.jsonl", 60, bad=[7])
    done = process("-c", _KILLER, str(KILLS))
    assert (done.returncode, done.stderr) == (0, "")
    resumed, finished = map(int, done.stdout.split())
    assert resumed > KILLS // 4
    assert resumed + finished <= KILLS


_AGENTMSG = ("-m", "agentmsg", "convert", "a.jsonl", "b.jsonl", "--from", "openai", "--to", "anthropic")


@pytest.mark.skipif(os.name == "nt", reason="there are no such limits")
def test_a_full_disk_is_one_line() -> None:
    """Where the disk has no more room: one line, the old target as it was, and a run that goes on later (G2)."""
    lines("a.jsonl", 400)
    Path("b.jsonl").write_bytes(b"old")
    limited = "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)); "
    limited += f"sys.argv = {list(_AGENTMSG[1:])!r}; runpy.run_module('agentmsg', run_name='__main__')"
    done = process("-c", limited)
    assert done.returncode == 1
    assert [line.split("]")[0] for line in done.stderr.splitlines()] == ["agentmsg: error [file"]
    assert "File too large" in done.stderr
    assert Path("b.jsonl").read_bytes() == b"old"
    assert process(*_AGENTMSG, "--resume").returncode == 0
    assert len(Path("b.jsonl").read_bytes().splitlines()) == 400


@pytest.mark.skipif(os.name == "nt", reason="there are no such files")
@pytest.mark.parametrize(
    ("source", "target", "words"),
    [
        ("a.jsonl", "/proc/b.jsonl", "agentmsg: error [file] /proc/"),
        ("a.jsonl", "/dev/full", "agentmsg: error [file] /dev/full: No space left on device"),
        ("a.jsonl", "no/b.jsonl", "agentmsg: error [file] no/b.jsonl: No such file or directory"),
        ("none.jsonl", "b.jsonl", "agentmsg: error [file] none.jsonl: No such file or directory"),
    ],
)
def test_what_the_system_refuses_is_one_line(source: str, target: str, words: str) -> None:
    """A target or source that the system refuses is one line with its name (G2)."""
    lines("a.jsonl", 3)
    done = process(
        "-m", "agentmsg", "convert", source, target, "--from", "openai", "--to", "anthropic", "--form", "jsonl", "-q"
    )
    assert (done.returncode, done.stderr.count("\n"), done.stdout) == (1, 1, "")
    assert done.stderr.startswith(words)


@pytest.mark.skipif(os.name == "nt", reason="signals differ")
def test_ctrl_c_keeps_what_is_done() -> None:
    """Ctrl-C in a run of several processes: one line, no target, and a resume that has less to do (G7)."""
    lines("a.jsonl", 20_000)
    patched = "import runpy, sys; from agentmsg.files import plan; plan.PIECE = 20_000; "
    patched += f"sys.argv = {[*_AGENTMSG[1:], '--jobs', '2']!r}; "
    patched += "__name__ == '__main__' and runpy.run_module('agentmsg', run_name='__main__')"
    env = os.environ | {"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    with subprocess.Popen(
        [sys.executable, "-c", patched], env=env, stderr=subprocess.PIPE, start_new_session=True
    ) as child:
        while not list(Path(".b.jsonl.agentmsg").glob("*.done")):
            assert child.poll() is None
            time.sleep(0.01)
        os.killpg(child.pid, signal.SIGINT)
        _, errors = child.communicate()
    assert (child.returncode, errors) == (130, b"agentmsg: stopped; --resume goes on from here\n")
    assert not Path("b.jsonl").exists()
