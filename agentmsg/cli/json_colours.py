"""JSON on a terminal: indented, coloured, and escaped against terminal control; the value is the same."""

from __future__ import annotations

import json
import re
import sys
from typing import Any, BinaryIO, cast

import click

from agentmsg.cli.terminal import has_colours, is_terminal, standard_out, write_bytes
from agentmsg.errors import EncodeError
from agentmsg.values.text import dump_json

# A key with its colon, a string, a number, or a word; nothing else in JSON is coloured.
_TOKEN = re.compile(r'("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b')
_KEY, _TEXT, _NUMBER, _WORD = "blue", "green", "cyan", "yellow"


def indented(value: Any) -> str:
    """Return JSON for people."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def painted(text: str, *, has_colours: bool) -> str:
    """Return JSON text that is safe for a terminal."""
    safe = text if text.replace("\n", "").isprintable() else "".join(map(_safe, text))
    return _TOKEN.sub(_coloured, safe) if has_colours else safe


def write_json(value: Any) -> None:
    """Write JSON to stdout: one line for a pipe, indented and coloured for a terminal."""
    if is_terminal(sys.stdout):
        _Screen().write(indented(value).encode(errors="backslashreplace"))
        sys.stdout.write("\n")
        return
    try:
        data = dump_json(value)
    except EncodeError as error:
        if error.code != "surrogate":
            raise
        data = json.dumps(value).encode()  # the name of a file that isn't UTF-8
    write_bytes(data + b"\n")


def screen() -> BinaryIO:
    """Return a stdout for a terminal, which colours the JSON written to it.

    Raises:
        FileError: if it is closed.
    """
    standard_out()
    return cast("BinaryIO", _Screen())


class _Screen:
    """The terminal, for JSON; each write must hold complete strings and numbers."""

    def write(self, data: bytes) -> int:
        """Show a piece of JSON."""
        # Not through click, which would remove the colours even if FORCE_COLOR asks for them.
        shown = painted(data.decode(), has_colours=has_colours(sys.stdout))
        standard_out().write(shown.encode(sys.stdout.encoding or "utf-8", "backslashreplace"))
        return len(data)

    def flush(self) -> None:
        """Show all that was written."""
        standard_out().flush()


def _safe(char: str) -> str:
    # Outside strings there are no others.
    return char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1]


def _coloured(token: re.Match[str]) -> str:
    text, colon, number, word = token.groups()
    if text is not None:
        return click.style(text, fg=_KEY if colon else _TEXT, bold=bool(colon)) + (colon or "")
    return click.style(number or word, fg=_NUMBER if number else _WORD)
