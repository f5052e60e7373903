"""Parts with a name in their type: ``tool-NAME``, and ``data-NAME``; and a call that is one part with its result."""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import Native, Parts, is_mapping, is_object, natives
from agentmsg_codecs.vercel.names import UI

_DATA, _TOOL = "data-", "tool-"
_DYNAMIC = "dynamic-tool"
# Types of parts that only stand for others here.
_STAND_INS = frozenset({"data", _DYNAMIC, "output"})


class UIParts(Parts):
    """Parts that are a block each."""

    def read(self, part: Any) -> Any:
        """Return the block of a part; a NativeBlock where it has no meaning here, or would not come back."""
        tag: Any = part.get("type") if is_object(part) else None
        if type(tag) is not str or not (tag in _STAND_INS or tag.startswith(_DATA)):
            return super().read(part)
        if tag in _STAND_INS:
            return natives.native_part(part, UI)
        block = (
            natives.native_part(part, UI)
            if "name" in part
            else super().read({**part, "type": "data", "name": tag[len(_DATA) :]})
        )
        return natives.native_part(part, UI) if isinstance(block, am.NativeBlock) else block

    def write(self, block: Any) -> Any:
        """Return the part of a block that fits."""
        cls: Any = block.__class__
        if cls is am.TextBlock and not (block.notes or block.extras):  # the usual one
            return self.writers[cls](block)
        native = super().write(block)
        if cls is not am.DataBlock:
            return native
        name = native["name"]
        return {**{key: value for key, value in native.items() if key != "name"}, "type": f"{_DATA}{name}"}


def tool_of(part: Any) -> Native | None:
    """Return a tool's part as a dynamic one; None if it is none."""
    tag: Any = part.get("type") if is_object(part) else None
    if type(tag) is not str:
        return None
    if tag == _DYNAMIC:
        return dict(part)
    if not tag.startswith(_TOOL) or "toolName" in part:
        return None
    return {**part, "type": _DYNAMIC, "toolName": tag[len(_TOOL) :]}


def static_tool(native: Native) -> Native:
    """Return a tool's part with the name in its type."""
    made = {"type": "", **native}
    made["type"] = f"{_TOOL}{made.pop('toolName')}"
    return made


def is_tool(tag: object) -> bool:
    """Whether parts with a type are those of tools."""
    return type(tag) is str and (tag == _DYNAMIC or tag.startswith(_TOOL))


def is_own_denial(approval: Any, link: Any) -> bool:
    """Whether an approval says no more than why the call with an id was denied."""
    if not is_mapping(approval) or not {"id", "approved"} <= approval.keys() <= {"id", "approved", "reason"}:
        return False
    is_text = isinstance(approval.get("reason", ""), str)
    return approval["id"] == link and approval["approved"] is False and is_text


def take_reason(told: Native, given: Native) -> None:
    """Move the reason of a denial to its result: the approval says no more than that."""
    approval = told.pop("approval")
    if "reason" in approval:
        given["errorText"] = approval["reason"]
