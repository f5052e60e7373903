"""Keys of compatible servers beside the content of a message, of a part or of a call.

``cache_control`` of a message is the cache hint of its last block that may have one. With ``extra_content: {"google":
{"thought_signature": ...}}``, Google's endpoint signs a call, a part or a response: the signature of a response belongs
to the last text of its message. If a block has the same hint or signature as its message, both are written; if they
differ, the message is kept unchanged. The mark ``/signed`` tells "own", "message" and "both" apart. LiteLLM and others
sign a call with ``provider_specific_fields: {"thought_signature": ...}`` or ``thought_signature``: then the mark is the
key. The first of these keys has the signature, others are extras.

``images``, as OpenRouter, LiteLLM and others return generated images, are parts. They follow the content, and a
refusal. The mark ``/images`` tells them from the parts of content.
https://ai.google.dev/gemini-api/docs/thought-signatures
https://docs.litellm.ai/docs/providers/gemini
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    Native,
    Unreadable,
    is_list,
    is_mapping,
    is_object,
    mark_of,
    marked,
    natives,
    note_of,
    read_as,
    same_document,
    speed,
    write_as,
)
from agentmsg.formats.forms import Hatch
from agentmsg_codecs.openai.annotations import KEY, citations_of, cited, is_cited, uncited, unmarked
from agentmsg_codecs.openai.hints import (
    CACHE_KEYS,
    CONTROL,
    control_of,
    is_beside,
    is_message_hint,
    is_odd,
    write_control,
)
from agentmsg_codecs.openai.names import FAMILY, IMAGES
from agentmsg_codecs.openai.places import is_called, is_field_audio, is_field_image, is_thinking_part, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentmsg.formats.forms import Described

SIGNED_KEY = "extra_content"
_SIGNER, _SIGNATURE = "google", "thought_signature"
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


def _may_have_hint(block: Any) -> bool:
    return isinstance(block, _HINTED) and not is_field_audio(block)


def _is_text(block: Any) -> bool:
    return block.__class__ is am.TextBlock


def _last(content: Sequence[Any], may: Callable[[Any], bool]) -> int | None:
    for index in range(len(content) - 1, -1, -1):  # a loop: it runs for each message
        if may(content[index]):
            return index
    return None


# -- signatures of parts and calls ------------------------------------------------------------------------------------

# By key, the path to a signature.
_PATHS = {SIGNED_KEY: (_SIGNER, _SIGNATURE), "provider_specific_fields": (_SIGNATURE,), _SIGNATURE: ()}


def signature_of(value: Any, path: Sequence[str] = _PATHS[SIGNED_KEY]) -> am.Signature | None:
    """Return the signature in an ``extra_content``, or at another path; None if there is anything else."""
    for key in path:
        value = value.get(key) if is_object(value) and len(value) == 1 else None
    return am.Signature(_SIGNER, value) if type(value) is str else None


def _carried(signature: am.Signature, block: Any) -> am.Signature | None:
    """Keep a signature of Google's that was read."""
    if signature.provider != _SIGNER or mark_of(block, FAMILY, "/signed") is None:
        return None
    return signature.evolve(extras={}) if signature.extras else signature


def _signed_by(*keys: str) -> Hatch:
    """Return the keys that may hold a signature."""

    def get(native: Native) -> dict[str, Any]:
        found: dict[str, Any] = {}
        odd: list[str] = []
        for key in keys:
            signature = signature_of(native[key], _PATHS[key]) if key in native and not found else None
            if signature is not None:
                found = {"signature": signature, "notes": {"/signed": "own" if key == SIGNED_KEY else key}}
            elif key in native:
                odd.append(key)
        return {**found, "odd": odd}

    def put(block: Any) -> Native:
        mark = mark_of(block, FAMILY, "/signed")
        return _signed_at(next((key for key in keys if key == mark), SIGNED_KEY), block.signature)

    return Hatch(
        keys=keys,
        cells={"signature": _carried},
        get=get,
        put=put,
        is_optional=True,
        odd=keys,
        about="signature of Google",
    )


def _signed_at(key: str, signature: am.Signature) -> Native:
    value: Any = signature.value
    for inner in reversed(_PATHS[key]):
        value = {inner: value}
    return {key: value}


