"""``agentmsg stats``: statistics of conversations."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click

from agentmsg.cli.options import encoding_option, jobs_option, quiet_option, reading_options
from agentmsg.cli.output import Output, reporting, write_json
from agentmsg.cli.reading import read_each
from agentmsg.cli.report import counted, found_in
from agentmsg.cli.terminal import show_table
from agentmsg.files.plan import Input
from agentmsg.ops.stats import stats_of
from agentmsg.ops.tokens import counter_of
from agentmsg.ops.totals import PERCENTILES, Totals, by_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmsg.model.history import History
    from agentmsg.ops.stats import HistoryStats
    from agentmsg.ops.totals import Distribution, ToolTotals

_PICTURES = (".png", ".svg")
# The most tools to list.
_TOOLS = 25
_LABELS = {
    "input": "input tokens",
    "output": "output tokens",
    "total": "total tokens, where stated",
    "cache_read": "input from a cache",
    "cache_write": "input put into a cache",
    "reasoning": "output that was thinking",
    "input_audio": "input that was audio",
    "output_audio": "output that was audio",
    "cost": "cost, as documents state it",
    "seconds": "seconds to respond",
}

_EXAMPLES = """\b
Examples:
  agentmsg stats history.json
  agentmsg stats logs/*.jsonl --from openai --json
  agentmsg stats *.json --plot stats.svg
"""


def _look(encoding: str | None, history: History, codec: str) -> tuple[HistoryStats, tuple[str, ...], str]:
    """Return what totals need of a history, without its messages."""
    stats = stats_of(history, counter=counter_of(encoding))
    return attrs.evolve(stats, last_user_message=None), tuple(str(each.role) for each in history), codec


@click.command("stats", short_help="Count messages, text, tool calls and tokens.", epilog=_EXAMPLES)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@reporting
@reading_options()
@jobs_option
@encoding_option
@click.option("--plot", metavar="FILE", type=click.Path(), help="Also draw a picture, as .svg or .png.")
@quiet_option
def command(
    *,
    files: tuple[str, ...],
    out: Output,
    encoding: str | None,
    plot: str | None,
    jobs: int,
    quiet: bool,
    **how: Any,
) -> int:
    """Count messages by role and format, text lengths, tool calls and their errors, tokens and durations.

    FILE is a file, a folder, a pattern, or - for stdin. .json holds one document, .jsonl one per line, .msgpack one per
    frame, .parquet one per row. All but .parquet may also be compressed, as .gz, .bz2, .xz or .zst.

    All files are counted together, in one pass and bounded memory. Percentiles are exact for up to 4096 different
    values, and within 1 % beyond. Usage and cost are those stated in the documents; there is no price list. Tokens of
    conversations are those of a prompt, with tools and media, and approximate without --encoding.

    Unreadable documents are reported by file and skipped, and the exit code is 1; or 3, if a file of a folder can't be
    opened.
    """
    if plot is not None and Path(plot).suffix not in _PICTURES:
        msg = f"--plot needs a name that ends in {' or '.join(_PICTURES)}"
        raise click.UsageError(msg)
    names = found_in(files, quiet=quiet)
    out.check(names, plot)
    totals, look = Totals(counter_of(encoding)), partial(_look, encoding)
    unread = read_each(names, look, lambda found, _: totals.add_stats(*found), Input(**how), jobs=jobs, quiet=quiet)
    with out.printed():
        if out.as_json:
            write_json({**totals.as_data(), "unreadable": unread.count})
        else:
            _print(totals, unread.count)
    if plot is not None:
        from agentmsg.cli.stats_plot import draw  # noqa: PLC0415 - loads matplotlib, for this option only

        draw(totals, plot, out)
    return unread.code(files)


def _print(totals: Totals, unread: int) -> None:
    click.echo(_summary(totals, unread))
    if not totals.messages:
        return
    show_table("Formats", ("", "conversations", "messages"), _format_rows(totals))
    show_table(
        "Messages, and characters of text in each",
        ("role", "messages", "share", *_PERCENT_COLUMNS),
        _role_rows(totals),
    )
    show_table("Conversations", ("", *_PERCENT_COLUMNS), _conversation_rows(totals))
    if totals.tools:
        show_table("Tools", ("", "calls", "results", "errors", "error rate"), _tool_rows(totals))
    if totals.usage is not None:
        show_table("Usage", ("", "sum", "stated by"), _usage_rows(totals))


_PERCENT_COLUMNS = (*(f"p{percent}" for percent in PERCENTILES), "max")


def _summary(totals: Totals, unread: int) -> str:
    parts = [
        counted(totals.histories, "conversation"),
        counted(totals.messages, "message"),
        counted(len(totals.by_codec), "format"),
    ]
    return ", ".join(parts + ([f"{unread:,} not read"] if unread else []))


def _format_rows(totals: Totals) -> list[Sequence[str]]:
    found = by_size(totals.by_codec, lambda holding: holding.messages)
    return [(name, f"{each.histories:,}", f"{each.messages:,}") for name, each in found]


def _role_rows(totals: Totals) -> list[Sequence[str]]:
    rows = [
        (name or "(none)", f"{each.count:,}", f"{each.count / totals.messages:.0%}", *_percentiles(each))
        for name, each in by_size(totals.by_role, lambda each: each.count)
    ]
    return [*rows, ("all", f"{totals.messages:,}", "100%", *_percentiles(totals.lengths))]


def _conversation_rows(totals: Totals) -> list[Sequence[str]]:
    rows: list[Sequence[str]] = [("messages", *_percentiles(totals.sizes)), ("tokens", *_percentiles(totals.tokens))]
    for name, values in (("tokens of tools", totals.tool_tokens), ("tokens of media", totals.media_tokens)):
        if values.count:
            rows.append((name, *_percentiles(values)))
    if totals.seconds.count:
        rows.append(("first to last message", *map(_duration, _values(totals.seconds))))
    return rows


def _values(values: Distribution) -> list[float]:
    return [values.percentile(percent) or 0 for percent in (*PERCENTILES, 100)]


def _percentiles(values: Distribution) -> list[str]:
    return [f"{value:,.0f}" for value in _values(values)]


def _duration(seconds: float) -> str:
    if seconds < 60:  # noqa: PLR2004 - a minute
        return f"{seconds:.3g} s"
    minutes, hours, days = seconds / 60, seconds / 3600, seconds / 86400
    return f"{minutes:.3g} min" if hours < 1 else f"{hours:.3g} h" if days < 1 else f"{days:,.3g} d"


def _tool_rows(totals: Totals) -> list[Sequence[str]]:
    tools = by_size(totals.tools, lambda tool: tool.uses)
    rows = [_tool_row(name or "(no name)", tool) for name, tool in tools[:_TOOLS]]
    if len(tools) > _TOOLS:
        rows.append((f"and {len(tools) - _TOOLS:,} more", "", "", "", ""))
    return [*rows, _tool_row("all", totals.all_tools)]


def _tool_row(name: str, tool: ToolTotals) -> Sequence[str]:
    rate = "" if tool.error_rate is None else f"{tool.error_rate:.1%}"
    return (name, f"{tool.calls:,}", f"{tool.results:,}", f"{tool.errors:,}", rate)


def _usage_rows(totals: Totals) -> list[Sequence[str]]:
    return [
        (_LABELS[name], f"{total:,}" if isinstance(total, int) else f"{total:,.6g}", counted(messages, "message"))
        for name, total, messages in totals.counters()
    ]
