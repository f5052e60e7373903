"""gemini-response: responses of generateContent. For requests, use ``gemini``.

A document is one response, ``{"candidates": [{"content": {...}, ...}], ...}``: a history of one assistant message.
Longer histories: only the first assistant message is written.

Follows the Python package google-genai 3.4.

| Gemini | agentmsg |
| --- | --- |
| responseId, modelVersion, createTime | id, model, created_at |
| candidates[0].content | content, as in requests |
| finishReason: STOP, with and without calls | finish_reason "tool_use", "stop" |
| finishReason: MAX_TOKENS | finish_reason "length" |
| finishReason: SAFETY, RECITATION and the like; any other | finish_reason "content_filter"; the same word |
| promptFeedback.blockReason, without candidates | finish_reason "content_filter" |
| usageMetadata | usage; its output is candidatesTokenCount and thoughtsTokenCount together |
| promptTokenCount and toolUsePromptTokenCount | the input of usage together; the latter also an extra |
| groundingMetadata: the sources of parts of the text | also citations of the text; positions in characters |
| other keys of the candidate, such as groundingMetadata | extras["gemini.candidate"] |
| unknown keys | extras["gemini.response"] |
| further candidates; none | extras["gemini.candidates"]; a message with no content |
| ``{}`` | a history without messages |
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar
from zlib import crc32

import attrs

import agentmsg as am
from agentmsg import DecodeError, thaw
from agentmsg.formats import (
    KEEP,
    Caps,
    Native,
    Unreadable,
    adopt,
    cells,
    given,
    is_list,
    is_mapping,
    is_object,
    made_ids,
    natives,
    note_of,
    read_as,
    times,
    write_as,
)
from agentmsg.formats.bodies import ANSWER, Answers, answer_caps
from agentmsg.formats.forms import Described, Form, Hatch, Key, Link, Nested, Text, Via
from agentmsg_codecs.gemini.base import Gemini
from agentmsg_codecs.gemini.capabilities import model_rows, text_rows
from agentmsg_codecs.gemini.contents import usual_of_model
from agentmsg_codecs.gemini.format import USAGE
from agentmsg_codecs.gemini.grounding import grounded, regrounded, ungrounded
from agentmsg_codecs.gemini.likeness import OF_RESPONSES, sniff_answer
from agentmsg_codecs.gemini.names import CANDIDATE, FAMILY, FURTHER, PROVIDER, RESPONSE
from agentmsg_codecs.gemini.spelling import camel, spellings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg_codecs.gemini.messages import Messages

_FINISH = {"STOP": "stop", "MAX_TOKENS": "length", "SAFETY": "content_filter"}
_REASONS = {word: reason for reason, word in _FINISH.items()}
# Other reasons of the same kind as SAFETY.
_FILTERS = frozenset({
    "BLOCKLIST", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "IMAGE_SAFETY", "PROHIBITED_CONTENT", "RECITATION",
    "SPII",
})  # fmt: skip
_CONTENT_KEYS = frozenset({"role", "parts"})
_CANDIDATE_KEYS = frozenset({"content", "finishReason", "index"})


@attrs.frozen(kw_only=True, eq=False, repr=False)
class GeminiResponseCodec(Answers, Gemini):
    """Responses of Gemini's generateContent; see ``Gemini``."""

    name: ClassVar[str] = "gemini-response"
    title: ClassVar[str] = "Google Gemini generateContent (responses)"
    space: ClassVar[str] = RESPONSE
    provider: ClassVar[str] = PROVIDER

    answer: Described = ANSWER

    def make_answer(self) -> Described:
        """Return the form of responses."""
        items = (_candidate(self.engine), *_FIELDS)
        form = Form("response", am.Msg, None, items, space=RESPONSE, fixed={"role": "assistant"})
        return Described(FAMILY, (form, USAGE), {})

    def make_caps(self) -> Caps:
        """Return what responses support."""
        form = self.answer.shapes["usage"]
        counted = cells.returned(lambda usage: read_as(form, write_as(form, usage, FAMILY), FAMILY))
        usage = {**self.answer.rows.row("usage").fields, "extras": counted}
        extras = cells.returned(lambda message: self.read(self.write(am.History([message.with_content(())])))[0])
        rows = model_rows(self.engine)

        return answer_caps(
            self,
            fields={
                "usage": cells.usage(usage, wanted=_wanted, case=_SOUND),
                "extras": extras,
            },
            blocks={**rows, am.TextBlock: rows[am.TextBlock].having(citations=KEEP)},
            results=text_rows(),
            needs_id=natives.lacks_id(FAMILY),
            relink=regrounded,
        )

    def read(self, document: Any) -> am.History:
        """Read one response, in either spelling."""
        if not is_object(document):
            return super().read(document)
        try:
            native = _usual(document)
        except Unreadable:
            raise self.refusal(document) from None
        if document and not _says_any(native):
            raise self.refusal(native)
        history = super().read(native)
        return (
            history
            if native is document
            else history.evolve(messages=[natives.spelt(history[0], FAMILY, native, document)])
        )

    def write(self, history: am.History) -> Any:
        """Write the response; an empty object if there is none."""
        native = super().write(history)
        return natives.respelt(native, history.messages[0], FAMILY, _usual) if history.messages else native

    def refusal(self, document: Native) -> DecodeError:
        """Return the error for an unreadable response."""
        candidates: Any = document.get("candidates")
        if not is_list(candidates) or not candidates or not is_object(candidates[0]):
            return DecodeError("a response must have a candidate object", path=("candidates",))
        return super().refusal(document)

    def linked(self, message: am.Msg) -> am.Msg:
        """Give ids to the calls and results of a read message that lack them."""
        return made_ids.linked((message,), FAMILY, _number(message))[0]

    def unlinked(self, message: am.Msg) -> am.Msg:
        """Remove the ids that a reader makes again from a message to write."""
        return made_ids.unlinked((message,), FAMILY, _number(message))[0]

    def likeness(self, document: Any) -> float:
        """Return how closely a document resembles a response."""
        return sniff_answer(document)


