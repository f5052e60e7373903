"""Cells that several formats share, and functions that make them: kinds, signatures, status, extras, usage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from agentmsg.formats.capabilities import KEEP, Drop, carried_extras, usually
from agentmsg.formats.issuers import is_foreign, issuer_of
from agentmsg.formats.shapes import mark_of
from agentmsg.model.tool_arguments import SAYS_NO_MORE
from agentmsg.model.usage import COUNTERS, Usage
from agentmsg.values.frozen import EMPTY

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from agentmsg.formats.capabilities import Cell
    from agentmsg.model.base import Signature
    from agentmsg.model.tool_use import ToolUseBlock

_N = TypeVar("_N", bound=Any)


@usually(SAYS_NO_MORE)
def arguments_text(text: str, call: ToolUseBlock) -> str | None:
    """Keep the text of a call's arguments if it is invalid, or if the input says all of it."""
    return text if call.significant_text is None or not call.is_valid else None


def bare(value: _N, _: Any = None) -> _N:
    """Return an object without its extras, for which there is no place."""
    kept: _N = value.evolve(extras={}) if value.extras else value
    return kept


def beside(*spaces: tuple[str, frozenset[str]], odd: Callable[[Any, str, Any], bool] | None = None) -> Cell:
    """Return the cell for extras beside a fixed set of keys; arguments as for ``carried_extras``."""

    def always(keys: frozenset[str]) -> Callable[[Any], frozenset[str]]:
        return lambda _: keys

    return carried_extras(*((space, always(keys)) for space, keys in spaces), odd=odd)


def either(test: Callable[[Any], bool], one: Mapping[str, Cell], other: Mapping[str, Cell]) -> dict[str, Cell]:
    """Return the cells of a class with two kinds of objects: of those that pass a test, and of all others."""

    def chosen(first: Cell | None, second: Cell | None) -> Cell:
        if first is second is KEEP:
            return KEEP

        def cell(value: Any, owner: Any) -> Any:
            own = first if test(owner) else second
            return None if own is None else own(value, owner)

        return cell

    return {name: chosen(one.get(name), other.get(name)) for name in {**one, **other}}


def kinds(*known: str) -> Cell:
    """Return the cell for the kind of a call or a tool: an unknown kind becomes a function."""
    return lambda value, _: value if value in known else "function"


def of_server(value: str, block: Any) -> str | None:
    """Keep the provider that runs a tool; None for other tools."""
    return value if block.kind == "server" else None


def signed_by(
    *providers: str, is_empty: bool = False, family: str = "", spelt: Callable[[str], str] | None = None
) -> Cell:
    """Return the cell for signatures of some providers.

    Args:
        providers: who may have signed. A signature that was marked as theirs gets the name of its issuer.
        is_empty: whether an empty one is kept, too.
        family: of the format, which keeps what it carried itself, whoever made it.
        spelt: returns a value in the spelling in which it is read.
    """
    usual = "value.provider in providers and not value.extras and not owner.notes"
    usual += "" if is_empty else " and value.value"
    usual += "" if spelt is None else " and spelt(value.value) == value.value"

    @usually(usual, providers=frozenset(providers), **({} if spelt is None else {"spelt": spelt}))
    def cell(value: Signature, owner: Any) -> Signature | None:
        if not (value.value or is_empty) or is_foreign(owner, family, providers):
            return None
        issuer = value.provider if value.provider in providers else issuer_of(owner)
        text = value.value if spelt is None else spelt(value.value)
        is_so = issuer == value.provider and text == value.value
        kept: Signature = value if is_so else value.evolve(provider=issuer, value=text)
        return bare(kept) if issuer in providers else None

    return cell


def sealed_by(*providers: str, family: str = "") -> Cell:
    """Return the cell for redacted thinking, which is dropped if it was marked as made by others than some providers.

    Args:
        providers: who may have made it.
        family: as for ``signed_by``.
    """

    @usually("not owner.notes")
    def cell(value: str, owner: Any) -> Any:
        if not is_foreign(owner, family, providers):
            return value
        return None if owner.thinking else Drop(f"only {issuer_of(owner)} can read this")

    return cell


def statuses(*known: str) -> Cell:
    """Return the cell for a result's status: an unknown word becomes "error", or None."""
    return lambda value, block: value if value in known else "error" if block.is_error else None


