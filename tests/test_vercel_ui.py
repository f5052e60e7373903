"""The codec ``vercel-ui``: parts, calls with their results, steps, version 4, unsupported content.

Exact return, damaged documents, planted notes and the other laws are tested in test_laws.py; the package itself in
real/test_real_vercel.py.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any

import pytest

import agentmsg as am
from agentmsg.formats.spelling import same_document
from agentmsg.testing import honest_account, returns_through
from agentmsg_codecs.vercel.ui import VercelUICodec
from support import checked
from support.checked import msg, refused

CODEC = VercelUICodec()
returned = partial(checked.returned, codec=CODEC)
written = partial(checked.written, codec="vercel-ui")
SERVER: dict[str, Any] = {"kind": "server", "provider": "anthropic"}
STEP = {"type": "step-start"}


def native(*parts: Any, role: str = "assistant", **fields: Any) -> dict[str, Any]:
    """Return a message with an id."""
    return {"id": "m", "role": role, "parts": list(parts), **fields}


def tool(state: str, link: str = "c", name: str = "f", **fields: Any) -> dict[str, Any]:
    """Return the part of a call."""
    return {"type": f"tool-{name}", "toolCallId": link, "state": state, "input": {}, **fields}


PARTS: list[tuple[str, dict[str, Any], am.Block]] = [
    ("user", {"type": "text", "text": "Hi"}, am.TextBlock("Hi")),
    ("user", {"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,AAAA"},
     am.ImageBlock(am.Base64Source("AAAA", "image/png"))),
    ("user", {"type": "file", "mediaType": "application/pdf", "url": "https://x.test/a.pdf", "filename": "a.pdf"},
     am.FileBlock(am.URLSource("https://x.test/a.pdf", "application/pdf"), name="a.pdf")),
    ("assistant", {"type": "reasoning", "text": "Hm", "providerMetadata": {"anthropic": {"signature": "s"}}},
     am.ThinkingBlock("Hm", signature=am.Signature("anthropic", "s"))),
    ("assistant", {"type": "source-url", "sourceId": "s", "url": "https://x.test", "title": "X"},
     am.SourceBlock("https://x.test", title="X", item_id="s")),
    ("assistant", {"type": "source-document", "sourceId": "s", "mediaType": "application/pdf", "title": "D"},
     am.SourceBlock(title="D", media_type="application/pdf", item_id="s")),
    ("assistant", {"type": "data-weather", "id": "w", "data": {"t": 1}},
     am.DataBlock({"t": 1}, name="weather", item_id="w")),
    ("assistant", {"type": "custom", "kind": "openai.compaction",
                   "providerMetadata": {"openai": {"type": "compaction", "itemId": "cmp_1", "encryptedContent": "e"}}},
     am.CompactionBlock(encrypted="e", item_id="cmp_1")),
    ("assistant", tool("input-available"), am.ToolUseBlock("c", "f", {})),
    ("assistant", tool("input-available", providerExecuted=True, link="srvtoolu_1"),
     am.ToolUseBlock("srvtoolu_1", "f", {}, **SERVER)),
    ("assistant", tool("paused"), am.NativeBlock("vercel-ui", tool("paused"))),
]  # fmt: skip


@pytest.mark.parametrize(("role", "part", "block"), PARTS)
def test_a_part_is_a_block(role: str, part: dict[str, Any], block: am.Block) -> None:
    """A part is this block, and the block is written as the part, down to the last key."""
    natives = [native(part, role=role)]
    (message,) = returned(natives)
    assert am.same(message, msg(role, block, id="m")), message
    assert same_document(written(msg(role, block, id="m")), natives)


def test_a_result_that_takes_another_ones_place_is_told() -> None:
    """A result of a server tool moves behind its call, past that of a client's tool."""
    call = am.ToolUseBlock("s", "f", {}, kind="server", provider="openai")
    result = am.ToolResultBlock("s", [am.TextBlock("2")], name="f", kind="server", provider="openai")
    honest_account(CODEC, am.History([msg("assistant", call, am.ToolResultBlock("c", name="g"), result)]))


RESULTS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"state": "output-available", "output": "x"}, {"content": "x"}),
    ({"state": "output-available", "output": [1]}, {"structured": [1]}),
    ({"state": "output-error", "errorText": "boom"}, {"content": "boom", "status": "error"}),
    ({"state": "output-denied", "approval": {"id": "c", "approved": False, "reason": "no"}},
     {"status": "denied", "error": "no"}),
]  # fmt: skip


