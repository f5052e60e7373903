"""Media as LangChain for JavaScript writes them: v1 under its own keys; also v0 without its `source_type`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats.forms import Form, Key, Object, Spread, Text
from agentmsg_codecs.langchain.blocks.dialects import FILENAME
from agentmsg_codecs.langchain.blocks.v1 import CACHE, ID
from agentmsg_codecs.langchain.blocks.v1_forms import MEDIA

if TYPE_CHECKING:
    from agentmsg.formats import Native

# By key of the source, its class and field; with the key of the media type.
_KINDS = (
    ("data", "mime_type", am.Base64Source, "data"),
    ("data", "mimeType", am.Base64Source, "data"),
    ("url", "mimeType", am.URLSource, "url"),
    ("fileId", "mimeType", am.FileSource, "file_id"),
)


def _medium(tag: str, key: str, mime: str, cls: type[Any], field: str) -> Form:
    def fits(part: Native) -> bool:
        if "source_type" in part or key not in part:
            return False
        return "mimeType" not in part if mime == "mime_type" else mime in part or key == "fileId"

    shape = f"{key}-{mime}"
    source = Spread("source", cls, (Key(key, field, Text()), Key(mime, "media_type", Text(), "may")))
    names = (FILENAME,) if tag == "file" else ()
    metadata = Key("metadata", "metadata", Object(), "may", is_odd=True)
    return Form(f"{tag}_{key}_{mime}", MEDIA[tag], tag, (source, ID, CACHE, *names, metadata), notes={"shape": shape},
                fits=fits)  # fmt: skip


JAVASCRIPT = tuple(_medium(tag, *kind) for tag in MEDIA for kind in _KINDS)
