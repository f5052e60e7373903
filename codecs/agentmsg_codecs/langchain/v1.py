"""Content blocks v1, the canonical spelling: a reader and a writer for each class of block.

The readers are structure hooks and the writers unstructure hooks of a cattrs Converter (see ``make_converter``);
the dispatch tables of parts.py are filled from it. Imports the model and the words of the format.

A v1 block has `id`, `extras` and its own keys. What the model has a field for and v1 has no key for stands in
`extras`, under the field's name; the rest of `extras` is kept as ``block.extras["langchain.extras"]``, and unknown
keys beside it as ``block.extras["langchain"]``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import agentmsg as am
from agentmsg.codec import maker
from agentmsg.json_text import dump_json
from agentmsg.json_values import EMPTY, adopt

from agentmsg_codecs.langchain.words import FAMILY, INNER

__all__ = [
    "Unreadable",
    "cache_of",
    "call_input",
    "call_args",
    "claimed",
    "common_of",
    "error_first",
    "read_citation",
    "text_at",
    "v1_part",
    "word_at",
    "write_cache",
]

Part = dict[str, Any]
make_text = maker(am.TextBlock)
make_thinking = maker(am.ThinkingBlock)
make_call = maker(am.ToolUseBlock)
make_result = maker(am.ToolResultBlock)
make_refusal = maker(am.RefusalBlock)
make_citation = maker(am.Citation)
make_signature = maker(am.Signature)
make_cache = maker(am.CacheHint)
make_url = maker(am.URLSource)
make_base64 = maker(am.Base64Source)
make_file_id = maker(am.FileSource)
make_text_source = maker(am.TextSource)
MEDIA = {
    "image": maker(am.ImageBlock),
    "audio": maker(am.AudioBlock),
    "video": maker(am.VideoBlock),
    "file": maker(am.FileBlock),
}


class Unreadable(Exception):
    """A part is not of the shape that a reader knows; another reader may know it. Never leaves the codec."""


# -- what many parts share ------------------------------------------------------------------------------------------


def text_at(part: Part, key: str) -> str:
    """Return the text under a key that must have one."""
    value = part.get(key)
    if type(value) is not str:
        raise Unreadable
    return value


def word_at(part: Part, key: str) -> str | None:
    """Return the text under a key, or None where there is none or it is null."""
    value = part.get(key)
    if value is None or type(value) is str:
        return value
    raise Unreadable


def cache_of(part: Part) -> am.CacheHint | None:
    """Return the cache hint of a part; one of an odd shape stays a spelling."""
    hint = part.get("cache_control")
    if type(hint) is not dict or type(hint.get("type")) is not str:
        return None
    if len(hint) == 1:
        return make_cache(kind=hint["type"])
    if len(hint) == 2 and type(hint.get("ttl")) is str:  # noqa: PLR2004 - type and ttl
        return make_cache(kind=hint["type"], ttl=hint["ttl"])
    return None


def write_cache(hint: am.CacheHint) -> Part:
    """Return the native cache hint."""
    return {"type": hint.kind} if hint.ttl is None else {"type": hint.kind, "ttl": hint.ttl}


_COMMON = frozenset({"signature", "signature_provider", "phase", "metadata"})
_CALL = _COMMON | {"item_id", "provider", "status", "raw_input"}
_OWN: Mapping[type, frozenset[str]] = {
    am.ImageBlock: _COMMON | {"detail"},
    am.AudioBlock: _COMMON | {"transcript"},
    am.FileBlock: _COMMON | {"filename", "title", "context"},
    am.ThinkingBlock: _COMMON | {"redacted"},
    am.ToolUseBlock: _CALL,
    am.ToolResultBlock: _COMMON
    | {"name", "provider", "artifact", "error", "error_type", "structured", "content"},
}


def claimed(block: Any) -> frozenset[str]:
    """Return the keys of v1 `extras` that the model has a field for, in a block like this one."""
    own = _OWN.get(type(block), _COMMON)
    return own | {"provider"} if isinstance(getattr(block, "source", None), am.FileSource) else own


class _Extras:
    """The `extras` of a v1 part, taken apart: what the model has fields for, and the rest."""

    def __init__(self, part: Part) -> None:
        extras = part.get("extras")
        self.rest: Part = dict(extras) if type(extras) is dict else {}

    def text(self, key: str) -> str | None:
        """Take a text; anything else under a key of ours makes the part unreadable."""
        value = self.rest.pop(key, None)
        if value is not None and type(value) is not str:
            raise Unreadable
        return value

    def mapping(self, key: str) -> Any:
        """Take an object that is not empty."""
        if key not in self.rest:
            return EMPTY
        value = self.rest.pop(key)
        if type(value) is not dict or not value:
            raise Unreadable
        return adopt(value)

    def value(self, key: str) -> Any:
        """Take any value but null."""
        if key in self.rest and self.rest[key] is None:
            raise Unreadable
        return adopt(self.rest.pop(key, None))


def common_of(part: Part, extras: _Extras | None = None, *, id_key: str | None = "id") -> dict[str, Any]:
    """Return the fields that all blocks share, as far as a part states them.

    Args:
        part: the native part.
        extras: its `extras`, from which what belongs to the class has been taken; None for shapes without.
        id_key: where the item's id stands; None: in `extras`.
    """
    fields: dict[str, Any] = {}
    item_id = part.get(id_key) if id_key else None
    if type(item_id) is str:
        fields["item_id"] = item_id
    if "cache_control" in part:
        fields["cache"] = cache_of(part)
    if extras is None or not extras.rest:
        return fields
    signature, provider = extras.text("signature"), extras.text("signature_provider")
    if signature is not None:
        fields["signature"] = make_signature(provider=provider, value=signature)
    elif provider is not None:
        raise Unreadable
    phase = extras.text("phase")
    if phase is not None:
        fields["phase"] = phase
    metadata = extras.mapping("metadata")
    if metadata:
        fields["metadata"] = metadata
    if extras.rest:
        fields["extras"] = adopt({INNER: extras.rest})
    return fields


def v1_part(block: Any, part: Part, own: Part | None = None, *, id_key: str | None = "id") -> Part:
    """Complete a v1 part with what all blocks share; ``own`` are the class's entries in `extras`."""
    extras: Part = {} if own is None else own
    if block.signature is None and block.cache is None and not (block.extras or block.metadata):
        # The usual case: nothing but perhaps an id.
        if block.item_id is None and block.phase is None:
            if extras:
                part["extras"] = extras
            return part
    if block.item_id is not None:
        if id_key:
            part[id_key] = block.item_id
        else:
            extras["item_id"] = block.item_id
    if block.cache is not None:
        part["cache_control"] = write_cache(block.cache)
    if block.signature is not None:
        extras["signature"] = block.signature.value
        if block.signature.provider is not None:
            extras["signature_provider"] = block.signature.provider
    if block.phase is not None:
        extras["phase"] = block.phase
    if block.metadata:
        extras["metadata"] = block.metadata
    rest = block.extras.get(INNER) if block.extras else None
    if isinstance(rest, dict):
        extras = {**cast("Part", rest), **extras}
    if extras:
        part["extras"] = extras
    return part


