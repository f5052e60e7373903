"""The capability table: what Riffer's messages support, and what becomes of the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    ANY_ROLE,
    EMPTY,
    KEEP,
    Caps,
    Cell,
    Drop,
    MessageRow,
    Row,
    Swap,
    carried_extras,
    dispatch,
    dump_json,
    is_marked,
    restructure,
    rules,
)
from agentmsg_codecs.riffer.calls import CALL_KEYS, needs_id, unambiguous
from agentmsg_codecs.riffer.files import file_rows
from agentmsg_codecs.riffer.messages import KEYS, RAW, item_comes_back
from agentmsg_codecs.riffer.names import CONTAINERS, FAMILY
from agentmsg_codecs.riffer.reasoning import thinking_row
from agentmsg_codecs.riffer.usage import carried_finish, carried_usage

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from agentmsg_codecs.riffer.messages import Messages


Rows = dict[type[am.BaseBlock], Row]


# -- blocks -----------------------------------------------------------------------------------------------------------


def _with_words(block: am.TextBlock) -> Any:
    return block if block.text else Drop("there are no words in it", "annotation")


def _word_rows(role: str) -> Rows:
    return {
        **rules.TEXT_ROWS,
        am.TextBlock: Row({"text": KEEP}, _with_words),
        am.NativeBlock: rules.native_block_row(FAMILY, item_comes_back(role)),
    }


def _item_id(own: str, block: am.ToolUseBlock) -> str | None:
    return own if own and own != block.id else None


def _assistant_rows() -> Rows:
    cells: dict[str, Cell] = dict.fromkeys(("id", "name", "input", "raw_input"), KEEP)
    cells |= {"item_id": _item_id, "extras": carried_extras((FAMILY, lambda _: CALL_KEYS))}
    return {
        **_word_rows("assistant"),
        am.ThinkingBlock: thinking_row(),
        am.ToolUseBlock: Row({**cells, "kind": lambda _, __: "function"}, rules.call_as_function),
    }


# -- results ----------------------------------------------------------------------------------------------------------


def _result(block: am.ToolResultBlock) -> Any:
    """Keep a result that is one text; that it failed is told in the error, so there must be one."""
    changes: dict[str, Any] = {}
    lost = False
    if not block.content and block.structured is not None:
        changes = {"content": dump_json(block.structured).decode(), "structured": None}
    elif any(type(item) is not am.TextBlock for item in block.content) or len(block.content) > 1:
        texts = list(map(rules.as_text, block.content))
        lost = any(text is None for text in texts)
        changes["content"] = "\n".join(text.text for text in texts if text is not None and text.text)
    if block.error is None and block.is_error:
        changes |= {"error": changes.get("content") or block.text or block.status, "status": None}
    if not changes:
        return block
    return Swap(
        block.evolve(**changes), "a result is one text here, and perhaps an error", "content" if lost else "annotation"
    )


# -- messages ---------------------------------------------------------------------------------------------------------


def _rank(block: Any, role: str) -> int:
    kind = dispatch.class_of(block)
    is_own = kind is am.NativeBlock and block.codec == FAMILY
    if role == "user":
        is_file = kind is am.ImageBlock or (kind is am.FileBlock and not isinstance(block.source, am.BlocksSource))
        return 1 if is_file or is_own else 0
    if kind is am.ThinkingBlock or is_own:
        return 0
    return 2 if kind is am.ToolUseBlock and block.kind != "server" else 1


def _layout(message: am.Msg) -> tuple[int, ...] | None:
    """Return the blocks in the order in which they are read: what was thought, the text, calls or files."""
    # What stands beside results in a tool message becomes a user's.
    content, role = message.content, "user" if message.role == "tool" else message.role
    if len(content) <= 1 or role not in ("user", "assistant"):
        return None
    return restructure.in_order(content, lambda block: _rank(block, role))


def _joined(left: Any, right: Any) -> Any:
    """Return the one text that two neighbours are."""
    if type(left) is not am.TextBlock or type(right) is not am.TextBlock:
        return None
    return left.evolve(text=f"{left.text}\n{right.text}")


def _one_text(message: am.Msg) -> Any:
    """Keep a message that has one text."""
    content = message.content
    if len(content) > 1 and sum(type(block) is am.TextBlock for block in content) > 1:
        return Swap(message, "content is one text here", "annotation")
    return message


def _time(time: datetime, message: am.Msg) -> datetime | None:
    """Keep a time where one was read: the library tells none."""
    return time if is_marked(message, FAMILY, "/time") else None


def _response(metadata: Mapping[str, Any], _: Any) -> Mapping[str, Any]:
    raw = metadata.get(RAW)
    if not isinstance(raw, str):
        return EMPTY
    return metadata if len(metadata) == 1 else {RAW: raw}


def _fields(messages: Messages, role: str, **fields: Cell) -> Mapping[str, Cell]:
    keys = KEYS[role]
    extras = carried_extras((FAMILY, lambda _: keys), odd=messages.is_odd)
    return {"id": KEEP, "created_at": _time, "extras": extras, **fields}


def make_caps(messages: Messages) -> Caps:
    """Return the capability table, with what reads native messages."""
    result = Row({"tool_call_id": KEEP, "name": KEEP, "error": KEEP, "error_type": KEEP}, _result)
    answer = _fields(
        messages,
        "assistant",
        structured=KEEP,
        usage=carried_usage(),
        finish_reason=carried_finish,
        response_metadata=_response,
    )

    def row(fields: Mapping[str, Cell], blocks: Rows) -> MessageRow:
        return MessageRow(fields=fields, blocks=blocks, otherwise=_one_text, joins=_joined)

    return Caps(
        messages={
            "system": row(_fields(messages, "system"), _word_rows("system")),
            "developer": MessageRow(otherwise=rules.role_rule("system")),
            "user": row(_fields(messages, "user"), {**_word_rows("user"), **file_rows()}),
            "assistant": row(answer, _assistant_rows()),
            "tool": MessageRow(
                fields=_fields(messages, "tool"),
                blocks={am.ToolResultBlock: result},
                results={am.TextBlock: _word_rows("tool")[am.TextBlock]},
            ),
            "native": rules.native_message_row(FAMILY, messages.read),
            ANY_ROLE: MessageRow(otherwise=rules.other_role),
        },
        history=CONTAINERS.cells(),
        arrange=(restructure.split_results, restructure.choose(_layout), unambiguous),
        needs_id=needs_id,
    )
