"""The codec ``agentscope`` against the real library, 2.x and 1.x: it loads ours, and its own come back."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AnyUrl

import agentmsg as am
from agentmsg.testing import exact_return, histories, json_values, texts
from agentmsg_codecs.agentscope import AgentScopeCodec
from real.agentscope_fields import ours, theirs
from real.compare import Difference, differences
from support.documents import documents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from real.library import Library

pytestmark = pytest.mark.slow

CODEC = {1: AgentScopeCodec(version=1), 2: AgentScopeCodec(version=2)}


def natives_of(document: Any) -> list[Any]:
    """Return the native messages of a document that we wrote."""
    natives: list[Any] = CODEC[2].native_messages(am.thaw(document))
    # A memory of 1.x holds messages with their marks.
    return [native[0] if type(native) is list else native for native in natives]


def made(field: str) -> Difference:
    """Return the difference of a field that the library fills itself if it is missing."""
    return Difference(field, "what is not told gets an id, or the time of its loading", lambda own, _: own is None)


def usual(field: str, value: Any) -> Difference:
    """Return the difference of a field that has a default if it is missing."""
    return Difference(field, "what is not told is as usual", lambda own, their: own is None and am.same(their, value))


SHORT_URL = am.Msg.user("x").with_content([am.ImageBlock.from_url("https://example.com")])


def spelling(field: str) -> Difference:
    """Return the difference of a time that the library keeps in its own spelling."""

    def holds(own: Any, their: Any) -> bool:
        return own is not None and datetime.fromisoformat(own) == datetime.fromisoformat(their)

    return Difference(field, "the library keeps a time as it is spelt", holds)


BLOCKS = ("text", "thinking", "hint", "data", "tool_call", "tool_result")
OF_0X = [
    Difference(key, "what 0.x wrote of its class is ignored", lambda _, their: their is None)
    for key in ("__module__", "__name__", "__type")
]
TABLE: dict[int, list[Difference]] = {
    1: [made("id"), made("timestamp")],
    2: [
        *map(made, ("id", "created_at")),
        *OF_0X,
        *(made(f"{block}.created_at") for block in BLOCKS),
        *(made(f"{block}.id") for block in ("text", "thinking", "data")),
        Difference(
            "data.source",
            "URLs are normalised",
            lambda own, their: {**own, "url": str(AnyUrl(own["url"]))} == their,
        ),
        usual("tool_call.state", "pending"),
        usual("tool_call.suggested_rules", []),
        Difference(
            "tool_call.raw_input",
            "a text of 1.x that is not that of the input is ignored",
            lambda _, their: their is None,
        ),
        Difference(
            "usage",
            "counts of the cache that are not told are 0",
            lambda own, their: {key: value or 0 for key, value in own.items()} == their,
        ),
    ],
}


def pairs(library: Library, version: int, natives: Iterable[Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield each message and each of its blocks as we mean it, and as the library has loaded it."""
    natives = list(natives)
    for native, answer in zip(natives, library.load(natives), strict=True):
        assert "error" not in answer, (answer["error"], native)
        assert not answer.get("problems"), (answer["problems"], native)
        # As AgentScope's own blocks, not as those of the provider that answered.
        group = envelope_of(version).wrapped(am.decode(native, CODEC[version])).messages
        yield from zip(ours(group, version), theirs(answer["fields"]), strict=True)


def envelope_of(version: int) -> Any:
    """Return what turns answers into AgentScope's own blocks."""
    codec = CODEC[version]
    return (am.get_codec(codec) if isinstance(codec, str) else codec).envelope


@pytest.fixture(params=[1, 2], ids=["1.x", "2.x"], scope="session")
def version(request: pytest.FixtureRequest) -> int:
    """Return the version under test."""
    return int(request.param)


@pytest.fixture(scope="session")
def library(version: int, request: pytest.FixtureRequest) -> Library:
    """Return the library of a version."""
    found: Library = request.getfixturevalue(f"agentscope{version}")
    return found


def test_all_documents_mean_the_same(library: Library, version: int) -> None:
    """Every document, its own or converted, loads with each field as we mean it, except for the table."""
    written = [native for source in am.codec_names() for native in all_written(source, version)]
    written += natives_of(am.encode(SHORT_URL, CODEC[version], losses=[]))
    assert differences(pairs(library, version, written), TABLE[version]) == {*TABLE[version]}


def all_written(source: am.CodecName, version: int) -> Iterator[Any]:
    """Yield the native messages that are written for the documents of a format."""
    for name, document in documents(source):
        written = am.encode(am.decode(document, source), CODEC[version], losses=[])
        # Messages without names are those that the test data marks so: both versions refuse them.
        yield from (native for native in natives_of(written) if "name" in native or "in a state" not in name)


