"""Strict reading: what the model has no place for, and readers otherwise keep, is refused by name.

The model tells what is unknown: extras and native blocks (in a canonical form, those of its own family), and roles and
kinds that agentmsg doesn't know. The document tells where: in order, where the same value stands under the same key. Of
what is kept whole, the description of the format tells which key or word inside is the unknown one.
"""

from __future__ import annotations

from contextlib import suppress
from difflib import get_close_matches
from functools import lru_cache
from operator import itemgetter
from re import sub
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import attrs

from agentmsg.errors import DecodeError, excerpt
from agentmsg.formats.forms.schemas import schema_of
from agentmsg.model.base import BaseBlock, CacheHint, Noted
from agentmsg.model.blocks import NativeBlock, ToolResultBlock
from agentmsg.model.checks import one_of
from agentmsg.model.equality import same
from agentmsg.model.history import History
from agentmsg.model.msg import Msg
from agentmsg.model.roles import KINDS, KNOWN_ROLES
from agentmsg.model.tool_use import ToolUseBlock
from agentmsg.model.tools import NativeTool, ToolSpec
from agentmsg.model.usage import Usage
from agentmsg.registry import class_of_family, codec_of_family, codecs
from agentmsg.values.frozen import thaw
from agentmsg.values.types import is_list, is_mapping, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from agentmsg.formats.codec import Codec

_Path: TypeAlias = tuple[str | int, ...]
_Place: TypeAlias = tuple[_Path, Any]
# The path to what is wrong inside a value, what kind of thing it is, and its name.
_Fault: TypeAlias = tuple[_Path, str, str]
# The most unknown things to name, and to look for.
_NAMED = 20
# Keys whose word says what an object is.
_SENDERS = ("role", "from")
_TAGS = (*_SENDERS, "type", "part_kind", "kind")
_OBJECT = "object"
_UNDER_TAGS = frozenset((tag,) for tag in _TAGS)
# The fields that hold such a word, and those that every reader knows.
_WORDS: Mapping[type[Any], tuple[str, frozenset[str]]] = {
    Msg: ("role", KNOWN_ROLES),
    ToolUseBlock: ("kind", KINDS),
    ToolResultBlock: ("kind", KINDS),
    ToolSpec: ("kind", KINDS),
    CacheHint: ("kind", frozenset({"ephemeral", "default"})),
}
_ANYTHING: tuple[dict[str, Any], ...] = ({}, {"type": "object"})
_DEEPEST = 64


@attrs.frozen
class _Unknown:
    """One thing: its kind in words, its name, where the model has it, and which value the document has there.

    The class is that of the object that has the key, or in whose place the value was kept.
    """

    kind: str
    name: str
    path: _Path
    value: Any
    cls: type[Any]


def read_strictly(read: Callable[[], History], document: Callable[[], Any], codec: Codec, unknown: str) -> History:
    """Read a document, and refuse what would merely be kept.

    Args:
        read: reads the document.
        document: returns it as plain data, to say where something stands.
        codec: what reads it.
        unknown: as for ``loads``.

    Raises:
        DecodeError: code "unknown", with the path of the first; its message names each.
    """
    one_of(unknown, "unknown", "keep", "error")
    if unknown == "keep":
        return read()
    try:
        history = read()
    except DecodeError as error:
        # A word that even a patient reader refuses is no less unknown.
        if error.code == "schema" and error.path[-1:] in _UNDER_TAGS:
            word = dict(_places(document(), ())).get(error.path)
            error.code = "unknown" if isinstance(word, str) else error.code
        raise
    found = list(_unknown(history, (), codec))
    if found:
        raise _refusal(found, document(), codec)
    if not codec.holds_messages and not codec.caps.everything:
        _check_answer(document(), codec)
    return history


def _check_answer(document: Any, codec: Codec) -> None:
    """Refuse words of a response that say what it is, or what it repeats of its request: readers keep them whole."""
    if not is_object(document):
        return
    request = codec_of_family(codec.family)
    fault = None if request is None else _described(request).odd_setting(document)
    if _described(codec).is_odd(document.get(_OBJECT)):
        fault = _tagged(document, _OBJECT)
    if fault is not None:
        raise _refused([fault], codec)


def _refusal(found: list[_Unknown], document: Any, codec: Codec) -> DecodeError:
    places = list(_places(document, ()))
    taken: set[int] = set()
    described = _described(codec)
    told = sorted((_placed(each, places, taken, described) for each in found[:_NAMED]), key=itemgetter(0))
    return _refused([(path, each.kind, each.name) for _, path, each in told], codec, len(found) - _NAMED)


