"""The codec ``hf``: columns of rows, messages, arguments, thinking, images, and rendering by chat templates.

Exact return, damaged documents, planted notes and the other laws are tested in test_laws.py; rendering by transformers
in real/test_real_templates.py.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest

import agentmsg as am
from agentmsg.fitting.fit import fit
from agentmsg.testing import honest_account
from agentmsg_codecs.hf import HfCodec
from data import some
from support import checked
from support.chat_templates import TOOLS, VISION, rendered
from support.checked import msg, refused
from support.documents import documents

CODEC = HfCodec()
returned = partial(checked.returned, codec=CODEC)
written = partial(checked.written, codec="hf")
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"q": {"type": "integer"}}}
CALL, CALLED = am.ToolUseBlock("c", "f", {"q": 1}), {"name": "f", "arguments": {"q": 1}}
USER, ANSWER = {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}


def said(history: am.History) -> list[tuple[str, str]]:
    """Return the roles and the texts."""
    return [(message.role, message.text) for message in history]


# -- rows -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "texts"),
    [
        ({"messages": [USER, ANSWER]}, ["Hi", "Hello"]),
        ({"conversations": [USER, ANSWER]}, ["Hi", "Hello"]),
        ({"prompt": [USER], "completion": [ANSWER], "label": True}, ["Hi", "Hello"]),
        ({"prompt": [USER], "chosen": [ANSWER], "rejected": [ANSWER]}, ["Hi", "Hello"]),
        ({"chosen": [USER, ANSWER], "rejected": [USER]}, ["Hi", "Hello"]),
        ({"prompt": "Hi", "chosen": [USER, ANSWER], "rejected": [USER]}, ["Hi", "Hello"]),
        ({"prompt": "Hi", "completion": "Hello"}, ["Hi", "Hello"]),
        ({"prompt": "Hi", "chosen": "Hello", "rejected": "No"}, ["Hi", "Hello"]),
        ({"prompt": "Hi", "completions": ["a", "b"], "labels": [True, False]}, ["Hi"]),
        ({"prompt": "Hi", "messages": [USER, ANSWER], "chosen": [USER]}, ["Hi", "Hello"]),
        ({"input": {"messages": [USER], "tools": []}, "preferred_output": [ANSWER], "non_preferred_output": [USER]},
         ["Hi", "Hello"]),
        ({"input": {"messages": [USER]}, "preferred_output": [], "non_preferred_output": [USER]}, ["Hi"]),
        ({"context": [USER], "completions": [{"rank": 1, "completion": [USER]}, {"rank": 0, "completion": [ANSWER]}]},
         ["Hi", "Hello"]),
        ({"context": [USER], "completions": [{"rank": 0, "completion": [ANSWER]}], "prompt": "x"}, ["x"]),
        ({"prompt_messages": [USER], "chosen_messages": [ANSWER], "rejected_messages": [USER]}, ["Hi", "Hello"]),
        ({"chosen_messages": [USER, ANSWER], "rejected_messages": [USER], "id": 1}, ["Hi", "Hello"]),
        ({"chosen_messages": [], "messages": [USER]}, ["Hi"]),
        ({"traj": [USER, ANSWER], "task_id": 1, "reward": 1.0}, ["Hi", "Hello"]),
        ({"trajectory": [USER, ANSWER], "prompt": "x"}, ["Hi", "Hello"]),
        ({"turns": [USER, ANSWER]}, ["Hi", "Hello"]),
        ({"conversation": [{"role": "human", "content": "x"}, {"role": "gpt", "content": "y"}]}, ["x", "y"]),
        ([{"role": "human", "content": "x"}, {"role": "ai", "content": "y"}], ["x", "y"]),
        ({"messages": json.dumps([USER, ANSWER]), "prompt": "x"}, ["Hi", "Hello"]),
        ({"messages": json.dumps([USER, ANSWER], separators=(",", ":"))}, ["Hi", "Hello"]),
        ({"messages": '[{"content": "Hi", "role": "user"}]', "tools": "[]"}, ["Hi"]),
        ({"messages": "[1]", "prompt": "Hi"}, ["Hi"]),
        ({"messages": "[]", "text": "x"}, []),
        ({"system": "S", "messages": [USER, ANSWER]}, ["S", "Hi", "Hello"]),
        ({"system": "S", "prompt": "Hi", "chosen": "Hello", "rejected": "No"}, ["S", "Hi", "Hello"]),
        ({"system": "S", "messages": [{"role": "system", "content": "T"}, USER]}, ["T", "Hi"]),
        ({"system": "", "messages": [USER]}, ["Hi"]),
        ({"system": "S", "messages": []}, []),
        ({"text": "<|user|>Hi"}, []),
        ([USER, ANSWER], ["Hi", "Hello"]),
        (USER, ["Hi"]),
    ],
    ids=str,
)  # fmt: skip
def test_columns_tell_where_the_messages_are(row: Any, texts: list[str]) -> None:
    """Each kind of row, a list and a message come back, with this meaning; other columns are extras."""
    history = returned(row)
    assert [message.text for message in history] == texts
    assert {message.role for message in history} <= {"system", "user", "assistant"}


def test_edits_of_messages_in_a_text_are_written_there() -> None:
    """In the style of the text; and a system message that its column can't hold any more is one of the list."""
    row = {"system": "S", "messages": json.dumps([USER, ANSWER], separators=(",", ":"))}
    history = returned(row)
    more = am.encode(history.extended(msg("user", am.TextBlock("é"))), CODEC)
    assert more["messages"] == json.dumps(
        [USER, ANSWER, {"role": "user", "content": "é"}], separators=(",", ":"), ensure_ascii=False
    )
    for messages in (history[:1], history[::-1], [*history[:1], *history], [history[0].evolve(name="n"), *history[1:]]):
        honest_account(CODEC, history.evolve(messages=messages))
    asked = {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": CALLED}]}
    returned({**row, "messages": json.dumps([USER, asked, {"role": "tool", "content": "1"}])})
    returned({**row, "messages": [USER, asked, {"role": "tool", "content": "1"}]})
    other = returned({"messages": '[{"content": "Hi", "role": "user"}]'})
    edited = am.encode(other.evolve(messages=[msg("user", am.TextBlock("Ho"))]), CODEC)
    assert edited["messages"] == '[{"content": "Ho", "role": "user"}]'
    returned({"messages": '[{"role":  "user", "content": "Hi"}]'})
    padded = {"messages": '[{"role": "user", "content": "Hi", "name": null}]'}
    assert refused(padded, codec=HfCodec(nulls="absent")) == ((), "schema", "hf")


def test_what_was_rejected_is_content() -> None:
    """It stays among the extras of the history; a format that can't hold it reports the loss."""
    row = {"prompt": [USER], "chosen": [ANSWER], "rejected": [{"role": "assistant", "content": "No"}], "score": 1}
    own: Any = returned(row).extras["hf"]
    assert set(own) == {"rejected", "score"}
    losses = am.convert(row, "hf", "anthropic").losses
    assert [loss.path for loss in losses.content] == [("extras", "hf", "rejected")]


def test_answers_grow_and_split() -> None:
    """An added message belongs to the answer; a text that can't be one is a message."""
    history = returned({"prompt": "Hi", "completion": "Hello"})
    more = am.encode(history.extended(msg("user", am.TextBlock("Bye"))), "hf")
    assert more == {"prompt": "Hi", "completion": [ANSWER, {"role": "user", "content": "Bye"}]}
    pair = returned({"prompt": "Hi", "chosen": "Hello", "rejected": "No"})
    both = am.encode(pair.extended(msg("user", am.TextBlock("Bye"))), "hf")
    assert (both["prompt"], len(both["chosen"])) == ([USER], 2)


@pytest.mark.parametrize("row", [{}, {"prompt": 1}, {"messages": None}, {"text": 1}, "x", 1], ids=repr)
def test_other_documents_are_refused(row: Any) -> None:
    """The one error of the library; its path leads through the column."""
    assert refused(row, codec=CODEC)[2] == "hf"
    assert refused({"prompt": [USER], "completion": [ANSWER, {}]}, codec=CODEC)[0] == ("completion", 1, "role")


# -- calls and results ------------------------------------------------------------------------------------------------


def test_calls_and_results_are_linked_by_their_order() -> None:
    """A result belongs to the first waiting call of its name; ids made by readers aren't written."""
    calls: list[Any] = [{"type": "function", "function": {"name": name, "arguments": {}}} for name in "fgf"]
    results = [{"role": "tool", "name": name, "content": name} for name in "ffg"]
    history = returned([{"role": "assistant", "content": "", "tool_calls": calls}, *results])
    made = [call.id for call in history[0].tool_calls]
    assert [message.tool_results[0].tool_call_id for message in history[1:]] == [made[0], made[2], made[1]]


def test_a_preference_without_its_answers_is_another_row() -> None:
    """Tools beside its messages are read; an error leads to them."""
    tools = [{"type": "function", "function": {"name": "f"}}]
    row: Any = {"input": {"messages": [USER], "tools": tools}, "preferred_output": [ANSWER], "non_preferred_output": []}
    history = returned(row)
    assert [tool.name for tool in history.tools] == ["f"]  # type: ignore[union-attr]
    more = am.encode(history.extended(msg("user", am.TextBlock("Bye"))), CODEC)
    assert [len(more[key]) for key in row] == [2, 2, 0]
    assert am.encode(history.messages, CODEC) == {"messages": [USER, ANSWER]}
    assert am.recognize(row) == "hf"
    assert refused({**row, "input": {"messages": [5]}}, codec=CODEC)[0] == ("input", "messages", 0)


def test_roles_of_swift_are_calls_and_results() -> None:
    """Each call is a message; what such a message can't hold makes it an assistant's."""
    call = '{"name": "f", "arguments": {"q": 1}}'
    rows: Any = [
        {"role": "tool_call", "content": call, "loss": 0},
        {"role": "tool_call", "content": '{"name":"g","arguments":"{ }"}'},
        {"role": "tool_response", "content": "1"},
        {"role": "tool_result", "content": {"t": 2}},
        {"role": "tool_call", "content": "f(1)"},
    ]
    history = returned(rows)
    assert [message.role for message in history] == ["assistant", "assistant", "tool", "tool", "native"]
    assert [message.tool_call_id for message in history[2:4]] == [message.tool_calls[0].id for message in history[:2]]
    assert am.recognize(rows) == "hf"
    (block,) = history[0].content
    for content, native in (
        ([CALL], {"role": "tool_call", "content": '{"id": "c", "name": "f", "arguments": {"q": 1}}', "loss": 0}),
        ([am.TextBlock("a")], {"role": "assistant", "content": "a", "loss": 0}),
        ([block, block], None),
    ):
        edited = am.encode([history[0].evolve(content=content)], CODEC)["messages"][0]
        assert edited == native or (native is None and len(edited["tool_calls"]) == 2)
    answer = am.encode([history[2].evolve(content=[am.ToolResultBlock("c", "new")])], CODEC)["messages"]
    assert answer == [{"role": "tool_response", "tool_call_id": "c", "content": "new"}]


@pytest.mark.parametrize("arguments", ['{"q": 1}', {"q": 1}, "{"], ids=repr)
@pytest.mark.parametrize("beside", [{}, {"tool_calls": None}, {"tool_calls": []}, {"role": "gpt"}], ids=str)
def test_a_call_of_functions_is_a_call(arguments: Any, beside: dict[str, Any]) -> None:
    """As OpenAI had it before tools, in rows of other data; its result has the role function, or environment."""
    asked = {"role": "assistant", "content": "", "function_call": {"name": "f", "arguments": arguments}, **beside}
    results = [{"role": word, "content": "1"} for word in ("function", "environment")]
    history = returned([{"role": "user", "content": "x", "function_call": None}, asked, results[0], asked, results[1]])
    assert [message.role for message in history] == ["user", "assistant", "tool", "assistant", "tool"]
    calls: list[Any] = [history[1].content[0], history[3].content[0]]
    assert [message.tool_call_id for message in history[2::2]] == [call.id for call in calls]
    both = am.encode([history[1].evolve(content=[CALL, *history[1].content])], CODEC)["messages"][0]
    assert len(both["tool_calls"]) == 2
    assert am.encode([history[1].evolve(content=[CALL])], CODEC)["messages"][0]["tool_calls"][0]["id"] == "c"


@pytest.mark.parametrize("calls", [[], [CALL], [am.TextBlock("x")]], ids=str)
@pytest.mark.parametrize("odd", [{"name": "f", "arguments": "{}"}, {"name": "f"}, "f"], ids=str)
def test_an_unknown_call_of_functions_is_reported_where_it_would_be_read(calls: list[Any], odd: Any) -> None:
    """Beside other calls it says nothing."""
    history = am.History([msg("assistant", *calls, extras={"hf": {"function_call": odd, "z": 1}})])
    honest_account(CODEC, history)
    assert (fit(history, CODEC).history != history) == (odd == {"name": "f", "arguments": "{}"} and CALL not in calls)


@pytest.mark.parametrize("content", ['{"arguments": {}, "name": "f"}', '{"name": "f",  "arguments": {}, "id": "c"}'])
def test_the_json_of_a_call_comes_back(content: str) -> None:
    """However it is spelt, and however new arguments are."""
    for arguments in ("object", "text"):
        codec = HfCodec(arguments=arguments)
        history = checked.returned([{"role": "tool_call", "content": content}], codec=codec)
        edited = [history[0].evolve(content=[history[0].tool_calls[0].evolve(input={"q": 1})])]
        assert '"q"' in am.encode(edited, codec)["messages"][0]["content"]


@pytest.mark.parametrize("odd", [{"tool_calls": []}, {"content": None}, {"content": '{"name": "f"}'}], ids=str)
def test_a_call_of_swift_is_json(odd: dict[str, Any]) -> None:
    """Anything else stays native."""
    row = {"role": "tool_call", "content": '{"name": "f", "arguments": {}}', **odd}
    assert [message.role for message in returned([row])] == ["native"]


def test_new_rows_are_as_templates_want_them() -> None:
    """Arguments are objects, content is never null, results have names, and no key is null."""
    losses: list[am.Loss] = []
    result = msg("tool", am.ToolResultBlock("c", [am.TextBlock("1")]))
    row = written(msg("assistant", CALL), result, losses=losses)
    call = {"id": "c", "type": "function", "function": CALLED}
    assert row["messages"] == [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "name": "f", "content": "1"},
    ]
    assert not losses
    as_text = written(msg("assistant", CALL), arguments="text")
    assert as_text["messages"][0]["tool_calls"][0]["function"]["arguments"] == '{"q":1}'


