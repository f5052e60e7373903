"""Writes codecs/README.md: the mapping of each codec, what it supports, and what a conversion between two loses.

With ``tests`` on the path: ``python -m support.codecs_readme > codecs/README.md``
"""

from __future__ import annotations

import sys
from collections import Counter
from importlib import import_module
from typing import TYPE_CHECKING

import agentmsg as am
from agentmsg.cli.capabilities import summary, tables
from agentmsg.fitting.carry import has_slot
from support.grand_tour import grand_tour
from support.situations import table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["render"]

_HEAD = """\
# The codecs

The mapping of each format, what it supports, and what a conversion between any two loses.
`python -m support.codecs_readme` (with `tests` on the path) writes this page from the codecs. A test compares them.

"""
_LEGEND = """\
## How to read the tables

- yes: always supported.
- if: supported where the format has a place for the value, or for some roles only. Anything else is reported.
- rule: a rule of the codec turns it into something that the format supports, or drops it. Both are reported.
- no: lost, and reported.

Absent values are never lost, nor are ids and times that agentmsg itself made. Whatever is reported can be restored.
[Losses](../agentmsg/guides/losses.md) defines content, annotation and setting.

With `carry=True`, lost content travels in the metadata of a message near the end, under `agentmsg.losses`.
`agentmsg.restore` takes it out again. Where the first table says no, the format has no metadata. There `carry=True`
changes nothing: losses are reported as always.
"""
_PAIRS = """\
## From one format to another

What a tour through the whole model loses. It has every class, every field, every role, and odd texts and numbers.
The tour was first written in the format on the left, then converted to the one above. "the model" is the tour as made.
"""
_CASES = """\
## OpenAI and Anthropic, case by case

What small documents lose, each with one such thing. "exact" means that nothing is lost, and the same document comes
back. "-" means that the format on the left has no such thing. Everything that is changed or dropped is in the loss
report, and can be restored.
"""


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    head, *body = rows
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in body:
        yield f"| {' | '.join(row)} |"
    yield ""


def _section(name: am.CodecName) -> Iterator[str]:
    codec = am.get_codec(name)
    mapping = import_module(type(codec).__module__).__doc__ or ""
    yield f"## {name}: {codec.title}"
    yield ""
    yield from mapping.strip().splitlines()
    yield ""
    if codec.caps.everything:
        yield "It supports everything."
        yield ""
    for title, rows in tables(codec.caps):
        yield f"### {name}: {title}"
        yield ""
        yield from _table(rows)


def _lost(history: am.History, target: am.CodecName) -> str:
    losses: list[am.Loss] = []
    am.encode(history, target, losses=losses)
    counts = Counter(loss.level for loss in losses)
    return ", ".join(f"{counts[level]} {level}" for level in sorted(counts, reverse=True)) or "exact"


def _pairs(names: Sequence[am.CodecName]) -> Iterator[str]:
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
    names = am.codec_names()
    overview = [_row(am.get_codec(name)) for name in names]
    heads = ("name", "documents", "supports", "`carry=True`")
    lines = [_HEAD.rstrip(), "", *_table([heads, *overview]), _LEGEND, _PAIRS]
    lines += _pairs(names)
    lines += [_CASES, *_table([("case", "openai to anthropic", "anthropic to openai"), *table()])]
    for name in names:
        lines += _section(name)
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    sys.stdout.write(render())
