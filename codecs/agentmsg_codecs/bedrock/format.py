"""The description of Bedrock's Converse: parts and usage.

A part is an object whose one key identifies it. Converse has cache points as separate parts; here a cache point is the
``cache`` of the previous block. Before reading, messages.py moves each point into the previous part.

Follows the Python package botocore 1.43.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    KEEP,
    Native,
    Parts,
    Unreadable,
    adopt,
    cells,
    is_list,
    is_mapping,
    is_marked,
    is_object,
    is_sequence,
    issuers,
    mark_of,
    marked,
    natives,
    object_at,
    spelling,
    text_at,
    tool_arguments,
)
from agentmsg.formats.forms import (
    Content,
    Described,
    Each,
    Form,
    Hatch,
    Input,
    Inside,
    Json,
    Key,
    Link,
    Nested,
    Text,
    Total,
    Whole,
    Words,
    Wrapped,
)
from agentmsg_codecs.bedrock.media import BYTES, DOCUMENT, media_hatch, read_bytes, texts_in, write_bytes
from agentmsg_codecs.bedrock.names import FAMILY, GUARD, HOSTED, IMAGES, ITEM, POINT, PROVIDER, SOUNDS, TTLS, VIDEOS

if TYPE_CHECKING:
    from collections.abc import Callable

_AT_CITED, _AT_REASONING, _AT_CALL = "citationsContent", "reasoningContent", "toolUse"
_CITATIONS: dict[str, Any] = {"absent": {}, "null": {"citations": None}, "[]": {"citations": []}}


# -- parts in spellings that frameworks write, and that say no more than the usual ones; marks of the blocks record them
# Strands and streams cut a cited text into pieces (``/cut``), and leave out its citations (``/uncited``). Reasoning may
# lack its inner object (``/flat``). The arguments of calls may be JSON text (``/text``), in one of the usual styles, or
# text that isn't JSON.


def _inside(part: Any, key: str) -> Any:
    """Return the object inside a part with a key, or None."""
    held = part.get(key) if is_object(part) else None
    return held if is_object(held) else None


# -- cited texts ------------------------------------------------------------------------------------------------------


def _texts(held: Any) -> list[str]:
    parts = held.get("content") if held is not None else None
    return texts_in(parts) if is_list(parts) else []


def _joined(part: Any) -> Any:
    held = _inside(part, _AT_CITED)
    texts = _texts(held)
    if len(texts) <= 1:
        return None
    return {**part, _AT_CITED: {**held, "content": [{"text": "".join(texts)}]}}, list(map(len, texts[:-1]))


def _cut(native: Any, lengths: Any) -> Any:
    held = _inside(native, _AT_CITED)
    texts = _texts(held)
    if len(texts) != 1 or not is_sequence(lengths) or not all(type(length) is int for length in lengths):
        return None
    ends = (*accumulate(lengths, initial=0), len(texts[0]))
    return {
        **native,
        _AT_CITED: {**held, "content": [{"text": texts[0][start:end]} for start, end in pairwise(ends)]},
    }


def _cited(part: Any) -> Any:
    held = _inside(part, _AT_CITED)
    texts = _texts(held)
    if len(texts) != 1 or held.keys() - {"content", "citations"} or held.get("citations"):
        return None
    how = next((how for how, said in _CITATIONS.items() if {"content": held["content"], **said} == held), None)
    rest = {key: value for key, value in part.items() if key != _AT_CITED}
    return None if how is None else ({"text": texts[0], **rest}, how)


def _uncited(native: Any, how: Any) -> Any:
    if type(how) is not str or how not in _CITATIONS or not is_object(native) or "text" not in native:
        return None
    rest = {key: value for key, value in native.items() if key != "text"}
    return {_AT_CITED: {"content": [{"text": native["text"]}], **thaw(_CITATIONS[how])}, **rest}


# -- reasoning, and arguments -----------------------------------------------------------------------------------------


def _nested(part: Any) -> Any:
    held = _inside(part, _AT_REASONING)
    return ({**part, _AT_REASONING: {"reasoningText": held}}, True) if held is not None and "text" in held else None


def _flat(native: Any, _: Any) -> Any:
    held = _inside(native, _AT_REASONING)
    return {**native, _AT_REASONING: held["reasoningText"]} if held is not None and "reasoningText" in held else None


def _parsed(part: Any) -> Any:
    held: Any = _inside(part, _AT_CALL) or {}
    text: Any = held.get("input")
    if type(text) is not str:
        return None
    found: tuple[Any, str] | None = spelling.styled(text) if text else ({}, "empty")
    if "raw_input" in tool_arguments.from_object({"_raw": text}):
        found = ({"_raw": text}, "raw")
    if found is None or not is_object(found[0]):
        return None
    return {**part, _AT_CALL: {**held, "input": found[0]}}, found[1]


def _unparsed(native: Any, style: Any) -> Any:
    held: Any = _inside(native, _AT_CALL) or {}
    args: Any = held.get("input")
    if not is_object(args) or type(style) is not str:
        return None
    if style in ("empty", "raw"):
        text: Any = args.get("_raw") if style == "raw" else ""
    else:
        text = spelling.dump_styled(args, style) if style in spelling.JSON_STYLES else None
    return None if text is None else {**native, _AT_CALL: {**held, "input": text}}


class _Parts(Parts):
    """Parts in the usual spelling, or in another."""

    other_spellings: ClassVar[Any] = {
        "cut": (_joined, _cut), "uncited": (_cited, _uncited), "flat": (_nested, _flat), "text": (_parsed, _unparsed),
    }  # fmt: skip


def _by_key(key: str, more: Callable[[Any], bool] | None = None) -> dict[str, Any]:
    """Return the arguments of a Form for parts with this key, whose value perhaps passes another test."""

    def fits(native: Native) -> bool:
        is_alone = key in native and len(native) == 1 + (POINT in native)
        return is_alone and (more is None or more(native[key]))

    return {"around": key, "fits": fits}


def only_object_at(native: Native, key: str) -> Native:
    """Return the object under a key that has no others beside it.

    Raises:
        Unreadable: if there is none, or another key.
    """
    if native.keys() != {key}:
        raise Unreadable
    return object_at(native, key)


# -- cache points -----------------------------------------------------------------------------------------------------


def _nearest_hint(value: am.CacheHint, _: Any) -> am.CacheHint:
    """Keep a hint of the schema, or one that was read; turn any other into one of the schema."""
    if mark_of(value, FAMILY, "/odd") is True or (value.kind == "ephemeral" and value.ttl in (None, *TTLS)):
        return value
    return value.evolve(kind="ephemeral", ttl=None if value.ttl is None else "1h")


def _is_other_hint(native: Native) -> bool:
    return native["type"] != "default" or native.get("ttl") not in (None, *TTLS)


HINT = Form("cache", am.CacheHint, None, (
    Key("type", "kind", Words({"default": "ephemeral"})), Key("ttl", "ttl", Text(), "may"),
), marks={"odd": _is_other_hint}, notes={"point": True})  # fmt: skip
CACHE = Key(POINT, "cache", Nested(("cache",)), "may", cell=_nearest_hint)


# -- reasoning --------------------------------------------------------------------------------------------------------


REASONING_KEYS = frozenset({"text", "signature"})


def _read_reasoning(native: Native) -> dict[str, Any]:
    held = native["reasoningContent"]
    if is_object(held) and held.keys() == {"redactedContent"}:
        redacted, kind = read_bytes(held["redactedContent"])
        return {"redacted": redacted, "notes": {issuers.MARK: PROVIDER, **({"/bytes": kind} if kind else {})}}
    said: Any = held.get("reasoningText") if is_object(held) and len(held) == 1 else None
    if not is_object(said) or type(said.get("text")) is not str:
        raise Unreadable
    value: Any = said.get("signature")
    if value is not None and type(value) is not str:
        raise Unreadable
    found: dict[str, Any] = {"thinking": said["text"], "extras": natives.rest_of(said, REASONING_KEYS, ITEM)}
    if value is not None:
        found["signature"] = am.Signature(PROVIDER, value)
    elif "signature" in said:
        found["notes"] = {"/signature": "null"}
    return found


def _write_reasoning(block: am.ThinkingBlock) -> Native:
    if block.redacted is not None:
        return {"reasoningContent": {"redactedContent": write_bytes(block.redacted, block)}}
    said: Native = {"text": block.thinking}
    if block.signature is not None:
        said["signature"] = block.signature.value
    elif mark_of(block, FAMILY, "/signature") == "null":
        said["signature"] = None
    return {"reasoningContent": {"reasoningText": {**said, **natives.extras_copy(block, ITEM)}}}


_REASONING = Hatch(
    keys=("reasoningContent",),
    cells={"thinking": KEEP, "signature": KEEP, "redacted": cells.sealed_by(*HOSTED, family=FAMILY)},
    get=_read_reasoning,
    put=_write_reasoning,
    must=("reasoningContent",),
    schema={"reasoningContent": {"anyOf": [
        {"type": "object", "additionalProperties": False, "required": ["reasoningText"], "properties": {
            "reasoningText": {"type": "object", "required": ["text"], "properties": {
                "text": {"type": "string"}, "signature": {"type": ["string", "null"]},
            }},
        }},
        {"type": "object", "additionalProperties": False, "required": ["redactedContent"], "properties": {
            "redactedContent": BYTES,
        }},
    ]}},
    about="thinking, signature; redacted",
    spaces=(ITEM,),
)  # fmt: skip


# -- guarded and cited texts ------------------------------------------------------------------------------------------


def _read_guard(native: Native) -> dict[str, Any]:
    said = only_object_at(object_at(native, "guardContent"), "text")
    rest = {key: value for key, value in said.items() if key != "text"}
    return {"text": text_at(said, "text"), "extras": {GUARD: adopt({"text": rest})}}


def _write_guard(block: am.TextBlock) -> Native:
    return {"guardContent": {"text": {**thaw(block.extras[GUARD])["text"], "text": block.text}}}


CITED_KEYS = frozenset({"content", "citations"})
CITED_PLACES = frozenset({None, "documentChar", "documentPage", "documentChunk", "searchResultLocation", "web"})
_SPANS = {"documentChar": ("start", "end"), "documentPage": ("start", "end"), "documentChunk": ("start", "end")}


def read_citation(native: Any) -> am.Citation:
    """Read a citation if all of it is known; extras hold its place in a document."""
    if not is_object(native):
        raise Unreadable
    rest: Native = {key: value for key, value in native.items() if key not in ("title", "sourceContent", "location")}
    fields: dict[str, Any] = {"title": native.get("title")}
    notes: Native = {}
    cited: Any = native.get("sourceContent")
    if is_list(cited) and len(cited) == 1 and is_object(cited[0]) and cited[0].keys() == {"text"}:
        fields["cited_text"] = cited[0]["text"]
    elif "sourceContent" in native:
        rest["sourceContent"] = cited
    place: Any = native.get("location")
    if is_object(place) and len(place) == 1:
        ((kind, where),) = place.items()
        if not is_object(where):
            raise Unreadable
        keys = _SPANS.get(kind, ("url",) if kind == "web" else ())
        fields |= {"kind": kind, **{key: where[key] for key in keys if key in where}}
        inner = {key: value for key, value in where.items() if key not in keys}
        rest |= {"/location": inner} if inner else {}
    elif place == {} and is_object(place):
        notes = {FAMILY: {"/nowhere": True}}
    elif "location" in native:
        raise Unreadable
    wanted = {"title": str, "cited_text": str, "url": str, "start": int, "end": int}
    if any(key in fields and fields[key] is not None and type(fields[key]) is not kind for key, kind in wanted.items()):
        raise Unreadable
    citation = am.Citation(**fields, extras=adopt({FAMILY: rest}) if rest else {}, notes=notes)
    if citation.kind not in CITED_PLACES:
        citation = marked(citation, FAMILY, odd=True)
    if write_citation(citation) != native:
        raise Unreadable
    return citation


def write_citation(citation: am.Citation) -> Native:
    """Write a citation."""
    rest: Native = natives.extras_copy(citation, FAMILY)
    inner = rest.pop("/location", {})
    native: Native = {} if citation.title is None else {"title": citation.title}
    if citation.cited_text is not None:
        native["sourceContent"] = [{"text": citation.cited_text}]
    if citation.kind is not None:
        told = {"start": citation.start, "end": citation.end} if citation.kind in _SPANS else {"url": citation.url}
        said = {key: value for key, value in told.items() if value is not None}
        native["location"] = {citation.kind: {**(inner if is_object(inner) else {}), **said}}
    elif is_marked(citation, FAMILY, "/nowhere"):
        native["location"] = {}
    return {**native, **rest}


def _read_cited(native: Native) -> dict[str, Any]:
    held = native["citationsContent"]
    if not is_object(held) or not is_list(held.get("citations")) or not held["citations"]:
        raise Unreadable
    parts: Any = held.get("content", ())
    found: dict[str, Any] = {
        "citations": tuple(map(read_citation, held["citations"])),
        "extras": natives.rest_of(held, CITED_KEYS, ITEM),
    }
    if parts in ((), []):
        # In streams, citations come without the text that they support.
        found |= {"text": "", "notes": {"/said": "[]" if "content" in held else "absent"}}
    elif is_list(parts) and len(parts) == 1 and is_object(parts[0]) and parts[0].keys() == {"text"}:
        found["text"] = parts[0]["text"]
    if type(found.get("text")) is not str:
        raise Unreadable
    return found


def _write_cited(block: am.TextBlock) -> Native:
    said: Native = {"content": [{"text": block.text}], "citations": list(map(write_citation, block.citations))}
    if not block.text and block.notes and (noted := mark_of(block, FAMILY, "/said")) in ("absent", "[]"):
        said = {**({} if noted == "absent" else {"content": []}), "citations": said["citations"]}
    return {"citationsContent": {**said, **natives.extras_copy(block, ITEM)}}


_CITED = Hatch(
    keys=("citationsContent",), cells={"text": KEEP, "citations": KEEP}, get=_read_cited, put=_write_cited,
    must=("citationsContent",), spaces=(ITEM,), about="text, citations",
)  # fmt: skip
_GUARDED = Hatch(
    keys=("guardContent",), cells={"text": KEEP}, get=_read_guard, put=_write_guard, must=("guardContent",),
    spaces=(GUARD,), about="text",
)  # fmt: skip


def is_guarded(block: Any, key: str = "text") -> bool:
    """Whether a guardrail checks a text, or an image."""
    own: Any = block.extras.get(GUARD) if block.extras else None
    return is_mapping(own) and is_mapping(own.get(key))


def is_guarded_image(block: Any) -> bool:
    """Whether a guardrail checks an image."""
    return is_guarded(block, "image")


def _read_guarded_image(native: Native) -> dict[str, Any]:
    held = object_at(native, "guardContent")
    only_object_at(held, "image")
    found = _IMAGE.get(held)
    return {**found, "extras": {GUARD: adopt({"image": found["extras"].get(ITEM, {})})}}


def _write_guarded_image(block: am.ImageBlock) -> Native:
    (held,) = _IMAGE.put(block).values()
    return {"guardContent": {"image": {**thaw(block.extras[GUARD])["image"], **held}}}


_IMAGE = media_hatch("image", IMAGES)
_GUARDED_IMAGE = Hatch(
    keys=("guardContent",), cells={"source": KEEP}, get=_read_guarded_image, put=_write_guarded_image,
    must=("guardContent",), spaces=(GUARD,), about="source", schema={"guardContent": {
        "type": "object", "required": ["image"], "additionalProperties": False, "properties": _IMAGE.schema,
    }},
)  # fmt: skip


# -- search results ---------------------------------------------------------------------------------------------------

RESULT_KEYS = frozenset({"source", "title", "content"})


def is_search_result(block: Any) -> bool:
    """Whether a document is a search result: texts with a name and a title."""
    source = block.source
    if type(source) is not am.BlocksSource or block.name is None or block.title is None or block.context is not None:
        return False
    return all(type(item) is am.TextBlock for item in source.content)


# -- forms ------------------------------------------------------------------------------------------------------------


def _has_image(held: Any) -> bool:
    return is_object(held) and "image" in held


def _is_server(held: Any) -> bool:
    return is_object(held) and held.get("type") == "server_tool_use"


def _has_no_points(held: Any) -> bool:
    """Whether no part of a result has a cache point: the schema allows none inside results."""
    parts: Any = held.get("content") if is_object(held) else None
    return not is_list(parts) or not any(is_object(part) and POINT in part for part in parts)


_CALL = (Key("toolUseId", "id", Link()), Key("name", "name", Text()), Key("input", "input", Input(), "{}"))
_KIND = Key("type", "kind", Words({"server_tool_use": "server"}, is_closed=True))
_RESULT = (
    Key("toolUseId", "tool_call_id", Link()),
    Key("content", "content", Content("inner", is_strict=True)),
    Key("status", "status", Words({"success": "success", "error": "error"}, is_closed=True), "may"),
)
PARTS = (
    HINT,
    Form("text", am.TextBlock, None, (Key("text", "text", Text()), CACHE), **_by_key("text"),
         when=lambda block: not block.citations and not is_guarded(block)),
    Form("guard", am.TextBlock, None, (_GUARDED, CACHE),
         **_by_key("guardContent", lambda held: not _has_image(held)), when=is_guarded),
    Form("cited", am.TextBlock, None, (_CITED, CACHE), **_by_key("citationsContent"),
         when=lambda block: bool(block.citations) and not is_guarded(block)),
    Form("json", am.DataBlock, None, (Key("json", "data", Json()),), **_by_key("json")),
    Form("image", am.ImageBlock, None, (_IMAGE, CACHE), **_by_key("image"),
         when=lambda block: not is_guarded_image(block)),
    Form("guarded_image", am.ImageBlock, None, (_GUARDED_IMAGE, CACHE), **_by_key("guardContent", _has_image),
         when=is_guarded_image),
    Form("audio", am.AudioBlock, None, (media_hatch("audio", SOUNDS), CACHE), **_by_key("audio")),
    Form("video", am.VideoBlock, None, (media_hatch("video", VIDEOS), CACHE), **_by_key("video")),
    Form("document", am.FileBlock, None, (DOCUMENT, CACHE), **_by_key("document"),
         when=lambda block: not is_search_result(block)),
    Form("search_result", am.FileBlock, None, (Inside("searchResult", (
        Key("source", "name", Text()), Key("title", "title", Text()),
        Key("content", "source", Wrapped(am.BlocksSource, "content", of=Each(Nested(("said",))))),
    ), space=ITEM), CACHE), **_by_key("searchResult"), when=is_search_result, about="made of texts"),
    Form("said", am.TextBlock, None, (Key("text", "text", Text()),), **_by_key("text")),
    Form("reasoning", am.ThinkingBlock, None, (_REASONING, CACHE), **_by_key("reasoningContent")),
    Form("call", am.ToolUseBlock, None, (Inside("toolUse", _CALL, space=ITEM), CACHE),
         **_by_key("toolUse", lambda held: not _is_server(held))),
    Form("server_call", am.ToolUseBlock, None, (Inside("toolUse", (*_CALL, _KIND), space=ITEM), CACHE),
         **_by_key("toolUse", _is_server), fixed={"provider": PROVIDER}, when=lambda block: block.kind == "server"),
    Form("server_result", am.ToolResultBlock, None, (Inside("toolResult", _RESULT, space=ITEM), CACHE),
         **_by_key("toolResult", _has_no_points), fixed={"kind": "server", "provider": PROVIDER}),
    Form("result", am.ToolResultBlock, None, (Inside("toolResult", _RESULT, space=ITEM), CACHE),
         **_by_key("toolResult", _has_no_points), is_apart=True),
)  # fmt: skip
_INNER = ("text", "json", "image", "video", "document", "search_result")
_USER = ("text", "guard", "image", "guarded_image", "audio", "video", "document", "search_result")
PLACES = {
    "system": ("text", "guard"),
    "user": _USER,
    "assistant": (*_USER, "cited", "reasoning", "call", "server_call", "server_result"),
    "inner": _INNER,
}
_REQUIRED = ("inputTokens", "outputTokens", "totalTokens")


def _is_partial(native: Native) -> bool:
    """Whether usage lacks a count that the schema requires."""
    return any(native.get(key) is None for key in _REQUIRED)


USAGE = Form("usage", am.Usage, None, (
    Key("inputTokens", "input", Total(0, beside=("cache_read", "cache_write")), "may"),
    Key("cacheReadInputTokens", "cache_read", Whole(0), "may"),
    Key("cacheWriteInputTokens", "cache_write", Whole(0), "may"),
    Key("outputTokens", "output", Whole(0), "may"),
    Key("totalTokens", "total", Whole(0), "may"),
), marks={"partial": _is_partial})  # fmt: skip


def describe() -> Described:
    """Return the description."""
    return Described(FAMILY, PARTS, PLACES, table=_Parts)
