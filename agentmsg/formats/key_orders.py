"""The order of keys, where bytes or a text show it: the model doesn't keep it for its fields.

A note has the path and the keys of each object that we write in another order. If the keys have changed, the object is
written in the usual order.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from agentmsg.values.types import is_mapping, is_sequence

Order: TypeAlias = list[Any]
"""The path of an object, and its keys."""


def orders_of(native: Any, written: Any, path: tuple[Any, ...] = ()) -> list[Order]:
    """Return path and keys of the objects in a native value that we write with another order of keys."""
    found: list[Order] = []
    pairs: list[tuple[Any, Any, Any]] = []
    if is_mapping(native) and is_mapping(written):
        if list(native) != list(written) and set(native) == set(written):
            found.append([list(path), list(native)])
        pairs = [(key, value, written.get(key)) for key, value in native.items()]
    elif is_sequence(native) and is_sequence(written):
        pairs = [(index, *both) for index, both in enumerate(zip(native, written, strict=False))]
    for step, value, other in pairs:
        if value and isinstance(value, (dict, list)):
            found += orders_of(value, other, (*path, step))
    return found


def reordered(value: Any, orders: Any) -> Any:
    """Return a value with the keys of its objects in the noted orders, whatever the note holds."""
    if not is_sequence(orders):
        return value
    for order in orders:
        if is_sequence(order) and len(order) == 2 and is_sequence(order[0]) and is_sequence(order[1]):  # noqa: PLR2004 - path and keys
            value = _reordered_at(value, list(order[0]), list(order[1]))
    return value


def _reordered_at(value: Any, path: list[Any], keys: list[Any]) -> Any:
    if not path:
        fits = is_mapping(value) and all(type(key) is str for key in keys) and set(keys) == set(value)
        return {key: value[key] for key in keys} if fits else value
    step, more = path[0], path[1:]
    if is_mapping(value) and isinstance(step, str) and step in value:
        return {key: _reordered_at(item, more, keys) if key == step else item for key, item in value.items()}
    if is_sequence(value) and type(step) is int and 0 <= step < len(value):
        return [_reordered_at(item, more, keys) if index == step else item for index, item in enumerate(value)]
    return value
