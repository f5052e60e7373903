"""Session files: the state of an agent, which holds a document, such as ``{"agent": {"memory": {"content": [...]}}}``.

``JSONSession`` and QwenPaw write them: a memory in 1.x, a state in 2.x. The history's mark ``/session`` is the path of
the document in the file; what else the file holds is ``extras["agentscope.session"]`` (of Java ``agentscope-java``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg import thaw
from agentmsg.formats import adopt, carried_extras, is_list, is_object, mark_of, marked

if TYPE_CHECKING:
    from collections.abc import Mapping

    import agentmsg as am
    from agentmsg.formats import Cell, Containers, Native

_PATHS = {
    "agent.state": ("agent", "state"), "agent.memory": ("agent", "memory"), "state": ("state",), "memory": ("memory",),
}  # fmt: skip


def space_of(containers: Containers) -> str:
    """Return the namespace of what else a session file holds."""
    return f"{containers.family}.session"


def path_in(document: Any, containers: Containers) -> str | None:
    """Return where a session file has its document, as in the mark; None if this is no such file."""
    if not is_object(document) or ("agent" not in document and "state" not in document and "memory" not in document):
        return None
    if not document.keys().isdisjoint((*containers.own, *containers.keys)):
        return None
    for name, path in _PATHS.items():
        inner: Any = document
        for key in path:
            inner = inner.get(key) if is_object(inner) else None
        if is_object(inner) and is_list(inner.get(containers.place(inner) or "")):
            return name
    return None


def document_in(document: Any, containers: Containers) -> Any:
    """Return the document in a session file; any other document itself."""
    name = path_in(document, containers)
    for key in () if name is None else _PATHS[name]:
        document = document[key]
    return document


def path_of(name: str) -> tuple[str, ...]:
    """Return the path that a mark names."""
    return _PATHS[name]


def noted(history: am.History, document: Native, name: str, containers: Containers) -> am.History:
    """Return the history of a session file, with what else the file holds."""
    rest = _rest(document, _PATHS[name])
    history = marked(history, containers.family, session=name)
    return history.evolve(extras={**history.extras, space_of(containers): adopt(rest)}) if rest else history


def _rest(document: Native, path: tuple[str, ...]) -> Native:
    """Return a session file without its document, and without objects that held nothing else."""
    key, *others = path
    rest = {name: value for name, value in document.items() if name != key}
    inner = _rest(document[key], tuple(others)) if others else {}
    return {**rest, key: inner} if inner else rest


def _mark(history: am.History, containers: Containers) -> str | None:
    """Return the mark of a history that is written as a session file."""
    name = mark_of(history, containers.family, "/session") if history.notes else None
    is_inside = mark_of(history, containers.family, "/container") in containers.keys if name in _PATHS else False
    return name if is_inside else None


def written(history: am.History, document: Any, containers: Containers) -> Any:
    """Return the session file of a history's document, if it was read from one."""
    name = _mark(history, containers)
    if name is None:
        return document
    rest: Any = history.extras.get(space_of(containers)) if history.extras else None
    return _around(thaw(rest or {}), _PATHS[name], document)


def _around(rest: Native, path: tuple[str, ...], document: Any) -> Native:
    *outer, last = path
    inner = rest
    for key in outer:
        inner = inner.setdefault(key, {})
    inner[last] = document
    return rest


def extras_cell(containers: Containers) -> Cell:
    """Return the cell of a history's extras: what else a session file holds stays if it comes back."""
    beside = containers.cells()["extras"]

    def keys(history: am.History) -> frozenset[str] | None:
        return frozenset() if _comes_back(history, containers) else None

    session = carried_extras((space_of(containers), keys))

    def both(extras: Mapping[str, Any], history: am.History) -> Mapping[str, Any]:
        kept: Mapping[str, Any] = beside(extras, history)
        if space_of(containers) not in extras:
            return kept
        found = {**kept, **session(extras, history)}
        is_same = list(found) == list(extras) and all(found[space] is extras[space] for space in found)
        return extras if is_same else found

    return both


def _comes_back(history: am.History, containers: Containers) -> bool:
    name = _mark(history, containers)
    rest: Any = history.extras[space_of(containers)]
    if name is None or any(not is_object(thaw(rest.get(key, {}))) for key in _PATHS[name][:-1]):
        return False
    whole = _around(thaw(rest), _PATHS[name], {containers.keys[0]: []})
    return path_in(whole, containers) == name and _rest(whole, _PATHS[name]) == thaw(rest)
