"""Two spellings: REST uses camelCase, some clients use snake_case, and the API accepts both.

Readers convert parts to camelCase, and response.py does so with responses. The mark ``/snake`` lists the keys that were
in snake_case. Only keys of the schema are converted: those inside tool arguments and responses are the user's. The
Python package dumps all fields of a part; the mark ``/nothing`` holds the empty ones.

A signature is bytes: Google's clients write them in base64's URL alphabet, and leave out padding at times. Others
decode the standard alphabet only, and some take a foreign letter for nothing. So a signature is read into the standard
one, with padding; the mark ``/base64`` says how it was spelt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg.formats import (
    Native,
    Parts,
    Unreadable,
    is_mapping,
    is_object,
    is_sequence,
    mark_of,
    marked,
    natives,
)
from agentmsg_codecs.gemini.names import DATA, FAMILY, INNER, OUTER_KEYS, SIGNATURE, both, snake
from agentmsg_codecs.wire.signatures import usual_signature

if TYPE_CHECKING:
    from collections.abc import Iterable

_OUTER = (*DATA, SIGNATURE)
_TO_URL = str.maketrans("+/", "-_")
_BASE64 = ("url", "unpadded", "url unpadded")
_MAKERS = both(INNER)
_OBJECT: Any = dict  # so that type checkers ask nothing about what is inside
_TWINS = {name: {snake(key): key for key in keys if snake(key) != key} for name, keys in INNER.items()}
_OUTER_TWINS = {snake(key): key for key in _OUTER if snake(key) != key}


def camel(native: Native, twins: dict[str, str]) -> tuple[Native, list[str]]:
    """Convert some keys of an object to camelCase; return the object and the keys that were in snake_case.

    Raises:
        Unreadable: if the object has a key in both spellings.
    """
    if twins.keys().isdisjoint(native):
        return native, []
    found = [key for key in native if key in twins]
    if any(twins[key] in native for key in found):
        raise Unreadable("one key in two spellings")
    return {twins.get(key, key): value for key, value in native.items()}, found


def camel_part(part: Native) -> tuple[Native, list[str]]:
    """Convert a part and the object inside it to camelCase; return the part and the keys that were in snake_case.

    Raises:
        Unreadable: if one of them has a key in both spellings.
    """
    for key, value in part.items():
        if key in _OUTER_TWINS or (key in INNER and is_object(value) and not _TWINS[key].keys().isdisjoint(value)):
            break
    else:
        return part, []
    native, found = camel(part, _OUTER_TWINS)
    for key in native:
        if key in INNER and is_object(native[key]):
            held, more = camel(native[key], _TWINS[key])
            if more:
                native, found = {**native, key: held}, [*found, *more]
    return native, found


def respelt(native: Native, block: Any) -> Native:
    """Convert to snake_case those keys of a part that its block was read with."""
    how = mark_of(block, FAMILY, "/base64")
    if how in _BASE64 and type(native.get(SIGNATURE)) is str:
        spelt = {**native, SIGNATURE: _in_base64(native[SIGNATURE], how)}
        native = spelt if _standard(spelt)[0] == native else native
    marked_keys = mark_of(block, FAMILY, "/snake")
    if not is_sequence(marked_keys):
        return native
    wanted = frozenset(map(str, marked_keys))
    held = {
        key: spell(value, INNER[key], wanted) if key in INNER and is_object(value) else value
        for key, value in native.items()
    }
    return spell(held, _OUTER, wanted)


def spell(native: Native, keys: Iterable[str], wanted: frozenset[str]) -> Native:
    """Convert to snake_case those of the given keys that are wanted."""
    twins = {key: snake(key) for key in keys if snake(key) in wanted and snake(key) not in native}
    return {twins.get(key, key): value for key, value in native.items()}


def stripped(part: Native) -> tuple[Native, Native]:
    """Split off the empty keys of a part's schema; return the whole part if nothing would be left."""
    if None not in part.values() and part.get("thought") is not False and part.get("text") != "":
        return part, {}
    nothing = {key: value for key, value in part.items() if key in OUTER_KEYS and _says_nothing(key, value, part)}
    rest = {key: value for key, value in part.items() if key not in nothing}
    return (part, {}) if OUTER_KEYS.isdisjoint(rest) else (rest, nothing)


