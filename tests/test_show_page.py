"""The HTML page: whatever a history holds, only our own elements, attributes and URLs are on it."""

from __future__ import annotations

import base64
import importlib
import re
import sys
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given

import agentmsg as am
from agentmsg.show import Lengths, view_of
from agentmsg.show.page import page
from agentmsg.show.visible_text import visible
from agentmsg.testing import histories
from support.grand_tour import grand_tour
from support.planted import planted

if TYPE_CHECKING:
    from collections.abc import Iterator

# Without types of its own.
html5lib: Any = importlib.import_module("html5lib")

BARE: dict[str, Any] = {"id": None, "created_at": None}
PNG = "iVBORw0KGgo="
# The output of our templates and our markdown; ids and classes are ours too, see CLASSES.
ELEMENTS: dict[str, set[str]] = {
    "html": {"lang"},
    "head": set(),
    "meta": {"charset", "http-equiv", "content", "name"},
    "title": set(),
    "style": set(),
    "body": {"class"},
    "header": {"class"},
    "main": set(),
    "article": {"class", "id", "aria-label"},
    "section": {"class", "lang", "aria-label"},
    "div": {"class", "dir"},
    "figure": {"class"},
    "figcaption": set(),
    "img": {"src", "alt"},
    "details": {"class", "open"},
    "summary": set(),
    "time": {"datetime"},
    "a": {"href", "rel", "title", "aria-label"},
    "p": {"class", "dir"},
    "span": {"class"},
    "q": set(),
    "code": {"class", "data-language"},
    "pre": {"dir", "tabindex"},
    "ul": {"class"},
    "ol": {"class", "start", "aria-label"},
    "li": {"dir"},
    "h1": {"class", "dir"},
    "h2": {"class"},
    "th": {"class", "scope"},
    "td": {"class", "dir"},
    "h3": set(), "h4": set(), "h5": set(), "h6": set(), "br": set(), "hr": set(), "em": set(), "strong": set(),
    "s": set(), "blockquote": set(), "table": {"class"}, "thead": set(), "tbody": set(), "tr": {"class"},
}  # fmt: skip
CLASSES = {
    "agentmsg", "call", "called", "center", "cited", "code", "facts", "failed", "fold", "head", "id", "label",
    "labelled", "left", "level-annotation", "level-content", "level-setting", "losses", "media", "name",
    "offered", "place", "prose", "result", "right", "role", "said",
    "small", "status", "text", "thought", "title", "tool", "tools", "turn", "url", "voice-assistant", "voice-other",
    "voice-system", "voice-tool", "voice-user", "who",
}  # fmt: skip
HREF = re.compile(r"#m[1-9][0-9]*|(?i:https?://|mailto:)[^\s\"'<>\\]+")
SRC = re.compile(r"data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*")

INJECTIONS = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'><svg/onload=alert(1)>",
    "<svg><script xlink:href=data:,alert(1)></script></svg>",
    "]]>",
    "<![CDATA[<b>",
    "<!--",
    "--><script>alert(1)</script>",
    "&",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#x3C;script&#x3E;alert(1)&#60;/script&#62;",
    '" onmouseover="alert(1)',
    "' autofocus onfocus='alert(1)",
    "` onclick=`alert(1)",
    "</style><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</pre></code></details></article><script>alert(1)</script>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<base href=//evil.example/>",
    "<meta http-equiv=refresh content=0;url=//evil.example>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<form action=//evil.example><input autofocus>",
    "<math><mi//xlink:href='data:x,<script>alert(1)</script>'>",
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    "<template><script>alert(1)</script></template>",
    "<details open ontoggle=alert(1)>",
    "<a href='jav&#x09;ascript:alert(1)'>x</a>",
    "+ADw-script+AD4-alert(1)+ADw-/script+AD4-",
    "{{ 7 * 7 }}{% raw %}${7*7}#{7*7}<%= 7*7 %>",
    "}</style>body{background:url(//evil.example)}",
    "</body></html><h1>",
    "[x](javascript:alert(1)) [y](<data:text/html,<script>alert(1)</script>>)",
    "![x](https://evil.example/x.png) ![y](data:image/svg+xml;base64,PHN2Zz4=)",
    '<https://example.org/"onclick=alert(1)>',
    "[x](https://example.org/ 'a\" onclick=\"alert(1)')",
    "[x](https://example.org/\"onclick='alert(1)')",
    '```html" onload="alert(1)\n</code></pre><script>alert(1)</script>\n```',
    "[a]: javascript:alert(1)\n\n[a]",
    "# <b onclick=alert(1)>x</b>\n\n| <i> | b |\n| :-: | --: |\n| <script> | x |\n\n1. a\n\n9) <u>\n",
    'https://example.org/"><script>alert(1)</script>',
]
URLS = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "\x01javascript:alert(1)",
    " javascript:alert(1)",
    "\tjavascript:alert(1)",
    "java\nscript:alert(1)",
    "java\x00script:alert(1)",
    "javascript://https://example.org/%0aalert(1)",
    "data:text/html,<script>alert(1)</script>",
    "data:text/html;base64,PHNjcmlwdD4=",
    "DATA:text/html;charset=utf-8;base64,PHNjcmlwdD4=",
    "data:image/svg+xml;base64,PHN2Zz48L3N2Zz4=",
    "data:image/svg+xml,<svg onload=alert(1)>",
    "vbscript:msgbox(1)",
    "VBScript:msgbox(1)",
    "\x0bvbscript:msgbox(1)",
    "file:///etc/passwd",
    "//evil.example/x",
    "\\\\evil.example\\x",
    "https:\\\\evil.example",
    "https://good.example\u202e@evil.example",
    "blob:https://example.org/1",
    "ftp://example.org/",
    "about:blank",
    "",
]


