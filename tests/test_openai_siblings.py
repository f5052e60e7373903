"""The codec ``openai``: keys that only a sibling object has, and values that don't fit their key.

Only the object that writes a key knows it; a value that can't be read with its meaning is reported.
"""

from __future__ import annotations

from typing import Any

import pytest

import agentmsg as am
from agentmsg.formats.spelling import same_document
from agentmsg.values.frozen import plain_copy
from agentmsg_codecs.openai import OpenAICodec
from support.noted import notes_of
from support.openai_messages import assistant, call, user

CODEC = OpenAICodec()
TEXT_PART = {"type": "text", "text": "a"}


def comes_back(document: Any, word: str | None = None) -> am.History:
    """Check that a document comes back, directly and from Anthropic; a word of it is in no note, and isn't lost."""
    history = am.decode(document, CODEC)
    assert same_document(plain_copy(am.thaw(am.encode(history, CODEC))), document)
    result = am.convert(document, CODEC, "anthropic")
    restored = am.restore(am.decode(result.document, "anthropic"), result.losses)
    assert same_document(plain_copy(am.thaw(am.encode(restored, CODEC))), document)
    if word is not None:
        assert word not in str(list(notes_of(history)))
        assert word in str(result.document) + str(list(result.losses))
    return history


# -- keys of a sibling ------------------------------------------------------------------------------------------------

WORD = "a word of a sibling"
SIBLINGS: dict[str, Any] = {
    "an annotation of another type": [
        assistant("a", annotations=[{"type": "file_citation", "url_citation": {"url": WORD}, "file_id": "f"}])
    ],
    "cache_control with mode": [user({**TEXT_PART, "cache_control": {"type": "ephemeral", "mode": WORD}})],
    "prompt_cache_breakpoint with type": [
        user({**TEXT_PART, "prompt_cache_breakpoint": {"mode": "explicit", "type": WORD}})
    ],
    "a function message with an id": [{"role": "function", "name": "f", "content": "1", "tool_call_id": WORD}],
    "a text of reasoning with data": [
        assistant("a", reasoning_details=[{"type": "reasoning.text", "text": "t", "data": WORD, "summary": "s"}])
    ],
    "what is encrypted with a signature": [
        assistant("a", reasoning_details=[{"type": "reasoning.encrypted", "data": "d", "signature": WORD, "text": "t"}])
    ],
    "thinking with data": [assistant("a", thinking_blocks=[{"type": "thinking", "thinking": "t", "data": WORD}])],
    "what is redacted with thinking": [
        assistant("a", thinking_blocks=[{"type": "redacted_thinking", "data": "d", "thinking": WORD, "signature": "s"}])
    ],
    "a function with custom": [assistant(None, tool_calls=[call(custom={"name": WORD})])],
    "a custom tool with arguments": [
        assistant(
            None, tool_calls=[{"id": "c", "type": "custom", "custom": {"name": "f", "input": "", "arguments": WORD}}]
        )
    ],
    "another word for the type of a call": [assistant(None, tool_calls=[call(type=WORD)])],
    "a user with calls": [{"role": "user", "content": "a", "tool_calls": WORD, "refusal": WORD, "audio": WORD}],
    "a text with the keys of an image": [user({**TEXT_PART, "image_url": {"url": WORD}, "refusal": WORD})],
}


@pytest.mark.parametrize("case", SIBLINGS)
def test_what_only_a_sibling_knows_is_unknown(case: str) -> None:
    """A key that this very object doesn't write is kept visibly, and reported if it is lost."""
    comes_back(SIBLINGS[case], WORD)


@pytest.mark.parametrize("empty", [None, [], {}], ids=repr)
@pytest.mark.parametrize(("full", "other"), [("tools", "functions"), ("functions", "tools")])
def test_an_empty_list_of_tools_beside_the_other_comes_back(full: str, other: str, empty: Any) -> None:
    """If one of the two lists of tools is empty or null, it hides nothing, and comes back unchanged."""
    function = {"name": "f", "parameters": {"type": "object"}}
    entry = {"type": "function", "function": function} if full == "tools" else function
    body = {"messages": [user(TEXT_PART, TEXT_PART)], full: [entry], other: empty}
    assert len(comes_back(body).tools) == 1
