"""The small print: sizes, counters, times and the amount of what isn't shown, in a few words each."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from agentmsg.show.visible_text import brief

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from agentmsg.model.blocks import BaseBlock
    from agentmsg.model.usage import Usage

_COUNTERS = (
    ("input", "{:,} in"),
    ("output", "{:,} out"),
    ("total", "{:,} total"),
    ("cache_read", "{:,} cached"),
    ("cache_write", "{:,} to cache"),
    ("reasoning", "{:,} reasoning"),
    ("input_audio", "{:,} audio in"),
    ("output_audio", "{:,} audio out"),
    ("cost", "cost {:,}"),
    ("seconds", "{:,} s"),
)
_KILO = 1000


def count(number: int, one: str, many: str = "") -> str:
    """Return a number with its word."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def size(number: int) -> str:
    """Return a number of bytes in the largest unit that leaves one digit before the point."""
    if number < _KILO:
        return count(number, "byte")
    value, units = number / _KILO, ["kB", "MB", "GB"]
    while value >= _KILO and len(units) > 1:
        value, units = value / _KILO, units[1:]
    return f"{value:.1f} {units[0]}"


def said(*texts: str | None) -> tuple[str, ...]:
    """Return the texts that are neither None nor empty, shortened."""
    return tuple(brief(text) for text in texts if text)


def entries(**parts: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the number of entries of each mapping that has any."""
    return tuple(f"{name.replace('_', ' ')} {len(part)}" for name, part in parts.items() if part)


def block_facts(block: BaseBlock, *more: str | None) -> tuple[str, ...]:
    """Return the facts that every block may have, after ``more`` of its own."""
    cache, signature = block.cache, block.signature
    return (
        *said(*more, block.phase),
        *said(None if block.item_id is None else f"item {block.item_id}"),
        *said(None if cache is None else f"cache {cache.kind} {cache.ttl or ''}".rstrip()),
        *said(None if signature is None else f"signed by {signature.provider or 'somebody'}"),
        *entries(metadata=block.metadata, extras=block.extras),
    )


def spent(usage: Usage | None) -> tuple[str, ...]:
    """Return the meaningful counters: no zero except for input and output, and no total that is their sum."""
    if usage is None:
        return ()
    values = {name: getattr(usage, name) for name, _ in _COUNTERS}
    if usage.total == (usage.input or 0) + (usage.output or 0):
        values["total"] = None
    shown = {name: value for name, value in values.items() if value or (value == 0 and name in {"input", "output"})}
    return (*(form.format(shown[name]) for name, form in _COUNTERS if name in shown), *entries(extras=usage.extras))


def when(time: datetime, before: datetime | None = None) -> str:
    """Return a time to the minute, with its zone if that isn't UTC; without the day if ``before`` has the same one."""
    offset = time.utcoffset()
    zone = "" if not offset else f" {_signed(offset)}"
    clock = f"{time:%H:%M}{zone}"
    same_day = before is not None and before.date() == time.date() and before.utcoffset() == offset
    return clock if same_day else f"{time.date().isoformat()} {clock}"


def _signed(offset: timedelta) -> str:
    minutes = abs(offset) // timedelta(minutes=1)
    return f"{'-' if offset < timedelta() else '+'}{minutes // 60:02}:{minutes % 60:02}"


def joined(facts: Iterable[str]) -> str:
    """Return facts as one line."""
    return " · ".join(facts)
