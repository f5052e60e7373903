"""fit, loss report and restore on cases with a known outcome: how each kind of loss looks."""

from __future__ import annotations

import random
from typing import Any, cast

import attrs
import pytest

import agentmsg as am
from agentmsg import (
    DataBlock,
    History,
    ImageBlock,
    LossError,
    Losses,
    Made,
    Msg,
    RefusalBlock,
    TextBlock,
    ToolResultBlock,
    ToolSpec,
    ToolUseBlock,
    URLSource,
    restore,
    same,
)
from agentmsg.errors import DecodeError
from agentmsg.fitting.account import account
from agentmsg.fitting.account_file import from_lines, to_lines
from agentmsg.fitting.compiled import source
from agentmsg.fitting.fit import _joined, fit
from agentmsg.formats.capabilities import KEEP, Caps, Drop, MessageRow, Row, Swap
from agentmsg.formats.reasons import Reasons
from agentmsg.formats.restructure import as_is, split_results
from agentmsg.model.tool_links import links, with_ids
from agentmsg.testing import honest_account
from data import effort
from support.timing import seconds_of
from support.toys import BareToy, NumberedToy, StrictToy, Toy

NAMES = tuple(am.codec_names())

CALL = ToolUseBlock("c1", "add", {"a": 1})


def _plain(role: Any, content: Any = "hi", **fields: Any) -> Msg:
    given: dict[str, Any] = {"id": None, "created_at": None, **fields}
    return Msg(role=role, content=content, **given)


# Each case: the lost thing, and its report as (path below messages, kind, level, now).
CASES: dict[str, tuple[list[Msg], list[tuple[Any, ...]]]] = {
    "nothing": ([_plain("user")], []),
    "values that the library made": ([Msg.user("hi")], []),
    "a field": ([_plain("user", model="m")], [((0, "model"), "dropped", "annotation", None)]),
    "a role without equal": ([_plain("developer")], [((0, "role"), "changed", "annotation", "system")]),
    "a message": ([_plain("remove")], [((0,), "dropped", "content", None)]),
    "a block": (
        [_plain("user", [TextBlock("a"), DataBlock(1), TextBlock("b")])],
        [((0, "content", 1), "dropped", "content", None)],
    ),
    "a block that becomes another": (
        [_plain("assistant", [RefusalBlock("no")])],
        [((0, "content", 0), "changed", "annotation", TextBlock("no"))],
    ),
    "a block inside a result": (
        [
            _plain("assistant", [CALL]),
            _plain("tool", [ToolResultBlock("c1", [TextBlock("a"), ImageBlock(URLSource("u"))])]),
        ],
        [((1, "content", 0, "content", 1), "dropped", "content", None)],
    ),
    "an id invented": (
        [_plain("assistant", [CALL.evolve(id=None)])],
        [((0, "content", 0, "id"), "invented", "annotation", "call_0_0_add")],
    ),
    "a system in the middle": (
        [_plain("user"), _plain("system", "x"), _plain("assistant")],
        [((1,), "moved", "content", ((0, 0),))],
    ),
    "two users in a row": ([_plain("user"), _plain("user", "b")], [((1,), "merged", "annotation", ((0, 1),))]),
    "results that share a message": (
        [_plain("assistant", [CALL]), _plain("tool", [ToolResultBlock("c1", "a"), ToolResultBlock("c2", "b")])],
        [((1,), "split", "annotation", ((1, 0), (2, 0)))],
    ),
}


@pytest.mark.parametrize(("messages", "expected"), CASES.values(), ids=CASES)
def test_each_kind_of_loss_is_itemised(messages: list[Msg], expected: list[tuple[Any, ...]]) -> None:
    """A loss has the path in the input, its kind, its level and the output's value."""
    history = History(messages)
    losses = account(fit(history, StrictToy()))
    assert [(loss.path[1:], loss.kind, loss.level, loss.now) for loss in losses] == expected
    assert same(restore(fit(history, StrictToy()).history, losses), history)


