"""The plot of ``agentmsg stats --plot``: roles, text lengths, tools, tokens. Needs matplotlib (extra ``plot``).

Names may be any text: they are escaped, shortened, and never read as formulas.
"""

from __future__ import annotations

import math
import warnings
from importlib import import_module
from io import BytesIO
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from agentmsg.cli.terminal import printable
from agentmsg.ops.totals import PERCENTILES, by_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmsg.cli.output import Output
    from agentmsg.ops.totals import Totals

_INK, _QUIET, _LINE = "#1f2933", "#6b7785", "#dfe4ea"
_BLUE, _RED, _SAND = "#3b6fb6", "#c8553d", "#d9a441"
_STYLE = {
    "axes.edgecolor": _LINE,
    "axes.labelcolor": _QUIET,
    "axes.titlecolor": _INK,
    "axes.titlelocation": "left",
    "axes.titlepad": 10,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "font.size": 9,
    "svg.hashsalt": "agentmsg",  # the same numbers give the same file
    "text.color": _INK,
    "xtick.color": _QUIET,
    "ytick.color": _INK,
}
# The most bars in one panel.
_BARS = 12
_LONGEST = 28
_TOKENS = {
    "input": "input",
    "cache_read": "\N{EN DASH} from a cache",
    "cache_write": "\N{EN DASH} into a cache",
    "input_audio": "\N{EN DASH} audio",
    "output": "output",
    "reasoning": "\N{EN DASH} thinking",
    "output_audio": "\N{EN DASH} audio",
}


def draw(totals: Totals, name: str, out: Output) -> None:
    """Plot the statistics of many conversations to a file whose name ends in .svg or .png.

    Raises:
        FileError: if it can't be written.
    """
    # Not with pyplot, which keeps every figure and asks for a window system.
    matplotlib: Any = import_module("matplotlib")
    new_figure: Any = import_module("matplotlib.figure").Figure
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = new_figure(figsize=(11, 7.5), layout="constrained", facecolor="white")
        figure.get_layout_engine().set(w_pad=0.15, h_pad=0.15)
        panels = figure.subplots(2, 2)
        for panel, fill in zip(panels.flat, (_roles, _lengths, _tools, _tokens), strict=True):
            panel.spines[["top", "right", "left"]].set_visible(False)
            panel.tick_params(length=0)
            fill(panel, totals)
        drawn = BytesIO()
        kind = PurePath(name).suffix[1:]
        figure.savefig(drawn, format=kind, dpi=150, metadata={"Date": None} if kind == "svg" else None)
    out.write(drawn.getvalue(), name)


def _label(name: str) -> str:
    text = printable(name) or "(none)"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _nothing(panel: Any, words: str) -> None:
    panel.set_xticks([])
    panel.set_yticks([])
    panel.spines["bottom"].set_visible(False)
    panel.text(0.5, 0.5, words, transform=panel.transAxes, ha="center", va="center", color=_QUIET)


def _bars(panel: Any, labels: Sequence[str], values: Sequence[float], notes: Sequence[str]) -> None:
    """Draw horizontal bars, the first on top, each followed by a note."""
    places = range(len(labels))
    panel.barh(places, values, color=_BLUE, height=0.68)
    panel.set_yticks(list(places), [_label(label) for label in labels], parse_math=False)
    panel.invert_yaxis()
    panel.set_xticks([])
    panel.spines["bottom"].set_visible(False)
    most = max(values, default=0) or 1
    # Make the bars in a panel of two as thick as in one of six.
    panel.set_ylim(max(len(labels), 6) - 0.4, -0.6)
    panel.set_xlim(0, most * 1.3)
    for place, value, note in zip(places, values, notes, strict=True):
        panel.text(value + most * 0.015, place, note, va="center", color=_QUIET)


def _roles(panel: Any, totals: Totals) -> None:
    panel.set_title(f"{totals.messages:,} messages in {totals.histories:,} conversations, by role")
    found = by_size(totals.by_role, lambda each: each.count)[:_BARS]
    if not found:
        _nothing(panel, "no messages")
        return
    counts = [each.count for _, each in found]
    notes = [f"{count:,}  ({count / totals.messages:.0%})" for count in counts]
    _bars(panel, [name for name, _ in found], counts, notes)


def _lengths(panel: Any, totals: Totals) -> None:
    panel.set_title("Characters of text per message")
    filled = [(value, times) for value, times in totals.lengths.counts() if value > 0]
    if not filled:
        _nothing(panel, "no text")
        return
    # Two bars per power of two: text lengths differ by orders of magnitude.
    last = math.ceil(math.log2(filled[-1][0]) * 2) + 1
    edges = [2 ** (step / 2) for step in range(last + 1)]
    values, weights = zip(*filled, strict=True)
    panel.hist(values, bins=edges, weights=weights, color=_BLUE, rwidth=0.92)
    panel.set_xscale("log")
    panel.set_ylabel("messages")
    panel.xaxis.set_major_formatter("{x:,.0f}")
    panel.tick_params(axis="x", which="minor", length=0)
    panel.grid(axis="y", color=_LINE, linewidth=0.6)
    panel.set_axisbelow(True)
    told: list[str] = []
    for percent in PERCENTILES:
        value = totals.lengths.percentile(percent) or 0
        told.append(f"p{percent} {value:,.0f}")
        if value > 0:
            panel.axvline(value, color=_SAND, linewidth=1.2)
    told.append(f"max {totals.lengths.greatest:,.0f}")
    panel.set_xlabel("    ".join(told), labelpad=8)


def _tools(panel: Any, totals: Totals) -> None:
    panel.set_title("Tool calls, and failed results in red")
    found = by_size(totals.tools, lambda tool: tool.uses)[:_BARS]
    if not found:
        _nothing(panel, "no tools")
        return
    failed = (f"  ({tool.error_rate:.0%} of results failed)" if tool.errors else "" for _, tool in found)
    notes = [f"{tool.uses:,}{words}" for (_, tool), words in zip(found, failed, strict=True)]
    _bars(panel, [name for name, _ in found], [tool.uses for _, tool in found], notes)
    panel.barh(range(len(found)), [tool.errors for _, tool in found], color=_RED, height=0.68)


def _tokens(panel: Any, totals: Totals) -> None:
    panel.set_title("Tokens, as stated in the documents")
    stated = {name: total for name, total, _ in totals.counters() if total}
    found = [(label, stated[name]) for name, label in _TOKENS.items() if name in stated]
    if not found:
        _nothing(panel, "no usage is stated")
        return
    _bars(panel, [label for label, _ in found], [total for _, total in found], [f"{total:,}" for _, total in found])
