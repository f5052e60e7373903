"""Native messages and ours: each result in a tool message becomes a message.

A tool message may also hold a person's decisions; they become a user message, marked ``/tool`` if they can't be read.
Options beside content that is a text belong to the text; the message is marked ``/str``.

A result has the name of its tool, which is that of its call: the reader treats a name as derived if the call has it,
too; the writer adds it to a result without one. The mark ``/unnamed`` is on results that were read without a name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import ApprovalResponseBlock, NativeBlock, TextBlock
from agentmsg.formats import (
    CallNames,
    Native,
    grouping,
    is_list,
    is_mapping,
    is_marked,
    is_object,
    maker,
    marked,
    natives,
    speed,
    tool_links,
)
from agentmsg.formats.forms import Grouped
from agentmsg_codecs.vercel.format import describe
from agentmsg_codecs.vercel.names import FAMILY, PROVIDER_OPTIONS
from agentmsg_codecs.vercel.shared import check_message

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


# -- names of results --------------------------------------------------------------------------------------------------

_with_name = speed.replacer(am.ToolResultBlock, "name")


def read_names(messages: Iterable[am.Msg]) -> list[am.Msg]:
    """Return messages that were read, with the names that results have from their calls marked as derived."""
    names, out = CallNames(), list[am.Msg]()
    for message in messages:
        out.append(names.stand_in(message))
        names.see(message)
    return out


def written_names(messages: Iterable[am.Msg]) -> list[am.Msg]:
    """Return messages to write, each result with the name that is written for it."""
    names, out = CallNames(), list[am.Msg]()
    for message in messages:
        if message.role == "tool":
            block: Any = message.content[0]
            name = _written_name(block, names.answer(block.tool_call_id))
            is_so = name is block.name
            out.append(message if is_so else tool_links.with_result(message, _with_name(block, name)))
        else:
            names.see(message)
            out.append(message)
    return out


def _written_name(block: Any, known: str | None) -> str | None:
    name = block.name
    if is_marked(block, FAMILY, "/unnamed") and (name is None or (isinstance(name, am.Made) and name == known)):
        return None
    return natives.link_of(known if name is None else name)


# -- messages ----------------------------------------------------------------------------------------------------------

_ROLES = {"system": "system", "user": "user", "assistant": "assistant"}
_ANSWERS = ("tool-result", "tool-approval-response")
_make_msg = maker(am.Msg)


class Messages(Grouped):
    """Reads and writes messages."""

    def __init__(self) -> None:
        super().__init__(describe(), result="result", roles=_ROLES)
        self._decisions = self.described.parts["decisions"]
        self.grouping = grouping.Grouping(family=FAMILY, may_join=self._may_join, joins=self._may_join)

    # -- messages in a native tool message ----------------------------------------------------------------------------

    def _answer_of(self, message: am.Msg) -> str | None:
        """Return what kind of answers of a native tool message a message is: results, decisions, or native parts."""
        if message.role == "tool":
            return "results"
        if tool_links.is_decision(message):
            return "decisions"
        if message.role != "user" or not message.content:
            return None
        is_native = is_marked(message, FAMILY, "/tool") and all(map(self._is_native_answer, message.content))
        return "parts" if is_native else None

    def _is_native_answer(self, block: Any) -> bool:
        value: Any = block.value if type(block) is NativeBlock and block.codec == FAMILY else None
        if not is_mapping(value) or value.get("type") not in _ANSWERS:
            return False
        part = am.thaw(value)
        return self.read_result(part) is None and type(self._decisions.read(part)) is NativeBlock

    def _may_join(self, group: Sequence[am.Msg], message: am.Msg) -> bool:
        if message.extras or not (group[-1].content and message.content):
            return False
        last, own = self._answer_of(group[-1]), self._answer_of(message)
        return last is not None and own is not None and (own == "results" or own != last)

    # -- reading ------------------------------------------------------------------------------------------------------

    def read(self, natives: Iterable[Any]) -> list[am.Msg]:
        """Read native messages; what isn't a message here gets the role "native"."""
        return read_names(grouping.seated(map(self.container, natives), self.grouping))

    def read_result(self, part: Any) -> am.ToolResultBlock | None:
        """Return the result of a part; None if it isn't one."""
        block = self.described.parts["tool"].read(part)
        return block if type(block) is am.ToolResultBlock else None

    def container(self, native: Any) -> list[am.Msg]:
        """Read one native message as several; one of the role "native" if it isn't a message here."""
        role: Any = native.get("role") if is_object(native) else None
        if role == "tool":
            return self._of_tools(native)
        if role == "system" and is_list(native.get("content")):
            return [natives.read_whole(native, FAMILY)]
        options: Any = native.get(PROVIDER_OPTIONS) if role else None
        block = self._with_options(role, native.get("content"), options) if options else None
        if block is None:
            return Grouped.container(self, native)
        (message,) = super().container({key: native[key] for key in native if key != PROVIDER_OPTIONS})
        message = message.evolve(content=(block,))
        return [message if role == "system" else marked(message, FAMILY, str=True)]

    def _with_options(self, role: Any, content: Any, options: Any) -> TextBlock | None:
        """Return content that is a text, with the options beside it; None if there are none that a text may have."""
        if not content or type(content) is not str or type(role) is not str or role not in _ROLES:
            return None
        if not options or not is_object(options):
            return None
        block = self.places[role].read({"type": "text", "text": content, PROVIDER_OPTIONS: options})
        return block if type(block) is TextBlock and FAMILY not in block.extras else None

    def message_of(self, value: Any) -> am.Msg:
        """Return the first message of a native one.

        Raises:
            DecodeError: if it isn't an object.
        """
        check_message(value)
        return super().message_of(value)

    def _split(self, role: str, place: Any, content: list[Any]) -> list[am.Msg]:
        return [self._with_blocks(role, tuple(map(place.read, content)))]

    def _of_tools(self, native: Native) -> list[am.Msg]:
        content: Any = native.get("content")
        if not is_list(content) or not content:
            return [natives.read_whole(native, FAMILY)]
        group: list[am.Msg] = []
        for part in content:
            result = self.read_result(part)
            if result is not None:
                group.append(_make_msg("tool", (result,)))
                continue
            if not is_object(part) or part.get("type") not in _ANSWERS:
                return [natives.read_whole(native, FAMILY)]
            block = self._decisions.read(part)
            message = _make_msg("user", (block,))
            message = message if type(block) is ApprovalResponseBlock else marked(message, FAMILY, tool=True)
            if group and group[-1].role == "user" and type(group[-1].content[0]) is type(block):
                group[-1] = group[-1].evolve(content=(*group[-1].content, block))
            else:
                group.append(message)
        if len(native) > len(self.keys):
            group[0] = self._kept(group[0], native, None)
        return group

    # -- writing ------------------------------------------------------------------------------------------------------

    def write(self, messages: Sequence[am.Msg]) -> list[Any]:
        """Write messages that fit."""
        return [self.write_group(group) for group in grouping.containers(written_names(messages), self.grouping)]

    def _plain(self, group: Sequence[am.Msg]) -> Native:
        first = group[0]
        kinds = [self._answer_of(message) for message in group]
        if kinds[0] is not None:
            parts: list[Any] = []
            for kind, message in zip(kinds, group, strict=True):
                place = self.described.parts["tool"] if kind == "results" else self._decisions
                parts += map(place.write, message.content)
            return {"role": "tool", "content": parts}
        native = super()._plain(group)
        content: Any = native["content"]
        if is_list(content) and len(content) == 1 and self._is_text(first, content[0]):
            part = content[0]
            options = part.get(PROVIDER_OPTIONS)
            return {**native, "content": part["text"], **({PROVIDER_OPTIONS: options} if options else {})}
        if first.extras and type(content) is str and first.role != "system":
            # Beside a text, an extra under this key would be read as the text's options.
            options = am.thaw(natives.extras_of(first, FAMILY).get(PROVIDER_OPTIONS))
            if self._with_options(first.role, content, options) is not None:
                return {**native, "content": [{"type": "text", "text": content}]}
        return native

    @staticmethod
    def _is_text(message: am.Msg, part: Any) -> bool:
        """Whether a message is written as a text, with the options of its only part beside it."""
        if not is_object(part) or not {"type", "text"} <= part.keys() <= {"type", "text", PROVIDER_OPTIONS}:
            return False
        if message.role == "system" or not part["text"]:
            return bool(part["text"])
        options = part.get(PROVIDER_OPTIONS)
        is_free = bool(options) and is_mapping(options) and not natives.has_extra(message, FAMILY, PROVIDER_OPTIONS)
        return is_free and is_marked(message, FAMILY, "/str")
