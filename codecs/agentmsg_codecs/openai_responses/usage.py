"""The usage of a response: token counts, with their details in inner objects."""

from __future__ import annotations

from itertools import starmap
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Native, cells, is_object
from agentmsg.formats.forms import Form, Inside, Key, Whole
from agentmsg_codecs.openai_responses.names import FAMILY, RESPONSE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SUMS: Mapping[str, str] = {"input_tokens": "input", "output_tokens": "output", "total_tokens": "total"}
_DETAILS: Mapping[str, Mapping[str, str]] = {
    "input_tokens": {"cached_tokens": "cache_read", "cache_write_tokens": "cache_write"},
    "output_tokens": {"reasoning_tokens": "reasoning"},
}


def _inside(key: str) -> str:
    return f"{key}_details"


def _are_counted(native: Any, keys: Mapping[str, str]) -> bool:
    return is_object(native) and all(type(native.get(key)) is int for key in keys)


def _is_partial(native: Native) -> bool:
    """Whether usage lacks a count that the schema requires, where the schema has it."""
    has_details = all(_are_counted(native.get(_inside(key)), counts) for key, counts in _DETAILS.items())
    return not (has_details and _are_counted(native, _SUMS))


def _count(key: str, field: str) -> Key:
    return Key(key, field, Whole(), "may")


def _items() -> Iterator[Key | Inside]:
    for key, field in _SUMS.items():
        yield _count(key, field)
        if key in _DETAILS:
            held = tuple(starmap(_count, _DETAILS[key].items()))
            yield Inside(_inside(key), held, "may", space=f"{RESPONSE}.{field}")


USAGE = Form("usage", am.Usage, None, tuple(_items()), marks={"partial": _is_partial}, is_apart=True)
_COUNTED = (*_SUMS.values(), *(field for counts in _DETAILS.values() for field in counts.values()))


def carried(rows: Any) -> Any:
    """Return the cell for usage, given those of its fields."""
    return cells.usage(rows, needs=_COUNTED, family=FAMILY)
