"""Rows that LLaMA-Factory ff6d4d1 skips or refuses: turns in the wrong order, and missing media."""

from __future__ import annotations

from typing import TYPE_CHECKING

import agentmsg as am
from agentmsg.formats.sending import SendingRule
from agentmsg_codecs.sharegpt.media import token_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmsg.formats.sending import Path, Request


def _out_of_order(request: Request) -> Iterator[Path]:
    messages = request.history.messages
    first = int(bool(messages) and messages[0].role == "system")
    for index, message in enumerate(messages[first:]):
        if (message.role == "assistant") != (index % 2 == 1) or message.role in ("system", "developer"):
            yield ("messages", first + index)
            return


def _unanswered(request: Request) -> Iterator[Path]:
    messages = request.history.messages
    if not messages or messages[-1].role != "assistant":
        yield ("messages", max(len(messages) - 1, 0))


def _without_media(request: Request) -> Iterator[Path]:
    for index, at, block in request.blocks(am.NativeBlock):
        if token_of(block) is not None:
            yield ("messages", index, "content", at)


RULES = (
    SendingRule(
        "turn-order",
        _out_of_order,
        "what assistants say doesn't alternate with what users and tools say",
        "join the turns, or leave some out",
        severity="warning",
    ),
    SendingRule(
        "last-role", _unanswered, "the last turn isn't an assistant's", "put an answer behind it", severity="warning"
    ),
    SendingRule("media-missing", _without_media, "no column says which medium stands here", "add the column"),
)
