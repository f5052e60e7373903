"""The short way of the codec ``langgraph`` for bytes, compared with its careful one, the reference."""

from __future__ import annotations

import random
import struct
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import given

import agentmsg as am
from agentmsg.errors import AgentMsgError
from agentmsg.fitting.fit import fit
from agentmsg.formats.spelling import note_of, same_document, with_note
from agentmsg.limits import AROUND, DEFAULT_LIMITS, Limits
from agentmsg.testing import edit, histories, mutate
from agentmsg.values.frozen import plain_copy, thaw
from agentmsg.values.text import parse_json
from agentmsg.values.types import is_object
from agentmsg_codecs.langchain.langgraph import LangGraphCodec
from agentmsg_codecs.langchain.langgraph.tree import read_tree, write_tree
from benchmarks.data import mixed_history
from data import effort, some
from support.careful import NoShortWays, without_fast
from support.documents import documents
from support.langgraph_documents import UUID, checkpoint, extension

if TYPE_CHECKING:
    from collections.abc import Callable

LG: Final = "langgraph"
MUTANTS = effort(200)
DEEPEST = DEFAULT_LIMITS.depth + AROUND
# Ships no types.
msgpack: Any = import_module("msgpack")
pack, unpack, Ext = msgpack.packb, msgpack.unpackb, msgpack.ExtType


class Careful(NoShortWays, LangGraphCodec):
    """The codec without its short way."""


FAST, CAREFUL = LangGraphCodec(), without_fast(Careful())
# Reads usual messages fast, but from plain data.
PLAIN = Careful()

TEXT = {"type": "text", "text": "hi"}
THOUGHT = {"type": "reasoning", "reasoning": "hm", "extras": {"signature": "sig"}}
IMAGE = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
USAGE = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}
DETAILS = {"input_token_details": {"cache_read": 1}, "output_token_details": {"reasoning": 2}}
BASE: dict[str, Any] = {"content": "x", "additional_kwargs": {}, "response_metadata": {}}


def _human(content: Any = "x", **fields: Any) -> dict[str, Any]:
    return {**BASE, "content": content, "type": "human", "name": None, "id": None, **fields}


def _ai(content: Any = "x", *calls: Any, **fields: Any) -> dict[str, Any]:
    own = {"tool_calls": [*calls], "invalid_tool_calls": [], "usage_metadata": None}
    return {**BASE, "content": content, "type": "ai", "name": None, "id": None, **own, **fields}


def _tool(content: Any = "x", **fields: Any) -> dict[str, Any]:
    own = {"tool_call_id": "a", "artifact": None, "status": "success"}
    return {**BASE, "content": content, "type": "tool", "name": None, "id": None, **own, **fields}


def _call(args: Any) -> dict[str, Any]:
    return {"name": "f", "args": args, "id": "a", "type": "tool_call"}


