"""Form: how one kind of native object and one class of the model stand for each other, told once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Literal

import attrs

from agentmsg.formats.forms.items import Beside, Hatch, Inside, Item, Key, Lifted, Place, Single, Spare, keys_of
from agentmsg.formats.shapes import Unreadable
from agentmsg.model.construction import absent_values
from agentmsg.values.frozen import EMPTY, adopt

__all__ = ["Form", "absent_of", "fitting"]


def absent_of(cls: Any) -> dict[str, Any]:
    """Return, by field, the value of a class that says "nothing here"; fields that are always required are missing."""
    return absent_values(cls)


@attrs.frozen(eq=False)
class Form:
    """How one kind of native object and one class of the model stand for each other.

    ``Form("text", am.TextBlock, "text", (Key("text", "text", Text()), CACHE))`` is
    ``{"type": "text", "text": ..., "cache_control": ...}`` and ``TextBlock(text=..., cache=...)``.

    Attributes:
        name: among the forms of a format.
        cls: the class of the model.
        tag: what stands under ``tag_key``; None if nothing has to.
        items: what the native object is made of.
        tag_key: the key of the tag.
        tag_at: how many of the items are written before the tag.
        tagged: whether the tag always stands there, usually, or may be there ("read": it isn't written).
        fixed: what such objects of the model have in other fields.
        when: tells objects of this form from others of their class; without it, ``fixed`` does.
        fits: tells native objects that this form reads from others of its tag.
        around: of a native object without a tag, a key that those of this form have: forms are chosen by the keys that
            are there, and ``fits`` is asked of few. Of two forms with the same key, ``fits`` tells.
        is_asked: whether who reads such native objects has asked ``fits``, so that their reader need not.
        schema: what else the JSON Schema says of such native objects, so that ``fits`` holds: properties, required.
        marks: marks of objects, each with the function that gives its value for a native object; what is false isn't
            marked.
        notes: what each object that is read of this form is marked with.
        is_only_read: whether objects are written in another form of their class.
        about: what else to say of such objects, for the documentation.
        space: the namespace of its unknown keys and notes, if that isn't the family's.
        spelt: the namespace of its spellings, if that isn't ``space``; marks are under the family then.
        is_apart: whether it has a place of its own, not among the parts; those of one class that share a place share a
            name for it.
        first: asked before a native object is read that isn't the usual one; what it gives, if not None, is the object.
            It may have the reader of the form read a part of it, with ``is_rest=True``, and is not asked again.
    """

    name: str
    cls: type[Any]
    tag: str | None
    items: tuple[Item, ...]
    tag_key: str = attrs.field(default="type", kw_only=True)
    tag_at: int = attrs.field(default=0, kw_only=True)
    tagged: Literal["always", "usual", "read"] = attrs.field(default="always", kw_only=True)
    fixed: Mapping[str, Any] = attrs.field(default=EMPTY, kw_only=True)
    when: Callable[[Any], bool] | None = attrs.field(default=None, kw_only=True)
    fits: Callable[[Any], bool] | None = attrs.field(default=None, kw_only=True)
    around: str | None = attrs.field(default=None, kw_only=True)
    is_asked: bool = attrs.field(default=False, kw_only=True)
    schema: Mapping[str, Any] = attrs.field(default=EMPTY, kw_only=True, converter=adopt)
    marks: Mapping[str, Callable[[Any], Any]] = attrs.field(default=EMPTY, kw_only=True)
    notes: Mapping[str, Any] = attrs.field(default=EMPTY, kw_only=True)
    is_only_read: bool = attrs.field(default=False, kw_only=True)
    about: str = attrs.field(default="", kw_only=True)
    space: str | None = attrs.field(default=None, kw_only=True)
    spelt: str | None = attrs.field(default=None, kw_only=True)
    is_apart: bool | str = attrs.field(default=False, kw_only=True)
    first: Callable[[Any], Any] | None = attrs.field(default=None, kw_only=True)

    @cached_property
    def keys(self) -> frozenset[str]:
        """The native keys, that of the tag included."""
        own = keys_of(self.items)
        return own if self.tag is None else own | {self.tag_key}

    @property
    def odd(self) -> frozenset[str]:
        """The keys whose value is an extra where it has another shape."""
        found: set[str] = set()
        for item in self._plain_items:
            if isinstance(item, (Hatch, Beside)):
                found.update(item.odd if isinstance(item, Hatch) else item.keys)
            elif isinstance(item, (Inside, Key, Place)) and item.is_odd:
                found.add(item.native)
        return frozenset(found)

    @property
    def _plain_items(self) -> Iterator[Any]:
        """The items, and in place of those of a message the keys that these are made of."""
        for item in self.items:
            if isinstance(item, Lifted):
                yield from item.places
            elif isinstance(item, Single):
                yield from item.items
            else:
                yield item

    @property
    def may_be_odd(self) -> bool:
        """Whether the value of a key that it names may be an extra."""
        return bool(self.odd) or any(isinstance(item, Spare) for item in self.items)

    @property
    def is_other(self) -> bool:
        """Whether nothing tells objects of this form: those of its class that have no other form."""
        return self.when is None and not self.fixed


def fitting(forms: Iterable[Form], native: Mapping[str, Any]) -> Form:
    """Return the first form that a native object has, of those with its tag.

    Raises:
        Unreadable: if it has none.
    """
    for form in forms:
        if form.fits is None or form.fits(native):
            return form
    raise Unreadable("another kind of object")
