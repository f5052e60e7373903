"""Rows: from forms, the rows of the capability table.

A field that a form names is supported as far as its value says; so are extras, except for the form's keys. Any other
field is reset. A codec's rules decide about objects that aren't supported like this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from agentmsg.formats.capabilities import KEEP, Drop, Row, Usual, carried_extras
from agentmsg.formats.cells import together
from agentmsg.formats.forms.context import absent_of
from agentmsg.formats.forms.form import grouped
from agentmsg.formats.forms.items import Hatch, Inside, Key, Spare, Spread, keys_of
from agentmsg.formats.forms.object_values import NOT_HERE
from agentmsg.formats.natives import extras_of, odd_at
from agentmsg.formats.rules import TEXT_ROWS, native_block_row
from agentmsg.model.blocks import NativeBlock
from agentmsg.model.construction import says_only
from agentmsg.model.equality import same
from agentmsg.values.frozen import EMPTY
from agentmsg.values.types import is_mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from agentmsg.formats.capabilities import Cell, Rule
    from agentmsg.formats.forms.described import Described
    from agentmsg.formats.forms.form import Form
    from agentmsg.formats.shapes import Shape

Rules: TypeAlias = "Mapping[type[Any], Rule | tuple[Rule, str | tuple[str, ...]]]"
_IsOdd: TypeAlias = "Callable[[Any, str, Any], bool]"


def _then(first: Cell | None, second: Cell) -> Cell:
    """Return a cell that applies the second cell to the result of the first."""
    if first is None or second is KEEP:
        return first or second

    def both(value: Any, owner: Any) -> Any:
        near = first(value, owner)
        return near if near is None or isinstance(near, Drop) else second(near, owner)

    return Usual(both, first.case, first.names) if isinstance(first, Usual) else both


class Rows:
    """Makes the rows of a format, and provides what its values need (see ``context.Cells``).

    Args:
        described: the format.
    """

    def __init__(self, described: Described) -> None:
        self._described = described

    # -- rows ---------------------------------------------------------------------------------------------------------

    def place(self, name: str, rules: Rules, others: Mapping[type[Any], Row] | None = None) -> dict[type[Any], Row]:
        """Return the rows of a place.

        Args:
            name: of the place.
            rules: by class, the rule for blocks that aren't supported as they are, and the fields that it concerns.
            others: the rows of classes without a place here; by default they become text, and native ones stay if they
                come back.
        """
        classes = grouped(self._described.named(self._described.places[name]), lambda form: form.cls)
        parts = self._described.parts[name]
        if others is None:
            others = {**TEXT_ROWS, NativeBlock: native_block_row(self._described.family, parts.comes_back)}
        own = {cls: self._row(forms, parts.shape(cls), rules, parts.told_by) for cls, forms in classes.items()}
        return {**others, **own}

    def row(self, *names: str, rules: Rules | None = None, **cells: Cell) -> Row:
        """Return the row of one class.

        Args:
            names: the forms of the class.
            rules: as in ``place``.
            cells: the cells of fields that the forms don't name, or that differ.
        """
        return self._row(self._described.named(names), self._described.shapes[names[0]], rules or {}, None, **cells)

    def _row(self, every: Iterable[Form], shape: Shape | None, rules: Rules, told_by: str | None, **cells: Cell) -> Row:
        forms = [form for form in every if not form.is_only_read]
        fields = {**self._fields(forms, shape, told_by), **cells}
        rule: Any = rules.get(forms[0].cls)
        answer, concerns = rule if rule.__class__ is tuple else (rule, None)
        return Row(fields, answer, concerns)

    def message(self, *names: str, **cells: Cell) -> dict[str, Cell]:
        """Return the cells of the fields of messages of some forms, besides role and content.

        Args:
            names: of the forms.
            cells: as in ``row``.
        """
        fields = {**self._fields(self._described.named(names)), **cells}
        return {field: cell for field, cell in fields.items() if field not in ("role", "content")}

    def _fields(self, forms: list[Form], shape: Shape | None = None, told_by: str | None = None) -> dict[str, Cell]:
        absent = absent_of(forms[0].cls)
        tables = {form.name: {**_fixed(form.fixed), **self._cells(form.items)} for form in forms}
        fields: dict[str, Cell] = {}
        for name in dict.fromkeys(name for table in tables.values() for name in table):
            cells = {key: table.get(name) for key, table in tables.items()}
            first = cells[forms[0].name]
            if first is None or any(cell is not first for cell in cells.values()):
                first = self._by_form(forms, cells, absent.get(name))
            fields[name] = first
        fields["extras"] = self._extras(forms, shape, told_by)
        return fields

    def _by_form(self, forms: list[Form], cells: Mapping[str, Cell | None], absent: Any) -> Cell:
        choose = self._described.names.chooser(forms)

        def cell(value: Any, owner: Any) -> Any:
            form = choose(owner)
            own = None if form is None else cells[form.name]
            return absent if own is None else own(value, owner)

        return cell

    def _cells(self, items: Iterable[Any]) -> dict[str, Cell]:
        cells: dict[str, Cell] = {}
        for item in items:
            if isinstance(item, Key):
                for field, cell in item.value.cells(item.field, self).items():
                    cells[field] = _then(item.cell, cell) if field == item.field else cell
            elif isinstance(item, Inside):
                cells |= self._cells(item.items)
            elif isinstance(item, Spread):
                cells[item.field] = self._spread(item)
            elif isinstance(item, Hatch):
                cells |= item.cells
        return cells

    def _spread(self, item: Spread) -> Cell:
        nearest = _nearest(item.cls, {**_fixed(item.fixed), **self._cells(item.items)})
        return lambda obj, _: nearest(obj) if type(obj) is item.cls else NOT_HERE

    def _extras(self, forms: list[Form], shape: Shape | None, told_by: str | None) -> Cell:
        described, space = self._described, forms[0].space or self._described.family
        # By namespace and form: the keys that are no extras there, the tests of values that are, the cells of hatches.
        fixed = {name: {form.name: frozenset[str]()} for form in forms for name in form.fixed.get("extras", ())}
        inner: dict[str, dict[str, frozenset[str]]] = {}
        odd: dict[str, dict[str, _IsOdd]] = {}
        told: dict[str, dict[str, Cell]] = {}
        for form in forms:
            # Forms apart have their own shapes: an extra comes back in the form in which its owner is written.
            own = shape or described.shapes[form.name]
            if form.odd:
                odd.setdefault(space, {})[form.name] = odd_at(own, space)
            for item in form.items:
                if isinstance(item, Inside):
                    inner.setdefault(item.space, {})[form.name] = keys_of(item.items)
                    if item.odd:
                        test = odd_at(own, space, item.space, inside=(item.native, item.odd))
                        odd.setdefault(item.space, {})[form.name] = test
                elif isinstance(item, Hatch) and is_mapping(item.spaces):
                    for name, cell in item.spaces.items():
                        told.setdefault(name, {})[form.name] = cell

        choose = described.names.chooser(forms)

        def name_of(owner: Any) -> str:
            form = choose(owner)
            return forms[0].name if form is None else form.name

        def of_form(own: Mapping[str, frozenset[str]]) -> Callable[[Any], frozenset[str] | None]:
            return lambda owner: own.get(name_of(owner))

        def odd_of(own: Mapping[str, _IsOdd]) -> _IsOdd:
            return lambda owner, key, value: (test := own.get(name_of(owner))) is not None and test(owner, key, value)

        known = {form.name: form.keys for form in forms}
        spare = {
            form.name: [item for item in form.items if isinstance(item, Spare) and not form.odd_in] for form in forms
        }

        def taken(owner: Any) -> frozenset[str]:
            name = name_of(owner)
            keys = known[name]
            if not spare[name] and (told_by is None or told_by in keys):
                return keys
            own = extras_of(owner, space)
            tag = {told_by} if told_by is not None and own.get(told_by) is not None else ()
            return keys.union(tag) - {
                item.native for item in spare[name] if item.native in own and _says_more(item, own)
            }

        spaces = [(name, of_form(own)) for each in (fixed, inner) for name, own in each.items()] + [(space, taken)]
        tests = {name: odd_of(own) for name, own in odd.items()}
        if tests.keys() <= {space}:
            others = [carried_extras(*spaces, odd=tests.get(space))]
        else:
            others = [carried_extras((name, keys), odd=tests.get(name)) for name, keys in spaces]
        cells = [*(_there(name, own, name_of) for name, own in told.items()), *others]
        return together(*cells) if len(cells) > 1 else cells[0]

    def nested(self, forms: tuple[str, ...]) -> Cell:
        """Support an object that has its own forms, as their rows say."""
        by_class = grouped(self._described.named(forms), lambda form: form.cls)
        choosers = {cls: self._described.names.chooser(own) for cls, own in by_class.items()}
        rows = {form.name: _nearest(cls, self._fields([form])) for cls, own in by_class.items() for form in own}

        def cell(obj: Any, owner: Any) -> Any:
            choose = choosers.get(obj.__class__)
            form = None if choose is None else choose(obj)
            return NOT_HERE if form is None else rows[form.name](obj)

        return cell


def _there(space: str, cells: Mapping[str, Cell], name_of: Callable[[Any], str]) -> Cell:
    """Return the cell for extras that hatches read: for those in a namespace, by form, the hatch has a cell."""

    def cell(extras: Any, owner: Any) -> Any:
        own = extras.get(space)
        inner = cells.get(name_of(owner)) if own and is_mapping(own) else None
        kept = None if inner is None else inner(own, owner)
        return {space: kept} if kept else EMPTY

    return cell


def _says_more(item: Spare, own: Mapping[str, Any]) -> bool:
    """Whether an extra under such a key is read as one: it isn't the usual value, or null."""
    value = own[item.native]
    return not same(value, item.usual) and (item.is_written or value is not None)


