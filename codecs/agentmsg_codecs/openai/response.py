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

from datetime import UTC, datetime
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

import agentmsg as am
from agentmsg import AgentMsgError, DecodeError, thaw
from agentmsg.formats import (
    EMPTY,
    KEEP,
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
    marked,
    natives,
    note_of,
    object_at,
    read_as,
    speed,
    spelling,
    times,
    write_as,
)
from agentmsg.formats.bodies import ANSWER, Answers, as_read
from agentmsg.formats.forms import Const, Described, Form, Hatch, Key, Spare, Text, Via
from agentmsg_codecs.openai.annotations import ANNOTATIONS, KEY, URL_CITATION
from agentmsg_codecs.openai.capabilities import REQUIRED, finish, make_response_caps
from agentmsg_codecs.openai.hints import HINTS, odd
from agentmsg_codecs.openai.likeness import is_choice, is_failure
from agentmsg_codecs.openai.messages import Messages
from agentmsg_codecs.openai.names import CHOICE, CHOICES, FAMILY, FINISH, FINISH_WORDS, MESSAGE, RESPONSE
from agentmsg_codecs.openai.places import is_beside
from agentmsg_codecs.openai.reasoning import ENTRIES, THINKING, Thinking, place_of_option
from agentmsg_codecs.openai.tool_links import Links, unlinked
from agentmsg_codecs.openai.usage import USAGE, read_usage, with_usage_of_choice, without_usage_of_choice, write_usage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agentmsg.formats import Caps

_INFO, _RESULTS = "search_info", "search_results"
_KEYS = ("citations", _RESULTS, "web_search")
_HOLD = frozenset({*_KEYS, _INFO})
_OLD_WORD, _OLD_OBJECT = "function_call", "text_completion"
_SECONDS = range(-62_135_596_800, 253_402_300_800)  # the range of datetime
_METADATA = "response_metadata"
_LOGPROBS, *_OTHERS = ("logprobs", "system_fingerprint", "service_tier", "metadata", "moderation")
_AS_IS = frozenset({_LOGPROBS, *_OTHERS})
_make_history = maker(am.History)
_make_inner = maker(am.Msg, "role", "content", "extras", "notes")
_with_content = speed.replacer(am.Msg, "content")
_required = attrgetter(*REQUIRED)


# -- sources beside the choices ---------------------------------------------------------------------------------------
# Servers that search give them; they are citations of the only text, and stay extras of the response: ``citations``
# (URLs: Perplexity, xAI), ``search_results`` (url, title: Perplexity, Ernie), ``web_search`` (link, title: GLM),
# ``search_results`` of ``search_info`` (url, title: Qwen). A message with ``annotations`` has these citations only,
# though they may be none.