@pytest.mark.parametrize("part", [{}, {"value": None}, {"value": "{"}, {"value": "[]"}], ids=str)
def test_a_part_that_only_looks_like_a_call_is_kept_as_it_is(part: dict[str, Any]) -> None:
    """A part of the type of a call without one is native, and comes back."""
    history = returned([{"role": "assistant", "content": [{"type": "tool_call", **part}]}])
    assert not history[0].tool_calls


@pytest.mark.parametrize("arguments", ['{"q": 1}', "{", "", "[1]", {}, None], ids=repr)
def test_arguments_come_back_as_they_were(arguments: Any) -> None:
    """Objects, their text, and text that isn't JSON."""
    call = {"type": "function", "function": {"name": "f", "arguments": arguments}}
    for options in ({}, {"arguments": "text"}):
        checked.returned([{"role": "assistant", "tool_calls": [call]}], codec=HfCodec(**options))  # type: ignore[arg-type]


def test_padding_is_left_out_and_mended() -> None:
    """Null keys of messages by option; null arguments by repair, which reports it."""
    row = dict(documents("hf"))["golden hf_rows/arrow_padded"]
    bare = am.decode(row, "hf", nulls="absent")
    assert am.encode(bare, "hf")["messages"][0] == {"role": "user", "content": "Weather in Łódź?"}
    mended = am.repair(bare, "hf")
    assert [call.input for call in mended.history[1].tool_calls] == [{"city": "Łódź"}, {"a": 1.0, "b": 2.0}]
    assert {(loss.why, loss.level) for loss in mended.losses} == {("padded-arguments", "annotation")}
    assert am.same(am.restore(mended.history, mended.losses), bare)


