"""The codecs ``gemini`` and ``gemini-response``: parts and messages, links by name and order, spellings, losses.

Exact return, damaged documents, planted notes and the other laws are tested in test_laws.py; the package's types in
real/test_real_providers.py.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings

import agentmsg as am
from agentmsg.formats.spelling import same_document
from agentmsg.testing import exact_return, histories, honest_account
from agentmsg_codecs.gemini import GeminiCodec
from agentmsg_codecs.gemini.response import GeminiResponseCodec
from data import effort
from support import checked
from support.checked import msg, refused
from support.documents import documents

CODEC, ANSWERS = GeminiCodec(), GeminiResponseCodec()
returned = partial(checked.returned, codec=CODEC)
written = partial(checked.written, codec="gemini")
SERVER: dict[str, Any] = {"kind": "server", "provider": "google"}
SIGNED = am.Signature("google", "CpcB")
PNG = am.Base64Source("AAAA", "image/png")
CODE = {"language": "PYTHON", "code": "print(1)"}


def result(response: Any, *content: Any, **fields: Any) -> tuple[dict[str, Any], am.ToolResultBlock]:
    """Return a part with a result, and its block."""
    return (
        {"functionResponse": {"id": "a", "name": "f", "response": response}},
        am.ToolResultBlock("a", content, name="f", **fields),
    )


# -- parts ------------------------------------------------------------------------------------------------------------

MODEL: list[tuple[dict[str, Any], am.Block]] = [
    ({"text": "Hi"}, am.TextBlock("Hi")),
    ({"text": "Hi", "thoughtSignature": "CpcB"}, am.TextBlock("Hi", signature=SIGNED)),
    ({"text": "Hm", "thought": True}, am.ThinkingBlock("Hm")),
    ({"thoughtSignature": "CpcB"}, am.ThinkingBlock(signature=SIGNED)),
    ({"inlineData": {"mimeType": "image/png", "data": "AAAA"}}, am.ImageBlock(PNG)),
    (
        {"fileData": {"mimeType": "application/pdf", "fileUri": "gs://b/a.pdf", "displayName": "a.pdf"}},
        am.FileBlock(am.URLSource("gs://b/a.pdf", "application/pdf"), name="a.pdf"),
    ),
    (
        {"functionCall": {"id": "a", "name": "f", "args": {"q": 1}}, "thoughtSignature": "CpcB"},
        am.ToolUseBlock("a", "f", {"q": 1}, signature=SIGNED),
    ),
    ({"executableCode": CODE}, am.ToolUseBlock(None, "code_execution", CODE, **SERVER)),
    (
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
        am.ToolResultBlock(None, "1", name="code_execution", status="success", **SERVER),
    ),
    (
        {"toolCall": {"id": "t", "toolType": "GOOGLE_SEARCH", "args": {"q": 1}}},
        am.ToolUseBlock("t", "GOOGLE_SEARCH", {"q": 1}, **SERVER),
    ),
    (
        {"toolResponse": {"id": "t", "toolType": "GOOGLE_SEARCH", "response": {"x": 1}}},
        am.ToolResultBlock("t", name="GOOGLE_SEARCH", structured={"x": 1}, **SERVER),
    ),
    ({"newPart": 1}, am.NativeBlock("gemini", {"newPart": 1})),
]
RESULTS = [
    result({"output": "21"}, am.TextBlock("21")),
    result({"error": "no"}, am.TextBlock("no"), status="error"),
    result({"output": [1]}, structured=[1]),
    result({"a": 1, "b": 2}, structured={"a": 1, "b": 2}),
    result({"output": {"output": "x"}}, structured={"output": "x"}),
    result({}),
]


in_some_alphabet = pytest.mark.parametrize(
    ("spelt", "read"),
    [
        ("ab-_", "ab+/"),
        ("ab_", "ab/="),
        ("YQ", "YQ=="),
        ("-____-", "+////+=="),
        # These are no base64 in another alphabet.
        *((text, text) for text in ("YQ==", "a+/b", "a", "a+b_", "skip_thought_signature_validator", "Y2lu…")),
    ],
)


@in_some_alphabet
def test_signatures_are_read_into_one_alphabet(spelt: str, read: str) -> None:
    """Clients decode the standard alphabet only; the document comes back as it was spelt."""
    document = {"contents": [{"role": "model", "parts": [{"text": "a", "thoughtSignature": spelt}]}]}
    history = exact_return(am.get_codec("gemini"), document)
    assert history is not None
    assert history[0].content[0].signature == am.Signature("google", read)


@pytest.mark.parametrize(
    "target", ["langchain", "langchain-lc", "langgraph", "vercel", "vercel-ui", "pydantic-ai", "agentscope"]
)
def test_frameworks_get_signatures_that_their_clients_decode(target: am.CodecName) -> None:
    """However a response spells them, whatever part they are of; and the response comes back as it was."""
    code = {"executableCode": {"language": "PYTHON", "code": "1"}}
    for part in ({"text": "a"}, {"text": "a", "thought": True}, {"functionCall": {"name": "f", "args": {}}}, code):
        content = {"role": "model", "parts": [{**part, "thoughtSignature": "ab-_"}]}
        response: Any = {"candidates": [{"content": content, "finishReason": "STOP"}]}
        done = am.convert(response, "gemini-response", target)
        assert "ab-_" not in str(done.document), part
        back = am.restore(am.decode(am.thaw(done.document), target), am.load_losses(done.dump_losses()))
        assert same_document(am.encode(back, "gemini-response"), response)


@in_some_alphabet
@pytest.mark.parametrize("codec", ["gemini", "gemini-response", "langchain"])
def test_signatures_are_written_in_one_alphabet(codec: am.CodecName, spelt: str, read: str) -> None:
    """Those of other alphabets are told as changed, and restored: they are the same bytes, so no content is lost."""
    history = am.History([msg("assistant", am.TextBlock("a", signature=am.Signature("google", spelt)))])
    honest_account(am.get_codec(codec), history)
    losses = [loss for loss in am.convert(history, to=codec).losses if loss.path[-1] == "signature"]
    assert [(loss.kind, loss.level) for loss in losses] == [("changed", "annotation")] * (read != spelt)


@pytest.mark.parametrize(("part", "block"), MODEL, ids=["+".join(part) for part, _ in MODEL])
def test_a_part_is_a_block(part: dict[str, Any], block: am.Block) -> None:
    """A model's part is this block, and the block is written as the part, down to the last key."""
    contents = [{"role": "model", "parts": [part]}]
    (message,) = returned(contents)
    assert am.same(message, msg("assistant", block)), message
    assert same_document(written(msg("assistant", block)), {"contents": contents})


