"""fit: the nearest history that a codec supports exactly. Things are lost only here.

Rules are pure and report nothing. The loss report is the difference between the input and the output: no rule, and no
foreign codec, can forget to report. It isn't computed before it is first accessed. What fit says of how one became the
other (see ``formats.reasons``) makes it read well.

One predicate per role, compiled from the capability table, decides the common case that everything is supported.
"""

from __future__ import annotations

from functools import lru_cache, partial
from operator import is_
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import attrs

from agentmsg.errors import excerpt
from agentmsg.fitting.changes import changed, changes_to
from agentmsg.fitting.compiled import compile_caps, fits_with_names
from agentmsg.fitting.decisions import decided
from agentmsg.fitting.enveloped import fit_inside
from agentmsg.fitting.fitted import Fitted, make_fitted, make_known
from agentmsg.fitting.levels import level_of
from agentmsg.fitting.measuring import measured
from agentmsg.fitting.survival import level_of_result_field
from agentmsg.fitting.whole_history import change_fitted, with_fields, with_rest
from agentmsg.fitting.words import tells
from agentmsg.formats.capabilities import Caps, Drop, MessageRow, Row, Swap
from agentmsg.formats.reasons import Joined, Reasons
from agentmsg.formats.restructure import Part, Plan, Run, Step, as_is
from agentmsg.formats.spelling import says_nothing
from agentmsg.model.base import BaseBlock
from agentmsg.model.blocks import BLOCK_TAGS, Block, NativeBlock, TextBlock, ToolResultBlock, ToolUseBlock
from agentmsg.model.equality import changes_of
from agentmsg.model.generated import is_made
from agentmsg.model.msg import Msg
from agentmsg.model.tool_links import CallNames, with_ids

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from agentmsg.formats.codec import Codec
    from agentmsg.formats.reasons import Said
    from agentmsg.model.history import History


Rows: TypeAlias = "Mapping[type[BaseBlock], Row]"

__all__ = ["fit"]


def fit(history: History, codec: Codec) -> Fitted:
    """Return the nearest history that the codec supports exactly.

    Args:
        history: any history; it isn't changed.
        codec: its capability table decides; without one, what comes back when the history is written and read.
    """
    caps, envelope = codec.caps, codec.envelope
    if caps.everything:
        return make_fitted(history, history, codec.name)
    if caps.measured:
        return measured(history, codec)
    fitted = _fit(history, codec) if envelope is None else fit_inside(history, codec, envelope, _fit)
    return change_fitted(fitted, {"unsent": caps.unsent}) if caps.unsent else fitted


def _fit(history: History, codec: Codec) -> Fitted:
    """Fit by the capability table."""
    caps = codec.caps
    misfit, steps = _compiled(caps)
    messages = history.messages
    first = misfit(messages, 0, codec)
    fits = first < 0 or fits_with_names(messages, caps, first)
    fits = fits and (not steps or _is_arranged(messages, steps, codec))
    if fits and (caps.relink is None or caps.relink(messages) is messages):
        fitted = make_fitted(history, history, codec.name, caps.derives_names)
        return with_rest(fitted, caps)
    return with_rest(_refitted(history, codec, first), caps)


