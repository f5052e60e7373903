"""Values: what may be under a native key, and what it is in the model.

A value emits Python: lines that turn the native value in a variable into the model's, or raise Unreadable, and an
expression that turns it back. What a value reads, it writes back exactly; what it would write differently, it doesn't
read. So nothing need be written and compared to know that it comes back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from agentmsg.formats.capabilities import KEEP, Cell
from agentmsg.formats.records import Record
from agentmsg.model.equality import same
from agentmsg.values.frozen import adopt

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from dataclasses import KW_ONLY

    from agentmsg.formats.forms.context import Cells, Code, Schemas

NOTHING = {"null": "None", '""': "''", "[]": "[]", "{}": "{}"}
_NAMES = {"str": "a string", "int": "a whole number", "bool": "true or false", "dict": "an object", "list": "a list"}


def refuse(test: str, what: str) -> list[str]:
    """Return the lines that refuse a value if a test is true."""
    return [f"if {test}:", f"    raise Unreadable({what!r})"]


def indented(lines: list[str], by: int = 1) -> list[str]:
    """Return lines of Python one or more levels deeper."""
    return ["    " * by + line for line in lines]


class Value(Record):
    """What may be under a key.

    Attributes:
        fields: the fields of the model that hold it, if that isn't just the key's field.
        empty: the values, besides null, that mean "nothing", as names of spellings.
        is_last: whether its lines need the values of the other keys.
        takes_null: whether null is a value like any other.
        kind: the type of the native value, if that and ``bounds`` are the whole test.
    """

    fields: ClassVar[tuple[str, ...]] = ()
    empty: ClassVar[tuple[str, ...]] = ()
    is_last: ClassVar[bool] = False
    takes_null: ClassVar[bool] = False
    kind: ClassVar[str | None] = None

    def nothing(self, v: str, default: str) -> list[str]:
        """Return the lines for an absent value."""
        return [f"{v} = {default}"]

    def read(self, v: str, c: Code) -> list[str]:
        """Return the lines that turn the native value in the variable ``v`` into the model's."""
        raise NotImplementedError

    def bounds(self, v: str) -> list[str]:
        """Return the tests of a value of the right type."""
        return []

    def write(self, v: str, c: Code) -> str:
        """Return the expression of the native value; ``o`` is its object."""
        return v

    def cell(self, c: Cells) -> Cell:
        """Return the cell of the capability table."""
        return KEEP

    def cells(self, field: str, c: Cells) -> Mapping[str, Cell]:
        """Return the cells of the fields that hold the value."""
        return {field: self.cell(c)}

    def schema(self, c: Schemas) -> dict[str, Any]:
        """Return the JSON Schema of the native values."""
        return {}


class _Plain(Value):
    kind: ClassVar[str]
    json: ClassVar[str]

    def read(self, v: str, c: Code) -> list[str]:
        return refuse(f"type({v}) is not {self.kind}", f"{c.key} is not {_NAMES[self.kind]}")

    def schema(self, c: Schemas) -> dict[str, Any]:
        return {"type": self.json}


class Text(_Plain):
    """A string: ``Key("text", "text", Text())``."""

    kind, json = "str", "string"


class Whole(_Plain):
    """A whole number: ``Key("output_tokens", "output", Whole(least=0))``.

    Attributes:
        least: smaller numbers aren't read.
    """

    kind: ClassVar[str] = "int"
    json: ClassVar[str] = "integer"
    least: int | None = None

    def read(self, v: str, c: Code) -> list[str]:
        """Return the lines that refuse everything else."""
        lines = super().read(v, c)
        return lines if self.least is None else [*lines, *refuse(f"{v} < {self.least}", f"{c.key} is too small")]

    def bounds(self, v: str) -> list[str]:
        """Return the test of a number."""
        return [] if self.least is None else [f"{v} >= {self.least}"]

    def schema(self, c: Schemas) -> dict[str, Any]:
        """Return the JSON Schema."""
        return {"type": "integer"} if self.least is None else {"type": "integer", "minimum": self.least}


