"""The codec ``openai``: the model of each native object, documents of compatible servers, the effects of edits.

Exact return, damaged documents, planted notes and the other laws are tested in test_laws.py.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.errors import AgentMsgError
from agentmsg.formats.spelling import same_document
from agentmsg.testing import exact_return, histories, honest_account, mutate
from agentmsg.values.frozen import plain_copy
from agentmsg.values.types import is_list, is_object
from agentmsg_codecs.openai import OpenAICodec
from data import effort
from support import checked
from support.checked import refused
from support.documents import documents
from support.openai_messages import (
    CITATION,
    OWN,
    PNG,
    SERVERS,
    SIGNED,
    TEXT,
    USE,
    assistant,
    call,
    image,
    msg,
    own,
    sound,
    thought,
    user,
)
from support.strict import openai_request_problems

CODEC = OpenAICodec()
returned = partial(checked.returned, codec=CODEC)


def read(native: Any) -> am.Msg:
    """Return the message of a native one that comes back exactly."""
    return returned([native])[0]


def write(*messages: am.Msg, losses: list[am.Loss] | None = None) -> Any:
    """Return the native messages of some messages."""
    found: list[am.Loss] = [] if losses is None else losses
    return am.thaw(am.encode(am.History(messages), CODEC, losses=found))["messages"]


# -- messages -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", OWN)
def test_openais_own_messages_mean_this(case: str) -> None:
    """Each native message of OpenAI is this message, and the message is written as this native one."""
    native, message = OWN[case]
    assert am.same(read(native), message)
    losses: list[am.Loss] = []
    assert same_document(write(message, losses=losses), [native])
    assert losses == []
    assert openai_request_problems([native]) == []


@pytest.mark.parametrize("case", SERVERS)
def test_messages_of_servers_mean_this(case: str) -> None:
    """A compatible server's message is this message, and comes back exactly, directly and through canonical JSON."""
    native, message = SERVERS[case]
    history = returned([native])
    assert am.same(history[0], message), history[0]
    again = am.decode(am.encode(history, "json"), "json")
    assert same_document(am.thaw(CODEC.write(again)), [native])


MADE = [case for case, (_, message) in SERVERS.items() if not message.has(am.NativeBlock)]


@pytest.mark.parametrize("case", MADE)
def test_what_no_document_had_is_never_written_anew(case: str) -> None:
    """The same message, made and not read, is written as OpenAI's own types require."""
    assert openai_request_problems(write(_bare(SERVERS[case][1]))) == []


def _bare(message: am.Msg) -> am.Msg:
    def bare(block: Any) -> Any:
        citations = {"citations": ()} if isinstance(block, am.TextBlock) else {}
        return block.evolve(extras={}, **citations)

    return message.evolve(content=[bare(block) for block in message.content], extras={})


# -- documents ----------------------------------------------------------------------------------------------------


def test_a_body_keeps_its_parameters() -> None:
    """A body's keys other than messages, tools and settings are extras of the history, with their own types."""
    history = returned({"model": "m", "messages": [], "temperature": 1.0, "stop": None, "n": 2})
    assert history.settings == am.Settings(model="m", temperature=1.0)
    assert history.extras == {"openai": {"stop": None, "n": 2}}


def test_a_bare_list_stays_one_until_it_has_tools() -> None:
    """A list of messages is written as one; tools need a body."""
    history = returned([{"role": "user", "content": "u"}])
    assert am.encode(history.evolve(tools=[am.ToolSpec("f")]), CODEC) == {
        "messages": [{"role": "user", "content": "u"}],
        "tools": [{"type": "function", "function": {"name": "f"}}],
    }


