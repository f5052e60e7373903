"""The eight laws, for every registered codec and for made-up ones: the suite that no codec is exempt from."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmsg import History, Msg, codec_names, get_codec
from agentmsg.testing import (
    canonical,
    carried_account,
    edit,
    edits_win,
    exact_return,
    floor,
    histories,
    honest_account,
    messages,
    mutate,
    notes_never_matter,
    plant_notes,
    prefix_stable,
    pure,
    through_the_middle,
    typed_errors,
)
from data import PROFILE
from support.documents import documents
from support.toys import TOYS, StrictToy

if TYPE_CHECKING:
    from agentmsg.codec import Codec

REGISTERED = tuple(get_codec(name) for name in codec_names())
ALL = (*REGISTERED, *TOYS)
CANONICAL = tuple(codec for codec in REGISTERED if codec.caps.everything)
# What is planted as notes: the families and keys that the codecs look for.
FAMILIES = (
    "agentmsg", "anthropic", "anthropic.response", "json", "langchain", "langchain.lc", "langgraph", "lionpride",
    "lionpride.content", "msgpack", "openai", "openai.choice", "openai.response", "arcaelas", "riffer", "synaptic",
    "agentscope", "agentscope-java", "x",
)  # fmt: skip
KEYS = (
    "form", "container", "content", "type", "role", "id", "name", "data", "additional_kwargs", "response_metadata",
    "args", "tool_calls", "seat", "shape", "c", "t", "a", "index", "status", "tool_call_id", "usage_metadata", "text",
    "/container", "/inline", "/list", "/message", "/odd", "/partial", "/str", "/unsigned", "/untitled", "/word",
    "cache_control", "citations", "input", "is_error", "source", "stop_reason", "system", "tools",
    "/annotated", "/at", "/bare", "/cuts", "/function", "/old", "/signed", "/value",
    "/call", "/copies", "/cost", "/encrypted", "/finish", "/lacks", "/legacy", "/named",
    "/no-id", "/place", "/refusal", "/summary",
    "/escapes", "/path", "/shown", "dialect", "escapes", "holder", "holes",
    "/apart", "/chunk", "/invalid", "/joint", "/listed", "/piece", "/variant",
    "/detail", "/error", "/free", "/link", "/parsed", "/plain", "/stored", "/time", "/unclassed", "metadata", "result",
    "timestamp", "thinking_signature", "tool_id", "/ids", "/link", "/object", "/old", "/time", "/type", "/version",
    "created_at", "finished_at", "finished_reason", "hint", "metadata", "output", "raw_input", "result", "state",
    "usage",
    "/as", "/both", "/form", "/nulls", "/role", "/shape", "/total", "/unsaid", "/usage",
    "/module", "/order", "/pydantic", "at", "how", "spelling", "wire",
    "=", "",
)  # fmt: skip
MARKS: tuple[Any, ...] = (
    True, "list", "cache_control", "both", "message", "own", "stop", "reasoning", "reasoning_content",
    "reasoning_details", [1, 2], [0],
    "thinking_blocks", ["reasoning"], ["reasoning_content", "reasoning"], ["id", "model"], ["created_at"],
    "bare", "chat", "error", "nothing", "space", "user", "ai",
    "id", "call_id", "tool_id", "tool_call_id", "encrypted", "summary", "text", "0.9", "latest", 1,
    2, "arguments", "assistant", "block", "context", "data", "image", "messages", "metadata", "result", "single",
    "system", "tool", "tool_call", "tool_use", "top", "TOOL", "User",
    ["additional_kwargs", "name"], ["langchain_core", "messages"], "given", "missing", "js", "tree",
    [[["additional_kwargs", "a"], "raw", "0"], [["content", 0], "wrapped", "0"]], [[["messages"], 1]],
    "lc", "dict", "flat", "pair", "role", "oldest", "delta", "one", "none", "json", "msgpack",
    ["channel_values", "messages"],
    [[[], ["id", "type", "content"]]], [[["args"], ["b", "a"]]], [[[], "raw", "0"]], ["0", [[0, 221]]],
    [[["generations", 0, 0, "message"], "text"]], ["langchain", "schema", "output", "ChatGeneration"],
)  # fmt: skip
MUTANTS = {"quick": 300, "default": 3_000, "long": 100_000}.get(PROFILE, 10_000)

each_codec = pytest.mark.parametrize("codec", ALL, ids=lambda codec: codec.name)
each_registered = pytest.mark.parametrize("codec", REGISTERED, ids=lambda codec: codec.name)


def _rng(draw: Any) -> random.Random:
    return random.Random(draw)


@each_registered
def test_every_document_comes_back_exactly(codec: Codec) -> None:
    """Law 1: golden and recorded documents are returned exactly, and none of them is refused."""
    for name, document in documents(codec.name):
        assert exact_return(codec, document) is not None, f"{name} was refused"


@each_registered
def test_mutated_documents_come_back_exactly(codec: Codec) -> None:
    """Laws 1 and 8: a damaged document is returned exactly, or refused by the one typed error."""
    rng = _rng(1)
    sources = documents(codec.name)
    read = 0
    for _ in range(MUTANTS):
        document = mutate(rng.choice(sources)[1], rng)
        typed_errors(codec, None, document)
        read += exact_return(codec, document) is not None
    assert read > MUTANTS // 20, f"only {read} of {MUTANTS} were read: the mutations say nothing"


@pytest.mark.parametrize("codec", CANONICAL, ids=lambda codec: codec.name)
@given(histories())
def test_canonical_forms_lose_nothing(codec: Codec, history: History) -> None:
    """Law 2: a canonical codec returns every history."""
    canonical(codec, history)


def test_the_canonical_codecs_are_the_two_of_ours() -> None:
    """Law 2 is asked of json and msgpack, so that it cannot pass by asking nobody."""
    assert [codec.name for codec in CANONICAL] == ["json", "msgpack"]


@each_codec
@given(history=histories(), seed=st.integers(0, 2**32))
def test_the_account_is_honest(codec: Codec, history: History, seed: int) -> None:
    """Law 3 (a-c): what is written reads back, and with its account, on file and shuffled, rebuilds the input."""
    honest_account(codec, history, rng=_rng(seed))


@each_codec
@given(histories())
def test_carried_accounts_rebuild_the_input(codec: Codec, history: History) -> None:
    """Law 3e: with carry, what a document carries in metadata and the rest of the account rebuild the input."""
    carried_account(codec, history)


@each_codec
@given(histories())
def test_what_the_table_says_is_carried(codec: Codec, history: History) -> None:
    """Law 3d, the floor: of a history made only of what the table names, fit changes nothing."""
    floor(codec, history)


@each_registered
@pytest.mark.parametrize("middle", CANONICAL, ids=lambda codec: codec.name)
def test_documents_pass_through_the_middle(codec: Codec, middle: Codec) -> None:
    """Law 4: a document that went through a canonical form is still returned exactly."""
    rng = _rng(2)
    sources = documents(codec.name)
    for _, document in sources:
        through_the_middle(codec, document, middle)
    for _ in range(500):
        through_the_middle(codec, mutate(rng.choice(sources)[1], rng), middle)


@each_codec
@given(history=histories(), seed=st.integers(0, 2**32))
def test_notes_never_change_meaning(codec: Codec, history: History, seed: int) -> None:
    """Law 5: whatever notes are planted, what is written reads back as what was fit."""
    notes_never_matter(codec, plant_notes(history, _rng(seed), FAMILIES, KEYS, MARKS))


@each_registered
def test_real_notes_planted_elsewhere_never_change_meaning(codec: Codec) -> None:
    """Law 5, with notes of real documents on the wrong objects."""
    rng = _rng(3)
    sources = documents(codec.name)
    for _ in range(1000):
        history = codec.read(rng.choice(sources)[1])
        notes_never_matter(codec, plant_notes(history, rng, (codec.family, codec.name), KEYS))


@each_registered
def test_edits_win(codec: Codec) -> None:
    """Law 6: after any edit of a history that was read, the new values are written."""
    rng = _rng(4)
    sources = documents(codec.name)
    for _ in range(2000):
        document = rng.choice(sources)[1]
        if rng.random() < 0.5:  # damaged ones as often
            document = mutate(document, rng)
        edits_win(codec, document, lambda history: edit(history, rng))


@each_registered
def test_codecs_are_pure(codec: Codec) -> None:
    """Law 7: documents stay as they were, and two readings or writings are the same to the letter."""
    rng = _rng(5)
    sources = documents(codec.name)
    for _, document in sources:
        pure(codec, document)
    for _ in range(500):
        pure(codec, mutate(rng.choice(sources)[1], rng))


@pytest.mark.parametrize(
    "codec", [codec for codec in ALL if not isinstance(codec, StrictToy)], ids=lambda codec: codec.name
)
@given(history=histories(), message=messages())
def test_prefixes_are_stable(codec: Codec, history: History, message: Msg) -> None:
    """Law 7: a message added behind changes no native message but the last (unless a format lifts systems)."""
    prefix_stable(codec, history, message)


@each_registered
@given(
    raw=st.one_of(st.binary(max_size=40), st.text(max_size=20).map(lambda text: text.encode("utf-8", "surrogatepass")))
)
def test_any_bytes_give_a_history_or_one_error(codec: Codec, raw: bytes) -> None:
    """Law 8: any bytes are read or refused by an AgentMsgError with codec and code."""
    typed_errors(codec, raw)


@each_registered
def test_damaged_bytes_give_a_history_or_one_error(codec: Codec) -> None:
    """Law 8: bytes of real documents, cut or with bytes changed, are read or refused by the one typed error."""
    rng = _rng(6)
    sources = [codec.render(document) for _, document in documents(codec.name)]
    for _ in range(3000):
        raw = bytearray(rng.choice(sources)[:4000])
        for _ in range(rng.randint(1, 4)):
            raw[rng.randrange(len(raw))] = rng.randrange(256)
        typed_errors(codec, bytes(raw[: rng.randint(0, len(raw))] if rng.random() < 0.5 else raw))


@each_registered
@pytest.mark.parametrize(
    "odd",
    [
        *(None, 3, 1.5, True, "text", b"bytes", [], {}),
        *({1: 2}, {"role": float("nan")}, ["\ud800"], [object()], {"messages": {1, 2}}),
    ],
    ids=lambda odd: repr(odd).split(" at 0x")[0],  # the same in every worker
)
def test_any_object_gives_a_history_or_one_error(codec: Codec, odd: Any) -> None:
    """Law 8: any Python object is read or refused by the one typed error."""
    typed_errors(codec, None, odd)


@each_registered
def test_cycles_and_depth_give_one_error(codec: Codec) -> None:
    """Law 8: a cycle, and nesting of any depth, are refused by the one typed error."""
    cycle: dict[str, Any] = {}
    cycle["role"] = cycle
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    for odd in (cycle, {"messages": cycle}, deep):
        assert not typed_errors(codec, None, odd)


def test_options_are_fields_of_codecs() -> None:
    """A codec is a frozen attrs object: its options are its fields, and it cannot be changed."""
    for codec in REGISTERED:
        assert attrs.has(type(codec))
        with pytest.raises(AttributeError):
            codec.name = "other"  # type: ignore[misc]
