"""What a word of the vocabulary may ask of its users: the code generator, the capability rows, the schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg.formats.capabilities import Cell


class Names(Protocol):
    """The names that generated code may use.

    Attributes:
        family: whose extras and notes these are.
    """

    family: str

    def bind(self, name: str, value: Any) -> str:
        """Return the name of a value in generated code."""
        ...

    def maker(self, cls: type[Any], *fields: str) -> str:
        """Return the name of a function that makes objects of a class from these fields in order."""
        ...

    def origin(self, form: str) -> str:
        """Return the name of what messages remember that were read in a form."""
        ...

    def reader(self, forms: tuple[str, ...]) -> str:
        """Return the name of a function that reads objects of some forms."""
        ...

    def writer(self, forms: tuple[str, ...]) -> str:
        """Return the name of a function that writes objects of some forms, including extras and spellings."""
        ...

    def place(self, name: str) -> str:
        """Return the name of the ``Parts`` of a place."""
        ...


class ReaderNames(Names, Protocol):
    """The names that generated readers may use."""

    def rest(self, form: str, known: list[str], lines: Callable[[], list[str]]) -> str:
        """Return the name of a function that finishes what a form's reader began; it is made on its first call.

        Args:
            form: the name of the form.
            known: the variables that the reader passes on.
            lines: returns the body of the function.
        """
        ...


class Code(Names, Protocol):
    """The code generator of one form.

    Attributes:
        key: the native key whose value is read, for errors.
    """

    key: str

    def noted(self) -> str:
        """Return the name of the dict of notes and marks of the current object."""
        ...

    def marks(self) -> str:
        """Return the name of the dict of marks for the key's target: the object, or one inside it."""
        ...

    def owner(self) -> str:
        """Return the name of the object that is written under the key."""
        ...

    def spelt(self, value: str) -> str:
        """Return the line that notes the spelling of the key's value, which is in a variable."""
        ...


class Cells(Protocol):
    """Makes capability rows."""

    def wrapped(self, value: Any) -> Cell:
        """Return the cell of an object that is written as one of its fields."""
        ...

    def nested(self, forms: tuple[str, ...]) -> Cell:
        """Return the cell of an object that has its own forms."""
        ...

    def returned(self, value: Any) -> Cell:
        """Return the cell of a value that plain functions write and read."""
        ...


class Schemas(Protocol):
    """Makes JSON Schemas."""

    def form(self, name: str) -> dict[str, Any]:
        """Return the schema of a form's native objects."""
        ...

    def place(self, name: str) -> dict[str, Any]:
        """Return the schema of a part allowed in a place."""
        ...
