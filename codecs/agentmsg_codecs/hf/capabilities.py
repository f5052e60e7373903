"""The capability table: what rows support, and the rules for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    KEEP,
    Caps,
    Drop,
    MessageRow,
    Row,
    Swap,
    cells,
    is_marked,
    natives,
    restructure,
    rules,
)
from agentmsg.formats.bodies import as_address
from agentmsg.formats.forms import Rows
from agentmsg_codecs.hf.format import is_entry, is_part, is_raw, is_value, place_of
from agentmsg_codecs.hf.messages import has_function_call
from agentmsg_codecs.hf.names import FAMILY, REASONING_KEYS

if TYPE_CHECKING:
    from agentmsg.formats import Cell
    from agentmsg_codecs.hf import HfCodec
    from agentmsg_codecs.hf.messages import Messages

_Rows = dict[type[Any], Row]


# -- blocks -----------------------------------------------------------------------------------------------------------


def _media(block: Any) -> Any:
    """Keep media with a URL or data."""
    return block if is_raw(block) else as_address(block)


def _rows(messages: Messages, place: str) -> _Rows:
    answers: Any = dict.fromkeys((am.ImageBlock, am.VideoBlock, am.AudioBlock), _media)
    return Rows(messages.described).place(place, answers)


def _assistant_rows(messages: Messages) -> _Rows:
    rows, described = _rows(messages, "assistant"), messages.described
    in_content = described.parts["assistant"].comes_back
    call, part = Rows(described).row("call", "flat_call"), rows[am.ToolUseBlock]
    thinking = rows[am.ThinkingBlock].fields["extras"]

    def either(name: str) -> Cell:
        return lambda value, block: (part if is_part(block) else call).fields[name](value, block)

    of_calls = {**call.fields, **{name: either(name) for name in ("raw_input", "extras")}}
    return {
        **rows,
        am.ToolUseBlock: Row(of_calls, rules.call_as_function, "kind"),
        am.ThinkingBlock: Row(
            {"thinking": KEEP, "extras": lambda value, block: thinking(value, block) if is_part(block) else {}},
            lambda block: _thinking(block, messages.reasoning),
        ),
        am.NativeBlock: rules.native_block_row(
            FAMILY, lambda block: messages.comes_back(block) if is_entry(block) else in_content(block)
        ),
    }


def _thinking(block: Any, default: str | None) -> Any:
    if is_part(block):
        return block
    if not block.thinking:
        return Drop("what only its provider can read has no place")
    return Drop("no place for thinking") if place_of(block, default) is None else block


# -- messages ---------------------------------------------------------------------------------------------------------


# The rank of what is among the calls.
_LAST = 2


def _rank(block: Any) -> int:
    kind = block.__class__
    if kind is am.ThinkingBlock:
        return 1 if is_part(block) else 0
    if kind is am.ToolUseBlock:
        return _LAST if block.kind != "server" and not is_part(block) else 1
    return _LAST if is_entry(block) else 1


class _Thoughts:
    """The rules for several blocks of thinking: each key holds one text.

    Args:
        default: the key for new thinking.
    """

    def __init__(self, default: str | None) -> None:
        self._default = default

    def _place(self, block: Any) -> str | None:
        is_thought = type(block) is am.ThinkingBlock and not is_part(block) and block.thinking
        return place_of(block, self._default) if is_thought else None

    def joined(self, left: Any, right: Any) -> Any:
        """Join two adjacent blocks of thinking."""
        if self._place(left) is None or self._place(right) is None:
            return None
        return left.evolve(thinking=f"{left.thinking}\n{right.thinking}")

    def rule(self, message: am.Msg) -> Any:
        """Join the thinking of a message, unless each block has its own key, in reading order."""
        places = [place for block in message.content if (place := self._place(block)) is not None]
        is_fine = places == sorted(set(places), key=REASONING_KEYS.index)
        return message if is_fine else Swap(message, "thinking is one text here", "annotation")


def _result(block: am.ToolResultBlock) -> Any:
    return block if is_value(block) else rules.structured_as_text(block)


_RESULT = Row(
    {"tool_call_id": KEEP, "name": KEEP, "structured": lambda value, block: value if is_value(block) else None},
    _result,
    ("structured", "error"),
)


def _as_written(message: am.Msg) -> am.Msg:
    """Return the message of a result with a name if one is written: also the one that it gets from its call."""
    block: Any = message.content[0] if message.content else None
    if not isinstance(block, am.ToolResultBlock) or not (block.name is None or isinstance(block.name, am.Made)):
        return message
    return message.evolve(content=(block.evolve(name=None if is_marked(block, FAMILY, "/no-name") else "tool"),))


def make_caps(codec: HfCodec) -> Caps:
    """Return the capability table."""
    messages = codec.engine
    rows = Rows(messages.described)
    of_result, of_answer = rows.message("tool_message"), rows.message("assistant_message")
    plain, thoughts = _rows(messages, "plain"), _Thoughts(messages.reasoning)

    def result_extras(value: Any, message: am.Msg) -> Any:
        return of_result["extras"](value, _as_written(message))

    def answer_extras(value: Any, message: am.Msg) -> Any:
        # Thinking in front of a text takes no key.
        return of_answer["extras"](value, messages.put_back(message))

    def read_as_call(own: Any, message: am.Msg) -> tuple[str, ...]:
        is_free = not has_function_call(own) or any(_rank(block) == _LAST for block in message.content)
        return () if is_free else ("function_call",)

    return Caps(
        messages={
            **{
                role: MessageRow(fields=rows.message(f"{role}_message"), blocks=plain)
                for role in ("system", "developer", "user")
            },
            "assistant": MessageRow(
                fields={**of_answer, "extras": cells.without(answer_extras, FAMILY, read_as_call)},
                blocks=_assistant_rows(messages),
                otherwise=thoughts.rule,
                concerns=am.ThinkingBlock,
                joins=thoughts.joined,
            ),
            "tool": MessageRow(
                fields={**of_result, "extras": result_extras},
                blocks={am.ToolResultBlock: _RESULT},
                results=_rows(messages, "tool"),
            ),
            **rules.other_rows(FAMILY, messages.read),
        },
        history={"tools": KEEP, "extras": codec.extras_cell()},
        tools=messages.tools.rows(),
        arrange=(restructure.split_results, restructure.order("assistant", _rank)),
        needs_id=natives.lacks_id(FAMILY),
        derives_names=True,
        drops_emptied=True,
    )
