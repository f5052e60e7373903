"""What Synaptic holds, and what becomes of the rest: media by URL, and an assistant's calls behind the content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg.formats import ANY_ROLE, KEEP, MessageRow, Row, carried_extras, mark_of, media, natives, rules, usually
from agentmsg.formats.forms import Rows
from agentmsg.formats.nearest import Nearest, Orders
from agentmsg_codecs.synaptic.calls import carried_call_extras, is_text, rank
from agentmsg_codecs.synaptic.format import read_source
from agentmsg_codecs.synaptic.names import FAMILY
from agentmsg_codecs.synaptic.usage import carried
from agentmsg_codecs.synaptic.variants import variant_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg.formats import Cell


# -- blocks -----------------------------------------------------------------------------------------------------------


def _media(block: Any) -> Any:
    """Return media given by URL, which holds nothing else, or what they say in words; None if they say nothing."""
    source = block.source
    if not isinstance(source, (am.URLSource, am.Base64Source)):
        return rules.as_text(block)
    back = read_source(media.write_url(source), source.media_type if isinstance(block, am.FileBlock) else None)
    return block if am.same(back, source) else block.evolve(source=back)


def _thinking(block: am.ThinkingBlock) -> am.ThinkingBlock | None:
    """Leave out what only its provider can read."""
    return block if block.thinking or block.redacted is None else None


def _raw_input(text: str, block: am.ToolUseBlock) -> str | None:
    """Keep the text of a call that is written as text; any other only if the input says all of it."""
    return text if is_text(block) or block.significant_text is None else None


_CALL = {"id": KEEP, "name": KEEP, "input": KEEP, "raw_input": _raw_input, "extras": carried_call_extras}
_MEDIA = (am.ImageBlock, am.AudioBlock, am.VideoBlock, am.FileBlock)


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


class SynapticNearest(Nearest):
    """Finds the nearest history that Synaptic holds."""

    derives_names = True
    orders: ClassVar[Orders] = {"assistant": ()}

    def rows(self) -> Mapping[str, MessageRow]:
        """Return what messages hold."""
        forms, parts = Rows(self.described), self.described.parts["content"]
        others = {am.NativeBlock: rules.native_block_row(FAMILY, parts.comes_back)}
        answers: Any = {**dict.fromkeys(_MEDIA, _media), am.ThinkingBlock: _thinking}
        blocks = forms.place("content", answers, others)
        extras = carried_extras((FAMILY, self._keys_of), odd=self._is_odd)
        common: dict[str, Cell] = {"id": KEEP, "metadata": KEEP, "response_metadata": KEEP, "extras": extras}
        answer = {"model": KEEP, "usage": carried(forms.row("usage").fields), "response_metadata": _without_model}
        calls: Any = {**blocks, am.ToolUseBlock: Row(_CALL, rules.call_as_function)}
        result: Any = {am.ToolResultBlock: Row({"tool_call_id": KEEP, "name": KEEP}, rules.structured_as_text)}
        plain = MessageRow(fields={**common, "name": KEEP}, blocks=blocks)
        return {
            **dict.fromkeys(("system", "developer", "user", ANY_ROLE), plain),
            "assistant": MessageRow(fields={**common, "name": KEEP, **answer}, blocks=calls),
            "tool": MessageRow(fields=common, blocks=result, results=blocks),
            "remove": MessageRow(fields={"id": KEEP, "extras": extras}),
        }

    def _keys_of(self, message: am.Msg) -> frozenset[str]:
        """Return the keys that the native form of a message models."""
        return self.described.forms[variant_of(message)].keys | {"role"}

    def _is_odd(self, message: am.Msg, key: str, value: Any) -> bool:
        """Whether a value has no meaning under a key of a message, so that it is an unknown field."""
        return natives.odd_at(self.described.shapes[variant_of(message)], FAMILY)(message, key, value)

    def role_of(self, message: am.Msg) -> str | None:
        """Return the role: any is free. A removal needs the id of a message."""
        if message.role == "developer" and mark_of(message, FAMILY, "/variant") not in ("chat", "bare"):
            return "system"
        return None if message.role == "remove" and message.id is None else message.role

    def rank(self, block: Any, role: str) -> int:
        """Return the place of a block: content, calls, invalid calls, pieces of calls."""
        return rank(block)

    def needs_id(self, block: Any) -> bool:
        """Whether a call or result must be given an id: a piece and an invalid call need none."""
        return self.lacks_id(block) and (isinstance(block, am.ToolResultBlock) or not is_text(block))
