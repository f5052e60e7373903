"""openai: requests to OpenAI Chat Completions, and the dialects of compatible servers.

A document is a request body (``{"messages": [...], "tools": [...], ...}``), a row of fine-tuning data, a list of
messages, or one message. Parameters of a body become ``history.settings``, its other keys
``history.extras["openai"]``.

Follows the Python package openai 3.54. Fields of compatible servers are read, and written back where they were read.

| OpenAI | agentmsg |
| --- | --- |
| system, developer, user, assistant, tool | the same roles, one message each |
| function, with its name | tool, with a result that gets a made id |
| latest_reminder (DeepSeek) | developer |
| name | name; of a tool message: the tool's name |
| content: a text; a list; null | one TextBlock; one block per part; no blocks |
| text; refusal | TextBlock; RefusalBlock |
| image_url (URL or data), detail | ImageBlock |
| input_audio (data, format) | AudioBlock with base64 data of audio/wav or audio/mp3 |
| file (file_id; file_data, filename) | FileBlock (name) |
| video_url, video, input_video; audio_url (compatible servers) | VideoBlock; AudioBlock |
| document_url, file_url (compatible servers) | FileBlock |
| file with file_url; input_audio with a URL (compatible servers) | FileBlock; AudioBlock |
| input_text, output_text; input_image (compatible servers) | TextBlock; ImageBlock |
| text or image_url without a type; a text in a list (compatible servers) | TextBlock; ImageBlock |
| images of a message (compatible servers) | ImageBlocks after the content |
| thinking, with a list of texts or a text (Mistral) | ThinkingBlock at the same position, signed by "mistral" |
| think (Kimi's programs) | ThinkingBlock at the same position |
| reasoning, with a summary_text (Databricks) | ThinkingBlock at the same position, signed by "anthropic" |
| prompt_cache_breakpoint; cache_control (compatible servers) | cache |
| cache_control of a message; of an entry of tool_calls | cache of the last block that may have one; of the call |
| extra_content.google.thought_signature (Gemini) | signature of the call; of an assistant's part or last text |
| provider_specific_fields.thought_signature, thought_signature of a call (LiteLLM) | signature of the call |
| refusal; audio of a message | RefusalBlock; AudioBlock, after the content |
| tool_calls: function; custom | ToolUseBlock of kind "function" (arguments: raw_input) or "custom" (input: the text) |
| another type of an entry | kind of the call |
| name with args or arguments, without function (compatible servers) | ToolUseBlock |
| function_call | ToolUseBlock with a made id |
| tool_call_id, content | ToolResultBlock, named after its call; content that is an object becomes structured |
| reasoning_content, reasoning, reasoning_text (compatible servers) | ThinkingBlocks in front |
| reasoning_details, thinking_blocks (compatible servers) | ThinkingBlocks in front |
| annotations (of a response inside a request) | citations of the text |
| parameters of the body, such as model, max_completion_tokens, stop | settings |
| tools: function; custom; functions | ToolSpec of kind "function" or "custom" |
| input, preferred_output, non_preferred_output (fine-tuning) | the same; the last messages; an extra of hf |
| any other tool, part, entry of tool_calls, or message | NativeTool; NativeBlock; a message with the role "native" |
| unknown keys; an invalid name or id | extras["openai"] |
| unknown keys of an inner object, such as function or image_url | extras["openai.item"] |
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import attrs

import agentmsg as am
from agentmsg import AgentMsgError, DecodeError
from agentmsg.formats import Codec, Native, adopt, excerpt, is_list, is_object, marked, note_of, speed
from agentmsg.formats.bodies import Requests
from agentmsg.formats.sending import rules_at
from agentmsg_codecs.openai.annotations import ANNOTATIONS
from agentmsg_codecs.openai.hints import HINTS
from agentmsg_codecs.openai.likeness import is_message, sniff_messages
from agentmsg_codecs.openai.messages import Messages
from agentmsg_codecs.openai.names import CONTENT_KEYS, FAMILY
from agentmsg_codecs.openai.pairs import PAIRS, place_in_row, put_together, taken_apart
from agentmsg_codecs.openai.reasoning import ENTRIES, THINKING, Thinking, needs_reasoning, place_of_option
from agentmsg_codecs.openai.tool_links import Links, unlinked
from agentmsg_codecs.openai.tools import read_tools, write_tools
from agentmsg_codecs.wire.chats import raw_arguments

if TYPE_CHECKING:
    from agentmsg.formats.forms import Described

__all__ = ["OpenAICodec"]

_REQUESTS = Requests(family=FAMILY, key="messages", is_single=is_message, settings_in=f"{__name__}.settings")
_SINGLE = {"/container": "single"}


@attrs.frozen(kw_only=True, eq=False, repr=False)
class OpenAICodec(Codec):
    """Requests of OpenAI Chat Completions.

    Attributes:
        thinking: where to write thinking that wasn't read from a field of its own. OpenAI's messages have none, so
            "drop" leaves it out. "text" puts it into the text, in tags. The others are fields of compatible servers.
            "auto" is "reasoning_content" if the name of the model tells that it needs its thinking back (DeepSeek V4,
            MiMo, Kimi's thinking models), else "drop".
        results: where to write images and other media of tool results. "text" leaves them out. "user" puts them into a
            user message after the results.
        container: how to write a history that wasn't read from OpenAI: as a request body, or as a list of messages if
            it has no tools and no parameters.
        engine: reads and writes messages. Hooks registered on ``engine.described.parts["user"].converter`` before
            first use replace ours.
    """

    name: ClassVar[str] = "openai"
    family: ClassVar[str] = FAMILY
    caps_in: ClassVar[str | None] = f"{__name__}.capabilities"
    events: ClassVar[str | None] = "agentmsg_codecs.openai.events"
    fits_as_read: ClassVar[bool] = True
    title: ClassVar[str] = "OpenAI Chat Completions (requests)"
    has_dialects: ClassVar[bool] = True
    # In rows for fine-tuning, in messages and calls of Mistral and Kimi, in OpenRouter's reasoning.
    kept: ClassVar[frozenset[str]] = frozenset({"weight", "prefix", "partial", "index", "format"})
    writes_plain: ClassVar[bool] = True
    content_keys: ClassVar[frozenset[str]] = Codec.content_keys | CONTENT_KEYS
    # Searches: OpenAI's, and those of xAI, Qwen and OpenRouter.
    tool_keys: ClassVar[frozenset[str]] = frozenset({
        "enable_search", "plugins", "search_parameters", "web_search_options",
    })  # fmt: skip
    rules = rules_at("agentmsg_codecs.openai.sending")
    pairs: ClassVar[str] = PAIRS.owner
    # The results of tools are texts here.
    repairs_with: ClassVar[Mapping[str, Any]] = adopt({"results": "user"})

    thinking: Literal["auto"] | Thinking = attrs.field(
        default="auto", validator=attrs.validators.in_(("auto", *THINKING))
    )
    results: Literal["text", "user"] = attrs.field(default="text", validator=attrs.validators.in_(("text", "user")))
    container: Literal["body", "list"] = attrs.field(default="body", validator=attrs.validators.in_(("body", "list")))
    engine: Messages = attrs.field(
        init=False,
        eq=False,
        repr=False,
        default=attrs.Factory(lambda self: Messages(place=place_of_option(self.thinking)), takes_self=True),
    )

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms of messages, parts, calls, tools and settings."""
        return (self.engine.described, ANNOTATIONS, HINTS, *ENTRIES, _REQUESTS.settings.described)

    def raw_arguments(self, own: Any) -> list[tuple[tuple[str | int, ...], Any]]:
        """Return the arguments in raw messages, such as those of a rejected answer."""
        return raw_arguments(own)

    def suited(self, history: am.History) -> Codec:
        """Return the codec to write a history with: one that writes thinking if the model needs it back."""
        model = None if history.settings is None or self.thinking != "auto" else history.settings.model
        return _with_reasoning(self) if needs_reasoning(model) else self

    def read(self, document: Any) -> am.History:
        """Read a request body, a list of messages, or one message."""
        pair = taken_apart(document)
        if pair is not None:
            request, start, rejected = pair
            try:
                history = self._read(request)
            except AgentMsgError as error:
                error.path = place_in_row(error.path, start)
                raise
            return marked(PAIRS.paired(history, start, rejected), FAMILY, pair=True)
        return self._read(document)

    def _read(self, document: Any) -> am.History:
        natives, parameters, note = _opened(document)
        self.engine.fill()
        messages: list[am.Msg] = []
        try:
            self.engine.read_each(natives, messages)
        except AgentMsgError as error:
            place = note.get("/container", "messages")
            path = {"list": (len(messages),), "single": ()}.get(place, (place, len(messages)))
            raise error.at(*path) from None
        return self._history(Links().linked_all(messages), parameters, note)

    def read_held(self, document: Any, depth: int) -> am.History | None:
        """Read a document that the caller still owns; of usual messages, only the texts are kept."""
        self.engine.fill()
        if taken_apart(document) is not None:
            return None
        natives, parameters, note = _opened(document)
        if note == _SINGLE:
            return None
        level = 1 if note else 2
        messages = self.engine.read_held(natives, lambda native: speed.copy_part(native, level, depth))
        return self._history(messages, speed.copy_document(parameters, depth) if parameters else parameters, note)

    def _history(self, messages: list[am.Msg], parameters: Native, note: Native) -> am.History:
        if not parameters:
            return _REQUESTS.history(messages, parameters, note)
        tools, taken = read_tools(self.engine.described.shapes, parameters)
        settings, rest = _REQUESTS.read_settings({key: parameters[key] for key in parameters if key not in taken})
        return _REQUESTS.history(messages, rest, note, tools=tools, settings=settings)

    def write(self, history: am.History) -> Any:
        """Write a request body; or a list or one message, if it was read from that, or by option."""
        self.engine.fill()
        natives = list(map(self.engine.write, unlinked(history.messages)))
        tools = write_tools(self.engine.described.shapes, history.tools)
        settings = _REQUESTS.write_settings(history.settings, _REQUESTS.parameters(history))
        document = _REQUESTS.closed(history, {"messages": natives, **tools}, settings)
        is_bare = self.container == "list" and "/container" not in note_of(history, FAMILY) and len(document) == 1
        return put_together(natives if is_bare else document, history)

    def likeness(self, document: Any) -> float:
        """Return how much the messages of a document look like OpenAI's."""
        return sniff_messages(document)


@cache
def _with_reasoning(codec: OpenAICodec) -> OpenAICodec:
    return attrs.evolve(codec, thinking="reasoning_content")


def _opened(document: Any) -> tuple[list[Any], Native, Native]:
    """Return the messages of a document, the other keys, and the note of where the messages are."""
    body, note = _REQUESTS.opened(document)
    if not is_object(body):
        raise DecodeError(f"a request of OpenAI must be an object or a list of messages, not {excerpt(document)}")
    natives = body.get("messages")
    if not is_list(natives):
        raise DecodeError("a request of OpenAI must have a list of messages", path=("messages",))
    return natives, {key: value for key, value in body.items() if key != "messages"}, note
