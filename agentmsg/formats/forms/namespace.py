"""Namespace: the names for generated code, and the functions of forms, each made on first use.

The text of each function is in ``linecache``, so that tracebacks and debuggers show it.
"""

from __future__ import annotations

import linecache
from math import copysign
from typing import TYPE_CHECKING, Any

from agentmsg.formats.forms.form import fitting
from agentmsg.formats.forms.reader import reader_source
from agentmsg.formats.forms.values import indented
from agentmsg.formats.natives import extras_of, is_bare_text, is_marked, link_of, with_rest, write_arguments
from agentmsg.formats.plain_messages import (
    are_bare,
    make_answer,
    make_bare,
    make_bare_text,
    make_named_answer,
    make_parsed_call,
    make_said,
)
from agentmsg.formats.shapes import Unreadable, mark_of, marked, write_as
from agentmsg.formats.spelling import spelling_of, spelling_of_nothing
from agentmsg.lazy import Later
from agentmsg.model.construction import maker
from agentmsg.model.remembering import remember_reader
from agentmsg.model.tool_arguments import from_object, input_copy, input_text
from agentmsg.model.tool_use import UNSET
from agentmsg.values.copies import plain_twin
from agentmsg.values.frozen import EMPTY, adopt, thaw
from agentmsg.values.text import UNUSUAL, usual_arguments
from agentmsg.values.types import is_sound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from agentmsg.formats.forms.form import Form
    from agentmsg.formats.parts import Parts
    from agentmsg.formats.shapes import Native, Shape

_OBJECT: Any = dict  # so that type checkers don't look inside
_PLAIN = (str, int, bool, frozenset)
_REST = "read_rest_of"


def _rest_of(native: Native, known: frozenset[str], odd: Sequence[str] = ()) -> Native:
    """Return the keys that no item names, and those with values without meaning here, in document order."""
    return {key: value for key, value in native.items() if key not in known or key in odd}


def _split_note(family: str) -> Callable[..., Any]:
    """Return a function that splits notes into marks, which are the family's, and spellings in another namespace."""

    def split(note: Mapping[str, Any], spelt: str) -> dict[str, Any]:
        if spelt == family:
            return {family: note}
        marks = {key: value for key, value in note.items() if key[0] == "/"}
        rest = {key: value for key, value in note.items() if key[0] != "/"}
        return {space: some for space, some in ((family, marks), (spelt, rest)) if some}

    return split


def _free_text(call: Any) -> Any:
    """Return the input of a call with free text; for any other call its JSON."""
    return call.input if isinstance(call.input, str) else input_text(call)


def _text_or_list(family: str) -> Callable[..., Any]:
    """Return a function that writes blocks as a text, if they are one and no list was read."""

    def write(blocks: Any, owner: Any, put: Callable[[Any], Any]) -> Any:
        is_text = len(blocks) == 1 and is_bare_text(blocks[0], family)
        if is_text and (not owner.notes or mark_of(owner, family, "/list") is not True):
            return blocks[0].text
        return list(map(put, blocks))

    return write


def _list_or_text(family: str) -> Callable[..., Any]:
    """Return a function that writes blocks as a list, unless a text was read that says the same."""

    def write(blocks: Any, owner: Any, put: Callable[[Any], Any]) -> Any:
        was_text = len(blocks) <= 1 and owner.notes and mark_of(owner, family, "/str") is True
        if was_text and all(is_bare_text(block, family) for block in blocks):
            return "".join(block.text for block in blocks)
        return list(map(put, blocks))

    return write


def _class_writer(forms: Sequence[Form]) -> str:
    place = forms[0].is_apart
    return f"write_{forms[0].cls.__name__}{f'_{place}' if isinstance(place, str) else '_apart' if place else ''}"


