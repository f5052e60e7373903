"""What the SDKs of today have: hosted tools, options of tools and lists of tools of MCP servers."""

from typing import Any

import pytest

import agentmsg as am
from agentmsg.formats.spelling import same_document

REQUESTS: dict[str, dict[str, Any]] = {
    "anthropic": {
        "model": "m",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "hi"}],
    },
    "bedrock": {"messages": [{"role": "user", "content": [{"text": "hi"}]}]},
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]},
    "openai-responses": {"model": "m", "input": [{"role": "user", "content": "hi"}]},
}
HOSTED: list[tuple[str, dict[str, Any]]] = [
    ("anthropic", {"type": "web_search_20250305", "name": "web_search"}),
    ("anthropic", {"type": "code_execution_20250522", "name": "code_execution"}),
    (
        "anthropic",
        {
            "type": "computer_20250124",
            "name": "computer",
            "display_width_px": 10,
            "display_height_px": 10,
        },
    ),
    ("bedrock", {"systemTool": {"name": "nova_grounding"}}),
    ("gemini", {"googleSearch": {}}),
    ("gemini", {"codeExecution": {}}),
    ("gemini", {"urlContext": {}}),
    ("openai-responses", {"type": "web_search"}),
    ("openai-responses", {"type": "code_interpreter", "container": {"type": "auto"}}),
    ("openai-responses", {"type": "file_search", "vector_store_ids": ["v"]}),
    ("openai-responses", {"type": "image_generation"}),
    (
        "openai-responses",
        {
            "type": "computer_use_preview",
            "display_width": 10,
            "display_height": 10,
            "environment": "linux",
        },
    ),
    ("openai-responses", {"type": "mcp", "server_label": "s", "server_url": "https://x.org"}),
]
TARGETS = (
    "anthropic",
    "bedrock",
    "gemini",
    "langchain",
    "openai",
    "openai-responses",
    "pydantic-ai",
    "vercel",
)


# What is the same tool elsewhere: by source and target, the tool there, and what it can't be told.
_SEARCH: Any = {"type": "web_search_20250305", "name": "web_search"}
_RUNNER: Any = {"type": "code_interpreter", "container": {"type": "auto"}}
_SITE: Any = ["a.org"]
_PLACE: Any = {"type": "approximate", "city": "Oslo"}
_CODE: Any = {"type": "code_execution_20250825", "name": "code_execution"}
_SAME: list[tuple[Any, Any, Any, Any, str]] = [
    ("anthropic", _SEARCH, "gemini", {"googleSearch": {}}, ""),
    # Unless it is told a place, OpenAI takes the user to be in the United States.
    ("anthropic", _SEARCH, "openai-responses", {"type": "web_search", "user_location": {"type": "approximate"}}, ""),
    (
        "anthropic",
        {**_SEARCH, "user_location": _PLACE, "allowed_domains": _SITE, "max_uses": 3},
        "openai-responses",
        {"type": "web_search", "user_location": _PLACE, "filters": {"allowed_domains": _SITE}},
        "max_uses",
    ),
    ("anthropic", {**_SEARCH, "blocked_domains": _SITE}, "gemini", {"googleSearch": {"excludeDomains": _SITE}}, ""),
    ("anthropic", {**_SEARCH, "allowed_domains": _SITE}, "gemini", {"googleSearch": {}}, "allowed_domains"),
    ("anthropic", {**_SEARCH, "type": "web_search_20260318"}, "gemini", {"googleSearch": {}}, ""),
    ("anthropic", {"type": "code_execution_20250522", "name": "code_execution"}, "gemini", {"codeExecution": {}}, ""),
    ("anthropic", _CODE, "openai-responses", _RUNNER, ""),
    ("anthropic", {"type": "web_fetch_20250910", "name": "web_fetch"}, "gemini", {"urlContext": {}}, ""),
    ("gemini", {"googleSearch": {}}, "anthropic", _SEARCH, ""),
    ("gemini", {"google_search": {"exclude_domains": _SITE}}, "anthropic", {**_SEARCH, "blocked_domains": _SITE}, ""),
    ("gemini", {"googleSearch": {"timeRangeFilter": {"startTime": "t"}}}, "anthropic", _SEARCH, "timeRangeFilter"),
    ("gemini", {"codeExecution": {}}, "anthropic", _CODE, ""),
    ("gemini", {"urlContext": {}}, "anthropic", {"type": "web_fetch_20250910", "name": "web_fetch"}, ""),
    ("openai-responses", {"type": "web_search"}, "anthropic", _SEARCH, ""),
    (
        "openai-responses",
        {"type": "web_search_preview", "search_context_size": "high", "user_location": _PLACE},
        "anthropic",
        {**_SEARCH, "user_location": _PLACE},
        "search_context_size",
    ),
    ("openai-responses", _RUNNER, "gemini", {"codeExecution": {}}, ""),
    ("openai-responses", {"type": "code_interpreter", "container": "c1"}, "gemini", {"codeExecution": {}}, "container"),
]  # fmt: skip


