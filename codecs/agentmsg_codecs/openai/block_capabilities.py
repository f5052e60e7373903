"""Which blocks and media OpenAI's messages support: rows of the capability table, by place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import KEEP, Cell, Drop, Row, Rule, Swap, carried_extras, cells, media, natives, rules
from agentmsg.formats.forms import Rows as FormRows
from agentmsg_codecs.openai.format import AUDIO_FORMATS, CALLS, SOUND_ALIASES, is_alias, is_other_type
from agentmsg_codecs.openai.hints import carried_cache, is_message_hint, is_odd
from agentmsg_codecs.openai.names import FAMILY
from agentmsg_codecs.openai.places import (
    is_field_audio,
    is_named,
    is_native_entry,
    is_thinking_part,
    is_told_audio,
    is_value,
    place_of,
)
from agentmsg_codecs.openai.reasoning import FORMATS, LISTS, entry_keys, provider_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg.formats.forms import Described
    from agentmsg_codecs.openai.messages import Messages


# -- media ------------------------------------------------------------------------------------------------------------


_SOUND = {"audio/mpeg": "audio/mp3", "audio/wave": "audio/wav", "audio/x-wav": "audio/wav"}


def _swapped(block: Any, changes: dict[str, Any], why: str) -> Any:
    return Swap(block.evolve(**changes), why, "annotation") if changes else block


def _by_id(source: am.FileSource) -> am.FileSource | None:
    """Return a reference with nothing but its id; None if it is to a file of another provider."""
    if source.provider not in ("openai", None):
        return None
    plain = source.provider == "openai" and source.media_type is None and not source.extras
    return source if plain else am.FileSource(source.file_id, "openai")


def _bare_data(source: am.Base64Source) -> am.Base64Source:
    return source if source.media_type is None and not source.extras else am.Base64Source(source.data, None)


def _carried_image(block: Any) -> Any:
    """Keep an image or video with a URL or data."""
    source = block.source
    if not isinstance(source, (am.URLSource, am.Base64Source)):
        return Drop("an image is given by URL or as data here")
    new = media.as_url(source, is_untyped=is_odd(source))
    return _swapped(block, {} if new is source else {"source": new}, "only data URLs have a media type")


def _carried_sound(block: Any) -> Any:
    """Keep sound in content: data in a format that the schema has, or a URL that was read."""
    if any(is_alias(block, form) for form in SOUND_ALIASES):
        return _carried_image(block)
    data = media.read_data_url(block.source.url) if isinstance(block.source, am.URLSource) else None
    source = data or block.source
    # What is no base64 may be read as an address.
    if not isinstance(source, am.Base64Source) or source.media_type is None or ":" in source.data:
        return rules.audio_as_text(block)
    kind = source.media_type
    if not (is_odd(source) and kind.startswith("audio/")):
        plain = kind.partition(";")[0].strip().lower()
        kind = _SOUND.get(plain, plain)
        if kind not in AUDIO_FORMATS:
            return rules.audio_as_text(block)
    if data is None and kind == source.media_type and not source.extras:
        return block
    new = am.Base64Source(source.data, kind) if kind != source.media_type else source.evolve(extras={})
    return _swapped(block, {"source": new}, "sound has a format here, not a media type")


def _carried_field_sound(block: Any) -> Any:
    """Keep sound that an assistant message refers to; the data only if it was read there."""
    source = block.source
    changes: dict[str, Any] = {}
    if isinstance(source, am.FileSource):
        new: Any = _by_id(source)
        if new is None:
            return rules.audio_as_text(block)
        if block.item_id is not None:
            changes["item_id"] = None
        if block.transcript is not None and not is_odd(block):
            changes["transcript"] = None
    elif not isinstance(source, am.Base64Source) or (block.extras and FAMILY not in block.extras):
        return rules.audio_as_text(block)  # or the id is another format's
    elif is_odd(block):
        new = _bare_data(source)
    else:
        changes = {"item_id": None, "transcript": None, "extras": {}, "source": am.FileSource(block.item_id, "openai")}
        return _swapped(block, changes, "a request refers to sound by its id")
    if new is not source:
        changes["source"] = new
    return _swapped(block, changes, "only the id has a place")


def carried_answered_sound(block: Any) -> Any:
    """Keep sound in a response: the data, with all keys that the schema requires; a reference only if it was read."""
    source = block.source
    if is_told_audio(block):
        return rules.audio_as_text(block)
    if isinstance(source, am.FileSource):
        return _carried_field_sound(block)
    bare = _bare_data(source)
    changes: dict[str, Any] = {} if bare is source else {"source": bare}
    if not is_odd(block):
        own = natives.extras_of(block, FAMILY)
        if type(own.get("expires_at")) is not int:
            changes["extras"] = {**block.extras, FAMILY: {**own, "expires_at": 0}}
        if block.transcript is None:
            changes["transcript"] = ""
    return _swapped(block, changes, "the schema of a response requires it")


def _carried_file(block: Any) -> Any:
    """Keep a file given by id or as data; turn a document given as text into that text."""
    source = block.source
    if isinstance(source, am.FileSource):
        new: Any = _by_id(source)
        if new is None:
            return Drop(f"a file of {source.provider} is not one of OpenAI's")
    elif isinstance(source, (am.URLSource, am.Base64Source)):
        new = media.as_url(source, is_untyped=is_odd(source))
        if isinstance(new, am.URLSource):
            if not (is_odd(source) and ":" in new.url):
                return Drop("a file is given by id or as data here")
            new = source if new is source else source.evolve(media_type=None, extras={})
    else:
        said = rules.document_as_text(block)
        return Drop("this kind of document isn't supported") if said is block else said
    changes: dict[str, Any] = {} if new is source else {"source": new}
    if block.name is None and block.title is not None:
        changes |= {"name": block.title, "title": None}
    return _swapped(block, changes, "a file has an id or data, and a file name")


def _only_odd(rule: Rule, why: str) -> Rule:
    """Return the rule for a place where the schema has no such blocks: only those that were read there stay.

    Args:
        rule: for those that were read there.
        why: the reason for dropping others.
    """

    def checked(block: Any) -> Any:
        if is_odd(block):
            return rule(block)
        if isinstance(block, am.AudioBlock):
            return rules.audio_as_text(block)
        said = rules.document_as_text(block) if isinstance(block, am.FileBlock) else block
        return Drop(why) if said is block else said

    return checked


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
    am.FileBlock: Row({}, _only_odd(lambda block: Drop("only text here"), "only text here")),
    am.RefusalBlock: Row({}, _refusal_as_text),
}
_MEDIA: dict[type[am.BaseBlock], Rule] = {
    am.ImageBlock: _carried_image,
    am.AudioBlock: _carried_sound,
    am.FileBlock: _carried_file,
}


def rows_of(described: Described, place: str, *, why: str | None = None) -> Rows:
    """Return the rows of a place.

    Args:
        described: the forms.
        place: its name.
        why: the reason for dropping media, if only compatible servers have them there.
    """
    media = {cls: rule if why is None else _only_odd(rule, why) for cls, rule in _MEDIA.items()}
    # The schema has no videos anywhere.
    media[am.VideoBlock] = _only_odd(_carried_image, "no place for videos")
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

    def rule(block: Any) -> Any:
        own = one.otherwise if test(block) else other.otherwise
        return block if own is None else own(block)

    return Row(cells.either(test, one.fields, other.fields), rule)


def assistant_rows(
    messages: Messages, place: str, *, citations: Cell, sound: Rule = _carried_field_sound, as_text: bool
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
