"""Codecs and blocks of other packages: found by entry points, told apart from ours, and never a raw exception."""

from __future__ import annotations

import datetime as dt
import importlib.metadata
import inspect
import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import pytest

import agentmsg as am
import agentmsg.registry as _registry
from agentmsg.formats import Caps, MessageRow, Row
from agentmsg.formats.codec import Codec
from agentmsg.model import blocks
from benchmarks import formats
from benchmarks.data import mixed_history
from benchmarks.section import Scale
from benchmarks.timing import Rounds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[1]
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

class Empty(Sloppy):
    name = "empty"

    def read(self, document):
        pass

class Raising(Sloppy):
    name = "raising"

    def __init__(self):
        raise OSError("no such table")

class Setting(Sloppy):
    name = "setting"

    def __init__(self):
        self.style = "a"

class Nameless(am.Codec):
    pass

class Numbered(Sloppy):
    name = "numbered"
    caps = 7

class Spoken(Sloppy):
    name = "spoken"

    def read(self, document):
        return super().read(document).evolve(extras={"spoken": {"unsaid": document["unsaid"]}})

    def raw_arguments(self, own):
        return [(("unsaid", at, "asks"), each["asks"]) for at, each in enumerate(own["unsaid"])]
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
empty = acme_codec:Empty
raising = acme_codec:Raising
setting = acme_codec:Setting
nameless = acme_codec:Nameless
numbered = acme_codec:Numbered
spoken = acme_codec:Spoken

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


