"""redact on the command line: files in, files out, with the engine of convert."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import agentmsg as am
from agentmsg.cli.program import program

CHAT: Any = {
    "messages": [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "I am ada@mail.example.", "name": "ada"},
        {"role": "assistant", "content": "Hello."},
    ]
}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of the test's own, with a document and a file of lines."""
    monkeypatch.chdir(tmp_path)
    row = json.dumps(CHAT, separators=(",", ":"))
    Path("a.json").write_text(row, encoding="utf-8")
    Path("b.jsonl").write_text(f'{row}\n{{"bad ada@mail.example\n{row}\n', encoding="utf-8")


def run(*args: str, given: bytes | None = None) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(program, args, input=given, prog_name="agentmsg")


def test_it_writes_the_format_that_it_reads() -> None:
    """Without --to, documents keep their format: from a file, from stdin, and in a folder."""
    done = run("redact", "a.json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["messages"][1]["content"] == "I am REDACTED_EMAIL_1."
    assert "redacted: 1 message" in done.stderr
    assert run("redact", "-", given=Path("a.json").read_bytes()).stdout == done.stdout
    assert run("redact", "a.json", "-o", "out/").exit_code == 0
    assert Path("out/a.json").read_text(encoding="utf-8") == done.stdout


@pytest.mark.parametrize("more", [(), ("-t", "anthropic"), ("--jobs", "2", "-t", "json")], ids=str)
def test_redacted_files_are_restored_by_their_report(more: tuple[str, ...]) -> None:
    """The report restores the sources, also through another format, and only its owner may read it."""
    Path("c.jsonl").write_text(json.dumps(CHAT) + "\n", encoding="utf-8")
    Path("s.jsonl").write_text("", encoding="utf-8")
    done = run("redact", "c.jsonl", "-o", "out.jsonl", "--losses", "s.jsonl", "--force", *more)
    assert done.exit_code == 0, done.output
    assert "ada@" not in Path("out.jsonl").read_text(encoding="utf-8")
    assert stat.S_IMODE(Path("s.jsonl").stat().st_mode) == 0o600
    assert json.loads(run("restore", "out.jsonl", "s.jsonl").stdout) == CHAT


@pytest.mark.parametrize("codec", ["openai", "anthropic", "json"])
@pytest.mark.parametrize("given", [False, True], ids=["detected", "named"])
def test_a_report_made_in_python_restores_a_file(codec: am.CodecName, given: bool) -> None:
    """Such a report names no format: the redacted document's own format is written."""
    history = am.decode(am.convert(CHAT, "openai", codec).document, codec)
    redaction = am.redact(history)
    am.dump(redaction.history, "safe.json", codec)
    Path("s.jsonl").write_bytes(am.dump_losses(redaction.losses, redaction.history))
    done = run("restore", "safe.json", "s.jsonl", *(["-f", codec] if given else []))
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == am.encode(history, codec)


def test_nothing_but_the_report_holds_a_secret() -> None:
    """Unreadable input is not copied into the quarantine of redacted files, and isn't quoted."""
    done = run("redact", "b.jsonl", "-o", "out.jsonl")
    assert done.exit_code == 3
    assert "ada@" not in done.output + done.stderr
    found = [path.name for path in Path().iterdir() if "ada@" in path.read_text(encoding="utf-8")]
    assert sorted(found) == ["a.json", "b.jsonl"]
    assert json.loads(Path("out.jsonl.bad.jsonl").read_text(encoding="utf-8"))["line"] == 2


@pytest.mark.parametrize(
    "args",
    [
        ("redact", "a.json", "--pattern", "x"),
        ("redact", "a.json", "--kind", "mail"),
        ("redact", "a.json", "-o", "a.json", "--force"),
    ],
    ids=str,
)
def test_wrong_command_lines_are_refused(args: tuple[str, ...]) -> None:
    """Impossible arguments give exit code 2, and leave the source unchanged."""
    assert run(*args).exit_code == 2
    assert json.loads(Path("a.json").read_text(encoding="utf-8")) == CHAT


def test_choices_of_redact() -> None:
    """--kind narrows the findings, and --pattern adds to them."""
    done = run("redact", "a.json", "--kind", "home", "--pattern", "mood=kind|sad")
    assert [each["content"] for each in json.loads(done.stdout)["messages"]][:2] == [
        "Be REDACTED_MOOD_1.",
        "I am ada@mail.example.",
    ]
