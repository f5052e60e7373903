"""The codecs ``anthropic`` and ``anthropic-response``: the mapping, line by line, and the rest.

Exact return, damaged documents, planted notes and the other laws are tested in test_laws.py.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

import agentmsg as am
from agentmsg.formats.spelling import same_document
from agentmsg.testing import histories
from agentmsg.values.frozen import plain_copy, thaw
from agentmsg_codecs.anthropic import AnthropicCodec
from agentmsg_codecs.anthropic.response import AnthropicResponseCodec
from support.checked import refused
from support.documents import documents
from support.strict import anthropic_request_problems, anthropic_response_problems

CODEC = AnthropicCodec()
DICT: Any = dict
ANSWERS = AnthropicResponseCodec()
PNG = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
PDF = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}
SHAPE: dict[str, Any] = {"type": "object", "properties": {}}
PLACE = {"cited_text": "sun", "document_index": 0, "start_char_index": 0, "end_char_index": 3}
USAGE = {"input_tokens": 5, "output_tokens": 7}


def returned(document: Any, codec: Any = CODEC) -> am.History:
    """Check that a document comes back exactly, and return its history."""
    history = am.decode(document, codec)
    assert same_document(thaw(am.encode(history, codec)), document)
    return history


def read(*parts: Any, role: str = "assistant") -> am.Msg:
    """Return the message of some parts that come back exactly."""
    return returned({"messages": [{"role": role, "content": [*parts]}]})[-1]


def written(*blocks: Any, role: str = "assistant", losses: list[Any] | None = None) -> Any:
    """Return the parts of some blocks, losses allowed; they go to ``losses``."""
    message = am.Msg(role, blocks, id=None, created_at=None)
    body = plain_copy(thaw(am.encode(message, CODEC, losses=[] if losses is None else losses)))
    content: Any = body.get("system") or (body["messages"][0]["content"] if body["messages"] else [])
    return [{"type": "text", "text": content}] if isinstance(content, str) and content else content or []


def answer(*parts: Any, **fields: Any) -> dict[str, Any]:
    """Return a response as the API sends it."""
    usual: dict[str, Any] = {"id": "msg_01", "type": "message", "role": "assistant", "model": "claude"}
    usual |= {"content": [*parts], "stop_reason": "end_turn", "stop_sequence": None, "usage": USAGE}
    return {**usual, **fields}


def signed(text: str, **fields: Any) -> am.ThinkingBlock:
    """Return thinking with Anthropic's signature."""
    return am.ThinkingBlock(text, signature=am.Signature("anthropic", "sig"), **fields)


def server(name: str | None, **fields: Any) -> am.ToolResultBlock:
    """Return the result of a tool that Anthropic runs."""
    return am.ToolResultBlock("s1", name=name, kind="server", provider="anthropic", **fields)


# -- golden and recorded documents ------------------------------------------------------------------------------------


@pytest.mark.parametrize("codec", [CODEC, ANSWERS], ids=lambda codec: codec.name)
def test_native_blocks_are_rare(codec: Any) -> None:
    """At most 2 % of the blocks of golden and recorded documents are kept unread, and no message."""

    def inside(blocks: Any) -> list[Any]:
        return [each for block in blocks for each in (block, *inside(getattr(block, "content", ())))]

    messages = [message for _, document in documents(codec.name) for message in am.decode(document, codec)]
    blocks = [block for message in messages for block in inside(message.content)]
    natives: list[Any] = [block.value for block in blocks if isinstance(block, am.NativeBlock)]
    assert {message.role for message in messages} <= {"system", "user", "assistant", "tool"}
    assert len(natives) <= 0.02 * len(blocks), f"{len(natives)} of {len(blocks)}"
    assert {value["type"] for value in natives} <= {"tool_reference", "tool_addition"}


# -- blocks -----------------------------------------------------------------------------------------------------------

