"""Content blocks v1, the canonical spelling: a reader and a writer for each class of block.

They are the shapes of v1_shapes.py, and so the hooks of the codec's cattrs Converter.

A v1 block has `id`, `extras` and its own keys. What the model has a field for and v1 has no key for stands in
`extras`, under the field's name; the rest of `extras` is kept as ``block.extras["langchain.extras"]``, and unknown
keys beside it as ``block.extras["langchain"]``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    EMPTY,
    Native,
    Unreadable,
    adopt,
    dispatch,
    is_list,
    is_mapping,
    is_object,
    maker,
    natives,
    text_at,
    word_at,
)
from agentmsg_codecs.langchain.blocks.citations import is_place, is_translated, read_citation, write_citation
from agentmsg_codecs.langchain.names import ANTHROPIC, FAMILY, INNER

if TYPE_CHECKING:
    from collections.abc import Mapping


make_text = maker(am.TextBlock)
make_thinking = maker(am.ThinkingBlock)
make_call = maker(am.ToolUseBlock)
make_result = maker(am.ToolResultBlock)
make_refusal = maker(am.RefusalBlock)
make_signature = maker(am.Signature)
make_cache = maker(am.CacheHint)


# -- what many parts share ------------------------------------------------------------------------------------------


def cache_of(part: Native) -> am.CacheHint | None:
    """Return the cache hint of a part; None if none is told, or something odd, which is an extra."""
    hint = part.get("cache_control")
    if not is_object(hint) or type(hint.get("type")) is not str:
        return None
    if len(hint) == 1:
        return make_cache(kind=hint["type"])
    ttl = hint.get("ttl")
    told = frozenset({"type", "ttl"} if type(ttl) is str else {"type"})
    extras = natives.rest_of(hint, told, FAMILY)
    return make_cache(kind=hint["type"], ttl=ttl if type(ttl) is str else None, extras=extras)


def write_cache(hint: am.CacheHint) -> Native:
    """Return the native cache hint."""
    native = {"type": hint.kind} if hint.ttl is None else {"type": hint.kind, "ttl": hint.ttl}
    rest = hint.extras.get(FAMILY) if hint.extras else None
    return {**rest, **native} if is_mapping(rest) else native


# What stands in `extras`, and the model has a field for.
_COMMON = frozenset({"signature", "signature_provider", "phase", "metadata"})
_CALL = _COMMON | {"item_id", "provider", "status", "raw_input"}
_OWN: Mapping[type, frozenset[str]] = {
    am.ImageBlock: _COMMON | {"detail"},
    am.AudioBlock: _COMMON | {"transcript"},
    am.FileBlock: _COMMON | {"filename", "title", "context"},
    am.ThinkingBlock: _COMMON | {"redacted"},
    am.ToolUseBlock: _CALL,
    am.ToolResultBlock: _COMMON | {"name", "provider", "artifact", "error", "error_type", "structured", "content"},
}


def claimed(block: Any) -> frozenset[str]:
    """Return the keys of v1 `extras` that the model has a field for, in a block like this one."""
    own = _OWN.get(dispatch.class_of(block), _COMMON)
    return own | {"provider"} if isinstance(getattr(block, "source", None), am.FileSource) else own


class Extras:
    """The `extras` of a v1 part, taken apart: what the model has fields for, and the rest."""

    def __init__(self, part: Native) -> None:
        extras = part.get("extras")
        self.rest: Native = dict(extras) if is_object(extras) else {}

    def text(self, key: str) -> str | None:
        """Take a text; anything else under a key of ours stays an extra."""
        return self.rest.pop(key) if type(self.rest.get(key)) is str else None

    def mapping(self, key: str) -> Any:
        """Take an object that is not empty."""
        value = self.rest.get(key)
        return adopt(self.rest.pop(key)) if value and is_object(value) else EMPTY

    def value(self, key: str) -> Any:
        """Take any value but null."""
        return None if self.rest.get(key) is None else adopt(self.rest.pop(key))


def common_of(
    part: Native, extras: Extras | None = None, *, id_key: str | None = "id", owner: str | None = None
) -> dict[str, Any]:
    """Return the fields that all blocks share, as far as a part states them.

    Args:
        part: the native part.
        extras: its `extras`, from which what belongs to the class has been taken; None for shapes without.
        id_key: where the item's id stands; None: in `extras`.
        owner: whose a signature is of which nothing else is told.
    """
    fields: dict[str, Any] = {}
    item_id = part.get(id_key) if id_key else None
    if type(item_id) is str:
        fields["item_id"] = item_id
    if "cache_control" in part:
        fields["cache"] = cache_of(part)
    if extras is None or not extras.rest:
        return fields
    signature = extras.text("signature")
    if signature is not None:
        if "signature_provider" in extras.rest:
            owner = extras.rest.pop("signature_provider")
            if owner is not None and type(owner) is not str:
                raise Unreadable
        fields["signature"] = make_signature(provider=owner, value=signature)
    phase = extras.text("phase")
    if phase is not None:
        fields["phase"] = phase
    metadata = extras.mapping("metadata")
    if metadata:
        fields["metadata"] = metadata
    if extras.rest:
        fields["extras"] = adopt({INNER: extras.rest})
    return fields


def v1_part(
    block: Any, part: Native, own: Native | None = None, *, id_key: str | None = "id", owner: str | None = None
) -> Native:
    """Complete a v1 part with what all blocks share.

    Args:
        block: the block.
        part: what its class has.
        own: the class's entries in `extras`.
        id_key: where the item's id stands; None: in `extras`.
        owner: whose a signature is of which nothing else is told.
    """
    extras: Native = {} if own is None else own
    odd = block.extras or block.metadata or block.item_id is not None or block.phase is not None
    if not odd and block.signature is None and block.cache is None:
        if extras:
            part["extras"] = extras
        return part
    if block.item_id is not None:
        if id_key:
            part[id_key] = block.item_id
        else:
            extras["item_id"] = block.item_id
    if block.cache is not None:
        part["cache_control"] = write_cache(block.cache)
    if block.signature is not None:
        extras["signature"] = block.signature.value
        if block.signature.provider != owner:
            extras["signature_provider"] = block.signature.provider
    if block.phase is not None:
        extras["phase"] = block.phase
    if block.metadata:
        extras["metadata"] = block.metadata
    rest = block.extras.get(INNER) if block.extras else None
    if is_mapping(rest):
        extras = {**rest, **extras}
    if extras:
        part["extras"] = extras
    return part


def is_words(blocks: Any) -> bool:
    """Whether blocks are one text that says nothing but its words, so that a string can stand for it."""
    block = blocks[0] if len(blocks) == 1 else None
    if type(block) is not am.TextBlock or not block.text or block.citations or block.extras or block.metadata:
        return False
    return block.item_id is None and block.cache is None and block.signature is None and block.phase is None


# -- text, thinking, refusal ------------------------------------------------------------------------------------------


def quick_text(part: Native) -> am.TextBlock | None:
    """Read text that has nothing but its words; None if it has more."""
    text = part.get("text")
    return make_text(text) if len(part) == 2 and type(text) is str else None  # noqa: PLR2004 - type and text


def read_text(part: Native, _: Any = None) -> am.TextBlock:
    """Read ``{"type": "text", "text", "annotations"}``."""
    citations: Any = part.get("annotations")
    if not is_list(citations):
        citations = ()
    extras = Extras(part)
    return make_text(
        text=text_at(part, "text"), citations=tuple(map(read_citation, citations)), **common_of(part, extras)
    )


def write_text(block: am.TextBlock) -> Native:
    """Write a text block."""
    part: Native = {"type": "text", "text": block.text}
    if block.citations:
        own = all(is_place(citation) and not is_translated(citation) for citation in block.citations)
        part["citations" if own else "annotations"] = list(map(write_citation, block.citations))
    return v1_part(block, part)


def quick_reasoning(part: Native) -> am.ThinkingBlock | None:
    """Read thinking that has nothing but words and perhaps a signature; None if it has more."""
    thinking = part.get("reasoning")
    if type(thinking) is not str:
        return None
    if len(part) == 2:  # noqa: PLR2004 - type and reasoning
        return make_thinking(thinking)
    extras = part.get("extras")
    if len(part) != 3 or not is_object(extras) or len(extras) != 1:  # noqa: PLR2004 - and extras
        return None
    value = extras.get("signature")
    if type(value) is not str:
        return None
    return make_thinking(thinking=thinking, signature=make_signature(provider=ANTHROPIC, value=value))


def read_reasoning(part: Native, _: Any = None) -> am.ThinkingBlock:
    """Read ``{"type": "reasoning", "reasoning"}``; a signature of which nothing else is told is Anthropic's."""
    extras = Extras(part)
    redacted = extras.text("redacted")
    fields = common_of(part, extras, owner=ANTHROPIC)
    return make_thinking(thinking=word_at(part, "reasoning") or "", redacted=redacted, **fields)


def write_reasoning(block: am.ThinkingBlock) -> Native:
    """Write a thinking block; what only the provider can read goes into `extras`."""
    own = {} if block.redacted is None else {"redacted": block.redacted}
    return v1_part(block, {"type": "reasoning", "reasoning": block.thinking}, own, owner=ANTHROPIC)


def read_refusal(part: Native, _: Any = None) -> am.RefusalBlock:
    """Read ``{"type": "refusal", "refusal"}``."""
    return make_refusal(refusal=text_at(part, "refusal"), **common_of(part, Extras(part)))


def write_refusal(block: am.RefusalBlock) -> Native:
    """Write a refusal."""
    return v1_part(block, {"type": "refusal", "refusal": block.refusal})
