"""The codec's names, apart from fields of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from agentmsg.formats import Containers, is_marked

if TYPE_CHECKING:
    from collections.abc import Mapping

FAMILY = "riffer"
CONTAINERS = Containers(family=FAMILY, title="Riffer", own=frozenset({"role"}))
# What a model reads or does, wherever it stands, beside what it does in any format.
CONTENT_KEYS = frozenset({"data", "structured_output", "url"})
RAW = "finish_reason_raw"
Version: TypeAlias = Literal["0.9", "latest"]
# The dialects, each with how the names of its own forms end.
VERSIONS: Mapping[Version, str] = {"0.9": "_old", "latest": ""}


def is_odd(obj: Any) -> bool:
    """Whether an object was read from what the library refuses."""
    return is_marked(obj, FAMILY, "/odd")
