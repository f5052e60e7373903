"""The capability table: what messages for models support, and the rules for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
import agentmsg_codecs.vercel.rules as own
from agentmsg.formats import (
    ANY_ROLE,
    Caps,
    Cell,
    MessageRow,
    Row,
    carried_extras,
    cells,
    media,
    natives,
    restructure,
    rules,
)
from agentmsg.formats.forms import Rows
from agentmsg_codecs.vercel.media_rules import carried
from agentmsg_codecs.vercel.names import FAMILY, PROVIDER_OPTIONS
from agentmsg_codecs.vercel.options import are_options
from agentmsg_codecs.vercel.shared import place_rows
from agentmsg_codecs.vercel.unsent import UNSENT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg_codecs.vercel.messages import Messages

_KEYS = frozenset({"role", "content"})
_TYPED = dict.fromkeys(media.KINDS, carried(is_typed=True))


def _keys_of_system(message: am.Msg) -> frozenset[str]:
    """Return the keys of a system message: options beside its text are the text's."""
    return _KEYS | {PROVIDER_OPTIONS} if message.content else _KEYS


def _is_odd(message: am.Msg, key: str, value: Any) -> bool:
    """Whether a value under the key of options comes back as an extra: it isn't options, nor has the text any."""
    if key != PROVIDER_OPTIONS or (value and are_options(value)):
        return False
    return all(natives.is_bare_text(block.evolve(notes={}), FAMILY) for block in message.content)


def make_caps(messages: Messages) -> Caps:
    """Return the capability table."""

    def place(name: str, answers: Mapping[type[Any], Any]) -> dict[type[Any], Row]:
        return place_rows(messages, name, answers, rules.TEXT_ROWS)

    text = place("system", {})[am.TextBlock].fields
    system = rules.one_text_row(
        {"extras": carried_extras((FAMILY, _keys_of_system), odd=_is_odd)},
        # Such a text may have options, but no other keys.
        {**text, "extras": cells.without(text["extras"], FAMILY, lambda own, _: own)},
    )
    fields: dict[str, Cell] = {"extras": cells.beside((FAMILY, _KEYS))}
    user = place("user", {**_TYPED, am.ImageBlock: carried(is_typed=False)})
    assistant = place("assistant", {
        **_TYPED, am.AudioBlock: rules.spoken(_TYPED[am.AudioBlock]), am.ThinkingBlock: own.thinking,
        am.ToolUseBlock: (own.call, "kind"),
        am.ToolResultBlock: own.server_result, am.CompactionBlock: own.compaction,
        am.ApprovalRequestBlock: own.request,
    })  # fmt: skip
    inner = place("inner", dict.fromkeys(media.KINDS, carried(is_typed=False, inner=True)))
    rows = Rows(messages.described)
    user[am.ApprovalResponseBlock] = rows.row("response")
    result = rows.row("result", rules={am.ToolResultBlock: own.result})
    return Caps(
        messages={
            "system": system,
            "developer": MessageRow(otherwise=rules.role_rule("system")),
            "user": MessageRow(fields=fields, blocks=user),
            "assistant": MessageRow(
                fields=fields, blocks=assistant, results=inner, otherwise=own.named, concerns=am.ToolResultBlock
            ),
            "tool": MessageRow(fields=fields, blocks={am.ToolResultBlock: result}, results=inner),
            "native": rules.native_message_row(FAMILY, messages.message_of),
            ANY_ROLE: MessageRow(otherwise=rules.other_role),
        },
        arrange=(restructure.split_results, restructure.split_decisions),
        needs_id=own.needs_id,
        derives_names=True,
        unsent=UNSENT,
    )
