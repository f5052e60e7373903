"""Settings: the parameters of a request.

| Bedrock | agentmsg |
| --- | --- |
| modelId (of the SDKs' requests) | model |
| inferenceConfig: maxTokens, temperature, topP, stopSequences | max_tokens, temperature, top_p, stop |
| toolChoice of toolConfig: auto, any; tool | tool_choice: "auto", "required"; its name |

Anything else in these objects is an extra, such as the fields of one model.
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import Native, Unreadable, adopt, is_mapping, is_object
from agentmsg.formats.bodies import BodySettings
from agentmsg.formats.forms import Described, Form, Text, Via, Whole
from agentmsg_codecs.bedrock.names import FAMILY

_CHOICES = {"auto": "auto", "any": "required"}
_SPELT = {ours: word for word, ours in _CHOICES.items()}
# The settings by the object that holds them.
_INSIDE = {
    "inferenceConfig": ("maxTokens", "temperature", "topP", "stopSequences"),
    "toolConfig": ("toolChoice",),
}


def _read_choice(value: Any) -> Any:
    if not is_object(value) or len(value) != 1:
        raise Unreadable
    ((word, held),) = value.items()
    if word in _CHOICES and held == {}:
        return _CHOICES[word]
    if word != "tool" or not is_object(held) or held.keys() != {"name"} or type(held["name"]) is not str:
        raise Unreadable
    return adopt({"name": held["name"]})


def _write_choice(value: Any) -> Native:
    if is_mapping(value):
        return {"tool": {"name": thaw(value.get("name"))}}
    return {_SPELT.get(value, "none") if type(value) is str else "none": {}}


_key = BodySettings.key
_ANY: Any = {}
SETTINGS = BodySettings(Described(FAMILY, (
    Form("settings", am.Settings, None, (
        _key("modelId", Text(), "model"),
        _key("maxTokens", Whole(), "max_tokens"),
        BodySettings.between("temperature", 0, 1),
        BodySettings.between("topP", 0, 1, "top_p"),
        BodySettings.stops("stopSequences"),
        _key("toolChoice", Via(_read_choice, _write_choice, _ANY, supports=BodySettings.coming_back(
            _read_choice, _write_choice, "this tool choice isn't supported")), "tool_choice"),
    ), is_apart=True),
), {}), inside=_INSIDE)  # fmt: skip
