"""Notes: how a document spelt an object, beside what it means. Imports same and what lies below it.

Read the meaning, note the deviation. A reader ignores spelling; a writer has one default spelling for each
native object. ``keep`` compares what a document had with the default and keeps the difference on the object:
unknown fields become ``extras[family]`` (meaning), odd spellings of known fields become a note (a name out
of SPELLINGS, or, as a last resort, the native value itself). ``put_back`` writes extras and spellings again,
each only while the result still reads back as the object: a spelling never outlives its value, whatever
notes are planted where.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from agentmsg._base import Noted
from agentmsg.equality import same
from agentmsg.json_values import EMPTY, adopt

__all__ = ["SPELLINGS", "keep", "note_of", "put_back", "same_document", "with_note"]

_N = TypeVar("_N", bound=Noted)
_ABSENT: Any = object()

# The closed set of value-free spellings: what the key holds instead of its default spelling.
SPELLINGS: Mapping[str, Any] = {
    "absent": _ABSENT,
    "null": None,
    "[]": [],
    "{}": {},
    '""': "",
    "false": False,
    "0": 0,
}


def note_of(obj: Noted, family: str) -> Mapping[str, Any]:
    """Return the note that a family left on an object; empty where there is none or it is no mapping."""
    note = obj.notes.get(family) if obj.notes else None
    # What is frozen is a dict: that is asked in a fraction of the time.
    return cast("Mapping[str, Any]", note) if isinstance(note, dict) else EMPTY


def with_note(obj: _N, family: str, note: Mapping[str, Any]) -> _N:
    """Return an object with this note of a family (and those of others)."""
    if not note and family not in obj.notes:
        return obj
    rest = {key: value for key, value in obj.notes.items() if key != family}
    return obj.evolve(notes={**rest, family: note} if note else rest)


def same_document(a: Any, b: Any) -> bool:
    """Tell whether two plain values are the same: types count, the order of keys does not."""
    if isinstance(a, dict):
        left = cast("dict[str, Any]", a)
        if not isinstance(b, dict) or len(left) != len(cast("dict[str, Any]", b)):
            return False
        right = cast("dict[str, Any]", b)
        return all(key in right and same_document(item, right[key]) for key, item in left.items())
    if isinstance(a, (list, tuple)):
        one, other = cast("list[Any]", a), cast("list[Any]", b)
        return isinstance(b, (list, tuple)) and len(one) == len(other) and all(map(same_document, one, other))
    return same(a, b)


def keep(
    obj: _N,
    native: Mapping[str, Any],
    plain: Mapping[str, Any],
    *,
    family: str,
    known: frozenset[str],
    never: frozenset[str] = frozenset(),
    namespace: str | None = None,
) -> _N | None:
    """Return the object with what its document said beyond or otherwise than the default spelling.

    Args:
        obj: the object just read from ``native``.
        native: the native object.
        plain: what the writer writes for ``obj`` by default.
        family: whose extras and notes these are.
        known: the keys that the format models; all others are extras.
        never: known keys whose native value must not be kept as a note (lists of messages, parts or items).
        namespace: where unknown fields go in extras, if not under ``family``.

    Returns:
        None where a key of ``never`` would have to be kept verbatim: the caller makes the whole a native
        block or message, visibly.
    """
    extras = {key: value for key, value in native.items() if key not in known}
    note: dict[str, Any] = {key: "absent" for key in plain if key not in native}
    for key, value in native.items():
        if key not in known or (key in plain and same_document(value, plain[key])):
            continue
        name = next((name for name, spelt in SPELLINGS.items() if same_document(value, spelt)), None)
        if name is None and key in never:
            return None
        note[key] = name or ["=", value]
    changes: dict[str, Any] = {}
    if extras:
        changes["extras"] = adopt({**obj.extras, namespace or family: adopt(extras)})
    if note:
        changes["notes"] = {**obj.notes, family: {**note_of(obj, family), **note}}
    return obj.evolve(**changes) if changes else obj


def put_back(
    obj: Noted,
    plain: dict[str, Any],
    *,
    family: str,
    read: Callable[[dict[str, Any]], Any],
    namespace: str | None = None,
) -> dict[str, Any]:
    """Return the native object: the default spelling, with the object's extras and spellings.

    Args:
        obj: the object written.
        plain: its default spelling, without extras; not changed.
        family: whose extras and notes to use.
        read: the reader of such native objects, which must give ``obj`` again. Raises anything on what it
            refuses.
        namespace: where unknown fields are in extras, if not under ``family``.
    """
    extras = obj.extras.get(namespace or family) if obj.extras else None
    if isinstance(extras, Mapping):
        plain = {**plain, **{key: value for key, value in extras.items() if key not in plain}}
    note = note_of(obj, family)
    if not note:
        return plain
    spelt = plain
    for key, spelling in note.items():
        spelt = _spell(spelt, key, spelling)
    if spelt is plain or _reads_as(spelt, obj, read):
        return spelt
    # Something was edited: keep each spelling that still means the same.
    spelt = plain
    for key, spelling in note.items():
        trial = _spell(spelt, key, spelling)
        if trial is not spelt and _reads_as(trial, obj, read):
            spelt = trial
    return spelt


def _spell(native: dict[str, Any], key: str, spelling: Any) -> dict[str, Any]:
    if isinstance(spelling, str) and spelling in SPELLINGS:
        value = SPELLINGS[spelling]
    elif isinstance(spelling, list) and spelling[:1] == ["="] and len(cast("Any", spelling)) == 2:  # noqa: PLR2004 - the mark and the value
        value = cast("Any", spelling)[1]
    else:
        return native
    if value is _ABSENT:
        return {name: item for name, item in native.items() if name != key} if key in native else native
    return {**native, key: value}


def _reads_as(native: dict[str, Any], obj: Noted, read: Callable[[dict[str, Any]], Any]) -> bool:
    try:
        return same(read(native), obj)
    except Exception:  # noqa: BLE001 - whatever a reader raises, it does not read back as the object
        return False
