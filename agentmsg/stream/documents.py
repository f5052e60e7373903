"""Chunks as documents of a format: decode_chunk and encode_chunk.

A chunk is written exactly or, unless the caller says otherwise, not at all: while the message is still arriving, losses
can't be reported. For the complete message, ``encode`` makes a loss report.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack

import attrs

from agentmsg.errors import AgentMsgError, DecodeError, EncodeError, InvalidMessage, excerpt, is_a
from agentmsg.fitting.account import account
from agentmsg.fitting.allowing import allowed, refusal
from agentmsg.fitting.fitted import make_fitted
from agentmsg.formats.refusals import rooms
from agentmsg.limits import DEFAULT_LIMITS
from agentmsg.model.checks import one_of
from agentmsg.model.equality import same
from agentmsg.model.history import History
from agentmsg.registry import get_codec
from agentmsg.stream.chunk import MsgChunk
from agentmsg.values.copies import copy_document
from agentmsg.values.frozen import thaw

if TYPE_CHECKING:
    from agentmsg.formats.codec import Codec
    from agentmsg.limits import Limits
    from agentmsg.model.allow import Allow
    from agentmsg_codecs import CodecName
    from agentmsg_codecs.options import CodecOptions


def decode_chunk(
    document: Any, codec: CodecName | Codec, *, limits: Limits = DEFAULT_LIMITS, **options: Unpack[CodecOptions]
) -> MsgChunk:
    """Read a chunk from plain data.

    Args:
        document: one chunk, such as a line of a stream.
        codec: its format.
        limits: bounds on what is read.
        options: codec options.

    Raises:
        DecodeError: if it isn't such a chunk; with codec, path and code.
        CodecLookupError: if there is no such codec, or code "option" if it has no chunks.
    """
    chosen = get_codec(codec, **options)
    try:
        return chosen.read_chunk(copy_document(document, rooms(chosen, limits)[1].depth))
    except InvalidMessage as error:
        raise DecodeError(error.message, code=error.code, path=error.path, codec=chosen.name) from None
    except AgentMsgError as error:
        raise error.at(codec=chosen.name) from error.__cause__


def encode_chunk(
    chunk: MsgChunk,
    codec: CodecName | Codec,
    *,
    on_loss: Literal["error", "ignore"] = "error",
    allow: Allow = (),
    **options: Unpack[CodecOptions],
) -> Any:
    """Write a chunk as plain data.

    Args:
        chunk: the chunk.
        codec: the format.
        on_loss: what to do if the format's chunks can't hold something: "error" refuses, "ignore" leaves it out if
            anything is left.
        allow: words for kinds of content that may be lost, as for ``encode``; annotations may, too, if you name any. A
            codec's options name theirs.
        options: codec options.

    Raises:
        EncodeError: code "content-loss", with the path of what the format's chunks can't hold.
        InvalidMessage: if it isn't a chunk; code "option" if there is no such word.
        CodecLookupError: as for ``decode_chunk``.
    """
    chosen = get_codec(codec, **options)
    one_of(on_loss, "on_loss", "error", "ignore")
    words = chosen.decided | allowed(allow)
    if not is_a(chunk, MsgChunk):
        msg = f"a chunk is needed, not {excerpt(chunk)}"
        raise InvalidMessage(msg, code="type")
    try:
        document = thaw(chosen.write_chunk(chunk))
        if on_loss == "ignore":
            return document
        back = chosen.read_chunk(thaw(document))
    except AgentMsgError as error:
        raise error.at(codec=chosen.name) from error.__cause__
    # A chunk without a role takes the one that such a document has.
    chunk = chunk if chunk.role is not None else chunk.evolve(role=back.role)
    if not same(back, chunk):
        source = History([chunk.to_msg()])
        losses = account(make_fitted(source, History([back.to_msg()]), chosen.name))
        lead = "the chunks of this format can't hold this; write the message that they make"
        refused = refusal(losses, source, words, "allow=[{quoted}] allows it", lead)
        if refused is not None or not words:
            msg = lead if refused is None else refused.message
            raise EncodeError(msg, code="content-loss", path=_difference(back, chunk), codec=chosen.name)
    return document


def _difference(back: MsgChunk, chunk: MsgChunk) -> tuple[str | int, ...]:
    """Return the path of the first value that did not come back."""
    names = (field.name for field in attrs.fields(MsgChunk) if field.name not in {"notes", "parts"})
    name = next((name for name in names if not same(getattr(back, name), getattr(chunk, name))), None)
    if name is not None:
        return (name,)
    pairs = zip(back.parts, chunk.parts, strict=False)
    same_parts = next((index for index, pair in enumerate(pairs) if not same(*pair)), None)
    return ("parts", min(len(back.parts), len(chunk.parts)) if same_parts is None else same_parts)
