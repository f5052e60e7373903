"""How Python and JavaScript write the same JSON: a text in one of these styles comes back by the style's name.

Any other text comes back by its white space, and by those of its tokens that are spelt otherwise:
``["compact", ".. ..", [3, "1.10"]]`` has the space before, between and after the tokens, separated by dots.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from agentmsg.errors import AgentMsgError, DecodeError
from agentmsg.formats.key_orders import orders_of, reordered
from agentmsg.limits import DEFAULT_LIMITS
from agentmsg.model.equality import same
from agentmsg.values.text import library, parse_json
from agentmsg.values.types import is_list, is_sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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


_PIECE = r'"(?:[^"\\]|\\.)*"|[][{}:,]|[^][{}:,"\s]+'
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


def parse_told(text: str, written: Callable[[str], str] = str) -> tuple[Any, Any] | None:
    """Return the value of a JSON text, and what ``dump_as_told`` needs to write it so; None if nothing can.

    Arguments as for ``styled``.
    """
    found: tuple[Any, Any] | None = styled(text, written)
    if found is not None:
        return found
    try:
        value = parse_json(text, duplicates="error")
    except AgentMsgError:
        return None
    return value, min((_told_tokens(text, value, style, written) for style in ("compact", "compact ascii")), key=len)


def _told_tokens(text: str, value: Any, style: str, written: Callable[[str], str]) -> list[Any]:
    usual: list[str] = re.findall(_PIECE, written(dump_styled(value, style)))
    pairs = enumerate(zip(usual, re.findall(_PIECE, text), strict=True))
    return [style, ".".join(re.split(_PIECE, text)), *([at, own] for at, (token, own) in pairs if own != token)]


def _respelt(text: str, space: str, odd: Any) -> str:
    """Return compact JSON with other white space and tokens, as far as that says the same."""
    gaps, tokens = space.split("."), re.findall(_PIECE, text)
    if len(gaps) != len(tokens) + 1 or space.strip(". \t\n\r"):
        return text
    own = {each[0]: each[1] for each in odd if is_sequence(each) and len(each) == 2 and type(each[0]) is int}  # noqa: PLR2004 - place and token
    spelt = [own[at] if at in own and _is_same(own[at], token) else token for at, token in enumerate(tokens)]
    return "".join(f"{gap}{token}" for gap, token in zip(gaps, (*spelt, ""), strict=True))


def _is_same(own: Any, token: str) -> bool:
    """Whether a planted or noted token has the value of another one."""
    try:
        return type(own) is str and own.strip() == own and same(parse_json(own), parse_json(token))
    except AgentMsgError:
        return False


def listed(value: Any, test: Callable[[Any], bool]) -> Any:
    """Return the list in a JSON text if it has items, and all of them pass a test; any other value as it is."""
    if type(value) is not str or not value.startswith("["):
        return value
    try:
        found = parse_json(value, duplicates="error")
    except AgentMsgError:
        return value
    return found if is_list(found) and found and all(map(test, found)) else value


def told_list(text: str, items: Any, *path: str) -> Any:
    """Return ``told_style`` for the text of a list.

    Args:
        text: the text.
        items: as they are written.
        path: of the text.

    Raises:
        DecodeError: if nothing can be told.
    """
    told = told_style(text, items)
    if told is None:
        raise DecodeError("the JSON text of the list is spelt in a way of its own", path=path)
    return told


def dump_listed(items: Any, told: Any, test: Callable[[Any], bool]) -> Any:
    """Return the JSON text of a list, spelt as told, if ``listed`` reads that; the list itself otherwise."""
    text = dump_as_told(items, told)
    return items if text is None or not is_list(listed(text, test)) else text


def told_style(text: str, value: Any) -> Any:
    """Return what a note must say to write a value as a JSON text has it; None if nothing can.

    Args:
        text: the text.
        value: what we write for its value; keys may have another order.

    Returns:
        The style, or a list of it, of white space and tokens if these are told, and of the orders of keys that differ.
    """
    found = parse_told(text)
    if found is None:
        return None
    held, told = found
    if dump_as_told(value, told) == text:
        return told
    told = [*([told] if isinstance(told, str) else told), *orders_of(held, value)]
    return told if dump_as_told(value, told) == text else None


def dump_as_told(value: Any, told: Any) -> str | None:
    """Return the JSON text of a value, spelt as ``told_style`` told; None if that isn't told."""
    style, *more = told if is_sequence(told) and told else (told,)
    if not isinstance(style, str) or style not in JSON_STYLES:
        return None
    text = dump_styled(reordered(value, more), style)
    return _respelt(text, more[0], more[1:]) if more and isinstance(more[0], str) else text
