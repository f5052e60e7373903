"""The short ways of ``langchain-lc`` and ``langchain`` for bytes, compared with their careful ones, the reference."""

from __future__ import annotations

import itertools
import json
import random
from typing import TYPE_CHECKING, Any

import attrs
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.errors import AgentMsgError
from agentmsg.fitting.fit import fit
from agentmsg.formats.spelling import same_document
from agentmsg.limits import AROUND, DEFAULT_LIMITS, Limits
from agentmsg.testing import edit, histories, mutate
from agentmsg.values.frozen import plain_copy, thaw
from agentmsg.values.text import UNUSUAL, dump_json, parse_json
from agentmsg.values.trusted_text import is_shallow, parse_undoubted
from agentmsg_codecs.langchain import LangChainCodec
from agentmsg_codecs.langchain.lc import LangChainLcCodec
from agentmsg_codecs.langchain.messages.quick_read import take
from benchmarks.data import mixed_history
from benchmarks.peers.with_langchain import document, envelopes
from data import effort
from support.careful import NoShortWays, without_fast
from support.documents import documents
from support.langchain_natives import MARKED, PLACES, USUAL, ai, call, human, spelt, tool

if TYPE_CHECKING:
    from collections.abc import Callable

MUTANTS = effort(400)
DEEPEST = DEFAULT_LIMITS.depth + AROUND
ROOM = Limits(depth=DEEPEST)


class CarefulLc(NoShortWays, LangChainLcCodec):
    """Envelopes read and written carefully."""


class Careful(NoShortWays, LangChainCodec):
    """Other forms of messages read and written carefully."""


def _bodies_only(codec: Any) -> Any:
    """Return a codec that reads usual messages fast, but from flat bodies only; see tests/test_langchain_fast.py."""
    codec.engine.fill()
    if isinstance(codec, LangChainLcCodec):
        codec._envelopes.fast_readers.clear()
    return codec


def _careful(codec: Any) -> Any:
    """Return a codec that reads and writes nothing fast."""
    if isinstance(codec, LangChainLcCodec):
        codec._envelopes.fast_writers.clear()
    return without_fast(_bodies_only(codec))


@attrs.frozen
class Way:
    """A form of messages, and its readers: fast, fast except for bytes, and careful."""

    form: str
    fast: Any
    bodies: Any
    careful: Any

    def of(self, native: dict[str, Any]) -> dict[str, Any]:
        """Return the message of an envelope in this form."""
        return spelt(self.form, native)

    def takes(self, native: dict[str, Any]) -> bool:
        """Whether the short way takes a message, given as an envelope."""
        self.fast.engine.fill()
        read = self.fast._envelopes._fast_read if self.form == "envelope" else self.fast.engine.proving[self.form]
        return read(self.of(native)) is not None

    # -- comparisons ------------------------------------------------------------------------------------------------

    def read_alike(self, raw: bytes, careful: am.Codec | None = None, **options: Any) -> bool:
        """Check that bytes are read the same in both ways; return whether they are read."""
        quick = _read(self.fast, raw, **options)
        assert same_document(quick, _read(careful or self.careful, raw, **options)), raw
        return not isinstance(quick, list)

    def agree(self, document: Any, **options: Any) -> bool:
        """Check that bytes are read the same in both ways, and written the same; return whether they are read."""
        raw = document if isinstance(document, bytes) else dump_json(document)
        is_read = self.read_alike(raw, **options)
        if is_read:
            self.written_alike(am.loads(raw, self.fast, **options))
        return is_read

    def written_alike(self, history: am.History) -> None:
        """Check that a history has the same bytes in both ways."""
        fitted = fit(history, self.fast).history
        raw = self.fast.to_bytes(fitted)
        assert raw == self.fast.render(self.fast.write(fitted))
        assert same_document(parse_json(raw), parse_json(self.careful.to_bytes(fit(history, self.careful).history)))


ENVELOPES = Way("envelope", LangChainLcCodec(), _bodies_only(CarefulLc()), _careful(CarefulLc()))
DICTS = Way("dict", LangChainCodec(), _bodies_only(Careful()), _careful(Careful()))
WAYS = (ENVELOPES, DICTS, attrs.evolve(DICTS, form="flat"))
each_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.form)


def _read(codec: am.Codec, raw: bytes, **options: Any) -> Any:
    """Return everything known about a read history, notes included, or the words, code and path of the refusal."""
    try:
        return plain_copy(thaw(am.encode(am.loads(raw, codec, **options), "json")), DEEPEST)
    except AgentMsgError as error:
        return [error.message, error.code, *error.path]


# -- reading ----------------------------------------------------------------------------------------------------------


