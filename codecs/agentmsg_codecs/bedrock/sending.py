"""What Converse refuses."""

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
    ids_outside,
    ids_twice,
    is_base64,
    names_outside,
    removing,
    rename,
    renumber,
)
from agentmsg_codecs.bedrock.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST = 64
_NO_ID, _NO_NAME = re.compile(r"[^a-zA-Z0-9_.:-]"), re.compile(r"[^a-zA-Z0-9_-]")
_TITLE = re.compile(r"[a-zA-Z0-9()\[\]-]+(?: [a-zA-Z0-9()\[\]-]+)*")
_NO_TITLE = re.compile(r"[^a-zA-Z0-9()\[\]-]+")
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


def _texts(request: Request) -> Iterator[tuple[Path, str]]:
    """Yield the texts that hold nothing, or white space."""
    for index, at, block in request.blocks(am.TextBlock):
        if not block.text.strip():
            yield ("messages", index, "content", at, "text"), block.text
    for index, at, block in request.blocks(am.ToolResultBlock):
        if block.kind == "server" or len(block.content) < 2:  # noqa: PLR2004 - what stands alone can't go
            continue
        for place, inner in enumerate(block.content):
            if isinstance(inner, am.TextBlock) and not inner.text.strip():
                yield ("messages", index, "content", at, "content", place, "text"), inner.text


def _empty_texts(request: Request) -> Iterator[Path]:
    return (path for path, text in _texts(request) if not text)


def _blank_texts(request: Request) -> Iterator[Path]:
    return (path for path, text in _texts(request) if text)


def _tools_missing(request: Request) -> Iterator[Path]:
    history = request.history
    # A tool of another provider's isn't written.
    given = (tool for tool in history.tools or () if isinstance(tool, am.ToolSpec) or tool.codec == FAMILY)
    if history.settings is None or next(given, None) is not None:
        return
    if history.settings.tool_choice is not None or next(calls_of(request), None) is not None:
        yield ("tools",)


def _empty_descriptions(request: Request) -> Iterator[Path]:
    for index, tool in enumerate(request.history.tools or ()):
        if isinstance(tool, am.ToolSpec) and tool.description == "":
            yield ("tools", index, "description")


def _odd_settings(request: Request) -> Iterator[Path]:
    settings = request.history.settings
    if settings is None:
        return
    if settings.max_tokens is not None and settings.max_tokens < 1:
        yield ("settings", "max_tokens")
    for name in ("temperature", "top_p"):
        value = getattr(settings, name)
        if value is not None and not 0 <= value <= 1:
            yield ("settings", name)
    if "" in (settings.stop or ()):
        yield ("settings", "stop")


def _document_names(request: Request) -> Iterator[Path]:
    for index, at, block in request.blocks(am.FileBlock):
        if block.name is not None and not _TITLE.fullmatch(block.name):
            yield ("messages", index, "content", at, "name")


def _odd_redacted(request: Request) -> Iterator[Path]:
    for index, at, block in request.blocks(am.ThinkingBlock):
        if block.redacted is not None and not is_base64(block.redacted, "standard"):
            yield ("messages", index, "content", at, "redacted")


def _odd_arguments(request: Request) -> Iterator[Path]:
    for path, call in calls_of(request):
        if not call.is_valid or not isinstance(call.input, dict):
            yield (*path, "input")


# -- mends ------------------------------------------------------------------------------------------------------------


def _user_first(mending: Mending) -> Iterator[Edit]:
    for path in mending.paths:
        yield Insert(int(path[1]), am.Msg("user", "\u2026", id=None, created_at=None))


def _undescribed(mending: Mending) -> Iterator[Edit]:
    for path in mending.paths:
        yield Change(path, None, "annotation")


def _titled(mending: Mending) -> Iterator[Edit]:
    for path in mending.paths:
        block: Any = mending.request.messages[int(path[1])].content[int(path[3])]
        yield Change(path, _NO_TITLE.sub(" ", block.name).strip() or "document")


RULES = (
    SendingRule("no-messages", _no_messages, "there is no message", "add a user's message"),
    SendingRule(
        "setting-range",
        _odd_settings,
        "at least one token; temperature and top_p from 0 to 1; words to stop at that aren't empty",
        "give another value",
    ),
    SendingRule("tools-missing", _tools_missing, "tools are called or chosen, and there are none", "give the tools"),
    SendingRule(
        "empty-description",
        _empty_descriptions,
        "the description of a tool is empty",
        "leave it out",
        mend=_undescribed,
    ),
    SendingRule(
        "first-role",
        _first_role,
        "the first message isn't a user's",
        "put a user's message before it",
        mend=_user_first,
        severity="warning",
    ),
    SendingRule("empty-text", _empty_texts, "the text is empty", "drop the block", mend=removing()),
    # A recorded request with a text of one line break was answered.
    SendingRule(
        "blank-text",
        _blank_texts,
        "the text is only white space",
        "drop the block",
        mend=removing(),
        severity="warning",
    ),
    SendingRule("empty-message", _empty_messages, "the message is empty", "drop the message", mend=removing()),
    SendingRule(
        "id-duplicate",
        ids_twice(in_message=True),
        "another call of the message has this id",
        "give it an id of its own",
        mend=renumber(str, longest=_LONGEST),
    ),
    SendingRule(
        "id-characters",
        ids_outside(re.compile(rf"[a-zA-Z0-9_.:-]{{1,{_LONGEST}}}").fullmatch),
        f"ids have 1 to {_LONGEST} letters, digits, _ . : and -",
        "give call and result a new id",
        mend=renumber(lambda word: _NO_ID.sub("_", word), longest=_LONGEST),
    ),
    *PAIRING,
    data_encoding("standard"),
    SendingRule(
        "redacted-encoding",
        _odd_redacted,
        "the redacted thinking is no base64",
        "drop the block",
        mend=removing("content"),
    ),
    SendingRule(
        "tool-name",
        names_outside(re.compile(rf"[a-zA-Z0-9_-]{{1,{_LONGEST}}}").fullmatch),
        f"names have 1 to {_LONGEST} letters, digits, _ and -; each tool has its own",
        "replace the characters",
        mend=rename(lambda word: _NO_NAME.sub("_", word), longest=_LONGEST),
    ),
    SendingRule(
        "document-name",
        _document_names,
        "names of documents have letters, digits, single spaces and - ( ) [ ]",
        "replace the characters",
        mend=_titled,
    ),
    # encode puts them into an object by itself, and decode takes them out.
    SendingRule(
        "arguments", _odd_arguments, "the arguments are no object", "put them into an object", severity="warning"
    ),
)
