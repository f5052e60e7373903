"""The class of sections: the scale of a measurement, and its figures. Imports timing and competitors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import attrs

import agentmsg as am
from benchmarks.competitors import Missing
from benchmarks.timing import Rounds, Times

__all__ = ["Scale", "Section", "joined", "two"]


@attrs.frozen
class Scale:
    """The scale of a measurement.

    Attributes:
        history: read and written by all.
        rounds: of each timed case.
        recordings: the folder of recorded documents, if one is given.
        codecs: the codecs of the section of codecs; all if empty.
    """

    history: am.History
    rounds: Rounds
    recordings: Path | None = None
    codecs: tuple[str, ...] = ()


@attrs.frozen
class Section:
    """The figures of one section: by competitor and by measure; and the missing competitors.

    Times are in microseconds (per message; per process for the import), sizes in bytes per message. Every time is there
    twice: "decode" is the best run, "decode median" the median. ``times`` holds the runs, by measure and row.
    """

    title: str
    rows: Mapping[str, Mapping[str, float]]
    missing: tuple[Missing, ...] = ()
    times: Mapping[str, Mapping[str, Times]] = attrs.field(factory=dict[str, Mapping[str, Times]])


def two(measure: str, times: Mapping[str, Times], count: int) -> dict[str, dict[str, float]]:
    """Return the best run and the median of each case, divided by a number, as rows of one measure."""
    return {
        name: {measure: min(spent.runs) / count / 1000, f"{measure} median": spent.middle(count)}
        for name, spent in times.items()
    }


def joined(*tables: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Return the rows of several tables, each with all of its figures."""
    rows: dict[str, dict[str, float]] = {}
    for table in tables:
        for name, figures in table.items():
            rows.setdefault(name, {}).update(figures)
    return rows
