"""openai-response: responses of OpenAI Chat Completions and compatible servers, not streamed.

A document is one response: a history of one assistant message, the first choice. The message also has everything
around it.

Follows the Python package openai 3.54.

| OpenAI | agentmsg |
| --- | --- |
| id, created, model | id, created_at (whole seconds, UTC), model |
| usage; choices[0].usage (Kimi) | usage; with the counts of compatible servers |
| choices[0].finish_reason: stop, length, content_filter | the same word |
| choices[0].finish_reason: tool_calls, function_call | finish_reason "tool_use" |
| choices[0].logprobs; system_fingerprint, service_tier, metadata, moderation | response_metadata |
| an index other than 0; another object; an invalid id, time ... | response_metadata |
| choices[0].message, also without a role | as in a request; its content is one text, so adjacent texts are joined |
| choices[0] with an error or a filter, without message | a message without content |
| annotations | citations of the text: url_citation with url, title, start, end |
| citations, search_results, web_search, search_info (servers that search) | extras, and citations of the text |
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
    Unreadable,
    adopt,
    excerpt,
    is_list,
    is_mapping,
    is_marked,
    is_object,
    is_sequence,
    maker,
    natives,
    object_at,
    speed,
    spelling,
)
from agentmsg_codecs.openai.annotations import ANNOTATIONS
from agentmsg_codecs.openai.answer_fields import CHOICE_LEVEL, FIELDS, RESPONSE_LEVEL
from agentmsg_codecs.openai.hints import HINTS
from agentmsg_codecs.openai.likeness import is_choice, is_failure
from agentmsg_codecs.openai.messages import Messages
from agentmsg_codecs.openai.names import CHOICE, CHOICES, FAMILY, FINISH, FINISH_WORDS, RESPONSE
from agentmsg_codecs.openai.reasoning import ENTRIES, THINKING, Thinking, place_of_option
from agentmsg_codecs.openai.response_capabilities import make_response_caps
from agentmsg_codecs.openai.sources import sourced, unsourced
from agentmsg_codecs.openai.tool_links import Links, unlinked
from agentmsg_codecs.openai.usage import USAGE, has_usage, read_usage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentmsg.formats import Caps
    from agentmsg.formats.forms import Described


_OLD_WORD = "function_call"
_FIELDS = ("id", "created_at", "model", "usage", "finish_reason")
_make_history = maker(am.History)
_make_msg = maker(am.Msg, "role", "content", *_FIELDS, "response_metadata", "extras", "notes")
_make_inner = maker(am.Msg, "role", "content", "extras", "notes")


class _Answers:
    """Reads and writes the three levels of a response: the message, the choice around it, and the document."""

    def __init__(self, place: str | None) -> None:
        self.messages = Messages(place=place, is_response=True)

    # -- reading ------------------------------------------------------------------------------------------------------

    def read(self, document: Native) -> am.Msg:
        """Read the message of a response; if the model can't express it, its role is ``native``."""
        self.messages.fill()
        try:
            message = self._read(document)
        except (Unreadable, AgentMsgError):
            return natives.read_whole(document, FAMILY)
        # Only an old call, the last of all blocks, has no id.
        if message.content and message.content[-1].notes:
            return Links().linked(0, message)
        speed.remember_reader(message, self)
        return message

    def _read(self, document: Native) -> am.Msg:
        choices: Any = document["choices"]
        choice = choices[0] if choices else None
        if not is_object(choice):
            raise Unreadable
        fields: Native = {}
        metadata: Native = {}
        choice_note, choice_rest = CHOICE_LEVEL.read(choice, fields, metadata)
        note, rest = RESPONSE_LEVEL.read(document, fields, metadata)
        if choice.get("message") is not None or not is_failure(choice):
            inner = self.messages.read_answer(object_at(choice, "message"))
        else:
            choice_note["message"] = "null" if "message" in choice else "absent"
            inner = _make_inner("assistant", (), EMPTY, EMPTY)
        if "usage" in choice_rest and has_usage(choice_rest, fields, metadata):
            fields["usage"], choice_note["/usage"] = read_usage(choice_rest.pop("usage")), True
        content = inner.content
        if rest and content:
            content = sourced(content, choice["message"], rest)
        word = choice.get("finish_reason")
        if word == _OLD_WORD:
            choice_note["/old"] = True
        elif type(word) is not str or word not in FINISH:
            choice_note["/finish"] = True
            if type(word) is str and word in FINISH_WORDS:
                choice_note["finish_reason"] = ["=", word]
        if metadata and any(FIELDS[key].field is not None for key in metadata):
            note["/odd"] = True
        lacks = [name for name in _FIELDS[:3] if name not in fields]
        if lacks:
            note["/lacks"] = lacks
        if len(metadata) > 1:
            metadata = {key: metadata[key] for key in FIELDS if key in metadata}
        further: Native = {"further": choices[1:]} if len(choices) > 1 else {}
        return _make_msg(
            "assistant",
            content,
            *map(fields.get, _FIELDS),
            adopt(metadata) if metadata else EMPTY,
            _joined(inner.extras, {CHOICE: choice_rest, CHOICES: further, RESPONSE: rest})
            if choice_rest or further or rest
            else inner.extras,
            _joined(inner.notes, {CHOICE: choice_note, RESPONSE: note}) if choice_note or note else inner.notes,
        )

    # -- writing ------------------------------------------------------------------------------------------------------

    def write(self, message: am.Msg) -> Any:
        """Write the document of a message that fits."""
        self.messages.fill()
        kept = natives.native_of(message, FAMILY)
        if kept is not None:
            return kept
        # Only a call with a note, the last of all blocks, may have an id that the reader makes.
        if message.content and message.content[-1].notes:
            message = next(unlinked((message,)))
        own = message.extras.get(FAMILY) if message.extras else None
        extras = EMPTY if own is None else adopt({FAMILY: own})
        around: Any = message.extras.get(RESPONSE) if message.extras else None
        content, told = unsourced(message, around) if is_mapping(around) else (message.content, {})
        inner = _make_inner("assistant", content, extras, message.notes)
        if speed.reader_of(message) is self:
            speed.remember_reader(inner, self.messages.described.shapes["assistant_message"].origin)
        native = self.messages.write(inner)
        choice = CHOICE_LEVEL.write(message, {**native, **told} if told else native)
        if message.finish_reason == FINISH[_OLD_WORD] and is_marked(message, CHOICE, "/old"):
            choice["finish_reason"] = _OLD_WORD
        further: Any = message.extras.get(CHOICES) if message.extras else None
        others = thaw(further["further"]) if further else ()
        document = RESPONSE_LEVEL.write(message, [choice, *others])
        if message.usage is not None and is_marked(message, CHOICE, "/usage"):
            choice["usage"], document["usage"] = document["usage"], None
        return self._spelt(message, document, choice, others) if message.extras or message.notes else document

    def _spelt(self, message: am.Msg, document: Native, choice: Native, others: Sequence[Any]) -> Native:
        """Return a document with the extras and spellings of its message."""
        spelt = self._put_back(message, document, choice, others, None)
        if speed.reader_of(message) is self or spelling.reads_as(spelt, message, self._reread):
            return spelt
        # Something was edited: test the spellings of each level in the complete document.
        document = {**thaw(natives.extras_of(message, RESPONSE)), **document}
        return self._put_back(message, document, choice, others, self._reread)

    def _reread(self, native: Native) -> am.Msg:
        return self._read(thaw(native))

    @staticmethod
    def _put_back(
        message: am.Msg,
        document: Native,
        choice: Native,
        others: Sequence[Any],
        read: Callable[[Native], am.Msg] | None,
    ) -> Native:
        def read_choice(native: Native) -> am.Msg:
            return read({**document, "choices": [native, *others]})  # type: ignore[misc]

        choice = spelling.put_back(message, choice, family=CHOICE, read=read_choice if read else None)
        return spelling.put_back(message, {**document, "choices": [choice, *others]}, family=RESPONSE, read=read)