SIGNED = _signed_by(SIGNED_KEY)
SIGNED_CALL = _signed_by(*_PATHS)


# -- keys of a message ------------------------------------------------------------------------------------------------

BESIDE = frozenset({KEY, SIGNED_KEY, CONTROL, IMAGES})
_WITH_IMAGES = ("user", "assistant")


class _Told(speed.Record):
    """A key of a message that tells something of one of its blocks: the last that may have it.

    Attributes:
        key: the key.
        may: whether a block may have it.
        read: returns what a value tells; None if it is anything else.
        give: returns a block with what its message tells, given the value, too. Raises Unreadable if the block has
            another of its own.
        is_told: whether that of a block is written beside the content.
        take: returns the key for a block, and the block as it is written.
        role: of the messages that have the key; None for all.
    """

    key: str
    may: Callable[[Any], bool]
    read: Callable[[Any], Any]
    give: Callable[[Any, Any, Any], Any]
    is_told: Callable[[Any], bool]
    take: Callable[[Any], tuple[Native, Any]]
    role: str | None = None

    def place(self, message: am.Msg) -> int | None:
        """Return the index of the block; None if there is none."""
        return _last(message.content, self.may) if self.role in (None, message.role) else None


def _with_signature(block: Any, signature: am.Signature, _: Any) -> Any:
    if block.signature is None and not natives.has_extra(block, FAMILY, SIGNED_KEY):
        return marked(block.evolve(signature=signature), FAMILY, signed="message")
    if block.signature is None or not am.same(block.signature, signature):
        raise Unreadable("two signatures of one text")
    return marked(block, FAMILY, signed="both")


def _is_signed_beside(block: Any) -> bool:
    is_signed = _is_text(block) and block.signature is not None
    return is_signed and mark_of(block, FAMILY, "/signed") in ("message", "both")


def _take_signature(block: Any) -> tuple[Native, Any]:
    native = _signed_at(SIGNED_KEY, block.signature)
    is_only = mark_of(block, FAMILY, "/signed") == "message"
    return native, unmarked(block, "/signed", signature=None) if is_only else block


def _with_hint(block: Any, hint: am.CacheHint, control: Any) -> Any:
    has_key = not {*natives.extras_of(block, FAMILY), *note_of(block, FAMILY)}.isdisjoint(CACHE_KEYS)
    if block.cache is None and not has_key:
        return block.evolve(cache=marked(hint, FAMILY, at="message"))
    if block.cache is None or not same_document(write_control(block.cache), control):
        raise Unreadable("two hints for one block")
    return block.evolve(cache=marked(block.cache, FAMILY, beside=True))


def _take_hint(block: Any) -> tuple[Native, Any]:
    native = {CONTROL: write_control(block.cache)}
    return native, block.evolve(cache=None) if is_message_hint(block.cache) else block


_HINT_OF_MESSAGE = _Told(
    CONTROL, _may_have_hint, control_of, _with_hint, lambda block: is_beside(block.cache), _take_hint
)
_SIGNATURE_OF_MESSAGE = _Told(
    SIGNED_KEY, _is_text, signature_of, _with_signature, _is_signed_beside, _take_signature, "assistant"
)


def may_be_beside(block: Any) -> bool:
    """Whether something of a block may be written beside the content of its message."""
    if block.cache is not None or block.signature is not None:
        return True
    return is_cited(block) or (type(block) is am.ImageBlock and bool(block.notes))


def detached(message: am.Msg) -> tuple[am.Msg, Native]:
    """Return a message that fits without what is told of its blocks beside them, and these keys."""
    more: Native = {}
    for told in (_HINT_OF_MESSAGE, _SIGNATURE_OF_MESSAGE):
        content: Any = message.content
        at = told.place(message)
        if at is not None and told.is_told(content[at]):
            native, block = told.take(content[at])
            more |= native
            message = message.evolve(content=(*content[:at], block, *content[at + 1 :]))
    return message, more