def _use(args: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": "a", "name": "f", "input": args}


def _ext(body: Any, **options: Any) -> Any:
    """Return the extension of a body, which may hold anything that MessagePack has."""
    native = extension({"type": "human", **body} if "type" not in body else body, **options)
    return Ext(native["__ext__"], pack(native["value"]))


# The places of free-form data.
PLACES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "kwargs of a user": lambda value: _human(additional_kwargs={"k": value}),
    "kwargs": lambda value: _ai(additional_kwargs={"k": value}),
    "kwargs beside thinking": lambda value: _ai(additional_kwargs={"reasoning_content": "so", "k": value}),
    "what a provider said": lambda value: _ai(response_metadata={"model_name": "m", "k": value}),
    "what was said to a user": lambda value: _human(response_metadata={"k": value}),
    "a part": lambda value: _human([TEXT, value]),
    "a field of a part": lambda value: _human([{**TEXT, "k": value}]),
    "extras of a part": lambda value: _ai([{"type": "reasoning", "reasoning": "hm", "extras": {"k": value}}]),
    "a non-standard part": lambda value: _human([{"type": "non_standard", "value": {"type": "data", "data": value}}]),
    "a call": lambda value: _ai("", _call({"a": value})),
    "a call in content": lambda value: _ai([TEXT, _use({"a": value})], _call({"a": value})),
    "usage": lambda value: _ai(usage_metadata={**USAGE, "k": value}),
    "a counter": lambda value: _ai(usage_metadata={**USAGE, "input_token_details": {"cache_read": value}}),
    "an artifact": lambda value: _tool(artifact=value),
    "a result": lambda value: _tool([TEXT, value]),
    "an unknown field": lambda value: {**_human(), "k": value},
    "content": _human,
    "an id": lambda value: _human(id=value),
}
# Values that MessagePack has and JSON hasn't, lookalikes of them, and slightly odd ones.
VALUES: dict[str, Any] = {
    "not a number": float("nan"),
    "infinity": [float("-inf")],
    "a float": 1.5,
    "a float that is an integer": {"a": 1.0},
    "binary": b"\x00",
    "empty binary": b"",
    "a key that is binary": {b"": 1},
    "a key that is a number": {1: 2},
    "an extension": Ext(0, pack(UUID["value"])),
    "an unknown extension": [Ext(99, b"x")],
    "a time": msgpack.Timestamp(1, 0),
    "an integer beyond 64 bits": Ext(0, pack(["builtins", "int", str(2**70)])),
    "the largest integer": 2**64 - 1,
    "like an extension": {"__ext__": 0, "value": ["os", "system", "true"]},
    "like an escape": {"__map__": ["__ext__", 1]},
    "like binary, inside": {"a": [{"b": {"__bin__": "eA=="}}]},
    "a text like a key": {"a": "__ext__"},
    "another key with underlines": {"__init__": "__map__"},
    "usual": {"a": [1, None, {"b": 2.5}], "ü": "é"},
    "an extension that is no message": Ext(5, pack(["app", "Thing", {}, "model_validate_json"])),
}
# Values that the short way takes, and values that it leaves to the careful one.
USUAL: list[dict[str, Any]] = [
    *(_human(), _human("", id="m1", name="ada"), _human([TEXT, IMAGE], additional_kwargs={"channel": "web"})),
    *(_human([TEXT]), _human(name=""), {**_human(), "type": "system"}),
    *(_ai(), _ai("", _call({"q": [1, 2.0]}), usage_metadata={**USAGE, **DETAILS}), _ai([THOUGHT, TEXT])),
    _ai([THOUGHT, _use({"n": 1})], _call({"n": 1}), response_metadata={"model_name": "m", "stop_reason": "tool_use"}),
    _ai(response_metadata={"model_name": "m", "finish_reason": "stop"}, usage_metadata=USAGE),
    *(_ai(response_metadata={"finish_reason": "stop", "model_name": "m"}), _ai(usage_metadata={**DETAILS, **USAGE})),
    *(_human([TEXT, dict(reversed(TEXT.items()))]), dict(reversed(_human().items()))),
    _ai("", _call({"q": {"a": [{"b": 1}]}}), response_metadata={"finish_reason": "stop", "logprobs": {"a": [{}]}}),
    *(_ai("", _call({})), _tool(), _tool([TEXT], artifact={"rows": [1]}), _tool(status="error", name="f")),
    _tool(artifact=False),
    _tool(additional_kwargs={"a": 1}),
]
ALMOST: list[dict[str, Any]] = [
    *(_human([]), _ai([_use({"n": 1})], _call({"n": True})), _human(["hi"]), _human(more=1)),
    {**_human(), "type": "remove", "id": "a"},
]


def _read(codec: am.Codec, raw: bytes, **options: Any) -> Any:
    """Return everything known about a read history, notes included, or the words, code and path of the refusal."""
    try:
        return plain_copy(thaw(am.encode(am.loads(raw, codec, **options), "json")), DEEPEST)
    except AgentMsgError as error:
        return [error.message, error.code, *error.path]


