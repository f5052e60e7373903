"""How a history is shown: the view, and its text for terminals. Hostile texts are shown, never obeyed."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections import Counter
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from hypothesis import given

import agentmsg as am
from agentmsg.show import Lengths, view_of
from agentmsg.show.json_lines import json_words, text_or_json
from agentmsg.show.page import page
from agentmsg.show.pieces import Call, Code, Media, Prose, Result
from agentmsg.show.small_print import count, size, spent, when
from agentmsg.show.terminal import text
from agentmsg.show.visible_text import safe_link, visible, words
from agentmsg.testing import histories, json_values
from support.grand_tour import grand_tour
from support.planted import planted
from support.timing import seconds_of

if TYPE_CHECKING:
    from collections.abc import Callable

BARE: dict[str, Any] = {"id": None, "created_at": None}
CALL = am.Msg.assistant("Let me see.", tool_calls=[{"id": "c1", "name": "add", "input": {"a": 1}}], **BARE)
RESULT = am.Msg.tool("3", tool_call_id="c1", **BARE)

# Ours: the colours that a terminal shows.
STYLE = re.compile(r"\x1b\[[0-9;]*m")
ESCAPE = re.compile(r"\\(?:r|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")
# A format character with a picture of its own is visible.
SEEN = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, 0xFFFC}

# By their row of the catalogue.
OBEYED = {
    "F1 CSI": "\x1b[31mred\x1b[0m",
    "F1 CSI that deletes": "kept\x1b[2K\x1b[1A",
    "F1 OSC 0": "\x1b]0;title\x07",
    "F1 OSC 8": "\x1b]8;;https://evil.example\x1b\\text\x1b]8;;\x1b\\",
    "F1 OSC 52": "\x1b]52;c;ZXZpbA==\x07",
    "F1 DCS": "\x1bPq#0\x1b\\",
    "F1 APC": "\x1b_Gf=24\x1b\\",
    "F1 C1": "\x9b31m\x9dtitle\x9c\x85",
    "F1 DEL": "a\x7fb",
    "F1 BEL": "a\x07b",
    "F1 CR": "good\rbad",
    "F1 backspace": "rm\x08\x08ls",
    "F1 NUL": "a\x00b",
    "F2 bidi embedding": "a\u202eb\u202cc\u202ad",
    "F2 bidi isolate": "a\u2066b\u2067c\u2068d\u2069",
    "F2 bidi mark": "a\u200eb\u200fc\u061cd",
    "F2 zero width": "a\u200bb\u200cc\u200dd\u2060e\ufefff\xadg",
    "F2 tags": "a\U000e0001\U000e0041\U000e007f",
    "F2 variants": "a\U000e0100b\ufe0e\ufe0f",
    "F2 blank letters": "a\u3164b\u115fc",
    "F2 line separators": "a\u2028b\u2029c",
}


def shown(*messages: am.Msg, **options: Any) -> str:
    """Return the text of messages."""
    return text(view_of(am.History(messages)), **options)


def unwrapped(lines: str) -> str:
    """Return a text without the terminal's additions between words: bars, line ends, indentation."""
    return re.sub(r"[\s│]+", "", lines)


def in_markdown(seed: str) -> str:
    """Return markdown with a text in each of its constructs."""
    return (
        f"# {seed}\n\n- {seed}\n\n1. *{seed}* `{seed}`\n\n```{seed}\n{seed}\n```\n\n    {seed}\n\n> {seed}\n\n"
        f"| {seed} |\n| - |\n| {seed} |\n\n[{seed}](https://example.org/)\n\n{seed}"
    )


# -- F: what must not be obeyed
# --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [pytest.param(seed, id=name) for name, seed in OBEYED.items()])
@pytest.mark.parametrize("colours", [None, "truecolor"])
def test_nothing_is_obeyed(seed: str, colours: Any) -> None:
    """F1, F2: from no field of any class does a control, direction or invisible character reach a terminal."""
    lines = text(view_of(planted(grand_tour(), seed), title=seed), colours=colours)
    assert visible(STYLE.sub("", lines)) == STYLE.sub("", lines)
    assert visible(seed) in lines


