"""What lionpride holds, and what becomes of the rest: one text or one call a message, and a field for each datum."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg.formats import (
    KEEP,
    MessageRow,
    Row,
    carried_extras,
    cells,
    dump_json,
    given,
    is_marked,
    is_sequence,
    marked,
    natives,
    rules,
)
from agentmsg.formats.nearest import Nearest, Orders, holding, spread, words
from agentmsg_codecs.lionpride.messages import NODE, kind_of
from agentmsg_codecs.lionpride.names import (
    CLASS,
    CONTENT,
    DETAILS,
    FAMILY,
    META,
    NODE_KEYS,
    SLOTS,
    TAKEN,
    is_uuid,
    own_id,
)
from agentmsg_codecs.lionpride.urls import is_web_url

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_TEXT = Row({"text": KEEP})
# The fields of users' data, and of the system's, in the order of writing; None is for text.
_ORDER: Mapping[str, tuple[str | None, ...]] = {
    "user": (None, *SLOTS["user"], "images", "image_detail"),
    "system": (None, *SLOTS["system"]),
}


# -- blocks -----------------------------------------------------------------------------------------------------------


def _slot_of(block: Any, role: str) -> str | None:
    """Return the field of a block in messages of a role; None if it is text."""
    if isinstance(block, am.ImageBlock) and role == "user":
        return "images"
    name = block.name if isinstance(block, am.DataBlock) else None
    return name if name in _ORDER[role] and name != "images" else None


def _data(block: am.DataBlock, role: str) -> Any:
    """Return data that has a field of its own, or their text; None if they say nothing."""
    is_instruction = role == "user" and block.name == "instruction"
    if _slot_of(block, role) is None and not is_instruction:
        return rules.as_text(block)
    if is_instruction and isinstance(block.data, str):
        return am.TextBlock(block.data)
    return None if block.data is None else block


def _image(block: am.ImageBlock) -> Any:
    """Return an image with a URL that lionpride accepts; None for any other."""
    source = block.source
    if not isinstance(source, am.URLSource) or not (is_web_url(source.url) or is_marked(block, FAMILY, "/odd")):
        return None
    is_bare = source.media_type is None and not source.extras
    return block if is_bare else block.evolve(source=am.URLSource(source.url))


def _detail(detail: str, block: Any) -> str | None:
    """Keep a detail that lionpride lists, or the one that was read."""
    return detail if detail in DETAILS or is_marked(block, FAMILY, "/detail") else None


def _result(block: am.ToolResultBlock) -> am.ToolResultBlock:
    """Return a result that is one text or one JSON value; an error has a field of its own."""
    content, changes = block.content, dict[str, Any]()
    link = block.tool_call_id
    if link is not None and not is_marked(block, FAMILY, "/free") and not is_uuid(link):
        changes["tool_call_id"] = own_id(link)
    if len(content) > 1 or (content and not isinstance(content[0], am.TextBlock)):
        said = words(content)
        content = (am.TextBlock(said),) if said else ()
    if block.is_error and block.error is None:
        changes |= {"error": words(content) or block.status, "status": None}
        content = ()
    if not content and isinstance(block.structured, str):
        content = (am.TextBlock(block.structured),)
        changes["structured"] = None
    near: am.ToolResultBlock = holding(block, content, **changes)
    return near


# -- messages ---------------------------------------------------------------------------------------------------------


def _id(value: str, message: am.Msg) -> str | None:
    return value if is_uuid(value) or is_marked(message, FAMILY, "/free") else None


def _filled(value: Any, _: Any) -> Any:
    return value or None


def _value(value: Any, block: am.ToolResultBlock) -> Any:
    """Keep the structured value of a result without content."""
    return None if block.content else value


def _metadata(metadata: Mapping[str, Any], _: Any) -> Any:
    """Keep the metadata, except ``lion_class``, which is the key of the class."""
    if "lion_class" not in metadata:
        return metadata
    return {key: value for key, value in metadata.items() if key != "lion_class"}


def _taken_in_metadata(message: am.Msg) -> frozenset[str] | None:
    own: Any = message.extras[META]
    return frozenset() if list(own) == ["lion_class"] and own["lion_class"] != CLASS else None


def _rows() -> Mapping[str, MessageRow]:
    fields: dict[str, Any] = {
        "id": _id,
        "created_at": KEEP,
        **dict.fromkeys(("name", "recipient", "embedding"), _filled),
        "metadata": _metadata,
        "extras": carried_extras(
            (CONTENT, lambda message: TAKEN[kind_of(message)]),
            (META, _taken_in_metadata),
            (FAMILY, lambda _: NODE_KEYS),
            odd=natives.odd_at(NODE, FAMILY),
        ),
    }
    call: dict[str, Any] = {"id": KEEP, "name": KEEP, "input": KEEP, "raw_input": cells.arguments_text}
    data = {role: Row({"data": KEEP, "name": KEEP}, partial(_data, role=role)) for role in _ORDER}
    blocks: Mapping[str, dict[type[am.BaseBlock], Row]] = {
        "system": {am.DataBlock: data["system"]},
        "user": {am.DataBlock: data["user"], am.ImageBlock: Row({"source": KEEP, "detail": _detail}, _image)},
        "assistant": {am.ToolUseBlock: Row(call, rules.call_as_function)},
    }
    result = Row({"tool_call_id": KEEP, "structured": _value, "error": KEEP}, _result)
    return {
        **{role: MessageRow(fields=fields, blocks={am.TextBlock: _TEXT, **own}) for role, own in blocks.items()},
        "tool": MessageRow(fields=fields, blocks={am.ToolResultBlock: result}, results={am.TextBlock: _TEXT}),
    }


def _is_linked(call: str | None, message: str | None) -> bool:
    """Whether a call and its message have the same id, a UUID of a document."""
    return type(call) is str and type(message) is str and call == message and is_uuid(call)


class LionprideNearest(Nearest):
    """Finds the nearest history that lionpride holds."""

    derives_names = True
    orders: ClassVar[Orders] = dict.fromkeys(_ORDER, ())

    def rows(self) -> Mapping[str, MessageRow]:
        """Return what messages hold."""
        return _rows()

    def rank(self, block: Any, role: str) -> int:
        """Return the place of a block: text first, data in the order of the fields, then images."""
        return _ORDER[role].index(_slot_of(block, role))

    def are_one(self, left: Any, right: Any, role: str) -> bool:
        """Whether a message has one place for two blocks."""
        if role == "assistant":
            return type(left) is type(right) is am.TextBlock
        slots = _slot_of(left, role), _slot_of(right, role)
        return slots == ("images", "image_detail") or (slots[0] == slots[1] and slots[0] != "images")

    def as_one(self, blocks: Sequence[Any]) -> Any:
        """Return texts as one text, lists as one list; of other blocks the first counts."""
        first = blocks[0]
        if isinstance(first, am.TextBlock) or getattr(first, "name", None) == "instruction":
            texts = (each.text if isinstance(each, am.TextBlock) else dump_json(each.data).decode() for each in blocks)
            return am.TextBlock("\n".join(texts))
        if getattr(first, "name", None) not in ("context", "tool_schemas"):
            return first
        lists = ([*block.data] if is_sequence(block.data) else [block.data] for block in blocks)
        return first.evolve(data=[item for each in lists for item in each])

    def arranged(self, content: Sequence[Any], role: str) -> Sequence[Any]:
        """Return the blocks in order; all images have the first detail of any of them."""
        content = super().arranged(content, role)
        images = [block for block in content if isinstance(block, am.ImageBlock)]
        if len({block.detail for block in images}) <= 1:
            return content
        told = next(block for block in images if block.detail is not None)
        noted = any(is_marked(block, FAMILY, "/detail") for block in images if block.detail == told.detail)
        even = {id(block): block.evolve(detail=told.detail) for block in images}
        even = {key: marked(block, FAMILY, detail=True) for key, block in even.items()} if noted else even
        return [even.get(id(block), block) for block in content]

    def become(self, message: am.Msg) -> list[am.Msg]:
        """Return a message; of an assistant one for each text and each call, whose id is that of its message."""
        (near,) = super().become(message)
        if message.role != "assistant":
            return [near]
        free = is_marked(message, FAMILY, "/free")
        found = spread(near, [("assistant", [block]) for block in near.content] or [("assistant", [])])
        return [self._linked(each, free=free) if each.has(am.ToolUseBlock) else each for each in found]

    def _linked(self, message: am.Msg, *, free: bool) -> am.Msg:
        """Give a call and its message the same id."""
        call: Any = message.content[0]
        link = call.id if call.id is not None else given(message.id)
        if link is None:
            return message
        link = str(link) if free else own_id(link)
        message = message if message.id == link else message.evolve(id=link)
        return message if call.id == link else message.evolve(content=(call.evolve(id=link),))

    def if_kept(self, message: am.Msg) -> am.Msg | None:
        """Return a message if it is kept."""
        content = message.content
        if message.role != "assistant":
            is_even = len(content) <= 1 or len({each.detail for each in message.blocks(am.ImageBlock)}) <= 1
            return super().if_kept(message) if is_even else None
        block: Any = content[0] if len(content) == 1 else None
        if type(block) is am.TextBlock or (type(block) is am.ToolUseBlock and _is_linked(block.id, message.id)):
            return message
        near = self.become(message)
        return message if len(near) == 1 and near[0] is message else None
