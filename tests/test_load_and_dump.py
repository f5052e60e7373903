"""Files in one call: load, dump, load_lines, dump_lines; paths and file objects, binary and text."""

from __future__ import annotations

import gzip
import io
import tempfile
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

import agentmsg as am

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CALL = am.Msg.assistant("Let me look.", tool_calls=[{"name": "find", "id": "c1", "input": {"q": "x"}}])
HISTORY = am.History.of("Grüße", CALL, am.Msg.tool("found", tool_call_id="c1", name="find"), am.Msg.assistant("There."))
SUFFIXES = ("", ".gz", ".zst")


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _names() -> list[str]:
    return sorted(path.name for path in Path().iterdir())


# -- whole documents ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("codec", am.codec_names())
@pytest.mark.parametrize("compression", SUFFIXES)
def test_what_is_dumped_is_loaded(codec: am.CodecName, compression: str) -> None:
    """A document in a file of any name gives the same history, with and without its codec; other bytes give none."""
    wanted = am.decode(am.encode(HISTORY, codec, losses=[]), codec)
    form = "msgpack" if am.get_codec(codec).binary else "json"
    for name in (f"a.{form}{compression}", f"b{compression}", f"c.dat{compression}"):
        am.dump(HISTORY, name, codec, losses=[])
        assert am.same(am.load(name, codec), wanted)
        assert am.same(am.load(Path(name)), wanted)
    if not compression:
        assert Path("b").read_bytes() == am.dumps(HISTORY, codec, losses=[])
    assert not [name for name in _names() if name.endswith(".part")]


def test_file_objects_are_read_and_written_as_they_are() -> None:
    """Binary and text files are accepted alike, stay open, and are neither compressed nor decompressed."""
    makers: tuple[Callable[[], Any], ...] = (
        io.BytesIO,
        io.StringIO,
        tempfile.TemporaryFile,
        partial(tempfile.TemporaryFile, "w+", encoding="utf-8"),
        tempfile.SpooledTemporaryFile,
    )
    for make in makers:
        with make() as file:
            am.dump(HISTORY, file, "json")
            file.seek(0)
            assert am.same(am.load(file), HISTORY)
            assert not file.closed
    with gzip.open("a.gz", "wb") as packed:
        am.dump(HISTORY, packed, "msgpack")
    with gzip.open("a.gz") as packed:
        assert am.same(am.load(packed, "msgpack"), HISTORY)
    assert am.same(am.load("a.gz"), HISTORY)
    with pytest.raises(am.FileError) as caught:
        am.dump(HISTORY, io.StringIO(), "msgpack")
    assert caught.value.code == "form"


def test_a_file_that_exists_is_replaced_only_by_force() -> None:
    """Without force nothing is overwritten; with it the file is replaced."""
    am.dump(HISTORY, "a.json", "json")
    before = Path("a.json").read_bytes()
    with pytest.raises(am.FileError, match="force=True replaces it") as caught:
        am.dump(["other"], "a.json", "json")
    assert caught.value.code == "exists"
    assert Path("a.json").read_bytes() == before
    am.dump(["other"], "a.json", "json", force=True)
    assert am.load("a.json")[0].text == "other"


def test_what_cannot_be_written_leaves_all_as_it_was() -> None:
    """A loss of content, an unknown codec or a name of another form writes nothing, and replaces nothing."""
    thought = am.History.of(am.Msg.of(am.ThinkingBlock("hm")))
    Path("old.json").write_text("old")
    wrong: list[tuple[str, Callable[[], object]]] = [
        ("content-loss", lambda: am.dump(thought, "new.json", "openai")),
        ("content-loss", lambda: am.dump(thought, "old.json", "openai", force=True)),
        ("unknown-codec", lambda: am.dump(HISTORY, "new.json", "opnai")),  # type: ignore[arg-type]
        ("option", lambda: am.dump(HISTORY, "new.json", am.get_codec("openai", thinknig="text"))),
        ("form", lambda: am.dump(HISTORY, "new.json", "msgpack")),
        ("form", lambda: am.dump(HISTORY, "new.msgpack", "json")),
        ("file", lambda: am.dump(HISTORY, "nowhere/new.json", "json")),
        ("type", lambda: am.dump([5], "new.json", "json")),  # type: ignore[list-item]
    ]
    for code, call in wrong:
        with pytest.raises(am.AgentMsgError) as caught:
            call()
        assert caught.value.code == code
    assert _names() == ["old.json"]
    assert Path("old.json").read_text() == "old"
    losses: list[am.Loss] = []
    am.dump(thought, "new.json", "openai", losses=losses)
    assert [loss.level for loss in losses].count("content") == 1


def test_a_format_is_detected_or_refused() -> None:
    """Without a codec the format is detected; if that is uncertain, the error names file and guesses."""
    Path("a.json").write_text('[{"role": "user", "content": [{"type": "text", "text": "x"}]}]')
    Path("b.json").write_text('{"what": "ever"}')
    assert am.load("a.json") == am.load("a.json", "openai")
    with pytest.raises(am.NotUnderstood, match=r"\(b\.json\)"):
        am.load("b.json")
    with pytest.raises(am.DecodeError, match=r"b\.json"):
        am.load("b.json", "openai")


