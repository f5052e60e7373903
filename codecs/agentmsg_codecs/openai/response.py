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
    Unreadable,
    adopt,
    excerpt,
    is_list,
    is_mapping,
    is_object,
    is_sequence,
    maker,
    mark_of,
    natives,
    object_at,
    speed,
    spelling,
)
from agentmsg_codecs.openai.answer_fields import CHOICE_LEVEL, FIELDS, OLD_WORD, RESPONSE_LEVEL, TOLD
from agentmsg_codecs.openai.hints import HINTS
from agentmsg_codecs.openai.messages import Messages
from agentmsg_codecs.openai.names import CHOICE, CHOICES, FAMILY, FINISH, FINISH_WORDS, RESPONSE
from agentmsg_codecs.openai.reasoning import ENTRIES, THINKING, Thinking, place_of_option
from agentmsg_codecs.openai.response_capabilities import make_response_caps
from agentmsg_codecs.openai.tool_links import Links, unlinked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentmsg.formats import Caps
    from agentmsg.formats.forms import Described


_make_history = maker(am.History)
_FIELDS = ("id", "created_at", "model", "usage", "finish_reason")
_make_msg = maker(am.Msg, "role", "content", *_FIELDS, "response_metadata", "extras", "notes")
_make_said = maker(am.Msg, "role", "content", "extras", "notes")


class _Answers:
    """Reads and writes the three levels of a response: the message, the choice around it, and the document."""

    def __init__(self, place: str | None) -> None:
        self.messages = Messages(place=place, is_response=True)

    def read(self, document: Native) -> am.Msg:
        """Return the message of a response; of the role ``native`` where it cannot be told in the model."""
        self.messages.fill()
        try:
            message = self._read(document)
        except (Unreadable, AgentMsgError):
            return natives.read_whole(document, FAMILY)
        # Only calls of old, the last of all blocks, have no id.
        if message.content and message.content[-1].notes:
            return Links().linked(0, message)
        speed.remember_reader(message, self)
        return message

    def _read(self, document: Native) -> am.Msg:
        choices: Any = document["choices"]
        choice = choices[0] if choices else None
        if not is_object(choice):
            raise Unreadable
        said = self.messages.read_unlinked(object_at(choice, "message"))
        if said.role != "assistant":
            raise Unreadable
        fields: Native = {}
        told: Native = {}
        note, rest = CHOICE_LEVEL.read(choice, fields, told)
        noted, more = RESPONSE_LEVEL.read(document, fields, told)
        native_word = choice.get("finish_reason")
        if native_word == OLD_WORD:
            note["/old"] = True
        elif type(native_word) is not str or native_word not in FINISH:
            note["/finish"] = True
            if type(native_word) is str and native_word in FINISH_WORDS:
                note["finish_reason"] = ["=", native_word]
        lacks = [name for name in _FIELDS[:3] if name not in fields]
        if lacks:
            noted["/lacks"] = lacks
        further: Native = {"further": choices[1:]} if len(choices) > 1 else {}
        if len(told) > 1:
            told = {key: told[key] for key in FIELDS if key in told}
        get = fields.get
        return _make_msg(
            "assistant",
            said.content,
            *map(get, _FIELDS),
            adopt(told) if told else EMPTY,
            _joined(said.extras, {CHOICE: rest, CHOICES: further, RESPONSE: more})
            if rest or further or more
            else said.extras,
            _joined(said.notes, {CHOICE: note, RESPONSE: noted}) if note or noted else said.notes,
        )

    def write(self, message: am.Msg) -> Any:
        """Return the document of a message that fits."""
        self.messages.fill()
        kept = natives.native_of(message, FAMILY)
        if kept is not None:
            return kept
        # Ids that a reader makes are of calls with a note, the last of all blocks.
        if message.content and message.content[-1].notes:
            message = next(unlinked((message,)))
        return self._write(message)

    def _write(self, message: am.Msg) -> Native:
        own = message.extras.get(FAMILY) if message.extras else None
        extras = EMPTY if own is None else adopt({FAMILY: own})
        inner = _make_said("assistant", message.content, extras, message.notes)
        if speed.reader_of(message) is self:
            speed.remember_reader(inner, self.messages.described.shapes["assistant_message"].origin)
        said = self.messages.write(inner)
        choice = CHOICE_LEVEL.write(message, said)
        if message.finish_reason == FINISH[OLD_WORD] and mark_of(message, CHOICE, "/old") is True:
            choice["finish_reason"] = OLD_WORD
        further: Any = message.extras.get(CHOICES) if message.extras else None
        others = thaw(further["further"]) if further else ()
        document = RESPONSE_LEVEL.write(message, [choice, *others])
        return self._spelt(message, document, choice, others) if message.extras or message.notes else document

    def _spelt(self, message: am.Msg, document: Native, choice: Native, others: Sequence[Any]) -> Native:
        """Return a document with what it says more than the usual one, and otherwise."""
        whole = self._put_back(message, document, choice, others, None)
        if speed.reader_of(message) is self or spelling.reads_as(whole, message, self._reread):
            return whole
        # Something was edited: how each level is spelt is tried in all that the message says.
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
    """Return extras or notes with those of other namespaces, where these say anything."""
    return adopt({**own, **{space: some for space, some in others.items() if some}})


@attrs.frozen(kw_only=True)
class OpenAIResponseCodec(Codec):
    """Responses of OpenAI Chat Completions.

    Attributes:
        thinking: where to write thinking that wasn't read from a field of its own: as in the codec ``openai``.
        engine: what reads and writes; hooks registered on
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
        return (self.engine.messages.described, TOLD, HINTS, *ENTRIES)

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
