"""Values that contain others: one field as the object, an object with its own form, a list."""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, Any, ClassVar

from agentmsg.formats.capabilities import KEEP, Cell, Drop
from agentmsg.formats.forms.context import absent_of
from agentmsg.formats.forms.values import Text, Value, indented, refuse
from agentmsg.values.frozen import EMPTY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats.forms.context import Cells, Code, Schemas

NOT_HERE = Drop("an object of this kind has no place here")


class Wrapped(Value):
    """A value that is an object of the model: ``Wrapped(am.Signature, "value", {"provider": "anthropic"})``.

    Attributes:
        cls: the class of the object.
        field: the field that holds the value.
        fixed: the values of other fields in all of these objects.
        of: the kind of value.
        full: whether an empty value means that there is none.
    """

    cls: type[Any]
    field: str
    fixed: Mapping[str, Any] = EMPTY
    of: Value = Text()
    full: bool = False

    @property
    def empty(self) -> tuple[str, ...]:  # type: ignore[override]
        """The empty text, if it says nothing."""
        return ('""',) if self.full else ()

    def read(self, v: str, c: Code) -> list[str]:
        """Return the lines that make the object."""
        fixed = "".join(f", {c.bind(f'own_{name}', value)}" for name, value in self.fixed.items())
        return [*self.of.read(v, c), f"{v} = {c.maker(self.cls, self.field, *self.fixed)}({v}{fixed})"]

    def write(self, v: str, c: Code) -> str:
        """Return the expression of the value only."""
        return self.of.write(f"{v}.{self.field}", c)

    def cell(self, c: Cells) -> Cell:
        """Support the object with only the fields that say something here: all others are reset."""
        absent = {**absent_of(self.cls), **self.fixed}
        inner = self.of.cell(c)
        names = [name for name in absent if name not in ("notes", self.field)]

        def cell(obj: Any, owner: Any) -> Any:
            if type(obj) is not self.cls:
                return NOT_HERE
            changes = {name: absent[name] for name in names if getattr(obj, name) != absent[name]}
            if inner is not KEEP:
                old = getattr(obj, self.field)
                new = inner(old, obj)
                if isinstance(new, Drop):
                    return new
                if new is not old:
                    changes[self.field] = new
            return obj.evolve(**changes) if changes else obj

        return cell

    def schema(self, c: Schemas) -> dict[str, Any]:
        """Return the JSON Schema of the value only."""
        return self.of.schema(c)


class Nested(Value):
    """An object described by a form, one of several by its tag, or by ``fits`` if there is no tag.

    Attributes:
        forms: names of forms of the same format.
        is_usual: whether the schema has such an object here; otherwise it is marked ``/odd``.
    """

    forms: tuple[str, ...]
    is_usual: Callable[[Any], bool] | None = None

    def read(self, v: str, c: Code) -> list[str]:
        """Return the lines that read the object by its form."""
        lines = [f"{v} = {c.reader(self.forms)}({v})"]
        if self.is_usual is not None:
            lines += [f"if not {c.bind('is_usual', self.is_usual)}({v}):", f"    {v} = marked({v}, FAMILY, odd=True)"]
        return lines

    def write(self, v: str, c: Code) -> str:
        """Return the expression of the native object, including its extras and spellings."""
        return f"{c.writer(self.forms)}({v})"

    def cell(self, c: Cells) -> Cell:
        """Support what the forms support."""
        return c.nested(self.forms)

    def schema(self, c: Schemas) -> dict[str, Any]:
        """Return the JSON Schema of the forms."""
        found = [c.form(name) for name in self.forms]
        return found[0] if len(found) == 1 else {"anyOf": found}


class Each(Value):
    """A list of values, a tuple in the model: ``Each(Nested(("citation",)))``."""

    of: Value
    empty: ClassVar[tuple[str, ...]] = ("[]",)

    def read(self, v: str, c: Code) -> list[str]:
        """Return the lines that read each item."""
        return [*refuse(f"type({v}) is not list", f"{c.key} is not a list"), *self.read_items(v, c)]

    def read_items(self, v: str, c: Code) -> list[str]:
        """Return the lines that read each item of what is a list."""
        return [
            f"each_{v}: list[Any] = []",
            f"for item in {v}:",
            *indented(self.of.read("item", c)),
            f"    each_{v}.append(item)",
            f"{v} = tuple(each_{v})",
        ]

    def write(self, v: str, c: Code) -> str:
        """Return the expression of the list."""
        return f"[{self.of.write('item', c)} for item in {v}]"

    def cell(self, c: Cells) -> Cell:
        """Support the items that are supported."""
        inner = self.of.cell(c)
        if inner is KEEP:
            return KEEP

        def cell(values: tuple[Any, ...], owner: Any) -> tuple[Any, ...]:
            near = [inner(value, owner) for value in values]
            kept = tuple(new for new in near if new is not None and not isinstance(new, Drop))
            return values if len(kept) == len(values) and all(map(is_, kept, values)) else kept

        return cell

    def schema(self, c: Schemas) -> dict[str, Any]:
        """Return the JSON Schema of the list."""
        return {"type": "array", "items": self.of.schema(c)}
