"""The capability tables: what OpenAI's messages support, and the rules for the rest.

A response is one assistant message, with everything that the schema requires.
"""

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
from agentmsg_codecs.openai.annotations import is_cited, request_citations, response_citations, without_citations
from agentmsg_codecs.openai.beside import detached
from agentmsg_codecs.openai.block_capabilities import RESULT_ROWS, assistant_rows, carried_answered_sound, rows_of
from agentmsg_codecs.openai.hints import is_message_hint, is_odd
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
    REASONING_KEYS,
    RESPONSE,
)
from agentmsg_codecs.openai.pairs import CELL
from agentmsg_codecs.openai.places import (
    is_beside,
    is_field_audio,
    is_field_image,
    is_native_entry,
    is_thinking_field,
    is_told_audio,
    place_of,
)
from agentmsg_codecs.openai.reasoning import LISTS
from agentmsg_codecs.openai.settings import SETTINGS
from agentmsg_codecs.openai.tools import may_write, read_tools, tool_rows
from agentmsg_codecs.openai.usage import USAGE, taken_keys, usage_of, without_places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from agentmsg.formats import Cell, Native, Shape
    from agentmsg.formats.forms import Described
    from agentmsg_codecs.openai import OpenAICodec
    from agentmsg_codecs.openai.messages import Messages
    from agentmsg_codecs.openai.response import OpenAIResponseCodec


_lacks_id = natives.lacks_id(FAMILY)


def needs_id(block: Any) -> bool:
    """Whether a client's call or result must get an id; one that was read without needs none."""
    return _lacks_id(block) and not is_marked(block, FAMILY, "/legacy")


# -- the order of blocks ----------------------------------------------------------------------------------------------

# What follows thinking in an assistant's message, in reading order.
_SAID, _REFUSED, _SHOWN, _SOUND, _CALLED = range(5)


class Layout:
    """The order of an assistant's blocks. Of thinking, each field holds one text; of sound, a message holds one.

    Args:
        place: the field for thinking that wasn't read from one.
        refusal_last: whether a refusal follows all content.
    """

    def __init__(self, place: str | None, *, refusal_last: bool = False) -> None:
        self._place = place
        self._refusal_last = refusal_last

    def picks(self, message: am.Msg) -> tuple[int, ...] | None:
        """Return the blocks that a message can hold, in order; None if these are all blocks, in their order."""
        content, role = message.content, message.role
        if role != "assistant":
            return restructure.in_order(content, is_field_image) if len(content) > 1 and role == "user" else None
        if not content or (len(content) == 1 and content[0].__class__ is not am.ThinkingBlock):
            return None
        kept = [*self._thoughts(content), *self._others(content)]
        return None if kept == list(range(len(content))) else tuple(kept)

    def _thoughts(self, content: Sequence[Any]) -> Iterator[int]:
        """Yield the thinking, the fullest field first.

        A field can't hold a second text. A text that only repeats the fullest field would be read as its copy.
        """
        thoughts = [(self._field(block), index) for index, block in enumerate(content) if is_thinking_field(block)]
        taken: set[int] = set()
        fullest, said = -1, ""
        for field, index in sorted(thoughts):
            text = content[index].thinking
            is_text = field >= 0 and REASONING_KEYS[field] not in LISTS
            if is_text and text and (field in taken or text == said):
                continue
            if field >= 0 and fullest < 0 and (text or not is_text):
                fullest = field
            said += text if field == fullest else ""
            if is_text and text:
                taken.add(field)
            yield index

    def _field(self, block: Any) -> int:
        """Return the index of the field for thinking; -1 if there is none."""
        place = place_of(block, self._place)
        return -1 if place is None else REASONING_KEYS.index(place)

    def _others(self, content: Sequence[Any]) -> list[int]:
        ranks = {index: self._rank(block) for index, block in enumerate(content) if not is_thinking_field(block)}
        sounds = [index for index, rank in ranks.items() if rank == _SOUND]
        return [index for index in sorted(ranks, key=ranks.__getitem__) if index not in sounds[1:]]

    def _rank(self, block: Any) -> int:
        kind = block.__class__
        if is_native_entry(block) or (kind is am.ToolUseBlock and block.kind != "server"):
            return _CALLED
        if is_field_audio(block) and not (self._refusal_last and is_told_audio(block)):
            return _SOUND
        if kind is am.ImageBlock and is_field_image(block):
            return _SHOWN
        # A refusal that was read from a list of content keeps its place there.
        return _REFUSED if kind is am.RefusalBlock and self._refusal_last and not is_odd(block) else _SAID


