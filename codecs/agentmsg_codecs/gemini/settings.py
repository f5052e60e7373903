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

Anything else in these objects is an extra. The mark ``/snake`` lists the keys that were in snake_case, the mark
``/thinking`` how thinkingConfig was spelt.
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
    is_sequence,
    mark_of,
    marked,
)
from agentmsg.formats.bodies import BodySettings
from agentmsg.formats.forms import Described, Form, Hatch, Text, Whole
from agentmsg_codecs.gemini.names import CONFIG, FAMILY, IN_CONFIG, MIME, SCHEMAS, TOOL_CONFIG, snake
from agentmsg_codecs.gemini.schemas import RESPONSE, read_schema, write_schema
from agentmsg_codecs.gemini.spelling import Keys

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MODES = {ours: {"mode": word} for ours, word in (("auto", "AUTO"), ("required", "ANY"), ("none", "NONE"))}
_LEVELS = {"MINIMAL": "minimal", "LOW": "low", "MEDIUM": "medium", "HIGH": "high"}
_EFFORTS = {effort: level for level, effort in _LEVELS.items()}
_NEAREST = {"xhigh": "high", "max": "high"}
_OFF = {"budget": 0}
_TYPES = {"text/plain": "text", "application/json": "json"}


def _read_format(native: Native) -> dict[str, Any]:
    keys = [key for key in (MIME, *SCHEMAS) if key in native]
    mime, schemas = native.get(MIME), [key for key in SCHEMAS if key in native]
    if type(mime) is not str or mime not in _TYPES or len(schemas) > 1 or (schemas and mime != "application/json"):
        return {"odd": keys}
    if not schemas:
        return {"response_format": _TYPES[mime]}
    if not is_object(native[schemas[0]]):
        return {"odd": keys}
    schema, notes = native[schemas[0]], Native()
    if schemas[0] == RESPONSE:
        schema, notes = read_schema(schema)
        notes["/schema"] = schemas[0]
    return {"response_format": adopt({"schema": schema}), "notes": adopt(notes)}


def _write_format(settings: Any) -> Native:
    form = settings.response_format
    if is_mapping(form):
        noted: Any = mark_of(settings, FAMILY, "/schema")
        key = noted if noted in SCHEMAS else SCHEMAS[0]
        return {MIME: "application/json", key: write_schema(form.get("schema"), settings, key)}
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
    level, budget, thoughts = (given.get(key) for key in ("thinkingLevel", "thinkingBudget", "includeThoughts"))
    said: Native = {"budget": budget} if type(budget) is int else {}
    if type(level) is str and level.upper() in _LEVELS:
        said = {"effort": _LEVELS[level.upper()]}
    if thoughts is True:
        said["summary"] = "auto"
    how = [*(["lower"] if type(level) is str and level.islower() else ()), *(["false"] if thoughts is False else ())]
    if not said:
        return {"odd": ("thinkingConfig",)}
    return {"reasoning": "off" if said == _OFF else adopt(said), "notes": {"/thinking": how} if how else {}}


def _write_thinking(settings: Any) -> Native:
    how = mark_of(settings, FAMILY, "/thinking")
    held = _thinking(_OFF if settings.reasoning == "off" else settings.reasoning, how if is_sequence(how) else ())
    return {"thinkingConfig": held} if held else {}


def _thinking(said: Any, how: Sequence[Any]) -> Native:
    if not is_mapping(said):
        return {}
    held: Native = {"thinkingBudget": thaw(said["budget"])} if "budget" in said else {}
    if "effort" in said:
        level: Any = said["effort"]
        held["thinkingLevel"] = level if "lower" in how else _EFFORTS.get(level)
    if "summary" in said or (held and "false" in how):
        held["includeThoughts"] = "summary" in said
    return held


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


_OUTER = (CONFIG, TOOL_CONFIG)


def _keys(names: Sequence[str]) -> Keys:
    """Return these keys, with those inside their objects."""
    return Keys(names, {name: _keys(IN_CONFIG[name]) for name in names if name in IN_CONFIG}, may_clash=True)


_KEYS = _keys(_OUTER)


class Settings(BodySettings):
    """Settings in either spelling."""

    def read(self, parameters: Mapping[str, Any]) -> tuple[am.Settings | None, Native]:
        """Return the settings in some parameters, and the remaining parameters."""
        usual, found = _KEYS.camel(dict(parameters))
        settings, rest = super().read(usual)
        if not found:
            return settings, rest
        if settings is None:
            return None, dict(parameters)
        return marked(settings, FAMILY, snake=found), rest


def respelt(native: Native, settings: am.Settings) -> Native:
    """Convert to snake_case those keys of a body's parameters that its settings were read with."""
    wanted = mark_of(settings, FAMILY, "/snake")
    return _KEYS.snake(native, frozenset(map(str, wanted))) if is_sequence(wanted) else native


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
