"""The report: the measured figures, as tables and as JSON. Imports section, targets and competitors."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from agentmsg.cli.terminal import show_table
from benchmarks.competitors import version
from benchmarks.streams import MEASURES
from benchmarks.targets import Ratio, ratios

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.section import Section

__all__ = ["as_json", "conditions", "machine", "show_ratios", "show_section", "table_of", "versions"]

_DISTRIBUTIONS = (
    "agentmsg",
    "any-llm-sdk",
    "anthropic",
    "attrs",
    "cattrs",
    "langchain-anthropic",
    "langchain-core",
    "litellm",
    "llm-babel",
    "llm-rosetta",
    "martian-linguafranca",
    "mashumaro",
    "msgpack",
    "msgspec",
    "openai",
    "orjson",
    "pydantic",
)
# Measure: heading, decimals. Each time stands twice: the best run, and the median of all.
_TIMES = {
    "decode": "decode µs",
    "encode": "encode µs",
    "both": "both µs",
    "convert": "convert µs",
    "with tools": "with tools µs",
    "grow": "a step µs",
    "read again": "read again µs",
    "write once": "write once µs",
    "read once": "read once µs",
    "validate": "validate µs",
    "validate json": "from JSON µs",
    "dump": "dump µs",
    "dump json": "to JSON µs",
    "add": "add µs",
    "operation": "µs",
    **{measure: f"{measure} µs" for measure in MEASURES},
}
_COLUMNS: Mapping[str, tuple[str, int]] = {
    **{
        measure: column
        for name, heading in _TIMES.items()
        for measure, column in ((name, (heading, 2)), (f"{name} median", ("median", 2)))
    },
    "documents": ("documents", 0),
    "messages": ("messages", 0),
    "share": ("% of all", 1),
    "rate": ("messages/s", 0),
    "file": ("µs a MB", 0),
    "file median": ("median", 0),
    "speed": ("MB/s", 0),
    "peak": ("peak MiB", 0),
    "process": ("process µs", 0),
    "process median": ("median", 0),
    "bytes": ("bytes", 0),
    "memory": ("memory B", 0),
}


def versions() -> dict[str, str]:
    """Return the versions of Python and of all libraries in use."""
    found = {name: version(name) for name in _DISTRIBUTIONS}
    if found["agentmsg"] == "not installed":
        import agentmsg

        found["agentmsg"] = f"{agentmsg.__version__} (not installed: from a checkout)"
    return {"python": platform.python_version(), **found}


def machine() -> dict[str, Any]:
    """Return a description of the machine, and its load in the last minute."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "processor": models[0] if models else platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    }


def conditions(messages: int) -> list[str]:
    """Return the conditions of the measurement, as lines."""
    told = machine()
    busy = "" if told["load"] is None else f", load {told['load']}"
    return [
        f"{told['processor']}, {told['cores']} cores, {told['system']}{busy}",
        ", ".join(f"{name} {number}" for name, number in versions().items()),
        f"{messages} messages; times and sizes a message; the best run and the median of all runs",
    ]


def table_of(section: Section, *, medians: bool = False) -> tuple[list[str], list[list[str]]]:
    """Return the headings and rows of a section, as texts; for times the best and the median, or only the medians."""
    measured = {measure for figures in section.rows.values() for measure in figures}
    columns = [measure for measure in _COLUMNS if measure in measured]
    if medians:
        columns = [measure for measure in columns if f"{measure} median" not in measured]
    rows = [
        [name, *(f"{figures[m]:,.{_COLUMNS[m][1]}f}" if m in figures else "" for m in columns)]
        for name, figures in section.rows.items()
    ]
    headings = [_COLUMNS[measure.removesuffix(" median") if medians else measure][0] for measure in columns]
    return ["", *headings], rows


def show_section(section: Section) -> None:
    """Print the table of a section, and the missing competitors."""
    show_table(section.title, *table_of(section))
    for missing in section.missing:
        print(f"{missing.name}: left out, {missing.why}")


def show_ratios(found: list[Ratio]) -> None:
    """Print the promises beside the measured ratios."""
    rows = [
        (
            ratio.name,
            *(f"{figure:.2f}" for figure in (ratio.best, ratio.middle, ratio.paired, ratio.bound)),
            "kept" if ratio.kept else "MISSED",
        )
        for ratio in found
    ]
    show_table("Promises", ("ratio (lower is better)", "best", "median", "paired", "promise", ""), rows)


def as_json(sections: Mapping[str, Section], messages: int) -> dict[str, Any]:
    """Return the report for programs."""
    return {
        "machine": machine(),
        "versions": versions(),
        "messages": messages,
        "sections": {name: attrs.asdict(section) for name, section in sections.items()},
        "ratios": [{**attrs.asdict(ratio), "kept": ratio.kept} for ratio in ratios(sections)],
    }
