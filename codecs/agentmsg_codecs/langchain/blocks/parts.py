"""Content parts to blocks and back: the table of shapes at work.

Reading tries v1 and then the other shapes of a part's tag; whatever a shape reads must come back exactly, else the
part is kept as a NativeBlock. Writing is v1, unless the block remembers another shape that still reads the same.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import agentmsg as am
import agentmsg_codecs.langchain.blocks.hooks as hooks
import agentmsg_codecs.langchain.blocks.v1 as v1
import agentmsg_codecs.langchain.blocks.v1_calls as v1_calls
import agentmsg_codecs.langchain.blocks.v1_media as v1_media
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    EMPTY,
    Native,
    Unreadable,
    adopt,
    dispatch,
    is_mapping,
    is_marked,
    is_object,
    maker,
    mark_of,
    marked,
    natives,
    plain_copy,
    same_document,
    speed,
    spelling,
)
from agentmsg_codecs.langchain.blocks.anthropic import KIND, own_shape
from agentmsg_codecs.langchain.blocks.anthropic_v1 import V1_SHAPES, is_of_anthropic
from agentmsg_codecs.langchain.blocks.keys import MAY_MEAN, ODD, V1_KEYS, known_keys
from agentmsg_codecs.langchain.blocks.moves import MOVES
from agentmsg_codecs.langchain.blocks.nested import NESTED, nested_in, with_nested
from agentmsg_codecs.langchain.blocks.older import Shape
from agentmsg_codecs.langchain.blocks.older_calls import BY_NAME, in_non_standard, shapes_of
from agentmsg_codecs.langchain.blocks.quick import QUICK_SHAPES, QUICK_WRITERS
from agentmsg_codecs.langchain.names import ANTHROPIC, FAMILY, INNER

if TYPE_CHECKING:
    from collections.abc import Mapping


_make_native = maker(am.NativeBlock)

_RAISED = (Unreadable, AgentMsgError, AttributeError, LookupError, TypeError, ValueError)


class Parts:
    """Reads and writes content parts, by the hooks of its converter.

    Attributes:
        converter: the cattrs Converter that the hooks are registered on.
        quick: by tag, the readers of the usual parts; each gives None where the general path must look.
        quick_writers: by class, the writers of blocks with the usual notes; the same.
        is_filled: whether the tables are filled.
    """

    is_filled = False

    def __init__(self) -> None:
        inner = hooks.Inner(self.read, self._write_bare)
        self.converter = hooks.make_converter(inner)
        self._readers: dict[Any, Any] = {}
        self._writers: dict[Any, Any] = {}
        self.quick: dict[Any, Any] = {}
        self.quick_writers: dict[Any, Any] = dict(QUICK_WRITERS)

    @speed.once
    def fill(self) -> None:
        """Fill the tables from the converter, on first use."""
        self._readers = dispatch.hook_table(self.converter.get_structure_hook, hooks.TAGS)
        self._writers = dispatch.hook_table(self.converter.get_unstructure_hook, {*hooks.TAGS.values()})
        # The shortcuts know our own hooks by heart, and stand back where another is registered.
        self.quick.update((tag, quick) for tag, hook, quick in hooks.QUICK if self._readers[tag] is hook)
        # A part notes its shape where that is not the default one: known as long as the default is ours.
        self.quick.update((tag, quick) for tag, cls, quick in QUICK_SHAPES if hooks.is_ours(cls, self._writers[cls]))

    # -- reading ------------------------------------------------------------------------------------------------

    def read(self, part: Any, provider: str | None = None) -> Any:
        """Return the block of a part.

        Args:
            part: the part.
            provider: who wrote the message, where it says so: whose the signatures and server tools are.
        """
        if is_object(part):
            tag = part.get("type")
            quick = self.quick.get(tag) if type(tag) is str else None
            if quick is None or (tag == "reasoning" and provider not in _USUAL_PROVIDERS):
                return self._read(part, provider)
            block = quick(part)
            return self._read(part, provider) if block is None else block
        if type(part) is str:
            return v1.make_text(text=part, notes=_BARE)
        return _native(part)

    def _read(self, part: Native, provider: str | None) -> Any:
        for mark, there, back in MOVES:
            moved = there(part)
            if moved is None:
                continue
            found = self._read(moved, provider)
            noted = marked(found, FAMILY, **{mark: True})
            if type(found) is not am.NativeBlock and same_document(back(self._spell(found)), part):
                return noted
        block = self._meaning(part, provider)
        if block is None or not self.keeps_extras(block, provider):
            return _native(part)
        return _marked(block)

    def _meaning(self, part: Native, provider: str | None) -> Any:
        """Return what a part means, with its extras: the first that reads it so that it comes back; None of none."""
        tried: list[tuple[Shape | None, Any, Any, Native]] = []
        for shape, read in self._candidates(part, provider):
            try:
                block = read(part)
                plain = self._default(block) if shape is None else shape.write(block)
            except _RAISED:
                continue
            if same_document(plain, part):
                return self._shaped(block, shape, plain)
            tried.append((shape, read, block, plain))
        for shape, read, block, plain in tried:
            found = self._kept(shape, read, block, plain, part)
            if found is not None:
                return found
        return None

    def _candidates(self, part: Native, provider: str | None) -> list[tuple[Shape | None, Any]]:
        """Return what may read a part: v1, then the other shapes of its tag."""
        shapes: list[tuple[Shape | None, Any]] = [(shape, shape.read) for shape in shapes_of(part)]
        tag = part.get("type")
        own: list[tuple[Shape | None, Any]] = []
        if type(tag) is str and tag in V1_SHAPES and is_of_anthropic(part, provider):
            own = [(V1_SHAPES[tag], V1_SHAPES[tag].read)]
        if tag == "reasoning" and provider not in _USUAL_PROVIDERS:
            # Whose the signature is, the message says for all.
            return [(_OWN_SIGNATURE, partial(_read_signed, provider)), (None, v1.read_reasoning), *shapes]
        if tag == "non_standard":
            inner = part.get("value")
            wrapped = [_NAMED[f"non_standard {shape.name}"] for shape in (shapes_of(inner) if is_object(inner) else ())]
            return [(None, self._read_non_standard), *((shape, shape.read) for shape in wrapped)]
        if tag == "text-plain":
            return [(None, v1_media.read_text_plain), *shapes]
        if type(tag) is not str or tag not in self._readers:
            return shapes
        return [*own, (None, partial(_structured, self._readers[tag], hooks.TAGS[tag])), *shapes]

    def _read_non_standard(self, part: Native) -> Any:
        value = part.get("value")
        if not is_object(value):
            raise Unreadable
        return hooks.non_standard_block(value, self.converter)

    def _shaped(self, block: Any, shape: Shape | None, plain: Native) -> Any:
        """Return a block that remembers its shape, where that is not the default one."""
        if shape is None or same_document(plain, self._default(block)):
            return block
        return marked(block, FAMILY, shape=shape.name)

    def _kept(self, shape: Shape | None, read: Any, block: Any, plain: Native, part: Native) -> Any:
        """Return the block with its unknown fields and odd spellings; None where it would not come back."""
        keys = known_keys(block, shape, plain)
        if shape is not None and part.get("error") is not None:
            # What is wrong with an invalid call: the model has no field for it, the shape a key.
            keys -= {"error"}
        inside = nested_in(part, plain)
        if inside:
            block = block.evolve(extras={**block.extras, NESTED: adopt(inside)})
            plain = with_nested(plain, block)
        # What holds blocks is not read again: the time would grow by a factor for each level of nesting.
        again = None if type(block) is am.ToolResultBlock else read
        kept = spelling.keep(
            self._shaped(block, shape, plain), part, plain, family=FAMILY, known=keys, odd=ODD, read=again
        )
        if kept is None:
            return None
        own = kept.extras.get(FAMILY)
        if own and type(kept) is am.ToolUseBlock and v1_calls.error_first(own) is not own:
            kept = kept.evolve(extras={**kept.extras, FAMILY: v1_calls.error_first(own)})
        return kept if same_document(self._spell(kept), part) else None

    def keeps_extras(self, block: Any, provider: str | None = None) -> bool:
        """Tell whether the extras of a block come back as they are: none says what a field of it would say."""
        if not self.may_mean(block):
            return True
        if type(block) is am.ToolResultBlock and block.content:
            # The same.
            block = block.evolve(content=())
        try:
            part = self._spell(block)
            back = self._meaning(plain_copy(thaw(part)), provider or _provider_of(block))
        except _RAISED:
            return False
        return type(back) is type(block) and same_document(back.extras, block.extras)

    def may_mean(self, block: Any) -> bool:
        """Tell whether an extra of a block might be read as a field of it."""
        for space, own in block.extras.items():
            if space == FAMILY:
                if is_mapping(own) and not MAY_MEAN.isdisjoint(own):
                    return True
            elif space != INNER or (is_mapping(own) and not v1.claimed(block).isdisjoint(own)):
                return True
        return False

    # -- writing ------------------------------------------------------------------------------------------------

    def write(self, block: Any) -> Any:
        """Return the part of a block."""
        if not block.notes and not block.extras:
            writer = self._writers.get(type(block))
            if writer is not None:
                return writer(block) if type(block) not in _MAY_BE_OWN else self._default(block)
        quick = self.quick_writers.get(type(block)) if block.notes else None
        part = None if quick is None else quick(block)
        if part is not None:
            return part
        if type(block) is am.NativeBlock:
            return block.value
        note = block.notes.get(FAMILY) if block.notes else None
        if not note:
            return self._write_bare(block)
        spelt = self._spell(block)
        provider = _provider_of(block)
        if self._reads_as(spelt, block, provider):
            return spelt
        plain = self._default(block)
        return spelling.put_back(
            block, plain, family=FAMILY, read=lambda part: self.read(plain_copy(thaw(part)), provider)
        )

    def _write_bare(self, block: Any) -> Any:
        """Return the part of a block in its default spelling, with its unknown fields."""
        if type(block) is am.NativeBlock:
            return block.value
        plain = self._default(block)
        extras = block.extras.get(FAMILY) if block.extras else None
        return {**plain, **{key: extras[key] for key in extras if key not in plain}} if extras else plain

    def _default(self, block: Any) -> Native:
        writer = self._writers.get(type(block))
        if writer is None:
            return hooks.write_non_standard(block, self.converter)
        shape = _own_shape(block) if type(block) in _MAY_BE_OWN and INNER not in block.extras else None
        if shape is not None and hooks.is_ours(dispatch.class_of(block), writer):
            part = self._in_own_shape(shape, block)
            if part is not None:
                return part
        plain: Native = writer(block)
        return plain

    def _in_own_shape(self, shape: Shape, block: Any) -> Native | None:
        """Return the part of a block of Anthropic's as Anthropic has it; None where that does not say all of it."""
        bare = block.evolve(
            notes=EMPTY, extras={space: own for space, own in block.extras.items() if space in _OF_ANTHROPIC}
        )
        try:
            part = shape.write(bare)
            back = shape.read(plain_copy(thaw(part)))
        except _RAISED:
            return None
        return part if am.same(back, bare) else None

    def _spell(self, block: Any) -> Any:
        """Return the part of a block in the spelling that it remembers, whether or not that still holds."""
        name = mark_of(block, FAMILY, "/shape")
        if name == "str":
            return block.text if type(block) is am.TextBlock else self._default(block)
        shape = _NAMED.get(name) if isinstance(name, str) else None
        plain: Native | None = None
        if shape is not None:
            try:
                plain = shape.write(block)
            except _RAISED:
                # A shape of another class of blocks, planted or left behind.
                plain = None
        plain = with_nested(plain or self._default(block), block) if block.extras else plain or self._default(block)
        native = spelling.put_back(block, plain, family=FAMILY, read=lambda _: block)
        for mark, _, back in MOVES:
            if is_marked(block, FAMILY, f"/{mark}"):
                native = back(native)
        return native

    def _reads_as(self, part: Any, block: Any, provider: str | None) -> bool:
        try:
            return am.same(self.read(plain_copy(thaw(part)), provider), block)
        except AgentMsgError:
            return False


