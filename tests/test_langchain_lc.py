"""The codec ``langchain-lc``: envelopes, the objects around them, and the escape rule, against langchain-core."""

from __future__ import annotations

import datetime as dt
import json
from importlib import import_module
from typing import Any, Final, cast

import pytest

import agentmsg as am
from agentmsg.formats.spelling import same_document
from data import EVERY
from support.documents import documents

# Untyped on purpose: this tests what they accept at run time, not their annotations.
core: Any = import_module("langchain_core.messages")
outputs: Any = import_module("langchain_core.outputs")
prompts: Any = import_module("langchain_core.prompt_values")
serial: Any = import_module("langchain_core.load")

# LangChain warns once a process that its own reader is unfinished.
pytestmark = pytest.mark.filterwarnings("ignore:The function `load` is in beta")

LC: Final = "langchain-lc"
PYTHON = ["langchain", "schema", "messages"]
JAVASCRIPT = ["langchain_core", "messages"]
CALL = {"name": "f", "args": {"a": 1}, "id": "c1", "type": "tool_call"}
INVALID = {"name": "f", "args": "{", "id": "c2", "error": "cut", "type": "invalid_tool_call"}
USAGE = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3, "input_token_details": {"cache_read": 1}}
SECRET = {"lc": 1, "type": "secret", "id": ["LANGCHAIN_LC_CANARY"]}
EVIL = {"lc": 1, "type": "constructor", "id": [*PYTHON, "HumanMessage"], "kwargs": {"content": "evil"}}


def envelope(cls: str, path: list[str] | None = None, /, **kwargs: Any) -> dict[str, Any]:
    """Return an envelope."""
    return {"lc": 1, "type": "constructor", "id": [*(path or PYTHON), cls], "kwargs": kwargs}


def human(**kwargs: Any) -> dict[str, Any]:
    """Return the envelope of a human message as dumpd writes it."""
    return envelope("HumanMessage", content="x", type="human", **kwargs)


def again(document: Any) -> Any:
    """Return a document after reading and writing it."""
    return am.encode(am.decode(document, LC), LC, losses=[])


def only(native: Any) -> am.Msg:
    """Return the message of one envelope."""
    return am.decode([native], LC)[0]


def loaded(*messages: am.Msg) -> list[Any]:
    """Return our messages as langchain-core loads them."""
    result: list[Any] = serial.load(am.encode(messages, LC, losses=[]), allowed_objects="core")
    return result


# -- output of langchain-core -----------------------------------------------------------------------------------------

REAL: list[Any] = [
    core.HumanMessage("x"),
    core.HumanMessage("", name="", id=""),
    core.HumanMessage([{"type": "text", "text": "x"}, "y", {"type": "image", "url": "https://example.org/a.png"}]),
    core.HumanMessage("x", additional_kwargs={"k": [1, {"a": None}]}, response_metadata={"r": 1}, name="ada", id="m1"),
    core.AIMessage("x"),
    core.AIMessage("", tool_calls=[CALL], invalid_tool_calls=[INVALID], usage_metadata=USAGE, id="m2"),
    core.AIMessage("x", response_metadata={"model_name": "gpt-5", "finish_reason": "stop"}),
    core.AIMessage([{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "x"}], tool_calls=[CALL]),
    core.SystemMessage("x"),
    core.SystemMessage("x", additional_kwargs={"__openai_role__": "developer"}),
    core.ToolMessage("x", tool_call_id="c1", name="f", status="error"),
    core.ToolMessage([{"type": "text", "text": "x"}], tool_call_id="c1", artifact={"rows": [1]}),
    core.ToolMessage("", tool_call_id="", artifact=False),
    core.FunctionMessage("x", name="f"),
    core.ChatMessage("x", role="moderator"),
    core.RemoveMessage(id="m1"),
    core.HumanMessageChunk("x"),
    core.AIMessageChunk("", tool_calls=[CALL], chunk_position="last"),
    core.AIMessageChunk("", tool_call_chunks=[{"name": "f", "args": '{"a"', "id": "c1", "index": 0}]),
    core.SystemMessageChunk("x"),
    core.ToolMessageChunk("x", tool_call_id="c1"),
    core.FunctionMessageChunk("x", name="f"),
    core.ChatMessageChunk("x", role="moderator"),
]
each_real = pytest.mark.parametrize(
    "message", REAL, ids=[f"{type(each).__name__} {index}" for index, each in enumerate(REAL)]
)