def _asking(codec: str, *tools: Any) -> dict[str, Any]:
    return {**REQUESTS[codec], **({"toolConfig": {"tools": [*tools]}} if codec == "bedrock" else {"tools": [*tools]})}


@pytest.mark.parametrize(("source", "tool", "target", "same", "lost"), _SAME)
def test_the_same_tool_of_another_provider(source: Any, tool: Any, target: Any, same: Any, lost: str) -> None:
    """A tool that both providers run converts; what it can't be told there is told, and all comes back."""
    given = _asking(source, tool)
    done = am.convert(given, source=source, target=target)
    assert done.document["tools"] == [same]
    told = [loss for loss in done.losses if loss.path[:2] == ("tools", 0)]
    assert {loss.level for loss in told} == {"setting" if lost else "annotation"}
    assert all(loss.why.endswith(f", without {lost}" if lost else "for the same") for loss in told)
    assert am.thaw(am.encode(am.restore(am.decode(done.document, target), done.losses), source)) == given


_WORDS = {
    "web_search": 0, "googleSearch": 0, "code_execution": 1, "codeExecution": 1, "code_interpreter": 1, "urlContext": 2,
}  # fmt: skip
_SEARCH_AND_CODE = {"anthropic", "gemini", "openai-responses"}
_HAVE = (_SEARCH_AND_CODE, _SEARCH_AND_CODE, {"anthropic", "gemini"})


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("source", "tool"), HOSTED, ids=lambda value: str(value)[:40])
def test_any_other_hosted_tool_is_written_to_its_own_provider_only(source: Any, tool: Any, target: Any) -> None:
    """A provider's own tool returns to it; to a format without the same tool it is told as lost content."""
    given = _asking(source, tool)
    done = am.convert(given, source=source, target=target)
    if target == source:
        assert done.document == given
        return
    kind = next((kind for word, kind in _WORDS.items() if word in str(tool)), None)
    if kind is not None and target in _HAVE[kind]:
        assert len(done.document["tools"]) == 1
        return
    assert "tools" not in done.document
    assert "toolConfig" not in done.document
    told = [loss.level for loss in done.losses if loss.path[:2] == ("tools", 0)]
    assert told == ["content"]


@pytest.mark.parametrize(
    "said", [{"web_search_options": {}}, {"search_parameters": {}}, {"enable_search": True}], ids=str
)
@pytest.mark.parametrize("target", ["anthropic", "gemini", "openai-responses"])
def test_a_search_among_the_parameters_is_content(said: dict[str, Any], target: Any) -> None:
    """A parameter that lets the model search is a tool, whatever its value; only models of that kind take it."""
    given: Any = {"messages": [{"role": "user", "content": "hi"}], **said}
    losses = am.convert(given, source="openai", target=target).losses
    assert [loss.path[-1] for loss in losses.content] == [*said]


