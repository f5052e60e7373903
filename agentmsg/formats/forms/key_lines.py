"""The lines that read single keys, shared by readers of objects and of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats.forms.context import Code, Level
from agentmsg.formats.forms.values import NOTHING, Truth, indented
from agentmsg.values.frozen import EMPTY

if TYPE_CHECKING:
    from agentmsg.formats.forms.form import Form
    from agentmsg.formats.forms.items import Hatch, Key


class KeyLines(Code):
    """Emits the lines of keys, and provides what their values need."""

    form: Form

    def value(self, key: Key, level: Level) -> list[str]:
        """Return the lines that read the value of a key."""
        self.key, self.level = key.native, level
        return key.value.read(f"{key.field}_", self)

    def default(self, field: str, own: Any = None) -> str:
        """Return the expression of a field's value if there is nothing."""
        value = self.absent.get(field) if own is None else own
        if value is None or value in ("", ()):
            return repr(value)
        return self.bind(f"no_{field}", value)

    def optional_key(self, key: Key, level: Level) -> list[str]:
        """Return the lines of an optional key."""
        v = f"{key.field}_"
        nothing = key.value.nothing(v, self.default(key.field, key.default))
        null = [] if key.need == "null" and key.default is not True else [level.note(key.native, "'null'")]
        null += [] if nothing == [f"{v} = None"] else nothing
        others: list[str] = []
        for name in self.empties(key):
            noted = [] if key.need == name else [level.note(key.native, repr(name))]
            others += [f"elif {v} == {NOTHING[name]}:", *indented([*noted, *nothing])]
        read = [*self.value(key, level), *self.is_known(key, level)]
        if isinstance(key.value, Truth) and key.value.is_flag and not key.value.tells_no and key.need == "may":
            usual = key.value.usual(v, key.default)
            read += [f"if {usual}:", f"    {level.marks}[{'/' + key.native!r}] = True"]
        if key.is_odd:
            # The writer would write what an absent key means.
            unsaid = [level.note(key.native, repr("absent"))] if key.need == "null" and key.default is True else []
            read = [
                "try:",
                *indented(read),
                "except Unreadable:",
                *indented([*nothing, *unsaid, *self.odd(key.native, level)]),
            ]
        found = [f"{level.left} -= 1", f"{v} = {level.d}[{key.native!r}]"]
        if null or others:
            found += [f"if {v} is None:", *indented(null or ["pass"]), *others, "else:", *indented(read)]
        else:
            found += [f"if {v} is not None:", *indented(read)]
        first = [f"{v}: Any = ()"] if nothing == [f"{v} = ()"] else nothing
        lines = [*first, f"if {key.native!r} in {level.d}:", *indented(found)]
        if key.need != "may":
            lines += ["else:", f"    {level.note(key.native, repr('absent'))}"]
        if key.lacks:
            lines += [f"if {v} is None:", f"    {level.marks}[{'/' + key.lacks!r}] = True"]
        if key.said:
            lines += [f"if {v} is not None:", f"    {level.marks}[{'/' + key.said!r}] = True"]
        return lines

    def empties(self, key: Key) -> list[str]:
        """Return the names of the values, besides null, that mean "nothing"."""
        of_field = ["{}"] if self.absent.get(key.field) is EMPTY else []
        own = ['""'] if key.default == "" else [key.need] if key.need in ('""', "{}") else []
        return [*dict.fromkeys((*key.value.empty, *of_field, *own))]

    def is_known(self, key: Key, level: Level) -> list[str]:
        """Return the line that marks values outside the schema."""
        if key.known is None:
            return []
        return [f"if {key.field}_ not in {self.bind('known', key.known)}:", f"    {level.marks}['/odd'] = True"]

    def odd(self, key: str, level: Level) -> list[str]:
        """Return the lines that turn a value without meaning into an extra, or into a note if it says nothing."""
        v = f"{level.d}[{key!r}]"
        # A field for odd values takes all but a single empty one, which needs no place.
        full = f"None if {v} else " if self.form.odd_in is not None else ""
        lines = [f"spelling = {full}spelling_of_nothing({v})", "if spelling is None:"]
        lines += [f"    {level.left} += 1", f"    {level.odd}.append({key!r})"]
        return [*lines, "else:", f"    {level.note(key, 'spelling')}"]

    def hatch(self, item: Hatch) -> list[str]:
        """Return the lines that call the function of some keys; without any of the keys, only if it must be called."""
        inner = f", {self.reader(item.forms)}" if item.forms else ""
        absent = [f"{name}_: Any = {self.default(name)}" for name in item.cells]
        said = [
            *(["held = given['held']"] if item.holds else []),
            *(
                f"{name}_ = held.{name}" if item.holds else f"{name}_ = given.get({name!r}, {self.default(name)})"
                for name in item.cells
            ),
            "if 'notes' in given:",
            "    note |= given['notes']",
            *(["if held.extras:", "    extras |= held.extras"] if item.holds else []),
            *(["if 'extras' in given:", "    extras |= given['extras']"] if item.spaces else []),
            *(["if 'odd' in given:", "    odd += given['odd']", "    left += len(given['odd'])"] if item.odd else []),
        ]
        is_there = len(item.keys) == 1 and (item.is_optional or bool(item.must))
        counted = ["left -= 1"] if is_there else [f"left -= {key!r} in d" for key in item.keys]
        asked = [f"given = {self.bind('get', item.get)}(d{inner})", *counted]
        if item.must or item.holds:
            return [*asked, *said]
        # What says nothing results in nothing.
        lines = [*asked, "if given:", *indented(said)]
        if not item.is_optional:
            return [*absent, *lines]
        return [*absent, f"if {' or '.join(f'{key!r} in d' for key in item.keys)}:", *indented(lines)]
