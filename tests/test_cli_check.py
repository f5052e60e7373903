"""``agentmsg check``: what it prints, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import agentmsg as am
from agentmsg.cli.program import program

RIGHT = am.History([am.Msg.user("Hello")])
WRONG = am.History([am.Msg.user("Hello"), am.Msg.tool("3", tool_call_id="lost")])


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Work in a folder of the test's own, with a file of each kind."""
    monkeypatch.chdir(tmp_path)
    Path("right.json").write_bytes(am.dumps(RIGHT, "json"))
    Path("both.jsonl").write_bytes(am.dumps(RIGHT, "json") + b"\n" + am.dumps(WRONG, "json") + b"\n")


def run(*args: str) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(program, ["check", *args], prog_name="agentmsg")


def test_what_is_right_is_told_in_a_line() -> None:
    """Without findings one line is printed, and the exit code is 0."""
    done = run("right.json", "--for", "anthropic")
    assert (done.exit_code, done.stdout) == (0, "1 document, 0 would be refused\n")


@pytest.mark.parametrize("target", ["anthropic", "openai"])
def test_errors_are_listed(target: str) -> None:
    """Each finding is in the table with its document and path, and the exit code is 1."""
    done = run("both.jsonl", "--for", target)
    assert done.exit_code == 1
    assert "2 documents, 1 would be refused" in done.stdout
    assert "messages/1/content/0" in done.stdout
    assert "result-orphan" in done.stdout


def test_json_has_all_of_a_finding() -> None:
    """--json prints the counts and each finding with its path."""
    data = json.loads(run("both.jsonl", "--for", "openai", "--json").stdout)
    assert data["counts"] == [{"severity": "error", "code": "result-orphan", "count": 1}]
    (finding,) = data["findings"]
    assert finding["path"] == ["messages", 1, "content", 0]
    assert "both.jsonl" in finding["place"]
    assert (data["documents"], data["refused"], data["unreadable"]) == (2, 1, 0)


def test_a_summary_lists_nothing() -> None:
    """--summary prints codes and counts, and no document."""
    done = run("both.jsonl", "--for", "openai", "--summary")
    assert "result-orphan" in done.stdout
    assert "messages/1" not in done.stdout
    assert "findings" not in json.loads(run("both.jsonl", "--for", "openai", "--summary", "--json").stdout)


def test_a_format_without_rules_is_an_error() -> None:
    """A format without known sending rules is refused before files are read."""
    done = run("right.json", "--for", "json")
    assert done.exit_code == 2
    assert "error [option]" in done.stderr


def convert(*args: str) -> Result:
    """Convert in this process."""
    return CliRunner().invoke(program, ["convert", *args], prog_name="agentmsg")


def test_convert_tells_what_would_be_refused() -> None:
    """A conversion ends with one line about documents that the provider would refuse; with --repair there are none."""
    done = convert("both.jsonl", "-t", "openai", "-o", "out.jsonl")
    assert "1 document would be refused by the provider: see agentmsg check" in done.stderr
    assert run("out.jsonl", "--for", "openai").exit_code == 1
    done = convert("both.jsonl", "-t", "openai", "-o", "sent.jsonl", "--repair", "--losses", "lost.jsonl", "--verify")
    assert (done.exit_code, "would be refused" in done.stderr) == (0, False)
    assert "result-orphan" in done.stderr
    assert run("sent.jsonl", "--for", "openai").exit_code == 0
    restored = CliRunner().invoke(program, ["restore", "sent.jsonl", "lost.jsonl", "-o", "again.jsonl"])
    assert restored.exit_code == 0
    again = Path("again.jsonl").read_bytes().splitlines()
    assert [am.same(am.loads(line, "json"), each) for line, each in zip(again, (RIGHT, WRONG), strict=True)] == [
        True,
        True,
    ]


_ASKS = {"max_tokens": 10, "model": "claude-opus-5"}
_HI = {"role": "user", "content": "Hi"}
_ORPHAN = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x", "content": "3"}]}
DOCUMENTS: dict[str, tuple[list[dict[str, object]], str, str]] = {
    "right": ([{"messages": [_HI], **_ASKS}], "", ""),
    "orphan": (
        [{"messages": [_HI, _ORPHAN], **_ASKS}, {"messages": [_HI], **_ASKS}],
        "1 document would be refused by the provider: see agentmsg check",
        "",
    ),
    "unset": (
        [{"messages": [_HI], "model": "claude-opus-5"}] * 2,
        "2 documents would be refused by the provider for a missing setting: give --max-tokens",
        "2 documents would be refused by the provider for a missing setting: give --max-tokens",
    ),
    "empty": (
        [{"messages": [], **_ASKS}, {"messages": [_HI], "model": "claude-opus-5"}],
        "2 documents would be refused by the provider, 1 of them for a missing setting (give --max-tokens)",
        "--repair can't mend them",
    ),
}


@pytest.mark.parametrize("case", DOCUMENTS)
def test_convert_counts_as_check_does(case: str) -> None:
    """A conversion's count of refused documents is that of ``check``; --repair tells the rest, --no-check nothing."""
    rows, words, left = DOCUMENTS[case]
    Path("a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    given = ("a.jsonl", "-f", "anthropic")
    refused = json.loads(run(*given, "--for", "anthropic", "--json").stdout)["refused"]
    done = convert(*given, "-t", "anthropic", "-o", "b.jsonl")
    assert words in done.stderr
    assert (f"{refused} document" in words) == (refused > 0)
    repaired = convert(*given, "-t", "anthropic", "-o", "c.jsonl", "--repair")
    assert left in repaired.stderr
    assert ("would be refused" in repaired.stderr) == bool(left)
    for more in ("--no-check", "--on-loss=ignore"):
        assert "refused" not in convert(*given, "-t", "anthropic", "-o", "b.jsonl", "--force", more).stderr


def test_clean_conversions_say_nothing_of_it() -> None:
    """If all can be sent, or the provider has no known rules, nothing is reported."""
    assert "refused" not in convert("right.json", "-t", "anthropic").stderr
    assert "refused" not in convert("both.jsonl", "-t", "json", "-o", "same.jsonl").stderr


def test_only_formats_with_rules_are_repaired() -> None:
    """--repair for a format without known sending rules is an error, before anything is written."""
    done = convert("right.json", "-t", "json", "-o", "out.json", "--repair")
    assert done.exit_code == 2
    assert "error [option]" in done.stderr
    assert not Path("out.json").exists()