@pytest.mark.parametrize(
    "tools",
    [
        [{"type": "function", "function": {"name": "f", "parameters": SCHEMA}}],
        [{"name": "f", "parameters": SCHEMA, "unit": 1}],
        '[{"name": "f", "description": "ł"}]',
        '[{"name":"f","description":"\\u0142"}]',
    ],
)
def test_tools_are_a_list_or_its_text(tools: Any) -> None:
    """Functions with or without a wrapper, as a list or as text written by Python or JavaScript."""
    assert [tool.name for tool in returned({"messages": [USER], "tools": tools}).tools] == ["f"]  # type: ignore[union-attr]


def test_rows_with_other_keys_are_detected() -> None:
    """The spelling of messages identifies a row, whatever is beside them."""
    said = [{"type": "text", "value": "Hi"}]
    for more in ({"loss_weight": 0.0}, {"new_key": 1}):
        row = {"messages": [{"role": "user", "content": said, **more}, {"role": "assistant", "content": said, **more}]}
        assert am.encode(am.decode(row, "hf"), "hf") == row
        assert am.detect(row)[0][0] == "hf"


# -- thinking ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    [
        {"content": "4", "reasoning_content": "2+2"},
        {"content": "4", "thinking": "2+2"},
        {"content": "4", "reasoning": "2+2", "weight": 0},
        {"content": "<think>\n2+2\n</think>\n\n4"},
        {"content": "<think>2+2</think>4"},
        {"content": [{"type": "reasoning", "value": "2+2"}, {"type": "text", "value": "4"}]},
        {"content": [{"type": "thinking", "thinking": "2+2"}, {"type": "text", "text": "4"}]},
    ],
    ids=str,
)
def test_thinking_stands_in_many_places(message: dict[str, Any]) -> None:
    """Each is a block before the text, and comes back in its place."""
    (read,) = returned([{"role": "assistant", **message}])
    thought, text = read.content
    assert (thought.thinking, text.text) == ("2+2", "4")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("option", "keys"),
    [
        ("reasoning_content", {"content": "4", "reasoning_content": "2+2"}),
        ("thinking", {"content": "4", "thinking": "2+2"}),
        ("think", {"content": "<think>\n2+2\n</think>\n\n4"}),
        ("drop", {"content": "4"}),
    ],
)
def test_where_new_thinking_goes_is_an_option(option: str, keys: dict[str, str]) -> None:
    """Under the key that a template knows, in tags, or not at all."""
    losses: list[am.Loss] = []
    row = written(msg("assistant", am.ThinkingBlock("2+2"), am.TextBlock("4")), losses=losses, reasoning=option)
    assert row["messages"] == [{"role": "assistant", **keys}]
    assert bool(losses) == (option == "drop")


