"""The command line with --carry: its output, reports and proofs, and restoring without a loss report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import agentmsg as am
from agentmsg.cli.program import program
from agentmsg.fitting.carry import KEY

TOOL = {"type": "web_search_20250305", "name": "web_search"}
ROWS: list[Any] = [
    {"model": "m", "messages": [{"role": "user", "content": "Who won?"}], "tools": [TOOL]},
    {"model": "m", "messages": [{"role": "user", "content": "Hi"}]},
]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of the test's own, with Anthropic documents: the first has a provider's tool."""
    monkeypatch.chdir(tmp_path)
    lines = [json.dumps(row, separators=(",", ":")) for row in ROWS]
    Path("a.jsonl").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    Path("a.json").write_text(lines[0], encoding="utf-8")


def agentmsg(*args: str, given: bytes | None = None) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(program, args, input=given, prog_name="agentmsg")


def converted(name: str, target: str, *options: str) -> Result:
    """Convert documents to LangChain, carrying their losses."""
    return agentmsg("convert", name, "-o", target, "--from", "anthropic", "--to", "langchain", "--carry", *options)


def test_tells_how_many_losses_are_carried() -> None:
    """The summary counts the carried losses, and reports only the rest."""
    done = converted("a.json", "b.json")
    assert done.exit_code == 0
    assert done.stderr.splitlines() == [
        "agentmsg: lost: 1 setting loss",
        "agentmsg:   1 × settings/model: dropped",
        "agentmsg: carried in the document: 1 loss",
    ]
    many = converted("a.jsonl", "b.jsonl")
    assert many.stderr.splitlines()[1:] == [
        "agentmsg: lost: 2 setting losses",
        "agentmsg:   2 × settings/model: dropped (2 documents)",
        "agentmsg: carried in the documents: 1 loss",
    ]


def test_carried_content_is_not_refused() -> None:
    """With --on-loss error, documents that carry content losses are written; without --carry they are quarantined."""
    assert converted("a.jsonl", "b.jsonl", "--on-loss", "error").exit_code == 0
    refused = agentmsg(
        "convert", "a.jsonl", "-o", "c.jsonl", "--from", "anthropic", "--to", "langchain", "--on-loss", "error"
    )
    assert refused.exit_code == 3
    assert len(Path("b.jsonl").read_bytes().splitlines()) == len(ROWS)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_with_the_rest_of_the_account_files_come_back(jobs: str) -> None:
    """The carried losses and the report on file rebuild the originals byte for byte, and --verify proves it."""
    done = converted("a.jsonl", "b.jsonl", "--losses", "l.jsonl", "--verify", "--jobs", jobs)
    assert done.exit_code == 0, done.output
    assert b"web_search" not in Path("l.jsonl").read_bytes(), "what is carried is not in the account"
    assert agentmsg("restore", "b.jsonl", "l.jsonl", "-o", "c.jsonl").exit_code == 0
    assert Path("c.jsonl").read_bytes() == Path("a.jsonl").read_bytes()


def test_content_comes_back_without_an_account() -> None:
    """Without LOSSES, restore detects the format and gives back the content, in its original format."""
    converted("a.json", "b.json")
    done = agentmsg("restore", "b.json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == {key: ROWS[0][key] for key in ("tools", "messages")}
    assert agentmsg("restore", "-", given=Path("b.json").read_bytes()).stdout == done.stdout


def test_documents_that_carry_nothing_need_a_format() -> None:
    """A document that carries nothing doesn't name its source format; --to does."""
    converted("a.jsonl", "b.jsonl")
    done = agentmsg("restore", "b.jsonl")
    assert done.exit_code == 3
    assert "b.jsonl:2: [schema] the original format is unknown; name it with --to" in done.stderr
    done = agentmsg("restore", "b.jsonl", "--to", "anthropic", "--from", "langchain")
    assert done.exit_code == 0, done.output
    assert [json.loads(line)["messages"] for line in done.stdout.splitlines()] == [row["messages"] for row in ROWS]


def test_edited_documents_are_refused() -> None:
    """A document with changed content doesn't get back its carried losses."""
    converted("a.json", "b.json")
    Path("b.json").write_bytes(Path("b.json").read_bytes().replace(b"Who won?", b"Who lost?"))
    done = agentmsg("restore", "b.json")
    assert done.exit_code == 1
    assert "the loss report belongs to another history" in done.stderr
    assert done.stdout == ""


def test_where_there_is_no_place_losses_are_told() -> None:
    """A target without metadata loses the same content with --carry as without."""
    done = agentmsg("convert", "a.json", "-o", "b.json", "--from", "anthropic", "--to", "openai", "--carry")
    assert "agentmsg:   1 × tools/0: " in done.stderr
    assert "carried" not in done.stderr


def test_the_account_is_in_the_metadata() -> None:
    """--carry writes what the library reads: a loss report under its key in the metadata of a message."""
    converted("a.json", "b.json", "--pretty")
    history = am.loads(Path("b.json").read_bytes(), "langchain")
    assert KEY in history[-1].metadata
    assert am.restore(history).tools[0] == am.NativeTool("anthropic", TOOL)
