"""How closely a message resembles one of lionpride's."""

from __future__ import annotations

from typing import Any

from agentmsg.formats import is_mapping
from agentmsg_codecs.lionpride.names import FIELDS, NODE_KEYS, TRIGGERS

_ALL = frozenset[str]().union(*FIELDS.values())
_DECIDING = frozenset[str]().union(*TRIGGERS.values())


def sniff_message(message: Any) -> float:
    """Return 0 to 1: 1 for a message that names its class, less for similar content."""
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
