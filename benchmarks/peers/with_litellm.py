"""litellm: the two functions that it runs on the way from OpenAI's messages to Anthropic's body.

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
_system: Callable[..., Any] = (
    import_module("litellm.llms.anthropic.chat.transformation").AnthropicConfig().translate_system_message
)
_MODEL = "claude-sonnet-4-5"


def to_anthropic(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a body of Anthropic for messages of OpenAI Chat; the system message is taken out of the list."""
    system = _system(messages)
    return {"system": system, "messages": _messages(messages, _MODEL, "anthropic")}
