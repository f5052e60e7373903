"""The fast path of reading: messages as LangChain writes them today.

A reader tests the exact keys and types, so that nothing can deviate from what a writer writes, and nothing need be
compared. It returns None if the message needs the general path. Some usual shapes aren't the default ones:
``stop_reason``, the parts of blocks/tables.py, a call that ends content as ``tool_use`` and is in ``tool_calls`` too.
All messages, parts or calls of such a shape share one frozen note, which quick_write.py recognises. Only the two inputs
of such a call are compared, as bytes. The quick readers of parts rely on our own writers: a class with a user's hook
has none. tests/test_langchain_fast.py compares both paths.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import EMPTY, Native, adopt, dump_json, maker
from agentmsg_codecs.langchain.blocks.converse import POINT
from agentmsg_codecs.langchain.blocks.tables import ALL_FORMS
from agentmsg_codecs.langchain.blocks.v1 import is_words, make_call, make_result, make_text
from agentmsg_codecs.langchain.messages.layouts import reader
from agentmsg_codecs.langchain.messages.metadata import (
    COPIED_NOTE,
    LIST_NOTE,
    MEANT,
    PROVIDER_KEY,
    STOP_NOTES,
    read_response,
    stop_word,
    usual_kwargs,
    with_texts,
)
from agentmsg_codecs.langchain.names import ANTHROPIC, OPENAI_ROLE, PROVIDER_OF, STATUS_WORDS
from agentmsg_codecs.langchain.usage import read_usage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg_codecs.langchain.blocks.parts import ContentParts
    from agentmsg_codecs.langchain.messages.layouts import Layout


_BESIDE = ("content", "id", "metadata", "response_metadata", "notes")
# Called by position: keywords would take almost twice the time.
_make_plain = maker(am.Msg, "role", *_BESIDE, "name")
_make_tool = maker(am.Msg, "role", *_BESIDE)
_make_answer = maker(am.Msg, "role", *_BESIDE, "name", "model", "usage", "finish_reason", "provider", "api")
_OBJECT: Any = dict  # so that type checkers don't look inside
_ARRAY: Any = list


# JSON in a tool message is read otherwise than in content.
_ODD_INSIDE = frozenset({am.DataBlock, am.NativeBlock})


class FastReaders:
    """Reads bodies as LangChain writes them today. Its builders are straight-line code on purpose.

    Args:
        parts: reads content parts.
        layout: of the bodies.
        is_odd: whether free-form data with this JSON text needs the general path; None: never.

    Attributes:
        by_tag: the readers by the word in `type`; each returns None for a message that needs the general path.
    """

    def __init__(self, parts: ContentParts, layout: Layout, is_odd: Callable[[bytes], bool] | None = None) -> None:
        self._parts = parts
        self._quick = parts.quick
        self._is_odd = is_odd
        builders: Mapping[str, Callable[..., am.Msg | None]] = {
            "human": partial(self._plain, "user"),
            "system": partial(self._plain, "system"),
            "ai": self._ai,
            "tool": self._tool,
        }
        self.by_tag: dict[Any, Callable[[Native], am.Msg | None]] = {
            tag: reader(tag, layout, build) for tag, build in builders.items()
        }

    # -- messages from the values of their fields ---------------------------------------------------------------

    def _plain(  # noqa: PLR0917 - called for each message: keywords take time
        self, role: str, content: Any, kwargs: Any, response: Any, name: Any, own_id: Any
    ) -> am.Msg | None:
        """Return the message of a role whose fields have these values; kwargs and response are objects or None."""
        if (name is not None and type(name) is not str) or (own_id is not None and type(own_id) is not str):
            return None
        if (kwargs or response) and self._may_mean(kwargs, response):
            return None
        notes = EMPTY
        if type(content) is str and content:
            # The usual case, without the call.
            blocks: Any = (make_text(content),)
        else:
            blocks = self._content(content)
            if blocks is None:
                return None
            if is_words(blocks):
                notes = LIST_NOTE
        meta, rest = adopt(kwargs) if kwargs else EMPTY, adopt(response) if response else EMPTY
        return _make_plain(role, blocks, own_id, meta, rest, notes, name)

    def _tool(  # noqa: PLR0917 - the same
        self, content: Any, kwargs: Any, response: Any, name: Any, own_id: Any, link: Any, artifact: Any, status: Any
    ) -> am.Msg | None:
        """Return the tool message whose fields have these values; kwargs and response are objects or None."""
        if (name is not None and type(name) is not str) or (own_id is not None and type(own_id) is not str):
            return None
        if type(link) is not str or type(status) is not str or status not in STATUS_WORDS:
            return None
        notes = EMPTY
        if type(content) is str and content:
            blocks: Any = (make_text(content),)
        else:
            blocks = self._content(content)
            if blocks is None:
                return None
            if is_words(blocks):
                notes = LIST_NOTE
            elif not _ODD_INSIDE.isdisjoint(map(type, blocks)):
                return None
        if artifact is not None:
            if self._looks_odd(artifact):
                return None
            artifact = adopt(artifact)
        if (kwargs or response) and self._may_mean(kwargs, response):
            return None
        result = make_result(link, blocks, name, None, artifact, status)
        meta, rest = adopt(kwargs) if kwargs else EMPTY, adopt(response) if response else EMPTY
        return _make_tool("tool", (result,), own_id, meta, rest, notes)

    def _ai(  # noqa: PLR0917 - the same
        self, content: Any, kwargs: Any, response: Any, name: Any, own_id: Any, calls: Any, usage: Any
    ) -> am.Msg | None:
        """Return the assistant's message whose fields have these values; kwargs and response are objects or None."""
        if (name is not None and type(name) is not str) or (own_id is not None and type(own_id) is not str):
            return None
        if type(calls) is not _ARRAY or (usage is not None and type(usage) is not _OBJECT):
            return None
        before: list[Any] = []
        texts: Any = None
        if kwargs:
            usual = usual_kwargs(kwargs, has_text=type(content) is str and bool(calls))
            if usual is None or self._looks_odd(usual[2]):
                return None
            before, texts, kwargs = usual
        if not calls and type(content) is str and content:
            blocks: Any = (make_text(content),)
            listed = False
        else:
            word = response.get(PROVIDER_KEY) if response else None
            blocks = self._said(content, calls, PROVIDER_OF.get(word, word) if type(word) is str else None)
            if texts is not None and blocks is not None:
                blocks = with_texts(blocks, len(calls), texts)
            if blocks is None:
                return None
            listed = type(content) is _ARRAY and len(content) == 1 and is_words(blocks[:1])
        if before:
            blocks = (*before, *blocks)
        model = reason = provider = api = None
        notes = LIST_NOTE if listed else EMPTY
        if response:
            model, reason, provider, api, response, note = read_response(response)
            if note:
                notes = STOP_NOTES.get((stop_word(note), listed)) if len(note) == 1 else None
                if notes is None:
                    return None
            if response and self._looks_odd(response):
                return None
        counted: Any = None if usage is None else read_usage(usage)
        # Otherwise it has only counters.
        if counted is not None and (counted.extras or counted.notes) and self._looks_odd(usage):
            return None
        meta, rest = adopt(kwargs) if kwargs else EMPTY, adopt(response) if response else EMPTY
        return _make_answer("assistant", blocks, own_id, meta, rest, notes, name, model, counted, reason, provider, api)

    # -- content and calls --------------------------------------------------------------------------------------

    def _may_mean(self, kwargs: Any, response: Any) -> bool:
        """Whether kwargs or response of a message that isn't an answer need the general path."""
        if kwargs and (OPENAI_ROLE in kwargs or self._looks_odd(kwargs)):
            return True
        return bool(response) and (not MEANT.isdisjoint(response) or self._looks_odd(response))

    def _looks_odd(self, value: Any) -> bool:
        """Whether free-form data needs the general path."""
        if self._is_odd is None:
            return False
        try:
            return self._is_odd(dump_json(value))
        except AgentMsgError:
            return True

    def _content(self, native: Any, provider: str | None = None) -> Any:
        if type(native) is str:
            return (make_text(native),) if native else ()
        return self._read_parts(native, provider) if type(native) is _ARRAY and native else None

    def _read_parts(self, natives: list[Any], provider: str | None) -> tuple[Any, ...] | None:
        """Return the blocks of parts; None if one of them looks odd."""
        quick = self._quick
        blocks: list[Any] = []
        for native in natives:
            try:
                block = quick[native["type"]](native)
            except (LookupError, TypeError):
                block = None
            if provider is not None and provider != ANTHROPIC and type(block) is am.ThinkingBlock:
                # The message names the provider of the signature.
                block = None
            # Apart from calls, quickly read parts hold only texts.
            if block is None or type(block) is am.ToolUseBlock:
                if self._looks_odd(native) or (type(native) is _OBJECT and POINT in native):
                    return None
                if block is None:
                    block = self._parts.read(native, provider)
            blocks.append(block)
        return tuple(blocks)

    def _said(self, content: Any, calls: list[Any], provider: str | None) -> Any:
        """Return the blocks of content, and the calls."""
        if type(content) is _ARRAY and calls and content and type(content[-1]) is _OBJECT:
            last: Any = content[-1]
            if last.get("type") == "tool_use":
                return self._copied_calls(content, calls, provider)
        if type(content) is _ARRAY and _holds_call(content):
            return None
        blocks = self._content(content, provider)
        if blocks is None or (type(content) is _ARRAY and am.ToolUseBlock in map(type, blocks)):
            return None
        if not calls:
            return blocks
        read = None if self._looks_odd(calls) else _read_calls(calls)
        return None if read is None else blocks + read

    def _copied_calls(self, content: list[Any], entries: list[Any], provider: str | None) -> tuple[Any, ...] | None:
        """Return the blocks of content that ends with the calls in `tool_calls`, in the same order."""
        start = len(content) - len(entries)
        if start < 0 or self._quick["tool_use"] is None or _holds_call(content[:start]):
            return None
        before = self._read_parts(content[:start], provider)
        if before is None or am.ToolUseBlock in map(type, before):
            return None
        blocks = list(before)
        for part, entry in zip(content[start:], entries, strict=True):
            block = _read_copied(part)
            if block is None or type(entry) is not _OBJECT or len(entry) != 4:  # noqa: PLR2004 - name, args, id, type
                return None
            if entry.get("type") != "tool_call" or entry.get("id") != block.id or entry.get("name") != block.name:
                return None
            # The same bytes are the same value, with the types and the order of keys; == takes True for 1.
            text = _text(part["input"])
            if text is None or text != _text(entry.get("args")) or (self._is_odd is not None and self._is_odd(text)):
                return None
            blocks.append(block)
        return tuple(blocks)