def _read_alike(raw: bytes, careful: am.Codec = CAREFUL, **options: Any) -> bool:
    """Check that bytes are read the same in both ways; return whether they are read."""
    quick = _read(FAST, raw, **options)
    assert same_document(quick, _read(careful, raw, **options)), raw
    return not isinstance(quick, list)


def _written_alike(history: am.History) -> None:
    """Check that the bytes of a history are the same in both ways, or refused in the same words."""
    fitted = fit(history, FAST).history
    assert _bytes(FAST, fitted) == _bytes(PLAIN, fitted) == _bytes(CAREFUL, fit(history, CAREFUL).history)


def _bytes(codec: am.Codec, history: am.History) -> Any:
    try:
        return codec.to_bytes(history)
    except AgentMsgError as error:
        return [error.message, error.code]


def _agree(raw: bytes) -> bool:
    """Check that bytes are read the same in both ways, and written the same; return whether they are read."""
    is_read = _read_alike(raw)
    if is_read:
        _written_alike(am.loads(raw, FAST))
    return is_read


def _comes_back(raw: bytes) -> bool:
    """Check the same for bytes; return whether they come back."""
    return _agree(raw) and am.dumps(am.loads(raw, FAST), FAST) == raw


def _is_short(raw: bytes) -> bool:
    """Whether all messages of a document are read without the careful way."""
    codec = LangGraphCodec()
    codec.engine.fill()
    codec._usual._read_other = lambda *_: None  # type: ignore[method-assign] # anything here is unusual
    return codec._usual.read(raw, DEFAULT_LIMITS) is not None


# -- reading ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", USUAL + ALMOST)
def test_both_ways_agree_on_usual_messages(body: dict[str, Any]) -> None:
    """What the short way takes is read like in the careful way, alone, before and after others, in each container."""
    message, other = _ext(body), _ext(_ai())
    for natives in ([message], [_ext(_human()), message, other]):
        documents: list[Any] = [natives, {"messages": natives}, checkpoint({"messages": natives, "n": 1})]
        documents += [{"a": 1, "messages": natives, "b": message}, checkpoint({"__start__": {"messages": natives}})]
        documents += [{"checkpoint": checkpoint({"messages": natives}), "config": {}}, Ext(7, pack(natives)), message]
        assert all(_comes_back(pack(document)) for document in documents)


@pytest.mark.parametrize("place", PLACES)
def test_both_ways_agree_on_what_json_has_not(place: str) -> None:
    """Any user data is read, escaped and written as in the careful way."""
    for value in VALUES.values():
        assert _comes_back(pack([_ext(_human()), _ext(PLACES[place](value)), _ext(_ai())]))


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())
def test_both_ways_agree_on_what_is_around(value: Any) -> None:
    """The same, beside messages, instead of a key's value, and at each step to them."""
    natives = [_ext(_human()), _ext(_ai())]
    odd_key: Any = value if is_object(value) else {}
    around: list[dict[Any, Any]] = [
        *({"messages": natives, "x": value}, {"x": [value], "messages": natives}, {**odd_key, "messages": natives}),
        *({"channel_values": {"messages": natives, **odd_key}, "x": value}, {"messages": value, "x": natives}),
        {"messages": value, "channel_values": {"messages": natives}},
        {"channel_values": {"messages": value, "__start__": {"messages": natives}}},
        {"channel_values": value, "checkpoint": {"channel_values": {"messages": natives}}},
        {"messages": [*natives, value]},
    ]
    for document in around:
        _agree(pack(document))


def test_extensions_before_messages_are_looked_into() -> None:
    """One message, or a snapshot, in an earlier place is the document's content, whatever list comes later."""
    natives = [_ext(_human()), _ext(_ai())]
    for first in (_ext(_human("first")), Ext(7, pack([_ext(_human("first"))]))):
        raw = pack({"messages": first, "channel_values": {"messages": natives}})
        assert _agree(raw)
        assert [str(message.text) for message in am.loads(raw, FAST)] == ["first"]


