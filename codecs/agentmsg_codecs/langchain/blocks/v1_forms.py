"""Content blocks v1, the usual spelling: the forms of all but server results (see server_tools.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import EMPTY, KEEP, Native, is_list, is_object, maker, natives, text_at, word_at
from agentmsg.formats.forms import Form, Hatch, Key, Spread, Text
from agentmsg_codecs.langchain.blocks.citations import is_place, is_translated, read_citation, write_citation
from agentmsg_codecs.langchain.blocks.v1 import (
    CACHE,
    EXTRAS,
    ID,
    extras_hatch,
    nothing,
    read_extras,
    write_extras,
)
from agentmsg_codecs.langchain.blocks.v1_calls import CALLS
from agentmsg_codecs.langchain.names import ANTHROPIC, INNER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


# -- text, thinking, refusal ------------------------------------------------------------------------------------------


def are_own(citations: Any) -> bool:
    """Whether citations are Anthropic's, as it has them: these stand under a key of their own."""
    return bool(citations) and all(is_place(citation) and not is_translated(citation) for citation in citations)


def _citing(key: str, *, is_of_own: bool) -> Hatch:
    """Return the item of citations under a key; where they usually stand under the other, the text is marked."""

    def get(part: Native) -> Native:
        value = part[key]
        if not is_list(value) or not (value or is_of_own):
            return natives.unread(part, key)
        citations = tuple(map(read_citation, value))
        return {"citations": citations, **({} if are_own(citations) == is_of_own else {"notes": {"/shape": key}})}

    def put(block: Any) -> Native:
        return {key: list(map(write_citation, block.citations))} if block.citations or is_of_own else {}

    return Hatch(keys=(key,), cells={"citations": KEEP}, get=get, put=put, odd=(key,), is_optional=not is_of_own)


_TEXT = Key("text", "text", Text())
ANNOTATIONS = _citing("annotations", is_of_own=False)
THINKING = extras_hatch({"redacted": "redacted"}, owner=ANTHROPIC)
_WORDS = (
    Form("cited", am.TextBlock, "text", (_TEXT, _citing("citations", is_of_own=True), ID, CACHE, EXTRAS),
         fits=lambda part: is_list(part.get("citations")) and "annotations" not in part,
         when=lambda block: are_own(block.citations)),
    Form("text", am.TextBlock, "text", (_TEXT, ANNOTATIONS, ID, CACHE, EXTRAS)),
    Form("reasoning", am.ThinkingBlock, "reasoning", (
        Key("reasoning", "thinking", Text(), '""', default=""), ID, CACHE, THINKING,
    )),
    Form("refusal", am.RefusalBlock, "refusal", (Key("refusal", "refusal", Text()), ID, CACHE, EXTRAS)),
)  # fmt: skip


# -- media ------------------------------------------------------------------------------------------------------------

MEDIA: Mapping[str, type[Any]] = {
    "image": am.ImageBlock, "audio": am.AudioBlock, "video": am.VideoBlock, "file": am.FileBlock,
}  # fmt: skip
_NAMES: Mapping[str, Mapping[str, str]] = {
    "image": {"detail": "detail"},
    "audio": {"transcript": "transcript"},
    "video": {},
    "file": {"filename": "name", "title": "title", "context": "context"},
}
MIME = Key("mime_type", "media_type", Text(), "may")
BY_URL = Spread("source", am.URLSource, (Key("url", "url", Text()), MIME))
BY_DATA = Spread("source", am.Base64Source, (Key("base64", "data", Text()), MIME))
BY_FILE_ID = Spread("source", am.FileSource, (Key("file_id", "file_id", Text()), MIME))
GIVEN = ("url", "base64", "file_id")
_make_file_id = maker(am.FileSource)


def gives(wanted: str) -> Callable[[Native], bool]:
    """Return the test of parts that give what they show under this key alone."""
    others = tuple(key for key in GIVEN if key != wanted)

    def test(part: Native) -> bool:
        if part.get(wanted) is None or "source_type" in part or "source" in part:
            return False
        return len(part) == 2 or all(part.get(key) is None for key in others)  # noqa: PLR2004 - the tag and the key

    return test


def only(wanted: str) -> Native:
    """Return what the schema says of parts that give what they show under this key alone."""
    others = (*(key for key in GIVEN if key != wanted), "source_type", "source")
    return {"properties": {key: {"not": {}} for key in others}}


def is_from(cls: type[Any]) -> Callable[[Any], bool]:
    """Return the test of blocks with such a source."""
    return lambda block: type(block.source) is cls


def _of_file(names: Mapping[str, str]) -> tuple[Any, ...]:
    """Return the items of files at a provider, whose name stands in `extras`."""

    def get(part: Native) -> Native:
        media_type, found = word_at(part, "mime_type"), read_extras(part, {"provider": "provider", **names})
        source = _make_file_id(
            file_id=text_at(part, "file_id"), provider=found.pop("provider", None), media_type=media_type
        )
        nulls = {"mime_type": "null"} if media_type is None and "mime_type" in part else {}
        return {**found, "source": source, "notes": {**found.get("notes", EMPTY), **nulls}}

    def put(block: Any) -> Native:
        source = block.source
        part = {"file_id": source.file_id, "mime_type": source.media_type}
        if source.media_type is None:
            del part["mime_type"]
        return part

    def put_beside(block: Any) -> Native:
        provider = block.source.provider
        return write_extras(block, names, **({} if provider is None else {"provider": provider}))

    fields = ("source", "signature", "phase", "metadata", *names.values())
    cells = dict.fromkeys(fields, KEEP)
    file = Hatch(
        keys=("file_id", "mime_type", "extras"), cells=cells, get=get, put=put, odd=("extras",), spaces=(INNER,)
    )
    return (file, ID, CACHE, Hatch(keys=(), cells={}, get=nothing, put=put_beside))


def _media(tag: str) -> tuple[Form, ...]:
    cls, names = MEDIA[tag], _NAMES[tag]
    beside = (ID, CACHE, extras_hatch(names))
    return (
        Form(f"{tag}_by_url", cls, tag, (BY_URL, *beside), fits=gives("url"), schema=only("url"),
             when=is_from(am.URLSource)),
        Form(f"{tag}_by_data", cls, tag, (BY_DATA, *beside), fits=gives("base64"), schema=only("base64"),
             when=is_from(am.Base64Source)),
        Form(f"{tag}_by_id", cls, tag, _of_file(names), fits=gives("file_id"), schema=only("file_id"),
             when=is_from(am.FileSource)),
    )  # fmt: skip


def _is_plain_text(part: Native) -> bool:
    extras = part.get("extras")
    return part.keys().isdisjoint(GIVEN) and not (is_object(extras) and ("title" in extras or "context" in extras))


TITLES = (Key("title", "title", Text(), "may"), Key("context", "context", Text(), "may"))
_PLAIN_TEXT = Form("text_plain", am.FileBlock, "text-plain", (
    Spread("source", am.TextSource, (MIME, Key("text", "text", Text()))),
    *TITLES, ID, CACHE, extras_hatch({"filename": "name"}),
), fits=_is_plain_text, when=is_from(am.TextSource))  # fmt: skip

FORMS = (*_WORDS, _PLAIN_TEXT, *(form for tag in MEDIA for form in _media(tag)), *CALLS)
