"""The shapes of v1, results of server tools among them, and the converter of what stands in `non_standard`.

What v1 has no block for (data, sources, compactions, and block classes of yours) is carried as
``{"type": "non_standard", "value": {"type": <our tag>, <fields>}}``: the value is the block's canonical form. Such
values are made and read by hooks that cattrs generates, under strict hooks for the primitive types.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

import attrs

import agentmsg as am
import agentmsg_codecs.langchain.blocks.v1 as v1
import agentmsg_codecs.langchain.blocks.v1_calls as v1_calls
import agentmsg_codecs.langchain.blocks.v1_media as v1_media
from agentmsg import thaw
from agentmsg.formats import (
    Native,
    Shape,
    Unreadable,
    adopt,
    blocks,
    dispatch,
    freeze,
    is_list,
    is_mapping,
    is_object,
    natives,
    plain_copy,
    word_at,
)
from agentmsg_codecs.langchain.names import ANTHROPIC, FAMILY

if TYPE_CHECKING:
    import cattrs


_V1 = frozenset({*v1.KEYS, am.NativeBlock, am.ToolsBlock})
_NOTES = frozenset({"notes"})
_LEFT_OUT = _NOTES | {"extras"}


def in_non_standard(cls: type) -> bool:
    """Tell whether blocks of a class are carried inside `non_standard`."""
    return cls in blocks.BLOCK_TAGS and cls not in _V1


@attrs.frozen
class Inner:
    """How blocks inside of results are read and written.

    They have one spelling only: else every level would be read again to prove the spelling of the next, and the
    time would grow by a factor for each level of nesting.

    Attributes:
        read: gives the block of a part; one that notes a spelling makes the whole unreadable.
        write: gives the part of a block in its default spelling.
    """

    read: Callable[[Any], Any]
    write: Callable[[Any], Any]


# -- results of server tools ------------------------------------------------------------------------------------------

# A call that was read without an id: no spelling, but that it needs none.
_UNLINKED = natives.without_id(FAMILY)
# What a result with content may say beside: its words.
_SAID = (str, type(None))
_RESULT_TEXTS = ("name", "provider", "error", "error_type")


def _result_reader(inner: Inner) -> Callable[[Native, Any], am.ToolResultBlock]:
    def read(part: Native, _: Any) -> am.ToolResultBlock:
        """Read ``server_tool_result``: `output` is text, or structured; in `extras` may stand both, in full."""
        extras = v1.Extras(part)
        fields: Native = {name: extras.text(name) for name in _RESULT_TEXTS}
        fields["artifact"] = extras.value("artifact")
        structured, content = extras.value("structured"), extras.rest.pop("content", None)
        output = part.get("output")
        found: tuple[Any, ...] = ()
        if content is not None:
            if not is_list(content) or not content or (structured is None and type(output) not in _SAID):
                raise Unreadable
            found = tuple(map(inner.read, content))
            if any(block.notes and block.notes != _UNLINKED for block in found):
                raise Unreadable
        elif structured is None and type(output) is str and output:
            found = (v1.make_text(text=output),)
        elif structured is None:
            structured = adopt(output)
        return v1.make_result(
            tool_call_id=word_at(part, "tool_call_id"),
            content=found,
            structured=structured,
            status=word_at(part, "status"),
            kind="server",
            **fields,
            **v1.common_of(part, extras),
        )

    return read


def _result_writer(inner: Inner) -> Callable[[am.ToolResultBlock], Native]:
    def write(block: am.ToolResultBlock) -> Native:
        part: Native = {"type": "server_tool_result", "tool_call_id": block.tool_call_id}
        if block.status is not None:
            part["status"] = block.status
        own: Native = {name: value for name in _RESULT_TEXTS if (value := getattr(block, name)) is not None}
        if block.artifact is not None:
            own["artifact"] = block.artifact
        if v1.is_words(block.content) and block.structured is None:
            part["output"] = block.text
            return v1.v1_part(block, part, own)
        if block.structured is not None:
            part["output"] = block.structured
        # A structured text reads as words, and so does structure beside content.
        if block.content or type(block.structured) is str:
            if block.structured is not None:
                own["structured"] = block.structured
            elif block.text:
                part["output"] = block.text
            if block.content:
                own["content"] = [inner.write(item) for item in block.content]
        return v1.v1_part(block, part, own)

    return write


# -- non_standard -----------------------------------------------------------------------------------------------------


def _strict(kind: type) -> Callable[[Any, Any], Any]:
    def check(value: Any, _: Any) -> Any:
        if type(value) is not kind:
            raise Unreadable
        return value

    return check


def _any(value: Any, _: Any) -> Any:
    return freeze(value)


def _is_free_form(kind: Any) -> bool:
    return kind is Any or "JSON" in str(kind) or (isinstance(kind, str) and "None | bool" in kind)


_APART = frozenset({"type", "extras"})


def non_standard_block(value: Native, converter: cattrs.Converter) -> Any:
    """Return the block that a `non_standard` value is the canonical form of."""
    tag = value.get("type")
    cls: Any = next((cls for cls, name in blocks.BLOCK_TAGS.items() if name == tag and in_non_standard(cls)), None)
    if cls is None:
        raise Unreadable
    own = value.get("extras")
    if "extras" in value and not (is_object(own) and own.keys() == {ANTHROPIC} and own[ANTHROPIC]):
        raise Unreadable
    try:
        block = converter.structure({key: item for key, item in value.items() if key not in _APART}, _resolved(cls))
        return block.evolve(extras=own) if own else block
    except Exception:  # noqa: BLE001 - cattrs and foreign classes raise what they like
        raise Unreadable from None


def write_non_standard(block: Any, converter: cattrs.Converter) -> Native:
    """Return the part of a block that v1 has no place for."""
    _resolved(dispatch.class_of(block))
    bare = block.evolve(extras={}, notes={})
    fields = cast("Native", plain_copy(thaw(converter.unstructure(bare))))
    value = {key: item for key, item in fields.items() if key not in _LEFT_OUT and key != "type"}
    # Unknown fields stand beside the value; those of Anthropic's own blocks are a part of what these are.
    own = block.extras.get(ANTHROPIC) if block.extras else None
    extras = {"extras": {ANTHROPIC: own}} if is_mapping(own) and own else {}
    return {"type": "non_standard", "value": {"type": blocks.BLOCK_TAGS[type(block)], **value, **extras}}


def _shape(cls: type[Any], read: Callable[[Native, Any], Any], write: Callable[[Any], Native], *tags: str) -> Shape:
    return Shape(cls=cls, keys=dict.fromkeys(tags, v1.KEYS[cls]), read=read, write=write)


def shapes(inner: Inner) -> tuple[Shape, ...]:
    """Return the shapes of the blocks of v1."""
    return (
        _shape(am.TextBlock, v1.read_text, v1.write_text, "text"),
        _shape(am.ThinkingBlock, v1.read_reasoning, v1.write_reasoning, "reasoning"),
        _shape(am.RefusalBlock, v1.read_refusal, v1.write_refusal, "refusal"),
        _shape(am.ImageBlock, v1_media.read_media, v1_media.media_writer("image"), "image"),
        _shape(am.AudioBlock, v1_media.read_media, v1_media.media_writer("audio"), "audio"),
        _shape(am.VideoBlock, v1_media.read_media, v1_media.media_writer("video"), "video"),
        _shape(am.FileBlock, v1_media.read_media, v1_media.media_writer("file"), "file"),
        _shape(am.ToolUseBlock, v1_calls.read_call, v1_calls.write_call, "tool_call", "server_tool_call"),
        _shape(am.ToolResultBlock, _result_reader(inner), _result_writer(inner), "server_tool_result"),
    )


def _resolved(cls: Any) -> Any:
    """Return a class whose annotations are types; cattrs by itself does not know the model's own names."""
    names = {"JSON": Any, "Block": am.BaseBlock, "Mapping": Mapping, "Any": Any}
    try:
        # Done once for each class: attrs remembers it.
        attrs.resolve_types(cls, localns=names)
    except NameError:
        raise Unreadable from None
    return cls


