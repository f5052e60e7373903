"""Parquet in and out: rows are documents like lines, in any column, and however a run ends."""

from __future__ import annotations

import datetime as dt
import decimal
import io
import json
import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

import agentmsg as am
from agentmsg.cli.program import program
from agentmsg.files import Input, Job, Kind, Request, packing, plan, run, targets_of
from data import effort
from support.files import ENVIRONMENT, documents

if TYPE_CHECKING:
    from collections.abc import Sequence

# Rows with OpenAI bodies, some with members that others lack.
CALL = {"id": "c1", "type": "function", "function": {"name": "now", "arguments": '{"zone": "UTC"}'}}
ROWS: list[Any] = [
    {"messages": [{"role": "user", "content": "Hi"}], "model": "m"},
    {"messages": [{"role": "user", "content": "Time?"}, {"role": "assistant", "tool_calls": [CALL]}], "model": "m"},
    {"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Bye", "name": "ada"}]},
    {"messages": [{"role": "user", "content": "ü \u2028 \U0001f600"}], "temperature": 0.5},
]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)


def arrow() -> Any:
    """Return pyarrow, which only slow tests have."""
    return import_module("pyarrow")


def parquet() -> Any:
    """Return its Parquet module."""
    return import_module("pyarrow.parquet")


def agentmsg(*args: str, given: bytes | None = None) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(program, args, input=given, prog_name="agentmsg")


def text(row: Any) -> str:
    """Return a document as compact JSON."""
    return json.dumps(row, separators=(",", ":"), ensure_ascii=False)


def lines(name: str) -> list[Any]:
    """Return the values of a file of lines."""
    return [json.loads(line) for line in Path(name).read_bytes().splitlines()]


def saved_lines(name: str, rows: Sequence[Any] = ROWS) -> str:
    """Write documents to a file, one per line; return its name."""
    Path(name).write_bytes(b"".join(text(row).encode() + b"\n" for row in rows))
    return name


def saved(name: str, columns: Any, *, schema: Any = None, group: int | None = None) -> str:
    """Write columns to a Parquet file; return its name."""
    parquet().write_table(arrow().table(columns, schema=schema), name, row_group_size=group)
    return name


def saved_rows(name: str, rows: Sequence[Any] = ROWS, *, group: int | None = None) -> str:
    """Write rows, each of their columns as a column of Arrow's own type; return the name of the file."""
    table = arrow().Table.from_pylist(list(rows), schema=arrow().Table.from_pylist([_all(rows)]).schema)
    return saved(name, table.to_pydict(), schema=table.schema, group=group)


def _all(rows: Sequence[Any]) -> Any:
    """Return a row with every member of any row."""
    message: dict[str, Any] = {}
    row: dict[str, Any] = {}
    for each in rows:
        row |= each
        for one in each["messages"]:
            message |= one
    return row | {"messages": [message]}


def documents_in(name: str) -> list[Any]:
    """Return the documents of a file that we wrote."""
    (column,) = parquet().read_table(name).columns
    return [json.loads(each) for each in column.to_pylist()]


# -- without the package


@pytest.mark.parametrize(
    "args", [("convert", "a.parquet", "-t", "json"), ("convert", "a.jsonl", "-t", "json", "-o", "b.parquet")], ids=str
)
def test_without_the_package_its_install_command_is_told(
    args: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without pyarrow, reading and writing Parquet is one error with the install command."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    saved_lines("a.jsonl")
    Path("a.parquet").write_bytes(b"PAR1")
    done = agentmsg(*args)
    assert done.exit_code == 1
    assert "error [unavailable]" in done.stderr
    assert "pip install 'agentmsg[parquet]'" in done.stderr
    assert not Path("b.parquet").exists()


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("a.jsonl", "-o", "b.parquet.gz"), "compressed inside"),
        (("a.jsonl", "--column", "x", "-o", "b.jsonl"), "--column needs a .parquet file"),
        (("a.jsonl", "-t", "msgpack", "-o", "b.parquet"), "binary: name the target .msgpack"),
        (("a.jsonl", "-o", "b.jsonl", "--losses", "l.parquet"), "JSON Lines"),
        (("a.jsonl", "-o", "b.parquet", "--pretty"), "--pretty needs"),
        (("a.jsonl", "-o", "b.parquet", "--array"), "--array"),
    ],
    ids=str,
)
def test_what_parquet_cannot_be_is_refused(args: tuple[str, ...], words: str) -> None:
    """Names and options that don't fit Parquet are refused before anything is read or written."""
    saved_lines("a.jsonl")
    done = agentmsg("convert", "-t", "anthropic", *args)
    assert done.exit_code == 2
    assert words in done.stderr
    assert os.listdir() == ["a.jsonl"]  # noqa: PTH208 - only the names matter


