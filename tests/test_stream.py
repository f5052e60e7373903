"""Chunks: they add up, associatively, in linear time; an accumulator is their sum; snapshots only grow."""

from __future__ import annotations

import pickle
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.stream.accumulator import PARTIAL
from agentmsg.testing import chunks, json_values, messages
from agentmsg.values.types import is_mapping, is_sequence
from support.timing import check_growth

if TYPE_CHECKING:
    from collections.abc import Callable

EMPTY = am.MsgChunk()


def call(index: int | str | None, text: str, id: str | None = None, name: str = "") -> am.MsgChunk:
    """Return a chunk with a piece of a call."""
    return am.MsgChunk(parts=[am.ChunkPart(am.ToolUseBlock(id, name, raw_input=text), index)])


def said(text: str, index: int | str | None = None, **fields: Any) -> am.MsgChunk:
    """Return a chunk with a text."""
    return am.MsgChunk(parts=[am.ChunkPart(am.TextBlock(text, **fields), index)])


def outcome(make: Any) -> Any:
    """Return the result of a sum, or the code of its error."""
    try:
        return make()
    except am.InvalidMessage as error:
        return error.code


def agree(a: Any, b: Any) -> bool:
    """Whether two sums are the same chunk, or the same error."""
    return a == b if isinstance(a, str) or isinstance(b, str) else am.same(a, b)


# -- the sum ----------------------------------------------------------------------------------------------------------


@given(chunks(), chunks(), chunks())
def test_sum_is_associative(a: am.MsgChunk, b: am.MsgChunk, c: am.MsgChunk) -> None:
    """It doesn't matter which of three chunks are added first, nor who adds them."""
    left = outcome(lambda: (a + b) + c)
    assert agree(left, outcome(lambda: a + (b + c)))
    assert agree(left, outcome(lambda: am.MsgChunk.joined([a, b, c])))
    assert agree(left, outcome(lambda: sum([a, b, c], EMPTY)))


@given(chunks())
def test_empty_chunk_is_identity(chunk: am.MsgChunk) -> None:
    """Adding the empty chunk, on either side, changes nothing."""
    assert am.same(EMPTY + chunk, chunk)
    assert am.same(chunk + EMPTY, chunk)


@given(st.lists(chunks(), max_size=6), st.data())
def test_any_grouping_gives_the_same_sum(found: list[am.MsgChunk], data: st.DataObject) -> None:
    """A stream may be cut into runs anywhere: the sum of their sums is the sum."""
    cuts = sorted(data.draw(st.lists(st.integers(0, len(found)), max_size=3)))
    runs = [found[start:end] for start, end in pairwise([0, *cuts, len(found)])]
    whole = outcome(lambda: am.MsgChunk.joined(found))
    assert agree(whole, outcome(lambda: am.MsgChunk.joined(am.MsgChunk.joined(run) for run in runs)))


@given(chunks(), chunks())
def test_sum_changes_neither_side(a: am.MsgChunk, b: am.MsgChunk) -> None:
    """Chunks are values: adding to one leaves it unchanged."""
    before = pickle.dumps((a, b))
    outcome(lambda: a + b)
    assert pickle.dumps((a, b)) == before


