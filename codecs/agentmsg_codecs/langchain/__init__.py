"""LangChain (placeholder; the mapping table follows)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import attrs

import agentmsg as am
from agentmsg.caps import Caps
from agentmsg.codec import Codec, maker
from agentmsg.errors import AgentMsgError, DecodeError, excerpt
from agentmsg.json_values import EMPTY, adopt
from agentmsg_codecs.langchain.caps import make_caps
from agentmsg_codecs.langchain.messages import Messages
from agentmsg_codecs.langchain.parts import Parts
from agentmsg_codecs.langchain.plain import is_list, is_mapping, is_object, is_sequence
from agentmsg_codecs.langchain.words import FAMILY

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LangChainCodec"]

Part = dict[str, Any]
_make_history = maker(am.History)
_WRITABLE = ("dict", "flat", "role")
_NOTES = {
    (form, container): adopt({FAMILY: {"form": form, "container": container}})
    for form in _WRITABLE
    for container in ("list", "single", "state")
}


def _messages() -> Messages:
    return Messages(Parts())


@attrs.frozen(kw_only=True)
class LangChainCodec(Codec):
    """LangChain's messages as dicts.

    Attributes:
        form: of messages in a history that was not read from a document of LangChain.
        engine: what reads and writes; hooks registered on ``engine.converter`` before first use replace ours.
    """

    name: ClassVar[str] = "langchain"
    family: ClassVar[str] = FAMILY
    title: ClassVar[str] = "LangChain (messages_to_dict, model_dump)"

    form: Literal["dict", "flat", "role"] = attrs.field(default="dict", validator=attrs.validators.in_(_WRITABLE))
    engine: Messages = attrs.field(factory=_messages, init=False, eq=False, repr=False)
    _caps: Caps = attrs.field(
        init=False, eq=False, repr=False, default=attrs.Factory(lambda self: make_caps(self.engine), takes_self=True)
    )

    @property
    def caps(self) -> Caps:
        """What LangChain's messages carry; see caps.py."""
        return self._caps

    def read(self, document: Any) -> am.History:
        """Return the history of a list of messages, a single message, or a state that holds messages."""
        container, natives, rest = _contents(document)
        self.engine.fill()
        read = self.engine.read
        messages: list[am.Msg] = []
        odd: list[tuple[int, str]] = []
        form = ""
        for native in natives:
            try:
                message, own = read(native)
            except AgentMsgError as error:
                index = len(messages)
                lead = () if container == "single" else (index,) if container == "list" else ("messages", index)
                raise error.at(*lead) from None
            if own != form:
                if not form and own in _WRITABLE:
                    form = own
                else:
                    odd.append((len(messages), own))
            messages.append(message)
        form = form or ("role" if messages else self.form)
        for index, own in odd:
            if own != form:
                messages[index] = _noted(messages[index], own)
        extras = adopt({FAMILY: rest}) if rest else EMPTY
        return _make_history(messages=tuple(messages), extras=extras, notes=_NOTES[form, container])

    def write(self, history: am.History) -> Any:
        """Return the document: in the form and container of the history's notes, else a list in the codec's form."""
        note = history.notes.get(FAMILY) if history.notes else None
        noted: Mapping[str, Any] = note if is_mapping(note) else {}
        form = noted.get("form")
        form = form if isinstance(form, str) and form in _WRITABLE else self.form
        self.engine.fill()
        write = self.engine.write
        natives = [write(message, form) for message in history.messages]
        rest = history.extras.get(FAMILY) if history.extras else None
        if is_mapping(rest):
            return {**rest, "messages": natives}
        container = noted.get("container")
        if container == "state":
            return {"messages": natives}
        if container == "single" and len(natives) == 1 and is_mapping(natives[0]):
            only = natives[0]
            return natives if is_sequence(only.get("messages")) else only
        return natives

    def sniff(self, document: Any) -> float:
        """Return how much a document looks like LangChain."""
        return 0.0


def _contents(document: Any) -> tuple[str, list[Any], Part]:
    if is_list(document):
        return "list", document, {}
    if not is_object(document):
        raise DecodeError(f"messages of LangChain are a list or an object, not {excerpt(document)}")
    part = document
    if is_list(part.get("messages")):
        return "state", part["messages"], {key: value for key, value in part.items() if key != "messages"}
    return "single", [part], {}


def _noted(message: am.Msg, form: str) -> am.Msg:
    if message.role == "native":
        return message
    note = message.notes.get(FAMILY) if message.notes else None
    old = note if is_mapping(note) else {}
    return message.evolve(notes={**message.notes, FAMILY: {**old, "/form": form}})