@pytest.mark.parametrize(("part", "block"), RESULTS)
def test_a_response_is_a_result(part: dict[str, Any], block: am.ToolResultBlock) -> None:
    """A function's result is a message of its own; a text, an error and any other value are distinguished."""
    contents = [{"role": "user", "parts": [part]}]
    (message,) = returned(contents)
    assert am.same(message, msg("tool", block)), message
    assert same_document(written(msg("tool", block)), {"contents": contents})


def test_snake_case_comes_back() -> None:
    """Keys of the schema are read in either spelling, mixed ones too; the user's own keys are left alone."""
    part = {"file_data": {"file_uri": "gs://a", "mimeType": "image/png"}, "thought_signature": "CpcB"}
    call = {"function_call": {"name": "f", "args": {"some_key": 1, "otherKey": 2}}}
    history = returned([{"role": "model", "parts": [part, call]}])
    assert am.same(history[0].content[0], am.ImageBlock(am.URLSource("gs://a", "image/png"), signature=SIGNED))
    assert history[0].tool_calls[0].input == {"some_key": 1, "otherKey": 2}
    twice = {"inlineData": {"data": "AAAA"}, "inline_data": {"data": "AAAA"}}
    assert isinstance(returned([{"role": "model", "parts": [twice]}])[0].content[0], am.NativeBlock)


