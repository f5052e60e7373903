"""langchain: the dict forms in which people store LangChain's messages.

A document is a list of messages, a single message, or a state (``{"messages": [...], ...}``, other keys are kept as
``history.extras["langchain"]``). Each message has one of the forms of forms.py; the history remembers the first one
and its container, a message a form that differs. New messages are written in the history's form, else in that of
the option ``form``. Envelopes of dumpd (``{"lc": 1, ...}``) are refused; ``lc`` inside of user data is plain data.

| LangChain | agentmsg |
| --- | --- |
| human, ai, system, tool, remove | user, assistant, system, tool, remove |
| system with additional_kwargs.__openai_role__ "developer" | developer |
| chat; generic | the role in ``role`` |
| function | tool, with one result that has no tool_call_id |
| HumanMessageChunk, AIMessageChunk ... | as the message; the class is noted |
| id, name | id, name; the name of a tool message is its tool's |
| additional_kwargs | metadata, without what follows |
| ... tool_calls, function_call | ToolUseBlocks |
| ... reasoning_content; refusal; audio | a first ThinkingBlock; RefusalBlock; AudioBlock |
| response_metadata | response_metadata, without what follows |
| ... model_name, model | model |
| ... finish_reason, stop_reason | finish_reason, in our words |
| usage_metadata | usage; details beyond ours in extras["langchain.input"], ["langchain.output"] |
| content: a text; a list | one TextBlock; a block a part |
| tool_calls, invalid_tool_calls | ToolUseBlocks; up to four copies of a call are one block, see calls.py |
| args ``{"_raw": value}`` | input that is no object (and, wrapped once more, an input that looks like that) |
| tool_call_id, content, name, artifact, status | the ToolResultBlock |
| structured, error, error_type of a tool message | the same fields (LangChain keeps fields that it does not know) |
| text (annotations), reasoning, refusal | TextBlock (citations), ThinkingBlock, RefusalBlock |
| image, audio, video, file, text-plain | the media blocks |
| tool_call, invalid_tool_call, tool_call_chunk | ToolUseBlock |
| server_tool_call, server_tool_result | ToolUseBlock and ToolResultBlock with kind "server" |
| non_standard with ``{"type": <our tag>, ...}`` | DataBlock, SourceBlock, CompactionBlock, block classes of yours |
| bare texts; parts of v0, OpenAI, Anthropic, Google, Bedrock | the same blocks; they note their shape (*shapes.py) |
| tool_result (Anthropic) in a human message | a tool message of its own; see grouped.py |
| any other part; any other message | NativeBlock; a message with the role "native" |
| extras of a block: signature, phase, metadata, detail, filename, title, provider ... | fields of the block |
| cache_control | cache |
| unknown keys | extras["langchain"] |
| ... in a block's extras; beside type and data | extras["langchain.extras"]; extras["langchain.envelope"] |

Written by default: v1 blocks, a text where content is one plain text, calls in tool_calls (and in content where they
stand before other blocks or say more than id, name and arguments).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import attrs

import agentmsg as am
from agentmsg.caps import Caps
from agentmsg.codec import Codec, maker
from agentmsg.errors import AgentMsgError, DecodeError, excerpt
from agentmsg.json_values import EMPTY, adopt
from agentmsg.plain import is_list, is_mapping, is_object, is_sequence
from agentmsg_codecs.langchain.caps import make_caps
from agentmsg_codecs.langchain.forms import sniff_message
from agentmsg_codecs.langchain.grouped import gather, separate
from agentmsg_codecs.langchain.messages import Messages
from agentmsg_codecs.langchain.parts import Parts
from agentmsg_codecs.langchain.words import FAMILY

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LangChainCodec"]

Part = dict[str, Any]
_SNIFFED = 8
_make_history = maker(am.History)
_WRITABLE = ("dict", "flat", "role")
_NOTES = {
    (form, container): adopt({FAMILY: {"form": form, "container": container}})
    for form in _WRITABLE
    for container in ("list", "single", "state")
}


def _messages() -> Messages:
    return Messages(Parts())


@attrs.frozen(kw_only=True)
class LangChainCodec(Codec):
    """LangChain's messages as dicts.

    Attributes:
        form: of messages in a history that was not read from a document of LangChain.
        engine: what reads and writes; hooks registered on ``engine.converter`` before first use replace ours.
    """

    name: ClassVar[str] = "langchain"
    family: ClassVar[str] = FAMILY
    title: ClassVar[str] = "LangChain (messages_to_dict, model_dump)"

    form: Literal["dict", "flat", "role"] = attrs.field(default="dict", validator=attrs.validators.in_(_WRITABLE))
    engine: Messages = attrs.field(factory=_messages, init=False, eq=False, repr=False)
    _caps: Caps = attrs.field(
        init=False, eq=False, repr=False, default=attrs.Factory(lambda self: make_caps(self.engine), takes_self=True)
    )

    @property
    def caps(self) -> Caps:
        """What LangChain's messages carry; see caps.py."""
        return self._caps

    def read(self, document: Any) -> am.History:
        """Return the history of a list of messages, a single message, or a state that holds messages."""
        container, natives, rest = _contents(document)
        self.engine.fill()
        read = self.engine.read
        messages: list[am.Msg] = []
        odd: list[tuple[int, str]] = []
        form = ""
        for index, native in enumerate(natives):
            try:
                message, own = read(native)
            except AgentMsgError as error:
                lead = () if container == "single" else (index,) if container == "list" else ("messages", index)
                raise error.at(*lead) from None
            if own != form:
                if not form and own in _WRITABLE:
                    form = own
                else:
                    odd.append((len(messages), own))
            messages.append(message)
        form = form or ("role" if messages else self.form)
        for index, own in odd:
            if own != form:
                messages[index] = _noted(messages[index], own)
        messages = separate(messages, self.engine.parts)
        extras = adopt({FAMILY: rest}) if rest else EMPTY
        return _make_history(messages=tuple(messages), extras=extras, notes=_NOTES[form, container])

    def write(self, history: am.History) -> Any:
        """Return the document: in the form and container of the history's notes, else a list in the codec's form."""
        note = history.notes.get(FAMILY) if history.notes else None
        noted: Mapping[str, Any] = note if is_mapping(note) else {}
        form = noted.get("form")
        form = form if isinstance(form, str) and form in _WRITABLE else self.form
        self.engine.fill()
        write = self.engine.write
        natives = [write(message, form) for message in gather(history.messages, self.engine.parts)]
        rest = history.extras.get(FAMILY) if history.extras else None
        if is_mapping(rest):
            return {**rest, "messages": natives}
        container = noted.get("container")
        if container == "state":
            return {"messages": natives}
        if container == "single" and len(natives) == 1 and is_mapping(natives[0]):
            only = natives[0]
            return natives if is_sequence(only.get("messages")) else only
        return natives

    def sniff(self, document: Any) -> float:
        """Return how much a document looks like LangChain: by the forms of its first messages."""
        messages = document.get("messages", [document]) if is_object(document) else document
        if not is_list(messages) or not messages:
            return 0.0
        return min(sniff_message(message) for message in messages[:_SNIFFED])


def _contents(document: Any) -> tuple[str, list[Any], Part]:
    if is_list(document):
        return "list", document, {}
    if not is_object(document):
        raise DecodeError(f"messages of LangChain are a list or an object, not {excerpt(document)}")
    part = document
    if is_list(part.get("messages")):
        return "state", part["messages"], {key: value for key, value in part.items() if key != "messages"}
    return "single", [part], {}


def _noted(message: am.Msg, form: str) -> am.Msg:
    if message.role == "native":
        return message
    note = message.notes.get(FAMILY) if message.notes else None
    old = note if is_mapping(note) else {}
    return message.evolve(notes={**message.notes, FAMILY: {**old, "/form": form}})
