"""agentmsg in each format, through its public functions, as a user would call them."""

from __future__ import annotations

from typing import Any

import agentmsg as am
from benchmarks.competitors import Competitor
from benchmarks.peers import plain_data

__all__ = ["json", "langchain", "langchain_lc", "msgpack", "to_anthropic"]


def json(name: str, history: am.History) -> Competitor:
    """Return our canonical JSON."""
    return _ours(name, "json", am.dumps(history, "json"), plain_data.from_json)


def msgpack(name: str, history: am.History) -> Competitor:
    """Return our canonical MessagePack."""
    return _ours(name, "msgpack", am.dumps(history, "msgpack"), plain_data.from_msgpack)


def langchain(name: str, history: am.History) -> Competitor:
    """Return our LangChain codec, which reads langchain-core's document."""
    from benchmarks.peers.with_langchain import document

    am.get_codec("langchain")
    return _ours(name, "langchain", document(history), plain_data.from_json)


def langchain_lc(name: str, history: am.History) -> Competitor:
    """Return our codec for LangChain's envelopes, which reads langchain-core's document."""
    from benchmarks.peers.with_langchain import envelopes

    return _ours(name, "langchain-lc", envelopes(history), plain_data.from_json)


def to_anthropic(body: dict[str, Any]) -> dict[str, Any]:
    """Convert an OpenAI Chat body to Anthropic's; the loss report is made too."""
    # Messages alone are a document, too.
    document: dict[str, Any] = am.convert(body if "tools" in body else body["messages"], "openai", "anthropic").document
    return document


def _ours(name: str, codec: am.CodecName, raw: bytes, plain: Any) -> Competitor:
    return Competitor(
        name=name,
        raw=raw,
        decode=lambda data: am.loads(data, codec),
        encode=lambda objects: am.dumps(objects, codec),
        plain=plain,
    )
