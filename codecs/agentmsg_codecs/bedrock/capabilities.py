"""The capability table: what requests and responses support, and the rules for the rest."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any

import agentmsg as am
import agentmsg_codecs.bedrock.rules as own
from agentmsg import thaw
from agentmsg.formats import (
    KEEP,
    Caps,
    Cell,
    MessageRow,
    Row,
    carried_extras,
    cells,
    is_mapping,
    is_sequence,
    natives,
    restructure,
    rules,
)
from agentmsg.formats.forms import Rows
from agentmsg_codecs.bedrock.format import (
    CITED_KEYS,
    REASONING_KEYS,
    RESULT_KEYS,
    is_guarded,
    is_guarded_image,
    is_search_result,
)
from agentmsg_codecs.bedrock.media import DOCUMENT_KEYS, MEDIUM_KEYS
from agentmsg_codecs.bedrock.messages import MESSAGE_EXTRAS, is_top, may_move
from agentmsg_codecs.bedrock.names import CONFIG, FAMILY, GUARD, ITEM, POINT, PROVIDER
from agentmsg_codecs.bedrock.settings import SETTINGS
from agentmsg_codecs.bedrock.tools import read_tools, tool_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg_codecs.bedrock import BedrockCodec
    from agentmsg_codecs.bedrock.messages import Messages

_BODY_KEYS = frozenset({"messages", "system"})
_NONE = frozenset[str]()
# The known keys of a part's object; a key beside the object would make another part.
_INNER_KEYS = {
    **dict.fromkeys((am.AudioBlock, am.VideoBlock), MEDIUM_KEYS),
    am.ToolUseBlock: frozenset({"toolUseId", "name", "input", "type"}),
    am.ToolResultBlock: frozenset({"toolUseId", "content", "status"}),
}


def _extras_of(cls: type[Any]) -> Cell:
    if cls is am.TextBlock:
        return carried_extras(
            (GUARD, lambda block: _NONE if is_guarded(block) else None),
            (ITEM, lambda block: CITED_KEYS if block.citations and not is_guarded(block) else None),
        )
    if cls is am.ThinkingBlock:
        return carried_extras((ITEM, lambda block: REASONING_KEYS if block.redacted is None else None))
    if cls is am.ImageBlock:
        return carried_extras(
            (GUARD, lambda block: MEDIUM_KEYS if is_guarded_image(block) else None),
            (ITEM, lambda block: None if is_guarded_image(block) else MEDIUM_KEYS),
        )
    if cls is am.FileBlock:
        return carried_extras((ITEM, lambda block: RESULT_KEYS if is_search_result(block) else DOCUMENT_KEYS))
    keys = _INNER_KEYS.get(cls)
    return carried_extras() if keys is None else carried_extras((ITEM, lambda _: keys), odd=_is_other_type)


def _is_other_type(block: Any, key: str, value: Any) -> bool:
    """Whether the type of a call is an extra, because it doesn't decide who runs the call."""
    return key == "type" and block.kind != "server" and value != "server_tool_use"


def _with_extras(cls: type[Any], row: Row) -> Row:
    """Return a row whose extras go inside the object of a part, because a part has only one key."""
    if "extras" not in row.fields:
        return row
    signature = (
        {"signature": cells.signed_by(PROVIDER, is_empty=True, family=FAMILY)} if "signature" in row.fields else {}
    )
    return row.having(extras=_extras_of(cls), **signature)


def _comes_back(back: Callable[[am.NativeBlock], am.NativeBlock | None]) -> Any:
    def comes_back(block: am.NativeBlock) -> am.NativeBlock | None:
        # A cache point alone would be read as the hint of the previous block.
        value: Any = block.value
        is_alone = is_mapping(value) and POINT in value and len(value) != 2  # noqa: PLR2004 - the point, and its part
        return None if is_alone else back(block)

    return comes_back


def _rows(messages: Messages, place: str, answers: Any) -> dict[type[Any], Row]:
    back = messages.comes_back_from_user if place == "user" else messages.returns(place)
    others = {**rules.TEXT_ROWS, am.NativeBlock: rules.native_block_row(FAMILY, _comes_back(back))}
    made = Rows(messages.described).place(place, {**own.MEDIA, **answers}, others)
    return {cls: _with_extras(cls, row) for cls, row in made.items()}