def _refitted(history: History, codec: Codec, first: int) -> Fitted:
    """Fit the messages of a history of which some can't stay as they are.

    Args:
        history: the history.
        codec: whose table decides.
        first: the index of the first message that isn't kept as it is; -1 if each is, by itself.
    """
    caps, messages, reasons = codec.caps, history.messages, Reasons()
    misfit, _ = _compiled(caps)
    named = _with_needed_ids(messages, caps)
    ruled, rules = _ruled(named, caps)
    asked = {id(new) for old, new in zip(named, ruled, strict=True) if new.role == old.role}
    given, rules = _with_decisions(named, ruled, rules, caps)
    _tell_ruled(messages, given, rules, reasons)
    gone: dict[int, set[int]] = {}
    while True:
        start = _start_of(given, rules, gone)
        plan = _arranged(start, given, caps.arrange)
        planned = given if plan is None else [_planned(parts, given) for parts in plan]
        fitter = _Fitter(caps, reasons, asked)
        is_begun = 0 <= first < len(planned) and all(map(is_, planned[:first], messages))
        changed = _changed(planned, fitter, first if is_begun else misfit(planned))
        empty = _emptied(planned, changed) if caps.drops_emptied else ()
        if not empty:
            break
        # Whether messages are adjacent is decided without them.
        _leave_out(empty, as_is(given) if plan is None else plan, gone)
    if gone:
        _tell_gone(gone, start, messages, reasons)
    for parts, message in zip(plan or (), planned, strict=False):
        source = messages[parts[0].index]
        if message is not source:
            reasons.became(source, message)
    for index, new in changed.items():
        if plan is None and isinstance(new, Msg):
            reasons.became(messages[index], new)
            continue
        _tell_message(
            [messages[index]] if plan is None else [messages[part.index] for part in plan[index]], new, reasons
        )
    if caps.relink is not None:
        _relink(planned, changed, caps.relink, reasons)
    kept = _with_apart(planned, changed, fitter.apart)
    same = len(kept) == len(messages) and all(map(is_, kept, messages))
    output = history if same else with_fields(history, messages=tuple(kept))
    # Without a plan, messages that a rule drops are gone, and there are more only if some blocks are set apart.
    known = make_known(reasons, None, plan is None and len(kept) == len(messages) and not fitter.apart)
    return make_fitted(history, output, codec.name, caps.derives_names, known)


def _tell_ruled(
    messages: Sequence[Msg], given: Sequence[Msg], rules: Mapping[int, Drop | Swap], reasons: Reasons
) -> None:
    """Say what became of messages by their rules, and which of their blocks are which."""
    for old, new in zip(messages, given, strict=True):
        if new is not old:
            reasons.became(old, new)
            if new.content is not old.content and len(new.content) == len(old.content):
                reasons.all_became(old.content, new.content)
    for index, rule in rules.items():
        if isinstance(rule, Drop):
            drop(messages[index], rule, reasons)
        else:
            reasons.because(messages[index], rule)


def _tell_message(sources: Sequence[Msg], new: Msg | Drop, reasons: Reasons) -> None:
    """Say what became of the messages that one was planned of."""
    if isinstance(new, Msg):
        reasons.became(sources[0], new)
        return
    for source in sources:
        drop(source, new, reasons)


def drop(message: Msg, why: Drop, reasons: Reasons) -> None:
    """Say why a message was dropped, with all its blocks."""
    for thing in (message, *message.content):
        reasons.because(thing, why)


def _changed(planned: Sequence[Msg], fitter: _Fitter, index: int) -> dict[int, Msg | Drop]:
    """Fit the messages of a plan one by one; return what became of those that aren't kept as they are, by their index.

    Args:
        planned: the messages.
        fitter: fits one.
        index: of the first message that may have to change; -1 if none has.
    """
    changes: dict[int, Msg | Drop] = {}
    caps = fitter.caps
    names = CallNames(are_near=caps.near_names) if caps.derives_names else None
    misfit = _compiled(caps)[0]
    done = 0
    while index >= 0:
        message = planned[index]
        if names is not None:
            for before in planned[done:index]:
                names.see(before)
            done, message = index + 1, names.stand_in(message)
            if message is not planned[index]:
                fitter.reasons.all_became(planned[index].content, message.content)
        if message is planned[index] or misfit((message,)) >= 0:
            changes[index] = fitter.message(message, index)
        new = changes.get(index, message)
        if names is not None and isinstance(new, Msg):
            names.see(new)
        index = misfit(planned, index + 1)
    return changes


