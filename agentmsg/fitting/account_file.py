"""A loss report on file: a header, then JSON lines, one per object.

    {"agentmsg-losses":1,"codec":"anthropic","messages":12,"digest":"...","prints":[["user","","9cd1..."], ...]}
    {"at":"/messages/17","dropped":{"id":"...","created_at":"..."}}
    {"at":"/messages/3","changed":{"role":["developer","system"]}}
    {"at":"/messages/9","split":[[9,0],[10,0]]}
    {"at":"/messages/12","invented":[[4,0]],"why":{"":"call-unanswered"}}
    {"at":"/messages/4/content/1","gone":{"type":"file", ...},"why":{"":"files need data"}}
    {"at":"/messages/6/content/0","unsent":{"":"ChatOpenAI sends no reasoning"}}
    {"at":"/messages/5","dropped":{"extras/openai/verbosity":"low"},"level":{...},"order":{...}}
    {"at":"/messages/2","spelling":{...}}

A lost key of extras has a pointer for a name; ``order`` says in which order the input had such keys, if not as listed.

The path determines a value's type, so free-form JSON needs no tags. ``spelling`` lines hold the source's notes, the
texts of its arguments and, if readers name results after their calls, the names that the source has: they aren't
losses, but make the source's document exact, too. The header binds the loss report to its output. Its ``prints`` tell
what was edited there since; reports of earlier versions have none. It also counts the losses carried in the output (see
carry.py), and says whether the losses hold ``secrets``. A carried loss report is the same text, but its header has the
digest of the content only, because it restores content only.
"""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

import attrs

from agentmsg.errors import AgentMsgError, DecodeError, LossError
from agentmsg.fitting.digest import DIGESTS, canonical, content_digest, digest_of, gist, is_digest, printed
from agentmsg.fitting.levels import EXTRAS, field_of, level_at
from agentmsg.fitting.losses import Loss, Losses, Path, Settled, pointer
from agentmsg.fitting.prints import Prints, canonical_engine, prints_of, read_prints
from agentmsg.limits import AROUND, DEFAULT_LIMITS, Limits
from agentmsg.model.base import CacheHint, Citation, Noted, Signature
from agentmsg.model.msg import Msg
from agentmsg.model.settings import Settings
from agentmsg.model.usage import Usage
from agentmsg.values.frozen import EMPTY, adopt
from agentmsg.values.text import dump_json, parse_json
from agentmsg.values.types import is_list

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from agentmsg.model.history import History

_VERSION = 1
# A line holds as much as a document, plus its own levels.
_ROOM = Limits(depth=DEFAULT_LIMITS.depth + 2 * AROUND)
_PLACES = ("split", "moved", "merged", "invented")
# How to read a value, by the last name of its path; all other fields are free-form JSON, texts and numbers.
_FIELDS: Mapping[str, Callable[[Any, Any], Any]] = {
    "cache": lambda engine, value: engine.read_one(CacheHint, value, 0),
    "citations": lambda engine, value: tuple(engine.read_one(Citation, item, 0) for item in value),
    "created_at": lambda _, value: datetime.fromisoformat(value),
    "embedding": lambda _, value: tuple(value),
    "settings": lambda engine, value: engine.read_one(Settings, value, 0),
    "signature": lambda engine, value: engine.read_one(Signature, value, 0),
    "source": lambda engine, value: engine.read_source(value, 0),
    "stop": lambda _, value: tuple(value),
    "tools": lambda engine, value: engine.read_tools(value, 0),
    "usage": lambda engine, value: engine.read_one(Usage, value, 0),
}
_ITEMS: Mapping[str, Callable[[Any, Any], Any]] = {
    "messages": lambda engine, value: engine.read_one(Msg, value, 0),
    "content": lambda engine, value: engine.read_blocks([value], 0)[0],
    "tools": lambda engine, value: engine.read_tools([value], 0)[0],
}


def to_lines(losses: Losses, output: History | None = None, told: Mapping[str, Any] = EMPTY) -> Iterator[bytes]:
    """Yield a loss report as lines of JSON, without line ends.

    Args:
        losses: the loss report.
        output: the converted history *as its document reads back*; with it the header binds the two. (Not every
            document holds made ids, so the history in memory may differ in them.) Without it, the header says what the
            report knows of it.
        told: what else the header says, at its beginning.
    """
    header: dict[str, Any] = {**told, "agentmsg-losses": _VERSION, "codec": losses.codec}
    if output is None:
        prints = losses.prints()
        header |= _binding(losses) | (prints.as_data() if prints and losses.guard is not None else {})
    else:
        document = canonical(output)
        header |= {"messages": len(output), "digest": digest_of(document)}
        header |= prints_of(output, document).as_data()
    if losses.carried:
        header["carried"] = losses.carried
    if losses.secret:
        header["secrets"] = True
    yield dump_json(header)
    yield from _object_lines(losses)
    for path, notes in losses.spelling():
        yield dump_json({"at": "/" + "/".join(map(str, path)) if path else "", "spelling": notes})


