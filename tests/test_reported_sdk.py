"""What the SDKs of today have: hosted tools, options of tools and lists of tools of MCP servers."""

from typing import Any

import pytest

import agentmsg as am

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


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("source", "tool"), HOSTED, ids=lambda value: str(value)[:40])
def test_a_hosted_tool_is_written_to_its_own_provider_only(source: Any, tool: dict[str, Any], target: Any) -> None:
    """A provider's own tool returns to it; to any other format it is told as lost content."""
    tools = {"toolConfig": {"tools": [tool]}} if source == "bedrock" else {"tools": [tool]}
    given = {**REQUESTS[source], **tools}
    done = am.convert(given, source=source, target=target)
    if target == source:
        assert done.document == given
        return
    assert "tools" not in done.document
    assert "toolConfig" not in done.document
    told = [loss.level for loss in done.losses if loss.path[:2] == ("tools", 0)]
    assert told == ["content"]


NOTHING: Any = {}
FUNCTION: Any = {"name": "f", "input_schema": {"type": "object", "properties": NOTHING}}
CALL: Any = {"role": "model", "parts": [{"functionCall": {"name": "f", "args": NOTHING}}]}
RESULT: Any = {"name": "f", "response": {"output": "x"}}
LIST: Any = {
    "type": "mcp_list_tools",
    "id": "mcpl_1",
    "server_label": "s",
    "tools": [{"name": "q", "input_schema": NOTHING}],
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


@pytest.mark.parametrize("target", ["anthropic", "gemini", "openai"])
def test_a_list_of_a_servers_tools_is_content(target: Any) -> None:
    """A list of MCP tools, which a model reads, is no list of the client's tools: it is lost content."""
    given: Any = {"id": "r", "object": "response", "model": "m", "output": [LIST, SAID]}
    done = am.convert(given, source="openai-responses-response", target=target)
    told = [loss.level for loss in done.losses if loss.path[-2:] == ("content", 0)]
    assert told == ["content"]