def test_responses_in_snake_case_come_back() -> None:
    """The Python package dumps them like this, and agents log them like this."""
    told = {"prompt_token_count": 1, "total_token_count": 1, "prompt_tokens_details": None}
    candidate = {"content": {"role": "model", "parts": [{"text": "a"}]}, "finish_reason": "STOP", "token_count": None}
    document = {"candidates": [candidate], "usage_metadata": told, "model_version": "g", "response_id": "r"}
    (message,) = checked.returned(document, codec=ANSWERS)
    assert (message.id, message.model, message.finish_reason) == ("r", "g", "stop")
    assert message.usage is not None
    assert (message.usage.input, message.usage.total) == (1, 1)
    assert am.recognize(document) == "gemini-response"
    assert refused({**document, "usageMetadata": told}, codec="gemini-response")[0] == ()


_ALL_FIELDS: dict[str, Any] = dict.fromkeys(
    ("code_execution_result", "file_data", "function_call", "function_response", "inline_data", "text", "thought")
)


def test_keys_that_say_nothing_come_back() -> None:
    """The Python package dumps all fields of a part; null ones have no meaning."""
    call: Any = {"id": None, "args": {}, "name": "f"}
    answer: Any = {"id": None, "name": "f", "parts": None, "response": {"output": "a"}}
    contents: list[Any] = [
        {"role": "model", "parts": [{**_ALL_FIELDS, "text": "a"}, {**_ALL_FIELDS, "function_call": call}]},
        {"role": "user", "parts": [{**_ALL_FIELDS, "function_response": answer}]},
    ]
    said, given = returned(contents)
    assert am.same(said.content[0], am.TextBlock("a"))
    assert given.tool_results[0].tool_call_id == said.tool_calls[0].id
    assert isinstance(returned([{"role": "model", "parts": [_ALL_FIELDS]}])[0].content[0], am.NativeBlock)
    called: dict[str, Any] = {"functionCall": {"name": "f", "args": {}}, "text": ""}
    assert [block.name for block in returned([{"role": "model", "parts": [called]}])[0].tool_calls] == ["f"]


# -- links ------------------------------------------------------------------------------------------------------------


def _calls(*names: str) -> dict[str, Any]:
    return {"role": "model", "parts": [{"functionCall": {"name": name, "args": {}}} for name in names]}


def _results(*given: tuple[str, str]) -> dict[str, Any]:
    parts = [{"functionResponse": {"name": name, "response": {"output": said}}} for name, said in given]
    return {"role": "user", "parts": parts}


def test_calls_without_ids_get_some() -> None:
    """Results are linked by name and order, even if parallel results came in another order."""
    history = returned([_calls("f", "g", "f"), _results(("g", "1"), ("f", "2"), ("f", "3"))])
    calls = history[0].tool_calls
    answers = {message.tool_results[0].tool_call_id: message.tool_results[0].text for message in history[1:]}
    assert [answers[call.id] for call in calls] == ["2", "1", "3"]
    assert len({call.id for call in calls}) == 3
    body = am.encode(history, "openai", on_loss="ignore")
    assert [message["tool_call_id"] for message in body["messages"][1:]] == [calls[1].id, calls[0].id, calls[2].id]
    again = am.encode(am.decode(body, "openai"), "gemini", on_loss="ignore")
    assert [part["functionCall"]["id"] for part in again["contents"][0]["parts"]] == [call.id for call in calls]


def test_results_are_never_mispaired() -> None:
    """A result that would be paired with another call without its id is written with it."""
    history = returned([_calls("f", "f"), _results(("f", "1"), ("f", "2"))])
    swapped = am.History([history[0], history[2], history[1]])
    contents = am.encode(swapped, "gemini")["contents"]
    ids = [part["functionResponse"].get("id") for part in contents[1]["parts"]]
    assert ids == [history[0].tool_calls[1].id, None]
    again = am.decode(contents, "gemini")
    assert [message.tool_results[0].tool_call_id for message in again[1:]] == [
        message.tool_results[0].tool_call_id for message in swapped[1:]
    ]


def test_names_of_results_are_their_calls() -> None:
    """A result without a name is written with that of its call."""
    call = am.ToolUseBlock("a", "f", {})
    contents = written(msg("assistant", call), msg("tool", am.ToolResultBlock("a", "x")))["contents"]
    assert contents[1]["parts"][0]["functionResponse"]["name"] == "f"


# -- messages ---------------------------------------------------------------------------------------------------------


