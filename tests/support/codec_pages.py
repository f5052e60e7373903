"""Writes the Markdown in codecs/: an index, a page per format, and a page about conversions, all from the codecs.

With ``tests`` and ``codecs`` on the path: ``python -m support.codec_pages``
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

import agentmsg as am
import agentmsg_codecs
from agentmsg.cli.formats import Option, options_of, summary, tables
from agentmsg.fitting.carry import has_slot
from agentmsg.formats import is_list, is_object
from agentmsg.formats.forms.tables import mapped_by, mapping_of
from support.grand_tour import grand_tour
from support.situations import table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentmsg.formats.forms.tables import Mapped

__all__ = ["AUTHORS", "FOLDER", "CodecPage", "pages"]

FOLDER = Path(__file__).resolve().parents[2] / "codecs"
# The formats that most people convert to and from.
_BIG = ("openai", "anthropic", "langchain")
_LEVELS = ("content", "setting", "annotation", "unsent")
_WIDTH = 100

_INDEX = """\
# Formats

Each format has a page: the documents it reads, its mapping, its options, what it supports, and what conversions lose.
[Conversions](conversions.md) compares all pairs of formats.

`python -m support.codec_pages` (with `tests` on the path) writes these pages from the codecs.

"""
AUTHORS = "## A format in 150 lines"
_LEGEND = """\
`carry=True` puts lost content into the metadata of a message near the end, under `agentmsg.losses`. `agentmsg.restore`
takes it out again. A format without metadata reports its losses as always.

## How to read the tables

- yes: always supported.
- if: supported where the format has a place for the value, or for some roles only. All else is reported.
- rule: a rule of the codec rewrites or drops it. Both are reported.
- no: lost, and reported.

Absent values are never lost, nor are ids and times that agentmsg itself made. Whatever is reported can be restored.
[Losses](../agentmsg/guides/losses.md) defines the levels content, setting and annotation.

