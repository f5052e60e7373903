"""What blocks say: their words, what they hold, and whether all of that is still said in other words."""

from __future__ import annotations

from typing import Any, cast

from agentmsg.model.base import BaseBlock
from agentmsg.model.blocks import (
    AudioBlock,
    CompactionBlock,
    DataBlock,
    FileBlock,
    ImageBlock,
    NativeBlock,
    RefusalBlock,
    SourceBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    VideoBlock,
)
from agentmsg.model.sources import BlocksSource, TextSource
from agentmsg.values.text import json_text
from agentmsg.values.types import is_mapping

MEDIA = (ImageBlock, AudioBlock, VideoBlock, FileBlock)
_HELD = ("data", "url", "file_id")


def words(block: Any) -> str:
    """Return what a block says as text, whatever its class."""
    match block:
        case TextBlock():
            return block.text
        case ThinkingBlock():
            return block.thinking
        case RefusalBlock():
            return block.refusal
        case ToolResultBlock():
            return "\n".join(filter(None, map(words, block.content))) or block.error or ""
        case CompactionBlock():
            return block.text or ""
        case NativeBlock():
            return block.fallback or ""
        case _:
            pass
    source = getattr(block, "source", None)
    return source.text if isinstance(source, TextSource) else getattr(source, "url", None) or ""


def all_words(result: ToolResultBlock) -> str:
    """Return all that a result says as text: in its content, its structured value and its error."""
    inside = [json_text(each.data) if isinstance(each, DataBlock) else words(each) for each in result.content]
    structured = "" if result.structured is None else json_text(result.structured)
    failure = (result.error, result.error_type, result.status) if result.is_error else ()
    return "\n".join(filter(None, [*inside, structured, *failure]))


def tells(result: ToolResultBlock) -> bool:
    """Whether a result says anything in words: if its tool failed, they tell so."""
    said = any(words(each) for each in result.content if not isinstance(each, MEDIA))
    return bool(said or result.structured is not None or result.error)


def adds_nothing(block: Any, said: str) -> bool:
    """Whether each line of a text was said before."""
    return bool(said) and isinstance(block, TextBlock) and all(line in said for line in block.text.split("\n"))


def held(block: Any) -> Any:
    """Return what a block of media holds: its data, its URL or its id; a text as data."""
    source = getattr(block, "source", None)
    if isinstance(source, TextSource):
        from base64 import b64encode  # noqa: PLC0415 - few hold a text

        return b64encode(source.text.encode()).decode()
    return next(filter(None, (getattr(source, name, None) for name in _HELD)), None) or repr(source or block)


def says_something(block: Any) -> bool:
    """Whether a model would read something in a block, or could do something by it."""
    if isinstance(block, ThinkingBlock):
        return bool(block.thinking or block.redacted or block.signature)
    return bool(words(block)) or not isinstance(block, (TextBlock, RefusalBlock))


def survives(value: Any, text: str) -> bool:
    """Whether a text holds all words and numbers of a block or a value; if it has none, all of it as JSON."""
    said = _leaves(value)
    if not said and isinstance(value, DataBlock):
        return json_text(value.data) in text
    return bool(said) and all(leaf in text or json_text(leaf)[1:-1] in text for leaf in said)


def _leaves(value: Any) -> list[str]:
    """Return the texts and numbers that a model would read in a block, or in free-form JSON."""
    if isinstance(value, str):
        return [str(value)] if value else []
    if is_mapping(value):
        return [leaf for each in value.values() for leaf in _leaves(each)]
    if isinstance(value, (list, tuple)):
        return [leaf for each in cast("list[Any]", value) for leaf in _leaves(each)]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return [json_text(value)]
    return _leaves_of_block(value) if isinstance(value, BaseBlock) else []


def _leaves_of_block(block: BaseBlock) -> list[str]:
    match block:
        case ToolUseBlock():
            return [block.name, *_leaves(block.input if block.is_valid else block.raw_input)]
        case ToolResultBlock():
            return [*_leaves(block.content or block.structured), *_leaves(block.error)]
        case DataBlock():
            return _leaves(block.data)
        case SourceBlock():
            return [*_leaves(block.url), *_leaves(block.title)]
        case NativeBlock():
            return _leaves(block.fallback) or _leaves(block.value)
        case _:
            pass
    source = getattr(block, "source", None)
    return _leaves(source.content) if isinstance(source, BlocksSource) else _leaves(words(block))
