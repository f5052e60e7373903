"""Values with a pair of plain functions: times, costs, objects with partly modelled keys, signatures, data, content.

User content is a text, or a list of texts and objects; a cache point is the ``cache`` of the previous block. A tool
returns any JSON: a text is a TextBlock, a list with media is content, and anything else is structured.
"""

from __future__ import annotations

from datetime import UTC
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    EMPTY,
    KEEP,
    Native,
    Swap,
    Unreadable,
    adopt,
    cells,
    dump_json,
    is_list,
    is_marked,
    is_object,
    maker,
    mark_of,
    natives,
    spelling,
    times,
    usually,
)
from agentmsg.formats.forms import Hatch, Key, Via
from agentmsg_codecs.pydantic_ai.names import FAMILY, FILE, MEDIA_KINDS, NAME, PROVIDERS, TOLD, TTLS, UNSIGNED, VENDOR

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from agentmsg.formats import Parts


_SECONDS, _MICROSECONDS = len("2026-01-05T09:30:07Z"), len("2026-01-05T09:30:07.250000Z")
_make_signature = maker(am.Signature, "provider", "value")


def _read_time(stamp: Any, note: dict[str, Any]) -> datetime:
    time = times.read_time(stamp) if type(stamp) is str else None
    if time is None:
        raise Unreadable("timestamp is no time")
    # Check whether a time in UTC is certainly written as it was read: writing it to compare takes longer. The
    # separators between the digits show that.
    size = len(stamp)
    if size == _SECONDS:
        if stamp[4::3] == "--T::Z":
            return time
    elif size == _MICROSECONDS and stamp[4:20:3] == "--T::." and stamp[-1] == "Z" and time.microsecond:
        return time
    if _is_odd(time):
        raise Unreadable("timestamp is no time")
    if times.write_time_z(time) != stamp:
        note["timestamp"] = ["=", stamp]
    return time


def _is_odd(time: datetime) -> bool:
    """Whether a zone's offset isn't in whole minutes, which the library refuses."""
    offset = None if time.tzinfo is UTC else time.utcoffset()
    return offset is not None and bool(offset.seconds % 60 or offset.microseconds)


@usually("value.tzinfo is UTC", UTC=UTC)
def _carried_time(time: datetime, _: Any) -> datetime:
    return times.in_utc(time) if _is_odd(time) else time


def _write_time(time: datetime, _: Any) -> str:
    return times.write_time_z(time)


TIME = Key("timestamp", "created_at", Via(_read_time, _write_time, supports=KEEP, is_marking=True), "may", is_odd=True,
           cell=_carried_time)  # fmt: skip


@cache
def _decimals() -> Any:
    import decimal  # noqa: PLC0415 - few documents say what they cost

    return decimal


def _read_cost(text: Any) -> float:
    if type(text) is not str:
        raise Unreadable("a cost is a decimal number in a string")
    decimal = _decimals()
    try:
        cost = float(decimal.Decimal(text))
    except (decimal.InvalidOperation, OverflowError):
        raise Unreadable("a cost is a decimal number in a string") from None
    if not isfinite(cost):
        raise Unreadable("a cost is finite")
    return cost


def _write_cost(cost: float) -> str:
    return format(_decimals().Decimal(repr(cost)), "f")


_COST = {"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]+)?$", "examples": ["0.5", "0.00012"]}
COST = Key("cost", "cost", Via(_read_cost, _write_cost, _COST, is_spelt=True), "null")


# -- objects of which some keys have a field --------------------------------------------------------------------------


