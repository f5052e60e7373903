"""The loss report of a fit: what the output plus this list needs to rebuild the input.

Each input message is rebuilt from its parts in the output, without field losses. Any remaining difference from the
input, field by field, is a loss. So the loss report is complete, whatever the rules did.
"""

from __future__ import annotations

from itertools import chain
from operator import is_
from typing import TYPE_CHECKING, Any, cast

import attrs

from agentmsg.errors import LossError
from agentmsg.fitting.extra_keys import lost_keys
from agentmsg.fitting.fitted import FitItem, Fitted, Joined, make_item
from agentmsg.fitting.levels import EXTRAS, PROMPT_ROLES, extras_hold_content, level_at, level_of_loss
from agentmsg.fitting.longest_run import moved_of
from agentmsg.fitting.losses import Keys, Kind, Loss, Losses, Path
from agentmsg.fitting.spellings import spellings
from agentmsg.formats.capabilities import Drop, Level, Swap
from agentmsg.model.blocks import NativeBlock, ToolResultBlock, ToolUseBlock
from agentmsg.model.construction import maker
from agentmsg.model.equality import changes_of, same
from agentmsg.model.history import History
from agentmsg.model.msg import Msg
from agentmsg.model.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentmsg.model.base import Noted

__all__ = ["account", "check_unedited", "loses_content"]


@attrs.frozen
class _Piece:
    """A part of an input message in the output: where it is, and what became of its blocks."""

    out: int
    first: int
    alone: bool
    leading: bool
    message: Msg
    blocks: tuple[tuple[int, FitItem], ...]

    @property
    def rests(self) -> bool:
        """Whether restore finds it without a loss: a whole message, or the filled front of one."""
        return self.alone or (self.leading and any(not isinstance(item.new, Drop) for _, item in self.blocks))


_CONTENT = frozenset({"content"})
_SAID = frozenset({"input", "raw_input"})
_make_piece = maker(_Piece)
_make_loss = maker(Loss)


def account(fitted: Fitted) -> Losses:
    """Return the loss report of a fit; it is computed on first access."""
    output = fitted.history
    return Losses.of_fit(
        lambda: _derive(fitted),
        codec=fitted.codec,
        guard=_make_guard(output),
        spelling=lambda: spellings(fitted),
        length=len(output),
        secret=fitted.is_secret,
    )


@attrs.frozen(eq=False)
class _Unedited:
    """Guards a loss report whose output is in memory; unlike a function, it can be pickled."""

    output: History

    def __call__(self, history: History) -> None:
        check_unedited(history, self.output)


_make_guard = maker(_Unedited)


def check_unedited(history: History, output: History) -> None:
    """Refuse a history that isn't the output (which may have messages appended).

    Raises:
        LossError: code "edited".
    """
    for index, message in enumerate(output.messages):
        if index >= len(history) or not same(history.messages[index], message):
            msg = "the loss report belongs to another history"
            raise LossError(msg, code="edited", path=("messages", index))
    for name in ("id", "tools", "metadata", "settings", "sorted_extras"):
        if not same(getattr(history, name), getattr(output, name)):
            msg = "the loss report belongs to another history"
            raise LossError(msg, code="edited", path=(name.removeprefix("sorted_"),))


def loses_content(fitted: Fitted) -> bool:
    """Whether the loss report may hold content losses, without computing it."""
    if fitted.plan is not None or fitted.tools is not None:
        return True
    if extras_hold_content(fitted.source, fitted.source.extras, fitted.history.extras):
        return True
    if any(rule.level == "content" for rule in fitted.rules.values()):
        return True
    before = fitted.source.messages
    return any(
        isinstance(done.new, Drop)
        or done.new.content is not before[index].content
        or done.new.role != before[index].role
        or done.new.structured is not before[index].structured
        or done.new.extras is not before[index].extras
        for index, done in fitted.changed.items()
    )


def _derive(fitted: Fitted) -> list[Loss]:
    report = _Report(fitted)
    if fitted.history is fitted.source:
        return report.losses
    if not _same_messages(fitted):
        if fitted.plan is None and not (fitted.rules or fitted.gone or fitted.added or fitted.invented):
            _compare_in_place(report, fitted)
        else:
            _compare(report, fitted)
    report.rest(fitted)
    return report.losses


