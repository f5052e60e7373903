"""What follows from a description in forms: code, plain tables, mapping tables, and native objects that come back."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

import agentmsg as am
import agentmsg_codecs
from agentmsg.cli.program import program

if TYPE_CHECKING:
    from pathlib import Path

    from agentmsg.formats.forms import Described

DESCRIBED: list[tuple[str, Described]] = [
    (f"{name}-{number}", described)
    for name in agentmsg_codecs.CODECS
    for number, described in enumerate(am.get_codec(name).described)
]
CHECKERS = {
    "ruff": ("check", "--isolated", "--no-cache", "--select", "E,F,W,B,PLE", "--ignore", "E501"),
    "mypy": ("--strict", "--config-file=", "--no-error-summary"),
    "pyright": ("--warnings",),
}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the generated code of all described codecs."""
    folder = tmp_path_factory.mktemp("code")
    for name, described in DESCRIBED:
        (folder / f"{name.replace('-', '_')}.py").write_text(described.code(), encoding="utf-8")
    return folder


@pytest.mark.parametrize("checker", CHECKERS)
def test_generated_code_is_clean(written: Path, checker: str) -> None:
    """Linter and type checkers find nothing in the generated code of all described codecs."""
    if importlib.util.find_spec(checker) is None:
        pytest.skip(f"{checker} is not installed")
    cache = [f"--cache-dir={written / 'cache'}"] if checker == "mypy" else []
    done = subprocess.run(
        [sys.executable, "-m", checker, *CHECKERS[checker], *cache, *map(str, written.glob("*.py"))],
        capture_output=True,
        text=True,
        check=False,
        cwd=written,
    )
    assert done.returncode == 0, done.stdout


def test_code_is_printed() -> None:
    """``agentmsg formats NAME --code`` prints the generated code of a format, and says so where there is none."""
    done = CliRunner().invoke(program, ["formats", "anthropic", "--code"])
    assert done.exit_code == 0
    assert done.stdout == am.get_codec("anthropic").described[0].code()
    done = CliRunner().invoke(program, ["formats", "msgpack", "--code"])
    assert done.exit_code != 0
    assert "error [option] msgpack: this format isn't described in forms" in done.output
    assert CliRunner().invoke(program, ["formats", "--code"]).exit_code == 2
