"""The codec ``langchain``: forms and containers, the copies of calls, shapes of parts, and the effects of edits.

Exact return, damaged documents, planted notes and the other laws are tested in test_laws.py.
"""

from __future__ import annotations

from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.formats.spelling import same_document
from agentmsg.model.blocks import BaseBlock, register_block
from agentmsg.values.frozen import plain_copy
from agentmsg_codecs.langchain import LangChainCodec
from support.documents import documents

CODEC = LangChainCodec()
CALL = {"name": "get_weather", "args": {"city": "Paris"}, "id": "c1", "type": "tool_call"}
USAGE = {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18}


def ai(content: Any = "", **fields: Any) -> dict[str, Any]:
    """Return an AIMessage as messages_to_dict writes it."""
    data: dict[str, Any] = {
        "content": content,
        "additional_kwargs": {},
        "response_metadata": {},
        "type": "ai",
        "name": None,
        "id": None,
        "tool_calls": [],
        "invalid_tool_calls": [],
        "usage_metadata": None,
        **fields,
    }
    return {"type": "ai", "data": data}


def human(content: Any, **fields: Any) -> dict[str, Any]:
    """Return a HumanMessage as messages_to_dict writes it."""
    data: dict[str, Any] = {"content": content, "additional_kwargs": {}, "response_metadata": {}}
    data |= {"type": "human", "name": None}
    return {"type": "human", "data": {**data, "id": None, **fields}}


def returned(document: Any) -> am.History:
    """Check that a document comes back exactly, and return its history."""
    history = am.decode(document, CODEC)
    assert same_document(am.encode(history, CODEC), document)
    return history


def read(native: Any) -> am.Msg:
    """Return the message of a native one that comes back exactly."""
    return returned([native])[0]


# -- golden and recorded documents --------------------------------------------------------------------------------


def test_no_golden_message_is_kept_whole() -> None:
    """Every golden and recorded message is understood."""
    for name, document in documents("langchain"):
        assert all(message.role != "native" for message in am.decode(document, CODEC)), name


# -- forms and containers -----------------------------------------------------------------------------------------

