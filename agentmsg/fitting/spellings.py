"""What makes a source's document exact, beyond its meaning: its notes, texts of arguments, and flags that are false."""

from __future__ import annotations

from collections import Counter
from functools import cache
from operator import attrgetter, is_
from typing import TYPE_CHECKING, Any, TypeVar, cast

from agentmsg.fitting.additions import may_hold_objects
from agentmsg.fitting.changes import changed
from agentmsg.formats.plain_messages import SAID, how_bare
from agentmsg.model.base import Noted
from agentmsg.model.blocks import ToolResultBlock, ToolUseBlock
from agentmsg.model.construction import lacks
from agentmsg.model.equality import flags_of, same
from agentmsg.model.generated import Made, MadeName
from agentmsg.model.history import with_messages, without_messages
from agentmsg.model.msg import Msg
from agentmsg.model.tool_links import made_call_id
from agentmsg.model.tool_use import SIMPLY
from agentmsg.values.frozen import adopt
from agentmsg.values.text import UNUSUAL, usual_arguments
from agentmsg.values.types import is_sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from agentmsg.fitting.fitted import Fitted
    from agentmsg.fitting.losses import Path
    from agentmsg.model.history import History

# In a tree of spellings, the key for the object itself.
_HERE = object()
_NOTHING: Mapping[Any, Any] = {}
_N = TypeVar("_N", bound=Noted)
_TELLERS = ("provider", "api")
_IDS: Mapping[type, tuple[str, ...]] = {ToolUseBlock: ("id",), ToolResultBlock: ("tool_call_id",)}


def spellings(fitted: Fitted) -> Iterator[tuple[Path, Any]]:
    """Yield what makes the source's document exact, beyond its meaning, by path."""
    found: list[tuple[Path, Any]] = []
    _collect(fitted.source, (), found)
    yield from found
    telling = _telling(fitted.source)
    yield from _links(fitted, telling)
    yield from _told_by_parts(fitted)
    if fitted.derives_names:
        yield from _names(fitted, telling)
        yield from _tellers(fitted)


def _telling(history: History) -> list[tuple[int, Msg]]:
    """Return the messages that say more than words, which most don't, with their indexes."""
    return [(index, message) for index, message in enumerate(history.messages) if how_bare(message) != SAID]


def _links(fitted: Fitted, telling: list[tuple[int, Msg]]) -> Iterator[tuple[Path, Any]]:
    """Yield the made ids, by path, that the output's reader may make otherwise.

    These are those of calls and results of which only one is in the output, and those that aren't made of their place:
    a canonical form keeps them when messages move.
    """
    made = list(_made(telling))
    known = {link for _, _, link, is_usual in made if is_usual}
    torn: set[str] = set()
    if made and fitted.source.messages is not fitted.history.messages:
        was, now = Counter(each[1:3] for each in made), Counter(each[1:3] for each in _made(_telling(fitted.history)))
        torn = {link for name, link in was if was[name, link] != now[name, link]}
    yield from ((path, link) for path, _, link, _ in made if link in torn or link not in known)


def _made(telling: list[tuple[int, Msg]]) -> Iterator[tuple[Path, str, str, bool]]:
    """Yield the path of each made id of a call or result, the name of its field, the id, and whether a call's place."""
    for index, message in telling:
        for place, block in enumerate(message.content):
            for name in _IDS.get(type(block), ()):
                if type(link := getattr(block, name)) is Made:
                    is_usual = type(block) is ToolUseBlock and link == made_call_id((index, place), block.name)
                    yield ("messages", index, "content", place, name), name, str(link), is_usual


def _names(fitted: Fitted, telling: list[tuple[int, Msg]]) -> Iterator[tuple[Path, Any]]:
    """Yield the names of results, by path, that a reader which names them after their calls may not give them.

    These are names that results had themselves, and None for those without one. Where calls of several tools share an
    id, or results were given one that has too few calls, the reader may find another call than the source's did, or
    none: then it is a list of the name that the source made.
    """
    tools: dict[str | None, str] = {}
    shared = _with_too_few_calls(fitted.history)
    results: list[tuple[Path, ToolResultBlock]] = []
    for index, message in telling:
        for place, block in enumerate(message.content):
            if isinstance(block, ToolResultBlock):
                results.append((("messages", index, "content", place, "name"), block))
            elif isinstance(block, ToolUseBlock) and tools.setdefault(block.id, block.name) != block.name:
                shared.add(block.id)
    for path, block in results:
        if not isinstance(block.name, MadeName):
            yield path, block.name
        elif block.tool_call_id in shared:
            yield path, [str(block.name)]


