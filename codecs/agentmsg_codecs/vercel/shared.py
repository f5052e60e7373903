"""The base of both codecs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import attrs

import agentmsg as am
from agentmsg import DecodeError
from agentmsg.formats import ContainerCodec, envelopes, excerpt, is_object

if TYPE_CHECKING:
    from agentmsg.formats.forms import Described


def check_message(native: Any) -> None:
    """Check that a native message is an object.

    Raises:
        DecodeError: if it isn't.
    """
    if not is_object(native):
        raise DecodeError(f"a message is an object, not {excerpt(native)}")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Vercel(ContainerCodec):
    """Base of the codecs for messages of the Vercel AI SDK."""

    writes_plain: ClassVar[bool] = True
    envelope: ClassVar[envelopes.Envelope]
    engine: Any = attrs.field(init=False, eq=False, repr=False)

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms of parts."""
        return (self.engine.described,)

    def read(self, document: Any) -> am.History:
        """Read a list of messages, one message, or an object that holds messages."""
        contents = self.containers.contents(document)
        if not all(map(is_object, contents.natives)):
            contents.each(check_message)  # its error has the path
        self.engine.fill()
        return self.envelope.unwrapped(self.containers.history(contents, self.read_all(contents)))

    def read_all(self, contents: Any) -> list[am.Msg]:
        """Read the messages of a document."""
        messages: list[am.Msg] = self.engine.read(contents.natives)
        return messages

    def write(self, history: am.History) -> Any:
        """Write a history that fits, in the container that it was read from, or as the option decides."""
        self.engine.fill()
        inside = self.envelope.wrapped(history)
        return self.containers.document(inside, self.engine.write(inside.messages), self.container)