def _compare_in_place(report: _Report, fitted: Fitted) -> None:
    """Report the losses of messages that are each in their place in the output, or gone: the common case."""
    left = iter(fitted.history.messages)
    for index, message in enumerate(fitted.source.messages):
        path, done = ("messages", index), fitted.changed.get(index)
        if done is not None and isinstance(done.new, Drop):
            report.loss(path, "dropped", message, None, done.new)
            continue
        new = next(left)
        if new is message:
            continue
        report.fields(path, message, new, _CONTENT)
        if new.content is not message.content:
            items = None if done is None else done.items
            if items is None:
                items = tuple(map(make_item, new.content))
            report.items((*path, "content"), message.content, list(enumerate(items)))


def _compare(report: _Report, fitted: Fitted) -> None:
    """Report the losses of messages whose parts may be anywhere in the output."""
    pieces, whys = _pieces(fitted)
    resting = [index for index, own in enumerate(pieces) if len(own) == 1 and own[0].rests]
    mended = {place for place, index in enumerate(resting) if ("messages", index) in fitted.reasons}
    moved = {resting[place] for place in moved_of([pieces[index][0].out for index in resting], mended)}
    last = -1
    for index, message in enumerate(fitted.source.messages):
        own = pieces[index]
        if not own:
            report.loss(("messages", index), "dropped", message, None, whys.get(index))
            continue
        # Instructions that came after other messages, and come before them now, mean something else.
        lifted = own[0].out < last and message.role in PROMPT_ROLES
        last = max(last, own[-1].out)
        report.placed(index, own, is_moved=index in moved, is_lifted=lifted)
        report.message(index, message, own, fitted)
    for number, (out, why) in enumerate(sorted(fitted.invented.items()), start=len(pieces)):
        report.tell(("messages", number), "invented", "annotation", why, now=((out, 0),))


def _same_messages(fitted: Fitted) -> bool:
    """Whether all messages are the same objects as before, so that only what is around them was lost."""
    before, after = fitted.source.messages, fitted.history.messages
    return after is before or (len(after) == len(before) and all(map(is_, after, before)))


def _pieces(fitted: Fitted) -> tuple[list[list[_Piece]], dict[int, Drop]]:
    """Return the pieces of each input message, and why messages without any were dropped."""
    pieces: list[list[_Piece]] = [[] for _ in fitted.source.messages]
    whys = {index: rule for index, rule in fitted.rules.items() if isinstance(rule, Drop)}
    out = 0
    plan = fitted.plan
    count = len(plan) if plan is not None else len(fitted.source.messages)
    for index in range(count):
        done = fitted.changed.get(index)
        parts = plan[index] if plan is not None else None
        if done is not None and isinstance(done.new, Drop):
            for part_index in [part.index for part in parts] if parts else [index]:
                whys[part_index] = done.new
            continue
        while out in fitted.added:
            out += 1
        message = fitted.history.messages[out]
        items = done.items if done is not None else None
        if items is None:
            items = tuple([make_item(block) for block in message.content])
        start = first = 0
        spans = [(part.index, part.picks) for part in parts] if parts else [(index, tuple(range(len(items))))]
        for number, (source, picks) in enumerate(spans):
            mine = items[start : start + len(picks)]
            blocks = tuple(zip(picks, mine, strict=True))
            pieces[source].append(_make_piece(out, first, len(spans) == 1, number == 0, message, blocks))
            start += len(picks)
            first += sum(not isinstance(item.new, Drop) for item in mine)
        out += 1
    left = list(map(_that_are_left, pieces))
    return (left if all(map(is_, left, pieces)) else _settled(left)), whys


def _settled(pieces: list[list[_Piece]]) -> list[list[_Piece]]:
    """Return the pieces that are left: an output message belongs to the first of them, and is whole if alone."""
    held: dict[int, list[_Piece]] = {}
    for piece in chain.from_iterable(pieces):
        held.setdefault(piece.out, []).append(piece)
    # One without blocks may begin where the next one does.
    leaders = {out: min(own, key=lambda piece: (piece.first, not piece.leading)) for out, own in held.items()}
    return [
        [
            attrs.evolve(piece, leading=True, alone=len(held[piece.out]) == 1) if piece is leaders[piece.out] else piece
            for piece in own
        ]
        for own in pieces
    ]


