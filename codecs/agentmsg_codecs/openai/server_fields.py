"""Fields of compatible servers beside the content of a message, a part or a call.

``cache_control`` of a message or a call is a cache hint: for the last block of the message that may have one, or for
the call. With ``extra_content: {"google": {"thought_signature": ...}}`` Google's endpoint signs a call or a response:
it is the signature of the call, of the part, or of the last text of the message, marked ``/signed``. If a block says
the same as its message, both are written; if they differ, the message is kept unchanged.
https://ai.google.dev/gemini-api/docs/thought-signatures
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import (
    Native,
    Unreadable,
    is_mapping,
    is_object,
    mark_of,
    marked,
    natives,
    note_of,
    same_document,
    speed,
)
from agentmsg_codecs.openai.hints import (
    CACHE_KEYS,
    CONTROL,
    is_message_hint,
    read_control,
    stands_beside,
    write_control,
)
from agentmsg_codecs.openai.marks import is_field_audio
from agentmsg_codecs.openai.names import FAMILY
from agentmsg_codecs.openai.reasoning import place_of
from agentmsg_codecs.openai.thinking_parts import is_thinking_part

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


SIGNED_KEY = "extra_content"
_SIGNER, _SIGNATURE = "google", "thought_signature"


# -- signatures of parts and calls ------------------------------------------------------------------------------------


def read_signature(native: Native) -> dict[str, Any]:
    """Return the signature of a part or call; what isn't one is an extra."""
    signature = _signature_of(native[SIGNED_KEY])
    return {"odd": (SIGNED_KEY,)} if signature is None else {"signature": signature, "notes": {"/signed": "own"}}


def write_signature(block: Any) -> Native:
    """Return the key of a signature."""
    return {SIGNED_KEY: {_SIGNER: {_SIGNATURE: block.signature.value}}}


# -- what stands beside the content of a message ----------------------------------------------------------------------


class Attached:
    """What is said beside the content of a message.

    Args:
        native: the message.

    Attributes:
        rest: the message without.
        hint: the cache hint.
        signature: of the provider.
    """

    def __init__(self, native: Native) -> None:
        self.hint = _hint_of(native[CONTROL]) if CONTROL in native else None
        self.signature = _signature_of(native[SIGNED_KEY]) if SIGNED_KEY in native else None
        self.rest = native
        if self.hint is not None or self.signature is not None:
            out = {key for key, value in ((CONTROL, self.hint), (SIGNED_KEY, self.signature)) if value is not None}
            self.rest = {key: value for key, value in native.items() if key not in out}

    def __bool__(self) -> bool:
        """Whether there is anything."""
        return self.hint is not None or self.signature is not None

    def on_message(self, message: am.Msg, native: Native) -> tuple[am.Msg, Native]:
        """Return the message with what has a block to stand on, and what of the native one says the rest."""
        content, left = list(message.content), dict(self.rest)
        hint = self.hint
        seat = None if hint is None else _last(content, _may_hint)
        if hint is not None and seat is not None:
            content[seat] = content[seat].evolve(cache=_hint_on(content[seat], hint, native))
        elif hint is not None:
            left[CONTROL] = native[CONTROL]
        seat = None if self.signature is None else _last(content, _is_text)
        if seat is not None and message.role == "assistant":
            content[seat] = self._signed(content[seat])
        elif self.signature is not None:
            left[SIGNED_KEY] = native[SIGNED_KEY]
        return message.evolve(content=tuple(content)), left

    def _signed(self, block: Any) -> Any:
        """Return the text that the message's signature stands on; it may have the very same itself."""
        if block.signature is None and not natives.has_extra(block, FAMILY, SIGNED_KEY):
            return marked(block.evolve(signature=self.signature), FAMILY, signed="message")
        if block.signature is None or not am.same(block.signature, self.signature):
            raise Unreadable("two signatures of one text")
        return marked(block, FAMILY, signed="both")


def _hint_on(block: Any, hint: am.CacheHint, native: Native) -> Any:
    """Return the hint of the block that the message's stands on; the block may say the very same itself."""
    if block.cache is None and not _says_of_hints(block):
        return marked(hint, FAMILY, at="message")
    if block.cache is None or not same_document(write_control(block.cache), native[CONTROL]):
        raise Unreadable("two hints for one block")
    return marked(block.cache, FAMILY, beside=True)


def _hint_of(value: Any) -> am.CacheHint | None:
    try:
        hint: am.CacheHint = read_control(value)
    except (Unreadable, AgentMsgError):
        return None
    return hint


def _signature_of(value: Any) -> am.Signature | None:
    inner: Any = value.get(_SIGNER) if is_object(value) and len(value) == 1 else None
    text = inner.get(_SIGNATURE) if is_object(inner) and len(inner) == 1 else None
    return am.Signature(_SIGNER, text) if type(text) is str else None