def parsed(html: str, *, whole: bool = True) -> Any:
    """Return the tree of a page or of a part of one; a mistake in it is an error."""
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    return parser.parse(html) if whole else parser.parseFragment(html)


def elements(tree: Any) -> Iterator[Any]:
    """Yield the named elements of a tree: a comment has a function instead of a name."""
    return (element for element in tree.iter() if element.tag != "DOCUMENT_FRAGMENT")


def check(tree: Any) -> None:
    """Check that a tree holds only our own elements, attributes, classes, ids and safe URLs."""
    for element in elements(tree):
        assert element.tag in ELEMENTS
        assert set(element.attrib) <= ELEMENTS[element.tag]
        assert set(element.get("class", "").split()) <= CLASSES
        assert re.fullmatch(r"m[1-9][0-9]*", element.get("id", "m1"))
        assert HREF.fullmatch(element.get("href", "#m1"))
        assert SRC.fullmatch(element.get("src", f"data:image/png;base64,{PNG}"))
        if not element.get("href", "#").startswith("#"):
            assert element.get("rel") == "noopener noreferrer"
        if element.tag == "pre":
            assert {"dir": "auto", "tabindex": "0"}.items() >= element.attrib.items()


def said(tree: Any) -> str:
    """Return the text of a page, without that of its style."""
    for style in list(tree.iter("style")):
        style.text = ""
    return "".join(tree.itertext())


@pytest.mark.parametrize("seed", INJECTIONS, ids=lambda seed: f"F3 {ascii(seed)[1:40]}")
def test_nothing_is_injected(seed: str) -> None:
    """F3: planted in every field, a text that looks like HTML makes no element, attribute or URL; it is shown."""
    history = planted(grand_tour(), seed)
    tree = parsed(page(view_of(history, title=seed)))
    check(tree)
    assert tree.find("head/title").text == seed
    roles = [element.text for element in tree.iter("h2")]
    assert roles
    assert set(roles) == {seed}
    assert [element.text for element in tree.iter("code") if element.get("class") == "tool"].count(seed) > 10
    table = parsed(str(am.convert(am.encode(history, "json"), "json", "openai")._repr_html_()), whole=False)
    check(table)
    assert said(table).count(seed) > 10


@pytest.mark.parametrize("url", URLS, ids=lambda url: f"F4 {ascii(url)[1:-1]}")
def test_urls_are_text(url: str) -> None:
    """F4: a URL outside web and mail is shown as text in every place, and is never followed."""
    blocks = [
        am.ImageBlock(am.URLSource(url)),
        am.FileBlock(am.URLSource(url), name="file"),
        am.SourceBlock(url),
        am.SourceBlock(url, title="title"),
        am.TextBlock("cited", citations=[am.Citation(url), am.Citation(url, "title")]),
        am.TextBlock(f"[link]({url}) ![picture]({url}) [link](<{url}>) <{url}>\n\n[ref]: {url}\n\n[ref]"),
    ]
    tree = parsed(page(view_of(am.History((am.Msg("user", blocks, **BARE),)))))
    check(tree)
    assert not list(tree.iter("img"))
    assert {link.get("href") for link in tree.iter("a")} <= {"#m1", None}
    assert said(tree).count(visible(url)) >= 6