def test_ids_that_a_format_lacks_are_those_of_its_reader() -> None:
    """Each id that a reader would make differently is a loss with the old id; results without a call are told apart."""
    results = [_plain("tool", [ToolResultBlock(link, "a")]) for link in ("c2", "c1", "c3", "#0")]
    history = History([_plain("assistant", [CALL, CALL.evolve(id="c2")]), *results])
    fitted = fit(history, NumberedToy())
    assert [call.id for call in fitted.history[0].tool_calls] == ["#0", "#1"]
    assert [message.tool_call_id for message in fitted.history[1:]] == ["#1", "#0", "c3", "no #0"]
    losses = account(fitted)
    assert [loss.was for loss in losses] == ["c1", "c2", "c2", "c1", "#0"]
    assert same(restore(NumberedToy().read(NumberedToy().write(fitted.history)), losses), history)
    assert fit(fitted.history, NumberedToy()).history is fitted.history


def test_nothing_lost_is_the_same_object() -> None:
    """If everything is supported, fit returns the history itself, and made ids and times aren't reported."""
    history = History([Msg.user("hi")])
    assert fit(history, StrictToy()).history is history
    assert list(account(fit(history, StrictToy()))) == []


def test_tools_are_accounted_for_one_by_one() -> None:
    """Tools that a format can't hold are content losses with their own paths."""
    history = History([_plain("user")], tools=[ToolSpec("a"), ToolSpec("b")])
    losses = account(fit(history, StrictToy()))
    assert [(loss.path, loss.level) for loss in losses] == [(("tools", 0), "content"), (("tools", 1), "content")]


def test_field_losses_left_out_stay_lost() -> None:
    """Restoring with a part of the loss report restores just that part."""
    history = History([_plain("user", model="m", metadata={"k": 1})])
    losses = account(fit(history, StrictToy()))
    kept = [loss for loss in losses if loss.path[-1] != "model"]
    assert same(restore(fit(history, StrictToy()).history, kept), History([_plain("user", metadata={"k": 1})]))
    assert len(losses.filter(level="annotation")) == 2
    assert losses.content.summary() == "nothing lost"


def test_an_edited_output_is_refused_unless_edits_are_to_be_kept() -> None:
    """A loss report belongs to its output: any other is refused; with edits="keep" the user's changes win."""
    history = History([_plain("user", model="m"), _plain("assistant", id="a", model="n")])
    fitted = fit(history, StrictToy())
    edited = fitted.history.evolve(messages=[fitted.history[0].evolve(model="mine"), *fitted.history.messages[1:]])
    with pytest.raises(LossError) as caught:
        restore(edited, account(fitted))
    assert caught.value.code == "edited"
    kept = restore(edited, account(fitted), edits="keep")
    assert [message.model for message in kept] == ["mine", "n"]


@pytest.mark.parametrize("name", NAMES)
def test_an_edited_text_that_was_several_stays_one(name: am.CodecName) -> None:
    """If blocks became one and that was edited, edits="keep" keeps it; what wasn't edited is taken apart again."""
    texts = [
        TextBlock("One."),
        ImageBlock(URLSource("https://x.example/a.png")),
        TextBlock("Two."),
        TextBlock("Three."),
    ]
    history = History([Msg(role=role, content=texts) for role in ("system", "user", "assistant", "user", "assistant")])
    done = am.convert(history.encode("json"), "json", name)
    output = am.decode(done.document, name)
    assert same(restore(output, done.losses, edits="keep"), history)
    for at, message in enumerate(output):
        for place, block in enumerate(message.content):
            if not isinstance(block, TextBlock):
                continue
            content = [*message.content[:place], block.evolve(text=f"{block.text}!"), *message.content[place + 1 :]]
            edited = output.evolve(messages=[*output[:at], message.evolve(content=content), *output[at + 1 :]])
            written = [each.text for each in restore(edited, done.losses, edits="keep")]
            assert "\n".join(written).count("Three.") == len(history), (block.text, written)


def test_an_account_on_file_is_bound_to_its_output() -> None:
    """The header's digest refuses a history with an inserted, swapped or removed message; additions pass."""
    history = History([_plain("user", model="m"), _plain("assistant", "a"), _plain("user", "b")])
    fitted = fit(history, StrictToy())
    filed = from_lines(list(to_lines(account(fitted), fitted.history)))
    assert same(restore(fitted.history, filed), history)
    assert same(restore(fitted.history.extended(Msg.user("more")), filed)[:3], history)
    for wrong in (fitted.history[1:], fitted.history[::-1], fitted.history[:1].extended(Msg.user("x"))):
        with pytest.raises(LossError):
            restore(wrong, filed)


