"""Messages: a fast path for what LangChain itself writes today, and the general path for everything else.

The fast path tests the exact key set and the types, so nothing can deviate and nothing is compared. The general
path reads leniently, writes the default spelling, keeps the difference (``agentmsg.notes.keep``) and proves that
it comes back; what does not is kept whole, as a native message. Imports forms, body and what lies below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import agentmsg as am
from agentmsg.codec import maker
from agentmsg.errors import AgentMsgError, DecodeError, excerpt
from agentmsg.json_values import EMPTY, adopt, plain_copy, thaw
from agentmsg.notes import keep, put_back, same_document

from agentmsg_codecs.langchain import v1
from agentmsg_codecs.langchain.body import Bodies
from agentmsg_codecs.langchain.forms import Native, split, wrap
from agentmsg_codecs.langchain.parts import Parts
from agentmsg_codecs.langchain.usage import read_usage
from agentmsg_codecs.langchain.v1 import Unreadable
from agentmsg_codecs.langchain.words import BODY_KEYS, ENVELOPE, FAMILY, KIND_OF_ROLE, TOOL_KEYS

__all__ = ["Messages", "is_native", "note_of_message"]

Part = dict[str, Any]
make_msg = maker(am.Msg)
_make_native = maker(am.NativeBlock)

# Lists of parts or calls, and what their entries are taken from: never kept verbatim in a note.
_NEVER = frozenset({"content", "tool_calls", "invalid_tool_calls", "additional_kwargs", "response_metadata"})
_LIST = adopt({FAMILY: {"/content": "list"}})


def is_native(message: am.Msg) -> bool:
    """Tell whether a message is one that this codec kept whole."""
    content = message.content
    if message.role != "native" or len(content) != 1:
        return False
    block = content[0]
    return type(block) is am.NativeBlock and block.codec == FAMILY


def note_of_message(message: am.Msg) -> Part:
    """Return this family's note on a message; empty where there is none."""
    note = message.notes.get(FAMILY) if message.notes else None
    return cast("Part", note) if isinstance(note, Mapping) else {}


