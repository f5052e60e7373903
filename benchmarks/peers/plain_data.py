"""The floor: parsers alone, without objects of a model. Nothing built on them can be faster."""

from __future__ import annotations

from typing import Any

import msgpack as _msgpack
import orjson

import agentmsg as am
from benchmarks.competitors import Competitor

__all__ = ["from_json", "from_msgpack", "json", "msgpack"]

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
