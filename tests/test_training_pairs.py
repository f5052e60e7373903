"""Pairs and prompts of training data: every format of them becomes every other, and comes back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import agentmsg as am
from agentmsg.cli.program import program
from agentmsg_codecs.hf import HfCodec
from agentmsg_codecs.hf.pairing import pair

ASKED = {"role": "user", "content": "Q"}
GOOD, BAD = ({"role": "assistant", "content": text} for text in ("good", "bad"))
CALLING = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": {"a": 1}}}],
}
RESULT = {"role": "tool", "name": "f", "content": "1"}

# The usual row of each format, for one pair.
USUAL: dict[str, Any] = {
    "hf": {"prompt": [ASKED], "chosen": [GOOD], "rejected": [BAD]},
    "sharegpt": {
        "conversations": [{"from": "human", "value": "Q"}],
        "chosen": {"from": "gpt", "value": "good"},
        "rejected": {"from": "gpt", "value": "bad"},
    },
    "openai": {"input": {"messages": [ASKED]}, "preferred_output": [GOOD], "non_preferred_output": [BAD]},
}
# Other rows that say the same, with their format.
PAIRS: list[tuple[str, Any]] = [
    *USUAL.items(),
    ("hf", {"prompt": "Q", "chosen": "good", "rejected": "bad"}),
    ("hf", {"messages": [ASKED], "chosen": GOOD, "rejected": BAD}),
    ("hf", {"prompt_messages": [ASKED], "chosen_messages": [GOOD], "rejected_messages": [BAD]}),
    ("hf", {"chosen": [ASKED, GOOD], "rejected": [ASKED, BAD]}),
    ("sharegpt", {"conversations": [{"from": "human", "value": "Q"}], "chosen": "good", "rejected": "bad"}),
    ("sharegpt", {"instruction": "Q", "input": "", "chosen": "good", "rejected": "bad"}),
    ("sharegpt", {key: value if key == "conversations" else [value] for key, value in USUAL["sharegpt"].items()}),
    ("hf", {"prompt": "Q", "chosen": [GOOD], "rejected": [BAD]}),
    ("hf", {"prompt": "Q", "chosen": GOOD, "rejected": BAD}),
    ("hf", {"prompt": [ASKED], "chosen": GOOD, "rejected": BAD}),
]
# Rows of a prompt and its answer, and how each format writes the same.
PROMPTS: list[tuple[str, Any]] = [
    ("hf", {"prompt": [ASKED], "completion": [GOOD]}),
    ("hf", {"prompt": "Q", "completion": "good"}),
    ("hf", {"prompt": "Q", "completion": [GOOD]}),
    ("hf", {"prompt": "Q", "completion": GOOD}),
    ("sharegpt", {"instruction": "Q", "input": "", "output": "good"}),
    ("openai", {"messages": [ASKED, GOOD]}),
]
WHOLE: dict[str, Any] = {
    "hf": {"messages": [ASKED, GOOD]},
    "sharegpt": {"conversations": [{"from": "human", "value": "Q"}, {"from": "gpt", "value": "good"}]},
    "openai": {"messages": [ASKED, GOOD]},
}


@pytest.mark.parametrize("target", USUAL)
@pytest.mark.parametrize(("source", "row"), PAIRS, ids=json.dumps)
def test_a_pair_is_a_pair_everywhere(source: Any, row: Any, target: Any) -> None:
    """Rows of a chosen and a rejected answer convert into those of any format, and come back as they were."""
    _check(source, row, target, USUAL[target])


@pytest.mark.parametrize("target", WHOLE)
@pytest.mark.parametrize(("source", "row"), PROMPTS, ids=json.dumps)
def test_a_prompt_and_its_answer_are_a_conversation(source: Any, row: Any, target: Any) -> None:
    """A prompt and its completion are messages in every format; with an option hf writes the columns."""
    _check(source, row, target, WHOLE[target])
    done: Any = am.convert(row, source, HfCodec(container="prompt"))
    assert done.document == (row if source == "hf" else {"prompt": [ASKED], "completion": [GOOD]})


def _check(source: Any, row: Any, target: Any, expected: Any) -> None:
    done: Any = am.convert(row, source, target)
    assert done.document == (row if source == target else expected)
    assert [loss for loss in done.losses if loss.kind == "dropped" and loss.level == "content"] == []
    assert am.encode(am.restore(am.decode(done.document, target), done.losses), source) == row


@pytest.mark.parametrize(("source", "row"), [*PAIRS, *PROMPTS], ids=json.dumps)
def test_each_is_recognised(source: str, row: Any) -> None:
    """What a format reads as a pair, or as a prompt with its answer, is recognised as its own."""
    assert am.recognize(row) == source


def test_a_pair_of_openai_is_its_own() -> None:
    """What fine-tuning has beside the messages is kept, since the row is OpenAI's; hf's own messages aren't."""
    request = {"messages": [ASKED], "tools": [], "parallel_tool_calls": False}
    row = {**USUAL["openai"], "input": request}
    assert am.recognize(row) == "openai"
    assert am.convert(row, am.recognize(row), "openai").document == row
    assert am.recognize({**row, "preferred_output": [{**GOOD, "thinking": "Hm."}]}) == "hf"


