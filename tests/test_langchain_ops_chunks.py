"""Sums of chunks compared with LangChain's: equal, or different for a listed and counted reason.

The sums recorded from langchain-core (45) run beside ours, and the library
itself on random streams.
"""

from __future__ import annotations

from collections import Counter
from functools import reduce
from itertools import cycle
from operator import add
from typing import Any

import langchain_core.messages
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessageChunk, message_to_dict

import agentmsg as am
from support.chunk_documents import merge_cases

CASES = {case["description"]: case for case in merge_cases()}

LOST_TEXT = "LangChain loses a text behind an empty list"
DOUBLED = "LangChain writes names and other words twice that come twice"
LOST_NAME = "LangChain loses the name of the sender, or the id of a chunk that is not the first"
REPAIRED = "LangChain lists calls with unfinished arguments, or arguments that are no JSON, as valid"
RAISED = "LangChain raises where metadata or artifacts differ, ours takes the last"
EMPTY_TEXT = "LangChain keeps an empty text in front of a list"
APART = "LangChain keeps neighbouring texts apart where one is in a list, ours joins them"
OTHER_TYPE = "LangChain joins parts of other types under one index: the type of the second is lost"
OTHER_INDEX = "LangChain joins no texts under a text as index"
OWN_IDS = "LangChain lets an id that it made give way to one that a provider made, ours takes the first"
INDEX = "LangChain leaves the index of a part in the message"
COPIES = "LangChain leaves a second copy of the arguments in the content of the message"
SPELLING = "LangChain spells a piece in the content of the last chunk as a whole call, which means the same"

# Differences in the sum.
SUMS = {
    "str + list": APART,
    "empty str + list: leading empty string stays": EMPTY_TEXT,
    "EMPTY list + str: the text is lost": LOST_TEXT,
    "same index, different type: first type wins and keys are unioned": OTHER_TYPE,
    "other string index does not merge": OTHER_INDEX,
    "standard + non_standard same index: value goes to extras": OTHER_TYPE,
    "non_standard + non_standard same index": OTHER_TYPE,
    "same index and same id: id not doubled, name doubled": DOUBLED,
    "id: provider id beats lc_run- beats lc_": OWN_IDS,
    "id: lc_run- beats lc_ even when later": OWN_IDS,
    "name is dropped": LOST_NAME,
    "response_metadata strings concatenate": DOUBLED,
    "response_metadata: id different concatenates": DOUBLED,
    "response_metadata: different bools raise": RAISED,
    "response_metadata: type clash raises": RAISED,
    "nested dict and list": DOUBLED,
    "human chunks: leftmost id kept, name lost": LOST_NAME,
    "tool chunks: artifact merged, error wins": DOUBLED,
    "tool chunks: different artifacts (int) raise": RAISED,
}
# Differences only in the document of the sum.
DOCUMENTS = {"v1 content tool_call_chunk becomes tool_call at last": SPELLING}
# Further differences after the sum is made a message.
MESSAGES = {
    "list + list same int index: merged, text concatenated, type not doubled": INDEX,
    "different index: appended": INDEX,
    "same index, different ids: appended": INDEX,
    "same index, one id missing: merged": INDEX,
    "additional_kwargs.tool_calls stream by index": INDEX,
    "index None never merges": REPAIRED,
    "raw newline within string": REPAIRED,
    "Anthropic: tool_use + input_json_delta blocks": COPIES,
}
COUNTS = {
    APART: 1, EMPTY_TEXT: 1, LOST_TEXT: 1, OTHER_TYPE: 3, OTHER_INDEX: 1, DOUBLED: 5, OWN_IDS: 2, LOST_NAME: 2,
    RAISED: 3, INDEX: 5, REPAIRED: 2, COPIES: 1, SPELLING: 1,
}  # fmt: skip


def chunks_of_case(case: dict[str, Any]) -> list[am.MsgChunk]:
    """Return the chunks of a case, read as the real library writes them."""
    cls = getattr(langchain_core.messages, case["class"])
    return [am.decode_chunk(message_to_dict(cls(**fields)), "langchain") for fields in case["parts"]]


def sum_of(case: dict[str, Any]) -> am.MsgChunk:
    """Return our sum of a case."""
    return sum(chunks_of_case(case), am.MsgChunk())


def test_cases_are_all_there() -> None:
    """No recorded sum is left out, and every reason is counted: one that no longer occurs must go."""
    assert (len(merge_cases()), len(CASES)) == (45, 45)
    assert CASES.keys() >= SUMS.keys() | DOCUMENTS.keys() | MESSAGES.keys()
    assert not SUMS.keys() & MESSAGES.keys()
    assert Counter([*SUMS.values(), *DOCUMENTS.values(), *MESSAGES.values()]) == COUNTS


@pytest.mark.parametrize("description", list(CASES))
def test_sums_agree(description: str) -> None:
    """A sum equals LangChain's, as a chunk and as a document, exactly if no reason is listed."""
    case = CASES[description]
    recorded = case["pairwise"]
    if description == "chat chunks: roles differ":
        assert recorded["__error__"] == "ValueError"
        with pytest.raises(am.InvalidMessage, match="cannot go on"):
            sum_of(case)
        return
    total = sum_of(case)
    assert am.same(total, am.Accumulator(chunks_of_case(case)).chunk)
    if "__error__" in recorded:
        assert SUMS[description] == RAISED
        return
    assert am.same(total, am.decode_chunk(recorded, "langchain")) is (description not in SUMS)
    differs = description in SUMS or description in DOCUMENTS
    assert (am.encode_chunk(total, "langchain") == recorded) is not differs


