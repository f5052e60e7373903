"""Objects as people see them: short reprs, and the same in rich."""

from __future__ import annotations

from typing import Any

import pytest
from rich.console import Console
from rich.pretty import pretty_repr

import agentmsg as am
from support.grand_tour import grand_tour

CONVERTED = am.convert([{"role": "user", "content": "x", "name": "ada"}], "openai", "anthropic")
SHORT: dict[str, tuple[Any, str]] = {
    "a text": (am.TextBlock("Hi"), "TextBlock(text='Hi')"),
    "an empty text": (am.TextBlock("", metadata={"a": None}), "TextBlock(text='', metadata={'a': None})"),
    "a call": (am.ToolUseBlock("c1", "f", {"a": 1}), "ToolUseBlock(id='c1', name='f', input={'a': 1})"),
    "another kind": (am.ToolUseBlock("c1", "f", kind="custom"), "ToolUseBlock(id='c1', name='f', kind='custom')"),
    "a zero": (am.Usage(input=0), "Usage(input=0)"),
    "a history": (
        am.History([am.Msg("user", "Hi", id="m1", created_at=None)], id="h"),
        "History(messages=(Msg(role='user', content=(TextBlock(text='Hi'),), id='m1'),), id='h')",
    ),
    "a loss": (
        CONVERTED.losses[0],
        "Loss(path=('messages', 0, 'name'), kind='dropped', codec='anthropic', level='annotation', was='ada')",
    ),
    "a conversion": (
        CONVERTED,
        "Conversion(losses=<Losses: 1 annotation>, document={'messages': [{'role': 'user', 'content': 'x'}]})",
    ),
}


@pytest.mark.parametrize("name", SHORT)
def test_reprs_are_short(name: str) -> None:
    """A repr shows an object's main fields first, and nothing absent or default."""
    shown, text = SHORT[name]
    assert repr(shown) == text


def test_a_made_time_is_shown_as_a_time() -> None:
    """The repr of a new message shows its time, but not that agentmsg made it."""
    message = am.Msg.user("Hi")
    assert message.created_at is not None
    assert f"created_at={message.created_at.isoformat(timespec='milliseconds')})" in repr(message)


def test_rich_shows_the_same() -> None:
    """Rich shows the fields of the repr, laid out; for a loss report each loss."""
    history = grand_tour()
    for message in history:
        for shown in (message, *message.content):
            flat = pretty_repr(shown, max_width=10**6)
            assert flat == repr(shown) or len(repr(shown)) == 2000
    assert pretty_repr(CONVERTED.losses, max_width=10**6) == f"Losses({CONVERTED.losses[0]!r})"
    console = Console(width=60, record=True, quiet=True)
    console.print(history)
    assert "UNSET" not in console.export_text()


def test_a_long_document_does_not_hide_the_losses() -> None:
    """The repr of a conversion has its losses first, whatever the document's length."""
    done = am.convert([{"role": "user", "content": "x" * 5000, "name": "ada"}], "openai", "anthropic")
    assert repr(done).startswith("Conversion(losses=<Losses: 1 annotation>, document=")
    assert len(repr(done)) == 2000


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ((am.ToolUseBlock("c", "add", {"a": 1}),), "[add({'a': 1})]"),
        ((am.TextBlock("Hm."), am.ToolUseBlock("c", "add", raw_input="{oops")), "Hm. [add({oops)]"),
        ((am.TextBlock("See"), am.ImageBlock.from_url("u")), "See [image]"),
        (tuple(cls.from_url("u") for cls in (am.AudioBlock, am.VideoBlock, am.FileBlock)), "[audio] [video] [file]"),
        ((am.ThinkingBlock("hm"), am.TextBlock("x" * 60)), "x" * 47 + "..."),
        ((am.ToolUseBlock("c", "add", {"a": "x" * 60}),), "[add({'a': '" + "x" * 35 + "..."),
        ((), ""),
        ((am.ToolResultBlock("c", [am.TextBlock("x"), am.ImageBlock.from_url("u")]),), "x [image]"),
        ((am.ThinkingBlock("hm"),), "[thinking]"),
        ((am.RefusalBlock("no"), am.DataBlock({"a": 1})), "[refusal] [data]"),
        ((am.NativeBlock("openai", {}),), "[native]"),
    ],
)
def test_calls_and_media_are_shown(content: tuple[am.Block, ...], text: str) -> None:
    """``str`` of a message shows what it says besides its text, and stays short."""
    assert str(am.Msg("assistant", content)).replace(" [c]", "") == f"Msg(assistant): {text}"
