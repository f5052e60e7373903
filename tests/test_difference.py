"""The difference of two histories: whatever one became, the losses rebuild it, and they read well."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from agentmsg import (
    AudioBlock,
    Base64Source,
    CompactionBlock,
    DataBlock,
    FileBlock,
    History,
    ImageBlock,
    Msg,
    RefusalBlock,
    TextBlock,
    TextSource,
    ThinkingBlock,
    ToolResultBlock,
    ToolSpec,
    ToolUseBlock,
    URLSource,
    same,
)
from agentmsg.fitting.account_file import from_lines, to_lines
from agentmsg.fitting.aligning import align
from agentmsg.fitting.difference import difference
from agentmsg.fitting.losses import Losses
from agentmsg.fitting.restore import restore
from agentmsg.fitting.survival import level_of_became, level_of_gone
from data import WHOLE, effort
from support.checked import msg
from support.timing import check_growth

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg import Loss

_IMAGE = ImageBlock(URLSource("https://x.example/a.png"))
_SIZE = 8_000 if WHOLE else 2_000


def _text(role: str, *texts: str, **fields: Any) -> Msg:
    return msg(role, *map(TextBlock, texts), **fields)


def _call(id: str | None, name: str = "f", **input: Any) -> ToolUseBlock:
    return ToolUseBlock(id, name, input)


def _result(link: str | None, *texts: str, **fields: Any) -> Msg:
    return msg("tool", ToolResultBlock(tool_call_id=link, content=tuple(map(TextBlock, texts)), **fields))


def _restored(old: History, new: History) -> list[Loss]:
    """Return the difference of two histories, after proving that it rebuilds the first, also shuffled and on file."""
    losses = difference(old, new, "x")
    assert len({loss.path for loss in losses}) == len(losses), "two losses of one path"
    assert bool(losses) == (not same(old, new))
    shuffled = losses[:]
    Random(0).shuffle(shuffled)
    filed = from_lines(to_lines(Losses(shuffled, codec="x")))
    more = new.extended(Msg("user", "and one more", id="m"))
    for given, report, wanted in ((new, shuffled, old), (new, filed, old), (more, losses, old.extended(more[-1]))):
        assert same(restore(given, report), wanted)
    return losses


# What one history became, and what is told about it.
CASES: dict[str, tuple[list[Msg], list[Msg], list[str]]] = {
    "nothing": ([_text("user", "a")], [_text("user", "a")], []),
    "a name": ([_text("user", "a", name="Ada")], [_text("user", "a")], ["messages/0/name dropped (annotation)"]),
    "merged": (
        [_text("user", "a"), _text("user", "b")],
        [_text("user", "a", "b")],
        ["messages/1 merged (annotation): neighbours are one message"],
    ),
    "merged into one text": (
        [_text("user", "a b"), _text("user", "c d")],
        [_text("user", "a b\nc d")],
        [
            "messages/0/content/0/text changed (annotation)",
            "messages/1 merged (annotation): neighbours are one message",
        ],
    ),
    "split": (
        [_text("assistant", "a", "b")],
        [_text("assistant", "a"), _text("assistant", "b")],
        ["messages/0 split (annotation): one message each"],
    ),
    "split, beside one that is the same": (
        [_text("assistant", "a", "b"), _text("assistant", "b")],
        [_text("assistant", "a"), _text("assistant", "b"), _text("assistant", "b")],
        ["messages/0 split (annotation): one message each"],
    ),
    "swapped": (
        [_text("user", "a"), _text("assistant", "b")],
        [_text("assistant", "b"), _text("user", "a")],
        ["messages/1 moved (content): is elsewhere now"],
    ),
    "lifted": (
        [_text("user", "a"), _text("assistant", "b"), _text("system", "s")],
        [_text("system", "s"), _text("user", "a"), _text("assistant", "b")],
        ["messages/2 moved (content): is elsewhere now"],
    ),
    "repeated, one gone": (
        [_text("user", "ok"), _text("assistant", "ok"), _text("user", "ok")],
        [_text("user", "ok"), _text("user", "ok")],
        ["messages/1 dropped (content)"],
    ),
    "blocks swapped": (
        [msg("user", TextBlock("a"), _IMAGE)],
        [msg("user", _IMAGE, TextBlock("a"))],
        ["messages/0/content/0 moved (annotation): is elsewhere now"],
    ),
    "emptied": (
        [msg("user", _IMAGE), _text("assistant", "b")],
        [msg("user"), _text("assistant", "b")],
        ["messages/0/content/0 dropped (content): no place for a image block here"],
    ),
    "texts as one": (
        [_text("user", "One.", "Two.")],
        [_text("user", "One.\nTwo.")],
        [
            "messages/0/content/0/text changed (annotation)",
            "messages/0/content/1 merged (annotation): neighbours are one block here",
        ],
    ),
    "nothing in common": (
        [_text("user", "a"), _text("assistant", "b")],
        [_text("tool", "x")],
        ["messages/0 dropped (content)", "messages/1 dropped (content)", "messages/2 invented (content)"],
    ),
    "all gone": ([_text("user", "a")], [], ["messages/0 dropped (content)"]),
    "added": ([], [_text("user", "a")], ["messages/0 invented (content)"]),
    "an image of a result in a message of its own": (
        [msg("tool", ToolResultBlock(tool_call_id="c", content=(TextBlock("see"), _IMAGE)))],
        [_result("c", "see"), msg("user", _IMAGE)],
        ["messages/0/content/0/content/1 moved (annotation): is in another message now"],
    ),
}


@pytest.mark.parametrize(("old", "new", "told"), CASES.values(), ids=CASES)
def test_what_became_of_messages_is_told(old: list[Msg], new: list[Msg], told: list[str]) -> None:
    """Merged, split, moved, emptied or gone: each is told as what it is, and comes back."""
    assert [str(loss) for loss in _restored(History(old), History(new))] == told


_SAYS = ToolResultBlock(tool_call_id="c", content=(TextBlock("4 degrees"),))
# A block, what it became, and whether content was lost.
SURVIVAL: dict[str, tuple[Any, Any, bool]] = {
    "a refusal as text": (RefusalBlock("I won't."), TextBlock("I won't."), False),
    "data as text": (DataBlock({"a": "x y", "n": 12}), TextBlock('{"a":"x y","n":12}'), False),
    "data of which a number is gone": (DataBlock({"a": "x y", "n": 12}), TextBlock('{"a":"x y"}'), True),
    "words gone": (TextBlock("All of this."), TextBlock("Some."), True),
    "a call as text": (_call("c", "f", a="x"), TextBlock('f({"a":"x"})'), True),
    "a result as text": (_SAYS, TextBlock("4 degrees"), True),
    "thinking as text": (ThinkingBlock("So."), TextBlock("So."), True),
    "data without words": (DataBlock([True, None]), TextBlock("[true,null]"), False),
    "a compaction as text": (CompactionBlock("We met."), TextBlock("We met."), True),
    "an image as a file": (_IMAGE, FileBlock(URLSource("https://x.example/a.png")), False),
    "an image as another": (_IMAGE, ImageBlock(URLSource("https://x.example/b.png")), True),
    "a text as data": (FileBlock(TextSource("hi")), FileBlock(Base64Source("aGk=", "text/plain")), False),
    "audio as its text": (AudioBlock(Base64Source("AAAA"), transcript="spoken"), TextBlock("spoken"), True),
}


@pytest.mark.parametrize(("old", "new", "is_lost"), SURVIVAL.values(), ids=SURVIVAL)
def test_content_is_lost_if_not_all_words_survive(old: Any, new: Any, *, is_lost: bool) -> None:
    """What changed its form keeps its content if all words and numbers are there; calls, results and thinking never."""
    assert level_of_became(old, new) == ("content" if is_lost else "annotation")


def test_what_says_nothing_is_no_content() -> None:
    """An empty block that is gone is an annotation; one with extras isn't known to say nothing."""
    assert level_of_gone(TextBlock("")) == level_of_gone(ThinkingBlock("")) == "annotation"
    assert level_of_gone(TextBlock("", extras={"x": {"a": 1}})) == level_of_gone(TextBlock("a")) == "content"


