"""The fields of messages and settings by name, so that type checkers find a misspelt one.

Repeated here because a checker can't take them from the class; a test compares the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from agentmsg.model.blocks import Block
    from agentmsg.model.usage import Usage

__all__ = ["MsgChanges", "MsgFields", "SettingsFields", "ToolFields"]


class _Fields(TypedDict, total=False):
    id: str | None
    created_at: datetime | None
    recipient: str | None
    model: str | None
    provider: str | None
    api: str | None
    metadata: Mapping[str, Any]
    response_metadata: Mapping[str, Any]
    structured: Any
    usage: Usage | None
    finish_reason: str | None
    embedding: Iterable[float] | None
    extras: Mapping[str, Any]
    notes: Mapping[str, Any]


class MsgFields(_Fields, total=False):
    """Keyword arguments of the ``Msg`` factories, besides the text."""

    name: str | None


class ToolFields(_Fields, total=False):
    """Keyword arguments of ``Msg.tool``, besides the text, the id of the call and the tool's name."""

    error: str | None
    error_type: str | None
    status: str | None
    artifact: Any


class MsgChanges(MsgFields, total=False):
    """Keyword arguments of ``Msg.evolve`` and ``MsgBuilder.set``."""

    role: str
    content: str | Iterable[Block]


class SettingsFields(TypedDict, total=False):
    """Keyword arguments of ``History.with_settings``."""

    model: str | None
    max_tokens: int | None
    temperature: float | None
    top_p: float | None
    top_k: int | None
    stop: Iterable[str]
    seed: int | None
    tool_choice: Literal["auto", "required", "none"] | Mapping[str, Any] | None
    parallel_tool_calls: bool | None
    response_format: Literal["text", "json"] | Mapping[str, Any] | None
    reasoning: Literal["off"] | Mapping[str, Any] | None
    stream: bool | None
    store: bool | None
    user: str | None
    metadata: Mapping[str, Any]
