"""The capability table of responses: one assistant message, and what the schema requires of it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import DecodeError
from agentmsg.formats import (
    EMPTY,
    KEEP,
    Caps,
    Drop,
    MessageRow,
    Row,
    Swap,
    carried_extras,
    is_list,
    is_object,
    is_sequence,
    mark_of,
    restructure,
    rules,
    times,
)
from agentmsg.formats.forms import Rows
from agentmsg_codecs.openai.answer_fields import CHOICE_LEVEL, FIELDS, RESPONSE_LEVEL, TOLD, is_told
from agentmsg_codecs.openai.block_capabilities import assistant_rows
from agentmsg_codecs.openai.capabilities import Layout, is_beside, needs_id
from agentmsg_codecs.openai.citation_capabilities import response_citations
from agentmsg_codecs.openai.hints import is_message_hint, is_odd
from agentmsg_codecs.openai.media_capabilities import carried_answered_sound
from agentmsg_codecs.openai.names import CHOICE, CHOICES, FAMILY, FINISH, FINISH_WORDS, NEAREST_FINISH, RESPONSE
from agentmsg_codecs.openai.server_fields import message_keys
from agentmsg_codecs.openai.usage import carried_usage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats import Cell
    from agentmsg_codecs.openai.messages import Messages


_FIRST, _LAST = (edge.replace(tzinfo=UTC) for edge in (datetime.min, datetime.max))  # noqa: DTZ901 - they are given one
_SAID: tuple[type[am.BaseBlock], ...] = (am.TextBlock, am.RefusalBlock)


# -- fields -----------------------------------------------------------------------------------------------------------


def _whole_seconds(time: datetime, _: Any) -> datetime:
    """Keep a time in whole seconds of UTC, the nearest that there is; one without zone is taken for one of UTC."""
    try:
        aware = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except OverflowError:  # before the first or after the last year in UTC
        aware = _FIRST if time.year == _FIRST.year else _LAST
    plain = aware.replace(microsecond=0)
    same = type(time) is datetime and time.tzinfo is not None and not time.utcoffset() and time == plain
    return time if same else plain


def _told(metadata: Mapping[str, Any], message: Any) -> Mapping[str, Any]:
    kept = {key: metadata[key] for key in FIELDS if key in metadata and is_told(key, metadata[key], message)}
    return metadata if list(kept) == list(metadata) else kept


def _finish(reason: str, message: am.Msg) -> str:
    """Keep the reasons of the schema, and the word of a server that has its own."""
    if reason in FINISH_WORDS or (reason not in FINISH and mark_of(message, CHOICE, "/finish") is True):
        return reason
    return FINISH.get(reason) or NEAREST_FINISH.get(reason, "stop")


def _further(message: am.Msg) -> frozenset[str] | None:
    own: Any = message.extras[CHOICES]
    held: Any = own.get("further") if list(own) == ["further"] else None
    return frozenset() if isinstance(held, list) and held else None


def _extras(messages: Messages) -> Cell:
    keys = messages.keys("assistant")
    own = carried_extras((FAMILY, lambda message: keys | message_keys(message)), odd=messages.is_odd("assistant"))
    around = carried_extras(
        (CHOICE, lambda _: CHOICE_LEVEL.keys), (CHOICES, _further), (RESPONSE, lambda _: RESPONSE_LEVEL.keys)
    )

    def cell(extras: Mapping[str, Any], message: Any) -> Mapping[str, Any]:
        kept = {**own(extras, message), **around(extras, message)}
        same = list(kept) == list(extras) and all(kept[key] is extras[key] for key in kept)
        return extras if same else kept or EMPTY

    return cell


# -- messages ---------------------------------------------------------------------------------------------------------


def _is_joined(left: Any, right: Any) -> bool:
    return type(left) is type(right) and type(left) in _SAID and not is_odd(left) and not is_odd(right)


def _joined(left: Any, right: Any) -> Any:
    """Return the one text, or the one refusal, that two neighbours are in a response."""
    if not _is_joined(left, right):
        return None
    if type(left) is am.RefusalBlock:
        return left.evolve(refusal=left.refusal + right.refusal)
    return _joined_texts(left, right)


def _joined_texts(left: am.TextBlock, right: am.TextBlock) -> am.TextBlock:
    """Return the text of two; citations keep their places in it."""
    shift = len(left.text)
    moved = tuple(
        citation.evolve(
            start=None if citation.start is None else citation.start + shift,
            end=None if citation.end is None else citation.end + shift,
        )
        for citation in right.citations
    )
    return left.evolve(text=left.text + right.text, citations=(*left.citations, *moved))


def _with_words(block: Any) -> Any:
    """Keep what has words: a response whose text is empty says nothing."""
    said = block.text if type(block) is am.TextBlock else block.refusal
    return block if said or is_odd(block) else Drop("there are no words in it", "annotation")


def _required(message: am.Msg) -> dict[str, Any]:
    """Return what the schema requires and the message lacks; a document that was read so needs nothing."""
    noted: Any = mark_of(message, RESPONSE, "/lacks")
    lacks = noted if is_sequence(noted) else []
    wanted: dict[str, Any] = {}
    if message.id is None and "id" not in lacks:
        wanted["id"] = f"chatcmpl-{message.digest()[:24]}"
    if message.model is None and "model" not in lacks:
        wanted["model"] = "unknown"
    if isinstance(message.created_at, times.MadeTime):
        wanted["created_at"] = _whole_seconds(message.created_at, message)
    elif message.created_at is None and "created_at" not in lacks:
        wanted["created_at"] = datetime.fromtimestamp(0, UTC)
    if message.finish_reason is None and mark_of(message, CHOICE, "/finish") is not True:
        calls = any(type(block) is am.ToolUseBlock and block.kind != "server" for block in message.content)
        wanted["finish_reason"] = "tool_use" if calls else "stop"
    return wanted


def _answer(message: am.Msg) -> Any:
    """Keep a response that has all that the schema requires, one text, and annotations of that text."""
    wanted = _required(message)
    said = [block for block in message.content if not is_beside(block)]
    if said and type(said[-1]) is am.RefusalBlock and not is_odd(said[-1]):
        del said[-1]
    if len(said) > 1:
        others = any(type(block) is not am.TextBlock or is_odd(block) for block in said)
        if others and any(type(block) is am.TextBlock and block.citations for block in said):
            wanted["content"] = [
                block.evolve(citations=()) if type(block) is am.TextBlock and block.citations else block
                for block in message.content
            ]
    if wanted:
        return Swap(message.evolve(**wanted), "the schema of a response requires it", "annotation")
    neighbours = zip(message.content, message.content[1:], strict=False)
    if any(_is_joined(left, right) for left, right in neighbours):
        return Swap(message, "a response holds one text and one refusal", "annotation")
    return message


def _only_in_lists(cell: Cell, absent: Any) -> Cell:
    """Keep what only a part has, that of content that was read as a list; and a hint beside the message."""
    return lambda value, block: cell(value, block) if is_odd(block) or is_message_hint(value) else absent


def _rows(messages: Messages, *, as_text: bool) -> Mapping[type[am.BaseBlock], Row]:
    """Return the rows of the fields of a response; arguments as in ``make_response_caps``."""
    rows = assistant_rows(
        messages,
        "answer",
        citations=response_citations,
        sound=carried_answered_sound,
        as_text=as_text,
    )
    for cls in _SAID:
        row = rows[cls]
        cells = {
            "cache": _only_in_lists(row.fields["cache"], None),
            "extras": _only_in_lists(row.fields["extras"], EMPTY),
        }
        rows[cls] = Row({**row.fields, **cells}, _with_words)
    return rows


def make_response_caps(messages: Messages, read: Callable[[Any], am.Msg], *, as_text: bool) -> Caps:
    """Return the capability table of responses.

    Args:
        messages: the reader and writer of the message inside.
        read: the reader of a document.
        as_text: whether thinking without a field is text, in tags.
    """
    rows = _rows(messages, as_text=as_text)
    fields: dict[str, Cell] = {
        "id": KEEP,
        "created_at": _whole_seconds,
        "model": KEEP,
        "usage": carried_usage(Rows(TOLD).row("usage").fields),
        "finish_reason": _finish,
        "response_metadata": _told,
        "extras": _extras(messages),
    }

    def read_whole(native: Any) -> am.Msg:
        if not is_object(native) or not is_list(native.get("choices")):
            raise DecodeError("a response of OpenAI must have a list of choices")
        return read(native)

    return Caps(
        messages={
            "assistant": MessageRow(fields=fields, blocks=rows, otherwise=_answer, joins=_joined),
            "native": rules.native_message_row(FAMILY, read_whole),
        },
        history={
            "extras": carried_extras((RESPONSE, lambda history: None if history.messages else frozenset({"choices"})))
        },
        arrange=(
            restructure.split_results,
            restructure.keep_first,
            restructure.choose(Layout(messages.place, refusal_last=True).picks),
        ),
        needs_id=needs_id,
        derives_names=True,
    )