# Ids of calls, and of results; what they become; the levels of the losses.
LINKS: dict[str, tuple[list[str], list[str], dict[str, str], list[str]]] = {
    "renamed": (["a", "b"], ["a", "b"], {"a": "1", "b": "2"}, ["annotation"] * 4),
    "crossed": (
        ["a", "b"],
        ["a", "b"],
        {"call a": "1", "call b": "2", "result a": "2", "result b": "1"},
        ["content"] * 4,
    ),
    "one end": (["a"], ["a"], {"call a": "1"}, ["content"]),
    "an orphan": (["a"], ["b"], {"b": "2"}, ["annotation"]),
    "both as one": (["a", "b"], ["a", "b"], {"a": "1", "b": "1"}, ["annotation"] * 4),
}


@pytest.mark.parametrize(("calls", "results", "new", "levels"), LINKS.values(), ids=LINKS)
def test_links_are_content_if_they_join_others(
    calls: list[str], results: list[str], new: dict[str, str], levels: list[str]
) -> None:
    """A link that still joins its call and its result is an annotation, whatever its text; any other is content."""

    def made(change: Callable[[str, str], str]) -> History:
        blocks = [_call(change("call", link), f"f{link}") for link in calls]
        return History([msg("assistant", *blocks), *(_result(change("result", link), f"r{link}") for link in results)])

    old = made(lambda _, link: link)
    losses = _restored(old, made(lambda kind, link: new.get(f"{kind} {link}", new.get(link, link))))
    assert [loss.level for loss in losses] == levels