@pytest.mark.parametrize(("tags", "text"), [("<think>\n\n</think>\n\n", "4"), ("<think></think>", "")])
def test_tags_without_thinking_say_nothing(tags: str, text: str) -> None:
    """They come back around an edited text, not beside thinking; a text that starts with them is a part."""
    (message,) = returned([{"role": "assistant", "content": tags + text, "weight": 0}])
    assert [block.text for block in message.content] == [text] * bool(text)  # type: ignore[union-attr]
    for content, native in (
        ("new", {"content": f"{tags}new"}),
        ([am.ThinkingBlock("a"), am.TextBlock("new")], {"content": "new", "reasoning_content": "a"}),
        ("<think></think>a", {"content": [{"type": "text", "text": "<think></think>a"}]}),
    ):
        found = am.encode([message.evolve(content=content)], CODEC)["messages"]
        assert found == [{"role": "assistant", "weight": 0, **native}]


def test_a_text_that_looks_like_thinking_stays_a_text() -> None:
    """It is written as a part; thinking that tags can't hold goes under a key."""
    text = am.TextBlock("<think>a</think>b")
    assert written(msg("assistant", text))["messages"][0]["content"] == [{"type": "text", "text": text.text}]
    odd = written(msg("assistant", am.ThinkingBlock("a</think>b"), am.TextBlock("4")), reasoning="think")
    assert odd["messages"][0]["reasoning_content"] == "a</think>b"


