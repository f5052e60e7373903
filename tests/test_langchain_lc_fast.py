"""The short ways of the codec ``langchain-lc`` against its careful ones, which are the truth."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.errors import AgentMsgError
from agentmsg.fit import fit
from agentmsg.json_text import UNUSUAL, dump_json, is_shallow, parse_json, parse_undoubted
from agentmsg.json_values import plain_copy, thaw
from agentmsg.limits import AROUND, DEFAULT_LIMITS, Limits
from agentmsg.notes import same_document
from agentmsg.testing import edit, histories, mutate
from agentmsg_codecs.langchain.lc import LangChainLcCodec
from benchmarks.data import mixed_history
from benchmarks.peers.with_langchain import envelopes
from support.documents import documents

if TYPE_CHECKING:
    from collections.abc import Callable

MUTANTS = 600
PATH = ["langchain", "schema", "messages"]
DEEPEST = DEFAULT_LIMITS.depth + AROUND
ROOM = Limits(depth=DEEPEST)


class Careful(LangChainLcCodec):
    """The codec without its short ways for bytes."""

    def from_bytes(self, raw: Any, limits: Limits, duplicates: Any) -> am.History:
        """Read what is parsed."""
        return self.read(self.parse(raw, limits, duplicates))

    def to_bytes(self, history: am.History) -> bytes:
        """Render what is written."""
        return self.render(self.write(history))


def _careful() -> Careful:
    codec = _flat()
    for table in (
        codec.engine.fast_readers,
        codec.engine.fast_writers,
        codec._envelopes.fast_writers,
        codec.engine.parts.quick,
        codec.engine.parts.quick_writers,
    ):
        table.clear()
    return codec


def _flat() -> Careful:
    """Return a codec that reads usual messages fast, but from flat bodies only; see tests/test_langchain_fast.py."""
    codec = Careful()
    codec.engine.fill()
    codec._envelopes.fast_readers.clear()
    return codec


FAST, FLAT, CAREFUL = LangChainLcCodec(), _flat(), _careful()

TEXT = {"type": "text", "text": "hi"}
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "sig"}
IMAGE = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
USAGE = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}
DETAILS = {"input_token_details": {"cache_read": 1}, "output_token_details": {"reasoning": 2, "audio": 0}}
# What can be taken for an object of LangChain, and what only looks a little like it.
MARKED: dict[str, Any] = {
    "lc": {"lc": 1},
    "lc of a secret": {"lc": 1, "type": "secret", "id": ["HOME"]},
    "escaped": {"__lc_escaped__": {"lc": 1}},
    "escaped for nothing": {"__lc_escaped__": {"a": 1}},
    "escaped beside": {"__lc_escaped__": {"lc": 1}, "a": 1},
    "inside": {"a": [{"b": {"lc": 2}}]},
    "a text": {"a": "lc"},
    "none": {"a": [1, None, {"b": 2.5}]},
}


def _use(args: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": "a", "name": "f", "input": args}


def _call(args: Any) -> dict[str, Any]:
    return {"name": "f", "args": args, "id": "a", "type": "tool_call"}


def _envelope(name: str, /, **kwargs: Any) -> dict[str, Any]:
    return {"lc": 1, "type": "constructor", "id": [*PATH, name], "kwargs": kwargs}


def _human(content: Any = "x", **kwargs: Any) -> dict[str, Any]:
    return _envelope("HumanMessage", content=content, type="human", **kwargs)


def _ai(content: Any = "x", *calls: Any, **kwargs: Any) -> dict[str, Any]:
    return _envelope("AIMessage", content=content, type="ai", **kwargs, tool_calls=[*calls], invalid_tool_calls=[])


def _tool(content: Any = "x", **kwargs: Any) -> dict[str, Any]:
    kwargs = {"tool_call_id": "a", "status": "success"} | kwargs
    return _envelope("ToolMessage", content=content, type="tool", **kwargs)


# The places where free-form data stands.
PLACES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "kwargs of a user": lambda value: _human(additional_kwargs={"k": value}),
    "kwargs themselves": lambda value: _human(additional_kwargs=value),
    "kwargs": lambda value: _ai(additional_kwargs={"k": value}),
    "kwargs beside thinking": lambda value: _ai(additional_kwargs={"reasoning_content": "so", "k": value}),
    "what a provider said": lambda value: _ai(response_metadata={"model_name": "m", "k": value}),
    "what was said to a user": lambda value: _human(response_metadata=value),
    "a part": lambda value: _human([TEXT, value]),
    "a field of a part": lambda value: _human([{**TEXT, "k": value}]),
    "extras of a part": lambda value: _ai([{"type": "reasoning", "reasoning": "hm", "extras": value}]),
    "a non-standard part": lambda value: _human([{"type": "non_standard", "value": {"type": "data", "data": value}}]),
    "a call": lambda value: _ai("", _call(value)),
    "a call inside": lambda value: _ai("", _call({"a": value})),
    "a call in content": lambda value: _ai([TEXT, _use({"a": value})], _call({"a": value})),
    "a call in content alone": lambda value: _human([_use(value)]),
    "usage": lambda value: _ai(usage_metadata={**USAGE, "k": value}),
    "an artifact": lambda value: _tool(artifact=value),
    "a result": lambda value: _tool([TEXT, value]),
    "an unknown field": lambda value: _human(k=value),
}
USUAL: list[Any] = [
    _human(),
    _human(name="ada", id="m1"),
    _human([TEXT, IMAGE], additional_kwargs={"channel": "web"}),
    _human([TEXT]),
    _human(""),
    _human([]),
    _human("x", additional_kwargs={}),
    _human("x", name=None),
    _human("x", name="", id=""),
    _human(additional_kwargs=0, response_metadata=""),
    _envelope("SystemMessage", content="x", type="system"),
    _envelope("SystemMessage", content="x", type="system", additional_kwargs={"__openai_role__": "developer"}),
    _envelope("SystemMessage", content="x", type="human"),
    _ai(),
    _ai("", _call({"q": [1, 2.0]}), id="m2", usage_metadata={**USAGE, **DETAILS}),
    _ai([THOUGHT, TEXT], response_metadata={"model_name": "claude", "stop_reason": "end_turn"}),
    _ai([THOUGHT, _use({"n": 1})], _call({"n": 1}), response_metadata={"model_name": "m", "stop_reason": "tool_use"}),
    _ai([_use({"n": 1})], _call({"n": True})),
    _ai(response_metadata={"model_name": "m", "finish_reason": "stop"}, usage_metadata=USAGE),
    _ai(response_metadata={"finish_reason": "stop", "stop_reason": "end_turn"}),
    _ai(response_metadata={"model_name": "m", "stop_reason": "some word"}),
    _ai(usage_metadata={}),
    _ai(usage_metadata={**USAGE, "input_token_details": {}}),
    _ai(usage_metadata={**USAGE, "input_token_details": {"cache_read": None, "audio": 2}}),
    _ai(usage_metadata={**USAGE, "input_token_details": {"cache_read": True}}),
    _ai(usage_metadata={**USAGE, "output_token_details": {"reasoning": 2.0}}),
    _ai(usage_metadata={**USAGE, "output_token_details": {"reasoning": 1, "other": 2}}),
    _tool(id="m3", name="f"),
    _tool([TEXT], artifact={"rows": [1]}),
    _tool(artifact=False),
    _tool(status="error"),
    _tool("", additional_kwargs={}),
    _envelope("ChatMessage", content="x", type="chat", role="moderator"),
    {**_human(), "lc": True},
    {**_human(), "lc": 1.0},
    {**_human(), "graph": {}},
    {**_human(), "id": ["langchain_core", "messages", "HumanMessage"]},
    {**_human(), "id": ["HumanMessage"]},
]


def _read(codec: am.Codec, raw: bytes, **options: Any) -> Any:
    """Return all that is known of what was read, notes included, or the words, code and path of the refusal."""
    try:
        return plain_copy(thaw(am.encode(am.loads(raw, codec, **options), "json")), DEEPEST)
    except AgentMsgError as error:
        return [error.message, error.code, *error.path]


def _read_alike(raw: bytes, careful: am.Codec = CAREFUL, **options: Any) -> bool:
    """Check that bytes are read the same in both ways; tell whether they are read."""
    quick = _read(FAST, raw, **options)
    assert same_document(quick, _read(careful, raw, **options)), raw
    return not isinstance(quick, list)


def _agree(document: Any, **options: Any) -> bool:
    """Check that bytes are read the same in both ways, and written the same; tell whether they are read."""
    raw = document if isinstance(document, bytes) else dump_json(document)
    is_read = _read_alike(raw, **options)
    if is_read:
        _written_alike(am.loads(raw, FAST, **options))
    return is_read


def _written_alike(history: am.History) -> None:
    fitted = fit(history, FAST).history
    raw = FAST.to_bytes(fitted)
    assert raw == FAST.render(FAST.write(fitted))
    assert same_document(parse_json(raw), parse_json(CAREFUL.to_bytes(fit(history, CAREFUL).history)))


# -- reading ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("native", USUAL)
def test_both_ways_agree_on_usual_envelopes(native: Any) -> None:
    """What the short way takes is what the careful one reads, alone and before and behind others."""
    for natives in ([native], [_human(), native, _ai()], native, {"messages": [native]}):
        _agree(natives)


@pytest.mark.parametrize("place", PLACES)
def test_both_ways_agree_on_what_looks_like_envelopes(place: str) -> None:
    """Whatever objects stand in user data, they are read, escaped and written as the careful way does it."""
    for value in MARKED.values():
        assert _agree([_human(), PLACES[place](value), _ai()])


def test_both_ways_agree_on_golden_and_recorded_documents() -> None:
    """Every golden and recorded document is read the same in both ways."""
    assert all(_agree(document) for _, document in documents("langchain-lc"))


def test_both_ways_agree_on_mutants() -> None:
    """The same, for what is almost usual."""
    rng = random.Random(8)
    read = 0
    for _ in range(MUTANTS):
        read += _agree(mutate(plain_copy(rng.sample(USUAL, 3)), rng))
    assert read > MUTANTS // 4


def test_most_usual_envelopes_take_the_short_way() -> None:
    """What langchain-core writes of usual messages is read without the careful way, whole."""
    natives = orjson.loads(envelopes(mixed_history(60)))
    codec = LangChainLcCodec()
    codec.engine.fill()
    assert all(codec._envelopes._fast_read(native) for native in natives)
    taken = codec._envelopes.read_all(natives)
    assert taken is not None
    assert len(taken) == 60
    assert natives == []


@pytest.mark.parametrize("text", [r'{"\u006cc": 1}', r'{"a": {"__lc_escape\u0064__": {"lc": 1}}}'])
def test_spelling_hides_no_key(text: str) -> None:
    """A key that is spelt with escapes is the key all the same."""
    raw = orjson.dumps([_human(additional_kwargs={"k": "HERE"})]).replace(b'"HERE"', text.encode())
    assert _agree(raw)


@pytest.mark.parametrize("style", [{}, {"indent": 2}, {"separators": (",", ":")}, {"ensure_ascii": False}])
def test_the_style_of_the_text_does_not_matter(style: dict[str, Any]) -> None:
    """JSON is read the same however it is written."""
    document = [_human("naïve “x”"), _ai("", _call({"ü": 1e300})), *USUAL[:4]]
    raw = json.dumps(document, **style).encode()
    assert _agree(raw)
    assert same_document(_read(FAST, raw), _read(FAST, orjson.dumps(document)))


@pytest.mark.parametrize("digits", ["12345678901234567890123", "1" * 400, "1" * 5000, "9223372036854775808", "1e400"])
@pytest.mark.parametrize("place", PLACES)
def test_no_number_is_rounded(place: str, digits: str) -> None:
    """Integers of any size are exact wherever they stand, or refused in the same words."""
    raw = orjson.dumps([_human(), PLACES[place]({"n": "HERE"})]).replace(b'"HERE"', digits.encode())
    _agree(raw)


@pytest.mark.parametrize("place", PLACES)
def test_depth_is_bounded(place: str) -> None:
    """However deep user data is, it is read or refused in the same words."""
    raw = orjson.dumps([_human(), PLACES[place]({"n": "HERE"})])
    for levels in (90, 120, 198, 240, *range(243, 256), 1000, 2000):
        # What is deeper than the default limit of one value is proved by no careful way.
        careful = CAREFUL if levels <= DEFAULT_LIMITS.depth - 8 else FLAT
        _read_alike(raw.replace(b'"HERE"', b"[" * levels + b"]" * levels), careful)


@pytest.mark.parametrize("place", PLACES)
def test_wide_data_is_not_deep(place: str) -> None:
    """User data with many brackets is read as the careful way does it, and in the short way."""
    native = PLACES[place]({"rows": [{"n": index} for index in range(300)]})
    assert _agree([_human(), native])
    values: list[dict[str, Any]] = [{"n": 1}, {"rows": [[]] * 300}]
    narrow, wide = (FAST._envelopes._fast_read(PLACES[place](value)) is None for value in values)
    assert narrow is wide


@pytest.mark.parametrize("limits", [Limits(depth=6), Limits(depth=300), Limits(bytes=400)])
def test_limits_hold(limits: Limits) -> None:
    """Limits of the caller's are kept in both ways."""
    for levels in (1, 3, 250, 290):
        raw = orjson.dumps([_human(additional_kwargs={"n": "HERE"})]).replace(b'"HERE"', b"[" * levels + b"]" * levels)
        _read_alike(raw, FLAT, limits=limits)


