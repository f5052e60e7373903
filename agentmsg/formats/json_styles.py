"""How Python and JavaScript write the same JSON: a text in one of these styles comes back by the style's name."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from agentmsg.errors import AgentMsgError
from agentmsg.limits import DEFAULT_LIMITS
from agentmsg.values.text import library, parse_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["JSON_STYLES", "dump_styled", "styled"]

JSON_STYLES: Mapping[str, Mapping[str, Any]] = {
    "python": {"ensure_ascii": False},
    "ascii": {},
    "compact": {"ensure_ascii": False, "separators": (",", ":")},
    "compact ascii": {"separators": (",", ":")},
    "tight": {"ensure_ascii": False, "separators": (", ", ":")},
    "indented": {"ensure_ascii": False, "indent": 2},
    "wide": {"ensure_ascii": False, "indent": 4},
}
"""The styles, with what ``json.dumps`` is told for them."""


# A text with at most this many letters, and no more brackets than allowed levels, needs no further size check.
_SHORT = 100_000


@cache
def _dumper(style: str) -> Callable[[Any], str]:
    from json import JSONEncoder  # noqa: PLC0415 - loaded when a first row needs it

    # Values of the model are trees: a check for circles only takes time.
    return JSONEncoder(**JSON_STYLES[style], check_circular=False).encode


def dump_styled(value: Any, style: str = "python") -> str:
    """Return JSON text in one of the styles."""
    return _dumper(style)(value)


def styled(text: str, written: Callable[[str], str] = str) -> tuple[Any, str] | None:
    """Return the value of a JSON text, and its style; None if it isn't JSON, or in no known style.

    Args:
        text: the text.
        written: applied to a text when it is written.
    """
    # The common case first: what is written identically was read exactly.
    if len(text) <= _SHORT and text.count("{") + text.count("[") <= DEFAULT_LIMITS.depth:
        with suppress(ValueError):
            loads: Any = library()[0]  # takes a text, too
            value = loads(text)
            if written(dump_styled(value)) == text:
                return value, "python"
    try:
        value = parse_json(text, duplicates="error")
    except AgentMsgError:
        return None
    style = next((name for name in JSON_STYLES if written(dump_styled(value, name)) == text), None)
    return None if style is None else (value, style)
