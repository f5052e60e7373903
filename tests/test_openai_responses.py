"""The codecs ``openai-responses`` and ``openai-responses-response``: items and messages, losses, the types.

Exact return, damaged documents, planted notes and the other laws are tested in test_laws.py.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import partial
from typing import Any, cast

import pytest
from hypothesis import given, settings

import agentmsg as am
from agentmsg.formats import is_object
from agentmsg.formats.spelling import same_document
from agentmsg.testing.laws import carried_account, honest_account, sendable
from agentmsg.testing.strategies import histories
from agentmsg_codecs.openai_responses import OpenAIResponsesCodec
from agentmsg_codecs.openai_responses.response import OpenAIResponsesResponseCodec
from data import corpus, effort, golden, some
from support import checked
from support.checked import msg, refused
from support.documents import documents
from support.strict import responses_request_problems, responses_response_problems

CODEC, ANSWERS = OpenAIResponsesCodec(), OpenAIResponsesResponseCodec()
returned = partial(checked.returned, codec=CODEC)
written = partial(checked.written, codec="openai-responses")
FAMILY = "openai-responses"
SERVER: dict[str, Any] = {"kind": "server", "provider": "openai"}
SIGNED = am.Signature("openai", "gAAA")
CALL: dict[str, Any] = {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": '{"q":1}'}
RESULT: dict[str, Any] = {"type": "function_call_output", "call_id": "call_1", "output": "21"}
SAID: dict[str, Any] = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "Hi", "annotations": []}],
}
REASONING: dict[str, Any] = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "One."}, {"type": "summary_text", "text": "Two."}],
    "encrypted_content": "gAAA",
}
SEARCH: dict[str, Any] = {
    "type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "x"},
}  # fmt: skip
MCP: dict[str, Any] = {
    "type": "mcp_call", "id": "mcp_1", "server_label": "wiki", "name": "ask", "arguments": "{}", "output": "Yes",
    "status": "completed",
}  # fmt: skip
CITED = {
    "type": "output_text",
    "text": "Hi",
    "annotations": [{"type": "url_citation", "start_index": 0, "end_index": 2, "title": "T", "url": "https://x.test"}],
}
SOURCE = am.Citation(url="https://x.test", title="T", start=0, end=2, kind="url_citation")

# -- items are blocks or messages -------------------------------------------------------------------------------------

ASKED = am.ToolUseBlock(None, "ask", {}, item_id="mcp_1", server="wiki", **SERVER)
MAPPING: list[tuple[str, dict[str, Any], am.Msg]] = [
    ("a user's text", {"role": "user", "content": "Hi"}, msg("user", am.TextBlock("Hi"))),
    (
        "a part with a cache hint",
        {"role": "user", "content": [
            {"type": "input_text", "text": "Hi", "prompt_cache_breakpoint": {"mode": "explicit", "ttl": "12h"}},
        ]},
        msg("user", am.TextBlock("Hi", cache=am.CacheHint(ttl="12h"))),
    ),
    (
        "an image",
        {"role": "user", "content": [{"type": "input_image", "image_url": "https://x.test/a.png", "detail": "auto"}]},
        msg("user", am.ImageBlock.from_url("https://x.test/a.png")),
    ),
    (
        "a file by its id",
        {"role": "user", "content": [{"type": "input_file", "file_id": "file-1"}]},
        msg("user", am.FileBlock(am.FileSource("file-1", "openai"))),
    ),
    (
        "a file with its data",
        {"role": "user", "content": [
            {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA"},
        ]},
        msg("user", am.FileBlock(am.Base64Source("AAAA", "application/pdf"), name="a.pdf")),
    ),
    ("an easy message", {"role": "assistant", "content": "Hi"}, msg("assistant", am.TextBlock("Hi"))),
    (
        "a message with an id and a phase",
        {**SAID, "phase": "final_answer"},
        msg("assistant", am.TextBlock("Hi", item_id="msg_1", phase="final_answer")),
    ),
    (
        "a citation",
        {**SAID, "content": [CITED]},
        msg("assistant", am.TextBlock("Hi", item_id="msg_1", citations=[SOURCE])),
    ),
    (
        "a refusal",
        {**SAID, "content": [{"type": "refusal", "refusal": "No."}]},
        msg("assistant", am.RefusalBlock("No.", item_id="msg_1")),
    ),
    (
        "reasoning",
        {**REASONING, "summary": [{"type": "summary_text", "text": "One."}]},
        msg("assistant", am.ThinkingBlock("One.", item_id="rs_1", signature=SIGNED)),
    ),
    ("a call", CALL, msg("assistant", am.ToolUseBlock("call_1", "f", {"q": 1}))),
    (
        "a call of a custom tool",
        {"type": "custom_tool_call", "call_id": "c", "name": "f", "input": "ls"},
        msg("assistant", am.ToolUseBlock("c", "f", "ls", kind="custom")),
    ),
    ("a result", RESULT, msg("tool", am.ToolResultBlock("call_1", "21"))),
    (
        "a search of OpenAI's",
        SEARCH,
        msg("assistant", am.ToolUseBlock(
            None, "web_search", {"type": "search", "query": "x"}, item_id="ws_1", **SERVER
        )),
    ),
    (
        "a call of an MCP server and its result",
        MCP,
        msg("assistant", ASKED, am.ToolResultBlock(None, "Yes", name="ask", item_id="mcp_1", **SERVER)),
    ),
    (
        "a call of an MCP server that failed",
        {"error": "No.", **{key: MCP[key] for key in MCP if key != "output"}},
        msg("assistant", ASKED, am.ToolResultBlock(
            None, name="ask", error="No.", status="error", item_id="mcp_1", **SERVER
        )),
    ),
    (
        "code and its outputs",
        {"type": "code_interpreter_call", "id": "ci_1", "code": "1", "container_id": "c", "status": "completed",
         "outputs": [{"type": "logs", "logs": "1"}, {"type": "image", "url": "https://x.test/a.png"}]},
        msg(
            "assistant",
            am.ToolUseBlock(
                None, "code_interpreter", {"code": "1", "container_id": "c"}, item_id="ci_1", **SERVER
            ),
            am.ToolResultBlock(
                None, [am.TextBlock("1"), am.ImageBlock(am.URLSource("https://x.test/a.png"))],
                name="code_interpreter", item_id="ci_1", **SERVER,
            ),
        ),
    ),
    (
        "a search in files and its results",
        {"type": "file_search_call", "id": "fs_1", "queries": ["x"], "status": "completed",
         "results": [{"file_id": "f", "text": "X."}]},
        msg(
            "assistant",
            am.ToolUseBlock(None, "file_search", {"queries": ["x"]}, item_id="fs_1", **SERVER),
            am.ToolResultBlock(
                None, structured=[{"file_id": "f", "text": "X."}], name="file_search", item_id="fs_1", **SERVER
            ),
        ),
    ),
    (
        "tools that arrive",
        {"type": "additional_tools", "role": "developer", "tools": [
            {"type": "function", "name": "f", "parameters": {}, "strict": True},
        ]},
        msg("developer", am.ToolsBlock([am.ToolSpec("f", parameters={}, strict=True)])),
    ),
    (
        "a click",
        {"type": "computer_call", "id": "cu_1", "call_id": "c", "status": "completed", "pending_safety_checks": [],
         "action": {"type": "wait"}},
        msg("assistant", am.ToolUseBlock("c", "computer", {"type": "wait"}, item_id="cu_1", kind="computer")),
    ),
    (
        "a screenshot",
        {"type": "computer_call_output", "call_id": "c",
         "output": {"type": "computer_screenshot", "image_url": "data:image/png;base64,AAAA"}},
        msg("tool", am.ToolResultBlock(
            "c", [am.ImageBlock(am.Base64Source("AAAA", "image/png"))], kind="computer"
        )),
    ),
    (
        "a command",
        {"type": "shell_call", "call_id": "c", "action": {"commands": ["ls"]}},
        msg("assistant", am.ToolUseBlock("c", "shell", {"commands": ["ls"]}, kind="shell")),
    ),
    (
        "what commands print",
        {"type": "shell_call_output", "call_id": "c", "output": [{"stdout": "a"}]},
        msg("tool", am.ToolResultBlock("c", structured=[{"stdout": "a"}], kind="shell")),
    ),
    (
        "a command of the older shell",
        {"type": "local_shell_call", "id": "l", "call_id": "c", "action": {"command": ["ls"]}, "status": "completed"},
        msg("assistant", am.ToolUseBlock("c", "local_shell", {"command": ["ls"]}, item_id="l", kind="local_shell")),
    ),
    (
        "what it prints",
        {"type": "local_shell_call_output", "id": "c", "output": "a"},
        msg("tool", am.ToolResultBlock("c", "a", kind="local_shell")),
    ),
    (
        "a program that calls tools",
        {"type": "program", "id": "cm_1", "call_id": "c", "code": "text(1)", "fingerprint": "gAAA"},
        msg("assistant", am.ToolUseBlock("c", "program", {"code": "text(1)"}, item_id="cm_1", **SERVER,
                                         extras={FAMILY: {"fingerprint": "gAAA"}})),
    ),
    (
        "what it gave",
        {"type": "program_output", "id": "cmo_1", "call_id": "c", "result": "1", "status": "completed"},
        msg("assistant", am.ToolResultBlock("c", "1", name="program", item_id="cmo_1", **SERVER)),
    ),
    (
        "a patch",
        {"type": "apply_patch_call", "call_id": "c", "operation": {"path": "a"}, "status": "completed"},
        msg("assistant", am.ToolUseBlock("c", "apply_patch", {"path": "a"}, kind="apply_patch")),
    ),
    (
        "a patch that failed",
        {"type": "apply_patch_call_output", "call_id": "c", "status": "failed", "output": "No such file"},
        msg("tool", am.ToolResultBlock("c", "No such file", status="error", kind="apply_patch")),
    ),
    (
        "an image that was made",
        {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": "/9j/"},
        msg("assistant", am.ImageBlock(am.Base64Source("/9j/", "image/jpeg"), item_id="ig_1")),
    ),
    (
        "no screenshot",
        {"type": "computer_call_output", "call_id": "c"},
        msg("native", am.NativeBlock(FAMILY, {"type": "computer_call_output", "call_id": "c"})),
    ),
    (
        "code without a container",
        {"type": "code_interpreter_call", "id": "ci_1", "code": "1", "status": "completed", "outputs": []},
        msg("assistant", am.ToolUseBlock(None, "code_interpreter", {"code": "1"}, item_id="ci_1", **SERVER)),
    ),
    (
        "what is unknown",
        {"type": "new_call", "x": 1},
        msg("assistant", am.NativeBlock(FAMILY, {"type": "new_call", "x": 1})),
    ),
    (
        "a message with a new part",
        {"type": "message", "role": "assistant", "content": [SAID["content"][0], {"type": "new"}]},
        msg("assistant", am.NativeBlock(
            FAMILY,
            {"type": "message", "role": "assistant", "content": [SAID["content"][0], {"type": "new"}]},
            fallback="Hi",
        )),
    ),
    (
        "a new role",
        {"role": "model", "content": {"type": "input_text", "text": "Hi"}},
        msg("native", am.NativeBlock(
            FAMILY, {"role": "model", "content": {"type": "input_text", "text": "Hi"}}, fallback="Hi"
        )),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("item", "message"), [entry[1:] for entry in MAPPING], ids=[entry[0] for entry in MAPPING])
def test_an_item_is_a_message(item: dict[str, Any], message: am.Msg) -> None:
    """One item, read alone, is this message; the message is written as the item, down to the last key."""
    (found,) = returned([item])
    assert am.same(found, message), found
    assert same_document(written(message)["input"], [item])


def test_an_empty_message_keeps_only_an_id_that_was_read() -> None:
    """Anthropic's ids of answers begin like OpenAI's, and an item without content has none in the schema."""
    losses: list[am.Loss] = []
    body = am.encode(am.Msg("assistant", (), id="msg_013Zva2CMH"), "openai-responses", losses=losses)
    assert body["input"] == [{"role": "assistant", "content": ""}]
    assert [loss.path for loss in losses] == [("messages", 0, "id")]
    item = {"role": "assistant", "content": "", "id": "msg_1"}
    assert cast("Any", am.encode(am.decode([item], "openai-responses"), "openai-responses")) == [item]


SPELT: list[tuple[str, dict[str, Any], am.Msg]] = [
    (
        "reasoning without a summary",
        {"type": "reasoning", "id": "rs_1", "content": [{"type": "reasoning_text", "text": "Hm."}]},
        msg("assistant", am.ThinkingBlock("Hm.", raw=True, item_id="rs_1")),
    ),
    (
        "a message without a role, of the assistant as its parts tell",
        {"type": "message", "content": [{"type": "output_text", "text": "Hi"}]},
        msg("assistant", am.TextBlock("Hi")),
    ),
    (
        "an assistant's message of nothing, with an id",
        {"role": "assistant", "id": "msg_1", "content": []},
        am.Msg("assistant", (), id="msg_1", created_at=None),
    ),
    ("a text without a type", {"role": "user", "content": [{"text": "Hi"}]}, msg("user", am.TextBlock("Hi"))),
    ("a call without an id", {"type": "function_call", "name": "f", "arguments": "{}"},
     msg("assistant", am.ToolUseBlock(None, "f", {}))),
    ("a result without an id", {"type": "function_call_output", "output": "21"},
     msg("tool", am.ToolResultBlock(None, "21"))),
    ("arguments as an object", {**CALL, "arguments": {"q": 1}},
     msg("assistant", am.ToolUseBlock("call_1", "f", {"q": 1}))),
    (
        "a search of xAI's",
        {"type": "x_search_call", "id": "xs_1", "status": "completed"},
        msg("assistant", am.ToolUseBlock(None, "x_search", {}, item_id="xs_1", kind="server", provider="xai")),
    ),
    (
        "a summary by its older name",
        {"type": "compaction_summary", "encrypted_content": "gAAA"},
        msg("assistant", am.CompactionBlock(encrypted="gAAA")),
    ),
    (
        "an image whose URL is in an object",
        {"role": "user", "content": [
            {"type": "input_image", "image_url": {"url": "https://x.test/a.png", "detail": "low"}},
        ]},
        msg("user", am.ImageBlock(am.URLSource("https://x.test/a.png"), detail="low")),
    ),
    (
        "several actions at once, as newer models ask for",
        {"type": "computer_call", "id": "cu_1", "call_id": "c", "status": "completed", "pending_safety_checks": [],
         "action": None, "actions": [{"type": "wait"}]},
        msg("assistant", am.ToolUseBlock(
            "c", "computer", {"actions": [{"type": "wait"}]}, item_id="cu_1", kind="computer"
        )),
    ),
    *(
        (
            f"a screen, as {output['type']}",
            {"type": "computer_call_output", "call_id": "c", "output": output},
            msg("tool", am.ToolResultBlock("c", [shown], kind="computer")),
        )
        for output, shown in (
            ({"type": "input_image", "image_url": "https://x/a.png"}, am.ImageBlock(am.URLSource("https://x/a.png"))),
            ({"type": "text", "text": "done"}, am.TextBlock("done")),
        )
    ),
    (
        "what it prints, linked as others are",
        {"type": "local_shell_call_output", "call_id": "c", "output": "a"},
        msg("tool", am.ToolResultBlock("c", "a", kind="local_shell")),
    ),
    (
        "what it prints, with a link and an id of its own",
        {"type": "local_shell_call_output", "id": "o", "call_id": "c", "output": "a"},
        msg("tool", am.ToolResultBlock("c", "a", kind="local_shell", extras={"openai-responses": {"id": "o"}})),
    ),
    (
        "what a user's code writes for the assistant: a part without annotations",
        {"role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]},
        msg("assistant", am.TextBlock("Hi")),
    ),
    (
        "a message that says it has no id",
        {"type": "message", "id": None, "role": "assistant", "status": "completed",
         "content": [{"type": "output_text", "text": "Hi", "annotations": None}]},
        msg("assistant", am.TextBlock("Hi")),
    ),
    ("a user's, likewise", {"id": None, "role": "user", "content": "Hi"}, msg("user", am.TextBlock("Hi"))),
    ("tools that come without a role", {"type": "additional_tools", "tools": [{"type": "custom", "name": "f"}]},
     msg("developer", am.ToolsBlock((am.ToolSpec("f", kind="custom"),)))),
    ("a search without an id, as clients that store nothing keep it",
     {"type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "q"}},
     msg("assistant", am.ToolUseBlock(None, "web_search", {"type": "search", "query": "q"}, **SERVER))),
    ("a tool of an MCP server without an id",
     {"type": "mcp_call", "id": None, "server_label": "wiki", "name": "ask", "arguments": "{}"},
     msg("assistant", ASKED.evolve(item_id=None))),
    ("code without an id", {"type": "code_interpreter_call", "code": "1", "outputs": []},
     msg("assistant", am.ToolUseBlock(None, "code_interpreter", {"code": "1"}, **SERVER))),
    ("an image without an id", {"type": "image_generation_call", "result": "iVBORw0KGgo=", "status": "completed"},
     msg("assistant", am.ImageBlock(am.Base64Source("iVBORw0KGgo=", "image/png")))),
    ("a shell without an id", {"type": "local_shell_call", "call_id": "c", "action": {"command": ["ls"]}},
     msg("assistant", am.ToolUseBlock("c", "local_shell", {"command": ["ls"]}, kind="local_shell"))),
    *(
        (f"a text of the {role} as {tag}", {"role": role, "content": [{"type": tag, "text": "Hi"}]},
         msg(role, am.TextBlock("Hi")))
        for tag, role in (("text", "user"), ("output_text", "user"), ("text", "system"))
    ),
    *(
        (f"{part}", {"role": "user", "content": [part]}, msg("user", block))
        for part, block in (
            ({"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}},
             am.AudioBlock(am.Base64Source("AAAA", "audio/mp3"))),
            ({"type": "input_audio", "audio_url": "https://x.test/a.mp3"},
             am.AudioBlock(am.URLSource("https://x.test/a.mp3"))),
            ({"type": "input_audio", "file_id": "file-1"}, am.AudioBlock(am.FileSource("file-1", "openai"))),
            ({"type": "input_video", "video_url": "data:video/mp4;base64,AAAA", "fps": 1},
             am.VideoBlock(am.Base64Source("AAAA", "video/mp4"), extras={FAMILY: {"fps": 1}})),
            ({"type": "input_video", "file_id": "file-1"}, am.VideoBlock(am.FileSource("file-1", "openai"))),
        )
    ),
    ("data of a file without a URL around it",
     {"role": "user", "content": [{"type": "input_file", "filename": "a.txt", "file_data": "SGVsbG8="}]},
     msg("user", am.FileBlock(am.Base64Source("SGVsbG8="), name="a.txt"))),
    *(
        (f"{value} as a result", {"type": "function_call_output", "call_id": "c", "output": value},
         msg("tool", am.ToolResultBlock("c", structured=value)))
        for value in ({"a": 1}, 5, False)
    ),
    (
        "a search that doesn't tell what for",
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
        msg("assistant", am.ToolUseBlock(None, "web_search", {}, item_id="ws_1", **SERVER)),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("item", "message"), [entry[1:] for entry in SPELT], ids=[entry[0] for entry in SPELT])
def test_items_are_spelt_otherwise_too(item: dict[str, Any], message: am.Msg) -> None:
    """Keys that people and older versions leave out or spell differently mean the same, and come back."""
    (found,) = returned([item])
    assert am.same(found, message), found
    assert not same_document(written(message)["input"], [item])


def test_a_run_of_items_is_one_message() -> None:
    """The assistant's items between others are one message; an item without content separates two."""
    items = [{"role": "user", "content": "Hi"}, REASONING, CALL, RESULT, SAID, {"role": "assistant", "content": "Ho"}]
    history = returned(items)
    assert [message.role for message in history] == ["user", "assistant", "tool", "assistant"]
    assert [type(block).__name__ for block in history[1].content] == ["ThinkingBlock", "ToolUseBlock"]
    assert [block.item_id for block in history[3].content] == ["msg_1", None]
    assert history[2].tool_results[0].name == "f"
    assert am.same(history[1].content[0], am.ThinkingBlock("One.\n\nTwo.", item_id="rs_1", signature=SIGNED))
    parted = returned([CALL, {"role": "assistant", "content": ""}, CALL])
    assert [len(message.content) for message in parted] == [1, 0, 1]