def test_links_may_be_followed() -> None:
    """A URL of web or mail is a link without a referrer."""
    blocks = [
        am.ImageBlock.from_url("https://example.org/a.png"),
        am.SourceBlock("http://example.org/", title="T"),
        am.TextBlock(
            "[m](mailto:a@example.org) <https://example.org/b>", citations=[am.Citation("https://c.example/")]
        ),
    ]
    tree = parsed(page(view_of(am.History((am.Msg("user", blocks, **BARE),)))))
    check(tree)
    links = [link.get("href") for link in tree.iter("a")]
    assert links == [
        "#m1", "https://example.org/a.png", "http://example.org/", "mailto:a@example.org", "https://example.org/b",
        "https://c.example/",
    ]  # fmt: skip


@given(histories())
def test_any_history_has_a_page(history: am.History) -> None:
    """Every history of the model has a page that a strict parser reads, with only our own elements on it."""
    check(parsed(page(view_of(history, lengths=Lengths(text=100, detail=100)))))


def test_a_page_needs_nothing() -> None:
    """A page forbids every fetch and script, has its style in itself, and declares its language and viewport."""
    tree = parsed(page(view_of(grand_tour(), title="Tour")))
    meta = {element.get("http-equiv") or element.get("name"): element.get("content") for element in tree.iter("meta")}
    assert meta["Content-Security-Policy"] == "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    assert meta["viewport"] == "width=device-width, initial-scale=1"
    assert tree.get("lang") == "en"
    style = "".join(element.text for element in tree.iter("style"))
    assert "url(" not in style
    assert "@import" not in style
    for media in ("(prefers-color-scheme: dark)", "print", "(max-width: 640px)"):
        assert f"@media {media}" in style


