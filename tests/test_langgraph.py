"""The codec ``langgraph`` against langgraph-checkpoint itself, and its use.

Our documents load there with the same meaning, field by field, and its bytes come back exactly.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime as dt
import decimal
import enum
import ipaddress
import json
import logging
import pathlib
import re
import uuid
from collections import deque
from importlib import import_module
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

import agentmsg as am
from agentmsg.formats.spelling import same_document
from agentmsg_codecs.langchain.langgraph import dumps_typed, loads_typed
from data import golden
from support.documents import documents
from support.langgraph_documents import UUID, checkpoint, extension

# Untyped on purpose: this tests what they accept at run time, not their annotations.
core: Any = import_module("langchain_core.messages")
serial: Any = import_module("langchain_core.load")
jsonplus: Any = import_module("langgraph.checkpoint.serde.jsonplus")
types: Any = import_module("langgraph.checkpoint.serde.types")
numpy: Any = import_module("numpy")

# LangGraph warns of every class that isn't on its own list.
logging.getLogger("langgraph").setLevel(logging.ERROR)
# LangGraph reads the old type "json" with a LangChain reader that warns of being unfinished.
pytestmark = pytest.mark.filterwarnings("ignore:The function `load` is in beta", "ignore:The default value of")

LG: Final = "langgraph"
REAL = jsonplus.JsonPlusSerializer()
HUMAN: dict[str, Any] = core.HumanMessage("hi", id="h1").model_dump()
CALL: dict[str, Any] = {"name": "f", "args": {"a": 1}, "id": "c1"}
EVIL = {"__ext__": 0, "value": ["os", "system", "true"]}


def stored(value: Any) -> bytes:
    """Return the bytes that LangGraph stores for a value."""
    kind, raw = REAL.dumps_typed(value)
    assert kind == "msgpack"
    return bytes(raw)


def revived(raw: bytes) -> Any:
    """Return the value that LangGraph loads from bytes."""
    return REAL.loads_typed(("msgpack", raw))


# -- output of LangGraph ----------------------------------------------------------------------------------------------


class Color(enum.Enum):
    """An enum of a user."""

    RED = "red"


class Profile(BaseModel):
    """A model of a user."""

    name: str
    tags: set[str]


@dataclasses.dataclass
class Note:
    """A dataclass of a user."""

    text: str
    at: dt.datetime


class Point(NamedTuple):
    """A named tuple of a user."""

    x: int
    y: Any


NOW = dt.datetime(2026, 11, 22, 10, tzinfo=dt.UTC)
# Every branch of LangGraph's writer, by a value that takes it.
VALUES: dict[str, Any] = {
    "set": {"a"},
    "frozenset": frozenset({1}),
    "deque": deque([1, None]),
    "datetime": NOW,
    "date": NOW.date(),
    "time": dt.time(10, 30),
    "time with a zone": dt.time(10, 30, tzinfo=dt.timezone(dt.timedelta(hours=2))),
    "timedelta": dt.timedelta(days=1, seconds=2),
    "timezone": dt.UTC,
    "UUID": uuid.UUID(int=7),
    "Decimal": decimal.Decimal("1.10"),
    "Path": [pathlib.Path("/a/b"), pathlib.Path()],
    "pattern": re.compile("a+", re.IGNORECASE),
    "ip": [ipaddress.ip_address("127.0.0.1"), ipaddress.ip_network("::/64")],
    "enum": Color.RED,
    "dataclass": Note("x", NOW),
    "namedtuple": Point(1, Point(2, {3})),
    "pydantic": Profile(name="Ada", tags={"x"}),
    "array": numpy.arange(6, dtype="<f4").reshape(2, 3),
    "array, the other order": numpy.asfortranarray(numpy.ones((2, 2))),
    "exception": ValueError("no"),
    "bytes": [b"", b"\x00\xff", b"x" * 300, bytearray(b"y")],
    "tuple": (1, (2,)),
    "keys": {2: "a", None: "b", True: "c", 1.5: "d", b"k": "e", (1, "x"): "f"},
    "numbers": [0, -1, -33, 127, 128, 255, 256, 65536, 2**32, 2**63, 2**64 - 1, -(2**63), 1.5, -0.0, 1e300],
    "odd numbers": [float("nan"), float("inf"), float("-inf")],
    "lengths": ["x" * 31, "x" * 32, "é" * 200, "x" * 70000, list(range(15)), list(range(16))],
    "wide maps": [{str(key): key for key in range(size)} for size in (15, 16, 300)],
    "keys like ours": {"__ext__": 5, "value": ["os", "system"]},
    "nested": {"__map__": [{"__bin__": {"__float__": [{"__wire__": {1}}]}}]},
    "envelope": {"lc": 1, "type": "constructor", "id": ["os", "system"], "kwargs": {}},
    "messages": [core.HumanMessage("not in the channel of messages")],
    "lone surrogate": "\ud800",
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())
def test_what_else_a_checkpoint_holds_comes_back_exactly(value: Any) -> None:
    """Everything that LangGraph stores around and inside messages is written again byte for byte."""
    message = core.ToolMessage("x", tool_call_id="c1", artifact=value)
    assert core.ToolMessage.model_validate(message.model_dump())
    for document in (
        {"before": value, "messages": [core.HumanMessage("hi"), message], "after": value},
        checkpoint({"before": value, "messages": [message, core.AIMessage("x")], "after": [value]}),
    ):
        raw = stored(document)
        history = am.loads(raw, LG)
        assert len(history) == 2
        assert all(found.role != "native" for found in history)
        assert am.dumps(history, LG) == raw
        assert am.dumps(am.loads(am.dumps(history, "json"), "json"), LG) == raw
        assert am.dumps(am.loads(am.dumps(history, "msgpack"), "msgpack"), LG) == raw


NUMBERS = st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
OBJECTS = st.dictionaries(
    st.sampled_from(["a", "model_name", "finish_reason", "id", "__ext__", "lc"]) | st.text(), JSON
)
IDS = st.none() | st.text(max_size=40)
COUNTS = st.integers(0, 2**40)
TEXT = st.fixed_dictionaries({"index": COUNTS, "type": st.just("text"), "text": st.text(), "more": OBJECTS})
THINKING = st.fixed_dictionaries({"thinking": st.text(), "type": st.just("thinking"), "signature": st.text()})
LINK: dict[str, Any] = {"detail": st.just("low"), "url": st.text()}
LINKS: Any = st.fixed_dictionaries(LINK)
IMAGE: Any = st.fixed_dictionaries({"image_url": LINKS, "type": st.just("image_url")})
PARTS: list[Any] = [st.text(max_size=20), TEXT, THINKING, IMAGE, OBJECTS]
CONTENTS: Any = st.text() | st.lists(st.one_of(PARTS), max_size=3)
CALLS = st.lists(st.fixed_dictionaries({"name": st.just("f"), "args": OBJECTS, "id": IDS}), max_size=3)
DETAILS = st.dictionaries(st.sampled_from(["cache_read", "audio", "cache_creation"]), COUNTS)
USAGES = st.none() | st.fixed_dictionaries(
    {"input_tokens": COUNTS, "output_tokens": COUNTS, "total_tokens": COUNTS, "input_token_details": DETAILS}
)
COMMON: dict[str, Any] = {
    "content": CONTENTS, "id": IDS, "name": IDS, "additional_kwargs": OBJECTS, "response_metadata": OBJECTS,
}  # fmt: skip


def _made(cls: Any, **own: Any) -> Any:
    """Return messages of a class, with these fields of its own."""
    return st.fixed_dictionaries({**COMMON, **own}).map(lambda fields: cls(**fields))


TOOL: dict[str, Any] = {"tool_call_id": st.text(), "artifact": JSON, "status": st.sampled_from(["success", "error"])}
# LangChain makes calls from those in additional_kwargs, and refuses nonsense: another test covers that.
KWARGS = OBJECTS.map(lambda fields: {key: value for key, value in fields.items() if key != "tool_calls"})
AI: dict[str, Any] = {"additional_kwargs": KWARGS, "tool_calls": CALLS, "usage_metadata": USAGES}
MESSAGES = st.one_of(
    _made(core.HumanMessage),
    _made(core.SystemMessage),
    _made(core.ChatMessage, role=st.text()),
    _made(core.FunctionMessage, name=st.text()),
    st.text().map(lambda own: core.RemoveMessage(id=own)),
    _made(core.AIMessage, **AI),
    _made(core.AIMessageChunk, **AI),
    _made(core.ToolMessage, **TOOL),
    _made(core.ToolMessageChunk, **TOOL),
)


@given(st.lists(MESSAGES, max_size=4))
def test_any_messages_of_langchain_come_back_exactly(messages: list[Any]) -> None:
    """The bytes that LangGraph stores for any messages are returned, alone, in a list, and in a checkpoint."""
    for value in (messages, checkpoint({"a": 1, "messages": messages, "b": 2}), *messages):
        raw = stored(value)
        history = am.loads(raw, LG)
        assert am.dumps(history, LG) == raw
        assert am.same(am.loads(am.dumps(history, "json"), "json"), history)


@given(st.lists(MESSAGES, min_size=1, max_size=3))
def test_what_is_decoded_says_what_langchain_says(messages: list[Any]) -> None:
    """Messages that LangGraph stores are read as those that LangChain dumps as dicts."""
    dicts = am.thaw([core.message_to_dict(message) for message in messages])
    ours = am.loads(stored(messages), LG).messages
    assert am.same(ours, am.decode(dicts, "langchain").messages)


def test_golden_bytes_come_back_exactly() -> None:
    """LangGraph's stored bytes are read as the plain data recorded with them, and returned."""
    path = next(path for path in golden("langchain_ops") if path.stem == "langgraph_msgpack")
    cases = json.loads(path.read_text())["cases"]
    assert cases
    for case in cases:
        raw = base64.b64decode(case["base64"])
        history = am.loads(raw, LG)
        assert am.dumps(history, LG) == raw
        assert same_document(am.encode(history, LG), case["decoded"])


