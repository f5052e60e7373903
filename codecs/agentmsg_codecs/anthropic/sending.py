"""What the Messages API refuses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import agentmsg as am
from agentmsg.formats.sending import (
    Path,
    Request,
    SendingRule,
    blocks_of,
    calls_of,
    ids_outside,
    names_outside,
    of_calls,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_PROMPTS = ("system", "developer")
_MOST_MESSAGES, _MOST_CACHES = 100_000, 4


def _turns(request: Request) -> Iterator[tuple[int, am.Msg]]:
    return ((i, message) for i, message in enumerate(request.messages) if message.role not in _PROMPTS)


def _no_messages(request: Request) -> Iterator[Path]:
    if next(_turns(request), None) is None:
        yield ("messages",)


def _first_role(request: Request) -> Iterator[Path]:
    first = next(_turns(request), None)
    if first is not None and first[1].role == "assistant":
        yield ("messages", first[0], "role")


def _system_place(request: Request) -> Iterator[Path]:
    first = next(_turns(request), None)
    for index, message in enumerate(request.messages):
        if message.role in _PROMPTS and first is not None and index > first[0]:
            yield ("messages", index)


def _is_empty(message: am.Msg) -> bool:
    return all(isinstance(block, am.TextBlock) and not block.text for block in message.content[:2]) and (
        len(message.content) < 2  # noqa: PLR2004 - several empty texts are texts of a list
    )


def _empty_messages(request: Request) -> Iterator[Path]:
    last = len(request.messages) - 1
    for index, message in _turns(request):
        if message.role in ("user", "assistant") and _is_empty(message):
            if message.role == "assistant" and index == last:
                continue
            yield ("messages", index)


def _texts(request: Request) -> Iterator[tuple[Path, str]]:
    """Yield the texts that are written as blocks: where one stands alone, an empty one is an empty message."""
    for index, message in enumerate(request.messages):
        if message.role not in ("user", "assistant", *_PROMPTS):
            continue
        for at, block in enumerate(message.content):
            if isinstance(block, am.TextBlock) and (block.text or len(message.content) > 1):
                yield ("messages", index, "content", at, "text"), block.text
    for path, block in blocks_of(request):
        if isinstance(block, am.ToolResultBlock) and block.kind != "server" and len(block.content) > 1:
            for at, inner in enumerate(block.content):
                if isinstance(inner, am.TextBlock):
                    yield (*path, "content", at, "text"), inner.text


def _empty_texts(request: Request) -> Iterator[Path]:
    return (path for path, text in _texts(request) if not text)


def _blank_texts(request: Request) -> Iterator[Path]:
    return (path for path, text in _texts(request) if text and not text.strip())


def _trailing_space(request: Request) -> Iterator[Path]:
    last = request.messages[-1] if request.messages else None
    if last is None or last.role != "assistant" or not last.content:
        return
    block = last.content[-1]
    if isinstance(block, am.TextBlock) and block.text.strip() and block.text != block.text.rstrip():
        yield ("messages", len(request.messages) - 1, "content", len(last.content) - 1, "text")


def _double_ids(request: Request) -> Iterator[Path]:
    seen: set[str] = set()
    for path, call in calls_of(request):
        if call.id is not None:
            if call.id in seen:
                yield (*path, "id")
            seen.add(call.id)


def _odd_arguments(request: Request) -> Iterator[Path]:
    for path, call in calls_of(request):
        if not call.is_valid or not isinstance(call.input, dict):
            yield (*path, "input")


def _too_many(request: Request) -> Iterator[Path]:
    if len(request.messages) > _MOST_MESSAGES:
        yield ("messages", _MOST_MESSAGES)


def _caches(request: Request) -> Iterator[Path]:
    hinted = [path for path, block in blocks_of(request) if getattr(block, "cache", None) is not None]
    return iter(hinted[_MOST_CACHES:])


RULES = (
    SendingRule("no-messages", _no_messages, "there is no message", "add a user's message", is_repairable=False),
    # A recorded request that begins with an assistant's message was answered.
    SendingRule(
        "first-role",
        _first_role,
        "the first message isn't a user's",
        "put a user's message before it",
        severity="warning",
    ),
    SendingRule(
        "system-place",
        _system_place,
        "only newer models take a system message here",
        "make it a user's text",
        severity="warning",
    ),
    SendingRule("empty-message", _empty_messages, "the message is empty", "drop the message"),
    SendingRule("empty-text", _empty_texts, "the text is empty", "drop the block"),
    SendingRule("blank-text", _blank_texts, "the text is only white space", "drop the block"),
    SendingRule("trailing-space", _trailing_space, "the last text ends with white space", "cut the white space"),
    SendingRule("call-unanswered", of_calls("call-unanswered"), "no result answers the call", "add a result"),
    SendingRule(
        "call-pending",
        of_calls("pending"),
        "the last call waits for its result",
        "send it with its result",
        severity="warning",
        is_repairable=False,
    ),
    SendingRule("result-orphan", of_calls("result-orphan"), "the result answers no call", "make it a user's text"),
    SendingRule("result-late", of_calls("result-late"), "the result isn't right after its call", "move it there"),
    SendingRule("result-duplicate", of_calls("result-duplicate"), "the call has a result already", "keep one result"),
    SendingRule("id-duplicate", _double_ids, "another call has this id", "give it an id of its own"),
    SendingRule(
        "id-characters",
        ids_outside(re.compile(r"[a-zA-Z0-9_-]+").fullmatch),
        "ids have only letters, digits, _ and -",
        "give call and result a new id",
    ),
    SendingRule(
        "tool-name",
        names_outside(re.compile(r"[a-zA-Z0-9_-]{1,128}").fullmatch),
        "names have 1 to 128 letters, digits, _ and -",
        "replace the characters",
    ),
    SendingRule("arguments", _odd_arguments, "the arguments are no object", "put them into an object"),
    SendingRule("cache-count", _caches, "there are more than 4 cache hints", "drop the hint"),
    SendingRule("too-many", _too_many, "there are more than 100,000 messages", "trim the history", is_repairable=False),
)