# -- images -----------------------------------------------------------------------------------------------------------


def test_images_stand_in_a_column() -> None:
    """A placeholder is its image in the column; new images go there, and inline ones stay inline."""
    inline = {"type": "image", "url": "https://x.test/b.png"}
    row = {"messages": [{"role": "user", "content": [{"type": "image"}, inline]}], "images": ["a.png"]}
    images: Any = returned(row)[0].content
    assert [image.source.url for image in images] == ["a.png", "https://x.test/b.png"]
    data = am.ImageBlock(am.Base64Source("AAAA", "image/png"))
    new = written(msg("user", data, am.TextBlock("What?")))
    assert new["images"] == ["data:image/png;base64,AAAA"]
    assert new["messages"][0]["content"] == [{"type": "image"}, {"type": "text", "text": "What?"}]
    assert rendered(VISION, new) == "user: <image>What?\n"


def test_tokens_in_texts_are_images_too() -> None:
    """As in LLaMA-Factory; beside other images they are placeholders, and without a column text."""
    row = {"messages": [{"role": "user", "content": "<image>Who?<image>"}], "images": ["a.png", "b.png"]}
    history = returned(row)
    assert [type(block).__name__ for block in history[0].content] == ["ImageBlock", "TextBlock", "ImageBlock"]
    assert am.convert(row, "hf", "sharegpt").document["conversations"][0]["value"] == "<image>Who?<image>"
    more = am.encode(history.extended(msg("user", am.ImageBlock(am.URLSource("https://x.test/c.png")))), "hf")
    assert (len(more["images"]), more["messages"][0]["content"][0]) == (3, {"type": "image"})
    assert returned({"messages": row["messages"]})[0].text == "<image>Who?<image>"


