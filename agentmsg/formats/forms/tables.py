"""Tables: a description as plain data for other programs, and as a mapping for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import attrs

from agentmsg.formats.forms.call_values import Arguments, Content, Input
from agentmsg.formats.forms.context import absent_of
from agentmsg.formats.forms.items import Beside, Const, Hatch, Inside, Key, Lifted, Place, Single, Spread
from agentmsg.formats.forms.object_values import Each, Nested, Wrapped
from agentmsg.formats.forms.values import Total, Value, Words
from agentmsg.model.tool_use import UNSET

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from agentmsg.formats.codec import Codec
    from agentmsg.formats.forms.described import Described
    from agentmsg.formats.forms.form import Form
    from agentmsg.formats.forms.items import Item
    from agentmsg.formats.records import Record

# -- plain data -------------------------------------------------------------------------------------------------------


def plain_tables(described: Described) -> dict[str, Any]:
    """Return a whole description as JSON, with functions and classes by name.

    Defaults are left out. ``default`` is a field's value if its key is absent.
    """
    forms = {name: _plain_form(form) for name, form in described.forms.items()}
    places = {name: [*forms] for name, forms in described.places.items()}
    return {"family": described.family, "forms": forms, "places": places, "odd": _plain(described.odd)}


def _plain_form(form: Form) -> dict[str, Any]:
    absent = absent_of(form.cls)
    said = _attributes(form)
    return {**said, "items": [_plain_item(item, absent) for item in form.items]}


def _plain_item(item: Item, absent: Mapping[str, Any]) -> dict[str, Any]:
    said = {"kind": type(item).__name__, **_attributes(item)}
    if isinstance(item, Key):
        own = absent if item.default is None else {**absent, item.field: item.default}
        defaults = {name: _plain(own[name]) for name in item.fields if name in own}
        return {**said, "fields": [*item.fields], **({"defaults": defaults} if item.need != "must" else {})}
    if isinstance(item, (Inside, Single, Spread)):
        return {**said, "items": [_plain_item(key, absent) for key in item.items]}
    return said


def _attributes(obj: Record) -> dict[str, Any]:
    return {name: _plain(value) for name, value in obj.set_values() if name != "items"}


def _plain(value: Any) -> Any:
    """Return a value as JSON: pairs where keys aren't texts, and the names of functions and classes."""
    if isinstance(value, (Beside, Place, Value)):
        return {"kind": type(value).__name__, **_attributes(value)}
    if isinstance(value, Mapping):
        return _plain_mapping(cast("Any", value))
    if isinstance(value, (tuple, list, frozenset)):
        each: list[Any] = [*map(_plain, cast("Any", value))]
        return sorted(each, key=str) if isinstance(value, frozenset) else each
    if callable(value):
        return getattr(value, "__qualname__", type(value).__qualname__)
    return None if value is UNSET else value


def _plain_mapping(value: Mapping[Any, Any]) -> Any:
    pairs = [(_plain(key) if isinstance(key, type) else key, _plain(each)) for key, each in value.items()]
    return dict(pairs) if all(type(key) is str for key, _ in pairs) else [[*pair] for pair in pairs]


# -- a mapping for people ---------------------------------------------------------------------------------------------


@attrs.frozen
class Mapped:
    """A form, for people.

    Attributes:
        native: the name of the form, with the native object's tag if that differs.
        cls: the class of the model, with the fixed values of other fields.
        keys: each native key with what it is in the model.
    """

    native: str
    cls: str
    keys: tuple[tuple[str, str], ...]


def mapped_by(codec: Codec) -> list[Mapped]:
    """Return what a codec itself says about native objects that no form describes."""
    return [Mapped(*row) for row in codec.mapped]


def mapping_of(described: Described) -> list[Mapped]:
    """Return the mapping of each form of a description."""
    return [_mapped(form) for form in described.forms.values()]


def _mapped(form: Form) -> Mapped:
    fixed = [f"{name}={value!r}" for name, value in form.fixed.items() if name != "extras"]
    native = form.name if form.tag in (None, form.name) else f"{form.name} ({form.tag_key}: {form.tag})"
    words = ", ".join([form.cls.__name__, *fixed]).replace("'", '"')
    keys = tuple(_mapped_keys(form.items, odd=form.odd_in or "an extra"))
    return Mapped(native, f"{words}; {form.about}" if form.about else words, keys)


def _mapped_keys(items: Iterable[Item], before: str = "", odd: str = "an extra") -> Iterator[tuple[str, str]]:
    for item in items:
        if isinstance(item, Key):
            yield before + item.native, _told(item.value, item.field)
        elif isinstance(item, Inside):
            yield from _mapped_keys(item.items, f"{before}{item.native}.", odd)
        elif isinstance(item, Const):
            yield before + item.native, f"always {_word(item.value)}"
        elif isinstance(item, Hatch):
            if item.keys:
                told = item.cells or [f'extras["{space}"]' for space in item.spaces]
                yield ", ".join(item.keys), item.about or ", ".join(told)
        elif isinstance(item, Lifted):
            for place in item.places:
                yield ", ".join(place.keys), place.about if isinstance(place, Beside) else _told(place.value, "content")
        elif isinstance(item, Spread):
            held = f"{item.field} ({item.cls.__name__}."
            yield from ((before + key, f"{held}{words})") for key, words in _mapped_keys(item.items))
        elif isinstance(item, Single):
            yield from ((key, f"{item.cls.__name__}: {words}") for key, words in _mapped_keys(item.items))
        else:
            yield before + item.native, f"{odd}, unless it says nothing"


def _told(value: Value, field: str) -> str:
    """Return what a value is in the model: the field, and how it is represented."""
    tell = _TELLERS.get(type(value))
    return field if tell is None else tell(value, field)


def _words(value: Words, field: str) -> str:
    return _with(field, ", ".join(f"{_word(native)} is {_word(ours)}" for native, ours in value.native.items()))


def _word(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


def _with(field: str, words: str) -> str:
    """Return a field with a remark; only the remark for inner values."""
    if not field or not words or field == words:
        return field or words
    return f"{field} ({words})"


def _each(value: Each, field: str) -> str:
    inner = _told(value.of, "")
    return _with(field, f"each {inner}") if inner else field


def _content(value: Content, field: str) -> str:
    if not value.place and value.of is None:
        return _with(field, "a text")
    parts = f"parts of {value.place}" if value.of is None else f"parts, each {_told(value.of, '')}"
    return _with(field, parts if value.is_strict else f"a text, or {parts}")


def _wrapped(value: Wrapped, field: str) -> str:
    inner = _told(value.of, "")
    return _with(field, f"{value.cls.__name__}.{value.field}{', ' if inner else ''}{inner}")


_Teller: TypeAlias = "Callable[[Any, str], str]"
_TELLERS: Mapping[type[Value], _Teller] = {
    Content: _content,
    Each: _each,
    Arguments: lambda value, field: "raw_input",
    Input: lambda value, field: "input ({\"_raw\": ...} holds what isn't an object, or isn't JSON)",
    Nested: lambda value, field: _with(field, " or ".join(value.forms)),
    Total: lambda value, field: _with(field, f"with {' and '.join(value.beside)}"),
    Words: _words,
    Wrapped: _wrapped,
}
