"""The report: what was measured, as text and as JSON. Imports sections, targets and competitors."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, Any

import attrs

from benchmarks.competitors import version
from benchmarks.targets import Ratio, ratios

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from benchmarks.sections import Section

__all__ = ["as_json", "as_text", "versions"]

_DISTRIBUTIONS = (
    "agentmsg",
    "attrs",
    "cattrs",
    "langchain-anthropic",
    "langchain-core",
    "litellm",
    "msgpack",
    "msgspec",
    "orjson",
    "pydantic",
)
# Measure: heading, decimals.
_COLUMNS: Mapping[str, tuple[str, int]] = {
    "decode": ("decode us", 2),
    "decode median": ("median", 2),
    "encode": ("encode us", 2),
    "encode median": ("median", 2),
    "both": ("both us", 2),
    "both median": ("median", 2),
    "convert": ("convert us", 2),
    "convert median": ("median", 2),
    "validate": ("validate us", 2),
    "validate median": ("median", 2),
    "validate json": ("from JSON", 2),
    "validate json median": ("median", 2),
    "dump": ("dump us", 2),
    "dump median": ("median", 2),
    "dump json": ("to JSON", 2),
    "dump json median": ("median", 2),
    "add": ("add us", 2),
    "add median": ("median", 2),
    "documents": ("documents", 0),
    "messages": ("messages", 0),
    "share": ("% of all", 1),
    "rate": ("messages/s", 0),
    "file": ("us a MB", 0),
    "speed": ("MB/s", 0),
    "peak": ("peak MiB", 0),
    "operation": ("us", 2),
    "operation median": ("median", 2),
    "process": ("process us", 0),
    "process median": ("median", 0),
    "bytes": ("bytes", 0),
    "memory": ("memory B", 0),
}


def versions() -> dict[str, str]:
    """Return the versions of Python and of all libraries at work."""
    found = {name: version(name) for name in _DISTRIBUTIONS}
    if found["agentmsg"] == "not installed":
        import agentmsg

        found["agentmsg"] = f"{agentmsg.__version__} (not installed: from a checkout)"
    return {"python": platform.python_version(), **found}


def _table(section: Section) -> Iterator[str]:
    measured = {measure for figures in section.rows.values() for measure in figures}
    columns = [measure for measure in _COLUMNS if measure in measured]
    wide = max((len(name) for name in section.rows), default=0) + 2
    yield " " * wide + "".join(f"{_COLUMNS[measure][0]:>11}" for measure in columns)
    for name, figures in section.rows.items():
        cells = (f"{figures[m]:>11,.{_COLUMNS[m][1]}f}" if m in figures else " " * 11 for m in columns)
        yield f"{name:<{wide}}" + "".join(cells)
    for missing in section.missing:
        yield f"{missing.name}: left out, {missing.why}"


def _ratio_line(ratio: Ratio) -> str:
    verdict = "kept" if ratio.kept else "MISSED"
    figures = "".join(f"{figure:>9.2f}" for figure in (ratio.best, ratio.middle, ratio.paired, ratio.bound))
    return f"{ratio.name:<52}{figures}  {verdict}"


def as_text(sections: Mapping[str, Section], messages: int) -> str:
    """Return the report for people."""
    lines = [", ".join(f"{name} {number}" for name, number in versions().items())]
    lines += [f"{messages} messages; times and sizes a message; the best run and the median of all runs"]
    for section in sections.values():
        lines += ["", section.title, "-" * len(section.title), *_table(section)]
    found = ratios(sections)
    if found:
        heading = f"{'ratio (lower is better)':<52}{'best':>9}{'median':>9}{'paired':>9}{'promise':>9}"
        lines += ["", heading, "-" * len(heading), *map(_ratio_line, found)]
    return "\n".join(lines)


def as_json(sections: Mapping[str, Section], messages: int) -> dict[str, Any]:
    """Return the report for programs."""
    return {
        "versions": versions(),
        "messages": messages,
        "sections": {name: attrs.asdict(section) for name, section in sections.items()},
        "ratios": [{**attrs.asdict(ratio), "kept": ratio.kept} for ratio in ratios(sections)],
    }
