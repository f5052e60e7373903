"""The codec ``sharegpt``: turns and their tags, links by order, columns, and Alpaca's rows.

Exact return, damaged documents, planted notes and the other laws are tested in test_laws.py.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest

import agentmsg as am
from agentmsg.testing import honest_account
from agentmsg_codecs.sharegpt import ShareGptCodec
from support import checked
from support.checked import msg, refused

CODEC = ShareGptCodec()
returned = partial(checked.returned, codec=CODEC)
written = partial(checked.written, codec="sharegpt")
CALL = '{"name": "f", "arguments": {"q": 1}}'
BLOCK = am.ToolUseBlock("c", "f", {"q": 1})


def turn(who: str, value: Any, **more: Any) -> dict[str, Any]:
    """Return a turn."""
    return {"from": who, "value": value, **more}


def kinds(message: am.Msg) -> list[str]:
    """Return the classes of the blocks."""
    return [type(block).__name__.removesuffix("Block") for block in message.content]


@pytest.mark.parametrize(
    ("who", "role"),
    [
        ("human", "user"), ("user", "user"), ("gpt", "assistant"), ("chatgpt", "assistant"), ("bard", "assistant"),
        ("User", "user"), ("Assistant", "assistant"), ("GPT", "assistant"), ("SYSTEM", "system"),
        ("system", "system"), ("observation", "tool"), ("tool_response", "tool"), ("ipython", "tool"),
        ("narrator", "native"),
    ],
)  # fmt: skip
def test_words_are_roles(who: str, role: str) -> None:
    """Any sender's turn comes back; an unknown sender's is native, with its text for other formats."""
    (message,) = returned([turn(who, "x", weight=1)])
    assert message.role == role
    assert message.text in ("x", "")


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("x", ["Text"]),
        ("<think>\na\n</think>\n\nx", ["Thinking", "Text"]),
        ("<think>a</think>x", ["Thinking", "Text"]),
        ("<think>\n\n</think>\n\nx", ["Text"]),
        ("<think></think>x", ["Text"]),
        ("<think>\n</think>\n", []),
        ("<think>a</think><think></think>x", ["Thinking", "Text"]),
        ("<think></think><think>a</think>x", ["Text"]),
        (f"<tool_call>\n{CALL}\n</tool_call>\n\n<tool_call>\n{CALL}\n</tool_call>\n", ["ToolUse", "ToolUse"]),
        ('<tool_call>\n{"name":"f", "arguments" : {}}\n</tool_call>', ["ToolUse"]),
        (f"<tool_call>\n{CALL}\n</tool_call>", ["ToolUse"]),
        (f"<think>\na\n</think>\n<tool_call>\n{CALL}\n</tool_call>", ["Thinking", "ToolUse"]),
        (f"x\n<tool_call>{CALL}</tool_call>\n<tool_call>\n{CALL}\n</tool_call>", ["Text", "ToolUse", "ToolUse"]),
        (f"x<tool_call>{CALL}</tool_call> ", ["Text"]),
        ("<tool_call>\n{'name': 'f'}\n</tool_call>", ["Text"]),
        ('<tool_call>{"arguments": {}, "name": "f"}</tool_call>', ["ToolUse"]),
        ('<tool_call>{"name":"f","arguments":{"t":"\\u003c/tool_call>"}}</tool_call>', ["ToolUse"]),
    ],
)
def test_tags_are_blocks(value: str, found: list[str]) -> None:
    """Thinking and calls are in tags; unknown spellings stay text."""
    (message,) = returned([turn("gpt", value)])
    assert kinds(message) == found


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (CALL, ["ToolUse"]),
        (f"[{CALL}]", ["ToolUse"]),
        (f"[{CALL}, {CALL}]", ["ToolUse", "ToolUse"]),
        (f"<think>\na\n</think>\n\n{CALL}", ["Thinking", "ToolUse"]),
        (json.dumps(json.loads(CALL), indent=2), ["ToolUse"]),
        ('{"name":"f","arguments":{"q": 1.10}}', ["ToolUse"]),
        ("f(1)", ["Text"]),
        ("[]", ["Text"]),
        ('{"name": "f", "arguments": "{}"}', ["ToolUse"]),
        ('{"name": "f", "arguments": "{"}', ["ToolUse"]),
        ('{"name": "f", "arguments": 1}', ["Text"]),
        ('{"id": "c", "arguments": {}, "name": "f"}', ["ToolUse"]),
        ('[{"name": "f", "parameters": {"q": 1}}, {"name": "g"}]', ["ToolUse", "ToolUse"]),
        ('{"name": "f", "arguments": {}, "parameters": {}}', ["Text"]),
        (f"<think>\n</think>\n{CALL}", ["ToolUse"]),
    ],
)
def test_calls_are_json(value: str, found: list[str]) -> None:
    """One call or a list of them; anything else is a text that comes back in its place."""
    (message,) = returned([turn("function_call", value)])
    assert kinds(message) == found


def links(history: am.History) -> list[tuple[Any, Any, str]]:
    """Return each result's id and name, and its text."""
    results = [message.tool_results[0] for message in history if message.role == "tool"]
    return [(result.tool_call_id, result.name, result.text) for result in results]


