"""Content parts to blocks and back: the table of shapes at work. Imports the hooks, the shapes and the core's notes.

Reading tries v1 and then the other shapes of a part's tag; whatever a shape reads must come back exactly, else the
part is kept as a NativeBlock. Writing is v1, unless the block remembers another shape that still reads the same.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import agentmsg as am
import agentmsg_codecs.langchain.hooks as hooks
import agentmsg_codecs.langchain.v1 as v1
import agentmsg_codecs.langchain.v1_calls as v1_calls
import agentmsg_codecs.langchain.v1_media as v1_media
from agentmsg.codec import hook_table, maker, once
from agentmsg.errors import AgentMsgError
from agentmsg.json_values import adopt, plain_copy, thaw
from agentmsg.notes import keep, note_of, put_back, same_document, with_note
from agentmsg.plain import class_of, is_mapping, is_object
from agentmsg_codecs.langchain.call_shapes import BY_NAME, shapes_of
from agentmsg_codecs.langchain.quick_shapes import QUICK_SHAPES, QUICK_WRITERS
from agentmsg_codecs.langchain.v1 import Unreadable
from agentmsg_codecs.langchain.words import FAMILY, INNER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg_codecs.langchain.shapes import Shape

__all__ = ["Parts", "fallback_of", "note_at"]

Part = dict[str, Any]
_make_native = maker(am.NativeBlock)

_V1_BASE = frozenset({"type", "id", "extras", "cache_control"})
_V1_KEYS: Mapping[type, frozenset[str]] = {
    am.TextBlock: _V1_BASE | {"text", "annotations", "citations"},
    am.ThinkingBlock: _V1_BASE | {"reasoning", "summary", "encrypted_content"},
    am.RefusalBlock: _V1_BASE | {"refusal"},
    am.ImageBlock: _V1_BASE | {"url", "base64", "file_id", "mime_type", "source", "source_type"},
    am.AudioBlock: _V1_BASE | {"url", "base64", "file_id", "mime_type", "source", "source_type"},
    am.VideoBlock: _V1_BASE | {"url", "base64", "file_id", "mime_type", "source", "source_type"},
    am.FileBlock: _V1_BASE
    | {"url", "base64", "file_id", "mime_type", "text", "title", "context", "source", "source_type", "file"},
    am.ToolUseBlock: _V1_BASE | {"name", "args"},
    am.ToolResultBlock: _V1_BASE | {"tool_call_id", "status", "output"},
}
# (A call's `error` is an unknown field that invalid calls have a key for.)
_NON_STANDARD = frozenset({"type", "value"})


def own_keys(block: Any) -> frozenset[str]:
    """Return the keys that the v1 part of a block may have of its own: no unknown field may use them."""
    return _V1_KEYS.get(class_of(block), _NON_STANDARD)


def note_at(obj: Any, key: str) -> Any:
    """Return one entry of this family's note on an object, or None."""
    note = obj.notes.get(FAMILY) if obj.notes else None
    return note.get(key) if is_mapping(note) else None


