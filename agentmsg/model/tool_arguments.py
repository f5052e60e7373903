"""The arguments of calls for formats that want an object, or a text.

An input that isn't an object is put into an envelope: ``{"_raw": value}``, or ``{"_raw": text}`` with the arguments'
text if that isn't JSON, or is a JSON string. An input that looks like an envelope is put into one, too. So every call
has an object, and every object is read back as the call that it came from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from agentmsg.model.tool_use import SIMPLY, ToolUseBlock
from agentmsg.values.copies import plain_twin
from agentmsg.values.frozen import adopt
from agentmsg.values.text import dump_json, library, parse_arguments

if TYPE_CHECKING:
    from collections.abc import Mapping

SAYS_NO_MORE = "owner._says_all or owner.significant_text is None"
"""For ``usually``: the case that the text of a call says no more than its input."""
_RAW = "_raw"


def _is_envelope(args: Mapping[str, Any]) -> bool:
    if len(args) != 1 or _RAW not in args:
        return False
    value = args[_RAW]
    if isinstance(value, dict):
        return _is_envelope(cast("Mapping[str, Any]", value))
    if not isinstance(value, str):
        return True
    valid, parsed, _ = parse_arguments(value)
    return not valid or isinstance(parsed, str)


def from_object(args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the field ``input`` or ``raw_input`` of a call from its arguments object."""
    if not _is_envelope(args):
        return {"input": adopt(args)}
    value = args[_RAW]
    if not isinstance(value, str):
        return {"input": adopt(value)}
    valid, parsed, _ = parse_arguments(value)
    return {"input": parsed} if valid else {"raw_input": value}


def input_object(block: ToolUseBlock) -> Mapping[str, Any]:
    """Return the object that represents the input of a call, valid or not."""
    value = block.input
    if isinstance(value, dict):
        args = cast("Mapping[str, Any]", value)
        return {_RAW: args} if _is_envelope(args) else args
    if not block.is_valid:
        return {_RAW: block.raw_input}
    return {_RAW: dump_json(value).decode() if isinstance(value, str) else value}


def is_broken(block: ToolUseBlock) -> bool:
    """Whether the input of a call is no object, or one that stands for what was none."""
    given = block.input
    if isinstance(given, dict) and _RAW not in given:
        return False
    return set(input_object(block)) == {_RAW}


def are_broken(given: Any) -> bool:
    """Whether a call with such arguments, a text or a value, would be broken; None and what is empty say nothing."""
    if not given:
        return False
    fields: Any = {"raw_input": given} if type(given) is str else {"input": given}
    if isinstance(given, dict):
        fields = from_object(cast("Any", given))
    return is_broken(ToolUseBlock(id="", name="", **fields))


def input_copy(block: ToolUseBlock) -> dict[str, Any]:
    """Return the object of ``input_object`` as a plain, mutable copy."""
    copy: dict[str, Any] | None = object_copy(block)
    return plain_twin(input_object(block)) if copy is None else copy


def object_copy(block: ToolUseBlock) -> dict[str, Any] | None:
    """Return a plain, mutable copy of a call's input, if it certainly is an object and no envelope; else None."""
    value = block._input  # pyright: ignore[reportPrivateUsage] - handing it out would freeze it first
    copy: dict[str, Any]
    # Without this key it can't be an envelope.
    if not isinstance(value, dict) or _RAW in value:
        return None
    if block._says_all == SIMPLY and block.raw_input is not None:  # pyright: ignore[reportPrivateUsage]
        loads: Any = library()[0]  # takes a text, too
        copy = loads(block.raw_input)
    else:
        copy = plain_twin(cast("Mapping[str, Any]", value))
    return copy


def input_text(block: ToolUseBlock) -> str:
    """Return the arguments of a call as text: as received, else compact JSON."""
    return dump_json(block.input).decode() if block.raw_input is None else block.raw_input
