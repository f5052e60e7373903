"""restore: rebuild the input from the output and its loss report.

First, it lifts out of the output what the loss report lists as moved, split or merged. Then, for each input index in
ascending order, it takes the dropped value, the lifted part, or the next of the rest. Finally it sets the lost fields.
Input paths work because of the ascending order: everything below an index is already rebuilt. So the order of a loss
report doesn't matter, and if you leave field losses out, just those fields stay lost.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

import attrs

from agentmsg.errors import AgentMsgError, InvalidMessage, LossError, excerpt, is_a
from agentmsg.fitting.extra_keys import with_keys
from agentmsg.fitting.levels import EXTRAS
from agentmsg.fitting.losses import Loss, Losses, Path
from agentmsg.model.base import Noted
from agentmsg.model.blocks import UNSET, ToolResultBlock, ToolUseBlock
from agentmsg.model.checks import checked, listed, one_of
from agentmsg.model.equality import flags_of, same
from agentmsg.model.generated import MadeName
from agentmsg.model.history import History
from agentmsg.model.settings import Settings
from agentmsg.values.types import is_sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from agentmsg.model.msg import Msg

__all__ = ["Edits", "restore"]

Edits = Literal["refuse", "keep"]
_N = TypeVar("_N", bound=Noted)
# What may become of a whole message.
_FATES = ("dropped", "moved", "split", "merged", "invented")
# In a tree of spellings, the key for the object itself.
_HERE = object()


def _nobody() -> dict[str | int, _Node]:
    return {}


@attrs.define
class _Node:
    """The losses at and below one path."""

    loss: Loss | None = None
    below: dict[str | int, _Node] = attrs.field(factory=_nobody)

    def get(self, key: str | int) -> _Node:
        return self.below.get(key) or _NOTHING

    def all(self) -> Iterator[Loss]:
        """Yield the losses at and below the path."""
        if self.loss is not None:
            yield self.loss
        for below in self.below.values():
            yield from below.all()


_NOTHING = _Node()


def restore(history: History, losses: Iterable[Loss], *, edits: Edits = "refuse") -> History:
    """Rebuild the history that a conversion came from.

    Args:
        history: the converted one (read back from its document or not); messages may have been appended.
        losses: its loss report, in any order. If you leave field losses out, just those fields stay lost.
        edits: "refuse" any other change to the converted history, or "keep" it: changed values win (only for histories
            in which no message was inserted, removed or exchanged; a block that moved and became another one comes
            back as it was).

    Raises:
        LossError: code "edited" if the loss report belongs to another history.
    """
    one_of(edits, "edits", "refuse", "keep")
    checked(history, History, "history")
    account = losses if is_a(losses, Losses) else listed(losses, "losses")
    if is_a(losses, Losses) and losses.guard is not None and edits == "refuse":
        losses.guard(history)
    try:
        return _woven(history, losses if is_a(losses, Losses) else None, _tree(account), edits)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, AgentMsgError) and not isinstance(error, InvalidMessage):
            raise
        msg = f"this isn't the loss report of this history: {excerpt(str(error))}"
        raise LossError(msg, code="edited") from error


def _tree(losses: Iterable[Loss]) -> tuple[_Node, dict[int, set[int]]]:
    """Return the losses by path, and the blocks set apart, by message."""
    root = _Node()
    apart: dict[int, set[int]] = {}
    for loss in losses:
        place = _apart_at(checked(loss, Loss, "a loss"))
        if place is not None:
            apart.setdefault(place[0], set()).add(place[1])
        node = root
        for key in loss.path:
            node = node.below.setdefault(key, _Node())
        node.loss = loss
    return root, apart


def _woven(history: History, losses: Losses | None, tree: tuple[_Node, dict[int, set[int]]], edits: Edits) -> History:
    root, apart = tree
    weave = _Weave(edits, history.messages, apart)
    changes: dict[str, Any] = {}
    if root.get("messages").below:
        changes["messages"] = weave.messages(history.messages, root.get("messages"))
    if root.get("tools").below:
        changes["tools"] = weave.items(history.tools, root.get("tools"))
    settings = root.get("settings")
    if settings.below:
        changes["settings"] = weave.fields(history.settings or Settings(), settings, {})
    restored = weave.fields(history, root, changes)
    if losses is None:
        return restored
    added = 0 if losses.length is None else max(0, len(history) - losses.length)
    spelt = _respelt(restored[: len(restored) - added], losses.spelling())
    return spelt.extended(*restored.messages[len(restored) - added :])


def _respelt(history: History, spelling: Iterable[tuple[Path, Any]]) -> History:
    """Replace the spelling of the intermediate document with the source's, on each object."""
    tree: dict[Any, Any] = {}
    for path, notes in spelling:
        node = tree
        for key in path:
            node = node.setdefault(key, {})
        node[_HERE] = notes
    return _spelt(history, tree)


