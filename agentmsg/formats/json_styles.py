"""How Python and JavaScript write the same JSON: a text in one of these styles comes back by the style's name."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from agentmsg.errors import AgentMsgError
from agentmsg.formats.key_orders import orders_of, reordered
from agentmsg.limits import DEFAULT_LIMITS
from agentmsg.values.text import library, parse_json
from agentmsg.values.types import is_list, is_sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["JSON_STYLES", "dump_as_told", "dump_styled", "listed", "styled", "told_style"]

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


def listed(value: Any, test: Callable[[Any], bool]) -> Any:
    """Return the list in a JSON text if it has items, and all of them pass a test; any other value as it is."""
    if type(value) is not str or not value.startswith("["):
        return value
    try:
        found = parse_json(value, duplicates="error")
    except AgentMsgError:
        return value
    return found if is_list(found) and found and all(map(test, found)) else value


def told_style(text: str, value: Any) -> Any:
    """Return what a note must say to write a value as a JSON text has it; None if nothing can.

    Args:
        text: the text.
        value: what we write for its value; keys may have another order.

    Returns:
        The style, or a list of it and the orders of keys that differ.
    """
    found = styled(text)
    if found is None:
        return None
    held, style = found
    if dump_styled(value, style) == text:
        return style
    orders = orders_of(held, value)
    return [style, *orders] if dump_styled(reordered(value, orders), style) == text else None


def dump_as_told(value: Any, told: Any) -> str | None:
    """Return the JSON text of a value, spelt as ``told_style`` told; None if that isn't told."""
    style, orders = (told[0], told[1:]) if is_sequence(told) and told else (told, ())
    if not isinstance(style, str) or style not in JSON_STYLES:
        return None
    return dump_styled(reordered(value, orders), style)