@pytest.mark.parametrize(("given", "fields"), RESULTS, ids=["text", "value", "error", "denied"])
def test_a_call_and_its_result_are_one_part(given: dict[str, Any], fields: dict[str, Any]) -> None:
    """The part is a call and a tool message; these are written as the part."""
    natives = [native(tool(**given))]
    history = returned(natives)
    block = am.ToolResultBlock("c", name="f", **fields)
    asked = msg("assistant", am.ToolUseBlock("c", "f", {}), id="m")
    assert am.same(history, am.History([asked, msg("tool", block)])), history
    assert same_document(written(asked, msg("tool", block)), natives)


def test_steps_are_messages() -> None:
    """A message of several steps is several of ours; in another format their results are between them."""
    first = [{"type": "text", "text": "a"}, tool("output-available", output="1"), {"type": "text", "text": "b"}]
    natives = [native(STEP, *first, tool("output-error", "d", errorText="2"), STEP, {"type": "text", "text": "c"})]
    history = returned(natives)
    assert [message.role for message in history] == ["assistant", "tool", "tool", "assistant"]
    assert [message.id for message in history] == ["m", None, None, None]
    document = am.convert(natives, "vercel-ui", "openai").document["messages"]
    assert [message["role"] for message in document] == ["assistant", "tool", "tool", "assistant"]
    back = am.convert(document, "openai", "vercel-ui").document
    assert [part["type"] for part in back[0]["parts"]] == ["text", "text", "tool-f", "tool-f", "step-start", "text"]
    assert len(back) == 1


def test_keys_of_a_step_are_extras_of_its_message() -> None:
    """Edits leave them there; two borders in a row with keys have no meaning."""
    own, text = {**STEP, "model": "m"}, {"type": "text", "text": "a"}
    extras = {"vercel-ui.step": {"model": "m"}}
    history = returned([native(own, tool("output-available", output="x"), own, text, own)])
    assert [message.role for message in history] == ["assistant", "tool", "assistant"]
    assert [dict(message.extras) for message in history] == [extras, {}, extras]
    edited: Any = am.encode(am.History([*history[:2], history[2].evolve(content="b")]), "vercel-ui")
    assert edited[0]["parts"][2:] == [own, {"type": "text", "text": "b"}, own]
    assert returned([native(own, own, text)])[0].role == "native"
    assert returned([native(own)])[0].content == ()


@pytest.mark.parametrize(
    "parts",
    [
        [STEP, STEP, {"type": "text", "text": "x"}],
        [{"type": "text", "text": "x"}, STEP],
        [{"type": "text", "text": "x"}, STEP, STEP, {"type": "text", "text": "y"}],
        [STEP],
        [STEP, STEP],
        [],
        [tool("approval-requested", approval={"id": "a"})],
        [tool("output-denied", approval={"id": "a", "approved": False, "reason": "no"})],
        [tool("output-denied")],
        [tool("output-available")],
        [tool("output-available", output=None, preliminary=True)],
        [{"type": "dynamic-tool", "toolName": "f", "toolCallId": "c", "state": "output-error", "rawInput": '{"',
          "errorText": "x"}],
        [{"type": "text", "text": "x", "state": "streaming"}],
        [{"type": "data", "data": 1}, {"type": "data-x", "name": "y", "data": 1}],
    ],
)  # fmt: skip
def test_odd_parts_come_back(parts: list[Any]) -> None:
    """Borders anywhere, approvals, empty outputs: they come back unchanged."""
    returned([native(*parts)])


APPROVALS: list[dict[str, Any]] = [
    {"id": "a", "approved": False, "reason": "no"},
    {"id": "c", "approved": False, "isAutomatic": True},
    {"id": "c", "approved": False, "reason": "no", "requestReason": "It writes."},
    {"id": "c", "approved": False, "signature": "s"},
    {"id": "c", "approved": False, "x_new": 1},
    {"id": "c", "approved": None, "reason": 0},
]


@pytest.mark.parametrize("approval", APPROVALS, ids=map(str, APPROVALS))
@pytest.mark.parametrize("first", [{}, {"id": "z", "approved": False, "reason": "never"}])
def test_a_denial_belongs_to_its_call(approval: dict[str, Any], first: dict[str, Any]) -> None:
    """Whatever the approval says besides, also after a denied call with the same id, and through other formats."""
    before = [tool("output-denied", approval=first)] if first else []
    natives = [native(*before, tool("output-denied", approval=approval))]
    assert not any(isinstance(block, am.NativeBlock) for message in returned(natives) for block in message.content)
    for target in ("openai", "anthropic", "vercel", "agentscope-java"):
        returns_through(CODEC, natives, am.get_codec(target))


