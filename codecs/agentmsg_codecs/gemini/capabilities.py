"""The capability table: what requests and responses support, and the rules for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
import agentmsg_codecs.gemini.config as config_of_sdk
import agentmsg_codecs.gemini.rules as own
from agentmsg.formats import (
    KEEP,
    Caps,
    Cell,
    MessageRow,
    Row,
    carried_extras,
    cells,
    is_mapping,
    mark_of,
    media,
    natives,
    restructure,
    rules,
)
from agentmsg.formats.bodies import says_no_tools
from agentmsg.formats.forms import Rows
from agentmsg_codecs.gemini.format import KNOWN
from agentmsg_codecs.gemini.names import BODY_KEYS, FAMILY, ITEM, OUTER_KEYS, PROVIDER, SYSTEM
from agentmsg_codecs.gemini.settings import SETTINGS
from agentmsg_codecs.gemini.tools import tool_rows
from agentmsg_codecs.wire.signatures import usual_signature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmsg_codecs.gemini import GeminiCodec
    from agentmsg_codecs.gemini.messages import Messages

_MESSAGE_KEYS = frozenset({"role", "parts"})

_SIGNED = cells.signed_by(PROVIDER, spelt=usual_signature)
_MEDIA_RULES: Any = dict.fromkeys(media.KINDS, own.carried_media)


def _is_thought(block: Any, key: str, value: Any) -> bool:
    """Whether an extra marks media as a model's thought: no field of the model does."""
    return key == "thought" and value is True and isinstance(block, tuple(media.KINDS))


def _outer_extras(cell: Cell) -> Cell:
    """Return the cell for a part's extras: no part has two keys that make a part, in either spelling."""
    taken = cells.beside((ITEM, frozenset()), (FAMILY, OUTER_KEYS), odd=_is_thought)

    def both_cells(extras: Any, owner: Any) -> Any:
        kept = cell(extras, owner)
        return taken(kept, owner) if kept else kept

    return both_cells


def _rows(messages: Messages, place: str, answers: Any) -> dict[type[Any], Row]:
    comes_back = messages.comes_back_from_user if place == "user" else messages.returns(place)
    others = {**rules.TEXT_ROWS, am.NativeBlock: rules.native_block_row(FAMILY, comes_back)}
    rows = Rows(messages.described).place(place, {**_MEDIA_RULES, **answers}, others)
    for cls, row in rows.items():
        if "signature" in row.fields:
            rows[cls] = row.having(signature=_SIGNED, extras=_outer_extras(row.fields["extras"]))
    return rows


def text_rows() -> dict[type[Any], Row]:
    """Return the rows of blocks inside the results of Google's tools."""
    return {am.TextBlock: Row({"text": KEEP})}


def model_rows(messages: Messages) -> dict[type[Any], Row]:
    """Return the rows of a model's blocks."""
    answers: Any = {
        am.ThinkingBlock: own.thinking,
        am.ToolUseBlock: (rules.call_of(PROVIDER), "kind"),
        am.ToolResultBlock: own.server_result,
    }
    rows = _rows(messages, "model", answers)
    return {**rows, am.ToolUseBlock: rows[am.ToolUseBlock].having(kind=cells.kinds("server"), provider=cells.of_server)}


def _result_row(messages: Messages) -> Row:
    return Rows(messages.described).row(
        "result",
        rules={am.ToolResultBlock: own.result},
        kind=cells.kinds(),
        status=lambda status, _: status if status == "error" else None,
        signature=_SIGNED,
        extras=cells.beside((ITEM, KNOWN), (FAMILY, OUTER_KEYS)),
    )


def _one_instruction(plan: Any, messages: Sequence[am.Msg]) -> Any:
    """Leave out empty instructions unless there is only one: all share one place."""
    roles = [message.role for message in messages] if plan is None else restructure.roles_of(plan, messages)
    count = roles.count("system")
    if count <= 1:
        return plan
    current = restructure.as_is(messages) if plan is None else plan
    # They are in front: the step before has lifted them.
    kept = [parts for parts in current[:count] if parts[0].picks] or current[:1]
    return plan if len(kept) == count else [*kept, *current[count:]]


def _beside_contents(history: am.History) -> frozenset[str]:
    own = natives.extras_of(history, FAMILY)
    taken = BODY_KEYS | SETTINGS.taken(history)
    config: Any = own.get(config_of_sdk.KEY)
    if not is_mapping(config):
        return taken
    is_system = any(message.role == "system" for message in history.messages[:1])
    beside = {"tools": bool(history.tools), SYSTEM: is_system or mark_of(history, FAMILY, "/system") is not None}
    keys = [*own, *SETTINGS.write(history.settings, own), *(key for key, is_there in beside.items() if is_there)]
    return taken | {config_of_sdk.KEY} if config_of_sdk.is_moved(config, keys) else taken


def _says_no_tools(history: am.History, key: str, value: Any) -> bool:
    """Whether an extra is under the key of tools, and means that there are none; one object is a tool."""
    return says_no_tools(history, key, value) and not (is_mapping(value) and value)


def make_caps(codec: GeminiCodec) -> Caps:
    """Return the capability table of requests."""
    messages = codec.engine
    fields: dict[str, Cell] = {"extras": cells.beside((FAMILY, _MESSAGE_KEYS))}
    system = MessageRow(fields=fields, blocks=_rows(messages, "system", {}))
    inner = {**_rows(messages, "inner", {}), **text_rows()}
    return Caps(
        messages={
            "system": system,
            "developer": MessageRow(fields=fields, blocks=system.blocks, otherwise=rules.role_rule("system")),
            "user": MessageRow(fields=fields, blocks=_rows(messages, "user", {})),
            "assistant": MessageRow(fields=fields, blocks=model_rows(messages), results=text_rows()),
            "tool": MessageRow(fields=fields, blocks={am.ToolResultBlock: _result_row(messages)}, results=inner),
            **rules.other_rows(FAMILY, messages.message_of),
        },
        history={"tools": KEEP, "extras": carried_extras((FAMILY, _beside_contents), odd=_says_no_tools)},
        tools=tool_rows(),
        settings=SETTINGS.row(),
        arrange=(
            restructure.split_results,
            restructure.lift("system"),
            _one_instruction,
            restructure.merge("system", *(("assistant",) if codec.turns == "merged" else ())),
        ),
        needs_id=natives.lacks_id(FAMILY),
        derives_names=True,
        drops_emptied=True,
    )