def _pair(rejected: Any) -> Any:
    return {"prompt": [ASKED], "chosen": [GOOD], "rejected": rejected}


def _texts(*texts: str) -> list[Any]:
    return [{"type": "text", "text": text} for text in texts]


# Rejected answers as hf has them, and how the other formats write them; None: they can't.
REJECTED: dict[str, tuple[list[Any], Any, list[Any]]] = {
    "empty": ([{**BAD, "content": ""}], {"from": "gpt", "value": ""}, [{**BAD, "content": ""}]),
    "parts": (
        [{**BAD, "content": _texts("a", "b")}],
        {"from": "gpt", "value": "a\nb"},
        [{**BAD, "content": _texts("a", "b")}],
    ),
    "thinking": (
        [{**BAD, "thinking": "Hm."}],
        {"from": "gpt", "value": "<think>\nHm.\n</think>\n\nbad"},
        [BAD],
    ),
    "a call": (
        [CALLING],
        {"from": "function_call", "value": '{"name": "f", "arguments": {"a": 1}}'},
        [{**CALLING, "content": None, "tool_calls": [
            {"id": "call_0_0_f", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
        ]}],
    ),
    "several": ([BAD, ASKED, GOOD], None, [BAD, ASKED, GOOD]),
}  # fmt: skip


@pytest.mark.parametrize("name", REJECTED)
def test_a_rejected_answer_is_written_as_a_chosen_one_would_be(name: str) -> None:
    """It has the target's spelling, and what that can't hold is told; the report brings it back."""
    native, turn, outputs = REJECTED[name]
    row = _pair(native)
    for target, key, expected in (("sharegpt", "rejected", turn), ("openai", "non_preferred_output", outputs)):
        done: Any = am.convert(row, "hf", am.get_codec(target))
        assert done.document.get(key) == expected
        assert ("chosen" in done.document) == (target == "sharegpt" and turn is not None)
        told = [loss.where for loss in done.losses if loss.level == "content"]
        same = expected in (native, {"from": "gpt", "value": native[0]["content"]}) or (target, name) == (
            "sharegpt",
            "a call",
        )
        assert told == ([] if same else ["extras/hf/rejected"])
        assert am.encode(am.restore(am.decode(done.document, am.get_codec(target)), done.losses), "hf") == row
        again: Any = am.convert(done.document, am.get_codec(target), am.get_codec(target))
        assert again.document == done.document


def test_an_answer_of_several_messages_has_no_column() -> None:
    """A row of turns has no rejected answer without a chosen one, unless it was read so."""
    row = {"prompt": [ASKED], "chosen": [CALLING, RESULT, GOOD], "rejected": [BAD]}
    done: Any = am.convert(row, "hf", "sharegpt")
    assert done.document.keys() == {"conversations"}
    assert [loss.where for loss in done.losses if loss.level == "content"] == ["extras/hf/rejected"]
    alone = {"conversations": [*WHOLE["sharegpt"]["conversations"]], "rejected": {"from": "gpt", "value": "bad"}}
    assert am.convert(alone, "sharegpt", "sharegpt").document == alone


@pytest.mark.parametrize(
    ("chosen", "rejected", "start"),
    [
        ([ASKED, CALLING, RESULT, GOOD], [ASKED, BAD], 1),
        ([ASKED, CALLING, RESULT, GOOD], [ASKED, CALLING, RESULT, BAD], 3),
        ([ASKED, GOOD, ASKED, GOOD], [ASKED, BAD, ASKED, GOOD], 1),
        ([ASKED, CALLING, RESULT, GOOD], [ASKED, {**CALLING, "tool_calls": []}, RESULT, BAD], 1),
        ([ASKED, GOOD], [{**ASKED, "content": "Other"}, BAD], None),
    ],
)
def test_conversations_part_where_they_differ(chosen: Any, rejected: Any, start: int | None) -> None:
    """Two whole conversations are a prompt and two answers, which begin where they part; else they are no pair."""
    done: Any = am.convert({"chosen": chosen, "rejected": rejected}, "hf", "openai")
    assert ("input" in done.document) == (start is not None)
    if start is not None:
        assert len(done.document["input"]["messages"]) == start
        assert len(done.document["non_preferred_output"]) == len(rejected) - start
    assert am.encode(am.restore(am.decode(done.document, "openai"), done.losses), "hf") == {
        "chosen": chosen, "rejected": rejected,
    }  # fmt: skip


HISTORY = am.decode({"messages": [ASKED, CALLING, RESULT, GOOD], "tools": [{"name": "f"}]}, "hf")


@pytest.mark.parametrize(
    ("kept", "columns"),
    [(4, ["prompt", "completion", "tools"]), (3, ["prompt", "tools"]), (2, ["prompt", "completion", "tools"])],
)
def test_the_last_answer_is_the_completion(kept: int, columns: list[str]) -> None:
    """With container="prompt" a history that ends with an answer is cut before that; one without is all prompt."""
    row: Any = am.encode(HISTORY[:kept], "hf", container="prompt")
    assert list(row) == columns
    assert len(row["prompt"]) == kept - ("completion" in row)
    assert am.decode(row, "hf").messages == HISTORY[:kept].messages


def test_columns_of_these_names_stay() -> None:
    """A row that has such a column beside its messages keeps both as they are."""
    row = {"messages": [ASKED, GOOD], "completion": "mine"}
    assert am.encode(am.decode(row, "hf"), "hf", container="prompt") == row


@pytest.mark.parametrize("container", ["row", "prompt", "list"])
def test_contents_are_lists(container: Any) -> None:
    """With content="parts" the content of every message is a list, also of texts that a row had; it reads the same."""
    history = HISTORY if container != "list" else HISTORY.evolve(tools=())
    row: Any = am.encode(history, "hf", content="parts", container=container)
    messages = (
        row
        if container == "list"
        else [each for key in ("messages", "prompt", "completion") for each in row.get(key, [])]
    )
    assert [message["content"] for message in messages] == [
        [{"type": "text", "text": "Q"}],
        [],
        [{"type": "text", "text": "1"}],
        [{"type": "text", "text": "good"}],
    ]
    assert am.decode(row, "hf").messages == HISTORY.messages


def test_two_histories_are_a_pair() -> None:
    """What both begin with is the prompt, whatever ids and times are; each format writes the two answers."""
    chosen = am.History([am.Msg.user("Q", id="u1"), am.Msg.assistant("good")])
    rejected = am.History([am.Msg.user("Q"), am.Msg.assistant("bad", id="a2")])
    losses: list[am.Loss] = []
    both = pair(chosen, rejected, losses=losses)
    for codec, row in USUAL.items():
        assert am.encode(both, am.get_codec(codec)) == row
    assert [loss.where for loss in losses] == ["messages/0/id"]
    longer: Any = am.encode(pair(HISTORY, am.History([HISTORY[0], am.Msg.assistant("bad")])), "hf")
    assert [len(longer[key]) for key in ("prompt", "chosen", "rejected")] == [1, 3, 1]


@pytest.mark.parametrize("kept", [0, 1, 4])
def test_histories_that_do_not_part_at_answers_are_none(kept: int) -> None:
    """Equal histories, one that is the other's beginning, and one with another question are refused."""
    with pytest.raises(am.InvalidMessage) as raised:
        pair(HISTORY, HISTORY[:kept] if kept else am.History.of("Other"))
    assert raised.value.code == "pair"


def test_histories_with_other_tools_are_none() -> None:
    """A prompt has the same tools for both answers; other columns of the rejected row are told."""
    losses: list[am.Loss] = []
    chosen = am.decode({"messages": [ASKED, GOOD], "tools": [{"name": "f"}], "id": 1}, "hf")
    row: Any = am.encode(pair(chosen, am.decode({"messages": [ASKED, BAD], "id": 2}, "hf"), losses=losses), "hf")
    assert row["id"] == 1
    assert [(loss.where, loss.was) for loss in losses] == [("extras/hf/id", 2)]
    with pytest.raises(am.InvalidMessage, match="other tools"):
        pair(chosen, am.decode({"messages": [ASKED, BAD], "tools": [{"name": "g"}]}, "hf"))


def _file(path: Path, *rows: Any) -> str:
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
    return str(path)


def _converted(*args: str) -> Any:
    return CliRunner().invoke(program, ["convert", *args], prog_name="agentmsg")


@pytest.mark.parametrize("target", USUAL)
def test_two_files_are_pairs(target: str, tmp_path: Path) -> None:
    """Rows of two files, in any formats, become pairs; what no pair is made of is quarantined, and losses are told."""
    turns = [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "bad"}]
    good = _file(tmp_path / "good.jsonl", *[{"messages": [ASKED, GOOD]}] * 3, "", {"messages": [ASKED, GOOD]})
    rows = {"model": "claude-opus-5", "max_tokens": 1, "messages": turns}, {"messages": turns[:1], "max_tokens": 1}
    bad = _file(tmp_path / "bad.jsonl", "", *rows, "{broken", rows[0], rows[0])
    output = tmp_path / "pairs.jsonl"
    done = _converted(good, "--rejected", bad, "-t", target, "-o", str(output), "--losses-flat", str(tmp_path / "flat"))
    assert done.exit_code == 3
    assert [json.loads(line) for line in output.read_bytes().splitlines()] == [USUAL[target]] * 2
    kept = [json.loads(line) for line in (tmp_path / "pairs.jsonl.bad.jsonl").read_bytes().splitlines()]
    assert [(row["line"], row["code"]) for row in kept] == [(2, "pair"), (3, "syntax"), (6, "pair")]
    assert "2 × rejected/settings/max_tokens: dropped" in done.stderr
    told = [json.loads(line) for line in (tmp_path / "flat").read_bytes().splitlines()]
    assert {(row["line"], row["path"]) for row in told} >= {(1, "/rejected/settings/model")}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["-t", "anthropic"], "anthropic has none"),
        (["-t", "hf", "--jobs", "2"], "without --jobs"),
        (["-t", "hf", "--verify"], "and --verify"),
        (["-t", "hf", "--rejected", "-"], "isn't stdin"),
        (["-t", "hf", "-o", "bad.jsonl", "--force"], "never overwritten"),
    ],
)
def test_pairs_say_what_they_need(more: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Options that do nothing beside --rejected are refused; the second file is an input, too."""
    monkeypatch.chdir(tmp_path)
    files = [_file(Path(name), {"messages": [ASKED, GOOD]}) for name in ("good.jsonl", "bad.jsonl")]
    done = _converted(files[0], "--rejected", files[1], *more)
    assert (done.exit_code, words in done.stderr) == (2, True)
