"""Usage of Python's messages.

Mark: ``/partial`` (usage without a counter that all have).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    Native,
    Shape,
    carried_extras,
    is_object,
    maker,
    mark_of,
    marked,
    natives,
    read_as,
    rules,
    write_as,
)
from agentmsg_codecs.agentscope.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Mapping


_make_usage = maker(am.Usage)
_COUNTS: Mapping[str, str] = {
    "input_tokens": "input",
    "output_tokens": "output",
    "cache_input_tokens": "cache_read",
    "cache_creation_input_tokens": "cache_write",
}
_USAGE_KEYS = frozenset(_COUNTS)


def _read_usage(native: Native, _: Any) -> am.Usage:
    usage = _make_usage(**{name: natives.count_at(native, key) for key, name in _COUNTS.items()})
    is_whole = usage.input is not None and usage.output is not None
    return usage if is_whole else marked(usage, FAMILY, partial=True)


def _write_usage(usage: am.Usage) -> Native:
    native: Native = {
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cache_input_tokens": usage.cache_read,
        "cache_creation_input_tokens": usage.cache_write,
    }
    return {key: value for key, value in native.items() if value is not None} if None in native.values() else native


_USAGE = Shape(cls=am.Usage, keys={None: _USAGE_KEYS}, read=_read_usage, write=_write_usage)


def usage_of(native: Any) -> am.Usage:
    """Return the usage of a message.

    Raises:
        Unreadable: if it is none.
    """
    if is_object(native) and len(native) == len(_COUNTS):
        counts = list(map(native.get, _COUNTS))
        if all(type(count) is int for count in counts):
            return _make_usage(counts[0], counts[1], cache_read=counts[2], cache_write=counts[3])
    found: am.Usage = read_as(_USAGE, native, FAMILY)
    return found


def write_usage(usage: am.Usage) -> Native:
    """Return the native usage."""
    return write_as(_USAGE, usage, FAMILY)


def _wanted(usage: am.Usage) -> dict[str, Any]:
    """Return the counters that all usage has, 0 if they are not told, unless a document was read that lacks them."""
    if mark_of(usage, FAMILY, "/partial") is True:
        return {}
    return {name: 0 for name in ("input", "output") if getattr(usage, name) is None}


carried_usage = rules.usage_cell(
    _COUNTS.values(),
    extras=carried_extras((FAMILY, lambda _: _USAGE_KEYS)),
    wanted=_wanted,
    case="value.input is not None and value.output is not None",
)
