"""Capability tables compiled into one function: "are these messages kept as they are?", in a third of a microsecond.

The source is plain Python that uses the table's own names: print ``source(...)`` for the tests of one class, or
``loop_source(caps)[0]`` for the whole. Calls and lookups cost the most time, so the loop over the messages has the
tests of the common roles and block classes inline. All others have a function each, made when first needed. For bare
messages (agentmsg.formats.plain_messages) only what they may hold is tested.

Many recorded conversations name the tool in each result, and in its call. ``fits_with_names`` finds that a reader
derives these names; to remove each one, as ``fit`` does if something else changes, would take half of a conversion.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from agentmsg.formats.capabilities import ANY_ROLE, KEEP, Caps, Cell, MessageRow, Row, Usual
from agentmsg.formats.plain_messages import ANSWER, BARE_FIELDS, SAID, how_bare
from agentmsg.formats.restructure import is_normal, split_results
from agentmsg.model.base import BaseBlock
from agentmsg.model.blocks import ImageBlock, NativeBlock, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from agentmsg.model.construction import absent_values
from agentmsg.model.equality import flags_of
from agentmsg.model.generated import MADE_KINDS, MadeName, is_made
from agentmsg.model.msg import Msg
from agentmsg.model.tool_arguments import SAYS_NO_MORE
from agentmsg.model.tool_links import CallNames

if TYPE_CHECKING:
    from collections.abc import Sequence

_Predicate: TypeAlias = Callable[[Any], bool]
# A name: no attribute, and no word in quotes.
_NAME = re.compile(r"""(?<![\w.'"])[A-Za-z_]\w*(?![\w'"])""")
_ASSIGNED = re.compile(r"([A-Za-z_]\w*) *:=")
# The variables of the source, and how those end that a case assigns: no value has such a name.
_HERE = "_here"
_OWN = {"bare", "block", "index", "is_asked", "item", "kind", "message", "messages", "role", "start", "value"}
_CLIENTS = "kind != 'server'"
# The roles and block classes whose tests are inline in the loop, the most common first.
_IN_LINE: Mapping[str, tuple[type[BaseBlock], ...]] = {
    "assistant": (TextBlock, ToolUseBlock, ThinkingBlock),
    "tool": (ToolResultBlock,),
    "user": (TextBlock, ImageBlock),
}
_LINKS: Mapping[type, str] = {ToolUseBlock: "id", ToolResultBlock: "tool_call_id"}
_REMEMBER: Callable[[Msg, object], None] = vars(Msg)["_fits"].__set__  # past the frozen class's own __setattr__


# -- the tests of one object ------------------------------------------------------------------------------------------


class _Scope(dict[str, Any]):
    """The values that a source refers to."""

    def bind(self, name: str, value: Any) -> str:
        """Return a name for a value: this one, or a numbered one if the name is taken."""
        unique, number = name, 1
        while unique in _OWN or unique.endswith(_HERE) or self.setdefault(unique, value) is not value:
            number += 1
            unique = f"{name}_{number}"
        return unique


def _new_scope() -> _Scope:
    return _Scope({kind.__name__: kind for kind in MADE_KINDS.values()})


def source(cls: type, cells: Mapping[str, Cell], skipped: frozenset[str] = frozenset()) -> tuple[str, dict[str, Any]]:
    """Return the source of the predicate for one class's fields, and the values that it refers to."""
    scope = _new_scope()
    return "lambda o: " + (" and ".join(_tests("o", cls, cells, scope, skipped=skipped)) or "True"), scope


def _tests(
    o: str,
    cls: type,
    cells: Mapping[str, Cell],
    scope: _Scope,
    *,
    skipped: frozenset[str],
    prefix: str = "cell",
    present: frozenset[str] | None = None,
) -> list[str]:
    """Return the conditions on the fields of an object, which the source calls ``o``.

    Args:
        o: the object's name.
        cls: its class.
        cells: of its row.
        scope: the values that the source refers to.
        skipped: fields that are tested elsewhere.
        prefix: for the names of cells.
        present: the fields that a bare object may have, if it is one; None: it is any object.
    """
    # False is absent where it means the same as None.
    absent = absent_values(cls) | dict.fromkeys(flags_of(cls), False)
    tests: list[str] = []
    for field in attrs.fields(cls):
        name = field.alias or field.name
        cell = cells.get(name)
        if name == "notes" or name in skipped or not field.init or cell is KEEP:
            continue
        if present is not None and (name not in present or (name == "raw_input" and _takes_no_more(cell))):
            continue
        if cell is None:
            test = _absent_test(name, absent[name], f"{o}.{name}", scope) if name in absent else "False"
            unsaid = f" or {o}.significant_text is None" if cls is ToolUseBlock and name == "raw_input" else ""
            tests.append(f"({test}{unsaid})" if " or " in test + unsaid else test)
            continue
        read = f"{o}.{name}"
        carried = f"{scope.bind(f'{prefix}_{name}', cell)}({read}, {o}) is {read}"
        if isinstance(cell, Usual):
            read, usual = f"(value := {read})", _case(cell, scope, o)
            carried = (
                f"({usual}) or {carried}" if name in absent else f"(({read} is not None and {usual}) or {carried})"
            )
        tests.append(f"({_absent_test(name, absent[name], read, scope)} or {carried})" if name in absent else carried)
    return tests


def _takes_no_more(cell: Cell | None) -> bool:
    """Whether a cell of ``raw_input`` accepts any text that says no more than the input."""
    return cell is None or (isinstance(cell, Usual) and cell.case == SAYS_NO_MORE)


def _case(cell: Usual, scope: _Scope, owner: str) -> str:
    """Return the expression of a common case, with its names, and those that it assigns, replaced by the source's."""
    names = {"owner": owner, **{name: scope.bind(name, value) for name, value in cell.names.items()}}
    names |= {name: f"{name}{_HERE}" for name in _ASSIGNED.findall(cell.case)}
    return _NAME.sub(lambda word: names.get(word[0], word[0]), cell.case)


def _absent_test(name: str, absent: Any, read: str, scope: _Scope) -> str:
    """Return the test for "absent"."""
    if absent is None:
        if name == "created_at":
            return f"{read} is None or {scope.bind('is_made', is_made)}({read})"
        made = MADE_KINDS.get(name)
        return f"{read} is None or type({read}) is {made.__name__}" if made else f"{read} is None"
    if not absent and isinstance(absent, (Mapping, tuple, bool)):
        return f"not {read}"
    return f"{read} == {absent!r}" if isinstance(absent, str) else f"{read} == {scope.bind(f'absent_{name}', absent)}"


# -- blocks -----------------------------------------------------------------------------------------------------------


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _unless(tests: list[str], of_bare: list[str] | None = None) -> list[str]:
    """Return the lines that return "no" if one of the tests fails.

    Args:
        tests: those for any object.
        of_bare: those for an object in a bare message, if the source knows ``bare``; None if it doesn't.
    """
    if not tests:
        return []
    joined = _all(tests)
    if of_bare is not None:
        before = ["(", *_indented(_all(of_bare)), ") if bare else ("] if of_bare else ["bare or ("]
        joined = [*before, *_indented(joined), ")"]
    return ["if not (", *_indented(joined), "):", "    return False"]


def _all(tests: list[str]) -> list[str]:
    return [tests[0], *(f"and {test}" for test in tests[1:])]


class _ByClass(dict[type, "_Predicate"]):
    """Predicates by block class; for classes met later they are compiled then.

    Args:
        rows: of the capability table.
        inner: the predicates of the blocks inside results; None: the same ones.
        needs_id: of the capability table.
        only: an additional test for results.
    """

    def __init__(
        self, rows: Mapping[type[BaseBlock], Row], inner: _ByClass | None, needs_id: Any, only: str = ""
    ) -> None:
        super().__init__()
        self._rows, self._needs_id, self._only = rows, needs_id, only
        # A table that has compiled nothing yet is empty, and so falsy.
        self._inner = self if inner is None else inner

    def __missing__(self, cls: type) -> _Predicate:
        scope = _new_scope()
        lines = self.lines("block", cls, scope)
        predicate = _never if lines is None else _compiled("carried", _function("carried", "block", lines), scope)
        self[cls] = predicate
        return predicate

    def lines(self, block: str, cls: type, scope: _Scope, *, knows_bare: bool = False) -> list[str] | None:
        """Return the lines that return "no" if a block of a class isn't supported; None if such a block never is.

        Args:
            block: the block's name.
            cls: the class.
            scope: the values that the source refers to.
            knows_bare: whether the lines are in the test of a message, where ``bare`` is known.
        """
        row = self._rows.get(cls) or (self._rows.get(BaseBlock) if cls is not NativeBlock else None)
        if row is None:
            return None
        of_bare = self.tests_of_bare(block, cls, row, scope) if knows_bare else None
        tests = _unless(self._block_tests(block, cls, row, scope), of_bare)
        if cls is not ToolResultBlock:
            return tests
        inner = _class_lines("item", self._inner, scope, in_line=(TextBlock,), knows_bare=knows_bare)
        return [*tests, *_content_lines(block, "item", inner)]

    def tests_of_bare(self, block: str, cls: type, row: Row, scope: _Scope | None = None) -> list[str] | None:
        """Return the tests of a block in a bare message; None if no bare message holds such a block."""
        present = BARE_FIELDS.get(cls)
        if present is None:
            return None
        return self._block_tests(block, cls, row, _new_scope() if scope is None else scope, present=present)

    def _block_tests(
        self, block: str, cls: type, row: Row, scope: _Scope, *, present: frozenset[str] | None = None
    ) -> list[str]:
        skipped = frozenset({"content"}) if cls is ToolResultBlock else frozenset[str]()
        tests = _tests(block, cls, row.fields, scope, skipped=skipped, prefix=cls.__name__, present=present)
        if row.otherwise is not None:
            tests += _rule_tests(block, cls, row, scope, present=present)
        if present is not None and self._only in ("", _CLIENTS):
            return tests  # bare messages hold client calls, which have ids
        if issubclass(cls, ToolResultBlock) and self._only and ("kind" in row.fields or self._only != _CLIENTS):
            tests.append(f"{block}.{self._only}")
        if self._needs_id is not None and cls in _LINKS:
            # Only what has no id can need one.
            tests.append(
                f"({block}.{_LINKS[cls]} is not None or not {scope.bind('needs_id', self._needs_id)}({block}))"
            )
        return tests


def _rule_tests(block: str, cls: type, row: Row, scope: _Scope, *, present: frozenset[str] | None) -> list[str]:
    """Return the test for a block's rule, if something that concerns the rule may be there."""
    concerns = (row.concerns,) if isinstance(row.concerns, str) else row.concerns
    asked = f"{scope.bind(f'{cls.__name__}_rule', row.otherwise)}({block}) is {block}"
    if concerns is None:
        return [asked]
    absent = absent_values(cls)
    fields = [name for name in concerns if present is None or name in present]
    none_there = " and ".join(f"({_absent_test(name, absent[name], f'{block}.{name}', scope)})" for name in fields)
    return [f"({none_there} or {asked})"] if fields else []


def _content_lines(owner: str, block: str, lines: list[str]) -> list[str]:
    return [f"for {block} in {owner}.content:", *_indented(lines)]


def _class_lines(
    block: str, table: _ByClass, scope: _Scope, *, in_line: Iterable[type], refused: str = "", knows_bare: bool = True
) -> list[str]:
    """Return the lines for one block: some classes are tested inline, the others by the table.

    ``refused`` is an expression that ends in "or", or empty; it names blocks to refuse among the others. The source may
    know whether the message is ``bare``.
    """
    known = scope.bind(f"{block}s", table)
    branches: list[str] = []
    for cls in in_line:
        lines = table.lines(block, cls, scope, knows_bare=knows_bare)
        if lines is not None:
            branches += [f"{'elif' if branches else 'if'} kind is {scope.bind(cls.__name__, cls)}:"]
            branches += _indented(lines or ["pass"])
    branches += [f"{'elif' if branches else 'if'} {refused}not {known}[kind]({block}):", "    return False"]
    return [f"kind = {block}.__class__", *branches]


def _never(_: Any) -> bool:
    return False


def _compiled(name: str, text: str, scope: Mapping[str, Any]) -> Any:
    # A real dict: Python looks names up ten times as slowly in another kind of mapping.
    names = dict(scope)
    exec(text, names)
    return names[name]


def _function(name: str, parameter: str, lines: list[str]) -> str:
    return "\n".join([f"def {name}({parameter}):", *_indented([*lines, "return True"]), ""])


# -- messages ---------------------------------------------------------------------------------------------------------


def _message_lines(role: str, row: MessageRow, caps: Caps, scope: _Scope) -> list[str]:
    """Return the lines that return "no" if a message of a role isn't supported.

    Assumes normal form, in which other messages hold no client results; the rows ensure it.
    """
    normal = split_results in caps.arrange
    only = "" if not normal else _CLIENTS if role == "tool" else "kind == 'server'"
    results = _ByClass(row.blocks if row.results is None else row.results, None, caps.needs_id)
    blocks = _ByClass(row.blocks, results, caps.needs_id, only)
    word = role if role.isidentifier() else "any"
    told = frozenset({"role", "content"})
    tests = _tests("message", Msg, row.fields, scope, skipped=told, prefix=word)
    of_bare: list[str] = []
    in_line = tuple(cls for cls in _IN_LINE.get(role, (TextBlock,)) if cls not in (row.concerned or ()))
    refused, once = "", list[str]()
    if row.otherwise is not None:
        rule = scope.bind(f"{word}_rule", row.otherwise)
        if row.concerned is None:
            of_bare.append(f"{rule}(message) is message")
        else:
            concerned = " or ".join(f"kind is {scope.bind(cls.__name__, cls)}" for cls in row.concerned)
            # It looks at the whole message, so it is called once for all its blocks.
            once = ["is_asked = False"]
            asked = f"not is_asked and (is_asked := True) and {rule}(message) is not message"
            refused = f"(({concerned}) and {asked}) or "
    if normal and role == ANY_ROLE:
        of_bare.append(f"{scope.bind('is_normal', is_normal)}(message)")
    alone = normal and role == "tool"
    if alone:
        of_bare.append("len(message.content) == 1")
        refused += f"not isinstance(block, {scope.bind('ToolResultBlock', ToolResultBlock)}) or "
    lines = _class_lines("block", blocks, scope, in_line=in_line, refused=refused)
    lines = ["block = message.content[0]", *lines] if alone else _content_lines("message", "block", lines)
    return [*_unless(tests + of_bare, of_bare), *once, *lines]


def _keeps_said(role: str, row: MessageRow, caps: Caps) -> bool:
    """Whether every message of a role that is one bare text is kept as it is."""
    if role in ("tool", ANY_ROLE) or (
        row.otherwise is not None and (row.concerned is None or TextBlock in row.concerned)
    ):
        return False
    text = row.blocks.get(TextBlock) or row.blocks.get(BaseBlock)
    return text is not None and not _ByClass(row.blocks, None, caps.needs_id).tests_of_bare("", TextBlock, text)


def _answer_lines(caps: Caps, scope: _Scope) -> list[str]:
    """Return the lines that pass a message of one bare result with one text, if that needs few tests."""
    row = caps.messages.get("tool")
    if row is None or row.otherwise is not None:
        return []
    result = row.blocks.get(ToolResultBlock) or row.blocks.get(BaseBlock)
    inner = row.blocks if row.results is None else row.results
    text = inner.get(TextBlock) or inner.get(BaseBlock)
    if result is None or text is None or _ByClass(inner, None, caps.needs_id).tests_of_bare("", TextBlock, text):
        return []
    tests = _ByClass(row.blocks, None, caps.needs_id, _CLIENTS).tests_of_bare("block", ToolResultBlock, result, scope)
    head = f"if bare >= {ANSWER} and role == 'tool':"
    if not tests:
        return [head, "    continue"]
    return [head, *_indented(["block = message.content[0]", "if (", *_indented(_all(tests)), "):", "    continue"])]


def loop_source(caps: Caps) -> tuple[str, dict[str, Any]]:
    """Return the source of the function that ``compile_caps`` returns, and the values that it refers to."""
    scope = _new_scope()
    by_role: dict[str, _Predicate] = {}
    branches: list[str] = []
    for role in (*_IN_LINE, *(role for role in caps.messages if role not in _IN_LINE)):
        if role not in caps.messages:
            continue
        if role in _IN_LINE:
            branches.append(f"{'elif' if branches else 'if'} role == {role!r}:")
            branches += _indented(_message_lines(role, caps.messages[role], caps, scope))
        else:
            own = _new_scope()
            lines = ["bare = message._bare", *_message_lines(role, caps.messages[role], caps, own)]
            by_role[role] = _compiled("carried", _function("carried", "message", lines), own)
    scope |= {"by_role": by_role, "others": by_role.get(ANY_ROLE, _never)}
    branches += [f"{'elif' if branches else 'if'} not by_role.get(role, others)(message):", "    return False"]
    # Messages never change, and a history that grows is fitted again and again: each message remembers the result. Bare
    # ones don't: testing them again takes hardly longer than remembering.
    scope |= {"caps": caps, "remember": _REMEMBER}
    said = scope.bind("said", frozenset(role for role, row in caps.messages.items() if _keeps_said(role, row, caps)))
    # So does what this codec has read. But a result's name may fit only behind its call, which it may have lost since.
    is_unnamed = _absent_test("name", None, "message.content[0].name", scope)
    is_read = f"fits is codec and (role != 'tool' or {is_unnamed})" if caps.derives_names else "fits is codec"
    known = [
        "message = messages[index]",
        "role, bare = message.role, message._bare",
        f"if bare == {SAID} and role in {said}:",
        "    continue",
        *_answer_lines(caps, scope),
        "fits = message._fits",
        f"if fits is caps or {is_read}:",
        "    continue",
    ]
    tests = [line.replace("return False", "return index") for line in branches]
    body = _indented([*known, *tests, "if not bare:", "    remember(message, caps)"])
    lines = ["for index in range(start, len(messages)):", *body, "return -1"]
    return "\n".join(["def misfit(messages, start=0, codec=caps):", *_indented(lines), ""]), scope


def compile_caps(caps: Caps) -> Callable[..., int]:
    """Return a function that finds the next message, from an index (default: the first), that isn't kept as it is.

    The function returns that message's index, or -1 if there is none. It may get the codec to write with, too: what
    remembers that this codec read it is kept.
    """
    misfit: Callable[..., int] = _compiled("misfit", *loop_source(caps))
    return misfit


def fits_with_names(messages: Sequence[Msg], caps: Caps, start: int) -> bool:
    """Whether all messages are kept as they are, given the names that a reader derives for results.

    Args:
        messages: of a whole history.
        caps: the table.
        start: the index of the first message that isn't kept as it is if calls aren't considered.
    """
    if not caps.derives_names or messages[start].role != "tool":
        return False
    misfit = _misfit_but_for_names(caps)
    if misfit is None or misfit(messages, start) >= 0:
        return False
    return _are_derived(messages, CallNames(are_near=caps.near_names))


@lru_cache(maxsize=256)
def _misfit_but_for_names(caps: Caps) -> Callable[..., int] | None:
    """Return a function that finds unsupported messages, ignoring results' names; None if names matter."""
    of_tools = caps.messages.get("tool")
    if of_tools is None:
        return None
    row = of_tools.blocks.get(ToolResultBlock) or of_tools.blocks.get(BaseBlock)
    if row is None or "name" in row.fields:
        return None
    loose = row.evolve(fields={**row.fields, "name": KEEP})
    of_tools = of_tools.evolve(blocks={**of_tools.blocks, ToolResultBlock: loose})
    return compile_caps(caps.evolve(messages={**caps.messages, "tool": of_tools}))


def _are_derived(messages: Sequence[Msg], names: CallNames) -> bool:
    """Whether a reader that takes names from calls gives each result the name that it has."""
    for message in messages:
        if how_bare(message) == SAID:
            continue
        content = message.content
        names.enter(message)
        for block in content:
            if isinstance(block, ToolUseBlock):
                if block.kind != "server":
                    names.call(block.id, block.name)
            elif isinstance(block, ToolResultBlock):
                name, made = block.name, names.answer(block.tool_call_id) if block.kind != "server" else None
                if name is not None and type(name) is not MadeName and (name != made or len(content) > 1):
                    return False
    return True
