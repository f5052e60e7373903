"""Rules over a history: their view of a request, and their findings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

import attrs

from agentmsg.errors import CodecLookupError
from agentmsg.formats.sending.edits import Edit, Path
from agentmsg.formats.sending.pairing import Pairing, is_plain
from agentmsg.model.blocks import NativeBlock, ToolResultBlock, ToolUseBlock
from agentmsg.model.history import History
from agentmsg.model.pickling import Reported
from agentmsg.model.tools import ToolSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmsg.model.msg import Msg
    from agentmsg.model.tools import Tool

_F = TypeVar("_F")
Severity: TypeAlias = Literal["error", "warning"]
"""How sure a refusal is: "error" for what is known to be refused, "warning" for what only some models refuse."""


@attrs.frozen
class Finding(Reported):
    """Something that a provider would refuse.

    Attributes:
        code: the name of the rule.
        severity: "error" for what is known to be refused, "warning" for what only some models refuse.
        path: its place in the checked history, as in a Loss.
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


@attrs.frozen(eq=False, slots=False)
class Request:
    """A history as rules see it.

    Attributes:
        history: the given history; paths refer to it.
        joins: whether the provider treats adjacent assistant messages as one, and ignores system messages.
        codec: the format to write, with its options.
    """

    history: History
    joins: bool
    codec: object = None

    @property
    def messages(self) -> tuple[Msg, ...]:
        """The messages."""
        return self.history.messages

    def leaves_out(self, message: Msg) -> bool:
        """Whether ``encode`` leaves out a message because only another family can write what is in it."""
        family = self._family
        return bool(message.content) and all(
            isinstance(block, NativeBlock) and block.codec != family and not block.fallback for block in message.content
        )

    def _hides(self, message: Msg) -> bool:
        """Whether a message may hold calls or results that nobody sees: another family's is left out, or a text."""
        return message.role == "native" and any(
            getattr(block, "codec", None) == self._family for block in message.content
        )

    @property
    def _family(self) -> str | None:
        return getattr(self.codec, "family", None)

    def at(self, path: Path) -> Any:
        """Return what stands at a path in the history."""
        found: Any = self.history
        for step in path:
            found = found[step] if isinstance(step, int) else getattr(found, step)
        return found

    def tools_of(self, family: str) -> list[Tool]:
        """Return the tools that a family's formats write: its own and the described ones."""
        return [tool for tool in self.history.tools if isinstance(tool, ToolSpec) or tool.codec == family]

    @cached_property
    def _by_class(self) -> dict[type, list[tuple[int, int, Any]]]:
        """All blocks by class, with the indexes of their message and of themselves: rules need few classes."""
        found: defaultdict[type, list[tuple[int, int, Any]]] = defaultdict(list)
        for index, message in enumerate(self.history.messages):
            for at, block in enumerate(message.content):
                found[block.__class__].append((index, at, block))
        return found

    @cached_property
    def _found(self) -> dict[Any, Sequence[Any]]:
        """What ``blocks`` and ``once`` have returned: rules ask for the same."""
        return {}

    def once(self, find: Callable[[Request], Iterable[_F]]) -> Sequence[_F]:
        """Return what a function finds, which several rules look at."""
        if find not in self._found:
            self._found[find] = tuple(find(self))
        return self._found[find]

    def all_blocks(self) -> Iterable[tuple[int, int, Any]]:
        """Return all blocks, in no order, each with the indexes of its message and of itself."""
        return chain.from_iterable(self._by_class.values())

    def blocks(self, *classes: type) -> Sequence[tuple[int, int, Any]]:
        """Return the blocks of some classes in order, each with the indexes of its message and of itself."""
        if classes not in self._found:
            own = [found for kind, found in self._by_class.items() if issubclass(kind, classes)]
            # No two index pairs are equal, so blocks are never compared.
            self._found[classes] = own[0] if len(own) == 1 else sorted(chain.from_iterable(own))
        return self._found[classes]

    @cached_property
    def pairing(self) -> Pairing:
        """Which results answer which calls, and what is wrong with them; in one pass."""
        linked = self.blocks(ToolUseBlock, ToolResultBlock)
        hides = any(map(self._hides, self.messages))
        return Pairing(self.messages, linked, joins=self.joins, leaves_out=self.leaves_out, hides=hides)

    @cached_property
    def mispaired(self) -> Mapping[str, Sequence[Path]]:
        """What is wrong with calls and results, by code; not computed if everything is plain."""
        linked = self.blocks(ToolUseBlock, ToolResultBlock)
        return {} if is_plain(self.messages, linked) else self.pairing.wrong


@attrs.frozen
class Mending:
    """The argument of a mend.

    Attributes:
        request: the history.
        paths: what the rule found.
        orphans: what to do with results that answer no call: "text" from the user, or "drop".
        unanswered: what to do with calls without a result: a made "result", or "drop".
    """

    request: Request
    paths: Sequence[Path]
    orphans: Literal["text", "drop"] = "text"
    unanswered: Literal["result", "drop"] = "result"


Mend: TypeAlias = Callable[[Mending], Iterable[Edit]]
"""A function that says what mends all that a rule found."""


@attrs.frozen
class SendingRule:
    """One rule of a provider.

    Attributes:
        code: its name.
        find: yields the path of each violation in a request.
        message: what is wrong there.
        fix: what would mend it.
        mend: mends it; None if the history alone doesn't say how.
        severity: of its findings.
    """

    code: str
    find: Callable[[Request], Iterable[Path]]
    message: str
    fix: str
    mend: Mend | None = attrs.field(default=None, kw_only=True)
    severity: Severity = attrs.field(default="error", kw_only=True)

    def finding(self, path: Path) -> Finding:
        """Return the violation of the rule at a path that it found."""
        return Finding(self.code, self.severity, path, self.message, self.fix)


def rules_of(codec: Any) -> tuple[SendingRule, ...]:
    """Return the rules of a ``Codec``'s provider.

    Raises:
        CodecLookupError: code "option", if it declares none.
    """
    if not codec.rules:
        msg = "this format has no rules of what its provider refuses"
        raise CodecLookupError(msg, code="option", codec=codec.name)
    rules: tuple[SendingRule, ...] = codec.rules
    return rules


def calls_of(request: Request) -> Iterator[tuple[Path, ToolUseBlock]]:
    """Yield the calls of client tools with their paths."""
    for index, at, block in request.blocks(ToolUseBlock):
        if block.kind != "server":
            yield ("messages", index, "content", at), block
