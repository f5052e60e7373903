"""The JSON Schema of the canonical form: it accepts what the reader accepts, and refuses what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import agentmsg as am
from agentmsg.testing import histories, mutate
from agentmsg_codecs.canonical.fields import SPECS
from agentmsg_codecs.canonical.schema import json_schema
from support.documents import documents
from support.grand_tour import grand_tour

if TYPE_CHECKING:
    import random

pytestmark = pytest.mark.codec("json", "msgpack")

HERE = Path(__file__).parent
VALIDATOR: Any = Draft202012Validator(json_schema())
TOUR = json.loads((HERE / "stored" / "v1" / "grand_tour.json").read_bytes())
EMPTY: Any = {}
BARE: dict[str, Any] = {"agentmsg": 1, "messages": []}
# JSON Schema doesn't distinguish these: for it 1.0 is an integer, and 1 a number like 1.0.
UNTOLD = ("a whole number is needed", "a float is needed", "the version must be 1, not 1.0")


def takes(document: Any) -> bool:
    """Whether the schema allows a document."""
    return bool(VALIDATOR.is_valid(document))


def refusal(document: Any) -> am.AgentMsgError | None:
    """Return the error of the reader, or None if it accepts a document."""
    try:
        am.decode(document, "json")
    except am.AgentMsgError as error:
        return error
    return None


def cases(*documents: Any) -> tuple[Any, ...]:
    """Return documents of any kind as a table."""
    return documents


def of_message(**fields: Any) -> dict[str, Any]:
    """Return a document of one message."""
    return {**BARE, "messages": [{"role": "user", **fields}]}


def of_block(**fields: Any) -> dict[str, Any]:
    """Return a document of one block."""
    return of_message(content=[fields])


def test_it_is_a_schema() -> None:
    """The schema is valid in the dialect that it names, and all its references exist."""
    Draft202012Validator.check_schema(json_schema())
    text = json.dumps(json_schema())
    assert '"$schema": "https://json-schema.org/draft/2020-12/schema"' in text
    used = {part.partition('"')[0] for part in text.split("#/$defs/")[1:]}
    assert used == set(json_schema()["$defs"])


def test_it_has_all_fields_of_the_model() -> None:
    """Each class of the model has its attrs fields in the schema, by the names of the constructor, and no others."""
    for cls, spec in SPECS.items():
        names = {field.alias for field in attrs.fields(cls) if field.init}
        tag = [] if spec.tag is None else [spec.key]
        assert set(json_schema()["$defs"][cls.__name__]["properties"]) == {*names, *tag}


def test_fields_are_described() -> None:
    """The schema has the words of the docstrings, those of a base class too."""
    defs = json_schema()["$defs"]
    assert defs["Usage"]["properties"]["cache_read"]["description"] == "part of input that came from a cache."
    assert defs["Citation"]["properties"]["end"]["description"].startswith("the piece of our text")
    assert (
        defs["TextBlock"]["properties"]["metadata"]["description"] == "the application's own; never part of a prompt."
    )
    assert defs["Usage"]["description"].startswith("Counters of one response")


def test_it_belongs_to_the_caller() -> None:
    """Changing a returned schema changes no other."""
    json_schema()["$defs"].clear()
    assert json_schema()["$defs"]


def test_only_formats_with_a_schema_have_one() -> None:
    """A codec returns its schema, or None."""
    found = {name: am.get_codec(name).schema() for name in ("json", "msgpack", "openai")}
    assert found == {"json": json_schema(), "msgpack": None, "openai": None}


@given(histories())
@example(grand_tour())
def test_it_takes_what_is_written(history: am.History) -> None:
    """Every history is written as a document that the schema allows; so are its messages, alone and together.

    A message alone can't have an unknown key of the name that marks histories.
    """
    document = am.encode(history, "json")
    assert takes(document)
    assert takes(document["messages"])
    assert all(takes(message) for message in document["messages"] if "agentmsg" not in message)


def test_it_takes_converted_documents() -> None:
    """Documents of another format are allowed once they are converted."""
    found = [am.decode(document, "langchain") for _, document in documents("langchain")[:50]]
    assert found
    assert all(takes(am.encode(history, "json")) for history in found)


@pytest.mark.parametrize("path", sorted((HERE / "examples").glob("refund*.json")), ids=lambda path: path.name)
def test_it_takes_examples(path: Path) -> None:
    """The canonical example of README is allowed."""
    assert takes(json.loads(path.read_bytes()))


@given(histories(2), st.randoms(use_true_random=False))
def test_it_takes_what_the_reader_takes(history: am.History, rng: random.Random) -> None:
    """No document that the reader accepts is refused, however odd it is."""
    _compare(mutate(am.encode(history, "json"), rng))


@given(st.randoms(use_true_random=False))
def test_it_takes_what_the_reader_takes_of_the_tour(rng: random.Random) -> None:
    """The same for the tour through the whole model, changed in one place."""
    _compare(mutate(TOUR, rng, changes=1))


def _compare(document: Any) -> None:
    error = refusal(document)
    if error is None:
        assert takes(document), next(VALIDATOR.iter_errors(document)).message
    elif error.code in {"type", "required"} and not error.message.startswith(UNTOLD):
        assert not takes(document), error


REFUSED = cases(
    "text",
    7,
    None,
    EMPTY,
    {"agentmsg": 1},
    {"agentmsg": 2, "messages": []},
    {"agentmsg": "1", "messages": []},
    {"agentmsg": True, "messages": []},
    {"agentmsg": 1, "messages": EMPTY},
    {"agentmsg": 1, "messages": [EMPTY]},
    {"agentmsg": 1, "role": "user"},
    {**BARE, "id": 7},
    {**BARE, "metadata": None},
    {**BARE, "metadata": []},
    {**BARE, "tools": None},
    {**BARE, "tools": [{"name": "no type"}]},
    {**BARE, "tools": [{"type": "tool"}]},
    {**BARE, "tools": [{"type": "tool", "name": "f", "strict": 1}]},
    {**BARE, "tools": [{"type": "tool", "name": "f", "parameters": []}]},
    {**BARE, "extras": {"agentmsg": EMPTY}, "unknown": 1},
    of_message(role=7),
    of_message(role=None),
    of_message(content=None),
    of_message(content=["text"]),
    of_message(content={}),
    of_message(created_at=7),
    of_message(created_at="soon"),
    of_message(created_at="2026"),
    of_message(usage=[]),
    of_message(usage={"input": "7"}),
    of_message(usage={"input": 7.5}),
    of_message(usage={"input": True}),
    of_message(usage={"cost": "7"}),
    of_message(embedding=["x"]),
    of_message(embedding={}),
    of_block(text="no type"),
    of_block(type=7),
    of_block(type="text"),
    of_block(type="text", text=None),
    of_block(type="text", text="a", citations=[{"start": "0"}]),
    of_block(type="text", text="a", cache="ephemeral"),
    of_block(type="text", text="a", signature={"provider": "x"}),
    of_block(type="text", text="a", extras={"agentmsg": 1}, unknown=1),
    of_block(type="image"),
    of_block(type="image", source=None),
    of_block(type="image", source={"url": "no type"}),
    of_block(type="image", source={"type": "unknown"}),
    of_block(type="image", source={"type": "url"}),
    of_block(type="data"),
    of_block(type="tool_use", id="c1"),
    of_block(type="tool_use", name="f", raw_input=7),
    of_block(type="tool_result", content=[7]),
    of_block(type="tool_result", content=[{"type": "tool_result", "content": [{"type": "text"}]}]),
    of_block(type="tools"),
    of_block(type="native", codec="x"),
)


@pytest.mark.parametrize("document", REFUSED, ids=json.dumps)
def test_it_refuses_what_the_reader_refuses(document: Any) -> None:
    """The schema refuses what the reader refuses for its structure."""
    assert refusal(document) is not None
    assert not takes(document)


TAKEN = cases(
    [],
    {"role": "user"},
    {"role": "user", "content": "text"},
    {"role": "", "content": ""},
    [{"role": "user", "unknown": 1}],
    {**BARE, "unknown": {"kept": True}},
    {**BARE, "extras": {"agentmsg": {"kept": True}}},
    {**BARE, "tools": [{"type": "of a later version"}, {"type": "native", "codec": "x", "value": None}]},
    of_message(created_at="2026-01-01"),
    of_message(created_at="20260101T100000Z"),
    of_message(created_at="2026-W01-1 10:00"),
    of_message(created_at=None, usage=None, embedding=None, structured=None, id=None),
    of_message(usage={"cost": 7, "seconds": 0.5, "of a later version": 1}),
    of_block(type="of a later version", text=7),
    of_block(type="tool_use", name="f", input=None, kind=None),
    of_block(type="tool_result", kind=None),
    of_block(type="thinking", thinking=None, raw=None),
    of_block(type="text", text="a", cache={"kind": None}),
    {**BARE, "tools": [{"type": "tool", "name": "f", "kind": None}]},
    of_block(type="tool_use", name="f", raw_input='{"a": '),
    of_block(type="tool_result", content="text"),
)


@pytest.mark.parametrize("document", TAKEN, ids=json.dumps)
def test_it_takes_odd_but_good_documents(document: Any) -> None:
    """Unknown keys and tags, texts for blocks, other spellings of times, nulls: all that is read is allowed."""
    assert refusal(document) is None
    assert takes(document)
    assert am.encode(am.decode(document, "json"), "json") == document