def test_instructions_are_one() -> None:
    """System messages are lifted to the front, and merged; the move is a loss of content."""
    losses: list[am.Loss] = []
    document = written(
        msg("system", am.TextBlock("a")),
        msg("user", am.TextBlock("Hi")),
        msg("system", am.TextBlock("b")),
        losses=losses,
    )
    assert document == {
        "systemInstruction": {"parts": [{"text": "a"}, {"text": "b"}]},
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
    }
    assert {(loss.kind, loss.level) for loss in losses} == {("moved", "content")}
    restored = am.restore(am.decode(document, "gemini"), losses)
    assert [message.role for message in restored] == ["system", "user", "system"]


@pytest.mark.parametrize("role", ["function", "tool", "USER", None])
def test_old_roles_of_results_come_back(role: str | None) -> None:
    """Old clients send results with the role function; some have no role."""
    content = {**({} if role is None else {"role": role}), "parts": _results(("f", "1"), ("f", "2"))["parts"]}
    assert [message.role for message in returned([content])] == ["tool", "tool"]


_RESULT = {"functionResponse": {"name": "f", "response": {"output": "r"}}}
_IMAGE = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}
_SPELLINGS: list[tuple[Any, list[tuple[str, str]]]] = [
    ([{"role": "user", "parts": ["a"]}, {"role": "model", "parts": ["b"]}], [("user", "a"), ("assistant", "b")]),
    ([{"role": "user", "parts": ["a", _IMAGE]}], [("user", "a")]),
    ([{"role": "user", "parts": "a"}], [("user", "a")]),
    ([{"role": "user", "parts": {"text": "a"}}], [("user", "a")]),
    ([{"role": "user", "parts": _RESULT}, {"role": "user", "parts": [_RESULT]}], [("tool", "r"), ("tool", "r")]),
    ([{"role": "USER", "parts": {"text": "a"}}, {"role": "MODEL", "parts": []}], [("user", "a"), ("assistant", "")]),
    ([{"role": None, "parts": [{"text": "a"}]}], [("user", "a")]),
    ([{"role": "model", "parts": [{"text": "a"}, {}, {"text": None}]}], [("assistant", "a\n\n")]),
    ({"contents": {"role": "user", "parts": {"text": "a"}}}, [("user", "a")]),
    ({"contents": "a"}, [("user", "a")]),
    ({"contents": ["a", {"text": "b"}]}, [("user", "a"), ("user", "b")]),
    *(
        ({"systemInstruction": said, "contents": []}, [("system", "s")])
        for said in ("s", ["s"], {"text": "s"}, {"parts": {"text": "s"}}, {"role": "user", "parts": "s"})
    ),
]


@pytest.mark.parametrize(("document", "said"), _SPELLINGS)
def test_spellings_of_contents_come_back(document: Any, said: list[tuple[str, str]]) -> None:
    """One part replaces a list of one, a text a part, and either a content; edited ones keep their spelling."""
    history = returned(document)
    assert [(message.role, message.text) for message in history] == said
    edited = [message.evolve(content=(*message.content, am.TextBlock("new"))) for message in history]
    for messages in (edited, [*history.messages, *history.messages]):
        honest_account(CODEC, history.evolve(messages=messages))


def test_an_edited_part_keeps_its_spelling() -> None:
    """A text stays a text if the edited part may be one."""
    (message,) = returned({"contents": [{"role": "user", "parts": ["a"]}]})
    (block,) = message.content
    edits = (block.evolve(text="b"), block.evolve(text="b", signature=SIGNED))
    parts = [written(message.evolve(content=(edit,)))["contents"][0]["parts"] for edit in edits]
    assert parts == [["b"], [{"text": "b", "thoughtSignature": "CpcB"}]]


@pytest.mark.parametrize("tool", [{"googleMaps": {}}, {"functionDeclarations": [{"name": "f"}]}])
def test_one_tool_needs_no_list(tool: dict[str, Any]) -> None:
    """The API takes one object for a list of one; several tools are a list."""
    history = returned({"contents": [], "tools": tool})
    assert len(history.tools) == 1
    more = history.evolve(tools=(*history.tools, am.NativeTool("gemini", {"googleSearch": {}})))
    assert am.encode(more, "gemini")["tools"] == [tool, {"googleSearch": {}}]


