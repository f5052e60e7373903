"""Bytes that version 1 once wrote: every later version reads them, and writes them again.

Since extras are stored by family in alphabetical order (``v1_sorted``), those in another order (``v1``) come back as
the same documents, in the new order.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import msgpack
import orjson
import pytest

import agentmsg as am
from agentmsg.formats import same_document
from support.grand_tour import grand_tour

STORED = Path(__file__).parent / "stored"
FOLDERS = ("v1", "v1_sorted")
CODECS: tuple[am.CodecName, ...] = ("json", "msgpack")


def _notes(history: am.History) -> list[object]:
    """Return the notes of all messages and blocks, which ``same`` ignores."""
    return [
        history.notes,
        *(message.notes for message in history),
        *(block.notes for message in history for block in message.content),
    ]


def _stored(folder: str, codec: am.CodecName) -> bytes:
    return (STORED / folder / f"grand_tour.{codec}").read_bytes()


def _is_stored(written: bytes, folder: str, codec: am.CodecName) -> bool:
    """Whether bytes are the stored ones; from before families were sorted, whether they are the same document."""
    stored = _stored(folder, codec)
    if folder == "v1_sorted":
        return written == stored
    plain: Any = orjson.loads if codec == "json" else cast("Any", msgpack).unpackb
    return same_document(plain(written), plain(stored))


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("codec", CODECS)
def test_stored_bytes_are_read(codec: am.CodecName, folder: str) -> None:
    """The stored bytes read as the grand tour, notes included."""
    history = am.loads(_stored(folder, codec), codec)
    assert am.same(history, grand_tour())
    own = [{key: note for key, note in dict(notes).items() if key != codec} for notes in _notes(history)]  # type: ignore[call-overload]
    assert own == _notes(grand_tour())


@pytest.mark.parametrize("codec", CODECS)
def test_stored_bytes_are_written(codec: am.CodecName) -> None:
    """The grand tour is written as the stored bytes, down to the last one."""
    assert am.dumps(grand_tour(), codec) == _stored("v1_sorted", codec)


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("codec", CODECS)
def test_stored_bytes_come_back(codec: am.CodecName, folder: str) -> None:
    """Stored bytes come back exactly, also after a conversion to the other form."""
    history = am.loads(_stored(folder, codec), codec)
    other: am.CodecName = "msgpack" if codec == "json" else "json"
    assert _is_stored(am.dumps(history, codec), folder, codec)
    assert _is_stored(am.dumps(am.loads(am.dumps(history, other), other), codec), folder, codec)


def _answer(**fields: Any) -> Any:
    return {"agentmsg": 1, "messages": [{"role": "assistant", "content": "Yes", **fields}]}


# What versions stored that had no field for the provider, and what of the document it must become again.
BEFORE_PROVIDERS: list[tuple[am.CodecName, Any, str]] = [
    (
        "langchain",
        _answer(response_metadata={"model_provider": "google_genai", "safety": 1}),
        '"response_metadata":{"safety":1,"model_provider":"google_genai"}',
    ),
    (
        "langchain",
        _answer(
            content=[
                {"type": "thinking", "thinking": "One\n\nTwo", "item_id": "rs_1",
                 "notes": {"langchain": {"/cuts": [3, 3], "/shape": "summary"}}},
            ],
            response_metadata={"model_provider": "openai"},
        ),
        '"summary":[{"type":"summary_text","text":"One"},{"type":"summary_text","text":"Two"}]',
    ),
    ("pydantic-ai", _answer(extras={"pydantic-ai": {"provider_name": "google-gla"}}), '"provider_name":"google-gla"'),
    (
        "pydantic-ai",
        _answer(content=[{"type": "image", "source": {"type": "base64", "data": "-_-_", "media_type": "image/png"}}]),
        '"data":"-_-_"',
    ),
]  # fmt: skip


_SERVER = {"type": "tool_use", "name": "ask", "id": "mcp_1", "item_id": "mcp_1", "input": {}, "kind": "server"}
_WIKI: dict[str, Any] = {"provider": "openai", "extras": {"openai-responses": {"server_label": "wiki"}}}
_FOUND = {
    "type": "tool_use",
    "name": "f",
    "id": "c",
    "raw_input": "{}",
    "extras": {"openai-responses": {"namespace": "n"}},
}
_WORDS = {"type": "thinking", "thinking": "Hm", "item_id": "rs_1", "notes": {"openai-responses": {"/raw": True}}}
# What versions stored whose calls had no server and no namespace, and whose thinking wasn't known to be raw.
BEFORE_FIELDS: list[tuple[am.CodecName, Any, str]] = [
    (
        "anthropic",
        {**_SERVER, "provider": "anthropic", "extras": {"anthropic": {"server_name": "wiki", "caller": {"type": "x"}}}},
        '"type":"mcp_tool_use","id":"mcp_1","name":"ask","server_name":"wiki","input":{},"caller":{"type":"x"}',
    ),
    ("openai-responses", {**_SERVER, **_WIKI}, '"type":"mcp_call","name":"ask","server_label":"wiki"'),
    ("openai-responses", _FOUND, '"namespace":"n"'),
    ("openai-responses", _WORDS, '"content":[{"type":"reasoning_text","text":"Hm"}]'),
    ("pydantic-ai", {**_SERVER, **_WIKI}, '"tool_name":"mcp_server:wiki"'),
    ("vercel", {**_SERVER, **_WIKI}, '"serverLabel":"wiki"'),
    ("vercel", _FOUND, '"namespace":"n"'),
    ("agentscope", _WORDS, '"reasoning_text"'),
    ("langchain", {**_SERVER, **_WIKI}, '"server_label":"wiki"'),
]


@pytest.mark.parametrize(("codec", "stored", "wanted"), BEFORE_FIELDS)
def test_what_was_stored_before_a_value_had_a_field(codec: am.CodecName, stored: Any, wanted: str) -> None:
    """It is written as it was, and means what it meant."""
    document = _answer(content=[stored])
    document["messages"][-1] |= {"provider": stored.get("provider", "openai")}
    if codec not in ("anthropic", "openai-responses"):
        document["messages"][-1] |= {"api": "responses"}
    for canonical in CODECS:
        history = am.loads(am.dumps(am.decode(document, "json"), canonical), canonical)
        assert am.encode(history, "json") == document
        assert wanted in am.dumps(history, codec, on_loss="ignore").decode()
        block: Any = history[-1].content[0]
        changed = history.replace(-1, history[-1].with_content([block.evolve(extras={}, notes={})]))
        assert am.loads(am.dumps(changed, canonical), canonical) == changed


@pytest.mark.parametrize(("codec", "stored", "wanted"), BEFORE_PROVIDERS)
def test_what_was_stored_before_messages_had_a_provider(codec: am.CodecName, stored: Any, wanted: str) -> None:
    """It is written as the document that it was."""
    written = am.dumps(am.decode(stored, "json"), codec, on_loss="ignore").decode()
    assert wanted in written
    assert am.dumps(am.loads(written, codec), codec).decode() == written