def _refused(faults: list[_Fault], codec: Codec, more: int = 0) -> DecodeError:
    words = [f"{kind} {excerpt(name)} at /{'/'.join(map(str, path))}" for path, kind, name in dict.fromkeys(faults)]
    words += [f"and {more} more"] if more > 0 else []
    return DecodeError(f"unknown: {', '.join(words)}", code="unknown", path=faults[0][0], codec=codec.name)


def _unknown(obj: Noted, path: _Path, codec: Codec) -> Iterator[_Unknown]:
    """Yield what is unknown in an object and below it; a provider's counters grow by the day, and don't count."""
    if isinstance(obj, Usage) and not codec.caps.everything:
        return
    yield from _of_object(obj, path, codec)
    if isinstance(obj, (NativeBlock, NativeTool)) and _kept(obj.codec, codec) is not None:
        kind, cls = ("tool", ToolSpec) if isinstance(obj, NativeTool) else ("block", BaseBlock)
        yield from _native(obj.value, kind, path, cls, codec)
        return
    if isinstance(obj, Msg) and obj.role == "native" and obj.content and isinstance(obj.content[0], NativeBlock):
        yield from _native(obj.content[0].value, "message", path, Msg, codec)
        return
    for field in attrs.fields(cast("Any", type(obj))):
        if field.init and field.name not in ("extras", "notes"):
            value: Any = getattr(obj, field.name)
            items: tuple[Any, ...] = value if value.__class__ is tuple else ()
            for index, item in enumerate(items):
                if isinstance(item, Noted):
                    yield from _unknown(item, (*path, field.name, index), codec)
            if isinstance(value, Noted):
                yield from _unknown(value, (*path, field.name), codec)


def _of_object(obj: Noted, path: _Path, codec: Codec) -> Iterator[_Unknown]:
    """Yield the unknown keys of an object, and the words there, or in its fields, that no reader knows."""
    cls: type[Any] = type(obj)
    for family, extra in obj.extras.items():
        kept = _kept(family.partition(".")[0], codec)
        if kept is None:
            continue
        held = cast("dict[str, Any]", extra if is_mapping(extra) else {family: extra})
        for key, value in held.items():
            if key not in kept:
                yield _Unknown("key", key, (*path, key), value, cls)
            elif key in _TAGS and isinstance(value, str) and value not in kept:
                yield _Unknown("type", value, (*path, key), value, cls)
    field, words = _WORDS.get(cls, ("", KINDS))
    word: Any = getattr(obj, field, None)
    if word is not None and word not in words and (field == "role" or word != getattr(obj, "name", None)):
        yield _Unknown("role" if field == "role" else "type", word, (*path, field), word, cls)


def _kept(family: str, codec: Codec) -> frozenset[str] | None:
    """Return what a family's format has, and the model lacks; None for what a canonical form states of others."""
    if codec.caps.everything and family != codec.family:
        return None
    return codec.kept | class_of_family(family).kept


def _native(value: Any, kind: str, path: _Path, cls: type[Any], codec: Codec) -> Iterator[_Unknown]:
    tags = [value[key] for key in _TAGS if isinstance(value.get(key), str)] if is_mapping(value) else []
    if not tags:
        yield _Unknown(kind, type(value).__name__ if not is_mapping(value) else ", ".join(value), path, value, cls)
    elif tags[0] not in codec.kept:
        yield _Unknown(kind, tags[0], path, value, cls)


def _places(value: Any, path: _Path) -> Iterator[_Place]:
    """Yield all parts of a document with their paths, outermost first."""
    waiting: list[_Place] = [(path, value)]
    while waiting:
        at, part = waiting.pop()
        yield at, part
        inner = list(part.items()) if is_object(part) else list(enumerate(part)) if is_list(part) else []
        waiting.extend(((*at, key), item) for key, item in reversed(inner))