def test_results_answer_the_calls_before_in_their_order() -> None:
    """They have the ids and names of these; a call without a result takes no later one."""
    calls = turn("function_call", f'[{CALL}, {{"name": "g", "arguments": {{}}}}]')
    history = returned([calls, turn("observation", "1"), calls, turn("tool", "<tool_response>\n2\n</tool_response>")])
    assert links(history) == [("call_0_0_f", "f", "1"), ("call_2_0_f", "f", "2")]
    assert links(returned([turn("observation", "1")])) == [(None, None, "1")]
    told = am.decode(am.encode(history, "openai", on_loss="ignore"), "openai")
    assert links(told) == [("call_0_0_f", "f", "1"), ("call_2_0_f", "f", "2")]


def results(*texts: str, gap: str = "\n") -> dict[str, Any]:
    """Return a turn with results in tags."""
    return turn("tool", gap.join(f"<tool_response>\n{text}\n</tool_response>" for text in texts))


def test_parallel_results_share_a_turn() -> None:
    """Each in tags is a result; an edit changes only its own, and those that can't share a turn get another."""
    calls = turn("function_call", f"[{CALL}, {CALL}, {CALL}]")
    history = returned([calls, results("1", "2", "3") | {"weight": 0}])
    assert links(history) == [("call_0_0_f", "f", "1"), ("call_0_1_f", "f", "2"), ("call_0_2_f", "f", "3")]
    assert am.encode(history[:3], CODEC) == [calls, results("1", "2") | {"weight": 0}]

    def edited(text: str) -> Any:
        result = history[2].tool_results[0].evolve(content=text)
        return am.encode(
            history.evolve(messages=[*history[:2], history[2].evolve(content=[result]), history[3]]), CODEC
        )

    assert edited("new") == [calls, results("1", "new", "3") | {"weight": 0}]
    assert edited("</tool_response>")[2:] == [results("</tool_response>"), results("3")]


@pytest.mark.parametrize(
    "value",
    [
        "<tool_response>1</tool_response><tool_response>\n\n2</tool_response>\n\n<tool_response></tool_response>\n",
        "<tool_response>1</tool_response>x<tool_response>2</tool_response>",
        "<tool_response><tool_response>1</tool_response><tool_response>2</tool_response></tool_response>",
        "<tool_response>1</tool_response>\n\n\n<tool_response>2</tool_response>",
    ],
)
def test_results_in_tags_come_back(value: str) -> None:
    """Whatever is between them, and however many there are; a turn by itself and the chosen one may have several."""
    several = value.startswith("<tool_response>1</tool_response><")
    rows: Any = [turn("ipython", value)], {"conversations": [], "chosen": turn("tool", value)}
    for row in rows:
        assert len(returned(row)) == (3 if several else 1)


