"""The base of the codecs for Python and for Java."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import attrs

import agentmsg_codecs.agentscope.sessions as sessions
from agentmsg import DecodeError
from agentmsg.formats import ContainerCodec
from agentmsg_codecs.agentscope.capabilities import make_caps
from agentmsg_codecs.agentscope.documents import read_document, sniff_with, write_document
from agentmsg_codecs.agentscope.messages import Messages
from agentmsg_codecs.agentscope.names import CONTENT_KEYS, VERSIONS

if TYPE_CHECKING:
    import agentmsg as am
    from agentmsg.formats import Caps
    from agentmsg.formats.forms import Described


@attrs.frozen(kw_only=True)
class AgentScope(ContainerCodec):
    """Messages of AgentScope, in one of its languages.

    Attributes:
        messages: the class of the engine.
        version: the version to write. None means the version that the history was read from, or else 2.
        engine: reads and writes.
    """

    messages: ClassVar[type[Messages]]
    content_keys: ClassVar[frozenset[str]] = ContainerCodec.content_keys | CONTENT_KEYS

    version: Literal[1, 2] | None = attrs.field(default=None, validator=attrs.validators.in_((None, *VERSIONS)))
    engine: Messages = attrs.field(
        init=False,
        eq=False,
        repr=False,
        default=attrs.Factory(lambda self: self.messages(self.version), takes_self=True),
    )

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms of both versions, the newer first."""
        dialects = self.engine.dialects
        return tuple(dialects[version].described for version in sorted(dialects, reverse=True))

    def make_caps(self) -> Caps:
        """Return the capability table; see capabilities.py."""
        extras = sessions.extras_cell(self.containers)
        return make_caps(self.engine, self.version, history={"extras": extras})

    def read(self, document: Any) -> am.History:
        """Read a message, a list of messages, or an object that holds the list; or a session file with such an object.

        Raises:
            DecodeError: if it isn't one of these.
        """
        name = sessions.path_in(document, self.containers)
        if name is None:
            return read_document(self.engine, self.containers, document, self.version or 2)
        inner = sessions.document_in(document, self.containers)
        try:
            history = read_document(self.engine, self.containers, inner, self.version or 2)
        except DecodeError as error:
            raise error.at(*sessions.path_of(name)) from None
        return sessions.noted(history, document, name, self.containers)

    def native_messages(self, document: Any) -> list[Any]:
        """Return the native messages of a document, in order; none if it has another format."""
        return super().native_messages(sessions.document_in(document, self.containers))

    def write(self, history: am.History) -> Any:
        """Write a history that fits, in the version and container that it was read from, or that the options name."""
        document = write_document(self.engine, self.containers, history, version=self.version, container=self.container)
        return sessions.written(history, document, self.containers)

    def likeness(self, document: Any) -> float:
        """Return how much a document looks like AgentScope in this language, judging by its first messages."""
        return sniff_with(self.first_natives(document), self.engine.sniff)
