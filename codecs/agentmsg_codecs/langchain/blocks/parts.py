"""Content parts to blocks and back: the shapes of v1 and the variants at work.

Reading tries v1 and then the other variants of a part's tag; whatever a variant reads must come back exactly, else the
part is kept as a NativeBlock. Writing is v1, unless the block remembers another variant that still reads the same.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import agentmsg as am
import agentmsg_codecs.langchain.blocks.non_standard as non_standard
import agentmsg_codecs.langchain.blocks.v1 as v1
import agentmsg_codecs.langchain.blocks.v1_calls as v1_calls
import agentmsg_codecs.langchain.blocks.v1_media as v1_media
import agentmsg_codecs.langchain.blocks.v1_shapes as v1_shapes
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    EMPTY,
    Native,
    Parts,
    Shape,
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
    object_at,
    plain_copy,
    same_document,
    spelling,
)
from agentmsg_codecs.langchain.blocks.anthropic import KIND, own_variant
from agentmsg_codecs.langchain.blocks.anthropic_v1 import V1_VARIANTS, is_of_anthropic
from agentmsg_codecs.langchain.blocks.keys import MAY_MEAN, NESTED, ODD, known_keys, nested_in, with_nested
from agentmsg_codecs.langchain.blocks.moves import MOVES
from agentmsg_codecs.langchain.blocks.quick import QUICK, QUICK_WRITERS
from agentmsg_codecs.langchain.blocks.v1_results import Inner
from agentmsg_codecs.langchain.blocks.variant import Variant
from agentmsg_codecs.langchain.blocks.variants import BY_NAME, variants_of, wrapped
from agentmsg_codecs.langchain.names import ANTHROPIC, FAMILY, INNER

if TYPE_CHECKING:
    from collections.abc import Mapping

    import cattrs


_make_native = maker(am.NativeBlock)

_RAISED = (Unreadable, AgentMsgError, AttributeError, LookupError, TypeError, ValueError)


class ContentParts(Parts):
    """Reads and writes content parts: those of v1 by their shapes, all others by variants.

    Attributes:
        quick_writers: by class, the writers of blocks with the usual notes; each gives None if the general path
            must look.
    """

    def __init__(self) -> None:
        shapes = v1_shapes.shapes(Inner(self.read, self._write_bare))
        super().__init__(FAMILY, shapes, QUICK)
        self._own_writers = {shape.cls: shape.write for shape in shapes}
        self.quick_writers: dict[Any, Any] = dict(QUICK_WRITERS)

    def new_converter(self) -> cattrs.Converter:
        """Return a converter that can read and write what stands in `non_standard`, too."""
        return non_standard.make_converter()

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
        tried: list[tuple[Variant | None, Any, Any, Native]] = []
        for variant, read in self._candidates(part, provider):
            try:
                block = read(part)
                plain = self._default(block) if variant is None else variant.write(block)
            except _RAISED:
                continue
            if same_document(plain, part):
                return self._as_variant(block, variant, plain)
            tried.append((variant, read, block, plain))
        for variant, read, block, plain in tried:
            found = self._kept(variant, read, block, plain, part)
            if found is not None:
                return found
        return None

    def _candidates(self, part: Native, provider: str | None) -> list[tuple[Variant | None, Any]]:
        """Return what may read a part: v1, then the other variants of its tag."""
        variants: list[tuple[Variant | None, Any]] = [(variant, variant.read) for variant in variants_of(part)]
        tag = part.get("type")
        own: list[tuple[Variant | None, Any]] = []
        if type(tag) is str and tag in V1_VARIANTS and is_of_anthropic(part, provider):
            own = [(V1_VARIANTS[tag], V1_VARIANTS[tag].read)]
        if tag == "reasoning" and provider not in _USUAL_PROVIDERS:
            # Whose the signature is, the message says for all.
            return [(_OWN_SIGNATURE, partial(_read_signed, provider)), (None, v1.read_reasoning), *variants]
        if tag == "non_standard":
            inner = part.get("value")
            inside = [
                _NAMED[f"non_standard {variant.name}"] for variant in (variants_of(inner) if is_object(inner) else ())
            ]
            return [(None, self._read_non_standard), *((variant, variant.read) for variant in inside)]
        if tag == "text-plain":
            return [(None, v1_media.read_text_plain), *variants]
        usual = self.shape_of_tag(tag) if type(tag) is str else None
        return variants if usual is None else [*own, (None, partial(_structured, usual)), *variants]

    def _read_non_standard(self, part: Native) -> Any:
        return non_standard.non_standard_block(object_at(part, "value"), self.converter)

    def _as_variant(self, block: Any, variant: Variant | None, plain: Native) -> Any:
        """Return a block that remembers its variant, where that is not the default one."""
        if variant is None or same_document(plain, self._default(block)):
            return block
        return marked(block, FAMILY, shape=variant.name)

    def _kept(self, variant: Variant | None, read: Any, block: Any, plain: Native, part: Native) -> Any:
        """Return the block with its unknown fields and odd spellings; None if it would not come back."""
        keys = known_keys(block, variant, plain)
        if variant is not None and part.get("error") is not None:
            # What is wrong with an invalid call: the model has no field for it, the variant a key.
            keys -= {"error"}
        inside = nested_in(part, plain)
        if inside:
            block = block.evolve(extras={**block.extras, NESTED: adopt(inside)})
            plain = with_nested(plain, block)
        # What holds blocks is not read again: the time would grow by a factor for each level of nesting.
        again = None if type(block) is am.ToolResultBlock else read
        kept = spelling.keep(
            self._as_variant(block, variant, plain), part, plain, family=FAMILY, known=keys, odd=ODD, read=again
        )
        if kept is None:
            return None
        own = kept.extras.get(FAMILY)
        if own and type(kept) is am.ToolUseBlock and v1_calls.error_first(own) is not own:
            kept = kept.evolve(extras={**kept.extras, FAMILY: v1_calls.error_first(own)})
        return kept if same_document(self._spell(kept), part) else None

    def keeps_extras(self, block: Any, provider: str | None = None) -> bool:
        """Whether the extras of a block come back as they are: none says what a field of it would say."""
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
        """Whether an extra of a block might be read as a field of it."""
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
            writer = self.writers.get(block.__class__)
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
        extras = natives.extras_of(block, FAMILY)
        return {**plain, **{key: extras[key] for key in extras if key not in plain}} if extras else plain

    def _default(self, block: Any) -> Native:
        writer = self.writers.get(block.__class__)
        if writer is None:
            return non_standard.write_non_standard(block, self.converter)
        variant = _own_variant(block) if type(block) in _MAY_BE_OWN and INNER not in block.extras else None
        if variant is not None and writer is self._own_writers[dispatch.class_of(block)]:
            part = self._in_own_variant(variant, block)
            if part is not None:
                return part
        plain: Native = writer(block)
        return plain

    def _in_own_variant(self, variant: Variant, block: Any) -> Native | None:
        """Return the part of a block of Anthropic's as Anthropic has it; None if that does not say all of it."""
        bare = block.evolve(
            notes=EMPTY, extras={space: own for space, own in block.extras.items() if space in _OF_ANTHROPIC}
        )
        try:
            part = variant.write(bare)
            back = variant.read(plain_copy(thaw(part)))
        except _RAISED:
            return None
        return part if am.same(back, bare) else None

    def _spell(self, block: Any) -> Any:
        """Return the part of a block in the spelling that it remembers, whether or not that still holds."""
        name = mark_of(block, FAMILY, "/shape")
        if name == "str":
            return block.text if type(block) is am.TextBlock else self._default(block)
        variant = _NAMED.get(name) if isinstance(name, str) else None
        plain: Native | None = None
        if variant is not None:
            try:
                plain = variant.write(block)
            except _RAISED:
                # A variant of another class of blocks, planted or left behind.
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