def test_both_ways_agree_on_golden_and_recorded_documents() -> None:
    """Every golden and recorded document is read the same in both ways, and written the same."""
    assert all(_agree(FAST.render(document)) for _, document in documents(LG))


def test_most_usual_messages_take_the_short_way() -> None:
    """Usual messages written by LangGraph are read without plain data in between, as a whole."""
    raw = am.dumps(mixed_history(60), LG)
    assert _is_short(raw)
    assert _is_short(pack({"messages": unpack(raw), "user": Ext(0, pack(UUID["value"]))}))
    assert all(_is_short(pack([_ext(body)])) for body in USUAL)
    assert not any(_is_short(pack([_ext(body)])) for body in ALMOST)


def test_both_ways_agree_on_mutants() -> None:
    """The same, for almost usual messages."""
    rng = random.Random(8)
    read = 0
    for _ in range(MUTANTS):
        natives = [extension(body) for body in rng.sample(USUAL + ALMOST, 3)]
        mutant = mutate(plain_copy({"messages": natives, "x": 1} if rng.random() < 0.3 else natives), rng)
        try:
            raw = write_tree(mutant)
        except am.EncodeError:
            continue
        read += _agree(raw)
    assert read > MUTANTS // 4


def test_both_ways_agree_on_broken_bytes() -> None:
    """Changed, cut or doubled bytes are read the same, or refused in the same words."""
    rng = random.Random(9)
    whole = pack([_ext(body) for body in USUAL[:12]])
    read = 0
    for _ in range(MUTANTS):
        raw = bytearray(whole)
        at = rng.randrange(len(raw))
        change = rng.randrange(4)
        if change == 0:
            raw[at] = rng.randrange(256)
        elif change == 1:
            raw[at] ^= 1 << rng.randrange(8)
        elif change == 2:
            del raw[at : at + rng.randrange(1, 4)]
        else:
            raw[at:at] = raw[at : at + rng.randrange(1, 4)]
        read += _agree(bytes(raw))
    assert read > MUTANTS // 10


def test_both_ways_agree_on_other_spellings() -> None:
    """Values not in their shortest spelling, outside or inside a message, are read the same, and come back."""
    rng = random.Random(10)
    wide = [0xC9, 0xCA, 0xCD, 0xCF, 0xD2, 0xD3, 0xD9, 0xDA, 0xDB, 0xDC, 0xDD, 0xDE, 0xDF]
    raw = pack({"messages": [_ext(body) for body in USUAL[:12]], "x": [1, {"y": "z"}]})
    tree, _ = read_tree(raw, DEEPEST)
    numbers = some(range(400), 150)
    spelt = {write_tree(tree, [[number, rng.choice(wide)]]) for number in numbers}
    assert len(spelt) > len(numbers) // 8
    assert all(map(_comes_back, spelt))


def test_a_key_that_stands_twice_in_a_message_is_refused() -> None:
    """A map with a duplicate key is refused inside messages too."""
    fields = pack(_human())
    twice = bytes([fields[0] + 1]) + fields[1:] + pack("id") + pack(None)
    payload = pack(["langchain_core.messages.human", "HumanMessage"])[1:] + twice + pack("model_validate_json")
    assert not _agree(pack([Ext(5, b"\x94" + payload)]))
    assert _agree(pack([Ext(5, b"\x94" + payload.replace(twice, fields))]))


