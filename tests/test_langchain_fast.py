"""The straight-line paths of the codec ``langchain``, compared with its general path, the reference."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.errors import AgentMsgError
from agentmsg.fitting import fit as fitting
from agentmsg.formats.spelling import same_document
from agentmsg.testing import edit, histories, mutate
from agentmsg.values.frozen import plain_copy, thaw
from agentmsg_codecs.langchain import LangChainCodec
from agentmsg_codecs.langchain.messages.metadata import KWARGS_NOTE, LIST_NOTE, STOP_NOTES
from agentmsg_codecs.langchain.names import finish_reason
from benchmarks.data import mixed_history
from data import effort
from support.careful import without_fast
from support.documents import documents

if TYPE_CHECKING:
    from collections.abc import Callable

FAST = LangChainCodec()
MUTANTS = effort(200)


GENERAL = without_fast(LangChainCodec())

THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "sig"}
TEXT = {"type": "text", "text": "hi"}
IMAGE = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
DATA = {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}}
ARGS: Any = {"city": "Paris", "days": [1, 2.0, True, None], "more": {"a": {}}}
USAGE = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}
DETAILS = {"input_token_details": {"cache_read": 1}, "output_token_details": {"reasoning": 2, "audio": 0}}


def _use(name: str, **fields: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "f", "input": ARGS, **fields}


def _call(name: str, **fields: Any) -> dict[str, Any]:
    return {"name": "f", "args": ARGS, "id": name, "type": "tool_call", **fields}


def _ai(content: Any, response: Any = None, *calls: Any, **fields: Any) -> dict[str, Any]:
    data: Any = {"content": content, "additional_kwargs": {}, "response_metadata": response or {}, "type": "ai"}
    data |= {"name": None, "id": "m1", "tool_calls": [*calls], "invalid_tool_calls": [], "usage_metadata": None}
    return {"type": "ai", "data": {**data, **fields}}


def _human(content: Any) -> dict[str, Any]:
    data: Any = {"content": content, "additional_kwargs": {}, "response_metadata": {}, "type": "human"}
    return {"type": "human", "data": {**data, "name": None, "id": None}}


def _told(word: Any, **more: Any) -> dict[str, Any]:
    return {"id": "msg_1", "model_name": "claude", "stop_reason": word, **more}


# The messages that the straight-line paths are made for, and similar ones.
USUAL: list[Any] = [
    _ai([THOUGHT, TEXT], _told("end_turn"), usage_metadata=USAGE),
    _ai([THOUGHT, _use("a")], _told("tool_use"), _call("a"), usage_metadata={**USAGE, **DETAILS}),
    _ai([THOUGHT, TEXT, _use("a"), _use("b")], _told("tool_use", model="claude"), _call("a"), _call("b")),
    _ai([_use("a"), _use("a")], _told("tool_use", stop_sequence=None), _call("a"), _call("a")),
    _ai([_use("a")], {"model": "claude", "stop_reason": "tool_use"}, _call("a")),
    _ai([_use("a")], {}, _call("a"), additional_kwargs={"reasoning_content": "so"}),
    _ai([_use("a", input={"n": 1})], {}, _call("a", args={"n": 1.0})),
    _ai([_use("a", input={"n": 1, "m": 2})], {}, _call("a", args={"m": 2, "n": 1})),
    _ai([_use("a", input={})], {}, _call("a")),
    _ai([_use("a", input={"_raw": 1})], {}, _call("a", args={"_raw": 1})),
    _ai([_use("a"), _use("b")], {}, _call("b"), _call("a")),
    _ai([_use("a")], {}, _call("a"), _call("b")),
    _ai([_use("a"), _use("b")], {}, _call("b")),
    _ai([_use("a"), TEXT], {}, _call("a")),
    _ai([_use("a"), {"type": "tool_call", **_call("b")}], {}, _call("a"), _call("b")),
    _ai([_use("a", id=None)], {}, _call("a", id=None)),
    _ai([_use("a", cache_control={"type": "ephemeral"})], {}, _call("a")),
    _ai([TEXT], _told("end_turn")),
    _ai("hi", _told("max_tokens")),
    _ai("hi", _told("some word")),
    _ai("hi", _told("end_turn", finish_reason="stop")),
    _ai([], _told("end_turn")),
    _ai([{"type": "thinking", "thinking": "hm"}]),
    _ai([{**THOUGHT, "signature": None}]),
    _ai([{**THOUGHT, "cache_control": {"type": "ephemeral"}}]),
    _human([TEXT, IMAGE]),
    _human([DATA]),
    _human([{"type": "image_url", "image_url": {"url": "data:;base64,"}}]),
    _human([{"type": "image_url", "image_url": {"url": "data:image/png;x=1;base64,QUJD"}}]),
    _human([{"type": "image_url", "image_url": {"url": "https://example.org", "detail": "low"}}]),
    _human([{"type": "image_url", "image_url": "https://example.org"}]),
    _human([_use("a"), THOUGHT]),
]
# The notes that these paths look for, planted on the wrong objects.
NOTES: list[Any] = [
    KWARGS_NOTE,
    LIST_NOTE,
    *STOP_NOTES.values(),
    *({"langchain": {"/shape": name}} for name in ("thinking", "image_url", "tool_use")),
    {"langchain": {"/shape": "tool_use", "/copies": "ct"}},
    {"langchain": {"/shape": "tool_use", "/copies": "c"}},
    {"other": {"/shape": "thinking"}},
]


def _noted(block: Any, shape: str, **more: Any) -> Any:
    return block.evolve(notes={"langchain": {"/shape": shape, **more}})


def _odd() -> list[am.Msg]:
    """Return messages that have these notes and are not quite the right ones for them."""
    call, other = am.ToolUseBlock("a", "f", {"x": 1}), am.ToolUseBlock("b", "f", {"y": 2})
    copied = _noted(call, "tool_use", **{"/copies": "ct"})
    free = am.ToolUseBlock("a", "f", raw_input="some text", kind="custom")
    sources: list[Any] = [
        am.URLSource("data:image/png;base64,QUJD"),
        am.URLSource("data:image/png,QUJD"),
        am.URLSource("https://example.org", "image/png"),
        am.URLSource("https://example.org", extras={"langchain": {"x": 1}}),
        am.FileSource("f1", "openai"),
        *(am.Base64Source("QUJD", kind) for kind in (None, "", "image/png;x=1", "image/png,x", "data:image/png")),
    ]
    images = [_noted(am.ImageBlock(source), "image_url") for source in sources]
    fields: Any
    others: list[Any] = [{}, {"redacted": "r"}, {"phase": "p"}, {"item_id": "i"}, {"metadata": {"k": 1}}]
    thoughts = [
        _noted(am.ThinkingBlock("hm", signature=signature, **fields), "thinking")
        for signature in (None, am.Signature("openai", "s"), am.Signature("anthropic", "s", extras={"x": {"y": 1}}))
        for fields in others
    ]
    contents: list[list[Any]] = [
        [other, copied], [copied, other], [copied, am.TextBlock("x")], [am.TextBlock("x"), copied, copied],
        [copied.evolve(id=None)], [copied.evolve(input=[1])], [copied.evolve(input={"_raw": 1})],
        [copied.evolve(raw_input="{bad")], [copied.evolve(raw_input='{"x": 1, "x": 1}')], [copied.evolve(status="s")],
        [_noted(call, "tool_use")], [_noted(call.evolve(kind="server"), "tool_use")],
        [_noted(free, "tool_use")], [_noted(free, "tool_use", **{"/copies": "ct"})],
        *([image] for image in images), *([thought] for thought in thoughts),
    ]  # fmt: skip
    found = [am.Msg(role, content) for content in contents for role in ("user", "assistant")]
    for (word, _), notes in STOP_NOTES.items():
        reason = finish_reason("stop_reason", str(word))
        for metadata in ({}, {"model": "m"}, {"stop_reason": "end_turn"}, {"finish_reason": "x"}, {"model_name": "m"}):
            for model in (None, "claude"):
                fields = {"finish_reason": reason, "notes": notes, "model": model}
                found.append(am.Msg("assistant", "hi", response_metadata=metadata, **fields))
                found.append(found[-1].evolve(role="user"))
                found.append(found[-1].evolve(finish_reason=None, role="assistant"))
    return found


def _outcome(act: Callable[[], Any]) -> Any:
    try:
        return act()
    except AgentMsgError as error:
        return error.code, error.path


def _check_writing(history: am.History) -> None:
    carried = fitting.fit(history, FAST).history
    written = plain_copy(thaw(FAST.write(carried)))
    assert same_document(written, plain_copy(thaw(GENERAL.write(carried)))), written


def _check(document: Any) -> am.History | None:
    """Check that both paths read the same, notes and all, and write the same."""
    fast = _outcome(lambda: FAST.read(plain_copy(document)))
    slow = _outcome(lambda: GENERAL.read(plain_copy(document)))
    if not isinstance(fast, am.History) or not isinstance(slow, am.History):
        assert fast == slow, document
        return None
    assert am.same(fast, slow), document
    # The canonical form, because it shows the notes.
    assert same_document(am.encode(fast, "json"), am.encode(slow, "json")), document
    _check_writing(fast)
    _check_writing(am.decode(am.encode(fast, "json"), "json"))
    return fast


@pytest.mark.parametrize("native", USUAL, ids=range(len(USUAL)))
def test_both_paths_agree_on_usual_messages(native: Any) -> None:
    """The messages that the straight-line paths are made for are read and written as in the general path."""
    for document in ([native], [native["data"]], native):
        assert _check(document) is not None


def test_both_paths_agree_on_documents() -> None:
    """Golden, recorded and measured documents read and write as in the general path."""
    measured = pytest.importorskip("benchmarks.peers.with_langchain").document(mixed_history(40))
    _check(am.get_codec("langchain").parse(measured, am.limits.DEFAULT_LIMITS, "last"))
    for _, document in documents("langchain"):
        _check(document)


def test_both_paths_agree_on_damaged_messages() -> None:
    """A damaged message is read and written as in the general path, and so is an edited one."""
    rng = random.Random(5)
    read = 0
    for _ in range(MUTANTS):
        history = _check(mutate([rng.choice(USUAL)], rng))
        if history is not None:
            read += 1
            _check_writing(edit(history, rng))
    assert read > MUTANTS // 20


def test_most_usual_messages_take_the_straight_line() -> None:
    """The most expensive messages are read and written without the general path."""
    FAST.engine.fill()
    for native in USUAL[:4]:
        message = FAST.engine.fast_readers["ai"](native["data"])
        assert message is not None
        assert FAST.engine.fast_writers["assistant"](message) is not None


@given(histories(), st.integers())
def test_both_paths_agree_on_planted_notes(history: am.History, seed: int) -> None:
    """Whatever the notes are, the straight-line paths write the same as the general path."""
    rng = random.Random(seed)
    _check_writing(_planted(history, rng))


def test_both_paths_agree_on_notes_that_no_longer_hold() -> None:
    """A note beside fields that its shape can't hold is written as in the general path."""
    for message in _odd():
        _check_writing(am.History([message]))
        _check_writing(am.History([message.evolve(notes=LIST_NOTE)]))


