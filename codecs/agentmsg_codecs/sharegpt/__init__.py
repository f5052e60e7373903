"""sharegpt: rows of training data as ShareGPT, LLaMA-Factory and Hermes have them, and Alpaca's.

A document is a row (``{"conversations": [{"from": ..., "value": ...}], "system"?, "tools"?, "images"?, ...}``, or
``{"instruction": ..., "input": ..., "output": ...}``), a list of turns, or one turn. For a pair, the history ends with
the chosen answer. Columns that aren't named below are ``history.extras["sharegpt"]``.

As in LLaMA-Factory, this format includes Alpaca's rows: their columns are turns under other names.

Follows LLaMA-Factory ff6d4d1.

| Rows | agentmsg |
| --- | --- |
| conversations, also as JSON text; chosen, a turn or a list of one | messages |
| system (a column, or a turn) | a system message |
| human, user; also with capitals, as all senders but those of calls | user |
| gpt, assistant, chatgpt, bing, bard, model | assistant |
| function_call, tool_call: the JSON of a call, or of a list of them | assistant, ToolUseBlock |
| observation, tool, tool_response, function_response, ipython | tool |
| ``role`` instead of ``from`` (Pygmalion) | the same |
| value, or content | one TextBlock |
| ``<think>...</think>`` in front of an assistant's text | ThinkingBlock; none if nothing is inside |
| ``<tool_call>...</tool_call>`` at the end of it (Hermes) | ToolUseBlock |
| tool_calls beside it; name and arguments instead of it | ToolUseBlock |
| ``<tool_response>...</tool_response>`` around a result (Hermes) | ToolResultBlock with the text inside |
| several of these in a turn | a message each |
| tokens like ``<image>`` in a user's text, with columns like images or image | ImageBlock, VideoBlock, AudioBlock |
| tools: the JSON text of a list of functions, or that list | ToolSpec; NativeTool |
| instruction and input; output, else chosen; history | a user's message; an assistant's; one of each |
| query, response, history; conversation (ms-swift) | the same; one of each |
| instruction, context, response (Dolly); question, answer | a user's message; an assistant's |
| query; answers, the JSON of calls (xLAM) | a user's message; ToolUseBlock |
| chosen that is a text, beside such a rejected one | an assistant's message |
| rejected beside chosen, alike; a text, or calls | the extra "rejected" of hf, where all rows have it |
| a turn from anybody else; a token without its medium | a message with the role "native"; NativeBlock |
| weight, unknown keys; of a tool's function; other columns | extras["sharegpt"]; ["sharegpt.item"]; of the history |

Rows have no ids. Results answer the calls of the last turn with calls, or of several adjacent ones, in order, unless
their JSON names a call; the ids that they get aren't written. If the order would pair a result with another call, its
turn has the id under ``tool_call_id``. Texts for training contain an id only if it was read there, as ``id`` beside the
name of a call.

Calls alone are written like LLaMA-Factory's, calls beside a text like Hermes'.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import attrs

import agentmsg as am
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import is_mapping, is_sequence, mark_of, marked, natives, spelling
from agentmsg.formats.bodies import RowCodec
from agentmsg.formats.sending import rules_at
from agentmsg_codecs.sharegpt.links import link
from agentmsg_codecs.sharegpt.media import columns_of, placed
from agentmsg_codecs.sharegpt.messages import DESCRIBED, TOOLS, parted, read_turn, write_turns
from agentmsg_codecs.sharegpt.names import CONTENT_KEYS, FAMILY, KEPT, ROLES
from agentmsg_codecs.sharegpt.rows import (
    PAIRS,
    are_pairs,
    as_json,
    is_alpaca,
    is_single,
    parsed,
    row_of,
    taken_apart,
    taken_out,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmsg.formats.forms import Described


__all__ = ["ShareGptCodec"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ShareGptCodec(RowCodec):
    """Rows of turns.

    Attributes:
        container: how to write a history that wasn't read from a row: as a "row", or, without tools and media, as a
            "list" of turns.
    """

    name: ClassVar[str] = "sharegpt"
    family: ClassVar[str] = FAMILY
    caps_in: ClassVar[str | None] = f"{__name__}.capabilities"
    fits_as_read: ClassVar[bool] = True
    title: ClassVar[str] = "ShareGPT and Alpaca (rows of training data)"
    kept: ClassVar[frozenset[str]] = KEPT
    content_keys: ClassVar[frozenset[str]] = RowCodec.content_keys | CONTENT_KEYS
    rules = rules_at("agentmsg_codecs.sharegpt.sending")
    pairs: ClassVar[str] = PAIRS.owner

    container: Literal["row", "list"] = attrs.field(default="row", validator=attrs.validators.in_(("row", "list")))

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms of turns and tools."""
        return (DESCRIBED,)

    def read(self, document: Any) -> am.History:
        """Read a row, a list of turns, or one turn."""
        turns, rest, note = taken_apart(document)
        messages: list[am.Msg] = []
        found: list[am.Msg] = []
        for turn, path, mark in turns:
            try:
                message = read_turn(turn)
            except AgentMsgError as error:
                raise error.at(*path) from None
            found = parted(message) if message.role == "tool" and len(message.content) > 1 else [message]
            messages += found if mark is None else [marked(each, FAMILY, **{mark: True}) for each in found]
        link(messages)
        messages, marks = placed(messages, rest)
        text = note.pop("/json", None)
        if note["/container"] != self.container:
            marks |= note
        is_chosen = note.get("/answer") == "chosen" or (
            bool(turns) and turns[-1][2] in ("chosen", "chosen_list", "chosen_text")
        )
        rejected = taken_out(rest, document, is_chosen=is_chosen) if len(found) <= 1 or not is_chosen else None
        if rejected is not None and not is_chosen:
            marks["/alone"] = True
        history = self.history(messages, rest, marks, TOOLS)
        if rejected is not None:
            history = PAIRS.paired(history, len(messages) - is_chosen, rejected)
        if text is None:
            return history
        turns = self.write(history).get("conversations")
        return marked(history, FAMILY, json=spelling.told_list(text, turns, "conversations"))

    def write(self, history: am.History) -> Any:
        """Write a row; or a list or one turn, if it was read from that, or by option."""
        turns = write_turns(history.messages)
        columns = columns_of(history)
        own = natives.extras_of(history, FAMILY)
        place = mark_of(history, FAMILY, "/container") or self.container
        is_bare = not own and not history.tools and not columns and PAIRS.rejected(history) is None
        if place in ("list", "single") and is_bare:
            return turns[0] if place == "single" and len(turns) == 1 and is_single(turns[0]) else turns
        row = row_of(history, turns)
        if history.notes:
            row = as_json(row, mark_of(history, FAMILY, "/json"))
        if history.tools:
            row["tools"] = TOOLS.write(history)
        row |= columns
        return {**row, **{key: thaw(value) for key, value in own.items() if key not in row}}

    def natives_in(self, document: Any) -> Iterable[Any]:
        """Yield the turns of a row, a list, or one turn."""
        return (turn for turn, _, _ in taken_apart(document).turns)

    def likeness(self, document: Any) -> float:
        """Return how much a document looks like a row of turns, or like Alpaca's."""
        return sniff_row(document)