def _relink(
    planned: Sequence[Msg],
    changed: dict[int, Msg | Drop],
    relink: Callable[[Sequence[Msg]], Sequence[Msg]],
    reasons: Reasons,
) -> None:
    """Give calls and results the ids by which the reader will know them."""
    found = ((index, changed.get(index, message)) for index, message in enumerate(planned))
    left = {index: new for index, new in found if isinstance(new, Msg)}
    for (index, old), new in zip(left.items(), relink([*left.values()]), strict=True):
        if new is not old:
            changed[index] = new
            reasons.all_became(old.content, new.content)


def _is_arranged(messages: Sequence[Msg], steps: Sequence[Step], codec: Codec) -> bool:
    """Whether no step changes the structure of messages."""
    for step in steps:
        known = (codec,) if getattr(step, "takes_codec", False) else ()
        if step(None, messages, *known) is not None:
            return False
    return True


def _arranged(plan: Plan | None, messages: Sequence[Msg], steps: Sequence[Step]) -> Plan | None:
    for step in steps:
        plan = step(plan, messages)
    return plan


def _with_decisions(
    messages: Sequence[Msg], ruled: Sequence[Msg], rules: dict[int, Drop | Swap], caps: Caps
) -> tuple[Sequence[Msg], dict[int, Drop | Swap]]:
    """Apply what becomes of decisions on tool calls that the format can't hold, after the rules for whole messages."""

    def is_held(role: str, block: BaseBlock) -> bool:
        # What isn't a result in a tool message is the user's.
        row = caps.row("user" if role == "tool" else role)
        fitter = _Fitter(caps, Reasons(), set())
        return row is not None and type(fitter.block(block, row.blocks, row.blocks)) is type(block)

    decisions = decided(messages, ruled, is_held)
    found = {index: rule for index, rule in decisions.items() if not isinstance(rules.get(index), Drop)}
    if not found:
        return ruled, rules
    swapped = {index: rule.new for index, rule in found.items() if isinstance(rule, Swap)}
    return [swapped.get(index, message) for index, message in enumerate(ruled)], {**rules, **found}


def _ruled(messages: Sequence[Msg], caps: Caps) -> tuple[Sequence[Msg], dict[int, Drop | Swap]]:
    """Apply the rules for whole messages first: dropped messages and new roles decide which messages are adjacent."""
    out = list(messages)
    rules: dict[int, Drop | Swap] = {}
    for index, message in enumerate(messages):
        row = caps.row(message.role)
        if row is None:
            rules[index] = _no_role(message)
            continue
        answer = message if row.otherwise is None or not _is_concerned(message, row) else row.otherwise(message)
        if isinstance(answer, (Drop, Swap)):
            rules[index] = answer
        if isinstance(answer, Swap):
            out[index] = answer.new
    return out, rules


def _is_concerned(message: Msg, row: MessageRow) -> bool:
    """Whether a row's rule needs to be called for a message."""
    classes = row.concerned
    return classes is None or any(block.__class__ in classes for block in message.content)


def _no_role(message: Msg) -> Drop:
    return Drop(f"no messages with the role {excerpt(message.role)}")


@lru_cache(maxsize=256)
def _compiled(caps: Caps) -> tuple[Callable[..., int], Sequence[Step]]:
    """Return the finder of unsupported messages, and the steps that aren't part of it (not local)."""
    return compile_caps(caps), [step for step in caps.arrange if not getattr(step, "local", False)]


def _with_needed_ids(messages: Sequence[Msg], caps: Caps) -> Sequence[Msg]:
    needs = caps.needs_id
    if needs is None:
        return messages
    lacking = [
        (i, k)
        for i, message in enumerate(messages)
        for k, block in enumerate(message.content)
        if isinstance(block, (ToolUseBlock, ToolResultBlock)) and needs(block)
    ]
    return with_ids(messages, lacking) if lacking else messages