def test_both_paths_agree_on_notes_beside_them() -> None:
    """The same, for messages with almost the shape of the notes."""
    rng = random.Random(6)
    usual = [FAST.read([native]) for native in USUAL]
    for _ in range(MUTANTS):
        _check_writing(_planted(rng.choice(usual), rng))
        _check_writing(edit(_planted(rng.choice(usual), rng), rng))


def _planted(history: am.History, rng: random.Random) -> am.History:
    def planted(noted: Any) -> Any:
        return noted.evolve(notes=rng.choice(NOTES)) if rng.random() < 0.5 else noted

    return history.evolve(
        messages=[planted(message).evolve(content=[planted(block) for block in message.content]) for message in history]
    )


@pytest.mark.parametrize("cls", [am.ThinkingBlock, am.ImageBlock, am.ToolUseBlock])
def test_both_paths_agree_on_hooks_of_yours(cls: type) -> None:
    """If a user's hook writes a class, the straight-line paths note the same as the general path."""
    codecs = LangChainCodec(), LangChainCodec()
    for codec in codecs:
        codec.engine.converter.register_unstructure_hook_func(lambda kind: kind is cls, lambda _: THOUGHT)
        codec.engine.fill()
    codecs[1].engine.fast_readers.clear()
    codecs[1].engine.parts.quick.clear()
    for native in USUAL:
        fast, slow = (am.encode(codec.read([plain_copy(native)]), "json") for codec in codecs)
        assert same_document(fast, slow), native
