"""The capability table: what lionpride's messages support, and the rules for the rest."""

from __future__ import annotations

from functools import partial
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    KEEP,
    Caps,
    Drop,
    MessageRow,
    Row,
    Swap,
    carried_extras,
    cells,
    dump_json,
    is_marked,
    is_sequence,
    marked,
    natives,
    restructure,
    rules,
)
from agentmsg_codecs.lionpride.format import (
    CLASS,
    CONTAINERS,
    CONTENT,
    DETAILS,
    FAMILY,
    META,
    NODE_KEYS,
    SLOTS,
    TAKEN,
    is_uuid,
    is_web_url,
    own_id,
)
from agentmsg_codecs.lionpride.messages import NODE, kind_of, read_node

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agentmsg.formats import Cell
    from agentmsg_codecs.lionpride import LionprideCodec


# -- blocks -----------------------------------------------------------------------------------------------------------


_TEXTS: Mapping[type[am.BaseBlock], Row] = {**rules.TEXT_ROWS, am.TextBlock: Row({"text": KEEP})}


def _slot_of(block: Any, role: str) -> str | None:
    """Return the field that holds data in messages of a role; None if data becomes text there."""
    if not isinstance(block, am.DataBlock):
        return None
    own = (*SLOTS.get(role, ()), *(("instruction", "image_detail") if role == "user" else ()))
    return block.name if block.name in own else None


def _data_row(role: str) -> Row:
    """Return the row of data in messages of a role: keep data with a field of its own, make other data text."""

    def rule(block: am.DataBlock) -> Any:
        slot = _slot_of(block, role)
        if slot is None:
            return rules.data_as_text(block)
        if block.data is None:
            return Drop("an empty field has no meaning", "annotation")
        if slot == "instruction" and isinstance(block.data, str):
            return Swap(am.TextBlock(block.data), "an instruction that is a text is a TextBlock", "annotation")
        return block

    return Row({"data": KEEP, "name": KEEP}, rule)


def _image_rule(block: am.ImageBlock) -> Any:
    """Keep an image with a URL that lionpride accepts; drop any other."""
    source = block.source
    if not isinstance(source, am.URLSource) or not (is_web_url(source.url) or is_marked(block, FAMILY, "/odd")):
        return Drop("an image is given by URL (http, https) here")
    if source.media_type is None and not source.extras:
        return block
    return Swap(block.evolve(source=am.URLSource(source.url)), "an image is only a URL here", "annotation")


def _carried_detail(detail: str, block: Any) -> str | None:
    """Keep a detail that lionpride lists, or the one that was read."""
    return detail if detail in DETAILS or is_marked(block, FAMILY, "/detail") else None


def _result_rule(block: am.ToolResultBlock) -> Any:
    """Keep a result that is one text or one JSON value; an error has a field of its own."""
    changes: dict[str, Any] = {}
    level: Any = "annotation"
    link = block.tool_call_id
    if link is not None and not is_marked(block, FAMILY, "/free") and not is_uuid(link):
        changes["tool_call_id"] = own_id(link)
    texts = [text for item in block.content if (text := rules.as_text(item)) is not None]
    if len(block.content) > 1 or (block.content and not isinstance(block.content[0], am.TextBlock)):
        level = "annotation" if len(texts) == len(block.content) else "content"
        changes["content"] = (am.TextBlock("\n".join(text.text for text in texts)),) if texts else ()
    if block.is_error and block.error is None:
        words = "\n".join(text.text for text in texts)
        changes |= {"error": words or block.status, "status": None}
        if words:
            changes["content"] = ()
    if not changes.get("content", block.content) and isinstance(block.structured, str):
        changes |= {"content": (am.TextBlock(block.structured),), "structured": None}
    return Swap(block.evolve(**changes), "a result is one value and an error here", level) if changes else block


def _carried_value(value: Any, block: am.ToolResultBlock) -> Any:
    """Keep the structured value of a result without content."""
    return None if block.content else value


_IMAGE = Row({"source": KEEP, "detail": _carried_detail}, _image_rule)
_CALL = Row({"id": KEEP, "name": KEEP, "input": KEEP, "raw_input": cells.arguments_text}, rules.call_as_function)
_RESULT = Row({"tool_call_id": KEEP, "structured": _carried_value, "error": KEEP}, _result_rule)


_ALONE = "a message holds one text and one call at most"


# -- messages ---------------------------------------------------------------------------------------------------------


