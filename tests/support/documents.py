"""The documents that each codec is tried on: golden and recorded ones, read in place."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any, TypeGuard, cast

from agentmsg import get_codec, thaw
from agentmsg.json_values import plain_copy
from data import corpus, golden
from support.grand_tour import grand_tour

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["documents"]


def _tour(codec: str) -> Iterator[tuple[str, Any]]:
    chosen = get_codec(codec)
    tour = grand_tour()
    yield "grand tour", thaw(chosen.write(tour))
    for index in range(len(tour)):
        yield f"message {index} of the grand tour", thaw(chosen.write(tour[index : index + 1]))


def _langchain() -> Iterator[tuple[str, Any]]:
    for path in golden("langchain"):
        forms = json.loads(path.read_text())
        for form in ("message_to_dict", "model_dump"):
            if isinstance(forms[form], dict) and "__error__" not in forms[form]:
                yield f"{path.stem}, {form}, in a list", [forms[form]]
                yield f"{path.stem}, {form}, alone", forms[form]
    for path in corpus("langchain"):
        for name, messages in _message_lists(json.loads(path.read_text()), path.stem):
            yield name, messages
            yield f"{name}, as state", {"messages": messages}


def _message_lists(value: Any, name: str) -> Iterator[tuple[str, list[Any]]]:
    """Return every list of LangChain messages inside a recording."""
    if isinstance(value, dict):
        for key, inner in cast("dict[str, object]", value).items():
            if key == "messages" and _are_messages(inner):
                yield f"{name}/{key}", inner
            else:
                yield from _message_lists(inner, f"{name}/{key}")
    elif isinstance(value, list):
        for index, inner in enumerate(cast("list[object]", value)):
            yield from _message_lists(inner, f"{name}/{index}")


def _are_messages(value: object) -> TypeGuard[list[Any]]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return bool(items) and all(isinstance(item, dict) and "type" in item for item in items)


_SOURCES: Mapping[str, Callable[[], Iterator[tuple[str, Any]]]] = {
    "json": lambda: _tour("json"),
    "langchain": _langchain,
    "msgpack": lambda: _tour("msgpack"),
}


@cache
def documents(codec: str) -> tuple[tuple[str, Any], ...]:
    """Return names and documents for a codec; a codec without any is an error, never an empty test."""
    found = tuple((name, plain_copy(document)) for name, document in _SOURCES[codec]())
    assert found, f"no documents for {codec}"
    return found
