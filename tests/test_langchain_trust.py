"""The codecs ``langchain``, ``langchain-lc`` and ``langgraph``: nothing in a document is hidden or lost silently.

Each document comes back exactly; an unknown word is in the model or in a loss, never in a note alone.
"""

from __future__ import annotations

import base64
import copy
import json
import random
from typing import TYPE_CHECKING, Any

import pytest

import agentmsg as am
from agentmsg.formats.spelling import same_document
from agentmsg.values.frozen import thaw
from agentmsg.values.types import is_list, is_object
from agentmsg_codecs.langchain.messages.fields import FIELDS, KINDS
from data import effort, shared_dir
from support.documents import documents

if TYPE_CHECKING:
    from collections.abc import Iterator

WORD = "zq-nobody-knows-this"
CODECS = ("langchain", "langchain-lc", "langgraph")
DAMAGED = effort(300)


def native(tag: str, content: Any = "hi", **fields: Any) -> dict[str, Any]:
    """Return a message as messages_to_dict writes it."""
    fields_of: dict[str, dict[str, Any]] = {
        "ai": {"tool_calls": [], "invalid_tool_calls": [], "usage_metadata": None},
        "tool": {"tool_call_id": "c1", "artifact": None, "status": "success"},
        "chat": {"role": "moderator"},
    }
    own = fields_of.get(tag, {})
    data: dict[str, Any] = {
        "content": content,
        "additional_kwargs": {},
        "response_metadata": {},
        "type": tag,
        "name": None,
        "id": None,
    }
    return {"type": tag, "data": {**data, **own, **fields}}


def returned(document: Any, codec: am.CodecName = "langchain") -> am.History:
    """Check that a document fits and comes back exactly, and return its history."""
    history = am.decode(copy.deepcopy(document), codec)
    losses: list[am.Loss] = []
    assert same_document(thaw(am.encode(history, codec, losses=losses)), document)
    assert losses == []
    return history


def said(history: am.History) -> str:
    """Return the model as text, without notes."""
    return json.dumps(without_notes(thaw(am.encode(history, "json"))))


def without_notes(value: Any) -> Any:
    """Return plain data without keys ``notes``."""
    if is_object(value):
        return {key: without_notes(item) for key, item in value.items() if key != "notes"}
    return list(map(without_notes, value)) if is_list(value) else value


# -- only the object's own keys are known -----------------------------------------------------------------------------

KEYS = {kind: frozenset(FIELDS[kind]) for kind in dict.fromkeys(KINDS.values())}
_ALL_KEYS = frozenset(key for keys in KEYS.values() for key in keys)
SIBLINGS = [(tag, key) for tag in KEYS for key in sorted(_ALL_KEYS - KEYS[tag] - {"role", "content"})]


@pytest.mark.parametrize(("tag", "key"), SIBLINGS)
def test_what_only_a_sibling_knows_is_an_extra(tag: str, key: str) -> None:
    """A field of another kind of message is unknown here: it stays, in extras, whatever it holds."""
    content = "" if tag == "remove" else "hi"
    for value in (WORD, {"x": WORD}, [WORD], None, [], ""):
        (message,) = returned([native(tag, content, **{key: value})])
        assert message.extras["langchain"] == {key: value}


def test_a_function_message_keeps_its_error() -> None:
    """The text of an error is written as content if a function message has no other place for it."""
    converted = am.convert([native("function", "", name="f", error=WORD)], "langchain", "openai")
    assert [(loss.level, loss.was) for loss in converted.losses if loss.kind == "dropped"]
    assert any(loss.level == "content" for loss in converted.losses)


# -- a note says how the same meaning was spelt, and nothing else --------------------------------------------------

