"""How closely a document resembles a row: by what requests to a provider don't have."""

from __future__ import annotations

from typing import Any

import agentmsg_codecs.hf.roles as roles
from agentmsg.formats import is_mapping, is_sequence
from agentmsg_codecs.hf.names import LISTS, REASONING_KEYS
from agentmsg_codecs.hf.preferences import usual_columns
from agentmsg_codecs.hf.rows import PAIRS, parsed

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", *roles.ROLES})
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
_OWN_ROLES = roles.ROLES - {"ai", "function", "human"}
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
    messages, is_own = _messages(document)
    if not messages or not all(map(_is_message, messages)):
        return 0.0
    if mark is True and document["chosen"] and PAIRS.is_answer(document["rejected"]):  # OpenAI reads these, too
        return 1.0 if any(map(_is_own, messages)) else _PLAIN
    if is_own or not _COLUMNS.isdisjoint(document):
        return 1.0
    if "system" in document:
        return 0.0
    return 1.0 if any(map(_is_own, messages)) else _PLAIN if _BESIDE.isdisjoint(document) else _LIKELY


def _messages(row: Any) -> tuple[list[Any], bool]:
    """Return the messages of a row, and whether only rows have these columns."""
    if is_sequence(row.get("messages")):
        return row["messages"], False
    for column in LISTS:
        found = parsed(row.get(column))
        if is_sequence(found) and found and all(is_mapping(each) and "role" in each for each in found):
            return list(found), True
    listed = {column: _listed(row.get(column), column) for column in ("prompt", "completion", "chosen")}
    for columns in (("prompt", "completion"), ("prompt", "chosen"), ("chosen",), ("prompt",)):
        if all(listed[column] for column in columns) and not all(isinstance(row[column], str) for column in columns):
            return [message for column in columns for message in listed[column]], True
    return [], False


def _listed(value: Any, column: str) -> list[Any]:
    """Return the messages of a column that holds a text, one message or a list of them."""
    if isinstance(value, str):
        return [{"role": "user" if column == "prompt" else "assistant", "content": value}]
    return [value] if is_mapping(value) else list(value) if is_sequence(value) else []


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
