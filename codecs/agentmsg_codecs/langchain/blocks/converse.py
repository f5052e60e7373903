"""Cache points of Bedrock's Converse in content: hints of the blocks before them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    is_marked,
    is_object,
    marked,
    note_of,
    with_note,
)
from agentmsg_codecs.langchain.blocks.v1 import is_hint, read_cache, write_cache
from agentmsg_codecs.langchain.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


POINT = "cachePoint"
# The blocks that a point may stand behind: a call has copies elsewhere.
_POINTED = frozenset({am.TextBlock, am.ImageBlock, am.AudioBlock, am.VideoBlock, am.FileBlock, am.ThinkingBlock})


def with_points(placed: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Return blocks with their parts, and each cache point as the hint of the block before it."""
    out: list[tuple[Any, Any]] = []
    for block, part in placed:
        hint = part[POINT] if is_object(part) and part.keys() == {POINT} else None
        if is_hint(hint) and out and type(out[-1][0]) in _POINTED and out[-1][0].cache is None:
            before, own = out[-1]
            out[-1] = marked(before.evolve(cache=read_cache(hint)), FAMILY, point=True), own
        else:
            out.append((block, part))
    return out


def is_pointed(block: Any) -> bool:
    """Whether the cache hint of a block is a point behind it: it was read so, here or by the codec of Converse."""
    if type(block) not in _POINTED or block.cache is None:
        return False
    return bool(is_marked(block, FAMILY, "/point")) or is_marked(block.cache, "bedrock", "/point")


def with_points_apart(blocks: Iterable[Any], write: Callable[[Any], Any]) -> Iterator[Any]:
    """Yield the parts of blocks, and cache points behind them."""
    for block in blocks:
        if is_pointed(block):
            note = {key: value for key, value in note_of(block, FAMILY).items() if key != "/point"}
            yield write(with_note(block.evolve(cache=None), FAMILY, note))
            yield {POINT: write_cache(block.cache)}
        else:
            yield write(block)
