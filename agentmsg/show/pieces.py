"""Pieces: what a message shows, ready to draw: every text visible, cut and counted.

``kind`` tells a template which piece it has; the rest of the package checks the class.
"""

from __future__ import annotations

from typing import ClassVar, TypeAlias

import attrs

from agentmsg.show.visible_text import Words


@attrs.frozen(kw_only=True)
class Cited:
    """A citation: its name, a URL that may be followed, and its text."""

    title: str
    url: str | None
    quote: Words
    facts: tuple[str, ...]


@attrs.frozen(kw_only=True)
class Prose:
    """Markdown; ``label`` names it, unless it is the message's plain text."""

    kind: ClassVar[str] = "prose"
    words: Words
    label: str = ""
    citations: tuple[Cited, ...] = ()
    facts: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class Thought:
    """A model's thinking."""

    kind: ClassVar[str] = "thought"
    words: Words
    facts: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class Code:
    """Data or a foreign value, to be shown literally."""

    kind: ClassVar[str] = "code"
    label: str
    words: Words
    facts: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class Media:
    """A picture, sound, film, file or source, in one line.

    Attributes:
        label: what it is.
        name: its name or URL.
        link: the URL, where it may be followed.
        picture: a ``data:`` URL of a picture that browsers may show.
        pieces: what is inside, or what goes with it.
    """

    kind: ClassVar[str] = "media"
    label: str
    name: Words
    link: str | None = None
    picture: str | None = None
    pieces: tuple[Piece, ...] = ()
    facts: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class Result:
    """The result of a tool.

    Attributes:
        name, link: the tool's name and the id of its call, if the call itself isn't shown.
        status: how it went, in a word.
        failed: whether it failed.
        length: characters of its texts and data.
    """

    kind: ClassVar[str] = "result"
    name: str
    link: str
    status: str
    failed: bool
    pieces: tuple[Piece, ...]
    length: int
    facts: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class Call:
    """A tool call, with its result if there is one."""

    kind: ClassVar[str] = "call"
    name: str
    link: str
    valid: bool
    arguments: Words
    result: Result | None = None
    facts: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class ToolLine:
    """A tool that may be called."""

    name: str
    description: Words
    parameters: Words
    facts: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class Tools:
    """Tools that arrive mid-conversation."""

    kind: ClassVar[str] = "tools"
    tools: tuple[ToolLine, ...]
    facts: tuple[str, ...] = ()


Piece: TypeAlias = Prose | Thought | Code | Media | Result | Call | Tools
