"""gemini-response: responses of generateContent. For requests, use ``gemini``.

A document is one response, ``{"candidates": [{"content": {...}, ...}], ...}``: a history of one assistant message.
Longer histories: only the first assistant message is written.

A chunk of a stream has the form of a response, so one by itself is read as one. Its message has no ``finish_reason``,
which the message of every complete response has; ``collect`` reads all chunks.

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
from operator import is_
from typing import TYPE_CHECKING, Any, ClassVar
from zlib import crc32

import attrs

import agentmsg as am
from agentmsg import DecodeError, thaw
from agentmsg.formats import (
    EMPTY,
    KEEP,
    Caps,
    Native,
    Unreadable,
    adopt,
    carried_extras,
    cells,
    excerpt,
    given,
    is_list,
    is_mapping,
    is_object,
    is_sequence,
    made_ids,
    mark_of,
    marked,
    natives,
    note_of,
    times,
)
from agentmsg.formats.bodies import ANSWER, Answers, answer_caps
from agentmsg.formats.forms import Described, Form, Hatch, Key, Link, Nested, Text, Via
from agentmsg_codecs.gemini.capabilities import model_rows, text_rows
from agentmsg_codecs.gemini.contents import WORDS, content_of_model, parts_of_model
from agentmsg_codecs.gemini.format import USAGE, is_odd_count
from agentmsg_codecs.gemini.likeness import OF_RESPONSES, sniff_answer
from agentmsg_codecs.gemini.messages import Gemini
from agentmsg_codecs.gemini.names import CANDIDATE, FAMILY, FURTHER, PROVIDER, RESPONSE, both, snake
from agentmsg_codecs.gemini.spelling import Keys

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from agentmsg_codecs.gemini.messages import Messages

_METADATA = "groundingMetadata"
# The keys whose object makes a chunk: pages, maps, and results of a file search.
_SOURCES = ("web", "maps", "retrievedContext")
_FINISH = {"STOP": "stop", "MAX_TOKENS": "length", "SAFETY": "content_filter"}
_REASONS = {word: reason for reason, word in _FINISH.items()}
# Other reasons of the same kind as SAFETY; the mark ``/reason`` tells which.
_FILTERS = frozenset({
    "BLOCKLIST", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "IMAGE_SAFETY", "PROHIBITED_CONTENT", "RECITATION",
    "SPII",
})  # fmt: skip
_CONTENT_KEYS = frozenset({"role", "parts"})
_CANDIDATE_KEYS = frozenset({"content", "finishReason", "index"})


# -- grounding: the sources of the text, read as citations ------------------------------------------------------------
# ``groundingMetadata`` stays an extra of the candidate, and only that is written: citations follow from it. Any other
# citations of a message are lost, and reported. Gemini counts bytes of UTF-8, agentmsg characters.


def _grounded(blocks: Sequence[Any], candidate: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the blocks of a response with the citations from its candidate's metadata, and no others."""
    found: dict[int, list[am.Citation]] = {}
    for index, citation in _citations(blocks, candidate):
        found.setdefault(index, []).append(citation)
    return tuple(
        block if type(block) is not am.TextBlock else _with_citations(block, tuple(found.get(index, ())))
        for index, block in enumerate(blocks)
    )


def _regrounded_all(messages: Sequence[am.Msg]) -> Sequence[am.Msg]:
    """Return the messages with the citations that a reader would make; unchanged if they have these."""
    out = list(map(_regrounded, messages))
    return messages if all(map(is_, out, messages)) else out


def _regrounded(message: am.Msg) -> am.Msg:
    content: tuple[Any, ...] = message.content
    new = _grounded(content, natives.extras_of(message, CANDIDATE))
    return message if all(map(is_, new, content)) else message.with_content(new)


def _with_citations(block: am.TextBlock, citations: tuple[am.Citation, ...]) -> am.TextBlock:
    is_same = len(citations) == len(block.citations) and all(map(am.same, citations, block.citations))
    return block if is_same else block.evolve(citations=citations)


def _citations(blocks: Sequence[Any], candidate: Mapping[str, Any]) -> Iterator[tuple[int, am.Citation]]:
    """Yield each citation with the index of its text: one for each source of each segment."""
    metadata = _at(candidate, _METADATA)
    chunks = _at(metadata, "groundingChunks")
    supports = _at(metadata, "groundingSupports")
    if not is_sequence(chunks) or not is_sequence(supports):
        return
    for support in supports:
        place = _place(blocks, _at(support, "segment"))
        indices = _at(support, "groundingChunkIndices")
        if place is None or not is_sequence(indices):
            continue
        index, start, end = place
        for number in indices:
            if type(number) is int and 0 <= number < len(chunks):
                source = _source(chunks[number])
                if source is not None:
                    yield index, am.Citation(start=start, end=end, **source)