def _own_variant(block: Any) -> Variant | None:
    """Return the variant that only Anthropic's blocks have: of documents, those that it is told whether to cite."""
    if type(block) is am.FileBlock and block.extras and ANTHROPIC in block.extras:
        variant = own_variant(block)
        return BY_NAME["document"] if variant is None else variant
    return own_variant(block)


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


_OWN_SIGNATURE = Variant("reasoning", v1_shapes.KEYS[am.ThinkingBlock], v1.read_reasoning, _write_signed)


_NAMED: Mapping[str, Variant] = {
    **BY_NAME,
    **{variant.name: variant for variant in map(wrapped, BY_NAME.values())},
    _OWN_SIGNATURE.name: _OWN_SIGNATURE,
}
# Of whom a signature is of which nothing is told.
_USUAL_PROVIDERS = frozenset({None, ANTHROPIC})
_MAY_BE_OWN = frozenset({am.ToolUseBlock, am.ToolResultBlock, am.FileBlock})
_OF_ANTHROPIC = frozenset({ANTHROPIC, KIND})
_BARE = adopt({FAMILY: {"/shape": "str"}})


def _structured(shape: Shape, part: Native) -> Any:
    return shape.read(part, shape.cls)


def _native(part: Any) -> Any:
    return _make_native(codec=FAMILY, value=adopt(part), fallback=natives.native_text(part))
