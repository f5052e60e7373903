"""Calls and their results: one part, read as two blocks.

Marks of calls: ``/dynamic`` (the name was beside the type), ``/state`` (what the call waits for), ``/raw`` and
``/input`` (the input was elsewhere, or absent), ``/no-id``, ``/old`` (told as in version 4; see tool_parts.py).
Marks of results: ``/unasked`` (denied without an approval), ``/nothing`` (the output was null, or absent).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import (
    Native,
    Unreadable,
    is_marked,
    mark_of,
    marked,
    speed,
    tool_links,
    write_as,
)
from agentmsg_codecs.vercel.names import UI
from agentmsg_codecs.vercel.ui.format import RESULT_KEYS
from agentmsg_codecs.vercel.ui.tool_parts import DYNAMIC, as_old, as_today, is_own_denial, static_tool, tool_of

if TYPE_CHECKING:
    from agentmsg.formats.forms import Described

_with_name = speed.replacer(am.ToolResultBlock, "name")
# The keys of a call with a result and nothing more, as ``tool_of`` returns it.
_ANSWERED = frozenset({"type", "toolName", "toolCallId", "state", "input", "output"})


class Tools:
    """Reads and writes the parts of tools.

    Args:
        described: the forms.
    """

    def __init__(self, described: Described) -> None:
        self.described = described
        self._readers = described.names.readers

    # -- reading ------------------------------------------------------------------------------------------------------

    def read(self, part: Any, place: tuple[int, int]) -> tuple[Any, Any] | None:
        """Return the call of a part, and its result or None; None for any other part.

        Args:
            part: the native part.
            place: the number of its message, and its own in it; for the id of a call without one.
        """
        native = tool_of(part)
        found = None if native is None else self._read_today(native, place)
        marks: Native = {}
        if found is None:
            old = as_today(part)
            found = None if old is None else self._read_today(old[0], place)
            if old is None or found is None:
                return None
            marks["old"] = old[1]
        call, result = found
        if part["type"] == DYNAMIC:
            marks["dynamic"] = True
        return (marked(call, UI, **marks) if marks else call), result

    def _read_today(self, native: Native, place: tuple[int, int]) -> tuple[Any, Any] | None:
        """Read a dynamic tool's part."""
        has_id = native.get("toolCallId") is not None
        return self._read_linked(native) if has_id else self._read_unlinked(native, place)

    def _read_unlinked(self, native: Native, place: tuple[int, int]) -> tuple[Any, Any] | None:
        """Read a part without an id, which gets one from its place."""
        name: Any = native.get("toolName")
        if type(name) is not str:
            return None
        link = tool_links.made_call_id(place, name)
        found = self._read_linked({**native, "toolCallId": str.__str__(link)})
        if found is None:
            return None
        call, result = marked(found[0], UI, **{"no-id": "null" if "toolCallId" in native else "absent"}), found[1]
        tool_links.link_call(call, link)
        if result is not None:
            tool_links.link_result(result, link)
        return call, result

    def _read_linked(self, native: Native) -> tuple[Any, Any] | None:
        """Read a dynamic tool's part that has an id."""
        state = native.get("state")
        if state == "output-available" and native.keys() == _ANSWERED:  # the usual one
            asked: Native = {**native, "state": "input-available"}
            answer: Native = {"toolCallId": native["toolCallId"], "state": state, "output": asked.pop("output")}
            answer["type"] = "output"
            return self._read_both(asked, answer)
        has_own_denial = is_own_denial(native.get("approval"), native.get("toolCallId"))
        if type(state) is not str or not state.startswith("output-"):
            return self._read_both(native, None) if RESULT_KEYS.isdisjoint(native) and not has_own_denial else None
        asked = {key: value for key, value in native.items() if key not in RESULT_KEYS}
        asked["state"] = "input-available"
        answer = {key: native[key] for key in native if key in RESULT_KEYS or key in ("state", "toolCallId")}
        answer["type"] = "output"
        if has_own_denial:
            if state != "output-denied" or "errorText" in native:
                return None  # it wasn't denied, or there are two reasons
            approval = asked.pop("approval")
            if "reason" in approval:
                answer["errorText"] = approval["reason"]
        return self._read_both(asked, answer, is_unasked=state == "output-denied" and "approval" not in native)

    def _read_both(self, asked: Native, answer: Native | None, *, is_unasked: bool = False) -> tuple[Any, Any] | None:
        """Return the call and result of a part that was taken apart; None if either can't be read."""
        result: Any = None
        try:
            call = self._readers["call"](asked)
            if answer is not None:
                result = self._readers[_form_of_result(call)](answer)
        except (Unreadable, AgentMsgError):
            return None
        if result is None:
            return call, None
        speed.name_result(result, _name_of_result(call))
        return call, marked(result, UI, unasked=True) if is_unasked else result

    # -- writing ------------------------------------------------------------------------------------------------------

    def write(self, call: am.ToolUseBlock, result: Any, place: tuple[int, int]) -> Native:
        """Return the part of a call, and of its result if it has one.

        Args:
            call: a call that fits.
            result: its result, or None.
            place: as in ``read``.
        """
        native = write_as(self.described.shapes["call"], call, UI)
        if result is not None:
            # The name matters only if the result is read again, to prove that its spelling comes back.
            unnamed = _with_name(result, None) if result.notes or result.extras else result
            answer = write_as(self.described.shapes[_form_of_result(call)], unnamed, UI)
            native = {**native, **answer, "type": native["type"]}
            is_asked = native["state"] == "output-denied" and not is_marked(result, UI, "/unasked")
            if is_asked and "approval" not in native:
                reason = {"reason": native.pop("errorText")} if "errorText" in native else {}
                native["approval"] = {"id": native["toolCallId"], "approved": False, **reason}
        return _as_read(native, call, place) if call.notes else static_tool(native)


def _as_read(native: Native, call: am.ToolUseBlock, place: tuple[int, int]) -> Native:
    """Return a dynamic tool's part as the kind of part that its call was read from."""
    no_id = mark_of(call, UI, "/no-id")
    if no_id in ("absent", "null") and call.id == tool_links.made_call_id(place, call.name):
        native = {**native, "toolCallId": None}
        if no_id == "absent":
            del native["toolCallId"]
    usual = native if is_marked(call, UI, "/dynamic") else static_tool(native)
    return as_old(native, mark_of(call, UI, "/old")) or usual


def _form_of_result(call: am.ToolUseBlock) -> str:
    return "server_result" if call.kind == "server" else "result"


def _name_of_result(call: am.ToolUseBlock) -> Any:
    """Return the name for the result of a call; a client tool's is one that the reader made."""
    return call.name if call.kind == "server" else tool_links.made_name(call.name)
