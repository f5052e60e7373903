"""Envelopes read and written fast: those of langchain-core's ``dumpd`` today.

The class gives the reader, and the reader takes the fields that dumpd writes out of the kwargs, no others: a count of
those that are there proves it, as dumpd leaves out what is empty. Their values go straight to the builders of
quick_read.py, so that no flat body is made. Free-form data is written as text once, which must neither hold a key of
the escape rule nor too many levels; parts and counters of the usual keys cannot. So a whole document of such envelopes
needs no other look at its depth. What is odd is None here, and left to envelopes.py;
tests/test_langchain_bytes.py holds the two against each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg_codecs.langchain.lc.escape import text_may_need_escape
from agentmsg_codecs.langchain.messages.depth import is_deep
from agentmsg_codecs.langchain.messages.quick_read import FastReaders
from agentmsg_codecs.langchain.messages.quick_write import Layout

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import agentmsg as am
    from agentmsg.formats import Native
    from agentmsg_codecs.langchain.blocks.parts import ContentParts


# Typed as Any: a check against it narrows nothing to a dict of who knows what.
_OBJECT: Any = dict


def _is_odd(text: bytes) -> bool:
    """Whether free-form data may hold something escaped, or be too deep."""
    return text_may_need_escape(text) or is_deep(text)


class FastEnvelopes:
    """Reads envelopes that are as dumpd writes them today.

    Args:
        parts: reads content parts.
        path: the words before the class.

    Attributes:
        by_class: the whole id and the reader of the kwargs, by the last word of the id.
    """

    def __init__(self, parts: ContentParts, path: list[str]) -> None:
        self._build = FastReaders(parts, _is_odd)
        readers: Mapping[str, Callable[[Native], am.Msg | None]] = {
            "HumanMessage": lambda kwargs: self._plain(kwargs, "human", "user"),
            "SystemMessage": lambda kwargs: self._plain(kwargs, "system", "system"),
            "AIMessage": self._ai,
            "ToolMessage": self._tool,
        }
        self.by_class: dict[Any, tuple[list[str], Callable[[Native], am.Msg | None]]] = {
            name: ([*path, name], read) for name, read in readers.items()
        }

    def read(self, native: Any) -> am.Msg | None:
        """Return the message of an envelope; None if the general path must look."""
        try:
            one, own, kwargs = native["lc"], native["id"], native["kwargs"]
            whole, read = self.by_class[own[-1]]
            if own != whole or native["type"] != "constructor" or len(native) != 4:  # noqa: PLR2004 - these keys
                return None
        except (LookupError, TypeError):
            return None
        return read(kwargs) if type(one) is int and one == 1 and type(kwargs) is _OBJECT else None

    def _plain(self, kwargs: Native, tag: str, role: str) -> am.Msg | None:
        get = kwargs.get
        content, name, own_id = get("content"), get("name"), get("id")
        more, response = get("additional_kwargs"), get("response_metadata")
        keys = 2  # content and type
        if name is not None:
            keys += 1
        if own_id is not None:
            keys += 1
        if more or response:
            if not _are_objects(more, response):
                return None
            keys += bool(more) + bool(response)
        if len(kwargs) != keys or get("type") != tag:
            return None
        return self._build.plain(role, content, more, response, name, own_id)

    def _tool(self, kwargs: Native) -> am.Msg | None:
        get = kwargs.get
        content, name, own_id, link = get("content"), get("name"), get("id"), get("tool_call_id")
        artifact, status = get("artifact"), get("status")
        keys = 4  # content, type, tool_call_id and status
        if name is not None:
            keys += 1
        if own_id is not None:
            keys += 1
        if artifact is not None:
            keys += 1
        if len(kwargs) != keys or get("type") != "tool":
            return None
        return self._build.tool(content, name, own_id, link, artifact, status)

    def _ai(self, kwargs: Native) -> am.Msg | None:
        get = kwargs.get
        try:
            content, calls = kwargs["content"], kwargs["tool_calls"]
            if kwargs["type"] != "ai" or kwargs["invalid_tool_calls"] != []:
                return None
        except KeyError:
            return None
        name, own_id, usage = get("name"), get("id"), get("usage_metadata")
        more, response = get("additional_kwargs"), get("response_metadata")
        keys = 4  # those four
        if name is not None:
            keys += 1
        if own_id is not None:
            keys += 1
        if usage is not None:
            keys += 1
        if more or response:
            if not _are_objects(more, response):
                return None
            keys += bool(more) + bool(response)
        if len(kwargs) != keys:
            return None
        return self._build.ai(content, more, response, name, own_id, calls, usage)


def _are_objects(more: Any, response: Any) -> bool:
    """Whether fields that are not empty are objects."""
    return not (more and type(more) is not _OBJECT) and not (response and type(response) is not _OBJECT)


# -- what dumpd writes: it leaves out what is empty, but puts empty calls at the end ----------------------------------


def _short_plain(  # noqa: PLR0917 - called for each message: keywords take time
    tag: str, content: Any, kwargs: Any, response: Any, name: Any, own_id: Any
) -> Native:
    fields: Native = {"content": content}
    if kwargs:
        fields["additional_kwargs"] = kwargs
    if response:
        fields["response_metadata"] = response
    fields["type"] = tag
    if name is not None:
        fields["name"] = name
    if own_id is not None:
        fields["id"] = own_id
    return fields


def _short_tool(  # noqa: PLR0917 - the same
    content: Any, kwargs: Any, response: Any, name: Any, own_id: Any, link: Any, artifact: Any, status: Any
) -> Native:
    fields = _short_plain("tool", content, kwargs, response, name, own_id)
    if link is not None:
        fields["tool_call_id"] = link
    if artifact is not None:
        fields["artifact"] = artifact
    if status is not None:
        fields["status"] = status
    return fields


def _short_ai(  # noqa: PLR0917 - the same
    content: Any, kwargs: Any, response: Any, name: Any, own_id: Any, calls: Any, usage: Any
) -> Native:
    fields = _short_plain("ai", content, kwargs, response, name, own_id)
    if calls:
        fields["tool_calls"] = calls
    if usage is not None:
        fields["usage_metadata"] = usage
    if not calls:
        fields["tool_calls"] = calls
    fields["invalid_tool_calls"] = []
    return fields


SHORT = Layout(_short_plain, _short_tool, _short_ai)
"""The kwargs that dumpd writes."""
