"""The codec ``langchain-lc`` against LangChain JS: its load() accepts what we write, and its messages come back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.testing import exact_return, histories, json_values, texts
from agentmsg_codecs.langchain.lc import LangChainLcCodec
from real.compare import Difference, differences
from support.documents import documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from real.library import Library

pytestmark = pytest.mark.slow

CODEC = LangChainLcCodec(dialect="js")
LISTS = ("tool_calls", "invalid_tool_calls")
OBJECTS = ("additional_kwargs", "response_metadata")
TABLE = [
    Difference("content", "content of v1 blocks only is no text there", lambda own, their: own == "" and their == []),
    Difference("tool_calls", "it makes calls out of OpenAI's, too", lambda own, their: own == [] and bool(their)),
]

# Made histories also have extras under the names of these fields; no document has.
UNREAD = [
    Difference(name, "a message that isn't the model's has no calls there", lambda _, their: their is None)
    for name in LISTS
]


def number(value: Any) -> Any:
    """Return a value as JavaScript has it: unescaped, all numbers doubles, and no negative zero."""
    if isinstance(value, dict):
        if value.keys() == {"__lc_escaped__"}:
            return number(value["__lc_escaped__"])
        return {key: number(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType] - any JSON
    if isinstance(value, list):
        return [number(item) for item in value]  # pyright: ignore[reportUnknownVariableType] - any JSON
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return float(value) + 0.0


def ours(native: Any) -> dict[str, Any]:
    """Return the fields that an envelope of ours must have there; empty lists of calls and objects included."""
    kwargs: dict[str, Any] = {key: value for key, value in native["kwargs"].items() if key not in ("type", "lc")}
    called = native["id"][-1].startswith("AI")
    usual: dict[str, Any] = {key: {} for key in OBJECTS}
    usual |= {key: [] for key in LISTS} if called else {}
    return {"class": native["id"][-1], **usual, **kwargs}


def pairs(library: Library, natives: list[Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield each message as we wrote it, and as the library has loaded it."""
    for native, answer in zip(natives, library.load(natives), strict=True):
        assert "error" not in answer, (answer["error"], native)
        own, their = ours(native), answer["fields"]
        link = am.decode([native], CODEC)[0].tool_call_id
        assert own["class"] != "ToolMessage" or link == their["tool_call_id"]
        yield number({name: own.get(name) for name in their}), number(their)
        history = exact_return(CODEC, [answer["dump"]])
        assert history is not None
        assert history[0].role != "native"


def test_all_documents_mean_the_same(langchain_js: Library) -> None:
    """Every document of JavaScript, or converted, loads with each field as we wrote it, except for the table."""
    found: list[tuple[am.CodecName, str, Any]] = [
        (source, name, document) for source in am.codec_names() for name, document in documents(source)
    ]
    # Python's envelopes come back unchanged, unescaped data included.
    kept = [document for document in found if document[0] != CODEC.name or document[1] == "LangChain JS"]
    natives = [native for source, _, document in kept for native in fresh(am.decode(document, source))]
    assert differences(pairs(langchain_js, natives), TABLE) == {*TABLE}


def fresh(history: am.History) -> list[Any]:
    """Return a history's messages as new envelopes in the dialect of JavaScript."""
    written: list[Any] = am.thaw(am.encode(am.History(history.messages), CODEC, losses=[]))
    return written


CALL = st.fixed_dictionaries(
    {"name": texts(), "args": st.dictionaries(texts(), json_values(), max_size=2), "id": texts()}
)
CONTENT = st.one_of(
    texts(),
    st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": texts()}), max_size=2),
    st.just([{"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}]),
)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(OBJECTS, st.dictionaries(texts(), json_values(), max_size=2)),
    **dict.fromkeys(("id", "name"), texts()),
}
CLASSES: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "HumanMessage": {},
    "SystemMessage": {},
    "AIMessage": {"tool_calls": st.lists(CALL, max_size=2)},
    "ToolMessage": {"status": st.sampled_from(("success", "error")), "artifact": json_values()},
}


def made(name: str) -> st.SearchStrategy[Any]:
    """Return calls of the constructor of a class."""
    needed = {"content": CONTENT, **({"tool_call_id": texts()} if name == "ToolMessage" else {})}
    fields = st.fixed_dictionaries(needed, optional={**FIELDS, **CLASSES[name]})
    return st.fixed_dictionaries({"class": st.just(name), "fields": fields})


@given(requests=st.lists(st.one_of(*map(made, CLASSES)), max_size=4))
def test_what_the_library_makes_comes_back(langchain_js: Library, requests: list[Any]) -> None:
    """Each message made by its constructors is returned exactly, and is one that we know."""
    answers = langchain_js.make(requests)
    assert not [answer for answer in answers if "error" in answer]
    history = exact_return(CODEC, [answer["dump"] for answer in answers])
    assert history is not None
    assert not [message for message in history if message.role == "native"]


@given(history=histories())
def test_any_history_loads(langchain_js: Library, history: am.History) -> None:
    """Any history of the model, once written, loads with each field as we wrote it."""
    differences(pairs(langchain_js, fresh(history)), [*TABLE, *UNREAD])
