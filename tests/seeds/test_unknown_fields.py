"""For all objects of the six formats of the seeds: unread keys are unknown fields, and every loss report is exact.

Only the object that writes a key knows it. A key of a sibling, of another generation, or misspelt has a meaning: it
is in the model, where loss reports show it, and never in a note.
"""

from __future__ import annotations

import random
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

import agentmsg as am
from agentmsg.formats.spelling import same_document
from agentmsg.testing import exact_return
from agentmsg.testing.systematic import PROBE, damages, hides
from agentmsg.values.types import is_list, is_object
from data import effort
from support.documents import documents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentmsg.formats.codec import Codec

SIX = ("agentscope", "agentscope-java", "arcaelas", "lionpride", "riffer", "synaptic")
# Every generation that a codec writes: a conversion into each has an exact loss report.
GENERATIONS: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in SIX),
    *((name, {"version": version}) for name in ("agentscope", "agentscope-java") for version in (1, 2)),
    ("arcaelas", {"version": 1}),
    ("riffer", {"version": "0.9"}),
]
SAMPLE = effort(600)
# Free-form values in one format or another: a key in them is no field.
FREE = frozenset(
    {"metadata", "node_metadata", "additional_kwargs", "response_metadata", "structured_output", "arguments", "input"}
)

each_codec = pytest.mark.parametrize("codec", [am.get_codec(name) for name in SIX], ids=SIX)


def objects(value: Any, *spot: str | int) -> Iterator[tuple[tuple[str | int, ...], dict[str, Any]]]:
    """Return all objects in a document with their paths, except free-form ones."""
    items: Iterable[tuple[Any, Any]] = enumerate(value) if is_list(value) else ()
    if is_object(value):
        yield spot, value
        items = value.items()
    for key, item in items:
        if key not in FREE:
            yield from objects(item, *spot, key)


def changed(value: Any, spot: tuple[str | int, ...], change: dict[str, Any]) -> Any:
    """Return a copy of a document with other values under some keys of the object at a path."""
    if not spot:
        return {**value, **change}
    copy = value.copy()
    copy[spot[0]] = changed(copy[spot[0]], spot[1:], change)
    return copy


@cache
def places(name: str) -> tuple[tuple[Any, tuple[str | int, ...]], ...]:
    """Return a place for each kind of object of a format, by its keys and tag, in the smallest document that has it."""
    found: dict[Any, tuple[Any, tuple[str | int, ...]]] = {}
    for _, document in sorted(documents(name), key=lambda pair: len(repr(pair[1]))):
        for spot, value in objects(document):
            kind = (frozenset(value), str(value.get("type")), str(value.get("role")))
            found.setdefault(kind, (document, spot))
    return tuple(found.values())


@cache
def vocabulary(name: str) -> tuple[str, ...]:
    """Return all keys of a format."""
    keys = {key for _, document in documents(name) for _, value in objects(document) for key in value}
    return tuple(sorted(keys | am.get_codec(name).content_keys))


@each_codec
@pytest.mark.parametrize("value", [PROBE, {"zq": PROBE}, [PROBE]], ids=["text", "object", "list"])
def test_every_key_at_every_object_is_read_or_an_unknown_field(codec: Codec, value: Any) -> None:
    """Any key of a format, in any object of it, ends up in the model, or the whole is refused."""
    rng = random.Random(1)
    kinds, keys = places(codec.name), vocabulary(codec.name)
    for _ in range(SAMPLE):
        document, spot = rng.choice(kinds)
        key = rng.choice(keys)
        history = exact_return(codec, changed(document, spot, {key: value}))
        assert history is None or not hides(history), f"{key} at {spot} of {document!r:.200}"


@each_codec
def test_damage_is_in_the_model(codec: Codec) -> None:
    """All values of a damaged document are in the model, or the whole is refused."""
    found = [damage for damage in damages(documents(codec.name)) if damage.probed]
    for damage in random.Random(2).sample(found, min(SAMPLE, len(found))):
        history = exact_return(codec, damage.document)
        assert history is None or not hides(history), damage.name


@pytest.mark.parametrize(("target", "options"), GENERATIONS, ids=str)
@pytest.mark.parametrize("source", SIX)
def test_what_is_restored_is_the_document(source: am.CodecName, target: str, options: dict[str, Any]) -> None:
    """A conversion into any generation, with its loss report on file, rebuilds the source document."""
    codec = am.get_codec(target, **options)
    rng = random.Random(3)
    found = [damage.document for damage in damages(documents(source))]
    golden = [document for _, document in documents(source)]
    for document in (*rng.sample(golden, min(4, len(golden))), *rng.sample(found, SAMPLE // 10)):
        try:
            converted = am.convert(document, source, codec)
        except am.DecodeError:
            continue
        output = am.decode(converted.document, codec)
        restored = am.restore(output, am.load_losses(am.dump_losses(converted.losses, output)))
        assert same_document(am.encode(restored, source), document), repr(document)[:300]
