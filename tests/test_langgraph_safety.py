"""The codec ``langgraph`` and what data must not do: call, import, crash; and how MessagePack is read and spelt."""

from __future__ import annotations

import datetime as dt
import json
import logging
import random
import struct
import subprocess
import sys
import textwrap
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.limits import AROUND, DEFAULT_LIMITS
from agentmsg_codecs.langchain.langgraph.tree import pack, read_tree, unpack, write_tree
from support.documents import documents
from support.langgraph_documents import extension

if TYPE_CHECKING:
    from pathlib import Path

# Untyped on purpose: this tests what they accept at run time, not their annotations.
core: Any = import_module("langchain_core.messages")
jsonplus: Any = import_module("langgraph.checkpoint.serde.jsonplus")
ormsgpack: Any = import_module("ormsgpack")

logging.getLogger("langgraph").setLevel(logging.ERROR)

LG: Final = "langgraph"
REAL = jsonplus.JsonPlusSerializer()
DEPTH = DEFAULT_LIMITS.depth + AROUND
HUMAN: dict[str, Any] = core.HumanMessage("hi", id="h1").model_dump()
EVIL: dict[str, Any] = {"__ext__": 0, "value": ["os", "system", "true"]}


def stored(value: Any) -> bytes:
    """Return the bytes that LangGraph stores for a value."""
    return bytes(REAL.dumps_typed(value)[1])


def revived(raw: bytes) -> Any:
    """Return the value that LangGraph loads from bytes."""
    return REAL.loads_typed(("msgpack", raw))


# -- nothing is called ------------------------------------------------------------------------------------------------

CANARY = """
    import json, sys
    import agentmsg as am
    from agentmsg_codecs.langchain.langgraph import loads_typed
    documents = [bytes.fromhex(line) for line in sys.stdin.read().split()]
    for name in ("json", "msgpack", "openai", "langgraph"):  # what our own code imports on first use
        am.dumps(am.loads(documents[0], "langgraph"), name, losses=[])
    seen = []
    armed = False
    sys.addaudithook(lambda event, args: seen.append((event, str(args)[:99])) if armed else None)
    armed = True
    for raw in documents:
        history = am.loads(raw, "langgraph")
        assert am.dumps(history, "langgraph") == raw
        for name in ("json", "msgpack", "openai"):
            am.dumps(history, name, losses=[])
    armed = False
    print(json.dumps([len(documents), seen, "lg_canary" in sys.modules]))
"""


def _hostile() -> list[bytes]:
    """Return documents with extensions of every code whose names would leave a trace when called."""
    payloads: list[Any] = [
        *(["lg_canary", "touch", "x"], ["lg_canary", "touch", ["x"]], ["lg_canary", "touch", {"a": 1}]),
        *(["lg_canary", "Touch", "x", "touch"], ["lg_canary", "HumanMessage", {**HUMAN}, "model_validate_json"]),
        *(["os", "system", "touch lg_canary_was_here"], ["builtins", "exec", "import lg_canary"], "\x00"),
    ]
    plain = ormsgpack.Ext(0, ormsgpack.packb(["app", "Thing", "x"]))
    found = [ormsgpack.packb({"messages": [plain, _message_with([plain])], "x": plain})]
    for code in (*range(8), 99, 127):
        exts = [ormsgpack.Ext(code, ormsgpack.packb(payload)) for payload in payloads]
        found += [ormsgpack.packb(exts), ormsgpack.packb({"messages": [_message_with(exts)], "x": exts})]
    return found


def _message_with(exts: list[Any]) -> Any:
    """Return a message with extensions inside."""
    body = {**HUMAN, "additional_kwargs": {"x": exts}}
    return ormsgpack.Ext(5, ormsgpack.packb(["lg_canary", "HumanMessage", body, "model_validate_json"]))


