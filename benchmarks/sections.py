"""All sections by name. Imports all but report, page and plots."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks import chunks, fields, files, operations, recorded, recordings
from benchmarks.competitors import Missing
from benchmarks.conversions import conversions_section, corpus_section
from benchmarks.formats import codecs_section, format_section
from benchmarks.growth import growth_section
from benchmarks.losses import account_section, losses_section
from benchmarks.section import Scale, Section, joined, two
from benchmarks.sending import sending_section
from benchmarks.streams import streams_section
from benchmarks.timing import Times, interleave_processes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["SECTIONS"]

# What the command of that name runs; what it prints goes nowhere.
_HELP = (
    "import io, sys; sys.argv[1:] = ['--help']; sys.stdout = io.StringIO(); import agentmsg.cli; agentmsg.cli.main()"
)


def _recorded_section(scale: Scale) -> Section:
    """Measure each codec's recorded messages: usual ones, odd ones, all, and its output for the made history."""
    try:
        found = recordings.find(scale.recordings)
    except FileNotFoundError as error:
        return Section("Recorded messages", {}, (Missing("recorded", str(error)),))
    rows: dict[str, dict[str, float]] = {}
    times: dict[str, dict[str, Times]] = {}
    missing: tuple[Missing, ...] = ()
    for name, documents in found.documents.items():
        measured = recorded.measure(name, documents, scale.history, scale.rounds.at_most(10))
        if measured is None:
            missing = (*missing, Missing(name, "its documents have no native messages that it reads"))
            continue
        if measured.refused:
            missing = (*missing, Missing(name, f"{measured.refused} of {len(documents)} documents: it refuses them"))
        for measure, runs in measured.times.items():
            named = {f"{name}: {kind}": spent for kind, spent in runs.items()}
            times.setdefault(measure, {}).update(named)
            rows = joined(rows, two(measure, named, 1))
        for kind, count in measured.counts.items():
            rows[f"{name}: {kind}"]["messages"] = count
            rows[f"{name}: {kind}"]["share"] = 100 * count / measured.counts[recorded.ALL]
    return Section(f"Recorded messages, from {found.source}", rows, missing, times)


def _chunks_section(scale: Scale) -> Section:
    """Measure how chunks of a response are added up."""
    times, missing = chunks.measure(scale.rounds)
    title = f"{chunks.CHUNKS} chunks of a tool call, added up; times of one chunk"
    return Section(title, two("add", times, 1), missing, {"add": times})


def _import_section(scale: Scale) -> Section:
    statements = {"nothing": "pass", "attrs": "import attrs", "agentmsg": "import agentmsg", "agentmsg --help": _HELP}
    times = interleave_processes(statements, scale.rounds)
    return Section("Import, whole processes", two("process", times, 1), (), {"process": times})


def _files_section(scale: Scale) -> Section:
    """Measure ``agentmsg convert`` on a file, to JSON and to Anthropic, beside a loop of orjson's."""
    title = "A file of recorded conversations of OpenAI Chat"
    try:
        with TemporaryDirectory() as folder:
            copies = max(1, len(scale.history) // 40)
            rows, times = files.measure(Path(folder), copies, scale.rounds.at_most(4))
    except FileNotFoundError as error:
        return Section(title, {}, (Missing("files", str(error)),))
    return Section(title, rows, (), {"file": times})


def _operations_section(scale: Scale) -> Section:
    """Measure operations on histories beside decoding the same messages."""
    count, times = operations.measure(scale.history, scale.rounds.at_most(10))
    title = f"Operations on a history of {count} messages"
    return Section(title, two("operation", times, count), (), {"operation": times})


def _fields_section(scale: Scale) -> Section:
    """Measure histories as fields of pydantic models beside the same bodies as models of pydantic's own."""
    title = "Fields of pydantic models, bodies of 20 messages"
    try:
        count, times = fields.measure(scale.rounds)
    except ImportError as error:
        return Section(title, {}, (Missing("pydantic", f"not installed ({error})"),))
    return Section(title, joined(*(two(measure, runs, count) for measure, runs in times.items())), (), times)


SECTIONS: Mapping[str, Callable[[Scale], Section]] = {
    "json": partial(format_section, "json", "Canonical JSON"),
    "msgpack": partial(format_section, "msgpack", "MessagePack"),
    "langchain": partial(format_section, "langchain", "LangChain (messages_to_dict)"),
    "langchain-lc": partial(format_section, "langchain-lc", "LangChain (dumps, loads)"),
    "growth": growth_section,
    "conversions": conversions_section,
    "losses": losses_section,
    "files": _files_section,
    "codecs": codecs_section,
    "recorded": _recorded_section,
    "corpus": corpus_section,
    "account": account_section,
    "chunks": _chunks_section,
    "streams": streams_section,
    "fields": _fields_section,
    "operations": _operations_section,
    "sending": sending_section,
    "import": _import_section,
}
