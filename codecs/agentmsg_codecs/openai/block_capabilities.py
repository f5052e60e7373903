"""Which blocks OpenAI's messages support: rows of the capability table, by place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import KEEP, Cell, Drop, Row, Rule, Swap, carried_extras, cells, natives, rules
from agentmsg.formats.forms import Rows as FormRows
from agentmsg_codecs.openai.format import CALLS, is_other_type
from agentmsg_codecs.openai.hints import carried_cache, is_message_hint
from agentmsg_codecs.openai.media_capabilities import (
    carried_field_sound,
    carried_file,
    carried_image,
    carried_sound,
    only_odd,
)
from agentmsg_codecs.openai.names import FAMILY
from agentmsg_codecs.openai.places import (
    is_field_audio,
    is_named,
    is_native_entry,
    is_thinking_part,
    is_value,
    place_of,
)
from agentmsg_codecs.openai.reasoning import FORMATS, LISTS, entry_keys, provider_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg.formats.forms import Described
    from agentmsg_codecs.openai.messages import Messages

# The signers by field; those of reasoning_details may be unknown.
_SIGNERS: dict[str | None, frozenset[str | None]] = {
    "reasoning_details": frozenset({*FORMATS, None}),
    "thinking_blocks": frozenset({"anthropic"}),
}
_SEALED = cells.sealed_by("anthropic", family=FAMILY)
Rows = dict[type[am.BaseBlock], Row]


def part(block: Any) -> Any:
    """Keep thinking that is a part; an empty unsigned one is what was read."""
    unreadable = block.redacted is not None and not block.thinking and block.signature is None
    return Drop("what only its provider can read has no place") if unreadable else block


def _field_row(default: str | None, *, as_text: bool) -> Row:
    """Return the row of thinking that isn't a part.

    Args:
        default: the field for thinking that wasn't read from one; None if there is none.
        as_text: whether thinking without a field becomes text, in tags.
    """

    def rule(block: Any) -> Any:
        place = place_of(block, default)
        if place is None:
            if as_text and block.thinking:
                return Swap(am.TextBlock(f"<thinking>{block.thinking}</thinking>"), "thinking is text here")
            return Drop("no place for thinking")
        if place not in LISTS:
            return block if block.thinking else Drop("what only its provider can read has no place")
        if block.redacted is None or not (block.thinking or block.signature is not None):
            return block
        # An entry holds one of the two.
        changes: dict[str, Any] = {"redacted": None} if block.thinking else {"signature": None}
        return Swap(block.evolve(**changes), "an entry is readable or opaque")

    def signature(value: am.Signature, block: Any) -> am.Signature | None:
        signers = _SIGNERS.get(place_of(block, default), ())
        kept: am.Signature | None = cells.bare(value) if value.provider in signers else None
        return kept

    def taken(block: Any) -> frozenset[str] | None:
        place = place_of(block, default)
        keys = entry_keys(place, block)
        if keys is None or place != "reasoning_details":
            return keys
        signed = block.signature is not None or block.redacted is not None
        return keys | {"format"} if signed and not _may_say_format(block) else keys

    return Row(
        {
            "thinking": KEEP,
            "redacted": lambda value, block: _SEALED(value, block) if place_of(block, default) in LISTS else None,
            "signature": signature,
            "item_id": lambda value, block: value if place_of(block, default) == "reasoning_details" else None,
            "extras": carried_extras((FAMILY, taken)),
        },
        rule,
    )


def _may_say_format(block: Any) -> bool:
    """Whether the extra ``format`` stays: it names the same signer in a word that isn't written by default."""
    provider = block.signature.provider if block.signature is not None else None
    provider = "anthropic" if block.redacted is not None else provider
    word = natives.extras_of(block, FAMILY).get("format")
    return provider_of(word) == provider and (provider is None or word != FORMATS.get(provider))


def _tool_as_text(block: Any) -> Any:
    answer = rules.server_as_text(block)
    return Drop("no place for tools here") if answer is block else answer


def _refusal_as_text(block: am.RefusalBlock) -> Any:
    return Swap(am.TextBlock(block.refusal), "refusals are an assistant's", "annotation")


_AS_TEXT: Rows = {
    **rules.TEXT_ROWS,
    am.ToolUseBlock: Row({}, _tool_as_text),
    am.ToolResultBlock: Row({}, _tool_as_text),
    am.FileBlock: Row({}, only_odd(lambda block: Drop("only text here"), "only text here")),
    am.RefusalBlock: Row({}, _refusal_as_text),
}
_MEDIA: dict[type[am.BaseBlock], Rule] = {
    am.ImageBlock: carried_image,
    am.AudioBlock: carried_sound,
    am.FileBlock: carried_file,
}


