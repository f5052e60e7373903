"""restore with edits="keep": what was edited in the converted history stays, and the rest is restored around it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import agentmsg as am
from agentmsg import History, ImageBlock, Msg, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock, URLSource, same
from agentmsg.fitting.account_file import from_lines, to_lines
from agentmsg.fitting.digest import printed
from agentmsg.fitting.edits import GONE, Back, edited
from agentmsg.fitting.prints import read_prints
from agentmsg.fitting.restore import restore
from agentmsg.values.types import is_mapping
from data import golden
from support.checked import msg

if TYPE_CHECKING:
    from collections.abc import Callable

_SENT = History(
    [
        Msg("system", "Be brief.", id="s1", name="boss"),
        Msg("user", "Weather in Oslo?", id="u1", name="Ada", metadata={"k": 1}),
        msg(
            "assistant",
            ThinkingBlock("They want the weather."),
            TextBlock("I'll look."),
            ToolUseBlock("c1", "weather", {"city": "Oslo"}),
            id="a1",
            name="Bot",
        ),
        msg("tool", ToolResultBlock("c1", [TextBlock("4 degrees")], name="weather", structured={"t": 4}), id="t1"),
        Msg("assistant", "Four degrees.", id="a2", name="Bot"),
        Msg("user", "Thanks", id="u2", name="Ada"),
    ]
)
_NEW = Msg("user", "And one more thing.", id=None, created_at=None)
NAMES: tuple[Any, ...] = tuple(name for name in am.codec_names() if am.get_codec(name).holds_messages)


def _reports(target: am.CodecName) -> tuple[History, list[am.Losses]]:
    """Return what the document of the conversation reads as, and its loss report: in memory and from a file."""
    done = am.convert(_SENT.encode("json"), "json", target)
    back = am.decode(done.document, target)
    return back, [done.losses, from_lines(to_lines(done.losses, back))]


def _is_in(message: Msg, history: History) -> bool:
    return any(same(message, each) for each in history)


@pytest.mark.parametrize("target", NAMES)
def test_what_was_inserted_stays_in_its_place(target: am.CodecName) -> None:
    """Wherever a message is inserted, it stays there, and all others come back as they were."""
    back, reports = _reports(target)
    for place in range(len(back) + 1):
        given = back.evolve(messages=[*back[:place], _NEW, *back[place:]])
        for losses in reports:
            got = am.restore(given, losses, edits="keep")
            rest = [message for message in got if message.text != _NEW.text]
            assert same(got.evolve(messages=rest), _SENT), place
            assert len(got) == len(_SENT) + 1


@pytest.mark.parametrize("target", NAMES)
def test_what_was_deleted_stays_deleted(target: am.CodecName) -> None:
    """All that is left of the others comes back as it was, and no text of theirs is on another message."""
    back, reports = _reports(target)
    for place in range(len(back)):
        given = back.evolve(messages=[*back[:place], *back[place + 1 :]])
        for losses in reports:
            got = am.restore(given, losses, edits="keep")
            kept = [message for message in got if _is_in(message, _SENT)]
            assert len(kept) >= len(_SENT) - 1
            assert all(message.id in {each.id for each in _SENT} for message in got)


@pytest.mark.parametrize("target", NAMES)
def test_what_was_swapped_keeps_what_it_had(target: am.CodecName) -> None:
    """Messages that changed places come back as they were, in their new places, or the report is refused."""
    back, reports = _reports(target)
    codes: set[str] = set()
    for place in range(len(back) - 1):
        messages = list(back.messages)
        messages[place : place + 2] = messages[place + 1], messages[place]
        for losses in reports:
            try:
                got = am.restore(back.evolve(messages=messages), losses, edits="keep")
            except am.LossError as error:
                codes.add(error.code)
                continue
            assert len(got) == len(_SENT)
            assert all(_is_in(message, got) for message in _SENT)
    assert codes <= {"edited"}


@pytest.mark.parametrize("target", NAMES)
def test_what_was_reworded_stays_so(target: am.CodecName) -> None:
    """A text that was edited stays, beside what its message had besides; all other messages are as they were."""
    back, reports = _reports(target)
    for place, message in enumerate(back):
        for at, block in enumerate(message.content):
            if not isinstance(block, TextBlock):
                continue
            content = [*message.content[:at], block.evolve(text="EDITED"), *message.content[at + 1 :]]
            given = back.evolve(messages=[*back[:place], message.evolve(content=content), *back[place + 1 :]])
            for losses in reports:
                got = am.restore(given, losses, edits="keep")
                assert [m.id for m in got] == [m.id for m in _SENT]
                assert [m.name for m in got] == [m.name for m in _SENT]
                assert sum(_is_in(each, got) for each in _SENT) == len(_SENT) - 1
                assert sum("EDITED" in str(each.content) for each in got) == 1


@pytest.mark.parametrize("target", ["openai", "anthropic", "gemini"])
def test_edits_of_the_document_stay_too(target: am.CodecName) -> None:
    """The document is edited as JSON and read again: what was inserted or deleted there stays so."""
    done = am.convert(_SENT.encode("json"), "json", target)
    losses = from_lines(to_lines(done.losses, am.decode(done.document, target)))
    key = "contents" if target == "gemini" else "messages"
    new = am.encode(_NEW, target)
    documents: list[Any] = [am.encode(_SENT, target, on_loss="ignore"), done.document]
    for document in documents:
        native: Any = document[key] if is_mapping(document) else document
        native.insert(1, (new if isinstance(new, list) else new.get(key, [new]))[0])
        native.pop()
        got = am.restore(am.decode(document, target), losses, edits="keep")
        assert {m.text for m in got if m.role == "user"} == {_NEW.text, _SENT[1].text}
        assert _is_in(_SENT[1], got)
        assert not any("Thanks" in m.text for m in got)


def test_a_document_of_many_parts_takes_a_message_at_its_beginning() -> None:
    """A message inserted before documents and citations shifts nothing, and no text is gone."""
    path = next(path for path in golden("anthropic") if path.stem.startswith("04_documents"))
    document = json.loads(path.read_bytes())
    for name in (name for name in NAMES if name != "anthropic"):
        done = am.convert(document, "anthropic", name)
        back = am.decode(done.document, name)
        got = am.restore(back.evolve(messages=[_NEW, *back]), done.losses, edits="keep")
        assert same(got[1:], done.history), name


_BASE = [Msg("user", text, id=None, created_at=None) for text in ("a", "b", "c", "d")]
_A, _B, _C, _D = _BASE
_X = Msg("user", "x", id=None, created_at=None)
_Y = Msg("assistant", "y", id=None, created_at=None)
# What became of [a, b, c, d]: each slot's text, what was added behind each, and which slots are unsure.
ALIGNED: dict[str, tuple[list[Msg], list[str], dict[int, list[str]], set[int]]] = {
    "nothing": (_BASE, ["a", "b", "c", "d"], {}, set()),
    "inserted": ([_A, _X, _B, _C, _D], ["a", "b", "c", "d"], {0: ["x"]}, set()),
    "deleted": ([_A, _C, _D], ["a", "", "c", "d"], {}, set()),
    "swapped": ([_A, _C, _B, _D], ["a", "b", "c", "d"], {0: ["2"]}, set()),
    "edited": ([_A, _X, _C, _D], ["a", "x", "c", "d"], {}, set()),
    "another in its place": ([_A, _Y, _C, _D], ["a", "", "c", "d"], {0: ["y"]}, set()),
    "edited, and inserted elsewhere": ([_X, _B, _C, _Y, _D], ["x", "b", "c", "d"], {2: ["y"]}, set()),
    "edited or deleted": ([_A, _X, _D], ["a", "x", "", "d"], {}, {1, 2}),
    "all gone": ([], ["", "", "", ""], {}, set()),
}


@pytest.mark.parametrize(("new", "items", "added", "unsure"), ALIGNED.values(), ids=ALIGNED)
def test_each_slot_says_what_became_of_it(
    new: list[Msg], items: list[str], added: dict[int, list[str]], unsure: set[int]
) -> None:
    """Equal messages are found wherever they are, edited ones between them; what can't be told apart is unsure."""
    found = edited(new, printed(History(new)).messages, printed(History(_BASE)).messages)
    assert ["" if slot.item is GONE else slot.item.text for slot in found.slots] == items
    told = {
        place: [str(each.slot) if isinstance(each, Back) else each.text for each in slot.added]
        for place, slot in enumerate(found.slots)
        if slot.added
    }
    assert told == added
    assert {place for place, slot in enumerate(found.slots) if slot.is_unsure} == unsure


