"""LangChain codecs without their short ways: the reference to compare these with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentmsg import History
    from agentmsg.limits import Limits

__all__ = ["NoShortWays", "without_fast"]


class NoShortWays:
    """A codec without its short ways for bytes."""

    __slots__ = ()

    def from_bytes(self: Any, raw: Any, limits: Limits, duplicates: Any) -> Any:
        """Read the parsed document."""
        return self.read(self.parse(raw, limits, duplicates))

    def to_bytes(self: Any, history: History) -> Any:
        """Render the written document."""
        return self.render(self.write(history))


def without_fast(codec: Any) -> Any:
    """Return a codec whose engine has lost all its fast ways."""
    engine = codec.engine
    engine.fill()
    for table in (engine.fast_readers, engine.fast_writers, engine.parts.quick, engine.parts.quick_writers):
        table.clear()
    return codec
