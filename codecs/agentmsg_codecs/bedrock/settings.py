"""Settings: the parameters of a request.

| Bedrock | agentmsg |
| --- | --- |
| modelId (of the SDKs' requests) | model |
| inferenceConfig: maxTokens, temperature, topP, stopSequences | max_tokens, temperature, top_p, stop |
| toolChoice of toolConfig: auto, any; tool | tool_choice: "auto", "required"; its name |
| textFormat of outputConfig: the text of a schema, its name, description | response_format: the same |
| effort of outputConfig | reasoning: the effort |

Anything else in these objects is an extra, such as the fields of one model.
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import Drop, Native, Swap, Unreadable, adopt, is_mapping, is_object, mark_of, spelling
from agentmsg.formats.bodies import BodySettings
from agentmsg.formats.forms import Described, Form, Hatch, Text, Via, Whole
from agentmsg_codecs.bedrock.names import FAMILY

_CHOICES: dict[str, Any] = {"auto": {"auto": {}}, "required": {"any": {}}}
# The settings by the object that holds them.
_INSIDE = {
    "inferenceConfig": ("maxTokens", "temperature", "topP", "stopSequences"),
    "toolConfig": ("toolChoice",),
    "outputConfig": ("textFormat", "effort"),
}
_EFFORTS = frozenset({"low", "medium", "high", "xhigh", "max"})
_LEAST = {"minimal": "low"}
_OF_SCHEMAS = frozenset({"schema", "name", "description"})


# -- the format of the output -----------------------------------------------------------------------------------------


def _read_format(native: Native) -> dict[str, Any]:
    odd = {"odd": ("textFormat",)}
    held: Any = native["textFormat"]
    structure: Any = held.get("structure") if is_object(held) else None
    told: Any = structure.get("jsonSchema") if is_object(structure) else None
    text: Any = told.get("schema") if is_object(told) else None
    found = spelling.styled(text) if type(text) is str else None
    if found is None or not is_object(found[0]):
        return odd
    words = {key: told[key] for key in told if key in _OF_SCHEMAS and type(told[key]) is str}
    said = {**words, "schema": found[0]}
    return {"response_format": adopt(said), "notes": {} if found[1] == "python" else {"/schema": found[1]}}


def _write_format(settings: Any) -> Native:
    form, style = settings.response_format, mark_of(settings, FAMILY, "/schema")
    is_known = type(style) is str and style in spelling.JSON_STYLES
    return {"textFormat": _text_format(form, style if is_known else "python")} if is_mapping(form) else {}


def _text_format(said: Any, style: str) -> Native:
    told = {**thaw(said), "schema": spelling.dump_styled(thaw(said["schema"]), style)}
    return {"type": "json_schema", "structure": {"jsonSchema": told}}


def _carried_format(value: Any, _: Any) -> Any:
    schema = value.get("schema") if is_mapping(value) else None
    if not is_mapping(schema):
        return Drop("only the schema of a response format is supported")
    kept = {key: value[key] for key in value if key == "schema" or (key in _OF_SCHEMAS and type(value[key]) is str)}
    return value if len(kept) == len(value) else Swap(adopt(kept), "a schema has only a name and a description here")


# -- reasoning --------------------------------------------------------------------------------------------------------


def _read_effort(value: Any) -> Any:
    if type(value) is not str or value not in _EFFORTS:
        raise Unreadable
    return adopt({"effort": value})


def _write_effort(value: Any) -> Any:
    effort: Any = value.get("effort") if is_mapping(value) else None
    return _LEAST.get(effort, effort) if type(effort) is str else None


_key = BodySettings.key
SETTINGS = BodySettings(Described(FAMILY, (
    Form("settings", am.Settings, None, (
        _key("modelId", Text(), "model"),
        _key("maxTokens", Whole(), "max_tokens"),
        BodySettings.between("temperature", 0, 1),
        BodySettings.between("topP", 0, 1, "top_p"),
        BodySettings.stops("stopSequences"),
        BodySettings.choice("toolChoice", _CHOICES, lambda name: {"tool": {"name": name}}),
        Hatch(keys=("textFormat",), cells={"response_format": _carried_format}, get=_read_format, put=_write_format,
              is_optional=True, odd=("textFormat",), about="response_format"),
        _key("effort", Via(_read_effort, _write_effort, {}, supports=BodySettings.coming_back(
            _read_effort, _write_effort, "only the effort of reasoning can be set here")), "reasoning"),
    ), is_apart=True),
), {}), inside=_INSIDE)  # fmt: skip
