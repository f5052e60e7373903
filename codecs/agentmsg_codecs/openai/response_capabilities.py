"""The capability table of responses: one assistant message, with everything that the schema requires."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import DecodeError, thaw
from agentmsg.formats import (
    EMPTY,
    Caps,
    Drop,
    MessageRow,
    Row,
    carried_extras,
    cells,
    given,
    is_list,
    is_marked,
    is_object,
    is_sequence,
    mark_of,
    natives,
    read_as,
    restructure,
    rules,
    times,
)
from agentmsg.formats.forms import Const, Key, Rows, Spare
from agentmsg_codecs.openai.annotations import is_cited, response_citations, without_citations
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
from agentmsg_codecs.openai.usage import USAGE, taken_keys, usage_of, without_places

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats import Cell, Native
    from agentmsg.formats.forms import Described
    from agentmsg_codecs.openai.messages import Messages


_SAID: tuple[type[am.BaseBlock], ...] = (am.TextBlock, am.RefusalBlock)


# -- fields -----------------------------------------------------------------------------------------------------------


REQUIRED = ("id", "created_at", "model")


def _metadata(answer: Described) -> Cell:
    """Return the cell of the metadata: what the schema has no field for, and odd values that were read."""
    around = (answer.forms["choice"], answer.forms["response"])
    items = {item.native: item for form in around for item in form.items if isinstance(item, (Const, Key, Spare))}

    def is_kept(key: str, value: Any, message: Any) -> bool:
        item = items[key]
        if isinstance(item, Spare):
            return value is not None
        if not is_marked(message, RESPONSE, "/odd"):
            return False
        if isinstance(item, Key) and getattr(message, item.field) is not None:
            return False
        told: Native = {key: thaw(value)}
        is_inner = key in around[0].keys
        native: Native = {"choices": [{"message": {}, **(told if is_inner else {})}], **({} if is_inner else told)}
        return key in read_as(answer.shapes["response"], native, RESPONSE).response_metadata

    def cell(metadata: Mapping[str, Any], message: Any) -> Mapping[str, Any]:
        kept = {key: metadata[key] for key in items if key in metadata and is_kept(key, metadata[key], message)}
        return metadata if list(kept) == list(metadata) else kept

    return cell


def finish(reason: str, message: am.Msg) -> str:
    """Keep the reasons of the schema, and a server's own word that was read."""
    if reason in FINISH_WORDS or (reason not in FINISH and is_marked(message, CHOICE, "/finish")):
        return reason
    return FINISH.get(reason) or NEAREST_FINISH.get(reason, "stop")


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
        wanted=lambda usage: {} if usage.cost is None or is_marked(usage, FAMILY, "/cost") else {"cost": None},
        case="value.cost is None",
    )


def _further(message: am.Msg) -> frozenset[str] | None:
    own: Any = message.extras[CHOICES]
    further: Any = own.get("further") if list(own) == ["further"] else None
    return frozenset() if isinstance(further, list) and further else None


def _extras(messages: Messages, answer: Described, metadata: Cell) -> Cell:
    own = carried_extras((FAMILY, messages.taken("assistant")), odd=messages.is_odd("assistant"))
    of_choice, of_response = answer.forms["choice"].keys, answer.forms["response"].keys

    def taken(message: am.Msg) -> frozenset[str]:
        """Return the keys of a choice; its usage would be the message's, if that has none."""
        extras = natives.extras_of(message, CHOICE)
        if "usage" not in extras:
            return of_choice
        if message.usage is not None:
            is_taken = is_marked(message, CHOICE, "/usage")
        else:
            kept = message.evolve(response_metadata=metadata(message.response_metadata, message))
            is_taken = usage_of(extras, kept) is not None
        return of_choice | {"usage"} if is_taken else of_choice

    return cells.together(own, carried_extras((CHOICE, taken), (CHOICES, _further), (RESPONSE, lambda _: of_response)))


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
    if message.created_at is not None and given(message.created_at) is None:
        wanted["created_at"] = times.nearest_second(message.created_at)
    elif message.created_at is None and "created_at" not in lacks:
        wanted["created_at"] = datetime.fromtimestamp(0, UTC)
    if message.finish_reason is None and not is_marked(message, CHOICE, "/finish"):
        wanted["finish_reason"] = natives.ended(message.content)
    return wanted


def _lacking(message: am.Msg) -> tuple[dict[str, Any], str]:
    """Complete a response, join its texts, and drop the citations if the content isn't one text."""
    wanted = _required(message)
    said = [block for block in message.content if not is_beside(block)]
    if said and type(said[-1]) is am.RefusalBlock and not is_odd(said[-1]):
        del said[-1]
    are_parts = len(said) > 1 and any(type(block) is not am.TextBlock or is_odd(block) for block in said)
    if are_parts and any(map(is_cited, said)):
        wanted["content"] = without_citations(message)
    if wanted:
        return wanted, "the schema of a response requires it"
    is_joined = any(map(_is_joined, message.content, message.content[1:]))
    return wanted, "a response holds one text and one refusal" if is_joined else ""


def _only_in_lists(cell: Cell, absent: Any) -> Cell:
    """Keep what only a part has, if the content was read as a list; and a hint beside the message."""
    return lambda value, block: cell(value, block) if is_odd(block) or is_message_hint(value) else absent


def make_response_caps(
    messages: Messages,
    answer: Described,
    read: Callable[[Any], am.Msg],
    answer_row: Callable[..., MessageRow],
    *,
    as_text: bool,
) -> Caps:
    """Return the capability table of responses.

    Args:
        messages: the reader and writer of the message inside.
        answer: the forms of what is around it.
        read: the reader of a document.
        answer_row: completes the row of messages, which say who answered.
        as_text: whether thinking without a field becomes text, in tags.
    """
    rows = assistant_rows(
        messages, "answer", citations=response_citations, sound=carried_answered_sound, as_text=as_text
    )
    for cls in _SAID:
        fields = rows[cls].fields
        only = {"cache": _only_in_lists(fields["cache"], None), "extras": _only_in_lists(fields["extras"], EMPTY)}
        rows[cls] = Row({**fields, **only}, _with_words)

    def read_whole(native: Any) -> am.Msg:
        if not is_object(native) or not is_list(native.get("choices")):
            raise DecodeError("a response of OpenAI must have a list of choices")
        return read(native)

    made, metadata = Rows(answer), _metadata(answer)
    fields = {
        **made.message("response"),
        **made.message("choice"),
        "usage": _usage(),
        "response_metadata": metadata,
        "extras": _extras(messages, answer, metadata),
    }
    row = MessageRow(fields=fields, blocks=rows, joins=_joined)
    return Caps(
        messages={"assistant": answer_row(row, _lacking), "native": rules.native_message_row(FAMILY, read_whole)},
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