def test_duplicate_keys_are_refused_where_asked() -> None:
    """A key that stands twice is an error where the caller wants that, else the last counts."""
    raw = orjson.dumps([_human("HERE")]).replace(b'"HERE"', b'"a","content":"b"')
    assert _agree(raw)
    assert not _agree(raw, duplicates="error")


@pytest.mark.parametrize("raw", [b"", b"[", b"[]", b"{}", b"null", b"[1]", b"[[]]", b"\xff", b'[{"lc":1}]', b"[NaN]"])
def test_what_is_no_list_of_envelopes_is_told_the_same(raw: bytes) -> None:
    """Errors come from the careful way."""
    _agree(raw)


def test_an_error_has_its_place() -> None:
    """What is wrong behind usual envelopes is told with its index."""
    with pytest.raises(am.DecodeError) as caught:
        am.loads(orjson.dumps([_human(), _ai(), {"x": 1}]), "langchain-lc")
    assert caught.value.path == (2,)


@given(st.binary(max_size=30) | st.text(max_size=30).map(lambda text: json.dumps(text).encode()))
def test_undoubted_texts_are_parsed_as_others(raw: bytes) -> None:
    """A text that is parsed without a doubt has the value that the careful parser gives."""
    value = parse_undoubted(raw, ROOM)
    if value is not UNUSUAL:
        assert same_document([value], [parse_json(raw)])


