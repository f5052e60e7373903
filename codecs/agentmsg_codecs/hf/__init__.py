"""hf: rows of training data as Hugging Face's libraries, TRL and chat templates have them.

A document is a row (``{"messages": [...], "tools"?: [...], ...}``, prompt and completion, chosen and rejected), a list
of messages, or one message. For a pair, the history is the prompt and the chosen answer. Columns that aren't named
below are ``history.extras["hf"]``.

New rows are written for chat templates: arguments as objects, the content ``""`` beside calls alone, no key that is
null, and results with the name of their tool. ``apply_chat_template`` takes these rows unchanged.

Follows trl 1.16 and the chat templates that it ships.

| Rows | agentmsg |
| --- | --- |
| messages; conversations; conversation, trajectory, traj or turns; also as JSON text | messages |
| prompt, completion or chosen | messages |
| system, a text | a system message, the first |
| a prompt, completion or chosen that is a text | a user's message; an assistant's |
| messages, chosen and rejected (Axolotl) | like prompt, chosen, rejected |
| rejected, beside a prompt and chosen | extras["hf"], where all rows have it: a list of messages |
| input, preferred_output, non_preferred_output (OpenAI) | like prompt, chosen, rejected |
| context, completions with ranks (NeMo RL) | like prompt, and chosen for the lowest rank |
| prompt_messages, chosen_messages, rejected_messages | like prompt, chosen, rejected |
| system, developer, user, assistant, tool | the same roles, one message each |
| tool_call, with the JSON of a call; tool_response, tool_result (ms-swift) | assistant, ToolUseBlock; tool |
| human; gpt, ai; environment, function | user; assistant; tool |
| name | name; of a tool message: the tool's name |
| content: a text; a list; null | one TextBlock; one block per part; no blocks |
| text, with its text under text, value or content | TextBlock |
| image, video, audio, with image, url, path or base64 | ImageBlock, VideoBlock, AudioBlock |
| image, video, audio alone, or tokens like ``<image>`` in a text, with columns like images | the same |
| image_url, video_url, audio_url | ImageBlock, VideoBlock, AudioBlock |
| reasoning_content; thinking; reasoning; a part reasoning or thinking | ThinkingBlock |
| ``<think>...</think>`` in front of an assistant's text | ThinkingBlock; none if nothing is inside |
| tool_calls; function_call; a part tool_call | ToolUseBlock; without an id it gets one that isn't written |
| tool_call_id, name, content of a tool message | ToolResultBlock; without an id, of the first call without a result |
| content of a tool message that is an object | structured |
| tools: a list, or its JSON text | ToolSpec; NativeTool |
| a placeholder without its media; any other part, entry of tool_calls, or message | NativeBlock; the role "native" |
| weight, unknown keys; of an inner object; other columns | extras["hf"]; ["hf.item"]; extras["hf"] of the history |
| text, a conversation in a template's format | extras["hf"] of a history without messages |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import attrs

import agentmsg as am
import agentmsg_codecs.hf.columns as own_columns
import agentmsg_codecs.hf.preferences as preferences
import agentmsg_codecs.hf.rows as own_rows
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import Native, adopt, is_list, is_marked, is_object, made_ids, mark_of, marked, natives, spelling
from agentmsg.formats.bodies import RowCodec
from agentmsg.formats.sending import rules_at
from agentmsg_codecs.hf.likeness import sniff_row
from agentmsg_codecs.hf.messages import Messages, unpaired
from agentmsg_codecs.hf.names import CHOSEN, COLUMNS, CONTENT_KEYS, FAMILY, KEPT, LISTS, REJECTED
from agentmsg_codecs.wire.chats import raw_arguments

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmsg.formats import Caps
    from agentmsg.formats.forms import Described

__all__ = ["HfCodec"]

Reasoning = Literal["reasoning_content", "thinking", "reasoning", "think", "drop"]


def _one_of(*values: str) -> Any:
    return attrs.validators.in_(values)


def _engine(codec: HfCodec) -> Messages:
    reasoning = None if codec.reasoning == "drop" else codec.reasoning
    return Messages(reasoning=reasoning, by_text=codec.arguments == "text")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class HfCodec(RowCodec):
    """Rows of training data.

    Attributes:
        reasoning: where to write thinking that wasn't read from a row: under one of the keys (each chat template knows
            one of them), in tags in front of the text ("think"), or nowhere ("drop").
        arguments: how to write the arguments of calls that weren't read from a row: as an "object", or as JSON "text".
        nulls: whether to "keep" keys of messages that are null, or to read them as "absent": Arrow and Parquet give
            each message the keys of all others. ``agentmsg.repair`` mends arguments that are padded like this.
        container: how to write a history that wasn't read from a row: as a "row"; as a "prompt" beside its
            completion, the last answer; or, without tools, as a "list" of messages.
        content: how to write contents: as a "text" where that is enough, or all as lists of "parts", so that the column
            has one type.
        engine: reads and writes messages. Hooks registered on ``engine.described.parts["plain"].converter`` before
            first use replace ours.
    """

    name: ClassVar[str] = "hf"
    family: ClassVar[str] = FAMILY
    fits_as_read: ClassVar[bool] = True
    title: ClassVar[str] = "Hugging Face (rows of training data)"
    kept: ClassVar[frozenset[str]] = KEPT
    content_keys: ClassVar[frozenset[str]] = RowCodec.content_keys | CONTENT_KEYS
    rules = rules_at("agentmsg_codecs.hf.sending")
    decides: ClassVar[Mapping[str, str]] = adopt({"reasoning": "thinking"})

    reasoning: Reasoning = attrs.field(default="reasoning_content", validator=_one_of(*get_args(Reasoning)))
    arguments: Literal["object", "text"] = attrs.field(default="object", validator=_one_of("object", "text"))
    nulls: Literal["keep", "absent"] = attrs.field(default="keep", validator=_one_of("keep", "absent"))
    container: Literal["row", "prompt", "list"] = attrs.field(default="row", validator=_one_of("row", "prompt", "list"))
    content: Literal["text", "parts"] = attrs.field(default="text", validator=_one_of("text", "parts"))
    engine: Messages = attrs.field(init=False, eq=False, repr=False, default=attrs.Factory(_engine, takes_self=True))

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms of messages, parts, calls and tools."""
        return (self.engine.described,)

    def make_caps(self) -> Caps:
        """Return what rows support; see capabilities.py."""
        from agentmsg_codecs.hf.capabilities import make_caps  # noqa: PLC0415 - readers need no table

        return make_caps(self.engine)

    def raw_arguments(self, own: Any) -> list[tuple[tuple[str | int, ...], Any]]:
        """Return the arguments in raw messages, such as those of a rejected answer."""
        return raw_arguments(own)

    def read(self, document: Any) -> am.History:
        """Read a row, a list of messages, or one message."""
        row = own_rows.row_of(document)
        self.engine.fill()
        rest, read = dict(row.rest), self._messages(row)
        is_lifted = bool(read) and read[0].role != "system" and type(rest.get("system")) is str and bool(rest["system"])
        if is_lifted:
            first = self.engine.read({"role": "system", "content": rest.pop("system")})
            read.insert(0, marked(first, FAMILY, column=True))
        messages = list(map(unpaired, made_ids.linked(read, FAMILY, are_named=True)))
        is_usual = row.place == "messages" and self.container == "row" and len(row.parts) == 1
        note: Native = {} if is_usual else {"/container": row.place}
        if row.texts:
            note["/texts"] = list(row.texts)
        if row.objects:
            note["/objects"] = list(row.objects)
        if row.preference is not None:
            note["/preference"] = row.preference
        if row.json is not None:
            written = self._written(messages)[is_lifted:]
            note["/json"] = spelling.told_list(row.json, written[: len(row.parts[row.place])])
        if not own_columns.COLUMNS.isdisjoint(rest):
            messages = own_columns.placed(messages, rest)
        return self.history(messages, rest, note, self.engine.tools)

    def _messages(self, row: own_rows.Row) -> list[am.Msg]:
        messages: list[am.Msg] = []
        for column, index, native in row.each():
            try:
                message = self.engine.read(own_rows.without_nulls(native) if self.nulls == "absent" else native)
            except AgentMsgError as error:
                raise error.at(*row.path_of(column, index)) from None
            if self.content == "parts" and not (is_object(native) and is_list(native.get("content"))):
                message = marked(message, FAMILY, text=True)
            is_answer = column != row.place
            messages.append(marked(message, FAMILY, answer=column) if is_answer else message)
        if row.place != CHOSEN:
            return messages
        return own_rows.PAIRS.parted(messages, row.parts[CHOSEN], row.rest.get(REJECTED))

    def write(self, history: am.History) -> Any:
        """Write a row; or a list or one message, if it was read from that, or by option."""
        self.engine.fill()
        place = own_rows.place_of(history)
        own = natives.extras_of(history, FAMILY)
        # Other columns of these names would be lost.
        if place is None and self.container == "prompt" and COLUMNS.isdisjoint(own):
            place, history = "prompt", own_rows.as_prompt(history)
        is_list_wanted = place in ("list", "single") or (place is None and self.container == "list")
        if is_list_wanted and not own and not history.tools:
            written = self._written(history.messages)
            return written[0] if place == "single" and len(written) == 1 and _is_single(written[0]) else written
        messages, media = own_columns.unplaced(history.messages)
        columns = own_rows.columns_of(history)
        place = next((column for column in ("prompt", *LISTS, CHOSEN) if column in columns), "")
        row: Native = {}
        if place:
            written = self._written(messages)
            if own_rows.is_lifted(history, written):
                row["system"], history = written.pop(0)["content"], history.evolve(messages=history.messages[1:])
            row |= own_rows.written(history, written, place)
        if history.tools:
            row["tools"] = self.engine.tools.write(history)
        row.update(media)
        if own:
            row.update({key: thaw(value) for key, value in own.items() if key not in row})
        return preferences.own_columns(row, mark_of(history, FAMILY, "/preference")) if history.notes else row

    def _written(self, messages: Any) -> list[Any]:
        if self.content != "parts":
            return list(map(self.engine.write, made_ids.unlinked(messages, FAMILY)))
        return list(map(self._as_parts, made_ids.unlinked(messages, FAMILY)))

    def _as_parts(self, message: am.Msg) -> Any:
        """Write a message whose content is a list, unless it was read from a text or is raw."""
        if message.role == "native" or is_marked(message, FAMILY, "/text"):
            return self.engine.write(message)
        native = self.engine.write(marked(message, FAMILY, list=True))
        return {**native, "content": []} if native.get("content") in ("", None) else native

    def natives_in(self, document: Any) -> Iterable[Any]:
        """Yield the native messages of a row, a list, or one message."""
        return (native for _, _, native in own_rows.row_of(document).each())

    def likeness(self, document: Any) -> float:
        """Return how much the columns and messages of a document look like those of a row."""
        return sniff_row(document)


def _is_single(native: Any) -> bool:
    """Whether a message by itself is read as a message, not as a row."""
    return is_object(native) and own_rows.row_of(native).place == "single"
