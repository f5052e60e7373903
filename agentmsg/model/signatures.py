"""JSON Schema of a function's parameters, as the model of an agent is told them; by draft 2020-12."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable, Collection, Mapping
from functools import partial
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Required, Union, cast, get_args, get_origin, get_type_hints

from agentmsg.errors import AgentMsgError, InvalidMessage, excerpt
from agentmsg.values.frozen import freeze

_SIMPLE: Mapping[Any, dict[str, Any]] = {
    str: {"type": "string"}, int: {"type": "integer"}, float: {"type": "number"}, bool: {"type": "boolean"},
    NoneType: {"type": "null"}, None: {"type": "null"}, Any: {}, object: {}, inspect.Parameter.empty: {},
}  # fmt: skip
_SPREAD = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY}


def described(value: Any) -> str | None:
    """Return the first paragraph of a docstring on one line; None if there is none. A class has only its own."""
    told: str | None = value.__doc__ if isinstance(value, type) else inspect.getdoc(value)
    return " ".join(inspect.cleandoc(told or "").partition("\n\n")[0].split()) or None


def called_of(function: Any) -> tuple[Any, Any]:
    """Return what a partial or an object calls in the end, with its docstring and hints, and what has its name."""
    called: Any = function
    while isinstance(called, partial):
        called = cast("Any", called).func
    named: Any = called.__class__
    is_own = issubclass(named, type) or inspect.isroutine(called) or not callable(called)
    return (called, called) if is_own else (named.__call__, named)


def schema_of_function(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the schema of a function's arguments, by name.

    Raises:
        InvalidMessage: code "type", at the parameter, if its type has no schema, or no argument can be given by name.
    """
    try:
        hints = get_type_hints(called_of(function)[0], include_extras=True)
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError, NameError) as error:
        raise InvalidMessage(f"the parameters of {excerpt(function)} aren't known: {error}", code="type") from None
    definitions: dict[str, Any] = {}
    properties: dict[str, Any] = {}
    required: list[str] = []
    for name, parameter in parameters.items():
        if parameter.kind in _SPREAD:
            raise InvalidMessage("a model gives arguments by name", code="type", path=(name,))
        if name in ("self", "cls") and name not in hints:
            raise InvalidMessage("the method isn't bound: use that of an object", code="type", path=(name,))
        try:
            # The default may be a field of pydantic's, which has a description, and perhaps a default.
            default: Any = parameter.default
            is_field = hasattr(default, "is_required")
            hint = hints.get(name, parameter.annotation)
            told = _schema(Annotated[hint, default] if is_field else hint, definitions)
            is_needed = default.is_required() if is_field else default is inspect.Parameter.empty
            properties[name] = told if is_needed else told | _default(default.default if is_field else default)
            required += [name] if is_needed else []
        except AgentMsgError as error:
            raise error.at(name) from None
    found = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {**found, "$defs": definitions} if definitions else found


def _default(value: Any) -> dict[str, Any]:
    """Return a default that is JSON; what isn't, the model needn't know."""
    try:
        return {"default": freeze(value.value if isinstance(value, enum.Enum) else value)}
    except AgentMsgError:
        return {}


def _schema(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        told = (each if isinstance(each, str) else getattr(each, "description", None) for each in arguments[1:])
        words = next((each for each in told if isinstance(each, str)), None)
        return _schema(arguments[0], definitions) | ({} if words is None else {"description": words})
    if origin in (Required, NotRequired):
        return _schema(arguments[0], definitions)
    if origin is Literal:
        return _one_of(arguments)
    if origin in (Union, UnionType):
        return {"anyOf": [_schema(each, definitions) for each in arguments]}
    named = getattr(hint, "__supertype__", None) or getattr(hint, "__value__", None)
    if named is not None:  # of NewType, and of the statement ``type``
        return _schema(named, definitions)
    kind = origin or hint
    try:
        if kind in _SIMPLE:
            return dict(_SIMPLE[kind])
    except TypeError:
        kind = None
    return _of_class(kind, arguments, definitions)


def _of_class(kind: Any, arguments: tuple[Any, ...], definitions: dict[str, Any]) -> dict[str, Any]:
    if hasattr(kind, "model_json_schema"):
        found: dict[str, Any] = kind.model_json_schema()
        for name, inner in found.pop("$defs", {}).items():
            if definitions.setdefault(name, inner) != inner:
                msg = f"two types are called {excerpt(name)}; rename one, or put both into one model"
                raise InvalidMessage(msg, code="type")
        return found
    if hasattr(kind, "__required_keys__"):  # a TypedDict
        hints = get_type_hints(kind, include_extras=True)
        properties = {name: _schema(hint, definitions) for name, hint in hints.items()}
        # Where hints are texts, the class itself doesn't know which of them are marked.
        marks = {name: get_origin(hint) for name, hint in hints.items()}
        needed = [name for name, mark in marks.items() if mark is Required or name in kind.__required_keys__]
        return {
            "type": "object",
            "properties": properties,
            "required": sorted(name for name in needed if marks[name] is not NotRequired),
        }
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return _one_of([each.value for each in kind])
    if isinstance(kind, type) and issubclass(kind, Mapping):
        return {"type": "object", **({"additionalProperties": _schema(arguments[1], definitions)} if arguments else {})}
    if isinstance(kind, type) and issubclass(kind, Collection) and not issubclass(kind, (bytes, bytearray, memoryview)):
        items = [each for each in arguments if each is not ...]
        inner = _schema(items[0] if len(set(items)) == 1 else Union[tuple(items)], definitions) if items else {}  # noqa: UP007
        return {"type": "array", **({"items": inner} if inner else {})}
    msg = f"{excerpt(cast('object', kind))} has no JSON Schema here; use types of JSON, or a pydantic model"
    raise InvalidMessage(msg, code="type")


def _one_of(values: Collection[Any]) -> dict[str, Any]:
    kinds: set[type] = {value.__class__ for value in values}
    same = _SIMPLE.get(kinds.pop(), {}) if len(kinds) == 1 else {}
    return {**same, "enum": list(values)}
