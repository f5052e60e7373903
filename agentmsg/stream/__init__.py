"""Messages that are still arriving: chunks, their sum, and partial arguments.

``MsgChunk`` is immutable and adds with ``+``; ``Accumulator`` takes chunks, and gives the message so far at any time.

May import ``fitting`` and what lies below it.
"""

from __future__ import annotations

from agentmsg.stream.accumulator import Accumulator
from agentmsg.stream.chunk import ChunkPart, MsgChunk
from agentmsg.stream.documents import decode_chunk, encode_chunk
from agentmsg.stream.frames import events, sse
from agentmsg.stream.live import ChunkReader
from agentmsg.stream.partial_json import parse_partial
from agentmsg.stream.splitting import chunks_of

__all__ = [
    "Accumulator",
    "ChunkPart",
    "ChunkReader",
    "MsgChunk",
    "chunks_of",
    "decode_chunk",
    "encode_chunk",
    "events",
    "parse_partial",
    "sse",
]