def _id(value: str, message: am.Msg) -> str | None:
    return value if is_uuid(value) or is_marked(message, FAMILY, "/free") else None


def _metadata(metadata: Mapping[str, Any], _: Any) -> Any:
    """Keep the metadata, except ``lion_class``, which is the key of the class."""
    if "lion_class" not in metadata:
        return metadata
    return {key: value for key, value in metadata.items() if key != "lion_class"}


def _taken_in_content(message: am.Msg) -> frozenset[str]:
    return TAKEN[kind_of(message)]


def _taken_in_metadata(message: am.Msg) -> frozenset[str] | None:
    own: Any = message.extras[META]
    return frozenset() if list(own) == ["lion_class"] and own["lion_class"] != CLASS else None


_EXTRAS = carried_extras(
    (CONTENT, _taken_in_content),
    (META, _taken_in_metadata),
    (FAMILY, lambda _: NODE_KEYS),
    odd=natives.odd_at(NODE, FAMILY),
)


def _filled(value: Any, _: Any) -> Any:
    return value or None


# The ranks of images and their detail, after those of text and of SLOTS.
_IMAGES, _DETAIL = 8, 9


def _rank(role: str, block: Any) -> int:
    """Return a block's rank in a message: text first, data in the order of the fields, then images."""
    if isinstance(block, am.ImageBlock) and role == "user":
        return _IMAGES
    slot = _slot_of(block, role)
    if slot in (None, "instruction"):
        return 0
    return _DETAIL if slot == "image_detail" else 1 + SLOTS[role].index(str(slot))


def _text_of(block: Any) -> str:
    return block.text if isinstance(block, am.TextBlock) else dump_json(block.data).decode()


def _joiner(role: str) -> Callable[[Any, Any], Any]:
    """Return the function that joins two blocks if a message has only one place for both."""

    def joined(left: Any, right: Any) -> Any:
        rank = _rank(role, left)
        if rank == _IMAGES:
            return left if _slot_of(right, role) == "image_detail" else None
        if rank != _rank(role, right):
            return None
        if rank == 0:
            text = f"{_text_of(left)}\n{_text_of(right)}"
            return left.evolve(text=text) if isinstance(left, am.TextBlock) else am.TextBlock(text)
        if left.name not in ("context", "tool_schemas"):
            return left
        both = [[*block.data] if is_sequence(block.data) else [block.data] for block in (left, right)]
        return left.evolve(data=[*both[0], *both[1]])

    return joined


def _one_each(role: str) -> Callable[[am.Msg], Any]:
    """Return the rule for messages with one place for each kind of block, and one detail for all images."""
    joined = _joiner(role)

    def rule(message: am.Msg) -> Any:
        even = _with_one_detail(message) if role == "user" else message
        if even is not message:
            return Swap(even, "one detail is for all images", "annotation")
        # Other blocks are joined as what they become; a message with several blocks for one place isn't kept.
        said = [block for block in message.content if type(block) is am.TextBlock or _has_place(block, role)]
        if any(joined(left, right) is not None for left, right in pairwise(said)):
            return Swap(message, _ALONE, "annotation")
        return message

    return rule


def _has_place(block: Any, role: str) -> bool:
    return _slot_of(block, role) is not None or (role == "user" and isinstance(block, am.ImageBlock))


def _with_one_detail(message: am.Msg) -> am.Msg:
    """Give all images of a message the first supported detail of any of them."""
    images = message.blocks(am.ImageBlock)
    details = {None if block.detail is None else _carried_detail(block.detail, block) for block in images}
    if len(details) <= 1:
        return message
    told = next(detail for block in images if (detail := block.detail) in details and detail is not None)
    noted = any(is_marked(block, FAMILY, "/detail") for block in images if block.detail == told)

    def with_detail(block: Any) -> Any:
        if not isinstance(block, am.ImageBlock):
            return block
        new = block.evolve(detail=told)
        return marked(new, FAMILY, detail=True) if noted else new

    return natives.with_each(message, with_detail)  # type: ignore[no-any-return]


def _is_call(block: Any) -> bool:
    return isinstance(block, am.ToolUseBlock) and block.kind != "server"


def _units(message: am.Msg) -> list[tuple[int, ...]]:
    """Return the blocks of an assistant message in runs that one message can hold: text, or one call."""
    runs: list[list[int]] = []
    kinds: list[bool | None] = []
    for index, block in enumerate(message.content):
        # A block that will be dropped goes with its neighbours.
        kind = True if _is_call(block) else False if rules.as_text(block) is not None else None
        if not runs or (kind is not None and kinds[-1] is not None and (kind or kinds[-1])):
            runs.append([index])
            kinds.append(kind)
        else:
            runs[-1].append(index)
            kinds[-1] = kinds[-1] if kind is None else kind
    return list(map(tuple, runs))