FORMS: dict[str, Any] = {
    "dict": human("hi"),
    "flat": human("hi")["data"],
    "role": {"role": "user", "content": "hi"},
    "role and type": {"role": "user", "type": "human", "content": "hi"},
    "role and class": {"role": "user", "type": "HumanMessage", "content": "hi"},
    "oldest": {"type": "human", "text": "hi"},
    "pair": ["human", "hi"],
    "text": "hi",
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_read_and_returned(form: str) -> None:
    """A human message is the same message in each form, and is written back in its own form."""
    message = read(FORMS[form])
    assert (message.role, message.text, message.id, message.extras) == ("user", "hi", None, {})


@pytest.mark.parametrize("form", ["dict", "flat", "role"])
def test_new_messages_take_the_form_of_their_history(form: str) -> None:
    """A message added to a history is written in the form of the others."""
    history = am.decode([FORMS[form]], CODEC).extended(am.Msg("user", "more", id=None, created_at=None))
    first, second = am.encode(history, CODEC)
    assert first.keys() == second.keys()


def test_a_message_keeps_a_form_of_its_own() -> None:
    """In a mixed list each message comes back in its own form."""
    returned(list(FORMS.values()))
    returned(list(reversed(FORMS.values())))


@pytest.mark.parametrize("form", ["dict", "flat", "role"])
def test_the_option_chooses_the_form_of_new_histories(form: Any) -> None:
    """A history that wasn't read from LangChain is written in the form of the codec's option."""
    native = am.encode(am.Msg("user", "hi", id=None, created_at=None), "langchain", form=form)
    expected = {"dict": {"type", "data"}, "flat": {*human("x")["data"]}, "role": {"role", "content"}}
    assert set(native) == expected[form]


def test_an_unknown_form_is_refused() -> None:
    """The option takes only the three forms."""
    with pytest.raises(am.CodecLookupError) as caught:
        am.get_codec("langchain", form="pickled")
    assert caught.value.code == "option"


def test_a_state_keeps_its_other_keys() -> None:
    """The keys of a state beside messages are extras of the history."""
    history = returned({"messages": [human("hi")], "step": 3})
    assert history.extras["langchain"] == {"step": 3}


STATE = {"messages": [human("a")["data"], {"role": "assistant", "content": "b"}], "step": 3}
ROUND: dict[str, tuple[Any, int]] = {
    "thread": ({"values": STATE, "next": [], "tasks": [], "metadata": {"writes": {"agent": STATE}}}, 2),
    "update": ({"agent": STATE, "other": {"step": 4}}, 2),
    "in a stream": ([human("a")["data"], {"langgraph_node": "agent", "tags": []}], 1),
    "rows": ([{"id": i, "message": each} for i, each in enumerate((human("a"), ai("b")))], 2),
    "streamed values": (["values", STATE], 2),
    "streamed message": (["messages", [human("a")["data"], {"langgraph_node": "agent"}]], 1),
    "streamed message of a subgraph": ([["outer:1"], "messages/partial", [ai("b")["data"]]], 1),
    "streamed update": ([["outer:1"], {"agent": STATE}], 2),
    "debug event": ({"type": "checkpoint", "step": 2, "payload": {"config": {}, "values": STATE}}, 2),
    "event": ({"event": "on_chat_model_end", "data": {"output": ai("b"), "input": {"messages": [[human("a")]]}}}, 2),
    "protocol": ({"type": "event", "method": "messages", "params": {"namespace": [], "data": ai("b")["data"]}}, 1),
    "run": ({"run_type": "llm", "inputs": {"messages": [human("a")]}, "outputs": {"messages": [ai("b")]}}, 2),
    "request": ({"assistant_id": "agent", "input": {"messages": [{"role": "human", "content": "a"}]}}, 1),
}
each_round = pytest.mark.parametrize(("document", "count"), ROUND.values(), ids=ROUND)


@each_round
def test_what_is_around_messages_comes_back(document: Any, count: int) -> None:
    """The messages of threads, runs, events and nodes are read, and written back into their places after an edit."""
    history = returned(document)
    assert [message.role for message in history] == ["user", "assistant"][-count:] or history[0].role == "user"
    assert len(history) == count
    assert am.detect(document)[0][0] == "langchain"
    native = am.encode(history.evolve(messages=[history[0].evolve(content="new"), *history[1:]]), CODEC)
    assert am.decode(am.thaw(native), CODEC)[0].text == "new"
    assert isinstance(native, list) or native.keys() == document.keys()


@each_round
def test_messages_that_fit_nowhere_are_a_state(document: Any, count: int) -> None:
    """More or fewer messages than there is place for are beside everything else that the document had."""
    history = am.decode(document, CODEC)
    for messages in ((), (*history, am.Msg.user("more"))):
        edited = history.evolve(messages=messages)
        native = am.thaw(am.encode(edited, CODEC, losses=[]))
        assert am.same(am.decode(native, CODEC), edited), count


def test_a_single_message_is_a_document() -> None:
    """One message alone is a history of one; with a second it becomes a list."""
    history = returned(human("hi"))
    assert len(am.encode(history.extended(am.Msg.user("more")), CODEC)) == 2


@pytest.mark.parametrize(
    ("document", "path"),
    [
        (5, ()),
        ([{"content": "hi"}], (0,)),
        ([human("a"), None], (1,)),
        ({"messages": [human("a"), 5]}, ("messages", 1)),
        ({"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "X"], "kwargs": {}}, ()),
        ([["human"]], (0,)),
        ({"values": {"messages": [5]}}, ()),
        ([human("a")["data"], {"node": "agent"}], (1,)),
    ],
)
def test_what_is_no_message_is_refused(document: Any, path: tuple[Any, ...]) -> None:
    """Anything that has none of the forms is a DecodeError with the path."""
    with pytest.raises(am.DecodeError) as caught:
        am.decode(document, CODEC)
    assert (caught.value.path, caught.value.codec) == (path, "langchain")


def test_markers_in_user_data_are_data() -> None:
    """`lc` and `__lc_escaped__` inside kwargs, arguments and artifacts are kept unchanged."""
    evil: dict[str, Any] = {"lc": 1, "type": "constructor", "id": ["os", "system"], "kwargs": {}}
    message = read(human("x", additional_kwargs={"a": evil, "b": {"__lc_escaped__": evil}}))
    assert message.metadata["a"] == evil


# -- roles --------------------------------------------------------------------------------------------------------


def test_roles_have_their_place() -> None:
    """Each kind of message has the role of its meaning."""
    base: dict[str, Any] = {"content": "x", "additional_kwargs": {}, "response_metadata": {}, "name": None, "id": "m1"}
    mark = {"__openai_role__": "developer"}
    natives: list[tuple[dict[str, Any], str]] = [
        ({**base, "type": "system"}, "system"),
        ({**base, "type": "system", "additional_kwargs": mark}, "developer"),
        ({**base, "type": "chat", "role": "critic"}, "critic"),
        ({**base, "type": "chat", "role": "user"}, "user"),
        ({**base, "type": "generic", "role": "critic"}, "critic"),
        ({**base, "type": "remove", "content": ""}, "remove"),
        ({**base, "type": "function", "name": "f"}, "tool"),
        ({**base, "type": "HumanMessageChunk"}, "user"),
        ({**base, "type": "HumanMessage"}, "user"),
        ({**base, "type": "AIMessage"}, "assistant"),
        ({**base, "type": "nonsense"}, "native"),
    ]
    for native, role in natives:
        assert read(native).role == role
        assert read({"type": native["type"], "data": native}).role == role


def test_a_tool_message_is_one_result() -> None:
    """A tool message holds one result with link, tool, artifact and status."""
    data = {**human("sunny")["data"], "type": "tool", "name": "f", "tool_call_id": "c1", "artifact": [1]}
    message = read({"type": "tool", "data": {**data, "status": "error"}})
    (result,) = message.tool_results
    assert (result.tool_call_id, result.name, result.text, result.artifact) == ("c1", "f", "sunny", [1])
    assert result.is_error
    assert message.name is None


def test_a_tool_message_without_id_stays_without() -> None:
    """An id missing in the document isn't invented."""
    history = returned([{"type": "tool", "content": "x"}])
    assert history[0].tool_call_id is None


def test_a_result_that_stands_apart_is_also_content() -> None:
    """Structure and errors without content are written as content, and come back unchanged."""
    for block in (
        am.ToolResultBlock("c1", structured={"a": 1}),
        am.ToolResultBlock("c1", error="boom", status="error"),
    ):
        native = am.encode(am.Msg("tool", [block]), CODEC)
        assert native["data"]["content"] in {'{"a":1}', "boom"}
        assert am.same(am.decode([native], CODEC)[0].content[0], block)


# -- a provider's content -----------------------------------------------------------------------------------------


def test_model_and_finish_reason_leave_response_metadata() -> None:
    """Model and finish reason are fields, in our words; the rest stays."""
    said = {"model_name": "gpt-5", "finish_reason": "tool_calls", "id": "x"}
    message = read(ai(response_metadata=said))
    assert (message.model, message.finish_reason, message.response_metadata) == ("gpt-5", "tool_use", {"id": "x"})
    message = read(ai(response_metadata={"model": "claude", "stop_reason": "end_turn"}))
    assert (message.model, message.finish_reason, message.response_metadata) == ("claude", "stop", {})
    for key, word, ours in WORDS:
        message = read(ai(response_metadata={"model_id": "m", key: word, "id": "x"}))
        assert (message.model, message.finish_reason, message.response_metadata) == ("m", ours, {"id": "x"})


WORDS = [
    ("finish_reason", "STOP", "stop"),
    ("finish_reason", "MAX_TOKENS", "length"),
    ("finishReason", "SAFETY", "content_filter"),
    ("stopReason", "end_turn", "stop"),
    ("stopReason", "tool_use", "tool_use"),
    ("done_reason", "length", "length"),
]


def test_an_edited_finish_reason_takes_the_words_of_its_place() -> None:
    """A native word does not outlive its meaning; the key stays."""
    message = read(ai(response_metadata={"model": "claude", "stop_reason": "end_turn"}))
    native = am.encode(message.evolve(finish_reason="length"), CODEC)
    assert native["data"]["response_metadata"] == {"model": "claude", "stop_reason": "max_tokens"}


def test_usage_keeps_what_it_does_not_know() -> None:
    """Unknown counters are extras of the usage, in their own object."""
    details = {"cache_read": 1, "cache_creation": 2, "ephemeral_5m_input_tokens": 3}
    message = read(ai(usage_metadata={**USAGE, "input_token_details": details, "cost": 0.5, "odd": 1}))
    usage = message.usage
    assert usage is not None
    assert (usage.input, usage.output, usage.total, usage.cache_read, usage.cache_write) == (11, 7, 18, 1, 2)
    assert usage.cost == 0.5
    assert usage.extras == {"langchain.input": {"ephemeral_5m_input_tokens": 3}, "langchain": {"odd": 1}}


def test_counters_that_langchain_requires_are_filled() -> None:
    """LangChain refuses usage without its three counters: fit adds them, and reports it."""
    losses: list[am.Loss] = []
    native = am.encode(am.Msg("assistant", "x", usage=am.Usage(input=3)), CODEC, losses=losses)
    assert native["data"]["usage_metadata"] == {"input_tokens": 3, "output_tokens": 0, "total_tokens": 3}
    assert [(loss.path, loss.level) for loss in losses] == [(("messages", 0, "usage"), "annotation")]


def test_fields_of_kwargs_are_blocks() -> None:
    """Reasoning, refusal and audio of additional_kwargs are blocks; the rest is metadata."""
    audio = {"id": "a1", "data": "aGk=", "transcript": "hi", "expires_at": 5}
    kwargs = {"reasoning_content": "hm", "refusal": "no", "audio": audio, "k": 1}
    message = read(ai("text", additional_kwargs=kwargs))
    assert [type(block) for block in message.content] == [
        am.ThinkingBlock,
        am.TextBlock,
        am.RefusalBlock,
        am.AudioBlock,
    ]
    assert message.metadata == {"k": 1}


SUMMED: dict[str, Any] = {"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}
SEALED: dict[str, Any] = {**SUMMED, "summary": [], "encrypted_content": "x"}


@pytest.mark.parametrize(
    ("reasoning", "block"),
    [
        ("hm", am.ThinkingBlock("hm")),
        (SUMMED, am.ThinkingBlock("hm", item_id="rs_1")),
        (SEALED, am.ThinkingBlock("", item_id="rs_1", signature=am.Signature("openai", "x"))),
        ({"id": "rs_1"}, None),
        ({**SUMMED, "summary": ["hm"]}, None),
    ],
)
def test_reasoning_in_kwargs_is_thinking(reasoning: Any, block: am.ThinkingBlock | None) -> None:
    """Reasoning of OpenAI's first versions, and the text of others, are thinking; anything else is metadata."""
    message = read(ai("text", additional_kwargs={"reasoning": reasoning}))
    assert am.same(message.content[:-1], () if block is None else (block,))
    assert bool(message.metadata) is (block is None)
    native = am.encode(message.with_content([am.ThinkingBlock("new"), am.TextBlock("text")]), CODEC)
    assert am.decode(native, CODEC)[0].content[0] == am.ThinkingBlock("new")


IDS, SIGNATURES = "__openai_function_call_ids__", "__gemini_function_call_thought_signatures__"


def test_kwargs_say_more_about_calls() -> None:
    """Ids of items and signatures in additional_kwargs are those of calls, and follow edits of these."""
    message = read(ai(tool_calls=[CALL], additional_kwargs={IDS: {"c1": "fc_1"}, SIGNATURES: {"c1": "s"}, "k": 1}))
    (call,) = message.tool_calls
    assert (call.item_id, call.signature, message.metadata) == ("fc_1", am.Signature("google", "s"), {"k": 1})
    native = am.encode(message.with_content([call.evolve(id="c2", item_id=None)]), CODEC)
    assert native["data"]["additional_kwargs"] == {SIGNATURES: {"c2": "s"}, "k": 1}
    assert not am.convert([ai(tool_calls=[CALL], additional_kwargs={SIGNATURES: {"c1": "s"}})], CODEC, "gemini").losses


@pytest.mark.parametrize("ids", [{"c2": "fc_1"}, {"c1": 5}, {}, ["c1"], {"c1": "fc_1", "c2": "fc_2"}], ids=str)
def test_kwargs_that_say_nothing_about_calls_are_metadata(ids: Any) -> None:
    """A map with ids of no call, or without texts, stays metadata."""
    message = read(ai(tool_calls=[CALL], additional_kwargs={IDS: ids}))
    assert (message.tool_calls[0].item_id, message.metadata) == (None, {IDS: ids})


def test_metadata_never_says_more_about_calls() -> None:
    """Metadata that would be taken for the id of a call's item is dropped, and reported."""
    for call in (am.ToolUseBlock("c1", "f", {}), am.ToolUseBlock("c1", "f", raw_input="x", kind="custom")):
        losses: list[am.Loss] = []
        native = am.encode(am.Msg("assistant", [call], metadata={IDS: {"c1": "fc_1"}}), CODEC, losses=losses)
        assert native["data"]["additional_kwargs"] == {}
        assert ("messages", 0, "metadata") in [loss.path for loss in losses]


def test_metadata_never_claims_a_meaning() -> None:
    """Metadata under a key that means something in LangChain is dropped, and reported."""
    losses: list[am.Loss] = []
    message = am.Msg("assistant", "x", metadata={"reasoning_content": "hm", "refusal": None})
    native = am.encode(message, CODEC, losses=losses)
    assert native["data"]["additional_kwargs"] == {"refusal": None}
    assert [loss.path for loss in losses] == [("messages", 0, "metadata")]


@pytest.mark.parametrize("form", ["role", "flat"])
def test_thinking_may_stand_beside_content(form: str) -> None:
    """A reasoning_content beside content is thinking, and stays there; in other messages it is an unknown field."""
    head = {"role": "assistant"} if form == "role" else {"type": "ai"}
    message = read({**head, "content": "x", "reasoning_content": "hm"})
    assert am.same(message.content, (am.ThinkingBlock("hm"), am.TextBlock("x")))
    assert read({**head, "content": "x", "reasoning_content": 5}).extras == {"langchain": {"reasoning_content": 5}}
    assert read({"type": "human", "content": "x", "reasoning_content": "hm"}).text == "x"


@pytest.mark.parametrize("text", ['{"a": 1}', '{"a":1}', '{"a"', "", None])
def test_pieces_of_a_chunk_are_calls_if_there_are_no_others(text: str | None) -> None:
    """A stored chunk may have only the pieces of calls; a piece without a name is a fragment, and unknown."""
    piece = {"name": "f", "args": text, "id": "c1", "index": 0, "type": "tool_call_chunk"}
    message = read({"type": "AIMessageChunk", "content": "", "tool_call_chunks": [piece]})
    (call,) = message.content
    assert isinstance(call, am.ToolUseBlock)
    assert (call.id, call.name, call.is_valid) == ("c1", "f", text != '{"a"')
    native = am.encode(message.with_content([call.evolve(input={"b": 2})]), CODEC)
    assert am.decode(am.thaw(native), CODEC)[0].tool_calls[0].input == {"b": 2}
    assert not read({"type": "AIMessageChunk", "content": "", "tool_call_chunks": [{**piece, "name": None}]}).content


# -- one call, up to four copies ----------------------------------------------------------------------------------

USE = {"type": "tool_use", "id": "c1", "name": "get_weather", "input": {"city": "Paris"}}
OPENAI = {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'}}


def call_places() -> list[tuple[str, dict[str, Any]]]:
    """Return one call in every combination of places."""
    return [
        ("tool_calls", ai(tool_calls=[CALL])),
        ("content", ai([USE])),
        ("kwargs", ai(additional_kwargs={"tool_calls": [OPENAI]})),
        ("all three", ai([USE], tool_calls=[CALL], additional_kwargs={"tool_calls": [OPENAI]})),
        ("v1 and tool_calls", ai([{**CALL, "extras": {"s": 1}}, {"type": "text", "text": "x"}], tool_calls=[CALL])),
        ("function_call", ai(additional_kwargs={"function_call": OPENAI["function"]})),
        (
            "responses",
            ai(
                [{"type": "function_call", "id": "fc", "call_id": "c1", **OPENAI["function"]}],  # type: ignore[dict-item]
                tool_calls=[CALL],
            ),
        ),
    ]


@pytest.mark.parametrize(("place", "native"), call_places(), ids=[place for place, _ in call_places()])
def test_a_call_is_one_block_wherever_it_stands(place: str, native: dict[str, Any]) -> None:
    """The copies of a call are one block."""
    (call,) = read(native).tool_calls
    assert (call.name, call.input) == ("get_weather", {"city": "Paris"}), place


@pytest.mark.parametrize(("place", "native"), call_places(), ids=[place for place, _ in call_places()])
def test_an_edit_shows_in_all_copies(place: str, native: dict[str, Any]) -> None:
    """New arguments replace the old ones in each place, and nothing else changes place."""
    message = read(native)
    content = [
        block.evolve(input={"city": "Rome"}) if isinstance(block, am.ToolUseBlock) else block
        for block in message.content
    ]
    edited = am.History([message.evolve(content=content)], notes=am.decode([native], CODEC).notes)
    (written,) = am.encode(edited, CODEC)
    assert "Paris" not in repr(written), place
    assert repr(written).count("Rome") == repr(native).count("Paris")
    assert am.same(am.decode([written], CODEC), edited)


def test_streamed_arguments_come_from_tool_calls() -> None:
    """A streamed tool_use has no input of its own: tool_calls is the truth."""
    (call,) = read(ai([{**USE, "input": {}}], tool_calls=[CALL])).tool_calls
    assert call.input == {"city": "Paris"}


def test_repeated_ids_pair_in_order() -> None:
    """The n-th call of an id in one place is the n-th of that id in another."""
    uses = [{**USE, "input": {"n": n}} for n in (1, 2)]
    listed = [{**CALL, "args": {"n": n}} for n in (1, 2)]
    message = read(ai(uses, tool_calls=listed))
    assert [call.input for call in message.tool_calls] == [{"n": 1}, {"n": 2}]


def test_lists_keep_their_own_order() -> None:
    """The order of tool_calls is kept if it differs from that of content."""
    uses = [{**USE, "id": name} for name in ("a", "b", "c")]
    listed = [{**CALL, "id": name} for name in ("c", "a", "b")]
    message = read(ai(uses, tool_calls=listed))
    assert [call.id for call in message.tool_calls] == ["a", "b", "c"]


def test_invalid_calls_keep_their_text() -> None:
    """Arguments that aren't JSON stay byte for byte; the error is an unknown field."""
    bad = {"type": "invalid_tool_call", "id": "c1", "name": "f", "args": "{bad", "error": "oops"}
    message = read(ai(invalid_tool_calls=[bad]))
    (call,) = message.invalid_tool_calls
    assert (call.raw_input, call.extras) == ("{bad", {"langchain": {"error": "oops"}})


def test_a_mended_call_moves() -> None:
    """A call that becomes valid moves from invalid_tool_calls to tool_calls."""
    bad = {"type": "invalid_tool_call", "id": "c1", "name": "f", "args": "{bad", "error": None}
    history = returned([ai(invalid_tool_calls=[bad])])
    call = history[0].invalid_tool_calls[0].evolve(input={"a": 1})
    (native,) = am.encode(history.evolve(messages=[history[0].with_content([call])]), CODEC)
    assert native["data"]["invalid_tool_calls"] == []
    assert native["data"]["tool_calls"] == [{"name": "f", "args": {"a": 1}, "id": "c1", "type": "tool_call"}]


@pytest.mark.parametrize(
    "value", [[1], "x", 5, None, {"_raw": 1}, {"_raw": {"_raw": 1}}, {"_raw": {"a": 1}}, {}], ids=repr
)
def test_any_input_has_an_object_of_arguments(value: Any) -> None:
    """An input that isn't an object is in an envelope, and a lookalike of the envelope in another."""
    call = am.ToolUseBlock("c1", "f", value)
    native = am.encode(am.Msg("assistant", [call]), CODEC)
    assert isinstance(native["data"]["tool_calls"][0]["args"], dict)
    assert am.same(am.decode([native], CODEC)[0].content[0], call)


def test_calls_before_other_blocks_stand_in_content_too() -> None:
    """Order is kept: a call followed by other blocks has a copy in content."""
    blocks = [am.ToolUseBlock("c1", "f", {}), am.TextBlock("so"), am.ToolUseBlock("c2", "f", {})]
    native = am.encode(am.Msg("assistant", blocks), CODEC)
    assert [part["type"] for part in native["data"]["content"]] == ["tool_use", "text", "tool_use"]
    assert [call["id"] for call in native["data"]["tool_calls"]] == ["c1", "c2"]
    assert am.same(am.decode([native], CODEC)[0].content, tuple(blocks))


def test_custom_calls_become_function_calls() -> None:
    """Free text for a custom tool is written as its input, and reported."""
    losses: list[am.Loss] = []
    call = am.ToolUseBlock("c1", "f", raw_input="free text", kind="custom")
    native = am.encode(am.Msg("assistant", [call]), CODEC, losses=losses)
    assert native["data"]["tool_calls"][0]["args"] == {"input": "free text"}
    assert [loss.level for loss in losses] == ["content"] * len(losses)
    assert losses


# -- parts ----------------------------------------------------------------------------------------------------------

SIGNED = {"type": "reasoning", "reasoning": "hm", "extras": {"signature": "sig"}}
GUARDED: dict[str, Any] = {"bedrock.guard": {"text": {}}}
PNG = "image/png"
PARTS: list[tuple[Any, Any]] = [
    ({"type": "text", "text": "a"}, am.TextBlock("a")),
    ("bare", am.TextBlock("bare")),
    (SIGNED, am.ThinkingBlock("hm", signature=am.Signature("anthropic", "sig"))),
    (
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        am.ThinkingBlock("hm", signature=am.Signature("anthropic", "s")),
    ),
    ({"type": "redacted_thinking", "data": "xyz"}, am.ThinkingBlock(redacted="xyz")),
    ({"type": "reasoning", "text": "hm"}, am.ThinkingBlock("hm")),
    ({"type": "reasoning", "content": [{"type": "reasoning_text", "text": "hm"}]}, am.ThinkingBlock("hm")),
    (
        {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]},
        am.ThinkingBlock("hm"),
    ),
    ({"type": "image", "url": "https://x/i.png"}, am.ImageBlock.from_url("https://x/i.png")),
    (
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk=", "detail": "low"}},
        am.ImageBlock(am.Base64Source("aGk=", "image/png"), detail="low"),
    ),
    (
        {"type": "image", "source_type": "base64", "data": "aGk=", "mime_type": "image/png"},
        am.ImageBlock(am.Base64Source("aGk=", "image/png")),
    ),
    (
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "hi"}, "title": "T"},
        am.FileBlock(am.TextSource("hi", "text/plain"), title="T"),
    ),
    (
        {"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}},
        am.AudioBlock(am.Base64Source("aGk=", "audio/wav")),
    ),
    (
        {"type": "media", "mime_type": "video/mp4", "file_uri": "gs://v"},
        am.VideoBlock(am.URLSource("gs://v", "video/mp4")),
    ),
    ({"image": {"format": "png", "source": {"bytes": "aGk="}}}, am.ImageBlock.from_bytes(b"hi", "image/png")),
    (
        {"type": "image", "image": {"format": "jpeg", "source": {"bytes": "aGk="}}},
        am.ImageBlock.from_bytes(b"hi", "image/jpeg"),
    ),
    (
        {"type": "document", "document": {"format": "pdf", "name": "d", "source": {"bytes": "aGk="}}},
        am.FileBlock(am.Base64Source("aGk=", "application/pdf"), name="d"),
    ),
    (
        {"video": {"format": "mov", "source": {"s3Location": {"uri": "s3://v"}}}},
        am.VideoBlock(am.URLSource("s3://v", "video/quicktime")),
    ),
    (
        {"type": "video", "source": {"type": "base64", "media_type": "video/mp4", "data": "aGk="}},
        am.VideoBlock(am.Base64Source("aGk=", "video/mp4")),
    ),
    ({"guardContent": {"text": {"text": "a"}}}, am.TextBlock("a", extras=GUARDED)),
    ({"type": "guard_content", "text": "a"}, am.TextBlock("a", extras=GUARDED)),
    ({"type": "guard_content", "guard_content": {"text": "a"}}, am.TextBlock("a", extras=GUARDED)),
    ({"type": "text_delta", "text": "a"}, am.TextBlock("a")),
    (
        {"type": "computer_call", "id": "cu_1", "call_id": "c1", "action": {"type": "wait"}, "status": "completed"},
        am.ToolUseBlock("c1", "computer", {"type": "wait"}, item_id="cu_1"),
    ),
    ({"type": "tool_use", "id": "c1", "name": "f", "input": '{"a":1}'}, am.ToolUseBlock("c1", "f", {"a": 1})),
    ({"type": "image", "url": "https://x/i", "mimeType": "image/png"}, am.ImageBlock(am.URLSource("https://x/i", PNG))),
    ({"type": "audio", "fileId": "f1"}, am.AudioBlock(am.FileSource("f1"))),
    ({"type": "image", "data": "aGk=", "mime_type": PNG}, am.ImageBlock(am.Base64Source("aGk=", PNG))),
    (
        {"type": "file", "mimeType": "text/csv", "data": "aGk=", "metadata": {"filename": "a.csv", "n": 1}},
        am.FileBlock(am.Base64Source("aGk=", "text/csv"), name="a.csv", metadata={"n": 1}),
    ),
    (
        {"type": "server_tool_result", "tool_call_id": "s1", "status": "success", "output": [1]},
        am.ToolResultBlock("s1", structured=[1], status="success", kind="server"),
    ),
    (
        {"type": "reasoning_content", "reasoning_content": {"text": "hm", "signature": "s"}},
        am.ThinkingBlock("hm", signature=am.Signature("bedrock", "s")),
    ),
    ({"type": "reasoning_content", "reasoning_content": "hm"}, am.ThinkingBlock("hm")),
    ({"type": "refusal", "refusal": "no"}, am.RefusalBlock("no")),
    ({"type": "non_standard", "value": {"type": "data", "data": [1], "name": "d"}}, am.DataBlock([1], name="d")),
]


@pytest.mark.parametrize(("part", "block"), PARTS, ids=[str(number) for number in range(len(PARTS))])
def test_parts_are_blocks(part: Any, block: Any) -> None:
    """Each shape of part is the block of its meaning, and comes back in its own spelling."""
    message = read(human([part, {"type": "text", "text": "and"}]))
    (read_block, _) = message.content
    assert am.same(read_block, block)


# Marks that earlier versions gave to parts of providers, and these parts.
OLD_MARKS: list[tuple[str, dict[str, Any]]] = [
    ("document", {"type": "document", "source": {"type": "url", "url": "https://x/d"}, "title": "D"}),
    (
        "document-blocks",
        {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "a"}]}},
    ),
    ("compaction", {"type": "compaction", "content": "So far."}),
    ("bedrock-document", {"document": {"format": "pdf", "name": "d", "source": {"bytes": "aGk="}}}),
    ("guarded", {"guardContent": {"text": {"text": "a"}}}),
    ("reasoning_content", {"type": "reasoning_content", "reasoning_content": {"text": "hm", "signature": "s"}}),
    (
        "v1-anthropic-call",
        {"type": "server_tool_call", "id": "srvtoolu_1", "name": "code_interpreter", "args": {"code": "1"}},
    ),
    (
        "v1-anthropic-result",
        {"type": "server_tool_result", "tool_call_id": "srvtoolu_1", "status": "success", "output": {"stdout": "1"},
         "extras": {"block_type": "code_execution_tool_result"}},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("mark", "part"), OLD_MARKS)
def test_stored_blocks_are_written_as_they_were(mark: str, part: dict[str, Any]) -> None:
    """A stored block with the mark of an earlier version is written as the part that it was read from."""
    message = read(human([part, {"type": "text", "text": "and"}]))
    block, text = message.content
    old = message.evolve(content=(block.evolve(notes={"langchain": {"/shape": mark}}), text))
    assert same_document(am.thaw(am.encode(old, CODEC))["data"]["content"][0], part)


@pytest.mark.parametrize(
    "part", [{"type": "text", "text": "a"}, "a", {"type": "image", "url": "https://x/i.png"}], ids=str
)
def test_a_cache_point_is_the_hint_of_the_block_before(part: Any) -> None:
    """Bedrock's cache points go back behind their blocks; one behind nothing, or behind a call, stays as it is."""
    point: dict[str, Any] = {"cachePoint": {"type": "default", "ttl": "1h"}}
    hint = am.CacheHint("default", ttl="1h")
    message = read(human([part, point, "b"]))
    assert [block.cache for block in message.content] == [hint, None]
    (result,) = read({"type": "tool", "data": {"content": [part, point], "tool_call_id": "c1"}}).tool_results
    assert [block.cache for block in result.content] == [hint]
    assert [type(block) for block in read(human([point, part, point, point])).content][::2] == [am.NativeBlock] * 2
    edited = message.with_content([message.content[0].evolve(cache=am.CacheHint("ephemeral"))])
    assert am.thaw(am.encode(edited, CODEC))["data"]["content"][1:] == [{"cachePoint": {"type": "ephemeral"}}]


def test_unknown_parts_are_kept() -> None:
    """A part of no known shape is a native block, with its text for other formats."""
    part = {"type": "hologram", "text": "3d"}
    (block,) = read(human([part])).content
    assert am.same(block, am.NativeBlock("langchain", part, fallback="3d"))


def test_unknown_fields_are_extras() -> None:
    """Unknown keys of a part, of its extras, of a message and beside its data are extras in separate namespaces."""
    part = {"type": "text", "text": "a", "index": 0, "extras": {"k": 1}}
    message = read({**human([part], example=False), "v": 2})
    assert message.extras == {"langchain": {"example": False}, "langchain.envelope": {"v": 2}}
    assert message.content[0].extras == {"langchain.extras": {"k": 1}, "langchain": {"index": 0}}


def test_a_part_keeps_its_shape_through_an_edit() -> None:
    """An edited text keeps its shape; a shape that can't hold the new value is replaced."""
    image = {"type": "image_url", "image_url": {"url": "https://x/a.png"}}
    history = returned([human([image, {"type": "output_text", "text": "a"}])])
    picture, words = history[0].content
    content = [picture.evolve(source=am.FileSource("f1")), words.evolve(text="b")]
    (native,) = am.encode(history.evolve(messages=[history[0].with_content(content)]), CODEC)
    assert native["data"]["content"] == [{"type": "image", "file_id": "f1"}, {"type": "output_text", "text": "b"}]


def test_a_text_and_a_list_of_one_text_differ() -> None:
    """Content that was a list stays one, and follows an edit."""
    history = returned([human([{"type": "text", "text": "a"}])])
    (native,) = am.encode(history.evolve(messages=[history[0].with_content("b")]), CODEC)
    assert native["data"]["content"] == [{"type": "text", "text": "b"}]


# -- your own blocks, your own hooks --------------------------------------------------------------------------------


@register_block("langchain_test_poll")
@attrs.frozen(repr=False, eq=False)
class Poll(BaseBlock):
    """A block class unknown to every format."""

    question: str
    votes: tuple[int, ...] = ()


def test_blocks_of_yours_need_no_code() -> None:
    """A registered block class is written inside non_standard."""
    poll = Poll("tea?", (1, 2), item_id="p1")
    native = am.encode(am.Msg("user", [poll, am.TextBlock("x")]), CODEC)
    assert native["data"]["content"][0] == {
        "type": "non_standard",
        "value": {"type": "langchain_test_poll", "item_id": "p1", "question": "tea?", "votes": [1, 2]},
    }
    assert am.same(am.decode([native], CODEC)[0].content[0], poll)


def test_one_hook_changes_a_mapping() -> None:
    """A hook registered on the converter before first use replaces ours, for reading and writing."""
    codec = LangChainCodec()
    codec.engine.converter.register_unstructure_hook(
        am.RefusalBlock, lambda block: {"type": "refusal", "refusal": block.refusal.upper()}
    )
    codec.engine.converter.register_structure_hook(am.TextBlock, lambda part, _: am.TextBlock(part["text"].lower()))
    message = am.Msg("assistant", [am.RefusalBlock("no"), am.TextBlock("a")])
    assert codec.write(am.History([message]))[0]["data"]["content"][0]["refusal"] == "NO"
    loud = [human([{"type": "text", "text": "LOUD"}])]
    history = codec.read(plain_copy(loud))
    assert history[0].text == "loud"
    assert same_document(am.thaw(codec.write(history)), loud), "what a hook reads otherwise is still returned exactly"


# -- fit ------------------------------------------------------------------------------------------------------------


def test_foreign_native_blocks_give_their_text() -> None:
    """A native block of another family becomes its fallback text; without one it is dropped."""
    losses: list[am.Loss] = []
    blocks = [am.NativeBlock("openai", {"a": 1}, fallback="text"), am.NativeBlock("openai", {"b": 2})]
    native = am.encode(am.Msg("user", blocks), CODEC, losses=losses)
    assert native["data"]["content"] == "text"
    assert [(loss.kind, loss.level) for loss in losses] == [("changed", "content"), ("dropped", "content")]


def test_native_blocks_that_would_mean_something_are_refused() -> None:
    """A native block of ours whose value reads as an ordinary block isn't supported."""
    losses: list[am.Loss] = []
    am.encode(am.Msg("user", [am.NativeBlock("langchain", {"type": "text", "text": "x"})]), CODEC, losses=losses)
    assert [loss.kind for loss in losses] == ["dropped"]


def test_results_get_the_ids_that_langchain_requires() -> None:
    """A call and its result without ids get one id for both."""
    messages = [
        am.Msg("assistant", [am.ToolUseBlock(None, "f", {})]),
        am.Msg("tool", [am.ToolResultBlock(None, "x", name="f")]),
    ]
    call, result = am.encode(messages, CODEC, losses=[])
    assert call["data"]["tool_calls"][0]["id"] == result["data"]["tool_call_id"] != None  # noqa: E711 - a chain


def test_detect_knows_the_forms() -> None:
    """The dict forms look like LangChain; role and content alone fit every format."""
    plain: dict[str, Any] = {"role": "assistant", "content": "a"}
    for document, least in (
        ([human("a")], 1.0),
        ([human("a")["data"]], 0.9),
        ([human("a")["data"], plain], 0.9),
        ([{**plain, "type": "AIMessage"}], 0.85),
    ):
        assert dict(am.detect(document))["langchain"] == least
    assert "langchain" not in dict(am.detect([{"role": "user", "content": "a"}]))
    assert CODEC.sniff({"a": 1}) == CODEC.sniff(5) == CODEC.sniff([]) == 0


# -- results inside a human message ---------------------------------------------------------------------------------

RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": "sunny", "is_error": False}


def test_results_in_a_human_message_are_messages() -> None:
    """A tool_result part is a tool message; the blocks beside it stay a user's; all are one message again."""
    native = human(
        [RESULT, {**RESULT, "tool_use_id": "c2", "is_error": True}, {"type": "text", "text": "and?"}], id="h"
    )
    history = returned([native])
    assert [(message.role, message.text) for message in history] == [
        ("tool", "sunny"),
        ("tool", "sunny"),
        ("user", "and?"),
    ]
    assert [message.tool_call_id for message in history] == ["c1", "c2", None]
    assert [message.is_error for message in history] == [False, True, False]


def test_split_results_follow_edits() -> None:
    """An edited piece is joined with its neighbours as before; if the order has changed, nothing is joined."""
    history = returned([human([RESULT, {"type": "text", "text": "and?"}])])
    edited = history.evolve(messages=[history[0], history[1].with_content("so?")])
    (native,) = am.encode(edited, CODEC)
    assert native["data"]["content"] == [RESULT, {"type": "text", "text": "so?"}]
    swapped = history.evolve(messages=[history[1], history[0]])
    natives = am.encode(swapped, CODEC)
    assert len(natives) == 2
    assert am.same(am.decode(natives, CODEC).messages, swapped.messages)


def test_a_result_alone_in_a_human_message_stays_there() -> None:
    """A tool message that was all of a human one, or all that remains of it, is written so; any other is a tool's."""
    (alone,) = returned([human([RESULT], id="h")])
    (_, left) = returned([human([{"type": "text", "text": "so:"}, RESULT])])
    for message in (alone, left):
        (native,) = am.encode([message], CODEC)
        assert (native["type"], native["data"]["content"]) == ("human", [RESULT])
        assert am.same(am.decode([native], CODEC)[0], message)
    (native,) = am.encode([left.evolve(notes={})], CODEC)
    assert native["type"] == "tool"


def test_a_deleted_piece_does_not_tear_a_human_message() -> None:
    """The rest of a human message stays one; two texts that came together stay two messages."""
    text = {"type": "text", "text": "so:"}
    history = returned([human([RESULT, text, RESULT, text])])
    kept = history.evolve(messages=[*history[:1], *history[2:]])
    (native,) = am.encode(kept, CODEC)
    assert native["data"]["content"] == [RESULT, RESULT, text]
    texts = history.evolve(messages=[history[1], history[3]])
    assert [native["data"]["content"] for native in am.encode(texts, CODEC)] == ["so:", "so:"]


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from([None, 0, 1, 2, -1, True, "1"])), max_size=7))
def test_no_seat_changes_what_is_read_back(drawn: list[tuple[int, Any]]) -> None:
    """Whatever seats messages have, they come back unchanged: only messages with the same meaning share a human one."""
    image = am.ImageBlock(am.Base64Source("aGk=", "image/png"))
    results = (
        am.ToolResultBlock("c1", "sunny"),
        am.ToolResultBlock("c2", [am.TextBlock("a"), image], status="error"),
        am.ToolResultBlock("c3", "sunny", name="weather", artifact=[1]),
        am.ToolResultBlock("c4", [], status="running", structured={"a": 1}),
    )
    bodies = (
        am.Msg("user", "so:"),
        am.Msg("user", [image], name="Ada"),
        am.Msg("user", []),
        am.Msg("user", "so:", extras={"langchain": {"structured": 1}}),
        am.Msg("assistant", "hm"),
        am.Msg("tool", [results[0]], metadata={"k": 1}),
        *(am.Msg("tool", [result]) for result in results),
    )
    plain = am.decode(am.encode([bodies[at].evolve(id=None) for at, _ in drawn], CODEC), CODEC)
    seats = [seat for _, seat in drawn]
    messages = [
        message.evolve(notes={**message.notes, "langchain": {"seat": seat}})
        for message, seat in zip(plain, seats, strict=True)
    ]
    assert am.same(am.decode(am.encode(messages, CODEC), CODEC).messages, plain.messages)


