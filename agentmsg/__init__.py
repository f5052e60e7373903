"""agentmsg: one immutable message model for AI agents, with exact conversion between the formats people use.

``import agentmsg`` loads the model only. Everything else (codecs, conversion, losses) loads on first use, so the import
costs little more than importing attrs.

Convert with ``convert`` and ``restore``. Read and write bytes with ``loads`` and ``dumps``, plain data with ``decode``
and ``encode``, files with ``load`` and ``dump``, ``load_lines`` and ``dump_lines``. Find a document's format with
``recognize`` and ``detect``. A conversation is a ``History`` of ``Msg``; a message consists of ``blocks``. For more,
run ``agentmsg guide``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmsg.errors import (
    AgentMsgError,
    CodecLookupError,
    DecodeError,
    EncodeError,
    FileError,
    InvalidMessage,
    LossError,
    NotUnderstood,
    StreamBroken,
)
from agentmsg.lazy import later
from agentmsg.limits import Limits
from agentmsg.model.blocks import (
    ApprovalRequestBlock,
    ApprovalResponseBlock,
    AudioBlock,
    BaseBlock,
    Block,
    CacheHint,
    Citation,
    CompactionBlock,
    ContentBlock,
    DataBlock,
    FileBlock,
    ImageBlock,
    NativeBlock,
    RefusalBlock,
    Signature,
    SourceBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolsBlock,
    ToolUseBlock,
    VideoBlock,
    register_block,
)
from agentmsg.model.history import History
from agentmsg.model.msg import Msg
from agentmsg.model.recorder import Recorder
from agentmsg.model.roles import Role
from agentmsg.model.settings import Settings
from agentmsg.model.sources import Base64Source, BlocksSource, FileSource, Source, TextSource, URLSource
from agentmsg.model.tools import NativeTool, Tool, ToolSpec
from agentmsg.model.usage import Usage
from agentmsg.values.frozen import JSON, FrozenDict, FrozenList, thaw

if TYPE_CHECKING:
    from agentmsg import stream
    from agentmsg.api.joining import decode_parts
    from agentmsg.api.reading import decode, loads
    from agentmsg.api.streams import collect, emit, transcode
    from agentmsg.api.trimming import trim_messages
    from agentmsg.api.writing import Conversion, convert, dumps, encode
    from agentmsg.checking.detection import detect, recognize
    from agentmsg.embed.annotations import As
    from agentmsg.files.load_and_dump import dump, dump_lines, load, load_lines
    from agentmsg.fitting.carry import restore
    from agentmsg.fitting.loss_reports import dump_losses, load_losses
    from agentmsg.fitting.losses import Loss, Losses
    from agentmsg.fitting.repairing import Repaired, check, repair
    from agentmsg.formats.codec import Codec
    from agentmsg.formats.sending import Finding
    from agentmsg.model import blocks
    from agentmsg.model.builder import MsgBuilder
    from agentmsg.model.equality import same
    from agentmsg.model.fields import CallFields, MessageFields
    from agentmsg.model.generated import Made
    from agentmsg.ops.differences import Difference, diff
    from agentmsg.ops.filtering import filter_messages
    from agentmsg.ops.pairs import ToolPair
    from agentmsg.ops.stats import HistoryStats
    from agentmsg.ops.tokens import approximate_tokens, token_counter
    from agentmsg.ops.turns import Turn
    from agentmsg.redacting.redactor import Redaction, redact
    from agentmsg.registry import codec_names, get_codec
    from agentmsg.stream.accumulator import Accumulator
    from agentmsg.stream.chunk import ChunkPart, MsgChunk
    from agentmsg.stream.documents import decode_chunk, encode_chunk
    from agentmsg.stream.live import ChunkReader
    from agentmsg.stream.partial_json import parse_partial
    from agentmsg.stream.splitting import chunks_of
    from agentmsg_codecs import CodecName

__version__ = "0.1.0"

# Home module of each name that is imported on first use.
_LATER = {
    "agentmsg.": "stream",
    "agentmsg.api.joining": "decode_parts",
    "agentmsg.api.reading": "decode loads",
    "agentmsg.api.streams": "collect emit transcode",
    "agentmsg.api.trimming": "trim_messages",
    "agentmsg.api.writing": "Conversion convert dumps encode",
    "agentmsg.checking.detection": "detect recognize",
    "agentmsg.embed.annotations": "As",
    "agentmsg.files.load_and_dump": "dump dump_lines load load_lines",
    "agentmsg.fitting.carry": "restore",
    "agentmsg.fitting.loss_reports": "dump_losses load_losses",
    "agentmsg.fitting.losses": "Loss Losses",
    "agentmsg.fitting.repairing": "Repaired check repair",
    "agentmsg.formats.codec": "Codec",
    "agentmsg.formats.sending": "Finding",
    "agentmsg.model.": "blocks",
    "agentmsg.model.builder": "MsgBuilder",
    "agentmsg.model.equality": "same",
    "agentmsg.model.fields": "CallFields MessageFields",
    "agentmsg.model.generated": "Made",
    "agentmsg.ops.differences": "Difference diff",
    "agentmsg.ops.filtering": "filter_messages",
    "agentmsg.ops.pairs": "ToolPair",
    "agentmsg.ops.stats": "HistoryStats",
    "agentmsg.ops.tokens": "approximate_tokens token_counter",
    "agentmsg.ops.turns": "Turn",
    "agentmsg.redacting.redactor": "Redaction redact",
    "agentmsg.registry": "codec_names get_codec",
    "agentmsg.stream": "Accumulator ChunkPart ChunkReader MsgChunk chunks_of decode_chunk encode_chunk parse_partial",
    "agentmsg_codecs": "CodecName",
}

# Grouped, the most used first.
__all__ = [  # noqa: RUF022
    # convert
    "convert",
    "restore",
    "loads",
    "dumps",
    "decode",
    "decode_parts",
    "encode",
    "load",
    "dump",
    "load_lines",
    "dump_lines",
    "recognize",
    "detect",
    # messages
    "History",
    "Msg",
    "MessageFields",
    "CallFields",
    "MsgBuilder",
    "Recorder",
    "Role",
    "same",
    "Tool",
    "ToolSpec",
    "NativeTool",
    "Usage",
    "Settings",
    # blocks and their parts
    "blocks",
    "Block",
    "BaseBlock",
    "ContentBlock",
    "TextBlock",
    "ImageBlock",
    "AudioBlock",
    "VideoBlock",
    "FileBlock",
    "DataBlock",
    "ThinkingBlock",
    "ToolUseBlock",
    "ToolResultBlock",
    "ApprovalRequestBlock",
    "ApprovalResponseBlock",
    "RefusalBlock",
    "SourceBlock",
    "CompactionBlock",
    "ToolsBlock",
    "NativeBlock",
    "register_block",
    "Source",
    "URLSource",
    "Base64Source",
    "FileSource",
    "TextSource",
    "BlocksSource",
    "Citation",
    "CacheHint",
    "Signature",
    # losses
    "Conversion",
    "Losses",
    "Loss",
    "dump_losses",
    "load_losses",
    # what a provider would refuse
    "check",
    "Finding",
    "repair",
    "Repaired",
    # operations
    "diff",
    "Difference",
    "redact",
    "Redaction",
    "filter_messages",
    "trim_messages",
    "approximate_tokens",
    "token_counter",
    "HistoryStats",
    "ToolPair",
    "Turn",
    # streams
    "MsgChunk",
    "ChunkPart",
    "Accumulator",
    "chunks_of",
    "collect",
    "emit",
    "transcode",
    "stream",
    "ChunkReader",
    "decode_chunk",
    "encode_chunk",
    "parse_partial",
    # codecs
    "Codec",
    "CodecName",
    "codec_names",
    "get_codec",
    "As",
    "Limits",
    # errors
    "AgentMsgError",
    "InvalidMessage",
    "DecodeError",
    "NotUnderstood",
    "StreamBroken",
    "EncodeError",
    "LossError",
    "CodecLookupError",
    "FileError",
    # values
    "JSON",
    "FrozenDict",
    "FrozenList",
    "thaw",
    "Made",
    "__version__",
]


__getattr__ = later(globals(), _LATER)


def __dir__() -> list[str]:
    """Return the public names, lazily imported ones included; Python sorts them."""
    return list(__all__)
