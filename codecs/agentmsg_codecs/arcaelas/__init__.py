"""arcaelas: messages of @arcaelas/agent, as their ``toJSON`` gives them.

A document is a list of messages, one message alone, or an object that holds the list under ``messages`` (its other
keys are kept as ``history.extras["arcaelas"]``). Written is what version 2.3 writes, with its order of keys; 1.9 and
1.0 are read too, and a history keeps its generation: new results in it are linked by the same field.

| Arcaelas | agentmsg |
| --- | --- |
| system, user, assistant, tool | the same roles; one message is one message |
| any other role (which the library takes when it runs) | the same role, where it was read |
| content: a text; a list of blocks (user, tool); null | one TextBlock; a block each; no blocks |
| text | TextBlock |
| image, audio, document | ImageBlock, AudioBlock, FileBlock |
| source: base64; url; file | Base64Source; URLSource; FileSource without provider |
| timestamp, UTC with milliseconds | created_at; left out where there is none |
| tool_calls | ToolUseBlock; arguments are raw_input |
| tool_call_id; tool_id of 1.0 | tool_call_id of a ToolResultBlock, which has the name of its call |
| thinking, thinking_signature | one ThinkingBlock first, Signature of anthropic |
| unknown keys; of the function of a call | extras["arcaelas"]; extras["arcaelas.item"] |
| any other block; message | NativeBlock; a message of the role "native" |

Written by default: a text where content is one plain text; null beside calls; no key for what is not there. Texts that
stand where only one text can are joined by a line break.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import attrs

import agentmsg as am
from agentmsg.caps import Caps
from agentmsg.codec import Codec, maker
from agentmsg.errors import AgentMsgError, DecodeError, excerpt
from agentmsg.json_values import EMPTY, adopt, thaw
from agentmsg.link import CallNames
from agentmsg.plain import is_list, is_mapping, is_object, is_sequence
from agentmsg.shapes import Native, mark_of
from agentmsg_codecs.arcaelas.caps import make_caps
from agentmsg_codecs.arcaelas.content import ContentParts
from agentmsg_codecs.arcaelas.messages import Messages, generation
from agentmsg_codecs.arcaelas.sniffing import sniff_message
from agentmsg_codecs.arcaelas.words import FAMILY, LINKS

__all__ = ["ArcaelasCodec"]

_make_history = maker(am.History)
_SNIFFED = 8


def _engines() -> Mapping[int, Messages]:
    content = ContentParts()
    return {version: Messages(content, version) for version in LINKS}


@attrs.frozen(kw_only=True)
class ArcaelasCodec(Codec):
    """Messages of @arcaelas/agent.

    Attributes:
        version: which generation a history is written for that was not read from a document that tells: 2 links
            results by ``tool_call_id`` (as 1.9 did), 1 by ``tool_id`` (1.0).
        engines: what reads and writes, by generation; hooks registered on ``engines[2].content.everything.converter``
            before first use replace ours in all.
    """

    name: ClassVar[str] = "arcaelas"
    family: ClassVar[str] = FAMILY
    title: ClassVar[str] = "Arcaelas Agent"
    writes_plain: ClassVar[bool] = True

    version: Literal[1, 2] = attrs.field(default=2, validator=attrs.validators.in_((1, 2)))
    engines: Mapping[int, Messages] = attrs.field(factory=_engines, init=False, eq=False, repr=False)
    _caps: Caps = attrs.field(
        init=False,
        eq=False,
        repr=False,
        default=attrs.Factory(lambda self: make_caps(self.engines[2]), takes_self=True),
    )

    @property
    def caps(self) -> Caps:
        """What Arcaelas' messages carry; see caps.py."""
        return self._caps

    def _engine(self, version: Any) -> Messages:
        engine = self.engines[version if type(version) is int and version in self.engines else self.version]
        engine.content.fill()
        return engine

    def read(self, document: Any) -> am.History:
        """Return the history of a list of messages, one message, or an object that holds messages."""
        container, natives = _contents(document)
        version = generation(natives)
        engine, names = self._engine(version), CallNames()
        messages: list[am.Msg] = []
        for index, native in enumerate(natives):
            try:
                messages.append(engine.read(native, names))
            except AgentMsgError as error:
                lead = {"list": (index,), "body": ("messages", index)}.get(container, ())
                raise error.at(*lead) from None
        note: Native = {} if container == "list" else {"/container": container}
        if version is not None:
            note["/version"] = version
        rest = {key: value for key, value in document.items() if key != "messages"} if container == "body" else {}
        return _make_history(
            messages=tuple(messages),
            extras=adopt({FAMILY: rest}) if rest else EMPTY,
            notes=adopt({FAMILY: note}) if note else EMPTY,
        )

    def write(self, history: am.History) -> Any:
        """Return the list of native messages; in the container that the history was read from, if it was another."""
        engine = self._engine(mark_of(history, FAMILY, "/version"))
        natives = list(map(engine.write, history.messages))
        rest: Any = history.extras.get(FAMILY) if history.extras else None
        container = mark_of(history, FAMILY, "/container")
        if is_mapping(rest):
            return {"messages": natives, **{key: thaw(value) for key, value in rest.items() if key != "messages"}}
        if container == "body":
            return {"messages": natives}
        # A message with a list of messages in it would be read as their container.
        is_alone = container == "single" and len(natives) == 1 and not is_sequence(natives[0].get("messages"))
        return natives[0] if is_alone else natives

    def sniff(self, document: Any) -> float:
        """Return how much a document looks like Arcaelas: by its first messages."""
        natives = self.native_messages(document)[:_SNIFFED]
        return min(map(sniff_message, natives)) if natives else 0.0


def _contents(document: Any) -> tuple[str, list[Any]]:
    """Return the container and the native messages in it."""
    if is_list(document):
        return "list", document
    if not is_object(document):
        raise DecodeError(f"messages are a list or an object, not {excerpt(document)}")
    natives = document.get("messages")
    return ("body", natives) if is_list(natives) else ("single", [document])
