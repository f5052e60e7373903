"""Times of messages are plain: whoever goes by the exact type takes them."""

from __future__ import annotations

import datetime as dt
import json
import sqlite3
import warnings
from contextlib import closing
from typing import TYPE_CHECKING, Any

import orjson
import pytest
import yaml  # type: ignore[import-untyped]
from pydantic import TypeAdapter

import agentmsg as am
from data import some
from support.documents import documents

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Given(dt.datetime):
    """A time of another library."""


_GIVEN = _Given(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC)


def _objects() -> Iterator[Any]:
    yield from (am.Msg.user("x"), am.Msg("user"), am.Msg.user("x").clone(), am.Msg.user("x").to_builder().build())
    yield from am.History.of("x", {"role": "user", "content": "y"}) + "z"
    yield from (am.Msg.user("x", created_at=_GIVEN), am.Msg.user("x").evolve(created_at=_GIVEN))
    yield from (am.MsgChunk(created_at=_GIVEN), *am.chunks_of(am.Msg.assistant("x"), size=1))


@pytest.mark.parametrize("owner", [each for each in _objects() if each.created_at is not None])
def test_every_library_takes_a_time(owner: Any) -> None:
    """orjson, SQLite, YAML and pydantic take the time of whatever has one."""
    time = owner.created_at
    assert type(time) is dt.datetime
    assert time.tzinfo is dt.UTC
    text = time.isoformat()
    assert orjson.loads(orjson.dumps(time)) == text
    assert yaml.safe_load(yaml.safe_dump([time])) == [time]
    assert json.loads(TypeAdapter(dt.datetime).dump_json(time)) == text.replace("+00:00", "Z")
    with closing(sqlite3.connect(":memory:")) as database, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python's own adapter of times
        assert database.execute("select ?", (time,)).fetchone() == (time.isoformat(" "),)


@pytest.mark.parametrize("name", am.codec_names())
def test_times_that_were_read_are_plain(name: am.CodecName) -> None:
    """However a document spelt its times."""
    times = [message.created_at for _, document in some(documents(name), 40) for message in am.decode(document, name)]
    assert {type(time) for time in times} <= {type(None), dt.datetime}