def carried_lines(losses: Iterable[Loss], output: History, codec: str, source: str | None) -> Iterator[bytes]:
    """Yield the loss report that an output carries in itself, as lines of JSON, without line ends.

    Args:
        losses: the carried losses.
        output: the converted history.
        codec: its format.
        source: the format it was converted from, if known.
    """
    header: dict[str, Any] = {"agentmsg-losses": _VERSION, "codec": codec}
    if source is not None:
        header["from"] = source
    header |= {"messages": len(output), "content": content_digest(output)}
    yield dump_json(header | printed(output).as_data())
    yield from _object_lines(losses)


def _object_lines(losses: Iterable[Loss]) -> Iterator[bytes]:
    owned: dict[Path, list[tuple[str, Loss]]] = {}
    for loss in losses:
        path, name = _split(loss.path)
        owned.setdefault(path, []).append((name, loss))
    for path, found in owned.items():
        line: dict[str, Any] = {"at": "/" + pointer(path) if path else ""}
        if any(loss.order for _, loss in found):
            found.sort(key=_rank())
        for name, loss in found:
            _add(line, name, loss)
        listed = _listed_orders(line)
        said = {name.rpartition("/")[0]: loss.order for name, loss in found if loss.order}
        if order := {space: names for space, names in said.items() if names != listed[space]}:
            line["order"] = order
        yield dump_json(line)


def _split(path: Path) -> tuple[Path, str]:
    """Return the path of an object with losses, and the name of a loss there; for the object itself it is empty."""
    end = path.index(EXTRAS) if EXTRAS in path else len(path) - isinstance(path[-1], str)
    return path[:end], pointer(path[end:])


def _way(name: str) -> Path:
    """Return the end of a path, from a name."""
    if not name.startswith(f"{EXTRAS}/"):
        return (name,) if name else ()
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in name.split("/"))


def _rank() -> Callable[[tuple[str, Loss]], int]:
    """Return the sort key that brings lost keys of extras into the order of the input."""
    known: dict[int, dict[str, int]] = {}

    def key(entry: tuple[str, Loss]) -> int:
        loss = entry[1]
        if id(loss.order) not in known:
            known[id(loss.order)] = {name: place for place, name in enumerate(loss.order)}
        return known[id(loss.order)].get(str(loss.path[-1]), 0)

    return key


