"""Recorded messages, usual and odd ones, beside each other. Imports recordings, data and timing.

A message is *usual* if the model has a field for all of its keys and it has its codec's spelling: it is read without
notes, extras and native blocks. Every other one is *odd*. To decide this, each native message is read alone. Then the
usual ones, the odd ones, and all of them are put into long lists, so that the cost of a document doesn't hide that of
a message; a format without lists (a response) is measured one by one.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, cast

import attrs

import agentmsg as am
from agentmsg.testing.mutations import owners
from benchmarks.timing import Case, Rounds, Times, copy_all, do_each, interleave

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmsg.formats.codec import Codec

__all__ = ["ALL", "MADE", "ODD", "USUAL", "Measured", "converts_to", "measure"]

USUAL, ODD, ALL, MADE = "usual", "odd", "all", "made"
# How many messages a list holds at most, and how many are measured at least.
_MANY, _LEAST = 50, 200
# Native codecs have notes and extras; the canonical ones write them.
_CANONICAL = ("json", "msgpack")


@attrs.frozen
class Measured:
    """The figures of one codec, by kind of messages.

    Attributes:
        counts: the number of recorded messages of each kind.
        refused: the number of documents that the codec refuses, such as recorded errors.
        times: by measure and kind, per message.
    """

    counts: dict[str, int]
    refused: int
    times: dict[str, dict[str, Times]]


def converts_to(codec: str) -> str:
    """Return the codec to which the recorded messages of another are converted."""
    return "anthropic" if codec.startswith("openai") else "openai"


def measure(name: str, documents: Iterable[Any], made: am.History, rounds: Rounds) -> Measured | None:
    """Return the times of reading, writing and converting per message; None if no message is read.

    Args:
        name: of the codec.
        documents: plain data; at most as many messages as in ``made`` are taken, evenly spread.
        made: a history that every codec writes; its lists are measured beside the recorded messages.
        rounds: of each timed case.
    """
    codec = am.get_codec(name)
    if name in _CANONICAL:
        return None
    read = [(document, _is_read(codec, document)) for document in documents]
    singles = [single for document, is_read in read if is_read for single in _singles(codec, document)]
    singles = singles[:: max(1, -(-len(singles) // len(made)))]
    kinds = [_kind(codec, single) for single in singles]
    chosen = {
        kind: [single for single, its in zip(singles, kinds, strict=True) if its == kind] for kind in (USUAL, ODD)
    }
    lists = {kind: _lists(codec, them) for kind, them in {**chosen, ALL: singles}.items() if them}
    if not lists:
        return None
    written = {kind: list(map(codec.render, them)) for kind, them in lists.items()}
    written[MADE] = _made(codec, made)
    counts = {kind: len(them) for kind, them in {**chosen, ALL: singles}.items() if them}
    return Measured(counts, sum(not is_read for _, is_read in read), _timed(codec, written, rounds))


def _singles(codec: Codec, document: Any) -> list[Any]:
    """Return documents of one message each; the document itself if its messages can't be alone."""
    alone = [[native] for native in codec.native_messages(document)]
    return alone if alone and all(_is_read(codec, single) for single in alone) else [document]


def _is_read(codec: Codec, document: Any) -> bool:
    """Whether a document is read and written again."""
    try:
        codec.write(am.decode(document, codec))
    except am.AgentMsgError:
        return False
    return True


def _kind(codec: Codec, single: Any) -> str:
    found = (owner for message in am.decode(single, codec) for owner in owners(message))
    is_odd = any(owner.notes or owner.extras or isinstance(owner, am.NativeBlock) for owner in found)
    return ODD if is_odd else USUAL


def _lists(codec: Codec, singles: list[Any]) -> list[Any]:
    """Return documents with the messages of others in long lists, if they were in lists of the same kind."""
    found: list[Any] = []
    alike: dict[str, list[Any]] = {}
    # Few are repeated: a list of one costs as much as a list of many. All as often, so that the mean stays the mean.
    for single in singles * -(-_LEAST // len(singles)):
        if isinstance(single, list):
            # What is noted of the whole list (its version, for one) tells which messages may stand in one.
            alike.setdefault(repr(am.decode(single, codec).notes), []).extend(cast("list[object]", single))
        else:
            found.append(single)
    for natives in alike.values():
        for first in range(0, len(natives), _MANY):
            found += _joined(codec, natives[first : first + _MANY])
    return found


def _joined(codec: Codec, natives: list[Any]) -> list[list[Any]]:
    """Return one list of messages; several if these don't fit together."""
    if len(natives) == 1 or _is_read(codec, natives):
        return [natives]
    half = len(natives) // 2
    return [*_joined(codec, natives[:half]), *_joined(codec, natives[half:])]


def _made(codec: Codec, history: am.History) -> list[bytes]:
    """Return a codec's output for a history, in documents as long as the lists."""
    if codec.name.endswith("-response"):
        parts = [am.History((message,)) for message in history if message.role == "assistant"]
    else:
        parts = [history[first : first + _MANY] for first in range(0, len(history), _MANY)]
    return [am.dumps(part, codec, on_loss="ignore") for part in parts]


def _timed(codec: Codec, written: dict[str, list[bytes]], rounds: Rounds) -> dict[str, dict[str, Times]]:
    read = partial(do_each, partial(am.loads, codec=codec))
    write = partial(do_each, partial(am.dumps, codec=codec))
    convert = partial(do_each, partial(am.convert, source=codec, target=am.get_codec(converts_to(codec.name))))
    counts = {kind: sum(map(len, read(raws))) for kind, raws in written.items()}
    cases = {
        "decode": {kind: Case(partial(copy_all, raws), read) for kind, raws in written.items()},
        "encode": {kind: Case(partial(read, raws), write) for kind, raws in written.items()},
        "convert": {kind: Case(partial(copy_all, raws), convert) for kind, raws in written.items()},
    }
    return {
        measured: {kind: spent.each(counts[kind]) for kind, spent in interleave(of_kinds, rounds).items()}
        for measured, of_kinds in cases.items()
    }
