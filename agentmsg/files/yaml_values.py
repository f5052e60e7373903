"""The value of a YAML file as JSON: cassettes of HTTP traffic are often YAML.

Only plain data is taken, as YAML 1.1 spells it: a tag that would make anything else is an error. Times stay texts as
they are spelt. Bytes become the text that they are in UTF-8, else their Base64, as in the file.

Nothing is recursive here, and a name for another part (an alias) costs what that part costs: a few lines of aliases
can't become gigabytes.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from math import isfinite
from typing import TYPE_CHECKING, Any, NoReturn

import attrs

from agentmsg.errors import DecodeError, excerpt
from agentmsg.limits import AROUND, room_of
from agentmsg.optional import extra
from agentmsg.values.types import is_list

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
_KEY: Any = object()


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


@attrs.define
class _Open:
    """A list or mapping that isn't complete: its value, its name, the key that waits for a value, and its size."""

    value: Any
    anchor: str | None
    key: Any = _KEY
    size: int = 1
    merged: list[Any] = attrs.field(factory=list[Any])


class _Builder:
    """Builds a value from the events of a parser."""

    def __init__(self, yaml: Any, loader: Any, most: int, limits: Limits) -> None:
        self._yaml = yaml
        self._loader = loader
        self._left = most
        self._depth = room_of(limits).depth + AROUND
        self._open: list[_Open] = []
        self._named: dict[str, tuple[Any, int]] = {}
        self._value: Any = None

    def built(self) -> Any:
        """Return the value of the only document."""
        yaml, documents = self._yaml, 0
        while self._loader.check_event():
            event = self._loader.get_event()
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    _refuse("a YAML file with several documents is not read")
            elif isinstance(event, yaml.AliasEvent):
                self._take_alias(event.anchor)
            elif isinstance(event, yaml.ScalarEvent):
                value = self._scalar(event)
                self._take(value, 1 + len(event.value), event.anchor)
            elif isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent)):
                self._enter(event, is_list=isinstance(event, yaml.SequenceStartEvent))
            elif isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
                done = self._open.pop()
                for merged in done.merged:
                    done.value.update({key: merged[key] for key in merged if key not in done.value})
                self._take(done.value, done.size, done.anchor, is_counted=True)
        return self._value

    def _enter(self, event: Any, *, is_list: bool) -> None:
        if event.tag not in (_LISTS if is_list else _MAPS):
            _refuse(f"YAML of the type {excerpt(event.tag)} is not plain data", "type")
        if len(self._open) >= self._depth:
            _refuse(f"nested deeper than {self._depth} levels", "depth")
        self._named.pop(event.anchor, None)
        self._open.append(_Open([] if is_list else {}, event.anchor))

    def _take_alias(self, anchor: str) -> None:
        if anchor not in self._named:
            _refuse(f"YAML's alias {excerpt(anchor)} has no part before it")
        self._take(*self._named[anchor])

    def _take(self, value: Any, size: int, anchor: str | None = None, *, is_counted: bool = False) -> None:
        """Put a value into the list or mapping that is open."""
        is_key = bool(self._open) and isinstance(self._open[-1].value, dict) and self._open[-1].key is _KEY
        if value is _MERGE and not is_key:
            value = "<<"
        self._left -= 0 if is_counted else size
        if self._left < 0:
            _refuse("YAML that its aliases make too long", "bytes")
        if anchor is not None:
            self._named[anchor] = value, size
        if not self._open:
            self._value = value
            return
        last = self._open[-1]
        last.size += size
        if is_list(last.value):
            last.value.append(value)
        elif is_key:
            self._take_key(last, value)
        else:
            self._take_member(last, value)

    def _take_key(self, last: _Open, key: Any) -> None:
        if key is not _MERGE and type(key) is not str:
            _refuse(f"a key must be a text, not {excerpt(key)}", "key")
        if key in last.value:
            _refuse(f"two keys are named {excerpt(key)}", "duplicate-key")
        last.key = key

    def _take_member(self, last: _Open, value: Any) -> None:
        key, last.key = last.key, _KEY
        if key is not _MERGE:
            last.value[key] = value
            return
        merged: list[Any] = value if is_list(value) else [value]
        if not all(isinstance(each, dict) for each in merged):
            _refuse("<< merges mappings only", "type")
        last.merged += merged

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


def _text_of(encoded: str) -> str:
    data = b64decode(encoded)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return b64encode(data).decode()


def _refuse(msg: str, code: str = "syntax") -> NoReturn:
    raise DecodeError(msg, code=code)
