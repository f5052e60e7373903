"""The tables of LangGraph's savers: each thread is a document, that of its newest checkpoint.

The databases are made here in the shape of the savers' own. tests/real/ has the savers themselves.
"""

from __future__ import annotations

import datetime as dt
import json
import sqlite3
import uuid
from contextlib import closing
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs
import pytest
from click.testing import CliRunner, Result

import agentmsg as am
from agentmsg.cli.program import program
from agentmsg.formats.spelling import same_document
from agentmsg_codecs.langchain.langgraph import dumps_typed, load_threads

if TYPE_CHECKING:
    from collections.abc import Iterator

# Untyped on purpose: this tests what they accept at run time, not their annotations.
core: Any = import_module("langchain_core.messages")
jsonplus: Any = import_module("langgraph.checkpoint.serde.jsonplus")
types: Any = import_module("langgraph.checkpoint.serde.types")

LG: Final = "langgraph"
REAL = jsonplus.JsonPlusSerializer()
CHECKPOINTS = """CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '',
    checkpoint_id TEXT NOT NULL, parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB,
    PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id))"""
WRITES = """CREATE TABLE writes (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '',
    checkpoint_id TEXT NOT NULL, task_id TEXT NOT NULL, task_path TEXT NOT NULL DEFAULT '', idx INTEGER NOT NULL,
    channel TEXT NOT NULL, type TEXT, value BLOB,
    PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx))"""
META: Any = {"source": "loop", "step": 1, "parents": {}}
DELTA: Final = "delta-channel"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)


def agentmsg(*args: str, given: bytes | None = None) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(program, args, input=given, prog_name="agentmsg")


def checkpoint(name: str, values: dict[str, Any], *more: str) -> dict[str, Any]:
    """Return a checkpoint with values of channels, and versions of these and of more."""
    versions = dict.fromkeys((*values, *more), "2")
    return {"v": 4, "ts": "t", "id": name, "channel_values": values, "channel_versions": versions, "versions_seen": {}}


@attrs.define
class Saver:
    """Rows of a database, as ``SqliteSaver`` writes them."""

    checkpoints: list[tuple[Any, ...]] = attrs.field(factory=list[tuple[Any, ...]])
    writes: list[tuple[Any, ...]] = attrs.field(factory=list[tuple[Any, ...]])

    def put(self, thread: str, document: Any, parent: str | None = None, namespace: str = "") -> None:
        """Add a checkpoint."""
        row = (thread, namespace, document["id"], parent, *REAL.dumps_typed(document), json.dumps(META).encode())
        self.checkpoints.append(row)

    def write(self, thread: str, name: str, value: Any, *, task: str = "t", path: str = "", idx: int = 0) -> None:
        """Add what a task wrote to the channel of messages."""
        self.writes.append((thread, "", name, task, path, idx, "messages", *REAL.dumps_typed(value)))

    def fill(self, connection: sqlite3.Connection) -> None:
        """Make the tables."""
        for sql in (CHECKPOINTS, WRITES):
            connection.execute(sql)
        connection.executemany("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?)", self.checkpoints)
        connection.executemany("INSERT INTO writes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", self.writes)
        connection.commit()

    def save(self, name: str = "a.sqlite") -> str:
        """Make the database, with a log of its changes as the saver's has; return its name."""
        with closing(sqlite3.connect(name)) as connection:
            connection.execute("PRAGMA journal_mode=WAL")
            self.fill(connection)
        return name

    def read(self, thread: str | None = None) -> dict[str, am.History]:
        """Return the histories of the threads."""
        with closing(sqlite3.connect(":memory:")) as connection:
            self.fill(connection)
            return dict(load_threads(connection, thread))


def human(text: str, name: str | None = None) -> Any:
    """Return a message of LangChain."""
    return core.HumanMessage(text, id=name)


def two_threads() -> Saver:
    """Return two threads, the first with an older checkpoint, and with one of a subgraph."""
    saver = Saver()
    saver.put("a/1", checkpoint("1", {"messages": [human("old")]}))
    saver.put("a/1", checkpoint("2", {"messages": [human("Hi", "h"), core.AIMessage("Yo", id="i")], "n": 1}), "1")
    saver.put("a/1", checkpoint("3", {"messages": [human("inner")]}), None, "sub:1")
    saver.put("b", checkpoint("1", {"messages": [human("Bye")]}))
    return saver


def texts(history: am.History) -> list[str]:
    """Return the texts of the messages."""
    return [message.text for message in history]


