"""Merging, transcripts and conversion compared with LangChain's own: agreement counted, differences explained.

Each table has a reason and its number of differing cases. A reason that no longer occurs fails, and so does a
difference without reason. LangChain's side was recorded from langchain-core 1.7.2.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from langchain_core.messages import get_buffer_string, merge_message_runs, messages_from_dict, messages_to_dict

import agentmsg as am
from data import shared_dir

Reasons = Mapping[str, Callable[[Any, Any], Any]]


def _cases(name: str) -> list[dict[str, Any]]:
    path = shared_dir() / "golden" / "langchain_ops" / f"{name}.json"
    found: list[dict[str, Any]] = json.loads(path.read_bytes())["cases"]
    return found


def _refused(output: Any) -> bool:
    return isinstance(output, dict) and "__error__" in output


def _why(reasons: Reasons, ours: Any, theirs: Any) -> str:
    """Return the first reason for which the two differ, or "equal"."""
    if am.same(ours, theirs):
        return "equal"
    found = next((reason for reason, holds in reasons.items() if holds(ours, theirs)), None)
    assert found, f"no reason: {ours!r} is not {theirs!r}"
    return found


def _messages(document: Any, codec: am.CodecName = "langchain") -> tuple[am.Msg, ...]:
    return am.decode(document, codec).messages


# -- merge_message_runs --------------------------------------------------------------------------------------


def _bare(found: Any) -> list[am.Msg]:
    """Return messages without the fields of those that were merged into them."""
    return [m.evolve(metadata={k: v for k, v in m.metadata.items() if k != "merged_from"}) for m in found]


def _words(found: Any) -> str:
    return "".join(message.text for message in found).replace("\n", "")


def _calls(found: Any) -> list[tuple[str | None, str]]:
    return [(call.id, call.name) for message in found for call in message.blocks(am.ToolUseBlock)]


MERGED: Reasons = {
    "what was merged can be found": lambda ours, theirs: am.same(_bare(ours), [*theirs]),
    "entries that clash are not glued": lambda ours, theirs: (
        am.same([m.evolve(metadata={}) for m in ours], [m.evolve(metadata={}) for m in theirs])
        and theirs[0].metadata == {"lc_source": "xy"}
        and ours[0].metadata["lc_source"] == "x"
    ),
    "results of functions stay apart": lambda ours, theirs: {m.role for m in (*ours, *theirs)} == {"tool"},
    "chunks are messages": lambda ours, theirs: len(theirs) > len(ours) and _words(ours) == _words(theirs),
    "invalid calls are neither repaired nor moved": lambda ours, theirs: (
        any(m.invalid_tool_calls for m in ours) and (_words(ours), _calls(ours)) == (_words(theirs), _calls(theirs))
    ),
    "texts in lists are joined": lambda ours, theirs: (
        len(theirs) == 1 and not _calls(theirs) and _words(ours) == _words(theirs)
    ),
}


def test_merge_runs_beside_langchain() -> None:
    """Merging agrees with LangChain's ``merge_message_runs``, except for these reasons."""
    found: Counter[str] = Counter()
    for case in _cases("merge_message_runs"):
        real = merge_message_runs(messages_from_dict(case["input"]), **case["params"])
        assert messages_to_dict(real) == case["output"]
        ours = am.decode(case["input"], "langchain").merge_runs(case["params"].get("chunk_separator", "\n"))
        found[_why(MERGED, ours.messages, _messages(case["output"]))] += 1
    assert found == {
        "equal": 7,
        "what was merged can be found": 3,
        "texts in lists are joined": 3,
        "invalid calls are neither repaired nor moved": 2,
        "entries that clash are not glued": 1,
        "results of functions stay apart": 1,
        "chunks are messages": 1,
    }


# -- get_buffer_string ---------------------------------------------------------------------------------------


