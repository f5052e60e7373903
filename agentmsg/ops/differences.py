"""Differences between two histories, by path: with them the second can be rebuilt from the first.

Two histories have no differences exactly if they are ``same`` (``exact`` is stricter). Items of sequences are aligned
first, so that an inserted message is one difference, not one for every message after it: equal items by ``difflib``,
and of those left between them the most alike. The quality of the alignment decides only how many differences there are,
never whether they are right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import attrs

from agentmsg.errors import excerpt
from agentmsg.model.base import Noted
from agentmsg.model.checks import flag
from agentmsg.model.equality import compared, same
from agentmsg.model.generated import Made
from agentmsg.model.history import as_history
from agentmsg.ops.alignment import align

if TYPE_CHECKING:
    from agentmsg.model.history import History, MsgLike
    from agentmsg.model.msg import Msg

_MESSAGES = ("messages",)
# Report progress after this many messages.
_OFTEN = 64

Path: TypeAlias = "tuple[str | int, ...]"
Kind: TypeAlias = Literal["added", "removed", "changed", "reordered"]


@attrs.frozen(kw_only=True)
class Difference:
    """One difference between two histories.

    Attributes:
        path: field names, keys and indexes from the history down, such as ``("messages", 3, "content", 0, "text")``.
            Indexes are those of the first history; only the last step to an added item is its index in the second.
        kind: "added" and "removed" for items, keys, and fields that were or are None; "reordered" for the keys of
            free-form JSON, whose order counts; else "changed".
        was: the value in the first history; None if it was added; the keys if they are reordered.
        now: the value in the second; None if it was removed; the keys if they are reordered.
    """

    path: Path
    kind: Kind
    was: Any
    now: Any

    @property
    def pointer(self) -> str:
        """The path as a JSON pointer (RFC 6901)."""
        return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in self.path)

    def __str__(self) -> str:
        """Return the difference as one line, such as ``/messages/0/content/0/text changed: 'Hi' -> 'Hello'``."""
        was, now = (excerpt(value) for value in (self.was, self.now))
        return f"{self.pointer} {self.kind}: " + {"added": now, "removed": was}.get(self.kind, f"{was} -> {now}")


def diff(
    a: History | Msg | Iterable[MsgLike], b: History | Msg | Iterable[MsgLike], *, exact: bool = False
) -> tuple[Difference, ...]:
    """Return the differences between two histories, in the order of the first; none exactly if they are ``same``.

    Args:
        a: the first: a history, a message, or messages.
        b: the second.
        exact: also compare what ``same`` ignores: notes, made ids and times, and the spelling of arguments.

    Raises:
        InvalidMessage: if one of them isn't that.
    """
    flag(exact, "exact")
    return tuple(differences(as_history(a), as_history(b), exact=exact))


def differences(
    a: History, b: History, *, exact: bool = False, advance: Callable[[int, int], None] | None = None
) -> list[Difference]:
    """Return the differences between two histories, in the order of the first.

    Args:
        a: the first.
        b: the second.
        exact: also compare what ``same`` ignores: notes, made ids and times, and the spelling of arguments.
        advance: called with the number of messages compared and the total, for long histories.
    """
    found = _Finder(exact=exact, advance=advance)
    found.between((), a, b)
    return found.differences


class _Finder:
    """Walks through two values at once, with loops instead of generators: values may be deep, and the stack isn't."""

    def __init__(self, *, exact: bool, advance: Callable[[int, int], None] | None = None) -> None:
        self.exact = exact
        self.advance = advance
        self.differences: list[Difference] = []

    def between(self, path: Path, a: Any, b: Any) -> None:
        """Find the differences between two values at one place."""
        if a is b or (not self.exact and same(a, b)):
            return
        if isinstance(a, Noted) and type(a) is type(b):
            self._fields(path, a, b)
        elif isinstance(a, Mapping) and isinstance(b, Mapping):
            self._keys(path, cast("Mapping[str, Any]", a), cast("Mapping[str, Any]", b))
        elif _is_sequence(a) and _is_sequence(b):
            self._items(path, cast("Sequence[Any]", a), cast("Sequence[Any]", b))
        elif not self.exact or not _exactly(a, b):
            self._tell(path, "changed", a, b)

    def _tell(self, path: Path, kind: Kind, was: Any, now: Any) -> None:
        self.differences.append(Difference(path=path, kind=kind, was=was, now=now))

    def _fields(self, path: Path, a: Noted, b: Noted) -> None:
        kind = cast("Any", type(a))
        for name, get in _exact_fields(kind) if self.exact else compared(kind):
            was, now = get(a), get(b)
            if (was is None) == (now is None) or (not self.exact and same(was, now)):
                self.between((*path, name), was, now)
            else:
                self._tell((*path, name), "added" if was is None else "removed", was, now)

    def _keys(self, path: Path, a: Mapping[str, Any], b: Mapping[str, Any]) -> None:
        for key, was in a.items():
            if key in b:
                self.between((*path, key), was, b[key])
            else:
                self._tell((*path, key), "removed", was, None)
        for key, now in b.items():
            if key not in a:
                self._tell((*path, key), "added", None, now)
        if [*(key for key in a if key in b), *(key for key in b if key not in a)] != list(b):
            self._tell(path, "reordered", list(a), list(b))

    def _items(self, path: Path, a: Sequence[Any], b: Sequence[Any]) -> None:
        advance = self.advance if path == _MESSAGES else None
        pairs = align(a, b)
        for number, pair in enumerate(pairs):
            if advance is not None and not number % _OFTEN:
                advance(number, len(pairs))
            was, now = pair
            if was is not None and now is not None:
                self.between((*path, was), a[was], b[now])
            elif was is not None:
                self._tell((*path, was), "removed", a[was], None)
            elif now is not None:
                self._tell((*path, now), "added", None, b[now])


def _is_sequence(value: Any) -> bool:
    """Whether the items of a value are compared one by one; those of an embedding aren't."""
    if isinstance(value, tuple):
        return all(isinstance(item, Noted) for item in cast("tuple[object, ...]", value))
    return isinstance(value, list)


def _exactly(a: Any, b: Any) -> bool:
    """Whether two values without parts are equal: a made text equals its text, but not None."""
    if isinstance(a, Made) or isinstance(b, Made):
        return isinstance(a, str) and isinstance(b, str) and str.__eq__(a, b)
    return (a is None) == (b is None) and same(a, b)


def _exact_fields(cls: type[Any]) -> Iterable[tuple[str, Any]]:
    """Return all fields, including ``notes`` and the arguments' text, with functions that get their values."""
    from operator import attrgetter  # noqa: PLC0415 - for few

    names = [field.alias or field.name for field in attrs.fields(cls) if field.init]
    return [(name, attrgetter(name)) for name in names]
