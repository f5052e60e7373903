"""Google's answers, as @ai-sdk/google 4.0.121 keeps them.

| Gemini | part; providerOptions.google |
| --- | --- |
| executableCode; codeExecutionResult | tool-call code_execution, with the SDK's id; its result; thoughtSignature |
| toolCall; toolResponse | server:TYPE; its result; thoughtSignature, serverToolCallId, serverToolType on both |
| what else they say, or don't say | options of its name, or null; `_beside` has keys beside the part's own |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Native, is_mapping
from agentmsg_codecs.vercel.issuers.parts import (
    Issuer,
    call_part,
    is_server,
    made_link,
    options_of,
    result_part,
    value_of,
    with_options,
)
from agentmsg_codecs.wire.signatures import usual_signature

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_GOOGLE, _SIGNED, _SERVER, _CODE, _BESIDE = "google", "thoughtSignature", "server:", "code_execution", "_beside"
# Google's parts, and where they have what the tool gets or gives.
_VALUES = {"executableCode": "args", "codeExecutionResult": "response", "toolCall": "args", "toolResponse": "response"}
_ABSENT = frozenset({"id", "args", "response"})


def _own(block: Any) -> bool:
    return is_server(block, _GOOGLE)


def _into(items: list[Native], run: Sequence[Any], _: Mapping[Any, Any]) -> list[Native]:
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
    """Return the part of one of Google's; the client passes over the options that it doesn't know."""
    kind = next(key for key in item if key in _VALUES)
    own, beside = item[kind], {key: value for key, value in item.items() if key not in (kind, _SIGNED)}
    signed = {_SIGNED: usual_signature(item[_SIGNED])} if _SIGNED in item else {}
    options = {**signed, **({_BESIDE: beside} if beside else {})}
    make, key = (call_part, "args") if _VALUES[kind] == "args" else (result_part, "response")
    if kind in ("executableCode", "codeExecutionResult"):
        own = {key: value for key, value in own.items() if key != "id" or value != link}
        own |= {} if kind == "executableCode" else {"output": own.get("output", "")}
        return make(link, _CODE, own, with_options(_GOOGLE, options))
    tool = own["toolType"]
    known = {"serverToolCallId": own.get("id", link), "serverToolType": tool}
    # What Google didn't say is null; what the client has no place for stands as it is.
    rest = {name: None for name in ("id", key) if name not in own}
    rest |= {name: value for name, value in own.items() if name not in ("id", "toolType", key)}
    return make(link, _SERVER + tool, own.get(key, {}), with_options(_GOOGLE, {**options, **known, **rest}))


def _item(part: Native) -> Native:
    options = options_of(part, _GOOGLE)
    beside = {_SIGNED: options.pop(_SIGNED)} if _SIGNED in options else {}
    beside |= options.pop(_BESIDE, {})
    name, is_call = part["toolName"], part["type"] == "tool-call"
    value = part["input"] if is_call else value_of(part)
    if name == _CODE and not options:
        return {("executableCode" if is_call else "codeExecutionResult"): value, **beside}
    own = {"id": options.pop("serverToolCallId"), "toolType": options.pop("serverToolType")}
    own |= {("args" if is_call else "response"): value, **options}
    kept = {key: held for key, held in own.items() if held is not None or key not in _ABSENT}
    return {("toolCall" if is_call else "toolResponse"): kept, **beside}


def _linked(blocks: Sequence[Any], parts: list[Native]) -> list[Any]:
    """Return blocks of Google's parts that have no ids with those that the SDK, or this, made."""
    found = list(blocks)
    for place, (block, part) in enumerate(zip(blocks, parts, strict=True)):
        if part["toolName"] == _CODE or options_of(part, _GOOGLE).get("id", "") is None:
            field = "id" if type(block) is am.ToolUseBlock else "tool_call_id"
            found[place] = block.evolve(**{field: am.Made(part["toolCallId"])})
    return found


def _makes(call: am.ToolUseBlock) -> bool:
    given: Any = call.input
    return call.kind == "server" and call.name == _CODE and is_mapping(given) and {"language", "code"} <= given.keys()


GOOGLE = Issuer(
    "gemini", _GOOGLE, None, _own, _own, _into, lambda parts: list(map(_item, parts)), _linked, _makes
)  # fmt: skip
