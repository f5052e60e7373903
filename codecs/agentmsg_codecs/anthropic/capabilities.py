"""The capability table: what requests and responses support, and what becomes of the rest."""

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
    restructure,
    rules,
    tool_arguments,
    usually,
)
from agentmsg_codecs.anthropic.cells import citations, document_source, hint, image_source
from agentmsg_codecs.anthropic.media import FILE, is_search_result, is_upload
from agentmsg_codecs.anthropic.names import FAMILY, KIND
from agentmsg_codecs.anthropic.results import SOURCE_KEYS
from agentmsg_codecs.anthropic.system_messages import MESSAGE_EXTRAS, gather_systems
from agentmsg_codecs.anthropic.tools import TOOL_ROWS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats import Parts
    from agentmsg_codecs.anthropic.messages import Messages


BODY_KEYS = frozenset({"messages", "system", "tools"})
Rows: TypeAlias = dict[type[BaseBlock], Row]
ComesBack: TypeAlias = "Callable[[am.NativeBlock], am.NativeBlock | None]"


# -- cells ------------------------------------------------------------------------------------------------------------


def _bare(value: Any, _: Any) -> Any:
    return value.evolve(extras={}) if value.extras else value


@usually(tool_arguments.SAYS_NO_MORE)
def _raw_input(text: str, block: am.ToolUseBlock) -> str | None:
    """Keep the text of a call that isn't JSON; any other is supported where its input says all of it."""
    return text if block.significant_text is None or not block.is_valid else None


def _call_kind(kind: str, _: Any) -> str:
    return kind if kind in ("function", "server") else "function"


def _call_provider(provider: str, block: am.ToolUseBlock) -> str | None:
    return provider if block.kind == "server" else None


def _status(status: str, block: am.ToolResultBlock) -> str | None:
    return status if status in ("success", "error") else "error" if block.is_error else None


def _if(holds: Callable[[Any], bool]) -> Cell:
    return lambda value, block: value if holds(block) else None


# -- rows -------------------------------------------------------------------------------------------------------------


def _text_row(parts: Parts) -> Row:
    cells: dict[str, Cell] = {"text": KEEP, "citations": citations, "cache": hint, "extras": _extras(parts)}
    return Row(cells, rules.emptied_text(cells), rules.EMPTIED)


def _extras(parts: Parts) -> Cell:
    return carried_extras((FAMILY, parts.keys_of))


def _as_text() -> Rows:
    """Return the rows of what is told in words."""
    answers: Mapping[type[BaseBlock], Rule] = {
        am.AudioBlock: rules.audio_as_text,
        am.DataBlock: own.data_as_text,
        am.RefusalBlock: rules.refusal_as_text,
        am.SourceBlock: own.source_as_text,
    }
    return {cls: Row({}, rule) for cls, rule in answers.items()}


def _inner_rows(messages: Messages) -> Rows:
    """Return the rows of what stands inside the result of a client's tool."""
    parts = messages.parts
    return {
        **_as_text(),
        am.TextBlock: _text_row(parts),
        am.ImageBlock: Row({"source": image_source, "cache": hint, "extras": _extras(parts)}),
        am.FileBlock: _file_row(),
        am.ToolResultBlock: Row({}, rules.result_as_text),
        am.NativeBlock: rules.native_block_row(FAMILY, messages.returns(messages.inner)),
    }


def _file_row() -> Row:
    extras = carried_extras(
        (KIND, lambda block: frozenset() if is_upload(block) else None),
        (FAMILY, lambda block: FILE.keys[FILE.tag_of(block)]),
    )
    return Row(
        {
            "source": document_source,
            "name": _if(lambda block: is_search_result(block) and not is_upload(block)),
            "title": _if(lambda block: not is_upload(block)),
            "context": _if(lambda block: not (is_upload(block) or is_search_result(block))),
            "cache": hint,
            "extras": extras,
        },
        own.document,
    )


