"""How much of a document a reader understood: what it read into the model, against what it kept unchanged.

A reader accepts more than its format has: unknown keys become extras, unknown blocks become NativeBlocks. So the model
itself tells a document of the format from one that merely resembles it. Every kind of thing counts once, however often
it occurs: a foreign key remains one foreign key in a long conversation.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import attrs

from agentmsg.model.base import Noted
from agentmsg.model.blocks import BaseBlock, NativeBlock
from agentmsg.model.generated import Made
from agentmsg.values.types import class_of, is_mapping, is_sequence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmsg.model.history import History

# The most entries to sample from a list, and how many of these are the first ones. The others are searched among this
# many near the start, and as many spread over the rest.
_MOST, _FIRST, _NEAR = 16, 8, 64
# Deeper than any format puts a block: everything below is a free-form value.
_DEPTH = 32
# Objects below the messages of any document keep this many keys.
_TOP, _WIDE = 6, 64
_NOTHING: tuple[Any, ...] = (None, (), "", {}, [], False)
# The score to reach, and the likeness from which a document has marks that only this format has.
BAR, OWN = 0.8, 0.9
# The score of anything that can be read, however little is understood.
_LEAST = 0.2
# In a clear document one block in this many may be native.
_RARE = 5
_PLAIN = frozenset({str, int, float, bool, type(None)})


def sampled(document: object) -> Any:
    """Return a small, plain copy of a document that shows its format as well as the whole.

    Lists are cut, see ``some_of``; free-form values are cut off if they are very deep or large.

    Raises:
        Exception: whatever a foreign object raises; TypeError if the document isn't plain data.
    """
    return _Sampler().copy(document, 0)


@attrs.define
class _Sampler:
    """Copies a document; ``left`` limits the objects and lists, so that even one that contains itself ends."""

    left: int = 8_000

    def copy(self, value: object, depth: int) -> Any:
        if type(value) in _PLAIN:
            return value
        self.left -= 1
        is_cut = depth > _DEPTH or self.left < 0
        if is_sequence(value):
            return [] if is_cut else [self.copy(item, depth + 1) for item in some_of(value)]
        if not is_mapping(value):
            msg = f"plain data has no {type(value).__name__}"
            raise TypeError(msg)
        items = islice(value.items(), 0 if is_cut else None if depth < _TOP else _WIDE)
        return {_key(key): self.copy(item, depth + 1) for key, item in items}


def _key(key: object) -> str:
    if type(key) is str:
        return key
    msg = "a key must be a string"
    raise TypeError(msg)


def some_of(values: list[Any]) -> list[Any]:
    """Return a few entries of a list: the first ones, and later ones that look different from those before them.

    A bounded number is examined, some of it spread over the whole.
    """
    if len(values) <= _MOST:
        return values
    step = max(1, (len(values) - _NEAR) // _NEAR)
    chosen = values[:_FIRST]
    seen = set(map(_shape, chosen))
    for value in (*values[_FIRST:_NEAR], *values[_NEAR::step][:_NEAR], values[-1]):
        shape = _shape(value)
        if shape not in seen and len(chosen) < _MOST:
            seen.add(shape)
            chosen.append(value)
    return chosen


def _shape(value: object) -> tuple[Any, ...]:
    """Return what distinguishes kinds of entries: keys, roles and types, and those of the parts."""
    if is_mapping(value):
        return tuple((key, _word(key, inner)) for key, inner in islice(value.items(), _MOST))
    if is_sequence(value):
        return tuple(map(type, value[:_MOST]))
    return (type(value),)


def _word(key: object, value: object) -> Any:
    if is_mapping(value):
        return tuple(islice(value, _MOST))
    if is_sequence(value):
        return tuple(frozenset(part) if is_mapping(part) else class_of(part) for part in value[:_FIRST])
    return value if key in ("role", "type") and isinstance(value, str) else type(value)


@attrs.frozen
class Understanding:
    """What a reader made of a document.

    Attributes:
        known: kinds of things that the model holds: fields of messages and blocks.
        unknown: keys that the reader merely kept, in document order.
        blocks: number of blocks.
        natives: number of blocks kept unchanged.
    """

    known: int
    unknown: tuple[str, ...]
    blocks: int
    natives: int

    @property
    def share(self) -> float:
        """The share of the document that is understood, from 0 to 1; kinds count, not numbers."""
        share = self.known / (self.known + len(self.unknown)) if self.unknown else 1.0
        return max(min(share, 0.5), _LEAST) if self.is_doubtful else share

    @property
    def is_doubtful(self) -> bool:
        """Whether most blocks are native, or at least as many keys are unknown as known."""
        return 2 * self.natives > self.blocks or len(self.unknown) >= max(self.known, 1)

    @property
    def is_clear(self) -> bool:
        """Whether almost no blocks are native, and most keys are known."""
        return _RARE * self.natives <= self.blocks and not self.is_doubtful


def score_of(likeness: float, read: Understanding, *, has_dialects: bool) -> float:
    """Return the score of a format for a document.

    Args:
        likeness: of the document's shapes, see ``Codec.likeness``.
        read: what the reader made of the document.
        has_dialects: see ``Codec``.
    """
    if likeness >= OWN and read.is_clear and not has_dialects:
        return likeness - (likeness - BAR) * (1 - read.share)
    return likeness * read.share**2


def understanding_of(history: History, family: str, kept: frozenset[str] = frozenset()) -> Understanding:
    """Return how much of the messages a reader understood; what is beside them, and their usage, don't count.

    Args:
        history: what was read.
        family: of the codec that read it.
        kept: keys and block types that the format has, but the model has no home for.
    """
    known: set[tuple[type[Any], str]] = set()
    unknown: dict[tuple[str, str], None] = {}
    blocks = natives = 0
    for obj in _objects(history.messages):
        blocks += isinstance(obj, BaseBlock)
        if isinstance(obj, NativeBlock) and obj.codec == family:
            if _tag(obj) not in kept:
                natives += 1
                unknown.update(dict.fromkeys(_native_keys(obj)))
        elif getattr(obj, "role", None) != "native":
            known.update((type(obj), name) for name in _filled(obj))
        unknown.update(dict.fromkeys((type(obj).__name__, key) for key, _ in _extras(obj, family)))
    names = dict.fromkeys(key for _, key in unknown if key not in kept)
    return Understanding(len(known), tuple(names), blocks, natives)


def _objects(parts: object) -> Iterator[Noted]:
    """Yield all model objects in some, outermost first."""
    waiting: list[Any] = [parts]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Noted):
            yield part
            waiting.extend(reversed([getattr(part, name) for name in _fields(type(part)) if name != "usage"]))
        elif class_of(part) is tuple:
            waiting.extend(reversed(part))


def extras_said(history: History, family: str) -> Iterator[tuple[str, Any]]:
    """Yield the keys of a family's extras in messages, with their values, that say something."""
    for obj in _objects(history.messages):
        yield from _extras(obj, family)


def _extras(obj: Noted, family: str) -> Iterator[tuple[str, Any]]:
    for extra, value in obj.extras.items():
        if extra == family or extra.startswith(f"{family}."):
            held: Any = value if is_mapping(value) else {extra: value}
            yield from ((key, each) for key, each in held.items() if each not in _NOTHING)


def _native_keys(block: NativeBlock) -> Iterator[tuple[str, str]]:
    value: Any = block.value
    keys: Any = value if is_mapping(value) else (f"a {type(value).__name__}",)
    yield from ((f"native {_tag(block)}", key) for key in keys)


def _tag(block: NativeBlock) -> str:
    tag: Any = block.value.get("type") if is_mapping(block.value) else None
    return tag if isinstance(tag, str) else ""


def _fields(cls: type[Any]) -> list[str]:
    return [field.name for field in attrs.fields(cls) if field.init and field.name not in ("extras", "notes")]


def _filled(obj: Noted) -> list[str]:
    """Return the names of the fields that say something."""
    said = [(name, getattr(obj, name)) for name in _fields(type(obj))]
    return [name for name, value in said if value not in _NOTHING and not isinstance(value, Made)]