def _says_of_hints(block: Any) -> bool:
    """Whether a block without a hint has its key, as an extra or as null."""
    own = {*natives.extras_of(block, FAMILY), *note_of(block, FAMILY)}
    return not own.isdisjoint(CACHE_KEYS)


def _last(content: Sequence[Any], may: Callable[[Any], bool]) -> int | None:
    for index in range(len(content) - 1, -1, -1):  # a loop: it is asked for each message
        if may(content[index]):
            return index
    return None


def _is_text(block: Any) -> bool:
    return block.__class__ is am.TextBlock


_HINTED = (
    am.TextBlock,
    am.ImageBlock,
    am.AudioBlock,
    am.VideoBlock,
    am.FileBlock,
    am.RefusalBlock,
    am.ToolUseBlock,
    am.ToolResultBlock,
)


def _may_hint(block: Any) -> bool:
    return isinstance(block, _HINTED) and not is_field_audio(block)


# -- writing ----------------------------------------------------------------------------------------------------------


def _without_mark(block: Any) -> Any:
    rest = {key: value for key, value in note_of(block, FAMILY).items() if key != "/signed"}
    notes = {key: value for key, value in block.notes.items() if key != FAMILY}
    return block.evolve(signature=None, notes={**notes, FAMILY: rest} if rest else notes)


def _is_signed_beside(block: Any) -> bool:
    is_signed = block.signature is not None and bool(block.notes)
    return is_signed and mark_of(block, FAMILY, "/signed") in ("message", "both")


def detached(message: am.Msg) -> tuple[am.Msg, Native]:
    """Return a message that fits without what stands beside its content, and that."""
    content: Any = message.content
    more: Native = {}
    seat = _last(content, _may_hint)
    if seat is not None and stands_beside(content[seat].cache):
        more[CONTROL] = write_control(content[seat].cache)
        if is_message_hint(content[seat].cache):
            content = (*content[:seat], content[seat].evolve(cache=None), *content[seat + 1 :])
    seat = _last(content, _is_text) if message.role == "assistant" else None
    if seat is not None and _is_signed_beside(content[seat]):
        more |= write_signature(content[seat])
        if mark_of(content[seat], FAMILY, "/signed") == "message":
            content = (*content[:seat], _without_mark(content[seat]), *content[seat + 1 :])
    return (message.evolve(content=content), more) if more else (message, more)


# -- what is supported -------------------------------------------------------------------------------------------------


def carried_signature(signature: am.Signature, block: Any) -> am.Signature | None:
    """Keep a signature of Google's that was read."""
    if signature.provider != _SIGNER or not block.notes or mark_of(block, FAMILY, "/signed") is None:
        return None
    return signature.evolve(extras={}) if signature.extras else signature


def message_keys(message: am.Msg) -> frozenset[str]:
    """Return the keys beside content that no extras of a message may use: what is written, or would be read, there."""
    own = speed.peek(message.extras, FAMILY)
    if not is_mapping(own) or not (CONTROL in own or SIGNED_KEY in own):
        return frozenset()
    keys = _taken(
        own,
        hint=any(stands_beside(block.cache) for block in message.content),
        signature=any(_is_signed_beside(block) for block in message.content if _is_text(block)),
    )
    spared = set[str]()
    if not any(map(_may_be_hinted, message.content)):
        spared.add(CONTROL)
    if message.role != "assistant" or not any(map(_may_be_text, message.content)):
        spared.add(SIGNED_KEY)
    return keys - spared


def _taken(own: Any, *, hint: bool, signature: bool) -> frozenset[str]:
    told: Mapping[str, Any] = own if is_mapping(own) else {}
    keys: set[str] = set()
    if hint or (CONTROL in told and _hint_of(am.thaw(told[CONTROL])) is not None):
        keys.add(CONTROL)
    if signature or (SIGNED_KEY in told and _signature_of(am.thaw(told[SIGNED_KEY])) is not None):
        keys.add(SIGNED_KEY)
    return frozenset(keys)


def _may_be_hinted(block: Any) -> bool:
    """Whether a block is, or may be made, one that a hint of the message would be read on."""
    return _may_hint(block) or _may_be_text(block)


def _may_be_text(block: Any) -> bool:
    kind = block.__class__
    if kind is am.NativeBlock:
        return bool(block.codec != FAMILY)
    if kind is am.ThinkingBlock:
        return not is_thinking_part(block) and place_of(block, None) is None
    if kind is am.ToolUseBlock:
        return bool(block.kind == "server")
    if is_field_audio(block):
        return False
    if kind in (am.AudioBlock, am.FileBlock):
        return not (block.notes and mark_of(block, FAMILY, "/odd") is True)
    return kind not in (am.ImageBlock, am.VideoBlock, am.RefusalBlock)