def _joined(own: Any, others: Native) -> Any:
    """Return extras or notes, with those of other namespaces that aren't empty."""
    return adopt({**own, **{space: some for space, some in others.items() if some}})


@attrs.frozen(kw_only=True)
class OpenAIResponseCodec(Codec):
    """Responses of OpenAI Chat Completions.

    Attributes:
        thinking: where to write thinking that wasn't read from a field of its own: as in the codec ``openai``.
        engine: reads and writes responses. Hooks registered on
            ``engine.messages.described.parts["answer"].converter`` before first use replace ours.
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

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms of the message, its parts and calls, and of usage."""
        return (self.engine.messages.described, ANNOTATIONS, USAGE, HINTS, *ENTRIES)

    def make_caps(self) -> Caps:
        """Return what a response supports; see response_capabilities.py."""
        return make_response_caps(self.engine.messages, self.engine.read, as_text=self.thinking == "text")

    def read(self, document: Any) -> am.History:
        """Read a response: one message, or none if there is no choice."""
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
        """Write the message of a history as a response."""
        if history.messages:
            return self.engine.write(history.messages[0])
        rest: Any = history.extras.get(RESPONSE)
        return {**thaw(rest), "choices": []} if is_mapping(rest) else {"choices": []}

    def likeness(self, document: Any) -> float:
        """Return how much a document looks like a response of OpenAI: it has choices with messages."""
        choices = document.get("choices") if is_mapping(document) else None
        if not is_sequence(choices) or not choices:
            return 0.0
        return 1.0 if all(map(is_choice, choices)) else 0.0
