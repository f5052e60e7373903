"""Bare messages: those of which is known from the start that they hold nothing but words, calls, results and pictures.

Most messages of most documents say a role and some content, and none of the thirty other things that the model has a
place for. A reader that has seen so, by the exact keys of the native message, says so on the message (``bare``), and
who looks at it later (the predicates of ``fit``, writers) need not ask each field again, which would take longer than
the rest of their work. A message is immutable, so what is true of it stays true; a copy with other fields is made by
the constructor, which claims nothing.
"""

from __future__ import annotations

from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from agentmsg.model.blocks import ImageBlock, TextBlock, ToolResultBlock, ToolUseBlock
from agentmsg.model.construction import absent_values, maker
from agentmsg.model.msg import Msg
from agentmsg.values.types import is_sound

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = [
    "BARE_FIELDS",
    "are_bare",
    "is_bare",
    "is_parsed",
    "is_sound_bare",
    "make_bare",
    "make_bare_result",
    "make_bare_text",
    "make_parsed_call",
]

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
and no notes, ids are plain texts, and the calls are from ``make_parsed_call``.
"""

make_bare: Callable[[str, tuple[Any, ...]], Msg] = maker(Msg, "role", "content", _bare=True)
"""Makes a bare message of a role and a tuple of blocks, as ``maker(Msg)`` makes others."""

make_bare_text: Callable[[str], TextBlock] = maker(TextBlock, "text")
"""Makes a text block that says nothing but its words."""

make_bare_result: Callable[[str, tuple[Any, ...], str | None], ToolResultBlock] = maker(
    ToolResultBlock, "tool_call_id", "content", "name"
)
"""Makes the result of a call's id, of a tuple of blocks, and of the tool's name."""

is_bare: Callable[[Msg], bool] = attrgetter("_bare")
"""Tells whether a message was made as a bare one."""

make_parsed_call: Callable[[str, str, Any, str], ToolUseBlock] = maker(
    ToolUseBlock, "id", "name", "input", "raw_input", _says_all=True
)
"""Makes a call of an id, a name, the value that ``usual_arguments`` gave, and that text as ``raw_input``."""

is_parsed: Callable[[ToolUseBlock], bool | None] = attrgetter("_says_all")
"""Tells whether the input of a call is known to say all that its text says; None if nobody has looked yet."""


def is_sound_bare(message: Msg) -> bool:
    """Whether a message is bare, and the texts that it says are sound: those of a document that nobody has checked."""
    return is_bare(message) and _are_sound(message.content)


def _are_sound(blocks: tuple[Any, ...]) -> bool:
    # A loop, for most are texts: to call a function for each takes three times as long.
    for block in blocks:
        if block.__class__ is TextBlock:
            if not (block.text.isascii() or is_sound(block.text)):
                return False
        elif not _is_sound_block(block):
            return False
    return True


def _is_sound_block(block: Any) -> bool:
    kind = block.__class__
    if kind is ToolUseBlock:
        return _is_sound(block.id) and _is_sound(block.name) and _is_sound(block.raw_input)
    if kind is ToolResultBlock:
        return _is_sound(block.tool_call_id) and _are_sound(block.content)
    if kind is ImageBlock:
        source = block.source
        held = getattr(source, "url", None) or source.data
        return _is_sound(held) and (source.media_type is None or _is_sound(source.media_type))
    return False


def _is_sound(text: str) -> bool:
    return text.isascii() or is_sound(text)


def are_bare(blocks: Sequence[Any]) -> bool:
    """Whether the blocks of a message that a reader has just made are what a bare message may hold."""
    for block in blocks:
        test = _TESTS.get(block.__class__)
        if test is None or not test(block):
            return False
    return bool(blocks) and (len(blocks) > 1 or blocks[0].__class__ is not TextBlock or bool(blocks[0].text))


def _is_bare_call(block: Any) -> bool:
    # A reader marks no call as parsed that has anything beside.
    return block._says_all is True


def _others_absent(cls: Any) -> Callable[[Any], bool]:
    absent = {name: value for name, value in absent_values(cls).items() if name not in BARE_FIELDS[cls]}
    tests = [f"block.{name} is None" if value is None else f"not block.{name}" for name, value in absent.items()]
    return cast("Callable[[Any], bool]", eval(f"lambda block: {' and '.join(tests)}"))  # noqa: S307 - names of fields


def _is_bare_image(block: Any) -> bool:
    return _has_bare_image(block) and not block.source.notes and not block.source.extras


_has_bare_image = _others_absent(ImageBlock)
_TESTS: Mapping[type[Any], Callable[[Any], bool]] = {
    TextBlock: _others_absent(TextBlock),
    ImageBlock: _is_bare_image,
    ToolUseBlock: _is_bare_call,
}
