"""The codec ``vercel``: parts, options of providers, results, unsupported content.

Exact return, damaged documents, planted notes and the other laws are tested in test_laws.py; the package itself in
real/test_real_vercel.py.
"""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Any, cast

import pytest
from jsonschema import Draft202012Validator

import agentmsg as am
from agentmsg.formats.spelling import same_document
from agentmsg_codecs.vercel import VercelCodec
from data import shared_dir, some
from support import checked
from support.checked import msg, refused
from support.documents import documents

CODEC = VercelCodec()
returned = partial(checked.returned, codec=CODEC)
written = partial(checked.written, codec="vercel")
SERVER: dict[str, Any] = {"kind": "server", "provider": "anthropic"}
LINK: dict[str, Any] = {"toolCallId": "c", "toolName": "f"}


def signed(provider: str, **options: Any) -> dict[str, Any]:
    """Return the options of a provider."""
    return {"providerOptions": {provider: options}}


PARTS: list[tuple[str, dict[str, Any], am.Block]] = [
    ("user", {"type": "text", "text": "Hi", **signed("x", k=1)},
     am.TextBlock("Hi", extras={"vercel.options": {"x": {"k": 1}}})),
    ("user", {"type": "text", "text": "Hi", **signed("anthropic", cacheControl={"type": "ephemeral", "ttl": "1h"})},
     am.TextBlock("Hi", cache=am.CacheHint(ttl="1h"))),
    ("user", {"type": "image", "image": "AAAA", "mediaType": "image/png", **signed("openai", imageDetail="low")},
     am.ImageBlock(am.Base64Source("AAAA", "image/png"), detail="low")),
    ("user", {"type": "image", "image": "https://x.test/a.png"}, am.ImageBlock(am.URLSource("https://x.test/a.png"))),
    ("user", {"type": "image", "image": {"openai": "file-1"}}, am.ImageBlock(am.FileSource("file-1", "openai"))),
    ("user", {"type": "file", "data": "AAAA", "mediaType": "audio/wav"},
     am.AudioBlock(am.Base64Source("AAAA", "audio/wav"))),
    ("user", {"type": "file", "data": "https://x.test/a.mp4", "mediaType": "video/mp4"},
     am.VideoBlock(am.URLSource("https://x.test/a.mp4", "video/mp4"))),
    ("user", {"type": "file", "data": {"type": "reference", "reference": {"openai": "f", "google": "g"}},
              "mediaType": "application/pdf", "filename": "a.pdf"},
     am.FileBlock(am.FileSource("f", "openai", "application/pdf", extras={"vercel": {"google": "g"}}), name="a.pdf")),
    ("user", {"type": "file", "data": {"type": "text", "text": "x"}, "mediaType": "text/plain",
              **signed("anthropic", title="T", context="C")},
     am.FileBlock(am.TextSource("x", "text/plain"), title="T", context="C")),
    ("assistant", {"type": "file", "data": "AAAA", "mediaType": "image/png"},
     am.ImageBlock(am.Base64Source("AAAA", "image/png"))),
    ("assistant", {"type": "text", "text": "Hi", **signed("openai", itemId="msg_1", phase="commentary")},
     am.TextBlock("Hi", item_id="msg_1", phase="commentary")),
    ("assistant", {"type": "reasoning", "text": "Hm", **signed("anthropic", signature="s")},
     am.ThinkingBlock("Hm", signature=am.Signature("anthropic", "s"))),
    ("assistant", {"type": "reasoning", "text": "", **signed("anthropic", redactedData="AAAA")},
     am.ThinkingBlock(redacted="AAAA")),
    ("assistant", {"type": "reasoning", "text": "", **signed("openai", itemId="rs_1", reasoningEncryptedContent="e")},
     am.ThinkingBlock(item_id="rs_1", signature=am.Signature("openai", "e"))),
    ("assistant", {"type": "tool-call", **LINK, "input": {"q": 1}, **signed("google", thoughtSignature="g")},
     am.ToolUseBlock("c", "f", {"q": 1}, signature=am.Signature("google", "g"))),
    ("assistant", {"type": "tool-call", **LINK, "input": [1]}, am.ToolUseBlock("c", "f", [1])),
    ("assistant", {"type": "tool-call", **LINK, "input": '{"q": '}, am.ToolUseBlock("c", "f", raw_input='{"q": ')),
    ("assistant", {"type": "tool-call", **LINK, "input": {"_raw": '"ls"'}}, am.ToolUseBlock("c", "f", "ls")),
    ("assistant", {"type": "tool-call", "toolCallId": "srvtoolu_1", "toolName": "f", "input": {},
                   "providerExecuted": True}, am.ToolUseBlock("srvtoolu_1", "f", {}, **SERVER)),
    ("assistant", {"type": "custom", "kind": "openai.compaction",
                   **signed("openai", type="compaction", itemId="cmp_1", encryptedContent="e")},
     am.CompactionBlock(encrypted="e", item_id="cmp_1")),
    ("assistant", {"type": "custom", "kind": "openai.compaction"},
     am.NativeBlock("vercel", {"type": "custom", "kind": "openai.compaction"})),
    ("assistant", {"type": "custom", "kind": "x.y"}, am.NativeBlock("vercel", {"type": "custom", "kind": "x.y"})),
]  # fmt: skip


