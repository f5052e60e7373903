"""Answers in the Vercel AI SDK: each is kept as the SDK's own client for its provider keeps it, and comes back."""

from __future__ import annotations

from typing import Any

import pytest

import agentmsg as am
from agentmsg.formats.spelling import same_document


def call(link: str, name: str, given: Any, **more: Any) -> dict[str, Any]:
    """Return the call of a server tool."""
    return {"type": "tool-call", "toolCallId": link, "toolName": name, "input": given, "providerExecuted": True, **more}


def result(link: str, name: str, value: Any, kind: str = "json", **more: Any) -> dict[str, Any]:
    """Return the result of a server tool."""
    output = {"type": kind, "value": value}
    return {"type": "tool-result", "toolCallId": link, "toolName": name, "output": output, **more}


def told(provider: str, **options: Any) -> dict[str, Any]:
    """Return a provider's options."""
    return {"providerOptions": {provider: options}}


def served(name: str, given: Any) -> dict[str, Any]:
    """Return the call of one of Anthropic's tools."""
    return {"type": "server_tool_use", "id": "srvtoolu_1", "name": name, "input": given}


def answered(tool: str, content: Any) -> dict[str, Any]:
    """Return the result of one of Anthropic's tools."""
    return {"type": f"{tool}_tool_result", "tool_use_id": "srvtoolu_1", "content": content}


def openai(kind: str, link: str, **keys: Any) -> dict[str, Any]:
    """Return a completed item."""
    return {"type": kind, "id": link, "status": "completed", **keys}


LINK = "srvtoolu_1"
MCP = {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "ask", "input": {"q": 1}, "server_name": "wiki"}
ASKED = told("anthropic", type="mcp-tool-use", serverName="wiki")
CITATION = {"type": "char_location", "cited_text": "a", "document_index": 0, "document_title": "D",
            "start_char_index": 0, "end_char_index": 1}  # fmt: skip
PAGE = {"type": "web_fetch_result", "url": "https://e.org", "content": {
    "type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a"}}}  # fmt: skip
FETCHED = {"type": "web_fetch_result", "url": "https://e.org", "content": {
    "type": "document", "source": {"type": "text", "mediaType": "text/plain", "data": "a"}, "title": None,
    "_title": None}, "retrievedAt": None, "_retrievedAt": None}  # fmt: skip
RAN: dict[str, Any] = {
    "type": "bash_code_execution_result",
    "stdout": "a",
    "stderr": "",
    "return_code": 0,
    "content": [],
}
FOUND = {"type": "tool_search_tool_search_result",
         "tool_references": [{"type": "tool_reference", "tool_name": "f"}]}  # fmt: skip
NOTED = {"type": "url_citation", "url": "https://e.org", "title": "E", "start_index": 0, "end_index": 1}
CODE = {"language": "PYTHON", "code": "1"}

