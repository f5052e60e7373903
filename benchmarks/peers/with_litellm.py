"""litellm: its functions on the way from OpenAI's messages to Anthropic's body.

It pins an old openai package, so no extra of ours installs it.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["to_anthropic"]

# Without it the import asks a server for prices, and waits.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
# By name: it is not there when types are checked.
_messages: Callable[..., Any] = import_module(
    "litellm.litellm_core_utils.prompt_templates.factory"
).anthropic_messages_pt
_config: Any = import_module("litellm.llms.anthropic.chat.transformation").AnthropicConfig()
_MODEL = "claude-sonnet-4-5"


def to_anthropic(body: dict[str, Any]) -> dict[str, Any]:
    """Convert an OpenAI Chat body to Anthropic's; the system message is taken out of the list."""
    messages = body["messages"]
    system = _config.translate_system_message(messages)
    made = {"system": system, "messages": _messages(messages, _MODEL, "anthropic")}
    if "tools" in body:
        made["tools"], _ = _config._map_tools(body["tools"])
    return made