@pytest.mark.parametrize("seed", [pytest.param(seed, id=name) for name, seed in OBEYED.items()])
def test_nothing_is_obeyed_in_markdown(seed: str) -> None:
    """F1, F2: not in markdown either, and nothing of it is deleted."""
    source = in_markdown(seed)
    lines = shown(am.Msg.user(source, **BARE), width=100)
    assert visible(lines) == lines
    assert Counter(ESCAPE.findall(unwrapped(lines))) == Counter(ESCAPE.findall(visible(source)))


@pytest.mark.parametrize("seed", [pytest.param(seed, id=name) for name, seed in OBEYED.items()])
def test_nothing_is_obeyed_on_a_page(seed: str) -> None:
    """F1, F2: a page holds none of these characters either."""
    html = page(view_of(planted(grand_tour(), seed), title=seed))
    assert visible(html) == html


@pytest.mark.parametrize("seed", [pytest.param(seed, id=name) for name, seed in OBEYED.items() if name < "F2"])
def test_a_repr_holds_no_control(seed: str) -> None:
    """F1: a message in debuggers and logs prints no control character."""
    lines = repr(planted(grand_tour(), seed))
    assert not [char for char in lines if unicodedata.category(char) == "Cc"]


@pytest.mark.parametrize("hidden", ["&#x202e;", "&#8203;", "&zwj;", "&shy;", "<https://example.org/%E2%80%AE%1B>"])
def test_what_markdown_decodes_is_not_obeyed(hidden: str) -> None:
    """F2: a character spelt only by markdown's entities or the escapes of a URL is shown as an escape."""
    lines = shown(am.Msg.user(f"a {hidden} b", **BARE))
    assert visible(lines) == lines
    assert "\\" in lines


LONG = "word \x1b " * 1_700_000  # 10 MB and more
SPECIAL = "*[`<&#x" * 1_500_000
LONG_MESSAGES: dict[str, Callable[[], am.Msg]] = {
    "F5 text": lambda: am.Msg.user(LONG, **BARE),
    "F5 markdown": lambda: am.Msg.user(SPECIAL, **BARE),
    "F5 name": lambda: am.Msg.user("hi", name=LONG, **BARE),
    "F5 thinking": lambda: am.Msg("assistant", [am.ThinkingBlock(LONG)], **BARE),
    "F5 arguments": lambda: am.Msg("assistant", [am.ToolUseBlock("c", "t", {"a": LONG})], **BARE),
    "F5 invalid arguments": lambda: am.Msg("assistant", [am.ToolUseBlock("c", "t", raw_input=LONG)], **BARE),
    "F5 result": lambda: am.Msg("tool", [am.ToolResultBlock("c", LONG)], **BARE),
    "F5 result of JSON": lambda: am.Msg("tool", [am.ToolResultBlock("c", f'["{SPECIAL}"]')], **BARE),
    "F5 URL": lambda: am.Msg("user", [am.ImageBlock.from_url(f"https://example.org/{SPECIAL}")], **BARE),
    "F5 source": lambda: am.Msg("user", [am.ImageBlock(am.Base64Source("A" * 10_000_000))], **BARE),
}


@pytest.mark.parametrize("make", [pytest.param(make, id=name) for name, make in LONG_MESSAGES.items()])
@pytest.mark.parametrize("draw", [text, page])
def test_long_texts_are_cut_quickly(make: Callable[[], am.Msg], draw: Callable[[Any], str]) -> None:
    """F5: of 10 MB the requested part is shown, with the number of omitted characters, in less than 200 ms."""
    history = am.History((make(),))
    draw(view_of(am.History()))  # one-time loading doesn't count
    lengths = Lengths(text=8_000, detail=1_500)
    lines = draw(view_of(history, lengths=lengths))
    assert len(lines) < 100_000
    # A tracer, as in coverage, is called for each line: its time isn't ours.
    assert seconds_of(lambda: draw(view_of(history, lengths=lengths))) < (0.2 if sys.gettrace() is None else 1.0)
    left_out = [int(number.replace(",", "")) for number in re.findall(r"…([\d,]+)morecharacters", unwrapped(lines))]
    assert "7.5 MB" in lines or max(left_out) > 10_000_000


