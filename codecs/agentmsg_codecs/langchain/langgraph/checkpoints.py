"""What holds LangGraph's messages: lists, states, checkpoints, the snapshots of delta channels.

The messages of a document stand in one hole, at a place of a fixed table. All around it is kept as it is; a note
remembers the hole, and at which place among its neighbours it stood.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs
import msgpack

from agentmsg import DecodeError
from agentmsg.formats import Native, excerpt, is_list, is_mapping, is_object, is_sequence
from agentmsg_codecs.langchain.langgraph.tree import EXT, MARKERS
from agentmsg_codecs.langchain.lc.documents import is_message
from agentmsg_codecs.langchain.messages.forms import split

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


Path = tuple[str, ...]
# Where messages are: in a state, in a checkpoint, in the input of a graph, in a checkpoint with its config; and in what
# the metadata of older checkpoints say of a step.
_PATHS: tuple[Path, ...] = (
    ("messages",),
    ("channel_values", "messages"),
    ("channel_values", "__start__", "messages"),
    ("checkpoint", "channel_values", "messages"),
    ("checkpoint", "channel_values", "__start__", "messages"),
    ("metadata", "writes", "messages"),
    ("metadata", "writes", "__start__", "messages"),
    ("writes", "messages"),
    ("writes", "__start__", "messages"),
)
_CHECKPOINT = _PATHS[1]
_PYDANTIC = frozenset({4, 5})
_DELTA = 7
_closed: Any = msgpack.ExtType
# What an extension of a message holds: module, class, fields; and, of pydantic 2, a method.
_ITEMS = {4: 3, 5: 4}


@attrs.frozen
class Contents:
    """A document taken apart.

    Attributes:
        natives: the messages, each with the path where it stands.
        path: of the hole.
        how: what is in it: "list", "one" message, "delta" (a list in the snapshot of a delta channel), "none".
        index: the place of the hole among the keys of its object.
        rest: what is around it.
    """

    natives: list[tuple[tuple[Any, ...], Any]]
    path: Path = ()
    how: str = "list"
    index: int = 0
    rest: Native = attrs.field(factory=dict[str, Any])


def body_of(native: Any) -> Native | None:
    """Return the fields of a message that is an extension; None for anything else."""
    code = native.get(EXT) if is_object(native) else None
    if type(code) is not int or code not in _PYDANTIC:
        return None
    items = native.get("value")
    if not is_list(items) or len(items) != _ITEMS[code] or len(native) != 2:  # noqa: PLR2004 - code and value
        return None
    module, name, body = items[:3]
    fits = type(module) is str and type(name) is str and is_object(body)
    return body if fits and name.endswith(("Message", "MessageChunk")) else None


def _is_marked(native: Any) -> bool:
    return body_of(native) is not None or is_message(native)


# -- reading ----------------------------------------------------------------------------------------------------------


def _filling(value: Any) -> tuple[str, list[Any]] | None:
    """Return how messages stand in a hole, and these; None if a value isn't a filling.

    Raises:
        DecodeError: if that takes a look into an extension that nobody has opened; in a list they need not be.
    """
    if is_list(value):
        return "list", value
    if type(value) is _closed:
        raise DecodeError("an extension that is not opened")
    if _is_marked(value):
        return "one", [value]
    is_ext = is_object(value) and type(value.get(EXT)) is int and len(value) == 2  # noqa: PLR2004 - code and value
    if is_ext and value[EXT] == _DELTA and is_list(value.get("value")):
        return "delta", value["value"]
    return None


def _hole(document: Any) -> tuple[Path, str, list[Any]] | None:
    """Return the path, the kind and the messages of a document's hole; None if it has none."""
    found = _filling(document)
    if found is not None:
        return (), *found
    if not is_object(document) or not MARKERS.isdisjoint(document):
        return None
    places = ((path, found) for path in _PATHS if (found := _filling(at(document, path))) is not None)
    first = next(places, None)
    if first is not None:
        # What a step wrote is there where the checkpoint has no messages yet.
        full = None if first[1][1] else next((place for place in places if place[1][1]), None)
        path, filling = full or first
        return path, *filling
    native = split(document)
    if native is not None:
        return (), "one", [document]
    return (_CHECKPOINT, "none", []) if is_object(document.get(_CHECKPOINT[0])) else None


def at(document: Any, path: Path) -> Any:
    """Return what stands at a path of objects; None if they are none."""
    for step in path:
        document = document.get(step) if is_object(document) and MARKERS.isdisjoint(document) else None
    return document


def contents_of(document: Any) -> Contents:
    """Return a document taken apart.

    Raises:
        DecodeError: if it holds no messages at the places where LangGraph puts them.
    """
    found = _hole(document)
    if found is None:
        raise DecodeError(f"no messages where a document of LangGraph has them: {excerpt(document)}")
    path, how, natives = found
    if (how == "none" or "__start__" in path) and _are_in_writes(document):
        msg = "messages of this checkpoint are in a delta channel: they stand in the writes of its ancestors"
        raise DecodeError(msg, code="delta-channel")
    if how == "none":
        return Contents([], path, how, 0, document)
    lead = {"list": path, "one": path, "delta": (*path, "value")}[how]
    placed = [(lead if how == "one" else (*lead, index), native) for index, native in enumerate(natives)]
    if not path:
        return Contents(placed, path, how)
    return Contents(placed, path, how, list(at(document, path[:-1])).index(path[-1]), _without(document, path))


