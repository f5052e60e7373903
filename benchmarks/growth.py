"""A history that grows by one message at a time and is written whole each time; and lines that were read before.

Beside msgspec, plain and with caches that its users can build: ``msgspec.Raw`` for messages encoded before, and a dict
of lines decoded before. First a check: all must write, and read, the same. Last comes the worst case for caches:
nothing that is written or read comes again.
"""

from __future__ import annotations

from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

import orjson

import agentmsg as am
from benchmarks.competitors import Missing
from benchmarks.data import mixed_history
from benchmarks.peers import plain_data
from benchmarks.section import Scale, Section, joined, two
from benchmarks.timing import Case, Times, copy_all, do_each, interleave

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["AGAIN", "GROW", "RAW", "READ_ONCE", "REMEMBERED", "WRITE_ONCE", "growth_section"]

FIRST, LAST = 10, 110
GROW, AGAIN, WRITE_ONCE, READ_ONCE = "grow", "read again", "write once", "read once"
REMEMBERED, GROWN, RAW, FLOOR = "agentmsg, remember", "agentmsg, grown", "msgspec, cached", "orjson, plain dicts"
# So many messages, or lines, are remembered.
_MANY = 1000


def growth_section(scale: Scale) -> Section:
    """Measure a step of a history that grows, and lines that were read before."""
    raw = am.dumps(mixed_history(LAST), "json")
    growing = _ours(raw)
    reading = _our_lines(raw)
    missing: tuple[Missing, ...] = ()
    try:
        growing |= _theirs(raw)
        reading |= _their_lines(raw)
    except ImportError as error:
        missing = (Missing("msgspec", f"not installed ({error})"),)
    times = {
        GROW: _checked(growing, scale),
        AGAIN: _checked(reading, scale),
        WRITE_ONCE: interleave(_written_once(raw), scale.rounds),
        READ_ONCE: interleave(_read_once(raw), scale.rounds),
    }
    steps = {GROW: LAST - FIRST, AGAIN: LAST, WRITE_ONCE: LAST, READ_ONCE: LAST}
    rows = joined(*(two(measure, runs, steps[measure]) for measure, runs in times.items()))
    title = f"A history that grows from {FIRST} to {LAST} messages, written at each step; lines that were read before"
    return Section(title, rows, missing, times)


def _checked(cases: Mapping[str, Case], scale: Scale) -> dict[str, Times]:
    """Time cases that give the same values."""
    made = {name: list(map(_plain, case.run(case.fresh()))) for name, case in cases.items()}
    for name, values in made.items():
        assert values == made["agentmsg"], f"{name} made something else"
    return interleave(cases, scale.rounds)


def _plain(value: Any) -> Any:
    """Return the written or read value as plain data."""
    if isinstance(value, bytes):
        return plain_data.from_json(value)
    if isinstance(value, am.History):
        return _plain(am.dumps(value, "json"))
    if isinstance(value, dict):
        return _plain(orjson.dumps(value))
    from msgspec import json

    return _plain(json.encode(value))


def _ours(raw: bytes) -> dict[str, Case]:
    def grow(messages: list[am.Msg]) -> list[bytes]:
        history = am.History(messages[:FIRST])
        written: list[bytes] = []
        for message in messages[FIRST:]:
            history += [message]
            written.append(am.dumps(history, "json"))
        return written

    def fresh() -> list[am.Msg]:
        return list(am.loads(raw, "json"))

    return {"agentmsg": Case(fresh, grow)}


def _theirs(raw: bytes) -> dict[str, Case]:
    import msgspec

    from benchmarks.peers.with_msgspec import History, Msg

    encode = msgspec.json.Encoder().encode

    class Envelope(msgspec.Struct, frozen=True):
        agentmsg: int
        messages: list[msgspec.Raw]

    def fresh() -> list[Msg]:
        return list(msgspec.json.decode(raw, type=History).messages)

    def grow(messages: list[Msg]) -> list[bytes]:
        return [encode(History(agentmsg=1, messages=tuple(messages[:end]))) for end in range(FIRST + 1, LAST + 1)]

    def grow_raw(messages: list[Msg]) -> list[bytes]:
        known = [msgspec.Raw(encode(message)) for message in messages[:FIRST]]
        written: list[bytes] = []
        for message in messages[FIRST:]:
            known.append(msgspec.Raw(encode(message)))
            written.append(encode(Envelope(1, known)))
        return written

    return {"msgspec": Case(fresh, grow), RAW: Case(fresh, grow_raw)}


def _new(numbers: Iterator[int], raw: bytes) -> bytes:
    """Return a new document, none of whose messages was ever used."""
    return raw.replace(b'"msg_', b'"msg_%d_' % next(numbers))


def _written_once(raw: bytes) -> dict[str, Case]:
    fresh = partial(_read_new, count(), raw)
    grown = partial(_grown_new, count(), raw)
    write = partial(am.dumps, codec="json")
    return {"agentmsg": Case(fresh, write), GROWN: Case(grown, write)}


def _grown_new(numbers: Iterator[int], raw: bytes) -> am.History:
    history = _read_new(numbers, raw)
    return history[:-1].extended(history[-1])


def _read_new(numbers: Iterator[int], raw: bytes) -> am.History:
    return am.loads(_new(numbers, raw), "json")


def _read_once(raw: bytes) -> dict[str, Case]:
    lines, numbers = _lines(raw), count()
    known = am.get_codec("json", remember=_MANY)

    def fresh() -> list[bytes]:
        return [_new(numbers, line) for line in lines]

    return {
        "agentmsg": Case(fresh, partial(do_each, partial(am.loads, codec="json"))),
        REMEMBERED: Case(fresh, partial(do_each, partial(am.loads, codec=known))),
    }


def _lines(raw: bytes) -> list[bytes]:
    """Return one document for each message, as in a log."""
    return [am.dumps(am.History([message]), "json") for message in am.loads(raw, "json")]


def _our_lines(raw: bytes) -> dict[str, Case]:
    lines = _lines(raw)
    known = am.get_codec("json", remember=_MANY)
    do_each(partial(am.loads, codec=known), lines)
    fresh = partial(copy_all, lines)
    return {
        "agentmsg": Case(fresh, partial(do_each, partial(am.loads, codec="json"))),
        REMEMBERED: Case(fresh, partial(do_each, partial(am.loads, codec=known))),
        FLOOR: Case(fresh, partial(do_each, orjson.loads)),
    }


def _their_lines(raw: bytes) -> dict[str, Case]:
    import msgspec

    from benchmarks.peers.with_msgspec import History

    lines = _lines(raw)
    decode: Callable[[bytes], Any] = msgspec.json.Decoder(History).decode
    known: dict[bytes, Any] = {line: decode(line) for line in lines}

    def read(line: bytes) -> Any:
        found = known.get(line)
        if found is None:
            found = known[line] = decode(line)
        return found

    fresh = partial(copy_all, lines)
    return {"msgspec": Case(fresh, partial(do_each, decode)), RAW: Case(fresh, partial(do_each, read))}
