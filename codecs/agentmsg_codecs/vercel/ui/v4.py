"""Messages of version 4 as today's, and back: an exact translation of native messages.

They repeat their parts: the text in ``content``, the rest in ``reasoning`` and ``toolInvocations``; older ones have no
parts. A translated message is written in version 4 again, as far as version 4 can express it.

The mark ``/v4`` records, for each of these keys that was there, "said" if it repeated the parts, the spelling of an
empty value, or "own" for any other value, which is an extra. ``parts`` is whether there were parts ("[]" if the list
was empty, but another key said something), ``experimental_attachments`` how many, and ``mixed`` marks a message with
today's parts.

Mastra stores messages of version 4 or 5 with the parts, and what repeats them, under ``content``. The mark ``/mastra``
is the format that the content names, and the keys in it that are not always there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg_codecs.vercel.ui.tool_parts as tools
from agentmsg import thaw
from agentmsg.formats import Native, is_list, is_mapping, is_object, same_document, spelling, times
from agentmsg_codecs.vercel.issuers.parts import inverse, renamed_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime


_REPEATED = ("content", "reasoning", "toolInvocations")
REPEATED = frozenset(_REPEATED)
_ATTACHMENTS = "experimental_attachments"
KEYS = REPEATED | {_ATTACHMENTS}
_STEP: Native = {"type": "step-start"}
_NOTHING: Native = {"null": None, "[]": [], '""': ""}
_SOURCE = {"id": "sourceId"}
_ATTACHED = {"contentType": "mediaType", "name": "filename"}


def is_old(native: Native) -> bool:
    """Whether a message is one of version 4."""
    return type(native.get("content")) is str and is_list(native.get("parts", []))


def _without(native: Mapping[str, Any], *keys: str) -> Native:
    return {key: value for key, value in native.items() if key not in keys}


# -- parts ------------------------------------------------------------------------------------------------------------


def _new_parts(part: Any) -> list[Any]:
    """Return today's parts for one of version 4; the part itself if there is nothing to translate."""
    tag: Any = part.get("type") if is_object(part) else None
    call = tools.as_today(part)
    if call is not None and call[1] == tools.NESTED:
        return [tools.static_tool(call[0])]
    if tag == "source" and part.keys() == {"type", "source"} and is_object(part["source"]):
        return [{"type": "source-url", **renamed_keys(_without(part["source"], "sourceType"), _SOURCE)}]
    if tag == "file" and type(part.get("data")) is str and type(part.get("mimeType")) is str:
        kind = part["mimeType"]
        url = f"data:{kind};base64,{part['data']}"
        return [{**_without(part, "mimeType", "data"), "mediaType": kind, "url": url}]
    if tag == "reasoning" and part.keys() == {"type", "reasoning", "details"} and is_list(part["details"]):
        thoughts = list(map(_thought, part["details"]))
        return thoughts if same_document(_old_parts(thoughts), [part]) else [part]
    return [part]


def _is_only_old(part: Any) -> bool:
    """Whether only version 4 has such a part, and it can't be read in a message of today's parts."""
    return _new_parts(part) != [part] and tools.as_today(part) is None and today_part(part) is None


def today_part(part: Any) -> tuple[Native, Any] | None:
    """Return today's part for one of version 4 that isn't a call, and its mark; None if it would not come back."""
    today = _new_parts(part)
    if len(today) == 1 and today != [part] and same_document(_old_parts(today), [part]):
        return today[0], True
    return _loose_thought(part) if is_object(part) and part.get("type") == "reasoning" else None


def old_part(native: Native, how: Any) -> Any:
    """Return the part of version 4 for one of today's, by its mark."""
    return _told(native, how) if type(how) is str else _old_parts([native])[0]


def _loose_thought(part: Native) -> tuple[Native, str] | None:
    """Return today's part for reasoning as applications store it, and its mark.

    The mark tells whether the text stands only in a detail ("unsaid"), there are no details ("bare"), or none in the
    list ("empty"), and whether the part has metadata itself ("kept").
    """
    details: Any = part.get("details")
    is_one = is_list(details) and len(details) == 1 and is_object(details[0])
    today = _thought(details[0] if is_one else {"type": "text", "text": part.get("reasoning")})
    how = ["unsaid"] if part.get("reasoning") == "" and today.get("text") else []
    how += ["bare"] if "details" not in part else [] if details else ["empty"]
    if "providerMetadata" in part:
        today["providerMetadata"] = part["providerMetadata"]
        how.append("kept")
    mark = " ".join(how)
    return (today, mark) if same_document(_told(today, mark), part) else None


def _told(native: Native, mark: str) -> Native:
    """Return reasoning in the way that a mark tells."""
    how = mark.split(" ")
    text, kept = native.get("text"), native.get("providerMetadata") if "kept" in how else None
    out: Native = {"type": "reasoning", "reasoning": "" if "unsaid" in how else text}
    if "bare" not in how:
        detail = {"type": "text", "text": text} if "kept" in how else _detail(native)
        out["details"] = [] if "empty" in how else [detail]
    return out if kept is None else {**out, "providerMetadata": kept}


