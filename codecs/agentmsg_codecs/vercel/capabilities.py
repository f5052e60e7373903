"""The capability table: what messages for models support, and the rules for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
import agentmsg_codecs.vercel.rules as own
from agentmsg.formats import (
    ANY_ROLE,
    EMPTY,
    Caps,
    Cell,
    MessageRow,
    Row,
    carried_extras,
    cells,
    is_bare_text,
    is_mapping,
    media,
    restructure,
    rules,
)
from agentmsg.formats.forms import Rows
from agentmsg_codecs.vercel.calls import carried_provider, output_keys
from agentmsg_codecs.vercel.format import INNER_OPTIONS_OF, OPTIONS_OF
from agentmsg_codecs.vercel.media_rules import carried
from agentmsg_codecs.vercel.names import FAMILY, OUTPUT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmsg.formats.forms import Form
    from agentmsg_codecs.vercel.messages import Messages

_KEY = "providerOptions"
_KEYS = frozenset({"role", "content"})


class _Table:
    """Makes the rows."""

    def __init__(self, messages: Messages) -> None:
        self.messages, self.described = messages, messages.described
        self.rows = Rows(messages.described)

    def with_options(self, cls: type[Any], row: Row, names: Sequence[str], place: str = "") -> Row:
        """Return a row whose extras may be options of providers."""
        options = (INNER_OPTIONS_OF if place == "inner" else OPTIONS_OF).get(cls)
        if options is None:
            return row
        forms: list[Form] = [self.described.forms[name] for name in names]
        shape = self.described.shapes[names[0]]
        return options.row(row, shape, forms, *([(OUTPUT, output_keys)] if cls is am.ToolResultBlock else []))

    def place(self, place: str, answers: Any) -> dict[type[Any], Row]:
        """Return the rows of a place."""
        native = rules.native_block_row(FAMILY, self.messages.returns(place))
        others = {**rules.TEXT_ROWS, am.NativeBlock: native}
        names = self.described.places[place]
        found = self.rows.place(place, answers, others)
        of_class = {cls: [name for name in names if self.described.forms[name].cls is cls] for cls in found}
        return {
            cls: self.with_options(cls, row, of_class[cls], place) if of_class[cls] else row
            for cls, row in found.items()
        }

    def assistant(self) -> dict[type[Any], Row]:
        """Return the rows of what a model says."""
        answers: Any = {
            **dict.fromkeys(media.KINDS, carried(is_typed=True)),
            am.ThinkingBlock: own.thinking,
            am.ToolUseBlock: own.call,
            am.ToolResultBlock: own.server_result,
        }
        rows = self.place("assistant", answers)
        call, result = rows[am.ToolUseBlock], rows[am.ToolResultBlock]
        kinds: dict[str, Cell] = {"kind": cells.kinds("server"), "provider": carried_provider}
        told: dict[str, Cell] = {"status": own.status, "error": own.error}
        return {
            **rows,
            am.ToolUseBlock: Row({**call.fields, **kinds}, call.otherwise),
            am.ToolResultBlock: Row({**result.fields, **told, "provider": carried_provider}, result.otherwise),
        }

    def result(self) -> Row:
        """Return the row of what a client's tool gave."""
        row = self.rows.row("result", rules={am.ToolResultBlock: own.result}, kind=cells.kinds(),
                            status=own.status, error=own.error)  # fmt: skip
        return self.with_options(am.ToolResultBlock, row, ("result",))


def _beside(message: am.Msg) -> frozenset[str]:
    """Return the keys of a system message: options beside its text are those of the text."""
    return _KEYS | {_KEY} if message.content else _KEYS


def _says_none(message: am.Msg, key: str, value: Any) -> bool:
    """Whether what stands for options beside the text of a system message is an extra: it is none, nor are any."""
    is_said = is_mapping(value) and bool(value) and all(map(is_mapping, value.values()))
    blocks = (block.evolve(notes={}) for block in message.content)
    return key == _KEY and not is_said and all(is_bare_text(block, FAMILY) for block in blocks)


def _only_options(cell: Cell) -> Cell:
    """Return the cell for the extras of a text that is the whole content: beside it are options, and no other keys."""

    def both(extras: Any, block: Any) -> Any:
        kept = cell(extras, block)
        return kept if FAMILY not in kept else {space: kept[space] for space in kept if space != FAMILY} or EMPTY

    return both


def make_caps(messages: Messages) -> Caps:
    """Return the capability table."""
    table = _Table(messages)
    fields: dict[str, Cell] = {"extras": carried_extras((FAMILY, lambda _: _KEYS))}
    text = table.place("system", {})[am.TextBlock].fields
    beside: dict[str, Cell] = {"extras": carried_extras((FAMILY, _beside), odd=_says_none)}
    system = rules.one_text_row(beside, {**text, "extras": _only_options(text["extras"])})
    inner = table.place("inner", dict.fromkeys(media.KINDS, carried(is_typed=False, inner=True)))
    typed = dict.fromkeys(media.KINDS, carried(is_typed=True))
    user = table.place("user", {**typed, am.ImageBlock: carried(is_typed=False)})
    return Caps(
        messages={
            "system": system,
            "developer": MessageRow(otherwise=rules.role_rule("system")),
            "user": MessageRow(fields=fields, blocks=user),
            "assistant": MessageRow(
                fields=fields, blocks=table.assistant(), results=inner, otherwise=own.named, concerns=am.ToolResultBlock
            ),
            "tool": MessageRow(fields=fields, blocks={am.ToolResultBlock: table.result()}, results=inner),
            "native": rules.native_message_row(FAMILY, messages.message_of),
            ANY_ROLE: MessageRow(otherwise=rules.other_role),
        },
        arrange=(restructure.split_results,),
        needs_id=own.needs_id,
        derives_names=True,
    )
