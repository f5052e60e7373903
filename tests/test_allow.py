"""What a caller decides to lose: options, words for kinds of content, and the state of tools that failed."""

from __future__ import annotations

import json
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Annotated, Any, cast

import attrs
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from pydantic import TypeAdapter

import agentmsg as am
from agentmsg.cli.program import program
from agentmsg.fitting import allowing
from agentmsg.fitting.levels import ANNOTATIONS
from agentmsg.fitting.losses import Loss
from agentmsg.model.blocks import BLOCK_TAGS
from agentmsg.testing import histories
from data import effort
from support.grand_tour import grand_tour

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAMES = tuple(name for name in am.codec_names() if not am.get_codec(name).caps.everything)
THINKING = am.History.of("Why?", am.Msg("assistant", [am.ThinkingBlock("Hm."), am.TextBlock("So.")]))
each_codec = pytest.mark.parametrize("name", NAMES)


def failed(status: str, content: Any, **fields: Any) -> am.History:
    """Return a conversation in which a tool failed."""
    result = am.ToolResultBlock("c1", content, name="f", status=status, **fields)
    return am.History.of("Go.", am.Msg("assistant", [am.ToolUseBlock("c1", "f", {})]), am.Msg("tool", [result]))


def refusal_of(history: am.History, name: Any, **options: Any) -> am.LossError | None:
    """Return the refusal to encode a history, if it is refused."""
    try:
        am.encode(history, name, **options)
    except am.LossError as error:
        return error
    return None


# -- words ------------------------------------------------------------------------------------------------------------


def check_words(history: am.History, name: am.CodecName) -> None:
    """The words of a refusal allow it, all together, and each of them is needed."""
    refused = refusal_of(history, name)
    if refused is None:
        return
    assert refused.allow
    assert set(refused.allow) <= set(allowing.WORDS)
    assert all(repr(word) in str(refused) for word in refused.allow)
    assert refusal_of(history, name, allow=refused.allow) is None
    for word in refused.allow:
        others = [other for other in refused.allow if other != word]
        again = refusal_of(history, name, allow=others)
        assert again is not None
        assert again.allow


@each_codec
@pytest.mark.parametrize(
    "history", [grand_tour(), THINKING, *(grand_tour()[n : n + 1] for n in range(len(grand_tour())))]
)
def test_a_refusal_names_the_words_that_allow_it(name: am.CodecName, history: am.History) -> None:
    """No loss of content lacks a word, and none is allowed by another's."""
    check_words(history, name)


@each_codec
@settings(max_examples=effort(20))
@given(history=histories())
def test_every_loss_has_a_word(name: am.CodecName, history: am.History) -> None:
    """So it is for any history."""
    check_words(history, name)


# Other tests may have registered classes of their own.
_OURS = [cls for cls in BLOCK_TAGS if cls.__module__.startswith("agentmsg.")]


@pytest.mark.parametrize("cls", [*_OURS, am.Msg, am.ToolSpec, am.NativeTool, am.Settings, am.History], ids=str)
def test_every_class_and_field_has_a_word(cls: Any) -> None:
    """What can be lost of each class has the word of its kind; what is an annotation needs none."""
    word = next(allowing._CLASSES[kind] for kind in cls.__mro__ if kind in allowing._CLASSES)
    assert word in allowing.WORDS
    assert cls not in BLOCK_TAGS or cls in allowing._CLASSES or word == "custom"
    path = {am.Settings: ("settings",), am.History: ()}.get(cls, ("messages", 9))
    for field in attrs.fields(cls):
        if field.init and field.name not in {"notes", *ANNOTATIONS}:
            loss = Loss((*path, field.name.lstrip("_")), "dropped", "x", "content", was=1)
            needed = allowing.needed(loss, am.History.of("Hi"))
            assert needed
            assert all(set(words) <= set(allowing.WORDS) for words in needed)


@pytest.mark.parametrize("word", ["thoughts", "", None, 7, True, ["thinking", "x"], {"thinking": 1, "y": 2}])
def test_unknown_words_are_refused(word: Any) -> None:
    """A word that nobody knows would allow nothing, in silence."""
    for call in (am.encode, am.dumps):
        with pytest.raises(am.InvalidMessage):
            call(THINKING, "openai", allow=word)
    with pytest.raises(am.InvalidMessage):
        am.convert(THINKING, to="openai", allow=word)
    with pytest.raises(am.InvalidMessage):
        am.As("openai", allow=word)


def _embedded(**options: Any) -> Any:
    from pydantic import TypeAdapter

    adapter = cast("Any", TypeAdapter)(Annotated[am.History, am.As("openai", **options)])
    return adapter.dump_python(THINKING)


