"""Loads and makes messages with the real lionpride; runs in its own environment.

Its requests are ``{"load": message}`` and ``{"make": what}``; see the tests beside it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from real.workers.serve import serve

library: Any = import_module("lionpride.session.messages")


def said(content: Any) -> dict[str, Any]:
    """Return exactly the fields of a content that are set, empty ones included."""
    unset: Any = import_module("lionpride.types").Unset
    return {name: getattr(content, name) for name in content.allowed() if getattr(content, name) is not unset}


def fields(message: Any) -> dict[str, Any]:
    """Return the fields of a message."""
    return {
        "id": str(message.id),
        "created_at": message.created_at.isoformat(),
        "metadata": message.metadata,
        "embedding": message.embedding,
        "sender": library.serialize_sender_recipient(message.sender),
        "recipient": library.serialize_sender_recipient(message.recipient),
        "role": message.role.value,
        "class": type(message.content).__name__,
        "content": said(message.content),
        "success": getattr(message.content, "success", None),
    }


def made(request: dict[str, Any]) -> Any:
    """Return a message made with the library's constructors, or a clone of it."""
    content = getattr(library, request["class"]).create(**request["content"])
    message = library.Message(content=content, **request["fields"])
    return message.clone(**request["clone"]) if "clone" in request else message


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the library's response to one request."""
    message = library.Message.from_dict(request["load"]) if "load" in request else made(request["make"])
    how = {"mode": "json", **request.get("make", {}).get("how", {})}
    done = {"fields": fields(message)}
    try:
        return {**done, "dump": message.to_dict(**how)}
    except TypeError as error:  # it can't write integers beyond 64 bits
        return {**done, "no dump": str(error)}


serve(answer)