@pytest.mark.parametrize("description", [name for name in CASES if name not in SUMS and "roles differ" not in name])
def test_messages_agree(description: str) -> None:
    """The message of a sum is LangChain's, unless a reason is listed."""
    case = CASES[description]
    theirs = am.Msg.decode(case["final_message"], "langchain")
    assert am.same(sum_of(case).to_msg(), theirs) is (description not in MESSAGES)


def test_what_langchain_loses_is_kept() -> None:
    """The cases in which LangChain loses or changes something, and our results."""
    total = {name: sum_of(CASES[name]) for name in SUMS}
    assert total["EMPTY list + str: the text is lost"].text == "b"
    assert total["same index and same id: id not doubled, name doubled"].tool_calls[0].name == "f"
    assert (total["response_metadata strings concatenate"].model, total["name is dropped"].name) == ("gpt", "n")
    assert total["response_metadata: different bools raise"].response_metadata == {"b": False}
    of_two_types = total["same index, different type: first type wins and keys are unioned"]
    assert [type(part.block) for part in of_two_types.parts] == [am.TextBlock, am.ThinkingBlock]
    unfinished = sum_of(CASES["index None never merges"]).to_msg()
    assert [call.raw_input for call in unfinished.invalid_tool_calls] == ['{"a":', "1}"]


# -- the library beside ours ------------------------------------------------------------------------------------------


def pieces_of_calls() -> st.SearchStrategy[list[dict[str, Any]]]:
    """Return streams of pieces of parallel calls, as OpenAI sends them: the first piece has id and name."""
    text = st.text(st.sampled_from('{}[]":, a1\\u'), max_size=5)
    return st.lists(st.tuples(st.integers(0, 2), text), min_size=1, max_size=8).map(_named)


def _named(found: list[tuple[int, str]]) -> list[dict[str, Any]]:
    seen: set[int] = set()
    pieces: list[dict[str, Any]] = []
    for index, text in found:
        new = index not in seen
        seen.add(index)
        pieces.append({"name": "f" if new else None, "args": text, "id": f"c{index}" if new else None, "index": index})
    return pieces


@given(pieces_of_calls(), st.lists(st.text("ab", max_size=3), max_size=8), st.booleans())
def test_streams_add_up_as_in_langchain(pieces: list[dict[str, Any]], texts: list[str], is_last: bool) -> None:
    """Providers' pieces add up to LangChain's result, document by document, and are readable at every step."""
    theirs = [AIMessageChunk(content=text) for text in texts]
    words = cycle(texts or [""])
    theirs += [AIMessageChunk(content=next(words), id="m", tool_call_chunks=[piece]) for piece in pieces]  # type: ignore[list-item]
    if is_last:
        theirs.append(AIMessageChunk(content="", chunk_position="last"))
    total, acc = None, am.Accumulator()
    for chunk in theirs:
        total = chunk if total is None else total + chunk
        acc += am.decode_chunk(message_to_dict(chunk), "langchain")
        assert am.encode_chunk(acc.chunk, "langchain") == message_to_dict(total)
    assert acc.done is is_last


SIGNED = am.Signature("anthropic", "Es")
CITED = {"type": "char_location", "cited_text": "x", "start_char_index": 0}
# Pieces of content from langchain-anthropic's streams; their sum; whether LangChain's sum has the same spelling.
CONTENTS: dict[str, tuple[list[dict[str, Any]], tuple[am.Block, ...], bool]] = {
    "signature of thinking": (
        [
            {"type": "thinking", "thinking": "h", "index": 0},
            {"type": "thinking", "thinking": "m", "index": 0},
            {"type": "thinking", "signature": "Es", "index": 0},
            {"type": "text", "text": "a", "index": 1},
        ],
        (am.ThinkingBlock("hm", signature=SIGNED), am.TextBlock("a")),
        True,
    ),
    "signature of reasoning": (
        [
            {"type": "reasoning", "reasoning": "h", "index": "lc_rs_1"},
            {"type": "reasoning", "extras": {"signature": "Es"}, "index": "lc_rs_1"},
        ],
        (am.ThinkingBlock("h", signature=SIGNED.evolve(provider="anthropic")),),
        True,
    ),
    "citations": (
        [
            {"type": "text", "text": "h", "index": 0},
            {"type": "text", "citations": [CITED], "index": 0},
            {"type": "text", "text": "i", "index": 0},
        ],
        (
            am.TextBlock(
                "hi",
                citations=[
                    am.Citation(kind="char_location", cited_text="x", extras={"anthropic": {"start_char_index": 0}})
                ],
            ),
        ),
        True,
    ),
    "call of the provider's own": (
        [
            {"type": "server_tool_use", "id": "s", "name": "web", "input": {}, "index": 1},
            {"type": "input_json_delta", "partial_json": '{"q":', "index": 1},
            {"type": "input_json_delta", "partial_json": " 1}", "index": 1},
        ],
        (am.ToolUseBlock("s", "web", {"q": 1}, kind="server", provider="anthropic"),),
        False,
    ),
}


@pytest.mark.parametrize("case", list(CONTENTS))
def test_content_is_streamed_as_providers_do(case: str) -> None:
    """Signatures, citations and arguments that come alone go to the block of their index."""
    contents, blocks, is_spelt_so = CONTENTS[case]
    theirs = [AIMessageChunk(content=[content]) for content in contents]
    documents = [message_to_dict(chunk) for chunk in theirs]
    total = am.MsgChunk.joined(am.decode_chunk(document, "langchain") for document in documents)
    assert [am.encode_chunk(am.decode_chunk(document, "langchain"), "langchain") for document in documents] == documents
    assert am.same(total.to_msg().content, blocks)
    written = am.encode_chunk(total, "langchain")
    assert am.same(am.decode_chunk(written, "langchain"), total)
    assert (written == message_to_dict(reduce(add, theirs))) is is_spelt_so
