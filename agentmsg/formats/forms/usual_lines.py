"""The early ends of readers: at the usual object, which has only the required keys.

Some formats leave out absent values, others write every key with null. A reader knows which, and makes the object from
the few keys that say something.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

from agentmsg.formats.forms.call_values import Arguments
from agentmsg.formats.forms.items import Const, Hatch, Inside, Key, Lifted, Single, Spare, Spread, is_usual
from agentmsg.formats.forms.key_lines import Level
from agentmsg.formats.forms.message_lines import MessageLines
from agentmsg.formats.forms.values import indented
from agentmsg.values.frozen import adopt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from agentmsg.formats.forms.items import Item

_OF_CALLS = {"id", "name", "input", "raw_input"}
SOME = 2
"""As many keys as this, that say nothing, are asked for in one go."""


def is_written(item: Item) -> bool:
    """Whether an item is a key that is usually there, and never says anything."""
    return isinstance(item, Spare) and item.is_written


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


def inner_level(item: Inside) -> Level:
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


def _may_lack(item: Item) -> bool:
    """Whether the absence of all keys of an item says nothing."""
    if isinstance(item, Key):
        return not is_usual(item)
    if isinstance(item, Spare):
        return not item.is_written
    return item.need == "may" if isinstance(item, Inside) else isinstance(item, Hatch) and item.is_optional


class UsualLines(MessageLines):
    """Emits the early ends of a reader, and the expressions that make objects."""

    def early_ends(self) -> list[str]:
        """Return the early ends, at an object with exactly the keys of the usual one."""
        form = self.form
        if form.marks or form.tagged == "read":
            return []
        if any(isinstance(item, (Lifted, Single)) for item in form.items):
            return [] if form.notes else self.usual_message(form.items)
        ends = [*self._usual(), *self._silent()]
        told = any(line.strip().startswith("raw_input_, input_ =") for line in ends)
        return [*(["raw_input_: Any"] if told else []), *ends]  # for type checkers

    def _usual(self) -> list[str]:
        tests = self._usual_tests(self.form.items, Level("d", "left"), of_tag=self.form.tag is not None)
        if tests is None:
            return []
        return [f"if {' and '.join([*tests, *self._of_all()])}:", *indented(self._usual_made(is_usual))]

    def _of_all(self) -> list[str]:
        """Return the tests of every usual object."""
        form = self.form
        tagged = [f"d.get({form.tag_key!r}) == {form.tag!r}"] if form.tagged == "usual" else []
        return [*tagged, *(["not note"] if self.has_noted else [])]

    def _usual_tests(self, items: Iterable[Item], level: Level, *, of_tag: bool = False) -> list[str] | None:
        """Return the tests of the usual object; None if no simple test says what is usual."""
        count, tests = int(of_tag), list[str]()
        for item in spread(items):
            if isinstance(item, Inside) and item.need == "must":
                inner = self._usual_tests(item.items, inner_level(item))
                if inner is None:
                    return None
                count, tests = count + 1, [*tests, *inner]
            elif isinstance(item, Key) and is_usual(item):
                own = self._usual_key(item, level)
                if own is None:
                    return None
                count, tests = count + 1, [*tests, *own]
            elif isinstance(item, Const) and type(item.value) is str:
                count, tests = count + 1, [*tests, f"{level.d}.get({item.native!r}) == {item.value!r}"]
            elif isinstance(item, Const) or not (getattr(item, "is_optional", True) and not is_written(item)):
                return None
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

    def _silent(self) -> list[str]:
        """Return the early end at an object with all keys, most of which say nothing."""
        count, tests, nothing = int(self.form.tag is not None), list[str](), dict[str, Any]()
        for item in spread(self.form.items):
            none = says_nothing(item)
            if none is not None:
                nothing |= none
                continue
            own: list[str] | None
            if isinstance(item, Key) and _speaks(item) and item.need in ("must", '""'):
                own = self._usual_key(item, Level("d", "left"))
            elif is_written(item) and isinstance(item, Spare) and type(item.usual) is bool:
                own = [f"d.get({item.native!r}) is {item.usual!r}"]
            elif _may_lack(item):
                continue
            else:
                return []
            if own is None:
                return []
            count, tests = count + 1, [*tests, *own]
        if len(nothing) < SOME:
            return []
        said = " and ".join([f"len(d) == {count + len(nothing)}", *tests, *self._of_all()])
        return [f"if {said}:", *indented(self.if_all(nothing, self._usual_made(_speaks), ["pass"]))]

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
            elif isinstance(item, Spread):
                found[item.field] = f"{item.field}_"
            elif isinstance(item, Hatch) and says is _always:
                found |= {name: f"{name}_" for name in item.cells}
            elif isinstance(item, (Lifted, Single)):
                found["content"] = "content_"
        return found

    def _is_given(self, key: Key) -> bool:
        """Whether objects must be given the field, even if its key says nothing."""
        return key.default is not None or key.field not in self.absent

    def made_of(self, item: Spread, says: Callable[[Key], bool] = _always) -> str:
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