class Truth(_Plain):
    """True or false: ``Key("stream", "stream", Truth())``.

    Attributes:
        is_flag: whether the model's None means false. What an absent key means is then its ``default``, true or
            nothing; an object that states it is marked with the key.
        tells_no: whether a flag that is false is read as false, so that it is stated in other formats, too.
    """

    kind: ClassVar[str] = "bool"
    json: ClassVar[str] = "boolean"
    is_flag: bool = False
    tells_no: bool = False

    def bounds(self, v: str) -> list[str]:
        """Return the test of a usual value: false is nothing for a flag, so it must be read."""
        return [v] if self.is_flag else []

    def usual(self, v: str, default: Any) -> str:
        """Return the test whether a native value is what an absent key means."""
        return v if default is True else f"not {v}"

    def read(self, v: str, c: Code) -> list[str]:
        """Return the lines that refuse everything else."""
        return [*super().read(v, c), *([f"{v} = {v} or None"] if self.is_flag and not self.tells_no else [])]

    def write(self, v: str, c: Code) -> str:
        """Return the expression of true or false."""
        return f"bool({v})" if self.is_flag else v


class Total(Whole):
    """A count that excludes others, while the model's includes them: ``Total(("cache_read", "cache_write"), least=0)``.

    Attributes:
        beside: the fields of the others.
    """

    _: KW_ONLY
    beside: tuple[str, ...] = ()
    is_last: ClassVar[bool] = True

    def read(self, v: str, c: Code) -> list[str]:
        """Return the lines that add the others."""
        return [*super().read(v, c), f"{v} += {' + '.join(f'({name}_ or 0)' for name in self.beside)}"]

    def write(self, v: str, c: Code) -> str:
        """Return the expression without the others."""
        return " - ".join((v, *(f"(o.{name} or 0)" for name in self.beside)))


class Number(Value):
    """A whole number or a fraction: ``Key("cost", "cost", Number())``."""

    def read(self, v: str, c: Code) -> list[str]:
        """Return the lines that refuse everything else."""
        return refuse(f"type({v}) is not int and type({v}) is not float", f"{c.key} is not a number")

    def schema(self, c: Schemas) -> dict[str, Any]:
        """Return the JSON Schema."""
        return {"type": "number"}


class Link(Text):
    """The id that links a call and its result, which the library may have made: ``Key("id", "id", Link())``."""

    def write(self, v: str, c: Code) -> str:
        """Return the expression of the plain text."""
        return f"({v} if type({v}) is str else link_of({v}))"


class Json(Value):
    """Any JSON, unchanged: ``Key("data", "data", Json())``.

    Attributes:
        stays_frozen: whether it is written as it is in the model, if the codec leaves it to the library to make plain
            data.
    """

    takes_null: ClassVar[bool] = True
    stays_frozen: bool = False

    def read(self, v: str, c: Code) -> list[str]:
        """Return the lines that freeze it."""
        return [f"{v} = adopt({v})"]

    def write(self, v: str, c: Code) -> str:
        """Return the expression of the plain copy."""
        return v if self.stays_frozen else f"thaw({v})"


class Object(Json):
    """A JSON object, unchanged: ``Key("input_schema", "parameters", Object())``."""

    takes_null: ClassVar[bool] = False

    def read(self, v: str, c: Code) -> list[str]:
        """Return the lines that refuse everything else and freeze it."""
        return [*refuse(f"type({v}) is not dict", f"{c.key} is not an object"), *super().read(v, c)]

    def write(self, v: str, c: Code) -> str:
        """Return the expression of the plain copy; for whole objects orjson is faster than a walk."""
        return v if self.stays_frozen else f"plain_twin({v})"

    def schema(self, c: Schemas) -> dict[str, Any]:
        """Return the JSON Schema."""
        return {"type": "object"}


