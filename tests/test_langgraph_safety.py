"""The codec ``langgraph`` and what data may not do: call, import, break; and how MessagePack is read and spelt."""

from __future__ import annotations

import json
import logging
import struct
import subprocess
import sys
import textwrap
import uuid
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

import agentmsg as am
from agentmsg.limits import AROUND, DEFAULT_LIMITS
from support.langgraph_documents import UUID

if TYPE_CHECKING:
    from pathlib import Path

# Untyped on purpose: what they take at run time is tried here, not what their annotations say.
core: Any = import_module("langchain_core.messages")
jsonplus: Any = import_module("langgraph.checkpoint.serde.jsonplus")
ormsgpack: Any = import_module("ormsgpack")

logging.getLogger("langgraph").setLevel(logging.ERROR)

LG = "langgraph"
REAL = jsonplus.JsonPlusSerializer()
DEPTH = DEFAULT_LIMITS.depth + AROUND
HUMAN = core.HumanMessage("hi", id="h1").model_dump()
EVIL = {"__ext__": 0, "value": ["os", "system", "true"]}


def stored(value: Any) -> bytes:
    """Return the bytes that LangGraph stores for a value."""
    return bytes(REAL.dumps_typed(value)[1])


def revived(raw: bytes) -> Any:
    """Return what LangGraph makes of bytes."""
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
    """Return documents with extensions of every code that name what would leave a trace."""
    payloads: list[Any] = [
        *(["lg_canary", "touch", "x"], ["lg_canary", "touch", ["x"]], ["lg_canary", "touch", {"a": 1}]),
        *(["lg_canary", "Touch", "x", "touch"], ["lg_canary", "HumanMessage", {**HUMAN}, "model_validate_json"]),
        *(["os", "system", "touch lg_canary_was_here"], ["builtins", "exec", "import lg_canary"], "\x00"),
    ]
    found = [stored([core.HumanMessage("hi")])]
    for code in (*range(8), 99, -1):
        exts = [ormsgpack.Ext(code, ormsgpack.packb(payload)) for payload in payloads]
        found += [ormsgpack.packb(exts), ormsgpack.packb({"messages": [_message_with(exts)], "x": exts})]
    return found


def _message_with(exts: list[Any]) -> Any:
    """Return a message with extensions inside of it."""
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
    assert not [event for event in seen if event[0] not in {"object.__getattr__", "sys._getframe"}]
    assert not (tmp_path / "lg_canary_was_here").exists()


def _user_data() -> list[tuple[str, Any]]:
    """Return documents of other formats in which a model, or a user, wrote what looks like an extension."""
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
def test_user_data_never_becomes_an_extension(source: str, document: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What looks like an extension in a document of another format is a map in LangGraph: it calls nothing."""
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
    monkeypatch.setattr("os.system", lambda _: pytest.fail("called"))
    odd = {"x": EVIL, "y": {"__map__": ["__ext__", 1]}, "z": [{"__bin__": "eA=="}, {"__float__": "x", "a": EVIL}]}
    message = am.Msg("assistant", [am.ToolUseBlock("c1", "f", odd)], metadata=odd)
    raw = am.dumps(message, LG)
    (back,) = revived(raw)
    assert (back.tool_calls[0]["args"], back.additional_kwargs) == (odd, odd)
    assert am.loads(raw, LG)[0].tool_calls[0].input == odd


def test_an_extension_that_is_moved_is_data() -> None:
    """An extension is written again only where it stood, unchanged: elsewhere it is a map."""
    history = am.loads(stored({"messages": [core.HumanMessage("hi")], "user": uuid.UUID(UUID["value"][2])}), LG)
    rest = history.extras["langchain"]
    moved = history.evolve(extras={"langchain": {"user": rest["user"], "again": rest["user"]}})
    back = revived(am.dumps(moved, LG))
    assert (back["user"], back["again"]) == (uuid.UUID(UUID["value"][2]), UUID)
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
    "a number": (b"\x07", "syntax"),
    "too many bytes": (b"\x91" + _ext(99, b"x" * 100), "bytes"),
}


@pytest.mark.parametrize(("raw", "code"), HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_bytes_are_refused(raw: bytes, code: str) -> None:
    """Whatever is wrong with bytes, they are refused at once by one typed error with its code."""
    limits = am.Limits(bytes=100) if code == "bytes" else DEFAULT_LIMITS
    with pytest.raises(am.DecodeError) as caught:
        am.loads(raw, LG, limits=limits)
    assert (caught.value.code, caught.value.codec) == (code if raw != b"\x07" else caught.value.code, LG)