def test_results_may_name_their_call() -> None:
    """The JSON of a result says which of the waiting calls it answers: its id, or its name."""
    calls = turn(
        "function_call", f'[{CALL}, {{"name": "g", "arguments": {{}}}}, {{"id": "c", **}}]'.replace("**", CALL[1:-1])
    )
    told = ('{"name": "g", "content": 1}', '{"tool_call_id": "c", "content": {}}', '{"name": "other", "content": ""}')
    history = returned([calls, results(*told)])
    assert [link for link, _, _ in links(history)] == ["call_0_1_g", "c", "call_0_0_f"]
    honest_account(CODEC, am.History([history[0], *history[:0:-1]]))


@pytest.mark.parametrize(
    ("native", "found"),
    [
        ({"from": "tool_call", "name": "f", "arguments": {"q": 1}, "weight": 0}, ["ToolUse"]),
        ({"from": "gpt", "value": "x", "tool_calls": [json.loads(CALL)]}, ["Text", "ToolUse"]),
        ({"from": "gpt", "tool_calls": [{"id": "c", "type": "function", "function": json.loads(CALL)}]}, ["ToolUse"]),
        ({"from": "gpt", "content": f"x<tool_call>{CALL}</tool_call>", "tool_calls": [{"name": "g"}]},
         ["Text", "ToolUse", "ToolUse"]),
        ({"from": "gpt", "value": "x", "tool_calls": [{"name": 5}]}, ["Text"]),
        ({"from": "gpt", "name": "f", "arguments": {}, "tool_calls": [{"name": "g"}]}, ["Native"]),
        ({"from": "gpt", "value": "", "name": "f", "arguments": {}}, []),
    ],
)  # fmt: skip
def test_calls_may_be_beside_the_text(native: dict[str, Any], found: list[str]) -> None:
    """In a list, or as the keys of the turn; an edited call stays there."""
    (message,) = history = returned([native])
    assert kinds(message) == found
    honest_account(CODEC, history)
    if found[-1:] == ["ToolUse"]:
        *others, call = message.content
        edited = history.evolve(messages=[message.evolve(content=[*others, call.evolve(name="new")])])
        (turned,) = am.encode(edited, CODEC)
        assert turned.keys() == native.keys()
        assert '"new"' in json.dumps({key: turned[key] for key in turned if key != "value"})


def test_a_text_may_be_under_content() -> None:
    """An edited text, too."""
    row = [{"from": "user", "content": "Hi"}, {"from": "function_response", "content": "1", "weight": 0}]
    history = returned(row)
    assert [message.text for message in history] == ["Hi", "1"]
    assert am.recognize(row) == "sharegpt"
    edited = history.evolve(messages=[history[0].evolve(content="Bye"), history[1]])
    assert am.encode(edited, CODEC) == [{"from": "user", "content": "Bye"}, row[1]]


def test_tags_without_thinking_say_nothing() -> None:
    """They come back around an edited text, not beside thinking; a new text with them is changed, and reported."""
    (message,) = returned([turn("gpt", "<think>\n</think>\n\nx")])
    thought = am.ThinkingBlock("a")
    for content, value in (
        ("y", "<think>\n</think>\n\ny"),
        ([thought, am.TextBlock("y")], "<think>\na\n</think>\n\ny"),
    ):
        assert am.encode([message.evolve(content=content)], CODEC)["conversations"] == [turn("gpt", value)]
    row = written(msg("assistant", am.TextBlock("<think>\n</think>x")))
    assert row["conversations"] == [turn("gpt", "<think >\n</think>x")]


def test_new_calls_and_results() -> None:
    """Calls alone are a turn of their own, beside a text they are in tags; changed ids are reported."""
    losses: list[am.Loss] = []
    result = msg("tool", am.ToolResultBlock("c", [am.TextBlock("1")]))
    row = written(msg("assistant", BLOCK), result, msg("assistant", am.TextBlock("x"), BLOCK), losses=losses)
    assert row == {
        "conversations": [
            turn("function_call", CALL),
            turn("observation", "1"),
            turn("gpt", f"x\n<tool_call>\n{CALL}\n</tool_call>"),
        ]
    }
    assert {(loss.path[-1], loss.level) for loss in losses} == {("id", "annotation"), ("tool_call_id", "annotation")}