def _left_out(cls: Any) -> frozenset[str]:
    """Return the fields that a value has not: notes are nobody's, and the extras of a block stand beside it."""
    kind = cls if isinstance(cls, type) else object
    return _LEFT_OUT if issubclass(kind, am.BaseBlock) else _NOTES if issubclass(kind, blocks.Noted) else frozenset()


def make_converter() -> cattrs.Converter:
    """Return the converter with the hooks of `non_standard`, and of all that stands in one."""
    import cattrs  # noqa: PLC0415 - loaded when a first document is read or written
    from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override  # noqa: PLC0415 - the same

    for cls in blocks.BLOCK_TAGS:
        # Else cattrs could not register a hook on them: it resolves their annotations, and knows no names.
        _resolved(cls)
    converter = cattrs.Converter(detailed_validation=False, forbid_extra_keys=True)
    for kind in (str, int, bool, float):
        converter.register_structure_hook(kind, _strict(kind))
    converter.register_structure_hook_func(_is_free_form, _any)
    converter.register_unstructure_hook_func(_is_free_form, lambda value: value)

    def options(cls: Any) -> dict[str, Any]:
        return {name: override(omit=True) for name in _left_out(cls)} | {"_cattrs_use_alias": True}

    def unstructure(cls: Any) -> Any:
        return make_dict_unstructure_fn(_resolved(cls), converter, _cattrs_omit_if_default=True, **options(cls))

    def structure(cls: Any) -> Any:
        return make_dict_structure_fn(_resolved(cls), converter, _cattrs_forbid_extra_keys=True, **options(cls))

    converter.register_unstructure_hook_factory(attrs.has, unstructure)
    converter.register_structure_hook_factory(attrs.has, structure)
    return converter