def _sources(own: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the URL and the title of each source."""
    info = own.get(_INFO)
    for listed in (*map(own.get, _KEYS), info.get(_RESULTS) if is_mapping(info) else None):
        for source in listed if is_sequence(listed) else ():
            told = source if is_mapping(source) else {"url": source}
            url, title = told.get("url", told.get("link")), told.get("title")
            if isinstance(url, str) and url:
                yield url, title if isinstance(title, str) else None


def _citations(own: Mapping[str, Any]) -> tuple[am.Citation, ...]:
    """Return the citations that follow from the extras of a response; each source is one."""
    titles: dict[str, Any] = {}
    for url, title in _sources(own):
        titles[url] = titles.get(url) or title
    return tuple(odd(am.Citation(url, title, kind=URL_CITATION)) for url, title in titles.items())


def _place(content: tuple[Any, ...]) -> int | None:
    """Return the index of the only text of a message; None if its content is anything else."""
    said = [index for index, block in enumerate(content) if not is_beside(block)]
    is_text = len(said) == 1 and type(content[said[0]]) is am.TextBlock and bool(content[said[0]].text)
    return said[0] if is_text else None


def _with(content: tuple[Any, ...], at: int, citations: tuple[am.Citation, ...]) -> tuple[Any, ...]:
    return (*content[:at], content[at].evolve(citations=citations), *content[at + 1 :])


def _sourced(content: tuple[Any, ...], native: Native, around: Native) -> tuple[Any, ...]:
    """Return the content of a message with the citations that follow from the response.

    Args:
        content: as it was read.
        native: the message.
        around: the response.
    """
    if native.get(KEY) is not None or around.keys().isdisjoint(_HOLD):
        return content
    at, citations = _place(content), _citations(around)
    return content if at is None or not citations else _with(content, at, citations)


def _unsourced(message: am.Msg) -> tuple[tuple[Any, ...], Native]:
    """Return the content of a message without the citations that follow, and what tells that there are none."""
    content: tuple[Any, ...] = message.content
    around = natives.extras_of(message, RESPONSE)
    at, citations = _place(content), _citations(around) if around else ()
    if at is None or not citations:
        return content, {}
    held = content[at].citations
    if not held:
        is_told = natives.extras_of(message, FAMILY).get(KEY) is not None  # annotations that aren't citations
        return content, {} if is_told else {KEY: []}
    follow = len(held) == len(citations) and all(map(am.same, held, citations))
    may_follow = note_of(message, MESSAGE).get(KEY) in (None, "null")
    return (_with(content, at, ()) if follow and may_follow else content), {}


def _read_finish(word: Any, notes: Native) -> str:
    if type(word) is not str:
        raise Unreadable
    if word == _OLD_WORD:
        notes["/old"] = True
    elif word not in FINISH:
        notes["/finish"] = True
        if word in FINISH_WORDS:
            notes["finish_reason"] = ["=", word]
    return FINISH.get(word, word)


def _write_finish(reason: str, message: am.Msg) -> str:
    is_old = reason == FINISH[_OLD_WORD] and is_marked(message, CHOICE, "/old")
    return _OLD_WORD if is_old else FINISH_WORDS.get(reason, reason)


def _read_time(value: Any) -> datetime:
    if type(value) is not int or value not in _SECONDS:
        raise Unreadable
    return datetime.fromtimestamp(value, UTC)


def _write_time(time: datetime) -> int:
    return int(time.timestamp())


_FINISH = Via(_read_finish, _write_finish, supports=finish, is_marking=True)
_TIME = Via(
    _read_time,
    _write_time,
    {"type": "integer", "minimum": _SECONDS.start, "exclusiveMaximum": _SECONDS.stop},
    lambda time, _: times.nearest_second(time),
)
_USAGE = Via(read_usage, write_usage, {"$ref": "#/$defs/usage"}, KEEP)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class OpenAIResponseCodec(Answers, Codec):
    """Responses of OpenAI Chat Completions.

    Attributes:
        thinking: where to write thinking that wasn't read from a field of its own: as in the codec ``openai``. None
            leaves it out, too, but ``encode`` then refuses to lose it.
        engine: reads and writes the message. Hooks registered on ``engine.described.parts["answer"].converter`` before
            first use replace ours.
    """

    name: ClassVar[str] = "openai-response"
    family: ClassVar[str] = FAMILY
    events: ClassVar[str | None] = "agentmsg_codecs.openai.events"
    fits_as_read: ClassVar[bool] = True
    title: ClassVar[str] = "OpenAI Chat Completions (responses)"
    space: ClassVar[str] = RESPONSE
    provider: ClassVar[str] = "openai"
    api: ClassVar[str | None] = "chat"
    writes_plain: ClassVar[bool] = True

    thinking: Thinking | None = attrs.field(default=None, validator=attrs.validators.in_((None, *THINKING)))
    engine: Messages = attrs.field(
        init=False,
        eq=False,
        repr=False,
        default=attrs.Factory(
            lambda self: Messages(place=place_of_option(self.thinking), is_response=True), takes_self=True
        ),
    )
    answer: Described = ANSWER

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms of the message, its parts and calls, of what is around it, and of usage."""
        return (self.engine.described, self.answer, ANNOTATIONS, USAGE, HINTS, *ENTRIES)

    def make_answer(self) -> Described:
        """Return the forms of a response and of its choice."""
        listed = {"type": "array", "items": {"$ref": "#/$defs/choice"}, "minItems": 1}
        choices = Hatch(
            keys=("choices",), cells=dict.fromkeys(("content", "finish_reason", _METADATA), KEEP),
            get=self._read_choices, put=self._write_choices, must=("choices",), spaces=(CHOICES,), holds=True,
            schema={"choices": listed}, about="the first choice, and others",
        )  # fmt: skip
        message = Hatch(
            keys=("message",), cells={"content": KEEP}, get=self._read_message, put=self._write_message, holds=True,
            schema={"message": {"$ref": "#/$defs/assistant_message"}}, about="content",
        )  # fmt: skip
        how: dict[str, Any] = {"odd_in": _METADATA, "is_apart": True}
        return Described(FAMILY, (
            Form("response", am.Msg, None, (
                Key("id", "id", Text(), "null", is_odd=True),
                Const("object", "chat.completion"),
                Key("created", "created_at", _TIME, "null", is_odd=True),
                Key("model", "model", Text(), "null", is_odd=True),
                Key("usage", "usage", _USAGE, "null", is_odd=True),
                *(Spare(key, is_written=False) for key in _OTHERS),
                choices,
            ), space=RESPONSE, fixed=self.answerer, **how),
            Form("choice", am.Msg, None, (
                Const("index", 0),
                Key("finish_reason", "finish_reason", _FINISH, "null", lacks="finish", is_odd=True),
                Spare(_LOGPROBS),
                message,
            ), space=CHOICE, fixed={"role": "assistant"}, **how),
        ), {})  # fmt: skip

    def make_caps(self) -> Caps:
        """Return what a response supports."""
        return make_response_caps(self)

    # -- reading ------------------------------------------------------------------------------------------------------

    def read(self, document: Any) -> am.History:
        """Read a response: one message, or none if there is no choice."""
        if not is_object(document):
            raise DecodeError(f"a response of OpenAI is an object, not {excerpt(document)}")
        choices = document.get("choices")
        if not is_list(choices):
            raise DecodeError("a response of OpenAI must have a list of choices", path=("choices",))
        if document.get("object") == _OLD_OBJECT and not any(map(is_choice, choices)):
            raise DecodeError(f"a {_OLD_OBJECT} has texts, no messages; no format here reads it", path=("object",))
        if choices:
            return _make_history(messages=(self.read_whole(document),))
        rest = {key: value for key, value in document.items() if key != "choices"}
        return _make_history(extras=adopt({RESPONSE: rest}) if rest else EMPTY)

    def read_whole(self, document: Native) -> am.Msg:
        """Read the message of a response; if the model can't express it, its role is ``native``."""
        self.engine.fill()
        try:
            return self.linked(read_as(self.answer.shapes["response"], document, RESPONSE))
        except (Unreadable, AgentMsgError):
            return natives.read_whole(document, FAMILY)

    def _read_choices(self, native: Native) -> dict[str, Any]:
        choices: Any = native["choices"]
        if not is_list(choices) or not choices:
            raise Unreadable
        held = self._read_choice(choices[0])
        if held.content:
            content = _sourced(held.content, choices[0]["message"], native)
            held = held if content is held.content else _with_content(held, content)
        return {"held": held, **({"extras": {CHOICES: {"further": choices[1:]}}} if len(choices) > 1 else {})}

    def _read_choice(self, choice: Any) -> am.Msg:
        if not is_object(choice):
            raise Unreadable
        read: am.Msg = self.answer.names.readers["choice"](choice)
        return read

    def _read_message(self, choice: Native) -> dict[str, Any]:
        if choice.get("message") is not None or not is_failure(choice):
            return {"held": self.engine.read_answer(object_at(choice, "message"))}
        how = "null" if "message" in choice else "absent"
        return {"held": _make_inner("assistant", (), EMPTY, EMPTY), "notes": {"message": how}}

    def linked(self, message: am.Msg) -> am.Msg:
        """Add to a message what the whole response tells: usage of the choice, the id of an old call, and marks."""
        found = message if message.usage is not None else with_usage_of_choice(message)
        # Only an old call, the last of all blocks, has no id.
        if found.content and found.content[-1].notes:
            found = Links().linked(0, found)
        lacks = [name for name, value in zip(REQUIRED, _required(found), strict=True) if value is None]
        marks: dict[str, Any] = {"lacks": lacks} if lacks else {}
        if not _AS_IS.issuperset(found.response_metadata):
            marks["odd"] = True
        if marks:
            found = marked(found, RESPONSE, **marks)
        return found if found is message else as_read(message, found)

    # -- writing ------------------------------------------------------------------------------------------------------

    def write(self, history: am.History) -> Any:
        """Write the message of a history as a response."""
        if not history.messages:
            return {**natives.extras_copy(history, RESPONSE), "choices": []}
        self.engine.fill()
        message = history.messages[0]
        kept = natives.native_of(message, FAMILY)
        if kept is not None:
            return kept
        return write_as(self.answer.shapes["response"], self.unlinked(message), RESPONSE)

    def unlinked(self, message: am.Msg) -> am.Msg:
        """Return a message to write without what ``linked`` adds again."""
        found = without_usage_of_choice(message)
        if found.content and found.content[-1].notes:
            found = next(unlinked((found,)))
        return found if found is message else as_read(message, found)

    def _is_as_read(self, message: am.Msg) -> bool:
        return speed.reader_of(message) is self.answer.shapes["response"].origin

    def _write_choices(self, message: am.Msg) -> Native:
        choice, others = self.answer.names.writers["choice"](message), ()
        if message.notes or message.extras:
            is_edited = CHOICE in message.notes and not self._is_as_read(message)
            told, read = (self._bare(message), self._read_choice) if is_edited else (message, None)
            choice = spelling.put_back(told, choice, family=CHOICE, read=read)
            others = natives.extras_copy(message, CHOICES).get("further", ())
        return {**self._told(message, "response"), "choices": [choice, *others]}

    def _bare(self, message: am.Msg) -> am.Msg:
        """Return what the choice alone tells of a message."""
        return message.evolve(
            id=None,
            created_at=None,
            model=None,
            usage=None,
            provider=None,
            api=None,
            content=_unsourced(message)[0],
            response_metadata=self._told(message, "choice"),
            extras={space: own for space, own in message.extras.items() if space not in (CHOICES, RESPONSE)},
        )

    def _told(self, message: am.Msg, form: str) -> Native:
        """Return the keys of a form that are in the metadata."""
        metadata = message.response_metadata
        if not metadata:
            return {}
        keys = self.answer.forms[form].keys
        return {key: thaw(metadata[key]) for key in metadata if key in keys}

    def _write_message(self, message: am.Msg) -> Native:
        told: Native = {}
        content, extras = message.content, EMPTY
        if message.extras:
            content, told = _unsourced(message)
            own = message.extras.get(FAMILY)
            extras = EMPTY if own is None else adopt({FAMILY: own})
        inner = _make_inner("assistant", content, extras, message.notes)
        if message.notes and self._is_as_read(message):
            speed.remember_reader(inner, self.engine.described.shapes["assistant_message"].origin)
        native = self.engine.write(inner)
        return {**self._told(message, "choice"), "message": {**native, **told} if told else native}

    def likeness(self, document: Any) -> float:
        """Return how much a document looks like a response of OpenAI: it has choices with messages."""
        choices = document.get("choices") if is_mapping(document) else None
        if not is_sequence(choices) or not choices:
            return 0.0
        return 1.0 if all(map(is_choice, choices)) else 0.0
