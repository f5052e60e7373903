"""The options of our codecs, and which kind of document each writes, for type checkers.

They can't take either from the classes; a test compares both. Nothing imports this module when a program runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict

from agentmsg.model.fields import Converting, Reading, Writing

if TYPE_CHECKING:
    from agentmsg.limits import Limits

__all__ = [
    "CodecConverting",
    "CodecOptions",
    "CodecReading",
    "CodecWriting",
    "Collecting",
    "ListCodecName",
    "ListWriting",
    "ObjectCodecName",
    "ObjectWriting",
    "SingleCodecName",
    "Transcoding",
    "Whole",
    "Wrapped",
]

ObjectCodecName: TypeAlias = Literal[
    "anthropic", "anthropic-response", "bedrock", "bedrock-response", "gemini", "gemini-response", "hf", "json",
    "openai", "openai-response", "openai-responses", "openai-responses-response", "sharegpt",
]  # fmt: skip
"""The codecs that write a new history as an object: a request, a response, a row or the canonical form."""

SingleCodecName: TypeAlias = Literal[
    "agentscope", "agentscope-java", "arcaelas", "langchain", "langchain-lc", "lionpride", "pydantic-ai", "riffer",
    "synaptic", "vercel", "vercel-ui",
]  # fmt: skip
"""The codecs that write a new history as a list, and a message by itself as an object."""

ListCodecName: TypeAlias = Literal[SingleCodecName, "langgraph", "msgpack"]
"""The codecs that write a new history as a list."""

_Thinking: TypeAlias = Literal[
    "auto", "drop", "text", "reasoning_content", "reasoning", "reasoning_details", "thinking_blocks"
]


Whole: TypeAlias = Literal["body", "prompt", "row"]
"""The containers that are the usual ones of objects."""

Wrapped: TypeAlias = Literal["object", "single"]
"""The containers that put a list into an object, or one message."""


class _OfObjects(TypedDict, total=False):
    arguments: Literal["object", "text"]
    content: Literal["text", "parts"]
    nulls: Literal["keep", "absent"]
    reasoning: Literal["reasoning_content", "thinking", "reasoning", "think", "drop"]
    remember: int
    results: Literal["text", "user"]
    sampling: Literal["drop", "write"]
    thinking: _Thinking
    turns: Literal["kept", "merged"]


class _OfLists(TypedDict, total=False):
    dialect: Literal["python", "js"]
    version: Literal[1, 2, "0.9", "latest"] | None
    wire: Literal["msgpack", "json"]


class CodecOptions(_OfObjects, _OfLists, total=False):
    """The options of all our codecs. That a codec lacks one of them is found by the call."""

    container: Whole | Literal["list"] | Wrapped | None
    form: Literal["body", "sdk", "dict", "flat", "role"] | None


class CodecReading(Reading, CodecOptions, total=False):
    """What ``decode`` takes for any of our codecs."""


class CodecWriting(Writing, CodecOptions, total=False):
    """What ``encode`` takes for any of our codecs."""


class CodecConverting(Converting, CodecOptions, total=False):
    """What ``convert`` takes for any of our codecs as its target."""


class Transcoding(TypedDict, total=False):
    """What ``transcode`` takes."""

    thinking: Literal["show", "drop"]
    limits: Limits


class Collecting(CodecOptions, total=False):
    """What ``collect`` takes for any of our codecs."""

    partial: Literal["error", "keep"]
    limits: Limits


class ObjectWriting(Writing, _OfObjects, total=False):
    """What ``encode`` takes for codecs that write objects, besides the container."""

    form: Literal["body", "sdk"]


class ListWriting(Writing, _OfLists, total=False):
    """What ``encode`` takes for codecs that write lists, besides the container."""

    form: Literal["dict", "flat", "role"] | None
