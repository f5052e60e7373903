"""Markdown as tokens, for every way to draw it: HTML is text, links go to the web or to mail, pictures are links.

Needs markdown-it-py, which rich and the extra ``html`` bring. Imports ``visible``.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from agentmsg.show.visible import safe_link, visible

if TYPE_CHECKING:
    from markdown_it.token import Token

__all__ = ["LONGEST", "parser", "tokens"]

# Longer texts are shown as they are: parsing takes longer than anybody waits.
LONGEST = 100_000
# A page has a title and its messages have headings: those of texts go below.
_BELOW = 2
_ALIGNED = {"text-align:left": "left", "text-align:center": "center", "text-align:right": "right"}


@cache
def parser() -> MarkdownIt:
    """Return the parser."""
    made = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
    # A definition of a reference is shown nowhere; a picture would be fetched.
    made.disable(["reference", "image"])
    made.validateLink = _may_be_followed  # type: ignore[method-assign] # its documented hook
    return made


def _may_be_followed(url: str) -> bool:
    """Tell of a URL as markdown encodes it; a backslash in it is of an escape of ours, and leads elsewhere."""
    return safe_link(url) is not None and "%5C" not in url


def tokens(text: str) -> list[Token]:
    """Return the tokens of a visible text; what its entities and escaped URLs hide is visible in them, too."""
    found = parser().parse(text)
    for token in found:
        for each in (token, *(token.children or ())):
            _settle(each)
    return found


def _settle(token: Token) -> None:
    token.content = visible(token.content)
    if token.type == "softbreak":
        # People who write a new line mean one.
        token.type, token.tag = "hardbreak", "br"
    elif token.type in {"heading_open", "heading_close"}:
        token.tag = f"h{min(6, int(token.tag[1]) + _BELOW)}"
    elif token.type == "link_open":
        if "title" in token.attrs:
            token.attrSet("title", visible(str(token.attrs["title"])))
        if token.attrs["href"]:
            token.attrSet("rel", "noopener noreferrer")
        else:
            del token.attrs["href"]
    elif token.type == "fence":
        # No class of our pages is for others to name.
        language, token.info = visible(token.info.strip()), ""
        token.attrs = {"data-language": language} if language else {}
    elif "style" in token.attrs:
        token.attrs = {"class": _ALIGNED.get(str(token.attrs["style"]), "left")}
