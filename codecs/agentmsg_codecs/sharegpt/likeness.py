"""How closely a document resembles a row of turns, or one of Alpaca's."""

from __future__ import annotations

from typing import Any

from agentmsg.formats import is_mapping, is_sequence
from agentmsg_codecs.sharegpt.names import ROLES
from agentmsg_codecs.sharegpt.rows import is_alpaca, is_turn

_ALPACA = 0.9


def sniff_row(document: Any) -> float:
    """Return 1 for turns, which no other format has, less for the columns of Alpaca, 0 for other documents."""
    turns = document.get("conversations") if is_mapping(document) else document
    if is_turn(document):
        turns = [document]
    if is_sequence(turns) and turns:
        words = map(_word_of if is_mapping(document) else _word, turns)
        return 1.0 if all(word in ROLES for word in words) else 0.0
    return _ALPACA if is_mapping(document) and "messages" not in document and is_alpaca(document) else 0.0


def _word(turn: Any) -> str:
    """Return the sender of a turn; an empty text for anything else."""
    return turn["from"] if is_turn(turn) else ""


def _word_of(turn: Any) -> str:
    """Return the sender of a turn in a row, which may be under another key."""
    role: Any = turn.get("role") if is_mapping(turn) and "value" in turn and "from" not in turn else None
    return role if isinstance(role, str) else _word(turn)