ROWS: dict[str, tuple[list[am.MsgChunk], am.MsgChunk]] = {
    "role": ([EMPTY, am.MsgChunk("user"), am.MsgChunk("user")], am.MsgChunk("user")),
    "first words": (
        [am.MsgChunk(id="a", model=""), am.MsgChunk(id="b", name="n", model="m")],
        am.MsgChunk(id="a", name="n", model="m"),
    ),
    "neighbours": ([said("a"), said("b")], said("ab")),
    "other class between": (
        [said("a"), am.MsgChunk(parts=[am.ThinkingBlock("t")]), said("b")],
        am.MsgChunk(parts=[am.TextBlock("a"), am.ThinkingBlock("t"), am.TextBlock("b")]),
    ),
    "calls between neighbours": (
        [said("a"), call(0, "{}", "c", "f"), call(None, "", "d", "g"), said("x", 0), said("b")],
        am.MsgChunk(
            parts=[
                am.TextBlock("ab"),
                *call(0, "{}", "c", "f").parts,
                *call(None, "", "d", "g").parts,
                *said("x", 0).parts,
            ]
        ),
    ),
    "index joins over others": (
        [said("a", 0), said("x", 1), said("b", 0)],
        am.MsgChunk(parts=[am.ChunkPart(am.TextBlock("ab"), 0), am.ChunkPart(am.TextBlock("x"), 1)]),
    ),
    "index of another class": (
        [said("a", 0), am.MsgChunk(parts=[am.ChunkPart(am.ThinkingBlock("t"), 0)])],
        am.MsgChunk(parts=[am.ChunkPart(am.TextBlock("a"), 0), am.ChunkPart(am.ThinkingBlock("t"), 0)]),
    ),
    "calls without index": (
        [call(None, "{"), call(None, "}")],
        am.MsgChunk(parts=[*call(None, "{").parts, *call(None, "}").parts]),
    ),
    "call by index": ([call(0, '{"a"', "c", "f"), call(0, ": 1}", "c", "f")], call(0, '{"a": 1}', "c", "f")),
    "another id is another call": (
        [call(0, "{", "c", "f"), call(0, "[", "d", "g"), call(0, "]"), call(0, "", "d")],
        am.MsgChunk(parts=[*call(0, "{", "c", "f").parts, *call(0, "[]", "d", "g").parts]),
    ),
    "input of a call that goes on as text": (
        [am.MsgChunk(parts=[am.ChunkPart(am.ToolUseBlock("c", "f"), 0)]), call(0, '{"a":'), call(0, "1}")],
        call(0, '{"a":1}', "c", "f"),
    ),
    "signature and citations": (
        [
            said("a", signature=am.Signature("p", "x"), citations=[am.Citation(url="1")]),
            said("b", signature=am.Signature("p", "y"), citations=[am.Citation(url="2")]),
        ],
        said("ab", signature=am.Signature("p", "xy"), citations=[am.Citation(url="1"), am.Citation(url="2")]),
    ),
    "usage": (
        [am.MsgChunk(usage=am.Usage(input=1, output=2)), am.MsgChunk(usage=am.Usage(output=3))],
        am.MsgChunk(usage=am.Usage(input=1, output=5)),
    ),
    "last": (
        [am.MsgChunk(finish_reason="stop"), am.MsgChunk(finish_reason="length")],
        am.MsgChunk(finish_reason="length"),
    ),
    "done": ([am.MsgChunk(done=True), EMPTY], am.MsgChunk(done=True)),
    "metadata": (
        [
            am.MsgChunk(metadata={"a": {"x": [1], "n": None}, "s": "p"}),
            am.MsgChunk(metadata={"a": {"x": [2], "n": 1}, "s": "q"}),
        ],
        am.MsgChunk(metadata={"a": {"x": [1, 2], "n": 1}, "s": "q"}),
    ),
    "metadata of other kinds": (
        [
            am.MsgChunk(metadata={"a": [1], "b": {}}),
            am.MsgChunk(metadata={"a": 5, "b": "x"}),
            am.MsgChunk(metadata={"a": [2]}),
        ],
        am.MsgChunk(metadata={"a": [1, 2], "b": {}}),
    ),
    "result": (
        [
            am.MsgChunk("tool", [am.ChunkPart(am.ToolResultBlock("c", "a", artifact={"k": 1}, status="error"), 0)]),
            am.MsgChunk("tool", [am.ChunkPart(am.ToolResultBlock("c", "b", artifact={"l": 2}, status="success"), 0)]),
        ],
        am.MsgChunk(
            "tool", [am.ChunkPart(am.ToolResultBlock("c", "ab", artifact={"k": 1, "l": 2}, status="error"), 0)]
        ),
    ),
}


@pytest.mark.parametrize("row", list(ROWS))
def test_rules(row: str) -> None:
    """Each field is joined by its rule."""
    given_chunks, expected = ROWS[row]
    assert am.same(sum(given_chunks, EMPTY), expected)


