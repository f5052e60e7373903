"""Formats get new keys before this library knows them: each is an extra, and its object is still understood."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import agentmsg as am
from agentmsg.testing.laws import exact_return
from agentmsg.testing.mutations import owners
from agentmsg.values.frozen import plain_copy
from agentmsg.values.types import is_list, is_object
from agentmsg_codecs import CODECS
from data import EVERY, effort
from support.documents import documents

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agentmsg.formats.codec import Codec

_UNION = "a tagged union: its one key says what it is, and the API refuses a second"
_OF_BEDROCK = f"a part of Bedrock's: {_UNION}"
_OF_ANTHROPIC = "a part of Anthropic's in a message that LangChain has no results in"
_INPUT = "all that it says is the input of the call"
_OLD = "version 4 of the AI SDK, which is closed"
# Where one more key makes a native block, by codec: the end of the shape, and why it can't be an extra there.
KEPT: Mapping[str, Mapping[str, str]] = {
    "bedrock": {
        r"/content/\*": _UNION,
        r"/system/\*": _UNION,
        r"/source": _UNION,
        r"/guardContent": _UNION,
        r"/reasoningContent": _UNION,
        r"/location": _UNION,
        r"/bytes(<Buffer>)?": "bytes as JavaScript dumps them: all keys together are they",
    },
    "bedrock-response": {r"/content/\*": _UNION, r"/reasoningContent": _UNION, r"/output": _UNION},
    "gemini": {r"/executableCode": _INPUT},
    "gemini-response": {r"/executableCode": _INPUT},
    "hf": {r"<(audio|video)>": "a placeholder for what a column has is no more than its type"},
    "langchain": {
        r"/image/source": _OF_BEDROCK,
        r"<human>/content/\*<tool_result>": _OF_ANTHROPIC,
    },
    "langchain-lc": {
        r"/image/source": _OF_BEDROCK,
        r"<human>/content/\*<tool_result>": _OF_ANTHROPIC,
        r"<human>/content/\*": "an escape of dumpd: an object with a key more is none",
    },
    "openai": {
        r"<text>/(cache_control<ephemeral>|prompt_cache_breakpoint)": "two hints are one only where both say the same",
    },
    "openai-responses": {
        r"/summary/\*<summary_text>": "the texts of a summary are one text, which has no place for it"
    },
    "openai-responses-response": {r"/summary/\*<summary_text>": "as in openai-responses"},
    "pydantic-ai": {r"<cache-point>": "a hint has the extras of what it stands behind"},
    "vercel": {r"/data<(data|url|text|reference)>": "its tag and one value are the whole source"},
    "vercel-ui": {
        r"/details/\*<(text|redacted)>": _OLD,
        r"<(source|tool-invocation)>": _OLD,
    },
}
# A checkpoint's own objects are a program's values, of any shape; its messages are those of the codec langchain.
NATIVE = [name for name in CODECS if name not in ("json", "msgpack", "langgraph")]
# The values of a tag or a role that decide an object's kind.
TAGS = ("type", "role", "part_kind", "kind")
# Under these keys there is free-form JSON: any key is a known one.
FREE = frozenset({"input", "arguments", "args", "parameters", "input_schema", "inputSchema", "schema", "metadata"})


def _objects(value: Any, path: tuple[Any, ...] = (), shape: str = "") -> Iterator[tuple[tuple[Any, ...], str]]:
    """Yield the paths of a document's objects, and their shapes: the keys to them, and their tags."""
    if is_object(value):
        tag = next((value[key] for key in TAGS if isinstance(value.get(key), str)), "")
        shape += f"<{tag}>" if tag else ""
        yield path, shape
    items: Any = value.items() if is_object(value) else enumerate(value) if is_list(value) else ()
    for key, item in items:
        if key not in FREE:
            yield from _objects(item, (*path, key), f"{shape}/{'*' if isinstance(key, int) else key}")


def _natives(history: am.History) -> int:
    """Return how much of a history is only kept whole."""
    return sum(isinstance(owner, am.NativeBlock) for message in history for owner in owners(message))


def _with_a_key(document: Any, path: tuple[Any, ...]) -> Any:
    copy = place = plain_copy(document, 250)
    for key in path:
        place = place[key]
    place["x_new"] = "!"
    return copy


def _not_understood(codec: Codec) -> Mapping[str, int]:
    """Return the shapes of objects that one more key makes native, with the number of trials."""
    tried: Counter[str] = Counter()
    found: Counter[str] = Counter()
    enough = effort(2, least=1)
    for _, document in documents(codec.name):
        held = [(path, shape) for path, shape in _objects(document) if tried[shape] < enough]
        before = exact_return(codec, document) if held else None
        for path, shape in held if before is not None else ():
            tried[shape] += 1
            if tried[shape] > 4 * enough:  # the objects of one shape in one document are mostly alike
                continue
            after = exact_return(codec, _with_a_key(document, path))
            found[shape] += after is None or _natives(after) > _natives(before)  # type: ignore[arg-type]
    assert tried
    return +found


@pytest.mark.parametrize("name", NATIVE)
def test_an_unknown_key_makes_nothing_native(name: str) -> None:
    """A key unknown to every version is an extra of its object; if it can't be, the table has the reason."""
    found = _not_understood(am.get_codec(name))
    used = {shape: [end for end in KEPT.get(name, ()) if re.search(f"{end}$", shape)] for shape in found}
    assert not [shape for shape, ends in used.items() if not ends]
    # The quick profile leaves out most of the recorded documents.
    assert EVERY > 1 or {end for ends in used.values() for end in ends} == {*KEPT.get(name, ())}
