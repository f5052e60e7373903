"""Losses: the exact report of what a conversion could not hold.

Paths refer to the *input* history. A path that ends in an index means the whole message, block or tool; one that ends
in a name means that field. Extras are lost key by key: ``messages/3/extras/openai/verbosity``. ``was`` is the input's
value. ``now`` is the output's value, or the new place of something that is still in the output but elsewhere. What is
"unsent" is in the output as it was, so there is nothing to restore; but the library that reads it won't send it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args, overload

import attrs

from agentmsg.errors import LossError, is_a, refused
from agentmsg.formats.capabilities import Level
from agentmsg.model.checks import checked, clean_repr, flag, listed, one_of, shown_fields
from agentmsg.model.construction import paused
from agentmsg.model.pickling import Reported, repr_html

if TYPE_CHECKING:
    from agentmsg.fitting.prints import Prints
    from agentmsg.model.history import History

Kind = Literal["dropped", "changed", "invented", "moved", "split", "merged", "unsent"]
Path: TypeAlias = tuple[str | int, ...]
Keys: TypeAlias = tuple[str, ...]

_VALUES = frozenset({"was", "now"})


def pointer(path: Path) -> str:
    """Return a path as a JSON pointer without the first slash; ``*`` stays, for ours lead to one place."""
    return "/".join([str(step).replace("~", "~0").replace("/", "~1") for step in path])


@attrs.frozen(repr=False)
class Loss(Reported):
    """One thing that a conversion could not hold.

    Attributes:
        path: where it was in the input history. Messages that the input lacks are numbered after its last one.
        kind: dropped, changed, invented (the output has a value that the input lacks), moved, split, merged, or unsent
            (the output has it, but the client of the library that reads it doesn't send it to a model).
        codec: the format that could not hold it.
        level: content (a model would read it, or could do it), annotation or setting.
        was: the input's value; None for something that is still in the output as it was.
        now: the output's value. For a moved block: its index in the output's content, or the message and block that it
            became. For a merged block: the index of the block that it is now a part of. For moved, split, merged and
            invented messages: the (message, first block) of each part there.
        why: the reason, in words.
        secret: whether ``was`` may hold a value meant to be hidden; then neither it nor ``now`` is shown.
        order: for a key of extras, all keys that the input had beside it: ``restore`` puts them back in this order.
        origin: the report that it is from, without its losses: so a plain list is guarded, too. None if made by hand.
    """

    path: Path
    kind: Kind
    codec: str
    level: Level
    was: Any = None
    now: Any = None
    why: str = ""
    secret: bool = attrs.field(default=False, eq=False, repr=False, kw_only=True)
    order: Keys = attrs.field(default=(), eq=False, repr=False, kw_only=True)
    origin: Losses | None = attrs.field(default=None, eq=False, repr=False, kw_only=True)
    __repr__ = clean_repr

    @property
    def where(self) -> str:
        """The path as text, such as ``messages/3/extras/openai/verbosity``; steps are escaped as in JSON pointers."""
        return pointer(self.path)

    @property
    def tally(self) -> str:
        """What a summary counts it as: its level, or "unsent"."""
        return self.kind if self.kind == "unsent" else self.level

    def __rich_repr__(self) -> Iterator[tuple[str, Any]]:
        """Yield the fields to show; for a secret loss without its values."""
        for name, value in shown_fields(self):
            if not (self.secret and name in _VALUES):
                yield name, value

    def __str__(self) -> str:
        """Return the loss as one line: ``messages/3/name dropped (annotation): why``."""
        return f"{self.where} {self.kind} ({self.level})" + (f": {self.why}" if self.why else "")


@attrs.frozen
class Settled:
    """A source's spelling, or prints, already computed: a value for ``Losses`` that can be pickled."""

    value: Any

    def __call__(self) -> Any:
        """Return it."""
        return self.value


_no_prints = Settled(None)


class Losses(Reported, Sequence[Loss]):
    """A loss report: the losses of one conversion, computed on first access.

    Args:
        items: the losses, or a function that makes them.
        codec: the format that could not hold them.
        guard: called by ``restore`` with a history; raises LossError if the report belongs to another history.
        spelling: returns the source's notes by path. They aren't losses, but they make the *document* exact, too.
        length: number of messages in the output, if known; any messages after these were added later.
        prints: returns digests of the output's messages, blocks and tools, by which edits are found; None if there are
            none.
        carried: number of further losses inside the output (``carry=True``); ``restore`` takes them from there.
        secret: whether the losses hold values meant to be hidden, such as redacted keys. Reprs don't show their values
            then, and the header on file says so.
    """

    binding: dict[str, Any] | None = None
    """What tells the output on file, once that is known; a loss of this report says it, too."""

    def __init__(
        self,
        items: Iterable[Loss] | Callable[[], Iterable[Loss]],
        *,
        codec: str,
        guard: Callable[[History], None] | None = None,
        spelling: Callable[[], Iterable[tuple[Path, Any]]] = tuple,
        length: int | None = None,
        prints: Callable[[], Prints | None] = _no_prints,
        carried: int = 0,
        secret: bool = False,
    ) -> None:
        for name, value in (("length", length), ("carried", carried)):
            if value is not None and (type(value) is not int or value < 0):
                raise refused(name, value, "a whole number, at least 0")
        for name, function in (("guard", guard), ("spelling", spelling), ("prints", prints)):
            if function is not None and not callable(function):
                raise refused(name, function, "a function")
        checked(codec, str, "codec")
        flag(secret, "secret")
        # An iterator is consumed now: several threads may read a loss report.
        self._make = items if callable(items) else _losses(items)
        self._items: tuple[Loss, ...] | None = None
        self.codec = codec
        self.guard = guard
        self.spelling = spelling
        self.length = length
        self.prints = prints
        self.carried = carried
        self.secret = secret

    @classmethod
    def of_fit(
        cls,
        make: Callable[[], Iterable[Loss]],
        *,
        codec: str,
        guard: Callable[[History], None],
        spelling: Callable[[], Iterable[tuple[Path, Any]]],
        length: int,
        prints: Callable[[], Prints | None],
        secret: bool,
    ) -> Losses:
        """Return the report of a fit, whose arguments are always right: checking them takes as long as two messages."""
        self = object.__new__(cls)
        self._make, self._items, self.carried = make, None, 0
        self.codec, self.guard, self.spelling, self.length, self.secret = codec, guard, spelling, length, secret
        self.prints = prints
        return self

    def _all(self) -> tuple[Loss, ...]:
        if self._items is None:
            with paused():
                items = tuple(self._make()) if callable(self._make) else self._make
            items = tuple(attrs.evolve(each, secret=True) for each in items) if self.secret else items
            if self.guard is not None and items:
                origin = relisted(self, ())
                for each in items:
                    if each.origin is None:
                        _set_origin(each, origin)
            self._items = items
        return self._items

    @overload
    def __getitem__(self, index: int) -> Loss: ...
    @overload
    def __getitem__(self, index: slice) -> Losses: ...
    def __getitem__(self, index: int | slice) -> Loss | Losses:
        """Return a loss, or a slice as a loss report."""
        try:
            return relisted(self, self._all()[index]) if isinstance(index, slice) else self._all()[index]
        except IndexError:
            raise
        except Exception:  # noqa: BLE001 - anything but an index
            raise refused("index", index, "a whole number or a slice") from None

    def __len__(self) -> int:
        """Return the number of losses."""
        return len(self._all())

    def __iter__(self) -> Iterator[Loss]:
        """Iterate over the losses."""
        return iter(self._all())

    def __eq__(self, other: object) -> bool:
        """Compare the losses, in order."""
        return isinstance(other, Losses) and self._all() == other._all()

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> Losses:
        """Return the loss report itself: it never changes."""
        return self

    def __deepcopy__(self, memo: object) -> Losses:
        """Return the loss report itself: neither it nor its content ever changes."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the content of the loss report, not how it would be computed."""
        given = _besides(self) | {"spelling": Settled(tuple(self.spelling())), "prints": Settled(self.prints())}
        # Each loss gets this report again.
        return (partial(Losses, **given), (tuple(attrs.evolve(loss, origin=None) for loss in self._all()),))

    def __repr__(self) -> str:
        """Return a summary such as ``<Losses: 2 content, 5 annotation>``."""
        return f"<Losses: {self.summary()}>"

    def __rich_repr__(self) -> Iterator[Loss]:
        """Yield what rich shows: the losses."""
        yield from self

    def _repr_html_(self) -> str | None:
        """Return the table for a notebook; None if the extra ``html`` is missing."""
        return repr_html(self)

    def filter(self, *, level: Level | None = None, kind: Kind | None = None) -> Losses:
        """Return the report of some losses; restoring with it leaves the others lost.

        Raises:
            InvalidMessage: code "option" if there is no such level or kind.
        """
        for name, word, words in (("level", level, get_args(Level)), ("kind", kind, get_args(Kind))):
            if word is not None:
                one_of(word, name, *words)
        return relisted(self, [loss for loss in self if level in (None, loss.level) and kind in (None, loss.kind)])

    @property
    def lost(self) -> Losses:
        """What the document lacks: all but what it holds, and its library doesn't send."""
        return relisted(self, [loss for loss in self if loss.kind != "unsent"])

    @property
    def content(self) -> Losses:
        """The losses that a model would notice."""
        return self.filter(level="content")

    def summary(self) -> str:
        """Return the counts by level, such as "2 content, 5 annotation, 3 carried", or "nothing lost, 1 unsent"."""
        counts = Counter(loss.tally for loss in self)
        words = [f"{counts[level]} {level}" for level in get_args(Level) if counts[level]]
        words = [*words, f"{self.carried} carried"] if self.carried else words or ["nothing lost"]
        return ", ".join([*words, f"{counts['unsent']} unsent"] if counts["unsent"] else words)


_set_origin: Callable[[Loss, Losses], None] = vars(Loss)["origin"].__set__  # past the frozen class


def report_of(losses: Iterable[Loss]) -> Losses:
    """Return losses as a loss report: a plain list is guarded by the report that they are from.

    Raises:
        LossError: code "edited" if they are from several reports.
    """
    if is_a(losses, Losses):
        return losses
    found = [checked(loss, Loss, "a loss") for loss in listed(losses, "losses")]
    origins = [loss.origin for loss in found if loss.origin is not None]
    if any(origin.guard != origins[0].guard for origin in origins):
        msg = "these losses are from several conversions; restore those of each by themselves, the last one first"
        raise LossError(msg, code="edited")
    return relisted(origins[0], found) if origins else Losses(found, codec=found[0].codec if found else "")


def relisted(
    losses: Losses, items: Iterable[Loss] | Callable[[], Iterable[Loss]], *, carried: int | None = None
) -> Losses:
    """Return a loss report with other losses of the same conversion.

    Args:
        losses: the loss report.
        items: the other losses, or a function that makes them.
        carried: how many further ones are inside the output, if that changes.
    """
    given = _besides(losses)
    given["carried"] = losses.carried if carried is None else carried
    return Losses(items, **given)


def _besides(losses: Losses) -> dict[str, Any]:
    """Return what a report is made with besides its losses."""
    names = ("codec", "guard", "spelling", "length", "prints", "carried", "secret")
    return {name: getattr(losses, name) for name in names}


def _losses(items: Iterable[Loss]) -> tuple[Loss, ...]:
    return tuple(checked(item, Loss, "a loss") for item in listed(items, "items"))
