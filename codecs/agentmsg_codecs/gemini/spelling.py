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
    EMPTY,
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
    from collections.abc import Iterable, Mapping

_TO_URL = str.maketrans("+/", "-_")
_BASE64 = ("url", "unpadded", "url unpadded")
_MAKERS = both(INNER)
_OBJECT: Any = dict  # so that type checkers ask nothing about what is inside


class Keys:
    """Keys that an object may have in snake_case, too, and those of the objects inside it.

    Args:
        names: the keys, in camelCase.
        inside: by key, those of the object there.
        may_clash: whether a key in both spellings is left alone.
    """

    def __init__(self, names: Iterable[str], inside: Mapping[str, Keys] = EMPTY, *, may_clash: bool = False) -> None:
        self._twins = {snake(key): key for key in names if snake(key) != key}
        self._names, self._inside, self._may_clash = self._twins.keys(), inside, may_clash

    def is_camel(self, native: Native) -> bool:
        """Whether an object, and those inside, have none of these keys in snake_case."""
        if not self._names.isdisjoint(native):
            return False
        inside = self._inside
        for key in native if inside else ():  # a loop: it runs for each part
            if key in inside and is_object(native[key]) and not inside[key].is_camel(native[key]):
                return False
        return True

    def camel(self, native: Native) -> tuple[Native, list[str]]:
        """Convert an object, and those inside, to camelCase; return it and the keys that were in snake_case.

        Raises:
            Unreadable: if an object has a key in both spellings.
        """
        if self.is_camel(native):
            return native, []
        twins = self._twins
        clashes = [key for key in native if key in twins and twins[key] in native]
        if clashes and not self._may_clash:
            raise Unreadable("one key in two spellings")
        found = [key for key in native if key in twins and key not in clashes]
        out = {twins[key] if key in found else key: value for key, value in native.items()}
        for key, keys in self._inside.items():
            if key in out and is_object(out[key]):
                held, more = keys.camel(out[key])
                if more:
                    out, found = {**out, key: held}, [*found, *more]
        return out, found

    def snake(self, native: Native, wanted: frozenset[str]) -> Native:
        """Convert to snake_case those keys of an object, and of those inside, that are wanted."""
        twins = {key: spelt for spelt, key in self._twins.items() if spelt in wanted and spelt not in native}
        return {
            twins.get(key, key): self._inside[key].snake(value, wanted)
            if key in self._inside and is_object(value)
            else value
            for key, value in native.items()
        }


_INSIDE = {name: Keys(keys) for name, keys in INNER.items()}
_PART = Keys((*DATA, SIGNATURE), _INSIDE)


def respelt(native: Native, block: Any) -> Native:
    """Convert to snake_case those keys of a part that its block was read with."""
    how = mark_of(block, FAMILY, "/base64")
    if how in _BASE64 and type(native.get(SIGNATURE)) is str:
        spelt = {**native, SIGNATURE: _in_base64(native[SIGNATURE], how)}
        native = spelt if _standard(spelt)[0] == native else native
    marked_keys = mark_of(block, FAMILY, "/snake")
    if not is_sequence(marked_keys):
        return native
    return _PART.snake(native, frozenset(map(str, marked_keys)))


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
        if key in _INSIDE and is_object(value) and _INSIDE[key].is_camel(value):
            return part, {}  # the usual case: one object, in camelCase
    native, nothing = stripped(part)
    native, found = _PART.camel(native)
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
