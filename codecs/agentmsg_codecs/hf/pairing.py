"""A pair of two histories: what both begin with is the prompt, and their ends are the two answers."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg_codecs.hf.rows import PAIRS

if TYPE_CHECKING:
    from collections.abc import MutableSequence


def pair(
    chosen: am.History,
    rejected: am.History,
    *,
    losses: MutableSequence[am.Loss] | None = None,
    on_loss: am.OnLoss = "error",
) -> am.History:
    """Return the chosen history, with the other one's answer as the rejected one; formats with pairs write both.

    Args:
        chosen: it ends with the better answer.
        rejected: it begins with the same messages, whatever their ids and times are, and ends with another answer.
        losses: as for ``encode``, for the rejected answer, which is held as ``hf`` writes it; and what the rejected
            history has beside its messages, unless the chosen one has the same.
        on_loss: likewise.

    Raises:
        InvalidMessage: code "pair" if they don't part where an assistant answers, or have other tools.
        LossError: as for ``encode``.
    """
    both = zip(chosen, rejected, strict=False)
    start = sum(1 for _ in takewhile(lambda each: _said(each[0]) == _said(each[1]), both))
    if {"assistant"} != {
        "".join(message.role for message in history[start : start + 1]) for history in (chosen, rejected)
    }:
        msg = f"the histories don't part at an answer of an assistant, but at message {start}"
        raise am.InvalidMessage(msg, code="pair")
    if rejected.tools and not am.same(rejected.tools, chosen.tools):
        msg = "the histories have other tools"
        raise am.InvalidMessage(msg, code="pair")
    document = am.encode(rejected[start:], "hf", losses=losses, on_loss=on_loss)
    same: dict[str, Any] = am.encode(chosen[start:], "hf", on_loss="ignore")
    if losses is not None:
        losses += [
            am.Loss(("extras", "hf", key), "dropped", "hf", "annotation", value)
            for key, value in document.items()
            if key != "messages" and not (key in same and am.same(value, same[key]))
        ]
    return PAIRS.paired(chosen, start, document["messages"])


def _said(message: am.Msg) -> Any:
    return am.encode(message, "hf", on_loss="ignore")["messages"]
