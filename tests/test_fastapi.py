"""FastAPI with histories as bodies and responses: the real one, and its client."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import pytest
from fastapi import Body, FastAPI, encoders
from fastapi.testclient import TestClient
from pydantic import BaseModel, TypeAdapter
from pydantic_core import to_jsonable_python

import agentmsg as am

if TYPE_CHECKING:
    from collections.abc import Callable

CHAT = {
    "model": "gpt-5",
    "messages": [
        {"role": "user", "content": "How warm is it?", "name": "ada"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "warmth", "arguments": '{"a":1}'}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "21"},
    ],
}


class Converted(BaseModel):
    """The response of the service."""

    request: Annotated[am.History, am.As("anthropic", on_loss="ignore")]
    losses: list[str]


class Stored(BaseModel):
    """A body with fields of ours."""

    history: am.History
    note: am.TextBlock | None = None


app = FastAPI()


@app.post("/convert")
def convert(history: Annotated[am.History, am.As("openai"), Body()]) -> Converted:
    """Take an OpenAI body, and return Anthropic's."""
    losses: list[am.Loss] = []
    history.encode("anthropic", losses=losses)
    return Converted(request=history, losses=list(map(str, losses)))


@app.post("/strict")
def strict(history: Annotated[am.History, am.As("openai"), Body()]) -> Annotated[am.History, am.As("anthropic")]:
    """Take an OpenAI body, and return Anthropic's, or fail."""
    return history


@app.post("/history")
def whole(history: Annotated[am.History, Body()]) -> am.History:
    """Take and return the canonical form."""
    return history


@app.post("/messages")
def several(messages: list[am.Msg]) -> list[am.Msg]:
    """Take and return messages."""
    return messages[::-1]


@app.post("/block")
def block(block: Annotated[am.Block, Body()], name: Annotated[str, Body()] = "") -> am.Block:
    """Take a block beside another field."""
    return block.evolve(phase=name)


@app.post("/stored")
def stored(body: Stored) -> Stored:
    """Take and return a model."""
    return body


@pytest.fixture(scope="module")
def client() -> TestClient:
    """Return the client of FastAPI's own tests."""
    return TestClient(app)


def test_openai_in_anthropic_and_losses_out(client: TestClient) -> None:
    """An OpenAI body is converted as by ``am.convert``, and the response lists the losses."""
    done = am.convert(CHAT, "openai", "anthropic")
    given = client.post("/convert", json=CHAT)
    assert given.status_code == 200
    assert given.json() == {"request": done.document, "losses": list(map(str, done.losses))}
    assert given.json()["losses"][0] == "messages/0/name dropped (annotation)"
    assert client.post("/strict", json=CHAT).json() == done.document


WRONG: list[tuple[str, Any, list[Any]]] = [
    ("/convert", {"messages": 7}, ["body", "messages"]),
    ("/convert", {"messages": [CHAT["messages"][0], 7]}, ["body", "messages", 1]),
    ("/history", [{"role": "user", "content": [{"type": "text"}]}], ["body", 0, "content", 0, "text"]),
    ("/history", {"agentmsg": 1, "messages": [{}]}, ["body", "messages", 0, "role"]),
    ("/messages", [{"role": "user"}, {"role": 1}], ["body", 1, "role"]),
    ("/block", {"block": {"type": "image"}}, ["body", "block", "source"]),
    ("/stored", {"history": [{"role": "user", "usage": 1}]}, ["body", "history", 0, "usage"]),
    ("/stored", {"history": [], "note": {"type": "image"}}, ["body", "note", "type"]),
]


@pytest.mark.parametrize(("path", "body", "loc"), WRONG)
def test_a_bad_body_is_422_with_its_place(client: TestClient, path: str, body: Any, loc: list[Any]) -> None:
    """An unreadable body gives a 422 with the place of the error, and our code."""
    given = client.post(path, json=body)
    assert given.status_code == 422
    (error,) = given.json()["detail"]
    assert error["loc"] == loc
    assert error["type"] == error["ctx"]["code"]


def test_bodies_go_there_and_back(client: TestClient) -> None:
    """Histories, lists of messages, blocks and models with fields of ours are bodies and responses."""
    messages = [{"role": "user", "content": [{"type": "text", "text": "a"}]}, {"role": "assistant", "content": "b"}]
    assert client.post("/history", json=messages).json() == messages
    assert client.post("/messages", json=messages).json() == messages[::-1]
    assert client.post("/stored", json={"history": messages}).json() == {"history": messages, "note": None}
    given = client.post("/block", json={"block": {"type": "data", "data": [1, True]}, "name": "p"}).json()
    assert given == {"type": "data", "data": [1, True], "phase": "p"}


def returning(value: Any) -> Callable[[], Any]:
    """An endpoint that doesn't say what it returns."""

    def endpoint():  # type: ignore[no-untyped-def] # noqa: ANN202 - the case
        return value

    return endpoint


def test_endpoints_without_a_type_are_told_how_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the encoders of the guide, what an endpoint without a return type returns is written as with one."""
    history = am.History.of(am.Msg.user("Hi", id="m1", created_at=None, name="ada"))
    losses = am.convert(history, to="anthropic").losses
    values: list[Any] = [history, am.History(), history[0], losses, losses[0], am.convert([], "openai", "hf").losses]
    for cls in {type(value) for value in values}:
        monkeypatch.setitem(encoders.ENCODERS_BY_TYPE, cls, to_jsonable_python)
    for value in values:
        service = FastAPI()
        service.get("/plain")(returning(value))
        service.get("/nested")(returning({"a": [value]}))
        client, wanted = TestClient(service), TypeAdapter(type(value)).dump_python(value, mode="json")
        assert client.get("/plain").json() == wanted
        assert client.get("/nested").json() == {"a": [wanted]}


def _references(described: Any) -> set[str]:
    """Return the names of the schemas that a description refers to."""
    parts = json.dumps(described).split('"$ref": "#/components/schemas/')
    return {part.partition('"')[0] for part in parts[1:]}


def test_openapi_shows_the_schemas(client: TestClient) -> None:
    """The description of the service has our definitions as components, and names the formats of foreign bodies."""
    described = client.get("/openapi.json").json()
    schemas = described["components"]["schemas"]
    assert _references(described) <= set(schemas)
    assert {"Usage", "TextBlock", "ToolUseBlock", "Converted", "Msg"} <= set(schemas)
    assert not [name for name in schemas if name.endswith(("-Input", "-Output"))]
    ours = am.get_codec("json").schema()
    assert ours is not None
    assert schemas["Usage"]["properties"].keys() == ours["$defs"]["Usage"]["properties"].keys()
    body = described["paths"]["/convert"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert body["description"] == "A document of the format openai."
    assert schemas["Converted"]["properties"]["request"]["title"] == am.get_codec("anthropic").title


def test_lost_content_is_no_response(client: TestClient) -> None:
    """If the response's format can't hold all content, the service fails instead of losing it."""
    rich = {
        "messages": [
            {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}}]}
        ]
    }
    with pytest.raises(ValueError, match="would lose content"):
        client.post("/strict", json=rich)
    assert client.post("/convert", json=rich).status_code == 200