def _number(message: am.Msg) -> int:
    """Return a number that distinguishes ids made for this message from those of others."""
    return crc32(str(given(message.id) or "").encode())


# -- the candidate ----------------------------------------------------------------------------------------------------


def _read_candidate(native: Native, engine: Messages) -> dict[str, Any]:
    """Read the first candidate of a response; the others are extras."""
    if "candidates" not in native:
        return {"content": (), "finish_reason": _blocked(native), "notes": {"/none": True}}
    listed: Any = native["candidates"]
    candidate: Any = listed[0] if is_list(listed) and listed and is_object(listed[0]) else {}
    held: Any = candidate.get("content")
    if not is_object(held) or not is_list(held.get("parts")):
        raise Unreadable
    content = tuple(map(engine.places["assistant"].read, held["parts"]))
    reason = candidate.get("finishReason")
    word = _FINISH.get(reason, reason) if _is_reason(reason) else None
    rest = {key: value for key, value in candidate.items() if key not in _CANDIDATE_KEYS}
    if "finishReason" in candidate and word is None:
        rest["finishReason"] = reason
    if "index" in candidate and (candidate["index"] != 0 or type(candidate["index"]) is not int):
        rest["index"] = candidate["index"]
    more = {key: value for key, value in held.items() if key not in _CONTENT_KEYS}
    own = ((FAMILY, more), (CANDIDATE, rest), (FURTHER, {"further": listed[1:]} if listed[1:] else {}))
    finish = natives.ended(content) if word == "stop" else word
    content = grounded(content, rest) if rest else content
    return {"content": content, "finish_reason": finish, "extras": {space: adopt(held) for space, held in own if held}}


def _write_candidate(message: am.Msg, engine: Messages) -> Native:
    """Write the candidates of a response, of which the message is the first."""
    says = (
        message.content
        or message.finish_reason != _blocked(natives.extras_of(message, RESPONSE))
        or not {CANDIDATE, FAMILY, FURTHER}.isdisjoint(message.extras)
    )
    if note_of(message, RESPONSE).get("/none") is True and not says and _is_recognisable(message):
        return {}
    rest = natives.extras_of(message, CANDIDATE)
    parts = list(map(engine.places["assistant"].write, ungrounded(message.content) if rest else message.content))
    candidate: Native = {"content": {"parts": parts, "role": "model", **natives.extras_copy(message, FAMILY)}}
    if message.finish_reason is not None:
        word = message.finish_reason
        candidate["finishReason"] = "STOP" if word == "tool_use" else _REASONS.get(word, word)
    others = natives.extras_copy(message, FURTHER).get("further", ())
    return {"candidates": [{**candidate, "index": 0, **thaw(rest)}, *others]}