def _told_by_parts(fitted: Fitted) -> Iterator[tuple[Path, Any]]:
    """Yield who answered, by path, as a list, where the source's reader told it from parts that others may not have."""
    for index, message in enumerate(fitted.source.messages):
        for name in _TELLERS if message.provider is not None or message.api is not None else ():
            if isinstance(value := getattr(message, name), MadeName):
                yield ("messages", index, name), [str(value)]


def _tellers(fitted: Fitted) -> Iterator[tuple[Path, Any]]:
    """Yield what the messages themselves said of who answered, by path, where a reader may tell it from their parts.

    At the root, None says that the others didn't say it.
    """
    for name in _TELLERS:
        values = list(map(attrgetter(name), fitted.source))
        if not all(values):
            yield (name,), None
        told = [(index, value) for index, value in enumerate(values) if value is not None]
        kept = set(map(attrgetter(name), fitted.history)) if told else ()
        for index, value in told:
            if value in kept and not isinstance(value, MadeName):
                yield ("messages", index, name), value


def _with_too_few_calls(history: History) -> set[str | None]:
    """Return the ids of which there are more results than calls."""
    counts = Counter[str | None]()
    for _, message in _telling(history):
        for block in message.content:
            if isinstance(block, ToolResultBlock):
                counts[block.tool_call_id] += 1
            elif isinstance(block, ToolUseBlock):
                counts[block.id] -= 1
    return {link for link, count in counts.items() if count > 0}


@cache
def _has_none(kind: Any) -> Callable[[Any], bool]:
    """Return a quick test whether an object of a class, and all inside it, has no spelling."""
    if kind is Msg:
        return lambda message: how_bare(message) == SAID
    names, flags, is_call, _ = _shape(kind)
    return lacks(kind, *(["raw_input"] if is_call else ()), *flags, *names)


def _collect(owner: Noted, path: Path, found: list[tuple[Path, Any]]) -> None:
    """Collect the notes at all levels of an object, and texts of arguments without meaning, by path."""
    kind: Any = type(owner)
    names, flags, is_call, _ = _shape(kind)
    if owner.notes:
        found.append((path, owner.notes))
    if is_call:
        call = cast("ToolUseBlock", owner)
        if call.raw_input is not None and call.significant_text is None:
            found.append(((*path, "raw_input"), call.raw_input))
    if flags:
        found += [((*path, name), False) for name in flags if getattr(owner, name) is False]
    for name in names:
        value = getattr(owner, name)
        if isinstance(value, Noted):
            _collect(value, (*path, name), found)
        elif value and isinstance(value, tuple):
            for index, item in enumerate(cast("tuple[object, ...]", value)):
                kind = type(item)
                if isinstance(item, Noted) and not _has_none(kind)(item):
                    _collect(item, (*path, name, index), found)


def respelt(
    history: History,
    spelling: Iterable[tuple[Path, Any]],
    origins: Sequence[int | None],
    blocks: Mapping[int, Sequence[int | None]],
    *,
    is_edited: bool = False,
) -> History:
    """Replace the spelling of the intermediate document with the source's, on each object.

    Args:
        history: the restored one.
        spelling: what the loss report says.
        origins: the index in the source of each message; None for those that were added since.
        blocks: by message of the source, the same for its blocks, where that isn't their index.
        is_edited: whether calls may be gone, after which the reader named results.
    """
    tree: dict[Any, Any] = {}
    for path, notes in spelling:
        node = tree
        for key in path:
            node = node.setdefault(key, {})
        node[_HERE] = notes
    messages = tree.pop("messages", {})
    around = _spelt(without_messages(history), tree)
    unsaid = [name for name in _TELLERS if name in tree]
    own: list[Msg] = []
    for index, message in zip(origins, history.messages, strict=True):
        told = messages.get(index, _NOTHING)
        if index is not None and (told or how_bare(message) != SAID):
            below = _moved(told, blocks.get(index))
            message = _spelt(_named(message, below) if is_edited else message, below)  # noqa: PLW2901 - the same one
            message = _as_told(message, below, unsaid)  # noqa: PLW2901
        own.append(message)
    return with_messages(around, tuple(own))


def _named(message: Msg, tree: Mapping[Any, Any]) -> Msg:
    """Return a message whose results have the names that they had, if they have none now."""
    content: list[Any] = list(message.content)
    for place, below in tree.get("content", {}).items():
        name = below.get("name", {}).get(_HERE)
        block = content[place] if place < len(content) else None
        if isinstance(block, ToolResultBlock) and block.name is None and isinstance(name, str):
            content[place] = block.evolve(name=name)
    return message.evolve(content=tuple(content))