def _thought(detail: Any) -> Native:
    """Return the part for a detail of reasoning: a text, signed or not, or redacted data."""
    if not is_object(detail):
        return {"type": "reasoning", "detail": detail}
    if detail.keys() == {"type", "data"}:
        return {"type": "reasoning", "text": "", "providerMetadata": {"anthropic": {"redactedData": detail["data"]}}}
    signed = {"providerMetadata": {"anthropic": {"signature": detail["signature"]}}} if "signature" in detail else {}
    return {"type": "reasoning", "text": detail.get("text"), **signed}


def _old_parts(parts: Sequence[Any]) -> list[Any]:
    """Return the parts of version 4 for today's."""
    out: list[Any] = []
    for part in parts:
        tag: Any = part.get("type") if is_object(part) else None
        if tag != "reasoning" or "reasoning" in part:
            out.append(_old_part(part, tag))
            continue
        detail = _detail(part)
        if detail["type"] == "redacted" and out and is_object(out[-1]) and out[-1].get("type") == "reasoning":
            out[-1] = {**out[-1], "details": [*out[-1].get("details", []), detail]}
        else:
            out.append({"type": "reasoning", "reasoning": detail.get("text", ""), "details": [detail]})
    return out


def _detail(part: Native) -> Native:
    metadata: Any = part.get("providerMetadata")
    own: Any = metadata.get("anthropic") if is_object(metadata) else None
    if is_object(own) and "redactedData" in own:
        return {"type": "redacted", "data": own["redactedData"]}
    signed = {"signature": own["signature"]} if is_object(own) and "signature" in own else {}
    return {"type": "text", "text": part.get("text"), **signed}


def _old_part(part: Any, tag: Any) -> Any:
    if tag == "source-url":
        return {
            "type": "source",
            "source": {"sourceType": "url", **renamed_keys(_without(part, "type"), inverse(_SOURCE))},
        }
    if tag == "file" and type(part.get("url")) is str:
        kind = part.get("mediaType")
        data = part["url"].removeprefix(f"data:{kind};base64,")
        return {**_without(part, "mediaType", "url"), "mimeType": kind, "data": data}
    call = None if tag == tools.DYNAMIC else tools.tool_of(part)
    return (tools.as_old(call, tools.NESTED) if call is not None else None) or part


# -- what the keys of a message repeat --------------------------------------------------------------------------------


def _repeated(parts: Sequence[Any]) -> Native:
    """Return the keys that repeat parts of version 4."""

    def of(kind: str, key: str) -> list[Any]:
        return [part.get(key) for part in parts if is_object(part) and part.get("type") == kind]

    found: Native = {"content": "".join(text for text in of("text", "text") if type(text) is str)}
    thoughts = [text for text in of("reasoning", "reasoning") if type(text) is str]
    if thoughts:
        found["reasoning"] = "".join(thoughts)
    calls = of("tool-invocation", "toolInvocation")
    if calls:
        found["toolInvocations"] = calls
    return found


def _parts_of(native: Native) -> list[Any]:
    """Return the parts of a message without any: the reasoning, the calls, and the text after them."""
    thought, calls, text = native.get("reasoning"), native.get("toolInvocations"), native.get("content")
    parts: list[Any] = []
    if type(thought) is str:
        parts.append({"type": "reasoning", "reasoning": thought, "details": [{"type": "text", "text": thought}]})
    if is_list(calls):
        parts += [{"type": "tool-invocation", "toolInvocation": call} for call in calls]
    if text:
        parts += [_STEP, {"type": "text", "text": text}] if calls else [{"type": "text", "text": text}]
    return parts


# -- messages ---------------------------------------------------------------------------------------------------------


def as_new(native: Native) -> tuple[Native, Native] | None:
    """Return a message of version 4 as one of today's, and its mark; None if it would not come back."""
    found = _new(native)
    if found is None:
        return None
    back = as_old(*found)
    return found if back is not None and same_document(back, native) else None


def _new(native: Native) -> tuple[Native, Native] | None:
    parts: list[Any] = native.get("parts") or _parts_of(native)
    repeated = _repeated(parts)
    note: Native = {"parts": "[]" if parts and native.get("parts") == [] else "parts" in native}
    own: list[str] = []
    for key in _REPEATED:
        if key not in native:
            continue
        empty = spelling.spelling_of(native[key])
        if key in repeated and same_document(native[key], repeated[key]):
            note[key] = "said"
        elif key != "content" and empty in _NOTHING:
            # It is empty whatever the parts are, which may be edited.
            note[key] = empty
        else:
            own.append(key)
            note[key] = "own"
    new = [today for part in parts for today in _new_parts(part)]
    attached: Any = native.get(_ATTACHMENTS, [])
    if not is_list(attached) or not all(is_object(each) and "type" not in each for each in attached):
        return None
    if _ATTACHMENTS in native:
        note[_ATTACHMENTS] = len(attached)
    new += [{"type": "file", **renamed_keys(each, _ATTACHED)} for each in attached]
    return {**_without(native, *({*KEYS, "parts"} - {*own})), "parts": new}, note


