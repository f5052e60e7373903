"""The description of Gemini's generateContent: parts and usage.

Parts have no tag: one key identifies a part. Its value is a text or an object, whose unknown keys are
extras["gemini.item"].

Follows the Python package google-genai 3.4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

import agentmsg as am
from agentmsg.formats import (
    KEEP,
    Native,
    Unreadable,
    adopt,
    is_mapping,
    is_marked,
    is_object,
    media,
    natives,
    tool_arguments,
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
from agentmsg_codecs.gemini.results import result
from agentmsg_codecs.gemini.spelling import GeminiParts

if TYPE_CHECKING:
    from collections.abc import Callable

_SERVER = {"kind": "server", "provider": PROVIDER}
_SIGNATURE = Wrapped(am.Signature, "value", {"provider": PROVIDER}, full=True)
_SIGNED = Key(SIGNATURE, "signature", _SIGNATURE, "may")


# -- which part is which ----------------------------------------------------------------------------------------------


def _has_only(key: str | None, *, is_thought: bool = False) -> Callable[[Native], bool]:
    """Return the test whether a part has this key and no other that makes a part."""
    wanted = frozenset[str]() if key is None else frozenset({key})

    def fits(native: Native) -> bool:
        if len(native) == 1 and key is not None:
            return key in native and not is_thought  # the usual case
        if key is not None and key not in native:
            return False
        said = native.get("thought") is True if is_thought else "thought" not in native
        return said and DATA.intersection(native) == wanted

    return fits


def _by_key(key: str, **how: bool) -> dict[str, Any]:
    """Return the arguments of a Form for parts made by a key."""
    return {"around": key, "fits": _has_only(key, **how)}


def _is_signature(native: Native) -> bool:
    """Whether a part is a signature alone."""
    return bool(native.get(SIGNATURE)) and _alone(native)


_alone = _has_only(None)


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
