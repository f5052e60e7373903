"""Compiled predicates: they agree with the table, and call a rule or cell only if its table requires it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from agentmsg import (
    DataBlock,
    History,
    Msg,
    NativeBlock,
    RefusalBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    codec_names,
    get_codec,
)
from agentmsg.fitting.compiled import compile_caps, loop_source
from agentmsg.formats.capabilities import ANY_ROLE, KEEP, Caps, MessageRow, Row, Usual, usually
from agentmsg.formats.restructure import split_results
from agentmsg.model.construction import absent_values
from agentmsg.model.generated import MADE_KINDS
from agentmsg.testing import histories

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from agentmsg.formats.codec import Codec

_TEXT = Row({"text": KEEP})


def _plain(role: Any, *blocks: Any, **fields: Any) -> Msg:
    given: dict[str, Any] = {"id": None, "created_at": None, **fields}
    return Msg(role=role, content=blocks, **given)


def _carrying(caps: Caps) -> Callable[[Sequence[Msg]], bool]:
    """Return the function that checks whether all messages are supported unchanged."""
    misfit = compile_caps(caps)
    return lambda messages: misfit(messages) < 0


def _noting(asked: list[Any]) -> Callable[[Any], Any]:
    def rule(obj: Any) -> Any:
        asked.append(obj)
        return obj

    return rule


def test_misfits_are_found_one_after_the_other() -> None:
    """From an index on it finds the next unsupported message, and -1 if there is none."""
    misfit = compile_caps(Caps(messages={"user": MessageRow(blocks={TextBlock: _TEXT})}))
    good, bad = _plain("user", TextBlock("x")), _plain("user", RefusalBlock("no"))
    messages = [good, bad, good, bad]
    assert [misfit(messages, start) for start in range(5)] == [1, 1, 3, 3, -1]


def test_the_loop_can_be_read() -> None:
    """The source of the loop is plain Python, and has the usual roles and blocks inline."""
    caps = Caps(messages={"user": MessageRow(blocks={TextBlock: _TEXT}), "judge": MessageRow(fields={"name": KEEP})})
    text, scope = loop_source(caps)
    head = "def misfit(messages, start=0, codec=caps):\n    for index in range(start, len(messages)):\n"
    assert text.startswith(head)
    assert "        if fits is caps or fits is codec:\n            continue\n" in text
    assert "        if role == 'user':\n            if not (\n                bare or (\n" in text
    assert "and message.model is None\n" in text
    assert "if kind is TextBlock:" in text
    assert "judge" not in text
    assert set(scope["by_role"]) == {"judge"}


@pytest.mark.parametrize(
    ("message", "carried"),
    [
        (_plain("user", TextBlock("x")), True),
        (_plain("user", TextBlock("x", phase="final")), False),
        (_plain("user", TextBlock("x"), RefusalBlock("no")), False),
        (_plain("user", model="m"), False),
        (_plain("judge", TextBlock("x"), name="n"), True),
        (_plain("judge", TextBlock("x"), id="a"), False),
        (_plain("tool", ToolResultBlock("c", [TextBlock("x")])), True),
        (_plain("tool", ToolResultBlock("c", [DataBlock(1)])), False),
        (_plain("tool", ToolResultBlock(None)), False),
        (_plain("tool", ToolResultBlock("c", kind="server")), False),
        (_plain("tool"), False),
        (_plain("tool", ToolResultBlock("c"), ToolResultBlock("d")), False),
        (_plain("tool", TextBlock("x")), False),
        (_plain("assistant", ToolUseBlock("c", "f")), True),
        (_plain("assistant", ToolUseBlock(None, "f")), False),
        (_plain("assistant", ToolResultBlock("c", kind="server")), True),
        (_plain("assistant", ToolResultBlock("c")), False),
    ],
)
def test_the_loop_says_what_the_table_says(message: Msg, carried: bool) -> None:
    """Roles and blocks inline or not, results inside and outside, ids and normal form all count."""
    call = Row({"id": KEEP, "name": KEEP, "input": KEEP})
    caps = Caps(
        messages={
            "user": MessageRow(blocks={TextBlock: _TEXT}),
            "assistant": MessageRow(
                blocks={ToolUseBlock: call, ToolResultBlock: Row({"tool_call_id": KEEP, "kind": KEEP})}
            ),
            "tool": MessageRow(
                blocks={ToolResultBlock: Row({"tool_call_id": KEEP}), TextBlock: _TEXT}, results={TextBlock: _TEXT}
            ),
            ANY_ROLE: MessageRow(fields={"name": KEEP}, blocks={TextBlock: _TEXT}),
        },
        arrange=(split_results,),
        needs_id=lambda block: (block.id if isinstance(block, ToolUseBlock) else block.tool_call_id) is None,
    )
    all_carried = _carrying(caps)
    assert all_carried([message]) is carried
    assert all_carried([_plain("user"), message]) is carried


def test_a_role_without_row_is_not_carried() -> None:
    """If a table has no row for any role, messages of unnamed roles aren't supported."""
    assert not _carrying(Caps(messages={"user": MessageRow()}))([_plain("judge")])


