"""riffer: messages of the Ruby gem riffer, as ``to_h`` returns them, with symbols as strings.

A document is a list of messages, one message, or an object that holds the list under ``messages`` and has no ``role``.
The object's other keys become ``history.extras["riffer"]``.

There are two dialects: 0.9, and the current one. A history keeps its dialect, also for new messages.

Follows riffer 0.9, and the sources of November 2026.

| Riffer | agentmsg |
| --- | --- |
| tool_call_id: the call's id in 0.9, its call_id today | tool_call_id: the id of the ToolUseBlock |
| reasoning: ``format`` names who signed it | ThinkingBlocks, first in the message |
| reasoning: encrypted | redacted; if unsigned and not Anthropic's, the Signature |
| timestamp (of one version) | created_at; written only if it was read |
| sha256; filename of an image; url beside data; unknown keys | extras["riffer"] |
| an invalid time, id, reason or type of error | extras["riffer"] |
| any other file, part or message | NativeBlock; a message with the role "native" |

Empty content is an empty string. Absent values have no key. Several texts are joined with a line break. 0.9 knows only
role, content, tool_calls and the fields of tool messages. It ignores newer keys, so they are written for it too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import (
    ContainerCodec,
    Containers,
    Shape,
    Unreadable,
    is_list,
    is_object,
    is_sequence,
    mark_of,
    natives,
    write_as,
)
from agentmsg_codecs.riffer.calls import Links
from agentmsg_codecs.riffer.format import DESCRIBED
from agentmsg_codecs.riffer.names import CONTAINERS, CONTENT_KEYS, FAMILY, RAW, VERSIONS, Version

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmsg.formats import Native
    from agentmsg.formats.forms import Described


__all__ = ["RifferCodec"]


def _engines() -> Mapping[str, _Messages]:
    return {version: _Messages(version) for version in VERSIONS}


@attrs.frozen(kw_only=True, eq=False, repr=False)
class RifferCodec(ContainerCodec):
    """Messages of the gem riffer.

    Attributes:
        version: the dialect to write if the history has none.
    """

    name: ClassVar[str] = "riffer"
    family: ClassVar[str] = FAMILY
    caps_in: ClassVar[str | None] = f"{__name__}.capabilities"
    fits_as_read: ClassVar[bool] = True
    title: ClassVar[str] = "Riffer"
    containers: ClassVar[Containers] = CONTAINERS
    writes_plain: ClassVar[bool] = True
    content_keys: ClassVar[frozenset[str]] = ContainerCodec.content_keys | CONTENT_KEYS

    version: Version = attrs.field(default="latest", validator=attrs.validators.in_(VERSIONS))
    engines: Mapping[str, _Messages] = attrs.field(factory=_engines, init=False, eq=False, repr=False)

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms."""
        return (DESCRIBED,)

    def _engine(self, version: Any) -> _Messages:
        return self.engines[version if isinstance(version, str) and version in self.engines else self.version]

    def read(self, document: Any) -> am.History:
        """Read a list of messages, one message, or an object that holds messages."""
        contents = CONTAINERS.contents(document)
        version = dialect(contents.natives)
        engine = self._engine(version)
        links = Links(engine.version)
        messages = contents.each(lambda native: engine.read(native, links))
        marks = {} if version is None else {"version": version}
        return CONTAINERS.history(contents, messages, **marks)

    def write(self, history: am.History) -> Any:
        """Write the native messages, in the container that was read, else in that of the option."""
        engine = self._engine(mark_of(history, FAMILY, "/version"))
        links = Links(engine.version)
        natives = [engine.write(message, links) for message in history.messages]
        return CONTAINERS.document(history, natives, self.container)

    def likeness(self, document: Any) -> float:
        """Return how closely a document resembles Riffer, by its first messages: all must be possible."""
        return self.likeliest(document, _sniff_message)


# -- messages, one to one ---------------------------------------------------------------------------------------------


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


class _Messages:
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


# -- likeness ---------------------------------------------------------------------------------------------------------


_ROLES = frozenset({"system", "user", "assistant", "tool"})
_OWN_KEYS = frozenset({"files", "token_usage", "structured_output", "finish_reason_raw"})
_RESULT_KEYS = frozenset({"name", "tool_call_id"})
_RARELY, _PLAIN, _LIKELY, _OWN = 0.2, 0.82, 0.84, 0.95


def _sniff_message(message: Any) -> float:
    """Return 0 to 1: high for a message that only Riffer has, less for a common one, 0 for any other."""
    if not is_object(message):
        return 0.0
    role, content = message.get("role"), message.get("content")
    form = DESCRIBED.forms.get(role) if isinstance(role, str) and role in _ROLES else None
    if form is None or not form.keys.issuperset(message) or not (content is None or isinstance(content, str)):
        return 0.0
    calls, reasoning = message.get("tool_calls"), message.get("reasoning")
    if is_sequence(calls) and calls:
        return _OWN if all(is_object(call) and "call_id" in call and "function" not in call for call in calls) else 0.0
    if reasoning is not None and not is_sequence(reasoning):
        return 0.0
    if role == "tool" and not _RESULT_KEYS.issubset(message):
        return _RARELY
    if reasoning or not _OWN_KEYS.isdisjoint(message) or "error" in message:
        return _OWN
    if "content" not in message:
        return _RARELY
    return _LIKELY if role == "tool" or "finish_reason" in message else _PLAIN
