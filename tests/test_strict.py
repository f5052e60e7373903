"""The strict types of the OpenAI and Anthropic packages: they accept documented requests, and refuse damaged ones."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeGuard, cast

import pytest
from anthropic.types import MessageParam
from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter

from data import golden
from support.documents import documents
from support.strict import (
    anthropic_request_problems,
    anthropic_request_types,
    anthropic_response_problems,
    anthropic_response_types,
    openai_request_problems,
    openai_response_problems,
    strict,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

Path = tuple[str | int, ...]
Damage = tuple[Path, Any]

CHECKS: Mapping[str, Callable[[Any], list[str]]] = {
    "openai_chat": openai_request_problems,
    "openai_chat_response": openai_response_problems,
    "anthropic": anthropic_request_problems,
    "anthropic_beta": anthropic_request_problems,
    "anthropic_response": anthropic_response_problems,
}
# The checked parts of a request, and the places of free-form JSON.
_CHECKED = {"functions", "messages", "system", "tools"}
_FREE = {"input", "input_schema", "metadata", "parameters"}


def _documents(system: str) -> list[Any]:
    return [_checked(json.loads(path.read_text())) for path in golden(system)]


def _checked(document: Any) -> Any:
    if _is_object(document) and "messages" in document:
        return {key: value for key, value in document.items() if key in _CHECKED}
    return document


def _is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _items(value: Any) -> Iterable[tuple[str | int, Any]]:
    if _is_object(value):
        return value.items()
    return enumerate(cast("list[object]", value) if isinstance(value, list) else ())


def _places(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Return every value of a document that the types describe, outermost first."""
    yield path, value
    for key, inner in _items(value):
        if key not in _FREE:
            yield from _places(inner, (*path, key))


def _changed(value: Any, path: Path, new: Any) -> Any:
    """Return a document with another value in one place."""
    if not path:
        return new
    if _is_object(value):
        return {key: _changed(item, path[1:], new) if key == path[0] else item for key, item in value.items()}
    return [_changed(item, path[1:], new) if key == path[0] else item for key, item in enumerate(value)]


def _extra_key(document: Any) -> Iterator[Damage]:
    for path, value in _places(document):
        # The body itself may hold any parameter.
        if _is_object(value) and (path or "messages" not in value):
            yield path, {**value, "no_such_key": 1}


def _wrong_type(document: Any) -> Iterator[Damage]:
    for path, value in _places(document):
        if path and value is not None:
            yield path, "no number" if isinstance(value, (bool, float, int)) else 7


def _wrong_tag(document: Any) -> Iterator[Damage]:
    for path, _ in _places(document):
        if path and path[-1] in {"role", "type"}:
            yield path, "no_such_tag"


def _dropped_key(document: Any) -> Iterator[Damage]:
    for path, value in _places(document):
        if _is_object(value):
            for key in value:
                if key not in _FREE:
                    yield path, {name: item for name, item in value.items() if name != key}


KINDS: Mapping[str, Callable[[Any], Iterator[Damage]]] = {
    "extra key": _extra_key,
    "wrong type": _wrong_type,
    "wrong tag": _wrong_tag,
    "dropped key": _dropped_key,
}


# For all golden documents of one kind: only optional keys pass beyond these measured shares.
_SURE, _OPTIONAL_IN_REQUESTS, _OPTIONAL_IN_ANSWERS = 0.99, 0.75, 0.45


def _passed(system: str, kind: str) -> tuple[list[str], int]:
    """Return which damages of the golden documents pass, and their number."""
    passed: list[str] = []
    count = 0
    for number, document in enumerate(_documents(system)):
        for path, new in KINDS[kind](document):
            count += 1
            if not CHECKS[system](_changed(document, path, new)):
                passed.append(f"{number}: {'.'.join(map(str, path))} = {new!r}"[:120])
    return passed, count


@pytest.mark.parametrize("system", CHECKS)
def test_documented_is_accepted(system: str) -> None:
    """Every golden document is accepted."""
    refused = {number: told for number, each in enumerate(_documents(system)) if (told := CHECKS[system](each))}
    assert not refused


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("system", CHECKS)
def test_damaged_is_refused(system: str, kind: str) -> None:
    """An unknown key, a wrong type and a wrong tag are refused everywhere, a missing key mostly."""
    passed, count = _passed(system, kind)
    optional = _OPTIONAL_IN_ANSWERS if system.endswith("_response") else _OPTIONAL_IN_REQUESTS
    assert count > 0
    assert 1 - len(passed) / count >= (optional if kind == "dropped key" else _SURE), passed


def test_types_as_they_come_are_lenient() -> None:
    """The packages' own types accept what their strict form refuses, so the rewriting has an effect."""
    openai: Any = list[ChatCompletionMessageParam]
    anthropic: Any = list[MessageParam]
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": {"an": "object"}}}
    odd_call = [{"role": "assistant", "tool_calls": [call]}]
    odd_block = [{"role": "user", "content": [{"type": "text", "text": "hi", "no_such_key": 1}]}]
    TypeAdapter(openai).validate_python(odd_call)
    TypeAdapter(anthropic).validate_python(odd_block)
    assert strict(openai)(odd_call)
    assert strict(anthropic)(odd_block)


def test_stable_types_go_first() -> None:
    """Requests that the stable types accept are theirs; those that only the beta types accept are marked."""
    assert {anthropic_request_types(each) for each in _documents("anthropic")} == {"stable"}
    assert {anthropic_request_types(each) for each in _documents("anthropic_beta")} == {"beta"}
    assert {anthropic_response_types(each) for each in _documents("anthropic_response")} == {"stable"}
    assert anthropic_request_types({"messages": [{"role": "moderator", "content": "hi"}]}) is None
    assert anthropic_response_types({"type": "message"}) is None


def test_recorded_requests_are_accepted() -> None:
    """The stable or the beta types accept every recorded request body in Anthropic's format."""
    refused = {name: told for name, each in documents("anthropic") if (told := anthropic_request_problems(each))}
    assert not refused


def test_bodies_without_messages_are_refused() -> None:
    """If something else is in the place of the messages, there is a reason, not an exception."""
    for check in (openai_request_problems, anthropic_request_problems):
        assert check({"model": "m"})
        assert check("hello")
    assert openai_request_problems({"messages": [], "functions": [{"description": "no name"}]})


def test_reasons_name_the_place() -> None:
    """In a union only the intended member reports, with the path of the error in it."""
    message = {"role": "user", "content": [{"type": "text", "text": "hi"}], "weight": 0}
    assert openai_request_problems([message]) == [
        "messages.0.ChatCompletionUserMessageParam.weight: Extra inputs are not permitted"
    ]
    told = anthropic_request_problems({"system": [{"type": "text", "text": 7}], "messages": []})
    assert len([line for line in told if line.startswith("stable: system.") and "TextBlockParam" in line]) == 1