@pytest.mark.parametrize("approved", [True, False])
@pytest.mark.parametrize("status", [None, "ok", "error", "denied"])
def test_decisions_agree_with_results_of_server_tools(approved: bool, status: Any) -> None:
    """A result that contradicts the decision on its call is changed, and that is told."""
    call = am.ToolUseBlock("c", "f", {}, kind="server")
    result = am.ToolResultBlock("c", "x", name="f", kind="server", status=status)
    asked = msg("assistant", call, am.ApprovalRequestBlock("a", "c"), result)
    honest_account(CODEC, am.History([asked, msg("user", am.ApprovalResponseBlock("a", approved, kind="server"))]))


def test_results_stand_with_their_calls() -> None:
    """A late result moves to its call; one without a call becomes a user's text, which is reported."""
    calls = msg("assistant", am.ToolUseBlock("c", "f", {}), am.ToolUseBlock("d", "g", {}))
    results = [msg("tool", am.ToolResultBlock(link, link)) for link in ("d", "c", "x")]
    losses: list[am.Loss] = []
    history = am.History([calls, msg("user", am.TextBlock("and?")), *results])
    document = written(*history, losses=losses)
    assert [part.get("output") for part in document[0]["parts"]] == ["c", "d"]
    assert [message["role"] for message in document] == ["assistant", "user", "user"]
    assert {"moved", "changed"} <= {loss.kind for loss in losses}
    assert am.same(am.restore(am.decode(document, "vercel-ui"), losses), history)


def test_results_of_a_server_stand_with_their_calls() -> None:
    """A provider's call with its result is one part, in the assistant's own message."""
    call = am.ToolUseBlock("srvtoolu_1", "f", {}, **SERVER)
    found = am.ToolResultBlock("srvtoolu_1", "x", name="f", **SERVER)
    losses: list[am.Loss] = []
    document = written(msg("assistant", call, am.TextBlock("so"), found, id="m"), losses=losses)
    assert [(loss.path[-1], loss.kind, loss.level) for loss in losses] == [(1, "moved", "annotation")]
    part = tool("output-available", "srvtoolu_1", output="x", providerExecuted=True)
    assert document == [native(part, {"type": "text", "text": "so"})]
    assert returned(document)[0].content[:2] == (call, found)


def test_messages_without_an_id_get_one() -> None:
    """It marks their place, and is read as one that nobody sent."""
    document = am.convert([{"role": "user", "content": "Hi"}], "openai", "vercel-ui").document
    assert document[0]["id"] == "agentmsg-0"
    done = am.convert(document, "vercel-ui", "openai")
    assert not done.losses


OLD: dict[str, Any] = {
    "id": "m",
    "createdAt": "2025-05-01T10:00:02.000Z",
    "role": "assistant",
    "content": "ab",
    "toolInvocations": [
        {"state": "result", "step": 0, "toolCallId": "c", "toolName": "f", "args": {"q": 1}, "result": "1"}
    ],
}


def test_version_4_is_read_as_what_it_says() -> None:
    """With parts or without, with files beside: today's parts, written in their own form; edits win."""
    text = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    invocation = [{"type": "tool-invocation", "toolInvocation": call} for call in OLD["toolInvocations"]]
    with_parts = {**OLD, "parts": [STEP, text[0], *invocation, STEP, text[1]]}
    history = returned([OLD, with_parts])
    assert [message.role for message in history] == ["assistant", "tool", "assistant"] * 2
    assert history[0].created_at is not None
    assert history[1].tool_results[0].text == "1"
    attached = {"name": "a.png", "contentType": "image/png", "url": "https://x.test/a.png"}
    asked = {"id": "u", "role": "user", "content": "Look", "experimental_attachments": [attached]}
    assert [type(block) for block in returned([asked])[0].content] == [am.TextBlock, am.ImageBlock]
    edited = am.History([*history[:2], history[2].evolve(content="new")])
    assert am.encode(edited, "vercel-ui")[0]["content"] == "new"


def invocation(state: str = "result", **fields: Any) -> dict[str, Any]:
    """Return a call of version 4, as a part."""
    return {"type": "tool-invocation", "toolInvocation": {"state": state, "toolCallId": "c", "toolName": "f", **fields}}


