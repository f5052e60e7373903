"""Issuers: the parts that the client of a provider makes of its answers, and sends back from nowhere else.

A client of Pydantic AI trusts what a part holds for the provider (signatures, ids of items, calls of its own tools)
only if the part's ``provider_name`` is its own. There is one table for each provider; see there for the parts, and for
versions. What a part holds beyond its table (a time, say) are extras of its blocks, in the framework's namespace. What
a block holds beyond its part stays on the block, and the neutral form tells the loss.

Marks: ``/provider`` (see ``ANSWERED``), ``/orders`` (the order of keys in free-form values of parts).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    Native,
    Unreadable,
    adopt,
    envelopes,
    is_marked,
    is_sequence,
    mark_of,
    marked,
    natives,
    note_of,
    with_note,
)
from agentmsg_codecs.pydantic_ai.issuers.anthropic import Anthropic
from agentmsg_codecs.pydantic_ai.issuers.base import Kit, Table
from agentmsg_codecs.pydantic_ai.issuers.chat import EXTRA, FIELDS, Chat
from agentmsg_codecs.pydantic_ai.issuers.converse import Converse
from agentmsg_codecs.pydantic_ai.issuers.gemini import Gemini
from agentmsg_codecs.pydantic_ai.issuers.responses import Responses
from agentmsg_codecs.pydantic_ai.names import DETAILS, FAMILY, NAME, PROVIDERS, UNSIGNED
from agentmsg_codecs.pydantic_ai.values import read_answered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmsg_codecs.pydantic_ai.messages import Messages


_TABLES: dict[str, Table] = {
    "anthropic": Anthropic(), "openai responses": Responses(), "openai chat": Chat(), "google": Gemini(),
    "bedrock": Converse(),
}  # fmt: skip
# The provider that a namespace of extras or notes tells.
_SPACES = {
    "anthropic": "anthropic", "openai": "openai", "openai-responses": "openai", "gemini": "google",
    "bedrock": "bedrock",
}  # fmt: skip
# The provider that the last word of a citation's kind tells.
_CITING = {"location": "anthropic", "citation": "openai"}
_ITEM = re.compile("(?:msg|rs|fc|ws|fs|ci|ig|mcp|mcpl|tsc|tso|cmp)_")
# The order of keys of free-form values in parts, which the provider's blocks have in an order of their own.
_ORDERS = "/orders"
# A result of a version before outcomes.
_NO_OUTCOME = "/no-outcome"


class Issuers(envelopes.Envelope):
    """Answers of known providers, in the parts of their clients.

    Args:
        engine: reads and writes parts in the neutral form.
    """

    family: ClassVar[str] = FAMILY

    def __init__(self, engine: Messages) -> None:
        self._engine = engine

    def renewed(self, message: am.Msg) -> am.Msg:
        """Return a message whose extras name the provider as today's reader has it."""
        word = natives.extras_of(message, FAMILY).get(NAME)
        if message.provider is not None or type(word) is not str:
            return message
        extras = natives.without(message.extras, (FAMILY, NAME))
        found = read_answered({NAME: word, "provider_response_id": message.id})
        new = message.evolve(provider=found["provider"], api=found.get("api"), extras=extras)
        return marked(new, FAMILY, provider=word) if "notes" in found else new

    def wrap(self, message: am.Msg) -> am.Msg:
        """Return a message whose special blocks are what the provider's client makes of them."""
        name = message.provider or _told_by(message.content)
        table = _TABLES.get(_key(name, message))
        if table is None or not any(map(table.is_special, message.content)):
            return message
        self._engine.fill()
        word: Any = mark_of(message, FAMILY, "/provider") or name
        kit, content = Kit(word, table.codec, self._engine, message), list[Any]()
        for unit in table.units(message.content):
            content += (_into(unit, table, kit) if any(map(table.is_special, unit)) else None) or unit
        return message.evolve(content=content)

    def unwrap(self, message: am.Msg) -> am.Msg:
        """Return a message whose parts of a provider are its blocks."""
        word = next(filter(None, map(name_of, message.content)), None)
        table = None if word is None else _TABLES.get(_key(PROVIDERS.get(word, word), message))
        if word is None or table is None:
            return message
        self._engine.fill()
        kits, content = [Kit(word, table.codec, self._engine, message) for _ in range(2)], list[Any]()
        for unit in table.units(message.content):
            is_own = any(name_of(block) == word for block in unit)
            content += (_back(unit, table, *kits) if is_own else None) or unit
        return message.evolve(content=content)


def name_of(block: Any) -> str | None:
    """Return the provider that a part names, by its block."""
    kind: Any = block.__class__
    is_thinking = kind is am.ThinkingBlock
    word: Any = natives.extras_of(block, FAMILY).get(NAME, "anthropic" if is_thinking else None)
    if is_thinking and block.redacted is None:
        signed = block.signature
        word = natives.extras_of(block, UNSIGNED).get(NAME) if signed is None else signed.provider
    elif kind in (am.ToolUseBlock, am.ToolResultBlock) and block.provider is not None:
        return str(block.provider)
    return word if type(word) is str else None


