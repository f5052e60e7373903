"""The input of a call where it is an object, with its text beside.

``raw_input`` of Python 1.x and ``content`` of Java are the text that the model wrote. An empty input is told by the
text, which may be invalid. A text that says something else than the input is an unknown field: the input counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg import thaw
from agentmsg.formats import Unreadable, adopt, is_mapping, object_at, same_document, speed, tool_arguments

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg import ToolUseBlock


def says_otherwise(given: Any, text: Any) -> bool:
    """Whether the text of a call is not that of its input."""
    if type(text) is not str or not text or not given or not is_mapping(given):
        return False
    valid, value, _ = speed.parse_arguments(text)
    return not valid or not same_document(thaw(adopt(value)), thaw(given))


def marks_for(link: str | None, state: str | None, known: frozenset[str]) -> dict[str, Any]:
    """Return the marks of a call or result that has no id, or a state that the library does not have.

    Args:
        link: its id.
        state: what its state says.
        known: the states that the library has.
    """
    marks: dict[str, Any] = {"no-id": True} if link is None else {}
    if state is not None and state not in known:
        marks["word"] = True
    return marks


def read_arguments(native: Mapping[str, Any], key: str, text_key: str) -> dict[str, Any]:
    """Return the fields ``input`` or ``raw_input`` of a call.

    Raises:
        Unreadable: where the input isn't an object, or its text no text.
    """
    given = object_at(native, key)
    text: Any = native.get(text_key)
    if text is not None and type(text) is not str:
        raise Unreadable
    return tool_arguments.from_object(given) if not text or says_otherwise(given, text) else {"raw_input": text}


def write_arguments(block: ToolUseBlock) -> tuple[Mapping[str, Any], str | None]:
    """Return the input of a call as an object, which may be frozen, and its text if there is one."""
    text = block.raw_input
    if not text:
        return tool_arguments.input_object(block), None
    value = block.input
    return value if is_mapping(value) else {}, text
