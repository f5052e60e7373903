"""Shapes: how native objects correspond to objects of the model.

A shape is a pair of plain functions for one class. ``read`` takes the meaning of a native object and ignores its
spelling. ``write`` returns the default spelling. ``read_as`` and ``write_as`` do the rest for every codec: unknown
fields become extras, and odd spellings become a note. Anything that would not come back exactly is ``Unreadable``; the
caller then keeps it whole, visibly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from agentmsg.formats.records import Record
from agentmsg.formats.spelling import (
    changed,
    keep_proven,
    note_of,
    put_back,
    same_document,
    with_extras,
)
from agentmsg.model.base import Noted
from agentmsg.values.frozen import EMPTY, adopt, thaw
from agentmsg.values.peeking import peek, peek_items, peek_keys
from agentmsg.values.types import is_mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from dataclasses import KW_ONLY

Native: TypeAlias = dict[str, Any]
"""A native object: a dictionary of plain data."""
_N = TypeVar("_N", bound=Noted)
_MAPPING: Any = dict  # so that type checkers ask nothing about what is inside


class Unreadable(Exception):
    """A native object that has no meaning in this shape."""


class Shape(Record):
    """How native objects of some kinds correspond to one class of the model.

    Attributes:
        cls: the class.
        keys: the keys that each kind of native object models, by its tag (None without a tag).
        tag: the key that holds the tag.
        choose_tag: returns the tag of the native object that an object is written as, if there are several kinds.
        read: reads a native object; also called with the class, like hooks of cattrs. Raises Unreadable.
        write: returns the default spelling of an object, without its extras.
        never: keys whose native value is never kept as a note: lists of parts.
        odd: keys whose value becomes an extra if it has no meaning there.
        exact: the functions that read native objects by tag, and keep unknown fields and spellings themselves, so the
            result need not be written and compared. Without them, ``read`` takes the meaning alone.
        around: functions that return those of ``exact``, by tag and by the key that native objects are made around
            (None: no key).
        writer: returns the function behind ``write``, made on first use.
        silent: returns, for a native object, by key the names of spellings that say nothing where the key has no value
            (see ``Form.silent``).
        takes: tells native objects that it reads from those of other shapes with the same tag.
        origin: recorded on messages that were read like this: their spellings need no test.
    """

    _: KW_ONLY
    cls: type[Any]
    keys: Mapping[str | None, frozenset[str]]
    read: Callable[[Native, Any], Any]
    write: Callable[[Any], Native]
    tag: str = "type"
    choose_tag: Callable[[Any], str | None] | None = None
    never: frozenset[str] = frozenset()
    odd: frozenset[str] = frozenset()
    exact: Mapping[Any, Callable[[Native], Any]] | None = None
    around: Mapping[Any, Mapping[str | None, Callable[[], Any]] | None] | None = None
    writer: Callable[[], Callable[[Any], Native]] | None = None
    silent: Callable[[Native], Mapping[str, frozenset[str]]] | None = None
    takes: Callable[[Native], bool] | None = None
    origin: object = None

    def hooked(self, read: Callable[[Native, Any], Any], write: Callable[[Any], Native]) -> Shape:
        """Return the shape with hooks of a user, of which nothing is known that was known of its own functions."""
        return self.evolve(read=read, write=write, exact=None, around=None, writer=None, origin=None, silent=None)

    def tag_of(self, obj: Any) -> str | None:
        """Return the tag of the native object that an object is written as."""
        return next(iter(self.keys)) if self.choose_tag is None else self.choose_tag(obj)

    def known(self, native: Mapping[str, Any]) -> frozenset[str]:
        """Return the keys that a native object models."""
        tag = native.get(self.tag)
        found = self.keys.get(tag) if isinstance(tag, str) else None
        return self.keys.get(None, frozenset()) if found is None else found


def read_as(shape: Shape, native: Any, family: str, *, namespace: str | None = None) -> Any:
    """Read a native object, with unknown fields as extras and unusual spellings as a note.

    Args:
        shape: the shape of the object.
        native: plain data; parts of it may be kept.
        family: whose extras and notes these are.
        namespace: of unknown fields in extras, if not ``family``.

    Raises:
        Unreadable: if it has another shape, or would not come back exactly.
    """
    if type(native) is not dict:
        raise Unreadable
    given = cast("Native", native)
    if shape.exact is not None:
        return shape.read(given, shape.cls)
    obj = shape.read(given, shape.cls)
    plain = shape.write(obj)
    if same_document(plain, given):
        return obj
    found = keep_proven(
        obj,
        given,
        plain,
        family=family,
        known=shape.known(given),
        never=shape.never,
        odd=shape.odd,
        read=lambda native: shape.read(native, shape.cls),
        namespace=namespace,
    )
    if found is None:
        raise Unreadable
    kept, is_proven = found
    if is_proven:
        return kept
    # It was just read, so it is known to read as this object.
    spelt = put_back(kept, plain, family=family, read=None, namespace=namespace)
    if not same_document(spelt, given):
        raise Unreadable
    return kept


def write_as(shape: Shape, obj: Noted, family: str, *, namespace: str | None = None) -> Native:
    """Write an object that fits: its default spelling, its extras, and its own spellings.

    It is plain data if the shape writes plain data.
    """
    plain, space = shape.write(obj), namespace or family
    if family not in obj.notes and space not in obj.extras:
        return plain
    note = peek(obj.notes, family)
    if shape.exact is not None and _are_marks(note):
        # Marks change no spelling, so nothing need be read again.
        return with_extras(plain, obj, space)
    if shape.origin is not None and getattr(obj, "_read_by", None) is shape.origin:
        return put_back(obj, plain, family=family, read=None, namespace=namespace)
    if shape.silent is not None and _are_silent(note, shape.silent(plain), plain, peek(obj.extras, space)):
        return put_back(obj, plain, family=family, read=None, namespace=namespace)

    def read(native: Native) -> Any:
        return read_as(shape, thaw(native), family, namespace=namespace)

    return put_back(obj, plain, family=family, read=read, namespace=namespace)


def _are_marks(note: Any) -> bool:
    if note and is_mapping(note):
        for key in peek_keys(note):  # a loop: a generator takes as long as the test itself
            if key[:1] != "/":
                return False
    return True


def _are_silent(note: Any, silent: Mapping[str, frozenset[str]], plain: Native, extras: Any) -> bool:
    """Whether all spellings of a note say nothing, because their keys have no value."""
    if not is_mapping(note) or (extras and not is_mapping(extras)):
        return False
    for key, name in peek_items(note):
        if key[:1] != "/" and not (
            type(name) is str
            and name in silent.get(key, ())
            and plain.get(key) is None
            and not (extras and key in extras)
        ):
            return False
    return True


# -- marks: what a note says beside spellings -------------------------------------------------------------------------


def mark_of(obj: Noted, family: str, key: str) -> Any:
    """Return the value of a mark (a key that begins with ``/``) in a family's note, or None."""
    notes = obj.notes
    if not notes:
        return None
    note = peek(notes, family)
    # Asked more often than anything else when odd messages are written, so ``is_mapping`` isn't called.
    value = peek(note, key) if isinstance(note, _MAPPING) else None
    return note_of(obj, family)[key] if value.__class__ is dict or value.__class__ is list else value