def _told_by(blocks: Sequence[Any]) -> str | None:
    """Return the provider that blocks tell; None if they don't."""
    for block in blocks:
        if type(block) is am.TextBlock and not (block.extras or block.notes or block.signature or block.citations):
            continue
        if _is_of_chat(block):
            return "openai"
        if block.signature is not None and block.signature.provider is not None:
            return str(block.signature.provider)
        if type(block) is am.CompactionBlock and block.text and block.encrypted is None:
            return "anthropic"
        own = getattr(block, "provider", None) or _SPACES.get(getattr(block, "codec", ""))
        spaces = (_SPACES[space] for held in (block.extras, block.notes) for space in held or () if space in _SPACES)
        found = own or next(spaces, None)
        if found is not None:
            return str(found)
        if _ITEM.match(getattr(block, "item_id", None) or "") or getattr(block, "namespace", None):
            return "openai"
        for citation in getattr(block, "citations", ()):
            found = _CITING.get((citation.kind or "").rpartition("_")[2])
            if found is not None:
                return found
    return None


def _key(name: str | None, message: am.Msg) -> str:
    """Return the name of the table for a provider's answer."""
    if name != "openai":
        return name or ""
    return f"openai {message.api or ('chat' if any(map(_is_of_chat, message.content)) else 'responses')}"


def _is_of_chat(block: Any) -> bool:
    """Whether a block is reasoning or signed in Chat Completions, as its reader's mark or its part tells."""
    if type(block) is am.ThinkingBlock:
        return block.item_id in FIELDS or mark_of(block, "openai", "/place") is not None
    if block.signature is not None and mark_of(block, "openai", "/signed") is not None:
        return True
    return type(block) is am.ToolUseBlock and EXTRA in natives.extras_of(block, DETAILS)


def _into(unit: Sequence[Any], table: Table, kit: Kit) -> list[Any] | None:
    """Return blocks as those of the client's parts; None if it has none that hold all but extras."""
    try:
        parts = table.into([_own(block, table.codec) for block in unit], kit)
        again = table.back(parts, kit)
        noted = mark_of(unit[-1], FAMILY, _ORDERS)
        if is_sequence(noted):
            parts = [envelopes.reordered(part, orders) for part, orders in zip(parts, noted, strict=False)]
        return list(map(_unsaid, _carried(unit, [kit.block(part) for part in parts], again)))
    except envelopes.UNFIT:
        return None


def _back(unit: Sequence[Any], table: Table, kit: Kit, other: Kit) -> list[Any] | None:
    """Return blocks of parts as the provider's; None if the parts aren't in the client's form."""
    try:
        parts = [kit.native(block) for block in unit]
        found = list(table.back(parts, kit))
        if not any(map(table.is_special, found)):
            return None  # nothing of them would tell whose part it was
        again = table.into(found, other)
        orders = [
            [order for order in envelopes.orders_of(part, new) if order[0]]
            for part, new in zip(parts, again, strict=True)
        ]
        again = [other.block(envelopes.reordered(part, order)) for part, order in zip(again, orders, strict=True)]
        found = _carried(list(map(_with_outcome, unit)), found, again)
        if any(orders):
            found[-1] = marked(found[-1], FAMILY, orders=orders)
        return found
    except envelopes.UNFIT:
        return None


def _with_outcome(block: Any) -> Any:
    """Return a result that says that it succeeded: versions of the library before outcomes left that unsaid."""
    if type(block) is not am.ToolResultBlock or block.status is not None:
        return block
    return marked(block.evolve(status="success"), FAMILY, **{_NO_OUTCOME[1:]: True})


def _unsaid(block: Any) -> Any:
    """Return a result as it was before ``_with_outcome``; with an outcome if it has another one now."""
    if not block.notes or not is_marked(block, FAMILY, _NO_OUTCOME):
        return block
    note = {key: value for key, value in note_of(block, FAMILY).items() if key != _NO_OUTCOME}
    return with_note(block.evolve(status=None if block.status == "success" else block.status), FAMILY, note)


def _own(block: Any, family: str) -> Any:
    """Return a block with extras of its provider only."""
    kept = {space: held for space, held in block.extras.items() if space.partition(".")[0] == family}
    return block if len(kept) == len(block.extras) else block.evolve(extras=kept)


def _carried(unit: Sequence[Any], found: list[Any], again: Sequence[Any]) -> list[Any]:
    """Return new blocks with the extras that don't come back from them, and with the spelling of their parts."""
    left = [_rest(block, new) for block, new in zip(unit, again, strict=True)]
    if len(unit) == len(found):
        return [_with(new, *each) for new, *each in zip(found, left, unit, strict=True)]
    if len(unit) > 1 and any(left[:-1]):
        raise Unreadable
    return [*found[:-1], _with(found[-1], left[-1], unit[-1])]


def _rest(block: Any, new: Any) -> Native:
    """Return the extras of a block that it lacks when it comes back; all else must be the same."""
    if not block.extras and not new.extras:
        left: Native | None = {}
    else:
        left = natives.beyond(thaw(block.extras), thaw(new.extras))
    if left is None or not am.same(new.evolve(extras=block.extras), block):
        raise Unreadable
    return left


def _with(new: Any, left: Native, block: Any) -> Any:
    if left:
        new = new.evolve(extras=natives.merged(thaw(new.extras), left))
    note = {key: value for key, value in note_of(block, FAMILY).items() if key != _ORDERS} if block.notes else None
    return new.evolve(notes=adopt({**new.notes, FAMILY: note})) if note else new