class Messages:
    """Reads and writes single messages.

    Args:
        parts: reads and writes content parts.
    """

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self._bodies = Bodies(parts)
        self._fast: dict[Any, Callable[[Part], am.Msg | None]] = {
            "human": self._human,
            "system": self._system,
            "ai": self._ai,
            "tool": self._tool,
        }

    # -- reading ------------------------------------------------------------------------------------------------

    def read(self, native: Any) -> tuple[am.Msg, str]:
        """Return the message of a native one, and the form that it stands in.

        Raises:
            DecodeError: where it is no message at all.
        """
        if type(native) is dict:
            tag, data = native.get("type"), native.get("data")
            fast = self._fast.get(tag) if type(tag) is str else None
            if fast is not None:
                if type(data) is dict and len(native) == 2:  # noqa: PLR2004 - type and data
                    message = fast(data)
                    if message is not None:
                        return message, "dict"
                elif "content" in native:
                    message = fast(native)
                    if message is not None:
                        return message, "flat"
        return self._read(native)

    def _read(self, native: Any) -> tuple[am.Msg, str]:
        found = split(native)
        if found is None:
            if isinstance(native, dict) and (
                type(native.get("type")) is str or type(native.get("role")) is str
            ):
                _refuse_envelope(native)
                return _whole(native), "dict" if "data" in native else "flat"
            raise DecodeError(f"not a message of LangChain: {excerpt(native)}")
        try:
            message = self._meaning(found)
        except (Unreadable, AgentMsgError):
            return _whole(native), found.form
        plain = self._bodies.write(message, found.tag, found.form)
        if not same_document(plain, found.body):
            known = TOOL_KEYS if found.kind == "tool" else BODY_KEYS
            kept = keep(message, found.body, plain, family=FAMILY, known=known, never=_NEVER)
            if kept is None:
                return _whole(native), found.form
            message = kept
        if found.rest:
            message = message.evolve(extras={**message.extras, ENVELOPE: found.rest})
        exact = same_document(plain_copy(thaw(self._spell(message, found.form))), native)
        return (message if exact else _whole(native)), found.form

    def _meaning(self, found: Native) -> am.Msg:
        message = self._bodies.read(found)
        own: Part = {}
        if self._bodies.default_tag(message) != found.tag:
            own["/type"] = found.tag
        if found.word is not None and self._bodies.default_word(message) != found.word:
            own["/role"] = found.word
        content = found.body.get("content")
        if (
            type(content) is list
            and type(self._bodies.write(message, found.tag, found.form).get("content")) is str
            and content
        ):
            own["/content"] = "list"
        return _with_note(message, own)

    # -- the fast path ------------------------------------------------------------------------------------------

    def _content(self, native: Any) -> tuple[Any, ...] | None:
        """Return the blocks of content; None where it is neither text nor a list that is written as one."""
        if type(native) is str:
            return (v1.make_text(text=native),) if native else ()
        if type(native) is not list or not native:
            return None
        return tuple(map(self.parts.read, cast("list[Any]", native)))

    def _human(self, data: Part) -> am.Msg | None:
        return self._plain(data, "human", "user")

    def _system(self, data: Part) -> am.Msg | None:
        kwargs = data.get("additional_kwargs")
        if type(kwargs) is not dict or kwargs.get("__openai_role__") == "developer":
            return None
        return self._plain(data, "system", "system")

    def _plain(self, data: Part, tag: str, role: str) -> am.Msg | None:
        if len(data) != 6:  # noqa: PLR2004 - the keys that all messages have
            return None
        try:
            if data["type"] != tag:
                return None
            content, kwargs, response = data["content"], data["additional_kwargs"], data["response_metadata"]
            name, id = data["name"], data["id"]  # noqa: A001 - the field's name
        except KeyError:
            return None
        if type(kwargs) is not dict or type(response) is not dict:
            return None
        if (name is not None and type(name) is not str) or (id is not None and type(id) is not str):
            return None
        blocks = self._content(content)
        if blocks is None or (response and _speaks(response)):
            return None
        notes = EMPTY
        if type(content) is list and self._bodies.is_words(blocks):
            notes = _LIST
        return make_msg(
            role=role,
            content=blocks,
            id=id,
            name=name,
            metadata=adopt(kwargs) if kwargs else EMPTY,
            response_metadata=adopt(response) if response else EMPTY,
            notes=notes,
        )

    def _tool(self, data: Part) -> am.Msg | None:
        if len(data) != 9:  # noqa: PLR2004 - all keys of a ToolMessage
            return None
        try:
            if data["type"] != "tool" or data["additional_kwargs"] or data["response_metadata"]:
                return None
            if type(data["additional_kwargs"]) is not dict or type(data["response_metadata"]) is not dict:
                return None
            content, name, id = data["content"], data["name"], data["id"]  # noqa: A001 - the field's name
            link, artifact, status = data["tool_call_id"], data["artifact"], data["status"]
        except KeyError:
            return None
        if (name is not None and type(name) is not str) or (id is not None and type(id) is not str):
            return None
        if type(link) is not str or (status != "success" and status != "error"):  # noqa: PLR1714 - may be a list
            return None
        blocks = self._content(content)
        if blocks is None:
            return None
        notes = _LIST if type(content) is list and self._bodies.is_words(blocks) else EMPTY
        result = v1.make_result(
            tool_call_id=link, content=blocks, name=name, artifact=adopt(artifact), status=status
        )
        return make_msg(role="tool", content=(result,), id=id, notes=notes)

    def _ai(self, data: Part) -> am.Msg | None:
        if len(data) != 9:  # noqa: PLR2004 - all keys of an AIMessage
            return None
        try:
            if data["type"] != "ai" or data["invalid_tool_calls"] != []:
                return None
            content, kwargs, response = data["content"], data["additional_kwargs"], data["response_metadata"]
            name, id = data["name"], data["id"]  # noqa: A001 - the field's name
            calls, usage = data["tool_calls"], data["usage_metadata"]
        except KeyError:
            return None
        if type(kwargs) is not dict or type(response) is not dict or type(calls) is not list:
            return None
        if (name is not None and type(name) is not str) or (id is not None and type(id) is not str):
            return None
        if usage is not None and type(usage) is not dict:
            return None
        if kwargs and any(kwargs.get(key) is not None for key in _MEANT):
            return None
        blocks = self._content(content)
        if blocks is None:
            return None
        notes = EMPTY
        if type(content) is list:
            for block in blocks:
                if type(block) is am.ToolUseBlock and block.kind == "function":
                    return None
            if self._bodies.is_words(blocks):
                notes = _LIST
        if calls:
            read = _calls(cast("list[Any]", calls))
            if read is None:
                return None
            blocks = (*blocks, *read)
        model = reason = None
        if response:
            told = _told(response)
            if told is None:
                return None
            model, reason, response = told
        return make_msg(
            role="assistant",
            content=blocks,
            id=id,
            name=name,
            model=model,
            finish_reason=reason,
            usage=read_usage(usage) if usage is not None else None,
            metadata=adopt(kwargs) if kwargs else EMPTY,
            response_metadata=adopt(response) if response else EMPTY,
            notes=notes,
        )

    # -- writing ------------------------------------------------------------------------------------------------

    def write(self, message: am.Msg, form: str) -> Any:
        """Return the native message, in a form of which its own note may differ."""
        if is_native(message):
            return cast("am.NativeBlock", message.content[0]).value
        if not message.notes and not message.extras:
            for block in message.content:
                if block.notes:
                    break
            else:
                tag = self._bodies.default_tag(message)
                form = _able(form, message, tag)
                return wrap(form, tag, self._bodies.write(message, tag, form), message, {})
        return self._checked(message, form)

    def _checked(self, message: am.Msg, form: str) -> Any:
        """Return the native message with all spellings that it remembers, as far as they mean the same."""
        for trial in _trials(message):
            spelt = self._spell(trial, form)
            if not _is_noted(trial) or self._reads_as(spelt, message):
                return spelt
        raise AssertionError  # pragma: no cover - the last trial has no notes

    def _spell(self, message: am.Msg, form: str) -> Any:
        note = note_of_message(message)
        own = note.get("/form")
        form = own if isinstance(own, str) and own in FORMS else form
        tag = self._bodies.tag(message, note.get("/type"))
        form = _able(form, message, tag)
        body = self._bodies.write(message, tag, form)
        content = body.get("content")
        if note.get("/content") == "list" and type(content) is str and content:
            body["content"] = [self.parts.write(block) for block in self._bodies.words_of(message)]
        body = put_back(message, body, family=FAMILY, read=lambda _: message)
        return wrap(form, tag, body, message, note)

    def _reads_as(self, native: Any, message: am.Msg) -> bool:
        try:
            return am.same(self.read(plain_copy(thaw(native)))[0], message)
        except AgentMsgError:
            return False


