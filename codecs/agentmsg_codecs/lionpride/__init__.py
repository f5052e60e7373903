"""lionpride: messages of lionpride (Python), whose content decides their role.

A document is a list of messages, one message, or a pile (``{"items": [...], ...}``). A message is a node, or only
``{"content": {...}}``.

Follows lionpride 1.0.0a12.

| lionpride | agentmsg |
| --- | --- |
| content with instruction, context, request_model, tool_schemas or images; with none of the keys below | user |
| else with assistant_response | assistant |
| else with result or error | tool |
| else with function or arguments | assistant, with a call |
| else with system_message or system_datetime | system |
| instruction: a text; any other value | TextBlock; DataBlock named "instruction" |
| context, tool_schemas, request_model | DataBlock named like the key |
| images, with image_detail | one ImageBlock each: URLSource, detail |
| image_detail without images | DataBlock named "image_detail" |
| system_message; system_datetime | TextBlock; DataBlock named "system_datetime" |
| assistant_response | TextBlock |
| function, arguments | ToolUseBlock: name, input; its id is the message's |
| request_id; result: a text; any other value | ToolResultBlock: tool_call_id; content; structured |
| error | error of the result |
| an empty value; null | an empty block; no block |
| another value in a field for text | its JSON text |
| sender, recipient | name, recipient |
| id, created_at (ISO, or seconds), embedding | id, created_at, embedding |
| metadata (lineage of clones included), without lion_class | metadata |
| other keys of the content; of the node | extras["lionpride.content"]; extras["lionpride"] |
| an invalid value in a field of the node, such as a time | extras["lionpride"] |
| another lion_class | extras["lionpride.metadata"] |
| a message of another type | a message with the role "native" |

lionpride itself leaves empty fields out, and reads a message without fields as an instruction. Here an empty field is
written, so the role is kept. An id that isn't a UUID becomes one (version 5, the same for a call and its result). If no
call has the id, it is dropped. A result takes the name of its call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from agentmsg.formats import CallNames, ContainerCodec, Containers, is_mapping
from agentmsg_codecs.lionpride.format import CONTAINERS, CONTENT_KEYS, DESCRIBED, FAMILY, FIELDS, NODE_KEYS, TRIGGERS
from agentmsg_codecs.lionpride.messages import read_node, write_node

if TYPE_CHECKING:
    import agentmsg as am
    from agentmsg.formats.forms import Described


__all__ = ["LionprideCodec"]


class LionprideCodec(ContainerCodec):
    """Messages of lionpride."""

    name: ClassVar[str] = "lionpride"
    family: ClassVar[str] = FAMILY
    caps_in: ClassVar[str | None] = f"{__name__}.capabilities"
    fits_as_read: ClassVar[bool] = True
    title: ClassVar[str] = "lionpride (Message.to_dict)"
    containers: ClassVar[Containers] = CONTAINERS
    writes_plain: ClassVar[bool] = True
    content_keys: ClassVar[frozenset[str]] = ContainerCodec.content_keys | CONTENT_KEYS

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms of nodes and their contents."""
        return (DESCRIBED,)

    def read(self, document: Any) -> am.History:
        """Read a list, a pile, or one message."""
        contents, names = CONTAINERS.contents(document), CallNames()
        return CONTAINERS.history(contents, contents.each(lambda native: read_node(native, names)))

    def write(self, history: am.History) -> Any:
        """Write the native messages, in the container that was read, else in that of the option."""
        return CONTAINERS.document(history, list(map(write_node, history.messages)), self.container)

    def likeness(self, document: Any) -> float:
        """Return how closely a document resembles lionpride's, by its first messages: all must be possible."""
        return self.likeliest(document, _sniff_message)


# -- likeness ---------------------------------------------------------------------------------------------------------


_ALL = frozenset[str]().union(*FIELDS.values())
_DECIDING = frozenset[str]().union(*TRIGGERS.values())


def _sniff_message(message: Any) -> float:
    """Return 0 to 1: 1 for a message that names its class, less for similar content."""
    if not is_mapping(message) or not (NODE_KEYS | {"node_metadata"}).issuperset(message):
        return 0.0
    content = message.get("content")
    if not is_mapping(content):
        return 0.0
    metadata = message.get("metadata", message.get("node_metadata"))
    name = metadata.get("lion_class") if is_mapping(metadata) else None
    if isinstance(name, str) and name.startswith("lionpride."):
        return 1.0
    if not content:
        return 0.3
    return 0.9 if _ALL.issuperset(content) and not _DECIDING.isdisjoint(content) else 0.1
