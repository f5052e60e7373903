"""The codec ``lionpride`` against the real library: what we write means the same there, and its messages come back."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.model.tool_arguments import input_object
from agentmsg.testing import exact_return, histories, json_values, texts
from agentmsg_codecs.lionpride import LionprideCodec
from real.compare import Difference, differences, everything

if TYPE_CHECKING:
    from collections.abc import Iterator

    from real.library import Library

pytestmark = pytest.mark.slow

CODEC = LionprideCodec()
CLASSES = {"user": "InstructionContent", "tool": "ActionResponseContent", "system": "SystemContent"}


# -- our output -------------------------------------------------------------------------------------------------------


def content_of(message: am.Msg) -> Iterator[tuple[str, Any]]:
    """Yield the fields that the content of one of our messages must have there."""
    names = {"user": "instruction", "assistant": "assistant_response", "system": "system_message"}
    for block in message.content:
        match block:
            case am.TextBlock():
                yield names[message.role], block.text
            case am.DataBlock():
                yield str(block.name), am.thaw(block.data)
            case am.ImageBlock():
                sources = [image.source for image in message.blocks(am.ImageBlock)]
                yield "images", [source.url for source in sources if isinstance(source, am.URLSource)]
                yield "image_detail", block.detail
            case am.ToolUseBlock():
                yield "function", block.name
                yield "arguments", am.thaw(input_object(block))
            case am.ToolResultBlock():
                yield "request_id", block.tool_call_id
                yield "result", message.text if block.content else am.thaw(block.structured)
                yield "error", block.error
            case _:
                pytest.fail(f"lionpride has no place for {block!r}")


def ours(message: am.Msg) -> dict[str, Any]:
    """Return the fields that a message must have there."""
    result = message.first(am.ToolResultBlock)
    call = message.first(am.ToolUseBlock)
    called = "AssistantResponseContent" if call is None else "ActionRequestContent"
    return {
        "id": message.id if call is None else call.id,
        "created_at": message.created_at and message.created_at.isoformat(),
        "metadata": am.thaw(message.metadata),
        "embedding": list(message.embedding) if message.embedding else None,
        "sender": message.name,
        "recipient": message.recipient,
        "role": message.role,
        "class": CLASSES.get(message.role, called),
        # An empty text of an error is none there.
        "success": None if result is None else not result.is_error or result.error == "",
        **{f"content.{name}": value for name, value in content_of(message)},
    }


def theirs(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the library's fields, flat."""
    content = fields.pop("content")
    return {**fields, **{f"content.{name}": value for name, value in content.items()}}


def parsed(field: str) -> Difference:
    """Return the difference of a text field in which a text that is JSON is written as its value."""
    return Difference(
        f"content.{field}",
        "lionpride parses texts that are JSON when it writes: such a text is no text when it loads that",
        lambda own, their: not isinstance(their, str | None) and am.same(json.loads(own), their),
    )


TABLE = [
    Difference("id", "a message without id gets one", lambda own, their: own is None and bool(UUID(their))),
    parsed("assistant_response"),
    Difference("created_at", "a message without time gets that of its loading", lambda own, _: own is None),
]