class KeysBeside:
    """Reads and writes the keys beside the content of messages.

    Args:
        described: the forms of parts.
        spelt: the namespace of a message's spellings.
    """

    def __init__(self, described: Described, spelt: str) -> None:
        self._described = described
        self._spelt = spelt

    def read(self, native: Native, read: Callable[[Native], am.Msg]) -> am.Msg:
        """Read a native message with such keys, given what reads it without them."""
        role = native.get("role") or "assistant"
        citations = citations_of(native.get(KEY)) if role == "assistant" else None
        images = self._images_of(native.get(IMAGES), role)
        found = {told: told.read(native.get(told.key)) for told in (_SIGNATURE_OF_MESSAGE, _HINT_OF_MESSAGE)}
        taken = {KEY: citations, IMAGES: images, **{told.key: each for told, each in found.items()}}
        rest = {key: value for key, value in native.items() if not taken.get(key)}
        message = read(rest)
        if citations:
            message = cited(message, citations, rest, self._spelt)
        if images:
            message = _with_images(message, images)
        if all(each is None for each in found.values()):
            return message
        left: list[str] = []
        content: Any = [*message.content]
        for told, each in found.items():
            at = None if each is None else told.place(message)
            if at is not None:
                content[at] = told.give(content[at], each, native[told.key])
            elif each is not None:
                left.append(told.key)
        message = message.evolve(content=tuple(content))
        # A key without a block is unknown.
        return message.evolve(extras=read({**rest, **{key: native[key] for key in left}}).extras) if left else message

    def write(self, message: am.Msg) -> tuple[am.Msg, Native]:
        """Return a message that fits without what is written beside its content, and these keys."""
        message, beside = detached(message)
        content = message.content
        images = [block for block in content if is_field_image(block)] if message.role in _WITH_IMAGES else []
        if images:
            message = message.evolve(content=tuple(block for block in content if not is_field_image(block)))
            beside[IMAGES] = [write_as(self._described.shapes["image"], block, FAMILY) for block in images]
        message, annotations = uncited(message, self._spelt)
        return message, {**beside, **annotations}

    def taken(self, message: am.Msg) -> frozenset[str]:
        """Return the keys that a message's extras must not use: they would be written, or read, like these."""
        own: Any = speed.peek(message.extras, FAMILY)
        if not is_mapping(own) or BESIDE.isdisjoint(own):
            return frozenset()
        content, keys = message.content, set[str]()
        if any(map(is_field_image, content)) or self._images_of(am.thaw(own.get(IMAGES)), message.role):
            keys.add(IMAGES)
        for told in (_HINT_OF_MESSAGE, _SIGNATURE_OF_MESSAGE):
            has_role = told.role in (None, message.role)
            if has_role and any(told.may(block) or _may_be_text(block) for block in content):
                is_read = told.read(am.thaw(own.get(told.key))) is not None
                keys |= {told.key} if is_read or any(map(told.is_told, content)) else set()
        return frozenset(keys)

    def _images_of(self, value: Any, role: str) -> list[Any]:
        """Return the images under their key; none if there is anything else, or if messages of the role have none."""
        if not is_list(value) or role not in _WITH_IMAGES:
            return []
        shape = self._described.shapes["image"]
        try:
            return [marked(read_as(shape, entry, FAMILY), FAMILY, images=True, odd=True) for entry in value]
        except (Unreadable, am.AgentMsgError):
            return []


def _with_images(message: am.Msg, images: Sequence[Any]) -> am.Msg:
    """Put images behind the content of a message."""
    content = message.content
    at = next((at for at, block in enumerate(content) if is_field_audio(block) or is_called(block)), len(content))
    return message.evolve(content=(*content[:at], *images, *content[at:]))


def _may_be_text(block: Any) -> bool:
    """Whether a block is a text, or a rule may turn it into one."""
    kind = block.__class__
    if kind is am.NativeBlock:
        return bool(block.codec != FAMILY)
    if kind is am.ThinkingBlock:
        return not is_thinking_part(block) and place_of(block, None) is None
    if kind is am.ToolUseBlock:
        return bool(block.kind == "server")
    if kind in (am.AudioBlock, am.FileBlock):
        return not is_field_audio(block) and not is_odd(block)
    return kind not in (am.ImageBlock, am.VideoBlock, am.RefusalBlock)
