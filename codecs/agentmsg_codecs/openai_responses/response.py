"""openai-responses-response: responses of OpenAI's Responses API. For requests, use ``openai-responses``.

A document is one response, ``{"object": "response", "output": [...], ...}``: a history of one assistant message. Of a
longer history, only the first assistant message is written.

Follows the Python package openai 3.54.

| Responses | agentmsg |
| --- | --- |
| id, created_at (seconds), model | id, created_at, model |
| output | content, as a run of items in a request; what others gave is a NativeBlock |
| calls of the client's tools with their outputs, which a server ran itself | call and result of the kind "server" |
| status: completed, with and without calls of the client's tools | finish_reason "tool_use", "stop" |
| incomplete_details: max_output_tokens, content_filter | finish_reason "length", "content_filter" |
| status: any other word | the same word |
| usage: input_tokens, output_tokens, total_tokens, their details | usage |
| all else that a response of the API says, such as the parameters of its request | response_metadata |
| unknown keys | extras["openai-responses.response"] |
| ``{}`` | a history without messages |
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

import agentmsg as am
from agentmsg import DecodeError, thaw
from agentmsg.formats import (
    KEEP,
    Caps,
    Native,
    Swap,
    Unreadable,
    cells,
    excerpt,
    is_list,
    is_object,
    mark_of,
    natives,
    times,
)
from agentmsg.formats.bodies import ANSWER, Answers, answer_caps, as_read, completing, told
from agentmsg.formats.forms import Described, Form, Hatch, Inside, Key, Link, Nested, Spare, Text, Via, Whole
from agentmsg_codecs.openai_responses.capabilities import PLACED, input_rows, needs_id, run_rows
from agentmsg_codecs.openai_responses.items import Items, OpenAIResponses
from agentmsg_codecs.openai_responses.likeness import sniff_answer
from agentmsg_codecs.openai_responses.message_items import SAID_SCHEMA
from agentmsg_codecs.openai_responses.names import FAMILY, PROVIDER, RESPONSE
from agentmsg_codecs.openai_responses.ran import told_in_pairs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg.formats import Cell

# What a response repeats of its request, and what the server did, as it is.
_TOLD = frozenset({
    "background", "billing", "completed_at", "content_filters", "conversation", "error", "frequency_penalty",
    "instructions", "max_output_tokens", "max_tool_calls", "metadata", "moderation", "parallel_tool_calls",
    "presence_penalty", "previous_response_id", "prompt", "prompt_cache_key", "prompt_cache_retention", "reasoning",
    "safety_identifier", "service_tier", "status_details", "store", "temperature", "text", "tool_choice",
    "tool_usage", "tools", "top_logprobs", "top_p", "truncation", "usage_details", "user",
})  # fmt: skip
# What the schema requires of every response, if nothing else is known.
_USUAL: Mapping[str, Any] = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
_INVENTED: Mapping[str, Any] = {"id": "resp_1", "model": "unknown", "created_at": datetime.fromtimestamp(0, UTC)}
_REASONS = {
    "length": "max_output_tokens", "content_filter": "content_filter", "max_messages": "max_messages",
    "steered": "steered",
}  # fmt: skip
_STATUS_KEYS = ("status", "incomplete_details")
# Why a complete response ended, by whether it calls the client's tools.
_COMPLETE, _CALLS = "stop", "tool_use"
_STATUSES = frozenset({"cancelled", "failed", "in_progress", "incomplete", "queued"})


_COUNTS = (
    Key("input_tokens", "input", Whole(), "may"),
    Inside("input_tokens_details", (
        Key("cached_tokens", "cache_read", Whole(), "may"), Key("cache_write_tokens", "cache_write", Whole(), "may"),
    ), "may", space=f"{RESPONSE}.input"),
    Key("output_tokens", "output", Whole(), "may"),
    Inside("output_tokens_details", (
        Key("reasoning_tokens", "reasoning", Whole(), "may"),
    ), "may", space=f"{RESPONSE}.output"),
    Key("total_tokens", "total", Whole(), "may"),
)  # fmt: skip
_COUNTED = ("input", "output", "total", "cache_read", "cache_write", "reasoning")


def _is_counted(native: Native, item: Any) -> bool:
    value = native.get(item.native)
    if isinstance(item, Key):
        return type(value) is int
    return is_object(value) and all(_is_counted(value, key) for key in item.items)


def _is_partial(native: Native) -> bool:
    """Whether usage lacks a count that the schema requires, where the schema has it."""
    return not all(_is_counted(native, item) for item in _COUNTS)


USAGE = Form("usage", am.Usage, None, _COUNTS, marks={"partial": _is_partial}, is_apart=True)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class OpenAIResponsesResponseCodec(Answers, OpenAIResponses):
    """Responses of OpenAI's Responses API; for its options see ``OpenAIResponses``."""

    name: ClassVar[str] = "openai-responses-response"
    title: ClassVar[str] = "OpenAI Responses (responses)"
    space: ClassVar[str] = RESPONSE
    carrier: ClassVar[str | None] = PROVIDER
    provider: ClassVar[str] = PROVIDER
    api: ClassVar[str | None] = "responses"

    engine: Items = attrs.field(factory=lambda: Items(is_answer=True), init=False, eq=False, repr=False)
    answer: Described = ANSWER

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms of items, and those of responses."""
        return (self.engine.items, self.answer)

    def make_answer(self) -> Described:
        """Return the form of responses."""
        engine = self.engine

        def read_output(items: Any) -> tuple[Any, ...]:
            if not is_list(items):
                raise Unreadable("output is not a list")
            return engine.read_run(items)

        schema = {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/place_items"}, SAID_SCHEMA]}}
        form = Form("response", am.Msg, None, (
            Key("id", "id", Link(), "may", lacks="partial"),
            Spare("object", "response"),
            Key("created_at", "created_at", _TIME, "may", lacks="partial", is_odd=True),
            Key("model", "model", Text(), "may", lacks="partial"),
            _STATUS,
            told(_TOLD, usual=_USUAL),
            Key("output", "content", Via(read_output, engine.write_run, schema, KEEP)),
            Key("usage", "usage", Nested(("usage",)), "may"),
        ), space=RESPONSE, fixed=self.answerer)  # fmt: skip
        return Described(FAMILY, (form, USAGE), {})

    def make_caps(self) -> Caps:
        """Return what responses support."""
        rows = self.answer.rows
        usage = cells.usage(rows.row("usage").fields, needs=_COUNTED, family=FAMILY)
        return answer_caps(
            self,
            fields={"usage": usage, "extras": _beside_status(rows.row("response").fields["extras"])},
            blocks=run_rows(self.engine, self.engine.answer_of, thinking=self.thinking, is_answer=True),
            results=input_rows(self.engine, "inner"),
            otherwise=_ruled,
            lacking=completing(RESPONSE, partial=_INVENTED, unfinished={"finish_reason": _ended}),
            needs_id=needs_id,
        )

    def linked(self, message: am.Msg) -> am.Msg:
        """Say of a complete response whether it calls the client's tools, which its status doesn't."""
        return _finished(message, _COMPLETE, _ended(message))

    def unlinked(self, message: am.Msg) -> am.Msg:
        """Return a message with the word that the status alone tells."""
        return _finished(message, _CALLS, _COMPLETE)

    def refusal(self, document: Native) -> DecodeError:
        """Return the error for a response that isn't read."""
        if not is_list(document.get("output")):
            return DecodeError("a response must have a list of output", path=("output",))
        for key in ("id", "model", "usage"):
            if not _is_sound(document, key):
                return DecodeError(f"no such {key}: {excerpt(document[key])}", path=(key,))
        return super().refusal(document)

    def likeness(self, document: Any) -> float:
        """Return how much a document looks like a response."""
        return sniff_answer(document)


