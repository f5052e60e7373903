"""Messages: one native message is one of ours; a shape for each role.

Marks on a message: ``/time`` (it has a ``timestamp``, as one version wrote them), ``/finish`` (see usage.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    EMPTY,
    Native,
    Shape,
    Unreadable,
    adopt,
    given,
    is_list,
    is_marked,
    is_object,
    is_odd,
    maker,
    marked,
    natives,
    read_as,
    text_at,
    times,
    word_at,
    write_as,
)
from agentmsg_codecs.riffer.calls import NO_ID, Calls, Links
from agentmsg_codecs.riffer.files import read_file, write_file
from agentmsg_codecs.riffer.names import FAMILY
from agentmsg_codecs.riffer.reasoning import read_part, write_part
from agentmsg_codecs.riffer.usage import is_known, read_finish, read_usage, write_finish, write_usage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agentmsg_codecs.riffer.names import Version


_make_msg = maker(am.Msg)
_make_native = maker(am.NativeBlock)
_make_result = maker(am.ToolResultBlock)
_make_text = maker(am.TextBlock)
RAW = "finish_reason_raw"
_COMMON = frozenset({"role", "content", "id", "timestamp"})
KEYS: Mapping[str, frozenset[str]] = {
    "system": _COMMON,
    "user": _COMMON | {"files"},
    "assistant": _COMMON.union(
        {"tool_calls", "reasoning", "token_usage", "structured_output", "finish_reason", "finish_reason_raw"}
    ),
    "tool": _COMMON | {"tool_call_id", "name", "error", "error_type"},
}
_LISTS = frozenset({"files", "tool_calls", "reasoning", "token_usage"})
# Anything but a text or a time there is an unknown field.
_ODD = frozenset({"id", "timestamp", "finish_reason", RAW, "error_type"})
_TODAY = frozenset(
    {"id", "files", "reasoning", "token_usage", "structured_output", "finish_reason", "finish_reason_raw"}
)


def dialect(native_messages: Sequence[Any]) -> Version | None:
    """Return the version that a document is of; None if nothing tells."""
    messages = [native for native in native_messages if is_object(native)]
    if any(not _TODAY.isdisjoint(native) for native in messages):
        return "latest"
    lists = [native.get("tool_calls") for native in messages]
    calls = [call for entries in lists if is_list(entries) for call in entries if is_object(call)]
    if any("id" in call for call in calls):
        return "0.9"
    return "latest" if any("call_id" in call for call in calls) else None


def _read_items(native: Native, key: str, read: Callable[[Any], Any]) -> list[Any]:
    """Return the blocks of a list; native ones where an item has no meaning here, or would not come back."""
    items = native.get(key)
    if items is None:
        return []
    if not is_list(items):
        raise Unreadable
    return [_read_item(item, read) for item in items]


def _read_item(item: Any, read: Callable[[Any], Any]) -> Any:
    try:
        return read(item)
    except (Unreadable, AgentMsgError):
        return _make_native(codec=FAMILY, value=adopt(item))


def _read_part(item: Any) -> Any:
    return _read_item(item, read_part)


def _quick_finish(word: Any) -> str | None:
    """Return our word for a reason that the library knows."""
    found = read_finish({"finish_reason": word}) if type(word) is str else None
    return found if found is not None and is_known(found) and write_finish(found) == word else None


def _adopted(value: Any) -> Any:
    return None if value is None else adopt(value)


_ALWAYS = frozenset({"role", "content"})
# The fields of a response, by key: ours, and the function that gives its value, or None if the general path must look.
_QUICK: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "id": ("id", lambda value: value if type(value) is str else None),
    "token_usage": ("usage", read_usage),
    "structured_output": ("structured", _adopted),
    "finish_reason": ("finish_reason", _quick_finish),
    RAW: ("response_metadata", lambda value: adopt({RAW: value}) if type(value) is str else None),
}
_ITEMS: Mapping[str, Callable[[Any], Any]] = {"user": read_file, "assistant": read_part}


def item_comes_back(role: str) -> Callable[[am.NativeBlock], am.NativeBlock | None]:
    """Return the function that gives what is read where a native block is written; None if it would be another."""
    read = _ITEMS.get(role)

    def comes_back(block: am.NativeBlock) -> am.NativeBlock | None:
        back = None if read is None else _read_item(thaw(block.value), read)
        return back if type(back) is am.NativeBlock else None

    return comes_back


class Messages:
    """Reads and writes single messages.

    Args:
        version: the dialect.
    """

    def __init__(self, version: Version) -> None:
        self.version: Version = version
        self._calls = Calls(version)
        self._shapes: Mapping[str, Shape] = {
            "system": self._shape("system", self._read_plain, self._write_plain),
            "user": self._shape("user", self._read_user, self._write_user),
            "assistant": self._shape("assistant", self._read_assistant, self._write_assistant),
            "tool": self._shape("tool", self._read_tool, self._write_tool),
        }

    def _shape(self, role: str, read: Callable[[Native, Any], am.Msg], write: Callable[[am.Msg], Native]) -> Shape:
        return Shape(cls=am.Msg, keys={None: KEYS[role]}, read=read, write=write, never=_LISTS, odd=_ODD)

    def is_odd(self, message: am.Msg, key: str, value: Any) -> bool:
        """Whether a value has no meaning under a key of a message's role, so that it is an unknown field."""
        if key == "error_type" and message.is_error:
            # Beside an error, its kind is always written.
            return False
        return is_odd(self._shapes[message.role], message, key, value)

    # -- reading ------------------------------------------------------------------------------------------------

    def read(self, native: Any, links: Links | None = None) -> am.Msg:
        """Return the message of a native one; of the role ``native`` where it cannot be told in the model.

        Args:
            native: the native message.
            links: the calls of the messages before; a message for itself knows none.

        Raises:
            DecodeError: if it isn't a message at all.
        """
        role = natives.role_of(native)
        try:
            found = self._quick(native, role) or self._read(native, role)
            return found if links is None else links.linked(found)
        except (Unreadable, AgentMsgError):
            return natives.read_whole(native, FAMILY)

    def _read(self, native: Native, role: str) -> am.Msg:
        shape = self._shapes.get(role)
        if shape is None:
            raise Unreadable
        found: am.Msg = read_as(shape, native, FAMILY)
        return found

    def _quick(self, native: Native, role: str) -> am.Msg | None:
        """Return a message of few words, as the library writes it; None if the general path must look."""
        content, size = native.get("content"), len(native)
        if type(content) is not str:
            return None
        said = (_make_text(content),) if content else ()
        if role == "tool":
            link, name = native.get("tool_call_id"), native.get("name")
            if size != 4 or type(link) is not str or type(name) is not str:  # noqa: PLR2004 - role, content, link, name
                return None
            return _make_msg(role, (_make_result(link, said, name),))
        if role == "assistant":
            return self._quick_answer(native, said)
        return _make_msg(role, said) if size == 2 and role in self._shapes else None  # noqa: PLR2004 - role and content

    def _quick_answer(self, native: Native, said: tuple[Any, ...]) -> am.Msg | None:
        """Return an assistant's message whose every field is as the library writes it."""
        fields: dict[str, Any] = {}
        blocks: dict[str, list[Any]] = {"reasoning": [], "tool_calls": []}
        for key, value in native.items():
            if key in blocks:
                read = self._calls.quick if key == "tool_calls" else _read_part
                blocks[key] = list(map(read, value)) if is_list(value) else []
                if not blocks[key] or any(block is None for block in blocks[key]):
                    return None
            elif key not in _ALWAYS:
                field = _QUICK.get(key)
                found = None if field is None else field[1](value)
                if field is None or found is None:
                    return None
                fields[field[0]] = found
        return _make_msg("assistant", (*blocks["reasoning"], *said, *blocks["tool_calls"]), **fields)

    def _said(self, native: Native) -> tuple[Any, ...]:
        text = word_at(native, "content")
        return (_make_text(text),) if text else ()

    def _message(self, native: Native, blocks: tuple[Any, ...], **fields: Any) -> am.Msg:
        stamp = natives.word_if_any(native, "timestamp")
        time = times.read_time(stamp) if stamp else None
        message = _make_msg(
            text_at(native, "role"), blocks, id=natives.word_if_any(native, "id"), created_at=time, **fields
        )
        return message if time is None else marked(message, FAMILY, time=True)

    def _read_plain(self, native: Native, _: Any) -> am.Msg:
        return self._message(native, self._said(native))

    def _read_user(self, native: Native, _: Any) -> am.Msg:
        files = _read_items(native, "files", read_file)
        return self._message(native, (*self._said(native), *files))

    def _read_assistant(self, native: Native, _: Any) -> am.Msg:
        thoughts = _read_items(native, "reasoning", read_part)
        calls = native.get("tool_calls")
        if calls is not None and not is_list(calls):
            raise Unreadable
        blocks = (*thoughts, *self._said(native), *map(self._calls.read, calls or ()))
        raw, finish = natives.word_if_any(native, RAW), read_finish(native)
        message = self._message(
            native,
            blocks,
            structured=adopt(native.get("structured_output")),
            usage=read_usage(native.get("token_usage")),
            finish_reason=finish,
            response_metadata=EMPTY if raw is None else adopt({RAW: raw}),
        )
        is_own = finish is None or (is_known(finish) and write_finish(finish) == native["finish_reason"])
        return message if is_own else marked(message, FAMILY, finish=True)

    def _read_tool(self, native: Native, _: Any) -> am.Msg:
        link = word_at(native, "tool_call_id")
        result = _make_result(
            link,
            self._said(native),
            word_at(native, "name"),
            error=word_at(native, "error"),
            error_type=natives.word_if_any(native, "error_type"),
            notes=NO_ID if link is None else EMPTY,
        )
        return self._message(native, (result,))

    # -- writing ------------------------------------------------------------------------------------------------

    def write(self, message: am.Msg, links: Links) -> Any:
        """Return the native message of one that fits.

        Args:
            message: the message.
            links: the calls of the messages before.
        """
        native = natives.native_of(message, FAMILY)
        if native is not None:
            return native
        message = links.unlinked(message)
        shape = self._shapes[message.role]
        if not message.notes and not message.extras:
            return shape.write(message)
        return write_as(shape, message, FAMILY)

    def _native(self, message: am.Msg, said: Sequence[Any], **fields: Any) -> Native:
        """Return a native message with its text, which is the only one, and what it always has."""
        text = next((block.text for block in said if type(block) is am.TextBlock), "")
        native: Native = {"role": message.role, "content": text, **fields}
        # What the library made is not told: an id is there where somebody gave it.
        if given(message.id) is not None:
            native["id"] = message.id
        if message.created_at is not None and is_marked(message, FAMILY, "/time"):
            native["timestamp"] = message.created_at.isoformat()
        return native

    def _write_plain(self, message: am.Msg) -> Native:
        return self._native(message, message.content)

    def _write_user(self, message: am.Msg) -> Native:
        native = self._native(message, message.content)
        files = [_write_item(block, write_file) for block in message.content if type(block) is not am.TextBlock]
        return {**native, "files": files} if files else native

    def _write_assistant(self, message: am.Msg) -> Native:
        native = self._native(message, message.content)
        calls = [self._calls.write(block) for block in message.content if type(block) is am.ToolUseBlock]
        others = (am.TextBlock, am.ToolUseBlock)
        thoughts = [_write_item(block, write_part) for block in message.content if type(block) not in others]
        if calls:
            native["tool_calls"] = calls
        if thoughts:
            native["reasoning"] = thoughts
        if message.usage is not None:
            native["token_usage"] = write_usage(message.usage)
        if message.structured is not None:
            native["structured_output"] = thaw(message.structured)
        if message.finish_reason is not None:
            is_odd = is_marked(message, FAMILY, "/finish")
            native["finish_reason"] = message.finish_reason if is_odd else write_finish(message.finish_reason)
        if message.response_metadata:
            native[RAW] = message.response_metadata[RAW]
        return native

    def _write_tool(self, message: am.Msg) -> Native:
        block: Any = message.content[0]
        link, name = (None if value is None else str(value) for value in (block.tool_call_id, block.name))
        native = self._native(message, block.content, tool_call_id=link, name=name)
        if block.error is not None:
            return {**native, "error": block.error, "error_type": block.error_type}
        return native if block.error_type is None else {**native, "error_type": block.error_type}


def _write_item(block: Any, write: Callable[[Any], Native]) -> Any:
    return thaw(block.value) if type(block) is am.NativeBlock else write(block)
