"""The order of keys: which bytes keep, and the model does not where a field of it has a place of its own.

A note holds the keys of each object that we write in another order than it was read in, with its path. It says
nothing but their order: an object whose keys have changed is written in the usual one.
"""

from __future__ import annotations

from typing import Any

from agentmsg.formats import is_mapping, is_sequence

# A path, and the keys of the object there.
Order = list[Any]


def orders_of(native: Any, written: Any) -> list[Order]:
    """Return the orders in which a native value has its keys, where what is written for it has another one."""
    found: list[Order] = []
    _compare(native, written, [], found)
    return found


def _compare(native: Any, written: Any, path: list[Any], found: list[Order]) -> None:
    if is_mapping(native) and is_mapping(written):
        if list(native) != list(written) and set(native) == set(written):
            found.append([path, list(native)])
        for key, value in native.items():
            if value and isinstance(value, (dict, list)):
                _compare(value, written.get(key), [*path, key], found)
    elif is_sequence(native) and is_sequence(written):
        for index, (value, other) in enumerate(zip(native, written, strict=False)):
            if value and isinstance(value, (dict, list)):
                _compare(value, other, [*path, index], found)


def reordered(value: Any, orders: Any) -> Any:
    """Return a value with the keys of its objects in the order that a note says, whatever that holds."""
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