def _are_in_writes(document: Native) -> bool:
    """Whether a checkpoint has messages that are not among its values, as those of a delta channel are.

    Every channel with a value has a version; of a delta channel a checkpoint has the version alone.
    """
    held: Any = document.get("checkpoint", document)
    values, versions = (held.get("channel_values"), held.get("channel_versions")) if is_object(held) else (None, None)
    if not is_object(values) or not is_object(versions) or "messages" not in versions or "messages" in values:
        return False
    return values.keys() <= versions.keys()


def _is_old_checkpoint(document: Any) -> bool:
    """Whether plain JSON is a checkpoint, by itself or with its config: one of the old type "json"."""
    if is_object(document) and is_object(document.get("checkpoint")):
        document = document["checkpoint"]
    return is_object(document) and is_object(document.get(_CHECKPOINT[0])) and not _BESIDE_VALUES.isdisjoint(document)


_BESIDE_VALUES = frozenset({"channel_versions", "versions_seen"})


def _holds_envelopes(document: Any) -> bool:
    """Whether some of the messages of plain JSON are envelopes."""
    found = _hole(document)
    return found is not None and any(map(_is_of_json, found[2]))


def _without(document: Native, path: Path) -> Native:
    first, *more = path
    if not more:
        return {key: value for key, value in document.items() if key != first}
    return {key: _without(value, tuple(more)) if key == first else value for key, value in document.items()}


def is_json(document: Any) -> bool:
    """Whether a document is one of the old type "json": all its messages are envelopes, where they are usual."""
    found = _hole(document)
    return found is not None and found[0] not in _PATHS[4:] and bool(found[2]) and all(map(_is_of_json, found[2]))


def is_old(document: Any) -> bool:
    """Whether plain JSON is of the old type, though not all its messages are envelopes: pairs wait, or none."""
    return (_is_old_checkpoint(document) or _holds_envelopes(document)) and not is_json(document)


def _is_of_json(native: Any) -> bool:
    return is_message(native) or (
        is_object(native) and native.get("lc") == 1 and native.get("type") == "not_implemented"
    )


# -- writing ----------------------------------------------------------------------------------------------------------


def write_contents(rest: Native, natives: list[Any], note: Mapping[str, Any]) -> Any:
    """Return the document that a history remembers; where messages do not go there, a state, or a list."""
    (path, how), index = _noted_hole(note, len(natives)), note.get("index")
    if path in _PLACES and how in _FILLERS and (how != "one" or len(natives) == 1):
        filling = _FILLERS[how](natives)
        place = index if type(index) is int else 0
        document = rest if how == "none" else filling if not path and not rest else _with(rest, path, place, filling)
        found = None if document is None else _hole(document)
        # The same objects: nothing else of the document was taken for them.
        if found is not None and found[:2] == (path, how) and _are_same(found[2], natives):
            return document
    return {**rest, "messages": natives} if rest else natives


def _are_same(found: list[Any], natives: list[Any]) -> bool:
    return len(found) == len(natives) and all(a is b for a, b in zip(found, natives, strict=True))


_PLACES = frozenset({(), *_PATHS})


def are_elsewhere(rest: Native, note: Mapping[str, Any], count: int) -> bool:
    """Whether messages certainly go to a place where a key `messages` around them, which holds none, may stay."""
    path, how = _noted_hole(note, count)
    # Of these, it does not matter which messages they are, but for their being there.
    if path not in _PATHS[1:] or how not in ("list", "delta", "none"):
        return False
    document = rest if how == "none" else _with(rest, path, 0, _FILLERS[how]([None] if count else []))
    found = None if document is None else _hole(document)
    return found is not None and found[:2] == (path, how)


def place_of(document: Any, natives: list[Any]) -> Path | None:
    """Return the path at which a document that was written has this very list of messages; None where at none."""
    return next((path for path in ((), *_PATHS) if at(document, path) is natives), None)


_FILLERS: Mapping[Any, Callable[[list[Any]], Any]] = {
    "list": lambda natives: natives,
    "one": lambda natives: natives[0],
    "delta": lambda natives: {EXT: _DELTA, "value": natives},
    "none": lambda _: None,
}


def _noted_hole(note: Mapping[str, Any], count: int) -> tuple[Path, Any]:
    """Return path and kind of the hole that a history remembers, which so many messages fill."""
    noted, how = note.get("at"), note.get("how")
    return tuple(noted) if is_sequence(noted) else (), "list" if how == "none" and count else how


def _with(rest: Any, path: Path, index: int, filling: Any) -> Native | None:
    """Return the rest with a filling at a path; None if there is no such place."""
    if not path or not is_mapping(rest) or not MARKERS.isdisjoint(rest):
        return None
    first, *more = path
    if more:
        inner = _with(rest.get(first), tuple(more), index, filling)
        return None if inner is None else {key: inner if key == first else value for key, value in rest.items()}
    if first in rest:
        return None
    items = list(rest.items())
    items.insert(max(index, 0), (first, filling))
    return dict(items)
