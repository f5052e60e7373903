"""Detection: a document's format follows from how much of it a codec understands; uncertainty is reported."""

from __future__ import annotations

import gzip
import json
import pickle
import random
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import pytest
from click.testing import CliRunner

import agentmsg as am
import agentmsg_codecs
from agentmsg.checking import detection
from agentmsg.checking.detection import doubt, recognize_all
from agentmsg.cli.program import program
from agentmsg.formats.understanding import BAR, sampled, understanding_of
from agentmsg.testing.mutations import mutate
from agentmsg.values.types import is_mapping, is_sequence
from data import corpus, effort, golden, recorded, shared_dir, some
from support.documents import documents

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CODECS = tuple(sorted(agentmsg_codecs.CODECS))
MUTANTS = effort(300)
# Folders with documents in formats that we read.
OURS = {
    "agentscope_java",
    "agentscope_py",
    "agentscope_py_v1",
    "alpaca",
    "anthropic",
    "anthropic_beta",
    "anthropic_response",
    "arcaelas",
    "bedrock_invoke",  # Anthropic bodies
    "bedrock",
    "bedrock_response",
    "gemini",
    "gemini_response",
    "hf_messages",
    "hf_rows",
    "langchain",
    "lionpride",
    "openai_chat",
    "openai_chat_response",
    "openai_responses",
    "openai_responses_response",
    "pydantic_ai",
    "riffer",
    "sharegpt",
    "sharegpt_rows",
    "synaptic",
    "vercel_ai",
    "vercel_ai_ui",
    "vercel_model",
    "vercel_ui",
    "vercel_ui_v4",
}
# Folders of formats in which some documents are OpenAI messages, down to the last key.
DIALECTS = {"cohere", "mistral", "openai_finetune"}
# Sessions with items of OpenAI Responses, contents of Gemini, or messages of Bedrock with an odd image.
SESSIONS = {"openai_agents": "openai-responses", "gemini_cli_session": "gemini", "strands": "bedrock"}
# Rows with thoughts and actions beside the messages: about as many keys are unknown as known.
DOUBTFUL = {"openai": "SWE-agent__"}


# -- documents of our formats -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CODECS)
def test_documents_of_each_format_are_recognized(name: am.CodecName) -> None:
    """Golden and recorded documents are detected as their codec, or one that reads the same; native ones are unsure."""
    for title, document in documents(name):
        codec = am.get_codec(name)
        scores = am.detect(document)
        if codec.understand(codec.sample(document)).is_doubtful or title.startswith(DOUBTFUL.get(name, "-")):
            assert am.get_codec(scores[0][0]).family == codec.family, title
            assert scores[0][1] < BAR, title
            continue
        best = am.recognize(document)
        assert scores[0][0] == best, title
        assert scores[0][1] >= BAR, title
        assert best == name or says(document, best) == says(document, name), f"{title}: {scores}"


def says(document: Any, codec: am.CodecName) -> list[Any]:
    """Return what a codec reads: roles and contents, in any spelling."""
    read = am.decode(document, codec)
    return [(message.role, [block.evolve(extras={}, notes={}) for block in message.content]) for message in read]


def test_documents_of_which_most_is_native_are_few() -> None:
    """Unrecognised are only golden documents of one unknown block, and SWE-agent's rows: at most one in fifty."""
    doubtful = total = 0
    for name in CODECS:
        codec = am.get_codec(name)
        for title, document in documents(name):
            total += 1
            read = codec.understand(codec.sample(document))
            doubtful += read.is_doubtful or title.startswith(DOUBTFUL.get(name, "-"))
    assert doubtful * 50 <= total


@pytest.mark.parametrize("name", CODECS)
def test_langchain_is_not_beside_everything(name: str) -> None:
    """Messages with a role and nothing specific to LangChain get no score for LangChain."""
    family = am.get_codec(name).family
    for title, document in documents(name):
        scores = dict(am.detect(document))
        text = json.dumps(document)
        # Words that LangChain shares; a single message of the canonical form may have a key "type".
        if family not in ("langchain", "agentmsg") and "human" not in text and "response_metadata" not in text:
            assert "langchain" not in scores, title


# -- documents of other formats ---------------------------------------------------------------------------------------