@each_way
@pytest.mark.parametrize("native", USUAL)
def test_both_ways_agree_on_usual_messages(native: Any, way: Way) -> None:
    """What the short way takes is read like in the careful way, alone, before and after others."""
    own = way.of(native)
    for natives in ([own], [way.of(human()), own, way.of(ai())], own, {"messages": [own]}):
        way.agree(natives)


@each_way
@pytest.mark.parametrize("place", PLACES)
def test_both_ways_agree_on_what_looks_like_envelopes(place: str, way: Way) -> None:
    """Any objects in user data are read, escaped and written as in the careful way."""
    for value in MARKED.values():
        assert way.agree([way.of(human()), way.of(PLACES[place](value)), way.of(ai())])


@pytest.mark.parametrize(("way", "codec"), [(ENVELOPES, "langchain-lc"), (DICTS, "langchain")])
def test_both_ways_agree_on_golden_and_recorded_documents(way: Way, codec: str) -> None:
    """Every golden and recorded document is read the same in both ways."""
    assert all(way.agree(document) for _, document in documents(codec))


@each_way
def test_both_ways_agree_on_mutants(way: Way) -> None:
    """The same, for almost usual messages."""
    rng = random.Random(8)
    natives = list(map(way.of, USUAL))
    read = 0
    for _ in range(MUTANTS):
        read += way.agree(mutate(plain_copy(rng.sample(natives, 3)), rng))
    assert read > MUTANTS // 4


@pytest.mark.parametrize(("way", "written"), [(ENVELOPES, envelopes), (DICTS, document)])
def test_most_usual_messages_take_the_short_way(way: Way, written: Callable[[am.History], bytes]) -> None:
    """Usual messages written by langchain-core are read without the careful way, as a whole."""
    natives = orjson.loads(written(mixed_history(60)))
    way.fast.engine.fill()
    read = way.fast._envelopes._fast_read if way is ENVELOPES else way.fast.engine.proving["dict"]
    assert len(take(natives, read)) == 60
    assert natives == []


@pytest.mark.parametrize("forms", list(itertools.permutations(("dict", "flat", "role"), 2)), ids="-".join)
def test_a_list_may_change_its_form(forms: tuple[str, str]) -> None:
    """The form of a history is that of its first message, and the others note theirs."""
    spellings = {"role": {"role": "user", "content": "x"}, "dict": DICTS.of(human()), "flat": spelt("flat", human())}
    first, second = (spellings[form] for form in forms)
    for natives in ([first, second], [first, second, first], [second, first, first]):
        assert DICTS.agree(natives)
        assert same_document(am.encode(am.loads(dump_json(natives), DICTS.fast), "langchain"), natives)


@each_way
@pytest.mark.parametrize("text", [r'{"\u006cc": 1}', r'{"a": {"__lc_escape\u0064__": {"lc": 1}}}'])
def test_spelling_hides_no_key(text: str, way: Way) -> None:
    """A key spelt with escapes is the same key."""
    raw = orjson.dumps([way.of(human(additional_kwargs={"k": "HERE"}))]).replace(b'"HERE"', text.encode())
    assert way.agree(raw)


@each_way
@pytest.mark.parametrize("style", [{}, {"indent": 2}, {"separators": (",", ":")}, {"ensure_ascii": False}])
def test_the_style_of_the_text_does_not_matter(style: dict[str, Any], way: Way) -> None:
    """JSON is read the same however it is written."""
    natives = [way.of(native) for native in (human("naïve “x”"), ai("", call({"ü": 1e300})), *USUAL[:4])]
    raw = json.dumps(natives, **style).encode()
    assert way.agree(raw)
    assert same_document(_read(way.fast, raw), _read(way.fast, orjson.dumps(natives)))


@each_way
@pytest.mark.parametrize("digits", ["12345678901234567890123", "1" * 400, "1" * 5000, "9223372036854775808", "1e400"])
@pytest.mark.parametrize("place", PLACES)
def test_no_number_is_rounded(place: str, digits: str, way: Way) -> None:
    """Integers of any size are exact in any place, or refused in the same words."""
    raw = orjson.dumps([way.of(human()), way.of(PLACES[place]({"n": "HERE"}))])
    way.agree(raw.replace(b'"HERE"', digits.encode()))


@each_way
@pytest.mark.parametrize("place", PLACES)
def test_depth_is_bounded(place: str, way: Way) -> None:
    """However deep user data is, it is read or refused in the same words."""
    raw = orjson.dumps([way.of(human()), way.of(PLACES[place]({"n": "HERE"}))])
    for levels in (90, 120, 198, 240, *range(243, 256), 1000, 2000):
        # Values beyond the default depth aren't compared with the careful way.
        careful = way.careful if levels <= DEFAULT_LIMITS.depth - 8 else way.bodies
        way.read_alike(raw.replace(b'"HERE"', b"[" * levels + b"]" * levels), careful)


