"""LangChain (placeholder; the mapping table follows)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, cast

import agentmsg as am
import attrs
from agentmsg.caps import Caps
from agentmsg.codec import Codec, maker
from agentmsg.errors import AgentMsgError, DecodeError, excerpt
from agentmsg.json_values import EMPTY, adopt

from agentmsg_codecs.langchain.caps import make_caps
from agentmsg_codecs.langchain.messages import Messages
from agentmsg_codecs.langchain.parts import Parts
from agentmsg_codecs.langchain.words import FAMILY

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

    form: Literal["dict", "flat", "role"] = attrs.field(
        default="dict", validator=attrs.validators.in_(_WRITABLE)
    )
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
        noted: Mapping[str, Any] = cast("Part", note) if isinstance(note, dict) else {}
        form = noted.get("form")
        form = form if isinstance(form, str) and form in _WRITABLE else self.form
        self.engine.fill()
        write = self.engine.write
        natives = [write(message, form) for message in history.messages]
        rest = history.extras.get(FAMILY) if history.extras else None
        if isinstance(rest, dict):
            return {**cast("Part", rest), "messages": natives}
        container = noted.get("container")
        if container == "state":
            return {"messages": natives}
        if container == "single" and len(natives) == 1 and isinstance(natives[0], dict):
            only = cast("Part", natives[0])
            return natives if isinstance(only.get("messages"), list) else only
        return natives

    def sniff(self, document: Any) -> float:
        """Return how much a document looks like LangChain."""
        return 0.0


def _contents(document: Any) -> tuple[str, list[Any], Part]:
    if type(document) is list:
        return "list", cast("list[Any]", document), {}
    if type(document) is not dict:
        raise DecodeError(f"messages of LangChain are a list or an object, not {excerpt(document)}")
    part = cast("Part", document)
    if type(part.get("messages")) is list:
        return "state", part["messages"], {key: value for key, value in part.items() if key != "messages"}
    return "single", [part], {}


def _noted(message: am.Msg, form: str) -> am.Msg:
    if message.role == "native":
        return message
    note = message.notes.get(FAMILY) if message.notes else None
    old = cast("Part", note) if isinstance(note, dict) else {}
    return message.evolve(notes={**message.notes, FAMILY: {**old, "/form": form}})
