"""What is measured: for each format decode, encode, size and memory; the loss account; the import.

Every section gives a ``Section``: rows of figures, one row a competitor. Imports all but report and plot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

import agentmsg as am
from agentmsg.fit import fit
from benchmarks.competitors import TABLE, Competitor, Missing, enter
from benchmarks.timing import Case, Times, copy_bytes, interleave, interleave_processes, kept_bytes

if TYPE_CHECKING:
    from agentmsg.codec import Codec

__all__ = ["SECTIONS", "Scale", "Section"]

REMEMBERED = "agentmsg, remembered"


@attrs.frozen
class Scale:
    """How much is measured.

    Attributes:
        history: what all read and write.
        rounds: of each timed case.
        processes: rounds of those that start an interpreter.
    """

    history: am.History
    rounds: int
    processes: int


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


def _two(measure: str, times: Mapping[str, Times], count: int) -> dict[str, dict[str, float]]:
    return {
        name: {measure: spent.best(count), f"{measure} median": spent.middle(count)} for name, spent in times.items()
    }


def _joined(*tables: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    rows: dict[str, dict[str, float]] = {}
    for table in tables:
        for name, figures in table.items():
            rows.setdefault(name, {}).update(figures)
    return rows


def _entrants(form: str, history: am.History) -> tuple[list[Competitor], tuple[Missing, ...]]:
    found = [enter(name, home, history) for name, home in TABLE[form].items()]
    competitors = [each for each in found if isinstance(each, Competitor)]
    return competitors, tuple(each for each in found if isinstance(each, Missing))


def _check(competitor: Competitor) -> None:
    """Make sure that a competitor did all of the work: what it read comes back."""
    back = competitor.encode(competitor.decode(copy_bytes(competitor.raw)))
    assert competitor.plain(back) == competitor.plain(competitor.raw), f"{competitor.name} lost something"


def _fresh_objects(competitor: Competitor) -> Any:
    return competitor.decode(copy_bytes(competitor.raw))


def _remembered(form: str, ours: Competitor, rounds: int) -> dict[str, Times]:
    """Time writing a history again that was written before, by the codec that can remember bytes."""
    if form != "json":
        return {}
    objects = _fresh_objects(ours)
    codec = am.get_codec(form, remember=len(objects))
    am.dumps(objects, codec)
    return interleave({REMEMBERED: Case(lambda: objects, lambda history: am.dumps(history, codec))}, rounds)


def _format_section(form: str, title: str, scale: Scale) -> Section:
    competitors, missing = _entrants(form, scale.history)
    for each in competitors:
        _check(each)
    count = len(scale.history)
    decode = {each.name: Case(partial(copy_bytes, each.raw), each.decode) for each in competitors}
    encode = {each.name: Case(partial(_fresh_objects, each), each.encode) for each in competitors}
    sizes = {
        each.name: {
            "bytes": len(each.encode(_fresh_objects(each))) / count,
            "memory": kept_bytes(partial(_fresh_objects, each)) / count,
        }
        for each in competitors
    }
    ours = next((each for each in competitors if each.name == "agentmsg"), None)
    times = {"decode": interleave(decode, scale.rounds), "encode": interleave(encode, scale.rounds)}
    rows = _joined(
        *(_two(measure, runs, count) for measure, runs in times.items()),
        sizes,
        {} if ours is None else _two("encode", _remembered(form, ours, scale.rounds), count),
    )
    return Section(title, rows, missing, times)


def _written(codec: Codec, history: am.History) -> bytes:
    return codec.render(codec.write(history))


def _account_section(scale: Scale) -> Section:
    """Measure fit alone beside write and render, on histories that lose nothing."""
    cases: dict[str, Case] = {}
    missing: tuple[Missing, ...] = ()
    for form in ("json", "langchain"):
        ours = enter(form, TABLE[form]["agentmsg"], scale.history)
        if isinstance(ours, Missing):
            missing = (*missing, ours)
            continue
        codec = am.get_codec(form)
        fitted = fit(_fresh_objects(ours), codec)
        assert fitted.history is fitted.source, f"{form} loses something of what it read"
        fresh = partial(_fresh_objects, ours)
        cases[f"{form}: fit"] = Case(fresh, partial(_fit, codec))
        # As in a loop that writes a growing history: all messages but the last were fitted before.
        cases[f"{form}: fit again"] = Case(partial(_the_same, fitted.history), partial(_fit, codec))
        cases[f"{form}: write and render"] = Case(fresh, partial(_written, codec))
    times = interleave(cases, scale.rounds)
    rows = _two("encode", times, len(scale.history))
    return Section("Account of losses, where nothing is lost", rows, missing, {"encode": times})


def _the_same(history: am.History) -> am.History:
    return history


def _fit(codec: Codec, history: am.History) -> Any:
    return fit(history, codec)


def _import_section(scale: Scale) -> Section:
    statements = {"nothing": "pass", "attrs": "import attrs", "agentmsg": "import agentmsg"}
    times = interleave_processes(statements, scale.processes)
    return Section("Import, whole processes", _two("process", times, 1), (), {"process": times})


SECTIONS: Mapping[str, Callable[[Scale], Section]] = {
    "json": partial(_format_section, "json", "Canonical JSON"),
    "msgpack": partial(_format_section, "msgpack", "MessagePack"),
    "langchain": partial(_format_section, "langchain", "LangChain (messages_to_dict)"),
    "account": _account_section,
    "import": _import_section,
}
