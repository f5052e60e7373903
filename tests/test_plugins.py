"""Codecs and blocks of other packages: found by entry points, told apart from ours, and never a raw exception."""

from __future__ import annotations

import importlib.metadata
import inspect
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import pytest

import agentmsg as am
import agentmsg.registry as _registry
from agentmsg.formats import Caps, MessageRow, Row
from agentmsg.formats.codec import Codec
from agentmsg.model import blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

HISTORY = am.History([am.Msg.user("Hi", id="m1", created_at=None)])
CODEC = """
import agentmsg as am

class Sloppy(am.Codec):
    name = "sloppy"

    def read(self, document):
        return am.History([am.Msg.user(document["text"], id=None, created_at=None)])

    def write(self, history):
        return {"text": history[0].content[0].text}

class Openai(Sloppy):
    name = "openai"
"""
BLOCKS = """
import attrs
import agentmsg as am

@am.register_block("acme.note")
@attrs.frozen
class Note(am.BaseBlock):
    note: str

@attrs.frozen
class Plan(am.BaseBlock):
    steps: tuple[str, ...] = ()
"""
POINTS = """\
[agentmsg.codecs]
sloppy = acme_codec:Sloppy
openai = acme_codec:Openai

[agentmsg.blocks]
acme.note = acme_blocks:Note
acme.plan = acme_blocks:Plan
acme.broken = acme_nothing:Block
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a package that has codecs and blocks, as pip installs it."""
    folder = tmp_path_factory.mktemp("acme")
    (folder / "acme_codec.py").write_text(CODEC)
    (folder / "acme_blocks.py").write_text(BLOCKS)
    info = folder / "acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    return folder


@pytest.fixture
def command(package: Path, tmp_path: Path) -> Callable[..., Any]:
    """The command line of a process where the package is installed."""

    def run(*arguments: str) -> Any:
        code = "import sys; sys.path.insert(0, sys.argv.pop(1)); from agentmsg.cli import main; main()"
        whole = [sys.executable, "-c", code, str(package), *arguments]
        return subprocess.run(whole, cwd=tmp_path, capture_output=True, text=True, check=False)

    return run


def saved(folder: Path, name: str, *documents: Any) -> str:
    """Save documents, one a line, and return the path."""
    path = folder / name
    path.write_text("".join(json.dumps(document) + "\n" for document in documents))
    return str(path)


def note(tag: str, **fields: Any) -> dict[str, Any]:
    """Return a canonical document with one block."""
    return {"agentmsg": 1, "messages": [{"role": "user", "content": [{"type": tag, **fields}]}]}


def test_the_command_line_knows_blocks_of_other_packages(command: Any, tmp_path: Path) -> None:
    """A tag that no class of ours has is looked up once; a class that can't be loaded is a warning."""
    file = saved(tmp_path, "a.jsonl", note("acme.note", note="Buy tea"), note("acme.plan", steps=["a"]))
    done = command("convert", file, "-f", "json", "-t", "msgpack", "-o", "out.msgpack")
    assert done.returncode == 0, done.stderr
    assert "acme.broken" in done.stderr
    back = command("convert", "out.msgpack", "-t", "json", "-o", "back.jsonl")
    assert back.returncode == 0, back.stderr
    assert [json.loads(line) for line in (tmp_path / "back.jsonl").read_text().splitlines()] == [
        note("acme.note", note="Buy tea"), note("acme.plan", steps=["a"]),
    ]  # fmt: skip
    wrong = saved(tmp_path, "b.jsonl", note("acme.note", note=7))
    assert "note" in command("convert", wrong, "-f", "json", "-t", "msgpack", "-o", "w.msgpack").stderr


@pytest.mark.usefixtures("points")
def test_blocks_are_known_wherever_they_are_read() -> None:
    """A class is loaded for plain data, bytes and parts, in both spellings of the canonical form."""
    document = note("test.told", words="x")
    reads: tuple[Callable[[], am.History], ...] = (
        lambda: am.decode(document, "json"), lambda: am.loads(json.dumps(document), "json"),
    )  # fmt: skip
    for read in reads:
        block = read()[0].content[0]
        assert (type(block).__name__, getattr(block, "words", None)) == ("Told", "x")
    native = am.decode(note("test.unknown", a=1), "json")[0].content[0]
    assert isinstance(native, am.NativeBlock)
    assert am.loads(am.dumps(am.decode(document, "json"), "msgpack"), "msgpack") == am.decode(document, "json")


class Point:
    """An entry point."""

    def __init__(self, name: str, target: Any) -> None:
        self.name, self.target, self.value = name, target, f"test:{name}"

    def load(self) -> Any:
        """Return what it names."""
        return self.target


@attrs.frozen
class Told(am.BaseBlock):
    """A block that is only named by its entry point."""

    words: str


@attrs.frozen(kw_only=True)
class Broken(Codec):
    """A codec whose methods fail; derived further, with ``super``."""

    name: ClassVar[str] = "broken"

    def read(self, document: Any) -> am.History:
        """Fail on most documents."""
        return am.History([am.Msg.user(document["text"], id=None, created_at=None)])

    def write(self, history: am.History) -> Any:
        """Fail on most histories."""
        return {"text": history[0].content[0].text, "x": history.metadata["x"]}  # type: ignore[union-attr]


@attrs.frozen(kw_only=True)
class Tabled(Broken):
    """The same with a table."""

    name: ClassVar[str] = "tabled"

    def make_caps(self) -> Caps:
        """Return that everything is supported."""
        return Caps(everything=True)

    def read(self, document: Any) -> am.History:
        """Read as the base does."""
        return super().read(document)