SCHEMA: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}
TOOLS: dict[str, tuple[Any, am.Tool]] = {
    "function": (
        {"type": "function", "function": {"name": "f", "description": "d", "parameters": SCHEMA, "strict": True}},
        am.ToolSpec("f", "d", SCHEMA, strict=True),
    ),
    "custom": (
        {"type": "custom", "custom": {"name": "f", "format": {"type": "text"}}},
        am.ToolSpec("f", kind="custom", **own({"format": {"type": "text"}}, "openai.item")),
    ),
    "cache_control": (
        {"type": "function", "function": {"name": "f"}, "cache_control": {"type": "ephemeral"}},
        am.ToolSpec("f", cache=am.CacheHint()),
    ),
    "unknown keys": (
        {"type": "function", "function": {"name": "f", "x": 1}, "y": 2},
        am.ToolSpec("f", extras={"openai.item": {"x": 1}, "openai": {"y": 2}}),
    ),
    "nulls": ({"function": {"name": "f", "description": None, "parameters": None}}, am.ToolSpec("f")),
    "another": ({"type": "web_search"}, am.NativeTool("openai", {"type": "web_search"})),
    "broken": ({"type": "function"}, am.NativeTool("openai", {"type": "function"})),
}


@pytest.mark.parametrize("case", TOOLS)
def test_tools_mean_this(case: str) -> None:
    """Each native tool is this tool, and comes back exactly."""
    native, tool = TOOLS[case]
    assert am.same(returned({"messages": [], "tools": [native]}).tools, (tool,))


def test_functions_of_old_are_tools() -> None:
    """The functions of an old request are tools, and are written as functions again, also after others."""
    old = {"name": "g", "parameters": SCHEMA}
    assert am.same(returned({"messages": [], "functions": [old]}).tools, (am.ToolSpec("g", parameters=SCHEMA),))
    both = returned({"messages": [], "tools": [TOOLS["function"][0]], "functions": [old]})
    assert [tool.name for tool in both.tools if isinstance(tool, am.ToolSpec)] == ["f", "g"]


def test_an_edited_function_of_old_may_be_a_tool() -> None:
    """An old function with added keys that only a tool has is written as a tool."""
    (tool,) = returned({"messages": [], "functions": [{"name": "g"}]}).tools
    history = am.History(tools=[tool.evolve(extras={"openai": {"x": 1}})])
    assert am.encode(history, CODEC)["tools"] == [{"type": "function", "function": {"name": "g"}, "x": 1}]


# -- arguments ----------------------------------------------------------------------------------------------------

ARGUMENTS: dict[str, Any] = {
    "": {},
    '{"a":1.10}': {"a": 1.1},
    '{"a": 123456789012345678901234567890}': {"a": 123456789012345678901234567890},
    '{"a":1,"a":2}': {"a": 2},
    ' {"b": 1,\n "a": 2} ': {"b": 1, "a": 2},
    '"x"': "x",
    "[1]": [1],
    "null": None,
}


@pytest.mark.parametrize("text", ARGUMENTS)
def test_arguments_keep_their_text(text: str) -> None:
    """Arguments are parsed exactly, and their text is written byte for byte; an edit of the input drops it."""
    (block,) = read(assistant(tool_calls=[call(text)])).tool_calls
    assert block.is_valid
    assert am.same(block.input, am.ToolUseBlock(None, "f", ARGUMENTS[text]).input)
    (native,) = write(msg("assistant", block.evolve(input={"new": 1})))
    assert native["tool_calls"][0]["function"]["arguments"] == '{"new":1}'


@pytest.mark.parametrize("text", ["{bad", '{"a":', "NaN"])
def test_invalid_arguments_are_kept_as_they_are(text: str) -> None:
    """Text that isn't JSON makes an invalid call and is never repaired."""
    (block,) = read(assistant(tool_calls=[call(text)])).invalid_tool_calls
    assert (block.is_valid, block.input, block.raw_input) == (False, None, text)


def test_very_deep_arguments_are_text() -> None:
    """Arguments nested beyond any parser come back byte for byte."""
    deep = "[" * 50_000 + "]" * 50_000
    (block,) = read(assistant(tool_calls=[call(deep)])).blocks(am.ToolUseBlock)
    assert block.raw_input == deep