class Words(Value):
    """A word that the model spells differently: ``Words({"end_turn": "stop"})``. Others are the same on both sides.

    Attributes:
        native: our word by the native one, one for one.
        is_closed: whether no other word is allowed.
        known: the native words in the schema; an object with another is marked ``/word``.
    """

    native: Mapping[Any, Any]
    is_closed: bool = False
    known: frozenset[str] | None = None

    def read(self, v: str, c: Code) -> list[str]:
        """Return the lines that translate a word; one of our words that the format spells differently is noted."""
        table = c.bind("words", self.native)
        if self.is_closed:
            kinds = c.bind("kinds", frozenset(map(type, self.native)))
            return [
                *refuse(f"type({v}) not in {kinds} or {v} not in {table}", f"{c.key} is an unknown word"),
                f"{v} = {table}[{v}]",
            ]
        taken = frozenset(self.native.values()) - frozenset(self.native)
        noted = [f"if {v} in {c.bind('taken', taken)}:", f"    {c.noted()}[{c.key!r}] = ['=', {v}]"] if taken else []
        if self.known is not None:
            noted += [f"if {v} not in {c.bind('known', self.known)}:", f"    {c.noted()}['/word'] = True"]
        return [*Text().read(v, c), *noted, *([f"{v} = {table}.get({v}, {v})"] if self.native else [])]

    def write(self, v: str, c: Code) -> str:
        """Return the expression of the native word."""
        table = c.bind("spelt", {ours: word for word, ours in reversed([*self.native.items()])})
        return f"{table}[{v}]" if self.is_closed else f"{table}.get({v}, {v})" if self.native else v

    def cell(self, c: Cells) -> Cell:
        """Support the words that the format has."""
        ours = frozenset(self.native.values())
        return (lambda value, _: value if value in ours else None) if self.is_closed else KEEP

    def schema(self, c: Schemas) -> dict[str, Any]:
        """Return the JSON Schema."""
        if self.is_closed:
            return {"enum": list(self.native)}
        words = sorted(self.known or self.native)
        return {"type": "string", "examples": words} if words else {"type": "string"}


class Via(Value):
    """A value through a pair of plain functions, if no other word describes it: ``Via(read_url, write_url)``.

    Attributes:
        get: returns the model's value for a native one; raises Unreadable for what ``put`` would not give back.
        put: returns the native value.
        native: the JSON Schema of the native values.
        supports: the cell of the capability table; without one, a value that comes back when written is supported.
        is_spelt: whether a different spelling with the same meaning, compared to what ``put`` writes, is noted.
        is_marking: whether ``get`` also gets the object's notes, to mark it, and ``put`` the object.
    """

    get: Callable[..., Any]
    put: Callable[..., Any]
    native: Mapping[str, Any] = adopt({"type": "string"})
    supports: Cell | None = None
    is_spelt: bool = False
    is_marking: bool = False

    def read(self, v: str, c: Code) -> list[str]:
        """Return the line that calls ``get``."""
        get = c.bind("get", self.get)
        if self.is_marking:
            return [f"{v} = {get}({v}, {c.marks()})"]
        if not self.is_spelt:
            return [f"{v} = {get}({v})"]
        return [
            f"native = {v}",
            f"{v} = {get}(native)",
            f"if {self.write(v, c)} != native:",
            f"    {c.spelt('native')}",
        ]

    def write(self, v: str, c: Code) -> str:
        """Return the expression that calls ``put``."""
        return f"{c.bind('put', self.put)}({v}{f', {c.owner}' if self.is_marking else ''})"

    def cell(self, c: Cells) -> Cell:
        """Support what comes back."""
        return self.supports or self._returned

    def _returned(self, old: Any, _: Any) -> Any:
        new = self.get(self.put(old))
        return old if same(new, old) else new

    def schema(self, c: Schemas) -> dict[str, Any]:
        """Return the JSON Schema that was given."""
        return dict(self.native)