def test_nothing_that_a_document_names_is_imported_or_called(tmp_path: Path) -> None:
    """Reading and converting import no module, open no file, run no code and start no process, whatever data names."""
    (tmp_path / "lg_canary.py").write_text("open('lg_canary_was_here', 'w').close()\n")
    lines = "\n".join(raw.hex() for raw in _hostile())
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(CANARY)],
        input=lines, capture_output=True, text=True, check=False, cwd=tmp_path, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    count, seen, imported = json.loads(done.stdout)
    assert count == len(lines.split())
    assert not imported
    # Attributes and addresses of our own objects have no effect.
    assert not [event for event in seen if not event[0].startswith(("object.", "builtins.id"))]
    assert not (tmp_path / "lg_canary_was_here").exists()


def _user_data() -> list[tuple[str, Any]]:
    """Return documents of other formats in which a model, or a user, wrote lookalikes of an extension."""
    arguments = json.dumps({"x": EVIL})
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": arguments}}
    human = {
        **HUMAN,
        "additional_kwargs": {"x": [EVIL]},
        "content": [{"type": "text", "text": "x", "extras": EVIL}, EVIL],
    }
    return [
        ("openai", [{"role": "assistant", "content": None, "tool_calls": [call]}]),
        ("langchain", [human, {**HUMAN, **EVIL}]),
        ("langchain", [{**HUMAN, "type": "human", "content": 3, **EVIL}]),
        ("langchain", {"messages": [human], "x": EVIL, "y": [EVIL]}),
        ("langchain", {"messages": [human], **EVIL}),
        ("langchain-lc", [{"lc": 1, "type": "not_implemented", "id": ["x"], "repr": None, **EVIL}]),
    ]