# -- visible
# ---------------------------------------------------------------------------------------------------------


def test_visible_knows_all_of_unicode() -> None:
    """Every control, format character, separator and surrogate has an escape, except line feed, tab, visible ones."""
    hidden = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    left = {
        code
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in hidden and visible(chr(code)) == chr(code)
    }
    assert left == {0x09, 0x0A} | {code for code in SEEN if unicodedata.category(chr(code)) == "Cf"}


def test_visible_deletes_nothing() -> None:
    """An escape names the character: reading the escapes restores the text."""
    for seed in OBEYED.values():
        assert ESCAPE.sub(lambda found: found[0].encode().decode("unicode_escape"), visible(seed)) == seed


@pytest.mark.parametrize("seed", ["plain", "é e\u0301 日本 שלום", "tab\tline\n", "❤️ ✈️", "\xa0\u202f", "a\\x1b"])
def test_visible_leaves_what_is_seen(seed: str) -> None:
    """Letters, marks, spaces, pictures and their usual variant stay unchanged."""
    assert visible(seed) == seed


def test_words_count_what_they_leave_out() -> None:
    """A text is cut by its own characters, before any becomes an escape."""
    assert words("\x1b\x1b\x1b", 2) == words("\x1b\x1b").__class__("\\x1b\\x1b", 1)
    assert words("abc", 2).rest == "… 1 more character"
    assert words("abc" * 1000, 2).rest == "… 2,998 more characters"
    assert (words("abc", 3).rest, words("abc").rest, bool(words(""))) == ("", "", False)


@pytest.mark.parametrize("url", ["https://example.org/a?b=c&d#e", "HTTP://EXAMPLE.ORG", "mailto:a@example.org"])
def test_links_lead_to_the_web_or_mail(url: str) -> None:
    """A URL with one of three schemes becomes a link."""
    assert safe_link(url) == url


@pytest.mark.parametrize(
    "url", ["", "https://", "https://a b", "https://a\u202eb", "https://a\n", "https://a\\b", '"https://a', "ftp://a"]
)
def test_other_urls_are_no_links(url: str) -> None:
    """Other schemes, and characters not allowed in URLs, make no link."""
    assert safe_link(url) is None


# -- counted
# ---------------------------------------------------------------------------------------------------------


def test_sizes_have_units() -> None:
    """Bytes are shown in the unit with the shortest number."""
    sizes = [size(number) for number in (1, 999, 1000, 1_234_000, 5 * 10**9, 10**13)]
    assert sizes == ["1 byte", "999 bytes", "1.0 kB", "1.2 MB", "5.0 GB", "10000.0 GB"]
    assert (count(1, "box", "boxes"), count(1000, "box", "boxes")) == ("1 box", "1,000 boxes")


def test_times_say_what_changes() -> None:
    """A time shows its day if that has changed, and its zone if that isn't UTC."""
    noon = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
    there = noon.astimezone(timezone(-timedelta(hours=3, minutes=30)))
    assert when(noon) == "2026-11-21 12:00"
    assert when(noon, noon - timedelta(hours=1)) == "12:00"
    assert when(noon, noon - timedelta(days=1)) == "2026-11-21 12:00"
    assert when(there, noon) == "2026-11-21 08:30 -03:30"


def test_usage_says_what_counts() -> None:
    """A total that is the sum, and zeros of lesser counters, aren't shown; a zero of input or output is."""
    assert spent(am.Usage(input=1000, output=0, total=1000, reasoning=0)) == ("1,000 in", "0 out")
    assert spent(am.Usage(input=1, total=5, cost=0.5, extras={"x": 1})) == ("1 in", "5 total", "cost 0.5", "extras 1")
    assert spent(None) == ()


# -- JSON
# ------------------------------------------------------------------------------------------------------------


