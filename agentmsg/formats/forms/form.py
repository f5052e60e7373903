"""Form: how one kind of native object and one class of the model correspond, described once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from agentmsg.formats.forms.items import Beside, Hatch, Inside, Item, Key, Lifted, Place, Single, Spare, keys_of
from agentmsg.formats.records import Record
from agentmsg.formats.shapes import Unreadable
from agentmsg.values.frozen import EMPTY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from dataclasses import KW_ONLY

_K = TypeVar("_K")


class Form(Record):
    """How one kind of native object and one class of the model correspond.

    ``Form("text", am.TextBlock, "text", (Key("text", "text", Text()), CACHE))`` is ``{"type": "text", "text": ...,
    "cache_control": ...}`` and ``TextBlock(text=..., cache=...)``.

    Attributes:
        name: unique among the forms of a format.
        cls: the class of the model.
        tag: the value of ``tag_key``; None if it needs none.
        items: the keys of the native object.
        tag_key: the key of the tag.
        tag_at: how many of the items are written before the tag.
        tagged: whether the tag is always there, usually, or may be there ("read": it isn't written).
        fixed: the values of other fields in such objects of the model.
        when: tells objects of this form from others of their class; without it, ``fixed`` does.
        fits: tells native objects of this form from others with the same tag.
        around: for native objects without a tag, a key that those of this form have: forms are chosen by the keys
            present, so ``fits`` is called for few. If two forms have the same key, ``fits`` decides.
        is_asked: whether the caller of the reader has already called ``fits``, so that the reader need not.
        schema: additions to the JSON Schema of such native objects, so that ``fits`` holds: properties, required.
        marks: marks of objects, each with the function that returns its value for a native object; a false value sets
            no mark.
        notes: the marks of every object read by this form.
        is_only_read: whether objects are written in another form of their class.
        about: more about such objects, for the documentation.
        space: the namespace of its unknown keys and notes, if that isn't the family's.
        spelt: the namespace of its spellings, if that isn't ``space``; marks are under the family then.
        is_apart: whether it has its own place, not among the parts; forms of one class that share a place share a name
            for it.
        first: called before a native object that isn't the usual one is read; its result, if not None, is the object.
            It may call the form's reader for a part of it, with ``is_rest=True``, and isn't called again then.
        odd_in: the field for values under a key of the form that would otherwise be extras, or another constant. They
            aren't written with the other keys: a ``Hatch`` writes them.
    """

    name: str
    cls: type[Any]
    tag: str | None
    items: tuple[Item, ...]
    _: KW_ONLY
    tag_key: str = "type"
    tag_at: int = 0
    tagged: Literal["always", "usual", "read"] = "always"
    fixed: Mapping[str, Any] = EMPTY
    when: Callable[[Any], bool] | None = None
    fits: Callable[[Any], bool] | None = None
    around: str | None = None
    is_asked: bool = False
    schema: Mapping[str, Any] = EMPTY
    marks: Mapping[str, Callable[[Any], Any]] = EMPTY
    notes: Mapping[str, Any] = EMPTY
    is_only_read: bool = False
    about: str = ""
    space: str | None = None
    spelt: str | None = None
    is_apart: bool | str = False
    first: Callable[[Any], Any] | None = None
    odd_in: str | None = None

    @cached_property
    def keys(self) -> frozenset[str]:
        """The native keys, including the tag's."""
        own = keys_of(self.items)
        return own if self.tag is None else own | {self.tag_key}

    def alias(self, tag: str) -> Form:
        """Return the form of objects with another tag that means the same: it is noted, and written again."""

        def get(_: Any) -> dict[str, Any]:
            return {"notes": {self.tag_key: ["=", tag]}}

        def put(_: Any) -> dict[str, Any]:
            return {}

        noted = Hatch(keys=(), cells={}, get=get, put=put)
        return self.evolve(name=tag, tag=tag, items=(*self.items, noted), is_only_read=True)

    @property
    def odd(self) -> frozenset[str]:
        """The keys whose value is an extra if it has another shape."""
        if self.odd_in is not None:
            return frozenset()
        found: set[str] = set()
        for item in self.plain_items:
            if isinstance(item, (Hatch, Beside)):
                found.update(item.odd if isinstance(item, Hatch) else item.keys)
            elif isinstance(item, (Inside, Key, Place)) and item.is_odd:
                found.add(item.native)
        return frozenset(found)

    @cached_property
    def silent(self) -> Mapping[str, frozenset[str]]:
        """The names of spellings by key that say nothing where the writer gives the key no value.

        There are none if another key may change what is read beside it.
        """
        found: dict[str, frozenset[str]] = {}
        is_known = self.fits is None and self.first is None and self.odd_in is None
        for item in self.plain_items if is_known else ():
            if isinstance(item, (Hatch, Key, Spare)):
                found |= item.silent
        return found

    @property
    def plain_items(self) -> Iterator[Any]:
        """The items, with those of a message replaced by the keys that they consist of."""
        for item in self.items:
            if isinstance(item, Lifted):
                yield from item.places
            elif isinstance(item, Single):
                yield from item.items
            else:
                yield item

    @property
    def may_be_odd(self) -> bool:
        """Whether the value of a key of this form may have another shape."""
        return self.odd_in is not None or bool(self.odd) or any(isinstance(item, Spare) for item in self.items)

    @property
    def is_other(self) -> bool:
        """Whether no condition identifies objects of this form: it is for those of its class without another form."""
        return self.when is None and not self.fixed


def grouped(forms: Iterable[Form], key: Callable[[Form], _K]) -> dict[_K, list[Form]]:
    """Group forms by a key."""
    found: dict[_K, list[Form]] = {}
    for form in forms:
        found.setdefault(key(form), []).append(form)
    return found


def fitting(forms: Iterable[Form], native: Mapping[str, Any]) -> Form:
    """Return the first form that fits a native object, among those with its tag.

    Raises:
        Unreadable: if none fits.
    """
    for form in forms:
        if form.fits is None or form.fits(native):
            return form
    raise Unreadable("another kind of object")
