"""Capability tables compiled into predicates: "is this message carried as it is?", in about half a microsecond.

The source of each predicate is plain Python, made of the table's own names: print ``source(...)`` to read it.
Imports caps and the model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from agentmsg._base import BaseBlock
from agentmsg._fast import absent_values
from agentmsg.arrange import is_normal, split_results
from agentmsg.blocks import NativeBlock, ToolResultBlock, ToolUseBlock
from agentmsg.caps import ANY_ROLE, KEEP, Caps, Cell, MessageRow, Row
from agentmsg.made import Made, MadeTime
from agentmsg.msg import Msg

__all__ = ["compile_caps", "source"]

_Predicate = Callable[[Any], bool]


def source(cls: type, cells: Mapping[str, Cell], skipped: frozenset[str] = frozenset()) -> tuple[str, dict[str, Any]]:
    """Return the source of the predicate for one class's fields, and the values that it names."""
    scope: dict[str, Any] = {"Made": Made, "MadeTime": MadeTime}
    absent = absent_values(cls)
    tests: list[str] = []
    for field in attrs.fields(cls):
        name = field.alias or field.name
        cell = cells.get(name)
        if name == "notes" or name in skipped or not field.init or cell is KEEP:
            continue
        test = _absent_test(name, absent, scope)
        if cell is None and cls is ToolUseBlock and name == "raw_input":
            test = f"({test} or o.significant_text is None)"
        elif cell is not None:
            scope[f"cell_{name}"] = cell
            carried = f"cell_{name}(o.{name}, o) is o.{name}"
            test = f"({test} or {carried})" if test else carried
        tests.append(test or "False")
    return "lambda o: " + (" and ".join(tests) or "True"), scope


def _absent_test(name: str, absent: Mapping[str, Any], scope: dict[str, Any]) -> str:
    if name not in absent:
        return ""
    value = absent[name]
    if value is None:
        made = f" or type(o.{name}) is Made" if name in {"id", "tool_call_id", "item_id"} else ""
        made = f" or type(o.{name}) is MadeTime" if name == "created_at" else made
        return f"(o.{name} is None{made})" if made else f"o.{name} is None"
    if not value and isinstance(value, (Mapping, tuple)):
        return f"not o.{name}"
    scope[f"absent_{name}"] = value
    return f"o.{name} == absent_{name}"


class _ByClass(dict[type, "_Predicate"]):
    """Predicates by block class; those of classes that are met later are compiled when they come."""

    def __init__(
        self, rows: Mapping[type[BaseBlock], Row], inner: _ByClass | None, needs_id: Any, only: str = ""
    ) -> None:
        super().__init__()
        self._rows, self._inner, self._needs_id, self._only = rows, inner, needs_id, only

    def __missing__(self, cls: type) -> _Predicate:
        row = self._rows.get(cls) or (self._rows.get(BaseBlock) if cls is not NativeBlock else None)
        predicate = _never if row is None else self._make(cls, row)
        self[cls] = predicate
        return predicate

    def _make(self, cls: type, row: Row) -> _Predicate:
        text, scope = source(cls, row.fields, frozenset({"content"}) if cls is ToolResultBlock else frozenset())
        if row.otherwise is not None:
            scope["rule"] = row.otherwise
            text += " and rule(o) is o"
        if cls is ToolResultBlock:
            # A table that has compiled nothing yet is empty, and so falsy.
            inner = self if self._inner is None else self._inner

            def all_carried(content: Sequence[BaseBlock]) -> bool:
                for item in content:
                    if not inner[type(item)](item):
                        return False
                return True

            scope["inner"] = all_carried
            text += " and (not o.content or inner(o.content))" + self._only
        if self._needs_id is not None and cls in (ToolUseBlock, ToolResultBlock):
            scope["needs"] = self._needs_id
            text += " and not needs(o)"
        predicate: _Predicate = eval(text, scope)  # noqa: S307 - the source is made of our own field names
        return predicate


def _never(_: Any) -> bool:
    return False


_CARRIED = """
def carried(o):
    if not ({fields}):
        return False
    for block in o.content:
        if not blocks[type(block)](block):
            return False
    return {rest}
"""


def _message(role: str, row: MessageRow, caps: Caps) -> Callable[[Msg], bool]:
    """Compile the row of a role; in normal form, which other messages hold no client's result, as the rows see to."""
    normal = split_results in caps.arrange
    only = "" if not normal else " and o.kind != 'server'" if role == "tool" else " and o.kind == 'server'"
    results = _ByClass(row.blocks if row.results is None else row.results, None, caps.needs_id)
    blocks = _ByClass(row.blocks, results, caps.needs_id, only)
    text, scope = source(Msg, row.fields, frozenset({"role", "content"}))
    scope |= {"blocks": blocks, "rule": row.otherwise, "is_normal": is_normal, "Result": ToolResultBlock}
    rest = ["is_normal(o)"] if normal and role == ANY_ROLE else []
    rest += ["len(o.content) == 1 and isinstance(o.content[0], Result)"] if normal and role == "tool" else []
    rest += ["rule(o) is o"] if row.otherwise is not None else []
    exec(_CARRIED.format(fields=text.removeprefix("lambda o: "), rest=" and ".join(rest) or "True"), scope)
    carried: Callable[[Msg], bool] = scope["carried"]
    return carried


def compile_caps(caps: Caps) -> Callable[[Msg], bool]:
    """Return the predicate that tells whether a message is carried as it is."""
    by_role = {role: _message(role, row, caps) for role, row in caps.messages.items()}
    others = by_role.get(ANY_ROLE, _never)
    get, remember = by_role.get, object.__setattr__

    def carried(message: Msg) -> bool:
        # Messages never change, and a history that grows is fitted again and again: each remembers the answer.
        if message._fits is caps:  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
            return True
        if get(message.role, others)(message):
            remember(message, "_fits", caps)
            return True
        return False

    return carried
