"""Write results to stdout, or completely into a file whose name is free; JSON for people is coloured and escaped."""

from __future__ import annotations

import json
import re
import sys
from contextlib import contextmanager
from functools import wraps
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import attrs
import click

from agentmsg.cli.options import json_option, output_option
from agentmsg.cli.terminal import has_colours, held_output, is_terminal, standard_out, write_bytes
from agentmsg.errors import EncodeError, FileError
from agentmsg.files.file_names import STANDARD
from agentmsg.files.overwriting import check_distinct, check_free
from agentmsg.files.storage import whole_file
from agentmsg.values.text import dump_json

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable


@attrs.frozen
class Output:
    """Where a command prints its results.

    Attributes:
        name: of the file; "-" is stdout.
        force: whether to replace existing files.
        as_json: whether to print JSON for programs.
    """

    name: str
    force: bool
    as_json: bool = False

    def check(self, read: Iterable[str] = (), *beside: str | None) -> None:
        """Check that results may be written.

        Args:
            read: the names of all files to read; "-" is stdin.
            beside: the names of further files to write, if any.

        Raises:
            FileError: code "same-file" if one is a source or another result; code "exists", see ``check_free``.
        """
        names = [self.name, *(name for name in beside if name is not None)]
        check_distinct(names, read)
        check_free(names, force=self.force)

    def write(self, data: bytes, name: str | None = None) -> None:
        """Write a file, this one or one beside it; if anything goes wrong, an existing file stays as it was.

        Raises:
            FileError: if it can't be written; code "exists".
        """
        name = name or self.name
        if name == STANDARD:
            write_bytes(data)
            return
        with whole_file(name, force=self.force) as file:
            file.write(data)

    @contextmanager
    def printed(self) -> Generator[None]:
        """Send everything printed to stdout to the file, once it is complete.

        Raises:
            FileError: if it can't be written; code "exists".
        """
        if self.name == STANDARD:
            yield
            return
        with held_output() as printed:
            yield
        self.write(printed())


def check_ending(name: str, endings: Collection[str]) -> str:
    """Return the suffix of a file to write.

    Raises:
        FileError: code "form" if it is none of these, and not empty.
    """
    ending = PurePath(name).suffix.lower()
    if ending and ending not in endings:
        msg = f"{name}: can't write a {ending} file here; use {' or '.join(endings)}"
        raise FileError(msg, code="form")
    return ending


def printing(words: str, endings: Collection[str] = ()) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the options ``-o FILE`` and ``--force``, as the parameter ``out``: an Output.

    Args:
        words: what the file is.
        endings: the suffixes that it may have; any, if none are given.
    """

    def given(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def called(*args: Any, output: str, force: bool, as_json: bool = False, **options: Any) -> Any:
            ending = check_ending(output, endings) if endings else ""
            return command(*args, out=Output(output, force, as_json or ending == ".json"), **options)

        return output_option(words)(called)

    return given


def reporting(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of ``printing``, and ``--json``."""
    return json_option(printing("The file to write: .txt, or .json for --json", (".txt", ".json"))(command))


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
