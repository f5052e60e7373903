"""Messages: one native message is one of ours; a shape for each role.

Marks on a message: ``/list`` (content that could be a text is a list), ``/link`` (the field that links a result is
that of another generation), ``/time`` (see times.py), ``/odd`` (a role that the library does not know by type).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import (
    EMPTY,
    Native,
    Shape,
    Unreadable,
    adopt,
    is_bare_text,
    is_list,
    is_object,
    maker,
    mark_of,
    marked,
    natives,
    read_as,
    text_at,
    times,
    word_at,
    write_as,
)
from agentmsg.formats import is_odd as is_odd_at
from agentmsg_codecs.arcaelas.calls import NO_ID, quick_call, read_call, write_call
from agentmsg_codecs.arcaelas.names import FAMILY, LINKS, SIGNER, is_odd, odd
from agentmsg_codecs.arcaelas.times import is_usual, write_time

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentmsg.formats import CallNames, Parts
    from agentmsg.formats.forms import Described


_make_msg = maker(am.Msg)
make_text = maker(am.TextBlock)
_make_result = maker(am.ToolResultBlock)
_make_thinking = maker(am.ThinkingBlock)
_make_signature = maker(am.Signature)
_LISTED = adopt({FAMILY: {"/list": True}})
_COMMON = frozenset({"role", "content", "timestamp"})
_ROLE_KEYS = {
    "assistant": _COMMON | {"tool_calls", "thinking", "thinking_signature"},
    "tool": _COMMON.union(LINKS.values()),
}
_PLAIN_ROLES = frozenset({"system", "user"})
# Anything but a text or a time there is an unknown field; so is the link of the older generation beside today's.
_ODD = frozenset({"timestamp", "thinking", "thinking_signature", LINKS[1]})
_BOTH = len(LINKS)
# Words that mean something else in the model, and aren't roles of a document.
NO_ROLES = frozenset({"", "native", "remove", "unset"})


def keys_of(role: str) -> frozenset[str]:
    """Return the keys of a role's messages."""
    return _ROLE_KEYS.get(role, _COMMON)


def generation(native_messages: Sequence[Any]) -> int | None:
    """Return the generation whose field links the results of a document; None if nothing tells."""
    results = [native for native in native_messages if is_object(native) and native.get("role") == "tool"]
    if any(native.get(LINKS[2]) is not None for native in results):
        return 2
    return 1 if any(native.get(LINKS[1]) is not None for native in results) else None


