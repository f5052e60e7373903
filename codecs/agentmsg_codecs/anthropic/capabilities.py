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
    Drop,
    MessageRow,
    Row,
    Rule,
    carried_extras,
    cells,
    natives,
    restructure,
    rules,
)
from agentmsg.formats.forms import Rows as FormRows
from agentmsg_codecs.anthropic.names import FAMILY
from agentmsg_codecs.anthropic.settings import SETTINGS, settings_row
from agentmsg_codecs.anthropic.system_messages import MESSAGE_EXTRAS, gather_systems
from agentmsg_codecs.anthropic.tools import tool_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg_codecs.anthropic.format import Messages


BODY_KEYS = frozenset({"messages", "system", "tools"})
Rows: TypeAlias = dict[type[BaseBlock], Row]
ComesBack: TypeAlias = "Callable[[am.NativeBlock], am.NativeBlock | None]"


# -- rows -------------------------------------------------------------------------------------------------------------


def _as_text(comes_back: ComesBack) -> Rows:
    """Return the rows of what is told in words, and of native blocks."""
    answers: Mapping[type[BaseBlock], Rule] = {
        am.AudioBlock: rules.audio_as_text,
        am.DataBlock: own.data_as_text,
        am.RefusalBlock: rules.refusal_as_text,
        am.SourceBlock: own.source_as_text,
        am.ToolResultBlock: rules.result_as_text,
    }
    return {
        **{cls: Row({}, rule) for cls, rule in answers.items()},
        am.NativeBlock: rules.native_block_row(FAMILY, comes_back),
    }


def block_rows(messages: Messages, place: str, comes_back: ComesBack, *, thinking: str) -> Rows:
    """Return the rows of content.

    Args:
        messages: the codec's reader and writer.
        place: where it stands.
        comes_back: tells what is read where a native block is written.
        thinking: what becomes of thinking without signature: "drop" or "text".
    """
    answers: Any = {
        am.FileBlock: own.document,
        am.ThinkingBlock: own.thinking_rule(thinking),
        am.ToolUseBlock: (own.call, "kind"),
        am.ToolResultBlock: own.server_result,
    }
    return _with_emptied(FormRows(messages.described).place(place, answers, _as_text(comes_back)))


def _with_emptied(rows: Rows) -> Rows:
    """Return the rows; an empty text goes with what it says beside its words."""
    text = rows[am.TextBlock].fields
    return {**rows, am.TextBlock: Row(text, rules.emptied_text(text), rules.EMPTIED)}


def server_rows(messages: Messages) -> Rows:
    """Return the rows of what stands inside the result of a tool that the provider runs."""
    made = FormRows(messages.described)
    native = rules.native_block_row(FAMILY, messages.returns("texts"))
    return _with_emptied(
        {am.TextBlock: made.row("text"), am.SourceBlock: made.row("web_search_result"), am.NativeBlock: native}
    )


def _system_rows(messages: Messages) -> Rows:
    others = {**_as_text(messages.returns("texts")), am.FileBlock: Row({}, _only_as_text)}
    return _with_emptied(FormRows(messages.described).place("texts", {}, others))


def _only_as_text(block: am.FileBlock) -> Any:
    answer = rules.document_as_text(block)
    return Drop("no place for a file block here") if answer is block else answer


def _result_row(messages: Messages) -> Row:
    concerned = {am.ToolResultBlock: (own.client_result, ("structured", "error"))}
    return FormRows(messages.described).row("tool_result", rules=concerned, kind=cells.kinds())


# -- tables -----------------------------------------------------------------------------------------------------------


def needs_id(block: Any) -> bool:
    """Whether a call or result must be given an id: all that are written as one have one here."""
    return natives.link_at(block) is None and (block.kind != "server" or block.provider == FAMILY)


def _beside_messages(history: am.History) -> frozenset[str]:
    return BODY_KEYS | SETTINGS.taken(history)


def make_caps(messages: Messages, *, thinking: str, sampling: bool) -> Caps:
    """Return the capability table of requests.

    Args:
        messages: the codec's reader and writer.
        thinking: what becomes of thinking without signature: "drop" or "text".
        sampling: whether settings are written that only older models take.
    """
    fields: dict[str, Cell] = {"extras": MESSAGE_EXTRAS}
    system = _system_rows(messages)
    server = server_rows(messages)
    inner = block_rows(messages, "inner", messages.returns("inner"), thinking=thinking)
    return Caps(
        messages={
            "system": MessageRow(fields=fields, blocks=system),
            "developer": MessageRow(fields=fields, blocks=system, otherwise=rules.role_rule("system")),
            "user": MessageRow(
                fields=fields,
                blocks=block_rows(messages, "content", messages.comes_back_from_user, thinking=thinking),
                results=server,
            ),
            "assistant": MessageRow(
                fields=fields,
                blocks=block_rows(messages, "content", messages.returns("content"), thinking=thinking),
                results=server,
            ),
            "tool": MessageRow(
                fields=fields,
                blocks={am.ToolResultBlock: _result_row(messages)},
                results=inner,
            ),
            "native": rules.native_message_row(FAMILY, messages.message_of),
        },
        history={"tools": KEEP, "extras": carried_extras((FAMILY, _beside_messages))},
        tools=tool_rows(messages.described),
        settings=settings_row(sampling=sampling),
        arrange=(restructure.split_results, gather_systems),
        needs_id=needs_id,
        derives_names=True,
        drops_emptied=True,
    )
