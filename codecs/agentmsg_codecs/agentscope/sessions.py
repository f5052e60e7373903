"""Session files: the state of an agent, which holds a document, such as ``{"agent": {"memory": {"content": [...]}}}``.

``JSONSession`` and QwenPaw write them: a memory in 1.x, a state in 2.x. The history's mark ``/session`` is the path of
the document in the file; what else the file holds is ``extras["agentscope.session"]`` (of Java ``agentscope-java``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg import thaw
from agentmsg.formats import Containers, adopt, carried_extras, cells, is_list, is_object, mark_of, marked

if TYPE_CHECKING:
    from collections.abc import Mapping

    import agentmsg as am
    from agentmsg.formats import Cell, Native

_PATHS = {
    "agent.state": ("agent", "state"), "agent.memory": ("agent", "memory"), "state": ("state",), "memory": ("memory",),
}  # fmt: skip


class Sessions(Containers):
    """Containers of messages, which may be inside a session file."""

    @property
    def space(self) -> str:
        """The namespace of what else a session file holds."""
        return f"{self.family}.session"

    def session_of(self, document: Any) -> str | None:
        """Return where a session file has its document, as in the mark; None if this is no such file."""
        if not is_object(document) or document.keys().isdisjoint(("agent", "state", "memory")):
            return None
        if not document.keys().isdisjoint((*self.own, *self.keys)):
            return None
        for name, path in _PATHS.items():
            inner: Any = document
            for key in path:
                inner = inner.get(key) if is_object(inner) else None
            if is_object(inner) and is_list(inner.get(self.place(inner) or "")):
                return name
        return None

    def opened(self, document: Any) -> tuple[Any, str | None]:
        """Return the document in a session file, with its place; any other document itself, and None."""
        name = self.session_of(document)
        for key in path_of(name):
            document = document[key]
        return document, name

    def noted(self, history: am.History, document: Native, name: str) -> am.History:
        """Return the history of a session file, with what else the file holds."""
        rest = _rest(document, _PATHS[name])
        history = marked(history, self.family, session=name)
        return history.evolve(extras={**history.extras, self.space: adopt(rest)}) if rest else history

    def closed(self, history: am.History, document: Any) -> Any:
        """Return the session file of a history's document, if it was read from one."""
        name = self._mark(history)
        if name is None:
            return document
        rest: Any = history.extras.get(self.space) if history.extras else None
        return _around(thaw(rest or {}), _PATHS[name], document)

    def _mark(self, history: am.History) -> str | None:
        """Return the mark of a history that is written as a session file."""
        name = mark_of(history, self.family, "/session") if history.notes else None
        is_inside = mark_of(history, self.family, "/container") in self.keys if name in _PATHS else False
        return name if is_inside else None

    def cells(self) -> Mapping[str, Cell]:
        """Return the cells of histories: what else a session file holds stays if it comes back."""

        def keys(history: am.History) -> frozenset[str] | None:
            return frozenset() if self._comes_back(history) else None

        beside = super().cells()["extras"]
        return {"extras": cells.together(beside, carried_extras((self.space, keys)))}

    def _comes_back(self, history: am.History) -> bool:
        name = self._mark(history)
        rest: Any = history.extras[self.space]
        if name is None or any(not is_object(thaw(rest.get(key, {}))) for key in _PATHS[name][:-1]):
            return False
        whole = _around(thaw(rest), _PATHS[name], {self.keys[0]: []})
        return self.session_of(whole) == name and _rest(whole, _PATHS[name]) == thaw(rest)


def path_of(name: str | None) -> tuple[str, ...]:
    """Return the path that a mark names."""
    return () if name is None else _PATHS[name]


def _rest(document: Native, path: tuple[str, ...]) -> Native:
    """Return a session file without its document, and without objects that held nothing else."""
    key, *others = path
    rest = {name: value for name, value in document.items() if name != key}
    inner = _rest(document[key], tuple(others)) if others else {}
    return {**rest, key: inner} if inner else rest


def _around(rest: Native, path: tuple[str, ...], document: Any) -> Native:
    *outer, last = path
    inner = rest
    for key in outer:
        inner = inner.setdefault(key, {})
    inner[last] = document
    return rest
