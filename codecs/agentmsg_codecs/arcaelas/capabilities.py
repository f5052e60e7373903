"""The capability table: what Arcaelas' messages support, and the rules for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    ANY_ROLE,
    KEEP,
    Caps,
    Drop,
    MessageRow,
    Row,
    Swap,
    carried_extras,
    cells,
    media,
    natives,
    restructure,
    rules,
)
from agentmsg.formats.forms import Rows as FormRows
from agentmsg_codecs.arcaelas.format import SOURCE_KEYS, SOURCES
from agentmsg_codecs.arcaelas.names import CONTAINERS, FAMILY, NO_ROLES, SIGNER, is_odd

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats import Parts
    from agentmsg.formats.forms import Described
    from agentmsg_codecs.arcaelas import ArcaelasCodec
    from agentmsg_codecs.arcaelas.messages import Messages


Rows = dict[type[am.BaseBlock], Row]


# -- media ------------------------------------------------------------------------------------------------------------


_SOURCE_EXTRAS = carried_extras((FAMILY, lambda source: SOURCE_KEYS[type(source)]))


def _nearest(source: Any) -> Any:
    """Return the nearest source: only data has a media type, and files have no provider."""
    changes: dict[str, Any] = {}
    if isinstance(source, am.Base64Source):
        if source.media_type is None and not is_odd(source):
            changes["media_type"] = media.guess_media_type(source.data)
    elif source.media_type is not None:
        changes["media_type"] = None
    if isinstance(source, am.FileSource) and source.provider is not None:
        # The library passes the id to the provider that it is configured for.
        changes["provider"] = None
    extras = _SOURCE_EXTRAS(source.extras, source) if source.extras else source.extras
    if extras is not source.extras:
        changes["extras"] = extras
    return source.evolve(**changes) if changes else source


def _media(block: Any) -> Any:
    """Keep a source that this block may have; base64 data needs a media type, which is guessed if it is missing."""
    source = block.source
    if type(source) not in SOURCES[type(block)]:
        return Drop(f"no place for a {type(source).__name__} here")
    new = _nearest(source)
    if isinstance(new, am.Base64Source) and new.media_type is None and not is_odd(new):
        return Drop("nothing tells what kind of data this is")
    if new is source:
        return block
    return Swap(block.evolve(source=new), "only data has a media type here", "annotation")


def _audio(block: am.AudioBlock) -> Any:
    source = block.source
    data = media.read_data_url(source.url) if isinstance(source, am.URLSource) else None
    if data is not None and data.media_type is not None:
        return Swap(block.evolve(source=data), "audio is given as data here", "annotation")
    answer = _media(block)
    return rules.audio_as_text(block) if isinstance(answer, Drop) else answer


def _document(block: am.FileBlock) -> Any:
    answer = rules.document_as_text(block)
    return _media(block) if answer is block else answer


# -- blocks -----------------------------------------------------------------------------------------------------------


def _with_words(block: am.TextBlock) -> Any:
    return block if block.text or is_odd(block) else Drop("the text is empty", "annotation")


def _word_rows(parts: Parts) -> Rows:
    """Return the rows of messages whose content is one text."""

    def keys(block: Any) -> frozenset[str] | None:
        return parts.keys_of(block) if is_odd(block) else None

    return {
        **rules.TEXT_ROWS,
        am.TextBlock: Row({"text": KEEP, "extras": carried_extras((FAMILY, keys))}, _with_words),
        am.NativeBlock: rules.native_block_row(FAMILY, parts.comes_back),
    }


def _media_rows(described: Described) -> Rows:
    """Return the rows of messages, or results, whose content may be a list of blocks."""
    answers: Any = {am.ImageBlock: _media, am.AudioBlock: _audio, am.FileBlock: _document}
    return FormRows(described).place("everything", answers, _word_rows(described.parts["everything"]))


def _thinking(block: am.ThinkingBlock) -> Any:
    return block if _is_readable(block) else Drop("what only its provider can read has no place")


def _is_readable(block: am.ThinkingBlock) -> bool:
    signature = block.signature
    return bool(block.thinking) or (signature is not None and signature.provider == SIGNER and bool(signature.value))


def _assistant_rows(described: Described) -> Rows:
    return {
        **_word_rows(described.parts["words"]),
        am.ThinkingBlock: Row({"thinking": KEEP, "signature": cells.signed_by(SIGNER)}, _thinking),
        am.ToolUseBlock: FormRows(described).row("call", rules={am.ToolUseBlock: rules.call_as_function}),
    }


# -- messages ---------------------------------------------------------------------------------------------------------


def _rank(block: Any) -> int:
    if type(block) is am.ThinkingBlock:
        return 0
    return 2 if type(block) is am.ToolUseBlock and block.kind != "server" else 1


def _layout(message: am.Msg) -> tuple[int, ...] | None:
    """Return an assistant's blocks in the order of writing: one block of thinking, the content, the calls."""
    content = message.content
    if message.role != "assistant" or len(content) <= 1:
        return None
    order = list(restructure.in_order(content, _rank) or range(len(content)))
    thoughts = [
        index for index in order if isinstance(block := content[index], am.ThinkingBlock) and _is_readable(block)
    ]
    if len(thoughts) > 1:
        # They become one: as many as come before a signature, which is for one block only.
        count = next((count for count, index in enumerate(thoughts) if _is_signed(content[index])), len(thoughts))
        dropped = set(thoughts[max(count, 1) :])
        order = [index for index in order if index not in dropped]
    return None if order == list(range(len(content))) else tuple(order)


