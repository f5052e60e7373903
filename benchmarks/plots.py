"""The plots of the page: the times of others beside agentmsg, and the time of each codec.

Imports the names of rows; matplotlib on use.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import attrs

from benchmarks.conversions import BODIES
from benchmarks.fields import MEASURES
from benchmarks.files import LOOP, RANGES
from benchmarks.growth import AGAIN, GROW, REMEMBERED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from benchmarks.section import Section

__all__ = ["PLOTS", "draw"]

_OURS = "agentmsg"
_FASTER, _SLOWER, _GREY, _INK, _SECOND = "#2f6da8", "#c2452d", "#8a8a8a", "#1a1a1a", "#d99a2b"
_STYLE = {"svg.fonttype": "none", "svg.hashsalt": "agentmsg", "font.size": 10, "text.color": _INK}
_WAYS = ("decode", "encode")
_FORMS = ("json", "msgpack", "langchain", "langchain-lc")


@attrs.frozen
class Row:
    """One row of a plot: a name, and its time divided by agentmsg's."""

    group: str
    who: str
    ratio: float


def _beside(section: Section, group: str, measure: str, ours: str = _OURS, *, body: str = "") -> Iterator[Row]:
    """Yield the rows of those timed together with ours: for one body, if there are several."""
    runs = section.times.get(measure, {})
    if ours in runs:
        for who, spent in runs.items():
            if who != ours and who.startswith(body):
                yield Row(group, who.removeprefix(body), spent.beside(runs[ours]))


def _forms(sections: Mapping[str, Section]) -> Iterator[Row]:
    for form in _FORMS:
        if form in sections:
            for way in _WAYS:
                yield from _beside(sections[form], f"{form}: {way}", way)


def _growth(sections: Mapping[str, Section]) -> Iterator[Row]:
    if "growth" in sections:
        yield from _beside(sections["growth"], "write a history that grows", GROW)
        yield from _beside(sections["growth"], f"read lines again (1 = {REMEMBERED})", AGAIN, REMEMBERED)


def _conversions(sections: Mapping[str, Section]) -> Iterator[Row]:
    if "conversions" in sections:
        words = dict(zip(BODIES, ("20 messages", "20 messages and 10 tools"), strict=True))
        for measure, group in words.items():
            rows = _beside(sections["conversions"], f"OpenAI to Anthropic: {group}", measure)
            yield from (row for row in rows if not row.who.startswith("loss report"))
    # Without the test data there is no file to measure.
    if "files" in sections and (times := sections["files"].times.get("file")):
        for name, codec in RANGES.items():
            yield Row(f"a file of OpenAI Chat to {codec}", LOOP, times[LOOP].beside(times[name]))


def _fields(sections: Mapping[str, Section]) -> Iterator[Row]:
    if "fields" in sections:
        for body in ("canonical", "openai"):
            for measure in MEASURES:
                group, lead = f"pydantic field, {body}: {measure}", f"{body}: "
                yield from _beside(sections["fields"], group, measure, f"{lead}{_OURS}", body=lead)


def _lollipops(title: str, rows: Sequence[Row]) -> Any:
    """Return a figure with a line for each row from 1, which is agentmsg, to the other's ratio."""
    pyplot: Any = import_module("matplotlib.pyplot")
    lines: list[Row | str] = []
    for row in rows:
        if row.group not in lines:
            lines.append(row.group)
        lines.append(row)
    figure, axes = pyplot.subplots(figsize=(8.5, 1.1 + 0.26 * len(lines)), facecolor="white")
    axes.set_xscale("log")
    ratios = [row.ratio for row in rows]
    least, most = min([0.5, *ratios]) / 4, max([2.0, *ratios]) * 3
    for place, line in enumerate(lines):
        if isinstance(line, str):
            axes.text(least, place, f" {line}", va="center", fontweight="bold", fontsize=9)
            continue
        colour = _FASTER if line.ratio >= 1 else _SLOWER
        axes.plot([1, line.ratio], [place, place], color=colour, linewidth=2, solid_capstyle="butt")
        axes.plot([line.ratio], [place], "o", color=colour, markersize=6)
        words = f"{line.ratio:.3g}× as long" if line.ratio >= 1 else f"{1 / line.ratio:.3g}× as fast"
        _label(axes, line.ratio, place, words, 1 if line.ratio >= 1 else -1)
    named = [(place, line.who) for place, line in enumerate(lines) if isinstance(line, Row)]
    axes.set_yticks([place for place, _ in named], [who for _, who in named])
    axes.axvline(1, color=_INK, linewidth=1)
    axes.set_xlim(least, most)
    _finish(axes, len(lines), title, "time divided by agentmsg's (log scale); left of the line is faster than agentmsg")
    return figure