@pytest.mark.parametrize("name", ["id", "name"])
def test_made_texts_count_as_absent(name: str) -> None:
    """A text made by the library needs no support; a given one does."""
    all_carried = _carrying(Caps(messages={"user": MessageRow()}))
    assert all_carried([_plain("user", **{name: MADE_KINDS[name]("x")})])
    assert not all_carried([_plain("user", **{name: "x"})])


def test_rules_are_asked_where_they_are_concerned() -> None:
    """A rule that names its field or its class of blocks is called only if that is present."""
    asked: list[Any] = []
    rule = _noting(asked)
    row = Row({"text": KEEP, "phase": KEEP}, rule, concerns="phase")
    rows: dict[Any, Row] = {TextBlock: row, NativeBlock: Row({"codec": KEEP, "value": KEEP})}
    all_carried = _carrying(Caps(messages={"user": MessageRow(blocks=rows, otherwise=rule, concerns=NativeBlock)}))
    native = _plain("user", TextBlock("x"), NativeBlock("x", 1))
    final = TextBlock("x", phase="final")
    assert all_carried([_plain("user", TextBlock("x")), native, _plain("user", final)])
    assert asked == [native, final]


@pytest.mark.parametrize("concerns", [TextBlock, RefusalBlock])
def test_rules_are_asked_about_usual_blocks_too(concerns: type[Any]) -> None:
    """A rule for messages refuses those with its class of blocks, whether that is a usual one or not."""
    rows: dict[Any, Row] = {cls: Row({"text": KEEP, "refusal": KEEP}) for cls in (TextBlock, RefusalBlock)}
    row = MessageRow(blocks=rows, otherwise=lambda message: message.evolve(content=()), concerns=concerns)
    all_carried = _carrying(Caps(messages={"user": row}))
    for cls in rows:
        assert all_carried([_plain("user", cls("x"))]) is (cls is not concerns)


def test_cells_are_asked_in_unusual_cases_only() -> None:
    """A cell with a usual case is called if a value is present and the case doesn't hold; required fields too."""
    asked: list[Any] = []

    @usually("value in known", known=("a",))
    def cell(value: Any, _: Any) -> Any:
        asked.append(value)
        return value if value == "b" else None

    rows: dict[Any, Row] = {TextBlock: Row({"text": cell})}
    all_carried = _carrying(Caps(messages={"user": MessageRow(fields={"name": cell}, blocks=rows)}))
    answers = {name: all_carried([_plain("user", TextBlock(name), name=name)]) for name in ("a", "b", "c")}
    assert answers == {"a": True, "b": True, "c": False}
    assert all_carried([_plain("user", TextBlock("a"))])
    assert asked == ["b", "b", "c"]


