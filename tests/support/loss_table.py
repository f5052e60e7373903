"""Prints the losses of conversions between OpenAI and Anthropic, over all golden and recorded documents.

With ``tests`` on the path: ``python -m support.loss_table``, or with some source formats:
``python -m support.loss_table anthropic anthropic-response``. Read it: a loss that a better mapping could avoid is a
bug, and no test knows which losses these are.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import attrs

import agentmsg as am
from support.conversions import PAIRS, conversions

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Row", "Survey", "render", "survey", "what_of", "where_of"]

_SHOWN = 4
_WIDTH = 60


@attrs.frozen
class Row:
    """Losses of one kind and level in one place.

    Attributes:
        where: the fields of the path, without indexes; a whole message, block or tool ends in its class.
        kind: dropped, changed ...
        level: content, annotation or setting.
        count: the number of losses.
        documents: the number of documents that have them.
        what: the lost things, most frequent first: keys of mappings, values, or reasons.
        example: the document and the path of the first.
    """

    where: str
    kind: str
    level: str
    count: int
    documents: int
    what: tuple[tuple[str, int], ...]
    example: str


@attrs.frozen
class Survey:
    """The losses of all documents of one format in another.

    Attributes:
        source: the format of the documents.
        target: the format that they were converted to.
        documents: how many.
        whole: how many lose nothing.
        readable: how many lose no content.
        conversing: how many lose nothing of their messages and tools, other parameters aside.
        rows: the losses, most frequent first.
    """

    source: str
    target: str
    documents: int
    whole: int
    readable: int
    conversing: int
    rows: tuple[Row, ...]


def where_of(loss: am.Loss) -> str:
    """Return the fields of a loss's path; a whole message, block or tool ends in its class."""
    names = [key for key in loss.path if isinstance(key, str)]
    if isinstance(loss.path[-1], int):
        names[-1] += f": {type(loss.was).__name__}"
        if loss.kind == "changed":
            names[-1] += f" to {type(loss.now).__name__}"
    return "/".join(names)


def _keys(value: Mapping[str, Any], lead: str = "") -> Iterator[str]:
    for key, inner in value.items():
        if isinstance(inner, Mapping) and not lead:
            yield from _keys(cast("Mapping[str, Any]", inner), f"{key}.")
        else:
            yield f"{lead}{key}"


def _usage(was: am.Usage, now: am.Usage) -> Iterator[str]:
    for field in attrs.fields(am.Usage):
        old, new = getattr(was, field.name), getattr(now, field.name)
        if old != new and field.name not in {"extras", "notes"}:
            yield f"{field.name} {'lost' if new is None else 'made' if old is None else 'changed'}"
    yield from (f"extras {key}" for key in _keys(was.extras))


def what_of(loss: am.Loss) -> list[str]:
    """Return the lost thing, in few words."""
    was: object = loss.was
    if isinstance(was, am.Usage) and isinstance(loss.now, am.Usage):
        return list(_usage(was, loss.now))
    if isinstance(was, Mapping):
        return list(_keys(cast("Mapping[str, Any]", was)))
    if isinstance(loss.path[-1], int):
        return [loss.why]
    told = f"{loss.was} to {loss.now}"
    return [told if len(told) <= _WIDTH else loss.why or f"{told[:_WIDTH]} ..."]


def survey(source: str, target: str) -> Survey:
    """Return the losses of all documents of a format in another."""
    found = conversions(source, target)
    places: defaultdict[tuple[str, str, str], list[tuple[str, am.Loss]]] = defaultdict(list)
    for name, _, result in found:
        for loss in result.losses:
            places[where_of(loss), loss.kind, loss.level].append((name, loss))
    rows = (_row(*place, losses) for place, losses in places.items())
    return Survey(
        source,
        target,
        documents=len(found),
        whole=sum(not result.losses for _, _, result in found),
        readable=sum(not result.losses.content for _, _, result in found),
        conversing=sum(all(loss.path[0] in ("extras", "settings") for loss in result.losses) for _, _, result in found),
        rows=tuple(sorted(rows, key=lambda row: -row.count)),
    )


def _row(where: str, kind: str, level: str, losses: list[tuple[str, am.Loss]]) -> Row:
    what = Counter(word for _, loss in losses for word in what_of(loss))
    name, first = losses[0]
    return Row(
        where,
        kind,
        level,
        count=len(losses),
        documents=len({name for name, _ in losses}),
        what=tuple(what.most_common()),
        example=f"{name}: {'/'.join(map(str, first.path))}",
    )


def _lines(found: Survey) -> Iterator[str]:
    def share(count: int) -> str:
        return f"{count} ({100 * count / found.documents:.1f} %)"

    yield f"## {found.source} to {found.target}: {found.documents} documents"
    yield (
        f"nothing lost: {share(found.whole)}; nothing but parameters: {share(found.conversing)}; "
        f"no content lost: {share(found.readable)}"
    )
    yield ""
    for row in found.rows:
        yield f"{row.count:6} {row.where} {row.kind} ({row.level}), {row.documents} documents"
        rest = len(row.what) - _SHOWN
        words = [f"{word} ({count})" for word, count in row.what[:_SHOWN] if word]
        if words:
            yield f"       {'; '.join(words)}{f'; and {rest} more' if rest > 0 else ''}"
        yield f"       e.g. {row.example}"
    yield ""


def render(*sources: str) -> str:
    """Return the tables as text: of all pairs, or of those from some formats."""
    wanted = [pair for pair in PAIRS if not sources or pair[0] in sources]
    return "\n".join(line for source, target in wanted for line in _lines(survey(source, target)))


if __name__ == "__main__":
    sys.stdout.write(render(*sys.argv[1:]))
