"""The capability table of responses: one assistant message, with everything that the schema requires."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import DecodeError, thaw
from agentmsg.formats import (
    EMPTY,
    KEEP,
    Caps,
    Drop,
    MessageRow,
    Row,
    Swap,
    carried_extras,
    cells,
    is_list,
    is_marked,
    is_object,
    is_sequence,
    mark_of,
    natives,
    restructure,
    rules,
    times,
)
from agentmsg.formats.forms import Rows
from agentmsg_codecs.openai.annotations import is_cited, response_citations, without_citations
from agentmsg_codecs.openai.answer_fields import CHOICE_LEVEL, FIELDS, RESPONSE_LEVEL, is_metadata
from agentmsg_codecs.openai.block_capabilities import assistant_rows
from agentmsg_codecs.openai.capabilities import Layout, needs_id
from agentmsg_codecs.openai.hints import is_message_hint, is_odd
from agentmsg_codecs.openai.media_capabilities import carried_answered_sound
from agentmsg_codecs.openai.names import (
    CHOICE,
    CHOICES,
    COST,
    FAMILY,
    FINISH,
    FINISH_WORDS,
    INPUT,
    NEAREST_FINISH,
    OUTPUT,
    RESPONSE,
)
from agentmsg_codecs.openai.places import is_beside
from agentmsg_codecs.openai.usage import USAGE, has_usage, taken_keys, without_places

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats import Cell
    from agentmsg_codecs.openai.messages import Messages


_SAID: tuple[type[am.BaseBlock], ...] = (am.TextBlock, am.RefusalBlock)


# -- fields -----------------------------------------------------------------------------------------------------------


def _metadata(metadata: Mapping[str, Any], message: Any) -> Mapping[str, Any]:
    kept = {key: metadata[key] for key in FIELDS if key in metadata and is_metadata(key, metadata[key], message)}
    return metadata if list(kept) == list(metadata) else kept


def _finish(reason: str, message: am.Msg) -> str:
    """Keep the reasons of the schema, and a server's own word that was read."""
    if reason in FINISH_WORDS or (reason not in FINISH and is_marked(message, CHOICE, "/finish")):
        return reason
    return FINISH.get(reason) or NEAREST_FINISH.get(reason, "stop")


def _cost(usage: am.Usage) -> dict[str, Any]:
    """Drop a cost that wasn't read."""
    return {} if usage.cost is None or is_marked(usage, FAMILY, "/cost") else {"cost": None}


def _usage() -> Cell:
    fields = Rows(USAGE).row(*USAGE.forms).fields
    own = fields["extras"]
    free = carried_extras(
        (INPUT, lambda _: frozenset()),
        (OUTPUT, lambda _: frozenset()),
        (COST, lambda _: frozenset()),
        (FAMILY, taken_keys),
    )

    def carried(extras: Any, usage: Any) -> Any:
        return own(free(extras, usage) if FAMILY in extras else extras, without_places(usage))

    return cells.usage(
        {**fields, "extras": carried},
        needs=("input", "output", "total"),
        family=FAMILY,
        wanted=_cost,
        case="value.cost is None",
    )


def _further(message: am.Msg) -> frozenset[str] | None:
    own: Any = message.extras[CHOICES]
    further: Any = own.get("further") if list(own) == ["further"] else None
    return frozenset() if isinstance(further, list) and further else None


def _choice_keys(message: am.Msg) -> frozenset[str]:
    """Return the keys that the extras of a choice must not use; its usage would be the message's, if that has none."""
    own = natives.extras_of(message, CHOICE)
    if "usage" not in own:
        return CHOICE_LEVEL.keys
    if message.usage is not None:
        is_taken = is_marked(message, CHOICE, "/usage")
    else:
        kept = _metadata(message.response_metadata, message)
        is_taken = has_usage(thaw(own), {}, kept)
    return CHOICE_LEVEL.keys | {"usage"} if is_taken else CHOICE_LEVEL.keys


def _extras(messages: Messages) -> Cell:
    own = carried_extras((FAMILY, messages.taken("assistant")), odd=messages.is_odd("assistant"))
    around = carried_extras((CHOICE, _choice_keys), (CHOICES, _further), (RESPONSE, lambda _: RESPONSE_LEVEL.keys))
    return cells.together(own, around)


