"""Loads and makes messages with the real AgentScope 2.x; runs in an environment of its own.

Its requests are ``{"load": message}`` and ``{"make": what}``; see the tests beside it.
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

from real.workers.serve import serve

library: Any = import_module("agentscope.message")


def fields(message: Any) -> dict[str, Any]:
    """Return what a message says, each block with its class."""
    own = {name: getattr(message, name) for name in type(message).model_fields if name != "content"}
    blocks = [{**block.model_dump(mode="json"), "class": type(block).__name__} for block in message.content]
    return {**json.loads(json.dumps(own, default=plain)), "content": blocks, "text": message.get_text_content()}


def plain(value: Any) -> Any:
    """Return what json cannot write as plain data."""
    return value.model_dump(mode="json")


def block_of(request: dict[str, Any]) -> Any:
    """Return a block, or a source, made with its constructor."""
    arguments = {
        name: [block_of(item) for item in value] if name in ("hint", "output") and isinstance(value, list) else value
        for name, value in request["fields"].items()
    }
    if "source" in arguments and isinstance(arguments["source"], dict):
        arguments["source"] = block_of(arguments["source"])
    return getattr(library, request["class"])(**arguments)


def made(request: dict[str, Any]) -> Any:
    """Return a message made with one of the library's own constructors."""
    arguments = dict(request["fields"])
    if isinstance(arguments["content"], list):
        arguments["content"] = [block_of(item) for item in arguments["content"]]
    if arguments.get("usage") is not None:
        arguments["usage"] = library.Usage(**arguments["usage"])
    return getattr(library, request["class"])(**arguments)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return what the library says to one request."""
    message = library.Msg.model_validate(request["load"]) if "load" in request else made(request["make"])
    return {"fields": fields(message), "dump": json.loads(message.model_dump_json())}


serve(answer)