def test_raw_calls_are_told_in_the_words_of_their_format(command: Any, tmp_path: Path) -> None:
    """A format that keeps raw messages says itself where their arguments are; others' words mean nothing there."""
    chat = {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{"}}]}
    rows = [{"text": "Hi", "unsaid": [{"asks": "{}"}, {"asks": asks, "chat": chat}]} for asks in ("{", '{"a": 1}', "")]
    convert = ("convert", saved(tmp_path, "a.jsonl", *rows), "-f", "spoken", "-t", "hf", "-o", "b.jsonl", "--force")
    done = command(*convert)
    assert done.returncode == 0, done.stderr
    assert "1 document with calls whose arguments are broken" in done.stderr
    assert "[arguments] /extras/spoken/unsaid/1/asks: " in command(*convert, "--quarantine", "arguments").stderr
    # One that fails is one error, as any fault of another package's codec.
    saved(tmp_path, "a.jsonl", {"text": "Hi", "unsaid": [{}]})
    fault = command(*convert).stderr
    assert "[codec] spoken: the reader of" in fault
    assert "KeyError" in fault


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


@am.register_block("test_plugins.loose")
@attrs.frozen
class Loose(am.BaseBlock):
    """A block whose class checks nothing."""

    words: str = ""
    steps: tuple[str, ...] = ()
    when: dt.datetime | None = None
    table: dict[str, int] = attrs.field(factory=dict)
    inner: am.Block | None = None
    free: object = None
    hooked: complex = 0j


WRONG: list[tuple[str, Any, tuple[str | int, ...]]] = [
    ("words", 7, ()),
    ("words", None, ()),
    ("words", "\ud800", ()),
    ("steps", ["a"], ()),
    ("steps", "ab", ()),
    ("steps", ("a", 1), (1,)),
    ("when", "noon", ()),
    ("table", {"a": "b"}, ("a",)),
    ("table", {1: 1}, (1,)),
    ("inner", 7, ()),
    ("inner", am.URLSource("x"), ()),
    ("free", (1, 2), ()),
    ("free", {"a": {1}}, ("a",)),
    ("free", float("nan"), ()),
    ("free", dt.datetime(2026, 1, 1), ()),
    ("hooked", 1j, ()),
    ("hooked", object(), ()),
]
PLACES: list[tuple[Callable[[Any], Any], tuple[str | int, ...]]] = [
    (lambda block: block, ()),
    (lambda block: am.ToolResultBlock("c1", [am.TextBlock("x"), block]), ("content", 1)),
    (lambda block: am.FileBlock(am.BlocksSource([block])), ("source", "content", 0)),
]


@pytest.mark.parametrize("codec", ["json", "msgpack"])
@pytest.mark.parametrize(("field", "value", "inside"), WRONG)
def test_a_block_is_not_written_that_does_not_come_back(codec: Any, field: str, value: Any, inside: Any) -> None:
    """What the types of a class without validators don't allow is one error, at the field, wherever the block is."""
    for place, lead in PLACES:
        block = place(Loose(**{field: value}))
        history = am.History.of("Hi", am.Msg("user", [am.TextBlock("x"), block]))
        for write in (am.encode, am.dumps, partial(am.convert, to=codec)):
            with pytest.raises(am.AgentMsgError) as caught:
                write(history) if isinstance(write, partial) else write(history, codec)
            assert caught.value.codec == codec
            assert caught.value.path == ("messages", 1, "content", 1, *lead, field, *inside)
    with pytest.raises(am.AgentMsgError):
        am.convert(HISTORY + am.Msg("user", [Loose(**{field: value})]), to="openai").dump_losses()


@pytest.mark.parametrize("codec", ["json", "msgpack"])
def test_a_block_that_is_right_comes_back(codec: Any) -> None:
    """Values as annotated are written and read again."""
    noon = dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC)
    block = Loose("x", ("a",), noon, {"a": 1}, am.TextBlock("y"), {"a": [1.5, None]}, metadata={"k": 1})
    history = am.History([am.Msg("user", [place(block) for place, _ in PLACES])])
    assert am.same(am.loads(am.dumps(history, codec), codec), history)
    assert am.same(am.decode(am.encode(history, codec), codec), history)


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


class Named(Broken):
    """The same with a table in a module."""

    name: ClassVar[str] = "named"
    caps_in: ClassVar[str | None] = "tables_of_named"


@pytest.mark.parametrize(
    ("table", "cause"), [(Caps(everything=True), KeyError), (None, type(None)), (KeyError("x"), ModuleNotFoundError)]
)
def test_the_table_of_another_package_may_be_in_a_module(
    table: Any, cause: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the codec's; a module that is missing, or returns something else, is an error with the codec's name."""
    if cause is not ModuleNotFoundError:
        monkeypatch.setitem(sys.modules, "tables_of_named", SimpleNamespace(make_caps=lambda _: table))
    with pytest.raises(am.AgentMsgError) as caught:
        am.encode(HISTORY, Named())
    assert (caught.value.codec, caught.value.code, type(caught.value.__cause__)) == ("named", "codec", cause)


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
    """The command line sets such documents aside, and converts all others; codecs that can't be used are skipped."""
    file = saved(tmp_path, "e.jsonl", {"text": "Hi"})
    done = command("convert", file, "-f", "empty", "-t", "json", "-o", "none.jsonl")
    assert (done.returncode, "Traceback" in done.stderr) == (3, False)
    next(tmp_path.glob("*.bad.jsonl")).unlink()
    file = saved(tmp_path, "a.jsonl", {"text": "Hi"}, {"txt": "?"}, {"text": "Ho"})
    done = command("convert", file, "-f", "sloppy", "-t", "json", "-o", "out.jsonl")
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 2
    (bad,) = tmp_path.glob("*.bad.jsonl")
    (told,) = map(json.loads, bad.read_text().splitlines())
    assert (told["line"], told["code"]) == (2, "codec")
    assert "KeyError" in told["reason"]
    told = command("formats")
    assert "isn't used" in told.stderr
    assert (told.returncode, "Traceback" in told.stderr) == (0, False)
    for name in ("raising", "setting", "nameless", "numbered"):
        assert f"skipped: {name}" in told.stderr
    for arguments in (
        ("detect", file),
        ("schema", "sharegpt"),
        ("convert", "/dev/null", "-f", "raising", "-t", "json"),
    ):
        assert "Traceback" not in command(*arguments).stderr


@attrs.frozen(kw_only=True)
class Odd(Codec):
    """A codec whose methods return what it is told."""

    name: ClassVar[str] = "odd"
    result: Any = None

    def read(self, document: Any) -> Any:
        """Return the result."""
        return self.result

    def write(self, history: am.History) -> Any:
        """Return the result."""
        return self.result

    def read_chunk(self, document: Any) -> Any:
        """Return the result."""
        return self.result

    def suited(self, history: am.History) -> Any:
        """Return the result if there are settings."""
        return self if history.settings is None else self.result


ODD: list[Any] = [None, 7, object(), {7}, {"a": object()}, [Told]]


@pytest.mark.parametrize("result", ODD, ids=range(len(ODD)))
def test_what_another_package_returns_is_checked(result: Any) -> None:
    """A reader's or writer's result of another kind is one error, and no fault in ours."""
    codec = Odd(result=result)
    calls: list[Callable[[], Any]] = [
        lambda: am.decode({}, codec),
        lambda: am.loads("{}", codec),
        lambda: am.History.decode({}, codec),
        lambda: am.convert({}, codec, "json"),
        lambda: am.decode_chunk({}, codec),
        lambda: am.encode(HISTORY, codec),
        lambda: am.dumps(HISTORY, codec),
        lambda: am.convert(am.encode(HISTORY, "json"), "json", codec),
        lambda: HISTORY.messages_for(codec),
        lambda: am.encode(HISTORY.with_settings(seed=1), codec),
    ]
    for call in calls:
        with pytest.raises(am.AgentMsgError):
            call()


def test_a_codec_that_cannot_be_made_is_unavailable(package: Path) -> None:
    """Its error has the cause; others are recognised, and say what they know."""
    code = """
        import sys, agentmsg as am
        sys.path.insert(0, sys.argv[1])
        for name in ("raising", "setting", "nameless"):
            try:
                am.get_codec(name)
            except am.CodecLookupError as error:
                print(error.code, type(error.__cause__).__name__)
        print(am.recognize({"messages": [{"role": "user", "content": "x"}]}))
        try:
            am.decode({"t": "x"}, "openai")
        except am.DecodeError as error:
            print(error.code)
    """
    whole = [sys.executable, "-W", "ignore", "-c", inspect.cleandoc(code), str(package)]
    done = subprocess.run(whole, capture_output=True, text=True, check=False)
    causes = ("OSError", "FrozenInstanceError", "NoneType")
    assert done.stdout.split() == [word for cause in causes for word in ("unavailable", cause)] + ["openai", "schema"]


@pytest.mark.parametrize("arguments", [("--codec", "sloppy", "--codec", "json"), ("--codec", "none")])
def test_benchmarks_measure_codecs_of_other_packages(package: Path, arguments: tuple[str, ...]) -> None:
    """A codec of an installed package is measured like ours, by its name."""
    code = "import sys; sys.path[:0] = sys.argv.pop(1), '.'; from benchmarks.__main__ import main; sys.exit(main())"
    whole = [sys.executable, "-c", code, str(package), "--messages", "12", "--rounds", "1", *arguments]
    done = subprocess.run(whole, cwd=ROOT, capture_output=True, text=True, check=False)
    if "none" in arguments:
        assert (done.returncode, "there is no codec 'none'" in done.stderr) == (2, True)
    else:
        assert done.returncode == 0, done.stderr
        assert [name for name in ("sloppy", "json", "openai") if f"\n{name} " in done.stdout] == ["sloppy", "json"]


@pytest.mark.usefixtures("points")
def test_benchmarks_measure_all_installed_codecs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a name all codecs are measured; one of another package that fails is named with its error."""
    monkeypatch.setattr(formats, "CODECS", {"json": ""})
    monkeypatch.setattr(am, "codec_names", lambda: ("broken", "json"))
    with pytest.warns(UserWarning, match="isn't used"):
        section = formats.codecs_section(Scale(mixed_history(12), Rounds(1, 0.1)))
    assert set(section.rows) == {"json", "langchain, one by one"}
    assert [(each.name, "KeyError" in each.why) for each in section.missing] == [("broken", True)]


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
