"""What clients of several frameworks don't send: the tests that rows of ``Unsent`` share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import is_mapping, natives

if TYPE_CHECKING:
    import agentmsg as am


def is_of_a_thought(block: Any, _: am.Msg) -> bool:
    """Whether media belong to a thought of Google's."""
    return natives.extras_of(block, "gemini").get("thought") is True


def asks_for_citations(block: Any, _: am.Msg) -> bool:
    """Whether a document asks the model to cite it, as those of Anthropic and Converse do."""
    asked = (natives.extras_of(block, space).get("citations") for space in ("anthropic", "bedrock.item"))
    return any(is_mapping(each) and bool(each.get("enabled")) for each in asked)


def is_called_by_code(block: Any, _: am.Msg) -> bool:
    """Whether code that Anthropic ran made a call, not the model itself."""
    return block.kind == "function" and "code" in str(natives.extras_of(block, "anthropic").get("caller"))
