"""The capability table: what messages for users support, and the rules for the rest."""

from __future__ import annotations

from operator import is_not
from typing import TYPE_CHECKING, Any

import agentmsg as am
import agentmsg_codecs.vercel.ui.rules as own
import agentmsg_codecs.vercel.ui.v4 as old
from agentmsg.formats import (
    ANY_ROLE,
    EMPTY,
    KEEP,
    Caps,
    Cell,
    MessageRow,
    Row,
    adopt,
    carried_extras,
    cells,
    grouping,
    is_mapping,
    mark_of,
    media,
    natives,
    restructure,
    rules,
    spelling,
    tool_links,
)
from agentmsg.formats.forms import Rows
from agentmsg_codecs.vercel.names import STEP_EXTRAS, UI
from agentmsg_codecs.vercel.rules import call, compaction, needs_id, thinking
from agentmsg_codecs.vercel.shared import place_rows
from agentmsg_codecs.vercel.ui.decisions import agreeing, beside_requests
from agentmsg_codecs.vercel.ui.format import RESULT_KEY, RESULT_KEYS
from agentmsg_codecs.vercel.ui.ids import without_places
from agentmsg_codecs.vercel.ui.pairing import behind_calls, with_calls
from agentmsg_codecs.vercel.ui.tool_parts import OF_APPROVAL, is_approval
from agentmsg_codecs.vercel.unsent import CUT, UNSENT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agentmsg_codecs.vercel.ui.messages import Messages

_KEYS = frozenset({"id", "role", "parts", "metadata"})
_WORDS: Mapping[type[Any], Row] = {am.TextBlock: Row({"text": KEEP})}
_OTHERS = {**rules.TEXT_ROWS, am.ToolResultBlock: Row({}, own.orphan)}
_ANSWERS: Any = {
    **dict.fromkeys(media.KINDS, own.file),
    am.DataBlock: own.data,
    am.SourceBlock: own.source,
    am.ThinkingBlock: thinking,
    am.ToolUseBlock: (call, "kind"),
    am.ToolResultBlock: own.server_result,
    am.CompactionBlock: compaction,
}


def _of_result(own: Mapping[str, Any], _: Any) -> frozenset[str]:
    """Return the extras of a call that its part has for its result."""
    return RESULT_KEYS | {"approval"} if is_approval(own.get("approval")) else RESULT_KEYS


def _of_call(own: Mapping[str, Any], _: Any) -> frozenset[str]:
    """Return the extras of a result that its part has for its call: all unknown keys."""
    return frozenset(own) - {RESULT_KEY}


def _of_approval(_: Mapping[str, Any], __: Any) -> frozenset[str]:
    """Return the extras of a request that its part has for the decision, or under another name."""
    return OF_APPROVAL


def _not_of_decisions(cell: Cell) -> Cell:
    """Return the cell of messages without decisions, which are in the message of their calls."""
    return lambda value, message: None if tool_links.is_decision(message) else cell(value, message)


def _sharing(row: Row, taken: Callable[[Mapping[str, Any], Any], frozenset[str]]) -> Row:
    """Return the row of calls or results, whose part has the extras of the other one, too."""
    return row.having(extras=cells.without(row.fields["extras"], UI, taken))


def _taken(message: am.Msg) -> frozenset[str]:
    """Return the keys of a message that are no extras."""
    note = mark_of(message, UI, "/v4")
    if not is_mapping(note):
        return _KEYS | {"content", "createdAt"}
    if note.get("mixed") is True:
        return _KEYS | {"createdAt"} | {key for key in old.KEYS if key in note}
    return _KEYS | {"createdAt"} | {key for key in old.KEYS if note.get(key) != "own"}


def _taken_of_step(message: am.Msg) -> frozenset[str] | None:
    """Return the keys of a step-start that are no extras; None if a message isn't a step's."""
    return frozenset({"type"}) if message.content else None


