"""The fenced blocks of README and the guides: found in the text, run, and compared with their claims.

It needs nothing but attrs, so that other environments than the tests' can run examples too.
"""

from __future__ import annotations

import ast
import importlib.util
import re
from pathlib import Path
from typing import Any

import attrs

__all__ = ["CORE", "ROOT", "Example", "examples", "located", "run_python", "text_of"]

ROOT = Path(__file__).resolve().parents[2]
CORE = Path(str(importlib.util.find_spec("agentmsg").origin)).parent  # type: ignore[union-attr]
_CLAIM = re.compile(r"#\s*(->|raises)\s+(.*)$")


def located(name: str) -> Path:
    """Return the path of a file of the repository; an installed one is found by its import."""
    return CORE.parent / name if name.startswith("agentmsg/") else ROOT / name


def text_of(name: str) -> str:
    """Return the text of a file of the repository."""
    return located(name).read_text(encoding="utf-8")


@attrs.frozen
class Example:
    """A fenced block: its language, its requirements, its text, and its first line."""

    language: str
    needs: tuple[str, ...]
    text: str
    file: str
    line: int


def examples(name: str) -> list[Example]:
    """Return the fenced blocks of a file, in order."""
    found: list[Example] = []
    start: int | None = None
    for number, line in enumerate(lines := text_of(name).splitlines()):
        if line.startswith("```"):
            if start is not None:
                language, *needs = lines[start].removeprefix("```").split() or [""]
                found.append(Example(language, tuple(needs), "\n".join(lines[start + 1 : number]), name, start + 1))
            start = number if start is None else None
    assert start is None, f"{name}: a block has no end"
    return found


def run_python(example: Example, scope: dict[str, Any]) -> int:
    """Run the statements of a block, and check their claims; return the number of claims."""
    lines = example.text.splitlines()
    claims = 0
    for statement in ast.parse(example.text).body:
        claim = _CLAIM.search(lines[(statement.end_lineno or statement.lineno) - 1])
        where = f"{example.file}:{example.line + statement.lineno}"
        kind, words = claim.groups() if claim else ("", "")
        claims += bool(claim)
        if kind == "raises" and not words.startswith("nothing"):
            raised = _raised(statement, scope, where)
            assert raised == words, f"{where}: {raised}"
            continue
        value = _evaluate(statement, scope, where)
        if kind == "->":
            assert repr(value) == words, f"{where}: {value!r}"
    return claims


def _raised(statement: ast.stmt, scope: dict[str, Any], where: str) -> str:
    """Run a statement; return the name of the error that it raises."""
    try:
        _evaluate(statement, scope, where)
    except Exception as error:  # noqa: BLE001 - compared by name
        return type(error).__name__
    return "nothing"


def _evaluate(statement: ast.stmt, scope: dict[str, Any], where: str) -> Any:
    """Run a statement; return its value if it is an expression."""
    if isinstance(statement, ast.Expr):
        code = compile(ast.Expression(statement.value), where, "eval", dont_inherit=True)
        return eval(code, scope)  # noqa: S307 - our own text
    exec(compile(ast.Module([statement], []), where, "exec", dont_inherit=True), scope)  # noqa: S102 - the same
    return None
