"""Calls and what they gave: one part, read as two blocks.

Marks of calls: ``/dynamic`` (with its name beside its type), ``/state`` (what it waits for), ``/raw`` and ``/input``
(an input that stood apart, or not at all), ``/no-id`` (without an id), ``/old`` (of version 4; see tool_parts.py).
Of results: ``/unasked`` (denied without a word of approval), ``/nothing`` (an output that is null, or absent).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import (
    CallNames,
    Native,
    Unreadable,
    is_marked,
    is_object,
    mark_of,
    marked,
    speed,
    tool_links,
    write_as,
)
from agentmsg_codecs.vercel.names import UI
from agentmsg_codecs.vercel.ui.format import RESULT_KEYS
from agentmsg_codecs.vercel.ui.tool_parts import (
    OLD,
    as_old,
    as_today,
    is_own_denial,
    static_tool,
    take_reason,
    tool_of,
)

if TYPE_CHECKING:
    from agentmsg.formats.forms import Described

_with_name = speed.replacer(am.ToolResultBlock, "name")
# The keys of a call that has its result, and no more to say, as ``tool_of`` gives it.
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
        """Return the call of a part, and its result if it has one; None if it is none.

        Args:
            part: the native part.
            place: the number of its message, and its own in it: the id of a call without one.
        """
        old = as_today(part) if is_object(part) and part.get("type") == OLD else None
        native = tool_of(part) if old is None else old[0]
        if native is None:
            return None
        if native.get("toolCallId") is not None:
            found = self._read_linked(native)
        else:
            found = self._read_unlinked(native, place)
        if found is None:
            return None
        if old is not None:
            return marked(found[0], UI, old=old[1]), found[1]
        return found if part["type"] != native["type"] else (marked(found[0], UI, dynamic=True), found[1])

    def _read_unlinked(self, native: Native, place: tuple[int, int]) -> tuple[Any, Any] | None:
        """Return the same of a part without an id, which gets one by its place."""
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
        """Return the call of a dynamic tool's part that has an id, and its result."""
        state = native.get("state")
        if state == "output-available" and native.keys() == _ANSWERED:
            told: Native = {**native, "state": "input-available"}
            given: Native = {"toolCallId": native["toolCallId"], "state": state, "output": told.pop("output")}
            return self._read_both(told, given)
        is_done = type(state) is str and state.startswith("output-")
        told = {key: value for key, value in native.items() if not (is_done and (key in RESULT_KEYS or key == "state"))}
        given = {key: native[key] for key in native if key in RESULT_KEYS or key in ("state", "toolCallId")}
        if not is_done and not RESULT_KEYS.isdisjoint(native):
            return None
        if is_own_denial(native.get("approval"), native.get("toolCallId")):
            if state != "output-denied" or "errorText" in native:
                return None  # denied, and not; or two reasons
            take_reason(told, given)
        if not is_done:
            return self._read_both(told, None)
        is_unasked = state == "output-denied" and "approval" not in native
        return self._read_both({**told, "state": "input-available"}, given, is_unasked=is_unasked)

    def _read_both(self, told: Native, given: Native | None, *, is_unasked: bool = False) -> tuple[Any, Any] | None:
        """Return the call and the result that a part tells, taken apart; None if they are none."""
        result: Any = None
        try:
            call = self._readers["call"](told)
            if given is not None:
                name = "server_result" if call.kind == "server" else "result"
                result = self._readers[name]({**given, "type": "output"})
        except (Unreadable, AgentMsgError):
            return None
        if result is None:
            return call, None
        speed.name_result(result, _name_of(call))
        return call, marked(result, UI, unasked=True) if is_unasked else result

    # -- writing ------------------------------------------------------------------------------------------------------

    def write(self, call: am.ToolUseBlock, result: Any, place: tuple[int, int]) -> Native:
        """Return the part of a call, and of its result if it has one.

        Args:
            call: that fits.
            result: what it gave, or None.
            place: as in ``read``.
        """
        native = write_as(self.described.shapes["call"], call, UI)
        if result is not None:
            name = "server_result" if call.kind == "server" else "result"
            # Only what reads it again, to see that it comes back, asks for the name.
            given = write_as(
                self.described.shapes[name], _with_name(result, None) if result.notes or result.extras else result, UI
            )
            native = {**native, **given, "type": native["type"]}
            is_asked = native["state"] == "output-denied" and not is_marked(result, UI, "/unasked")
            if is_asked and "approval" not in native:
                reason = {"reason": native.pop("errorText")} if "errorText" in native else {}
                native["approval"] = {"id": native["toolCallId"], "approved": False, **reason}
        return native_part(native, call, place) if call.notes else static_tool(native)


def native_part(native: Native, call: am.ToolUseBlock, place: tuple[int, int]) -> Native:
    """Return the part that a dynamic tool's is, in the way that its call was read."""
    how = mark_of(call, UI, "/no-id")
    if how in ("absent", "null") and call.id == tool_links.made_call_id(place, call.name):
        native = {**native, "toolCallId": None} if how == "null" else _without_id(native)
    if is_marked(call, UI, "/dynamic"):
        return native
    old = mark_of(call, UI, "/old")
    return (as_old(native, old) if old is not None else None) or static_tool(native)


def _without_id(native: Native) -> Native:
    return {key: value for key, value in native.items() if key != "toolCallId"}


def _name_of(call: Any) -> Any:
    """Return the name of the result of a call; that of a client's tool is one that the reader made."""
    if call.kind == "server":
        return call.name
    names = CallNames()
    names.call(call.id, call.name)
    return names.answer(call.id)
