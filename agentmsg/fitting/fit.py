"""fit: the nearest history that a codec supports exactly. Things are lost only here.

Rules are pure and report nothing. For each output message, fit records what it was made of. The loss report is derived
by comparing the rules' input and output, field by field: no rule, and no foreign codec, can forget to report. None of
this happens before the report is first accessed.

One predicate per role, compiled from the capability table, decides the common case that everything is supported.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import attrs

from agentmsg.errors import excerpt
from agentmsg.fitting.changes import FieldChanges, changed
from agentmsg.fitting.decisions import decided
from agentmsg.fitting.empty_messages import emptied, leave_out, start_of, tell_gone
from agentmsg.fitting.fitted import FitItem, FitMessage, Fitted, Joined, make_fitted, make_item, make_message
from agentmsg.fitting.levels import level_of
from agentmsg.fitting.measuring import measured
from agentmsg.fitting.result_overflow import APART, set_apart
from agentmsg.fitting.whole_history import with_fields, with_rest
from agentmsg.formats.adjacent_blocks import Run
from agentmsg.formats.capabilities import Caps, Drop, MessageRow, Row, Swap
from agentmsg.formats.compiled import compile_caps
from agentmsg.formats.derived_names import fits_with_names
from agentmsg.formats.restructure import Part, Plan, Step, as_is
from agentmsg.model.base import BaseBlock
from agentmsg.model.blocks import BLOCK_TAGS, NativeBlock, ToolResultBlock, ToolUseBlock
from agentmsg.model.generated import Made, MadeTime
from agentmsg.model.msg import Msg
from agentmsg.model.tool_links import CallNames, with_ids

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agentmsg.formats.codec import Codec
    from agentmsg.model.blocks import Block
    from agentmsg.model.history import History

Rows: TypeAlias = "Mapping[type[BaseBlock], Row]"

__all__ = ["fit"]

_NOTHING: frozenset[str] = frozenset()
# Fields that aren't fitted by their cells.
_CONTENT = frozenset({"content"})
_BESIDE = frozenset({"role", "content"})


def fit(history: History, codec: Codec) -> Fitted:
    """Return the nearest history that the codec supports exactly.

    Args:
        history: any history; it isn't changed.
        codec: its capability table decides; without one, what comes back when the history is written and read.
    """
    caps = codec.caps
    if caps.everything:
        return make_fitted(history, history, codec.name)
    if caps.measured:
        return measured(history, codec)
    misfit, steps, fields = _compiled(caps)
    messages = history.messages
    first = misfit(messages, 0, codec)
    fits = first < 0 or fits_with_names(messages, caps, first)
    fits = fits and (not steps or _is_arranged(messages, steps, codec))
    if fits and (caps.relink is None or caps.relink(messages) is messages):
        fitted = make_fitted(history, history, codec.name, derives_names=caps.derives_names)
        return with_rest(fitted, caps, fields)
    named = _with_needed_ids(messages, caps)
    given, rules = _with_decisions(named, *_ruled(named, caps), caps)
    gone: dict[int, dict[int, FitItem]] = {}
    while True:
        start = start_of(given, rules, gone)
        plan = _arranged(start, given, caps.arrange)
        planned = given if plan is None else [_planned(parts, given) for parts in plan]
        # Messages that their rules left alone need no second call.
        asked = [None if index in rules else message for index, message in enumerate(given)] if rules else given
        changed = _changed(planned, caps, asked if plan is None else [asked[parts[0].index] for parts in plan])
        empty = emptied(planned, changed) if caps.drops_emptied else ()
        if not empty:
            break
        # Whether messages are adjacent is decided without them.
        leave_out(empty, as_is(given) if plan is None else plan, changed, gone)
    tell_gone(gone, start, rules)
    if caps.relink is not None:
        changed = _relinked(planned, changed, caps.relink)
    if caps.apart is None:
        out = [changed[index].new if index in changed else message for index, message in enumerate(planned)]
        kept, added = [message for message in out if isinstance(message, Msg)], frozenset[int]()
    else:
        kept, changed, added = set_apart(planned, changed)
    same = len(kept) == len(messages) and all(a is b for a, b in zip(kept, messages, strict=True))
    output = history if same else with_fields(history, messages=tuple(kept))
    fitted = Fitted(history, output, codec.name, plan, changed, rules, gone, added, derives_names=caps.derives_names)
    return with_rest(fitted, caps, fields)


def _changed(planned: Sequence[Msg], caps: Caps, asked: Sequence[Msg | None]) -> dict[int, FitMessage]:
    """Fit the messages of a plan one by one; return those that aren't kept as they are, by their index.

    Args:
        planned: the messages.
        caps: the capability table.
        asked: for each message, the one that the rules for whole messages left alone; it may be the same.
    """
    changes: dict[int, FitMessage] = {}
    names = CallNames(are_near=caps.near_names) if caps.derives_names else None
    misfit, _, fields = _compiled(caps)
    done, index = 0, misfit(planned)
    while index >= 0:
        message = planned[index]
        if names is not None:
            for before in planned[done:index]:
                names.see(before)
            done, message = index + 1, names.stand_in(message)
        if message is planned[index] or misfit((message,)) >= 0:
            changes[index] = _fit_message(message, caps, fields, is_asked=message is asked[index])
        new = changes[index].new if index in changes else message
        if names is not None and isinstance(new, Msg):
            names.see(new)
        index = misfit(planned, index + 1)
    return changes


def _relinked(
    planned: Sequence[Msg], changed: dict[int, FitMessage], relink: Callable[[Sequence[Msg]], Sequence[Msg]]
) -> dict[int, FitMessage]:
    """Give calls and results the ids by which the reader will know them."""
    left: dict[int, Msg] = {}
    for index, message in enumerate(planned):
        new = changed[index].new if index in changed else message
        if isinstance(new, Msg):
            left[index] = new
    before = list(left.values())
    for index, old, new in zip(left, before, relink(before), strict=True):
        if new is old:
            continue
        items = changed[index].items if index in changed else None
        blocks = iter(new.content)
        items = tuple(map(make_item, old.content)) if items is None else items
        changed[index] = make_message(
            new, tuple([each if isinstance(each.new, Drop) else _relinked_item(each, next(blocks)) for each in items])
        )
    return changed


def _relinked_item(item: FitItem, block: BaseBlock) -> FitItem:
    """Return what became of a block that is another now; what a result held before says nothing of other content."""
    is_same = getattr(block, "content", None) is getattr(item.new, "content", None)
    return attrs.evolve(item, new=block, inner=item.inner if is_same else None)


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
        return row is not None and type(_fit_block(block, row.blocks, row.blocks, FieldChanges()).new) is type(block)

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
        if answer is message:
            continue
        if isinstance(answer, Drop):
            rules[index] = answer
        elif isinstance(answer, Swap):
            rules[index] = answer
            out[index] = answer.new
    return out, rules


def _is_concerned(message: Msg, row: MessageRow) -> bool:
    """Whether a row's rule needs to be called for a message."""
    classes = row.concerned
    return classes is None or any(block.__class__ in classes for block in message.content)


