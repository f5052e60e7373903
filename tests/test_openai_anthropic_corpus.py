"""Every golden and recorded document of OpenAI and Anthropic in the other format: accepted, and restored.

``python -m support.loss_table`` prints the losses; the tests below keep what was found by reading it.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

import agentmsg as am
from data import EVERY
from support.conversions import PAIRS, PROBLEMS, conversions, returns, told
from support.documents import documents
from support.loss_table import render, survey, what_of, where_of
from support.situations import CASES, Case, outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

pairs = pytest.mark.parametrize(("source", "target"), PAIRS, ids=[f"{source} to {target}" for source, target in PAIRS])
requests = pytest.mark.parametrize(("source", "target"), PAIRS[:2])

_PROVIDERS_TOOLS = "what the provider ran is told in words, or not at all"
# All places where content may be lost, and why no better mapping is known.
_UNAVOIDABLE: Mapping[str, str] = {
    "messages: Msg dropped": "all that it said has no place",
    "messages: NoneType moved": "Anthropic takes no system message behind an assistant's",
    "messages/extras/openai/action dropped": "what an agent logs beside its answer",
    "messages/extras/openai/thought dropped": "the same",
    "messages/extras/openai.choices/further dropped": "the other answers to the same question: a history has one",
    "messages/extras/openai/extra_content dropped": "the signature, as a server of Gemini's models sends it",
    "messages/extras/openai/thought_signature dropped": "the same, as a gateway repeats it",
    "extras/openai/prediction dropped": "Anthropic predicts no output",
    "extras/openai/web_search_options dropped": "a search that comes with OpenAI's search models, not a tool of others",
    "extras/anthropic/mcp_servers dropped": "Chat Completions has no MCP servers",
    "extras/hf/rejected dropped": "the rejected answer of a preference: a request has one answer",
    "messages/content: AudioBlock dropped": "Anthropic has no sound",
    "messages/content: FileBlock to TextBlock changed": "a document given as text: Chat Completions has files only",
    "messages/content: CompactionBlock to TextBlock changed": "OpenAI has no summaries",
    "messages/content: CompactionBlock merged": "the same, where it is one text with its neighbour",
    "messages/content: FileBlock dropped": "files by id are their provider's; OpenAI takes none by URL",
    "messages/content: ImageBlock dropped": "the same: OpenAI takes no images by id",
    "messages/content: NativeBlock dropped": "tools that are added in mid-conversation: OpenAI has no such thing",
    "messages/content: RefusalBlock to TextBlock changed": "Anthropic has no refusals: the words remain",
    "messages/content: ThinkingBlock dropped": "OpenAI has no place for it, Anthropic none without its signature",
    "messages/content: ToolResultBlock dropped": _PROVIDERS_TOOLS,
    "messages/content: ToolResultBlock merged": "the same: it is told in the text before it",
    "messages/content: ToolResultBlock to TextBlock changed": _PROVIDERS_TOOLS,
    "messages/content: ToolUseBlock dropped": _PROVIDERS_TOOLS,
    "messages/content: ToolUseBlock merged": "the same",
    "messages/content: ToolUseBlock to TextBlock changed": _PROVIDERS_TOOLS,
    "messages/content/content: FileBlock to TextBlock changed": "a document given as text, in a result",
    "messages/content/content: FileBlock dropped": "OpenAI's results are text",
    "messages/content/content: ImageBlock dropped": "the same",
    "messages/content/content: NativeBlock to TextBlock changed": "a reference to a tool that was found is its name",
    "messages/content/context dropped": "OpenAI's files have no context",
    "messages/content/input changed": "free text is an object at Anthropic",
    "messages/content/kind changed": "Anthropic has no calls with free text",
    "messages/content/status dropped": "OpenAI's results do not say that a tool failed",
    "tools: NativeTool dropped": "nobody else can run a provider's tool",
}


def _found(source: str, target: str) -> Iterator[tuple[str, am.Conversion, am.Loss]]:
    """Yield every loss of a pair, with its document and conversion."""
    for name, _, result in conversions(source, target):
        for loss in result.losses:
            yield name, result, loss


def _owner(history: am.History, path: tuple[Any, ...]) -> Any:
    """Return the owner of a path: the path without its last key."""
    value: Any = history
    for key in path[:-1]:
        value = value[key] if isinstance(key, int) else getattr(value, key)
    return value


# -- laws -------------------------------------------------------------------------------------------------------------


@pairs
def test_the_types_of_the_target_accept_every_document(source: str, target: str) -> None:
    """The output is valid in the target's schema, even if the input isn't in the source's."""
    refused = {
        name: problems
        for name, _, result in conversions(source, target)
        if (problems := PROBLEMS[target](result.document))
    }
    assert refused == {}


