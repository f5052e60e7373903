"""The capability table: what turns support, and the rules for the rest."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import agentmsg as am
import agentmsg_codecs.sharegpt.values as own_values
from agentmsg import thaw
from agentmsg.formats import (
    KEEP,
    Caps,
    Drop,
    MessageRow,
    Row,
    Swap,
    carried_extras,
    cells,
    is_marked,
    natives,
    restructure,
    rules,
    usually,
)
from agentmsg.formats.bodies import RowCodec, as_address
from agentmsg.formats.forms import Rows
from agentmsg_codecs.sharegpt.links import relinked
from agentmsg_codecs.sharegpt.media import one_kind, token_of
from agentmsg_codecs.sharegpt.messages import DESCRIBED, TOOLS, read_beside, read_turn
from agentmsg_codecs.sharegpt.names import FAMILY, LINK, PAIRED

if TYPE_CHECKING:
    from collections.abc import Callable


_TURN_KEYS = frozenset({"from", "value"})


# -- blocks -----------------------------------------------------------------------------------------------------------


def _plain(text: str) -> str:
    return text


def _text_row(said: Callable[[str], str]) -> Row:
    """Return the row of texts.

    Args:
        said: changes a text so that all of it is read as text; one without ``<`` is.
    """

    def rule(block: am.TextBlock) -> Any:
        text = block.text
        if text and "<" not in text:
            return block
        if not text:
            return Drop("it holds no text", "annotation")
        new = said(text)
        return block if new == text else Swap(block.evolve(text=new), "this would be read as something else")

    return Row({"text": KEEP}, rule)


def _thinking(block: am.ThinkingBlock) -> Any:
    thought = own_values.thinkable(block.thinking)
    if not thought.strip("\n"):
        return Drop("this thinking has no readable text")
    if thought == block.thinking:
        return block
    return Swap(block.evolve(thinking=thought), "a closing tag would end it early")


def _media(block: Any) -> Any:
    """Keep media with a URL or data."""
    return as_address(block, is_empty=False)


def _result(block: am.ToolResultBlock) -> Any:
    """Keep a result that is one text."""
    if len(block.content) == 1 and type(block.content[0]) is am.TextBlock:
        return block
    answer = rules.structured_as_text(block)
    new, level = answer.new if isinstance(answer, Swap) else block, "annotation"
    if len(new.content) > 1 or any(type(item) is not am.TextBlock for item in new.content):
        texts = list(map(rules.as_text, new.content))
        level = "content" if None in texts else level
        new = new.evolve(content="\n".join(text.text for text in texts if text is not None and text.text))
    return block if new is block else Swap(new, "a result is one text here", level)  # type: ignore[arg-type]


def _comes_back(block: am.NativeBlock) -> am.NativeBlock | None:
    return am.NativeBlock(FAMILY, block.value) if token_of(block) is not None else None


def _raw_input(text: str, block: am.ToolUseBlock) -> str | None:
    is_text = is_marked(block, FAMILY, "/text")
    return text if is_text or block.significant_text is None or not block.is_valid else None


@usually("True")
def _link(link: str, block: Any) -> str | None:
    """Keep an id until ``relinked`` knows the order of all messages."""
    return link


def _keys_of_link(_: Any, message: am.Msg) -> tuple[str, ...]:
    return () if message.tool_call_id is None else (LINK,)


_MEDIA_ROWS = dict.fromkeys((am.ImageBlock, am.VideoBlock, am.AudioBlock), Row({"source": KEEP}, _media))
_CALL = Row({"id": _link, "name": KEEP, "input": KEEP, "raw_input": _raw_input}, rules.call_as_function, "kind")
_NOWHERE = Row({}, rules.native_as_text)


def _rows(said: Callable[[str], str]) -> dict[type[Any], Row]:
    return {**rules.TEXT_ROWS, am.TextBlock: _text_row(said), am.NativeBlock: _NOWHERE}


# -- messages ---------------------------------------------------------------------------------------------------------


def _rank(block: Any) -> int:
    kind = block.__class__
    if kind is am.ThinkingBlock:
        return 0
    return 2 if kind is am.ToolUseBlock and block.kind != "server" else 1


def _turn_keys(message: am.Msg) -> frozenset[str]:
    """Return the keys that the extras of a message must not use: calls beside its text would be read as calls."""
    own = natives.extras_of(message, FAMILY)
    if message.role != "assistant" or "tool_calls" not in own or read_beside({**thaw(own), "value": ""}) is None:
        return _TURN_KEYS
    return _TURN_KEYS | {"tool_calls"}


def _message_row(rows: dict[type[Any], Row], said: Callable[[str], str]) -> MessageRow:
    def joined(left: Any, right: Any) -> Any:
        if type(left) is not am.TextBlock or type(right) is not am.TextBlock:
            return None
        return left.evolve(text=said(f"{left.text}\n{right.text}"))

    def rule(message: am.Msg) -> Any:
        if len(message.content) <= 1:
            return message
        are_texts = [block.__class__ is am.TextBlock for block in message.content]
        # Media may stand between the texts of a user; everything else stands before or after the only text.
        is_beside = [left and right for left, right in pairwise(are_texts)]
        is_split = any(is_beside) if message.role == "user" else are_texts.count(True) > 1
        return Swap(message, "a turn is one text here", "annotation") if is_split else message

    fields = {"extras": carried_extras((FAMILY, _turn_keys))}
    return MessageRow(fields=fields, blocks=rows, otherwise=rule, joins=joined)


def make_caps(codec: RowCodec) -> Caps:
    """Return the capability table."""
    system = _message_row(_rows(_plain), _plain)
    kept = rules.native_block_row(FAMILY, _comes_back)
    user = {**_rows(own_values.asked), **_MEDIA_ROWS, am.NativeBlock: kept}
    thinking = Row({"thinking": KEEP}, _thinking)
    result = Rows(DESCRIBED).message("tool")
    answer = {**_rows(own_values.spoken), am.ThinkingBlock: thinking, am.ToolUseBlock: _CALL}
    return Caps(
        messages={
            "system": system,
            "developer": MessageRow(otherwise=rules.role_rule("system")),
            "user": _message_row(user, own_values.asked),
            "assistant": _message_row(answer, own_values.spoken),
            "tool": MessageRow(
                fields={**result, "extras": cells.without(result["extras"], FAMILY, _keys_of_link)},
                blocks={am.ToolResultBlock: Row({"tool_call_id": _link}, _result)},
                results={am.TextBlock: _text_row(_plain)},
            ),
            **rules.other_rows(FAMILY, read_turn),
        },
        history={"tools": KEEP, "extras": codec.extras_cell(PAIRED)},
        tools=TOOLS.rows(),
        arrange=(restructure.split_results, restructure.order("assistant", _rank), one_kind),
        derives_names=True,
        relink=relinked,
        drops_emptied=True,
    )
