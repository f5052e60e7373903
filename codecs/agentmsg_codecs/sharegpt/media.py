"""Media columns hold, in order, the addresses for tokens in user texts: ``<image>``, ``<video>``, ``<audio>``.

A column is a list of addresses, or the address for a single token: ``images`` and ``image`` may be either. Marks of the
history name the tokens whose column isn't a list under ``images``: ``/single`` (an address under ``image``),
``/listed`` (a list there), ``/alone`` (an address under ``images``). If a column holds anything else, or another number
of addresses, the tokens stay native blocks, and the column is kept unchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import is_list, is_mapping, is_sequence, maker, mark_of, media, restructure, speed, spelling
from agentmsg.formats.bodies import sources_at
from agentmsg_codecs.sharegpt.names import FAMILY, MEDIA

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_MAKERS = {cls: maker(cls, "source") for cls, _ in MEDIA.values()}
# The number of a kind's column, and whether it is a list; and the marks for what isn't written by default.
_USUAL = (0, True)
_MARKS: Mapping[tuple[int, bool], str] = {(1, False): "/single", (1, True): "/listed", (0, False): "/alone"}
_TOKENS: Mapping[Any, str] = {cls: token for token, (cls, _) in MEDIA.items()}


def token_of(block: Any) -> str | None:
    """Return the token of a native block that waits for its medium; None for any other block."""
    if block.__class__ is not am.NativeBlock or block.codec != FAMILY or not is_mapping(block.value):
        return None
    token: Any = block.value.get("type")
    return token if len(block.value) == 1 and isinstance(token, str) and token in MEDIA else None


def _asked(messages: Sequence[am.Msg]) -> Iterator[Any]:
    # A text alone has neither media nor tokens.
    users = [message for message in messages if message.role == "user" and speed.how_bare(message) != speed.SAID]
    return (block for message in users for block in message.content)


def _sources(value: Any, count: int) -> list[Any] | None:
    """Return the sources in a column; None if it doesn't hold one for each token."""
    entries: Any = thaw(value) if is_sequence(value) else [value]
    return sources_at(entries) if len(entries) == count else None


def _found(messages: Sequence[am.Msg], token: str, row: Mapping[str, Any]) -> tuple[str, list[Any]] | None:
    """Return the column for a token, and its sources; None if there isn't one for each token."""
    count = sum(token_of(block) == token for block in _asked(messages))
    for column in MEDIA[token][1] if count else ():
        sources = _sources(row.get(column), count)
        if sources is not None:
            return column, sources
    return None


def placed(messages: list[am.Msg], row: dict[str, Any]) -> tuple[list[am.Msg], dict[str, Any]]:
    """Replace the tokens in messages that were read by the media of columns, and remove these columns.

    Also return the marks of the history.
    """
    marks: dict[str, Any] = {}
    for token, (cls, columns) in MEDIA.items():
        found = _found(messages, token, row) if not row.keys().isdisjoint(columns) else None
        if found is None:
            continue
        how = (columns.index(found[0]), is_list(row.pop(found[0])))
        if how != _USUAL:
            marks.setdefault(_MARKS[how], []).append(token)
        waiting, make = iter(found[1]), _MAKERS[cls]
        messages = [
            message if message.role != "user" or not any(map(token_of, message.content)) else
            spelling.changed(message, {"content": tuple([
                make(next(waiting)) if token_of(block) == token else block for block in message.content
            ])})
            for message in messages
        ]  # fmt: skip
    return messages, marks


def said(block: Any) -> str:
    """Return the text for a block in a user's turn."""
    return block.text if type(block) is am.TextBlock else _TOKENS.get(type(block)) or token_of(block) or ""


def columns_of(history: am.History) -> dict[str, Any]:
    """Return the columns of media in a history."""
    found: dict[str, list[str]] = {}
    for block in _asked(history.messages):
        token = _TOKENS.get(type(block))
        if token is not None:
            found.setdefault(token, []).append(media.write_url(block.source))
    columns: dict[str, Any] = {}
    for token, entries in found.items():
        number, is_listed = _how(history, token, len(entries))
        columns[MEDIA[token][1][number]] = entries if is_listed else entries[0]
    return columns


def _how(history: am.History, token: str, count: int) -> tuple[int, bool]:
    """Return the number of the column for some media of a kind, and whether it is a list."""
    for how, mark in _MARKS.items() if history.notes else ():
        tokens: Any = mark_of(history, FAMILY, mark)
        if is_sequence(tokens) and token in tokens and (how[1] or count == 1):
            return how
    return _USUAL


def one_kind(plan: restructure.Plan | None, messages: Sequence[am.Msg]) -> restructure.Plan | None:
    """Of each kind, leave out the media after a token without medium, and the tokens after media.

    A column has an address for each token, or isn't read.
    """
    # Any other message may be a user's by now.
    others = (message.content for message in messages if message.role != "assistant")
    found = [block for content in others for block in content if block.__class__ is am.NativeBlock]
    if not any(map(token_of, found)):
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
