"""detect, recognize: find a document's format.

Each codec scores a document; see ``Codec.sniff``. A format without rivals is raised to the bar if all that it doesn't
know is bookkeeping. ``recognize`` decides: the best score must reach the bar, and any format that scores nearly as
well must read the same. Among formats that read the same, the more common scores higher.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import attrs

from agentmsg.checking.strays import instead
from agentmsg.errors import AgentMsgError, DecodeError, NotUnderstood, excerpt
from agentmsg.formats.codec import Codec
from agentmsg.formats.natives import extras_of
from agentmsg.formats.refusals import is_raw
from agentmsg.formats.understanding import BAR, extras_said, sampled, understanding_of
from agentmsg.limits import DEFAULT_LIMITS, Limits, room_of
from agentmsg.registry import codecs, get_codec
from agentmsg.values.copies import copy_document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from agentmsg.formats.understanding import Understanding
    from agentmsg.model.history import History
    from agentmsg.model.msg import Msg
    from agentmsg_codecs import CodecName

# If a rival comes this close, what the two read is compared.
_CLOSE = 0.1
# The least score of a format that may be raised to the bar: it has no rival.
_LEAST = 0.4
_BOOKKEEPING = frozenset({
    "created", "createdAt", "created_at", "date", "id", "index", "message_id", "meta", "metadata", "time", "timestamp",
    "updatedAt", "updated_at", "uuid",
})  # fmt: skip
# The most unknown keys to name.
_NAMED = 6


def detect(document: Any, *, limits: Limits = DEFAULT_LIMITS) -> list[tuple[CodecName, float]]:
    """Return the formats that a document may have, each with a score from 0 to 1, best first.

    Below 0.8 a format is only a guess; ``recognize`` decides.

    Args:
        document: anything. Plain data, objects (see ``decode``), bytes and text may have a format; empty bytes have
            none.
        limits: bounds on what is read.

    Raises:
        DecodeError: if no codec can parse the bytes.
    """
    return cast("list[tuple[CodecName, float]]", list(_look(document, limits).scores))


def recognize(document: Any, *, limits: Limits = DEFAULT_LIMITS) -> CodecName:
    """Return the name of a document's format.

    Args:
        document: plain data or objects (see ``decode``), or bytes or text.
        limits: bounds on what is read.

    Raises:
        NotUnderstood: if no format scores 0.8, or if two formats score alike and read it differently; the message names
            the best guess and the keys that it doesn't know.
        DecodeError: if no codec can parse the bytes, or if they are empty.
    """
    return recognize_all((document,), limits=limits)


def recognize_all(documents: Iterable[Any], *, limits: Limits = DEFAULT_LIMITS) -> CodecName:
    """Return the one format of several documents; those without any don't count if others have one.

    Args:
        documents: as for ``recognize``.
        limits: bounds on what is read.

    Raises:
        NotUnderstood: as for ``recognize``; also if they have several formats.
        DecodeError: as for ``recognize``.
    """
    seen: list[_Look] = []
    trouble: AgentMsgError | None = None
    for document in documents:
        try:
            seen.append(_look(document, limits))
        except AgentMsgError as error:
            trouble = trouble or error.with_traceback(None)
    clear = [look for look in seen if look.best >= BAR]
    if clear:
        return cast("CodecName", _decided(clear))
    if trouble is not None and not any(look.scores for look in seen):
        raise trouble
    raise _not_understood(max(seen, key=lambda look: look.best, default=_NOTHING))


def doubt(document: Any, codec: str | Codec, *, limits: Limits = DEFAULT_LIMITS) -> str | None:
    """Return why a document can hardly have a format: most of it is read as native, or most keys are unknown.

    Returns:
        What the format doesn't know; None if there is no such doubt, or if the document can't be read at all.
    """
    chosen = get_codec(codec)
    try:
        tree = chosen.parse(document, room_of(limits), "last") if is_raw(document) else document
        read = chosen.understand(chosen.sample(tree))
    except Exception:  # noqa: BLE001 - whatever is wrong, reading tells
        return None
    return _unknown(read) if read.is_doubtful else None


@attrs.frozen(eq=False)
class _Look:
    """What is known of a document.

    Attributes:
        trees: the document as each codec parses it, by codec name.
        scores: of the formats that it may have, best first.
    """

    trees: dict[str, Any]
    scores: Sequence[tuple[str, float]]

    @property
    def best(self) -> float:
        return self.scores[0][1] if self.scores else 0.0


_NOTHING, _EMPTY = _Look({}, ()), _Look({}, ())


def _look(document: Any, limits: Limits) -> _Look:
    raw = is_raw(document)
    if raw and not (document if isinstance(document, str) else bytes(document)).strip():
        return _EMPTY
    if not raw and _asked(sampled, document, otherwise=None) is None:
        # Anything but plain data may come from a foreign SDK.
        with suppress(AgentMsgError, RecursionError):
            document = copy_document(document, room_of(limits).depth)
    scores: dict[str, float] = {}
    parsed: dict[Any, Any] = {}
    trees: dict[str, Any] = {}
    failure: AgentMsgError | None = None
    declared: str | None = None
    for name, codec in codecs():
        parser = type(codec).parse if raw else None
        if parser not in parsed:
            try:
                tree = codec.parse(document, room_of(limits), "last") if raw else document
                parsed[parser] = tree, _asked(sampled, tree, otherwise=None)
            except AgentMsgError as error:
                # Without the traceback: its frames include this one, which would keep the document alive.
                failure = failure or error.with_traceback(None)
                parsed[parser] = None
        if parsed[parser] is not None:
            trees[name], sample = parsed[parser]
            if sample is not None and _asked(codec.is_declared, sample, otherwise=False):
                declared = name
            takes_samples = type(codec).sample is Codec.sample and type(codec).sniff is Codec.sniff
            # The sample, shared by all codecs, rules out most formats.
            if not takes_samples or _asked(codec.likeness, sample, otherwise=0):
                scores[name] = _asked(_score, codec, sample if takes_samples else trees[name], otherwise=0.0)
    if failure is not None and not trees:
        raise failure
    if declared is not None:  # no other comes close
        scores = {name: min(score, 1 - 2 * _CLOSE) for name, score in scores.items()} | {declared: 1.0}
    look = _Look(trees, sorted((pair for pair in scores.items() if pair[1] > 0), key=_by_score))
    if not _leads(look):
        return look
    (name, _), *others = look.scores
    return _Look(trees, [(name, BAR), *others])


def _leads(look: _Look) -> bool:
    """Whether the best format has no rival and knows all of a document but its bookkeeping."""
    if not _LEAST <= look.best < BAR:
        return False
    name = look.scores[0][0]
    codec, tree = get_codec(name), look.trees[name]
    if any(2 * score > look.best and _read_differently(look, name, rival) for rival, score in look.scores[1:]):
        return False
    history = _sample_read(codec, tree)
    if history is None or _likeness(codec, tree) < BAR:
        return False
    if "type" in extras_of(history, codec.family):  # an event that holds messages
        return False
    if not understanding_of(history, codec.family, codec.kept).is_clear:
        return False
    return all(map(_is_bookkeeping, extras_said(history, codec.family)))


def _is_bookkeeping(entry: tuple[str, Any]) -> bool:
    """Whether an unknown key tells nothing about the conversation: an id, a time, a number, or a flag."""
    key, value = entry
    return key in _BOOKKEEPING or type(value) in (bool, int, float)


def _asked(ask: Callable[..., Any], *given: Any, otherwise: Any) -> Any:
    """Return what a codec says of a document: ours never raise; a foreign one must not keep others from being found."""
    try:
        return ask(*given)
    except Exception:  # noqa: BLE001 - whatever a foreign codec, or a foreign object, raises
        return otherwise


def _score(codec: Codec, tree: Any) -> float:
    return min(max(codec.sniff(tree), 0.0), 1.0)


def _by_score(pair: tuple[str, float]) -> tuple[float, str]:
    return -pair[1], pair[0]


# -- deciding ---------------------------------------------------------------------------------------------------------


def _decided(looks: Sequence[_Look]) -> str:
    """Return the format of several documents, each of which has one: the one that reads them best.

    Raises:
        NotUnderstood: if they have several.
    """
    means = _means(looks)
    name, score = means[0]
    if score < BAR:
        found = " and ".join(sorted({look.scores[0][0] for look in looks}))
        msg = f"these documents have several formats: {found}"
        raise NotUnderstood(msg, guesses=[guess for guess, _ in means], is_mixed=True)
    is_sure = any(_is_certain(look, name) for look in looks)
    for rival, other in means[1:]:
        if other < score - _CLOSE or (is_sure and not any(_is_certain(look, rival) for look in looks)):
            continue
        shared = [look for look in looks if name in dict(look.scores)]
        # What can't read a document that the other reads is no rival.
        is_rival = all(rival in dict(look.scores) for look in shared)
        if is_rival and any(_read_differently(look, name, rival) for look in shared):
            msg = f"this may be {name} or {rival}, which read it differently"
            raise NotUnderstood(msg, guesses=(name, rival))
    return name


def _is_certain(look: _Look, name: str) -> bool:
    """Whether no other format has the shapes of a document."""
    return _likeness(get_codec(name), look.trees.get(name)) == 1


def _likeness(codec: Codec, tree: Any) -> float:
    found: float = _asked(lambda: codec.likeness(codec.sample(tree)), otherwise=0.0)
    return found


def _means(looks: Sequence[_Look]) -> list[tuple[str, float]]:
    """Return the mean score of each format, best first.

    A format that is the best for some documents scores as high as the best for those that it reads as well.
    """
    leading = {look.scores[0][0] for look in looks}
    own: dict[str, float] = {}
    raised: dict[str, float] = {}
    for look in looks:
        best, most = look.scores[0]
        for name, score in look.scores:
            is_alike = score < most and name in leading and _reads_as_well(look, name, best)
            own[name] = own.get(name, 0.0) + score
            raised[name] = raised.get(name, 0.0) + (most if is_alike else score)
    # Of two that read all the same, the more common one has the higher scores of its own.
    ranked = sorted(raised.items(), key=lambda pair: (-pair[1], -own[pair[0]], pair[0]))
    return [(name, total / len(looks)) for name, total in ranked]


def _reads_as_well(look: _Look, name: str, best: str) -> bool:
    """Whether a format reads the same messages of a document as another, and knows as many of their keys."""
    if _read_differently(look, best, name):
        return False
    shares = (get_codec(codec) for codec in (name, best))
    own, others = (codec.understand(codec.sample(look.trees[codec.name])).share for codec in shares)
    return own >= others


def _read_differently(look: _Look, name: str, rival: str) -> bool:
    """Whether two formats read a document as different messages."""
    one, other = (_sample_read(get_codec(codec), look.trees[codec]) for codec in (name, rival))
    if one is None or other is None or len(one) != len(other):
        return True
    return not all(_says(mine) == _says(theirs) for mine, theirs in zip(one, other, strict=True))


def _sample_read(codec: Codec, tree: Any) -> History | None:
    try:
        return codec.read(codec.sample(tree))
    except (AgentMsgError, RecursionError):
        return None


def _says(message: Msg) -> tuple[Any, ...]:
    """Return the words of a message, ignoring spelling and everything beside them."""
    return message.role, *(attrs.evolve(block, extras={}, notes={}) for block in message.content)


def _not_understood(look: _Look) -> DecodeError:
    if look is _EMPTY:
        return DecodeError("an empty document has no format", code="syntax")
    guesses = [name for name, _ in look.scores]
    if not guesses:
        return NotUnderstood(_instead(look) or "no format is recognised")
    name, score = look.scores[0]
    codec, unknown = get_codec(name), tuple[str, ...]()
    try:
        read = codec.understand(codec.sample(look.trees[name]))
        unknown, why = read.unknown, _unknown(read)
    except (AgentMsgError, RecursionError) as error:
        why = f"it refuses {error}"
    msg = _instead(look) or f"no format is recognised; the closest is {name} ({score:.2f}){why and ': '}{why}"
    return NotUnderstood(msg, guesses=guesses, unknown=unknown)


def _instead(look: _Look) -> str | None:
    """Return what a document is, if it is part of a stream or a provider's error."""
    samples = (_asked(sampled, tree, otherwise=None) for tree in look.trees.values())
    told = next(filter(None, (instead(sample, None) for sample in samples)), None)
    return None if told is None else told.message


def _unknown(read: Understanding) -> str:
    """Return what a reader didn't know, in words; empty if it knew everything."""
    more = f" and {len(read.unknown) - _NAMED} more" if len(read.unknown) > _NAMED else ""
    named = ", ".join(excerpt(key)[1:-1] for key in read.unknown[:_NAMED])
    keys = [f"unknown keys {named}{more}"] if named else []
    natives = [f"{read.natives} of {read.blocks} blocks are unknown"] if read.natives else []
    return "; ".join(keys + natives)