def test_bytes_of_all_documents_come_back_exactly() -> None:
    """Every document of the laws has bytes, and these are returned; JSON as a document, not byte for byte."""
    for name, document in documents(LG):
        raw = am.get_codec(LG).render(document)
        history = am.loads(raw, LG)
        if name.startswith("JSON"):
            assert same_document(am.encode(history, LG), document)
        else:
            assert am.dumps(history, LG) == raw, name


def test_few_messages_stay_native() -> None:
    """Fewer than two in a hundred messages of all documents are kept whole."""
    read = [message for _, document in documents(LG) for message in am.decode(document, LG)]
    assert sum(message.role == "native" for message in read) * 50 < len(read)


# -- our output -------------------------------------------------------------------------------------------------------


def _sources() -> list[str]:
    return [name for name in am.codec_names() if name not in {"langgraph", "langchain", "langchain-lc"}]


@pytest.mark.parametrize("source", _sources())
def test_messages_of_other_formats_load_in_langgraph(source: am.CodecName) -> None:
    """LangGraph loads our output from any format, field by field like LangChain's reading of our dicts."""
    tried = 0
    for name, document in documents(source)[:120]:
        messages = am.decode(document, source).messages
        natives = am.encode(messages, "langchain", losses=[])
        assert revived(am.dumps(messages, LG, losses=[])) == core.messages_from_dict(natives), name
        tried += 1
    assert tried


