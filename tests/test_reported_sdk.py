"""What the SDKs of today have: tools that a provider runs itself."""

from typing import Any

import pytest

import agentmsg as am

REQUESTS: dict[str, dict[str, Any]] = {
    "anthropic": {
        "model": "m",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "hi"}],
    },
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
def test_a_hosted_tool_is_written_to_its_own_provider_only(source: str, tool: dict[str, Any], target: str) -> None:
    """A provider's own tool returns to it; to any other format it is told as lost content."""
    given = {**REQUESTS[source], "tools": [tool]}
    done = am.convert(given, source=source, target=target)
    if target == source:
        assert done.document == given
        return
    assert "tools" not in done.document
    told = [loss.level for loss in done.losses if loss.path[:2] == ("tools", 0)]
    assert told == ["content"]
