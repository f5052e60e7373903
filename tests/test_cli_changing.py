"""The commands that change documents: trim and filter, over files, in their own format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from click.testing import CliRunner, Result

import agentmsg as am
from agentmsg.cli.program import program
from agentmsg.files import Input, Job, Kind, Request, run, targets_of
from agentmsg.files.changing import Filter, Trim
from agentmsg.formats.spelling import same_document
from data import some
from support.documents import documents
from support.files import lines

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentmsg.files.changing import Change

CALLS: list[Any] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "How warm is it in Lisbon?", "name": "ada"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "22 C"},
    {"role": "assistant", "content": "22 degrees."},
    {"role": "user", "content": "Thanks."},
]
BODY = {"model": "gpt-5", "messages": CALLS}
# Commands, and the library's functions for them.
COMMANDS: dict[str, tuple[list[str], Callable[[am.History], am.History]]] = {
    "trim": (["trim", "--max-tokens", "30"], lambda history: history.trim(max_tokens=30)),
    "trim, the beginning": (
        ["trim", "--max-tokens", "30", "--keep", "first", "--drop-system", "--tear-pairs", "--partial"],
        lambda history: history.trim(
            max_tokens=30, strategy="first", keep_system=False, keep_tool_pairs=False, allow_partial=True
        ),
    ),
    "trim, from a user to an answer": (
        ["trim", "--max-tokens", "60", "--start-on", "user", "--end-on", "assistant", "--end-on", "tool"],
        lambda history: history.trim(max_tokens=60, start_on="user", end_on=["assistant", "tool"]),
    ),
    "filter by roles": (
        ["filter", "--role", "user", "--role", "assistant"],
        lambda history: am.filter_messages(history, include_types=["user", "assistant"], match="all"),
    ),
    "filter by role and name": (
        ["filter", "--role", "human", "--name", "ada"],
        lambda history: am.filter_messages(history, include_types="user", include_names="ada", match="all"),
    ),
    "filter by role or name": (
        ["filter", "--role", "system", "--name", "ada", "--any"],
        lambda history: am.filter_messages(history, include_types="system", include_names="ada"),
    ),
    "leave out": (
        ["filter", "--exclude-role", "system", "--exclude-name", "ada", "--exclude-tool-calls"],
        lambda history: am.filter_messages(
            history, exclude_types="system", exclude_names="ada", exclude_tool_calls=True, match="all"
        ),
    ),
}
each_command = pytest.mark.parametrize("name", COMMANDS)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)


def agentmsg(*args: str, given: bytes | None = None) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(program, args, input=given, prog_name="agentmsg")


def saved(name: str, rows: Sequence[Any]) -> str:
    """Write documents to a file, one per line; return its name."""
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return name


def read(name: str) -> list[Any]:
    """Return the documents of a file of lines."""
    return [json.loads(line) for line in Path(name).read_bytes().splitlines()]


@each_command
@pytest.mark.parametrize("codec", ["openai", "anthropic", "langchain", "json", "riffer"])
def test_a_command_does_what_the_function_does(name: str, codec: am.CodecName) -> None:
    """Each document of a file is replaced by the function's result, in its own format; nothing else changes."""
    command, function = COMMANDS[name]
    sources = [document for _, document in some(documents(codec), 40)]
    done = agentmsg(*command, saved("a.jsonl", sources), "-f", codec, "-o", "b.jsonl")
    assert done.exit_code == 0, done.stderr
    expected = [am.encode(function(am.decode(document, codec)), codec, losses=[]) for document in sources]
    assert len(read("b.jsonl")) == len(expected)
    assert all(map(same_document, read("b.jsonl"), expected))


@each_command
def test_the_format_is_that_of_the_source(name: str) -> None:
    """A document keeps its format and everything beside its messages; in a mixed file each its own."""
    command, function = COMMANDS[name]
    other = am.convert(BODY, "openai", "anthropic").document
    done = agentmsg(*command, saved("a.jsonl", [BODY, other]), "-f", "each", "-o", "b.jsonl")
    assert done.exit_code == 0, done.stderr
    assert [set(document) for document in read("b.jsonl")] <= [{"model", "messages"}, {"system", "messages"}]
    assert read("b.jsonl")[0] == {**BODY, "messages": function(am.decode(BODY, "openai")).messages_for("openai")}