def _planned(parts: tuple[Part, ...], messages: Sequence[Msg]) -> Msg:
    """Make a message of some parts: the fields of the first, the blocks of all."""
    first = messages[parts[0].index]
    is_whole = len(parts) == 1 and parts[0].picks == tuple(range(len(first.content)))
    if is_whole and parts[0].role in (None, first.role):
        return first
    content = tuple(messages[part.index].content[pick] for part in parts for pick in part.picks)
    leads = 0 in parts[0].picks or not first.content
    kept = first if leads else Msg(role=first.role, id=None, created_at=None)
    # A made id or time must not look like one that another message stated.
    names = ("id", "created_at") if parts[1:] else ()
    unmade: dict[str, Any] = {name: None for name in names if is_made(getattr(kept, name))}
    return kept.evolve(role=parts[0].role or first.role, content=content, **unmade)


@attrs.define
class _Fitter:
    """Fits messages and blocks one by one.

    Attributes:
        caps: the capability table.
        reasons: what it says.
        asked: the identities of messages whose rules were asked, and left their roles: no rule is asked twice.
        apart: the blocks that are set apart, by the index of their message.
    """

    caps: Caps
    reasons: Reasons
    asked: set[int]
    apart: dict[int, list[Block]] = attrs.field(factory=dict[int, "list[Block]"])

    def message(self, message: Msg, index: int) -> Msg | Drop:
        if id(message) not in self.asked:
            ruled, rules = _ruled((message,), self.caps)
            message, rule = ruled[0], rules.get(0)
            if isinstance(rule, Drop):
                return rule
        row = self.caps.row(message.role)
        if row is None:
            return _no_role(message)
        results = row.blocks if row.results is None else row.results
        apart: list[Block] | None = [] if message.role == "tool" and self.caps.apart is not None else None
        items = [self.block(block, row.blocks, results, apart) for block in message.content]
        if row.joins is not None and len(items) > 1:
            again = partial(self.block, rows=row.blocks, results=results)
            items = _joined(message.content, items, row.joins, again, self.reasons)
        if apart:
            self.apart[index] = apart
        # Cells for fields beside the content must see the content that is left.
        message = _holding(message, _content(items, message.content))
        changes = changes_to(message, row)
        return changes if isinstance(changes, Drop) else changed(message, changes)

    def block(self, block: BaseBlock, rows: Rows, results: Rows, apart: list[Block] | None = None) -> Any:
        """Return the nearest block that is supported, or Drop.

        Args:
            block: the block.
            rows: for blocks in its place.
            results: for blocks inside results.
            apart: collects the blocks inside that are set apart; None if none may be.
        """
        kind, kept = type(block), block
        row = rows.get(kind) or (rows.get(BaseBlock) if kind is not NativeBlock else None)
        if row is None:
            return self._gone(block, Drop(f"no place for a {BLOCK_TAGS.get(kind, kind.__name__)} block here"))
        swap: Swap | None = None
        answer = block if row.otherwise is None else row.otherwise(block)
        if isinstance(answer, Drop):
            return self._gone(block, answer)
        if isinstance(answer, Swap):
            swap, kept = answer, answer.new
            if type(kept) is not kind:
                new = self.block(kept, rows, results)
                return self._gone(block, new) if isinstance(new, Drop) else self._is_now(block, new, swap)
        if kind is ToolResultBlock:
            return self._result(block, cast("ToolResultBlock", kept), row, swap, (results, apart))
        changes = changes_to(kept, row)
        if not changes and swap is None:
            return block
        if isinstance(changes, Drop):
            return self._gone(block, changes)
        return self._is_now(block, changed(kept, changes), swap)

    def _result(
        self,
        block: BaseBlock,
        kept: ToolResultBlock,
        row: Row,
        swap: Swap | None,
        inside: tuple[Rows, list[Block] | None],
    ) -> Any:
        """Fit a result and its content.

        Args:
            block: the result as it was.
            kept: the result as its rule left it.
            row: of the table.
            swap: what its rule returned.
            inside: the rows for the blocks inside, and what collects those that are set apart.
        """
        items = [self._inner(each, *inside) for each in kept.content]
        new = _holding(kept, _content(items, kept.content))
        changes = changes_to(new, row)
        if isinstance(changes, Drop):
            return self._gone(block, changes)
        made = changed(new, changes)
        if kept.is_error and not tells(made) and made.status != kept.status:
            made = self._telling(kept, made, inside[0])
        if swap is not None and swap.level != "content" and self._loses_inside(block, kept, made):
            swap = swap.evolve(level="content")
        return self._is_now(block, made, swap)

    def _telling(self, kept: ToolResultBlock, made: ToolResultBlock, rows: Rows) -> ToolResultBlock:
        """Give a failed result without words the text that it failed, where its status has no place."""
        why = TextBlock(kept.error or kept.error_type or kept.status or "error")
        found = self.block(why, rows, rows)
        if type(found) is not TextBlock:
            return made
        others = tuple(each for each in made.content if type(each) is not TextBlock or each.text)
        return changed(made, {"content": (found, *others)})

    def _inner(self, block: BaseBlock, rows: Rows, apart: list[Block] | None) -> Any:
        """Fit a block inside a result; if it has no place there, it may be set apart."""
        found = self.block(block, rows, rows)
        others = self.caps.apart
        if apart is None or others is None or type(block) not in others or not isinstance(found, Drop):
            return found
        other = self.block(block, others, others)
        if type(other) is not type(block):
            return found
        apart.append(cast("Block", other))
        said = self.reasons.of(self.reasons.source(block))
        return self._gone(block, Drop(_BEHIND, said.level if isinstance(said, Swap) else "content"))

    def _loses_inside(self, block: BaseBlock, kept: ToolResultBlock, made: ToolResultBlock) -> bool:
        """Whether a result made by a rule loses content; then all of it is content."""
        said = (self.reasons.of(self.reasons.source(each)) for each in kept.content)
        if any(each is not None and each.level == "content" for each in said):
            return True
        old = cast("ToolResultBlock", block)
        # What the rule itself set, such as a status, isn't lost.
        lost = ((name, get(old), now) for name, get, _, now in changes_of(ToolResultBlock)(kept, made))
        for name, was, now in lost:
            if name == "content" or was is None or was == now:
                continue
            level = level_of(name, was, now)
            if name == "status":
                level = level_of_result_field(name, old, made, level, is_written=True)
            if level == "content":
                return True
        return False

    def _gone(self, block: BaseBlock, drop: Drop) -> Drop:
        self.reasons.because(block, drop)
        return drop

    def _is_now(self, block: BaseBlock, new: Any, swap: Swap | None) -> Any:
        self.reasons.became(block, new)
        if swap is not None:
            self.reasons.because(block, swap)
        return new