CALL = {"name": "f", "args": {"a": 1}, "id": "c1", "type": "tool_call"}
USE = {"type": "tool_use", "id": "c1", "name": "f", "input": {"b": 2}}
ODD_FIELDS: list[tuple[str, dict[str, Any], Any]] = [
    *(
        (tag, {key: odd}, "hi")
        for tag in ("human", "ai", "tool", "system")
        for key in ("name", "id", "additional_kwargs", "response_metadata")
        for odd in ({"x": [WORD]}, 7, [WORD], True)
        if not (isinstance(odd, dict) and key.endswith(("kwargs", "metadata")))
    ),
    *(("tool", {key: odd}, "hi") for key in ("tool_call_id", "status", "error") for odd in ({"x": WORD}, 5, [WORD])),
    *(("ai", {"usage_metadata": odd}, "hi") for odd in (WORD, [WORD], 3)),
    ("ai", {"usage_metadata": {"input_tokens": WORD, "output_tokens": 2, "total_tokens": 3}}, "hi"),
    ("ai", {"usage_metadata": {"input_token_details": {"cache_read": WORD, "audio": 2}}}, "hi"),
    ("ai", {"usage_metadata": {"output_token_details": [WORD]}}, "hi"),
    ("ai", {"tool_calls": WORD}, "hi"),
    ("ai", {"tool_calls": [{**CALL, "index": WORD}]}, "hi"),
    ("ai", {"tool_calls": [{**CALL, "args": WORD}]}, "hi"),
    ("ai", {"tool_calls": [{**CALL, "name": {"x": WORD}}]}, "hi"),
    ("ai", {"tool_calls": [{**CALL, "id": [WORD]}]}, "hi"),
    ("ai", {"tool_calls": [CALL]}, [{**USE, "input": {"b": WORD}}]),
    ("ai", {"tool_calls": [CALL]}, [{**USE, "name": WORD}]),
    ("tool", {"status": "cancelled"}, "hi"),
]


@pytest.mark.parametrize(("tag", "fields", "content"), ODD_FIELDS, ids=str)
def test_odd_values_are_no_notes(tag: str, fields: dict[str, Any], content: Any) -> None:
    """A value without a meaning under its key stays in the model, and the rest of the message is read."""
    history = returned([native(tag, content, **fields)])
    assert history[0].role != "native"
    assert WORD not in json.dumps(fields) + json.dumps(content) or WORD in said(history)
    if content == "hi":
        assert history[0].text == "hi"


ODD_PARTS: list[dict[str, Any]] = [
    {"cache_control": "x"},
    {"cache_control": {"type": "ephemeral", "ttl": 5, "scope": WORD}},
    {"extras": WORD},
    {"extras": {"signature": {"x": WORD}, "phase": 3}},
    {"id": {"x": WORD}},
    {"annotations": WORD},
    {"index": [WORD]},
    *({key: [{"documentIndex": 0, "text": WORD}, good]} for key in ("citations", "annotations") for good in (
        {"type": "char_location", "cited_text": "a", "document_index": 0, "document_title": "D",
         "start_char_index": 0, "end_char_index": 1},
    )),
    {"citations": [{"start": 0, "end": 5, "text": "hello", "document_ids": [WORD]}]},
    {"citations": [WORD, None, {"type": "char_location", "cited_text": {"x": WORD}}]},
    {"annotations": [{"type": "citation", "url": 5, "title": "T", "start_index": WORD}, {"url": "u"}]},
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD_PARTS, ids=str)
def test_odd_values_of_parts_are_no_notes(odd: dict[str, Any]) -> None:
    """A text with something odd beside it is that text; the oddity is an extra, and valid parts beside it are read."""
    history = returned([native("human", [{"type": "text", "text": "hello", **odd}])])
    (block,) = history[0].content
    assert isinstance(block, am.TextBlock)
    assert WORD not in json.dumps(odd) or WORD in said(history)
    if "char_location" in str(odd) and "documentIndex" in str(odd):
        assert [(citation.kind, citation.cited_text) for citation in block.citations] == [
            (None, None),
            ("char_location", "a"),
        ]


def test_the_pieces_in_a_stored_chunk_are_told() -> None:
    """Pieces that repeat the calls belong to them; any others are extras, and are lost as content."""
    piece = {"name": "f", "args": '{"a":1}', "id": "c1", "index": 0, "type": "tool_call_chunk"}
    own = {"tool_calls": [CALL], "chunk_position": "last"}
    chunk = native("AIMessageChunk", "", invalid_tool_calls=[], usage_metadata=None, **own)
    (message,) = returned([{**chunk, "data": {**chunk["data"], "tool_call_chunks": [piece]}}])
    assert message.extras == {}
    odd = {**chunk, "data": {**chunk["data"], "tool_call_chunks": [{**piece, "id": "c2", "args": WORD}]}}
    extras: Any = returned([odd])[0].extras["langchain"]
    assert extras["tool_call_chunks"]
    assert any(loss.level == "content" for loss in am.convert([odd], "langchain", "openai").losses)