def marked(obj: _N, family: str, **marks: Any) -> _N:
    """Return the object with marks in its note of a family; ``seen=True`` is the mark ``/seen``.

    A mark records how an object was found, so that it can be written the same way: in another place or form than the
    default one. Its value isn't the name of a spelling.
    """
    note = {f"/{key}": value for key, value in marks.items()}
    old = obj.notes or EMPTY
    return changed(obj, {"notes": adopt({**old, family: {**note_of(obj, family), **note}})})


# -- asking native objects --------------------------------------------------------------------------------------------


def text_at(native: Mapping[str, Any], key: str) -> str:
    """Return the text under a key.

    Raises:
        Unreadable: if there is no text.
    """
    value = native.get(key)
    if type(value) is not str:
        raise Unreadable
    return value


def word_at(native: Mapping[str, Any], key: str) -> str | None:
    """Return the text under a key, or None without a value.

    Raises:
        Unreadable: if there is another value.
    """
    value = native.get(key)
    if value is not None and type(value) is not str:
        raise Unreadable
    return value


def object_at(native: Mapping[str, Any], key: str) -> Native:
    """Return the object under a key.

    Raises:
        Unreadable: if there is no object.
    """
    value = native.get(key)
    if type(value) is not dict:
        raise Unreadable
    return cast("Native", value)
