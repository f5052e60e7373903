"""Shared by reading.py and writing.py, the two halves of the plain path."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from agentmsg import DecodeError, NativeBlock, NativeTool
from agentmsg.formats import excerpt
from agentmsg_codecs.canonical.fields import FAMILY, ROLES, Spec
from agentmsg_codecs.canonical.shapes import wrong

if TYPE_CHECKING:
    from agentmsg_codecs.canonical.engine import Engine


ROLE_NUMBERS = {role: number for number, role in enumerate(ROLES)}
NATIVE = (NativeBlock, NativeTool)


def parse_time(raw: Any) -> datetime:
    """Parse an ISO 8601 time exactly.

    Raises:
        DecodeError: code "type" if it isn't a text; "schema" if that isn't a time, or has more digits than a datetime
            holds.
    """
    if type(raw) is not str:
        raise wrong(raw, "a time")
    import re  # noqa: PLC0415 - loaded already wherever attrs is

    try:
        value = datetime.fromisoformat(raw)
    except ValueError as error:
        raise DecodeError(f"not an ISO 8601 time: {excerpt(raw)} ({error})", code="schema") from None
    if any(digits.strip("0") for digits in re.findall(r"[.,]\d{6}(\d+)", raw)):
        raise DecodeError(f"a time with more than six digits of a second: {excerpt(raw)}", code="schema")
    return value


def inlined(engine: Engine, spec: Spec, extras: Mapping[str, Any]) -> Any:
    """Return the fields beyond the table: our family's extras, if they have the right form."""
    if FAMILY not in extras:
        return None
    return engine.shape.beyond(spec, extras[FAMILY])


def is_bare(engine: Engine, spec: Spec, values: Mapping[str, Any]) -> bool:
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