@pytest.mark.parametrize("key", ["finish_reason", "stop_reason"])
def test_finish_reasons_map_one_to_one(key: str) -> None:
    """No two native words under one key map to one word of ours, unless they mean the same."""
    words = ("model_context_window_exceeded", "stop_sequence", "OTHER", "function_call", "pause_turn", "eos")
    for word in words:
        (message,) = returned([native("ai", response_metadata={key: word})])
        assert message.finish_reason == word


# -- systematic damage ----------------------------------------------------------------------------------------------


def objects(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Yield each object of a document that isn't free-form data, with its path."""
    if is_object(value):
        yield path, value
        for key, item in value.items():
            if key not in {"args", "input", "artifact", "__ext__"}:
                yield from objects(item, (*path, key))
    elif is_list(value):
        for index, item in enumerate(value):
            yield from objects(item, (*path, index))


def damaged(document: Any, rng: random.Random) -> Any:
    """Return a copy of a document with another value, or one more key of a sibling, in one place."""
    other = copy.deepcopy(document)
    _, place = rng.choice(list(objects(other)))
    key = rng.choice([*place, "name", "status", "citations", "tool_calls", "cache_control", "id"])
    place[key] = rng.choice([WORD, {"x": WORD}, [WORD], [{"type": WORD}]])
    return other


@pytest.mark.parametrize("codec", CODECS)
def test_no_word_hides_in_notes(codec: am.CodecName) -> None:
    """Any value in any place of a document: it is refused, or returned exactly and in the model."""
    rng = random.Random(12)
    sources = [document for _, document in documents(codec) if len(json.dumps(document)) < 20_000]
    seen = 0
    for _ in range(DAMAGED):
        other = damaged(rng.choice(sources), rng)
        try:
            history = am.decode(copy.deepcopy(other), codec)
        except am.AgentMsgError:
            continue
        assert same_document(thaw(am.encode(history, codec)), other)
        assert WORD in said(history), other
        seen += 1
    assert seen > DAMAGED // 2


# -- Anthropic's own parts ------------------------------------------------------------------------------------------

PLACES = [
    {"type": "char_location", "cited_text": "a", "document_index": 0, "document_title": "D", "start_char_index": 0,
     "end_char_index": 1},
    {"type": "page_location", "cited_text": "a", "document_index": 0, "document_title": None, "start_page_number": 1,
     "end_page_number": 2},
    {"type": "content_block_location", "cited_text": "a", "document_index": 0, "document_title": "D",
     "start_block_index": 1, "end_block_index": 2},
    {"type": "web_search_result_location", "cited_text": "b", "url": "https://x.y", "title": "T",
     "encrypted_index": "e"},
    {"type": "search_result_location", "cited_text": "b", "source": "s", "title": "T", "search_result_index": 0,
     "start_block_index": 1, "end_block_index": 2},
]  # fmt: skip
SOURCE = {"type": "web_search_result", "url": "https://x.y", "title": "T", "encrypted_content": "c", "page_age": None}
DIRECT = {"caller": {"type": "direct"}}
CODE: dict[str, Any] = {"type": "code_execution_result", "stdout": "1", "stderr": "", "return_code": 0, "content": []}
FAILED = {"type": "web_fetch_tool_result_error", "error_code": "unavailable"}
ANSWER: list[dict[str, Any]] = [
    {"type": "thinking", "thinking": "hm", "signature": "sig"},
    {"type": "redacted_thinking", "data": "zz"},
    {"type": "text", "text": "See.", "citations": PLACES},
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}, **DIRECT},
    {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [SOURCE], **DIRECT},
    {"type": "server_tool_use", "id": "srvtoolu_2", "name": "code_execution", "input": {"code": "1"}},
    {"type": "code_execution_tool_result", "tool_use_id": "srvtoolu_2", "content": CODE},
    {"type": "server_tool_use", "id": "srvtoolu_3", "name": "web_fetch", "input": {"url": "u"}},
    {"type": "web_fetch_tool_result", "tool_use_id": "srvtoolu_3", "content": FAILED},
    {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "m", "server_name": "s", "input": {}},
    {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_1", "is_error": False,
     "content": [{"type": "text", "text": "ok"}]},
    {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}, "toolset_name": "t", **DIRECT},
]  # fmt: skip
CALLS = [{"name": "f", "args": {"a": 1}, "id": "toolu_1", "type": "tool_call"}]
BY_ANTHROPIC = {"model_provider": "anthropic"}