def _source(chunk: Any) -> dict[str, Any] | None:
    """Return a source as fields of a citation; None if its kind is unknown."""
    for kind in _SOURCES:
        held = _at(chunk, kind)
        if is_mapping(held):
            said = {"url": held.get("uri"), "title": held.get("title"), "cited_text": held.get("text")}
            return {"kind": kind, **{name: text for name, text in said.items() if isinstance(text, str)}}
    return None


def _place(blocks: Sequence[Any], segment: Any) -> tuple[int, int, int] | None:
    """Return the index of a segment's text, and its span in characters; None if no text has it."""
    first, start, end = _at(segment, "partIndex"), _at(segment, "startIndex"), _at(segment, "endIndex")
    said = _at(segment, "text")
    start = 0 if start is None else start
    if type(start) is not int or type(end) is not int or not 0 <= start <= end:
        return None
    texts = [index for index, block in enumerate(blocks) if type(block) is am.TextBlock]
    for index in sorted(texts, key=lambda index: index != first):
        raw = blocks[index].text.encode()
        try:
            before, text = raw[:start].decode(), raw[start:end].decode()
        except UnicodeDecodeError:
            continue
        if end <= len(raw) and said in (None, text):
            return index, len(before), len(before) + len(text)
    return None


def _at(owner: Any, key: str) -> Any:
    """Return the value of a key in either spelling; None if there is none."""
    if not is_mapping(owner):
        return None
    value = owner.get(key)
    return owner.get(snake(key)) if value is None else value


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
        form = Form("response", am.Msg, None, items, space=RESPONSE, fixed=self.answerer)
        return Described(FAMILY, (form, USAGE), {})

    def make_caps(self) -> Caps:
        """Return what responses support."""
        beside = cells.beside((FAMILY, both(USAGE.keys)), odd=is_odd_count)
        usage = {**self.answer.rows.row("usage").fields, "extras": beside}
        of_candidate, of_response = both(_CANDIDATE_KEYS), both(self.answer.forms["response"].keys)
        # In the order in which the reader finds them.
        extras = carried_extras(
            (FAMILY, lambda _: _CONTENT_KEYS),
            (CANDIDATE, lambda _: of_candidate),
            (FURTHER, _further),
            (RESPONSE, lambda _: of_response),
            odd=_is_odd,
        )
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
            relink=_regrounded_all,
        )

    def read(self, document: Any) -> am.History:
        """Read one response, in either spelling."""
        if not is_object(document):
            return super().read(document)
        try:
            native, found = _camel(document)
        except Unreadable:
            raise DecodeError("a response has a key in two spellings") from None
        if document and not _says_any(native):
            raise self.refusal(native)
        history = super().read(native)
        return history.evolve(messages=[marked(history[0], RESPONSE, snake=found)]) if found else history

    def write(self, history: am.History) -> Any:
        """Write the response; an empty object if there is none."""
        native = super().write(history)
        first = history.messages[0] if history.messages else None
        return _respelt(native, mark_of(first, RESPONSE, "/snake")) if first and first.notes else native

    def refusal(self, document: Native) -> DecodeError:
        """Return the error for an unreadable response."""
        candidates: Any = document.get("candidates")
        if not is_list(candidates) or not candidates or not is_object(candidates[0]):
            return DecodeError("a response must have a candidate object", path=("candidates",))
        content: Any = candidates[0].get("content")
        role: Any = content.get("role") if is_object(content) else None
        if role is not None and (type(role) is not str or WORDS.get(role, role) != "model"):
            path = ("candidates", 0, "content", "role")
            return DecodeError(f"the role of a response is model, not {excerpt(role)}", path=path)
        return super().refusal(document)

    def linked(self, message: am.Msg) -> am.Msg:
        """Give ids to the calls and results of a read message that lack them."""
        return made_ids.linked((message,), FAMILY, number_of(message))[0]

    def unlinked(self, message: am.Msg) -> am.Msg:
        """Remove the ids that a reader makes again from a message to write."""
        return made_ids.unlinked((message,), FAMILY, number_of(message))[0]

    def likeness(self, document: Any) -> float:
        """Return how closely a document resembles a response."""
        return sniff_answer(document)


def _further(message: am.Msg) -> frozenset[str] | None:
    """Return the taken keys of these extras, or None if they hold anything but other candidates."""
    own: Any = message.extras[FURTHER]
    held: Any = own.get("further") if list(own) == ["further"] else None
    return frozenset() if isinstance(held, list) and held else None


def number_of(message: am.Msg) -> int:
    """Return a number that distinguishes ids made for this message from those of others."""
    return crc32(str(given(message.id) or "").encode())


# -- the candidate ----------------------------------------------------------------------------------------------------


def _content(native: Native, engine: Messages, notes: Native) -> tuple[tuple[Any, ...], Native]:
    """Return the blocks of a candidate's content, and its unknown keys; note absent keys.

    Raises:
        Unreadable: if it isn't the content of a model.
    """
    held: Any = native.get("content")
    if held is None:
        notes["/content"] = "null" if "content" in native else "absent"
        return (), {}
    if not is_object(held):
        raise Unreadable
    parts = parts_of_model(held, notes)
    blocks = tuple(map(engine.places["assistant"].read, parts))
    return blocks, {key: value for key, value in held.items() if key not in _CONTENT_KEYS}