@each_real
def test_what_dumpd_writes_comes_back(message: Any) -> None:
    """Every class comes back exactly, as a message with a meaning, and with the keys in the order of dumpd."""
    native = serial.dumpd(message)
    read = only(native)
    assert read.role != "native"
    assert same_document(again([native]), [native])
    assert list(am.thaw(again(native))["kwargs"]) == list(native["kwargs"])


@each_real
def test_the_dict_form_becomes_what_dumpd_writes(message: Any) -> None:
    """messages_to_dict to envelopes equals the way from one function of LangChain to the other."""
    done = am.convert(core.messages_to_dict([message]), "langchain", LC)
    assert same_document(done.document, [serial.dumpd(message)])
    assert not done.losses


@each_real
def test_what_we_write_loads_as_the_same(message: Any) -> None:
    """LangChain's messages, read and written, load the same as before, field by field."""
    (native,) = loaded(*am.decode(serial.dumpd(message), LC))
    assert type(native) is type(message)
    assert native.model_dump() == message.model_dump()


def test_new_messages_load_as_their_classes() -> None:
    """Messages from elsewhere load with their text, calls, results, usage and roles."""
    call = am.ToolUseBlock(id="c1", name="f", input={"a": 1})
    usage = am.Usage(input=1, output=2, total=3)
    natives = loaded(
        am.Msg.developer("d"),
        am.Msg.user("x", name="ada"),
        am.Msg(
            "assistant",
            [am.TextBlock("y"), call],
            model="gpt-5",
            finish_reason="tool_use",
            usage=usage,
            metadata={"k": 1},
        ),
        am.Msg.tool("z", tool_call_id="c1", name="f"),
        am.Msg.chat("moderator", "w"),
    )
    assert [type(native).__name__[:-7] for native in natives] == ["System", "Human", "AI", "Tool", "Chat"]
    developer, user, answer, result, chat = natives
    assert developer.additional_kwargs == {"__openai_role__": "developer"}
    assert (user.text, user.name, result.tool_call_id, result.name, chat.role) == ("x", "ada", "c1", "f", "moderator")
    assert (answer.text, answer.tool_calls, answer.additional_kwargs) == ("y", [CALL], {"k": 1})
    assert answer.usage_metadata == {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}
    assert answer.response_metadata == {"model_name": "gpt-5", "finish_reason": "tool_calls"}


def test_recorded_conversations_go_through_langchain_and_come_back() -> None:
    """The output of dumpd for recorded messages comes back exactly, and loads the same, field by field."""
    count = 0
    for name, document in documents("langchain"):
        natives: Any = document["messages"] if name.endswith("as state") else []
        real = core.messages_from_dict(
            [{"type": native["type"], "data": native.get("data", native)} for native in natives]
        )
        dumped = serial.dumpd(real)
        history = am.decode(dumped, LC)
        written = am.thaw(am.encode(history, LC))
        assert same_document(written, dumped), name
        declared = [native.model_dump(exclude=set(native.model_extra)) for native in real]
        assert [native.model_dump() for native in serial.load(written, allowed_objects="core")] == declared, name
        assert all(message.role != "native" for message in history), name
        count += len(real)
    assert count > (300 if EVERY == 1 else 5)


# -- spellings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "native",
    [
        envelope("HumanMessage", content="x"),
        envelope("HumanMessage", ["langchain_core", "messages", "human"], content="x", type="human"),
        envelope("AIMessage", ["langchain", "schema"], content="x", additional_kwargs={}),
        envelope("AIMessage", content="x", type="ai", usage_metadata=None, name=None, id=None),
        envelope("ToolMessage", JAVASCRIPT, content="x", tool_call_id="c1"),
        human(additional_kwargs={}, response_metadata={}, example=False),
        {**human(), "name": "HumanMessage", "graph": {"nodes": []}},
    ],
    ids=lambda native: ".".join([*native["id"], *native["kwargs"]]),
)
def test_other_spellings_come_back(native: dict[str, Any]) -> None:
    """Other ids, empty fields, absent ones and unknown keys come back, and have a meaning."""
    message = only(native)
    assert (message.role != "native", message.text) == (True, "x")
    assert same_document(again(native), native)
    assert same_document(again([human(), native]), [human(), native])