# -- threads ----------------------------------------------------------------------------------------------------------


def test_a_thread_is_its_newest_checkpoint() -> None:
    """Each thread is one history, and its document is what the saver's ``get_tuple`` returns."""
    saver = two_threads()
    saver.write("a/1", "2", [human("pending")], task="u")
    found = saver.read()
    assert {name: texts(history) for name, history in found.items()} == {"a/1": ["Hi", "Yo"], "b": ["Bye"]}
    assert saver.read("b") == {"b": found["b"]}

    def config(name: str) -> Any:
        return {"configurable": {"thread_id": "a/1", "checkpoint_ns": "", "checkpoint_id": name}}

    assert REAL.loads_typed(dumps_typed(found["a/1"])) == {
        "config": config("2"),
        "checkpoint": REAL.loads_typed(saver.checkpoints[1][4:6]),
        "metadata": META,
        "parent_config": config("1"),
        "pending_writes": [["u", "messages", [human("pending")]]],
    }
    assert REAL.loads_typed(dumps_typed(found["b"]))["parent_config"] is None
    with pytest.raises(am.DecodeError, match="no such thread"):
        saver.read("c")


def test_a_thread_may_be_as_deep_as_a_document() -> None:
    """Values as deep as those of any document are read from tables, also from those of a delta channel."""
    deep: Any = "x"
    for _ in range(100):
        deep = [deep]
    saver = delta(None, [[[core.AIMessage("a", additional_kwargs={"x": deep})]]])
    saver.put("b", checkpoint("1", {"messages": [core.AIMessage("b", additional_kwargs={"x": deep})]}))
    assert [texts(history) for history in saver.read().values()] == [["a"], ["b"]]


def test_bookkeeping_of_a_checkpoint_is_no_content() -> None:
    """A thread without pending writes converts without a loss of content."""
    assert am.encode(two_threads().read()["a/1"], "openai") == {
        "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yo"}]
    }


