"""Calls whose arguments are broken: every format that can hold one tells it, and such documents can be left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from agentmsg.cli.program import program


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)


def agentmsg(*args: str) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(program, args, prog_name="agentmsg")


def chat(arguments: Any) -> Any:
    """Return a conversation with one call."""
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": arguments}}
    return {
        "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    }


def turns(arguments: Any) -> Any:
    """Return the same as turns."""
    call = {"from": "function_call", "value": json.dumps({"name": "f", "arguments": arguments})}
    return {"conversations": [{"from": "human", "value": "Hi"}, call]}


def anthropic(arguments: Any) -> Any:
    """Return the same of Anthropic."""
    call = {"type": "tool_use", "id": "c1", "name": "f", "input": arguments}
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": [call]}]
    return {"model": "claude-opus-5", "max_tokens": 9, "messages": messages}


def bedrock(arguments: Any) -> Any:
    """Return the same of Bedrock."""
    call = {"toolUse": {"toolUseId": "c1", "name": "f", "input": arguments}}
    return {
        "messages": [{"role": "user", "content": [{"text": "Hi"}]}, {"role": "assistant", "content": [call]}],
        "modelId": "m",
    }


def gemini(arguments: Any) -> Any:
    """Return the same of Gemini."""
    parts = {"user": {"text": "Hi"}, "model": {"functionCall": {"name": "f", "args": arguments}}}
    return {"contents": [{"role": role, "parts": [part]} for role, part in parts.items()]}


# What may stand where arguments are, by format, and whether it is broken.
GIVEN: list[tuple[str, Any, bool]] = [
    ("openai", chat('{"a": 1'), True),
    ("openai", chat(""), False),
    ("openai", chat("[1]"), True),
    ("openai", chat('{"_raw": "{\\"a"}'), True),
    ("openai", chat('{"a": 1}'), False),
    ("openai", chat("{}"), False),
    ("openai", chat('{"_raw": 1, "b": 2}'), False),
    ("hf", chat('{"a": 1'), True),
    ("hf", chat({"_raw": '{"a": 1'}), True),
    ("hf", chat({"_raw": [1]}), True),
    ("hf", chat({"a": {"_raw": 1}}), False),
    *(("hf", chat(given), True) for given in ([1], 3)),
    *(("anthropic", anthropic(given), given != {"a": 1}) for given in ("a", [1], 3, {"_raw": "{"}, {"a": 1})),
    *(("bedrock", bedrock(given), given != {"a": 1}) for given in ("{", [1], 3, {"_raw": "{"}, {"a": 1})),
    *(("gemini", gemini(given), given != {"a": 1}) for given in ("a", [1], 3, {"_raw": "{"}, {"a": 1})),
    ("sharegpt", turns({"_raw": '{"a": 1'}), True),
    ("sharegpt", turns({"a": 1}), False),
]
FINE = {
    "openai": chat("{}"),
    "hf": chat({}),
    "sharegpt": turns({}),
    "anthropic": anthropic({}),
    "bedrock": bedrock({}),
    "gemini": gemini({}),
}


@pytest.mark.parametrize("target", ["anthropic", "hf", "openai"])
@pytest.mark.parametrize(("source", "row", "is_broken"), GIVEN, ids=json.dumps)
def test_broken_arguments_are_told(source: str, row: Any, is_broken: bool, target: str) -> None:
    """The report counts documents with such calls, whatever is written; --quarantine arguments puts them aside."""
    Path("a.jsonl").write_text("".join(json.dumps(each) + "\n" for each in (FINE[source], row, row)), encoding="utf-8")
    command = ["convert", "a.jsonl", "-f", source, "-t", target, "--force", "-o", "b.jsonl"]
    done = agentmsg(*command)
    assert done.exit_code == 0, done.output
    told = "2 documents with calls whose arguments are broken: --quarantine arguments leaves such documents out"
    assert (told in done.stderr) == is_broken
    assert "broken" not in agentmsg(*command, "--on-loss", "ignore").stderr
    done = agentmsg(*command, "--quarantine", "arguments")
    assert (done.exit_code, len(Path("b.jsonl").read_bytes().splitlines())) == ((3, 1) if is_broken else (0, 3))
    assert "calls whose arguments" not in done.stderr
    assert (
        "a.jsonl:2: [arguments] /messages/1/content/0: the arguments of a call are broken" in done.stderr
    ) == is_broken


@pytest.mark.parametrize(
    ("source", "row", "is_broken"), [each for each in GIVEN if each[0] in ("hf", "openai")], ids=json.dumps
)
@pytest.mark.parametrize("target", ["anthropic", "hf", "openai"])
def test_broken_arguments_of_a_rejected_answer_are_told(source: str, row: Any, is_broken: bool, target: str) -> None:
    """So are those of the answer that a pair has beside the chosen one."""
    asked, bad = row["messages"]
    good = [{"role": "assistant", "content": "Hello"}]
    pair: Any = {"prompt": [asked], "chosen": good, "rejected": [bad]}
    if source == "openai":
        pair = {"input": {"messages": [asked]}, "preferred_output": good, "non_preferred_output": [bad]}
    Path("a.jsonl").write_text((json.dumps(pair) + "\n") * 2, encoding="utf-8")
    command = ["convert", "a.jsonl", "-f", source, "-t", target, "--force", "-o", "b.jsonl"]
    done = agentmsg(*command)
    assert ("2 documents with calls whose arguments are broken" in done.stderr) == is_broken
    done = agentmsg(*command, "--quarantine", "arguments")
    assert (done.exit_code == 0) != is_broken
    assert ("[arguments] /extras/hf/rejected/0/tool_calls/0: the arguments of" in done.stderr) == is_broken


def test_one_document_is_refused() -> None:
    """For a single document it is one error, or one line of the report."""
    Path("a.json").write_text(json.dumps(chat("{")), encoding="utf-8")
    done = agentmsg("convert", "a.json", "-f", "openai", "-t", "hf")
    assert (done.exit_code, "the document has calls whose arguments are broken" in done.stderr) == (0, True)
    done = agentmsg("convert", "a.json", "-f", "openai", "-t", "hf", "--quarantine", "arguments")
    assert (done.exit_code, "error [arguments]" in done.stderr) == (1, True)
