"""The ratios that agentmsg promises, and their comparison with the measured ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from agentmsg_codecs import CODECS
from benchmarks import streams
from benchmarks.chunks import MANY, OFTEN
from benchmarks.fields import OURS, TAGGED, UNIONS
from benchmarks.files import LOOP, RANGES
from benchmarks.formats import ANSWERS, ONE_BY_ONE
from benchmarks.growth import AGAIN, GROW, GROWN, READ_ONCE, REMEMBERED, WRITE_ONCE
from benchmarks.losses import CONVERTED, ON_FILE, READ
from benchmarks.operations import DECODE, OPERATIONS
from benchmarks.recorded import ALL, MADE, ODD, USUAL
from benchmarks.sending import BOTH
from benchmarks.sending import DECODE as READ_IT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.section import Section
    from benchmarks.timing import Times

__all__ = ["TARGETS", "Ratio", "ratios"]

WAYS = ("decode", "encode")
LANGCHAIN = ("langchain", "langchain-lc", "langgraph")


@attrs.frozen
class Target:
    """One promise: ours divided by the other is at most ``bound``.

    Attributes:
        section, row, measure: ours.
        other: section, row and measure of the divisor; omitted ones are the same as ours.
        bound: the greatest allowed ratio.
    """

    section: str
    row: str
    measure: str
    other: tuple[str, str, str]
    bound: float


@attrs.frozen
class Ratio:
    """One promise and its measured ratios; for sizes all three are the same.

    Attributes:
        name: the two sides.
        best: of the two best runs.
        middle: of the two medians.
        paired: the median of the ratios of each round; it decides, because it is the steadiest.
        bound: the greatest allowed ratio.
    """

    name: str
    best: float
    middle: float
    paired: float
    bound: float

    @property
    def kept(self) -> bool:
        """Whether the promise is kept."""
        return self.paired <= self.bound


def _against(section: str, peer: str, measure: str, bound: float) -> Target:
    return Target(section, "agentmsg", measure, (section, peer, measure), bound)


def _field(body: str, peer: str, measure: str, bound: float) -> Target:
    return Target("fields", f"{body}: {OURS}", measure, ("fields", f"{body}: {peer}", measure), bound)


def _recorded(codec: str, kind: str, measure: str, bound: float) -> Target:
    # Every response has fields that no message has a place for: the made ones are the usual ones.
    usual = MADE if codec in ANSWERS else USUAL
    return Target("recorded", f"{codec}: {kind}", measure, ("recorded", f"{codec}: {usual}", measure), bound)


TARGETS: tuple[Target, ...] = (
    _against("json", "msgspec", "decode", 2.5),
    _against("json", "pydantic", "decode", 0.52),
    _against("json", "msgspec", "encode", 2.1),
    _against("json", "pydantic", "encode", 0.4),
    _against("json", "pydantic", "memory", 0.6),
    _against("msgpack", "msgspec", "decode", 2.5),
    _against("msgpack", "msgspec", "encode", 4.0),
    Target("msgpack", "agentmsg", "bytes", ("json", "agentmsg", "bytes"), 0.85),
    _against("langchain", "langchain-core", "decode", 0.7),
    _against("langchain", "langchain-core", "encode", 0.8),
    _against("langchain-lc", "langchain-core", "decode", 0.25),
    _against("langchain-lc", "langchain-core", "encode", 0.25),
    _against("langchain-lc", "langchain-core", "both", 0.25),
    *(
        Target("codecs", name, measure, ("codecs", ONE_BY_ONE if name in ANSWERS else "langchain", measure), 2.0)
        for name in CODECS
        for measure in ("decode", "encode")
        if name != "langchain"
    ),
    *(_recorded(name, ODD, measure, 8.0 if name in LANGCHAIN else 4.0) for name in CODECS for measure in WAYS),
    *(_recorded(name, ALL, measure, 2.0) for name in CODECS for measure in WAYS),
    _against("growth", "msgspec", GROW, 0.4),
    Target("growth", REMEMBERED, AGAIN, ("growth", "msgspec", AGAIN), 0.4),
    # The worst case of who remembers: nothing comes again.
    Target("growth", GROWN, WRITE_ONCE, ("growth", "agentmsg", WRITE_ONCE), 1.1),
    Target("growth", REMEMBERED, READ_ONCE, ("growth", "agentmsg", READ_ONCE), 1.1),
    _against("conversions", "by hand", "convert", 5.5),
    _against("conversions", "by hand", "with tools", 8.0),
    Target("conversions", "loss report", "convert", ("conversions", "agentmsg", "convert"), 0.1),
    Target("account", "langchain: fit", "encode", ("account", "langchain: write and render", "encode"), 0.1),
    Target("account", "langchain: fit again", "encode", ("account", "langchain: write and render", "encode"), 0.1),
    Target("losses", "fit", "operation", ("losses", READ, "operation"), 1.5),
    Target("losses", "loss report", "operation", ("losses", READ, "operation"), 2.0),
    Target("losses", "loss report on file", "operation", ("losses", READ, "operation"), 3.0),
    Target("losses", CONVERTED, "operation", ("losses", READ, "operation"), 1.5),
    Target("losses", ON_FILE, "operation", ("losses", READ, "operation"), 3.0),
    _against("chunks", "langchain-core", "add", 0.75),
    Target("chunks", MANY, "add", ("chunks", OFTEN, "add"), 1.5),
    *(
        Target("streams", streams.MANY, measure, ("streams", streams.OFTEN, measure), 1.5)
        for measure in streams.MEASURES
    ),
    *(
        _against("streams", peer, measure, bound)
        for peer, bound in ((streams.SDK, 0.5), ("llm-babel", 1.0), ("martian-linguafranca", 1.0), ("llm-rosetta", 1.1))
        for measure in streams.MEASURES
    ),
    _field("canonical", TAGGED, "validate", 0.7),
    _field("canonical", TAGGED, "validate json", 0.7),
    _field("canonical", TAGGED, "dump", 1.4),
    _field("canonical", TAGGED, "dump json", 1.0),
    _field("openai", UNIONS, "validate", 0.7),
    _field("openai", UNIONS, "validate json", 0.7),
    *(Target("files", name, "file", ("files", LOOP, "file"), 5.0) for name in RANGES),
    Target("files", "agentmsg convert --jobs 2", "file", ("files", "agentmsg convert --jobs 1", "file"), 0.59),
    *(Target("operations", name, "operation", ("operations", DECODE, "operation"), 1.0) for name in OPERATIONS),
    *(
        Target("sending", f"{name}: {BOTH}", "operation", ("sending", f"{name}: {READ_IT}", "operation"), 0.5)
        for name in ("openai", "anthropic")
    ),
    Target("import", "agentmsg", "process", ("import", "attrs", "process"), 1.6),
    Target("import", "agentmsg --help", "process", ("import", "attrs", "process"), 2.5),
)


def _figures(sections: Mapping[str, Section], section: str, row: str) -> Mapping[str, float]:
    found = sections.get(section)
    return found.rows.get(row, {}) if found else {}


def _ratio(target: Target, sections: Mapping[str, Section]) -> Ratio | None:
    """Return the measured ratio of a target; None if a side of it is missing."""
    ours = _figures(sections, target.section, target.row)
    theirs = _figures(sections, target.other[0], target.other[1])
    one, other = target.measure, target.other[2]
    if one not in ours or other not in theirs:
        return None
    what = target.section if target.row == "agentmsg" else target.row
    beside = target.other[1] if target.other[0] == target.section else f"{target.other[0]}'s"
    best = ours[one] / theirs[other]
    middle = ours.get(f"{one} median", ours[one]) / theirs.get(f"{other} median", theirs[other])
    runs = _runs(sections, target.section, target.row, one)
    beside_runs = _runs(sections, target.other[0], target.other[1], other)
    paired = best if runs is None or beside_runs is None else runs.beside(beside_runs)
    return Ratio(f"{what} {one} / {beside}", best, middle, paired, target.bound)


def _runs(sections: Mapping[str, Section], section: str, row: str, measure: str) -> Times | None:
    return sections[section].times.get(measure, {}).get(row)


def ratios(sections: Mapping[str, Section]) -> list[Ratio]:
    """Return the ratios of all promises with both sides measured."""
    found = (_ratio(target, sections) for target in TARGETS)
    return [ratio for ratio in found if ratio is not None]
