"""``usage_metadata`` to Usage and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Native, cells, is_marked, is_object, write_as
from agentmsg.formats.forms import Described, Form, Inside, Key, Number, Rows, Whole
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
    """Return the usage of ``usage_metadata``; None if it is null or no object."""
    return _readers["usage"](native) if is_object(native) else None


def write_usage(usage: am.Usage) -> Native:
    """Return the ``usage_metadata`` of a usage."""
    return write_as(_shape, usage, FAMILY) if usage.extras or usage.notes else _writers["usage"](usage)


def _wanted(usage: am.Usage) -> dict[str, Any]:
    """Return the counts that LangChain requires, unless a document was read that lacks them."""
    if is_marked(usage, FAMILY, "/partial"):
        return {}
    counts = (usage.input or 0, usage.output or 0)
    wanted = {"input": counts[0], "output": counts[1], "total": sum(counts)}
    return {name: count for name, count in wanted.items() if getattr(usage, name) is None}


def carried_usage() -> Cell:
    """Return the cell for usage."""
    fields = Rows(USAGE).row("usage").fields
    return cells.usage(
        fields.keys() - {"extras"},
        extras=fields["extras"],
        wanted=_wanted,
        case="value.input is not None and value.output is not None and value.total is not None",
    )
