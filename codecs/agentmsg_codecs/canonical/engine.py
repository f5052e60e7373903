"""The engine of a canonical codec: a cattrs Converter with a hook for each class, and the tables filled from it.

Our hooks are the functions of generated_code.py, registered on the converter. The dispatch tables (by tag for reading,
by class for writing) are filled from the converter once, on first use. A hook that a user registers before that, for
one of our classes or their own, replaces ours; a registered block class without hooks gets hooks for its attrs fields.
Hooks take and return the object as it is in the document, tag included.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, cast

from agentmsg import (
    AgentMsgError,
    BaseBlock,
    Citation,
    DecodeError,
    EncodeError,
    History,
    Made,
    Msg,
    NativeBlock,
    NativeTool,
)
from agentmsg.formats import EMPTY, adopt, blocks, dispatch, excerpt, is_mapping, maker, speed
from agentmsg_codecs.canonical.fields import FAMILY, ROLE_NUMBERS, ROLES, SOURCES, SPECS, TOOLS, VERSION, Spec
from agentmsg_codecs.canonical.generated_code import code
from agentmsg_codecs.canonical.kinds import floats, texts
from agentmsg_codecs.canonical.plain_path import plain_reader, plain_writer
from agentmsg_codecs.canonical.user_hooks import (
    as_hook,
    foreign_reader,
    foreign_writer,
    new_converter,
    proven_writer,
    user_spec,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentmsg_codecs.canonical.shapes import Shape


# What a document says twice stays so: its messages aren't joined again.
with_messages = speed.replacer(History, "messages")
Reader = Callable[[Any, int], Any]
Writer = Callable[[Any], Any]


class _Writers(dict[type, Writer]):
    """The writers by class; the writer of a new class is made once, on its first look-up."""

    def __init__(self, missing: Callable[[type], Writer]) -> None:
        super().__init__()
        self._missing = missing

    def __missing__(self, cls: type) -> Writer:
        return self._missing(cls)


class Engine:
    """Reads and writes all classes of the model in one shape.

    Args:
        shape: JSON's or MessagePack's.
        adopt: wraps free-form JSON of a document, and checks it if the parser didn't.
        only_ours: refuse users' blocks.

    Attributes:
        made: a new object each time that an id was read again which the library made.
        has_foreign_writers: whether any writer so far came from a user's hook or class.
        read_blocks: reads content blocks.
        is_unhooked: whether generated_code.py made all readers of our classes, so that no user's hook replaces one.
    """

    def __init__(self, shape: Shape, adopt: Callable[[Any], Any] = adopt, *, only_ours: bool = False) -> None:
        self.shape = shape
        self.adopt = adopt
        self._only_ours = only_ours
        self._converter: Any = None
        self.writers = _Writers(self._new_writer)
        self._by_class: dict[type, Reader] = {}
        self._blocks: dict[Any, Reader] = {}
        self._sources: dict[Any, Reader] = {}
        self._tools: dict[Any, Reader] = {}
        self._tags_seen = 0
        self.is_unhooked = False
        self.has_foreign_writers = False
        self.made: object = None
        self.read_blocks = self._json_blocks if shape.key == "json" else self._msgpack_blocks
        self._names = self._namespace()
        self._ours: dict[type, tuple[Reader, Writer]] = {}
        for cls in SPECS:
            reader, writer = self._generated(f"read_{cls.__name__}"), self._generated(f"write_{cls.__name__}")
            self._generated(f"rest_{cls.__name__}")
            self._ours[cls] = (as_hook(self.shape, SPECS[cls], reader), writer)

    @property
    def converter(self) -> Any:
        """The Converter that the hooks are registered on, made when somebody asks for it: cattrs takes long to load."""
        if self._converter is None:
            with speed.FILLING:
                self._converter = self._converter or new_converter(self, self._ours)
        return self._converter

    def _namespace(self) -> dict[str, Any]:
        """Return the globals of the generated source."""
        names: dict[str, Any] = {
            "AgentMsgError": AgentMsgError,
            "EMPTY": EMPTY,
            "PADS": [[None] * count for count in range(32)],
            "ROLES": ROLES,
            "ROLE_NUMBERS": ROLE_NUMBERS,
            "UNSET": blocks.UNSET,
            "adopt": self.adopt,
            "floats": floats,
            "isfinite": math.isfinite,
            "made_again": self.made_again,
            "datetime": datetime,
            "moment": _moment,
            "texts": texts,
            "time_text": speed.time_text,
            "utc": UTC,
            "read_blocks": self.read_blocks,
            "read_source": self.read_source,
            "read_tools": self.read_tools,
            "writers": self.writers,
        }
        for cls, spec in SPECS.items():
            name = cls.__name__
            make: Callable[..., Any] = maker(cls)
            names[name], names[f"draft_{name}"], names[f"make_{name}"] = cls, speed.draft_class(cls), make
            names[f"plain_read_{name}"] = plain_reader(self, spec, make)
            names[f"plain_write_{name}"] = plain_writer(self, spec)
        for cls in (Citation, Msg):
            names[f"read_all_{cls.__name__}"] = partial(self.read_all, cls)
        return names

    def _generated(self, name: str) -> Any:
        """Return a stand-in for a reader or writer; its first call compiles the real one for all tables."""
        made: Any = None

        def first(*given: Any) -> Any:
            nonlocal made
            if made is None:
                made = self._compiled(name)
                for table in (self._names, self._by_class, self._blocks, self._sources, self._tools, self.writers):
                    _replace(table, first, made)
            return made(*given)

        self._names[name] = first
        return first

    def _compiled(self, name: str) -> Any:
        found: dict[str, Any] = {}
        exec(code(self.shape.key, name), self._names, found)
        return found[name]

    # -- tables ------------------------------------------------------------------------------------------------

    def fill(self) -> None:
        """Fill the tables from the converter, on first use and after new block classes were registered."""
        if len(blocks.BLOCK_TAGS) == self._tags_seen:
            return
        with speed.FILLING:
            tags = dict(blocks.BLOCK_TAGS)
            if not self._by_class:
                self.is_unhooked = self._fill_ours()
            for cls, tag in tags.items():
                if self._only_ours and cls not in SPECS:
                    self._blocks[tag] = _refuse
                elif cls not in SPECS:
                    spec = user_spec(cls, tag)
                    self._by_class[cls] = self._blocks[tag] = self._user_reader(cls, spec)
            self._tags_seen = len(tags)

    def _fill_ours(self) -> bool:
        """Fill the tables for our classes; return whether all readers are our own."""
        # Without a converter nobody has registered a hook.
        readers: dict[type, Any] = {cls: pair[0] for cls, pair in self._ours.items()}
        writers: dict[type, Any] = {cls: pair[1] for cls, pair in self._ours.items()}
        if self._converter is not None:
            readers = dispatch.hook_table(self._converter.get_structure_hook, list(SPECS))
            writers = dispatch.hook_table(self._converter.get_unstructure_hook, list(SPECS))
        for cls, spec in SPECS.items():
            ours = readers[cls] is self._ours[cls][0]
            reader = self._names[f"read_{cls.__name__}"] if ours else foreign_reader(readers[cls], cls)
            self._by_class[cls] = self._names[f"read_{cls.__name__}"] = reader
            tag = self.shape.spec_tag(spec)
            if cls in SOURCES:
                self._sources[tag] = reader
            elif cls in TOOLS:
                self._tools[tag] = reader
            elif issubclass(cls, BaseBlock):
                self._blocks[tag] = reader
        for cls, hook in writers.items():
            ours = hook is self._ours[cls][1]
            writer = hook if ours else foreign_writer(hook, cls)
            self.writers[cls] = self._names[f"write_{cls.__name__}"] = writer
            self.has_foreign_writers |= not ours
        return all(readers[cls] is self._ours[cls][0] for cls in SPECS)

    def _user_reader(self, cls: type, spec: Spec) -> Reader:
        hook = self.converter.get_structure_hook(cls)
        if any(hook is pair[0] for pair in self._ours.values()):
            # For a subclass of one of our classes cattrs returns our hook, but a class with its own tag needs its own.
            return plain_reader(self, spec, cls)
        return foreign_reader(hook, cls)

    def _new_writer(self, cls: type) -> Writer:
        if cls in SPECS:
            self.fill()
            return self.writers[cls]
        tag = blocks.BLOCK_TAGS.get(cls)
        if tag is None:
            raise EncodeError(f"{cls.__name__} has no tag: name one with register_block", code="type")
        self.has_foreign_writers = True
        hook = self.converter.get_unstructure_hook(cls)
        inherited = any(hook is pair[1] for pair in self._ours.values())
        writer = plain_writer(self, user_spec(cls, tag)) if inherited else foreign_writer(hook, cls)
        writer = proven_writer(writer, lambda native: self.read_one(cls, native, 0))
        self.writers[cls] = writer
        return writer

    def plain_hooks(self, cls: type) -> tuple[Reader, Writer]:
        """Return the plain reader and writer of a class, ours or a registered one."""
        spec = SPECS.get(cls) or user_spec(cls, blocks.BLOCK_TAGS.get(cls, cls.__name__))
        return plain_reader(self, spec, cls if cls not in SPECS else maker(cls)), plain_writer(self, spec)

    # -- reading -----------------------------------------------------------------------------------------------

    def read_block(self, item: Any, level: int) -> Any:
        """Read one content block."""
        if type(item) is str and self.shape.key == "msgpack":
            return self._names["read_TextBlock"](item, level)
        return self._lookup(self._blocks, NativeBlock, item)(item, level)

    def read_tool(self, item: Any, level: int) -> Any:
        """Read one tool."""
        return self._lookup(self._tools, NativeTool, item)(item, level)

    def _json_blocks(self, items: list[Any], level: int) -> tuple[Any, ...]:
        if level >= speed.DEFAULT_LIMITS.nesting:
            raise _too_deep()
        table = self._blocks
        out: list[Any] = []
        append = out.append
        try:
            for item in items:
                try:
                    reader = table[item["type"]]
                except (KeyError, TypeError):
                    reader = self._lookup(table, NativeBlock, item)
                append(reader(item, level))
        except AgentMsgError as error:
            raise error.at(len(out)) from None
        return tuple(out)

    def _msgpack_blocks(self, items: list[Any], level: int) -> tuple[Any, ...]:
        if level >= speed.DEFAULT_LIMITS.nesting:
            raise _too_deep()
        table, read_text = self._blocks, self._names["read_TextBlock"]
        out: list[Any] = []
        append = out.append
        try:
            for item in items:
                if type(item) is str:
                    append(read_text(item, level))
                    continue
                tag: Any = cast("Any", item)[0] if type(item) is list and item else None
                if type(tag) is int and tag in table:
                    append(table[tag](item, level))
                else:
                    append(self._lookup(table, NativeBlock, item)(item, level))
        except AgentMsgError as error:
            raise error.at(len(out)) from None
        return tuple(out)

    def read_tools(self, items: list[Any], level: int) -> tuple[Any, ...]:
        """Read tools."""
        return _each(self.read_tool, items, level)

    def _lookup(self, table: Mapping[Any, Reader], native: type, item: Any) -> Reader:
        """Return the reader of a tagged object; objects of later versions are kept unchanged."""
        tag = self.shape.tag(item)
        reader = table.get(tag)
        if reader is None and native is NativeBlock and type(tag) is str:
            blocks.load_blocks()
            self.fill()
            reader = table.get(tag)
        return reader if reader is not None else lambda value, _: native(codec=FAMILY, value=self.adopt(value))

    def read_source(self, native: Any, level: int) -> Any:
        """Read a source."""
        tag = self.shape.tag(native)
        reader = self._sources.get(tag)
        if reader is None:
            raise DecodeError(f"no source is called {excerpt(tag)}", code="schema", path=("type",))
        return reader(native, level)

    def read_all(self, cls: type, items: list[Any], level: int) -> tuple[Any, ...]:
        """Read several objects of one class."""
        return _each(self._names[f"read_{cls.__name__}"], items, level)

    def read_one(self, cls: type, native: Any, level: int) -> Any:
        """Read one object of a class."""
        self.fill()
        return self._by_class[cls](native, level)

    def read_messages(self, native: Any) -> tuple[Msg, ...]:
        """Read a list of messages."""
        before, messages = self.made, self.read_all(Msg, native, -1)
        return messages if self.made is before else speed.as_made(messages)

    def read_history(self, native: Any) -> History:
        """Read a history."""
        before, history = self.made, cast("History", self.read_one(History, native, 0))
        return history if self.made is before else with_messages(history, speed.as_made(history.messages))

    def made_again(self, link: Any, notes: Mapping[str, Any]) -> Any:
        """Return the id of a call or result as one that the library made, if a note says that it had none."""
        if type(link) is not str or not link.startswith("call_"):
            return link
        if not any(is_mapping(own) and "/no-id" in own for own in notes.values()):
            return link
        self.made = object()
        return Made(link)

    def read_part(self, cls: type, native: Any) -> Any:
        """Read one object on its own; the class of a block, source or tool comes from its tag."""
        self.fill()
        if issubclass(cls, BaseBlock):
            return self.read_block(native, 0)
        if cls in SOURCES:
            return self.read_source(native, 0)
        return self.read_tool(native, 0) if cls in TOOLS else self._by_class[cls](native, -1 if cls is Msg else 0)

    def is_known(self, cls: type, tag: Any) -> bool:
        """Whether a tag of blocks (NativeBlock) or tools (NativeTool) names a class."""
        self.fill()
        return tag in (self._tools if cls is NativeTool else self._blocks)

    # -- writing -----------------------------------------------------------------------------------------------

    def write_any(self, value: Any) -> Any:
        """Write an object of the model; the path of an error is the place of the innermost message or block."""
        try:
            return self.writers[type(value)](value)
        except AgentMsgError:
            for path, part in _parts_of(value):
                try:
                    self.write_any(part)
                except AgentMsgError as error:
                    raise error.at(*path) from error.__cause__
            raise

    def write_timed(self, values: Sequence[Any]) -> list[Any] | None:
        """Write messages or histories for orjson, and leave times to it that it writes as we do.

        Returns:
            None if users' hooks or classes take part: orjson would write their times too.
        """
        writers = list(map(self._timed.get, map(type, values)))
        if self.has_foreign_writers or None in writers:
            return None
        try:
            written = [write(value) for write, value in zip(cast("list[Writer]", writers), values, strict=True)]
        except AgentMsgError:
            return None
        # A foreign writer is noticed only when it is first used.
        return None if self.has_foreign_writers else written

    @cached_property
    def _timed(self) -> dict[type, Writer]:
        names = {cls: f"timed_{cls.__name__}" for cls in (Msg, History)}
        self._names |= {name: self._compiled(name) for name in names.values()}
        return {cls: self._names[name] for cls, name in names.items()}


def _replace(table: dict[Any, Any], old: Any, new: Any) -> None:
    for key, value in list(table.items()):
        if value is old:
            table[key] = new


def _each(read: Reader, items: list[Any], level: int) -> tuple[Any, ...]:
    """Read several objects; the path of an error has the index."""
    out: list[Any] = []
    append = out.append
    try:
        for item in items:
            append(read(item, level))
    except AgentMsgError as error:
        raise error.at(len(out)) from None
    return tuple(out)


def _parts_of(value: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield the messages of a history or the blocks of a message, result or source, each with its path."""
    if type(getattr(value, "source", None)) in SOURCES:
        yield ("source",), value.source
    for name in ("messages", "content"):
        for index, part in enumerate(getattr(value, name, ())):
            if isinstance(part, (Msg, BaseBlock)):
                yield (name, index), part