# A result, what it became, and whether content was lost.
RESULTS: dict[str, tuple[dict[str, Any], dict[str, Any], bool]] = {
    "a value as text": ({"structured": {"t": 4}}, {"content": [TextBlock('{"t":4}')]}, False),
    "data as a value": ({"content": [DataBlock({"t": 4})]}, {"structured": {"t": 4}}, False),
    "an error as text": (
        {"error": "boom", "status": "error"},
        {"content": [TextBlock("boom")], "status": "error"},
        False,
    ),
    "an error in the text": (
        {"content": [TextBlock("x")], "error": "boom", "status": "error"},
        {"content": [TextBlock("x\nboom")], "status": "error"},
        False,
    ),
    "texts as one": ({"content": [TextBlock("a b"), TextBlock("c d")]}, {"content": [TextBlock("a b\nc d")]}, False),
    "a value gone": ({"structured": {"t": 4}}, {}, True),
    "a failure gone that its text tells": (
        {"content": [TextBlock("x")], "status": "error"},
        {"content": [TextBlock("x")]},
        False,
    ),
    "a failure gone": ({"status": "error"}, {}, True),
    "a failure that is a success": (
        {"content": [TextBlock("x")], "status": "error"},
        {"content": [TextBlock("x")], "status": "success"},
        True,
    ),
    "denied, not only failed": ({"status": "denied"}, {"status": "error"}, True),
    "an image gone": ({"content": [TextBlock("x"), _IMAGE]}, {"content": [TextBlock("x")]}, True),
    "more than it said": ({"content": [TextBlock("x")]}, {"content": [TextBlock("x"), TextBlock("y")]}, True),
}


@pytest.mark.parametrize(("old", "new", "is_lost"), RESULTS.values(), ids=RESULTS)
def test_what_a_result_says_may_be_said_elsewhere_in_it(
    old: dict[str, Any], new: dict[str, Any], *, is_lost: bool
) -> None:
    """Its content, its value and its error can say the same; only what none of them says is lost."""
    one, other = (History([msg("tool", ToolResultBlock(tool_call_id="c", **fields))]) for fields in (old, new))
    assert any(loss.level == "content" for loss in _restored(one, other)) == is_lost


