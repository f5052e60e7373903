"""The capability table: what requests and responses support, and the rules for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import agentmsg as am
import agentmsg_codecs.anthropic.rules as own
from agentmsg import BaseBlock
from agentmsg.formats import (
    KEEP,
    Caps,
    Cell,
    MessageRow,
    Row,
    Swap,
    cells,
    natives,
    restructure,
    rules,
)
from agentmsg.formats.bodies import native_tool_row, read_tool, with_input
from agentmsg.formats.forms import Rows as FormRows
from agentmsg_codecs.anthropic.kinds import is_of_mcp
from agentmsg_codecs.anthropic.names import BODY_KEYS, FAMILY
from agentmsg_codecs.anthropic.settings import SETTINGS, settings_row
from agentmsg_codecs.anthropic.system_messages import MESSAGE_EXTRAS, gather_systems
from agentmsg_codecs.wire.hosted_tools import same_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats.forms import Described
    from agentmsg_codecs.anthropic import AnthropicCodec
    from agentmsg_codecs.anthropic.format import Messages

Rows: TypeAlias = dict[type[BaseBlock], Row]
ComesBack: TypeAlias = "Callable[[am.NativeBlock], am.NativeBlock | None]"


# -- rows -------------------------------------------------------------------------------------------------------------


_AS_TEXT: Rows = {
    **{cls: rules.TEXT_ROWS[cls] for cls in (am.AudioBlock, am.DataBlock, am.RefusalBlock, am.SourceBlock)},
    am.ToolResultBlock: Row({}, rules.result_as_text),
}


def block_rows(messages: Messages, place: str, comes_back: ComesBack, *, thinking: str | None) -> Rows:
    """Return the rows of content.

    Args:
        messages: the codec's reader and writer.
        place: its name.
        comes_back: returns what is read if a native block is written.
        thinking: what to do with thinking without signature: "drop" or "text".
    """
    others = {**_AS_TEXT, am.NativeBlock: rules.native_block_row(FAMILY, comes_back)}
    answers: Any = {
        am.FileBlock: own.document,
        am.VideoBlock: own.video,
        am.ThinkingBlock: own.thinking_rule(thinking),
        am.ToolUseBlock: (own.call, "kind"),
        am.ToolResultBlock: own.server_result,
    }
    rows = FormRows(messages.described).place(place, answers, others)
    if (call := rows.get(am.ToolUseBlock)) is not None:
        rows[am.ToolUseBlock] = call.having(extras=cells.without(call.fields["extras"], FAMILY, _label))
    return _with_emptied(rows)


def _label(own: Mapping[str, Any], call: Any) -> tuple[str, ...]:
    """Return the key with which a call of a server would be read as one of an MCP server."""
    return ("server_name",) if call.kind == "server" and call.server is None and is_of_mcp(own) else ()


def _with_emptied(rows: Rows) -> Rows:
    """Add the rule that drops an empty text with everything else in its block."""
    text = rows[am.TextBlock].fields
    return {**rows, am.TextBlock: Row(text, rules.emptied_text(text), rules.EMPTIED)}


def server_rows(messages: Messages) -> Rows:
    """Return the rows of blocks inside the result of a tool that the provider runs."""
    made = FormRows(messages.described)
    native = rules.native_block_row(FAMILY, messages.returns("texts"))
    return _with_emptied(
        {am.TextBlock: made.row("text"), am.SourceBlock: made.row("web_search_result"), am.NativeBlock: native}
    )


def _system_rows(messages: Messages) -> Rows:
    native = rules.native_block_row(FAMILY, messages.returns("texts"))
    others = {**_AS_TEXT, am.FileBlock: rules.TEXT_ROWS[am.FileBlock], am.NativeBlock: native}
    return _with_emptied(FormRows(messages.described).place("texts", {}, others))


def _result_row(messages: Messages) -> Row:
    concerned = {am.ToolResultBlock: (own.client_result, ("structured", "error"))}
    return FormRows(messages.described).row("tool_result", rules=concerned, kind=cells.kinds())


# -- tables -----------------------------------------------------------------------------------------------------------


def needs_id(block: Any) -> bool:
    """Whether a call or result must get an id: not those of other providers' tools, nor what was read without one."""
    if natives.link_at(block) is not None or natives.is_marked(block, FAMILY, "/no-id"):
        return False
    return block.kind != "server" or bool(block.provider == FAMILY)


def make_caps(codec: AnthropicCodec) -> Caps:
    """Return the capability table of requests."""
    messages = codec.engine
    fields: dict[str, Cell] = {"extras": MESSAGE_EXTRAS}
    system, server = _system_rows(messages), server_rows(messages)

    def blocks(place: str, comes_back: ComesBack) -> Rows:
        return block_rows(messages, place, comes_back, thinking=codec.thinking)

    return Caps(
        messages={
            "system": MessageRow(fields=fields, blocks=system),
            "developer": MessageRow(fields=fields, blocks=system, otherwise=rules.role_rule("system")),
            "user": MessageRow(
                fields=fields,
                blocks=blocks("content", messages.comes_back_from_user),
                results=server,
            ),
            "assistant": MessageRow(
                fields=fields,
                blocks=blocks("content", messages.returns("content")),
                results=server,
            ),
            "tool": MessageRow(
                fields=fields,
                blocks={am.ToolResultBlock: _result_row(messages)},
                results=blocks("inner", messages.returns("inner")),
            ),
            "native": rules.native_message_row(FAMILY, messages.message_of),
        },
        history={"tools": KEEP, "extras": SETTINGS.beside(BODY_KEYS)},
        tools=_tool_rows(messages.described),
        settings=settings_row(sampling=codec.sampling == "write"),
        arrange=(restructure.split_results, gather_systems),
        needs_id=needs_id,
        derives_names=True,
        drops_emptied=True,
    )


def _spec(tool: am.ToolSpec) -> Any:
    if tool.kind != "custom" and tool.parameters is None:
        return Swap(tool.evolve(parameters={"type": "object"}), "tools have a schema here", "annotation")
    return with_input(tool)


def _tool_rows(described: Described) -> dict[type[Any], Row]:
    """Return the rows of tools."""
    return {
        am.ToolSpec: described.rows.row("tool", rules={am.ToolSpec: _spec}, kind=cells.kinds()),
        am.NativeTool: native_tool_row(
            FAMILY, lambda native: read_tool(native, FAMILY, described.shapes["tool"]), same_in(FAMILY)
        ),
    }
