"""Issuers: what the clients of AgentScope for Python (agentscope 2.0.11) keep of an answer, and send back.

| answer | blocks |
| --- | --- |
| Anthropic: thinking; redacted | thinking: signature; redacted_thinking_data (the neutral form) |
| OpenAI Responses: reasoning | thinking for each summary and each raw text, or one "": reasoning_item_id; \
reasoning_item_raw is the item |
| Gemini: a call with a signature | the id is "gemini_ts:" and the signature; results name it |
| tools that a provider runs, compactions, citations, other signatures and ids | nothing |

Messages of 1.x are written in the same way: a document may mix versions, and 1.x takes no notice of these keys.

The ids that signatures replace stand in the message's metadata, by signature: the library keeps no unknown fields of
calls, where earlier versions of this codec had them. What blocks of reasoning have besides (ids, times) is a list among
the unknown fields of the thinking.
"""

from __future__ import annotations

from base64 import b64decode
from operator import is_
from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    Unreadable,
    adopt,
    envelopes,
    is_mapping,
    is_marked,
    is_sequence,
    mark_of,
    marked,
    natives,
    note_of,
    with_note,
)
from agentmsg_codecs.agentscope.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


_RESPONSES = "openai-responses"
_SIGNED, _CALL_ID, _CALL_IDS = "gemini_ts:", "call_id", "gemini_call_ids"
_ITEM_ID, _RAW = "reasoning_item_id", "reasoning_item_raw"
# What blocks have besides: anything, or only what a loader adds, which a key of such a name tells.
_BLOCKS, _MADE, _LOADED = "blocks", "block_ids", frozenset({"id", "created_at", "finished_at"})
_NOTES, _ORDERS, _NEUTRAL, _BESIDE = "/notes", "/orders", "/neutral", "/beside"


class Issuers(envelopes.Envelope):
    """Reasoning of Responses, and signed calls of Gemini."""

    family: ClassVar[str] = FAMILY

    def wrap(self, message: am.Msg) -> am.Msg:
        """Return a message with the blocks that the provider's client makes."""
        if not any(map(_is_special, message.content)) or is_marked(message, FAMILY, _NEUTRAL):
            return message
        content: list[Any] = []
        ids: dict[str, str] = {}
        for block in message.content:
            if type(block) is am.ThinkingBlock and _is_special(block):
                content += _tried(_into, block)
            elif _is_special(block) and message.provider in (None, "google"):
                content.append(_signed(block, ids))
            else:  # a model of Google's may have answered through another API, whose client keeps the id
                content.append(block)
        metadata = {**message.metadata, _CALL_IDS: ids} if ids else message.metadata
        return message.evolve(content=content, metadata=metadata)

    def unwrap(self, message: am.Msg) -> am.Msg:
        """Return a message with reasoning for each of its items, and with the signatures of calls."""
        content: list[Any] = []
        unit: list[Any] = []
        ids = message.metadata.get(_CALL_IDS) if message.metadata else None
        for block in (*message.content, None):
            name = _item_of(block)
            if unit and (name is None or name != _item_of(unit[0])):
                content += _tried(_back, *unit)
                unit = []
            if name is not None:
                unit.append(block)
            elif block is not None:
                content.append(_unsigned(block, ids if is_mapping(ids) else {}))
        is_same = len(content) == len(message.content) and all(map(is_, content, message.content))
        if is_same:
            return message
        metadata = {key: value for key, value in message.metadata.items() if key != _CALL_IDS}
        return message.evolve(content=content, metadata=metadata)

    def wrapped(self, history: am.History) -> am.History:
        """Return a history to write: results name the calls by their new ids."""
        new = super().wrapped(history)
        found = _relinked(new, history)
        return found if found is new or am.same(self._taken_out(found), history) else history

    def unwrapped(self, history: am.History) -> am.History:
        """Return a history that was read; what isn't as the client would write it is marked and stays."""
        new = self._taken_out(history)
        again = self.wrapped(new)
        if all(map(_is_written_so, again.messages, new.messages, history.messages)):
            return new
        messages = [
            marked(old, FAMILY, neutral=True) if old.role in self.roles and any(map(_is_special, old.content)) else old
            for old in history.messages
        ]
        return history.evolve(messages=messages)

    def agreeing(self, messages: list[am.Msg], inside: am.History) -> list[am.Msg]:
        """Return messages whose results name the calls by the ids that these have again."""
        return list(_relinked(inside.evolve(messages=messages), inside).messages)

    def _taken_out(self, history: am.History) -> am.History:
        return _relinked(super().unwrapped(history), history)


def _is_written_so(again: am.Msg, new: am.Msg, old: am.Msg) -> bool:
    """Whether a message is written as it was read: in the client's form again, or marked to stay."""
    return envelopes.is_just_as(again, old) or (again is new and am.same(again, old))


def _tried(change: Callable[..., list[Any]], *unit: Any) -> Sequence[Any]:
    try:
        return change(*unit)
    except envelopes.UNFIT:
        return unit


def _is_special(block: Any) -> bool:
    """Whether the client keeps a block in another way than the neutral form."""
    if type(block) is am.ThinkingBlock:
        # Blocks of AgentScope have ids of their own, and Chat Completions has encrypted reasoning with such ids, too.
        signed, link = block.signature, block.item_id
        if mark_of(block, "openai", "/place") is not None:
            return False
        is_own = signed.provider == "openai" if signed is not None else _RESPONSES in (block.notes or ())
        return link is not None and (is_own or link.startswith("rs_"))
    signed = block.signature if type(block) is am.ToolUseBlock else None
    if signed is None or mark_of(block, "openai", "/signed") is not None:
        return False  # in Chat Completions a signature stands beside the id
    return signed.provider == "google" and _is_base64(signed.value)


