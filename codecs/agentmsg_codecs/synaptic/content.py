"""Content blocks, and the text beside them in ``content``.

``content`` is a text, ``content_blocks`` a separate list; nothing keeps them in step. Usually the text is that of the
blocks. If it isn't, it becomes a TextBlock of its own, marked ``/apart``, after the thinking. Marks of messages:
``/listed`` (the blocks are one plain text), ``/joint`` (an unusual separator between the texts of the blocks).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    Native,
    Parts,
    Unreadable,
    is_list,
    is_marked,
    maker,
    mark_of,
    marked,
    spelling,
    text_at,
    word_at,
)
from agentmsg_codecs.synaptic.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


_make_text = maker(am.TextBlock, "text")
_make_thinking = maker(am.ThinkingBlock, "thinking")


# -- content and content_blocks ---------------------------------------------------------------------------------------

_JOINTS: Mapping[str, str] = {"line": "\n", "nothing": "", "space": " ", "blank line": "\n\n"}


def is_bare(block: Any) -> bool:
    """Whether a block is a text and nothing more."""
    return type(block) is am.TextBlock and bool(block.text) and not (block.extras and FAMILY in block.extras)


def _texts(blocks: Sequence[Any]) -> list[str]:
    return [block.text for block in blocks if isinstance(block, am.TextBlock)]


def read_content(native: Native, parts: Parts) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Read ``content`` and ``content_blocks``; return the blocks, and the notes of their message.

    Raises:
        Unreadable: if one of them has another type.
    """
    content, listed = word_at(native, "content"), native.get("content_blocks")
    if not listed:
        notes: dict[str, Any] = {} if content is not None else {"content": _spelt(native)}
        if "content_blocks" in native:
            spelt = spelling.spelling_of(listed)
            if spelt is None:
                raise Unreadable("content_blocks is not a list")
            notes["content_blocks"] = spelt
        return ((_make_text(content),) if content else ()), notes
    if not is_list(listed):
        raise Unreadable("content_blocks is not a list")
    blocks = tuple(map(parts.read, listed))
    notes = {"/listed": True} if len(blocks) == 1 and is_bare(blocks[0]) else {}
    texts = _texts(blocks)
    if not content:
        if content is None or "\n".join(texts):
            joint = None if content is None else _joint_of(texts, "")
            notes |= {"content": _spelt(native)} if joint is None else {"/joint": joint}
        return blocks, notes
    joint = _joint_of(texts, content)
    if joint is not None:
        return blocks, notes if joint == "line" else {**notes, "/joint": joint}
    index = _thoughts(blocks)
    return (*blocks[:index], marked(_make_text(content), FAMILY, apart=True), *blocks[index:]), {}


def _joint_of(texts: Sequence[str], content: str) -> str | None:
    return next((name for name, mark in _JOINTS.items() if mark.join(texts) == content), None)


def _spelt(native: Native) -> str:
    """Return the spelling of content that says nothing."""
    return "absent" if "content" not in native else "null" if native["content"] is None else '""'


def _thoughts(blocks: Sequence[Any]) -> int:
    """Count the blocks of thinking at the start."""
    count = 0
    for block in blocks:
        if block.__class__ is not am.ThinkingBlock:
            break
        count += 1
    return count


def write_content(message: am.Msg, blocks: Sequence[Any], write: Callable[[Any], Native]) -> Native:
    """Write ``content`` and, if there is more than a text, ``content_blocks``."""
    if not blocks:
        return {"content": ""}
    if len(blocks) == 1 and is_bare(blocks[0]) and not is_marked(message, FAMILY, "/listed"):
        return {"content": blocks[0].text}
    content, rest = _apart(blocks)
    if content is None:
        joint = mark_of(message, FAMILY, "/joint")
        content = (_JOINTS.get(joint, "\n") if isinstance(joint, str) else "\n").join(_texts(blocks))
    return {"content": content, "content_blocks": list(map(write, rest))}


def _apart(blocks: Sequence[Any]) -> tuple[str | None, Sequence[Any]]:
    """Return the text that only ``content`` has, and the other blocks; None and all blocks if there is no such text."""
    index = _thoughts(blocks)
    if len(blocks) == 1 or index == len(blocks):
        return None, blocks
    block = blocks[index]
    if not is_marked(block, FAMILY, "/apart") or not is_bare(block):
        return None, blocks
    rest = [*blocks[:index], *blocks[index + 1 :]]
    texts = _texts(rest)
    # It must follow the thinking, and differ from the joined texts; otherwise it would be read differently.
    is_own = _thoughts(rest) == index and all(mark.join(texts) != block.text for mark in _JOINTS.values())
    return (block.text, rest) if is_own else (None, blocks)


# -- content and reasoning of a chunk ---------------------------------------------------------------------------------


def read_chunk_content(native: Native) -> tuple[tuple[Any, ...], dict[str, Any], tuple[()]]:
    """Read ``reasoning`` and ``content`` of a chunk; return the blocks and their notes."""
    thought, text = word_at(native, "reasoning"), text_at(native, "content")
    notes = {} if thought or "reasoning" not in native else {"reasoning": "null" if thought is None else '""'}
    thoughts = (_make_thinking(thought),) if thought else ()
    return (*thoughts, *((_make_text(text),) if text else ())), notes, ()


def write_chunk_content(blocks: Sequence[Any], _: Any) -> Native:
    """Write ``content`` and ``reasoning`` of a chunk."""
    native: Native = {"content": "".join(_texts(blocks))}
    if blocks and isinstance(blocks[0], am.ThinkingBlock):
        native["reasoning"] = blocks[0].thinking
    return native