def _spelt(owner: _N, tree: Mapping[Any, Any]) -> _N:
    """Return an object with exactly the notes of a tree, at all levels."""
    changes: dict[str, Any] = {}
    notes = tree.get(_HERE)
    if owner.notes or notes:
        changes["notes"] = notes or {}
    for field in attrs.fields(type(owner)):
        value: Any = getattr(owner, field.name)
        below = tree.get(field.name, {})
        if isinstance(value, Noted):
            new: Any = _spelt(value, below)
        elif isinstance(value, tuple):
            items = list(cast("tuple[object, ...]", value))
            new = tuple(_spelt(x, below.get(i, {})) if isinstance(x, Noted) else x for i, x in enumerate(items))
            if all(a is b for a, b in zip(new, items, strict=True)):
                continue
        else:
            continue
        if new is not value:
            changes[field.alias or field.name] = new
    changes |= _spelt_arguments(owner, tree.get("raw_input", {}).get(_HERE))
    for name in flags_of(type(owner)):
        # False and None mean the same, so only the source tells which it was.
        is_said = tree.get(name, {}).get(_HERE) is False
        if getattr(owner, name) is (None if is_said else False):
            changes[name] = False if is_said else None
    if isinstance(owner, ToolResultBlock) and _HERE in tree.get("name", {}):
        name = tree["name"][_HERE]
        if is_sequence(name) and owner.name is None:
            changes["name"] = MadeName(name[0])
        elif isinstance(owner.name, MadeName):  # an edited name stays
            changes["name"] = MadeName(name[0]) if is_sequence(name) else name
    return owner.evolve(**changes) if changes else owner


def _spelt_arguments(owner: Noted, text: str | None) -> dict[str, Any]:
    """Return the changes that give a call this text, which is kept only if it parses to the input."""
    if not isinstance(owner, ToolUseBlock) or owner.significant_text is not None or text == owner.raw_input:
        return {}
    return {"raw_input": text, "input": owner.input}


