"""The capability table of requests: what OpenAI's messages support, and the rules for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    ANY_ROLE,
    KEEP,
    Caps,
    MessageRow,
    Swap,
    carried_extras,
    mark_of,
    restructure,
    rules,
)
from agentmsg_codecs.openai.block_capabilities import assistant_rows, result_rows, rows_of
from agentmsg_codecs.openai.calls import is_native_entry
from agentmsg_codecs.openai.citation_capabilities import request_citations
from agentmsg_codecs.openai.hints import is_odd
from agentmsg_codecs.openai.marks import is_field_audio
from agentmsg_codecs.openai.names import FAMILY, REASONING_KEYS
from agentmsg_codecs.openai.reasoning import LISTS, place_of
from agentmsg_codecs.openai.server_fields import detached, message_keys
from agentmsg_codecs.openai.settings import ROW, SETTINGS
from agentmsg_codecs.openai.thinking_parts import is_thinking_part
from agentmsg_codecs.openai.tools import may_write, read_tools, tool_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from agentmsg.formats import Shape
    from agentmsg_codecs.openai.messages import Messages


def needs_id(block: Any) -> bool:
    """Whether a client's call or result must be given an id: one that was read without needs none."""
    link = block.id if isinstance(block, am.ToolUseBlock) else block.tool_call_id
    if link is not None or block.kind == "server":
        return False
    return not (block.notes and (mark_of(block, FAMILY, "/no-id") or mark_of(block, FAMILY, "/legacy")))


# What stands behind thinking in an assistant's message, in the order in which it is read.
_SAID, _REFUSED, _SOUND, _CALLED = range(4)


class Layout:
    """The order of an assistant's blocks, and what there is room for once: one text a field of thinking, one sound.

    Args:
        place: the field for thinking that was not read from one.
        refusal_last: whether a refusal stands behind all content.
    """

    def __init__(self, place: str | None, *, refusal_last: bool = False) -> None:
        self._place = place
        self._refusal_last = refusal_last

    def picks(self, message: am.Msg) -> tuple[int, ...] | None:
        """Return the blocks that have room, in their order; None if they are all, as they stand."""
        content = message.content
        if message.role != "assistant" or not content:
            return None
        if len(content) == 1 and content[0].__class__ is not am.ThinkingBlock:
            return None
        kept = [*self._thoughts(content), *self._others(content)]
        return None if kept == list(range(len(content))) else tuple(kept)

    def _thoughts(self, content: Sequence[Any]) -> Iterator[int]:
        """Yield the thinking, the fullest field first.

        A second text of a field has no room, and one that only repeats the fullest field would be read as its copy.
        """
        thoughts = [(self._field(block), index) for index, block in enumerate(content) if _is_thinking(block)]
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
        """Return the number of the field that thinking stands in; -1 where it has none."""
        place = place_of(block, self._place)
        return -1 if place is None else REASONING_KEYS.index(place)

    def _others(self, content: Sequence[Any]) -> Iterator[int]:
        """Yield what else the message holds; of sound there is room for one."""
        ranks = {index: self._rank(block) for index, block in enumerate(content) if not _is_thinking(block)}
        sounds = [index for index, rank in ranks.items() if rank == _SOUND]
        others = set(sounds[1:])
        return (index for index in sorted(ranks, key=ranks.__getitem__) if index not in others)

    def _rank(self, block: Any) -> int:
        kind = block.__class__
        if is_native_entry(block) or (kind is am.ToolUseBlock and block.kind != "server"):
            return _CALLED
        if is_field_audio(block):
            return _SOUND
        # What was read in a list of content keeps its place there.
        return _REFUSED if kind is am.RefusalBlock and self._refusal_last and not is_odd(block) else _SAID


def _is_thinking(block: Any) -> bool:
    return block.__class__ is am.ThinkingBlock and not is_thinking_part(block)


def _cited_alone(messages: Messages) -> Callable[[am.Msg], Any]:
    """Return the rule that keeps citations where one text is all that an assistant's content says.

    Annotations count in its characters; a refusal in its own field is none of it.
    """

    def rule(message: am.Msg) -> Any:
        if not any(isinstance(block, am.TextBlock) and block.citations for block in message.content):
            return message
        said = [block for block in detached(message)[0].content if not is_beside(block)]
        is_apart = type(said[-1]) is am.RefusalBlock and messages.in_field(said[-1])
        if len(said) - is_apart <= 1:
            return message
        content = [
            block.evolve(citations=()) if isinstance(block, am.TextBlock) and block.citations else block
            for block in message.content
        ]
        return Swap(message.evolve(content=content), "annotations are of one text", "annotation")

    return rule


def is_beside(block: Any) -> bool:
    """Whether a block of an assistant stands beside its content: thinking, calls, sound."""
    is_apart = isinstance(block, am.ToolUseBlock) or _is_thinking(block)
    return is_apart or is_field_audio(block) or is_native_entry(block)


_DEVELOPER_ROLES = ("system", "developer")


def _extras(messages: Messages, role: str) -> Any:
    keys = messages.keys(role)
    return carried_extras((FAMILY, lambda message: keys | message_keys(message)), odd=messages.is_odd(role))


def message_rows(messages: Messages, assistant: MessageRow) -> Mapping[str, MessageRow]:
    """Return the rows of all roles."""
    described = messages.described
    texts = rows_of(described, "text")
    in_results = rows_of(described, "tool", why="a tool's result is text")
    return {
        **{
            role: MessageRow(fields={"name": KEEP, "extras": _extras(messages, role)}, blocks=texts)
            for role in _DEVELOPER_ROLES
        },
        "user": MessageRow(
            fields={"name": KEEP, "extras": _extras(messages, "user")}, blocks=rows_of(described, "user")
        ),
        "assistant": assistant,
        "tool": MessageRow(fields={"extras": _extras(messages, "tool")}, blocks=result_rows(), results=in_results),
        "native": rules.native_message_row(FAMILY, messages.read),
        ANY_ROLE: MessageRow(otherwise=rules.other_role),
    }


def _beside_messages(shapes: Mapping[str, Shape], history: am.History) -> frozenset[str]:
    own: Any = history.extras.get(FAMILY) or {}
    said = {key: thaw(own[key]) for key in ("tools", "functions") if key in own}
    # What would be read as tools is not what was read as something else.
    return may_write(history.tools) | read_tools(shapes, said)[1] | SETTINGS.taken(history) | {"messages"}


def make_caps(messages: Messages, *, as_text: bool, apart: bool = False) -> Caps:
    """Return the capability table of requests.

    Args:
        messages: the codec's reader and writer.
        as_text: whether thinking without a field is text, in tags.
        apart: whether the media of results stand in a user's message after them.
    """
    rows = assistant_rows(messages, "assistant", citations=request_citations, as_text=as_text)
    assistant = MessageRow(
        fields={"name": KEEP, "extras": _extras(messages, "assistant")}, blocks=rows, otherwise=_cited_alone(messages)
    )
    users = rows_of(messages.described, "user")
    return Caps(
        messages=message_rows(messages, assistant),
        apart={cls: users[cls] for cls in (am.ImageBlock, am.AudioBlock, am.FileBlock)} if apart else None,
        history={
            "tools": KEEP,
            "extras": carried_extras((FAMILY, lambda history: _beside_messages(messages.described.shapes, history))),
        },
        tools=tool_rows(messages.described),
        settings=ROW,
        arrange=(restructure.split_results, restructure.choose(Layout(messages.place).picks)),
        needs_id=needs_id,
        derives_names=True,
        drops_emptied=True,
    )
