"""Bare messages: those known from the start to hold nothing but words, calls, results and pictures.

Most messages of most documents have a role and some content, and none of the thirty other things that the model has a
place for. A reader that sees this from the exact keys of the native message records it on the message (``bare``). Later
users (the predicates of ``fit``, writers) then need not test each field again, which would take longer than the rest of
their work. A message is immutable, so what is true of it stays true; the constructor makes a copy with other fields,
and claims nothing.
"""

from __future__ import annotations

from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from agentmsg.model.blocks import ImageBlock, TextBlock, ToolResultBlock, ToolUseBlock
from agentmsg.model.construction import maker, nested_maker, says_only
from agentmsg.model.msg import Msg
from agentmsg.model.tool_links import name_result
from agentmsg.model.tool_use import SIMPLY
from agentmsg.values.frozen import EMPTY
from agentmsg.values.types import is_sound

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agentmsg.model.tool_links import CallNames

BARE_FIELDS: Mapping[type[Any], frozenset[str]] = MappingProxyType(
    {
        Msg: frozenset({"role", "content"}),
        TextBlock: frozenset({"text"}),
        ImageBlock: frozenset({"source"}),
        ToolUseBlock: frozenset({"id", "name", "input", "raw_input"}),
        ToolResultBlock: frozenset({"tool_call_id", "content", "name"}),
    }
)
"""The classes of what a bare message may hold, inside results too, and the fields that need not be absent.

Beyond that it is promised: there are blocks, a text that is the only one isn't empty, an image's source has no extras
and no notes, ids are plain texts, the calls are from ``make_parsed_call``, and all texts are sound. So a bare message
may be kept that was read of a document which nobody has checked: nothing else of it comes from there.
"""

BARE = 1
"""What a bare message remembers (``_bare``, else 0): that it is one."""
SAID = 2
"""Likewise: that it is one text."""
ANSWER = 3
"""Likewise: that it is one result of one text."""
NAMED = 4
"""Likewise: one result with a name that is marked, on the result: the only bare messages with a note."""

make_bare: Callable[[str, tuple[Any, ...]], Msg] = maker(Msg, "role", "content", _bare=BARE)
"""Makes a bare message of a role and a tuple of blocks, as ``maker(Msg)`` makes others."""

make_said_in: Callable[[str, tuple[TextBlock]], Msg] = maker(Msg, "role", "content", _bare=SAID)
"""Makes the bare message of a role and one text block, which isn't empty and says nothing but its words."""

make_bare_text: Callable[[str], TextBlock] = maker(TextBlock, "text")
"""Makes a text block that says nothing but its words."""

_TEXT = ("said", TextBlock, {"text": "text"})

make_said: Callable[[str, str], Msg] = nested_maker(
    "role, text", _TEXT, ("message", Msg, {"role": "role", "content": "(said,)"}), _bare=SAID
)
"""Makes the bare message of a role and one text, which isn't empty: most messages are that."""

make_answer: Callable[[str, str, str, str | None], Msg] = nested_maker(
    "role, link, text, name",
    _TEXT,
    ("result", ToolResultBlock, {"tool_call_id": "link", "content": "(said,)", "name": "name"}),
    ("message", Msg, {"role": "role", "content": "(result,)"}),
    _bare=ANSWER,
)
"""Makes the bare message of one result: of a role, a call's id, a text that isn't empty, and the tool's name."""

make_named_answer: Callable[[str, str, str, str, Mapping[str, Any]], Msg] = nested_maker(
    "role, link, text, name, notes",
    _TEXT,
    ("result", ToolResultBlock, {"tool_call_id": "link", "content": "(said,)", "name": "name", "notes": "notes"}),
    ("message", Msg, {"role": "role", "content": "(result,)"}),
    _bare=NAMED,
)
"""Makes the bare message of one result that says the name of its tool, with the notes that mark it."""

how_bare: Callable[[Msg], int] = attrgetter("_bare")
"""Tells whether a message was made as a bare one: 0, BARE, SAID, ANSWER or NAMED."""

make_parsed_call: Callable[[str, str, Any, str], ToolUseBlock] = maker(
    ToolUseBlock, "id", "name", "input", "raw_input", _says_all=SIMPLY
)
"""Makes a call of an id, a name, the value that ``usual_arguments`` gave, and that text as ``raw_input``."""


def link_bare(messages: list[Any], names: CallNames, otherwise: Callable[[int, Any], Msg]) -> None:
    """Name the results of messages just read after their calls; other than bare messages go to ``otherwise``.

    Args:
        messages: of a whole document; nobody else holds them yet.
        names: records the calls and results of bare messages.
        otherwise: takes the index and message of any other, and returns the new message.
    """
    for index, message in enumerate(messages):
        how = message._bare
        if how == SAID:
            continue
        if not how:
            messages[index] = otherwise(index, message)
        elif message.role == "tool":
            result = message.content[0]
            name = names.answer(result.tool_call_id)
            if name is not None and result.name is None:
                name_result(result, name)
        else:
            for block in message.content:
                if block.__class__ is ToolUseBlock:
                    names.call(block.id, block.name)


def are_bare(blocks: Sequence[Any]) -> bool:
    """Whether the blocks of a message just read, apart from results, are allowed in a bare one."""
    for block in blocks:
        test = _TESTS.get(block.__class__)
        if test is None or not test(block):
            return False
    return bool(blocks) and (len(blocks) > 1 or blocks[0].__class__ is not TextBlock or bool(blocks[0].text))


def _is_sound(text: str | None) -> bool:
    return text is None or text.isascii() or is_sound(text)


def _is_bare_call(block: Any) -> bool:
    # A reader sets it only for calls with nothing else; and what could be parsed is valid.
    return block._says_all == SIMPLY and _is_sound(block.id) and _is_sound(block.name)


def _is_bare_image(block: Any) -> bool:
    source = block.source
    held = getattr(source, "url", None)
    if held is None:
        held = getattr(source, "data", None)
    if held is None or source.notes or source.extras:
        return False
    return _has_bare_image(block) and _is_sound(held) and _is_sound(source.media_type)


_has_bare_image = says_only(ImageBlock, "source", notes=EMPTY)
says_only_words: Callable[[TextBlock], bool] = says_only(TextBlock, "text", notes=EMPTY)
"""Tells whether a text has words, and nothing beside."""
_TESTS: Mapping[type[Any], Callable[[Any], bool]] = {
    TextBlock: lambda block: says_only_words(block) and _is_sound(block.text),
    ImageBlock: _is_bare_image,
    ToolUseBlock: _is_bare_call,
}
