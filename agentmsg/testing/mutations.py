"""Damaged documents, edits of histories and planted notes: inputs for the laws besides valid ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

import attrs

from agentmsg import History, Settings, ToolUseBlock
from agentmsg.formats.spelling import SPELLINGS
from agentmsg.model.base import Noted

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Iterator

_N = TypeVar("_N", bound=Noted)

_ODD: tuple[Any, ...] = (
    None, "", [], {}, 0, 1, 2**70, 1.0, -0.0, True, False, "x", ["x"], {"x": 1}, "\x00", [None], [[]],
)  # fmt: skip
_NAMES = ("type", "role", "content", "id", "name", "x_new", "text", "data", "extras", "notes", "tool_calls", "index")


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in cast("dict[str, object]", value).items()}
    return [_copy(item) for item in cast("list[object]", value)] if isinstance(value, list) else value


def _containers(value: Any) -> list[Any]:
    found: list[Any] = []
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, (dict, list)) and item:
            found.append(item)
            waiting.extend(
                cast("dict[str, object]", item).values() if isinstance(item, dict) else cast("list[object]", item)
            )
    return found


def mutate(document: Any, rng: random.Random, *, changes: int | None = None) -> Any:
    """Return a copy of a document with one to four random changes.

    Keys and items are dropped, added, copied, moved, made null, empty, or of another type; strings and lists are
    exchanged for one another.
    """
    out = _copy(document)
    for _ in range(changes or rng.randint(1, 4)):
        places = _containers(out)
        if not places:
            return rng.choice(_ODD)
        place = rng.choice(places)
        rng.choice(_CHANGES)(place, rng, places)
    return out


def _key(place: Any, rng: random.Random) -> Any:
    return rng.choice(list(cast("dict[str, object]", place))) if isinstance(place, dict) else rng.randrange(len(place))


def _drop(place: Any, rng: random.Random, _: list[Any]) -> None:
    del place[_key(place, rng)]


def _replace(place: Any, rng: random.Random, _: list[Any]) -> None:
    place[_key(place, rng)] = _copy(rng.choice(_ODD))


def _add(place: Any, rng: random.Random, _: list[Any]) -> None:
    if isinstance(place, dict):
        place[rng.choice(_NAMES)] = _copy(rng.choice(_ODD))
    else:
        place.insert(rng.randrange(len(place) + 1), _copy(rng.choice(_ODD)))


def _transplant(place: Any, rng: random.Random, places: list[Any]) -> None:
    other = rng.choice(places)
    place[_key(place, rng)] = _copy(other[_key(other, rng)])


def _wrap(place: Any, rng: random.Random, _: list[Any]) -> None:
    key = _key(place, rng)
    value = place[key]
    if isinstance(value, list) and len(cast("list[object]", value)) == 1:
        place[key] = value[0]
    else:
        place[key] = [value]


def _reorder(place: Any, rng: random.Random, _: list[Any]) -> None:
    if isinstance(place, list):
        rng.shuffle(cast("list[object]", place))
        return
    items = list(place.items())
    rng.shuffle(items)
    place.clear()
    place.update(items)


_CHANGES = (_drop, _replace, _add, _transplant, _wrap, _reorder)


def edit(history: History, rng: random.Random) -> History:
    """Return the history with one modelled leaf changed: a text, a name, a tool's input, a counter ..."""
    if history.settings is not None and rng.random() < 0.2:  # noqa: PLR2004 - most leaves are in messages
        return history.evolve(settings=_edited(history.settings, rng))
    if not history.messages:
        return history
    index = rng.randrange(len(history))
    changed = _edited(history.messages[index], rng)
    return history.evolve(messages=(*history.messages[:index], changed, *history.messages[index + 1 :]))


