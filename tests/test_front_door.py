"""What people call first: a history converts itself, and everything that takes messages takes texts and mappings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

import agentmsg as am
from agentmsg.model.history import as_history

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CALL = am.Msg.assistant("Let me look.", tool_calls=[{"name": "find", "id": "c1", "input": {"q": "x"}}])
WHOLE = am.History.of("Hello", CALL, am.Msg.tool("found", tool_call_id="c1", name="find"), am.Msg.assistant("There."))
# These formats' documents are responses.
ANSWERS: set[am.CodecName] = {
    "anthropic-response",
    "bedrock-response",
    "gemini-response",
    "openai-response",
    "openai-responses-response",
}


# -- a history converts itself -----------------------------------------------------------------------------------------


def test_a_history_goes_out_and_comes_back_by_itself() -> None:
    """The canonical forms of a history, as data and as text, restore it completely."""
    history = am.History(WHOLE.messages, id="h1", tools=[am.ToolSpec("find")], metadata={"a": 1})
    assert am.same(am.History.from_dict(history.to_dict()), history)
    assert am.same(am.History.from_json(history.to_json()), history)
    assert am.same(am.History.from_json(history.to_json().encode()), history)
    assert history.to_dict() == am.encode(history, "json")
    assert history.digest() == am.History.from_dict(history.to_dict()).digest()


@pytest.mark.parametrize("codec", am.codec_names())
def test_a_history_encodes_and_decodes_itself(codec: am.CodecName) -> None:
    """``history.encode`` and ``History.decode`` are ``encode`` and ``decode``, with their options and their errors."""
    document = WHOLE.encode(codec, losses=[])
    assert document == am.encode(WHOLE, codec, losses=[])
    assert am.same(am.History.decode(document, codec), am.decode(document, codec))
    assert am.same(am.History.decode(document, am.get_codec(codec), limits=am.Limits()), am.decode(document, codec))


def test_what_a_history_cannot_be_made_of_is_an_error() -> None:
    """A history refuses documents of another format; a message also refuses any other number of messages."""
    for document in ({"agentmsg": 1, "messages": [{"role": 7}]}, 5, None):
        with pytest.raises(am.DecodeError):
            am.History.from_dict(document)  # type: ignore[arg-type]
    assert len(am.History.from_dict(am.encode([], "json"))) == 0
    with pytest.raises(am.DecodeError) as caught:
        am.Msg.from_dict(WHOLE.to_dict())
    assert caught.value.code == "schema"
    with pytest.raises(am.CodecLookupError):
        am.History.decode([], "opnai")  # type: ignore[arg-type]


# -- native messages ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("codec", sorted({*am.codec_names()} - ANSWERS))
def test_messages_for_is_a_list_of_native_messages(codec: am.CodecName) -> None:
    """A history of any format returns its native messages as a list that belongs to the caller."""
    known = am.get_codec(codec)
    for history in (WHOLE, WHOLE[:1], am.History.decode(WHOLE[:1].encode(codec, losses=[]), codec)):
        messages = history.messages_for(codec, losses=[])
        assert type(messages) is list
        assert messages == list(known.native_messages(history.encode(codec, losses=[])))
        assert all(isinstance(message, (dict, list)) for message in messages)
        messages.clear()
        assert history.messages_for(codec, losses=[])
    assert am.History().messages_for(codec) == []


def test_messages_for_openai_and_anthropic_are_what_their_clients_take() -> None:
    """For a body, a list or nothing, the messages are the list under "messages"."""
    asked = [{"role": "user", "content": "Hi"}]
    for document in (asked, {"model": "gpt-5", "messages": asked, "tools": []}):
        assert am.decode(document, "openai").messages_for("openai") == asked
    assert am.History.of(am.Msg.system("Be brief."), "Hi").messages_for("anthropic", system="drop") == asked


def test_messages_for_refuses_to_lose_content_as_encode_does() -> None:
    """A loss of content is an error unless the caller asks for the losses or ignores them."""
    history = am.History.of(am.Msg.of(am.ThinkingBlock("hm"), am.TextBlock("x")))
    with pytest.raises(am.LossError) as caught:
        history.messages_for("openai")
    assert caught.value.code == "content-loss"
    losses: list[am.Loss] = []
    assert history.messages_for("openai", losses=losses) == history.messages_for("openai", on_loss="ignore")
    assert any(loss.level == "content" for loss in losses)
    assert history.messages_for("openai", thinking="text", losses=[])[0]["content"][-1] == {"type": "text", "text": "x"}


def test_messages_for_of_answers_and_unknown_options_is_refused() -> None:
    """Formats whose documents are responses have no list of messages; options are the codec's or an error."""
    for codec in ANSWERS:
        with pytest.raises(am.CodecLookupError) as caught:
            WHOLE.messages_for(codec)
        assert (caught.value.code, caught.value.codec) == ("option", codec)
    with pytest.raises(am.CodecLookupError):
        WHOLE.messages_for("openai", thinknig="text")  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]


