"""The usual spelling of parts, and of keys. What differed is a patch in the notes (``agentmsg.formats.patches``).

REST uses camelCase, some clients use snake_case, and the API accepts both. Only keys of the schema are converted: those
inside tool arguments and responses are the user's. The Python package dumps all fields of a part. SDKs take a text for
a part, and Vertex AI sends parts without anything in them.

A signature is bytes: Google's clients write them in base64's URL alphabet, and leave out padding at times. Others
decode the standard alphabet only, and some take a foreign letter for nothing. So a signature is read into the standard
one, with padding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg.formats import Native, Parts, Unreadable, is_object, natives, speed
from agentmsg_codecs.gemini.names import DATA, FAMILY, INNER, OUTER_KEYS, SIGNATURE, UNSIGNED, both, snake
from agentmsg_codecs.gemini.results import usual_response

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_TO_STANDARD, _TO_URL = str.maketrans("-_", "+/"), str.maketrans("+/", "-_")
_STANDARD = r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?"
_MAKERS = both(INNER)
_OBJECT: Any = dict  # so that type checkers ask nothing about what is inside


def spellings(keys: Iterable[str], inside: Mapping[str, Any]) -> dict[str, tuple[str, Any]]:
    """Return for each spelling of some keys the key, and the spellings of keys in its object.

    Args:
        keys: in camelCase.
        inside: by key, those in its object.
    """
    return {
        spelt: (key, spellings(inside[key], inside) if key in inside else None)
        for key in keys
        for spelt in (key, snake(key))
    }


def camel(native: Native, keys: Mapping[str, tuple[str, Any]], *, is_strict: bool = True) -> Native:
    """Return an object with its keys in camelCase; the object itself if they are.

    Args:
        native: the object.
        keys: from ``spellings``.
        is_strict: whether to refuse an object with a key in two spellings; else it stays like that.

    Raises:
        Unreadable: if an object has a key in both spellings.
    """
    out: Native = {}
    is_usual = True
    for given, value in native.items():
        key, inner = keys.get(given, (given, None))
        if key != given:
            if key in native:
                if is_strict:
                    raise Unreadable("one key in two spellings")
                key, inner = given, None
            else:
                is_usual = False
        found = camel(value, inner, is_strict=is_strict) if inner is not None and type(value) is _OBJECT else value
        is_usual = is_usual and found is value
        out[key] = found
    return native if is_usual else out


def _stripped(part: Native) -> Native:
    """Return a part without the empty keys of its schema; the whole part if nothing would be left."""
    if None not in part.values() and part.get("thought") is not False and part.get("text") != "":
        return part
    rest = {key: value for key, value in part.items() if key not in OUTER_KEYS or not _says_nothing(key, value, part)}
    return part if OUTER_KEYS.isdisjoint(rest) else rest


def _says_nothing(key: str, value: Any, part: Native) -> bool:
    """Whether a key of a part has no meaning; an empty text has one, unless another key makes the part."""
    if key == "text":
        return value is None or (value == "" and any(part.get(other) is not None for other in _MAKERS))
    return value is None or (value is False and key == "thought")


def _url(value: Any) -> Any:
    return value.translate(_TO_URL) if type(value) is str else None


def _unpadded(value: Any) -> Any:
    return value.rstrip("=") if type(value) is str else None


def _unpadded_url(value: Any) -> Any:
    return _unpadded(_url(value))


_BASE64 = {"url": _url, "unpadded": _unpadded, "url unpadded": _unpadded_url}


def _standard(value: Any) -> Any:
    """Return a signature in base64's standard alphabet, padded; any other value unchanged."""
    if type(value) is not str or value == UNSIGNED or not ("-" in value or "_" in value or len(value) % 4):
        return value
    standard = value.translate(_TO_STANDARD)
    standard += "=" * (-len(standard) % 4)
    is_known = any(way(standard) == value for way in _BASE64.values())
    return standard if is_known and speed.compiled(_STANDARD).fullmatch(standard) else value


_KEYS = spellings((*DATA, SIGNATURE), INNER)


class GeminiParts(Parts):
    """Parts in either spelling, as a text, or empty."""

    ways: ClassVar[Any] = _BASE64

    @staticmethod
    def usual(part: Any) -> Any:
        """Return the usual spelling of a part.

        Raises:
            Unreadable: if the part has a key in both spellings.
        """
        if type(part) is not _OBJECT:
            return {"text": part} if type(part) is str else part
        if len(part) == 1 and type(part.get("text")) is str:
            return part  # the usual case
        if not part or (len(part) == 1 and "text" in part and part["text"] is None):
            return {"text": ""}
        native = camel(_stripped(part), _KEYS)
        if SIGNATURE in native:
            signature = _standard(native[SIGNATURE])
            native = native if signature is native[SIGNATURE] else {**native, SIGNATURE: signature}
        held: Any = native.get("functionResponse")
        if is_object(held) and (response := usual_response(held)) is not held:
            native = {**native, "functionResponse": response}
        return native

    def read(self, part: Any) -> Any:
        """Read a part; return a NativeBlock if it has no meaning here."""
        try:
            native = self.usual(part)
        except Unreadable:
            return natives.native_part(part, FAMILY)
        block = Parts.read(self, native)
        if native is part:
            return block
        return (
            natives.native_part(part, FAMILY)
            if type(block) is am.NativeBlock
            else natives.spelt(block, FAMILY, native, part, self.ways)
        )

    def read_other(self, part: Any) -> Any:
        """Keep a part in the usual spelling that no form reads."""
        return natives.native_part(part, FAMILY)
