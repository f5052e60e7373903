"""The capability tables: what the messages support, and the rules for the rest."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import same, thaw
from agentmsg.formats import (
    KEEP,
    Caps,
    Cell,
    Drop,
    MessageRow,
    Row,
    Swap,
    carried_extras,
    cells,
    is_marked,
    natives,
    restructure,
    rules,
    speed,
    usually,
)
from agentmsg.formats.forms import Rows as FormRows
from agentmsg_codecs.agentscope.dialect import ASKING, is_asking, is_call, marks_of
from agentmsg_codecs.agentscope.media import MEDIA
from agentmsg_codecs.agentscope.names import CALL_STATES, FAMILY, HINT, ITEM, RESULT_STATES, VERSIONS
from agentmsg_codecs.agentscope.unsent import UNSENT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agentmsg_codecs.agentscope.dialect import Dialect
    from agentmsg_codecs.agentscope.messages import AgentScope, Messages


_REQUEST = am.ApprovalRequestBlock


def _may_ask(block: Any, family: str) -> bool:
    """Whether a request may tell the state of a call: no other state of it is written."""
    if not is_call(block):
        return False
    status = block.status
    return status in (None, ASKING) or not (status in CALL_STATES or is_marked(block, family, "/word"))


def call_rule(block: am.ToolUseBlock) -> Any:
    """Keep function calls, without the state: whether a person is asked is told by a request behind the call.

    A call of Responses without arguments has an empty object, as its client writes it.
    """
    answer = rules.call_as_function(block)
    new = answer.new if isinstance(answer, Swap) else answer
    if is_call(new) and new.raw_input == "" and new.item_id is not None:
        return Swap(new.evolve(raw_input="{}"), "OpenAIResponseModel keeps no arguments as an object", "annotation")
    if not is_asking(new):
        return answer
    return Swap(new.evolve(status=None), "a request behind a call tells that a person is asked")


def behind_calls(family: str) -> restructure.Step:
    """Return the step that moves requests behind their calls, and leaves out those that no state can tell."""

    def step(plan: restructure.Plan | None, messages: Sequence[am.Msg]) -> restructure.Plan | None:
        if not any(_REQUEST in map(type, message.content) for message in messages):
            return plan
        return restructure.choose(partial(_picks, family, _done(messages)), "assistant")(plan, messages)

    return step


def _done(messages: Sequence[am.Msg]) -> set[int]:
    """Return the identities of the assistant's calls that have a result before the next call of the same id."""
    results: set[str | None] = set()
    found: set[int] = set()
    for message in reversed(messages):
        for block in reversed(message.content):
            if isinstance(block, am.ToolResultBlock) and block.kind != "server":
                results.add(block.tool_call_id)
            elif message.role == "assistant" and is_call(block) and block.id in results:
                found.add(id(block))
                results.remove(block.id)
    return found


def _picks(family: str, done: set[int], message: am.Msg) -> tuple[int, ...] | None:
    """Return the blocks of a message, with each request behind its call.

    Args:
        family: whose requests are kept.
        done: the identities of the calls that have a result.
        message: the message.
    """
    content: tuple[Any, ...] = message.content
    calls = [index for index, block in enumerate(content) if _may_ask(block, family)]
    requests: dict[int, int] = {}
    for index, block in enumerate(content):
        if type(block) is _REQUEST and block.tool_call_id is not None:
            fitting = [at for at in calls if content[at].id == block.tool_call_id and at not in requests]
            # Of calls with the same id, the one right before a request is its call.
            for at in [index - 1] if index - 1 in fitting else fitting[:1]:
                requests[at] = index
    order: list[int] = []
    for index, block in enumerate(content):
        if type(block) is not _REQUEST:
            order.append(index)
        request = requests.get(index)
        if request is not None and (is_marked(content[request], family, "/asking") or id(block) not in done):
            order.append(request)
    return None if order == list(range(len(content))) else tuple(order)


_Rows = dict[type[Any], Row]
# What is text here.
_TOLD = (am.CompactionBlock, am.DataBlock, am.RefusalBlock, am.SourceBlock)