# -- texts and mappings -----------------------------------------------------------------------------------------------


def test_all_that_takes_messages_takes_what_history_of_takes() -> None:
    """The constructor, ``+``, ``extended``, ``encode``, ``dumps`` and a Recorder take texts and mappings too."""
    given: list[am.Msg | str | Mapping[str, Any]] = ["Hi", {"role": "assistant", "content": "Yes?"}, am.Msg.user("Bye")]
    wanted = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Yes?"},
        {"role": "user", "content": "Bye"},
    ]
    made = [
        am.History(given), am.History() + given, am.History().extended(*given), as_history(given),
        am.Recorder(given).history, am.Recorder().add(*given).history, am.History.of(*given), am.History(iter(given)),
    ]  # fmt: skip
    for history in made:
        assert history.messages_for("openai") == wanted
    assert am.encode(given, "openai") == {"messages": wanted}
    assert am.loads(am.dumps(given, "openai"), "openai") == am.decode({"messages": wanted}, "openai")
    assert [message.text for message in am.History.of("a") + ["b"]] == ["a", "b"]  # noqa: RUF005


def test_what_is_no_message_is_refused_with_its_index() -> None:
    """One error with the path of the item, wherever messages are taken; bytes are no text."""
    calls: tuple[Callable[[Any], Any], ...] = (
        am.History,
        as_history,
        lambda items: am.History() + items,
        lambda items: am.encode(items, "openai"),
    )
    wrong: list[tuple[Any, tuple[str | int, ...]]] = [
        ([am.Msg.user("a"), 5], ("messages", 1)),
        (["", "b"], ("messages", 0, "text")),
    ]
    for call in calls:
        for bad, path in wrong:
            with pytest.raises(am.InvalidMessage) as caught:
                call(bad)
            assert caught.value.path == path
        with pytest.raises(am.InvalidMessage):
            call(cast("Any", b"Hello"))


FOREIGN: list[tuple[dict[str, Any], str]] = [
    ({"role": "user", "content": [{"type": "text", "text": "x"}]}, "openai"),
    ({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x.y/z.png"}}]}, "openai"),
    (
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        },
        "openai",
    ),
    ({"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]}, "anthropic"),
    ({"type": "human", "data": {"content": "x"}}, "langchain"),
]


@pytest.mark.parametrize(("foreign", "codec"), FOREIGN)
def test_a_message_of_another_format_is_an_error_that_names_decode(
    foreign: dict[str, Any], codec: am.CodecName
) -> None:
    """For a mapping that is a provider's message, the error names the way to read it, and that way works."""
    with pytest.raises(am.InvalidMessage, match=rf'agentmsg\.decode\(\[\.\.\.\], "{codec}"\) reads it'):
        am.History.of(foreign)
    assert len(am.decode([foreign], codec)) == 1
    with pytest.raises(am.InvalidMessage, match=r"agentmsg\.decode"):
        am.History.of({"role": "user", "contnt": "x"})


def test_the_blocks_stand_together() -> None:
    """``agentmsg.blocks`` has every class of blocks, the same as the package itself."""
    classes = [name for name in am.__all__ if name.endswith("Block") and name not in ("Block", "ContentBlock")]
    assert len(classes) > 10
    assert all(getattr(am.blocks, name) is getattr(am, name) for name in classes)