LINK = {"toolCallId": "c", "toolName": "f"}
HELD: dict[str, Any] = {"args": {"a": 1}, "result": {"b": 2}}
CALLS: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any] | None]] = [
    (invocation(step=0, **HELD), {"input": {"a": 1}, "extras": {"vercel-ui": {"step": 0}}}, {"structured": {"b": 2}}),
    (invocation(input={"a": 1}, output="x"), {"input": {"a": 1}}, {"content": "x"}),
    ({"type": "tool-invocation", "state": "result", "toolCallId": "c", "toolName": "f", **HELD}, {"input": {"a": 1}},
     {"structured": {"b": 2}}),
    (invocation("call", args={}), {"input": {}}, None),
    (invocation("partial-call"), {"input": {}}, None),
    ({"type": "tool-f", "toolCallId": "c", "state": "input-streaming"}, {"input": {}}, None),
    (tool("input-streaming", input={"a": 1}), {"input": {"a": 1}}, None),
    (tool("output-error", errorText="no", input=None, rawInput="{"), {"raw_input": "{"},
     {"content": "no", "status": "error"}),
    ({"type": "tool-f", "toolCallId": "c", "state": "output-error", "errorText": "no", "rawInput": {"a": 1}},
     {"input": {"a": 1}}, {"content": "no", "status": "error"}),
    ({"type": "tool-f", "toolCallId": "c", "state": "output-error", "errorText": "no"}, {"input": {}},
     {"content": "no", "status": "error"}),
    (tool("output-error"), {"input": {}}, {"status": "error"}),
    (tool("output-available", toolName="f", output="x"), {"input": {}}, {"content": "x"}),
    (tool("result", output="x"), {"input": {}}, {"content": "x"}),
    ({"type": "tool-f", "toolCallId": "c", "state": "call", "args": {"a": 1}}, {"input": {"a": 1}}, None),
    ({"type": "dynamic-tool", **LINK, "input": {}}, {"input": {}}, None),
    ({"type": "tool-invocation", **LINK, "input": {}}, {"input": {}}, None),
    ({"type": "tool-invocation", **LINK, "input": {}, "output": [1]}, {"input": {}}, {"structured": [1]}),
    ({"type": "tool-invocation", **LINK, "input": {}, "errorText": "no"}, {"input": {}},
     {"content": "no", "status": "error"}),
    (invocation("output-available", input={}, output="x"), {"input": {}}, {"content": "x"}),
    ({"type": "tool-invocation", "tool_invocation": {"tool_call_id": "c", "tool_name": "f", "state": "result",
                                                    "args": {"a": 1}, "result": "x"}},
     {"input": {"a": 1}}, {"content": "x"}),
    ({**invocation("call", args={}), "providerMetadata": {"openai": {"itemId": "i"}}}, {"input": {}, "item_id": "i"},
     None),
]  # fmt: skip


@pytest.mark.parametrize(("part", "call", "result"), CALLS)
def test_however_a_call_is_told(part: dict[str, Any], call: dict[str, Any], result: dict[str, Any] | None) -> None:
    """A call of version 4 among today's parts, unfinished, with failed input, in between: no native block."""
    asked, *rest = returned([native(part)])
    assert am.same(asked, msg("assistant", am.ToolUseBlock("c", "f", **call), id="m")), asked
    expected = [] if result is None else [msg("tool", am.ToolResultBlock("c", name="f", **result))]
    assert am.same(am.History(rest), am.History(expected)), rest
    edited = [asked.evolve(content=[am.ToolUseBlock("c", "f", {"new": 1})]), *rest]
    assert am.decode(written(*edited), "vercel-ui")[0].tool_calls[0].input == {"new": 1}


@pytest.mark.parametrize(
    "part",
    [
        tool("output-available", toolName="g", output="x"),
        {"type": "tool-call", **LINK, "state": "call"},
        {"type": "tool-invocation", "toolInvocation": HELD, "toolName": "f"},
        {"type": "tool-invocation", "tool_invocation": {"tool_name": "f", "toolName": "g", "state": "call"}},
        {**invocation("call", callProviderMetadata={}), "providerMetadata": {}},
    ],
    ids=["two names", "foreign type", "call beside a name", "two spellings", "metadata twice"],
)
def test_a_call_with_two_meanings_is_kept_whole(part: dict[str, Any]) -> None:
    """Nothing tells which name is the tool's."""
    (message,) = returned([native(part)])
    assert message.content == (am.NativeBlock("vercel-ui", part),)