@given(st.lists(MESSAGES, max_size=3))
def test_what_comes_back_loads_as_the_same_messages(messages: list[Any]) -> None:
    """Messages that went through the model and lost all spelling are loaded unchanged."""
    history = am.loads(stored(messages), LG)
    bare = am.History([message.evolve(notes={}) for message in history.messages])
    back = revived(am.dumps(bare, LG, losses=[]))
    assert list(map(_told, back)) == list(map(_told, messages))


def _told(message: Any) -> Any:
    """Return the class of a message, chunk or not, and its id; the old function message is a tool's today."""
    name = type(message).__name__.removesuffix("Chunk").replace("Function", "Tool")
    return name, message.id


def test_integers_beyond_64_bits_load() -> None:
    """An integer too large for MessagePack is the same integer in LangGraph, and comes back."""
    big = [2**64, -(2**63) - 1, 10**100]
    message = am.Msg("assistant", [am.ToolUseBlock("c1", "f", {"n": big})])
    raw = am.dumps(message, LG)
    assert revived(raw)[0].tool_calls[0]["args"] == {"n": big}
    assert am.loads(raw, LG)[0].tool_calls[0].input == {"n": big}


def test_an_edit_of_one_message_leaves_the_others_and_the_rest() -> None:
    """After an edit LangGraph finds the new text in the old one's place, and everything else unchanged."""
    value: dict[str, Any] = {
        "x": {"a"},
        "messages": [core.HumanMessage("hi"), core.AIMessage("x", response_metadata=META)],
        "y": NOW,
    }
    history = am.loads(stored(value), LG)
    edited = history.evolve(messages=(history[0].with_content("bye"), history[1]))
    back = revived(am.dumps(edited, LG))
    assert back == {**value, "messages": [core.HumanMessage("bye"), value["messages"][1]]}
    assert list(back) == list(value)