def fallback_of(value: Any) -> str | None:
    """Return the text that other formats may write for a native part."""
    text = value.get("text") if is_mapping(value) else None
    return text if isinstance(text, str) and text else None


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

    @once
    def fill(self) -> None:
        """Fill the tables from the converter, on first use."""
        self._readers = hook_table(self.converter.get_structure_hook, hooks.TAGS)
        self._writers = hook_table(self.converter.get_unstructure_hook, {*hooks.TAGS.values()})
        # The shortcuts know our own hooks by heart, and stand back where another is registered.
        self.quick.update((tag, quick) for tag, hook, quick in hooks.QUICK if self._readers[tag] is hook)
        # A part notes its shape where that is not the default one: known as long as the default is ours.
        self.quick.update((tag, quick) for tag, cls, quick in QUICK_SHAPES if hooks.is_ours(cls, self._writers[cls]))

    # -- reading ------------------------------------------------------------------------------------------------

    def read(self, part: Any) -> Any:
        """Return the block of a part."""
        if is_object(part):
            tag = part.get("type")
            quick = self.quick.get(tag) if type(tag) is str else None
            block = None if quick is None else quick(part)
            return self._read(part) if block is None else block
        if type(part) is str:
            return v1.make_text(text=part, notes=_BARE)
        return _native(part)

    def _read(self, part: Part) -> Any:
        tried: list[tuple[Shape | None, Any, Any, Part]] = []
        for shape, read in self._candidates(part):
            try:
                block = read(part)
                plain = self._default(block) if shape is None else shape.write(block)
            except (Unreadable, AgentMsgError):
                continue
            if same_document(plain, part):
                return _marked(self._shaped(block, shape, plain))
            tried.append((shape, read, block, plain))
        for shape, read, block, plain in tried:
            found = self._kept(shape, read, block, plain, part)
            if found is not None:
                return _marked(found)
        return _native(part)

    def _candidates(self, part: Part) -> list[tuple[Shape | None, Any]]:
        """Return what may read a part: v1, then the other shapes of its tag."""
        shapes: list[tuple[Shape | None, Any]] = [(shape, shape.read) for shape in shapes_of(part)]
        tag = part.get("type")
        if tag == "non_standard":
            return [(None, self._read_non_standard)]
        if tag == "text-plain":
            return [(None, v1_media.read_text_plain), *shapes]
        if type(tag) is not str or tag not in self._readers:
            return shapes
        return [(None, partial(_structured, self._readers[tag], hooks.TAGS[tag])), *shapes]

    def _read_non_standard(self, part: Part) -> Any:
        value = part.get("value")
        if not is_object(value):
            raise Unreadable
        return hooks.non_standard_block(value, self.converter)

    def _shaped(self, block: Any, shape: Shape | None, plain: Part) -> Any:
        """Return a block that remembers its shape, where that is not the default one."""
        if shape is None or same_document(plain, self._default(block)):
            return block
        return with_note(block, FAMILY, {**note_of(block, FAMILY), "/shape": shape.name})

    def _kept(self, shape: Shape | None, read: Any, block: Any, plain: Part, part: Part) -> Any:
        """Return the block with its unknown fields and odd spellings; None where it would not come back."""
        keys = own_keys(block) if shape is None else shape.keys
        if shape is not None and part.get("error") is not None:
            # What is wrong with an invalid call: the model has no field for it, the shape a key.
            keys -= {"error"}
        kept = keep(self._shaped(block, shape, plain), part, plain, family=FAMILY, known=keys, read=read)
        if kept is None or not own_keys(kept).isdisjoint(kept.extras.get(FAMILY) or ()):
            return None
        if not v1.claimed(kept).isdisjoint(kept.extras.get(INNER) or ()):
            return None
        own = kept.extras.get(FAMILY)
        if own and type(kept) is am.ToolUseBlock and v1_calls.error_first(own) is not own:
            kept = kept.evolve(extras={**kept.extras, FAMILY: v1_calls.error_first(own)})
        return kept if same_document(self._spell(kept), part) else None

    # -- writing ------------------------------------------------------------------------------------------------

    def write(self, block: Any) -> Any:
        """Return the part of a block."""
        if not block.notes and not block.extras:
            writer = self._writers.get(type(block))
            if writer is not None:
                return writer(block)
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
        if self._reads_as(spelt, block):
            return spelt
        plain = self._default(block)
        return put_back(block, plain, family=FAMILY, read=lambda part: self.read(plain_copy(thaw(part))))

    def _write_bare(self, block: Any) -> Any:
        """Return the part of a block in its default spelling, with its unknown fields."""
        if type(block) is am.NativeBlock:
            return block.value
        plain = self._default(block)
        extras = block.extras.get(FAMILY) if block.extras else None
        return {**plain, **{key: extras[key] for key in extras if key not in plain}} if extras else plain

    def _default(self, block: Any) -> Part:
        writer = self._writers.get(type(block))
        return hooks.write_non_standard(block, self.converter) if writer is None else writer(block)

    def _spell(self, block: Any) -> Any:
        """Return the part of a block in the spelling that it remembers, whether or not that still holds."""
        name = note_at(block, "/shape")
        if name == "str":
            return block.text if type(block) is am.TextBlock else self._default(block)
        shape = BY_NAME.get(name) if isinstance(name, str) else None
        plain: Part | None = None
        if shape is not None:
            try:
                plain = shape.write(block)
            except (AttributeError, KeyError, TypeError, Unreadable):
                # A shape of another class of blocks, planted or left behind.
                plain = None
        return put_back(block, plain or self._default(block), family=FAMILY, read=lambda _: block)

    def _reads_as(self, part: Any, block: Any) -> bool:
        try:
            return am.same(self.read(plain_copy(thaw(part))), block)
        except AgentMsgError:
            return False


def _marked(block: Any) -> Any:
    """Return a call that was read without an id marked as such: it needs none."""
    if type(block) is not am.ToolUseBlock or block.id is not None or block.kind == "server":
        return block
    return with_note(block, FAMILY, {**note_of(block, FAMILY), "/no-id": True})


_BARE = adopt({FAMILY: {"/shape": "str"}})


def _structured(hook: Any, cls: type, part: Part) -> Any:
    return hook(part, cls)


def _native(part: Any) -> Any:
    return _make_native(codec=FAMILY, value=adopt(part), fallback=fallback_of(part))
