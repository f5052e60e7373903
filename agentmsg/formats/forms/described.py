"""Described: the forms of a format, and what is generated from them: shapes, tables of parts, code."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any

from agentmsg.formats.forms.form import fitting, grouped
from agentmsg.formats.forms.namespace import Namespace
from agentmsg.formats.parts import Parts
from agentmsg.formats.shapes import Native, Shape, Unreadable, read_as
from agentmsg.lazy import Later, once
from agentmsg.values.frozen import EMPTY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from agentmsg.formats.forms.form import Form
    from agentmsg.formats.forms.rows import Rows


def _kind(form: Form) -> tuple[type[Any], Any]:
    """Return what forms of one shape share: their class, and where they are if they are apart."""
    # A form apart without a tag is determined by its place alone.
    return form.cls, form.name if form.is_apart is True and form.tag is None else form.is_apart


def _by_name(writers: Mapping[str, Any], chosen: Callable[[Any], str]) -> Callable[[Any], Native]:
    """Return a function that writes an object in the form chosen for it."""

    def write(obj: Any) -> Native:
        native: Native = writers[chosen(obj)](obj)
        return native

    return write


def _by_tag(readers: Mapping[Any, Any], tag_key: str | None) -> Callable[..., Any]:
    """Return a function that reads a native object by its tag.

    Args:
        readers: by tag; None for one that has no meaning.
        tag_key: of the tag; None without tags.
    """

    def read(native: Native, _: Any = None) -> Any:
        tag = None if tag_key is None else native.get(tag_key)
        reader = readers[tag] if type(tag) is str or tag is None else None
        if reader is None:
            raise Unreadable(f"another {tag_key}")
        return reader(native)

    return read


def _silent(
    known: Mapping[Any, list[Form]], others: list[Form], tag_key: str | None
) -> Callable[[Native], Mapping[str, frozenset[str]]]:
    """Return the function that returns the silent spellings of a native object's form.

    Args:
        known: forms by tag.
        others: those of other tags.
        tag_key: of the tag; None without tags.
    """

    def silent(native: Native) -> Mapping[str, frozenset[str]]:
        tag = None if tag_key is None else native.get(tag_key)
        same: list[Form] = (known.get(tag) or others) if type(tag) is str or tag is None else []
        # Which of several forms reads an object may depend on any key.
        return same[0].silent if len(same) == 1 else EMPTY

    return silent


class Described:
    """A format, as its forms describe it.

    Args:
        family: whose extras and notes these are.
        forms: all forms. Those of one class make one ``Shape``, and those with ``is_apart`` another.
        places: the names of the forms that are allowed in each place of parts.
        odd: by place, the names of forms that the schema doesn't allow there; their blocks are marked ``/odd``.
        table: the class that reads and writes the parts of a place; your own may spell them differently.
        chosen: returns the name of the form to write an object in, if the forms alone don't determine it.

    Attributes:
        forms: by name.
        shapes: by the name of the form; forms of one class share theirs.
        parts: the table of parts of each place. Hooks registered on their Converter before first use replace ours, also
            for objects inside others.
    """

    is_filled = False
    body: Callable[[], dict[str, Any]] | None = None
    """Returns the JSON Schema of a body's settings, if this describes settings."""

    def __init__(
        self,
        family: str,
        forms: Iterable[Form],
        places: Mapping[str, tuple[str, ...]],
        *,
        odd: Mapping[str, tuple[str, ...]] | None = None,
        table: type[Parts] = Parts,
        chosen: Callable[[Any], str] | None = None,
    ) -> None:
        self.family, self._chosen = family, chosen
        self.forms = {form.name: form for form in forms}
        self.shapes: dict[str, Shape] = {}
        self.names = Namespace(family, self.forms, self.shapes, lambda place: self.parts[place])
        self._groups = tuple(grouped(self.forms.values(), _kind).values())
        for group in self._groups:
            self._shape(group)
        parts = (self.shapes[group[0].name] for group in self._groups if not group[0].is_apart)
        self._everything = table(family, parts)
        self.places, self.odd = places, odd or {}
        everywhere = grouped((form for form in self.forms.values() if not form.is_apart), lambda form: form.cls)
        self.parts = {place: self._place(place, everywhere) for place in places}

    def _place(self, name: str, everywhere: Mapping[Any, list[Form]]) -> Parts:
        """Return the table of a place.

        Args:
            name: of the place.
            everywhere: by class, the forms that aren't apart.
        """
        here, odd = self.named(self.places[name]), self.named(self.odd.get(name, ()))
        tags = {form.tag for form in here} | {None for form in here if form.tagged != "always"}
        shapes = {
            # Forms of one class share their shape.
            cls: self._here(self.shapes[same[-1].name], same, everywhere.get(cls, ()))
            for cls, same in grouped(here, lambda form: form.cls).items()
        }
        return self._everything.narrowed(shapes, odd={form.tag for form in odd}, tags=tags)

    def named(self, names: Iterable[str]) -> list[Form]:
        """Return the forms with these names."""
        return [self.forms[name] for name in names]

    def _here(self, shape: Shape, same: list[Form], everywhere: Iterable[Form]) -> Shape:
        """Return the shape of a class in a place, where a tag may have another form than elsewhere.

        Args:
            shape: of the class.
            same: its forms in the place.
            everywhere: its forms.
        """
        others = {form.tag for form in everywhere if form not in same}
        if others.isdisjoint(form.tag for form in same):
            return shape
        by_tag = grouped(same, lambda form: form.tag)
        exact = Later(lambda tag: self._reading(by_tag.get(tag, [])))
        around = Later(lambda tag: self._around(by_tag.get(tag, [])))
        return shape.evolve(exact=exact, read=_by_tag(exact, shape.tag), silent=None, around=around)

    def _reading(self, same: list[Form]) -> Callable[[Native], Any] | None:
        """Return a function that reads native objects of some forms by the first that fits; None for no forms."""
        readers = self.names.readers
        if len(same) < 2:  # noqa: PLR2004 - more than one
            return readers[same[0].name] if same else None
        return lambda native: readers[fitting(same, native).name](native)

    def _around(self, same: list[Form]) -> Mapping[str | None, Callable[[], Any]] | None:
        """Return, by the key that forms are made around, what makes their reader; None if there is no such key."""
        if not any(form.around for form in same):
            return None
        by_key = grouped(same, lambda form: form.around)
        return {key: partial(self._reading, forms) for key, forms in by_key.items()}

    @property
    def rows(self) -> Rows:
        """What makes the rows of the capability table."""
        from agentmsg.formats.forms.rows import Rows  # noqa: PLC0415 - readers need no table

        return Rows(self)

    def code(self) -> str:
        """Return the generated code of all forms as a module that declares the names it uses."""
        from agentmsg.formats.forms.code import as_module  # noqa: PLC0415 - for people

        names = self.names
        texts = [*names.sources()]
        if self._chosen is None:
            texts += [names.class_source(group) for group in self._groups if len(group) > 1]
        return as_module(self.family, texts, names.scope)

    # -- shapes -------------------------------------------------------------------------------------------------------

    def _shape(self, forms: list[Form]) -> None:
        names, first, chosen = self.names, forms[0], self._chosen
        by_tag = grouped(forms, lambda form: form.tag if form.tagged == "always" else None)
        known = {**grouped(forms, lambda form: form.tag), **by_tag}
        # An empty tag counts as none if the tag is "usual"; objects with any other tag may have their own form.
        known[""] = [form for form in forms if form.tagged == "usual"]
        others = [form for form in forms if form.tag is None]
        readers = Later(lambda tag: self._reading(known.get(tag) or others))

        def takes(native: Native) -> bool:
            same: list[Form] = known.get(native.get(first.tag_key)) or others
            for form in same:  # a loop: a generator takes as long as the test itself
                if form.fits is None or form.fits(native):
                    return True
            return False

        choose = cache(partial(names.chooser, forms))
        tag_key = first.tag_key if any(form.tag is not None for form in forms) else None

        def form_of(obj: Any) -> Form:
            if chosen is not None:
                return self.forms[chosen(obj)]
            return first if len(forms) == 1 else choose()(obj) or first

        @cache
        def writer() -> Callable[[Any], Native]:
            return names.writer_of(forms) if chosen is None else _by_name(names.writers, chosen)

        def write(obj: Any) -> Native:
            return writer()(obj)

        def choose_tag(obj: Any) -> str | None:
            form = form_of(obj)
            return form.tag if form.tagged == "always" else None

        shape = Shape(
            cls=first.cls,
            keys={tag: frozenset[str]().union(*(form.keys for form in same)) for tag, same in by_tag.items()},
            tag=first.tag_key,
            choose_tag=choose_tag,
            read=_by_tag(readers, tag_key),
            write=write,
            odd=frozenset[str]().union(*(form.odd for form in forms)),
            exact=readers,
            around=Later(lambda tag: self._around(known.get(tag) or others)),
            writer=writer,
            silent=_silent(known, others, tag_key),
            takes=takes,
            origin=object(),  # another place may have other forms for the same class, and read a spelling otherwise
        )
        self.shapes |= {form.name: shape for form in forms}

    @once
    def fill(self) -> None:
        """Take the Converter's hooks, on first use."""
        for cls, (read, write) in self._everything.hooks().items():
            self._replace(cls, read, write)
        for parts in self.parts.values():
            parts.fill()

    def _replace(self, cls: type[Any], read: Any, write: Any) -> None:
        """Read and write the objects of a class by a user's hook, except those that are apart."""
        names = [form.name for form in self.forms.values() if form.cls is cls and not form.is_apart]
        hooked = self.shapes[names[0]].hooked(read, write)

        def read_hooked(native: Native) -> Any:
            return read_as(hooked, native, self.family)

        for name in names:
            self.names.readers[name] = read_hooked
            self.names.writers[name] = write
            self.shapes[name] = hooked
