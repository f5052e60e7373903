"""Tool calls with their two ids, and how results are linked with them.

``call_id`` is the link of the model, ``id`` the id of the item. 0.9 has both and links results by ``id``; today there
is ``call_id`` alone. Read is either, in both: a result is of the call with this ``call_id``, else of that with this
``id``. A link of 0.9 is the id of an item: who edits that id edits the link, and results are written with the new one.

Marks: ``/ids`` on a call whose one id stands elsewhere than by default ("id", "call_id" or "both"); ``/link`` on a
result that is linked by the other id ("id" or "call_id"); those of agentmsg.formats.natives.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    Native,
    Shape,
    Unreadable,
    is_object,
    maker,
    mark_of,
    marked,
    natives,
    read_as,
    restructure,
    speed,
    text_at,
    tool_links,
    word_at,
    write_as,
)
from agentmsg_codecs.riffer.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agentmsg_codecs.riffer.names import Version


_make_call = maker(am.ToolUseBlock)
_with_link = speed.replacer(am.ToolResultBlock, "tool_call_id")
NO_ID = natives.without_id(FAMILY)
_lacks_id = natives.lacks_id(FAMILY)
CALL_KEYS = frozenset({"id", "call_id", "name", "arguments"})
_FORMS = ("id", "call_id", "both")


def needs_id(block: Any) -> bool:
    """Whether a client's call or result must be given an id: one that has an item's needs the link, too."""
    if isinstance(block, am.ToolUseBlock) and block.id is None and block.kind != "server" and _item_of(block):
        return True
    return _lacks_id(block)


def _item_of(block: am.ToolUseBlock) -> str | None:
    """Return the id of a call's item, where it says more than the link."""
    return block.item_id if block.item_id and block.item_id != block.id else None


class Calls:
    """Reads and writes the entries of ``tool_calls``.

    Args:
        version: the dialect: 0.9 writes an only id twice.
    """

    def __init__(self, version: Version) -> None:
        self._form = "both" if version == "0.9" else "call_id"
        self._shape = Shape(cls=am.ToolUseBlock, keys={None: CALL_KEYS}, read=self._read, write=self._write)

    def _read(self, native: Native, _: Any) -> am.ToolUseBlock:
        link, own = word_at(native, "call_id"), word_at(native, "id")
        form = "both" if link is not None and own is not None else "id" if link is None else "call_id"
        given = {"call_id": own if link is None else link, "item": own if link is not None else None}
        item = given["item"] if given["item"] and given["item"] != given["call_id"] else None
        make = partial(_make_call, given["call_id"], text_at(native, "name"), item_id=item)
        block = natives.read_arguments(make, native.get("arguments"), FAMILY)
        marks: dict[str, Any] = {}
        if block.id is None:
            marks["no-id"] = True
        elif item is None and form != self._form:
            marks["ids"] = form
        return marked(block, FAMILY, **marks) if marks else block

    def _write(self, block: am.ToolUseBlock) -> Native:
        return {**self._ids(block), "name": block.name, "arguments": natives.write_arguments(block, FAMILY)}

    def _ids(self, block: am.ToolUseBlock) -> Native:
        if block.id is None:
            return {}
        link, item = str(block.id), _item_of(block)
        if item is not None:
            return {"id": str(item), "call_id": link}
        form = mark_of(block, FAMILY, "/ids")
        form = form if isinstance(form, str) and form in _FORMS else self._form
        return {key: link for key in ("id", "call_id") if form in (key, "both")}

    def quick(self, entry: Any) -> am.ToolUseBlock | None:
        """Return the call of an entry as this dialect writes it; None if the general path must look."""
        link: Any = entry.get("call_id") if is_object(entry) else None
        if type(link) is not str or not link:
            return None
        name, arguments = entry.get("name"), entry.get("arguments")
        if type(name) is not str or type(arguments) is not str:
            return None
        if len(entry) == 3 and self._form == "call_id":  # noqa: PLR2004 - call_id, name, arguments
            return _make_call(link, name, raw_input=arguments)
        own = entry.get("id")
        if len(entry) != 4 or type(own) is not str or not own or own == link:  # noqa: PLR2004 - with the id
            return None
        return _make_call(link, name, raw_input=arguments, item_id=own)

    def read(self, entry: Any) -> am.ToolUseBlock:
        """Return the call of an entry.

        Raises:
            Unreadable: if it is none.
        """
        found = self.quick(entry)
        if found is None:
            found = read_as(self._shape, entry, FAMILY)
        return found

    def write(self, block: am.ToolUseBlock) -> Native:
        """Return the entry of a call."""
        return write_as(self._shape, block, FAMILY) if block.notes or block.extras else self._write(block)