def pairs(library: Library, histories: list[am.History]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield each message as we mean it, and as the library has loaded it."""
    natives = [native for history in histories for native in CODEC.native_messages(am.thaw(CODEC.write(history)))]
    messages = [message for history in histories for message in history]
    for message, native, answer in zip(messages, natives, library.load(natives), strict=True):
        assert "error" not in answer, (answer["error"], native)
        yield ours(message), theirs(answer["fields"])


def test_all_documents_mean_the_same(lionpride: Library) -> None:
    """Every document, its own or converted, loads with each field as we mean it, except for the table."""
    histories = [history for _, history in everything(CODEC, am.codec_names())]
    assert differences(pairs(lionpride, histories), TABLE) == {*TABLE}


@given(history=histories())
def test_any_history_means_the_same(lionpride: Library, history: am.History) -> None:
    """Any history of the model, once written, loads with each field as we mean it."""
    written = am.decode(am.thaw(am.encode(history, CODEC, losses=[])), CODEC)
    differences(pairs(lionpride, [written]), TABLE)


URLS = st.builds(
    "{}://{}/{}".format,
    st.sampled_from(("http", "https", "HTTPS", "ftp", "data", "")),
    st.text(st.sampled_from("ab.:[]@%0-\u2100\u0661 \t"), max_size=5),
    st.text(st.sampled_from("a/?#%0\x00 "), max_size=4),
)


@given(urls=st.lists(URLS, max_size=4))
def test_no_image_is_written_that_is_refused(lionpride: Library, urls: list[str]) -> None:
    """An image with any URL is written so that it loads, and means the same."""
    images = [am.Msg.user("x").with_content([am.ImageBlock.from_url(url)]) for url in urls]
    written = [am.decode(am.encode([image], CODEC, losses=[]), CODEC) for image in images]
    differences(pairs(lionpride, written), TABLE)


@pytest.mark.parametrize(
    "url",
    [
        "HTTPS://Example.org",
        "http://[::1]:80/a.png",
        "http://a@b/?c#d",
        "http://b\u00fccher.example/a",
        "http://a b/\t",
    ],
)
def test_an_image_that_is_taken_is_written(lionpride: Library, url: str) -> None:
    """Images that the library accepts are supported, on usual and odd hosts."""
    (answer,) = lionpride.load([{"content": {"images": [url]}}])
    assert answer["fields"]["content"] == {"images": [url]}
    image = am.Msg.user("x").with_content([am.ImageBlock.from_url(url)])
    losses: list[am.Loss] = []
    assert am.encode([image], CODEC, losses=losses)[0]["content"] == {"images": [url]}
    assert not losses


# -- its output -------------------------------------------------------------------------------------------------------

UUIDS = st.uuids().map(str)
NAMES = st.one_of(texts(), UUIDS, st.sampled_from(("user", "unset", "SYSTEM", "agent_1")))
OBJECTS = st.dictionaries(texts(), json_values(), max_size=3)
ZONES = st.sampled_from(("", "Z", "+00:00", "-03:30", "+14:00"))
TIMES = st.one_of(
    st.builds("{}{}".format, st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 28)).map(datetime.isoformat), ZONES),
    st.integers(-(10**9), 10**10),
    st.floats(0, 10**10),
)
CONTENTS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "SystemContent": {"system_message": texts(), "system_datetime": st.one_of(st.just(True), texts())},
    "InstructionContent": {
        "instruction": json_values(),
        "context": st.lists(json_values(), max_size=3),
        "tool_schemas": st.lists(texts(), max_size=2),
        "images": st.lists(st.sampled_from(("https://example.org/a.png", "http://x/?a=b#c")), max_size=2),
        "image_detail": st.sampled_from(("low", "high", "auto")),
    },
    "AssistantResponseContent": {"assistant_response": texts()},
    "ActionRequestContent": {"function": texts(), "arguments": OBJECTS},
    "ActionResponseContent": {"request_id": st.one_of(UUIDS, texts()), "result": json_values(), "error": texts()},
}
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "id": UUIDS,
    "created_at": TIMES,
    "metadata": OBJECTS,
    "embedding": st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=3),
    "sender": NAMES,
    "recipient": NAMES,
}
# The modes of to_dict that return plain data.
WAYS: list[dict[str, str]] = [
    {},
    {"created_at_format": "timestamp"},
    {"mode": "db", "created_at_format": "isoformat"},
    {"embedding_format": "pgvector"},
    {"embedding_format": "jsonb"},
]


def some(fields: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Return any selection of some arguments."""
    return st.fixed_dictionaries({}, optional=fields)


MADE = st.one_of(
    *(
        st.fixed_dictionaries(
            {"class": st.just(name), "content": some(arguments), "fields": some(FIELDS), "how": st.sampled_from(WAYS)},
            optional={"clone": some({"sender": NAMES})},
        )
        for name, arguments in CONTENTS.items()
    )
)

# The library leaves empty fields out, and writes texts that are JSON as values.
WRITTEN = [
    *map(parsed, ("assistant_response", "system_message", "function", "request_id", "error")),
    Difference("content.arguments", "no arguments are none", lambda own, their: own == {} and their is None),
    Difference("content.function", "an empty name is none", lambda own, their: own == "" and their is None),
    Difference(
        "content.image_detail", "alone it is dropped when it loads", lambda own, their: bool(own) and their is None
    ),
    Difference(
        "success",
        "an error whose text is the JSON of something empty is no error when it loads",
        lambda own, their: own is False and their is True,
    ),
]
EXAMPLES: list[tuple[str, dict[str, Any]]] = [
    ("ActionRequestContent", {"function": "f"}),
    ("ActionRequestContent", {"arguments": {"a": 1}}),
    ("ActionRequestContent", {"function": "1", "arguments": {"a": 1}}),
    ("ActionResponseContent", {"request_id": "1", "result": 2}),
    ("ActionResponseContent", {"error": "1"}),
    ("ActionResponseContent", {"error": "{}"}),
    ("AssistantResponseContent", {"assistant_response": "1"}),
    ("InstructionContent", {"image_detail": "low"}),
    ("SystemContent", {"system_message": "1"}),
]


def met_in(library: Library, requests: list[dict[str, Any]]) -> set[Difference]:
    """Return the differences that occur in the library's messages; all messages must come back exactly."""
    answers = library.make(requests)
    assert not [answer for answer in answers if "error" in answer]
    written = [answer["dump"] for answer in answers if "no dump" not in answer]
    met: set[Difference] = set()
    for history in [exact_return(CODEC, written), *(exact_return(CODEC, each) for each in written)]:
        assert history is not None
        assert not [message for message in history if message.role == "native"]
        met |= differences(pairs(library, [history]), WRITTEN)
    return met


def test_what_it_drops_and_parses_is_known(lionpride: Library) -> None:
    """The library loads some values differently than we read them: exactly those in the table."""
    requests = [{"class": name, "content": content, "fields": {}} for name, content in EXAMPLES]
    assert met_in(lionpride, requests) == {*WRITTEN}


@given(requests=st.lists(MADE, max_size=4))
def test_what_the_library_makes_comes_back(lionpride: Library, requests: list[dict[str, Any]]) -> None:
    """Each message made by its constructors is returned exactly, and means the same here as there."""
    met_in(lionpride, requests)
