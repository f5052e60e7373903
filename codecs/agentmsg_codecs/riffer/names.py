"""Names that several modules of the codec use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from agentmsg.formats import Containers

if TYPE_CHECKING:
    from collections.abc import Mapping

FAMILY = "riffer"
CONTAINERS = Containers(family=FAMILY, title="Riffer", own=frozenset({"role"}))
# Keys that hold content for a model, wherever they are, besides those of every format.
CONTENT_KEYS = frozenset({"data", "structured_output", "url"})
RAW = "finish_reason_raw"
Version: TypeAlias = Literal["0.9", "latest"]
# The dialects, with the suffix of their own forms' names.
VERSIONS: Mapping[Version, str] = {"0.9": "_old", "latest": ""}
