"""MsgChunk: a piece of a message that is still arriving, and its parts.

``a + b`` is associative, with ``MsgChunk()`` as identity (apart from the rounding of floats in usage):

| field | a + b |
| --- | --- |
| role | the first; two different ones are an error |
| id, name, recipient, model, provider, api, created_at | the first |
| parts | joined, see below |
| usage | the sum of every counter |
| finish_reason, structured, embedding | the last |
| metadata, response_metadata, extras | by key: objects join, lists extend, else the last; see ``joining.join_into`` |
| done | any |

A part joins the last one of its class and index, if there is one, and keeps the place of the first. Without an index,
only a text, thinking or refusal joins, and only the adjacent one; calls, and parts with an index, may be between the
two. A part with a different id begins another; one without an id continues it. Adjacent parts of one chunk aren't
joined by ``+``: a document may list two texts. Parts with an index are joined when the message is made; then a late id
is used, too.

| field of a part | joined |
| --- | --- |
| text, thinking, refusal, redacted; arguments of a call, as text | one after the other |
| id, tool_call_id, name, item_id, phase, cache, kind, provider, server, namespace, raw | the first |
| citations; signature | extended |
| content of a result | like the parts of a chunk, without index |
| metadata, extras, artifact | as for a chunk |
| status of a call; structured, error, error_type of a result | the last |
| status of a result | the last, but an error stays |
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

import attrs

from agentmsg.errors import InvalidMessage, excerpt, is_a
from agentmsg.model.base import Noted, free_json, free_mapping
from agentmsg.model.blocks import BaseBlock, Block, TextBlock, ToolUseBlock, as_content
from agentmsg.model.checks import instance, listed, moment, optional_text, plain_moment, truth, vector
from agentmsg.model.usage import Usage
from agentmsg.values.frozen import EMPTY, JSON, check_text, freeze

if TYPE_CHECKING:
    from agentmsg.model.msg import Msg


def _block(part: object, attribute: Any, value: Any) -> None:
    if not is_a(value, BaseBlock):
        msg = f"not a content block: {excerpt(value)}"
        raise InvalidMessage(msg, code="type", path=("block",))
    as_content((value,))


def _index(part: object, attribute: Any, value: Any) -> None:
    # To a dict True is 1, and would join another part.
    if value is not None and type(value) is not int and not is_a(value, str):
        msg = f"an index must be a whole number or a string, not {excerpt(value)}"
        raise InvalidMessage(msg, code="type", path=("index",))
    try:
        check_text(value) if isinstance(value, str) else freeze(value)
    except InvalidMessage as error:
        raise error.at("index") from None


@attrs.frozen(repr=False, eq=False)
class ChunkPart(Noted):
    """A piece of a content block, and which block it belongs to.

    Args:
        block: a block with what has come so far. A call's arguments come as ``raw_input``. A missing name is empty
            text.
        index: the provider's index of the block, a number or a text; None if there is none.
    """

    block: Block = attrs.field(validator=_block)
    index: int | str | None = attrs.field(default=None, validator=_index)

    def __attrs_post_init__(self) -> None:
        """Refuse extras: fields beyond the model belong to the block, which stays."""
        if self.extras:
            msg = "a part has no extras of its own; they stand on its block"
            raise InvalidMessage(msg, code="schema", path=("extras",))


def _as_parts(value: str | Iterable[ChunkPart | Block]) -> tuple[ChunkPart, ...]:
    if is_a(value, str):
        return (ChunkPart(TextBlock(value)),) if value else ()
    parts: list[ChunkPart] = []
    for index, part in enumerate(listed(cast("Any", value), "parts")):
        try:
            parts.append(part if isinstance(part, ChunkPart) else ChunkPart(part))
        except InvalidMessage as error:
            raise error.at("parts", index) from None
    return tuple(parts)


@attrs.frozen(repr=False, eq=False)
class MsgChunk(Noted):
    """A piece of a message; the sum of all pieces is the message.

    Args:
        role: of the message; None if this chunk doesn't say.
        parts: pieces of blocks: ``ChunkPart``, or blocks without an index; a text becomes one.
        done: whether the message is known to end here.
        id: as in ``Msg``, like all that follow, if this chunk has it.
        created_at: time of the message.
        name: of the sender.
        recipient: of the message.
        model: the model that writes the message.
        provider: who answers.
        api: which of the provider's APIs answers.
        metadata: the application's own.
        response_metadata: the provider's notes on this response.
        structured: structured output.
        usage: counts of tokens; they add up.
        finish_reason: why the model stopped.
        embedding: of the message.

    Raises:
        InvalidMessage: if a value is of the wrong kind; from ``+``, code "schema" if two roles differ.
    """

    role: str | None = attrs.field(default=None, validator=optional_text)
    parts: tuple[ChunkPart, ...] = attrs.field(default=(), converter=_as_parts)
    id: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    created_at: datetime | None = attrs.field(default=None, converter=plain_moment, validator=moment, kw_only=True)
    name: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    recipient: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    model: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    provider: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    api: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    metadata: Mapping[str, JSON] = attrs.field(default=EMPTY, converter=free_mapping, kw_only=True)
    response_metadata: Mapping[str, JSON] = attrs.field(default=EMPTY, converter=free_mapping, kw_only=True)
    structured: JSON = attrs.field(default=None, converter=free_json, kw_only=True)
    usage: Usage | None = attrs.field(default=None, validator=instance(Usage), kw_only=True)
    finish_reason: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    embedding: tuple[float, ...] | None = attrs.field(default=None, converter=vector, kw_only=True)
    done: bool = attrs.field(default=False, validator=truth, kw_only=True)

    def __add__(self, other: MsgChunk) -> MsgChunk:
        """Return the sum of both chunks; see the module.

        Adding many one by one copies the earlier text each time; ``MsgChunk.joined`` doesn't.
        """
        if not is_a(other, MsgChunk):
            return NotImplemented
        return MsgChunk.joined((self, other))

    @classmethod
    def joined(cls, chunks: Iterable[MsgChunk]) -> MsgChunk:
        """Return the sum of some chunks, in linear time.

        Raises:
            InvalidMessage: as ``+`` does.
        """
        from agentmsg.stream.accumulator import Accumulator  # noqa: PLC0415 - it knows chunks

        return Accumulator(chunks).chunk

    @property
    def text(self) -> str:
        """The text in this chunk."""
        return "".join(part.block.text for part in self.parts if isinstance(part.block, TextBlock))

    @property
    def tool_calls(self) -> tuple[ToolUseBlock, ...]:
        """The calls, or pieces of calls, in this chunk."""
        return tuple(part.block for part in self.parts if isinstance(part.block, ToolUseBlock))

    def to_msg(self) -> Msg:
        """Return the message as it is in this chunk; the role is "assistant" if none came.

        A call whose arguments aren't JSON becomes an invalid call that keeps their text.
        """
        from agentmsg.stream.accumulator import Accumulator  # noqa: PLC0415 - it knows chunks

        return Accumulator((self,)).to_msg()