def test_results_that_say_more_stay_native() -> None:
    """A tool_result with keys that a tool message can't hold is kept whole."""
    (block,) = read(human([{**RESULT, "x_new": 1}])).content
    assert isinstance(block, am.NativeBlock)


# -- odd but understood -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fields",
    [
        {"example": False},
        {"additional_kwargs": None},
        {"id": 5},
        {"response_metadata": {"model": "m"}},
        {"tool_calls": None},
        {"usage_metadata": {}},
        {"usage_metadata": {"input_tokens": 1.0, "output_tokens": 2, "total_tokens": 2**70}},
        {"tool_calls": [{**CALL, "index": 0}]},
    ],
    ids=repr,
)
def test_odd_fields_leave_the_message_understood(fields: dict[str, Any]) -> None:
    """A field of another type, or null, is a spelling: the rest of the message is read as always."""
    for content in ("a", [{"type": "text", "text": "a"}]):
        message = read(ai(content, **fields))
        assert (message.role, message.text) == ("assistant", "a")


def test_nesting_costs_no_more_than_its_length() -> None:
    """Results inside results are read once for each level, not once for each pair of levels."""
    part: dict[str, Any] = {"type": "text", "text": "x"}
    for _ in range(25):
        part = {
            "type": "server_tool_result",
            "tool_call_id": "s",
            "index": 5,
            "extras": {"content": [part], "k": None},
        }
    returned([human([part])])