# -- reading and writing ----------------------------------------------------------------------------------------------


def _is_sound(document: Native, key: str) -> bool:
    value = document.get(key)
    return value is None or (is_object(value) if key == "usage" else type(value) is str)


def _told_status(native: Native) -> tuple[str | None, list[str]]:
    """Return the word that says why a response ended, and which of its keys say otherwise than that word would."""
    status, details = native.get("status"), native.get("incomplete_details")
    reason = details.get("reason") if is_object(details) else None
    words = {native_word: word for word, native_word in _REASONS.items()}
    word: Any = None
    if status == "completed":
        word = _COMPLETE
    elif status == "incomplete" and type(reason) is str and reason in words and details == {"reason": reason}:
        word = words[reason]
    elif type(status) is str and status in _STATUSES:
        word = status
    written = _status_of(word)
    return word, [key for key in _STATUS_KEYS if key in native and (key not in written or native[key] != written[key])]


def _read_status(native: Native) -> dict[str, Any]:
    word, odd = _told_status(native)
    notes: Native = {key: "absent" for key in _status_of(word) if key not in native}
    if word is None:
        notes["/unfinished"] = True
    return {"finish_reason": word, "notes": notes, "odd": odd}


def _beside_status(cell: Cell) -> Cell:
    """Return the cell of the extras of a response: of those that stand for a status, what is read beside its word."""

    def taken(own: Mapping[str, Any], message: am.Msg) -> Native:
        said = {key: thaw(own[key]) for key in _STATUS_KEYS if key in own}
        word = None if message.finish_reason is None else _finish(message.finish_reason, message)
        word = _COMPLETE if word == _CALLS else word
        return {} if _told_status({**_status_of(word), **said}) == (word, [*said]) else said

    return cells.without(cell, RESPONSE, taken)


