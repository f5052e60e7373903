"""Counters: where a format has the numbers of usage, some of them in objects inside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs

from agentmsg.formats.capabilities import carried_extras
from agentmsg.formats.natives import count_at, number_at, rest_of, with_rest
from agentmsg.formats.rules import usage_cell
from agentmsg.formats.shapes import Native, Unreadable
from agentmsg.values.frozen import EMPTY, adopt
from agentmsg.values.types import is_object

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg.formats.capabilities import Cell
    from agentmsg.model.usage import Usage

__all__ = ["Counters"]


def _told(usage: Usage, names: Mapping[str, str]) -> Native:
    return {key: value for key, name in names.items() if (value := getattr(usage, name)) is not None}


@attrs.frozen(kw_only=True)
class Counters:
    """Where a format has the numbers of usage.

    Attributes:
        family: whose extras hold the unknown keys.
        counts: our field for each key of a whole number.
        details: inner objects by key: the namespace of extras for their unknown keys, and their counts.
        numbers: our field for each key of a number that may be a fraction, such as money.
    """

    family: str
    counts: Mapping[str, str]
    details: Mapping[str, tuple[str, Mapping[str, str]]] = EMPTY
    numbers: Mapping[str, str] = EMPTY

    @property
    def keys(self) -> frozenset[str]:
        """The keys of the native object."""
        return frozenset({*self.counts, *self.details, *self.numbers})

    @property
    def fields(self) -> tuple[str, ...]:
        """Our fields that the format has."""
        inner = (name for _, names in self.details.values() for name in names.values())
        return (*self.counts.values(), *inner, *self.numbers.values())

    def read(self, native: Native) -> dict[str, Any]:
        """Return the fields of the usage in a native object.

        Raises:
            Unreadable: if one of them has another type.
        """
        fields: dict[str, Any] = {name: count_at(native, key) for key, name in self.counts.items()}
        extras: dict[str, Any] = {}
        for key, (space, names) in self.details.items():
            inner = native.get(key)
            if inner is None:
                continue
            if not is_object(inner):
                raise Unreadable
            fields |= {name: count_at(inner, own) for own, name in names.items()}
            extras |= rest_of(inner, frozenset(names), space)
        fields |= {name: number_at(native, key) for key, name in self.numbers.items()}
        return {**fields, "extras": adopt(extras)} if extras else fields

    def write(self, usage: Usage) -> Native:
        """Return the native object of usage that fits."""
        native = _told(usage, self.counts)
        for key, (space, names) in self.details.items():
            inner = with_rest(_told(usage, names), usage, space)
            if inner:
                native[key] = inner
        return native | _told(usage, self.numbers)

    def cell(self, wanted: Callable[[Usage], Mapping[str, Any]], *, case: str, **names: Any) -> Cell:
        """Return the cell for usage; arguments as in ``usage_cell``."""
        spaces = ((space, frozenset(own)) for space, own in self.details.values())
        extras = carried_extras(*((space, _always(own)) for space, own in spaces), (self.family, _always(self.keys)))
        return usage_cell(self.fields, extras=extras, wanted=wanted, case=case, **names)


def _always(keys: frozenset[str]) -> Callable[[Any], frozenset[str]]:
    return lambda _: keys