@pytest.mark.parametrize(
    ("images", "found"),
    [(["a.png"], ["Image", "Text", "Text"]), (["a.png", "b.png"], ["Image", "Text", "Text", "Image"])],
)
def test_tokens_of_assistants_are_images_if_they_are_needed(images: list[str], found: list[str]) -> None:
    """As in ms-swift: if users have as many tokens as there are addresses, an assistant's token is text."""
    said = [{"role": "user", "content": "<image>Like it"}, {"role": "assistant", "content": "Yes: <image>"}]
    history = returned({"messages": said, "images": images})
    blocks = [block for message in history for block in message.content]
    assert [type(block).__name__.removesuffix("Block") for block in blocks] == found
    for messages in (history[1:], [*history, msg("user", am.TextBlock("<image>"))], history[::-1]):
        honest_account(CODEC, am.History(messages))


ODD_ENTRIES = [{"path": None, "bytes": "AAAA"}, {"path": "a.png", "url": "b.png"}, {"path": ""}, {"file": "a.png"}, {}]


@pytest.mark.parametrize("column", [[], ["a", "b"], *([entry] for entry in ODD_ENTRIES), None], ids=str)
def test_a_column_that_does_not_fit_stays_what_it_is(column: Any) -> None:
    """The placeholder is a native block then."""
    history = returned({"messages": [{"role": "user", "content": [{"type": "image"}]}], "images": column})
    assert isinstance(history[0].content[0], am.NativeBlock)


