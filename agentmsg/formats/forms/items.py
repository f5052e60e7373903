"""Items: what a native object is made of, key by key."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import attrs

from agentmsg.formats.capabilities import Cell
from agentmsg.formats.forms.values import Value
from agentmsg.values.frozen import EMPTY

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "Beside",
    "Const",
    "Hatch",
    "Inside",
    "Item",
    "Key",
    "Lifted",
    "Place",
    "Single",
    "Spare",
    "is_usual",
    "keys_of",
]


Takes: TypeAlias = Mapping[type[Any], Callable[[Any], bool] | None]
_NO_BLOCKS: Takes = MappingProxyType({})


@attrs.frozen
class Key:
    """A native key and the field of the model that it is: ``Key("title", "title", Text(), "may")``.

    Attributes:
        native: the key.
        field: the field.
        value: what stands there.
        need: whether the key must stand there, may be absent where there is nothing, or is null or empty then.
        default: what the field holds where there is nothing, if not what its class says.
        known: the values that the schema has; an object with another is marked ``/odd``.
        lacks: a mark of objects without the key, which usual ones have.
        said: a mark of objects with the key.
        is_odd: whether a value of another kind is an extra; else it makes the object unreadable.
        cell: of the capability table, where it isn't that of the value.
    """

    native: str
    field: str
    value: Value
    need: Literal["must", "may", "null", "{}", '""'] = "must"
    default: Any = attrs.field(default=None, kw_only=True)
    known: frozenset[Any] | None = attrs.field(default=None, kw_only=True)
    lacks: str | None = attrs.field(default=None, kw_only=True)
    said: str | None = attrs.field(default=None, kw_only=True)
    is_odd: bool = attrs.field(default=False, kw_only=True)
    cell: Cell | None = attrs.field(default=None, kw_only=True)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of the model that it is."""
        return self.value.fields or (self.field,)


@attrs.frozen
class Const:
    """A key that always says the same, such as ``Const("role", "assistant")``; one that lacks it is read, too."""

    native: str
    value: Any


@attrs.frozen
class Inside:
    """An object inside the object that says more of the same: ``Inside("function", (Key("name", ...),), space=...)``.

    Attributes:
        native: its key.
        items: its own keys.
        need: whether it must stand there; one that may be absent, and has another shape, is an extra.
        space: the namespace of extras for its unknown keys.
        bare: the key whose text may stand in place of the object; one that is read so is marked ``/bare``.
    """

    native: str
    items: tuple[Key | Spread | Spare, ...]
    need: Literal["must", "may"] = "must"
    space: str = attrs.field(kw_only=True)
    bare: str | None = attrs.field(default=None, kw_only=True)

    @property
    def is_odd(self) -> bool:
        """Whether one of another shape is an extra."""
        return self.need == "may"

    @property
    def odd(self) -> frozenset[str]:
        """Its own keys whose value is an extra where it has another shape."""
        return frozenset(key.native for key in self.items if isinstance(key, Key) and key.is_odd)


@attrs.frozen(kw_only=True)
class Hatch:
    """Keys that two plain functions read and write, where no other word says how.

    Attributes:
        keys: the native keys.
        cells: the fields of the model that they are, with their cells.
        get: returns the fields of a native object, and under ``notes`` its marks; raises Unreadable for what ``put``
            would not give back. In a ``Single`` it returns the marks of the block under ``marks``.
        put: returns the keys of an object.
        forms: names of forms whose objects stand inside. ``get`` is given the function that reads any of them, and
            ``put`` the one that writes them, as a second argument.
        odd: those of the keys that may be extras; ``get`` returns under ``odd`` which are.
        must: those of the keys that must stand there; ``get`` isn't asked without them.
        is_optional: whether an object without the keys says nothing of the fields; then ``get`` isn't asked, nor is
            ``put`` where no field is there (without fields: no note).
        schema: the JSON Schema of each key, for values that ``get`` reads; without one any is.
        about: what the keys are in the model, for the documentation.
        spaces: the namespaces of the extras that ``get`` returns under ``extras``, by namespace.
        nothing: what all of the keys hold where they say nothing, if that is said in one way: null, or a text.
    """

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
    spaces: tuple[str, ...] = ()
    nothing: Mapping[str, str | None] = EMPTY


