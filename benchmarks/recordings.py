"""Real documents by the codec that reads them: recorded ones, or the samples in this package.

They come from a given folder: ``CODEC/*.json`` (one document per file) and ``CODEC/*.jsonl`` (one per line). Without a
folder they are those of the test data (see ``conversations``), else the samples beside this module: short
conversations, written as SDKs and servers write them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import attrs

from agentmsg_codecs import CODECS
from benchmarks.conversations import SHARED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["SAMPLES", "Recordings", "find"]

SAMPLES = Path(__file__).parent / "samples"


@attrs.frozen
class Recordings:
    """Documents by codec, and a description of their origin."""

    source: str
    documents: Mapping[str, Sequence[Any]]


def find(folder: Path | None) -> Recordings:
    """Return the documents of a folder; without one those of the test data, or else the samples.

    Raises:
        FileNotFoundError: if the folder holds none.
    """
    if folder is not None:
        found = _by_codec(folder)
        if not found:
            raise FileNotFoundError(f"no CODEC/*.json or CODEC/*.jsonl in {folder}")
        return Recordings(str(folder), found)
    found = _test_data()
    return Recordings("the test data", found) if found else Recordings("the shipped samples", _by_codec(SAMPLES))


def _by_codec(folder: Path) -> dict[str, list[Any]]:
    found = {name: list(_values(folder / name)) for name in CODECS}
    return {name: documents for name, documents in found.items() if documents}


def _values(folder: Path, pattern: str = "*", step: int = 1) -> Iterator[Any]:
    """Yield the values in a folder's files: of ``.json`` files the values, of ``.jsonl`` files those of some lines."""
    for path in sorted(folder.glob(pattern)):
        if path.suffix == ".json":
            yield json.loads(path.read_bytes())
        elif path.suffix == ".jsonl":
            yield from map(json.loads, path.read_bytes().splitlines()[::step])


def _whole(value: Any) -> Iterator[Any]:
    yield value


def _bodies(key: str) -> Callable[[Any], Iterator[Any]]:
    """Return the function that finds the requests or the responses of an HTTP recording."""

    def bodies(value: Any) -> Iterator[Any]:
        return (each[key] for each in value["interactions"] if isinstance(each.get(key), dict))

    return bodies


def _lists(value: Any) -> Iterator[Any]:
    """Yield each list of messages inside a value."""
    if isinstance(value, dict):
        for key, inner in cast("dict[str, Any]", value).items():
            if key == "messages" and isinstance(inner, list) and inner:
                yield cast("object", inner)
            else:
                yield from _lists(inner)
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from _lists(inner)


def _under(key: str) -> Callable[[Any], Iterator[Any]]:
    """Return the function that finds the value of a key."""
    return lambda value: iter([value[key]])


# Of files with a conversation a line, which are long and much alike, so many lines are one.
_STEP = 10
# Codec, folder and files of the test data, and what in such a file is a document.
_TEST_DATA: tuple[tuple[str, str, str, Callable[[Any], Iterator[Any]]], ...] = (
    ("openai", "golden/openai_chat", "*", _whole),
    ("openai", "corpus/openai_chat", "*.json", _bodies("request")),
    ("openai", "corpus/openai_chat", "*.jsonl", _lists),
    ("openai", "corpus/hf_messages", "*.jsonl", _lists),
    ("openai", "corpus/agent_trajectory_swe_agent", "*", _lists),
    ("openai-response", "golden/openai_chat_response", "*", _whole),
    ("openai-response", "corpus/openai_chat", "*.json", _bodies("response")),
    ("openai-responses", "golden/openai_responses", "*", _whole),
    ("openai-responses", "corpus/openai_responses", "*.json", _bodies("request")),
    ("openai-responses-response", "golden/openai_responses_response", "*", _whole),
    ("openai-responses-response", "corpus/openai_responses", "*.json", _bodies("response")),
    ("bedrock", "golden/bedrock", "*", _whole),
    ("bedrock", "corpus/bedrock", "*.json", _bodies("request")),
    ("bedrock-response", "golden/bedrock_response", "*", _whole),
    ("bedrock-response", "corpus/bedrock", "*.json", _bodies("response")),
    ("gemini", "golden/gemini", "*", _whole),
    ("gemini", "corpus/gemini", "*.json", _bodies("request")),
    ("gemini-response", "golden/gemini_response", "*", _whole),
    ("gemini-response", "corpus/gemini", "*.json", _bodies("response")),
    ("anthropic", "golden/anthropic", "*", _whole),
    ("anthropic", "golden/anthropic_beta", "*", _whole),
    ("anthropic", "corpus/anthropic", "*.json", _bodies("request")),
    ("anthropic", "corpus/bedrock_invoke", "*.json", _bodies("request")),
    ("anthropic-response", "golden/anthropic_response", "*", _whole),
    ("anthropic-response", "corpus/anthropic", "*.json", _bodies("response")),
    ("anthropic-response", "corpus/bedrock_invoke", "*.json", _bodies("response")),
    ("hf", "golden/hf_messages", "*", _whole),
    ("hf", "golden/hf_rows", "*", _whole),
    ("hf", "corpus/hf_messages", "*.jsonl", _whole),
    ("sharegpt", "golden/sharegpt", "*", _whole),
    ("sharegpt", "golden/sharegpt_rows", "*", _whole),
    ("sharegpt", "golden/alpaca", "*", _whole),
    ("sharegpt", "corpus/sharegpt", "*.jsonl", _whole),
    ("langchain", "golden/langchain", "*", _under("message_to_dict")),
    ("langchain", "golden/langchain", "*", _under("model_dump")),
    ("langchain", "corpus/langchain", "*", _lists),
    ("langchain-lc", "golden/langchain", "*", _under("dumpd")),
    ("pydantic-ai", "golden/pydantic_ai", "*", _whole),
    ("pydantic-ai", "corpus/pydantic_ai", "*.json", _under("messages")),
    ("riffer", "golden/riffer", "*", _whole),
    ("lionpride", "golden/lionpride", "*", _whole),
    ("arcaelas", "golden/arcaelas", "*", _whole),
    ("synaptic", "golden/synaptic", "*", _whole),
    ("vercel", "golden/vercel_model", "*", _whole),
    ("vercel-ui", "golden/vercel_ui", "*", _whole),
    ("vercel-ui", "golden/vercel_ui_v4", "*", _whole),
    ("vercel-ui", "corpus/vercel_ai_ui", "*", _lists),
    ("agentscope", "golden/agentscope_py", "*", _whole),
    ("agentscope", "golden/agentscope_py_v1", "*", _whole),
    ("agentscope-java", "golden/agentscope_java", "*", _whole),
)


def _test_data() -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for codec, folder, pattern, documents in _TEST_DATA:
        for value in _values(SHARED / folder, pattern, _STEP):
            found.setdefault(codec, []).extend(documents(value))
    return found
