"""Levels of lost links: an id that joins the same call and result as before says nothing to a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.model.blocks import ToolResultBlock, ToolUseBlock
from agentmsg.model.generated import given

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentmsg.fitting.losses import Path
    from agentmsg.model.msg import Msg


def is_link(name: str, owner: object) -> bool:
    """Whether a field links a call and its result."""
    return (name == "id" and isinstance(owner, ToolUseBlock)) or (
        name == "tool_call_id" and isinstance(owner, ToolResultBlock)
    )


class Links:
    """The links that changed, by message and block."""

    def __init__(self) -> None:
        self._changed: dict[tuple[int, int], tuple[int, Any, Any]] = {}

    def add(self, path: Path, number: int, was: Any, now: Any) -> None:
        """Note that a link changed.

        Args:
            path: of the link.
            number: of its loss.
            was: the link.
            now: what it is now.
        """
        match path:
            case ("messages", int() as index, "content", int() as place, _):
                self._changed[index, place] = number, was, now
            case _:
                pass  # a call inside a result has no result of its own

    def broken(self, messages: Sequence[Msg]) -> Iterator[int]:
        """Yield the numbers of the losses of links that no longer join what they joined before."""
        if not self._changed:
            return
        # For each old link, the links that its calls and its results have now: the n-th result goes with the n-th call.
        joined: dict[Any, tuple[list[Any], list[Any]]] = {}
        for index, message in enumerate(messages):
            for place, block in enumerate(message.content):
                if isinstance(block, (ToolUseBlock, ToolResultBlock)):
                    link = block.id if isinstance(block, ToolUseBlock) else block.tool_call_id
                    now = self._changed[index, place][2] if (index, place) in self._changed else link
                    joined.setdefault(link, ([], []))[isinstance(block, ToolResultBlock)].append(now)
        broken = {
            link
            for link, (calls, results) in joined.items()
            if any(call != result for call, result in zip(calls, results, strict=False))
        }
        for number, was, _ in self._changed.values():
            if given(was) is None:
                continue  # it joined nothing
            if was in broken:
                yield number
