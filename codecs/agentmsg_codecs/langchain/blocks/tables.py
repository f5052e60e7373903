"""All forms of content parts: the order in which they are tried, their marks, and what each says all of."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from agentmsg.formats import natives, speed
from agentmsg.formats.forms import Hatch, Key, Spread, Wrapped
from agentmsg_codecs.langchain.blocks.anthropic import ANY_RESULT, OWN, TOOLS
from agentmsg_codecs.langchain.blocks.anthropic_v1 import USE
from agentmsg_codecs.langchain.blocks.dialects import DIALECTS, NESTED, SUMMARY
from agentmsg_codecs.langchain.blocks.v1_forms import FORMS
from agentmsg_codecs.langchain.names import ANTHROPIC, FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg.formats.forms import Form

RESULT = "server_tool_result"
# What a form's own notes do not say: by form, the mark of its blocks.
MARKS = {
    "cited": "citations", "text": "annotations", "invalid_tool_call": "invalid_tool_call", "used": "tool_use",
    "server_tool_call_chunk": "server_tool_call_chunk", "server_tool_call": "server_tool_call",
    "document_blocks": "document-blocks", "cited_document": "document", **dict.fromkeys(TOOLS, "tool_result"),
}  # fmt: skip
# What is read is tried in this order: what isn't told by its keys alone stands behind.
ALL_FORMS = tuple(
    # What fits is asked by who chooses among them, once.
    attrs.evolve(form, is_asked=True)
    for form in (USE, SUMMARY, *FORMS, *DIALECTS, *OWN, ANY_RESULT)
)
V1_OF_TAG = {form.tag: [(other.fits, other.name) for other in FORMS if other.tag == form.tag] for form in FORMS}
OF_V1 = frozenset({RESULT, *(form.name for form in FORMS)})
Entry: TypeAlias = "tuple[Callable[[Any], bool] | None, str]"


# -- what a form says -------------------------------------------------------------------------------------------------


def is_of(form: Form) -> Callable[[Any], bool]:
    """Return the test of blocks that are usually written in a form of v1."""
    fixed = tuple((name, value) for name, value in form.fixed.items() if name != "extras")
    when = form.when

    def test(block: Any) -> bool:
        for name, value in fixed:
            if getattr(block, name) != value:
                return False
        return when is None or when(block)

    return test


def _says_all_within(item: Key | Spread) -> Callable[[Any], bool]:
    """Return the test of blocks of which an item says all of an object inside."""
    value: Any = item if isinstance(item, Spread) else item.value
    # How the object inside was spelt elsewhere says nothing here.
    fields = [name for key in item.items for name in key.fields] if isinstance(item, Spread) else [value.field]
    told = {"notes", *fields}
    wanted = {**{name: it for name, it in speed.absent_values(value.cls).items() if name not in told}, **value.fixed}
    rest, values, field = attrgetter("notes", "extras", *wanted), tuple(wanted.values()), item.fields[0]

    def test(block: Any) -> bool:
        inner = getattr(block, field)
        return inner is None or (type(inner) is value.cls and rest(inner)[2:] == values)

    return test


def says_all_of(form: Form) -> Callable[[Any], bool]:
    """Return the test of blocks that a form says all of."""
    cls: Any = form.cls
    fields = {"notes", "extras", *form.fixed}
    spaces = {FAMILY, NESTED, *form.fixed.get("extras", ())}
    foreign, within = set[str](), list[Any]()
    for item in form.items:
        if isinstance(item, Spread) or (isinstance(item, Key) and isinstance(item.value, Wrapped)):
            within.append(_says_all_within(item))
        fields.update(item.cells if isinstance(item, Hatch) else getattr(item, "fields", ()))
        if isinstance(item, Hatch):
            spaces.update(item.spaces)
            foreign.update(item.keys if ANTHROPIC in item.spaces and not item.cells else ())
    absent = {name: value for name, value in speed.absent_values(cls).items() if name not in fields}
    if "input" in fields:
        absent.pop("raw_input", None)
    # Of a single name it would give no tuple.
    rest, wanted, test = attrgetter("cache", "notes", *absent), tuple(absent.values()), is_of(form)

    def says_all(block: Any) -> bool:
        if rest(block)[2:] != wanted:
            return False
        for inner in within:
            if not inner(block):
                return False
        if not test(block):
            return False
        if not block.extras:
            return True
        if not block.extras.keys() <= spaces:
            return False
        return not foreign or natives.extras_of(block, ANTHROPIC).keys() <= foreign

    return says_all
