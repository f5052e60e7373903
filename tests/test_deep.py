"""Deep documents: each is read and comes back exactly, or is refused when it is read."""

from __future__ import annotations

import json
import sys
import threading
from typing import TYPE_CHECKING, Any

import orjson
import pytest

import agentmsg as am
from agentmsg import codec_names, get_codec
from agentmsg.formats.spelling import same_document
from agentmsg.limits import AROUND, DEFAULT_LIMITS, USUAL
from agentmsg.values.depth import PROVABLE, written_within
from agentmsg.values.types import is_list, is_object
from data import WHOLE, effort, share
from support.timing import check_growth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from agentmsg.formats.codec import Codec

HISTORY = am.History([
    am.Msg("user", "Hello", metadata={"m": {"n": 1}}),
    am.Msg("assistant", [am.TextBlock("I look."), am.ToolUseBlock(id="c1", name="add", input={"a": 1})]),
    am.Msg("tool", [am.ToolResultBlock("c1", [am.TextBlock("2")])]),
])  # fmt: skip
QUICK = (3, 100, 112, *range(115, 132, 2), 200, 245, 253, 260)
LEVELS = QUICK if not WHOLE else sorted({*QUICK, *range(112, 134), *range(240, 257), 300})
MIDDLES: tuple[tuple[am.CodecName, ...], ...] = (("json", "msgpack"), ("msgpack", "json"))
each_codec = pytest.mark.parametrize("codec", [get_codec(name) for name in codec_names()], ids=lambda codec: codec.name)


def _nested(levels: int) -> Any:
    """Return alternating lists and objects, a list outermost."""
    value: Any = 1
    for level in range(levels):
        value = {"a": value} if (levels - level) % 2 == 0 else [value]
    return value


def _containers(value: Any) -> Iterator[Any]:
    """Yield the objects and lists of a document, the outer ones first."""
    if is_object(value) or is_list(value):
        yield value
        for item in value.values() if is_object(value) else value:
            yield from _containers(item)


def _with_deep_parts(document: Any, levels: int) -> Iterator[Any]:
    """Yield a document with something deep in each of its objects and lists in turn."""
    for index in range(len(list(_containers(document)))):
        changed = json.loads(json.dumps(document))
        place = list(_containers(changed))[index]
        if isinstance(place, dict):
            place["weird"] = _nested(levels)
        else:
            place.append(_nested(levels))
        yield changed


def _outcome(read: Callable[..., am.History], document: Any, codec: Any, **options: Any) -> am.History | str:
    try:
        return read(document, codec, **options)
    except am.DecodeError as error:
        return error.code


def _comes_back(history: am.History, codec: Codec, document: Any, middle: am.CodecName) -> None:
    """Check that a history gives its document again, directly and through a canonical form."""
    assert same_document(am.encode(history, codec), document)
    back = am.loads(am.dumps(history, middle), middle)
    assert am.same(back, history)
    assert same_document(am.encode(back, codec), document)


def _raw(codec: Codec, document: Any) -> bytes | None:
    """Return a document as bytes; None if it has more levels than the codec writes, or has no bytes."""
    if not codec.binary:
        return json.dumps(document).encode()
    try:
        return codec.render(document)
    except am.EncodeError:
        return None


def _check(codec: Codec, document: Any, also: str | None, middles: Iterable[am.CodecName]) -> str | None:
    """Check the outcome for a document, as an object and as bytes, and return its code if it is refused.

    What was read of each goes through its own canonical form, which are exchanged at each level.
    """
    read = _outcome(am.decode, document, codec)
    raw = _raw(codec, document)
    loaded = read if raw is None else _outcome(am.loads, raw, codec)
    for found, middle in zip((read, loaded), middles, strict=True):
        if isinstance(found, str):
            assert found in {"depth", also}
        else:
            _comes_back(found, codec, document, middle)
    if raw is not None and not isinstance(loaded, str):
        assert am.dumps(loaded, codec) == raw if codec.binary else json.loads(am.dumps(loaded, codec)) == document
    if raw is not None:
        assert isinstance(read, str) is isinstance(loaded, str)
    return read if isinstance(read, str) else None


@each_codec
def test_deep_documents_come_back_or_are_refused(codec: Codec) -> None:
    """Law 1: however deep, and wherever it is deep, a document comes back exactly or is refused when it is read."""
    document = am.encode(HISTORY, codec, losses=[])
    others = [_outcome(am.decode, changed, codec) for changed in _with_deep_parts(document, QUICK[0])]
    places = [code if isinstance(code, str) else None for code in others]
    assert places.count(None) > 2, "some parts may hold something else"
    for turn, levels in enumerate(LEVELS):
        tried = share(zip(_with_deep_parts(document, levels), places, strict=True), turn)
        codes = [_check(codec, *each, MIDDLES[turn % 2]) for each in tried]
        assert ("depth" in codes) <= (levels > 100), "usual documents are not too deep"
        may_be_deep = any(code is None for _, code in tried)
        assert ("depth" in codes) >= (may_be_deep and levels > DEFAULT_LIMITS.depth), levels