def _label(axes: Any, x: float, y: float, words: str, side: int, **style: Any) -> None:
    """Write a label to the right (1) or left (-1) of a point, without spaces, which browsers would collapse."""
    where: dict[str, Any] = {"xytext": (7 * side, 0), "textcoords": "offset points", "va": "center"}
    axes.annotate(words, (x, y), ha="left" if side > 0 else "right", **where, **{"fontsize": 9, **style})


def _finish(axes: Any, rows: int, title: str, label: str) -> None:
    ticker: Any = import_module("matplotlib.ticker")
    axes.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(ticker.StrMethodFormatter("{x:g}"))
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.grid(axis="x", color="#e4e4e4", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_xlabel(label, fontsize=9)
    axes.set_title(title, loc="left", fontsize=11)
    axes.set_ylim(rows - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _codecs(sections: Mapping[str, Section]) -> Any:
    """Return a figure with each codec's time to decode and to encode a message; None without them."""
    if "codecs" not in sections:
        return None
    pyplot: Any = import_module("matplotlib.pyplot")
    rows = sorted(sections["codecs"].rows.items(), key=lambda row: row[1]["decode median"])
    figure, axes = pyplot.subplots(figsize=(8.5, 1.3 + 0.3 * len(rows)), facecolor="white")
    axes.set_xscale("log")
    for place, (_, figures) in enumerate(rows):
        ends = [figures[f"{way} median"] for way in _WAYS]
        axes.plot(ends, [place, place], color="#c8c8c8", linewidth=2, zorder=1)
        for way, end, colour in zip(_WAYS, ends, (_FASTER, _SECOND), strict=True):
            axes.plot([end], [place], "o", color=colour, markersize=6, label=None if place else way)
        _label(axes, max(ends), place, f"{ends[0]:.3g}, {ends[1]:.3g}", 1, fontsize=8, color=_GREY)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows])
    axes.legend(loc="upper right", frameon=False, fontsize=9)
    _finish(axes, len(rows), "All codecs, each on what it writes", "microseconds a message (log scale): decode, encode")
    low, high = axes.get_xlim()
    axes.set_xlim(low, high * 1.5)
    return figure


def _rows_plot(
    title: str, rows: Callable[[Mapping[str, Section]], Iterator[Row]], sections: Mapping[str, Section]
) -> Any:
    found = list(rows(sections))
    return _lollipops(title, found) if found else None


# The names of the files, and what draws each: a figure, or None where what it shows was not measured.
PLOTS: Mapping[str, Callable[[Mapping[str, Section]], Any]] = {
    "formats": partial(_rows_plot, "Reading and writing, beside others", _forms),
    "growth": partial(_rows_plot, "Histories that grow, beside others", _growth),
    "conversions": partial(_rows_plot, "Conversions, beside others", _conversions),
    "fields": partial(_rows_plot, "Fields of pydantic models, beside models of pydantic's own", _fields),
    "codecs": _codecs,
}


def draw(sections: Mapping[str, Section], folder: Path, ending: str = ".svg") -> list[Path]:
    """Draw all plots of measured sections into a folder; return their files."""
    matplotlib: Any = import_module("matplotlib")
    matplotlib.use("Agg")
    drawn: list[Path] = []
    folder.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context(_STYLE):
        for name, figure_of in PLOTS.items():
            figure = figure_of(sections)
            if figure is None:
                continue
            path = folder / f"{name}{ending}"
            figure.savefig(path, bbox_inches="tight", dpi=110, metadata={"Date": None} if ending == ".svg" else None)
            import_module("matplotlib.pyplot").close(figure)
            drawn.append(path)
    return drawn