@pairs
def test_every_document_is_given_back(source: am.CodecName, target: am.CodecName) -> None:
    """The output and its loss report rebuild the history, and the very document."""
    wrong = [
        name for name, document, result in conversions(source, target) if not returns(document, result, source, target)
    ]
    assert wrong == []


@pairs
def test_what_was_written_is_read_and_written_the_same(source: str, target: am.CodecName) -> None:
    """A document of the target, whoever wrote it, comes back exactly."""
    wrong = [
        name
        for name, _, result in conversions(source, target)
        if am.encode(am.decode(result.document, target), target) != result.document
    ]
    assert wrong == []


@pairs
def test_bytes_are_converted_as_plain_data_is(source: am.CodecName, target: am.CodecName) -> None:
    """Bytes give bytes of the same document, and a loss report from file restores the same bytes."""
    wrong: list[str] = []
    for name, document, plain in conversions(source, target):
        result = am.convert(json.dumps(document).encode(), source, target)
        output = am.loads(result.document, target)
        restored = am.restore(output, am.load_losses(am.dump_losses(result.losses, output)))
        if json.loads(result.document) != plain.document or json.loads(am.dumps(restored, source)) != document:
            wrong.append(name)
    assert wrong == []


@requests
def test_a_conversion_there_and_back_loses_nothing_more(source: am.CodecName, target: am.CodecName) -> None:
    """The second conversion keeps the first one's output, except for what only the other format has."""
    made = {"dropped", "changed", "merged"}
    lost = {
        f"{where_of(loss)} {loss.kind}"
        for _, _, result in conversions(source, target)
        for loss in am.convert(result.document, target, source).losses
        if loss.level == "content" and loss.kind in made
    }
    assert lost <= _UNAVOIDABLE.keys()


# -- found by reading the tables --------------------------------------------------------------------------------------


@pairs
def test_content_is_lost_only_where_no_better_mapping_is_known(source: str, target: str) -> None:
    """A new kind of loss needs a reason."""
    lost = {f"{where_of(loss)} {loss.kind}" for _, _, loss in _found(source, target) if loss.level == "content"}
    assert lost - _UNAVOIDABLE.keys() == set()


@pairs
def test_messages_texts_calls_and_results_are_all_there(source: str, target: str) -> None:
    """Most conversations convert: no message, text, function call or client's result is lost."""

    def is_usual(value: Any) -> bool:
        if isinstance(value, (am.ToolUseBlock, am.ToolResultBlock)):
            return value.kind != "server"
        if isinstance(value, am.Msg):
            return any(map(is_usual, value.content))
        return isinstance(value, am.TextBlock)

    lost = [
        f"{name}: {told(loss)}"
        for name, _, loss in _found(source, target)
        if isinstance(loss.path[-1], int) and is_usual(loss.was) and "neighbours are one" not in loss.why
    ]
    assert lost == []


@pairs
def test_images_by_url_and_as_data_are_all_there(source: str, target: str) -> None:
    """Users' images survive; only file ids, and images from tools, aren't supported."""
    lost = [
        f"{name}: {told(loss)}"
        for name, _, loss in _found(source, target)
        if isinstance(loss.was, am.ImageBlock)
        and len(loss.path) == 4
        and not isinstance(loss.was.source, am.FileSource)
    ]
    assert lost == []


@pairs
def test_arguments_and_names_of_functions_are_no_loss(source: str, target: str) -> None:
    """Arguments convert in any spelling, and a result's name is derived from its call."""
    fields = {"raw_input", "input", "name"}
    tools = (am.ToolUseBlock, am.ToolResultBlock)
    lost = [
        f"{name}: {told(loss)}"
        for name, result, loss in _found(source, target)
        if loss.path[-1] in fields
        and isinstance(owner := _owner(result.history, loss.path), tools)
        and owner.kind == "function"
    ]
    assert lost == []