def partly_modelled(key: str, space: str, **fields: str) -> Hatch:
    """Return the hatch for an object, or null: some of its keys have a field, the rest are extras.

    Args:
        key: the key of the object.
        space: the namespace of the rest.
        fields: the model's field for each inner key; a signature is Google's.
    """

    def read(native: Native) -> dict[str, Any]:
        held = native.get(key)
        if held is None and key in native:
            return {}
        if key not in native:
            return {"notes": {key: "absent"}}
        if not held and (nothing := spelling.spelling_of_nothing(held)) is not None:
            return {"notes": {key: nothing}}
        if not is_object(held):
            raise Unreadable("not an object")
        rest = dict(held)
        found: dict[str, Any] = {}
        for inner, field in fields.items():
            if type(held.get(inner)) is str:
                value = rest.pop(inner)
                found[field] = am.Signature("google", value) if field == "signature" else value
        return {**found, "extras": {space: adopt(rest)}} if rest else found

    names = tuple(fields.values())

    def says_none(block: Any) -> bool:
        for name in names:  # a loop: a generator would double the time
            if getattr(block, name) is not None:
                return False
        return True

    def write(block: Any) -> Native:
        if not block.extras and (not names or says_none(block)):
            return {key: None}
        told = {inner: getattr(block, field) for inner, field in fields.items()}
        said = {inner: getattr(value, "value", value) for inner, value in told.items() if value is not None}
        return {key: {**natives.extras_copy(block, space), **said} or None}

    def left(own: Mapping[str, Any], block: Any) -> Mapping[str, Any]:
        # A known key is an extra if its field can't hold the value.
        kept = {
            inner: value
            for inner, value in own.items()
            if inner not in fields or (type(value) is not str and getattr(block, fields[inner]) is None)
        }
        return own if len(kept) == len(own) else kept

    known: dict[str, Any] = {
        field: cells.signed_by("google", is_empty=True) if field == "signature" else KEEP for field in fields.values()
    }
    return Hatch(
        keys=(key,), cells=known, get=read, put=write, spaces={space: left},
        schema={key: {"type": ["object", "null"]}}, about=", ".join(fields.values()) or "extras",
        nothing={key: None},
    )  # fmt: skip


DETAIL = partly_modelled("vendor_metadata", VENDOR, detail="detail")


# -- thinking ---------------------------------------------------------------------------------------------------------


def _read_signed(native: Native) -> dict[str, Any]:
    """Read a signature with its provider; a provider without a signature is an extra."""
    value, provider = native.get("signature"), native.get("provider_name")
    if type(value) is str and type(provider) is str:
        return {"signature": _make_signature(provider, value)}  # the usual case
    notes: dict[str, Any] = {key: "absent" for key in ("signature", "provider_name") if key not in native}
    if value is None:
        if provider is None and not native.get("content") and native.get("id"):
            notes["/hollow"] = True
        return {"notes": notes} if provider is None else {"notes": notes, "extras": {UNSIGNED: adopt({NAME: provider})}}
    if type(value) is not str or not (provider is None or type(provider) is str):
        raise Unreadable("a signature is a string")
    return {"signature": am.Signature(provider, value), "notes": notes}


def _write_signed(block: am.ThinkingBlock) -> Native:
    signed = block.signature
    if signed is not None:
        return {"signature": signed.value, NAME: signed.provider}
    if not block.extras:
        return {"signature": None, NAME: None}
    return {"signature": None, NAME: None, **natives.extras_copy(block, UNSIGNED)}


SIGNED = Hatch(
    keys=("signature", NAME), cells={"signature": cells.bare}, get=_read_signed, put=_write_signed,
    spaces={UNSIGNED: lambda own, block:
            own if {*own} == {NAME} and own[NAME] is not None and block.signature is None else EMPTY},
    schema={key: {"type": ["string", "null"]} for key in ("signature", NAME)}, about="signature",
)  # fmt: skip


# -- who answered -----------------------------------------------------------------------------------------------------

_APIS = {"resp_": "responses", "chatcmpl-": "chat"}


def api_of(provider: str | None, answer: str | None) -> str | None:
    """Return the API of OpenAI that gave an answer, as its id tells."""
    if provider != "openai" or answer is None:
        return None
    return next((api for start, api in _APIS.items() if answer.startswith(start)), None)


def read_answered(native: Native) -> dict[str, Any]:
    """Return who answered, as the word of a response and its id tell.

    Raises:
        Unreadable: if the word isn't a text.
    """
    word, answer = native.get(NAME), native.get("provider_response_id")
    if word is None:
        return {} if NAME in native else {"notes": {NAME: "absent"}}
    if type(word) is not str:
        raise Unreadable("a provider is a text")
    if word in PROVIDERS:
        return {"provider": PROVIDERS[word], "notes": {"/provider": word}}
    api = api_of(word, answer if type(answer) is str else None)
    return {"provider": word} if api is None else {"provider": word, "api": api}


