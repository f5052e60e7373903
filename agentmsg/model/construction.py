"""The performance tricks of the core, each with its reason; for what is remembered see ``remembering``.

``maker``: an attrs-frozen class pays about 50 ns a field in ``__init__``, for ``object.__setattr__``, and the same
again for validators and converters. Readers have checked types already. So ``maker`` gives a function that fills a
*draft*: an instance of a subclass without further slots and with ordinary attribute assignment (about 5 ns), whose
``__class__`` is then set to the real one. Python allows that for classes of equal layout (and sees it at once where one
is the other's base, else it compares all slots), and nobody ever sees the draft. A function that makes the draft
itself is a sixth faster than the call of a class with an ``__init__``. Measured: Msg 0.32 against 1.04 us, a
block of 4 fields 0.20 against 0.44 us.

``paused``: the collector runs after every 700 new containers and finds nothing in a tree under construction;
pausing it makes bulk decoding about a third faster. It is always switched on again.

``evolver``: a copy with other fields by ``__init__`` converts and checks all fields again, though all but the new ones
are of a sound object. A draft is filled from it instead, and only what is new is looked at: Msg 1.2 against 8.4 us.
``replacer``: where one field is replaced by a value that is known to be sound, not even that. ``changer``: the same for
any of its fields. ``setter`` says one thing more of an object that was just made.

``differing``: two objects are compared field by field by straight-line code, in a third of a loop's time.
"""

from __future__ import annotations

import gc
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = [
    "absent_values", "changer", "differing", "draft_class", "evolver", "is_ours", "maker", "nested_maker", "paused",
    "replacer", "setter",
]  # fmt: skip

_T = TypeVar("_T", bound=attrs.AttrsInstance)


@cache
def absent_values(cls: type[Any]) -> dict[str, Any]:
    """Return, by field alias, the value that says "nothing here": the default, or None for what is made.

    Fields that are always required are missing.
    """
    values: dict[str, Any] = {}
    for field in attrs.fields(cls):
        if not field.init:
            continue
        if isinstance(field.default, attrs.Factory):  # type: ignore[arg-type]
            values[field.alias or field.name] = None
        elif field.default is not attrs.NOTHING:
            values[field.alias or field.name] = field.default
    return values


def maker(cls: type[_T], *only: str, **known: object) -> Callable[..., _T]:
    """Return a function that makes instances of a class of the model without checking anything.

    Its parameters are those of the class, in the order of its own fields first, then the common ones; what isn't
    given is absent (no id or time is made). Only for values that are known to be of the right, frozen types.

    Args:
        cls: the class.
        only: the parameters, where not all are needed: all of these must be given.
        known: what all these instances have in fields that are no parameters, such as what is found out later.
    """
    own = {name for name in cls.__slots__ if name != "__weakref__"}  # type: ignore[attr-defined]
    fields = sorted((field for field in attrs.fields(cls) if field.init), key=lambda field: field.name not in own)
    absent = absent_values(cls)
    required = only or [field.alias for field in fields if field.alias not in absent]
    optional = [] if only else [field.alias for field in fields if field.alias in absent]
    # What may be None need not be given, even where the class itself insists that somebody says so.
    nullable = not only and any("None" in str(field.type) for field in fields if field.alias in required)
    parameters = [
        *(f"{name}=None" if nullable else str(name) for name in required),
        *(f"{name}=_{name}" for name in optional),
    ]
    values = {str(name): str(name) for name in (*required, *optional)}
    scope = {f"_{name}": value for name, value in absent.items()}
    lines = [f"def make({', '.join(parameters)}):", *_filled("self", cls, values, known, scope), "    return self"]
    exec("\n".join(lines), scope)
    make: Callable[..., _T] = scope["make"]
    return make


def _filled(
    v: str, cls: type[Any], values: Mapping[str, str], known: Mapping[str, object], scope: dict[str, Any]
) -> list[str]:
    """Return the lines that make an object in a variable: a draft, all its fields, and its class at last.

    Args:
        v: the variable.
        cls: the class.
        values: the expressions of fields, by alias; all others are absent.
        known: the values of fields that are no parameters of the class, by name.
        scope: takes what the lines name.
    """
    of_any = cast("Any", cls)
    absent = absent_values(of_any)
    scope |= {f"{v}_cls": cls, f"{v}_draft": draft_class(of_any)}
    lines = [f"    {v} = {v}_draft()"]
    for field in attrs.fields(cls):
        if field.alias in values:
            value = values[field.alias]
        elif not field.init:
            value = repr(known.get(field.name, field.default))
        elif absent[field.alias] is None:
            value = "None"
        else:
            value = f"_{field.alias}"
            scope[value] = absent[field.alias]
        lines.append(f"    {v}.{field.name} = {value}")
    return [*lines, f"    {v}.__class__ = {v}_cls"]


def nested_maker(
    parameters: str, *parts: tuple[str, type[Any], Mapping[str, str]], **known: object
) -> Callable[..., Any]:
    """Return a function that makes an object and what is in it at once; as makers do, and with one call for all.

    Args:
        parameters: of the function.
        parts: each the name of a variable, a class, and the expressions of its fields, which may name parameters and
            parts before; the last is what the function returns.
        known: for the last of them, as for ``maker``.
    """
    scope: dict[str, Any] = {}
    last = parts[-1][0]
    filled = [line for v, cls, values in parts for line in _filled(v, cls, values, known if v == last else {}, scope)]
    exec("\n".join([f"def make({parameters}):", *filled, f"    return {last}"]), scope)
    make: Callable[..., Any] = scope["make"]
    return make


