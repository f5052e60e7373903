"""Cells that several formats share, and what makes such cells: kinds, signatures, words of a status, extras, usage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats.capabilities import carried_extras, usually
from agentmsg.model.usage import COUNTERS, Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from agentmsg.formats.capabilities import Cell
    from agentmsg.model.base import Signature

__all__ = ["bare", "beside", "kinds", "of_server", "signed_by", "statuses", "those", "together", "usage"]


def bare(value: Any, _: Any = None) -> Any:
    """Return an object without the extras that it has no place for."""
    return value.evolve(extras={}) if value.extras else value


def beside(*spaces: tuple[str, frozenset[str]], odd: Callable[[Any, str, Any], bool] | None = None) -> Cell:
    """Return the cell for extras beside keys that are always the same; as ``carried_extras``."""

    def always(keys: frozenset[str]) -> Callable[[Any], frozenset[str]]:
        return lambda _: keys

    return carried_extras(*((space, always(keys)) for space, keys in spaces), odd=odd)


def kinds(*known: str) -> Cell:
    """Return the cell for the kind of a call or a tool: of any that is not known, it is a function."""
    return lambda value, _: value if value in known else "function"


def of_server(value: str, block: Any) -> str | None:
    """Keep who runs a tool, of those that a provider runs."""
    return value if block.kind == "server" else None


def signed_by(*providers: str, is_empty: bool = False) -> Cell:
    """Return the cell for signatures of some providers.

    Args:
        providers: who may have signed.
        is_empty: whether one that is empty is kept, too.
    """

    def cell(value: Signature, _: Any) -> Signature | None:
        if value.provider not in providers or not (value.value or is_empty):
            return None
        kept: Signature = bare(value)
        return kept

    return cell


def statuses(*known: str) -> Cell:
    """Return the cell for the status of a result: any word that is not known is an error, or nothing."""
    return lambda value, block: value if value in known else "error" if block.is_error else None


def those(test: Callable[[Any], bool]) -> Cell:
    """Return the cell for several objects, such as citations, of which those stay that pass a test."""

    def cell(values: tuple[Any, ...], _: Any) -> tuple[Any, ...]:
        kept = tuple(value for value in values if test(value))
        return values if len(kept) == len(values) else kept

    return cell


def together(*cells: Cell) -> Cell:
    """Return the cell for extras that several cells support, each those of its namespaces, in this order."""

    def cell(extras: Any, owner: Any) -> Any:
        kept: dict[str, Any] = {}
        for each in cells:
            kept |= each(extras, owner)
        is_all = list(kept) == list(extras) and all(kept[space] is extras[space] for space in kept)
        return extras if is_all else kept

    return cell


def usage(
    counts: Iterable[str], *, extras: Cell, wanted: Callable[[Usage], Mapping[str, Any]], case: str, **names: Any
) -> Cell:
    """Return the cell for usage.

    Args:
        counts: the fields that the format has.
        extras: the cell for the extras of usage.
        wanted: returns the fields that usage also needs, or needs otherwise, for the format to hold it.
        case: when nothing is wanted, usually: an expression about ``value``, as in ``capabilities.usually``.
        names: what else the expression names.
    """
    nowhere = [name for name in COUNTERS if name not in set(counts)]

    def cell(value: Usage, _: Any) -> Usage:
        changes: dict[str, Any] = {name: None for name in nowhere if getattr(value, name) is not None}
        kept = extras(value.extras, value) if value.extras else value.extras
        if kept is not value.extras:
            changes["extras"] = kept
        near = value.evolve(**changes) if changes else value
        more = wanted(near)
        if not more:
            return near
        near = near.evolve(**more)
        # What is wanted takes the key of an extra that had no meaning there.
        return near.evolve(extras=extras(near.extras, near)) if near.extras else near

    lacks = [f"value.{name} is None" for name in nowhere]
    return usually(" and ".join(("not value.extras", *lacks, case)), **names)(cell)