def test_what_cant_be_known_is_refused() -> None:
    """Of two equal messages one was deleted, and only one of them had a name: that is an error, not a guess."""
    history = History(
        [Msg("user", "ok", id=None, name="Ada"), Msg("user", "ok", id=None), Msg("assistant", "yes", id=None)]
    )
    losses: list[am.Loss] = []
    back = am.decode(am.encode(history, "arcaelas", losses=losses), "arcaelas")
    report = am.convert(history.encode("json"), "json", "arcaelas").losses
    with pytest.raises(am.LossError) as caught:
        am.restore(back[1:], report, edits="keep")
    assert caught.value.code == "edited"
    assert losses


def test_a_report_without_prints_is_read_as_before() -> None:
    """Reports of earlier versions say nothing about messages: changed values stay, other edits are refused."""
    back, (losses, _) = _reports("openai")
    header, *lines = list(to_lines(losses, back))
    old = {key: value for key, value in json.loads(header).items() if "prints" not in key}
    report = from_lines([json.dumps(old), *lines])
    assert same(am.restore(back, report), _SENT)
    place = next(i for i, m in enumerate(back) if m.text == "Thanks")
    given = back.evolve(messages=[*back[:place], back[place].with_content("Thank you")])
    assert am.restore(given, report, edits="keep")[-1].name == "Ada"
    with pytest.raises(am.LossError) as caught:
        am.restore(back.evolve(messages=[_NEW, *back]), report, edits="keep")
    assert caught.value.code == "edited"