def test_lines_are_not_appended_to_rows() -> None:
    """A Parquet file can't grow: dump_lines explains how to write a new one."""
    with pytest.raises(am.FileError, match="append=False") as caught:
        am.dump_lines([am.Msg("user", "Hi")], "a.parquet")
    assert caught.value.code == "form"


# -- reading


def _texts() -> dict[str, Any]:
    own = list(map(text, ROWS))
    return {
        "string": arrow().array(own, arrow().string()),
        "large string": arrow().array(own, arrow().large_string()),
        "string view": arrow().array(own, arrow().string_view()),
        "binary": arrow().array([each.encode() for each in own], arrow().binary()),
        "large binary": arrow().array([each.encode() for each in own], arrow().large_binary()),
        "dictionary": arrow().array(own).dictionary_encode(),
        "JSON": arrow().array(own, arrow().json_()),
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", ["string", "large string", "string view", "binary", "large binary", "dictionary", "JSON"]
)
def test_rows_of_texts_are_lines(kind: str) -> None:
    """The rows of a column of JSON texts convert to the same bytes as the same lines, with the same losses."""
    saved("a.parquet", {"id": range(4), "body": _texts()[kind], "note": list("wxyz")}, group=3)
    saved_lines("a.jsonl")
    for name in ("a.parquet", "a.jsonl"):
        done = agentmsg(
            "convert", name, "-t", "anthropic", "-o", f"{name}.out.jsonl", "--losses", f"{name}.losses.jsonl"
        )
        assert done.exit_code == 0, done.output
        if name == "a.parquet":
            assert "documents are in column body; not carried over: id, note" in done.stderr
    for of in ("out", "losses"):
        assert Path(f"a.parquet.{of}.jsonl").read_bytes() == Path(f"a.jsonl.{of}.jsonl").read_bytes()


@pytest.mark.slow
def test_rows_are_documents_without_null_padding() -> None:
    """Rows with messages are whole documents, without the nulls that Arrow adds to each struct for others' members."""
    saved_rows("a.parquet")
    assert agentmsg("convert", "a.parquet", "-t", "openai", "-o", "b.jsonl").exit_code == 0
    assert lines("b.jsonl") == ROWS
    assert list(map(len, am.load_lines("a.parquet"))) == [1, 2, 2, 1]
    assert agentmsg("detect", "a.parquet").stdout.startswith("a.parquet:  openai")
    assert json.loads(agentmsg("stats", "a.parquet", "--json").stdout)["histories"] == 4
    assert "Time?" in agentmsg("show", "a.parquet", "--index", "1").stdout


@pytest.mark.slow
def test_null_items_stay() -> None:
    """A null member is left out, at any depth; a null item of a list stays."""
    given: Any = [{"a": None, "b": [None, {"c": None, "d": 1}], "e": {"f": None}}, {"a": 1, "b": [], "e": None}]
    saved("a.parquet", {"x": arrow().array(given)})
    found = [json.loads(each.data or b"") for each in _found("a.parquet", "x")]
    assert found == [{"b": [None, {"d": 1}], "e": {}}, {"a": 1, "b": []}]


def _found(name: str, column: str | None = None) -> list[Any]:
    with Path(name).open("rb") as file:
        return list(documents(file, "parquet", am.Limits(), name=name, column=column))


@pytest.mark.slow
def test_messages_of_a_data_set_are_found() -> None:
    """If a row has more than JSON holds, the column of messages is taken, and the others are named."""
    saved(
        "a.parquet",
        {
            "prompt_id": ["a", "b"],
            "messages": [row["messages"] for row in ROWS[:1] * 2],
            "at": [dt.datetime(2026, 1, 1), None],
        },
    )
    done = agentmsg("convert", "a.parquet", "-t", "anthropic", "-o", "b.jsonl")
    assert "documents are in column messages; not carried over: prompt_id, at" in done.stderr
    assert [row["messages"][0]["role"] for row in lines("b.jsonl")] == ["user", "user"]


