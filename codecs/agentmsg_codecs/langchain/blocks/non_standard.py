"""Blocks that v1 has no part for, as `non_standard` parts, and the cattrs Converter that reads and writes them.

Data, sources, compactions, and your own block classes are supported as
``{"type": "non_standard", "value": {"type": <our tag>, <fields>}}``: the value is the block's canonical form. cattrs
generates the hooks for these values, under strict hooks for the primitive types.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import attrs

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import Native, Unreadable, blocks, dispatch, is_object, natives, speed
from agentmsg_codecs.langchain.names import ANTHROPIC

if TYPE_CHECKING:
    import cattrs


# The classes that v1 has parts for.
V1_CLASSES = (
    am.TextBlock, am.ThinkingBlock, am.RefusalBlock, am.ImageBlock, am.AudioBlock, am.VideoBlock, am.FileBlock,
    am.ApprovalResponseBlock, am.ToolUseBlock, am.ToolResultBlock,
)  # fmt: skip
# Models read parts of a message: one that none of them knows isn't sent.
_V1 = frozenset({*V1_CLASSES, am.NativeBlock, am.ToolsBlock, am.ApprovalRequestBlock})
_NOTES = frozenset({"notes"})
_LEFT_OUT = _NOTES | {"extras"}
_APART = frozenset({"type", "extras"})


def is_non_standard(cls: type) -> bool:
    """Whether blocks of a class are supported as `non_standard`."""
    return cls in blocks.BLOCK_TAGS and cls not in _V1


def _float(value: Any, _: Any) -> Any:
    if type(value) is not float:
        raise Unreadable  # a whole number would be written as one
    return value


def _is_free_form(kind: Any) -> bool:
    return kind is Any or "JSON" in str(kind) or (isinstance(kind, str) and "None | bool" in kind)


def non_standard_block(value: Native, converter: cattrs.Converter) -> Any:
    """Return the block that a `non_standard` value is the canonical form of."""
    tag = value.get("type")
    cls: Any = next((cls for cls, name in blocks.BLOCK_TAGS.items() if name == tag and is_non_standard(cls)), None)
    if cls is None:
        raise Unreadable
    own: Any = value.get("extras")
    # The only unknown fields are those of Anthropic's own blocks, if there are any.
    if "extras" in value and not (is_object(own) and own.keys() == {ANTHROPIC} and own[ANTHROPIC]):
        raise Unreadable
    if own and not is_object(own[ANTHROPIC]):
        raise Unreadable
    try:
        block = converter.structure({key: item for key, item in value.items() if key not in _APART}, _resolved(cls))
        return block.evolve(extras=own) if own else block
    except Exception:  # noqa: BLE001 - cattrs and foreign classes raise what they like
        raise Unreadable from None


def write_non_standard(block: Any, converter: cattrs.Converter) -> Native:
    """Return the part of a block that v1 has no part for."""
    _resolved(dispatch.class_of(block))
    bare = block.evolve(extras={}, notes={})
    fields = cast("Native", speed.plain_copy(thaw(converter.unstructure(bare))))
    value = {key: item for key, item in fields.items() if key not in _LEFT_OUT and key != "type"}
    # Unknown fields are keys of the part; those of Anthropic's own blocks belong to the value.
    own = natives.extras_of(block, ANTHROPIC)
    extras = {"extras": {ANTHROPIC: own}} if own else {}
    return {"type": "non_standard", "value": {"type": blocks.BLOCK_TAGS[type(block)], **value, **extras}}


def _resolved(cls: Any) -> Any:
    """Return a class whose annotations are types; cattrs doesn't know the model's names."""
    names = {"JSON": Any, "Block": am.BaseBlock, "Mapping": Mapping, "Any": Any}
    try:
        # Done once for each class: attrs remembers it.
        attrs.resolve_types(cls, localns=names)
    except NameError:
        raise Unreadable from None
    return cls


def make_converter() -> cattrs.Converter:
    """Return the converter with the hooks for values of `non_standard`, and everything inside."""
    # Loaded when a first document is read or written.
    from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override  # noqa: PLC0415

    for cls in blocks.BLOCK_TAGS:
        _resolved(cls)
    converter: cattrs.Converter = dispatch.strict_converter()
    converter.register_structure_hook(float, _float)
    converter.register_structure_hook_func(_is_free_form, lambda value, _: dispatch.freeze(value))
    converter.register_unstructure_hook_func(_is_free_form, lambda value: value)

    def options(cls: Any) -> dict[str, Any]:
        kind = cls if isinstance(cls, type) else object
        names = _LEFT_OUT if issubclass(kind, am.BaseBlock) else _NOTES if issubclass(kind, blocks.Noted) else ()
        return {name: override(omit=True) for name in names} | {"_cattrs_use_alias": True}

    def unstructure(cls: Any) -> Any:
        return make_dict_unstructure_fn(_resolved(cls), converter, _cattrs_omit_if_default=True, **options(cls))

    def structure(cls: Any) -> Any:
        return make_dict_structure_fn(_resolved(cls), converter, _cattrs_forbid_extra_keys=True, **options(cls))

    converter.register_unstructure_hook_factory(attrs.has, unstructure)
    converter.register_structure_hook_factory(attrs.has, structure)
    return converter
