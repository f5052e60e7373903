"""Values of Python that LangGraph stores as extensions, as the JSON that LangChain's own dump has for them.

A set is a list; dates, with or without a time, times and spans of time are texts as of ISO 8601; UUIDs and Decimals are
texts. All other extensions stay what they are.
"""

from __future__ import annotations

import re
from datetime import time
from typing import TYPE_CHECKING, Any
from uuid import UUID

from agentmsg.formats import dump_json, is_list
from agentmsg_codecs.langchain.langgraph.tree import EXT

if TYPE_CHECKING:
    from collections.abc import Mapping


# The code of an extension, and the module and class that it names.
_HEADS: Mapping[str, tuple[int, str, str]] = {
    "set": (0, "builtins", "set"),
    "frozenset": (0, "builtins", "frozenset"),
    "date": (1, "datetime", "date"),
    "datetime": (3, "datetime", "datetime"),
    "time": (2, "datetime", "time"),
    "timedelta": (1, "datetime", "timedelta"),
    "UUID": (0, "uuid", "UUID"),
    "Decimal": (0, "decimal", "Decimal"),
}
_LISTS = ("set", "frozenset")
_ODD = (TypeError, ValueError, AttributeError)
_UTC = "+00:00"


# A span of time as pydantic writes it: a year has 365 days.
_SPAN = re.compile(r"(-?)P(?:(\d+)Y)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,6}))?S)?)?")
_SECONDS = (365 * 86400, 86400, 3600, 60, 1)


def _span_of(days: int, seconds: int, micros: int) -> str:
    whole = (days * 86400 + seconds) * 1_000_000 + micros
    rest, micros = divmod(abs(whole), 1_000_000)
    parts: list[str] = []
    for unit, size in zip("YDHM", _SECONDS, strict=False):
        count, rest = divmod(rest, size)
        parts.append(f"{count}{unit}" if count else "")
    fraction = f"{micros:06}".rstrip("0")
    last = f"{rest}{'.' if fraction else ''}{fraction}S" if rest or fraction or not whole else ""
    later = "".join([*parts[2:], last])
    return f"{'-' if whole < 0 else ''}P{''.join(parts[:2])}{'T' if later else ''}{later}"


def _days_of(text: str) -> list[int]:
    found = _SPAN.fullmatch(text)
    if found is None:
        raise ValueError
    sign, *counts, fraction = found.groups(default="")
    seconds = sum(int(count or 0) * size for count, size in zip(counts, _SECONDS, strict=True))
    whole = seconds * 1_000_000 + int(fraction.ljust(6, "0"))
    seconds, micros = divmod(-whole if sign else whole, 1_000_000)
    return [*divmod(seconds, 86400), micros]


_CLOCK = ("hour", "minute", "second", "microsecond")


def _plain(name: str, payload: Any) -> Any:
    if name == "timedelta":
        return _span_of(*payload)
    if name == "time":
        hour, minute, second, micros = (payload[key] for key in _CLOCK)
        return f"{hour:02}:{minute:02}:{second:02}{f'.{micros:06}' if micros else ''}"
    if name == "date":
        year, month, day = payload
        return f"{year:04}-{month:02}-{day:02}"
    if name == "datetime":
        return f"{payload.removesuffix(_UTC)}Z" if payload.endswith(_UTC) else payload
    return str(UUID(payload)) if name == "UUID" else payload


def _payload(name: str, plain: Any) -> Any:
    if name == "timedelta":
        return _days_of(plain)
    if name == "time":
        clock = time.fromisoformat(plain)
        return {**{key: getattr(clock, key) for key in _CLOCK}, "tzinfo": None, "fold": 0}
    if name == "date":
        return [int(part) for part in plain.split("-")]
    if name == "datetime":
        return f"{plain[:-1]}{_UTC}" if plain.endswith("Z") else plain
    return plain.replace("-", "") if name == "UUID" else plain


def plain_of(value: dict[str, Any]) -> tuple[str, Any] | None:
    """Return the name and the JSON of an extension of the table; None for anything else, or if it would not come back.

    What is inside a set may be extensions in turn.
    """
    items = value.get("value")
    head = (value.get(EXT), *items[:2]) if is_list(items) else ()
    name = next((name for name, known in _HEADS.items() if known == head), None)
    if name is None or not is_list(items):
        return None
    try:
        plain = _plain(name, items[2])
    except (*_ODD, LookupError):
        return None
    again = extension_of(name, plain)
    return (name, plain) if again is not None and dump_json(again) == dump_json(value) else None


def extension_of(name: Any, plain: Any) -> dict[str, Any] | None:
    """Return the extension of a value of the table; None if it is none, whatever a note says."""
    if not isinstance(name, str) or name not in _HEADS or not isinstance(plain, list if name in _LISTS else str):
        return None
    code, *head = _HEADS[name]
    try:
        payload = _payload(name, plain)
    except _ODD:
        return None
    return {EXT: code, "value": [*head, payload, *(["fromisoformat"] if name == "datetime" else [])]}
