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
from agentmsg.formats.bodies import BodySettings
from agentmsg.formats.forms import Described, Form, Text, Whole
from agentmsg_codecs.bedrock.names import FAMILY

_CHOICES: dict[str, Any] = {"auto": {"auto": {}}, "required": {"any": {}}}
# The settings by the object that holds them.
_INSIDE = {
    "inferenceConfig": ("maxTokens", "temperature", "topP", "stopSequences"),
    "toolConfig": ("toolChoice",),
}


_key = BodySettings.key
SETTINGS = BodySettings(Described(FAMILY, (
    Form("settings", am.Settings, None, (
        _key("modelId", Text(), "model"),
        _key("maxTokens", Whole(), "max_tokens"),
        BodySettings.between("temperature", 0, 1),
        BodySettings.between("topP", 0, 1, "top_p"),
        BodySettings.stops("stopSequences"),
        BodySettings.choice("toolChoice", _CHOICES, lambda name: {"tool": {"name": name}}),
    ), is_apart=True),
), {}), inside=_INSIDE)  # fmt: skip