def _status_of(word: str | None) -> Native:
    if word is None:
        return {}
    reason = _REASONS.get(word)
    status = "incomplete" if reason else word if word in _STATUSES else "completed"
    return {"status": status, "incomplete_details": {"reason": reason} if reason else None}


def _write_status(message: am.Msg) -> Native:
    own: Any = message.extras.get(RESPONSE, ())
    return {key: value for key, value in _status_of(message.finish_reason).items() if key not in own}


def _finish(word: str, message: am.Msg) -> str:
    """Keep the words that there are; whether it is a call is told by the items."""
    if word in _STATUSES or word in _REASONS:
        return word
    return _ended(message)


_STATUS = Hatch(
    keys=_STATUS_KEYS,
    cells={"finish_reason": _finish},
    get=_read_status,
    put=_write_status,
    odd=_STATUS_KEYS,
    schema={"status": {"type": "string", "examples": ["completed", *sorted(_STATUSES)]}, "incomplete_details": {}},
    about="finish_reason",
)


def _finished(message: am.Msg, old: str, new: str) -> am.Msg:
    """Return a message with another finish reason, if it has the old one."""
    if message.finish_reason != old or new == old:
        return message
    return as_read(message, message.evolve(finish_reason=new))


def _read_time(value: Any, notes: Native) -> datetime:
    if type(value) not in (int, float):
        raise Unreadable
    try:
        time = datetime.fromtimestamp(value, UTC)
    except (OverflowError, OSError, ValueError):
        raise Unreadable from None
    if time.timestamp() != value or str(value) == "-0.0":
        raise Unreadable
    if type(value) is float and not time.microsecond:
        notes["/float"] = True
    return time


def _write_time(time: datetime, message: am.Msg) -> float:
    seconds = time.timestamp()
    is_whole = not time.microsecond and mark_of(message, RESPONSE, "/float") is not True
    return int(seconds) if is_whole else seconds


_TIME = Via(
    _read_time, _write_time, {"type": "integer"}, lambda time, _: times.nearest_timestamp(time), is_marking=True
)


# -- what is supported -------------------------------------------------------------------------------------------------


def _ended(message: am.Msg) -> str:
    return natives.ended(message.content)


def _ruled(message: am.Msg) -> Any:
    """Place the results of OpenAI's tools."""
    new: am.Msg = message
    first: Swap | None = None
    for rule in (told_in_pairs, PLACED["otherwise"]):
        answer: Any = rule(new)
        if answer is not new:
            new, first = answer.new, first or answer
    return message if first is None else Swap(new, first.why, first.level)
