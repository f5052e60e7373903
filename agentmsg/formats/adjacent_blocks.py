"""Adjacent blocks that are one in a format, such as texts and data with a single place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.model.blocks import DataBlock, RefusalBlock, TextBlock, ThinkingBlock

if TYPE_CHECKING:
    from collections.abc import Callable

# Classes that grow when they are joined.
_GROWING = frozenset({DataBlock, TextBlock, ThinkingBlock, RefusalBlock})


class Run:
    """Adjacent blocks that are one block in the format.

    Rebuilding the whole for each block would take quadratic time. So the end is joined first, as a binary counter adds:
    each block is joined only as often as the number of blocks has binary digits. Other classes are joined as they come.

    Args:
        joins: returns the block that two adjacent ones become, or None; see ``MessageRow``.
        blocks: the first block, or none.

    Attributes:
        is_longer: whether it consists of several blocks.
    """

    def __init__(self, joins: Callable[[Any, Any], Any], *blocks: Any) -> None:
        self._joins = joins
        # What is joined so far, and of how many blocks; the numbers fall.
        self._made: list[tuple[Any, int]] = [(block, 1) for block in blocks]
        self.is_longer = False

    def takes(self, block: Any) -> bool:
        """Add a block, if it joins with the block before it."""
        if not self._made:
            return False
        counts = type(block) in _GROWING and type(block) is type(self._made[-1][0])
        if not counts:
            self._made = [(self.folded(), 1)]
        last, count = self._made[-1]
        made = self._joins(last, block)
        if made is None:
            return False
        self.is_longer = True
        if count > 1:
            self._made.append((block, 1))
            return True
        self._made[-1] = (made, 2 if counts else 1)
        while len(self._made) > 1 and self._made[-2][1] == self._made[-1][1]:
            end, count = self._made.pop()
            self._made[-1] = (self._together(self._made[-1][0], end), 2 * count)
        return True

    def folded(self) -> Any:
        """Return the joined block."""
        whole = self._made[-1][0]
        for piece, _ in reversed(self._made[:-1]):
            whole = self._together(piece, whole)
        return whole

    def _together(self, left: Any, right: Any) -> Any:
        made = self._joins(left, right)
        return left if made is None else made  # what is lost then, the loss report lists
