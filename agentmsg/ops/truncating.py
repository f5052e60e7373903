"""Truncating: the part of a message that fits, if the whole doesn't.

Whole blocks are removed first, from the far end; then a text block at the edge is cut between words. Each ideogram is a
word. If a message is a single tool result, its content is cut like this.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from agentmsg.model.blocks import BaseBlock, Citation, TextBlock, ThinkingBlock, ToolResultBlock

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentmsg.model.msg import Msg

Side: TypeAlias = Literal["first", "last"]
"""What is kept: the beginning or the end."""

_IDEOGRAM = "\u2e80-\u302f\u3040-\u3096\u309d-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_IDEOGRAM}][\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef]*|[^\s{_IDEOGRAM}]+")


def part_of(message: Msg, side: Side, fits: Callable[[Msg], bool], can_cut: Sequence[bool]) -> Msg | None:
    """Return the largest part of a message that fits; None if there is none.

    Args:
        message: the message, which doesn't fit as a whole.
        side: which end of it to keep.
        fits: called for each part tried: about as often as the number of blocks and words has binary digits.
        can_cut: for each number of blocks, from none to all, whether the message may be cut after them.
    """
    content = message.content
    if len(content) == 1 and isinstance(result := content[0], ToolResultBlock):
        inner = result.content

        def made(part: Sequence[BaseBlock]) -> Msg:
            return message.evolve(content=(result.evolve(content=part, signature=None),))

        return _largest(inner, side, fits, [True] * (len(inner) + 1), made)
    return _largest(
        content,
        side,
        fits,
        can_cut,
        lambda part: message.evolve(content=_without_lost(content, part) if side == "last" else part),
    )


def _without_lost(content: Sequence[Any], part: Sequence[Any]) -> list[Any]:
    """Return the end of some content; native ids go with the thinking that they came of, for servers want both."""
    if not any(isinstance(block, ThinkingBlock) for block in content[: len(content) - len(part)]):
        return list(part)
    kept = next((at for at, block in enumerate(part) if isinstance(block, ThinkingBlock)), len(part))
    return [block.evolve(item_id=None) if at < kept else block for at, block in enumerate(part)]


def _largest(
    blocks: Sequence[Any], side: Side, fits: Callable[[Msg], bool], can_cut: Sequence[bool], made: Callable[[Any], Msg]
) -> Msg | None:
    def part(cut: int) -> Sequence[Any]:
        return blocks[cut:] if side == "last" else blocks[:cut]

    nothing, edge, order = _ways(side, len(blocks))
    cuts = [cut for cut in order if can_cut[cut]]
    best = _earliest(cuts, lambda cut: fits(made(part(cut))))
    if best is None and not can_cut[nothing]:
        return None
    cut = nothing if best is None else best
    found = None if best is None else made(part(best))
    if 0 <= (at := cut + edge[0]) < len(blocks) and can_cut[cut + edge[1]] and isinstance(blocks[at], TextBlock):
        rest = part(cut)

        def joined(piece: TextBlock) -> Msg:
            return made((piece, *rest) if side == "last" else (*rest, piece))

        place = _earliest(_places(blocks[at].text, side), lambda place: fits(joined(_cut(blocks[at], side, place))))
        if place is not None:
            found = joined(_cut(blocks[at], side, place))
    return found


def _ways(side: Side, count: int) -> tuple[int, tuple[int, int], Sequence[int]]:
    """Return the cut that keeps nothing, the block beyond a cut and its far end, and the cuts, best first."""
    if side == "last":
        return count, (-1, -1), range(1, count)
    return 0, (0, 1), range(count - 1, 0, -1)


def _earliest(items: Sequence[int], fits: Callable[[int], bool]) -> int | None:
    """Return the first item that fits, found by bisection; all items after one that fits must fit."""
    low, high = 0, len(items)
    while low < high:
        middle = (low + high) // 2
        if fits(items[middle]):
            high = middle
        else:
            low = middle + 1
    return items[low] if low < len(items) else None


def _places(text: str, side: Side) -> list[int]:
    """Return where a text may be cut, the longest part first."""
    if side == "last":
        return [word.start() for word in _WORD.finditer(text) if word.start() > 0]
    return [word.end() for word in _WORD.finditer(text) if word.end() < len(text)][::-1]


def _cut(block: TextBlock, side: Side, place: int) -> TextBlock:
    """Return a block with one end of its text; without its signature, which covers the whole text."""
    start, end = (place, len(block.text)) if side == "last" else (0, place)
    citations = [moved for each in block.citations if (moved := _moved(each, start, end)) is not None]
    return block.evolve(text=block.text[start:end], citations=citations, signature=None)


def _moved(citation: Citation, start: int, end: int) -> Citation | None:
    """Return a citation shifted to a part of its text; None if its piece is cut."""
    if citation.start is None or citation.end is None:
        return citation
    if not start <= citation.start <= citation.end <= end:
        return None
    return citation.evolve(start=citation.start - start, end=citation.end - start)