def as_old(native: Native, note: Any) -> Native | None:
    """Return a message of today's as one of version 4; None if that can't express it.

    Args:
        native: the message.
        note: the mark.
    """
    parts: list[Any] = native["parts"]
    if not is_mapping(note) or note.get("mixed") is True:
        return None
    out = _without(native, "parts")
    if _ATTACHMENTS in note:
        border = len(parts)
        while border and is_object(parts[border - 1]) and parts[border - 1].get("type") == "file":
            border -= 1
        out[_ATTACHMENTS] = [renamed_keys(_without(part, "type"), inverse(_ATTACHED)) for part in parts[border:]]
        parts = parts[:border]
    old = _old_parts(parts)
    repeated = _repeated(old)
    for key in _REPEATED:
        how: Any = note.get(key)
        if how in _NOTHING and key not in out:
            out[key] = thaw(_NOTHING[how])
        elif how is not None and key in repeated and key not in out:
            out[key] = thaw(repeated[key])
    if note.get("parts") is True:
        out["parts"] = old
    elif not same_document(_parts_of(out), old):
        return None
    elif note.get("parts") == "[]":
        out["parts"] = []
    return out


def as_mixed(native: Native) -> tuple[Native, Native] | None:
    """Return a message of version 4 with today's parts as one of today's, and its mark; None for any other."""
    if "parts" not in native or any(map(_is_only_old, native["parts"])):
        return None
    note = _mixed(native)
    return _without(native, *(KEYS & note.keys())), note


def _mixed(native: Native) -> Native:
    empty = {key: spelling.spelling_of(native[key]) for key in _REPEATED if key != "content" and key in native}
    said = {"content": "said"} if native["content"] == _repeated(native["parts"])["content"] else {}
    return {"mixed": True, **said, **{key: how for key, how in empty.items() if how in _NOTHING}}


def written(native: Native, note: Any) -> Native:
    """Return a message of today's as one of version 4, if it was read so and would be read as the same."""
    if is_mapping(note) and note.get("mixed") is True:
        said = {"content": _repeated(native["parts"])["content"]} if note.get("content") == "said" else {}
        empty = {key: _NOTHING[note[key]] for key in _REPEATED if note.get(key) in _NOTHING}
        spelt = {**said, **empty, **native}
        return spelt if is_old(spelt) and _mixed(spelt) == note else native
    old = as_old(native, note)
    if old is None or not is_old(old):
        return native
    back = _new(old)
    return old if back is not None and same_document(back[0], native) and as_new(old) is not None else native


# -- times ------------------------------------------------------------------------------------------------------------


# By mark, how a time is written: as JavaScript writes it, or as Python does, with or without a "Z".
_STYLES: dict[Any, Callable[[datetime], str | None]] = {
    True: times.write_time_js, "iso": times.write_time, "z": times.write_time_z,
}  # fmt: skip


def read_time(value: Any) -> tuple[datetime, Any] | None:
    """Return a time and the mark of its style; None for anything else."""
    time = times.read_time(value) if type(value) is str else None
    if time is None:
        return None
    return next(((time, mark) for mark, write in _STYLES.items() if write(time) == value), None)


def write_time(time: datetime | None, mark: Any) -> str | None:
    """Return a time in the style that a mark names; None without a mark, or if the style can't express it."""
    write = _STYLES.get(mark) if type(mark) in (bool, str) else None
    return None if time is None or write is None else write(time)


_FORMAT = "format"
_INSIDE = KEYS | {"parts", "metadata", "annotations", "providerMetadata"}


def lifted(native: Any) -> tuple[Native, Native] | None:
    """Return a message that Mastra stored as a usual one, and its mark; None for any other."""
    content: Any = native.get("content") if is_object(native) else None
    if not is_object(content) or not is_list(content.get("parts")):
        return None
    number = content.get(_FORMAT)
    if type(number) is not int or number not in (2, 3):
        return None
    inside: Native = {key: value for key, value in content.items() if key != _FORMAT}
    outside: Native = {key: value for key, value in native.items() if key != "content"}
    if not outside.keys().isdisjoint(_INSIDE | inside.keys()):
        return None
    return {**outside, **inside}, {_FORMAT: number, "keys": [key for key in inside if key not in _INSIDE]}


def stored(native: Native, mark: Any) -> Native:
    """Return a usual message as Mastra stores it, if it was read so and would be read as the same."""
    keys: Any = mark.get("keys") if is_mapping(mark) else None
    if not isinstance(keys, (list, tuple)):
        return native
    inside = {key: value for key, value in native.items() if key in _INSIDE or key in keys}
    outside = {key: value for key, value in native.items() if key not in inside}
    out: Native = {**outside, "content": {_FORMAT: mark.get(_FORMAT), **inside}}
    found = lifted(out)
    return out if found is not None and same_document(found[0], native) else native
