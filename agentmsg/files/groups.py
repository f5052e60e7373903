"""Losses of many documents, grouped by what they have in common: level, path without indexes, and the reason.

60 × messages/*/content/*: thinking needs a signature (30 documents)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import attrs

from agentmsg.fitting.losses import pointer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmsg.fitting.losses import Loss

_Key: TypeAlias = "tuple[str, str, str]"
# The most groups: there may be endless paths through free-form data.
_MOST = 500
_OTHERS = "other paths"


@attrs.define(kw_only=True)
class LossGroup:
    """Losses that have something in common.

    Attributes:
        level: what they count as: "content", "annotation", "setting" or "unsent".
        where: their path, with ``*`` for each index.
        what: why they are lost or, if not stated, how.
        path: of the first.
        count: number of losses.
        documents: number of documents with such losses.
        first: the number of the first of these.
        last: the number of the last.
        place: the first of these, with its file; empty until known.
    """

    level: str
    where: str
    what: str
    path: str
    count: int = 0
    documents: int = 0
    first: int = 0
    last: int = 0
    place: str = ""

    @property
    def key(self) -> _Key:
        """What the losses have in common."""
        return self.level, self.where, self.what

    def __str__(self) -> str:
        """Return the group as one line, such as ``2 × messages/*/name: dropped``; a single loss with its exact path."""
        return f"{self.count:,} × {self.path if self.count == 1 else self.where}: {self.what}"


class LossGroups:
    """Groups of losses that grow with each document."""

    def __init__(self) -> None:
        self._groups: dict[_Key, LossGroup] = {}

    def add(self, losses: Iterable[Loss], document: int) -> None:
        """Add the losses of a document, by its number."""
        for loss in losses:
            group = self._group(loss)
            if group.last != document:
                group.documents += 1
                group.last = document
                group.first = group.first or document
            group.count += 1

    def _group(self, loss: Loss) -> LossGroup:
        where = pointer(tuple("*" if isinstance(step, int) else step for step in loss.path))
        is_clear = loss.kind in ("dropped", "unsent")
        what = loss.kind if not loss.why else loss.why if is_clear else f"{loss.kind}, {loss.why}"
        key = loss.tally, where, what
        if key not in self._groups and len(self._groups) >= _MOST:
            key = loss.tally, _OTHERS, loss.kind
        if key not in self._groups:
            self._groups[key] = LossGroup(level=key[0], where=key[1], what=key[2], path=loss.where)
        return self._groups[key]

    def merge(self, groups: Iterable[LossGroup], target: str, before: int) -> None:
        """Add the groups of further documents of a target, with the number of documents before them in it."""
        for group in groups:
            own = self._groups.get(group.key)
            if own is None:
                self._groups[group.key] = attrs.evolve(group, place=f"{target}:{before + group.first}")
            else:
                own.count += group.count
                own.documents += group.documents

    def of_level(self, level: str) -> list[LossGroup]:
        """Return the groups of a level, the largest first."""
        found = [group for group in self._groups.values() if group.level == level]
        return sorted(found, key=lambda group: -group.count)

    def all(self) -> list[LossGroup]:
        """Return all groups, in the order of their first loss."""
        return list(self._groups.values())
