"""Native messages and ours: a system or user message is one of ours, an assistant's several (see steps.py).

Marks of messages: ``/metadata`` (empty metadata), ``/no-id`` and ``/empty`` (without an id, or parts), ``/time`` (it
had a time, in this style), ``/v4`` (see v4.py). Of texts: ``/done``. Of calls and results: see steps.py.
"""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, Any

import agentmsg as am
import agentmsg_codecs.vercel.ui.v4 as old
from agentmsg import Made, thaw
from agentmsg.formats import (
    Native,
    adopt,
    grouping,
    is_marked,
    is_object,
    maker,
    mark_of,
    marked,
    natives,
    same_document,
    speed,
    spelling,
)
from agentmsg_codecs.vercel.names import STEP_EXTRAS, UI
from agentmsg_codecs.vercel.shared import check_message
from agentmsg_codecs.vercel.ui.format import describe
from agentmsg_codecs.vercel.ui.steps import STEP, Steps, Tools, is_answer
from agentmsg_codecs.vercel.ui.tool_parts import is_tool
from agentmsg_codecs.vercel.ui.v4 import lifted, stored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from agentmsg.formats import Parts


_PREFIX = "agentmsg-"


def made_id(number: int) -> str:
    """Return the id of a native message that has none, from its place in the document."""
    return f"{_PREFIX}{number}"


def has_own_id(message: am.Msg) -> bool:
    """Whether a message has an id that wasn't made."""
    return message.id is not None and type(message.id) is not Made


def without_places(messages: Sequence[am.Msg], how: grouping.Grouping) -> Sequence[am.Msg]:
    """Return messages without the ids that would be read as made ones, at their places.

    Args:
        messages: the messages, which fit.
        how: which messages share a native one, whose place counts.
    """
    ids = [message.id for message in messages if message.id is not None]
    if not any([link.startswith(_PREFIX) and type(link) is not Made for link in ids]):  # noqa: C419 - in half the time
        return messages
    found: list[am.Msg] = []
    group: list[am.Msg] = []
    number, is_changed = -1, False
    for each in messages:
        message = each
        is_first = not (group and grouping.is_joined(how, group, message))
        if is_first and has_own_id(message) and message.id == made_id(number + 1):
            message, is_changed = spelling.changed(message, {"id": None}), True
            # Without an id of its own it may join the message before it.
            is_first = not (group and grouping.is_joined(how, group, message))
        if is_first:
            number, group = number + 1, []
        group.append(message)
        found.append(message)
    return found if is_changed else messages


# So that type checkers ask nothing about what is inside; a call of ``is_object`` takes longer than the test.
_OBJECT: Any = dict
_LIST: Any = list
_KEYS = frozenset({"id", "role", "parts"})
# What a part tells of the result and the decision that it holds, in words that agree.
_TOLD: Mapping[Any, tuple[str, ...]] = {
    am.ToolResultBlock: ("status", "error", "content", "structured"), am.ApprovalResponseBlock: ("kind",),
}  # fmt: skip
_make_msg = maker(am.Msg, "role", "content")
_give_id = speed.setter(am.Msg, "id")


def _may_join(group: Sequence[am.Msg], message: am.Msg) -> bool:
    if group[0].role != "assistant" or not (message.role == "assistant" or is_answer(message)):
        return False
    if has_own_id(message) or message.metadata or any(space != STEP_EXTRAS for space in message.extras):
        return False
    if message.created_at and mark_of(message, UI, "/time") is not None:
        return False
    return bool(message.content and group[-1].content)


def _asks(message: am.Msg) -> bool:
    return any(type(block) is am.ApprovalRequestBlock for block in message.content)


def _shape(message: am.Msg) -> tuple[str, int]:
    return message.role, len(message.content)


def _agreeing(message: am.Msg, read: am.Msg) -> am.Msg:
    """Return a message whose results and decisions say what was read of them."""
    content: list[Any] = []
    for block, other in zip(message.content, read.content, strict=True):
        found = {name: getattr(other, name) for name in _TOLD.get(type(block), ())}
        changes = {name: value for name, value in found.items() if not am.same(getattr(block, name), value)}
        content.append(block.evolve(**changes) if changes else block)
    is_same = all(map(is_, content, message.content))
    return message if is_same else spelling.changed(message, {"content": tuple(content)})


