"""The ``images`` of a message, as OpenRouter, LiteLLM and others return generated images: parts beside its content.

They follow the content, and a refusal. The mark ``/images`` tells them from the parts of content.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import Native, Shape, Unreadable, is_list, marked, read_as, write_as
from agentmsg_codecs.openai.names import FAMILY, IMAGES
from agentmsg_codecs.openai.places import is_called, is_field_audio, is_field_image

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROLES = ("user", "assistant")


def images_of(value: Any, role: Any, shape: Shape) -> list[Any]:
    """Return the images under the key; none if there is anything else, or if messages of the role have none.

    Args:
        value: of the key.
        role: of the message; None for that of a response.
        shape: of a part with an image.
    """
    if not is_list(value) or (role or "assistant") not in _ROLES:
        return []
    try:
        return [marked(read_as(shape, entry, FAMILY), FAMILY, images=True, odd=True) for entry in value]
    except (Unreadable, AgentMsgError):
        return []


def with_images(message: am.Msg, images: Sequence[Any]) -> am.Msg:
    """Put images behind the content of a message."""
    content = message.content
    at = next((at for at, block in enumerate(content) if is_field_audio(block) or is_called(block)), len(content))
    return message.evolve(content=(*content[:at], *images, *content[at:]))


def without_images(message: am.Msg, shape: Shape) -> tuple[am.Msg, Native]:
    """Return a message without the images beside its content, and the key with them."""
    content = message.content
    if message.role not in _ROLES or not any(map(is_field_image, content)):
        return message, {}
    images = [block for block in content if is_field_image(block)]
    rest = tuple(block for block in content if not is_field_image(block))
    return message.evolve(content=rest), {IMAGES: [write_as(shape, block, FAMILY) for block in images]}
