"""Tags around a text. The line breaks around them are a mark, ``/breaks``, where they aren't the usual ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import is_sequence, mark_of, marked
from agentmsg_codecs.sharegpt.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# The default line breaks before a tag, inside it on both sides, and after it.
_BREAKS: Mapping[str, tuple[int, ...]] = {
    "think": (0, 1, 1, 2),
    "tool_call": (1, 1, 1, 0),
    "tool_response": (0, 1, 1, 0),
}
MOST = 2
"""The most line breaks that a mark may count in one place."""


def trimmed(found: str) -> tuple[str, int, int]:
    """Return what stands in a tag without the line breaks at its ends, and these."""
    if len(found) > 2 and found[0] == found[-1] == "\n":  # noqa: PLR2004 - the usual case
        return found[1:-1], 1, 1
    first = int(len(found) > 1 and found[0] == "\n")
    last = int(len(found) > 1 + first and found[-1] == "\n")
    return found[first : len(found) - last], first, last


def between(text: str, tag: str, at: int, end: int) -> tuple[str, int, int] | None:
    """Return the text in a tag, and the line breaks before and after that text; None without text.

    Args:
        text: with the tag.
        tag: its name.
        at: the index of the tag.
        end: the index of the end tag.
    """
    found = text[at + len(tag) + 2 : end]
    return trimmed(found) if found and end > at >= 0 else None


def break_marks(tag: str, *breaks: int) -> dict[str, Any]:
    """Return the mark for line breaks that aren't the usual ones."""
    return {} if breaks == _BREAKS[tag] else {"breaks": [*breaks]}


def breaks_of(tag: str, owner: Any) -> tuple[int, ...]:
    """Return the line breaks that were read with the owner of a text, else the usual ones."""
    noted: Any = mark_of(owner, FAMILY, "/breaks")
    is_valid = is_sequence(noted) and len(noted) == len(_BREAKS[tag])
    return tuple(noted) if is_valid and all(type(n) is int and 0 <= n <= MOST for n in noted) else _BREAKS[tag]


def noting(block: Any, marks: Mapping[str, Any]) -> Any:
    """Mark a block, if there are any marks."""
    return marked(block, FAMILY, **marks) if marks else block


def _sides(tag: str, breaks: Iterable[int]) -> tuple[str, str]:
    """Return the tags and line breaks before and after a text."""
    first, second, third, last = ("\n" * count for count in breaks)
    return f"{first}<{tag}>{second}", f"{third}</{tag}>{last}"


def around(tag: str, text: str, breaks: Iterable[int]) -> str:
    """Return a text in tags, with line breaks before the first one, inside them, and after the last one."""
    before, behind = _sides(tag, breaks)
    return f"{before}{text}{behind}"


_SIDES = {tag: _sides(tag, breaks) for tag, breaks in _BREAKS.items()}


def in_tags(tag: str, text: str, owner: Any = None) -> str:
    """Return a text in tags, with the line breaks that were read with its owner, if any."""
    before, behind = _SIDES[tag] if owner is None else _sides(tag, breaks_of(tag, owner))
    return f"{before}{text}{behind}"
