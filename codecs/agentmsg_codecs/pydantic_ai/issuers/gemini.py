"""Gemini: what ``GoogleModel`` of pydantic-ai 2.68 (google-genai 2.34) keeps of an answer.

| part of Gemini | part |
| --- | --- |
| thoughtSignature of any part | provider_details.thought_signature; alone, of the text "" |
| executableCode; codeExecutionResult | code_execution: args; content; both with the same made id |
| toolCall; toolResponse | web_search, file_search, web_fetch by toolType: args; content is the response |
| a response of FILE_SEARCH without content | content is what the answer's grounding retrieved |
"""

from __future__ import annotations

import re
from base64 import b64decode
from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import Native, Unreadable, dump_json, is_list, is_object
from agentmsg_codecs.pydantic_ai.issuers.base import CALL, RETURN, Blocks, Kit, Table, args_of, details_of, only

if TYPE_CHECKING:
    from collections.abc import Sequence

_SIGNED = "thought_signature"
# Tells a text that is empty from a signature alone.
_TEXT = "text"
_CODE = "code_execution"
_TYPES = {"GOOGLE_SEARCH_WEB": "web_search", "FILE_SEARCH": "file_search", "URL_CONTEXT": "web_fetch"}
_OF_NAMES = {name: tag for tag, name in _TYPES.items()}
_GIVEN, _RESULT = "response", "result"


class Gemini(Table):
    """Gemini's parts: one is one part."""

    codec: ClassVar[str] = "gemini"

    def is_special(self, block: Any) -> bool:
        """Whether a block is signed, or of a tool of the provider."""
        return block.signature is not None or getattr(block, "kind", None) == "server"

    def into(self, blocks: Sequence[Any], kit: Kit) -> list[Native]:
        """Return the part of a block."""
        block: Any = blocks[0]
        if type(block) is am.ToolUseBlock and block.kind == "server":
            return [_call(block, kit)]
        if type(block) is am.ToolResultBlock:
            return [_result(block, kit)]
        details, signature = _details(block), block.signature
        if type(block) is am.TextBlock and not block.text:
            details[_TEXT] = ""  # the client passes over it
        if signature is None or signature.provider != "google":
            raise Unreadable
        if type(block) is am.ThinkingBlock:
            kind = "thinking" if block.thinking else "text"
            return [kit.part(kind, details, content=block.thinking)]
        native = kit.native(block.evolve(signature=None))
        return [{**native, "provider_name": kit.word, "provider_details": {**details_of(native), **details}}]

    def back(self, natives: Sequence[Native], kit: Kit) -> Blocks:
        """Return the block of a part."""
        native = only(natives)
        details, kind = details_of(native), native["part_kind"]
        value = details.get(_SIGNED)
        signature = am.Signature("google", value) if value is not None else None
        if kind in (CALL, RETURN):
            found = (_call_back if kind == CALL else _result_back)(native, kit)
            return (found.evolve(signature=signature),)
        if signature is None:
            raise Unreadable
        if kind == "thinking" or (kind == "text" and not native["content"] and details.get(_TEXT) != ""):
            return (am.ThinkingBlock(native["content"], signature=signature),)
        rest = {key: held for key, held in details.items() if key not in (_SIGNED, _TEXT)}
        found = kit.block({**native, "provider_name": None, "provider_details": rest or None})
        return (found.evolve(signature=signature),)


def _details(block: Any) -> Native:
    """Return the details of a part: its signature, if the client can decode it (the standard alphabet, padded)."""
    if block.signature is None:
        return {}
    b64decode(block.signature.value, validate=True)
    return {_SIGNED: block.signature.value}


def _made(value: Any) -> str:
    """Return the id of code that has none: always the same, so that it is known when it comes back."""
    from hashlib import sha256  # noqa: PLC0415 - few answers run code

    return f"pyd_ai_{sha256(dump_json(value)).hexdigest()[:32]}"