class _Weave:
    def __init__(self, edits: Edits, outs: Sequence[Msg], apart: Mapping[int, set[int]]) -> None:
        self.edits = edits
        self.outs = outs
        self.apart = apart

    def messages(self, outs: Sequence[Msg], node: _Node) -> list[Msg]:
        left = [self.without_apart(out, message) for out, message in enumerate(outs)] if self.apart else list(outs)
        structural = {i: below.loss for i, below in node.below.items() if below.loss is not None}
        if not structural:
            woven = [message for message in left if message is not None]
            for index, below in node.below.items():
                place = _checked(index, len(woven))
                woven[place] = self.message(woven[place], below)
            return woven
        lifted, rest = _cut(left, structural)
        return list(self._woven(node, structural, lifted, iter(rest), self.message))

    def without_apart(self, out: int, message: Msg) -> Msg | None:
        """Return a message without the blocks that go back to their results; None if nothing else is left."""
        taken = self.apart.get(out)
        if taken is None:
            return message
        content = [block for place, block in enumerate(message.content) if place not in taken]
        return message.evolve(content=tuple(content)) if content else None

    def block_apart(self, place: tuple[int, int]) -> Any:
        content = self.outs[_checked(place[0], len(self.outs))].content
        return content[_checked(place[1], len(content))]

    def items(self, outs: Sequence[Any], node: _Node) -> list[Any]:
        if self.edits == "keep":
            node = _with_edited_wholes(outs, node)
        structural = {i: below.loss for i, below in node.below.items() if below.loss and below.loss.kind != "changed"}
        lifted: dict[str | int, Any] = {}
        taken: set[int] = set()
        for index, loss in structural.items():
            apart = _apart_at(loss)
            if apart is not None:
                lifted[index] = self.block_apart(apart) if loss.was is None else loss.was
            elif loss.kind == "moved":
                place = _checked(loss.now, len(outs))
                taken.add(place)
                lifted[index] = outs[place] if loss.was is None else loss.was
            elif loss.kind == "merged":
                lifted[index] = loss.was
        rest = (item for place, item in enumerate(outs) if place not in taken)
        return list(self._woven(node, structural, lifted, rest, self.item))

    def _woven(
        self,
        node: _Node,
        structural: dict[str | int, Loss],
        lifted: dict[str | int, Any],
        rest: Iterator[Any],
        mend: Callable[[Any, _Node], Any],
    ) -> Iterator[Any]:
        last = max((index for index in node.below if isinstance(index, int)), default=-1)
        index = -1
        while True:
            index += 1
            loss = structural.get(index)
            if loss is not None and loss.kind in ("dropped", "invented"):
                if loss.kind == "dropped":
                    yield loss.was
                continue
            if index in lifted:
                item = lifted[index]
            else:
                item = next(rest, None)
                if item is None:
                    if index <= last:
                        msg = "the history has fewer parts than its loss report says"
                        raise LossError(msg, code="edited", path=(index,))
                    return
            below = node.below.get(index)
            yield item if below is None else mend(item, below)

    def message(self, message: Msg, node: _Node) -> Msg:
        content = node.below.get("content")
        changes: dict[str, Any] = {}
        if content is not None:
            changes["content"] = self.items(message.content, content)
        return self.fields(message, node, changes)

    def item(self, item: Any, node: _Node) -> Any:
        if node.loss is not None and node.loss.kind == "changed":
            keep = self.edits == "keep" and not same(item, node.loss.now)
            return item if keep else node.loss.was
        changes: dict[str, Any] = {}
        content = node.below.get("content")
        if content is not None and isinstance(item, ToolResultBlock):
            changes["content"] = self.items(item.content, content)
        return self.fields(item, node, changes)

    def fields(self, owner: _N, node: _Node, changes: dict[str, Any]) -> _N:
        names = {field.alias for field in attrs.fields(type(owner))}
        for name, below in node.below.items():
            loss = below.loss
            if loss is None:
                if name == EXTRAS:
                    changes[EXTRAS] = with_keys(owner.extras, below.all(), keeps_edits=self.edits == "keep")
                continue
            if name not in names:
                msg = f"{type(owner).__name__} has no field {name!r}"
                raise LossError(msg, code="edited", path=loss.path)
            if self.edits == "refuse" or _unchanged(getattr(owner, str(name)), loss.now):
                changes[str(name)] = loss.was
        if changes.get("raw_input") is not None:
            changes["input"] = UNSET  # the text determines it
        return owner.evolve(**changes) if changes else owner


def _with_edited_wholes(outs: Sequence[Any], node: _Node) -> _Node:
    """Return the losses of a list without those that take apart a block that was several, and was edited since."""
    merged = [(i, below.loss) for i, below in node.below.items() if below.loss and below.loss.kind == "merged"]
    if not merged:
        return node
    firsts = _firsts(outs, node)
    changes: dict[str | int, _Node] = {}
    for index, loss in merged:
        first = firsts[_checked(loss.now, len(outs))]
        whole = node.get(first)
        if _is_edited(outs[cast("int", loss.now)], whole):
            others = {name: below for name, below in whole.below.items() if not _is_changed(below)}
            changes[first] = _Node(None if _is_changed(whole) else whole.loss, others)
            # As if it had never been in the input.
            changes[index] = _Node(attrs.evolve(loss, kind="invented"))
    return _Node(node.loss, {**node.below, **changes})