ODD_PARTS: list[tuple[str, dict[str, Any], am.Block]] = [
    ("user", {"type": "image", "mediaType": "image/png", "url": "https://x.test/a.png", "width": 1},
     am.ImageBlock(am.URLSource("https://x.test/a.png", "image/png"), extras={"vercel-ui": {"width": 1}})),
    ("assistant", {"type": "audio", "mediaType": "audio/mp3", "url": "data:audio/mp3;base64,AAAA"},
     am.AudioBlock(am.Base64Source("AAAA", "audio/mp3"))),
    ("assistant", {"type": "source-url", "url": "https://x.test"}, am.SourceBlock("https://x.test")),
    ("user", {"type": "source-url", "url": "https://x.test", "sourceId": None}, am.SourceBlock("https://x.test")),
    ("assistant", {"type": "source-document", "mediaType": "text/plain", "title": "D"},
     am.SourceBlock(title="D", media_type="text/plain")),
    ("assistant", {"type": "reasoning", "reasoning": "", "details": [{"type": "text", "text": "T"}],
                   "providerMetadata": {"openai": {"itemId": "i"}}}, am.ThinkingBlock("T", item_id="i")),
    ("assistant", {"type": "reasoning", "reasoning": "", "details": [{"type": "text", "text": "T", "signature": "S"}]},
     am.ThinkingBlock("T", signature=am.Signature("anthropic", "S"))),
    ("assistant", {"type": "reasoning", "reasoning": "T", "details": []}, am.ThinkingBlock("T")),
    ("assistant", {"type": "reasoning", "reasoning": "T"}, am.ThinkingBlock("T")),
]  # fmt: skip


@pytest.mark.parametrize(("role", "part", "block"), ODD_PARTS)
def test_parts_of_applications_are_read(role: str, part: dict[str, Any], block: am.Block) -> None:
    """Media with their kind as type, and sources without an id, come back as they were."""
    natives = [native(part, role=role)]
    (message,) = returned(natives)
    assert am.same(message, msg(role, block, id="m")), message
    assert am.recognize(natives) == "vercel-ui"


EARLY: list[tuple[dict[str, Any], list[am.Block]]] = [
    ({"content": "Hi"}, [am.TextBlock("Hi")]),
    ({"content": "Hi", "reasoning": "Hm", "toolInvocations": []}, [am.ThinkingBlock("Hm"), am.TextBlock("Hi")]),
    ({"content": ""}, []),
    ({"content": "", "toolInvocations": [{**LINK, "state": "call", "args": {}}]}, [am.ToolUseBlock("c", "f", {})]),
]


@pytest.mark.parametrize(("more", "blocks"), EARLY)
def test_without_parts_the_other_keys_of_version_4_are_read(more: dict[str, Any], blocks: list[am.Block]) -> None:
    """An empty list of parts is like none; after an edit, the new text is written."""
    (message,) = returned([native(**more)])
    assert am.same(message, msg("assistant", *blocks, id="m")), message
    edited = message.evolve(content="new")
    assert am.decode(written(edited), "vercel-ui")[0].text == "new"


@pytest.mark.parametrize(
    "time", ["2025-05-01T10:00:02.000Z", "2025-05-01T10:00:02Z", "2025-05-01T10:00:02", "2025-05-01T10:00:02+02:00"]
)
def test_times_are_read_in_any_style(time: str) -> None:
    """JavaScript and Python write them differently; an edited time keeps the style."""
    (message,) = returned([native({"type": "text", "text": "x"}, createdAt=time)])
    assert message.created_at == datetime.fromisoformat(time)
    later = message.evolve(created_at=datetime.fromisoformat(time).replace(minute=1))
    assert written(later)[0]["createdAt"] == time.replace("10:00", "10:01")


@pytest.mark.parametrize("link", [{}, {"toolCallId": None}])
def test_calls_without_ids_have_their_results(link: dict[str, Any]) -> None:
    """Their ids follow from their places, and aren't lost if a format has none either."""
    part: dict[str, Any] = {"type": "tool-f", "state": "output-available", "input": {}, "output": "x", **link}
    history = returned([native(STEP, part, part)])
    assert [message.tool_call_id for message in history[1:]] == [call.id for call in history[0].tool_calls]
    assert len({call.id for call in history[0].tool_calls}) == 2
    lost = am.convert([native(part)], "vercel-ui", "gemini").losses
    assert [loss.was for loss in lost] == ["m"]
    asked = am.convert([native(part)], "vercel-ui", "openai").document["messages"]
    assert asked[1]["tool_call_id"] == asked[0]["tool_calls"][0]["id"]