class Namespace:
    """The names of a format's generated code.

    Args:
        family: whose extras and notes these are.
        forms: by name.
        shapes: the shape of each form, by name.
        parts: returns the parts of a place.

    Attributes:
        readers: the reading function, by the name of the form.
        writers: the function that writes the usual spelling, by the name of the form.
        family: whose extras and notes these are.
    """

    def __init__(
        self, family: str, forms: Mapping[str, Form], shapes: Mapping[str, Shape], parts: Callable[[str], Parts]
    ) -> None:
        self._makers: dict[tuple[Any, ...], str] = {}
        self._texts: dict[tuple[str, str], str] = {}
        self._rests: dict[str, Callable[[], list[str]]] = {}
        self._groups: dict[tuple[str, tuple[str, ...]], str] = {}
        self._choosers: dict[tuple[str, ...], Callable[[Any], Form | None]] = {}
        self.family, self._forms, self._shapes, self._parts = family, forms, shapes, parts
        self.readers = Later(lambda name: self._function("read", name))
        self.writers = Later(lambda name: self._function("write", name))
        self.scope: dict[str, Any] = {
            "EMPTY": EMPTY,
            "extras_of": extras_of,
            "FAMILY": family,
            "NO_TEXT": "",
            "UNSET": UNSET,
            "UNUSUAL": UNUSUAL,
            "Unreadable": Unreadable,
            "adopt": adopt,
            "are_bare": are_bare,
            "copysign": copysign,
            "free_text": _free_text,
            "from_object": from_object,
            "input_copy": input_copy,
            "input_text": input_text,
            "is_bare_text": is_bare_text,
            "is_marked": is_marked,
            "is_sound": is_sound,
            "link_of": link_of,
            "list_or_text": _list_or_text(family),
            "make_answer": make_answer,
            "make_bare": make_bare,
            "make_named_answer": make_named_answer,
            "make_parsed_call": make_parsed_call,
            "make_said": make_said,
            "make_text": make_bare_text,
            "marked": marked,
            "remember_reader": remember_reader,
            "rest_of": _rest_of,
            "spelling_of": spelling_of,
            "split_note": _split_note(family),
            "spelling_of_nothing": spelling_of_nothing,
            "usual_arguments": usual_arguments,
            "text_or_list": _text_or_list(family),
            "plain_twin": plain_twin,
            "thaw": thaw,
            "with_rest": with_rest,
            "write_arguments": write_arguments,
        }

    # -- what generated code calls ------------------------------------------------------------------------------------

    def bind(self, name: str, value: Any) -> str:
        """Return the name of a value; two values never share one, unless they are equal and plain."""
        unique, number = name, 1
        while True:
            known: Any = self.scope.setdefault(unique, value)
            is_equal = value.__class__ in _PLAIN and known.__class__ is value.__class__ and known == value
            if known is value or is_equal:
                return unique
            number += 1
            unique = f"{name}_{number}"

    def maker(self, cls: type[Any], *fields: str) -> str:
        """Return the name of a function that makes objects of a class from these fields in order."""
        known = self._makers.get((cls, *fields))
        if known is None:
            known = self._makers[(cls, *fields)] = self.bind(f"make_{cls.__name__}", maker(cls, *fields))
        return known

    def place(self, name: str) -> str:
        """Return the name of the parts of a place."""
        return self.bind(f"place_{name}", self._parts(name))

    def origin(self, form: str) -> str:
        """Return the name of what messages remember that were read in a form."""
        return self.bind("READER", self._shapes[form].origin)

    def rest(self, form: str, known: list[str], lines: Callable[[], list[str]]) -> str:
        """Return the name of a function that finishes what a form's reader began; it is made on its first call.

        Args:
            form: the name of the form.
            known: the variables that the reader passes on.
            lines: returns the body of the function.
        """
        name = f"{_REST}_{form}"
        head = f"def {name}({', '.join(f'{v}: Any' for v in known)}) -> Any:"

        def made(*values: Any) -> Any:
            # Replaces this function in the scope.
            return self._function(_REST, form)(*values)

        self._rests[form] = lambda: [head, *indented(lines())]
        self.scope[name] = made
        return name

    def reader(self, forms: tuple[str, ...]) -> str:
        """Return the name of a function that reads any value as one of some forms, or raises Unreadable."""
        return self._grouped("one", forms, self._one_of)

    def writer(self, forms: tuple[str, ...]) -> str:
        """Return the name of a function that writes an object of some forms, including extras and spellings."""
        return self._grouped("put", forms, self._put)

    def _grouped(self, kind: str, forms: tuple[str, ...], make: Callable[[tuple[str, ...]], Any]) -> str:
        known = self._groups.get((kind, forms))
        if known is None:
            short = "_or_".join(forms) if len(forms) <= 2 else f"{forms[0]}_to_{forms[-1]}"  # noqa: PLR2004 - to be read
            known = self._groups[(kind, forms)] = self.bind(f"{kind}_{short}", make(forms))
        return known

    def _one_of(self, names: tuple[str, ...]) -> Callable[[Any], Any]:
        forms = [self._forms[name] for name in names]
        tag_key, readers, is_sole = forms[0].tag_key, self.readers, len(forms) == 1
        by_tag = {form.tag: form.name for form in forms}
        for form in forms:
            if form.tagged != "always":
                by_tag[None] = form.name

        def one(native: Any) -> Any:
            if type(native) is not _OBJECT:
                raise Unreadable("an object is needed")
            tag: Any = native.get(tag_key)
            name = by_tag.get(tag) if type(tag) is str or tag is None else None
            if name is None:
                raise Unreadable(f"another {tag_key}")
            return readers[name](native)

        def untagged(native: Any) -> Any:
            if type(native) is not _OBJECT:
                raise Unreadable("an object is needed")
            return readers[names[0] if is_sole else fitting(forms, native).name](native)

        return one if forms[0].tag is not None else untagged

    def _put(self, forms: tuple[str, ...]) -> Callable[[Any], Native]:
        by_class = {self._shapes[name].cls: self._shapes[name] for name in forms}
        family = self.family

        def writer(cls: Any) -> Callable[[Any], Native]:
            made = by_class[cls].writer
            return by_class[cls].write if made is None else made()

        # Made on first use: a form may contain itself.
        writers = Later(writer)

        def put(obj: Any) -> Native:
            kind: Any = obj.__class__
            native: Native = write_as(by_class[kind], obj, family) if obj.notes or obj.extras else writers[kind](obj)
            return native

        return put

    def writer_of(self, forms: Sequence[Form]) -> Callable[[Any], Native]:
        """Return a function that writes the objects of a class in their usual spelling, whatever their form."""
        if len(forms) == 1:
            only: Callable[[Any], Native] = self.writers[forms[0].name]
            return only
        any_of: Callable[[Any], Native] = self._compiled(_class_writer(forms), self.class_source(forms))
        return any_of

    # -- functions ----------------------------------------------------------------------------------------------------

    def source(self, kind: str, name: str) -> str:
        """Return the text of a form's function: "read", "read_rest_of" or "write"."""
        known = self._texts.get((kind, name))
        if known is None:
            # Only once, so that the printed text is the running code: new tables would get new names.
            known = self._texts[(kind, name)] = "\n".join(self._lines(kind, name)) + "\n"
        return known

    def _lines(self, kind: str, name: str) -> list[str]:
        if kind == _REST:
            return self._rests[name]()
        if kind == "read":
            return reader_source(self._forms[name], self)
        from agentmsg.formats.forms.writer import writer_source  # noqa: PLC0415 - few that read also write

        return writer_source(self._forms[name], self)

    def sources(self) -> Iterator[str]:
        """Yield the texts of the functions of all forms."""
        for name in self._forms:
            yield self.source("read", name)
            if name in self._rests:
                yield self.source(_REST, name)
            yield self.source("write", name)

    def class_source(self, forms: Sequence[Form]) -> str:
        """Return the text of the function that writes the objects of a class with several forms."""
        writers = self.bind("writers", self.writers)
        return self._choosing(_class_writer(forms), forms, lambda form: f"{writers}[{(form or forms[0]).name!r}](o)")

    def chooser(self, forms: Sequence[Form]) -> Callable[[Any], Form | None]:
        """Return a function that finds the form of an object: the first whose fields and test it passes.

        A form without conditions is for all other objects; without such a form the function may return None.

        Args:
            forms: of one class.
        """
        names = tuple(form.name for form in forms)
        if names not in self._choosers:
            name = f"choose_{len(self._choosers)}"
            text = self._choosing(name, forms, lambda form: "None" if form is None else self.bind("form", form))
            self._choosers[names] = self._compiled(name, text)
        return self._choosers[names]

    def _choosing(self, name: str, forms: Sequence[Form], result: Callable[[Form | None], str]) -> str:
        """Return the text of a function that does something for the form of an object."""
        lines, other = [f"def {name}(o: Any) -> Any:"], None
        for form in forms:
            if form.is_only_read or form.is_other:
                other = other if form.is_only_read else form
                continue
            tests = [
                f"o.{field} is None" if value is None else f"o.{field} == {value!r}"
                for field, value in form.fixed.items()
                if field != "extras"
            ]
            tests += [] if form.when is None else [f"{self.bind('when', form.when)}(o)"]
            lines += [f"    if {' and '.join(tests) or 'True'}:", f"        return {result(form)}"]
        return "\n".join([*lines, f"    return {result(other)}"]) + "\n"

    def _function(self, kind: str, name: str) -> Any:
        if name not in self._forms:
            return None
        return self._compiled(f"{kind}_{name}", self.source(kind, name))

    def _compiled(self, name: str, text: str) -> Any:
        file = f"<{self.family}: {name}>"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        exec(compile(text, file, "exec"), self.scope)  # noqa: S102 - made of a description, never of data
        return self.scope[name]
