"""Terminal: a view as text, coloured if possible. Needs rich (the extra ``cli``)."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.highlighter import JSONHighlighter
from rich.markdown import Markdown, MarkdownElement, TableDataElement, TableElement, TextElement
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from agentmsg.show.markdown import LONGEST, deepest, plain, tokens
from agentmsg.show.pieces import Call, Code, Media, Piece, Prose, Result, Thought, Tools
from agentmsg.show.small_print import count, joined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from markdown_it.token import Token
    from rich.console import JustifyMethod, RenderableType

    from agentmsg.show.pieces import ToolLine
    from agentmsg.show.view import Turn, View
    from agentmsg.show.visible_text import Words

Colours = Literal["standard", "256", "truecolor"]
COLOURS: Mapping[str, Colours] = {"standard": "standard", "256": "256", "truecolor": "truecolor"}

# Longer lines are hard to read, however wide the window is.
_WIDEST = 100
_NARROW = 16
_COLUMN = 4
_ALIGNED: Mapping[str, JustifyMethod] = {"center": "center", "right": "right"}
_THEME = Theme(
    {
        "voice.system": "bold magenta",
        "voice.user": "bold blue",
        "voice.assistant": "bold green",
        "voice.tool": "bold yellow",
        "voice.other": "bold cyan",
        "small": "bright_black",
        "thought": "italic bright_black",
        "call": "bold yellow",
        "good": "green",
        "bad": "bold red",
        "json.key": "blue",
        "json.str": "default",
        "json.number": "cyan",
        "json.brace": "bright_black",
        "json.bool_true": "cyan",
        "json.bool_false": "cyan",
        "json.null": "cyan",
        "markdown.code": "cyan",
        "markdown.code_block": "cyan",
        "markdown.h3": "bold underline",
        "markdown.h4": "bold",
        "markdown.h5": "bold",
        "markdown.h6": "bold",
        "markdown.item.bullet": "bright_black",
        "markdown.item.number": "bright_black",
        "markdown.hr": "bright_black",
        "markdown.block_quote": "italic",
        "markdown.link": "default",
        "markdown.link_url": "underline blue",
    }
)


def text(view: View, *, width: int = 80, colours: Colours | None = None) -> str:
    """Return a view as lines of text, in a terminal's ``colours`` or without."""
    file = StringIO()
    # Data is Text, never markup or emoji codes; nothing is guessed from the environment.
    console = Console(
        file=file, width=width, color_system=colours, force_terminal=colours is not None, no_color=colours is None,
        legacy_windows=False, markup=False, emoji=False, highlight=False, theme=_THEME,
    )  # fmt: skip
    console.print(drawn(view))
    lines = file.getvalue().split("\n")
    # Only with styles may one be open at the end of a line.
    return "\n".join(lines if colours else [line.rstrip() for line in lines])


def drawn(view: View) -> RenderableType:
    """Return a view for a rich console."""
    head: list[RenderableType] = [Text(view.title, "bold")]
    head += [Text(joined(facts), "small") for facts in (view.facts, view.spent) if facts]
    if view.tools:
        head.append(Text(f"tools {joined(tool.name for tool in view.tools)}", "small"))
    return _Narrow(Group(*head, Text(), *(part for turn in view.turns for part in (_turn(turn), Text()))))


class _Narrow:
    """Keeps lines short in a wide window."""

    def __init__(self, inside: RenderableType) -> None:
        self.inside = inside

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from console.render(self.inside, options.update_width(min(options.max_width, _WIDEST)))


class _Indented:
    """Indents its content, as long as there is room for it."""

    def __init__(self, inside: RenderableType, by: int = 2) -> None:
        self.inside = inside
        self.by = by

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        by = self.by if options.max_width >= _NARROW + self.by else 0
        yield Padding(self.inside, (0, 0, 0, by))


class _Barred:
    """Draws a bar on the left."""

    def __init__(self, inside: RenderableType, style: str) -> None:
        self.inside = inside
        self.style = style

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        bar = Segment("│ ", console.get_style(self.style))
        lines = console.render_lines(self.inside, options.update_width(max(options.max_width - 2, 1)), pad=False)
        for line in lines:
            yield bar
            yield from line
            yield Segment.line()


# -- markdown
# --------------------------------------------------------------------------------------------------------


class _Heading(TextElement):
    @classmethod
    def create(cls, markdown: Markdown, token: Token) -> _Heading:
        return cls(token.tag)

    def __init__(self, tag: str) -> None:
        self.style_name = f"markdown.{tag}"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.overflow = "fold"
        yield self.text


class _CodeBlock(TextElement):
    style_name = "markdown.code_block"

    @classmethod
    def create(cls, markdown: Markdown, token: Token) -> _CodeBlock:
        return cls(str(token.attrs.get("data-language", "")))

    def __init__(self, language: str) -> None:
        self.language = language

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.rstrip()
        self.text.overflow = "fold"
        lines = [Text(self.language, "small")] if self.language else []
        yield _Barred(Group(*lines, self.text), "small")