def test_no_result_is_paired_with_another_call() -> None:
    """A result out of order, or without a call, has a key in its turn; training rows have no ids."""
    calls = msg("assistant", BLOCK, am.ToolUseBlock("d", "g", {}))
    results = [msg("tool", am.ToolResultBlock(link, [am.TextBlock(link)])) for link in ("d", "other", "c", "late")]
    row = written(calls, *results)
    assert row["conversations"][1:] == [
        turn("observation", "d", tool_call_id="call_0_1_g"),
        turn("observation", "other", tool_call_id="other"),
        turn("observation", "c"),
        turn("observation", "late"),
    ]
    found = [("call_0_1_g", "g", "d"), ("other", None, "other"), ("call_0_0_f", "f", "c"), (None, None, "late")]
    assert links(am.decode(row, "sharegpt")) == found


def test_turns_in_front_move_no_id_into_a_text() -> None:
    """Ids made by a reader are made again for other places, and reported."""
    history = returned([turn("function_call", CALL), turn("observation", "1")])
    losses: list[am.Loss] = []
    longer = am.History([msg("system", am.TextBlock("s")), *history.messages])
    row = am.encode(longer, "sharegpt", losses=losses)
    assert row["conversations"] == [turn("system", "s"), turn("function_call", CALL), turn("observation", "1")]
    assert [(loss.path[-1], loss.now) for loss in losses] == [("id", "call_1_0_f"), ("tool_call_id", "call_1_0_f")]


def test_words_that_look_like_tags_are_told() -> None:
    """A text that would be read as a call, or as an image, is changed, and reported."""
    for message, words in (
        (msg("assistant", am.TextBlock(f"<tool_call>{CALL}</tool_call>")), "<tool_call >"),
        (msg("assistant", am.TextBlock("<think>a</think>b")), "<think >"),
        (msg("user", am.TextBlock("An <image> tag")), "<image >"),
    ):
        losses: list[am.Loss] = []
        row = written(message, losses=losses)
        assert words in row["conversations"][0]["value"]
        assert [loss.level for loss in losses] == ["content"]


def test_media_stand_in_columns() -> None:
    """In a user's text the place of an image is marked; a column that doesn't fit is kept."""
    row = {"conversations": [turn("human", "<image>a<video>b<image>")], "images": ["1.png", "2.png"], "videos": ["v"]}
    (message,) = returned(row)
    assert kinds(message) == ["Image", "Text", "Video", "Text", "Image"]
    assert am.encode(am.History([message]), "sharegpt") == row
    for column, value in (("images", []), ("images", [{"path": "a.png"}]), ("image", None)):
        (odd,) = returned({"conversations": [turn("human", "<image>a")], column: value})
        assert kinds(odd) == ["Native", "Text"]


def test_the_only_image_may_stand_alone() -> None:
    """LLaVA's column is the address itself; two images are a list."""
    history = returned(
        {"id": "1", "image": "a.png", "conversations": [turn("human", "<image>\nWhat?")], "images": None}
    )
    assert kinds(history[0]) == ["Image", "Text"]
    more = history.extended(msg("user", am.ImageBlock(am.URLSource("b.png"))))
    assert am.encode(more, "sharegpt")["images"] == ["a.png", "b.png"]


@pytest.mark.parametrize("column", ["image", "images"])
@pytest.mark.parametrize("addresses", ["1.png", ["1.png"], ["1.png", "2.png"]], ids=str)
def test_a_column_is_an_address_or_a_list(column: str, addresses: Any) -> None:
    """Under either name; with another number of addresses, the tokens stay."""
    count = 1 if addresses == "1.png" else len(addresses)
    row: Any = {"conversations": [turn("human", "<image>" * count + "a")], column: addresses}
    history = returned(row)
    assert kinds(history[0])[:-1] == ["Image"] * count
    assert am.encode(history.evolve(messages=[msg("user", am.TextBlock("a"))]), CODEC).keys() == {"conversations"}
    (odd,) = returned({**row, "conversations": [turn("human", "<image>" * 3)]})
    assert kinds(odd) == ["Native"] * 3


