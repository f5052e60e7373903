"""ChunkReader: a provider's events as chunks, for the live view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from agentmsg.formats.events import MISFITS, TEXT_OF, events_of, misfit
from agentmsg.formats.shapes import Unreadable
from agentmsg.model.construction import nested_maker
from agentmsg.model.tool_use import ToolUseBlock
from agentmsg.registry import get_codec
from agentmsg.stream.chunk import ChunkPart, MsgChunk

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg.formats.codec import Codec
    from agentmsg.formats.events import More
    from agentmsg_codecs import CodecName
    from agentmsg_codecs.options import CodecOptions


def _maker(kind: type[Any]) -> Callable[[Any, str], MsgChunk]:
    nameless = {"id": "None", "name": "''"} if kind is ToolUseBlock else {}
    return nested_maker(
        "index, text", ("block", kind, {TEXT_OF[kind]: "text", **nameless}),
        ("part", ChunkPart, {"block": "block", "index": "index"}), ("chunk", MsgChunk, {"parts": "(part,)"}),
    )  # fmt: skip


_MAKERS = {kind: _maker(kind) for kind in TEXT_OF}


def chunk_of(more: More) -> MsgChunk:
    """Return the chunk that says the same.

    Raises:
        Unreadable: if it isn't a text, or has no index.
    """
    kind, index, text = more
    if text.__class__ is not str or (index.__class__ is not int and index.__class__ is not str):
        raise Unreadable
    return _MAKERS[kind](index, text)


class ChunkReader:
    """Reads the events of one answer as chunks, in order; add these to an ``Accumulator`` for the message so far.

    The sum of all is the message that ``collect`` returns, but for what only the whole response tells; what it can't
    say as a piece comes with the last.

    Args:
        codec: the provider's format.
        options: options of the codec of its responses.

    Raises:
        CodecLookupError: if there is no such codec or option; code "option" if the format has no streams.
    """

    def __init__(self, codec: CodecName | Codec, **options: Unpack[CodecOptions]) -> None:
        events = events_of(get_codec(codec))
        self._codec = get_codec(events.response, **options)
        self._read = events.reader(self._codec)
        self._count = 0

    def __call__(self, event: Any) -> MsgChunk | None:
        """Return the chunk of the next event, as plain data; None if the event says nothing.

        Raises:
            DecodeError: if it doesn't fit its stream; its path is the number of the event.
        """
        self._count += 1
        try:
            found = self._read(event)
            return chunk_of(found) if isinstance(found, tuple) else found
        except MISFITS as error:
            raise misfit(error, self._count - 1, self._codec.name) from None