@given(json_values())
def test_json_is_laid_out_only(value: Any) -> None:
    """The lines of a JSON value are JSON of the same value, if the escapes of invisible characters are read."""
    lines = json_words(value, None).text
    back = re.sub(r"\\x([0-9a-f]{2})", r"\\u00\1", lines)
    back = re.sub(r"\\U([0-9a-f]{8})", lambda found: json.dumps(chr(int(found[1], 16)))[1:-1], back)
    assert am.same(am.DataBlock(json.loads(back)), am.DataBlock(value))


def test_json_that_fits_stands_on_one_line() -> None:
    """Short values stay on a line, also inside long ones."""
    value = {"city": "Lisbon", "days": [{"high": 16, "low": 10, "what": "x" * 30}, {"high": 17, "low": 11}]}
    assert json_words({"a": [1, {}]}, None).text == '{"a": [1, {}]}'
    assert json_words(value, None).text.splitlines() == [
        "{",
        '  "city": "Lisbon",',
        '  "days": [',
        '    {"high": 16, "low": 10, "what": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},',
        '    {"high": 17, "low": 11}',
        "  ]",
        "}",
    ]


@pytest.mark.parametrize("given_text", ['{"a":1,"a":2}', "[0.1000000000000000000001]", '{"a": ', "[not JSON]"])
def test_json_that_says_more_than_its_value_stays(given_text: str) -> None:
    """A result that isn't JSON, or JSON that a layout would change, is shown letter by letter."""
    assert text_or_json(given_text, None) == (words(given_text), False)


# -- the view
# --------------------------------------------------------------------------------------------------------


def test_a_result_stands_with_its_call() -> None:
    """A result is shown with its call and its message's number, and that message isn't shown again."""
    view = view_of(am.History((CALL, RESULT, am.Msg.user("Thanks.", **BARE))))
    assert [turn.number for turn in view.turns] == [1, 3]
    call = view.turns[0].pieces[1]
    assert isinstance(call, Call)
    assert (call.name, call.link, call.arguments.text) == ("add", "c1", '{"a": 1}')
    assert call.result is not None
    assert (call.result.status, call.result.facts) == ("result", ("#2",))
    assert call.result.pieces == (Code(label="", words=words("3")),)


def test_a_result_without_call_stands_alone() -> None:
    """A result without a call is a message of its own, with name and id."""
    (turn,) = view_of(am.History((RESULT,))).turns
    (result,) = turn.pieces
    assert isinstance(result, Result)
    assert (turn.voice, result.link) == ("tool", "c1")


@pytest.mark.parametrize("value", [{"name": "ls"}, {"type": "ls", "x": 1}, {"ls": {}}])
def test_a_native_tool_has_a_name(value: Any) -> None:
    """It is shown by its name or type, or else by its key."""
    (tool,) = view_of(am.History([], tools=[am.NativeTool("gemini", value)])).tools
    assert tool.name == "ls"


def test_each_result_goes_with_its_own_call() -> None:
    """Two calls of one id get the first and the second result."""
    view = view_of(am.History((CALL, CALL, RESULT, am.Msg.tool("4", tool_call_id="c1", **BARE))))
    results = [piece.result for turn in view.turns for piece in turn.pieces if isinstance(piece, Call)]
    assert [result and result.facts for result in results] == [("#3",), ("#4",)]


def test_results_of_servers_stand_with_their_calls() -> None:
    """A result in the message of its call is moved to the call, and its message isn't numbered twice."""
    call = am.ToolUseBlock("s1", "search", {}, kind="server")
    answer = am.ToolResultBlock("s1", "found", kind="server", status="error", error="gone", error_type="Lost")
    (turn,) = view_of(am.History((am.Msg("assistant", (call, am.TextBlock("so"), answer), **BARE),))).turns
    first, second = turn.pieces
    assert isinstance(first, Call)
    assert isinstance(second, Prose)
    assert first.result is not None
    assert (first.result.failed, first.result.status, first.result.facts) == (True, "error", ("Lost",))
    assert first.result.pieces[0] == Code(label="error", words=words("gone"))