@pytest.mark.slow
def test_a_column_is_chosen_or_the_choice_refused() -> None:
    """--column picks one; without it, several possible columns, or none, are an error that names all columns."""
    own = [text(row) for row in ROWS]
    saved("a.parquet", {"prompt": own, "other": own[::-1], "size": range(4)})
    refused = agentmsg("convert", "a.parquet", "-t", "json", "-o", "b.jsonl")
    assert refused.exit_code == 1
    for words in ("error [column]", "several columns hold documents: prompt, other", "size (int64)", "--column"):
        assert words in refused.stderr
    for column, expected in (("prompt", ROWS), ("other", ROWS[::-1])):
        done = agentmsg("convert", "a.parquet", "-t", "openai", "--column", column, "-o", f"{column}.jsonl")
        assert done.exit_code == 0, done.output
        assert lines(f"{column}.jsonl") == expected
    for column, words in (("none", "no column is named none"), ("size", "holds int64")):
        done = agentmsg("stats", "a.parquet", "--column", column)
        assert "error [column]" in done.stderr or words in done.output
        assert words in done.output
    saved("c.parquet", {"n": [1], "s": ["plain"]})
    assert "no column is recognised as documents" in agentmsg("detect", "c.parquet").stderr


@pytest.mark.slow
def test_a_row_can_be_the_document_whatever_it_holds() -> None:
    """--column "*" takes whole rows, even if detection wouldn't."""
    saved("a.parquet", {"role": ["user"], "content": ["Hi"], "n": [None]})
    assert [json.loads(each.data) for each in _found("a.parquet", "*")] == [{"role": "user", "content": "Hi"}]