def answered(document: Any) -> Any:
    """Return the content that Anthropic gets for a document's one message, without any loss."""
    converted = am.convert(document, "langchain", "anthropic")
    assert [loss for loss in converted.losses if loss.level == "content"] == []
    (message,) = converted.document["messages"]
    return message["content"]


def test_anthropic_gets_its_own_blocks() -> None:
    """Anthropic's content, as LangChain stores it, becomes the original: server tools, citations, thinking."""
    document = [native("ai", ANSWER, tool_calls=CALLS, response_metadata=BY_ANTHROPIC)]
    returned(document)
    assert same_document(answered(document), ANSWER)


@pytest.mark.parametrize("begin", ["srvtoolu_", "x"])
def test_anthropic_gets_its_own_blocks_from_v1(begin: str) -> None:
    """The same as content blocks v1, as langchain-core itself translates them; the message names the provider."""
    core = pytest.importorskip("langchain_core.messages")
    told = core.AIMessage(copy.deepcopy(ANSWER), tool_calls=CALLS, response_metadata=BY_ANTHROPIC)
    content = json.loads(json.dumps(told.content_blocks).replace("srvtoolu_", begin))
    document = [native("ai", content, tool_calls=CALLS, response_metadata={**BY_ANTHROPIC, "output_version": "v1"})]
    returned(document)
    wanted = json.loads(json.dumps(ANSWER).replace("srvtoolu_", begin))
    assert same_document(answered(document), wanted)


def test_anthropics_requests_go_there_and_back() -> None:
    """Every golden Anthropic request comes back from LangChain with its messages unchanged."""
    for name, document in documents("anthropic"):
        if not name.startswith("golden anthropic/"):
            continue
        there = am.convert(document, "anthropic", "langchain")
        back = am.convert(there.document, "langchain", "anthropic")
        assert same_document(back.document["messages"], document["messages"]), name


SPELT_FOR_ANTHROPIC: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {"type": "reasoning", "reasoning": "hm", "extras": {"signature": "sig"}},
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
    ),
    ({"type": "thinking", "signature": "sig"}, {"type": "thinking", "thinking": "", "signature": "sig"}),
    (
        {"type": "text", "text": "a", "extras": {"cache_control": {"type": "ephemeral"}}},
        {"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}},
    ),
    (
        {"type": "tool_call", "id": "toolu_1", "name": "f", "args": {"a": 1}, "extras": {"toolset_name": "t"}},
        {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}, "toolset_name": "t"},
    ),
]