class _Maker:
    """Makes the rows of one table.

    Attributes:
        is_old: whether this is the table of 1.x, which has no states, hints or files.
        is_python: whether this is the library for Python.
        is_full: whether texts have an id, and a hint may be a list of parts.
        has_old: whether what only older versions of Python have may be written: the marks of a memory, and results
            that are neither text nor blocks.
    """

    def __init__(self, messages: Messages, version: int | None) -> None:
        self.is_old = version == VERSIONS[0]
        self.is_python = messages.keeps_marks
        self.is_full = self.is_python and not self.is_old
        self.has_old = self.is_python and version != VERSIONS[-1]
        self.dialect: Dialect = messages.dialects[VERSIONS[0] if self.is_old else VERSIONS[-1]]
        self.family = messages.family
        self.rows = FormRows(self.dialect.described)
        self.source_extras = {cls: self.cells(cls)["extras"] for cls in (am.URLSource, am.Base64Source)}

    def cells(self, cls: type[Any]) -> dict[str, Cell]:
        """Return the cells of a class from its forms."""
        forms = self.dialect.described.forms.values()
        fields = self.rows.row(*(form.name for form in forms if form.cls is cls)).fields
        found = {name: cell for name, cell in fields.items() if name not in self.dialect.lacks_in_blocks}
        # Blocks of 2.x usually have one extra: when they were made.
        usual = "len(value) == 1 and isinstance(own := peek(value, family), dict) and peek_keys(own) == born"
        looks = {"peek": speed.peek, "peek_keys": speed.peek_keys}
        found["extras"] = usually(usual, family=self.family, born={"created_at"}, **looks)(found["extras"])
        return found

    def row(self, role: str, **more: Any) -> MessageRow:
        """Return the row of messages of a role."""
        fields = self.rows.message("message")
        fields = {name: cell for name, cell in fields.items() if name not in self.dialect.lacks}
        fields["extras"] = cells.without(fields["extras"], self.family, self.dialect.taken)
        if self.has_old:
            fields["extras"] = cells.together(fields["extras"], carried_extras((ITEM, _taken_beside)))
        blocks: _Rows = {am.ToolResultBlock: self.result_row()} if role == "tool" else self.parts(role)
        if role == "assistant" and not self.is_old:
            blocks[am.ApprovalRequestBlock] = Row({"id": lambda _, block: block.tool_call_id, "tool_call_id": KEEP})
        return MessageRow(fields=fields, blocks=blocks, results=self.parts("inner"), **more)

    def parts(self, role: str) -> _Rows:
        """Return the rows of blocks in a message of a role, or in a result ("inner")."""
        rows: _Rows = {
            am.NativeBlock: rules.native_block_row(self.family, self.dialect.parts[role].comes_back),
            **{cls: rules.TEXT_ROWS[cls] for cls in _TOLD},
            am.ToolResultBlock: Row({}, self.loose_result(role)),
            am.TextBlock: Row(self.text(role)),
            **{cls: self.media(role, cls) for cls in MEDIA},
        }
        return rows if role == "inner" else rows | self.acts(role)

    def loose_result(self, role: str) -> Callable[[Any], Any]:
        """Return the rule for results beside their message, or in another result ("inner")."""
        if role == "inner":
            return rules.result_as_text
        return _unserved(_server_result) if self.is_python else _server_result

    def limited(
        self,
        cells: Mapping[str, Cell],
        why: str,
        rule: Callable[[Any], Any] | None = None,
        concerns: str | tuple[str, ...] | None = None,
    ) -> Row:
        """Return the row of blocks that the schema may not have here: then only those that were read here are kept.

        Args:
            cells: the cells of the class.
            why: the reason, if the schema doesn't have them; else empty.
            rule: the rule for each of them; None keeps all.
            concerns: as in ``Row``.
        """

        def only_odd(block: Any) -> Any:
            answer = block if rule is None else rule(block)
            new = answer.new if isinstance(answer, Swap) else answer
            is_kept = is_marked(block, self.family, "/odd") or isinstance(new, (Drop, am.TextBlock))
            return answer if is_kept else Drop(why)

        return Row(cells, only_odd) if why else Row(cells, rule, concerns)

    # -- texts and hints ----------------------------------------------------------------------------------------------

    def text(self, role: str) -> dict[str, Cell]:
        """Return the cells of text; a hint that isn't supported here has the unknown fields of a text."""
        found = self.cells(am.TextBlock)
        extras: Any = found["extras"]

        def phase(phase: str, block: Any) -> str | None:
            if phase != HINT or self.is_old:
                return None
            return phase if role == "assistant" or is_marked(block, self.family, "/odd") else None

        def is_hint(block: am.TextBlock) -> bool:
            return role != "inner" and block.phase == HINT and phase(HINT, block) is not None

        def of_text(value: Mapping[str, Any], block: am.TextBlock) -> Any:
            return extras(value, block.evolve(phase=None) if block.phase == HINT and not is_hint(block) else block)

        def item_id(value: str, block: Any) -> str | None:
            return value if is_hint(block) else None

        found["item_id"] = KEEP if self.is_full else item_id
        found["extras"] = speed.Usual(of_text, extras.case, extras.names)
        if role == "inner":
            del found["phase"]
        else:
            found["phase"] = phase
        return found

    def is_hint(self, block: Any, role: str) -> bool:
        """Whether a file is written as a hint that is a list of parts."""
        if not self.is_full or role == "inner" or block.phase != HINT:
            return False
        is_here = role == "assistant" or is_marked(block, self.family, "/odd")
        return is_here and isinstance(block.source, am.BlocksSource)

    # -- media --------------------------------------------------------------------------------------------------------

    def media(self, role: str, cls: type[Any]) -> Row:
        """Return the row of a class of media."""
        own = self.dialect.media

        def file(block: am.FileBlock) -> Any:
            """Keep a file; 1.x has none, and one made of blocks may be a hint."""
            if self.is_hint(block, role):
                return block
            is_plain = isinstance(block.source, (am.URLSource, am.Base64Source))
            answer = own.file_rule(block)
            is_kept = is_plain and (not self.is_old or own.is_flat(block))
            return Drop("no place for such files") if answer is block and not is_kept else answer

        said = rules.spoken(_audio) if role == "assistant" else _audio
        answers: Mapping[Any, Callable[[Any], Any]] = {am.AudioBlock: said, am.FileBlock: file}
        why = "only text in a system message" if role == "system" else ""
        return self.limited({**self.cells(cls), "source": self.source}, why, answers.get(cls))

    def source(self, source: Any, block: Any) -> Any:
        """Keep the source of media; for a hint, those of its blocks that come back."""
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

    # -- thinking, calls and results ----------------------------------------------------------------------------------

    def acts(self, role: str) -> _Rows:
        """Return the rows of thinking and calls."""
        thinking, call = self.cells(am.ThinkingBlock), self.cells(am.ToolUseBlock) | {"kind": cells.kinds()}
        why = "" if role == "assistant" else f"no place for this in a {role} message"
        readable = (None, None) if "redacted" in thinking else (_readable, "redacted")
        asking = (call_rule, ("kind", "status", "item_id"))
        rule: Any = (rules.call_as_function, "kind") if why or self.is_old else asking
        if self.is_python:
            rule = (_unserved(rule[0]), rule[1])
        return {
            am.ThinkingBlock: self.limited(thinking, why, *readable),
            am.ToolUseBlock: self.limited(call, why, *rule),
        }

    def result_row(self) -> Row:
        """Return the row of the result of a client's tool."""
        own: dict[str, Cell] = {"structured": self.structured, "kind": cells.kinds()}
        return Row(self.cells(am.ToolResultBlock) | own, self.result)

    def result(self, block: am.ToolResultBlock) -> Any:
        """Keep a result; a value or an error becomes content, and 2.x needs a state."""
        answer = block if self.is_any(block) else rules.structured_as_text(block)
        new: Any = answer.new if isinstance(answer, Swap) else block
        if not self.is_old and not self._has_state(new):
            said = new.error is not None and new.error in new.text
            new = new.evolve(status="error" if new.is_error else "success", error=None if said else new.error)
        if new is block:
            return block
        why = answer.why if isinstance(answer, Swap) else "results have a state here"
        return Swap(new, why, "annotation")

    def is_any(self, block: am.ToolResultBlock) -> bool:
        """Whether a result has a value that is written as in 0.x: as it is."""
        if block.structured is None or block.content or isinstance(block.structured, (str, list)):
            return False
        return self.has_old and self.dialect.media.as_read and is_marked(block, self.family, "/any")

    def structured(self, value: Any, block: am.ToolResultBlock) -> Any:
        """Keep a result's value if it is written as it is."""
        return value if self.is_any(block) else None

    def _has_state(self, block: am.ToolResultBlock) -> bool:
        if block.status is None:
            # In another version than its own, a result may not lack a state.
            return is_marked(block, self.family, "/unsaid") and self.dialect.media.as_read
        return block.status in RESULT_STATES or is_marked(block, self.family, "/word")


