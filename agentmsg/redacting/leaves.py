"""Every text of a history: read it, or replace it. One walk does both, so that both see the same.

Base64 payloads, signatures and opaque payloads are passed with their nature: the visitor decides what a text becomes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, cast

import attrs

from agentmsg.fitting.changes import changed
from agentmsg.model.base import Noted, Signature
from agentmsg.model.blocks import CompactionBlock, ThinkingBlock, ToolUseBlock
from agentmsg.model.equality import same
from agentmsg.model.roles import KINDS, KNOWN_ROLES
from agentmsg.model.settings import Settings
from agentmsg.model.sources import Base64Source
from agentmsg.redacting.patterns import SECRET_NAMES
from agentmsg.values.frozen import EMPTY, adopt
from agentmsg.values.types import is_mapping, is_sequence

if TYPE_CHECKING:
    from agentmsg.model.history import History

Nature = Literal["text", "opaque", "key", "password", "token", "header"]
"""What a text is: an ordinary one; a payload that isn't to be damaged; a value whose name says that it is secret."""
Visit: TypeAlias = Callable[[str, Nature], str]

_N = TypeVar("_N", bound=Noted)
_OPAQUE = frozenset(
    {(Base64Source, "data"), (Signature, "value"), (ThinkingBlock, "redacted"), (CompactionBlock, "encrypted")}
)
# Words of the model itself, which can't be secrets; objects in their place have keys of the model.
_WORDS: Mapping[str, frozenset[str]] = {
    "role": KNOWN_ROLES, "kind": KINDS, **{field: frozenset(words) for field, (words, *_) in Settings.asked.items()},
}  # fmt: skip


def rewritten(history: History, visit: Visit) -> History:
    """Return a history with every text replaced by the result of ``visit``; the history itself if all stay."""
    changes = _changes(history, visit)
    return history.evolve(**changes) if changes else history


def texts_in(value: Any) -> list[str]:
    """Return the texts in a field's value."""
    texts: list[str] = []

    def see(text: str, _: Nature) -> str:
        texts.append(text)
        return text

    _value(value, see)
    return texts


def _owner(owner: _N, visit: Visit) -> _N:
    changes = _changes(owner, visit)
    return changed(owner, changes) if changes else owner


def _changes(owner: Noted, visit: Visit) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    kind: Any = type(owner)
    names, values = _fields(kind)
    for (name, nature), value in zip(names, values(owner), strict=True):
        if value is None or value is EMPTY or value == ():
            continue
        if type(value) is str:
            words = _WORDS.get(name)
            new: Any = value if words is not None and value in words else visit(value, nature)
        else:
            new = _inside(value, visit) if name in _WORDS and is_mapping(value) else _value(value, visit)
        if new is not value:
            changes[name] = new
    if isinstance(owner, ToolUseBlock):
        changes |= _arguments(owner, visit)
    return changes


@cache
def _fields(cls: Any) -> tuple[tuple[tuple[str, Nature], ...], Callable[[Any], tuple[Any, ...]]]:
    """Return the fields of a class to visit, with the nature of their texts, and a function that gets their values.

    A call's arguments aren't among them, because they are stored twice.
    """
    skipped = {"input", "raw_input"} if issubclass(cls, ToolUseBlock) else set[str]()
    opaque = {name for kind, name in _OPAQUE if issubclass(cls, kind)}
    fields = [field for field in attrs.fields(cls) if field.init and field.alias not in skipped]
    names: tuple[tuple[str, Nature], ...] = tuple(
        (str(field.alias), "opaque" if field.name in opaque else "text") for field in fields
    )
    return names, attrgetter(*(field.name for field in fields))


def _value(value: Any, visit: Visit) -> Any:
    """Return the new value of a field: an object, several, or free-form JSON."""
    if is_mapping(value) or is_sequence(value):
        return _json(value, visit) if value else value
    if isinstance(value, Noted):
        return _owner(value, visit)
    if isinstance(value, tuple):
        items = cast("tuple[object, ...]", value)
        if not items or type(items[0]) is float:
            return items
        new = [_value(item, visit) for item in items]
        return items if all(a is b for a, b in zip(new, items, strict=True)) else tuple(new)
    if isinstance(value, str):
        text = visit(str.__str__(value), "text")
        return value if text == value else text  # a made id, too: what is changed is no longer made
    return value


def _json(value: Any, visit: Visit) -> Any:
    """Return free-form JSON with new texts, including keys; the value itself if all stay."""
    new = _plain(value, visit, "text")
    return value if new is value else adopt(new)


def _plain(value: Any, visit: Visit, nature: Nature) -> Any:
    if isinstance(value, str):
        text = visit(str.__str__(value), nature)
        return value if text == value else text
    if is_mapping(value):
        items = [
            (_plain(key, visit, "text"), _plain(item, visit, _named(key, item)), key) for key, item in value.items()
        ]
        if all(new is key and item is value[key] for new, item, key in items):
            return value
        return _unique(items)
    if is_sequence(value):
        news = [_plain(item, visit, nature) for item in value]
        return value if all(a is b for a, b in zip(news, value, strict=True)) else news
    return value


def _inside(value: Mapping[str, Any], visit: Visit) -> Mapping[str, Any]:
    """Return an object of the model's own keys with new values."""
    new = {key: _plain(item, visit, _named(key, item)) for key, item in value.items()}
    return value if all(new[key] is value[key] for key in value) else adopt(new)


def _named(key: str, item: object) -> Nature:
    found = SECRET_NAMES.fullmatch(key[-100:]) if isinstance(item, str) else None
    return "text" if found is None else cast("Nature", found.lastgroup or "key")


def _unique(items: list[tuple[str, Any, str]]) -> dict[str, Any]:
    """Return the entries of an object; of two keys that have become equal, the second gets a mark."""
    kept = {old for new, _, old in items if new == old}
    out: dict[str, Any] = {}
    for new, item, old in items:
        key = new
        while key in out or (key != old and key in kept):
            key += "_"
        out[key] = item
    return out


def _arguments(call: ToolUseBlock, visit: Visit) -> dict[str, Any]:
    """Return a call's new arguments, so that text and input still agree."""
    raw = call.raw_input
    if raw is None:
        old = call.input
        new = _plain(old, visit, "text")
        return {} if new is old else {"input": adopt(new), "raw_input": None}
    text = visit(raw, "text")
    if call.kind == "custom" or not call.is_valid:
        return {} if text == raw else {"raw_input": text}
    # In the text, a secret may be escaped: keep the text if it matches the new input.
    given = call.input
    value = _plain(given, visit, "text")
    if text == raw and value is given:
        return {}
    if text != raw:
        spelt = call.evolve(raw_input=text)
        if spelt.is_valid and same(spelt.input, value):
            return {"raw_input": text}
    return {"input": adopt(value), "raw_input": None}