def test_a_file_holds_one_document_to_be_loaded() -> None:
    """JSON Lines with one document are loaded; for several the error names load_lines; an empty file is no document."""
    am.dump_lines([HISTORY], "one.jsonl")
    am.dump_lines(HISTORY, "many.jsonl")
    Path("none.jsonl").write_text("\n\n")
    Path("empty.json").write_text("")
    assert am.same(am.load("one.jsonl"), HISTORY)
    with pytest.raises(am.DecodeError, match="load_lines"):
        am.load("many.jsonl")
    for name in ("none.jsonl", "empty.json"):
        with pytest.raises(am.DecodeError) as caught:
            am.load(name)
        assert caught.value.code == "syntax"


LOADS: tuple[Callable[[Any], object], ...] = (am.load, lambda path: list(am.load_lines(path)))


def test_files_that_cannot_be_read_are_file_errors() -> None:
    """A missing file, a folder, damaged compression; for a document as text the error names loads."""
    Path("folder").mkdir()
    Path("bad.json.gz").write_bytes(gzip.compress(am.dumps(HISTORY, "json"))[:-9])
    for name, code in (("missing.json", "file"), ("folder", "file"), ("bad.json.gz", "compression"), ("\0", "file")):
        for call in LOADS:
            with pytest.raises(am.FileError) as caught:
                call(name)
            assert caught.value.code == code
    with pytest.raises(am.FileError, match="loads reads a text"):
        am.load('{"role": "user"}')
    with pytest.raises(am.DecodeError) as bounded:
        am.load(io.BytesIO(am.dumps(HISTORY, "json")), "json", limits=am.Limits(bytes=10))
    assert bounded.value.code == "bytes"


def test_threads_that_write_one_file_write_it_whole() -> None:
    """Whichever writer is last, the file is one document, and nothing else remains."""
    histories = [am.History.of(f"{number} " * 5000) for number in range(8)]
    threads = [Thread(target=am.dump, args=(h, "a.json", "json"), kwargs={"force": True}) for h in histories]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert any(am.same(am.load("a.json"), history) for history in histories)
    assert _names() == ["a.json"]


# -- lines -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("codec", am.codec_names())
@pytest.mark.parametrize("compression", SUFFIXES)
def test_lines_are_appended_and_read(codec: am.CodecName, compression: str) -> None:
    """Each item is one line, or one frame; later items are appended, in compressed files too."""
    name = f"log.{'msgpack' if am.get_codec(codec).binary else 'jsonl'}{compression}"
    items: list[am.History | am.Msg] = [HISTORY, CALL, HISTORY[2:]]
    am.dump_lines(items[:2], name, codec, losses=[])
    am.dump_lines(items[2:], name, codec, losses=[])
    wanted = [am.decode(am.encode(item, codec, losses=[]), codec) for item in items]
    for found in (am.load_lines(name, codec), am.load_lines(name)):
        assert all(am.same(one, other) for one, other in zip(found, wanted, strict=True))


def test_an_item_is_a_message_or_a_history() -> None:
    """Messages, texts, mappings and lists of these are items; the items of a history are its messages."""
    am.dump_lines(["a", {"role": "assistant", "content": "b"}, [am.Msg.user("c"), "d"]], "a.jsonl")
    am.dump_lines(am.History.of("e", "f"), "a.jsonl")
    am.dump_lines(am.Msg.user("g"), "a.jsonl")  # type: ignore[arg-type]
    read = [[message.text for message in history] for history in am.load_lines("a.jsonl")]
    assert read == [["a"], ["b"], ["c", "d"], ["e"], ["f"], ["g"]]
    for wrong in (b"x", {"role": "user"}, 5, None):
        with pytest.raises(am.InvalidMessage):
            am.dump_lines(wrong, "a.jsonl")  # type: ignore[arg-type]
    assert len(list(am.load_lines("a.jsonl"))) == 6


def test_a_bad_line_is_named_and_the_next_ones_are_read() -> None:
    """An error has the line; the iterator continues after it; a cut line ruins no other."""
    am.dump_lines(["one"], "a.jsonl")
    with Path("a.jsonl").open("a") as file:
        file.write('\n{"agentmsg": 1, "messages": [{"role": 7}]}\n{"agentmsg": 1, "mess')
    am.dump_lines(["two"], "a.jsonl")
    read: list[str] = []
    with am.load_lines("a.jsonl") as lines:
        while True:
            try:
                read += [message.text for message in next(lines)]
            except StopIteration:
                break
            except am.DecodeError as error:
                read.append(f"{error.code}: {str(error).rpartition('(')[2]}")
    assert read == ["one", "type: a.jsonl, line 3)", "syntax: a.jsonl, line 4)", "two"]


