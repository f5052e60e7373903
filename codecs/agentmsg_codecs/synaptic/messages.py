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


_LAST_OF_ANY = ("content_blocks",)
_GIVEN = (str, type(None))


class Messages:
    """Reads and writes single messages.

    Attributes:
        described: the forms of messages, and of what stands inside.
        parts: the table of content blocks.
    """

    def __init__(self) -> None:
        self.described = described()
        self.parts = self.described.parts["content"]
        self._readers, self._writers = self.described.names.readers, self.described.names.writers

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
        """Return the shape of what a message is written as."""
        return self.described.shapes[variant_of(message)]

    def keys_of(self, message: am.Msg) -> frozenset[str]:
        """Return the keys that the native form of a message models."""
        return self.described.forms[variant_of(message)].keys | {"role"}

    def is_odd(self, message: am.Msg, key: str, value: Any) -> bool:
        """Whether a value has no meaning under a key of a message, so that it is an unknown field."""
        return natives.odd_at(self.shape_of(message), FAMILY)(message, key, value)

    def write(self, message: am.Msg, names: CallNames) -> Any:
        """Return the native message of one that fits.

        Args:
            message: the message.
            names: what a reader will know of the calls before.
        """
        role = message.role
        if role == "native":
            whole = natives.native_of(message, FAMILY)
            if whole is not None:
                return whole
        elif role == "assistant":
            if message.content and message.content[-1].__class__ is am.ToolUseBlock:
                # Calls stand last.
                names.see(message)
        elif role == "tool":
            message = _unnamed(message, names)
        if (message.id.__class__ not in _GIVEN and role != "remove") or message.name.__class__ not in _GIVEN:
            # What the library made is not written.
            message = message.evolve(id=given(message.id), name=given(message.name))
        if message.notes or message.extras:
            native = write_as(self.shape_of(message), message, FAMILY)
            word = mark_of(message, FAMILY, "/word")
            if isinstance(word, str) and VARIANTS.get(word) == native.get("role"):
                native["role"] = word
        else:
            native = self._writers[VARIANT_OF.get(role, "chat")](message)
        unknown = natives.extras_of(message, FAMILY) if message.extras else ()
        for key in (*_LAST.get(role, _LAST_OF_ANY), *unknown):
            if key in native:
                native[key] = native.pop(key)
        return native


def _unnamed(message: am.Msg, names: CallNames) -> am.Msg:
    """Leave out the name of a result that a reader takes from its call, where the document did not say it too."""
    result: Any = message.content[0]
    name = names.answer(result.tool_call_id)
    is_said = name is None or result.name != name or is_marked(message, FAMILY, "/named")
    # What the library made is not written anyway.
    return message if is_said or given(result.name) is None else tool_links.named(message, None)
