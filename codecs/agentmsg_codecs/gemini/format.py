"""The description of Gemini's generateContent: parts and usage.

Parts have no tag: one key identifies a part. Its value is a text or an object, whose unknown keys are
extras["gemini.item"].

Follows the Python package google-genai 3.4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    EMPTY,
    KEEP,
    Native,
    Unreadable,
    adopt,
    is_list,
    is_mapping,
    is_marked,
    is_object,
    is_sequence,
    maker,
    mark_of,
    media,
    natives,
    tool_arguments,
    word_at,
)
from agentmsg.formats.forms import (
    Const,
    Content,
    Described,
    Form,
    Hatch,
    Input,
    Inside,
    Json,
    Key,
    Link,
    Spread,
    Text,
    Total,
    Whole,
    Words,
    Wrapped,
)
from agentmsg_codecs.gemini.names import CODE, DATA, FAMILY, INNER, ITEM, OUTCOMES, PROVIDER, SIGNATURE
from agentmsg_codecs.gemini.spelling import GeminiParts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats import Parts


# -- results ----------------------------------------------------------------------------------------------------------

# Of client tools: a response is an object, and one key of it may hold the result. ``{"output": text}`` is a text,
# ``{"error": text}`` an error text. Any other value under these keys is structured, as is any other object. ``result``
# and ``return_value``, which libraries write, are read like ``output``.


_make_text = maker(am.TextBlock, "text")
_WORDS = ("output", "result", "return_value")
KNOWN = frozenset(INNER["functionResponse"])
# The Python package writes these as null if they are absent.
_LACKING = ("id", "name", "parts")


def _is_envelope(response: Mapping[str, Any]) -> bool:
    return len(response) == 1 and next(iter(response)) in (*_WORDS, "error")


def _read_response(response: Native) -> dict[str, Any]:
    """Read a response into fields; note that it is an object or an error, or its key if that isn't the usual one."""
    if not _is_envelope(response):
        return {"structured": adopt(response), "notes": {"/whole": True}} if response else {}
    word, value = next(iter(response.items()))
    fields: dict[str, Any] = {"status": "error"} if word == "error" else {}
    if type(value) is str:
        fields["content"] = (_make_text(value),)
    elif value is None:
        raise Unreadable
    else:
        fields["structured"] = adopt(value)
    is_usual = word == "output" and (type(value) is str or not is_object(value))
    return fields if is_usual else {**fields, "notes": {"/word": word}}


def _write_response(block: Any) -> Native:
    first = block.content[0] if block.content else None
    value = first.text if isinstance(first, am.TextBlock) else thaw(block.structured)
    if block.status == "error":
        return {"error": value}
    if value is None:
        return {}
    word = mark_of(block, FAMILY, "/word")
    if word in _WORDS:
        return {str(word): value}
    return value if is_mapping(value) and value and not _is_envelope(value) else {"output": value}


def _read(native: Native, inner: Parts) -> dict[str, Any]:
    held: Any = native["functionResponse"]
    if not is_object(held) or not is_object(held.get("response")):
        raise Unreadable
    nulls = [key for key in _LACKING if key in held and held[key] is None] if None in held.values() else []
    if nulls:
        held = {key: value for key, value in held.items() if key not in nulls}
    fields = _read_response(held["response"])
    lacks = {}
    if "id" not in held or "name" not in held:
        lacks = {mark: True for key, mark in (("id", "/no-id"), ("name", "/no-name")) if key not in held}
    if lacks or nulls:
        fields["notes"] = {**fields.get("notes", {}), **lacks, **({"/null": nulls} if nulls else {})}
    parts: Any = held.get("parts")
    if "parts" in held:
        if not is_list(parts) or not parts:
            raise Unreadable
        fields["content"] = (*fields.get("content", ()), *map(inner.read, parts))
        fields["notes"] = {**fields.get("notes", {}), "/parts": True}
    extras = EMPTY if held.keys() <= KNOWN else natives.rest_of(held, KNOWN, ITEM)
    return {**fields, "tool_call_id": word_at(held, "id"), "name": word_at(held, "name"), "extras": extras}


