"""Media columns hold, in order, the addresses for tokens in user texts: ``<image>``, ``<video>``, ``<audio>``.

A column is a list of addresses, or the address for a single token (``image``; the mark ``/single`` names the tokens).
If it holds anything else, or another number of addresses, the tokens stay native blocks, and the column is kept
unchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import is_list, is_mapping, is_sequence, maker, mark_of, media, restructure, spelling
from agentmsg_codecs.sharegpt.names import FAMILY, MEDIA

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_make_url = maker(am.URLSource)
_MAKERS = {cls: maker(cls, "source") for cls, _ in MEDIA.values()}
_TOKENS: Mapping[Any, str] = {cls: token for token, (cls, _) in MEDIA.items()}


def _source(entry: str) -> Any:
    return media.read_data_url(entry) or _make_url(url=entry)


def token_of(block: Any) -> str | None:
    """Return the token of a native block that waits for its medium; None for any other block."""
    if type(block) is not am.NativeBlock or block.codec != FAMILY or not is_mapping(block.value):
        return None
    token: Any = block.value.get("type")
    return token if len(block.value) == 1 and isinstance(token, str) and token in MEDIA else None


def _user_blocks(messages: Sequence[am.Msg]) -> Iterator[Any]:
    return (block for message in messages if message.role == "user" for block in message.content)


def _found(messages: Sequence[am.Msg], token: str, row: Mapping[str, Any]) -> tuple[str, list[Any]] | None:
    """Return the column for a token, and its sources; None if there isn't one for each token."""
    count = sum(token_of(block) == token for block in _user_blocks(messages))
    for number, column in enumerate(MEDIA[token][1]):
        entries: Any = [row.get(column)] if number else thaw(row.get(column))
        if not count or not is_list(entries) or len(entries) != count:
            continue
        if all(type(entry) is str and entry for entry in entries):
            sources = list(map(_source, entries))
            return (column, sources) if list(map(media.write_url, sources)) == entries else None
    return None


def placed(messages: list[am.Msg], row: dict[str, Any]) -> tuple[list[am.Msg], dict[str, Any]]:
    """Replace the tokens in messages that were read by the media of columns, and remove these columns.

    Also return the marks of the history.
    """
    single: list[str] = []
    for token, (cls, columns) in MEDIA.items():
        found = _found(messages, token, row) if not row.keys().isdisjoint(columns) else None
        if found is None:
            continue
        del row[found[0]]
        single += [token] if found[0] != columns[0] else []
        waiting, make = iter(found[1]), _MAKERS[cls]
        messages = [
            message if message.role != "user" or not any(map(token_of, message.content)) else
            spelling.changed(message, {"content": tuple([
                make(next(waiting)) if token_of(block) == token else block for block in message.content
            ])})
            for message in messages
        ]  # fmt: skip
    return messages, {"/single": single} if single else {}


def text_of(block: Any) -> str:
    """Return the text for a block in a user's turn."""
    return block.text if type(block) is am.TextBlock else _TOKENS.get(type(block)) or token_of(block) or ""


def columns_of(history: am.History) -> dict[str, Any]:
    """Return the columns of media in a history."""
    found: dict[str, list[str]] = {}
    for block in _user_blocks(history.messages):
        token = _TOKENS.get(type(block))
        if token is not None:
            found.setdefault(token, []).append(media.write_url(block.source))
    columns = {_column(history, token, len(entries)): entries for token, entries in found.items()}
    return {column: entries if column.endswith("s") else entries[0] for column, entries in columns.items()}


def _column(history: am.History, token: str, count: int) -> str:
    """Return the column for a number of media of a kind."""
    single: Any = mark_of(history, FAMILY, "/single") if history.notes else None
    return MEDIA[token][1][count == 1 and is_sequence(single) and token in single]


def taken(history: am.History, own: Mapping[str, Any]) -> set[str]:
    """Return the columns that the extras of a history must not use: they would be read as those of its media."""
    columns: set[str] = set()
    for token, (cls, names) in MEDIA.items():
        count = sum(type(block) is cls for block in _user_blocks(history.messages))
        if count:
            columns.add(_column(history, token, count))
            listed: Any = own.get(names[0])
            columns |= {names[0]} if is_list(listed) and len(listed) == count else set()
        elif not own.keys().isdisjoint(names) and _found(history.messages, token, own) is not None:
            columns.update(names)
    return columns


def one_kind(plan: restructure.Plan | None, messages: Sequence[am.Msg]) -> restructure.Plan | None:
    """Of each kind, leave out the media after a token without medium, and the tokens after media.

    A column has an address for each token, or isn't read.
    """
    # Any message may be a user's by now.
    if not any(type(block) is am.NativeBlock and token_of(block) for message in messages for block in message.content):
        return plan
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
        block = message.content[pick]
        own = token_of(block)
        token = own or _TOKENS.get(type(block))
        if token is None or kinds.setdefault(token, own is not None) == (own is not None):
            picks.append(pick)
    return part if len(picks) == len(part.picks) else restructure.Part(part.index, tuple(picks), part.role)
