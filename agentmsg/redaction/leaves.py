"""Every text of a history, and the history with some of them changed: one walk over the model, for both.

It knows the classes of the model by their fields, so that yours are walked, too. What is no meaning but structure
stays: the role of a message and the kind of a call, where they are words of ours; and payloads in base64.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeAlias, cast, get_args

import attrs

from agentmsg.model.generated import Made
from agentmsg.model.roles import RoleName
from agentmsg.model.sources import Base64Source
from agentmsg.model.tool_use import ToolUseBlock

__all__ = ["Change", "rewritten"]

Change: TypeAlias = Callable[[str], str]
"""Gives what becomes of a text."""

_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_BASE64 = re.compile(r"[A-Za-z0-9+/_\s-]*+=*\s*")
_STRUCTURE: Mapping[str, frozenset[str]] = {
    "role": frozenset(get_args(RoleName)),
    "kind": frozenset({"function", "custom", "server"}),
}


def rewritten(owner: Any, change: Change) -> Any:
    """Return an object of the model with each of its texts, and of all inside it, as ``change`` says.

    Returns:
        The object itself where nothing changed.
    """
    changes: dict[str, Any] = {}
    kind: Any = cast("Any", type(owner))
    special = _special(kind)
    done = special(owner, change, changes)
    for name, alias in _fields(kind):
        if name in done:
            continue
        value = getattr(owner, name)
        if name in _STRUCTURE and value in _STRUCTURE[name]:
            continue
        new = _value(value, change)
        if new is not value:
            changes[alias] = new
    if not changes:
        return owner
    return owner.evolve(**changes) if hasattr(owner, "evolve") else attrs.evolve(owner, **changes)


@cache
def _fields(kind: Any) -> tuple[tuple[str, str], ...]:
    return tuple((field.name, field.alias or field.name) for field in attrs.fields(kind) if field.init)


def _value(value: Any, change: Change) -> Any:
    kind = value.__class__
    if kind is str:
        return _text(value, change)
    if value is None or kind in _PLAIN:
        return value
    if isinstance(value, str):
        new = change(str(value))
        # Still made by us; but the name of a result is no longer that of its call as somebody said it.
        return value if new == value else Made(new) if isinstance(value, Made) else new
    if isinstance(value, tuple):
        return _items(value, change, tuple)
    if isinstance(value, Mapping):
        return _mapping(value, change)
    if isinstance(value, list):
        return _items(value, change, list)
    return rewritten(value, change) if attrs.has(kind) else value


_PLAIN = frozenset({bool, int, float})


def _text(text: str, change: Change) -> str:
    new = change(text)
    return text if new == text else new


def _items(items: Any, change: Change, kind: Callable[[list[Any]], Any]) -> Any:
    if items and items[0].__class__ is float and items[-1].__class__ is float and kind is tuple:
        return items  # an embedding
    new = [_value(item, change) for item in items]
    return items if all(map(_is, new, items)) else kind(new)


def _is(one: object, other: object) -> bool:
    return one is other


def _mapping(value: Any, change: Change) -> Any:
    new: dict[str, Any] = {}
    is_changed = False
    for key, item in value.items():
        own, made = _text(key, change), _value(item, change)
        is_changed = is_changed or own is not key or made is not item
        while own in new or (own is not key and own in value):
            own += "_"
        new[own] = made
    return new if is_changed else value


# -- what is not text as it stands -----------------------------------------------------------------------------------


def _nothing(owner: Any, change: Change, changes: dict[str, Any]) -> tuple[str, ...]:
    return ()


def _arguments(owner: ToolUseBlock, change: Change, changes: dict[str, Any]) -> tuple[str, ...]:
    """Change the input of a call or, where there is one, its text, which says the input."""
    text = owner.raw_input
    if text is None:
        new: Any = _value(owner.input, change)
        if new is not owner.input:
            changes["input"] = new
    else:
        # In a JSON text a pattern could take a part of an escape; what is no JSON is a text like others.
        changed = _json_text(text, change) if owner.kind != "custom" and owner.is_valid else change(text)
        if changed != text:
            changes["raw_input"] = changed
    return ("_input", "raw_input")


def _json_text(text: str, change: Change) -> str:
    """Return a JSON text with its strings changed, keys included, and all else byte for byte as it was."""

    def literal(match: re.Match[str]) -> str:
        written = match[0]
        said: str = json.loads(written, strict=False) if "\\" in written else written[1:-1]
        new = change(said)
        return written if new == said else json.dumps(new, ensure_ascii=written.isascii())

    return _LITERAL.sub(literal, text)


def _payload(owner: Base64Source, change: Change, changes: dict[str, Any]) -> tuple[str, ...]:
    """Leave a payload alone; what is none is a text like others."""
    return ("data",) if _BASE64.fullmatch(owner.data) else ()


_Special: TypeAlias = Callable[[Any, Change, dict[str, Any]], tuple[str, ...]]
# Changes some fields itself, and returns which need no other look.
_SPECIAL: dict[type, _Special] = {ToolUseBlock: _arguments, Base64Source: _payload}


@cache
def _special(kind: Any) -> _Special:
    """Return what is special about a class, as its base class has it."""
    return next((_SPECIAL[base] for base in kind.__mro__ if base in _SPECIAL), _nothing)