def _candidate(engine: Messages) -> Hatch:
    """Return the hatch of the candidates."""
    return Hatch(
        keys=("candidates",),
        cells={"content": KEEP, "finish_reason": _finish},
        get=partial(_read_candidate, engine=engine),
        put=partial(_write_candidate, engine=engine),
        spaces=(FAMILY, CANDIDATE, FURTHER),
        about="content, finish_reason",
    )


def _blocked(native: Mapping[str, Any]) -> str | None:
    """Return "content_filter" if the response says that the prompt was blocked, else None."""
    for key, reason in (("promptFeedback", "blockReason"), ("prompt_feedback", "block_reason")):
        feedback: Any = native.get(key)
        if is_mapping(feedback) and isinstance(feedback.get(reason), str):
            return "content_filter"
    return None


def _is_recognisable(message: am.Msg) -> bool:
    """Whether a response without candidates is still recognisable as one."""
    fields = (given(message.id), message.model, message.usage, given(message.created_at))
    return any(field is not None for field in fields) or _says_any(natives.extras_of(message, RESPONSE))


def _says_any(native: Mapping[str, Any]) -> bool:
    """Whether an object has a key that only responses have; an API's error object has none."""
    is_said = any(native.get(key) is not None for key in ("candidates", *OF_RESPONSES))
    return is_said or _is_time(native.get("createTime"))


def _finish(word: str, message: am.Msg) -> str:
    """Keep the known words; else the content decides whether the reason is a call."""
    word = "content_filter" if word in _FILTERS else _FINISH.get(word, word)
    is_ours = word in ("length", "content_filter") or _is_reason(word)
    return word if is_ours else natives.ended(message.content)


def _is_reason(word: Any) -> bool:
    """Whether this may be a reason of Gemini: they are in capitals."""
    return type(word) is str and word.isascii() and word.isupper()


# -- the response -----------------------------------------------------------------------------------------------------


def _read_time(text: Any) -> datetime:
    try:
        time = datetime.fromisoformat(text) if type(text) is str else None
    except ValueError:
        time = None
    if time is None or time.tzinfo is None:
        raise Unreadable
    return time


def _is_time(text: Any) -> bool:
    try:
        _read_time(text)
    except Unreadable:
        return False
    return True


def _time(value: datetime, _: Any) -> datetime:
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value


_TIME_SCHEMA = {"type": "string", "format": "date-time", "examples": ["2026-01-02T03:04:05Z"]}
_FIELDS = (
    Key("usageMetadata", "usage", Nested(("usage",)), "may"),
    Key("modelVersion", "model", Text(), "may"),
    Key("responseId", "id", Link(), "may"),
    Key("createTime", "created_at", Via(_read_time, times.write_time_z, _TIME_SCHEMA, _time,
        is_spelt=True), "may", is_odd=True),
)  # fmt: skip


_SOUND = "value.output is not None and 0 <= (value.reasoning or 0) <= value.output"


def _wanted(usage: am.Usage) -> Mapping[str, Any]:
    """Return an output that includes the reasoning, if it is too small for that."""
    least = usage.reasoning or 0
    return {"output": least} if usage.output is not None and usage.output < least else {}


# -- its usual spelling ------------------------------------------------------------------------------------------------

_KEYS = spellings([key.native for key in _FIELDS], {"usageMetadata": USAGE.keys})
_OF_CANDIDATE = spellings(["finishReason"], {})


def _usual(document: Native) -> Native:
    """Return a response in the usual spelling; itself if it is.

    Raises:
        Unreadable: if an object has a key in both spellings, or the first candidate isn't one.
    """
    native = camel(document, _KEYS)
    if "candidates" not in native:
        return native
    listed: Any = native["candidates"]
    if not is_list(listed) or not listed or not is_object(listed[0]):
        raise Unreadable
    first = _usual_candidate(listed[0])
    return native if first is listed[0] else {**native, "candidates": [first, *listed[1:]]}


def _usual_candidate(given: Native) -> Native:
    """Return a candidate with a content, an index, and a reason of which there is one of a kind."""
    out = camel(given, _OF_CANDIDATE)
    held = out.get("content")
    content = usual_of_model({} if held is None else held)
    if content is not held:
        out = {**out, "content": content}
    reason = out.get("finishReason")
    if type(reason) is str and reason in _FILTERS:
        out = {**out, "finishReason": "SAFETY"}
    return out if "index" in out else {**out, "index": 0}
