"""Restore after a loader: what it adds where the written document said nothing is no edit, and isn't restored."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

import attrs
import pytest
from hypothesis import given

import agentmsg as am
from agentmsg.fitting.additions import additions, may_hold_objects, without
from agentmsg.fitting.digest import printed
from agentmsg.fitting.prints import read_prints
from agentmsg.model.base import Noted
from agentmsg.model.construction import lacks
from agentmsg.testing import histories
from agentmsg.values.types import class_of, is_list, is_mapping

if TYPE_CHECKING:
    from collections.abc import Callable

_TIME = "2026-11-28T12:00:00Z"
_ADDED = {"item_id": "x", "media_type": "x/y", "status": "success", "ttl": "5m"}
_PNG = "iVBORw0KGgo+/w=="
REQUEST: dict[str, Any] = {
    "model": "claude-opus-5",
    "max_tokens": 99,
    "system": "Be brief.",
    "tools": [{"name": "weather", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}}}],
    "messages": [
        {
            "role": "user",
            "content": [
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": _PNG}},
                {"type": "text", "text": "Weather in Oslo?", "cache_control": {"type": "ephemeral"}},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I'll look."},
                {"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "Oslo"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "4 degrees"}]},
                {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
            ],
        },
        {"role": "assistant", "content": "Four degrees."},
    ],
}


def langchain(document: list[Any]) -> list[Any]:
    """Load and dump as LangChain does, and give ids as LangGraph does."""
    for number, message in enumerate(document):
        data = message["data"]
        data.setdefault("id", None)
        data["id"] = data["id"] or f"id-{number}"
        data.setdefault("additional_kwargs", {})
        data.setdefault("response_metadata", {})
        if message["type"] == "tool":
            data.setdefault("status", "success")
            data.setdefault("artifact", None)
    return document


def pydantic_ai(document: list[Any]) -> list[Any]:
    """Load and dump as Pydantic AI does."""
    for message in document:
        message.setdefault("timestamp", _TIME)
        message.setdefault("run_id", "run-1")
        message.setdefault("metadata", None)
        if message["kind"] == "response":
            counts = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "input_audio_tokens")
            message["usage"] = dict.fromkeys(counts, 0) | {"details": {}} | message.get("usage", {})
            message.setdefault("provider_details", None)
        for part in message["parts"]:
            part.setdefault("timestamp", _TIME)
            if part["part_kind"] == "tool-return":
                part.setdefault("outcome", "success")
            items: Any = part.get("content")
            for item in filter(is_mapping, items if is_list(items) else ()):
                if item["kind"] == "binary":
                    item["data"] = item["data"].replace("+", "-").replace("/", "_")
                if item["kind"].endswith("-url"):
                    item.setdefault("media_type", "image/png")
                    item.setdefault("identifier", "6a18c6")
                if item["kind"] == "cache-point":
                    item.setdefault("ttl", "5m")
    return document


def agentscope(document: list[Any]) -> list[Any]:
    """Load and dump as AgentScope 2 does."""
    for number, message in enumerate(document):
        message["id"] = message.get("id") or f"id-{number}"
        message["created_at"] = message.get("created_at") or _TIME
        for place, block in enumerate(message["content"]):
            block["created_at"] = block.get("created_at") or _TIME
            block["id"] = block.get("id") or f"block-{number}-{place}"
            if block["type"] == "tool_call":
                block["state"] = block.get("state") or "pending"
    return document


LOADERS: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "langchain": (am.get_codec("langchain", form="dict"), langchain),
    "pydantic-ai": (am.get_codec("pydantic-ai"), pydantic_ai),
    "agentscope": (am.get_codec("agentscope"), agentscope),
}


@attrs.frozen
class Reloaded:
    """A conversion of REQUEST, what a loader made of it, and its reports: in memory, pickled and on file."""

    written: am.History
    history: am.History
    reports: tuple[am.Losses, ...]


def reloaded(name: str) -> Reloaded:
    """Convert, load and dump."""
    codec, load = LOADERS[name]
    done = am.convert(REQUEST, "anthropic", codec)
    written = am.decode(done.document, codec)
    again = load(json.loads(json.dumps(done.document)))
    history = am.decode(again, codec)
    assert not am.same(history, written)
    return Reloaded(written, history, (done.losses, am.load_losses(am.dump_losses(done.losses, written))))


@pytest.mark.parametrize("edits", ["refuse", "keep"])
@pytest.mark.parametrize("name", LOADERS)
def test_what_a_loader_adds_is_no_edit(name: str, edits: Any) -> None:
    """The document is the original again, in memory and from a file, and messages at the end stay."""
    done = reloaded(name)
    for losses in done.reports:
        assert am.encode(am.restore(done.history, losses, edits=edits), "anthropic") == REQUEST
        longer = am.restore(am.History([*done.history, am.Msg.user("Thanks!")]), losses, edits=edits)
        assert am.encode(longer[:-1], "anthropic")["messages"] == REQUEST["messages"]
        assert longer[-1].text == "Thanks!"


@pytest.mark.parametrize("name", LOADERS)
def test_what_was_edited_besides_is_found(name: str) -> None:
    """An edit beside additions is refused with its place and the way out, or kept, and additions still go."""
    done = reloaded(name)
    last = done.history[-1]
    edited = done.history.evolve(messages=[*done.history[:-1], last.with_content([am.TextBlock("Five degrees.")])])
    place = ("messages", len(edited) - 1, "content", 0)
    for losses in done.reports:
        with pytest.raises(am.LossError, match='edits="keep"') as caught:
            am.restore(edited, losses)
        assert (caught.value.code, caught.value.path[:4]) == ("edited", place)
        document = am.encode(am.restore(edited, losses, edits="keep"), "anthropic")
        assert document["messages"][-1]["content"] in ("Five degrees.", [{"type": "text", "text": "Five degrees."}])
        assert document["messages"][:-1] == REQUEST["messages"][:-1]


_STATED = am.Msg(
    "assistant",
    [
        am.ToolResultBlock("c1", "4", status="success"),
        am.TextBlock("a", item_id="i1", extras={"toy": {"page_age": None, "created_at": _TIME, "n": 1}}),
        am.ImageBlock(am.Base64Source("-_-_", "image/png")),
    ],
    id="m1",
    created_at=datetime(2026, 1, 1, tzinfo=UTC),
    usage=am.Usage(input=3, cache_read=0),
)


def _report(history: am.History) -> am.Losses:
    """Return the report of a conversion that loses nothing, from a file."""
    done = am.convert(history.encode("json"), "json", "json")
    return am.load_losses(am.dump_losses(done.losses, am.decode(done.document, "json")))


@pytest.mark.parametrize(
    ("way", "new"),
    [
        ("id", "m2"),
        ("created_at", datetime(2026, 1, 2, tzinfo=UTC)),
        ("usage", am.Usage(input=4, cache_read=0)),
        ("usage", am.Usage(input=3)),
        ("usage", am.Usage(input=3, cache_read=0, output=1)),
        ("name", "ada"),
        ("metadata", {"k": 1}),
        ("content/0/status", "error"),
        ("content/0/status", "pending"),
        ("content/1/item_id", None),
        ("content/1/extras", {"toy": {"page_age": None, "created_at": _TIME, "n": 2}}),
        ("content/1/extras", {"toy": {"page_age": "old", "created_at": _TIME, "n": 1}}),
        ("content/1/extras", {"toy": {"page_age": None, "created_at": _TIME, "n": 1, "more": "words"}}),
        ("content/2/source", am.Base64Source("+/+/", "image/png")),
        ("content/2/source", am.Base64Source("-_-_", "image/gif")),
    ],
)
def test_what_stood_there_is_no_addition(way: str, new: Any) -> None:
    """Another value where the written document had one, and a value that says something, is an edit."""
    history = am.History([_STATED])
    field, *rest = way.split("/")
    content = list(_STATED.content)
    if rest:
        content[int(rest[0])] = content[int(rest[0])].evolve(**{rest[1]: new})
        edited = _STATED.evolve(content=content)
    else:
        edited = _STATED.evolve(**{field: new})
    assert am.same(am.restore(history, _report(history)), history)
    with pytest.raises(am.LossError, match="edited") as caught:
        am.restore(history.evolve(messages=[edited]), _report(history))
    # A report on file tells no times of messages apart.
    assert caught.value.path[:2] == (() if way == "created_at" else ("messages", 0))
    kept = am.restore(history.evolve(messages=[edited]), _report(history), edits="keep")
    assert am.same(kept[0], edited)


def loaded(owner: Any) -> Any:
    """Fill in all that a loader may add to an object, at all levels, where it has nothing."""
    changes: dict[str, Any] = {}
    kind = class_of(owner)
    fields: Any = attrs.fields(kind)
    for field in fields:
        value: Any = getattr(owner, field.name)
        if isinstance(value, Noted):
            changes[field.alias] = loaded(value)
        elif type(value) is tuple:
            items = cast("tuple[object, ...]", value)
            changes[field.alias] = tuple(loaded(each) if isinstance(each, Noted) else each for each in items)
        elif value is None and field.name in _ADDED:
            changes[field.alias] = _ADDED[field.name]
    if isinstance(owner, am.Usage):
        changes |= {name: 0 for name in ("input", "reasoning", "seconds") if getattr(owner, name) is None}
    if isinstance(owner, am.Msg):
        changes |= {} if owner.usage else {"usage": am.Usage(input=0, output=0)}
        changes |= {"id": "x"} if owner.id is None else {}
        changes |= {"created_at": datetime(2026, 1, 1, tzinfo=UTC)} if owner.created_at is None else {}
    own = owner.extras.get("toy", {})
    if is_mapping(own):
        changes["extras"] = {**owner.extras, "toy": {**own, "loaded_at": _TIME, "nothing": None}}
    return owner.evolve(**changes)


@given(histories())
def test_whatever_is_added_goes(history: am.History) -> None:
    """Any history comes back without what was added to its messages, and keeps all that it states."""
    more = history.evolve(messages=tuple(map(loaded, history)))
    for edits in ("refuse", "keep"):
        assert am.same(am.restore(more, _report(history), edits=edits), history)
    assert printed(history).place_of_edit(printed(more)) == ()


@given(histories(3))
def test_prints_tell_what_was_stated(history: am.History) -> None:
    """A history is as its own prints state it, also when they were read from a header."""
    prints = printed(history)
    data: Any = json.loads(json.dumps(prints.as_data()))
    assert read_prints(data["prints"], data.get("tool_prints", [])) == prints
    assert am.same(prints.as_stated(history), history)


@given(histories(3))
def test_nothing_is_left_to_add_twice(history: am.History) -> None:
    """What an object is without all its additions has none; that is so for all objects in a history."""
    for owner in (*history, *history.tools, *(block for message in history for block in message.content)):
        plain = without(owner, additions(owner))
        assert additions(plain) == {}
        assert without(plain, {}) is plain


@given(histories())
def test_the_quick_test_sees_what_looking_sees(history: am.History) -> None:
    """Of every message and block it is known at once whether it holds anything that may hold additions, or notes.

    If a field of its class is required, it is looked at in any case.
    """
    for owner in (*history, *(block for message in history for block in message.content)):
        cls: Any = type(owner)
        names = may_hold_objects(cls)
        is_required = any(field.default is attrs.NOTHING for field in attrs.fields(cls) if field.name in names)
        holds = any(getattr(owner, name) for name in (*names, "extras", "notes"))
        assert lacks(cls, *names)(owner) == (not holds and not is_required)