META: dict[str, Any] = {"model_name": "m", "a": 1, "finish_reason": "stop", "b": 2}


def test_the_order_of_keys_is_kept_until_they_change() -> None:
    """Keys are written in the order of reading; with other keys, in the usual order."""
    raw = stored([core.AIMessage("x", response_metadata=META)])
    (message,) = am.loads(raw, LG)
    assert am.dumps(message, LG) == raw
    assert list(revived(am.dumps(message.evolve(model="n"), LG))[0].response_metadata.items()) == [
        *{**META, "model_name": "n"}.items()
    ]
    assert revived(am.dumps(message.evolve(model=None), LG))[0].response_metadata == {"a": 1, "b": 2, **_STOP}


_STOP = {"finish_reason": "stop"}


# -- containers -------------------------------------------------------------------------------------------------------

SNAPSHOT = types._DeltaSnapshot


def _placed(name: str, messages: list[Any]) -> Any:
    """Return a LangGraph value with messages in one of its places for them."""
    state = {"a": 1, "messages": messages, "b": 2}
    return {
        "list": messages,
        "state": state,
        "checkpoint": checkpoint(state),
        "input": checkpoint({"__start__": state}),
        "delta channel": checkpoint({"a": 1, "messages": SNAPSHOT(messages)}),
        "snapshot": SNAPSHOT(messages),
        "checkpoint and config": {"config": {}, "checkpoint": checkpoint(state)},
    }[name]


PLACES = ("list", "state", "checkpoint", "input", "delta channel", "snapshot", "checkpoint and config")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("count", [0, 1, 3])
def test_messages_go_back_where_they_stood(place: str, count: int) -> None:
    """A message added to a history comes after the others, in their place in the document."""
    messages = [core.HumanMessage(str(index)) for index in range(count)]
    raw = stored(_placed(place, messages))
    history = am.loads(raw, LG)
    assert am.dumps(history, LG) == raw
    more = am.Msg("assistant", "more", id="m")
    assert am.dumps(history.extended(more), LG) == stored(_placed(place, [*messages, core.AIMessage("more", id="m")]))