STORED: list[dict[str, Any]] = [
    {"format": 2, "parts": [{"type": "text", "text": "a"}], "content": "a", "metadata": {"k": 1}},
    {"format": 2, "parts": [], "content": "a"},
    {"format": 3, "parts": [STEP, tool("output-available", input={}, output="x"), STEP, {"type": "text", "text": "a"}]},
    {"format": 2, "parts": [{"type": "text", "text": "a"}], "own": 1},
]


@pytest.mark.parametrize("content", STORED, ids=["metadata", "no parts", "today's", "another key"])
def test_messages_are_read_as_mastra_stores_them(content: dict[str, Any]) -> None:
    """What is under ``content`` stays there, after edits, too; what has two meanings is kept whole."""
    stored = {"id": "m", "role": "assistant", "createdAt": "2026-01-01T00:00:00.000Z", "threadId": "t"}
    history = returned([{**stored, "content": content}])
    *before, last = history
    assert (last.text, history[0].created_at is not None) == ("a", True)
    edited = am.encode(am.History([*before, last.evolve(content="b")]), "vercel-ui")
    assert edited[0]["content"]["format"] == content["format"]
    assert am.decode(edited, "vercel-ui")[-1].text == "b"
    assert am.detect([{**stored, "content": content}])[0][0] == "vercel-ui"
    (kept,) = returned([{**stored, "content": content, "parts": []}])
    assert kept.role == "native" or not kept.content


def test_parts_of_version_4_are_read_among_those_of_today() -> None:
    """Sources, files and thoughts, without text beside the parts."""
    parts = [
        {"type": "reasoning", "reasoning": "Hm", "details": [{"type": "text", "text": "Hm", "signature": "s"}]},
        {"type": "source", "source": {"sourceType": "url", "id": "s", "url": "https://x.test"}},
        {"type": "file", "mimeType": "image/png", "data": "AAAA"},
        {"type": "reasoning", "text": "Hm"},
    ]
    (message,) = returned([native(*parts)])
    classes = [am.ThinkingBlock, am.SourceBlock, am.ImageBlock, am.ThinkingBlock]
    assert [type(block) for block in message.content] == classes


@pytest.mark.parametrize(
    "beside", [{"content": "Look."}, {"content": "", "toolInvocations": []}, {"content": "Not it"}]
)
def test_keys_of_version_4_may_stand_beside_parts_of_today(beside: dict[str, Any]) -> None:
    """As long as an application stores both: what they repeat follows edits, anything else is an extra."""
    found = {"type": "tool-find", "toolCallId": "c", "state": "output-available", "input": {"q": 1}, "output": "x"}
    both = {**native({"type": "text", "text": "Look."}, found), **beside}
    said, result = returned([both])
    assert said.text == "Look."
    assert result.tool_results[0].text == "x"
    content = "Oh" if beside["content"] == "Look." else beside["content"]
    assert am.encode(am.History([said.with_content("Oh")]), "vercel-ui")[0]["content"] == content


@pytest.mark.parametrize(
    ("message", "parts", "level"),
    [
        (msg("user", am.ImageBlock(am.FileSource("f", "openai"))), [], "content"),
        (msg("user", am.ImageBlock(am.Base64Source("iVBORw0KGgo="))),
         [{"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,iVBORw0KGgo="}], "annotation"),
        (msg("assistant", am.SourceBlock("https://x.test")),
         [{"type": "source-url", "sourceId": "https://x.test", "url": "https://x.test"}], "annotation"),
        (msg("assistant", am.RefusalBlock("No")), [{"type": "text", "text": "No"}], "content"),
    ],
    ids=["file id", "untyped data", "source without id", "refusal"],
)  # fmt: skip
def test_what_has_no_place(message: am.Msg, parts: list[Any], level: str) -> None:
    """Content that the format lacks is left out, or written differently; the report shows it, and restores it."""
    losses: list[am.Loss] = []
    document = written(message, losses=losses)
    assert [each["parts"] for each in document] == ([parts] if parts else [])
    assert level in {loss.level for loss in losses}
    assert am.same(am.restore(am.decode(document, "vercel-ui"), losses), am.History([message]))


def test_what_is_no_document_is_refused() -> None:
    """The error has the path."""
    assert refused([native(), 1], codec="vercel-ui")[0] == (1,)