@pytest.mark.parametrize("rejected", ["Green.", None])
def test_a_chosen_text_answers_the_last_turn(rejected: str | None) -> None:
    """Beside a rejected one; else it is kept."""
    row = {"conversations": [turn("human", "Sky?")], "chosen": "Blue.", "rejected": rejected}
    history = returned(row)
    assert [message.text for message in history] == (["Sky?", "Blue."] if rejected else ["Sky?"])
    longer = am.encode(history.extended(msg("user", am.TextBlock("z"))), CODEC)
    assert longer["conversations"][-1] == turn("human", "z")
    honest_account(CODEC, history[:1])


def test_columns_beside_the_turns() -> None:
    """The system prompt, tools as text, and the chosen turn are read; the rejected one is kept as a chat's message."""
    row = {
        "system": "s",
        "conversations": [turn("human", "Sky?")],
        "chosen": turn("gpt", "Blue."),
        "rejected": turn("gpt", "Green."),
        "tools": '[{"name": "f", "description": "ł"}]',
        "kto_tag": True,
    }
    history = returned(row)
    assert [message.role for message in history] == ["system", "user", "assistant"]
    assert am.thaw(history.extras) == {
        "hf": {"rejected": [{"role": "assistant", "content": "Green."}]},
        "sharegpt": {"kto_tag": True},
    }
    new = am.History(history.messages, tools=[am.ToolSpec("f", "ł")])
    assert am.encode(new, "sharegpt")["tools"] == row["tools"]


@pytest.mark.parametrize(
    "spelt", [{}, {"separators": (",", ":")}, {"sort_keys": True}, {"ensure_ascii": False}], ids=str
)
def test_turns_may_be_in_a_text(spelt: dict[str, Any]) -> None:
    """In JSON, and edits are written there, too; a text that isn't turns is another column."""
    turns = [turn("human", "é"), turn("gpt", "<think>x</think>y")]
    row = {"conversations": json.dumps(turns, **spelt), "system": "s", "id": 1}
    history = returned(row)
    assert [message.role for message in history] == ["system", "user", "assistant"]
    assert am.recognize(row) == "sharegpt"
    more = am.encode(history.extended(msg("user", am.TextBlock("z"))), "sharegpt")["conversations"]
    assert more == json.dumps([*turns, turn("human", "z")], **spelt)
    for own in (row["conversations"], "[1]", "x"):
        honest_account(CODEC, am.History([*history], extras={"sharegpt": {"conversations": own}}))
        honest_account(CODEC, am.History([], extras={"sharegpt": {"conversations": own}}, notes=history.notes))
    returned({"conversations": "[1]", "instruction": "a", "output": "c"})


@pytest.mark.parametrize(
    ("row", "texts"),
    [
        ({"instruction": "a", "input": "b", "output": "c"}, ["a\nb", "c"]),
        ({"instruction": "a", "output": "c", "system": "s"}, ["s", "a", "c"]),
        ({"instruction": "a", "input": "", "output": "c", "history": [["x", "y"]]}, ["x", "y", "a", "c"]),
        ({"instruction": "a", "input": None, "output": "c", "history": []}, ["a", "c"]),
        ({"instruction": "a", "input": "", "chosen": "c", "rejected": "d"}, ["a", "c"]),
        ({"query": "a", "response": "c", "history": [["x", "y"]], "system": "s"}, ["s", "x", "y", "a", "c"]),
        ({"query": "a", "response": "c", "input": "b", "instruction": "d"}, ["a", "c"]),
        ({"instruction": "a", "context": "b", "response": "c", "category": "qa"}, ["a\nb", "c"]),
        ({"instruction": "a", "context": "", "response": "c"}, ["a", "c"]),
        ({"instruction": "a", "input": "b", "context": "d", "response": "c"}, ["a\nb", "c"]),
        ({"instruction": "a", "context": "d", "output": "c"}, ["a", "c"]),
        ({"question": "a", "answer": "c"}, ["a", "c"]),
        ({"question": "a", "response": "c", "answer": "d"}, ["a", "c"]),
        ({"query": "a", "answers": '[{"name": "f", "arguments": {}}]', "tools": "[]"}, ["a", ""]),
        ({"query": "a", "answers": "none"}, ["a", "none"]),
        ({"conversation": [{"human": "a", "assistant": "c"}], "system": "s", "id": 1}, ["s", "a", "c"]),
    ],
    ids=str,
)
def test_rows_of_alpaca(row: dict[str, Any], texts: list[str]) -> None:
    """Their columns are turns; a history that they can no longer hold is written as turns."""
    history = returned(row)
    assert [message.text for message in history] == texts
    assert len(history[-1].tool_calls) == (row.get("answers", "none") != "none")
    longer = am.encode(history.extended(msg("user", am.TextBlock("z"))), "sharegpt")
    assert longer["conversations"][-1] == turn("human", "z")