def _fixed(fields: Mapping[str, Any]) -> dict[str, Cell]:
    """Return the cells of fields that always have a value; extras have their own."""

    def always(wanted: Any) -> Cell:
        return lambda value, _: value if value == wanted else wanted

    return {name: always(wanted) for name, wanted in fields.items() if name != "extras"}


def _nearest(cls: type[Any], fields: Mapping[str, Cell]) -> Callable[[Any], Any]:
    """Return a function from an object of a class to what the rows support of it, or to a field's Drop."""
    absent = absent_of(cls)
    # Leave out what is always kept.
    asked = [
        (name, fields.get(name), absent.get(name))
        for name in {**absent, **fields}
        if name != "notes" and fields.get(name) is not KEEP
    ]
    # An object that says nothing of these is kept, if "nothing" needs no cell.
    can_be_plain = all(
        name in absent and (cell is None or nothing is None or nothing is EMPTY) for name, cell, nothing in asked
    )
    is_plain = says_only(cls, *(name for name, cell in fields.items() if cell is KEEP))

    def nearest(obj: Any) -> Any:
        if can_be_plain and is_plain(obj):
            return obj
        changes: dict[str, Any] = {}
        for name, cell, nothing in asked:
            old = getattr(obj, name)
            # Absent extras need no call; other cells may require a value.
            if old is None or old is EMPTY or (cell is None and old == nothing):
                continue
            new = nothing if cell is None else cell(old, obj)
            if isinstance(new, Drop):
                return new
            if new is not old:
                changes[name] = new
        return obj.evolve(**changes) if changes else obj

    return nearest
