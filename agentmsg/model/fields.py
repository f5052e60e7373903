"""Fields and arguments by name, so that type checkers find a misspelt one.

Repeated here because a checker can't take them from a class or a function; a test compares the two.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, MutableSequence  # noqa: TC003 - pydantic asks for these at run time
from datetime import datetime  # noqa: TC003 - the same
from typing import TYPE_CHECKING, Any, Literal, Required, TypedDict, final

from agentmsg.model.base import BaseBlock  # noqa: TC001 - the same
from agentmsg.model.tool_use import ToolUseBlock  # noqa: TC001 - the same
from agentmsg.model.usage import Usage  # noqa: TC001 - the same

if sys.version_info >= (3, 12):
    from typing import TypedDict as MappingType
else:
    from typing_extensions import TypedDict as MappingType  # pydantic takes no other

if TYPE_CHECKING:
    from agentmsg.limits import Limits
    from agentmsg.model.allow import Allow
    from agentmsg.values.text import Duplicates


@final
class Untold:
    """What no value is but one of type Any, such as that of ``json.loads``, for the first of some overloads.

    A checker that can't choose among overloads then goes on with Any, and not with a type that is unknown to it.
    """


class _Fields(MappingType, total=False):
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
    content: str | Iterable[BaseBlock]


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


class CallFields(MappingType, total=False):
    """A tool call as a mapping, for ``Msg.assistant`` and ``MessageFields``.

    Attributes:
        name: the tool's name.
        id: links the call with its result; of the item, if there is a ``call_id``, too.
        call_id: links the call with its result.
        input: the arguments, as a value or as text; ``args`` and ``arguments`` are other words for it.
        args: see ``input``.
        arguments: see ``input``.
    """

    name: Required[str]
    id: str | None
    call_id: str | None
    input: Any
    args: Any
    arguments: Any


class MessageFields(MsgFields, ToolFields, total=False):
    """A message as a mapping, for ``History.of`` and whatever takes messages.

    Attributes:
        role: the role.
        content: a text, or blocks.
        tool_calls: the calls of an assistant.
        tool_call_id: of a tool's message, the call that it answers; others are of its result, see ``ToolFields``.
    """

    role: Required[str]
    content: str | Iterable[BaseBlock]
    tool_calls: Iterable[ToolUseBlock | CallFields | Mapping[str, Any]]
    tool_call_id: str


class Reading(TypedDict, total=False):
    """Keyword arguments of ``decode``, besides the codec's options."""

    limits: Limits
    unknown: Literal["keep", "error"]


class _Allowing(TypedDict, total=False):
    allow: Allow
    carry: bool
    repair: bool


class Writing(_Allowing, total=False):
    """Keyword arguments of ``encode``, besides the codec's options."""

    losses: MutableSequence[Any] | None
    on_loss: Literal["error", "ignore"]


class Converting(Reading, _Allowing, total=False):
    """Keyword arguments of ``convert``."""

    duplicates: Duplicates
    on_loss: Literal["report", "error", "ignore"]
    model: str | None
    max_tokens: int | None
    source_options: Mapping[str, Any]
