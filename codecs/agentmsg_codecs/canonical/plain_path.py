"""Shared by reading.py and writing.py, the two halves of the plain path."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from agentmsg import DecodeError, NativeBlock, NativeTool
from agentmsg.formats import excerpt
from agentmsg_codecs.canonical.fields import FAMILY, ROLES, Spec

if TYPE_CHECKING:
    from agentmsg_codecs.canonical.shapes import Shape


ROLE_NUMBERS = {role: number for number, role in enumerate(ROLES)}
NATIVE = (NativeBlock, NativeTool)


class Nested(Protocol):
    """What the plain path needs from the engine: readers and writers of inner objects."""

    shape: Shape
    adopt: Callable[[Any], Any]

    def read_blocks(self, items: list[Any], level: int) -> tuple[Any, ...]:
        """Read content blocks."""
        ...

    def read_source(self, native: Any, level: int) -> Any:
        """Read a source."""
        ...

    def read_tools(self, items: list[Any], level: int) -> tuple[Any, ...]:
        """Read tools."""
        ...

    def read_all(self, cls: type, items: list[Any], level: int) -> tuple[Any, ...]:
        """Read several objects of one class."""
        ...

    def read_one(self, cls: type, native: Any, level: int) -> Any:
        """Read one object of a class."""
        ...

    def write_any(self, value: Any) -> Any:
        """Write an object of the model."""
        ...

    def is_known(self, cls: type, tag: Any) -> bool:
        """Whether a class has this tag, among blocks (NativeBlock) or tools (NativeTool)."""
        ...

    def structure(self, value: Any, kind: Any) -> Any:
        """Read a value of a user's type."""
        ...

    def unstructure(self, value: Any, kind: Any) -> Any:
        """Write a value of a user's type."""
        ...


def parse_time(raw: str) -> datetime:
    """Parse an ISO 8601 time exactly.

    Raises:
        DecodeError: code "schema" if the text isn't a time, or has more digits than a datetime holds.
    """
    import re  # noqa: PLC0415 - loaded already wherever attrs is

    try:
        value = datetime.fromisoformat(raw)
    except ValueError as error:
        msg = f"not an ISO 8601 time: {excerpt(raw)} ({error})"
        raise DecodeError(msg, code="schema") from None
    if any(digits.strip("0") for digits in re.findall(r"[.,]\d{6}(\d+)", raw)):
        msg = f"a time with more than six digits of a second: {excerpt(raw)}"
        raise DecodeError(msg, code="schema")
    return value


def inlined(engine: Nested, spec: Spec, extras: Mapping[str, Any]) -> Any:
    """Return the fields beyond the table: our family's extras, if they come last and have the right form."""
    if FAMILY not in extras or list(extras)[-1] != FAMILY:
        return None
    return engine.shape.beyond(spec, extras[FAMILY])


def is_bare(engine: Nested, spec: Spec, values: Mapping[str, Any]) -> bool:
    """Whether a native object is no more than its value, and that is of our form with an unknown tag."""
    if values.get("codec") != FAMILY:
        return False
    if any(name not in _BARE and not _says_nothing(value) for name, value in values.items()):
        return False
    value = values.get("value")
    try:
        tag = engine.shape.tag(_as_plain(value))
    except DecodeError:
        return False
    return not engine.is_known(spec.cls, tag)


_BARE = frozenset({"codec", "value"})


def _says_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, Mapping) and not value)


def _as_plain(value: Any) -> Any:
    """Return a frozen container as a plain one, to look at its tag."""
    plain: Any = value
    return dict(plain) if isinstance(value, dict) else list(plain) if isinstance(value, list) else plain
