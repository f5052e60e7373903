"""A history under repair: it takes the edits of mends, and says of each what became of what, and why.

So a single loss report, made in the normal way, lists what fit lost and what was mended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import attrs

from agentmsg.fitting.difference import thing_at
from agentmsg.fitting.fit import fit
from agentmsg.fitting.fitted import Fitted, Known
from agentmsg.formats.capabilities import Drop, Swap
from agentmsg.formats.reasons import Reason, Reasons
from agentmsg.formats.sending import Change, Insert, Move, Remove
from agentmsg.model.blocks import ToolResultBlock, ToolUseBlock
from agentmsg.model.generated import MadeName
from agentmsg.model.history import History, with_messages
from agentmsg.model.msg import Msg
from agentmsg.model.settings import Settings
from agentmsg.model.tool_links import CallNames

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from agentmsg.formats.codec import Codec
    from agentmsg.formats.sending import Edit, Path

_MESSAGE, _BLOCK, _INNER = 2, 4, 6  # path lengths


@attrs.define(eq=False)
class _Line:
    """A message under repair.

    Attributes:
        message: as it was before the edits, but for its fields.
        blocks: its blocks by their places then; None for those that are gone.
        inner: the same for blocks inside results, by place.
        is_gone: whether it was removed.
    """

    message: Msg
    blocks: list[Any]
    inner: dict[int, list[Any]] = attrs.field(factory=dict[int, "list[Any]"])
    is_gone: bool = False


class Draft:
    """The history under repair.

    Args:
        fitted: fit's output, or a plain history.
        codec: the target.
    """

    def __init__(self, fitted: Fitted, codec: Codec) -> None:
        self._fitted = fitted
        self._codec = codec
        self._reasons = fitted.known.reasons or Reasons()
        self.history = fitted.history
        """The current history."""

    def apply(self, edits: Iterable[Edit], why: str) -> None:
        """Apply edits, all of which refer to the current history.

        Args:
            edits: the changes.
            why: the code of the rule that asks for them.
        """
        lines = [_Line(message, list(message.content)) for message in self.history]
        coming: dict[int, list[_Line]] = {}
        moved: set[int] = set()
        for edit in edits:
            match edit:
                case Change():
                    self._change(edit, why, lines)
                case Remove():
                    self._remove(edit, why, lines)
                case Insert():
                    coming.setdefault(edit.before, []).extend(self._inserted(edit, why))
                case Move():
                    line = self._moved(edit, why, lines)
                    moved.add(id(line))
                    coming.setdefault(edit.before, []).append(line)
        order: list[_Line] = []
        for index, line in enumerate(lines):
            order += coming.pop(index, ())
            if id(line) not in moved:
                order.append(line)
        order += [line for index in sorted(coming) for line in coming[index]]
        messages = tuple([message for line in order if (message := self._settled(line, why)) is not None])
        self.history = with_messages(self.history, messages)

    def rename_results(self, why: str) -> None:
        """Name results after their calls, if a reader will give them those names.

        Args:
            why: the code of the rule that changed which call a result goes with.
        """
        names = CallNames()
        edits: list[Edit] = []
        for index, message in enumerate(self.history):
            for place, block in enumerate(message.content):
                if isinstance(block, ToolUseBlock) and block.kind != "server":
                    names.call(block.id, block.name)
                elif isinstance(block, ToolResultBlock) and block.kind != "server":
                    name = names.answer(block.tool_call_id)
                    if isinstance(block.name, MadeName) and block.name != name:
                        edits.append(Change(("messages", index, "content", place, "name"), name))
        if edits:
            self.apply(edits, why)

    def follow(self, again: Fitted) -> None:
        """Apply a new fit of the current history."""
        self.history = again.history
        if again.known.reasons is not None:
            self._reasons.extend(again.known.reasons)

    def fitted(self) -> Fitted:
        """Return the current history as a fit of the same source."""
        known = Known(self._reasons, like=self._fitted.known.like)
        return attrs.evolve(self._fitted, history=self.history, known=known)

    def sources_of(self, paths: Iterable[Path]) -> Iterator[Path]:
        """Yield the places in the input of what stands at some paths now; what the input lacks is left out."""
        now, then = _Places(self.history, self._reasons.source), _Places(self._fitted.source)
        for path in paths:
            step = _BLOCK if path[0] == "messages" and len(path) >= _BLOCK else _MESSAGE
            if path[0] not in ("messages", "tools") or len(path) < _MESSAGE or self._codec.caps.measured:
                yield path
                continue
            found = then.like(now, path[:step])
            if found is None and step == _MESSAGE and path[0] == "messages":
                # A message of its own for a block.
                found = then.like(now, (*path[:step], "content", 0))
            if found is None:
                continue
            rest = path[step:]
            if len(rest) > 1 and rest[0] == "content":
                inside = thing_at(self._fitted.source, found).content
                block = self._reasons.source(thing_at(self.history, path[:_INNER]))
                place = next((n for n, each in enumerate(inside) if each is block), int(rest[1]))
                rest = ("content", place, *rest[2:])
            yield (*found[:step], *rest)

    # -- edits -----------------------------------------------------------------------------------------------------

    def _change(self, edit: Change, why: str, lines: list[_Line]) -> None:
        path, name = edit.path, str(edit.path[-1])
        said = Reason(why, edit.level)
        if path[0] == "settings":
            settings = self.history.settings or Settings()
            self._tell(settings, self._field(settings, name, edit.value, said))
            self.history = self.history.evolve(settings=settings.evolve(**{name: edit.value}))
        elif path[0] == "extras":
            self._reasons.because(self._fitted.source, said, "extras")
            self.history = self.history.evolve(extras=edit.value)
        elif path[0] == "tools":
            tools = list(self.history.tools)
            index = int(path[1])
            tools[index] = self._field(tools[index], name, edit.value, said)
            self.history = self.history.evolve(tools=tools)
        elif path[2] != "content":
            line = lines[int(path[1])]
            line.message = self._field(line.message, name, edit.value, said)
        else:
            blocks, place = self._where(path, lines)
            if len(path) in (_BLOCK, _INNER):
                self._reasons.because(blocks[place], Swap(edit.value, why, edit.level or "annotation"))
                self._tell(blocks[place], edit.value)
                blocks[place] = edit.value
            else:
                blocks[place] = self._field(blocks[place], name, edit.value, said)

    def _field(self, owner: Any, name: str, value: Any, said: Reason) -> Any:
        self._reasons.because(owner, said, name)
        return self._tell(owner, owner.evolve(**{name: value}))

    def _tell(self, old: Any, new: Any) -> Any:
        self._reasons.became(old, new)
        return new

    def _where(self, path: Path, lines: list[_Line]) -> tuple[list[Any], int]:
        """Return the list that holds a block, and its place there."""
        line, place = lines[int(path[1])], int(path[3])
        if len(path) < _INNER:
            return line.blocks, place
        return line.inner.setdefault(place, list(line.blocks[place].content)), int(path[5])

    def _remove(self, edit: Remove, why: str, lines: list[_Line]) -> None:
        line = lines[int(edit.path[1])]
        if len(edit.path) == _MESSAGE:
            line.is_gone = True
            # A message without blocks may still say something.
            has_more = line.message.structured is not None
            self._gone(line.message, Drop(why, "content" if has_more else edit.level))
            return
        blocks, place = self._where(edit.path, lines)
        self._reasons.because(blocks[place], Drop(why, edit.level))
        blocks[place] = None

    def _gone(self, message: Msg, drop: Drop) -> None:
        for thing in (message, *message.content):
            self._reasons.because(thing, drop)

    def _inserted(self, edit: Insert, why: str) -> Iterator[_Line]:
        # What the target has no place for came from no one, so leaving it out isn't a loss.
        for message in fit(History([edit.message]), self._codec).history.messages:
            for thing in (message, *message.content):
                self._reasons.because(thing, Reason(why))
            yield _Line(message, list(message.content))

    def _moved(self, edit: Move, why: str, lines: list[_Line]) -> _Line:
        line = lines[int(edit.path[1])]
        message, said = line.message, Reason(why, "annotation")
        role = edit.role or message.role
        self._reasons.because(message, said, "place")
        if len(edit.path) > _MESSAGE and len(message.content) > 1:
            place = int(edit.path[3])
            block = self._block(line, place)
            line.blocks[place] = None
            return _Line(Msg(role=role, content=[block], id=None, created_at=None), [block])
        if role != message.role:
            line.message = self._field(message, "role", role, said)
        return line

    def _block(self, line: _Line, place: int) -> Any:
        """Return a block as the edits left it."""
        block = line.blocks[place]
        if block is None or place not in line.inner:
            return block
        content = [each for each in line.inner.pop(place) if each is not None]
        return self._tell(block, block.evolve(content=content))

    def _settled(self, line: _Line, why: str) -> Msg | None:
        """Return a message as the edits left it; None if it has no blocks left and says nothing else."""
        message = line.message
        if line.is_gone:
            return None
        blocks = [block for place in range(len(line.blocks)) if (block := self._block(line, place)) is not None]
        if message.content and not blocks and message.structured is None:
            said = [self._reasons.of(self._reasons.source(block)) for block in message.content]
            drops = [each for each in said if isinstance(each, Drop)]
            self._reasons.because(message, drops[-1] if drops else Drop(why))
            return None
        if len(blocks) == len(message.content) and all(a is b for a, b in zip(blocks, message.content, strict=True)):
            return message
        return cast("Msg", self._tell(message, message.evolve(content=blocks)))


class _Places:
    """Where the messages, blocks and tools of a history are, by identity; the same object may be in several places."""

    def __init__(self, history: History, source: Callable[[Any], Any] = lambda thing: thing) -> None:
        self._places: dict[int, list[Path]] = {}
        self._numbers: dict[Path, tuple[int, int]] = {}
        for path, thing in _things(history):
            key = id(source(thing))
            known = self._places.setdefault(key, [])
            self._numbers[path] = key, len(known)
            known.append(path)

    def like(self, other: _Places, path: Path) -> Path | None:
        """Return the place of what another history has at a path; None if there is no such thing."""
        key, number = other._numbers.get(path, (0, 0))
        found = self._places.get(key)
        return None if found is None else found[min(number, len(found) - 1)]


def _things(history: History) -> Iterator[tuple[Path, Any]]:
    for index, tool in enumerate(history.tools):
        yield ("tools", index), tool
    for index, message in enumerate(history):
        yield ("messages", index), message
        for place, block in enumerate(message.content):
            yield ("messages", index, "content", place), block