def _no_role(message: Msg) -> Drop:
    return Drop(f"no messages with the role {excerpt(message.role)}")


@lru_cache(maxsize=256)
def _compiled(caps: Caps) -> tuple[Callable[..., int], Sequence[Step], FieldChanges]:
    """Return the finder of unsupported messages, the steps that aren't part of it (not local), and the fields."""
    return compile_caps(caps), [step for step in caps.arrange if not getattr(step, "local", False)], FieldChanges()


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
    whole = len(parts) == 1 and _is_whole(parts[0].picks, len(first.content))
    if whole and parts[0].role in (None, first.role):
        return first
    content = tuple(messages[part.index].content[pick] for part in parts for pick in part.picks)
    leads = 0 in parts[0].picks or not first.content
    kept = first if leads else Msg(first.role, id=None, created_at=None)  # type: ignore[arg-type]
    # A made id or time must not look like one that another message stated.
    made: dict[str, type] = {"id": Made, "created_at": MadeTime} if parts[1:] else {}
    unmade: dict[str, Any] = {name: None for name, kind in made.items() if type(getattr(kept, name)) is kind}
    return kept.evolve(role=parts[0].role or first.role, content=content, **unmade)


def _is_whole(picks: tuple[int, ...], count: int) -> bool:
    return len(picks) == count and picks == tuple(range(count))


def _fit_message(message: Msg, caps: Caps, fields: FieldChanges, *, is_asked: bool) -> FitMessage:
    if not is_asked:
        ruled, rules = _ruled((message,), caps)
        message, rule = ruled[0], rules.get(0)
        if isinstance(rule, Drop):
            return FitMessage(rule)
    row = caps.row(message.role)
    if row is None:
        return FitMessage(_no_role(message))
    results = row.blocks if row.results is None else row.results
    apart = caps.apart if message.role == "tool" else None
    items = tuple([_fit_block(block, row.blocks, results, fields, apart) for block in message.content])
    if row.joins is not None:
        items = _joined(items, row.joins, lambda block: _fit_block(block, row.blocks, results, fields, apart).new)
    # Cells for fields beside the content must see the content that is left.
    message = _holding(message, _content(items, message.content))
    changes = fields.of(message, row, row.fields, _BESIDE)
    return FitMessage(changes) if isinstance(changes, Drop) else make_message(changed(message, changes), items)


def _holding(owner: Any, content: tuple[Block, ...]) -> Any:
    """Return a message or result with another content; itself with its own."""
    return owner if content is owner.content else changed(owner, {"content": content})


