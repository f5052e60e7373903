"""The performance tricks of the core, each with its reason; for remembered bytes see ``remembering``.

``maker``: an attrs-frozen class pays about 50 ns a field in ``__init__`` for ``object.__setattr__``, and the same again
for validators and converters. Readers have already checked the types. So ``maker`` returns a function that fills a
*draft*: an instance of a subclass without further slots and with ordinary attribute assignment (about 5 ns). Its
``__class__`` is then set to the real one. Python allows that for classes of equal layout (it sees this at once if one
is the other's base; otherwise it compares all slots), and no draft ever leaves the function. A function that makes the
draft itself is a sixth faster than calling a class with an ``__init__``. Measured: Msg 0.32 against 1.04 us, a block of
4 fields 0.20 against 0.44 us.

``paused``: the collector runs after every 700 new containers and finds nothing in a tree under construction. Pausing it
makes bulk decoding about a third faster. It is always switched on again.

``evolver``: a copy made by ``__init__`` converts and checks all fields again, though all but the new ones come from a
valid object. Instead, a draft is filled from that object, and only new values are checked: Msg 1.2 against 8.4 us.
``replacer`` replaces one field by a value known to be valid, without any check; ``changer`` does so for any fields.
``setter`` sets a field of an object that was just made.

``differing`` and ``agreeing`` compare two objects field by field in straight-line code, in a third of a loop's time,
and call nothing for values that are one object. ``says_only`` tests in the same way, and the same time, that an object
says nothing but some fields; ``lacks`` that it says nothing in some.
"""

from __future__ import annotations

import gc
from functools import cache, partial
from itertools import chain
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar, cast

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

_T = TypeVar("_T", bound=attrs.AttrsInstance)


