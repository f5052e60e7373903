"""Loads and makes messages with the real AgentScope 1.x; runs in its own environment.

Its requests are ``{"load": message}`` and ``{"make": what}``. It imports only the library's messages: the package
itself would import its agents, models and tracing, and ninety packages with them.
"""

from __future__ import annotations

import sys
from importlib import import_module, util
from types import ModuleType
from typing import Any

from real.workers.serve import serve


def messages() -> Any:
    """Return the library's module of messages, without the rest of its package."""
    spec = util.find_spec("agentscope")
    assert spec is not None, "agentscope is not installed"
    package = ModuleType("agentscope")
    package.__path__ = list(spec.submodule_search_locations or ())
    sys.modules["agentscope"] = package
    return import_module("agentscope.message")


library: Any = messages()
blocks: Any = import_module("pydantic").TypeAdapter(list[library.ContentBlock])


def fields(message: Any) -> dict[str, Any]:
    """Return the fields of a message."""
    own = {name: getattr(message, name) for name in ("id", "name", "role", "metadata", "timestamp", "content")}
    return {**own, "text": message.get_text_content()}


def problems(message: Any) -> list[str]:
    """Return where the blocks of a message don't have the types that the library declares."""
    try:
        blocks.validate_python(message.get_content_blocks(), strict=True)
    except ValueError as error:
        return sorted({f"{each['loc'][-1]}: {each['type']}" for each in error.errors()})  # type: ignore[attr-defined]
    return []


def made(request: dict[str, Any]) -> Any:
    """Return a message made with the library's constructors: its blocks are dicts with a type."""
    arguments: dict[str, Any] = dict(request["fields"])
    if not isinstance(arguments["content"], str):
        arguments["content"] = [getattr(library, each["class"])(**each["fields"]) for each in arguments["content"]]
    return library.Msg(**arguments)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the library's response to one request."""
    message = library.Msg.from_dict(request["load"]) if "load" in request else made(request["make"])
    return {"fields": fields(message), "problems": problems(message), "dump": message.to_dict()}


serve(answer)
