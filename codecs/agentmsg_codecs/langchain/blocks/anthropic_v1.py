"""Anthropic's calls and results as content blocks v1, by the names of langchain-core."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg_codecs.langchain.blocks.v1 as v1
from agentmsg.formats import (
    Native,
    Unreadable,
    adopt,
    is_list,
    is_mapping,
    is_object,
    natives,
    object_at,
    text_at,
    word_at,
)
from agentmsg_codecs.langchain.blocks.anthropic import (
    LISTED,
    TOOLS,
    form_of,
    output_of,
    read_text,
    server_name,
    write_texts,
)
from agentmsg_codecs.langchain.blocks.v1 import common_of
from agentmsg_codecs.langchain.blocks.v1_calls import call_args, call_input, read_call, write_call
from agentmsg_codecs.langchain.blocks.variant import Variant, variant
from agentmsg_codecs.langchain.names import ANTHROPIC

if TYPE_CHECKING:
    from collections.abc import Mapping


_V1_NAMES: Mapping[str, str] = {"code_interpreter": "code_execution"}
_ID_BEGINS = ("srvtoolu_", "mcptoolu_")


def is_of_anthropic(part: Native, provider: str | None) -> bool:
    """Whether a v1 call or result of a server tool is Anthropic's: who wrote the message, or its id, says so.

    Args:
        part: the part.
        provider: ``response_metadata.model_provider`` of the message.
    """
    extras = part.get("extras")
    if part.get("type") == "tool_call":
        return is_object(extras) and not extras.keys().isdisjoint(_OF_CALLS)
    if is_object(extras) and "provider" in extras:
        return False
    link = part.get("id" if part.get("type") == "server_tool_call" else "tool_call_id")
    if type(link) is str and link.startswith(_ID_BEGINS):
        return True
    tag = extras.get("block_type") if is_object(extras) else None
    if type(tag) is str and (tag in TOOLS or tag == "mcp_tool_result"):
        return True
    return provider == ANTHROPIC


def _read_v1_call(part: Native) -> Any:
    args, extras = object_at(part, "args"), v1.Extras(part)
    name, own = text_at(part, "name"), dict[str, Any]()
    if name == "remote_mcp":
        tool, server = extras.text("tool_name"), extras.text("server_name")
        if tool is None or server is None:
            raise Unreadable
        name, own = tool, {"server_name": server}
    if "caller" in extras.rest:
        own["caller"] = extras.rest.pop("caller")
    fields = common_of(part, extras, id_key=None)
    found = {**fields.pop("extras", {}), **({ANTHROPIC: adopt(own)} if own else {})}
    return v1.make_call(
        id=word_at(part, "id"),
        name=_V1_NAMES.get(name, name),
        input=call_input(args),
        kind="server",
        provider=ANTHROPIC,
        extras=adopt(found),
        **fields,
    )


def _write_v1_call(block: Any) -> Native:
    server = server_name(block)
    own: Native = {} if server is None else {"tool_name": block.name, "server_name": server}
    extras = natives.extras_of(block, ANTHROPIC)
    if "caller" in extras:
        own["caller"] = extras["caller"]
    names = {ours: name for name, ours in _V1_NAMES.items()}
    name = "remote_mcp" if server is not None else names.get(block.name, block.name)
    part: Native = {"type": "server_tool_call", "id": block.id, "name": name, "args": call_args(block)}
    return v1.v1_part(block, part, own, id_key=None)


def _read_v1_result(part: Native) -> Any:
    extras = v1.Extras(part)
    tag, output = extras.text("block_type"), part.get("output")
    own: Native = {key: extras.rest.pop(key) for key in ("caller", "retrieved_at") if key in extras.rest}
    fields = common_of(part, extras)
    status = word_at(part, "status")
    if tag == "mcp_tool_result" and is_list(output):
        form: Native = {"content": tuple(map(read_text, output)), "status": status, "notes": LISTED}
    elif tag is not None and tag in TOOLS:
        form = {"name": TOOLS[tag], **form_of(tag, output)}
        if status != _v1_status(form):
            raise Unreadable
    else:
        raise Unreadable
    found = {**fields.pop("extras", {}), **({ANTHROPIC: adopt(own)} if own else {})}
    link = word_at(part, "tool_call_id")
    return v1.make_result(tool_call_id=link, kind="server", provider=ANTHROPIC, extras=adopt(found), **form, **fields)


def _v1_status(form: Native) -> str:
    structured = form.get("structured")
    is_error = "error_type" in form or (is_mapping(structured) and bool(structured.get("error_code")))
    return "error" if is_error else "success"


def _write_v1_result(block: Any) -> Native:
    extras = natives.extras_of(block, ANTHROPIC)
    own: Native = {"block_type": f"{block.name or 'mcp'}_tool_result"}
    own |= {key: extras[key] for key in ("caller", "retrieved_at") if key in extras}
    part: Native = {"type": "server_tool_result", "tool_call_id": block.tool_call_id}
    if block.name is None:
        if block.status is not None:
            part["status"] = block.status
        return v1.v1_part(block, {**part, "output": write_texts(block.content)}, own)
    form = {"structured": block.structured} | ({} if block.error_type is None else {"error_type": block.error_type})
    return v1.v1_part(block, {**part, "status": _v1_status(form), "output": output_of(block)}, own)


_OF_CALLS = ("caller", "toolset_name")


def _read_v1_use(part: Native) -> Any:
    extras = v1.Extras(part)
    own = {key: extras.rest.pop(key) for key in _OF_CALLS if key in extras.rest}
    if not own:
        raise Unreadable
    rest = {key: value for key, value in part.items() if key != "extras"}
    block = read_call(rest | ({"extras": extras.rest} if extras.rest else {}))
    return block.evolve(extras={**block.extras, ANTHROPIC: adopt(own)})


def _write_v1_use(block: Any) -> Native:
    extras = natives.extras_of(block, ANTHROPIC)
    own = {key: extras[key] for key in _OF_CALLS if key in extras}
    part = write_call(block)
    return {**part, "extras": {**own, **part.get("extras", {})}} if own else part


# By the tag in `type`.
V1_VARIANTS: Mapping[str, Variant] = {
    "server_tool_call": variant("v1-anthropic-call", "name args extras", _read_v1_call, _write_v1_call),
    "server_tool_result": variant(
        "v1-anthropic-result", "tool_call_id status output extras", _read_v1_result, _write_v1_result
    ),
    "tool_call": variant("v1-anthropic-use", "name args extras", _read_v1_use, _write_v1_use),
}