def _write_answered(message: am.Msg) -> Native:
    return {NAME: word_of(message)}


def word_of(message: am.Msg) -> str | None:
    """Return the framework's word for the provider of a message."""
    word: Any = mark_of(message, FAMILY, "/provider") if message.notes else None
    return word if type(word) is str and PROVIDERS.get(word) == message.provider else message.provider


def answered(message: am.Msg) -> Any:
    """Keep the API that answered if the id of the answer tells it."""
    api = api_of(message.provider, message.id)
    own = message.provider not in PROVIDERS
    if own and (message.api == api or (api is None and isinstance(message.api, am.Made))):
        return message  # a made one counts as absent
    new = message.evolve(api=api, provider=PROVIDERS.get(str(message.provider), message.provider))
    return Swap(new, "the id of an answer tells the API here", "annotation")


ANSWERED = Hatch(
    keys=(NAME,), cells={"provider": KEEP, "api": KEEP}, get=read_answered, put=_write_answered,
    schema={NAME: {"type": ["string", "null"]}}, about="provider; api", nothing={NAME: None},
)  # fmt: skip


# -- structured content -----------------------------------------------------------------------------------------------


def _read_structured(native: Native) -> dict[str, Any]:
    value, told = native["value"], native.get("content")
    found: dict[str, Any] = {"data": adopt(value)}
    if told == dump_json(value).decode():
        return found
    if "content" not in native:
        return {**found, "notes": {"content": "absent"}}
    return {**found, "extras": {TOLD: adopt({"content": told})}}


def _write_structured(block: am.DataBlock) -> Native:
    value = thaw(block.data)
    # The library checks the tag of content that has no text yet.
    return {"value": value, "content": dump_json(value).decode(), **natives.extras_copy(block, TOLD)}


def _shown_text(own: Mapping[str, Any], block: am.DataBlock) -> Mapping[str, Any]:
    """Keep the text that the model sees for data, if it isn't its JSON."""
    return own if {*own} == {"content"} and own["content"] != dump_json(block.data).decode() else EMPTY


STRUCTURED = Hatch(
    keys=("value", "content"), cells={"data": KEEP}, get=_read_structured, put=_write_structured, must=("value",),
    spaces={TOLD: _shown_text}, schema={"content": {"type": "string"}}, about="data",
)  # fmt: skip


# -- the data of a file -----------------------------------------------------------------------------------------------

# The library dumps bytes in the alphabet of URLs, and reads both; everybody else has the standard one.
URL_SAFE = "/url-safe"
# Media types that the library refuses, though others use them; and the mark of data that were read with one.
MEDIA_TYPES = {"audio/mp3": "audio/mpeg", "audio/x-wav": "audio/wav"}
ODD_TYPE = "/odd-type"
_TO_STANDARD, _TO_URL_SAFE = str.maketrans("-_", "+/"), str.maketrans("+/", "-_")


def _read_data(native: Native) -> dict[str, Any]:
    value, kind = native["data"], native["media_type"]
    if not (type(value) is type(kind) is str):
        raise Unreadable("data is base64, with a media type")
    notes: dict[str, Any] = {ODD_TYPE: True} if kind in MEDIA_TYPES else {}
    if is_url_safe(value):
        notes[URL_SAFE] = True
    return {"source": am.Base64Source(standard(value), kind), "notes": notes}


def is_url_safe(data: str) -> bool:
    """Whether base64 is in the alphabet for URLs, which the library writes."""
    return ("-" in data or "_" in data) and not ("+" in data or "/" in data)


def standard(data: str) -> str:
    """Return base64 in the standard alphabet, in which it is kept."""
    return data.translate(_TO_STANDARD) if is_url_safe(data) else data