def test_a_digest_of_unsorted_families_stays_valid() -> None:
    """Reports of the first version have digests of extras in the order in which the reader made their families."""
    image = am.ImageBlock(am.URLSource("https://x.org/y.png", extras={"openai": {"b": 1}, "anthropic": {"c": [2]}}))
    text = am.TextBlock("hi", extras={"langchain": {"a": 1}, "anthropic": {"a": None}})
    message = Msg("user", [text, am.ToolResultBlock("c", [image])], id="m", created_at=None)
    history = History([message], extras={"langchain": {"x": 1}, "hf": {}})
    header = b'{"agentmsg-losses":1,"codec":"x","messages":1,"digest":"%b"}'
    first = b"e7dea5990fdcf4915c249d167cb65e78372d06882d22dcb8f875bc8121097f26"
    assert same(restore(history, from_lines([header % first])), history)
    other = history.evolve(extras={"hf": {}})
    assert other.digest() != history.digest()
    with pytest.raises(LossError):
        restore(other, from_lines([header % history.digest(exact=True).encode()]))


def test_restoring_more_than_there_is_is_refused() -> None:
    """A loss report about parts that the history lacks is refused, with the path."""
    history = History([_plain("user"), _plain("user", model="m")])
    losses = list(account(fit(history, BareToy())))
    with pytest.raises(LossError):
        restore(History([]), losses)


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [b"{}"],
        [b"[]"],
        [b'{"agentmsg-losses":2,"codec":"x"}'],
        *(
            [b'{"agentmsg-losses":1,"codec":"x","messages":%b,"digest":%b}' % pair]
            for pair in (
                (b'"1"', b'"d"'),
                (b"null", b'"d"'),
                (b"-1", b'"d"'),
                (b"1.5", b'"d"'),
                (b"1", b"3"),
                (b"1", b"null"),
            )
        ),
        [b'{"agentmsg-losses":1,"codec":"x"}', b"{"],
        [b'{"agentmsg-losses":1,"codec":"x"}', b"3"],
        [b'{"agentmsg-losses":1,"codec":"x"}', b'{"at":"/messages/0","changed":{"role":3}}'],
        [b'{"agentmsg-losses":1,"codec":"x"}', b'{"at":"/messages/0","split":3.5}'],
        [b'{"agentmsg-losses":1,"codec":"x"}', b'{"at":"/messages/0","gone":{"role":3}}'],
        [b'{"agentmsg-losses":1,"codec":"x"}', b'{"at":7}'],
    ],
)
def test_a_file_that_is_no_account_is_refused(lines: list[bytes]) -> None:
    """Lines that aren't a loss report raise the one typed error."""
    with pytest.raises(DecodeError):
        from_lines(lines)


def test_results_answer_calls_by_id_then_by_name_and_order() -> None:
    """The n-th result of an id answers its n-th call; a result without id the first open call of its name."""
    messages = [
        _plain(
            "assistant",
            [ToolUseBlock("x", "f"), ToolUseBlock("x", "f"), ToolUseBlock(None, "g"), ToolUseBlock(None, "h")],
        ),
        _plain("tool", [ToolResultBlock("x")]),
        _plain("tool", [ToolResultBlock(None, name="h")]),
        _plain("tool", [ToolResultBlock("x")]),
        _plain("tool", [ToolResultBlock(None)]),
        _plain("tool", [ToolResultBlock("x")]),
    ]
    assert links(messages) == {(1, 0): (0, 0), (2, 0): (0, 3), (3, 0): (0, 1), (4, 0): (0, 2)}


def test_links_take_one_step_a_call() -> None:
    """However many calls wait for their results, each is found at once, by id, by name or as the first."""
    many = 20_000
    calls = [_plain("assistant", [ToolUseBlock(str(n), f"f{n}")]) for n in range(many)]
    results = [
        _plain("tool", [ToolResultBlock(str(n) if n % 2 else None, name=f"f{n}")]) for n in reversed(range(1, many))
    ]
    messages = [*calls, *results, _plain("tool", [ToolResultBlock(None)])]
    # 20,000 times 10,000 steps would take minutes.
    assert seconds_of(lambda: links(messages), rounds=1) < 5
    assert links(messages) == {(2 * many - 1 - n, 0): (n, 0) for n in range(many)}