@pytest.mark.parametrize(("role", "part", "block"), PARTS)
def test_a_part_is_a_block(role: str, part: dict[str, Any], block: am.Block) -> None:
    """A part is this block, and the block is written as the part, down to the last key."""
    natives = [{"role": role, "content": [part]}]
    (message,) = returned(natives)
    assert am.same(message, msg(role, block)), message
    assert same_document(written(msg(role, block)), natives)


OUTPUTS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"type": "text", "value": "x"}, {"content": "x"}),
    ({"type": "json", "value": [1]}, {"structured": [1]}),
    ({"type": "error-text", "value": "boom"}, {"content": "boom", "status": "error"}),
    ({"type": "error-json", "value": {"code": 1}}, {"structured": {"code": 1}, "status": "error"}),
    ({"type": "execution-denied", "reason": "no"}, {"status": "denied", "error": "no"}),
    ({"type": "content", "value": [{"type": "text", "text": "see"},
                                   {"type": "image-data", "data": "AAAA", "mediaType": "image/png"},
                                   {"type": "file-url", "url": "https://x.test/a.pdf"},
                                   {"type": "file-id", "fileId": {"openai": "f"}}]},
     {"content": [am.TextBlock("see"), am.ImageBlock(am.Base64Source("AAAA", "image/png")),
                  am.FileBlock(am.URLSource("https://x.test/a.pdf")), am.FileBlock(am.FileSource("f", "openai"))]}),
]  # fmt: skip


@pytest.mark.parametrize(("output", "fields"), OUTPUTS, ids=[output["type"] for output, _ in OUTPUTS])
def test_what_a_tool_gave_is_of_one_kind(output: dict[str, Any], fields: dict[str, Any]) -> None:
    """Each kind of output is a result, and the result is written as that kind."""
    part: dict[str, Any] = {"type": "tool-call", **LINK, "input": {}}
    call: dict[str, Any] = {"role": "assistant", "content": [part]}
    natives: list[Any] = [call, {"role": "tool", "content": [{"type": "tool-result", **LINK, "output": output}]}]
    history = returned(natives)
    block = am.ToolResultBlock("c", name="f", **fields)
    assert am.same(history[1], msg("tool", block)), history[1]
    assert same_document(written(history[0].evolve(notes={}), msg("tool", block)), natives)