def _taken_beside(message: am.Msg) -> frozenset[str] | None:
    """Return the keys of a memory's entry that are no extras; None if it has no marks, or more than marks."""
    return None if marks_of(message) is None else frozenset()


def _readable(block: am.ThinkingBlock) -> Any:
    if block.redacted is None:
        return block
    if not block.thinking:
        return Drop("only its own provider can read this")
    return Swap(block.evolve(redacted=None), "thinking is readable here")


def _unserved(rule: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a rule that drops what concerns a tool of the provider: the clients keep nothing of it."""

    def unserved(block: Any) -> Any:
        return Drop("the client keeps nothing of tools that a provider runs") if block.kind == "server" else rule(block)

    return unserved


def _server_result(block: am.ToolResultBlock) -> Any:
    answer = rules.server_as_text(block)
    return Drop("no place for a result here") if answer is block else answer


def _audio(block: am.AudioBlock) -> Any:
    return block if isinstance(block.source, (am.URLSource, am.Base64Source)) else rules.audio_as_text(block)


def make_caps(codec: AgentScope) -> Caps:
    """Return a capability table."""
    messages = codec.engine
    rows = _Maker(messages, codec.version)
    return Caps(
        messages={
            **{role: rows.row(role) for role in ("user", "assistant", "system", "tool")},
            "developer": rows.row("system", otherwise=rules.role_rule("system")),
            **rules.other_rows(messages.family, messages.message_of),
        },
        history=codec.containers.cells(),
        # Requests are sorted before a message may be split between them and their calls.
        arrange=(behind_calls(messages.family), restructure.split_results),
        needs_id=natives.lacks_id(messages.family),
        unsent=UNSENT if messages.family == FAMILY else (),
    )
