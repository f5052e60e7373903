"""Usage: its counts, which compatible servers also give under keys of their own.

| key | of | count |
| --- | --- | --- |
| prompt_cache_hit_tokens | DeepSeek | cache_read |
| cache_read_input_tokens, cache_creation_input_tokens | LiteLLM | cache_read, cache_write |
| num_cached_tokens | Mistral | cache_read |
| cached_tokens | Kimi | cache_read |
| reasoning_tokens | Perplexity | reasoning |
| total_cost of an object cost | Perplexity | cost; the mark ``/costs`` |

A count that is also in the details of the schema is read from there, and the other key is an extra. Otherwise the first
of these keys is the count, and a mark with the field's name, such as ``/cache_read``, holds the key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import Unreadable, is_mapping, is_marked, mark_of, marked, natives, read_as, write_as
from agentmsg.formats.forms import Described, Form, Inside, Key, Number, Whole
from agentmsg_codecs.openai.names import CHOICE, CHOICES, COST, FAMILY, INPUT, OUTPUT, RESPONSE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agentmsg.formats import Native

_TOTAL = "total_cost"
_KEYS = (
    Key("prompt_tokens", "input", Whole(), "may", lacks="partial"),
    Key("completion_tokens", "output", Whole(), "may", lacks="partial"),
    Key("total_tokens", "total", Whole(), "may", lacks="partial"),
    Inside("prompt_tokens_details", (
        Key("cached_tokens", "cache_read", Whole(), "may"),
        Key("cache_write_tokens", "cache_write", Whole(), "may"),
        Key("audio_tokens", "input_audio", Whole(), "may"),
    ), "may", space=INPUT),
    Inside("completion_tokens_details", (
        Key("reasoning_tokens", "reasoning", Whole(), "may"),
        Key("audio_tokens", "output_audio", Whole(), "may"),
    ), "may", space=OUTPUT),
)  # fmt: skip


def _has_costs(native: Native) -> bool:
    """Whether usage says what each part cost, and their sum, as Perplexity does."""
    costs = native.get("cost")
    return is_mapping(costs) and type(costs.get(_TOTAL)) in (int, float)


USAGE = Described(FAMILY, (
    Form("usage", am.Usage, None, (*_KEYS, Key("cost", "cost", Number(), "may", said="cost", is_odd=True)),
         fits=lambda native: not _has_costs(native), is_apart="usage"),
    Form("costs", am.Usage, None, (*_KEYS, Inside("cost", (Key(_TOTAL, "cost", Number()),), space=COST)),
         fits=_has_costs, when=lambda usage: usage.cost is not None and is_marked(usage, FAMILY, "/costs"),
         notes={"cost": True, "costs": True}, is_apart="usage"),
), {})  # fmt: skip
_SHAPE = USAGE.shapes["usage"]
_COUNTS = {
    "cache_read": ("prompt_cache_hit_tokens", "cache_read_input_tokens", "num_cached_tokens", "cached_tokens"),
    "cache_write": ("cache_creation_input_tokens",),
    "reasoning": ("reasoning_tokens",),
}


def read_usage(native: Any) -> am.Usage:
    """Read usage.

    Raises:
        Unreadable: if it isn't an object with counts.
    """
    usage: am.Usage = read_as(_SHAPE, native, FAMILY)
    if FAMILY not in usage.extras:
        return usage
    own = natives.extras_of(usage, FAMILY)
    found = {field: key for field, keys in _COUNTS.items() if (key := _first(usage, field, keys, own))}
    if not found:
        return usage
    rest = {key: value for key, value in own.items() if key not in found.values()}
    others = {space: some for space, some in usage.extras.items() if space != FAMILY}
    extras: Any = {**others, FAMILY: rest} if rest else others
    counts: dict[str, Any] = {field: own[key] for field, key in found.items()}
    return marked(usage.evolve(**counts, extras=extras), FAMILY, **found)


def _first(usage: am.Usage, field: str, keys: tuple[str, ...], own: Mapping[str, Any]) -> str | None:
    if getattr(usage, field) is not None:
        return None
    return next((key for key in keys if type(own.get(key)) is int), None)


def write_usage(usage: am.Usage) -> Native:
    """Write usage, each count under the key that it was read from."""
    if not usage.notes:
        return write_as(_SHAPE, usage, FAMILY)
    counts = {key: getattr(usage, field) for field, key in _places(usage)}
    return {**write_as(_SHAPE, without_places(usage), FAMILY), **counts}


def without_places(usage: am.Usage) -> am.Usage:
    """Return usage without the counts that are written under keys of compatible servers."""
    fields = [field for field, _ in _places(usage)] if usage.notes else []
    return usage.evolve(**dict.fromkeys(fields)) if fields else usage


def _places(usage: am.Usage) -> Iterator[tuple[str, str]]:
    """Yield the fields that are written under a key of a compatible server, with the key."""
    for field, keys in _COUNTS.items():
        key = mark_of(usage, FAMILY, f"/{field}")
        if key in keys and getattr(usage, field) is not None:
            yield field, key


def taken_keys(usage: am.Usage) -> frozenset[str]:
    """Return the keys that the extras of usage must not use: they would be read as a count."""
    own = natives.extras_of(usage, FAMILY)
    places = dict(_places(usage))
    taken: set[str] = set()
    for field, keys in _COUNTS.items():
        place = places.get(field)
        if place is not None or getattr(usage, field) is None:
            before = keys if place is None else keys[: keys.index(place)]
            taken.update(key for key in before if type(own.get(key)) is int)
    return frozenset(taken.union(places.values()))


def usage_of(choice: Mapping[str, Any], message: am.Msg) -> am.Usage | None:
    """Return the usage that a response tells only in its choice; None if there is none.

    Args:
        choice: the unknown keys of the choice.
        message: that was read, without usage.
    """
    if "usage" not in choice or "usage" in message.response_metadata:
        return None
    try:
        return read_usage(thaw(choice["usage"]))
    except (Unreadable, AgentMsgError):
        return None


def with_usage_of_choice(message: am.Msg) -> am.Msg:
    """Return a message that was read without usage, with the usage of its choice as its own."""
    own = natives.extras_of(message, CHOICE)
    usage = usage_of(own, message) if own else None
    if usage is None:
        return message
    extras = natives.without(message.extras, (CHOICE, "usage"))
    return marked(message.evolve(usage=usage, extras=extras), CHOICE, usage=True)


def without_usage_of_choice(message: am.Msg) -> am.Msg:
    """Return a message to write, with its usage where it was read."""
    if message.usage is None or not is_marked(message, CHOICE, "/usage"):
        return message
    own = {"usage": write_usage(message.usage), **natives.extras_of(message, CHOICE)}
    # In the order in which the reader finds them.
    around = {space: some for space, some in message.extras.items() if space in (CHOICES, RESPONSE)}
    rest = {space: some for space, some in message.extras.items() if space not in around}
    return message.evolve(usage=None, extras={**rest, CHOICE: own, **around})