@pytest.mark.parametrize(
    ("told", "fields"),
    [
        ({"result": "x"}, {"content": "x"}),
        ({"result": ""}, {}),
        ({"result": {"a": 1}}, {"structured": {"a": 1}}),
        ({"result": [1], "isError": True}, {"structured": [1], "status": "error"}),
        ({"result": "boom", "isError": True}, {"content": "boom", "status": "error"}),
        ({"result": None, "isError": False}, {"extras": {"vercel": {"isError": False}}}),
        (
            {"result": 1, "output": {"type": "text", "value": "x"}},
            {"content": "x", "extras": {"vercel": {"result": 1}}},
        ),
        ({"output": "x"}, {"content": "x"}),
        ({"output": {"a": 1}, "isError": True}, {"structured": {"a": 1}, "status": "error"}),
        ({"output": None}, {}),
    ],
    ids=str,
)
def test_calls_and_results_are_read_as_they_were_before_ai_sdk_5(told: dict[str, Any], fields: dict[str, Any]) -> None:
    """Arguments and results were under other keys; they come back there, and are detected."""
    call: dict[str, Any] = {"role": "assistant", "content": [{"type": "tool-call", **LINK, "args": {"q": 1}}]}
    natives: list[Any] = [call, {"role": "tool", "content": [{"type": "tool-result", **LINK, **told}]}]
    history = returned(natives)
    assert am.same(history[0], msg("assistant", am.ToolUseBlock("c", "f", {"q": 1})))
    assert am.same(history[1], msg("tool", am.ToolResultBlock("c", name="f", **fields))), history[1]
    assert am.detect(natives)[0][0] == "vercel"


@pytest.mark.parametrize("key", ["result", "output"])
def test_an_edited_old_result_is_told_as_it_can_be(key: str) -> None:
    """The older shape has no refusal to run; an edited text stays in it."""
    part = {"type": "tool-result", **LINK, key: "x"}
    history = returned([{"role": "tool", "content": [part]}])
    block = history[0].content[0]
    edited = am.History([history[0].evolve(content=[block.evolve(content="y")])])
    assert am.encode(edited, "vercel") == [{"role": "tool", "content": [{**part, key: "y"}]}]
    typed: Any = am.encode(
        am.History([history[0].evolve(content=[block.evolve(content=(), structured={"type": "text"})])]), "vercel"
    )
    assert am.decode(typed, "vercel")[0].tool_results[0].structured == {"type": "text"}
    denied: Any = am.encode(
        am.History([history[0].evolve(content=[block.evolve(content=(), status="denied")])]), "vercel"
    )
    assert denied[0]["content"][0]["output"] == {"type": "execution-denied"}


def test_messages_with_keys_of_applications_are_detected_by_their_tools() -> None:
    """A text with other keys tells nothing."""
    asked = {"role": "user", "content": "Hi", "id": "1", "sessionId": "s"}
    called: dict[str, Any] = {"role": "assistant", "content": [{"type": "tool-call", **LINK, "input": {}}], "id": "2"}
    assert am.detect([asked, called])[0][0] == "vercel"
    assert CODEC.likeness([asked]) == CODEC.likeness([{**asked, "content": [{"type": "text", "text": "Hi"}]}]) == 0.0


def test_results_share_a_message_of_tools() -> None:
    """Adjacent results are one native message; decisions are among them."""
    result: dict[str, Any] = {"type": "tool-result", **LINK, "output": {"type": "text", "value": "1"}}
    answer = {"type": "tool-approval-response", "approvalId": "a", "approved": True}
    history = returned([{"role": "tool", "content": [answer, result, {**result, "toolCallId": "d"}]}])
    assert [message.role for message in history] == ["user", "tool", "tool"]
    assert history[0].content == (am.ApprovalResponseBlock("a", approved=True),)
    calls = [{"id": link, "function": {"name": "f", "arguments": "{}"}, "type": "function"} for link in "cd"]
    tools = [{"role": "tool", "tool_call_id": link, "content": "x"} for link in "cd"]
    document = am.convert([{"role": "assistant", "tool_calls": calls}, *tools], "openai", "vercel").document
    assert [native["role"] for native in document] == ["assistant", "tool"]
    assert [part["toolName"] for part in document[1]["content"]] == ["f", "f"]