NOTHING: Any = {}
FUNCTION: Any = {"name": "f", "input_schema": {"type": "object", "properties": NOTHING}}
CALL: Any = {"role": "model", "parts": [{"functionCall": {"name": "f", "args": NOTHING}}]}
RESULT: Any = {"name": "f", "response": {"output": "x"}}
LIST: Any = {
    "type": "mcp_list_tools",
    "id": "mcpl_1",
    "server_label": "s",
    "tools": [{"name": "q", "input_schema": NOTHING}, {"name": "r", "input_schema": NOTHING}],
}
SAID: Any = {
    "type": "message",
    "id": "m1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "yes", "annotations": list(NOTHING)}],
}
OPTIONS: list[tuple[str, dict[str, Any], dict[str, str]]] = [
    (
        "anthropic",
        {
            **REQUESTS["anthropic"],
            "tools": [
                {
                    **FUNCTION,
                    "defer_loading": True,
                    "input_examples": [{"a": 1}],
                    "eager_input_streaming": True,
                    "allowed_callers": ["direct"],
                }
            ],
        },
        {
            "defer_loading": "annotation",
            "input_examples": "content",
            "eager_input_streaming": "annotation",
            "allowed_callers": "annotation",
        },
    ),
    (
        "gemini",
        {
            "contents": [
                {"role": "user", "parts": [{"text": "hi"}]},
                CALL,
                {
                    "role": "user",
                    "parts": [
                        {
                            "functionResponse": {
                                **RESULT,
                                "scheduling": "SILENT",
                                "willContinue": True,
                            }
                        }
                    ],
                },
            ]
        },
        {"scheduling": "annotation", "willContinue": "annotation"},
    ),
]


@pytest.mark.parametrize("target", ["bedrock", "openai", "openai-responses"])
@pytest.mark.parametrize(("source", "given", "levels"), OPTIONS)
def test_options_of_a_tool_are_told_by_key(
    source: Any, given: dict[str, Any], levels: dict[str, str], target: Any
) -> None:
    """Options that one provider has leave the tool or result readable, and are each one loss."""
    assert am.convert(given, source=source, target=source).document == given
    done = am.convert(given, source=source, target=target)
    assert not [loss for loss in done.losses if "can write this" in str(loss)]
    told = {str(loss.path[-1]): loss.level for loss in done.losses if "extras" in loss.path}
    assert told == levels


@pytest.mark.parametrize("target", ["anthropic", "gemini", "openai", "vercel"])
def test_a_list_of_a_servers_tools_is_content(target: Any) -> None:
    """A list of MCP tools, which a model reads, is no list of the client's tools: it is lost content, told by names."""
    given: Any = {"id": "r", "object": "response", "model": "m", "output": [LIST, SAID]}
    done = am.convert(given, source="openai-responses-response", target=target)
    told = [(loss.level, loss.why) for loss in done.losses if loss.path[-2:] == ("content", 0)]
    assert told == [("content", "only openai-responses can write this: mcp_list_tools of q, r")]


# -- calls that the server of a response ran itself -------------------------------------------------------------------


def _call(kind: str, link: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "call_id": link, "status": "completed", **more}


ASKED = _call("function_call", "c1", id="fc_1", name="f", arguments='{"a":1}')
GIVEN = _call("function_call_output", "c1", id="fco_1", output="42")
RAN: list[tuple[str, list[dict[str, Any]], str]] = [
    ("a function", [ASKED, GIVEN], "42"),
    ("parts", [ASKED, {**GIVEN, "output": [{"type": "input_text", "text": "42"}]}], "42"),
    (
        "a custom tool",
        [
            _call("custom_tool_call", "c2", id="ctc_1", name="f", input="x"),
            _call("custom_tool_call_output", "c2", id="ctco_1", output="42"),
        ],
        "42",
    ),
    (
        "a shell",
        [
            _call("shell_call", "c3", id="sh_1", action={"commands": ["ls"]}),
            _call("shell_call_output", "c3", id="sho_1", output=[{"stdout": "42", "stderr": ""}]),
        ],
        '[{"stdout":"42","stderr":""}]',
    ),
    (
        "a patch",
        [
            _call("apply_patch_call", "c4", id="apc_1", operation={"type": "delete_file", "path": "a"}),
            _call("apply_patch_call_output", "c4", id="apo_1", output="42"),
        ],
        "42",
    ),
]
ANSWERS: Any = "openai-responses-response"
READERS = ("anthropic", "anthropic-response", "gemini", "langchain", "openai", "openai-response")


