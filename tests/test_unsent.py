"""What a document holds, and its library's client doesn't send: told as content, and lost by nobody."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import pytest
from click.testing import CliRunner

import agentmsg as am
from agentmsg.cli.program import program

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from agentmsg_codecs import CodecName

REASONED: dict[str, Any] = {
    "messages": [
        {"role": "user", "content": "2 + 2?"},
        {"role": "assistant", "content": "4", "reasoning_content": "It is a sum."},
    ]
}
DETAILS = [
    {"type": "reasoning.text", "text": "A sum.", "signature": "c2ln", "format": "anthropic-claude-v1", "index": 0}
]
CITED = {"type": "url_citation", "url": "https://example.com", "title": "A page", "start_index": 0, "end_index": 1}


def body(*content: dict[str, Any]) -> dict[str, Any]:
    """Return a request of Responses with items of an answer."""
    return {"input": [{"role": "user", "content": "Go on."}, *content]}


def said(**more: Any) -> dict[str, Any]:
    """Return an item with a text."""
    text = {"type": "output_text", "text": "It is.", "annotations": [], **more}
    return {"type": "message", "role": "assistant", "id": "msg_1", "status": "completed", "content": [text]}


def answer(*content: dict[str, Any]) -> dict[str, Any]:
    """Return a request of Anthropic with an answer."""
    blocks = [*content, {"type": "text", "text": "4"}]
    return {"messages": [{"role": "user", "content": "2 + 2?"}, {"role": "assistant", "content": blocks}]}


def cited(place: dict[str, Any]) -> dict[str, Any]:
    """Return a text of Anthropic with a citation."""
    return {"type": "text", "text": "It is.", "citations": [place]}


def chat(**answer: Any) -> dict[str, Any]:
    """Return a request of Chat Completions with an answer."""
    return {"messages": [{"role": "user", "content": "2 + 2?"}, {"role": "assistant", "content": "4", **answer}]}


def turn(*parts: dict[str, Any]) -> dict[str, Any]:
    """Return a request of Gemini with an answer."""
    return {"contents": [{"role": "user", "parts": [{"text": "Find it."}]}, {"role": "model", "parts": [*parts]}]}


def responded(response: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a request of Gemini with the result of a function."""
    call = {"functionCall": {"name": "f", "id": "c1", "args": {}}}
    result = {"functionResponse": {"name": "f", "id": "c1", "response": response, **more}}
    asked, answered = turn(call)["contents"]
    return {"contents": [asked, answered, {"role": "user", "parts": [result]}]}


def converse(*content: dict[str, Any]) -> dict[str, Any]:
    """Return a request of Converse with an answer."""
    said = [{"role": "user", "content": [{"text": "Go on."}]}, {"role": "assistant", "content": [*content]}]
    return {"messages": said}


RAW = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA",
       "content": [{"type": "reasoning_text", "text": "Well."}]}  # fmt: skip
RAN = {"type": "code_interpreter_call", "id": "ci_1", "status": "completed", "code": "1", "container_id": "k",
       "outputs": [{"type": "logs", "logs": "1"}]}  # fmt: skip
SEARCHED = {"type": "file_search_call", "id": "fs_1", "status": "completed", "queries": ["x"],
            "results": [{"file_id": "f", "filename": "x.txt", "score": 0.5, "text": "Found."}]}  # fmt: skip
SUMMARY = {"type": "compaction", "content": "They met."}
HOSTED = [
    {"toolCall": {"id": "t1", "toolType": "FILE_SEARCH"}},
    {"toolResponse": {"id": "t1", "toolType": "FILE_SEARCH"}},
]
RUN = {
    "toolUse": {
        "toolUseId": "t1",
        "name": "nova_code_interpreter",
        "input": {"snippet": "1"},
        "type": "server_tool_use",
    }
}
LISTED = {
    "type": "mcp_list_tools",
    "id": "mcpl_1",
    "server_label": "wiki",
    "tools": [{"name": "ask", "input_schema": {}}],
}
CUSTOM = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "c1", "name": "note", "input": "Write."}
FIRST, SECOND = {"messages/1/content/0"}, "messages/1/content/1"
BOTH, CITATIONS = {*FIRST, SECOND}, {"messages/1/content/0/citations"}
# Requests' citations without their text, and what only providers need back.
PAGE = {"citationsContent": {"content": [{"text": "It is."}], "citations": [
    {"title": "A page", "location": {"web": {"url": "https://example.com", "domain": "example.com"}}}]}}  # fmt: skip
PATH = {"type": "file_path", "file_id": "f", "index": 1}
PLACE = {"type": "char_location", "cited_text": "x", "document_index": 0, "document_title": "T",
         "start_char_index": 0, "end_char_index": 1}  # fmt: skip
