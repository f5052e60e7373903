"""The variants of text and thinking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg_codecs.langchain.blocks.citations as cited
import agentmsg_codecs.langchain.blocks.v1 as v1
from agentmsg.formats import Native, Unreadable, adopt, is_list, is_mapping, is_object, is_sequence, text_at, word_at
from agentmsg_codecs.langchain.blocks.v1 import Extras, common_of
from agentmsg_codecs.langchain.blocks.variant import Variant, variant, with_common
from agentmsg_codecs.langchain.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Mapping


def _citing(name: str, key: str) -> Variant:
    """Return the variant of text whose citations stand under a key, whoever's they are."""

    def read(part: Native) -> Any:
        if not is_list(part.get(key)):
            raise Unreadable
        citations = tuple(map(cited.read_citation, part[key]))
        return v1.make_text(text=text_at(part, "text"), citations=citations, **common_of(part, Extras(part)))

    def write(block: Any) -> Native:
        part = v1.write_text(block.evolve(citations=()))
        return {**part, key: list(map(cited.write_citation, block.citations))}

    return variant(name, f"text {key} extras", read, write)


def text_variant(name: str, tag: str | None) -> Variant:
    """Return the variant of text under another tag, or under none."""

    def read(part: Native) -> Any:
        if tag is None and "type" in part:
            raise Unreadable
        return v1.read_text({key: value for key, value in part.items() if key != "extras"})

    def write(block: Any) -> Native:
        part = v1.write_text(block)
        if tag is None:
            return {key: value for key, value in part.items() if key != "type"}
        return {**part, "type": tag}

    return variant(name, "text annotations", read, write)


def _read_summary(part: Native) -> Any:
    summary = part.get("summary")
    if not is_list(summary) or "reasoning" in part or "extras" in part:
        raise Unreadable
    texts: list[str] = []
    for item in summary:
        if not is_object(item) or len(item) != 2 or item.get("type") != "summary_text":  # noqa: PLR2004
            raise Unreadable
        texts.append(text_at(item, "text"))
    sealed = word_at(part, "encrypted_content")
    signature = None if sealed is None else v1.make_signature(provider="openai", value=sealed)
    note = adopt({FAMILY: {"/cuts": [len(text) for text in texts]}})
    return v1.make_thinking(thinking="\n\n".join(texts), signature=signature, notes=note, **common_of(part))


def _write_summary(block: Any) -> Native:
    texts = _cut(block.thinking, block.notes.get(FAMILY))
    part: Native = {"type": "reasoning", "summary": [{"type": "summary_text", "text": text} for text in texts]}
    if block.signature is not None:
        part["encrypted_content"] = block.signature.value
    return with_common(part, block)


def _cut(text: str, note: Any) -> list[str]:
    """Return the summaries that a text was joined of, by their noted lengths; else the text as one."""
    cuts = note.get("/cuts") if is_mapping(note) else None
    if not is_sequence(cuts) or not all(type(cut) is int and cut >= 0 for cut in cuts):
        return [text]
    texts: list[str] = []
    at = 0
    for cut in cuts:
        texts.append(text[at : at + cut])
        at += cut + 2
    return texts if "\n\n".join(texts) == text else [text]


def _read_thinking(part: Native) -> Any:
    value = word_at(part, "signature")
    signature = None if value is None else v1.make_signature(provider="anthropic", value=value)
    # Without words where these were not asked for.
    return v1.make_thinking(thinking=word_at(part, "thinking") or "", signature=signature, **common_of(part))


def _write_thinking(block: Any) -> Native:
    part: Native = {"type": "thinking", "thinking": block.thinking}
    if block.signature is not None:
        part["signature"] = block.signature.value
    return with_common(part, block)


def _read_redacted(part: Native) -> Any:
    return v1.make_thinking(thinking="", redacted=text_at(part, "data"), **common_of(part))


def _write_redacted(block: Any) -> Native:
    return with_common({"type": "redacted_thinking", "data": block.redacted}, block)


# By the tag in `type` (None: there is none). The first that reads a part and returns it exactly wins.
TEXT_VARIANTS: Mapping[str | None, tuple[Variant, ...]] = {
    "text": (_citing("citations", "citations"), _citing("annotations", "annotations")),
    "input_text": (text_variant("input_text", "input_text"),),
    "output_text": (text_variant("output_text", "output_text"),),
    "reasoning": (variant("summary", "summary encrypted_content", _read_summary, _write_summary),),
    "thinking": (variant("thinking", "thinking signature", _read_thinking, _write_thinking),),
    "redacted_thinking": (variant("redacted_thinking", "data", _read_redacted, _write_redacted),),
}