BLOCKS: dict[str, tuple[dict[str, Any], Any]] = {
    "text": ({"type": "text", "text": "hi"}, am.TextBlock("hi")),
    "citation of a document": (
        {"type": "text", "text": "s", "citations": [{"type": "char_location", "document_title": "T", **PLACE}]},
        am.TextBlock(
            "s",
            citations=(
                am.Citation(
                    title="T",
                    cited_text="sun",
                    kind="char_location",
                    extras={"anthropic": {key: PLACE[key] for key in list(PLACE)[1:]}},
                ),
            ),
        ),
    ),
    "citation of the web": (
        {
            "type": "text",
            "text": "s",
            "citations": [
                {
                    "type": "web_search_result_location",
                    "cited_text": "sun",
                    "title": None,
                    "url": "https://x",
                    "encrypted_index": "e",
                }
            ],
        },
        am.TextBlock(
            "s",
            citations=(
                am.Citation(
                    url="https://x",
                    cited_text="sun",
                    kind="web_search_result_location",
                    extras={"anthropic": {"encrypted_index": "e"}},
                ),
            ),
        ),
    ),
    "cache hint": (
        {"type": "text", "text": "hi", "cache_control": {"type": "ephemeral", "ttl": "1h"}},
        am.TextBlock("hi", cache=am.CacheHint(ttl="1h")),
    ),
    "image": ({"type": "image", "source": PNG}, am.ImageBlock(am.Base64Source("iVBORw0KGgo=", "image/png"))),
    "image by URL": ({"type": "image", "source": {"type": "url", "url": "u"}}, am.ImageBlock(am.URLSource("u"))),
    "image by file": (
        {"type": "image", "source": {"type": "file", "file_id": "f"}},
        am.ImageBlock(am.FileSource("f", "anthropic")),
    ),
    "document": (
        {"type": "document", "source": PDF, "title": "T", "context": "C", "citations": {"enabled": True}},
        am.FileBlock(
            am.Base64Source("JVBERi0=", "application/pdf"),
            title="T",
            context="C",
            extras={"anthropic": {"citations": {"enabled": True}}},
        ),
    ),
    "document of text": (
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "d"}},
        am.FileBlock(am.TextSource("d", "text/plain")),
    ),
    "document of blocks": (
        {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "d"}]}},
        am.FileBlock(am.BlocksSource((am.TextBlock("d"),))),
    ),
    "document of blocks, as a text": (
        {"type": "document", "source": {"type": "content", "content": "d"}},
        am.FileBlock(am.BlocksSource((am.TextBlock("d"),))),
    ),
    "search result": (
        {"type": "search_result", "source": "s", "title": "T", "content": [{"type": "text", "text": "d"}]},
        am.FileBlock(am.BlocksSource((am.TextBlock("d"),)), name="s", title="T"),
    ),
    "container upload": (
        {"type": "container_upload", "file_id": "f"},
        am.FileBlock(am.FileSource("f", "anthropic"), extras={"anthropic.kind": {"type": "container_upload"}}),
    ),
    "thinking": ({"type": "thinking", "thinking": "hm", "signature": "sig"}, signed("hm")),
    "redacted thinking": ({"type": "redacted_thinking", "data": "x"}, am.ThinkingBlock(redacted="x")),
    "call": (
        {"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}, "caller": {"type": "direct"}},
        am.ToolUseBlock("c", "f", {"a": 1}, extras={"anthropic": {"caller": {"type": "direct"}}}),
    ),
    "call without object": (
        {"type": "tool_use", "id": "c", "name": "f", "input": {"_raw": [1]}},
        am.ToolUseBlock("c", "f", [1]),
    ),
    "call that is no JSON": (
        {"type": "tool_use", "id": "c", "name": "f", "input": {"_raw": "{bad"}},
        am.ToolUseBlock("c", "f", raw_input="{bad"),
    ),
    "call of a server tool": (
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}},
        am.ToolUseBlock("s", "web_search", {"query": "q"}, kind="server", provider="anthropic"),
    ),
    "call of an MCP tool": (
        {"type": "mcp_tool_use", "id": "s", "name": "f", "server_name": "srv", "input": {}},
        am.ToolUseBlock("s", "f", {}, kind="server", provider="anthropic", server="srv"),
    ),
    "result of an MCP tool": (
        {"type": "mcp_tool_result", "tool_use_id": "s1", "is_error": True, "content": "no"},
        server(None, content="no", status="error"),
    ),
    "web search": (
        {
            "type": "web_search_tool_result",
            "tool_use_id": "s1",
            "content": [{"type": "web_search_result", "title": "T", "url": "u", "encrypted_content": "e"}],
        },
        server(
            "web_search",
            content=(am.SourceBlock("u", title="T", extras={"anthropic": {"encrypted_content": "e"}}),),
        ),
    ),
    "web search without result": (
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
        server("web_search"),
    ),
    "error of a server tool": (
        {
            "type": "code_execution_tool_result",
            "tool_use_id": "s1",
            "content": {"type": "code_execution_tool_result_error", "error_code": "unavailable"},
        },
        server("code_execution", status="error", error_type="unavailable"),
    ),
    "error with a message": (
        {
            "type": "tool_search_tool_result",
            "tool_use_id": "s1",
            "content": {"type": "tool_search_tool_result_error", "error_code": "x", "error_message": "why"},
        },
        server("tool_search", status="error", error_type="x", error="why"),
    ),
    "error with a message that is null": (
        {
            "type": "tool_search_tool_result",
            "tool_use_id": "s1",
            "content": {"type": "tool_search_tool_result_error", "error_code": "x", "error_message": None},
        },
        server("tool_search", status="error", error_type="x"),
    ),
    "structured result of a server tool": (
        {
            "type": "bash_code_execution_tool_result",
            "tool_use_id": "s1",
            "content": {"type": "bash_code_execution_result", "stdout": "1", "stderr": "", "return_code": 0},
        },
        server(
            "bash_code_execution",
            structured={"type": "bash_code_execution_result", "stdout": "1", "stderr": "", "return_code": 0},
        ),
    ),
    "compaction": (
        {"type": "compaction", "content": "so far", "encrypted_content": "e"},
        am.CompactionBlock("so far", encrypted="e"),
    ),
    "unknown key": ({"type": "text", "text": "hi", "x": 1}, am.TextBlock("hi", extras={"anthropic": {"x": 1}})),
    "anything else": (
        {"type": "tool_reference", "tool_name": "f"},
        am.NativeBlock("anthropic", {"type": "tool_reference", "tool_name": "f"}, fallback="f"),
    ),
    "instructions amid a turn": (
        {"type": "mid_conv_system", "content": [{"type": "text", "text": "x"}, {"type": "text", "text": "y"}]},
        am.NativeBlock(
            "anthropic",
            {"type": "mid_conv_system", "content": [{"type": "text", "text": "x"}, {"type": "text", "text": "y"}]},
            fallback="x\ny",
        ),
    ),
    "a part that is damaged": (
        {"type": "thinking", "thinking": 3, "text": "hm"},
        am.NativeBlock("anthropic", {"type": "thinking", "thinking": 3, "text": "hm"}, fallback="hm"),
    ),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_parts_are_these_blocks(name: str) -> None:
    """A part is read as this block, and a new block like it is written as this part without loss."""
    part, block = BLOCKS[name]
    found = read(part, {"type": "text", "text": "x"}).content[0]
    assert am.same(found, block)
    losses: list[am.Loss] = []
    assert same_document(written(block, losses=losses)[0], _default(part))
    assert not losses