def _part(block: Any, kit: Kit) -> tuple[str, Native]:
    """Return tag and value of the provider's part, without the id of code and the signature."""
    bare = {"id": None} if type(block) is am.ToolUseBlock else {"tool_call_id": None}
    own = block.evolve(signature=None, **(bare if block.name == _CODE else {}))
    (part,) = kit.parts([own])
    ((tag, value),) = part.items()
    return _camel(tag), {_camel(key): each for key, each in value.items()}


def _camel(key: str) -> str:
    return re.sub("_(.)", lambda found: found[1].upper(), key)


def _call(block: Any, kit: Kit) -> Native:
    tag, value = _part(block, kit)
    if tag == "executableCode":
        link = kit.memory["code"] = block.id or _made(value)
        return kit.part(CALL, _details(block), tool_name=_CODE, args=value, tool_call_id=link)
    name = _TYPES[value["toolType"]]
    link = value.get("id") or kit.memory.setdefault(name, _made(value))
    return kit.part(CALL, _details(block), tool_name=name, args=value.get("args"), tool_call_id=link)


def _call_back(native: Native, kit: Kit) -> Any:
    name, link, args = native["tool_name"], native["tool_call_id"], native.get("args")
    if name == _CODE:
        value = args_of(native)
        is_made = link == _made(value)
        kit.memory["code"] = link if is_made else None
        (found,) = kit.blocks([{"executableCode": value}])
        return found if is_made else found.evolve(id=link)
    value = {"toolType": _OF_NAMES[name], **({} if args is None else {"args": args_of(native)})}
    is_made = link == _made(value)
    kit.memory[name] = link if is_made else None
    (found,) = kit.blocks([{"toolCall": value if is_made else {"id": link, **value}}])
    return found


def _result(block: Any, kit: Kit) -> Native:
    tag, value = _part(block, kit)
    details = _details(block)
    if tag == "codeExecutionResult":
        link = block.tool_call_id or kit.memory["code"]
        return kit.part(RETURN, details, tool_name=_CODE, content=value, tool_call_id=link)
    name = _TYPES[value["toolType"]]
    content, link = value.get(_GIVEN), value.get("id") or kit.memory.get(name) or _made(value)
    if is_object(content) and content.keys() == {_RESULT} and is_list(content[_RESULT]):
        content = content[_RESULT]
    if name == "file_search" and not content and (shown := _retrieved(kit.message)):
        return kit.part(RETURN, {**details, _GIVEN: content}, tool_name=name, content=shown, tool_call_id=link)
    return kit.part(RETURN, details, tool_name=name, content=content, tool_call_id=link)


def _result_back(native: Native, kit: Kit) -> Any:
    name, link, content, details = (
        native["tool_name"], native["tool_call_id"], native["content"], details_of(native),
    )  # fmt: skip
    if name == _CODE:
        (found,) = kit.blocks([{"codeExecutionResult": content}])
        return found if link == kit.memory.get("code") else found.evolve(tool_call_id=link)
    given = details.get(_GIVEN) if _GIVEN in details or content == _retrieved(kit.message) else content
    if is_list(given):
        given = {_RESULT: given}  # as the client sends it
    value = {"toolType": _OF_NAMES[name], **({} if given is None else {_GIVEN: given})}
    own = {} if link in (kit.memory.get(name), _made(value)) else {"id": link}
    (found,) = kit.blocks([{"toolResponse": {**own, **value}}])
    return found


def _retrieved(message: am.Msg) -> list[Any] | None:
    """Return what the grounding of an answer says that a file search retrieved, in the client's spelling."""
    held: Any = thaw(message.extras.get("gemini.candidate") or {}).get("groundingMetadata") or {}
    chunks = held.get("groundingChunks") or ()
    return [_snake(each["retrievedContext"]) for each in chunks if "retrievedContext" in each] or None


def _snake(value: Any) -> Any:
    if is_object(value):
        return {re.sub("([A-Z])", r"_\1", key).lower(): _snake(each) for key, each in value.items()}
    return list(map(_snake, value)) if is_list(value) else value
