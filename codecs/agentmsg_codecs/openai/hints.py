"""Cache hints: OpenAI's own on parts and tools, and the ``cache_control`` of compatible servers.

Marks on a hint: ``/at`` (it is in a ``cache_control``, in both, or beside a message), ``/beside`` (beside the message,
too), ``/odd`` (the schema doesn't have it like this, or not here).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    Native,
    Unreadable,
    carried_extras,
    is_marked,
    is_object,
    mark_of,
    marked,
    read_as,
    write_as,
)
from agentmsg.formats.forms import Described, Form, Hatch, Key, Text, Words
from agentmsg_codecs.openai.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable

BREAKPOINT_TTLS = ("30m", "12h")
CACHE_AT = "/at"
POINT, CONTROL = "prompt_cache_breakpoint", "cache_control"
CACHE_KEYS = (POINT, CONTROL)
# Where other hints than breakpoints stand: beside a message, in an object with or without one.
_CONTROLLED = ("message", CONTROL)


def odd(obj: Any) -> Any:
    """Mark what was read though the schema does not have it, so that it is written again."""
    return marked(obj, FAMILY, odd=True)


def is_odd(obj: Any) -> bool:
    """Whether an object was read from a document that says what the schema does not have."""
    return bool(obj.notes) and mark_of(obj, FAMILY, "/odd") is True


def _is_unknown(native: Native) -> bool:
    return native["mode"] != "explicit" or native.get("ttl") not in (None, *BREAKPOINT_TTLS)


_TTL = Key("ttl", "ttl", Text(), "may")
HINTS = Described(FAMILY, (
    Form("breakpoint", am.CacheHint, None, (
        Key("mode", "kind", Words({"explicit": "ephemeral"})), _TTL,
    ), marks={"odd": _is_unknown}, is_apart=True),
    Form("control", am.CacheHint, None, (
        Key("type", "kind", Text()), _TTL,
    ), notes={"at": CONTROL}, is_apart=True),
), {})  # fmt: skip


def hint_keys(hint: am.CacheHint) -> frozenset[str]:
    """Return the keys of the objects that a cache hint is written as: those of the one of them, or of both."""
    at = mark_of(hint, FAMILY, CACHE_AT) if hint.notes else None
    of_point = frozenset[str]() if at in _CONTROLLED else HINTS.forms["breakpoint"].keys
    return of_point | HINTS.forms["control"].keys if at in _CONTROLLED or at == "both" else of_point


def is_controlled(hint: am.CacheHint) -> bool:
    """Whether a cache hint is written as compatible servers have it."""
    return bool(hint.notes) and mark_of(hint, FAMILY, CACHE_AT) in _CONTROLLED


def read_control(value: Any) -> am.CacheHint:
    """Return the hint of a ``cache_control``.

    Raises:
        Unreadable: if it is none.
    """
    hint: am.CacheHint = read_as(HINTS.shapes["control"], value, FAMILY)
    return hint


def write_control(hint: am.CacheHint) -> Native:
    """Return the ``cache_control`` of a hint."""
    return write_as(HINTS.shapes["control"], hint, FAMILY)


def _read_cache(native: Native) -> am.CacheHint | None:
    point, control = native.get(POINT), native.get(CONTROL)
    if point is None:
        return None if control is None else read_control(control)
    hint: am.CacheHint = read_as(HINTS.shapes["breakpoint"], point, FAMILY)
    if control is None:
        return hint
    if hint.notes or not am.same(read_control(control), hint):
        raise Unreadable
    return marked(hint, FAMILY, at="both")


def _get(native: Native, mark: Callable[[Any], Any] = lambda hint: hint) -> dict[str, Any]:
    hint = _read_cache(native)
    notes: dict[str, Any] = {key: "null" for key in CACHE_KEYS if key in native and native[key] is None}
    if hint is None:
        return {"notes": notes}
    if len(native.keys() & CACHE_KEYS) > 1 and not notes and native[CONTROL] != write_control(hint):
        notes = {CONTROL: ["=", native[CONTROL]]}
    return {"cache": mark(hint), "notes": notes}


def _get_odd(native: Native) -> dict[str, Any]:
    return _get(native, odd)


def _put_control(call: Any) -> Native:
    return {CONTROL: write_control(call.cache)}


def _put(owner: Any) -> Native:
    hint: am.CacheHint = owner.cache
    at = mark_of(hint, FAMILY, CACHE_AT) if hint.notes else None
    native: Native = {}
    if at in _CONTROLLED or at == "both":
        native[CONTROL] = write_control(hint)
    if at not in _CONTROLLED:
        native[POINT] = write_as(HINTS.shapes["breakpoint"], hint, FAMILY)
    return native


def _get_control(native: Native) -> dict[str, Any]:
    value = native[CONTROL]
    if is_object(value):
        try:
            return {"cache": read_control(value)}
        except (Unreadable, am.AgentMsgError):
            pass
    return {"odd": (CONTROL,)}


def is_message_hint(hint: Any) -> bool:
    """Whether a cache hint was read beside the content of a message."""
    return type(hint) is am.CacheHint and bool(hint.notes) and mark_of(hint, FAMILY, CACHE_AT) == "message"


def stands_beside(hint: Any) -> bool:
    """Whether a cache hint stands beside the content of a message: there alone, or on a block, too."""
    return is_message_hint(hint) or (hint is not None and is_marked(hint, FAMILY, "/beside"))


def is_own_hint(hint: Any) -> bool:
    """Whether a cache hint was read from a call, or from beside the content of its message."""
    return hint is not None and bool(hint.notes) and mark_of(hint, FAMILY, CACHE_AT) in ("message", CONTROL)


# -- what is supported -------------------------------------------------------------------------------------------------

_SECONDS = {"5m": 300, "30m": 1_800, "1h": 3_600, "12h": 43_200}
_HINT_EXTRAS = carried_extras((FAMILY, hint_keys))


def _nearest(ttl: str) -> str:
    wanted = _SECONDS[ttl]
    return min(BREAKPOINT_TTLS, key=lambda own: max(_SECONDS[own], wanted) / min(_SECONDS[own], wanted))


def carried_cache(hint: am.CacheHint, _: Any) -> am.CacheHint:
    """Keep a cache hint: kind and time to live as the schema has them, or as compatible servers wrote them."""
    changes: dict[str, Any] = {}
    extras = _HINT_EXTRAS(hint.extras, hint) if hint.extras else hint.extras
    if extras is not hint.extras:
        changes["extras"] = extras
    at = mark_of(hint, FAMILY, CACHE_AT) if hint.notes else None
    if not is_controlled(hint):
        if hint.kind != "ephemeral" and (not is_odd(hint) or hint.kind == "explicit" or at == "both"):
            changes["kind"] = "ephemeral"
        if hint.ttl is not None and hint.ttl not in BREAKPOINT_TTLS and not is_odd(hint):
            changes["ttl"] = _nearest(hint.ttl) if hint.ttl in _SECONDS else None
    return hint.evolve(**changes) if changes else hint


def only_odd_cache(hint: am.CacheHint, block: Any) -> am.CacheHint | None:
    """Keep a cache hint where the schema has none: only one that was read there."""
    return carried_cache(hint, block) if is_odd(hint) or is_message_hint(hint) else None


def own_cache_only(hint: am.CacheHint, block: Any) -> am.CacheHint | None:
    """Keep a cache hint on a call or a result: one that was read there, or beside its message."""
    return carried_cache(hint, block) if is_own_hint(hint) else None


# -- keys --------------------------------------------------------------------------------------------------------------


def cache(*, is_usual: bool = True) -> Hatch:
    """Return the keys of the hint of a part or tool, which the schema has there, or has not."""
    return Hatch(
        keys=CACHE_KEYS,
        cells={"cache": carried_cache if is_usual else only_odd_cache},
        get=_get if is_usual else _get_odd,
        put=_put,
        is_optional=True,
        about="cache",
    )


def own_cache() -> Hatch:
    """Return the key of the hint of a call, which only compatible servers have."""
    return Hatch(
        keys=(CONTROL,),
        cells={"cache": own_cache_only},
        get=_get_control,
        put=_put_control,
        is_optional=True,
        odd=(CONTROL,),
        schema={CONTROL: {}},
        about="cache",
    )
