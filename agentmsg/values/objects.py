"""Turn objects into plain data: SDK objects, pydantic models, attrs classes, dataclasses.

They are recognised by what their classes offer; none of their packages is imported. A part that was never set, and says
nothing, is left out, so the result is what the object's owner would send or store.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, cast

from agentmsg.errors import AgentMsgError, InvalidMessage, excerpt
from agentmsg.values.text import parse_json
from agentmsg.values.types import class_of, is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

# The most objects opened for one document: some objects make new ones without end.
_MOST = 1_000_000


def opener(own_form: str | None = None) -> Callable[[Any], Any]:
    """Return a function that opens single objects for one document; see ``opened``."""
    count = 0

    def open_one(value: Any) -> Any:
        nonlocal count
        count += 1
        if count > _MOST:
            msg = f"more than {_MOST} objects in one document"
            raise InvalidMessage(msg, code="depth")
        return opened(value, own_form)

    return open_one


def opened(value: Any, own_form: str | None = None) -> Any:
    """Return an object as plain data; objects inside it may still be objects.

    Args:
        value: the object.
        own_form: a method to try first, if the object has it and it returns a dict.

    Raises:
        InvalidMessage: code "type" if its kind isn't known, if it is one of ours, or if it raises.
    """
    cls: Any = class_of(value)
    name: str = cls.__name__
    if cls.__module__.partition(".")[0] == "agentmsg":
        msg = f"a {name} of agentmsg is no document of a format; agentmsg.encode makes one"
        raise InvalidMessage(msg, code="type")
    try:
        if own_form is not None and getattr(cls, own_form, None) is not None:
            form = getattr(value, own_form)()
            if is_object(form):
                return form
        way = next((way for mark, way in _WAYS.items() if getattr(cls, mark, None) is not None), None)
        if way is not None:
            return way(value)
    except AgentMsgError as error:
        told = f"{error.message} (of {name})"
        raise InvalidMessage(told, code="type") from error
    except Exception as error:
        msg = f"{name} cannot be made plain data: {type(error).__name__}: {excerpt(str(error))[1:-1]}"
        raise InvalidMessage(msg, code="type") from error
    msg = f"{name} is not JSON: {excerpt(value)}"
    raise InvalidMessage(msg, code="type")


# -- pydantic ----------------------------------------------------------------------------------------------------------


def _dumped(value: Any, *, is_set: bool) -> Any:
    # A class that says how its bytes or numbers are JSON means its own fields.
    says_how = any(name.startswith("ser_json") for name in getattr(value, "model_config", ()))
    try:
        dumped = value.model_dump(
            mode="json" if says_how else "python",
            by_alias=True,
            exclude_unset=is_set,
            exclude=_never_sent(value),
            warnings=False,
        )
    except TypeError:
        return value.model_dump()  # a foreign method that takes no arguments
    return dumped if says_how else _as_json(dumped)


def _as_json(value: Any) -> Any:
    """Return what pydantic makes of times, UUIDs, enums, sets and the like; what would say less stays as it is.

    That is bytes, complex numbers, NaN, and keys that are no texts, which the dump as JSON turns into other values.
    """
    if type(value) in _ALIKE:
        return value
    if is_object(value):
        return {key: item if type(item) in _ALIKE else _as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [item if type(item) in _ALIKE else _as_json(item) for item in cast("Iterable[Any]", value)]
    core: Any = None if isinstance(value, _SAYS_LESS) else sys.modules.get("pydantic_core")
    try:
        return value if core is None else core.to_jsonable_python(value)
    except ValueError:
        return value  # no value of JSON, which names itself


_ALIKE = frozenset({str, int, float, bool, type(None)})
_SAYS_LESS: tuple[type[Any], ...] = (bytes, bytearray, memoryview, complex, float)


def _never_sent(value: Any) -> Any:
    """Return the fields that an SDK never sends, as models dump without: what it parsed itself; None if there are none.

    The SDK lists them in its classes, but leaves out those of models inside others.
    """
    if is_list(value):
        found: dict[Any, Any] = {place: _never_sent(item) for place, item in enumerate(value)}
    elif hasattr(class_of(value), "__api_exclude__") or hasattr(class_of(value), "model_fields"):
        listed: Any = getattr(value, "__api_exclude__", None)
        found = {name: _never_sent(item) for name, item in getattr(value, "__dict__", {}).items()}
        found |= {} if is_object(listed) else dict.fromkeys(listed or (), True)  # an object tells of those inside
    else:
        return None
    return {key: hidden for key, hidden in found.items() if hidden} or None


def _of_older_model(value: Any) -> Any:
    said, whole = (parse_json(value.json(by_alias=True, exclude_unset=is_set)) for is_set in (True, False))
    return _with_defaults(said, whole)


def _with_defaults(said: Any, whole: Any) -> Any:
    """Return the fields that were set, and those not set that still say something, such as a role or a type."""
    if is_object(said) and is_object(whole):
        more = {key: item for key, item in whole.items() if key not in said and not _is_nothing(item)}
        return {**{key: _with_defaults(item, whole.get(key)) for key, item in said.items()}, **more}
    if is_list(said) and is_list(whole) and len(said) == len(whole):
        return [_with_defaults(mine, theirs) for mine, theirs in zip(said, whole, strict=True)]
    return said


def _is_nothing(value: object) -> bool:
    return value is None or (type(value) in (str, list, dict, tuple) and not value)


# -- attrs, dataclasses ------------------------------------------------------------------------------------------------


def _of_attrs(value: Any) -> Any:
    import attrs  # noqa: PLC0415 - only for what stands for no default

    fields: Any = class_of(value).__attrs_attrs__
    return _fields(value, ((field.name, field.default is attrs.NOTHING) for field in fields))


def _of_dataclass(value: Any) -> Any:
    import dataclasses  # noqa: PLC0415 - takes longer to import than all of this

    none = dataclasses.MISSING
    fields = dataclasses.fields(value)
    return _fields(value, ((field.name, field.default is none and field.default_factory is none) for field in fields))


def _fields(value: Any, names: Iterator[tuple[str, bool]]) -> dict[str, Any]:
    said = {name: (getattr(value, name), is_needed) for name, is_needed in names}
    return {name: item for name, (item, is_needed) in said.items() if is_needed or not _is_nothing(item)}


# By the attribute that a class has.
_WAYS: Mapping[str, Callable[[Any], Any]] = {
    "model_dump": lambda value: _with_defaults(_dumped(value, is_set=True), _dumped(value, is_set=False)),
    "__fields_set__": _of_older_model,
    "__attrs_attrs__": _of_attrs,
    "__dataclass_fields__": _of_dataclass,
}
