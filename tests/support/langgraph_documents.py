"""LangGraph documents as plain data: what its serializer writes around messages, hand-written and from golden ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["UUID", "checkpoint", "extension", "langgraph_documents"]

_CLASSES = {
    "human": ("human", "HumanMessage"),
    "ai": ("ai", "AIMessage"),
    "system": ("system", "SystemMessage"),
    "tool": ("tool", "ToolMessage"),
    "function": ("function", "FunctionMessage"),
    "chat": ("chat", "ChatMessage"),
    "remove": ("modifier", "RemoveMessage"),
}
UUID: Any = {"__ext__": 0, "value": ["uuid", "UUID", "12345678123456781234567812345678"]}
_SET: Any = {
    "__ext__": 0,
    "value": ["builtins", "set", [1, {"__ext__": 1, "value": ["datetime", "date", [2026, 11, 22]]}]],
}
_TIME: Any = {"__ext__": 3, "value": ["datetime", "datetime", "2026-11-22T10:00:00+00:00", "fromisoformat"]}
_SEND: Any = {"__ext__": 1, "value": ["langgraph.types", "Send", ["tools", {"x": 1}]]}
_MODEL: Any = {"__ext__": 5, "value": ["app.models", "Profile", {"name": "Ada", "since": _TIME}, "model_validate_json"]}
_ARRAY: Any = {"__ext__": 6, "value": ["<f4", [2], "C", {"__bin__": "AACAPwAAAEA="}]}


def extension(body: dict[str, Any], *, module: str | None = None, code: int = 5) -> dict[str, Any]:
    """Return a message as LangGraph stores it."""
    tag = body["type"]
    chunk = tag.endswith("Chunk")
    where, name = _CLASSES[tag.removesuffix("MessageChunk").lower() if chunk else tag]
    items = [module or f"langchain_core.messages.{where}", f"{name}Chunk" if chunk else name, body]
    return {"__ext__": code, "value": items if code == 4 else [*items, "model_validate_json"]}


def checkpoint(values: dict[str, Any]) -> dict[str, Any]:
    """Return a checkpoint with these channel values, and other objects around them."""
    return {
        "v": 4,
        "ts": "2026-11-22T10:00:00.000000+00:00",
        "id": "1f0c7b9e-0000-6000-8000-000000000001",
        "channel_values": values,
        # Every channel with a value has a version.
        "channel_versions": {"__start__": "00000000000000000000000000000002.0.1", **dict.fromkeys(values, "3")},
        "versions_seen": {"__input__": {}, "agent": {"branch:to:agent": 3}},
        "updated_channels": ["messages"],
        "pending_sends": [_SEND],
    }


def langgraph_documents(bodies: list[tuple[str, Any]], envelopes: list[Any]) -> Iterator[tuple[str, Any]]:
    """Return names and documents.

    Args:
        bodies: names, and messages as ``model_dump`` returns them.
        envelopes: messages as ``dumpd`` returns them.
    """
    natives = [extension(body) for _, body in bodies]
    for (name, _), native in zip(bodies, natives, strict=True):
        yield f"{name}, alone", native
        yield f"{name}, in a list", [native]
    yield "a state", {"messages": natives, "steps": 3, "user": UUID, "__odd": {"__map__": [1, "a", None, _SET]}}
    human, ai, tool = (next(body for _, body in bodies if body["type"] == tag) for tag in ("human", "ai", "tool"))
    around = {"profile": _MODEL, "vector": _ARRAY, "scores": {"__float__": "cb7ff0000000000000"}, "seen": _SET}
    yield "a checkpoint", checkpoint({"before": 1, "messages": natives[:3], **around})
    yield "a delta channel", checkpoint({"messages": {"__ext__": 7, "value": natives[:3]}, **around})
    yield "a snapshot", {"__ext__": 7, "value": natives[:3]}
    yield "one write", {"messages": natives[0], "other": None}
    yield (
        "the input of a graph",
        checkpoint({"__start__": {"messages": [["user", "hi"], {"role": "ai", "content": "x"}]}}),
    )
    yield "a checkpoint without messages", checkpoint({"count": 1})
    yield "a checkpoint and its config", {"config": {"thread_id": "t"}, "checkpoint": checkpoint({"messages": natives})}
    artifact = {**tool, "artifact": {"when": _TIME, "rows": [_SET, {"__map__": ["__ext__", 5, "lc", 1]}], "u": UUID}}
    kwargs = {**ai, "additional_kwargs": {"__map__": ["__bin__", "x"]}, "response_metadata": {"at": _TIME}}
    yield "things inside of messages", [extension(artifact), extension(kwargs), extension(human)]
    yield "pydantic 1 and other modules", [extension(human, code=4), extension(ai, module="langchain.schema")]
    yield "no message of LangChain", [_MODEL, extension(human), {"__ext__": 99, "bytes": "AAEC"}, {"x": UUID}]
    mixed = [envelopes[0], {"type": "human", "data": human, "more": 1}, human, "hello", extension(ai)]
    yield "other forms of messages", {"messages": mixed}
    yield "MessagePack with envelopes", {"__wire__": "msgpack", "value": envelopes[:2]}
    yield "MessagePack spelt otherwise", {"__wire__": "msgpack", "value": natives[:2], "spelling": [[0, 221], [3, 217]]}
    old = {"lc": 2, "type": "constructor", "id": ["uuid", "UUID"], "args": ["12345678123456781234567812345678"]}
    yield "JSON, one message", envelopes[0]
    yield "JSON, a state", {"messages": envelopes, "user": old}
    yield "JSON, a checkpoint", checkpoint({"before": old, "messages": envelopes[:3]})
