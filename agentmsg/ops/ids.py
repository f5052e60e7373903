"""Messages by id: later ones replace earlier ones, and removals.

The rules are those of LangGraph's ``add_messages``, which adds messages to a stored state. For a history of the stored
messages and the new ones, ``apply_removals`` followed by ``dedupe`` gives that state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from agentmsg.errors import InvalidMessage, excerpt
from agentmsg.model.checks import one_of
from agentmsg.model.generated import given
from agentmsg.model.history import as_history

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmsg.model.history import History, MsgLike
    from agentmsg.model.msg import Msg

REMOVE_ALL = "__remove_all__"
"""The id of a removal that removes all messages before it, as LangGraph spells it."""


def dedupe(messages: History | Iterable[MsgLike]) -> History:
    """Return the history with each id once: a later message takes the place of an earlier one with the same id.

    Messages without an id, with an empty id, or with an id that the library made are never duplicates: two equal
    answers of a user are two messages. Removals stay where they are. A message after the removal of its id replaces
    nothing.

    Returns:
        The history itself if no id occurs twice.
    """
    history = as_history(messages)
    places: dict[str, int] = {}
    kept: list[Msg] = []
    for message in history:
        key = given(message.id)
        if message.remove_id == REMOVE_ALL:
            places.clear()
        elif message.is_remove:
            places.pop(message.id or "", None)
        elif key in places:
            kept[places[key]] = message
            continue
        elif key:
            places[key] = len(kept)
        kept.append(message)
    return history if len(kept) == len(history) else history.evolve(messages=kept)


def apply_removals(messages: History | Iterable[MsgLike], missing: Literal["error", "ignore"] = "error") -> History:
    """Return the history without its removals (``Msg.remove``) and the messages that they remove.

    A removal removes all earlier messages with its id. The id ``__remove_all__`` removes everything before it, other
    removals included. A message that comes again after its removal takes its old place.

    Args:
        messages: a history, or messages.
        missing: what to do if the message to remove was never there: "error" or "ignore".

    Returns:
        The history itself if it has no removals.

    Raises:
        InvalidMessage: code "required" if a removal has no id, or names a message that was never there; the path gives
    its position. Code "option" if ``missing`` is another word.
    """
    one_of(missing, "missing", "error", "ignore")
    history = as_history(messages)
    if not any(message.is_remove for message in history):
        return history
    kept: list[Msg | None] = []
    places: dict[str, list[int]] = {}
    vacant: dict[str, int] = {}
    start = max((index + 1 for index, message in enumerate(history) if message.remove_id == REMOVE_ALL), default=0)
    for index, message in enumerate(history.messages[start:], start):
        if not message.is_remove:
            _place(message, kept, places, vacant)
        elif message.id is not None and message.id in places:
            for place in places[message.id]:
                kept[place] = None
                vacant.setdefault(message.id, place)
            places[message.id] = []
        elif missing == "error":
            msg = f"no message before this removal has the id {excerpt(message.id)}"
            msg = msg if message.id else "a removal needs the id of a message"
            raise InvalidMessage(msg, code="required", path=("messages", index, "id"))
    return history.evolve(messages=[message for message in kept if message is not None])


def _place(message: Msg, kept: list[Msg | None], places: dict[str, list[int]], vacant: dict[str, int]) -> None:
    """Put a message in the place of a removed one with its id, else at the end."""
    if not message.id:
        kept.append(message)
        return
    place = vacant.pop(message.id, None)
    if place is None:
        place = len(kept)
        kept.append(message)
    else:
        kept[place] = message
    places.setdefault(message.id, []).append(place)