# -- links ------------------------------------------------------------------------------------------------------------


class Links:
    """Which call a text in ``tool_call_id`` means, after the calls so far.

    Args:
        version: the dialect: by which id results are linked by default.
    """

    def __init__(self, version: Version) -> None:
        self._by_item = version == "0.9"
        self._calls: set[str] = set()
        self._link_of: dict[str, str] = {}
        self._item_of: dict[str, str] = {}

    def see(self, blocks: Iterable[Any]) -> None:
        """Take note of the calls of a client's tools among the blocks of an assistant."""
        for block in blocks:
            if isinstance(block, am.ToolUseBlock) and block.kind != "server" and block.id is not None:
                self._calls.add(block.id)
                item = _item_of(block)
                if item is not None:
                    self._link_of.setdefault(item, block.id)
                    self._item_of.setdefault(block.id, item)

    def meaning(self, text: str) -> str:
        """Return the link that a text in ``tool_call_id`` is."""
        return text if text in self._calls else self._link_of.get(text, text)

    def _spelt(self, link: str, key: Any) -> str:
        by_item = key == "id" if key in ("id", "call_id") else self._by_item
        item = self._item_of.get(link) if by_item else None
        return item if item is not None and self.meaning(item) == link else link

    def linked(self, message: am.Msg) -> am.Msg:
        """Return a message that was read, its result linked with its call.

        Raises:
            Unreadable: where the link could not be written again.
        """
        if message.role == "assistant":
            self.see(message.content)
        if message.role != "tool":
            return message
        block: Any = message.content[0]
        given = block.tool_call_id
        if given is None or (given not in self._link_of and given not in self._item_of):
            return message
        link = self.meaning(given)
        if self._spelt(link, None) != given:
            key = "call_id" if link == given else "id"
            if self._spelt(link, key) != given:
                raise Unreadable
            block = marked(block, FAMILY, link=key)
        return tool_links.with_result(message, block if link == given else _with_link(block, link))

    def unlinked(self, message: am.Msg) -> am.Msg:
        """Return a message to write, with the text that ``tool_call_id`` has."""
        if message.role == "assistant":
            self.see(message.content)
        if message.role != "tool" or not self._item_of:
            return message
        block: Any = message.content[0]
        if block.tool_call_id is None:
            return message
        spelt = self._spelt(block.tool_call_id, mark_of(block, FAMILY, "/link"))
        return message if spelt == block.tool_call_id else tool_links.with_result(message, _with_link(block, spelt))


def unambiguous(plan: restructure.Plan | None, messages: Sequence[am.Msg]) -> restructure.Plan | None:
    """Make a result a user's message where its link would be read as that of another call: the id of its item."""
    if not any(isinstance(block, am.ToolUseBlock) and block.item_id for each in messages for block in each.content):
        return plan
    links = Links("latest")
    out: restructure.Plan = []
    for parts in restructure.as_is(messages) if plan is None else plan:
        part = parts[0]
        message = messages[part.index]
        role = part.role or message.role
        blocks: list[Any] = [message.content[pick] for pick in part.picks]
        if role == "assistant":
            links.see(blocks)
        link = blocks[0].tool_call_id if role == "tool" and blocks else None
        is_clear = link is None or links.meaning(link) == link
        out.append(parts if is_clear else (restructure.Part(part.index, part.picks, "user"),))
    return plan if out == (restructure.as_is(messages) if plan is None else plan) else out