@each_way
@pytest.mark.parametrize("place", PLACES)
def test_wide_data_is_not_deep(place: str, way: Way) -> None:
    """User data with many brackets is read as in the careful way, and in the short way."""
    native = PLACES[place]({"rows": [{"n": index} for index in range(300)]})
    assert way.agree([way.of(human()), way.of(native)])
    values: list[dict[str, Any]] = [{"n": 1}, {"rows": [[]] * 300}]
    narrow, wide = (way.takes(PLACES[place](value)) for value in values)
    assert narrow is wide


@each_way
@pytest.mark.parametrize("limits", [Limits(depth=6), Limits(depth=300), Limits(bytes=400)])
def test_limits_hold(limits: Limits, way: Way) -> None:
    """The caller's limits hold in both ways."""
    raw = orjson.dumps([way.of(human(additional_kwargs={"n": "HERE"}))])
    for levels in (1, 3, 250, 290):
        way.read_alike(raw.replace(b'"HERE"', b"[" * levels + b"]" * levels), way.bodies, limits=limits)


@each_way
def test_duplicate_keys_are_refused_where_asked(way: Way) -> None:
    """A duplicate key is an error if the caller wants that, else the last one counts."""
    raw = orjson.dumps([way.of(human("HERE"))]).replace(b'"HERE"', b'"a","content":"b"')
    assert way.agree(raw)
    assert not way.agree(raw, duplicates="error")


@each_way
@pytest.mark.parametrize("raw", [b"", b"[", b"[]", b"{}", b"null", b"[1]", b"[[]]", b"\xff", b'[{"lc":1}]', b"[NaN]"])
def test_what_is_no_list_of_messages_is_told_the_same(raw: bytes, way: Way) -> None:
    """Errors come from the careful way."""
    way.agree(raw)


@each_way
def test_an_error_has_its_place(way: Way) -> None:
    """An error after usual messages has its index."""
    with pytest.raises(am.DecodeError) as caught:
        am.loads(orjson.dumps([way.of(human()), way.of(ai()), {"x": 1}]), way.fast)
    assert caught.value.path == (2,)


@given(st.binary(max_size=30) | st.text(max_size=30).map(lambda text: json.dumps(text).encode()))
def test_undoubted_texts_are_parsed_as_others(raw: bytes) -> None:
    """A text parsed without doubt has the value that the careful parser returns."""
    value = parse_undoubted(raw, ROOM)
    if value is not UNUSUAL:
        assert same_document([value], [parse_json(raw)])


def test_doubted_texts_are_left_to_the_careful_parser() -> None:
    """A text with a number that could be rounded, or with a limited depth, isn't parsed in the short way."""
    assert parse_undoubted(b"[1]", ROOM) == [1]
    assert parse_undoubted(b"[1234567890123456789]", ROOM) is UNUSUAL
    assert parse_undoubted(b"[1]", Limits(depth=9)) is UNUSUAL
    assert parse_undoubted(b"[1]", Limits(bytes=2)) is UNUSUAL
    assert is_shallow(parse_undoubted(b"[" * DEEPEST + b"]" * DEEPEST, ROOM))
    assert not is_shallow(parse_undoubted(b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1), ROOM))
    assert is_shallow([], DEEPEST - 1)
    assert not is_shallow([], DEEPEST)


def test_an_odd_message_does_not_stop_the_others() -> None:
    """Keys around an unusual envelope, or around a list of envelopes, are read all the same."""
    inner = [human("}, {"), human()]
    graph: dict[str, Any] = {**human(), "graph": {}}
    odd = [_envelope_of(1), tool(artifact=inner), ai("", call({"a": inner})), graph, human(inner)]
    for native in odd:
        for natives in ([native, human(), ai()], [human(), native, ai()], [human(), ai(), native], [native, native]):
            for separators in ((",", ":"), (", ", ": "), (",", ": ")):
                assert ENVELOPES.agree(json.dumps(natives, separators=separators).encode())


def _envelope_of(number: int) -> dict[str, Any]:
    return {"lc": 1, "type": "not_implemented", "id": ["a", "B"], "repr": f"B({number})"}


# -- writing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", [ENVELOPES, DICTS], ids=lambda way: way.form)
@given(history=histories())
def test_both_ways_write_the_same(history: am.History, way: Way) -> None:
    """The bytes of any history are those of its document."""
    way.written_alike(history)


@each_way
def test_edited_messages_are_written_alike(way: Way) -> None:
    """The same, for read and edited histories."""
    rng = random.Random(9)
    for place in PLACES.values():
        for value in MARKED.values():
            history = am.loads(orjson.dumps([way.of(human()), way.of(place(value))]), way.fast)
            way.written_alike(edit(history, rng))
            way.written_alike(history.evolve(extras={}, notes={}))
            way.written_alike(am.History([*history, am.Msg.user("x", metadata={"k": value})]))