def _is_odd(message: am.Msg, key: str, value: Any) -> bool:
    """Whether a value has no meaning under a key of messages, so that it is an extra."""
    if key == "createdAt":
        return old.read_time(value) is None and message.created_at is None
    if key == "content":
        return not isinstance(value, str) and not is_mapping(mark_of(message, UI, "/v4"))
    return key == "metadata" and not message.metadata and value is not None and not is_mapping(value)


def _time(value: Any, message: am.Msg) -> Any:
    """Keep the time of a message that was read with one."""
    return value if old.write_time(value, mark_of(message, UI, "/time")) is not None else None


def _relink(messages: Messages) -> Callable[[Sequence[am.Msg]], Sequence[am.Msg]]:
    """Return a function that removes ids and extras which would be read as made from places and parts."""

    def relink(given: Sequence[am.Msg]) -> Sequence[am.Msg]:
        found = without_places(agreeing(given), messages.grouping)
        if not any(map(_repeats_parts, found)):
            return found
        out: list[am.Msg] = []
        for first, *others in grouping.containers(found, messages.grouping):
            repeated = messages.repeated_keys([first, *others]) if _repeats_parts(first) else None
            out += [_without(first, repeated) if repeated else first, *others]
        return out if any(map(is_not, out, found)) else found

    return relink


def _repeats_parts(message: am.Msg) -> bool:
    """Whether a message has extras whose keys may repeat its parts."""
    return bool(message.extras) and not old.REPEATED.isdisjoint(natives.extras_of(message, UI))


def _without(message: am.Msg, keys: frozenset[str]) -> am.Msg:
    left = cells.without(KEEP, UI, lambda _, __: keys)(message.extras, message)
    return spelling.changed(message, {"extras": adopt(left)})


def make_caps(messages: Messages) -> Caps:
    """Return the capability table."""
    system, user = (place_rows(messages, place, _ANSWERS, _OTHERS) for place in ("system", "user"))
    assistant = place_rows(messages, "assistant", {**_ANSWERS, am.AudioBlock: rules.spoken(own.file)}, _OTHERS)
    result = _sharing(Rows(messages.described).row("result", rules={am.ToolResultBlock: own.result}), _of_call)
    assistant[am.ToolUseBlock] = _sharing(assistant[am.ToolUseBlock], _of_result)
    assistant[am.ToolResultBlock] = _sharing(assistant[am.ToolResultBlock], _of_call).having(name=KEEP)
    decision = Rows(messages.described).row("response").having(extras=lambda _, __: EMPTY, kind=KEEP)
    user[am.ApprovalResponseBlock] = decision
    assistant[am.ApprovalRequestBlock] = _sharing(assistant[am.ApprovalRequestBlock], _of_approval)
    fields: dict[str, Cell] = {
        "id": KEEP, "created_at": _time, "metadata": KEEP, "extras": carried_extras((UI, _taken), odd=_is_odd),
    }  # fmt: skip
    extras_of_step = carried_extras((STEP_EXTRAS, _taken_of_step), (UI, _taken), odd=_is_odd)
    return Caps(
        messages={
            "system": MessageRow(fields=fields, blocks=system),
            "developer": MessageRow(fields=fields, blocks=system, otherwise=rules.role_rule("system")),
            "user": MessageRow(fields={name: _not_of_decisions(cell) for name, cell in fields.items()}, blocks=user,
                               results=_WORDS),
            "assistant": MessageRow(fields={**fields, "extras": extras_of_step}, blocks=assistant, results=_WORDS,
                                    otherwise=with_calls, concerns=am.ToolResultBlock),
            "tool": MessageRow(blocks={am.ToolResultBlock: result}, results=_WORDS),
            "native": rules.native_message_row(UI, messages.message_of),
            ANY_ROLE: MessageRow(otherwise=rules.other_role),
        },
        # The results of server tools are sorted before a message may be split between them and their calls.
        arrange=(restructure.choose(behind_calls, "assistant"), restructure.split_results, restructure.split_decisions,
                 beside_requests),
        needs_id=needs_id,
        derives_names=True,
        near_names=True,
        relink=_relink(messages),
        drops_emptied=True,
        unsent=(*UNSENT, *CUT),
    )  # fmt: skip
