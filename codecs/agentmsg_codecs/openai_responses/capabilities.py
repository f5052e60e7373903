"""The capability table: what requests and responses support, and the rules for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
import agentmsg_codecs.openai_responses.rules as own
from agentmsg.formats import (
    KEEP,
    Caps,
    Cell,
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
    speed,
)
from agentmsg.formats.bodies import native_tool_row, says_no_tools
from agentmsg.formats.forms import Each, Nested, Rows
from agentmsg_codecs.openai_responses.format import CITATIONS, OUTPUTS
from agentmsg_codecs.openai_responses.item_keys import own_id
from agentmsg_codecs.openai_responses.items import has_tools
from agentmsg_codecs.openai_responses.message_items import MESSAGE_KEYS, SAID_KEYS, TOOLS_KEYS, is_decision, is_phase
from agentmsg_codecs.openai_responses.names import BODY_KEYS, CLIENT_TOOLS, FAMILY, ITEM
from agentmsg_codecs.openai_responses.outcomes import call_extras, placed, result_cells
from agentmsg_codecs.openai_responses.ran import as_clients, as_item, item_cells, kind_of, split_ran
from agentmsg_codecs.openai_responses.settings import SETTINGS
from agentmsg_codecs.wire.hosted_tools import same_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg_codecs.openai_responses import OpenAIResponsesCodec
    from agentmsg_codecs.openai_responses.items import Items

_SPECS = ("tool", "custom_tool")


# -- what message items say beside their parts ------------------------------------------------------------------------


def _is_odd_word(owner: Any, key: str, value: Any) -> bool:
    """Whether an extra under a key of message items is read as one: a word that the schema doesn't have."""
    if key == "status":
        return bool(value != "completed")
    return key == "phase" and owner.phase is None and not is_phase(value)


def _is_odd_status(message: am.Msg, key: str, value: Any) -> bool:
    return key == "status" and bool(value != "completed") and not has_tools(message)


def _message_keys(message: am.Msg) -> frozenset[str]:
    if has_tools(message):
        return TOOLS_KEYS
    return SAID_KEYS if message.role == "assistant" else MESSAGE_KEYS


_EXTRAS = carried_extras((FAMILY, _message_keys), odd=_is_odd_status)
# What stands inside results of tools that OpenAI runs.
SERVED_RESULTS: dict[type[Any], Row] = {am.TextBlock: Row({"text": KEEP}), am.ImageBlock: Row({"source": KEEP})}

# The rule for messages with such results, and the class of block that it concerns.
PLACED: Any = {"otherwise": placed(own.is_served), "concerns": (am.ToolResultBlock, am.ApprovalRequestBlock)}
_ITEM_EXTRAS = carried_extras((ITEM, lambda _: SAID_KEYS), odd=_is_odd_word)


def _run_extras(extras: Any, message: am.Msg) -> Any:
    """Keep the extras of an item without content; a run of items has none."""
    return {} if message.content else _EXTRAS(extras, message)


def _run_id(value: str, message: am.Msg) -> str | None:
    """Keep the id of an item without content that was read; those of a run are on its blocks.

    Other providers' ids of answers may begin like those of items.
    """
    return value if not message.content and is_marked(message, FAMILY, "/id") else None


# -- rows -------------------------------------------------------------------------------------------------------------


def run_rows(
    items: Items,
    comes_back: Callable[[am.NativeBlock], am.NativeBlock | None],
    *,
    thinking: str | None,
    is_answer: bool = False,
) -> dict[type[Any], Row]:
    """Return the rows of what the assistant's side says.

    Args:
        items: the codec's reader and writer.
        comes_back: tells what is read where a native block is written.
        thinking: what becomes of thinking that OpenAI can't go on from: "drop" or "text".
        is_answer: whether texts and refusals are always parts, with all that parts say.
    """
    made = Rows(items.items)
    answers: Any = {
        am.ThinkingBlock: own.thinking_rule(thinking),
        am.ToolUseBlock: ((as_item if is_answer else as_clients)(own.call), "kind"),
        am.ToolResultBlock: own.server_result,
        am.CompactionBlock: own.compaction,
        am.ImageBlock: own.made,
    }
    others = {**rules.TEXT_ROWS, am.NativeBlock: rules.native_block_row(FAMILY, comes_back)}
    rows = made.place("items", answers, others)
    parts: Any = {} if is_answer else {am.TextBlock: own.text, am.RefusalBlock: own.refusal}

    def part(name: str, **cited: Cell) -> Row:
        item_id = own.answer_id if is_answer else own.message_id
        row = made.row(name, rules=parts, item_id=item_id, phase=own.phase, **cited)
        return row.having(extras=cells.together(row.fields["extras"], _ITEM_EXTRAS))

    call, result = rows[am.ToolUseBlock], rows[am.ToolResultBlock]
    call = call.having(kind=cells.kinds("custom", "server", *CLIENT_TOOLS), extras=call_extras(call.fields["extras"]))
    result = result.having(**result_cells(result.fields))
    if is_answer:
        call = call.having(**item_cells(call.fields, call.fields))
        result = _given_row(result, _result_row(items))
    return {
        **rows,
        am.TextBlock: part("output_text", citations=_cited(own.part_citations if is_answer else own.citations, made)),
        am.RefusalBlock: part("refusal"),
        am.ApprovalRequestBlock: Row(
            {"id": KEEP, "tool_call_id": lambda value, block: value if value == block.id else None}
        ),
        am.ToolUseBlock: call,
        am.ToolResultBlock: result,
    }


