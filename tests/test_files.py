"""Files of documents: ranges, runs, resumes, quarantine; the same bytes from any engine."""

from __future__ import annotations

import io
import json
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import attrs
import msgpack
import pytest
from fsspec import core
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.files import Input, Kind, Piece, Request, Source, convert_range, kind_of, run, targets_of
from agentmsg.files.file_names import renamed
from agentmsg.limits import Limits
from support.files import JOB, PACKED, converted, documents, lines, reference, rows, written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SMALL = Limits(line=40, bytes=200)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of the test's own, with small ranges."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("agentmsg.files.plan.PIECE", 1500)


# -- documents of a range


FILES = st.lists(
    st.sampled_from([b"{}", b"", b" ", b"{}\r", b"\x00\x00", b"x" * 39, b"x" * 40, b"x" * 41, b"y" * 90, b"\xff"])
).map(b"\n".join)


@given(FILES, st.lists(st.integers(0, 400), max_size=5), st.booleans())
def test_ranges_hold_each_line_once(data: bytes, cuts: list[int], bom: bool) -> None:
    """Wherever a file of lines is cut, its ranges hold the same lines, at the same offsets, with the same errors."""
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
    """A file of frames gives each frame, with its offset; a cut frame is one error, with all its bytes."""
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
    """After bytes that aren't MessagePack, the start of the next frame is unknown."""
    found = [
        (item.offset, item.data, item.fault and item.fault.code)
        for item in documents(io.BytesIO(data), "msgpack", SMALL)
    ]
    assert found == expected


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
    """The suffixes of a name decide the form of documents in the file."""
    assert kind_of(name) == kind


def test_names_that_do_not_tell_need_a_form() -> None:
    """A name without a known suffix is an error, unless a form is given."""
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


@pytest.fixture
def no_ray_after() -> Iterator[None]:
    """End the processes that Ray started."""
    yield
    if ray := cast("Any", sys.modules.get("ray")):
        ray.shutdown()


@pytest.mark.usefixtures("no_ray_after")
@pytest.mark.parametrize(
    "engine",
    ["local", pytest.param("dask", marks=pytest.mark.slow), pytest.param("ray", marks=pytest.mark.slow)],
)
def test_bytes_do_not_depend_on_who_works(engine: str) -> None:
    """Target, loss reports and quarantine are the same bytes for any number of ranges and jobs, and any engine."""
    whole = reference(bad=[1, 77, 200])
    outcome = converted(["a.jsonl"], "b.jsonl", engine=engine, jobs=2)
    assert (outcome.documents, outcome.bad, outcome.levels) == (197, 3, {"setting": 197})
    assert written("b.jsonl") == whole
    assert sorted(whole) == ["", ".bad.jsonl", ".flat.jsonl", ".losses.jsonl"]
    assert not Path(".work-b.jsonl").exists()


def test_each_document_is_what_convert_makes_of_it() -> None:
    """A file of documents is converted like each of its documents."""
    converted([lines("a.jsonl", 50)], "b.jsonl")
    expected = [am.convert(row, "openai", "anthropic").document for row in rows(50, seed=7)]
    assert Path("b.jsonl").read_bytes().splitlines() == expected


def test_a_quarantine_of_before_is_gone() -> None:
    """If a target is replaced and nothing is bad any more, its quarantine is removed too."""
    converted([lines("a.jsonl", 5, bad=[2])], "b.jsonl")
    assert Path("b.jsonl.bad.jsonl").exists()
    converted([lines("a.jsonl", 5)], "b.jsonl", force=True)
    assert not Path("b.jsonl.bad.jsonl").exists()


@pytest.mark.parametrize("suffix", PACKED)
def test_compression_changes_nothing_else(suffix: str) -> None:
    """Compressed sources and targets hold the same documents; what can be read of a damaged source is converted."""
    pack, unpack = PACKED[suffix]
    packed = pack(Path(lines("a.jsonl")).read_bytes())
    Path(f"a.jsonl{suffix}").write_bytes(packed)
    converted([f"a.jsonl{suffix}"], f"b.jsonl{suffix}")
    converted(["a.jsonl"], "c.jsonl")
    assert unpack(Path(f"b.jsonl{suffix}").read_bytes()) == Path("c.jsonl").read_bytes()
    Path(f"cut.jsonl{suffix}").write_bytes(packed + packed[:-9])
    outcome = converted([f"cut.jsonl{suffix}"], "d.jsonl")
    assert (dict(outcome.codes), outcome.bad_files) == ({"compression": 1}, ["d.jsonl.bad.jsonl"])
    assert Path("d.jsonl").read_bytes().startswith(Path("c.jsonl").read_bytes())
    Path(f"cut.jsonl{suffix}").write_bytes(packed[:9])
    with pytest.raises(am.FileError) as raised:
        converted([f"cut.jsonl{suffix}"], "e.jsonl")
    assert raised.value.code == "compression"
    assert not Path("e.jsonl").exists()


def test_folders_become_folders() -> None:
    """Each data file of a folder has its own target, loss report and quarantine, in a folder of the same structure."""
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
    """The documents of several sources are in one target in order; losses are numbered on, bad lines by source."""
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
    """Many documents can't go into a .json file, nor binary into text, nor text into frames."""
    lines("a.jsonl", 3)
    with pytest.raises(am.FileError) as raised:
        targets_of(names, target, attrs.evolve(JOB, codec=codec), Input(source="openai"))
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
    """Sources and targets may be URLs; the bytes are those of local files, and no work folder remains."""
    expected = reference(bad=[5])
    base = scheme.format(here=Path.cwd())
    files, root = cast("Any", core).url_to_fs(base)
    files.makedirs(root, exist_ok=True)
    files.pipe_file(f"{base}/a.jsonl", Path("a.jsonl").read_bytes())
    job, target = JOB, f"{base}/b.jsonl"
    targets = targets_of([f"{base}/a.jsonl"], target, job, Input())
    run(job, targets, Request(work=f"{base}/work", losses=(f"{target}.losses.jsonl",), flat=(f"{target}.flat.jsonl",)))
    found = {path.rsplit("b.jsonl", 1)[1]: files.cat_file(path) for path in files.find(root) if "b.jsonl" in path}
    moved = expected[".bad.jsonl"].replace(b'"file":"a.jsonl"', f'"file":"{base}/a.jsonl"'.encode())
    assert found == expected | {".bad.jsonl": moved}
    assert not [path for path in files.find(root) if "work" in path]
    files.rm(root, recursive=True)
