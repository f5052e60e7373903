"""What a service's description says of our types, and what of ours may stand in its answers."""

from __future__ import annotations

import json
from typing import Annotated, Any

import pytest
from fastapi import Body, FastAPI
from fastapi.testclient import TestClient
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import to_json

import agentmsg as am
from agentmsg.model.blocks import BLOCK_TAGS
from support.documents import documents

CALL = am.ToolUseBlock("c1", "f", {"a": [1, None]})
RICH = am.History.of(
    am.Msg.system("Be brief."),
    am.Msg.user("Hi", name="Ada", extras={"openai": {"x": {"y": 1}}, "own": {"z": [1]}}),
    am.Msg.assistant("I'll look.", tool_calls=[CALL], usage=am.Usage(input=1), structured={"a": 1}),
    am.Msg.tool("no", tool_call_id="c1", status="error"),
    am.Msg("user", [am.ImageBlock(am.URLSource("https://example.org/a.png"))], recipient="B"),
).evolve(tools=[am.ToolSpec("f")], settings=am.Settings(model="m", stop=["a"]))


class Stored(BaseModel):
    """A body, and an answer."""

    history: am.History
    message: am.Msg | None = None
    blocks: list[am.Block] = []
    source: am.Source | None = None
    losses: am.Losses | None = None
    findings: list[am.Finding] = []


def described() -> dict[str, Any]:
    """Return the description of a service that takes and gives all of these."""
    app = FastAPI()

    @app.post("/a")
    def _(stored: Stored) -> Stored:
        return stored

    @app.post("/b")
    def _(message: Annotated[am.Msg, Body()]) -> list[am.Msg]:
        return [message]

    return app.openapi()


def test_what_is_read_and_what_is_written_are_one_schema() -> None:
    """No definition comes twice, once for input and once for output; bodies and answers refer to the same."""
    found = described()
    schemas = found["components"]["schemas"]
    assert not [name for name in schemas if "-" in name or "__" in name]
    assert {"Stored", "Msg", "Block", "Losses", "Finding"} <= schemas.keys()
    for path in found["paths"].values():
        body = path["post"]["requestBody"]["content"]["application/json"]["schema"]
        given = path["post"]["responses"]["200"]["content"]["application/json"]["schema"]
        assert body == given.get("items", given)
        assert list(body) == ["$ref"]


@pytest.mark.parametrize("name", ["Block", "Tool", "Source"])
def test_tags_choose_among_all_classes(name: str) -> None:
    """A union is a choice with a discriminator for its classes; blocks and tools have one open member beside it."""
    schemas = described()["components"]["schemas"]
    known, *others = [schemas[name]] if name == "Source" else schemas[name]["oneOf"]
    mapping = known["discriminator"]["mapping"]
    assert known["discriminator"]["propertyName"] == "type"
    assert sorted(each["$ref"] for each in known["oneOf"]) == sorted(mapping.values())
    for tag, target in mapping.items():
        assert schemas[target.removeprefix("#/components/schemas/")]["properties"]["type"] == {"const": tag}
    assert [each["$ref"] for each in others] == [f"#/components/schemas/Other{name}"] * (name != "Source")
    if name == "Block":
        assert set(mapping) == {tag for cls, tag in BLOCK_TAGS.items() if cls.__module__.startswith("agentmsg.")}
        assert schemas["OtherBlock"]["additionalProperties"] is True


@pytest.mark.parametrize("name", am.codec_names())
def test_loss_reports_are_types(name: am.CodecName) -> None:
    """Losses of every format come back from JSON as they were, alone and as a report that restores."""
    reports, losses, history = TypeAdapter(am.Losses), TypeAdapter(list[am.Loss]), RICH
    done = am.convert(am.encode(history, "json"), "json", name)
    again = reports.validate_json(reports.dump_json(done.losses))
    assert again == done.losses
    assert (again.codec, again.secret, again.carried) == (name, False, 0)
    assert losses.validate_json(losses.dump_json(list(done.losses))) == list(done.losses)
    assert [loss.order for loss in again] == [loss.order for loss in done.losses]
    back = am.restore(am.decode(done.document, name), again)
    assert am.same(back, am.decode(am.encode(history, "json"), "json"))
    document = documents(name)[0][1]
    other = am.convert(document, name, "sharegpt")
    stored = reports.validate_python(json.loads(reports.dump_json(other.losses)))
    assert am.encode(am.restore(am.decode(other.document, "sharegpt"), stored), name) == document


def test_secret_losses_stay_secret() -> None:
    """A loss that hides its value does so when it was read again."""
    redaction = am.redact(am.History.of("My key is sk-ant-REDACTED0123456789abcdef0123456789"))
    reports = TypeAdapter(am.Losses)
    losses = reports.validate_json(reports.dump_json(redaction.losses))
    assert losses.secret == redaction.losses.secret
    assert [loss.secret for loss in losses] == [loss.secret for loss in redaction.losses]


def test_findings_are_types() -> None:
    """What a provider would refuse is a list of objects."""
    found = list(am.check(am.History.of(am.Msg.assistant(tool_calls=[CALL]), "Hi"), "anthropic"))
    findings = TypeAdapter(list[am.Finding])
    assert found
    assert findings.validate_json(findings.dump_json(found)) == found
    assert findings.dump_python(found)[0]["path"] == list(found[0].path)


WRONG: dict[Any, Any] = {
    am.Loss: [7, {}, {"path": ["a"], "kind": "lost", "codec": "x", "level": "content", "why": ""}, {"path": [1.5]}],
    am.Losses: [7, [], {"losses": []}, {"agentmsg-losses": 1, "codec": "x", "losses": [{}]}],
    am.Finding: [None, {"code": "x"}, {"code": "x", "severity": "?", "path": [], "message": "", "fix": ""}],
}


@pytest.mark.parametrize("cls", list(WRONG))
def test_reports_are_read_strictly(cls: Any) -> None:
    """Anything else is a validation error with a place."""
    adapter = TypeAdapter(cls)
    for value in WRONG[cls]:
        with pytest.raises(ValidationError):
            adapter.validate_python(value)


ANY: dict[str, Any] = {
    "history": RICH,
    "message": RICH[0],
    "block": CALL,
    "source": am.URLSource("https://example.org"),
    "tool": am.ToolSpec("f"),
    "settings": am.Settings(model="m"),
    "usage": am.Usage(input=1),
    "loss": am.Loss(("messages", 0, "name"), "dropped", "x", "annotation", "a"),
    "losses": am.Losses((), codec="x"),
    "finding": am.Finding("a", "error", ("messages", 0), "b", "c"),
}


@pytest.mark.parametrize("name", list(ANY))
def test_anything_of_ours_is_written_inside_anything(name: str) -> None:
    """A value that no type announces is written as its type writes it, in JSON and as plain data."""
    value = ANY[name]
    own = TypeAdapter(type(value))
    anything = TypeAdapter(dict[str, Any])
    assert json.loads(anything.dump_json({"a": [value]})) == {"a": [json.loads(own.dump_json(value))]}
    assert anything.dump_python({"a": value}, mode="json") == {"a": own.dump_python(value, mode="json")}
    assert json.loads(to_json(value)) == json.loads(own.dump_json(value))


def test_a_service_may_answer_with_anything() -> None:
    """An answer of type ``dict[str, Any]`` may hold a history."""
    app = FastAPI()

    @app.get("/")
    def _() -> dict[str, Any]:
        return {"history": RICH}

    assert TestClient(app).get("/").json() == {"history": json.loads(am.dumps(RICH, "json"))}