def _shown(format: Any) -> Iterator[tuple[am.Msg, str, str]]:
    """Yield each message of the recorded history, in our transcript and in LangChain's."""
    case = next(case for case in _cases("get_buffer_string") if case["params"].get("format", "prefix") == format)
    whole: list[str] = []
    for native in case["input"]:
        (message,) = _messages([native])
        whole.append(get_buffer_string(messages_from_dict([native]), format=format))
        yield message, am.History([message]).to_text(format=format), whole[-1]
    assert "\n".join(whole) == case["output"]


def _differs(message: am.Msg) -> dict[str, bool]:
    plain = all(isinstance(block, am.TextBlock) for block in message.content)
    function = message.role == "tool" and message.tool_call_id is None
    return {
        "invalid calls are shown": bool(message.invalid_tool_calls),
        "calls are no Python": message.is_assistant and bool(message.tool_calls),
        "functions are tools": function,
        "blocks stand apart, media are shown": not plain and message.role == "user",
    }


def _differs_in_xml(message: am.Msg) -> dict[str, bool]:
    return {
        "invalid calls are shown": bool(message.invalid_tool_calls),
        "arguments stand as received, ids in full": message.is_assistant and bool(message.tool_calls),
        "results say what they answer": message.role == "tool",
        "names are shown": message.name is not None,
        "one kind of quotes": '"' in message.role,
        "blocks stand apart, nothing is cut": len(message.content) > 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("format", "reasons", "wanted"),
    [
        (
            "prefix", _differs,
            {
                "equal": 8, "calls are no Python": 4, "functions are tools": 1, "invalid calls are shown": 1,
                "blocks stand apart, media are shown": 1,
            },
        ),
        (
            "xml", _differs_in_xml,
            {
                "equal": 3, "arguments stand as received, ids in full": 4, "results say what they answer": 3,
                "names are shown": 2, "one kind of quotes": 1, "invalid calls are shown": 1,
                "blocks stand apart, nothing is cut": 1,
            },
        ),
    ],
)  # fmt: skip
def test_to_text_beside_langchain(format: str, reasons: Any, wanted: dict[str, int]) -> None:
    """A transcript agrees with ``get_buffer_string``, except for these reasons; each difference has one."""
    found: Counter[str] = Counter()
    for message, ours, theirs in _shown(format):
        holding = [reason for reason, holds in reasons(message).items() if holds]
        assert (ours == theirs) == (not holding), (ours, theirs)
        found[holding[0] if holding else "equal"] += 1
    assert found == wanted


def test_prefixes_beside_langchain() -> None:
    """Other labels label the same messages as in LangChain, which refuses removals and other formats too."""
    with_labels, json_form, removal = _cases("get_buffer_string")[2:]
    prefixes = {"user": "U", "assistant": "B", "system": "Sy", "tool": "To"}
    theirs = [line.partition(": ")[0] for line in with_labels["output"].split("|")]
    ours = [
        am.History([message]).to_text(prefixes).partition(": ")[0] for message in _messages(with_labels["input"])
    ]  # fmt: skip
    assert [(a, b) for a, b in zip(ours, theirs, strict=True) if a != b] == [("To", "Function")]
    assert _refused(json_form["output"])
    with pytest.raises(am.InvalidMessage):
        am.decode(json_form["input"], "langchain").to_text(format=json_form["params"]["format"])
    assert _refused(removal["output"])
    assert am.decode(removal["input"], "langchain").to_text() == "Remove: 1"


# -- convert_to_messages -------------------------------------------------------------------------------------

READ: Reasons = {
    "calls in OpenAI's shape stay as they are": lambda ours, _: ours[0].role == "native",
    "a status that nobody gave is none": lambda ours, theirs: (
        ours[0].is_tool and am.same(ours[0].content[0], theirs[0].content[0].evolve(status=None))
    ),
    "unknown keys are extras, not metadata": lambda ours, theirs: (
        ours[0].extras
        and not ours[0].metadata
        and (theirs[0].metadata or theirs[0].blocks(am.AudioBlock))
        and ours[0].text == theirs[0].text
    ),
    "usage is usage": lambda ours, theirs: (
        ours[0].usage is not None
        and am.same(ours[0].evolve(usage=None), theirs[0].evolve(metadata={}))
        and "usage_metadata" in theirs[0].metadata
    ),
}