def _split_calls(plan: restructure.Plan | None, messages: Sequence[am.Msg]) -> restructure.Plan | None:
    """Give each call of an assistant message a message of its own."""
    runs = {
        index: found
        for index, message in enumerate(messages)
        if message.role == "assistant" and len(found := _units(message)) > 1
    }
    if not runs:
        return plan
    out: restructure.Plan = []
    for parts in restructure.as_is(messages) if plan is None else plan:
        part = parts[0]
        if len(parts) > 1 or part.index not in runs or part.role not in (None, "assistant"):
            out.append(parts)
            continue
        place = {pick: number for number, run in enumerate(runs[part.index]) for pick in run}
        units = groupby(sorted(part.picks, key=place.__getitem__), key=place.__getitem__)
        out += [(restructure.Part(part.index, tuple(picks), part.role),) for _, picks in units]
    return out


def _answer(message: am.Msg) -> Any:
    """Keep an assistant message of one text, or of a call whose id is that of the message."""
    if len(message.content) == 1 and _is_usual_answer(message.content[0], message.id):
        return message
    calls = [block for block in message.content if _is_call(block)]
    if not calls:
        texts = sum(type(block) is am.TextBlock for block in message.content)
        return Swap(message, _ALONE, "annotation") if texts > 1 else message
    free = is_marked(message, FAMILY, "/free")
    content = [_with_own_id(block, free=free) if _is_call(block) else block for block in message.content]
    link: Any = message.id
    if len(calls) == 1 and len(_units(message)) == 1:
        (index,) = (number for number, block in enumerate(content) if _is_call(block))
        call: Any = content[index]
        if call.id is not None:
            link = message.id if message.id == call.id else str(call.id)
        elif link is not None and not isinstance(link, am.Made):
            link = link if free else own_id(link)
            content[index] = call.evolve(id=link)
    if link is message.id and all(new is old for new, old in zip(content, message.content, strict=True)):
        return message
    new = message.evolve(id=link, content=content)
    return Swap(new, "the id of a call is that of its message, a UUID", "annotation")


def _is_usual_answer(block: Any, link: str | None) -> bool:
    """Whether one block needs no change: a text, or a call with the id of its message, a UUID."""
    if type(block) is am.TextBlock:
        return True
    return _is_call(block) and link is not None and block.id is link and is_uuid(link)


def _with_own_id(block: Any, *, free: bool) -> Any:
    if block.id is None or free or is_uuid(block.id):
        return block
    return block.evolve(id=own_id(block.id))


def make_caps(_: LionprideCodec) -> Caps:
    """Return the capability table."""
    fields: dict[str, Cell] = {
        "id": _id,
        "created_at": KEEP,
        "name": _filled,
        "recipient": _filled,
        "metadata": _metadata,
        "embedding": _filled,
        "extras": _EXTRAS,
    }
    user = {**_TEXTS, am.DataBlock: _data_row("user"), am.ImageBlock: _IMAGE}
    return Caps(
        messages={
            "system": MessageRow(
                fields=fields,
                blocks={**_TEXTS, am.DataBlock: _data_row("system")},
                otherwise=_one_each("system"),
                joins=_joiner("system"),
            ),
            "developer": MessageRow(otherwise=rules.role_rule("system")),
            "user": MessageRow(fields=fields, blocks=user, otherwise=_one_each("user"), joins=_joiner("user")),
            "assistant": MessageRow(
                fields=fields, blocks={**_TEXTS, am.ToolUseBlock: _CALL}, otherwise=_answer, joins=_joiner("assistant")
            ),
            "tool": MessageRow(
                fields=fields, blocks={am.ToolResultBlock: _RESULT}, results={am.TextBlock: _TEXTS[am.TextBlock]}
            ),
            **rules.other_rows(FAMILY, read_node),
        },
        history=CONTAINERS.cells(),
        arrange=(
            restructure.split_results,
            _split_calls,
            restructure.order("system", partial(_rank, "system")),
            restructure.order("user", partial(_rank, "user")),
            restructure.order("tool", partial(_rank, "user")),  # blocks beside results become a user's
        ),
        needs_id=natives.lacks_id(FAMILY),
        derives_names=True,
    )
