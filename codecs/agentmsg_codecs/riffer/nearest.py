"""What Riffer holds, and what becomes of the rest: thinking, one text, then calls or files; one text and an error."""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import KEEP, MessageRow, Row, carried_extras, cells, dump_json, natives, rules
from agentmsg.formats.forms import Rows
from agentmsg.formats.nearest import Nearest, Orders, holding, words
from agentmsg_codecs.riffer.calls import Links, item_of
from agentmsg_codecs.riffer.files import near_file
from agentmsg_codecs.riffer.format import DESCRIBED, FILES, REQUIRED, kept
from agentmsg_codecs.riffer.names import FAMILY
from agentmsg_codecs.riffer.reasoning import PART, TYPES, near_signature, near_thinking, taken_in_part

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ROWS = Rows(DESCRIBED)
_TEXT = Row({"text": KEEP}, lambda block: block if block.text else None)


def _native_row(*items: str) -> Row:
    """Return the row of native blocks among items of some forms: each must be read as a native block again."""
    names = DESCRIBED.names

    def comes_back(block: am.NativeBlock) -> am.NativeBlock | None:
        back = kept(thaw(block.value), names.scope[names.reader(items)])
        return back if type(back) is am.NativeBlock else None

    return rules.native_block_row(FAMILY, comes_back)


def _assistant() -> MessageRow:
    keys = DESCRIBED.forms["text"].keys
    extras = carried_extras((PART, taken_in_part), (FAMILY, lambda _: keys))
    usage = cells.usage(_ROWS.row("usage").fields, needs=tuple(REQUIRED.values()), family=FAMILY)
    calls = _ROWS.row("call", "other_call", item_id=lambda _, block: item_of(block), kind=cells.kinds())
    thinking = _ROWS.row(*TYPES, rules={am.ThinkingBlock: near_thinking}, signature=near_signature, extras=extras)
    return MessageRow(
        fields=_ROWS.message("assistant", usage=usage),
        blocks={
            am.TextBlock: _TEXT,
            am.NativeBlock: _native_row(*TYPES),
            am.ThinkingBlock: thinking,
            am.ToolUseBlock: calls.evolve(otherwise=rules.call_as_function),
        },
    )


def _user() -> MessageRow:
    def files(name: str) -> Row:
        return _ROWS.row(f"{name}_url", f"{name}_data", source=KEEP).evolve(otherwise=near_file)

    blocks = {am.ImageBlock: files("image"), am.FileBlock: files("file"), am.NativeBlock: _native_row(*FILES)}
    return MessageRow(fields=_ROWS.message("user"), blocks={am.TextBlock: _TEXT, **blocks})


def _tool() -> MessageRow:
    form, is_odd = DESCRIBED.forms["tool"], natives.odd_at(DESCRIBED.shapes["tool"], FAMILY)

    def stays(message: am.Msg, key: str, value: Any) -> bool:
        # Beside an error, its type is always written.
        return not (key == "error_type" and message.is_error) and is_odd(message, key, value)

    return MessageRow(
        fields=_ROWS.message("tool", extras=carried_extras((FAMILY, lambda _: form.keys), odd=stays)),
        blocks={am.ToolResultBlock: Row(dict.fromkeys(("tool_call_id", "name", "error", "error_type"), KEEP), _result)},
        results={am.TextBlock: _TEXT},
    )


def _result(block: am.ToolResultBlock) -> am.ToolResultBlock:
    """Return a result of one text; a failed one needs an error, which alone shows the failure."""
    content: Sequence[Any] = block.content
    if not content and block.structured is not None:
        content = (am.TextBlock(dump_json(block.structured).decode()),)
    elif len(content) > 1 or any(type(item) is not am.TextBlock for item in content):
        content = (am.TextBlock(words(content)),)
    is_told = block.error is not None or not block.is_error
    near: am.ToolResultBlock = holding(block, content, **({} if is_told else {"error": words(content) or block.status}))
    return near


class RifferNearest(Nearest):
    """Finds the nearest history that Riffer holds."""

    orders: ClassVar[Orders] = {
        "user": ((am.TextBlock,), (am.ImageBlock, am.FileBlock, am.NativeBlock)),
        "assistant": ((am.ThinkingBlock, am.NativeBlock), (am.TextBlock,), (am.ToolUseBlock,)),
    }

    def rows(self) -> Mapping[str, MessageRow]:
        """Return what messages hold."""
        system = MessageRow(fields=_ROWS.message("system"), blocks={am.TextBlock: _TEXT})
        return {"system": system, "user": _user(), "assistant": _assistant(), "tool": _tool()}

    def are_one(self, left: Any, right: Any, role: str) -> bool:
        """Whether two blocks are texts: there is only one."""
        return type(left) is type(right) is am.TextBlock

    def needs_id(self, block: Any) -> bool:
        """Whether a client's call or result must get an id; a call with an item id needs a link too."""
        is_half = isinstance(block, am.ToolUseBlock) and block.id is None and block.kind != "server"
        return (is_half and item_of(block) is not None) or self.lacks_id(block)

    def related(self, messages: Sequence[am.Msg]) -> Sequence[am.Msg]:
        """Make a result a user's message if its link would be read as the item id of another call."""
        if not any(isinstance(block, am.ToolUseBlock) and block.item_id for each in messages for block in each.content):
            return messages
        links, out = Links("latest"), list[am.Msg]()
        for message in messages:
            if message.role == "assistant":
                links.see(message.content)
            link = natives.link_at(message.content[0]) if message.role == "tool" else None
            is_clear = link is None or links.meaning(link) == link
            out += [message] if is_clear else self.become(message.evolve(role="user"))
        return messages if all(map(is_, out, messages)) else out
