"""All forms of content parts: their order and marks, the blocks that each describes, quick readers of usual parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import Native, Unreadable, is_object, speed
from agentmsg.formats.forms import Hatch, Key, Spread, Wrapped
from agentmsg_codecs.langchain.blocks.dialects import DIALECTS, NESTED, REASONING
from agentmsg_codecs.langchain.blocks.javascript import JAVASCRIPT
from agentmsg_codecs.langchain.blocks.v1_forms import FORMS
from agentmsg_codecs.langchain.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats.forms import Form

RESULT = "server_tool_result"
# By form, the mark of its blocks, if its own notes don't say it.
MARKS = {
    "text": "annotations", "invalid_tool_call": "invalid_tool_call",
    "server_tool_call_chunk": "server_tool_call_chunk", "server_tool_call": "server_tool_call",
}  # fmt: skip
# Parts are tried in this order: forms that their keys alone don't identify come last.
ALL_FORMS = tuple(
    # The caller of a reader has already called ``fits``.
    form.evolve(is_asked=True)
    for form in (*REASONING, *JAVASCRIPT, *FORMS, *DIALECTS)
)
V1_OF_TAG = {form.tag: [(other.fits, other.name) for other in FORMS if other.tag == form.tag] for form in FORMS}
OF_V1 = frozenset({RESULT, *(form.name for form in FORMS)})
Entry: TypeAlias = "tuple[Callable[[Any], bool] | None, str]"


# -- the blocks of a form ---------------------------------------------------------------------------------------------


def is_of(form: Form) -> Callable[[Any], bool] | None:
    """Return the test of blocks that are usually written in a form; None for all of its class."""
    fixed, when = tuple(form.fixed.items()), form.when
    if not fixed:
        return when

    def test(block: Any) -> bool:
        for name, value in fixed:
            if getattr(block, name) != value:
                return False
        return when is None or when(block)

    return test


def _says_all_within(item: Key | Spread) -> Callable[[Any], bool]:
    """Return the test whether an item says all of the object inside a block, if there is one."""
    value: Any = item if isinstance(item, Spread) else item.value
    fields = [name for key in item.items for name in key.fields] if isinstance(item, Spread) else [value.field]
    says_all, field = speed.says_only(value.cls, *fields, **value.fixed), item.fields[0]
    return lambda block: (inner := getattr(block, field)) is None or says_all(inner)


def says_all_of(form: Form) -> Callable[[Any], bool]:
    """Return the test of blocks that a form describes completely."""
    cls: Any = form.cls
    fields = {"extras", *form.fixed}
    spaces = {FAMILY, NESTED}
    within = list[Any]()
    for item in form.items:
        if isinstance(item, Spread) or (isinstance(item, Key) and isinstance(item.value, Wrapped)):
            within.append(_says_all_within(item))
        fields.update(item.cells if isinstance(item, Hatch) else getattr(item, "fields", ()))
        if isinstance(item, Hatch):
            spaces.update(item.spaces)
    if "input" in fields:
        fields.add("raw_input")
    says_only_these, test = speed.says_only(cls, "cache", *fields), is_of(form)

    def says_all(block: Any) -> bool:
        if not says_only_these(block):
            return False
        for inner in within:
            if not inner(block):
                return False
        if test is not None and not test(block):
            return False
        if not block.extras:
            return True
        return bool(block.extras.keys() <= spaces)

    return says_all


# -- usual parts ------------------------------------------------------------------------------------------------------

# By tag, the class of parts that have a quick reader.
QUICK: Mapping[str, type[Any]] = {
    "text": am.TextBlock, "reasoning": am.ThinkingBlock, "image": am.ImageBlock, "audio": am.AudioBlock,
    "video": am.VideoBlock, "file": am.FileBlock, "thinking": am.ThinkingBlock, "image_url": am.ImageBlock,
    "tool_use": am.ToolUseBlock,
}  # fmt: skip
_MOST_KEYS = 4
# The keys that such parts must not have.
_NOT_QUICK = frozenset(
    {"annotations", "cache_control", "caller", "citations", "filename", "metadata", "source", "summary", "toolset_name"}
)


def quick_reader(tag: str, read: Callable[[Native], Any]) -> Callable[[Native], Any]:
    """Return the reader of parts with nothing but texts, apart from the input of calls; it returns None for others."""

    def quick(part: Native) -> Any:
        if len(part) > 2:  # noqa: PLR2004 - the tag, and its only text
            if len(part) > _MOST_KEYS or not _NOT_QUICK.isdisjoint(part):
                return None
            extras: Any = part.get("extras")
            if extras is not None and (tag != "reasoning" or not is_object(extras) or len(extras) > 1):
                return None
        try:
            block = read(part)
        except (Unreadable, AgentMsgError):
            return None
        note = block.notes[FAMILY] if block.notes else None
        if block.extras or (note and (len(note) > 1 or "/shape" not in note)):
            return None
        return None if tag == "tool_use" and block.id is None else block

    return quick