def test_one_message_becomes_a_list_when_another_is_added() -> None:
    """A single message, alone or as a write to a channel, is returned unchanged; two are a list."""
    one, more, added = core.HumanMessage("a"), am.Msg("assistant", "b", id="b"), core.AIMessage("b", id="b")
    history = am.loads(stored(one), LG)
    assert am.dumps(history, LG) == stored(one)
    assert revived(am.dumps(history.extended(more), LG)) == [one, added]
    history = am.loads(stored({"messages": one, "x": 1}), LG)
    assert am.dumps(history, LG) == stored({"messages": one, "x": 1})
    assert revived(am.dumps(history.extended(more), LG)) == {"x": 1, "messages": [one, added]}


@pytest.mark.parametrize("other", [5, None, "x", {"a": 1}, {"type": "human"}, {"lc": 1}, {"u": [1]}], ids=repr)
@pytest.mark.parametrize("place", ["checkpoint", "with its config"])
def test_what_is_called_messages_elsewhere_comes_back(place: str, other: Any) -> None:
    """A key ``messages`` without any stays beside the place that has them; if that place is gone, this is reported."""
    values: dict[str, Any] = {"messages": [core.HumanMessage("hi"), core.AIMessage("x")], "n": 1}
    around: Any = {"channel_values": values} if place == "checkpoint" else {"checkpoint": {"channel_values": values}}
    raw = stored({"messages": other, **around})
    history = am.loads(raw, LG)
    assert am.dumps(history, LG) == raw
    assert len(history) == 2
    without = stored({"messages": other, "channel_values": {"n": 1}})
    assert am.dumps(am.loads(without, LG), LG) == without
    losses: list[am.Loss] = []
    stray = am.decode(am.encode(history.evolve(notes={}), LG, losses=losses), LG)
    assert [loss.path for loss in losses] == [("extras", "langchain", "messages")]
    around_messages: Any = stray.extras["langchain"]
    assert "messages" not in around_messages


def test_a_checkpoint_without_messages_is_a_history_without() -> None:
    """The first checkpoint of a thread is read, returned, and takes messages."""
    raw = stored(checkpoint({"count": 1}))
    history = am.loads(raw, LG)
    assert not history.messages
    assert am.dumps(history, LG) == raw
    longer = revived(am.dumps(history.extended(am.Msg("user", "hi", id="h")), LG))
    assert longer["channel_values"] == {"messages": [core.HumanMessage("hi", id="h")], "count": 1}


def test_states_hold_messages_in_any_form_that_langgraph_takes() -> None:
    """Pairs, texts, dicts and envelopes instead of messages are messages, and come back unchanged."""
    message = core.AIMessage("x", tool_calls=[CALL])
    forms: list[Any] = [
        ("user", "hi"), "hello", {"role": "tool", "content": "4", "tool_call_id": "c1"}, serial.dumpd(message), message,
    ]  # fmt: skip
    raw = stored({"messages": forms})
    history = am.loads(raw, LG)
    assert [found.role for found in history] == ["user", "user", "tool", "assistant", "assistant"]
    assert am.dumps(history, LG) == raw
    assert [found.role for found in am.loads(am.dumps(history.messages[:2], LG), LG)] == ["user", "user"]


def test_history_extras_tell_what_else_there_was() -> None:
    """Values around the messages are in the history's extras, for users to read."""
    history = am.loads(
        stored({"messages": [core.HumanMessage("hi")], "step": 3, "user": uuid.UUID(UUID["value"][2])}), LG
    )
    assert am.thaw(history.extras["langchain"]) == {"step": 3, "user": str(uuid.UUID(UUID["value"][2]))}


# -- the old type "json" ----------------------------------------------------------------------------------------------

OLD: dict[str, Any] = {"lc": 2, "type": "constructor", "id": ["uuid", "UUID"], "args": ["0" * 32]}


def test_messages_load_from_the_old_type() -> None:
    """Our output as "json" is loaded by LangGraph as the same messages."""
    messages = [am.Msg.user("hi"), am.Msg("assistant", [am.ToolUseBlock("c1", "f", {"a": 1})], id="a1")]
    kind, raw = dumps_typed(messages, wire="json")
    assert kind == "json"
    assert REAL.loads_typed((kind, raw)) == revived(am.dumps(messages, LG))
    assert [message.role for message in loads_typed((kind, raw))] == ["user", "assistant"]