def test_calls_inside_results_need_no_id() -> None:
    """A call without id among the blocks of a server's result is that call, and comes back without."""
    block = am.ToolResultBlock("s1", [am.TextBlock("hi"), am.ToolUseBlock(None, "f")], kind="server")
    history = am.History([am.Msg("assistant", [block], id=None, created_at=None)])
    assert am.same(am.decode(am.encode(history, CODEC), CODEC), history)


def test_texts_of_a_tool_with_extras_of_a_field_are_fitted() -> None:
    """A tool message without a result gets one, whatever its extras are called."""
    message = am.Msg("tool", [am.TextBlock("hi")], extras={"langchain": {"status": "error"}})
    losses: list[am.Loss] = []
    document = am.encode(am.History([message]), CODEC, losses=losses)
    assert losses
    assert am.decode(document, CODEC)


# -- the option form ------------------------------------------------------------------------------------------------

BY_FORM: dict[Any, Any] = {
    "dict": [{"type": "human", "data": {"content": "x"}}],
    "flat": [{"type": "human", "content": "x"}],
    "role": [{"role": "user", "content": "x"}],
    "pair": [["human", "x"]],
    "mixed": [{"role": "user", "content": "x"}, {"type": "human", "data": {"content": "y"}}],
    "one": {"role": "user", "content": "x"},
}