def test_a_view_counts() -> None:
    """The head counts messages, results, days and usage; hidden fields of a message are counted with it."""
    spender = am.Msg.assistant(
        "x", id="m", created_at=datetime(2026, 1, 2, tzinfo=UTC), usage=am.Usage(input=2, output=3),
        metadata={"a": 1, "b": 2}, extras={"openai": {}}, embedding=(0.5,), finish_reason="length",
    )  # fmt: skip
    view = view_of(am.History((CALL, RESULT, spender), metadata={"k": 1}, id="h"), title="t")
    assert view.facts == ("3 messages", "1 tool result", "2026-01-02", "id h", "metadata 1")
    assert view.spent == ("2 in", "3 out")
    assert view.turns[-1].facts == (
        "finished by length", "2 in", "3 out", "embedding of 1 number", "metadata 2", "extras 1",
    )  # fmt: skip


def test_a_view_has_a_title() -> None:
    """The title is the requested one, else the id, else a word."""
    assert view_of(am.History(), title="a\x1b").title == "a\\x1b"
    assert view_of(am.History(id="h")).title == "h"
    assert view_of(am.History()).title == "Conversation"


def test_pictures_are_shown_by_their_bytes() -> None:
    """Only data that begins as a PNG, JPEG, GIF or WebP is a picture for browsers, whatever its media type."""
    png, svg = "iVBORw0KGgo=", "PHN2Zz48L3N2Zz4="
    blocks = [
        am.ImageBlock(am.Base64Source(png, "image/svg+xml")),
        am.ImageBlock(am.URLSource(f"data:image/png;base64,{png}")),
        am.ImageBlock(am.Base64Source(svg, "image/png")),
        am.ImageBlock(am.URLSource(f"data:image/svg+xml;base64,{svg}")),
        am.ImageBlock(am.Base64Source(png + '"onerror="', "image/png")),
        am.ImageBlock(am.Base64Source(png + "A" * 8_000_000, "image/png")),
    ]
    pieces = view_of(am.History((am.Msg("user", blocks, **BARE),))).turns[0].pieces
    pictures = [piece.picture for piece in pieces if isinstance(piece, Media)]
    assert pictures == [f"data:image/png;base64,{png}"] * 2 + [None] * 4


def test_a_block_of_others_shows_its_fields() -> None:
    """An unknown class of block shows its tag or name, and its own fields."""

    @attrs.frozen(kw_only=True)
    class Chart(am.BaseBlock):
        title: str

    (code,) = view_of(am.History((am.Msg("user", [Chart(title="Sales\x1b")], **BARE),))).turns[0].pieces
    assert code == Code(label="Chart", words=words("title: 'Sales\\x1b'"))


# -- the terminal
# ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [20, 60, 120])
@pytest.mark.parametrize("history", [grand_tour(), planted(grand_tour(), "x" * 500)], ids=["tour", "long words"])
def test_lines_fit(width: int, history: am.History) -> None:
    """No line is longer than the window's width, or than 100 characters."""
    lines = text(view_of(history), width=width).splitlines()
    assert max(map(len, lines)) <= min(width, 100)


def test_no_colours_where_none_are_wanted() -> None:
    """Without colours the text has no styles and no blanks at line ends; with them it is the same text."""
    view = view_of(grand_tour())
    plain, coloured = text(view), text(view, colours="truecolor")
    assert "\x1b" not in plain
    assert not re.search(r" $", plain, re.MULTILINE)
    assert STYLE.search(coloured)
    assert re.sub(r" +$", "", STYLE.sub("", coloured), flags=re.MULTILINE) == plain


@given(histories())
def test_any_history_can_be_shown(history: am.History) -> None:
    """Every history of the model has a text without control characters."""
    lines = text(view_of(history), width=60)
    assert visible(lines) == lines


def test_markdown_that_is_too_long_is_shown_as_it_is() -> None:
    """Beyond 50,000 characters markdown isn't parsed, and all of it is shown."""
    message = am.Msg.user("*a* " * 15_000, **BARE)
    assert unwrapped(shown(message)).count("*a*") == 15_000
    assert page(view_of(am.History((message,)))).count("*a*") == 15_000


