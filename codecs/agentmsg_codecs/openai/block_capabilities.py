"""What OpenAI's messages support of blocks: rows of the capability table, by place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import KEEP, Cell, Drop, Row, Rule, Swap, carried_extras, mark_of, rules
from agentmsg_codecs.openai.audio import AUDIO_KEYS, is_no_sound
from agentmsg_codecs.openai.calls import call_keys, entry_comes_back, inner_call_keys, is_native_entry, is_other_type
from agentmsg_codecs.openai.content import (
    BREAKPOINT_TTLS,
    CACHE_AT,
    CONTROL,
    hint_keys,
    inner_keys,
    is_controlled,
    is_odd,
)
from agentmsg_codecs.openai.marks import is_field_audio, is_named, is_value
from agentmsg_codecs.openai.media_capabilities import (
    carried_detail,
    carried_field_sound,
    carried_file,
    carried_image,
    carried_sound,
    only_odd,
)
from agentmsg_codecs.openai.names import FAMILY, ITEM
from agentmsg_codecs.openai.server_fields import attached_keys, carried_signature, is_message_hint, is_own_hint
from agentmsg_codecs.openai.thinking_capabilities import Thinking

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg.formats import Parts
    from agentmsg_codecs.openai.content import ContentParts


Rows = dict[type[am.BaseBlock], Row]
_SECONDS = {"5m": 300, "30m": 1_800, "1h": 3_600, "12h": 43_200}


# -- fields that all have ---------------------------------------------------------------------------------------------

_HINT_EXTRAS = carried_extras((FAMILY, hint_keys))


def _nearest(ttl: str) -> str:
    wanted = _SECONDS[ttl]
    return min(BREAKPOINT_TTLS, key=lambda own: max(_SECONDS[own], wanted) / min(_SECONDS[own], wanted))


def carried_cache(hint: am.CacheHint, _: Any) -> am.CacheHint:
    """Keep a cache hint: kind and time to live as the schema has them, or as compatible servers wrote them."""
    changes: dict[str, Any] = {}
    extras = _HINT_EXTRAS(hint.extras, hint) if hint.extras else hint.extras
    if extras is not hint.extras:
        changes["extras"] = extras
    at = mark_of(hint, FAMILY, CACHE_AT) if hint.notes else None
    if not is_controlled(hint):
        if hint.kind != "ephemeral" and (not is_odd(hint) or hint.kind == "explicit" or at == "both"):
            changes["kind"] = "ephemeral"
        if hint.ttl is not None and hint.ttl not in BREAKPOINT_TTLS and not is_odd(hint):
            changes["ttl"] = _nearest(hint.ttl) if hint.ttl in _SECONDS else None
    return hint.evolve(**changes) if changes else hint


def _only_odd_cache(hint: am.CacheHint, block: Any) -> am.CacheHint | None:
    """Keep a cache hint where the schema has none: only one that was read there."""
    return carried_cache(hint, block) if is_odd(hint) or is_message_hint(hint) else None


def _own_cache(hint: am.CacheHint, block: Any) -> am.CacheHint | None:
    """Keep a cache hint on a call or a result: one that was read there, or beside its message."""
    return carried_cache(hint, block) if is_own_hint(hint) else None


def _extras(parts: Parts) -> Cell:
    return carried_extras((ITEM, inner_keys), (FAMILY, parts.keys_of))


def _cells(parts: Parts, *names: str) -> dict[str, Cell]:
    return {**dict.fromkeys(names, KEEP), "cache": carried_cache, "extras": _extras(parts)}


# -- rows -------------------------------------------------------------------------------------------------------------


def _other_rows(parts: Parts) -> Rows:
    """Return the rows of what is text here, whatever the place."""
    return {
        am.NativeBlock: rules.native_block_row(FAMILY, parts.comes_back),
        am.DataBlock: Row({}, rules.data_as_text),
        am.SourceBlock: Row({}, rules.source_as_text),
        am.CompactionBlock: Row({}, rules.compaction_as_text),
        am.ToolUseBlock: Row({}, lambda block: _nowhere(rules.server_as_text(block), block)),
        am.ToolResultBlock: Row({}, lambda block: _nowhere(rules.server_as_text(block), block)),
    }


def _nowhere(answer: Any, block: Any) -> Any:
    return Drop("no place for tools here") if answer is block else answer


def _text_row(parts: Parts, **cells: Cell) -> Row:
    cells = {**_cells(parts, "text"), **cells}
    return Row(cells, rules.emptied_text(cells), rules.EMPTIED)


def text_rows(parts: Parts) -> Rows:
    """Return the rows of messages that hold only text."""
    rows = _other_rows(parts)
    rows[am.TextBlock] = _text_row(parts)
    rows[am.FileBlock] = Row({}, only_odd(lambda block: Drop("only text here"), "only text here"))
    rows[am.AudioBlock] = Row({}, rules.audio_as_text)
    rows[am.RefusalBlock] = Row({}, _refused)
    return rows


def _refused(block: am.RefusalBlock) -> Any:
    return Swap(am.TextBlock(block.refusal), "refusals are an assistant's", "annotation")


def media_rows(parts: Parts, *, why: str | None = None) -> Rows:
    """Return the rows of messages, or results, that hold media.

    Args:
        parts: the table of the place.
        why: where the schema has media there only in the documents of compatible servers, what to say of others.
    """

    def row(rule: Callable[[Any], Any], **cells: Cell) -> Row:
        return Row({**_cells(parts, "source"), **cells}, rule if why is None else only_odd(rule, why))

    rows = text_rows(parts)
    rows[am.ImageBlock] = row(carried_image, detail=carried_detail)
    rows[am.AudioBlock] = row(carried_sound)
    rows[am.FileBlock] = row(carried_file, name=KEEP)
    # The schema has no videos anywhere.
    rows[am.VideoBlock] = Row(_cells(parts, "source"), only_odd(carried_image, "no place for videos"))
    return rows


# -- assistant --------------------------------------------------------------------------------------------------------

_CALL_EXTRAS = carried_extras((ITEM, inner_call_keys), (FAMILY, lambda block: call_keys(block) | attached_keys(block)))


def _call(block: am.ToolUseBlock) -> Any:
    answer = rules.server_as_text(block)
    if answer is not block:
        return answer
    if block.kind == "custom" and not isinstance(block.input, str):
        return Swap(block.evolve(kind="function", input=block.input), "the input of a custom tool is text")
    return block


def _kind(kind: str, block: Any) -> str:
    return kind if kind in {"function", "custom"} or is_other_type(block) else "function"


def _audio_row(parts: Parts, in_content: Rule | None, in_field: Rule) -> Row:
    """Return the row of sound, which stands in content or in the ``audio`` of the message.

    Args:
        parts: the table of content.
        in_content: the rule for the one.
        in_field: the rule for the other.
    """
    field_extras, part_extras = carried_extras((FAMILY, lambda _: AUDIO_KEYS)), _extras(parts)

    def rule(block: Any) -> Any:
        if not is_field_audio(block):
            return block if in_content is None else in_content(block)
        answer = in_field(block)
        new = answer.new if isinstance(answer, Swap) else answer
        return Drop("there is no sound in it") if isinstance(new, am.AudioBlock) and is_no_sound(new) else answer

    def only_in_field(value: Any, block: Any) -> Any:
        return value if is_field_audio(block) else None

    cells: dict[str, Cell] = {
        "source": KEEP,
        "transcript": only_in_field,
        "item_id": only_in_field,
        "cache": lambda value, block: None if is_field_audio(block) else carried_cache(value, block),
        "extras": lambda extras, block: (field_extras if is_field_audio(block) else part_extras)(extras, block),
    }
    return Row(cells, rule)


def assistant_rows(
    parts: ContentParts,
    place: str | None,
    *,
    citations: Cell,
    sound: Rule = carried_field_sound,
    as_text: bool,
) -> Rows:
    """Return the rows of assistant messages.

    Args:
        parts: the tables of parts.
        place: the field for thinking that was not read from one; None: there is none.
        citations: the cell of a text's citations.
        sound: the rule for sound in the ``audio`` of the message.
        as_text: whether thinking without a field is text, in tags.
    """
    own = parts.assistant
    rows = media_rows(own, why="an assistant's content is text")
    rows[am.AudioBlock] = _audio_row(own, rows[am.AudioBlock].otherwise, sound)
    keys = own.keys_of(am.TextBlock(""))
    extras = carried_extras((FAMILY, lambda block: keys | attached_keys(block) - {CONTROL}))
    rows[am.TextBlock] = _text_row(own, citations=citations, signature=carried_signature, extras=extras)
    rows[am.RefusalBlock] = Row({**_cells(own, "refusal"), "cache": _only_odd_cache})
    rows[am.NativeBlock] = rules.native_block_row(
        FAMILY, lambda block: entry_comes_back(block) if is_native_entry(block) else own.comes_back(block)
    )
    rows[am.ThinkingBlock] = Thinking(place, as_text=as_text).row()
    names = ("id", "name", "input", "raw_input")
    beside: dict[str, Cell] = {"cache": _own_cache, "signature": carried_signature, "extras": _CALL_EXTRAS}
    rows[am.ToolUseBlock] = Row({**dict.fromkeys(names, KEEP), "kind": _kind, **beside}, _call)
    return rows


# -- results ----------------------------------------------------------------------------------------------------------


def _name(name: str, block: Any) -> Any:
    return name if block.notes and is_named(block) else None


def _message_cache(hint: am.CacheHint, block: Any) -> am.CacheHint | None:
    return carried_cache(hint, block) if is_message_hint(hint) else None


def _value(value: Any, block: Any) -> Any:
    return value if is_value(block) else None


def _result(block: am.ToolResultBlock) -> Any:
    return block if is_value(block) else rules.structured_as_text(block)


def result_rows() -> Rows:
    """Return the rows of tool messages."""
    cells: dict[str, Cell] = {"tool_call_id": KEEP, "name": _name, "structured": _value, "cache": _message_cache}
    return {am.ToolResultBlock: Row(cells, _result)}