@given(history=histories())
def test_any_history_means_the_same(library: Library, version: int, history: am.History) -> None:
    """Any history of the model, once written, loads with each field as we mean it."""
    written = natives_of(am.encode(history, CODEC[version], losses=[]))
    differences(pairs(library, version, written), TABLE[version])


URLS = st.one_of(
    st.sampled_from(("a.png", "file:///a.png", "data:image/png;base64,aGk=", "https://Example.org:443/\u00fc b", "x:")),
    st.builds(
        "{}:{}/{}".format,
        st.sampled_from(("http", "https", "HTTPS", "ftp", "file", "data", "gs", "", "1")),
        st.text(st.sampled_from("ab./:[]@%0-\u00fc\u2100\u0661 \t"), max_size=6),
        st.text(st.sampled_from("a/?#%0\x00 "), max_size=4),
    ),
)


@given(urls=st.lists(URLS, max_size=4))
def test_no_url_is_written_that_is_refused(library: Library, version: int, urls: list[str]) -> None:
    """An image with any URL is written so that it loads, and means the same."""
    images = [am.Msg.user("x").with_content([am.ImageBlock.from_url(url)]) for url in urls]
    differences(pairs(library, version, natives_of(am.encode(images, CODEC[version], losses=[]))), TABLE[version])


# -- its output -------------------------------------------------------------------------------------------------------

Strategy = st.SearchStrategy[Any]
TIMES = st.one_of(st.datetimes().map(lambda time: time.isoformat()), st.sampled_from(("2026-01-15T10:30:00Z", "soon")))
OBJECTS = st.dictionaries(texts(), json_values(), max_size=3)
SOURCES = {
    "Base64Source": {"data": texts(), "media_type": st.sampled_from(("image/png", "audio/wav", "application/pdf", ""))},
    "URLSource": {
        "url": st.sampled_from(
            ("https://example.com", "http://x/a b?c", "file:///a.png", "data:image/png;base64,aGk=")
        ),
        "media_type": st.sampled_from(("image/*", "video/mp4", "odd")),
    },
}
RULE = {"tool_name": "f", "rule_content": "*", "behavior": "allow", "source": "user"}


def built(cls: str, needed: dict[str, Strategy], /, **optional: Strategy) -> Strategy:
    """Return calls of a constructor with any of its arguments."""
    fields = st.fixed_dictionaries(needed, optional=optional)
    return st.fixed_dictionaries({"class": st.just(cls), "fields": fields})


def blocks_2() -> tuple[Strategy, Strategy, Strategy]:
    """Return the blocks of 2.x: any text; any text or data; any block."""
    own: dict[str, Strategy] = {"created_at": TIMES, "finished_at": TIMES}
    ids: dict[str, Strategy] = {"id": texts(), **own}
    source = st.one_of(*(built(name, fields) for name, fields in SOURCES.items()))
    text = built("TextBlock", {"text": texts()}, **ids)
    plain = st.one_of(text, built("DataBlock", {"source": source}, name=texts(), **ids))
    inner = st.one_of(texts(), st.lists(plain, max_size=2))
    link: dict[str, Strategy] = {"id": texts(), "name": texts()}
    calls = st.sampled_from(("pending", "asking", "allowed", "submitted", "finished"))
    results = st.sampled_from(("success", "error", "interrupted", "denied", "running"))
    more: dict[str, Strategy] = {"signature": texts(), "redacted_thinking_data": texts(), "mine": json_values()}
    acts = (
        built("ThinkingBlock", {"thinking": texts()}, **ids, **more),
        built("HintBlock", {"hint": inner}, source=texts(), **ids),
        built("ToolCallBlock", {**link, "input": texts()}, state=calls, suggested_rules=st.just([RULE]), **own),
        built("ToolResultBlock", {**link, "output": inner}, state=results, metadata=OBJECTS, **own),
    )
    return text, plain, st.one_of(plain, *acts)


