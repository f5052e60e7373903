"""Faults of a row before training: arguments padded with null.

Arrow and Parquet have one type for a column, so each call gets the argument names of all others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import is_mapping, is_sequence
from agentmsg.formats.sending import Change, SendingRule, calls_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agentmsg.formats.sending import Edit, Mending, Path, Request

_CHOICES = ("anyOf", "oneOf", "allOf", "$ref", "enum", "const")


def _schemas(request: Request) -> Mapping[str, Any]:
    tools = [tool for tool in request.history.tools if isinstance(tool, am.ToolSpec)]
    return {tool.name: tool.parameters for tool in tools if tool.parameters is not None}


def _may_be_null(schema: Any) -> bool:
    """Whether a property may be null, or its schema is too complex to tell."""
    if not is_mapping(schema) or any(key in schema for key in _CHOICES) or schema.get("nullable") is True:
        return True
    kind = schema.get("type")
    return kind is None or kind == "null" or (is_sequence(kind) and "null" in kind)


def _padded(arguments: Any, schema: Any) -> list[str]:
    """Return the arguments that are null although the tool doesn't have them, or not as null."""
    known = schema.get("properties") if is_mapping(schema) else None
    if not is_mapping(known) or not is_mapping(arguments):
        return []
    required: Any = schema.get("required") or ()
    nulls = [name for name, value in arguments.items() if value is None and name not in required]
    return [name for name in nulls if name not in known or not _may_be_null(known[name])]


def _calls(request: Request) -> Iterator[tuple[Path, am.ToolUseBlock, list[str]]]:
    schemas = _schemas(request)
    for path, call in calls_of(request):
        padded = _padded(call.input, schemas[call.name]) if call.is_valid and call.name in schemas else []
        if padded:
            yield path, call, padded


def _find(request: Request) -> Iterator[Path]:
    return ((*path, "input") for path, _, _ in _calls(request))


def _mend(mending: Mending) -> Iterator[Edit]:
    paths = set(mending.paths)
    for path, call, padded in _calls(mending.request):
        if (*path, "input") in paths:
            arguments: Any = call.input
            kept = {name: arguments[name] for name in arguments if name not in padded}
            # No model wrote these nulls.
            yield Change((*path, "input"), kept, "annotation")


RULES = (
    SendingRule(
        "padded-arguments", _find, "arguments are null that the tool doesn't have, or not as null", "leave them out",
        mend=_mend,
    ),
)  # fmt: skip