def those(test: Callable[[Any], bool]) -> Cell:
    """Return the cell for several objects, such as citations; those that pass a test stay."""

    def cell(values: tuple[Any, ...], _: Any) -> tuple[Any, ...]:
        kept = tuple(value for value in values if test(value))
        return values if len(kept) == len(values) else kept

    return cell


def together(*cells: Cell) -> Cell:
    """Return the cell for extras that combines cells: each supports its own namespaces."""

    def cell(extras: Any, owner: Any) -> Any:
        kept: dict[str, Any] = {}
        for each in cells:
            kept |= each(extras, owner)
        is_all = len(kept) == len(extras) and all(kept[space] is extras[space] for space in kept)
        return extras if is_all else kept

    return cell


def without(cell: Cell, space: str, taken: Callable[[Mapping[str, Any], Any], Collection[str]]) -> Cell:
    """Return the cell for extras that also leaves out some fields of a namespace.

    Args:
        cell: the cell for all of them.
        space: the namespace.
        taken: returns the fields to leave out, given those that the cell keeps there and their owner.
    """

    def both(extras: Any, owner: Any) -> Any:
        kept = cell(extras, owner)
        own = kept.get(space)
        if own is None:
            return kept
        gone = taken(own, owner)
        left = {key: own[key] for key in own if key not in gone}
        if len(left) == len(own):
            return kept
        return {each: left if each == space else kept[each] for each in kept if each != space or left} or EMPTY

    return both


def usage(
    fields: Mapping[str, Cell],
    *,
    needs: tuple[str, ...] = (),
    family: str = "",
    least: Mapping[str, tuple[str, ...]] = EMPTY,
    wanted: Callable[[Usage], Mapping[str, Any]] | None = None,
    case: str = "",
    **names: Any,
) -> Cell:
    """Return the cell for usage.

    Args:
        fields: the cells of the fields that the format has, and of ``extras``.
        needs: the counts that the schema requires. A missing one becomes 0, and ``total`` the sum. Usage that was read
            without one, and so has the mark ``/partial``, stays.
        family: of the mark.
        least: the counts that are never below 0, and what is part of them: each is at least the sum of its parts, which
            are such counts themselves.
        wanted: returns other fields that must be different to fit the format.
        case: when it returns none in the common case: an expression about ``value``, as in ``capabilities.usually``.
        names: the other names in the expression.
    """
    nowhere = [name for name in COUNTERS if name not in fields]
    extras = fields["extras"]

    def cell(value: Usage, _: Any) -> Usage:
        kept = extras(value.extras, value) if value.extras else value.extras
        near = value if kept is value.extras else value.evolve(extras=kept)
        is_partial = bool(near.notes) and mark_of(near, family, "/partial") is True
        changes: dict[str, Any] = {name: None for name in nowhere if getattr(value, name) is not None}
        more = _counted(near, () if is_partial else needs, least)
        more |= {} if wanted is None else wanted(near)
        if not more and not changes:
            return near
        near = near.evolve(**{**changes, **more})
        # A wanted field takes the key of an extra that had no meaning there.
        return near.evolve(extras=extras(near.extras, near)) if near.extras and more else near

    usual = ["not value.extras", *(f"value.{name} is None" for name in nowhere)]
    usual += [f"value.{name} is not None" for name in needs]
    usual += [f"(value.{name} or 0) >= {_sum(parts)}" for name, parts in least.items()]
    return usually(" and ".join([*usual, case] if case else usual), **names)(cell)


def _sum(parts: Iterable[str]) -> str:
    return " + ".join(f"(value.{part} or 0)" for part in parts) or "0"


def _counted(usage: Usage, needs: Iterable[str], least: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """Return the counts that usage needs, or needs higher."""
    wanted: dict[str, Any] = {name: 0 for name in needs if getattr(usage, name) is None}
    for name, parts in least.items():
        count = wanted.get(name, getattr(usage, name))
        lowest = 0
        for part in parts:  # a loop: nearly all counts have no part, or two
            lowest += max(getattr(usage, part) or 0, 0)
        if count is not None and count < lowest:
            wanted[name] = lowest
    if "total" in wanted:
        wanted["total"] = sum(wanted.get(name, getattr(usage, name)) or 0 for name in ("input", "output"))
    return wanted
