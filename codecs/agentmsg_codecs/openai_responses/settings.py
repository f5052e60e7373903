"""Settings: what a request asks for besides its items and tools.

| Responses | agentmsg |
| --- | --- |
| model, temperature, top_p, stream, store, user, metadata, parallel_tool_calls | the same |
| max_output_tokens | max_tokens |
| tool_choice: auto, none, required; a function | tool_choice: the same; its name |
| format of text: text; json_object; json_schema | response_format: "text"; "json"; the schema, its name ... |
| reasoning: effort, summary; the effort none | reasoning: the same; "off" |
| tool_choice: a custom tool, allowed tools | extras["openai"], as Chat Completions spells them |
| verbosity of text; service_tier, prompt_cache_key ... | extras["openai"], where Chat Completions has them |
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import Drop, Native, Swap, Unreadable, adopt, is_list, is_mapping, is_object
from agentmsg.formats.bodies import BodySettings
from agentmsg.formats.forms import Described, Form, Key, Number, Text, Truth, Via, Whole
from agentmsg_codecs.openai_responses.names import FAMILY, PROVIDER

_WORDS = {word: word for word in ("auto", "none", "required")}
_FORMATS = {"text": "text", "json": "json_object"}
_EFFORTS = frozenset({"none", "minimal", "low", "medium", "high", "xhigh", "max"})
_OF_REASONING = frozenset({"effort", "summary"})
_NAME = "response"


# -- the choice of a tool ---------------------------------------------------------------------------------------------

# What Chat Completions keeps in an object of its own, under its type.
_CHOSEN, _TOOLS = frozenset({"custom", "allowed_tools"}), frozenset({"custom", "function"})


def _chat_choice(value: Any, kinds: frozenset[str] = _CHOSEN) -> Any:
    """Return a choice of tools as Chat Completions spells it; None for any other."""
    kind: Any = value.get("type") if is_object(value) else None
    if type(kind) is not str or kind not in kinds:
        return None
    inner = _respelt({key: each for key, each in value.items() if key != "type"}, _chat_choice)
    return {"type": kind, kind: inner} if inner else None


def _own_choice(value: Any, kinds: frozenset[str] = _CHOSEN) -> Any:
    """Return a choice of Chat Completions as it is spelt here; None for any other."""
    kind: Any = value.get("type") if is_object(value) else None
    held: Any = value.get(kind) if type(kind) is str and kind in kinds and value.keys() == {"type", kind} else None
    inner = _respelt(held, _own_choice) if is_object(held) and "type" not in held else None
    return {"type": kind, **inner} if inner else None


def _respelt(held: Native, spell: Any) -> Native | None:
    tools = held.get("tools", [])
    spelt = [spell(each, _TOOLS) for each in tools] if is_list(tools) else [None]
    return None if None in spelt else {**held, "tools": spelt} if spelt else held


# -- the format of the text -------------------------------------------------------------------------------------------


def _read_text(value: Any) -> Any:
    form: Any = value.get("format") if is_object(value) else None
    kind: Any = form.get("type") if is_object(form) else None
    for ours, word in _FORMATS.items():
        if kind == word:
            return ours
    if kind != "json_schema" or type(form.get("name")) is not str or not is_mapping(form.get("schema")):
        raise Unreadable
    # Without `strict` it is false in both of OpenAI's APIs (their OpenAPI document), unlike tools of the Responses API.
    return adopt(BodySettings.known("response_format", form))


def _write_text(value: Any) -> Native:
    if is_mapping(value):
        return {"format": {"type": "json_schema", **thaw(value)}}
    return {"format": {"type": _FORMATS.get(value) if type(value) is str else None}}


_same_format = BodySettings.coming_back(_read_text, _write_text, "this response format isn't supported")


def _carried_format(value: Any, owner: Any) -> Any:
    """Keep the format of a response; a schema has a name here."""
    if not is_mapping(value) or "name" in value or not is_mapping(value.get("schema")):
        return _same_format(value, owner)
    return Swap(adopt({"name": _NAME, **value}), "a schema has a name here")


# -- reasoning --------------------------------------------------------------------------------------------------------


def _read_reasoning(value: Any) -> Any:
    said = _known(value) if is_object(value) else {}
    if not said:
        raise Unreadable
    return "off" if said == {"effort": "none"} else adopt(said)


def _known(value: Any) -> Native:
    """Return what is known of an object about reasoning."""
    said = {key: value[key] for key in value if key in _OF_REASONING and type(value[key]) is str}
    return said if said.get("effort", "low") in _EFFORTS else {key: said[key] for key in said if key != "effort"}


def _write_reasoning(value: Any) -> Any:
    return {"effort": "none"} if value == "off" else thaw(value)


def _carried_reasoning(value: Any, _: Any) -> Any:
    """Keep the effort, and how to sum it up; there are no budgets here."""
    why = "reasoning takes only an effort here"
    if value == "off":
        return value
    kept = _known(value) if is_mapping(value) else {}
    if not kept or kept == {"effort": "none"}:
        return Drop(why)
    return value if len(kept) == len(value) else Swap(adopt(kept), why)


_key = BodySettings.key
_ANY: Any = {}
SETTINGS = BodySettings(Described(FAMILY, (
    Form("settings", am.Settings, None, (
        _key("model", Text()),
        _key("max_output_tokens", Whole(), "max_tokens"),
        BodySettings.between("temperature", 0, 2),
        _key("top_p", Number()),
        BodySettings.choice("tool_choice", _WORDS, lambda name: {"type": "function", "name": name}),
        _key("parallel_tool_calls", Truth()),
        _key("text", Via(_read_text, _write_text, _ANY, supports=_carried_format), "response_format"),
        _key("reasoning", Via(_read_reasoning, _write_reasoning, _ANY, supports=_carried_reasoning)),
        _key("stream", Truth()),
        Key("store", "store", Truth(is_flag=True, tells_no=True), "null", default=True, is_odd=True),
        _key("user", Text()),
        BodySettings.labels("metadata"),
    ), is_apart=True),
), {}), owner=PROVIDER, shared={
    **{name: name for name in (
        "service_tier", "prompt_cache_key", "prompt_cache_retention", "prompt_cache_options", "safety_identifier",
        "moderation", "top_logprobs",
    )},
    "stream_options.include_obfuscation": "stream_options.include_obfuscation",
    "text.verbosity": "verbosity",
    "tool_choice": "tool_choice",
}, spelt={"tool_choice": (_chat_choice, _own_choice)})  # fmt: skip