@pytest.mark.parametrize(("source", "document"), _user_data())
def test_user_data_never_becomes_an_extension(
    source: am.CodecName, document: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lookalike of an extension in another format's document is a map in LangGraph: it calls nothing."""
    called: list[Any] = []
    monkeypatch.setattr("os.system", called.append)
    history = am.decode(document, source)
    raw = am.dumps(history, LG, losses=[])
    revived(raw)
    assert not called
    revived(am.dumps(am.loads(raw, LG), LG))
    assert not called
    assert am.same(am.loads(raw, LG), am.loads(am.dumps(am.loads(raw, LG), LG), LG))


def test_user_data_loads_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arguments with keys like those of our table are the same in LangGraph, and come back."""
    monkeypatch.setattr("os.system", pytest.fail)
    odd = {"x": EVIL, "y": {"__map__": ["__ext__", 1]}, "z": [{"__bin__": "eA=="}, {"__float__": "x", "a": EVIL}]}
    message = am.Msg("assistant", [am.ToolUseBlock("c1", "f", odd)], metadata=odd)
    raw = am.dumps(message, LG)
    (back,) = revived(raw)
    assert (back.tool_calls[0]["args"], back.additional_kwargs) == (odd, odd)
    assert am.loads(raw, LG)[0].tool_calls[0].input == odd


def test_an_extension_that_is_moved_is_data() -> None:
    """An extension is written again only in its own place, unchanged: elsewhere it is a map."""
    history = am.loads(stored({"messages": [core.HumanMessage("hi")], "user": dt.timedelta(days=1)}), LG)
    rest: Any = history.extras["langchain"]
    moved = history.evolve(extras={"langchain": {"user": rest["user"], "again": rest["user"]}})
    back = revived(am.dumps(moved, LG))
    assert (back["user"], back["again"]) == (dt.timedelta(days=1), am.thaw(rest["user"]))
    changed = history.evolve(extras={"langchain": {"user": EVIL}})
    assert revived(am.dumps(changed, LG))["user"] == EVIL


# -- hostile bytes ----------------------------------------------------------------------------------------------------

TEXT = b"\xa8messages"


def _ext(code: int, payload: bytes) -> bytes:
    return b"\xc9" + struct.pack(">Ib", len(payload), code) + payload


def _nested(levels: int) -> bytes:
    raw = b"\xc0"
    for _ in range(levels):
        raw = _ext(0, raw)
    return raw


HOSTILE = {
    "arrays in arrays": (b"\x91" * 100_000 + b"\xc0", "depth"),
    "maps in maps": (b"\x81\xa1a" * 100_000 + b"\xc0", "depth"),
    "extensions in extensions": (_nested(3_000), "depth"),
    "depth inside of a message": (b"\x81" + TEXT + b"\x91" + _ext(5, b"\x91" * 5_000), "depth"),
    "a huge extension": (b"\xc9\xff\xff\xff\xff\x05", "syntax"),
    "an extension longer than what is around it": (_ext(5, b"\x92\xc7\xff\x05\xc0\xc0"), "syntax"),
    "a huge array": (b"\xdd\xff\xff\xff\xff", "syntax"),
    "huge arrays in arrays": (b"\xdd\x00\x0f\xff\xff" * 200 + b"\xc0" * 0x0FFFFF, "syntax"),
    "a huge map": (b"\xdf\xff\xff\xff\xff", "syntax"),
    "a huge text": (b"\xdb\xff\xff\xff\xff", "syntax"),
    "huge binary": (b"\xc6\xff\xff\xff\xff", "syntax"),
    "bytes behind": (stored([core.HumanMessage("x")]) + b"\xc0", "syntax"),
    "bytes behind in an extension": (b"\x91" + _ext(0, b"\xc0\xc0"), "syntax"),
    "an empty extension": (b"\x91" + _ext(5, b""), "syntax"),
    "cut": (stored([core.HumanMessage("x")])[:-1], "syntax"),
    "nothing": (b"", "syntax"),
    "bad UTF-8": (b"\x91\xa2\xff\xfe", "syntax"),
    "bad UTF-8 in an extension": (b"\x91" + _ext(0, b"\xa2\xff\xfe"), "syntax"),
    "a surrogate in UTF-8": (b"\x91\xa3\xed\xa0\x80", "syntax"),
    "a byte that MessagePack has not": (b"\x91\xc1", "syntax"),
    "a key twice": (b"\x82" + TEXT + b"\x90" + TEXT + b"\x90", "duplicate-key"),
    "a key twice in an extension": (b"\x91" + _ext(2, b"\x82\xa1a\x01\xa1a\x02"), "duplicate-key"),
    "a key twice for Python": (b"\x91\x82\x01\xc0\xc3\xc0", "duplicate-key"),
    "a map as key": (b"\x91\x81\x80\xc0", "key"),
    "a number": (b"\x07", "schema"),
    "too many bytes": (b"\x91" + _ext(99, b"x" * 100), "bytes"),
}


@pytest.mark.parametrize(("raw", "code"), HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_bytes_are_refused(raw: bytes, code: str) -> None:
    """Any invalid bytes are refused at once with one typed error and its code."""
    limits = am.Limits(bytes=100) if code == "bytes" else DEFAULT_LIMITS
    with pytest.raises(am.DecodeError) as caught:
        am.loads(raw, LG, limits=limits)
    assert (caught.value.code, caught.value.codec) == (code, LG)


def test_an_object_that_only_looks_like_an_extension_is_refused() -> None:
    """Plain data that claims to be MessagePack, without content, is refused when read: it has no bytes."""
    wrong: list[Any] = [
        *({"__ext__": 5}, {"__ext__": 300, "bytes": ""}, {"__ext__": 99, "bytes": "?"}, {"__bin__": 1}),
        *({"__float__": "cb3ff0000000000000"}, {"__float__": "x"}, {"__map__": [1]}, {"__wire__": "msgpack"}),
    ]
    for odd in wrong:
        for document in (
            {"messages": [extension(HUMAN)], "x": [odd]},
            [extension({**HUMAN, "additional_kwargs": {"x": odd}})],
            [{"type": "human", "content": "x", "id": odd}],
        ):
            with pytest.raises(am.DecodeError) as caught:
                am.decode(document, LG)
            assert (caught.value.code, caught.value.codec) == ("type", LG)


@pytest.mark.parametrize(
    "odd",
    [
        {"__wire__": "json", "value": []},
        {"__wire__": "msgpack", "value": [extension(HUMAN)]},
        {"__wire__": "msgpack", "value": [extension(HUMAN)], "spelling": []},
        {"__wire__": "msgpack", "value": [extension(HUMAN)], "spelling": [[0, 256]]},
        {"__wire__": "msgpack", "value": [extension(HUMAN)], "spelling": [[0, 221]], "more": 1},
    ],
)
def test_a_wrapper_that_is_not_needed_is_refused(odd: Any) -> None:
    """Values around MessagePack that we wouldn't write are refused: they couldn't come back."""
    with pytest.raises(am.DecodeError) as caught:
        am.decode(odd, LG)
    assert caught.value.code == "type"


# -- spellings of MessagePack -----------------------------------------------------------------------------------------


def packed(value: Any) -> bytes:
    """Return a value as bytes of LangGraph's library."""
    return bytes(ormsgpack.packb(value, option=ormsgpack.OPT_NON_STR_KEYS))


KEYS = st.text(max_size=5) | st.sampled_from(["__ext__", "__map__", "__wire__", "value"])
TREES = st.recursive(
    st.one_of(
        *(st.none(), st.booleans(), st.integers(-(2**63), 2**64 - 1), st.floats(), st.text(), st.binary(max_size=40)),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=20),
        st.dictionaries(KEYS, inner, max_size=20),
        st.dictionaries(KEYS | st.integers(0, 300) | st.none() | st.binary(), inner, max_size=4),
        st.builds(ormsgpack.Ext, st.integers(0, 7), inner.map(packed)),
        st.builds(ormsgpack.Ext, st.integers(8, 127), st.binary(max_size=20)),
    ),
    max_leaves=20,
)


