"""Extras, key by key: each lost key is a loss of its own, and goes back to its place.

Extras are free-form fields by namespace. A path leads to a key (``extras/openai/verbosity``), or to a whole namespace
if that isn't an object. The order of keys inside one counts in ``same``, so each loss knows that of the input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

from agentmsg.errors import LossError
from agentmsg.fitting.levels import EXTRAS
from agentmsg.model.equality import same
from agentmsg.values.types import is_mapping

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from agentmsg.fitting.losses import Kind, Loss

    _Lost: TypeAlias = "tuple[tuple[str, ...], Kind, Any, Any, tuple[str, ...]]"

_Fields: TypeAlias = "Mapping[str, Any]"


def lost_keys(was: _Fields, now: _Fields) -> Iterator[_Lost]:
    """Yield what differs in extras: the way to it, the kind of loss, both values, and the input's order of keys."""
    for space, fields in was.items():
        kept = now.get(space, {})
        if not (is_mapping(fields) and fields and is_mapping(kept)):
            yield from _differing((space,), {space: fields}, now)
        elif not same(fields, kept) or space not in now:
            found = list(_differing(tuple(fields), fields, kept, (space,), tuple(fields)))
            found += _invented(fields, kept, (space,))
            # Without a lost key that says it, a lost order is one of the namespace.
            yield from found or [((space,), "changed", fields, kept, ())]
    yield from _invented(was, now, ())


def _differing(
    names: Iterable[str], was: _Fields, now: _Fields, way: tuple[str, ...] = (), order: tuple[str, ...] = ()
) -> Iterator[_Lost]:
    for name in names:
        if name not in now:
            yield (*way, name), "dropped", was[name], None, order
        elif not same(was[name], now[name]):
            yield (*way, name), "changed", was[name], now[name], order


def _invented(was: _Fields, now: _Fields, way: tuple[str, ...]) -> Iterator[_Lost]:
    for name in now:
        if name not in was:
            yield (*way, name), "invented", None, now[name], ()


def with_keys(extras: _Fields, losses: Iterable[Loss], *, keeps_edits: bool) -> dict[str, Any]:
    """Return extras with their lost keys, in the order of the input; any further keys come last.

    Args:
        extras: those in the output.
        losses: of keys and namespaces.
        keeps_edits: whether a value stays that isn't the one in the loss report.

    Raises:
        LossError: code "edited" if a namespace is no object.
    """
    out: dict[str, Any] = {space: dict(fields) if is_mapping(fields) else fields for space, fields in extras.items()}
    orders: dict[str, tuple[str, ...]] = {}
    for loss in losses:
        way = cast("tuple[str, ...]", loss.path[loss.path.index(EXTRAS) + 1 :])
        place: Any = out if len(way) == 1 else out.setdefault(way[0], {})
        if not isinstance(place, dict):
            if keeps_edits:
                continue
            msg = f"the extras {way[0]!r} are no object"
            raise LossError(msg, code="edited", path=loss.path)
        holder = cast("dict[str, Any]", place)
        if loss.order:
            orders[way[0]] = loss.order
        if keeps_edits and not _is_as_lost(holder, way[-1], loss):
            continue
        if loss.kind == "invented":
            holder.pop(way[-1], None)
        else:
            holder[way[-1]] = loss.was
    for space, names in orders.items():
        _sort(out[space], names)
    return out


def _is_as_lost(holder: _Fields, name: str, loss: Loss) -> bool:
    return name not in holder if loss.kind == "dropped" else name in holder and same(holder[name], loss.now)


def _sort(holder: Any, names: tuple[str, ...]) -> None:
    """Put the keys of a dict in an order; others come last."""
    if isinstance(holder, dict):
        fields = cast("dict[str, Any]", holder)
        rank = {name: place for place, name in enumerate(names)}
        for name in sorted(fields, key=lambda name: rank.get(name, len(rank))):
            fields[name] = fields.pop(name)
