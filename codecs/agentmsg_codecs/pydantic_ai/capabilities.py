"""The capability table: what Pydantic AI supports, and the rules for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
import agentmsg_codecs.pydantic_ai.rules as own
from agentmsg.formats import (
    ANY_ROLE,
    EMPTY,
    KEEP,
    Caps,
    MessageRow,
    Row,
    cells,
    is_mapping,
    media,
    restructure,
    rules,
)
from agentmsg.formats.forms import Rows
from agentmsg_codecs.pydantic_ai.citations import is_own
from agentmsg_codecs.pydantic_ai.messages import is_instructions, is_part
from agentmsg_codecs.pydantic_ai.names import (
    CONTAINERS,
    DETAILS,
    FAMILY,
    FILE,
    NAME,
    OF_DETAILS,
    REQUEST,
    REQUEST_KEYS,
    UNSIGNED,
    VENDOR,
)
from agentmsg_codecs.pydantic_ai.unsent import UNSENT
from agentmsg_codecs.pydantic_ai.values import BINARY_KEYS, answered, shown_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg.formats import Cell
    from agentmsg_codecs.pydantic_ai.messages import Messages


# -- extras -----------------------------------------------------------------------------------------------------------


def _inside(space: str, fields: Mapping[str, str]) -> Cell:
    """Return the cell for extras inside an object; a known key is an extra if its field can't hold the value."""

    def stays(owner: Any, key: str, value: Any) -> bool:
        return type(value) is not str and getattr(owner, fields[key]) is None

    return cells.beside((space, frozenset(fields)), odd=stays)


def _unsigned(extras: Any, owner: Any) -> Any:
    held = extras.get(UNSIGNED)
    is_own = is_mapping(held) and held.keys() == {NAME} and held[NAME] is not None
    return {UNSIGNED: held} if is_own and owner.signature is None and owner.redacted is None else EMPTY


def _of_details(cls: type[Any]) -> Cell:
    return _inside(DETAILS, OF_DETAILS.get(cls, {}))


_OF_VENDOR = _inside(VENDOR, {"detail": "detail"})
_OF_FILE = cells.beside((FILE, BINARY_KEYS))


def _of_request(extras: Any, message: Any) -> Any:
    """Keep the keys of a request that no message can hold."""
    held = extras.get(REQUEST)
    if not is_mapping(held) or not is_part(message):
        return EMPTY
    kept = {key: held[key] for key in held if _stays(key, held[key], message)}
    return {REQUEST: held if len(kept) == len(held) else kept} if kept else EMPTY


def _stays(key: str, value: Any, message: am.Msg) -> bool:
    if key in ("kind", "parts") or (key in REQUEST_KEYS and value == REQUEST_KEYS[key]):
        return False
    if key == "metadata":
        # A user or tool message has it as its own metadata.
        return message.role not in ("user", "tool") or not (message.metadata or (is_mapping(value) and value))
    return key != "instructions" or not (is_instructions(message) or (isinstance(value, str) and value))


# -- blocks -----------------------------------------------------------------------------------------------------------


def _with_extras(row: Row, *spaces: Cell) -> Row:
    return row.having(extras=cells.together(*spaces, row.fields["extras"]))


def _user_rows(messages: Messages, place: str, **own_cells: Cell) -> dict[type[Any], Row]:
    """Return the rows of user content, or of the media in a result."""
    answers: Any = dict.fromkeys(media.KINDS, own.user_media if place == "user" else own.returned_media)
    parts = messages.said.parts[place]

    def comes_back(block: am.NativeBlock) -> am.NativeBlock | None:
        # A string is a text, and in a result everything but media is data.
        return None if place == "inner" or isinstance(block.value, str) else parts.comes_back(block)

    others = {**rules.TEXT_ROWS, am.NativeBlock: rules.native_block_row(FAMILY, comes_back)}
    rows = Rows(messages.said).place(place, answers, others)
    made = {cls: row.having(**own_cells) if "extras" in row.fields else row for cls, row in rows.items()}
    if place == "user":
        made[am.DataBlock] = _with_extras(made[am.DataBlock], shown_text)
    return {**made, am.ImageBlock: _with_extras(made[am.ImageBlock], _OF_VENDOR)}


def _model_rows(messages: Messages) -> dict[type[Any], Row]:
    answers: Any = {
        **dict.fromkeys(media.KINDS, own.file_of_model),
        am.ThinkingBlock: (own.thinking, ("redacted", "item_id", "signature")),
        am.ToolUseBlock: (own.call, "kind"),
        am.ToolResultBlock: own.result,
    }
    others = {
        **rules.TEXT_ROWS,
        am.NativeBlock: rules.native_block_row(FAMILY, messages.described.parts["response"].comes_back),
    }
    rows = Rows(messages.described).place("response", answers, others)
    spaces = {**dict.fromkeys(media.KINDS, (_OF_FILE,)), am.ThinkingBlock: (_unsigned,)}
    for cls, row in rows.items():
        if "extras" in row.fields:
            rows[cls] = _with_extras(row, *spaces.get(cls, ()), _of_details(cls))
    rows[am.TextBlock] = rows[am.TextBlock].having(citations=cells.those(is_own))
    rows[am.ToolUseBlock] = rows[am.ToolUseBlock].having(kind=cells.kinds("server"), provider=cells.of_server)
    return rows


# -- messages ---------------------------------------------------------------------------------------------------------


def make_caps(messages: Messages) -> Caps:
    """Return the capability table."""
    made = Rows(messages.described)

    def fields(*names: str, **own: Cell) -> dict[str, Cell]:
        found = made.message(*names)
        return {**found, **own, "extras": cells.together(found["extras"], _of_request)}

    inner: dict[type[Any], Row] = {
        **_user_rows(messages, "inner"),
        am.TextBlock: Row({"text": KEEP}),
        am.DataBlock: Row({"data": KEEP}),
    }
    result = made.row("server_result", rules={am.ToolResultBlock: own.result}, kind=cells.kinds(),
                      provider=lambda _, __: None, extras=lambda _, __: EMPTY)  # fmt: skip
    native, part = (rules.native_message_row(FAMILY, read) for read in (messages.message_of, messages.part_of))
    response, said = made.message("response"), _user_rows(messages, "user", cache=own.hint)
    return Caps(
        messages={
            "system": rules.one_text_row(fields("system"), {"text": KEEP}),
            "developer": MessageRow(otherwise=rules.role_rule("system")),
            "user": MessageRow(
                fields=fields("again", "feedback", "user_speech", "user", metadata=KEEP),
                blocks=said,
                otherwise=own.points(said),
                concerns=am.NativeBlock,
            ),
            "assistant": MessageRow(
                fields={**response, "finish_reason": own.finish},
                blocks=_model_rows(messages),
                results=inner,
                otherwise=answered,
            ),
            "tool": MessageRow(
                fields=fields("tool_again", "tool", metadata=KEEP), blocks={am.ToolResultBlock: result}, results=inner
            ),
            "native": MessageRow(
                fields={"extras": cells.together(_of_request)},
                blocks=native.blocks,
                otherwise=lambda message: (part if is_part(message) else native).otherwise(message),  # type: ignore[misc]
            ),
            ANY_ROLE: MessageRow(otherwise=rules.other_role),
        },
        history=CONTAINERS.cells(),
        arrange=(restructure.split_results,),
        needs_id=own.needs_id,
        unsent=UNSENT,
    )