def _write(block: Any, inner: Parts) -> Native:
    held: Native = {} if block.tool_call_id is None else {"id": natives.link_of(block.tool_call_id)}
    if block.name is not None:
        held["name"] = natives.link_of(block.name)
    held["response"] = _write_response(block)
    content = block.content
    media = content[1:] if content and isinstance(content[0], am.TextBlock) else content
    if media:
        held["parts"] = list(map(inner.write, media))
    nulls = mark_of(block, FAMILY, "/null")
    if is_sequence(nulls):
        held |= {key: None for key in _LACKING if key in nulls and key not in held}
    return {"functionResponse": {**held, **natives.extras_copy(block, ITEM)}}


_SCHEMA = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "name": {"type": "string"},
        "response": {"type": "object"},
        "parts": {"type": "array", "items": {"$ref": "#/$defs/place_inner"}, "minItems": 1},
    },
    "required": ["response"],
}


def result(inner: Callable[[], Parts]) -> Hatch:
    """Return the hatch for results.

    Args:
        inner: returns the table of the parts allowed in a result.
    """

    def get(native: Native) -> dict[str, Any]:
        return _read(native, inner())

    def put(block: Any) -> Native:
        return _write(block, inner())

    return Hatch(
        keys=("functionResponse",),
        cells=dict.fromkeys(("tool_call_id", "name", "content", "structured", "status"), KEEP),
        get=get,
        put=put,
        must=("functionResponse",),
        schema={"functionResponse": _SCHEMA},
        about="tool_call_id, name, content, structured, status",
        spaces=(ITEM,),
    )


_SERVER = {"kind": "server", "provider": PROVIDER}
_SIGNATURE = Wrapped(am.Signature, "value", {"provider": PROVIDER}, full=True)
_SIGNED = Key(SIGNATURE, "signature", _SIGNATURE, "may")


# -- which part is which ----------------------------------------------------------------------------------------------


def _has_only(key: str, *, is_thought: bool = False) -> Callable[[Native], bool]:
    """Return the test whether a part has this key and no other that makes a part."""
    wanted = frozenset({key})

    def fits(native: Native) -> bool:
        if len(native) == 1:
            return key in native and not is_thought  # the usual case
        if key not in native:
            return False
        said = native.get("thought") is True if is_thought else "thought" not in native
        return said and DATA.intersection(native) == wanted

    return fits


def _by_key(key: str, **how: bool) -> dict[str, Any]:
    """Return the arguments of a Form for parts made by a key."""
    return {"around": key, "fits": _has_only(key, **how)}


def _is_signature(native: Native) -> bool:
    """Whether a part is a signature alone."""
    return bool(native.get(SIGNATURE)) and "thought" not in native and DATA.isdisjoint(native)


def is_data_url(uri: Any) -> bool:
    """Whether a file's URI is a data URL: Gemini has another key for data."""
    return type(uri) is str and uri[:5].lower() == "data:"


def _has_media(key: str, kind: str) -> Callable[[Native], bool]:
    is_around, is_thought = _has_only(key), _has_only(key, is_thought=True)

    def fits(native: Native) -> bool:
        held = native.get(key)
        if not is_object(held) or media.kind_of(held.get("mimeType")) != kind:
            return False
        # For media in a model's thinking, "thought" is an extra.
        return (is_around(native) or is_thought(native)) and not is_data_url(held.get("fileUri"))

    return fits


# -- media ------------------------------------------------------------------------------------------------------------