def _is_base64(value: str) -> bool:
    """Whether a text is base64 in the standard alphabet, padded: the client decodes nothing else."""
    try:
        b64decode(value, validate=True)
    except ValueError:
        return False
    return True


# -- reasoning --------------------------------------------------------------------------------------------------------


def _into(block: Any) -> list[Any]:
    """Return the blocks of an item of reasoning."""
    own = {space: held for space, held in block.extras.items() if space != FAMILY}
    (item,) = am.get_codec(_RESPONSES).write_parts([block.evolve(extras=own)])
    item = envelopes.reordered(item, mark_of(block, FAMILY, _ORDERS))
    texts = [each["text"] for key in ("summary", "content") for each in item.get(key) or () if each.get("text")] or [""]
    extras = {_ITEM_ID: item["id"], _RAW: item}
    nothing: list[dict[str, Any]] = [{}] * len(texts)
    held: Any = natives.extras_of(block, FAMILY)
    rest: Any = thaw(held.get(_BLOCKS) or held.get(_MADE)) or nothing
    notes: Any = mark_of(block, FAMILY, _NOTES)
    found: list[Any] = []
    for index, (text, more) in enumerate(zip(texts, rest, strict=True)):
        beside = {key: value for key, value in more.items() if key != "id"}
        note = notes[index] if is_sequence(notes) and index < len(notes) else None
        whole = adopt({FAMILY: {**beside, **extras}})
        found.append(
            am.ThinkingBlock(text, item_id=more.get("id"), extras=whole, notes=adopt({FAMILY: note} if note else {}))
        )
    return found


def _item_of(block: Any) -> str | None:
    """Return the id of the item that a block of reasoning was made of."""
    if type(block) is not am.ThinkingBlock or not block.extras:
        return None
    held = natives.extras_of(block, FAMILY)
    raw = held.get(_RAW)
    name = held.get(_ITEM_ID) if is_mapping(raw) else None
    return name if type(name) is str else None


def _back(*unit: Any) -> list[Any]:
    """Return the reasoning of the blocks of an item."""
    raw: Any = thaw(natives.extras_of(unit[0], FAMILY)[_RAW])
    codec = am.get_codec(_RESPONSES)
    (found,) = codec.read_parts([raw])
    rest = [_rest(block) for block in unit]
    if any(rest):
        key = _MADE if all(each.keys() <= _LOADED for each in rest) else _BLOCKS
        found = found.evolve(extras=adopt({**found.extras, FAMILY: {key: rest}}))
    notes = [thaw(note_of(block, FAMILY)) for block in unit]
    if any(notes):
        found = marked(found, FAMILY, **{_NOTES[1:]: notes})
    if type(found) is not am.ThinkingBlock:
        raise Unreadable
    (item,) = codec.write_parts(
        [found.evolve(extras={key: held for key, held in found.extras.items() if key != FAMILY})]
    )
    orders = envelopes.orders_of(raw, item)
    return [marked(found, FAMILY, **{_ORDERS[1:]: orders}) if orders else found]


def _rest(block: Any) -> dict[str, Any]:
    """Return what a block says besides its text and its item."""
    own: Any = thaw(natives.extras_of(block, FAMILY))
    rest = {key: value for key, value in own.items() if key not in (_ITEM_ID, _RAW)}
    return {**rest, "id": block.item_id} if block.item_id is not None else rest


# -- calls ------------------------------------------------------------------------------------------------------------


def _signed(block: Any, ids: dict[str, str]) -> Any:
    """Return a call whose id is its signature; the id that it had joins the others, or stands where it was read."""
    link = f"{_SIGNED}{block.signature.value}"
    own = natives.extras_copy(block, FAMILY)
    if block.id is not None and block.id != link:
        if is_marked(block, FAMILY, _BESIDE):
            own[_CALL_ID] = block.id
            note = note_of(block, FAMILY)
            block = with_note(block, FAMILY, {key: note[key] for key in note if key != _BESIDE})
        else:
            ids[link] = block.id
    extras = {**block.extras, FAMILY: own} if own else block.extras
    return block.evolve(id=link, signature=None, extras=adopt(dict(extras)))


def _unsigned(block: Any, ids: Mapping[str, Any]) -> Any:
    """Return a call with its signature and the id that it had."""
    if type(block) is not am.ToolUseBlock or block.id is None or not block.id.startswith(_SIGNED):
        return block
    own = natives.extras_copy(block, FAMILY)
    is_beside = _CALL_ID in own
    link = own.pop(_CALL_ID, None) if is_beside else ids.get(block.id, block.id)
    extras = {space: held for space, held in block.extras.items() if space != FAMILY}
    if own:
        extras[FAMILY] = adopt(own)
    found = block.evolve(id=link, signature=am.Signature("google", block.id.removeprefix(_SIGNED)), extras=extras)
    return marked(found, FAMILY, **{_BESIDE[1:]: True}) if is_beside else found


def _relinked(new: am.History, old: am.History) -> am.History:
    """Return a history whose results name calls by their new ids, and no longer by those of another history."""
    if new is old:
        return new
    links: dict[Any, Any] = {}
    messages: list[am.Msg] = []

    def relinked(block: Any) -> Any:
        if (
            type(block) is not am.ToolResultBlock
            or links.get(block.tool_call_id, block.tool_call_id) == block.tool_call_id
        ):
            return block
        return block.evolve(tool_call_id=links[block.tool_call_id])

    for message, before in zip(new.messages, old.messages, strict=True):
        # A later call may have the same id, and no signature.
        calls = ([block.id for block in each.content if type(block) is am.ToolUseBlock] for each in (before, message))
        links.update(zip(*calls, strict=True))
        messages.append(natives.with_each(message, relinked))
    return new.evolve(messages=messages)