def test_doubted_texts_are_left_to_the_careful_parser() -> None:
    """A text whose number can be rounded, or whose depth was limited, is not parsed in the short way."""
    assert parse_undoubted(b"[1]", ROOM) == [1]
    assert parse_undoubted(b"[1234567890123456789]", ROOM) is UNUSUAL
    assert parse_undoubted(b"[1]", Limits(depth=9)) is UNUSUAL
    assert parse_undoubted(b"[1]", Limits(bytes=2)) is UNUSUAL
    assert is_shallow(parse_undoubted(b"[" * DEEPEST + b"]" * DEEPEST, ROOM))
    assert not is_shallow(parse_undoubted(b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1), ROOM))
    assert is_shallow([], DEEPEST - 1)
    assert not is_shallow([], DEEPEST)


# -- writing ----------------------------------------------------------------------------------------------------------


@given(histories())
def test_both_ways_write_the_same(history: am.History) -> None:
    """The bytes of any history are those of its document."""
    _written_alike(history)


def test_edited_messages_are_written_alike() -> None:
    """The same, for what was read and edited."""
    rng = random.Random(9)
    for place in PLACES.values():
        for value in MARKED.values():
            history = am.loads(orjson.dumps([_human(), place(value)]), FAST)
            _written_alike(edit(history, rng))
            _written_alike(history.evolve(extras={}, notes={}))
            _written_alike(am.History([*history, am.Msg.user("x", metadata={"k": value})]))
