"""Nearest: what total writers share. A codec without a capability table writes any history with it.

A codec says what its format holds (the fields of each class, by role), in which order, and in plain functions what
becomes of the rest. Anything else that can be said in words becomes text. Messages come in normal form, with the ids
that links need. A history that the format holds is covered: nothing of it is lost, so it need not be read back.
Whatever else is lost, the core finds by reading.

``Nearest`` is the base of what a codec says; ``Orders`` is the type of the orders of its blocks. ``told`` is what a
rule makes of an object; ``words``, any blocks as text; ``holding``, a message with other blocks; ``spread``, the blocks
of a message in several ones.
"""

from __future__ import annotations

from functools import cached_property
from itertools import repeat
from operator import is_, le
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias
from weakref import ref

from agentmsg.formats.capabilities import ANY_ROLE, KEEP, Caps, Drop, MessageRow, Row, Swap
from agentmsg.formats.compiled import compile_caps
from agentmsg.formats.derived_names import fits_with_names
from agentmsg.formats.forms.rows import nearest
from agentmsg.formats.natives import is_native, lacks_id
from agentmsg.formats.restructure import is_normal, split_results
from agentmsg.formats.rules import TEXT_ROWS, as_text, native_message_row
from agentmsg.model.blocks import ApprovalResponseBlock, TextBlock, ToolResultBlock, ToolUseBlock
from agentmsg.model.construction import maker
from agentmsg.model.generated import MadeName, given
from agentmsg.model.history import History
from agentmsg.model.msg import Msg
from agentmsg.model.tool_links import CallNames, denials, named, with_ids

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from agentmsg.formats.containers import ContainerCodec

__all__ = ["Nearest", "Orders", "holding", "spread", "told", "words"]

Orders: TypeAlias = "Mapping[str, tuple[tuple[type[Any], ...], ...]]"
_USUAL = frozenset({"system", "user", "assistant"})
_make_msg = maker(Msg)


def told(answer: Any) -> Any:
    """Return what a rule makes of an object; None if there is nothing."""
    return answer.new if isinstance(answer, Swap) else None if isinstance(answer, Drop) else answer


def words(blocks: Iterable[Any]) -> str:
    """Return blocks in words, for places that hold nothing else; an empty text if they have none."""
    texts = map(as_text, blocks)
    return "\n".join(text.text for text in texts if text is not None and text.text)


def holding(owner: Any, content: Sequence[Any], **changes: Any) -> Any:
    """Return a message or result with other blocks; itself if they are the same, and nothing else changes."""
    old = owner.content
    if len(old) != len(content) or not all(map(is_, content, old)):
        changes["content"] = tuple(content)
    return owner.evolve(**changes) if changes else owner


def _is_result(block: Any) -> bool:
    return isinstance(block, ToolResultBlock) and block.kind != "server"


def _normal(message: Msg, role: str) -> list[Msg]:
    """Return a message in normal form: each client's result in a tool message of its own, nothing else there.

    Args:
        message: the message.
        role: of what is no result in it.
    """
    if role == message.role and is_normal(message):
        return [message]
    runs: list[tuple[str, list[Any]]] = []
    rest = "user" if role == "tool" else role
    for block in message.content:
        if _is_result(block):
            runs.append(("tool", [block]))
        elif runs and runs[-1][0] != "tool":
            runs[-1][1].append(block)
        else:
            runs.append((rest, [block]))
    return spread(message, runs or [(rest, [])])


def spread(message: Msg, runs: Iterable[tuple[str, Sequence[Any]]]) -> list[Msg]:
    """Return messages with the blocks of one, each with a role; the first has its fields."""
    (role, first), *others = runs
    rest = (_make_msg(to, tuple(blocks)) for to, blocks in others)
    return [_of_role(holding(message, first), role), *rest]


def _of_role(message: Msg, role: str) -> Msg:
    return message if role == message.role else message.evolve(role=role)


def _with_words(row: MessageRow) -> MessageRow:
    """Return a row in which other blocks become text, if it has text."""
    inner = row.results if row.results is None or TextBlock not in row.results else {**TEXT_ROWS, **row.results}
    return row.evolve(blocks={**TEXT_ROWS, **row.blocks} if TextBlock in row.blocks else row.blocks, results=inner)