WRITERS: dict[str, Callable[..., Any]] = {
    "encode": partial(am.encode, THINKING, "openai"),
    "dumps": partial(am.dumps, THINKING, "openai"),
    "history.encode": partial(THINKING.encode, "openai"),
    "message.encode": partial(THINKING[1].encode, "openai"),
    "messages_for": partial(THINKING.messages_for, "openai"),
    "dump": partial(am.dump, THINKING, BytesIO(), "openai"),
    "dump_lines": partial(am.dump_lines, [THINKING], BytesIO(), "openai"),
    "emit": partial(am.emit, THINKING[1], "openai"),
    "As": _embedded,
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize(
    ("options", "is_refused"),
    [
        ({}, True),
        ({"allow": ["citations", "tools"]}, True),
        ({"allow": ["citations", "thinking"]}, False),
        ({"allow": "thinking"}, False),
        ({"thinking": "drop"}, False),
        ({"thinking": "text"}, False),
        ({"on_loss": "ignore"}, False),
    ],
    ids=str,
)
def test_all_writers_take_the_decision(write: Callable[..., Any], options: Any, *, is_refused: bool) -> None:
    """What the caller allows, by a word or an option, isn't refused, whoever writes."""
    if not is_refused:
        write(**options)
        return
    with pytest.raises((am.LossError, ValueError), match=r"thinking"):
        write(**options)


def test_convert_takes_words() -> None:
    """With words, all other content is refused; what is allowed is reported nevertheless."""
    done = am.convert(THINKING, to="openai", allow=["thinking"])
    assert [loss.path for loss in done.losses.content] == [("messages", 1, "content", 0)]
    for options in ({"on_loss": "error"}, {"allow": ["tools"]}):
        with pytest.raises(am.LossError):
            am.convert(THINKING, to="openai", **cast("Any", options))
    assert am.convert(THINKING, to="openai").losses.content
    decided = am.convert(THINKING, to=am.get_codec("openai", thinking="text"), on_loss="error")
    assert decided.losses.content


OPTIONS = [
    (name, option, value)
    for name in NAMES
    for option in ("thinking", "reasoning")
    for value in getattr(
        getattr(attrs.fields_dict(type(am.get_codec(name))).get(option), "validator", None), "options", ()
    )
    if value is not None and value != "auto"
]


@pytest.mark.parametrize(("name", "option", "value"), OPTIONS)
def test_an_explicit_option_decides(name: am.CodecName, option: str, value: str) -> None:
    """Whatever an option makes of thinking isn't refused, but reported; the codec as an object says the same."""
    message = am.Msg(
        "assistant", [am.ThinkingBlock("Hm.", redacted="x"), am.ThinkingBlock("So."), am.TextBlock("Yes.")]
    )
    history: Any = message if name.endswith("-response") else am.History.of("Why?", message)
    chosen: Any = {option: value}
    codec = am.get_codec(name, **chosen)
    losses: list[am.Loss] = []
    am.encode(history, codec, losses=losses)
    if value != attrs.fields_dict(type(codec))[option].default:
        assert am.encode(history, codec) == am.encode(history, name, on_loss="ignore", **chosen)


# -- tools that failed ------------------------------------------------------------------------------------------------


@each_codec
@pytest.mark.parametrize("status", ["error", "denied", "interrupted"])
@pytest.mark.parametrize("content", ["boom", "", [am.ImageBlock.from_url("https://example.com/a.png")]], ids=str)
def test_a_failed_tool_is_ordinary(name: am.CodecName, status: str, content: Any) -> None:
    """A state without a place is what the text says; a result without one gets it; all of it is restored."""
    history = failed(status, content)
    if name.endswith("-response"):
        return
    losses: list[am.Loss] = []
    document = am.encode(history, name, losses=losses)
    lost = [loss for loss in losses if loss.path[-1] == "status" and loss.level == "content"]
    # A document with a place for the state may have a client that doesn't send it: only what no text says is told.
    assert not [loss for loss in lost if loss.kind != "unsent" or content == "boom"]
    if isinstance(content, str):
        assert am.encode(history, name) == document
    back = am.decode(document, name)
    result = next(iter(back[-1].tool_results), None)
    assert result is None or result.is_error or result.text
    assert am.same(am.restore(back, losses), history)


@each_codec
@pytest.mark.parametrize("fields", [{"error": "no city"}, {"error_type": "ValueError"}])
def test_why_a_tool_failed_is_its_text(name: am.CodecName, fields: Any) -> None:
    """Where an error has no place, it becomes the text of the result."""
    if not name.endswith("-response"):
        (word,) = fields.values()
        document = am.encode(failed("error", "", **fields), name)
        result = next(iter(am.decode(document, name)[-1].tool_results))
        assert result.is_error or word in result.text


# -- the command line -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--on-loss", "error"], 3),
        (["--allow", "citations"], 3),
        (["--allow", "citations", "--allow", "thinking"], 0),
        (["--on-loss", "error", "--allow", "citations,thinking"], 0),
        (["--on-loss", "error", "-O", "thinking=drop"], 0),
        (["--allow", "thoughts"], 2),
    ],
    ids=str,
)
def test_the_command_line_takes_the_words(options: list[str], code: int, tmp_path: Path) -> None:
    """--allow says which content may be lost, and the error which word would do."""
    path = tmp_path / "a.json"
    am.dump(THINKING, path, "json")
    done = CliRunner().invoke(program, ["convert", str(path), "--to", "openai", *options])
    assert done.exit_code == code, done.output
    if code == 3:
        assert "--allow thinking allows it" in done.stderr
    if code == 0:
        assert json.loads(done.stdout)["messages"][1]["content"] == "So."
        assert "no place for thinking" in done.stderr


