"""Steps: the parts of an assistant's message are read as several messages, each step followed by its tools' results.

Each step but the first begins with ``step-start``; an empty message has nothing else. Marks of messages: ``/steps`` (an
unusual number of step-starts before a step), ``/after`` (their number at the end), ``/empty`` (without parts),
``/last`` (the other keys of a step-start at the end). Those of one right before a step are extras of its message.

Calls, approvals and results are one part, read as several blocks. Marks of calls: ``/dynamic`` (the name was beside the
type), ``/state`` (what the call waits for), ``/raw`` and ``/input`` (the input was elsewhere, or absent), ``/no-id``,
``/old`` (told as in version 4; see tool_parts.py). Marks of results: ``/unasked`` (denied without an approval),
``/nothing`` (the output was null, or absent).
"""

from __future__ import annotations

from itertools import groupby, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

import agentmsg as am
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    Native,
    Unreadable,
    adopt,
    is_mapping,
    is_marked,
    maker,
    mark_of,
    marked,
    natives,
    speed,
    spelling,
    tool_links,
    write_as,
)
from agentmsg_codecs.vercel.names import STEP_EXTRAS, UI
from agentmsg_codecs.vercel.ui.format import RESULT_KEYS
from agentmsg_codecs.vercel.ui.tool_parts import (
    DYNAMIC,
    as_old,
    as_today,
    is_approval,
    is_own_denial,
    is_tool,
    joined_approval,
    split_approval,
    static_tool,
    tool_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmsg.formats import Parts
    from agentmsg.formats.forms import Described


_with_name = speed.replacer(am.ToolResultBlock, "name")
# The keys of a call with a result and nothing more, as ``tool_of`` returns it.
_ANSWERED = frozenset({"type", "toolName", "toolCallId", "state", "input", "output"})


_CALLED, _ASKED, _DECIDED = "input-available", "approval-requested", "approval-responded"


class Tool(NamedTuple):
    """What the part of a tool holds: a call, and perhaps a request for approval, the decision, and the result."""

    call: Any
    request: Any = None
    response: Any = None
    result: Any = None


class Tools:
    """Reads and writes the parts of tools.

    Args:
        described: the forms.
    """

    def __init__(self, described: Described) -> None:
        self.described = described
        self._readers = described.names.readers

    # -- reading ------------------------------------------------------------------------------------------------------

    def read(self, part: Any, place: tuple[int, int]) -> Tool | None:
        """Return what a part holds; None if it isn't a tool's.

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
        if part["type"] == DYNAMIC:
            marks["dynamic"] = True
        return found._replace(call=marked(found.call, UI, **marks)) if marks else found

    def _read_today(self, native: Native, place: tuple[int, int]) -> Tool | None:
        """Read a dynamic tool's part."""
        has_id = native.get("toolCallId") is not None
        return self._read_linked(native) if has_id else self._read_unlinked(native, place)

    def _read_unlinked(self, native: Native, place: tuple[int, int]) -> Tool | None:
        """Read a part without an id, which gets one from its place."""
        name: Any = native.get("toolName")
        if type(name) is not str:
            return None
        link = tool_links.made_call_id(place, name)
        found = self._read_linked({**native, "toolCallId": str.__str__(link)})
        if found is None:
            return None
        call = marked(found.call, UI, **{"no-id": "null" if "toolCallId" in native else "absent"})
        tool_links.link_call(call, link)
        if found.result is not None:
            tool_links.link_result(found.result, link)
        request = None if found.request is None else found.request.evolve(tool_call_id=link)
        return found._replace(call=call, request=request)

    def _read_linked(self, native: Native) -> Tool | None:
        """Read a dynamic tool's part that has an id."""
        state = native.get("state")
        if state == "output-available" and native.keys() == _ANSWERED:  # the usual one
            asked: Native = {**native, "state": "input-available"}
            answer: Native = {"toolCallId": native["toolCallId"], "state": state, "output": asked.pop("output")}
            answer["type"] = "output"
            return self._read_both(asked, answer)
        if type(state) is not str or not state.startswith("output-"):
            return self._read_pending(native, state) if RESULT_KEYS.isdisjoint(native) else None
        asked = {key: value for key, value in native.items() if key not in RESULT_KEYS}
        asked["state"] = "input-available"
        answer = {key: native[key] for key in native if key in RESULT_KEYS or key in ("state", "toolCallId")}
        answer["type"] = "output"
        approval: Any = native.get("approval")
        is_denied = state == "output-denied"
        if not is_approval(approval):
            return self._read_both(asked, answer, is_unasked=is_denied and "approval" not in native)
        if approval.get("approved") is not (not is_denied) or (is_denied and "errorText" in native):
            return None  # the state is another, or there are two reasons
        is_own = is_own_denial(approval, native["toolCallId"])
        del asked["approval"]
        if is_denied and "reason" in approval:
            answer["errorText"] = approval["reason"]
        return self._read_both(asked, answer, None if is_own else approval)

    def _read_pending(self, native: Native, state: Any) -> Tool | None:
        """Read a call without a result."""
        approval: Any = native.get("approval")
        if not is_approval(approval):
            return self._read_both(native, None)
        asked = {key: value for key, value in native.items() if key != "approval"}
        usual = _ASKED if "approved" not in approval else _DECIDED
        found = self._read_both({**asked, "state": _CALLED} if state == usual else asked, None, approval)
        if found is None or state != _CALLED:
            return found
        return found._replace(call=marked(found.call, UI, state=_CALLED))

    def _read_both(
        self, asked: Native, answer: Native | None, approval: Any = None, *, is_unasked: bool = False
    ) -> Tool | None:
        """Return what was in a part that was taken apart; None if something can't be read."""
        result = request = response = None
        try:
            call: Any = self._readers["call"](asked)
            if answer is not None:
                result = self._readers[_form_of_result(call)](answer)
            if approval is not None:
                asking, decision = split_approval(approval, asked["toolCallId"])
                request = self._readers["request"](asking)
                response = None if decision is None else self._readers["response"](decision).evolve(kind=kind_of(call))
        except (Unreadable, AgentMsgError):
            return None
        if result is not None:
            speed.name_result(result, _name_of_result(call))
            result = marked(result, UI, unasked=True) if is_unasked else result
        return Tool(call, request, response, result)

    # -- writing ------------------------------------------------------------------------------------------------------

    def write(self, tool: Tool, place: tuple[int, int]) -> Native:
        """Return the part of a call, and of what belongs to it.

        Args:
            tool: a call that fits, with what else the part holds.
            place: as in ``read``.
        """
        call, request, response, result = tool
        if result is not None and response is not None:
            result = _agreeing(response, result)
        native = write_as(self.described.shapes["call"], call, UI)
        if result is not None:
            # The name matters only if the result is read again, to prove that its spelling comes back.
            unnamed = _with_name(result, None) if result.notes or result.extras else result
            answer = write_as(self.described.shapes[_form_of_result(call)], unnamed, UI)
            native = {**native, **answer, "type": native["type"]}
        if request is not None:
            asking = write_as(self.described.shapes["request"], request, UI)
            decision = None if response is None else write_as(self.described.shapes["response"], response, UI)
            native["approval"] = joined_approval(asking, decision)
            if result is None and mark_of(call, UI, "/state") is None:
                native["state"] = _ASKED if response is None else _DECIDED
        is_denied = native["state"] == "output-denied" and result is not None and not is_marked(result, UI, "/unasked")
        if is_denied and request is not None:
            native.pop("errorText", None)  # the approval says it
        elif is_denied and "approval" not in native:
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


def _agreeing(response: Any, result: Any) -> Any:
    """Return a result that agrees with the decision on its call."""
    if response.approved and result.status != "denied":
        return result
    if response.approved:
        words = result.error or result.text
        return result.evolve(status="error", error=None, content=(am.TextBlock(words),) if words else ())
    if result.status == "denied" and result.error == response.reason:
        return result
    return result.evolve(status="denied", error=response.reason, content=(), structured=None)


def kind_of(call: am.ToolUseBlock) -> str:
    """Return the kind of a decision on a call."""
    return "server" if call.kind == "server" else "function"


def _form_of_result(call: am.ToolUseBlock) -> str:
    return "server_result" if call.kind == "server" else "result"


def _name_of_result(call: am.ToolUseBlock) -> Any:
    """Return the name for the result of a call; a client tool's is one that the reader made."""
    return call.name if call.kind == "server" else tool_links.made_name(call.name)


_OBJECT: Any = dict  # so that type checkers ask nothing about what is inside
STEP: Native = {"type": "step-start"}
_MOST_STARTS = 99
_make_msg = maker(am.Msg, "role", "content")


class Steps:
    """Reads and writes the parts of an assistant.

    Args:
        parts: those that are one block each.
        tools: those of tools.
    """

    def __init__(self, parts: Parts, tools: Tools) -> None:
        self._parts, self._tools = parts, tools

    # -- reading ------------------------------------------------------------------------------------------------------

    def read(self, parts: list[Any], number: int) -> list[am.Msg] | None:
        """Return a message for each step, and one for each result.

        None if too many step-starts follow each other, or one follows another with keys of its own, or if in a step a
        call has a result, but an earlier one with the same id has none: a result belongs to the first.

        Args:
            parts: the parts.
            number: the number of their message.
        """
        group: list[am.Msg] = []
        pending: set[tuple[str, str | None]] = set()
        starts, read = 0, self._parts.read
        blocks: list[Any] = []
        results: list[Any] = []
        own: Native = {}

        def end() -> None:
            usual = int(bool(group) or not blocks or bool(own))
            message = _make_msg("assistant", tuple(blocks))
            if own and blocks:
                message = spelling.changed(message, {"extras": adopt({STEP_EXTRAS: own})})
            elif own:
                message = marked(message, UI, last=own)
            group.append(message if starts == usual else marked(message, UI, steps=starts))
            group.extend(answers(results))

        for index, part in enumerate(parts):
            tag: Any = part.get("type") if type(part) is _OBJECT else None
            if tag == STEP["type"]:
                if blocks:
                    end()
                    starts, blocks, results, own = 0, [], [], {}
                    pending.clear()
                starts, has_keys = starts + 1, bool(own)
                own = {key: value for key, value in part.items() if key != "type"}
                if starts > _MOST_STARTS or has_keys:
                    return None
                continue
            if not is_tool(tag):
                blocks.append(read(part))
                continue
            found = self._tools.read(part, (number, index))
            if found is None:
                blocks.append(natives.native_part(part, UI))
                continue
            if not _is_told(found, pending):
                return None
            call, request, response, result = found
            blocks += [call] if request is None else [call, request]
            results += [] if response is None else [response]
            if result is not None:
                (blocks if call.kind == "server" else results).append(result)
        if blocks or not group:
            end()
        elif starts:
            last = max(index for index, message in enumerate(group) if message.role == "assistant")
            group[last] = marked(group[last], UI, after=starts, **({"last": own} if own else {}))
        return group

    # -- writing ------------------------------------------------------------------------------------------------------

    def write(self, group: Sequence[am.Msg], number: int) -> list[Any]:
        """Return the parts of messages that share a native one.

        Args:
            group: the messages.
            number: the number of the native one.
        """
        first = group[0]
        if not first.content:
            return _with_last(_starts(first, "/steps", int(not is_marked(first, UI, "/empty")), least=1), first)
        if len(group) == 1 and not first.notes and not first.extras:
            return self._write_step(first, [], (number, 0))  # the usual one
        parts: list[Any] = []
        after: list[Any] = []
        for index, message in enumerate(group):
            if is_answer(message):
                continue
            own: Native = natives.extras_copy(message, STEP_EXTRAS)
            least = 1 if own else int(index > 0)
            parts += _starts(message, "/steps", least, least=least)
            if own:
                parts[-1] = {**STEP, **own}
            parts += self._write_step(message, group[index + 1 :], (number, len(parts)))
            after = _with_last(_starts(message, "/after", 0, least=0), message) if message.notes else []
        return parts + after

    def _write_step(self, message: am.Msg, later: Sequence[am.Msg], place: tuple[int, int]) -> list[Any]:
        """Return the parts of a step.

        Args:
            message: the step.
            later: the messages after it, which begin with its results.
            place: the number of the native message, and of the step's first part in it.
        """
        # The results by the id of their call, and decisions by that of their request, the first one last.
        results: dict[tuple[type[Any], str | None], list[Any]] = {}
        for other in reversed([*takewhile(is_answer, later)]):
            for block in reversed(other.content):
                results.setdefault((type(block), link_of(block)), []).append(block)
        parts: list[Any] = []
        content: Any = message.content
        number, first = place
        write = self._parts.write
        for index, block in enumerate(content):
            if not isinstance(block, am.ToolUseBlock):
                if not isinstance(block, (am.ApprovalRequestBlock, am.ToolResultBlock)):  # those are with their call
                    parts.append(write(block))
                continue
            behind = [*content[index + 1 : index + 3], None, None]
            request = behind.pop(0) if type(behind[0]) is am.ApprovalRequestBlock else None
            waiting = results.get((am.ApprovalResponseBlock, None if request is None else request.id))
            response = waiting.pop() if waiting else None
            if block.kind == "server":
                result = behind[0] if isinstance(behind[0], am.ToolResultBlock) else None
            else:
                waiting = results.get((am.ToolResultBlock, block.id))
                result = waiting.pop() if waiting else None
            parts.append(self._tools.write(Tool(block, request, response, result), (number, first + len(parts))))
        return parts


def _is_told(tool: Tool, pending: set[tuple[str, str | None]]) -> bool:
    """Whether a tool's result and decision belong to it: those of an id belong to the first that waits for one.

    Args:
        tool: what a part holds.
        pending: what waits in the step, by kind and id.
    """
    for asked, kind, answer in ((tool.call, tool.call.kind, tool.result), (tool.request, "approval", tool.response)):
        if asked is None:
            continue
        if answer is None:
            pending.add((kind, asked.id))
        elif pending and (kind, asked.id) in pending:
            return False
    return True


def link_of(block: Any) -> str | None:
    """Return the id that links an answer with its call or request."""
    return block.id if type(block) is am.ApprovalResponseBlock else block.tool_call_id


def answers(blocks: Sequence[Any]) -> list[am.Msg]:
    """Return the messages of results and decisions: adjacent decisions share one of the user's."""
    found: list[am.Msg] = []
    for is_said, group in groupby(blocks, lambda block: type(block) is am.ApprovalResponseBlock):
        run = tuple(group)
        found += [_make_msg("user", run)] if is_said else [_make_msg("tool", (result,)) for result in run]
    return found


def is_answer(message: am.Msg) -> bool:
    """Whether a message holds a result, or decisions."""
    return message.role == "tool" or tool_links.is_decision(message)


def _starts(message: am.Msg, mark: str, usual: int, *, least: int) -> list[Any]:
    """Return the step-starts that a mark counts, or the usual number."""
    count = mark_of(message, UI, mark) if message.notes else None
    times = count if type(count) is int and least <= count <= _MOST_STARTS else usual
    return [dict(STEP) for _ in range(times)]


def _with_last(starts: list[Any], message: am.Msg) -> list[Any]:
    """Return step-starts at the end, the last one with the keys that a mark holds."""
    own = mark_of(message, UI, "/last")
    return [*starts[:-1], {**thaw(own), **STEP}] if starts and is_mapping(own) else starts