@pytest.mark.parametrize(
    "entry", ["a.png", {"path": "a.png", "bytes": None}, {"image": "a.png"}, {"url": "a.png"}], ids=str
)
@pytest.mark.parametrize(
    "padding", [{}, {"text": None}, {"index": 1, "text": None}, {"image": None}, {"index": 0}], ids=str
)
def test_placeholders_may_have_the_keys_of_other_parts(entry: Any, padding: dict[str, Any]) -> None:
    """Arrow gives each part the keys of all; an index must be that of the address."""
    text = {"type": "text", "text": "Who?", **dict.fromkeys(padding)}
    parts = [
        {"type": "image", **padding, **({"index": 0} if "index" in padding else {})},
        text,
        {"type": "image", **padding},
    ]
    history = returned({"messages": [{"role": "user", "content": parts}], "images": ["b.png", entry]})
    is_wrong = padding == {"index": 0}
    assert [type(block) for block in history[0].content[::2]] == [am.NativeBlock if is_wrong else am.ImageBlock] * 2
    assert (history[0].content[1].extras, bool(history.extras)) == ({}, is_wrong)
    for content in (history[0].content[:0:-1], history[0].content[2:]):
        honest_account(CODEC, history.evolve(messages=[history[0].evolve(content=content)]))


@pytest.mark.parametrize(
    ("part", "cls"),
    [
        ({"type": "text", "content": "Hi"}, am.TextBlock),
        ({"type": "image", "image": None, "url": "a.png", "text": None}, am.ImageBlock),
        ({"type": "video", "video": "a.mp4", "image": None}, am.VideoBlock),
    ],
    ids=str,
)
def test_parts_may_have_other_keys(part: dict[str, Any], cls: type[Any]) -> None:
    """A text is under content, as in Oumi's data, and what is null is padding."""
    (block,) = returned([{"role": "user", "content": [part]}])[0].content
    assert (type(block), block.extras) == (cls, {})


@pytest.mark.parametrize(
    "row",
    [
        {"messages": [USER, ANSWER], "source": "x"},
        {"messages": [USER, ANSWER], "uuid": "x", "license": "y"},
        {"messages": json.dumps([USER, ANSWER])},
        {"traj": [USER, ANSWER]},
        {"chosen_messages": [USER, ANSWER], "rejected_messages": [USER]},
        {"context": [USER], "completions": [{"rank": 0, "completion": [ANSWER]}, {"rank": 1, "completion": [USER]}]},
        {"system": "S", "messages": [USER, ANSWER], "rejected_messages": [USER]},
    ],
    ids=str,
)
def test_columns_identify_a_row(row: dict[str, Any]) -> None:
    """Requests to providers have none of these."""
    assert am.recognize(row) == "hf"


@pytest.mark.parametrize(
    "options",
    [
        *({"container": container} for container in ("list", "prompt")),
        *({"reasoning": reasoning} for reasoning in ("drop", "think")),
        *({"content": "parts", **more} for more in ({}, {"container": "prompt"}, {"reasoning": "think"})),
    ],
    ids=str,
)
def test_options_are_for_new_rows(options: Any) -> None:
    """Read values come back unchanged, whatever they are."""
    for _, document in documents("hf"):
        checked.returned(document, codec=HfCodec(**options))


