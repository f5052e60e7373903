"""synaptic: messages of Synaptic (Rust) as serde writes them, and chunks of streamed responses.

A document is a list of messages (a stored history), the state of a graph (``{"messages": [...]}``), or one message.

Follows the crate synaptic-core 0.3.

| Synaptic | agentmsg |
| --- | --- |
| system, human, assistant, tool, remove | system, user, assistant, tool, remove |
| chat, custom_role | any other role |
| user, ai, any other role (Synaptic itself refuses these) | the same roles, written back unchanged |
| content; content_blocks | one TextBlock; one block each; the text comes first unless it is one of them |
| text, image, audio, video, file, data | TextBlock, ImageBlock, AudioBlock, VideoBlock, FileBlock, DataBlock |
| reasoning; reasoning of a chunk | ThinkingBlock |
| url: a reference; a base64 data URL | URLSource; Base64Source |
| tool_calls: id, name, arguments (any JSON) | ToolUseBlock: id, name, input |
| invalid_tool_calls: id, name, arguments (text), error | ToolUseBlock with invalid raw_input; extras |
| tool_call_chunks: id, name, arguments (text), index | ToolUseBlock with a piece of raw_input; extras |
| tool_call_id, name of a tool message | ToolResultBlock: tool_call_id, name (or the name of its call) |
| id, name | id, name |
| additional_kwargs | metadata |
| response_metadata; its model | response_metadata; model |
| usage_metadata, usage of a chunk | usage |
| any other block or message | NativeBlock; a message with the role "native" |
| error, index, unknown keys; an invalid id or name; metadata other than an object | extras["synaptic"] |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from agentmsg.formats import CallNames, ContainerCodec, Containers, is_mapping, is_sequence
from agentmsg_codecs.synaptic.messages import Messages
from agentmsg_codecs.synaptic.names import CALL_KEYS, CHUNK_KEYS, CONTAINERS, CONTENT_KEYS, FAMILY

if TYPE_CHECKING:
    import agentmsg as am
    from agentmsg.formats.forms import Described


__all__ = ["SynapticCodec"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class SynapticCodec(ContainerCodec):
    """Messages of Synaptic.

    Attributes:
        engine: reads and writes; hooks registered on ``engine.parts.converter`` before first use replace ours.
    """

    name: ClassVar[str] = "synaptic"
    family: ClassVar[str] = FAMILY
    caps_in: ClassVar[str | None] = f"{__name__}.capabilities"
    fits_as_read: ClassVar[bool] = True
    title: ClassVar[str] = "Synaptic (Message, serde)"
    containers: ClassVar[Containers] = CONTAINERS
    content_keys: ClassVar[frozenset[str]] = ContainerCodec.content_keys | CONTENT_KEYS

    engine: Messages = attrs.field(factory=Messages, init=False, eq=False, repr=False)

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms of messages and of their content."""
        return (self.engine.described,)

    def read(self, document: Any) -> am.History:
        """Read a list, a state or a message."""
        contents = CONTAINERS.contents(document)
        self.engine.fill()
        read, names = self.engine.read, CallNames()
        return CONTAINERS.history(contents, contents.each(lambda native: read(native, names)))

    def write(self, history: am.History) -> Any:
        """Write a history that fits, in the container that it was read from, or as the option decides."""
        self.engine.fill()
        names = CallNames()
        natives = [self.engine.write(message, names) for message in history.messages]
        return CONTAINERS.document(history, natives, self.container)

    def read_chunk(self, document: Any) -> am.MsgChunk:
        """Read an AIMessageChunk; see chunks.py."""
        from agentmsg_codecs.synaptic.chunks import read_chunk  # noqa: PLC0415 - few read or write chunks

        return read_chunk(document)

    def write_chunk(self, chunk: am.MsgChunk) -> Any:
        """Write a chunk."""
        from agentmsg_codecs.synaptic.chunks import write_chunk  # noqa: PLC0415 - few read or write chunks

        return write_chunk(chunk)

    def likeness(self, document: Any) -> float:
        """Return how much a document looks like Synaptic's, judging by its first messages."""
        return self.likeliest(document, _sniff_message)


# -- likeness ---------------------------------------------------------------------------------------------------------


_ROLES = frozenset({"system", "human", "assistant", "tool", "chat", "remove"})
# The keys of similar messages of other formats.
_FOREIGN = frozenset({"type", "timestamp", "parts", "data", "created_at", "metadata", "files", "token_usage", "lc"})
_USAGE = frozenset({"input_tokens", "output_tokens", "total_tokens"})
_COUNT_DETAILS = frozenset({"input_details", "output_details"})


def _sniff_message(message: Any) -> float:
    """Return 0 to 1: most for a message that only Synaptic has, less for one that others have, too."""
    if not is_mapping(message) or not _FOREIGN.isdisjoint(message):
        return 0.0
    role = message.get("role")
    if role == "remove":
        return 1.0 if isinstance(message.get("id"), str) else 0.0
    if not isinstance(message.get("content"), str):
        return 0.0
    if "role" not in message:
        return _sniff_chunk(message)
    if not isinstance(role, str) or role not in _ROLES:
        return 0.0
    if role == "chat":
        return 1.0 if isinstance(message.get("custom_role"), str) else 0.0
    calls = message.get("tool_calls")
    if calls and not _are_calls(calls):
        return 0.0
    own = bool(calls) or "content_blocks" in message or _is_usage(message.get("usage_metadata"))
    return 1.0 if own else 0.85 if role == "human" else 0.81


def _sniff_chunk(message: dict[str, Any]) -> float:
    if not CHUNK_KEYS.issuperset(message):
        return 0.0
    if "tool_call_chunks" in message or _is_usage(message.get("usage")):
        return 1.0
    return 0.85 if "reasoning" in message else 0.2


def _are_calls(calls: Any) -> bool:
    return is_sequence(calls) and all(is_mapping(call) and call.keys() == CALL_KEYS for call in calls)


def _is_usage(usage: Any) -> bool:
    return is_mapping(usage) and usage.keys() >= _USAGE and (_USAGE | _COUNT_DETAILS).issuperset(usage)
