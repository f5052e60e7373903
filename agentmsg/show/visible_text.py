r"""Visible text: everything that a terminal or browser would obey, or show as nothing, becomes an escape.

Nothing is deleted: controls (those of ANSI sequences too), direction marks, zero-width and tag characters become
``\x1b``, ``\u202e``, ``\U000e0041``. Line feed and tab stay.
"""

from __future__ import annotations

import re

import attrs

# The most characters of names, ids and URLs, whatever is asked for: they share a line with others.
NAME = 300

_HIDDEN = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, except tab and line feed
    "\u2028\u2029"  # separators of lines and paragraphs
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # direction
    "\xad\u034f\u180b-\u180f\u200b-\u200d\u2060-\u2065\ufeff"  # no width
    "\u115f\u1160\u17b4\u17b5\u3164\uffa0"  # letters that are blank
    "\ufff0-\ufffb\ufffe\uffff\ud800-\udfff"  # no characters at all
    "\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # controls of some notations
    "\U000e0000-\U000e0fff"  # tags, and variants beyond those in use
    "\ufe00-\ufe0d"
    "]"
    "|(?<=[\ufe00-\ufe0f])[\ufe0e\ufe0f]"  # a second variation selector after a first hides something
)
_LINK = re.compile(r"(?:https?://|mailto:)[^\s\\\"'<>`{}|^]+", re.IGNORECASE)


def visible(text: str) -> str:
    """Return a text with escapes for everything that is obeyed or invisible."""
    return _HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def safe_link(url: str) -> str | None:
    """Return a URL that may be followed, unchanged; None for schemes other than http, https and mailto.

    Also None if it holds a character that can't be in a URL, so that no browser can read another scheme in it.
    """
    return url if _LINK.fullmatch(url) and visible(url) == url else None


@attrs.frozen
class Words:
    """A visible text, perhaps cut.

    Attributes:
        text: with escapes.
        more: number of characters that aren't shown.
    """

    text: str
    more: int = 0

    @property
    def rest(self) -> str:
        """The words that say how much isn't shown; empty if all is."""
        return f"… {self.more:,} more character{'s' if self.more > 1 else ''}" if self.more else ""

    def __bool__(self) -> bool:
        return bool(self.text)


def words(text: str, most: int | None = None) -> Words:
    """Return a text to show, cut to this many characters; None means whole."""
    if most is None or len(text) <= most:
        return Words(visible(text))
    return Words(visible(text[:most]), len(text) - most)


def brief(text: str) -> str:
    """Return a name or id to show on a shared line; for a long one the beginning, and the number of characters left."""
    shown = words(text, NAME)
    return f"{shown.text}{shown.rest}"