@pytest.mark.parametrize("row", [{}, {"instruction": "a"}, {"conversations": 1}, "x", {"messages": []}], ids=repr)
def test_other_documents_are_refused(row: Any) -> None:
    """The one error of the library; a bad turn's path leads to it."""
    assert refused(row, codec=CODEC)[2] == "sharegpt"
    assert refused({"conversations": [turn("human", "a"), {}]}, codec=CODEC)[0] == ("conversations", 1, "from")


@pytest.mark.parametrize(
    "row",
    [
        {"from": "human", "instruction": "a"},
        {"from": "gpt", "value": "x", "role": "user"},
        {"from": "gpt", "instruction": "a", "output": "c"},
        {"from": "gpt", "value": "x", "instruction": "a", "output": "c"},
        {"instruction": "a", "input": "", "output": "c", "conversations": None, "zq": 1},
    ],
    ids=str,
)
def test_a_row_is_a_turn_or_one_of_alpaca(row: dict[str, Any]) -> None:
    """A column that has a meaning in rows of another kind stays beside the columns of this one."""
    history = returned(row)
    assert len(history) == (2 if "output" in row and "value" not in row else 1)
    honest_account(CODEC, history.extended(msg("user", am.TextBlock("z"))))


def test_calls_in_tags_are_calls_whoever_says_them() -> None:
    """A turn for calls must be JSON; tags are written again if they were read."""
    for value in (f"<tool_call>\n{CALL}\n</tool_call>", f"<think>a</think><tool_call>{CALL}</tool_call>"):
        history = returned([turn("function_call", value)])
        assert kinds(history[0])[-1] == "ToolUse"
        edited = history.evolve(messages=[history[0].evolve(content=[BLOCK])])
        assert am.encode(edited, CODEC) == [turn("function_call", f"<tool_call>\n{CALL}\n</tool_call>")]


@pytest.mark.parametrize("odd", [5, ["c"], {"id": "c"}], ids=str)
def test_an_id_that_is_none_stays_wherever_its_result_goes(odd: Any) -> None:
    """It would collide with the id that names the call where its place doesn't."""
    calls = turn("function_call", f"[{CALL}, {CALL}]")
    history = returned([calls, turn("tool", "1"), turn("tool", "2", tool_call_id=odd)])
    assert [message.tool_call_id for message in history][1:] == [history[0].tool_calls[0].id, None]
    for order in ((0, 2, 1), (2, 1), (1,)):
        moved = history.evolve(messages=[history[index] for index in order])
        assert honest_account(CODEC, moved).history is moved


@pytest.mark.parametrize("row", [{"conversations": []}, {"instruction": "a", "output": "b"}])
def test_a_list_of_rows_is_told(row: dict[str, Any]) -> None:
    """One row is a document: the error explains how to read many."""
    with pytest.raises(am.DecodeError, match=r"list of rows.*load_lines"):
        am.decode([row, row], "sharegpt")


def test_a_turn_may_have_a_role() -> None:
    """As in Pygmalion's rows; other unknown senders stay native."""
    row = {"conversations": [{"role": "user", "value": "Hello"}, {"role": "narrator", "value": "So"}]}
    history = returned(row)
    assert [message.role for message in history] == ["user", "native"]
    assert am.recognize({"conversations": row["conversations"][:1]}) == "sharegpt"
    edited = am.History([history[0].evolve(content="Bye")])
    assert am.encode(edited, "sharegpt")["conversations"] == [{"role": "user", "value": "Bye"}]
