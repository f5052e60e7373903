"""The JSON text of a call: its name, its arguments, and perhaps its id. A mark says how it is spelt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import is_object, spelling

if TYPE_CHECKING:
    from agentmsg.formats import Native

_KEYS = frozenset({"id", "name", "arguments"})


def read_called(text: Any) -> tuple[Native, Any] | None:
    """Return the call in a text, its id first, and the mark of the text; None if there is anything else."""
    found = spelling.parse_told(text) if type(text) is str else None
    if found is None or not is_object(found[0]) or not {"name", "arguments"} <= found[0].keys() <= _KEYS:
        return None
    call: Native = {key: found[0][key] for key in ("id", "name", "arguments") if key in found[0]}
    is_call = is_object(call["arguments"]) or type(call["arguments"]) is str
    if not is_call or type(call["name"]) is not str or type(call.get("id", "")) is not str:
        return None
    return call, found[1] if list(call) == list(found[0]) else spelling.told_style(text, call)


def write_called(call: Native, told: Any) -> str:
    """Return the text of a call, spelt as a mark tells."""
    text = spelling.dump_as_told(call, told)
    return spelling.dump_styled(call) if text is None else text