def _default(part: Any) -> Any:
    """Return a part in the spelling of a new block: a document given as a text is given as blocks."""
    source: Any = part.get("source")
    if type(source) is DICT and isinstance(source.get("content"), str):
        return {**part, "source": {**source, "content": [{"type": "text", "text": source["content"]}]}}
    content: Any = part.get("content")
    if type(content) is DICT and content.get("error_message", "") is None:
        return {**part, "content": {key: value for key, value in content.items() if value is not None}}
    return part


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image", "source": {**PNG, "media_type": "image/bmp"}},
        {"type": "image", "source": {"type": "base64", "data": "x"}},
        {"type": "document", "source": {**PDF, "media_type": "text/csv"}},
        {"type": "document", "source": {"type": "text", "media_type": "text/markdown", "data": "d"}},
        {"type": "thinking", "thinking": "hm"},
        {"type": "thinking", "thinking": "hm", "signature": ""},
        {"type": "thinking", "thinking": "hm", "signature": None},
        {"type": "search_result", "source": "s", "content": []},
        {"type": "text", "text": "s", "citations": [{"type": "char_location", "cited_text": "x"}]},
        {"type": "text", "text": "s", "citations": []},
        {"type": "text", "text": "s", "citations": None},
        {"type": "text", "text": "s", "cache_control": {"type": "ephemeral", "ttl": "2h"}},
        {"type": "text", "text": "s", "cache_control": {"type": "forever", "x": 1}},
        {"type": "text", "text": "s", "cache_control": None},
        {"type": "tool_use", "name": "f", "input": {}},
        {"type": "server_tool_use", "id": None, "name": "web_search", "input": {}},
        {"type": "code_execution_tool_result", "content": {"type": "code_execution_result"}},
        {"type": "video", "source": {"type": "url", "url": "https://x.test/a.mp4"}},
        {"type": "video", "source": {"type": "base64", "media_type": "video/x", "data": "aGk="}, "fps": 1},
    ],
    ids=repr,
)
def test_what_the_schema_refuses_comes_back_understood(part: Any) -> None:
    """A value that the schema lacks is read, not kept whole, and survives a canonical form."""
    message = read(part)
    assert not message.has(am.NativeBlock)
    history = returned({"messages": [{"role": "assistant", "content": [part]}]})
    passed = am.loads(am.dumps(history, "json"), "json")
    assert same_document(am.encode(passed, CODEC), {"messages": [{"role": "assistant", "content": [part]}]})


# -- no equivalent ----------------------------------------------------------------------------------------------------

