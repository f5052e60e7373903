"""What messages of AgentScope for Python hold, and its clients don't send (agentscope 1.x and 2.x)."""

from __future__ import annotations

import agentmsg as am
from agentmsg.formats import Unsent, mark_of


def _cites(block: am.TextBlock, _: am.Msg) -> bool:
    return bool(block.citations)


def _is_of_chat(block: am.ThinkingBlock, _: am.Msg) -> bool:
    return mark_of(block, "openai", "/place") is not None


UNSENT = (
    Unsent(am.TextBlock, "the models keep no citations", _cites, field="citations"),
    Unsent(am.ThinkingBlock, "OpenAIChatModel sends no reasoning to Chat Completions", _is_of_chat),
)
