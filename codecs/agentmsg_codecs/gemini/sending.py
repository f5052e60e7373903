"""What generateContent refuses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats.sending import (
    PAIRING,
    Change,
    Edit,
    Insert,
    Mending,
    Path,
    Request,
    SendingRule,
    calls_of,
    data_encoding,
    is_base64,
    names_outside,
    removing,
    rename,
)
from agentmsg_codecs.gemini.names import PROVIDER, UNSIGNED

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST_NAME = 128
_ODD = re.compile(r"[^a-zA-Z0-9_.-]")
_PROMPTS = ("system", "developer")


def _turns(request: Request) -> Iterator[tuple[int, am.Msg]]:
    return ((i, message) for i, message in enumerate(request.messages) if message.role not in _PROMPTS)


def _no_messages(request: Request) -> Iterator[Path]:
    if next(_turns(request), None) is None:
        yield ("messages",)


def _first_role(request: Request) -> Iterator[Path]:
    first = next(_turns(request), None)
    if first is not None and first[1].role == "assistant":
        yield ("messages", first[0], "role")


def _empty_messages(request: Request) -> Iterator[Path]:
    for index, message in _turns(request):
        if not message.content:
            yield ("messages", index)


def _odd_arguments(request: Request) -> Iterator[Path]:
    for path, call in calls_of(request):
        if not call.is_valid or not isinstance(call.input, dict):
            yield (*path, "input")


def _odd_signatures(request: Request) -> Iterator[Path]:
    for index, at, block in request.all_blocks():
        signed = block.signature
        # encode leaves out what others have signed.
        is_own = signed is not None and signed.provider == PROVIDER
        if is_own and signed.value != UNSIGNED and not is_base64(signed.value, "padded"):
            yield ("messages", index, "content", at, "signature")


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


def _without_signature(mending: Mending) -> Iterator[Edit]:
    for path in mending.paths:
        yield Change(path, None)


def _sign(mending: Mending) -> Iterator[Edit]:
    """Sign with the words that the API takes for calls of other models."""
    for path in mending.paths:
        yield Change((*path, "signature"), am.Signature(PROVIDER, UNSIGNED), "annotation")


def _user_first(mending: Mending) -> Iterator[Edit]:
    for path in mending.paths:
        yield Insert(int(path[1]), am.Msg("user", "\u2026", id=None, created_at=None))


def _allowed(word: str) -> str:
    return _ODD.sub("_", word)


RULES: tuple[Any, ...] = (
    SendingRule("no-messages", _no_messages, "there are no contents", "add a user's message"),
    SendingRule(
        "first-role",
        _first_role,
        "the first content isn't a user's",
        "put a user's message before it",
        mend=_user_first,
        severity="warning",
    ),
    SendingRule("empty-message", _empty_messages, "the content has no parts", "drop the message", mend=removing()),
    *PAIRING,
    data_encoding("padded"),
    SendingRule(
        "signature-encoding", _odd_signatures, "the signature is no base64", "leave it out", mend=_without_signature
    ),
    SendingRule(
        "signature-missing",
        _unsigned,
        "newer models want the signature of the first call of a step",
        "say that it is another model's",
        mend=_sign,
        severity="warning",
    ),
    SendingRule(
        "tool-name",
        names_outside(re.compile(rf"[a-zA-Z0-9_.-]{{1,{_LONGEST_NAME}}}").fullmatch),
        f"names have 1 to {_LONGEST_NAME} letters, digits, _ . and -; each tool has its own",
        "replace the characters",
        mend=rename(_allowed, longest=_LONGEST_NAME),
    ),
    # encode puts them into an object by itself, and decode takes them out.
    SendingRule(
        "arguments", _odd_arguments, "the arguments are no object", "put them into an object", severity="warning"
    ),
)
