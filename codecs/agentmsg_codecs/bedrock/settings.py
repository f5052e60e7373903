"""Settings: what a request asks for beside its messages and tools.

| Bedrock | agentmsg |
| --- | --- |
| modelId (of the SDKs' requests) | model |
| inferenceConfig: maxTokens, temperature, topP, stopSequences | max_tokens, temperature, top_p, stop |
| toolChoice of toolConfig: auto, any; tool | tool_choice: "auto", "required"; its name |

What else stands in these objects is an extra, such as the fields of single models.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import KEEP, Native, Unreadable, adopt, is_list, is_mapping, is_object
from agentmsg.formats.bodies import BodySettings
from agentmsg.formats.forms import Described, Form, Text, Via, Whole
from agentmsg_codecs.bedrock.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg.formats import Row

_CHOICES = {"auto": "auto", "any": "required"}
_SPELT = {ours: word for word, ours in _CHOICES.items()}
# The settings by the object that they stand in.
_INSIDE = {
    "inferenceConfig": ("maxTokens", "temperature", "topP", "stopSequences"),
    "toolConfig": ("toolChoice",),
}


def _read_stop(value: Any) -> tuple[str, ...]:
    if not is_list(value) or not value or not all(type(text) is str for text in value):
        raise Unreadable
    return tuple(value)


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
        _key("stopSequences", Via(_read_stop, list, _ANY, supports=KEEP), "stop"),
        _key("toolChoice", Via(_read_choice, _write_choice, _ANY, supports=BodySettings.coming_back(
            _read_choice, _write_choice, "no such choice of tools here")), "tool_choice"),
    ), is_apart=True),
), {}))  # fmt: skip
_FLAT = frozenset(key for keys in _INSIDE.values() for key in keys)


def read_settings(parameters: Native) -> tuple[am.Settings | None, Native]:
    """Return the settings of the parameters of a body, and the parameters that are none."""
    flat = {key: value for key, value in parameters.items() if key not in _INSIDE and key not in _FLAT}
    held: dict[str, Native] = {name: parameters[name] for name in _INSIDE if is_object(parameters.get(name))}
    inside = {key: own[key] for name, own in held.items() for key in _INSIDE[name] if key in own}
    settings, rest = SETTINGS.read({**flat, **inside})
    for name, keys in _INSIDE.items():
        if name in parameters:
            own = held.get(name)
            left = {key: value for key, value in own.items() if key not in keys or key in rest} if own else None
            if left != {}:
                rest[name] = parameters[name] if left is None else left
    rest = {key: value for key, value in rest.items() if key not in inside}
    return settings, {**rest, **{key: parameters[key] for key in parameters if key in _FLAT}}


def write_settings(settings: am.Settings | None, rest: Mapping[str, Any]) -> Native:
    """Return the parameters of settings, with what else stands in the same objects."""
    flat = SETTINGS.write(settings)
    out = {key: value for key, value in flat.items() if key not in _FLAT}
    for name, keys in _INSIDE.items():
        inside = {key: flat[key] for key in keys if key in flat}
        if inside:
            own = rest.get(name)
            out[name] = {**(thaw(own) if is_mapping(own) else {}), **inside}
    return out


def settings_row() -> Row:
    """Return the row of settings."""
    return SETTINGS.row()