def block_rows(messages: Messages, comes_back: ComesBack, *, thinking: str) -> Rows:
    """Return the rows of content.

    Args:
        messages: the codec's reader and writer.
        comes_back: tells what is read where a native block is written.
        thinking: what becomes of thinking without signature: "drop" or "text".
    """
    parts = messages.parts
    extras = _extras(parts)
    return {
        **_inner_rows(messages),
        am.ThinkingBlock: Row(
            {"thinking": KEEP, "redacted": KEEP, "signature": _bare, "extras": extras}, own.thinking_rule(thinking)
        ),
        am.ToolUseBlock: Row(
            {
                "id": KEEP,
                "name": KEEP,
                "input": KEEP,
                "raw_input": _raw_input,
                "kind": _call_kind,
                "provider": _call_provider,
                "cache": hint,
                "extras": extras,
            },
            own.call,
            "kind",
        ),
        am.ToolResultBlock: Row(
            {
                **dict.fromkeys(
                    ("tool_call_id", "name", "structured", "status", "error", "error_type", "kind", "provider"), KEEP
                ),
                "cache": hint,
                "extras": extras,
            },
            own.server_result,
        ),
        am.CompactionBlock: Row({"text": KEEP, "encrypted": KEEP, "cache": hint, "extras": extras}),
        am.NativeBlock: rules.native_block_row(FAMILY, comes_back),
    }


def server_rows(messages: Messages) -> Rows:
    """Return the rows of what stands inside the result of a tool that the provider runs."""
    return {
        am.TextBlock: _text_row(messages.parts),
        am.SourceBlock: Row({"url": KEEP, "title": KEEP, "extras": carried_extras((FAMILY, lambda _: SOURCE_KEYS))}),
        am.NativeBlock: rules.native_block_row(FAMILY, messages.returns(messages.texts)),
    }


def _system_rows(messages: Messages) -> Rows:
    return {
        **_as_text(),
        am.TextBlock: _text_row(messages.parts),
        am.FileBlock: Row({}, _only_as_text),
        am.ToolResultBlock: Row({}, rules.result_as_text),
        am.NativeBlock: rules.native_block_row(FAMILY, messages.returns(messages.texts)),
    }


def _only_as_text(block: am.FileBlock) -> Any:
    answer = rules.document_as_text(block)
    return Drop("no place for a file block here") if answer is block else answer


def _result_row(messages: Messages) -> Row:
    keys = next(iter(messages.result.keys.values()))
    return Row(
        {
            "tool_call_id": KEEP,
            "status": _status,
            "kind": lambda kind, _: "function",
            "cache": hint,
            "extras": carried_extras((FAMILY, lambda _: keys)),
        },
        own.client_result,
        ("structured", "error"),
    )


# -- tables -----------------------------------------------------------------------------------------------------------


def needs_id(block: Any) -> bool:
    """Whether a call or result must be given an id: all that are written as one have one here."""
    link = block.id if isinstance(block, am.ToolUseBlock) else block.tool_call_id
    return link is None and (block.kind != "server" or block.provider == FAMILY)


def make_caps(messages: Messages, *, thinking: str) -> Caps:
    """Return the capability table of requests.

    Args:
        messages: the codec's reader and writer.
        thinking: what becomes of thinking without signature: "drop" or "text".
    """
    fields: dict[str, Cell] = {"extras": MESSAGE_EXTRAS}
    system = _system_rows(messages)
    server = server_rows(messages)
    return Caps(
        messages={
            "system": MessageRow(fields=fields, blocks=system),
            "developer": MessageRow(fields=fields, blocks=system, otherwise=rules.role_rule("system")),
            "user": MessageRow(
                fields=fields,
                blocks=block_rows(messages, messages.comes_back_from_user, thinking=thinking),
                results=server,
            ),
            "assistant": MessageRow(
                fields=fields,
                blocks=block_rows(messages, messages.returns(messages.parts), thinking=thinking),
                results=server,
            ),
            "tool": MessageRow(
                fields=fields,
                blocks={am.ToolResultBlock: _result_row(messages)},
                results=_inner_rows(messages),
            ),
            "native": rules.native_message_row(FAMILY, messages.message_of),
        },
        history={"tools": KEEP, "extras": carried_extras((FAMILY, lambda _: BODY_KEYS))},
        tools=TOOL_ROWS,
        arrange=(restructure.split_results, gather_systems),
        needs_id=needs_id,
        derives_names=True,
        drops_emptied=True,
    )
