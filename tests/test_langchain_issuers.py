"""Answers in LangChain's messages: in the parts that the issuer's own client makes, which it sends back as they are."""

from __future__ import annotations

from typing import Any

import pytest

import agentmsg as am
from agentmsg.formats.spelling import same_document

ANTHROPIC: dict[str, Any] = {"provider": "anthropic"}
RESPONSES: dict[str, Any] = {"provider": "openai", "api": "responses"}
GOOGLE: dict[str, Any] = {"provider": "google"}
BEDROCK: dict[str, Any] = {"provider": "bedrock"}
TEXT = am.TextBlock("So.")


def served(provider: str, link: str | None, name: str, value: Any, **fields: Any) -> am.ToolUseBlock:
    """Return a call of a tool that a provider runs."""
    return am.ToolUseBlock(link, name, value, kind="server", provider=provider, **fields)


def ran(provider: str, link: str | None, name: str, content: Any = (), **fields: Any) -> am.ToolResultBlock:
    """Return a result of a tool that a provider has run."""
    return am.ToolResultBlock(link, content, name=name, kind="server", provider=provider, **fields)


def signed(provider: str, value: str = "c2ln") -> Any:
    """Return the field of a signature."""
    return {"signature": am.Signature(provider, value)}


def said(text: str) -> dict[str, Any]:
    """Return a plain text of Responses, as its client keeps it."""
    return {"type": "text", "text": text, "id": "msg_1", "annotations": []}


