"""Notes: how a document spelt an object, besides what it means.

Read the meaning, note the deviation. A reader ignores spelling; a writer has one default spelling for each native
object. ``keep`` compares a document with the default and keeps the difference on the object: unknown fields become
``extras[family]`` (meaning), odd spellings of known fields become a note. A note is a name from SPELLINGS or, as a last
resort, the native value itself, if it says no more than the default does. ``put_back`` writes extras and spellings
again, each only while the result still reads back as the object: a spelling never outlives its value, whatever notes
exist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar, cast

from agentmsg.lazy import later
from agentmsg.model.base import Noted
from agentmsg.model.construction import changer, is_ours
from agentmsg.model.equality import same
from agentmsg.model.msg import Msg
from agentmsg.model.tool_use import ToolUseBlock
from agentmsg.values.frozen import EMPTY, adopt, freeze_mapping, thaw
from agentmsg.values.peeking import peek, peek_items
from agentmsg.values.types import is_mapping

if TYPE_CHECKING:
    from typing import Required, TypedDict, Unpack

    from agentmsg.formats.json_styles import (
        JSON_STYLES,
        dump_as_told,
        dump_listed,
        dump_styled,
        listed,
        parse_told,
        styled,
        told_list,
        told_style,
    )
    from agentmsg.formats.key_orders import orders_of, reordered

    class How(TypedDict, total=False):
        """Arguments of ``keep`` about the format, besides the objects."""

        family: Required[str]
        known: Required[frozenset[str]]
        never: frozenset[str]
        odd: frozenset[str]
        read: Callable[[dict[str, Any]], Any] | None
        namespace: str | None


__all__ = [
    "JSON_STYLES", "SPELLINGS", "changed", "dump_as_told", "dump_listed", "dump_styled", "keep", "keep_proven",
    "listed", "note_of", "orders_of", "parse_told", "put_back", "reads_as", "reordered", "same_document",
    "says_nothing", "spelling_of", "spelling_of_nothing", "styled", "told_list", "told_style", "with_extras",
    "with_note",
]  # fmt: skip

# Few formats hold JSON in texts, or note the order of keys.
_HOMES = {
    "agentmsg.formats.json_styles": (
        "JSON_STYLES dump_as_told dump_listed dump_styled listed parse_told styled told_list told_style"
    ),
    "agentmsg.formats.key_orders": "orders_of reordered",
}
__getattr__ = later(globals(), _HOMES)

_N = TypeVar("_N", bound=Noted)
_ABSENT: Any = object()

SPELLINGS: Mapping[str, Any] = {
    "absent": _ABSENT,
    "null": None,
    "[]": [],
    "{}": {},
    '""': "",
    "false": False,
    "0": 0,
}
"""The closed set of value-free spellings: what the key holds instead of its default spelling."""
_EMPTY: Mapping[type, str] = {type(None): "null", list: "[]", dict: "{}", str: '""', bool: "false", int: "0"}


def note_of(obj: Noted, family: str) -> Mapping[str, Any]:
    """Return a family's note on an object; empty if there is none or it isn't a mapping."""
    note = obj.notes.get(family) if obj.notes else None
    return note if is_mapping(note) else EMPTY


def with_note(obj: _N, family: str, note: Mapping[str, Any]) -> _N:
    """Return an object with this note of a family; notes of others stay."""
    if not note and family not in obj.notes:
        return obj
    rest = {key: value for key, value in obj.notes.items() if key != family}
    return changed(obj, {"notes": freeze_mapping({**rest, family: note} if note else rest)})


def same_document(a: Any, b: Any) -> bool:
    """Whether two plain values are the same: types count, the order of keys doesn't."""
    # Most of a document is the same object, only taken over. Loops: generators take twice the time.
    if a is b:
        return True
    if isinstance(a, dict):
        left = cast("dict[str, Any]", a)
        if not isinstance(b, dict) or len(left) != len(cast("dict[str, Any]", b)):
            return False
        right = cast("dict[str, Any]", b)
        for key, item in left.items():
            if key not in right:
                return False
            other = right[key]
            if item is not other and not same_document(item, other):
                return False
        return True
    if isinstance(a, (list, tuple)):
        one, other_one = cast("list[Any]", a), cast("list[Any]", b)
        if not isinstance(b, (list, tuple)) or len(one) != len(other_one):
            return False
        for item, other in zip(one, other_one, strict=True):
            if item is not other and not same_document(item, other):
                return False
        return True
    return same(a, b)


