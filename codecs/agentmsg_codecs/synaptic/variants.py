"""The variant in which to write a message."""

from __future__ import annotations

import agentmsg as am
from agentmsg.formats import is_marked, mark_of
from agentmsg_codecs.synaptic.calls import rank
from agentmsg_codecs.synaptic.content import is_bare
from agentmsg_codecs.synaptic.names import FAMILY, RESERVED, VARIANT_OF, VARIANTS


def variant_of(message: am.Msg) -> str:
    """Return the variant that a message is written as."""
    role = message.role
    if not message.notes:
        return VARIANT_OF.get(role, "chat")
    if role == "assistant" and _is_chunk(message):
        return "chunk"
    mark = mark_of(message, FAMILY, "/variant")
    if mark == "bare" and role not in VARIANTS and role not in RESERVED:
        return "bare"
    own = VARIANT_OF.get(role)
    if own is None or own in RESERVED or mark != "chat":
        return own or "chat"
    # Only assistants have usage, a model and calls.
    plain = message.usage is None and message.model is None and not message.has(am.ToolUseBlock)
    return "chat" if plain else own


def _is_chunk(message: am.Msg) -> bool:
    """Whether a message is written as a chunk: it was one, and has nothing that a chunk can't have."""
    if not is_marked(message, FAMILY, "/chunk"):
        return False
    if message.name is not None or message.model is not None or message.metadata or message.response_metadata:
        return False
    blocks = [block for block in message.content if not rank(block)]
    if blocks and type(blocks[0]) is am.ThinkingBlock and blocks[0].thinking and FAMILY not in blocks[0].extras:
        blocks = blocks[1:]
    return not blocks or (len(blocks) == 1 and is_bare(blocks[0]))
