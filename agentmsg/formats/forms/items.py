"""Items: the keys that a native object consists of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from agentmsg.formats.records import Record
from agentmsg.formats.spelling import spelling_of
from agentmsg.values.frozen import EMPTY

if TYPE_CHECKING:
    from collections.abc import Iterable
    from dataclasses import KW_ONLY

    from agentmsg.formats.capabilities import Cell
    from agentmsg.formats.forms.values import Value


Takes: TypeAlias = Mapping[type[Any], Callable[[Any], bool] | None]
_NO_BLOCKS: Takes = MappingProxyType({})


class Key(Record):
    """A native key and its field in the model: ``Key("title", "title", Text(), "may")``.

    Attributes:
        native: the key.
        field: the field.
        value: the kind of value.
        need: whether the key is required, may be absent if there is nothing, or is null or empty then.
        default: the field's value if there is nothing, if it differs from the class's default: what an absent key means
            in this format.
        known: the values in the schema; an object with another is marked ``/odd``.
        lacks: a mark for objects without the key, which usual ones have.
        said: a mark for objects with the key.
        is_odd: whether a value of another kind is an extra; otherwise it makes the object unreadable.
        cell: of the capability table, if it differs from that of the value.
    """

    native: str
    field: str
    value: Value
    need: Literal["must", "may", "null", "{}", '""'] = "must"
    _: KW_ONLY
    default: Any = None
    known: frozenset[Any] | None = None
    lacks: str | None = None
    said: str | None = None
    is_odd: bool = False
    cell: Cell | None = None

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of the model that it fills."""
        return self.value.fields or (self.field,)

    @property
    def silent(self) -> Mapping[str, frozenset[str]]:
        """The names of spellings that say nothing where the key has no value; as for a ``Hatch``."""
        names = {"may": ("null", *self.value.empty), "null": ("absent",)}.get(self.need, ())
        return {self.native: frozenset(names)} if names else EMPTY


class Const(Record):
    """A key with a constant value, such as ``Const("role", "assistant")``; an object without it is read, too.

    Another value makes the object unreadable, unless its form is ``odd_in`` a field.
    """

    native: str
    value: Any


class Inside(Record):
    """An inner object with more keys of the same: ``Inside("function", (Key("name", ...),), space=...)``.

    Attributes:
        native: its key.
        items: its own keys.
        need: whether it is required; an optional one with another shape is an extra.
        space: the namespace of extras for its unknown keys.
        bare: the key whose text may replace the whole object; one read like this is marked ``/bare``.
    """

    native: str
    items: tuple[Key | Spread | Spare, ...]
    need: Literal["must", "may"] = "must"
    _: KW_ONLY
    space: str
    bare: str | None = None

    @property
    def is_odd(self) -> bool:
        """Whether an inner object of another shape is an extra."""
        return self.need == "may"

    @property
    def odd(self) -> frozenset[str]:
        """Its keys whose value is an extra if it has another shape."""
        return frozenset(key.native for key in self.items if isinstance(key, Key) and key.is_odd)


class Hatch(Record):
    """Keys that two plain functions read and write, if no other word describes them.

    Attributes:
        keys: the native keys.
        cells: the fields of the model that they fill, with their cells.
        get: returns the fields of a native object, and under ``notes`` its marks; raises Unreadable for what ``put``
            would not give back. In a ``Single`` it returns the marks of the block under ``marks``.
        put: returns the keys of an object.
        forms: names of forms whose objects are inside. ``get`` then takes a function that reads any of them as second
            argument, and ``put`` one that writes them.
        odd: those of the keys that may be extras; ``get`` returns under ``odd`` which are.
        must: those of the keys that are required; ``get`` isn't called without them.
        is_optional: whether an object without the keys says nothing about the fields; then ``get`` isn't called, nor is
            ``put`` without a field (if there are no fields: without a note).
        schema: the JSON Schema of each key, for values that ``get`` reads; any value without one.
        about: what the keys are in the model, for the documentation.
        spaces: the namespaces of the extras that ``get`` returns under ``extras``, by namespace; perhaps with the cell
            for the extras there.
        nothing: the value of all the keys if they say nothing, if there is a single one: null, or a text.
        silent: by key, the names of spellings that say nothing about the fields, and are noted.
        holds: whether the keys hold the same object in another form. Then ``get`` returns it under ``held``, as it was
            read there: with the fields that they fill, and with extras and notes in other namespaces.
    """

    _: KW_ONLY
    keys: tuple[str, ...]
    cells: Mapping[str, Cell]
    get: Callable[..., dict[str, Any]]
    put: Callable[..., dict[str, Any]]
    forms: tuple[str, ...] = ()
    odd: tuple[str, ...] = ()
    must: tuple[str, ...] = ()
    is_optional: bool = False
    schema: Mapping[str, Any] = EMPTY
    about: str = ""
    spaces: tuple[str, ...] | Mapping[str, Cell] = ()
    nothing: Mapping[str, str | None] = EMPTY
    silent: Mapping[str, frozenset[str]] = EMPTY
    holds: bool = False

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of the model that they fill."""
        return tuple(self.cells)


class Spare(Record):
    """A key without a field: its usual value says nothing, any other is an extra.

    Attributes:
        native: the key.
        usual: the value that says nothing, such as null or an empty list.
        is_written: whether the key is usually there; otherwise it is absent.
    """

    native: str
    usual: Any = None
    _: KW_ONLY
    is_written: bool = True

    @property
    def silent(self) -> Mapping[str, frozenset[str]]:
        """The names of spellings that say nothing where the key has no value; as for a ``Hatch``."""
        if self.is_written:
            return {self.native: frozenset({"absent"})} if self.usual is None else EMPTY
        return {self.native: frozenset({"null", *filter(None, [spelling_of(self.usual)])})}


class Spread(Record):
    """Keys that together make one object of the model: ``Spread("source", am.Base64Source, (Key(...), Key(...)))``.

    Attributes:
        field: the field that holds it.
        cls: its class.
        items: its own keys.
        fixed: the values of other fields in all of these objects.
    """

    marks: ClassVar[Mapping[str, Any]] = EMPTY
    field: str
    cls: type[Any]
    items: tuple[Key, ...]
    fixed: Mapping[str, Any] = EMPTY

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of the model that they fill."""
        return (self.field,)


