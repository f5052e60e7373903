"""Parts without a type, and texts that stand where parts do, as some servers and libraries have them."""

from __future__ import annotations

from typing import Any, ClassVar

from agentmsg.formats import Parts, is_mapping

_TAGS = {"text": "text", "image_url": "image_url"}


def is_untyped(part: Any) -> bool:
    """Whether a part is a text without a type, as Bedrock has them."""
    return is_mapping(part) and "type" not in part and "text" in part


class OpenAIParts(Parts):
    """Parts, with or without a type."""

    old: ClassVar[Any] = {"/bare": {"at": "text", "p": None}, "/untyped": {"k": {"type": "-"}}}

    @staticmethod
    def usual(part: Any) -> Any:
        """Return a part with a type."""
        return {"type": "text", "text": part} if type(part) is str else Parts.typed(part, _TAGS)
