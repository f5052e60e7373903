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
    words: tuple[Any, ...] = (value,) if value is None or is_a(value, str) else listed(value, name)
    for word in words:
        if word is not None and not is_a(word, str):
            raise refused(name, word, "a string, None, or several of them")
    return frozenset(words)


def roles_of(value: str | Iterable[str], name: str) -> frozenset[str]:
    """Return the roles asked for; "human" also asks for "user", "ai" for "assistant".

    Raises:
        InvalidMessage: code "type" if one isn't a text.
    """
    words: tuple[Any, ...] = (value,) if is_a(value, str) else listed(value, name)
    for word in words:
        if not is_a(word, str):
            raise refused(name, word, "a role or several")
    return frozenset(words) | {SYNONYMS[word] for word in words if word in SYNONYMS}


def name_of(message: Msg) -> str | None:
    """Return the sender's name; for a tool message without one, the tool's."""
    if message.name is not None or message.role != "tool":
        return message.name
    return next((result.name for result in message.tool_results if result.name is not None), None)
