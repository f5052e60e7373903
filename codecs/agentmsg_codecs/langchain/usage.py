"""``usage_metadata`` to Usage and back. Imports the model and the core's notes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import agentmsg as am
from agentmsg.codec import maker
from agentmsg.json_values import EMPTY, adopt
from agentmsg.notes import keep, put_back, same_document

from agentmsg_codecs.langchain.words import FAMILY

__all__ = ["DETAILS", "USAGE_KEYS", "read_usage", "write_usage"]

Part = dict[str, Any]
_make = maker(am.Usage)
_COUNTERS = {"input_tokens": "input", "output_tokens": "output", "total_tokens": "total"}
# The nested objects, the namespace of extras for what they hold beyond our counters, and our counters.
DETAILS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "input_token_details": (
        "langchain.input",
        {"audio": "input_audio", "cache_creation": "cache_write", "cache_read": "cache_read"},
    ),
    "output_token_details": ("langchain.output", {"audio": "output_audio", "reasoning": "reasoning"}),
}
_REQUIRED = frozenset(_COUNTERS.values())
USAGE_KEYS = frozenset({*_COUNTERS, *DETAILS, "cost"})


def read_usage(native: Any) -> am.Usage | None:
    """Return the usage of ``usage_metadata``; None where it is null or no object."""
    if type(native) is not dict:
        return None
    part = cast("Part", native)
    fields: Part = {name: value for key, name in _COUNTERS.items() if type(value := part.get(key)) is int}
    if type(part.get("cost")) in (int, float):
        fields["cost"] = part["cost"]
    extras: Part = {}
    for key, (namespace, names) in DETAILS.items():
        details = part.get(key)
        if not details or type(details) is not dict:
            continue
        known = {name: details[native] for native, name in names.items() if native in details}
        if all(type(value) is int for value in known.values()):
            fields.update(known)
            rest = {name: value for name, value in details.items() if name not in names}
            if rest:
                extras[namespace] = rest
    usage = _make(**fields, extras=adopt(extras) if extras else EMPTY)
    if len(fields.keys() & _REQUIRED) < len(_REQUIRED):
        usage = usage.evolve(notes={FAMILY: {"/partial": True}})
    plain = _default(usage)
    if len(plain) == len(part) and same_document(plain, part):
        return usage
    return keep(usage, part, plain, family=FAMILY, known=USAGE_KEYS)


def _default(usage: am.Usage) -> Part:
    part: Part = {}
    for key, name in _COUNTERS.items():
        if (value := getattr(usage, name)) is not None:
            part[key] = value
    extras = usage.extras
    for key, (namespace, names) in DETAILS.items():
        details = {
            native: value for native, name in names.items() if (value := getattr(usage, name)) is not None
        }
        rest = extras.get(namespace) if extras else None
        if isinstance(rest, Mapping):
            details.update(cast("Part", rest))
        if details:
            part[key] = details
    if usage.cost is not None:
        part["cost"] = usage.cost
    return part


def write_usage(usage: am.Usage) -> Part:
    """Return the ``usage_metadata`` of a usage."""
    plain = _default(usage)
    if not usage.extras and not usage.notes:
        return plain
    return put_back(usage, plain, family=FAMILY, read=lambda part: read_usage(am.thaw(part)))