def _placed(
    unknown: _Unknown, places: list[_Place], taken: set[int], described: _Described
) -> tuple[int, _Path, _Unknown]:
    """Return where something stands in a document, each place once; where the model has it if that isn't found."""
    value, is_key = thaw(unknown.value), unknown.kind == "key"
    named = [index for index, (path, _) in enumerate(places) if not is_key or path[-1:] == (unknown.name,)]
    if isinstance(value, str) and not is_key:
        named.sort(key=lambda index: places[index][0][-1:] not in _UNDER_TAGS)
    found = [index for index in named if index not in taken and same(places[index][1], value)]
    # Of an object of the document a reader may keep only a part.
    for index in (*found, *(named if is_key else ())):
        taken.add(index)
        path, part = places[index]
        inside, kind, name = described.fault_of(unknown, value if is_key else part) or ((), unknown.kind, unknown.name)
        if is_key and not inside and described.has_key(name):  # of something else
            around = described.odd_tag(dict(places)[path[:-1]])
            if around is not None:
                (tag,), kind, name = around
                return index, (*path[:-1], tag), attrs.evolve(unknown, kind=kind, name=name)
        return index, (*path, *inside), attrs.evolve(unknown, kind=kind, name=name)
    return len(places), unknown.path, unknown


class _Described:
    """What the descriptions of a codec tell of its native objects: the keys and the words of each, as JSON Schemas."""

    def __init__(self, codec: Codec) -> None:
        self._kept, self._content = codec.kept, codec.content_keys
        self._defs = schema_of(*codec.described)["$defs"]
        self._forms = [form for each in codec.described for form in each.forms.values()]
        self._bodies = [each.body() for each in codec.described if each.body is not None]
        told = [schema["properties"] for schema in self._defs.values() if "properties" in schema]
        written = [part for _, each in codecs() if each.family == codec.family for part in _written(each)]
        self._keys = {key for part in (*told, *written) for key in part}
        words = [_allowed(keys[tag]) or () for keys in told for tag in _TAGS if tag in keys]
        words += [[part[tag]] for part in written for tag in (*_TAGS, _OBJECT) if isinstance(part.get(tag), str)]
        self._words = KNOWN_ROLES.union(*words)

    def _schemas(self, cls: type[Any]) -> list[Any]:
        return self._bodies if cls is History else [self._defs[f.name] for f in self._forms if issubclass(f.cls, cls)]

    def fault_of(self, unknown: _Unknown, part: Any) -> _Fault | None:
        """Return what is wrong inside a part of the document; None if that isn't told, or the key itself is unknown."""
        schemas = self._schemas(unknown.cls)
        if unknown.kind == "key":
            return self._fault(part, _under(schemas, unknown.name))
        if not is_object(part):
            return None
        odd = self.odd_tag(part)
        found = odd if odd is not None and odd[1] == "role" else None
        has_role = not part.keys().isdisjoint(_SENDERS)
        if found is None and (has_role or unknown.cls is Msg):
            needed = [keys for keys in (_SENDERS, self._content) if part.keys().isdisjoint(keys)]
            near = [key for key in part if any(get_close_matches(key, keys) for keys in needed)]
            found = ((near[0],), "key", near[0]) if near else None
        if found is None and (has_role or unknown.cls is ToolSpec):
            # A message, or a group of tools, is described by its parts.
            items = [{"items": {"anyOf": self._schemas(BaseBlock) if has_role else schemas}}]
            found = self._first(((key, item, items) for key, item in part.items() if is_list(item)), _DEEPEST)
        found = found or self._fault(part, schemas) or odd or self.odd_inside(part)
        is_own = found is None or (found[1] == "type" and len(found[0]) == 1)
        if has_role and is_own and (found is None or self._is_known(found[2])):  # nothing is, but who says this
            return _tagged(part, next(key for key in _SENDERS if key in part))
        return (found[0], f"{unknown.kind} type", found[2]) if found is not None and is_own else found

    def odd_tag(self, value: Any) -> _Fault | None:
        """Return the tag of an object whose word no description has; None if there is none."""
        tags = (key for key in _TAGS if self.is_odd(value.get(key)))
        odd = next(tags, None) if is_object(value) else None
        return None if odd is None else _tagged(value, odd)

    def is_odd(self, word: Any) -> bool:
        """Whether a word is none that a description has."""
        return isinstance(word, str) and not self._is_known(word)

    def odd_setting(self, body: dict[str, Any]) -> _Fault | None:
        """Return the first odd tag of a setting; which tools a provider has grows by the day."""
        for key, value in body.items():
            found = self.odd_inside(value, 1) if _under(self._bodies, key) else None
            if found is not None:
                return (key, *found[0]), *found[1:]
        return None

    def odd_inside(self, value: Any, levels: int = _DEEPEST) -> _Fault | None:
        """Return the first odd tag of an object inside of a value, at most so many levels down."""
        for path, part in _places(value, ()):
            if 0 < len(path) <= levels and (odd := self.odd_tag(part)) is not None:
                # Is it the tag, or another key? If that isn't clear, the object is named.
                is_clear = all(map(self.has_key, part))
                return ((*path, *odd[0]), *odd[1:]) if is_clear else (path, "object", odd[2])
        return None

    def has_key(self, key: str) -> bool:
        """Whether any description has a key."""
        return key in self._keys or key in self._kept or key in _TAGS

    def _is_known(self, word: str) -> bool:
        return word in self._words or word.lower() in self._words or word in self._kept

    def _fault(self, value: Any, schemas: Iterable[Any], levels: int = _DEEPEST) -> _Fault | None:
        each = [*self._alternatives(schemas)]
        if not levels or not each or any(schema in _ANYTHING for schema in each):
            return None
        if is_list(value):
            items = [schema["items"] for schema in each if "items" in schema]
            return self._first(((index, item, items) for index, item in enumerate(value)), levels)
        objects = [schema for schema in each if "properties" in schema]
        if not is_object(value):
            words = [word for schema in each for word in schema.get("enum", ())]
            is_told = all("enum" in schema or schema in objects for schema in each)
            return ((), "value", str(value)) if is_told and value not in words else None
        fitting = [schema for schema in objects if _other_tag(value, schema) is None]
        if objects and not fitting:
            return _tagged(value, str(_other_tag(value, objects[0])))
        inside = [(key, item, _under(fitting, key)) for key, item in value.items()]
        unknown = [key for key, _, known in inside if fitting and not known and key not in self._kept]
        if not unknown:
            return self._first(inside, levels)
        odd = unknown[0]
        if self.has_key(odd) and odd not in _TAGS:  # other objects have it: rather something that nothing has
            odd = next((key for key in unknown if not self.has_key(key)), odd)
            if self.has_key(odd) and (found := self._first(inside, levels)) is not None:
                return found
        # With another tag the key is a known one.
        tags = [_other_tag(value, schema) for schema in objects if _under([schema], odd)]
        return _tagged(value, tags[0]) if tags and tags[0] else ((odd,), "key", odd)

    def _first(self, inside: Iterable[tuple[Any, Any, list[Any]]], levels: int) -> _Fault | None:
        for step, item, schemas in inside:
            found = self._fault(item, schemas, levels - 1)
            if found is not None:
                return (step, *found[0]), *found[1:]
        return None

    def _alternatives(self, schemas: Iterable[Any]) -> Iterator[Any]:
        for schema in schemas:
            named = [self._defs[schema["$ref"].rpartition("/")[2]]] if "$ref" in schema else schema.get("anyOf")
            yield from [schema] if named is None else self._alternatives(named)