def _says_nothing(key: str, value: Any, part: Native) -> bool:
    """Whether a key of a part has no meaning; an empty text has one, unless another key makes the part."""
    if key == "text":
        return value is None or (value == "" and any(part.get(other) is not None for other in _MAKERS))
    return value is None or (value is False and key == "thought")


def padded(native: Native, block: Any) -> Native:
    """Return a part with the empty keys that its block was read with."""
    nothing = mark_of(block, FAMILY, "/nothing")
    if not is_mapping(nothing):
        return native
    more = {key: value for key, value in nothing.items() if key in OUTER_KEYS and key not in native}
    return {**native, **{key: value for key, value in more.items() if _says_nothing(key, value, native)}}


def usual(part: Native) -> tuple[Native, dict[str, Any]]:
    """Return a part in the usual spelling, and marks for its own spelling.

    Raises:
        Unreadable: if the part has a key in both spellings.
    """
    if len(part) == 1:
        key, value = next(iter(part.items()))
        if key in INNER and is_object(value) and _TWINS[key].keys().isdisjoint(value):
            return part, {}  # the usual case: one object, in camelCase
    native, nothing = stripped(part)
    native, found = camel_part(native)
    native, how = _standard(native)
    marks = (("snake", found), ("nothing", nothing), ("base64", how))
    return native, {key: value for key, value in marks if value}


def _standard(native: Native) -> tuple[Native, str]:
    """Return a part whose signature is in base64's standard alphabet, padded; and how it was spelt."""
    value: Any = native.get(SIGNATURE)
    standard: Any = usual_signature(value) if type(value) is str else value
    if standard == value:
        return native, ""
    how = next(how for how in _BASE64 if _in_base64(standard, how) == value)
    return {**native, SIGNATURE: standard}, how


def _in_base64(standard: str, how: str) -> str:
    """Return a signature in the spelling that was read."""
    value = standard.rstrip("=") if "unpadded" in how else standard
    return value.translate(_TO_URL) if "url" in how else value


def _part_of_text(part: Any) -> Any:
    return ({"text": part}, True) if type(part) is str else None


def _text_of_part(native: Native, _: Any) -> Any:
    return native.get("text")


def _said(part: Any) -> Any:
    return ({"text": ""}, _EMPTY.index(part)) if is_object(part) and part in _EMPTY else None


def _unsaid(native: Native, how: Any) -> Any:
    return dict(_EMPTY[how]) if native == {"text": ""} and type(how) is int and how in (0, 1) else None


# Vertex AI sends parts without anything in them.
_EMPTY: list[Native] = [{}, {"text": None}]


class GeminiParts(Parts):
    """Parts in either spelling, as a text, or empty."""

    other_spellings: ClassVar[Any] = {"text": (_part_of_text, _text_of_part), "said": (_said, _unsaid)}

    def read(self, part: Any) -> Any:
        """Return the block of a part; a NativeBlock if the part is unknown or wouldn't come back the same."""
        if type(part) is not _OBJECT or (len(part) == 1 and "text" in part):
            return Parts.read(self, part)  # the usual case, with no second spelling
        try:
            native, marks = usual(part)
        except Unreadable:
            return natives.native_part(part, FAMILY)
        block = Parts.read(self, native)
        if not marks:
            return block
        is_native = isinstance(block, am.NativeBlock)
        return natives.native_part(part, FAMILY) if is_native else marked(block, FAMILY, **marks)

    def write(self, block: Any) -> Any:
        """Write a block that fits as a part."""
        native = Parts.write(self, block)
        return padded(respelt(native, block), block) if block.notes and is_object(native) else native