# -- text, thinking, refusal ------------------------------------------------------------------------------------------

_CITATION = frozenset({"type", "url", "title", "cited_text", "start_index", "end_index"})


def read_citation(native: Any) -> am.Citation:
    """Return the citation of an annotation: v1, or OpenAI's, which has the same keys."""
    if type(native) is not dict:
        raise Unreadable
    part = cast("Part", native)
    kind = text_at(part, "type")
    start, end = part.get("start_index"), part.get("end_index")
    if not all(place is None or type(place) is int for place in (start, end)):
        raise Unreadable
    rest = {key: value for key, value in part.items() if key not in _CITATION}
    if any(value is None for key, value in part.items() if key in _CITATION):
        raise Unreadable
    return make_citation(
        url=word_at(part, "url"),
        title=word_at(part, "title"),
        cited_text=word_at(part, "cited_text"),
        start=start,
        end=end,
        kind=None if kind == "citation" else kind,
        extras=adopt({FAMILY: rest}) if rest else EMPTY,
    )


def _write_citation(citation: am.Citation) -> Part:
    native: Part = {"type": "citation" if citation.kind is None else citation.kind}
    for key, value in (
        ("url", citation.url),
        ("title", citation.title),
        ("cited_text", citation.cited_text),
        ("start_index", citation.start),
        ("end_index", citation.end),
    ):
        if value is not None:
            native[key] = value
    rest = citation.extras.get(FAMILY) if citation.extras else None
    return {**cast("Part", rest), **native} if isinstance(rest, dict) else native