@cache
def absent_values(cls: type[Any]) -> dict[str, Any]:
    """Return, by field alias, the value that means "absent": the default, or None for a generated value.

    Required fields are left out.
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


def _made_when_called(lines: Callable[[dict[str, Any]], list[str]]) -> Callable[..., Any]:
    """Return a function that is generated on its first call: few processes call all that their modules define.

    Later calls take no longer than those of any function: the first gives it the code that was generated.

    Args:
        lines: returns the source of a function ``made``, and puts the objects that it refers to into a scope.
    """

    def first(args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        exec("\n".join(lines(scope)), scope)
        # Another thread may call it between the two: as long as the code is the first one, no default is used.
        function.__defaults__, function.__code__ = scope["made"].__defaults__, scope["made"].__code__
        return function(*args, **named)

    scope: dict[str, Any] = {"first": first}
    function = FunctionType(_FIRST_CALL, scope, "made")
    return function


def _first_call(*args: Any, **named: Any) -> Any:
    return first(args, named)  # type: ignore[name-defined]  # noqa: F821 - in the scope of each function


_FIRST_CALL = _first_call.__code__


def says_only(cls: Any, *fields: str, **fixed: Any) -> Callable[[Any], bool]:
    """Return the test whether an object is of a class itself, and says nothing but some fields.

    Args:
        cls: the class.
        fields: what the object may say; it may have notes, too.
        fixed: the values that other fields must have.
    """

    def lines(scope: dict[str, Any]) -> list[str]:
        values = {name: value for name, value in absent_values(cls).items() if name not in {"notes", *fields}} | fixed
        scope |= {"cls": cls, **{f"value_{name}": value for name, value in values.items()}}
        tests = ["o.__class__ is cls", *(_has(name, value) for name, value in values.items())]
        return ["def made(o):", f"    return {' and '.join(tests)}"]

    return _made_when_called(lines)


@cache
def lacks(cls: Any, *fields: str) -> Callable[[Any], bool]:
    """Return the test whether some fields of an object hold nothing, nor its extras and notes.

    It is never true of an object with a field among these that always holds something.
    """

    def lines(_: dict[str, Any]) -> list[str]:
        defaults = {field.name: field.default for field in attrs.fields(cls)}
        usual = {name: defaults[name] for name in (*fields, "extras", "notes")}
        # A value that is made anew for each object is absent if it is None.
        absent = {name: None if isinstance(each, attrs.Factory) else each for name, each in usual.items()}  # type: ignore[arg-type]
        is_optional = all(each is None or (isinstance(each, (tuple, dict)) and not each) for each in absent.values())
        tests = [_has(name, each) for name, each in absent.items()] if is_optional else ["False"]
        return ["def made(o):", f"    return {' and '.join(tests)}"]

    return _made_when_called(lines)


def _has(name: str, value: Any) -> str:
    """Return the test whether a field of ``o`` has a value, which is in ``value_NAME``."""
    if value is None:
        return f"o.{name} is None"
    return f"not o.{name}" if isinstance(value, (tuple, dict)) and not value else f"o.{name} == value_{name}"


def maker(cls: type[_T], *only: str, **known: object) -> Callable[..., _T]:
    """Return a function that makes instances of a model class without checks.

    It takes the class's own fields first, then the common ones. What isn't passed is absent (no id or time is made).
    Only for values known to have the right, frozen types.

    Args:
        cls: the class.
        only: the parameters, if not all are needed; all of these must be passed.
        known: values of fields that aren't parameters, the same for all instances, such as those computed later.
    """
    return _made_when_called(partial(_maker, cls, only, known))


def _maker(cls: Any, only: Sequence[str], known: Mapping[str, object], scope: dict[str, Any]) -> list[str]:
    """Return the lines of a maker; ``scope`` collects the objects that they refer to."""
    own = {name for name in cls.__slots__ if name != "__weakref__"}
    fields = sorted((field for field in attrs.fields(cls) if field.init), key=lambda field: field.name not in own)
    absent = absent_values(cls)
    required = only or [field.alias for field in fields if field.alias not in absent]
    optional = [] if only else [field.alias for field in fields if field.alias in absent]
    # Fields that may be None need not be passed, even if the class itself requires them.
    nullable = not only and any("None" in str(field.type) for field in fields if field.alias in required)
    parameters = [
        *(f"{name}=None" if nullable else str(name) for name in required),
        *(f"{name}=_{name}" for name in optional),
    ]
    values = {str(name): str(name) for name in (*required, *optional)}
    scope |= {f"_{name}": value for name, value in absent.items()}
    return [f"def made({', '.join(parameters)}):", *_filled("self", cls, values, known, scope), "    return self"]


def _filled(
    v: str, cls: type[Any], values: Mapping[str, str], known: Mapping[str, object], scope: dict[str, Any]
) -> list[str]:
    """Return the lines that make an object in a variable: a draft, all its fields, and finally its class.

    Args:
        v: the variable.
        cls: the class.
        values: the expressions of fields, by alias; all others are absent.
        known: the values of fields that aren't parameters of the class, by name.
        scope: collects the objects that the lines refer to.
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
    """Return a function that makes an object and its parts in a single call, as makers do.

    Args:
        parameters: the function's parameters.
        parts: for each part the name of a variable, a class, and the expressions of its fields, which may refer to
            parameters and earlier parts. The function returns the last part.
        known: for the last part, as for ``maker``.
    """
    last = parts[-1][0]

    def lines(scope: dict[str, Any]) -> list[str]:
        filled = (_filled(v, cls, values, known if v == last else {}, scope) for v, cls, values in parts)
        return [f"def made({parameters}):", *chain.from_iterable(filled), f"    return {last}"]

    return _made_when_called(lines)


@cache
def draft_class(cls: type[Any]) -> Any:
    """Return the draft class: once all fields are filled, set ``__class__`` to ``cls``."""
    twin: dict[str, Any] = {
        "__slots__": (),
        # Assignment at C speed needs both: the frozen base overrides both.
        "__setattr__": object.__setattr__,
        "__delattr__": object.__delattr__,
        # Calling the class then makes an empty draft; ``object.__new__`` takes a quarter longer.
        "__init__": object.__init__,
    }
    draft = cast("Any", type(cls))(f"_{cls.__name__}Draft", (cls,), twin)
    if hasattr(draft, "__abstractmethods__"):
        draft.__abstractmethods__ = frozenset()  # the real class has them; nobody calls them on a draft
    return draft