class Place(Record):
    """A key that holds some of the blocks of a message: ``Place("tool_calls", Each(CALL), {am.ToolUseBlock: None})``.

    Attributes:
        native: the key.
        value: the kind of value; that of a single block with ``is_one``.
        takes: the classes of these blocks, each with a test or None. Without it, all blocks that no other place takes.
        need: as for a ``Key``.
        last_of: the place from which these blocks are taken, one at a time: its last.
        alone: how the key says that there is nothing, if no other key holds a block; otherwise ``need`` decides.
        is_one: whether it holds one block, not a list.
        is_odd: whether a value of another kind is an extra.
    """

    native: str
    value: Value
    takes: Takes = _NO_BLOCKS
    need: Literal["may", "null", '""'] = "may"
    _: KW_ONLY
    last_of: str | None = None
    alone: Literal["null", '""'] | None = None
    is_one: bool = False
    is_odd: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """The native keys."""
        return (self.native,)


class Beside(Record):
    """Keys that hold some of the blocks of a message, read and written by two plain functions.

    Attributes:
        keys: the native keys.
        takes: as for a ``Place``.
        get: returns the blocks of a native object with such a key, its notes, and which keys are extras.
        put: returns the keys for some blocks; it also gets the message.
        is_always: whether both are called even without such a key or block.
        about: what the keys are in the model, for the documentation.
    """

    _: KW_ONLY
    keys: tuple[str, ...]
    takes: Takes
    get: Callable[[Any], tuple[tuple[Any, ...], Mapping[str, Any], Sequence[str]]]
    put: Callable[[Sequence[Any], Any], dict[str, Any]]
    is_always: bool = False
    about: str = ""


class Lifted(Record):
    """The content of a message in several keys, in reading order.

    Attributes:
        places: the keys.
    """

    field: ClassVar[str] = "content"
    places: tuple[Place | Beside, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """The native keys."""
        return tuple(key for place in self.places for key in place.keys)


class Single(Record):
    """Keys of a message that make its only block: ``Single(am.ToolResultBlock, (Key(...), ...))``.

    Attributes:
        cls: the class of the block.
        items: its keys. Marks belong to the block; extras and spellings belong to the message.
        marks: the marks of each such block.
    """

    field: ClassVar[str] = "content"
    fixed: ClassVar[Mapping[str, Any]] = EMPTY
    cls: type[Any]
    items: tuple[Key | Hatch, ...]
    marks: Mapping[str, Any] = EMPTY


Item: TypeAlias = "Key | Const | Inside | Hatch | Lifted | Single | Spare | Spread"


def is_usual(key: Key) -> bool:
    """Whether the usual object has a key."""
    return key.need != "may" or key.lacks is not None


def is_written(item: Item) -> bool:
    """Whether an item is a key that is usually there, and never says anything."""
    return isinstance(item, Spare) and item.is_written


def keys_of(items: Iterable[Item]) -> frozenset[str]:
    """Return the native keys of items."""
    found: set[str] = set()
    for item in items:
        if isinstance(item, (Single, Spread)):
            found |= keys_of(item.items)
        else:
            found.update(item.keys if isinstance(item, (Hatch, Lifted)) else (item.native,))
    return frozenset(found)