def test_a_page_has_an_outline() -> None:
    """A page has one first heading, one for each message, and the headings of texts below those; and landmarks."""
    heading = am.Msg.user("# one\n\n###### six", **BARE)
    tree = parsed(page(view_of(am.History((heading, heading)))))
    tags = [element.tag for element in elements(tree) if re.fullmatch("h[1-6]", element.tag)]
    assert tags == ["h1", "h2", "h3", "h6", "h2", "h3", "h6"]
    assert len(list(tree.iter("main"))) == 1
    assert [element.get("aria-label") for element in tree.iter("article")] == ["user, message 1", "user, message 2"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_is_enough(scheme: str) -> None:
    """Every text colour has a contrast of at least 4.5 to both backgrounds, as WCAG 2 AA requires."""
    style = page(view_of(am.History()))
    grounds, colours = _palette(style, 0 if scheme == "light" else 1)
    assert len(grounds) == 2
    assert len(colours) == 9
    for name, colour in colours.items():
        assert min(_contrast(colour, ground) for ground in grounds) >= 4.5, name


def _palette(style: str, index: int) -> tuple[list[str], dict[str, str]]:
    lines = [line for line in style.splitlines() if "--paper: #" in line and "--link" in line]
    following = [line for line in style.splitlines() if "--system: #" in line]
    colours = dict(re.findall(r"--(\w+): #([0-9a-f]{6})", lines[index] + following[index]))
    del colours["line"]
    return [colours.pop("paper"), colours.pop("raised")], colours


def _contrast(one: str, two: str) -> float:
    lighter, darker = sorted((_luminance(one), _luminance(two)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[start : start + 2], 16) / 255 for start in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_pictures_are_in_the_page() -> None:
    """A picture that browsers may show is in the page itself; any other is a line."""
    blocks = [
        am.ImageBlock(am.Base64Source(PNG, "image/png")),
        am.ImageBlock(am.Base64Source(base64.b64encode(b"<svg onload='alert(1)'/>").decode(), "image/svg+xml")),
    ]
    tree = parsed(page(view_of(am.History((am.Msg("user", blocks, **BARE),)))))
    check(tree)
    assert [image.get("src") for image in tree.iter("img")] == [f"data:image/png;base64,{PNG}"]
    assert "image/svg+xml" in said(tree)


def test_long_parts_are_folded() -> None:
    """Thinking is folded, and so is a long result; a short one and a failure are open."""
    messages = [
        am.Msg("assistant", [am.ThinkingBlock("hm")], **BARE),
        am.Msg.tool("short", tool_call_id="1", **BARE),
        am.Msg.tool("long " * 200, tool_call_id="2", **BARE),
        am.Msg.tool("bad " * 200, tool_call_id="3", error="bad", **BARE),
    ]
    tree = parsed(page(view_of(am.History(messages))))
    assert ["open" in fold.attrib for fold in tree.iter("details")] == [False, True, False, True]


def test_a_text_is_shown_letter_by_letter() -> None:
    """A tool's text keeps every blank and line end, leading ones too; other text keeps its line ends."""
    given_text = "\n\n  a\tb  \n\n c\n"
    tree = parsed(page(view_of(am.History((am.Msg.tool(given_text, tool_call_id="c", **BARE),)))))
    assert ["".join(element.itertext()) for element in tree.iter("pre")] == [given_text]
    tree = parsed(page(view_of(am.History((am.Msg.user("one\ntwo", **BARE),)))))
    assert len(list(tree.iter("br"))) == 1


def test_notebooks_show_the_same() -> None:
    """Notebooks show a part of a page, without ids, headings and landmarks."""
    history = grand_tour()
    converted = am.convert(am.encode(history, "json"), "json", "anthropic")
    for shown in (history, history[-1], converted, converted.losses, converted.losses[:0]):
        html = shown._repr_html_()
        assert html is not None
        tree = parsed(html, whole=False)
        check(tree)
        tags = {element.tag for element in elements(tree)}
        assert not tags & {"html", "head", "body", "main", "h1", "h2"}
        assert not [element for element in elements(tree) if "id" in element.attrib]


def test_notebooks_show_a_message_as_a_message() -> None:
    """A single message is shown alone, without conversation, count and number around it."""
    message = am.Msg.user("hello", **BARE)
    alone, among = (parsed(str(shown._repr_html_()), whole=False) for shown in (message, am.History([message])))
    assert said(alone).split() == ["user", "hello"]
    assert said(among).split() == ["Conversation", "1", "message", "user", "#1", "hello"]


def test_notebooks_show_what_was_lost() -> None:
    """Losses have a table: a row for each, content first, foreign text as text; of many the first."""
    evil = "<script>alert(1)</script>"
    history = am.History([am.Msg("user", [am.ThinkingBlock(evil)], name=evil, **BARE), am.Msg.user("x", **BARE)])
    converted = am.convert(am.dumps(history, "json"), "json", "openai")
    tree = parsed(str(converted.losses._repr_html_()), whole=False)
    rows = [["".join(cell.itertext()) for cell in row] for row in elements(tree) if row.tag == "tr"]
    told = [[loss.level, "/".join(map(str, loss.path))] for loss in converted.losses]
    assert [row[:2] for row in rows] == [["level", "where"], *sorted(told, key=lambda row: row[0] != "content")]
    assert rows[1][0] == "content"
    assert evil in rows[1][3]
    (document,) = parsed(str(converted._repr_html_()), whole=False).iter("pre")
    assert orjson.loads("".join(document.itertext())) == orjson.loads(converted.document)
    assert "bytes, not JSON" in str(am.convert(history.to_json(), "json", "msgpack")._repr_html_())
    many = am.Losses([*converted.losses[:1]] * 300, codec="openai")
    assert "100 more" in str(many._repr_html_())


def test_notebooks_do_without(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a package for drawing there is no HTML, and notebooks show the repr; other errors are raised."""
    for name in ("jinja2", "markdown_it"):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, name, None)
            patch.delitem(sys.modules, "agentmsg.show.page", raising=False)
            patch.delitem(sys.modules, "agentmsg.show.markdown", raising=False)
            assert grand_tour()._repr_html_() is None
    monkeypatch.setitem(sys.modules, "agentmsg.show.page", None)
    with pytest.raises(ModuleNotFoundError):
        grand_tour()._repr_html_()


def test_templates_are_installed() -> None:
    """The templates are files of the package."""
    names = {entry.name for entry in files("agentmsg.show").joinpath("templates").iterdir()}
    assert {"page.html.j2", "fragment.html.j2", "conversation.html.j2", "pieces.html.j2"} <= names
    assert {"style.css.j2", "page.css.j2"} <= names