def _media(kind: str, cls: type[Any], key: str, source: type[Any], *where: Key) -> Form:
    said = (Key("displayName", "name", Text(), "may"),) if cls is am.FileBlock else ()
    items = (Spread("source", source, (Key("mimeType", "media_type", Text(), "may"), *where)), *said)
    return Form(
        f"{kind}_{key}", cls, None, (Inside(key, items, space=ITEM), _SIGNED),
        marks={"untyped": lambda native: native[key].get("mimeType") is None},
        around=key, fits=_has_media(key, kind), when=lambda block: type(block.source) is source,
    )  # fmt: skip


_DATA, _URI = Key("data", "data", Text()), Key("fileUri", "url", Text())


# -- code -------------------------------------------------------------------------------------------------------------


def _read_code(native: Native) -> dict[str, Any]:
    held = native["executableCode"]
    if not is_object(held) or not {"language", "code"} <= held.keys() <= {*INNER["executableCode"]}:
        raise Unreadable
    if not all(type(value) is str for value in held.values()):
        raise Unreadable
    return {"id": held.get("id"), "input": adopt({key: held[key] for key in ("language", "code")})}


def _write_code(block: am.ToolUseBlock) -> Native:
    held = tool_arguments.input_copy(block)
    return {"executableCode": held if block.id is None else {"id": str.__str__(block.id), **held}}


def is_code(block: Any) -> bool:
    """Whether a call runs code in the form that Gemini writes."""
    if block.name != CODE or not block.is_valid or not is_mapping(block.input):
        return False
    return block.input.keys() == {"language", "code"} and all(type(said) is str for said in block.input.values())


_CODE = Hatch(
    keys=("executableCode",),
    cells={"id": KEEP, "input": KEEP},
    get=_read_code,
    put=_write_code,
    must=("executableCode",),
    schema={"executableCode": {
        "type": "object",
        "properties": {"id": {"type": "string"}, "language": {"type": "string"}, "code": {"type": "string"}},
        "required": ["language", "code"],
        "additionalProperties": False,
    }},
    about="input",
)  # fmt: skip


# -- forms ------------------------------------------------------------------------------------------------------------


def _call(key: str, name: str) -> Inside:
    link = Key("id", "id", Link(), "may", lacks="no-id")
    return Inside(key, (link, Key(name, "name", Text()), Key("args", "input", Input(), "{}")), space=ITEM)


def is_of_code(block: Any) -> bool:
    """Whether a result is the output of code."""
    return block.name == CODE and block.structured is None


def _signs_alone(block: Any) -> bool:
    """Whether thinking is only a signature: it has no text, and wasn't read with an empty one."""
    return not block.thinking and block.signature is not None and not is_marked(block, FAMILY, "/empty")


PARTS = (
    Form("text", am.TextBlock, None, (Key("text", "text", Text()), _SIGNED), **_by_key("text")),
    Form("thought", am.ThinkingBlock, None, (Key("text", "thinking", Text()), Const("thought", value=True), _SIGNED),
         **_by_key("text", is_thought=True),
         marks={"empty": lambda native: native["text"] == "", "unsigned": lambda native: SIGNATURE not in native},
         when=lambda block: not _signs_alone(block)),
    Form("signature", am.ThinkingBlock, None, (
        Key(SIGNATURE, "signature", _SIGNATURE),
    ), fits=_is_signature, when=_signs_alone),
    *(_media(kind, cls, "inlineData", am.Base64Source, _DATA) for kind, cls in media.CLASSES.items()),
    *(_media(kind, cls, "fileData", am.URLSource, _URI) for kind, cls in media.CLASSES.items()),
    Form("call", am.ToolUseBlock, None, (_call("functionCall", "name"), _SIGNED), **_by_key("functionCall")),
    Form("code", am.ToolUseBlock, None, (_CODE, _SIGNED), **_by_key("executableCode"),
         fixed={**_SERVER, "name": CODE}, when=is_code),
    Form("tool_call", am.ToolUseBlock, None, (_call("toolCall", "toolType"), _SIGNED), **_by_key("toolCall"),
         fixed=_SERVER, when=lambda block: not is_code(block)),
    Form("code_result", am.ToolResultBlock, None, (
        Inside("codeExecutionResult", (
            Key("id", "tool_call_id", Link(), "may"),
            Key("outcome", "status", Words(OUTCOMES, is_closed=True), "may"),
            Key("output", "content", Content(), "may"),
        ), space=ITEM),
        _SIGNED,
    ), **_by_key("codeExecutionResult"), fixed={**_SERVER, "name": CODE}, when=is_of_code),
    Form("tool_response", am.ToolResultBlock, None, (
        Inside("toolResponse", (
            Key("id", "tool_call_id", Link(), "may"), Key("toolType", "name", Text()),
            Key("response", "structured", Json(), "may"),
        ), space=ITEM),
        _SIGNED,
    ), **_by_key("toolResponse"), fixed=_SERVER, when=lambda block: not is_of_code(block)),
)  # fmt: skip
_ALL_MEDIA = tuple(form.name for form in PARTS if form.cls in media.KINDS)
PLACES = {
    "system": ("text",),
    "user": ("text", *_ALL_MEDIA),
    "model": tuple(form.name for form in PARTS if not form.is_apart),
    "inner": _ALL_MEDIA,
}

