"""Settings: the parameters of a request. Most are in ``generationConfig``.

| Gemini | agentmsg |
| --- | --- |
| model (of the SDK's requests) | model |
| maxOutputTokens, temperature, topP, topK, seed, stopSequences | max_tokens, temperature, top_p, top_k, seed, stop |
| responseMimeType: text/plain; application/json | response_format: "text"; "json" |
| application/json with responseJsonSchema or responseSchema | response_format: the schema |
| thinkingConfig: thinkingBudget; thinkingLevel | reasoning: the budget, "off" for 0; the effort |
| includeThoughts of thinkingConfig | the summary of reasoning: "auto" |
| toolConfig: AUTO, ANY, NONE; one allowed name | tool_choice: "auto", "required", "none"; its name |

Anything else in these objects is an extra.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    Drop,
    Native,
    Swap,
    adopt,
    is_mapping,
    is_object,
    natives,
)
from agentmsg.formats.bodies import BodySettings
from agentmsg.formats.forms import Described, Form, Hatch, Text, Whole
from agentmsg_codecs.gemini.names import CONFIG, FAMILY, IN_CONFIG, MIME, SCHEMAS, SYSTEM, TOOL_CONFIG, snake
from agentmsg_codecs.gemini.schemas import RESPONSE, WAYS, meaning
from agentmsg_codecs.gemini.spelling import camel, spellings

if TYPE_CHECKING:
    from collections.abc import Mapping

_MODES = {ours: {"mode": word} for ours, word in (("auto", "AUTO"), ("required", "ANY"), ("none", "NONE"))}
_LEVELS = {"MINIMAL": "minimal", "LOW": "low", "MEDIUM": "medium", "HIGH": "high"}
_EFFORTS = {effort: level for level, effort in _LEVELS.items()}
_NEAREST = {"xhigh": "high", "max": "high"}
_OFF = {"budget": 0}
_JSON = "application/json"
_TYPES = {"text/plain": "text", _JSON: "json"}


def _read_format(native: Native) -> dict[str, Any]:
    keys = [key for key in (MIME, *SCHEMAS) if key in native]
    mime = native.get(MIME)
    if type(mime) is str and mime in _TYPES and len(keys) == 1:
        return {"response_format": _TYPES[mime]}
    if mime != _JSON or keys != [MIME, SCHEMAS[0]] or not is_object(native[SCHEMAS[0]]):
        return {"odd": keys}
    return {"response_format": adopt({"schema": native[SCHEMAS[0]]})}


def _write_format(settings: Any) -> Native:
    form = settings.response_format
    if is_mapping(form):
        return {MIME: _JSON, SCHEMAS[0]: thaw(form.get("schema"))}
    mime = next((mime for mime, ours in _TYPES.items() if ours == form), None)
    return {} if mime is None else {MIME: mime}


def _carried_format(value: Any, _: Any) -> Any:
    why = "only the schema of a response format is supported"
    if value in ("text", "json"):
        return value
    if not is_mapping(value) or not is_mapping(value.get("schema")):
        return Drop("this response format isn't supported")
    return value if len(value) == 1 else Swap(adopt({"schema": value["schema"]}), why)


def _read_thinking(native: Native) -> dict[str, Any]:
    held: Any = native["thinkingConfig"]
    given: Native = held if is_object(held) else {}
    level, budget = given.get("thinkingLevel"), given.get("thinkingBudget")
    said: Native = {"budget": budget} if type(budget) is int else {}
    if type(level) is str and level in _LEVELS:
        said = {"effort": _LEVELS[level]}
    if given.get("includeThoughts") is True:
        said["summary"] = "auto"
    if not said:
        return {"odd": ("thinkingConfig",)}
    return {"reasoning": "off" if said == _OFF else adopt(said)}


def _write_thinking(settings: Any) -> Native:
    said = _OFF if settings.reasoning == "off" else settings.reasoning
    if not is_mapping(said):
        return {}
    held: Native = {"thinkingBudget": thaw(said["budget"])} if "budget" in said else {}
    if "effort" in said:
        effort: Any = said["effort"]
        held["thinkingLevel"] = _EFFORTS.get(effort)
    if "summary" in said:
        held["includeThoughts"] = True
    return {"thinkingConfig": held} if held else {}


def _carried_thinking(value: Any, _: Any) -> Any:
    """Keep a budget or an effort, and whether to tell the thoughts."""
    if value == "off":
        return value
    given: Any = value if is_mapping(value) else {}
    effort = given.get("effort")
    word = _NEAREST.get(effort, effort) if type(effort) is str else None
    kept: Native = {"effort": word} if word in _EFFORTS else {}
    # -1 leaves it to the model, as it is where there is an effort.
    if type(given.get("budget")) is int and not (kept and given["budget"] == -1):
        kept = {"budget": given["budget"]}
    if type(given.get("summary")) is str:
        kept["summary"] = "auto"
    why = "thinking takes a budget or a level here"
    if not kept:
        return Drop(why)
    if kept == _OFF:
        return Swap("off", why)
    return value if list(kept.items()) == list(given.items()) else Swap(adopt(kept), why)


# -- other spellings --------------------------------------------------------------------------------------------------

_OUTER = (CONFIG, TOOL_CONFIG)
_KEYS = spellings((*_OUTER, SYSTEM), IN_CONFIG)


def usual_parameters(native: Native) -> Native:
    """Return the parameters of a body in the usual spelling; the same object if they are."""
    if native.keys().isdisjoint(_KEYS):
        return native
    native = camel(native, _KEYS, is_strict=False)
    config: Any = native.get(CONFIG)
    if not is_object(config):
        return native
    changed = _usual_format(config)
    thinking: Any = changed.get("thinkingConfig")
    if is_object(thinking) and (usual := _usual_thinking(thinking)) is not thinking:
        changed = {**changed, "thinkingConfig": usual}
    return native if changed is config else {**native, CONFIG: changed}


def _usual_format(config: Native) -> Native:
    """Return a configuration whose schema of the answer is JSON Schema, rather than OpenAPI's."""
    schema = config.get(RESPONSE)
    if config.get(MIME) != _JSON or not is_object(schema) or SCHEMAS[0] in config:
        return config
    return {**{key: value for key, value in config.items() if key != RESPONSE}, SCHEMAS[0]: meaning(schema)}