@pytest.mark.parametrize(
    ("message", "contents", "level"),
    [
        (msg("assistant", am.ThinkingBlock("Hm", signature=am.Signature("anthropic", "x"))),
         [{"role": "model", "parts": [{"text": "Hm", "thought": True}]}], "content"),
        (msg("assistant", am.ThinkingBlock(redacted="x")), [], "content"),
        (msg("assistant", am.RefusalBlock("No")), [{"role": "model", "parts": [{"text": "No"}]}], "content"),
        (msg("user", am.FileBlock(am.FileSource("file-1", "openai"))), [], "content"),
        (msg("assistant", am.ToolUseBlock("c", "f", "ls", kind="custom")),
         [{"role": "model", "parts": [{"functionCall": {"id": "c", "name": "f", "args": {"input": "ls"}}}]}],
         "content"),
    ],
    ids=["foreign thinking", "redacted", "refusal", "foreign file", "custom call"],
)  # fmt: skip
def test_what_has_no_place(message: am.Msg, contents: list[Any], level: str) -> None:
    """Content that the API lacks is left out, or written differently; the report shows it, and restores it."""
    losses: list[am.Loss] = []
    document = written(message, losses=losses)
    assert document["contents"] == contents
    assert level in {loss.level for loss in losses}
    assert am.same(am.restore(am.decode(document, "gemini"), losses), am.History([message]))


# -- settings and tools -----------------------------------------------------------------------------------------------


def test_settings_and_what_stands_beside_them() -> None:
    """Fields of the model are read from the configuration; the rest of it comes back beside them."""
    config = {"temperature": 0.5, "maxOutputTokens": 9, "responseModalities": ["TEXT"], "topP": "x"}
    body: dict[str, Any] = {
        "contents": [],
        "generationConfig": config,
        "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
    }
    history = returned(body)
    assert history.settings is not None
    assert (history.settings.temperature, history.settings.max_tokens) == (0.5, 9)
    assert history.settings.tool_choice == "required"
    assert history.extras == {"gemini": {"generationConfig": {"responseModalities": ["TEXT"], "topP": "x"}}}
    schema = {"type": "object"}
    asked = history.with_settings(response_format={"schema": schema}, reasoning={"budget": 5})
    written_config = am.encode(asked, "gemini")["generationConfig"]
    assert written_config["responseJsonSchema"] == schema
    assert written_config["thinkingConfig"] == {"thinkingBudget": 5}