def _listed_orders(line: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return, by the name of a namespace, the order of its keys as a line lists them."""
    orders: dict[str, list[str]] = {}
    for kind in ("dropped", "changed"):
        for name in line.get(kind, {}):
            way = _way(name)
            if len(way) > 2:  # noqa: PLR2004 - a key of a namespace
                orders.setdefault(pointer(way[:-1]), []).append(str(way[-1]))
    return {space: tuple(names) for space, names in orders.items()}


def _add(line: dict[str, Any], name: str, loss: Loss) -> None:
    """Write a loss into its object's line."""
    if loss.kind == "unsent":
        line.setdefault(loss.kind, {})[name] = loss.why
        return  # its field may be lost, too
    if loss.kind in _PLACES and not (name and loss.kind == "invented"):
        line[loss.kind] = loss.now
        if loss.was is not None:
            line["was"] = _plain(loss.was)
    elif not name:
        line.update(
            {"gone": _plain(loss.was)} if loss.kind == "dropped" else {"became": [_plain(loss.was), _plain(loss.now)]}
        )
    elif loss.kind == "dropped":
        line.setdefault("dropped", {})[name] = _plain(loss.was)
    else:
        line.setdefault(loss.kind, {})[name] = [_plain(loss.was), _plain(loss.now)]
    if loss.why:
        line.setdefault("why", {})[name] = loss.why
    if loss.level != _usual_level(loss.path, loss.kind, loss.was, loss.now):
        line.setdefault("level", {})[name] = loss.level


def _usual_level(path: Path, kind: str, was: Any, now: Any) -> Any:
    if isinstance(path[-1], str):
        return level_at(path, was, now)
    return "annotation" if kind in {"split", "merged", "invented"} else "content"


def _plain(value: Any) -> Any:
    if isinstance(value, Noted):
        return canonical_engine().write_any(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in cast("tuple[object, ...]", value)]
    return value.isoformat() if isinstance(value, datetime) else value


def _typed(path: Path, value: Any) -> Any:
    """Return the value at a path, from its plain form."""
    if value is None:
        return None
    last = field_of(path)
    read = _ITEMS.get(str(path[-2])) if isinstance(last, int) else _FIELDS.get(last)
    return adopt(value) if read is None else read(canonical_engine(), value)


def loss_to(loss: Loss) -> dict[str, Any]:
    """Return a loss as plain data, by its fields; its values are in the canonical form."""
    values = {name: _plain(value) for name, value in (("was", loss.was), ("now", loss.now)) if value is not None}
    order: dict[str, Any] = {"order": list(loss.order)} if loss.order else {}
    if loss.origin is not None and (output := _binding(loss.origin)):
        order["output"] = output
    own = {"path": list(loss.path), "kind": loss.kind, "codec": loss.codec, "level": loss.level, "why": loss.why}
    return {**own, **values, **order, **({"secret": True} if loss.secret else {})}


def loss_from(said: Mapping[str, Any]) -> Loss:
    """Read a loss from such data, whose path and texts are of the right types.

    Raises:
        DecodeError: if a value isn't what may be at its path.
    """
    path, kind = tuple(said["path"]), said["kind"]
    try:
        is_place = kind in _PLACES and not (kind == "invented" and isinstance(path[-1], str))
        now = said.get("now") if is_place else _typed(path, said.get("now"))
        made = Loss(path, kind, said["codec"], said["level"], _typed(path, said.get("was")), now, said["why"])
        if is_place:
            made = attrs.evolve(made, now=_place(path, now))
        header = {**said.get("output", {}), "agentmsg-losses": _VERSION, "codec": said["codec"]}
        origin = from_lines([dump_json(header)]) if "output" in said else None
        is_secret = said.get("secret") is True
        return attrs.evolve(made, order=tuple(said.get("order", ())), secret=is_secret, origin=origin)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        if isinstance(error, AgentMsgError):
            raise
        msg = f"not a loss: {error}"
        raise DecodeError(msg) from None


def from_lines(lines: Iterable[bytes | str]) -> Losses:
    """Read a loss report from its lines; the first is the header.

    Raises:
        DecodeError: if they aren't a loss report of this version; the path starts with the line number.
    """
    losses: list[Loss] = []
    spelling: list[tuple[Path, Any]] = []
    header: dict[str, Any] = {}
    for number, raw in enumerate(lines):
        try:
            line = parse_json(raw, _ROOM)
            if not number:
                header = _header(line)
                continue
            path = _path_at(line["at"])
            if "spelling" in line:
                spelling.append((path, adopt(line.pop("spelling"))))
            if len(line) > 1:
                losses.extend(_losses(line, path, header["codec"]))
        except AgentMsgError as error:
            raise error.at(number) from None
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            msg = f"not a line of a loss report: {error}"
            raise DecodeError(msg, path=(number,)) from None
    if not header:
        msg = "a loss report begins with its header"
        raise DecodeError(msg)
    prints = _Prints(header.get("prints"), header.get("tool_prints", ()))
    return Losses(
        losses,
        codec=header["codec"],
        guard=_guard(header, prints),
        spelling=Settled(tuple(spelling)),
        length=header.get("messages"),
        prints=prints,
        carried=header.get("carried", 0),
        secret=header.get("secrets", False),
    )


@lru_cache(maxsize=1 << 12)
def _path_at(place: str) -> Path:
    """Return the path of an object, from a line; the same ones stand in all reports."""
    return tuple([int(key) if key.isdecimal() else key for key in place.split("/")[1:]])


def _header(line: Any) -> dict[str, Any]:
    header = cast("dict[str, Any]", line) if isinstance(line, dict) else {}
    if "agentmsg-losses" not in header or not isinstance(header.get("codec"), str):
        msg = "a loss report begins with its header"
        raise DecodeError(msg)
    if header["agentmsg-losses"] != _VERSION:
        msg = f"a loss report of version {header['agentmsg-losses']!r}; this agentmsg reads version {_VERSION}"
        raise DecodeError(msg, code="version")
    count, given = header.get("messages"), [header[kind] for kind in DIGESTS if header.get(kind) is not None]
    if not (count is None or (type(count) is int and count >= 0)) or len(given) != (count is not None):
        msg = "the header of a loss report has both the number of output messages and their digest, or neither"
        raise DecodeError(msg)
    if not all(isinstance(expected, str) for expected in given):
        msg = "the digest in the header of a loss report must be a string"
        raise DecodeError(msg)
    if type(header.get("secrets", False)) is not bool:
        msg = 'the "secrets" in the header of a loss report must be true or false'
        raise DecodeError(msg)
    prints = header.get("prints")
    if prints is not None and (not is_list(prints) or len(prints) != count):
        msg = "the header of a loss report has another number of prints than of messages"
        raise DecodeError(msg)
    carried = header.get("carried", 0)
    if type(carried) is not int or carried < 0:
        msg = "the header of a loss report must count the losses carried in the output"
        raise DecodeError(msg)
    return header


@attrs.frozen
class _Prints:
    """The prints in a header, which few need; unlike a function, it can be pickled."""

    messages: Any
    tools: Any

    def __call__(self) -> Prints | None:
        if self.messages is None:
            return None
        try:
            return read_prints(self.messages, self.tools)
        except (TypeError, ValueError, AttributeError) as error:
            msg = f"the prints in the header of a loss report can't be read: {error}"
            raise DecodeError(msg, path=(0,)) from None


def _guard(header: Mapping[str, Any], prints: _Prints) -> Callable[[History], None] | None:
    """Return the guard that a header asks for; None if it says nothing about the output."""
    kind = next((kind for kind in DIGESTS if header.get(kind) is not None), None)
    if kind is None:
        return None
    return _Bound(kind, header["messages"], header[kind], prints)


@attrs.frozen
class _Bound:
    """Guards a loss report that knows a digest of its output; unlike a function, it can be pickled."""

    kind: str
    count: int
    expected: str
    prints: _Prints = attrs.field(eq=False)

    def __call__(self, history: History) -> None:
        is_one = len(history) >= self.count and is_digest(self.kind, history[: self.count], self.expected)
        if is_one and self.kind == "gist" and (known := self.prints()) is not None:
            is_one = not known.place_of_edit(printed(history[: self.count]))
        if not is_one:
            msg = "the loss report belongs to another history"
            raise LossError(msg, code="edited")


def _binding(losses: Losses) -> dict[str, Any]:
    """Return what a header says about the output that a report has in memory, or was read for; empty if neither."""
    if losses.binding is None:
        guard, losses.binding = losses.guard, {}
        output: History | None = getattr(guard, "output", None)
        if isinstance(guard, _Bound):
            losses.binding = {"messages": guard.count, guard.kind: guard.expected}
        elif output is not None:
            losses.binding = {"messages": len(output), "gist": gist(output)}
        if losses.carried:
            losses.binding["carried"] = losses.carried
    return losses.binding


def _place(path: Path, place: Any) -> int | tuple[int, int] | tuple[tuple[int, int], ...]:
    """Return where something went: an index in the same list or, for a message, the message and block of each part.

    A block set apart is in a message of its own: then it is that message, and the block.
    """
    if path[:-1] != ("messages",):
        if isinstance(place, list):
            out, block = cast("Any", place)
            return _place(("messages", 0), [[out, block]])[0]  # type: ignore[index]
        if type(place) is not int:
            raise TypeError(place)
        return place
    parts = tuple((out, first) for out, first in place)
    if not all(type(at) is int and at >= 0 for part in parts for at in part):
        raise ValueError(parts)
    return parts


def _losses(line: Mapping[str, Any], path: Path, codec: str) -> Iterator[Loss]:
    levels, whys = line.get("level", {}), line.get("why", {})
    orders = _listed_orders(line) | {space: tuple(names) for space, names in line.get("order", {}).items()}

    def loss(name: str, kind: Any, was: Any, now: Any, read: Callable[[Path, Any], Any] = _typed) -> Loss:
        at = path + _way(name)
        was, now = _typed(at, was), read(at, now)
        level = levels.get(name) or _usual_level(at, kind, was, now)
        order = () if kind == "invented" else orders.get(name.rpartition("/")[0], ())
        return Loss(at, kind, codec, level, was, now, whys.get(name, ""), order=order)

    for kind in _PLACES:
        # An invented message has a place; invented fields have names.
        if kind in line and not (kind == "invented" and isinstance(line[kind], dict)):
            yield loss("", kind, line.get("was"), line[kind], _place)
    if "gone" in line:
        yield loss("", "dropped", line["gone"], None)
    if "became" in line:
        yield loss("", "changed", *line["became"])
    for name, was in line.get("dropped", {}).items():
        yield loss(name, "dropped", was, None)
    for kind in ("changed", "invented"):
        if not isinstance(line.get(kind, {}), dict):
            continue
        for name, (was, now) in line.get(kind, {}).items():
            yield loss(name, kind, was, now)
    for name, why in line.get("unsent", {}).items():
        yield Loss(path + _way(name), "unsent", codec, "content", why=why)
