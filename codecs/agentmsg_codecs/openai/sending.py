"""What Chat Completions refuses."""

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

_LONGEST_ID, _MOST_TOOLS = 40, 128
_NAME = re.compile(r"[^\s<|\\/>]{1,64}")


def _no_messages(request: Request) -> Iterator[Path]:
    if not request.messages:
        yield ("messages",)


def _empty_messages(request: Request) -> Iterator[Path]:
    for index, message in enumerate(request.messages):
        if message.role in ("user", "assistant") and not message.content:
            yield ("messages", index)


def _double_ids(request: Request) -> Iterator[Path]:
    seen: set[tuple[str | int, str]] = set()
    for path, call in calls_of(request):
        if call.id is not None:
            key = (path[1], call.id)
            if key in seen:
                yield (*path, "id")
            seen.add(key)


def _message_names(request: Request) -> Iterator[Path]:
    for index, message in enumerate(request.messages):
        if message.name is not None and message.role not in ("tool", "native") and not _NAME.fullmatch(message.name):
            yield ("messages", index, "name")


def _odd_arguments(request: Request) -> Iterator[Path]:
    for path, call in calls_of(request):
        if call.kind == "function" and not (call.is_valid and isinstance(call.input, dict)):
            yield (*path, "input")


def _file_links(request: Request) -> Iterator[Path]:
    for path, block in blocks_of(request):
        if isinstance(block, am.FileBlock) and isinstance(block.source, am.URLSource):
            yield (*path, "source")


def _sounds(request: Request) -> Iterator[Path]:
    for path, block in blocks_of(request):
        if isinstance(block, am.AudioBlock) and request.messages[int(path[1])].role == "user":
            yield path


def _too_many(request: Request) -> Iterator[Path]:
    if len(request.history.tools) > _MOST_TOOLS:
        yield ("tools", _MOST_TOOLS)


RULES = (
    SendingRule("no-messages", _no_messages, "there is no message", "add a message", is_repairable=False),
    # Recorded requests with an empty text were answered; an empty list is refused.
    SendingRule("empty-message", _empty_messages, "the message is empty", "drop the message", severity="warning"),
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
    SendingRule("id-duplicate", _double_ids, "another call of the message has this id", "give it an id of its own"),
    SendingRule(
        "id-characters",
        ids_outside(lambda link: len(link) <= _LONGEST_ID),
        "ids have at most 40 characters",
        "give call and result a new id",
    ),
    SendingRule(
        "tool-name",
        names_outside(re.compile(r"[a-zA-Z0-9_-]{1,64}").fullmatch),
        "names have 1 to 64 letters, digits, _ and -",
        "replace the characters",
    ),
    SendingRule(
        "message-name",
        _message_names,
        "names have 1 to 64 characters, no white space and none of < | \\ / >",
        "replace the characters",
    ),
    SendingRule(
        "arguments", _odd_arguments, "the arguments are no JSON object", "put them into an object", severity="warning"
    ),
    # OpenAI refuses links (recorded); servers that speak alike fetch them (recorded, too).
    SendingRule(
        "media-type",
        _file_links,
        "files are given as data, not as a link",
        "fetch the file",
        severity="warning",
        is_repairable=False,
    ),
    SendingRule(
        "media-place",
        _sounds,
        "only some models take audio",
        "leave out the audio",
        severity="warning",
        is_repairable=False,
    ),
    SendingRule("too-many", _too_many, "there are more than 128 tools", "leave out tools", is_repairable=False),
)