def _refuse(_: Any, level: int) -> Any:
    raise DecodeError("a block of a user", code="type")


def _too_deep() -> DecodeError:
    return DecodeError(f"blocks are nested deeper than {speed.DEFAULT_LIMITS.nesting}", code="depth")


def _moment(text: str) -> datetime | None:
    """Return the time of a text in exactly the spelling that we write, else None."""
    try:
        value = datetime.fromisoformat(text)
    except ValueError:
        return None
    # Check the pattern of the usual spelling: writing the time again to compare would cost four times as much.
    # From the fifth character on every third is a separator: 2026-11-21T10:00:00+00:00, or with microseconds.
    if text[-6:] == "+00:00" and (value.hour or text[11] == "0"):
        signs, size = text[4:20:3], len(text)
        if (size == 25 and signs == "--T::+") or (size == 32 and signs == "--T::." and value.microsecond):  # noqa: PLR2004 - lengths
            return value
    return value if value.isoformat() == text else None


def check_version(version: Any) -> None:
    """Refuse every version but 1."""
    if type(version) is not int or version < VERSION:
        msg = f"the version must be {VERSION}, not {excerpt(version)}"
        raise DecodeError(msg, code="type" if type(version) is not int else "schema", path=(FAMILY,))
    if version > VERSION:
        msg = f"written by a later version ({excerpt(version)}) of agentmsg; this one reads {VERSION}"
        raise DecodeError(msg, code="version", path=(FAMILY,))
