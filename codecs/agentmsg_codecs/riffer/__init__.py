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

from agentmsg.formats import ContainerCodec, Containers, mark_of
from agentmsg_codecs.riffer.calls import Links
from agentmsg_codecs.riffer.format import DESCRIBED
from agentmsg_codecs.riffer.likeness import sniff_message
from agentmsg_codecs.riffer.messages import Messages, dialect
from agentmsg_codecs.riffer.names import CONTAINERS, CONTENT_KEYS, FAMILY, VERSIONS, Version

if TYPE_CHECKING:
    import agentmsg as am
    from agentmsg.formats.forms import Described

__all__ = ["RifferCodec"]


def _engines() -> Mapping[str, Messages]:
    return {version: Messages(version) for version in VERSIONS}


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
    engines: Mapping[str, Messages] = attrs.field(factory=_engines, init=False, eq=False, repr=False)

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms."""
        return (DESCRIBED,)

    def _engine(self, version: Any) -> Messages:
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
        return self.likeliest(document, sniff_message)