LISTED: dict[str, Any] = {"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "s", "tools": []}
RAN: Any = {"openai-responses": {"/ran": "shell", "/done": True}}
STDOUT = [{"stdout": "a", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]
IN_CONTAINER = {"container_id": "cntr_1", "file_id": "cf_1", "filename": "a.png", "start_index": 0, "end_index": 1}
SEARCH = {"type": "search", "query": "x"}
SAID = am.TextBlock("So.", item_id="msg_1")
LONE = am.ToolResultBlock(
    "t1", [am.TextBlock("found")], kind="server", provider="bedrock", status="success",
    extras={"bedrock.item": {"type": "nova_grounding_result"}},
)  # fmt: skip
CITED = am.Citation(
    title="T",
    cited_text="x",
    start=0,
    end=1,
    kind="documentChar",
    extras={"bedrock": {"/location": {"documentIndex": 0}}},
)
# Who answered, the blocks, and content as the issuer's client makes it.
CASES: dict[str, tuple[dict[str, Any], list[am.Block], list[Any]]] = {
    "a call before a text": (
        ANTHROPIC,
        [am.ToolUseBlock("t1", "f", {"a": 1}), TEXT],
        [{"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}}, {"type": "text", "text": "So."}],
    ),
    "a call before a text, of an unknown model": (
        {},
        [am.ToolUseBlock("t1", "f", {"a": 1}), TEXT],
        [{"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}}, {"type": "text", "text": "So."}],
    ),
    "a call before an image, of an unknown model": (
        {},
        [am.ToolUseBlock("t1", "f", {}), am.ImageBlock(am.Base64Source("aGk=", "image/png"))],
        [
            {"type": "tool_use", "id": "t1", "name": "f", "input": {}},
            {"type": "image", "base64": "aGk=", "mime_type": "image/png"},
        ],
    ),
    "an image that Google signed, of an unknown model": (
        {},
        [am.ImageBlock(am.Base64Source("aGk=", "image/png"), **signed("google"))],
        [{"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}, "extras": {"signature": "c2ln"}}],
    ),
    "thinking of Anthropic": (
        ANTHROPIC,
        [am.ThinkingBlock("hm", **signed("anthropic")), TEXT],
        [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}, {"type": "text", "text": "So."}],
    ),
    "redacted thinking": (
        ANTHROPIC,
        [am.ThinkingBlock(redacted="x"), TEXT],
        [{"type": "redacted_thinking", "data": "x"}, {"type": "text", "text": "So."}],
    ),
    "a search of Anthropic": (
        ANTHROPIC,
        [
            served("anthropic", "srvtoolu_1", "web_search", {"query": "x"}),
            ran("anthropic", "srvtoolu_1", "web_search", [am.SourceBlock("https://x", title="X")]),
        ],
        [
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}},
            {
                "type": "web_search_tool_result",
                "tool_use_id": "srvtoolu_1",
                "content": [{"type": "web_search_result", "title": "X", "url": "https://x"}],
            },
        ],
    ),
    "a compaction of Anthropic": (
        ANTHROPIC,
        [am.CompactionBlock("Before: x."), TEXT],
        [{"type": "compaction", "content": "Before: x."}, {"type": "text", "text": "So."}],
    ),
    "reasoning of Responses": (
        RESPONSES,
        [am.ThinkingBlock("hm", item_id="rs_1", **signed("openai")), SAID],
        [
            {
                "type": "reasoning",
                "id": "rs_1",
                "summary": [{"type": "summary_text", "text": "hm"}],
                "encrypted_content": "c2ln",
            },
            said("So."),
        ],
    ),
    "two texts of one message": (
        RESPONSES,
        [SAID.evolve(phase="final_answer"), am.RefusalBlock("No.", item_id="msg_1", phase="final_answer")],
        [
            {**said("So."), "phase": "final_answer"},
            {"type": "refusal", "refusal": "No.", "id": "msg_1", "phase": "final_answer"},
        ],
    ),
    "a search of Responses": (
        RESPONSES,
        [served("openai", "ws_1", "web_search", SEARCH, item_id="ws_1")],
        [
            {
                "type": "web_search_call",
                "id": "ws_1",
                "status": "completed",
                "action": SEARCH,
            }
        ],
    ),
    "a call of the shell that Responses ran, and its result": (
        RESPONSES,
        [
            served("openai", "c1", "shell", {"commands": ["ls"]}, item_id="sh_1", notes=RAN),
            ran("openai", "c1", "shell", structured=STDOUT, item_id="sho_1", notes=RAN),
        ],
        [
            {
                "type": "shell_call",
                "call_id": "c1",
                "action": {"commands": ["ls"]},
                "id": "sh_1",
                "status": "completed",
            },
            {"type": "shell_call_output", "call_id": "c1", "output": STDOUT, "id": "sho_1", "status": "completed"},
        ],
    ),
    "a citation of a file in a container": (
        RESPONSES,
        [
            SAID.evolve(
                citations=[am.Citation(kind="container_file_citation", extras={"openai-responses": IN_CONTAINER})]
            )
        ],
        [{**said("So."), "annotations": [{"type": "container_file_citation", **IN_CONTAINER}]}],
    ),
    "a citation of a file, of an unknown model": (
        {},
        [SAID.evolve(citations=[am.Citation(kind="file_path", extras={"openai-responses": {"file_id": "f"}})])],
        [{**said("So."), "annotations": [{"type": "file_path", "file_id": "f"}]}],
    ),
    "an item that the model doesn't know": (
        RESPONSES,
        [am.NativeBlock("openai-responses", LISTED)],
        [LISTED],
    ),
    "a thought and a text that Google signed": (
        GOOGLE,
        [am.ThinkingBlock("hm"), am.TextBlock("So.", **signed("google"))],
        [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "So.", "extras": {"signature": "c2ln"}}],
    ),
    "code that Google runs": (
        GOOGLE,
        [
            served("google", None, "code_execution", {"language": "PYTHON", "code": "print(1)"}),
            ran("google", None, "code_execution", "1", status="success"),
        ],
        [
            {"type": "executable_code", "executable_code": "print(1)", "language": "PYTHON"},
            {
                "type": "code_execution_result",
                "code_execution_result": "1",
                "outcome": 1,
                "tool_call_id": "",
            },
        ],
    ),
    "a signed result of code that has an id": (
        GOOGLE,
        [
            served("google", "ce_1", "code_execution", {"language": "PYTHON", "code": "x"}),
            ran("google", "ce_1", "code_execution", status="error", **signed("google")),
        ],
        [
            {"type": "executable_code", "executable_code": "x", "language": "PYTHON", "extras": {"id": "ce_1"}},
            {"type": "code_execution_result", "code_execution_result": "", "outcome": 2, "tool_call_id": "ce_1",
             "extras": {"signature": "c2ln"}},
        ],
    ),
    "signed code, beside what the client has no part for": (
        GOOGLE,
        [
            served("google", "ce_1", "code_execution", {"language": "PYTHON", "code": "1"}, **signed("google")),
            am.ImageBlock(am.URLSource("https://x/a.png")),
            am.TextBlock("So.", **signed("google", "+/8=")),
        ],
        [
            {"type": "executable_code", "executable_code": "1", "language": "PYTHON",
             "extras": {"id": "ce_1", "signature": "c2ln"}},
            {"type": "image", "url": "https://x/a.png"},
            {"type": "text", "text": "So.", "extras": {"signature": "+/8="}},
        ],
    ),
    "a result of Bedrock without its call": (
        BEDROCK,
        [LONE],
        [{"type": "tool_result", "tool_use_id": "t1", "is_error": False, "name": "nova_grounding",
          "content": [{"type": "text", "text": "found"}]}],
    ),
    "citations of Bedrock": (
        {},
        [am.TextBlock("So.", citations=[CITED])],
        [{"type": "text", "text": "So.", "citations": [{"title": "T", "sourceContent": [{"text": "x"}],
          "location": {"documentChar": {"documentIndex": 0, "start": 0, "end": 1}}}]}],
    ),
    "a tool of Bedrock beside an image": (
        BEDROCK,
        [LONE, am.ImageBlock(am.Base64Source("aGk=", "image/png"))],
        [
            {"type": "tool_result", "tool_use_id": "t1", "is_error": False, "name": "nova_grounding",
             "content": [{"type": "text", "text": "found"}]},
            {"type": "image", "base64": "aGk=", "mime_type": "image/png"},
        ],
    ),
    "reasoning of Bedrock": (
        BEDROCK,
        [am.ThinkingBlock("hm", **signed("bedrock")), TEXT],
        [
            {"type": "reasoning_content", "reasoning_content": {"text": "hm", "signature": "c2ln"}},
            {"type": "text", "text": "So."},
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("who", "blocks", "content"), CASES.values(), ids=CASES)
@pytest.mark.parametrize("codec", ["langchain", "langchain-lc", "langgraph"])
def test_an_answer_has_the_form_of_its_issuer(codec: am.CodecName, who: Any, blocks: Any, content: Any) -> None:
    """It is written as the client of its issuer keeps it, and read again as it was."""
    message = am.Msg("assistant", blocks, **who)
    document = am.encode(message, codec)
    (native,) = am.get_codec(codec).native_messages(am.thaw(document))
    if codec == "langchain":
        assert same_document(native["data"]["content"], content)
    (back,) = am.decode(am.thaw(document), codec).messages
    assert am.same(back.content, message.content)
    assert (back.provider, back.api) == (message.provider, message.api)
    assert same_document(am.thaw(am.encode(am.decode(am.thaw(document), codec), codec)), am.thaw(document))


# What only Converse takes, and its parts.
GIVEN: dict[str, tuple[am.Block, Any]] = {
    "a video in a bucket": (
        am.VideoBlock(am.URLSource("s3://b/v.mp4", "video/mp4", extras={"bedrock": {"bucketOwner": "1"}})),
        {"video": {"format": "mp4", "source": {"s3Location": {"uri": "s3://b/v.mp4", "bucketOwner": "1"}}}},
    ),
    "a document to cite": (
        am.FileBlock(
            am.TextSource("x", "text/plain"), name="D", extras={"bedrock.item": {"citations": {"enabled": True}}}
        ),
        {"document": {"format": "txt", "name": "D", "source": {"text": "x"}, "citations": {"enabled": True}}},
    ),
    "a page to cite": (
        am.FileBlock(
            am.BlocksSource([am.TextBlock("b")]),
            name="https://s",
            title="T",
            extras={"bedrock.item": {"citations": {"enabled": True}}},
        ),
        {
            "searchResult": {
                "source": "https://s",
                "title": "T",
                "content": [{"text": "b"}],
                "citations": {"enabled": True},
            }
        },
    ),
}


@pytest.mark.parametrize(("block", "part"), GIVEN.values(), ids=GIVEN)
def test_what_only_converse_takes_is_its_part(block: Any, part: Any) -> None:
    """Its client refuses LangChain's own part for it, and sends this one as it is."""
    message = am.Msg("user", [block])
    (native,) = am.thaw(am.encode([message], "langchain"))
    assert same_document(native["data"]["content"], [part])
    assert am.same(am.decode([native], "langchain").messages[0].content, message.content)


def test_what_converse_says_of_bytes_is_told() -> None:
    """The client sends the bytes of LangChain's own part; in Converse's they would be a text of base64."""
    source = am.Base64Source("JVBERg==", "application/pdf")
    block = am.FileBlock(source, extras={"bedrock.item": {"citations": {"enabled": True}}})
    losses: list[am.Loss] = []
    (native,) = am.thaw(am.encode([am.Msg("user", [block])], "langchain", losses=losses))
    assert native["data"]["content"] == [{"type": "file", "base64": "JVBERg==", "mime_type": "application/pdf"}]
    assert [(loss.path[-2:], loss.level) for loss in losses] == [(("bedrock.item", "citations"), "content")]
    (back,) = am.restore(am.decode([native], "langchain"), losses).messages
    assert am.same(back.content, (block,))


@pytest.mark.parametrize(
    "part", [{"type": "json", "json": [1]}, {"type": "non_standard", "value": {"type": "data", "data": [1]}}]
)
def test_json_in_a_result_is_as_the_client_of_bedrock_takes_it(part: dict[str, Any]) -> None:
    """New data is so; what was read comes back as it was."""
    result = am.ToolResultBlock("c1", [am.DataBlock([1])])
    (native,) = am.thaw(am.encode([am.Msg("tool", [result])], "langchain"))
    assert native["data"]["content"] == [{"type": "json", "json": [1]}]
    native["data"]["content"] = [part]
    for status in ({}, {"status": "success"}):
        native["data"].update(status)
        history = am.decode([native], "langchain")
        assert am.same(history[0].content, (result.evolve(**status),))
        assert am.encode(history, "langchain") == [native]


def test_an_answer_says_no_words_of_the_user() -> None:
    """OpenAI's compaction repeats them: they are told, and the summary is in the client's form."""
    asked = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]}
    blocks = [
        am.NativeBlock("openai-responses", asked, fallback="Hi"),
        am.CompactionBlock(encrypted="x", item_id="cmp_1"),
    ]
    losses: list[am.Loss] = []
    (native,) = am.thaw(am.encode([am.Msg("assistant", blocks, **RESPONSES)], "langchain", losses=losses))
    assert native["data"]["content"] == [{"type": "compaction", "id": "cmp_1", "encrypted_content": "x"}]
    assert [(loss.path[2:], loss.level) for loss in losses] == [(("content", 0), "content")]


def test_what_has_no_place_leaves_the_form_of_the_rest() -> None:
    """Only it is told: the parts beside it are still those of the client."""
    use = {"toolUseId": "t1", "name": "nova_code_interpreter", "input": {"snippet": "1"}, "type": "server_tool_use"}
    found = {"toolUseId": "t1", "content": [{"json": {"stdOut": "1"}}], "type": "nova_code_interpreter_result"}
    page = {"title": "T", "location": {"web": {"url": "https://x", "domain": "x"}}}
    items: list[Any] = [
        {"toolUse": use}, {"toolResult": found},
        {"citationsContent": {"content": [{"text": "a"}], "citations": [page]}},
        {"reasoningContent": {"redactedContent": "eA=="}},
        {"toolUse": {"toolUseId": "t2", "name": "f", "input": {}, "type": "tool_use"}},
    ]  # fmt: skip
    losses: list[am.Loss] = []
    history = am.decode({"messages": [{"role": "assistant", "content": items}]}, "bedrock")
    (native,) = am.thaw(am.encode(history, "langchain", losses=losses))
    assert native["data"]["content"] == [
        {"type": "server_tool_use", "name": "nova_code_interpreter", "input": {"snippet": "1"}, "id": "t1"},
        {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "json", "json": {"stdOut": "1"}}]},
        {"type": "text", "text": "a", "citations": [page]},
    ]
    assert [(loss.path, loss.why) for loss in losses if loss.kind == "dropped" and loss.why] == [
        (("messages", 0, "content", 3), "only bedrock can read this")
    ]
    assert am.encode(am.restore(am.decode([native], "langchain"), losses), "bedrock") == am.encode(history, "bedrock")


@pytest.mark.parametrize("role", ["user", "tool"])
def test_an_image_that_openai_keeps_is_its_part(role: Any) -> None:
    """Its client refuses LangChain's own part with an id, and sends this one as it is."""
    image = am.ImageBlock(am.FileSource("file_1", "openai"))
    content = [image] if role == "user" else [am.ToolResultBlock("c1", [image])]
    (native,) = am.thaw(am.encode([am.Msg(role, content)], "langchain"))
    assert native["data"]["content"] == [{"type": "input_image", "file_id": "file_1"}]
    assert am.same(am.decode([native], "langchain")[0].content, tuple(content))


ANSWERED = am.AudioBlock(am.Base64Source("UklGRg=="), transcript="Hi", item_id="audio_1")
SOUNDS: dict[str, tuple[list[am.Block], dict[str, Any]]] = {
    "whole": ([ANSWERED], {"id": "audio_1", "data": "UklGRg==", "transcript": "Hi"}),
    "behind a text, before a call": (
        [TEXT, ANSWERED, am.ToolUseBlock("c1", "f", {})],
        {"id": "audio_1", "data": "UklGRg==", "transcript": "Hi"},
    ),
    "only its id": ([am.AudioBlock(am.FileSource("audio_1", "openai"))], {"id": "audio_1"}),
}


@pytest.mark.parametrize("name", SOUNDS)
def test_a_sound_of_openai_is_where_its_client_keeps_it(name: str) -> None:
    """The client refuses it in content; one that was read there comes back."""
    blocks, kept = SOUNDS[name]
    (native,) = am.thaw(am.encode([am.Msg("assistant", blocks)], "langchain"))
    assert native["data"]["additional_kwargs"] == {"audio": kept}
    assert am.same(am.decode([native], "langchain")[0].content, tuple(blocks))
    (apart,) = am.thaw(am.encode([am.Msg("assistant", [*blocks, TEXT])], "langchain"))
    assert am.same(am.decode([apart], "langchain")[0].content, (*blocks, TEXT))
    assert am.encode(am.decode([apart], "langchain"), "langchain") == [apart]
    given = {"type": "audio", "base64": "UklGRg==", "id": "audio_1", "extras": {"transcript": "Hi"}}
    document = [ai([given], None)]
    assert am.encode(am.decode(document, "langchain"), "langchain") == document


USE = {"name": "f", "args": {"a": 1}, "id": "c1", "type": "tool_call"}
# Of whom the client is, content with a call, the block, and additional_kwargs.
CALLS: dict[str, tuple[dict[str, Any], am.ToolUseBlock, list[Any], dict[str, Any]]] = {
    "Anthropic": (
        ANTHROPIC,
        am.ToolUseBlock("c1", "f", {"a": 1}),
        [{"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}}],
        {},
    ),
    "Responses": (
        RESPONSES,
        am.ToolUseBlock("c1", "f", {"a": 1}, raw_input='{"a":1}', item_id="fc_1"),
        [{"type": "function_call", "call_id": "c1", "name": "f", "arguments": '{"a":1}', "id": "fc_1"}],
        {},
    ),
    "Google": (
        GOOGLE,
        am.ToolUseBlock("c1", "f", {"a": 1}, **signed("google")),
        [],
        {"__gemini_function_call_thought_signatures__": {"c1": "c2ln"}},
    ),
    "Bedrock": (BEDROCK, am.ToolUseBlock("c1", "f", {"a": 1}), [], {}),
}  # fmt: skip
THOUGHTS = {
    "Anthropic": am.ThinkingBlock("hm", **signed("anthropic")),
    "Responses": am.ThinkingBlock("hm", item_id="rs_1", **signed("openai")),
    "Google": am.ThinkingBlock("hm"),
    "Bedrock": am.ThinkingBlock("hm", **signed("bedrock")),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_are_where_the_client_has_them(name: str) -> None:
    """They are in ``tool_calls``, and in content where the client makes both."""
    who, call, parts, kwargs = CALLS[name]
    message = am.Msg("assistant", [THOUGHTS[name], call], **who)
    native = am.thaw(am.encode(message, "langchain"))
    body = native["data"]
    assert same_document(body["tool_calls"], [USE])
    assert [{key: part[key] for key in part if key != "status"} for part in body["content"][1:]] == parts
    assert same_document(body["additional_kwargs"], kwargs)
    (back,) = am.decode([native], "langchain").messages
    assert am.same(back.content, message.content)


def ai(content: Any, provider: str | None, **fields: Any) -> dict[str, Any]:
    """Return an AIMessage."""
    response = {} if provider is None else {"model_provider": provider, **fields.pop("response_metadata", {})}
    return {
        "type": "ai",
        "data": {
            "content": content, "additional_kwargs": {}, "response_metadata": response, "type": "ai", "name": None,
            "id": None, "tool_calls": [], "invalid_tool_calls": [], "usage_metadata": None, **fields,
        },
    }  # fmt: skip


V1 = {"object": "response", "output_version": "v1"}
# Messages as clients make them, with what is no content, and the blocks.
READ: dict[str, tuple[dict[str, Any], list[am.Block]]] = {
    "streamed by Anthropic": (
        ai(
            [
                {"type": "thinking", "thinking": "hm", "signature": "c2ln", "index": 0},
                {"type": "tool_use", "id": "c1", "name": "f", "input": {}, "partial_json": '{"a": 1}', "index": 1},
            ],
            "anthropic",
            tool_calls=[USE],
        ),
        [am.ThinkingBlock("hm", **signed("anthropic")), am.ToolUseBlock("c1", "f", {"a": 1})],
    ),
    "nulls of Anthropic's SDK": (
        ai(
            [{"type": "text", "text": "So.", "citations": None}, {"type": "redacted_thinking", "data": "x"}],
            "anthropic",
        ),
        [TEXT, am.ThinkingBlock(redacted="x")],
    ),
    "without a provider": (
        ai([{"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_fetch", "input": {}}], None),
        [served("anthropic", "srvtoolu_1", "web_fetch", {})],
    ),
    "a thought that Google signed, of a known model": (
        ai(
            [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}],
            "google_genai",
            response_metadata={"model_name": "gemini-3-pro"},
        ),
        [am.ThinkingBlock("hm", **signed("google"))],
    ),
    "v1 of Responses": (
        ai(
            [
                {"type": "reasoning", "id": "rs_1", "reasoning": "a", "encrypted_content": "c2ln"},
                {"type": "reasoning", "id": "rs_1", "reasoning": "b"},
                {"type": "server_tool_call", "name": "web_search", "id": "ws_1", "args": SEARCH},
                {"type": "server_tool_result", "tool_call_id": "ws_1", "status": "success"},
                {"type": "text", "text": "So.", "annotations": [], "id": "msg_1"},
            ],
            "openai",
            response_metadata=V1,
        ),
        [
            am.ThinkingBlock("a\n\nb", item_id="rs_1", **signed("openai")),
            served("openai", "ws_1", "web_search", SEARCH, item_id="ws_1"),
            SAID,
        ],
    ),
    "made by Google's client": (
        ai(
            [
                {"type": "executable_code", "executable_code": "1", "language": "PYTHON", "id": "made"},
                {"type": "code_execution_result", "code_execution_result": "1", "outcome": 2, "tool_call_id": ""},
                "So.",
            ],
            "google_genai",
        ),
        [
            served("google", None, "code_execution", {"language": "PYTHON", "code": "1"}),
            ran("google", None, "code_execution", "1", status="error"),
            TEXT,
        ],
    ),
    "made by Bedrock's client": (
        ai([{"type": "reasoning_content", "reasoning_content": {"text": "hm", "signature": ""}}], "bedrock_converse"),
        [am.ThinkingBlock("hm")],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("document", "blocks"), READ.values(), ids=READ)
def test_what_clients_make_comes_back(document: Any, blocks: Any) -> None:
    """Its blocks are those that the provider's codec reads; copies and nulls are no content, and come back."""
    history = am.decode([document], "langchain")
    assert am.same(history.messages[0].content, tuple(blocks))
    stored = am.loads(am.dumps(history, "json"), "json")
    assert same_document(am.thaw(am.encode(history, "langchain")), [document])
    assert same_document(am.thaw(am.encode(stored, "langchain")), [document])


def test_an_edit_leaves_nothing_of_what_was() -> None:
    """A note of what a client's message has besides holds only for the content that it was read with."""
    document, _ = READ["streamed by Anthropic"]
    (message,) = am.decode([document], "langchain").messages
    edited = message.evolve(content=(message.content[0], am.ToolUseBlock("c1", "f", {"a": 2})))
    native = am.thaw(am.encode(edited, "langchain"))
    assert "partial_json" not in native["data"]["content"][1]
    assert native["data"]["content"][1]["input"] == {"a": 2}


WORDS = [
    ("google_genai", "google"), ("google_vertexai", "google"), ("bedrock_converse", "bedrock"), ("bedrock", "bedrock"),
    ("azure", "azure"),
]  # fmt: skip


@pytest.mark.parametrize(("word", "provider"), WORDS)
def test_the_word_for_a_provider_comes_back(word: str, provider: str) -> None:
    """The model has one word for a provider; a note keeps LangChain's, if it isn't the usual one."""
    history = am.decode([ai("So.", word)], "langchain")
    assert history.messages[0].provider == provider
    assert "model_provider" not in history.messages[0].response_metadata
    assert same_document(am.thaw(am.encode(history, "langchain")), [ai("So.", word)])


def test_an_edited_search_of_v1_is_written() -> None:
    """A result of Anthropic's tool that holds a text by now isn't one that it can return."""
    output = [{"type": "web_search_result", "url": "https://x", "title": "X"}]
    parts = [
        {
            "type": "server_tool_result", "tool_call_id": "srvtoolu_1", "status": "success", "output": output,
            "extras": {"block_type": "web_search_tool_result"},
        }
    ]  # fmt: skip
    history = am.decode([ai(parts, "anthropic", response_metadata={"output_version": "v1"})], "langchain")
    (result,) = history.messages[0].content
    edited = history.messages[0].evolve(content=(result.evolve(content=(TEXT,)),))
    native = am.thaw(am.encode(edited, "langchain"))
    assert native["data"]["content"][0]["output"] == "So."


@pytest.mark.parametrize("reason", [{}, {"reason": "No."}])
def test_approvals_of_mcp_servers_are_items(reason: dict[str, str]) -> None:
    """A request for approval is an item of an answer, the decision one of a human message, as ChatOpenAI has both."""
    asked = {"type": "mcp_approval_request", "id": "mcpr_1", "server_label": "wiki", "name": "ask", "arguments": "{}"}
    told = {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": not reason, **reason}
    document = {"input": [{"role": "user", "content": "Ask."}, asked, told]}
    done = am.convert(document, "openai-responses", "langchain", form="dict")
    assert not done.losses
    _, answer, decision = done.document
    assert answer["data"]["content"] == [asked]
    assert (decision["type"], decision["data"]["content"]) == ("human", [told])
    assert am.encode(am.decode(done.document, "langchain"), "openai-responses") == document


@pytest.mark.parametrize("ttl", [{}, {"ttl": "1h"}])
def test_cache_points_of_converse_stay_apart(ttl: dict[str, str]) -> None:
    """ChatBedrockConverse sends cache points that stand behind a block, and no hints inside one."""
    point = {"cachePoint": {"type": "default", **ttl}}
    document = {"messages": [{"role": "user", "content": [{"text": "a"}, point]}]}
    done = am.convert(document, "bedrock", "langchain", form="dict")
    assert done.document[0]["data"]["content"] == [{"type": "text", "text": "a"}, point]
    assert am.encode(am.restore(am.decode(done.document, "langchain"), done.losses), "bedrock") == document
    assert am.encode(am.decode(done.document, "langchain"), "bedrock") == document
