"""Documents inside a record that has no format itself: for errors that tell where to look."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

from agentmsg.checking.detection import recognize
from agentmsg.errors import AgentMsgError, NotUnderstood
from agentmsg.limits import DEFAULT_LIMITS
from agentmsg.registry import get_codec
from agentmsg.values.pointers import EVERY, opened, step_to
from agentmsg.values.text import parse_json
from agentmsg.values.types import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["with_places"]

# How much is looked at: records; and of each, objects and lists in all, items of each list, levels. The places to tell.
_RECORDS, _LOOKS, _ITEMS, _LEVELS, _TOLD = 10, 100, 3, 8, 3


def with_places(error: NotUnderstood, records: Iterable[bytes]) -> NotUnderstood:
    """Return an error that also tells where documents are inside the first records; the error itself if there are none.

    Args:
        error: of the records.
        records: JSON; anything else has nothing inside.
    """
    found: dict[str, str] = {}
    for record in islice(() if error.is_mixed else records, _RECORDS):
        with suppress(AgentMsgError, RecursionError):
            found = _found_in(parse_json(record, DEFAULT_LIMITS, "last"))
        if found:
            break
    else:
        return error
    words = ", ".join(f"{codec} at {pointer or repr(pointer)}" for pointer, codec in found.items())
    return NotUnderstood(
        f"no format is recognised, but documents stand inside: {words}",
        guesses=error.guesses,
        unknown=error.unknown,
        inside=tuple(found.items()),
    )


def _found_in(record: Any) -> dict[str, str]:
    """Return the formats of documents in a record, by pointer; those nearest to the top come first."""
    found: dict[str, str] = {}
    waiting = deque(_members(record, ""))
    for _ in range(_LOOKS):
        if not waiting or len(found) == _TOLD:
            break
        pointer, value = waiting.popleft()
        if pointer in found:
            continue
        try:
            codec = recognize(value)
        except AgentMsgError:
            if pointer.count("/") < _LEVELS:
                waiting.extend(_members(value, pointer))
            continue
        if not (pointer.endswith(f"/{EVERY}") and _is_message(value, codec)):
            found[pointer] = codec
    return found


def _is_message(value: Any, codec: str) -> bool:
    """Whether a document is one message: in a list, it is part of a conversation that isn't understood as a whole."""
    return any(native is value for native in get_codec(codec).native_messages(value))


def _members(value: Any, pointer: str) -> Iterator[tuple[str, Any]]:
    """Yield the objects and lists in a value, with their pointers: one for all items of a list."""
    if is_object(value):
        members = [(pointer + step_to(key), member) for key, member in value.items()]
    elif is_list(value):
        members = [(f"{pointer}/{EVERY}", item) for item in value[:_ITEMS]]
    else:  # a text may hold JSON, a number nothing
        members = [(pointer, value)]
    for place, member in members:
        held = member
        with suppress(AgentMsgError):
            while isinstance(held, str):
                held = opened(held, DEFAULT_LIMITS)
        if (is_object(held) or is_list(held)) and held:
            yield place, held
