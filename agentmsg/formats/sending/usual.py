"""Rules that several providers share, each with its variations.

Their turns are the messages without instructions, which are separate.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any

from agentmsg.formats.natives import extras_of, is_marked, link_at
from agentmsg.formats.sending.edits import Change, Insert, Remove
from agentmsg.formats.sending.encoding import data_encoding
from agentmsg.formats.sending.findings import SendingRule, calls_of
from agentmsg.formats.sending.mends import removing, rename, renumber, without_extra
from agentmsg.formats.sending.pairing import PROMPTS
from agentmsg.formats.sending.schemas import closed_answers, object_schemas, property_names, strict_schemas
from agentmsg.model.blocks import NativeBlock, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from agentmsg.model.msg import Msg
from agentmsg.model.tools import ToolSpec
from agentmsg.values.types import is_mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from agentmsg.formats.sending.edits import Edit, Path
    from agentmsg.formats.sending.findings import Mending, Request, Severity

__all__ = [
    "PROMPTS",
    "arguments",
    "cache_count",
    "cache_order",
    "closed_answers",
    "data_encoding",
    "duplicate_ids",
    "empty_messages",
    "empty_texts",
    "first_role",
    "id_characters",
    "missing_ids",
    "no_messages",
    "object_schemas",
    "property_names",
    "strict_schemas",
    "too_many_tools",
    "tool_names",
    "tools_missing",
    "turns",
    "without_extra",
]

_LONG = "1h"
_LINKS: Mapping[type[Any], str] = {ToolUseBlock: "id", ToolResultBlock: "tool_call_id"}


def _hints(request: Request, family: str, key: str | None) -> Iterator[tuple[Path, Any]]:
    """Yield the hints, each with the path of what has it.

    Args:
        request: the history.
        family: of the codec.
        key: of hints in native objects, and inside results; None if the format has neither.
    """
    for index, tool in enumerate(request.history.tools):
        hint = tool.cache if isinstance(tool, ToolSpec) else _native(tool, family, key)
        if hint is not None:
            yield ("tools", index), hint
    found: list[tuple[Path, Any]] = []
    for index, at, block in request.all_blocks():
        hint = _native(block, family, key) if isinstance(block, NativeBlock) else block.cache
        if hint is not None and not isinstance(block, ThinkingBlock):
            found.append((("messages", index, "content", at), hint))
    for index, at, block in request.blocks(ToolResultBlock) if key is not None else ():
        for k, one in enumerate(block.content):
            if one.cache is not None:
                found.append((("messages", index, "content", at, "content", k), one.cache))
    # What is inside a result comes before the end of the result.
    yield from sorted(found, key=lambda one: (*one[0][1:4:2], one[0][5] if one[0][5:] else inf))
    hint = extras_of(request.history, family).get(key) if key is not None else None
    if is_mapping(hint):
        yield ("extras",), hint


@cache
def _all_hints(family: str, key: str | None) -> Callable[[Request], tuple[tuple[Path, Any], ...]]:
    """Return the function that lists the hints of a request, for ``Request.once``: both rules look at them."""
    return lambda request: tuple(_hints(request, family, key))


def _native(owner: Any, family: str, key: str | None) -> Any:
    value = owner.value.get(key) if key is not None and owner.codec == family and is_mapping(owner.value) else None
    return value if is_mapping(value) else None


def _changed(request: Request, path: Path, family: str, key: str | None, change: Callable[[Any], Any]) -> Change:
    """Return the edit of the hint of what is at a path; a changed hint of None is left out."""
    if path == ("extras",):
        own = dict(extras_of(request.history, family))
        return Change(path, {**request.history.extras, family: _with(own, key, change)})
    owner = request.at(path)
    if not hasattr(owner, "cache"):
        return Change((*path, "value"), _with(dict(owner.value), key, change))
    # A block inside a result is replaced.
    new = change(owner.cache)
    return Change(path, owner.evolve(cache=new)) if path[5:] else Change((*path, "cache"), new)


def _with(native: dict[str, Any], key: Any, change: Callable[[Any], Any]) -> dict[str, Any]:
    new = change(native.pop(key))
    return native if new is None else {**native, key: new}


def cache_order(family: str, key: str | None = None) -> SendingRule:
    """Return the rule that what is kept for an hour comes before what is kept for less.

    Args:
        family: of the codec.
        key: of hints in native objects, and inside results; None if the format has neither.
    """

    def find(request: Request) -> Iterator[Path]:
        is_short = False
        for path, hint in request.once(_all_hints(family, key)):
            if (hint.get("ttl") if is_mapping(hint) else hint.ttl) != _LONG:
                is_short = True
            elif is_short:
                yield path

    def shorter(hint: Any) -> Any:
        return (
            {name: value for name, value in hint.items() if name != "ttl"}
            if is_mapping(hint)
            else hint.evolve(ttl=None)
        )

    def mend(mending: Mending) -> Iterator[Edit]:
        return (_changed(mending.request, path, family, key, shorter) for path in mending.paths)

    message = f"a cache hint with ttl {_LONG} comes after one with a shorter ttl"
    return SendingRule("cache-order", find, message, "shorten it", mend=mend)


def cache_count(most: int, family: str, key: str | None = None) -> SendingRule:
    """Return the rule for the maximum number of hints; arguments as for ``cache_order``.

    The hints that cover most stay: the last one of the tools, of the instructions, and the last ones of all messages.
    """

    def find(request: Request) -> Iterator[Path]:
        return (path for path, _ in request.once(_all_hints(family, key))[most:])

    def mend(mending: Mending) -> Iterator[Edit]:
        request = mending.request
        paths = [path for path, _ in request.once(_all_hints(family, key))]
        prompts = [path for path in paths if path[0] == "messages" and request.messages[int(path[1])].role in PROMPTS]
        kept = {*[path for path in paths if path[0] == "tools"][-1:], *prompts[-1:]}
        others = [path for path in paths if path not in kept]
        for path in others[: len(paths) - most]:
            yield _changed(request, path, family, key, lambda _: None)

    return SendingRule("cache-count", find, f"there are more than {most} cache hints", "drop the hint", mend=mend)


# -- messages ---------------------------------------------------------------------------------------------------------


def turns(request: Request) -> Iterator[tuple[int, Msg]]:
    """Yield the messages that are turns, with their indexes."""
    messages = enumerate(request.messages)
    return ((at, each) for at, each in messages if each.role not in PROMPTS and not request.leaves_out(each))


def no_messages(message: str = "there is no message") -> SendingRule:
    """Return the rule that there is at least one turn."""

    def find(request: Request) -> Iterator[Path]:
        if next(turns(request), None) is None:
            yield ("messages",)

    return SendingRule("no-messages", find, message, "add a user's message")


def first_role(
    message: str = "the first message isn't a user's",
    *,
    applies: Callable[[Msg], bool] = lambda _: True,
    code: str = "first-role",
    severity: Severity = "warning",
) -> SendingRule:
    """Return the rule that the first turn isn't an assistant's.

    Args:
        message: what is wrong.
        applies: whether it applies to a message of the assistant.
        code: of the rule.
        severity: of the findings.
    """

    def find(request: Request) -> Iterator[Path]:
        first = next(turns(request), None)
        if first is not None and first[1].role == "assistant" and applies(first[1]):
            yield ("messages", first[0], "role")

    def mend(mending: Mending) -> Iterator[Edit]:
        for path in mending.paths:
            yield Insert(int(path[1]), Msg("user", "\u2026", id=None, created_at=None))

    fix = "put a user's message before it"
    return SendingRule(code, find, message, fix, mend=mend, severity=severity)


def empty_messages(
    message: str = "the message is empty",
    find: Callable[[Request], Iterable[Path]] | None = None,
    severity: Severity = "error",
) -> SendingRule:
    """Return the rule that messages aren't empty.

    Args:
        message: what is wrong.
        find: finds empty messages; by default any turn without content.
        severity: of the findings.
    """

    def without(request: Request) -> Iterator[Path]:
        return (("messages", index) for index, turn in turns(request) if not turn.content)

    return SendingRule(
        "empty-message", find or without, message, "drop the message", mend=removing(), severity=severity
    )


# -- texts ------------------------------------------------------------------------------------------------------------


def empty_texts(
    stands: Callable[[Msg, TextBlock], bool] | None = None,
    blank: Severity = "error",
    accepted: Callable[[Msg], bool] = lambda _: False,
) -> tuple[SendingRule, ...]:
    """Return the rules that texts aren't empty, and not only white space.

    Inside a result, a text that stands alone can't be removed.

    Args:
        stands: whether the text of a message is checked; None: all are.
        blank: how sure it is that white space is refused.
        accepted: whether only some models refuse white space in a message.
    """

    def texts(request: Request) -> Iterator[tuple[Path, str]]:
        for index, at, block in request.blocks(TextBlock):
            if (not block.text or block.text.isspace()) and (stands is None or stands(request.messages[index], block)):
                yield ("messages", index, "content", at, "text"), block.text
        for index, at, block in request.blocks(ToolResultBlock):
            if block.kind != "server" and len(block.content) > 1:
                for place, inner in enumerate(block.content):
                    if isinstance(inner, TextBlock) and not inner.text.strip():
                        yield ("messages", index, "content", at, "content", place, "text"), inner.text

    def empty(request: Request) -> Iterator[Path]:
        return (path for path, text in request.once(texts) if not text)

    def white(*, is_accepted: bool) -> Callable[[Request], Iterator[Path]]:
        def find(request: Request) -> Iterator[Path]:
            @cache
            def is_lenient(index: int) -> bool:
                """Return ``accepted``, once for each message: it may have many texts."""
                return accepted(request.messages[index])

            return (path for path, text in request.once(texts) if text and is_lenient(int(path[1])) == is_accepted)

        return find

    fix, message = "drop the block", "the text is only white space"
    sure: Mapping[bool, Severity] = {False: blank} if blank == "warning" else {False: blank, True: "warning"}
    return (
        SendingRule("empty-text", empty, "the text is empty", fix, mend=_silence),
        *[
            SendingRule("blank-text", white(is_accepted=is_accepted), message, fix, mend=_silence, severity=severity)
            for is_accepted, severity in sure.items()
        ],
    )


def _silence(mending: Mending) -> Iterator[Edit]:
    """Remove the texts that were found, and instructions that say nothing else; ``empty_messages`` is about turns."""
    messages = mending.request.messages
    found = Counter(int(path[1]) for path in mending.paths)
    silent = {
        index
        for index, count in found.items()
        if messages[index].role in PROMPTS and count == len(messages[index].content)
    }
    yield from (Remove(("messages", index)) for index in silent)
    yield from (Remove(path[:-1]) for path in mending.paths if path[1] not in silent)


# -- calls ------------------------------------------------------------------------------------------------------------


def arguments(message: str = "the arguments are no object", besides: str | None = None) -> SendingRule:
    """Return the rule that arguments are an object: ``encode`` puts others into one, and ``decode`` takes them out.

    Args:
        message: what is wrong.
        besides: the kind of calls whose arguments may differ.
    """

    def find(request: Request) -> Iterator[Path]:
        for path, call in calls_of(request):
            if call.kind != besides and not (call.is_valid and isinstance(call.input, dict)):
                yield (*path, "input")

    return SendingRule("arguments", find, message, "put them into an object", severity="warning")


def duplicate_ids(*, in_message: bool, longest: int | None = None) -> SendingRule:
    """Return the rule that each call has a unique id, in its message or among all."""

    def find(request: Request) -> Iterator[Path]:
        seen: set[tuple[Any, str | None]] = set()
        for path, call in calls_of(request):
            key = (path[1] if in_message else None, call.id)
            if key in seen:
                yield (*path, "id")
            if call.id is not None:
                seen.add(key)

    message = f"another call{' of the message' if in_message else ''} has this id"
    mend = renumber(str, longest=longest)
    return SendingRule("id-duplicate", find, message, "give it an id of its own", mend=mend)


def id_characters(
    message: str,
    letters: str | None = None,
    least: int = 1,
    longest: int | None = None,
    severity: Severity = "error",
) -> SendingRule:
    """Return the rule for the characters of ids.

    Args:
        message: what is wrong.
        letters: the allowed ones, as between the brackets of a regular expression; None: any.
        least: minimum length.
        longest: maximum length; None: no limit.
        severity: of the findings.
    """
    fits, allowed = _made_of(letters, least, longest)

    def find(request: Request) -> Iterator[Path]:
        for cls, name in _LINKS.items():
            for index, at, block in request.blocks(cls):
                link = getattr(block, name)
                if link is not None and block.kind != "server" and not fits(link):
                    yield ("messages", index, "content", at, name)

    mend, fix = renumber(allowed, longest=longest), "give call and result a new id"
    return SendingRule("id-characters", find, message, fix, mend=mend, severity=severity)


def missing_ids(family: str) -> SendingRule:
    """Return the rule that calls and results have an id, which those lack that were read without one.

    ``encode`` gives an id to all others. The first calls of OpenAI never had any.

    Args:
        family: of the codec.
    """

    def find(request: Request) -> Iterator[Path]:
        for index, at, block in request.blocks(*_LINKS):
            is_unlinked = link_at(block) is None and block.kind != "server" and is_marked(block, family, "/no-id")
            if is_unlinked and not is_marked(block, family, "/legacy"):
                yield ("messages", index, "content", at, _LINKS[type(block)])

    def mend(mending: Mending) -> Iterator[Edit]:
        return (Change(path, mending.request.pairing.link(path)) for path in mending.paths)

    message = "a call or result has no id"
    return SendingRule("id-missing", find, message, "give both the same id", mend=mend)


def _made_of(letters: str | None, least: int, longest: int | None) -> tuple[Callable[[str], Any], Callable[[str], str]]:
    """Return the test whether a word consists of some letters, and a function that replaces others."""
    inside = re.compile(rf"{'.' if letters is None else f'[{letters}]'}{{{least},{longest or ''}}}", re.DOTALL)
    if letters is None:
        return inside.fullmatch, str
    outside = re.compile(f"[^{letters}]")
    return inside.fullmatch, lambda word: outside.sub("_", word)


# -- tools ------------------------------------------------------------------------------------------------------------


def tool_names(longest: int, letters: str = "a-zA-Z0-9_-", told: str = "letters, digits, _ and -") -> SendingRule:
    """Return the rule for the characters of tool names.

    Args:
        longest: maximum length.
        letters: as for ``id_characters``.
        told: the same in words.
    """
    fits, allowed = _made_of(letters, 1, longest)
    message = f"names have 1 to {longest} {told}; each tool has its own"
    mend = rename(allowed, longest=longest)

    def find(request: Request) -> Iterator[Path]:
        seen: set[str] = set()
        for index, tool in enumerate(request.history.tools):
            if isinstance(tool, ToolSpec):
                if not fits(tool.name) or tool.name in seen:
                    yield ("tools", index, "name")
                seen.add(tool.name)
        yield from ((*path, "name") for path, call in calls_of(request) if not fits(call.name))

    return SendingRule("tool-name", find, message, "replace the characters", mend=mend)


def tools_missing(family: str, severity: Severity = "error") -> SendingRule:
    """Return the rule that a request with calls has tools; a history without settings gets its tools with the call.

    Args:
        family: of the codec.
        severity: of the findings.
    """

    def find(request: Request) -> Iterator[Path]:
        is_request = request.history.settings is not None
        if is_request and not request.tools_of(family) and next(calls_of(request), None) is not None:
            yield ("tools",)

    message = "there are calls, and no tools"
    return SendingRule("tools-missing", find, message, "give the tools", severity=severity)


def too_many_tools(most: int, severity: Severity = "error") -> SendingRule:
    """Return the rule for the maximum number of tools, with the severity of its findings."""

    def find(request: Request) -> Iterator[Path]:
        if len(request.history.tools) > most:
            yield ("tools", most)

    return SendingRule("too-many", find, f"there are more than {most} tools", "leave out tools", severity=severity)
