"""Raw messages as chats have them, which formats of several families keep in extras as they are."""

from __future__ import annotations

from typing import Any, TypeAlias

from agentmsg.formats import is_mapping, is_sequence

_Path: TypeAlias = "tuple[str | int, ...]"


def raw_call(value: Any, *path: str) -> list[tuple[_Path, Any]]:
    """Return the arguments of what is a call, at their path in it; see ``Codec.raw_arguments``."""
    for key in path:
        value = value.get(key) if is_mapping(value) else None
    return [((), value)]


def raw_arguments(own: Any) -> list[tuple[_Path, Any]]:
    """Return the arguments of all calls in raw messages, at any depth; see ``Codec.raw_arguments``."""
    found: list[tuple[_Path, Any]] = []
    if is_mapping(own) and "function" in own:  # a call alone
        return raw_call(own, "function", "arguments")
    held: list[tuple[_Path, Any]] = [((), own)]
    while held:
        path, value = held.pop()
        calls: Any = value.get("tool_calls") if is_mapping(value) and "role" in value else None
        for index, call in enumerate(calls if is_sequence(calls) else ()):
            about: Any = call.get("function", call) if is_mapping(call) else None
            found.append(((*path, "tool_calls", index), about.get("arguments") if is_mapping(about) else None))
        inside = value.items() if is_mapping(value) else enumerate(value) if is_sequence(value) else ()
        held += [((*path, key), each) for key, each in inside if is_mapping(each) or is_sequence(each)]
    return found
