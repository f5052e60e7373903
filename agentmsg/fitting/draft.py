"""A history under repair, which records what each of its messages and blocks was made of.

It begins as fit's output, or as a plain history, takes the edits of mends, and ends as a ``Fitted``. So a single loss
report, derived in the normal way, lists what fit lost and what was mended.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_, itemgetter
from typing import TYPE_CHECKING, Any, cast

import attrs

from agentmsg.fitting.fit import fit
from agentmsg.fitting.fitted import FitItem, FitMessage, Fitted, make_item
from agentmsg.formats.capabilities import Drop, Swap
from agentmsg.formats.restructure import Part
from agentmsg.formats.sending import Change, Insert, Move, Remove
from agentmsg.model.blocks import ToolResultBlock, ToolUseBlock
from agentmsg.model.generated import MadeName
from agentmsg.model.history import History
from agentmsg.model.msg import Msg
from agentmsg.model.settings import Settings
from agentmsg.model.tool_links import CallNames

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from agentmsg.formats.capabilities import Level
    from agentmsg.formats.codec import Codec
    from agentmsg.formats.sending import Edit, Path

__all__ = ["Draft"]

# The part of messages that the input lacks, and a placeholder for a block that became a message of its own.
_NOWHERE = -1
_ELSEWHERE = FitItem(Drop("a message of its own"))
_MESSAGE, _BLOCK, _INNER = 2, 4, 6  # path lengths


@attrs.define
class _Part:
    """Blocks of one input message, by their indexes there, and what became of each."""

    index: int
    items: list[tuple[int, FitItem]]


@attrs.define(eq=False)
class _Line:
    """A message of the draft.

    Attributes:
        message: its current form; Drop if it is gone.
        parts: what it is made of.
        why: the code of the mend that added it; None for all others.
    """

    message: Msg | Drop
    parts: list[_Part]
    why: str | None = None

    @property
    def is_added(self) -> bool:
        """Whether the input has no such message."""
        return self.parts[0].index == _NOWHERE

    def living(self) -> Iterator[tuple[_Part, int]]:
        """Yield, for each block of the message, its part and the place there."""
        for part in self.parts:
            for place, (_, item) in enumerate(part.items):
                if _stands(item):
                    yield part, place

    def set(self, part: _Part, place: int, item: FitItem) -> None:
        """Replace the item at a place."""
        part.items[place] = part.items[place][0], item

    def settle(self) -> None:
        """Give the message its blocks; drop it if it has none left and says nothing else."""
        for part in self.parts:
            part.items = [entry for entry in part.items if entry[1] is not _ELSEWHERE]
        message = self.message
        if isinstance(message, Msg):
            blocks = tuple([part.items[place][1].new for part, place in self.living()])
            if message.content and not blocks and message.structured is None:
                whys = [item.new for part in self.parts for _, item in part.items if isinstance(item.new, Drop)]
                self.message = whys[-1] if whys else _ELSEWHERE.new
            elif len(blocks) != len(message.content) or not all(map(is_, blocks, message.content)):
                self.message = message.evolve(content=blocks)


@attrs.define(eq=False)
class _Touched:
    """A line that edits change, and where its blocks were before the first edit: all edits refer to that."""

    line: _Line
    blocks: list[tuple[_Part, int]]
    inner: dict[int, list[int]] = attrs.field(factory=dict[int, "list[int]"])


class Draft:
    """The history under repair.

    Args:
        fitted: fit's output, or a plain history.
        codec: the target.
    """

    def __init__(self, fitted: Fitted, codec: Codec) -> None:
        self._fitted, self._whole = fitted, fitted.history
        self._codec = codec
        self._lines = list(_lines(fitted))
        # A block set apart is found by the line that it is in.
        self._first = self._outs()
        self._tools = list(fitted.tools or map(FitItem, fitted.history.tools))
        # The indexes of those that are left; a repair removes none.
        self._left = [index for index, item in enumerate(self._tools) if not isinstance(item.new, Drop)]
        self._reasons = dict(fitted.reasons)
        self._coming: dict[int, list[_Line]] = {}
        self._touched: dict[int, _Touched] = {}

    def apply(self, edits: Iterable[Edit], why: str) -> None:
        """Apply edits, all of which refer to the current history.

        Args:
            edits: the changes.
            why: the code of the rule that asks for them.
        """
        outs = self._outs()
        for edit in edits:
            _APPLY[type(edit)](self, edit, why, outs)
        for touched in self._touched.values():
            touched.line.settle()
        self._touched = {}
        if not self._coming:
            return
        # Lines that move are among those that come.
        moving = {id(line) for lines in self._coming.values() for line in lines}
        places = {id(line): index for index, line in enumerate(outs)}
        lines: list[_Line] = []
        for line in self._lines:
            lines += self._coming.pop(places.get(id(line), -1), ())
            if id(line) not in moving:
                lines.append(line)
        self._lines = lines + [line for index in sorted(self._coming) for line in self._coming[index]]
        self._coming = {}

    def rename_results(self, why: str) -> None:
        """Name results after their calls, if a reader will give them those names.

        Args:
            why: the code of the rule that changed which call a result goes with.
        """
        names = CallNames()
        for line in self._outs():
            for part, place in line.living():
                pick, item = part.items[place]
                block = item.new
                if isinstance(block, ToolUseBlock) and block.kind != "server":
                    names.call(block.id, block.name)
                elif isinstance(block, ToolResultBlock) and block.kind != "server":
                    name = names.answer(block.tool_call_id)
                    if isinstance(block.name, MadeName) and block.name != name:
                        line.set(part, place, _with_field(item, "name", name))
                        self._tell(("messages", part.index, "content", pick, "name"), why, None)
            line.settle()

    def follow(self, again: Fitted) -> None:
        """Apply a new fit of the current history: what mends have changed may have another place now."""
        outs = self._outs()
        self._whole = again.history
        left = {id(line): index for index, line in enumerate(outs)}
        lines: list[_Line] = []
        for planned in _plan(again):
            # Anything it would add comes from results that fit has seen before.
            assert isinstance(planned, _Planned)  # noqa: S101
            items = iter(planned.items)
            parts: list[_Part] = []
            owner = _Line(planned.message, parts)
            for index, picks in planned.parts:
                line = outs[index]
                parts += _taken(line, picks, items, is_first=id(line) in left)
                if left.pop(id(line), None) is not None and len(planned.parts) == 1:
                    owner = line
            owner.message, owner.parts = planned.message, parts
            lines.append(owner)
        for index in left.values():
            rule = again.rules.get(index)
            outs[index].message = rule if isinstance(rule, Drop) else Drop("no place for it here")
        kept = set(map(id, lines))
        self._lines = lines + [line for line in self._lines if isinstance(line.message, Drop) and id(line) not in kept]

    def sources_of(self, paths: Iterable[Path]) -> Iterator[Path]:
        """Yield the places in the input of what stands at some paths now; what the input lacks is left out."""
        outs, blocks = self._outs(), dict[int, list[tuple[_Part, int]]]()
        for path in paths:
            if path[0] == "tools" and path[1:]:
                yield ("tools", self._left[int(path[1])], *path[2:])
                continue
            if path[0] != "messages" or len(path) < _MESSAGE:
                yield path
                continue
            index, rest = int(path[1]), path[_BLOCK:]
            line = outs[index]
            if line.is_added:
                continue
            if len(path) < _BLOCK:
                yield ("messages", line.parts[0].index, *path[2:])
                continue
            if index not in blocks:
                blocks[index] = list(line.living())
            part, place = blocks[index][int(path[3])]
            pick, item = part.items[place]
            if len(rest) > 1 and item.inner is not None:
                living = [at for at, each in enumerate(item.inner) if _stands(each)]
                rest = (rest[0], living[int(rest[1])], *rest[2:])
            yield ("messages", part.index, "content", pick, *rest)

    @property
    def history(self) -> History:
        """The current history."""
        messages = tuple([cast("Msg", line.message) for line in self._outs()])
        tools = tuple([self._tools[index].new for index in self._left])
        return self._whole.evolve(messages=messages, tools=tools)

    def fitted(self) -> Fitted:
        """Return the current history with everything that its loss report is derived from."""
        outs = self._outs()
        places = {id(line): out for out, line in enumerate(outs)}
        apart = [places.get(id(line), -1) for line in self._first]
        planned = [line for line in self._lines if not line.is_added]
        return attrs.evolve(
            self._fitted,
            history=self.history,
            plan=[
                tuple([Part(part.index, tuple(pick for pick, _ in part.items)) for part in line.parts])
                for line in planned
            ],
            changed={index: _changed(line, apart) for index, line in enumerate(planned)},
            added=frozenset(out for out, line in enumerate(outs) if line.is_added),
            invented={out: line.why for out, line in enumerate(outs) if line.why is not None},
            tools=tuple(self._tools) if self._fitted.source.tools else None,
            reasons=self._reasons,
        )

    def _outs(self) -> list[_Line]:
        return [line for line in self._lines if isinstance(line.message, Msg)]

    def _tell(self, path: Path, why: str, level: Level | None) -> None:
        if path[1] != _NOWHERE:
            self._reasons[path] = why, level

    def _touch(self, line: _Line) -> _Touched:
        found = self._touched.get(id(line))
        if found is None:
            found = self._touched[id(line)] = _Touched(line, list(line.living()))
        return found

    # -- edits -----------------------------------------------------------------------------------------------------

    def _change(self, edit: Change, why: str, outs: list[_Line]) -> None:
        path, name = edit.path, str(edit.path[-1])
        if path[0] in ("settings", "extras"):
            settings = self._whole.settings or Settings()
            value = edit.value if path[0] == "extras" else settings.evolve(**{name: edit.value})
            self._whole = self._whole.evolve(**{path[0]: value})
            self._reasons[path] = why, edit.level
            return
        if path[0] == "tools":
            index = self._left[int(path[1])]
            self._tools[index] = _with_field(self._tools[index], name, edit.value)
            self._tell(("tools", index, name), why, edit.level)
            return
        if len(path) == _INNER:
            changed = Swap(edit.value, why, edit.level or "annotation")
            self._put_inside(path, make_item(edit.value, None, changed), why, outs)
            return
        line = outs[int(path[1])]
        if path[2] != "content":
            line.message = cast("Msg", line.message).evolve(**{name: edit.value})
            self._tell(("messages", line.parts[0].index, name), why, edit.level)
            return
        part, place = self._touch(line).blocks[int(path[3])]
        pick, item = part.items[place]
        if len(path) == _BLOCK:
            line.set(part, place, make_item(edit.value, item.inner, Swap(edit.value, why, edit.level or "annotation")))
        else:
            line.set(part, place, _with_field(item, name, edit.value))
            self._tell(("messages", part.index, "content", pick, name), why, edit.level)

    def _remove(self, edit: Remove, why: str, outs: list[_Line]) -> None:
        line, gone = outs[int(edit.path[1])], Drop(why, edit.level)
        if len(edit.path) == _MESSAGE:
            # A message without blocks may still say something.
            has_more = cast("Msg", line.message).structured is not None
            line.message = Drop(why, "content") if has_more else gone
            return
        touched, at = self._touch(line), int(edit.path[3])
        part, place = touched.blocks[at]
        if len(edit.path) == _BLOCK:
            line.set(part, place, FitItem(gone))
            return
        self._put_inside(edit.path, FitItem(gone), why, outs)

    def _put_inside(self, path: Path, new: FitItem, why: str, outs: list[_Line]) -> None:
        """Put what became of a block inside a result in its place."""
        touched, at = self._touch(outs[int(path[1])]), int(path[3])
        part, place = touched.blocks[at]
        item = part.items[place][1]
        inner = list(item.inner or map(FitItem, item.new.content))
        living = touched.inner.setdefault(at, [index for index, each in enumerate(inner) if _stands(each)])
        inner[living[int(path[5])]] = new
        content = [each.new for each in inner if _stands(each)]
        swap = None if item.swap is None else item.swap.evolve(why=f"{item.swap.why}; {why}")
        touched.line.set(part, place, make_item(item.new.evolve(content=content), tuple(inner), swap))

    def _insert(self, edit: Insert, why: str, _: list[_Line]) -> None:
        # What the target has no place for came from no one, so leaving it out isn't a loss.
        for message in fit(History([edit.message]), self._codec).history.messages:
            items = [(at, FitItem(block)) for at, block in enumerate(message.content)]
            self._coming.setdefault(edit.before, []).append(_Line(message, [_Part(_NOWHERE, items)], why))

    def _move(self, edit: Move, why: str, outs: list[_Line]) -> None:
        line = outs[int(edit.path[1])]
        message = cast("Msg", line.message)
        role = edit.role or message.role
        if len(edit.path) > _MESSAGE and len(message.content) > 1:
            part, place = self._touch(line).blocks[int(edit.path[3])]
            item = part.items[place]
            line.set(part, place, _ELSEWHERE)
            line = _Line(
                Msg(cast("Any", role), [item[1].new], id=None, created_at=None), [_Part(part.index, [item])], line.why
            )
        elif role != message.role:
            line.message = message.evolve(role=role)
            self._tell(("messages", line.parts[0].index, "role"), why, "annotation")
        self._tell(("messages", line.parts[0].index), why, "annotation")
        self._coming.setdefault(edit.before, []).append(line)


_APPLY: Mapping[type, Callable[[Draft, Any, str, list[_Line]], None]] = {
    Change: Draft._change,  # pyright: ignore[reportPrivateUsage] - its own table
    Remove: Draft._remove,  # pyright: ignore[reportPrivateUsage]
    Insert: Draft._insert,  # pyright: ignore[reportPrivateUsage]
    Move: Draft._move,  # pyright: ignore[reportPrivateUsage]
}


@attrs.frozen
class _Planned:
    """A message that fit planned: what became of it, what it is made of, and what became of these blocks."""

    message: Msg | Drop
    parts: tuple[tuple[int, Sequence[int]], ...]
    items: Sequence[FitItem]


def _plan(fitted: Fitted) -> Iterator[_Planned | Msg]:
    """Yield a fit's planned messages, and those that were added, in order."""
    messages, out = fitted.history.messages, 0
    plan = [None] * len(fitted.source.messages) if fitted.plan is None else fitted.plan
    for index, parts in enumerate(plan):
        done = fitted.changed.get(index)
        while out in fitted.added:
            yield messages[out]
            out += 1
        message = messages[out] if done is None or isinstance(done.new, Msg) else done.new
        out += isinstance(message, Msg)
        items = None if done is None else done.items
        if items is None:
            items = tuple(map(FitItem, message.content if isinstance(message, Msg) else ()))
        whole = ((index, range(len(items))),)
        yield _Planned(message, whole if parts is None else tuple([(part.index, part.picks) for part in parts]), items)
    yield from messages[out:]


