"""Strict reading: what the model has no place for, and readers otherwise keep, is refused by name.

The model tells what is unknown: extras and native blocks (in a canonical form, those of its own family), and roles that
agentmsg doesn't know. The document tells where: in order, where the same value stands under the same key.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import attrs

from agentmsg.errors import DecodeError, excerpt
from agentmsg.model.base import Noted
from agentmsg.model.blocks import NativeBlock
from agentmsg.model.equality import same
from agentmsg.model.msg import Msg
from agentmsg.model.roles import KNOWN_ROLES
from agentmsg.model.tools import NativeTool
from agentmsg.model.usage import Usage
from agentmsg.registry import class_of_family
from agentmsg.values.frozen import thaw
from agentmsg.values.types import is_list, is_mapping, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agentmsg.formats.codec import Codec
    from agentmsg.model.history import History

__all__ = ["refuse_unknown"]

_Path: TypeAlias = tuple[str | int, ...]
_Place: TypeAlias = tuple[_Path, Any]
# The most unknown things to name, and to look for.
_NAMED = 20
# Keys whose word says what an object is.
_TAGS = ("role", "from", "type", "part_kind", "kind")


@attrs.frozen
class _Unknown:
    """One thing: its kind in words, its name, where the model has it, and which value the document has there."""

    kind: str
    name: str
    path: _Path
    value: Any


def refuse_unknown(history: History, codec: Codec, document: Callable[[], Any]) -> None:
    """Refuse what was merely kept.

    Args:
        history: what was read.
        codec: what read it.
        document: returns the plain document, to say where something stands.

    Raises:
        DecodeError: code "unknown", with the path of the first; its message names each.
    """
    found = list(_unknown(history, (), codec))
    if not found:
        return
    places = list(_places(document(), ()))
    taken: set[int] = set()
    told = sorted((_placed(each, places, taken) for each in found[:_NAMED]), key=itemgetter(0))
    more = f", and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    words = ", ".join(f"{each.kind} {excerpt(each.name)} at /{'/'.join(map(str, path))}" for _, path, each in told)
    raise DecodeError(f"unknown: {words}{more}", code="unknown", path=told[0][1], codec=codec.name)


def _unknown(obj: Noted, path: _Path, codec: Codec) -> Iterator[_Unknown]:
    """Yield what is unknown in an object and below it; a provider's counters grow by the day, and don't count."""
    if isinstance(obj, Usage) and not codec.caps.everything:
        return
    for family, extra in obj.extras.items():
        kept = _kept(family.partition(".")[0], codec)
        if kept is not None:
            held = cast("dict[str, Any]", extra if is_mapping(extra) else {family: extra})
            yield from (_Unknown("key", key, (*path, key), held[key]) for key in held if key not in kept)
    if isinstance(obj, (NativeBlock, NativeTool)) and _kept(obj.codec, codec) is not None:
        yield from _native(obj.value, "tool" if isinstance(obj, NativeTool) else "block", path, codec)
        return
    if isinstance(obj, Msg) and obj.role == "native" and obj.content and isinstance(obj.content[0], NativeBlock):
        yield from _native(obj.content[0].value, "message", path, codec)
        return
    if isinstance(obj, Msg) and obj.role not in KNOWN_ROLES:
        yield _Unknown("role", obj.role, (*path, "role"), obj.role)
    for field in attrs.fields(cast("Any", type(obj))):
        if field.init and field.name not in ("extras", "notes"):
            value: Any = getattr(obj, field.name)
            items: tuple[Any, ...] = value if value.__class__ is tuple else ()
            for index, item in enumerate(items):
                if isinstance(item, Noted):
                    yield from _unknown(item, (*path, field.name, index), codec)
            if isinstance(value, Noted):
                yield from _unknown(value, (*path, field.name), codec)


def _kept(family: str, codec: Codec) -> frozenset[str] | None:
    """Return what a family's format has, and the model lacks; None for what a canonical form states of others."""
    if codec.caps.everything and family != codec.family:
        return None
    return codec.kept | class_of_family(family).kept


def _native(value: Any, kind: str, path: _Path, codec: Codec) -> Iterator[_Unknown]:
    tags = [value[key] for key in _TAGS if isinstance(value.get(key), str)] if is_mapping(value) else []
    if not tags:
        yield _Unknown(kind, type(value).__name__ if not is_mapping(value) else ", ".join(value), path, value)
    elif tags[0] not in codec.kept:
        is_role = kind == "message" and is_mapping(value) and any(value.get(key) == tags[0] for key in ("role", "from"))
        yield _Unknown("role" if is_role else f"{kind} type", tags[0], path, value)


def _places(value: Any, path: _Path) -> Iterator[_Place]:
    """Yield all parts of a document with their paths, outermost first."""
    waiting: list[_Place] = [(path, value)]
    while waiting:
        at, part = waiting.pop()
        yield at, part
        inner = list(part.items()) if is_object(part) else list(enumerate(part)) if is_list(part) else []
        waiting.extend(((*at, key), item) for key, item in reversed(inner))


def _innermost(unknown: _Unknown, path: _Path, kept: Any, part: Any) -> tuple[_Path, _Unknown]:
    """Return the key inside an object of which the reader knows all others, with its path."""
    while is_object(kept) and kept and is_object(part) and kept.keys() < part.keys():
        name = next(iter(kept))
        kept, part = kept[name], part[name]
        path, unknown = (*path, name), attrs.evolve(unknown, name=name)
    return path, unknown


def _placed(unknown: _Unknown, places: list[_Place], taken: set[int]) -> tuple[int, _Path, _Unknown]:
    """Return where something stands in a document, each place once; where the model has it if that isn't found."""
    value, is_key = thaw(unknown.value), unknown.kind == "key"
    named = [index for index, (path, _) in enumerate(places) if not is_key or path[-1:] == (unknown.name,)]
    found = [index for index in named if index not in taken and same(places[index][1], value)]
    # Of an object of the document a reader may keep only a part.
    for index in (*found, *(named if is_key else ())):
        taken.add(index)
        path, part = places[index]
        if is_key:
            return index, *_innermost(unknown, path, value, part)
        tag = next((key for key in _TAGS if is_object(part) and part.get(key) == unknown.name), None)
        return index, path if tag is None else (*path, tag), unknown
    return len(places), unknown.path, unknown
