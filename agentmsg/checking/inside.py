"""Documents inside a record that has no format itself: for errors that tell where to look."""

from __future__ import annotations

import re
from collections import deque
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

import attrs

from agentmsg.checking.detection import recognize
from agentmsg.errors import AgentMsgError, NotUnderstood
from agentmsg.limits import DEFAULT_LIMITS
from agentmsg.registry import get_codec
from agentmsg.values.pointers import EVERY, opened, step_to
from agentmsg.values.text import parse_json
from agentmsg.values.types import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# How much is looked at: records; and of each, objects and lists in all, items of each list, levels. The places to tell.
_RECORDS, _LOOKS, _ITEMS, _LEVELS, _TOLD = 10, 100, 3, 8, 3

# Texts, which may be cut, and what divides values.
_TOKEN = re.compile(rb'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)(?:"|\\?\Z)|[\[\]{},]', re.DOTALL)
_ENDS = {b"[": b"]", b"{": b"}"}


@attrs.define
class _Seen:
    """What stands at one place of records.

    Attributes:
        codec: its format.
        is_piece: whether it is, anywhere, only a piece of a conversation: a message or item alone, or an answer without
            what the user said. Such a place gives no documents.
        is_odd: whether something without a format stands there, too.
        roles: of its messages.
    """

    codec: str = ""
    is_odd: bool = False
    is_piece: bool = False
    roles: set[str] = attrs.field(factory=set[str])

    @property
    def has_documents(self) -> bool:
        """Whether the place gives documents."""
        return bool(self.codec) and not self.is_piece

    @property
    def is_conversation(self) -> bool:
        """Whether all that stands at the place is a conversation together."""
        return not self.is_odd and "user" in self.roles and "assistant" in self.roles

    def add(self, value: Any, codec: str) -> None:
        """Take in one more value at the place."""
        self.codec = self.codec or codec
        chosen = get_codec(codec)
        read = chosen.read(chosen.sample(value))
        roles = {message.role for message in read}
        natives = chosen.native_messages(value) if chosen.holds_messages else []
        is_alone = any(native is value for native in natives)
        self.is_piece |= is_alone or (natives is value and "user" not in roles)
        self.roles |= roles


def with_places(error: NotUnderstood, records: Iterable[bytes]) -> NotUnderstood:
    """Return an error that also tells where documents are inside the first records; the error itself if there are none.

    Where there are only pieces of a conversation, it says so if they are a whole one together.

    Args:
        error: of the records.
        records: JSON; anything else has nothing inside.
    """
    seen: dict[str, _Seen] = {}
    for record in islice(() if error.is_mixed else records, _RECORDS):
        with suppress(AgentMsgError, RecursionError):
            _look_into(parse_json(record, DEFAULT_LIMITS, "last"), seen)
        if sum(each.has_documents for each in seen.values()) >= _TOLD:
            break
    found = [(pointer, each.codec) for pointer, each in seen.items() if each.has_documents][:_TOLD]
    whole: list[str] = []
    if len(found) == _TOLD and len({(codec, pointer.count("/")) for pointer, codec in found}) == 1:
        steps = [set(each) for each in zip(*(pointer.split("/") for pointer, _ in found), strict=True)]
        if sum(len(each) > 1 for each in steps) == 1:  # names, or ids
            found = [("/".join(EVERY if len(each) > 1 else min(each) for each in steps), found[0][1])]
    if found:
        words = ", ".join(f"{codec} at {pointer or repr(pointer)}" for pointer, codec in found)
        msg = f"no format is recognised, but documents stand inside: {words}"
    else:
        whole = [pointer for pointer, each in seen.items() if each.is_conversation]
        if not whole:
            return error
        msg = f"no format is recognised, but messages of one conversation stand at {whole[0]}"
    return NotUnderstood(msg, guesses=error.guesses, unknown=error.unknown, inside=found, parts=whole[:1])


def places_in(beginning: bytes) -> list[str]:
    """Return where documents stand in an array or object of which only the beginning is known.

    Returns:
        Pointers; none if there are no documents, or if all of it is one document.
    """
    cut, ends, open_ends = 0, b"", b""
    for found in _TOKEN.finditer(beginning):
        if (token := found[0]) == b",":
            cut, ends = found.start(), open_ends
        elif token in _ENDS:
            open_ends = _ENDS[token] + open_ends
        elif token in b"]}":
            open_ends = open_ends[1:]
    record = beginning[:cut] + ends  # all before a comma is complete
    try:
        recognize(record)
    except NotUnderstood as error:
        inside = with_places(error, [record]).inside
        return [pointer for pointer, _ in inside] or ["/*"] * record.startswith(b"[")
    except AgentMsgError:
        return []
    return []


def _look_into(record: Any, seen: dict[str, _Seen]) -> None:
    """Note what has a format in a record, by pointer; what is nearest to the top comes first."""
    waiting = deque(_members(record, ""))
    for _ in range(_LOOKS):
        if not waiting:
            break
        pointer, value = waiting.popleft()
        try:
            codec = recognize(value)
            seen.setdefault(pointer, _Seen()).add(value, codec)
        except AgentMsgError:
            seen.setdefault(pointer, _Seen()).is_odd = True
            if pointer.count("/") < _LEVELS:
                waiting.extend(_members(value, pointer))


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
