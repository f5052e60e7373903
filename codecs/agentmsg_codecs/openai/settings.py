"""Settings: the parameters of a request besides its messages and tools.

| OpenAI | agentmsg |
| --- | --- |
| model, temperature, top_p, seed, stream, store, user, metadata, parallel_tool_calls | the same |
| max_completion_tokens; max_tokens (older, and of compatible servers) | max_tokens |
| stop: a text; a list of texts | stop |
| tool_choice: auto, none, required; a function | tool_choice: the same; its name |
| response_format: text; json_object; json_schema | response_format: "text"; "json"; the schema, its name ... |
| reasoning_effort; none | reasoning: the effort; "off" |
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    KEEP,
    Drop,
    Native,
    Swap,
    Unreadable,
    adopt,
    is_list,
    is_mapping,
    is_marked,
    is_object,
)
from agentmsg.formats.bodies import BodySettings
from agentmsg.formats.forms import Described, Form, Hatch, Number, Text, Truth, Via, Whole
from agentmsg_codecs.openai.names import FAMILY

_MOST, _OLD_MOST = "max_completion_tokens", "max_tokens"
_CHOICES = {word: word for word in ("auto", "none", "required")}
_FORMATS = {"text": "text", "json_object": "json"}
_EFFORTS = frozenset({"none", "minimal", "low", "medium", "high", "xhigh", "max"})


def _read_most(native: Native) -> dict[str, Any]:
    keys = [key for key in (_MOST, _OLD_MOST) if type(native.get(key)) is int]
    odd = [key for key in (_MOST, _OLD_MOST) if key in native and key not in keys[:1]]
    if not keys:
        return {"odd": odd}
    return {"max_tokens": native[keys[0]], "odd": odd, "notes": {"/old": True} if keys[0] == _OLD_MOST else {}}


def _write_most(settings: Any) -> Native:
    if settings.max_tokens is None:
        return {}
    return {_OLD_MOST if is_marked(settings, FAMILY, "/old") else _MOST: settings.max_tokens}


def _read_stop(native: Native) -> dict[str, Any]:
    value: Any = native["stop"]
    texts: Any = [value] if type(value) is str else value
    if not is_list(texts) or not texts or not all(type(text) is str for text in texts):
        return {"odd": ["stop"]}
    return {"stop": tuple(texts), "notes": {"/single": True} if texts is not value else {}}


def _write_stop(settings: Any) -> Native:
    if not settings.stop:
        return {}
    is_single = len(settings.stop) == 1 and is_marked(settings, FAMILY, "/single")
    return {"stop": settings.stop[0] if is_single else list(settings.stop)}


def _read_format(value: Any) -> Any:
    kind: Any = value.get("type") if is_object(value) else None
    if type(kind) is str and kind in _FORMATS:
        return _FORMATS[kind]
    held: Any = value.get("json_schema") if kind == "json_schema" else None
    if not is_object(held) or type(held.get("name")) is not str or not is_mapping(held.get("schema")):
        raise Unreadable
    # Without `strict` it is false in both of OpenAI's APIs (their OpenAPI document), unlike tools of the Responses API.
    return adopt(BodySettings.known("response_format", held))


def _write_format(value: Any) -> Native:
    if is_mapping(value):
        return {"type": "json_schema", "json_schema": thaw(value)}
    return {"type": next((word for word, ours in _FORMATS.items() if ours == value), None)}


_same_format = BodySettings.coming_back(_read_format, _write_format, "this response format isn't supported")


def _carried_format(value: Any, owner: Any) -> Any:
    """Keep the format of a response; give a schema a name."""
    if not is_mapping(value) or "name" in value or not is_mapping(value.get("schema")):
        return _same_format(value, owner)
    return Swap(adopt({"name": "response", **value}), "a schema has a name here")


def _read_effort(value: Any) -> Any:
    if type(value) is not str or value not in _EFFORTS:
        raise Unreadable
    return "off" if value == "none" else adopt({"effort": value})


def _write_effort(value: Any) -> Any:
    return "none" if value == "off" else value.get("effort") if is_mapping(value) else None


def _carried_effort(value: Any, _: Any) -> Any:
    """Keep the effort, without a budget."""
    effort: Any = value.get("effort") if is_mapping(value) else None
    if value == "off":
        return value
    why = "only the effort of reasoning can be set here"
    if type(effort) is not str or effort not in _EFFORTS or effort == "none":
        return Drop(why)
    return value if len(value) == 1 else Swap(adopt({"effort": effort}), why)


_key = BodySettings.key
SETTINGS = BodySettings(Described(FAMILY, (
    Form("settings", am.Settings, None, (
        _key("model", Text()),
        Hatch(keys=(_MOST, _OLD_MOST), cells={"max_tokens": KEEP}, get=_read_most, put=_write_most, is_optional=True,
              odd=(_MOST, _OLD_MOST), about="max_tokens"),
        BodySettings.between("temperature", 0, 2),
        _key("top_p", Number()),
        Hatch(keys=("stop",), cells={"stop": KEEP}, get=_read_stop, put=_write_stop, is_optional=True, odd=("stop",),
              about="stop"),
        _key("seed", Whole()),
        BodySettings.choice("tool_choice", _CHOICES, lambda name: {"type": "function", "function": {"name": name}}),
        _key("parallel_tool_calls", Truth()),
        _key("response_format", Via(_read_format, _write_format, {}, supports=_carried_format)),
        _key("reasoning_effort", Via(_read_effort, _write_effort, {}, supports=_carried_effort), "reasoning"),
        _key("stream", Truth()),
        # OpenAI stores them or not, as an account is set; so false is said (its guide to migrating, 2026).
        _key("store", Truth(is_flag=True, tells_no=True)),
        _key("user", Text()),
        BodySettings.labels("metadata"),
    ), is_apart=True),
), {}))  # fmt: skip
