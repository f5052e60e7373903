"""``agentmsg guide``: lists the guides, shows one, and suggests a close name for an unknown one."""

from __future__ import annotations

import os
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from agentmsg.cli.guide import command, guides
from agentmsg.cli.program import program
from support.terminal import in_terminal

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


def run(*arguments: str) -> Result:
    """Run the command line."""
    return CliRunner().invoke(program, ["guide", *arguments], prog_name="agentmsg")


def text_of(name: str) -> str:
    """Return the Markdown of a guide."""
    return files("agentmsg").joinpath(f"guides/{name}.md").read_text(encoding="utf-8")


def test_lists_each_guide_in_one_line() -> None:
    """Without a name, each guide is one line: its name and its purpose."""
    done = run()
    assert done.exit_code == 0
    assert [line.split(maxsplit=1) for line in done.output.splitlines()] == [list(pair) for pair in guides().items()]
    assert len(guides()) >= 12
    assert all(line.endswith(".") and len(line) < 90 for line in guides().values())


@pytest.mark.parametrize("name", guides())
def test_a_pipe_gets_markdown(name: str) -> None:
    """Anything but a terminal gets the guide's Markdown unchanged."""
    done = run(name)
    assert (done.exit_code, done.output) == (0, text_of(name))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("langchian", "there is no guide 'langchian'; did you mean langchain?"),
        ("\x1b[2J", "the guides are first-steps, losses"),
    ],
)
def test_an_unknown_name_is_one_error(name: str, words: str) -> None:
    """An unknown guide is one error with a code, and names the close ones, or all."""
    done = run(name)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("agentmsg: error [option] ")
    assert words in done.stderr
    assert "\x1b" not in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_index_is_no_guide() -> None:
    """Only guides are shown: not the list of them, nor any other file."""
    assert {run(name).exit_code for name in ("README", "../README", "../cli/guide", "")} == {2}


def test_a_guide_goes_to_a_file(tmp_path: Path) -> None:
    """-o writes the guide to a new file; other endings are refused."""
    target = tmp_path / "losses.md"
    assert run("losses", "-o", str(target)).exit_code == 0
    assert target.read_text(encoding="utf-8") == text_of("losses")
    assert run("losses", "-o", str(target)).exit_code == 2
    assert run("losses", "-o", str(tmp_path / "losses.pdf")).exit_code == 2


def test_shells_complete_names() -> None:
    """Shells complete the names of guides."""
    (argument,) = [each for each in command.params if each.name == "guide"]
    found = argument.type.shell_complete(None, argument, "st")  # type: ignore[arg-type]
    assert [item.value for item in found] == ["storage", "streaming"]


@pytest.mark.skipif(os.name == "nt", reason="there are no such terminals")
def test_a_terminal_gets_it_formatted() -> None:
    """A terminal gets headings and tables drawn, not Markdown."""
    code, shown = in_terminal("guide", "losses")
    assert code == 0
    assert "Losses" in shown
    assert "# Losses" not in shown
    assert "| --- |" not in shown