def _firsts(outs: Sequence[Any], node: _Node) -> list[int]:
    """Return the input index of each output item; of several that became one, the first."""
    moved: dict[Any, int] = {}
    gone: set[int] = set()
    for index, below in node.below.items():
        loss = below.loss
        if loss is None or loss.kind == "changed":
            continue
        gone.add(cast("int", index))
        if loss.kind == "moved" and _apart_at(loss) is None:
            moved[loss.now] = cast("int", index)
    stayed = (index for index in count() if index not in gone)
    return [moved[place] if place in moved else next(stayed) for place in range(len(outs))]


def _is_changed(node: _Node) -> bool:
    return node.loss is not None and node.loss.kind == "changed"


def _is_edited(item: Any, node: _Node) -> bool:
    """Whether a value that a loss report calls changed was changed again."""
    if _is_changed(node):
        return not same(item, cast("Loss", node.loss).now)
    changed = [below.loss for below in node.below.values() if below.loss and below.loss.kind == "changed"]
    return any(not _unchanged(getattr(item, str(loss.path[-1])), loss.now) for loss in changed)


def _unchanged(current: Any, now: Any) -> bool:
    return same(current, now) or (not current and not now)


def _checked(index: object, count: int) -> int:
    if not isinstance(index, int) or not 0 <= index < count:
        msg = "the history has fewer parts than its loss report says"
        raise LossError(msg, code="edited")
    return index


def _apart_at(loss: Loss) -> tuple[int, int] | None:
    """Return the message and block of a loss that sets a block apart; None for any other loss."""
    place = loss.now
    if loss.kind != "moved" or len(loss.path) <= 2 or not isinstance(place, tuple):  # noqa: PLR2004 - a message
        return None
    out, block = cast("tuple[Any, Any]", place)
    if type(out) is not int or type(block) is not int:
        msg = "the loss report doesn't say where a block went"
        raise LossError(msg, code="edited", path=loss.path)
    return out, block


def _cut(outs: Sequence[Msg | None], structural: dict[str | int, Loss]) -> tuple[dict[str | int, Msg], list[Msg]]:
    """Cut the parts named in a loss report out of output messages; return them by input index, and the rest."""
    cuts: dict[int, list[tuple[int, str | int, int]]] = {}
    for index, loss in structural.items():
        if loss.kind not in _FATES:
            msg = f"a message is not {loss.kind} as a whole"
            raise LossError(msg, code="edited", path=loss.path)
        places: Iterable[tuple[int, int]] = () if loss.kind == "dropped" else loss.now
        for number, (out, first) in enumerate(places):
            cuts.setdefault(_checked(out, len(outs)), []).append((first, index, number))
    parts: dict[tuple[str | int, int], Msg] = {}
    rest: list[Msg] = []
    for out, message in enumerate(outs):
        if message is None:
            continue
        own = sorted(cuts.get(out, ()))
        if not own or own[0][0] > 0:
            rest.append(_slice(message, 0, own[0][0] if own else None))
        ends = [first for first, _, _ in own[1:]]
        for (first, index, number), end in zip(own, [*ends, None], strict=bool(own)):
            parts[index, number] = _slice(message, first, end)
    lifted: dict[str | int, list[Msg]] = {}
    for (index, _), part in sorted(parts.items(), key=lambda pair: pair[0]):
        lifted.setdefault(index, []).append(part)
    return {index: _together(own) for index, own in lifted.items()}, rest


def _together(parts: list[Msg]) -> Msg:
    """Make a message of some parts: the fields of the first, the blocks of all."""
    if len(parts) == 1:
        return parts[0]
    return parts[0].evolve(content=[block for part in parts for block in part.content])


def _slice(message: Msg, first: int, end: int | None) -> Msg:
    content = message.content[first:end]
    return message if len(content) == len(message.content) else message.evolve(content=content)
