"""Shared by the native objects of all dialects: spare keys, entries of a memory, finish reasons.

The libraries write every key, with null for nothing. A key without a field in the model is *spare*: its usual value is
only spelling, any other an unknown field.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import (
    Cell,
    Native,
    Unreadable,
    is_list,
    is_mapping,
    is_marked,
    is_object,
    is_sequence,
    usually,
)
from agentmsg_codecs.agentscope.names import ITEM

if TYPE_CHECKING:
    from collections.abc import Mapping

# -- native objects ---------------------------------------------------------------------------------------------------


def parts_in(content: Any) -> list[Any]:
    """Return the parts of content: a list of them, or one; none if it is anything else."""
    if is_list(content):
        return content
    return [content] if is_object(content) else []


def object_or_none(native: Mapping[str, Any], key: str) -> Native:
    """Return the object under a key; an empty one if there is nothing.

    Raises:
        Unreadable: if there is anything else.
    """
    value: Any = native.get(key)
    if value is not None and not is_object(value):
        raise Unreadable
    return value or {}


def without(mapping: Mapping[str, Any], *keys: str) -> Native:
    """Return a mapping without some keys."""
    return {key: value for key, value in mapping.items() if key not in keys}


# -- entries of a memory ----------------------------------------------------------------------------------------------


def is_pair(entry: Any) -> bool:
    """Whether an entry of a memory is a pair of a message and its marks."""
    return is_list(entry) and len(entry) == 2 and is_object(entry[0]) and is_list(entry[1])  # noqa: PLR2004 - a pair


def marks_of(message: Any) -> Any:
    """Return the marks that a memory keeps with a message; None if there are none."""
    item: Any = message.extras.get(ITEM) if message.extras else None
    marks: Any = item.get("marks") if is_mapping(item) and len(item) == 1 else None
    return marks if is_sequence(marks) and marks else None


# -- finish reasons ---------------------------------------------------------------------------------------------------


class Reasons:
    """The finish reasons of a library; a message with any other word is marked ``/word``.

    Attributes:
        family: the family of the mark.
        ours: our words, by the library's.
        words: the library's words, by ours.
    """

    def __init__(self, family: str, ours: Mapping[str, str]) -> None:
        self.family, self.ours = family, ours
        self.words = {ours: word for word, ours in ours.items()}

    def read(self, word: Any, notes: Native) -> str:
        """Return our word for a library's, and note a word that it doesn't have.

        Raises:
            Unreadable: if it isn't a text.
        """
        if type(word) is not str:
            raise Unreadable("a finish reason is a text")
        if word not in self.ours:
            notes["/word"] = True
        return self.ours.get(word, word)

    def write(self, reason: str, message: Any) -> str:
        """Return the library's word for the reason of a message."""
        is_own = is_marked(message, self.family, "/word") and reason not in self.ours
        return reason if is_own else self.words.get(reason, reason)

    def cell(self) -> Cell:
        """Return the cell of finish reasons: those of the library, and one that was read though it has another word."""

        @usually("value in reasons", reasons=self.words)
        def cell(reason: str, message: Any) -> str | None:
            is_odd = reason not in self.ours and is_marked(message, self.family, "/word")
            return reason if reason in self.words or is_odd else None

        return cell
