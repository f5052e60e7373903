"""Messages: each native message is one of ours. There is a form for each variant, and for chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import (
    Shape,
    Unreadable,
    given,
    is_marked,
    is_object,
    mark_of,
    marked,
    natives,
    tool_links,
    write_as,
)
from agentmsg_codecs.synaptic.format import described
from agentmsg_codecs.synaptic.names import FAMILY, VARIANT_OF, VARIANTS
from agentmsg_codecs.synaptic.variants import variant_of

if TYPE_CHECKING:
    from agentmsg.formats import CallNames


# The keys that Synaptic writes last, in this order, by role.
_LAST = {
    "assistant": ("content_blocks", "usage_metadata", "tool_call_chunks", "invalid_tool_calls"),
    "tool": ("name", "additional_kwargs", "response_metadata", "content_blocks"),
}
_LAST_OF_OTHERS = ("content_blocks",)
_GIVEN = (str, type(None))


class Messages:
    """Reads and writes single messages.

    Attributes:
        described: the forms of messages and of their content.
        parts: the table of content blocks.
    """

    def __init__(self) -> None:
        self.described = described()
        self.parts = self.described.parts["content"]
        self._readers, self._writers = self.described.names.readers, self.described.names.writers

    def fill(self) -> None:
        """Fill the tables, on first use."""
        self.described.fill()

    def read(self, native: Any, names: CallNames | None = None) -> am.Msg:
        """Read a native message; one that the model can't express gets the role ``native``.

        Args:
            native: the native message, or chunk.
            names: the names of earlier calls; None if they aren't known.

        Raises:
            DecodeError: if it isn't a message at all.
        """
        if is_object(native) and "role" not in native and type(native.get("content")) is str:
            word = variant = "chunk"
        else:
            word = natives.role_of(native)
            variant = VARIANTS.get(word, "bare")
        try:
            message: am.Msg = self._readers[variant](native)
        except (Unreadable, AgentMsgError):
            return natives.read_whole(native, FAMILY)
        if word != variant != "bare":
            message = marked(message, FAMILY, word=word)
        return message if names is None else names.named(message)

    def shape_of(self, message: am.Msg) -> Shape:
        """Return the shape in which a message is written."""
        return self.described.shapes[variant_of(message)]

    def write(self, message: am.Msg, names: CallNames) -> Any:
        """Write a message that fits.

        Args:
            message: the message.
            names: the names of earlier calls, as a reader will know them.
        """
        role = message.role
        if role == "native":
            whole = natives.native_of(message, FAMILY)
            if whole is not None:
                return whole
        elif role == "assistant":
            if message.content and message.content[-1].__class__ is am.ToolUseBlock:
                names.see(message)  # calls come last
        elif role == "tool":
            message = _unnamed(message, names)
        if (message.id.__class__ not in _GIVEN and role != "remove") or message.name.__class__ not in _GIVEN:
            # What our library made isn't written.
            message = message.evolve(id=given(message.id), name=given(message.name))
        if message.notes or message.extras:
            native = write_as(self.shape_of(message), message, FAMILY)
            word = mark_of(message, FAMILY, "/word")
            if isinstance(word, str) and VARIANTS.get(word) == native.get("role"):
                native["role"] = word
        else:
            native = self._writers[VARIANT_OF.get(role, "chat")](message)
        unknown = natives.extras_of(message, FAMILY) if message.extras else ()
        for key in (*_LAST.get(role, _LAST_OF_OTHERS), *unknown):
            if key in native:
                native[key] = native.pop(key)
        return native


def _unnamed(message: am.Msg, names: CallNames) -> am.Msg:
    """Leave out a result's name if a reader takes it from the call, unless the document had it, too."""
    result: Any = message.content[0]
    name = names.answer(result.tool_call_id)
    is_own = name is None or result.name != name or is_marked(message, FAMILY, "/named")
    # A made name isn't written anyway.
    return message if is_own or given(result.name) is None else tool_links.named(message, None)
