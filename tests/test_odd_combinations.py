"""Documents whose values contradict each other, or have no meaning in their place: each comes back exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import agentmsg as am
from agentmsg.testing.laws import exact_return, honest_account, returns_through

if TYPE_CHECKING:
    from collections.abc import Callable

_HINT: Any = {"cache_control": {"type": "ephemeral"}}
_NOTED: Any = [{"type": "url_citation", "url_citation": {"url": "u", "title": "t", "start_index": 0, "end_index": 1}}]
_PLACED = {"title": "D", "sourceContent": [{"text": "g"}], "location": {"unknownPlace": {"a": 1}}}
_TOOLS = '[{"function": {"parameters": {"b": 1, "a": 2}, "name": "f"}, "type": "function"}]'
_LABELLED = ("web_search_call", "tool_search_call", "code_interpreter_call", "program")
_KEYS: dict[str, Any] = {
    "id": "x_1", "call_id": "c", "code": "x=1", "container_id": "n", "arguments": {}, "fingerprint": "f",
}  # fmt: skip
_PENDING: Any = {"type": "tool-find", "toolCallId": "c", "state": "input-available", "input": {}}
_DONE: Any = {**_PENDING, "state": "output-available", "output": "x"}
_OTHER: Any = {**_DONE, "type": "tool-open"}
_SAID: Any = {"type": "text", "text": "a"}
_ASKED: Any = {"part_kind": "user-prompt", "content": "a"}
_OUTPUT: Any = {"type": "tool_result", "id": "c", "name": "f", "output": "r"}
_RESULT_BEHIND: Any = {"role": "assistant", "content": [{"type": "text", "text": "a"}, _OUTPUT], "url": "x"}
_SOUND: Any = {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}
_NO_TIMES: tuple[Any, ...] = ([], "", {"a": 0}, 0.0)
_NO_TEXTS: tuple[Any, ...] = ({}, {"content": []})
_EMPTY_PROMPTS: tuple[Any, ...] = ([], [{"role": "system", "content": []}])
_EMPTY_FIELDS: tuple[Any, ...] = ({"usageMetadata": None}, {"createTime": ""})
_CITED: Any = {"sources": [{"kind": "web", "url": "u"}], "anchor": {"kind": [], "start": 0, "end": 1}}
_NO_LISTS: tuple[Any, ...] = ({}, "err", None)
_DENIED = {"id": "c", "approved": False, "reason": "no"}


def _messages(**message: Any) -> Any:
    return {"messages": [message]}


def _item(**item: Any) -> Any:
    return {"input": [item]}


def _contents(**part: Any) -> Any:
    return {"contents": [{"role": "model", "parts": [part]}]}


def _parts(**part: Any) -> Any:
    return _messages(role="assistant", content=[part])


def _counts(**counts: int) -> Any:
    usage = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}
    return {"output": [], "usage": {**usage, "input_tokens_details": {}, "output_tokens_details": {}, **counts}}


def _response(**part: Any) -> Any:
    return [{"kind": "response", "model_name": "m", "parts": [{"part_kind": "tool-call", **part}]}]


def _request(*parts: Any, **more: Any) -> Any:
    return [{"kind": "request", "parts": list(parts), **more}]


def _repeated(**more: Any) -> Any:
    request = {"kind": "request", "instructions": "Be brief.", "parts": [{"part_kind": "user-prompt", "content": "a"}]}
    return [request, {**request, **more}]


def _file(kind: str) -> Any:
    part = {"type": "file", "data": {"type": "text", "text": "x"}, "mediaType": kind}
    return [{"role": "user", "content": [part]}]


def _steps(*messages: list[Any]) -> Any:
    return [{"id": f"m{number}", "role": "assistant", "parts": parts} for number, parts in enumerate(messages)]


def _turn(word: str, value: str, **more: Any) -> Any:
    return {"from": word, "value": value, **more}


_SAME = [_turn("function_call", '{"name": "f", "arguments": {}, "id": "x"}'), _turn("observation", "1")]


def _odd_link() -> am.History:
    """Return a result with an id, beside one without, whose call gets another."""
    call, result = (
        am.ToolUseBlock("c", "f", {}),
        am.ToolResultBlock("c", "1", name="f", notes={"sharegpt": {"/id": True}}),
    )
    beside = am.Msg(role="tool", content=(result,), extras={"sharegpt": {"tool_call_id": 5}})
    return am.History.of(am.Msg(role="assistant", content=(call,)), beside)


def _answer(**fields: Any) -> am.History:
    return am.History.of(am.Msg(role="assistant", content="x", model="m", **fields))


def _search(name: str) -> am.History:
    call = am.ToolUseBlock(None, name, {"_raw": 1}, kind="server", provider="openai", item_id="ws_1")
    return am.History.of(am.Msg(role="assistant", content=(call,)))


def _result(block: am.FileBlock) -> am.History:
    return am.History.of(am.Msg(role="tool", content=(am.ToolResultBlock("c", (block,)),)))


_CALL = {"name": "f", "arguments": "{}"}
_AUDIO = {"id": "a1", "data": "aGk=", "transcript": "t"}
_TEXT = {"type": "text", "text": "t"}
_ROLE = "__openai_role__"
_IN_KWARGS: tuple[Any, ...] = (
    {"tool_calls": [{"id": "c", "type": "function", "function": _CALL}]},
    {"function_call": _CALL}, {"reasoning_content": "t"}, {"refusal": "no"}, {"audio": _AUDIO},
)  # fmt: skip
_OF_DEVELOPERS: tuple[Any, ...] = ("x", {_ROLE: {}}, {_ROLE: "developer"}, {"a": 1})
_EXTRAS: tuple[Any, ...] = ("x", [1], 5, True, [], [[]], {"block_type": "x"}, {"provider": 5})
_WRAPPED: tuple[Any, ...] = (
    {"type": "search_result", "source": "u", "content": [_TEXT]},
    {"type": "mcp_tool_result", "tool_use_id": "x", "content": []},
    {"type": "container_upload", "file_id": "f"},
    {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
)


def _ai(content: Any = "x", **more: Any) -> Any:
    return {"type": "ai", "content": content, **more}


def _by_anthropic(**part: Any) -> Any:
    return [_ai([part], response_metadata={"model_provider": "anthropic"})]


def _server_result(**more: Any) -> Any:
    return _by_anthropic(type="server_tool_result", tool_call_id="s1", status="success", output="x", **more)


def _chat(**more: Any) -> Any:
    return [{"type": "chat", "role": "assistant", "content": "x", **more}]


def _role(word: str, kwargs: Any, **more: Any) -> Any:
    return [{"role": word, "content": "x", "additional_kwargs": kwargs, **more}]


def _wrapped(value: Any, **beside: Any) -> Any:
    return [{"type": "human", "content": [{"type": "non_standard", "value": value, **beside}]}]


def _first_kind(link: str) -> Any:
    call = _ai("", additional_kwargs={"function_call": _CALL})
    return [call, {"type": "tool", "content": "r", "tool_call_id": link}]


_LANGCHAIN: tuple[Any, ...] = (
    _server_result(),
    *(_server_result(extras=extras) for extras in _EXTRAS),
    _by_anthropic(type="server_tool_call", id="srvtoolu_1", name="remote_mcp", args={}, extras="x"),
    *(_chat(additional_kwargs=kwargs) for kwargs in _IN_KWARGS),
    _chat(additional_kwargs=_IN_KWARGS[0], tool_calls=[]),
    *(_role("developer", kwargs) for kwargs in _OF_DEVELOPERS),
    _role("developer", None, tool_calls=[]),
    _role("system", {_ROLE: "developer"}),
    [{"type": "chat", "role": "system", "content": "x", "additional_kwargs": {_ROLE: "developer"}}],
    *([_ai(additional_kwargs={"audio": {**_AUDIO, key: {"a": 1}}})] for key in ("type", "extras", "url", "source")),
    *(_wrapped(value) for value in _WRAPPED),
    *(_wrapped(value, id="i", extras={"cache_control": {"type": "x"}}) for value in _WRAPPED),
    [{"type": "AIMessageChunk", "content": [{"type": "tool_call_chunk", "index": 0, "error": {}}],
      "invalid_tool_calls": [{"args": "{"}]}],
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "document"),
    [
        *(("langchain", document) for document in _LANGCHAIN),
        ("openai", _messages(role="user", content=[{"type": "text", "text": "a", **_HINT}], **_HINT)),
        ("openai", _messages(role="user", content=[_SOUND], **_HINT)),
        *(
            ("openai", _messages(role="assistant", content=text, refusal="no", annotations=_NOTED))
            for text in (None, "x")
        ),
        ("openai", _messages(role="assistant", content=None, function_call=_CALL, tool_calls="x")),
        ("gemini", _contents(text="", thought=True, thoughtSignature="AA==")),
        ("gemini", _contents(fileData={"fileUri": "data:image/png;base64,AAAA", "mimeType": "image/png"})),
        ("gemini", _contents(functionResponse={"id": None, "name": "f", "parts": None, "response": {}}, text=None)),
        ("gemini", _contents(inlineData={"data": "AAAA", "mimeType": "image/png"}, thought=True)),
        *(("gemini-response", {"candidates": [{"content": None}], **more}) for more in _EMPTY_FIELDS),
        *(("gemini-response", {"createTime": value, "modelVersion": ""}) for value in _NO_TIMES),
        ("gemini-response", {"create_time": "x", "candidates": [{"finish_reason": "x"}, {"finish_reason": "STOP"}]}),
        ("bedrock", _parts(toolResult={"toolUseId": "c", "content": [{"text": "a"}, {"cachePoint": {"type": "x"}}]})),
        ("bedrock", _parts(citationsContent={"content": [{"text": "G."}], "citations": [_PLACED]})),
        *(("bedrock", _parts(citationsContent={"citations": [_PLACED], **said})) for said in _NO_TEXTS),
        ("bedrock", _parts(document={"name": "n", "format": "txt", "source": {"content": []}})),
        ("bedrock", _parts(audio={"format": "mpeg", "source": {"bytes": "AAAA"}})),
        *(("bedrock", {"system": [], "messages": messages}) for messages in _EMPTY_PROMPTS),
        ("hf", {"messages": [], "tools": _TOOLS}),
        ("sharegpt", {"conversations": [], "tools": _TOOLS}),
        (
            "openai-responses",
            _item(role="user", content=[{"type": "input_file", "file_url": "data:text/plain;base64,AA"}]),
        ),
        ("openai-responses", _item(type="computer_call", call_id="c", action={"_raw": 1})),
        ("openai-responses", _item(type="computer_call", call_id="c", action={"actions": []})),
        ("openai-responses", _item(type="compaction", encrypted_content="")),
        *(("openai-responses", _item(type=tag, **_KEYS, server_label="s")) for tag in _LABELLED),
        *(("openai-responses", _item(type="shell_call_output", call_id="c", output=each)) for each in _NO_LISTS),
        ("openai-responses", _item(role="assistant", id="x", content=[{"type": "refusal", "refusal": "no"}] * 2)),
        ("openai-responses-response", _counts(cache_write_tokens=0)),
        ("openai-responses-response", {"output": [], "status": 0, "incomplete_details": None}),
        ("agentscope", [{"role": "user", "content": [{"type": "hint", "hint": [{"type": "video", "url": "x"}]}]}]),
        ("agentscope", [_RESULT_BEHIND, {"role": "user", "content": "x"}]),
        ("agentscope", [_RESULT_BEHIND, {"role": "user", "content": "x", "created_at": None}]),
        ("pydantic-ai", _response(tool_name="f", args="{}", tool_call_id="c", provider_details={"phase": "final"})),
        (
            "pydantic-ai",
            [{"kind": "response", "parts": [{"part_kind": "text", "content": "a", "citations": [_CITED]}]}],
        ),
        ("pydantic-ai", _repeated(metadata={"a": 1})),
        ("pydantic-ai", _request({"part_kind": "retry-feedback", "content": "x"})),
        ("langgraph", {"checkpoint": {"channel_values": {"messages": [_ai()]}}, "messages": []}),
        ("sharegpt", {"conversations": [*_SAME, _turn("observation", "2", tool_call_id="x"), *_SAME]}),
        (
            "synaptic",
            [{"role": "chat", "custom_role": "assistant", "content": "x", "response_metadata": {"model": "m"}}],
        ),
        *(("vercel", _file(kind)) for kind in ("image/svg+xml", "audio/mpeg", "text/plain")),
        ("vercel-ui", _steps([_PENDING, _DONE])),
        ("vercel-ui", _steps([_PENDING, {"type": "step-start"}, _DONE])),
        ("vercel-ui", _steps([_PENDING], [_DONE])),
        ("vercel-ui", _steps([{**_DONE, "approval": _DENIED}])),
        ("vercel-ui", _steps([{**_PENDING, "state": "output-denied", "approval": _DENIED, "errorText": "b"}])),
    ],
)
def test_odd_combinations_come_back(name: am.CodecName, document: Any) -> None:
    """Contradictory or meaningless values are kept unchanged."""
    assert exact_return(am.get_codec(name), document) is not None


def _twice(name: am.CodecName, *documents: Any) -> am.History:
    """Return all documents, each twice in a row."""
    messages = [message for document in documents for message in am.decode(document, name).messages]
    return am.History(messages=messages * 2)


def _without_first(name: am.CodecName, document: Any) -> am.History:
    """Return a document whose messages lack the first of their blocks."""
    history = am.decode(document, name)
    return history.evolve(messages=[message.evolve(content=message.content[1:]) for message in history.messages])


def _answered_second(name: str | None) -> am.History:
    """Return two calls of one id, and a result of the second with this name."""
    calls = [am.Msg(role="assistant", content=[am.ToolUseBlock(id="c", name=tool)]) for tool in ("find", "open")]
    return am.History([*calls, am.Msg(role="tool", content=[am.ToolResultBlock("c", name=name, content="x")])])


_CALLS = _turn("function_call", '[{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}]')
_LINKED = _turn("observation", "3", tool_call_id="call_0_0_f")
# The second shares the first one's native message, because it loses the id that depends on its place.
_NUMBERED: Any = [
    {
        "id": f"agentmsg-{number}",
        "role": "assistant",
        "parts": [_DONE, {"type": "step-start"}, {"type": "text", "text": "b"}],
    }
    for number in (5, 2, 3)
]
_BLOCKS = am.FileBlock(am.BlocksSource((am.TextBlock("a"),)))


@pytest.mark.parametrize(
    ("name", "history"),
    [
        (
            "sharegpt",
            am.decode(
                {"conversations": [_turn("observation", "1"), _CALLS, _LINKED, _turn("observation", "2")]}, "sharegpt"
            )[1:],
        ),
        ("sharegpt", _odd_link()),
        *(("synaptic", _answer(response_metadata={"model": each, "a": 1})) for each in (5, None, "other")),
        ("vercel", _result(_BLOCKS.evolve(extras={"vercel": {"a": 1}}))),
        ("vercel", _result(_BLOCKS.evolve(extras={"langchain": {"a": 1}}))),
        ("agentscope", _without_first("agentscope", [{"role": "system", "content": "x", "url": "x"}])),
        ("agentscope", _without_first("agentscope", [{**_RESULT_BEHIND, "content": [_OUTPUT], "timestamp": None}])),
        ("agentscope", _twice("agentscope", [{**_RESULT_BEHIND, "created_at": None}])),
        ("pydantic-ai", _twice("pydantic-ai", _request({}, instructions="s"))),
        ("pydantic-ai", _twice("pydantic-ai", _request(_ASKED, instructions="s", metadata={"a": 1}))),
        ("pydantic-ai", _twice("pydantic-ai", _request(_ASKED, _ASKED, instructions="s", run_id=5))),
        *(("openai-responses", _search(name)) for name in ("web_search", "tool_search")),
        ("vercel-ui", _twice("vercel-ui", [{"id": "agentmsg-1", "role": "user", "parts": []}])),
        ("vercel-ui", _twice("vercel-ui", _steps([_SAID]), _NUMBERED)),
        *(("vercel-ui", _answered_second(name)) for name in ("find", "open", None)),
    ],
)
def test_odd_combinations_are_told(name: am.CodecName, history: am.History) -> None:
    """Losses of such values are reported, and only real losses are."""
    honest_account(am.get_codec(name), history)


def test_sharegpt_has_parallel_calls_in_turns_of_their_own() -> None:
    """Results answer the calls of all turns in a row, in their order."""
    calls = [_turn("function_call", f'{{"name": "{name}", "arguments": {{}}}}') for name in ("f", "g")]
    results = [_turn("observation", text) for text in ("1", "2")]
    document: Any = {
        "conversations": [*calls, *results, _turn("gpt", "a"), calls[0], _turn("human", "b"), calls[1], results[0]]
    }
    history = exact_return(am.get_codec("sharegpt"), document)
    assert history is not None
    links = [result.tool_call_id for message in history for result in message.tool_results]
    ids = [call.id for message in history for call in message.tool_calls]
    assert links == [ids[0], ids[1], ids[3]]


_THROUGH: tuple[Any, ...] = (
    *(("langchain", [_ai(additional_kwargs=kwargs)], "json") for kwargs in _IN_KWARGS),
    *(("langchain", document, "json") for document in _LANGCHAIN),
    *(("langchain", _first_kind(link), through) for link in ("", "x") for through in ("json", "openai")),
    ("langchain", [{"type": "AIMessageChunk", "example": {}, "tool_call_chunks": "x"}], "langchain-lc"),
    ("langchain", [{"type": "tool", "tool_calls": [], "name": 5}], "langchain-lc"),
    ("langchain", [_ai(tool_calls=0, zz=1)], "langchain-lc"),
    *(("vercel-ui", _steps([_PENDING], [_OTHER]), through) for through in ("json", "openai-response")),
    ("vercel-ui", _steps([_PENDING, {"type": "step-start"}, _OTHER]), "langchain"),
)


@pytest.mark.parametrize(("name", "document", "through"), _THROUGH)
def test_odd_combinations_come_back_through_others(name: am.CodecName, document: Any, through: am.CodecName) -> None:
    """The history's past doesn't matter: no value that was only remembered is written."""
    assert returns_through(am.get_codec(name), document, am.get_codec(through)) is not None


def _with_id(message: am.Msg) -> am.Msg:
    return message.evolve(content=(message.tool_results[0].evolve(tool_call_id="new"),))


def _with_error(message: am.Msg) -> am.Msg:
    return message.evolve(content=(message.tool_results[0].evolve(error="e"),))


def _with_call(message: am.Msg) -> am.Msg:
    return message.evolve(content=(*message.content, am.ToolUseBlock("c9", "g", {})))


def _without_notes(message: am.Msg) -> am.Msg:
    return message.evolve(notes={})


def _of_nobody(message: am.Msg) -> am.Msg:
    return message.evolve(response_metadata={})


def _as_result(message: am.Msg) -> am.Msg:
    return am.Msg("tool", (am.ToolResultBlock("c", message.content),))


def _reversed(message: am.Msg) -> am.Msg:
    return message.evolve(content=message.content[::-1])


def _blocks_twice(message: am.Msg) -> am.Msg:
    return message.evolve(content=message.content * 2)


def _from_tool(message: am.Msg) -> am.Msg:
    return message.evolve(role="tool")


def _text_first(message: am.Msg) -> am.Msg:
    return message.evolve(content=(am.TextBlock("a"), *message.content))


def _of_openai(**more: Any) -> Any:
    return {"id": "c", "type": "function", "function": _CALL, **more}


# Two calls of one id, one of which has more fields: in `additional_kwargs`, in the content.
_TWINS: tuple[Any, ...] = (
    _ai("", additional_kwargs={"tool_calls": [_of_openai(), _of_openai(caller=5)]}),
    _ai([{"type": "tool_use", "id": "c", "name": "f", "input": said} for said in ({"a": 1}, {})],
        tool_calls=[{"id": "c"}]),
)  # fmt: skip
_SEARCH = _by_anthropic(type="server_tool_call", id="c", name="web_search", args={})
_SIGNED: Any = {"type": "reasoning", "reasoning": "t", "extras": {"signature": "s"}}


@pytest.mark.parametrize(
    ("name", "document", "change"),
    [
        ("langchain", {"type": "function", "content": "x", "status": {}}, _with_id),
        ("langchain", {"type": "tool", "content": "x", "status": 5}, _with_error),
        ("langchain", _role("system", {_ROLE: "developer"}, type={}), _without_notes),
        ("langchain", _chat(tool_calls=[], additional_kwargs=_IN_KWARGS[0]), _with_call),
        ("langchain", _SEARCH, _of_nobody),
        ("langchain", _SEARCH, _as_result),
        ("langchain", [_ai([_SIGNED], response_metadata={"model_provider": "openai"})], _of_nobody),
        ("langchain", [_ai(invalid_tool_calls="x")], _from_tool),
        ("langchain", [_ai("a", tool_calls="x", invalid_tool_calls=[{}])], _blocks_twice),
        *(("langchain", [twins], edit) for twins in _TWINS for edit in (_reversed, _blocks_twice, _with_call)),
        ("pydantic-ai", _request({"part_kind": "retry-prompt", "tool_name": "f", "tool_call_id": "c"}), _text_first),
    ],
)
def test_odd_combinations_are_told_after_edits(
    name: am.CodecName, document: Any, change: Callable[[am.Msg], am.Msg]
) -> None:
    """Content that an edit leaves no place for is in the loss report, and everything else is written."""
    history = am.decode(document, name)
    honest_account(am.get_codec(name), history.evolve(messages=[change(history[0])]))


def test_a_result_that_gets_another_id_leaves_its_call_the_old_one() -> None:
    """A call of OpenAI's first kind, with an id from its result, keeps it if the result has another."""
    history = am.decode(_first_kind("x"), "langchain")
    honest_account(am.get_codec("langchain"), history.evolve(messages=[history[0], _with_id(history[1])]))
