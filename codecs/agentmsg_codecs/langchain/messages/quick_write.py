"""The fast path of writing: messages without extras, odd calls, or unusual notes.

A writer returns the body of a message, or None if the message needs the general path. That path writes the noted
spelling and reads it again, to test whether it still means the same. Here nothing is read, because two tests suffice:

- The whole note is one that the readers share, so it is known what it asks for.
- The noted shape can hold the fields: a URL that reads as one, the signature of the shape's own provider, the reason
  that the noted word means. An edited or planted value fails here, or is written in all copies: these are made from
  the block, never from the note.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Native, is_mapping, mark_of, note_of, speed
from agentmsg_codecs.langchain.blocks.parts import SERVER
from agentmsg_codecs.langchain.blocks.v1 import is_pointed, is_sound, is_words
from agentmsg_codecs.langchain.calls import openai_entry
from agentmsg_codecs.langchain.messages.metadata import (
    COPIED_NOTE,
    KWARGS_NOTE,
    LIST_NOTE,
    MEANT,
    STOP_NOTES,
    TEXTED_NOTE,
    copied,
    is_in_kwargs,
    stop_word,
    write_response,
    write_usage,
)
from agentmsg_codecs.langchain.messages.quick_read import writer
from agentmsg_codecs.langchain.names import ANTHROPIC, FAMILY, finish_reason

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg_codecs.langchain.blocks.parts import ContentParts
    from agentmsg_codecs.langchain.messages.quick_read import Layout


_MEDIA = frozenset({am.ImageBlock, am.AudioBlock, am.VideoBlock, am.FileBlock})
_is_only_thought = speed.says_only(am.ThinkingBlock, "thinking")
_is_only_call = speed.says_only(am.ToolUseBlock, "id", "name", "input", "raw_input")
# The keys of response_metadata that such messages are written with.
_TAKEN = MEANT - {"model"}
# The blocks of a provider, which the message may name.
_OWNED = SERVER | {am.ThinkingBlock}


class FastWriters:
    """Writes the bodies of usual messages.

    Attributes:
        by_role: the writers by role.
    """

    def __init__(self, parts: ContentParts, layout: Layout) -> None:
        self._write_ai, self._write_tool = writer("ai", layout), writer("tool", layout)
        self._parts, self._write_part = parts, parts.write
        self._quick_writers = parts.quick_writers
        self.by_role: dict[str, Callable[[am.Msg], Native | None]] = {
            "user": partial(self._plain, writer("human", layout)),
            "system": partial(self._plain, writer("system", layout)),
            "assistant": self._ai,
            "tool": self._tool,
        }

    def _content(self, blocks: Any, listed: Any, provider: Any = None) -> Any:
        if not blocks:
            return ""
        if not listed and is_words(blocks):
            return None if blocks[0].notes else blocks[0].text
        write = self._write_part if provider is None else partial(self._parts.write_for, provider=provider)
        parts: list[Any] = []
        for block in blocks:
            if block.__class__ is am.AudioBlock and is_sound(block):
                return None
            if block.notes:
                quick = self._quick_writers.get(type(block))
                part = None if quick is None else quick(block)
                if type(block) in _OWNED and (
                    _loses_provider(block, provider)
                    or (provider is not None and self._parts.attributed(block, part, provider) is not part)
                ):
                    return None
                if part is None:
                    if type(block) not in _MEDIA or is_in_kwargs(block) or is_pointed(block):
                        return None
                    # Nothing else in a message affects these, and their writer reads them again.
                    part = write(block)
                parts.append(part)
            elif block.cache is not None and is_pointed(block):
                return None
            else:
                parts.append(write(block))
        return parts

    def _plain(self, write: Callable[..., Native], message: am.Msg) -> Native | None:
        if message.notes and message.notes != LIST_NOTE:
            return None
        content = self._content(message.content, message.notes)
        if content is None:
            return None
        return write(content, message.metadata, write_response(message, None), message.name, message.id)

    def _tool(self, message: am.Msg) -> Native | None:
        if message.notes and message.notes != LIST_NOTE:
            return None
        block: Any = message.content[0]
        if block.notes or block.structured is not None or block.error is not None or block.error_type is not None:
            return None
        if block.cache is not None:
            return None
        if am.DataBlock in map(type, block.content):
            return None
        content = self._content(block.content, message.notes)
        if content is None:
            return None
        return self._write_tool(
            content,
            message.metadata,
            write_response(message, None),
            block.name,
            message.id,
            block.tool_call_id,
            block.artifact,
            block.status,
        )

    def _ai(self, message: am.Msg) -> Native | None:
        blocks: Any = message.content
        thought: str | None = None
        if blocks and type(blocks[0]) is am.ThinkingBlock and blocks[0].notes == KWARGS_NOTE:
            thought = blocks[0].thinking
            if not _is_only_thought(blocks[0]) or "reasoning_content" in message.metadata:
                return None
            blocks = blocks[1:]
        note: Any = None
        listed = False
        if message.notes:
            listed = message.notes == LIST_NOTE
            if not listed:
                note = note_of(message, FAMILY)
                listed = "/content" in note
                if not _says_stop(message, stop_word(note), listed=listed):
                    return None
        calls: list[Native] = []
        copies: list[Native] = []
        texts: list[Native] = []
        if am.ToolUseBlock in map(type, blocks):
            start = _write_calls(blocks, calls, copies, texts)
            if start is None or (texts and "tool_calls" in message.metadata):
                return None
            blocks = blocks[:start]
        response = write_response(message, note)
        content = self._content(blocks, listed or copies, message.provider)
        if content is None:
            return None
        if copies:
            content = [*content, *copies]
        kwargs: Any = message.metadata
        if thought is not None:
            kwargs = copied(kwargs)
            kwargs["reasoning_content"] = thought
        if texts:
            kwargs = {**kwargs, "tool_calls": texts}
        usage = None if message.usage is None else write_usage(message.usage)
        return self._write_ai(content, kwargs, response, message.name, message.id, calls, usage)


def _loses_provider(block: Any, provider: Any) -> bool:
    """Whether a block in its noted shape would read as one of another provider."""
    if type(block) is am.ThinkingBlock:
        is_other = block.signature is not None and block.signature.provider != provider
        return is_other and mark_of(block, FAMILY, "/shape") == "reasoning"
    return block.provider == ANTHROPIC != provider and str(mark_of(block, FAMILY, "/shape")).startswith("v1-")


def _bare_args(block: am.ToolUseBlock) -> Any:
    """Return the arguments of a call with only an id, a name and an object; None for any other call."""
    if not _is_only_call(block):
        return None
    if block.raw_input is not None and (not block.is_valid or block.significant_text is not None):
        return None
    value = block.input
    return value if is_mapping(value) and "_raw" not in value else None


def _write_calls(blocks: Any, calls: list[Native], copies: list[Native], texts: list[Native]) -> int | None:
    """Write the calls that end a message, and their copies in content or as texts.

    Returns:
        The index of the first call; None if the message needs the general path.
    """
    start = len(blocks)
    for index, block in enumerate(blocks):
        if type(block) is am.ToolUseBlock and block.kind == "function":
            args = _bare_args(block)
            if args is None:
                return None
            if not calls:
                start = index
            if block.notes == TEXTED_NOTE:
                if len(texts) != len(calls) or block.id is None or block.raw_input is None:
                    return None
                texts.append(openai_entry(block))
            elif block.notes:
                # Calls in content are read first, so none may follow one that isn't there.
                if len(copies) != len(calls) or block.notes != COPIED_NOTE or block.id is None:
                    return None
                copies.append({"type": "tool_use", "id": block.id, "name": block.name, "input": args})
            calls.append({"name": block.name, "args": args, "id": block.id, "type": "tool_call"})
        elif calls:
            return None
    if not texts:
        return start
    # Each call has a text, and their ids tell them apart.
    return start if len(texts) == len(calls) == len({call["id"] for call in calls}) else None


def _says_stop(message: am.Msg, word: str | None, *, listed: bool) -> bool:
    """Whether the notes are only a word in `stop_reason` that still holds, and that content is a list."""
    if message.notes != STOP_NOTES.get((word, listed)) or not _TAKEN.isdisjoint(message.response_metadata):
        return False
    return finish_reason("stop_reason", word or "") == message.finish_reason
