"""Documents: a message, a list of them, an object that holds such a list. Imports messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.caps import carried_extras
from agentmsg.codec import maker
from agentmsg.errors import DecodeError, excerpt
from agentmsg.json_values import EMPTY, adopt, thaw
from agentmsg.plain import is_list, is_object
from agentmsg.shapes import Native, mark_of
from agentmsg_codecs.agentscope.words import VERSIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.caps import Cell
    from agentmsg_codecs.agentscope.messages import Messages

__all__ = ["history_cells", "read_document", "sniff_with", "write_document"]

_KEYS = ("messages", "context")
_SNIFFED = 8
_make_history = maker(am.History)


def _contents(document: Any) -> tuple[str, list[Any], Native]:
    """Return the kind of document, its native messages, and what stands beside them."""
    if is_list(document):
        return "list", document, {}
    if not is_object(document):
        raise DecodeError(f"messages are a list or an object, not {excerpt(document)}")
    if "role" in document:
        return "single", [document], {}
    key = next((key for key in _KEYS if key in document), None)
    if key is None:
        raise DecodeError("a message has a role", path=("role",))
    natives: Any = document[key]
    if not is_list(natives):
        raise DecodeError(f"{key} is a list of messages", path=(key,))
    return key, natives, {name: value for name, value in document.items() if name != key}


def read_document(engine: Messages, document: Any, version: int) -> am.History:
    """Return the history of a document.

    Args:
        engine: what reads messages.
        document: of either version.
        version: of a document that shows none.

    Raises:
        DecodeError: where it holds no list of messages, or something that is no message.
    """
    container, natives, rest = _contents(document)
    lead = () if container in ("list", "single") else (container,)
    for index, native in enumerate(natives):
        if not is_object(native):
            raise DecodeError(f"a message is an object, not {excerpt(native)}", path=(*lead, index))
    engine.fill()
    version = engine.version_of(natives, version)
    return _make_history(
        messages=tuple(engine.read(natives, version)),
        extras=adopt({engine.family: rest}) if rest else EMPTY,
        notes=adopt({engine.family: {"/container": container, "/version": version}}),
    )


def write_document(engine: Messages, history: am.History, forced: int | None) -> Any:
    """Return the document of a history that fits.

    Args:
        engine: what writes messages.
        history: that fits.
        forced: the version that is written; None: that of the history's notes.
    """
    engine.fill()
    noted = mark_of(history, engine.family, "/version") if history.notes else None
    version = forced or (noted if type(noted) is int and noted in VERSIONS else 2)
    natives = engine.write(history.messages, version, is_forced=forced is not None)
    rest: Any = history.extras.get(engine.family) if history.extras else None
    container = mark_of(history, engine.family, "/container") if history.notes else None
    if container == "single" and len(natives) == 1 and not rest and "role" in natives[0]:
        return natives[0]
    if container in _KEYS:
        return {container: natives, **thaw(rest or {})}
    return {"messages": natives, **thaw(rest)} if rest else natives


def history_cells(family: str) -> Mapping[str, Cell]:
    """Return the cells of a history: what stands beside its messages."""

    def taken(history: am.History) -> frozenset[str]:
        found = mark_of(history, family, "/container") if history.notes else None
        # Where the first key is another, it would be taken for the one that holds the messages.
        return frozenset({"role", *_KEYS}) if found == "context" else frozenset({"role", "messages"})

    return {"extras": carried_extras((family, taken))}


def sniff_with(document: Any, sniff: Callable[[Native], float]) -> float:
    """Return how much the first messages of a document look like a format."""
    natives: Any = document
    if is_object(document) and "role" not in document:
        natives = next((document[key] for key in _KEYS if key in document), None)
    elif is_object(document):
        natives = [document]
    if not is_list(natives) or not natives:
        return 0.0
    return min(sniff(native) if is_object(native) else 0.0 for native in natives[:_SNIFFED])
