"""What people and tools say to providers: options of media, and the tools that a search found.

| agentmsg | providerOptions |
| --- | --- |
| extras["anthropic"]: citations of a document | anthropic.citations |
| extras["anthropic.kind"]: type "container_upload" | anthropic.containerUpload |
| extras["gemini"]: videoMetadata; thought, of an answer's image | google: videoMetadata; thought |
| NativeBlock of Anthropic in a result: tool_reference | custom; anthropic: type "tool-reference", toolName |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import Native, is_object, natives
from agentmsg_codecs.vercel.calls import are_options
from agentmsg_codecs.vercel.issuers.parts import options_of, with_options
from agentmsg_codecs.vercel.names import FAMILY, OPTIONS, PROVIDER_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

_ANTHROPIC = "anthropic"
_UPLOAD, _REFERENCE = "container_upload", "tool-reference"
# Extras of media, by their paths, the paths of options that they are, and a value that is another there.
_OF_MEDIA: tuple[tuple[tuple[str, ...], tuple[str, ...], tuple[Any, Any]], ...] = (
    ((_ANTHROPIC, "citations"), (OPTIONS, _ANTHROPIC, "citations"), (None, None)),
    (("anthropic.kind", "type"), (OPTIONS, _ANTHROPIC, "containerUpload"), (_UPLOAD, True)),
    (("gemini", "videoMetadata"), (OPTIONS, "google", "videoMetadata"), (None, None)),
    (("gemini", "thought"), (OPTIONS, "google", "thought"), (None, None)),
)
_PAIR = 2


def media_into(block: Any) -> Any:
    """Return media whose extras are options, where the client has some for them."""
    return _moved(block, _OF_MEDIA)


def media_back(block: Any) -> Any:
    """Return media whose options are extras of a provider."""
    return _moved(block, [(option, path, (there, here)) for path, option, (here, there) in _OF_MEDIA])


def _moved(block: Any, paths: Iterable[tuple[tuple[str, ...], tuple[str, ...], tuple[Any, Any]]]) -> Any:
    """Return a block with extras at other places; the block itself if it has none of them.

    Args:
        block: the block.
        paths: from where, to where, and which value becomes which.
    """
    extras: Any = thaw(block.extras)
    has_moved = False
    for start, end, (old, new) in paths:
        value = natives.value_at(extras, start)
        if value is not natives.NOTHING:
            moved = natives.nested(end, new if am.same(value, old) else value)
            extras, has_moved = natives.merged(natives.without(extras, start), moved), True
    return block.evolve(extras=extras) if has_moved else block


def reference_into(block: Any) -> Any:
    """Return the tool that a search names as the client keeps it; any other block as it is."""
    value = _value(block, _ANTHROPIC, "tool_reference")
    if value.keys() != {"type", "tool_name"}:
        return block
    told = with_options(_ANTHROPIC, {"type": _REFERENCE, "toolName": value["tool_name"]})
    return block.evolve(codec=FAMILY, value=_in_order({"type": "custom", **told}, value), fallback=None)


def reference_back(block: Any) -> Any:
    """Return the reverse of ``reference_into``."""
    value = _value(block, FAMILY, "custom")
    told = options_of(value, _ANTHROPIC) if are_options(value.get(PROVIDER_OPTIONS)) else {}
    if told.keys() != {"type", "toolName"} or told["type"] != _REFERENCE or len(value) > _PAIR:
        return block
    named = _in_order({"type": "tool_reference", "tool_name": told["toolName"]}, value)
    return block.evolve(codec=_ANTHROPIC, value=named, fallback=told["toolName"])


def _value(block: Any, family: str, tag: str) -> Native:
    """Return the value of a family's native block with a tag; an empty one for any other block."""
    value = thaw(block.value) if type(block) is am.NativeBlock and block.codec == family else None
    return value if is_object(value) and value.get("type") == tag else {}


def _in_order(pair: Native, model: Native) -> Native:
    """Return a pair whose type stands where it does in another."""
    return pair if next(iter(model)) == "type" else dict(reversed(pair.items()))
