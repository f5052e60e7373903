"""Check and repair: find what a provider would refuse, and fix it, rule by rule, until nothing more can be mended.

One loop does both, so that ``check`` names all that a repair changes. A draft takes the edits of mends, and says what
became of what, and why: so a single loss report, made in the normal way, lists what fit lost and what was mended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack, cast

import attrs

from agentmsg.fitting.account import account
from agentmsg.fitting.difference import thing_at
from agentmsg.fitting.fit import drop, fit
from agentmsg.fitting.fitted import Fitted, Known, make_fitted
from agentmsg.fitting.losses import Losses
from agentmsg.formats.capabilities import Drop, Swap
from agentmsg.formats.reasons import Reason, Reasons
from agentmsg.formats.sending import Change, Insert, Move, Remove
from agentmsg.formats.sending.findings import Finding, Mending, Request, rules_of
from agentmsg.model.blocks import ToolResultBlock, ToolUseBlock
from agentmsg.model.checks import clean_repr, listed, one_of
from agentmsg.model.generated import MadeName
from agentmsg.model.history import History, as_history, with_messages
from agentmsg.model.msg import Msg
from agentmsg.model.settings import Settings
from agentmsg.model.tool_links import CallNames
from agentmsg.registry import get_codec

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from agentmsg.formats.codec import Codec
    from agentmsg.formats.sending import Edit
    from agentmsg.formats.sending.edits import Path
    from agentmsg.formats.sending.findings import SendingRule
    from agentmsg_codecs import CodecName
    from agentmsg_codecs.options import CodecOptions

_MESSAGE, _BLOCK, _INNER = 2, 4, 6  # path lengths
# A mend may break another rule, which is then applied in the next round; each round leaves less. A few always sufficed.
_ROUNDS = 8


@attrs.frozen(repr=False)
class Repaired:
    """The result of ``repair``.

    Attributes:
        history: the repaired one; the given one itself if there was nothing to mend.
        losses: the changes, each with the code of its rule as reason; ``restore`` undoes all of them.
    """

    history: History
    losses: Losses
    __repr__ = clean_repr

    def __rich_repr__(self) -> Iterator[tuple[str, Any]]:
        """Yield the fields to show: losses first, because the history may be long."""
        yield "losses", self.losses
        yield "history", self.history


def check(history: History, target: CodecName | Codec, **options: Unpack[CodecOptions]) -> tuple[Finding, ...]:
    """Return what a provider would refuse in a history, in the order of the codec's rules.

    Rules see the history as given, and paths refer to it. Anything that ``encode`` fixes on its own, such as a missing
    id, isn't a finding. What only follows from the repair of another finding, or from what ``encode`` leaves out, comes
    after the other findings of its rule: so all that ``repair``, and ``encode`` with ``repair=True``, would change is
    named.

    Args:
        history: of any format.
        target: the format to send.
        options: codec options.

    Raises:
        CodecLookupError: if there is no such codec or option, or if the codec declares no rules.
    """
    given = as_history(history)
    codec = get_codec(target, **options).suited(given)
    request = _request(given, codec)
    # A dict: in order, and each path once.
    found = {id(rule): (rule, dict.fromkeys(rule.find(request))) for rule in rules_of(codec)}

    def tell(rule: SendingRule, paths: Iterable[Path]) -> None:
        found[id(rule)][1].update(dict.fromkeys(paths))

    if any(paths and rule.mend is not None and rule.severity == "error" for rule, paths in found.values()):
        repaired(make_fitted(given, given, codec.name), codec, fits=False, tell=tell)
    fitted = fit(given, codec)
    if fitted.history is not given:
        done = repaired(fitted, codec, tell=tell)
        # What nothing can mend once encode left something out, such as the last message.
        request = _request(done.history, codec)
        for rule in rules_of(codec):
            if rule.mend is None:
                tell(rule, _beside(rule, request))
    return tuple([rule.finding(path) for rule, paths in found.values() for path in paths])


def errors(given: History, fitted: History, codec: Codec) -> list[Finding]:
    """Return errors that ``check`` finds in a history: some if there are any, and all missing settings.

    Args:
        given: the history.
        fitted: what ``encode`` writes of it.
        codec: the target, suited to the history.
    """
    rules = [rule for rule in rules_of(codec) if rule.severity == "error"]
    request = _request(given, codec)
    found = [rule.finding(path) for rule in rules for path in rule.find(request)]
    if fitted is given or _asks_the_same(given, fitted, codec.family):
        return found
    request = _request(fitted, codec)
    for rule in rules:
        # One error is enough. What encode left out decides whether a setting is missing.
        if rule.mend is not None and not found:
            paths = list(rule.find(request))
            found += [rule.finding(path) for path in paths] if paths and any(rule.mend(Mending(request, paths))) else ()
        elif rule.mend is None:
            found += map(rule.finding, _beside(rule, request))
    return found


def _request(history: History, codec: Codec) -> Request:
    return Request(history, joins=codec.joins_turns, codec=codec)


def _beside(rule: SendingRule, request: Request) -> list[Path]:
    """Return what a rule finds in no message or tool: what leaving some out decides, such as a missing setting."""
    return [path for path in rule.find(request) if not any(isinstance(step, int) for step in path)]


def _asks_the_same(given: History, fitted: History, family: str | None) -> bool:
    """Whether encode left out nothing but what no provider of a family is told: a second walk finds no more."""
    return (
        fitted.messages is given.messages
        and fitted.tools is given.tools
        and fitted.settings is given.settings
        and fitted.extras.get(family or "") == given.extras.get(family or "")
    )


def repair(
    history: History,
    target: CodecName | Codec,
    *,
    orphans: Literal["text", "drop"] = "text",
    unanswered: Literal["result", "drop"] = "result",
    also: Collection[str] = (),
    **options: Unpack[CodecOptions],
) -> Repaired:
    """Repair a history so that a provider accepts it, with the smallest change.

    All errors that ``check`` finds are mended, except those that the history alone can't mend: no message at all, too
    many of them, tools and settings that are missing, or turns that don't alternate (which ``encode`` joins). A
    history without errors is returned as it is.

    Args:
        history: of any format.
        target: the format to send.
        orphans: what to do with results that answer no call, or answer it twice: make them a user "text", or "drop"
            them.
        unanswered: what to do with calls without a result: add a made "result" that says so, or "drop" them.
        also: codes of warnings to mend, too, such as "first-role".
        options: codec options.

    Raises:
        CodecLookupError: if there is no such codec or option, or if the codec declares no rules.
        InvalidMessage: code "option" if there is no such choice, or no such warning that can be mended.
    """
    one_of(orphans, "orphans", "text", "drop")
    one_of(unanswered, "unanswered", "result", "drop")
    given, asked = as_history(history), listed(also, "also")
    codec = get_codec(target, **options).suited(given)
    known = [rule.code for rule in rules_of(codec) if rule.mend is not None]
    for code in asked:
        one_of(code, "also", *known)
    done = repaired(
        make_fitted(given, given, codec.name),
        codec,
        fits=False,
        orphans=orphans,
        unanswered=unanswered,
        also=asked,
    )
    return Repaired(done.history, account(done))


def repaired(
    fitted: Fitted,
    codec: Codec,
    *,
    fits: bool = True,
    also: Collection[str] = (),
    tell: Callable[[SendingRule, Iterable[Path]], None] | None = None,
    **choices: Any,
) -> Fitted:
    """Return fit's output, repaired: its loss report covers both, and its history still fits.

    Args:
        fitted: a fit by this codec, or a plain history.
        codec: the target.
        fits: whether the repaired history must fit.
        also: codes of warnings to mend, too.
        tell: called with each rule whose findings are mended, and their paths in the source.
        choices: fields of ``Mending``.

    Raises:
        CodecLookupError: code "option" if the codec declares no rules.
    """
    mends = [
        (rule, rule.mend)
        for rule in rules_of(codec)
        if rule.mend is not None and (rule.severity == "error" or rule.code in also)
    ]
    draft: _Draft | None = None
    history = fitted.history
    for _ in range(_ROUNDS):
        before = history
        request = _request(history, codec)
        for rule, mend in mends:
            paths = list(rule.find(request))
            edits = list(mend(Mending(request, paths, **choices))) if paths else ()
            if edits:
                draft = draft or _Draft(fitted, codec)
                if tell is not None:
                    tell(rule, draft.sources_of(paths))
                draft.apply(edits, rule.code)
                if fits and codec.caps.derives_names:
                    draft.rename_results(rule.code)
                history = draft.history
                request = _request(history, codec)
        if history is before:
            break
        if fits and draft is not None:
            again = fit(history, codec)
            if again.history is not history:
                draft.follow(again)
                history = draft.history
    return fitted if draft is None else draft.fitted()


@attrs.define(eq=False)
class _Line:
    """A message under repair.

    Attributes:
        message: as it was before the edits, but for its fields.
        blocks: its blocks by their places then; None for those that are gone.
        inner: the same for blocks inside results, by place.
        is_gone: whether it was removed.
    """

    message: Msg
    blocks: list[Any]
    inner: dict[int, list[Any]] = attrs.field(factory=dict[int, "list[Any]"])
    is_gone: bool = False


class _Draft:
    """The history under repair.

    Args:
        fitted: fit's output, or a plain history.
        codec: the target.
    """

    def __init__(self, fitted: Fitted, codec: Codec) -> None:
        self._fitted = fitted
        self._codec = codec
        self._reasons = fitted.known.reasons or Reasons()
        self.history = fitted.history
        """The current history."""

    def apply(self, edits: Iterable[Edit], why: str) -> None:
        """Apply edits, all of which refer to the current history.

        Args:
            edits: the changes.
            why: the code of the rule that asks for them.
        """
        lines = [_Line(message, list(message.content)) for message in self.history]
        coming: dict[int, list[_Line]] = {}
        moved: set[int] = set()
        for edit in edits:
            match edit:
                case Change():
                    self._change(edit, why, lines)
                case Remove():
                    self._remove(edit, why, lines)
                case Insert():
                    coming.setdefault(edit.before, []).extend(self._inserted(edit, why))
                case Move():
                    line = self._moved(edit, why, lines)
                    moved.add(id(line))
                    coming.setdefault(edit.before, []).append(line)
        order: list[_Line] = []
        for index, line in enumerate(lines):
            order += coming.pop(index, ())
            if id(line) not in moved:
                order.append(line)
        order += [line for index in sorted(coming) for line in coming[index]]
        messages = tuple([message for line in order if (message := self._settled(line, why)) is not None])
        self.history = with_messages(self.history, messages)

    def rename_results(self, why: str) -> None:
        """Name results after their calls, if a reader will give them those names.

        Args:
            why: the code of the rule that changed which call a result goes with.
        """
        names = CallNames()
        edits: list[Edit] = []
        for index, message in enumerate(self.history):
            for place, block in enumerate(message.content):
                if isinstance(block, ToolUseBlock) and block.kind != "server":
                    names.call(block.id, block.name)
                elif isinstance(block, ToolResultBlock) and block.kind != "server":
                    name = names.answer(block.tool_call_id)
                    if isinstance(block.name, MadeName) and block.name != name:
                        edits.append(Change(("messages", index, "content", place, "name"), name))
        if edits:
            self.apply(edits, why)

    def follow(self, again: Fitted) -> None:
        """Apply a new fit of the current history."""
        self.history = again.history
        if again.known.reasons is not None:
            self._reasons.extend(again.known.reasons)

    def fitted(self) -> Fitted:
        """Return the current history as a fit of the same source."""
        known = Known(self._reasons, like=self._fitted.known.like)
        return attrs.evolve(self._fitted, history=self.history, known=known)

    def sources_of(self, paths: Iterable[Path]) -> Iterator[Path]:
        """Yield the places in the input of what stands at some paths now; what the input lacks is left out."""
        now, then = _Places(self.history, self._reasons.source), _Places(self._fitted.source)
        for path in paths:
            step = _BLOCK if path[0] == "messages" and len(path) >= _BLOCK else _MESSAGE
            if path[0] not in ("messages", "tools") or len(path) < _MESSAGE or self._codec.caps.measured:
                yield path
                continue
            found = then.like(now, path[:step])
            if found is None and step == _MESSAGE and path[0] == "messages":
                # A message of its own for a block.
                found = then.like(now, (*path[:step], "content", 0))
            if found is None:
                continue
            rest = path[step:]
            if len(rest) > 1 and rest[0] == "content":
                inside = thing_at(self._fitted.source, found).content
                block = self._reasons.source(thing_at(self.history, path[:_INNER]))
                place = next((n for n, each in enumerate(inside) if each is block), int(rest[1]))
                rest = ("content", place, *rest[2:])
            yield (*found[:step], *rest)

    # -- edits -----------------------------------------------------------------------------------------------------

    def _change(self, edit: Change, why: str, lines: list[_Line]) -> None:
        path, name = edit.path, str(edit.path[-1])
        said = Reason(why, edit.level)
        if path[0] == "settings":
            settings = self.history.settings or Settings()
            self._tell(settings, self._field(settings, name, edit.value, said))
            self.history = self.history.evolve(settings=settings.evolve(**{name: edit.value}))
        elif path[0] == "extras":
            self._reasons.because(self._fitted.source, said, "extras")
            self.history = self.history.evolve(extras=edit.value)
        elif path[0] == "tools":
            tools = list(self.history.tools)
            index = int(path[1])
            tools[index] = self._field(tools[index], name, edit.value, said)
            self.history = self.history.evolve(tools=tools)
        elif path[2] != "content":
            line = lines[int(path[1])]
            line.message = self._field(line.message, name, edit.value, said)
        else:
            blocks, place = self._where(path, lines)
            if len(path) in (_BLOCK, _INNER):
                self._reasons.because(blocks[place], Swap(edit.value, why, edit.level or "annotation"))
                self._tell(blocks[place], edit.value)
                blocks[place] = edit.value
            else:
                blocks[place] = self._field(blocks[place], name, edit.value, said)

    def _field(self, owner: Any, name: str, value: Any, said: Reason) -> Any:
        self._reasons.because(owner, said, name)
        return self._tell(owner, owner.evolve(**{name: value}))

    def _tell(self, old: Any, new: Any) -> Any:
        self._reasons.became(old, new)
        return new

    def _where(self, path: Path, lines: list[_Line]) -> tuple[list[Any], int]:
        """Return the list that holds a block, and its place there."""
        line, place = lines[int(path[1])], int(path[3])
        if len(path) < _INNER:
            return line.blocks, place
        return line.inner.setdefault(place, list(line.blocks[place].content)), int(path[5])

    def _remove(self, edit: Remove, why: str, lines: list[_Line]) -> None:
        line = lines[int(edit.path[1])]
        if len(edit.path) == _MESSAGE:
            line.is_gone = True
            # A message without blocks may still say something.
            has_more = line.message.structured is not None
            drop(line.message, Drop(why, "content" if has_more else edit.level), self._reasons)
            return
        blocks, place = self._where(edit.path, lines)
        self._reasons.because(blocks[place], Drop(why, edit.level))
        blocks[place] = None

    def _inserted(self, edit: Insert, why: str) -> Iterator[_Line]:
        # What the target has no place for came from no one, so leaving it out isn't a loss.
        for message in fit(History([edit.message]), self._codec).history.messages:
            for thing in (message, *message.content):
                self._reasons.because(thing, Reason(why))
            yield _Line(message, list(message.content))

    def _moved(self, edit: Move, why: str, lines: list[_Line]) -> _Line:
        line = lines[int(edit.path[1])]
        message, said = line.message, Reason(why, "annotation")
        role = edit.role or message.role
        self._reasons.because(message, said, "place")
        if len(edit.path) > _MESSAGE and len(message.content) > 1:
            place = int(edit.path[3])
            block = self._block(line, place)
            line.blocks[place] = None
            return _Line(Msg(role=role, content=[block], id=None, created_at=None), [block])
        if role != message.role:
            line.message = self._field(message, "role", role, said)
        return line

    def _block(self, line: _Line, place: int) -> Any:
        """Return a block as the edits left it."""
        block = line.blocks[place]
        if block is None or place not in line.inner:
            return block
        content = [each for each in line.inner.pop(place) if each is not None]
        return self._tell(block, block.evolve(content=content))

    def _settled(self, line: _Line, why: str) -> Msg | None:
        """Return a message as the edits left it; None if it has no blocks left and says nothing else."""
        message = line.message
        if line.is_gone:
            return None
        blocks = [block for place in range(len(line.blocks)) if (block := self._block(line, place)) is not None]
        if message.content and not blocks and message.structured is None:
            said = [self._reasons.of(self._reasons.source(block)) for block in message.content]
            drops = [each for each in said if isinstance(each, Drop)]
            self._reasons.because(message, drops[-1] if drops else Drop(why))
            return None
        if len(blocks) == len(message.content) and all(a is b for a, b in zip(blocks, message.content, strict=True)):
            return message
        return cast("Msg", self._tell(message, message.evolve(content=blocks)))


class _Places:
    """Where the messages, blocks and tools of a history are, by identity; the same object may be in several places."""

    def __init__(self, history: History, source: Callable[[Any], Any] = lambda thing: thing) -> None:
        self._places: dict[int, list[Path]] = {}
        self._numbers: dict[Path, tuple[int, int]] = {}
        for path, thing in _things(history):
            key = id(source(thing))
            known = self._places.setdefault(key, [])
            self._numbers[path] = key, len(known)
            known.append(path)

    def like(self, other: _Places, path: Path) -> Path | None:
        """Return the place of what another history has at a path; None if there is no such thing."""
        key, number = other._numbers.get(path, (0, 0))
        found = self._places.get(key)
        return None if found is None else found[min(number, len(found) - 1)]


def _things(history: History) -> Iterator[tuple[Path, Any]]:
    for index, tool in enumerate(history.tools):
        yield ("tools", index), tool
    for index, message in enumerate(history):
        yield ("messages", index), message
        for place, block in enumerate(message.content):
            yield ("messages", index, "content", place), block
