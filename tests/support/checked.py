"""Checks for the tests of single codecs: exact return, written documents, losses, and the place of errors."""

from __future__ import annotations

from typing import Any

import pytest

import agentmsg as am
from agentmsg.testing import exact_return

__all__ = ["msg", "refused", "returned", "sent_and_back", "written"]


def msg(role: str, *content: am.Block, **fields: Any) -> am.Msg:
    """Return a message without id and time."""
    given: dict[str, Any] = {"id": None, "created_at": None, **fields}
    return am.Msg(role=role, content=content, **given)


def returned(document: Any, *, codec: am.Codec) -> am.History:
    """Check that a document comes back exactly, and return its history."""
    history = exact_return(codec, document)
    assert history is not None
    return history


def written(
    *messages: am.Msg, codec: am.Codec | am.CodecName, losses: list[am.Loss] | None = None, **options: Any
) -> Any:
    """Return the document of some messages, losses allowed; they go to ``losses``."""
    found: list[am.Loss] = [] if losses is None else losses
    return am.encode(am.History(messages), codec, losses=found, **options)


def sent_and_back(message: am.Msg, document: dict[str, Any], *, codec: am.CodecName) -> am.Msg:
    """Check that a message is written without loss as this document, keys in order, and return it read again."""
    losses: list[am.Loss] = []
    native = message.encode(codec, losses=losses)
    assert (native, list(native), losses) == (document, list(document), [])
    again = am.Msg.decode(document, codec)
    assert again.same_content(message)
    return again


def refused(document: Any, *, codec: am.Codec | am.CodecName) -> tuple[tuple[str | int, ...], str, str | None]:
    """Return the path, the code and the codec of a document's refusal."""
    with pytest.raises(am.DecodeError) as caught:
        am.decode(document, codec)
    return caught.value.path, caught.value.code, caught.value.codec