def _outcome(case: dict[str, Any]) -> str:
    native = case["input"]
    codec: am.CodecName = "langchain-lc" if isinstance(native, dict) and "lc" in native else "langchain"
    try:
        ours = _messages([native], codec)
    except am.DecodeError:
        assert _refused(case["output"])
        return "both refuse it"
    return "only we read it" if _refused(case["output"]) else _why(READ, ours, _messages([case["output"]]))


def test_reading_beside_langchain() -> None:
    """The codec reads all that ``convert_to_messages`` accepts, and more, as the same messages, except for these."""
    assert Counter(map(_outcome, _cases("convert_to_messages"))) == {
        "equal": 15,
        "both refuse it": 2,
        "only we read it": 9,
        "calls in OpenAI's shape stay as they are": 2,
        "unknown keys are extras, not metadata": 2,
        "a status that nobody gave is none": 1,
        "usage is usage": 1,
    }


# -- convert_to_openai_messages ------------------------------------------------------------------------------


def _of_class(found: Any, cls: type[am.BaseBlock]) -> list[am.BaseBlock]:
    return [block for message in found for block in message.blocks(cls)]


WRITTEN: Reasons = {
    "blocks of text stay apart": lambda ours, theirs: (
        [m.text for m in ours] == [m.text for m in theirs]
        and all(type(block) is am.TextBlock for m in (*ours, *theirs) for block in m.content)
    ),
    "results come first, as OpenAI wants them": lambda ours, theirs: am.same([*ours], [*theirs[::-1]]),
    "calls are written once": lambda ours, theirs: (
        _calls(ours) == _calls(theirs) != [] and _of_class(theirs, am.NativeBlock)
    ),
    "invalid and old calls are kept": lambda ours, theirs: len(_calls(ours)) > len(_calls(theirs)) > 0,
    "a tool's result has no name in OpenAI": lambda ours, theirs: (
        ours and ours[0].is_tool and am.same(ours[0].content[0], theirs[0].content[0].evolve(name=None))
    ),
    "parts that OpenAI does not know are in the account": lambda ours, theirs: (
        (_of_class(theirs, am.NativeBlock) or _of_class(theirs, am.ThinkingBlock)) and _words(ours) == _words(theirs)
    ),
    "parts of Bedrock are in the account": lambda ours, theirs: (
        (_words(ours), _words(theirs)[:1]) in {("", "{"), ("", "g")}
    ),
}


def _written(case: dict[str, Any]) -> str:
    done = am.convert(case["input"], "langchain", "openai")
    if _refused(case["output"]):
        return "LangChain refuses it, we " + ("account for it" if done.losses else "write it")
    ours, theirs = _messages(done.document, "openai"), _messages(case["output"], "openai")
    reason = _why(WRITTEN, ours, theirs)
    assert "account" not in reason or any(loss.level == "content" for loss in done.losses)
    return reason


def test_writing_beside_langchain() -> None:
    """Converting to OpenAI agrees with ``convert_to_openai_messages``, read as messages, except for these reasons."""
    found = Counter(map(_written, _cases("convert_to_openai_messages")))
    assert found == {
        "equal": 19,
        "LangChain refuses it, we account for it": 10,
        "LangChain refuses it, we write it": 1,
        "blocks of text stay apart": 2,
        "results come first, as OpenAI wants them": 3,
        "calls are written once": 2,
        "invalid and old calls are kept": 3,
        "a tool's result has no name in OpenAI": 3,
        "parts that OpenAI does not know are in the account": 8,
        "parts of Bedrock are in the account": 6,
    }