def test_prints_come_back_from_a_header() -> None:
    """What a header holds reads as the same prints; anything else is a fault of the file."""
    prints = printed(_SENT)
    data: Any = json.loads(json.dumps(prints.as_data()))
    assert read_prints(data["prints"], data.get("tool_prints", [])) == prints
    header, *lines = list(to_lines(_reports("openai")[1][0], _SENT))
    for broken in (5, [5] * len(_SENT), [["user"]] * len(_SENT), [[1, 2]] * len(_SENT), []):
        with pytest.raises(am.DecodeError):
            from_lines([json.dumps(json.loads(header) | {"prints": broken}), *lines]).prints()


EDITS: dict[str, Callable[[list[Any]], list[Any]]] = {
    "inserted": lambda blocks: [TextBlock("new"), *blocks],
    "deleted": lambda blocks: blocks[1:],
    "swapped": lambda blocks: blocks[::-1],
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_blocks_are_found_too(edit: Callable[[list[Any]], list[Any]]) -> None:
    """Blocks inserted, deleted or swapped in a message stay so; the others get back what they had."""
    image = ImageBlock(URLSource("https://x.example/a.png"), metadata={"mine": 1})
    history = History(
        [msg("user", TextBlock("see", metadata={"mine": 2}), image, TextBlock("and", metadata={"mine": 3}))]
    )
    done = am.convert(history.encode("json"), "json", "openai")
    back = am.decode(done.document, "openai")
    given = back.evolve(messages=[back[0].evolve(content=edit(list(back[0].content)))])
    got = restore(given, done.losses, edits="keep")[0]
    wanted = edit(list(history[0].content))
    assert same(got.content, tuple(wanted))


def test_other_edits_take_nothing_away() -> None:
    """Who has another role, or answers another call, keeps all that it had."""
    back, reports = _reports("openai")
    for losses in reports:
        user = next(i for i, m in enumerate(back) if m.text == "Thanks")
        given = back.evolve(messages=[*back[:user], back[user].evolve(role="system"), *back[user + 1 :]])
        got = am.restore(given, losses, edits="keep")[-1]
        assert (got.role, got.id, got.name) == ("system", "u2", "Ada")
        at = next(i for i, m in enumerate(back) if m.role == "tool")
        result = back[at].content[0].evolve(tool_call_id="c2")
        given = back.evolve(messages=[*back[:at], back[at].evolve(content=[result]), *back[at + 1 :]])
        got = am.restore(given, losses, edits="keep")[at]
        assert got.tool_results[0].tool_call_id == "c2"
        assert got.tool_results[0].structured == {"t": 4}


@pytest.mark.parametrize("target", ["agentscope", "pydantic-ai"])
def test_a_document_that_carries_its_losses_may_be_edited(target: am.CodecName) -> None:
    """What travels in the document is found wherever its message is now, and restored around what was inserted."""
    done = am.convert(_SENT.encode("json"), "json", target, carry=True)
    assert done.losses.carried
    back = am.decode(done.document, target)
    given = back.evolve(messages=[_NEW, *back])
    assert same(am.restore(given, done.losses, edits="keep")[1:], _SENT)
    alone = am.restore(given, edits="keep")[1:]
    assert am.same(am.restore(alone, list(done.losses)), _SENT)


def test_blocks_may_be_swapped_where_messages_are_one() -> None:
    """Of several messages that are one in the format, each finds its own blocks, and none of them is gone."""
    texts = [f"t{i}" for i in range(6)]
    history = History([msg("assistant", *map(TextBlock, texts[i : i + 3]), name=f"n{i}") for i in (0, 3)])
    losses: list[am.Loss] = []
    am.encode(history, "openai-responses", losses=losses)
    done = am.convert(history.encode("json"), "json", "openai-responses")
    back = am.decode(done.document, "openai-responses")
    assert len(back) == 1
    for one in range(6):
        for other in range(one):
            blocks = list(back[0].content)
            blocks[one], blocks[other] = blocks[other], blocks[one]
            got = am.restore(back.evolve(messages=[back[0].evolve(content=blocks)]), done.losses, edits="keep")
            said = [block.text for message in got for block in message.blocks(TextBlock)]
            assert sorted(said) == texts
            assert [message.name for message in got] == ["n0", "n3"]