# By issuer, parts of the provider, and those of the SDK.
KINDS: list[tuple[str, list[Any], list[Any]]] = [
    ("anthropic", [{"type": "thinking", "thinking": "t", "signature": "s"}],
     [{"type": "reasoning", "text": "t", **told("anthropic", signature="s")}]),
    ("anthropic", [{"type": "redacted_thinking", "data": "d"}],
     [{"type": "reasoning", "text": "", **told("anthropic", redactedData="d")}]),
    ("anthropic", [{"type": "text", "text": "a", "citations": [CITATION]}],
     [{"type": "text", "text": "a", **told("anthropic", citations=[CITATION])}]),
    ("anthropic", [{"type": "compaction", "content": "a"}],
     [{"type": "text", "text": "a", **told("anthropic", type="compaction")}]),
    ("anthropic", [served("web_search", {"query": "q"}), answered("web_search", [
        {"type": "web_search_result", "title": "T", "url": "https://e.org", "encrypted_content": "e",
         "page_age": None}])],
     [call(LINK, "web_search", {"query": "q"}), result(LINK, "web_search", [
         {"type": "web_search_result", "title": "T", "url": "https://e.org", "encryptedContent": "e",
          "pageAge": None}])]),
    ("anthropic", [served("web_search", {}), answered(
        "web_search", {"type": "web_search_tool_result_error", "error_code": "unavailable"})],
     [call(LINK, "web_search", {}), result(
         LINK, "web_search", {"type": "web_search_tool_result_error", "errorCode": "unavailable"}, "error-json")]),
    ("anthropic", [served("web_fetch", {"url": "u"}), answered("web_fetch", PAGE)],
     [call(LINK, "web_fetch", {"url": "u"}), result(LINK, "web_fetch", FETCHED)]),
    ("anthropic", [served("bash_code_execution", {"command": "ls"}), answered("bash_code_execution", RAN)],
     [call(LINK, "code_execution", {"type": "bash_code_execution", "command": "ls"}),
      result(LINK, "code_execution", RAN)]),
    ("anthropic", [served("code_execution", {"code": "1"})],
     [call(LINK, "code_execution", {"type": "programmatic-tool-call", "code": "1"})]),
    ("anthropic", [served("tool_search_tool_bm25", {"query": "q"}), answered("tool_search", FOUND)],
     [call(LINK, "tool_search_tool_bm25", {"query": "q"}),
      result(LINK, "tool_search_tool_bm25", [{"type": "tool_reference", "toolName": "f"}])]),
    ("anthropic", [MCP, {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_1", "is_error": False,
                         "content": [{"type": "text", "text": "a"}]}],
     [call("mcptoolu_1", "ask", {"q": 1}, **ASKED),
      result("mcptoolu_1", "ask", [{"type": "text", "text": "a"}], **ASKED)]),
    ("openai-responses", [openai("message", "msg_1", role="assistant", phase="final_answer", content=[
        {"type": "output_text", "text": "a", "annotations": [NOTED]}])],
     [{"type": "text", "text": "a", **told("openai", itemId="msg_1", phase="final_answer", annotations=[NOTED])}]),
    ("openai-responses", [{"type": "reasoning", "id": "rs_1", "encrypted_content": "e", "summary": [
        {"type": "summary_text", "text": "a"}, {"type": "summary_text", "text": "b"}]}],
     [{"type": "reasoning", "text": text, **told("openai", reasoningEncryptedContent="e", itemId="rs_1")}
      for text in "ab"]),
    ("openai-responses", [openai("function_call", "fc_1", call_id="c", name="f", arguments="{}", namespace="n")],
     [{"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": {},
       **told("openai", itemId="fc_1", namespace="n")}]),
    ("openai-responses", [openai("function_call", "fc_1", call_id="c", name="f", arguments="{}",
                                 caller={"type": "program", "caller_id": "p"})],
     [{"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": {},
       **told("openai", itemId="fc_1", caller={"type": "program", "callerId": "p"})}]),
    ("openai-responses", [openai("function_call", "fc_1", call_id="c", name="f", arguments='{"a": ')],
     [{"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": '{"a": ',
       **told("openai", itemId="fc_1", type="function_call")}]),
    ("openai-responses", [openai("custom_tool_call", "ctc_1", call_id="c", name="f", input="ls")],
     [{"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": "ls", **told("openai", itemId="ctc_1")}]),
    ("openai-responses", [openai("web_search_call", "ws_1", action={"type": "open_page", "url": "https://e.org"})],
     [call("ws_1", "web_search", {}),
      result("ws_1", "web_search", {"action": {"type": "openPage", "url": "https://e.org"}})]),
    ("openai-responses", [openai("file_search_call", "fs_1", queries=["q"], results=None)],
     [call("fs_1", "file_search", {}), result("fs_1", "file_search", {"queries": ["q"], "results": None})]),
    ("openai-responses", [openai("code_interpreter_call", "ci_1", code="1", container_id="c", outputs=None)],
     [call("ci_1", "code_interpreter", {"code": "1", "containerId": "c"}),
      result("ci_1", "code_interpreter", {"outputs": None})]),
    ("openai-responses", [openai("mcp_call", "mcp_1", name="f", arguments="{}", server_label="s", output="a")],
     [call("mcp_1", "mcp.f", {}), result(
         "mcp_1", "mcp.f", {"type": "call", "serverLabel": "s", "name": "f", "arguments": "{}", "output": "a"},
         **told("openai", itemId="mcp_1"))]),
    ("openai-responses", [{"type": "mcp_approval_request", "id": "mcpr_1", "name": "f", "arguments": "{}",
                           "server_label": "s"}],
     [call("mcpr_1", "mcp.f", {}, **told("openai", server_label="s")),
      {"type": "tool-approval-request", "approvalId": "mcpr_1", "toolCallId": "mcpr_1"}]),
    ("openai-responses", [
        openai("tool_search_call", "tsc_1", execution="server", call_id=None, arguments={"q": 1}),
        openai("tool_search_output", "tso_1", execution="server", call_id=None, tools=[])],
     [call("tsc_1", "tool_search", {"arguments": {"q": 1}, "call_id": None}, **told("openai", itemId="tsc_1")),
      result("tsc_1", "tool_search", {"tools": []}, **told("openai", itemId="tso_1"))]),
    ("openai-responses", [{"type": "compaction", "id": "cmp_1", "encrypted_content": "e"}],
     [{"type": "custom", "kind": "openai.compaction",
       **told("openai", type="compaction", itemId="cmp_1", encryptedContent="e")}]),
    ("openai-responses", [openai("shell_call", "sh_1", call_id="c", action={"commands": ["ls"], "timeout_ms": 1})],
     [{"type": "tool-call", "toolCallId": "c", "toolName": "shell",
       "input": {"action": {"commands": ["ls"], "timeoutMs": 1}}, **told("openai", itemId="sh_1")}]),
    ("openai-responses", [openai("apply_patch_call", "ap_1", call_id="c",
                                 operation={"type": "delete_file", "path": "a"})],
     [{"type": "tool-call", "toolCallId": "c", "toolName": "apply_patch",
       "input": {"callId": "c", "operation": {"type": "delete_file", "path": "a"}}, **told("openai", itemId="ap_1")}]),
    ("openai-responses", [openai("tool_search_call", "tsc_1", call_id="c", execution="client", arguments={"q": 1})],
     [{"type": "tool-call", "toolCallId": "c", "toolName": "tool_search",
       "input": {"arguments": {"q": 1}, "call_id": "c"}, **told("openai", itemId="tsc_1")}]),
    ("openai-responses", [{"type": "reasoning", "id": "rs_1",
                           "summary": [{"type": "summary_text", "text": "a", "new": 1}], "encrypted_content": "e"}],
     [{"type": "reasoning", "text": "a", **told(
         "openai", itemId="rs_1", reasoningEncryptedContent="e",
         _rest={"summary": [{"type": "summary_text", "text": "a", "new": 1}]})}]),
    ("anthropic", [{"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}}],
     [{"type": "custom", "kind": "anthropic.fallback",
       **told("anthropic", type="fallback", **{"from": {"model": "a"}, "to": {"model": "b"}})}]),
    ("anthropic", [{**served("web_search", {"query": "q"}), "new": 1}],
     [call(LINK, "web_search", {"query": "q"}, **told("anthropic", new=1))]),
    ("gemini", [{"toolCall": {"id": "i", "toolType": "T", "new": 1}, "other": 2},
                {"toolResponse": {"id": "i", "toolType": "T", "response": {}}}],
     [call("i", "server:T", {}, **told("google", _beside={"other": 2}, serverToolCallId="i", serverToolType="T",
                                       args=None, new=1)),
      result("i", "server:T", {}, **told("google", serverToolCallId="i", serverToolType="T"))]),
    ("gemini", [{"text": "a", "thoughtSignature": "cw=="}],
     [{"type": "text", "text": "a", **told("google", thoughtSignature="cw==")}]),
    ("gemini", [{"toolCall": {"id": "i", "toolType": "T", "args": {"q": 1}}, "thoughtSignature": "cw=="},
                {"toolResponse": {"id": "i", "toolType": "T", "response": {"a": 1}}}],
     [call("i", "server:T", {"q": 1},
           **told("google", serverToolCallId="i", serverToolType="T", thoughtSignature="cw==")),
      result("i", "server:T", {"a": 1}, **told("google", serverToolCallId="i", serverToolType="T"))]),
]  # fmt: skip
PROVIDERS = {"anthropic": ("anthropic", None), "openai-responses": ("openai", "responses"), "gemini": ("google", None)}
IDS = [f"{codec}-{items[0].get('type') or next(iter(items[0]))}-{number}"
       for number, (codec, items, _) in enumerate(KINDS)]  # fmt: skip


def said(codec: str, items: list[Any]) -> am.Msg:
    """Return the message of an answer."""
    provider, api = PROVIDERS[codec]
    blocks = am.get_codec(codec).read_parts(items)
    return am.Msg("assistant", blocks, provider=provider, api=api, id=None, created_at=None)


@pytest.mark.parametrize(("codec", "items", "parts"), KINDS, ids=IDS)
def test_an_answer_is_kept_as_the_client_keeps_it(codec: str, items: list[Any], parts: list[Any]) -> None:
    """The parts are the client's, nothing is lost, who answered is known, and the provider's parts come back."""
    message = said(codec, items)
    losses: list[am.Loss] = []
    document: Any = am.encode([message], "vercel", losses=losses)
    assert same_document(document, [{"role": "assistant", "content": parts}]), document
    assert {loss.kind for loss in losses} <= {"unsent"}
    back = am.decode(document, "vercel")
    assert am.same(back, am.History.of(message))
    assert (back[0].provider, back[0].api) == PROVIDERS[codec]
    assert same_document(am.get_codec(codec).write_parts(back[0].content), items)


@pytest.mark.parametrize(("codec", "items", "parts"), KINDS, ids=IDS)
def test_messages_for_users_have_the_same_values(codec: str, items: list[Any], parts: list[Any]) -> None:
    """Nothing is lost there, either; the options of a call and its result stand on their one part."""
    message = said(codec, items)
    losses: list[am.Loss] = []
    document: Any = am.encode([message], "vercel-ui", losses=losses)
    assert [loss for loss in losses if loss.tally == "content"] == []
    back = am.decode(document, "vercel-ui")[0]
    assert am.same(back.content, message.content)
    found = document[0]["parts"]
    shown = [part for part in parts if part["type"] not in ("tool-result", "tool-approval-request")]
    for part, native in zip(shown, found, strict=True):
        key = "callProviderMetadata" if part["type"] == "tool-call" else "providerMetadata"
        assert native.get(key) == part.get("providerOptions")


def test_code_run_at_google_gets_an_id() -> None:
    """Google's parts have none, and the SDK makes one; it is no more than a made one when it is read."""
    items = [{"executableCode": CODE}, {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}]
    message = said("gemini", items)
    document: Any = am.encode([message], "vercel")
    first, second = document[0]["content"]
    assert first["toolCallId"] == second["toolCallId"] != ""
    assert (first["toolName"], first["input"]) == ("code_execution", CODE)
    assert second["output"] == {"type": "json", "value": {"outcome": "OUTCOME_OK", "output": "1"}}
    assert am.same(am.decode(document, "vercel"), am.History.of(message))


def test_a_custom_tool_has_results_of_its_kind() -> None:
    """The SDK calls both a function's; the call tells."""
    history = am.History.of(
        said("openai-responses", [openai("custom_tool_call", "ctc_1", call_id="c", name="f", input="ls")]),
        am.Msg("tool", (am.ToolResultBlock("c", (am.TextBlock("a"),), kind="custom"),), id=None, created_at=None),
    )
    assert am.same(am.decode(am.encode(history, "vercel"), "vercel"), history)


def test_a_result_that_changed_keeps_the_kind_of_its_call() -> None:
    """What a result loses leaves it a custom tool's, as it is read; so the report leads back."""
    image = {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo=", "detail": "low"}
    call = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "c", "name": "f", "input": "ls"}
    output = {"type": "custom_tool_call_output", "call_id": "c", "output": [image]}
    history = am.decode({"model": "gpt", "input": [call, output]}, "openai-responses")
    for target in ("vercel", "vercel-ui"):
        done = am.convert(history, to=target)
        assert not [loss for loss in done.losses if "kind" in loss.path]
        assert am.same(am.restore(am.decode(am.thaw(done.document), target), done.losses), history)


TEXTS = [{"type": "text", "text": each} for each in ("a", "b")]


@pytest.mark.parametrize(
    ("content", "is_error", "shown", "level"),
    [
        ("boom", True, "boom", None),
        ('{"a": 1}', True, '{"a": 1}', None),
        (TEXTS, True, "a\nb", "content"),
        ("fine", False, [{"type": "text", "text": "fine"}], None),
        (TEXTS, False, TEXTS, None),
    ],
)
def test_what_a_server_said_of_a_call_is_shown_to_users(
    content: Any, shown: Any, level: str | None, *, is_error: bool
) -> None:
    """An error is a text, which the client sends as it is; of a result it sends no text, but a list."""
    given = {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_1", "is_error": is_error, "content": content}
    message, losses = said("anthropic", [MCP, given]), list[am.Loss]()
    document: Any = am.encode([message], "vercel-ui", losses=losses)
    assert document[0]["parts"][0]["errorText" if is_error else "output"] == shown
    assert [loss.level for loss in losses] == ([level] if level else [])
    assert am.same(am.restore(am.decode(document, "vercel-ui"), losses), am.History.of(message))


def test_a_summary_of_anthropics_is_not_openais() -> None:
    """One that only Anthropic can read has no part, and no other provider gets it."""
    sealed = {"role": "assistant", "content": [{"type": "compaction", "content": None, "encrypted_content": "e"}]}
    history = am.decode({"model": "m", "messages": [sealed]}, "anthropic")
    for target in ("vercel", "vercel-ui", "openai-responses"):
        done = am.convert(history, to=target)
        assert "content" in [loss.level for loss in done.losses]
        assert '"e"' not in str(am.dumps(history, target, losses=[]))
    document: Any = am.encode(history, "pydantic-ai")
    assert document[0]["parts"][0]["provider_name"] == "anthropic"


@pytest.mark.parametrize(
    ("role", "codec", "block", "options"),
    [
        ("user", "anthropic", {"citations": {"enabled": True}}, {"anthropic": {"citations": {"enabled": True}}}),
        ("user", "anthropic.kind", {"type": "container_upload"}, {"anthropic": {"containerUpload": True}}),
        ("user", "gemini", {"videoMetadata": {"fps": 2.0}}, {"google": {"videoMetadata": {"fps": 2.0}}}),
        ("assistant", "gemini", {"thought": True}, {"google": {"thought": True}}),
    ],
)
def test_options_of_media_stand_where_the_client_reads_them(role: Any, codec: str, block: Any, options: Any) -> None:
    """What is said of a document, video or image reaches its provider."""
    media = am.FileBlock(am.URLSource("https://e.org/a", "application/pdf"), extras={codec: block})
    message = am.Msg(role, (media,), id=None, created_at=None)
    document: Any = am.encode([message], "vercel", losses=[])
    assert document[0]["content"][0]["providerOptions"] == options
    assert am.same(am.decode(document, "vercel"), am.History.of(message))


@pytest.mark.parametrize("target", ["vercel", "vercel-ui", "pydantic-ai", "agentscope"])
@pytest.mark.parametrize("more", [{}, {"id": "rs_1"}])
def test_what_is_encrypted_in_chat_is_told(target: Any, more: dict[str, str]) -> None:
    """No client sends it back to Chat Completions; nobody else can read it."""
    sealed = {"type": "reasoning.encrypted", "data": "e", "format": "openai-responses-v1", **more}
    answer = {"role": "assistant", "content": "a", "reasoning_details": [sealed]}
    history = am.decode({"messages": [answer]}, "openai")
    done = am.convert(history, to=target)
    assert "content" in [loss.level for loss in done.losses]
    assert "openai-responses" not in str(document := am.thaw(done.document))
    assert am.same(am.restore(am.decode(document, target), done.losses), history)


@pytest.mark.parametrize("target", ["vercel", "vercel-ui", "pydantic-ai", "agentscope"])
@pytest.mark.parametrize("kind", ["document", "search_result"])
def test_a_document_that_is_a_result_is_told(target: Any, kind: str) -> None:
    """As text it arrives, and nobody can cite it: the same is told as beside results."""
    text = {"type": "text", "text": "Body."}
    document = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "Body."}}
    found = {"type": "search_result", "source": "https://e.org", "title": "T", "content": [text]}
    given = {"type": "tool_result", "tool_use_id": "c", "content": [document if kind == "document" else found]}
    call = {"type": "tool_use", "id": "c", "name": "f", "input": {}}
    said = [{"role": "assistant", "content": [call]}, {"role": "user", "content": [given]}]
    history = am.decode({"messages": said}, "anthropic")
    done = am.convert(history, to=target)
    assert "content" in [loss.level for loss in done.losses]
    back = am.decode(am.thaw(done.document), target)
    (said_again,) = (block.text for message in back for block in message.blocks(am.ToolResultBlock))
    assert said_again.endswith("Body.")
    assert am.same(am.restore(back, done.losses), history)


def test_what_a_search_of_tools_found_is_named() -> None:
    """A reference to a tool in a result is the SDK's custom part."""
    found = am.NativeBlock("anthropic", {"type": "tool_reference", "tool_name": "f"}, fallback="f")
    history = am.History.of(
        am.Msg("assistant", (am.ToolUseBlock("c", "g", {}),), id=None, created_at=None),
        am.Msg("tool", (am.ToolResultBlock("c", (found,)),), id=None, created_at=None),
    )
    document: Any = am.encode(history, "vercel", losses=[])
    assert document[1]["content"][0]["output"]["value"] == [
        {"type": "custom", **told("anthropic", type="tool-reference", toolName="f")}
    ]
    assert am.same(am.decode(document, "vercel"), history)


@pytest.mark.parametrize(
    "part",
    [
        call(LINK, "web_search", {}, **told("anthropic", other=1)),
        result(LINK, "web_search", "a", "text"),
        {"type": "text", "text": "a", **told("openai", itemId="msg_1", futureOption=1)},
        {"type": "text", "text": "a", "providerOptions": {"openai": {"itemId": "i"}, "anthropic": {"type": "b"}}},
        call("ws_1", "web_search", {"query": "q"}),
    ],
)
def test_what_no_client_makes_stays_as_it_is(part: dict[str, Any]) -> None:
    """Parts in other forms come back exactly, as those of anybody."""
    document = [{"role": "assistant", "content": [part]}]
    assert same_document(am.encode(am.decode(document, "vercel"), "vercel"), document)


@pytest.mark.parametrize("options", [{}, {"providerOptions": {"google": {"thoughtSignature": "QQ=="}}}])
def test_media_of_a_thought_are_googles(options: dict[str, Any]) -> None:
    """The SDK reads an image of a thought as a `reasoning-file`: it is Gemini's own part."""
    part = {"type": "reasoning-file", "data": "iVBORw0KGgo=", "mediaType": "image/png", **options}
    document = [{"role": "assistant", "content": [part, {"type": "text", "text": "Here."}]}]
    history = am.decode(document, "vercel")
    assert am.encode(history, "vercel") == document
    written = am.encode(history, "gemini")["contents"][0]["parts"][0]
    signed = {"thoughtSignature": "QQ=="} if options else {}
    assert written == {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}, "thought": True, **signed}


@pytest.mark.parametrize("target", ["vercel", "vercel-ui", "agentscope"])
def test_what_a_model_said_aloud_is_text(target: Any) -> None:
    """The clients keep the transcript of an answer's audio as its text; sound of no known type they refuse."""
    audio = {"id": "audio_1", "data": "UklGRg==", "transcript": "Four.", "expires_at": 1}
    answer = {"choices": [{"index": 0, "message": {"role": "assistant", "content": None, "audio": audio}}]}
    done = am.convert(answer, "openai-response", target)
    assert am.decode(done.document, target)[0].text == "Four."
    assert [loss.level for loss in done.losses if loss.where == "messages/0/content/0"] == ["content"]
    assert am.same(am.restore(am.decode(done.document, target), done.losses), am.decode(answer, "openai-response"))