class Messages:
    """Reads and writes single messages.

    Args:
        content: the forms of content blocks.
        version: of the library: its generation decides which field links a result by default.
    """

    def __init__(self, content: Described, version: int) -> None:
        self.content = content
        self._link = LINKS[version]
        self._shapes = {
            "assistant": self._shape("assistant", self._read_assistant, self._write_assistant),
            "tool": self._shape("tool", self._read_tool, self._write_tool),
        }
        self._others = self._shape("user", self._read_plain, self._write_plain)

    def _parts(self, role: str) -> Parts:
        """Return the table of blocks of a role."""
        return self.content.parts["everything" if role in {"user", "tool"} else "words"]

    def _shape(self, role: str, read: Callable[[Native, Any], am.Msg], write: Callable[[am.Msg], Native]) -> Shape:
        keys: dict[str | None, frozenset[str]] = {None: keys_of(role)}
        never = frozenset({"content", "tool_calls"})
        return Shape(cls=am.Msg, keys=keys, read=read, write=write, never=never, odd=_ODD)

    def is_odd(self, message: am.Msg, key: str, value: Any) -> bool:
        """Whether a value has no meaning under a key of a message's role, so that it is an unknown field."""
        if key == LINKS[1] and mark_of(message, FAMILY, "/link") != LINKS[2]:
            # In its own generation it is the link.
            return False
        return is_odd_at(self._shapes.get(message.role, self._others), message, key, value)

    # -- reading ------------------------------------------------------------------------------------------------

    def read(self, native: Any, names: CallNames | None = None) -> am.Msg:
        """Return the message of a native one; of the role ``native`` where it cannot be told in the model.

        Args:
            native: the native message.
            names: the calls of the messages before.

        Raises:
            DecodeError: if it isn't a message at all.
        """
        role = natives.role_of(native)
        message = self._quick(native, role) or self._read(native, role)
        return message if names is None else names.named(message)

    def _quick(self, native: Native, role: str) -> am.Msg | None:
        """Return a message as the library writes it; None if the general path must look."""
        content, stamp, size = native.get("content"), native.get("timestamp"), len(native)
        if type(stamp) is not str or (type(content) is not str and content is not None) or content == "":
            return None
        time = times.read_time(stamp)
        if time is None or "content" not in native or not is_usual(time) or write_time(time) != stamp:
            return None
        said = () if content is None else (make_text(content),)
        if role == "assistant":
            blocks = _quick_answer(native, said, size - 3)
            return None if blocks is None else _make_msg(role, blocks, created_at=time)
        if content is None:
            return None
        if role == "tool":
            link = native.get(self._link)
            if size != 4 or type(link) is not str:  # noqa: PLR2004 - with the link
                return None
            return _make_msg(role, (_make_result(link, said),), created_at=time)
        return _make_msg(role, said, created_at=time) if size == 3 and role in _PLAIN_ROLES else None  # noqa: PLR2004 - role, content and time

    def _read(self, native: Native, role: str) -> am.Msg:
        try:
            if role in NO_ROLES:
                return natives.read_whole(native, FAMILY)
            found: am.Msg = read_as(self._shapes.get(role, self._others), native, FAMILY)
        except (Unreadable, AgentMsgError):
            return natives.read_whole(native, FAMILY)
        return found

    def _message(self, native: Native, blocks: tuple[Any, ...], *, listed: bool = False) -> am.Msg:
        stamp = word_at(native, "timestamp")
        time = times.read_time(stamp) if stamp else None
        message = _make_msg(text_at(native, "role"), blocks, created_at=time, notes=_LISTED if listed else EMPTY)
        return message if time is None or is_usual(time) else marked(message, FAMILY, time=True)

    def _blocks(self, native: Native, role: str) -> tuple[tuple[Any, ...], bool]:
        return natives.read_content(native.get("content"), self._parts(role).read, FAMILY)

    def _read_plain(self, native: Native, _: Any) -> am.Msg:
        role = text_at(native, "role")
        blocks, listed = self._blocks(native, role)
        message = self._message(native, blocks, listed=listed)
        found: am.Msg = message if role in _PLAIN_ROLES else odd(message)
        return found

    def _read_assistant(self, native: Native, _: Any) -> am.Msg:
        said, listed = self._blocks(native, "assistant")
        thinking, signature = (
            natives.word_if_any(native, "thinking") or "",
            natives.word_if_any(native, "thinking_signature"),
        )
        calls = native.get("tool_calls")
        if calls is not None and not is_list(calls):
            raise Unreadable
        blocks: list[Any] = []
        if thinking or signature:
            proof = _make_signature(SIGNER, signature) if signature else None
            blocks.append(_make_thinking(thinking, signature=proof))
        blocks += said
        blocks += map(read_call, calls or ())
        return self._message(native, tuple(blocks), listed=listed)

    def _read_tool(self, native: Native, _: Any) -> am.Msg:
        blocks, listed = self._blocks(native, "tool")
        found = [key for key in (LINKS[2], LINKS[1]) if native.get(key) is not None]
        key = found[0] if found else self._link
        link = word_at(native, key)
        result = _make_result(link, blocks, notes=NO_ID if link is None else EMPTY)
        message = self._message(native, (result,), listed=listed)
        return message if key == self._link and len(found) < _BOTH else marked(message, FAMILY, link=key)

    # -- writing ------------------------------------------------------------------------------------------------

    def write(self, message: am.Msg) -> Any:
        """Return the native message of one that fits."""
        native = natives.native_of(message, FAMILY)
        if native is not None:
            return native
        shape = self._shapes.get(message.role, self._others)
        if not message.notes and not message.extras:
            return shape.write(message)
        return write_as(shape, message, FAMILY)

    def _content(self, message: am.Msg, blocks: Sequence[Any]) -> Any:
        """Return the content that some blocks are."""
        if not blocks:
            return ""
        parts = self._parts(message.role)
        if parts is self.content.parts["words"]:
            is_text = not any(is_odd(block) or type(block) is am.NativeBlock for block in blocks)
        else:
            is_text = (
                len(blocks) == 1 and is_bare_text(blocks[0], FAMILY) and mark_of(message, FAMILY, "/list") is not True
            )
        return blocks[0].text if is_text else list(map(parts.write, blocks))

    def _native(self, message: am.Msg, content: Any) -> Native:
        native: Native = {"role": message.role, "content": content}
        if message.created_at is not None:
            native["timestamp"] = write_time(message.created_at)
        return native

    def _write_plain(self, message: am.Msg) -> Native:
        return self._native(message, self._content(message, message.content))

    def _write_assistant(self, message: am.Msg) -> Native:
        calls = [block for block in message.content if type(block) is am.ToolUseBlock]
        thoughts = [block for block in message.content if type(block) is am.ThinkingBlock]
        said = [block for block in message.content if type(block) not in (am.ToolUseBlock, am.ThinkingBlock)]
        native = self._native(message, self._content(message, said) if said or not calls else None)
        if calls:
            native["tool_calls"] = list(map(write_call, calls))
        for block in thoughts:  # there is one, if any
            if block.thinking:
                native["thinking"] = block.thinking
            if block.signature is not None:
                native["thinking_signature"] = block.signature.value
        return native

    def _write_tool(self, message: am.Msg) -> Native:
        block: Any = message.content[0]
        native = self._native(message, self._content(message, block.content))
        if block.tool_call_id is not None:
            key = mark_of(message, FAMILY, "/link")
            native[key if key in LINKS.values() else self._link] = str(block.tool_call_id)
        return native


def _quick_answer(native: Native, said: tuple[Any, ...], rest: int) -> tuple[Any, ...] | None:
    """Return the blocks of an assistant's message; None if the general path must look.

    Args:
        native: the native message.
        said: its text.
        rest: how many keys it has beside those of every message.
    """
    if not rest:
        return said or None
    thinking, signature, calls = (native.get(key) for key in ("thinking", "thinking_signature", "tool_calls"))
    if rest != sum(value is not None for value in (thinking, signature, calls)):
        return None
    thoughts: tuple[Any, ...] = ()
    if thinking is not None or signature is not None:
        if not _is_words(thinking) or not (signature is None or _is_words(signature)):
            return None
        proof = None if signature is None else _make_signature(SIGNER, signature)
        thoughts = (_make_thinking(thinking, signature=proof),)
    if calls is None:
        return (*thoughts, *said) if said else None
    if not is_list(calls) or not calls:
        return None
    found = list(map(quick_call, calls))
    return None if any(call is None for call in found) else (*thoughts, *said, *found)


def _is_words(value: Any) -> bool:
    return type(value) is str and bool(value)