@each_real
def test_the_fast_way_and_the_general_one_agree(message: Any) -> None:
    """An empty field that is present anyway changes how an envelope is read, but not its meaning."""
    native = serial.dumpd(message)
    shown: Any = {**native, "kwargs": {**native["kwargs"], "response_metadata": {}}}
    if "response_metadata" not in native["kwargs"]:
        slow, fast = only(shown), only(native)
        assert am.same(slow, fast)
        notes = {key: value for key, value in slow.notes.items() if key != "langchain.lc"}
        assert same_document(am.thaw(am.encode([slow.evolve(notes=notes)], LC)), [native])


def test_unknown_keys_are_extras() -> None:
    """Keys beside kwargs are separate from unknown fields of the message."""
    message = only({**human(example=False), "graph": {}})
    assert message.extras == {"langchain": {"example": False}, "langchain.lc": {"graph": {}}}


def test_new_messages_join_in_the_dialect_of_the_history() -> None:
    """A history of LangChain JS continues in its spelling."""
    native = envelope("HumanMessage", JAVASCRIPT, content="x", additional_kwargs={}, response_metadata={})
    history = am.decode([native], LC)
    assert not history[0].notes
    new = am.Msg.assistant("y")
    answer = am.encode([new], LC, losses=[], dialect="js")[0]
    joined = am.encode(history.evolve(messages=[*history, new]), LC, losses=[])
    assert same_document(joined, [native, answer])
    assert (answer["id"], "type" in answer["kwargs"]) == ([*JAVASCRIPT, "AIMessage"], False)
    assert {"additional_kwargs", "response_metadata"} <= answer["kwargs"].keys()


@pytest.mark.parametrize(
    "native",
    [
        envelope("MyMessage", ["my", "app"], content="x"),
        envelope("HumanMessage", content="x", type="ai"),
        envelope("HumanMessage", content=5, type="human"),
        {"lc": 1, "type": "not_implemented", "id": ["my", "Thing"], "repr": "Thing()"},
    ],
)
def test_what_is_no_message_of_ours_is_kept_whole(native: dict[str, Any]) -> None:
    """Other classes, contradictions, odd fields and objects that dumpd couldn't write are native messages."""
    history = am.decode([human(), native], LC)
    assert [message.role for message in history] == ["user", "native"]
    assert same_document(am.encode(history, LC), [human(), native])


def test_edits_win_over_spellings() -> None:
    """A field that gets a value is written, whatever was noted for it."""
    history = am.decode(human(name=None), LC)
    assert again(human(name=None))["kwargs"]["name"] is None
    edited = history.evolve(messages=[history[0].evolve(name="ada")])
    assert cast("Any", am.encode(edited, LC))["kwargs"]["name"] == "ada"


# -- user data --------------------------------------------------------------------------------------------------------

DATA: list[Any] = [
    SECRET,
    EVIL,
    {"lc": "anything"},
    {"__lc_escaped__": {"lc": 1}},
    {"__lc_escaped__": 1, "other": 2},
    {"deep": [{"__lc_escaped__": {"__lc_escaped__": EVIL}}]},
    {"type": "constructor", "id": ["os", "system"], "kwargs": {}},
]


@pytest.mark.parametrize("data", DATA, ids=json.dumps)
def test_user_data_goes_through_unchanged(data: Any) -> None:
    """A lookalike of a LangChain object is data here, there, and in langchain-core's own output."""
    call = am.ToolUseBlock(id="c1", name="f", input={"o": data})
    messages = [
        am.Msg("assistant", [am.TextBlock("x"), call], metadata={"m": data}),
        am.Msg("tool", [am.ToolResultBlock("c1", [am.TextBlock("x")], artifact=data, status="success")]),
        am.Msg("user", [am.TextBlock("x"), am.DataBlock(data)]),
    ]
    document = am.encode(messages, LC, losses=[])
    assert am.decode(document, LC)[0].metadata["m"] == data
    assert same_document(document, serial.dumpd(serial.load(document, allowed_objects="messages")))
    answer, result, asked = serial.load(document, allowed_objects="messages")
    assert (answer.additional_kwargs["m"], answer.tool_calls[0]["args"]["o"], result.artifact) == (data, data, data)
    assert (asked.content[1]["value"]["data"], type(asked.content[1])) == (data, dict)