@pairs
def test_only_system_messages_move(source: str, target: str) -> None:
    """Neither format moves the other's messages, except instructions, of which Anthropic has one."""
    moved = {
        (result.history[int(loss.path[1])].role, loss.kind)
        for _, result, loss in _found(source, target)
        if len(loss.path) == 2 and loss.kind not in {"dropped", "changed", "invented"}
    }
    assert moved <= ({("system", "moved"), ("system", "merged")} if target == "anthropic" else set())


@pytest.mark.parametrize(
    ("source", "target", "readable", "conversing"),
    [
        ("openai", "anthropic", 86, 79),
        ("anthropic", "openai", 74, 61),
        ("openai-response", "anthropic-response", 88, 0),
        ("anthropic-response", "openai-response", 88, 0),
    ],
)
def test_most_documents_lose_no_content(
    source: am.CodecName, target: am.CodecName, readable: int, conversing: int
) -> None:
    """Shares in percent: of documents without loss of content, and of those that lose only parameters of a request."""
    found = survey(source, target)
    assert found.documents == len(documents(source)) > 15
    # Golden documents have more special cases, and the quick profile reads a tenth of the others.
    less = 0 if EVERY == 1 else 20
    assert 100 * found.readable / found.documents >= readable - less
    assert 100 * found.conversing / found.documents >= conversing - less
    assert found.whole <= found.conversing


# -- the table --------------------------------------------------------------------------------------------------------


def test_the_table_tells_every_loss() -> None:
    """The counts of its rows are all the losses, most frequent first."""
    rows = survey("openai", "anthropic").rows
    counts = [row.count for row in rows]
    assert sum(counts) == sum(1 for _ in _found("openai", "anthropic"))
    assert counts == sorted(counts, reverse=True)
    printed = render("openai")
    assert re.findall(r"^ *(\d+) \S.* documents$", printed, re.MULTILINE) == [str(count) for count in counts]


def test_the_table_says_what_was_lost() -> None:
    """Keys of mappings, counters of a usage, values of a field, reasons for a whole block."""

    def loss(*path: str | int, was: Any, now: Any = None, why: str = "") -> am.Loss:
        return am.Loss(path, "dropped", "openai", "annotation", was, now, why)

    extras = loss("messages", 0, "extras", was={"openai": {"index": 1, "format": {"x": 1}}})
    assert (where_of(extras), what_of(extras)) == ("messages/extras", ["openai.index", "openai.format"])
    usage = loss("messages", 0, "usage", was=am.Usage(input=1, total=3), now=am.Usage(input=1))
    assert (where_of(usage), what_of(usage)) == ("messages/usage", ["total lost"])
    name = loss("messages", 0, "name", was="Ann")
    assert (where_of(name), what_of(name)) == ("messages/name", ["Ann to None"])
    block = loss("messages", 0, "content", 2, was=am.TextBlock("a"), why="no place")
    assert (where_of(block), what_of(block)) == ("messages/content: TextBlock", ["no place"])


# -- the cases in codecs/conversions.md -------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=[case.title for case in CASES])
def test_each_case_is_given_back_and_accepted(case: Case) -> None:
    """The table's small documents pass the same checks as all others."""
    for document, (source, target) in zip((case.openai, case.anthropic), PAIRS, strict=False):
        if document is not None:
            result = am.convert(document, source, target)
            assert PROBLEMS[target](result.document) == []
            assert returns(document, result, source, target)


def test_a_case_that_is_exact_loses_nothing() -> None:
    """A cell of the table shows the loss report, each thing once."""
    said = {"role": "user", "content": "Hi", "name": "Ann"}
    assert outcome({"messages": [said, said]}, "openai", "anthropic") == "name dropped (annotation)"
    assert outcome({"messages": [{"role": "user", "content": "Hi"}]}, "openai", "anthropic") == "exact"
    assert outcome(None, "openai", "anthropic") == "-"
