"""By hand: the code of a competent engineer who needs only this one conversion.

It knows what its own program sends (texts, images, function calls), trusts it, and silently loses everything else.
No converter with a model in between can be faster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["to_anthropic"]


def _image(part: dict[str, Any]) -> dict[str, Any]:
    url: str = part["image_url"]["url"]
    if not url.startswith("data:"):
        return {"type": "image", "source": {"type": "url", "url": url}}
    media_type, _, data = url[5:].partition(";base64,")
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


_PARTS: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "image_url": _image,
    "text": lambda part: {"type": "text", "text": part["text"]},
}


def _content(content: Any) -> Any:
    return content if isinstance(content, str) else [_PARTS[part["type"]](part) for part in content]


def _answer(message: dict[str, Any]) -> dict[str, Any]:
    calls = message.get("tool_calls")
    content = message.get("content") or ""
    if not calls:
        return {"role": "assistant", "content": _content(content)}
    blocks: list[Any] = [{"type": "text", "text": content}] if isinstance(content, str) else _content(content)
    if content == "":
        blocks = []
    for call in calls:
        function = call["function"]
        given = orjson.loads(function["arguments"] or "{}")
        blocks.append({"type": "tool_use", "id": call["id"], "name": function["name"], "input": given})
    return {"role": "assistant", "content": blocks}


def _tool(tool: dict[str, Any]) -> dict[str, Any]:
    function = tool["function"]
    return {"name": function["name"], "description": function["description"], "input_schema": function["parameters"]}


def to_anthropic(body: dict[str, Any]) -> dict[str, Any]:
    """Convert an OpenAI Chat body to Anthropic's: system lifted, results grouped, arguments parsed."""
    system: list[str] = []
    out: list[dict[str, Any]] = []
    results: list[dict[str, Any]] | None = None
    for message in body["messages"]:
        role = message["role"]
        if role == "tool":
            if results is None:
                results = []
                out.append({"role": "user", "content": results})
            result = _content(message["content"])
            results.append({"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": result})
            continue
        results = None
        if role == "assistant":
            out.append(_answer(message))
        elif role == "user":
            out.append({"role": "user", "content": _content(message["content"])})
        else:
            system.append(message["content"])
    made: dict[str, Any] = {"system": "\n\n".join(system), "messages": out}
    if "tools" in body:
        made["tools"] = list(map(_tool, body["tools"]))
    return made