def _write_data(block: Any) -> Native:
    source: Any = block.source
    is_safe = bool(block.notes) and is_marked(block, FAMILY, URL_SAFE)
    return {"data": source.data.translate(_TO_URL_SAFE) if is_safe else source.data, "media_type": source.media_type}


DATA = Hatch(
    keys=("data", "media_type"), cells={"source": cells.bare}, get=_read_data, put=_write_data,
    must=("data", "media_type"), schema={key: {"type": "string"} for key in ("data", "media_type")}, about="source",
)  # fmt: skip
_BINARY_KEYS = frozenset({"kind", "data", "media_type"})


def is_binary(held: Any) -> bool:
    """Whether an object is data with a media type."""
    told = is_object(held) and held.get("kind") == "binary"
    return told and type(held.get("data")) is str and type(held.get("media_type")) is str


def _of_file(own: Mapping[str, Any], _: Any) -> Mapping[str, Any]:
    return own if _BINARY_KEYS.isdisjoint(own) else {key: own[key] for key in own if key not in _BINARY_KEYS}


def data_at(key: str) -> Hatch:
    """Return the hatch for data with a media type under a key."""

    def read(native: Native) -> dict[str, Any]:
        held: Any = native[key]
        if not is_binary(held):
            raise Unreadable("a file is data with a media type")
        return {**_read_data(held), "extras": natives.rest_of(held, _BINARY_KEYS, FILE)}

    def write(block: Any) -> Native:
        return {key: {"kind": "binary", **_write_data(block), **natives.extras_copy(block, FILE)}}

    return Hatch(
        keys=(key,), cells={"source": KEEP}, get=read, put=write, must=(key,), spaces={FILE: _of_file},
        schema={key: {
            "type": "object", "properties": {"kind": {"const": "binary"}, "data": {"type": "string"},
                                             "media_type": {"type": "string"}},
            "required": ["kind", "data", "media_type"],
        }}, about="source",
    )  # fmt: skip


POINT = "cache-point"
_make_text = maker(am.TextBlock, "text")
_POINT_KEYS = frozenset({"kind", "ttl"})
POINT_SCHEMA = {
    "type": "object", "properties": {"kind": {"const": POINT}, "ttl": {"enum": sorted(TTLS)}}, "required": ["kind"],
    "additionalProperties": False,
}  # fmt: skip

# -- user content -----------------------------------------------------------------------------------------------------


def hint_of(item: Any) -> am.CacheHint | None:
    """Read a cache point as a hint; return None if an item isn't one."""
    if not is_object(item) or item.get("kind") != POINT or item.keys() - _POINT_KEYS:
        return None
    ttl = item.get("ttl")
    if "ttl" in item and ttl not in TTLS:
        return None
    return am.CacheHint(ttl=ttl)


def read_user_content(content: Any, note: dict[str, Any], place: Parts) -> tuple[Any, ...]:
    """Read user content as blocks, and note its spelling."""
    if type(content) is str:
        return (_make_text(content),) if content else ()
    if not is_list(content):
        raise Unreadable("content is a text or a list")
    blocks: list[Any] = []
    for item in content:
        hint = hint_of(item)
        if hint is not None and blocks and blocks[-1].cache is None and type(blocks[-1]) is not am.NativeBlock:
            blocks[-1] = blocks[-1].evolve(cache=hint)
        else:
            blocks.append(_make_text(item) if type(item) is str else place.read(item))
    if not blocks or _is_single_text(blocks):
        note["/list"] = True
    return tuple(blocks)


def _is_single_text(blocks: Any) -> bool:
    return len(blocks) == 1 and is_plain(blocks[0]) and blocks[0].cache is None and bool(blocks[0].text)


def write_user_content(blocks: tuple[Any, ...], message: am.Msg, place: Parts) -> Any:
    """Write blocks as user content."""
    if (not blocks or _is_single_text(blocks)) and not is_marked(message, FAMILY, "/list"):
        return blocks[0].text if blocks else ""
    items: list[Any] = []
    for block in blocks:
        bare = block if block.cache is None else block.evolve(cache=None)
        items.append(bare.text if is_plain(bare) else place.write(bare))
        if block.cache is not None:
            items.append({"kind": POINT} if block.cache.ttl is None else {"kind": POINT, "ttl": block.cache.ttl})
    return items