def test_custom_input_that_is_no_text_is_a_function_call() -> None:
    """A custom call holds only text: any other input is written as a function call, and that is reported."""
    losses: list[am.Loss] = []
    (native,) = write(msg("assistant", am.ToolUseBlock("c1", "f", {"a": 1}, kind="custom")), losses=losses)
    assert native["tool_calls"] == [call('{"a":1}')]
    assert [loss.path for loss in losses] == [("messages", 0, "content", 0, "kind")]


# -- links --------------------------------------------------------------------------------------------------------


def test_results_are_named_after_their_calls() -> None:
    """The n-th result of an id has the name of its n-th call, which isn't written, and is no loss."""
    calls = [call(), {"id": "c1", "type": "function", "function": {"name": "g", "arguments": "{}"}}]
    result = {"role": "tool", "tool_call_id": "c1", "content": "r"}
    history = returned([assistant(tool_calls=calls), result, result, result])
    assert [message.tool_results[0].name for message in history[1:]] == ["f", "g", None]


def function(name: str, content: Any = "r") -> dict[str, Any]:
    """Return the result of an old function."""
    return {"role": "function", "name": name, "content": content}


def old(name: str) -> dict[str, Any]:
    """Return a function_call."""
    return assistant(function_call={"name": name, "arguments": "{}"})


OLD = [{"role": "user", "content": "u"}, old("f"), function("f"), old("f"), function("f")]


def _links(history: am.History) -> list[str | None]:
    return [
        block.id if isinstance(block, am.ToolUseBlock) else block.tool_call_id
        for message in history
        for block in message.content
        if isinstance(block, (am.ToolUseBlock, am.ToolResultBlock))
    ]


def test_functions_of_old_are_linked_in_order() -> None:
    """Each function_call has its own id, and each result that of the first unanswered call of its name."""
    assert _links(returned(OLD)) == ["call_1_0_f", "call_1_0_f", "call_3_0_f", "call_3_0_f"]
    crossed = returned([old("f"), old("g"), function("g"), function("f"), function("f")])
    assert _links(crossed) == ["call_0_0_f", "call_1_0_g", "call_1_0_g", "call_0_0_f", None]


def test_functions_of_old_pass_through_canonical_json() -> None:
    """Made ids and the old form survive a store."""
    again = am.decode(am.encode(returned(OLD), "json"), "json")
    assert same_document(am.thaw(CODEC.write(again)), OLD)


def _edited(history: am.History, index: int, **changes: Any) -> am.History:
    messages = list(history.messages)
    messages[index] = messages[index].evolve(content=[messages[index].content[0].evolve(**changes)])
    return history.evolve(messages=messages)