def test_what_was_left_out_is_told() -> None:
    """The report counts the removed messages, and mentions losses only if there are any."""
    Path("a.json").write_text(json.dumps(BODY), encoding="utf-8")
    done = agentmsg("filter", "a.json", "--role", "user", "-o", "b.json")
    assert done.stderr.splitlines() == ["agentmsg: read as openai", "agentmsg: filtered: 4 of 6 messages left out"]
    done = agentmsg("trim", "-", "--max-tokens", "20", given=json.dumps(BODY).encode())
    assert [message["role"] for message in json.loads(done.stdout)["messages"]] == ["system", "user"]
    assert agentmsg("filter", "a.json", "--role", "user", "-q").stderr == ""


@pytest.mark.parametrize(
    "args",
    [
        ["filter", "a.json"],
        ["filter", "a.json", "--any"],
        ["trim", "a.json"],
        ["trim", "a.json", "--max-tokens", "many"],
        ["trim", "a.json", "--max-tokens", "9", "--keep", "first", "--start-on", "user"],
        ["filter", "a.json", "--role", "user", "-o", "a.json", "--force"],
        ["filter", "a.json", "--role", "user", "-o", "there.json"],
    ],
    ids=" ".join,
)
def test_wrong_command_lines_are_refused(args: list[str]) -> None:
    """No condition, no budget, or a file that would be overwritten: exit code 2, and nothing is written."""
    for name in ("a.json", "there.json"):
        Path(name).write_text(json.dumps(BODY), encoding="utf-8")
    assert agentmsg(*args).exit_code == 2
    assert {path.name: path.read_text(encoding="utf-8") for path in Path().iterdir()} == {
        name: json.dumps(BODY) for name in ("a.json", "there.json")
    }


def test_an_unknown_encoding_is_an_error() -> None:
    """A name that isn't an encoding of tiktoken ends the command with one line."""
    Path("a.json").write_text(json.dumps(BODY), encoding="utf-8")
    done = agentmsg("trim", "a.json", "--max-tokens", "9", "--encoding", "none such")
    assert done.exit_code == 2
    assert done.stderr.splitlines()[-1].startswith("agentmsg: error [option]")


def test_bad_documents_are_quarantined() -> None:
    """An unreadable document is quarantined as by convert, and the others are written."""
    done = agentmsg("filter", lines("a.jsonl", 5, bad=[2]), "--role", "user", "-o", "b.jsonl")
    assert done.exit_code == 3
    assert len(read("b.jsonl")) == 4
    assert [row["line"] for row in read("b.jsonl.bad.jsonl")] == [2]


@pytest.mark.parametrize("change", [Trim(max_tokens=20), Filter(exclude_types=("system",))], ids=lambda each: each.verb)
def test_changes_run_in_pieces(change: Change, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several processes and many pieces give the same bytes as one; a change of options makes another run."""
    monkeypatch.setattr("agentmsg.files.plan.PIECE", 2000)
    job, names = Job(kind=Kind("jsonl"), change=change), [lines("a.jsonl", 100)]
    for target, jobs in (("one.jsonl", 1), ("two.jsonl", 2)):
        run(job, targets_of(names, target, job, Input()), Request(work=f".work-{target}", jobs=jobs))
    assert Path("one.jsonl").read_bytes() == Path("two.jsonl").read_bytes()


def test_another_change_is_another_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stopped run is resumed only with the same change."""
    monkeypatch.setattr("agentmsg.files.plan.PIECE", 2000)
    job, names = Job(kind=Kind("jsonl"), change=Trim(max_tokens=20)), [lines("a.jsonl", 400)]

    def stop(_: int, written: int) -> None:
        if written > 100:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(job, targets_of(names, "b.jsonl", job, Input()), Request(work=".work", progress=stop))
    other = attrs.evolve(job, change=Trim(max_tokens=21))
    with pytest.raises(am.FileError) as caught:
        run(other, targets_of(names, "b.jsonl", other, Input()), Request(work=".work", resume=True))
    assert caught.value.code == "resume"
    assert run(job, targets_of(names, "b.jsonl", job, Input()), Request(work=".work", resume=True)).resumed
