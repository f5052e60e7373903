"""Our errors as pydantic's: a ValidationError whose ``loc`` leads to the fault inside the value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, cast

from agentmsg.values.types import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmsg.errors import AgentMsgError


def fail(error: AgentMsgError, value: Any, title: str) -> NoReturn:
    """Raise an error that pydantic puts into its own report, below the place of the value.

    The error's type is our code; ``ctx`` has code and codec; ``input`` is the refused part.

    Args:
        error: our error.
        value: the value that was read.
        title: what was to be read; shown if this is the whole report.

    Raises:
        ValidationError: always.
    """
    from pydantic_core import PydanticCustomError, ValidationError  # noqa: PLC0415 - pydantic asks

    path = error.path
    # The message comes last, so that nothing pydantic fills in earlier can be part of it.
    context: dict[str, Any] = {"code": error.code, "codec": error.codec, "message": error.message}
    # pydantic wants a literal as the type of an error.
    told = PydanticCustomError(cast("Any", error.code), "{message}", context)
    raise ValidationError.from_exception_data(
        title, [{"type": told, "loc": tuple(path), "input": _part(value, path)}]
    ) from None


def _part(value: Any, path: Sequence[Any]) -> Any:
    """Return the part of a value at a path, or the last existing one on the way."""
    for step in path:
        has_step = step in value if is_object(value) else is_list(value) and type(step) is int and step < len(value)
        if not has_step:
            break
        outer: Any = value
        value = outer[step]
    return value
