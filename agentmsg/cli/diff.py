"""``agentmsg diff``: the differences between two conversations, whatever their formats."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING, Any

import attrs
import click

from agentmsg.cli.options import quiet_option, reading_options, to_option
from agentmsg.cli.output import Output, reporting, write_json
from agentmsg.cli.progress import progress_of, size_of
from agentmsg.cli.reading import history_of
from agentmsg.cli.terminal import console, printable, say
from agentmsg.errors import AgentMsgError
from agentmsg.files.file_names import STANDARD
from agentmsg.files.plan import Input
from agentmsg.model.base import Noted
from agentmsg.ops.alignment import words_apart
from agentmsg.ops.differences import Difference, differences
from agentmsg.registry import get_codec
from agentmsg.values.text import dump_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.text import Text

    from agentmsg.cli.reading import Read

_SAME, _DIFFERENT, _TROUBLE = 0, 1, 2
_SIGNS = {"added": "+", "removed": "-", "changed": "~", "reordered": "~"}
_STYLES = {"added": "green", "removed": "red", "changed": "yellow", "reordered": "yellow"}
# Characters to show of a value, and of the unchanged text around a change.
_LONGEST = 160
_AROUND = 40
_EXAMPLES = """\b
Examples:
  agentmsg diff before.json after.json
  agentmsg diff request.json request.anthropic.json -f openai -t anthropic
  agentmsg diff a.json b.json -o differences.json