def _usual_thinking(held: Native) -> Native:
    """Return a configuration of thinking with a level in capitals, and without what it doesn't include."""
    level: Any = held.get("thinkingLevel")
    is_low = type(level) is str and level.upper() in _LEVELS and level not in _LEVELS
    out = {**held, "thinkingLevel": level.upper()} if is_low else held
    is_said = out.get("thinkingLevel") in _EFFORTS.values() or type(out.get("thinkingBudget")) is int
    if out.get("includeThoughts") is False and is_said:
        out = {key: value for key, value in out.items() if key != "includeThoughts"}
    return out


def written_parameters(history: am.History) -> Native:
    """Return the parameters for the settings of a history as they were spelt."""
    native = SETTINGS.write(history.settings)
    spelt: Native = natives.respelt(native, history, FAMILY, usual_parameters, WAYS)
    return spelt


class Settings(BodySettings):
    """Settings in either spelling."""

    def read(self, parameters: Mapping[str, Any]) -> tuple[am.Settings | None, Native]:
        """Return the settings in some parameters, and the remaining parameters."""
        return super().read(usual_parameters(dict(parameters)))


_key = BodySettings.key
SETTINGS = Settings(Described(FAMILY, (
    Form("settings", am.Settings, None, (
        _key("model", Text()),
        _key("maxOutputTokens", Whole(), "max_tokens"),
        BodySettings.between("temperature", 0, 2),
        BodySettings.between("topP", 0, 1, "top_p"),
        _key("topK", Whole(), "top_k"),
        BodySettings.stops("stopSequences"),
        _key("seed", Whole()),
        BodySettings.choice("functionCallingConfig", _MODES, lambda name: {
            "mode": "ANY", "allowedFunctionNames": [name],
        }),
        Hatch(keys=(MIME, *SCHEMAS), cells={"response_format": _carried_format}, get=_read_format, put=_write_format,
              is_optional=True, odd=(MIME, *SCHEMAS), about="response_format"),
        Hatch(keys=("thinkingConfig",), cells={"reasoning": _carried_thinking}, get=_read_thinking, put=_write_thinking,
              is_optional=True, odd=("thinkingConfig",), about="reasoning"),
    ), is_apart=True),
), {}), inside={**{key: IN_CONFIG[key] for key in _OUTER}, **{snake(key): () for key in _OUTER}})  # fmt: skip