FOUND = {"type": "web_search_result_location", "cited_text": "x", "url": "https://example.com", "title": "T",
         "encrypted_index": "ZW5j"}  # fmt: skip
BROKEN = {"content": None, "tool_calls": [
    {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": '}}]}  # fmt: skip
PAUSED = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}}
PAINTED = {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": "iVBORw0KGgo="}
REMOTE = {"type": "mcp_call", "id": "mcp_1", "server_label": "wiki", "name": "ask", "arguments": "{}", "output": "x"}
SIGNED_CODE = [
    {"executableCode": {"language": "PYTHON", "code": "1"}, "thoughtSignature": "QQ=="},
    {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}, "thoughtSignature": "QQ=="},
]
PICTURE = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}
REMOTE_PICTURE = {"fileData": {"mimeType": "image/png", "fileUri": "https://example.com/x.png"}}
SEALED = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}
SHORT = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "A sum."}]}
SOUGHT = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {
    "type": "search", "query": "x", "sources": [{"type": "url", "url": "https://example.com"}]}}  # fmt: skip
CALLER = {"type": "tool_use", "id": "t1", "name": "f", "input": {}, "caller": {
    "type": "code_execution_20250825", "tool_id": "s1"}}  # fmt: skip
EDITED = [
    {"type": "server_tool_use", "id": "s1", "name": "text_editor_code_execution", "input": {"command": "view"}},
    {"type": "text_editor_code_execution_tool_result", "tool_use_id": "s1", "content": {
        "type": "text_editor_code_execution_tool_result_error", "error_code": "file_not_found",
        "error_message": "No."}},
]  # fmt: skip
ALONE = {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_1", "is_error": False, "content": []}
GROUND = {"toolUse": {"toolUseId": "t1", "name": "nova_grounding", "input": {}, "type": "server_tool_use"}}
LISTED_ARGUMENTS = {"content": None, "tool_calls": [
    {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "[1]"}}]}  # fmt: skip
SIGNED_CALL = {"content": None, "tool_calls": [
    {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"},
     "extra_content": {"google": {"thought_signature": "QQ=="}}}]}  # fmt: skip
SEARCHED_TOOLS = {"type": "tool_search_call", "id": "tsc_1", "call_id": "c1", "execution": "server",
                  "status": "completed", "arguments": {"queries": ["x"]}}  # fmt: skip
NAMED = {"messages": [{"role": "user", "content": [{"type": "file", "file": {
    "filename": "x.pdf", "file_data": "data:application/pdf;base64,JVBERg=="}}]}]}  # fmt: skip