def test_assistants_that_follow_each_other_are_one() -> None:
    """Neighbours are written as one run, which is reported; an item dropped by a rule separates nothing."""
    losses: list[am.Loss] = []
    remove = msg("remove")
    document = written(msg("assistant", am.TextBlock("a")), remove, msg("assistant", am.TextBlock("b")), losses=losses)
    assert document["input"] == [{"role": "assistant", "content": "a"}, {"role": "assistant", "content": "b"}]
    assert [(loss.kind, loss.path) for loss in losses if loss.kind == "merged"] == [("merged", ("messages", 2))]
    assert am.same(am.restore(am.decode(document, "openai-responses"), losses)[2], msg("assistant", am.TextBlock("b")))


def _served_result(content: Any = "Yes", **fields: Any) -> am.ToolResultBlock:
    own: dict[str, Any] = {"tool_call_id": None, "name": "ask", "item_id": "mcp_1", **SERVER, **fields}
    return am.ToolResultBlock(content=content, **own)


@pytest.mark.parametrize("codec", ["openai-responses", "openai-responses-response"])
@pytest.mark.parametrize(
    "result",
    [
        _served_result(),
        _served_result(()),
        _served_result("a", structured={"a": 1}),
        _served_result([am.TextBlock("a"), am.TextBlock("b")]),
        _served_result([am.ImageBlock(am.FileSource("f", "openai"))]),
        _served_result((), error="No."),
        _served_result((), error="No.", status="error"),
        _served_result((), structured=[1], status="error"),
        _served_result(item_id=None),
        _served_result(item_id="mcp_2"),
        _served_result(tool_call_id="mcp_1"),
        _served_result(tool_call_id="other"),
        _served_result(name="tell"),
        _served_result(name=None),
        _served_result(provider="anthropic"),
        _served_result(extras={FAMILY: {"error": 1}}),
    ],
)
def test_results_of_servers_are_in_the_item_of_their_call(result: am.ToolResultBlock, codec: am.CodecName) -> None:
    """A result right after its call is in its item; anywhere else, or with more to it, it is text; all is reported."""
    between = am.TextBlock("So:")
    full = ASKED.evolve(extras={FAMILY: {"output": "Yes"}})
    python = ASKED.evolve(name="code_interpreter", input={"code": "", "container_id": ""}, server=None, item_id="ci_1")
    for blocks in (
        (ASKED, result),
        (ASKED, result, result),
        (ASKED, ASKED, result, result),
        (result,),
        (ASKED, between, result),
        (full,),
        (full, result),
        (python, result.evolve(name=python.name, item_id="ci_1")),
        (ASKED.evolve(id="x"), result),
        (ASKED.evolve(item_id=None), result),
        (ASKED.evolve(name="program"), result.evolve(name="program")),
    ):
        history = am.History.of(msg("assistant", *blocks))
        for law in (honest_account, carried_account, sendable):
            law(am.get_codec(codec), history)