# Blocks on both sides, and their pairs.
ALIGNED: dict[str, tuple[list[Any], list[Any], dict[int, int]]] = {
    "equal calls": ([_call(None), _call(None)], [_call(None), _call(None)], {0: 0, 1: 1}),
    "one of three equal calls": ([_call("a"), _call("b"), _call("c")], [_call("a"), _call("c")], {0: 0, 2: 1}),
    "calls with other ids": ([_call("a", x=1), _call("b", x=2)], [_call("1", x=1), _call("2", x=2)], {0: 0, 1: 1}),
    "repeated": ([TextBlock("a"), TextBlock("b"), TextBlock("a")], [TextBlock("b"), TextBlock("a")], {1: 0, 2: 1}),
    "crossed": ([TextBlock("a"), TextBlock("b")], [TextBlock("b"), TextBlock("a")], {0: 1, 1: 0}),
    "changed": ([TextBlock("a"), TextBlock("b")], [TextBlock("a"), TextBlock("c")], {0: 0, 1: 1}),
    "nothing in common": ([_IMAGE], [_call("a")], {}),
    "thinking as text": ([ThinkingBlock("so"), TextBlock("yes")], [TextBlock("so"), TextBlock("yes")], {0: 0, 1: 1}),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "pairs"), ALIGNED.values(), ids=ALIGNED)
def test_blocks_are_found_by_what_they_say(old: list[Any], new: list[Any], pairs: dict[int, int]) -> None:
    """Blocks are paired by what they say and where they link; of several equal ones, those in their order."""
    role = "assistant"
    assert align([(block, role) for block in old], [(block, role) for block in new])[0] == pairs


def test_what_stands_beside_messages_is_told() -> None:
    """Tools are known by their names, settings are told one by one, and both come back."""
    tools = [ToolSpec(name, name) for name in ("a", "b", "c")]
    old = History([Msg("user", "x", id=None, created_at=None)], tools=tools).with_settings(model="m", temperature=1)
    new = old.evolve(tools=[tools[2], tools[0].evolve(description="other")], settings=None)
    assert sorted("/".join(map(str, loss.path)) for loss in _restored(old, new)) == [
        "settings/model",
        "settings/temperature",
        "tools/0",
        "tools/0/description",
        "tools/1",
    ]


def _mangled(history: History, rng: Random) -> History:
    """Return a history in which messages and blocks were dropped, merged, split, swapped, emptied and reworded."""
    out: list[Msg] = []
    for message in history:
        fate = rng.randrange(8)
        blocks = list(message.content)
        if fate == 0:
            continue
        if fate == 1 and out and out[-1].role == message.role:
            out[-1] = out[-1].evolve(content=(*out[-1].content, *blocks))
            continue
        if fate == 2 and len(blocks) > 1:
            at = rng.randrange(1, len(blocks))
            out += [message.evolve(content=blocks[:at]), _bare(message.role, blocks[at:])]
            continue
        if fate == 3:
            rng.shuffle(blocks)
        elif fate == 4 and blocks:
            del blocks[rng.randrange(len(blocks))]
        elif fate == 5:
            blocks = [TextBlock(f"{block.text}!") if isinstance(block, TextBlock) else block for block in blocks]
        out.append(message.evolve(content=blocks, name=None if fate == 6 else message.name))
        if fate == 7 and len(out) > 1:
            out[-1], out[-2] = out[-2], out[-1]
    return history.evolve(messages=out)


def _bare(role: str, blocks: list[Any]) -> Msg:
    return msg(role, *blocks)