def _content(items: Sequence[FitItem], content: tuple[Block, ...]) -> tuple[Block, ...]:
    """Return the blocks of some items; the old blocks if nothing changed."""
    for item, block in zip(items, content, strict=True):
        if item.new is not block or item.place is not None:
            return tuple([item.new for item in items if not isinstance(item.new, Drop) and item.place is None])
    return content


def _joined(
    items: Sequence[FitItem], joins: Callable[[Any, Any], Any], again: Callable[[Any], Any]
) -> tuple[FitItem, ...]:
    """Join adjacent blocks that are one in the format; the first represents all.

    What the block has of several must fit together too: it is fit ``again``.
    """
    out = list(items)
    run, first = Run(joins), 0
    for index, item in enumerate(items):
        if isinstance(item.new, Drop):
            continue
        if run.takes(item.new):
            swap = _merged(None, item.swap)
            out[index] = FitItem(Joined(swap.why, swap.level))
            continue
        _close(out, first, run, again)
        run, first = Run(joins, item.new), index
    _close(out, first, run, again)
    return tuple(out)


def _close(out: list[FitItem], first: int, run: Run, again: Callable[[Any], Any]) -> None:
    """Put the result of a run in the place of its first block."""
    if run.is_longer:
        whole = again(run.folded())
        out[first] = FitItem(whole, None, None if isinstance(whole, Drop) else _merged(whole, out[first].swap))


def _merged(whole: Any, swap: Swap | None) -> Swap:
    """Return why a block is part of another now; an earlier rule's reason takes precedence."""
    why = "neighbours are one block here"
    if swap is None or swap.why.endswith(why):
        return Swap(whole, why, "annotation") if swap is None else Swap(whole, swap.why, swap.level)
    return Swap(whole, f"{swap.why}; {why}", swap.level)


def _fit_block(block: BaseBlock, rows: Rows, results: Rows, fields: FieldChanges, apart: Rows | None = None) -> FitItem:
    kind = type(block)
    row = rows.get(kind) or (rows.get(BaseBlock) if kind is not NativeBlock else None)
    if row is None:
        return FitItem(Drop(f"no place for a {BLOCK_TAGS.get(kind, kind.__name__)} block here"))
    swap: Swap | None = None
    given = block
    answer = block if row.otherwise is None else row.otherwise(block)
    if answer is not block:
        if isinstance(answer, Drop):
            return FitItem(answer)
        if isinstance(answer, Swap):
            swap = answer
            if type(answer.new) is not kind:
                inner = _fit_block(answer.new, rows, results, fields)
                return inner if isinstance(inner.new, Drop) else FitItem(inner.new, None, swap)
            block = answer.new
    if kind is not ToolResultBlock:
        changes = fields.of(block, row, row.fields, _NOTHING)
        return FitItem(changes) if isinstance(changes, Drop) else make_item(changed(block, changes), None, swap)
    return _fit_result(cast("ToolResultBlock", block), row, given, swap, (results, fields, apart))


def _fit_result(
    block: ToolResultBlock,
    row: Row,
    given: BaseBlock,
    swap: Swap | None,
    inside: tuple[Rows, FieldChanges, Rows | None],
) -> FitItem:
    """Fit a result and its content.

    Args:
        block: the result, as its rule left it.
        row: of the table.
        given: the result as it was.
        swap: what its rule returned.
        inside: the rows for the blocks inside, the fields, and the rows for what may be set apart.
    """
    results, fields, apart = inside
    items = tuple([_fit_inner(item, results, fields, apart) for item in block.content])
    block = _holding(block, _content(items, block.content))
    changes = fields.of(block, row, row.fields, _CONTENT)
    if isinstance(changes, Drop):
        return FitItem(changes)
    if swap is not None and swap.level != "content" and _loses_inside(given, changes, items):
        swap = swap.evolve(level="content")
    return make_item(changed(block, changes), items, swap)


def _fit_inner(block: BaseBlock, rows: Rows, fields: FieldChanges, apart: Rows | None) -> FitItem:
    """Fit a block inside a result; if it has no place there, it may be set apart."""
    found = _fit_block(block, rows, rows, fields)
    if apart is None or type(block) not in apart or not isinstance(found.new, Drop):
        return found
    other = _fit_block(block, apart, apart, fields)
    return make_item(other.new, None, other.swap, APART) if type(other.new) is type(block) else found


def _loses_inside(block: BaseBlock, changes: Mapping[str, Any], inner: Sequence[FitItem]) -> bool:
    """Whether a result made by a rule loses content; it is then reported as one, with all its content."""
    for item in inner:
        answer = item.new if isinstance(item.new, Drop) else item.swap
        if answer is not None and answer.level == "content":
            return True
    # What the rule itself set, such as a status, isn't lost.
    lost = ((name, getattr(block, name), now) for name, now in changes.items() if name != "content")
    return any(level_of(name, was, now) == "content" for name, was, now in lost if was is not None and was != now)
