"""Cache hints: OpenAI's own on parts and tools, and the ``cache_control`` of compatible servers.

Marks on a hint: ``/at`` (read from a ``cache_control``, from both keys, or from beside a message), ``/beside`` (also
beside the message), ``/odd`` (the schema doesn't allow it, or not here).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    Native,
    Unreadable,
    carried_extras,
    is_marked,
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
POINT, CONTROL = "prompt_cache_breakpoint", "cache_control"
CACHE_KEYS = (POINT, CONTROL)
# Where hints of compatible servers are read; all others are breakpoints.
_CONTROLLED = ("message", CONTROL)


def odd(obj: Any) -> Any:
    """Mark an object that the schema doesn't allow, so that it is written again."""
    return marked(obj, FAMILY, odd=True)


def is_odd(obj: Any) -> bool:
    """Whether an object was read although the schema doesn't allow it."""
    return is_marked(obj, FAMILY, "/odd")


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


def _at(hint: am.CacheHint) -> Any:
    return mark_of(hint, FAMILY, "/at")


def read_control(value: Any) -> am.CacheHint:
    """Read the hint in a ``cache_control``.

    Raises:
        Unreadable: if there is none.
    """
    hint: am.CacheHint = read_as(HINTS.shapes["control"], value, FAMILY)
    return hint


def control_of(value: Any) -> am.CacheHint | None:
    """Return the hint in a ``cache_control``, or None."""
    try:
        return read_control(value)
    except (Unreadable, am.AgentMsgError):
        return None


def write_control(hint: am.CacheHint) -> Native:
    """Write a hint as a ``cache_control``."""
    return write_as(HINTS.shapes["control"], hint, FAMILY)


def is_message_hint(hint: Any) -> bool:
    """Whether a cache hint was read from beside the content of a message."""
    return type(hint) is am.CacheHint and _at(hint) == "message"


def is_beside(hint: Any) -> bool:
    """Whether a cache hint is written beside the content of a message: only there, or also on a block."""
    return is_message_hint(hint) or (hint is not None and is_marked(hint, FAMILY, "/beside"))


# -- what is supported -------------------------------------------------------------------------------------------------

_SECONDS = {"5m": 300, "30m": 1_800, "1h": 3_600, "12h": 43_200}


def _keys(hint: am.CacheHint) -> frozenset[str]:
    """Return the keys of the object that a cache hint is written as, or of both objects."""
    at = _at(hint)
    point, control = HINTS.forms["breakpoint"].keys, HINTS.forms["control"].keys
    return control if at in _CONTROLLED else point | control if at == "both" else point


_HINT_EXTRAS = carried_extras((FAMILY, _keys))


def _nearest(ttl: str) -> str:
    wanted = _SECONDS[ttl]
    return min(BREAKPOINT_TTLS, key=lambda own: max(_SECONDS[own], wanted) / min(_SECONDS[own], wanted))


def carried_cache(hint: am.CacheHint, _: Any) -> am.CacheHint:
    """Keep a cache hint with a kind and a time to live that the schema has, or that a compatible server wrote."""
    changes: dict[str, Any] = {}
    extras = _HINT_EXTRAS(hint.extras, hint) if hint.extras else hint.extras
    if extras is not hint.extras:
        changes["extras"] = extras
    at = _at(hint)
    if at not in _CONTROLLED:
        if hint.kind != "ephemeral" and (not is_odd(hint) or hint.kind == "explicit" or at == "both"):
            changes["kind"] = "ephemeral"
        if hint.ttl is not None and hint.ttl not in BREAKPOINT_TTLS and not is_odd(hint):
            changes["ttl"] = _nearest(hint.ttl) if hint.ttl in _SECONDS else None
    return hint.evolve(**changes) if changes else hint


def _odd_cache(hint: am.CacheHint, block: Any) -> am.CacheHint | None:
    """Keep a cache hint that was read where the schema has none."""
    return carried_cache(hint, block) if is_odd(hint) or is_message_hint(hint) else None


def _call_cache(hint: am.CacheHint, block: Any) -> am.CacheHint | None:
    """Keep a cache hint that was read from a call, or from beside its message."""
    return carried_cache(hint, block) if _at(hint) in _CONTROLLED else None


# -- keys --------------------------------------------------------------------------------------------------------------


def _get(native: Native, mark: Callable[[Any], Any] = lambda hint: hint) -> dict[str, Any]:
    point, control = native.get(POINT), native.get(CONTROL)
    notes: dict[str, Any] = {key: "null" for key in CACHE_KEYS if key in native and native[key] is None}
    if point is None and control is None:
        return {"notes": notes}
    hint = read_control(control) if point is None else read_as(HINTS.shapes["breakpoint"], point, FAMILY)
    if point is not None and control is not None:
        if hint.notes or not am.same(read_control(control), hint):
            raise Unreadable
        hint = marked(hint, FAMILY, at="both")
        if control != write_control(hint):
            notes[CONTROL] = ["=", control]
    return {"cache": mark(hint), "notes": notes}


def _put(owner: Any) -> Native:
    hint: am.CacheHint = owner.cache
    at = _at(hint)
    native: Native = {}
    if at in _CONTROLLED or at == "both":
        native[CONTROL] = write_control(hint)
    if at not in _CONTROLLED:
        native[POINT] = write_as(HINTS.shapes["breakpoint"], hint, FAMILY)
    return native


def _get_control(native: Native) -> dict[str, Any]:
    hint = control_of(native[CONTROL])
    return {"odd": (CONTROL,)} if hint is None else {"cache": hint}


def _put_control(call: Any) -> Native:
    return {CONTROL: write_control(call.cache)}


# The hint of a part or tool.
CACHE = Hatch(keys=CACHE_KEYS, cells={"cache": carried_cache}, get=_get, put=_put, is_optional=True, about="cache")
# The hint of a part or tool that has none in the schema.
ODD_CACHE = Hatch(
    keys=CACHE_KEYS,
    cells={"cache": _odd_cache},
    get=partial(_get, mark=odd),
    put=_put,
    is_optional=True,
    about="cache",
)
# The hint of a call; only compatible servers have it.
CALL_CACHE = Hatch(
    keys=(CONTROL,),
    cells={"cache": _call_cache},
    get=_get_control,
    put=_put_control,
    is_optional=True,
    odd=(CONTROL,),
    schema={CONTROL: {}},
    about="cache",
)
