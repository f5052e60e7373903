"""Calls as v1 blocks: arguments that must be an object, and arguments that are text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    EMPTY,
    Native,
    Unreadable,
    adopt,
    dump_json,
    is_mapping,
    natives,
    object_at,
    text_at,
    word_at,
)
from agentmsg_codecs.langchain.blocks.v1 import Extras, common_of, make_call, v1_part
from agentmsg_codecs.langchain.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Mapping


def _is_wrapped(args: Any) -> bool:
    """Whether an object is the envelope of what isn't an object, or of what looks like that envelope."""
    if not is_mapping(args) or len(args) != 1 or "_raw" not in args:
        return False
    inner: Any = args["_raw"]
    return not is_mapping(inner) or (len(inner) == 1 and "_raw" in inner)


def call_input(args: Native) -> Any:
    """Return the input of a call whose arguments must be an object: ``{"_raw": value}`` stands for any value."""
    return adopt(args["_raw"] if _is_wrapped(args) else args)


def call_args(block: am.ToolUseBlock) -> Any:
    """Return the object that stands for the input of a valid call."""
    value = block.input
    return value if is_mapping(value) and not _is_wrapped(value) else {"_raw": value}


def error_first(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return unknown fields with `error` in front, where the parts of invalid calls have their key for it."""
    return {"error": fields["error"], **fields} if "error" in fields and next(iter(fields)) != "error" else fields


def raw_text(block: am.ToolUseBlock) -> str:
    """Return the arguments of a call as text: as received, else compact JSON."""
    return dump_json(block.input).decode() if block.raw_input is None else block.raw_input


def _call_fields(part: Native, extras: Extras) -> Native:
    if extras.rest.get("provider", "") is None:
        # Said where the message, or the id, would say otherwise.
        del extras.rest["provider"]
    fields = {name: extras.text(name) for name in ("item_id", "provider", "status")}
    return {key: value for key, value in fields.items() if value is not None} | common_of(part, extras, id_key=None)


def _call_extras(block: am.ToolUseBlock) -> Native:
    own = {"provider": block.provider, "status": block.status, "raw_input": None}
    if block.is_valid:
        own["raw_input"] = block.significant_text
    return {key: value for key, value in own.items() if value is not None}


def read_call(part: Native, _: Any = None) -> am.ToolUseBlock:
    """Read ``tool_call`` and ``server_tool_call``: id, name, args (an object)."""
    args, extras = object_at(part, "args"), Extras(part)
    raw = extras.text("raw_input")
    kind = "server" if part["type"] == "server_tool_call" else "function"
    fields = _call_fields(part, extras)
    name, link, value = text_at(part, "name"), word_at(part, "id"), call_input(args)
    if raw is None:
        return make_call(id=link, name=name, input=value, kind=kind, **fields)
    block = am.ToolUseBlock(link, name, value, raw_input=raw, kind=kind, **fields)
    if block.significant_text is None:
        raise Unreadable
    return block


def read_call_text(part: Native, _: Any = None) -> am.ToolUseBlock:
    """Read ``invalid_tool_call``, ``tool_call_chunk`` and their server form: args is text."""
    extras = Extras(part)
    kind = "server" if part["type"] == "server_tool_call_chunk" else "function"
    fields = _call_fields(part, extras)
    link, name, raw = word_at(part, "id"), word_at(part, "name"), word_at(part, "args")
    if "raw_input" in extras.rest:
        raise Unreadable
    if raw is None:
        return make_call(id=link, name=name or "", input=EMPTY, kind=kind, **fields)
    return make_call(id=link, name=name or "", raw_input=raw, kind=kind, **fields)


def write_call(block: am.ToolUseBlock) -> Native:
    """Write a call into content."""
    server = block.kind == "server"
    part: Native = {"type": "server_tool_call" if server else "tool_call", "id": block.id, "name": block.name}
    if block.is_valid:
        part["args"] = call_args(block)
        return v1_part(block, part, _call_extras(block), id_key=None)
    return write_call_text(block)


def write_call_text(block: am.ToolUseBlock) -> Native:
    """Write a call whose arguments are text."""
    server = block.kind == "server"
    tag = "server_tool_call_chunk" if server else "invalid_tool_call"
    part: Native = {"type": tag, "id": block.id, "name": block.name, "args": raw_text(block)}
    if not server:
        part["error"] = natives.extras_of(block, FAMILY).get("error")
    own = {key: value for key, value in _call_extras(block).items() if key != "raw_input"}
    return v1_part(block, part, own, id_key=None)