def test_a_key_that_says_no_reasoning_stays_beside_thinking_in_tags() -> None:
    """Thinking before a text takes no key, so any value there comes back."""
    answer = {"role": "assistant", "content": "<think>\na\n</think>\n\nx", "reasoning_content": 1.5}
    (message,) = returned([answer])
    assert [type(block).__name__ for block in message.content] == ["ThinkingBlock", "TextBlock"]


@pytest.mark.parametrize("name", [{}, {"name": "f"}], ids=["no name", "a name"])
def test_an_id_that_is_none_stays_wherever_its_result_goes(name: dict[str, str]) -> None:
    """No id is made for it: elsewhere that would have to be written under the same key."""
    results = [{"role": "tool", "content": "1"}, {"role": "tool", "content": "2", "tool_call_id": 5, **name}]
    history = returned([{"role": "assistant", "content": "", "tool_calls": [CALLED, CALLED]}, *results])
    assert [message.tool_call_id for message in history][1:] == [history[0].tool_calls[0].id, None]
    for order in ((0, 2, 1), (2, 1), (1,)):
        moved = history.evolve(messages=[history[index] for index in order])
        assert honest_account(CODEC, moved).history is moved


def test_nothing_chosen_is_no_conversation() -> None:
    """A row without its messages has an empty list of messages: an empty ``chosen`` can't be read."""
    history = returned({"chosen": [ANSWER], "rejected": "x"})
    assert honest_account(CODEC, history.evolve(messages=[])).history.extras == history.extras


# -- templates --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["openai", "anthropic", "gemini", "openai-responses", "sharegpt", "riffer"])
def test_a_strict_template_renders_what_is_converted(source: am.CodecName) -> None:
    """Rows from other formats go to a template unchanged; all their texts and calls are there."""
    for title, document in some(documents(source), 24, least=8):
        # Results of calls in other messages have no names.
        history = fit(am.decode(document, source), CODEC).history
        row = am.encode(history, "hf")
        said = row["messages"] if "messages" in row else [*row["prompt"], *row["chosen"]]
        if any(message["role"] == "tool" and "name" not in message for message in said):
            continue
        text = rendered(TOOLS, {**row, "messages": said})
        for message in history:
            words = [block.text for block in message.content if isinstance(block, am.TextBlock)]
            assert all(word in text for word in words), title
            assert all(f"<call>{call.name}(" in text for call in message.tool_calls), title


@pytest.mark.parametrize("row", [{"messages": []}, {"prompt": "a", "completion": "b"}, {"text": "a"}])
def test_a_list_of_rows_is_told(row: dict[str, Any]) -> None:
    """One row is a document: the error explains how to read many."""
    with pytest.raises(am.DecodeError, match=r"list of rows.*load_lines"):
        am.decode([row, row], "hf")


def test_videos_and_audio_stand_in_columns_too() -> None:
    """They stay where they were read; new ones are parts, as chat templates expect them."""
    row: Any = {
        "messages": [{"role": "user", "content": "<image><video>What?<audio>"}],
        "images": ["a.png"], "videos": ["b.mp4"], "audios": ["c.mp3"],
    }  # fmt: skip
    history = returned(row)
    assert [type(block) for block in history[0].content] == [
        am.ImageBlock, am.VideoBlock, am.TextBlock, am.AudioBlock,
    ]  # fmt: skip
    assert am.recognize({key: row[key] for key in ("messages", "audios")}) == "hf"
    part = {"type": "audio", "audio": "https://x.test/a.mp3"}
    new = am.encode(am.Msg.of(am.AudioBlock(am.URLSource(part["audio"]))).evolve(role="user"), "hf")
    assert new == {"messages": [{"role": "user", "content": [part]}]}
    more = history[0].evolve(content=[*history[0].content, am.AudioBlock(am.URLSource("d.mp3"))])
    parts = am.encode(am.History([more]), "hf")
    assert (parts["videos"], parts["audios"]) == (["b.mp4"], ["c.mp3"])
    assert parts["messages"][0]["content"][-1] == {"type": "audio", "audio": "d.mp3"}