def quick_text(part: Part) -> am.TextBlock | None:
    """Read text that has nothing but its words; None where it has more."""
    text = part.get("text")
    return make_text(text=text) if len(part) == 2 and type(text) is str else None  # noqa: PLR2004 - type and text


def read_text(part: Part, _: Any = None) -> am.TextBlock:
    """Read ``{"type": "text", "text", "annotations"}``."""
    citations = part.get("annotations")
    if citations is None:
        citations = ()
    elif type(citations) is not list:
        raise Unreadable
    extras = _Extras(part)
    return make_text(
        text=text_at(part, "text"), citations=tuple(map(read_citation, citations)), **common_of(part, extras)
    )


def write_text(block: am.TextBlock) -> Part:
    """Write a text block."""
    part: Part = {"type": "text", "text": block.text}
    if block.citations:
        part["annotations"] = [_write_citation(citation) for citation in block.citations]
    return v1_part(block, part)


def quick_reasoning(part: Part) -> am.ThinkingBlock | None:
    """Read thinking that has nothing but words and perhaps a signature; None where it has more."""
    thinking = part.get("reasoning")
    if type(thinking) is not str:
        return None
    if len(part) == 2:  # noqa: PLR2004 - type and reasoning
        return make_thinking(thinking=thinking)
    extras = part.get("extras")
    if len(part) != 3 or type(extras) is not dict or len(extras) != 1:  # noqa: PLR2004 - and extras
        return None
    value = extras.get("signature")
    if type(value) is not str:
        return None
    return make_thinking(thinking=thinking, signature=make_signature(provider=None, value=value))


def quick_media(part: Part) -> Any:
    """Read media that have nothing but a source; None where they have more."""
    media_type = part.get("mime_type")
    if len(part) == 3:  # noqa: PLR2004 - type, source, mime_type
        if type(media_type) is not str:
            return None
    elif len(part) != 2 or media_type is not None:  # noqa: PLR2004 - type, source
        return None
    data = part.get("base64")
    if type(data) is str:
        return MEDIA[part["type"]](source=make_base64(data=data, media_type=media_type))
    url = part.get("url")
    if type(url) is str:
        return MEDIA[part["type"]](source=make_url(url=url, media_type=media_type))
    return None


def read_reasoning(part: Part, _: Any = None) -> am.ThinkingBlock:
    """Read ``{"type": "reasoning", "reasoning"}``."""
    extras = _Extras(part)
    redacted = extras.text("redacted")
    return make_thinking(
        thinking=word_at(part, "reasoning") or "", redacted=redacted, **common_of(part, extras)
    )


def write_reasoning(block: am.ThinkingBlock) -> Part:
    """Write a thinking block; what only the provider can read goes into `extras`."""
    own = {} if block.redacted is None else {"redacted": block.redacted}
    return v1_part(block, {"type": "reasoning", "reasoning": block.thinking}, own)