def _made(rng: Random) -> History:
    """Return a history of few words, so that much is repeated."""
    words = ["ok", "1", "no", "go on", ""]
    makers: list[Callable[[], Any]] = [
        lambda: TextBlock(rng.choice(words)),
        lambda: TextBlock(rng.choice(words)),
        lambda: ThinkingBlock(rng.choice(words)),
        lambda: _call(rng.choice([None, "a", "b"]), rng.choice("fg")),
        lambda: ToolResultBlock(
            tool_call_id=rng.choice([None, "a", "b"]),
            content=[TextBlock(rng.choice(words)), _IMAGE][: rng.randrange(3)],
        ),
        lambda: _IMAGE,
    ]
    return History(
        msg(
            rng.choice(["system", "user", "assistant", "tool"]),
            *(rng.choice(makers)() for _ in range(rng.randrange(4))),
            name=rng.choice([None, "Ada"]),
        )
        for _ in range(rng.randrange(8))
    )


def test_whatever_became_of_a_history_it_comes_back() -> None:
    """Exactness doesn't depend on the alignment: mangled, or quite another one, the losses rebuild the first."""
    rng = Random(3)
    for _ in range(effort(600)):
        history = _made(rng)
        _restored(history, _mangled(_mangled(history, rng), rng))
        _restored(history, _made(rng))


def test_a_block_that_left_a_result_which_moved_comes_back_into_it_alone() -> None:
    """The result is told whole, with the block in it; where that stands now is told as well."""
    old = History([msg("assistant", _IMAGE, ToolResultBlock("b", [TextBlock("four"), TextBlock("ok")]))])
    new = History([msg("assistant", ToolResultBlock("b", [TextBlock("four")]), _IMAGE, TextBlock("ok"))])
    losses = _restored(old, new)
    assert ("messages", 0, "content", 1, "content", 1) in {loss.path for loss in losses}


def _shape(name: str) -> tuple[Callable[[int], Msg], Callable[[list[Msg]], list[Msg]]]:
    """Return how the messages of a long history are made, and what became of them."""
    shapes: dict[str, tuple[Callable[[int], Msg], Callable[[list[Msg]], list[Msg]]]] = {
        "names dropped": (
            lambda i: _text("user", f"t{i}", name="n"),
            lambda ms: [m.evolve(name=None) for m in ms],
        ),
        "all the same, every second gone": (lambda _: _text("user", "ok"), lambda ms: ms[::2]),
        "reversed": (lambda i: _text("user", f"t{i}"), lambda ms: ms[::-1]),
        "all reworded": (lambda i: _text("user", f"t{i}"), lambda ms: [_text("user", m.text + "!") for m in ms]),
        "merged into one": (
            lambda i: _text("user", f"t{i}"),
            lambda ms: [msg("user", *(block for m in ms for block in m.content))],
        ),
        "split": (
            lambda i: _text("user", f"a{i}", f"b{i}"),
            lambda ms: [msg("user", block) for m in ms for block in m.content],
        ),
        "equal calls": (lambda _: msg("assistant", _call(None)), lambda ms: ms[1:]),
        "nothing in common": (
            lambda i: _text("user", f"t{i}"),
            lambda ms: [_text("tool", f"x{i}") for i in range(len(ms))],
        ),
    }
    return shapes[name]


@pytest.mark.parametrize(
    "name",
    [
        "names dropped",
        "all the same, every second gone",
        "reversed",
        "all reworded",
        "merged into one",
        "split",
        "equal calls",
        "nothing in common",
    ],
)
def test_long_histories_take_linear_time(name: str) -> None:
    """Comparing eight times as many messages takes about eight times as long, whatever became of them."""
    make, change = _shape(name)

    def work(count: int) -> Callable[[], Any]:
        messages = [make(i) for i in range(count)]
        old, new = History(messages), History(change(messages))
        assert same(restore(new, difference(old, new)), old)
        return lambda: difference(old, new)

    check_growth(work, (_SIZE // 8, _SIZE), 24, floor=0.005)