To add a format, read [Write a codec](../agentmsg/guides/codecs.md), then
[A format in 150 lines](#a-format-in-150-lines).
"""
_CONVERSIONS = """\
# Conversions

What is lost between any two formats, and case by case between OpenAI and Anthropic. See also [all formats](README.md).

## From one format to another

A tour through the whole model has every class, every field, every role, and odd texts and numbers. This is what it
loses in each format. Each page tells what the format itself loses on the way to all others, and back.

"""
_CASES = """\
## OpenAI and Anthropic, case by case

What small documents lose, each with one special thing. "exact" means that nothing is lost, and the same document comes
back. "-" means that the format on the left has no such thing. Everything changed or dropped is in the loss report, and
can be restored.

"""
_LOSSES = """\
## Conversions

The source is a tour through everything that the format on the way can hold. Most documents lose much less.
[Conversions](conversions.md) tells what the whole tour loses in each format.

"""
# Two turns with a tool, in the most common form.
_EXAMPLE: dict[str, Any] = {
    "agentmsg": 1,
    "messages": [
        {"role": "system", "content": "Answer in one sentence."},
        {"role": "user", "content": "How warm is it in Lisbon?"},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Let me look."},
                {"type": "tool_use", "id": "call_1", "name": "weather", "raw_input": '{"city": "Lisbon"}'},
            ],
        },
        {
            "role": "tool",
            "content": [
                {"type": "tool_result", "tool_call_id": "call_1", "name": "weather", "content": "21 degrees"},
            ],
        },
        {"role": "assistant", "content": "It is 21 degrees warm."},
    ],
}


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    head, *body = rows
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in body:
        yield f"| {' | '.join(row)} |"
    yield ""


def _json(value: Any, indent: str = "") -> str:
    """Return JSON text with everything that fits on one line."""
    short = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(short) <= _WIDTH:
        return short
    inner = indent + "  "
    if is_object(value):
        lines = [f"{inner}{json.dumps(key)}: {_json(each, inner)}" for key, each in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if not is_list(value):
        return short
    return "[\n" + ",\n".join(inner + _json(each, inner) for each in value) + f"\n{indent}]"


def _fenced(value: Any) -> Iterator[str]:
    yield from ("```json", *_json(value).splitlines(), "```", "")


@attrs.frozen
class CodecPage:
    """The docstring of a codec's module, in its parts.

    Attributes:
        lead: the first sentence, without the name.
        documents: the kinds of documents, and the version of a library or specification that they follow.
        mapping: the table, and notes below it.
    """

    lead: str
    documents: str
    mapping: str

    @classmethod
    def of(cls, codec: am.Codec) -> CodecPage:
        """Return the parts of the docstring of the codec's module."""
        text = (import_module(type(codec).__module__).__doc__ or "").strip()
        first, _, rest = text.partition("\n")
        documents, _, mapping = rest.partition("\n| ")
        return cls(first.removeprefix(f"{codec.name}:").strip(), documents.strip(), f"| {mapping}".strip())

    @property
    def follows(self) -> str:
        """The paragraph that names the versions that the codec follows, or an empty string."""
        found = [each for each in self.documents.split("\n\n") if each.startswith("Follows ")]
        return " ".join(found[0].split()) if found else ""


def _example(codec: am.Codec) -> Iterator[str]:
    history = am.decode(_EXAMPLE, "json")
    known = [message for message in history if codec.caps.everything or codec.caps.row(message.role)]
    document = am.encode(history.evolve(messages=known), codec, on_loss="ignore")
    yield "## Example"
    yield ""
    yield f"A small conversation{', as plain data of the bytes' if codec.binary else ''}:"
    yield ""
    yield from _fenced(document)
    if codec.name != "json":
        yield "The same in the canonical form, `json`:"
        yield ""
        yield from _fenced(am.encode(am.decode(document, codec), "json"))


def _option(option: Option) -> tuple[str, ...]:
    values = ", ".join(f"`{value}`" for value in option.values) or f"`{type(option.value).__name__}`"
    return f"`{option.name}`", values, f"`{option.value}`", option.about


def _options(codec: am.Codec) -> Iterator[str]:
    options = options_of(codec)
    yield "## Options"
    yield ""
    if options:
        option = options[-1]
        value = option.values[-1] if option.values else option.value
        call = f'am.get_codec("{codec.name}", {option.name}={value!r})'.replace("'", '"')
        yield f"In Python `{call}`, in the shell `-O {option.name}={value}`."
        yield ""
        yield from _table([("option", "values", "default", "meaning"), *map(_option, options)])
    else:
        yield "It has no options."
        yield ""


def _supports(codec: am.Codec) -> Iterator[str]:
    yield "## What it supports"
    yield ""
    if codec.caps.everything:
        yield "Everything: nothing is ever lost."
        yield ""
        return
    yield "[How to read the tables](README.md#how-to-read-the-tables) explains yes, if, rule and no."
    yield ""
    for title, rows in tables(codec.caps):
        yield f"### {title[0].upper()}{title[1:]}"
        yield ""
        yield from _table(rows)
    if unsent := codec.caps.unsent:
        yield "### What the library doesn't send"
        yield ""
        yield "The document holds it, and the report tells it as `unsent`."
        yield ""
        classes = [row.cls if isinstance(row.cls, tuple) else (row.cls,) for row in unsent]
        where = [", ".join(f"`{cls.__name__}{'.' if row.field else ''}{row.field}`" for cls in each)
                 for each, row in zip(classes, unsent, strict=True)]  # fmt: skip
        yield from _table([("of", "why"), *((each, row.why) for each, row in zip(where, unsent, strict=True))])


@cache
def _as_read(name: str) -> am.History:
    """Return as much of the tour as a format can hold."""
    codec = am.get_codec(name)
    return am.decode(am.encode(grand_tour(), codec, on_loss="ignore"), codec)


def _losses(history: am.History, target: str) -> list[am.Loss]:
    losses: list[am.Loss] = []
    am.encode(history, am.get_codec(target), losses=losses)
    return losses


@cache
def _lost(source: str, target: str) -> str:
    """Return the losses of a format in another, by level, content first."""
    return _counts(_losses(_as_read(source), target))


def _refuses(codec: am.Codec) -> Iterator[str]:
    """Yield the provider's sending rules; a codec without rules has no such section."""
    if not codec.rules:
        return
    yield "## What the provider refuses"
    yield ""
    yield "`agentmsg.check` finds it, and `agentmsg.repair` mends it: see the guide `sending`."
    yield ""
    mends = {True: "yes", False: "no"}
    rows = [
        (f"`{rule.code}`", rule.severity, rule.message, rule.fix, mends[rule.mend is not None]) for rule in codec.rules
    ]
    yield from _table([("code", "severity", "what is wrong", "fix", "repaired"), *rows])


def _counts(losses: Sequence[am.Loss]) -> str:
    counts: Counter[str] = Counter(loss.tally for loss in losses)
    return ", ".join(f"{counts[level]} {level}" for level in _LEVELS if counts[level]) or "exact"


def _thing(history: am.History, loss: am.Loss) -> tuple[str, str, str]:
    """Return the object of a loss: the class, its field (empty for a whole message, block or tool), and the change."""
    *way, last = loss.path[: loss.path.index("extras") + 1] if "extras" in loss.path else loss.path
    owner: Any = history
    for key in way:
        owner = getattr(owner, key) if isinstance(key, str) else owner[key]
    if isinstance(last, str):
        return type(owner).__name__, last, loss.kind
    to = f" to `{type(loss.now).__name__}`" if loss.kind == "changed" else ""
    return type(owner[last]).__name__, "", f"{loss.kind}{to}"


def _heavy(history: am.History, losses: Sequence[am.Loss]) -> Iterator[tuple[str, ...]]:
    """Yield losses of content and settings, each with its count and reason."""
    found = Counter((*_thing(history, loss), loss.tally, loss.why) for loss in losses if loss.level != "annotation")
    for (owner, field, done, level, why), times in found.items():
        yield f"`{owner}{'.' if field else ''}{field}` {done}", level, str(times), why


def _light(history: am.History, losses: Sequence[am.Loss]) -> Iterator[tuple[str, str]]:
    """Yield losses of annotations, each with all its classes."""
    owners: defaultdict[str, set[str]] = defaultdict(set)
    for loss in losses:
        if loss.level == "annotation":
            owner, field, done = _thing(history, loss)
            owners[f"`{field}` {done}" if field else done].add(owner)
    for what, classes in sorted(owners.items()):
        yield what, ", ".join(f"`{each}`" for each in sorted(classes))


def _route(source: str, target: str) -> Iterator[str]:
    history = _as_read(source)
    losses = _losses(history, target)
    yield f"### {source} to {target}"
    yield ""
    yield f"{_counts(losses).capitalize()}." if losses else "Nothing is lost."
    yield ""
    for heads, rows in ((("what", "level", "times", "why"), _heavy), (("annotation", "of"), _light)):
        found = list(rows(history, losses))
        if found:
            yield from _table([heads, *found])


def _routes(name: str) -> Iterator[str]:
    big = [each for each in _BIG if each != name]
    yield _LOSSES.rstrip()
    yield ""
    yield from _table([("", f"from `{name}` to it", f"from it to `{name}`"), *_pairs(name)])
    for each in big:
        yield from _route(name, each)
        yield from _route(each, name)


def _pairs(name: str) -> Iterator[tuple[str, ...]]:
    """Yield the losses to and from each other format, one family together."""
    codecs = sorted(map(am.get_codec, agentmsg_codecs.CODECS), key=lambda codec: (codec.family, codec.name))
    for other in (codec.name for codec in codecs if codec.name != name):
        yield f"[`{other}`]({other}.md)", _lost(name, other), _lost(other, name)


def _forms(codec: am.Codec) -> Iterator[str]:
    """Yield the tables of the descriptions; those shared with the codec named after the family are on its page."""
    family = {each.name: each for each in map(am.get_codec, agentmsg_codecs.CODECS)}.get(codec.family)
    theirs = [] if family is None or family.name == codec.name else [each.forms for each in family.described]
    for described in codec.described:
        if described.forms in theirs:
            yield f"Parts are mapped as in [{codec.family}]({codec.family}.md#forms)."
            yield ""
    own = [described for described in codec.described if described.forms not in theirs]
    all_mapped = [*mapped_by(codec), *(mapped for described in own for mapped in mapping_of(described))]
    if all_mapped:
        yield "### Forms"
        yield ""
        yield "Each kind of native object, its class, and its keys with the fields that they are."
        yield ""
        rows = [(f"`{each.native}`", _class(each), "; ".join(_keys(each))) for each in all_mapped]
        yield from _table([("native", "agentmsg", "keys"), *rows])


def _class(mapped: Mapped) -> str:
    return mapped.cls.replace("|", "\\|")


def _keys(mapped: Mapped) -> Iterator[str]:
    for key, told in mapped.keys:
        yield f"`{key}`" if key == told else f"`{key}`: {told}"


def _page(name: str) -> Iterator[str]:
    codec, told = am.get_codec(name), CodecPage.of(am.get_codec(name))
    yield f"# {codec.title}"
    yield ""
    yield f"`{name}`: {told.lead}"
    yield ""
    yield f"It supports {summary(codec.caps)}. See [all formats](README.md)."
    yield ""
    yield "## Documents"
    yield ""
    yield from told.documents.splitlines()
    yield ""
    yield from _example(codec)
    yield "## Mapping"
    yield ""
    yield from (told.mapping.splitlines() or ["This codec tells no mapping."])
    yield ""
    yield from _forms(codec)
    yield from _options(codec)
    yield from _supports(codec)
    yield from _refuses(codec)
    yield from _routes(name)


def _row(codec: am.Codec) -> tuple[str, ...]:
    carry = "nothing is lost" if codec.caps.everything else "yes" if has_slot(codec) else "no"
    return f"[`{codec.name}`]({codec.name}.md)", codec.title, summary(codec.caps), carry


def _sending(codecs: Sequence[am.Codec]) -> Iterator[str]:
    """Yield the rules of each provider, by their certainty."""
    yield from ("`agentmsg check` knows what providers [refuse](../agentmsg/guides/sending.md):", "")
    told = [(codec, _codes(codec, "error"), _codes(codec, "warning")) for codec in codecs if codec.rules]
    rows = [(f"[{codec.title}]({codec.name}.md#what-the-provider-refuses)", *codes) for codec, *codes in told]
    yield from _table([("to", "refused", "refused by some models, or only reported"), *rows])


def _codes(codec: am.Codec, severity: str) -> str:
    codes = dict.fromkeys(rule.code for rule in codec.rules if rule.severity == severity)
    return ", ".join(f"`{code}`" for code in codes)


def _index(names: Sequence[str]) -> Iterator[str]:
    yield _INDEX.rstrip()
    yield ""
    heads = ("name", "documents", "supports", "`carry=True`")
    yield from _table([heads, *(_row(am.get_codec(name)) for name in names)])
    yield from _sending([am.get_codec(name) for name in names])
    yield _LEGEND
    # Written by hand, for authors of codecs.
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    yield AUTHORS + text.partition(AUTHORS)[2]


def _conversions(names: Sequence[str]) -> Iterator[str]:
    yield _CONVERSIONS.rstrip()
    yield ""
    rows = [(f"[`{name}`]({name}.md#conversions)", _counts(_losses(grand_tour(), name))) for name in names]
    yield from _table([("to", "what is lost"), *rows])
    yield _CASES.rstrip()
    yield ""
    yield from _table([("case", "openai to anthropic", "anthropic to openai"), *table()])


def pages() -> dict[str, str]:
    """Return the text of each page by the name of its file."""
    names = list(agentmsg_codecs.CODECS)
    lines = {"README": _index(names), "conversions": _conversions(names), **{name: _page(name) for name in names}}
    return {f"{name}.md": "\n".join(each).rstrip() + "\n" for name, each in lines.items()}


if __name__ == "__main__":
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
