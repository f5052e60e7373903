"""The sending rules: the requests that Converse refuses."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import grouping
from agentmsg.formats.sending import (
    PAIRING,
    Change,
    Edit,
    Mending,
    Path,
    Request,
    SendingRule,
    clearing,
    is_base64,
    limits,
    removing,
    usual,
)
from agentmsg_codecs.bedrock.names import FAMILY
from agentmsg_codecs.bedrock.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST = 64
# Who speaks in the native message of a role.
_SIDES = {"user": "user", "tool": "user", "assistant": "assistant"}
_TITLE = re.compile(r"[a-zA-Z0-9()\[\]-]+(?: [a-zA-Z0-9()\[\]-]+)*")
_NO_TITLE = re.compile(r"[^a-zA-Z0-9()\[\]-]+")


def _empty_descriptions(request: Request) -> Iterator[Path]:
    for index, tool in enumerate(request.history.tools or ()):
        if isinstance(tool, am.ToolSpec) and tool.description == "":
            yield ("tools", index, "description")


def _document_names(request: Request) -> Iterator[Path]:
    for index, at, block in request.blocks(am.FileBlock):
        if block.name is not None and not _TITLE.fullmatch(block.name):
            yield ("messages", index, "content", at, "name")


def _odd_redacted(request: Request) -> Iterator[Path]:
    for index, at, block in request.blocks(am.ThinkingBlock):
        if block.redacted is not None and not is_base64(block.redacted, "standard"):
            yield ("messages", index, "content", at, "redacted")


def _turns_in_a_row(request: Request) -> Iterator[Path]:
    """Yield messages that follow one of the same side, if that isn't the same native message."""
    for index, (before, message) in enumerate(pairwise(request.messages), 1):
        side = _SIDES.get(message.role)
        if side is None or side != _SIDES.get(before.role) or before.role == message.role == "tool":
            continue
        first, second = grouping.seat_of(before, FAMILY), grouping.seat_of(message, FAMILY)
        if before.role == message.role or first is None or second is None or first >= second:
            yield ("messages", index)


# -- mends ------------------------------------------------------------------------------------------------------------


def _titled(mending: Mending) -> Iterator[Edit]:
    for path in mending.paths:
        block: Any = mending.request.messages[int(path[1])].content[int(path[3])]
        yield Change(path, _NO_TITLE.sub(" ", block.name).strip() or "document")


# As the service's model says; a toolConfig needs tools.
LIMITS = (
    limits.between("max_tokens", 1),
    *SETTINGS.ranges(),
    limits.few_stops(2500),
    limits.filled_stops(is_blank=False),
    *limits.offered_tools(FAMILY, key="toolConfig"),
)
RULES = (
    usual.no_messages(),
    *LIMITS,
    usual.tools_missing(FAMILY),
    SendingRule(
        "empty-description",
        _empty_descriptions,
        "the description of a tool is empty",
        "leave it out",
        mend=clearing("annotation"),
    ),
    usual.first_role(),
    # Converse answered a recorded request with a text of one line break.
    *usual.empty_texts(blank="warning"),
    usual.empty_messages(),
    # "A conversation must alternate between user and assistant roles" (reported).
    SendingRule(
        "alternation",
        _turns_in_a_row,
        "users and assistants must alternate",
        'join the messages (the option turns="merged")',
    ),
    usual.duplicate_ids(in_message=True, longest=_LONGEST),
    usual.id_characters(f"ids have 1 to {_LONGEST} letters, digits, _ . : and -", "a-zA-Z0-9_.:-", longest=_LONGEST),
    *PAIRING,
    usual.data_encoding("standard"),
    SendingRule(
        "redacted-encoding",
        _odd_redacted,
        "the redacted thinking isn't base64",
        "drop the block",
        mend=removing("content"),
    ),
    usual.tool_names(_LONGEST),
    *usual.object_schemas(),
    SendingRule(
        "document-name",
        _document_names,
        "names of documents have letters, digits, single spaces and - ( ) [ ]",
        "replace the characters",
        mend=_titled,
    ),
    usual.arguments(),
)
