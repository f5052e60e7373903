"""``agentmsg show``: which document, the output, its width, cuts, and missing packages."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

import agentmsg as am
from agentmsg.cli.program import program
from agentmsg.optional import install
from agentmsg.show import Lengths, view_of
from agentmsg.show.page import page
from agentmsg.show.terminal import text

if TYPE_CHECKING:
    from click.testing import Result

EXAMPLE = Path(__file__).parent / "examples" / "lisbon.json"
LISBON = am.loads(EXAMPLE.read_bytes(), "langchain")
HELLO = am.History.of(am.Msg.user("Hello", id=None, created_at=None))
BYE = am.History.of(am.Msg.user("Bye " * 4_000, id=None, created_at=None))


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Work in a folder of the test's own, with files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "70")
    Path("a.json").write_bytes(am.dumps(HELLO, "json"))
    Path("ab.jsonl").write_bytes(am.dumps(HELLO, "json") + b"\n\n" + am.dumps(BYE, "json") + b"\n")


def run(*args: str, given: bytes | None = None) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(program, ["show", *args], input=given, prog_name="agentmsg")


def test_show_prints_the_conversation() -> None:
    """The text goes to stdout in the window's width, without colours unless it is a terminal, and nothing else does."""
    done = run(str(EXAMPLE))
    assert done.stdout == text(view_of(LISBON, title="lisbon.json"), width=70)
    assert (done.exit_code, done.stderr) == (0, "")


def test_show_is_as_wide_as_asked_for() -> None:
    """--width wins over the window."""
    assert run(str(EXAMPLE), "--width", "60").stdout == text(view_of(LISBON, title="lisbon.json"), width=60)
    assert run(str(EXAMPLE), "--width", "5").exit_code == 2


def test_show_has_colours_where_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """FORCE_COLOR gives colours to a pipe, as elsewhere."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "")
    assert run("a.json").stdout_bytes.decode() == text(view_of(HELLO, title="a.json"), width=70, colours="256")


def test_show_reads_stdin() -> None:
    """The name - means stdin; then there is no title."""
    assert run("-", given=am.dumps(HELLO, "json")).stdout == text(view_of(HELLO), width=70)


def test_show_takes_one_document_of_many() -> None:
    """From a .jsonl file the first document is shown, or that of --index; their number goes to stderr."""
    first, second = run("ab.jsonl"), run("ab.jsonl", "--index", "1")
    assert "Hello" in first.stdout
    assert "Bye" in second.stdout
    assert "document 0; --index N shows another" in first.stderr
    none = run("ab.jsonl", "--index", "2")
    assert none.exit_code == 1
    assert "error [required] there is no document 2: ab.jsonl holds 2, counted from 0" in none.stderr


def test_show_cuts_long_texts() -> None:
    """A long text is cut, with the length of the rest; --all shows everything."""
    assert "… 8,000 more characters" in run("ab.jsonl", "--index", "1").stdout
    done = run("ab.jsonl", "--index", "1", "--all")
    assert "more characters" not in done.stdout
    assert done.stdout.count("Bye") == 4_000


def test_show_writes_a_page() -> None:
    """With --html a page is written to the file, or to stdout for -, and no text is printed."""
    done = run("a.json", "--html", "a.html")
    expected = page(view_of(HELLO, title="a.json", lengths=Lengths(text=500_000, detail=100_000)))
    assert Path("a.html").read_text(encoding="utf-8") == expected
    assert (done.exit_code, done.stdout) == (0, "")
    assert run("a.json", "--html", "-").stdout_bytes.decode() == expected


def test_show_needs_a_format() -> None:
    """A document of no known format is refused; --from names one, and is trusted."""
    Path("x.json").write_bytes(b'{"what": 1}')
    assert "no format is recognised; name it with --from" in run("x.json").stderr
    assert "openai" in run("x.json", "--from", "openai").stderr
    Path("y.json").write_bytes(b'[{"role": "user", "content": "Hello"}]')
    assert run("y.json", "--from", "openai").exit_code == 0


@pytest.mark.parametrize(
    ("package", "extra", "args"),
    [("rich", "cli", ()), ("jinja2", "html", ("--html", "-")), ("markdown_it", "html", ("--html", "-"))],
)
def test_show_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, package: str, extra: str, args: tuple[str, ...]
) -> None:
    """If a package is missing, one line has the install command, and the exit code is 2."""
    for name in [name for name in sys.modules if name == package or name.startswith((f"{package}.", "agentmsg.show."))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    done = run("a.json", *args)
    assert done.exit_code == 2
    assert done.stderr.splitlines()[-1] == f"agentmsg: this command needs the package {package}: {install(extra)}"


def test_show_writes_what_the_encoding_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """If stdout can't encode a character, it gets an escape instead."""
    Path("a.json").write_bytes(am.dumps(am.History.of(am.Msg.user("é 日", id=None, created_at=None)), "json"))
    done = CliRunner(charset="latin-1").invoke(program, ["show", "a.json"], prog_name="agentmsg")
    assert "\xe9 \\u65e5".encode("latin-1") in done.stdout_bytes


def test_show_escapes_the_name_of_the_file() -> None:
    """A file's name is data too."""
    Path("a\x1b[31m.json").write_bytes(am.dumps(HELLO, "json"))
    assert run("a\x1b[31m.json").stdout.startswith("a\\x1b[31m.json\n")
