"""What the Messages API refuses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import agentmsg as am
from agentmsg.formats.sending import (
    PAIRING,
    Change,
    Edit,
    Insert,
    Mending,
    Move,
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
from agentmsg_codecs.anthropic.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

_PROMPTS = ("system", "developer")
_SAYING = ("user", "assistant", *_PROMPTS)
_MOST_MESSAGES, _MOST_CACHES, _LONGEST_NAME = 100_000, 4, 128
_ODD = re.compile(r"[^a-zA-Z0-9_-]")


def _turns(request: Request) -> Iterator[tuple[int, am.Msg]]:
    return ((i, message) for i, message in enumerate(request.messages) if message.role not in _PROMPTS)


def _no_messages(request: Request) -> Iterator[Path]:
    if next(_turns(request), None) is None:
        yield ("messages",)


def _tools_missing(request: Request) -> Iterator[Path]:
    """Yield the tools of a request that has none, but calls; what says nothing of settings gets tools with the call."""
    history = request.history
    if history.settings is not None and not history.tools and next(calls_of(request), None) is not None:
        yield ("tools",)


def _first_role(request: Request) -> Iterator[Path]:
    first = next(_turns(request), None)
    if first is not None and first[1].role == "assistant":
        yield ("messages", first[0], "role")


def _system_place(request: Request) -> Iterator[Path]:
    first = next(_turns(request), None)
    for index, message in enumerate(request.messages):
        if message.role in _PROMPTS and first is not None and index > first[0]:
            yield ("messages", index)


def _empty_messages(request: Request) -> Iterator[Path]:
    """Yield the messages that hold nothing, or one empty text: several are told one by one."""
    messages = request.messages
    empty = {index for index, message in enumerate(messages) if not message.content}
    for index, _, block in request.blocks(am.TextBlock):
        if not block.text and len(messages[index].content) == 1:
            empty.add(index)
    for index in sorted(empty):
        is_last = messages[index].role == "assistant" and index == len(messages) - 1
        if messages[index].role in ("user", "assistant") and not is_last:
            yield ("messages", index)


def _texts(request: Request) -> Iterator[tuple[Path, str]]:
    """Yield the texts that hold nothing, or white space: where one stands alone, an empty one is an empty message."""
    for index, at, block in request.blocks(am.TextBlock):
        if not block.text.strip():
            message = request.messages[index]
            if message.role in _SAYING and (block.text or len(message.content) > 1):
                yield ("messages", index, "content", at, "text"), block.text
    for index, at, block in request.blocks(am.ToolResultBlock):
        if block.kind != "server" and len(block.content) > 1:
            for place, inner in enumerate(block.content):
                if isinstance(inner, am.TextBlock) and not inner.text.strip():
                    yield ("messages", index, "content", at, "content", place, "text"), inner.text


def _empty_texts(request: Request) -> Iterator[Path]:
    return (path for path, text in _texts(request) if not text)


def _blank_texts(request: Request) -> Iterator[Path]:
    return (path for path, text in _texts(request) if text)


def _trailing_space(request: Request) -> Iterator[Path]:
    last = request.messages[-1] if request.messages else None
    if last is None or last.role != "assistant" or not last.content:
        return
    block = last.content[-1]
    if isinstance(block, am.TextBlock) and block.text.strip() and block.text != block.text.rstrip():
        yield ("messages", len(request.messages) - 1, "content", len(last.content) - 1, "text")


def _media_of_assistants(request: Request) -> Iterator[Path]:
    for index, at, _ in request.blocks(am.ImageBlock, am.FileBlock):
        if request.messages[index].role == "assistant":
            yield ("messages", index, "content", at)


def _odd_arguments(request: Request) -> Iterator[Path]:
    for path, call in calls_of(request):
        if not call.is_valid or not isinstance(call.input, dict):
            yield (*path, "input")


def _too_many(request: Request) -> Iterator[Path]:
    if len(request.messages) > _MOST_MESSAGES:
        yield ("messages", _MOST_MESSAGES)


def _hinted(request: Request) -> list[Path]:
    found = [(index, at) for index, at, block in request.all_blocks() if block.cache is not None]
    return [("messages", index, "content", at) for index, at in sorted(found)]


def _caches(request: Request) -> Iterator[Path]:
    return iter(_hinted(request)[_MOST_CACHES:])


# -- mends ------------------------------------------------------------------------------------------------------------


def _allowed(word: str) -> str:
    return _ODD.sub("_", word)


def _user_first(mending: Mending) -> Iterator[Edit]:
    for path in mending.paths:
        yield Insert(int(path[1]), am.Msg("user", "\u2026", id=None, created_at=None))


def _as_user(mending: Mending) -> Iterator[Edit]:
    """Make instructions a user's text in tags, behind the results of the calls before."""
    messages = mending.request.messages
    for path in mending.paths:
        index = int(path[1])
        for at, block in enumerate(messages[index].content):
            if isinstance(block, am.TextBlock):
                yield Change((*path, "content", at, "text"), f"<system>\n{block.text}\n</system>", "annotation")
        end = index
        while end < len(messages) and messages[end].role in ("tool", *_PROMPTS):
            end += 1
        yield Move(path, end, "user")