def test_older_rows_are_read() -> None:
    """The older type of checkpoints is JSON, tables had no paths of tasks, and rows no metadata."""
    serial: Any = import_module("langchain_core.load")
    document = checkpoint("1", {"messages": [serial.dumpd(human("Hi"))], "odd": {"__ext__": 2**70}})
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(CHECKPOINTS)
        connection.execute(
            "CREATE TABLE writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, value)"
        )
        row = ("a", "", "1", None, "json", json.dumps(document).encode(), None)
        connection.execute("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        values = [("c", 1, "bytes", b"x"), ("c", 0, "null", b""), ("d", 0, "json", b'{"y":1}')]
        for task, idx, kind, value in values:
            connection.execute("INSERT INTO writes VALUES ('a', '', '1', ?, ?, 'x', ?, ?)", (task, idx, kind, value))
        ((_, history),) = load_threads(connection)
    assert texts(history) == ["Hi"]
    back = REAL.loads_typed(dumps_typed(history))
    assert back["checkpoint"] == document
    assert back["pending_writes"] == [["c", "x", None], ["c", "x", b"x"], ["d", "x", {"y": 1}]]


# -- delta channels ---------------------------------------------------------------------------------------------------

REMOVE_ALL = "__remove_all__"
OVERWRITES: dict[str, Any] = {
    "a marker": {"__overwrite__": [human("b")]},
    "what JSON leaves of it": {"type": "__overwrite__", "value": [human("b")]},
}
# The messages of the snapshot, if there is one; what tasks wrote then, checkpoint by checkpoint; what that makes.
REPLAYED: dict[str, tuple[list[Any] | None, list[list[Any]], list[str]]] = {
    "from nothing": (None, [[[human("a")]], [human("b")]], ["a", "b"]),
    "from a snapshot": ([human("a")], [[[human("b")], [human("c")]]], ["a", "b", "c"]),
    "replaced by its id": ([human("a", "1"), human("b", "2")], [[[human("A", "1")]]], ["A", "b"]),
    "removed": ([human("a", "1"), human("b", "2")], [[[core.RemoveMessage(id="1")]]], ["b"]),
    "removed, and there again": (
        [human("a", "1"), human("b")],
        [[core.RemoveMessage(id="1")], [human("A", "1")]],
        ["b", "A"],
    ),
    "removed, but unknown": ([human("a")], [[core.RemoveMessage(id="1")]], ["a"]),
    "all removed": ([human("a")], [[[human("b"), core.RemoveMessage(id=REMOVE_ALL), human("c")]]], ["c"]),
    "other forms": (
        None,
        [[[{"role": "user", "content": "a", "id": "1"}, ("user", "b")]], ["c", None]],
        ["a", "b", "c"],
    ),
    "nothing written": ([human("a")], [[], []], ["a"]),
    **{
        f"overwritten by {name}": ([human("a")], [[whole], [human("c")]], ["b", "c"])
        for name, whole in OVERWRITES.items()
    },
}


def delta(seed: list[Any] | None, writes: list[list[Any]], *, is_plain: bool = False) -> Saver:
    """Return a thread whose messages are in a delta channel."""
    saver = Saver()
    first = {} if seed is None else {"messages": seed if is_plain else types._DeltaSnapshot(seed)}
    saver.put("a", checkpoint("0", first))
    for number, values in enumerate(writes):
        for idx, value in enumerate(values):
            saver.write("a", f"{number}", value, idx=idx)
        saver.put("a", checkpoint(f"{number + 1}", {}, "messages"), f"{number}")
    return saver


@pytest.mark.parametrize("is_plain", [False, True], ids=["snapshot", "list"])
@pytest.mark.parametrize("case", REPLAYED.values(), ids=REPLAYED.keys())
def test_delta_channels_are_replayed(case: tuple[Any, Any, list[str]], *, is_plain: bool) -> None:
    """Messages in the writes of ancestors are merged by id, and LangGraph loads them as a snapshot."""
    seed, writes, expected = case
    history = delta(seed, writes, is_plain=is_plain).read()["a"]
    assert texts(history) == expected
    snapshot = REAL.loads_typed(dumps_typed(history))["checkpoint"]["channel_values"]["messages"]
    assert isinstance(snapshot, types._DeltaSnapshot)
    assert len(snapshot.value) == len(expected)


def test_parallel_writes_are_in_langgraphs_order() -> None:
    """What several tasks of one step wrote is ordered by path, then by task, then by number."""
    saver = delta(None, [[]])
    for path, task, idx, text in [("b", "1", 0, "d"), ("a", "2", 1, "c"), ("a", "2", 0, "b"), ("a", "1", 5, "a")]:
        saver.write("a", "0", human(text), task=task, path=path, idx=idx)
    assert texts(saver.read()["a"]) == ["a", "b", "c", "d"]


def test_a_delta_channel_without_its_ancestors_is_refused() -> None:
    """Messages that aren't there are an error; ancestors in a circle end the search."""
    saver = Saver()
    saver.put("a", checkpoint("1", {}, "messages"), "0")
    with pytest.raises(am.DecodeError) as caught:
        saver.read()
    assert caught.value.code == DELTA
    circle = Saver()
    circle.put("a", checkpoint("1", {}, "messages"), "0")
    circle.put("a", checkpoint("0", {}), "1")
    circle.write("a", "0", human("a"))
    assert texts(circle.read()["a"]) == ["a"]


# -- PostgreSQL -------------------------------------------------------------------------------------------------------


class Postgres:
    """What a driver answers: rows as tuples or as dicts, JSON as text."""

    def __init__(self, *, as_dicts: bool) -> None:
        self.as_dicts = as_dicts
        self.description: list[tuple[str]] = []
        self._rows: list[dict[str, Any]] = []

    def cursor(self) -> Postgres:
        """Return the cursor."""
        return self

    def close(self) -> None:
        """Close the cursor."""

    def execute(self, query: str, values: tuple[str, ...]) -> None:
        """Answer one of our queries."""
        stored = checkpoint("1", {"n": 1, "messages": True})
        answers: dict[str, list[dict[str, Any]]] = {
            "DISTINCT": [{"thread_id": "a"}],
            "max(": [{"checkpoint_id": "1"}],
            "metadata": [
                {"parent_checkpoint_id": None, "checkpoint": json.dumps(stored), "metadata": json.dumps(META)}
            ],
            "checkpoint_blobs": [
                dict(zip(("channel", "type", "value"), row, strict=True))
                for row in (
                    ("messages", *REAL.dumps_typed([human("Hi")])),
                    ("tags", *REAL.dumps_typed({1})),
                    ("gone", "empty", None),
                )
            ],
            "checkpoint_writes": [],
        }
        assert query.count("%s") == len(values)
        self._rows = next(rows for word, rows in answers.items() if word in query)
        names = list(self._rows[0]) if self._rows else ["task_id"]
        self.description = [(name,) for name in names]

    def fetchall(self) -> list[Any]:
        """Return the answer; bytes as some drivers have them."""
        rows = [{key: memoryview(x) if isinstance(x, bytes) else x for key, x in row.items()} for row in self._rows]
        return rows if self.as_dicts else [tuple(row.values()) for row in rows]


@pytest.mark.parametrize("as_dicts", [False, True], ids=["tuples", "dicts"])
def test_postgresql_keeps_values_apart(*, as_dicts: bool) -> None:
    """The checkpoint of PostgreSQL gets its values back: those in its JSON, and those in a table of their own."""
    ((name, history),) = load_threads(Postgres(as_dicts=as_dicts))
    assert (name, texts(history)) == ("a", ["Hi"])
    back = REAL.loads_typed(dumps_typed(history))["checkpoint"]
    assert back["channel_values"] == {"n": 1, "messages": [human("Hi")], "tags": {1}}


# -- files ------------------------------------------------------------------------------------------------------------


def state() -> dict[str, bytes]:
    """Return the files here with their bytes."""
    return {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()}


def test_files_are_databases_of_threads() -> None:
    """The library and the command line read all threads, or those that are named, and change nothing."""
    name = two_threads().save()
    before = state()
    assert [texts(history) for history in am.load_lines(name)] == [["Hi", "Yo"], ["Bye"]]
    assert texts(am.load(name, at="/b", limits=am.Limits(bytes=2**40))) == ["Bye"]
    with pytest.raises(am.DecodeError, match="several documents"):
        am.load(name)
    done = agentmsg("convert", name, "-t", "openai")
    assert (done.exit_code, len(done.stdout.splitlines())) == (0, 2)
    one = agentmsg("convert", name, "-t", "openai", "--thread", "a/1", "--on-loss", "error")
    assert json.loads(one.stdout)["messages"][0] == {"role": "user", "content": "Hi"}
    assert "2 conversations, 3 messages" in agentmsg("stats", name).stdout
    assert agentmsg("detect", name).stdout.split() == [f"{name}:", "langgraph", "1.00"]
    assert "Bye" in agentmsg("show", name, "--thread", "b").stdout
    assert "2 documents" in agentmsg("check", name, "--for", "openai").stdout
    assert state() == before


def test_a_thread_goes_to_a_file_and_back() -> None:
    """A named thread is one document; loss reports tell the id of each, and restore it."""
    name = two_threads().save()
    assert agentmsg("convert", name, "--thread", "b", "-t", "openai", "-o", "b.json").exit_code == 0
    assert json.loads(Path("b.json").read_bytes()) == {"messages": [{"role": "user", "content": "Bye"}]}
    assert agentmsg("convert", name, "-t", "openai", "-o", "all.jsonl", "--losses", "l.jsonl").exit_code == 0
    reports = [json.loads(line) for line in Path("l.jsonl").read_bytes().splitlines()]
    assert [each["at"] for each in reports if "line" in each] == ["/a~11", "/b"]
    assert agentmsg("restore", "all.jsonl", "l.jsonl", "-o", "again.msgpack").exit_code == 0
    again = list(am.load_lines("again.msgpack"))
    assert [
        same_document(am.encode(each, LG), am.encode(other, LG))
        for each, other in zip(again, am.load_lines(name), strict=True)
    ] == [True, True]


def test_databases_in_folders_are_not_taken() -> None:
    """Most databases hold no conversations: one is read if it is named, or by a pattern."""
    Path("folder").mkdir()
    two_threads().save("folder/a.sqlite")
    Path("folder/b.json").write_bytes(b'[{"role":"user","content":"Hi"}]')
    assert "1 file of another type" in agentmsg("convert", "folder", "-t", "openai", "-o", "jsons/").stderr
    assert agentmsg("convert", "folder/*.sqlite", "-t", "openai", "-o", "out/").exit_code == 0
    assert len(Path("out/a.jsonl").read_bytes().splitlines()) == 2


def test_one_document_fits_a_json_file() -> None:
    """A file of frames, or a database, converts to a .json file if it holds one document."""
    saver = Saver()
    saver.put("a", checkpoint("1", {"messages": [human("Hi")]}))
    assert agentmsg("convert", saver.save(), "-t", "openai", "-o", "a.json").exit_code == 0
    frame = am.dumps(am.load("a.sqlite"), LG)
    for count, code in ((1, 0), (2, 2)):
        Path(f"{count}.msgpack").write_bytes(frame * count)
        done = agentmsg("convert", f"{count}.msgpack", "-t", "openai", "-o", f"{count}.json")
        assert (done.exit_code, Path(f"{count}.json").exists()) == (code, not code)
    assert Path("1.json").read_bytes() == Path("a.json").read_bytes()


def test_a_database_in_use_is_read() -> None:
    """What a saver has written is read while it is at work, from the log of changes, too."""
    name = two_threads().save()
    with closing(sqlite3.connect(name)) as writer:
        writer.execute("UPDATE checkpoints SET thread_id = 'new' WHERE thread_id = 'b'")
        writer.commit()
        assert texts(am.load(name, at="/new")) == ["Bye"]
    assert [len(history) for history in am.load_lines(name)] == [2, 1]


def row(**changed: Any) -> tuple[Any, ...]:
    """Return the row of a checkpoint with some columns changed."""
    kind, data = REAL.dumps_typed(checkpoint("1", {"messages": [human("Hi")]}))
    whole = {"thread": "a", "ns": "", "id": "1", "parent": None, "type": kind, "data": data, "metadata": b"{}"}
    return tuple({**whole, **changed}.values())


DEEP = b"\x91" * 5000 + b"\x90"
# Rows that no saver writes, each with the code of its error.
ODD_ROWS: dict[str, tuple[tuple[Any, ...], str]] = {
    "pickle": (row(type="pickle", data=b"cos\nsystem\n(S'true'\ntR."), "type"),
    "encrypted": (row(type="msgpack+aes"), "type"),
    "no type": (row(type=None), "type"),
    "nothing": (row(data=None), "type"),
    "a number": (row(data=5), "type"),
    "cut": (row(data=row()[5][:-9]), "syntax"),
    "more than one value": (row(data=row()[5] + b"\xc0"), "syntax"),
    "deep": (row(data=DEEP), "depth"),
    "no checkpoint": (row(data=b"\x01"), "schema"),
    "metadata": (row(metadata=b"{"), "syntax"),
    "a parent": (row(parent=b"\xff"), "type"),
    "big": (row(data=b"\xc6" + (1 << 20).to_bytes(4, "big") + bytes(1 << 20)), "schema"),
}


@pytest.mark.parametrize(("odd", "code"), ODD_ROWS.values(), ids=ODD_ROWS.keys())
def test_odd_rows_are_one_error_each(odd: tuple[Any, ...], code: str) -> None:
    """A thread that isn't what a saver writes is one typed error; the others are read."""
    saver = Saver([odd])
    saver.put("b", checkpoint("1", {"messages": [human("Bye")]}))
    with pytest.raises(am.DecodeError) as caught:
        saver.read("a")
    assert caught.value.code == code
    lines: Iterator[am.History] = am.load_lines(saver.save(), LG, limits=am.Limits(bytes=1 << 16))
    with pytest.raises(am.DecodeError):
        next(lines)
    assert texts(next(lines)) == ["Bye"]


# Databases that aren't a saver's, or that make SQLite work.
ENDLESS = "WITH RECURSIVE c(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c) SELECT x"
COLUMNS = "AS thread_id, '' AS checkpoint_ns, x AS checkpoint_id, x AS parent_checkpoint_id, 'msgpack' AS type"
ODD_DATABASES: dict[str, list[str]] = {
    "empty": [],
    "other tables": ["CREATE TABLE chats (id TEXT)"],
    "one table is missing": [CHECKPOINTS],
    "other columns": ["CREATE TABLE checkpoints (a)", "CREATE TABLE writes (b)"],
    "a view without end": [
        f"CREATE VIEW checkpoints AS {ENDLESS} {COLUMNS}, x AS checkpoint, x AS metadata FROM c",
        WRITES,
    ],
    "a view": [CHECKPOINTS.replace("checkpoints", "c"), "CREATE VIEW checkpoints AS SELECT * FROM c", WRITES],
    "a function": [
        "CREATE TABLE checkpoints (thread_id AS (hex(zeroblob(9))), checkpoint_ns DEFAULT '', checkpoint_id, x)",
        WRITES,
        "INSERT INTO checkpoints (checkpoint_id) VALUES ('1')",
    ],
    "an id that is no text": [CHECKPOINTS, WRITES, "INSERT INTO checkpoints VALUES (x'ff', '', '1', '', '', '', '')"],
    "a text that is no UTF-8": [
        CHECKPOINTS,
        WRITES,
        "INSERT INTO checkpoints VALUES (CAST(x'ff' AS TEXT), '', '1', '', '', '', '')",
    ],
}


@pytest.mark.parametrize("statements", ODD_DATABASES.values(), ids=ODD_DATABASES.keys())
def test_odd_databases_are_one_error(statements: list[str]) -> None:
    """A database that no saver made is one typed error; nothing in it is executed."""
    with closing(sqlite3.connect("a.db")) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    before = state()
    with pytest.raises(am.AgentMsgError):
        list(am.load_lines("a.db"))
    done = agentmsg("convert", "a.db", "-t", "openai")
    assert (done.exit_code in (1, 2), done.stdout) == (True, "")
    assert isinstance(done.exception, SystemExit)
    assert state() == before


@pytest.mark.parametrize("cut", [0, 16, 100, 3000, 5000, 9000])
def test_damaged_databases_are_errors(cut: int) -> None:
    """A file that is cut, or whose pages are overwritten, gives documents and typed errors only."""
    data = Path(two_threads().save()).read_bytes()
    for damaged in (data[:cut], data[:cut] + b"\xff" * 64 + data[cut + 64 :], b"no database"):
        Path("b.sqlite").write_bytes(damaged)
        lines = am.load_lines("b.sqlite", LG)
        while True:
            try:
                next(lines)
            except StopIteration:
                break
            except am.AgentMsgError as error:
                if isinstance(error, am.FileError):
                    break


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("convert", "-", "--form", "sqlite", "-t", "json"), "local file"),
        (("convert", "a.sqlite.gz", "-t", "json"), "local file"),
        (("convert", "a.sqlite", "-t", "json", "--join"), "only JSON is joined"),
        (("convert", "a.sqlite", "-t", "json", "-o", "b.sqlite"), "can't write"),
        (("show", "a.sqlite", "--thread", "c"), "no document found at /c"),
        (("convert", "a.sqlite", "-t", "json", "--at", "/a/b"), "no document found at /a/b"),
    ],
)
def test_what_a_database_has_no_place_for_is_refused(args: tuple[str, ...], words: str) -> None:
    """Streams, compressed databases, unknown threads and parts of documents are refused by name."""
    two_threads().save()
    Path("a.sqlite.gz").write_bytes(b"")
    done = agentmsg(*args, given=b"")
    assert (done.exit_code in (1, 2), words in done.stderr) == (True, True), done.stderr


