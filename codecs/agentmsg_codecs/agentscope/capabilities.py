"""The capability tables: what the messages support, and the rules for the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import attrs

import agentmsg as am
from agentmsg import same, thaw
from agentmsg.formats import (
    ANY_ROLE,
    KEEP,
    Caps,
    Cell,
    Drop,
    MessageRow,
    Row,
    Swap,
    carried_extras,
    mark_of,
    natives,
    restructure,
    rules,
    speed,
    usually,
)
from agentmsg.formats.forms import Rows as FormRows
from agentmsg_codecs.agentscope.media import MEDIA
from agentmsg_codecs.agentscope.names import CALL_STATES, HINT, ITEM, RESULT_STATES
from agentmsg_codecs.agentscope.shapes import marks_of

if TYPE_CHECKING:
    from agentmsg_codecs.agentscope.dialect import Dialect
    from agentmsg_codecs.agentscope.messages import Messages


_Rows = dict[type[Any], Row]


@attrs.frozen(kw_only=True)
class Table:
    """What tells the tables apart.

    Attributes:
        signer: whose signatures have a place.
        fields: the cells of messages, but for their extras.
        is_old: whether it is the table of 1.x, which has no states, hints or files.
        has_ids: whether texts have an id.
        without: fields of blocks that it lacks, though what was read there comes back.
        has_lists: whether a hint may be a list of parts.
        has_old: whether what only older versions of Python have may be written: marks that a message is kept with,
            results that are neither text nor blocks.
    """

    signer: str
    fields: Mapping[str, Cell]
    is_old: bool
    has_ids: bool
    without: frozenset[str]
    has_lists: bool
    has_old: bool


class _Maker:
    """Makes the rows of one table."""

    def __init__(self, messages: Messages, table: Table) -> None:
        self.messages = messages
        self.table = table
        self.dialect: Dialect = messages.dialects[1 if table.is_old else 2]
        self.family = messages.family
        self.rows = FormRows(self.dialect.described)
        self.source_extras = {
            am.URLSource: self.cells(am.URLSource)["extras"],
            am.Base64Source: self.cells(am.Base64Source)["extras"],
        }

    def cells(self, cls: type[Any]) -> dict[str, Cell]:
        """Return the cells of a class: what its forms have."""
        forms = self.dialect.described.forms.values()
        fields = self.rows.row(*(form.name for form in forms if form.cls is cls)).fields
        cells = {name: cell for name, cell in fields.items() if name not in self.table.without}
        # All that blocks of 2.x say beside their fields is when they were made.
        usual = "len(value) == 1 and isinstance(own := peek(value, family), dict) and peek_keys(own) == born"
        looks = {"peek": speed.peek, "peek_keys": speed.peek_keys}
        cells["extras"] = usually(usual, family=self.family, born={"created_at"}, **looks)(cells["extras"])
        return cells

    # -- cells --------------------------------------------------------------------------------------------------------

    def is_marked(self, owner: Any, mark: str) -> bool:
        return bool(owner.notes) and mark_of(owner, self.family, mark) is True

    def signature(self) -> Cell:
        signer = self.table.signer

        @usually("value.provider == signer and not value.extras", signer=signer)
        def cell(value: am.Signature, _: Any) -> am.Signature | None:
            if value.provider != signer:
                return None
            return value.evolve(extras={}) if value.extras else value

        return cell

    def state(self, known: frozenset[str]) -> dict[str, Cell]:
        @usually("value in known", known=known)
        def cell(state: str, block: Any) -> str | None:
            return state if state in known or self.is_marked(block, "/word") else None

        return {"status": cell} if "status" not in self.table.without else {}

    def phase(self, role: str) -> Cell:
        def cell(phase: str, block: Any) -> str | None:
            if phase != HINT or self.table.is_old:
                return None
            return phase if role == "assistant" or self.is_marked(block, "/odd") else None

        return cell

    def text_id(self, role: str) -> Cell:
        if self.table.has_ids:
            return KEEP
        phase = self.phase(role)

        def cell(item_id: str, block: Any) -> str | None:
            # Only a hint has an id, if it is one here.
            is_hint = role != "inner" and block.phase == HINT and phase(HINT, block) is not None
            return item_id if is_hint else None

        return cell

    def text(self, role: str) -> dict[str, Cell]:
        """Return the cells of text; a hint that is none here has the unknown fields of a text."""
        phase, cells = self.phase(role), self.cells(am.TextBlock)
        extras: Any = cells["extras"]

        def of_text(value: Mapping[str, Any], block: am.TextBlock) -> Any:
            is_plain = block.phase == HINT and (role == "inner" or phase(HINT, block) is None)
            return extras(value, block.evolve(phase=None) if is_plain else block)

        cells |= {"item_id": self.text_id(role), "phase": phase}
        cells["extras"] = speed.Usual(of_text, extras.case, extras.names)
        if role == "inner":
            del cells["phase"]
        return cells

    # -- rules --------------------------------------------------------------------------------------------------------

    def act(self, role: str, cells: Mapping[str, Cell], rule: Callable[[Any], Any] | None, concerns: str) -> Row:
        """Return the row of what only assistants have, and others where it was read so.

        Args:
            role: of the messages.
            cells: of the class.
            rule: asked about each; None: all have a place.
            concerns: the field that the rule looks at.
        """
        if role == "assistant":
            return Row(cells, rule, concerns if rule else None)
        return Row(cells, self._only_odd(rule or _kept, f"no place for this in a {role} message"))

    def media(self, role: str, cells: Mapping[str, Cell], rule: Callable[[Any], Any] | None = None) -> Row:
        """Return the row of media, which have no place in a system message; arguments as in ``act``."""
        if role != "system":
            return Row(cells, rule)
        return Row(cells, self._only_odd(rule or _kept, "only text in a system message"))

    def _only_odd(self, rule: Callable[[Any], Any], why: str) -> Callable[[Any], Any]:
        """Return the rule that keeps only what was read there, and what becomes text."""

        def ruled(block: Any) -> Any:
            answer = rule(block)
            if self.is_marked(block, "/odd"):
                return answer
            new = answer.new if isinstance(answer, Swap) else answer
            return answer if isinstance(new, (Drop, am.TextBlock)) else Drop(why)

        return ruled

    def file(self, block: am.FileBlock, role: str) -> Any:
        """Keep a file; 1.x has none, and what is made of blocks has a place as a hint."""
        is_plain = isinstance(block.source, (am.URLSource, am.Base64Source))
        if self.is_hint(block, role):
            return block
        answer = self.dialect.media.file_rule(block)
        has_place = is_plain and (not self.table.is_old or self.dialect.media.is_flat(block))
        return Drop("no place for such files") if answer is block and not has_place else answer

    def is_hint_here(self, block: Any, role: str) -> bool:
        """Whether a hint has a place in a message of a role."""
        if self.table.is_old or not self.table.has_lists or role == "inner":
            return False
        return role == "assistant" or self.is_marked(block, "/odd")

    def source(self, source: Any, block: Any) -> Any:
        if not (isinstance(source, am.BlocksSource) and type(block) is am.FileBlock):
            return self.dialect.media.source_cell(source, block, self.source_extras)
        kept = tuple(item for item in source.content if self._is_inner(item))
        changes: dict[str, Any] = {} if len(kept) == len(source.content) else {"content": kept}
        changes |= {"extras": {}} if source.extras else {}
        return source.evolve(**changes) if changes else source

    def _is_inner(self, item: Any) -> bool:
        """Whether a block comes back from the list of a hint."""
        if type(item) not in (am.TextBlock, am.NativeBlock, *MEDIA):
            return False
        source = getattr(item, "source", None)
        if isinstance(source, (am.FileSource, am.TextSource, am.BlocksSource)):
            return False
        if not (self.dialect.media.takes_url_of(source) or self.dialect.media.is_flat(item)):
            return False
        if type(item) is am.NativeBlock and item.codec != self.family:
            return False
        self.dialect.fill()
        part = self.dialect.parts["inner"].write(item)
        return same(self.dialect.parts["inner"].read(thaw(part)), item)

    def result(self, block: am.ToolResultBlock) -> Any:
        """Keep a result; what is structured or wrong is told in its content, and it has a state."""
        answer = block if self.is_any(block) else rules.structured_as_text(block)
        new: Any = answer.new if isinstance(answer, Swap) else block
        if not self.table.is_old and not self._has_state(new):
            new = new.evolve(status="error" if new.is_error else "success")
        if new is block:
            return block
        why = answer.why if isinstance(answer, Swap) else "results have a state here"
        return Swap(new, why, "annotation")

    def is_any(self, block: am.ToolResultBlock) -> bool:
        """Whether what a result has is structured, and written as 0.x has it: as it is."""
        if block.structured is None or block.content or isinstance(block.structured, (str, list)):
            return False
        return self.table.has_old and self.dialect.media.as_read and self.is_marked(block, "/any")

    def structured(self, value: Any, block: am.ToolResultBlock) -> Any:
        return value if self.is_any(block) else None

    def _has_state(self, block: am.ToolResultBlock) -> bool:
        if block.status is None:
            # Where another version is wanted, what went without saying in its own does not.
            return self.is_marked(block, "/unsaid") and self.dialect.media.as_read
        return block.status in RESULT_STATES or self.is_marked(block, "/word")

    # -- rows ---------------------------------------------------------------------------------------------------------

    def others(self, role: str) -> _Rows:
        """Return the rows of what is text here."""
        rows: _Rows = {
            am.NativeBlock: rules.native_block_row(self.family, self.dialect.comes_back(role)),
            am.DataBlock: Row({}, rules.data_as_text),
            am.RefusalBlock: Row({}, rules.refusal_as_text),
            am.SourceBlock: Row({}, rules.source_as_text),
            am.CompactionBlock: Row({}, rules.compaction_as_text),
            am.ToolResultBlock: Row({}, rules.result_as_text if role == "inner" else _server_result),
        }
        return rows

    def parts(self, role: str) -> _Rows:
        """Return the rows of what may stand in a message of a role, or inside a result ("inner")."""
        rows = self.others(role)
        rows[am.TextBlock] = Row(self.text(role))
        for cls in MEDIA:
            cells = self.cells(cls) | {"source": self.source}
            if "item_id" in cells:
                cells["item_id"] = self.dialect.media.id_cell
            rows[cls] = self.media(role, cells, _sound if cls is am.AudioBlock else None)
        file = {
            **rows[am.FileBlock].fields,
            "item_id": self.file_id(role),
            "name": self._file_name,
            "phase": self.file_phase(role),
        }
        rows[am.FileBlock] = self.media(role, file, lambda block: self.file(block, role))
        if role != "inner":
            rows |= self.acts(role)
        return rows

    def is_hint(self, block: Any, role: str) -> bool:
        """Whether a file is a hint that is a list of parts, in a message where one has a place."""
        return block.phase == HINT and isinstance(block.source, am.BlocksSource) and self.is_hint_here(block, role)

    def file_id(self, role: str) -> Cell:
        media = self.dialect.media

        def cell(item_id: str, block: Any) -> str | None:
            if self.is_hint(block, role):
                return item_id
            return None if self.table.is_old else media.id_cell(item_id, block)

        return cell

    def file_phase(self, role: str) -> Cell:
        return lambda phase, block: phase if self.is_hint(block, role) else None

    def _file_name(self, name: str, block: Any) -> str | None:
        return None if isinstance(block.source, am.BlocksSource) else name

    def acts(self, role: str) -> _Rows:
        """Return the rows of thinking and calls."""
        thinking = self.cells(am.ThinkingBlock) | {"signature": self.signature()}
        call = self.cells(am.ToolUseBlock) | {"kind": _function, **self.state(CALL_STATES)}
        if "signature" in call:
            call["signature"] = self.signature()
        return {
            am.ThinkingBlock: self.act(role, thinking, None if "redacted" in thinking else _readable, "redacted"),
            am.ToolUseBlock: self.act(role, call, _call, "kind"),
        }

    def answer(self) -> _Rows:
        """Return the row of a tool's result."""
        cells = self.cells(am.ToolResultBlock) | {"structured": self.structured, **self.state(RESULT_STATES)}
        return {am.ToolResultBlock: Row({**cells, "kind": _function}, self.result)}

    def row(self, role: str, **more: Any) -> MessageRow:
        own = (self.family, self.dialect.taken_by_message)
        extras = carried_extras(own, (ITEM, _taken_beside)) if self.table.has_old else carried_extras(own)
        fields = {**self.table.fields, "extras": extras}
        blocks = self.answer() if role == "tool" else self.parts(role)
        return MessageRow(fields=fields, blocks=blocks, results=self.parts("inner"), **more)