def _joined(
    blocks: Sequence[BaseBlock],
    items: Sequence[Any],
    joins: Callable[[Any, Any], Any],
    again: Callable[[Any], Any],
    reasons: Reasons,
) -> list[Any]:
    """Join adjacent blocks that are one in the format; the first represents all.

    What the block has of several must fit together too: it is fit ``again``.
    """
    out = list(items)
    run, first = Run(joins), 0
    for index, item in enumerate([*items, None]):
        if isinstance(item, Drop):
            continue
        if item is not None and run.takes(item):
            swap = _merged(reasons.of(reasons.source(blocks[index])), None)
            out[index] = Joined(swap.why, swap.level, blocks[first])
            reasons.because(blocks[index], out[index])
            continue
        if run.is_longer:
            new = out[first] = again(run.folded())
            reasons.became(blocks[first], new)
            said = reasons.of(reasons.source(blocks[first]))
            reasons.because(blocks[first], new if isinstance(new, Drop) else _merged(said, new))
        run, first = Run(joins, item), index
    return out


def _merged(swap: Said | None, whole: Any) -> Swap:
    """Return why a block is part of another now; an earlier rule's reason takes precedence."""
    why = "neighbours are one block here"
    if not isinstance(swap, Swap):
        return Swap(whole, why, "annotation")
    return Swap(whole, swap.why if swap.why.endswith(why) else f"{swap.why}; {why}", swap.level)


