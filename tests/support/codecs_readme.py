"""Writes codecs/README.md: the mapping of each codec, what it carries, and what a conversion between two loses.

With ``tests`` on the path: ``python -m support.codecs_readme > codecs/README.md``
"""

from __future__ import annotations

import sys
from collections import Counter
from importlib import import_module
from typing import TYPE_CHECKING

import agentmsg as am
import agentmsg_codecs
from agentmsg.cli.capabilities import summary, tables
from agentmsg.fitting.carry import has_slot
from support.grand_tour import grand_tour
from support.situations import table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["render"]

_HEAD = """\
# The codecs

Written by `python -m support.codecs_readme` (with `tests` on the path) from the codecs themselves; a test compares.

"""
_LEGEND = """\
## How to read the tables

- yes: always carried.
- if: carried where the format has a place for the value, or in some roles only; what has none is reported.
- rule: a rule of the codec makes it into something that is carried, or drops it; both are reported.
- no: lost, and reported.

What is absent, and ids and times that agentmsg itself made, are never lost. What is reported can be restored.

With `carry=True` the content that a format cannot hold travels in the metadata of a message near the end, under
`agentmsg.losses`, where the format carries metadata of messages; `agentmsg.restore` takes it out again. Where the first
table says no there is no such place, and `carry=True` changes nothing: losses are reported as always.
"""
_PAIRS = """\
## From one format to another

What is lost of a tour through the whole model: every class, every field, every role, odd texts and numbers. The
tour was first written in the format on the left, then converted to the one above; "the model" is the tour as made.
"""
_CASES = """\
## OpenAI and Anthropic, case by case

What is lost of small documents with one such thing each. "exact": nothing, the same document comes back; "-": the
format on the left has no such thing. What is changed or dropped stands in the account, and can be restored.
"""


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    head, *body = rows
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in body:
        yield f"| {' | '.join(row)} |"
    yield ""


def _section(name: str) -> Iterator[str]:
    codec = am.get_codec(name)
    mapping = import_module(type(codec).__module__).__doc__ or ""
    yield f"## {name}: {codec.title}"
    yield ""
    yield from mapping.strip().splitlines()
    yield ""
    if codec.caps.everything:
        yield "It carries everything."
        yield ""
    for title, rows in tables(codec.caps):
        yield f"### {name}: {title}"
        yield ""
        yield from _table(rows)


def _lost(history: am.History, target: str) -> str:
    losses: list[am.Loss] = []
    am.encode(history, target, losses=losses)
    counts = Counter(loss.level for loss in losses)
    return ", ".join(f"{counts[level]} {level}" for level in sorted(counts, reverse=True)) or "exact"


def _pairs(names: Sequence[str]) -> Iterator[str]:
    tour = grand_tour()
    sources = {"the model": tour}
    for name in names:
        sources[name] = am.decode(am.encode(tour, name, on_loss="ignore"), name)
    rows = [(source, *(_lost(history, target) for target in names)) for source, history in sources.items()]
    yield from _table([("from \\ to", *names), *rows])


def _row(codec: am.Codec) -> tuple[str, ...]:
    carry = "nothing is lost" if codec.caps.everything else "yes" if has_slot(codec) else "no"
    return f"`{codec.name}`", codec.title, summary(codec.caps), carry


def render() -> str:
    """Return the text of codecs/README.md."""
    names = list(agentmsg_codecs.CODECS)
    overview = [_row(am.get_codec(name)) for name in names]
    heads = ("name", "documents", "carries", "`carry=True`")
    lines = [_HEAD.rstrip(), "", *_table([heads, *overview]), _LEGEND, _PAIRS]
    lines += _pairs(names)
    lines += [_CASES, *_table([("case", "openai to anthropic", "anthropic to openai"), *table()])]
    for name in names:
        lines += _section(name)
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    sys.stdout.write(render())
