"""Values with a pair of plain functions: times, costs, objects with partly modelled keys, signatures, data."""

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
    is_mapping,
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
from agentmsg_codecs.pydantic_ai.names import FAMILY, FILE, NAME, PROVIDERS, TOLD, UNSIGNED, VENDOR

if TYPE_CHECKING:
    from datetime import datetime

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

    known: dict[str, Any] = {
        field: cells.signed_by("google", is_empty=True) if field == "signature" else KEEP for field in fields.values()
    }
    return Hatch(
        keys=(key,), cells=known, get=read, put=write, spaces=(space,),
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
    spaces=(UNSIGNED,), schema={key: {"type": ["string", "null"]} for key in ("signature", NAME)}, about="signature",
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


def shown_text(extras: Any, block: Any) -> Any:
    """Keep the text that the model sees for data, if it isn't its JSON."""
    held = extras.get(TOLD)
    is_own = is_mapping(held) and held.keys() == {"content"} and held["content"] != dump_json(block.data).decode()
    return {TOLD: held} if is_own else EMPTY


STRUCTURED = Hatch(
    keys=("value", "content"), cells={"data": KEEP}, get=_read_structured, put=_write_structured, must=("value",),
    spaces=(TOLD,), schema={"content": {"type": "string"}}, about="data",
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
BINARY_KEYS = frozenset({"kind", "data", "media_type"})


def is_binary(held: Any) -> bool:
    """Whether an object is data with a media type."""
    told = is_object(held) and held.get("kind") == "binary"
    return told and type(held.get("data")) is str and type(held.get("media_type")) is str


def data_at(key: str) -> Hatch:
    """Return the hatch for data with a media type under a key."""

    def read(native: Native) -> dict[str, Any]:
        held: Any = native[key]
        if not is_binary(held):
            raise Unreadable("a file is data with a media type")
        return {**_read_data(held), "extras": natives.rest_of(held, BINARY_KEYS, FILE)}

    def write(block: Any) -> Native:
        return {key: {"kind": "binary", **_write_data(block), **natives.extras_copy(block, FILE)}}

    return Hatch(
        keys=(key,), cells={"source": KEEP}, get=read, put=write, must=(key,), spaces=(FILE,),
        schema={key: {
            "type": "object", "properties": {"kind": {"const": "binary"}, "data": {"type": "string"},
                                             "media_type": {"type": "string"}},
            "required": ["kind", "data", "media_type"],
        }}, about="source",
    )  # fmt: skip