def _as_told(message: Msg, tree: Mapping[Any, Any], unsaid: Sequence[str]) -> Msg:
    """Return a message that says itself who answered, or doesn't, where a reader told it from the parts."""
    changes: dict[str, Any] = {}
    for name in _TELLERS if unsaid or not tree.keys().isdisjoint(_TELLERS) else ():
        now = getattr(message, name)
        said = tree.get(name, _NOTHING).get(_HERE)
        if is_sequence(said):
            if now in (None, said[0]):
                changes[name] = MadeName(said[0])
        elif isinstance(now, MadeName) and (name in tree or name in unsaid):
            changes[name] = said
    return message.evolve(**changes) if changes else message


def _moved(tree: Mapping[Any, Any], origins: Sequence[int | None] | None) -> Mapping[Any, Any]:
    """Return the spelling of a message whose blocks aren't where they were."""
    if origins is None or "content" not in tree:
        return tree
    content = {place: tree["content"].get(index, {}) for place, index in enumerate(origins)}
    return {**tree, "content": content}


def _spelt(owner: _N, tree: Mapping[Any, Any]) -> _N:
    """Return an object with exactly the notes of a tree, at all levels."""
    changes: dict[str, Any] = {}
    kind = cast("Any", type(owner))
    if not tree and _has_none(kind)(owner):
        return owner
    names, flags, is_call, is_result = _shape(kind)
    notes = tree.get(_HERE)
    if owner.notes or notes:
        changes["notes"] = notes or {}
    for name in names:
        value: Any = getattr(owner, name)
        if not value:
            continue
        if isinstance(value, Noted):
            new: Any = _spelt(value, tree.get(name, _NOTHING))
        elif isinstance(value, tuple):
            items, below = cast("tuple[object, ...]", value), tree.get(name, _NOTHING)
            spelt = [_spelt(x, below.get(i, _NOTHING)) if isinstance(x, Noted) else x for i, x in enumerate(items)]
            new = items if all(map(is_, spelt, items)) else tuple(spelt)
        else:
            continue
        if new is not value:
            changes[name] = new
    if is_call:
        changes |= _spelt_arguments(cast("ToolUseBlock", owner), tree.get("raw_input", _NOTHING).get(_HERE))
    if tree and kind in _IDS:
        changes |= _linked(owner, tree)
    for name in flags:
        # False and None mean the same, so only the source tells which it was.
        is_said = tree.get(name, _NOTHING).get(_HERE) is False
        if getattr(owner, name) is (None if is_said else False):
            changes[name] = False if is_said else None
    if is_result and _HERE in tree.get("name", _NOTHING):
        changes |= _renamed(cast("ToolResultBlock", owner), tree["name"][_HERE])
    return changed(owner, changes) if changes else owner


@cache
def _shape(kind: Any) -> tuple[tuple[str, ...], tuple[str, ...], bool, bool]:
    """Return the fields of a class that may hold objects, its flags, and whether it is a call, and a result."""
    is_call, is_result = issubclass(kind, ToolUseBlock), issubclass(kind, ToolResultBlock)
    return may_hold_objects(kind), tuple(flags_of(kind)), is_call, is_result


def _renamed(owner: ToolResultBlock, name: Any) -> dict[str, Any]:
    """Return the changes that give a result the name that it had, or that the source made; an edited name stays."""
    if is_sequence(name) and (owner.name is None or isinstance(owner.name, MadeName)):
        return {"name": MadeName(name[0])}
    return {"name": name} if isinstance(owner.name, MadeName) else {}


def _linked(owner: Noted, tree: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the changes that give a call or result the id that the source's reader made."""
    found = {name: tree[name][_HERE] for name in _IDS[type(owner)] if _HERE in tree.get(name, _NOTHING)}
    return {name: Made(link) for name, link in found.items() if type(getattr(owner, name)) is Made}


def _spelt_arguments(owner: ToolUseBlock, text: str | None) -> dict[str, Any]:
    """Return the changes that give a call this text, which is kept only if it parses to the input."""
    if owner.significant_text is not None or text == owner.raw_input:
        return {}
    if text is not None and type(owner) is ToolUseBlock and owner.kind != "custom":
        value = usual_arguments(text)
        if value is not UNUSUAL and same(adopt(value), owner.input):
            return {"raw_input": text, "_says_all": SIMPLY}
    return {"raw_input": text, "input": owner.input}
