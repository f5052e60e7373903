"""A stable hash of messages.

Two histories have the same digest exactly if their canonical JSON without notes is the same. They have the same content
digest if a model would read the same, whatever else is said beside it.

The first loss reports have digests of extras whose families stand as the reader made them. Canonical JSON sorts them
since. So a report's guard accepts both.
"""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, Any, cast

import attrs

from agentmsg.fitting.changes import changed
from agentmsg.fitting.levels import ANNOTATIONS
from agentmsg.fitting.prints import bare, prints_of
from agentmsg.model.base import Noted
from agentmsg.model.blocks import ToolUseBlock
from agentmsg.model.construction import absent_values
from agentmsg.model.equality import flags_of
from agentmsg.model.history import History, Messages, as_history
from agentmsg.registry import get_codec
from agentmsg.values.frozen import EMPTY
from agentmsg.values.types import class_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.fitting.prints import Prints
    from agentmsg.model.settings import Settings

# Everything but content: links must be included, and may be None.
_LINKS: dict[str, Any] = {"id": None, "tool_call_id": None}


def digest(messages: Messages, *, exact: bool = False) -> str:
    """Return SHA-256 of the canonical JSON of messages, as 64 hexadecimal digits.

    Args:
        messages: a history, a message, or several messages.
        exact: whether ids and times of messages count (notes never do).
    """
    return _hashed(_without_notes(as_history(messages), exact=exact))


def canonical(history: History) -> dict[str, Any]:
    """Return the canonical JSON of a history without notes; ``digest_of`` makes of it what ``digest`` returns."""
    document: dict[str, Any] = get_codec("json").write(_without_notes(history, exact=True))
    return document


def _without_notes(history: History, *, exact: bool) -> History:
    # The messages are those of one history, so no made ids meet that must be told apart.
    changes: dict[str, Any] = {
        "messages": tuple([bare(message, exact=exact) for message in history.messages]),
        "notes": EMPTY,
        "settings": _noteless(history.settings),
    }
    return changed(history, changes if exact else {**changes, "id": None})


def _noteless(settings: Settings | None) -> Settings | None:
    return settings and changed(settings, {"notes": EMPTY})


def printed(history: History) -> Prints:
    """Return the prints of a history, by which edits are found."""
    return prints_of(history, canonical(history))


def content_digest(history: History) -> str:
    """Return SHA-256 of the canonical JSON of a history without its annotations, as 64 hexadecimal digits."""
    return _hashed(_content(history))


def _hashed(history: History) -> str:
    return digest_of(get_codec("json").write(history))


def digest_of(document: Any) -> str:
    """Return SHA-256 of a canonical document, as 64 hexadecimal digits."""
    from hashlib import sha256  # noqa: PLC0415 - only here

    return sha256(get_codec("json").render(document)).hexdigest()


def _content(owner: Any) -> Any:
    """Return a model object without notes and annotations, at all levels."""
    kind: Any = class_of(owner)
    absent: dict[str, Any] = {**_LINKS, **absent_values(kind)}
    changes: dict[str, Any] = {}
    for field in attrs.fields(kind):
        name = str(field.alias)
        value: Any = getattr(owner, field.name)
        new: Any
        if name in ("notes", "settings") or (name in ANNOTATIONS and name in absent):
            new = value if value == absent[name] else absent[name]
        elif isinstance(value, Noted):
            new = _content(value)
        elif isinstance(value, tuple):
            items = cast("tuple[object, ...]", value)
            inner = tuple(_content(item) if isinstance(item, Noted) else item for item in items)
            new = items if all(map(is_, inner, items)) else inner
        else:
            continue
        if new is not value:
            changes[name] = new
    if isinstance(owner, ToolUseBlock) and owner.raw_input is not None and owner.significant_text is None:
        changes["raw_input"] = None
    return changed(owner, changes)


# What the header of a loss report may say about the output, and what is hashed for it.
DIGESTS: Mapping[str, Callable[[History], History]] = {
    "digest": lambda history: _without_notes(history, exact=True),
    "content": _content,
    "gist": lambda history: history,
}


def gist(history: History) -> str:
    """Return SHA-256 of what a history says, without ids and values that a loader may add.

    It is the same for a history in memory and for what its document reads back as.
    """
    tools, settings = tuple(map(_unflagged, history.tools)), history.settings and _unflagged(history.settings)
    history = history.evolve(tools=tools, settings=settings)
    document = canonical(history)
    said = prints_of(history, document)
    beside = {key: value for key, value in document.items() if key not in ("messages", "tools")}
    messages = [[each.role, each.says, *(block.kind + block.says for block in each.blocks)] for each in said.messages]
    return digest_of([beside, messages, [tool.says for tool in said.tools]])


def _unflagged(owner: Any) -> Any:
    """Return an object without flags that are false: that means the same as None."""
    return changed(owner, {name: None for name in flags_of(class_of(owner)) if getattr(owner, name) is False})


def is_digest(kind: str, history: History, expected: str) -> bool:
    """Whether a loss report's digest is that of a history, also if an earlier version made it."""
    if kind == "gist":
        return gist(history) == expected
    hashed = DIGESTS[kind](history)
    if _hashed(hashed) == expected:
        return True
    document = get_codec("json").write(hashed)
    _unsort(document, hashed)
    return digest_of(document) == expected


def _unsort(written: Any, owner: Any) -> None:
    """Put the extras of an object and of all inside it into the order of their families in memory."""
    if isinstance(owner, tuple):
        for item, inner in zip(written, cast("tuple[object, ...]", owner), strict=True):
            _unsort(item, inner)
    elif isinstance(owner, Noted) and isinstance(written, dict):
        fields = cast("dict[str, Any]", written)
        if "extras" in fields:
            fields["extras"] = {family: own for family, own in owner.extras.items() if family in fields["extras"]}
        for name, value in fields.items():
            _unsort(value, getattr(owner, name, None))