@pytest.mark.parametrize(
    "name", ["known", "kind", "role", "message", "block", "index", "found", "found_here", "TextBlock"]
)
def test_names_of_one_case_mean_nothing_to_another(name: str) -> None:
    """A case may call its values what the source calls its variables, or what another case assigns."""
    cells = {
        "name": usually(f"value in {name}", **{name: ("a",)})(lambda value, _: None),
        "id": usually("(found := value) == 'i'")(lambda value, _: None),
        "recipient": usually("(kind := value) == 'r' and owner.role != 'kind'")(lambda value, _: None),
    }
    rows: dict[Any, Row] = {TextBlock: Row({"text": cells["name"]}), RefusalBlock: Row({"refusal": cells["id"]})}
    all_carried = _carrying(Caps(messages={"user": MessageRow(fields=cells, blocks=rows)}))
    whole = _plain("user", TextBlock("a"), RefusalBlock("i"), name="a", id="i", recipient="r")
    assert all_carried([whole])
    changes: tuple[Any, ...] = ({"name": "i"}, {"id": "r"}, {"recipient": "a"}, {"content": (TextBlock("i"),)})
    for changed in changes:
        assert not all_carried([whole.evolve(**changed)])


def test_messages_remember_that_they_are_carried() -> None:
    """A message found to be supported isn't tested again, but later ones are; another table tests for itself."""
    asked: list[Any] = []
    row = MessageRow(otherwise=_noting(asked))
    one, other = (_carrying(Caps(messages={"user": row})) for _ in range(2))
    messages = [_plain("user"), _plain("user", name="n"), _plain("user")]
    assert one(messages[:1])
    assert one(messages[:1])
    assert asked == messages[:1]
    assert not one(messages)
    assert other(messages[:1])
    assert asked == [messages[0], messages[0]]


# -- promises of tables -----------------------------------------------------------------------------------------------


def _blocks(message: Msg, row: MessageRow) -> Iterator[tuple[Any, Row]]:
    for block in message.content:
        if type(block) in row.blocks:
            yield block, row.blocks[type(block)]
        inner = row.blocks if row.results is None else row.results
        for item in block.content if isinstance(block, ToolResultBlock) else ():
            if type(item) in inner:
                yield item, inner[type(item)]


def _absent(owner: object) -> dict[str, Any]:
    kind: type = type(owner)
    return absent_values(kind)


def _keeps_promise(cell: Any, value: Any, owner: Any) -> bool:
    if not isinstance(cell, Usual):
        return True
    holds = eval(cell.case, {**cell.names, "value": value, "owner": owner})  # noqa: S307 - an expression of our own
    return not holds or cell(value, owner) is value


def _broken(owner: Any, row: Row | MessageRow) -> list[str]:
    absent = _absent(owner)
    values = {name: getattr(owner, name) for name in row.fields if hasattr(owner, name)}
    present = {name: value for name, value in values.items() if name not in absent or value != absent[name]}
    return [name for name, value in present.items() if not _keeps_promise(row.fields[name], value, owner)]


@pytest.mark.parametrize("codec", [get_codec(name) for name in codec_names()], ids=lambda codec: codec.name)
@given(history=histories())
def test_tables_keep_their_promises(codec: Codec, history: History) -> None:
    """In its usual case a cell returns its value, and a rule an object that doesn't concern it."""
    for message in history:
        row = codec.caps.row(message.role)
        if row is None:
            continue
        assert not _broken(message, row)
        classes = row.concerned
        if classes and row.otherwise is not None and not any(type(block) in classes for block in message.content):
            assert row.otherwise(message) is message
        for block, of_block in _blocks(message, row):
            assert not _broken(block, of_block)
            concerns = (of_block.concerns,) if isinstance(of_block.concerns, str) else of_block.concerns
            if concerns is not None and all(getattr(block, name) == _absent(block)[name] for name in concerns):
                assert of_block.otherwise is not None
                assert of_block.otherwise(block) is block


def test_a_rule_of_messages_is_asked_once_for_all_blocks_that_it_concerns() -> None:
    """It examines the whole message: called for each block, it would take quadratic time for a long message."""
    asked: list[Any] = []
    row = MessageRow(
        blocks={TextBlock: _TEXT, DataBlock: Row({"data": KEEP})}, otherwise=_noting(asked), concerns=DataBlock
    )
    carried = _carrying(Caps(messages={"user": row, "x": row}))
    for role in ("user", "x"):
        asked.clear()
        messages = [_plain(role, TextBlock("x"), *[DataBlock({"a": 1})] * 50) for _ in range(2)]
        assert carried(messages)
        assert asked == messages