def test_ids_are_given_to_both_ends_and_never_collide() -> None:
    """A call and its result get one id, which differs from all others."""
    messages = [
        _plain("assistant", [ToolUseBlock("call_0_1_f", "f"), ToolUseBlock(None, "f")]),
        _plain("tool", [ToolResultBlock(None, name="f")]),
        _plain("tool", [ToolResultBlock(None, name="f")]),
    ]
    done = with_ids(messages, [(0, 1), (1, 0), (2, 0)])
    first, second = done[0].tool_calls
    assert first.id == "call_0_1_f"
    assert second.id == done[2].tool_call_id == "call_0_1_f_"
    assert done[1].tool_call_id == "call_0_1_f"
    assert not isinstance(second.id, Made)


def test_a_made_id_that_a_result_needs_becomes_plain() -> None:
    """A result that gets the made id of its call has a plain id, and it is reported."""
    history = History([_plain("assistant", [ToolUseBlock(Made("m1"), "f")]), _plain("tool", [ToolResultBlock(None)])])
    losses = account(honest_account(StrictToy(), history))
    assert [(loss.path, loss.kind, loss.now) for loss in losses] == [
        (("messages", 1, "content", 0, "tool_call_id"), "invented", "m1")
    ]


def test_made_values_do_not_spread_when_messages_merge() -> None:
    """A made id of the first of two merged messages does not become the id of the second."""
    messages = [_plain("user", id=Made("m1")), _plain("user", "b")]
    losses = account(honest_account(StrictToy(), History(messages)))
    assert [(loss.path, loss.kind) for loss in losses] == [(("messages", 1), "merged")]


def test_predicates_are_readable() -> None:
    """The source of a compiled predicate is plain Python that names the fields of the table."""
    text, scope = source(TextBlock, {"text": lambda value, _: value})
    assert text.startswith("lambda o: ")
    assert "o.item_id is None" in text
    assert text.endswith("cell_text(o.text, o) is o.text and not o.citations")
    assert "cell_text" in scope


@attrs.frozen(kw_only=True)
class _Spelt(Toy):
    """Can't hold structured results: its rule writes them as text."""

    @property
    def caps(self) -> Caps:
        return _SPELT


def _in_words(block: ToolResultBlock) -> ToolResultBlock | Swap:
    if block.structured is None:
        return block
    return Swap(block.evolve(structured=None, content=(TextBlock("in words"), *block.content)), "as text")


_SPELT = Caps(
    messages={
        "tool": MessageRow(
            blocks={ToolResultBlock: Row({"tool_call_id": KEEP}, _in_words)}, results={TextBlock: Row({"text": KEEP})}
        )
    },
    arrange=(split_results,),
)


def test_a_rule_may_add_blocks_inside_a_result() -> None:
    """A result that a rule replaces, with more blocks inside, is one change, and can be restored."""
    history = History([_plain("tool", [ToolResultBlock("c1", [TextBlock("a"), DataBlock(1)], structured={"k": 1})])])
    losses = account(honest_account(_Spelt(), history))
    assert [(loss.path, loss.kind) for loss in losses] == [(("messages", 0, "content", 0), "changed")]


def test_what_is_dropped_whole_was_not_split_off() -> None:
    """For a dropped block that would have been merged into the message before, only the drop is reported."""
    result = _plain("tool", [ImageBlock.from_bytes(b"hi"), ToolResultBlock("c1", "a")])
    losses = account(honest_account(StrictToy(), History([_plain("user"), result])))
    assert [(loss.path, loss.kind, loss.why) for loss in losses] == [
        (("messages", 1, "content", 0), "dropped", "URLs only")
    ]


def _texts_join(left: Any, right: Any) -> TextBlock | None:
    both = isinstance(left, TextBlock) and isinstance(right, TextBlock)
    return TextBlock(left.text + right.text) if both else None


@attrs.frozen(kw_only=True)
class _OneText(Toy):
    """Content is one text; a refusal becomes one, by a rule of greater weight."""

    @property
    def caps(self) -> Caps:
        return _ONE_TEXT


_ONE_TEXT = Caps(
    messages={
        "assistant": MessageRow(
            blocks={
                TextBlock: Row({"text": KEEP}),
                RefusalBlock: Row({}, lambda block: Swap(TextBlock(block.refusal), "refusals are text", "content")),
            },
            otherwise=lambda message: message if len(message.content) < 2 else Swap(message, "one text", "annotation"),
            joins=_texts_join,
        )
    }
)