def _is_signed(block: Any) -> bool:
    return block.signature is not None


def _are_one(left: Any, right: Any) -> bool:
    if type(left) is not type(right):
        return False
    if type(left) is am.ThinkingBlock:
        return not _is_signed(left) and not _is_signed(right)
    return type(left) is am.TextBlock and not is_odd(left) and not is_odd(right)


def _joined(left: Any, right: Any) -> Any:
    """Join two adjacent blocks of text or thinking."""
    if not _are_one(left, right):
        return None
    if type(left) is am.ThinkingBlock:
        return left.evolve(thinking=f"{left.thinking}\n{right.thinking}")
    return left.evolve(text=f"{left.text}\n{right.text}")


def _one_text(message: am.Msg) -> Any:
    """Keep a message that needs no joining."""
    content = message.content
    if len(content) > 1 and any(map(_are_one, content, content[1:])):
        return Swap(message, "content is one text here", "annotation")
    return message


_DEVELOPER = rules.role_rule("system")


def _other(message: am.Msg) -> Any:
    """Keep a message of another role if it was read: the library checks no roles at run time."""
    if is_odd(message) and message.role not in NO_ROLES:
        return _one_text(message)
    return _DEVELOPER(message) if message.role == "developer" else rules.other_role(message)


def _rows(messages: Messages) -> Mapping[str, MessageRow]:
    described = messages.described
    words, listed = _word_rows(described.parts["words"]), _media_rows(described)
    result: Rows = {am.ToolResultBlock: Row({"tool_call_id": KEEP}, rules.structured_as_text)}
    fields = FormRows(described).message

    def of_words(role: str, blocks: Rows, otherwise: Callable[[am.Msg], Any] = _one_text) -> MessageRow:
        return MessageRow(fields=fields(role), blocks=blocks, otherwise=otherwise, joins=_joined)

    return {
        "system": of_words("system", words),
        "user": MessageRow(fields=fields("user"), blocks=listed),
        "assistant": of_words("assistant", _assistant_rows(described)),
        "tool": MessageRow(fields=fields("both_2", "other_2", "tool_2"), blocks=result, results=listed),
        "native": rules.native_message_row(FAMILY, messages.read),
        ANY_ROLE: of_words("other", words, _other),
    }


def make_caps(codec: ArcaelasCodec) -> Caps:
    """Return the capability table."""
    return Caps(
        messages=_rows(codec.engines[2]),
        history=CONTAINERS.cells(),
        arrange=(restructure.split_results, restructure.choose(_layout)),
        needs_id=natives.lacks_id(FAMILY),
        derives_names=True,
    )