def _lines(fitted: Fitted) -> Iterator[_Line]:
    """Yield the messages of a fit as lines."""
    for planned in _plan(fitted):
        if isinstance(planned, Msg):
            yield _Line(planned, [_Part(_NOWHERE, list(enumerate(map(FitItem, planned.content))))])
        else:
            items = iter(planned.items)
            parts = [_Part(index, list(zip(picks, items, strict=False))) for index, picks in planned.parts]
            yield _Line(planned.message, parts)


def _taken(line: _Line, picks: Sequence[int], items: Iterator[FitItem], *, is_first: bool) -> Iterator[_Part]:
    """Yield the parts of some blocks of a line, with what became of them; the first includes what is gone already."""
    living = list(line.living())
    there = {id(part): [entry for entry in part.items if is_first and not _stands(entry[1])] for part in line.parts}
    for pick in picks:
        part, place = living[pick]
        at, item = part.items[place]
        new = next(items)
        there[id(part)].append((at, item if new.new is item.new else attrs.evolve(new, swap=new.swap or item.swap)))
    for part in line.parts:
        if there[id(part)] or (is_first and not part.items):
            yield _Part(part.index, sorted(there[id(part)], key=itemgetter(0)))


def _with_field(item: FitItem, name: str, value: Any) -> FitItem:
    return attrs.evolve(item, new=item.new.evolve(**{name: value}))


def _stands(item: FitItem) -> bool:
    """Whether a block is still in its place among the others."""
    return not isinstance(item.new, Drop) and item.place is None


def _changed(line: _Line, apart: Sequence[int]) -> FitMessage:
    """Return what became of a planned message; what was set apart from it may have moved since.

    Args:
        line: the message.
        apart: the positions of the messages that fit made.
    """

    def placed(item: FitItem) -> FitItem:
        inner = item.inner and tuple(map(placed, item.inner))
        place = item.place and (apart[item.place[0]], item.place[1])
        return item if (inner, place) == (item.inner, item.place) else attrs.evolve(item, inner=inner, place=place)

    return FitMessage(line.message, tuple([placed(item) for part in line.parts for _, item in part.items]))