@pytest.mark.parametrize("codec", am.codec_names())
def test_a_merged_message_belongs_to_one_of_those_it_is_made_of(codec: str) -> None:
    """Also if nothing is left of the first one, and a part of the last one goes into another message."""
    image = am.ImageBlock(am.Base64Source("AAAA", "image/png"))
    history = am.History(
        [
            am.Msg("assistant", [am.ThinkingBlock("")]),
            am.Msg("assistant", [am.ToolUseBlock("a", "f", {})]),
            am.Msg("assistant", [image, am.ToolResultBlock("a")]),
        ]
    )
    honest_account(am.get_codec(codec), history)


def test_neighbours_become_one_block() -> None:
    """Blocks that are one in the format are joined; if all words are left, no content is lost, whatever a rule says."""
    history = History([_plain("assistant", [TextBlock("a"), TextBlock("b"), RefusalBlock("no")])])
    fitted = honest_account(_OneText(), history)
    assert fitted.history[0].content == (TextBlock("abno"),)
    assert [(loss.path[3:], loss.kind, loss.level) for loss in account(fitted)] == [
        ((0, "text"), "changed", "annotation"),
        ((1,), "merged", "annotation"),
        ((2,), "merged", "annotation"),
    ]


def test_what_only_looks_like_something_did_not_come_from_it() -> None:
    """A result that gets the id of one that is mended away isn't taken for it: each is told with its own reason."""
    call = am.ToolUseBlock("a.b", "f", {})
    results = [_plain("tool", [ToolResultBlock(link)]) for link in ("a_b", "a.b")]
    told = {
        loss.path: loss.why for loss in am.repair(History([_plain("assistant", [call]), *results]), "anthropic").losses
    }
    assert told["messages", 1] == told["messages", 1, "content", 0] == "result-duplicate"
    assert told["messages", 2, "content", 0, "tool_call_id"] == "id-characters"


@attrs.frozen(kw_only=True)
class _LastOnly(Toy):
    """Of adjacent systems, only the last stays."""

    def make_caps(self) -> Caps:
        def last(plan: Any, messages: Any) -> Any:
            return as_is(messages)[-1:] if len(messages) > 1 else plan

        return Caps(messages={"*": MessageRow(fields={"id": KEEP})}, arrange=(last,))


def test_a_message_without_blocks_is_known_by_itself() -> None:
    """An id that we made is none until it is written: so one message doesn't pass for another without any."""
    made = Msg("system", [], created_at=None)
    history = History([_plain("system", []), _plain("developer", []), made])
    fitted = fit(history, _LastOnly())
    assert fitted.history.messages == (made,)
    written = fitted.history.evolve(messages=[made.evolve(id=str(made.id))])
    assert same(restore(written, list(account(fitted))), history)


def test_losses_read_well() -> None:
    """A loss prints as one line, a loss report as a count by level."""
    losses = account(fit(History([_plain("user", [DataBlock(1)], model="m")]), StrictToy()))
    assert [str(loss) for loss in losses] == [
        "messages/0/model dropped (annotation)",
        "messages/0/content/0 dropped (content): no place for a data block here",
    ]
    assert repr(losses) == "<Losses: 1 content, 1 annotation>"
    assert isinstance(losses[:1], Losses)
    assert losses == losses[:]


def _emptied(message: Msg) -> Any:
    return Swap(message.evolve(content=()), "no data here", "content") if message.content else message


@attrs.frozen(kw_only=True)
class _EmptyingToy(Toy):
    """A message rule removes all blocks of user messages, and empty messages are dropped."""

    def make_caps(self) -> Caps:
        results: dict[type[am.BaseBlock], Row] = {ToolResultBlock: Row({"tool_call_id": KEEP})}
        return Caps(
            messages={"user": MessageRow(otherwise=_emptied), "tool": MessageRow(blocks=results)},
            arrange=(split_results,),
            drops_emptied=True,
        )


def test_what_a_rule_empties_goes() -> None:
    """A split-off message that a rule leaves empty is dropped with all its blocks, and fit terminates."""
    history = History([_plain("tool", [ToolResultBlock("c1"), DataBlock(1), DataBlock(2)])])
    fitted = fit(history, _EmptyingToy())
    assert [message.role for message in fitted.history] == ["tool"]
    losses = account(fitted)
    assert [(loss.path[-1], loss.kind, loss.level) for loss in losses] == [
        (1, "dropped", "content"), (2, "dropped", "content"),
    ]  # fmt: skip
    assert same(restore(fitted.history, losses), history)