Edit = Callable[[am.History], am.History]
EDITS: dict[str, Edit] = {
    "id of a call": lambda history: _edited(history, 1, id="mine"),
    "id of a result": lambda history: _edited(history, 2, tool_call_id="mine"),
    "name of a call": lambda history: _edited(history, 1, name="g"),
    "name of a result": lambda history: _edited(history, 2, name="g"),
    "no name": lambda history: _edited(history, 2, name=None),
    "a message before": lambda history: history[1:],
    "first call": lambda history: history[:1] + history[2:],
    "first result": lambda history: history[:2] + history[3:],
    "a message between": lambda history: history.evolve(messages=[*history[:2], msg("user", TEXT), *history[2:]]),
    "exchanged": lambda history: history.evolve(messages=[history[i] for i in (0, 3, 4, 1, 2)]),
    "input": lambda history: _edited(history, 1, input={"new": 1}),
    "kind": lambda history: _edited(history, 1, kind="custom", input="x"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_edits_of_functions_of_old_win(edit: str) -> None:
    """After any edit or deletion, the written document reads back as the edited history, links included."""
    edited = EDITS[edit](returned(OLD))
    fitted = honest_account(CODEC, edited).history
    assert am.same(CODEC.read(plain_copy(am.thaw(CODEC.write(fitted)))), fitted)
    assert _links(fitted) == _links(edited)


# -- thinking -----------------------------------------------------------------------------------------------------

COPIED: dict[str, Any] = {
    "reasoning_content": assistant("a", reasoning_content="t", reasoning="t"),
    "thinking_blocks": assistant(
        "a", thinking_blocks=[{"type": "thinking", "thinking": "t", "signature": "s"}], reasoning_content="t"
    ),
    "reasoning_details": assistant("a", reasoning_details=[{"type": "reasoning.text", "text": "t"}], reasoning="t"),
}


@pytest.mark.parametrize("place", COPIED)
def test_an_edit_of_thinking_shows_in_all_copies(place: str) -> None:
    """No field keeps a model's thinking from before the edit; without thinking no field remains."""
    message = read(COPIED[place])
    first, *rest = message.content
    (native,) = am.thaw(am.encode([message.with_content([first.evolve(thinking="new"), *rest])], CODEC))["messages"]
    assert set(native) == set(COPIED[place])
    expected = plain_copy(COPIED[place])
    for key, value in expected.items():
        if value == "t":
            expected[key] = "new"
        elif isinstance(value, list):
            value[0]["text" if "text" in value[0] else "thinking"] = "new"
    assert same_document(native, expected)
    assert write(message.with_content(rest)) == [assistant("a")]


def test_thinking_of_others_is_dropped_by_default() -> None:
    """OpenAI's messages can't hold thinking: it is dropped everywhere, as a content loss."""
    losses: list[am.Loss] = []
    assert write(msg("assistant", TEXT, thought(signature=SIGNED)), losses=losses) == [assistant("a")]
    assert [(loss.path, loss.level) for loss in losses] == [(("messages", 0, "content", 1), "content")]


WRITTEN: dict[str, Any] = {
    "drop": assistant("a"),
    "text": assistant([{"type": "text", "text": "<thinking>t</thinking>"}, {"type": "text", "text": "a"}]),
    "reasoning_content": assistant("a", reasoning_content="t"),
    "reasoning": assistant("a", reasoning="t"),
    "reasoning_details": assistant(
        "a",
        reasoning_details=[{"type": "reasoning.text", "text": "t", "signature": "s", "format": "anthropic-claude-v1"}],
    ),
    "thinking_blocks": assistant("a", thinking_blocks=[{"type": "thinking", "thinking": "t", "signature": "s"}]),
}
LOST: dict[str, list[tuple[Any, ...]]] = {
    "drop": [()],
    "text": [()],
    "reasoning_content": [("signature",)],
    "reasoning": [("signature",)],
    "reasoning_details": [],
    "thinking_blocks": [],
}


@pytest.mark.parametrize("place", WRITTEN)
def test_the_option_chooses_the_place_of_thinking(place: Any) -> None:
    """Thinking goes into the key of the option, with its signature if that key has one."""
    losses: list[am.Loss] = []
    message = msg("assistant", thought(signature=SIGNED), TEXT)
    body = am.thaw(am.encode([message], "openai", thinking=place, losses=losses))
    assert same_document(body["messages"], [WRITTEN[place]])
    assert [loss.path for loss in losses] == [("messages", 0, "content", 0, *path) for path in LOST[place]]


VARIANTS = [OpenAICodec(thinking=place) for place in WRITTEN] + [OpenAICodec(container="list")]  # type: ignore[arg-type]


@pytest.mark.parametrize("codec", VARIANTS, ids=repr)
@settings(max_examples=effort(40))
@given(history=histories(), seed=st.integers(0, 2**32))
def test_the_account_is_honest_with_every_option(codec: OpenAICodec, history: am.History, seed: int) -> None:
    """Law 3 holds for each option: the output and its loss report rebuild the input."""
    honest_account(codec, history, rng=random.Random(seed))


@pytest.mark.parametrize("codec", VARIANTS, ids=repr)
def test_documents_come_back_with_every_option(codec: OpenAICodec) -> None:
    """Options are for new messages: read ones come back exactly with each of them."""
    for native, _ in (*OWN.values(), *SERVERS.values()):
        assert exact_return(codec, [native]) is not None
    rng = random.Random(7)
    sources = documents("openai")
    for _ in range(effort(40)):
        exact_return(codec, mutate(rng.choice(sources)[1], rng))


def test_the_option_list_writes_bare_lists() -> None:
    """A new history is a bare list if that was requested and there is nothing beside messages."""
    history = am.History([msg("user", TEXT)])
    assert am.encode(history, "openai", container="list") == [{"role": "user", "content": "a"}]
    body = am.encode(history.evolve(tools=[am.ToolSpec("f")]), "openai", container="list")
    assert set(body) == {"messages", "tools"}


# -- content without an equivalent in OpenAI -----------------------------------------------------------------------

NOTHING = {"role": "user", "content": ""}
GIVEN: dict[str, tuple[am.Msg, Any, list[tuple[Any, ...]]]] = {
    "a URL that is data": (
        msg("user", am.ImageBlock(am.URLSource("data:image/png;base64,QUJD"))),
        user(image("data:image/png;base64,QUJD")),
        [(0, "source")],
    ),
    "a type with parameters": (
        msg("user", am.ImageBlock(am.Base64Source("QUJD", "image/png;x=1"))),
        user(image("data:image/png;base64,QUJD")),
        [(0, "source")],
    ),
    "another detail": (
        msg("user", am.ImageBlock(am.URLSource("u"), detail="ultra")), user(image("u")), [(0, "detail")]
    ),
    "an image file": (msg("user", am.ImageBlock(am.FileSource("f", "openai"))), NOTHING, [(0,)]),
    **{
        f"sound, {kind}": (msg("user", am.AudioBlock(source)), user(sound(format=form)), [(0, "source")])
        for kind, form, source in (
            ("mpeg", "mp3", am.Base64Source("QUJD", "audio/mpeg")),
            ("capitals", "mp3", am.Base64Source("QUJD", "AUDIO/MP3")),
            ("x-wav", "wav", am.Base64Source("QUJD", "audio/x-wav")),
            ("URL that is data", "wav", am.URLSource("data:audio/wav;rate=1;base64,QUJD")),
        )
    },
    "sound, flac": (
        msg("user", am.AudioBlock(am.Base64Source("QUJD", "audio/flac"), transcript="t")),
        {"role": "user", "content": "t"},
        [(0,)],
    ),
    "a file of another": (msg("user", am.FileBlock(am.FileSource("f", "anthropic"))), NOTHING, [(0,)]),
    "a file by URL": (msg("user", am.FileBlock(am.URLSource("https://x"))), NOTHING, [(0,)]),
    "a document of text": (
        msg("user", am.FileBlock(am.TextSource("x", "text/plain"), title="t")),
        {"role": "user", "content": "t\n\nx"},
        [(0,)],
    ),
    "a document of blocks": (
        msg("user", am.FileBlock(am.BlocksSource([am.TextBlock("x"), am.TextBlock("y")]))),
        {"role": "user", "content": "x\ny"},
        [(0,)],
    ),
    "a video": (msg("user", am.VideoBlock(am.URLSource("u"))), NOTHING, [(0,)]),
    "a cache of an hour": (
        msg("user", am.TextBlock("a", cache=am.CacheHint("ephemeral", "1h"))),
        user({"type": "text", "text": "a", "prompt_cache_breakpoint": {"mode": "explicit", "ttl": "30m"}}),
        [(0, "cache")],
    ),
    "a refusal of a user": (msg("user", am.RefusalBlock("no")), {"role": "user", "content": "no"}, [(0,)]),
    "citations": (msg("assistant", am.TextBlock("ab", citations=[CITATION])), assistant("ab"), [(0, "citations")]),
    "a call before text": (msg("assistant", USE, TEXT), assistant("a", tool_calls=[call('{"a": 1}')]), [(0,)]),
    "a call without id": (
        msg("assistant", am.ToolUseBlock(None, "f", {})),
        assistant(tool_calls=[{**call(), "id": "call_0_0_f"}]),
        [(0, "id")],
    ),
    "two sounds": (
        msg("assistant", *(am.AudioBlock(am.FileSource(name, "openai")) for name in "ab")),
        assistant(audio={"id": "a"}),
        [(1,)],
    ),
    "sound itself": (
        msg("assistant", am.AudioBlock(am.Base64Source("QUJD", "audio/mp3"), item_id="s", **own({"expires_at": 5}))),
        assistant(audio={"id": "s"}),
        [(0, "extras"), (0, "item_id"), (0, "source")],
    ),
    "sound whose id is empty": (
        msg("assistant", TEXT, am.AudioBlock(am.Base64Source("QUJD"), item_id="")),
        assistant("a"),
        [(1,)],
    ),
    "a failed result": (
        msg("tool", am.ToolResultBlock("c1", "r", status="error")),
        {"role": "tool", "tool_call_id": "c1", "content": "r"},
        [(0, "status")],
    ),
    "an error alone": (
        msg("tool", am.ToolResultBlock("c1", error="boom")),
        {"role": "tool", "tool_call_id": "c1", "content": "boom"},
        [(0,)],
    ),
    "an image of a tool": (
        msg("tool", am.ToolResultBlock("c1", [TEXT, am.ImageBlock(PNG)])),
        {"role": "tool", "tool_call_id": "c1", "content": "a"},
        [(0, "content", 1)],
    ),
    "structure": (
        msg("tool", am.ToolResultBlock("c1", structured={"a": 1})),
        {"role": "tool", "tool_call_id": "c1", "content": '{"a":1}'},
        [(0,)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", GIVEN)
def test_what_has_no_equal_place_is_accounted_for(case: str) -> None:
    """The nearest native message is written, it is valid, and the loss report rebuilds the rest."""
    message, native, paths = GIVEN[case]
    losses: list[am.Loss] = []
    natives = [] if native is NOTHING else [native]
    assert same_document(write(message, losses=losses), natives)
    lost = sorted({loss.path[: 3 + len(paths[0])] for loss in losses}, key=str)
    assert lost == [("messages", 0, "content", *path) for path in paths] if natives else [("messages", 0)]
    assert openai_request_problems(natives) == []
    honest_account(CODEC, am.History([message]))


def _noted(cls: Any, *fields: Any, note: str, value: Any = True, **more: Any) -> Any:
    return cls(*fields, **more, notes={"openai": {f"/{note}": value}})


_CITED = am.Citation("u", "t", None, 0, 1, "url_citation")
HOLDERS: dict[str, Any] = {
    "annotations": _noted(am.TextBlock, "a", citations=[_CITED], note="annotated"),
    "audio": am.AudioBlock(am.FileSource("f", "openai")),
    "extra_content": _noted(am.TextBlock, "a", signature=am.Signature("google", "s"), note="signed", value="message"),
    "function_call": _noted(am.ToolUseBlock, None, "f", {}, note="legacy"),
    "reasoning": _noted(am.ThinkingBlock, "t", note="place", value="reasoning"),
    "refusal": _noted(am.RefusalBlock, "no", note="refusal"),
    "tool_calls": am.ToolUseBlock("c", "f", {}),
}


@pytest.mark.parametrize("key", HOLDERS)
@pytest.mark.parametrize("value", [5, "x", [5], {"x": 1}, None], ids=repr)
@pytest.mark.parametrize("name", ["openai", "openai-response"])
def test_an_extra_under_a_key_that_is_used_is_accounted_for(name: am.CodecName, key: str, value: Any) -> None:
    """If a block is under a key, an extra of this key isn't supported, and its loss is reported.

    A response can't hold the block itself if it is audio in another place: then it holds the extra.
    """
    message = msg("assistant", HOLDERS[key], **own({key: value}))
    output = honest_account(am.get_codec(name), am.History([message])).history[0]
    is_alone = not output.content and value is not None
    assert (output.extras == message.extras) is is_alone


# -- errors -------------------------------------------------------------------------------------------------------


REFUSED: list[tuple[Any, tuple[Any, ...]]] = [
    *((odd, ()) for odd in (None, 5, "text", True, 1.5)),
    ({}, ("messages",)),
    ({"messages": None}, ("messages",)),
    ({"messages": {"0": {}}}, ("messages",)),
    ([5], (0,)),
    ([[]], (0,)),
    ([{"role": "user", "content": "a"}, None], (1,)),
    ({"messages": [{"role": "user", "content": "a"}, "x"]}, ("messages", 1)),
    ({"messages": [{}]}, ("messages", 0, "role")),
    ({"messages": [{"role": None}]}, ("messages", 0, "role")),
    ([{"role": ["user"]}], (0, "role")),
]


@pytest.mark.parametrize(("document", "path"), REFUSED, ids=repr)
def test_what_is_no_request_is_refused(document: Any, path: tuple[Any, ...]) -> None:
    """Anything but a message, or a list of them, is a DecodeError with the path."""
    assert refused(document, codec=CODEC) == (path, "schema", "openai")


def test_data_that_reads_as_an_address_has_no_place() -> None:
    """Compatible servers take the URL of a sound where its data stand."""
    sound = am.AudioBlock(am.Base64Source("a:b", "audio/wav"))
    honest_account(OpenAICodec(), am.History([am.Msg("user", [am.TextBlock("Hi"), sound])]))


@pytest.mark.parametrize("options", [{"thinking": "loud"}, {"container": "box"}, {"engine": None}])
def test_unknown_options_are_refused(options: Any) -> None:
    """An unknown option, or a value that it doesn't take, is a CodecLookupError."""
    with pytest.raises(am.CodecLookupError):
        am.get_codec("openai", **options)


# -- the fast paths -----------------------------------------------------------------------------------------------

_SLOW = "x_slow"


def _entries(native: dict[str, Any], key: str) -> list[Any]:
    entries = native.get(key)
    # One text alone could be content that is a string; with one more key it couldn't.
    return [] if not is_list(entries) or (key == "content" and len(entries) == 1) else entries


def _slowed(document: Any) -> Any:
    """Return a copy with an unknown key in each message, part and call: no fast path takes these."""
    out = plain_copy(document)
    natives: Any = out.get("messages") if is_object(out) else out
    for native in filter(is_object, natives if is_list(natives) else []):
        for entry in filter(is_object, _entries(native, "content") + _entries(native, "tool_calls")):
            entry[_SLOW] = 1
        native[_SLOW] = 1
    return out


def _without(value: Any) -> Any:
    """Return a value without that key, and without the extras that held only it."""
    if is_list(value):
        return list(map(_without, value))
    if not is_object(value):
        return value
    kept = {key: _without(item) for key, item in value.items() if key != _SLOW}
    bare = ("openai", "extras")
    return {key: item for key, item in kept.items() if key not in bare or item != {} or value[key] == {}}


def _outcome(document: Any) -> Any:
    try:
        return plain_copy(am.thaw(am.encode(CODEC.read(document), "json")))
    except AgentMsgError as error:
        return error.code, error.path


def _check_paths(document: Any) -> bool:
    """Check that both paths read the same, notes included, and write the same; False: there was nothing to read."""
    fast, slow = _outcome(plain_copy(document)), _outcome(_slowed(document))
    if isinstance(fast, tuple):
        assert fast == slow, document
        return False
    assert same_document(fast, _without(slow)), document
    general = am.decode(_without(slow), "json")
    assert am.same(am.decode(fast, "json"), general)
    assert same_document(am.thaw(CODEC.write(general)), document)
    return True


def test_fast_paths_agree_with_the_general_one() -> None:
    """Golden, recorded and made-up documents are read and written the same by the fast paths and the general one."""
    for _, document in documents("openai"):
        assert _check_paths(document)
    for native, _ in (*OWN.values(), *SERVERS.values()):
        assert _check_paths([native])
    assert _check_paths(OLD)


def test_fast_paths_agree_on_damaged_documents() -> None:
    """The same for damaged documents: almost usual ones are read as by the general path."""
    rng = random.Random(8)
    usual = [plain_copy(native) for native, _ in OWN.values()]
    tries = effort(500)
    read_at_all = sum(_check_paths(mutate(rng.sample(usual, 3), rng)) for _ in range(tries))
    assert read_at_all > tries // 5
