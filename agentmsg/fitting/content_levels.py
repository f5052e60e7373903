"""Whether lost extras are content: what a model would read or be able to do, wherever it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from agentmsg.fitting.losses import ANNOTATIONS
from agentmsg.formats.spelling import says_nothing
from agentmsg.model.base import BaseBlock, Noted
from agentmsg.model.construction import absent_values
from agentmsg.model.equality import compared, same
from agentmsg.model.history import History
from agentmsg.model.msg import Msg
from agentmsg.registry import content_keys
from agentmsg.values.types import class_of, is_mapping

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["extras_hold_content", "loss_holds_content"]

_SETTINGS = frozenset({"audio", "reasoning", "thinking"})


def extras_hold_content(owner: Noted, was: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Whether lost extras are content: one of the family's content keys is lost, or their owner says nothing else."""
    lost = [(space, *entry) for space, fields in was.items() for entry in _lost(fields, now.get(space))]
    # Beside the messages, these words say how a model should respond.
    settings = _SETTINGS if isinstance(owner, History) else frozenset[str]()
    for space, key, value in lost:
        named = content_keys(space.partition(".")[0])
        if key in named - settings or (not isinstance(owner, History) and _holds_part(value, named)):
            return True
    return bool(lost) and isinstance(owner, (Msg, BaseBlock)) and _says_nothing(owner)


def loss_holds_content(last: str | int, was: Any, now: Any, owner: Any) -> bool:
    """Whether a loss with another level is one of content.

    Lost extras may be, and those of an object that is gone. So is the name of an object that must have one: it says
    which tool is called.

    Args:
        last: the field, or the index of the object.
        was: the lost value.
        now: the value in the output; for an object perhaps its place there.
        owner: the object with the field, if it is known.
    """
    if last == "extras":
        return extras_hold_content(owner, was, now)
    if last == "name":
        kind: Any = class_of(owner)
        return owner is not None and last not in absent_values(kind)
    return isinstance(last, int) and (now is None or isinstance(now, int)) and extras_hold_content(was, was.extras, {})


def _lost(was: Any, now: Any) -> list[tuple[str, Any]]:
    """Return the lost keys of one namespace with their values; an empty key if it isn't an object."""
    if not is_mapping(was):
        return [] if says_nothing(was) or same(was, now) else [("", was)]
    kept: Mapping[str, Any] = now if is_mapping(now) else {}
    return [
        (key, value)
        for key, value in was.items()
        if not says_nothing(value) and not (key in kept and same(value, kept[key]))
    ]


def _holds_part(value: Any, named: frozenset[str]) -> bool:
    """Whether a value contains a content part at any depth: an object with a type, and content beside it."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if is_mapping(item):
            if type(item.get("type")) is str and any(key in named and not says_nothing(item[key]) for key in item):
                return True
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(cast("list[object]", item))
    return False


def _says_nothing(owner: Any) -> bool:
    """Whether a message or block has no content apart from its extras."""
    if isinstance(owner, Msg):
        return owner.structured is None and all(map(_says_nothing, owner.content))
    values = (
        (name, get(owner)) for name, get in compared(owner.__class__) if name not in ANNOTATIONS and name != "kind"
    )
    return all(value is None or value in ("", ()) for _, value in values)
