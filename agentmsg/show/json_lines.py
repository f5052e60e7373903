"""JSON for people: a container is on one line if it fits, else each of its values has its own line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from agentmsg.errors import EncodeError
from agentmsg.show.visible_text import Words, visible, words
from agentmsg.values.text import dump_json, parse_arguments

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LINE = 72
_INDENT = "  "


def json_words(value: Any, most: int | None) -> Words:
    """Return JSON laid out for reading; compact if it is cut."""
    try:
        compact = dump_json(value).decode()
        if most is not None and len(compact) > most:
            return words(compact, most)
        return Words(visible("\n".join(_lines(value))))
    except (EncodeError, RecursionError) as error:
        return words(f"JSON that cannot be shown: {error}")


def text_or_json(text: str, most: int | None) -> tuple[Words, bool]:
    """Return a text, laid out if it is JSON that loses nothing by it; and whether it is JSON."""
    if text[:1] in {"{", "["} and (most is None or len(text) <= most):
        valid, value, exact = parse_arguments(text)
        if valid and exact:
            return json_words(value, most), True
    return words(text, most), False


def _lines(value: Any) -> list[str]:
    """Return the lines of a value; those of its parts are made once, so that it takes linear time."""
    if isinstance(value, dict) and value:
        entries = cast("Mapping[str, Any]", value).items()
        parts = [_after(f"{_scalar(key)}: ", _lines(item)) for key, item in entries]
        return _contained("{", parts, "}")
    if isinstance(value, list) and value:
        return _contained("[", [_lines(item) for item in cast("Iterable[Any]", value)], "]")
    return [_scalar(value)]


def _scalar(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _after(lead: str, lines: list[str]) -> list[str]:
    return [lead + lines[0], *lines[1:]]


def _contained(start: str, parts: list[list[str]], end: str) -> list[str]:
    if all(len(part) == 1 for part in parts) and sum(len(part[0]) + 2 for part in parts) <= _LINE:
        return [start + ", ".join(part[0] for part in parts) + end]
    lines = [start]
    for part in parts[:-1]:
        lines += [_INDENT + line for line in part]
        lines[-1] += ","
    lines += [_INDENT + line for line in parts[-1]]
    return [*lines, end]
