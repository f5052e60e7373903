"""Parts without a type, and texts that stand where parts do, as some servers and libraries have them.

Marks: ``/untyped`` (an object without a type), ``/bare`` (a text that is no object).
"""

from __future__ import annotations

from typing import Any, ClassVar

from agentmsg.formats import Native, Parts, is_mapping

_TAGS = {"text": "text", "image_url": "image_url"}


def _part_of_text(part: Any) -> Any:
    return ({"type": "text", "text": part}, True) if type(part) is str else None


def _text_of_part(native: Native, _: Any) -> Any:
    return native.get("text")


def is_untyped(part: Any) -> bool:
    """Whether a part is a text without a type, as Bedrock has them."""
    return is_mapping(part) and "type" not in part and "text" in part


class OpenAIParts(Parts):
    """Parts, with or without a type."""

    other_spellings: ClassVar[Any] = {"bare": (_part_of_text, _text_of_part), "untyped": Parts.untyped(_TAGS)}
