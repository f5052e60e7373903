"""Reading and writing: each format beside its peers, with size and memory; and all codecs beside each other."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg_codecs import CODECS
from benchmarks.competitors import TABLE, Competitor, Missing, enter
from benchmarks.section import Scale, Section, joined, two
from benchmarks.timing import Case, Times, copy_all, copy_bytes, do_each, interleave, kept_bytes

if TYPE_CHECKING:
    from agentmsg.formats.codec import Codec

__all__ = ["ANSWERS", "ONE_BY_ONE", "codecs_section", "entrants", "format_section", "fresh_objects"]

# A document of these is one response. So that they have an equal, LangChain's messages are measured so, too.
ANSWERS = tuple(name for name in CODECS if name.endswith("-response"))
ONE_BY_ONE = "langchain, one by one"


def entrants(form: str, history: am.History) -> tuple[list[Competitor], tuple[Missing, ...]]:
    """Return all competitors of a format, and the missing ones; each was checked to do all of the work."""
    found = [enter(name, home, history) for name, home in TABLE[form].items()]
    competitors = [each for each in found if isinstance(each, Competitor)]
    for each in competitors:
        back = each.encode(each.decode(copy_bytes(each.raw)))
        assert each.plain(back) == each.plain(each.raw), f"{each.name} lost something"
    return competitors, tuple(each for each in found if isinstance(each, Missing))


def fresh_objects(competitor: Competitor) -> Any:
    """Return objects that a competitor has just read."""
    return competitor.decode(copy_bytes(competitor.raw))


def format_section(form: str, title: str, scale: Scale) -> Section:
    """Measure decoding, encoding, size and memory of all competitors of a format."""
    competitors, missing = entrants(form, scale.history)
    count = len(scale.history)
    decode = {each.name: Case(partial(copy_bytes, each.raw), each.decode) for each in competitors}
    encode = {each.name: Case(partial(fresh_objects, each), each.encode) for each in competitors}
    sizes = {
        each.name: {
            "bytes": len(each.encode(fresh_objects(each))) / count,
            "memory": kept_bytes(partial(fresh_objects, each)) / count,
        }
        for each in competitors
    }
    reading, writing = interleave(decode, scale.rounds), interleave(encode, scale.rounds)
    shared = min(len(spent.runs) for spent in (*reading.values(), *writing.values()))
    both = {name: Times(spent.runs[:shared]).plus(writing[name]) for name, spent in reading.items()}
    times = {"decode": reading, "encode": writing, "both": both}
    rows = joined(*(two(measure, runs, count) for measure, runs in times.items()), sizes)
    return Section(title, rows, missing, times)


def codecs_section(scale: Scale) -> Section:
    """Measure codecs on their own output for the history: by default ours, and those of installed packages."""
    decode: dict[str, Case] = {}
    encode: dict[str, Case] = {}
    counts: dict[str, int] = {}
    sizes: dict[str, dict[str, float]] = {}
    missing: list[Missing] = []
    theirs = [name for name in am.codec_names() if name not in CODECS]
    for name in scale.codecs or (*CODECS, ONE_BY_ONE, *theirs):
        try:
            codec = am.get_codec(name.partition(",")[0])
            raws = _documents(codec, scale.history, is_split=name in (*ANSWERS, ONE_BY_ONE))
            counts[name] = sum(len(am.loads(raw, codec)) for raw in raws) or 1
        except am.AgentMsgError as error:
            if name not in theirs:
                raise
            missing.append(Missing(name, str(error)))
            continue
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
    rows = joined(*(two(measure, runs, 1) for measure, runs in times.items()), sizes)
    return Section("All codecs, each on what it writes", rows, tuple(missing), times)


def _documents(codec: Codec, history: am.History, *, is_split: bool) -> list[bytes]:
    """Return a codec's output for a history: one document, or one for each response."""
    answers = [am.History([message]) for message in history if message.role == "assistant"]
    return [am.dumps(part, codec, on_loss="ignore") for part in (answers if is_split else [history])]
