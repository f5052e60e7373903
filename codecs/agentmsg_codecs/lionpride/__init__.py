"""lionpride: messages of lionpride (Python, 1.0.0a12), whose role is derived from the keys of their content.

A document is a list of messages, one message, or a pile of them (``{"items": [...], ...}``). A message is a node, or no
more than ``{"content": {...}}``.

| lionpride | agentmsg |
| --- | --- |
| content with instruction, context, request_model, tool_schemas or images; with no key that decides | user |
| else with assistant_response | assistant |
| else with result or error | tool |
| else with function or arguments | assistant, with a call |
| else with system_message or system_datetime | system |
| instruction: a text; any other value | TextBlock; DataBlock, name "instruction" |
| context, tool_schemas, request_model | DataBlock of the name of the key |
| images, with image_detail | an ImageBlock each: URLSource, detail |
| image_detail without images | DataBlock, name "image_detail" |
| system_message; system_datetime | TextBlock; DataBlock, name "system_datetime" |
| assistant_response | TextBlock |
| function, arguments | ToolUseBlock: name, input; its id is that of the message |
| request_id; result: a text, any other value | ToolResultBlock: tool_call_id; content, structured |
| error | error of the result |
| an empty value; null | an empty block; no block |
| a value that is no text, in a field for text | its JSON text |
| sender, recipient | name, recipient |
| id, created_at (ISO, or seconds), embedding | id, created_at, embedding |
| metadata (lineage of clones included), without lion_class | metadata |
| other keys of the content; of the node | extras["lionpride.content"]; extras["lionpride"] |
| another lion_class | extras["lionpride.metadata"] |
| what is of another type | a message of the role "native" |

The real writer leaves out what is empty, and reads what is left as an instruction; here an empty field is written, so
that the role stays. An id that is no UUID becomes one (version 5, the same for the call and its result), or, where no
call has it, is dropped. The name of a result is that of its call.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import attrs

import agentmsg as am
from agentmsg.caps import Caps
from agentmsg.codec import Codec, maker
from agentmsg.errors import AgentMsgError, DecodeError, excerpt
from agentmsg.json_values import EMPTY, adopt, thaw
from agentmsg.link import CallNames
from agentmsg.plain import is_list, is_mapping, is_object
from agentmsg.shapes import Native, mark_of
from agentmsg_codecs.lionpride.caps import make_caps
from agentmsg_codecs.lionpride.nodes import read_node, write_node
from agentmsg_codecs.lionpride.sniffing import sniff
from agentmsg_codecs.lionpride.words import FAMILY

__all__ = ["LionprideCodec"]

Container = Literal["list", "message", "pile"]
_NOTES = {name: adopt({FAMILY: {"/container": name}}) for name in ("list", "message", "pile")}
_make_history = maker(am.History)


@attrs.frozen(kw_only=True)
class LionprideCodec(Codec):
    """Messages of lionpride.

    Attributes:
        container: of a history that was not read from a document of lionpride: a "list" of messages, or a "message"
            where there is only one.
    """

    name: ClassVar[str] = "lionpride"
    family: ClassVar[str] = FAMILY
    title: ClassVar[str] = "lionpride (Message.to_dict)"
    writes_plain: ClassVar[bool] = True

    container: Literal["list", "message"] = attrs.field(
        default="list", validator=attrs.validators.in_(("list", "message"))
    )
    _caps: Caps = attrs.field(init=False, eq=False, repr=False, factory=make_caps)

    @property
    def caps(self) -> Caps:
        """What lionpride's messages carry; see caps.py."""
        return self._caps

    def read(self, document: Any) -> am.History:
        """Return the history of a list, a pile or a message."""
        container, natives = _contents(document)
        names = CallNames()
        messages: list[am.Msg] = []
        try:
            for native in natives:
                messages.append(read_node(native, names))  # noqa: PERF401 - how many there are is the path
        except AgentMsgError as error:
            raise error.at(*_path(container, len(messages))) from None
        rest: Native = {}
        if container == "pile":
            rest = {key: value for key, value in document.items() if key != "items"}
        return _make_history(
            messages=tuple(messages), extras=adopt({FAMILY: rest}) if rest else EMPTY, notes=_NOTES[container]
        )

    def write(self, history: am.History) -> Any:
        """Return the document of a history, in the container that it was read from, or that is wanted."""
        natives = list(map(write_node, history.messages))
        rest = history.extras.get(FAMILY) if history.extras else None
        noted = mark_of(history, FAMILY, "/container") if history.notes else None
        container = noted if noted in _NOTES else self.container
        if is_mapping(rest) and rest:
            return {"items": natives, **thaw(rest)}
        if container == "pile":
            return {"items": natives}
        return natives[0] if container == "message" and len(natives) == 1 else natives

    def sniff(self, document: Any) -> float:
        """Return how much a document looks like lionpride's: by its messages."""
        return sniff(_contents(document)[1]) if is_list(document) or is_object(document) else 0.0

    def native_messages(self, document: Any) -> list[Any]:
        """Return the native messages of a document, in order."""
        return list(_contents(document)[1])


def _contents(document: Any) -> tuple[Container, list[Any]]:
    """Return the kind of a document, and its native messages."""
    if is_list(document):
        return "list", document
    if not is_object(document):
        raise DecodeError(f"a document of lionpride is an object or a list of messages, not {excerpt(document)}")
    items = document.get("items")
    return ("pile", items) if is_list(items) and "content" not in document else ("message", [document])


def _path(container: Container, number: int) -> tuple[str | int, ...]:
    return {"list": (number,), "pile": ("items", number), "message": ()}[container]