_TERSE: dict[str, Any] = {"max_tokens": 9, "stop": ("x",), "reasoning": {"budget": 5, "summary": "auto"}}
_CONFIG = {
    "maxOutputTokens": 9,
    "stopSequences": ["x"],
    "thinkingConfig": {"thinkingBudget": 5, "includeThoughts": True},
}
_SNAKE_CONFIG = {
    "max_output_tokens": 9,
    "stop_sequences": ["x"],
    "thinkingConfig": {"thinking_budget": 5, "includeThoughts": True},
}
_CHOICE = {"functionCallingConfig": {"mode": "ANY"}, "includeServerSideToolInvocations": True}
_BODIES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"generationConfig": _CONFIG}, _TERSE),
    ({"generation_config": _SNAKE_CONFIG}, _TERSE),
    ({"generationConfig": {"response_mime_type": "application/json"}}, {"response_format": "json"}),
    ({"generationConfig": {"topK": 1, "top_k": 2, "seed": 3}}, {"top_k": 1, "seed": 3}),
    ({"toolConfig": _CHOICE}, {"tool_choice": "required"}),
    ({"tool_config": {"function_calling_config": {"mode": "NONE"}}}, {"tool_choice": "none"}),
    ({"generationConfig": {"thinkingConfig": {"thinkingLevel": "high"}}}, {"reasoning": {"effort": "high"}}),
    ({"generationConfig": {"thinkingConfig": {"thinkingBudget": 0, "includeThoughts": False}}}, {"reasoning": "off"}),
    ({"model": "g", "config": {**_CONFIG, "labels": {}}}, {**_TERSE, "model": "g"}),
    ({"config": {**_SNAKE_CONFIG, "tool_config": _CHOICE}}, {**_TERSE, "tool_choice": "required"}),
    ({"config": {"temperature": "x", "topP": 1}}, {"top_p": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("body", "said"), _BODIES)
def test_spellings_of_settings_come_back(body: dict[str, Any], said: dict[str, Any]) -> None:
    """REST takes snake_case, too, and SDKs take all that is beside the contents in one object."""
    history = returned({"contents": "a", **body})
    assert history.settings is not None
    assert am.same(history.settings.evolve(notes={}), am.Settings(**said))
    edited = history.with_settings(max_tokens=7)
    for changed in (edited, edited.evolve(settings=None), edited.evolve(extras={})):
        honest_account(CODEC, changed)


def test_a_call_of_an_sdk_is_a_request() -> None:
    """Its config holds the instruction and the tools; beside those of a body, it stays as it is."""
    tool = {"functionDeclarations": [{"name": "f"}]}
    call: Any = {
        "model": "g",
        "contents": "a",
        "config": {"systemInstruction": "s", "tools": [tool], "abortSignal": {}},
    }
    history = returned(call)
    assert [message.text for message in history] == ["s", "a"]
    assert (len(history.tools), history.extras) == (1, {"gemini": {"config": {"abortSignal": {}}}})
    assert am.recognize(call) == "gemini"
    beside: list[dict[str, Any]] = [{}, {"systemInstruction": None}, {"tools": []}]
    for document in ({**call, **more} for more in beside):
        kept = returned(document)
        for changed in (kept, kept.evolve(tools=()), kept.evolve(messages=kept.messages[1:])):
            honest_account(CODEC, changed)


def test_declarations_share_an_object() -> None:
    """Declarations come back in their own objects; new ones share one."""
    f, g = {"name": "f", "parameters": {"type": "OBJECT"}}, {"name": "g", "parametersJsonSchema": {"type": "object"}}
    tools: list[Any] = [{"functionDeclarations": [f]}, {"functionDeclarations": [g]}, {"googleSearch": {}}]
    history = returned({"contents": [], "tools": tools})
    assert [type(tool).__name__ for tool in history.tools] == ["ToolSpec", "ToolSpec", "NativeTool"]
    new = am.History(tools=[am.ToolSpec("f"), am.ToolSpec("g")])
    assert am.encode(new, "gemini")["tools"] == [{"functionDeclarations": [{"name": "f"}, {"name": "g"}]}]


# -- responses --------------------------------------------------------------------------------------------------------


ENDS: list[tuple[list[Any], str, str]] = [
    ([{"text": "Hi"}], "STOP", "stop"),
    ([{"functionCall": {"name": "f", "args": {}}}], "STOP", "tool_use"),
    ([{"text": "Hi"}], "MAX_TOKENS", "length"),
    ([], "SAFETY", "content_filter"),
    ([], "PROHIBITED_CONTENT", "content_filter"),
    ([], "MALFORMED_FUNCTION_CALL", "MALFORMED_FUNCTION_CALL"),
]


@pytest.mark.parametrize(("parts", "reason", "finish"), ENDS)
def test_a_response_is_a_message(parts: list[Any], reason: str, finish: str) -> None:
    """A response is one assistant message; its output includes the tokens of thoughts."""
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": reason, "index": 0, "avgLogprobs": -1.5}
    usage = {"promptTokenCount": 8, "candidatesTokenCount": 10, "thoughtsTokenCount": 12, "totalTokenCount": 30}
    document = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-3", "responseId": "r"}
    (message,) = checked.returned(document, codec=ANSWERS)
    assert (message.id, message.model, message.finish_reason) == ("r", "gemini-3", finish)
    assert message.usage is not None
    assert (message.usage.output, message.usage.reasoning) == (22, 12)
    assert message.extras == {"gemini.candidate": {"avgLogprobs": -1.5}}


@pytest.mark.parametrize(
    ("told", "count"),
    [
        ({"promptTokenCount": 8, "toolUsePromptTokenCount": 5}, 13),
        ({"prompt_token_count": 8, "tool_use_prompt_token_count": 5}, 13),
        ({"promptTokenCount": 8, "toolUsePromptTokenCount": None}, 8),
        ({"promptTokenCount": 8, "toolUsePromptTokenCount": -1}, 8),
        ({"promptTokenCount": -1}, -1),
        ({"promptTokenCount": -1, "toolUsePromptTokenCount": 5}, None),
        ({"promptTokenCount": None, "toolUsePromptTokenCount": 5}, None),
        ({"toolUsePromptTokenCount": 5}, None),
    ],
)
def test_what_tools_read_is_input(told: dict[str, Any], count: int | None) -> None:
    """The counts add up to the total; an edited input keeps the count of tools while that fits."""
    content: dict[str, Any] = {"role": "model", "parts": []}
    document: dict[str, Any] = {"candidates": [{"content": content}], "usageMetadata": told, "responseId": "r"}
    history = checked.returned(document, codec=ANSWERS)
    usage = history[0].usage
    assert usage is not None
    assert usage.input == count
    for edited in (usage.evolve(input=20), usage.evolve(input=1), usage.evolve(input=None)):
        honest_account(ANSWERS, history.evolve(messages=[history[0].evolve(usage=edited)]))


def test_a_grounded_text_keeps_its_spelling() -> None:
    """Its citations are of the metadata, so they say nothing of how the part was spelt."""
    support = {"groundingChunkIndices": [0], "segment": {"endIndex": 1}}
    metadata = {"groundingChunks": [{"web": {"uri": "https://x.test"}}], "groundingSupports": [support]}
    content = {"role": "model", "parts": [{"text": "a", "thoughtSignature": ""}]}
    document = {"candidates": [{"content": content, "groundingMetadata": metadata}]}
    text: Any = checked.returned(document, codec=ANSWERS)[0].content[0]
    assert len(text.citations) == 1


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"parts": {"text": "a"}}, "a"),
        ({"role": "MODEL", "parts": "a"}, "a"),
        ({"role": "model", "parts": ["a"]}, "a"),
        ({"role": None, "parts": None}, ""),
    ],
)
def test_spellings_of_an_answer_come_back(content: dict[str, Any], text: str) -> None:
    """As in requests; the Python package dumps null for nothing."""
    (message,) = checked.returned({"candidates": [{"content": content}]}, codec=ANSWERS)
    assert message.text == text


