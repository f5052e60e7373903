"""The participants: the class of competitors, and the one table of all of them, by format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module, metadata
from typing import Any

import attrs

import agentmsg as am

__all__ = ["TABLE", "Competitor", "Missing", "enter", "version"]


@attrs.frozen(kw_only=True)
class Competitor:
    """One library that reads and writes one format.

    Attributes:
        name: for the report.
        raw: the document that it reads: the same history for all, in its own dialect if it has one.
        decode: bytes to objects.
        encode: objects to bytes.
        plain: bytes to plain data, to check that all did the same work.
    """

    name: str
    raw: bytes
    decode: Callable[[bytes], Any]
    encode: Callable[[Any], bytes]
    plain: Callable[[bytes], Any]


@attrs.frozen
class Missing:
    """A competitor that can't take part, and the reason."""

    name: str
    why: str


# By format: the names in the report, and where the function is that makes the competitor of a history.
TABLE: Mapping[str, Mapping[str, str]] = {
    "json": {
        "agentmsg": "benchmarks.ours:json",
        "msgspec": "benchmarks.peers.with_msgspec:json",
        "pydantic": "benchmarks.peers.with_pydantic:json",
        "mashumaro": "benchmarks.peers.with_mashumaro:json",
        "cattrs": "benchmarks.peers.with_cattrs:json",
        "orjson": "benchmarks.peers.plain_data:json",
    },
    "msgpack": {
        "agentmsg": "benchmarks.ours:msgpack",
        "msgspec": "benchmarks.peers.with_msgspec:msgpack",
        "msgpack": "benchmarks.peers.plain_data:msgpack",
    },
    "langchain": {
        "agentmsg": "benchmarks.ours:langchain",
        "langchain-core": "benchmarks.peers.with_langchain:langchain",
    },
    "langchain-lc": {
        "agentmsg": "benchmarks.ours:langchain_lc",
        "langchain-core": "benchmarks.peers.with_langchain:langchain_lc",
    },
}


def enter(name: str, home: str, history: am.History) -> Competitor | Missing:
    """Return a competitor that has read the history, or the reason for having none."""
    module, _, attribute = home.partition(":")
    try:
        competitor: Competitor = getattr(import_module(module), attribute)(name, history)
    except ImportError as error:
        return Missing(name, f"not installed ({error})")
    except am.CodecLookupError as error:
        return Missing(name, str(error))
    return competitor


def version(distribution: str) -> str:
    """Return the version of an installed distribution, or "not installed"."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "not installed"