class _Container:
    """Counted by the collector: a new one starts a collection that is due (lists and dicts are often reused)."""


class paused:  # noqa: N801 - reads as a statement; a generator would take longer than a short document
    """Pause the cyclic garbage collector, then restore its earlier state."""

    __slots__ = ("_was_on",)

    def __enter__(self) -> None:
        """Pause it."""
        self._was_on = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        """Switch it on again if it was on, and run a collection that is due, which the next caller would pay for."""
        if self._was_on:
            gc.enable()
            _Container()


def replacer(cls: type[_T], field: str) -> Callable[[_T, Any], _T]:
    """Return a function that copies an instance with one field replaced, without checks."""

    def lines(scope: dict[str, Any]) -> list[str]:
        scope["make"] = maker(cls)
        names = {each.alias: each.name for each in attrs.fields(cls) if each.init}
        given = ", ".join(f"{alias}={'value' if name == field else f'obj.{name}'}" for alias, name in names.items())
        return ["def made(obj, value):", f"    return make({given})"]

    return _made_when_called(lines)


def setter(cls: type[_T], field: str) -> Callable[[_T, Any], None]:
    """Return a function that sets a field, past the frozen class's own __setattr__.

    For a reader that has just made the object and still is its only holder.
    """
    put: Callable[[_T, Any], None] = getattr(cls, field).__set__
    return put


def changer(cls: type[_T]) -> Callable[[_T, Mapping[str, Any]], _T]:
    """Return a function that copies an instance with some fields replaced, without checks.

    Fields that aren't parameters of the class, such as those computed later, start anew.
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
    """Whether a class belongs to the model: a user's class may check fields together."""
    return cls.__module__.partition(".")[0] == "agentmsg"


@cache
def evolver(cls: type[Any]) -> Callable[[Any, Mapping[str, Any]], Any]:
    """Return a function that copies an instance with some fields replaced, converted and checked.

    A user's class is made by its ``__init__``.
    """
    if not is_ours(cls):
        return lambda obj, changes: attrs.evolve(obj, **changes)
    fields = {field.alias: (field, field.name, _conversion(field)) for field in attrs.fields(cls) if field.init}
    change = changer(cls)

    def evolved(obj: Any, changes: Mapping[str, Any]) -> Any:
        if not changes.keys() <= fields.keys():
            return attrs.evolve(obj, **changes)  # which names an unknown field
        values: dict[str, Any] = {}
        for alias, value in changes.items():
            _, name, convert = fields[alias]
            values[name] = value if convert is None else convert(value)
        new = change(obj, values)
        for alias in changes:
            field, name, _ = fields[alias]
            if field.validator is not None:
                field.validator(new, field, values[name])
        return new

    return evolved


def _conversion(field: Any) -> Callable[[Any], Any] | None:
    """Return what converts a value of a field; None if nothing does."""
    convert: Any = field.converter
    # A Converter gets the field, too.
    is_told = convert.__class__ is attrs.Converter
    return (lambda value: convert(value, None, field)) if is_told else convert


def agreeing(attributes: Iterable[str], same: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """Return a function that compares the attributes of two objects, which mostly are one value, or absent in both."""
    each = [f"((x := a.{name}) is (y := b.{name}) or same(x, y))" for name in attributes]
    scope: dict[str, Any] = {"same": same}
    exec(f"def agree(a, b): return {' and '.join(each) or 'True'}", scope)
    agree: Callable[[Any, Any], bool] = scope["agree"]
    return agree


def differing(told: Iterable[tuple[str, tuple[Any, ...]]]) -> Callable[[Any, Any], list[tuple[Any, ...]]]:
    """Return a function that lists the attributes whose values aren't the same object in two objects.

    Args:
        told: for each attribute, the first part of its entry in the list; the two values follow.
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