@pytest.fixture
def points(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Entry points of codecs and blocks, one of them named like a codec of ours."""
    found = {
        "agentmsg.codecs": [Point("broken", Broken), Point("hf", Broken), Point("broken", Tabled)],
        "agentmsg.blocks": [Point("test.told", Told)],
    }

    def points_of(*, group: str) -> list[Point]:
        return found[group]

    monkeypatch.setattr(importlib.metadata, "entry_points", points_of)
    caches = (_registry._theirs, _registry.codec_class, blocks.load_blocks)
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


@pytest.mark.usefixtures("points")
def test_a_plugin_named_like_another_is_told() -> None:
    """Ours wins over an entry point of the same name, the first over a second; a warning says so."""
    with pytest.warns(UserWarning, match="isn't used") as told:
        names = am.codec_names()
    assert {"broken", "hf"} <= set(names)
    assert [str(each.message).partition(":")[2] for each in told] == [
        " the codec 'hf' of test:hf isn't used: agentmsg_codecs.hf:HfCodec has this name",
    ]
    assert type(am.get_codec("hf")).__name__ == "HfCodec"


@pytest.mark.parametrize("codec", [Broken(), Tabled()])
def test_an_exception_of_another_package_is_one_error(codec: Any) -> None:
    """Whatever a reader or writer raises is an AgentMsgError with the codec's name, and the exception as its cause."""
    calls: dict[Callable[[], Any], type[Exception]] = {
        lambda: am.decode({}, codec): KeyError,
        lambda: am.decode(7, codec): TypeError,
        lambda: am.loads("{}", codec): KeyError,
        lambda: am.loads(b"[]", codec): TypeError,
        lambda: am.History.decode({}, codec): KeyError,
        lambda: am.convert({}, codec, "json"): KeyError,
        lambda: am.encode(HISTORY, codec): KeyError,
        lambda: am.dumps(HISTORY, codec): KeyError,
        lambda: HISTORY.encode(codec): KeyError,
        lambda: am.encode(am.History(), codec): IndexError,
        lambda: am.convert(am.encode(HISTORY, "json"), "json", codec): KeyError,
        lambda: codec.read({}): KeyError,
    }
    for call, kind in calls.items():
        with pytest.raises(am.AgentMsgError) as caught:
            call()
        assert (caught.value.codec, caught.value.code) == (codec.name, "codec")
        assert type(caught.value.__cause__) is kind
    with pytest.raises(AttributeError):
        am.get_codec("openai").write(7)  # type: ignore[arg-type] # a fault of ours stays one


def test_documents_of_a_failing_codec_are_quarantined(command: Any, tmp_path: Path) -> None:
    """The command line sets such documents aside, and converts all others."""
    file = saved(tmp_path, "a.jsonl", {"text": "Hi"}, {"txt": "?"}, {"text": "Ho"})
    done = command("convert", file, "-f", "sloppy", "-t", "json", "-o", "out.jsonl")
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 2
    (bad,) = tmp_path.glob("*.bad.jsonl")
    (told,) = map(json.loads, bad.read_text().splitlines())
    assert (told["line"], told["code"]) == (2, "codec")
    assert "KeyError" in told["reason"]
    assert "isn't used" in command("formats").stderr


CANONICAL: list[dict[str, Any]] = [
    {"agentmsg": 1},
    {"agentmsg": 1, "messages": [{"role": "user", "content": [{"type": "zz"}, {"type": "yy", "x": 1}]}]},
    {"agentmsg": 1, "messages": [{"role": "u", "q": 1, "w": 2, "content": [{"type": "a"}]}], "model": "m", "b": 2},
    {"agentmsg": 1, "messages": [], "choices": [{"message": {"role": "assistant", "content": "x"}}]},
    {"agentmsg": 1, "messages": [{"role": "user", "content": 7}]},
]


@pytest.mark.parametrize("document", CANONICAL)
def test_a_canonical_document_is_recognised_by_its_version(document: dict[str, Any]) -> None:
    """What names the canonical form is of this form, whatever else it holds."""
    assert am.recognize(document) == am.recognize(json.dumps(document)) == "json"
    assert am.detect(document)[0] == ("json", 1.0)


def test_convert_takes_options_of_both_codecs() -> None:
    """Options are those of the target; those of the source are given as a mapping."""
    history = am.History([am.Msg("assistant", [am.ThinkingBlock("Hm."), am.TextBlock("Hi")], id=None, created_at=None)])
    for thinking in ("reasoning_content", "text"):
        done = am.convert(am.encode(history, "json"), "json", "openai", thinking=thinking)
        assert done.document == am.encode(history, "openai", thinking=thinking)
    assert am.convert(history, to="openai", thinking="text").document == am.encode(history, "openai", thinking="text")
    read = am.convert([], "openai", "json", source_options={"thinking": "text"})
    assert read.document["messages"] == []
    wrongs: list[dict[str, Any]] = [{"thinknig": "text"}, {"source_options": {"x": 1}}]
    for wrong in wrongs:
        with pytest.raises(am.CodecLookupError):
            am.convert([], "openai", "anthropic", **wrong)


@pytest.mark.parametrize("cls", [Caps, Row, MessageRow])
def test_records_have_signatures(cls: Any) -> None:
    """``help`` and editors show the names, kinds and defaults of a table's parts, and calls are as they say."""
    shown = inspect.signature(cls)
    assert list(shown.parameters) == list(inspect.signature(cls).bind_partial().signature.parameters)
    assert all(each.annotation is not inspect.Parameter.empty for each in shown.parameters.values())
    first = next(iter(shown.parameters.values()))
    made = cls({}) if first.kind is first.POSITIONAL_OR_KEYWORD else cls(**{first.name: {}})
    assert getattr(made, first.name) == {}