def keep(obj: _N, native: Mapping[str, Any], plain: Mapping[str, Any], **how: Unpack[How]) -> _N | None:
    """Return the object with what its document said beyond, or differently from, the default spelling.

    A native value is kept as a note only if it says the same as the default spelling, or if everything in it affects
    what is read. The rest was not understood: it is meaning, and no note hides it.

    Args:
        obj: the object just read from ``native``.
        native: the native object.
        plain: what the writer writes for ``obj`` by default.
        how: see ``keep_proven``.

    Returns:
        None if a known key holds neither: the caller makes the whole a native block or message, visibly.
    """
    found = keep_proven(obj, native, plain, **how)
    return None if found is None else found[0]


def keep_proven(
    obj: _N,
    native: Mapping[str, Any],
    plain: Mapping[str, Any],
    *,
    family: str,
    known: frozenset[str],
    never: frozenset[str] = frozenset(),
    odd: frozenset[str] = frozenset(),
    read: Callable[[dict[str, Any]], Any] | None = None,
    namespace: str | None = None,
) -> tuple[_N, bool] | None:
    """Return the result of ``keep``, and whether it certainly writes back the native object, so that no test is needed.

    It does if each key that differs from the writer's output is an extra, or has a spelling without a value, and
    nothing else of the object has an effect.

    Args:
        obj: the object just read from ``native``.
        native: the native object.
        plain: what the writer writes for ``obj`` by default.
        family: whose extras and notes these are.
        known: the keys that the format models; all others are extras.
        never: known keys whose native value must not be kept as a note (lists of messages, parts or items).
        odd: known keys whose value is kept in extras if it has no meaning here and the default spelling lacks the key.
            Their capability table must support them (see ``agentmsg.formats.shapes.is_odd``).
        read: the reader that returned ``obj``; if there is none, only values that say the same are kept as a note.
        namespace: of unknown fields in extras, if not ``family``.
    """
    extras = {key: value for key, value in native.items() if key not in known}
    note: dict[str, Any] = {key: "absent" for key in plain if key not in native}
    for key, value in native.items():
        if key not in known or (key in plain and same_document(value, plain[key])):
            continue
        name = spelling_of(value)
        if name is not None:
            note[key] = name
        elif key not in never and (
            _says_the_same(value, plain.get(key)) or (read is not None and _is_understood(native, key, read))
        ):
            note[key] = ["=", value]
        elif key in odd and key not in plain:
            extras[key] = value
        else:
            return None
    changes: dict[str, Any] = {}
    if extras:
        # In document order, because the order of keys counts.
        extras = {key: native[key] for key in native if key in extras}
        changes["extras"] = adopt({**obj.extras, namespace or family: adopt(extras)})
    if note:
        changes["notes"] = adopt({**obj.notes, family: {**note_of(obj, family), **note}})
    if not changes:
        return obj, False
    space = namespace or family
    is_sure = not (obj.extras and space in obj.extras) and plain.keys().isdisjoint(extras)
    is_sure = is_sure and all(type(name) is str for name in note.values())
    if is_sure and obj.notes:
        is_sure = all(key[:1] == "/" for key in note_of(obj, family))
    return changed(obj, changes), is_sure


def changed(obj: _N, changes: Mapping[str, Any]) -> _N:
    """Return a copy of an object with some fields changed to values known to be valid and frozen."""
    kind: Any = type(obj)
    change = _changer(kind)
    return obj.evolve(**changes) if change is None else change(obj, changes)


@cache
def _changer(kind: Any) -> Callable[[Any, Mapping[str, Any]], Any] | None:
    """Return a function that copies objects of a model class; None for a user's class, which may check fields."""
    return changer(kind) if is_ours(kind) else None


def _says_the_same(value: Any, default: Any) -> bool:
    """Whether a value says the same as the default spelling: empty values say nothing, at any level."""
    return same_document(_without_empty(value), _without_empty(default))


def spelling_of(value: Any) -> str | None:
    """Return the name of the spelling that a native value is; None if it isn't one."""
    if value:
        return None
    kind: Any = value.__class__
    name = _EMPTY.get(kind)
    if name is not None or isinstance(value, (str, int, float)):
        return name
    return "{}" if isinstance(value, Mapping) else "[]" if isinstance(value, (list, tuple)) else None


def spelling_of_nothing(value: Any) -> Any:
    """Return the note for a value that says nothing: the name of its spelling, or itself; None for any other."""
    return spelling_of(value) or (["=", value] if says_nothing(value) else None)


def says_nothing(value: Any) -> bool:
    """Whether a value is empty, or contains only empty values."""
    if isinstance(value, Mapping):
        value = cast("Mapping[str, Any]", value).values()
    elif not isinstance(value, list):
        return not value
    # A loop: a comprehension would halve the depth that the stack allows.
    for each in cast("Iterable[Any]", value):
        if not says_nothing(each):
            return False
    return True


def _without_empty(value: Any) -> Any:
    """Return a value without empty values inside; None if it is itself empty."""
    if isinstance(value, Mapping):
        items = ((key, _without_empty(item)) for key, item in cast("Mapping[str, Any]", value).items())
        return {key: item for key, item in items if item is not None} or None
    if isinstance(value, list):
        inner = [_without_empty(item) for item in cast("list[object]", value)]
        return inner if any(item is not None for item in inner) else None
    return value or None