@pytest.mark.parametrize("key", ["prompt", "previous_response_id", "conversation"])
def test_what_openai_stores_needs_no_input(key: str) -> None:
    """A request for a stored prompt or conversation may have no input, until messages are added."""
    options: list[dict[str, Any]] = [{}, {"instructions": "Be brief.", "tools": []}]
    for more in options:
        document: dict[str, Any] = {"model": "gpt-5", key: {"id": "p_1"}, **more}
        history = returned(document)
        assert am.encode(history.extended(am.Msg.user("Hi")), "openai-responses") == {
            **document,
            "input": [{"role": "user", "content": "Hi"}],
        }
        assert am.encode(history.evolve(extras={}), "openai-responses")["input"] == []


@pytest.mark.parametrize("word", ["a;b", "a,b", ""])
def test_sound_in_a_format_that_is_none_is_native(word: str) -> None:
    """A format that no media type can have stays as it is."""
    part = {"type": "input_audio", "input_audio": {"data": "AAAA", "format": word}}
    (message,) = returned([{"role": "user", "content": [part]}])
    assert message.content == (am.NativeBlock("openai-responses", part),)


def test_instructions_stand_where_they_stood() -> None:
    """Instructions are a system message in front; one read as an item goes back there."""
    documents_of: list[dict[str, Any]] = [
        {"instructions": "Be brief.", "input": []},
        {"input": [{"role": "system", "content": "Be brief."}]},
        {"instructions": "", "input": "Hi"},
        {"instructions": "Be brief.", "input": [{"role": "system", "content": "Be kind."}]},
    ]
    assert all(map(returned, documents_of))
    system = msg("system", am.TextBlock("Be brief."))
    assert written(system) == {"instructions": "Be brief.", "input": []}
    assert written(msg("developer", am.TextBlock("x")))["input"] == [{"role": "developer", "content": "x"}]