@attrs.frozen
class Spare:
    """A key that no field is for: with its usual value it says nothing, with any other it is an extra.

    Attributes:
        native: the key.
        usual: the value that says nothing, such as null or an empty list.
        is_written: whether it usually stands there; else it is absent.
    """

    native: str
    usual: Any = None
    is_written: bool = attrs.field(default=True, kw_only=True)


@attrs.frozen
class Spread:
    """Keys that say together an object of the model: ``Spread("source", am.Base64Source, (Key(...), Key(...)))``.

    Attributes:
        field: the field that holds it.
        cls: its class.
        items: its own keys.
        fixed: what all of these objects have in other fields.
    """

    field: str
    cls: type[Any]
    items: tuple[Key, ...]
    fixed: Mapping[str, Any] = EMPTY

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of the model that they are."""
        return (self.field,)

    @property
    def keys(self) -> tuple[str, ...]:
        """The native keys."""
        return tuple(key.native for key in self.items)


@attrs.frozen
class Place:
    """A key that holds some of the blocks of a message: ``Place("tool_calls", Each(CALL), {am.ToolUseBlock: None})``.

    Attributes:
        native: the key.
        value: what stands there; the value of one block, where ``is_one``.
        takes: the blocks that stand there, by class, each with a test of those of the class, or None. Without it, all
            that no other place takes.
        need: as of a ``Key``.
        last_of: the place that these blocks are taken from, one at a time: the last that stands there.
        alone: how the key says that there is nothing, where no other key holds a block; else ``need`` tells.
        is_one: whether it holds one block, not a list of them.
        is_odd: whether a value of another kind is an extra.
    """

    native: str
    value: Value
    takes: Takes = _NO_BLOCKS
    need: Literal["may", "null", '""'] = "may"
    last_of: str | None = attrs.field(default=None, kw_only=True)
    alone: Literal["null", '""'] | None = attrs.field(default=None, kw_only=True)
    is_one: bool = attrs.field(default=False, kw_only=True)
    is_odd: bool = attrs.field(default=False, kw_only=True)

    @property
    def keys(self) -> tuple[str, ...]:
        """The native keys."""
        return (self.native,)


@attrs.frozen(kw_only=True)
class Beside:
    """Keys that hold some of the blocks of a message, read and written by two plain functions.

    Attributes:
        keys: the native keys.
        takes: as of a ``Place``.
        get: returns the blocks of a native object that has such a key, its notes, and which keys are extras.
        put: returns the keys of some blocks; it is given the message, too.
        is_always: whether both are asked even where there is no such key or block.
        about: what the keys are in the model, for the documentation.
    """

    keys: tuple[str, ...]
    takes: Takes
    get: Callable[[Any], tuple[tuple[Any, ...], Mapping[str, Any], Sequence[str]]]
    put: Callable[[Sequence[Any], Any], dict[str, Any]]
    is_always: bool = False
    about: str = ""


@attrs.frozen
class Lifted:
    """The content of a message, which several keys hold, in the order in which it is read.

    Attributes:
        places: the keys.
    """

    places: tuple[Place | Beside, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """The native keys."""
        return tuple(key for place in self.places for key in place.keys)


@attrs.frozen
class Single:
    """Keys of a message that say the one block that it holds: ``Single(am.ToolResultBlock, (Key(...), ...))``.

    Attributes:
        cls: the class of the block.
        items: what it is made of. Marks are the block's; extras and spellings are the message's.
        marks: what each such block is marked with.
    """

    cls: type[Any]
    items: tuple[Key | Hatch, ...]
    marks: Mapping[str, Any] = EMPTY

    @property
    def keys(self) -> tuple[str, ...]:
        """The native keys."""
        return tuple(sorted(keys_of(self.items)))


Item: TypeAlias = "Key | Const | Inside | Hatch | Lifted | Single | Spare | Spread"


def is_usual(key: Key) -> bool:
    """Whether the usual object has a key."""
    return key.need != "may" or key.lacks is not None


def keys_of(items: Iterable[Item]) -> frozenset[str]:
    """Return the native keys of items."""
    found: set[str] = set()
    for item in items:
        found.update(item.keys if isinstance(item, (Hatch, Lifted, Single, Spread)) else (item.native,))
    return frozenset(found)