# -- values of Python -------------------------------------------------------------------------------------------------

VALUES: dict[str, Any] = {
    "set": {"a"},
    "frozenset": frozenset({1}),
    "dates in a set": {dt.date(2026, 1, 2)},
    "date": dt.date(26, 11, 2),
    "datetime": dt.datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=dt.UTC),
    "datetime, no zone": dt.datetime(2026, 1, 2, 3, 4),
    "datetime, a zone": dt.datetime(2026, 1, 2, tzinfo=dt.timezone(dt.timedelta(hours=-5))),
    "time": dt.time(1, 2, 3),
    "time, parts of a second": dt.time(1, 2, 3, 40),
    **{
        f"a span of {span}": span
        for span in (
            dt.timedelta(days=1, seconds=3, microseconds=50),
            dt.timedelta(seconds=-3),
            dt.timedelta(hours=30),
            dt.timedelta(0),
            dt.timedelta(days=-1, seconds=5),
            dt.timedelta(days=400, minutes=1),
        )
    },
    "UUID": uuid.UUID(int=7),
    "Decimal": Decimal("1.10"),
    "a tuple": (1, "x"),
    "text": "2026-01-02",
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())
def test_artifacts_from_bytes_are_those_of_objects(value: Any) -> None:
    """An artifact arrives from bytes as from LangChain's objects, and goes back as what it was, unless it is edited."""
    message = core.ToolMessage("x", tool_call_id="c", artifact={"a": [value], "b": value})
    raw = REAL.dumps_typed([message])[1]
    history = am.loads(raw, LG)
    (block,) = history[0].tool_results
    assert am.thaw(block.artifact) == am.thaw(am.decode([message], "langchain")[0].tool_results[0].artifact)
    assert am.dumps(history, LG) == raw
    assert am.dumps(am.loads(am.dumps(history, "json"), "json"), LG) == raw
    kept: Any = block.artifact
    edited = history[0].evolve(content=(block.evolve(artifact={"a": "new", "b": kept["b"]}),))
    (back,) = REAL.loads_typed(dumps_typed([edited]))
    assert back.artifact == {"a": "new", "b": [1, "x"] if value == (1, "x") else value}