# -- usage ------------------------------------------------------------------------------------------------------------


def _of_tools(value: Any) -> int:
    return value if type(value) is int and value > 0 else 0


def _adds_up(count: Any, tools: Any) -> TypeGuard[int]:
    """Whether a count can be added to that of tools; a negative sum of both could not be told from an edited input."""
    return type(count) is int and not count < 0 < _of_tools(tools)


def _read_input(native: Native) -> dict[str, Any]:
    count, tools = native.get(_PROMPT), native.get(TOOLS_PROMPT)
    odd = (TOOLS_PROMPT,) if TOOLS_PROMPT in native else ()
    if not _adds_up(count, tools):
        return {"odd": (*odd, *((_PROMPT,) if _PROMPT in native else ()))}
    return {"input": count + _of_tools(tools), "odd": odd}


def _write_input(usage: Any) -> Native:
    if usage.input is None:
        return {}
    return {_PROMPT: usage.input - _of_tools(natives.extras_of(usage, FAMILY).get(TOOLS_PROMPT))}


def is_odd_count(usage: Any, key: str, value: Any) -> bool:
    """Whether a count is an extra beside the input, or instead of it."""
    if key == TOOLS_PROMPT:
        return usage.input is None or _of_tools(value) <= usage.input
    tools = natives.extras_of(usage, FAMILY).get(TOOLS_PROMPT)
    return key == _PROMPT and usage.input is None and not _adds_up(value, tools)


_PROMPT, TOOLS_PROMPT = "promptTokenCount", "toolUsePromptTokenCount"
USAGE = Form("usage", am.Usage, None, (
    # What tools of the provider gave the model to read is counted apart.
    Hatch(keys=(_PROMPT, TOOLS_PROMPT), cells={"input": KEEP}, get=_read_input, put=_write_input, is_optional=True,
          odd=(_PROMPT, TOOLS_PROMPT), schema={_PROMPT: {"type": "integer"}}, about="input"),
    Key("cachedContentTokenCount", "cache_read", Whole(), "may"),
    Key("candidatesTokenCount", "output", Total(0, beside=("reasoning",)), "may"),
    Key("thoughtsTokenCount", "reasoning", Whole(), "may"),
    Key("totalTokenCount", "total", Whole(), "may"),
))  # fmt: skip


def describe() -> Described:
    """Return the description."""
    items = (result(lambda: described.parts["inner"]), _SIGNED)
    given = Form("result", am.ToolResultBlock, None, items, **_by_key("functionResponse"), is_apart=True)
    described = Described(FAMILY, (*PARTS, given), PLACES, table=GeminiParts)
    return described
