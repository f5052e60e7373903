"""The generator of writers: from a form, the Python code that writes its objects, key by key in order."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from agentmsg.formats.forms.context import Code, absent_of
from agentmsg.formats.forms.items import Const, Hatch, Inside, Key, Lifted, Single, Spare, Spread, is_written
from agentmsg.formats.forms.message_lines import write_lifted
from agentmsg.formats.forms.values import NOTHING, Link, Truth, indented
from agentmsg.model.generated import MADE_KINDS, Made
from agentmsg.values.frozen import EMPTY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmsg.formats.forms.form import Form
    from agentmsg.formats.forms.items import Item


_LINK = Link()


def writer_source(form: Form, names: Any) -> list[str]:
    """Return the lines of the function that writes objects of a form, without extras and notes."""
    return _Writer(form, names).lines()


class _Writer(Code):
    """Emits one writer, and provides what its values need."""

    form: Form

    def lines(self) -> list[str]:
        form = self.form
        tag = [] if form.tag is None or form.tagged == "read" else [f"{form.tag_key!r}: {form.tag!r}"]
        first = form.items[: form.tag_at]
        lines = self._object(form.items if not first else (), "d", [] if first else tag)
        for item in first:
            lines += self._one(item, "d")
        if first:
            lines += [f"d[{form.tag_key!r}] = {form.tag!r}"]
            for item in form.items[len(first) :]:
                lines += self._one(item, "d")
        return [f"def write_{form.name}(o: Any) -> Any:", *indented(lines), "    return d"]

    def _object(self, items: Iterable[Item], d: str, literal: list[str]) -> list[str]:
        """Return the lines that fill an object: what is always there as a literal, the rest one by one."""
        waiting: list[Any] = list(items)
        before: list[str] = []
        while waiting and (entry := self._always(waiting[0], before)) is not None:
            literal.append(f"{waiting.pop(0).native!r}: {entry}")
        lines = [*before, f"{d}: dict[str, Any] = {{{', '.join(literal)}}}"]
        for are_spare, run in groupby(waiting, is_written):
            some: list[Any] = list(run)
            lines += self._spares(some, d) if are_spare else [line for item in some for line in self._one(item, d)]
        return lines

    def _always(self, item: Item, before: list[str]) -> str | None:
        """Return the expression of what is always there; None for what may be absent."""
        if isinstance(item, Const):
            return self.bind("const", item.value)
        if isinstance(item, Spare) and item.is_written and self.form.odd_in is not None:
            return repr(item.usual)
        if isinstance(item, Key) and item.need != "may":
            v = f"{self.owner}.{item.field}"
            value = self._value(item, v)
            if item.need == "must" or item.value.fields or (isinstance(item.value, Truth) and item.value.is_flag):
                return value
            nothing = NOTHING[item.need]
            is_empty = f"not {v}" if self.absent.get(item.field) in ((), EMPTY) else f"{v} is None"
            is_same = value == v and is_empty == f"{v} is {nothing}"
            return v if is_same else f"{nothing} if {is_empty} else {value}"
        if isinstance(item, Inside) and item.need == "must":
            before += self._inside(item)
            return f"in_{item.native}"
        return None

    def _value(self, item: Key, v: str) -> str:
        """Return the expression of a key's value: of a plain text, even if the library made it."""
        is_text = issubclass(MADE_KINDS.get(item.field, object), Made) and not isinstance(item.value, Link)
        return item.value.write(_LINK.write(v, self) if is_text else v, self)

    def _inside(self, item: Inside) -> list[str]:
        d = f"in_{item.native}"
        rest = ["if o.extras:", f"    {d} = with_rest({d}, o, {item.space!r})"]
        if item.bare is not None:
            rest += [
                f"if o.notes and len({d}) == 1 and is_marked(o, FAMILY, '/bare'):",
                f"    {d} = {d}[{item.bare!r}]",
            ]
        return [*self._object(item.items, d, []), *rest]

    def _one(self, item: Item, d: str) -> list[str]:
        before: list[str] = []
        entry = self._always(item, before)
        if entry is not None:
            return [*before, f"{d}[{item.native!r}] = {entry}"]  # type: ignore[union-attr]
        if isinstance(item, Hatch):
            inner = f", {self.writer(item.forms)}" if item.forms else ""
            put = [f"{d} |= {self.bind('put', item.put)}({self._plain(item)}{inner})"]
            if not item.is_optional:
                return put
            says = [*map(self._says, item.cells), *(["o.extras"] if item.spaces else [])]
            # If no field says it, a note does.
            return [f"if {' or '.join(says or [f'{self.owner}.notes'])}:", *indented(put)]
        if isinstance(item, Spare):
            return self._spare(item, d)
        if isinstance(item, Lifted):
            return write_lifted(item, self)
        if isinstance(item, (Single, Spread)):
            return self._held(item, d)
        if isinstance(item, Inside):
            return [*self._inside(item), f"if in_{item.native}:", f"    {d}[{item.native!r}] = in_{item.native}"]
        if not isinstance(item, Key):
            raise TypeError(item)
        test = "v" if self.absent.get(item.field) in ((), EMPTY) or item.default == "" else "v is not None"
        if isinstance(item.value, Truth) and item.value.is_flag and not item.value.tells_no:
            usual = item.value.usual("v", item.default)
            test = f"not ({usual}) or is_marked({self.owner}, FAMILY, {'/' + item.native!r})"
        if item.said:
            test += f" and is_marked({self.owner}, FAMILY, {'/' + item.said!r})"
        value = self._value(item, "v")
        return [f"v = {self.owner}.{item.field}", f"if {test}:", f"    {d}[{item.native!r}] = {value}"]

    def _plain(self, item: Hatch) -> str:
        """Return the expression of the object for a hatch: its item id is plain, even if the library made it."""
        if "item_id" not in item.cells:
            return "o"
        return f"(o.evolve(item_id=link_of(o.item_id)) if type(o.item_id) is {self.bind('made', Made)} else o)"

    def _says(self, field: str) -> str:
        """Return the test whether a field says anything."""
        v, absent = f"{self.owner}.{field}", self.absent.get(field)
        if absent in ((), EMPTY):
            return v
        return f"{v} != {absent!r}" if absent and isinstance(absent, str) else f"{v} is not None"

    def _held(self, item: Single | Spread, d: str) -> list[str]:
        """Return the lines that write an inner object of the model, whose keys are among its owner's."""
        outer, self.absent, self.owner = self.absent, absent_of(item.cls), "one"
        lines = ["one = o.content[0]" if isinstance(item, Single) else f"one = o.{item.field}"]
        for key in item.items:
            lines += self._one(key, d)
        self.absent, self.owner = outer, "o"
        return lines

    def _spare(self, item: Spare, d: str) -> list[str]:
        """Return the lines that write a key that says nothing, unless extras say more."""
        if not item.is_written:
            return []
        return [*self._own(item), f"if {item.native!r} not in own:", f"    {d}[{item.native!r}] = {item.usual!r}"]

    def _own(self, item: Spare) -> list[str]:
        """Return the line that names the extras, before the first key that looks there."""
        first = next(other for other in self.form.items if is_written(other))
        space = "FAMILY" if self.form.space is None else repr(self.form.space)
        return [f"own = extras_of(o, {space}) if o.extras else EMPTY"] if item is first else []

    def _spares(self, run: list[Spare], d: str) -> list[str]:
        """Return the lines that write such keys in a row: all at once if there are no extras."""
        if len(run) == 1:
            return self._spare(run[0], d)
        named = self._own(run[0])
        each = [line for item in run for line in self._spare(item, d)][len(named) :]
        usual = ", ".join(f"{item.native!r}: {item.usual!r}" for item in run)
        return [*named, "if own:", *indented(each), "else:", f"    {d} |= {{{usual}}}"]
