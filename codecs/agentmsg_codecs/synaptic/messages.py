"""Messages: one native message is one of ours. A form for each variant, and for chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import Shape, Unreadable, given, is_marked, is_object, mark_of, natives, tool_links, write_as
from agentmsg_codecs.synaptic.calls import rank
from agentmsg_codecs.synaptic.content import is_bare
from agentmsg_codecs.synaptic.format import described
from agentmsg_codecs.synaptic.names import FAMILY, RESERVED, VARIANT_OF, VARIANTS

if TYPE_CHECKING:
    from agentmsg.formats import CallNames


# The keys that Synaptic writes last, in this order; the name of a tool stands behind the id.
_LAST = ("content_blocks", "usage_metadata", "tool_call_chunks", "invalid_tool_calls")
_LAST_OF_TOOL = ("name", "additional_kwargs", "response_metadata", "content_blocks")


def _variant_of(message: am.Msg) -> str:
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
    # What only responses have, no other variant has.
    plain = message.usage is None and message.model is None and not message.has(am.ToolUseBlock)
    return "chat" if plain else own


def _is_chunk(message: am.Msg) -> bool:
    """Whether a message is written as a chunk: it was one, and says only what a chunk can."""
    if not is_marked(message, FAMILY, "/chunk"):
        return False
    if message.name is not None or message.model is not None or message.metadata or message.response_metadata:
        return False
    said = [block for block in message.content if not rank(block)]
    if said and type(said[0]) is am.ThinkingBlock and said[0].thinking and FAMILY not in said[0].extras:
        said = said[1:]
    return not said or (len(said) == 1 and is_bare(said[0]))


class Messages:
    """Reads and writes single messages.

    Attributes:
        described: the forms of messages, and of what stands inside.
        parts: the table of content blocks.
    """

    def __init__(self) -> None:
        self.described = described()
        self.parts = self.described.parts["content"]

    def fill(self) -> None:
        """Fill the tables of hooks, on first use."""
        self.described.fill()

    def read(self, native: Any, names: CallNames | None = None) -> am.Msg:
        """Return the message of a native one; of the role ``native`` where it cannot be told in the model.

        Args:
            native: the native message, or chunk.
            names: what is known of the calls before; None: nothing.

        Raises:
            DecodeError: if it isn't a message at all.
        """
        if is_object(native) and "role" not in native and type(native.get("content")) is str:
            variant = "chunk"
        else:
            variant = VARIANTS.get(natives.role_of(native), "bare")
        try:
            message: am.Msg = self.described.names.readers[variant](native)
        except (Unreadable, AgentMsgError):
            return natives.read_whole(native, FAMILY)
        return message if names is None else names.named(message)

    def shape_of(self, message: am.Msg) -> Shape:
        """Return the shape of what a message is written as."""
        return self.described.shapes[_variant_of(message)]

    def keys_of(self, message: am.Msg) -> frozenset[str]:
        """Return the keys that the native form of a message models."""
        return self.described.forms[_variant_of(message)].keys | {"role"}

    def is_odd(self, message: am.Msg, key: str, value: Any) -> bool:
        """Whether a value has no meaning under a key of a message, so that it is an unknown field."""
        return natives.odd_at(self.shape_of(message), FAMILY)(message, key, value)

    def write(self, message: am.Msg, names: CallNames) -> Any:
        """Return the native message of one that fits.

        Args:
            message: the message.
            names: what a reader will know of the calls before.
        """
        whole = natives.native_of(message, FAMILY)
        if whole is not None:
            return whole
        message = _told(message, names)
        native = write_as(self.shape_of(message), message, FAMILY)
        for key in _LAST_OF_TOOL if message.role == "tool" else _LAST:
            if key in native:
                native[key] = native.pop(key)
        return native


def _told(message: am.Msg, names: CallNames) -> am.Msg:
    """Leave out what the library made, and the name of a result that a reader takes from its call.

    That stays where the document said it, too.
    """
    if message.role == "assistant":
        names.see(message)
    if type(message.id) is not str and message.id is not None and message.role != "remove":
        message = message.evolve(id=given(message.id))
    if type(message.name) is not str and message.name is not None:
        message = message.evolve(name=given(message.name))
    if message.role != "tool":
        return message
    result: Any = message.content[0]
    name = names.answer(result.tool_call_id)
    is_said = name is None or result.name != name or is_marked(message, FAMILY, "/named")
    # What the library made is not written anyway.
    return message if is_said or given(result.name) is None else tool_links.named(message, None)
