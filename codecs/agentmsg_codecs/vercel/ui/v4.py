"""Messages of version 4 as those of today, and back: a translation of native messages, which must be exact.

They say their text twice, in ``content`` and in ``parts``; older ones have no parts. What was translated is written in
version 4 again, as far as version 4 can say it. The mark ``/v4`` tells which of its keys stood there: "said" where they
say what the parts do, else "own", and they are extras, or how they say nothing; ``mixed`` where version 4 has no such
parts.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import agentmsg_codecs.vercel.ui.tool_parts as tools
from agentmsg.formats import Native, is_list, is_mapping, is_object, same_document, spelling

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_TWICE = ("content", "reasoning", "toolInvocations")
TWICE = frozenset(_TWICE)
_ATTACHMENTS = "experimental_attachments"
KEYS = TWICE | {_ATTACHMENTS}
_STEP: Native = {"type": "step-start"}
_NOTHING: Native = {"null": None, "[]": [], '""': ""}
_SOURCE = {"id": "sourceId"}
_ATTACHED = {"contentType": "mediaType", "name": "filename"}


def is_old(native: Native) -> bool:
    """Whether a message is one of version 4."""
    return type(native.get("content")) is str and is_list(native.get("parts", []))


# -- parts ------------------------------------------------------------------------------------------------------------


def _renamed(native: Mapping[str, Any], names: Mapping[str, str]) -> Native:
    return {names.get(key, key): value for key, value in native.items()}


def _back(native: Mapping[str, Any], names: Mapping[str, str]) -> Native:
    return _renamed(native, {new: old for old, new in names.items()})


def _new_parts(part: Any) -> list[Any]:
    """Return the parts of today that a part is; itself where there is nothing to translate."""
    tag: Any = part.get("type") if is_object(part) else None
    called = tools.as_today(part) if tag == "tool-invocation" else None
    if called is not None and called[1] == tools.NESTED:
        return [tools.static_tool(called[0])]
    if tag == "source" and part.keys() == {"type", "source"} and is_object(part["source"]):
        held = {key: value for key, value in part["source"].items() if key != "sourceType"}
        return [{"type": "source-url", **_renamed(held, _SOURCE)}]
    if tag == "file" and type(part.get("data")) is str and type(part.get("mimeType")) is str:
        rest = {key: value for key, value in part.items() if key not in ("mimeType", "data")}
        kind = part["mimeType"]
        return [{**rest, "mediaType": kind, "url": f"data:{kind};base64,{part['data']}"}]
    if tag == "reasoning" and part.keys() == {"type", "reasoning", "details"} and is_list(part["details"]):
        return [_thought(detail) for detail in part["details"]]
    return [part]


def is_alone(part: Any) -> bool:
    """Whether a part is one of version 4 alone, and not one of today: where it isn't told, its message isn't."""
    return _new_parts(part) != [part] and tools.as_today(part) is None and today_part(part) is None


def today_part(part: Any) -> Native | None:
    """Return the part of today that one of version 4 is, but for calls; None where none is, or it won't come back."""
    today = _new_parts(part)
    return today[0] if len(today) == 1 and today != [part] and same_document(_old_parts(today), [part]) else None


def old_part(native: Native) -> Any | None:
    """Return the part of version 4 that a part of today is; None where it would be read as another."""
    (part,) = _old_parts([native])
    return part if part != native and same_document(_new_parts(part), [native]) else None


def _thought(detail: Any) -> Native:
    """Return the part of a thought, or of a redacted one."""
    if not is_object(detail):
        return {"type": "reasoning", "detail": detail}
    if detail.keys() == {"type", "data"}:
        return {"type": "reasoning", "text": "", "providerMetadata": {"anthropic": {"redactedData": detail["data"]}}}
    signed = {"providerMetadata": {"anthropic": {"signature": detail["signature"]}}} if "signature" in detail else {}
    return {"type": "reasoning", "text": detail.get("text"), **signed}


def _old_parts(parts: Sequence[Any]) -> list[Any]:
    """Return the parts of version 4 that parts of today are."""
    out: list[Any] = []
    for part in parts:
        tag: Any = part.get("type") if is_object(part) else None
        if tag == "reasoning" and "reasoning" not in part:
            detail = _detail(part)
            if detail["type"] == "redacted" and out and is_object(out[-1]) and out[-1].get("type") == "reasoning":
                out[-1] = {**out[-1], "details": [*out[-1].get("details", []), detail]}
            else:
                out.append({"type": "reasoning", "reasoning": detail.get("text", ""), "details": [detail]})
        else:
            out.append(_old_part(part, tag))
    return out


def _detail(part: Native) -> Native:
    told: Any = part.get("providerMetadata")
    own: Any = told.get("anthropic") if is_object(told) else None
    if is_object(own) and "redactedData" in own:
        return {"type": "redacted", "data": own["redactedData"]}
    signed = {"signature": own["signature"]} if is_object(own) and "signature" in own else {}
    return {"type": "text", "text": part.get("text"), **signed}


