"""The generator of readers: from a form, the Python code that reads its native objects.

The function goes through a native object once, from the required keys to the optional ones. It ends early at the usual
object, which has only the required keys. Any other object is left to a second function, which is made for the first
such object: most documents have none. It notes each deviation from the usual spelling where it sees it, and takes what
no item names as extras. Some formats leave out absent values, others write every key with null: a reader knows which,
and makes the object from the few keys that say something.
"""

from __future__ import annotations

from itertools import groupby
from math import copysign
from operator import itemgetter
from typing import TYPE_CHECKING, Any, cast

from agentmsg.formats.forms.call_values import Arguments
from agentmsg.formats.forms.context import Level, absent_of
from agentmsg.formats.forms.items import (
    Const,
    Hatch,
    Inside,
    Key,
    Lifted,
    Single,
    Spare,
    Spread,
    is_usual,
    is_written,
    keys_of,
)
from agentmsg.formats.forms.message_lines import MessageLines
from agentmsg.formats.forms.values import indented, refuse
from agentmsg.model.msg import Msg
from agentmsg.values.frozen import adopt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from agentmsg.formats.forms.form import Form
    from agentmsg.formats.forms.items import Item

_OF_CALLS = {"id", "name", "input", "raw_input"}
_SOME = 2
"""As many keys as this, that say nothing, are asked for in one go."""


def spread(items: Iterable[Item]) -> Iterator[Item]:
    """Yield items, with those that together make an object replaced by their keys."""
    for item in items:
        if isinstance(item, (Spread, Single)):
            yield from item.items
        else:
            yield item


def flat(items: Iterable[Item], *, usual: bool = False) -> Iterator[Item]:
    """Yield items, with inner objects replaced by their items; only required ones with ``usual``."""
    for item in items:
        if not isinstance(item, Inside):
            yield item
        elif item.need == "must" or not usual:
            yield from item.items


def _inner_level(item: Inside) -> Level:
    """Return the level of an inner object."""
    return Level(f"in_{item.native}", f"left_{item.native}", item.native, odd=f"odd_{item.native}")


def _is_eager(item: Item) -> bool:
    return isinstance(item, Key) and isinstance(item.value, Arguments) and item.value.is_eager


def _always(_: Key) -> bool:
    return True


def _speaks(key: Key) -> bool:
    """Whether a key says something where most keys are null."""
    return is_usual(key) and key.need != "null"


def says_nothing(item: Item) -> dict[str, Any] | None:
    """Return the values of an item's keys if they say nothing; None if not distinguished, or if they may be absent.

    Only values that equal no other (1 and True are equal), so that all can be compared at once.
    """
    if isinstance(item, Key) and item.need == "null" and item.lacks is None and item.default is not True:
        return {item.native: None}
    if isinstance(item, Spare) and item.is_written and (item.usual is None or type(item.usual) is str):
        return {item.native: item.usual}
    if isinstance(item, Hatch) and item.nothing:
        return dict(item.nothing)
    return None