def test_options_beside_a_text_are_those_of_the_text() -> None:
    """A system prompt is a text, with its cache hint beside it; hints of other formats go there too."""
    options = {"anthropic": {"cacheControl": {"type": "ephemeral"}}}
    native = {"role": "system", "content": "s", "providerOptions": options}
    (message,) = returned([native])
    assert message.content == (am.TextBlock("s", cache=am.CacheHint()),)
    assert not message.extras
    system = [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}]
    done = am.convert({"system": system, "messages": []}, "anthropic", "vercel")
    assert (done.document, list(done.losses)) == ([native], [])


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "image", "image": "data:image/png;base64,AAAA"}],
        [{"type": "image", "image": "data:image/png;base64,AAAA", "mediaType": "image/jpeg"}],
        [{"type": "file", "data": {"type": "url", "url": "a.pdf"}, "mediaType": "application/pdf"}],
        [{"type": "file", "data": {"type": "data", "data": "https://x"}, "mediaType": "image/png"}],
        [{"type": "file", "data": "AAAA"}],
        [{"type": "text", "text": "x", "providerOptions": {"anthropic": 1}}],
        [{"type": "text", "text": "x", "providerOptions": {"anthropic": {"cacheControl": {"type": 1}}}}],
    ],
)
def test_odd_spellings_come_back(content: list[Any]) -> None:
    """In any form, data and options come back unchanged."""
    returned([{"role": "user", "content": content}])


_BYTES: Any = [0, 255]
_OBJECT = {"0": 0, "1": 255}
_BUFFER = {"type": "Buffer", "data": _BYTES}
_TYPED_IMAGE = am.ImageBlock(am.Base64Source("AP8=", "image/png"))


@pytest.mark.parametrize(
    ("part", "block"),
    [
        *(({"type": "file", "data": data, "mediaType": "image/png"}, _TYPED_IMAGE)
          for data in (_BYTES, _OBJECT, _BUFFER, {"type": "data", "data": _BYTES})),
        ({"type": "image", "image": _OBJECT}, am.ImageBlock(am.Base64Source("AP8="))),
        ({"type": "image", "image": _BUFFER, "mimeType": "image/png"}, _TYPED_IMAGE),
        *(({"type": "file", "data": "AP8=", "mimeType": "image/png", **more}, _TYPED_IMAGE)
          for more in ({}, {"mediaType": None})),
        ({"type": "image", "image": "https://x.test/a", "mimeType": "image/png"},
         am.ImageBlock(am.URLSource("https://x.test/a", "image/png"))),
        ({"type": "file", "data": "AP8=", "mimeType": "a/b", "mediaType": "image/png"},
         _TYPED_IMAGE.evolve(extras={"vercel": {"mimeType": "a/b"}})),
    ],
)  # fmt: skip
def test_media_are_read_however_they_are_given(part: dict[str, Any], block: am.Block) -> None:
    """Bytes in any spelling of JSON.stringify are base64 data; ``mimeType`` was the key of the media type."""
    natives = [{"role": "user", "content": [part]}]
    (message,) = returned(natives)
    assert am.same(message, msg("user", block)), message
    edited: Any = message.content[0]
    new = edited.evolve(source=edited.source.evolve(media_type="image/gif"))
    assert am.same(am.decode(written(msg("user", new)), "vercel")[0], msg("user", new))


def test_bytes_inside_results_are_data() -> None:
    """An edit writes the new data: as bytes if it is base64."""
    value = {"type": "media", "data": _BYTES, "mimeType": "image/png"}
    part = {"type": "tool-result", **LINK, "output": {"type": "content", "value": [value]}}
    (message,) = returned([{"role": "tool", "content": [part]}])
    result: Any = message.content[0]
    assert result.content == (_TYPED_IMAGE,)
    for data, expected in (("AQ==", [1]), ("AQ", "AQ")):
        image = result.content[0].evolve(source=result.content[0].source.evolve(data=data))
        document = written(message.evolve(content=[result.evolve(content=[image])]))
        assert document[0]["content"][0]["output"]["value"][0]["data"] == expected


@pytest.mark.parametrize("data", [[], [256], [-1], [1.0], [True], {}, {"1": 1}, {"0": "a", "type": "x"}])
def test_what_is_no_bytes_is_kept_whole(data: Any) -> None:
    """Every entry must be a byte, in order."""
    part = {"type": "file", "data": data, "mediaType": "image/png"}
    (message,) = returned([{"role": "user", "content": [part]}])
    assert message.content == (am.NativeBlock("vercel", part),)