def _shown_by_user(mending: Mending) -> Iterator[Edit]:
    """Let the user show what the assistant has made, behind the assistant's turn."""
    for path in mending.paths:
        yield Move(path, mending.request.pairing.after_results(path), "user")


def _cut(mending: Mending) -> Iterator[Edit]:
    """Cut the white space: where the answer goes on, what was said before has changed."""
    for path in mending.paths:
        block = mending.request.messages[int(path[1])].content[int(path[3])]
        yield Change(path, block.text.rstrip(), "annotation")  # type: ignore[union-attr]


def _uncached(mending: Mending) -> Iterator[Edit]:
    """Keep the hints that cover most: the last of the instructions, and the last of all. Earlier hints change."""
    messages, hinted = mending.request.messages, _hinted(mending.request)
    prompts = [path for path in hinted if messages[int(path[1])].role in _PROMPTS][-1:]
    others = [path for path in hinted if path not in prompts]
    for path in others[: len(others) + len(prompts) - _MOST_CACHES]:
        yield Change((*path, "cache"), None)


RULES = (
    SendingRule("no-messages", _no_messages, "there is no message", "add a user's message"),
    # Clouds that host the model have its name in the URL, and this in the body.
    SETTINGS.needs("model", "max_tokens", unnamed="anthropic_version"),
    SendingRule("tools-missing", _tools_missing, "there are calls, and no tools", "give the tools"),
    # A recorded request that begins with an assistant's message was answered.
    SendingRule(
        "first-role",
        _first_role,
        "the first message isn't a user's",
        "put a user's message before it",
        mend=_user_first,
        severity="warning",
    ),
    SendingRule(
        "system-place",
        _system_place,
        "only newer models take a system message here",
        "make it a user's text",
        mend=_as_user,
        severity="warning",
    ),
    SendingRule(
        "media-place",
        _media_of_assistants,
        "an assistant's message has no images and documents",
        "let the user show it",
        mend=_shown_by_user,
    ),
    SendingRule("empty-text", _empty_texts, "the text is empty", "drop the block", mend=removing()),
    SendingRule("blank-text", _blank_texts, "the text is only white space", "drop the block", mend=removing()),
    SendingRule("empty-message", _empty_messages, "the message is empty", "drop the message", mend=removing()),
    SendingRule(
        "trailing-space", _trailing_space, "the last text ends with white space", "cut the white space", mend=_cut
    ),
    SendingRule(
        "id-duplicate",
        ids_twice(in_message=False),
        "another call has this id",
        "give it an id of its own",
        mend=renumber(str),
    ),
    SendingRule(
        "id-characters",
        ids_outside(re.compile(r"[a-zA-Z0-9_-]+").fullmatch),
        "ids have only letters, digits, _ and -",
        "give call and result a new id",
        mend=renumber(_allowed),
    ),
    *PAIRING,
    data_encoding(),
    SendingRule(
        "tool-name",
        names_outside(re.compile(rf"[a-zA-Z0-9_-]{{1,{_LONGEST_NAME}}}").fullmatch),
        f"names have 1 to {_LONGEST_NAME} letters, digits, _ and -; each tool has its own",
        "replace the characters",
        mend=rename(_allowed, longest=_LONGEST_NAME),
    ),
    # encode puts them into an object by itself, and decode takes them out.
    SendingRule(
        "arguments", _odd_arguments, "the arguments are no object", "put them into an object", severity="warning"
    ),
    SendingRule(
        "cache-count", _caches, f"there are more than {_MOST_CACHES} cache hints", "drop the hint", mend=_uncached
    ),
    SendingRule("too-many", _too_many, f"there are more than {_MOST_MESSAGES:,} messages", "trim the history"),
)