class _UsualLines(MessageLines):
    """Emits the early ends of a reader, and the expressions that make objects."""

    def early_ends(self) -> list[str]:
        """Return the early ends, at an object with exactly the keys of the usual one."""
        form = self.form
        if form.marks or form.tagged == "read":
            return []
        if any(isinstance(item, (Lifted, Single)) for item in form.items):
            first = form.items[0]
            return self.usual_message(first) if isinstance(first, (Lifted, Single)) else []
        ends = [*self._usual(), *self._silent()]
        told = any(line.strip().startswith("raw_input_, input_ =") for line in ends)
        return [*(["raw_input_: Any"] if told else []), *ends]  # for type checkers

    def _usual(self) -> list[str]:
        """Return the early end at an object with the keys that say something, and no other."""
        if any(map(is_written, self.form.items)):
            return []
        tests = self._usual_tests(self.form.items, Level("d", "left"), int(self.form.tag is not None))
        return [] if tests is None else [f"if {self._all_of(tests)}:", *indented(self._usual_made(is_usual))]

    def _silent(self) -> list[str]:
        """Return the early end at an object with all keys, most of which say nothing."""
        said: list[Item] = []
        nothing: dict[str, Any] = {}
        for item in spread(self.form.items):
            none = says_nothing(item)
            if none is None:
                said.append(item)
            else:
                nothing |= none
        # What is null in most objects must say nothing here.
        if len(nothing) < _SOME or any(isinstance(item, Key) and item.need == "null" for item in spread(flat(said))):
            return []
        tests = self._usual_tests(said, Level("d", "left"), len(nothing) + (self.form.tag is not None))
        if tests is None:
            return []
        made = self.if_all(nothing, self._usual_made(_speaks), ["pass"])
        return [f"if {self._all_of(tests)}:", *indented(made)]

    def _all_of(self, tests: list[str]) -> str:
        """Return these tests, and those of every usual object."""
        form = self.form
        tagged = [f"d.get({form.tag_key!r}) == {form.tag!r}"] if form.tagged == "usual" else []
        return " and ".join([*tests, *tagged, *(["not note"] if self.has_noted else [])])

    def _usual_tests(self, items: Iterable[Item], level: Level, others: int = 0) -> list[str] | None:
        """Return the tests of the usual object; None if no simple test says what is usual.

        Args:
            items: of the object, as far as they are tested.
            level: the object.
            others: how many keys it has besides.
        """
        count, tests = others, list[str]()
        for item in spread(items):
            own: list[str] | None = None
            if isinstance(item, Inside) and item.need == "must":
                own = self._usual_tests(item.items, _inner_level(item))
            elif isinstance(item, Key) and is_usual(item):
                own = self._usual_key(item, level)
            elif isinstance(item, Const) and type(item.value) is str:
                own = [f"{level.d}.get({item.native!r}) == {item.value!r}"]
            elif isinstance(item, Spare) and item.is_written and type(item.usual) is bool and level.inside is None:
                own = [f"{level.d}.get({item.native!r}) is {item.usual!r}"]
            elif not isinstance(item, Const) and getattr(item, "is_optional", True) and not is_written(item):
                continue
            if own is None:
                return None
            count, tests = count + 1, [*tests, *own]
        return [f"len({level.d}) == {count}", *tests]

    def _usual_key(self, key: Key, level: Level) -> list[str] | None:
        """Return the tests of a key that says something; None if its value must be read first."""
        v, tests = f"{key.field}_", list[str]()
        if key.need != "must":
            if key.value.kind is None:
                return None
            tests.append(f"type({v} := {level.d}.get({key.native!r})) is {key.value.kind}")
            tests += key.value.bounds(v)
            tests += [v] if key.need == '""' and not key.value.fields else []
        return [*tests, *([] if key.known is None else [f"{v} in {self.bind('known', key.known)}"])]

    def if_all(self, nothing: dict[str, Any], then: list[str], lacking: list[str]) -> list[str]:
        """Return the lines for an object whose keys have these values, and for one that lacks one of the keys."""
        name = self.form.name
        get = self.bind(f"rest_{name}", itemgetter(*nothing))
        said = self.bind(f"nothing_{name}", tuple(nothing.values()))
        asked = ["try:", f"    is_silent = {get}(d) == {said}", "except KeyError:", "    is_silent = False"]
        otherwise = [] if lacking == ["pass"] else ["else:", *indented(lacking)]
        return [*asked, "if is_silent:", *indented(then), *otherwise]

    def _usual_made(self, says: Callable[[Key], bool]) -> list[str]:
        """Return the lines that make the object from the usual native one, in which some keys say something."""
        lines: list[str] = []
        for item in flat(self.form.items):
            if isinstance(item, Key) and isinstance(item.value, Arguments) and item.need != "must":
                lines.append("raw_input_, input_ = input_, UNSET")
            elif isinstance(item, Key) and self._is_given(item) and not says(item):
                lines += item.value.nothing(f"{item.field}_", self.default(item.field, item.default))
            elif isinstance(item, Spread):
                lines.append(f"{item.field}_ = {self.made_of(item, says)}")
        fields = self.fields(says)
        if self.form.notes:
            notes = {f"/{mark}": value for mark, value in self.form.notes.items()}
            fields["notes"] = self.bind("own_notes", adopt({self.family: notes}))
        if set(fields) == _OF_CALLS and any(map(_is_eager, flat(self.form.items))):
            values = "id_, name_, parsed, raw_input_"
            parsed = ["parsed = usual_arguments(raw_input_)", "if parsed is not UNUSUAL:"]
            lines += [*parsed, f"    return make_parsed_call({values})"]
        return [*lines, f"return {self.made(fields)}"]

    # -- what objects are made of -------------------------------------------------------------------------------------

    def fields(self, says: Callable[[Key], bool] = _always) -> dict[str, str]:
        """Return the fields of the model that are read, and the variable of each.

        Args:
            says: whether a key of the usual object says something; by default all possible keys do.
        """
        found: dict[str, str] = {}
        for item in flat(self.form.items, usual=says is not _always):
            if isinstance(item, Key) and (says(item) or self._is_given(item)):
                found |= {name: f"{name}_" for name in item.fields}
            elif isinstance(item, Hatch) and says is _always:
                found |= {name: f"{name}_" for name in item.cells}
            elif isinstance(item, (Lifted, Single, Spread)):
                found[item.field] = f"{item.field}_"
        return found

    def _is_given(self, key: Key) -> bool:
        """Whether objects must be given the field, even if its key says nothing."""
        return key.default is not None or key.field not in self.absent

    def made_of(self, item: Single | Spread, says: Callable[[Any], bool] = _always) -> str:
        """Return the expression of the object that some keys make."""
        fields = [name for key in item.items if says(key) for name in key.fields]
        fixed = {name: self.bind(f"own_{name}", value) for name, value in item.fixed.items()}
        notes = ["adopt({FAMILY: one}) if one else EMPTY"] if says is _always else []
        make = self.maker(item.cls, *fields, *fixed, *(["notes"] if notes else []))
        return f"{make}({', '.join([*(f'{name}_' for name in fields), *fixed.values(), *notes])})"

    def made(self, fields: dict[str, str]) -> str:
        """Return the expression of the object that has these fields."""
        fixed = {name: self.bind(f"own_{name}", value) for name, value in self.form.fixed.items() if name not in fields}
        values = {**fixed, **fields}
        return f"{self.maker(self.form.cls, *values)}({', '.join(values.values())})"