@pytest.mark.parametrize(("part", "wanted"), SPELT_FOR_ANTHROPIC)
def test_what_v1_says_in_extras_reaches_anthropic(part: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Signatures, cache hints and callers are in `extras` of v1, and in their own keys for Anthropic."""
    calls = CALLS if part["type"] == "tool_call" else []
    document = [native("ai", [part, {"type": "text", "text": "b"}], tool_calls=calls)]
    returned(document)
    assert same_document(answered(document)[0], wanted)


@pytest.mark.parametrize(
    ("word", "provider"),
    [("google_genai", "google"), ("google_vertexai", "google"), ("bedrock_converse", "bedrock"), ("openai", "openai")],
)
def test_a_signature_is_of_who_wrote_the_message(word: str, provider: str) -> None:
    """A signature in `extras` belongs to the message's provider, under the name that its own format has for it."""
    part = {"type": "reasoning", "reasoning": "hm", "extras": {"signature": "c2ln"}}
    document = [native("ai", [part, {"type": "text", "text": "a"}], response_metadata={"model_provider": word})]
    (message,) = returned(document)
    assert message.content[0].signature == am.Signature(provider, "c2ln")
    sent = am.convert(document, "langchain", "gemini").document["contents"][0]["parts"][0]
    assert sent.get("thoughtSignature") == ("c2ln" if provider == "google" else None)


def test_results_among_the_parts_of_a_human_message_keep_their_hint() -> None:
    """A tool_result with a cache hint is a tool message, and stays one for Anthropic."""
    part = {"type": "tool_result", "tool_use_id": "c1", "content": "1", "cache_control": {"type": "ephemeral"}}
    document = [native("ai", "", tool_calls=[CALL]), native("human", [part, {"type": "text", "text": "so"}])]
    assert [message.role for message in returned(document)] == ["assistant", "tool", "user"]
    assert am.convert(document, "langchain", "anthropic").document["messages"][1]["content"][0] == part


@pytest.mark.parametrize(
    "part",
    [
        {"type": "document", "source": {"type": "file", "file_id": "file_1"}, "citations": {"enabled": True}},
        {"type": "image", "source": {"type": "file", "file_id": "file_1"}},
        {"type": "container_upload", "file_id": "file_1"},
        {"type": "search_result", "source": "s", "title": "t", "content": [{"type": "text", "text": "x"}]},
        {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "x"}]}},
    ],
    ids=str,
)
def test_documents_of_anthropic_reach_it(part: dict[str, Any]) -> None:
    """A provider's file, a search result, a document of blocks: unchanged."""
    document = [native("human", [part, {"type": "text", "text": "read"}])]
    returned(document)
    assert same_document(answered(document)[0], part)


# -- OpenAI -------------------------------------------------------------------------------------------------------

LEGACY = {"function_call": {"name": "f", "arguments": '{"a": 1}'}}


def test_a_function_call_beside_tool_calls_is_the_same_call() -> None:
    """OpenAI's first generation repeats tool_calls in additional_kwargs."""
    (message,) = returned([native("ai", "", additional_kwargs=LEGACY, tool_calls=[CALL])])
    assert [call.id for call in message.tool_calls] == ["c1"]


def test_a_lone_function_call_has_the_id_of_its_result() -> None:
    """A call without id is the one that the next tool message answers; it is still written without."""
    document = [native("ai", "", additional_kwargs=LEGACY), native("tool", "r", tool_call_id="c9", name="f")]
    history = returned(document)
    assert (history[0].tool_calls[0].id, history[1].tool_call_id) == ("c9", "c9")
    messages = am.convert(document, "langchain", "openai").document["messages"]
    assert messages[0]["tool_calls"][0]["id"] == messages[1]["tool_call_id"] == "c9"


def test_openai_gets_names_and_breakpoints() -> None:
    """A file's name beside its data, and OpenAI's name for a cache hint, are read with their meaning."""
    named = {"type": "file", "base64": "aGk=", "mime_type": "application/pdf", "filename": "x.pdf"}
    marked = {"type": "text", "text": "a", "prompt_cache_breakpoint": {"mode": "explicit"}}
    document = [native("human", [marked, named])]
    returned(document)
    converted = am.convert(document, "langchain", "openai")
    text, file = converted.document["messages"][0]["content"]
    assert (text, file["file"]["filename"]) == (marked, "x.pdf")
    assert not converted.losses.content


# -- read documents fit their own format --------------------------------------------------------------------------


@pytest.mark.parametrize("status", [{}, {"status": None}, {"status": "error"}, {"status": "cancelled"}])
def test_results_with_an_error_come_back(status: dict[str, Any]) -> None:
    """A tool message with an error and no status doesn't become one with a status."""
    document = native("tool", "boom", error="boom")
    del document["data"]["status"]
    document["data"] |= status
    (message,) = returned([document])
    assert message.tool_results[0].status == status.get("status")


# -- LangGraph --------------------------------------------------------------------------------------------------------

ENVELOPE = {
    "lc": 1,
    "type": "constructor",
    "id": ["langchain", "schema", "messages", "HumanMessage"],
    "kwargs": {"content": "hi", "type": "human"},
}


def rows(name: str) -> list[bytes]:
    """Return the checkpoints in the golden tables of a saver."""
    text = (shared_dir() / "golden" / "langgraph_checkpoint" / name).read_text(encoding="utf-8")
    return [base64.b64decode(row[5]["b64"]) for row in json.loads(text)["checkpoints"]["rows"]]


