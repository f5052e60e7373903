"""Merging: adjacent messages of one role become one message.

The rules are those of LangChain's ``merge_message_runs`` and Synaptic's, but nothing is dropped, doubled or repaired on
the way: names, ids, clashing metadata, and invalid calls.
"""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, cast

import attrs

from agentmsg.errors import is_a, refused
from agentmsg.model.blocks import TextBlock, ToolUseBlock
from agentmsg.model.equality import same
from agentmsg.model.generated import given
from agentmsg.model.history import as_history
from agentmsg.model.usage import Usage
from agentmsg.values.frozen import adopt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from agentmsg.model.blocks import Block
    from agentmsg.model.history import History, MsgLike
    from agentmsg.model.msg import Msg

MERGED_FROM = "merged_from"
"""The entry of a merged message's metadata that tells what it was made of."""

# A result belongs to its call, a removal to its message, and a native message is kept as it is.
_APART = frozenset({"tool", "remove", "native"})
_COMMON = ("name", "recipient", "model", "provider", "api")
# How many levels down the entries of several messages are joined: extras are grouped by family.
_JOINED = {"metadata": 0, "response_metadata": 0, "extras": 1}
_REST = [field.name for field in attrs.fields(TextBlock) if field.eq and field.name != "text"]
_rest = attrgetter(*_REST)
_NO_REST = _rest(TextBlock(""))


def merge_runs(messages: History | Iterable[MsgLike], separator: str = "\n") -> History:
    r"""Return the history with each run of messages of one role merged into one message.

    Messages of the roles "tool", "remove" and "native" stay as they are. A merged message has

    - the blocks of all, in order. If one message ends with a text (before any calls) and the next begins with one, the
      two texts become one, with the separator between them unless one is empty. A text with more than words (citations,
      a cache hint, a signature, metadata, an id ...) stays a block of its own;
    - the id, time and notes of the first, the finish reason of the last, and the last structured output;
    - name, recipient, model, provider and API if all agree, else none;
    - the sum of all usage, and no embedding, because each belongs to a part of the text;
    - metadata, response metadata and extras of all; if keys clash, the earlier message wins.

    ``metadata["merged_from"]`` lists what the merged message can't hold from each: always ``id``, ``name``,
    ``recipient``, ``model``, ``provider``, ``api``, ``created_at`` (ISO 8601) and ``finish_reason``; and
    ``structured``, ``embedding``, ``metadata``, ``response_metadata``, ``extras`` and ``usage_extras``, each as a
    whole, if they differ. Ids and times that the library made are left out, and so is an entry without content. Earlier
    merges stay in the same list.

    Args:
        messages: a history, or messages.
        separator: between two texts that become one.

    Returns:
        The history itself if it has no such runs.

    Raises:
        InvalidMessage: code "type" if the separator isn't a text.
    """
    if not is_a(separator, str):
        raise refused("separator", separator, "a string")
    history = as_history(messages)
    runs = list(_runs(history))
    if len(runs) == len(history):
        return history
    return history.evolve(messages=[_merged(run, separator) for run in runs])


def _runs(history: History) -> Iterator[list[Msg]]:
    for role, run in groupby(history, key=lambda message: message.role):
        if role in _APART:
            yield from ([message] for message in run)
        else:
            yield list(run)


def _merged(run: Sequence[Msg], separator: str) -> Msg:
    if len(run) == 1:
        return run[0]
    outputs = [message.structured for message in run if message.structured is not None]
    fields: dict[str, Any] = {
        "content": _content(run, separator),
        "structured": outputs[-1] if outputs else None,
        "usage": _total(run),
        "finish_reason": run[-1].finish_reason,
        **dict.fromkeys(("embedding", *_COMMON)),
        **{name: getattr(run[0], name) for name in _COMMON if len({getattr(each, name) for each in run}) == 1},
        **{name: _joined(run, name, depth) for name, depth in _JOINED.items()},
    }
    fields["metadata"].pop(MERGED_FROM, None)
    origins = [entry for message in run for entry in _origins(message, fields)]
    if any(origins):
        fields["metadata"][MERGED_FROM] = origins
        if all(type(value) is str for entry in origins for value in entry.values()):
            # These aren't nested, and everything else was in messages unchanged: no need to check again.
            fields["metadata"] = adopt(fields["metadata"])
    return run[0].evolve(**fields)


