"""What the codecs of both kinds of messages do alike."""

from __future__ import annotations

from typing import Any

from agentmsg import DecodeError
from agentmsg.formats import excerpt, is_object


def check_message(native: Any) -> None:
    """Refuse what is no object.

    Raises:
        DecodeError: if a message is anything else.
    """
    if not is_object(native):
        raise DecodeError(f"a message is an object, not {excerpt(native)}")


def check_messages(contents: Any) -> None:
    """Refuse a document one of whose messages is no object.

    Raises:
        DecodeError: with the place of the message.
    """
    contents.each(check_message)
