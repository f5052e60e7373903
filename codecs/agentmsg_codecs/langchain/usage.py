"""``usage_metadata`` and Usage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Native, cells, is_object, write_as
from agentmsg.formats.forms import Described, Form, Inside, Key, Number, Whole
from agentmsg_codecs.langchain.names import FAMILY

if TYPE_CHECKING:
    from agentmsg.formats import Cell


def _counts(*names: tuple[str, str], lacks: str | None = None) -> tuple[Key, ...]:
    return tuple(Key(key, field, Whole(), "may", lacks=lacks, is_odd=True) for key, field in names)


_USAGE = Form("usage", am.Usage, None, (
    *_counts(("input_tokens", "input"), ("output_tokens", "output"), ("total_tokens", "total"), lacks="partial"),
    Inside("input_token_details", _counts(
        ("audio", "input_audio"), ("cache_creation", "cache_write"), ("cache_read", "cache_read"),
    ), "may", space="langchain.input"),
    Inside("output_token_details", _counts(
        ("audio", "output_audio"), ("reasoning", "reasoning"),
    ), "may", space="langchain.output"),
    Key("cost", "cost", Number(), "may", is_odd=True),
), is_apart=True)  # fmt: skip
USAGE = Described(FAMILY, (_USAGE,), {})
_readers, _writers, _shape = USAGE.names.readers, USAGE.names.writers, USAGE.shapes["usage"]


def read_usage(native: Any) -> am.Usage | None:
    """Return the usage of ``usage_metadata``; None if it isn't an object."""
    return _readers["usage"](native) if is_object(native) else None


def write_usage(usage: am.Usage) -> Native:
    """Return the ``usage_metadata`` of a usage."""
    return write_as(_shape, usage, FAMILY) if usage.extras or usage.notes else _writers["usage"](usage)


def carried_usage() -> Cell:
    """Return the cell for usage."""
    return cells.usage(USAGE.rows.row("usage").fields, needs=("input", "output", "total"), family=FAMILY)