class Nearest:
    """Finds the nearest history that a format holds.

    Args:
        codec: whose format it is.
        read: reads a native message by itself.

    Attributes:
        orders: by role, the blocks in the order of writing, as groups of classes; others are where text is.
        derives_names: the reader names results after their calls, and the format has no other name for them.
    """

    orders: ClassVar[Orders] = {}
    derives_names: ClassVar[bool] = False

    def __init__(self, codec: ContainerCodec, read: Callable[[Any], Msg]) -> None:
        self._codec = codec
        self.described = codec.described[0]
        self.lacks_id = lacks_id(codec.family)
        native = native_message_row(codec.family, read)
        apart = _USUAL - self.orders.keys() if type(self).are_one is Nearest.are_one else frozenset[str]()
        rows = {role: _with_words(row) for role, row in self.rows().items()}
        asked = {role: row.evolve(otherwise=self.if_kept) for role, row in rows.items() if role not in {"tool", *apart}}
        self._rows: Mapping[str, MessageRow] = {**rows, **asked, "native": native}
        self._ranks = {
            role: {cls: rank for rank, classes in enumerate(order) for cls in classes}
            for role, order in self.orders.items()
        }
        self._last: ref[History] | None = None
        self._near: dict[tuple[int, type[Any]], Callable[[Any], Any]] = {}

    # -- what a format decides -----------------------------------------------------------------------------------------

    def rows(self) -> Mapping[str, MessageRow]:
        """Return the fields and blocks that messages of each role hold.

        The rule of a block's row (``otherwise``) returns what the block becomes, or None.
        """
        raise NotImplementedError

    def role_of(self, message: Msg) -> str | None:
        """Return the role that a message gets; None if it is left out."""
        role = message.role
        return role if role in self._rows else {"developer": "system", "remove": None}.get(role, "user")

    def needs_id(self, block: Any) -> bool:
        """Whether a call or result must get an id."""
        return self.lacks_id(block)

    def become(self, message: Msg) -> list[Msg]:
        """Return what is written for a message in normal form; the message itself if nothing of it is lost."""
        role = message.role
        row = self.row(role)
        content = [near for block in message.content if (near := self.block(block, row.blocks, row)) is not None]
        return [self.fields(holding(message, self.arranged(content, role)), row)]

    def rank(self, block: Any, role: str) -> int:
        """Return the place of a block in the order of writing."""
        ranks = self._ranks[role]
        return ranks.get(block.__class__, ranks[TextBlock])

    def are_one(self, left: Any, right: Any, role: str) -> bool:
        """Whether two adjacent blocks of a message are one in the format."""
        return False

    def as_one(self, blocks: Sequence[Any]) -> Any:
        """Return such blocks as one; by default, texts or thoughts with line breaks between them."""
        field = "text" if type(blocks[0]) is TextBlock else "thinking"
        return blocks[0].evolve(**{field: "\n".join(getattr(block, field) for block in blocks)})

    def row(self, role: str) -> MessageRow:
        """Return what messages of a role hold."""
        return self._rows.get(role) or self._rows[ANY_ROLE]

    def related(self, messages: Sequence[Msg]) -> Sequence[Msg]:
        """Change messages that others would give another meaning; the same sequence if there are none."""
        return messages

    # -- the nearest history -------------------------------------------------------------------------------------------

    @cached_property
    def caps(self) -> Caps:
        """What the format holds, without rules for the rest."""
        return Caps(
            measured=True,
            messages=self._rows,
            history=self._codec.containers.cells(),
            arrange=(split_results,),
            needs_id=self.needs_id,
            derives_names=self.derives_names,
        )

    @cached_property
    def _misfit(self) -> Callable[..., int]:
        return compile_caps(self.caps)

    @cached_property
    def _whole(self) -> Callable[[Any], Any]:
        return nearest(History, {"messages": KEEP, **self.caps.history})

    def keeps(self, history: History) -> bool:
        """Whether the format holds all of a history."""
        if self._last is not None and self._last() is history:
            return True
        messages = history.messages
        first = self._misfit(messages, 0, self._codec)
        if not (first < 0 or fits_with_names(messages, self.caps, first)) or self.related(messages) is not messages:
            return False
        if self._whole(history) is not history:
            return False
        self._seen(history)
        return True

    def _seen(self, history: History) -> None:
        """Remember a history that the format holds: whoever asked writes it next."""
        self._last = ref(history)

    def history(self, history: History) -> History:
        """Return the nearest history, as it is read; the same one if the format holds all of it."""
        if self.keeps(history):
            return history
        near = self._named(self.related(self._all(history.messages)))
        found: History = self._whole(history).evolve(messages=near)
        self._seen(found)
        return found

    def _named(self, messages: Sequence[Msg]) -> Sequence[Msg]:
        """Return messages with the names that a reader takes from calls."""
        names, out = CallNames(), list[Msg]()
        for message in messages if self.derives_names else ():
            block = message.content[0] if message.role == "tool" else None
            if isinstance(block, ToolResultBlock) and block.tool_call_id is not None and given(block.name) is None:
                name = names.next_name(block.tool_call_id)
                out.append(message if name is None else named(message, MadeName(name)))
            else:
                out.append(message)
            names.see(message)
        return out or messages

    def _all(self, messages: Sequence[Msg]) -> list[Msg]:
        places = ((i, k, block) for i, message in enumerate(messages) for k, block in enumerate(message.content))
        lacking = [(i, k) for i, k, block in places if self._lacks_id(block)]
        named = with_ids(messages, lacking) if lacking else messages
        return [near for message in self._decided(named) for near in self._parts(message)]

    def _lacks_id(self, block: Any) -> bool:
        return isinstance(block, (ToolUseBlock, ToolResultBlock)) and self.needs_id(block)

    def _parts(self, message: Msg) -> list[Msg]:
        """Return what becomes of one message."""
        if self._misfit((message,)) < 0:
            return [message]
        if message.role == "native":
            near = told(self._rows["native"].otherwise(message))  # type: ignore[misc]  # it has a rule
            if near is None or is_native(near, self._codec.family):
                return [] if near is None else [near]
            message = near
        role = self.role_of(message)
        found: list[Msg] = []
        for part in [] if role is None else _normal(message, role):
            # Split off, it may lack what kept its role.
            to = self.role_of(part)
            found += [] if to is None else self.become(_of_role(part, to))
        return found

    def _decided(self, messages: Sequence[Msg]) -> Sequence[Msg]:
        """Leave out decisions on tool calls; a call that was denied gets a result that says so."""
        if not any(type(block) is ApprovalResponseBlock for message in messages for block in message.content):
            return messages
        results, out = denials(messages), list[Msg]()
        for index, message in enumerate(messages):
            if self.role_of(message) not in ("user", "tool"):
                out.append(message)
                continue
            content = [results.get((index, place), block) for place, block in enumerate(message.content)]
            left = [block for block in content if type(block) is not ApprovalResponseBlock]
            if left or not content:
                out.append(holding(message, left))
        return out

    # -- blocks --------------------------------------------------------------------------------------------------------

    def block(self, block: Any, rows: Mapping[type[Any], Row], row: MessageRow) -> Any:
        """Return what a block becomes among those of some rows; None if it is left out."""
        own = rows.get(block.__class__)
        if own is None:
            return None
        near = block if own.otherwise is None else told(own.otherwise(block))
        if near is None or near.__class__ is not block.__class__:
            return None if near is None else self.block(near, rows, row)
        if block.__class__ is ToolResultBlock:
            inner = rows if row.results is None else row.results
            near = holding(near, [new for each in near.content if (new := self.block(each, inner, row)) is not None])
        return told(self.fields(near, own))

    def fields(self, obj: Any, row: Row | MessageRow) -> Any:
        """Return an object with the fields that a row has."""
        key = id(row), obj.__class__
        near = self._near.get(key)
        if near is None:
            near = self._near[key] = nearest(obj.__class__, {"content": KEEP, **row.fields})
        return near(obj)

    def arranged(self, content: Sequence[Any], role: str) -> Sequence[Any]:
        """Return the blocks of a message in the order of writing; adjacent ones as one if the format has only one."""
        if role in self.orders and len(content) > 1:
            content = sorted(content, key=lambda block: self.rank(block, role))
        runs: list[list[Any]] = []
        for block in content:
            if runs and self.are_one(runs[-1][-1], block, role):
                runs[-1].append(block)
            else:
                runs.append([block])
        return content if len(runs) == len(content) else [self.as_one(run) if run[1:] else run[0] for run in runs]

    def if_kept(self, message: Msg) -> Msg | None:
        """Return a message whose role stays and whose blocks are in order, as a rule that changes it if they aren't."""
        content, role = message.content, message.role
        if role not in _USUAL and self.role_of(message) != role:
            return None
        if len(content) <= 1:
            return message
        if role in self.orders:
            ranks = list(map(self.rank, content, repeat(role)))
            if not all(map(le, ranks, ranks[1:])):
                return None
        return None if any(map(self.are_one, content, content[1:], repeat(role))) else message
