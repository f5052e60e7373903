"""Parts: the content parts of a format and the blocks of the model, by a table of shapes.

The hooks of a codec's shapes are registered on its cattrs Converter, and the tables by tag and class are filled from it
once. A hook of yours, registered before first use, changes the mapping.

Parts that no shape reads may have another spelling that means the same: ``other_spellings`` turn it into the usual one.
The mark of a spelling makes the writer use it again, as long as that still means the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from operator import is_
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from agentmsg.errors import AgentMsgError
from agentmsg.formats.natives import native_part, native_text
from agentmsg.formats.shapes import Native, Shape, Unreadable, mark_of, marked, read_as, write_as
from agentmsg.formats.spelling import same_document
from agentmsg.lazy import FILLING, Later, once
from agentmsg.model.base import BaseBlock
from agentmsg.model.blocks import NativeBlock
from agentmsg.values.frozen import EMPTY, thaw
from agentmsg.values.types import is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import cattrs

_OBJECT: Any = dict  # so that type checkers don't look inside


class Parts:
    """Reads and writes content parts.

    Args:
        family: whose parts these are.
        shapes: one for each block class that the format has.
        odd: classes or tags that the schema doesn't have in this place. Such blocks are marked ``/odd`` when read, so
            that a capability table can tell them from new ones.
        tags: those allowed here; None: all that the shapes have.

    Attributes:
        other_spellings: by the name of its mark, how a part may be spelt instead: a function that returns the usual
            spelling of such a part and the value of the mark, or None for any other part; and a function that takes
            them and returns such a part, or None if there is none.
        told_by: the key that tells the form of a part, null or missing where another key does: any other extra under
            this key would make another part.
        is_filled: whether the tables are filled.
        readers: the function that reads parts with a tag; it raises Unreadable for what has no meaning here.
        writers: the function that writes blocks of a class, by class.
    """

    is_filled = False
    other_spellings: ClassVar[Mapping[str, tuple[Callable[[Any], Any], Callable[[Any, Any], Any]]]] = EMPTY
    told_by: ClassVar[str] = "type"

    def __init__(
        self,
        family: str,
        shapes: Iterable[Shape],
        *,
        odd: Iterable[type[Any] | str | None] = (),
        tags: Iterable[str | None] | None = None,
    ) -> None:
        self.family = family
        self._shapes: dict[Any, Shape] = {shape.cls: shape for shape in shapes}
        self._odd = frozenset(odd)
        self._tags = None if tags is None else frozenset(tags)
        self._converter: cattrs.Converter | None = None
        self._whole: Parts | None = None
        self._by_tag: dict[Any, list[Shape]] = {}
        self.readers: dict[Any, Callable[[Native], Any]] = Later(self._reader_of)
        # : By class, the function that writes a block's part without notes and extras.
        self.writers: dict[type[Any], Callable[[Any], Native]] = Later(self._writer_of)

    @property
    def converter(self) -> cattrs.Converter:
        """The Converter that the hooks of the block classes are registered on."""
        if self._whole is not None:
            return self._whole.converter
        if self._converter is None:
            with FILLING:
                self._converter = self._converter or self._register(self.new_converter())
        return self._converter

    def new_converter(self) -> cattrs.Converter:
        """Return a converter without the shapes' hooks; a subclass may return a more capable one."""
        import cattrs  # noqa: PLC0415 - loaded when a first document is read or written

        return cattrs.Converter(detailed_validation=False)

    def _register(self, converter: cattrs.Converter) -> cattrs.Converter:
        names = {"JSON": Any, "Block": BaseBlock, "Mapping": Mapping, "Any": Any}
        for cls, shape in self._shapes.items():
            # Otherwise nobody could register a hook on the class: cattrs resolves its annotations, and knows no names.
            attrs.resolve_types(cls, localns=names)
            converter.register_structure_hook_func(partial(is_, cls), shape.read)
            converter.register_unstructure_hook_func(partial(is_, cls), shape.write)
        return converter

    def narrowed(
        self,
        classes: Iterable[type[Any]] | Mapping[type[Any], Shape],
        *,
        odd: Iterable[type[Any] | str | None] = (),
        tags: Iterable[str | None] | None = None,
    ) -> Parts:
        """Return the table of another place, with some of the classes and tags, and the same Converter."""
        chosen = set(classes)
        own: Mapping[type[Any], Shape] = {**self._shapes, **classes} if isinstance(classes, Mapping) else self._shapes
        other = type(self)(
            self.family,
            (shape for cls, shape in own.items() if cls in chosen),
            odd=odd,
            tags=tags,
        )
        other._whole = self
        return other

    def hooks(self) -> dict[type[Any], tuple[Any, Any]]:
        """Return the hooks of users that replace ours, by class: what reads such objects, and what writes them.

        If nobody has asked for the Converter, nobody has registered any: then cattrs isn't even loaded.
        """
        whole = self if self._whole is None else self._whole
        converter = whole._converter
        if converter is None:
            return {}
        found = {cls: (converter.get_structure_hook(cls), converter.get_unstructure_hook(cls)) for cls in whole._shapes}
        ours = {cls: (shape.read, shape.write) for cls, shape in whole._shapes.items()}
        return {cls: hooks for cls, hooks in found.items() if hooks != ours[cls]}

    @once
    def fill(self) -> None:
        """Fill the tables from the converter, on first use."""
        hooks = {cls: own for cls, own in self.hooks().items() if cls in self._shapes}
        for cls, (read, write) in hooks.items():
            self._shapes[cls] = self._shapes[cls].hooked(read, write)
        for shape in self._shapes.values():
            for tag in shape.keys:
                if self._tags is None or tag in self._tags:
                    others = self._by_tag.get(tag, []) if shape.takes is not None else []
                    self._by_tag[tag] = [*others, shape]
        self.take_hooks([self._shapes[cls] for cls in hooks])

    def take_hooks(self, shapes: Iterable[Shape]) -> None:
        """Take the shapes that users' hooks have replaced; a subclass may do more than fill the tables."""

    def shape(self, cls: type[Any]) -> Shape | None:
        """Return the shape of a block class."""
        return self._shapes.get(cls)

    def keys_of(self, block: Any) -> frozenset[str]:
        """Return the keys of a block's part that unknown fields must not use."""
        shape = self._shapes.get(block.__class__)
        return frozenset() if shape is None else shape.keys[shape.tag_of(block)] | {shape.tag}

    def read(self, part: Any) -> Any:
        """Read a part; return a NativeBlock if it has no meaning here, or wouldn't come back."""
        if type(part) is _OBJECT:
            tag = part.get("type")
            if type(tag) is str or tag is None:
                read = self.readers[tag]
                if read is not None:
                    try:
                        return read(part)
                    except (Unreadable, AgentMsgError):
                        pass
        return self.read_other(part)

    @staticmethod
    def said(part: Any) -> str | None:
        """Return the text that other formats may write for a part that is kept unchanged."""
        return native_text(part)

    @staticmethod
    def untyped(tags: Mapping[str, str]) -> tuple[Callable[[Any], Any], Callable[[Any, Any], Any]]:
        """Return the other spelling of parts without a type: by the one key that tells each, its tag."""

        def usual(part: Any) -> Any:
            keys = [key for key in tags if key in part] if is_object(part) and "type" not in part else []
            return ({"type": tags[keys[0]], **part}, True) if len(keys) == 1 else None

        def respelt(native: Native, _: Any) -> Any:
            return {key: value for key, value in native.items() if key != "type"}

        return usual, respelt

    def read_other(self, part: Any) -> Any:
        """Read a part that no shape reads: in another spelling, or as a NativeBlock."""
        for name, (usual, _) in self.other_spellings.items():
            found = usual(part)
            if found is None:
                continue
            native, how = found
            block = self.read(native)
            if type(block) is not NativeBlock:
                block = marked(block, self.family, **{name: how})
                if same_document(self.write(block), part):
                    return block
        return native_part(part, self.family, self.said)

    def _reader_of(self, tag: str | None) -> Callable[[Native], Any] | None:
        """Return the function that reads the parts with a tag; None if they have no meaning here."""
        shapes = self._by_tag.get(tag)
        if shapes is None:
            return None
        if len(shapes) == 1:
            return self._reader(shapes[0], tag)
        keyed = self._by_key(shapes, tag)
        if keyed is not None:
            return keyed
        readers = [(shape.takes, self._reader(shape, tag)) for shape in shapes]

        def read(native: Native) -> Any:
            for takes, one in readers:
                if takes is None or takes(native):
                    return one(native)
            raise Unreadable

        return read

    def _by_key(self, shapes: list[Shape], tag: str | None) -> Callable[[Native], Any] | None:
        """Return a function that reads parts with a tag by the keys they are made around; None if keys don't decide.

        A key may stand for several forms: each decides by itself whether a part is one of it.
        """
        tables = [None if shape.exact is None or shape.around is None else shape.around[tag] for shape in shapes]
        if any(shape.cls in self._odd for shape in shapes) or tag in self._odd:
            return None
        makers: dict[str | None, list[Callable[[], Any]]] = {None: []}
        for table in tables:
            if table is None:
                return None
            for key, make in table.items():
                makers.setdefault(key, []).append(make)
        # Made when a part has the key: few documents have parts of all kinds.
        readers = Later(lambda key: [make() for make in makers[key]])

        def read(native: Native) -> Any:
            for key in (*native, None):
                if key in makers:
                    for one in readers[key]:
                        try:
                            return one(native)
                        except Unreadable:
                            continue
            raise Unreadable

        return read

    def _reader(self, shape: Shape, tag: str | None) -> Callable[[Native], Any]:
        family = self.family
        read: Callable[[Native], Any] = partial(read_as, shape, family=family)
        if shape.exact is not None:
            read = shape.exact[tag]
        if shape.cls in self._odd or tag in self._odd:
            return lambda native: marked(read(native), family, odd=True)
        return read

    def _writer_of(self, cls: type[Any]) -> Callable[[Any], Native] | None:
        """Return what writes the objects of a class; None if they have no shape."""
        shape = self._shapes.get(cls)
        return None if shape is None else shape.write if shape.writer is None else shape.writer()

    def write(self, block: Any) -> Any:
        """Write a block that fits as a part."""
        cls: Any = block.__class__
        if not block.notes and not block.extras and cls is not NativeBlock:
            return self.writers[cls](block)
        if cls is NativeBlock:
            return thaw(block.value)
        native = write_as(self._shapes[cls], block, self.family)
        return self._respelt(native, block) if self.other_spellings and block.notes else native

    def _respelt(self, native: Any, block: Any) -> Any:
        """Return a block's part in the spelling in which it was read, unless that would mean something else now."""
        for name, (usual, other) in reversed([*self.other_spellings.items()]):
            how = mark_of(block, self.family, f"/{name}")
            spelt = None if how is None else other(native, how)
            if spelt is not None and same_document(usual(spelt), (native, how)):
                native = spelt
        return native

    def comes_back(self, block: NativeBlock) -> NativeBlock | None:
        """Return what is read back if this native block is written; None if that is something else."""
        self.fill()
        back = self.read(thaw(block.value))
        return back if type(back) is NativeBlock else None