def _that_are_left(own: list[_Piece]) -> list[_Piece]:
    """Return a message's pieces without those of which nothing is left after merging."""
    left = [piece for piece in own if piece.alone or any(not isinstance(item.new, Drop) for _, item in piece.blocks)]
    if not left or len(left) == len(own):
        return own
    # Why their blocks were dropped must still be reported.
    blocks = tuple(sorted((entry for piece in own for entry in piece.blocks), key=lambda entry: entry[0]))
    first = left[0]
    others = {pick for piece in left[1:] for pick, _ in piece.blocks}
    mine = tuple(entry for entry in blocks if entry[0] not in others)
    return [attrs.evolve(first, blocks=mine), *left[1:]]


def _caused(rule: Drop | Swap | None, kind: type, get: Callable[[Any], Any], was: Any) -> bool:
    """Whether a rule caused a field's loss; the rule then sets level and reason."""
    return isinstance(rule, Swap) and type(rule.new) is kind and not same(get(rule.new), was)


def _remade_level(block: Any, item: FitItem, otherwise: Level = "content") -> Level:
    """Return the level of a rebuilt block: its rule's, but content if it held some that only its form could hold."""
    if extras_hold_content(block, block.extras, item.new.extras) or _loses_within(block, item.new):
        return "content"
    return otherwise if item.swap is None else item.swap.level


def _loses_within(block: Any, new: Any) -> bool:
    """Whether blocks of a rebuilt result had content beside their words: a native value, or extras."""
    before: tuple[Any, ...] = block.content if isinstance(block, ToolResultBlock) else ()
    after: tuple[Any, ...] = new.content if isinstance(new, ToolResultBlock) else ()
    kept = {id(each) for each in after}
    now = after if len(after) == len(before) else (None,) * len(before)
    return any(
        id(old) not in kept
        and (
            isinstance(old, NativeBlock) or extras_hold_content(old, old.extras, {} if other is None else other.extras)
        )
        for old, other in zip(before, now, strict=True)
    )


def _is_said(name: str, old: Noted, new: Noted) -> bool:
    """Whether what a call loses comes back with its text, or with its input: each says the other."""
    if name not in _SAID or not isinstance(old, ToolUseBlock) or not isinstance(new, ToolUseBlock):
        return False
    if old.significant_text is None:
        return name == "raw_input" and not same(old.input, new.input)
    return name == "input" and old.significant_text != new.significant_text