@pytest.mark.parametrize("width", [20, 80])
def test_the_deepest_can_be_shown(width: int) -> None:
    """Blocks and JSON of the greatest depth have a text and a page, in a narrow window too."""
    block: am.Block = am.TextBlock("at the bottom")
    data: Any = "at the bottom"
    for _ in range(63):
        block = am.FileBlock(am.BlocksSource((block,)))
    for _ in range(127):
        data = [data]
    view = view_of(am.History((am.Msg("user", [block, am.DataBlock(data)], **BARE),)))
    assert len(re.findall("at the bottom", page(view))) == 2
    assert unwrapped(text(view, width=width)).count("atthebottom") == 2


def test_json_that_cannot_be_written_says_so() -> None:
    """A value too deep to be written as JSON, which a caller's own limits allow, is mentioned instead of shown."""
    data: Any = []
    for _ in range(300):
        data = [data]
    assert json_words(data, None).text.startswith("JSON that cannot be shown: ")


def test_markdown_keeps_lines_and_hides_nothing() -> None:
    """A line end stays one; definitions, pictures, HTML, languages and the URLs of links are shown."""
    source = "one\ntwo <b>x</b> <!-- no -->\n\n![alt](https://example.org/p.png)\n\n[ref]: https://example.org/r\n\n"
    lines = shown(am.Msg.user(source + "```python\npass\n```", **BARE))
    for part in ("  one\n", "  two <b>x</b> <!-- no -->", "!alt (https://example.org/p.png)", "[ref]: https", "python"):
        assert part in lines


CROWDED = {
    "quotes": "> " * 15 + "Z",
    "too many quotes": "> " * 40 + "Z",
    "lists": "".join(f"{'  ' * level}- Z\n" for level in range(12)),
    "too many lists": "".join(f"{'  ' * level}- Z\n" for level in range(50)),
    "columns": "|" + "Z|" * 40 + "\n|" + "-|" * 40 + "\n|" + "Z|" * 40,
    "a long word in a table": "|a|b|\n|-|-:|\n|" + "Z" * 200 + "|b|\n",
    "a long word in a heading": "# " + "Z" * 200,
    "a long word in a list": "- " + "Z" * 200,
    "long code": "```\n" + "Z" * 200 + "\n```",
    "a long link": "[Z](https://example.org/" + "Z" * 200 + ")",
    "cells beyond the columns": "|Z|\n|-|\n|Z|Z|\n",
    "cells beyond the columns of a quote": "> |Z|Z|\n> |-|-|\n> |Z|Z|\n> |Z|Z|Z\n",
    "a title": '[Z](https://example.org/ "Z")',
}


@pytest.mark.parametrize("width", [20, 60, 120])
@pytest.mark.parametrize("source", [pytest.param(source, id=name) for name, source in CROWDED.items()])
def test_nothing_is_hidden_for_want_of_room(source: str, width: int) -> None:
    """However narrow the window and deep the markdown, every word is there, on pages too, and no line is too long."""
    message = am.Msg.user(source, **BARE)
    lines = shown(message, width=width)
    assert lines.count("Z") == source.count("Z")
    assert max(map(len, lines.splitlines())) <= width
    assert page(view_of(am.History((message,)))).count("Z") == source.count("Z")


@pytest.mark.parametrize("table", ["|a|b|\n|-|-|\n|1|2|\n|3|\n|4|5|", "> a|b\n> -|-\n> 1|2", "|a|\n|-|\n|b \\| c|"])
def test_tables_are_drawn(table: str) -> None:
    """A table without rows of too many cells is a table."""
    assert "─" in shown(am.Msg.user(table, **BARE))
    assert "<table>" in page(view_of(am.History.of(table)))


def test_tables_are_aligned() -> None:
    """Columns of a table are aligned as in its second line."""
    message = am.Msg.user("|left|right|middle|\n|-|-:|:-:|\n|1|2|3|\n", **BARE)
    assert "\n  1          2     3\n" in shown(message)
    assert re.findall(r"<td(.*?)>", page(view_of(am.History((message,))))) == ["", ' class="right"', ' class="center"']
