"""What a section is: how much is measured, and the figures that come of it. Imports timing and competitors."""

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
    """How much is measured.

    Attributes:
        history: what all read and write.
        rounds: of each timed case.
        recordings: the folder of recorded documents, if one is given.
    """

    history: am.History
    rounds: Rounds
    recordings: Path | None = None


@attrs.frozen
class Section:
    """The figures of one section: by competitor and by measure; and who is missing.

    Times are in microseconds (a message; a process for the import), sizes in bytes a message. Every time stands
    twice: "decode" is the best run, "decode median" the median. ``times`` holds the runs, by measure and row.
    """

    title: str
    rows: Mapping[str, Mapping[str, float]]
    missing: tuple[Missing, ...] = ()
    times: Mapping[str, Mapping[str, Times]] = attrs.field(factory=dict[str, Mapping[str, Times]])


def two(measure: str, times: Mapping[str, Times], count: int) -> dict[str, dict[str, float]]:
    """Return the best run and the median of each case, divided by a number, as rows of one measure."""
    return {
        name: {measure: spent.best(count), f"{measure} median": spent.middle(count)} for name, spent in times.items()
    }


def joined(*tables: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Return the rows of several tables, each with all that these have of it."""
    rows: dict[str, dict[str, float]] = {}
    for table in tables:
        for name, figures in table.items():
            rows.setdefault(name, {}).update(figures)
    return rows
