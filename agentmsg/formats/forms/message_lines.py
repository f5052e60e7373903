"""The lines of messages: content in several keys, and the only block of a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmsg.formats.forms.call_values import Content
from agentmsg.formats.forms.items import Beside, Key, Lifted, Place, Single, is_usual, is_written
from agentmsg.formats.forms.key_lines import KeyLines
from agentmsg.formats.forms.object_values import Each
from agentmsg.formats.forms.values import NOTHING, Value, indented
from agentmsg.model.blocks import ToolResultBlock
from agentmsg.model.msg import Msg
from agentmsg.values.frozen import adopt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmsg.formats.forms.context import Code, Level


class _Alone(Value):
    """The value of a single block, as a tuple."""

    of: Value

    @property
    def empty(self) -> tuple[str, ...]:  # type: ignore[override]
        """The spellings that mean "no block"."""
        return self.of.empty

    def read(self, v: str, c: Code) -> list[str]:
        """Return the lines that read the block."""
        return [*self.of.read(v, c), f"{v} = ({v},)"]


def _sound(v: str) -> str:
    """Return the test whether a text is valid; most are ASCII, which is checked first."""
    return f"({v}.isascii() or is_sound({v}))"


def _are_texts(*words: str) -> str:
    """Return the test whether all are valid texts, and that of a result isn't empty."""
    return " and ".join([*(f"type({v}) is str" for v in words), "text", *map(_sound, words)])


def _var(place: Place) -> str:
    return f"at_{place.native}"


def _key(place: Place) -> Key:
    """Return the key with the same reader as a place."""
    value = _Alone(place.value) if place.is_one else place.value
    need = "may" if place.alone else place.need
    return Key(place.native, _var(place), value, need, default=(), is_odd=place.is_odd)


class MessageLines(KeyLines):
    """Emits the lines of messages, besides those of keys."""

    # -- content of several keys --------------------------------------------------------------------------------------

    def lifted(self, item: Lifted, level: Level) -> list[str]:
        """Return the lines that read the blocks of all places."""
        lines: list[str] = []
        found: list[str] = []
        for place in item.places:
            if isinstance(place, Beside):
                lines += self._beside(place)
                found.append("beside")
            else:
                lines += self._place(place, level)
                found.append(f"{_var(place)}_")
        for place in item.places:
            if isinstance(place, Place) and place.alone:
                lines += self._spelt(place, [f"{name}" for name in found if name not in ("beside", f"{_var(place)}_")])
        return [*lines, f"content_ = {' + '.join(found)}", *self._bare(item)]

    def _beside(self, place: Beside) -> list[str]:
        get = self.bind("get", place.get)
        inner = [
            f"beside, given, unknown = {get}(d)",
            "note |= given",
            "odd += unknown",
            f"left -= {' + '.join(f'({key!r} in d)' for key in place.keys)} - len(unknown)",
        ]
        if place.is_always:
            return inner
        test = " or ".join(f"{key!r} in d" for key in place.keys)
        return ["beside: Any = ()", f"if {test}:", *indented(inner)]

    def _place(self, place: Place, level: Level) -> list[str]:
        key = _key(place)
        if not place.alone:
            return self.optional_key(key, level)
        # How absence is spelt is judged after all others are read.
        v, how = f"{key.field}_", f"how_{place.native}"
        found = ["left -= 1", f"{v} = d[{place.native!r}]", f"if {v} is None:", f"    {how}, {v} = 'null', ()"]
        for name in key.value.empty:
            found += [f"elif {v} == {NOTHING[name]}:", f"    {how}, {v} = {name!r}, ()"]
        found += ["else:", f"    {how} = ''", *indented(self.value(key, level))]
        return [f"{v}: Any = ()", f"{how} = 'absent'", f"if {place.native!r} in d:", *indented(found)]

    @staticmethod
    def _spelt(place: Place, others: list[str]) -> list[str]:
        how = f"how_{place.native}"
        need = "absent" if place.need == "may" else place.need
        usual = f"({need!r} if {' or '.join(others)} else {place.alone!r})" if others else repr(place.alone)
        return [f"if {how} and {how} != {usual}:", f"    note[{place.native!r}] = {how}"]

    def _bare(self, item: Lifted) -> list[str]:
        """Return the early end at a message with only bare blocks."""
        if not self._may_be_bare(item):
            return []
        count = " + ".join(f"({key!r} in d)" for key in item.keys)
        role = repr(self.form.fixed["role"])
        return [
            f"if not note and left == 0 and len(d) == 1 + {count} and are_bare(content_):",
            f"    return make_bare({role}, content_)",
        ]

    def _may_be_bare(self, content: Lifted | Single) -> bool:
        """Whether the usual message has a role and content, and its form leaves no mark.

        The absence of other keys would be noted.
        """
        form, places = self.form, content.places if isinstance(content, Lifted) else ()
        if form.cls is not Msg or form.tag is None or form.notes or set(form.fixed) != {"role"}:
            return False
        has_more = any(is_written(item) or (isinstance(item, Key) and is_usual(item)) for item in form.items)
        return not has_more and not any(
            isinstance(place, Place) and place.need == "null" and not place.alone for place in places
        )

    def usual_message(self, first: Lifted | Single) -> list[str]:
        """Return the early end at a message with only a text."""
        if not self._may_be_bare(first):
            return []
        role = repr(self.form.fixed["role"])
        if isinstance(first, Lifted):
            text = next((place for place in first.places if isinstance(place, Place) and not place.takes), None)
            if text is None or not isinstance(text.value, Content):
                return []
            lines = [
                "if len(d) == 2:",
                f"    text = d.get({text.native!r})",
                f"    if type(text) is str and text and {_sound('text')}:",
                f"        return make_said({role}, text)",
            ]
            behind = first.places[first.places.index(text) + 1 :] if text.need == "null" else ()
            lists = [place for place in behind if isinstance(place, Place) and isinstance(place.value, Each)]
            return [*lines, *(line for place in lists for line in self._usual_list(place, text, role))]
        return self._usual_single(first, role)

    def _usual_list(self, place: Place, text: Place, role: str) -> list[str]:
        """Return the early end at a message with one more key: a list of bare blocks, after the text or null."""
        self.key = place.native
        made = [
            "if are_bare(held):",
            f"    return make_bare({role}, held if text is None else (make_text(text), *held))",
        ]
        read = [*place.value.read("held", self), *made]
        # What has no meaning is examined again below.
        tried = ["try:", *indented(read), "except Unreadable:", "    pass"]
        return [
            f"if len(d) == 3 and {place.native!r} in d:",
            f"    text, held = d.get({text.native!r}, d), d[{place.native!r}]",
            f"    if held and (text is None or (type(text) is str and text and {_sound('text')})):",
            *indented(tried, 2),
        ]

    def _usual_single(self, item: Single, role: str) -> list[str]:
        """Return the early ends at the message of a result with only an id, a text and perhaps the tool's name."""
        keys = [key for key in item.items if isinstance(key, Key) and (key.need != "may" or key.lacks)]
        fields = {key.field: key for key in keys}
        if item.cls is not ToolResultBlock or item.marks or fields.keys() - {"name"} != {"tool_call_id", "content"}:
            return []
        if not isinstance(fields["content"].value, Content):
            return []
        link, text = fields["tool_call_id"].native, fields["content"].native

        def end(name: Key | None, made: str) -> list[str]:
            words = ("link", "text") if name is None else ("link", "text", "name")
            given = "None" if name is None else f"d.get({name.native!r})"
            return [
                f"if len(d) == {1 + len(words)}:",
                f"    link, text, name = d.get({link!r}), d.get({text!r}), {given}",
                f"    if {_are_texts(*words)}:",
                f"        return {made}",
            ]

        lines = end(fields.get("name"), f"make_answer({role}, link, text, name)")
        for key in item.items:
            if isinstance(key, Key) and key.field == "name" and key.said:
                notes = self.bind("named", adopt({self.family: {f"/{key.said}": True}}))
                lines += end(key, f"make_named_answer({role}, link, text, name, {notes})")
        return lines