@given(TREES)
def test_both_readers_and_writers_agree(value: Any) -> None:
    """The output of LangGraph's library is read the same by both readers, is JSON, and both writers return it."""
    raw = packed(value)
    slow, marks = read_tree(raw, DEPTH)
    assert not marks
    assert repr(unpack(raw, DEPTH)) == repr((slow, marks))
    json.dumps(slow, allow_nan=False)
    assert pack(slow) == raw
    assert write_tree(slow) == raw


def _respelt(raw: bytes, rng: random.Random) -> bytes:
    """Return MessagePack with some of its values spelt longer than needed."""
    tree, _ = read_tree(raw, DEPTH)
    wide = [0xC6, 0xC9, 0xCA, 0xCD, 0xCF, 0xD2, 0xD3, 0xD9, 0xDA, 0xDB, 0xDC, 0xDD, 0xDE, 0xDF]
    return write_tree(tree, [[number, rng.choice(wide)] for number in range(200) if rng.random() < 0.5])


def test_other_spellings_come_back_exactly() -> None:
    """MessagePack in other spellings than LangGraph's is read the same, and returned until it is edited."""
    rng = random.Random(1)
    tried = 0
    sources = documents(LG)[::5]
    for name, document in sources:
        usual = am.get_codec(LG).render(document)
        if name.startswith("JSON") or "spelt" in name:
            continue
        raw = _respelt(usual, rng)
        history, plain = am.loads(raw, LG), am.loads(usual, LG)
        assert am.same(history, plain)
        assert am.dumps(history, LG) == raw
        assert am.dumps(am.loads(am.dumps(history, "json"), "json"), LG) == raw
        more = am.Msg.user("more")
        assert am.dumps(history.extended(more), LG) == am.dumps(plain.extended(more), LG)
        tried += raw != usual
    assert tried * 2 > len(sources)


def test_wide_containers_come_back() -> None:
    """Lists and maps of more items than two bytes count are returned."""
    for value in (list(range(70_000)), {str(key): key for key in range(70_000)}):
        raw = stored({"messages": [core.HumanMessage("x")], "wide": value})
        assert am.dumps(am.loads(raw, LG), LG) == raw


def test_limits_count_for_both_readers() -> None:
    """A caller's depth is the limit of the whole document, also inside extensions."""
    raw = stored([core.ToolMessage("x", tool_call_id="c", artifact=[[[[1]]]])])
    assert am.loads(raw, LG, limits=am.Limits(depth=12))
    with pytest.raises(am.DecodeError) as caught:
        am.loads(raw, LG, limits=am.Limits(depth=5))
    assert caught.value.code == "depth"