_OF_CALLS = frozenset(form.tag for form in ALL_FORMS if form.cls is am.ToolUseBlock)


def _holds_call(natives: list[Any]) -> bool:
    """Whether one of these parts is a call, by its tag."""
    try:
        return any(type(native) is _OBJECT and native.get("type") in _OF_CALLS for native in natives)
    except TypeError:
        return True


def _text(value: Any) -> bytes | None:
    """Return the JSON text of a value; None if it is too deep to have one."""
    try:
        return dump_json(value)
    except AgentMsgError:
        return None


def _read_copied(part: Any) -> am.ToolUseBlock | None:
    """Read ``{"type": "tool_use", "id", "name", "input"}``; None if it is anything else."""
    if type(part) is not _OBJECT or len(part) != 4 or part.get("type") != "tool_use":  # noqa: PLR2004 - these keys
        return None
    link, name, value = part.get("id"), part.get("name"), part.get("input")
    if type(link) is not str or type(name) is not str or type(value) is not _OBJECT or "_raw" in value:
        return None
    return make_call(id=link, name=name, input=adopt(value), notes=COPIED_NOTE)


def _read_calls(entries: list[Any]) -> tuple[Any, ...] | None:
    blocks: list[am.ToolUseBlock] = []
    for entry in entries:
        try:
            name, args, link = entry["name"], entry["args"], entry["id"]
            if entry["type"] != "tool_call" or type(args) is not _OBJECT or "_raw" in args:
                return None
        except (KeyError, TypeError, IndexError):
            return None
        if type(name) is not str or type(link) is not str or len(entry) != 4:  # noqa: PLR2004 - name, args, id, type
            return None
        blocks.append(make_call(link, name, adopt(args)))
    return tuple(blocks)
