"""Patches: how a native value was spelt, as its difference from the usual spelling.

A codec tells its other spellings in one direction only: a function returns the usual spelling of a native value, or the
value itself if it is spelt so. The reader notes the patch that leads back. The writer applies it as far as that
function then returns what the writer had: so edits win, and a note can never change what a document says.

A patch is JSON, and holds a value only where it must:

| patch | what was given |
| --- | --- |
| ``{"=": value}`` | this value |
| ``{"~": name}`` | the value as a function of the codec spells it |
| ``{"k": {key: patch}}`` | an object, in which these keys differ |
| ``"-"``; ``{"+": value}`` under a key | no such key; one more, with this value |
| ``{"as": name, "p": patch}`` under a key | another name for it |
| ``{"i": {index: patch}}`` | a list, in which these items differ |
| ``{"one": patch}``; ``{"many": patch}`` | the item of a list of one; a list of one for its item |
| ``{"at": key, "p": patch}`` | the value of an object's key |
| ``{"in": key, "p": patch, "k": patches}`` | an object around it, under a key, beside others |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from agentmsg.formats.shapes import mark_of, marked
from agentmsg.formats.spelling import same_document
from agentmsg.model.base import Noted
from agentmsg.values.frozen import EMPTY, thaw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["difference", "is_patched", "respelt", "spelt"]

_N = TypeVar("_N", bound=Noted)
_OBJECT: Any = dict  # so that type checkers ask nothing about what is inside
_LIST: Any = list
# A longer text in a patch is content that stands elsewhere, too: then another patch is better.
_LONG = 24
# How many keys an object may have, and how deep a value may be, to be looked for in another place.
_WIDEST, _DEEPEST = 12, 3


def spelt(obj: _N, family: str, usual: Any, native: Any, ways: Mapping[str, Callable[[Any], Any]] = EMPTY) -> _N:
    """Return an object that was read from a native value, with the patch that leads to its spelling in the notes.

    Args:
        obj: the object.
        family: whose notes these are.
        usual: the usual spelling, from which the object was read.
        native: what was given.
        ways: by name, functions that spell a value in another way; they return None for a value that has no such way.
    """
    patch = difference(usual, native, ways)
    return obj if patch is None else marked(obj, family, patch=patch)


def is_patched(obj: Noted, family: str) -> bool:
    """Whether an object was read from an unusual spelling."""
    return bool(obj.notes) and mark_of(obj, family, "/patch") is not None


def respelt(
    native: Any,
    obj: Noted,
    family: str,
    usual: Callable[[Any], Any],
    ways: Mapping[str, Callable[[Any], Any]] = EMPTY,
    *,
    old: Mapping[str, Any] = EMPTY,
) -> Any:
    """Return a native value as its object was spelt when it was read, as far as that means the same.

    Args:
        native: in the usual spelling; not changed.
        obj: the object.
        family: whose notes to use.
        usual: returns the usual spelling of a native value; may raise anything to refuse it.
        ways: as for ``spelt``.
        old: by a mark of earlier versions, the patch that it stands for.
    """
    patch = thaw(mark_of(obj, family, "/patch")) if obj.notes else None
    if patch is None:
        patch = next((patch for mark, patch in old.items() if mark_of(obj, family, mark) is not None), None)
    if patch is None:
        return native

    def tried(before: Any, part: Any) -> Any:
        try:
            trial = _applied(part, before, ways)
            return trial if same_document(usual(trial), native) else before
        except Exception:  # noqa: BLE001 - a note that was edited may be anything
            return before

    whole = tried(native, patch)
    if whole is not native:
        return whole
    # Something was edited: keep what still means the same.
    for piece in _pieces(patch):
        whole = tried(whole, piece)
    return whole


# -- making patches ---------------------------------------------------------------------------------------------------


def difference(usual: Any, native: Any, ways: Mapping[str, Callable[[Any], Any]] = EMPTY, depth: int = 0) -> Any:
    """Return the patch that turns one plain value into the other; None if they are the same.

    Args:
        usual: the one.
        native: the other.
        ways: as for ``spelt``.
        depth: how many objects were unwrapped or wrapped on a trial.
    """
    if usual is native or same_document(usual, native):
        return None
    for name, way in ways.items():
        if same_document(way(usual), native):
            return {"~": name}
    are_objects = type(native) is _OBJECT and type(usual) is _OBJECT
    found = None
    if not are_objects or set(map(_folded, usual)).isdisjoint(map(_folded, native)):
        found = _moved(usual, native, ways, depth + 1) if depth < _DEEPEST else None
    if found is None:
        found = {"k": _of_keys(usual, native, ways, depth)} if are_objects else _of_list(usual, native, ways, depth)
    return {"=": native} if found is None else found


def _moved(usual: Any, native: Any, ways: Mapping[str, Any], depth: int) -> Any:
    """Return the patch that puts a value into an object, or takes it out of one; None if there is none."""
    for key, value in native.items() if type(native) is _OBJECT and len(native) <= _WIDEST else ():
        found = difference(usual, value, ways, depth)
        if _is_short(found):
            rest = {name: {"+": item} for name, item in native.items() if name != key}
            return {"in": key, "p": found, "k": rest} if not _has_long(rest) else None
    for key, value in usual.items() if type(usual) is _OBJECT and len(usual) <= _WIDEST else ():
        found = difference(value, native, ways, depth)
        if _is_short(found):
            return {"at": key, "p": found}
    return None


def _of_list(usual: Any, native: Any, ways: Mapping[str, Any], depth: int) -> Any:
    if type(usual) is _LIST and type(native) is _LIST:
        if len(native) != len(usual):
            return None
        items = {
            str(index): found
            for index, (one, other) in enumerate(zip(usual, native, strict=True))
            if (found := difference(one, other, ways, depth)) is not None
        }
        return {"i": items}
    if type(usual) is _LIST and len(usual) == 1 and _is_short(found := difference(usual[0], native, ways, depth)):
        return {"one": found}
    if type(native) is _LIST and len(native) == 1 and _is_short(found := difference(usual, native[0], ways, depth)):
        return {"many": found}
    return None


def _of_keys(usual: Any, native: Any, ways: Mapping[str, Any], depth: int) -> Any:
    """Return the patches of an object's keys: a key that is absent may have another name."""
    out: dict[str, Any] = {}
    more = {key: value for key, value in native.items() if key not in usual}
    for key, value in usual.items():
        if key in native:
            found = difference(value, native[key], ways, depth)
            if found is not None:
                out[key] = found
            continue
        name, found = _renamed(key, value, more, ways, depth)
        out[key] = "-" if name is None else {"as": name} if found is None else {"as": name, "p": found}
        more.pop(name, None)
    return {**out, **{key: {"+": value} for key, value in more.items()}}


