"""The short ways to canonical bytes give the same as the long ones: times by orjson, arrays packed level by level."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import msgpack
import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.formats import speed
from agentmsg.testing import histories
from agentmsg.values.frozen import FrozenDict, adopt, thaw
from agentmsg.values.types import class_of
from agentmsg_codecs.canonical.fields import SPECS
from agentmsg_codecs.json import JsonCodec
from agentmsg_codecs.msgpack import MsgpackCodec
from benchmarks.data import mixed_history

_LIBRARY: Any = msgpack  # it ships no types

pytestmark = pytest.mark.codec("json", "msgpack")

_OFFSETS = st.timedeltas(timedelta(hours=-23, minutes=-59), timedelta(hours=23, minutes=59)).map(timezone)
_ZONES = st.none() | st.just(UTC) | st.timezones() | _OFFSETS
_WHOLE = st.datetimes(timezones=_ZONES).map(lambda time: time.replace(microsecond=0))
_TIMES = (st.datetimes(timezones=_ZONES) | _WHOLE).flatmap(lambda time: st.sampled_from((time, time.replace(fold=1))))


def _made(time: datetime) -> datetime:
    return time.replace(tzinfo=UTC, fold=1)


@given(time=_TIMES | _TIMES.map(_made))
@example(datetime(1, 1, 1))
@example(datetime(9999, 12, 31, 23, 59, 59, 999999))
@example(datetime.min.replace(tzinfo=UTC))
@example(datetime.max.replace(tzinfo=timezone(timedelta(0), "GMT")))
@example(datetime(999, 12, 31, 23, 59, 59, 1, tzinfo=UTC, fold=1))
def test_times_are_written_as_isoformat_has_them(time: Any) -> None:
    """The bytes of any time are its isoformat, in both codecs, alone or among others."""
    message = am.Msg("user", (am.TextBlock("hi"),), id="m", created_at=time)
    text = message.created_at.isoformat() if message.created_at is not None else None
    for history in (am.History((message,)), am.History((message, message))):
        codec = JsonCodec()
        raw = codec.to_bytes(history)
        assert raw == orjson.dumps(thaw(codec.write(history)))
        assert [native["created_at"] for native in orjson.loads(raw)["messages"]] == [text] * len(history)
        packed = _LIBRARY.unpackb(MsgpackCodec().to_bytes(history))
        assert [native[3] for native in packed[1]] == [text] * len(history)


@given(history=histories())
def test_arrays_are_packed_as_plain_ones(history: am.History) -> None:
    """The bytes of any history, and of the same read again, are those of its plain document."""
    codec = MsgpackCodec()
    raw = codec.to_bytes(history)
    try:
        assert raw == _LIBRARY.packb(thaw(codec.write(history)))
    except OverflowError:
        assert b"\xc7" in raw or b"\xd8" in raw  # an extension: an integer beyond 64 bits
    assert codec.to_bytes(am.loads(raw, "msgpack")) == raw


def test_the_history_of_the_benchmarks_is_packed_as_a_plain_one() -> None:
    """A usual history has the bytes of its plain document, before and after it was read."""
    codec, history = MsgpackCodec(), mixed_history(60)
    raw = codec.to_bytes(history)
    assert raw == _LIBRARY.packb(thaw(codec.write(history)))
    assert codec.to_bytes(am.loads(raw, "msgpack")) == raw


# One value of each kind for each field that may be absent.
_VALUES: dict[str, Any] = {
    "text": "x",
    "mapping": {"k": 1},
    "json": [1],
    "truth": True,
    "whole": 3,
    "number": 0.5,
    "embedding": (0.5,),
    "time": datetime(2026, 1, 1, tzinfo=UTC),
    "citations": (am.Citation(url="u"),),
    "blocks": (am.TextBlock("t"),),
}
_OBJECTS = {
    am.CacheHint: am.CacheHint(),
    am.Signature: am.Signature("anthropic", "s"),
    am.Usage: am.Usage(input=1),
}
_LEAST: tuple[Any, ...] = (
    am.TextBlock("t"),
    am.ImageBlock(am.URLSource("u")),
    am.ToolUseBlock("c", "f", {}),
    am.ToolResultBlock("c"),
    am.Usage(),
    am.Msg("user", (), id=None, created_at=None),
)
_CASES = [
    (least, field.name, _OBJECTS[field.of] if field.kind == "object" else _VALUES[field.kind])
    for least in _LEAST
    for field in SPECS[type(least)].fields
    if field.kind in _VALUES or field.of in _OBJECTS
    if field.name not in ("raw_input", "text")
]


@pytest.mark.parametrize("codec", [JsonCodec(), MsgpackCodec()], ids=lambda codec: codec.name)
@pytest.mark.parametrize(("least", "name", "value"), _CASES, ids=[f"{type(c[0]).__name__}.{c[1]}" for c in _CASES])
def test_each_field_is_told_beside_the_usual_ones(least: Any, name: str, value: Any, codec: Any) -> None:
    """An object with one more field is written and read as on the plain path, whichever field it is."""
    engine: Any = codec.engine
    cls = class_of(least)
    engine.fill()
    read, write = engine.plain_hooks(cls)
    for one in (least, least.evolve(**{name: value})):
        written = engine.write_any(one)
        assert written == write(one)
        assert am.same(engine.read_one(cls, thaw(written), 0), read(thaw(written), 0))
        assert am.same(engine.read_one(cls, thaw(written), 0), one)


def test_what_is_packed_is_not_looked_at() -> None:
    """Packing doesn't freeze anything inside values that are still unused."""
    value = adopt({"a": {"b": [1]}, "c": [{}]})
    assert MsgpackCodec().render([1, value]) == _LIBRARY.packb([1, {"a": {"b": [1]}, "c": [{}]}])
    inside: Any = dict
    assert [type(item) for item in inside.values(value)] == [dict, list]


