"""What stands beside the messages: a system prompt and tools are never left out in silence."""

from __future__ import annotations

from typing import Any

import pytest
from google.genai import types

import agentmsg as am
from agentmsg.values.text import dump_json
from support.grand_tour import grand_tour

NAMES = tuple(name for name in am.codec_names() if am.get_codec(name).holds_messages)
TOOL = am.ToolSpec("find", "Finds.", {"type": "object", "properties": {}})
HISTORIES = {
    "both": am.History.of(am.Msg.system("Be brief."), "Hi").evolve(tools=[TOOL]),
    "a system prompt": am.History.of(am.Msg.system("Be brief."), "Hi"),
    "a developer's": am.History.of(am.Msg("developer", "Be brief."), "Hi"),
    "tools": am.History.of("Hi").evolve(tools=[TOOL]),
    "neither": am.History.of("Hi"),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("history", HISTORIES.values(), ids=HISTORIES)
def test_nothing_is_left_out_in_silence(name: am.CodecName, history: am.History) -> None:
    """What the list of messages doesn't say raises, unless it is told; the other methods return it."""
    document = am.encode(history, name, on_loss="ignore")
    whole = am.decode(document, name)
    listed = history.messages_for(name, system="drop", on_loss="ignore")
    back = am.decode(listed, name) if name != "msgpack" else am.decode([1, listed], name)
    lacks = ("Be brief." not in back.to_text() and history[0].role != "user", bool(whole.tools))
    found = history.system_for(name, on_loss="ignore"), history.tools_for(name, on_loss="ignore")
    assert tuple(value is not None for value in found) == lacks
    for value, words in zip(found, (b"Be brief.", b"Finds."), strict=True):
        assert value is None or words in dump_json(value)
    ways: list[Any] = [{"on_loss": "ignore"}, {"losses": []}]
    for options in ways:
        if any(lacks):
            with pytest.raises(am.LossError, match="stand beside"):
                history.messages_for(name, **options)
        else:
            assert history.messages_for(name, **options) == listed


def test_a_word_is_needed_that_exists() -> None:
    """Any other word would be taken for a decision."""
    for word in ("keep", True, None):
        with pytest.raises(am.InvalidMessage):
            HISTORIES["both"].messages_for("anthropic", system=word)  # type: ignore[arg-type]
    for call in (am.History.messages_for, am.History.system_for, am.History.tools_for):
        with pytest.raises(am.CodecLookupError):
            call(HISTORIES["both"], "openai-response")


ASKED = HISTORIES["both"].with_settings(model="gemini-3", max_tokens=9, temperature=0.5)
EXTRA: Any = {"safetySettings": [], "cachedContent": "c/1", "generationConfig": {"candidateCount": 2}}
BODIES: dict[str, Any] = {
    "a request": ASKED,
    "a text": am.History.of("Hi"),
    "contents": am.decode([{"role": "user", "parts": [{"text": "Hi"}]}], "gemini"),
    "a content": am.decode({"role": "user", "parts": [{"text": "Hi"}]}, "gemini"),
    "an image": am.History.of(am.Msg("user", [am.ImageBlock.from_bytes(b"\x89PNG\xff\xfe", "image/png")])),
    "other parameters": am.decode({"contents": [{"parts": [{"text": "Hi"}]}], **EXTRA}, "gemini"),
    "a tour": grand_tour(),
}


@pytest.mark.parametrize("history", BODIES.values(), ids=BODIES)
def test_gemini_writes_what_the_sdk_takes(history: am.History) -> None:
    """With form="sdk" a request is a call of generate_content; it is read as the body is."""
    document = am.encode(history, "gemini", form="sdk", on_loss="ignore")
    assert set(document) <= {"model", "contents", "config"}
    assert am.same(am.decode(document, "gemini"), am.decode(am.encode(history, "gemini", on_loss="ignore"), "gemini"))
    assert am.encode(am.decode(document, "gemini"), "gemini", on_loss="ignore") == document
    body = history.messages_for("gemini", system="drop", on_loss="ignore")
    assert history.messages_for("gemini", form="sdk", system="drop", on_loss="ignore") == body
    for call in (am.History.system_for, am.History.tools_for):
        assert call(history, "gemini", form="sdk", on_loss="ignore") == call(history, "gemini", on_loss="ignore")


@pytest.mark.parametrize("form", ["body", "sdk"])
def test_a_given_form_of_gemini_wins(form: Any) -> None:
    """A history is written as it was read, unless a form is given."""
    wanted = am.encode(ASKED, "gemini", form=form)
    for read in ("body", "sdk"):
        document = am.encode(ASKED, "gemini", form=read)
        history = am.decode(document, "gemini")
        assert am.encode(history, "gemini") == document
        assert am.encode(history, "gemini", form=form) == wanted


def test_gemini_call() -> None:
    """The three arguments."""
    assert am.encode(ASKED, "gemini", form="sdk") == {
        "model": "gemini-3",
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "config": {
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "tools": [
                {
                    "functionDeclarations": [
                        {
                            "name": "find",
                            "description": "Finds.",
                            "parametersJsonSchema": {"type": "object", "properties": {}},
                        }
                    ]
                }
            ],
            "maxOutputTokens": 9,
            "temperature": 0.5,
        },
    }


@pytest.mark.parametrize("name", [name for name in BODIES if name != "a tour"])
def test_google_genai_takes_it(name: str) -> None:
    """The SDK's own types accept the contents and the config."""
    call = am.encode(BODIES[name], "gemini", form="sdk", on_loss="ignore")
    assert [types.Content.model_validate(content) for content in call["contents"]]
    types.GenerateContentConfig.model_validate(call.get("config", {}))


@pytest.mark.parametrize("name", [name for name in am.codec_names() if am.get_codec(name).holds_messages])
def test_what_is_dropped_is_decided(name: am.CodecName) -> None:
    """Where ``system="drop"`` says to leave out the tools, their loss raises nothing, wherever they would stand."""
    history = am.History.of(am.Msg.system("Be brief."), "Hi").evolve(tools=[am.ToolSpec("f", parameters={})])
    assert history.messages_for(name, system="drop")
    assert history.messages_for(name, system="drop", allow=["extras"])