def test_checkpoints_of_delta_channels_are_no_empty_histories() -> None:
    """A thread's first input is read; a checkpoint with its messages elsewhere, all or the older ones, reports it."""
    first, *others = rows("delta_channel_tables.json")
    history = am.loads(first, "langgraph")
    assert (len(history), am.dumps(history, "langgraph")) == (1, first)
    assert sum(b"HumanMessage" in raw for raw in others) == 1, "the input of the second turn is among them"
    for raw in others:
        with pytest.raises(am.DecodeError) as caught:
            am.loads(raw, "langgraph")
        assert (caught.value.code, caught.value.codec) == ("delta-channel", "langgraph")


def test_checkpoints_of_other_channels_are_read() -> None:
    """Each checkpoint of a thread without delta channels has its messages, and comes back unchanged."""
    for raw in rows("sqlite_tables.json"):
        history = am.loads(raw, "langgraph")
        assert len(history) > 0
        assert am.dumps(history, "langgraph") == raw


VERSIONS: dict[str, Any] = {"channel_versions": {"messages": 1}, "versions_seen": {}}
OLD: list[tuple[Any, list[str]]] = [
    ({"v": 1, "ts": "x", "channel_values": {"messages": []}, **VERSIONS}, []),
    ({"v": 1, "ts": "x", "id": "1", "channel_values": {"__start__": {"messages": []}}, **VERSIONS}, []),
    ([ENVELOPE, ["user", "x"]], ["user", "user"]),
    ({"messages": [["ai", "hi"], ENVELOPE, {"role": "user", "content": "q"}]}, ["assistant", "user", "user"]),
    ({"v": 1, "channel_values": {"messages": [ENVELOPE, ["ai", "x"]]}, **VERSIONS}, ["user", "assistant"]),
    (
        {"checkpoint": {"channel_values": {}, **VERSIONS}, "metadata": {"writes": {"messages": [ENVELOPE]}}},
        ["user"],
    ),
    (
        {
            "checkpoint": {"channel_values": {"messages": []}, **VERSIONS},
            "metadata": {"writes": {"messages": [ENVELOPE]}},
        },
        ["user"],
    ),
]


@pytest.mark.parametrize(("document", "roles"), OLD, ids=[str(number) for number in range(len(OLD))])
def test_old_checkpoints_without_envelopes_only_are_read(document: Any, roles: list[str]) -> None:
    """JSON of the first versions is read: without messages, with pairs among envelopes, and with a step's writes."""
    history = am.loads(json.dumps(document), "langgraph")
    assert [message.role for message in history] == roles
    assert same_document(json.loads(am.dumps(history, "langgraph")), document)
    longer = json.loads(am.dumps(history.extended(am.Msg.user("new")), "langgraph"))
    assert [message.text for message in am.decode(longer, "langgraph")][-1] == "new"
    returned(document, "langgraph")


@pytest.mark.parametrize("odd", [1, {"x": 1}, [5]])
def test_a_key_of_message_pack_has_one_answer(odd: Any) -> None:
    """Plain data with `__ext__` that isn't an extension is refused when read; from elsewhere it is data."""
    with pytest.raises(am.DecodeError):
        am.decode([native("human", additional_kwargs={"__ext__": odd})], "langgraph")
    history = am.decode([native("human", additional_kwargs={"__ext__": odd})], "langchain")
    back = am.loads(am.dumps(history, "langgraph"), "langgraph")
    assert back[0].metadata == {"__ext__": odd}
    assert am.decode(am.encode(history, "langgraph"), "langgraph")[0].metadata == {"__ext__": odd}


@pytest.mark.parametrize("tag", ["tool_call_chunk", "invalid_tool_call", "function_call", "tool_call", "tool_use"])
def test_a_copy_of_a_call_under_another_tag_comes_back(tag: str) -> None:
    """Values in content beside `tool_calls` come back, whatever their type."""
    part = {"type": tag, "id": "c1", "name": "look", "input": {"city": "Paris"}}
    call = {"name": "look", "args": {"city": "Paris"}, "id": "c1", "type": "tool_call"}
    returned([native("ai", [{"type": "text", "text": "See"}, part], tool_calls=[call])])
