"""Settings: the parameters of a request. Most are in ``generationConfig``.

| Gemini | agentmsg |
| --- | --- |
| model (of the SDK's requests) | model |
| maxOutputTokens, temperature, topP, topK, seed, stopSequences | max_tokens, temperature, top_p, top_k, seed, stop |
| responseMimeType: text/plain; application/json | response_format: "text"; "json" |
| application/json with responseJsonSchema or responseSchema | response_format: the schema |
| thinkingConfig: thinkingBudget; thinkingLevel | reasoning: the budget, "off" for 0; the effort |
| toolConfig: AUTO, ANY, NONE; one allowed name | tool_choice: "auto", "required", "none"; its name |

Anything else in these objects is an extra. So are the whole objects if their keys are in snake_case.
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import Drop, Native, Swap, Unreadable, adopt, is_mapping, is_object, mark_of
from agentmsg.formats.bodies import BodySettings
from agentmsg.formats.forms import Described, Form, Hatch, Text, Via, Whole
from agentmsg_codecs.gemini.names import FAMILY

CONFIG = "generationConfig"
_LEVELS = {"MINIMAL": "minimal", "LOW": "low", "MEDIUM": "medium", "HIGH": "high"}
_EFFORTS = {effort: level for level, effort in _LEVELS.items()}
_NEAREST = {"xhigh": "high", "max": "high"}
_TYPES = {"text/plain": "text", "application/json": "json"}
_MIME, _SCHEMAS = "responseMimeType", ("responseJsonSchema", "responseSchema")


def _mode(mode: str, **others: Any) -> Native:
    return {"functionCallingConfig": {"mode": mode, **others}}


def _read_format(native: Native) -> dict[str, Any]:
    keys = [key for key in (_MIME, *_SCHEMAS) if key in native]
    mime, schemas = native.get(_MIME), [key for key in _SCHEMAS if key in native]
    if type(mime) is not str or mime not in _TYPES or len(schemas) > 1 or (schemas and mime != "application/json"):
        return {"odd": keys}
    if not schemas:
        return {"response_format": _TYPES[mime]}
    if not is_object(native[schemas[0]]):
        return {"odd": keys}
    notes = {} if schemas[0] == _SCHEMAS[0] else {"/schema": schemas[0]}
    return {"response_format": adopt({"schema": native[schemas[0]]}), "notes": notes}


def _write_format(settings: Any) -> Native:
    form = settings.response_format
    if is_mapping(form):
        marked = mark_of(settings, FAMILY, "/schema")
        key = marked if marked in _SCHEMAS else _SCHEMAS[0]
        return {_MIME: "application/json", key: thaw(form.get("schema"))}
    mime = next((mime for mime, ours in _TYPES.items() if ours == form), None)
    return {} if mime is None else {_MIME: mime}


def _carried_format(value: Any, _: Any) -> Any:
    why = "only the schema of a response format is supported"
    if value in ("text", "json"):
        return value
    if not is_mapping(value) or not is_mapping(value.get("schema")):
        return Drop("this response format isn't supported")
    return value if len(value) == 1 else Swap(adopt({"schema": value["schema"]}), why)


def _read_thinking(value: Any) -> Any:
    if not is_object(value) or len(value) != 1:
        raise Unreadable
    budget, level = value.get("thinkingBudget"), value.get("thinkingLevel")
    if type(budget) is int:
        return "off" if budget == 0 else adopt({"budget": budget})
    if type(level) is not str or level not in _LEVELS:
        raise Unreadable
    return adopt({"effort": _LEVELS[level]})


def _write_thinking(value: Any) -> Native:
    if value == "off":
        return {"thinkingBudget": 0}
    if not is_mapping(value):
        return {}
    if type(value.get("budget")) is int:
        return {"thinkingBudget": value["budget"]}
    effort: Any = value.get("effort")
    return {"thinkingLevel": _EFFORTS.get(_NEAREST.get(effort, effort)) if type(effort) is str else None}


_MODES = {"auto": _mode("AUTO"), "required": _mode("ANY"), "none": _mode("NONE")}
_key = BodySettings.key
_ANY: Any = {}
_coming_back = BodySettings.coming_back
SETTINGS = BodySettings(Described(FAMILY, (
    Form("settings", am.Settings, None, (
        _key("model", Text()),
        _key("maxOutputTokens", Whole(), "max_tokens"),
        BodySettings.between("temperature", 0, 2),
        BodySettings.between("topP", 0, 1, "top_p"),
        _key("topK", Whole(), "top_k"),
        BodySettings.stops("stopSequences"),
        _key("seed", Whole()),
        BodySettings.choice("toolConfig", _MODES, lambda name: _mode("ANY", allowedFunctionNames=[name])),
        Hatch(keys=(_MIME, *_SCHEMAS), cells={"response_format": _carried_format}, get=_read_format, put=_write_format,
              is_optional=True, odd=(_MIME, *_SCHEMAS), about="response_format"),
        _key("thinkingConfig", Via(_read_thinking, _write_thinking, _ANY, supports=_coming_back(
            _read_thinking, _write_thinking, "thinking takes a budget or a level here")), "reasoning"),
    ), is_apart=True),
), {}), inside={CONFIG: (
    "maxOutputTokens", "temperature", "topP", "topK", "stopSequences", "seed", _MIME, *_SCHEMAS, "thinkingConfig",
)})  # fmt: skip
