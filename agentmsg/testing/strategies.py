"""Hypothesis strategies for Histories of the whole model, never narrowed to what a codec likes.

Names, ids and keys come from small pools on purpose: links, repeated ids, and keys that collide with those of native
formats, are what breaks codecs.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from typing import Any

from hypothesis import strategies as st

from agentmsg import (
    ApprovalRequestBlock,
    ApprovalResponseBlock,
    AudioBlock,
    Base64Source,
    BlocksSource,
    CacheHint,
    ChunkPart,
    Citation,
    CompactionBlock,
    DataBlock,
    FileBlock,
    FileSource,
    History,
    ImageBlock,
    Made,
    Msg,
    MsgChunk,
    NativeBlock,
    NativeTool,
    RefusalBlock,
    Settings,
    Signature,
    SourceBlock,
    TextBlock,
    TextSource,
    ThinkingBlock,
    ToolResultBlock,
    ToolsBlock,
    ToolSpec,
    ToolUseBlock,
    URLSource,
    Usage,
    VideoBlock,
)

ROLES = (
    "system", "developer", "user", "assistant", "tool", "remove", "native", "unset", "moderator", "function", "ai", "",
)  # fmt: skip
FAMILIES = ("agentmsg", "langchain", "openai", "anthropic", "x")
PROVIDERS = ("anthropic", "openai", "google", "bedrock", "x")
# Keys that mean something in one format or another, so that free-form data collides with them.
KEYS = (
    "content", "type", "role", "id", "name", "data", "text", "tool_calls", "invalid_tool_calls", "extras", "notes",
    "additional_kwargs", "response_metadata", "usage_metadata", "tool_call_id", "status", "artifact", "model_name",
    "finish_reason", "reasoning_content", "refusal", "audio", "function_call", "__openai_role__", "lc", "value",
    "__lc_escaped__", "example", "index", "source", "args", "input", "messages", "agentmsg", "_raw", "", "k",
)  # fmt: skip


def _optional(strategy: st.SearchStrategy[Any], absent: Any = None) -> st.SearchStrategy[Any]:
    # Absent more often than not, as in real documents; Hypothesis finds the rest.
    return st.one_of(st.just(absent), st.just(absent), strategy)


@cache
def texts() -> st.SearchStrategy[str]:
    """Return texts: mostly plain words, and every kind of odd text; never lone surrogates."""
    odd = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
    return st.one_of(st.sampled_from(("hi", "", "a b", "null", "{}", "[]", "\x00\u2028\U0001f600", "{bad", "1.0")), odd)


@cache
def numbers() -> st.SearchStrategy[Any]:
    """Return numbers that JSON can hold, and those at the limits of what programs can."""
    edges = st.sampled_from((0, 1, -1, 2**53 + 1, 2**63, -(2**63) - 1, 2**64, 10**30, -0.0, 0.0, 1.0, 1e300, 5e-324))
    return st.one_of(edges, st.integers(-9, 9), st.floats(allow_nan=False, allow_infinity=False))


@cache
def keys() -> st.SearchStrategy[str]:
    """Return keys of objects: those that mean something in one format or another, and any."""
    return st.one_of(st.sampled_from(KEYS), texts())


@cache
def json_values() -> st.SearchStrategy[Any]:
    """Return any JSON value, a few levels deep."""
    leaves = st.one_of(st.none(), st.booleans(), numbers(), texts())
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys(), inner, max_size=3), max_leaves=5
    )


@cache
def _mappings() -> st.SearchStrategy[Any]:
    return st.dictionaries(keys(), json_values(), max_size=3)


@cache
def _extras() -> st.SearchStrategy[Any]:
    families = st.sampled_from((*FAMILIES, "langchain.item"))
    return _optional(_one_of((st.dictionaries(families, st.one_of(_mappings(), json_values()), max_size=2),)), {})


@cache
def _ids() -> st.SearchStrategy[Any]:
    return st.sampled_from(("c1", "c2", "c3", "", None, Made("made_1")))


def _common() -> dict[str, st.SearchStrategy[Any]]:
    return {
        "item_id": _optional(st.sampled_from(("item_1", "", "lc_1"))),
        "phase": _optional(st.sampled_from(("commentary", "final_answer"))),
        "metadata": _optional(_mappings(), {}),
        "cache": _optional(st.builds(CacheHint, st.sampled_from(("ephemeral", "x")), _optional(st.just("5m")))),
        "signature": _optional(st.builds(Signature, _optional(st.sampled_from(FAMILIES)), texts())),
        "extras": _extras(),
    }


def _sources(content: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    media_type = _optional(st.sampled_from(("image/png", "audio/wav", "application/pdf", "text/plain", "odd")))
    rest = {"extras": _extras()}
    return st.one_of(
        st.builds(
            URLSource,
            st.sampled_from(("https://x/y.png", "data:image/png;base64,aGk=", "", "gs://b")),
            media_type,
            **rest,
        ),
        st.builds(Base64Source, st.sampled_from(("aGk=", "", "not base64!")), media_type, **rest),
        st.builds(FileSource, texts(), _optional(st.sampled_from(FAMILIES)), media_type, **rest),
        st.builds(TextSource, texts(), media_type, **rest),
        st.builds(BlocksSource, content, **rest),
    )


@cache
def _citations() -> st.SearchStrategy[Any]:
    optional = {name: _optional(texts()) for name in ("url", "title", "cited_text", "kind")}
    places = {name: _optional(st.integers(0, 9)) for name in ("start", "end")}
    return _optional(st.lists(st.builds(Citation, **optional, **places, extras=_extras()), max_size=2), ())


@cache
def _calls() -> st.SearchStrategy[Any]:
    rest = {
        "kind": st.sampled_from(("function", "function", "custom", "server", "odd")),
        "provider": _optional(st.sampled_from(FAMILIES)),
        "status": _optional(st.sampled_from(("asking", ""))),
        "server": _optional(st.sampled_from(("wiki", ""))),
        "namespace": _optional(st.sampled_from(("found", ""))),
        **_common(),
    }
    raw = st.sampled_from(
        ('{"a": 1}', "{}", "", "{bad", "null", "[1]", '{"a":1,"a":2}', '{"a":1.10}', '{"n":18446744073709551617}')
    )
    names = st.sampled_from(("get_weather", "b", ""))
    return st.one_of(
        st.builds(ToolUseBlock, _ids(), names, _mappings(), **rest),
        st.builds(ToolUseBlock, _ids(), names, json_values(), **rest),
        st.builds(ToolUseBlock, _ids(), names, raw_input=raw, **rest),
    )


def _results(content: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(
        ToolResultBlock,
        _ids(),
        content,
        name=_optional(st.sampled_from(("get_weather", ""))),
        structured=_optional(json_values()),
        artifact=_optional(json_values()),
        status=_optional(st.sampled_from(("success", "error", "denied", "odd"))),
        error=_optional(texts()),
        error_type=_optional(texts()),
        kind=st.sampled_from(("function", "function", "server", "custom")),
        provider=_optional(st.sampled_from(FAMILIES)),
        **_common(),
    )


def _approvals() -> list[st.SearchStrategy[Any]]:
    # Few ids, so that responses meet requests, and requests meet calls.
    ids, rest = st.sampled_from(("ap1", "ap2", "call_1", "")), {"reason": _optional(texts()), **_common()}
    kinds = st.sampled_from(("function", "function", "server", "odd"))
    return [
        st.builds(ApprovalRequestBlock, ids, _ids(), **rest),
        st.builds(ApprovalResponseBlock, ids, st.booleans(), kind=kinds, **rest),
    ]


@cache
def _tools() -> st.SearchStrategy[Any]:
    spec = st.builds(
        ToolSpec, texts(), _optional(texts()), _optional(_mappings()), strict=_optional(st.booleans()),
        kind=st.sampled_from(("function", "custom")), metadata=_optional(_mappings(), {}), extras=_extras(),
    )  # fmt: skip
    return st.one_of(spec, st.builds(NativeTool, st.sampled_from(FAMILIES), json_values(), extras=_extras()))


def _flat_blocks(content: st.SearchStrategy[Any]) -> list[st.SearchStrategy[Any]]:
    common, source = _common(), _sources(content)
    return [
        st.builds(TextBlock, texts(), **common),
        st.builds(TextBlock, texts(), citations=_citations(), **common),
        st.builds(ImageBlock, source, detail=_optional(st.just("low")), **common),
        st.builds(AudioBlock, source, transcript=_optional(texts()), **common),
        st.builds(VideoBlock, source, **common),
        st.builds(
            FileBlock, source, name=_optional(texts()), title=_optional(texts()), context=_optional(texts()), **common
        ),
        st.builds(DataBlock, json_values(), name=_optional(texts()), **common),
        st.builds(ThinkingBlock, texts(), redacted=_optional(texts()), raw=st.booleans(), **common),
        _calls(),
        *_approvals(),
        st.builds(RefusalBlock, texts(), **common),
        st.builds(SourceBlock, _optional(texts()), title=_optional(texts()), media_type=_optional(texts()), **common),
        st.builds(CompactionBlock, _optional(texts()), encrypted=_optional(texts()), **common),
        st.builds(ToolsBlock, st.lists(_tools(), max_size=1), **common),
        st.builds(NativeBlock, st.sampled_from(FAMILIES), json_values(), fallback=_optional(texts()), **common),
    ]


@cache
def _block_kinds() -> tuple[st.SearchStrategy[Any], ...]:
    plain = st.lists(st.builds(TextBlock, texts()), max_size=1)
    inner = st.lists(_one_of((*_flat_blocks(plain), _results(plain))), max_size=2)
    return (*_flat_blocks(plain), _results(inner))


# The repr of a composite strategy is short; that of nested one_of grows to hundreds of kilobytes.
@st.composite
def _one_of(draw: st.DrawFn, kinds: tuple[st.SearchStrategy[Any], ...]) -> Any:
    return draw(kinds[draw(st.integers(0, len(kinds) - 1))])


def blocks() -> st.SearchStrategy[Any]:
    """Return any content block, including results with blocks inside."""
    return _one_of(_block_kinds())


@cache
def _times() -> st.SearchStrategy[Any]:
    zones: st.SearchStrategy[Any] = st.sampled_from(
        (None, UTC, timezone(timedelta(hours=-3, minutes=-30)), timezone(timedelta(seconds=1)))
    )
    return st.one_of(
        st.none(),
        st.just(datetime(2026, 1, 2, 3, 4, 5, 678901, UTC, fold=1)),
        st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=zones),  # noqa: DTZ001 - naive ones too
    )


def _usages(money: st.SearchStrategy[Any] | None = None) -> st.SearchStrategy[Any]:
    count = _optional(st.integers(0, 2**70))
    names = ("input", "output", "total", "cache_read", "cache_write", "reasoning", "input_audio", "output_audio")
    spent = _optional(st.one_of(st.integers(0, 5), st.floats(0, 9)) if money is None else money)
    return st.builds(Usage, **dict.fromkeys(names, count), cost=spent, seconds=spent, extras=_extras())


@cache
def messages() -> st.SearchStrategy[Msg]:
    """Return any message."""
    typical = st.lists(st.builds(TextBlock, texts()), max_size=2)
    return _one_of((_messages(typical),))


def _messages(typical: st.SearchStrategy[Any]) -> st.SearchStrategy[Msg]:
    return st.builds(
        Msg,
        role=st.sampled_from(ROLES),
        content=st.one_of(typical, st.lists(blocks(), max_size=3)),
        id=st.one_of(_ids(), st.just(Made("made_2"))),
        created_at=_times(),
        name=_optional(texts()),
        recipient=_optional(texts()),
        model=_optional(texts()),
        provider=_optional(st.sampled_from(PROVIDERS)),
        api=_optional(st.sampled_from(("chat", "responses", ""))),
        metadata=_optional(_mappings(), {}),
        response_metadata=_optional(_mappings(), {}),
        structured=_optional(json_values()),
        usage=_optional(_usages()),
        finish_reason=_optional(st.sampled_from(("stop", "tool_use", "length", "odd", ""))),
        embedding=_optional(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=2)),
        extras=_extras(),
    )


@cache
def _settings() -> st.SearchStrategy[Any]:
    numbers = _optional(st.one_of(st.integers(0, 3), st.floats(0, 2)))
    counts, truths = _optional(st.integers(0, 9000)), _optional(st.booleans())
    named = st.fixed_dictionaries({"name": texts()})
    schema = st.fixed_dictionaries({"schema": _mappings()}, optional={"name": texts(), "strict": st.booleans()})
    effort = st.sampled_from(("high", "low", "minimal", "none", ""))
    asked = {"effort": effort, "budget": st.integers(0, 9000), "summary": texts()}
    reasoning = st.fixed_dictionaries({}, optional=asked).filter(bool)
    return st.builds(
        Settings,
        model=_optional(texts()),
        max_tokens=counts,
        temperature=numbers,
        top_p=numbers,
        top_k=counts,
        stop=st.lists(texts(), max_size=2),
        seed=counts,
        tool_choice=_optional(_one_of((st.sampled_from(("auto", "required", "none")), named))),
        parallel_tool_calls=truths,
        response_format=_optional(_one_of((st.sampled_from(("text", "json")), schema))),
        reasoning=_optional(_one_of((st.just("off"), reasoning))),
        stream=truths,
        store=truths,
        user=_optional(texts()),
        metadata=_optional(_mappings(), {}),
        extras=_extras(),
    )


def histories(max_messages: int = 4) -> st.SearchStrategy[History]:
    """Return any history of at most this many messages."""
    return st.builds(
        History,
        st.lists(messages(), max_size=max_messages),
        id=_optional(texts()),
        tools=_optional(st.lists(_tools(), max_size=2), ()),
        metadata=_optional(_mappings(), {}),
        settings=_optional(_settings()),
        extras=_extras(),
    )


def _parts() -> st.SearchStrategy[Any]:
    indexes = st.sampled_from((None, None, 0, 1, -1, 2**70, "lc_1", ""))
    ids = _optional(st.sampled_from(("c1", "c2", "")))
    pieces = st.sampled_from(('{"a"', ": 1", "}", "", "{}", "x", "[1, "))
    typical = st.one_of(
        st.builds(TextBlock, texts(), item_id=ids),
        st.builds(ThinkingBlock, texts(), item_id=ids),
        st.builds(ToolUseBlock, ids, st.sampled_from(("", "f", "g")), raw_input=pieces),
    )
    return st.builds(ChunkPart, st.one_of(typical, typical, blocks()), indexes)


@cache
def chunks() -> st.SearchStrategy[MsgChunk]:
    """Return any chunk; sums of money are never rounded, and most roles are the same."""
    money = st.sampled_from((0, 1, 0.5, 0.25, 3.0))
    return st.builds(
        MsgChunk,
        st.sampled_from((None, None, "assistant", "assistant", "assistant", "user")),
        st.lists(_parts(), max_size=3),
        id=_ids(),
        created_at=_times(),
        name=_optional(texts()),
        recipient=_optional(texts()),
        model=_optional(texts()),
        provider=_optional(st.sampled_from(PROVIDERS)),
        api=_optional(st.sampled_from(("chat", "responses", ""))),
        metadata=_optional(_mappings(), {}),
        response_metadata=_optional(_mappings(), {}),
        structured=_optional(json_values()),
        usage=_optional(_usages(money)),
        finish_reason=_optional(st.sampled_from(("stop", "tool_use", ""))),
        embedding=_optional(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=2)),
        done=st.booleans(),
        extras=_extras(),
    )
