"""Rows of training data in Parquet: their keys are its columns, and every row comes back as it was."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

import agentmsg as am
from agentmsg.cli.program import program
from support.documents import documents

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.slow

CALL = {"type": "function", "function": {"name": "find", "arguments": {"q": "x", "n": None}}}
OTHER = {"type": "function", "function": {"name": "now", "arguments": {"zone": {"name": "UTC"}}}}
TOOL = {"type": "function", "function": {"name": "find", "parameters": {"type": "object", "properties": {"q": {}}}}}
ROWS: list[Any] = [
    {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "", "tool_calls": [CALL]}]},
    {"messages": [{"role": "user", "content": "Time?"}, {"role": "assistant", "tool_calls": [OTHER]}], "tools": [TOOL]},
    {
        "messages": [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "?"}]}],
        "images": ["a.png"],
    },
    {"messages": [{"role": "assistant", "content": None}, {"role": "user", "content": "Bye", "name": "ada"}]},
]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)


def agentmsg(*args: str) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(program, args, prog_name="agentmsg")


def saved(name: str, rows: Sequence[Any]) -> str:
    """Write documents to a file, one per line; return its name."""
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return name


def there_and_back(rows: Sequence[Any], *more: str, codec: str = "hf") -> list[Any]:
    """Write rows with columns, and return what is read from them."""
    saved("a.jsonl", rows)
    done = agentmsg("convert", "a.jsonl", "-f", codec, "-t", codec, "-o", "t.parquet", "-q", "--force", *more)
    assert done.exit_code == 0, done.output
    done = agentmsg("convert", "t.parquet", "-f", codec, "-t", codec, "-o", "b.jsonl", "-q", "--force")
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in Path("b.jsonl").read_text(encoding="utf-8").splitlines()]


def schema(name: str = "t.parquet") -> dict[str, str]:
    """Return the columns of a file, with their types."""
    return {field.name: str(field.type) for field in import_module("pyarrow.parquet").read_schema(name)}


def test_the_keys_of_rows_are_columns() -> None:
    """Messages, tools and images are columns of structs and lists; what differs by tool is JSON."""
    assert there_and_back(ROWS) == ROWS
    found = schema()
    assert list(found) == ["messages", "tools", "images"]
    assert found["images"] == "list<element: string>"
    assert "arguments: extension<arrow.json>" in found["messages"]
    assert "parameters: extension<arrow.json>" in found["tools"]
    assert agentmsg("detect", "t.parquet").stdout.startswith("t.parquet:  hf")


def test_a_column_is_named_for_the_whole_text() -> None:
    """--column NAME gives one column of texts, and "*" gives any format columns."""
    saved("a.jsonl", ROWS)
    command = ["convert", "a.jsonl", "-f", "hf", "-q", "--force", "-o", "t.parquet"]
    assert agentmsg(*command, "-t", "hf", "--column", "row").exit_code == 0
    assert schema() == {"row": "string"}
    assert agentmsg(*command, "-t", "anthropic").exit_code == 0
    assert schema() == {"document": "string"}
    assert agentmsg(*command, "-t", "anthropic", "--column", "*").exit_code == 0
    assert list(schema()) == ["messages", "tools"]


# Values of one key in several rows, and the type of its column.
VALUES: dict[str, tuple[list[Any], str]] = {
    "texts": (["a", ""], "string"),
    "whole numbers": ([1, -(2**63)], "int64"),
    "long numbers": ([1, 2**63], "extension<arrow.json>"),
    "numbers of both kinds": ([1, 1.5], "extension<arrow.json>"),
    "truths": ([True, False], "bool"),
    "nulls": ([None, None], "extension<arrow.json>"),
    "a null": (["a", None], "extension<arrow.json>"),
    "a text and a list": (["a", ["a"]], "extension<arrow.json>"),
    "empty lists": ([[], []], "list<element: string>"),
    "null items": ([[None, {"a": 1}], [None]], "list<element: struct<a: int64>>"),
    "empty objects": ([{}, {"a": 1}], "extension<arrow.json>"),
    "objects": ([{"a": 1}, {"b": [1.5]}], "struct<a: int64, b: list<element: double>>"),
    "a null inside": ([{"a": None, "b": 1}, {"b": 2}], "struct<a: extension<arrow.json>, b: int64>"),
}


@pytest.mark.parametrize("name", VALUES)
def test_every_value_comes_back(name: str) -> None:
    """A value that its column's type can't tell from another is JSON, so that nothing is coerced or lost."""
    values, kind = VALUES[name]
    rows = [{"messages": [{"role": "user", "content": "Hi"}], "x": value} for value in values]
    rows.append({"messages": [{"role": "user", "content": "Hi"}]})
    assert there_and_back(rows) == rows
    assert schema()["x"] == kind


@pytest.mark.parametrize("codec", ["hf", "sharegpt"])
def test_recorded_rows_come_back(codec: str) -> None:
    """Every golden and recorded row of a format is a row with columns, all in one file."""
    rows = [row for _, row in documents(codec) if isinstance(row, dict)]
    assert len(rows) > 8
    assert there_and_back(rows, codec=codec) == rows
    assert (
        agentmsg("convert", saved("a.jsonl", rows), "-f", codec, "-t", codec, "-o", "j.parquet", "-j", "2").exit_code
        == 0
    )
    assert Path("j.parquet").read_bytes() == Path("t.parquet").read_bytes()


def test_what_is_no_row_is_put_aside() -> None:
    """A document that is a list has no columns: it is quarantined, and the others are written."""
    saved("a.jsonl", [ROWS[0], ROWS[0]["messages"], ROWS[1]])
    done = agentmsg("convert", "a.jsonl", "-f", "hf", "-t", "hf", "-o", "t.parquet")
    assert done.exit_code == 3
    assert "a.jsonl:2: [form] a row with columns is an object: --column NAME" in done.stderr
    assert import_module("pyarrow.parquet").read_metadata("t.parquet").num_rows == 2


def test_python_writes_the_same() -> None:
    """dump_lines and load_lines do the same, and losses restore the source."""
    histories = [am.decode(row, "hf") for row in ROWS]
    am.dump_lines(histories, "p.parquet", "hf", append=False)
    there_and_back(ROWS)
    assert schema("p.parquet") == schema()
    assert list(map(am.same, am.load_lines("p.parquet", "hf"), histories)) == [True] * 4
    done = agentmsg("convert", "p.parquet", "-t", "openai", "-o", "o.jsonl", "--losses", "l.jsonl")
    assert done.exit_code == 0, done.output
    assert agentmsg("restore", "o.jsonl", "l.jsonl", "-o", "back.parquet", "-t", "hf").exit_code == 0
    assert list(map(am.same, am.load_lines("back.parquet", "hf"), histories)) == [True] * 4


def test_no_rows_are_a_file_too() -> None:
    """A file without rows has no columns, and no documents."""
    Path("a.jsonl").write_bytes(b"")
    assert agentmsg("convert", "a.jsonl", "-f", "hf", "-t", "hf", "-o", "t.parquet").exit_code == 0
    assert list(am.load_lines("t.parquet", "hf")) == []


TEXTS: list[Any] = [
    {"prompt": "q", "completion": "a", "label": True},
    {"prompt": "q", "chosen": "a", "rejected": "b"},
    {"prompt": "q", "response": "a"},
    {"prompt": "q", "completion": '{"a": 1}'},
    {"prompt": '{"q": 1}', "completion": '[{"role": "user", "content": "x"}]'},
    {"text": "<|user|>q"},
    {"text": '{"a": 1}', "label": True},
]


@pytest.mark.parametrize("row", TEXTS, ids=json.dumps)
def test_rows_of_texts_are_read_by_every_command(row: Any) -> None:
    """What was written as columns is read as such, also if the columns are texts; its report restores it."""
    saved("a.jsonl", [row] * 3)
    done = agentmsg("convert", "a.jsonl", "-f", "hf", "-t", "hf", "-o", "t.parquet", "--losses", "l.jsonl", "-q")
    assert done.exit_code == 0, done.output
    for command in (["restore", "t.parquet", "l.jsonl"], ["convert", "t.parquet", "-f", "hf", "-t", "hf"]):
        done = agentmsg(*command, "-o", "b.jsonl", "-q", "--force")
        assert done.exit_code == 0, done.output
        assert [json.loads(line) for line in Path("b.jsonl").read_text(encoding="utf-8").splitlines()] == [row] * 3
    for command in (["stats"], ["check", "--for", "hf"]):
        done = agentmsg(*command, "t.parquet", "-f", "hf")
        assert done.exit_code == 0, done.output
    assert (agentmsg("detect", "t.parquet").exit_code == 0) == (agentmsg("detect", "a.jsonl").exit_code == 0)


@pytest.mark.parametrize("row", [row for row in TEXTS if "role" not in row.get("completion", "")], ids=json.dumps)
def test_rows_of_texts_that_others_wrote(row: Any) -> None:
    """Without our word for it, rows are what is recognised, or else what the given format has."""
    import_module("pyarrow.parquet").write_table(import_module("pyarrow").Table.from_pylist([row] * 3), "t.parquet")
    done = agentmsg("convert", "t.parquet", "-f", "hf", "-t", "hf", "-o", "b.jsonl", "-q")
    if row.keys() <= {"text", "label"}:  # its only text, or its only JSON, is always taken
        assert "t.parquet" in done.output
        return
    assert done.exit_code == 0, done.output
    assert [json.loads(line) for line in Path("b.jsonl").read_text(encoding="utf-8").splitlines()] == [row] * 3
