"""Loads and makes messages with the real AgentScope 2.x; runs in its own environment.

Its requests are ``{"load": message}`` and ``{"make": what}``; see the tests beside it.
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

from real.workers.serve import serve

library: Any = import_module("agentscope.message")


def fields(message: Any) -> dict[str, Any]:
    """Return the fields of a message, each block with its class."""
    cls: Any = message.__class__
    names: list[str] = [*cls.model_fields]
    own: dict[str, Any] = {name: getattr(message, name) for name in names if name != "content"}
    blocks = [{**block.model_dump(mode="json"), "class": type(block).__name__} for block in message.content]
    return {**json.loads(json.dumps(own, default=plain)), "content": blocks, "text": message.get_text_content()}


def plain(value: Any) -> Any:
    """Return values that json can't write as plain data."""
    return value.model_dump(mode="json")


def block_of(request: dict[str, Any]) -> Any:
    """Return a block or source made with its constructor."""
    arguments: dict[str, Any] = dict(request["fields"])
    for name in ("hint", "output"):
        if not isinstance(arguments.get(name, ""), str):
            arguments[name] = [block_of(item) for item in arguments[name]]
    if not isinstance(arguments.get("source", ""), str):
        arguments["source"] = block_of(arguments["source"])
    return getattr(library, request["class"])(**arguments)


def made(request: dict[str, Any]) -> Any:
    """Return a message made with one of the library's own constructors."""
    arguments: dict[str, Any] = dict(request["fields"])
    if not isinstance(arguments["content"], str):
        arguments["content"] = [block_of(item) for item in arguments["content"]]
    if arguments.get("usage") is not None:
        arguments["usage"] = library.Usage(**arguments["usage"])
    return getattr(library, request["class"])(**arguments)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the library's response to one request."""
    message = library.Msg.model_validate(request["load"]) if "load" in request else made(request["make"])
    return {"fields": fields(message), "dump": json.loads(message.model_dump_json())}


serve(answer)