def made_by_2() -> Strategy:
    """Return any message of 2.x."""
    text, plain, anything = blocks_2()
    fields: dict[str, Strategy] = {"metadata": OBJECTS, "created_at": TIMES, "finished_at": TIMES, "id": texts()}
    fields["finished_reason"] = st.sampled_from(("completed", "interrupted", "exceed_max_iters", "error"))
    counts = st.integers(0, 2**40)
    usage = st.fixed_dictionaries(
        {"input_tokens": counts, "output_tokens": counts},
        optional={"cache_input_tokens": counts, "cache_creation_input_tokens": counts},
    )
    ends: dict[str, Strategy] = {"usage": usage, "structured_output": OBJECTS}
    error = st.fixed_dictionaries({"type": st.sampled_from(("upstream", "unknown")), "message": texts()})

    def message(cls: str, content: Strategy, /, **more: Strategy) -> Strategy:
        said = {"name": texts(), "content": st.one_of(texts(), st.lists(content, max_size=4))}
        return built(cls, said, **fields, **more)

    whole = {"name": texts(), "role": st.just("assistant"), "content": st.lists(anything, max_size=4)}
    return st.one_of(
        message("UserMsg", plain),
        message("SystemMsg", text),
        message("AssistantMsg", anything, **ends),
        built("Msg", whole, **fields, **ends, error=error),
    )


def made_by_1() -> Strategy:
    """Return any message of 1.x, whose blocks are dicts with a type."""

    def block(cls: str, tag: str, /, **needed: Strategy) -> Strategy:
        return built(cls, {"type": st.just(tag), **needed})

    url = st.fixed_dictionaries({"type": st.just("url"), "url": texts()})
    data = {"type": st.just("base64"), "media_type": st.sampled_from(("image/png", "")), "data": texts()}
    source = st.one_of(url, st.fixed_dictionaries(data))
    media = [block(f"{tag.title()}Block", tag, source=source) for tag in ("image", "audio", "video")]
    text = block("TextBlock", "text", text=texts())
    call = {"type": st.just("tool_use"), "id": texts(), "name": texts(), "input": OBJECTS}
    inner = st.lists(st.one_of(text, *media).map(lambda each: each["fields"]), max_size=2)
    anything = st.one_of(
        text,
        *media,
        block("ThinkingBlock", "thinking", thinking=texts()),
        built("ToolUseBlock", call, raw_input=texts()),
        block("ToolResultBlock", "tool_result", id=texts(), name=texts(), output=st.one_of(texts(), inner)),
    )
    said = {
        "name": texts(),
        "role": st.sampled_from(("user", "assistant", "system")),
        "content": st.one_of(texts(), st.lists(anything, max_size=4)),
    }
    return built("Msg", said, metadata=OBJECTS, timestamp=st.one_of(TIMES, st.just("2026-01-15 10:30:00.123")))


MADE = {1: made_by_1(), 2: made_by_2()}
WRITTEN = {
    1: [
        *TABLE[1],
        spelling("timestamp"),
        Difference("text", "content that is an empty text is no block", lambda own, their: own is None and their == ""),
        Difference("role", "results stand in messages of any role", lambda own, their: own == "system" != their),
        Difference("tool_use.raw_input", "an empty text says nothing", lambda own, their: own is None and their == ""),
    ],
    2: [*TABLE[2], spelling("created_at")],
}


@given(data=st.data())
def test_what_the_library_makes_comes_back(library: Library, version: int, data: st.DataObject) -> None:
    """Each message made by its constructors is returned exactly, and means the same here as there."""
    answers = library.make(data.draw(st.lists(MADE[version], max_size=4)))
    assert not [answer for answer in answers if "error" in answer]
    written = [answer["dump"] for answer in answers]
    for document in (written, *written):
        history = exact_return(AgentScopeCodec(), document)
        assert history is not None
        assert not [message for message in history if message.role == "native" or message.has(am.NativeBlock)]
    differences(pairs(library, version, written), WRITTEN[version])


CALL: dict[str, Any] = {"type": "tool_use", "id": "c", "name": "f", "input": {}, "raw_input": ""}
RESULT: dict[str, Any] = {"type": "tool_result", "id": "c", "name": "f", "output": []}
ODD: dict[int, list[dict[str, Any]]] = {
    1: [
        {"name": "a", "role": "user", "content": "", "timestamp": "2026-01-15T10:30:00"},
        {
            "name": "a",
            "role": "assistant",
            "content": [{"class": "ToolUseBlock", "fields": CALL}],
            "timestamp": "2026-01-15 10:30:00.123",
        },
        {
            "name": "a",
            "role": "assistant",
            "content": [{"class": "ToolResultBlock", "fields": RESULT}],
            "timestamp": "2026-01-15 10:30:00.123",
        },
    ],
    2: [{"name": "a", "role": "user", "content": [], "created_at": "2026-01-15T10:30:00Z"}],
}


def test_what_it_spells_otherwise_is_known(library: Library, version: int) -> None:
    """The library loads some values differently than we read them: each entry of the table occurs."""
    answers = library.make({"class": "Msg", "fields": fields} for fields in ODD[version])
    met = differences(pairs(library, version, [answer["dump"] for answer in answers]), WRITTEN[version])
    assert met == {*WRITTEN[version]} - {*TABLE[version]}