class _Table(TableElement):
    """A table that cuts no word; if the window is too narrow, its cells are below each other."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        heads = self.header.row.cells if self.header is not None and self.header.row is not None else []
        rows = self.body.rows if self.body is not None else []
        if len(heads) * _COLUMN > options.max_width:
            for cells in (heads, *(row.cells for row in rows)):
                yield Text(" | ").join(cell.content for cell in cells)
            return
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, style="small", header_style="bold")
        for cell in heads:
            table.add_column(cell.content, overflow="fold", justify=cell.content.justify or "left")
        for row in rows:
            table.add_row(*(cell.content for cell in row.cells))
        yield table


class _Cell(TableDataElement):
    @classmethod
    def create(cls, markdown: Markdown, token: Token) -> _Cell:
        return cls(_ALIGNED.get(str(token.attrs.get("class")), "left"))


class _Markdown(Markdown):
    """Our markdown tokens, with headings, tables and code drawn quietly, and nothing hidden for lack of room."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _Heading,
        "fence": _CodeBlock,
        "code_block": _CodeBlock,
        "table_open": _Table,
        "td_open": _Cell,
        "th_open": _Cell,
    }

    def __init__(self, words: str) -> None:
        super().__init__("", hyperlinks=False)
        self.words = words
        self.found = tokens(words)
        for token in (each for found in self.found for each in found.children or () if "title" in each.attrs):
            # A terminal has no pointer to show a title.
            token.attrSet("href", f'{token.attrs.get("href", "")} "{token.attrs["title"]}"')

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        # Quotes and lists take up to four columns per level.
        room = (options.max_width - _NARROW) // _COLUMN
        self.parsed = self.found if deepest(self.found) <= max(room, 1) else plain(self.words)
        yield from super().__rich_console__(console, options)


def _prose(words: Words) -> Iterator[RenderableType]:
    if words:
        yield _Markdown(words.text)
    if words.more:
        yield Text(words.rest, "small")


# -- pieces
# ----------------------------------------------------------------------------------------------------------


def _verbatim(words: Words, style: str = "") -> Iterator[RenderableType]:
    if words:
        yield Text(words.text, style, overflow="fold")
    if words.more:
        yield Text(words.rest, "small")


def _json(words: Words) -> Iterator[RenderableType]:
    if words and not words.more and len(words.text) <= LONGEST:
        shown = Text(words.text, overflow="fold")
        JSONHighlighter().highlight(shown)
        yield shown
    else:
        yield from _verbatim(words)


def _line(*parts: tuple[str, str]) -> Text:
    """Return styled texts, without empty ones, two spaces apart."""
    return Text("  ").join(Text(words, style) for words, style in parts if words)


def _small(facts: tuple[str, ...]) -> tuple[str, str]:
    return joined(facts), "small"


def _of_prose(piece: Prose) -> Iterator[RenderableType]:
    if piece.label:
        yield _line((piece.label, "bold"), _small(piece.facts))
    yield from _prose(piece.words)
    for number, cited in enumerate(piece.citations, 1):
        url = cited.url if cited.url != cited.title else None
        yield _line((f"[{number}]", "small"), (cited.title, "small"), (url or "", "small"), _small(cited.facts))
        for words in _verbatim(cited.quote, "thought"):
            yield _Indented(words, 4)
    if piece.facts and not piece.label:
        yield _line(_small(piece.facts))


def _of_thought(piece: Thought) -> Iterator[RenderableType]:
    yield _line(("thinking", "small"), _small(piece.facts))
    yield from _verbatim(piece.words, "thought")


def _of_code(piece: Code) -> Iterator[RenderableType]:
    label = "" if piece.label == "json" else piece.label
    if label or piece.facts:
        yield _line((label, "bold"), _small(piece.facts))
    yield from _json(piece.words) if piece.label else _verbatim(piece.words)


def _of_media(piece: Media) -> Iterator[RenderableType]:
    yield _line((piece.label, "bold"), (piece.name.text + piece.name.rest, ""), _small(piece.facts))
    yield from (_Indented(part) for inside in piece.pieces for part in _drawn(inside))


def _of_call(piece: Call) -> Iterator[RenderableType]:
    head = _line((piece.name, "call" if piece.valid else "bad"), (piece.link, "small"), _small(piece.facts))
    result = [] if piece.result is None else list(_of_result(piece.result))
    yield _Barred(Group(head, *_json(piece.arguments), *result), "call")


def _of_result(piece: Result) -> Iterator[RenderableType]:
    mark = (f"✗ {piece.status}", "bad") if piece.failed else (f"✓ {piece.status}", "good")
    yield _line(mark, (piece.name, "call"), (piece.link, "small"), _small(piece.facts))
    yield from (part for inside in piece.pieces for part in _drawn(inside))


def _of_tools(piece: Tools) -> Iterator[RenderableType]:
    yield _line((count(len(piece.tools), "new tool"), "bold"), _small(piece.facts))
    yield from (_tool(tool) for tool in piece.tools)


def _tool(tool: ToolLine) -> RenderableType:
    described = tool.description.text + tool.description.rest
    return _Indented(_line((tool.name, "call"), (described, ""), _small(tool.facts)))


_DRAWN: Mapping[type[Any], Callable[[Any], Iterator[RenderableType]]] = {
    Prose: _of_prose,
    Thought: _of_thought,
    Code: _of_code,
    Media: _of_media,
    Result: _of_result,
    Call: _of_call,
    Tools: _of_tools,
}


def _drawn(piece: Piece) -> Iterator[RenderableType]:
    return _DRAWN[type(piece)](piece)


def _turn(turn: Turn) -> RenderableType:
    head = Table.grid(expand=True, padding=(0, 2, 0, 0))
    head.add_column(ratio=1)
    head.add_column(justify="right", no_wrap=True)
    who = _line((turn.role, f"voice.{turn.voice}"), _small(turn.names))
    who.overflow = "fold"
    head.add_row(who, Text(f"{turn.time}  #{turn.number}".strip(), "small"))
    pieces: list[RenderableType] = []
    for piece in turn.pieces:
        if pieces:
            pieces.append(Text())
        pieces += _drawn(piece)
    facts = [Text(joined(turn.facts), "small")] if turn.facts else []
    gap = [Text()] if facts and turn.pieces and isinstance(turn.pieces[-1], Call) else []
    return Group(head, _Indented(Group(*pieces, *gap, *facts)))
