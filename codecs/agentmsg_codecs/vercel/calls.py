"""Calls: the input is any JSON; the id of a call tells which provider runs its tool.

Text that isn't JSON, as a model may write it, is itself the input: a string. An input that is a string but not JSON is
put into an envelope, ``{"_raw": "its JSON"}``, and so is an input that looks like one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg import thaw
from agentmsg.formats import (
    KEEP,
    Native,
    adopt,
    cells,
    dump_json,
    is_mapping,
    is_object,
    natives,
    speed,
    spelling,
    tool_arguments,
)
from agentmsg.formats.forms import Hatch
from agentmsg_codecs.vercel.names import RUNNERS

if TYPE_CHECKING:
    import agentmsg as am

_RAW = "_raw"

# -- input ------------------------------------------------------------------------------------------------------------


def _is_envelope(args: Any) -> bool:
    if len(args) != 1 or _RAW not in args:
        return False
    value = args[_RAW]
    if is_mapping(value):
        return _is_envelope(value)
    if not isinstance(value, str):
        return False
    valid, parsed, _ = speed.parse_arguments(value)
    return valid and isinstance(parsed, str) and not _is_json(parsed) and dump_json(parsed).decode() == value


def _is_json(text: str) -> bool:
    return bool(speed.parse_arguments(text)[0])


def read_input(native: Any) -> dict[str, Any]:
    """Return the field ``input`` or ``raw_input`` for a native input."""
    if type(native) is str:
        return {"input": native} if _is_json(native) else {"raw_input": native}
    if is_object(native) and _is_envelope(native):
        value = native[_RAW]
        return {"input": adopt(value) if is_object(value) else speed.parse_arguments(value)[1]}
    return {"input": adopt(native)}


def write_input(block: am.ToolUseBlock) -> Any:
    """Return the native input of a call; for an invalid one, its text."""
    copy = tool_arguments.object_copy(block)
    if copy is not None:
        return copy  # the usual case
    value: Any = block.input
    if not block.is_valid:
        return block.raw_input
    if isinstance(value, str):
        return value if _is_json(value) else {_RAW: dump_json(value).decode()}
    return {_RAW: thaw(value)} if is_mapping(value) and _is_envelope(value) else thaw(value)


def _get_input(native: Native) -> dict[str, Any]:
    return {"raw_input": None, **read_input(native["input"])}


def _put_input(block: am.ToolUseBlock) -> Native:
    return {"input": write_input(block)}


INPUT = Hatch(
    keys=("input",), cells={"input": KEEP, "raw_input": cells.arguments_text}, get=_get_input, put=_put_input,
    must=("input",), schema={"input": {}}, about="input",
)  # fmt: skip

# -- who runs a tool --------------------------------------------------------------------------------------------------


def runner_of(link: Any) -> str | None:
    """Return the provider that runs a tool, which the id of its call tells; None if the client does."""
    if isinstance(link, str):
        for prefix, provider in RUNNERS.items():
            if link.startswith(prefix):
                return provider
    return None


def _read_kind(native: Native) -> dict[str, Any]:
    value = native["providerExecuted"]
    if value is True:
        return {"kind": "server", "provider": runner_of(native.get("toolCallId"))}
    if value is None or value is False:
        return {"kind": "function", "notes": {"providerExecuted": spelling.spelling_of(value)}}
    return {"kind": "function", "odd": ("providerExecuted",)}


def _write_kind(block: am.ToolUseBlock) -> Native:
    return {"providerExecuted": True} if block.kind == "server" else {}


def carried_provider(value: str, block: Any) -> str | None:
    """Keep the provider that runs a tool if the id of the call tells it."""
    return value if block.kind == "server" and value == runner_of(natives.link_at(block)) else None


KIND = Hatch(
    keys=("providerExecuted",), cells={"kind": cells.kinds("server"), "provider": carried_provider}, get=_read_kind,
    put=_write_kind, odd=("providerExecuted",), is_optional=True,
    silent={"providerExecuted": frozenset({"false", "null"})},
    schema={"providerExecuted": {"type": "boolean"}}, about="kind",
)  # fmt: skip
