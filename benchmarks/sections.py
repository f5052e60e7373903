"""What is measured: for each format decode, encode, size and memory; all codecs; conversions; losses; the import.

Every section gives a ``Section``: rows of figures, one row a competitor. Imports all but report and plot.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import attrs

import agentmsg as am
from agentmsg.fitting.account import account
from agentmsg.fitting.fit import fit
from agentmsg_codecs import CODECS
from benchmarks import chunks, fields, files, operations, recorded, recordings
from benchmarks.competitors import TABLE, Competitor, Missing, enter
from benchmarks.conversations import recorded as recorded_bodies
from benchmarks.conversations import support_chat
from benchmarks.conversions import CONVERTERS, enter_converter
from benchmarks.timing import Case, Times, copy_all, copy_bytes, do_each, interleave, interleave_processes, kept_bytes

if TYPE_CHECKING:
    from agentmsg.formats.codec import Codec

__all__ = ["ANSWERS", "ONE_BY_ONE", "READ", "SECTIONS", "Scale", "Section"]

REMEMBERED = "agentmsg, remembered"
# A document of these is one response. So that they have an equal, LangChain's messages are measured so, too.
ANSWERS = tuple(name for name in CODECS if name.endswith("-response"))
ONE_BY_ONE = "langchain, one by one"
READ = "the same messages read from JSON"
# One conversion is too short for a clock that is also used for whole processes.
_CONVERSATIONS = 25
# What the command of that name runs; what it prints goes nowhere.
_HELP = (
    "import io, sys; sys.argv[1:] = ['--help']; sys.stdout = io.StringIO(); import agentmsg.cli; agentmsg.cli.main()"
)


@attrs.frozen
class Scale:
    """How much is measured.

    Attributes:
        history: what all read and write.
        rounds: of each timed case.
        processes: rounds of those that start an interpreter.
        recordings: the folder of recorded documents, if one is given.
    """

    history: am.History
    rounds: int
    processes: int
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
    reading, writing = interleave(decode, scale.rounds), interleave(encode, scale.rounds)
    both = {name: spent.plus(writing[name]) for name, spent in reading.items()}
    times = {"decode": reading, "encode": writing, "both": both}
    rows = _joined(
        *(_two(measure, runs, count) for measure, runs in times.items()),
        sizes,
        {} if ours is None else _two("encode", _remembered(form, ours, scale.rounds), count),
    )
    return Section(title, rows, missing, times)


def _codecs_section(scale: Scale) -> Section:
    """Measure every codec of ours on what it writes of the history."""
    decode: dict[str, Case] = {}
    encode: dict[str, Case] = {}
    counts: dict[str, int] = {}
    sizes: dict[str, dict[str, float]] = {}
    for name in (*CODECS, ONE_BY_ONE):
        codec = am.get_codec(name.partition(",")[0])
        raws = _documents(codec, scale.history, is_split=name in (*ANSWERS, ONE_BY_ONE))
        counts[name] = sum(len(am.loads(raw, codec)) for raw in raws)
        sizes[name] = {"messages": counts[name], "bytes": sum(map(len, raws)) / counts[name]}
        decode[name] = Case(partial(copy_all, raws), partial(do_each, partial(am.loads, codec=codec)))
        encode[name] = Case(
            partial(do_each, partial(am.loads, codec=codec), raws), partial(do_each, partial(am.dumps, codec=codec))
        )
    # What the codecs write has not the same number of messages: calls, for one, are messages of their own in some.
    times = {
        measure: {name: spent.each(counts[name]) for name, spent in interleave(cases, scale.rounds).items()}
        for measure, cases in (("decode", decode), ("encode", encode))
    }
    rows = _joined(*(_two(measure, runs, 1) for measure, runs in times.items()), sizes)
    return Section("All codecs, each on what it writes", rows, (), times)


def _documents(codec: Codec, history: am.History, *, is_split: bool) -> list[bytes]:
    """Return what a codec writes of a history: one document, or one for each response."""
    answers = [am.History([message]) for message in history if message.role == "assistant"]
    return [am.dumps(part, codec, on_loss="ignore") for part in (answers if is_split else [history])]


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
    return Section("Loss report, nothing lost", rows, missing, {"encode": times})


def _losses_section(scale: Scale) -> Section:
    """Measure fit and the loss report, in memory and as text, where each message loses something; beside reading it."""
    source, target = am.get_codec("json"), am.get_codec("openai")
    raw = source.to_bytes(scale.history)
    fitted = fit(scale.history, target)
    lost = account(fitted)
    assert len(lost) >= len(scale.history), "nothing is lost"
    fresh = partial(am.loads, raw, source)
    cases = {
        READ: Case(partial(copy_bytes, raw), partial(am.loads, codec=source)),
        "fit": Case(fresh, partial(_fit, target)),
        "loss report": Case(lambda: _fit(target, fresh()), lambda done: list(account(done))),
        "loss report on file": Case(lambda: lost, lambda losses: am.dump_losses(losses, fitted.history)),
    }
    times = interleave(cases, min(scale.rounds, 20))
    rows = _two("operation", times, len(scale.history))
    return Section(f"Loss report, {len(lost) / len(scale.history):.1f} a message", rows, (), {"operation": times})


def _the_same(history: am.History) -> am.History:
    return history


def _fit(codec: Codec, history: am.History) -> Any:
    return fit(history, codec)


def _conversion_section(scale: Scale) -> Section:
    """Measure one conversion by all who can do it, and how much of ours is the loss report."""
    found = {name: enter_converter(name, home) for name, home in CONVERTERS.items()}
    missing = tuple(each for each in found.values() if isinstance(each, Missing))
    cases = {
        name: Case(partial(_copies, support_chat), partial(do_each, convert))
        for name, convert in found.items()
        if not isinstance(convert, Missing)
    }
    if "agentmsg" in cases:
        target = am.get_codec("anthropic")
        histories = partial(_copies, lambda: am.decode(support_chat(), "openai"))
        cases["loss report"] = Case(histories, partial(do_each, lambda history: account(fit(history, target))))
        # No loss is spelt out before somebody looks, and the conversion above does not.
        looked_at = partial(do_each, lambda history: list(account(fit(history, target))))
        cases["loss report, looked at"] = Case(histories, looked_at)
    times = interleave(cases, scale.rounds)
    rows = _two("convert", times, _CONVERSATIONS * len(support_chat()))
    title = "OpenAI Chat to Anthropic, plain data, 20 messages with 5 tool calls"
    return Section(title, rows, missing, {"convert": times})


def _copies(make: Callable[[], Any]) -> list[Any]:
    return [make() for _ in range(_CONVERSATIONS)]


def _corpus_section(scale: Scale) -> Section:
    """Measure the conversion of all recorded conversations of each of two formats into the other one."""
    rows: dict[str, dict[str, float]] = {}
    missing: tuple[Missing, ...] = ()
    for system, source, target in (("openai_chat", "openai", "anthropic"), ("anthropic", "anthropic", "openai")):
        name = f"{source} to {target}"
        try:
            bodies = recorded_bodies(system)
            convert = partial(_converted, am.get_codec(source), am.get_codec(target))
        except (FileNotFoundError, am.CodecLookupError) as error:
            missing = (*missing, Missing(name, str(error)))
            continue
        count = sum(len(body["messages"]) for body in bodies)
        times = interleave(
            {name: Case(partial(json.loads, json.dumps(bodies)), partial(do_each, convert))}, scale.rounds
        )
        rows |= _two("convert", times, count)
        rows[name] |= {"documents": len(bodies), "messages": count, "rate": 1e6 / times[name].middle(count)}
    return Section("All recorded conversations, plain data", rows, missing)


def _recorded_section(scale: Scale) -> Section:
    """Measure recorded messages of each codec: usual ones, odd ones, all, and what it writes of the made history."""
    try:
        found = recordings.find(scale.recordings)
    except FileNotFoundError as error:
        return Section("Recorded messages", {}, (Missing("recorded", str(error)),))
    rows: dict[str, dict[str, float]] = {}
    times: dict[str, dict[str, Times]] = {}
    missing: tuple[Missing, ...] = ()
    for name, documents in found.documents.items():
        measured = recorded.measure(name, documents, scale.history, min(scale.rounds, 10))
        if measured is None:
            missing = (*missing, Missing(name, "its documents have no native messages that it reads"))
            continue
        if measured.refused:
            missing = (*missing, Missing(name, f"{measured.refused} of {len(documents)} documents: it refuses them"))
        for measure, runs in measured.times.items():
            named = {f"{name}: {kind}": spent for kind, spent in runs.items()}
            times.setdefault(measure, {}).update(named)
            rows = _joined(rows, _two(measure, named, 1))
        for kind, count in measured.counts.items():
            rows[f"{name}: {kind}"]["messages"] = count
            rows[f"{name}: {kind}"]["share"] = 100 * count / measured.counts[recorded.ALL]
    return Section(f"Recorded messages, from {found.source}", rows, missing, times)


def _converted(source: Codec, target: Codec, body: dict[str, Any]) -> Any:
    return am.convert(body, source, target).document


def _chunks_section(scale: Scale) -> Section:
    """Measure how chunks of a response are added up."""
    times, missing = chunks.measure(scale.rounds)
    title = f"{chunks.CHUNKS} chunks of a tool call, added up; times of one chunk"
    return Section(title, _two("add", times, 1), missing, {"add": times})


def _import_section(scale: Scale) -> Section:
    statements = {"nothing": "pass", "attrs": "import attrs", "agentmsg": "import agentmsg", "agentmsg --help": _HELP}
    times = interleave_processes(statements, scale.processes)
    return Section("Import, whole processes", _two("process", times, 1), (), {"process": times})


def _files_section(scale: Scale) -> Section:
    """Measure what ``agentmsg convert`` does with a file; 400 MB for a history of 1,000 messages."""
    title = "A file of recorded conversations, OpenAI Chat to Anthropic"
    try:
        with TemporaryDirectory() as folder:
            rows, times = files.measure(
                Path(folder), copies=max(1, len(scale.history) // 8), rounds=min(scale.rounds, 6)
            )
    except FileNotFoundError as error:
        return Section(title, {}, (Missing("files", str(error)),))
    return Section(title, rows, (), {"file": times})


def _operations_section(scale: Scale) -> Section:
    """Measure operations on histories beside decoding the same messages."""
    count, times = operations.measure(scale.history, min(scale.rounds, 10))
    title = f"Operations on a history of {count} messages"
    return Section(title, _two("operation", times, count), (), {"operation": times})


def _fields_section(scale: Scale) -> Section:
    """Measure histories as fields of pydantic models beside the same bodies as models of pydantic's own."""
    title = "Fields of pydantic models, bodies of 20 messages"
    try:
        count, times = fields.measure(scale.rounds)
    except ImportError as error:
        return Section(title, {}, (Missing("pydantic", f"not installed ({error})"),))
    return Section(title, _joined(*(_two(measure, runs, count) for measure, runs in times.items())), (), times)


SECTIONS: Mapping[str, Callable[[Scale], Section]] = {
    "json": partial(_format_section, "json", "Canonical JSON"),
    "msgpack": partial(_format_section, "msgpack", "MessagePack"),
    "langchain": partial(_format_section, "langchain", "LangChain (messages_to_dict)"),
    "langchain-lc": partial(_format_section, "langchain-lc", "LangChain (dumps, loads)"),
    "codecs": _codecs_section,
    "conversion": _conversion_section,
    "corpus": _corpus_section,
    "recorded": _recorded_section,
    "account": _account_section,
    "losses": _losses_section,
    "chunks": _chunks_section,
    "fields": _fields_section,
    "files": _files_section,
    "operations": _operations_section,
    "import": _import_section,
}
