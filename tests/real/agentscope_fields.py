"""The fields that our messages must have in AgentScope, and those that the real library has: flat, to compare them.

A native message is several pairs: its keys beside the content, and each of its blocks, those inside results too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.model.tool_arguments import input_object, input_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["ours", "theirs"]

Fields = dict[str, Any]
_HINT = "hint"
_REASONS = {"stop": "completed"}
_COUNTS = {
    "input_tokens": "input",
    "output_tokens": "output",
    "cache_input_tokens": "cache_read",
    "cache_creation_input_tokens": "cache_write",
}


# -- our documents ----------------------------------------------------------------------------------------------------


def ours(group: Sequence[am.Msg], version: int) -> list[Fields]:
    """Return the fields that the messages of one native message must have: of all together, and block by block."""
    group = list(map(_asking, group))
    blocks: list[am.Block] = [block for message in group for block in message.content]
    return [_head(group, version), *(fields for block in blocks for fields in _block(block, version))]


def _asking(message: am.Msg) -> am.Msg:
    """Return a message whose requests for approval are states of their calls, as AgentScope has them."""
    asked = {block.tool_call_id for block in message.content if isinstance(block, am.ApprovalRequestBlock)}
    if not asked:
        return message
    blocks = [block for block in message.content if not isinstance(block, am.ApprovalRequestBlock)]
    return message.evolve(
        content=[
            block.evolve(status="asking") if isinstance(block, am.ToolUseBlock) and block.id in asked else block
            for block in blocks
        ]
    )


def _head(group: Sequence[am.Msg], version: int) -> Fields:
    first = group[0]
    speakers = [message for message in group if message.role != "tool"]
    last = speakers[-1] if speakers else first
    results = "system" if version == 1 else "assistant"
    blocks = [block for message in group for block in message.content]
    texts = [block.text for block in blocks if isinstance(block, am.TextBlock) and block.phase != _HINT]
    fields: Fields = {
        "name": _name_of(first),
        "role": last.role if speakers else results,
        "id": first.id,
        "metadata": am.thaw(first.metadata),
        "text": "\n".join(texts) if texts else None,
        "blocks": [name for block in blocks for name in [_name(block, version)]],
    }
    if version == 1:
        time = first.created_at
        spelling = "milliseconds" if time and not time.microsecond % 1000 else "auto"
        return {**fields, "timestamp": time and time.isoformat(" ", spelling)}
    usage = None if last.usage is None else {key: getattr(last.usage, name) for key, name in _COUNTS.items()}
    return {
        **fields,
        "created_at": first.created_at and first.created_at.isoformat(),
        "usage": usage,
        "finished_reason": _REASONS.get(last.finish_reason or "", last.finish_reason),
        "structured_output": am.thaw(last.structured),
        **_own(first),
    }


def _name_of(first: am.Msg) -> str:
    if first.name is not None:
        return first.name
    return "system" if first.role == "tool" else first.role


def _own(owner: Any) -> Fields:
    return dict(am.thaw(owner.extras.get("agentscope") or {}))


def _name(block: Any, version: int) -> str:
    match block:
        case am.TextBlock(phase="hint") | am.FileBlock(source=am.BlocksSource()):
            return _HINT
        case am.TextBlock():
            return "text"
        case am.ThinkingBlock():
            return "thinking"
        case am.ToolUseBlock():
            return "tool_use" if version == 1 else "tool_call"
        case am.ToolResultBlock():
            return "tool_result"
        case am.ImageBlock() | am.AudioBlock() | am.VideoBlock() if version == 1:
            return type(block).__name__.removesuffix("Block").lower()
        case am.ImageBlock() | am.AudioBlock() | am.VideoBlock() | am.FileBlock():
            return "data"
        case _:
            return f"native: {block!r}"


def _block(block: Any, version: int) -> Iterator[Fields]:
    """Yield the fields of a block, then those of the blocks inside it."""
    name = _name(block, version)
    inner: Sequence[Any] = ()
    fields: Fields = {"id": block.item_id}
    match block:
        case am.TextBlock(text=text):
            fields |= {_HINT if name == _HINT else "text": text}
        case am.FileBlock(source=am.BlocksSource(content=inner)):
            fields |= {_HINT: [_name(item, version) for item in inner]}
        case am.ThinkingBlock():
            fields |= {"thinking": block.thinking, "redacted_thinking_data": block.redacted}
            fields |= {"signature": block.signature and block.signature.value}
        case am.ToolUseBlock():
            fields = {"id": block.id, "name": block.name, "state": block.status}
            fields |= _arguments(block, version)
        case am.ToolResultBlock(content=inner):
            fields = {"id": block.tool_call_id, "name": block.name or "", "state": block.status}
            fields |= {
                "output": [_name(item, version) for item in inner],
                "metadata": am.thaw(block.metadata) if version > 1 or block.metadata else None,
            }
        case _:
            fields |= {"source": _source(block.source), "name": getattr(block, "name", None)}
    yield {f"{name}.{key}": value for key, value in {**fields, **_own(block)}.items()}
    for item in inner:
        yield from _block(item, version)


def _arguments(block: am.ToolUseBlock, version: int) -> Fields:
    if version > 1:
        return {"input": input_text(block)}
    is_unsaid = bool(block.raw_input) and not isinstance(block.input, dict)
    said: Fields = {} if is_unsaid else am.thaw(input_object(block))
    return {"input": said, "raw_input": block.raw_input or None}


def _source(source: Any) -> Fields:
    own = {"url": source.url} if isinstance(source, am.URLSource) else {"data": source.data}
    kind = "url" if isinstance(source, am.URLSource) else "base64"
    return {"type": kind, **own, **({} if source.media_type is None else {"media_type": source.media_type})}


# -- their documents --------------------------------------------------------------------------------------------------


def theirs(fields: Fields) -> list[Fields]:
    """Return the library's fields of a message: of the whole, and block by block. A text is a list of one text."""
    blocks = _listed(fields["content"])
    head = {key: value for key, value in fields.items() if key != "content"}
    return [{**head, "blocks": _types(blocks)}, *(flat for block in blocks for flat in _flat(block))]


def _listed(content: Any) -> list[Fields]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content)


def _types(blocks: Sequence[Fields]) -> list[str]:
    return [block["type"] for block in blocks]


def _flat(block: Fields) -> Iterator[Fields]:
    """Yield the fields of a block, then those of the blocks inside it."""
    name = block["type"]
    inside = "output" if name == "tool_result" else _HINT
    inner = _listed(block[inside]) if inside == "output" or isinstance(block.get(inside), list) else []
    fields = {key: value for key, value in block.items() if key not in ("type", "class")}
    if inside == "output" or inner:
        fields[inside] = _types(inner)
    yield {f"{name}.{key}": value for key, value in fields.items()}
    for item in inner:
        yield from _flat(item)
