"""Media: the columns that say, in order, what stands where a user's texts have ``<image>``, ``<video>`` or ``<audio>``.

Where a column holds anything but addresses, or not as many of them as there are such places, they stay native blocks,
and the column is kept as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import is_list, is_mapping, maker, media, restructure
from agentmsg_codecs.sharegpt.names import COLUMNS, FAMILY, MEDIA

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_make_url = maker(am.URLSource)
_TOKENS = {cls: token for token, (cls, _) in MEDIA.items()}


def _source(entry: str) -> Any:
    return media.read_data_url(entry) or _make_url(url=entry)


def address_of(source: Any) -> str:
    """Return what stands in a column for a source."""
    return media.data_url(source) if isinstance(source, am.Base64Source) else source.url


def is_token(block: Any) -> bool:
    """Whether a native block stands where media should."""
    return token_of(block) is not None


def token_of(block: Any) -> str | None:
    """Return what stands in a text for a native block that media should replace; None of any other."""
    if type(block) is not am.NativeBlock or block.codec != FAMILY or not is_mapping(block.value):
        return None
    token: Any = block.value.get("type")
    return token if len(block.value) == 1 and isinstance(token, str) and token in MEDIA else None


def _asked(messages: Sequence[am.Msg]) -> Iterator[Any]:
    return (block for message in messages if message.role == "user" for block in message.content)


def sources(messages: Sequence[am.Msg], token: str, column: Any) -> list[Any] | None:
    """Return the sources that a column has for the places of a kind; None if it hasn't."""
    entries: Any = thaw(column)
    count = sum(token_of(block) == token for block in _asked(messages))
    if not count or not is_list(entries) or len(entries) != count:
        return None
    if not all(type(entry) is str and entry for entry in entries):
        return None
    found = list(map(_source, entries))
    return found if list(map(address_of, found)) == entries else None


def placed(messages: Sequence[am.Msg], row: Mapping[str, Any]) -> tuple[list[am.Msg], frozenset[str]]:
    """Return messages that were read, with the media of the columns in their places, and these columns."""
    taken: set[str] = set()
    out = list(messages)
    for token, (cls, column) in MEDIA.items():
        found = sources(messages, token, row.get(column))
        if found is None:
            continue
        taken.add(column)
        waiting, make = iter(found), maker(cls, "source")
        for index, message in enumerate(out):
            if message.role == "user" and any(map(is_token, message.content)):
                content = [make(next(waiting)) if token_of(block) == token else block for block in message.content]
                out[index] = message.evolve(content=content)
    return out, frozenset(taken)


def unplaced(messages: Sequence[am.Msg]) -> tuple[list[am.Msg], dict[str, list[str]]]:
    """Return messages to write, with tokens for their media, and the columns."""
    columns: dict[str, list[str]] = {}
    out: list[am.Msg] = []
    for message in messages:
        content: list[Any] = []
        held: Any = message.content
        for block in held:
            token = _TOKENS.get(block.__class__) if message.role == "user" else None
            if token is None:
                content.append(block)
                continue
            columns.setdefault(MEDIA[token][1], []).append(address_of(block.source))
            content.append(am.NativeBlock(FAMILY, {"type": token}))
        is_changed = any(type(block) in _TOKENS for block in message.content) and message.role == "user"
        out.append(message.evolve(content=content) if is_changed else message)
    return out, columns


def taken(history: am.History, own: Mapping[str, Any]) -> frozenset[str]:
    """Return the columns among the extras of a history that would be read as those of its media."""
    found = {
        column
        for token, (cls, column) in MEDIA.items()
        if any(type(block) is cls for block in _asked(history.messages))
        or (column in own and sources(history.messages, token, own[column]) is not None)
    }
    return frozenset(found & COLUMNS)


def one_kind(plan: restructure.Plan | None, messages: Sequence[am.Msg]) -> restructure.Plan | None:
    """Leave out media where a place before has none, and places without media where media stand before.

    A column has an entry for each place, or is none.
    """
    kinds: dict[str, bool] = {}
    out: restructure.Plan = []
    current = restructure.as_is(messages) if plan is None else plan
    for parts in current:
        out.append(tuple(_of_kind(part, messages[part.index], kinds) for part in parts))
    return plan if out == current else out


def _of_kind(part: restructure.Part, message: am.Msg, kinds: dict[str, bool]) -> restructure.Part:
    if (part.role or message.role) != "user":
        return part
    picks: list[int] = []
    for pick in part.picks:
        block: Any = message.content[pick]
        token = token_of(block) or _TOKENS.get(block.__class__)
        if token is None or kinds.setdefault(token, is_token(block)) == is_token(block):
            picks.append(pick)
    return part if len(picks) == len(part.picks) else restructure.Part(part.index, tuple(picks), part.role)
