"""Structured output into classes, by cattrs with strict scalars; imports only errors and free-form JSON.

pydantic models are made by pydantic itself, in strict mode; this module never imports pydantic.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from agentmsg.errors import InvalidMessage, excerpt
from agentmsg.json_values import thaw

__all__ = ["into", "strict_converter"]


def strict_converter() -> Any:
    """Return a cattrs Converter that takes str, int, float and bool as they are and coerces nothing.

    An int is taken where a float is due, as every JSON reader does.
    """
    from cattrs import Converter  # noqa: PLC0415 - imported on first use

    converter = Converter(detailed_validation=True)
    for scalar in (str, int, bool):
        converter.register_structure_hook(scalar, _exactly)
    converter.register_structure_hook(
        float, lambda value, _: value if type(value) is int else _exactly(value, float)
    )
    return converter


def _exactly(value: Any, cls: type) -> Any:
    if type(value) is cls:
        return value
    msg = f"{cls.__name__} expected, not {excerpt(value)}"
    raise TypeError(msg)


@cache
def _converter() -> Any:
    return strict_converter()


def into(value: Any, cls: type[Any]) -> Any:
    """Return a JSON value as an instance of a class.

    Raises:
        InvalidMessage: code "schema", with what does not fit.
    """
    plain = thaw(value)
    validate = getattr(cls, "model_validate", None)
    try:
        if validate is not None:
            # Strict mode of pydantic would refuse ISO texts for dates; JSON mode takes what JSON can say.
            from agentmsg.json_text import dump_json  # noqa: PLC0415 - only here

            return cls.model_validate_json(dump_json(plain), strict=True)
        return _converter().structure(plain, cls)
    except Exception as error:  # noqa: BLE001 - classes of users raise what they like; all become one typed error
        raise InvalidMessage(
            f"the structured output is no {cls.__name__}: {_words(error)}", path=("structured",)
        ) from error


def _words(error: Exception) -> str:
    from cattrs import transform_error  # noqa: PLC0415 - imported on first use
    from cattrs.errors import ClassValidationError, IterableValidationError  # noqa: PLC0415

    if isinstance(error, (ClassValidationError, IterableValidationError)):
        return "; ".join(transform_error(error))
    return str(error)
