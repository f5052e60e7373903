"""Structured output as instances of classes, by cattrs without coercion.

pydantic itself makes pydantic models, in strict mode; this module never imports pydantic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, MutableSet, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from typing import Any, get_origin

from agentmsg.errors import InvalidMessage, excerpt
from agentmsg.values.frozen import thaw


def strict_converter() -> Any:
    """Return a cattrs Converter that takes JSON values as they are and coerces nothing.

    By default cattrs makes a text of anything, and a list of a text. Here an int is accepted for a float, as every JSON
    reader does, and a text or int for an enum of these.
    """
    from cattrs import Converter  # noqa: PLC0415 - imported on first use
    from cattrs.strategies import configure_union_passthrough  # noqa: PLC0415 - imported on first use

    converter = Converter(detailed_validation=True)
    for scalar in (str, int, bool):
        converter.register_structure_hook(scalar, _exactly)
    converter.register_structure_hook(float, lambda value, _: value if type(value) is int else _exactly(value, float))
    configure_union_passthrough(str | int | float | bool | None, converter)
    _accept_only(converter, list, lambda cls: (get_origin(cls) or cls) in _LISTS)
    _accept_only(converter, dict, lambda cls: (get_origin(cls) or cls) in _DICTS or _has_fields(cls))
    return converter


_LISTS = {list, tuple, set, frozenset, Sequence, MutableSequence, AbstractSet, MutableSet}
_DICTS = {dict, Mapping, MutableMapping}


def _has_fields(cls: Any) -> bool:
    base = get_origin(cls) or cls
    return hasattr(base, "__attrs_attrs__") or hasattr(base, "__dataclass_fields__")


def _accept_only(converter: Any, plain: type, concerns: Callable[[Any], bool]) -> None:
    """Make the converter's own hooks for some classes refuse values that aren't of the plain type."""
    at_work: set[Any] = set()

    def applies(cls: Any) -> bool:
        return cls not in at_work and concerns(cls)

    def make(cls: Any, _: Any) -> Any:
        at_work.add(cls)
        try:
            hook = converter.get_structure_hook(cls, cache_result=False)
        finally:
            at_work.discard(cls)

        def checked(value: Any, target: Any) -> Any:
            return hook(_exactly(value, plain), target)

        return checked

    converter.register_structure_hook_factory(applies, make)


def _exactly(value: Any, cls: type) -> Any:
    if type(value) is cls:
        return value
    if type(value) in cls.__mro__ and cls is not bool:
        return cls(value)  # an enum of texts or numbers
    msg = f"{cls.__name__} expected, not {excerpt(value)}"
    raise TypeError(msg)


@cache
def _converter() -> Any:
    return strict_converter()


def into(value: Any, cls: type[Any]) -> Any:
    """Convert a JSON value to an instance of a class.

    Raises:
        InvalidMessage: code "schema", naming what doesn't fit.
    """
    plain = thaw(value)
    validate = getattr(cls, "model_validate", None)
    try:
        if validate is not None:
            # pydantic's strict mode would refuse ISO texts for dates; JSON mode takes all that JSON can express.
            from agentmsg.values.text import dump_json  # noqa: PLC0415 - only here

            return cls.model_validate_json(dump_json(plain), strict=True)
        return _converter().structure(plain, cls)
    except Exception as error:  # users' classes raise anything; all become one typed error
        raise InvalidMessage(
            f"the structured output is no {getattr(cls, '__name__', cls)}: {_words(error)}",
            path=("structured",),
        ) from error


def _words(error: Exception) -> str:
    from cattrs import transform_error  # noqa: PLC0415 - imported on first use
    from cattrs.errors import ClassValidationError, IterableValidationError  # noqa: PLC0415

    if isinstance(error, (ClassValidationError, IterableValidationError)):
        return "; ".join(transform_error(error))
    return str(error)
