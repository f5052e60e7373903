"""sharegpt: rows of training data as ShareGPT, LLaMA-Factory and Hermes have them, and Alpaca's.

A document is a row (``{"conversations": [{"from": ..., "value": ...}], "system"?, "tools"?, "images"?, ...}``, or
``{"instruction": ..., "input": ..., "output": ...}``), a list of turns, or one turn. Columns that aren't named below
are ``history.extras["sharegpt"]``, such as ``rejected``: of a pair, the history ends with what was chosen.

Alpaca's rows are read here, as LLaMA-Factory does: their columns are turns with other names.

Follows LLaMA-Factory ff6d4d1.

| Rows | agentmsg |
| --- | --- |
| conversations; chosen, a turn | messages |
| system (a column, or a turn) | a system message |
| human, user | user |
| gpt, assistant, chatgpt, bing, bard, model | assistant |
| function_call, tool_call: the JSON of a call, or of a list of them | assistant, ToolUseBlock |
| observation, tool, tool_response, function_response, ipython | tool |
| value | one TextBlock |
| ``<think>...</think>`` in front of an assistant's text | ThinkingBlock |
| ``<tool_call>...</tool_call>`` at the end of it (Hermes) | ToolUseBlock |
| ``<tool_response>...</tool_response>`` around a result (Hermes) | ToolResultBlock with the text inside |
| ``<image>`` ... in a user's text, and the columns images, videos, audios | ImageBlock, VideoBlock, AudioBlock |
| tools: the JSON text of a list of functions, or that list | ToolSpec; NativeTool |
| instruction and input; output, else chosen; history | a user's message; an assistant's; one of each |
| a turn from anybody else; such a place without its medium | a message with the role "native"; NativeBlock |
| weight, unknown keys; other columns | extras["sharegpt"], of an inner object "sharegpt.item"; those of the history |

Results answer the calls of the turn before them, in their order; rows have no ids, and none are made. A result that
would be paired with another call is a user's text. Only an id that a row says is written: as ``id`` beside the name of
a call, and as ``tool_call_id`` of a turn.

Calls alone are written as LLaMA-Factory has them, calls beside a text as Hermes does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import attrs

import agentmsg as am
import agentmsg_codecs.sharegpt.alpaca as own_alpaca
import agentmsg_codecs.sharegpt.media as own_media
from agentmsg import AgentMsgError, DecodeError, thaw
from agentmsg.formats import (
    EMPTY,
    Codec,
    Native,
    adopt,
    excerpt,
    is_list,
    is_mapping,
    is_object,
    maker,
    mark_of,
    marked,
)
from agentmsg_codecs.sharegpt.capabilities import make_caps
from agentmsg_codecs.sharegpt.format import DESCRIBED
from agentmsg_codecs.sharegpt.likeness import is_turn, sniff_row
from agentmsg_codecs.sharegpt.links import linked, unlinked
from agentmsg_codecs.sharegpt.messages import read_turn, write_turn
from agentmsg_codecs.sharegpt.names import CONTENT_KEYS, FAMILY, KEPT
from agentmsg_codecs.sharegpt.tools import read_tools, write_tools

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg.formats import Caps
    from agentmsg.formats.forms import Described

__all__ = ["ShareGptCodec"]

_make_history = maker(am.History)


@attrs.frozen(kw_only=True)
class ShareGptCodec(Codec):
    """Rows of turns.

    Attributes:
        container: how to write a history that wasn't read from a row: as a "row", or, without tools and media, as a
            "list" of turns.
    """

    name: ClassVar[str] = "sharegpt"
    family: ClassVar[str] = FAMILY
    title: ClassVar[str] = "ShareGPT and Alpaca (rows of training data)"
    kept: ClassVar[frozenset[str]] = KEPT
    writes_plain: ClassVar[bool] = True
    content_keys: ClassVar[frozenset[str]] = Codec.content_keys | CONTENT_KEYS

    container: Literal["row", "list"] = attrs.field(default="row", validator=attrs.validators.in_(("row", "list")))

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms of turns and tools."""
        return (DESCRIBED,)

    def make_caps(self) -> Caps:
        """Return what turns support; see capabilities.py."""
        return make_caps(_taken)

    def read(self, document: Any) -> am.History:
        """Return the history of a row, of a list of turns, or of one turn."""
        turns, rest, note = _taken_apart(document)
        messages = _messages(turns, note)
        if type(rest.get("system")) is str and rest["system"]:
            turn = {"from": "system", "value": rest.pop("system")}
            messages.insert(0, marked(read_turn(turn), FAMILY, column=True))
        if "/container" not in note and is_turn(rest.get("chosen")):
            try:
                messages.append(marked(read_turn(rest.pop("chosen")), FAMILY, chosen=True))
            except AgentMsgError as error:
                raise error.at("chosen") from None
        if self.container == "list":
            note.setdefault("/container", "row")
        messages, columns = own_media.placed(linked(messages), rest)
        tools = read_tools(rest.get("tools"))
        if tools is not None:
            note |= {} if tools[1] == "python" else {"/tools": tools[1]}
        used = columns if tools is None else columns | {"tools"}
        rest = {key: value for key, value in rest.items() if key not in used}
        return _make_history(
            tuple(messages),
            tools=() if tools is None else tools[0],
            extras=adopt({FAMILY: rest}) if rest else EMPTY,
            notes=adopt({FAMILY: note}) if note else EMPTY,
        )

    def write(self, history: am.History) -> Any:
        """Return the row of a history; a list or a turn where it was read from one, or is wanted so."""
        own = _own(history)
        messages, columns = own_media.unplaced(history.messages)
        turns = list(map(write_turn, unlinked(messages)))
        place = mark_of(history, FAMILY, "/container") if history.notes else None
        is_list_wanted = place in ("list", "single") or (place is None and self.container == "list")
        if is_list_wanted and not own and not history.tools and not columns:
            return turns[0] if place == "single" and len(turns) == 1 and is_turn(turns[0]) else turns
        row: Native = {}
        if turns and _is_column(history.messages[0], turns[0]) and "system" not in own:
            row["system"] = turns.pop(0)["value"]
        row |= own_alpaca.write(history, turns, own) or self._conversations(history, turns, own)
        if history.tools:
            row["tools"] = write_tools(history)
        return {**row, **columns, **{key: thaw(value) for key, value in own.items() if key not in row}}

    @staticmethod
    def _conversations(history: am.History, turns: list[Any], own: Mapping[str, Any]) -> Native:
        last = history.messages[-1] if turns else None
        is_chosen = last is not None and last.notes and mark_of(last, FAMILY, "/chosen") is True
        if is_chosen and "chosen" not in own and is_turn(turns[-1]):
            return {"conversations": turns[:-1], "chosen": turns[-1]}
        return {"conversations": turns}

    def native_messages(self, document: Any) -> list[Any]:
        """Return the turns of a row, a list, or one turn."""
        try:
            turns, rest, note = _taken_apart(document)
        except AgentMsgError:
            return document if is_list(document) else [document]
        system, chosen = rest.get("system"), rest.get("chosen")
        first = [system] if type(system) is str and system else []
        return [*first, *turns, *([chosen] if not note and is_turn(chosen) else [])]

    def likeness(self, document: Any) -> float:
        """Return how much a document looks like a row of turns."""
        return sniff_row(document)


