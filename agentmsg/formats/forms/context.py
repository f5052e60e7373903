"""What a word of the vocabulary may ask of what works on it: the code generator, the capability rows, the schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from agentmsg.formats.capabilities import Cell

__all__ = ["Cells", "Code", "Names", "Schemas"]


class Names(Protocol):
    """The names that generated code knows.

    Attributes:
        family: whose extras and notes these are.
    """

    family: str

    def bind(self, name: str, value: Any) -> str:
        """Return the name by which generated code knows a value."""
        ...

    def maker(self, cls: type[Any], *fields: str) -> str:
        """Return the name of the function that makes objects of a class, of these fields in order."""
        ...

    def origin(self, form: str) -> str:
        """Return the name of what messages remember that were read in a form."""
        ...

    def reader(self, forms: tuple[str, ...]) -> str:
        """Return the name of the function that reads objects of some forms."""
        ...

    def writer(self, forms: tuple[str, ...]) -> str:
        """Return the name of the function that writes objects of some forms, extras and spellings included."""
        ...

    def place(self, name: str) -> str:
        """Return the name of the ``Parts`` of a place."""
        ...


class Code(Names, Protocol):
    """The generator of the code of one form.

    Attributes:
        key: the native key whose value is read, for errors.
    """

    key: str

    def noted(self) -> str:
        """Return the name of the dict of notes and marks of the object that is read."""
        ...

    def marks(self) -> str:
        """Return the name of the dict of marks of what the key is read into: the object, or one that it holds."""
        ...

    def owner(self) -> str:
        """Return the name of the object that the key is written of."""
        ...

    def spelt(self, value: str) -> str:
        """Return the line that notes how the value of the key, in a variable, is spelt."""
        ...


class Cells(Protocol):
    """What makes capability rows."""

    def wrapped(self, value: Any) -> Cell:
        """Return the cell of an object that is written as one of its fields."""
        ...

    def nested(self, forms: tuple[str, ...]) -> Cell:
        """Return the cell of an object that has forms of its own."""
        ...

    def returned(self, value: Any) -> Cell:
        """Return the cell of what is written and read by plain functions."""
        ...


class Schemas(Protocol):
    """What makes JSON Schemas."""

    def form(self, name: str) -> dict[str, Any]:
        """Return the schema of a form's native objects."""
        ...

    def place(self, name: str) -> dict[str, Any]:
        """Return the schema of a part that may stand in a place."""
        ...
