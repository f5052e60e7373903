"""All notes of a history: nothing else shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import attrs

from agentmsg.model.base import Noted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["notes_of"]


def notes_of(owner: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the notes of an object of the model and of everything inside it."""
    if isinstance(owner, Noted):
        yield owner.notes
        for field in attrs.fields(type(owner)):
            yield from notes_of(getattr(owner, field.name))
    elif isinstance(owner, tuple):
        for item in cast("tuple[object, ...]", owner):
            yield from notes_of(item)