_ALPACA = 0.9
# The score of turns with some unknown senders.
_MOST = 0.7
# The score of a query and a response: rows of other kinds have these, too.
_ASKED = 0.3
# A turn has a sender and one of these: its text, or a call.
_SAID = frozenset({"value", "content", "tool_calls", "arguments"})


def sniff_row(document: Any) -> float:
    """Return 1 for turns, which no other format has, less for the columns of Alpaca, 0 for other documents."""
    turns = parsed(document.get("conversations")) if is_mapping(document) else document
    if is_mapping(document) and _sender(document):
        turns = [document]
    if not is_sequence(turns) or not turns:
        return _of_pairs(document) if is_mapping(document) and "messages" not in document else 0.0
    words = list(map(_sender_or_role if is_mapping(document) else _sender, turns))
    known = sum(word in ROLES for word in words)
    return 1.0 if known == len(words) else _MOST if all(words) and known * 2 > len(words) else 0.0


def _of_pairs(row: Any) -> float:
    """Return how much the columns of a row are those of questions and answers; many things have a query."""
    if is_alpaca(row):
        is_own = "instruction" in row or "history" in row or {"answers", "tools"} <= row.keys()
        return _ALPACA if is_own else _ASKED
    return _ALPACA if are_pairs(row) else 0.0


def _sender(turn: Any) -> str:
    """Return the sender of a turn; an empty text for anything else."""
    if not is_mapping(turn) or ("role" in turn and "value" not in turn) or _SAID.isdisjoint(turn):
        return ""
    word: Any = turn.get("from")
    return word if isinstance(word, str) else ""


def _sender_or_role(turn: Any) -> str:
    """Return the sender of a turn in a row, which may be under another key."""
    role: Any = turn.get("role") if is_mapping(turn) and "value" in turn and "from" not in turn else None
    return role if isinstance(role, str) else _sender(turn)