def _own(history: am.History) -> Mapping[str, Any]:
    own: Any = history.extras.get(FAMILY) if history.extras else None
    return own if is_mapping(own) else EMPTY


def _taken_apart(document: Any) -> tuple[list[Any], Native, Native]:
    """Return the turns of a document, the other columns, and the marks of its history.

    Raises:
        DecodeError: if it is none.
    """
    if is_list(document):
        return document, {}, {"/container": "list"}
    if not is_object(document):
        raise DecodeError(f"a row must be an object, not {excerpt(document)}")
    if "from" in document and "conversations" not in document:
        return [document], {}, {"/container": "single"}
    turns = document.get("conversations")
    if is_list(turns):
        return turns, {key: value for key, value in document.items() if key != "conversations"}, {}
    if own_alpaca.is_row(document):
        return own_alpaca.read(document)
    raise DecodeError("a row must have conversations, or an instruction and its output", path=("conversations",))


def _messages(turns: list[Any], note: Native) -> list[am.Msg]:
    messages: list[am.Msg] = []
    for index, turn in enumerate(turns):
        try:
            messages.append(read_turn(turn))
        except AgentMsgError as error:
            path: Any = {"list": (index,), "single": ()}.get(note.get("/container", ""), ("conversations", index))
            raise error.at(*path) from None
    return messages


def _is_column(message: am.Msg, turn: Any) -> bool:
    """Whether a system message stands in its column."""
    if message.role != "system" or not message.notes or mark_of(message, FAMILY, "/column") is not True:
        return False
    return is_object(turn) and turn.keys() == {"from", "value"} and bool(turn["value"]) and type(turn["value"]) is str


def _taken(history: am.History) -> frozenset[str]:
    """Return the columns among the extras of a history that would be read as something else."""
    own = _own(history)
    found = {"conversations"} | own_media.taken(history, own)
    if history.tools or read_tools(thaw(own.get("tools"))) is not None:
        found.add("tools")
    if isinstance(own.get("system"), str) and own["system"]:
        found.add("system")
    if is_turn(own.get("chosen")):
        found.add("chosen")
    return frozenset(found)
