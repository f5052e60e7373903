"""Messages: each native message is one of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import Unreadable, is_object, natives, tool_links, write_as
from agentmsg_codecs.arcaelas.names import FAMILY, LINKS, NO_ROLES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentmsg.formats import CallNames, Native
    from agentmsg.formats.forms import Described

# The library writes these first, in this order.
_FIRST = dict.fromkeys(("role", "content", "timestamp", "tool_calls"))
_MOST_PLAIN = 3


def generation(native_messages: Sequence[Any]) -> int | None:
    """Return the generation whose key links the results of a document; None if none does."""
    results = [native for native in native_messages if is_object(native) and native.get("role") == "tool"]
    if any(native.get(LINKS[2]) is not None for native in results):
        return 2
    return 1 if any(native.get(LINKS[1]) is not None for native in results) else None


class Messages:
    """Reads and writes single messages.

    Args:
        described: the forms.
        version: the generation of the library, which determines the usual key that links a result.
    """

    def __init__(self, described: Described, version: int) -> None:
        self.described = described
        self._forms = {role: role for role in ("system", "user", "assistant")} | {"tool": f"tool_{version}"}

    def read(self, native: Any, names: CallNames | None = None) -> am.Msg:
        """Read a native message; one that the model can't express gets the role ``native``.

        Args:
            native: the native message.
            names: the calls of earlier messages.

        Raises:
            DecodeError: if it isn't a message at all.
        """
        role = natives.role_of(native)
        if role in NO_ROLES:
            return natives.read_whole(native, FAMILY)
        try:
            message: am.Msg = self.described.shapes[self._forms.get(role, "other")].read(native, am.Msg)
        except (Unreadable, AgentMsgError):
            message = natives.read_whole(native, FAMILY)
        return message if names is None else names.named(message)

    def write(self, message: am.Msg) -> Any:
        """Write a message that fits."""
        native = natives.native_of(message, FAMILY)
        if native is not None:
            return native
        shape = self.described.shapes[self._forms.get(message.role, "other")]
        if message.role == "tool" and message.notes:
            # The call has the name; the spellings are tested without it.
            message = tool_links.named(message, None)
        native = write_as(shape, message, FAMILY) if message.notes or message.extras else shape.write(message)
        return native if len(native) <= _MOST_PLAIN else _in_order(native, natives.extras_of(message, FAMILY))


def _in_order(native: Native, own: Mapping[str, Any]) -> Native:
    if own and not own.keys().isdisjoint(_FIRST):
        # These extras stay where they are.
        first = {key: native[key] for key in _FIRST if key in native and key not in own}
        return {**first, **native}
    ordered = {**_FIRST, **native}
    for key in _FIRST:
        if key not in native:
            del ordered[key]
    return ordered
