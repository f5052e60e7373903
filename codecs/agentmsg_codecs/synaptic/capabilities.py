"""The capability table: what Synaptic's messages support, and the rules for the rest."""

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
    mark_of,
    media,
    restructure,
    rules,
    usually,
)
from agentmsg.formats.forms import Rows as FormRows
from agentmsg_codecs.synaptic.calls import carried_call_extras, is_text, needs_id, rank
from agentmsg_codecs.synaptic.format import read_source
from agentmsg_codecs.synaptic.names import CONTAINERS, FAMILY
from agentmsg_codecs.synaptic.usage import carried
from agentmsg_codecs.synaptic.variants import variant_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats import Cell
    from agentmsg_codecs.synaptic import SynapticCodec
    from agentmsg_codecs.synaptic.messages import Messages


Rows = dict[type[am.BaseBlock], Row]


# -- blocks -----------------------------------------------------------------------------------------------------------


def _media(without_url: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the rule for media: what a URL can't hold becomes text, or is dropped.

    Args:
        without_url: the rule for those, which may return the block itself.
    """

    def rule(block: Any) -> Any:
        source = block.source
        if not isinstance(source, (am.URLSource, am.Base64Source)):
            near = without_url(block)
            return Drop("media are given by URL here") if near is block else near
        media_type = source.media_type if isinstance(block, am.FileBlock) else None
        back = read_source(media.write_url(source), media_type)
        if am.same(back, source):
            return block
        return Swap(block.evolve(source=back), "a URL holds nothing else", "annotation")

    return rule


def _thinking(block: am.ThinkingBlock) -> Any:
    if block.thinking or block.redacted is None:
        return block
    return Drop("what only its provider can read has no place")


def _content_rows(messages: Messages) -> Rows:
    answers: Any = {
        am.ImageBlock: _media(lambda block: block),
        am.AudioBlock: _media(rules.audio_as_text),
        am.VideoBlock: _media(lambda block: block),
        am.FileBlock: _media(rules.document_as_text),
        am.ThinkingBlock: _thinking,
    }
    return FormRows(messages.described).place("content", answers)


def _raw_input(text: str, block: am.ToolUseBlock) -> str | None:
    """Keep the text of a call that is written as text; any other only if the input says all of it."""
    return text if is_text(block) or block.significant_text is None else None


_CALL_ROW = Row(
    {"id": KEEP, "name": KEEP, "input": KEEP, "raw_input": _raw_input, "extras": carried_call_extras},
    rules.call_as_function,
)
_RESULT_ROW = Row({"tool_call_id": KEEP, "name": KEEP}, rules.structured_as_text)


# -- messages ---------------------------------------------------------------------------------------------------------


@usually("'model' not in value")
def _without_model(metadata: Mapping[str, Any], message: am.Msg) -> Any:
    """Keep metadata of a response, but not ``model`` if that would be read as, or hide, the model of the message."""
    if "model" not in metadata:
        return metadata
    is_own = not isinstance(metadata["model"], str) or variant_of(message) == "chat"
    if message.model is None and is_own:
        return metadata
    return {key: value for key, value in metadata.items() if key != "model"}


def _developer(message: am.Msg) -> Any:
    if mark_of(message, FAMILY, "/variant") in ("chat", "bare"):
        return message
    return rules.role_rule("system")(message)


def _remove(message: am.Msg) -> Any:
    return Drop("a removal needs the id of a message") if message.id is None else message


def make_caps(codec: SynapticCodec) -> Caps:
    """Return the capability table."""
    messages = codec.engine
    rows = _content_rows(messages)
    extras = carried_extras((FAMILY, messages.keys_of), odd=messages.is_odd)
    common: dict[str, Cell] = {"id": KEEP, "metadata": KEEP, "response_metadata": KEEP, "extras": extras}
    plain: dict[str, Cell] = {**common, "name": KEEP}
    answer: dict[str, Cell] = {
        **plain,
        "model": KEEP,
        "usage": carried(FormRows(messages.described).row("usage").fields),
        "response_metadata": _without_model,
    }
    return Caps(
        messages={
            "system": MessageRow(fields=plain, blocks=rows),
            "developer": MessageRow(fields=plain, blocks=rows, otherwise=_developer),
            "user": MessageRow(fields=plain, blocks=rows),
            "assistant": MessageRow(fields=answer, blocks={**rows, am.ToolUseBlock: _CALL_ROW}),
            "tool": MessageRow(fields=common, blocks={am.ToolResultBlock: _RESULT_ROW}, results=rows),
            "remove": MessageRow(fields={"id": KEEP, "extras": extras}, otherwise=_remove),
            "native": rules.native_message_row(FAMILY, messages.read),
            ANY_ROLE: MessageRow(fields=plain, blocks=rows),
        },
        history=CONTAINERS.cells(),
        # Content, calls, invalid calls, pieces of calls.
        arrange=(restructure.split_results, restructure.order("assistant", rank)),
        needs_id=needs_id,
        derives_names=True,
    )