@pytest.mark.parametrize("place", PLACES)
def test_depth_is_bounded(place: str) -> None:
    """However deep user data is, it is read or refused in the same words."""
    for levels in (90, 105, *range(108, 122), 128, 198, 240, 250, 400, 600):
        inner = b"\x91" * levels + b"\xc0"
        body = pack(PLACES[place]("HERE")).replace(pack("HERE"), inner)
        name = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}[PLACES[place](0)["type"]]
        words = pack([f"langchain_core.messages.{PLACES[place](0)['type']}", name])[1:]
        message = Ext(5, b"\x94" + words + body + pack("model_validate_json"))
        _read_alike(pack([message]), PLAIN)
        _read_alike(pack(checkpoint({"messages": [message]})), PLAIN)


@pytest.mark.parametrize("place", PLACES)
def test_wide_data_is_not_deep(place: str) -> None:
    """User data with many brackets is read as in the careful way, and in the short way."""
    values: list[dict[str, Any]] = [{"n": 1}, {"rows": [{"n": index} for index in range(300)]}]
    raws = [pack([_ext(PLACES[place](value))]) for value in values]
    assert all(map(_comes_back, raws))
    assert _is_short(raws[0]) is _is_short(raws[1])


@pytest.mark.parametrize("limits", [Limits(depth=6), Limits(depth=300), Limits(bytes=300)])
def test_limits_hold(limits: Limits) -> None:
    """The caller's limits hold in both ways."""
    for levels in (1, 3, 118, 250, 290):
        raw = pack([_ext(_human())])
        deep = pack(_human(additional_kwargs={"n": "HERE"})).replace(pack("HERE"), b"\x91" * levels + b"\xc0")
        words = pack(["langchain_core.messages.human", "HumanMessage"])[1:]
        raw = pack([Ext(5, b"\x94" + words + deep + pack("model_validate_json"))])
        _read_alike(raw, PLAIN, limits=limits)


def test_huge_lengths_take_no_memory() -> None:
    """A length beyond the bytes is refused inside messages, in the words of the careful way."""
    words = b"\x94" + pack(["langchain_core.messages.human", "HumanMessage"])[1:]
    for huge in (
        b"\xdd\xff\xff\xff\xff",
        b"\xdf\xff\xff\xff\xff",
        b"\xdb\xff\xff\xff\xff",
        b"\xdd\x00\x0f\xff\xff" * 200,
    ):
        payload = words + huge + pack("model_validate_json")
        assert not _agree(b"\x91\xc9" + struct.pack(">Ib", len(payload), 5) + payload)


@pytest.mark.parametrize("raw", [b"", b"\x90", b"\x80", b"\xc0", b"\x91\xc0", b"[]", b"{}", b" [", b"\x91\x91\xc0"])
def test_what_is_no_list_of_messages_is_told_the_same(raw: bytes) -> None:
    """Errors come from the careful way."""
    _agree(raw)


def test_an_error_has_its_place() -> None:
    """An error after usual messages has its path."""
    with pytest.raises(am.DecodeError) as caught:
        am.loads(pack({"messages": [_ext(_human()), _ext(_ai()), 7]}), LG)
    assert caught.value.path == ("messages", 2)


def test_hooks_of_yours_are_asked() -> None:
    """A hook that is registered for a class of blocks reads and writes in the short way too."""

    def read_mine(_: Any, __: Any) -> am.TextBlock:
        return am.TextBlock("mine")

    def write_yours(_: am.TextBlock) -> dict[str, Any]:
        return {"type": "text", "text": "yours"}

    codec = LangGraphCodec()
    codec.engine.converter.register_structure_hook(am.TextBlock, read_mine)
    codec.engine.converter.register_unstructure_hook(am.TextBlock, write_yours)
    raw = am.dumps(am.History([am.Msg("user", [am.TextBlock("a"), am.TextBlock("b")])]), codec)
    assert raw.count(b"yours") == 2
    assert am.loads(raw, codec)[0].content == (am.TextBlock("mine"), am.TextBlock("mine"))


# -- writing ----------------------------------------------------------------------------------------------------------


@given(histories())
def test_both_ways_write_the_same(history: am.History) -> None:
    """The bytes of any history are those of its document."""
    _written_alike(history)


