"""Times: one text, whoever writes it, and no time that nobody asked for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.values.text import dump_json, time_text
from agentmsg_codecs.json import JsonCodec

ZONES = st.one_of(
    st.none(),
    st.just(UTC),
    st.timezones(),
    st.timedeltas(timedelta(hours=-23), timedelta(hours=23)).map(timezone),
)


@given(st.datetimes(timezones=ZONES, allow_imaginary=False), st.booleans())
def test_times_have_one_text(moment: datetime, is_whole: bool) -> None:
    """Whoever writes it, a time is what ``isoformat`` says: in any zone, naive, and to the microsecond."""
    moment = moment.replace(microsecond=0) if is_whole else moment
    assert time_text(moment) == moment.isoformat()
    history = am.History([am.Msg("user", "x", id="m", created_at=moment)])
    told = history[0].created_at
    assert told is not None
    assert am.dumps(history, "json").count(told.isoformat().encode()) == 1
    assert am.dumps(history, "json") == dump_json(am.encode(history, "json"))
    assert am.same(am.loads(am.dumps(history, "json"), "json"), history)
    assert am.same(am.loads(am.dumps(history, "msgpack"), "msgpack"), history)


def test_only_times_of_ours_are_written() -> None:
    """A time that a hook of yours puts into a document is refused, as in plain data, and isn't written in silence."""
    codec = JsonCodec()

    def write(block: am.TextBlock) -> dict[str, object]:
        return {"type": "text", "text": datetime(2026, 1, 1, tzinfo=UTC)}

    codec.engine.converter.register_unstructure_hook(am.TextBlock, write)
    with pytest.raises(am.EncodeError):
        am.dumps(am.History(["x"]), codec)
