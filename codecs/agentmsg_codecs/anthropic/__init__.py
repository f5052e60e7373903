"""anthropic: requests to Anthropic's Messages API. For its responses, use ``anthropic-response``.

A document is a request body, ``{"messages": [...], "system"?, "tools"?, ...}``, a list of messages, or one message.

Follows the Python package anthropic 2.12, beta blocks included.

| Anthropic | agentmsg |
| --- | --- |
| system of the body, a text or a list of texts | a system message in front; several become one |
| messages: system, user, assistant | system, user, assistant; developer becomes system |
| a system message after a user's turn, or read in another place | stays there; any other moves to the top |
| content: a text; a list | one TextBlock; one block per part |
| tool_result in a user message | a tool message, named after its call; adjacent ones are one user message |
| calls and results without ids | the same; linked by their order, if another format needs ids |
| tool_reference, mid_conv_system | NativeBlock, whose name or texts are for other formats |
| video (MiniMax) | VideoBlock; only one that was read is written |
| any other tool, part or message | NativeTool; NativeBlock; a message with the role "native" |
| parameters of the body, such as model, max_tokens, tool_choice | settings |
| unknown keys; other keys of the body | extras["anthropic"] of the object; of the history |

New content is written as a text if it is one plain text. A list of messages becomes a body if the history has more than
messages, such as tools.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import attrs

import agentmsg as am
from agentmsg import DecodeError, thaw
from agentmsg.formats import EMPTY, excerpt, is_list, is_mapping, is_object, note_of, speed
from agentmsg.formats.bodies import Requests, read_tool, write_tool
from agentmsg.formats.sending import rules_at
from agentmsg_codecs.anthropic.format import Anthropic
from agentmsg_codecs.anthropic.likeness import is_message, sniff_body
from agentmsg_codecs.anthropic.names import BODY_KEYS, CONTENT_KEYS, FAMILY
from agentmsg_codecs.anthropic.system_messages import may_move, with_places
from agentmsg_codecs.wire.chats import raw_call

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentmsg.formats import Native
    from agentmsg.formats.forms import Described

__all__ = ["AnthropicCodec"]

_REQUESTS = Requests(
    family=FAMILY, carrier=FAMILY, key="messages", is_single=is_message, settings_in=f"{__name__}.settings"
)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class AnthropicCodec(Anthropic):
    """Requests to Anthropic's Messages API; for its other options see ``Anthropic``.

    Attributes:
        sampling: what to do with temperature, top_p and top_k that weren't read from Anthropic's requests. The
            package has no arguments for them, and newer models refuse them, so "drop" leaves them out. "write" is for
            older models.
    """

    name: ClassVar[str] = "anthropic"
    title: ClassVar[str] = "Anthropic Messages (requests)"
    caps_in: ClassVar[str | None] = f"{__name__}.capabilities"
    content_keys: ClassVar[frozenset[str]] = Anthropic.content_keys | CONTENT_KEYS
    rules = rules_at("agentmsg_codecs.anthropic.sending")
    joins_turns: ClassVar[bool] = True

    sampling: Literal["drop", "write"] = attrs.field(default="drop", validator=attrs.validators.in_(("drop", "write")))

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms of content, tools and settings."""
        return (self.engine.described, _REQUESTS.settings.described)

    def raw_arguments(self, own: Any) -> list[tuple[tuple[str | int, ...], Any]]:
        """Return the arguments of a raw call."""
        return raw_call(own, "input") if is_mapping(own) and str(own.get("type")).endswith("tool_use") else []

    def read(self, document: Any) -> am.History:
        """Read a body, a list of messages, or one message."""
        body, note = _REQUESTS.opened(document)
        if not is_object(body):
            raise DecodeError(f"a request is an object or a list, not {excerpt(document)}")
        given: Any = body.get("messages")
        if not is_list(given):
            why = "a request must have a list of messages"
            if body.get("type") == "message":
                why = "this is a response, which anthropic-response reads"
            raise DecodeError(why, path=("messages",))
        self.engine.fill()
        messages = with_places(self.engine.read(given))
        if body.get("system") is not None:
            messages.insert(0, self._top(body["system"]))
        settings, rest = _REQUESTS.read_settings({key: body[key] for key in body if key not in BODY_KEYS})
        if "system" in body and body["system"] is None:
            note["system"] = "null"
        tools = _tools(self.engine.described, body, note)
        return _REQUESTS.history(messages, rest, note, tools=tools, settings=settings)

    def _top(self, value: Any) -> am.Msg:
        message = self.engine.container({"role": "system", "content": value})[0]
        if message.role != "system":
            raise DecodeError("system must be a string or a list of text blocks", path=("system",))
        return message

    def write(self, history: am.History) -> Any:
        """Write a body; or a list of messages or one message, if it was read from that and has nothing more."""
        self.engine.fill()
        messages = history.messages
        rest = _REQUESTS.parameters(history)
        body = _REQUESTS.write_settings(history.settings, rest)
        if messages and messages[0].role == "system" and may_move(messages[0]):
            first = messages[0]
            group = (first,)
            # A bare message has no spellings; that of empty content is for messages.
            native = self.engine.write(group)[0] if speed.how_bare(first) else self.engine.write_group(group)
            system = native.get("content")
            body["system"] = self.engine.content(first) if system is None else system
            messages = messages[1:]
        body["messages"] = self.engine.write(messages)
        if history.tools:
            body["tools"] = [write_tool(tool, FAMILY, self.engine.described.shapes["tool"]) for tool in history.tools]
        if rest:
            body = {**thaw(rest), **body}
        note = note_of(history, FAMILY) if history.notes else EMPTY
        if not note:
            return body
        if note.get("/container") in ("list", "single") and len(body) == 1:
            written = body["messages"]
            is_alone = note["/container"] == "single" and len(written) == 1 and is_message(written[0])
            return written[0] if is_alone else written
        return {**_spelt(note, body), **body}

    def read_parts(self, parts: Sequence[Any]) -> tuple[am.Block, ...]:
        """Read parts of an assistant's content."""
        self.engine.fill()
        return tuple(map(self.engine.described.parts["answer"].read, parts))

    def _parts_of(self, blocks: Sequence[am.Block]) -> list[Any]:
        self.engine.fill()
        return list(map(self.engine.described.parts["answer"].write, blocks))

    def likeness(self, document: Any) -> float:
        """Return how much the keys and blocks of a document look like those of a request to Anthropic."""
        return sniff_body(document)


def _tools(described: Described, body: Native, note: Native) -> tuple[Any, ...]:
    """Return the tools of a body; note null and an empty list."""
    if "tools" not in body:
        return ()
    value = body["tools"]
    if value is not None and not is_list(value):
        raise DecodeError("tools are a list", path=("tools",))
    if not value:
        note["tools"] = "null" if value is None else "[]"
        return ()
    return tuple(read_tool(tool, FAMILY, described.shapes["tool"]) for tool in value)


def _spelt(note: Mapping[str, Any], body: Native) -> Native:
    """Return the keys that were read as null or as an empty list."""
    spelt: Native = {}
    if note.get("system") == "null" and "system" not in body:
        spelt["system"] = None
    if "tools" not in body and note.get("tools") in ("null", "[]"):
        spelt["tools"] = None if note["tools"] == "null" else []
    return spelt
