"""How much messages look like lionpride's. Imports words."""

from __future__ import annotations

from typing import Any

from agentmsg.plain import is_mapping
from agentmsg_codecs.lionpride.words import FIELDS, NODE_KEYS, TRIGGERS

__all__ = ["sniff"]

_SNIFFED = 8
_ALL = frozenset(key for keys in FIELDS.values() for key in keys)
_DECIDING = frozenset(key for keys in TRIGGERS.values() for key in keys)


def sniff(messages: list[Any]) -> float:
    """Return 0 to 1: 1 for messages of which some name their class, less for contents that look like theirs."""
    scores = [_sniff(message) for message in messages[:_SNIFFED]]
    return max(scores) if scores and min(scores) > 0 else 0.0


def _sniff(message: Any) -> float:
    if not is_mapping(message) or not (NODE_KEYS | {"node_metadata"}).issuperset(message):
        return 0.0
    content = message.get("content")
    if not is_mapping(content):
        return 0.0
    metadata = message.get("metadata", message.get("node_metadata"))
    name = metadata.get("lion_class") if is_mapping(metadata) else None
    if isinstance(name, str) and name.startswith("lionpride."):
        return 1.0
    if not content:
        return 0.3
    return 0.9 if _ALL.issuperset(content) and not _DECIDING.isdisjoint(content) else 0.1