def test_two_roles_are_refused() -> None:
    """A chunk of another role is refused with a typed error, and an accumulator stays unchanged."""
    acc = am.Accumulator([am.MsgChunk("assistant", "a")])
    with pytest.raises(am.InvalidMessage) as caught:
        acc.add(am.MsgChunk("user", "b", usage=am.Usage(input=1)))
    assert (caught.value.code, caught.value.path) == ("schema", ("role",))
    assert acc.chunk == am.MsgChunk("assistant", "a")


def test_refused_usage_leaves_nothing_behind() -> None:
    """A chunk whose usage can't be added isn't accepted, not even its role."""
    acc = am.Accumulator([am.MsgChunk(usage=am.Usage(cost=1.7e308))])
    with pytest.raises(am.InvalidMessage):
        acc.add(am.MsgChunk("user", "b", usage=am.Usage(cost=1.7e308)))
    assert acc.chunk == am.MsgChunk(usage=am.Usage(cost=1.7e308))


def test_what_is_no_chunk_is_refused() -> None:
    """Only chunks add up."""
    with pytest.raises(am.InvalidMessage, match="a chunk is needed"):
        am.Accumulator().add(am.Msg.user("x"))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        EMPTY + "x"  # type: ignore[operator]


BAD: dict[str, tuple[Any, tuple[str | int, ...]]] = {
    "index true": (lambda: am.ChunkPart(am.TextBlock("a"), True), ("index",)),
    "index float": (lambda: am.ChunkPart(am.TextBlock("a"), 1.0), ("index",)),  # type: ignore[arg-type]
    "index of too many digits": (lambda: am.ChunkPart(am.TextBlock("a"), 10**5000), ("index",)),
    "index surrogate": (lambda: am.ChunkPart(am.TextBlock("a"), "\ud800"), ("index",)),
    "no block": (lambda: am.MsgChunk(parts=[am.TextBlock("a"), "x"]), ("parts", 1, "block")),  # type: ignore[list-item]
    "parts": (lambda: am.MsgChunk(parts=5), ("parts",)),  # type: ignore[arg-type]
    "done": (lambda: am.MsgChunk(done=1), ("done",)),  # type: ignore[arg-type]
    "role": (lambda: am.MsgChunk(1), ("role",)),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("case", list(BAD))
def test_wrong_values_are_refused(case: str) -> None:
    """A part of the wrong type is a typed error with its path; nothing is coerced."""
    make, path = BAD[case]
    with pytest.raises(am.InvalidMessage) as caught:
        make()
    assert caught.value.path == path


def test_chunks_are_values() -> None:
    """Chunks are hashed and pickled; their values can't be changed."""
    chunk = call(0, "{", "c", "f") + am.MsgChunk(metadata={"a": [1]})
    assert pickle.loads(pickle.dumps(chunk)) == chunk
    assert hash(chunk) == hash(am.MsgChunk.joined([chunk]))
    with pytest.raises(AttributeError):
        chunk.role = "user"  # type: ignore[misc]
    assert (said("a").text, [block.id for block in chunk.tool_calls]) == ("a", ["c"])


# -- whole messages ---------------------------------------------------------------------------------------------------


def interleaved(pieces: list[am.MsgChunk], data: st.DataObject) -> list[am.MsgChunk]:
    """Return chunks in another order that a provider could send: blocks begin in order, and none is out of order."""
    queues: dict[Any, list[am.MsgChunk]] = {}
    for piece in pieces:
        queues.setdefault(piece.parts[0].index, []).append(piece)
    order: list[am.MsgChunk] = []
    begun = 0
    waiting = list(queues.values())
    while any(waiting):
        choices = [queue for queue in waiting[:begun] if queue]
        if begun < len(waiting) and (not choices or data.draw(st.booleans())):
            queue, begun = waiting[begun], begun + 1
        else:
            queue = choices[data.draw(st.integers(0, len(choices) - 1))]
        order.append(queue.pop(0))
    return order


@given(messages(), st.integers(1, 5), st.data())
def test_any_cut_comes_back(message: am.Msg, size: int, data: st.DataObject) -> None:
    """However a message is cut, in whatever order its blocks come: the sum is the same message."""
    first, *pieces, last = am.chunks_of(message, size=size)
    order = [first, *interleaved(pieces, data), last]
    acc = am.Accumulator(order)
    assert am.same(acc.to_msg(), message)
    assert am.same(acc.snapshot(), message)
    assert am.same(sum(order, EMPTY).to_msg(), message)
    assert am.same(acc.chunk, sum(order, EMPTY))
    assert acc.done


@given(messages())
def test_snapshots_are_marked_until_done(message: am.Msg) -> None:
    """At any moment there is a message; until the end, and only then, it is marked as partial."""
    acc = am.Accumulator()
    for chunk in am.chunks_of(message, size=2):
        acc.add(chunk)
        so_far = acc.snapshot()
        assert so_far.metadata.get(PARTIAL) is (message.metadata.get(PARTIAL) if acc.done else True)
        assert am.same(am.decode(am.encode(so_far, "json"), "json")[0], so_far)


def test_cut_of_no_size_is_refused() -> None:
    """Pieces have at least one character."""
    with pytest.raises(am.InvalidMessage):
        list(am.chunks_of(am.Msg.user("a"), size=0))


def test_message_of_a_bare_chunk() -> None:
    """A chunk without a role is an assistant's; the message has no id or time of its own, as if it was read."""
    message = am.MsgChunk(parts="a").to_msg()
    assert (message.role, message.text, message.id, message.created_at) == ("assistant", "a", None, None)


def test_unfinished_arguments_stay_an_invalid_call() -> None:
    """A message is strict: broken-off arguments are invalid and keep their text; nothing is repaired."""
    message = (call(0, '{"a": ', "c", "f") + call(0, '"x')).to_msg()
    assert (message.tool_calls, message.invalid_tool_calls[0].raw_input) == ((), '{"a": "x')
    assert message.invalid_tool_calls[0].id == "c"


def test_an_id_that_comes_late_is_taken() -> None:
    """A call that began without an id gets the one under its index; the sum keeps both pieces."""
    total = call(0, "{") + call(0, "}", "c", "f")
    assert len(total.parts) == 2
    assert total.to_msg().tool_calls == (am.ToolUseBlock("c", "f"),)


def test_pieces_of_one_index_in_one_chunk_are_one_block() -> None:
    """A chunk may bring two pieces of one call: they are kept, and are one call in the message."""
    chunk = am.MsgChunk(parts=[*call(0, "{", "c", "f").parts, *call(0, "}").parts])
    assert (len((EMPTY + chunk).parts), chunk.to_msg().content) == (2, (am.ToolUseBlock("c", "f"),))
    assert len((call(0, "", "c", "f") + chunk).parts) == 2


def test_late_blocks_do_not_move() -> None:
    """Images and other whole blocks stay in their order of arrival, whatever their index."""
    image = am.ImageBlock.from_url("https://x/y.png")
    total = (
        said("a")
        + am.MsgChunk(parts=[am.ChunkPart(image, 0)])
        + am.MsgChunk(parts=[am.ChunkPart(image, 0)])
        + said("b")
    )
    assert total.to_msg().content == (am.TextBlock("a"), image, image, am.TextBlock("b"))


# -- snapshots of arguments -------------------------------------------------------------------------------------------


def grows(before: Any, after: Any) -> bool:
    """Whether a value is the beginning of a later one."""
    if is_mapping(before) and is_mapping(after):
        return list(before) == list(after)[: len(before)] and all(grows(before[key], after[key]) for key in before)
    if is_sequence(before) and is_sequence(after):
        return len(before) <= len(after) and all(map(grows, before, after))
    if isinstance(before, str) and isinstance(after, str):
        return after.startswith(before)
    return before is None or am.same(before, after)


@given(json_values())
def test_partial_values_only_grow(value: Any) -> None:
    """Every beginning of a JSON text has a value, that of a longer one continues it, and the last is the whole."""
    text = am.dumps(am.Msg("user", [am.DataBlock(value)], id=None, created_at=None), "json").decode()
    values: list[Any] = []
    for end in range(len(text) + 1):
        begins, found = am.parse_partial(text[:end])
        assert begins
        values.append(found)
    assert all(grows(a, b) for a, b in pairwise(values))
    assert am.same(am.Msg.from_dict(values[-1]).content[0], am.DataBlock(value))


PARTIAL_TEXTS: dict[str, Any] = {
    "": None, "  ": None, "{": {}, "[": [], '"': "", '"a': "a", "tr": None, "true": True, "-": None, "12": None,
    "[1": [], "[1,": [1], "[1, 2 ": [1, 2], "[1.5e": [], "[tru": [], "[null": [None], '{"a': {}, '{"a"': {},
    '{"a":': {}, '{"a": 1': {}, '{"a": 1,': {"a": 1}, '{"a": 1, "b": "x': {"a": 1, "b": "x"}, '{"a": "x\\': {"a": "x"},
    '{"a": "x\\u00': {"a": "x"}, '{"a": "x\\ud83d': {"a": "x"}, '{"a": "x\\ud83d\\ude0': {"a": "x"},
    '{"a": "x\\\\ud83d': {"a": "x\\ud83d"},
    '{"a": "x\\ud83d\\ude00': {"a": "x\U0001f600"}, '{"a": [{"b": [': {"a": [{"b": []}]},
    '{"a": {}, "a': {"a": {}}, " [ ": [], '{"n": 18446744073709551617, ': {"n": 18446744073709551617},
}  # fmt: skip


@pytest.mark.parametrize("text", list(PARTIAL_TEXTS))
def test_partial_json(text: str) -> None:
    """Open values are closed, values that may still change are left out."""
    assert am.parse_partial(text) == (True, PARTIAL_TEXTS[text])


NO_JSON = (
    "hello", "{a", "}", "]", '{"a": 1]', '{"a" 1', '{"a",', "[1 2", "[,", "{,", '{"a": ,', "{1", "nul1", "01", "1.2.3",
    "--", '"\n', '"\\x', '"\\u12x', '{"a": "\\ud800x", ', "[1]]", "{} x", "true false", "[" * 200, '{"a":}', "[1,]",
    '{"a":1,}', ":", ",",
)  # fmt: skip


@pytest.mark.parametrize("text", NO_JSON)
def test_no_beginning_of_json(text: str) -> None:
    """A text that can't become JSON has no value."""
    assert am.parse_partial(text) == (False, None)


@given(st.text(st.sampled_from('{}[]",:\\u0d8e1-.tn a'), max_size=12))
def test_partial_refuses_only_what_cannot_go_on(text: str) -> None:
    """If a beginning is refused, no longer text is JSON; if one is whole JSON, its value is that."""
    valid, value, _ = am_parse(text)
    begins, found = am.parse_partial(text)
    assert begins or not valid
    if valid and text.strip(" \t\n\r")[-1:] in ("}", "]", '"'):
        assert am.same(found, value)


def am_parse(text: str) -> tuple[bool, Any, bool]:
    """Return the result of the strict parser of arguments."""
    from agentmsg.values.text import parse_arguments

    return parse_arguments(text)


def test_snapshot_of_arguments() -> None:
    """A snapshot has the certain part of the arguments, marked; invalid JSON stays an invalid call with its text."""
    acc = am.Accumulator([call(0, '{"city": "Par', "c", "f"), call(1, "nonsense", "d", "g"), call(2, "{}", "e", "h")])
    partial, invalid, whole = acc.snapshot().content
    assert isinstance(partial, am.ToolUseBlock)
    assert isinstance(invalid, am.ToolUseBlock)
    assert (partial.input, partial.metadata, partial.raw_input) == ({"city": "Par"}, {PARTIAL: True}, None)
    assert (invalid.is_valid, invalid.raw_input, invalid.metadata) == (False, "nonsense", {})
    assert whole == am.ToolUseBlock("e", "h")
    assert acc.to_msg().invalid_tool_calls[0].raw_input == '{"city": "Par'
    acc.add(am.MsgChunk(done=True))
    assert acc.snapshot() == acc.to_msg()


def test_snapshots_do_not_change() -> None:
    """Returned values stay unchanged while more arrives."""
    acc = am.Accumulator([said("a"), am.MsgChunk(metadata={"l": [1]})])
    chunk, message = acc.chunk, acc.snapshot()
    acc += said("b") + am.MsgChunk(metadata={"l": [2]})
    assert (chunk.text, message.text, acc.snapshot().text) == ("a", "a", "ab")
    assert (chunk.metadata, message.metadata) == ({"l": [1]}, {"l": [1], PARTIAL: True})
    assert acc.chunk.metadata == {"l": [1, 2]}


# -- hostile ----------------------------------------------------------------------------------------------------------


STREAMS: dict[str, Callable[[int], list[am.MsgChunk]]] = {
    "text": lambda n: [said("ab", 0)] * n,
    "neighbours": lambda n: [said("ab")] * n,
    "arguments": lambda n: [call(0, "ab", "c", "f")] * n,
    "metadata": lambda n: [am.MsgChunk(metadata={"a": {"b": [1]}})] * n,
    "many keys": lambda n: [am.MsgChunk(metadata={str(i): i}) for i in range(n)],
    "parts": lambda n: [call(i, "{}", "c", "f") for i in range(n)],
    "parts of one chunk": lambda n: [am.MsgChunk(parts=[part for i in range(n) for part in call(i % 7, "x").parts])],
    "mixed classes of one index": lambda n: (
        [said("a", 0), am.MsgChunk(parts=[am.ChunkPart(am.ThinkingBlock("b"), 0)])] * (n // 2)
    ),
    "ids in turn": lambda n: [call(0, "{}", "c"), call(0, "{}", "d")] * (n // 2),
    "citations": lambda n: [said("a", 0, citations=[am.Citation(url="u")])] * n,
    "results": lambda n: [am.MsgChunk(parts=[am.ChunkPart(am.ToolResultBlock("c", "a"), 0)])] * n,
    "usage": lambda n: [am.MsgChunk(usage=am.Usage(input=1))] * n,
}


@pytest.mark.parametrize("stream", list(STREAMS))
def test_time_is_linear(stream: str) -> None:
    """Eight times the chunks take about eight times as long, whatever they bring."""

    def work(count: int) -> Callable[[], Any]:
        chunks = STREAMS[stream](count)
        return lambda: am.Accumulator(chunks).to_msg()

    check_growth(work, (200, 1600), 8 * 2.3, floor=0)


def test_partial_time_is_linear() -> None:
    """Hostile beginnings take time that grows only with their length."""

    def work(unit: str, count: int) -> Callable[[], Any]:
        text = '["' + unit * count if unit.startswith("\\") else "[" + unit * count
        return lambda: am.parse_partial(text)

    for unit in ("[", '{"a":', "\\\\", '"', "1", " ", "\\", '"a",', "tru"):
        check_growth(partial(work, unit), (20_000, 160_000), 8 * 4)


def test_deep_metadata() -> None:
    """Metadata as deep as the model allows is joined; deeper is refused as everywhere."""
    deep: Any = 1
    for _ in range(127):
        deep = {"a": deep}
    assert (am.MsgChunk(metadata=deep) + am.MsgChunk(metadata=deep)).metadata == deep
    with pytest.raises(am.InvalidMessage) as caught:
        am.MsgChunk(metadata={"a": {"a": deep}})
    assert caught.value.code == "depth"


@pytest.mark.parametrize("index", [-1, 2**80, "", "lc_1", "\u2028"])
def test_odd_indexes(index: int | str) -> None:
    """Any whole number or text is an index: negative, huge or empty."""
    assert (call(index, "{", "c", "f") + call(index, "}")).to_msg().tool_calls == (am.ToolUseBlock("c", "f"),)


# -- documents --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("codec", ["json", "openai"])
def test_codecs_without_chunks(codec: am.CodecName) -> None:
    """A codec that reads no chunks raises an error."""
    for run in (lambda: am.decode_chunk({}, codec), lambda: am.encode_chunk(EMPTY, codec)):
        with pytest.raises(am.CodecLookupError) as caught:
            run()
        assert (caught.value.code, caught.value.codec) == ("option", codec)
