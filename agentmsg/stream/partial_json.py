"""JSON that is still arriving: its value as far as it is certain.

Open strings and brackets are closed. What may still change is left out: a number at the end, a part of a literal, a key
without a value. So the value only grows: a string is a prefix of the later one, a list has the same first items, an
object the same fields.
"""

from __future__ import annotations

import re
from typing import Any

from agentmsg.errors import DecodeError
from agentmsg.model.checks import checked
from agentmsg.values.text import parse_json

# Spaces, and then: a bracket or punctuation; the beginning of a string, and perhaps its end; or a number or literal.
_TOKEN = re.compile(
    r"[ \t\n\r]*+(?:"
    r"(?P<sign>[{}\[\],:])"
    r'|(?P<string>"(?>(?:[^"\\]++|\\u[0-9a-fA-F]{4}|\\["\\/bfnrt])*))(?P<end>"|(?P<cut>\\(?:u[0-9a-fA-F]{0,3})?)?\Z)'
    r'|(?P<word>[^ \t\n\r{}\[\],:"]++)'
    r"|\Z)"
)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
# A text that more digits would make a number.
_NUMBER_SO_FAR = re.compile(r"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?(?:(?<=[0-9])[eE][+-]?[0-9]*)?)?")
_LITERALS = ("true", "false", "null")
# The first half of a surrogate pair, at the end.
_HALF = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")
_HALF_LENGTH = 6
_CLOSES = {"{": "}", "[": "]"}

# What may come next.
_VALUE, _ITEM, _KEY, _FIELD, _COLON, _NEXT = range(6)
_VALUES = frozenset({_VALUE, _ITEM})
_KEYS = frozenset({_KEY, _FIELD})


def parse_partial(text: str) -> tuple[bool, Any]:
    """Return the value of an incomplete JSON text, in linear time.

    Returns:
        ``(True, value)``; the value is None if nothing is certain yet. ``(False, None)`` if it isn't the beginning of a
        JSON text, or nested deeper than the limit.

    Raises:
        InvalidMessage: code "type" if it isn't a text.
    """
    ended = _ended(checked(text, str, "text"))
    if ended is None:
        return False, None
    try:
        return True, parse_json(ended) if ended else None
    except DecodeError:
        return False, None


def _ended(text: str) -> str | None:
    """Return the text, completed; empty if nothing of it is certain, None if it can't continue."""
    open_: list[str] = []
    state, certain, position = _VALUE, 0, 0
    while True:
        token = _TOKEN.match(text, position)
        if token is None:
            return None
        position = token.end()
        kind = token.lastgroup
        if kind is None:
            return text[:certain] + "".join(reversed(open_))
        if kind == "sign":
            found = _after_sign(token["sign"], state, open_)
            if found is None:
                return None
            state = found
            if token["sign"] not in ",:":
                certain = position
            continue
        if kind == "word":
            if state not in _VALUES:
                return None
            if position == len(text) and token["word"] not in _LITERALS:
                return text[:certain] + "".join(reversed(open_)) if _may_go_on(token["word"]) else None
            if token["word"] not in _LITERALS and not _NUMBER.fullmatch(token["word"]):
                return None
        elif state not in _VALUES and state not in _KEYS:
            return None
        elif token["end"] != '"':
            is_key = state in _KEYS
            so_far = text[:certain] if is_key else _whole(text[: token.end("string")]) + '"'
            return so_far + "".join(reversed(open_))
        if state in _KEYS:
            state = _COLON
        else:
            state, certain = _NEXT, position


def _after_sign(sign: str, state: int, open_: list[str]) -> int | None:
    """Return the state after a bracket or punctuation; None if it isn't allowed there."""
    if sign in _CLOSES:
        if state not in _VALUES:
            return None
        open_.append(_CLOSES[sign])
        return _FIELD if sign == "{" else _ITEM
    if sign == ":":
        return _VALUE if state == _COLON else None
    if not open_:
        return None
    if sign == ",":
        return (_KEY if open_[-1] == "}" else _VALUE) if state == _NEXT else None
    # An empty container may be closed at once.
    if open_[-1] != sign or state not in (_NEXT, _FIELD if sign == "}" else _ITEM):
        return None
    open_.pop()
    return _NEXT


def _whole(text: str) -> str:
    """Remove the first half of a surrogate pair at the end of a text, unless its backslash is itself escaped."""
    if not _HALF.search(text, max(0, len(text) - _HALF_LENGTH)):
        return text
    before = text[:-_HALF_LENGTH]
    return text if (len(before) - len(before.rstrip("\\"))) % 2 else before


def _may_go_on(word: str) -> bool:
    return _NUMBER_SO_FAR.fullmatch(word) is not None or any(literal.startswith(word) for literal in _LITERALS)
