"""How closely a document resembles a row of turns, or one of Alpaca's."""

from __future__ import annotations

from typing import Any

from agentmsg.formats import is_mapping, is_sequence
from agentmsg_codecs.sharegpt.names import ROLES
from agentmsg_codecs.sharegpt.rows import are_pairs, is_alpaca, parsed

_ALPACA = 0.9
# The score of turns with some unknown senders.
_MOST = 0.7
# The score of a query and a response: rows of other kinds have these, too.
_ASKED = 0.3
# A turn has a sender and one of these: its text, or a call.
_SAID = frozenset({"value", "content", "tool_calls", "arguments"})


def sniff_row(document: Any) -> float:
    """Return 1 for turns, which no other format has, less for the columns of Alpaca, 0 for other documents."""
    turns = parsed(document.get("conversations")) if is_mapping(document) else document
    if is_mapping(document) and _sender(document):
        turns = [document]
    if not is_sequence(turns) or not turns:
        return _of_pairs(document) if is_mapping(document) and "messages" not in document else 0.0
    words = list(map(_sender_or_role if is_mapping(document) else _sender, turns))
    known = sum(word in ROLES for word in words)
    return 1.0 if known == len(words) else _MOST if all(words) and known * 2 > len(words) else 0.0


def _of_pairs(row: Any) -> float:
    """Return how much the columns of a row are those of questions and answers; many things have a query."""
    if is_alpaca(row):
        is_own = "instruction" in row or "history" in row or {"answers", "tools"} <= row.keys()
        return _ALPACA if is_own else _ASKED
    return _ALPACA if are_pairs(row) else 0.0


def _sender(turn: Any) -> str:
    """Return the sender of a turn; an empty text for anything else."""
    if not is_mapping(turn) or ("role" in turn and "value" not in turn) or _SAID.isdisjoint(turn):
        return ""
    word: Any = turn.get("from")
    return word if isinstance(word, str) else ""


def _sender_or_role(turn: Any) -> str:
    """Return the sender of a turn in a row, which may be under another key."""
    role: Any = turn.get("role") if is_mapping(turn) and "value" in turn and "from" not in turn else None
    return role if isinstance(role, str) else _sender(turn)
