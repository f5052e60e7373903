"""Native messages and ours: each result in a tool message becomes a message.

A tool message may also hold users' answers to a request for approval: here they are a user message, marked ``/tool``.
Options beside content that is a text belong to the text; ``/str`` marks a message that was read like this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import NativeBlock, TextBlock
from agentmsg.formats import (
    Grouping,
    Native,
    grouping,
    is_list,
    is_mapping,
    is_marked,
    is_object,
    maker,
    marked,
    natives,
    write_as,
)
from agentmsg.formats.forms import Grouped
from agentmsg_codecs.vercel.format import describe
from agentmsg_codecs.vercel.links import named, spelt
from agentmsg_codecs.vercel.names import FAMILY
from agentmsg_codecs.vercel.shared import check_message

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_ROLES = {"system": "system", "user": "user", "assistant": "assistant"}
_KEY = "providerOptions"
_ANSWERS = ("tool-result", "tool-approval-response")
_make_msg = maker(am.Msg)


class Messages(Grouped):
    """Reads and writes messages."""

    def __init__(self) -> None:
        super().__init__(describe(), result="result", roles=_ROLES)
        self.grouping = Grouping(family=FAMILY, may_join=self._may_join, joins=self._may_join)

    # -- what stands in a message of tools ----------------------------------------------------------------------------

    def _is_answer(self, message: am.Msg) -> bool:
        """Whether a message stands in one of tools."""
        if message.role != "user" or not is_marked(message, FAMILY, "/tool") or not message.content:
            return message.role == "tool"
        return all(isinstance(block, NativeBlock) and self._answers(block) for block in message.content)

    def _answers(self, block: NativeBlock) -> bool:
        value: Any = block.value
        if block.codec != FAMILY or not is_mapping(value) or value.get("type") not in _ANSWERS:
            return False
        return self.read_result(am.thaw(value)) is None

    def _may_join(self, group: Sequence[am.Msg], message: am.Msg) -> bool:
        last = group[-1]
        if last.role == message.role == "user" or message.extras or not (last.content and message.content):
            return False
        return self._is_answer(last) and self._is_answer(message)

    # -- reading ------------------------------------------------------------------------------------------------------

    def read(self, natives: Iterable[Any]) -> list[am.Msg]:
        """Return the messages of native ones; what isn't a message here is one of the role "native"."""
        return named(grouping.seated(map(self.container, natives), self.grouping))

    def container(self, native: Any) -> list[am.Msg]:
        """Return the messages of one native message; one of the role "native" if it isn't a message here."""
        role: Any = native.get("role", "") if is_object(native) else ""
        if role == "tool":
            return self._of_tools(native)
        content: Any = native.get("content") if role else None
        if role == "system" and is_list(content):
            return [natives.read_whole(native, FAMILY)]
        is_text = type(content) is str and type(role) is str and role in _ROLES
        block = self._with_options(role, content, native.get(_KEY)) if is_text else None
        if block is None:
            return super().container(native)
        (message,) = super().container({key: native[key] for key in native if key != _KEY})
        message = message.evolve(content=(block,))
        return [message if role == "system" else marked(message, FAMILY, str=True)]

    def _with_options(self, role: str, text: str, told: Any) -> TextBlock | None:
        """Return the text of a message with the options beside it; None where these are none of a text's."""
        if not text or not told or not is_object(told):
            return None
        block = self.places[role].read({"type": "text", "text": text, _KEY: told})
        return block if type(block) is TextBlock and FAMILY not in block.extras else None

    def message_of(self, value: Any) -> am.Msg:
        """Return the first message of a native one.

        Raises:
            DecodeError: if it is none.
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
            block: Any = self.read_result(part)
            role = "user" if block is None else "tool"
            if block is None:
                block = self.parts.read(part)
                if not is_object(part) or part.get("type") not in _ANSWERS:
                    return [natives.read_whole(native, FAMILY)]
            if group and group[-1].role == role == "user":
                group[-1] = group[-1].evolve(content=(*group[-1].content, block))
            else:
                message = _make_msg(role, (block,))
                group.append(message if role == "tool" else marked(message, FAMILY, tool=True))
        if len(native) > len(self.keys):
            rest = {key: value for key, value in native.items() if key not in self.keys}
            group[0] = group[0].evolve(extras={FAMILY: rest})
        return group

    # -- writing ------------------------------------------------------------------------------------------------------

    def write(self, messages: Sequence[am.Msg]) -> list[Any]:
        """Return the native messages of messages that fit."""
        return [self.write_group(group) for group in grouping.containers(spelt(messages), self.grouping)]

    def write_result(self, block: Any) -> Any:
        """Return the part of a result; it says its name."""
        return write_as(self.described.shapes["result"], block, FAMILY)

    def _plain(self, group: Sequence[am.Msg]) -> Native:
        first = group[0]
        if self._is_answer(first):
            parts = [
                self.write_result(block) if message.role == "tool" else self.parts.write(block)
                for message in group
                for block in message.content
            ]
            return {"role": "tool", "content": parts}
        native = super()._plain(group)
        content: Any = native["content"]
        if is_list(content) and len(content) == 1 and self._is_text(first, content[0]):
            part = content[0]
            return {**native, "content": part["text"], **({_KEY: part[_KEY]} if part.get(_KEY) else {})}
        if first.extras and type(content) is str and first.role != "system":
            # Beside a bare text they would be its options.
            told = am.thaw(natives.extras_of(first, FAMILY).get(_KEY))
            if self._with_options(first.role, content, told) is not None:
                return {**native, "content": [{"type": "text", "text": content}]}
        return native

    @staticmethod
    def _is_text(message: am.Msg, part: Any) -> bool:
        """Whether a message is written as a text, with the options of its only part beside."""
        if not is_object(part) or not {"type", "text"} <= part.keys() <= {"type", "text", _KEY} or not part["text"]:
            return False
        if message.role == "system":
            return True
        is_free = (
            _KEY in part and is_mapping(part[_KEY]) and part[_KEY] and not natives.has_extra(message, FAMILY, _KEY)
        )
        return bool(is_free) and is_marked(message, FAMILY, "/str")