def read_refusal(part: Part, _: Any = None) -> am.RefusalBlock:
    """Read ``{"type": "refusal", "refusal"}``."""
    return make_refusal(refusal=text_at(part, "refusal"), **common_of(part, _Extras(part)))


def write_refusal(block: am.RefusalBlock) -> Part:
    """Write a refusal."""
    return v1_part(block, {"type": "refusal", "refusal": block.refusal})


# -- media ------------------------------------------------------------------------------------------------------------

_GIVEN = ("url", "base64", "file_id")


def read_media(part: Part, _: Any = None) -> Any:
    """Read an image, audio, video or file given by url, base64 or file_id."""
    given = [key for key in _GIVEN if part.get(key) is not None]
    if len(given) != 1 or "source_type" in part or "source" in part:
        raise Unreadable
    tag, extras = part["type"], _Extras(part)
    value, media_type = text_at(part, given[0]), word_at(part, "mime_type")
    fields: Part = {}
    if given[0] == "url":
        source: Any = make_url(url=value, media_type=media_type)
    elif given[0] == "base64":
        source = make_base64(data=value, media_type=media_type)
    else:
        source = make_file_id(file_id=value, provider=extras.text("provider"), media_type=media_type)
    if tag == "image":
        fields["detail"] = extras.text("detail")
    elif tag == "audio":
        fields["transcript"] = extras.text("transcript")
    elif tag == "file":
        fields = {
            "name": extras.text("filename"),
            "title": extras.text("title"),
            "context": extras.text("context"),
        }
    return MEDIA[tag](source=source, **fields, **common_of(part, extras))


def media_writer(tag: str) -> Callable[[Any], Part]:
    """Return the writer of media blocks under a tag."""
    names = {
        "image": (("detail", "detail"),),
        "audio": (("transcript", "transcript"),),
        "file": (("name", "filename"), ("title", "title"), ("context", "context")),
    }.get(tag, ())

    def write(block: Any) -> Part:
        source = block.source
        if type(source) is am.TextSource:
            return _write_text_plain(block)
        part: Part = {"type": tag}
        own: Part = {}
        for name, key in names:
            value = getattr(block, name)
            if value is not None:
                own[key] = value
        if type(source) is am.URLSource:
            part["url"] = source.url
        elif type(source) is am.Base64Source:
            part["base64"] = source.data
        else:
            part["file_id"] = source.file_id
            if source.provider is not None:
                own["provider"] = source.provider
        if source.media_type is not None:
            part["mime_type"] = source.media_type
        return v1_part(block, part, own)

    return write


def read_text_plain(part: Part, _: Any = None) -> am.FileBlock:
    """Read ``{"type": "text-plain", "mime_type", "text", "title", "context"}``."""
    extras = _Extras(part)
    make: Any = MEDIA["file"]
    block: am.FileBlock = make(
        source=make_text_source(text=text_at(part, "text"), media_type=word_at(part, "mime_type")),
        name=extras.text("filename"),
        title=word_at(part, "title"),
        context=word_at(part, "context"),
        **common_of(part, extras),
    )
    if any(key in part for key in _GIVEN) or extras.rest.keys() & {"title", "context"}:
        raise Unreadable
    return block


def _write_text_plain(block: am.FileBlock) -> Part:
    source = cast("am.TextSource", block.source)
    part: Part = {"type": "text-plain"}
    for key, value in (
        ("mime_type", source.media_type),
        ("text", source.text),
        ("title", block.title),
        ("context", block.context),
    ):
        if value is not None:
            part[key] = value
    return v1_part(block, part, {} if block.name is None else {"filename": block.name})


# -- calls and results ------------------------------------------------------------------------------------------------


def _is_wrapped(args: Any) -> bool:
    """Tell whether an object is the envelope of what is no object, or of what looks like that envelope."""
    if not isinstance(args, dict) or len(cast("Part", args)) != 1 or "_raw" not in args:
        return False
    inner: Any = args["_raw"]
    return not isinstance(inner, dict) or (len(cast("Part", inner)) == 1 and "_raw" in inner)


