"""Which messages are spelt as Synaptic itself spells them, so that nothing can deviate and nothing is compared.

Calls, content blocks and usage see to their own spelling.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats import Native


def _is_text(value: Any) -> bool:
    return type(value) is str


def _is_filled_object(value: Any) -> bool:
    return is_object(value) and bool(value)


def _is_filled_list(value: Any) -> bool:
    return is_list(value) and bool(value)


_PLAIN: Mapping[str, Callable[[Any], bool]] = {
    "role": _is_text,
    "content": _is_text,
    "id": _is_text,
    "name": _is_text,
    "additional_kwargs": _is_filled_object,
    "response_metadata": _is_filled_object,
}
_ANSWER = {**_PLAIN, "tool_calls": _is_filled_list, "usage_metadata": _is_filled_object}
_BY_ROLE: Mapping[Any, Mapping[str, Callable[[Any], bool]]] = {
    "system": _PLAIN,
    "human": _PLAIN,
    "assistant": _ANSWER,
    "tool": {**_PLAIN, "tool_call_id": _is_text},
}


def is_usual(native: Native) -> bool:
    """Whether a message has known fields only, none of them empty, and its text in ``content`` alone or twice."""
    tests = _BY_ROLE.get(native.get("role"))
    if tests is None or "content" not in native:
        return False
    for key, value in native.items():
        test = tests.get(key)
        if test is None:
            if key != "content_blocks" or not _is_told_twice(native["content"], value):
                return False
        elif not test(value):
            return False
    return True


def _is_told_twice(content: Any, listed: Any) -> bool:
    """Whether content is the text of the content blocks."""
    if not is_list(listed) or not listed or not all(map(is_object, listed)):
        return False
    return bool(content == "\n".join(_texts(listed)))


def _texts(listed: list[Any]) -> list[str]:
    return [part["text"] for part in listed if part.get("type") == "text" and type(part.get("text")) is str]