# -- content -----------------------------------------------------------------------------------------------------------


def _content(run: Sequence[Msg], separator: str) -> list[Block]:
    """Return all blocks; the texts at a seam are joined at the end, so that a long run takes linear time."""
    pieces: list[tuple[Block, list[str]]] = []
    # The last block that isn't a call, if it is a text that the next message may continue.
    open_text: list[str] | None = None
    for message in run:
        for k, block in enumerate(message.content):
            words = block.text if type(block) is TextBlock and _rest(block) == _NO_REST else None
            if k == 0 and words is not None and open_text is not None:
                open_text.append(words)
                continue
            more: list[str] = []
            if not isinstance(block, ToolUseBlock) or block.kind == "server":
                open_text = None if words is None else more
            pieces.append((block, more))
    return [_longer(block, more, separator) if more else block for block, more in pieces]


def _longer(block: Block, more: Sequence[str], separator: str) -> Block:
    assert isinstance(block, TextBlock)  # noqa: S101 - only to texts there is more
    return block.evolve(text=separator.join(words for words in (block.text, *more) if words))


# -- the other fields --------------------------------------------------------------------------------------------------


def _total(run: Sequence[Msg]) -> Usage | None:
    stated = [message.usage for message in run if message.usage is not None]
    return Usage.joined(stated) if len(stated) > 1 else stated[0] if stated else None


def _joined(run: Sequence[Msg], name: str, depth: int) -> dict[str, Any]:
    joined: dict[str, Any] = {}
    for message in run:
        _add(joined, getattr(message, name), depth)
    return joined


def _add(joined: dict[str, Any], entries: Mapping[str, Any], depth: int) -> None:
    """Add the entries whose keys aren't there yet."""
    for key, value in entries.items():
        if key not in joined:
            joined[key] = {**value} if depth and isinstance(value, dict) else value
        elif depth and isinstance(value, dict) and isinstance(joined[key], dict):
            _add(joined[key], cast("Any", value), depth - 1)


def _says(joined: Mapping[str, Any], entries: Mapping[str, Any], depth: int) -> bool:
    """Whether the joined entries include these."""
    for key, value in entries.items():
        told: Any = joined.get(key)
        is_inside = depth > 0 and isinstance(told, dict) and isinstance(value, dict)
        if key not in joined or not (
            same(told, value) or (is_inside and _says(cast("Any", told), cast("Any", value), depth - 1))
        ):
            return False
    return True


def _origins(message: Msg, merged: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return a message's entries for ``merged_from``: one, or those of its earlier merges."""
    metadata = dict(message.metadata)
    earlier = _listed(metadata.get(MERGED_FROM))
    if earlier:
        del metadata[MERGED_FROM]
    entry = _entry(message, metadata, merged)
    # Leave out what these say; keep what has changed since then.
    more = {key: value for key, value in entry.items() if not any(same(old.get(key), value) for old in earlier)}
    return [*earlier, more] if more or not earlier else [*earlier]


def _listed(value: Any) -> list[Mapping[str, Any]]:
    """Return the entries of an earlier merge; none if an application uses the key for something else."""
    if not isinstance(value, list):
        return []
    entries: list[Any] = [*value]
    return entries if all(isinstance(entry, dict) for entry in entries) else []


def _entry(message: Msg, metadata: Mapping[str, Any], merged: Mapping[str, Any]) -> dict[str, Any]:
    time = given(message.created_at)
    entry: dict[str, Any] = {"id": given(message.id), "created_at": None if time is None else time.isoformat()}
    entry |= {name: getattr(message, name) for name in (*_COMMON, "finish_reason")}
    for name in ("structured", "embedding"):
        value = getattr(message, name)
        if value is not None and not same(value, merged[name]):
            entry[name] = value
    for name, depth in _JOINED.items():
        entries = metadata if name == "metadata" else getattr(message, name)
        if entries and not _says(merged[name], entries, depth):
            entry[name] = entries
    if message.usage is not None and not _says(merged["usage"].extras, message.usage.extras, 0):
        entry["usage_extras"] = message.usage.extras
    return {name: value for name, value in entry.items() if value is not None}