@each_codec
def test_deep_documents_cost_little(codec: Codec) -> None:
    """A long document that is deep in one place is read or refused in time that grows only with its length."""
    messages = [am.Msg("user", "Hello", metadata={"m": 1})] * 500

    def work(count: int) -> Callable[[], Any]:
        document = am.encode(am.History(messages[:count]), codec, losses=[])
        natives = codec.native_messages(document)
        part: Any = natives[-1]
        if is_list(part):
            part.append(_nested(125))
        else:
            part["weird"] = _nested(125)
        return lambda: _outcome(am.decode, document, codec)

    check_growth(work, (100, 400), 8, floor=0)


@each_codec
def test_bombs_are_refused_at_once(codec: Codec) -> None:
    """Documents of 100,000 levels are refused with code "depth", from any stack."""
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]

    def attempt(stack: int) -> None:
        if stack:
            return attempt(stack - 1)
        for document in (deep, [deep], {"messages": [{"role": "user", "content": deep}]}):
            assert _outcome(am.decode, document, codec) == "depth"
        return None

    for stack in (0, sys.getrecursionlimit() // 2):
        attempt(stack)


@pytest.mark.parametrize("levels", [118, 125, 200])
def test_deep_stacks_give_the_same_error(levels: int) -> None:
    """If the caller's stack leaves no room to compare, a deep document is refused with code "depth"."""
    document = [{"role": "user", "content": "x", "weird": _nested(levels)}]
    found: set[str] = set()

    def attempt(stack: int) -> None:
        if stack:
            attempt(stack - 1)
            return
        for codec in ("openai", "riffer", "json"):
            outcome = _outcome(am.decode, document, codec)
            found.add(outcome if isinstance(outcome, str) else "read")

    attempt(sys.getrecursionlimit() - 300)
    assert found <= {"read", "depth", "schema", "type", "required"}


def test_callers_set_the_bound() -> None:
    """A lower limit holds for the whole document; a raised one doesn't limit what can be written."""
    for levels in (10, USUAL, USUAL + 3, DEFAULT_LIMITS.depth - 1):
        document = [{"role": "user", "content": "x", "weird": _nested(levels - 2)}]
        limits = am.Limits(depth=levels)
        assert am.encode(am.decode(document, "riffer", limits=limits), "riffer") == document
        raw = json.dumps(document)
        assert json.loads(am.dumps(am.loads(raw, "riffer", limits=limits), "riffer")) == document
        less = am.Limits(depth=levels - 1)
        assert _outcome(am.decode, document, "riffer", limits=less) == "depth"
        assert _outcome(am.loads, raw, "riffer", limits=less) == "depth"
    deep = [{"role": "user", "content": "x", "weird": _nested(200)}]
    assert _outcome(am.decode, deep, "riffer") == "depth"
    assert len(am.decode(deep, "riffer", limits=am.Limits(depth=500))) == 1


def test_free_form_values_have_their_room() -> None:
    """Both canonical forms hold a value of 128 levels, with the blocks of the model around it."""
    history = am.History([am.Msg("user", [am.DataBlock(_nested(DEFAULT_LIMITS.depth))])])
    for name in ("json", "msgpack"):
        assert am.same(am.loads(am.dumps(history, name), name), history)
        assert am.same(am.decode(am.encode(history, name), name), history)


@pytest.mark.parametrize("depth", [1, 2, 119, 120, 253, 254])
@pytest.mark.parametrize("wide", [1, 16, 17, 400])
@pytest.mark.parametrize("size", [None, 0, 1_000_000])
def test_depth_is_proved_by_writing(depth: int, wide: int, size: int | None) -> None:
    """The writable values are exactly those that orjson writes, up to the bound, whatever their size and width."""
    for more, outer in ((0, list), (0, dict), (1, list), (1, dict)):
        inner = [0] * wide if depth + more == 1 else [_nested(depth + more - 1)] * wide
        value: Any = inner if outer is list else {str(key): item for key, item in enumerate(inner)}
        if more:
            with pytest.raises(TypeError):
                written_within(value, depth, size=size)
        else:
            assert written_within(value, depth, size=size) == orjson.dumps(value)


def test_threads_prove_depth_at_the_same_time() -> None:
    """Reused lists are never shared: each thread gets what it wrote."""
    wrong: list[object] = []

    def work(number: int) -> None:
        value = [[number] * 50] * 50
        wrong.extend(number for _ in range(effort(200)) if json.loads(written_within(value, USUAL)) != value)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_bounds_belong_together() -> None:
    """Usual documents stay below the bound of one value, and all of them below that of orjson."""
    assert DEFAULT_LIMITS.depth > USUAL
    assert DEFAULT_LIMITS.depth + AROUND == PROVABLE
