"""Two spellings: REST says camelCase, some clients say snake_case, and the API takes both.

Parts are read in camelCase; the mark ``/snake`` lists the keys of a part that were spelt otherwise. Only keys of the
schema are respelt: those inside arguments and responses are the user's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Native, Parts, Unreadable, is_object, is_sequence, mark_of, marked, natives
from agentmsg_codecs.gemini.names import DATA, FAMILY, INNER, SIGNATURE, snake

if TYPE_CHECKING:
    from collections.abc import Iterable

_OUTER = (*DATA, SIGNATURE)
_TWINS = {name: {snake(key): key for key in keys if snake(key) != key} for name, keys in INNER.items()}
_OUTER_TWINS = {snake(key): key for key in _OUTER if snake(key) != key}


def camel(native: Native, twins: dict[str, str]) -> tuple[Native, list[str]]:
    """Return an object with some keys in camelCase, and those that were not.

    Raises:
        Unreadable: if a key is there in both spellings.
    """
    if twins.keys().isdisjoint(native):
        return native, []
    found = [key for key in native if key in twins]
    if any(twins[key] in native for key in found):
        raise Unreadable("one key in two spellings")
    return {twins.get(key, key): value for key, value in native.items()}, found


def camel_part(part: Native) -> tuple[Native, list[str]]:
    """Return the same of a part, with the object inside it."""
    for key, value in part.items():
        if key in _OUTER_TWINS or (key in INNER and is_object(value) and not _TWINS[key].keys().isdisjoint(value)):
            break
    else:
        return part, []
    native, found = camel(part, _OUTER_TWINS)
    for key in native:
        if key in INNER and is_object(native[key]):
            held, more = camel(native[key], _TWINS[key])
            if more:
                native, found = {**native, key: held}, [*found, *more]
    return native, found


def respelt(native: Native, block: Any) -> Native:
    """Return a part with those keys in snake_case that its block was read with."""
    marked_keys = mark_of(block, FAMILY, "/snake") if block.notes else None
    if not is_sequence(marked_keys):
        return native
    wanted = frozenset(map(str, marked_keys))
    held = {
        key: _spell(value, INNER[key], wanted) if key in INNER and is_object(value) else value
        for key, value in native.items()
    }
    return _spell(held, _OUTER, wanted)


def _spell(native: Native, keys: Iterable[str], wanted: frozenset[str]) -> Native:
    twins = {key: snake(key) for key in keys if snake(key) in wanted and snake(key) not in native}
    return {twins.get(key, key): value for key, value in native.items()}


class GeminiParts(Parts):
    """Parts in either spelling."""

    def read(self, part: Any) -> Any:
        """Return the block of a part; a NativeBlock where it has no meaning here, or would not come back."""
        if not is_object(part) or (len(part) == 1 and "text" in part):
            return super().read(part)  # the usual case: nothing is spelt in two ways
        try:
            native, found = camel_part(part)
        except Unreadable:
            return natives.native_part(part, FAMILY)
        block = super().read(native)
        if not found:
            return block
        return (
            natives.native_part(part, FAMILY)
            if isinstance(block, am.NativeBlock)
            else marked(block, FAMILY, snake=found)
        )

    def write(self, block: Any) -> Any:
        """Return the part of a block that fits."""
        native = super().write(block)
        return respelt(native, block) if block.notes and is_object(native) else native
