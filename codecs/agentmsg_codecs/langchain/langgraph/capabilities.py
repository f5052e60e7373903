"""The capability table: the same as in langchain, without keys of LangGraph's containers and trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import Caps, carried_extras, is_mapping, note_of
from agentmsg_codecs.langchain.capabilities.messages import BESIDE_DATA, make_caps, message_extras
from agentmsg_codecs.langchain.langgraph.checkpoints import are_elsewhere
from agentmsg_codecs.langchain.langgraph.messages import ENVELOPE_FORM, LG, GraphMessages
from agentmsg_codecs.langchain.langgraph.tree import MARKERS
from agentmsg_codecs.langchain.lc.documents import ENVELOPE_KEYS
from agentmsg_codecs.langchain.lc.envelopes import LC
from agentmsg_codecs.langchain.messages.engine import FORMS, Messages
from agentmsg_codecs.langchain.names import ENVELOPE, FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable


def _taken_in(form: str, keys: frozenset[str]) -> Callable[[am.Msg], frozenset[str] | None]:
    return lambda message: keys if note_of(message, LG).get("/form") == form else None


def _form(message: am.Msg) -> str:
    """Return the form of a message's fields."""
    form = note_of(message, LG).get("/form")
    return form if isinstance(form, str) and form in FORMS else "flat"


_BESIDE_MESSAGES = MARKERS | {"lc"}


def _taken_beside(history: am.History) -> frozenset[str]:
    """Return the keys that an object around messages must not have: those of the messages, and of other objects."""
    rest: Any = history.extras.get(FAMILY)
    note = note_of(history, LG)
    if is_mapping(rest) and "messages" in rest and are_elsewhere(thaw(rest), note, len(history)):
        return _BESIDE_MESSAGES
    return _BESIDE_MESSAGES | {"messages"}


def graph_caps(engine: Messages, natives: GraphMessages) -> Caps:
    """Return the table of ``langchain``, with the extras and the native messages of LangGraph."""
    spaces = ((ENVELOPE, _taken_in("dict", BESIDE_DATA)), (LC, _taken_in(ENVELOPE_FORM, ENVELOPE_KEYS)))
    extras = message_extras(engine, *spaces, form=_form, taken=MARKERS)
    history = {"extras": carried_extras((FAMILY, _taken_beside))}
    return make_caps(engine, extras=extras, history=history, read_native=natives.read_native)
