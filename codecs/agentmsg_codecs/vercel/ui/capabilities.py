"""The capability table: what messages of users support, and the rules for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

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
    grouping,
    is_mapping,
    is_marked,
    mark_of,
    media,
    natives,
    restructure,
    rules,
    spelling,
)
from agentmsg.formats.forms import Rows
from agentmsg_codecs.vercel.names import OPTIONS, UI
from agentmsg_codecs.vercel.options import place_rows
from agentmsg_codecs.vercel.rules import call, needs_id, thinking
from agentmsg_codecs.vercel.ui.format import OPTIONS_OF, RESULT_KEY, RESULT_KEYS
from agentmsg_codecs.vercel.ui.ids import without_places
from agentmsg_codecs.vercel.ui.tool_parts import is_own_denial

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
}


def _changed(row: Row, **fields: Cell) -> Row:
    return attrs.evolve(row, fields={**row.fields, **fields})


def _of_call(cell: Cell) -> Cell:
    """Return the cell of the extras of a call: what its result says stands in the same part."""

    def both(extras: Any, block: Any) -> Any:
        kept = cell(extras, block)
        mine = kept.get(UI)
        if not is_mapping(mine) or (RESULT_KEYS.isdisjoint(mine) and "approval" not in mine):
            return kept
        gone = {*RESULT_KEYS, *(["approval"] if is_own_denial(mine.get("approval"), block.id) else [])}
        left = {key: mine[key] for key in mine if key not in gone}
        return kept if len(left) == len(mine) else _replaced(kept, left)

    return both


def _of_result(cell: Cell) -> Cell:
    """Return the cell of the extras of a result: unknown keys of its part are extras of the call."""

    def both(extras: Any, block: Any) -> Any:
        kept = cell(extras, block)
        mine = kept.get(UI)
        if mine is None or mine.keys() == {RESULT_KEY}:
            return kept
        return _replaced(kept, {key: mine[key] for key in mine if key == RESULT_KEY})

    return both


def _replaced(kept: Any, left: Any) -> Any:
    found = {space: kept[space] for space in (OPTIONS,) if space in kept}
    return {**found, UI: left} if left else found or EMPTY


def _taken(message: am.Msg) -> frozenset[str]:
    """Return the keys of a message that no extra may have."""
    note = mark_of(message, UI, "/v4") if message.notes else None
    if not is_mapping(note):
        return _KEYS | {"content", "createdAt"}
    if note.get("mixed") is True:
        return _KEYS | {"createdAt"} | {key for key in old.KEYS if key in note}
    return _KEYS | {"createdAt"} | {key for key in old.KEYS if note.get(key) != "own"}


def _is_odd(message: am.Msg, key: str, value: Any) -> bool:
    """Whether what stands under a key that says something is an extra: it has another meaning there."""
    if key == "createdAt":
        return old.read_time(value) is None and message.created_at is None
    if key == "content":
        return not isinstance(value, str) and not is_mapping(mark_of(message, UI, "/v4"))
    return key == "metadata" and not message.metadata and value is not None and not is_mapping(value)


def _time(value: Any, message: am.Msg) -> Any:
    """Keep the time of a message that was read with one."""
    return value if is_marked(message, UI, "/time") and old.write_time(value) is not None else None


def _relink(messages: Messages) -> Callable[[Sequence[am.Msg]], Sequence[am.Msg]]:
    """Return what takes from messages the ids and extras that are read as none beside the others and their parts."""
    without_ids = without_places(messages.grouping)

    def relink(given: Sequence[am.Msg]) -> Sequence[am.Msg]:
        found = without_ids(given)
        if not any(message.extras and _says_twice(message) for message in found):
            return found
        out: list[am.Msg] = []
        for first, *others in grouping.containers(found, messages.grouping):
            said = messages.said_twice([first, *others]) if _says_twice(first) else frozenset[str]()
            left = {key: value for key, value in natives.extras_of(first, UI).items() if key not in said}
            out += [
                spelling.changed(first, {"extras": adopt(_replaced(first.extras, left))}) if said else first,
                *others,
            ]
        return out if any(a is not b for a, b in zip(out, found, strict=True)) else found

    return relink


def _says_twice(message: am.Msg) -> bool:
    return not old.TWICE.isdisjoint(natives.extras_of(message, UI))


def make_caps(messages: Messages) -> Caps:
    """Return the capability table."""
    described = messages.described
    system, user, assistant = (
        place_rows(messages, place, _ANSWERS, OPTIONS_OF, _OTHERS) for place in ("system", "user", "assistant")
    )
    calls, results = assistant[am.ToolUseBlock], assistant[am.ToolResultBlock]
    assistant[am.ToolUseBlock] = _changed(calls, extras=_of_call(calls.fields["extras"]))
    assistant[am.ToolResultBlock] = _changed(results, extras=_of_result(results.fields["extras"]), name=KEEP)
    extras_of_results = OPTIONS_OF[am.ToolResultBlock].extras(described, [described.forms["result"]])
    result = Rows(described).row("result", rules={am.ToolResultBlock: own.result}, extras=_of_result(extras_of_results))
    extras = carried_extras((UI, _taken), odd=_is_odd)
    fields: dict[str, Cell] = {"id": KEEP, "created_at": _time, "metadata": KEEP, "extras": extras}
    return Caps(
        messages={
            "system": MessageRow(fields=fields, blocks=system),
            "developer": MessageRow(fields=fields, blocks=system, otherwise=rules.role_rule("system")),
            "user": MessageRow(fields=fields, blocks=user, results=_WORDS),
            "assistant": MessageRow(fields=fields, blocks=assistant, results=_WORDS,
                                    otherwise=own.with_results, concerns=am.ToolResultBlock),
            "tool": MessageRow(blocks={am.ToolResultBlock: result}, results=_WORDS),
            "native": rules.native_message_row(UI, messages.message_of),
            ANY_ROLE: MessageRow(otherwise=rules.other_role),
        },
        arrange=(restructure.split_results, own.beside_calls),
        needs_id=needs_id,
        derives_names=True,
        relink=_relink(messages),
        drops_emptied=True,
    )  # fmt: skip
