"""Items: what a native object is made of, key by key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import attrs

from agentmsg.formats.capabilities import Cell
from agentmsg.formats.forms.values import Value
from agentmsg.values.frozen import EMPTY

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Const", "Hatch", "Inside", "Item", "Kept", "Key", "Spare", "keys_of"]


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
        lacks: a mark of objects without the key.
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
    """

    native: str
    items: tuple[Key, ...]
    need: Literal["must", "may"] = "must"
    space: str = attrs.field(kw_only=True)

    @property
    def is_odd(self) -> bool:
        """Whether one of another shape is an extra."""
        return self.need == "may"


@attrs.frozen(kw_only=True)
class Hatch:
    """Keys that two plain functions read and write, where no other word says how.

    Attributes:
        keys: the native keys.
        cells: the fields of the model that they are, with their cells.
        get: returns the fields of a native object, and under ``notes`` its marks; raises Unreadable for what ``put``
            would not give back.
        put: returns the keys of an object.
        forms: names of forms whose objects stand inside. ``get`` is given the function that reads any of them, and
            ``put`` the one that writes them, as a second argument.
        odd: those of the keys that may be extras; ``get`` returns under ``odd`` which are.
        must: those of the keys that must stand there.
        schema: the JSON Schema of each key, for values that ``get`` reads; without one any is.
        about: what the keys are in the model, for the documentation.
    """

    keys: tuple[str, ...]
    cells: Mapping[str, Cell]
    get: Callable[..., dict[str, Any]]
    put: Callable[..., dict[str, Any]]
    forms: tuple[str, ...] = ()
    odd: tuple[str, ...] = ()
    must: tuple[str, ...] = ()
    schema: Mapping[str, Any] = EMPTY
    about: str = ""


@attrs.frozen
class Kept:
    """Keys whose values stay as they are, in a mapping of the model: ``Kept(("stop_details",), "response_metadata")``.

    Attributes:
        keys: the keys; null says that there is nothing.
        field: the field that holds them, in their order.
        nulls: those of the keys that are null where there is nothing; the others are absent then.
        cell: of the capability table.
    """

    keys: tuple[str, ...]
    field: str
    nulls: tuple[str, ...] = attrs.field(default=(), kw_only=True)
    cell: Cell = attrs.field(kw_only=True)


@attrs.frozen
class Spare:
    """A key that no field is for: with its usual value it says nothing, with any other it is an extra.

    Attributes:
        native: the key.
        usual: the value that says nothing, null or an empty list.
        is_written: whether it usually stands there; else it is absent.
    """

    native: str
    usual: Any = None
    is_written: bool = attrs.field(default=True, kw_only=True)


Item: TypeAlias = "Key | Const | Inside | Hatch | Kept | Spare"


def keys_of(items: Iterable[Item]) -> frozenset[str]:
    """Return the native keys of items."""
    found: set[str] = set()
    for item in items:
        found.update(item.keys if isinstance(item, (Hatch, Kept)) else (item.native,))
    return frozenset(found)