def foreign_documents() -> Iterator[tuple[str, str, Any]]:
    """Yield folder, name and document for each format that we don't read."""
    for kind, listed in (("golden", golden), ("corpus", corpus)):
        for folder in sorted(path.name for path in (shared_dir() / kind).iterdir() if path.is_dir()):
            if folder not in OURS:
                yield from ((folder, name, document) for path in listed(folder) for name, document in in_file(path))


def in_file(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the documents of a file: its lines, the request and the response, or the whole."""
    if path.suffix == ".jsonl":
        lines = recorded(path.read_text().splitlines()[::5])
        yield from ((f"{path.stem}, {line[:20]}", json.loads(line)) for line in lines if line.strip())
        return
    whole: Any = json.loads(path.read_text())
    yield path.stem, whole
    if is_mapping(whole):
        for index, each in enumerate(whole.get("interactions", [])):
            yield f"{path.stem}, request {index}", each["request"]
            yield f"{path.stem}, response {index}", each.get("response")


def test_other_formats_are_not_mistaken() -> None:
    """No document of a format that we don't read scores 0.8, except those that are fully understood as OpenAI's."""
    folders: set[str] = set()
    for folder, name, document in foreign_documents():
        folders.add(folder)
        scores = am.detect(document)
        if not scores or scores[0][1] < BAR:
            continue
        assert folder in DIALECTS or folder in SESSIONS, f"{folder}/{name}: {scores[0]}"
        codec = am.get_codec(scores[0][0])
        read = understanding_of(codec.read(codec.sample(document)), codec.family, codec.kept)
        # A prompt and its completion are a row, for training any model.
        meant = "hf" if name == "openai_ft_completion" else SESSIONS.get(folder, "openai")
        odd = ("image",) if folder == "strands" else ()
        assert (scores[0][0], read.unknown, read.natives) == (meant, odd, len(odd)), f"{folder}/{name}: {read}"
    assert len(folders - DIALECTS) >= 20


@pytest.mark.parametrize("folder", ["hf_messages", "hf_rows", "mistral", "openai_finetune"])
def test_messages_of_openai_are_found_in_other_folders(folder: str) -> None:
    """Rows and requests made of OpenAI messages are recognised, whoever made them."""
    found = [am.detect(json.loads(path.read_text()))[:1] for path in golden(folder)]
    assert any(scores and scores[0][0] == "openai" and scores[0][1] >= BAR for scores in found)


@pytest.mark.parametrize(
    ("where", "keys"),
    [
        ("cohere/02_tools", ""),
        ("llamaindex/02_media", "blocks"),
        ("ollama/02_image", "images"),
        ("haystack/01_simple", ""),
    ],
)
def test_convert_refuses_what_it_does_not_understand(where: str, keys: str) -> None:
    """Without --from nothing is written; the error names the keys unknown to the best guess."""
    done = run("convert", str(shared_dir() / "golden" / f"{where}.json"), "--to", "json")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "error [not-understood]" in done.stderr
    assert keys in done.stderr
    assert "--from" in done.stderr


# -- deciding ---------------------------------------------------------------------------------------------------------

PLAIN: list[Any] = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
NOBODYS: list[Any] = [
    {"role": "user", "content": [{"words": "Hi"}]},
    {"role": "assistant", "content": [{"words": "Hello"}]},
]
RIFFER: dict[str, Any] = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"id": "1", "call_id": "c", "name": "f", "arguments": "{}"}],
}


def test_the_more_common_format_wins_where_both_read_the_same() -> None:
    """A list of roles and texts fits every format: it is read as OpenAI's."""
    assert am.recognize(PLAIN) == am.recognize(json.dumps(PLAIN)) == "openai"


@pytest.mark.parametrize(
    "document",
    [
        [{**PLAIN[0], "thinking": "hm"}],
        [{**PLAIN[0], "images": ["aGk="]}],
        [{"role": "user", "blocks": [{"text": "SECRET PLAN"}]}],
        NOBODYS,
        {"messages": NOBODYS, "system": [{"words": "s"}], "setup": {}},
        {"contents": [{"role": "user", "parts": [{"text": "Hi", "kind": "text"}]}]},
        {"type": "MESSAGES_SNAPSHOT", "messages": [{**PLAIN[0], "id": "1"}]},
        [{"type": "system", "content": "x", "uuid": "u", "sessionId": "s", "cwd": "/", "version": "1", "level": "i"}],
        ["a", "b"],
        [["user", "x"]],
        # Pieces of documents: tools, calls, the author of a message, an item that has just begun.
        [{"type": "function", "name": "f", "parameters": {"type": "object"}}],
        [{"type": "function", "id": "c", "function": {"name": "f", "arguments": "{}"}}],
        {"type": "function", "id": "c", "function": "f", "arguments": {}},
        {"role": "system", "name": None, "metadata": {}},
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "in_progress", "content": []},
    ],
    ids=str,
)
def test_unsure_is_said(document: Any) -> None:
    """An unknown key or block makes detection unsure, however plain the rest is."""
    with pytest.raises(am.NotUnderstood) as caught:
        am.recognize(document)
    assert caught.value.code == "not-understood"
    assert all(score < BAR for _, score in am.detect(document))


