"""Our errors as pydantic tells them: a ValidationError whose ``loc`` leads to the fault inside of the value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, cast

from agentmsg.values.types import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmsg.errors import AgentMsgError

__all__ = ["fail"]


def fail(error: AgentMsgError, value: Any, title: str) -> NoReturn:
    """Raise what pydantic puts into its own report, below the place of the value.

    The type of the error is our code; ``ctx`` has code and codec; ``input`` is the part that is refused.

    Args:
        error: ours.
        value: what was read.
        title: of what was to be read, shown where this is the whole report.

    Raises:
        ValidationError: always.
    """
    from pydantic_core import PydanticCustomError, ValidationError  # noqa: PLC0415 - pydantic asks

    path = error.path
    # In the type of an error, pydantic wants a literal.
    told = PydanticCustomError(cast("Any", error.code), "{message}", _context(error))
    raise ValidationError.from_exception_data(
        title, [{"type": told, "loc": tuple(path), "input": _part(value, path)}]
    ) from None


def _context(error: AgentMsgError) -> dict[str, Any]:
    # The message comes last: of what pydantic fills in before it, nothing can stand in it.
    return {"code": error.code, "codec": error.codec, "message": error.message}


def _part(value: Any, path: Sequence[Any]) -> Any:
    """Return the part of a value that a path leads to, or the last one on the way where that is missing."""
    for step in path:
        has_step = step in value if is_object(value) else is_list(value) and type(step) is int and step < len(value)
        if not has_step:
            break
        outer: Any = value
        value = outer[step]
    return value
