"""Native messages to ours and back, one to one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import Shape, Unreadable, is_list, is_object, natives, write_as
from agentmsg_codecs.riffer.format import DESCRIBED
from agentmsg_codecs.riffer.names import FAMILY, RAW, VERSIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmsg.formats import Native
    from agentmsg_codecs.riffer.calls import Links
    from agentmsg_codecs.riffer.names import Version


_READERS, _WRITERS = DESCRIBED.names.readers, DESCRIBED.names.writers
_TODAY = frozenset({"id", "files", "reasoning", "token_usage", "structured_output", "finish_reason", RAW})
# The library writes these first, in this order.
_FIRST = dict.fromkeys(
    ("role", "content", "tool_call_id", "name", "id", "timestamp", "files", "tool_calls", "reasoning")
)
_MOST_PLAIN = 3


def _in_order(form: str) -> Shape:
    """Return the shape of a form of messages, with keys written in the library's order."""

    def write(message: am.Msg) -> Native:
        native: Native = _WRITERS[form](message)
        if len(native) <= _MOST_PLAIN:
            return native
        ordered = {**_FIRST, **native}
        for key in _FIRST:
            if key not in native:
                del ordered[key]
        return ordered

    return DESCRIBED.shapes[form].evolve(write=write)


def dialect(native_messages: Sequence[Any]) -> Version | None:
    """Return the dialect of a document; None if no message shows it."""
    messages = [native for native in native_messages if is_object(native)]
    if any(not _TODAY.isdisjoint(native) for native in messages):
        return "latest"
    lists = [native.get("tool_calls") for native in messages]
    calls = [call for entries in lists if is_list(entries) for call in entries if is_object(call)]
    if any("id" in call for call in calls):
        return "0.9"
    return "latest" if any("call_id" in call for call in calls) else None


class Messages:
    """Reads and writes single messages.

    Args:
        version: the dialect.
    """

    def __init__(self, version: Version) -> None:
        self.version: Version = version
        forms = {"system": "system", "user": "user", "assistant": f"assistant{VERSIONS[version]}", "tool": "tool"}
        self._forms = {role: (name, _in_order(name)) for role, name in forms.items()}

    def read(self, native: Any, links: Links | None = None) -> am.Msg:
        """Read a native message; an unreadable one becomes a message with the role ``native``.

        Args:
            native: the native message.
            links: the calls of earlier messages; None for a single message.

        Raises:
            DecodeError: if it isn't a message at all.
        """
        form = self._forms.get(natives.role_of(native))
        if form is None:
            return natives.read_whole(native, FAMILY)
        try:
            found: am.Msg = _READERS[form[0]](native)
            return found if links is None else links.linked(found)
        except (Unreadable, AgentMsgError):
            return natives.read_whole(native, FAMILY)

    def write(self, message: am.Msg, links: Links) -> Any:
        """Write a message that fits.

        Args:
            message: the message.
            links: the calls of earlier messages.
        """
        native = natives.native_of(message, FAMILY)
        if native is not None:
            return native
        message = links.unlinked(message)
        return write_as(self._forms[message.role][1], message, FAMILY)
