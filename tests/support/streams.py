"""Recorded streams of providers, and their recorded responses, which are streams when they are unfolded."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import is_list
from agentmsg.formats.events import events_of
from agentmsg.testing import folded, read_live
from data import shared_dir
from support.documents import documents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["PROVIDERS", "folded", "read_live", "recorded_streams", "response_of", "responses", "transcoded_to"]

PROVIDERS: tuple[am.CodecName, ...] = ("anthropic", "openai", "openai-responses", "gemini", "bedrock", "vercel-ui")
# Messages that no UI message stream brings: those of version 4, and what applications add to parts.
_UNBROUGHT = ("vercel_ui_v4", "rows of databases")
_FOLDERS: dict[str, am.CodecName] = {
    "anthropic": "anthropic", "openai_chat": "openai", "openai_responses": "openai-responses", "gemini": "gemini",
}  # fmt: skip


@cache
def recorded_streams() -> tuple[tuple[am.CodecName, str, bytes], ...]:
    """Return all recorded streams: the provider, a name, and what its server sent."""
    corpus = shared_dir() / "corpus"
    paths: list[tuple[am.CodecName, Path]] = [
        (codec, path) for folder, codec in _FOLDERS.items() for path in (corpus / folder).glob("*.sse")
    ]
    return tuple((codec, path.stem, path.read_bytes()) for codec, path in sorted(paths))


def response_of(provider: str) -> Any:
    """Return the name of the codec of a provider's responses."""
    return events_of(am.get_codec(provider)).response


@cache
def responses(provider: str) -> list[tuple[str, Any, am.Msg]]:
    """Return the recorded responses of an assistant, with what they read as."""
    found: list[tuple[str, Any, am.Msg]] = []
    for name, document in _ui_messages() if provider == "vercel-ui" else documents(response_of(provider)):
        messages = am.decode(document, response_of(provider)).messages
        if messages and messages[0].role == "assistant":
            found.append((name, document, messages[0]))
    return found


def _ui_messages() -> Iterator[tuple[str, Any]]:
    """Yield the messages of assistants as a stream brings them: a text is complete, and reasoning has an id.

    Of an invalid call of earlier versions the input is where today's have it; one that is cut is a text.
    """
    for name, document in documents("vercel-ui"):
        held: Any = document if is_list(document) else document.get("messages", [document])
        for place, message in enumerate(held):
            if message["role"] != "assistant" or any(word in name for word in _UNBROUGHT):
                continue
            parts = [_brought(part, number) for number, part in enumerate(message["parts"])]
            yield f"{name}/{place}", [{**message, "parts": parts}]


def _brought(part: Any, number: int) -> Any:
    state, tag = part.get("state"), part["type"]
    if tag in ("text", "reasoning"):
        named = {"id": str(number)} if tag == "reasoning" else {}
        return {**named, "state": "done", **part}
    if state == "input-streaming" and "input" in part:
        value = part["input"] if isinstance(part["input"], str) else json.dumps(part["input"], separators=(",", ":"))
        return {key: value for key, value in part.items() if key != "input"} | {"rawInput": value}
    if "rawInput" in part and part.get("input") is None:
        return {"input" if key == "rawInput" else key: value for key, value in part.items()}
    return part


def transcoded_to(events: Iterable[Any], provider: am.CodecName, target: am.CodecName) -> list[Any]:
    """Return the events of another provider."""
    return list(am.transcode(events, provider, target))
