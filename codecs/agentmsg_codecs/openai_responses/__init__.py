"""openai-responses: requests to OpenAI's Responses API. For its responses, use ``openai-responses-response``.

A document is a request body, ``{"input": [...], "instructions"?, "tools"?, ...}``, a list of items, such as the
sessions of OpenAI's Agents SDK hold, or one item.

Follows the Python package openai 3.54.

| Responses | agentmsg |
| --- | --- |
| instructions | a system message in front: one plain text, written there unless it was read as an item |
| input: a text | a user message |
| a message of user, system, developer; its id | a message of the same role; its id |
| a run of items of the assistant's side | one assistant message; neighbours are one |
| a message of the assistant | a block for each part, with the id of the item and its phase |
| a message of the assistant without content | an assistant message without content |
| reasoning: summary or content; encrypted_content | ThinkingBlock; its signature, by "openai" |
| function_call; custom_tool_call | ToolUseBlock of kind "function"; of kind "custom" |
| code_interpreter_call, file_search_call, mcp_call, tool_search_call, web_search_call | ToolUseBlock of kind "server" |
| mcp_approval_request | ToolUseBlock of kind "server", then an ApprovalRequestBlock |
| mcp_approval_response | a user message with an ApprovalResponseBlock of kind "server" |
| program; program_output | the same, linked: its code the input; ToolResultBlock of kind "server" |
| their output, outputs, results, error | a ToolResultBlock right after the call, of the same item |
| items of such tools without an id (clients that store nothing) | the same, without a result |
| function_call_output, custom_tool_call_output | a tool message; its name comes from the call |
| output of a function that is another JSON value | structured |
| input_audio, input_video (compatible servers) | AudioBlock; VideoBlock |
| text, output_text of others than the assistant | TextBlock |
| additional_tools | a developer message with a ToolsBlock |
| any other item | NativeBlock of the assistant; a message with the role "native" for what others gave |
| parameters of the body: model, max_output_tokens, text, reasoning ... | settings |
| tools: function, custom; any other | ToolSpec; NativeTool |
| unknown keys; the rest of the body | extras["openai-responses"] of the object; of the history |
| unknown keys of a message of the assistant | extras["openai-responses.item"] of its first block |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg import DecodeError
from agentmsg.formats import Native, excerpt, is_list, is_mapping, is_object, is_sequence, mark_of, marked, natives
from agentmsg.formats.bodies import Requests, listed_tools
from agentmsg.formats.sending import rules_at
from agentmsg_codecs.openai_responses.items import OpenAIResponses
from agentmsg_codecs.openai_responses.likeness import OWN_PARAMETERS, is_item, sniff_body
from agentmsg_codecs.openai_responses.names import BODY_KEYS, FAMILY, PROVIDER, STORED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmsg.formats.forms import Described

__all__ = ["OpenAIResponsesCodec"]

_REQUESTS = Requests(
    family=FAMILY, carrier=PROVIDER, key="input", is_single=is_item, settings_in=f"{__name__}.settings"
)
# The parameters that are objects or lists.
_PARAMETERS = OWN_PARAMETERS | STORED | BODY_KEYS | {"context_management", "metadata", "moderation", "stream_options"}


def _is_stored(body: Native) -> bool:
    """Whether a body without input asks to go on with what is stored; state that also names it holds more."""
    named = any(body.get(key) is not None for key in STORED)
    others = (value for key, value in body.items() if key not in _PARAMETERS)
    return named and not any(value and (is_sequence(value) or is_mapping(value)) for value in others)


class OpenAIResponsesCodec(OpenAIResponses):
    """Requests to OpenAI's Responses API; for its options see ``OpenAIResponses``."""

    name: ClassVar[str] = "openai-responses"
    title: ClassVar[str] = "OpenAI Responses (requests)"
    caps_in: ClassVar[str | None] = f"{__name__}.capabilities"
    rules = rules_at("agentmsg_codecs.openai_responses.sending")
    joins_turns: ClassVar[bool] = True

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms of items, of parts and tools, and of settings."""
        return (self.engine.items, self.engine.inputs, _REQUESTS.settings.described)

    def read(self, document: Any) -> am.History:
        """Return the history of a body, of a list of items, or of one item."""
        body, note = _REQUESTS.opened(document)
        if not is_object(body):
            raise DecodeError(f"a request is an object or a list of items, not {excerpt(document)}")
        self.engine.fill()
        messages = self._input(body, note)
        tools, is_extra = listed_tools(body, self.engine.read_tools)
        extra = {"tools": is_extra, "instructions": not _is_told(body.get("instructions"))}
        rest = {key: value for key, value in body.items() if key not in BODY_KEYS or extra.get(key)}
        settings, rest = _REQUESTS.read_settings(rest)
        return _REQUESTS.history(messages, rest, note, tools=tools, settings=settings)

    def _input(self, body: Native, note: Native) -> list[am.Msg]:
        """Return the messages of a body, its instructions in front; note how they stand there."""
        given: Any = body.get("input")
        if type(given) is str:
            note["/text"] = True
            given = [{"role": "user", "content": given}]
        if "input" not in body and _is_stored(body):
            note["/input"] = "absent"
            given = []
        if not is_list(given):
            raise DecodeError("a request must have input, a text or a list of items", path=("input",))
        messages = self.engine.read(given)
        instructions = body.get("instructions")
        if _is_told(instructions):
            return [am.Msg("system", str(instructions), id=None, created_at=None), *messages]
        if messages and _may_instruct(messages[0]):
            messages[0] = marked(messages[0], FAMILY, item=True)
        return messages

    def write(self, history: am.History) -> Any:
        """Return the body; the items themselves where such were read, and nothing needs more."""
        self.engine.fill()
        messages = history.messages
        rest = _REQUESTS.parameters(history)
        settings = _REQUESTS.write_settings(history.settings, rest)
        body: Native = {}
        is_bare = _REQUESTS.is_bare(history)
        if not is_bare and messages and _may_instruct(messages[0]) and "instructions" not in rest:
            body["instructions"] = messages[0].text
            messages = messages[1:]
        body["input"] = items = self.engine.write(messages)
        if history.tools:
            body["tools"] = self.engine.write_tools(history.tools)
        is_bare = is_bare and len(body) == 1 and not rest and not settings
        is_text = not is_bare and mark_of(history, FAMILY, "/text") is True
        if is_text and len(items) == 1 and items[0].keys() == {"role", "content"}:
            is_text = items[0]["role"] == "user" and type(items[0]["content"]) is str
            body["input"] = items[0]["content"] if is_text else items
        if not items and mark_of(history, FAMILY, "/input") == "absent" and _is_stored({**rest, **body}):
            del body["input"]
        return _REQUESTS.closed(history, body, settings)

    def read_parts(self, parts: Sequence[Any]) -> tuple[am.Block, ...]:
        """Read items of the assistant's side."""
        self.engine.fill()
        return self.engine.read_run(parts)

    def _parts_of(self, blocks: Sequence[am.Block]) -> list[Any]:
        self.engine.fill()
        return self.engine.write_run(blocks)

    def native_messages(self, document: Any) -> list[Any]:
        """Return the items of a document."""
        given = document if is_list(document) or is_item(document) else document.get("input", [])
        if type(given) is str:
            return [{"role": "user", "content": given}]
        return given if is_list(given) else [given]

    def beside(self, document: Any) -> tuple[Any, Any]:
        """Return the instructions and the tools of a document."""
        return (document.get("instructions"), document.get("tools")) if is_object(document) else (None, None)

    def likeness(self, document: Any) -> float:
        """Return how much a document looks like a request: by its keys and its first items."""
        return sniff_body(document)


def _is_told(instructions: Any) -> bool:
    """Whether instructions say something; else they are an extra."""
    return type(instructions) is str and bool(instructions)


def _may_instruct(message: am.Msg) -> bool:
    """Whether a message in front is written as the instructions of the body."""
    if message.role != "system" or len(message.content) != 1 or message.id is not None or message.extras:
        return False
    return natives.is_bare_text(message.content[0], FAMILY) and not (message.notes and FAMILY in message.notes)