class _Report:
    """Makes the losses of one loss report.

    Attributes:
        losses: those found so far, in order.
    """

    def __init__(self, fitted: Fitted) -> None:
        self.codec = fitted.codec
        self.reasons = fitted.reasons
        self.is_secret = fitted.is_secret
        self.losses: list[Loss] = []

    def tell(self, path: Path, kind: Kind, level: Level, why: str, *, was: Any = None, now: Any = None) -> None:
        self.losses.append(_make_loss(path, kind, self.codec, level, was, now, why))

    def loss(
        self, path: Path, kind: Kind, was: Any, now: Any, why: Any = None, *, owner: Any = None, order: Keys = ()
    ) -> None:
        level, words = (None, "") if why is None else (why.level, why.why)
        reason = self.reasons.get(path[: path.index(EXTRAS) + 1] if EXTRAS in path else path) if self.reasons else None
        if reason is not None:
            words, level = reason
            # A mend may change a name: it isn't asked what else was lost.
            level = level or (level_of_loss if EXTRAS in path else level_at)(path, was, now)
        else:
            level = level_of_loss(path, was, now, owner, level)
        self.losses.append(_make_loss(path, kind, self.codec, level, was, now, words, order=order))

    def placed(self, index: int, own: list[_Piece], *, is_moved: bool, is_lifted: bool) -> None:
        """Report the new place of a message that isn't one whole output message in its turn."""
        place = tuple((piece.out, piece.first) for piece in own)
        at: Path = ("messages", index)
        if len(own) > 1:
            self.loss(at, "split", None, place, Drop("one message each", "annotation"))
        elif (not own[0].rests or (is_moved and not own[0].alone)) and not is_lifted:
            self.loss(at, "merged", None, place, Drop("neighbours are one message", "annotation"))
        elif is_moved or not own[0].rests:
            self.loss(at, "moved", None, place, Drop("is elsewhere now"))

    def message(self, index: int, message: Msg, own: list[_Piece], fitted: Fitted) -> None:
        path: Path = ("messages", index)
        kept = [(pick, item) for piece in own for pick, item in piece.blocks]
        kept += fitted.gone.get(index, {}).items()
        self.fields(path, message, own[0].message, _CONTENT, fitted.rules.get(index))
        self.items((*path, "content"), message.content, kept)

    def fields(
        self, path: Path, old: Noted, new: Noted, skipped: frozenset[str] = frozenset(), rule: Any = None
    ) -> None:
        if old is new:
            return
        kind: type = type(old)
        for name, get, was, now in changes_of(kind)(old, new):
            if name in skipped or same(was, now) or _is_said(name, old, new):
                continue
            # Zero and false say something.
            is_gone = not now and not isinstance(now, (int, float))
            fate: Kind = "dropped" if is_gone else "invented" if was is None else "changed"
            caused = rule if rule is not None and _caused(rule, kind, get, was) else None
            keys = list(lost_keys(cast("Any", was), cast("Any", now))) if name == EXTRAS else []
            # A path would show a key that was hidden.
            if keys and not (self.is_secret and any(how != "changed" for _, how, *_ in keys)):
                for way, how, one, other, order in keys:
                    self.loss((*path, name, *way), how, one, other, caused, owner=old, order=order)
                continue
            self.loss((*path, name), fate, was, now, caused, owner=old)

    def items(self, path: Path, old: Sequence[Any], kept: list[tuple[int, FitItem]]) -> None:
        """Report a list of blocks or tools: what was dropped, moved or changed."""
        fates = dict(kept)
        order: list[int] = []
        wholes: dict[int, int] = {}
        for pick, each in kept:
            if isinstance(each.new, Joined) and order:
                wholes[pick] = len(order) - 1
            elif not isinstance(each.new, Drop) and each.place is None:
                order.append(pick)
        lifted = {order[index]: index for index in moved_of(order)}
        for index, block in enumerate(old):
            item = fates.get(index)
            if item is not None and item.new is block and item.place is None and index not in lifted:
                continue
            at: Path = (*path, index)
            if item is None or isinstance(item.new, Drop):
                kind: Kind = "merged" if index in wholes else "dropped"
                self.loss(at, kind, block, wholes.get(index), item.new if item else None)
            elif item.place is not None:
                self.apart(at, block, item)
            else:
                self.item(at, block, item, lifted.get(index))

    def item(self, at: Path, block: Any, item: FitItem, lifted: int | None) -> None:
        """Report a block or tool that is still among the others.

        Args:
            at: where it was.
            block: the block or tool.
            item: what became of it.
            lifted: where it is now, if it was lifted out of its turn.
        """
        is_result = isinstance(block, ToolResultBlock)
        # A rule that rebuilt it may have rebuilt its blocks, so they aren't matched one by one. Nor are those of
        # another result, which a rule for the whole message put in its place.
        other = type(item.new) is not type(block) or (item.swap is not None and is_result)
        other = other or (is_result and len(item.inner or item.new.content) != len(block.content))
        if lifted is not None:
            level: Level = _remade_level(block, item) if other else "annotation"
            self.tell(at, "moved", level, "is elsewhere now", was=block if other else None, now=lifted)
        elif other:
            why = "" if item.swap is None else item.swap.why
            self.tell(at, "changed", _remade_level(block, item), why, was=block, now=item.new)
            for place, each in enumerate(item.inner or ()):
                if each.place is not None:
                    self.apart((*at, "content", place), each.new, each)
        if other:
            return
        self.fields(at, block, item.new, _CONTENT if is_result else frozenset(), item.swap)
        if is_result and item.new.content is not block.content:
            inner = item.inner or tuple(FitItem(each) for each in item.new.content)
            self.items((*at, "content"), block.content, list(enumerate(inner)))

    def apart(self, at: Path, block: Any, item: FitItem) -> None:
        """Report the new place of a block that is now in a message of its own; keep the old one if it changed."""
        was = None if item.new is block else block
        level = _remade_level(block, item)
        self.tell(at, "moved", level, "is in a user message after the result", was=was, now=item.place)

    def rest(self, fitted: Fitted) -> None:
        source, history = fitted.source, fitted.history
        asked, left, apart = source.settings, history.settings, {"messages", "tools"}
        if left is None and not same(asked, Settings()):
            left = Settings()
        if asked is not None and left is not None:
            apart.add("settings")
            self.fields(("settings",), asked, left)
        self.fields((), source, history, frozenset(apart))
        if fitted.tools is not None:
            self.items(("tools",), source.tools, list(enumerate(fitted.tools)))
