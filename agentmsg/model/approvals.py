"""Approvals: a person is asked whether a tool may be called, and decides."""

from __future__ import annotations

import attrs

from agentmsg.model.base import BaseBlock
from agentmsg.model.checks import optional_text, text, truth


@attrs.frozen(repr=False, eq=False)
class ApprovalRequestBlock(BaseBlock):
    """A person is asked whether a tool may be called; it follows the call, in the assistant's message.

    Attributes:
        id: links the request with its response.
        tool_call_id: the id of the call; None if the source has none.
        reason: why approval is needed.
    """

    id: str = attrs.field(validator=text)
    tool_call_id: str | None = attrs.field(default=None, validator=optional_text)
    reason: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)


@attrs.frozen(repr=False, eq=False)
class ApprovalResponseBlock(BaseBlock):
    """A person's decision on a tool call, in a user message.

    Attributes:
        id: the id of the request.
        approved: whether the tool may be called.
        reason: why, or why not.
        kind: "server" if the provider runs the tool, else "function"; as for the call.
    """

    id: str = attrs.field(validator=text)
    approved: bool = attrs.field(validator=truth)
    reason: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    kind: str = attrs.field(default="function", validator=text, kw_only=True)