# -- losses in hand ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("carry", [False, True], ids=["", "carried"])
@each_codec
def test_a_list_of_losses_is_as_safe_as_a_report(name: am.CodecName, *, carry: bool) -> None:
    """What a plain list collected restores its own history only, in memory, in a file and in a pickle."""
    import pickle

    reports, lists = TypeAdapter(am.Losses), TypeAdapter(list[am.Loss])
    history = grand_tour()
    if name.endswith("-response"):
        history = history.filter(role="assistant")[:1]
    done = am.convert(history, to=name, carry=carry)
    losses: list[am.Loss] = []
    document = am.encode(history, name, losses=losses, carry=carry)
    assert losses == list(done.losses)
    back = am.decode(document, name)
    stranger = am.History.of(*(am.Msg.user("Somebody else's.") for _ in range(len(back) + 1)))
    filed = am.dump_losses(losses, back)
    for found in (
        losses,
        done.losses,
        am.load_losses(filed),
        list(am.load_losses(filed)),
        pickle.loads(pickle.dumps(losses)),
        [attrs.evolve(loss) for loss in losses],
        reports.validate_json(reports.dump_json(done.losses)),
        reports.validate_json(reports.dump_json(am.load_losses(filed))),
        lists.validate_json(lists.dump_json(losses)),
        lists.validate_json(lists.dump_json(list(am.load_losses(filed)))),
    ):
        if not found:
            continue
        assert am.same(am.restore(back, found), history)
        with pytest.raises(am.LossError):
            am.restore(stranger, found)
        with pytest.raises(am.LossError):
            am.dump_losses(found, stranger)
    assert am.same(am.restore(back, am.load_losses(done.dump_losses())), history)


def test_losses_of_several_conversions_are_told_apart() -> None:
    """A list that collected the losses of two histories restores neither: nobody could say which is whose."""
    losses: list[am.Loss] = []
    document = am.encode(am.History.of(am.Msg.user("a", name="ada")), "anthropic", losses=losses)
    one = list(losses)
    am.encode(am.History.of(am.Msg.user("b", name="bob")), "anthropic", losses=losses)
    with pytest.raises(am.LossError) as raised:
        am.restore(am.History.of("b"), losses)
    assert raised.value.code == "edited"
    assert am.restore(am.decode(document, "anthropic"), one)[0].name == "ada"


WRONG: dict[str, Callable[[], Any]] = {
    "no target": lambda: am.convert(THINKING),
    "two targets": lambda: am.convert(THINKING, None, "openai", to="openai"),
    "a history with a format": lambda: am.convert(THINKING, "openai", "anthropic"),
    "a document without one": lambda: am.convert({"messages": []}, to="openai"),
    "bytes without one": lambda: am.convert(b"[]", to="openai"),
    "another word": lambda: am.convert(THINKING, to="openai", on_loss=cast("Any", "raise")),
}


@pytest.mark.parametrize("call", WRONG.values(), ids=WRONG)
def test_convert_says_what_is_missing(call: Callable[[], Any]) -> None:
    """A history has no format; every document has one."""
    with pytest.raises(am.InvalidMessage):
        call()


@each_codec
def test_a_history_in_hand_is_converted(name: am.CodecName) -> None:
    """It, a message, or a list of messages is written as encode does, with the report."""
    for given_ in (THINKING, THINKING[1], list(THINKING)):
        assert am.convert(given_, to=name).document == am.encode(given_, name, on_loss="ignore")


_FOREIGN = am.Msg("assistant", [am.NativeBlock("elsewhere", {"text": "What only another format holds."})])


@pytest.mark.parametrize("name", ["anthropic", "openai", "openai-responses", "bedrock", "gemini", "hf"])
def test_what_a_repair_mends_is_no_error(name: am.CodecName) -> None:
    """Who asks for a repair decided: only what the format can't hold is refused."""
    orphan = am.History.of("Go.", am.Msg.tool("9 degrees", tool_call_id="gone"), am.Msg.assistant("So."))
    losses: list[am.Loss] = []
    document = am.encode(orphan, name, repair=True, losses=losses)
    assert am.encode(orphan, name, repair=True) == document
    with pytest.raises(am.LossError) as raised:
        am.encode(orphan + list(THINKING) + [_FOREIGN], name, repair=True)
    assert raised.value.allow


@pytest.mark.parametrize("reasoning", ["drop", "think"])
def test_reasoning_of_rows_is_an_option(reasoning: str) -> None:
    """An option of another name decides of thinking, too."""
    codec = am.get_codec("hf", reasoning=reasoning)
    assert codec.decided == {"thinking"}
    signed = am.Msg("assistant", [am.ThinkingBlock("Hm.", redacted="x"), am.TextBlock("So.")])
    assert am.encode(am.History.of("Why?", signed), codec)