NOT_JSON: dict[str, tuple[Any, str]] = {
    "time": (dt.datetime(2026, 1, 1, tzinfo=dt.UTC), "type"),
    "date": (dt.date(2026, 1, 1), "type"),
    "decimal": (decimal.Decimal("1.5"), "type"),
    "bytes": (b"\xff", "type"),
    "NaN": (float("nan"), "number"),
    "map": ([("a", 1)], "type"),
    "nanoseconds": (1, "type"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", NOT_JSON)
@pytest.mark.parametrize("deep", [False, True])
def test_what_json_has_not_is_quarantined(kind: str, deep: bool) -> None:
    """A value of a type outside JSON is an error of its row, which names the column; other rows convert."""
    types = {"map": arrow().map_(arrow().string(), arrow().int64()), "nanoseconds": arrow().timestamp("ns")}
    value, code = NOT_JSON[kind]
    odd = arrow().array([None, value], types.get(kind))
    if deep:
        odd = arrow().StructArray.from_arrays([odd], ["in"])
    saved("a.parquet", {"messages": [row["messages"] for row in ROWS[:1] * 2], "odd": odd})
    done = agentmsg("convert", "a.parquet", "-f", "openai", "-t", "openai", "--column", "*", "-o", "b.jsonl")
    assert done.exit_code == 3, done.output
    (bad,) = lines("b.jsonl.bad.jsonl")
    assert (bad["line"], bad["code"]) == (2, code)
    assert ("/odd/in" if deep and kind != "nanoseconds" else "/odd") in bad["reason"]
    assert lines("b.jsonl")[0]["messages"] == ROWS[0]["messages"]


@pytest.mark.slow
def test_rows_without_a_document_are_told() -> None:
    """A null in the column of documents is quarantined, not dropped silently."""
    saved("a.parquet", {"doc": [text(ROWS[0]), None, text(ROWS[1]), "{", "\ud7ff"]})
    assert (
        agentmsg("convert", "a.parquet", "-f", "openai", "-t", "json", "--column", "doc", "-o", "b.jsonl").exit_code
        == 3
    )
    assert [(row["line"], row["code"]) for row in lines("b.jsonl.bad.jsonl")] == [
        (2, "required"),
        (4, "syntax"),
        (5, "syntax"),
    ]
    assert len(lines("b.jsonl")) == 2


@pytest.mark.slow
def test_a_file_without_rows_has_no_documents() -> None:
    """A file without rows converts to one without documents, in both directions."""
    saved("a.parquet", {"doc": []})
    assert agentmsg("convert", "a.parquet", "-t", "json", "-o", "b.parquet").exit_code == 0
    assert documents_in("b.parquet") == []
    assert agentmsg("convert", "b.parquet", "-t", "json", "-o", "c.jsonl").exit_code == 0
    assert Path("c.jsonl").read_bytes() == b""


@pytest.mark.slow
def test_documents_inside_of_rows() -> None:
    """--at finds documents inside a row."""
    saved("a.parquet", {"log": [json.dumps({"request": row}) for row in ROWS]})
    done = agentmsg("convert", "a.parquet", "--at", "/request", "--column", "log", "-t", "openai", "-o", "b.jsonl")
    assert done.exit_code == 0, done.output
    assert lines("b.jsonl") == ROWS


# -- writing


@pytest.mark.slow
def test_converted_rows_restore() -> None:
    """Documents that became rows, with their loss report, restore their sources, as rows or lines."""
    saved_lines("a.jsonl")
    args = ("convert", "a.jsonl", "-t", "anthropic", "-o", "b.parquet", "--losses", "l.jsonl", "--column", "chat")
    assert agentmsg(*args).exit_code == 0
    for target in ("c.jsonl", "c.parquet"):
        done = agentmsg("restore", "b.parquet", "l.jsonl", "-o", target)
        assert done.exit_code == 0, done.output
    assert lines("c.jsonl") == documents_in("c.parquet") == ROWS
    assert parquet().read_schema("b.parquet").names == ["chat"]
    assert parquet().read_schema("c.parquet").names == ["document"]


@pytest.mark.slow
def test_streams_become_rows_and_are_not_read_as_such() -> None:
    """Stdin is written to rows; rows can't be read from a pipe, which is one error."""
    saved_lines("a.jsonl")
    done = agentmsg(
        "convert", "-", "--form", "jsonl", "-t", "openai", "-o", "b.parquet", given=Path("a.jsonl").read_bytes()
    )
    assert done.exit_code == 0, done.output
    assert documents_in("b.parquet") == ROWS
    command = [sys.executable, "-m", "agentmsg", "convert", "-", "--form", "parquet", "-t", "json"]
    piped = subprocess.run(
        command, input=Path("b.parquet").read_bytes(), capture_output=True, env=ENVIRONMENT, check=False
    )
    assert piped.returncode == 2
    assert b"can't be read from a stream" in piped.stderr


@pytest.mark.slow
def test_a_run_that_fails_ends_in_one_error() -> None:
    """The unfinished file is gone, and its writer says nothing."""
    command = [sys.executable, "-m", "agentmsg", "convert", "-", "-f", "openai", "-t", "json", "-o", "b.parquet"]
    done = subprocess.run(command, input=b"[]\n[]", capture_output=True, env=ENVIRONMENT, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(b"agentmsg: error [syntax] openai: not JSON")
    assert done.stderr.count(b"\n") == 1
    assert not list(Path().iterdir())


@pytest.mark.slow
def test_dump_lines_writes_rows() -> None:
    """dump_lines writes a Parquet file of histories, which load_lines reads."""
    histories = [am.History.of(am.Msg("user", str(number))) for number in range(3)]
    am.dump_lines(histories, "a.parquet", append=False)
    assert list(am.load_lines("a.parquet")) == histories
    am.dump(histories[0], "b.parquet", "json")
    assert am.load("b.parquet") == histories[0]


@pytest.mark.slow
def test_no_file_is_replaced() -> None:
    """An existing Parquet file stays, unless --force is given; a source always stays."""
    saved_rows("a.parquet")
    Path("b.parquet").write_bytes(b"mine")
    assert agentmsg("convert", "a.parquet", "-t", "json", "-o", "b.parquet").exit_code == 2
    assert Path("b.parquet").read_bytes() == b"mine"
    assert agentmsg("convert", "a.parquet", "-t", "json", "-o", "a.parquet", "--force").exit_code == 2
    assert agentmsg("convert", "a.parquet", "-t", "json", "-o", "b.parquet", "--force").exit_code == 0
    assert len(documents_in("b.parquet")) == 4


# -- runs


@pytest.mark.slow
@pytest.mark.parametrize("target", ["b.parquet", "b.jsonl"])
def test_jobs_write_the_same_bytes(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several processes convert row groups to the same bytes as one process, with the same numbers."""
    monkeypatch.setattr(plan, "PIECE", 300)
    rows = ROWS * 10
    bad = [{"messages": 1}]
    own = [text(row) for row in rows[:17] + bad + rows[17:]]
    saved("a.parquet", {"doc": own, "id": range(41)}, group=3)
    saved_lines("a.jsonl", rows[:17] + bad + rows[17:])
    found: list[dict[str, bytes]] = []
    for source, jobs in (("a.parquet", 1), ("a.parquet", 2), ("a.jsonl", 1)):
        job = Job(codec="anthropic", kind=Kind("jsonl"), losses=True)
        targets = targets_of([source], target, job, Input(source="openai"))
        assert source == "a.jsonl" or len(list(plan.pieces_in(targets[0].sources[0], am.Limits()))) > 5
        outcome = run(job, targets, Request(work=".work", jobs=jobs, losses=("l.jsonl",)))
        assert (outcome.documents, outcome.bad) == (40, 1)
        assert outcome.first_bad is not None
        assert outcome.first_bad.startswith(f"{source}:18")
        found.append({name: Path(name).read_bytes() for name in (target, "l.jsonl")})
        for name in (target, "l.jsonl", f"{target}.bad.jsonl"):
            Path(name).unlink()
    assert found[0] == found[1] == found[2]


@pytest.mark.slow
def test_rows_are_read_and_written_at_urls() -> None:
    """Parquet files that fsspec reaches are read and written like local ones."""
    fsspec: Any = import_module("fsspec")
    files = fsspec.filesystem("memory")
    files.pipe("/rows/a.parquet", Path(saved_rows("a.parquet")).read_bytes())
    try:
        done = agentmsg("convert", "memory://rows/a.parquet", "-t", "openai", "-o", "memory://rows/b.parquet")
        assert done.exit_code == 0, done.output
        Path("b.parquet").write_bytes(files.cat("/rows/b.parquet"))
    finally:
        files.rm("/rows", recursive=True)
    assert documents_in("b.parquet") == ROWS


@pytest.mark.slow
def test_long_files_become_many_row_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row group ends at some number of bytes of documents, however the lines came."""
    monkeypatch.setattr(packing, "_GROUP", 200)
    saved_lines("a.jsonl", ROWS * 5)
    for name, args in (("b.parquet", ("a.jsonl",)), ("c.parquet", ("-", "--form", "jsonl"))):
        done = agentmsg("convert", *args, "-t", "openai", "-o", name, given=Path("a.jsonl").read_bytes())
        assert done.exit_code == 0, done.output
        assert documents_in(name) == ROWS * 5
    groups = [parquet().ParquetFile(name).num_row_groups for name in ("b.parquet", "c.parquet")]
    assert groups[0] == groups[1] > 3
    assert Path("b.parquet").read_bytes() == Path("c.parquet").read_bytes()


# -- files that are none


def _damaged() -> list[bytes]:
    buffer = io.BytesIO()
    parquet().write_table(arrow().table({"doc": [text(row) for row in ROWS * 20]}), buffer, row_group_size=20)
    whole = buffer.getvalue()
    cut = [b"", b"PAR1", b"{}\n", b"PAR1" * 50, whole[:-9], whole[:200], whole[100:], whole[:4] + whole[200:]]
    spots = range(4, len(whole), max(1, len(whole) // effort(60)))
    return [*cut, *(whole[:at] + bytes(each ^ 0xFF for each in whole[at : at + 9]) + whole[at + 9 :] for at in spots)]


@pytest.mark.slow
def test_damaged_files_are_one_error() -> None:
    """Whatever bytes a file has, converting it gives documents or one typed error, and no other exception."""
    for data in _damaged():
        Path("a.parquet").write_bytes(data)
        done = agentmsg("convert", "a.parquet", "-f", "openai", "-t", "anthropic", "-o", "b.jsonl", "--force")
        assert done.exit_code in {0, 1, 3}, (data[:9], done.output, done.exception)
        assert done.exception is None or isinstance(done.exception, SystemExit)
        assert agentmsg("detect", "a.parquet").exit_code in {0, 1}
        if done.exit_code == 1:
            assert "error [" in done.stderr
        shutil.rmtree(".b.jsonl.agentmsg", ignore_errors=True)


@pytest.mark.slow
def test_a_damaged_file_of_many_is_quarantined() -> None:
    """Of several sources, a damaged one is quarantined, and the others convert."""
    saved_rows("a.parquet")
    Path("c.parquet").write_bytes(b"nothing")
    done = agentmsg("convert", "a.parquet", "c.parquet", "-f", "openai", "-t", "anthropic", "-o", "b.parquet")
    assert done.exit_code == 3, done.output
    (bad,) = lines("b.parquet.bad.jsonl")
    assert bad["file"] == "c.parquet"
    assert len(documents_in("b.parquet")) == 4
