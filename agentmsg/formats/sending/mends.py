"""Mends for rules that several providers share: results in their places, allowed ids and names.

Each mend goes through a history in order and never looks ahead: earlier messages don't change when messages are added,
so that a provider's cache of them stays valid. If a mend can't do that, it says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from agentmsg.formats.natives import extras_of
from agentmsg.formats.sending.edits import Change, Insert, Move, Remove
from agentmsg.formats.sending.findings import Mending, Request, SendingRule
from agentmsg.model.blocks import TextBlock, ToolResultBlock, ToolUseBlock
from agentmsg.model.generated import Made
from agentmsg.model.msg import Msg
from agentmsg.model.tool_links import denials
from agentmsg.model.tools import ToolSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from agentmsg.formats.capabilities import Level
    from agentmsg.formats.sending.edits import Edit, Path
    from agentmsg.formats.sending.findings import Mend
    from agentmsg.formats.sending.pairing import Call
    from agentmsg.model.base import Noted

_NO_RESULT = "No result was recorded."


# -- calls and results ------------------------------------------------------------------------------------------------


def _answer(mending: Mending) -> Iterator[Edit]:
    """Give calls a result that says that there is none, or why a person denied them."""
    paths = set(mending.paths)
    denied = {result.tool_call_id: result for result in denials(mending.request.messages).values()}
    for call in mending.request.pairing.calls:
        if call.path not in paths:
            continue
        if mending.unanswered == "drop":
            yield Remove(call.path, "content")
            continue
        block = mending.request.at(call.path)
        link = mending.request.pairing.link(call.path)
        if block.id is None:
            # Nothing else ties them together once more such calls have a result.
            yield Change((*call.path, "id"), link)
        result = denied.get(block.id) or ToolResultBlock(link, [TextBlock(_NO_RESULT)], status="error")
        yield Insert(mending.request.pairing.after_results(call.path), Msg("tool", [result], id=None, created_at=None))


def _move_to_call(mending: Mending) -> Iterator[Edit]:
    """Move results after their calls, and remove those made in their place. This changes earlier messages."""
    pairing = mending.request.pairing
    for path in mending.paths:
        yield Move(path, pairing.after_results(pairing.call_of[path].path), "tool")


def _set_aside(mending: Mending) -> Iterator[Edit]:
    """Turn orphans into user text after the results around them; if the call comes later, move the result there."""
    pairing = mending.request.pairing
    waiting = {pairing.link(call.path): call for call in reversed(pairing.calls) if not call.results}
    for path in mending.paths:
        call: Call | None = waiting.pop(pairing.link(path), None)
        if call is None:
            yield from _as_text(mending, path)
        else:
            yield Move(path, pairing.after_results(call.path), "tool")


def _keep_last(mending: Mending) -> Iterator[Edit]:
    """Keep the last result of a call, and turn the others into user text. This changes earlier messages."""
    pairing = mending.request.pairing
    calls = {pairing.call_of[path].path: pairing.call_of[path] for path in mending.paths}
    for call in calls.values():
        for path in call.results[:-1]:
            yield from _as_text(mending, path)


def _as_text(mending: Mending, path: Path) -> Iterator[Edit]:
    """Turn a result into user text, between tags that say what it was."""
    if mending.orphans == "drop":
        yield Remove(path, "content")
        return
    block: ToolResultBlock = mending.request.at(path)
    said = {"name": block.name, "status": block.status if block.is_error else None}
    words = "".join(f' {name}="{word}"' for name, word in said.items() if word is not None)
    text = TextBlock(f"<tool_result{words}>\n{block.text}\n</tool_result>")
    # Anything but text is lost: images, values.
    is_all = all(isinstance(each, TextBlock) for each in block.content) and block.structured is block.error is None
    yield Change(path, text, "annotation" if is_all else "content")
    if mending.request.messages[int(path[1])].role == "tool":
        yield Move(path, mending.request.pairing.after_run(int(path[1])), "user")


def _paired(code: str) -> Callable[[Request], Iterable[Path]]:
    return lambda request: request.mispaired.get(code, ())


PAIRING = (
    SendingRule("result-orphan", _paired("result-orphan"), "no call before has its id", "make it a user's text",
        mend=_set_aside),
    SendingRule("result-duplicate", _paired("result-duplicate"), "the call has a result already",
        "keep the last result", mend=_keep_last),
    SendingRule("result-late", _paired("result-late"), "the result isn't right after its call", "move it there",
        mend=_move_to_call),
    SendingRule("call-unanswered", _paired("call-unanswered"), "no result answers the call", "add a result",
        mend=_answer),
    SendingRule("call-pending", _paired("call-pending"), "the last call waits for its result",
        "send it with its result", severity="warning"),
)  # fmt: skip
"""What is wrong with calls and results, as ``Request.mispaired`` tells it."""


# -- ids and names ----------------------------------------------------------------------------------------------------


def renumber(allowed: Callable[[str], str], *, longest: int | None = None) -> Mend:
    """Return the mend that gives calls and their results allowed ids that no earlier call has.

    Args:
        allowed: returns an id with everything replaced that isn't allowed.
        longest: the most characters of an id.
    """

    def mend(mending: Mending) -> Iterator[Edit]:
        request, pairing = mending.request, mending.request.pairing
        calls = {call.path: call for call in pairing.calls}
        paths = {path[:4] for path in mending.paths}
        taken, made = _Words(longest), set[str]()
        for index, at, block in request.blocks(ToolUseBlock, ToolResultBlock):
            path: Path = ("messages", index, "content", at)
            is_call = isinstance(block, ToolUseBlock)
            # A call may have an id that an earlier one was just given.
            if (path in paths or (is_call and block.id in made)) and (is_call or path not in pairing.call_of):
                old = cast("str", block.id if is_call else block.tool_call_id)
                new = taken.free(allowed(old)) if is_call else _Words(longest).free(allowed(old))
                made.add(new)
                yield Change((*path, "id" if is_call else "tool_call_id"), new)
                for result in calls[path].results if path in calls else ():
                    yield Change((*result, "tool_call_id"), new)
            elif is_call and block.id is not None:
                taken.add(block.id)

    return mend


def rename(allowed: Callable[[str], str], *, longest: int) -> Mend:
    """Return the mend that gives tools, their calls and results allowed names.

    Args:
        allowed: returns a name with everything replaced that isn't allowed.
        longest: the most characters of a name.
    """

    def mend(mending: Mending) -> Iterator[Edit]:
        request, paths = mending.request, set(mending.paths)
        tools = [tool.name for tool in request.history.tools if isinstance(tool, ToolSpec)]
        taken, names = _Words(longest, tools), dict[str, str]()

        def new(old: str) -> str:
            if old not in names:
                names[old] = taken.free(allowed(old))
            return names[old]

        for path in mending.paths:
            if path[0] == "tools":
                old = cast("Any", request.history.tools[int(path[1])]).name
                # Of two tools with one name, calls mean the first.
                yield Change(path, taken.free(old) if old and old == allowed(old)[:longest] else new(old))
        for index, at, block in request.blocks(ToolUseBlock, ToolResultBlock):
            path = ("messages", index, "content", at, "name")
            if path in paths:
                yield Change(path, new(block.name))
            elif isinstance(block, ToolResultBlock) and block.name in names:
                kind = type(block.name) if isinstance(block.name, Made) else str
                yield Change(path, kind(names[block.name]))

    return mend


class _Words:
    """The ids or names in use.

    Args:
        longest: the most characters of one; None: no limit.
        words: those in use from the start.
    """

    def __init__(self, longest: int | None, words: Iterable[str] = ()) -> None:
        self._longest = longest
        self._words = set(words)
        # The last number tried for each word, so that many equal words don't start from 1 again.
        self._numbers: dict[str, int] = {}

    def add(self, word: str) -> None:
        """Record a word as used."""
        self._words.add(word)

    def free(self, word: str) -> str:
        """Return an unused word, and record it: this one, or with a number appended."""
        word = word[: self._longest] or "_"
        new, number = word, self._numbers.get(word, 1)
        while new in self._words:
            number += 1
            ending = f"_{number}"
            new = (word if self._longest is None else word[: self._longest - len(ending)]) + ending
        self._numbers[word] = number
        self._words.add(new)
        return new


# -- all else ---------------------------------------------------------------------------------------------------------


def removing(level: Level = "annotation") -> Mend:
    """Return the mend that removes the messages and blocks that were found, or whose text was."""

    def mend(mending: Mending) -> Iterator[Edit]:
        return (Remove(path if isinstance(path[-1], int) else path[:-1], level) for path in mending.paths)

    return mend


def without_extra(owner: Noted, family: str, *keys: str) -> dict[str, Any]:
    """Return the extras of an object without some keys of a family."""
    own = {key: value for key, value in extras_of(owner, family).items() if key not in keys}
    rest = {space: value for space, value in owner.extras.items() if space != family}
    return {**rest, family: own} if own else rest


def clearing(level: Level | None = None) -> Mend:
    """Return the mend that clears the fields that were found; the level is that of the losses."""
    return lambda mending: (Change(path, None, level) for path in mending.paths)