def _old_part(part: Any, tag: Any) -> Any:
    if tag == "source-url":
        held = {key: value for key, value in part.items() if key != "type"}
        return {"type": "source", "source": {"sourceType": "url", **_back(held, _SOURCE)}}
    if tag == "file" and type(part.get("url")) is str:
        head = f"data:{part.get('mediaType')};base64,"
        rest = {key: value for key, value in part.items() if key not in ("mediaType", "url")}
        return {**rest, "mimeType": part.get("mediaType"), "data": part["url"].removeprefix(head)}
    called = tools.tool_of(part) if tools.is_tool(tag) and tag != tools.DYNAMIC else None
    told = None if called is None else tools.as_old(called, tools.NESTED)
    if told is not None:
        return told
    return part


# -- what is said twice -----------------------------------------------------------------------------------------------


def _said(parts: Sequence[Any]) -> Native:
    """Return what follows from parts of version 4."""

    def of(kind: str, key: str) -> list[Any]:
        return [part.get(key) for part in parts if is_object(part) and part.get("type") == kind]

    found: Native = {"content": "".join(text for text in of("text", "text") if type(text) is str)}
    thoughts = [text for text in of("reasoning", "reasoning") if type(text) is str]
    calls = of("tool-invocation", "toolInvocation")
    return (
        found | ({"reasoning": "".join(thoughts)} if thoughts else {}) | ({"toolInvocations": calls} if calls else {})
    )


def _parts_of(native: Native) -> list[Any]:
    """Return the parts of an old message without: what was thought, the calls, and what was said after them."""
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
    """Return a message of version 4 as one of today, and what the mark says; None where it would not come back."""
    found = _new(native)
    if found is None:
        return None
    back = as_old(*found)
    return found if back is not None and same_document(back, native) else None


def _new(native: Native) -> tuple[Native, Native] | None:
    has_parts = "parts" in native
    parts: list[Any] = native["parts"] if has_parts else _parts_of(native)
    said = _said(parts)
    note: Native = {"parts": has_parts}
    own: list[str] = []
    for key in _TWICE:
        if key not in native:
            continue
        nothing = spelling.spelling_of(native[key])
        if key in said and same_document(native[key], said[key]):
            note[key] = "said"
        elif key != "content" and nothing in _NOTHING:
            # It says nothing whatever the parts say: these may be edited.
            note[key] = nothing
        else:
            own.append(key)
            note[key] = "own"
    new = [one for part in parts for one in _new_parts(part)]
    attached: Any = native.get(_ATTACHMENTS, [])
    if not is_list(attached) or not all(is_object(each) and "type" not in each for each in attached):
        return None
    if _ATTACHMENTS in native:
        note[_ATTACHMENTS] = len(attached)
    new += [{"type": "file", **_renamed(each, _ATTACHED)} for each in attached]
    taken = {*KEYS, "parts"} - {*own}
    rest = {key: value for key, value in native.items() if key not in taken}
    return {**rest, "parts": new}, note


def as_old(native: Native, note: Any) -> Native | None:
    """Return a message of today as one of version 4; None where that cannot say it.

    Args:
        native: of today.
        note: what the mark says.
    """
    parts: list[Any] = native["parts"]
    if not is_mapping(note) or note.get("mixed") is True:
        return None
    out: Native = {key: value for key, value in native.items() if key != "parts"}
    if _ATTACHMENTS in note:
        count = next((index for index, part in enumerate(reversed(parts)) if not _is_file(part)), len(parts))
        attached = parts[len(parts) - count :]
        parts = parts[: len(parts) - count]
        out[_ATTACHMENTS] = [_back({key: part[key] for key in part if key != "type"}, _ATTACHED) for part in attached]
    old = _old_parts(parts)
    said = _said(old)
    for key in _TWICE:
        told: Any = note.get(key)
        if told in _NOTHING and key not in out:
            out[key] = _NOTHING[told]
        elif told is not None and key in said and key not in out:
            out[key] = said[key]
    if note.get("parts") is True:
        out["parts"] = old
    elif not same_document(_parts_of(out), old):
        return None
    return out


def _is_file(part: Any) -> bool:
    return is_object(part) and part.get("type") == "file"


def mixed(native: Native) -> Native:
    """Return what the mark says of a message of version 4 with parts of today: which keys say nothing, and how."""
    nothing = {key: spelling.spelling_of(native[key]) for key in _TWICE if key != "content" and key in native}
    return {"mixed": True, **{key: how for key, how in nothing.items() if how in _NOTHING}}


def written(native: Native, note: Any) -> Native:
    """Return a message of today as one of version 4, if it was read so and is the same there."""
    if is_mapping(note) and note.get("mixed") is True:
        if not is_old(native):
            return native
        silent = {key: _NOTHING[note[key]] for key in _TWICE if note.get(key) in _NOTHING and key not in native}
        spelt = {**native, **silent}
        return spelt if mixed(spelt) == note else native
    old = as_old(native, note)
    if old is None or not is_old(old):
        return native
    back = _new(old)
    return old if back is not None and same_document(back[0], native) and as_new(old) is not None else native


# -- times ------------------------------------------------------------------------------------------------------------


def read_time(value: Any) -> datetime | None:
    """Return the time that JavaScript wrote; None of anything else."""
    if type(value) is not str:
        return None
    try:
        time = datetime.fromisoformat(value)
    except ValueError:
        return None
    return time if write_time(time) == value else None


def write_time(time: datetime) -> str | None:
    """Return a time as JavaScript writes it; None where that is not exact."""
    if time.tzinfo is None or time.utcoffset() != UTC.utcoffset(None) or time.microsecond % 1000:
        return None
    return time.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
