"""Documents of chunks: recorded ones, and those that the real libraries make of recorded pieces."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from data import golden, shared_dir

if TYPE_CHECKING:
    from collections.abc import Mapping

    import agentmsg as am

__all__ = ["CHUNKED", "chunk_documents", "merge_cases"]

# The codecs that read chunks, with the least number of their documents.
CHUNKED: Mapping[am.CodecName, int] = {"langchain": 276, "synaptic": 5}


@cache
def merge_cases() -> list[dict[str, Any]]:
    """Return the recorded sums of chunks."""
    path = shared_dir() / "golden" / "langchain_ops" / "chunk_merge.json"
    cases: list[dict[str, Any]] = json.loads(path.read_bytes())["cases"]
    return cases


@cache
def chunk_documents(name: str) -> list[Any]:
    """Return the chunk documents of a format."""
    return _of_langchain() if name == "langchain" else _of_synaptic()


def _of_langchain() -> list[Any]:
    import langchain_core.messages

    found: list[Any] = []
    for path in golden("langchain"):
        if "chunk" in path.name.split("_", 1)[1] and "v1" not in path.name:
            recorded = json.loads(path.read_bytes())
            found += [recorded["message_to_dict"], recorded["model_dump"]]
    for case in merge_cases():
        cls = getattr(langchain_core.messages, case["class"])
        for fields in case["parts"]:
            chunk = cls(**fields)
            found += [langchain_core.messages.message_to_dict(chunk), chunk.model_dump(mode="json")]
        found += [case[key] for key in ("pairwise", "all_at_once") if "__error__" not in case[key]]
    return found


def _of_synaptic() -> list[Any]:
    recorded = [json.loads(path.read_bytes()) for path in golden("synaptic") if "chunk" in path.name]
    odd = {"id": None, "name": "g", "arguments": "{}", "error": "e"}
    return [
        *(document for document in recorded if "role" not in document),
        {"content": ""},
        {"content": "lo", "tool_call_chunks": [{"arguments": ": 1}", "index": 0}], "tool_calls": [], "usage": None},
        {
            "content": "x",
            "reasoning": "because",
            "id": None,
            "tool_calls": [{"id": "a", "name": "f", "arguments": [1]}],
            "invalid_tool_calls": [odd, {"error": "the arguments are no JSON", "arguments": "{"}],
            "tool_call_chunks": [{"arguments": "{", "index": None}, {"index": 3, "name": "q"}, {}],
            "unknown": 1,
        },
    ]
