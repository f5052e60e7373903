"""Operations on histories, beside reading the same messages from canonical JSON. Imports data and timing.

A new operation needs a line in OPERATIONS: the section, its promise and a test find it there.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import agentmsg as am
from benchmarks.data import mixed_history
from benchmarks.timing import Case, Rounds, Times, copy_bytes, interleave

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["DECODE", "OPERATIONS", "measure"]

DECODE = "json: decode"
# How many times the history of the other sections: what grows faster than the history shows here.
_TIMES = 10


def _half(history: am.History) -> int:
    """Return a budget for about half of a mixed history."""
    return 60 * len(history)


OPERATIONS: Mapping[str, Callable[[am.History], Any]] = {
    "filter by role": lambda history: history.filter(role="assistant"),
    "filter by role, block and function": lambda history: history.filter(
        role=("user", "assistant"), block=am.TextBlock, where=lambda message: message.usage is None
    ),
    "filter_messages": lambda history: am.filter_messages(
        history, include_types=["ai", "tool"], exclude_names=["ada"], exclude_tool_calls=["call_1"]
    ),
    "merge_runs": lambda history: history.merge_runs(),
    "merge_runs, no results between calls": lambda history: history.exclude(role="tool").merge_runs(),
    "to_text": lambda history: history.to_text(),
    "to_text, xml": lambda history: history.to_text(format="xml"),
    "trim to half": lambda history: history.trim(max_tokens=_half(history)),
    "trim to half, first, partial": lambda history: history.trim(
        max_tokens=_half(history), strategy="first", allow_partial=True
    ),
}


def measure(history: am.History, rounds: Rounds) -> tuple[int, dict[str, Times]]:
    """Return the number of messages, and the times of each operation and of decoding the same."""
    history = mixed_history(_TIMES * len(history))
    raw = am.dumps(history, "json")
    read = partial(am.loads, codec="json")
    fresh = partial(read, raw)
    cases = {name: Case(fresh, operation) for name, operation in OPERATIONS.items()}
    return len(history), interleave({DECODE: Case(partial(copy_bytes, raw), read), **cases}, rounds)
