"""The description: what blocks, sources and calls are in Arcaelas' messages.

The library has lists of blocks for users and tools. A list of texts elsewhere is read too: its blocks are marked
``/odd`` and written so again, and nothing else is. Calls have OpenAI's shape.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import adopt
from agentmsg.formats.forms import Arguments, Const, Described, Form, Inside, Key, Link, Nested, Text
from agentmsg_codecs.arcaelas.names import FAMILY, ITEM

if TYPE_CHECKING:
    from collections.abc import Mapping

_DATA = Form("base64", am.Base64Source, "base64", (
    Key("media_type", "media_type", Text(), "may", lacks="odd"), Key("data", "data", Text()),
))  # fmt: skip
_URL = Form("url", am.URLSource, "url", (Key("url", "url", Text()),))
_FILE = Form("file", am.FileSource, "file", (Key("file_id", "file_id", Text()),))
# The sources that each class of block may have.
_SOURCES: Mapping[type[Any], tuple[str, tuple[Form, ...]]] = {
    am.ImageBlock: ("image", (_DATA, _URL)),
    am.AudioBlock: ("audio", (_DATA,)),
    am.FileBlock: ("document", (_DATA, _URL, _FILE)),
}
SOURCES: Mapping[type[Any], frozenset[type[Any]]] = {
    cls: frozenset(form.cls for form in forms) for cls, (_, forms) in _SOURCES.items()
}
SOURCE_KEYS: Mapping[type[Any], frozenset[str]] = {form.cls: form.keys for form in (_DATA, _URL, _FILE)}
_CALL = Form("call", am.ToolUseBlock, None, (
    Key("id", "id", Link(), "may", lacks="no-id"),
    Const("type", "function"),
    Inside("function", (
        Key("name", "name", Text()), Key("arguments", "input", Arguments(is_any=True), '""'),
    ), space=ITEM),
), fits=lambda native: native.get("type", "function") == "function",
   schema=adopt({"properties": {"type": {"const": "function"}}}))  # fmt: skip
CALLS = Described(FAMILY, (_CALL,), {})
"""The entries of ``tool_calls``, which no hook replaces."""


def described() -> Described:
    """Return the forms of content; the place "words" is for roles whose content is a text."""
    media = [
        Form(tag, cls, tag, (Key("source", "source", Nested(tuple(form.name for form in sources))),))
        for cls, (tag, sources) in _SOURCES.items()
    ]
    text = Form("text", am.TextBlock, "text", (Key("text", "text", Text()),))
    places = {"everything": ("text", *(form.name for form in media)), "words": ("text",)}
    return Described(FAMILY, (_DATA, _URL, _FILE, text, *media), places, odd={"words": ("text",)})
