"""``usage_metadata`` to Usage and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import EMPTY, Native, adopt, is_mapping, is_object, maker, same_document, spelling
from agentmsg_codecs.langchain.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Mapping


_make = maker(am.Usage)
_make_counters = maker(
    am.Usage, "input", "output", "total", "cache_read", "cache_write", "reasoning", "input_audio", "output_audio"
)
_COUNTERS = {"input_tokens": "input", "output_tokens": "output", "total_tokens": "total"}
# The nested objects, the namespace of extras for what they hold beyond our counters, and our counters.
DETAILS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "input_token_details": (
        "langchain.input",
        {"audio": "input_audio", "cache_creation": "cache_write", "cache_read": "cache_read"},
    ),
    "output_token_details": ("langchain.output", {"audio": "output_audio", "reasoning": "reasoning"}),
}
_IN_DETAILS: Mapping[str, str] = {"cache_creation": "cache_write", "cache_read": "cache_read", "reasoning": "reasoning"}
_PLAIN = len(_COUNTERS)
# Typed as Any: a check against it narrows nothing to a dict of who knows what.
_OBJECT: Any = dict
_REQUIRED = frozenset(_COUNTERS.values())
USAGE_KEYS = frozenset({*_COUNTERS, *DETAILS, "cost"})


def read_usage(native: Any) -> am.Usage | None:
    """Return the usage of ``usage_metadata``; None if it is null or no object."""
    if type(native) is not _OBJECT:
        return None
    part: Native = native
    try:
        count, output, total = part["input_tokens"], part["output_tokens"], part["total_tokens"]
    except KeyError:
        return _read_odd(part)
    if type(count) is not int or type(output) is not int or type(total) is not int:
        return _read_odd(part)
    if len(part) == _PLAIN:
        return _make(count, output, total)
    given: Any = part.get("input_token_details")
    used: Any = part.get("output_token_details")
    keys = _PLAIN
    read = written = heard = thought = said = None
    if given is not None:
        if type(given) is not _OBJECT or not given:
            return _read_odd(part)
        read, written, heard = given.get("cache_read"), given.get("cache_creation"), given.get("audio")
        if len(given) != (type(read) is int) + (type(written) is int) + (type(heard) is int):
            return _read_odd(part)
        keys += 1
    if used is not None:
        if type(used) is not _OBJECT or not used:
            return _read_odd(part)
        thought, said = used.get("reasoning"), used.get("audio")
        if len(used) != (type(thought) is int) + (type(said) is int):
            return _read_odd(part)
        keys += 1
    if keys != len(part):
        return _read_odd(part)
    return _make_counters(count, output, total, read, written, thought, heard, said)


def _read_odd(part: Native) -> am.Usage | None:
    """Read usage that lacks a counter, has more than ours, or something else than a number in place of one."""
    fields: Native = {name: value for key, name in _COUNTERS.items() if type(value := part.get(key)) is int}
    if type(part.get("cost")) in (int, float):
        fields["cost"] = part["cost"]
    extras: Native = {}
    for key, (namespace, names) in DETAILS.items():
        details = part.get(key)
        if not details or not is_object(details):
            continue
        known = {native: name for native, name in names.items() if type(details.get(native)) is int}
        fields.update({name: details[native] for native, name in known.items()})
        rest = {name: value for name, value in details.items() if name not in known}
        if rest:
            extras[namespace] = rest
    usage = _make(**fields, extras=adopt(extras) if extras else EMPTY)
    if len(fields.keys() & _REQUIRED) < len(_REQUIRED):
        usage = usage.evolve(notes={FAMILY: {"/partial": True}})
    plain = _default(usage)
    if len(plain) == len(part) and same_document(plain, part):
        return usage
    return spelling.keep(usage, part, plain, family=FAMILY, known=USAGE_KEYS, odd=USAGE_KEYS)


def is_odd(usage: am.Usage, key: str, value: Any) -> bool:
    """Whether a value isn't a counter, under the key of one that a usage lacks: it comes back as an extra."""
    name = {**_COUNTERS, "cost": "cost", **_IN_DETAILS}.get(key)
    if name is not None:
        is_number = type(value) is int or (key == "cost" and type(value) is float)
        is_empty = key not in _IN_DETAILS and spelling.spelling_of(value) is not None
        return getattr(usage, name) is None and not is_number and not is_empty
    namespace, names = DETAILS[key]
    is_empty = spelling.spelling_of(value) is not None
    is_free = namespace not in usage.extras and all(getattr(usage, field) is None for field in names.values())
    return is_free and not is_mapping(value) and not is_empty


def _default(usage: am.Usage) -> Native:
    part: Native = {}
    if usage.input is not None:
        part["input_tokens"] = usage.input
    if usage.output is not None:
        part["output_tokens"] = usage.output
    if usage.total is not None:
        part["total_tokens"] = usage.total
    _write_details(usage, part)
    if usage.cost is not None:
        part["cost"] = usage.cost
    return part


def _write_details(usage: am.Usage, part: Native) -> None:
    of_input: Native = {}
    if usage.input_audio is not None:
        of_input["audio"] = usage.input_audio
    if usage.cache_write is not None:
        of_input["cache_creation"] = usage.cache_write
    if usage.cache_read is not None:
        of_input["cache_read"] = usage.cache_read
    of_output: Native = {}
    if usage.output_audio is not None:
        of_output["audio"] = usage.output_audio
    if usage.reasoning is not None:
        of_output["reasoning"] = usage.reasoning
    if usage.extras:
        for details, (namespace, _) in zip((of_input, of_output), DETAILS.values(), strict=True):
            rest = usage.extras.get(namespace)
            if is_mapping(rest):
                details.update(rest)
    if of_input:
        part["input_token_details"] = of_input
    if of_output:
        part["output_token_details"] = of_output


def write_usage(usage: am.Usage) -> Native:
    """Return the ``usage_metadata`` of a usage."""
    plain = _default(usage)
    if not usage.extras and not usage.notes:
        return plain
    return spelling.put_back(usage, plain, family=FAMILY, read=lambda part: read_usage(am.thaw(part)))