@pytest.mark.parametrize(
    "value", [FrozenDict({"a": [{"b": 1}]}), adopt({"a": [1]}), FrozenDict({"a": [1]})["a"], adopt([{}])]
)
def test_one_level_is_a_copy(value: Any) -> None:
    """One level of a frozen value is an equal plain value, which can change without changing the other."""
    copy = speed.one_level(value)
    assert type(copy) in (dict, list)
    assert copy == value
    copy.clear()
    assert value


@pytest.mark.parametrize("value", [(1, 2), {1}, object(), 1, None, datetime(2026, 1, 1, tzinfo=UTC)])
def test_one_level_takes_values_of_the_model_only(value: Any) -> None:
    """Anything but a frozen container or a text has no level."""
    with pytest.raises(TypeError, match="is no value of the model"):
        speed.one_level(value)


class _Entries(dict[str, Any]):
    pass


class _Number(int):
    pass


@pytest.mark.parametrize("value", [(1, [2]), _Entries(a=1), _Number(3), {"a": (1, _Entries())}, 2**70, "text", b"raw"])
def test_documents_of_others_are_packed_too(value: Any) -> None:
    """Tuples, subclasses and big integers in a caller's document are packed as before."""
    raw = MsgpackCodec().render([1, value])
    if value == 2**70:
        assert raw == _LIBRARY.packb([1, _LIBRARY.ExtType(1, str(value).encode())])
    else:
        assert raw == _LIBRARY.packb([1, value])


@pytest.mark.parametrize(
    ("value", "code"), [({1}, "type"), ("\ud800", "surrogate"), (datetime(2026, 1, 1, tzinfo=UTC), "type")]
)
def test_what_cannot_be_packed_is_refused(value: Any, code: str) -> None:
    """Values that MessagePack can't hold are refused with one typed error."""
    with pytest.raises(am.EncodeError) as caught:
        MsgpackCodec().render([1, value])
    assert caught.value.code == code


def test_only_times_of_ours_are_written() -> None:
    """A time that a user's hook puts into a document is refused, as in plain data, and isn't written silently."""
    codec = JsonCodec()

    def write(block: am.TextBlock) -> dict[str, object]:
        return {"type": "text", "text": datetime(2026, 1, 1, tzinfo=UTC)}

    codec.engine.converter.register_unstructure_hook(am.TextBlock, write)
    with pytest.raises(am.EncodeError):
        am.dumps(am.History(["x"]), codec)
