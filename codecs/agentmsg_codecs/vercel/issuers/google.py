"""Google's answers, as @ai-sdk/google 4.0.121 keeps them.

| Gemini | part; providerOptions.google |
| --- | --- |
| executableCode; codeExecutionResult | tool-call code_execution, with the SDK's id; its result; thoughtSignature |
| toolCall; toolResponse | server:TYPE; its result; thoughtSignature, serverToolCallId, serverToolType on both |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Native, Unreadable, is_mapping
from agentmsg_codecs.vercel.issuers.parts import (
    Issuer,
    call_part,
    is_server,
    made_link,
    only,
    options_of,
    result_part,
    value_of,
    with_options,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_GOOGLE, _SIGNED, _SERVER, _CODE = "google", "thoughtSignature", "server:", "code_execution"


def _own(block: Any) -> bool:
    return is_server(block, _GOOGLE)


def _into(items: list[Native], run: Sequence[Any], _: Sequence[Any]) -> list[Native]:
    found: list[Native] = []
    made = ""
    for item, block in zip(items, run, strict=True):
        is_call = type(block) is am.ToolUseBlock
        if is_call or not made:
            made = made_link("code_", [len(found), item])
        link = block.id if is_call else block.tool_call_id
        found.append(_part(item, made if link is None else str.__str__(link)))
    return found


def _part(item: Native, link: str) -> Native:
    signed = {_SIGNED: item.pop(_SIGNED)} if _SIGNED in item else {}
    ((kind, own),) = item.items()
    if kind in ("executableCode", "codeExecutionResult"):
        own = {key: value for key, value in own.items() if key != "id" or value != link}
    if kind == "executableCode":
        return call_part(link, _CODE, own, with_options(_GOOGLE, signed))
    if kind == "codeExecutionResult":
        return result_part(link, _CODE, {**own, "output": own.get("output", "")}, with_options(_GOOGLE, signed))
    tool = own["toolType"]
    told = with_options(_GOOGLE, {**signed, "serverToolCallId": own.get("id", link), "serverToolType": tool})
    if not own.keys() <= {"id", "toolType", "args", "response"}:
        raise Unreadable
    if kind == "toolCall":
        return call_part(link, _SERVER + tool, own.get("args", {}), told)
    return result_part(link, _SERVER + tool, own.get("response", {}), told)


def _back(parts: list[Native]) -> list[Native]:
    return list(map(_item, parts))


def _item(part: Native) -> Native:
    options = options_of(part, _GOOGLE)
    signed = {_SIGNED: options.pop(_SIGNED)} if _SIGNED in options else {}
    name, is_call = part["toolName"], part["type"] == "tool-call"
    value = part["input"] if is_call else value_of(part)
    if name == _CODE and not options:
        return {("executableCode" if is_call else "codeExecutionResult"): value, **signed}
    known = only(options, {"serverToolCallId": "id", "serverToolType": "toolType"})
    if is_call:
        return {"toolCall": {**known, **({"args": value} if value else {})}, **signed}
    return {"toolResponse": {**known, **({"response": value} if value else {})}, **signed}


def _linked(blocks: Sequence[Any], parts: list[Native]) -> list[Any]:
    """Return blocks of Google's parts, which have no ids, with those that the SDK made."""
    return [
        _with_link(block, am.Made(part["toolCallId"])) if part["toolName"] == _CODE else block
        for block, part in zip(blocks, parts, strict=True)
    ]


def _with_link(block: Any, link: Any) -> Any:
    return block.evolve(id=link) if type(block) is am.ToolUseBlock else block.evolve(tool_call_id=link)


def _makes(call: am.ToolUseBlock) -> bool:
    given: Any = call.input
    return call.name == _CODE and is_mapping(given) and {"language", "code"} <= given.keys()


GOOGLE = Issuer("gemini", "google", None, _GOOGLE, _own, _own, _into, _back, _linked, _makes)
