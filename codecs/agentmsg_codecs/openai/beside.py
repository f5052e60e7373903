"""Keys of compatible servers beside the content of a message, of a part or of a call.

``cache_control`` of a message is the cache hint of its last block that may have one. With ``extra_content: {"google":
{"thought_signature": ...}}``, Google's endpoint signs a call, a part or a response: the signature of a response belongs
to the last text of its message. If a block has the same hint or signature as its message, both are written; if they
differ, the message is kept unchanged. The mark ``/signed`` tells "own", "message" and "both" apart. LiteLLM and others
sign a call with ``provider_specific_fields: {"thought_signature": ...}`` or ``thought_signature``: then the mark is the
key. The first of these keys has the signature, others are extras.
https://ai.google.dev/gemini-api/docs/thought-signatures
https://docs.litellm.ai/docs/providers/gemini
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
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
from agentmsg_codecs.openai.images import images_of, with_images, without_images
from agentmsg_codecs.openai.names import FAMILY, IMAGES
from agentmsg_codecs.openai.places import is_field_audio, is_field_image, is_thinking_part, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentmsg.formats import Shape

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


def read_beside(native: Native, read: Callable[[Native], am.Msg], image: Shape, spelt: str) -> am.Msg:
    """Read a native message with keys beside its content.

    Args:
        native: to read.
        read: reads it without these keys.
        image: the shape of a part with an image.
        spelt: the namespace of its spellings.
    """
    role = native.get("role") or "assistant"
    hint, signature = control_of(native.get(CONTROL)), signature_of(native.get(SIGNED_KEY))
    citations = citations_of(native.get(KEY)) if role == "assistant" else None
    images = images_of(native.get(IMAGES), role, image)
    found = {CONTROL: hint, SIGNED_KEY: signature, KEY: citations, IMAGES: images}
    rest = {key: value for key, value in native.items() if not found.get(key)}
    message = read(rest)
    if citations:
        message = cited(message, citations, rest, spelt)
    if images:
        message = with_images(message, images)
    if hint is None and signature is None:
        return message
    message, left = attached(message, native, hint, signature)
    # A key without a block is unknown.
    return message.evolve(extras=read({**rest, **{key: native[key] for key in left}}).extras) if left else message


def may_be_beside(block: Any) -> bool:
    """Whether something of a block may be written beside the content of its message."""
    if block.cache is not None or block.signature is not None:
        return True
    return is_cited(block) or (type(block) is am.ImageBlock and bool(block.notes))


def write_beside(message: am.Msg, image: Shape, spelt: str) -> tuple[am.Msg, Native]:
    """Return a message that fits without what is written beside its content, and these keys; see ``read_beside``."""
    message, beside = detached(message)
    message, images = without_images(message, image)
    message, annotations = uncited(message, spelt)
    return message, {**beside, **images, **annotations}


def attached(
    message: am.Msg, native: Native, hint: am.CacheHint | None, signature: am.Signature | None
) -> tuple[am.Msg, list[str]]:
    """Give blocks of a message what is beside its content; also return the keys for which there is no block.

    Args:
        message: as it was read without them.
        native: with them.
        hint: of the message.
        signature: of the message.

    Raises:
        Unreadable: if a block has another hint or signature of its own.
    """
    content, left = list(message.content), list[str]()
    if signature is not None:
        at = _last(content, _is_text) if message.role == "assistant" else None
        if at is None:
            left.append(SIGNED_KEY)
        else:
            content[at] = _signed(content[at], signature)
    if hint is not None:
        at = _last(content, _may_have_hint)
        if at is None:
            left.append(CONTROL)
        else:
            content[at] = content[at].evolve(cache=_hint_on(content[at], hint, native[CONTROL]))
    return message.evolve(content=tuple(content)), left


def _signed(block: Any, signature: am.Signature) -> Any:
    if block.signature is None and not natives.has_extra(block, FAMILY, SIGNED_KEY):
        return marked(block.evolve(signature=signature), FAMILY, signed="message")
    if block.signature is None or not am.same(block.signature, signature):
        raise Unreadable("two signatures of one text")
    return marked(block, FAMILY, signed="both")


def _hint_on(block: Any, hint: am.CacheHint, control: Any) -> Any:
    """Return the hint of the block to which the message's hint belongs."""
    has_key = not {*natives.extras_of(block, FAMILY), *note_of(block, FAMILY)}.isdisjoint(CACHE_KEYS)
    if block.cache is None and not has_key:
        return marked(hint, FAMILY, at="message")
    if block.cache is None or not same_document(write_control(block.cache), control):
        raise Unreadable("two hints for one block")
    return marked(block.cache, FAMILY, beside=True)


def detached(message: am.Msg) -> tuple[am.Msg, Native]:
    """Return a message that fits without what is written beside its content, and these keys."""
    content: Any = message.content
    more: Native = {}
    at = _last(content, _may_have_hint)
    if at is not None and is_beside(content[at].cache):
        more[CONTROL] = write_control(content[at].cache)
        if is_message_hint(content[at].cache):
            content = (*content[:at], content[at].evolve(cache=None), *content[at + 1 :])
    at = _last(content, _is_text) if message.role == "assistant" else None
    if at is not None and _is_signed_beside(content[at]):
        more |= _signed_at(SIGNED_KEY, content[at].signature)
        if mark_of(content[at], FAMILY, "/signed") == "message":
            content = (*content[:at], unmarked(content[at], "/signed", signature=None), *content[at + 1 :])
    return (message.evolve(content=content), more) if more else (message, more)


def _is_signed_beside(block: Any) -> bool:
    return block.signature is not None and mark_of(block, FAMILY, "/signed") in ("message", "both")


# -- what is supported -------------------------------------------------------------------------------------------------


def message_keys(message: am.Msg, image: Shape) -> frozenset[str]:
    """Return the keys that a message's extras must not use: they would be written, or read, as beside its content.

    Args:
        message: whose extras these are.
        image: the shape of a part with an image.
    """
    own: Any = speed.peek(message.extras, FAMILY)
    if not is_mapping(own) or BESIDE.isdisjoint(own):
        return frozenset()
    content, keys = message.content, set[str]()
    if any(map(is_field_image, content)) or images_of(am.thaw(own.get(IMAGES)), message.role, image):
        keys.add(IMAGES)
    if any(map(_may_get_hint, content)):
        is_written = any(is_beside(block.cache) for block in content)
        if is_written or control_of(am.thaw(own.get(CONTROL))) is not None:
            keys.add(CONTROL)
    if message.role == "assistant" and any(map(_may_be_text, content)):
        is_written = any(_is_text(block) and _is_signed_beside(block) for block in content)
        if is_written or signature_of(am.thaw(own.get(SIGNED_KEY))) is not None:
            keys.add(SIGNED_KEY)
    return frozenset(keys)


def _may_get_hint(block: Any) -> bool:
    return _may_have_hint(block) or _may_be_text(block)


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