def test_further_candidates_are_an_extra() -> None:
    """The first candidate is the message; in other formats the further ones are lost as content, and reported."""
    first, second = (
        {"content": {"role": "model", "parts": [{"text": text}]}, "index": at} for at, text in enumerate("ab")
    )
    document = {"candidates": [first, second], "modelVersion": "gemini-3"}
    (message,) = checked.returned(document, codec=ANSWERS)
    assert message.text == "a"
    assert message.extras == {"gemini.candidates": {"further": [second]}}
    done = am.convert(document, "gemini-response", "anthropic-response")
    assert done.losses.content
    assert am.encode(am.restore(am.decode(done.document, "anthropic-response"), done.losses), ANSWERS) == document


def test_a_blocked_prompt_is_a_response() -> None:
    """A response without candidates has a reason."""
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}, "modelVersion": "gemini-3"}
    assert checked.returned(blocked, codec=ANSWERS)[0].finish_reason == "content_filter"
    assert am.recognize(blocked) == "gemini-response"
    others: tuple[Any, ...] = (
        {"candidates": []},
        {"candidates": [None]},
        {"error": {"code": 400}},
        {"message": "x", "modelVersion": None},
    )
    for other in others:
        assert refused(other, codec="gemini-response")[0] == ("candidates",)
    assert refused({"contents": 1}, codec="gemini")[0] == ("contents",)
    assert refused({"contents": [], "systemInstruction": 5}, codec="gemini")[0] == ("systemInstruction",)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (
            {"type": "OBJECT", "properties": {"a": {"type": "STRING", "nullable": True}}, "required": ["a"]},
            {"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]},
        ),
        (
            {"type": "object", "properties": {"type": {"type": "ARRAY", "items": {"type": "NULL"}, "maxItems": "2"}}},
            {"type": "object", "properties": {"type": {"type": "array", "items": {"type": "null"}, "maxItems": 2}}},
        ),
        (
            {"any_of": [{"type": "NUMBER"}, {"type": "NULL"}], "anyOf": [], "min_length": "01"},
            {"any_of": [{"type": "number"}, {"type": "null"}], "anyOf": [], "minLength": "01"},
        ),
        ({"type": "STRING", "nullable": True, "enum": ["A"], "default": {"type": "OBJECT"}},
         {"type": "string", "nullable": True, "enum": ["A"], "default": {"type": "OBJECT"}}),
        (
            {"defs": {"A": {"type": "STRING"}}, "properties": {"a": {"ref": "#/defs/A"}, "b": {"$ref": "#/x"}}},
            {"$defs": {"A": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#/x"}}},
        ),
        ({"type": "TYPE_UNSPECIFIED", "properties": 1, "items": [{"type": "OBJECT"}]},) * 2,
    ],
)  # fmt: skip
def test_schemas_of_openapi_are_json_schemas(given: dict[str, Any], meant: dict[str, Any]) -> None:
    """In other formats they are what JSON Schema says; in Gemini's own they come back as they were."""
    config = {"responseMimeType": "application/json", "responseSchema": given}
    body: dict[str, Any] = {
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "tools": [{"functionDeclarations": [{"name": "f", "parameters": given}]}],
        "generationConfig": config,
    }
    history = checked.returned(body, codec=CODEC)
    written: Any = am.convert(body, "gemini", "openai").document
    assert written["tools"][0]["function"]["parameters"] == meant
    assert written["response_format"]["json_schema"]["schema"] == meant
    edited = history.evolve(tools=[history.tools[0].evolve(parameters={"type": "object"})])
    honest_account(CODEC, edited)
    assert am.encode(edited, "gemini")["tools"][0]["functionDeclarations"][0]["parameters"] == {"type": "object"}


MERGED = GeminiCodec(turns="merged")


@settings(max_examples=effort(100))
@given(history=histories())
def test_merged_turns_are_reported(history: am.History) -> None:
    """Adjacent messages of the model are one content, and nothing is lost."""
    honest_account(MERGED, history)


def test_documents_come_back_with_merged_turns() -> None:
    """What has no adjacent contents of the model comes back as it was."""
    for _, document in documents("gemini"):
        exact_return(MERGED, document)


def test_a_repaired_conversation_has_calls_behind_users_and_comes_back() -> None:
    """Two messages of the assistant in a row, the second with a call, as other formats have them."""
    call: dict[str, Any] = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    request: dict[str, Any] = {"messages": [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Let me see"},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "r"},
    ]}  # fmt: skip
    plain = am.convert(request, "openai", "gemini").document
    found = am.check(am.decode(plain, "gemini"), "gemini")
    assert [finding.path for finding in found if finding.code == "call-place"] == [("messages", 2)]
    done: Any = am.convert(request, "openai", "gemini", repair=True)
    assert [native["role"] for native in done.document["contents"]] == ["user", "model", "user"]
    parts = done.document["contents"][1]["parts"]
    assert [part.get("text") or part["functionCall"]["name"] for part in parts] == ["Let me see", "f"]
    output = am.decode(done.document, "gemini")
    assert "call-place" not in {finding.code for finding in am.check(output, "gemini")}
    assert am.encode(am.restore(output, done.losses), "openai") == request


def test_a_result_of_an_unknown_name_takes_no_calls_place() -> None:
    """Results without id answer the calls of their name; one whose name no call has answers none, and uses up none."""
    response = {"response": {"output": "1"}}
    arguments: Any = {}
    document: Any = {
        "contents": [
            {"role": "model", "parts": [{"functionCall": {"name": name, "args": arguments}} for name in ("f", "g")]},
            {"role": "user", "parts": [{"functionResponse": {"name": name, **response}} for name in ("x", "g", "x")]},
            {"role": "user", "parts": [{"functionResponse": response}]},
        ]
    }
    history = am.decode(document, "gemini")
    f, g = (call.id for call in history[0].tool_calls)
    assert [result.tool_call_id for message in history for result in message.tool_results] == [None, g, None, f]
    assert am.encode(history, "gemini") == document
