"""bedrock: requests to Converse of Amazon Bedrock. For responses, use ``bedrock-response``.

A document is a body, ``{"messages": [...], "system"?, "toolConfig"?, ...}``, a list of messages, or one message. Bytes
are base64 texts, as on the wire, or as Strands and JavaScript dump them. A text may replace content of one text. The
parts of a user or an assistant may have a null for each other kind, as the output of batches has them.

Follows the Python package botocore 1.43.

| Bedrock | agentmsg |
| --- | --- |
| system of the body | the first message, a system message; several are merged into one |
| messages: user, assistant, system | user, assistant, system; developer becomes system |
| text | TextBlock |
| guardContent: a text; an image | TextBlock; ImageBlock; both with extras["bedrock.guard"] |
| citationsContent | TextBlock with citations |
| image, audio, video, document: bytes; s3Location | ImageBlock ... with base64 data; with the URI |
| document: text; content | FileBlock with a TextSource; with a BlocksSource |
| searchResult | FileBlock with a BlocksSource; its source is the name |
| cachePoint | cache of the previous block |
| reasoningContent: reasoningText; redactedContent | ThinkingBlock, signed by "bedrock"; redacted |
| toolUse; of the type server_tool_use | ToolUseBlock; of kind "server" |
| toolResult of a user; of an assistant | a tool message, named after its call; ToolResultBlock of kind "server" |
| json in a result | DataBlock |
| toolConfig: tools: toolSpec; any other | ToolSpec; NativeTool |
| parameters of the body: inferenceConfig, toolChoice, outputConfig | settings |
| any other part; message | NativeBlock; a message with the role "native" |
| unknown keys; the rest of the body | extras["bedrock"], inside a part's object "bedrock.item"; on the history |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import attrs

import agentmsg as am
from agentmsg import DecodeError, thaw
from agentmsg.formats import EMPTY, Native, adopt, excerpt, is_list, is_mapping, is_object, marked
from agentmsg.formats.bodies import Requests
from agentmsg.formats.sending import rules_at
from agentmsg_codecs.bedrock.likeness import is_message, sniff_body
from agentmsg_codecs.bedrock.messages import Bedrock, Messages, folded, is_top, unfolded
from agentmsg_codecs.bedrock.names import CONFIG, FAMILY, PROVIDER
from agentmsg_codecs.bedrock.tools import TOOLS, read_tools, write_tools
from agentmsg_codecs.wire.chats import raw_call

if TYPE_CHECKING:
    from agentmsg.formats.forms import Described

__all__ = ["BedrockCodec"]

_REQUESTS = Requests(
    family=FAMILY, carrier=PROVIDER, key="messages", is_single=is_message, settings_in=f"{__name__}.settings"
)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class BedrockCodec(Bedrock):
    """Requests to Bedrock's Converse; ``Bedrock`` has the other options.

    Attributes:
        turns: whether neighbours of one role stay, or become one message: users and assistants must alternate.
    """

    name: ClassVar[str] = "bedrock"
    title: ClassVar[str] = "Amazon Bedrock Converse (requests)"
    caps_in: ClassVar[str | None] = f"{__name__}.capabilities"
    repairs_with: ClassVar[Mapping[str, Any]] = adopt({"turns": "merged"})
    rules = rules_at(
        "agentmsg_codecs.bedrock.sending", lambda codec: ("alternation",) if codec.turns == "merged" else ()
    )

    turns: Literal["kept", "merged"] = attrs.field(default="kept", validator=attrs.validators.in_(("kept", "merged")))
    engine: Messages = attrs.field(
        default=attrs.Factory(lambda self: Messages(alternates=self.turns == "merged"), takes_self=True),
        init=False,
        eq=False,
        repr=False,
    )

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms of parts, tools and settings."""
        return (self.engine.described, TOOLS, _REQUESTS.settings.described)

    def raw_arguments(self, own: Any) -> list[tuple[tuple[str | int, ...], Any]]:
        """Return the arguments of a raw call."""
        return raw_call(own, "toolUse", "input")

    def read(self, document: Any) -> am.History:
        """Read a body, a list of messages, or one message."""
        body, note = _REQUESTS.opened(document)
        if not is_object(body) or not is_list(body.get("messages")):
            raise DecodeError(f"a request must have a list of messages, not {excerpt(document)}", path=("messages",))
        self.engine.fill()
        messages = _marked(self.engine.read(body["messages"]))
        rest = {key: value for key, value in body.items() if key != "messages"}
        if is_list(rest.get("system")) or type(rest.get("system")) is str:
            top = self.engine.system(rest.pop("system"))
            if top.role != "system":
                raise DecodeError("system is a list of texts and cache points", path=("system",))
            messages.insert(0, top)
        tools, rest = _read_tools(rest)
        settings, rest = _REQUESTS.read_settings(rest)
        return _REQUESTS.history(messages, rest, note, tools=tools, settings=settings)

    def write(self, history: am.History) -> Any:
        """Write the body; write a bare list of messages if one was read and needs no body."""
        self.engine.fill()
        messages = history.messages
        rest = _REQUESTS.parameters(history)
        body: Native = {}
        if messages and is_top(messages[0]):
            body["system"] = self.engine.write_system(messages[0])
            messages = messages[1:]
        body["messages"] = self.engine.write(messages)
        settings = _REQUESTS.write_settings(history.settings, rest)
        if history.tools:
            config = settings.get(CONFIG, rest.get(CONFIG, EMPTY))
            held: Native = thaw(config) if is_mapping(config) else {}
            settings[CONFIG] = {"tools": write_tools(history.tools), **held}
        return _REQUESTS.closed(history, body, settings)

    def read_parts(self, parts: Sequence[Any]) -> tuple[am.Block, ...]:
        """Read the content of an assistant's message."""
        self.engine.fill()
        return self.engine.blocks(folded(list(parts)))

    def _parts_of(self, blocks: Sequence[am.Block]) -> list[Any]:
        self.engine.fill()
        return unfolded(list(map(self.engine.places["assistant"].write, blocks)))

    def beside(self, document: Any) -> tuple[Any, Any]:
        """Return the system prompt and the configuration of tools of a document."""
        return super().beside(document)[0], document.get(CONFIG) if is_object(document) else None

    def likeness(self, document: Any) -> float:
        """Return how closely a document resembles a request to Bedrock, by its messages and their parts."""
        return sniff_body(document)


def _marked(messages: list[am.Msg]) -> list[am.Msg]:
    """Mark the leading system messages in the list of messages: they aren't the prompt of the body."""
    front = list(takewhile(is_top, messages))
    return [*(marked(message, FAMILY, here=True) for message in front), *messages[len(front) :]]


def _read_tools(parameters: Native) -> tuple[tuple[Any, ...], Native]:
    """Return the tools of a body, and its parameters without them."""
    config: Any = parameters.get(CONFIG)
    tools = read_tools(config)
    if tools is None:
        return (), parameters
    left = {key: value for key, value in config.items() if key != "tools"}
    rest = {key: value for key, value in parameters.items() if key != CONFIG}
    return tools, {**rest, CONFIG: left} if left else rest