def _answer(*output: Any) -> dict[str, Any]:
    return {"id": "resp_1", "object": "response", "model": "m", "status": "completed", "output": [*output]}


@pytest.mark.parametrize(("name", "items", "text"), RAN)
def test_a_result_in_a_response_tells_that_the_server_ran_the_tool(name: str, items: Any, text: str) -> None:
    """A call with its result in one response is of the kind "server"; the response is complete, and comes back."""
    document = _answer(*items, SAID)
    history = am.decode(document, ANSWERS)
    call, result, _ = history[0].content
    assert isinstance(call, am.ToolUseBlock)
    assert isinstance(result, am.ToolResultBlock)
    assert (call.kind, result.kind, result.tool_call_id, result.name) == ("server", "server", call.id, call.name)
    assert history[0].finish_reason == "stop"
    assert same_document(am.thaw(am.encode(history, ANSWERS)), document)


@pytest.mark.parametrize("target", READERS)
@pytest.mark.parametrize(("name", "items", "text"), RAN)
def test_what_a_server_returned_reaches_other_formats(name: str, items: Any, text: str, target: Any) -> None:
    """As of other tools that a provider runs, the call and its result are at least text, and all comes back."""
    document = _answer(*items, SAID)
    done = am.convert(document, ANSWERS, target)
    assert all(text in message.text or message.has(am.ToolResultBlock) for message in am.decode(done.document, target))
    assert not any("can write this" in str(loss) for loss in done.losses)
    restored = am.restore(am.decode(done.document, target), done.losses)
    assert same_document(am.thaw(am.encode(restored, ANSWERS)), document)


@pytest.mark.parametrize(("name", "items", "text"), RAN)
def test_a_request_goes_on_with_the_items_of_a_response(name: str, items: Any, text: str) -> None:
    """In a request, the same items are a client's call and result, and no content is lost."""
    done = am.convert(_answer(*items, SAID), ANSWERS, "openai-responses")
    assert same_document(done.document, {"input": [*items, SAID]})
    assert not done.losses.content
    assert [message.role for message in am.decode(done.document, "openai-responses")] == [
        "assistant",
        "tool",
        "assistant",
    ]


def test_only_what_has_a_result_was_run() -> None:
    """A call without a result is the client's; results go with calls in order; a lone result is the server's, too."""
    other = {**ASKED, "id": "fc_2", "call_id": "c9"}
    again = {**ASKED, "id": "fc_3"}
    lone = {**GIVEN, "call_id": "c8", "id": "fco_8"}
    document = _answer(other, ASKED, again, GIVEN, lone)
    history = am.decode(document, ANSWERS)
    kinds = [getattr(block, "kind", None) for block in history[0].content]
    assert kinds == ["function", "server", "function", "server", "server"]
    assert history[0].finish_reason == "tool_use"
    assert same_document(am.thaw(am.encode(history, ANSWERS)), document)


def test_a_call_without_the_result_it_had_is_text() -> None:
    """If the result is removed, the call isn't handed to the client as if it had never run."""
    history = am.decode(_answer(ASKED, GIVEN, SAID), ANSWERS)
    call, _, said = history[0].content
    losses: list[am.Loss] = []
    edited = am.History((history[0].with_content([call, said]),))
    output = am.encode(edited, ANSWERS, losses=losses)["output"]
    assert [item["type"] for item in output] == ["message", "message"]
    assert 'server_tool_call name="f"' in str(output[0])
    assert any(loss.level == "content" for loss in losses)