NOWHERE: list[tuple[am.Msg, Any, str]] = [
    (msg("assistant", am.ThinkingBlock("Hm", signature=am.Signature("nobody", "x"))),
     [{"type": "reasoning", "text": "Hm"}], "content"),
    (msg("user", am.ImageBlock.from_url("a.png")), [], "content"),
    (msg("user", am.FileBlock(am.Base64Source("AAAA", "image/png"))),
     [{"type": "image", "image": "AAAA", "mediaType": "image/png"}], "annotation"),
    (msg("assistant", am.ToolUseBlock("c", "f", "ls", kind="custom")),
     [{"type": "tool-call", **LINK, "input": {"input": "ls"}}], "content"),
    (msg("system", am.TextBlock("a"), am.TextBlock("b")), "a\nb", "annotation"),
    (msg("assistant", am.ToolUseBlock(None, "x", {}, kind="server", provider="openai", item_id="ws_1")),
     [{"type": "tool-call", "toolCallId": "ws_1", "toolName": "x", "input": {}, "providerExecuted": True,
       **signed("openai", itemId="ws_1")}], "annotation"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("message", "content", "level"),
    NOWHERE,
    ids=["foreign signature", "relative link", "image as file", "custom call", "two texts", "call without id"],
)  # fmt: skip
def test_what_has_no_place(message: am.Msg, content: Any, level: str) -> None:
    """Content that the format lacks is left out, or written differently; the report shows it, and restores it."""
    losses: list[am.Loss] = []
    document = written(message, losses=losses)
    assert [native["content"] for native in document] == [content or ""]
    assert level in {loss.level for loss in losses}
    assert am.same(am.restore(am.decode(document, "vercel"), losses), am.History([message]))


def test_what_is_no_document_is_refused() -> None:
    """The error has the path."""
    assert refused([{"role": "user", "content": "x"}, 1], codec="vercel")[0] == (1,)
    assert refused({"messages": [1]}, codec="vercel")[0] == ("messages", 0)


def test_the_schema_of_the_package_allows_what_is_converted() -> None:
    """Every stored document of another format becomes messages that the schema allows; 6 lacks what came with 7."""
    folder = shared_dir() / "formats" / "fields"
    seven, six = (
        cast("Any", Draft202012Validator(json.loads((folder / f"{version}_model_message.schema.json").read_text())))
        for version in ("vercel", "vercel6")
    )
    sources: list[am.CodecName] = [name for name in am.codec_names() if name not in ("json", "msgpack", "vercel")]
    for source in sources:
        for name, document in some(documents(source), 300):
            found = am.encode(am.decode(document, source), "vercel", on_loss="ignore")
            for native in CODEC.native_messages(found):
                assert seven.is_valid(native), f"{source}, {name}: {native}"
                is_new = re.search(r'"data": \{|"type": "custom"', json.dumps(native))
                assert is_new or six.is_valid(native), f"{source}, {name}: {native}"


def test_a_system_prompt_beside_the_messages_is_a_message_and_comes_back() -> None:
    """The value of ``system`` is the prompt if it is a text; anything else there is an extra."""
    said = [{"role": "user", "content": "Hi"}]
    body = {"messages": said, "system": "Be brief.", "temperature": 0}
    history = am.decode(body, "vercel")
    assert [(message.role, message.text) for message in history] == [("system", "Be brief."), ("user", "Hi")]
    assert cast("Any", am.encode(history, "vercel")) == body
    assert am.convert(body, "vercel", "openai").document["messages"][0] == {"role": "system", "content": "Be brief."}
    edited = am.History([am.Msg.system("Be kind."), *history[1:]], extras=history.extras, notes=history.notes)
    assert cast("Any", am.encode(edited, "vercel"))["messages"][0] == {"role": "system", "content": "Be kind."}
    for odd in (None, "", ["x"], {"role": "system", "content": "x"}):
        assert cast("Any", am.encode(am.decode({"messages": said, "system": odd}, "vercel"), "vercel")) == {
            "messages": said, "system": odd,
        }  # fmt: skip


def test_the_prompt_of_a_language_model_holds_messages() -> None:
    """Calls of language models and of the AI Gateway have their messages there; a system prompt may be beside them."""
    said = [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]
    body = {"prompt": said, "toolChoice": {"type": "auto"}}
    assert [message.text for message in returned(body)] == ["Hi"]
    assert [message.role for message in returned({**body, "system": "Be brief."})] == ["system", "user"]
    returned({**body, "messages": 1})