STORED = {"messages": [
    *converse({"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}})["messages"],
    {"role": "user", "content": [{"toolResult": {"toolUseId": "t1", "content": [
        {"image": {"format": "png", "source": {"s3Location": {"uri": "s3://b/x.png"}}}}, {"json": {"a": 1}}]}}]},
]}  # fmt: skip
SPOKEN = turn({"inlineData": {"mimeType": "audio/L16;rate=24000", "data": "UklGRg=="}})
GIVEN = {"contents": [{"role": "user", "parts": [{"inlineData": {"mimeType": "text/csv", "data": "YSxi"}}]}]}
CITED_DOCUMENT = {
    "messages": [
        {
            "role": "user",
            "content": [
                {
                    "document": {
                        "format": "pdf",
                        "name": "Document 1",
                        "source": {"bytes": "JVBERg=="},
                        "citations": {"enabled": True},
                    }
                }
            ],
        }
    ]
}
RESULT = "messages/2/content/0"
# A document with its format, the formats to write, and the places that aren't sent.
CASES: list[tuple[str, CodecName, Any, str, set[str]]] = [
    ("reasoning of Chat", "openai", REASONED, "langchain vercel vercel-ui agentscope", FIRST),
    ("its details", "openai", chat(reasoning_details=DETAILS), "langchain vercel pydantic-ai agentscope", FIRST),
    ("readable", "anthropic", answer({"type": "thinking", "thinking": "Well.", "signature": ""}), "pydantic-ai", FIRST),
    ("raw", "openai-responses", body(RAW, said()), "vercel", FIRST),
    ("citations", "openai-responses", body(said(annotations=[CITED])), "vercel vercel-ui pydantic-ai", CITATIONS),
    ("a file's path", "openai-responses", body(said(annotations=[PATH])), "vercel pydantic-ai agentscope", CITATIONS),
    ("a place", "anthropic", answer(cited(PLACE)), "pydantic-ai", CITATIONS),
    ("a search", "anthropic", answer(cited(FOUND)), "agentscope", CITATIONS),
    ("a page", "bedrock", converse(PAGE), "langchain pydantic-ai", CITATIONS),
    ("broken arguments", "openai", chat(**BROKEN), "pydantic-ai vercel", FIRST),
    ("a paused call", "anthropic", answer(PAUSED), "pydantic-ai", FIRST),
    ("an image", "openai-responses", body(PAINTED, said()), "langchain pydantic-ai vercel", FIRST),
    ("an upload", "anthropic", answer({"type": "container_upload", "file_id": "f"}), "vercel", FIRST),
    ("a server's call", "openai-responses", body(REMOTE, said()), "vercel", BOTH),
    ("signed code", "gemini", turn(*SIGNED_CODE), "langchain vercel", {f"{place}/signature" for place in BOTH}),
    ("what was found", "openai-responses", body(SEARCHED, said()), "pydantic-ai", {SECOND}),
    ("what code said", "openai-responses", body(RAN, said()), "pydantic-ai", {SECOND}),
    ("searches", "openai-responses", body(SEARCHED, said()), "vercel", BOTH),
    ("tools of servers", "openai-responses", body(LISTED, said()), "pydantic-ai", FIRST),
    ("custom tools", "openai-responses", body(CUSTOM), "vercel", FIRST),
    ("a compaction", "anthropic", answer(SUMMARY), "pydantic-ai", FIRST),
    ("tools of Google", "gemini", turn(*HOSTED), "langchain", BOTH),
    ("tools of Bedrock", "bedrock", converse(RUN), "langchain", FIRST),
    ("other tools of Bedrock", "bedrock", converse(GROUND), "pydantic-ai", FIRST),
    ("a thought's image", "gemini", turn({**PICTURE, "thought": True}), "langchain pydantic-ai agentscope",
     {"messages/1/content/0/extras"}),
    ("an error", "gemini", responded({"error": "No."}), "langchain agentscope", {f"{RESULT}/status"}),
    ("an object", "gemini", responded({"a": 1}), "vercel agentscope", {f"{RESULT}/structured"}),
    ("a result's image", "gemini", responded({"output": "x"}, parts=[PICTURE]), "langchain agentscope", {RESULT}),
    ("a result's address", "gemini", responded({"output": "x"}, parts=[REMOTE_PICTURE]), "vercel", {RESULT}),
    ("sealed", "openai-responses", body(SEALED, said()), "vercel", FIRST),
    ("unsealed", "openai-responses", body(SHORT, said()), "vercel", FIRST),
    ("an empty item", "openai-responses", body({**SHORT, "summary": []}, said()), "pydantic-ai", FIRST),
    ("sources", "openai-responses", body(SOUGHT, said()), "pydantic-ai", {"messages/1/content/0/input"}),
    ("a search of tools", "openai-responses", body(SEARCHED_TOOLS), "vercel", {"messages/1/content/0/extras"}),
    ("a caller", "anthropic", answer(CALLER), "pydantic-ai vercel", {"messages/1/content/0/extras"}),
    ("an error's words", "anthropic", answer(*EDITED), "vercel", {"messages/1/content/1/error"}),
    ("a lonely result", "anthropic", answer(ALONE), "vercel", FIRST),
    ("unsigned", "anthropic", answer({"type": "thinking", "thinking": "Well.", "signature": ""}), "agentscope", FIRST),
    ("an image for AgentScope", "openai-responses", body(PAINTED, said()), "agentscope", FIRST),
    ("arguments in a list", "openai", chat(**LISTED_ARGUMENTS), "langchain pydantic-ai vercel", FIRST),
    ("a signature in chat", "openai", chat(**SIGNED_CALL), "langchain vercel", {"messages/1/content/0/signature"}),
    ("citations in chat", "openai", chat(annotations=[{"type": "url_citation", "url_citation": {
        "url": "https://example.com", "title": "A page", "start_index": 0, "end_index": 1}}]), "langchain", CITATIONS),
    ("a document to cite", "bedrock", CITED_DOCUMENT, "pydantic-ai agentscope", {"messages/0/content/0/extras"}),
    ("a name", "openai", NAMED, "pydantic-ai", {"messages/0/content/0/name"}),
    ("a stored file", "bedrock", STORED, "pydantic-ai", {f"{RESULT}/content/0", f"{RESULT}/content/1"}),
    ("a table", "gemini", GIVEN, "agentscope", {"messages/0/content/0"}),
    ("a type with parameters", "gemini", SPOKEN, "vercel-ui", {"messages/1/content/0/source"}),
]  # fmt: skip
ROWS = [(f"{name} to {target}", source, document, target, places) for name, source, document, targets, places in CASES
        for target in targets.split()]  # fmt: skip


def unsent(losses: Iterable[am.Loss]) -> dict[str, am.Loss]:
    """Return the losses that are none, by their places."""
    return {loss.where: loss for loss in losses if loss.kind == "unsent"}


@pytest.mark.parametrize(
    ("source", "document", "target", "places"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_it_is_told(source: CodecName, document: Any, target: CodecName, places: set[str]) -> None:
    """The report tells each place as content, with the client's reason; the report is all that is needed to go back."""
    losses: list[am.Loss] = []
    written = am.encode(am.decode(document, source), target, losses=losses)
    found = unsent(losses)
    assert found.keys() == places
    assert {(loss.level, loss.was, loss.now) for loss in found.values()} == {("content", None, None)}
    assert all(loss.why for loss in found.values())
    done = am.convert(document, source, target)
    assert unsent(done.losses).keys() == places
    stored = am.load_losses(done.dump_losses())
    assert list(map(str, stored)) == list(map(str, done.losses))
    back = am.restore(am.decode(written, target), stored)
    assert am.encode(back, source) == document


@pytest.mark.parametrize("name", am.codec_names())
def test_each_row_is_about_something(name: str) -> None:
    """No row of a table is idle, and each is tried above."""
    rows = am.get_codec(cast("CodecName", name)).caps.unsent
    tried: set[str] = set()
    for _, source, document, _, _ in CASES:
        for message in am.decode(document, source).messages:
            results = [block for block in message.content if isinstance(block, am.ToolResultBlock)]
            blocks = [*message.content, *(inner for block in results for inner in block.content)]
            mine = [row for row in rows if row.is_given == (message.role != "assistant")]
            tried |= {row.why for row in mine for block in blocks
                      if isinstance(block, row.cls) and row.case(block, message)}  # fmt: skip
    assert tried == {row.why for row in rows}


SENT: list[tuple[str, CodecName, Any, str]] = [
    ("a thought of Gemini's", "gemini", turn({"text": "Well.", "thought": True}, {"text": "4"}),
     "langchain pydantic-ai vercel vercel-ui agentscope"),
    ("a compaction at the start", "anthropic",
     {"messages": [{"role": "assistant", "content": [SUMMARY]}, {"role": "user", "content": "Go on."}]}, "pydantic-ai"),
    ("a link", "openai-responses", body(said(
        text="See https://example.com.", annotations=[{**CITED, "start_index": 4, "end_index": 23}])), "pydantic-ai"),
    ("a number", "gemini", responded({"output": 4}), "agentscope vercel"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("source", "document", "target"), [(row[1], row[2], target) for row in SENT for target in row[3].split()]
)
def test_what_is_sent_is_not_told(source: CodecName, document: Any, target: CodecName) -> None:
    """What the client of the one who answered sends raises no alarm."""
    losses: list[am.Loss] = []
    am.encode(am.decode(document, source), target, losses=losses)
    assert unsent(losses) == {}


def test_a_setting_is_named() -> None:
    """Where a setting of the user decides whether it is sent, the reason says so."""
    for held in (SEALED, SHORT, SEARCHED, PAINTED, REMOTE):
        done = am.convert(body(held, said()), "openai-responses", "vercel")
        assert all("`store`" in loss.why for loss in unsent(done.losses).values())


def test_it_is_no_loss() -> None:
    """Nobody has to allow it, nothing is carried for it, and a summary tells it apart."""
    history = am.decode(REASONED, "openai")
    assert am.encode(history, "langchain") == am.encode(history, "langchain", on_loss="ignore")
    assert am.convert(REASONED, "openai", "langchain", on_loss="error").losses.summary() == "nothing lost, 1 unsent"
    carried = am.convert(REASONED, "openai", "langchain", carry=True)
    assert (carried.losses.carried, len(carried.losses)) == (0, 1)
    assert carried.document == am.convert(REASONED, "openai", "langchain").document


def test_what_is_lost_anyway_is_told_once() -> None:
    """What has become a text, or is gone, isn't told as unsent, too."""
    losses: list[am.Loss] = []
    sealed = chat(reasoning_details=[{"type": "reasoning.encrypted", "data": "c2VhbGVk", "index": 0}])
    am.encode(am.decode(sealed, "openai"), "pydantic-ai", losses=losses)
    assert [loss.kind for loss in losses if loss.path == ("messages", 1, "content", 0)] == ["dropped"]


def test_the_command_line_tells_it(tmp_path: Path) -> None:
    """It stands apart from what is lost."""
    source = tmp_path / "chat.json"
    source.write_text(json.dumps(REASONED))
    told = CliRunner().invoke(program, ["convert", "-f", "openai", "-t", "langchain", str(source)]).stderr
    assert "nothing lost" in told
    assert "won't send it to a model:\nagentmsg:   1 × messages/1/content/0: ChatOpenAI" in told
