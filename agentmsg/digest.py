"""A stable hash of messages. Imports the registry, for the canonical JSON.

Two histories have the same digest exactly where their canonical JSON without notes is the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from agentmsg._registry import get_codec
from agentmsg.blocks import ToolUseBlock
from agentmsg.history import History, as_history
from agentmsg.msg import Msg

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["digest"]


def digest(messages: History | Msg | Iterable[Msg], *, exact: bool = False) -> str:
    """Return SHA-256 of the canonical JSON of messages, as 64 hexadecimal digits.

    Args:
        messages: a history, a message, or several messages.
        exact: whether ids and times of messages count (notes never do).
    """
    from hashlib import sha256  # noqa: PLC0415 - only here

    history = as_history(messages)
    codec = get_codec("json")
    bare = [_bare(message, exact=exact) for message in history.messages]
    changes: dict[str, Any] = {} if exact else {"id": None}
    return sha256(codec.render(codec.write(history.evolve(messages=bare, notes={}, **changes)))).hexdigest()


def _bare(owner: Any, *, exact: bool) -> Any:
    """Return a message or block without notes, and without what is not compared."""
    changes: dict[str, Any] = {"notes": {}} if owner.notes else {}
    if isinstance(owner, Msg) and not exact:
        changes |= {"id": None, "created_at": None}
    if isinstance(owner, ToolUseBlock) and owner.raw_input is not None and owner.significant_text is None:
        changes["raw_input"] = None
    content = getattr(owner, "content", None)
    if isinstance(content, tuple) and content:
        changes["content"] = tuple(_bare(inner, exact=exact) for inner in cast("tuple[object, ...]", content))
    return owner.evolve(**changes) if changes else owner