def _edited(owner: Noted, rng: random.Random) -> Any:
    inner: list[tuple[str, Any]] = [
        (field.alias, value)
        for field in attrs.fields(type(owner))
        if isinstance(value := getattr(owner, field.alias, None), Noted)
        or (isinstance(value, tuple) and value and isinstance(value[0], Noted))
    ]
    if inner and rng.random() < 0.7:  # noqa: PLR2004 - most leaves are inside blocks
        name, value = rng.choice(inner)
        if isinstance(value, tuple):
            items = list(cast("tuple[Noted, ...]", value))
            place = rng.randrange(len(items))
            items[place] = _edited(items[place], rng)
            return owner.evolve(**{name: tuple(items)})
        return owner.evolve(**{name: _edited(value, rng)})
    leaves: list[str] = [
        field.alias
        for field in attrs.fields(type(owner))
        if field.init
        and field.alias not in {"notes", "extras", "role", "kind", "raw_input", *Settings.asked}
        and isinstance(getattr(owner, field.alias), str)
    ]
    if isinstance(owner, ToolUseBlock) and isinstance(owner.input, dict) and rng.random() < 0.5:  # noqa: PLR2004 - as often as not
        return owner.evolve(input={**owner.input, "edited": 1})
    if not leaves:
        return owner
    name = rng.choice(leaves)
    return owner.evolve(**{name: getattr(owner, name) + "~"})


def note_words(histories: Iterable[History]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[Any, ...]]:
    """Return the families, the keys and the marks of the notes on some histories: what ``plant_notes`` plants.

    Args:
        histories: just read, from documents of as many kinds as there are.
    """
    families: set[str] = set()
    keys: set[str] = set()
    marks: dict[str, Any] = {}
    for owner in (owner for history in histories for owner in owners(history)):
        for family, note in owner.notes.items():
            families.add(family)
            if isinstance(note, dict):
                own = cast("dict[str, Any]", note)
                keys.update(own)
                marks.update((repr(mark), mark) for key, mark in own.items() if key.startswith("/"))
    return tuple(sorted(families)), tuple(sorted(keys)), tuple(marks[word] for word in sorted(marks))


def owners(history: Noted) -> Iterator[Noted]:
    """Return a history and all objects of the model inside it: messages, blocks, sources, usage, tools ..."""
    waiting: list[Any] = [history]
    while waiting:
        owner = waiting.pop()
        if isinstance(owner, tuple):
            waiting.extend(cast("tuple[object, ...]", owner))
        elif isinstance(owner, Noted):
            yield owner
            waiting.extend(getattr(owner, field.name) for field in attrs.fields(type(owner)))


def plant_notes(
    history: History,
    rng: random.Random,
    families: tuple[str, ...],
    keys: tuple[str, ...],
    marks: tuple[Any, ...] = (True,),
) -> History:
    """Return the history with notes planted on every object: spellings by name, native values, junk, others' notes.

    Args:
        history: isn't changed.
        rng: chooses.
        families: whose notes to plant.
        keys: the keys to plant.
        marks: values that codecs look for, besides the names of spellings.
    """
    pool = [message.notes for message in history.messages if message.notes]

    def note() -> Any:
        if pool and rng.random() < 0.3:  # noqa: PLR2004 - some of them real
            return rng.choice(pool)
        spellings: list[Any] = [*SPELLINGS, ["=", rng.choice(_ODD)], "str", "list", rng.choice(_ODD)]
        own: dict[str, Any] = {
            # A mark as often as a spelling; marks begin with a slash.
            key: _copy(rng.choice(marks if key.startswith("/") and rng.random() < 0.7 else spellings))  # noqa: PLR2004
            for key in (rng.choice(keys) for _ in range(rng.randint(0, 4)))
        }
        return {rng.choice(families): rng.choice([own, own, own, _copy(rng.choice(_ODD))])}

    def planted(owner: _N) -> _N:
        changes: dict[str, Any] = {}
        for field in attrs.fields(type(owner)):
            value = getattr(owner, field.alias) if field.init else None
            if isinstance(value, Noted):
                changes[field.alias] = planted(value)
            elif isinstance(value, tuple) and value and isinstance(value[0], Noted):
                changes[field.alias] = tuple(map(planted, cast("tuple[Noted, ...]", value)))
        if rng.random() < 0.6:  # noqa: PLR2004 - more often than not
            changes["notes"] = note()
        return owner.evolve(**changes) if changes else owner

    return planted(history)
