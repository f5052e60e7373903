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
import agentmsg_codecs.hf.rows as own_rows
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    Native,
    adopt,
    is_list,
    is_mapping,
    is_marked,
    is_object,
    is_sequence,
    made_ids,
    mark_of,
    marked,
    natives,
    spelling,
)
from agentmsg.formats.bodies import RowCodec
from agentmsg.formats.sending import rules_at
from agentmsg_codecs.hf.messages import ROLES, Messages, unpaired
from agentmsg_codecs.hf.names import CHOSEN, COLUMNS, CONTENT_KEYS, FAMILY, KEPT, LISTS, REASONING_KEYS, REJECTED
from agentmsg_codecs.hf.rows import PAIRS, usual_columns
from agentmsg_codecs.wire.chats import raw_arguments

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    caps_in: ClassVar[str | None] = f"{__name__}.capabilities"
    fits_as_read: ClassVar[bool] = True
    title: ClassVar[str] = "Hugging Face (rows of training data)"
    kept: ClassVar[frozenset[str]] = KEPT
    content_keys: ClassVar[frozenset[str]] = RowCodec.content_keys | CONTENT_KEYS
    rules = rules_at("agentmsg_codecs.hf.sending")
    decides: ClassVar[Mapping[str, str]] = adopt({"reasoning": "thinking"})
    pairs: ClassVar[str] = FAMILY

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

    def pair(self, chosen: am.History, rejected: am.History, losses: list[am.Loss]) -> am.History:
        """Return the chosen history with the answer of the other as the rejected one."""
        from agentmsg_codecs.hf.pairing import pair  # noqa: PLC0415 - which writes with this codec

        return pair(chosen, rejected, losses=losses)

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
        row |= media
        row |= {key: thaw(value) for key, value in own.items() if key not in row}
        return own_rows.own_columns(row, mark_of(history, FAMILY, "/preference")) if history.notes else row

    def _written(self, messages: Any) -> list[Any]:
        write = self._as_parts if self.content == "parts" else self.engine.write
        return list(map(write, made_ids.unlinked(messages, FAMILY)))

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


_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", *ROLES})
# Keys of requests that no row has.
_REQUEST = frozenset(
    {"model", "max_tokens", "max_completion_tokens", "temperature", "stream", "options", "agentmsg", "type"}
)
_COLUMNS = frozenset(
    {"images", "videos", "audios", "chat_template_kwargs", "rejected", "rejected_response", "rejected_messages"}
)
# Columns of data sets beside messages.
_BESIDE = frozenset(
    {
        "answer", "category", "data_source", "dataset", "dataset_source", "difficulty", "ground_truth", "instance_id",
        "label", "license", "loss", "prompt_id", "reward", "score", "solution", "source", "split", "subset", "task_id",
        "uuid",
    }
)  # fmt: skip
_KEYS = frozenset(
    {
        "role", "content", "name", "tool_calls", "function_call", "tool_call_id", "weight", "loss", "loss_weight",
        "train", *REASONING_KEYS,
    }
)  # fmt: skip
_MEDIA = frozenset({"image", "video", "audio"})
_OWN_PARTS = frozenset({"reasoning", "tool_call", "image_url", "video_url", "audio_url", "text"})
# Roles that only rows have.
_OWN_ROLES = ROLES - {"ai", "function", "human"}
# The score of rows that could also be requests to OpenAI.
_PLAIN = 0.3
# The score of such rows with columns that requests hardly have.
_LIKELY = 0.95
# The score of a prompt and an answer that are texts.
_TEXTS = 0.85


def sniff_row(document: Any) -> float:
    """Return 1 for rows that can be nothing else, less for rows that could be requests, 0 for other documents."""
    if is_sequence(document):
        return 1.0 if any(map(_is_of_swift, document)) and all(map(_is_message, document)) else 0.0
    document, mark = usual_columns(document)
    if not is_mapping(document) or not _REQUEST.isdisjoint(document) or "role" in document:
        return 0.0
    if _are_texts(document):
        return _TEXTS
    row = own_rows.row_of(document)
    messages = [native for _, _, native in row.each()]
    if set(row.parts).issubset(row.texts) or not messages or not all(map(_is_message, messages)):
        return 0.0
    if mark is True and document["chosen"] and PAIRS.is_answer(document["rejected"]):  # OpenAI reads these, too
        return 1.0 if any(map(_is_own, messages)) else _PLAIN
    if row.place != "messages" or row.json is not None or not _COLUMNS.isdisjoint(document):
        return 1.0
    if "system" in document:
        return 0.0
    return 1.0 if any(map(_is_own, messages)) else _PLAIN if _BESIDE.isdisjoint(document) else _LIKELY


def _are_texts(row: Any) -> bool:
    answers = (row.get("completion"), row.get("chosen"))
    steps = row.get("completions")
    is_answered = any(isinstance(answer, str) for answer in answers) or (is_sequence(steps) and "labels" in row)
    return isinstance(row.get("prompt"), str) and is_answered and "messages" not in row


def _is_message(message: Any) -> bool:
    role: Any = message.get("role") if is_mapping(message) else None
    return isinstance(role, str) and role in _ROLES and (_KEYS.issuperset(message) or _is_own(message))


def _is_of_swift(message: Any) -> bool:
    role: Any = message.get("role") if is_mapping(message) else None
    return isinstance(role, str) and role in _OWN_ROLES


def _is_own(message: Any) -> bool:
    """Whether only rows have messages of this kind."""
    content, calls = message.get("content"), message.get("tool_calls")
    if "thinking" in message or ("tool_calls" in message and calls is None) or _is_of_swift(message):
        return True
    if isinstance(content, str):
        is_own = message["role"] == "assistant" and _is_tagged(content)
    else:
        is_own = is_sequence(content) and any(map(_is_own_part, content))
    return is_own or (is_sequence(calls) and any(map(_is_own_call, calls)))


def _is_tagged(text: str) -> bool:
    """Whether a text has thinking or calls in the tags of templates."""
    is_thought = text.startswith("<think>") and "</think>" in text
    return is_thought or ("<tool_call>" in text and text.rstrip().endswith("</tool_call>"))


def _is_own_part(part: Any) -> bool:
    if not is_mapping(part):
        return False
    kind: Any = part.get("type")
    if not isinstance(kind, str):
        return False
    if kind in _MEDIA:
        return part.keys() == {"type"} or any(isinstance(part.get(key), str) for key in (kind, "url", "path", "base64"))
    return kind in _OWN_PARTS and any(isinstance(part.get(key), str) for key in ("value", "content"))


def _is_own_call(call: Any) -> bool:
    if not is_mapping(call):
        return False
    is_flat = {"name", "arguments"} <= call.keys() <= {"name", "arguments", "type"}
    function = call if is_flat else call.get("function") if call.get("type") == "function" else None
    return is_mapping(function) and is_mapping(function.get("arguments"))