# Making one takes longer than reading a document.
_described = lru_cache(maxsize=64)(_Described)


def _written(codec: Codec) -> Iterator[dict[str, Any]]:
    """Yield the objects that a codec itself writes for a message of each kind."""
    call = ToolUseBlock("c", "f")
    for message in (Msg("system", "x"), Msg("user", "x"), Msg.assistant("x", tool_calls=[call]), call.result("x")):
        with suppress(Exception):  # not every format has each
            yield from [part for _, part in _places(codec.write(History((message,))), ()) if is_object(part)]


def _other_tag(value: dict[str, Any], schema: Any) -> str | None:
    """Return the key under which an object has another tag than a schema."""
    known = {key: schema["properties"][key] for key in _TAGS if key in schema["properties"] and value.get(key)}
    words = ((key, _allowed(told)) for key, told in known.items())
    return next((key for key, each in words if each is not None and value[key] not in each), None)


def _allowed(told: Any) -> list[Any] | None:
    """Return the words that a schema allows; None if any."""
    return [told["const"]] if "const" in told else told.get("enum")


def _tagged(value: dict[str, Any], key: str) -> _Fault:
    return (key,), "role" if key in _SENDERS else "type", str(value[key])


def _under(schemas: Iterable[Any], key: str) -> list[Any]:
    """Return the schemas of what may stand under a key, in camelCase or in snake_case."""
    found = [(name, inner) for schema in schemas for name, inner in schema["properties"].items()]
    return [inner for name, inner in found if key == name or _snake(key) == _snake(name)]


def _snake(key: str) -> str:
    return sub(r"(?<=[a-z0-9])[A-Z]", lambda found: f"_{found[0]}", key).lower()