def call_input(args: Part) -> Any:
    """Return the input of a call whose arguments must be an object: ``{"_raw": value}`` stands for any value."""
    return adopt(args["_raw"] if _is_wrapped(args) else args)


def call_args(block: am.ToolUseBlock) -> Any:
    """Return the object that stands for the input of a valid call."""
    value = block.input
    return value if isinstance(value, dict) and not _is_wrapped(value) else {"_raw": value}


def error_first(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return unknown fields with `error` in front, where the parts of invalid calls have their key for it."""
    return {"error": fields["error"], **fields} if "error" in fields and next(iter(fields)) != "error" else fields


def raw_text(block: am.ToolUseBlock) -> str:
    """Return the arguments of a call as text: as received, else compact JSON."""
    return dump_json(block.input).decode() if block.raw_input is None else block.raw_input


def _call_fields(part: Part, extras: _Extras) -> Part:
    fields = {name: extras.text(name) for name in ("item_id", "provider", "status")}
    return {key: value for key, value in fields.items() if value is not None} | common_of(
        part, extras, id_key=None
    )


def _call_extras(block: am.ToolUseBlock) -> Part:
    own = {"provider": block.provider, "status": block.status, "raw_input": None}
    if block.is_valid:
        own["raw_input"] = block.significant_text
    return {key: value for key, value in own.items() if value is not None}


def read_call(part: Part, _: Any = None) -> am.ToolUseBlock:
    """Read ``tool_call`` and ``server_tool_call``: id, name, args (an object)."""
    args = part.get("args")
    if type(args) is not dict:
        raise Unreadable
    extras = _Extras(part)
    raw = extras.text("raw_input")
    kind = "server" if part["type"] == "server_tool_call" else "function"
    fields = _call_fields(part, extras)
    name, link, value = text_at(part, "name"), word_at(part, "id"), call_input(args)
    if raw is None:
        return make_call(id=link, name=name, input=value, kind=kind, **fields)
    block = am.ToolUseBlock(link, name, value, raw_input=raw, kind=kind, **fields)
    if block.significant_text is None:
        raise Unreadable
    return block


def read_call_text(part: Part, _: Any = None) -> am.ToolUseBlock:
    """Read ``invalid_tool_call``, ``tool_call_chunk`` and their server form: args is text."""
    extras = _Extras(part)
    kind = "server" if part["type"] == "server_tool_call_chunk" else "function"
    fields = _call_fields(part, extras)
    link, name, raw = word_at(part, "id"), word_at(part, "name"), word_at(part, "args")
    if "raw_input" in extras.rest:
        raise Unreadable
    if raw is None:
        return make_call(id=link, name=name or "", input=EMPTY, kind=kind, **fields)
    return make_call(id=link, name=name or "", raw_input=raw, kind=kind, **fields)


def write_call(block: am.ToolUseBlock) -> Part:
    """Write a call into content."""
    server = block.kind == "server"
    part: Part = {"type": "server_tool_call" if server else "tool_call", "id": block.id, "name": block.name}
    if block.is_valid:
        part["args"] = call_args(block)
        return v1_part(block, part, _call_extras(block), id_key=None)
    return write_call_text(block)


def write_call_text(block: am.ToolUseBlock) -> Part:
    """Write a call whose arguments are text."""
    server = block.kind == "server"
    tag = "server_tool_call_chunk" if server else "invalid_tool_call"
    part: Part = {"type": tag, "id": block.id, "name": block.name, "args": raw_text(block)}
    if not server:
        own = block.extras.get(FAMILY)
        part["error"] = own.get("error") if isinstance(own, dict) else None
    own = {key: value for key, value in _call_extras(block).items() if key != "raw_input"}
    return v1_part(block, part, own, id_key=None)
