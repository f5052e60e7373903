"""Messages as langchain-core writes them, lookalikes, and messages with free-form data in every place for it.

They are envelopes; ``spelt`` makes the other forms of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["MARKED", "PLACES", "USUAL", "ai", "call", "human", "spelt", "tool"]

_PATH = ["langchain", "schema", "messages"]

TEXT = {"type": "text", "text": "hi"}
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "sig"}
IMAGE = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
USAGE = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}
DETAILS = {"input_token_details": {"cache_read": 1}, "output_token_details": {"reasoning": 2, "audio": 0}}
# Values that could be taken for an object of LangChain, or only look a little like one.
MARKED: dict[str, Any] = {
    "lc": {"lc": 1},
    "lc of a secret": {"lc": 1, "type": "secret", "id": ["HOME"]},
    "escaped": {"__lc_escaped__": {"lc": 1}},
    "escaped for nothing": {"__lc_escaped__": {"a": 1}},
    "escaped beside": {"__lc_escaped__": {"lc": 1}, "a": 1},
    "inside": {"a": [{"b": {"lc": 2}}]},
    "a text": {"a": "lc"},
    "none": {"a": [1, None, {"b": 2.5}]},
}


def use(args: Any) -> dict[str, Any]:
    """Return a part that is a call."""
    return {"type": "tool_use", "id": "a", "name": "f", "input": args}


def call(args: Any) -> dict[str, Any]:
    """Return a call of ``tool_calls``."""
    return {"name": "f", "args": args, "id": "a", "type": "tool_call"}


def envelope(name: str, /, **kwargs: Any) -> dict[str, Any]:
    """Return an envelope of a message."""
    return {"lc": 1, "type": "constructor", "id": [*_PATH, name], "kwargs": kwargs}


def human(content: Any = "x", **kwargs: Any) -> dict[str, Any]:
    """Return a message of a user."""
    return envelope("HumanMessage", content=content, type="human", **kwargs)


def ai(content: Any = "x", *calls: Any, **kwargs: Any) -> dict[str, Any]:
    """Return a message of a model."""
    return envelope("AIMessage", content=content, type="ai", **kwargs, tool_calls=[*calls], invalid_tool_calls=[])


def tool(content: Any = "x", **kwargs: Any) -> dict[str, Any]:
    """Return a result."""
    kwargs = {"tool_call_id": "a", "status": "success"} | kwargs
    return envelope("ToolMessage", content=content, type="tool", **kwargs)


# The places of free-form data.
PLACES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "kwargs of a user": lambda value: human(additional_kwargs={"k": value}),
    "kwargs themselves": lambda value: human(additional_kwargs=value),
    "kwargs": lambda value: ai(additional_kwargs={"k": value}),
    "kwargs beside thinking": lambda value: ai(additional_kwargs={"reasoning_content": "so", "k": value}),
    "what a provider said": lambda value: ai(response_metadata={"model_name": "m", "k": value}),
    "what was said to a user": lambda value: human(response_metadata=value),
    "a part": lambda value: human([TEXT, value]),
    "a field of a part": lambda value: human([{**TEXT, "k": value}]),
    "extras of a part": lambda value: ai([{"type": "reasoning", "reasoning": "hm", "extras": value}]),
    "a non-standard part": lambda value: human([{"type": "non_standard", "value": {"type": "data", "data": value}}]),
    "a call": lambda value: ai("", call(value)),
    "a call inside": lambda value: ai("", call({"a": value})),
    "a call in content": lambda value: ai([TEXT, use({"a": value})], call({"a": value})),
    "a call in content alone": lambda value: human([use(value)]),
    "usage": lambda value: ai(usage_metadata={**USAGE, "k": value}),
    "an artifact": lambda value: tool(artifact=value),
    "a result": lambda value: tool([TEXT, value]),
    "an unknown field": lambda value: human(k=value),
}
USUAL: list[Any] = [
    human(),
    human(name="ada", id="m1"),
    human([TEXT, IMAGE], additional_kwargs={"channel": "web"}),
    human([TEXT]),
    human(""),
    human([]),
    human("x", additional_kwargs={}),
    human("x", name=None),
    human("x", name="", id=""),
    human(additional_kwargs=0, response_metadata=""),
    envelope("SystemMessage", content="x", type="system"),
    envelope("SystemMessage", content="x", type="system", additional_kwargs={"__openai_role__": "developer"}),
    envelope("SystemMessage", content="x", type="human"),
    ai(),
    ai("", call({"q": [1, 2.0]}), id="m2", usage_metadata={**USAGE, **DETAILS}),
    ai([THOUGHT, TEXT], response_metadata={"model_name": "claude", "stop_reason": "end_turn"}),
    ai([THOUGHT, use({"n": 1})], call({"n": 1}), response_metadata={"model_name": "m", "stop_reason": "tool_use"}),
    ai([use({"n": 1})], call({"n": True})),
    ai(response_metadata={"model_name": "m", "finish_reason": "stop"}, usage_metadata=USAGE),
    ai(response_metadata={"finish_reason": "stop", "stop_reason": "end_turn"}),
    ai(response_metadata={"model_name": "m", "stop_reason": "some word"}),
    ai(usage_metadata={}),
    ai(usage_metadata={**USAGE, "input_token_details": {}}),
    ai(usage_metadata={**USAGE, "input_token_details": {"cache_read": None, "audio": 2}}),
    ai(usage_metadata={**USAGE, "input_token_details": {"cache_read": True}}),
    ai(usage_metadata={**USAGE, "output_token_details": {"reasoning": 2.0}}),
    ai(usage_metadata={**USAGE, "output_token_details": {"reasoning": 1, "other": 2}}),
    tool(id="m3", name="f"),
    tool([TEXT], artifact={"rows": [1]}),
    tool(artifact=False),
    tool(status="error"),
    tool("", additional_kwargs={}),
    envelope("ChatMessage", content="x", type="chat", role="moderator"),
    {**human(), "lc": True},
    {**human(), "lc": 1.0},
    {**human(), "graph": {}},
    {**human(), "id": ["langchain_core", "messages", "HumanMessage"]},
    {**human(), "id": ["HumanMessage"]},
]

_ABSENT: Mapping[str, Any] = {
    "content": "",
    "additional_kwargs": {},
    "response_metadata": {},
    "type": "",
    "name": None,
    "id": None,
}
_OWN: Mapping[str, Any] = {
    "AIMessage": {"tool_calls": [], "invalid_tool_calls": [], "usage_metadata": None},
    "ToolMessage": {"tool_call_id": "a", "artifact": None, "status": "success"},
}


def spelt(form: str, native: dict[str, Any]) -> dict[str, Any]:
    """Return an envelope, or its message as ``dict`` or ``flat``, with nothing left out."""
    if form == "envelope":
        return native
    body: dict[str, Any] = {**_ABSENT, **_OWN.get(native["id"][-1], {}), **native["kwargs"]}
    return {"type": body["type"], "data": body} if form == "dict" else body
