"""Histories mixed from those that were read: a format's private values in histories that another format writes.

Messages get blocks of others, blocks get extras, notes or a field of others, messages get another role or a field of
others. This combines real extras and notes with values that they were not read with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, get_args

import attrs

from agentmsg.errors import AgentMsgError
from agentmsg.model.blocks import ToolResultBlock
from agentmsg.model.roles import RoleName
from agentmsg.values.types import class_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from random import Random

    from agentmsg.model.history import History
    from agentmsg.model.msg import Msg

    _N = TypeVar("_N", bound=Any)

__all__ = ["Mixer"]

_ROLES: tuple[Any, ...] = (*get_args(RoleName), "moderator")
_LONGEST = 1_500


class Mixer:
    """Draws mixed histories.

    Args:
        histories: that were read; long messages are left out.
    """

    def __init__(self, histories: Iterable[History]) -> None:
        self._shells: list[History] = []
        self._messages: list[Msg] = []
        self._blocks: dict[type[Any], list[Any]] = {}
        for history in histories:
            self._shells.append(history.evolve(messages=()))
            for message in history.messages:
                if len(repr(message)) <= _LONGEST:
                    self._messages.append(message)
                    self._learn(message.content)

    def _learn(self, content: Iterable[Any]) -> None:
        for block in content:
            self._blocks.setdefault(class_of(block), []).append(block)
            if isinstance(block, ToolResultBlock):
                self._learn(block.content)

    def draw(self, rng: Random) -> History:
        """Return a history of one to three messages."""
        messages = [self._message(rng) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
        return rng.choice(self._shells).evolve(messages=messages)

    def _message(self, rng: Random) -> Msg:
        message = rng.choice(self._messages)
        content = list(message.content) if rng.random() < 0.6 else []
        for _ in range(rng.choice((0, 1, 1, 2, 3))):
            content.insert(rng.randint(0, len(content)), self._block(rng))
        message = message.evolve(content=content)
        if rng.random() < 0.3:
            message = message.evolve(role=rng.choice(_ROLES))
        for _ in range(rng.choice((0, 0, 1, 2))):
            message = _exchanged(message, self._messages, rng, ("role", "content"))
        return message

    def _block(self, rng: Random) -> Any:
        siblings = self._blocks[rng.choice([*self._blocks])]
        block, how = rng.choice(siblings), rng.choice(("as it is", "extras", "notes", "field"))
        if how == "extras":
            other = rng.choice(self._blocks[rng.choice([*self._blocks])])
            return block.evolve(extras={**block.extras, **other.extras})
        if how == "notes":
            return block.evolve(notes=rng.choice(siblings).notes)
        return _exchanged(block, siblings, rng) if how == "field" else block


def _exchanged(owner: _N, others: Sequence[_N], rng: Random, but: Sequence[str] = ()) -> _N:
    """Return an object of the model with a field of another; the object itself if that isn't possible."""
    names = [str(field.alias) for field in attrs.fields(type(owner)) if field.init and field.alias not in but]
    name = rng.choice(names)
    try:
        changed: _N = owner.evolve(**{name: getattr(rng.choice(others), name)})
    except AgentMsgError:
        return owner
    return changed
