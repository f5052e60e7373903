"""Values of calls and of content: arguments, and the parts of a message or a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from agentmsg.formats.capabilities import KEEP
from agentmsg.formats.cells import arguments_text
from agentmsg.formats.forms.object_values import Each
from agentmsg.formats.forms.values import Text, Value, indented, refuse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg.formats.capabilities import Cell
    from agentmsg.formats.forms.context import Cells, Code, Schemas


class Input(Value):
    """The arguments of a call as an object: ``Key("input", "input", Input())``.

    What isn't an object is put into an envelope; see ``agentmsg.formats.tool_arguments``.
    """

    fields: ClassVar[tuple[str, ...]] = ("input", "raw_input")

    def read(self, v: str, c: Code) -> list[str]:
        """Return the lines that make ``input`` and ``raw_input``."""
        return [
            *refuse(f"type({v}) is not dict", f"{c.key} is not an object"),
            "raw_input_ = None",
            "if '_raw' in input_:",
            "    given = from_object(input_)",
            "    input_, raw_input_ = given.get('input', UNSET), given.get('raw_input')",
            "else:",
            "    input_ = adopt(input_) if input_ else EMPTY",
        ]

    def nothing(self, v: str, default: str) -> list[str]:
        """Return the line for a call without arguments."""
        return ["raw_input_, input_ = None, EMPTY"]

    def write(self, v: str, c: Code) -> str:
        """Return the expression of the plain object."""
        return "input_copy(o)"

    def cells(self, field: str, c: Cells) -> Mapping[str, Cell]:
        """Support any input, and text that isn't JSON; other text only if the input says all of it."""
        return {"input": KEEP, "raw_input": arguments_text}

    def schema(self, c: Schemas) -> dict[str, Any]:
        """Return the JSON Schema."""
        return {"type": "object"}


class Arguments(Value):
    """The arguments of a call as JSON text, parsed on first access: ``Key("arguments", "input", Arguments())``.

    Attributes:
        is_any: whether they may also be given as they are, not as text; such a call is marked ``/object``.
        is_free: whether they are free text, not JSON text.
        is_eager: whether usual ones are parsed at once: nearly every writer needs them, and ``fit`` must know what
            their text says.
    """

    fields: ClassVar[tuple[str, ...]] = ("input", "raw_input")
    kind: ClassVar[str] = "str"
    is_any: bool = False
    is_free: bool = False
    is_eager: bool = False

    def cells(self, field: str, c: Cells) -> Mapping[str, Cell]:
        """Support any text."""
        return {"input": KEEP, "raw_input": KEEP}

    def nothing(self, v: str, default: str) -> list[str]:
        """Return the line for a call without arguments."""
        return ["raw_input_, input_ = NO_TEXT, UNSET"]

    def read(self, v: str, c: Code) -> list[str]:
        """Return the lines that make ``raw_input``, or ``input``."""
        text = "raw_input_, input_ = input_, UNSET"
        if not self.is_any:
            return [*Text().read(v, c), text]
        plain = [f"{c.noted()}['/object'] = True", "raw_input_, input_ = None, adopt(input_)"]
        return ["if type(input_) is str:", f"    {text}", "else:", *indented(plain)]

    def write(self, v: str, c: Code) -> str:
        """Return the expression of the text, or of what was read instead of it."""
        if self.is_free:
            return "free_text(o)"
        return "write_arguments(o, FAMILY) if o.notes else input_text(o)" if self.is_any else "input_text(o)"

    def schema(self, c: Schemas) -> dict[str, Any]:
        """Return the JSON Schema."""
        return {} if self.is_any else {"type": "string"}


class Content(Value):
    """A text, or a list of parts: ``Key("content", "content", Content("inner"))``; ``Content()`` is only a text.

    A single plain text is written as a text, unless the mark ``/list`` says that a list was read. With ``is_list``, it
    is written as a list, unless the mark ``/str`` says that a text was read.

    Attributes:
        place: the name of the place that lists the allowed parts.
        of: the forms of the parts, if anything else makes the whole unreadable.
        is_list: whether a list is the usual spelling.
        is_strict: whether only a list is allowed.
    """

    place: str = ""
    of: Value | None = None
    is_list: bool = False
    is_strict: bool = False

    @property
    def empty(self) -> tuple[str, ...]:  # type: ignore[override]
        """The spellings that mean "no content"."""
        return ('""',) if self._is_text else () if self.is_list else ('""', "[]")

    @property
    def _is_text(self) -> bool:
        return not self.place and self.of is None

    def read(self, v: str, c: Code) -> list[str]:
        """Return the lines that make the blocks."""
        if self._is_text:
            return [*refuse(f"type({v}) is not str", f"{c.key} is not a string"), f"{v} = (make_text({v}),)"]
        if self.of is not None:
            part = Each(self.of).read_items(v, c)
        else:
            part = [f"{v} = tuple(map({c.place(self.place)}.read, {v}))"]
        listed = [*refuse(f"type({v}) is not list", f"{c.key} is not content"), *part]
        if self.is_strict:
            return listed
        if self.is_list:
            text = [f"{v} = (make_text({v}),) if {v} else ()", f"{c.noted()}['/str'] = True"]
        else:
            text = [f"{v} = (make_text({v}),)"]
            listed += [f"if len({v}) == 1 and is_bare_text({v}[0], FAMILY):", f"    {c.noted()}['/list'] = True"]
        return [f"if type({v}) is str:", *indented(text), "else:", *indented(listed)]

    def cell(self, c: Cells) -> Cell:
        """Support the blocks that have forms here; those of a place have their own rows."""
        return KEEP if self.of is None else Each(self.of).cell(c)

    def write(self, v: str, c: Code) -> str:
        """Return the expression of the text or list."""
        if self._is_text:
            return f"({v}[0].text if {v} else '')"
        put = c.writer(self.of.forms) if self.of is not None else f"{c.place(self.place)}.write"  # type: ignore[attr-defined]
        if self.is_strict:
            return f"list(map({put}, {v}))"
        return f"{'list_or_text' if self.is_list else 'text_or_list'}({v}, o, {put})"

    def schema(self, c: Schemas) -> dict[str, Any]:
        """Return the JSON Schema."""
        if self._is_text:
            return {"type": "string"}
        items = self.of.schema(c) if self.of is not None else c.place(self.place)
        listed = {"type": "array", "items": items}
        return listed if self.is_strict else {"anyOf": [{"type": "string"}, listed]}