def rows_of(described: Described, place: str, *, why: str | None = None) -> Rows:
    """Return the rows of a place.

    Args:
        described: the forms.
        place: its name.
        why: the reason for dropping media, if only compatible servers have them there.
    """
    media = {cls: rule if why is None else only_odd(rule, why) for cls, rule in _MEDIA.items()}
    # The schema has no videos anywhere.
    media[am.VideoBlock] = only_odd(carried_image, "no place for videos")
    natives = rules.native_block_row(FAMILY, described.parts[place].comes_back)
    rows = FormRows(described).place(place, {**media, am.ThinkingBlock: part}, {**_AS_TEXT, am.NativeBlock: natives})
    return {**rows, am.TextBlock: _text_row(rows[am.TextBlock].fields)}


def _text_row(cells: Any) -> Row:
    return Row(cells, rules.emptied_text(cells), rules.EMPTIED)


# -- assistant --------------------------------------------------------------------------------------------------------


def _call(block: am.ToolUseBlock) -> Any:
    answer = rules.server_as_text(block)
    if answer is not block:
        return answer
    if block.kind == "custom" and not isinstance(block.input, str):
        return Swap(block.evolve(kind="function", input=block.input), "the input of a custom tool is text")
    return block


def _sound_row(messages: Messages, rule: Rule) -> Row:
    """Return the row of sound in the ``audio`` of the message.

    Args:
        messages: the reader and writer.
        rule: for such sound.
    """
    keys = messages.described.forms["sound"].keys

    def some(block: Any) -> Any:
        answer = rule(block)
        new = answer.new if isinstance(answer, Swap) else answer
        is_none = isinstance(new, am.AudioBlock) and messages.is_no_sound(new)
        return Drop("it holds no audio") if is_none else answer

    extras = carried_extras((FAMILY, lambda _: keys))
    return Row({"source": KEEP, "transcript": KEEP, "item_id": KEEP, "extras": extras}, some)


def _either(test: Callable[[Any], bool], one: Row, other: Row) -> Row:
    """Return the row of a class that has two places: for blocks that pass a test, and for all others."""

    def cell(name: str) -> Cell:
        first, second = one.fields.get(name), other.fields.get(name)
        if first is second is KEEP:
            return KEEP

        def either(value: Any, block: Any) -> Any:
            own = first if test(block) else second
            return None if own is None else own(value, block)

        return either

    def rule(block: Any) -> Any:
        own = one.otherwise if test(block) else other.otherwise
        return block if own is None else own(block)

    return Row({name: cell(name) for name in {**one.fields, **other.fields}}, rule)


def assistant_rows(
    messages: Messages, place: str, *, citations: Cell, sound: Rule = carried_field_sound, as_text: bool
) -> Rows:
    """Return the rows of assistant messages.

    Args:
        messages: the reader and writer.
        place: of their parts.
        citations: the cell of a text's citations.
        sound: the rule for sound in the ``audio`` of the message.
        as_text: whether thinking without a field becomes text, in tags.
    """
    described = messages.described
    rows = rows_of(described, place, why="an assistant's content is text")
    in_content = described.parts[place].comes_back
    return {
        **rows,
        am.AudioBlock: _either(is_field_audio, _sound_row(messages, sound), rows[am.AudioBlock]),
        am.TextBlock: _text_row({**rows[am.TextBlock].fields, "citations": citations}),
        am.NativeBlock: rules.native_block_row(
            FAMILY, lambda block: messages.comes_back(block) if is_native_entry(block) else in_content(block)
        ),
        am.ThinkingBlock: _either(
            is_thinking_part, rows[am.ThinkingBlock], _field_row(messages.place, as_text=as_text)
        ),
        am.ToolUseBlock: FormRows(described).row(
            *(form.name for form in CALLS if form.name != "function_call"),
            rules={am.ToolUseBlock: _call},
            kind=lambda kind, block: kind if kind in {"function", "custom"} or is_other_type(block) else "function",
            input=KEEP,
            raw_input=KEEP,
        ),
    }


# -- results ----------------------------------------------------------------------------------------------------------


RESULT_ROWS: Rows = {
    am.ToolResultBlock: Row(
        {
            "tool_call_id": KEEP,
            "name": lambda name, block: name if is_named(block) else None,
            "structured": lambda value, block: value if is_value(block) else None,
            "cache": lambda hint, block: carried_cache(hint, block) if is_message_hint(hint) else None,
        },
        lambda block: block if is_value(block) else rules.structured_as_text(block),
    )
}
