"""The shapes in which content parts spell tool calls and results of server tools, v1's own aside.

Imports v1, the shapes and the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg_codecs.langchain.v1 as v1
import agentmsg_codecs.langchain.v1_calls as v1_calls
from agentmsg.json_values import adopt
from agentmsg.plain import is_object
from agentmsg_codecs.langchain.media_shapes import MEDIA_SHAPES
from agentmsg_codecs.langchain.shapes import TEXT_SHAPES, Shape, put, with_common
from agentmsg_codecs.langchain.v1 import Unreadable, common_of, text_at, word_at
from agentmsg_codecs.langchain.v1_calls import call_args, call_input

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["BY_NAME", "BY_TAG", "shapes_of"]

Part = dict[str, Any]


def _object_at(part: Part, key: str) -> Part:
    value = part.get(key)
    if not is_object(value):
        raise Unreadable
    return value


def _read_tool_use(part: Part) -> Any:
    kind = "function" if part["type"] == "tool_use" else "server"
    fields = common_of(part, id_key=None)
    if part["type"] == "mcp_tool_use":
        fields["provider"] = word_at(part, "server_name")
    value = call_input(_object_at(part, "input"))
    return v1.make_call(id=word_at(part, "id"), name=text_at(part, "name"), input=value, kind=kind, **fields)


def _tool_use_writer(tag: str) -> Callable[[Any], Part]:
    def write(block: Any) -> Part:
        part: Part = {"type": tag, "id": block.id, "name": block.name}
        if tag == "mcp_tool_use":
            put(part, server_name=block.provider)
        part["input"] = call_args(block) if block.is_valid else {}
        return with_common(part, block, id_key=None)

    return write


def _read_function_call(part: Part) -> Any:
    return v1.make_call(
        id=word_at(part, "call_id"),
        name=text_at(part, "name"),
        raw_input=text_at(part, "arguments"),
        **common_of(part),
    )


def _write_function_call(block: Any) -> Part:
    part: Part = {
        "type": "function_call",
        "call_id": block.id,
        "name": block.name,
        "arguments": v1_calls.raw_text(block),
    }
    return with_common(part, block)


def _write_chunk(block: Any) -> Part:
    return {**v1_calls.write_call_text(block.evolve(kind="server")), "type": "tool_call_chunk"}


def _write_invalid(block: Any) -> Part:
    return v1_calls.write_call_text(block)


_CALL_KEYS = frozenset({"type", "id", "name", "args", "extras", "cache_control"})
_USE_KEYS = frozenset({"type", "id", "name", "input", "cache_control"})

_CALL_SHAPES: Mapping[str | None, tuple[Shape, ...]] = {
    "tool_use": (Shape("tool_use", _USE_KEYS, _read_tool_use, _tool_use_writer("tool_use")),),
    "server_tool_use": (Shape("server_tool_use", _USE_KEYS, _read_tool_use, _tool_use_writer("server_tool_use")),),
    "mcp_tool_use": (
        Shape("mcp_tool_use", _USE_KEYS | {"server_name"}, _read_tool_use, _tool_use_writer("mcp_tool_use")),
    ),
    "function_call": (
        Shape(
            "function_call",
            frozenset({"type", "id", "call_id", "name", "arguments", "cache_control"}),
            _read_function_call,
            _write_function_call,
        ),
    ),
    "invalid_tool_call": (Shape("invalid_tool_call", _CALL_KEYS | {"error"}, v1_calls.read_call_text, _write_invalid),),
    "tool_call_chunk": (Shape("tool_call_chunk", _CALL_KEYS, v1_calls.read_call_text, _write_chunk),),
    "server_tool_call_chunk": (
        Shape("server_tool_call_chunk", _CALL_KEYS, v1_calls.read_call_text, v1_calls.write_call_text),
    ),
}

BY_TAG: Mapping[str | None, tuple[Shape, ...]] = {**TEXT_SHAPES, **MEDIA_SHAPES, **_CALL_SHAPES}


def _read_result(part: Part) -> Any:
    """Read Anthropic's ``web_search_tool_result`` and its kin: content is a list of results, or an error."""
    content = part.get("content")
    if type(content) not in (list, dict):
        raise Unreadable
    return v1.make_result(
        tool_call_id=word_at(part, "tool_use_id"),
        name=part["type"].removesuffix("_tool_result") or None,
        structured=adopt(content),
        kind="server",
        provider="anthropic",
        **common_of(part),
    )


def _write_result(block: Any) -> Part:
    part: Part = {"type": f"{block.name or ''}_tool_result", "tool_use_id": block.tool_call_id}
    part["content"] = block.structured
    return with_common(part, block)


_RESULT = Shape(
    "tool_result",
    frozenset({"type", "id", "tool_use_id", "content", "cache_control"}),
    _read_result,
    _write_result,
)
BY_NAME: Mapping[str, Shape] = {shape.name: shape for shapes in (*BY_TAG.values(), (_RESULT,)) for shape in shapes}


def shapes_of(part: Part) -> tuple[Shape, ...]:
    """Return the shapes that may read a part, those of v1 aside."""
    tag = part.get("type")
    if tag is not None and type(tag) is not str:
        return ()
    shapes = BY_TAG.get(tag, ())
    if not shapes and tag is not None and tag.endswith("_tool_result"):
        return (_RESULT,)
    return shapes