# -- messages ---------------------------------------------------------------------------------------------------------


def _is_joined(left: Any, right: Any) -> bool:
    return type(left) is type(right) and type(left) in _SAID and not is_odd(left) and not is_odd(right)


def _joined(left: Any, right: Any) -> Any:
    """Join two adjacent texts or refusals; citations keep their places in the text."""
    if not _is_joined(left, right):
        return None
    if type(left) is am.RefusalBlock:
        return left.evolve(refusal=left.refusal + right.refusal)
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
    """Keep a text or refusal with words: an empty one isn't read."""
    words = block.text if type(block) is am.TextBlock else block.refusal
    return block if words or is_odd(block) else Drop("the text is empty", "annotation")


def _required(message: am.Msg) -> dict[str, Any]:
    """Return the fields that the schema requires and the message lacks, unless they were lacking when it was read."""
    noted: Any = mark_of(message, RESPONSE, "/lacks")
    lacks = noted if is_sequence(noted) else []
    wanted: dict[str, Any] = {}
    if message.id is None and "id" not in lacks:
        wanted["id"] = f"chatcmpl-{message.digest()[:24]}"
    if message.model is None and "model" not in lacks:
        wanted["model"] = "unknown"
    if isinstance(message.created_at, times.MadeTime):
        wanted["created_at"] = times.nearest_second(message.created_at)
    elif message.created_at is None and "created_at" not in lacks:
        wanted["created_at"] = datetime.fromtimestamp(0, UTC)
    if message.finish_reason is None and not is_marked(message, CHOICE, "/finish"):
        wanted["finish_reason"] = natives.ended(message.content)
    return wanted


def _answer(message: am.Msg) -> Any:
    """Complete a response, join its texts, and drop the citations if the content isn't one text."""
    wanted = _required(message)
    said = [block for block in message.content if not is_beside(block)]
    if said and type(said[-1]) is am.RefusalBlock and not is_odd(said[-1]):
        del said[-1]
    are_parts = len(said) > 1 and any(type(block) is not am.TextBlock or is_odd(block) for block in said)
    if are_parts and any(map(is_cited, said)):
        wanted["content"] = without_citations(message)
    if wanted:
        return Swap(message.evolve(**wanted), "the schema of a response requires it", "annotation")
    if any(map(_is_joined, message.content, message.content[1:])):
        return Swap(message, "a response holds one text and one refusal", "annotation")
    return message


def _only_in_lists(cell: Cell, absent: Any) -> Cell:
    """Keep what only a part has, if the content was read as a list; and a hint beside the message."""
    return lambda value, block: cell(value, block) if is_odd(block) or is_message_hint(value) else absent


def make_response_caps(messages: Messages, read: Callable[[Any], am.Msg], *, as_text: bool) -> Caps:
    """Return the capability table of responses.

    Args:
        messages: the reader and writer of the message inside.
        read: the reader of a document.
        as_text: whether thinking without a field becomes text, in tags.
    """
    rows = assistant_rows(
        messages, "answer", citations=response_citations, sound=carried_answered_sound, as_text=as_text
    )
    for cls in _SAID:
        fields = rows[cls].fields
        only = {
            "cache": _only_in_lists(fields["cache"], None),
            "extras": _only_in_lists(fields["extras"], EMPTY),
        }
        rows[cls] = Row({**fields, **only}, _with_words)

    def read_whole(native: Any) -> am.Msg:
        if not is_object(native) or not is_list(native.get("choices")):
            raise DecodeError("a response of OpenAI must have a list of choices")
        return read(native)

    return Caps(
        messages={
            "assistant": MessageRow(
                fields={
                    "id": KEEP,
                    "created_at": lambda time, _: times.nearest_second(time),
                    "model": KEEP,
                    "usage": _usage(),
                    "finish_reason": _finish,
                    "response_metadata": _metadata,
                    "extras": _extras(messages),
                },
                blocks=rows,
                otherwise=_answer,
                joins=_joined,
            ),
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