def _renamed(key: str, value: Any, more: Mapping[str, Any], ways: Mapping[str, Any], depth: int) -> tuple[Any, Any]:
    """Return the other name of a key, and the patch of its value; None if there is none."""
    alike = [name for name in more if _folded(name) == _folded(key)]
    for name in alike or (more if len(more) <= _WIDEST else ()):
        found = difference(value, more[name], ways, depth + 1)
        if name in alike or _is_short(found):
            return name, found
    return None, None


def _folded(name: str) -> str:
    return name.replace("_", "").lower()


def _is_short(patch: Any) -> bool:
    """Whether a patch holds no long text, and isn't another value: so the two values are alike."""
    return not (isinstance(patch, dict) and "=" in patch) and not _has_long(patch)


def _has_long(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_long, value.values()))
    return any(map(_has_long, value)) if isinstance(value, list) else isinstance(value, str) and len(value) > _LONG


# -- applying them ----------------------------------------------------------------------------------------------------


def _applied(patch: Any, value: Any, ways: Mapping[str, Any]) -> Any:
    """Return a plain value with a patch applied, as far as it fits; nothing is changed in place."""
    if patch is None:
        return value
    if "=" in patch:
        return patch["="]
    if "~" in patch:
        other = ways[patch["~"]](value)
        return value if other is None else other
    if "many" in patch:
        return [_applied(patch["many"], value, ways)]
    if "in" in patch:
        return _with_keys(patch["k"], {patch["in"]: _applied(patch["p"], value, ways)}, ways)
    if type(value) is _LIST:
        if "one" in patch:
            return _applied(patch["one"], value[0], ways) if len(value) == 1 else value
        return [_applied(patch["i"].get(str(index)), item, ways) for index, item in enumerate(value)]
    if "at" in patch:
        return _applied(patch["p"], value[patch["at"]], ways)
    return _with_keys(patch["k"], value, ways)


def _with_keys(keys: Any, value: Any, ways: Mapping[str, Any]) -> Any:
    out: dict[str, Any] = {}
    for key, item in value.items():
        how = keys.get(key)
        if how is None or (how != "-" and "+" in how):
            out[key] = item
        elif how != "-":
            out[how.get("as", key)] = _applied(how.get("p") if "as" in how else how, item, ways)
    more = {key: how["+"] for key, how in keys.items() if how != "-" and "+" in how and key not in out}
    return {**out, **more}


def _pieces(patch: Any) -> Iterator[Any]:
    """Yield a patch of an object or a list as several, inner ones first; the patch itself if it can't be divided."""
    for kind in ("k", "i"):
        if isinstance(patch, dict) and isinstance(patch.get(kind), dict):
            for key, how in patch[kind].items():
                is_renamed = isinstance(how, dict) and "as" in how
                inner = how.get("p") if is_renamed else how
                for piece in _pieces(inner) if isinstance(inner, dict) and "+" not in inner else ():
                    yield {kind: {key: piece}}
                if is_renamed or not isinstance(inner, dict) or "+" in inner:
                    yield {kind: {key: {"as": how["as"]} if is_renamed else how}}
            return
    yield patch