@pytest.mark.parametrize("read", ["msgpack", "json"])
@pytest.mark.parametrize("wire", ["msgpack", "json"])
def test_the_type_that_is_asked_for_is_written(read: Any, wire: Any) -> None:
    """Whatever was read; without the option it is the type that was read."""
    call = am.ToolUseBlock("c1", "f", {"a": 1})
    new = am.History([am.Msg.user("hi"), am.Msg("assistant", [call]), call.result("x")])
    history = am.loads(am.dumps(new, "langgraph", wire=read), "langgraph")
    assert dumps_typed(history)[0] == read
    assert dumps_typed(history, wire=wire) == dumps_typed(new, wire=wire)


def test_a_type_that_cannot_be_is_refused() -> None:
    """Without messages there are no envelopes, by which this type is known."""
    with pytest.raises(am.EncodeError, match="no document of the type 'json'"):
        am.dumps(am.History(()), "langgraph", wire="json")


def test_old_checkpoints_come_back() -> None:
    """Envelopes of messages are read from an old checkpoint; those of other classes stay data, in place."""
    envelope = serial.dumpd(core.HumanMessage("hi", id="h1"))
    document = checkpoint({"user": OLD, "messages": [envelope]})
    document["pending_sends"] = []
    history = am.loads(json.dumps(document), LG)
    assert history[0].text == "hi"
    assert same_document(json.loads(am.dumps(history, LG)), document)
    longer = REAL.loads_typed(("json", am.dumps(history.extended(am.Msg("user", "x", id="x")), LG)))
    assert longer["channel_values"]["messages"] == [core.HumanMessage("hi", id="h1"), core.HumanMessage("x", id="x")]
    assert longer["channel_values"]["user"] == uuid.UUID(int=0)


def test_json_without_envelopes_is_refused() -> None:
    """JSON without envelopes is a document of another format."""
    for raw in ("[]", '{"messages": []}', '[{"role": "user", "content": "x"}]', '{"a": 1}'):
        with pytest.raises(am.DecodeError) as caught:
            am.loads(raw, LG)
        assert (caught.value.code, caught.value.codec) == ("type", LG)


# -- types and bytes --------------------------------------------------------------------------------------------------


def test_pairs_of_type_and_bytes() -> None:
    """The pairs of LangGraph's serializer are read and written."""
    pair = REAL.dumps_typed([core.HumanMessage("hi", id="h1")])
    assert dumps_typed(loads_typed(pair)) == pair


@pytest.mark.parametrize(
    "pair",
    [
        *(("pickle", b"\x80\x04N."), ("null", b""), ("bytes", b"x"), ("bytearray", b"x"), ("x", b"")),
        *(("json", b"\x90"), ("msgpack", json.dumps([serial.dumpd(core.HumanMessage("x"))]).encode())),
    ],
    ids=lambda pair: pair[0],
)
def test_other_types_are_refused(pair: tuple[str, bytes]) -> None:
    """Types without messages, pickle above all, and bytes of another type are refused with one typed error."""
    with pytest.raises(am.DecodeError) as caught:
        loads_typed(pair)
    assert (caught.value.code, caught.value.codec) == ("type", LG)


def test_formats_are_told_apart() -> None:
    """Bytes of LangGraph, canonical MessagePack and LangChain's envelopes are each recognised."""
    messages = [core.HumanMessage("hi")]
    assert am.detect(stored(messages))[0] == (LG, 1.0)
    assert am.detect(stored(checkpoint({})))[0] == (LG, 1.0)
    assert am.detect(am.dumps(am.Msg.user("hi"), "msgpack"))[0][0] == "msgpack"
    assert am.detect(json.dumps([serial.dumpd(messages[0])]))[0][0] == "langchain-lc"
    assert am.detect([extension(HUMAN)]) == [(LG, 1.0)]