@pytest.mark.parametrize("form", ["dict", "flat", "role"])
@pytest.mark.parametrize("read", BY_FORM)
def test_the_form_that_is_asked_for_is_written(read: str, form: Any) -> None:
    """Whatever form was read: without the option it comes back."""
    history = am.decode(BY_FORM[read], CODEC)
    assert am.encode(history, CODEC) == BY_FORM[read]
    written: Any = am.encode(history, CODEC, form=form)
    keys = {"dict": "data", "flat": "type", "role": "role"}
    for native in [written] if read == "one" else written:
        assert keys[form] in native
        assert ("data" in native) is (form == "dict")
    assert am.same(am.decode(written, CODEC), history)


@pytest.mark.parametrize("native", [{"type": "human", "data": {"content": 7}}, {**BY_FORM["dict"][0], "odd": 1}])
def test_a_message_that_cannot_have_the_form_is_refused(native: dict[str, Any]) -> None:
    """One that is kept whole, or has more beside its body; the error names the form and the place."""
    history = am.decode([native], CODEC)
    assert am.encode(history, CODEC, form="dict") == [native]
    forms: list[Any] = ["flat", "role"]
    for form in forms:
        with pytest.raises(am.EncodeError, match=form) as caught:
            am.encode(history, CODEC, form=form)
        assert (caught.value.code, caught.value.path) == ("form", (0,))
