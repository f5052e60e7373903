"""The capability table: what Riffer's messages carry, and what becomes of the rest. Imports messages and below."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.arrange import choose, split_results
from agentmsg.caps import ANY_ROLE, KEEP, Caps, Cell, Drop, MessageRow, Row, Swap, carried_extras
from agentmsg.json_text import dump_json
from agentmsg.json_values import EMPTY
from agentmsg.plain import class_of
from agentmsg.rules import (
    audio_as_text,
    compaction_as_text,
    custom_as_function,
    data_as_text,
    document_as_text,
    native_blocks,
    native_messages,
    other_role,
    refusal_as_text,
    result_as_text,
    role_rule,
    server_as_text,
    source_as_text,
)
from agentmsg.shapes import mark_of
from agentmsg_codecs.riffer.calls import CALL_KEYS, needs_id, unambiguous
from agentmsg_codecs.riffer.files import file_rows
from agentmsg_codecs.riffer.messages import KEYS, RAW, item_comes_back
from agentmsg_codecs.riffer.reasoning import thinking_row
from agentmsg_codecs.riffer.usage import carried_finish, carried_usage
from agentmsg_codecs.riffer.words import CONTAINERS, FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg_codecs.riffer.messages import Messages

__all__ = ["make_caps"]

Rows = dict[type[am.BaseBlock], Row]


# -- blocks -----------------------------------------------------------------------------------------------------------


def _no_call(block: Any) -> Any:
    answer = server_as_text(block)
    return Drop("no place for tools here") if answer is block else answer


def _no_result(block: Any) -> Any:
    answer = server_as_text(block)
    return result_as_text(block) if answer is block else answer


def _only_text(block: am.FileBlock) -> Any:
    answer = document_as_text(block)
    return Drop("only text here") if answer is block else answer


def _with_words(block: am.TextBlock) -> Any:
    return block if block.text else Drop("there are no words in it", "annotation")


# What is told in words, and how.
_AS_TEXT: Mapping[type[am.BaseBlock], Callable[[Any], Any]] = {
    am.AudioBlock: audio_as_text,
    am.CompactionBlock: compaction_as_text,
    am.DataBlock: data_as_text,
    am.FileBlock: _only_text,
    am.RefusalBlock: refusal_as_text,
    am.SourceBlock: source_as_text,
    am.ToolUseBlock: _no_call,
    am.ToolResultBlock: _no_result,
}


def _word_rows(role: str) -> Rows:
    return {
        **{cls: Row({}, rule) for cls, rule in _AS_TEXT.items()},
        am.TextBlock: Row({"text": KEEP}, _with_words),
        am.NativeBlock: Row(
            {"codec": KEEP, "value": KEEP, "fallback": KEEP}, native_blocks(FAMILY, item_comes_back(role))
        ),
    }


def _call(block: am.ToolUseBlock) -> Any:
    return server_as_text(block) if block.kind == "server" else custom_as_function(block)


def _item_id(own: str, block: am.ToolUseBlock) -> str | None:
    return own if own and own != block.id else None


def _assistant_rows() -> Rows:
    cells: dict[str, Cell] = dict.fromkeys(("id", "name", "input", "raw_input"), KEEP)
    cells |= {"item_id": _item_id, "extras": carried_extras((FAMILY, lambda _: CALL_KEYS))}
    return {
        **_word_rows("assistant"),
        am.ThinkingBlock: thinking_row(),
        am.ToolUseBlock: Row({**cells, "kind": lambda _, __: "function"}, _call),
    }


# -- results ----------------------------------------------------------------------------------------------------------


def _text_of(block: Any) -> str:
    """Return the words of a block inside a result, or none."""
    if isinstance(block, am.NativeBlock):
        return block.fallback or ""
    rule = _AS_TEXT.get(class_of(block))
    answer = block if rule is None else rule(block)
    new = answer.new if isinstance(answer, Swap) else answer
    return new.text if isinstance(new, am.TextBlock) else ""


def _result(block: am.ToolResultBlock) -> Any:
    """Carry a result that is one text; that it failed is told in the error, so there must be one."""
    changes: dict[str, Any] = {}
    lost = False
    if not block.content and block.structured is not None:
        changes = {"content": dump_json(block.structured).decode(), "structured": None}
    elif any(type(item) is not am.TextBlock for item in block.content) or len(block.content) > 1:
        texts = list(map(_text_of, block.content))
        lost = any(not text and type(item) is not am.TextBlock for item, text in zip(block.content, texts, strict=True))
        changes["content"] = "\n".join(filter(None, texts))
    if block.error is None and block.is_error:
        changes |= {"error": changes.get("content") or block.text or block.status, "status": None}
    if not changes:
        return block
    return Swap(
        block.evolve(**changes), "a result is one text here, and perhaps an error", "content" if lost else "annotation"
    )


def _error_type(word: str, block: am.ToolResultBlock) -> str | None:
    return word if block.error is not None else None


# -- messages ---------------------------------------------------------------------------------------------------------


def _rank(block: Any, role: str) -> int:
    kind = class_of(block)
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
    order = sorted(range(len(content)), key=lambda index: _rank(content[index], role))
    return None if order == list(range(len(content))) else tuple(order)


def _joined(left: Any, right: Any) -> Any:
    """Return the one text that two neighbours are."""
    if type(left) is not am.TextBlock or type(right) is not am.TextBlock:
        return None
    return left.evolve(text=f"{left.text}\n{right.text}")


def _one_text(message: am.Msg) -> Any:
    """Carry a message that has one text."""
    content = message.content
    if len(content) > 1 and sum(type(block) is am.TextBlock for block in content) > 1:
        return Swap(message, "content is one text here", "annotation")
    return message


def _time(time: datetime, message: am.Msg) -> datetime | None:
    """Carry a time where one was read: the library tells none."""
    if mark_of(message, FAMILY, "/time") is not True:
        return None
    return time if type(time) is datetime else datetime.combine(time.date(), time.timetz())


def _response(metadata: Mapping[str, Any], _: Any) -> Mapping[str, Any]:
    raw = metadata.get(RAW)
    if not isinstance(raw, str):
        return EMPTY
    return metadata if len(metadata) == 1 else {RAW: raw}


_DEVELOPER = role_rule("system")


def _other(message: am.Msg) -> Any:
    return _DEVELOPER(message) if message.role == "developer" else other_role(message)


def _fields(role: str, **fields: Cell) -> Mapping[str, Cell]:
    keys = KEYS[role]
    return {"id": KEEP, "created_at": _time, "extras": carried_extras((FAMILY, lambda _: keys)), **fields}


def make_caps(messages: Messages) -> Caps:
    """Return the capability table, with what reads native messages."""
    native: Rows = {am.NativeBlock: Row({"codec": KEEP, "value": KEEP, "fallback": KEEP})}
    result = Row({"tool_call_id": KEEP, "name": KEEP, "error": KEEP, "error_type": _error_type}, _result)
    answer = _fields(
        "assistant", structured=KEEP, usage=carried_usage, finish_reason=carried_finish, response_metadata=_response
    )

    def row(fields: Mapping[str, Cell], blocks: Rows) -> MessageRow:
        return MessageRow(fields=fields, blocks=blocks, otherwise=_one_text, joins=_joined)

    return Caps(
        messages={
            "system": row(_fields("system"), _word_rows("system")),
            "user": row(_fields("user"), {**_word_rows("user"), **file_rows()}),
            "assistant": row(answer, _assistant_rows()),
            "tool": MessageRow(
                fields=_fields("tool"),
                blocks={am.ToolResultBlock: result},
                results={am.TextBlock: _word_rows("tool")[am.TextBlock]},
            ),
            "native": MessageRow(blocks=native, otherwise=native_messages(FAMILY, messages.read)),
            ANY_ROLE: MessageRow(otherwise=_other),
        },
        history=CONTAINERS.cells(),
        arrange=(split_results, choose(_layout), unambiguous),
        needs_id=needs_id,
    )
