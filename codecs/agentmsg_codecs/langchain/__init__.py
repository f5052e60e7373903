"""langchain: the dictionaries that LangChain's messages are stored as.

A document is a list of messages, one message, or a state (``{"messages": [...], ...}``). Larger objects may hold states
or messages: threads and events of LangGraph's server, what nodes return (``{node: state}``), runs and events of a
tracer. So may what a graph streams (``[message, metadata]``, ``[mode, data]``), and rows of a table with a ``message``
each. Everything else in there is ``history.extras["langchain"]``.

Each message has one of three forms: ``{"type", "data"}`` (``messages_to_dict``), flat (``model_dump``), or role and
content. A history remembers its form and its container. New messages take the form of their history, or else the first.
The option ``form`` asks for one form of all messages. Envelopes of ``dumpd`` (``{"lc": 1, ...}``) are refused: use
``langchain-lc``.

Follows langchain-core 1.7, older block forms included, and LangChain for JavaScript (@langchain/core 1.4).

| LangChain | agentmsg |
| --- | --- |
| system with ``additional_kwargs.__openai_role__`` "developer" | developer |
| additional_kwargs: tool_calls, function_call | ToolUseBlocks |
| additional_kwargs: reasoning_content, reasoning; refusal; audio | a ThinkingBlock in front; RefusalBlock; AudioBlock |
| additional_kwargs: ``__openai_function_call_ids__`` | item_id of the calls |
| additional_kwargs: ``__gemini_function_call_thought_signatures__`` | signature of the calls |
| response_metadata: model_name, model, model_id | model |
| response_metadata: finish_reason "tool_calls" | finish_reason "tool_use" |
| response_metadata: finish_reason, finishReason "STOP", "MAX_TOKENS", "SAFETY" | "stop", "length", "content_filter" |
| response_metadata: stop_reason, stopReason "end_turn", "max_tokens" | finish_reason "stop", "length" |
| response_metadata: any other word there, or in done_reason | the same word |
| other details in usage_metadata | extras["langchain.input"] and extras["langchain.output"] |
| up to five copies of a call: content, tool_calls, additional_kwargs ... | one ToolUseBlock |
| other fields of a copy | extras["langchain.content"], ["langchain.tool_calls"], ["langchain.kwargs"] |
| other fields of a piece in a stored chunk | extras["langchain.chunks"] |
| pieces with a name, without any other copy | ToolUseBlocks |
| a function_call without a match in tool_calls | takes the id of the tool message after it, or a made one |
| args ``{"_raw": value}`` | input that isn't an object (wrapped twice: an input that looks like that) |
| text (annotations, citations), reasoning, refusal | TextBlock (citations), ThinkingBlock, RefusalBlock |
| a citation of no known form | a Citation, all of it in extras |
| a signature in the extras of reasoning | Signature of response_metadata.model_provider, or of Anthropic |
| response_metadata: model_provider; google_genai, google_vertexai; bedrock_converse | provider; google; bedrock |
| response_metadata: object "response", "chat.completion" of openai | api "responses", "chat" |
| image, audio, video, file, text-plain | the media blocks |
| tool_call, invalid_tool_call, tool_call_chunk | ToolUseBlock |
| server_tool_call, server_tool_result | ToolUseBlock and ToolResultBlock of kind "server" |
| in answers: parts of Anthropic, OpenAI Responses (also as v1), Google, Bedrock | as their own codecs read them |
| search_result, container_upload, document, compaction (Anthropic) | the same |
| caller, toolset_name, citations of a document (Anthropic) | extras["anthropic"] |
| non_standard with ``{"type": <our tag>, ...}`` | DataBlock, SourceBlock, CompactionBlock, block classes of yours |
| plain texts; parts of v0, OpenAI, Anthropic, Google, Bedrock, LangChain.js | the same blocks; a note keeps the shape |
| guard_content, guardContent (Bedrock) | TextBlock with extras["bedrock.guard"] |
| cachePoint (Bedrock) | cache of the previous block |
| computer_call (OpenAI) | ToolUseBlock |
| json in a tool message (Bedrock) | DataBlock |
| tool_result (Anthropic) in a human message | a tool message of its own |
| non_standard with such a part | the block of that part |
| any other part or message | NativeBlock; a message with the role "native" |
| extras of a block: signature, phase, metadata, detail, filename, title, provider ... | fields of the block |
| cache_control, also in extras; prompt_cache_breakpoint (OpenAI) | cache |
| unknown keys, and keys whose value has no meaning there | extras["langchain"] |
| the same inside of image_url, source, file ... | extras["langchain.nested"] |
| the same in a block's extras; beside type and data | extras["langchain.extras"]; extras["langchain.envelope"] |

Answers of ``anthropic``, ``openai`` (Responses), ``google`` and ``bedrock`` are written in the parts that the client of
this provider makes, which it sends back as they are: langchain-anthropic 1.7, langchain-openai 1.7,
langchain-google-genai 4.4 and langchain-aws 1.9. So they hold signatures, encrypted reasoning, ids of items, and calls
of the provider's own tools. What streaming leaves in such parts (``index``, ``partial_json``) is no content, but comes
back.

Other new content is written as v1 blocks, or as a string if it is a single plain text. Calls are written in tool_calls,
and also in content if they come before other blocks (as Anthropic's ``tool_use``, which all clients know), or have more
than id, name and arguments. The fields of messages are below, with the forms of parts; a note keeps the class of a
chunk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import attrs

import agentmsg as am
from agentmsg import EncodeError, thaw
from agentmsg.formats import (
    EMPTY,
    Caps,
    ContainerCodec,
    Containers,
    Native,
    adopt,
    envelopes,
    excerpt,
    is_object,
    maker,
    mark_of,
    marked,
    note_of,
    with_note,
)
from agentmsg_codecs.langchain.envelope import ISSUED
from agentmsg_codecs.langchain.messages.engine import Messages
from agentmsg_codecs.langchain.messages.fields import mapped, sniff_message, split
from agentmsg_codecs.langchain.messages.quick_read import natives_in, read_all
from agentmsg_codecs.langchain.names import CONTAINERS, CONTENT_KEYS, FAMILY
from agentmsg_codecs.langchain.trees import Contents, Trees, gather, listed, noted, read_each, separate

if TYPE_CHECKING:
    from agentmsg import Limits
    from agentmsg.formats import Duplicates
    from agentmsg.formats.forms import Described


# -- containers: lists, single messages, states, and what trees.py knows ----------------------------------------------


def _is_message(native: Any) -> bool:
    return is_object(native) and split(native) is not None


TREES = Trees(_is_message, lambda native: split(native).body)  # type: ignore[union-attr]


def contents_of(document: Any) -> Contents:
    """Return a document taken apart.

    Raises:
        DecodeError: if it is neither a list nor an object.
    """
    opened = CONTAINERS.contents(document)
    place, natives, found = opened.place, opened.natives, None
    if place == "list":
        found = TREES.pair(natives) or TREES.rows(natives)
    elif place == "single" and not _is_message(document):
        found = TREES.contents(document, document)
    return found or Contents(
        place,
        [((), document)] if place == "single" else listed(natives, *([place] if place != "list" else [])),
        opened.rest,
    )


__all__ = ["LangChainCodec"]

_WRITABLE = ("dict", "flat", "role")
_make_history = maker(am.History)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class LangChainCodec(ContainerCodec):
    """LangChain's messages as dicts.

    Attributes:
        form: how to write all messages: with type and data, flat, or as role and content; None: as they were read, and
            new ones with type and data. A message that can't have the form is refused.
        engine: reads and writes messages; hooks registered on ``engine.converter`` before first use replace ours.
    """

    name: ClassVar[str] = "langchain"
    family: ClassVar[str] = FAMILY
    fits_as_read: ClassVar[bool] = True
    title: ClassVar[str] = "LangChain (messages_to_dict, model_dump)"
    containers: ClassVar[Containers] = CONTAINERS
    envelope: ClassVar[envelopes.Envelope | None] = ISSUED
    content_keys: ClassVar[frozenset[str]] = ContainerCodec.content_keys | CONTENT_KEYS

    form: Literal["dict", "flat", "role"] | None = attrs.field(
        default=None, validator=attrs.validators.in_((None, *_WRITABLE))
    )
    engine: Messages = attrs.field(factory=Messages, init=False, eq=False, repr=False)

    def make_caps(self) -> Caps:
        """Return what LangChain's messages support; see capabilities.py."""
        from agentmsg_codecs.langchain.capabilities import make_caps  # noqa: PLC0415 - readers need no table

        return make_caps(self.engine)

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms of content parts and of usage."""
        return self.engine.described

    @property
    def mapped(self) -> tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...]:
        """The kinds of messages."""
        return mapped()

    def read(self, document: Any) -> am.History:
        """Return the history of a list of messages, a single message, or a state that holds messages."""
        contents = contents_of(document)
        self.engine.fill()
        found = read_each(contents.natives, self.engine.read)
        form = next((form for _, form in found if form in _WRITABLE), "role" if found else self.form or "dict")
        messages = [_noted(message, own, form) for message, own in found]
        note: Native = {"/container": contents.kind, "/form": form}
        if contents.holes:
            note["holes"] = contents.holes
        extras = adopt({FAMILY: contents.rest}) if contents.rest else EMPTY
        messages = separate(messages, self.engine.parts)
        history = _make_history(tuple(messages), extras=extras, notes=adopt({FAMILY: note}))
        return ISSUED.unwrapped(history)

    def from_bytes(
        self, raw: bytes | bytearray | memoryview | str, limits: Limits, duplicates: Duplicates
    ) -> am.History:
        """Return the history of a document; reading a list of usual messages proves its depth."""
        natives = natives_in(raw, limits, duplicates)
        form = "dict" if natives and is_object(natives[0]) and "data" in natives[0] else "flat"
        self.engine.fill()
        messages = read_all(natives, self.engine.proving[form], lambda native: _noted(*self.engine.read(native), form))
        if messages is None:
            return super().from_bytes(raw, limits, duplicates)
        messages = separate(messages, self.engine.parts)
        return ISSUED.unwrapped(CONTAINERS.history(CONTAINERS.contents([]), messages, form=form))

    def write(self, history: am.History) -> Any:
        """Return the native messages, in the form and container of the options, or else of the history's notes."""
        form = mark_of(history, FAMILY, "/form") if history.notes else None
        form = self.form or (form if isinstance(form, str) and form in _WRITABLE else "dict")
        self.engine.fill()
        write, history = self.engine.write, ISSUED.wrapped(history)
        messages = gather(history.messages, self.engine.parts)
        if self.form is None:
            natives = [write(message, form) for message in messages]
        else:
            natives = [_in_form(write(_formless(message), form), form, place) for place, message in enumerate(messages)]
        note = note_of(history, FAMILY) if history.notes else EMPTY
        contents = noted(history.extras.get(FAMILY), note.get("/container"), note)
        document = None if contents is None else TREES.written(contents, natives, contents_of)
        return CONTAINERS.document(history, natives, self.container) if document is None else document

    def read_chunk(self, document: Any) -> am.MsgChunk:
        """Return the chunk of an AIMessageChunk or another message chunk; see chunks.py."""
        from agentmsg_codecs.langchain.chunks import read_chunk  # noqa: PLC0415 - few read or write chunks

        self.engine.fill()
        return read_chunk(document, self)

    def write_chunk(self, chunk: am.MsgChunk) -> Any:
        """Return the native chunk."""
        from agentmsg_codecs.langchain.chunks import write_chunk  # noqa: PLC0415 - few read or write chunks

        self.engine.fill()
        return write_chunk(chunk, self)

    def native_messages(self, document: Any) -> list[Any]:
        """Return the native messages of a document, in order; none if it has another format."""
        return [] if CONTAINERS.place(document) is None else [native for _, native in contents_of(document).natives]

    def likeness(self, document: Any) -> float:
        """Return the highest likeness among the first messages, by their forms; 0 if one of them can't be a message."""
        scores = list(map(sniff_message, self.first_natives(document)))
        return max(scores) if scores and min(scores) >= 0 else 0.0


def _formless(message: am.Msg) -> am.Msg:
    """Return a message without a note of its own form."""
    note = dict(note_of(message, FAMILY))
    return message if note.pop("/form", None) is None else with_note(message, FAMILY, note)


def _in_form(native: Any, form: str, place: int) -> Any:
    """Return a native message of this form, which is in this place.

    Raises:
        EncodeError: if it has another.
    """
    found = split(native if is_object(native) else thaw(native))
    if found is None or found.form != form:
        raise EncodeError(f"this message can't have the form {form!r}: {excerpt(native)}", code="form", path=(place,))
    return native


def _noted(message: am.Msg, own: str, form: str) -> am.Msg:
    """Return a message with a note of its form, if that isn't the form of the history."""
    return message if own == form or message.role == "native" else marked(message, FAMILY, form=own)
