"""What generateContent refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats.sending import PAIRING, Change, Edit, Mending, Path, Request, SendingRule, usual
from agentmsg_codecs.gemini.names import PROVIDER, UNSIGNED

if TYPE_CHECKING:
    from collections.abc import Iterator


def _unsigned(request: Request) -> Iterator[Path]:
    """Yield the first call of each step of a turn that goes on, where it has no signature: newer models want it."""
    messages = request.messages
    if not messages or messages[-1].role != "tool":
        return
    start = max((index for index, message in enumerate(messages) if message.role == "user"), default=-1)
    for index, message in enumerate(messages[start + 1 :], start + 1):
        calls = [at for at, block in enumerate(message.content) if isinstance(block, am.ToolUseBlock)]
        if message.role == "assistant" and calls and message.content[calls[0]].signature is None:
            yield ("messages", index, "content", calls[0])


def _sign(mending: Mending) -> Iterator[Edit]:
    """Sign with the words that the API takes for calls of other models."""
    for path in mending.paths:
        yield Change((*path, "signature"), am.Signature(PROVIDER, UNSIGNED), "annotation")


RULES: tuple[Any, ...] = (
    usual.no_messages("there are no contents"),
    usual.first_role("the first content isn't a user's"),
    usual.empty_messages("the content has no parts"),
    *PAIRING,
    SendingRule(
        "signature-missing",
        _unsigned,
        "newer models want the signature of the first call of a step",
        "say that it is another model's",
        mend=_sign,
        severity="warning",
    ),
    usual.tool_names(128, "a-zA-Z0-9_.-", "letters, digits, _ . and -"),
    usual.arguments(),
)
