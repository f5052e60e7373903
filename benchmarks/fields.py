"""Histories as fields of pydantic models, beside the same bodies as pydantic's own models. Imports data and timing.

Two bodies: 20 messages in the canonical form, and an OpenAI request with 20 messages. All read them from plain data
and from JSON, through pydantic, and write them again, after a check that nothing is lost.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any

import attrs

import agentmsg as am
from benchmarks.conversations import support_chat
from benchmarks.data import mixed_history
from benchmarks.peers import plain_data
from benchmarks.timing import Case, Rounds, Times, copy_bytes, interleave

__all__ = ["MEASURES", "OURS", "TAGGED", "UNIONS", "measure"]

OURS, TAGGED, UNIONS = "agentmsg", "pydantic, tagged unions", "pydantic, plain unions"
MEASURES = ("validate", "validate json", "dump", "dump json")
_LENGTH = 20
# One body is too short for the clock.
_BODIES = 25


@attrs.frozen
class _Peer:
    """A reader and writer of a body: its type, and the fields to leave out of a dump to get that body."""

    adapter: Any
    leave_out: Mapping[str, bool]


def measure(rounds: Rounds) -> tuple[int, dict[str, dict[str, Times]]]:
    """Return the number of messages of each run, and the times by measure and row.

    Raises:
        ImportError: without pydantic.
    """
    found: dict[str, dict[str, Times]] = {name: {} for name in MEASURES}
    for body, (document, peers) in _bodies().items():
        raw = json.dumps(document, ensure_ascii=False).encode()
        cases = {name: _cases(peer, raw) for name, peer in peers.items()}
        for name in MEASURES:
            times = interleave({f"{body}: {who}": mine[name] for who, mine in cases.items()}, rounds)
            found[name].update(times)
    return _LENGTH * _BODIES, found


def _cases(peer: _Peer, raw: bytes) -> dict[str, Case]:
    """Return the timed cases of one reader and writer of a body, by measure."""
    value = peer.adapter.validate_json(raw)
    assert plain_data.from_json(_dump_json(peer, value)) == plain_data.from_json(raw), f"{peer} lost something"
    values = partial(_copies, lambda: value)
    return {
        "validate": Case(partial(_copies, partial(json.loads, raw)), _each(peer.adapter.validate_python)),
        "validate json": Case(partial(_copies, partial(copy_bytes, raw)), _each(peer.adapter.validate_json)),
        "dump": Case(values, _each(partial(_dump, peer))),
        "dump json": Case(values, _each(partial(_dump_json, peer))),
    }


def _bodies() -> dict[str, tuple[Any, dict[str, _Peer]]]:
    """Return the bodies by name, each with its readers."""
    from pydantic import TypeAdapter

    from benchmarks.peers import with_pydantic, with_pydantic_chat

    canonical = am.encode(mixed_history(_LENGTH), "json")
    chat = {"model": "gpt-5", "messages": support_chat()}
    as_openai: Any = Annotated[am.History, am.As("openai")]
    unset = {"exclude_unset": True}
    return {
        "canonical": (
            canonical,
            {
                OURS: _Peer(TypeAdapter(am.History), {}),
                TAGGED: _Peer(TypeAdapter(with_pydantic.History), unset),
            },
        ),
        "openai": (
            chat,
            {
                OURS: _Peer(TypeAdapter(as_openai), {}),
                TAGGED: _Peer(TypeAdapter(with_pydantic_chat.Tagged), unset),
                UNIONS: _Peer(TypeAdapter(with_pydantic_chat.Untagged), unset),
            },
        ),
    }


def _dump(peer: _Peer, value: Any) -> Any:
    # Times are texts in the body; pydantic's models write them so in this mode only.
    return peer.adapter.dump_python(value, mode="json", **peer.leave_out)


def _dump_json(peer: _Peer, value: Any) -> bytes:
    raw: bytes = peer.adapter.dump_json(value, **peer.leave_out)
    return raw


def _copies(make: Callable[[], Any]) -> list[Any]:
    return [make() for _ in range(_BODIES)]


def _each(work: Callable[[Any], Any]) -> Callable[[list[Any]], list[Any]]:
    return lambda given: [work(each) for each in given]