@pytest.mark.parametrize("holds", [True, False], ids=["a place", "no place"])
def test_structured_output_is_something(holds: bool) -> None:
    """An emptied message stays if its structured output has a place; if not, it goes as a whole, and is told."""
    row = MessageRow(fields={"structured": KEEP} if holds else {})

    @attrs.frozen(kw_only=True)
    class Structuring(Toy):
        def make_caps(self) -> Caps:
            return Caps(messages={"*": row}, drops_emptied=True)

    history = History([_plain("assistant", [DataBlock(1)], structured={"a": 1}), _plain("user", [], structured=0)])
    fitted = fit(history, Structuring())
    left = [(message.content, message.structured) for message in fitted.history]
    assert left == ([((), {"a": 1}), ((), 0)] if holds else [])
    losses = account(fitted)
    assert {loss.path[1] for loss in losses} == ({0} if holds else {0, 1})
    assert same(restore(fitted.history, losses), history)


def test_a_fit_asks_a_rule_and_a_cell_once() -> None:
    """Besides the test whether a message stays as it is, which a cell without a usual case takes part in."""
    asked: list[str] = []

    def rule(message: Msg) -> Any:
        asked.append("rule")
        return message if message.provider else Swap(message.evolve(provider="toy"), "always told", "annotation")

    def cell(model: str, _: Any) -> str:
        asked.append("cell")
        return model.lower()

    row = MessageRow(fields={"model": cell, "provider": KEEP}, blocks={TextBlock: Row({"text": KEEP})}, otherwise=rule)

    @attrs.frozen(kw_only=True)
    class Asking(Toy):
        def make_caps(self) -> Caps:
            return Caps(messages={"assistant": row})

    (message,) = fit(History([_plain("assistant", model="M")]), Asking()).history
    assert (message.model, message.provider, sorted(asked)) == ("m", "toy", ["cell", "cell", "rule"])


def test_what_a_codec_reads_and_cannot_write_is_told() -> None:
    """A codec that reads more than its table supports forgets nothing silently: each message is checked."""
    raw = am.dumps(History([_plain("tool", [ToolResultBlock("c1", name="f")], model="m")]), "json")
    codec = _EmptyingToy()
    losses: list[am.Loss] = []
    am.dumps(am.loads(raw, codec), codec, losses=losses)
    assert [loss.path for loss in losses] == [("messages", 0, "model"), ("messages", 0, "content", 0, "name")]


def _folded(items: list[Any], joins: Any) -> list[Any]:
    """Join neighbours one after the other: the plain way, in quadratic time."""
    out: list[Any] = []
    for block in items:
        whole = joins(out[-1], block) if out else None
        out[-1:] = [whole] if whole is not None else [*out[-1:], block]
    return out


def _stays(block: Any, row: MessageRow) -> bool:
    """Whether a rule leaves a block unchanged: only such blocks can be joined."""
    found = row.blocks.get(block.__class__)
    return found is not None and (found.otherwise is None or found.otherwise(block) is block)


@pytest.mark.parametrize("codec", am.codec_names())
def test_neighbours_that_are_one_are_the_same_however_they_are_joined(codec: str) -> None:
    """The result of joining a run of blocks doesn't depend on the order of the joins."""
    made: list[Any] = [
        am.TextBlock("a"), am.TextBlock("b", citations=[am.Citation("https://x", start=0, end=1)]),
        am.TextBlock("c", extras={"openai": {"k": 1}}), am.ThinkingBlock("t"),
        am.ThinkingBlock("u", signature=am.Signature("x", "s")), am.RefusalBlock("no"), am.DataBlock({"a": 1}),
        am.ImageBlock(am.URLSource("https://x/a.png")),
    ]  # fmt: skip
    rng = random.Random(7)
    for row in am.get_codec(codec).caps.messages.values():
        kinds = [block for block in made if _stays(block, row)]
        for _ in range(effort(30) if row.joins is not None else 0):
            few = rng.sample(kinds, min(len(kinds), rng.randint(1, 3)))
            blocks = [rng.choice(few).evolve() for _ in range(rng.randint(2, 40))]
            joined = _joined(blocks, blocks, cast("Any", row.joins), lambda block: block, Reasons())
            assert [item for item in joined if not isinstance(item, Drop)] == _folded(blocks, row.joins)