"""


@click.command("diff", short_help="Compare two conversations, whatever their formats.", epilog=_EXAMPLES)
@click.argument("a", metavar="A", type=click.Path())
@click.argument("b", metavar="B", type=click.Path())
@reporting
@reading_options("The format of A (default: detected).")
@to_option("The format of B (default: detected).")
@click.option("--exact", is_flag=True, help="Compare spelling too, and ids and times that agentmsg made.")
@quiet_option
def command(
    *,
    a: str,
    b: str,
    out: Output,
    codec: str | None,
    exact: bool,
    quiet: bool,
    **how: Any,
) -> int:
    """Compare two conversations, whatever their formats.

    Each difference is one line with its path. Indexes count messages and blocks of A; the last index of an addition
    counts those of B. Spelling doesn't count, nor do ids and times that agentmsg itself made.

    The exit code is 0 if the conversations are the same, 1 if they differ, and 2 for any error. With --json, values are
    in the canonical form.
    """
    if a == b == STANDARD:
        msg = "only one of A and B can be stdin"
        raise click.UsageError(msg)
    try:
        out.check([a, b])
        with progress_of(size_of([a, b]), quiet=quiet) as progress:
            progress.share(0, f"reading {printable(a)}")
            given = Input(**how)
            one = history_of(a, given)
            progress.share(0.25, f"reading {printable(b)}")
            other = history_of(b, attrs.evolve(given, source=codec))

            def advance(done: int, total: int) -> None:
                progress.share(0.5 + 0.5 * done / total, f"{done:,} of {total:,} messages compared")

            found = differences(one.history, other.history, exact=exact, advance=advance)
        with out.printed():
            if out.as_json:
                sides = {"a": {"file": a, "codec": one.codec}, "b": {"file": b, "codec": other.codec}}
                write_json({**sides, "differences": [_as_data(each, exact=exact) for each in found]})
            else:
                _print(one, other, found)
    except AgentMsgError as error:
        say(f"error [{error.code}] {error}", colour="red")
        return _TROUBLE
    return _DIFFERENT if found else _SAME


def _as_data(difference: Difference, *, exact: bool) -> dict[str, Any]:
    data: dict[str, Any] = {"path": difference.pointer, "kind": difference.kind}
    if difference.kind != "added":
        data["was"] = _plain(difference.was, exact=exact)
    if difference.kind != "removed":
        data["now"] = _plain(difference.now, exact=exact)
    return data


def _plain(value: Any, *, exact: bool) -> Any:
    """Return a model value in the canonical form; with its notes only if they are compared."""
    if isinstance(value, Noted):
        canonical: Any = get_codec("json")
        return canonical.engine.write_any(value if exact else _bare(value))
    if isinstance(value, datetime):
        return value.isoformat()
    return [_plain(item, exact=exact) for item in _items(value)] if isinstance(value, tuple) else value


def _items(value: Any) -> Iterable[Any]:
    items: Iterable[Any] = value
    return items


def _has_parts(value: object) -> bool:
    return isinstance(value, (Noted, tuple))


def _bare(value: object) -> Any:
    """Return an object without notes, at all levels."""
    if isinstance(value, tuple):
        return tuple(map(_bare, _items(value)))
    if not isinstance(value, Noted):
        return value
    inner = {field.name: getattr(value, field.name) for field in attrs.fields(type(value)) if field.init}
    parts = {name: _bare(each) for name, each in inner.items() if _has_parts(each)}
    return value.evolve(**{**parts, "notes": {}})


def _print(one: Read, other: Read, found: list[Difference]) -> None:
    from rich.text import Text  # noqa: PLC0415 - --json does not need it

    screen = console()
    lines = [Text(_summary(found))]
    if found:
        lines = [
            Text(printable(f"--- {one.place} ({one.codec})"), style="bold"),
            Text(printable(f"+++ {other.place} ({other.codec})"), style="bold"),
            *(line for each in found for line in _lines(each)),
            *lines,
        ]
    for line in lines:
        screen.print(line, soft_wrap=True)


def _summary(found: list[Difference]) -> str:
    if not found:
        return "no differences"
    counts: Counter[str] = Counter(each.kind for each in found)
    told = ", ".join(f"{counts[kind]} {kind}" for kind in _SIGNS if kind in counts)
    return f"{len(found)} difference{'' if len(found) == 1 else 's'}: {told}"


def _lines(difference: Difference) -> list[Text]:
    """Return a line with the path and, if there is room, the value; plus one with the word changes of a text."""
    from rich.text import Text  # noqa: PLC0415 - see above

    kind, was, now = difference.kind, difference.was, difference.now
    head = Text(printable(f"{_SIGNS[kind]} {difference.pointer or '/'}"), style=_STYLES[kind])
    if kind == "changed" and isinstance(was, str) and isinstance(now, str) and " " in was and " " in now:
        return [head, _words(was, now)]
    if kind == "reordered":
        return [head.append(f"  keys reordered: {_shown(was)} → {_shown(now)}", style="default")]
    value = {"added": (now,), "removed": (was,), "changed": (was, now)}[kind]
    return [head.append(f"  {' → '.join(map(_shown, value))}", style="default")]


def _shown(value: Any) -> str:
    """Return a value as one short line of JSON."""
    return _cut(dump_json(_plain(value, exact=False)).decode(), _LONGEST)


def _words(was: str, now: str) -> Text:
    """Return two texts as one, word by word: [-removed-], {+added+}, and some of the unchanged text."""
    from rich.text import Text  # noqa: PLC0415 - see above

    pieces = list(words_apart(was, now))
    line = Text("    ")
    for index, (kind, piece) in enumerate(pieces):
        if kind == "same":
            line.append(_around(piece, first=index == 0, last=index == len(pieces) - 1), style="dim")
        elif kind == "removed":
            line.append(f"[-{_cut(piece)}-]", style="red")
        else:
            line.append(f"{{+{_cut(piece)}+}}", style="green")
    return line


def _around(piece: str, *, first: bool, last: bool) -> str:
    head = "" if first else piece[:_AROUND]
    tail = "" if last else piece[-_AROUND:]
    return printable(piece if len(piece) <= len(head) + len(tail) else f"{head}…{tail}")


def _cut(piece: str, longest: int = 10 * _LONGEST) -> str:
    text = printable(piece)
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text):,} characters)"