def _able(form: str, message: am.Msg, tag: str) -> str:
    """Return the form, or dict where that alone can say what a message is."""
    if message.extras and ENVELOPE in message.extras:
        return "dict"
    if form == "role" and tag in _CHATS and message.role in KIND_OF_ROLE:
        return "dict"
    return form


_CHATS = frozenset({"chat", "generic", "ChatMessageChunk"})
FORMS = frozenset({"dict", "flat", "role", "oldest", "text", "pair"})
_MEANT = ("reasoning_content", "refusal", "audio", "tool_calls", "function_call")


def _refuse_envelope(native: Part) -> None:
    if native.get("type") == "constructor" and "lc" in native:
        raise DecodeError("an envelope of dumpd (lc, constructor): another codec reads these")


def _whole(native: Any) -> am.Msg:
    block = _make_native(codec=FAMILY, value=adopt(native), fallback=_fallback(native))
    return make_msg(role="native", content=(block,))


def _fallback(native: Any) -> str | None:
    body = native.get("data", native) if isinstance(native, dict) else None
    content = body.get("content") if isinstance(body, dict) else None
    return content if isinstance(content, str) and content else None


def _with_note(message: am.Msg, own: Part) -> am.Msg:
    if not own:
        return message
    return message.evolve(notes={**message.notes, FAMILY: {**note_of_message(message), **own}})


def _speaks(response: Part) -> bool:
    """Tell whether response_metadata has a key that may stand for a field of the model."""
    return (
        "model_name" in response
        or "model" in response
        or "finish_reason" in response
        or "stop_reason" in response
    )


def _told(response: Part) -> tuple[str | None, str | None, Part] | None:
    """Return model, finish reason and the rest of response_metadata; None where they are not in their usual places."""
    model, word = response.get("model_name"), response.get("finish_reason")
    if "model" in response or "stop_reason" in response:
        return None
    if model is not None and type(model) is not str:
        return None
    reason = _USUAL.get(word) if type(word) is str else None
    if word is not None and reason is None:
        return None
    if (model is None and "model_name" in response) or (word is None and "finish_reason" in response):
        return None
    if model is None and reason is None:
        return None, None, response
    return (
        model,
        reason,
        {key: response[key] for key in response if key not in ("model_name", "finish_reason")},
    )


_USUAL: Mapping[str, str] = {
    "stop": "stop",
    "tool_calls": "tool_use",
    "length": "length",
    "content_filter": "content_filter",
}


def _calls(entries: list[Any]) -> list[am.ToolUseBlock] | None:
    """Return the calls of `tool_calls` where nothing about them is odd."""
    blocks: list[am.ToolUseBlock] = []
    for entry in entries:
        if type(entry) is not dict or len(entry) != 4:  # noqa: PLR2004 - name, args, id, type
            return None
        try:
            name, args, link = entry["name"], entry["args"], entry["id"]
            if entry["type"] != "tool_call" or type(args) is not dict or "_raw" in args:
                return None
        except KeyError:
            return None
        if type(name) is not str or type(link) is not str:
            return None
        blocks.append(v1.make_call(id=link, name=name, input=adopt(args)))
    return blocks


def _is_noted(message: am.Msg) -> bool:
    return FAMILY in message.notes or any(FAMILY in block.notes for block in message.content)


def _trials(message: am.Msg) -> list[am.Msg]:
    """Return the message with all its notes, without those of its calls, without its own, and without any."""
    calls = tuple(_without(block) if type(block) is am.ToolUseBlock else block for block in message.content)
    bare = tuple(map(_without, message.content))
    return [
        message,
        message.evolve(content=calls),
        _without(message),
        _without(message).evolve(content=bare),
    ]


def _without(obj: Any) -> Any:
    if FAMILY not in obj.notes:
        return obj
    return obj.evolve(notes={key: value for key, value in obj.notes.items() if key != FAMILY})
