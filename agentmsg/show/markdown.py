"""Markdown as tokens, for every renderer: HTML is shown as text, links lead to the web or to mail, pictures are links.

Needs markdown-it-py, which rich and the extra ``html`` install.
"""

from __future__ import annotations

import re
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from agentmsg.show.visible_text import safe_link, visible

# Longer texts are shown unparsed: parsing takes longer than anybody would wait.
LONGEST = 50_000
# The same for texts nested deeper, of which the parser would drop the rest.
_DEEPEST = 20
# A page has a title and its messages have headings; headings in texts are below these.
_BELOW = 2
_CELL_ENDS = re.compile(r"(?<!\\)\|")
_ALIGNED = {"text-align:left": "left", "text-align:center": "center", "text-align:right": "right"}


@cache
def parser() -> MarkdownIt:
    """Return the parser."""
    made = MarkdownIt("commonmark", {"html": False, "maxNesting": _DEEPEST}).enable(["strikethrough", "table"])
    # A reference definition is never shown; a picture would be fetched.
    made.disable(["reference", "image"])
    made.validateLink = _may_be_followed  # type: ignore[method-assign] # its documented hook
    return made


def _may_be_followed(url: str) -> bool:
    """Whether an encoded URL may be followed; a backslash comes from one of our escapes, and leads elsewhere."""
    return safe_link(url) is not None and "%5C" not in url


def tokens(text: str) -> list[Token]:
    """Return the tokens of a visible text, with what its entities and escaped URLs hide made visible, too."""
    found = parser().parse(text) if len(text) <= LONGEST else plain(text)
    if deepest(found) >= _DEEPEST - 1 or _drops_cells(found, text):
        found = plain(text)
    for token in found:
        for each in (token, *(token.children or ())):
            _settle(each)
    return found


def _drops_cells(found: list[Token], text: str) -> bool:
    """Whether a table row has more cells than its head: markdown drops them."""
    columns, lines = 0, text.split("\n")
    for token in found:
        if token.type == "table_open":
            columns = 0
        elif token.type == "th_open":
            columns += 1
        elif token.type == "tr_open" and columns and token.map:
            row = lines[token.map[0]].strip(" \t>").removeprefix("|")
            if len(_CELL_ENDS.findall(row.removesuffix("|"))) >= columns:
                return True
    return False


def plain(text: str) -> list[Token]:
    """Return the token of a text without markdown."""
    return [Token("code_block", "code", 0, content=text)]


def deepest(found: list[Token]) -> int:
    """Return the nesting depth of tokens."""
    return max((token.level for token in found), default=0)


def _settle(token: Token) -> None:
    token.content = visible(token.content)
    if token.type == "softbreak":
        # People who write a line break mean one.
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
        # Data must not choose a CSS class of our pages.
        language, token.info = visible(token.info.strip()), ""
        token.attrs = {"data-language": language} if language else {}
    elif "style" in token.attrs:
        token.attrs = {"class": _ALIGNED.get(str(token.attrs["style"]), "left")}
