"""README.md: every example runs and gives what it says, and its tables are those of the code.

Blocks marked ``python`` run in order, with one namespace a section. Of an expression, ``# -> value`` is what
its repr must be, ``# raises Name`` the class of the error it must raise. Blocks marked ``console`` hold commands
(after ``$``) with all that they print; of ``sh`` blocks those lines are run that call agentmsg.
"""

from __future__ import annotations

import ast
import re
import shlex
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs
import pytest
from click.testing import CliRunner

import agentmsg as am
from agentmsg.cli.program import program
from agentmsg.errors import CODES

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
_CLAIM = re.compile(r"#\s*(->|raises)\s+(.*)$")


@attrs.frozen
class Example:
    """A fenced block: the section it stands in, its language, its text, and the line it begins at."""

    section: str
    language: str
    text: str
    line: int


def examples(language: str) -> list[Example]:
    """Return the blocks of a language in README.md, in order."""
    section = ""
    found: list[Example] = []
    start: int | None = None
    for number, line in enumerate(lines := README.read_text(encoding="utf-8").splitlines()):
        if start is None and line.startswith("## "):
            section = line.removeprefix("## ")
        elif line.startswith("```"):
            if start is not None:
                words = lines[start].removeprefix("```")
                found.append(Example(section, words, "\n".join(lines[start + 1 : number]), start + 1))
            start = number if start is None else None
    return [example for example in found if example.language == language]


def sections() -> list[str]:
    """Return the sections that have Python examples, in order."""
    return list(dict.fromkeys(example.section for example in examples("python")))


@pytest.fixture(autouse=True)
def _clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder that has the examples where a clone has them."""
    shutil.copytree(ROOT / "tests" / "examples", tmp_path / "tests" / "examples")
    monkeypatch.chdir(tmp_path)


def run_block(example: Example, scope: dict[str, Any]) -> int:
    """Run the statements of a block, and compare what they claim; return the number of claims."""
    lines = example.text.splitlines()
    claims = 0
    for statement in ast.parse(example.text).body:
        claim = _CLAIM.search(lines[(statement.end_lineno or statement.lineno) - 1])
        where = f"README.md:{example.line + statement.lineno}"
        kind, words = claim.groups() if claim else ("", "")
        claims += bool(claim)
        if kind == "raises" and not words.startswith("nothing"):
            with pytest.raises(Exception) as raised:  # noqa: PT011 - compared below, by name
                _evaluate(statement, scope, where)
            assert raised.type.__name__ == words, where
            continue
        value = _evaluate(statement, scope, where)
        if kind == "->":
            assert repr(value) == words, where
    return claims


def _evaluate(statement: ast.stmt, scope: dict[str, Any], where: str) -> Any:
    """Run a statement; return its value where it is an expression."""
    if isinstance(statement, ast.Expr):
        code = compile(ast.Expression(statement.value), where, "eval", dont_inherit=True)
        return eval(code, scope)  # noqa: S307 - our own README
    exec(compile(ast.Module([statement], []), where, "exec", dont_inherit=True), scope)  # noqa: S102 - the same
    return None


@pytest.mark.parametrize("section", sections())
def test_python_examples_are_true(section: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python examples of a section run, and each value and error is the one that README claims."""
    module = ModuleType("readme_example")
    # cattrs and dataclasses look up a class's annotations in its module.
    monkeypatch.setitem(sys.modules, module.__name__, module)
    claims = [run_block(example, vars(module)) for example in examples("python") if example.section == section]
    assert all(claims), "an example without a claim proves nothing"


def test_console_examples_are_true() -> None:
    """Each command of the console examples prints, on both streams together, exactly what README shows."""
    commands = 0
    for example in examples("console"):
        for part in example.text.removeprefix("$ ").split("\n$ "):
            command, _, expected = part.partition("\n")
            name, *arguments = shlex.split(command)
            assert name == "agentmsg"
            done = CliRunner().invoke(program, arguments, prog_name=name)
            assert done.output.rstrip("\n") == expected, command
            commands += 1
    assert commands > 3


def test_restored_example_is_the_same() -> None:
    """What the console examples restore holds the JSON value of the original."""
    test_console_examples_are_true()
    original, again = Path("tests/examples/refund.json"), Path("refund.again.json")
    assert am.dumps(am.loads(original.read_bytes(), "json"), "json") == again.read_bytes()


def test_set_up_converts_and_accounts() -> None:
    """The commands of the set-up that call agentmsg succeed; one loses nothing, one tells its losses."""
    blocks = [example.text for example in examples("sh") if "agentmsg convert" in example.text]
    assert len(blocks) == 1
    outputs: list[str] = []
    for command in blocks[0].replace("\\\n", " ").split("&&"):
        name, *arguments = shlex.split(command)
        if name == ".venv/bin/agentmsg":
            done = CliRunner().invoke(program, arguments, prog_name="agentmsg")
            assert done.exit_code == 0, done.output
            outputs.append(done.stderr)
    assert len(outputs) == 2
    assert "nothing lost" in outputs[0]
    assert "annotation losses" in outputs[1]
    assert Path("weather.losses.jsonl").is_file()


def test_test_command_is_marked() -> None:
    """What CI runs as the test command is the one that README gives."""
    marked = README.read_text(encoding="utf-8").split("<!-- test-command -->")[1]
    command = marked.split("<!-- /test-command -->")[0].strip().removeprefix("```sh").removesuffix("```").strip()
    assert command == "python3 -m venv .venv && .venv/bin/pip install -e '.[test]' && .venv/bin/pytest"


def _rows(heading: str) -> dict[str, str]:
    """Return the first two columns of the table in a section."""
    text = README.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return dict(re.findall(r"^\| `([^`]+)` \| ([^|]+) \|", text, re.MULTILINE))


def test_error_codes_are_all_told() -> None:
    """The table of error codes is that of agentmsg.errors."""
    assert _rows("Errors and limits") == dict(CODES)


def test_formats_are_all_told() -> None:
    """The table of formats names every codec that ships with agentmsg."""
    import agentmsg_codecs

    assert list(_rows("Formats")) == sorted(agentmsg_codecs.CODECS, key=["json", "msgpack"].count, reverse=True)


def test_examples_are_found() -> None:
    """There are examples of each kind: none gets lost by a change of markup."""
    assert len(sections()) >= 7
    assert len(examples("python")) >= 12


def test_examples_can_fail() -> None:
    """A false claim about a value or an error fails."""
    with pytest.raises(AssertionError, match=r"README\.md:1"):
        run_block(Example("", "python", "1 + 1  # -> 3", 0), {})
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        run_block(Example("", "python", "1 / 0  # raises KeyError", 0), {})
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        run_block(Example("", "python", "1 / 1  # raises KeyError", 0), {})


def test_the_history_of_langchain_is_real(monkeypatch: pytest.MonkeyPatch) -> None:
    """The example of a LangChain history is one that LangChain itself reads and writes the same."""
    import json

    from langchain_core import messages

    document = json.loads((ROOT / "tests/examples/lisbon.json").read_bytes())
    assert messages.messages_to_dict(messages.messages_from_dict(document)) == document