def _is_usual(v: str, usual: Any) -> str:
    """Return the test whether a value is the usual one: neither false nor -0.0 is 0.0."""
    if usual is None or isinstance(usual, bool):
        return f"{v} is {usual!r}"
    sign = f" and copysign(1.0, said) == {copysign(1.0, usual)!r}" if isinstance(usual, float) else ""
    return f"type(said := {v}) is {type(usual).__name__} and said == {usual!r}{sign}"


def _is_silent(item: Item) -> bool:
    """Whether an item is one of those that are tested in a row, all at once."""
    return is_written(item) and says_nothing(item) is not None


def _rank(item: Item) -> int:
    """Return an item's rank in reading order: last come those that need earlier values."""
    return int(isinstance(item, Key) and item.value.is_last)


def reader_source(form: Form, names: Any) -> list[str]:
    """Return the lines of the function that reads a form's native objects."""
    return _Reader(form, names).lines()


class _Reader(_UsualLines):
    """Emits one reader."""

    # -- the whole ----------------------------------------------------------------------------------------------------

    def lines(self) -> list[str]:
        form, level = self.form, Level("d", "left")
        body: list[str] = []
        if form.fits is not None and not form.is_asked:
            body += refuse(f"not {self.bind('fits', form.fits)}(d)", "another kind of object")
        body += self._required(form.items, level)
        start = ["note: dict[str, Any] = {}"]
        early, late = (start, []) if self.has_noted else ([], start)
        usual = self.early_ends()
        asked = ", is_rest: Any = False" if form.first is not None else ""
        lines = [f"def read_{form.name}(d: Any, _: Any = None{asked}) -> Any:"]
        lines += indented([*early, *body, *usual, *self._first()])
        if not usual:
            return [*lines, *indented([*late, *self._rest()])]
        known = ["d", *(["note"] if early else []), *self._read_by(form.items)]
        rest = self.rest(form.name, known, lambda: [*late, *self._rest()])
        return [*lines, f"    return {rest}({', '.join(known)})"]

    def _rest(self) -> list[str]:
        """Return the lines for an object with optional keys, once its required ones are read."""
        form, level = self.form, Level("d", "left")
        return [
            *self._counted(form.items, level, of_tag=form.tag is not None and form.tagged == "always"),
            *(["extras: dict[str, Any] = {}"] if self._has_inner_extras() else []),
            *(["odd: list[str] = []"] if form.may_be_odd else []),
            *self._optional(form.items, level),
            *self._marks(),
            *self._end(),
        ]

    def _read_by(self, items: Iterable[Item]) -> Iterator[str]:
        """Yield the variables that the required keys fill."""
        for item in spread(items):
            if isinstance(item, Key) and item.need == "must":
                yield from dict.fromkeys(f"{name}_" for name in (item.field, *item.fields))
            elif isinstance(item, Inside) and item.need == "must":
                yield _inner_level(item).d
                yield from self._read_by(item.items)

    def _first(self) -> list[str]:
        """Return the lines that call another reader for what isn't usual."""
        if self.form.first is None:
            return []
        found = [f"found = {self.bind('first', self.form.first)}(d)", "if found is not None:", "    return found"]
        return ["if not is_rest:", *indented(found)]

    def _has_inner_extras(self) -> bool:
        return self._holds() or any(
            isinstance(item, Inside) or (isinstance(item, Hatch) and item.spaces) for item in self.form.items
        )

    def _holds(self) -> bool:
        return any(isinstance(item, Hatch) and item.holds for item in self.form.items)

    # -- required keys ------------------------------------------------------------------------------------------------

    def _required(self, items: Iterable[Item], level: Level) -> list[str]:
        lines: list[str] = []
        for item in items:
            if isinstance(item, (Single, Spread)):
                lines += self._required(item.items, level)
            elif isinstance(item, Hatch):
                for key in item.must:
                    lines += refuse(f"{key!r} not in d", f"{key} is missing")
            elif isinstance(item, Key) and item.need == "must":
                if item.value.takes_null:
                    lines += refuse(f"{item.native!r} not in {level.d}", f"{item.native} is missing")
                lines += [f"{item.field}_ = {level.d}.get({item.native!r})", *self.value(item, level)]
            elif isinstance(item, Inside) and item.need == "must":
                inner = _inner_level(item)
                lines += [f"{inner.d} = {level.d}.get({item.native!r})"]
                if item.bare is not None:
                    noted = f"    {self.noted()}['/bare'] = True"
                    lines += [f"if type({inner.d}) is str:", noted, f"    {inner.d} = {{{item.bare!r}: {inner.d}}}"]
                lines += refuse(f"type({inner.d}) is not dict", f"{item.native} is not an object")
                lines += self._required(item.items, inner)
        return lines

    # -- optional keys ------------------------------------------------------------------------------------------------

    @staticmethod
    def _counted(items: Iterable[Item], level: Level, *, of_tag: bool = False) -> list[str]:
        count = sum(isinstance(item, (Key, Inside)) and item.need == "must" for item in spread(items))
        return [f"{level.left} = len({level.d}) - {count + of_tag}"]

    def _optional(self, items: Iterable[Item], level: Level) -> list[str]:
        lines: list[str] = []
        if level.inside is None and self.form.tag is not None and self.form.tagged != "always":
            lines += self._spelt_tag()
        for is_silent, run in groupby(sorted(items, key=_rank), _is_silent):
            row = list(run)
            if is_silent and len(row) >= _SOME and level.inside is None:
                lines += self._spares(cast("list[Spare]", row))
            else:
                lines += [line for item in row for line in self._lines_of(item, level)]
        return lines

    def _lines_of(self, item: Item, level: Level) -> list[str]:
        if isinstance(item, Key):
            return self.optional_key(item, level) if item.need != "must" else self.is_known(item, level)
        if isinstance(item, Inside):
            return self._inside(item, level)
        if isinstance(item, Const):
            return self._const(item, level)
        if isinstance(item, Spare):
            return self._spare(item) if level.inside is None else self._spare_inside(item, level)
        if isinstance(item, (Single, Spread)):
            return self._held(item, level)
        return self.lifted(item, level) if isinstance(item, Lifted) else self.hatch(item)

    def _held(self, item: Single | Spread, level: Level) -> list[str]:
        """Return the lines that make an inner object of the model, whose keys are among its owner's."""
        outer, self.absent = self.absent, absent_of(item.cls)
        own = level.evolve(marks="one")
        lines = [f"one: dict[str, Any] = {dict(item.marks)!r}"]
        for key in item.items:
            lines += self._lines_of(key, own)
            if isinstance(key, Hatch) and not key.is_optional:
                lines.append("one |= given.get('marks', EMPTY)")
        self.absent = outer
        made = self.made_of(item)
        return [*lines, f"{item.field}_ = {made if isinstance(item, Spread) else f'({made},)'}"]

    def _spelt_tag(self) -> list[str]:
        key, tag = self.form.tag_key, self.form.tag
        noted = f"note[{key!r}] = spelling_of(d[{key!r}]) or ['=', d[{key!r}]]"
        if self.form.tagged == "read":
            return [f"if {key!r} in d:", "    left -= 1", f"    {noted}"]
        found = ["left -= 1", f"if d[{key!r}] != {tag!r}:", f"    {noted}"]
        return [f"if {key!r} in d:", *indented(found), "else:", f"    note[{key!r}] = 'absent'"]

    def _const(self, item: Const, level: Level) -> list[str]:
        value, kind = self.bind("const", item.value), self.bind("kind", type(item.value))
        given = f"{level.d}[{item.native!r}]"
        refused = [f"raise Unreadable({f'{item.native} is another'!r})"]
        # 1 and True are equal, but not the same.
        wrong = [f"elif type({given}) is not {kind} or {given} != {value}:"]
        wrong += indented(refused if self.form.odd_in is None else self.odd(item.native, level))
        return [
            f"if {item.native!r} in {level.d}:",
            f"    {level.left} -= 1",
            f"    if {level.d}[{item.native!r}] is None:",
            f"        {level.note(item.native, repr('null'))}",
            *indented(wrong),
            "else:",
            f"    {level.note(item.native, repr('absent'))}",
        ]

    def _inside(self, item: Inside, level: Level) -> list[str]:
        inner, keys = _inner_level(item), self.bind("keys", keys_of(item.items))
        odd = f", {inner.odd}" if item.odd else ""
        rest = [f"if {inner.left}:", f"    extras[{item.space!r}] = rest_of({inner.d}, {keys}{odd})"]
        keyed = [*([f"{inner.odd}: list[str] = []"] if odd else []), *self._optional(item.items, inner), *rest]
        if item.need == "must":
            return [*self._counted(item.items, inner), *keyed]
        fields = [name for key in flat((item,)) if isinstance(key, (Key, Spread)) for name in key.fields]
        absent = [f"{name}_ = {self.default(name)}" for name in fields]
        read = refuse(f"type({inner.d}) is not dict", f"{item.native} is not an object")
        read += [*self._required(item.items, inner), *self._counted(item.items, inner), *keyed]
        # What was noted of the inner object belongs to no object any more.
        unread = [*absent, f"note.pop({item.native!r}, None)", *self.odd(item.native, level)]
        return [
            *absent,
            f"if {item.native!r} in d:",
            "    left -= 1",
            f"    {inner.d} = d[{item.native!r}]",
            f"    if {inner.d} is None:",
            f"        {level.note(item.native, repr('null'))}",
            f"    elif {inner.d} == {{}}:",
            f"        {level.note(item.native, repr('{}'))}",
            "    else:",
            "        try:",
            *indented(read, 3),
            "        except Unreadable:",
            *indented(unread, 3),
        ]

    def _spare(self, item: Spare) -> list[str]:
        if not item.is_written:
            v = f"d[{item.native!r}]"
            usual = " or ".join(dict.fromkeys((f"{v} is None", _is_usual(v, item.usual))))
            said = [f"if {usual}:", "    left -= 1", f"    note[{item.native!r}] = spelling_of({v})"]
            return [f"if {item.native!r} in d:", *indented([*said, "else:", f"    odd.append({item.native!r})"])]
        key, usual = item.native, _is_usual(f"d[{item.native!r}]", item.usual)
        found = [f"if {usual}:", "    left -= 1", "else:", f"    odd.append({key!r})"]
        return [f"if {key!r} in d:", *indented(found), "else:", f"    note[{key!r}] = 'absent'"]

    def _spares(self, run: list[Spare]) -> list[str]:
        """Return the lines for a row of spares: those that usually say nothing are tested at once."""
        each = [line for spare in run for line in self._spare(spare)]
        return self.if_all({spare.native: spare.usual for spare in run}, [f"left -= {len(run)}"], each)

    @staticmethod
    def _spare_inside(item: Spare, level: Level) -> list[str]:
        """Return the lines for such a key of an inner object: with another value, it isn't such an object."""
        said = refuse(f"{level.d}[{item.native!r}] is not None", f"{item.native} says something")
        said += [f"{level.left} -= 1", level.note(item.native, "'null'")]
        return [f"if {item.native!r} in {level.d}:", *indented(said)]

    # -- the end ------------------------------------------------------------------------------------------------------

    def _marks(self) -> list[str]:
        lines: list[str] = []
        for mark, test in self.form.marks.items():
            lines += [
                f"mark = {self.bind('mark_' + mark.replace('-', '_'), test)}(d)",
                "if mark is not None and mark is not False:",
                f"    note[{'/' + mark!r}] = mark",
            ]
        return [*lines, *(f"note[{'/' + mark!r}] = {value!r}" for mark, value in self.form.notes.items())]

    def _end(self) -> list[str]:
        form = self.form
        keys = self.bind(f"keys_{form.name}", form.keys)
        own = f"rest_of(d, {keys}, odd)" if form.may_be_odd and form.odd_in is None else f"rest_of(d, {keys})"
        space = "FAMILY" if form.space is None else repr(form.space)
        base = self.bind("own_extras", form.fixed["extras"]) if "extras" in form.fixed else "EMPTY"
        if self._has_inner_extras():
            lines = ["if left:", f"    extras[{space}] = {own}", "extras = adopt(extras) if extras else EMPTY"]
        else:
            more = f"{{**{base}, {space}: {own}}}" if base != "EMPTY" else f"{{{space}: {own}}}"
            lines = [f"extras = adopt({more}) if left else {base}"]
        noted, others = f"{{{space}: note}}" if form.spelt is None else f"split_note(note, {form.spelt!r})", "EMPTY"
        if self._holds():
            noted, others = f"{{**held.notes, **{noted}}}", "held.notes"
        lines += [f"notes = adopt({noted}) if note else {others}"]
        fields = self.fields()
        if form.odd_in is not None:
            lines = [*self._odd_in(form.odd_in, is_there=form.odd_in in fields), *lines]
            fields[form.odd_in] = f"{form.odd_in}_"
        made = self.made({**fields, "extras": "extras", "notes": "notes"})
        if form.cls is not Msg:
            return [*lines, f"return {made}"]
        remembered = f"    remember_reader(message, {self.origin(form.name)})"
        return [*lines, f"message = {made}", "if notes:", remembered, "return message"]

    @staticmethod
    def _odd_in(field: str, *, is_there: bool) -> list[str]:
        """Return the lines that put odd values into a field.

        Args:
            field: its name.
            is_there: whether the object already has it.
        """
        held = f"**{field}_, " if is_there else ""
        found = ["left -= len(odd)", f"{field}_ = adopt({{{held}**{{key: d[key] for key in odd}}}})"]
        return [*([] if is_there else [f"{field}_ = EMPTY"]), "if odd:", *indented(found)]
