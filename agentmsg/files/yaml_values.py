"""The value of a YAML file as JSON: cassettes of HTTP traffic are often YAML.

Only plain data is taken, as YAML 1.1 spells it: a tag that would make anything else is an error. Times stay texts as
they are spelt. Bytes become the text that they are in UTF-8, else their Base64, as in the file.

A name for another part (an alias) costs what that part costs: a few lines of aliases can't become gigabytes.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from math import isfinite
from typing import TYPE_CHECKING, Any, NoReturn

from agentmsg.errors import DecodeError, excerpt
from agentmsg.limits import AROUND, room_of
from agentmsg.optional import extra
from agentmsg.values.types import is_list, is_mapping

if TYPE_CHECKING:
    from agentmsg.limits import Limits

_TAG = "tag:yaml.org,2002:"
_LISTS, _MAPS = (None, f"{_TAG}seq"), (None, f"{_TAG}map")
_BYTES = (f"{_TAG}binary", "!binary")
_TEXTS = (f"{_TAG}str", f"{_TAG}timestamp", f"{_TAG}value", "!str")
# What a key << means: the members of other mappings.
_MERGE: Any = object()
_CONSTRUCTED = tuple(f"{_TAG}{name}" for name in ("bool", "float", "int", "null"))
# Aliases may make the data this many times as long as the file, and a little longer.
_TIMES, _ANYWAY = 10, 1 << 20


def yaml_value(data: bytes, limits: Limits) -> Any:
    """Return the value of a YAML document; parts with several names are shared.

    Raises:
        DecodeError: code "syntax" if it isn't YAML, or holds several documents, or an alias in its own part; "type" for
            tags of other than plain data; "key" for keys that aren't texts, "duplicate-key" for two of a name; "number"
            for one that isn't finite; "depth"; "bytes" if aliases make it too long.
        FileError: code "unavailable" if PyYAML is missing.
    """
    yaml = extra("yaml", "yaml", "a YAML file")
    loader: Any = None
    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(data.decode("utf-8-sig"))
        return _Builder(yaml, loader, min(limits.bytes, _TIMES * len(data) + _ANYWAY), limits).built()
    except DecodeError:
        raise
    except (yaml.YAMLError, ArithmeticError, LookupError, RecursionError, ValueError) as error:
        first = " ".join(str(error).split())
        msg = f"not YAML: {excerpt(first)[1:-1]}"
        raise DecodeError(msg, code="syntax") from None
    finally:
        if loader is not None:
            loader.dispose()


class _Builder:
    """Builds a value from the events of a parser."""

    def __init__(self, yaml: Any, loader: Any, most: int, limits: Limits) -> None:
        self._yaml = yaml
        self._loader = loader
        self._left = most
        self._room = room_of(limits).depth + AROUND
        self._named: dict[str | None, tuple[Any, int]] = {}

    def built(self) -> Any:
        """Return the value of the only document."""
        yaml, documents, value = self._yaml, 0, None
        while self._loader.check_event():
            event = self._loader.get_event()
            documents += isinstance(event, yaml.DocumentStartEvent)
            if documents > 1:
                _refuse("a YAML file with several documents is not read")
            if isinstance(event, yaml.NodeEvent):
                value = self._value(event, 0)
        return "<<" if value is _MERGE else value

    def _value(self, event: Any, depth: int) -> Any:
        """Return the value that begins with an event, and go past its end: one call for each level."""
        yaml, left = self._yaml, self._left
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._named:
                _refuse(f"YAML's alias {excerpt(event.anchor)} has no part before it")
            value, size = self._named[event.anchor]
            self._spend(size)
            return value
        self._spend(1 + len(getattr(event, "value", "")))
        self._named.pop(event.anchor, None)
        if isinstance(event, yaml.ScalarEvent):
            value = self._scalar(event)
        else:
            is_sequence = isinstance(event, yaml.SequenceStartEvent)
            if event.tag not in (_LISTS if is_sequence else _MAPS):
                _refuse(f"YAML of the type {excerpt(event.tag)} is not plain data", "type")
            if depth >= self._room:
                _refuse(f"nested deeper than {self._room} levels", "depth")
            items: list[Any] = []
            while not isinstance(inner := self._loader.get_event(), yaml.CollectionEndEvent):
                items.append(self._value(inner, depth + 1))
            value = ["<<" if each is _MERGE else each for each in items] if is_sequence else _mapping(items)
        self._named[event.anchor] = value, left - self._left
        return value

    def _spend(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            _refuse("YAML that its aliases make too long", "bytes")

    def _scalar(self, event: Any) -> Any:
        text: str = event.value
        node = self._yaml.ScalarNode
        tag = self._loader.resolve(node, text, event.implicit) if event.tag in (None, "!") else event.tag
        if tag == f"{_TAG}merge":
            return _MERGE
        if tag in _TEXTS:
            return text
        if tag in _BYTES:
            return _text_of(text)
        if tag not in _CONSTRUCTED:
            _refuse(f"YAML of the type {excerpt(tag)} is not plain data", "type")
        value = self._loader.yaml_constructors[tag](self._loader, node(tag, text))
        if isinstance(value, float) and not isfinite(value):
            _refuse(f"{excerpt(text)} is no number of JSON", "number")
        return value


def _mapping(items: list[Any]) -> dict[str, Any]:
    """Return the mapping of keys and values that take turns."""
    made: dict[Any, Any] = {}
    for key, value in zip(items[::2], items[1::2], strict=True):
        if key is not _MERGE and type(key) is not str:
            _refuse(f"a key must be a text, not {excerpt(key)}", "key")
        if key in made:
            _refuse(f"two keys are named {excerpt(key)}", "duplicate-key")
        made[key] = "<<" if value is _MERGE else value
    merged = made.pop(_MERGE, [])
    several: list[Any] = merged if is_list(merged) else [merged]
    for each in several:
        if not is_mapping(each):
            _refuse("<< merges mappings only", "type")
        made |= {key: each[key] for key in each if key not in made}
    return made


def _text_of(encoded: str) -> str:
    data = b64decode(encoded)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return b64encode(data).decode()


def _refuse(msg: str, code: str = "syntax") -> NoReturn:
    raise DecodeError(msg, code=code)
