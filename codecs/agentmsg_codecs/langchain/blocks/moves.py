"""What some writers put at another place of a part than v1 does: cache hints and file names.

A part is read as the one that has them at their usual place, and notes where they stood.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import agentmsg_codecs.langchain.blocks.v1 as v1
from agentmsg.formats import Native, is_mapping, is_object

Move: TypeAlias = tuple[str, Callable[[Native], "Native | None"], Callable[[Native], Native]]
_BREAKPOINT = "prompt_cache_breakpoint"
_EPHEMERAL = "ephemeral"


def _without(part: Native, key: str) -> Native:
    return {name: value for name, value in part.items() if name != key}


def _out_of_extras(part: Native) -> Native | None:
    """Return a part whose cache hint stands beside its `extras`; None if it is not inside of them."""
    extras = part.get("extras")
    if not is_object(extras) or "cache_control" in part or v1.cache_of(extras) is None:
        return None
    rest = _without(extras, "cache_control")
    moved = {**_without(part, "extras"), "cache_control": extras["cache_control"]}
    return {**moved, "extras": rest} if rest else moved


def _into_extras(part: Native) -> Native:
    extras: Any = part.get("extras", {})
    if "cache_control" not in part or not is_mapping(extras):
        return part
    return {**_without(part, "cache_control"), "extras": {**extras, "cache_control": part["cache_control"]}}


def _as_hint(part: Native) -> Native | None:
    """Return a part whose breakpoint is a cache hint: OpenAI's name for it."""
    point = part.get(_BREAKPOINT)
    if not is_object(point) or "cache_control" in part or point.get("mode") != "explicit" or len(point) > 1:
        return None
    return {**_without(part, _BREAKPOINT), "cache_control": {"type": _EPHEMERAL}}


def _as_breakpoint(part: Native) -> Native:
    if part.get("cache_control") != {"type": _EPHEMERAL}:
        return part
    return {**_without(part, "cache_control"), _BREAKPOINT: {"mode": "explicit"}}


def _name_into_extras(part: Native) -> Native | None:
    """Return a v1 file whose name stands in its `extras`; None if it is not beside them."""
    extras: Any = part.get("extras", {})
    if part.get("type") != "file" or type(part.get("filename")) is not str or not is_object(extras):
        return None
    if "filename" in extras or not part.keys().isdisjoint(("source_type", "file", "source")):
        return None
    return {**_without(part, "filename"), "extras": {**extras, "filename": part["filename"]}}


def _name_out_of_extras(part: Native) -> Native:
    extras: Any = part.get("extras")
    if part.get("type") != "file" or not is_mapping(extras) or "filename" not in extras or "filename" in part:
        return part
    rest = _without(dict(extras), "filename")
    moved = {**_without(part, "extras"), "filename": extras["filename"]}
    return {**moved, "extras": rest} if rest else moved


# The mark of a block, the part with all at its usual place (None: it is there), and the way back.
MOVES: tuple[Move, ...] = (
    ("hint-inside", _out_of_extras, _into_extras),
    ("breakpoint", _as_hint, _as_breakpoint),
    ("named-beside", _name_into_extras, _name_out_of_extras),
)
