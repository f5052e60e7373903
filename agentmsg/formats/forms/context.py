"""What a word of the vocabulary may ask of its users: the code generator, the capability rows, the schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from agentmsg.formats.records import Record
from agentmsg.model.construction import absent_values

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg.formats.capabilities import Cell


def absent_of(cls: Any) -> dict[str, Any]:
    """Return, by field, the value of a class that means "absent"; required fields are left out."""
    return absent_values(cls)


class Level(Record):
    """An object whose keys are read: the native object itself, or one inside it.

    Attributes:
        d: the variable that holds it.
        left: the variable that counts the unread keys.
        inside: its key in the native object; None for the native object itself.
        marks: the variable that holds the marks of the target object.
        odd: the variable that lists the keys whose values are extras.
    """

    d: str
    left: str
    inside: str | None = None
    marks: str = "note"
    odd: str = "odd"

    def note(self, key: str, spelling: str) -> str:
        """Return the line that notes a spelling; for an inner object, as a whole."""
        if self.inside is None:
            return f"note[{key!r}] = {spelling}"
        return f"note[{self.inside!r}] = ['=', d[{self.inside!r}]]"


class Code:
    """Base of the code generators of one form.

    Args:
        form: whose objects are read or written.
        names: the ``Namespace`` of the code, which generators and values ask for its names.

    Attributes:
        absent: by field, the value that means "absent".
        key: the native key whose value is read, for errors.
        level: the object whose key is read.
        has_noted: whether a value that was read may leave a note.
        owner: the name of the object that is written under the key.
    """

    def __init__(self, form: Any, names: Any) -> None:
        self.form, self.absent, self.key, self.owner = form, absent_of(form.cls), "", "o"
        self.level, self.has_noted = Level("d", "left"), False
        self.family: str = names.family
        self.bind: Callable[[str, Any], str] = names.bind
        self.maker: Callable[..., str] = names.maker
        self.place: Callable[[str], str] = names.place
        self.origin: Callable[[str], str] = names.origin
        self.reader: Callable[[tuple[str, ...]], str] = names.reader
        self.writer: Callable[[tuple[str, ...]], str] = names.writer
        self.rest: Callable[[str, list[str], Callable[[], list[str]]], str] = names.rest

    def noted(self) -> str:
        """Return the name of the dict of notes and marks of the current object."""
        self.has_noted = True
        return "note"

    def marks(self) -> str:
        """Return the name of the dict of marks for the key's target: the object, or one inside it."""
        self.has_noted = True
        return self.level.marks

    def spelt(self, value: str) -> str:
        """Return the line that notes the spelling of the key's value, which is in a variable."""
        self.has_noted = True
        return self.level.note(self.key, f"['=', {value}]")


class Cells(Protocol):
    """Makes capability rows."""

    def nested(self, forms: tuple[str, ...]) -> Cell:
        """Return the cell of an object that has its own forms."""
        ...


class Schemas:
    """References to the JSON Schemas of a format."""

    def form(self, name: str) -> dict[str, Any]:
        """Return a reference to the schema of a form's native objects."""
        return {"$ref": f"#/$defs/{name}"}

    def place(self, name: str) -> dict[str, Any]:
        """Return a reference to the schema of a part allowed in a place."""
        return {"$ref": f"#/$defs/place_{name}"}
