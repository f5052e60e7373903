"""Histories that hold one thing each: every field of every class of the model, alone, in every role.

This shows a codec's effect on each value by itself, and covers every value: random histories may miss one.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, get_args

import attrs

from agentmsg.model.base import CacheHint, Citation, Signature
from agentmsg.model.blocks import BaseBlock, Block, TextBlock, ToolResultBlock
from agentmsg.model.history import History
from agentmsg.model.msg import Msg
from agentmsg.model.roles import RoleName
from agentmsg.model.settings import Settings
from agentmsg.model.sources import Base64Source, BlocksSource, FileSource, TextSource, URLSource
from agentmsg.model.tools import NativeTool, ToolSpec
from agentmsg.model.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

# Any word is a role.
_ROLES: tuple[Any, ...] = (*get_args(RoleName), "moderator")
_SPEC = ToolSpec("f", "adds", {"type": "object"})
# A value for each field, by its name; all others are texts.
_VALUES: dict[str, Any] = {
    "approved": True,
    "artifact": {"rows": [1]},
    "cache": CacheHint(ttl="5m"),
    "citations": (Citation("https://example.org/a", "A", "cited"),),
    "content": (TextBlock("inside"),),
    "created_at": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    "data": {"a": [1, None, "x"]},
    "embedding": (0.5, -1.0),
    "end": 5,
    "extras": {"x-other": {"a": 1}},
    "input": {"a": 1},
    "metadata": {"mine": [1]},
    "parameters": {"type": "object", "properties": {}},
    "max_tokens": 100,
    "parallel_tool_calls": False,
    "raw": True,
    "raw_input": '{"a":  1}',
    "reasoning": {"effort": "high"},
    "response_format": {"name": "mood", "schema": {"type": "object"}, "strict": True},
    "response_metadata": {"logprobs": None, "n": 1},
    "seed": 7,
    "signature": Signature("x-other", "c2ln"),
    "source": URLSource("https://example.org/a.png"),
    "start": 0,
    "stop": ("END",),
    "store": False,
    "stream": True,
    "strict": True,
    "structured": {"mood": "good"},
    "temperature": 0.5,
    "tool_choice": {"name": "f"},
    "tools": (_SPEC,),
    "top_k": 5,
    "top_p": 0.9,
    "usage": Usage(input=3, output=4, total=7),
    "value": {"type": "odd"},
}
_EDGES = (datetime.min, datetime.max)  # noqa: DTZ901 - with a zone, and without one
_EAST, _WEST = timezone(timedelta(hours=2)), timezone(-timedelta(hours=2))
_PROVIDERS = ("anthropic", "google", "openai")
_APIS = ("chat", "responses")
_LINKS = ("call_1", "toolu_1", "srvtoolu_1", "mcptoolu_1", "ws_1", "msg_1", "rs_1", "fc_1", "run-1", "lc_1")
# Further values of fields: words that one format or another takes for its own.
_FURTHER: dict[str, tuple[Any, ...]] = {
    "api": _APIS,
    "approved": (False,),
    "cache": (CacheHint(), CacheHint(ttl="1h")),
    "citations": ((Citation(None, None, None, start=0, end=2),),),
    "created_at": (*_EDGES, *(edge.replace(tzinfo=zone) for edge in _EDGES for zone in (UTC, _EAST, _WEST))),
    "detail": ("low", "auto"),
    "error": ("",),
    "finish_reason": ("stop", "length", "tool_use", "content_filter", "error", "pause"),
    "id": _LINKS,
    "item_id": _LINKS,
    "kind": ("custom", "server"),
    "media_type": ("image/png", "application/pdf", "text/plain"),
    "name": ("mcp__a__b", "web_search"),
    "phase": ("commentary", "final_answer"),
    "provider": _PROVIDERS,
    "raw_input": ("", "{}", '{"a":'),
    "signature": tuple(Signature(provider, "c2ln") for provider in _PROVIDERS),
    "status": ("ok", "error", "denied"),
    "structured": ([], {}, [1], "text", {"content": [{"type": "text", "text": "x"}]}),
    "tool_call_id": _LINKS,
    "usage": (
        *(
            Usage().evolve(**{name: count})
            for name in ("input", "output", "total", "reasoning", "cache_read")
            for count in (0, -1)
        ),
        Usage(output=1, reasoning=5),
        Usage(input=1, cache_read=5),
    ),
}
# Settings of a request, besides one for each field.
_ASKED: tuple[dict[str, Any], ...] = (
    {"tool_choice": "required"},
    {"tool_choice": "none", "parallel_tool_calls": False},
    {"response_format": "json"},
    {"response_format": {"schema": {"type": "object"}}},
    {"reasoning": "off"},
    {"reasoning": {"budget": 1024}},
    {"temperature": 1.5, "top_p": 0.5, "seed": -1},
)
_SOURCES = (
    URLSource("https://example.org/a.png", "image/png"),
    Base64Source("aGk=", "image/png"),
    FileSource("file_1"),
    TextSource("text", "text/plain"),
    BlocksSource((TextBlock("inside"),)),
)


def single_values() -> Iterator[History]:
    """Yield histories of one message, or of none, each with a single field set."""
    yield History()
    for field in ("id", "metadata", "extras"):
        yield History([_message("user")], **{field: _value(field)})
    for tool in _each(ToolSpec, name="f"):
        yield History([_message("user")], tools=[tool])
    yield History([_message("user")], tools=[NativeTool("x-other", {"type": "search"})])
    for settings in (*_each(Settings), *(Settings(**given) for given in _ASKED)):
        yield History([_message("user")], settings=settings)
    for message in _messages():
        yield History([message])


def _messages() -> Iterator[Msg]:
    for role in _ROLES:
        yield Msg(role=role, id=None, created_at=None)
        for name in _names(Msg):
            for value in _values(name) if name not in ("role", "content") else ():
                yield _message(role, **{name: value})
    for block in _blocks():
        # A result is alone in a tool message; everything else may be in any other message.
        for role in ("tool",) if isinstance(block, ToolResultBlock) else ("system", "user", "assistant", "moderator"):
            yield _message(role, block)
        if not isinstance(block, ToolResultBlock):
            yield _message("tool", ToolResultBlock("c1", (block,), name="f"))


def _message(role: Any, *content: BaseBlock, **fields: Any) -> Msg:
    """Return a message with only the given values; without content, with a text."""
    usual = ToolResultBlock("c1", (TextBlock("Hi"),)) if role == "tool" else TextBlock("Hi")
    given: dict[str, Any] = {"id": None, "created_at": None, **fields}
    return Msg(role=role, content=content or (usual,), **given)


def _blocks() -> Iterator[BaseBlock]:
    union, _ = get_args(Block)  # the second part is for pydantic
    for cls in get_args(union):
        if cls is BaseBlock:
            continue  # stands for users' own blocks
        needed = {name: _value(name) for name in _names(cls, needed=True)}
        for source in _SOURCES if "source" in needed else ():
            given: dict[str, Any] = {**needed, "source": source}
            yield cls(**given)
        yield from _each(cls, **needed)


def _names(cls: type[Any], *, needed: bool = False) -> list[str]:
    """Return the names of a class's fields, without notes: all, or the required ones."""
    fields = [field for field in attrs.fields(cls) if field.init and field.alias != "notes"]
    return [str(field.alias) for field in fields if not needed or field.default is attrs.NOTHING]


def _value(name: str) -> Any:
    return _VALUES.get(name, "x1")


def _values(name: str) -> tuple[Any, ...]:
    return (_value(name), *_FURTHER.get(name, ()))


def _each(cls: type[Any], **needed: Any) -> Iterator[Any]:
    """Yield an object of a class with only the required fields, and one for each further value of any field."""
    yield cls(**needed)
    for name in _names(cls):
        for value in _FURTHER.get(name, ()) if name in needed else _values(name):
            yield cls(**{**needed, name: value})