def assistant_rows(messages: Messages, *, thinking: str | None) -> dict[type[Any], Row]:
    """Return the rows of a model's blocks.

    Args:
        messages: the codec's reader and writer.
        thinking: "drop" or "text", for thinking that another provider signed.
    """
    answers: Any = {
        am.TextBlock: own.text,
        am.ThinkingBlock: own.thinking_rule(thinking),
        am.ToolUseBlock: (rules.call_of(PROVIDER), "kind"),
        am.ToolResultBlock: own.server_result,
    }
    rows = _rows(messages, "assistant", answers)
    return {**rows, am.ToolUseBlock: rows[am.ToolUseBlock].having(kind=cells.kinds("server"), provider=cells.of_server)}


def inner_rows(messages: Messages) -> dict[type[Any], Row]:
    """Return the rows of blocks inside results: without cache points, and not checked by guardrails."""
    return {cls: _inner(row) for cls, row in _rows(messages, "inner", {}).items()}


def _inner(row: Row) -> Row:
    fields = {name: cell for name, cell in row.fields.items() if name != "cache"}
    if "extras" in fields:
        fields["extras"] = cells.without(fields["extras"], GUARD, lambda own, _: own)
    return row.evolve(fields=fields)


def _result_row(messages: Messages) -> Row:
    rule, extras = {am.ToolResultBlock: own.result}, _extras_of(am.ToolResultBlock)
    return Rows(messages.described).row("result", rules=rule, kind=cells.kinds(), extras=extras)


def needs_id(block: Any) -> bool:
    """Whether a call or result must get an id: calls and results are only written with one."""
    return natives.link_at(block) is None and (block.kind != "server" or block.provider == FAMILY)


def _says_none(history: am.History, key: str, value: Any) -> bool:
    """Whether the value of "system" is an extra: it is neither a list nor a text, and there is no system prompt."""
    is_prompt = is_sequence(value) or isinstance(value, str)
    return key == "system" and not is_prompt and not (history.messages and is_top(history.messages[0]))


_PARAMETERS = SETTINGS.beside(_BODY_KEYS, _says_none)
_OTHERS = SETTINGS.beside(_BODY_KEYS | {CONFIG}, _says_none)


def _beside_messages(extras: Any, history: am.History) -> Any:
    """Keep the other parameters of a body; what stands where the tools do only if it is read as no tools."""
    config = natives.extras_of(history, FAMILY).get(CONFIG)
    if history.tools:
        is_apart = is_mapping(config) and bool(config) and "tools" not in config
    else:
        is_apart = read_tools(thaw(config)) is None
    return (_PARAMETERS if is_apart else _OTHERS)(extras, history)


def make_caps(codec: BedrockCodec) -> Caps:
    """Return the capability table of requests."""
    messages = codec.engine
    turns = (restructure.merge("user", "assistant"),) if codec.turns == "merged" else ()
    fields: dict[str, Cell] = {"extras": MESSAGE_EXTRAS}
    system = MessageRow(fields=fields, blocks=_rows(messages, "system", {}))
    inner, answer = inner_rows(messages), assistant_rows(messages, thinking=codec.thinking)
    return Caps(
        messages={
            "system": system,
            "developer": MessageRow(fields=fields, blocks=system.blocks, otherwise=rules.role_rule("system")),
            "user": MessageRow(fields=fields, blocks=_rows(messages, "user", {}), results=inner),
            "assistant": MessageRow(fields=fields, blocks=answer, results=inner),
            "tool": MessageRow(fields=fields, blocks={am.ToolResultBlock: _result_row(messages)}, results=inner),
            **rules.other_rows(FAMILY, messages.message_of),
        },
        history={"tools": KEEP, "extras": _beside_messages},
        tools=tool_rows(),
        settings=SETTINGS.row(),
        arrange=(restructure.split_results, gather_systems, *turns),
        needs_id=needs_id,
        derives_names=True,
        drops_emptied=True,
    )


def gather_systems(plan: Any, messages: Any) -> Any:
    """Merge the leading system messages into the one system prompt; later ones stay in place."""
    current = restructure.as_is(messages) if plan is None else plan
    front = list(takewhile(lambda parts: _leads(parts[0], messages), current))
    if len(front) <= 1:
        return plan
    kept = [parts for parts in front if any(part.picks for part in parts)] or front[:1]
    return [tuple(part for parts in kept for part in parts), *current[len(front) :]]


def _leads(part: restructure.Part, messages: Any) -> bool:
    message = messages[part.index]
    return (part.role or message.role) == "system" and may_move(message)