# -- the table --------------------------------------------------------------------------------------------------------


def _cited_alone(messages: Messages) -> Callable[[am.Msg], Any]:
    """Return the rule that keeps citations if an assistant's content is one text: annotations count its characters."""

    def rule(message: am.Msg) -> Any:
        if not any(map(is_cited, message.content)):
            return message
        said = [block for block in detached(message)[0].content if not is_beside(block)]
        is_apart = type(said[-1]) is am.RefusalBlock and messages.in_field(said[-1])
        if len(said) - is_apart <= 1:
            return message
        return Swap(
            message.evolve(content=without_citations(message)), "only a single text can have annotations", "annotation"
        )

    return rule


def _body_keys(shapes: Mapping[str, Shape], history: am.History) -> frozenset[str]:
    """Return the keys of a body that the extras of a history must not use."""
    own = natives.extras_of(history, FAMILY)
    said = {key: thaw(own[key]) for key in ("tools", "functions") if key in own}
    # What would be read as tools isn't what was read as something else.
    return may_write(history.tools) | read_tools(shapes, said)[1] | SETTINGS.taken(history) | {"messages"}


def make_caps(codec: OpenAICodec) -> Caps:
    """Return the capability table of requests."""
    messages, as_text, apart = codec.engine, codec.thinking == "text", codec.results == "user"
    described = messages.described

    def fields(role: str) -> dict[str, Any]:
        return {"name": KEEP, "extras": carried_extras((FAMILY, messages.taken(role)), odd=messages.is_odd(role))}

    texts, users = rows_of(described, "text"), rows_of(described, "user")
    return Caps(
        messages={
            **{role: MessageRow(fields=fields(role), blocks=texts) for role in ("system", "developer")},
            "user": MessageRow(fields=fields("user"), blocks=users),
            "assistant": MessageRow(
                fields=fields("assistant"),
                blocks=assistant_rows(messages, "assistant", citations=request_citations, as_text=as_text),
                otherwise=_cited_alone(messages),
            ),
            "tool": MessageRow(
                fields={"extras": fields("tool")["extras"]},
                blocks=RESULT_ROWS,
                results=rows_of(described, "tool", why="a tool's result is text"),
            ),
            **rules.other_rows(FAMILY, messages.read),
        },
        apart={cls: users[cls] for cls in (am.ImageBlock, am.AudioBlock, am.FileBlock)} if apart else None,
        history={
            "tools": KEEP,
            "extras": cells.together(
                carried_extras((FAMILY, lambda history: _body_keys(described.shapes, history))), CELL
            ),
        },
        tools=tool_rows(described),
        settings=SETTINGS.row(),
        arrange=(restructure.split_results, restructure.choose(Layout(messages.place).picks)),
        needs_id=needs_id,
        derives_names=True,
        drops_emptied=True,
    )


# -- responses --------------------------------------------------------------------------------------------------------


_TEXTS: tuple[type[am.BaseBlock], ...] = (am.TextBlock, am.RefusalBlock)


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
    return type(left) is type(right) and type(left) in _TEXTS and not is_odd(left) and not is_odd(right)


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


def make_response_caps(codec: OpenAIResponseCodec) -> Caps:
    """Return the capability table of responses."""
    messages, answer, as_text = codec.engine, codec.answer, codec.thinking == "text"
    rows = assistant_rows(
        messages, "answer", citations=response_citations, sound=carried_answered_sound, as_text=as_text
    )
    for cls in _TEXTS:
        fields = rows[cls].fields
        only = {"cache": _only_in_lists(fields["cache"], None), "extras": _only_in_lists(fields["extras"], EMPTY)}
        rows[cls] = Row({**fields, **only}, _with_words)

    def read_whole(native: Any) -> am.Msg:
        if not is_object(native) or not is_list(native.get("choices")):
            raise DecodeError("a response of OpenAI must have a list of choices")
        return codec.read_whole(native)

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
        messages={"assistant": codec.answer_row(row, _lacking), "native": rules.native_message_row(FAMILY, read_whole)},
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