def _is_understood(native: Mapping[str, Any], key: str, read: Callable[[dict[str, Any]], Any]) -> bool:
    """Whether every word and number in a key's value affects what is read: if changed, it reads differently.

    What a reader skips could say anything.
    """
    disturbed = list(islice(_disturbed(native[key]), _MOST_DISTURBED + 1))
    if not disturbed or len(disturbed) > _MOST_DISTURBED:
        return False
    return not any(_reads_the_same({**native, key: other}, native, read) for other in disturbed)


# Each costs a reading: an odd key's value with more leaves than this isn't worth the time.
_MOST_DISTURBED = 100


def _disturbed(value: Any) -> Iterator[Any]:
    """Yield copies of a value, each with one of its words or numbers changed; none for an empty value."""
    if isinstance(value, Mapping):
        own = cast("Mapping[str, Any]", value)
        for key, item in own.items():
            for other in _disturbed(item):
                yield {**own, key: other}
    elif isinstance(value, list):
        items = cast("list[object]", value)
        for index, item in enumerate(items):
            for other in _disturbed(item):
                yield [*items[:index], other, *items[index + 1 :]]
    elif isinstance(value, str) and value:
        yield value + "~"
        yield "~" + value
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, (int, float)):
        yield value + 1


def _reads_the_same(one: dict[str, Any], other: Any, read: Callable[[dict[str, Any]], Any]) -> bool:
    try:
        return same(read(one), read(other))
    except Exception:  # noqa: BLE001 - refused, so it was looked at
        return False


def put_back(
    obj: Noted,
    plain: dict[str, Any],
    *,
    family: str,
    read: Callable[[dict[str, Any]], Any] | None,
    namespace: str | None = None,
) -> dict[str, Any]:
    """Write the native object: the default spelling, with the object's extras and spellings as plain data.

    Args:
        obj: the object to write.
        plain: its default spelling, without extras; not changed.
        family: whose extras and notes to use.
        read: the reader of such native objects, which must return ``obj`` again. May raise anything to refuse. None for
            an object unchanged since it was read: no test is needed.
        namespace: of unknown fields in extras, if not ``family``.
    """
    plain = with_extras(plain, obj, namespace or family)
    note = peek(obj.notes, family)
    if not note or not is_mapping(note):
        return plain
    spelt = _spell(plain, note)
    if spelt is plain or read is None or reads_as(spelt, obj, read):
        return spelt
    # Something was edited: keep each spelling that still means the same.
    spelt = plain
    for key, spelling in peek_items(note):
        trial = _spell(spelt, {key: spelling})
        if trial is not spelt and reads_as(trial, obj, read):
            spelt = trial
    return spelt


def with_extras(plain: dict[str, Any], obj: Noted, space: str) -> dict[str, Any]:
    """Return an object's default spelling with its extras from a namespace, as plain data, under other keys."""
    extras = peek(obj.extras, space)
    if not extras or not is_mapping(extras):
        return plain
    return {**plain, **thaw({key: value for key, value in peek_items(extras) if key not in plain})}


def _spell(native: dict[str, Any], note: Mapping[str, Any]) -> dict[str, Any]:
    """Apply the spellings of a note to a native object; return it unchanged if there are none."""
    spelt = native
    for key, spelling in peek_items(note):
        if key[:1] == "/":  # a mark, whatever its value
            continue
        if isinstance(spelling, str) and spelling in SPELLINGS:
            value = SPELLINGS[spelling]
        elif isinstance(spelling, list) and spelling[:1] == ["="] and len(cast("Any", spelling)) == 2:  # noqa: PLR2004 - the mark and the value
            value = cast("Any", spelling)[1]
        else:
            continue
        if value is _ABSENT and key not in spelt:
            continue
        if spelt is native:
            spelt = dict(native)
        if value is _ABSENT:
            del spelt[key]
        else:
            spelt[key] = thaw(value)
    return spelt


def reads_as(native: dict[str, Any], obj: Noted, read: Callable[[dict[str, Any]], Any]) -> bool:
    """Whether a native object reads as an object; a reader that raises means no."""
    try:
        found = read(native)
        # No id is the same as a made one; but here the id would be made again, and differ.
        return same(found, obj) and _links(found) == _links(obj)
    except Exception:  # noqa: BLE001 - whatever a reader raises, the value doesn't read back as the object
        return False


def _links(obj: Any) -> Any:
    if isinstance(obj, Msg):
        return [link for link in map(_links, obj.content) if link is not None]
    return getattr(obj, "id" if isinstance(obj, ToolUseBlock) else "tool_call_id", None)
