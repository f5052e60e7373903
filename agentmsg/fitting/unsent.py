"""What a document of a library holds, and the library's client doesn't send to a model: the report tells it as content.

Such a document has lost nothing: nobody has to allow this, and there is nothing to restore. But whoever hands it to the
library should know what the model won't see. That is content even where the document's own loss is an annotation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmsg.fitting.losses import Loss

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmsg.fitting.fitted import Fitted
    from agentmsg.fitting.losses import Path

__all__ = ["with_unsent"]


def with_unsent(losses: list[Loss], fitted: Fitted) -> list[Loss]:
    """Return the losses of a fit, and after them what its output holds, but no client sends."""
    if not fitted.unsent:
        return losses
    told = {loss.path for loss in losses if loss.level == "content"}
    found = [
        Loss(path, "unsent", fitted.codec, "content", why=why)
        for path, why in _unsent(fitted)
        if not any(path[:end] in told for end in range(2, len(path) + 1))
    ]
    return [*losses, *found]


def _unsent(fitted: Fitted) -> Iterator[tuple[Path, str]]:
    """Yield the path in the source, and the reason, of each block or field that isn't sent; one reason for each."""
    classes = {row.cls for row in fitted.unsent}
    for index, message in enumerate(fitted.source.messages):
        for place, block in enumerate(message.content) if message.role == "assistant" else ():
            if type(block) not in classes:
                continue
            rows = [row for row in fitted.unsent if row.cls is type(block) and row.case(block, message)]
            path = ("messages", index, "content", place)
            yield from {(*path, row.field) if row.field else path: row.why for row in rows}.items()