@cache
def draft_class(cls: type[Any]) -> Any:
    """Return the class of drafts: once all fields are filled, ``__class__`` is set to ``cls``."""
    twin: dict[str, Any] = {
        "__slots__": (),
        # Both are needed for C-speed assignment: the frozen base overrides both.
        "__setattr__": object.__setattr__,
        "__delattr__": object.__delattr__,
        # So that the call of the class makes an empty one; ``object.__new__`` takes a quarter longer to be called.
        "__init__": object.__init__,
    }
    draft = cast("Any", type(cls))(f"_{cls.__name__}Draft", (cls,), twin)
    if hasattr(draft, "__abstractmethods__"):
        draft.__abstractmethods__ = frozenset()  # the real class has them; nobody calls them on a draft
    return draft


class _Container:
    """What the collector counts; a new one starts a collection that is due (lists and dicts are often old ones)."""


class paused:  # noqa: N801 - reads as a statement; a generator would take longer than a short document
    """Pause the cyclic garbage collector, and restore it as it was."""

    __slots__ = ("_was_on",)

    def __enter__(self) -> None:
        """Pause it."""
        self._was_on = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        """Switch it on again, if it was on, and let it do what is due: else whoever comes next would wait for it."""
        if self._was_on:
            gc.enable()
            _Container()


def replacer(cls: type[_T], field: str) -> Callable[[_T, Any], _T]:
    """Return a function that gives a copy of an instance with another value in one field, without checking anything."""
    names = {field.alias: field.name for field in attrs.fields(cls) if field.init}
    given = ", ".join(f"{alias}={'value' if name == field else f'obj.{name}'}" for alias, name in names.items())
    scope: dict[str, Any] = {"make": maker(cls)}
    exec(f"def replace(obj, value):\n    return make({given})", scope)
    replace: Callable[[_T, Any], _T] = scope["replace"]
    return replace


def setter(cls: type[_T], field: str) -> Callable[[_T, Any], None]:
    """Return what sets a field, past the frozen class's own __setattr__.

    For the reader that has just made the object, and still is the only one who holds it.
    """
    put: Callable[[_T, Any], None] = vars(cls)[field].__set__
    return put


def changer(cls: type[_T]) -> Callable[[_T, Mapping[str, Any]], _T]:
    """Return a function that gives a copy of an instance with other values in some fields, without checking anything.

    What is no parameter of the class, such as what is found out later, is as in a new instance.
    """
    values = {field.name: f"obj.{field.name}" if field.init else repr(field.default) for field in attrs.fields(cls)}
    lines = [
        "def change(obj, changes):",
        "    self = _draft()",
        *(f"    self.{name} = {value}" for name, value in values.items()),
        "    for name in changes:",
        "        setattr(self, name, changes[name])",
        "    self.__class__ = _cls",
        "    return self",
    ]
    scope: dict[str, Any] = {"_cls": cls, "_draft": draft_class(cls)}
    exec("\n".join(lines), scope)
    change: Callable[[_T, Mapping[str, Any]], _T] = scope["change"]
    return change


def is_ours(cls: type[Any]) -> bool:
    """Tell whether a class is of the model: a class of yours may check fields together."""
    return cls.__module__.partition(".")[0] == "agentmsg"


@cache
def evolver(cls: type[Any]) -> Callable[[Any, Mapping[str, Any]], Any]:
    """Return a function that gives a copy of an instance with other values in some fields, converted and checked.

    A class of yours is made by its ``__init__``.
    """
    fields = {field.alias: field for field in attrs.fields(cls) if field.init}
    if not is_ours(cls):
        return lambda obj, changes: attrs.evolve(obj, **changes)
    change = changer(cls)

    def evolved(obj: Any, changes: Mapping[str, Any]) -> Any:
        if not changes.keys() <= fields.keys():
            return attrs.evolve(obj, **changes)  # which says what there is no field for
        own = [(fields[alias], value) for alias, value in changes.items()]
        new = change(obj, {field.name: _converted(field, value) for field, value in own})
        for field, _ in own:
            if field.validator is not None:
                field.validator(new, field, getattr(new, field.name))
        return new

    return evolved


def _converted(field: Any, value: Any) -> Any:
    convert: Any = field.converter
    if convert is None:
        return value
    # A Converter is told the field, too.
    is_told = convert.__class__ is attrs.Converter
    return convert(value, None, field) if is_told else convert(value)


def differing(told: Iterable[tuple[str, tuple[Any, ...]]]) -> Callable[[Any, Any], list[tuple[Any, ...]]]:
    """Return a function that lists the attributes of two objects that aren't the very same value.

    Args:
        told: each attribute, and what begins its entry in the list; both values follow.
    """
    scope: dict[str, Any] = {}
    lines = ["def list_differing(old, new):", "    found = []"]
    for name, entry in told:
        scope |= {f"_{number}_{name}": value for number, value in enumerate(entry)}
        begin = "".join(f"_{number}_{name}, " for number in range(len(entry)))
        lines += [f"    was, now = old.{name}, new.{name}", f"    if was is not now: found.append(({begin}was, now))"]
    exec("\n".join([*lines, "    return found"]), scope)
    list_differing: Callable[[Any, Any], list[tuple[Any, ...]]] = scope["list_differing"]
    return list_differing
