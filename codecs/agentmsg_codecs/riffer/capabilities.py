"""The capability table: what Riffer's messages support, and the rules for the rest."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import agentmsg as am
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
    dispatch,
    dump_json,
    natives,
    restructure,
    rules,
)
from agentmsg.formats.forms import Rows as FormRows
from agentmsg_codecs.riffer.calls import needs_id, unambiguous
from agentmsg_codecs.riffer.files import carried_file
from agentmsg_codecs.riffer.format import DESCRIBED, FILES, REQUIRED, kept
from agentmsg_codecs.riffer.names import CONTAINERS, FAMILY
from agentmsg_codecs.riffer.reasoning import PART, TYPES, carried_signature, carried_thinking, taken_in_part

if TYPE_CHECKING:
    from agentmsg.formats import Cell
    from agentmsg_codecs.riffer import RifferCodec


Rows = dict[type[am.BaseBlock], Row]
_ROWS = FormRows(DESCRIBED)


# -- blocks -----------------------------------------------------------------------------------------------------------


def _not_empty(block: am.TextBlock) -> Any:
    return block if block.text else Drop("the text is empty", "annotation")


def _text_rows(*items: str) -> Rows:
    """Return the rows of text, and of native blocks among items of some forms."""
    names = DESCRIBED.names

    def comes_back(block: am.NativeBlock) -> am.NativeBlock | None:
        """Write a native block and read it again; return None if it becomes another block."""
        back = kept(thaw(block.value), names.scope[names.reader(items)]) if items else None
        return back if type(back) is am.NativeBlock else None

    return {
        **rules.TEXT_ROWS,
        am.TextBlock: Row({"text": KEEP}, _not_empty),
        am.NativeBlock: rules.native_block_row(FAMILY, comes_back),
    }


def _user_rows() -> Rows:
    def row(name: str, cls: type[am.BaseBlock]) -> Row:
        return _ROWS.row(f"{name}_url", f"{name}_data", rules={cls: carried_file}, source=KEEP)

    return {
        **_text_rows(*FILES),
        am.ImageBlock: row("image", am.ImageBlock),
        am.FileBlock: row("file", am.FileBlock),
    }


def _item_id(own: str, block: am.ToolUseBlock) -> str | None:
    return own if own and own != block.id else None


def _assistant_rows() -> Rows:
    keys = DESCRIBED.forms["text"].keys
    extras = carried_extras((PART, taken_in_part), (FAMILY, lambda _: keys))
    answers: Any = {am.ThinkingBlock: carried_thinking, am.ToolUseBlock: rules.call_as_function}
    return {
        **_text_rows(*TYPES),
        am.ThinkingBlock: _ROWS.row(*TYPES, rules=answers, signature=carried_signature, extras=extras),
        am.ToolUseBlock: _ROWS.row("call", "other_call", rules=answers, item_id=_item_id, kind=cells.kinds()),
    }


# -- results ----------------------------------------------------------------------------------------------------------


def _result(block: am.ToolResultBlock) -> Any:
    """Keep a result that is one text; a failed one needs an error, which alone shows the failure."""
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


def _rank(role: str, block: Any) -> int:
    """Return the place of a block in the order of reading: thinking, the text, then calls or files."""
    kind = dispatch.class_of(block)
    is_own = kind is am.NativeBlock and block.codec == FAMILY
    if role != "assistant":  # other blocks in a tool message become a user's
        is_file = kind is am.ImageBlock or (kind is am.FileBlock and not isinstance(block.source, am.BlocksSource))
        return 1 if is_file or is_own else 0
    if kind is am.ThinkingBlock or is_own:
        return 0
    return 2 if kind is am.ToolUseBlock and block.kind != "server" else 1


def _one_text(message: am.Msg) -> Any:
    """Keep a message unless it has several texts."""
    content = message.content
    if len(content) > 1 and sum(type(block) is am.TextBlock for block in content) > 1:
        return Swap(message, "content is one text here", "annotation")
    return message


def _result_extras() -> Cell:
    form, is_odd = DESCRIBED.forms["tool"], natives.odd_at(DESCRIBED.shapes["tool"], FAMILY)

    def stays(message: am.Msg, key: str, value: Any) -> bool:
        # Beside an error, its type is always written.
        return not (key == "error_type" and message.is_error) and is_odd(message, key, value)

    return carried_extras((FAMILY, lambda _: form.keys), odd=stays)


def make_caps(codec: RifferCodec) -> Caps:
    """Return the capability table."""
    result = Row({"tool_call_id": KEEP, "name": KEEP, "error": KEEP, "error_type": KEEP}, _result)
    usage = cells.usage(_ROWS.row("usage").fields, needs=tuple(REQUIRED.values()), family=FAMILY)

    def row(role: str, blocks: Rows, **cells: Cell) -> MessageRow:
        return MessageRow(
            fields=_ROWS.message(role, **cells), blocks=blocks, otherwise=_one_text, joins=rules.joined_texts
        )

    return Caps(
        messages={
            "system": row("system", _text_rows()),
            "developer": MessageRow(otherwise=rules.role_rule("system")),
            "user": row("user", _user_rows()),
            "assistant": row("assistant", _assistant_rows(), usage=usage),
            "tool": MessageRow(
                fields=_ROWS.message("tool", extras=_result_extras()),
                blocks={am.ToolResultBlock: result},
                results={am.TextBlock: _text_rows()[am.TextBlock]},
            ),
            **rules.other_rows(FAMILY, codec.engines["latest"].read),
        },
        history=CONTAINERS.cells(),
        arrange=(
            restructure.split_results,
            *(restructure.order(role, partial(_rank, role)) for role in ("user", "assistant", "tool")),
            unambiguous,
        ),
        needs_id=needs_id,
    )
