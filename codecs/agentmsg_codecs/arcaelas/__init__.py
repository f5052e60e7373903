"""arcaelas: messages of @arcaelas/agent, as ``toJSON`` returns them.

A document is a list of messages, one message, or an object that holds the list under ``messages`` and has no ``role``.
The object's other keys become ``history.extras["arcaelas"]``.

Messages are written as version 2.3 writes them, in its order of keys. A history that was read keeps its version: new
results link to calls by the same field.

Follows @arcaelas/agent 2.3, and the older forms of 1.9 and 1.0.

| Arcaelas | agentmsg |
| --- | --- |
| any other role (the library accepts it at run time) | the same role, if it was read |
| unknown keys and an invalid time; keys of a call's function | extras["arcaelas"]; extras["arcaelas.item"] |
| any other block or message | NativeBlock; a message with the role "native" |

A result takes the name of its call. Thinking is one block in front; its signature is Anthropic's. A file source has no
provider. Times are UTC with milliseconds.

New content is written as a text if it is one plain text, and as null beside calls. Absent values have no key. If only
one text is possible, several are joined with a line break.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import attrs

from agentmsg.formats import CallNames, ContainerCodec, Containers, is_object, mark_of
from agentmsg_codecs.arcaelas.format import described
from agentmsg_codecs.arcaelas.messages import Messages, generation
from agentmsg_codecs.arcaelas.names import CONTAINERS, CONTENT_KEYS, FAMILY, LINKS
from agentmsg_codecs.arcaelas.times import STAMP

if TYPE_CHECKING:
    import agentmsg as am
    from agentmsg.formats.forms import Described, Form


__all__ = ["ArcaelasCodec"]


def _engines() -> Mapping[int, Messages]:
    forms = described()
    return {version: Messages(forms, version) for version in LINKS}


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ArcaelasCodec(ContainerCodec):
    """Messages of @arcaelas/agent.

    Attributes:
        version: the version to write if the history has none. 2 links results by ``tool_call_id`` (as 1.9 does), 1 by
            ``tool_id`` (1.0).
        engines: read and write, by generation; hooks registered before first use on
            ``engines[2].described.parts["words"].converter`` replace ours in all.
    """

    name: ClassVar[str] = "arcaelas"
    family: ClassVar[str] = FAMILY
    caps_in: ClassVar[str | None] = f"{__name__}.capabilities"
    fits_as_read: ClassVar[bool] = True
    title: ClassVar[str] = "Arcaelas Agent"
    containers: ClassVar[Containers] = CONTAINERS
    writes_plain: ClassVar[bool] = True
    content_keys: ClassVar[frozenset[str]] = ContainerCodec.content_keys | CONTENT_KEYS

    version: Literal[1, 2] = attrs.field(default=2, validator=attrs.validators.in_((1, 2)))
    engines: Mapping[int, Messages] = attrs.field(factory=_engines, init=False, eq=False, repr=False)

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms."""
        return (self.engines[2].described,)

    def _engine(self, version: Any) -> Messages:
        engine = self.engines[version if type(version) is int and version in self.engines else self.version]
        engine.described.fill()
        return engine

    def read(self, document: Any) -> am.History:
        """Read a list of messages, one message, or an object that holds messages."""
        contents = CONTAINERS.contents(document)
        version = generation(contents.natives)
        read, names = self._engine(version).read, CallNames()
        messages = contents.each(lambda native: read(native, names))
        marks = {} if version is None else {"version": version}
        return CONTAINERS.history(contents, messages, **marks)

    def write(self, history: am.History) -> Any:
        """Write a history that fits, in the container that it was read from, or as the option decides."""
        engine = self._engine(mark_of(history, FAMILY, "/version"))
        return CONTAINERS.document(history, list(map(engine.write, history.messages)), self.container)

    def likeness(self, document: Any) -> float:
        """Return how much a document looks like Arcaelas, judging by its first messages."""
        forms = self.engines[2].described.forms
        return min((_sniff_message(native, forms) for native in self.first_natives(document)), default=0.0)


# -- likeness ---------------------------------------------------------------------------------------------------------


_FORMS = {"system": "system", "user": "user", "assistant": "assistant", "tool": "tool_2"}


def _sniff_message(message: Any, forms: Mapping[str, Form]) -> float:
    """Return 0 to 1: most for a message with a time as JavaScript writes it, and only keys of the library."""
    if not is_object(message):
        return 0.0
    role, stamp = message.get("role"), message.get("timestamp")
    if not isinstance(role, str) or role not in _FORMS or not isinstance(stamp, str):
        return 0.0
    own = STAMP.fullmatch(stamp) is not None and forms[_FORMS[role]].keys.issuperset(message)
    return 0.95 if own else 0.2
