"""The base of the words of descriptions.

attrs would compile a comparison and a repr for each of these thirty classes. That takes half of the time to make
them, which much of the first use of a codec is. So a word is only equal to itself, and one function shows all.
"""

from __future__ import annotations

from agentmsg.model.checks import clean_repr, shown_fields

__all__ = ["Word"]


class Word:
    """A word: an attrs class with ``eq=False, repr=False``."""

    __slots__ = ()
    __repr__ = clean_repr
    __rich_repr__ = shown_fields
