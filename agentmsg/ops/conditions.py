"""Conditions: the words a caller asks for, one or several, checked once and refused in one way.

A single value stands for itself, an iterable for each of its items; nothing meets an empty one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.errors import is_a, refused
from agentmsg.model.checks import listed
from agentmsg.model.roles import SYNONYMS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmsg.model.msg import Msg


def words_of(value: str | Iterable[str | None] | None, name: str) -> frozenset[str | None]:
    """Return the names or ids asked for; None stands for having none.

    Raises:
        InvalidMessage: code "type" if one is neither a text nor None.
    """
    return _texts(value, name, "a string, None, or several of them", none=True)


def roles_of(value: str | Iterable[str], name: str) -> frozenset[str]:
    """Return the roles asked for; "human" also asks for "user", "ai" for "assistant".

    Raises:
        InvalidMessage: code "type" if one isn't a text.
    """
    words = _texts(value, name, "a role or several")
    return words | {SYNONYMS[word] for word in words if word in SYNONYMS}


def _texts(value: Any, name: str, wanted: str, *, none: bool = False) -> frozenset[Any]:
    words: tuple[Any, ...] = (value,) if (none and value is None) or is_a(value, str) else listed(value, name)
    for word in words:
        if not (none and word is None) and not is_a(word, str):
            raise refused(name, word, wanted)
    return frozenset(words)


def name_of(message: Msg) -> str | None:
    """Return the sender's name; for a tool message without one, the tool's."""
    if message.name is not None or message.role != "tool":
        return message.name
    return next((result.name for result in message.tool_results if result.name is not None), None)
