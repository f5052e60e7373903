"""Messages cut into chunks, as a provider would send them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.errors import refused
from agentmsg.model.blocks import TEXT_OF
from agentmsg.model.checks import checked
from agentmsg.model.equality import same
from agentmsg.model.msg import Msg
from agentmsg.model.tool_arguments import input_text
from agentmsg.model.tool_use import UNSET, ToolUseBlock
from agentmsg.stream.chunk import ChunkPart, MsgChunk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmsg.model.blocks import Block

_FIRST = ("id", "created_at", "name", "recipient", "model", "provider", "api", "metadata")
_LAST = ("response_metadata", "structured", "usage", "finish_reason", "embedding", "extras")


def chunks_of(message: Msg, *, size: int = 16) -> Iterator[MsgChunk]:
    """Cut a message into chunks whose sum is the same message: a simulated stream, for tests and demonstrations.

    The first chunk has the role. The last one has the usage, and says that the message is complete. Between them are
    the blocks, each with its position as index, with texts and arguments in pieces.

    Args:
        message: any message.
        size: characters per piece.

    Raises:
        InvalidMessage: code "type" if the size is less than 1.
    """
    if type(size) is not int or size < 1:
        raise refused("size", size, "a whole number of characters, at least 1")
    return _chunks(checked(message, Msg, "message"), size)


def _chunks(message: Msg, size: int) -> Iterator[MsgChunk]:
    yield MsgChunk(message.role, **{name: getattr(message, name) for name in _FIRST})
    for index, block in enumerate(message.content):
        for piece in _pieces(block, size):
            yield MsgChunk(parts=(ChunkPart(piece, index),))
    yield MsgChunk(done=True, **{name: getattr(message, name) for name in _LAST})


def _pieces(block: Block, size: int) -> list[Block]:
    """Return the pieces of a block: the first has everything except the rest of its text."""
    cls: Any = type(block)
    if cls is ToolUseBlock:
        return _pieces_of_call(block, size)
    name = TEXT_OF.get(cls)
    if name is None:
        return [block]
    first, *rest = _cut(getattr(block, name), size)
    return [block.evolve(**{name: first}), *(cls(**{name: text}) for text in rest)]


def _pieces_of_call(block: Any, size: int) -> list[Block]:
    whole = input_text(block)
    # The input of a custom call is text, whatever it looks like.
    if not same(block.evolve(input=UNSET, raw_input=whole), block):
        return [block]
    first, *rest = _cut(whole, size)
    return [
        block.evolve(input=UNSET, raw_input=first),
        *(ToolUseBlock(None, "", raw_input=text) for text in rest),
    ]


def _cut(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)] or [""]