@pytest.mark.parametrize(
    "data",
    [SECRET, EVIL, {"a": [SECRET, {"__lc_escaped__": SECRET}]}, {"__lc_escaped__": {"a": 1}}, {"__lc_escaped__": 5}],
    ids=json.dumps,
)
def test_data_that_is_escaped_otherwise_comes_back(data: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Data that an old LangChain left unescaped is plain, and stays unescaped in its own place only."""
    monkeypatch.setenv("LANGCHAIN_LC_CANARY", "resolved")
    native = human(additional_kwargs={"k": data})
    message = only(native)
    assert message.role == "user"
    assert "resolved" not in repr(message)
    assert same_document(again(native), native)
    moved = message.evolve(metadata={"other": message.metadata["k"]})
    (edited,) = am.encode([moved], LC, losses=[])
    assert same_document(edited, human(additional_kwargs=serial.dumpd({"other": am.thaw(message.metadata["k"])})))


def test_other_data_is_never_written_unescaped() -> None:
    """If a document had an unescaped object, an edit that replaces it is escaped."""
    message = only(human(additional_kwargs={"k": SECRET}))
    edited = message.evolve(metadata={"k": EVIL})
    (native,) = am.encode([edited], LC)
    assert same_document(native, human(additional_kwargs={"k": {"__lc_escaped__": EVIL}}))


def test_what_dumpd_gave_up_on_is_data() -> None:
    """A value that isn't JSON stays as dumpd wrote it."""
    native = serial.dumpd(core.HumanMessage("x", additional_kwargs={"at": dt.datetime(2020, 1, 1)}))
    assert only(native).metadata["at"] == native["kwargs"]["additional_kwargs"]["at"]
    assert same_document(again(native), native)


# -- containers -------------------------------------------------------------------------------------------------------

ASKED = [core.HumanMessage("x"), core.AIMessage([{"type": "text", "text": "y"}], id="m1")]
GENERATION = outputs.ChatGeneration(message=ASKED[1], generation_info={"finish_reason": "stop"})
RESULT = {"generations": [[{**GENERATION.model_dump(), "message": serial.dumpd(ASKED[1])}]], "llm_output": None}
RUN = {
    "id": "r1",
    "serialized": {"lc": 1, "type": "not_implemented", "id": ["x", "Model"], "repr": "Model()"},
    "inputs": {"messages": [serial.dumpd(ASKED)]},
    "outputs": {**RESULT, "run": None, "type": "LLMResult"},
}
CONTAINERS: dict[str, tuple[Any, int]] = {
    "list": (serial.dumpd(ASKED), 2),
    "single": (serial.dumpd(ASKED[0]), 1),
    "state": (serial.dumpd({"messages": ASKED, "steps": 1, "meta": SECRET}), 2),
    "empty state": ({"messages": []}, 0),
    "prompt": (serial.dumpd(prompts.ChatPromptValue(messages=ASKED)), 2),
    "concrete prompt": (serial.dumpd(prompts.ChatPromptValueConcrete(messages=ASKED)), 2),
    "generation": (serial.dumpd(GENERATION), 1),
    "chunk": (serial.dumpd(outputs.ChatGenerationChunk(message=core.AIMessageChunk("y"))), 1),
    "result": (RESULT, 1),
    "batch": ({"messages": [serial.dumpd(ASKED), serial.dumpd(ASKED[:1])]}, 3),
    "run": (RUN, 3),
    "event": ({"event": "on_chat_model_end", "data": {"output": serial.dumpd(ASKED[1]), "input": [1]}}, 1),
    "update": ({"agent": {"messages": serial.dumpd(ASKED), "steps": 1}, "other": {"steps": 2}}, 2),
    "thread": ({"values": {"messages": serial.dumpd(ASKED)}, "next": [], "metadata": {"writes": None}}, 2),
    "in a stream": ([serial.dumpd(ASKED[1]), {"langgraph_node": "agent", "secret": SECRET}], 1),
    "rows": ([{"id": i, "message": serial.dumpd(each)} for i, each in enumerate(ASKED)], 2),
    "streamed message": (["messages", [serial.dumpd(ASKED[1]), {"langgraph_node": "agent", "secret": SECRET}]], 1),
    "streamed values": (["values", {"messages": serial.dumpd(ASKED)}], 2),
    "chain": ({"inputs": {"input": serial.dumpd(ASKED[0])}, "outputs": {"output": serial.dumpd(ASKED[1])}}, 2),
}
each_container = pytest.mark.parametrize(("document", "count"), CONTAINERS.values(), ids=CONTAINERS)


@each_container
def test_containers_come_back(document: Any, count: int) -> None:
    """The messages are read in order, and everything around them comes back exactly."""
    history = am.decode(document, LC)
    assert len(history) == count
    assert not any(message.role == "native" for message in history)
    assert same_document(am.encode(history, LC), document)


@each_container
def test_containers_take_edits(document: Any, count: int) -> None:
    """Changed, new or missing messages are written into a container that can hold them, and read again."""
    history = am.decode(document, LC)
    longer = history.evolve(messages=[*history, am.Msg.user("more")])
    for edited in (longer, history.evolve(messages=history.messages[1:])):
        native = am.thaw(am.encode(edited, LC, losses=[]))
        assert am.same(am.decode(native, LC), edited)
    if count:
        changed = history.evolve(messages=[history[0].evolve(content="new"), *history[1:]])
        native = am.thaw(am.encode(changed, LC, losses=[]))
        assert am.decode(native, LC)[0].text == "new"
        assert isinstance(native, dict) is isinstance(document, dict)
        assert isinstance(native, list) or native.keys() == document.keys()


def test_a_prompt_takes_new_messages() -> None:
    """A container of one list of messages holds added ones, and loads as the same class."""
    history = am.decode(CONTAINERS["prompt"][0], LC)
    native = am.encode(history.evolve(messages=[*history, am.Msg.user("more")]), LC, losses=[])
    prompt = serial.load(native, allowed_objects="core")
    assert (type(prompt).__name__, [each.text for each in prompt.messages]) == ("ChatPromptValue", ["x", "y", "more"])


def test_the_text_of_a_generation_follows_its_message() -> None:
    """The text that a generation repeats is that of the written message."""
    history = am.decode(CONTAINERS["generation"][0], LC)
    native: Any = am.encode(history.evolve(messages=[history[0].evolve(content="new")]), LC)
    assert native["kwargs"]["text"] == "new"
    assert serial.load(native, allowed_objects="core").message.text == "new"


# -- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "path"),
    [
        (5, ()),
        ({}, ()),
        ({"lc": 1, "type": "secret", "id": ["HOME"]}, ()),
        (envelope("ChatOpenAI", ["langchain", "chat_models", "openai"], model="gpt-5"), ()),
        (envelope("HumanMessage", content="x") | {"lc": 2}, ()),
        ([human(), {"type": "human", "content": "x"}], (1,)),
        ([human(), SECRET], (1,)),
        ({"messages": [human(), {"role": "user", "content": "x"}]}, ("messages", 1)),
    ],
)
def test_what_is_no_envelope_is_refused(document: Any, path: tuple[Any, ...]) -> None:
    """Other documents are refused with the path, and no name in them is imported."""
    with pytest.raises(am.DecodeError) as caught:
        am.decode(document, LC)
    assert (caught.value.code, caught.value.codec, caught.value.path) == ("schema", LC, path)


def test_the_dict_codec_leaves_envelopes_to_this_one() -> None:
    """A document belongs to one of the two codecs, by its appearance."""
    natives = [human()]
    assert am.detect(natives)[0][0] == LC
    assert am.detect(core.messages_to_dict([core.HumanMessage("x")]))[0][0] == "langchain"


@pytest.mark.parametrize("read", ["python", "js"])
@pytest.mark.parametrize("dialect", ["python", "js"])
def test_the_dialect_that_is_asked_for_is_written(read: Any, dialect: Any) -> None:
    """Whatever was read; without the option it is the dialect that was read."""
    new = am.History([am.Msg.user("hi", id=None), am.Msg("assistant", [am.ToolUseBlock("c1", "f", {})], id="m")])
    document = am.encode(new, LC, dialect=read)
    history = am.decode(document, LC)
    assert am.encode(history, LC) == document
    assert am.encode(history, LC, dialect=dialect) == am.encode(new, LC, dialect=dialect)