@pytest.mark.parametrize(
    ("document", "name"),
    [
        ([{**PLAIN[0], "created_at": "2026-01-02T03:04:05Z"}, PLAIN[1]], "openai"),
        ([PLAIN[0], {**PLAIN[1], "partial": True}], "openai"),
        ([{**PLAIN[0], "channel": "analysis"}], None),
        ([{**PLAIN[0], "timestamp": 1, "thinking": "hm"}], None),
    ],
    ids=str,
)
def test_bookkeeping_does_not_hide_a_format(document: Any, name: str | None) -> None:
    """Unknown ids, times, numbers and flags are no obstacle where no other format fits; any other key is."""
    scores = am.detect(document)
    assert (scores[0][0] if scores[0][1] >= BAR else None) == name


_INPUT: Any = {"model": "m", "input": "Hi"}


@pytest.mark.parametrize(
    "document",
    [
        {**_INPUT, "model": "gemini-3-flash", "tools": [{"type": "google_search"}]},
        {**_INPUT, "model": "gemini-3-flash", "input": [{"role": "user", "content": "Hi"}], "store": False},
        {**_INPUT, "system_instruction": "Be brief.", "response_format": {"type": "object"}},
        {"agent": "research", "input": "Hi", "background": True, "store": True},
        {**_INPUT, "voice": "alloy", "instructions": "cheerful"},
        {**_INPUT, "encoding_format": "float"},
        {"input": "2+2", "output": "4", "text": "2+2=4"},
        {"input": "2+2", "output": "4", "instructions": "Add."},
        {"input": "Hi", "text": "Hi"},
        {"input": [{"role": "user", "content": "Hi"}], "ideal": "Yo"},
        {"prompt": {"id": 1}},
        {"prompt": {"id": "x", "text": "Hi"}},
    ],
)
def test_generic_keys_are_no_evidence(document: Any) -> None:
    """An input, a text or instructions are found in many things; only what one API has tells its requests."""
    assert all(score < BAR for _, score in am.detect(document))


