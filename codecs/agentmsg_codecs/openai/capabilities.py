"""The capability table of requests: what OpenAI's messages support, and the rules for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    KEEP,
    Caps,
    MessageRow,
    Swap,
    carried_extras,
    cells,
    is_marked,
    natives,
    restructure,
    rules,
)
from agentmsg_codecs.openai.annotations import is_cited, request_citations, without_citations
from agentmsg_codecs.openai.beside import detached
from agentmsg_codecs.openai.block_capabilities import RESULT_ROWS, assistant_rows, rows_of
from agentmsg_codecs.openai.hints import is_odd
from agentmsg_codecs.openai.images import images_last
from agentmsg_codecs.openai.names import FAMILY, REASONING_KEYS
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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from agentmsg.formats import Shape
    from agentmsg_codecs.openai import OpenAICodec
    from agentmsg_codecs.openai.messages import Messages


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
        if (role := message.role) == "tool":
            return None
        content = message.content
        if role != "assistant":
            return images_last(content) if len(content) > 1 and role == "user" else None
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