def is_plain(block: Any) -> bool:
    """Whether a block is written as a string, without an object around it."""
    is_text = type(block) is am.TextBlock and not block.metadata and not block.extras
    return is_text and not is_marked(block, FAMILY, "/tagged")


# -- tool results -----------------------------------------------------------------------------------------------------


def is_media(item: Any) -> bool:
    """Whether an item of a result is media to Pydantic AI, rather than JSON."""
    if not is_object(item) or type(item.get("kind")) is not str or item["kind"] not in MEDIA_KINDS:
        return False
    return is_binary(item) if item["kind"] == "binary" else "media_type" in item and type(item.get("url")) is str


def is_structured(value: Any) -> bool:
    """Whether a value is read as structured content."""
    if value is None or isinstance(value, str):
        return False
    plain = thaw(value)
    return not is_media(plain) and not (is_list(plain) and any(map(is_media, plain)))


def _read_item(item: Any, inner: Parts) -> Any:
    if type(item) is str:
        return _make_text(item)
    block = inner.read(item) if is_media(item) else am.DataBlock(adopt(item))
    if type(block) is am.NativeBlock:
        raise Unreadable("media that the model has no place for")
    return block


def _read_returned(native: Native, inner: Parts) -> dict[str, Any]:
    value = native["content"]
    if type(value) is str:
        return {"content": (_make_text(value),) if value else ()}
    if value is None:
        return {"notes": {"content": "null"}}
    if is_media(value):
        return {"content": (_read_item(value, inner),), "notes": {"/single": True}}
    if is_list(value) and any(map(is_media, value)):
        return {"content": tuple(_read_item(item, inner) for item in value)}
    return {"structured": adopt(value)}


def _write_item(block: Any, inner: Parts) -> Any:
    if type(block) is am.TextBlock:
        return block.text
    return thaw(block.data) if type(block) is am.DataBlock else inner.write(block)


def _write_returned(block: am.ToolResultBlock, inner: Parts) -> Native:
    content = block.content
    if block.structured is not None:
        return {"content": thaw(block.structured)}
    if len(content) == 1 and type(content[0]) is am.TextBlock:
        text = content[0].text
        return {"content": text if type(text) is str else natives.link_of(text) or ""}
    if not content:
        return {"content": natives.link_of(block.text) or ""}
    items = [_write_item(item, inner) for item in content]
    is_single = len(items) == 1 and bool(block.notes) and mark_of(block, FAMILY, "/single") is True
    return {"content": items[0] if is_single else items}


def returned(inner: Callable[[], Parts], *, is_message: bool = False) -> Hatch:
    """Return the hatch for the content of a result.

    Args:
        inner: returns the table of the media allowed in a result.
        is_message: whether the result is a message of its own.
    """

    def get(native: Native) -> dict[str, Any]:
        found = _read_returned(native, inner())
        if is_message and "/single" in found.get("notes", ()):
            found["marks"] = found.pop("notes")
        return found

    def put(owner: Any) -> Native:
        return _write_returned(owner.content[0] if is_message else owner, inner())

    return Hatch(keys=("content",), cells={"content": KEEP, "structured": KEEP}, get=get, put=put, must=("content",),
                 about="content; structured")  # fmt: skip


# -- retry prompts ----------------------------------------------------------------------------------------------------


def _read_retried(native: Native) -> dict[str, Any]:
    value = native["content"]
    if type(value) is str:
        return {"content": (_make_text(value),) if value else (), "status": "error"}
    if not is_list(value) or not is_structured(value):
        raise Unreadable("a text, or errors")
    return {"structured": adopt(value), "status": "error"}


def _write_retried(message: am.Msg) -> Native:
    block: Any = message.content[0]
    return {"content": block.text if block.structured is None else thaw(block.structured)}


RETRIED = Hatch(
    keys=("content",), cells=dict.fromkeys(("content", "structured", "status"), KEEP), get=_read_retried,
    put=_write_retried, must=("content",), about="content; structured; the status is error",
    schema={"content": {"type": "string"}},
)  # fmt: skip