def _holding(owner: Any, content: tuple[Block, ...]) -> Any:
    """Return a message or result with another content; itself with its own."""
    return owner if content is owner.content else changed(owner, {"content": content})


def _content(items: Sequence[Any], content: tuple[Block, ...]) -> tuple[Block, ...]:
    """Return the blocks that are left; the old content if nothing changed."""
    if all(map(is_, items, content)):
        return content
    return tuple([item for item in items if not isinstance(item, Drop)])


# -- blocks set apart -------------------------------------------------------------------------------------------------

# Content that a result can't hold goes into a user message after the results, if the capability table says so
# (``Caps.apart``). The loss report says where each went, and restore takes it back.


_BEHIND = "is in a user message after the result"


def _with_apart(
    planned: Sequence[Msg], changed: Mapping[int, Msg | Drop], apart: Mapping[int, Sequence[Block]]
) -> list[Msg]:
    """Return the output messages, with what is set apart in messages of its own.

    Args:
        planned: the messages of a plan.
        changed: what became of them.
        apart: the blocks that are set apart, by the index of the message.
    """
    kept: list[Msg] = []
    waiting: list[Block] = []

    def flush() -> None:
        if waiting:
            kept.append(Msg("user", tuple(waiting), id=None, created_at=None))
            waiting.clear()

    for index, message in enumerate(planned):
        new = changed.get(index, message)
        if isinstance(new, Drop):
            continue
        if new.role != "tool":
            flush()
        kept.append(new)
        if new.role == "tool":
            waiting.extend(apart.get(index, ()))
    flush()
    return kept


# -- messages of which nothing is left --------------------------------------------------------------------------------

# They are found after everything is fitted. Then all is fitted again without them: they must not separate others.


_EMPTIED = Drop("nothing of it has a place here")


def _emptied(planned: Sequence[Msg], changed: Mapping[int, Msg | Drop]) -> list[int]:
    """Return the planned messages that said something and say nothing any more."""
    return [
        index for index, new in changed.items() if isinstance(new, Msg) and not _says(new) and _says(planned[index])
    ]


def _says(message: Msg) -> bool:
    if message.content or message.structured is not None:
        return True
    return bool(message.extras) and not says_nothing(message.extras)


def _start_of(
    given: Sequence[Msg], rules: Mapping[int, Drop | Swap], gone: Mapping[int, Collection[int]]
) -> Plan | None:
    """Return the plan without dropped messages; None if none are."""
    if not gone and not any(isinstance(rule, Drop) for rule in rules.values()):
        return None
    plan: Plan = []
    for parts in as_is(given):
        index, picks = parts[0].index, parts[0].picks
        if isinstance(rules.get(index), Drop):
            continue
        if index not in gone:
            plan.append(parts)
            continue
        left = tuple(pick for pick in picks if pick not in gone[index])
        if left:
            plan.append((Part(index, left),))
    return plan


def _leave_out(indexes: Sequence[int], plan: Plan, gone: dict[int, set[int]]) -> None:
    """Record the blocks of messages left empty."""
    for index in indexes:
        for part in plan[index]:
            gone.setdefault(part.index, set()).update(part.picks)


def _tell_gone(
    gone: Mapping[int, Collection[int]], plan: Plan | None, messages: Sequence[Msg], reasons: Reasons
) -> None:
    """Say why messages without remaining parts were dropped: for the same reason as their first block."""
    left = {part.index for parts in plan or () for part in parts}
    for index in gone:
        if index not in left:
            said = map(reasons.of, messages[index].content)
            why = next((each.why for each in said if isinstance(each, Drop)), _EMPTIED.why)
            reasons.because(messages[index], Drop(why))
