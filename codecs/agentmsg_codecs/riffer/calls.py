"""Tool calls with their two ids, and the links of results to them.

``call_id`` is the model's link, ``id`` the id of the item. 0.9 has both and links results by ``id``; the current
dialect has only ``call_id``. Both are read in both dialects: a result belongs to the call with this ``call_id``, else
to the call with this ``id``. In 0.9 a link is the id of an item: if that id is edited, results are written with the new
one.

Marks: ``/ids`` on a call whose only id isn't under the default key ("id", "call_id" or "both"); ``/link`` on a result
that is linked by the other id ("id" or "call_id"); the marks of agentmsg.formats.natives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import KEEP, Unreadable, mark_of, marked, natives, speed, tool_links, word_at
from agentmsg.formats.forms import Arguments, Form, Hatch, Key, Link, Text
from agentmsg_codecs.riffer.names import FAMILY, VERSIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmsg.formats import Native
    from agentmsg_codecs.riffer.names import Version


_with_link = speed.replacer(am.ToolResultBlock, "tool_call_id")
_FORMS = ("id", "call_id", "both")


def item_of(block: am.ToolUseBlock) -> str | None:
    """Return the id of a call's item if it differs from the link."""
    return block.item_id if block.item_id and block.item_id != block.id else None


# -- forms ------------------------------------------------------------------------------------------------------------


def calls(version: Version) -> tuple[Form, Form]:
    """Return the forms of a dialect's calls: the usual one, and the one for ids under other keys.

    Args:
        version: the dialect; 0.9 writes a single id under both keys.
    """
    is_old, end = version == "0.9", VERSIONS[version]
    default = "both" if is_old else "call_id"

    def is_usual(native: Native) -> bool:
        link, own = native.get("call_id"), native.get("id")
        if type(link) is not str or own is None:
            return type(link) is str and not is_old
        return type(own) is str and own not in ("", link)

    def form_of(block: am.ToolUseBlock) -> str:
        form = mark_of(block, FAMILY, "/ids") if block.notes else None
        return form if isinstance(form, str) and form in _FORMS else default

    def is_other(block: am.ToolUseBlock) -> bool:
        return item_of(block) is None and (is_old or block.id is None or form_of(block) != "call_id")

    def read(native: Native) -> dict[str, Any]:
        link, own = word_at(native, "call_id"), word_at(native, "id")
        notes: dict[str, Any] = {key: "null" for key in ("id", "call_id") if key in native and native[key] is None}
        form = "both" if link is not None and own is not None else "id" if link is None else "call_id"
        if link is None and own is None:
            notes["/no-id"] = True
        elif form != default:
            notes["/ids"] = form
        if link and own == "":
            notes["id"] = '""'
        return {"id": own if link is None else link, "notes": notes}

    def write(block: am.ToolUseBlock) -> Native:
        link, form = natives.link_of(block.id), form_of(block)
        return {key: link for key in ("id", "call_id") if form in (key, "both")} if link is not None else {}

    own = Key("id", "item_id", Text(), "must" if is_old else "may")
    ids = Hatch(keys=("id", "call_id"), cells={"id": KEEP}, get=read, put=write, about="id")
    said = (Key("name", "name", Text()), Key("arguments", "input", Arguments(is_any=True, is_eager=True), '""'))
    link = Key("call_id", "id", Link())
    return (
        Form(f"call{end}", am.ToolUseBlock, None, (own, link, *said), fits=is_usual, is_apart=f"calls{end}"),
        Form(f"other_call{end}", am.ToolUseBlock, None, (ids, *said), when=is_other, is_apart=f"calls{end}"),
    )


# -- links ------------------------------------------------------------------------------------------------------------


class Links:
    """The calls so far: the call that a text in ``tool_call_id`` means.

    Args:
        version: the dialect; it decides which id links results by default.
    """

    def __init__(self, version: Version) -> None:
        self._by_item = version == "0.9"
        self._calls: set[str] = set()
        self._link_of: dict[str, str] = {}
        self._item_of: dict[str, str] = {}

    def see(self, blocks: Iterable[Any]) -> None:
        """Record the calls of client tools among an assistant's blocks."""
        for block in blocks:
            if isinstance(block, am.ToolUseBlock) and block.kind != "server" and block.id is not None:
                self._calls.add(block.id)
                item = item_of(block)
                if item is not None:
                    self._link_of.setdefault(item, block.id)
                    self._item_of.setdefault(block.id, item)

    def meaning(self, text: str) -> str:
        """Return the link that a text in ``tool_call_id`` means."""
        return text if text in self._calls else self._link_of.get(text, text)

    def _spelt(self, link: str, key: Any) -> str:
        by_item = key == "id" if key in ("id", "call_id") else self._by_item
        item = self._item_of.get(link) if by_item else None
        return item if item is not None and self.meaning(item) == link else link

    def linked(self, message: am.Msg) -> am.Msg:
        """Link the result in a read message with its call.

        Raises:
            Unreadable: if the link couldn't be written again.
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
        """Replace the link in a message to write by the text for ``tool_call_id``."""
        if message.role == "assistant":
            self.see(message.content)
        if message.role != "tool" or not self._item_of:
            return message
        block: Any = message.content[0]
        if block.tool_call_id is None:
            return message
        spelt = self._spelt(block.tool_call_id, mark_of(block, FAMILY, "/link"))
        return message if spelt == block.tool_call_id else tool_links.with_result(message, _with_link(block, spelt))