def _result_row(items: Items) -> Row:
    """Return the row of results that clients give."""
    return Rows(items.inputs).row(
        *(form.name for form in OUTPUTS),
        rules={am.ToolResultBlock: (as_clients(own.result), ("structured", "error", "kind"))},
        kind=cells.kinds("custom", *CLIENT_TOOLS),
    )


def _given_row(served: Row, given: Row) -> Row:
    """Return the row of the results in a response: of tools that OpenAI runs, and of functions that a server ran."""

    def rule(block: am.ToolResultBlock) -> Any:
        return own.server_result(block) if kind_of(block) is None else as_item(own.result)(block)

    return Row(item_cells(served.fields, given.fields), rule)


def _cited(supported: Cell, made: Rows) -> Cell:
    """Return the cell of citations: those that are supported, as their forms say."""
    each = Each(Nested(tuple(form.name for form in CITATIONS))).cell(made)

    def cell(value: Any, block: Any) -> Any:
        return each(supported(value, block), block)

    return cell


def input_rows(items: Items, place: str) -> dict[type[Any], Row]:
    """Return the rows of what users give, or of what is in results ("inner")."""
    others = {**rules.TEXT_ROWS, am.NativeBlock: rules.native_block_row(FAMILY, items.inputs.parts[place].comes_back)}
    answers: Any = {
        am.ImageBlock: own.image, am.FileBlock: own.file, am.AudioBlock: own.sound, am.VideoBlock: own.video,
    }  # fmt: skip
    return Rows(items.inputs).place(place, answers, others)


def _system(message: am.Msg) -> Any:
    """Keep instructions; tools that arrive are an item by themselves, the developer's."""
    if not any(type(block) is am.ToolsBlock for block in message.content):
        return message
    why = "tools arrive in an item of their own, from the developer"
    if not has_tools(message):
        rest = tuple(block for block in message.content if type(block) is not am.ToolsBlock)
        return Swap(message.evolve(content=rest), why)
    return message if message.role == "developer" else Swap(message.evolve(role="developer"), why, "annotation")


def _of_openai(block: am.ApprovalResponseBlock) -> Any:
    return block if block.kind == "server" else Drop("OpenAI is told only what was decided on tools that it runs")


def _not_of_decisions(cell: Cell) -> Cell:
    """Return the cell of messages that aren't a decision, whose item says nothing of its message."""
    return lambda value, message: None if is_decision(message) else cell(value, message)


def _says_nothing(history: am.History, key: str, value: Any) -> bool:
    """Whether instructions or tools are an extra: they are none."""
    if key == "instructions":
        return type(value) is not str or not value
    return says_no_tools(history, key, value)


needs_id = natives.lacks_id(FAMILY)


def make_caps(codec: OpenAIResponsesCodec) -> Caps:
    """Return the capability table of requests."""
    items = codec.engine
    fields: dict[str, Cell] = {"id": own_id("message"), "extras": _EXTRAS}
    tools = Row({"tools": carried_tools(items)})
    system = MessageRow(fields=fields, blocks={**input_rows(items, "text"), am.ToolsBlock: tools}, otherwise=_system)
    result = _result_row(items)
    decision = Rows(items.inputs).row("decision", rules={am.ApprovalResponseBlock: _of_openai})
    return Caps(
        messages={
            "system": system,
            "developer": system,
            "user": MessageRow(
                fields={name: _not_of_decisions(cell) for name, cell in fields.items()},
                blocks={**input_rows(items, "user"), am.ApprovalResponseBlock: decision},
            ),
            "assistant": MessageRow(
                fields={"id": _run_id, "extras": _run_extras},
                blocks=run_rows(items, items.block_of, thinking=codec.thinking),
                results=SERVED_RESULTS,
                **PLACED,
            ),
            "tool": MessageRow(blocks={am.ToolResultBlock: result}, results=input_rows(items, "inner")),
            **rules.other_rows(FAMILY, items.message_of),
        },
        history={"tools": KEEP, "extras": SETTINGS.beside(BODY_KEYS, _says_nothing)},
        tools=_tool_rows(items),
        settings=SETTINGS.row(),
        arrange=(
            restructure.split_results,
            split_ran,
            restructure.split_decisions_alone,
            restructure.merge("assistant"),
        ),
        needs_id=needs_id,
        derives_names=True,
        drops_emptied=True,
    )


def carried_tools(items: Items) -> Cell:
    """Return the cell of tools that arrive in an item: those that come back as they are."""

    def comes_back(tool: Any) -> bool:
        if isinstance(tool, am.NativeTool) and tool.codec != FAMILY:
            return False
        return am.same(items.read_tools(speed.plain_copy(items.write_tools([tool]))), (tool,))

    def cell(tools: tuple[Any, ...], _: Any) -> Any:
        kept = tuple(tool for tool in tools if comes_back(tool))
        if not kept:
            return Drop("no such tools here")
        return tools if len(kept) == len(tools) else kept

    return cell


def _tool_rows(items: Items) -> dict[type[Any], Row]:
    """Return what requests support of tools."""
    return {
        am.ToolSpec: items.inputs.rows.row(*_SPECS, kind=cells.kinds("custom")),
        am.NativeTool: native_tool_row(FAMILY, lambda native: items.read_tools([native])[0], same_in(FAMILY)),
    }
