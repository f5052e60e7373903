"""ChunkReader: a provider's events as chunks, for the live view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from agentmsg.errors import AgentMsgError, DecodeError
from agentmsg.formats.events import events_of
from agentmsg.formats.shapes import Unreadable
from agentmsg.registry import get_codec

if TYPE_CHECKING:
    from agentmsg.formats.codec import Codec
    from agentmsg.stream.chunk import MsgChunk
    from agentmsg_codecs import CodecName
    from agentmsg_codecs.options import CodecOptions

__all__ = ["ChunkReader"]


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
        place = self._count
        self._count += 1
        try:
            return self._read(event)
        except AgentMsgError as error:
            raise error.at(place, codec=self._codec.name) from None
        except (Unreadable, LookupError, TypeError, AttributeError, ValueError):
            msg = "this event doesn't fit its stream"
            raise DecodeError(msg, code="schema", path=(place,), codec=self._codec.name) from None