def test_edited_messages_are_written_alike() -> None:
    """The same, for read and edited histories, in every container."""
    rng = random.Random(11)
    for place in PLACES.values():
        for value in VALUES.values():
            natives = [_ext(_human()), _ext(place(value))]
            for document in (natives, {"messages": natives, "x": value}, checkpoint({"messages": natives})):
                history = am.loads(pack(document), FAST)
                _written_alike(edit(history, rng))
                _written_alike(history.evolve(extras={}, notes={}))
                _written_alike(history.evolve(extras={"langchain": {"steps": [value]}} if value == 1.5 else {}))


ORDERS: list[Any] = [
    *([[["response_metadata"], ["finish_reason", "model_name"]]], [[[], list(reversed(_ai()))]], [[[], ["type"]]], 3),
    *([[["content", 0], ["text", "type"]]], [[["response_metadata"], ["x"]], [[], 3]], {}, [], None, "no"),
]


@pytest.mark.parametrize("orders", ORDERS)
def test_orders_that_say_anything_are_written_alike(orders: Any) -> None:
    """Whatever a note claims about the order of keys, both ways write the same."""
    (message,) = am.loads(
        pack([_ext(_ai([TEXT, TEXT], response_metadata={"model_name": "m", "finish_reason": "stop"}))]), LG
    )
    for note in ({"/order": orders}, {"/order": orders, "/module": "x"}, {"/form": "flat"}, {"order": orders}):
        _written_alike(am.History([with_note(message, LG, note)]))
        _written_alike(am.History([with_note(message.evolve(notes={}), LG, note)]))


@pytest.mark.parametrize(
    "planted",
    [
        *(
            {"wire": "json"},
            {"wire": 7},
            {"how": "one"},
            {"how": "none"},
            {"how": "delta", "at": ["messages"]},
            {"how": []},
        ),
        *(
            {"at": ["messages"], "how": "list"},
            {"at": ["channel_values", "messages"], "how": "list", "index": 1},
            {"at": 3},
        ),
        *({"spelling": ["x", [[0, 221]]]}, {"/escapes": [[["x"], "raw", "no"]], "how": "list"}),
    ],
)
def test_notes_that_say_anything_are_written_alike(planted: dict[str, Any]) -> None:
    """Whatever a note claims about the container, both ways write the same."""
    for document in ([_ext(_human())], {"messages": [_ext(_human())], "x": 1}, checkpoint({"messages": [_ext(_ai())]})):
        history = am.loads(pack(document), FAST)
        _written_alike(with_note(history, LG, {**note_of(history, LG), **planted}))


def test_values_are_written_the_same_once_they_were_looked_at() -> None:
    """Arguments are wrapped on first use: their bytes stay the same."""
    value: Any = {"a": [{"b": [1, {"c": None}]}], "__d": {"e": [[0]]}}
    raw = pack([_ext(_ai("", _call(value))), _ext(_tool(artifact=value)), _ext(_human(additional_kwargs=value))])
    history = am.loads(raw, FAST)
    assert am.dumps(history, FAST) == raw
    assert str(am.encode(history, "json"))
    assert history == am.loads(raw, CAREFUL)
    assert am.dumps(history, FAST) == raw


def test_threads_write_at_the_same_time() -> None:
    """Nothing is shared between documents that are read and written at once."""
    raw = am.dumps(mixed_history(60), LG)

    def both(_: int) -> bytes:
        return am.dumps(am.loads(raw, FAST), FAST)

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(both, range(40))) == {raw}


def test_lists_that_json_holds_stay_json() -> None:
    """The older type has no short way: its bytes are JSON."""
    raw = LangGraphCodec(wire="json").to_bytes(am.History([am.Msg.user("x")]))
    assert parse_json(raw)
    assert am.dumps(am.loads(raw, FAST), FAST) == raw
