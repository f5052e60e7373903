"""OpenAI and Anthropic over the whole model: output is valid in the schema, and loss reports stack."""

from __future__ import annotations

from typing import Any, TypeVar, cast

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.model.base import Noted
from agentmsg.testing import histories
from support.conversions import PROBLEMS

_N = TypeVar("_N", bound=Noted)
# Responses without a message: no schema applies to them.
_NOTHING: tuple[Any, ...] = ({}, {"choices": []})


def _is_verbatim(value: object) -> bool:
    """Whether a value is, or names, something that only its provider knows."""
    if isinstance(value, (am.ToolUseBlock, am.ToolResultBlock)):
        return value.kind == "server"
    return isinstance(value, (am.NativeBlock, am.NativeTool)) or (isinstance(value, am.Msg) and value.role == "native")


def plain(owner: _N) -> _N:
    """Return an object without everything that is written unchanged: unknown keys, native parts, spellings."""
    changes: dict[str, Any] = {"notes": {}} if owner.notes else {}
    for field in attrs.fields(type(owner)):
        value: object = getattr(owner, field.name)
        if field.name == "extras":
            changes["extras"] = {}
        elif isinstance(value, Noted):
            changes[field.alias or field.name] = plain(value)
        elif isinstance(value, tuple):
            items = cast("tuple[object, ...]", value)
            kept = tuple(plain(item) if isinstance(item, Noted) else item for item in items if not _is_verbatim(item))
            changes[field.alias or field.name] = kept
    return owner.evolve(**changes)


@pytest.mark.parametrize("codec", PROBLEMS)
@given(history=histories().map(plain))
def test_what_is_written_of_any_history_is_valid(codec: am.CodecName, history: am.History) -> None:
    """For any history, the types of the target accept the output."""
    document = am.encode(history, codec, on_loss="ignore")
    assert document in _NOTHING or PROBLEMS[codec](document) == []


@given(history=histories(), order=st.permutations(["openai", "anthropic", "openai-response", "anthropic-response"]))
def test_accounts_stack(history: am.History, order: list[am.CodecName]) -> None:
    """After several conversions in a row, the loss reports restore the first history, the last report first."""
    accounts: list[list[am.Loss]] = []
    written = history
    for codec in order:
        losses: list[am.Loss] = []
        document = am.encode(written, codec, losses=losses)
        accounts.append(losses)
        written = am.decode(document, codec)
    for losses in reversed(accounts):
        written = am.restore(written, losses)
    assert am.same(written, history)
