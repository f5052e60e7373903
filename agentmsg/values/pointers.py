"""JSON pointers (RFC 6901). A step ``*`` leads to every item or value; a key ``*`` is written ``~2``.

A text that holds JSON counts as that JSON, on the way and at the place.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

from agentmsg.errors import DecodeError
from agentmsg.values.text import parse_json

if TYPE_CHECKING:
    from agentmsg.limits import Limits

EVERY = "*"
"""The step to every member."""
Way: TypeAlias = "tuple[str | None, ...]"
"""The steps of a pointer; None for every member."""
SPACES = " \t\r\n"
"""White space that JSON allows around a value."""

_POINTER = re.compile(r"(?:/(?:[^~]|~[012])*)?", re.DOTALL)


def is_pointer(text: str) -> bool:
    """Whether a text is a pointer; the empty one leads to the whole document."""
    return _POINTER.fullmatch(text) is not None


def way_of(pointer: str) -> Way:
    """Return the steps of a pointer."""
    return tuple(
        None if step == EVERY else step.replace("~2", EVERY).replace("~1", "/").replace("~0", "~")
        for step in pointer.split("/")[1:]
    )


def onward_of(ways: tuple[Way, ...], key: str | None) -> tuple[Way, ...]:
    """Return the rest of the ways that lead through a member; None for a key that no pointer can name."""
    through = (way[1:] for way in ways if way and (way[0] is None or (way[0] == key and key is not None)))
    return tuple(dict.fromkeys(through))


def step_to(key: str) -> str:
    """Return the step to a key, led by a slash."""
    step = key.replace("~", "~0").replace("/", "~1")
    return "/~2" if step == EVERY else f"/{step}"


def opened(text: str, limits: Limits) -> Any:
    """Return the JSON value in a text; None if it isn't JSON."""
    if text.lstrip(SPACES)[:1] not in ("{", "[", '"'):
        return None
    try:
        return parse_json(text, limits, "error")
    except DecodeError as error:
        if error.code == "syntax":
            return None
        raise
