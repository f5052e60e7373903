"""What Chat Completions refuses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import agentmsg as am
from agentmsg.formats.sending import (
    PAIRING,
    Change,
    Edit,
    Mending,
    Path,
    Request,
    SendingRule,
    calls_of,
    data_encoding,
    ids_outside,
    ids_twice,
    names_outside,
    removing,
    rename,
    renumber,
)
from agentmsg_codecs.openai.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST_ID, _LONGEST_NAME, _MOST_TOOLS = 40, 64, 128
_NAME = re.compile(rf"[^\s<|\\/>]{{1,{_LONGEST_NAME}}}")
_NO_NAME, _NO_TOOL_NAME = re.compile(r"[\s<|\\/>]"), re.compile(r"[^a-zA-Z0-9_-]")


def _no_messages(request: Request) -> Iterator[Path]:
    if not request.messages:
        yield ("messages",)


def _empty_messages(request: Request) -> Iterator[Path]:
    for index, message in enumerate(request.messages):
        if message.role in ("user", "assistant") and not message.content:
            yield ("messages", index)


def _message_names(request: Request) -> Iterator[Path]:
    for index, message in enumerate(request.messages):
        if message.name is not None and message.role not in ("tool", "native") and not _NAME.fullmatch(message.name):
            yield ("messages", index, "name")


def _odd_arguments(request: Request) -> Iterator[Path]:
    for path, call in calls_of(request):
        if call.kind == "function" and not (call.is_valid and isinstance(call.input, dict)):
            yield (*path, "input")


def _file_links(request: Request) -> Iterator[Path]:
    for index, at, block in request.blocks(am.FileBlock):
        if isinstance(block.source, am.URLSource):
            yield ("messages", index, "content", at, "source")


def _sounds(request: Request) -> Iterator[Path]:
    for index, at, _ in request.blocks(am.AudioBlock):
        if request.messages[index].role == "user":
            yield ("messages", index, "content", at)


def _too_many(request: Request) -> Iterator[Path]:
    if len(request.history.tools) > _MOST_TOOLS:
        yield ("tools", _MOST_TOOLS)


# -- mends ------------------------------------------------------------------------------------------------------------


def _name_allowed(word: str) -> str:
    return _NO_TOOL_NAME.sub("_", word)


def _renamed(mending: Mending) -> Iterator[Edit]:
    for path in mending.paths:
        name = mending.request.messages[int(path[1])].name or ""
        yield Change(path, _NO_NAME.sub("_", name)[:_LONGEST_NAME] or "_")


RULES = (
    SendingRule("no-messages", _no_messages, "there is no message", "add a message"),
    SETTINGS.needs("model"),
    # Recorded requests with an empty text were answered; an empty list is refused.
    SendingRule(
        "empty-message",
        _empty_messages,
        "the message is empty",
        "drop the message",
        mend=removing(),
        severity="warning",
    ),
    SendingRule(
        "id-duplicate",
        ids_twice(in_message=True),
        "another call of the message has this id",
        "give it an id of its own",
        mend=renumber(str, longest=_LONGEST_ID),
    ),
    SendingRule(
        "id-characters",
        ids_outside(lambda link: len(link) <= _LONGEST_ID),
        f"ids have at most {_LONGEST_ID} characters",
        "give call and result a new id",
        mend=renumber(str, longest=_LONGEST_ID),
    ),
    *PAIRING,
    data_encoding(),
    SendingRule(
        "tool-name",
        names_outside(re.compile(rf"[a-zA-Z0-9_-]{{1,{_LONGEST_NAME}}}").fullmatch),
        f"names have 1 to {_LONGEST_NAME} letters, digits, _ and -; each tool has its own",
        "replace the characters",
        mend=rename(_name_allowed, longest=_LONGEST_NAME),
    ),
    SendingRule(
        "message-name",
        _message_names,
        f"names have 1 to {_LONGEST_NAME} characters, no white space and none of < | \\ / >",
        "replace the characters",
        mend=_renamed,
    ),
    SendingRule(
        "arguments", _odd_arguments, "the arguments are no JSON object", "put them into an object", severity="warning"
    ),
    # OpenAI refuses links (recorded); servers that speak alike fetch them (recorded, too).
    SendingRule(
        "media-type", _file_links, "files are given as data, not as a link", "fetch the file", severity="warning"
    ),
    SendingRule("media-place", _sounds, "only some models take audio", "leave out the audio", severity="warning"),
    SendingRule("too-many", _too_many, f"there are more than {_MOST_TOOLS} tools", "leave out tools"),
)