FOREIGN: dict[str, tuple[Any, Any, str | None]] = {
    "media type from the data": (
        am.ImageBlock(am.Base64Source("iVBORw0KGgo=")), [{"type": "image", "source": PNG}], "annotation"
    ),
    "media type unknown": (am.ImageBlock(am.Base64Source("aGk=")), [], "content"),
    "media type without place": (am.ImageBlock(am.Base64Source("aGk=", "image/bmp")), [], "content"),
    "file of another": (am.ImageBlock(am.FileSource("f", "openai")), [], "content"),
    "bytes that are text": (
        am.FileBlock(am.Base64Source("aGk=", "text/csv")),
        [{"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "hi"}}],
        "annotation",
    ),
    "bytes that are no text": (am.FileBlock(am.Base64Source("/w==", "text/csv")), [], "content"),
    "text of another type": (
        am.FileBlock(am.TextSource("d", "text/markdown")),
        [{"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "d"}}],
        "annotation",
    ),
    "name of a document": (
        am.FileBlock(am.URLSource("u"), name="a.pdf"),
        [{"type": "document", "source": {"type": "url", "url": "u"}, "title": "a.pdf"}],
        "annotation",
    ),
    "name beside a title": (
        am.FileBlock(am.URLSource("u"), name="a.pdf", title="T"),
        [{"type": "document", "source": {"type": "url", "url": "u"}, "title": "T"}],
        "annotation",
    ),
    "search result without title": (
        am.FileBlock(am.BlocksSource((am.TextBlock("d"),)), name="s"),
        [{"type": "search_result", "source": "s", "title": "s", "content": [{"type": "text", "text": "d"}]}],
        "annotation",
    ),
    "image with a name inside": (
        am.FileBlock(am.BlocksSource((am.ImageBlock(am.URLSource("u")),)), name="s"),
        [
            {
                "type": "document",
                "title": "s",
                "source": {"type": "content", "content": [{"type": "image", "source": {"type": "url", "url": "u"}}]},
            }
        ],
        "annotation",
    ),
    "what a document cannot hold": (
        am.FileBlock(am.BlocksSource((am.TextBlock("d", phase="x"), am.RefusalBlock("no")))),
        [{"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "d"}]}}],
        "content",
    ),
    "cache of another kind": (
        am.TextBlock("hi", cache=am.CacheHint("x", "30m")),
        [{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral", "ttl": "1h"}}],
        "annotation",
    ),
    "cache for a day": (
        am.TextBlock("hi", cache=am.CacheHint(ttl="12h")),
        [{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral", "ttl": "1h"}}],
        "annotation",
    ),
    "cache for a minute": (
        am.TextBlock("hi", cache=am.CacheHint(ttl="1m")),
        [{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral", "ttl": "5m"}}],
        "annotation",
    ),
    "cache for as long as a word says": (
        am.TextBlock("hi", cache=am.CacheHint(ttl="soon")),
        [{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}],
        "annotation",
    ),
    "citation of another kind": (
        am.TextBlock("hi", citations=(am.Citation("u", kind="url_citation", start=0, end=2),)),
        [{"type": "text", "text": "hi"}],
        "annotation",
    ),
    "citation without its place": (
        am.TextBlock("hi", citations=(am.Citation("u", cited_text="x", kind="page_location"),)),
        [{"type": "text", "text": "hi"}],
        "annotation",
    ),
    "unsigned thinking": (am.ThinkingBlock("hm"), [], "content"),
    "thinking of another": (am.ThinkingBlock("hm", signature=am.Signature("openai", "s")), [], "content"),
    "payload of another": (am.ThinkingBlock(redacted="x", signature=am.Signature("openai", "s")), [], "content"),
    "an empty signature": (am.ThinkingBlock("hm", signature=am.Signature("anthropic", "")), [], "content"),
    "thinking and payload": (
        signed("hm", redacted="x"), [{"type": "thinking", "thinking": "hm", "signature": "sig"}], "content"
    ),
    "words beside a payload": (
        am.ThinkingBlock("hm", redacted="x"), [{"type": "redacted_thinking", "data": "x"}], "content"
    ),
    "call of a custom tool": (
        am.ToolUseBlock("c", "f", "run", kind="custom"),
        [{"type": "tool_use", "id": "c", "name": "f", "input": {"input": "run"}}],
        "content",
    ),
    "text of arguments": (
        am.ToolUseBlock("c", "f", raw_input='{ "a": 1 }'),
        [{"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}}],
        None,
    ),
    "a key given twice": (
        am.ToolUseBlock("c", "f", raw_input='{"a": 1, "a": 2}'),
        [{"type": "tool_use", "id": "c", "name": "f", "input": {"a": 2}}],
        "content",
    ),
    "call without id": (
        am.ToolUseBlock(None, "f", {}),
        [{"type": "tool_use", "id": "call_0_0_f", "name": "f", "input": {}}],
        "annotation",
    ),
    "server tool of another": (
        am.ToolUseBlock("c", "search", {"q": 1}, kind="server", provider="openai"),
        [{"type": "text", "text": '<server_tool_call name="search">{"q":1}</server_tool_call>'}],
        "content",
    ),
    "result of a server tool of another": (
        am.ToolResultBlock("c", "found", name="search", kind="server", provider="openai"),
        [{"type": "text", "text": '<server_tool_result name="search">found</server_tool_result>'}],
        "content",
    ),
    "result of a server tool without tag": (
        server("compute", structured=1),
        [{"type": "text", "text": '<server_tool_result name="compute">1</server_tool_result>'}],
        "content",
    ),
    "result under another SDK's word for a tool": (
        server("tool_search", structured={"found": ["f"]}),
        [{"type": "text", "text": '<server_tool_result name="tool_search">{"found":["f"]}</server_tool_result>'}],
        "content",
    ),
    "two forms of one result": (
        server("code_execution", content="x", structured={"a": 1}, status="success"),
        [{"type": "code_execution_tool_result", "tool_use_id": "s1", "content": {"a": 1}}],
        "content",
    ),
    "sound with its words": (
        am.AudioBlock(am.URLSource("u"), transcript="hello"), [{"type": "text", "text": "hello"}], "content"
    ),
    "video": (am.VideoBlock(am.URLSource("u")), [], "content"),
    "data": (am.DataBlock({"a": 1}), [{"type": "text", "text": '{"a":1}'}], "annotation"),
    "a source": (am.SourceBlock("u", title="T"), [{"type": "text", "text": "T u"}], "annotation"),
    "no place for a source": (am.SourceBlock(), [], "content"),
    "refusal": (am.RefusalBlock("no"), [{"type": "text", "text": "no"}], "content"),
    "tools in mid-conversation": (am.ToolsBlock((am.ToolSpec("f"),)), [], "content"),
    "native block of another": (am.NativeBlock("openai", 1, fallback="x"), [{"type": "text", "text": "x"}], "content"),
    "native block that would be read": (am.NativeBlock("anthropic", {"type": "text", "text": "x"}), [], "content"),
    "ids and metadata of blocks": (
        am.TextBlock("hi", item_id="i", phase="final_answer", metadata={"a": 1}, extras={"openai": {"a": 1}}),
        [{"type": "text", "text": "hi"}],
        "annotation",
    ),
    "an upload with a title": (
        am.FileBlock(
            am.FileSource("f", "anthropic"), title="T", extras={"anthropic.kind": {"type": "container_upload"}}
        ),
        [{"type": "container_upload", "file_id": "f"}],
        "annotation",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FOREIGN)
def test_what_has_no_equal_place(name: str) -> None:
    """Each block that the format represents differently, or lacks, is written like this, with losses of this level."""
    block, parts, level = FOREIGN[name]
    losses: list[am.Loss] = []
    assert same_document(written(block, losses=losses), parts)
    levels = {loss.level for loss in losses}
    assert ("content" if "content" in levels else "annotation" if levels else None) == level, losses


def test_thinking_can_be_kept_as_text() -> None:
    """With the option, unsigned thinking becomes tagged text, or is dropped if empty."""
    message = am.Msg(
        "assistant", (am.ThinkingBlock("hm"), am.ThinkingBlock(redacted="x", signature=am.Signature("o", "s")))
    )
    losses: list[am.Loss] = []
    body = am.encode(message, "anthropic", thinking="text", losses=losses)
    assert body == {"messages": [{"role": "assistant", "content": "<thinking>hm</thinking>"}]}
    assert [loss.kind for loss in losses] == ["changed", "dropped"]


def test_an_unknown_option_is_refused() -> None:
    """The option takes two values."""
    with pytest.raises(am.CodecLookupError) as caught:
        am.get_codec("anthropic", thinking="loud")
    assert caught.value.code == "option"


# -- messages ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content", ["hi", "", [], None, [{"type": "text", "text": "hi"}], [{"type": "text", "text": ""}], ["hi"]], ids=repr
)
@pytest.mark.parametrize("role", ["user", "assistant", "system"])
def test_content_comes_back_as_it_was_spelt(role: str, content: Any) -> None:
    """A text, a list of one text, and every spelling of nothing come back unchanged."""
    message = returned({"messages": [{"role": "user", "content": "x"}, {"role": role, "content": content}]})[1]
    assert message.role == role
    assert message.text == (
        "hi" if content and content != ["hi"] and content[0] != {"type": "text", "text": ""} else ""
    )


def test_content_that_is_missing_comes_back_missing() -> None:
    """A message without content is an empty one."""
    assert returned({"messages": [{"role": "assistant"}]})[0].content == ()


def test_unknown_keys_of_messages_are_extras_of_the_first() -> None:
    """A native message's keys beside role and content are on the first message read from it."""
    parts = [{"type": "tool_result", "tool_use_id": "c"}, {"type": "text", "text": "and"}]
    first, second = returned({"messages": [{"role": "user", "content": parts, "x": 1}]})
    assert (first.role, first.extras, second.extras) == ("tool", {"anthropic": {"x": 1}}, {})


@pytest.mark.parametrize(
    "native",
    [{"role": "tool", "content": "x"}, {"content": "x"}, 3, None, {"role": "user", "content": 3}, []],
    ids=repr,
)
def test_what_is_no_message_is_kept_whole(native: Any) -> None:
    """An unreadable message becomes a message with the role "native"."""
    message = returned({"messages": [native]})[0]
    assert (message.role, message.first(am.NativeBlock) is not None) == ("native", True)


def test_system_stands_at_the_top() -> None:
    """Leading system messages are the body's system; one after a user's turn stays there."""
    history = returned(
        {
            "system": [{"type": "text", "text": "be brief"}],
            "messages": [{"role": "user", "content": "hi"}, {"role": "system", "content": "be kind"}],
        }
    )
    assert [message.role for message in history] == ["system", "user", "system"]
    made = am.History.of(am.Msg.system("a"), am.Msg.system("b"), "hi")
    texts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert am.encode(made, CODEC) == {"system": texts, "messages": [{"role": "user", "content": "hi"}]}


def test_developers_are_systems() -> None:
    """A developer message becomes a system message, without loss of content."""
    losses: list[am.Loss] = []
    body = am.encode(am.History.of(am.Msg.developer("be brief"), "hi"), CODEC, losses=losses)
    assert body == {"system": "be brief", "messages": [{"role": "user", "content": "hi"}]}
    assert {loss.level for loss in losses} == {"annotation"}


def test_a_first_system_message_stays_inside() -> None:
    """A document with its system message first among the messages has it there again."""
    returned({"messages": [{"role": "system", "content": "a"}, {"role": "user", "content": "hi"}]})
    cleared = {"role": "system", "content": "a", "clear_at": "never"}
    message = returned({"messages": [cleared]})[0]
    bare = message.evolve(notes={})
    assert same_document(am.encode(bare, CODEC), {"messages": [cleared]}), "with extras it cannot stand at the top"


@pytest.mark.parametrize("system", ["", [], None], ids=repr)
def test_an_empty_system_comes_back(system: Any) -> None:
    """An empty system is an empty message, null is no message."""
    history = returned({"system": system, "messages": []})
    assert len(history) == (system is not None)


def test_systems_hold_text_only() -> None:
    """In a system message, other parts are native, and other blocks become their text or are dropped."""
    addition = {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "f"}}
    assert read(addition, role="system").has(am.NativeBlock)
    image = {"type": "image", "source": PNG}
    assert read(image, role="system").has(am.NativeBlock)
    text = am.FileBlock(am.TextSource("d", "text/plain"), title="T")
    found = written(text, am.ImageBlock(am.URLSource("u")), role="system")
    assert found == [{"type": "text", "text": "T\n\nd"}]


@pytest.mark.parametrize("role", ["remove", "moderator", ""])
def test_other_roles_are_dropped(role: str) -> None:
    """A message with a role that the format lacks is dropped, with everything in it."""
    losses: list[am.Loss] = []
    message = am.Msg.of(am.ToolResultBlock("c", "x")).evolve(role=role, id="m", created_at=None)
    assert am.encode(message, CODEC, losses=losses) == {"messages": []}
    assert [(loss.kind, loss.level) for loss in losses] == [("dropped", "content")]


# -- tool results -----------------------------------------------------------------------------------------------------


def result(link: str, **fields: Any) -> dict[str, Any]:
    """Return the part of a tool result."""
    return {"type": "tool_result", "tool_use_id": link, **fields}


@pytest.mark.parametrize(
    ("part", "block"),
    [
        (result("c", content="x"), am.ToolResultBlock("c", "x")),
        (result("c", content=[{"type": "text", "text": "x"}]), am.ToolResultBlock("c", "x")),
        (result("c"), am.ToolResultBlock("c")),
        ({"type": "tool_result", "content": "x"}, am.ToolResultBlock(None, "x")),
        (result("c", content=""), am.ToolResultBlock("c")),
        (result("c", content=[]), am.ToolResultBlock("c")),
        (result("c", content=None), am.ToolResultBlock("c")),
        (result("c", content="x", is_error=True), am.ToolResultBlock("c", "x", status="error")),
        (result("c", content="x", is_error=False), am.ToolResultBlock("c", "x", status="success")),
        (result("c", content="x", is_error=None), am.ToolResultBlock("c", "x")),
        (result("c", content="x", y=1), am.ToolResultBlock("c", "x", extras={"anthropic": {"y": 1}})),
        (
            result("c", content=[{"type": "image", "source": PNG}, {"type": "thinking", "thinking": "no place"}]),
            am.ToolResultBlock(
                "c",
                (
                    am.ImageBlock(am.Base64Source("iVBORw0KGgo=", "image/png")),
                    am.NativeBlock("anthropic", {"type": "thinking", "thinking": "no place"}),
                ),
            ),
        ),
    ],
    ids=repr,
)
def test_results_are_tool_messages(part: Any, block: am.ToolResultBlock) -> None:
    """A result in a user message is a tool message of its own, in every spelling."""
    message = read(part, role="user")
    assert message.role == "tool"
    assert am.same(message.content[0], block)


@pytest.mark.parametrize("role", ["assistant", "system"])
def test_results_elsewhere_are_native(role: str) -> None:
    """A result in a message of another role doesn't belong to the user, and becomes no message."""
    assert read(result("c", content="x"), role=role).has(am.NativeBlock)


@pytest.mark.parametrize(
    "part",
    [
        result("c", content=3),
        result("c", is_error=1),
        {"type": "tool_result", "tool_use_id": 3},
        result("c", content={}),
    ],
    ids=repr,
)
def test_a_damaged_result_is_native(part: Any) -> None:
    """An unreadable result stays a part of the user's message."""
    message = read(part, role="user")
    assert (message.role, message.has(am.NativeBlock)) == ("user", True)


def test_results_have_the_names_of_their_calls() -> None:
    """The n-th result of an id belongs to the n-th call, and its name is never lost, wherever it comes from."""
    calls: Any = [{"type": "tool_use", "id": "c", "name": name, "input": {}} for name in ("f", "g")]
    body: Any = {
        "messages": [
            {"role": "assistant", "content": calls},
            {"role": "user", "content": [result("c", content="1"), result("c", content="2", x=1), result("d")]},
        ]
    }
    history = returned(body)
    assert [message.tool_results[0].name for message in history[1:]] == ["f", "g", None]
    losses: list[am.Loss] = []
    named = [am.ToolResultBlock("c", "1", name=name) for name in ("f", "odd")]
    made = am.History([history[0], *(am.Msg("tool", (block,), id=None, created_at=None) for block in named)])
    am.encode(made, CODEC, losses=losses)
    assert [loss.path for loss in losses] == [("messages", 2, "content", 0, "name")]


@pytest.mark.parametrize(
    ("block", "part", "level"),
    [
        (am.ToolResultBlock("c", structured={"a": 1}), result("c", content='{"a":1}'), "annotation"),
        (am.ToolResultBlock("c", error="no"), result("c", content="no", is_error=True), "annotation"),
        (am.ToolResultBlock("c", "oh no", error="no"), result("c", content="oh no", is_error=True), "annotation"),
        (am.ToolResultBlock("c", "x", error="no"), result("c", content="x", is_error=True), "content"),
        (am.ToolResultBlock("c", "x", status="denied"), result("c", content="x", is_error=True), "annotation"),
        (am.ToolResultBlock("c", "x", status="odd"), result("c", content="x"), "annotation"),
        (am.ToolResultBlock("c", "x", artifact=1), result("c", content="x"), "annotation"),
        (am.ToolResultBlock(None, "x"), result("call_0_0_tool", content="x"), "annotation"),
        (
            am.ToolResultBlock("c", (am.ThinkingBlock("hm"), am.RefusalBlock("no"))),
            result("c", content="no"),
            "content",
        ),
    ],
    ids=repr,
)
def test_what_results_carry(block: am.ToolResultBlock, part: Any, level: str) -> None:
    """Other fields of a result move into its content and error flag, or are dropped."""
    losses: list[am.Loss] = []
    assert same_document(written(block, role="tool", losses=losses), [part])
    assert level in {loss.level for loss in losses}
    assert level == "content" or "content" not in {loss.level for loss in losses}


def _bodies() -> dict[str, list[Any]]:
    one, two = result("a", content="1"), result("b", content="2")
    text = {"type": "text", "text": "and"}
    return {
        "two results": [[one, two]],
        "results apart": [[one], [two]],
        "text behind": [[one, text]],
        "text before": [[text, one]],
        "text between": [[one, text, two]],
        "text apart": [[one], [text]],
        "texts of two": [[text], [text]],
        "more of all": [[one, two], [one, text, two], [one], "and", [two, text], [text], [one, two]],
    }


@pytest.mark.parametrize("name", _bodies())
def test_containers_come_back(name: str) -> None:
    """Results and texts stay in their native messages, also after a canonical form."""
    body = {"messages": [{"role": "user", "content": content} for content in _bodies()[name]]}
    history = returned(body)
    roles = {"tool" if message.has(am.ToolResultBlock) else "user" for message in history}
    assert {message.role for message in history} == roles
    passed = am.loads(am.dumps(history, "msgpack"), "msgpack")
    assert same_document(am.encode(passed, CODEC), body)


def test_a_run_of_results_is_one_message() -> None:
    """New tool messages share a user message; the user's own text comes after it, in a separate one."""
    made = am.History.of(am.Msg.tool("1", tool_call_id="a"), am.Msg.tool("2", tool_call_id="b"), "thanks")
    natives = am.encode(made, CODEC)["messages"]
    assert [native["content"] for native in natives] == [[result("a", content="1"), result("b", content="2")], "thanks"]


def test_results_in_other_messages_are_split_off() -> None:
    """A client's result in an assistant message becomes a tool message, and its loss report restores it."""
    message = am.Msg("assistant", (am.TextBlock("x"), am.ToolResultBlock("c", "1"), am.TextBlock("y")), id="m")
    losses: list[am.Loss] = []
    natives = am.encode(message, CODEC, losses=losses)["messages"]
    assert [native["role"] for native in natives] == ["assistant", "user", "assistant"]


# -- bodies -----------------------------------------------------------------------------------------------------------


def test_the_rest_of_a_body_is_kept() -> None:
    """Parameters without a field in the model are extras of the history, which only this codec writes again."""
    history = returned({"model": "claude", "service_tier": "auto", "messages": [{"role": "user", "content": "hi"}]})
    assert history.settings == am.Settings(model="claude")
    assert history.extras == {"anthropic": {"service_tier": "auto"}}


def test_a_list_of_messages_is_a_document() -> None:
    """A list comes back as a list, until something needs a body."""
    history = returned([{"role": "user", "content": "hi"}])
    assert am.encode(history.evolve(tools=(am.ToolSpec("f", parameters={}),)), CODEC)["messages"]
    assert am.encode(am.History((am.Msg.system("a"), *history), notes=history.notes), CODEC)["system"] == "a"


TOOLS: dict[str, tuple[Any, Any]] = {
    "function": (
        {"name": "f", "description": "d", "input_schema": SHAPE, "strict": True},
        am.ToolSpec("f", "d", SHAPE, strict=True),
    ),
    "with a type": ({"type": "custom", "name": "f", "input_schema": SHAPE}, am.ToolSpec("f", None, SHAPE)),
    "with more": (
        {"name": "f", "input_schema": SHAPE, "defer_loading": True, "cache_control": {"type": "ephemeral"}},
        am.ToolSpec("f", None, SHAPE, cache=am.CacheHint(), extras={"anthropic": {"defer_loading": True}}),
    ),
    "server tool": (
        {"type": "web_search_20250305", "name": "web_search"},
        am.NativeTool("anthropic", {"type": "web_search_20250305", "name": "web_search"}),
    ),
    "without schema": ({"name": "f"}, am.NativeTool("anthropic", {"name": "f"})),
    "no tool": (3, am.NativeTool("anthropic", 3)),
}


@pytest.mark.parametrize("name", TOOLS)
def test_tools_come_back(name: str) -> None:
    """A client's tool is a ToolSpec, any other a NativeTool."""
    native, tool = TOOLS[name]
    assert am.same(returned({"messages": [], "tools": [native]}).tools[0], tool)


@pytest.mark.parametrize("tools", [[], None], ids=repr)
def test_no_tools_come_back(tools: Any) -> None:
    """An absence of tools keeps its spelling."""
    assert returned({"messages": [], "tools": tools}).tools == ()


@pytest.mark.parametrize(
    ("tool", "natives"),
    [
        (am.ToolSpec("f"), [{"name": "f", "input_schema": {"type": "object"}}]),
        (
            am.ToolSpec("f", kind="custom"),
            [
                {
                    "name": "f",
                    "input_schema": {
                        "type": "object",
                        "properties": {"input": {"type": "string"}},
                        "required": ["input"],
                    },
                }
            ],
        ),
        (am.NativeTool("openai", {"type": "x"}), None),
        (am.NativeTool("anthropic", {"name": "f", "input_schema": {}}), None),
    ],
    ids=repr,
)
def test_what_tools_carry(tool: Any, natives: Any) -> None:
    """A tool without schema gets one, one that takes text takes it as input, and foreign native tools are dropped."""
    losses: list[am.Loss] = []
    assert am.encode(am.History(tools=(tool,)), CODEC, losses=losses).get("tools") == natives
    assert losses


@pytest.mark.parametrize(
    ("document", "path"),
    [
        (3, ()),
        (None, ()),
        ({}, ("messages",)),
        ({"messages": {}}, ("messages",)),
        ({"messages": [], "system": 3}, ("system",)),
        ({"messages": [], "system": {"text": "x"}}, ("system",)),
        ({"messages": [], "tools": {}}, ("tools",)),
        ({"messages": [], "tools": "f"}, ("tools",)),
        ({"messages": [], "tools": 0}, ("tools",)),
    ],
    ids=repr,
)
def test_malformed_bodies_say_where(document: Any, path: Any) -> None:
    """Anything but a body is refused with the code "schema" and the path."""
    assert refused(document, codec=CODEC) == (path, "schema", "anthropic")


# -- responses --------------------------------------------------------------------------------------------------------


def test_an_answer_is_one_message() -> None:
    """Id, model, reason, usage and content of a response are those of an assistant message."""
    document = answer({"type": "text", "text": "hi"}, stop_details=None, x=1)
    (message,) = returned(document, ANSWERS)
    assert (message.role, message.id, message.model, message.finish_reason, message.text) == (
        ("assistant", "msg_01", "claude", "stop", "hi")
    )
    assert am.same(message.usage, am.Usage(input=5, output=7))
    assert message.extras == {"anthropic.response": {"x": 1}}
    assert message.response_metadata == {}


@pytest.mark.parametrize(
    ("native", "word"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop_sequence"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "model_context_window_exceeded"),
        ("tool_use", "tool_use"),
        ("refusal", "refusal"),
        ("pause_turn", "pause_turn"),
        ("brand_new", "brand_new"),
        (None, None),
    ],
)
def test_reasons_to_stop(native: Any, word: Any) -> None:
    """A native word is read as ours, and comes back."""
    assert returned(answer(stop_reason=native), ANSWERS)[0].finish_reason == word


@pytest.mark.parametrize(
    ("word", "native"),
    [
        ("stop", "end_turn"),
        ("length", "max_tokens"),
        ("content_filter", "refusal"),
        ("end_turn", "end_turn"),
        ("odd", None),
        (None, None),
    ],
)
def test_reasons_are_words_of_the_schema(word: Any, native: Any) -> None:
    """Our words are written if the schema has them."""
    message = am.Msg("assistant", "x", id="m", model="claude", usage=am.Usage(input=1, output=1), finish_reason=word)
    assert am.encode(message, ANSWERS, losses=[])["stop_reason"] == native


def test_what_an_answer_says_of_itself() -> None:
    """The stop sequence, the container and the like are response metadata; null is nothing."""
    document = answer(stop_sequence="END", stop_reason="stop_sequence", container={"id": "c"}, context_management=None)
    (message,) = returned(document, ANSWERS)
    assert message.response_metadata == {"stop_sequence": "END", "container": {"id": "c"}}
    losses: list[am.Loss] = []
    more = message.evolve(response_metadata={**message.response_metadata, "other": 1})
    assert same_document(am.encode(more, ANSWERS, losses=losses), document)
    assert [loss.path[-1] for loss in losses] == ["response_metadata"]


@pytest.mark.parametrize(
    ("native", "usage"),
    [
        (
            {**USAGE, "cache_read_input_tokens": 2, "cache_creation_input_tokens": 3},
            am.Usage(input=10, output=7, cache_read=2, cache_write=3),
        ),
        ({**USAGE, "cache_read_input_tokens": None}, am.Usage(input=5, output=7)),
        (
            {**USAGE, "output_tokens_details": {"thinking_tokens": 4, "x": 1}},
            am.Usage(input=5, output=7, reasoning=4, extras={"anthropic.output": {"x": 1}}),
        ),
        ({**USAGE, "speed": "fast"}, am.Usage(input=5, output=7, extras={"anthropic": {"speed": "fast"}})),
        ({"output_tokens": 7}, am.Usage(output=7)),
        (None, None),
    ],
    ids=repr,
)  # fmt: skip
def test_usage(native: Any, usage: Any) -> None:
    """Our input includes cache reads and writes; the rest is extras."""
    assert am.same(returned(answer(usage=native), ANSWERS)[0].usage, usage)


@pytest.mark.parametrize(
    ("usage", "native"),
    [
        (None, {"input_tokens": 0, "output_tokens": 0}),
        (am.Usage(input=3), {"input_tokens": 3, "output_tokens": 0}),
        (
            am.Usage(input=3, output=1, cache_read=5, total=4, cost=1, extras={"openai": {"x": 1}}),
            {"input_tokens": 0, "output_tokens": 1, "cache_read_input_tokens": 5},
        ),
    ],
    ids=repr,
)
def test_usage_is_made_complete(usage: Any, native: Any) -> None:
    """Required counters without a value are 0, and no input is less than its parts."""
    message = am.Msg("assistant", "x", id="m", model="claude", usage=usage)
    losses: list[am.Loss] = []
    assert am.encode(message, ANSWERS, losses=losses)["usage"] == native
    assert {loss.level for loss in losses} == {"annotation"}


def test_the_first_answer_is_written() -> None:
    """A history's first assistant message is the response; everything else is dropped and reported."""
    history = am.History.of("hi", am.Msg.assistant("a"), am.Msg.tool("1", tool_call_id="c"), am.Msg.assistant("b"))
    losses: list[am.Loss] = []
    document = am.encode(history, ANSWERS, losses=losses)
    assert document["content"] == [{"type": "text", "text": "a"}]
    assert [loss.path for loss in losses if loss.kind == "dropped"] == [("messages", index) for index in (0, 2, 3)]
    assert am.same(
        am.restore(am.decode(thaw(document), ANSWERS), am.convert(am.encode(history, "json"), "json", ANSWERS).losses),
        history,
    )


def test_no_answer_is_an_empty_object() -> None:
    """A history without a message is a response without content."""
    assert am.encode(am.History(), ANSWERS) == {}
    assert len(am.decode({}, ANSWERS)) == 0


def test_answers_have_no_images() -> None:
    """An image or a cache hint in a response comes back if it was read there; no new one is written."""
    parts = [{"type": "image", "source": PNG}, {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}]
    returned(answer(*parts), ANSWERS)
    blocks = (
        am.ImageBlock(am.URLSource("u")),
        am.FileBlock(am.URLSource("u")),
        am.TextBlock("x", cache=am.CacheHint()),
    )
    assert am.encode(am.Msg("assistant", blocks), ANSWERS, losses=[])["content"] == [{"type": "text", "text": "x"}]


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ([], ()),
        ({"type": "error", "error": {}}, ("content",)),
        (answer(content="x"), ("content",)),
        (answer(role="user"), ("role",)),
        (answer(type="completion"), ("type",)),
        (answer(id=3), ("id",)),
        (answer(model=[]), ("model",)),
        (answer(stop_reason=3), ("stop_reason",)),
        (answer(usage=[]), ("usage",)),
        (answer(usage={"input_tokens": "3"}), ("usage",)),
    ],
    ids=repr,
)
def test_malformed_answers_say_where(document: Any, path: Any) -> None:
    """Anything but a response is refused with the code "schema" and the path."""
    assert refused(document, codec=ANSWERS) == (path, "schema", "anthropic-response")


# -- shortcuts, hooks, schema, detection ------------------------------------------------------------------------------


def test_a_hook_changes_a_mapping() -> None:
    """A hook registered on the codec's Converter before first use replaces ours, shortcuts included."""
    codec = AnthropicCodec()
    codec.engine.parts.converter.register_structure_hook(
        am.TextBlock, lambda part, _: am.TextBlock(part["text"].upper())
    )
    codec.engine.parts.converter.register_unstructure_hook(
        am.TextBlock, lambda block: {"type": "text", "text": block.text.lower()}
    )
    document = {
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}, {"type": "text", "text": "x"}]}]
    }
    history = am.decode(document, codec)
    assert history[0].text == "HI\nX"
    assert am.encode(history, codec) == document


@given(histories())
def test_what_is_written_is_valid(history: am.History) -> None:
    """Content from elsewhere is written so that the types of the anthropic package accept it."""
    for codec, problems in ((CODEC, anthropic_request_problems), (ANSWERS, anthropic_response_problems)):
        document = plain_copy(thaw(am.encode(_foreign(history), codec, on_loss="ignore")))
        assert not document or not problems(document)


def _foreign(history: am.History) -> am.History:
    """Return the history as another family would write it: without anything that only Anthropic has."""
    return am.decode(am.encode(history, "openai", on_loss="ignore"), "openai")


@pytest.mark.parametrize("name", ["anthropic", "anthropic-response"])
def test_documents_look_like_what_they_are(name: str) -> None:
    """No other codec is surer of a golden or recorded document, except of plain ones without any marks."""
    for title, document in documents(name):
        own = am.get_codec(name).sniff(document)
        others = {other: am.get_codec(other).sniff(document) for other in am.codec_names() if other != name}
        plain = own == 0.85
        assert plain or own > max(others.values()), f"{title}: {own}, {others}"


WITHOUT_ROLE: tuple[Any, ...] = (
    {"content": [{"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}}]},
    {"content": [{"type": "tool_search_tool_result", "tool_use_id": "c", "content": {"a": 1}}], "usage": USAGE},
    {"type": "message", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}]},
    {"content": [{"type": "text", "text": "hi"}], "stop_reason": "end_turn"},
)


@pytest.mark.parametrize("document", WITHOUT_ROLE, ids=repr)
def test_an_answer_needs_no_role(document: Any) -> None:
    """Without a role, a part or a stop reason of Anthropic's tells a response."""
    assert am.detect(document)[0][0] == "anthropic-response"
    returned(document, ANSWERS)


@pytest.mark.parametrize(
    "document", [3, [], {}, {"messages": 3}, [3], {"messages": [{"role": "tool"}]}, None], ids=repr
)
def test_other_documents_do_not(document: Any) -> None:
    """A document that can't be a request or a response is neither."""
    assert (CODEC.sniff(document), ANSWERS.sniff(document)) == (0.0, 0.0)
