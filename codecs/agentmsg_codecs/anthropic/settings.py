"""Settings: the parameters of a request besides its messages and tools.

| Anthropic | agentmsg |
| --- | --- |
| model, max_tokens, stream | the same |
| temperature (from 0 to 1), top_p, top_k: only for older models | the same; written if they were read |
| stop_sequences | stop |
| metadata: user_id | user |
| tool_choice: auto, any, none; tool | tool_choice: "auto", "required", "none"; its name |
| disable_parallel_tool_use of tool_choice | parallel_tool_calls, negated |
| thinking: enabled, with its budget; adaptive; disabled | reasoning: the budget; the budget -1; "off" |
| display of thinking: summarized | the summary of reasoning: "auto" |
| output_config: effort; format | reasoning: the effort; response_format: the schema |
| output_format, the format's place in betas | response_format: the schema |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    KEEP,
    Drop,
    Native,
    Swap,
    Unreadable,
    adopt,
    is_mapping,
    is_marked,
    is_object,
)
from agentmsg.formats.bodies import BodySettings
from agentmsg.formats.forms import Described, Form, Hatch, Text, Truth, Via, Whole
from agentmsg_codecs.anthropic.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg.formats import Cell, Row

_CHOICES = {"auto": "auto", "any": "required", "none": "none"}
_SPELT = {ours: word for word, ours in _CHOICES.items()}
_EFFORTS = frozenset({"low", "medium", "high", "xhigh", "max"})
_SAMPLING = ("temperature", "top_p", "top_k")
_CONFIGS = ("thinking", "output_config", "output_format")
# The model decides how much to think, in the model's word.
ADAPTIVE = -1
_LEAST = {"minimal": "low"}
_OFF = {"type": "disabled"}
_ONE_AT_A_TIME = "disable_parallel_tool_use"


# -- sampling, which the package's calls no longer take ---------------------------------------------------------------


def _read_sampling(native: Native) -> dict[str, Any]:
    found = {key: native[key] for key in _SAMPLING if type(native.get(key)) in (int, float)}
    if not 0 <= found.get("temperature", 0) <= 1:
        del found["temperature"]
    if type(found.get("top_k", 0)) is not int:
        del found["top_k"]
    odd = [key for key in _SAMPLING if key in native and key not in found]
    return {**found, "odd": odd, "notes": {"/sampled": True} if found else {}}


def _write_sampling(settings: Any) -> Native:
    return {key: value for key in _SAMPLING if (value := getattr(settings, key)) is not None}


def _carried_sampling(value: Any, settings: am.Settings) -> Any:
    """Keep a setting that was read from a request."""
    if is_marked(settings, FAMILY, "/sampled"):
        return value
    return Drop('models have no such setting now; sampling="write" keeps it')


def _carried_temperature(value: Any, _: Any) -> Any:
    """Keep a temperature in range; replace another by the nearer end."""
    if 0 <= value <= 1:
        return value
    return Swap(1 if value > 1 else 0, "it goes from 0 to 1 here")


def _old_temperature(value: Any, settings: Any) -> Any:
    answer = _carried_sampling(value, settings)
    return answer if isinstance(answer, Drop) else _carried_temperature(value, settings)


# -- texts ------------------------------------------------------------------------------------------------------------


def _read_user(value: Any) -> Any:
    user: Any = value.get("user_id") if is_object(value) else None
    if type(user) is not str:
        raise Unreadable
    return user


def _write_user(user: str) -> Native:
    return {"user_id": user}


# -- the choice of tools ----------------------------------------------------------------------------------------------


def _read_choice(native: Native) -> dict[str, Any]:
    value: Any = native["tool_choice"]
    kind: Any = value.get("type") if is_object(value) else None
    if type(kind) is not str or kind not in (*_CHOICES, "tool"):
        return {"odd": ["tool_choice"]}
    if kind == "tool" and type(value.get("name")) is not str:
        return {"odd": ["tool_choice"]}
    choice = {"name": value["name"]} if kind == "tool" else _CHOICES[kind]
    is_single: Any = value.get(_ONE_AT_A_TIME) if kind != "none" else None
    return {
        "tool_choice": adopt(choice),
        "parallel_tool_calls": not is_single if type(is_single) is bool else None,
    }


def _written_choice(choice: Any, *, parallel: bool | None) -> Native | None:
    name = choice.get("name") if is_mapping(choice) and len(choice) == 1 else None
    word = _SPELT.get(choice) if type(choice) is str else None
    if word is None and type(name) is not str:
        return None
    said: Native = {"type": "tool", "name": name} if word is None else {"type": word}
    return said if parallel is None or word == "none" else {**said, _ONE_AT_A_TIME: not parallel}


def _write_choice(settings: Any) -> Native:
    said = _written_choice(settings.tool_choice, parallel=settings.parallel_tool_calls)
    return {} if said is None else {"tool_choice": said}


def _as_said(settings: am.Settings) -> Any:
    """Give parallel calls a choice of tools, which they are part of."""
    choice, parallel = settings.tool_choice, settings.parallel_tool_calls
    if choice is not None and _written_choice(choice, parallel=None) is None:
        choice = None
    if parallel is not None and choice is None:
        choice = "auto"
    if choice == "none":
        parallel = None
    if choice is settings.tool_choice and parallel is settings.parallel_tool_calls:
        return settings
    new = settings.evolve(tool_choice=choice, parallel_tool_calls=parallel)
    return Swap(new, "parallel calls are set with the choice of tools here")


# -- thinking, and the format of the output ---------------------------------------------------------------------------


def _read_thinking(native: Native) -> dict[str, Any]:
    thinking, config, early = (held if is_object(held := native.get(key)) else {} for key in _CONFIGS)
    said: Native = {}
    effort, budget = config.get("effort"), thinking.get("budget_tokens")
    is_early = bool(early) and "format" not in config
    form: Any = early if is_early else config.get("format")
    if type(effort) is str and effort in _EFFORTS:
        said["effort"] = effort
    if thinking.get("type") == "adaptive":
        said["budget"] = ADAPTIVE
    elif thinking.get("type") == "enabled" and type(budget) is int and budget != ADAPTIVE:
        said["budget"] = budget
    if "budget" in said and thinking.get("display") == "summarized":
        said["summary"] = "auto"
    is_off = thinking.get("type") == "disabled"
    is_schema = is_object(form) and form.get("type") == "json_schema" and is_object(form.get("schema"))
    read = {
        "reasoning": "off" if is_off else adopt(said or None),
        "response_format": adopt({"schema": form["schema"]}) if is_schema else None,
    }
    written = _written_thinking(*read.values(), is_early=is_early)
    odd = [key for key in _CONFIGS if key in native and key not in written]
    return {**read, "odd": odd, "notes": {"/early": True} if is_early and is_schema else {}}


def _write_thinking(settings: Any) -> Native:
    is_early = is_marked(settings, FAMILY, "/early")
    return _written_thinking(settings.reasoning, settings.response_format, is_early=is_early)


def _written_thinking(said: Any, form: Any, *, is_early: bool) -> Native:
    native: Native = {}
    config: Native = {}
    if said == "off":
        native["thinking"] = dict(_OFF)
    elif is_mapping(said):
        if "budget" in said:
            budget = thaw(said["budget"])
            is_adaptive = budget == ADAPTIVE
            held = {"type": "adaptive"} if is_adaptive else {"type": "enabled", "budget_tokens": budget}
            native["thinking"] = {**held, **({"display": "summarized"} if "summary" in said else {})}
        if "effort" in said:
            config["effort"] = thaw(said["effort"])
    if is_mapping(form) and "schema" in form:
        told = {"type": "json_schema", "schema": thaw(form["schema"])}
        if is_early:
            native["output_format"] = told
        else:
            config["format"] = told
    return {**native, "output_config": config} if config else native


def _carried_reasoning(value: Any, _: Any) -> Any:
    """Keep the budget, and an effort of the schema."""
    if value == "off":
        return value
    given: Any = value if is_mapping(value) else {}
    effort = given.get("effort")
    word = _LEAST.get(effort, effort) if type(effort) is str else None
    kept: dict[str, Any] = {"effort": word} if word in _EFFORTS else {}
    if type(given.get("budget")) is int:
        kept["budget"] = given["budget"]
        kept |= {"summary": "auto"} if type(given.get("summary")) is str else {}
    if not kept:
        return Drop("no such reasoning here")
    is_same = list(kept.items()) == list(given.items())
    return value if is_same else Swap(adopt(kept), "no such reasoning here")


def _carried_format(value: Any, _: Any) -> Any:
    schema = value.get("schema") if is_mapping(value) else None
    if not is_mapping(schema):
        return Drop("only the schema of a response format is supported")
    return (
        value
        if len(value) == 1
        else Swap(adopt({"schema": schema}), "only the schema of a response format is supported")
    )


_key = BodySettings.key
SETTINGS = BodySettings(Described(FAMILY, (
    Form("settings", am.Settings, None, (
        _key("model", Text()),
        _key("max_tokens", Whole()),
        Hatch(keys=_SAMPLING, cells={"temperature": _old_temperature, "top_p": _carried_sampling,
              "top_k": _carried_sampling}, get=_read_sampling, put=_write_sampling, is_optional=True, odd=_SAMPLING,
              about="temperature, top_p, top_k"),
        BodySettings.stops("stop_sequences"),
        Hatch(keys=("tool_choice",), cells={"tool_choice": KEEP, "parallel_tool_calls": KEEP}, get=_read_choice,
              put=_write_choice, is_optional=True, odd=("tool_choice",), about="tool_choice, parallel_tool_calls"),
        Hatch(keys=_CONFIGS,
              cells={"reasoning": _carried_reasoning, "response_format": _carried_format}, get=_read_thinking,
              put=_write_thinking, is_optional=True, odd=_CONFIGS,
              about="reasoning, response_format"),
        _key("stream", Truth()),
        _key("metadata", Via(_read_user, _write_user, {}, supports=KEEP), "user"),
    ), is_apart=True),
), {}))  # fmt: skip
_SAMPLED: Mapping[str, Cell] = {"temperature": _carried_temperature, "top_p": KEEP, "top_k": KEEP}


def settings_row(*, sampling: bool) -> Row:
    """Return the row of settings.

    Args:
        sampling: whether to write those that only older models take.
    """
    return SETTINGS.row(_as_said, **(_SAMPLED if sampling else {}))
