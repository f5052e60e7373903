"""Native messages and ours: content, grouped tool results, and what stands beside content.

A user message is a container (`agentmsg.formats`): each tool result in it is a tool message of its own, what stands
between them user messages. What belongs to the native message as a whole is on its first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import agentmsg as am
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    CallNames,
    Grouping,
    Native,
    Parts,
    Unreadable,
    adopt,
    grouping,
    is_bare_text,
    is_list,
    is_object,
    maker,
    mark_of,
    natives,
    plain_copy,
    read_as,
    same_document,
    speed,
    spelling,
    tool_links,
    write_as,
)
from agentmsg_codecs.anthropic.media import FILE, IMAGE
from agentmsg_codecs.anthropic.names import FAMILY
from agentmsg_codecs.anthropic.results import make_result, result_shape, server_shape
from agentmsg_codecs.anthropic.shapes import CALL, COMPACTION, QUICK, TEXT, THINKING, make_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


MESSAGE_KEYS = frozenset({"role", "content"})
_ROLES = frozenset({"system", "user", "assistant"})
_USERS = frozenset({"user", "tool"})
_LISTED = adopt({FAMILY: {"/list": True}})
_NOT_SAID: Any = object()
_make_msg = maker(am.Msg)
_with_name = speed.replacer(am.ToolResultBlock, "name")


# -- which messages share a native one --------------------------------------------------------------------------------


def _may_join(group: Sequence[am.Msg], message: am.Msg) -> bool:
    last = group[-1]
    if last.role not in _USERS or message.role not in _USERS or last.role == message.role == "user":
        return False
    return bool(last.content and message.content) and not message.extras


GROUPING = Grouping(
    family=FAMILY, may_join=_may_join, joins=lambda group, message: group[-1].role == message.role == "tool"
)


class Messages:
    """Reads and writes messages.

    Attributes:
        parts: the content of users and assistants; hooks registered on its Converter before first use replace ours.
        answers: the content of responses, where images and documents are odd.
        inner: what stands inside the result of a tool.
        texts: what stands in a system message.
        result: the shape of a tool result.
    """

    def __init__(self) -> None:
        self.parts = Parts(
            FAMILY,
            (
                TEXT,
                IMAGE,
                FILE,
                THINKING,
                CALL,
                COMPACTION,
                server_shape(self._read_text, self._write_text),
            ),
            ((cls, tag, read) for cls, (tag, read) in QUICK.items()),
        )
        of_answers = [am.TextBlock, am.ThinkingBlock, am.ToolUseBlock, am.ToolResultBlock, am.CompactionBlock]
        odd = (am.ImageBlock, am.FileBlock)
        self.answers = self.parts.narrowed((*of_answers, *odd), odd=odd)
        self.inner = self.parts.narrowed((am.TextBlock, am.ImageBlock, am.FileBlock))
        self.texts = self.parts.narrowed((am.TextBlock,))
        self.result = result_shape(self.inner.read, self.inner.write)

    def fill(self) -> None:
        """Fill the tables, on first use."""
        if self.texts.is_filled:  # the last one
            return
        for parts in (self.parts, self.answers, self.inner, self.texts):
            parts.fill()

    def _read_text(self, part: Any) -> Any:
        return self.texts.read(part)

    def _write_text(self, block: Any) -> Any:
        return self.texts.write(block)

    # -- reading ------------------------------------------------------------------------------------------------------

    def read(self, native_messages: Iterable[Any]) -> list[am.Msg]:
        """Return the messages of native ones; what isn't a message here is one of the role "native"."""
        names = CallNames()
        groups: list[list[am.Msg]] = []
        is_odd, after_result = False, False
        for native in native_messages:
            group = self._usual(native, names)
            if group is None:
                group = [_named(message, names) for message in self.container(native)]
            first = group[0].role
            is_odd = is_odd or (after_result and first == "tool") or (len(group) > 1 and not _all_results(group))
            after_result = group[-1].role == "tool"
            groups.append(group)
        if is_odd:
            return grouping.seated(groups, GROUPING)
        return [message for group in groups for message in group]

    def _usual(self, native: Any, names: CallNames) -> list[am.Msg] | None:
        """Read a message that has role and content, nothing else; None if the general path must look."""
        if not is_object(native) or len(native) != 2:  # noqa: PLR2004 - role and content
            return None
        role, content = native.get("role"), native.get("content")
        if type(role) is not str or role not in _ROLES:
            return None
        if type(content) is str:
            return [_make_msg(role, (make_text(content),) if content else ())]
        if not is_list(content) or not content:
            return None
        if role == "user":
            return self._usual_user(content, names)
        blocks = tuple(map(self.parts.read if role == "assistant" else self.texts.read, content))
        for block in blocks:
            if block.__class__ is am.ToolUseBlock and block.kind != "server":
                names.call(block.id, block.name)
        return [_with_blocks(role, blocks)]

    def _usual_user(self, content: list[Any], names: CallNames) -> list[am.Msg] | None:
        """Read the list of a user message that holds usual tool results only, or none at all."""
        found: list[tuple[str, str, str | None]] = []
        for part in content:
            if not is_object(part) or part.get("type") != "tool_result":
                continue
            link, text, flag = part.get("tool_use_id"), part.get("content"), part.get("is_error", _NOT_SAID)
            if type(link) is not str or type(text) is not str or not text:
                return None
            if flag is not _NOT_SAID and type(flag) is not bool:
                return None
            if len(part) != (3 if flag is _NOT_SAID else 4):
                return None
            found.append((link, text, None if flag is _NOT_SAID else "error" if flag else "success"))
        if not found:
            message = _with_blocks("user", tuple(map(self.parts.read, content)))
            names.see(message)
            return [message]
        if len(found) != len(content):
            return None
        return [
            _make_msg("tool", (make_result(link, (make_text(text),), names.answer(link), status=status),))
            for link, text, status in found
        ]

    def container(self, native: Any) -> list[am.Msg]:
        """Return the messages of one native message; one of the role "native" if it would not come back."""
        if is_object(native):
            found = self._group(native)
            if found is not None:
                return found
        return [natives.read_whole(native, FAMILY)]

    def _group(self, native: Native) -> list[am.Msg] | None:
        role, content = native.get("role"), native.get("content")
        if type(role) is not str or role not in _ROLES:
            return None
        if content is None or type(content) is str:
            group = [_make_msg(role, (make_text(content),) if content else ())]
        elif is_list(content):
            group = self._split(role, content)
        else:
            return None
        plain = self._plain(group)
        if same_document(plain, native):
            return group
        kept = spelling.keep(group[0], native, plain, family=FAMILY, known=MESSAGE_KEYS, never=frozenset({"content"}))
        if kept is None or not same_document(
            spelling.put_back(kept, plain, family=FAMILY, read=lambda _: kept), native
        ):
            return None
        return [kept, *group[1:]]

    def _split(self, role: str, content: list[Any]) -> list[am.Msg]:
        if role != "user":
            return [_with_blocks(role, tuple(map((self.texts if role == "system" else self.parts).read, content)))]
        runs: list[tuple[str, list[Any]]] = []
        for part in content:
            result = self._read_result(part)
            if result is not None:
                runs.append(("tool", [result]))
            elif runs and runs[-1][0] == "user":
                runs[-1][1].append(self.parts.read(part))
            else:
                runs.append(("user", [self.parts.read(part)]))
        if len(runs) <= 1 and (not runs or runs[0][0] == "user"):
            return [_with_blocks("user", tuple(runs[0][1]) if runs else ())]
        return [_make_msg(kind, tuple(blocks)) for kind, blocks in runs]

    def _read_result(self, part: Any) -> am.ToolResultBlock | None:
        if not is_object(part) or part.get("type") != "tool_result":
            return None
        try:
            block: am.ToolResultBlock = read_as(self.result, part, FAMILY)
        except (Unreadable, AgentMsgError):
            return None
        return block

    # -- writing ------------------------------------------------------------------------------------------------------

    def write(self, messages: Sequence[am.Msg]) -> list[Any]:
        """Return the native messages of messages that fit."""
        native_messages: list[Any] = []
        results: list[Any] | None = None
        writers = self.parts.writers
        for message in messages:
            role = message.role
            if speed.is_bare(message):
                blocks: Any = message.content
                if role == "tool":
                    if results is None:
                        results = []
                        native_messages.append({"role": "user", "content": results})
                    result = blocks[0]
                    inner = result.content
                    if len(inner) == 1 and inner[0].__class__ is am.TextBlock:
                        text = inner[0].text
                        results.append({"type": "tool_result", "tool_use_id": result.tool_call_id, "content": text})
                    else:
                        results.append(self.result.write(result))
                    continue
                results = None
                alone = len(blocks) == 1 and blocks[0].__class__ is am.TextBlock
                content = blocks[0].text if alone else [writers[block.__class__](block) for block in blocks]
                native_messages.append({"role": role, "content": content})
                continue
            notes = message.notes
            if role in _USERS and (message.extras or (notes and grouping.seat_of(message, FAMILY) is not None)):
                return [self.write_group(group) for group in grouping.containers(messages, GROUPING)]
            if role == "tool":
                if results is None:
                    results = []
                    native_messages.append({"role": "user", "content": results})
                results.append(self.write_result(message.content[0]))
                continue
            results = None
            if (notes and notes != _LISTED) or message.extras or role == "native":
                native_messages.append(self.write_group((message,)))
            else:
                native_messages.append({"role": role, "content": self.content(message)})
        return native_messages

    def write_result(self, block: Any) -> Any:
        """Return the part of a tool result."""
        if not block.notes and not block.extras:
            return self.result.write(block)
        # The name is said by the call.
        return write_as(self.result, _with_name(block, None) if block.name is not None else block, FAMILY)

    def write_group(self, group: Sequence[am.Msg]) -> Any:
        """Return the native message that holds these messages."""
        first = group[0]
        if first.role == "native":
            return thaw(cast("am.NativeBlock", first.content[0]).value)
        plain = self._plain(group)
        if not first.notes and not first.extras:
            return plain
        if len(group) > 1:
            # Spellings are of what is empty, and nothing here is.
            first = first.evolve(notes={})
        return thaw(spelling.put_back(first, plain, family=FAMILY, read=self._reread))

    def _reread(self, native: Native) -> am.Msg | None:
        group = self.container(plain_copy(thaw(native)))
        return group[0] if len(group) == 1 else None

    def _plain(self, group: Sequence[am.Msg]) -> Native:
        first = group[0]
        if first.role not in _USERS:
            return {"role": first.role, "content": self.content(first)}
        if len(group) == 1 and first.role == "user":
            return {"role": "user", "content": self.content(first)}
        content: list[Any] = []
        for message in group:
            write = self.write_result if message.role == "tool" else self.parts.write
            content.extend(map(write, message.content))
        return {"role": "user", "content": content}

    def content(self, message: am.Msg) -> Any:
        """Return the content of a message in its default spelling: a text if it is one and says no more."""
        blocks: Any = message.content
        if len(blocks) == 1 and is_bare_text(blocks[0], FAMILY):
            if not message.notes or mark_of(message, FAMILY, "/list") is not True:
                return blocks[0].text
        elif not blocks:
            return ""
        return list(map(self.parts.write, blocks))

    # -- whether native blocks come back ------------------------------------------------------------------------------

    def message_of(self, value: Any) -> am.Msg:
        """Return the first message of a native one."""
        self.fill()
        return self.container(value)[0]

    def returns(self, parts: Parts) -> Callable[[am.NativeBlock], am.NativeBlock | None]:
        """Return the function that tells what is read where a native block is written, None for anything else.

        Args:
            parts: where the block stands.
        """

        def comes_back(block: am.NativeBlock) -> am.NativeBlock | None:
            self.fill()
            return parts.comes_back(block)

        return comes_back

    def comes_back_from_user(self, block: am.NativeBlock) -> am.NativeBlock | None:
        """Tell the same of user messages, where a tool result is a message of its own."""
        self.fill()
        return None if self._read_result(plain_copy(thaw(block.value))) else self.parts.comes_back(block)


def _all_results(group: Sequence[am.Msg]) -> bool:
    return all(message.role == "tool" for message in group)


def _with_blocks(role: str, blocks: tuple[Any, ...]) -> am.Msg:
    if len(blocks) == 1 and is_bare_text(blocks[0], FAMILY):
        return _make_msg(role, blocks, notes=_LISTED)
    return _make_msg(role, blocks)


def _named(message: am.Msg, names: CallNames) -> am.Msg:
    """Return the message with the name of its call on a result, all calls and results having been noted."""
    if message.role != "tool":
        names.see(message)
        return message
    block = cast("am.ToolResultBlock", message.content[0])
    name = names.answer(block.tool_call_id)
    return message if name is None else tool_links.named(message, name)
