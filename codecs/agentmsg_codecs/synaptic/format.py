"""The description: what content blocks and calls are in Synaptic's messages."""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import KEEP, Native, media, text_at, word_at
from agentmsg.formats.forms import Arguments, Described, Form, Hatch, Json, Key, Link, Text, Via
from agentmsg_codecs.synaptic.names import FAMILY


def read_source(url: str, media_type: str | None = None) -> Any:
    """Return the source of a URL: the data that a ``data:`` URL holds, or the reference."""
    held = media.read_data_url(url)
    if held is not None and media.data_url(held) == url and media_type in (None, held.media_type):
        return held
    return am.URLSource(url, media_type)


def write_url(source: Any) -> str:
    """Return the URL of a source."""
    return media.data_url(source) if isinstance(source, am.Base64Source) else source.url


def _read_url(url: Any) -> Any:
    return read_source(text_at({"url": url}, "url"))


def _read_file(native: Native) -> dict[str, Any]:
    media_type = word_at(native, "mime_type")
    source = read_source(text_at(native, "url"), media_type)
    if media_type is not None:
        return {"source": source}
    if "mime_type" in native:
        return {"source": source, "notes": {"mime_type": "null"}}
    return {"source": source, "notes": {"mime_type": "absent"} if source.media_type is not None else {}}


def _write_file(block: am.FileBlock) -> Native:
    source: Any = block.source
    typed = {} if source.media_type is None else {"mime_type": source.media_type}
    return {"url": write_url(source), **typed}


_URL = Key("url", "source", Via(_read_url, write_url, supports=KEEP))
_FILE = Hatch(
    keys=("url", "mime_type"),
    cells={"source": KEEP},
    get=_read_file,
    put=_write_file,
    must=("url",),
    schema={"url": {"type": "string"}, "mime_type": {"type": "string"}},
    about="source; its media type",
)
_ID = Key("id", "id", Link(), "may", lacks="no-id")

FORMS = (
    Form("text", am.TextBlock, "text", (Key("text", "text", Text()),)),
    Form("image", am.ImageBlock, "image", (_URL, Key("detail", "detail", Text(), "may"))),
    Form("audio", am.AudioBlock, "audio", (_URL,)),
    Form("video", am.VideoBlock, "video", (_URL,)),
    Form("file", am.FileBlock, "file", (_FILE,)),
    Form("data", am.DataBlock, "data", (Key("data", "data", Json()),)),
    Form("reasoning", am.ThinkingBlock, "reasoning", (Key("content", "thinking", Text()),)),
    Form("call", am.ToolUseBlock, None, (
        _ID, Key("name", "name", Text()), Key("arguments", "input", Json()),
    ), is_apart=True),
    Form("piece", am.ToolUseBlock, None, (
        Key("id", "id", Link(), "may"),
        Key("name", "name", Text(), "may", default=""),
        Key("arguments", "input", Arguments(), '""'),
    ), is_apart=True),
)  # fmt: skip
BLOCKS = ("text", "image", "audio", "video", "file", "data", "reasoning")

DESCRIBED = Described(FAMILY, [form for form in FORMS if form.is_apart], {})
"""The entries of calls, which no hook replaces."""


def described() -> Described:
    """Return the content blocks."""
    return Described(FAMILY, [form for form in FORMS if not form.is_apart], {"content": BLOCKS})
