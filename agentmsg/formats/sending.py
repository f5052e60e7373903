"""What a provider refuses: the words in which a codec says its rules, for ``agentmsg.check``.

May import ``model`` and what lies below it. A codec lists its rules as ``Codec.rules``.

| names | what they are |
| --- | --- |
| Finding | one thing that the provider would refuse |
| SendingRule | one rule: its code, severity, words, and the function that finds where it is broken |
| Request | a history as rules look at it: its messages, and which results answer which calls |
| Severity, Path | "error" or "warning"; where something stands in the given history |
| of_calls | a rule of calls and results: what ``Request.pairing`` found by its code |
| blocks_of, calls_of | the blocks or the client's calls of a history, each with its path |
| names_outside | the tools and calls whose name doesn't match a pattern |
| ids_outside | the calls and results whose id doesn't match a test |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import attrs

from agentmsg.model.blocks import ToolResultBlock, ToolUseBlock
from agentmsg.model.history import History

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmsg.model.msg import Msg

__all__ = [
    "Finding",
    "Path",
    "Request",
    "SendingRule",
    "Severity",
    "blocks_of",
    "calls_of",
    "ids_outside",
    "names_outside",
    "of_calls",
]

Severity: TypeAlias = Literal["error", "warning"]
Path: TypeAlias = tuple[str | int, ...]


@attrs.frozen
class Finding:
    """One thing that a provider would refuse.

    Attributes:
        code: the name of the rule.
        severity: "error" for what is known to be refused, "warning" for what only some models refuse.
        path: where it stands in the history that was checked, as in a Loss.
        message: what is wrong.
        fix: what would mend it.
    """

    code: str
    severity: Severity
    path: Path
    message: str
    fix: str

    def __str__(self) -> str:
        """Return the finding as one line: ``messages/3/content/0 error [empty-text]: ...``."""
        return f"{'/'.join(map(str, self.path))} {self.severity} [{self.code}]: {self.message}"


@attrs.frozen
class SendingRule:
    """One rule of a provider.

    Attributes:
        code: its name.
        find: yields the path of each place where a request breaks it.
        message: what is wrong there.
        fix: what would mend it.
        severity: of its findings.
        is_repairable: whether the history alone says how to mend it.
    """

    code: str
    find: Callable[[Request], Iterable[Path]]
    message: str
    fix: str
    severity: Severity = attrs.field(default="error", kw_only=True)
    is_repairable: bool = attrs.field(default=True, kw_only=True)

    def findings(self, request: Request) -> Iterator[Finding]:
        """Yield what breaks the rule."""
        for path in self.find(request):
            yield Finding(self.code, self.severity, path, self.message, self.fix)


@attrs.define(eq=False)
class _Call:
    path: Path
    turn: int
    is_answered: bool = False


@attrs.frozen(eq=False, slots=False)
class Request:
    """A history as rules look at it.

    Attributes:
        history: the given history; paths address it.
        joins: whether the provider takes neighbouring assistant messages as one, and system messages out of the way.
    """

    history: History
    joins: bool

    @property
    def messages(self) -> tuple[Msg, ...]:
        """The messages."""
        return self.history.messages

    @cached_property
    def pairing(self) -> dict[str, list[Path]]:
        """What is wrong with calls and results, by code; in one pass."""
        return _Pairing(joins=self.joins).over(self.messages)


class _Pairing:
    """Calls and results in their order; those without id are left to ``fit``, which gives them ids."""

    def __init__(self, *, joins: bool) -> None:
        self._joins = joins
        self._calls: list[_Call] = []
        self._by_id: dict[str, _Call] = {}
        self._turn = 0
        self._is_between = False
        self._found: dict[str, list[Path]] = {}

    def over(self, messages: tuple[Msg, ...]) -> dict[str, list[Path]]:
        """Return the paths of what is wrong, by code; nothing where a native message hides calls or results."""
        before: str | None = None
        for index, message in enumerate(messages):
            if message.role == "native":
                return {}
            if message.role in ("system", "developer") and self._joins:
                continue
            if message.role == "assistant":
                if not (self._joins and before == "assistant"):
                    self._turn += 1
                self._is_between = False
            elif message.role != "tool":
                self._is_between = True
            before = message.role
            self._take(index, message)
        for call in self._calls:
            if not call.is_answered:
                is_last = call.turn == self._turn and not self._is_between
                self._tell("pending" if is_last else "call-unanswered", call.path)
        return self._found

    def _tell(self, code: str, path: Path) -> None:
        self._found.setdefault(code, []).append(path)

    def _take(self, index: int, message: Msg) -> None:
        for at, block in enumerate(message.content):
            path: Path = ("messages", index, "content", at)
            if isinstance(block, ToolUseBlock) and block.kind != "server" and block.id is not None:
                self._ask(path, block.id)
            elif isinstance(block, ToolResultBlock) and block.kind != "server" and block.tool_call_id is not None:
                self._answer(path, self._by_id.get(block.tool_call_id))

    def _ask(self, path: Path, link: str) -> None:
        old = self._by_id.get(link)
        # The second of two calls with one id is for the rule of ids.
        if old is None or old.is_answered or old.turn != self._turn:
            self._by_id[link] = call = _Call(path, self._turn)
            self._calls.append(call)

    def _answer(self, path: Path, call: _Call | None) -> None:
        if call is None:
            self._tell("result-orphan", path)
        elif call.is_answered:
            self._tell("result-duplicate", path)
        else:
            call.is_answered = True
            if call.turn != self._turn or self._is_between:
                self._tell("result-late", path)


def of_calls(code: str) -> Callable[[Request], Iterable[Path]]:
    """Return the function of a rule that ``Request.pairing`` checks."""
    return lambda request: request.pairing.get(code, ())


def blocks_of(request: Request) -> Iterator[tuple[Path, Any]]:
    """Yield the blocks of all messages with their paths; not what stands inside of results."""
    for index, message in enumerate(request.messages):
        for at, block in enumerate(message.content):
            yield ("messages", index, "content", at), block


def calls_of(request: Request) -> Iterator[tuple[Path, ToolUseBlock]]:
    """Yield the calls of the client's tools with their paths."""
    for path, block in blocks_of(request):
        if isinstance(block, ToolUseBlock) and block.kind != "server":
            yield path, block


def names_outside(fits: Callable[[str], object]) -> Callable[[Request], Iterator[Path]]:
    """Return a function that finds the tools and calls whose name isn't allowed."""

    def find(request: Request) -> Iterator[Path]:
        for index, tool in enumerate(request.history.tools):
            name: Any = getattr(tool, "name", None)
            if type(tool).__name__ == "ToolSpec" and not fits(name):
                yield ("tools", index, "name")
        for path, call in calls_of(request):
            if not fits(call.name):
                yield (*path, "name")

    return find


def ids_outside(fits: Callable[[str], object]) -> Callable[[Request], Iterator[Path]]:
    """Return a function that finds the calls and results whose id isn't allowed."""

    def find(request: Request) -> Iterator[Path]:
        for path, block in blocks_of(request):
            if isinstance(block, ToolUseBlock) and block.kind != "server" and block.id is not None:
                if not fits(block.id):
                    yield (*path, "id")
            elif (
                isinstance(block, ToolResultBlock)
                and block.kind != "server"
                and block.tool_call_id is not None
                and not fits(block.tool_call_id)
            ):
                yield (*path, "tool_call_id")

    return find