def is_retried(message: am.Msg) -> bool:
    """Whether a result is written as a retry-prompt, from which it was read."""
    block: Any = message.content[0] if message.content else None
    if block is None or not is_marked(block, FAMILY, "/retry"):
        return False
    if block.status != "error" or block.artifact is not None or block.name is None:
        return False
    if block.structured is not None:
        return is_list(thaw(block.structured)) and not block.content
    return not block.content or (len(block.content) == 1 and type(block.content[0]) is am.TextBlock)


# -- citations ---------------------------------------------------------------------------------------------------------

_SOURCE = frozenset({"kind", "url", "title", "excerpts"})
# Citations that come back, for the schema.
CITED = {"enum": [
    {"sources": [{"kind": "web", "url": "https://x.test", "title": "T", "excerpts": ["words"]}],
     "anchor": {"start": 0, "end": 5, "kind": "content"}},
    {"sources": [{"kind": "document", "title": "T"}], "anchor": None},
]}  # fmt: skip
_ANCHORS = frozenset({"content", "marker"})


def read_citation(native: Any) -> am.Citation:
    """Read a citation: its first source fills the fields, and everything else is extras.

    Raises:
        Unreadable: if it isn't one.
    """
    sources: Any = native.get("sources") if is_object(native) else None
    if not is_list(sources) or not sources or not is_object(sources[0]):
        raise Unreadable("a citation has sources")
    first: Any = sources[0]
    anchor: Any = native.get("anchor")
    fields: dict[str, Any] = {}
    own = {key: first[key] for key in first if key not in _SOURCE}
    rest: Native = {key: value for key, value in native.items() if key not in ("sources", "anchor")}
    for key in ("url", "title"):
        if type(first.get(key)) is str:
            fields[key] = first[key]
        elif key in first:
            own[key] = first[key]
    if first.get("kind") != ("web" if "url" in fields else "document"):
        own["kind"] = first.get("kind")
    excerpts: Any = first.get("excerpts")
    if is_list(excerpts) and len(excerpts) == 1 and type(excerpts[0]) is str:
        fields["cited_text"] = excerpts[0]
    elif "excerpts" in first:
        own["excerpts"] = excerpts
    kind: Any = anchor.get("kind") if is_object(anchor) and anchor.keys() == {"kind", "start", "end"} else None
    if is_object(anchor) and type(kind) is str and kind in _ANCHORS:
        fields |= {key: anchor[key] for key in ("kind", "start", "end")}
    elif "anchor" in native:
        rest["anchor"] = anchor
    rest |= {"/source": own} if own else {}
    rest |= {"/more": sources[1:]} if len(sources) > 1 else {}
    if not all(type(fields.get(key, 0)) is int for key in ("start", "end")):
        raise Unreadable("a span has a start and an end")
    citation = am.Citation(**fields, extras=adopt({FAMILY: rest}) if rest else {})
    if write_citation(citation) != native:
        raise Unreadable("another citation")
    return citation


def write_citation(citation: am.Citation) -> Native:
    """Write a citation."""
    rest: Native = natives.extras_copy(citation, FAMILY)
    own, more = rest.pop("/source", {}), rest.pop("/more", [])
    told = {"url": citation.url, "title": citation.title}
    source: Native = {key: value for key, value in told.items() if value is not None}
    if citation.cited_text is not None:
        source["excerpts"] = [citation.cited_text]
    source["kind"] = "web" if citation.url is not None else "document"
    native: Native = {"sources": [{**source, **(own if is_object(own) else {})}, *(more if is_list(more) else [])]}
    if citation.kind is not None:
        native["anchor"] = {"start": citation.start, "end": citation.end, "kind": citation.kind}
    return {**native, **rest}


def own_citation(citation: am.Citation, _: Any) -> am.Citation | None:
    """Keep a citation that comes back unchanged after writing."""
    try:
        return citation if am.same(read_citation(write_citation(citation)), citation) else None
    except (Unreadable, am.AgentMsgError):
        return None