def _taken_beside(message: am.Msg) -> frozenset[str] | None:
    """Return the keys that what surrounds a message has of its own; None if it has no marks, or more."""
    return None if marks_of(message) is None else frozenset()


def _function(_: str, __: Any) -> str:
    return "function"


def _kept(block: Any) -> Any:
    return block


def _readable(block: am.ThinkingBlock) -> Any:
    if block.redacted is None:
        return block
    if not block.thinking:
        return Drop("only its own provider can read this")
    return Swap(block.evolve(redacted=None), "thinking is readable here")


def _call(block: am.ToolUseBlock) -> Any:
    return rules.server_as_text(block) if block.kind == "server" else rules.custom_as_function(block)


def _server_result(block: am.ToolResultBlock) -> Any:
    answer = rules.server_as_text(block)
    return Drop("no place for a result here") if answer is block else answer


def _sound(block: am.AudioBlock) -> Any:
    return block if isinstance(block.source, (am.URLSource, am.Base64Source)) else rules.audio_as_text(block)


def make_caps(messages: Messages, table: Table, *, history: Mapping[str, Cell]) -> Caps:
    """Return a capability table.

    Args:
        messages: the codec's reader and writer.
        table: what is special.
        history: the cells of the history.
    """
    rows = _Maker(messages, table)
    return Caps(
        messages={
            **{role: rows.row(role) for role in ("user", "assistant", "system", "tool")},
            "developer": rows.row("system", otherwise=rules.role_rule("system")),
            "native": rules.native_message_row(messages.family, messages.message_of),
            ANY_ROLE: MessageRow(otherwise=rules.other_role),
        },
        history=history,
        arrange=(restructure.split_results,),
        needs_id=natives.lacks_id(messages.family),
    )