def _read_candidate(native: Native, engine: Messages) -> dict[str, Any]:
    """Read the first candidate of a response; the others are extras."""
    listed: Any = native.get("candidates")
    if "candidates" not in native:
        return {"content": (), "finish_reason": _blocked(native), "notes": {"/none": True}}
    if not is_list(listed) or not listed or not is_object(listed[0]):
        raise Unreadable
    candidate: Native = listed[0]
    others: Native = {"further": listed[1:]} if len(listed) > 1 else {}
    notes: Native = {}
    content, more = _content(candidate, engine, notes)
    reason: Any = candidate.get("finishReason")
    word = _FINISH.get(reason, reason) if _is_reason(reason) else None
    if word in _FILTERS:
        word, notes["/reason"] = "content_filter", word
    rest = {key: value for key, value in candidate.items() if key not in _CANDIDATE_KEYS}
    if "finishReason" in candidate and word is None:
        rest["finishReason"] = reason
    if "index" not in candidate:
        notes["/index"] = "absent"
    elif candidate["index"] != 0 or type(candidate["index"]) is not int:
        rest["index"] = candidate["index"]
    spaces = {space: adopt(own) for space, own in ((FAMILY, more), (CANDIDATE, rest), (FURTHER, others)) if own}
    finish = natives.ended(content) if word == "stop" else word
    content = _grounded(content, rest) if rest else content
    return {"content": content, "finish_reason": finish, "notes": notes, "extras": spaces}


def _write_candidate(message: am.Msg, engine: Messages) -> Native:
    """Write the candidates of a response, of which the message is the first."""
    note = note_of(message, RESPONSE)
    says = (
        message.content
        or message.finish_reason != _blocked(natives.extras_of(message, RESPONSE))
        or not {CANDIDATE, FAMILY, FURTHER}.isdisjoint(message.extras)
    )
    if note.get("/none") is True and not says and _is_recognisable(message):
        return {}
    rest = natives.extras_of(message, CANDIDATE)
    candidate: Native = {}
    if message.content or "/content" not in note or FAMILY in message.extras:
        content = _grounded(message.content, EMPTY) if rest else message.content
        parts = list(map(engine.places["assistant"].write, content))
        held = content_of_model(parts, note)
        candidate["content"] = {**held, **natives.extras_copy(message, FAMILY)}
    elif note["/content"] == "null":
        candidate["content"] = None
    if message.finish_reason is not None:
        candidate["finishReason"] = _reason(message.finish_reason, note.get("/reason"))
    if note.get("/index") != "absent" or "index" in rest:
        candidate["index"] = 0
    others = natives.extras_copy(message, FURTHER).get("further", ())
    return {"candidates": [{**candidate, **thaw(rest)}, *others]}


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


def _reason(word: str, mark: Any) -> str:
    if word == "content_filter" and type(mark) is str and mark in _FILTERS:
        return mark
    return "STOP" if word == "tool_use" else _REASONS.get(word, word)


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


def _is_odd(owner: Any, key: str, value: Any) -> bool:
    """Whether a value under a known key is an extra, because the model can't hold it there."""
    if key == "createTime":
        return owner.created_at is None and not _is_time(value)
    if key == "index":
        return type(value) is not int or value != 0
    return key == "finishReason" and owner.finish_reason is None and not _is_reason(value)


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


# -- its spelling ------------------------------------------------------------------------------------------------------

_OUTER = Keys([key.native for key in _FIELDS], {"usageMetadata": Keys(USAGE.keys)})
_CANDIDATE = Keys(["finishReason"])


def _first_in(native: Native) -> Any:
    """Return the first candidate of a response; None if it has none."""
    listed: Any = native.get("candidates")
    return listed[0] if is_list(listed) and listed and is_object(listed[0]) else None


def _camel(document: Native) -> tuple[Native, list[str]]:
    """Convert the keys of a response and its first candidate to camelCase; return also those in snake_case.

    Raises:
        Unreadable: if an object has a key in both spellings.
    """
    native, found = _OUTER.camel(document)
    first = _first_in(native)
    if first is None or _CANDIDATE.is_camel(first):
        return native, found
    first, more = _CANDIDATE.camel(first)
    return {**native, "candidates": [first, *native["candidates"][1:]]}, [*found, *more]


def _respelt(native: Native, wanted: Any) -> Native:
    """Convert to snake_case those keys of a response that it was read with."""
    if not is_sequence(wanted):
        return native
    keys = frozenset(map(str, wanted))
    first = _first_in(native)
    if first is not None:
        native = {**native, "candidates": [_CANDIDATE.snake(first, keys), *native["candidates"][1:]]}
    return _OUTER.snake(native, keys)