def _marked(block: Any) -> Any:
    """Return a call that was read without an id marked as such: it needs none."""
    if type(block) is not am.ToolUseBlock or block.id is not None or block.kind == "server":
        return block
    return marked(block, FAMILY, **{"no-id": True})


def _own_shape(block: Any) -> Shape | None:
    """Return the shape that only Anthropic's blocks have: of documents, those that it is told whether to cite."""
    if type(block) is am.FileBlock and block.extras and ANTHROPIC in block.extras:
        shape = own_shape(block)
        return BY_NAME["document"] if shape is None else shape
    return own_shape(block)


def _provider_of(block: Any) -> str | None:
    """Return who a message must be of, for a part of it to be read as this block where it does not say so itself."""
    if type(block) is am.ThinkingBlock:
        return None if block.signature is None else block.signature.provider
    return block.provider if type(block) in (am.ToolUseBlock, am.ToolResultBlock) else None


def _read_signed(provider: str | None, part: Native) -> am.ThinkingBlock:
    extras = part.get("extras")
    if not is_object(extras) or type(extras.get("signature")) is not str or "signature_provider" in extras:
        raise Unreadable
    block = v1.read_reasoning(part)
    return block.evolve(signature=v1.make_signature(provider=provider, value=extras["signature"]))


def _write_signed(block: Any) -> Native:
    return v1.write_reasoning(block.evolve(signature=block.signature.evolve(provider=ANTHROPIC)))


_OWN_SIGNATURE = Shape("reasoning", V1_KEYS[am.ThinkingBlock], v1.read_reasoning, _write_signed)


_NAMED: Mapping[str, Shape] = {
    **BY_NAME,
    **{wrapped.name: wrapped for wrapped in map(in_non_standard, BY_NAME.values())},
    _OWN_SIGNATURE.name: _OWN_SIGNATURE,
}
# Of whom a signature is of which nothing is told.
_USUAL_PROVIDERS = frozenset({None, ANTHROPIC})
_MAY_BE_OWN = frozenset({am.ToolUseBlock, am.ToolResultBlock, am.FileBlock})
_OF_ANTHROPIC = frozenset({ANTHROPIC, KIND})
_BARE = adopt({FAMILY: {"/shape": "str"}})


def _structured(hook: Any, cls: type, part: Native) -> Any:
    return hook(part, cls)


def _native(part: Any) -> Any:
    return _make_native(codec=FAMILY, value=adopt(part), fallback=natives.native_text(part))
