"""synaptic: messages of Synaptic (Rust, crate synaptic-core 0.3), as serde writes them, and chunks of answers.

A document is a list of messages (a stored history), the state of a graph (``{"messages": [...]}``), or one message.

| Synaptic | agentmsg |
| --- | --- |
| system, human, assistant, tool, remove | system, user, assistant, tool, remove |
| chat, custom_role | any other role |
| user, ai, any other word in role (the real reader refuses these) | the same roles, written again as they were read |
| content; content_blocks | one TextBlock; a block each, and the text before them where it is none of theirs |
| text, image, audio, video, file, data | TextBlock, ImageBlock, AudioBlock, VideoBlock, FileBlock, DataBlock |
| reasoning; reasoning of a chunk | ThinkingBlock |
| url: a reference, a base64 data URL | URLSource, Base64Source |
| tool_calls: id, name, arguments (any JSON) | ToolUseBlock: id, name, input |
| invalid_tool_calls: id, name, arguments (text), error | ToolUseBlock with invalid raw_input; extras |
| tool_call_chunks: id, name, arguments (text), index | ToolUseBlock with a piece of raw_input; extras |
| tool_call_id, name of a tool message | ToolResultBlock: tool_call_id, name (else that of its call) |
| id, name | id, name |
| additional_kwargs | metadata |
| response_metadata; its model | response_metadata; model |
| usage_metadata, usage of a chunk | usage; see usage.py |
| any other block or message | NativeBlock, a message of the role "native" |
| error, index and unknown keys | extras["synaptic"] |
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import attrs

import agentmsg as am
from agentmsg.caps import Caps
from agentmsg.codec import Codec, maker
from agentmsg.errors import AgentMsgError, DecodeError, excerpt
from agentmsg.json_values import EMPTY, adopt, thaw
from agentmsg.link import CallNames
from agentmsg.plain import is_list, is_mapping, is_object
from agentmsg.shapes import Native, mark_of
from agentmsg_codecs.synaptic.caps import make_caps
from agentmsg_codecs.synaptic.messages import Messages
from agentmsg_codecs.synaptic.sniffing import sniff
from agentmsg_codecs.synaptic.words import FAMILY

__all__ = ["SynapticCodec"]

Container = Literal["list", "message", "state"]
_CONTAINERS = ("list", "message", "state")
_NOTES = {name: adopt({FAMILY: {"/container": name}}) for name in _CONTAINERS}
_make_history = maker(am.History)


@attrs.frozen(kw_only=True)
class SynapticCodec(Codec):
    """Messages of Synaptic.

    Attributes:
        container: of a history that was not read from a document of Synaptic: a "list" of messages, the "state" of a
            graph, or a "message" where there is only one.
        engine: what reads and writes; hooks registered on ``engine.parts.converter`` before first use replace ours.
    """

    name: ClassVar[str] = "synaptic"
    family: ClassVar[str] = FAMILY
    title: ClassVar[str] = "Synaptic (Message, serde)"
    writes_plain: ClassVar[bool] = True

    container: Container = attrs.field(default="list", validator=attrs.validators.in_(_CONTAINERS))
    engine: Messages = attrs.field(factory=Messages, init=False, eq=False, repr=False)
    _caps: Caps = attrs.field(
        init=False, eq=False, repr=False, default=attrs.Factory(lambda self: make_caps(self.engine), takes_self=True)
    )

    @property
    def caps(self) -> Caps:
        """What Synaptic's messages carry; see caps.py."""
        return self._caps

    def read(self, document: Any) -> am.History:
        """Return the history of a list, a state or a message."""
        container, natives = _contents(document)
        self.engine.fill()
        names = CallNames()
        messages: list[am.Msg] = []
        try:
            for native in natives:
                messages.append(self.engine.read(native, names))  # noqa: PERF401 - how many there are is the path
        except AgentMsgError as error:
            raise error.at(*_path(container, len(messages))) from None
        rest: Native = {}
        if container == "state":
            rest = {key: value for key, value in document.items() if key != "messages"}
        return _make_history(
            messages=tuple(messages), extras=adopt({FAMILY: rest}) if rest else EMPTY, notes=_NOTES[container]
        )

    def write(self, history: am.History) -> Any:
        """Return the document of a history, in the container that it was read from, or that is wanted."""
        self.engine.fill()
        names = CallNames()
        natives = [self.engine.write(message, names) for message in history.messages]
        rest = history.extras.get(FAMILY) if history.extras else None
        noted = mark_of(history, FAMILY, "/container") if history.notes else None
        container = noted if noted in _CONTAINERS else self.container
        if is_mapping(rest) and rest:
            return {"messages": natives, **thaw(rest)}
        if container == "state":
            return {"messages": natives}
        # A state has no role: a message with such a key would pass for one.
        if container == "message" and len(natives) == 1 and not _is_state(natives[0]):
            return natives[0]
        return natives

    def sniff(self, document: Any) -> float:
        """Return how much a document looks like Synaptic's: by its messages."""
        return sniff(_contents(document)[1]) if is_list(document) or is_object(document) else 0.0

    def native_messages(self, document: Any) -> list[Any]:
        """Return the native messages of a document, in order."""
        return list(_contents(document)[1])


def _is_state(document: Native) -> bool:
    return "role" not in document and is_list(document.get("messages"))


def _contents(document: Any) -> tuple[Container, list[Any]]:
    """Return the kind of a document, and its native messages."""
    if is_list(document):
        return "list", document
    if not is_object(document):
        raise DecodeError(f"a document of Synaptic is an object or a list of messages, not {excerpt(document)}")
    return ("state", document["messages"]) if _is_state(document) else ("message", [document])


def _path(container: Container, number: int) -> tuple[str | int, ...]:
    return {"list": (number,), "state": ("messages", number), "message": ()}[container]
