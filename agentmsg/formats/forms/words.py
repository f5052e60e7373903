"""The base of the words of descriptions.

For each of these thirty classes attrs would compile a comparison and a repr: half of the time that it takes to make
them, and the first use of a codec waits for it. So a word is equal only to itself, and one function shows them all.
"""

from __future__ import annotations

from agentmsg.model.checks import clean_repr, shown_fields

__all__ = ["Word"]


class Word:
    """A word: an attrs class with ``eq=False, repr=False``."""

    __slots__ = ()
    __repr__ = clean_repr
    __rich_repr__ = shown_fields
