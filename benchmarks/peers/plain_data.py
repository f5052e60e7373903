"""The floor: parsers alone, without objects of a model. Nothing built on them can be faster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgpack as _msgpack
import orjson

import agentmsg as am
from benchmarks.competitors import Competitor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["STREAMS", "from_json", "from_msgpack", "json", "msgpack"]

packer: Any = _msgpack  # ships no types


def from_json(raw: bytes) -> Any:
    """Return JSON as plain data, with one spelling of UTC."""
    return orjson.loads(raw.replace(b'Z"', b'+00:00"'))


def from_msgpack(raw: bytes) -> Any:
    """Return MessagePack as plain data."""
    return packer.unpackb(raw)


def json(name: str, history: am.History) -> Competitor:
    """Return orjson on plain dicts and lists."""
    raw = am.dumps(history, "json")
    return Competitor(name=name, raw=raw, decode=orjson.loads, encode=orjson.dumps, plain=from_json)


def msgpack(name: str, history: am.History) -> Competitor:
    """Return msgpack on plain lists."""
    raw = am.dumps(history, "msgpack")
    return Competitor(name=name, raw=raw, decode=packer.unpackb, encode=packer.packb, plain=from_msgpack)


def _lines(pieces: list[bytes]) -> list[Any]:
    """Return the events of a stream whose frames are as plain as can be, all at once."""
    return [orjson.loads(line[6:]) for line in b"".join(pieces).split(b"\n") if line.startswith(b"data: {")]


STREAMS: Mapping[str, Callable[[list[Any]], Any]] = {"frames openai": _lines, "frames anthropic": _lines}