@pytest.mark.parametrize(
    "more",
    [
        {"tools": [{"type": "web_search"}]},
        {"text": {"format": {"type": "text"}}},
        {"instructions": "Be brief."},
        {"max_output_tokens": 9, "custom_llm_provider": "x"},
        {"store": True, "metadata": {"a": "b"}, "temperature": 1.0},
        {"input": [{"role": "user", "content": "Hi"}]},
        {"input": [{"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}], "own": {}},
    ],
)
def test_requests_of_responses_are_told_by_their_own_keys(more: dict[str, Any]) -> None:
    """What only the Responses API has, or nothing but what its requests have, makes a request of it."""
    assert am.recognize({**_INPUT, **more}) == "openai-responses"


@pytest.mark.parametrize("columns", [{"text": "Below is ..."}, {"text": "x", "tools": "[]"}])
def test_rows_of_alpaca_may_have_a_text_beside(columns: dict[str, Any]) -> None:
    """The columns of Alpaca are recognised beside others that any row may have."""
    assert am.recognize({"instruction": "Add.", "input": "1, 2", "output": "3", **columns}) == "sharegpt"


def test_the_error_names_best_guess_and_unknown_keys() -> None:
    """The missed keys are in the message, and are an attribute of the error."""
    with pytest.raises(am.NotUnderstood, match=r"the closest is anthropic \(0\.\d\d\): unknown keys words") as caught:
        am.recognize({"system": "s", "messages": NOBODYS})
    assert (caught.value.guesses[0], caught.value.unknown) == ("anthropic", ("words",))
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.guesses, again.unknown) == (
        str(caught.value),
        caught.value.guesses,
        caught.value.unknown,
    )


@attrs.frozen(kw_only=True)
class Rival(am.Codec):
    """Reads what OpenAI's codec reads, each text reversed."""

    name: ClassVar[str] = "rival"
    family: ClassVar[str] = "rival"
    title: ClassVar[str] = "OpenAI's messages, backwards"

    def read(self, document: Any) -> am.History:
        return am.History(am.Msg.chat(message.role, message.text[::-1]) for message in am.decode(document, "openai"))

    def likeness(self, document: Any) -> float:
        return 0.86


class Broken(Rival):
    """Never returns a score."""

    def sniff(self, document: Any) -> float:
        raise RuntimeError


def test_formats_that_read_a_document_differently_are_not_chosen_between(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two scores within 0.1 decide nothing if the messages differ, but do if they are the same."""
    monkeypatch.setitem(agentmsg_codecs.CODECS, "rival", f"{__name__}:Rival")
    with pytest.raises(am.NotUnderstood, match="may be openai or rival, which read it differently"):
        am.recognize(PLAIN)
    assert am.recognize([{"role": "user", "content": "aba"}]) == "openai"


@pytest.mark.parametrize(
    "more",
    [
        {"tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]},
        {"tools": [{"type": "custom", "custom": {"name": "f"}}], "max_tokens": 9},
        {"tool_choice": "auto"},
        {"reasoning": {"effort": "low"}},
        {"presence_penalty": 0},
    ],
    ids=str,
)
def test_a_server_like_openai_may_serve_claude(more: dict[str, Any]) -> None:
    """The name of a model says less than the rest of the request."""
    asked = {"model": "claude-sonnet-4-6", "messages": [{"role": "user", "content": "Hi"}]}
    assert am.recognize({**asked, "max_tokens": 9}) == "anthropic"
    assert am.recognize({**asked, **more}) == "openai"
    assert am.recognize({**asked, **more, "system": "Be brief."}) == "anthropic"


def test_marks_that_nothing_else_has_decide() -> None:
    """Blocks in Anthropic's spelling, in the canonical form, are no doubt, because it has its version."""
    block = {"type": "compaction", "text": "Summary so far."}
    document = {"agentmsg": 1, "messages": [{"role": "assistant", "content": [block]}]}
    assert dict(am.detect(document))["anthropic"] >= BAR
    assert am.recognize(document) == "json"
    tools: dict[str, Any] = {"tools": [{"type": "function", "name": "f", "parameters": {}}]}
    assert am.recognize({"messages": [{"role": "user", "content": "Hi"}], **tools}) == "openai"


_CALL: dict[str, Any] = {"toolCallId": "c", "toolName": "f", "args": {}, "state": "call"}
_ROUGH: list[tuple[str, Any]] = [
    ("vercel-ui", [{"role": "user", "parts": [{"type": "text", "text": "Hi"}]}]),
    ("vercel-ui", [{"role": "assistant", "parts": [{"type": "step-start"}, {"type": "text", "text": "Hi"}]}]),
    ("vercel-ui", [{"role": "assistant", "parts": [{"type": "tool-invocation", "toolInvocation": _CALL}]}]),
    ("vercel-ui", [{"role": "assistant", "parts": [{"type": "tool-invocation", **_CALL}]}]),
    ("vercel-ui", [{"role": "assistant", "parts": [{"type": "tool-f", "state": "input-available", "input": {}}]}]),
    ("vercel-ui", [{"role": "assistant", "parts": [{"type": "tool-f", "toolName": "f", "state": "call", "input": 1}]}]),
    ("vercel-ui", [{"role": "assistant", "parts": [{"type": "tool-invocation", "toolName": "f", "input": {}}]}]),
    ("vercel-ui", [{"id": "m", "role": "user", "content": "Hi", "createdAt": "2025-06-08T12:00:00.000Z"}]),
    ("vercel-ui", {"id": "m", "role": "user", "content": "Hi", "parts": []}),
    ("vercel", [{"role": "user", "content": [{"type": "image", "image": "https://x.test", "mimeType": "image/png"}]}]),
    ("vercel", [{"role": "user", "content": [{"type": "file", "data": "AAAA", "mimeType": "image/png"}]}]),
    ("vercel", {"prompt": [{"role": "user", "content": [{"type": "file", "data": [1], "mediaType": "image/png"}]}]}),
    ("vercel", [{"role": "assistant", "content": [
        {"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": {}},
        {"type": "tool-approval-request", "approvalId": "a", "toolCallId": "c"}]}]),
    ("vercel", [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": [
        {"type": "redacted-reasoning", "data": "r"}, {"type": "text", "text": "Hi"}, {"type": "text", "text": "Hello"},
        {"type": "tool-call", "toolCallId": "c", "toolName": "f", "args": {}}]}]),
    ("pydantic-ai", [{"kind": "response", "parts": [{"part_kind": "tool-call", "tool_name": "f", "args": {}}]}]),
    ("agentscope", [{"id": "m", "role": "assistant", "finished_at": "2026-09-03T17:21:59",
                     "finished_reason": "completed", "content": [{"type": "text", "text": "Hi"}]}]),
    ("bedrock", [{"role": "user", "content": [{"text": "Hi"}], "metadata": {"a": 1}, "tracking_id": "t"}]),
    ("bedrock", [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": [{"text": "Hello"}]}]),
    ("gemini", [{"role": "user", "parts": ["Hi"]}, {"role": "model", "parts": ["Hello"]}]),
    ("gemini", {"contents": {"role": "USER", "parts": {"text": "Hi"}}}),
    ("openai", [{"role": "user", "content": "Hi"}, {"role": "tool", "tool_call_id": "c", "content": {"ok": True}}]),
    ("openai-responses", {"model": "m", "prompt": {"id": "pmpt_1", "variables": {"a": "b"}}}),
    ("hf", {"messages": [{"role": "user", "content": "<audio>What?"}], "audios": ["a.mp3"]}),
    ("hf", {"messages": [{"role": "user", "content": "Hi"}], "rejected_response": "No"}),
    ("hf", {"messages": [{"role": "assistant", "content": "<tool_call>\n{}\n</tool_call>"}]}),
    ("sharegpt", {"conversations": [{"role": "user", "value": "Hi"}]}),
    ("sharegpt", {"conversations": [{"from": "user", "value": "Hi", "role": "a"}, {"from": "gpt", "value": "a"}]}),
    ("sharegpt", {"conversations": [{"from": "tool_call", "name": "f", "arguments": {}, "thought": "a"}]}),
    ("sharegpt", {"conversation": [{"human": "a", "assistant": "b"}]}),
    ("sharegpt", {"query": "a", "response": "b", "history": [["c", "d"]]}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "document"), _ROUGH)
def test_what_databases_leave_out_is_recognized(name: str, document: Any) -> None:
    """Without ids, names or duplicated keys, and in older versions."""
    assert am.recognize(document) == name


@pytest.mark.parametrize("name", CODECS)
def test_what_a_codec_writes_is_recognized(name: am.CodecName) -> None:
    """A history of another format, written by a codec, is detected as that codec, or one that reads it the same."""
    for source in ("anthropic", "langchain", "openai", "riffer"):
        for title, document in some(documents(source), 24, least=4):
            written = am.encode(am.decode(document, source), name, on_loss="ignore")
            # A response holds assistant messages only; with most of its keys unknown, or as a message of Arcaelas'
            # without a time, it belongs to no format.
            if not dict(am.detect(written)).get(name) or title.startswith(("SWE-agent__", "027_", "069_")):
                continue
            best = am.recognize(written)
            assert best == name or says(written, best) == says(written, name), title


def test_a_codec_that_fails_keeps_nobody_from_being_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a third party's sniff raises, it has no score."""
    monkeypatch.setitem(agentmsg_codecs.CODECS, "failing", f"{__name__}:Broken")
    assert am.recognize(PLAIN) == "openai"


def test_many_documents_have_one_format() -> None:
    """A plain document first doesn't decide if a later one has marks; several formats together are none."""
    assert recognize_all([[PLAIN[0]], [RIFFER]]) == "riffer"
    assert recognize_all([b"{", PLAIN, {"odd": 1}]) == "openai"
    assert recognize_all(iter([PLAIN, [RIFFER]])) == "riffer"
    with pytest.raises(am.NotUnderstood, match="several formats: openai and riffer"):
        recognize_all([[{**PLAIN[0], "name": "Ada"}], [{**PLAIN[0], "id": "1"}]])
    with pytest.raises(am.NotUnderstood):
        recognize_all([])


DEVELOPER = {"messages": [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": "Hi"}]}
IMAGE = {
    "messages": [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "Hi"}]}],
    "images": ["a.png"],
}
LONG = {"messages": [{"role": "user", "content": "some words " * 30_000}]}


def _called(arguments: Any) -> Any:
    call = {"type": "function", "function": {"name": "f", "arguments": arguments}}
    return {"messages": [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "", "tool_calls": [call]}]}


FILES: dict[str, tuple[list[Any], str]] = {
    "the better one of the first loses": ([_called({"a": 1}), *map(_called, ("text", [1], 3))], "openai"),
    "an odd one first": ([DEVELOPER, *[IMAGE] * 3], "hf"),
    "an odd one later": ([IMAGE, DEVELOPER, IMAGE], "hf"),
    "mostly plain": ([*[{"messages": PLAIN}] * 9, IMAGE, DEVELOPER], "hf"),
    "far behind": ([*[LONG] * 8, IMAGE], "hf"),
    "many plain ones first": ([*[{"messages": PLAIN}] * 16, *[IMAGE] * 84], "hf"),
    "many odd ones first": ([*[DEVELOPER] * 30, *[IMAGE] * 70], "hf"),
    "in turns": ([DEVELOPER, IMAGE] * 48, "hf"),
    "plain": ([DEVELOPER, {"messages": PLAIN}], "openai"),
    "anything": ([{"messages": PLAIN}, {"odd": 1}, DEVELOPER], "openai"),
}


@pytest.mark.parametrize(
    ("case", "how"),
    [
        pytest.param(case, how, marks=[pytest.mark.slow] * (how == "a.parquet"))
        for case in FILES
        for how in ("a.jsonl", "a.jsonl.gz", "a.json", "-", "a.parquet")
    ],
)
def test_a_file_has_the_format_that_reads_it_best(
    case: str, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever document comes first, all commands and ``load_lines`` take a file for the same format."""
    monkeypatch.chdir(tmp_path)
    rows, best = FILES[case]
    raw = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    given, more = (raw, ["--form", "jsonl"]) if how == "-" else (None, ["--split"] if how == "a.json" else [])
    if how == "a.parquet":
        parquet: Any = import_module("pyarrow.parquet")
        arrow: Any = import_module("pyarrow")
        parquet.write_table(arrow.table({"row": [json.dumps(row) for row in rows]}), how)
    elif how != "-":
        data = json.dumps(rows).encode() if how == "a.json" else raw
        (tmp_path / how).write_bytes(gzip.compress(data) if how.endswith(".gz") else data)
    ways = {
        "detect": ["--json"],
        "stats": ["--json"],
        "convert": ["-t", "json", "-o", "out.jsonl"],
        "filter": ["--role", "user", "-o", "out2.jsonl"],
    }
    done = {
        name: CliRunner().invoke(program, [name, how, *more, *options], input=given) for name, options in ways.items()
    }
    assert json.loads(done["detect"].stdout)[0]["formats"][0]["codec"] == best
    assert set(json.loads(done["stats"].stdout)["by_codec"]) == {best}
    for name in ("convert", "filter"):
        assert f"read as {best}\n" in done[name].stderr
    if how.startswith("a.jsonl"):
        lines = am.load_lines(how)
        next(lines)
        assert lines._codec is not None
        assert lines._codec.name == best


def test_a_file_is_detected_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stats and check look at a sample of a file, not at each document; with ``--from each`` they do."""
    looked: list[Any] = []
    before = detection._look

    def look(document: Any, limits: am.Limits) -> Any:
        looked.append(document)
        return before(document, limits)

    monkeypatch.setattr(detection, "_look", look)
    path = tmp_path / "a.jsonl"
    path.write_bytes((json.dumps(DEVELOPER).encode() + b"\n") * 100)
    for name, more in (("stats", []), ("check", ["--for", "openai"])):
        for each, count in (([], 16), (["-f", "each"], 100), (["-f", "openai"], 0)):
            looked.clear()
            assert CliRunner().invoke(program, [name, str(path), *more, *each]).exit_code == 0
            assert len(looked) == count


@pytest.mark.parametrize(
    "empty", [b"", "", b" \n", bytearray(), memoryview(b"")], ids=lambda value: f"{type(value).__name__} {len(value)}"
)
def test_an_empty_document_has_no_format(empty: Any) -> None:
    """An empty document has no scores, and isn't read as anything."""
    assert am.detect(empty) == []
    with pytest.raises(am.DecodeError, match="empty"):
        am.recognize(empty)


@pytest.mark.parametrize("empty", [[], {}, {"messages": []}, None, [[]], [{}]], ids=repr)
def test_a_document_without_messages_has_no_format(empty: Any) -> None:
    """No messages, no scores."""
    assert am.detect(empty) == []


# -- any object -------------------------------------------------------------------------------------------------------


class Refusing(dict[str, Any]):
    """A dict that raises at any access."""

    def items(self) -> Any:
        raise RuntimeError

    def get(self, *_: Any) -> Any:
        raise RuntimeError

    def __contains__(self, _: object) -> bool:
        raise RuntimeError


class Endless(list[Any]):
    """A list that can't be counted."""

    def __len__(self) -> int:
        raise RuntimeError


def _tangled() -> list[Any]:
    tangle: list[Any] = []
    tangle.extend([tangle] * 16)
    return tangle


HOSTILE: list[Any] = [
    [{"role": [], "content": "x"}],
    [{"role": {}, "content": {}}],
    [{"role": "user", "content": [[]], "tool_calls": 3}],
    {"messages": [{"type": [], "data": [], "id": [{}]}]},
    {"messages": {"lc": 1, "id": 5, "kwargs": []}},
    {"agentmsg": 1, "messages": [5]},
    {"choices": [{"message": {"role": []}}]},
    {"content": [{"type": []}], "role": "assistant", "type": "message"},
    {1: 2},
    {"messages": [object()]},
    [{"role": "user", "content": {1, 2}}],
    Refusing(role="user"),
    [Refusing(role="user")],
    Endless([1]),
    object(),
    int,
    float("nan"),
    10**5000,
    1j,
]


@pytest.mark.parametrize("document", [*HOSTILE, _tangled()], ids=range(len(HOSTILE) + 1))
def test_any_object_has_a_score(document: Any) -> None:
    """Whatever the argument, every codec gives a score, and no format is recognised."""
    for name in CODECS:
        score = am.get_codec(name).sniff(document)
        assert type(score) is float, name
        assert 0 <= score <= 1, name
    scores = am.detect(document)
    with pytest.raises(am.AgentMsgError):
        am.decode(document, am.recognize(document))
    assert all(0 < score <= 1 for _, score in scores)


@pytest.mark.parametrize("name", CODECS)
def test_mutants_have_scores(name: str) -> None:
    """Whatever is changed in a document, every codec gives a score, and detection ends as documented."""
    rng = random.Random(name)
    found = documents(name)
    for _ in range(MUTANTS):
        mutant = mutate(rng.choice(found)[1], rng)
        if isinstance(mutant, str):
            continue  # a string isn't plain data, but is parsed
        scores = am.detect(mutant)
        assert all(0 < score <= 1 for _, score in scores)
        try:
            assert dict(scores)[am.recognize(mutant)] >= BAR
        except am.AgentMsgError as error:
            assert isinstance(error, am.NotUnderstood)  # noqa: PT017 - both ways are good


@pytest.mark.parametrize("name", CODECS)
def test_detection_looks_at_a_bounded_sample(name: am.CodecName) -> None:
    """However long a document is, only a few entries of each list are examined."""
    codec = am.get_codec(name)
    history = am.History(am.Msg(role, f"text {index}") for index in range(600) for role in ("user", "assistant"))
    sample = codec.sample(am.encode(history, name, on_loss="ignore"))
    assert size(sample) < 4_000
    # If a format has many messages at all.
    assert len(codec.native_messages(sample)) <= 16


def size(value: Any) -> int:
    """Return how many values there are in a tree."""
    parts: Any = value.values() if is_mapping(value) else value if is_sequence(value) else ()
    return 1 + sum(map(size, parts))


def test_later_messages_are_looked_at() -> None:
    """A message that looks different is found after many that look alike."""
    assert am.recognize([*PLAIN * 25, RIFFER, *PLAIN * 500]) == "riffer"
    assert len(sampled([PLAIN[0]] * 1000)) == 8
    assert am.recognize(PLAIN * 1000) == "openai"


# -- the command line -------------------------------------------------------------------------------------------------


def run(*arguments: str, given: Any = None) -> Any:
    """Run the program."""
    return CliRunner().invoke(program, arguments, input=given, prog_name="agentmsg")


@pytest.fixture
def nobodys(tmp_path: Path) -> str:
    """Return the name of a file in a format that doesn't exist."""
    path = tmp_path / "b.json"
    path.write_text(json.dumps(NOBODYS))
    return str(path)


@pytest.mark.parametrize("command", [["convert", "--to", "json"], ["show"], ["stats"]])
def test_commands_warn_where_the_named_format_does_not_know_most(command: list[str], nobodys: str) -> None:
    """With --from a document is read as requested, and the doubt is reported; for stdin too."""
    for file, given in ((nobodys, None), ("-", json.dumps(NOBODYS))):
        done = run(*command, file, "--from", "openai", given=given)
        assert done.exit_code == 0
        assert done.stderr.count("looks like another format: unknown keys words; 2 of 2 blocks are unknown") == 1
        refused = run(*command, file, given=given)
        assert refused.exit_code == 1
        assert "error [not-understood]" in refused.stderr


def test_diff_refuses_and_warns(nobodys: str) -> None:
    """Both sides of a comparison are checked."""
    assert "[not-understood]" in run("diff", nobodys, nobodys).stderr
    done = run("diff", nobodys, nobodys, "--from", "openai", "--to", "openai")
    assert (done.exit_code, done.stderr.count("looks like another format")) == (0, 2)


def test_quiet_conversions_do_not_warn(nobodys: str) -> None:
    """With --quiet there are errors only."""
    assert run("convert", nobodys, "--to", "json", "--from", "openai", "-q").stderr == ""


def test_documents_that_are_understood_bring_no_warning(tmp_path: Path) -> None:
    """With --from and a document of that format, nothing is printed."""
    (tmp_path / "a.json").write_text(json.dumps(PLAIN))
    assert "looks like" not in run("convert", str(tmp_path / "a.json"), "--to", "json", "--from", "openai").stderr
    assert doubt(PLAIN, "openai") is None
    assert doubt(b"{", "openai") is None


def test_detect_says_that_it_is_unsure(nobodys: str) -> None:
    """Scores below the bar are guesses; the exit code is 1, and the reason is on stderr and in the JSON."""
    done = run("detect", nobodys)
    assert done.exit_code == 1
    assert "unsure: openai 0." in done.stdout
    assert "(a guess)" in done.stdout
    assert "unknown keys words" in done.stderr
    (found,) = json.loads(run("detect", nobodys, "--json").stdout)
    assert found["error"]["code"] == "not-understood"


@pytest.mark.parametrize(
    ("data", "form"), [(b"", "jsonl"), (b"\n \n", "jsonl"), (b"[]", "array"), (b" [ ]\n", "array")]
)
def test_a_file_without_documents_is_not_read_as_anything(tmp_path: Path, data: bytes, form: str) -> None:
    """A file without documents becomes one without documents, and no format is reported for it."""
    (tmp_path / "a.json").write_bytes(data)
    name, how, written = str(tmp_path / "a.json"), ["--form", form], ["-o", str(tmp_path / "b.jsonl"), "--force"]
    for source, given in ((name, b""), ("-", data)):
        done = run("convert", source, *how, *written, "--to", "anthropic", given=given)
        assert (done.exit_code, (tmp_path / "b.jsonl").read_bytes()) == (0, b""), done.stderr
        assert "read as" not in done.stderr
        assert run("detect", source, *how, given=given).stdout.endswith("unknown\n")


@pytest.mark.parametrize("data", [json.dumps({"messages": PLAIN}).encode(), b" ", b"null", b'{"a": 1}\n{"a": 2}\n'])
@pytest.mark.parametrize("is_piped", [False, True])
def test_only_an_array_is_split(tmp_path: Path, data: bytes, is_piped: bool) -> None:
    """All commands refuse to split anything else, and say what to do; none takes it for a format."""
    (tmp_path / "a.json").write_bytes(data)
    name = "-" if is_piped else str(tmp_path / "a.json")
    convert = ["convert", "-o", str(tmp_path / "b.jsonl"), "--to", "hf"]
    for command in (["detect"], ["stats"], ["check", "--for", "openai"], ["show"], convert):
        done = run(*command, "--split", name, given=data if is_piped else b"")
        assert done.exit_code == 1
        assert "only an array can be split: leave out --split, or name the form" in done.stderr
        assert "read as" not in done.stderr
    done = run(*convert, "--split", "-f", "openai", name, given=data if is_piped else b"")
    assert (done.exit_code, "[schema] only an array can be split: leave out" in done.stderr) == (3, True)
