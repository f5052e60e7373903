"""openai-response: responses of OpenAI Chat Completions and compatible servers, not streamed.

A document is one response: a history of one assistant message, the first choice. Everything around the message belongs
to it too.

Follows the Python package openai 3.54.

| OpenAI | agentmsg |
| --- | --- |
| id, created, model | id, created_at (whole seconds, UTC), model |
| usage | usage |
| choices[0].finish_reason: stop, length, content_filter | the same word |
| choices[0].finish_reason: tool_calls, function_call | finish_reason "tool_use" |
| choices[0].logprobs; system_fingerprint, service_tier, metadata, moderation | response_metadata |
| an index other than 0; another object; an invalid id, time ... | response_metadata |
| choices[0].message | as in a request; its content is one text, so adjacent texts are joined |
| annotations | citations of the text: url_citation with url, title, start, end |
| further choices | extras["openai.choices"] |
| unknown keys of the message; of the choice; around it | extras["openai"]; ["openai.choice"]; ["openai.response"] |
| no choice; an unreadable choice | no message; a message with the role "native" that holds the document |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import attrs

import agentmsg as am
from agentmsg import AgentMsgError, DecodeError, thaw
from agentmsg.formats import (
    EMPTY,
    Codec,
    Native,
    Shape,
    Unreadable,
    adopt,
    excerpt,
    is_list,
    is_mapping,
    is_object,
    is_sequence,
    maker,
    mark_of,
    marked,
    natives,
    object_at,
    read_as,
    write_as,
)
from agentmsg_codecs.openai.answer_fields import (
    OBJECT,
    ODD_OF_ANSWER,
    ODD_OF_CHOICE,
    RESPONSE_METADATA,
    is_odd_value,
    time_in,
    usage_in,
    word_in,
    write_usage,
)
from agentmsg_codecs.openai.messages import Messages
from agentmsg_codecs.openai.names import CHOICE, CHOICES, FAMILY, FINISH, FINISH_WORDS, RESPONSE
from agentmsg_codecs.openai.quick_answer import fast_answer
from agentmsg_codecs.openai.reasoning import THINKING, Thinking, place_of_option
from agentmsg_codecs.openai.response_capabilities import RESPONSE_KEYS, make_response_caps
from agentmsg_codecs.openai.tool_links import Links, unlinked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg.formats import Caps


_make_history = maker(am.History)
_make_msg = maker(am.Msg)
_OLD = "function_call"
_CHOICE_KEYS = frozenset({"index", "finish_reason", "logprobs", "message"})


def _only(mapping: Mapping[str, Any], *keys: str) -> Any:
    kept = {key: mapping[key] for key in keys if key in mapping}
    return adopt(kept) if kept else EMPTY


class _Answers:
    """Reads and writes the three levels of a response: the message, the choice around it, and the document."""

    def __init__(self, place: str | None) -> None:
        self.messages = Messages(place=place, is_response=True)
        self._choice = Shape(
            cls=am.Msg,
            keys={None: _CHOICE_KEYS},
            read=self._read_choice,
            write=self._write_choice,
            never=frozenset({"message"}),
        )
        self._document = Shape(
            cls=am.Msg,
            keys={None: RESPONSE_KEYS},
            read=self._read_document,
            write=self._write_document,
            never=frozenset({"choices"}),
        )

    def read(self, document: Native) -> am.Msg:
        """Return the message of a response; of the role ``native`` where it cannot be told in the model."""
        message = fast_answer(document, self.messages.calls.read)
        return self._read(document) if message is None else message

    def _read(self, document: Native) -> am.Msg:
        self.messages.fill()
        try:
            message: am.Msg = read_as(self._document, document, RESPONSE)
        except (Unreadable, AgentMsgError):
            return natives.read_whole(document, FAMILY)
        return Links().linked(message)

    def write(self, message: am.Msg) -> Any:
        """Return the document of a message that fits."""
        self.messages.fill()
        kept = natives.native_of(message, FAMILY)
        if kept is not None:
            return kept
        # Ids that a reader makes are of calls with a note, the last of all blocks.
        is_noted = bool(message.content) and bool(message.content[-1].notes)
        return write_as(self._document, next(unlinked((message,))) if is_noted else message, RESPONSE)

    # -- the choice ---------------------------------------------------------------------------------------------

    def _read_choice(self, native: Native, _: Any) -> am.Msg:
        message = self.messages.read_unlinked(object_at(native, "message"))
        if message.role != "assistant":
            raise Unreadable
        word, logprobs = word_in(native, "finish_reason"), native.get("logprobs")
        changes: dict[str, Any] = {}
        told = {} if logprobs is None else {"logprobs": logprobs}
        told |= {key: native[key] for key in ODD_OF_CHOICE if is_odd_value(key, native.get(key))}
        if word is not None:
            changes["finish_reason"] = FINISH.get(word, word)
        marks = {"old": True} if word == _OLD else {} if word in FINISH else {"finish": True}
        if told:
            changes["response_metadata"] = adopt(told)
        message = message.evolve(**changes)
        return marked(message, CHOICE, **marks) if marks else message

    def _write_choice(self, message: am.Msg) -> Native:
        inner = message
        if message.notes or message.extras:
            inner = _make_msg("assistant", message.content, extras=_only(message.extras, FAMILY), notes=message.notes)
        reason = message.finish_reason
        word = None if reason is None else FINISH_WORDS.get(reason, reason)
        if reason == FINISH[_OLD] and mark_of(message, CHOICE, "/old") is True:
            word = _OLD
        told = message.response_metadata
        return {
            "index": thaw(told.get("index", 0)),
            "finish_reason": thaw(told.get("finish_reason")) if word is None else word,
            "logprobs": thaw(told.get("logprobs")),
            "message": self.messages.write(inner),
        }

    # -- the document -------------------------------------------------------------------------------------------

    def _read_document(self, native: Native, _: Any) -> am.Msg:
        choices = native.get("choices")
        if not is_list(choices) or not choices:
            raise Unreadable
        message: am.Msg = read_as(self._choice, choices[0], CHOICE)
        own_id, model, created = word_in(native, "id"), word_in(native, "model"), time_in(native)
        told = {key: native[key] for key in RESPONSE_METADATA if native.get(key) is not None}
        told |= {key: native[key] for key in ODD_OF_ANSWER if is_odd_value(key, native.get(key))}
        further: Native = {CHOICES: {"further": choices[1:]}} if choices[1:] else {}
        extras: Native = {**message.extras, **further}
        lacks = [name for name, value in (("id", own_id), ("created_at", created), ("model", model)) if value is None]
        message = message.evolve(
            id=own_id,
            created_at=created,
            model=model,
            usage=usage_in(native),
            response_metadata={**message.response_metadata, **told},
            extras=adopt(extras) if extras else EMPTY,
        )
        return marked(message, RESPONSE, lacks=lacks) if lacks else message

    def _write_document(self, message: am.Msg) -> Native:
        inner = message
        # Each level inside is written of what belongs to it; where nothing is noted, the others do no harm.
        if message.notes or message.extras:
            inner = _make_msg(
                "assistant",
                message.content,
                finish_reason=message.finish_reason,
                response_metadata=_only(message.response_metadata, "logprobs", *ODD_OF_CHOICE),
                extras=_only(message.extras, FAMILY, CHOICE),
                notes=message.notes,
            )
        further: Any = message.extras.get(CHOICES) if message.extras else None
        told = message.response_metadata
        native: Native = {
            "id": thaw(told.get("id")) if message.id is None else str(message.id),
            "object": thaw(told.get("object", OBJECT)),
            "created": thaw(told.get("created")),
            "model": thaw(told.get("model")) if message.model is None else message.model,
        }
        if message.created_at is not None:
            native["created"] = int(message.created_at.timestamp())
        native["choices"] = [write_as(self._choice, inner, CHOICE), *(thaw(further["further"]) if further else ())]
        native["usage"] = thaw(told.get("usage")) if message.usage is None else write_usage(message.usage)
        return native | {key: thaw(told[key]) for key in RESPONSE_METADATA if key in told}


@attrs.frozen(kw_only=True)
class OpenAIResponseCodec(Codec):
    """Responses of OpenAI Chat Completions.

    Attributes:
        thinking: where to write thinking that wasn't read from a field of its own: as in the codec ``openai``.
        engine: what reads and writes; hooks registered on ``engine.messages.content.everything.converter`` before
            first use replace ours.
    """

    name: ClassVar[str] = "openai-response"
    family: ClassVar[str] = FAMILY
    title: ClassVar[str] = "OpenAI Chat Completions (responses)"
    holds_messages: ClassVar[bool] = False
    writes_plain: ClassVar[bool] = True

    thinking: Thinking = attrs.field(default="drop", validator=attrs.validators.in_(THINKING))
    engine: _Answers = attrs.field(
        init=False,
        eq=False,
        repr=False,
        default=attrs.Factory(lambda self: _Answers(place_of_option(self.thinking)), takes_self=True),
    )

    def make_caps(self) -> Caps:
        """Return what a response supports; see response_capabilities.py."""
        return make_response_caps(self.engine.messages, self.engine.read, as_text=self.thinking == "text")

    def read(self, document: Any) -> am.History:
        """Return the history of a response: one message, or none if there is no choice."""
        if not is_object(document):
            raise DecodeError(f"a response of OpenAI is an object, not {excerpt(document)}")
        choices = document.get("choices")
        if not is_list(choices):
            raise DecodeError("a response of OpenAI must have a list of choices", path=("choices",))
        if choices:
            return _make_history(messages=(self.engine.read(document),))
        rest = {key: value for key, value in document.items() if key != "choices"}
        return _make_history(extras=adopt({RESPONSE: rest}) if rest else EMPTY)

    def write(self, history: am.History) -> Any:
        """Return the response that holds the message of a history."""
        if history.messages:
            return self.engine.write(history.messages[0])
        rest: Any = history.extras.get(RESPONSE)
        return {**thaw(rest), "choices": []} if is_mapping(rest) else {"choices": []}

    def likeness(self, document: Any) -> float:
        """Return how much a document looks like a response of OpenAI: it has choices with messages."""
        choices = document.get("choices") if is_mapping(document) else None
        if not is_sequence(choices) or not choices:
            return 0.0
        return 1.0 if all(is_mapping(choice) and is_mapping(choice.get("message")) for choice in choices) else 0.0
