"""The names that the codec uses for anything but fields of the model."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from agentmsg.formats import Containers, is_marked, marked

FAMILY = "riffer"
CONTAINERS = Containers(family=FAMILY, title="Riffer", own=frozenset({"role"}))
# What a model reads or does, wherever it stands, beside what it does in any format.
CONTENT_KEYS = frozenset({"data", "structured_output", "url"})
Version: TypeAlias = Literal["0.9", "latest"]
VERSIONS: tuple[Version, ...] = ("0.9", "latest")


def odd(obj: Any) -> Any:
    """Mark what was read though the library refuses it, so that it is written again."""
    return marked(obj, FAMILY, odd=True)


def is_odd(obj: Any) -> bool:
    """Whether an object was read from what the library refuses."""
    return is_marked(obj, FAMILY, "/odd")