class Messages:
    """Reads and writes messages.

    Attributes:
        described: the forms.
        places: by role, the parts.
        tools: the parts of tools.
        steps: the parts of assistants.
    """

    def __init__(self) -> None:
        self.described = describe()
        self.places: dict[str, Parts] = dict(self.described.parts)
        self.tools = Tools(self.described)
        self.steps = Steps(self.places["assistant"], self.tools)
        self.grouping = grouping.Grouping(
            family=UI,
            may_join=_may_join,
            joins=lambda group, message: (
                message.role == "assistant" and is_answer(group[-1]) and _may_join(group, message)
            ),
            must_join=lambda group, message: group[0].role == "assistant" and is_answer(message),
        )

    def fill(self) -> None:
        """Fill the tables, on first use."""
        self.described.fill()

    # -- reading ------------------------------------------------------------------------------------------------------

    def read(self, native_messages: Iterable[Any]) -> list[am.Msg]:
        """Read native messages; what isn't a message here gets the role "native"."""
        groups = [self.container(native, number) for number, native in enumerate(native_messages)]
        return grouping.seated(groups, self.grouping)

    def message_of(self, value: Any) -> am.Msg:
        """Return the first message of a native one.

        Raises:
            DecodeError: if it isn't an object.
        """
        check_message(value)
        self.fill()
        return self.container(value)[0]

    def container(self, native: Any, number: int = -1) -> list[am.Msg]:
        """Read one native message as several; one of the role "native" if it isn't a message here."""
        if type(native) is not _OBJECT or "content" not in native:
            return self._container(native, number)  # the usual case: neither Mastra's nor version 4's
        unwrapped = lifted(native)
        if unwrapped is None:
            return self._versioned(native, number)
        group = self._versioned(unwrapped[0], number)
        if group[0].role == "native":
            return [natives.read_whole(native, UI)]
        return [marked(group[0], UI, mastra=unwrapped[1]), *group[1:]]

    def _versioned(self, native: Native, number: int) -> list[am.Msg]:
        """Read a message of any version."""
        if not old.is_old(native):
            return self._container(native, number)
        found = old.as_new(native) or old.as_mixed(native)
        group = self._container(found[0], number) if found is not None else []
        if found is None or group[0].role == "native":
            return [natives.read_whole(native, UI)]
        return [marked(group[0], UI, v4=found[1]), *group[1:]]

    def _container(self, native: Any, number: int) -> list[am.Msg]:
        role: Any = native.get("role") if type(native) is _OBJECT else None
        parts: Any = native.get("parts") if role in ("system", "user", "assistant") else None
        group: list[am.Msg] | None = None
        if type(parts) is _LIST and type(native.get("id", "")) is str:
            group = self.steps.read(parts, number) if role == "assistant" else self._plain_message(role, parts)
        if not group:
            return [natives.read_whole(native, UI)]
        group[0] = self._headed(group[0], native, number)
        return group

    def _plain_message(self, role: str, parts: list[Any]) -> list[am.Msg] | None:
        """Return the message of a user or the system; None if it has steps: only a single empty one is allowed."""
        if parts == [STEP]:
            parts = []
        if STEP in parts:
            return None
        return [_make_msg(role, tuple(map(self.places[role].read, parts)))]

    def _headed(self, first: am.Msg, native: Native, number: int) -> am.Msg:
        """Return the first message of a native one, with the keys beside its parts."""
        link: Any = native.get("id")
        if len(native) == len(_KEYS) and link and native["parts"] and link != made_id(number):
            _give_id(first, link)
            return first
        fields: dict[str, Any] = {"id": None if link == made_id(number) else link}
        marks: dict[str, Any] = {} if "id" in native else {"no-id": True}
        rest = {key: value for key, value in native.items() if key not in _KEYS}
        time = old.read_time(rest.get("createdAt"))
        if time is not None:
            del rest["createdAt"]
            fields["created_at"], marks["time"] = time
        if not native["parts"]:
            marks["empty"] = True
        metadata = rest.get("metadata")
        if "metadata" in rest and (metadata is None or metadata == {}):
            marks["metadata"] = "null" if rest.pop("metadata") is None else "{}"
        elif is_object(metadata):
            fields["metadata"] = adopt(rest.pop("metadata"))
        if rest:
            fields["extras"] = adopt({**first.extras, UI: rest})
        message = spelling.changed(first, fields)
        return marked(message, UI, **marks) if marks else message

    # -- writing ------------------------------------------------------------------------------------------------------

    def write(self, messages: Sequence[am.Msg]) -> list[Any]:
        """Write messages that fit."""
        groups = grouping.containers(messages, self.grouping)
        written = [self._write_group(group, number) for number, group in enumerate(groups)]
        for number, group in enumerate(groups):
            if group[0].notes and (note := mark_of(group[0], UI, "/mastra")) is not None:
                written[number] = stored(written[number], note)
        return written

    def agreeing(self, messages: Sequence[am.Msg]) -> Sequence[am.Msg]:
        """Return messages that fit, with results and decisions that agree with each other and with their calls."""
        if not any(map(_asks, messages)):
            return messages
        out: list[am.Msg] = []
        for number, group in enumerate(grouping.containers(messages, self.grouping)):
            back = self.container(self._write_group(group, number), number) if any(map(_asks, group)) else group
            is_whole = list(map(_shape, back)) == list(map(_shape, group))
            out += map(_agreeing, group, back) if is_whole else group
        return out

    def with_own(self, first: am.Msg, others: Sequence[am.Msg]) -> am.Msg:
        """Return the first message of a native one without the extras that would be read as something else."""

        def holding(own: Mapping[str, Any]) -> am.Msg:
            spaces = {space: first.extras[space] for space in first.extras if space != UI}
            return spelling.changed(first, {"extras": adopt({**spaces, **({UI: own} if own else {})})})

        def come_back(own: Mapping[str, Any]) -> bool:
            back = self.container(self._write_group([holding(own), *others], 0), 0)[0]
            return same_document(thaw(natives.extras_of(back, UI)), thaw(own))

        own = natives.extras_of(first, UI)
        kept = natives.coming_back(own, come_back)
        return first if kept is own else holding(kept)

    def _write_group(self, group: Sequence[am.Msg], number: int) -> Any:
        first: Any = group[0]
        if first.role == "native":
            return thaw(first.content[0].value)
        parts = self._write_parts(group, number)
        link = made_id(number) if first.id is None else str(first.id)
        if not (first.notes or first.extras or first.metadata):
            return {"id": link, "role": first.role, "parts": parts}
        own: Native = natives.extras_copy(first, UI)
        head: Native = {} if first.id is None and is_marked(first, UI, "/no-id") else {"id": link}
        head["role"] = first.role
        time = old.write_time(first.created_at, mark_of(first, UI, "/time"))
        if time is not None:
            head["createdAt"] = time
        empty = mark_of(first, UI, "/metadata")
        if first.metadata:
            head["metadata"] = thaw(first.metadata)
        elif empty in ("null", "{}") and "metadata" not in own:
            head["metadata"] = None if empty == "null" else {}
        native = {**head, "parts": parts, **{key: value for key, value in own.items() if key not in head}}
        note = mark_of(first, UI, "/v4")
        return native if note is None else old.written(native, note)

    def _write_parts(self, group: Sequence[am.Msg], number: int) -> list[Any]:
        first = group[0]
        if first.role == "assistant":
            return self.steps.write(group, number)
        parts = list(map(self.places[first.role].write, first.content))
        return parts or ([] if is_marked(first, UI, "/empty") else [dict(STEP)])

    # -- whether native ones come back --------------------------------------------------------------------------------

    def returns(self, place: str) -> Callable[[am.NativeBlock], am.NativeBlock | None]:
        """Return a function that returns what is read back if a native block is written in a place, else None."""

        def comes_back(block: am.NativeBlock) -> am.NativeBlock | None:
            self.fill()
            part = thaw(block.value)
            tag: Any = part.get("type") if place == "assistant" and is_object(part) else None
            if part == STEP or tag == STEP["type"] or (tag is not None and self.tools.read(part, (-1, 0)) is not None):
                return None
            return natives.native_part(part, UI) if is_tool(tag) else self.places[place].comes_back(block)

        return comes_back