def test_lines_are_read_as_they_are_asked_for() -> None:
    """Lines of a file object are read only on demand, once the format is known."""
    taken: list[int] = []
    lines = [am.dumps([str(number)], "json") + b"\n" for number in range(5)]

    class Live:
        def readline(self, size: int = -1) -> bytes:
            assert size != 0
            taken.append(1)
            return lines[len(taken) - 1] if len(taken) <= len(lines) else b""

    found = am.load_lines(Live())  # type: ignore[arg-type]
    assert not taken
    for number in range(5):
        assert next(found)[0].text == str(number)
        assert len(taken) == number + 1
    assert list(found) == []


def test_a_new_file_of_lines_is_whole_or_not_there() -> None:
    """With append=False an existing file needs force, and a refused item writes nothing."""
    am.dump_lines(["a"], "a.jsonl", append=False)
    with pytest.raises(am.FileError) as caught:
        am.dump_lines(["b"], "a.jsonl", append=False)
    assert caught.value.code == "exists"
    am.dump_lines(["b"], "a.jsonl", append=False, force=True)
    with pytest.raises(am.InvalidMessage) as refused:
        am.dump_lines(["c", 5], "a.jsonl", append=False, force=True)  # type: ignore[list-item]
    assert refused.value.path[0] == 1
    assert [history[0].text for history in am.load_lines("a.jsonl")] == ["b"]
    wrong: list[dict[str, Any]] = [{"force": True}, {"append": "no"}]
    for options in wrong:
        with pytest.raises(am.InvalidMessage):
            am.dump_lines(["d"], "a.jsonl", **options)
    for name in ("b.json", "b.msgpack"):
        with pytest.raises(am.FileError) as named:
            am.dump_lines(["d"], name)
        assert named.value.code == "form"
    assert _names() == ["a.jsonl"]


def test_a_recorder_can_keep_a_log() -> None:
    """The append log works with a Recorder: each message of the agent is on file at once."""
    recorder = am.Recorder(on_message=lambda message: am.dump_lines([message], "log.jsonl"))
    recorder.add("Hi", am.Msg.assistant("Hello"), am.Msg.assistant("Bye"))
    assert [history[0].text for history in am.load_lines("log.jsonl")] == ["Hello", "Bye"]


# -- hostile files -----------------------------------------------------------------------------------------------------


def _boom(*_: Any) -> NoReturn:
    msg = "no"
    raise RuntimeError(msg)


def _file(**methods: Any) -> Any:
    return type("File", (), methods)()


def _giving(value: Any) -> Callable[..., Any]:
    def give(*_: Any) -> Any:
        return value

    return give


def _generous() -> Any:
    left = [b"x" * 10**6]

    def readline(*_: Any) -> bytes:
        return left.pop() if left else b""

    return _file(readline=readline)


HOSTILE: dict[str, Callable[[], Any]] = {
    "raises": lambda: _file(read=_boom, readline=_boom, write=_boom),
    "gives numbers": lambda: _file(read=_giving(7), write=_giving("x")),
    "gives nothing": lambda: _file(read=_giving(None), write=_giving(-1)),
    "gives too much": _generous,
    "is closed": lambda: _closed(io.BytesIO(b"[]")),
    "is a closed text": lambda: _closed(io.StringIO("[]")),
    "is no UTF-8": lambda: io.TextIOWrapper(io.BytesIO(b'"\xff"'), encoding="utf-8"),
    "has a surrogate": lambda: io.StringIO('"\ud800"'),
    "has a bad name": lambda: _file(name=property(_boom), read=_boom, write=_boom),
    "raises when asked": lambda: _file(__getattr__=_boom),
    "is a path that raises": lambda: _file(__fspath__=_boom),
    "is a path of numbers": lambda: _file(__fspath__=_giving(7)),
}


def _closed(file: Any) -> Any:
    file.close()
    return file


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_files_are_a_typed_error(kind: str) -> None:
    """Whatever a file object does, the result is a document or one AgentMsgError."""
    calls: tuple[Callable[[Any], object], ...] = (
        am.load,
        lambda file: am.load(file, "openai"),
        lambda file: list(am.load_lines(file)),
        lambda file: list(am.load_lines(file, "json")),
        lambda file: am.dump(HISTORY, file, "json"),
        lambda file: am.dump_lines(HISTORY, file),
    )
    refused: list[str] = []
    for call in calls:
        try:
            call(HOSTILE[kind]())
        except am.AgentMsgError as error:
            refused.append(str(error))
    assert len(refused) > 1
    assert max(map(len, refused)) < 500


def test_a_raw_file_that_takes_less_gets_all() -> None:
    """If a file writes only a part of its data, the rest is written again."""
    got = bytearray()

    class Slow:
        def write(self, data: bytes) -> int:
            got.extend(data[:7])
            return min(7, len(data))

    am.dump(HISTORY, Slow(), "json")
    assert am.same(am.loads(bytes(got), "json"), HISTORY)


def test_an_iterator_of_lines_can_be_closed() -> None:
    """After close there are no more lines, and unread ones are no error."""
    am.dump_lines(HISTORY, "a.jsonl")
    lines: Iterator[am.History] = am.load_lines("a.jsonl")
    next(lines)
    lines.close()  # type: ignore[attr-defined]
    assert list(lines) == []
    Path("empty.jsonl").write_text("")
    assert list(am.load_lines("empty.jsonl")) == []
