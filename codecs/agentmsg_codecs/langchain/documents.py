"""Containers of messages in dict forms: lists, single messages, states, and what trees.py knows."""

from __future__ import annotations

from typing import Any

from agentmsg.formats import is_object
from agentmsg_codecs.langchain.messages.forms import split
from agentmsg_codecs.langchain.names import CONTAINERS
from agentmsg_codecs.langchain.trees import Contents, Trees, listed


def _is_message(native: Any) -> bool:
    return is_object(native) and split(native) is not None


TREES = Trees(_is_message, lambda native: split(native).body)  # type: ignore[union-attr]


def contents_of(document: Any) -> Contents:
    """Return a document taken apart.

    Raises:
        DecodeError: if it is neither a list nor an object.
    """
    opened = CONTAINERS.contents(document)
    place, natives, found = opened.place, opened.natives, None
    if place == "list":
        found = TREES.pair(natives) or TREES.rows(natives)
    elif place == "single" and not _is_message(document):
        found = TREES.contents(document, document)
    return found or Contents(
        place,
        [((), document)] if place == "single" else listed(natives, *([place] if place != "list" else [])),
        opened.rest,
    )