# -- writing ----------------------------------------------------------------------------------------------------------


def write_lifted(item: Lifted, c: Code) -> list[str]:
    """Return the lines that write the blocks of ``o.content`` under their keys."""
    places = item.places
    taking = [place for place in places if place.takes and not (isinstance(place, Place) and place.last_of)]
    rest = next(place for place in places if not place.takes)
    lines = [f"{_list_of(place)}: list[Any] = []" for place in (*taking, rest)]
    inner = ["kind = block.__class__"]
    for place in taking:
        for cls, test in place.takes.items():
            told = f"kind is {c.bind(cls.__name__, cls)}"
            told += "" if test is None else f" and {c.bind('takes', test)}(block)"
            inner += [f"{'if' if len(inner) == 1 else 'elif'} {told}:", f"    {_list_of(place)}.append(block)"]
    inner += ["else:", f"    {_list_of(rest)}.append(block)"]
    if not taking:
        lines = [f"{_list_of(rest)} = o.content"]
    else:
        lines += ["for block in o.content:", *indented(inner)]
    for place in places:
        if isinstance(place, Place) and place.last_of:
            lines += _last(place, c)
    for place in sorted(places, key=lambda place: place is not rest):
        lines += _written(place, places, c)
    return lines


def _list_of(place: Place | Beside) -> str:
    return _var(place) if isinstance(place, Place) else "beside"


def _last(place: Place, c: Code) -> list[str]:
    held = f"at_{place.last_of}"
    tests = [
        f"({held}[-1].__class__ is {c.bind(cls.__name__, cls)}"
        + ("" if test is None else f" and {c.bind('takes', test)}({held}[-1])")
        + ")"
        for cls, test in place.takes.items()
    ]
    own = _list_of(place)
    return [f"{own} = [{held}.pop()] if {held} and {' or '.join(tests)} else []"]


def _written(place: Place | Beside, places: Sequence[Place | Beside], c: Code) -> list[str]:
    v = _list_of(place)
    if isinstance(place, Beside):
        put = f"d |= {c.bind('put', place.put)}({v}, o)"
        return [put] if place.is_always else [f"if {v}:", f"    {put}"]
    value = place.value.write(f"{v}[-1]" if place.is_one else v, c)
    put = f"d[{place.native!r}]"
    others = [_list_of(other) for other in places if isinstance(other, Place) and other is not place]
    if place.need == "may":
        lines = [f"if {v}:", f"    {put} = {value}"]
        if place.alone:
            lines += [f"elif not ({' or '.join(others) or False}):", f"    {put} = {NOTHING[place.alone]}"]
        return lines
    nothing = NOTHING[place.need]
    if place.alone:
        nothing = f"{nothing} if {' or '.join(others)} else {NOTHING[place.alone]}" if others else NOTHING[place.alone]
    if not place.is_odd:
        return [f"{put} = {value} if {v} else {nothing}"]
    # What has no meaning there is an extra.
    spared = f"elif not o.extras or {place.native!r} not in extras_of(o, FAMILY):"
    return [f"if {v}:", f"    {put} = {value}", spared, f"    {put} = {nothing}"]