@pytest.mark.parametrize(
    ("message", "input_of", "lost"),
    [
        (msg("assistant", am.ThinkingBlock("Hm")), [], "content"),
        (msg("assistant", am.ThinkingBlock("Hm", signature=am.Signature("anthropic", "x"))), [], "content"),
        (msg("assistant", am.RefusalBlock("No")), [{"role": "assistant", "content": "No"}], "content"),
        (msg("assistant", am.TextBlock("a", item_id="x")), [{"role": "assistant", "content": "a"}], "annotation"),
        (msg("user", am.AudioBlock(am.Base64Source("AAAA", "audio/wav"))), [], "content"),
        (msg("tool", am.ToolResultBlock("c", structured={"a": 1})),
         [{"type": "function_call_output", "call_id": "c", "output": '{"a":1}'}], "annotation"),
        (msg("assistant", am.ToolUseBlock("x", "web_search", {"q": 1}, item_id="ws_1", **SERVER)),
         [{"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"q": 1}}], "annotation"),
        (msg("assistant", am.ToolUseBlock("c", "f", {}, kind="shell")),
         [{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}], "annotation"),
        (msg("tool", am.ToolResultBlock("c", "no image", kind="computer")),
         [{"type": "function_call_output", "call_id": "c", "output": "no image"}], "annotation"),
        (msg("assistant", am.ImageBlock(am.Base64Source("/9j/", "image/jpeg"))), [], "content"),
        (msg("assistant", am.ToolUseBlock(None, "w", {}, kind="server", provider="anthropic")),
         [{"role": "assistant", "content": '<server_tool_call name="w">{}</server_tool_call>'}], "content"),
    ],
    ids=["thinking", "foreign thinking", "refusal", "foreign id", "sound", "structured", "id of a search",
         "another tool's kind", "no screenshot", "an image of nobody's",
         "foreign server"],
)  # fmt: skip
def test_what_has_no_place(message: am.Msg, input_of: list[Any], lost: str) -> None:
    """Content that the API lacks is left out, or written differently; the report shows it, and restores it."""
    losses: list[am.Loss] = []
    document = written(message, losses=losses)
    assert document["input"] == input_of
    assert {loss.level for loss in losses} == {lost}
    assert am.same(am.restore(am.decode(document, "openai-responses"), losses), am.History([message]))


def test_thinking_may_be_text() -> None:
    """By option, thinking that OpenAI's models can't continue from becomes text."""
    document = written(msg("assistant", am.ThinkingBlock("Hm")), thinking="text")
    assert document["input"] == [{"role": "assistant", "content": "<thinking>Hm</thinking>"}]


# -- responses --------------------------------------------------------------------------------------------------------


def answer(*items: Any, **fields: Any) -> dict[str, Any]:
    """Return a response with some output."""
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1741476542,
        "model": "gpt-5",
        "status": "completed",
        "incomplete_details": None,
        "output": list(items),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        **fields,
    }


@pytest.mark.parametrize(
    ("document", "finish"),
    [
        (answer(SAID), "stop"),
        (answer(REASONING, CALL), "tool_use"),
        (answer(SAID, status="incomplete", incomplete_details={"reason": "max_output_tokens"}), "length"),
        (answer(SAID, status="incomplete", incomplete_details={"reason": "content_filter"}), "content_filter"),
        (answer(status="failed", error={"code": "server_error", "message": "x"}), "failed"),
    ],
)
def test_a_response_is_a_message(document: dict[str, Any], finish: str) -> None:
    """A response is one assistant message; status, details and calls decide its finish reason."""
    (message,) = checked.returned(document, codec=ANSWERS)
    assert (message.id, message.model, message.finish_reason) == ("resp_1", "gpt-5", finish)
    assert message.created_at == datetime(2025, 3, 8, 23, 29, 2, tzinfo=UTC)


def test_what_compacts_a_conversation_comes_back() -> None:
    """Its output also has user messages, which are kept whole."""
    found = 0
    for path in corpus("openai_responses"):
        for interaction in json.loads(path.read_text())["interactions"]:
            response = interaction.get("response")
            if is_object(response) and response.get("object") == "response.compaction":
                checked.returned(response, codec=ANSWERS)
                found += 1
    assert found


def test_what_is_no_document_is_refused() -> None:
    """The error has the path."""
    assert refused({"input": 1}, codec="openai-responses") == (("input",), "schema", "openai-responses")
    assert refused({"messages": []}, codec="openai-responses")[0] == ("input",)
    assert refused({"id": "x"}, codec="openai-responses-response")[0] == ("output",)
    assert refused(answer(id=1), codec="openai-responses-response")[0] == ("id",)


# -- accepted by the package -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", am.codec_names())
def test_the_types_accept_what_is_converted(source: am.CodecName) -> None:
    """The strict types of the package accept every stored document of other formats, and the reports restore them."""
    for name, document in some(documents(source), 60):
        if source.startswith("openai-responses"):
            continue
        done = am.convert(document, source, "openai-responses")
        assert responses_request_problems(done.document) == [], name
        restored = am.restore(am.decode(done.document, "openai-responses"), done.losses)
        assert am.same(restored, done.history), name
        said = am.convert(document, source, "openai-responses-response").document
        # Servers compatible with OpenAI have tiers of their own.
        assert not said or responses_response_problems({**said, "service_tier": None}) == [], name


@given(history=histories())
@settings(max_examples=effort(100))
def test_the_types_accept_any_history(history: am.History) -> None:
    """The same for everything that the model can hold."""
    foreign = history.evolve(extras={}, messages=[message for message in history if message.role != "native"])
    document = am.encode(foreign, "openai-responses", on_loss="ignore")
    if FAMILY not in str(history):
        assert responses_request_problems(document) == []


def test_sessions_of_the_agents_sdk_are_read() -> None:
    """The items in its sessions are a list of items, and each of them is a document too."""
    for path in golden("openai_agents"):
        whole = json.loads(path.read_text())
        if path.stem == "run_state":
            assert returned(whole["original_input"])
        elif path.stem == "sqlite_tables":
            rows = whole["agent_messages"]["rows"]
            items = [json.loads(next(cell for cell in row if str(cell).startswith("{"))) for row in rows]
            assert returned(items)
            assert all(len(returned(item)) == 1 for item in items)


@pytest.mark.parametrize(
    "citation",
    [
        SOURCE.evolve(extras={"x": {"id": 1}}),
        am.Citation(url="https://x.test", title="T"),
        SOURCE.evolve(cited_text="H"),
    ],
    ids=["extras", "no span", "a quotation"],
)
def test_what_others_say_of_a_citation_is_lost_and_told(citation: am.Citation) -> None:
    """A citation is kept without what only other formats say, as of the whole text; the loss shows that."""
    history = am.History([am.Msg("assistant", [am.TextBlock("Hi", citations=[citation])])])
    losses: list[am.Loss] = []
    document = am.encode(history, "openai-responses-response", losses=losses)
    (text,) = am.decode(document, "openai-responses-response")[0].content
    assert text == am.TextBlock("Hi", citations=[SOURCE])
    assert ("messages", 0, "content", 0, "citations") in [loss.path for loss in losses]


def test_a_decision_says_nothing_beside_itself() -> None:
    """What its message holds besides is lost, and told."""
    decision = am.ApprovalResponseBlock(id="ap1", approved=False, kind="server")
    message = am.Msg("user", [decision], id="m", extras={"openai-responses": {"a": 1}}, metadata={"b": 1})
    losses: list[am.Loss] = []
    assert len(am.encode([message], "openai-responses", losses=losses)) == 1
    assert {loss.where for loss in losses} >= {"messages/0/extras/openai-responses/a", "messages/0/id"}
