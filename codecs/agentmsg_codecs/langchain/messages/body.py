"""The body of a message: its fields as model_dump names them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import agentmsg as am
import agentmsg_codecs.langchain.blocks.v1 as v1
from agentmsg import Made, thaw
from agentmsg.formats import (
    EMPTY,
    Native,
    Unreadable,
    adopt,
    dump_json,
    is_list,
    is_mapping,
    is_object,
    maker,
    natives,
    note_of,
    same_document,
    spelling,
)
from agentmsg_codecs.langchain.blocks.server_tools import is_of_anthropic
from agentmsg_codecs.langchain.blocks.v1 import is_words
from agentmsg_codecs.langchain.calls.copies import SPACES, Layout, chunks_of, content_part, lay_out
from agentmsg_codecs.langchain.calls.joining import join
from agentmsg_codecs.langchain.messages.fields import KINDS, LEFT_OUT, ROLE_OF_KIND, TAG_OF_ROLE
from agentmsg_codecs.langchain.messages.metadata import (
    is_in_kwargs,
    read_kwargs,
    read_response,
    write_kwargs,
    write_response,
)
from agentmsg_codecs.langchain.names import ANTHROPIC, FAMILY, OPENAI_ROLE, OWN_ROLES, STATUS_WORDS
from agentmsg_codecs.langchain.usage import read_usage, write_usage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg_codecs.langchain.blocks.parts import ContentParts
    from agentmsg_codecs.langchain.messages.forms import Unwrapped


_make_msg = maker(am.Msg)
_CHUNKS = SPACES["k"]
# What the entries of these lists say beyond a call.
_LISTS = frozenset({SPACES["t"], _CHUNKS})
# The forms in which the role is said by itself.
_SELF_SAID = frozenset({"role", "pair"})
_SHORT_FORMS = frozenset({"role", "oldest", "pair", "text"})


class Bodies:
    """Reads and writes the bodies of messages."""

    def __init__(self, parts: ContentParts) -> None:
        self.parts = parts

    # -- what kind of message -----------------------------------------------------------------------------------

    def default_tag(self, message: am.Msg) -> str:
        """Return the word in `type` for a message, by its role; one that says more of its pieces is a chunk."""
        if message.role == "assistant" and any(_CHUNKS in block.extras for block in message.content if block.extras):
            return "AIMessageChunk"
        return TAG_OF_ROLE.get(message.role, "chat")

    def tag(self, message: am.Msg, noted: Any) -> str:
        """Return the word in `type`: the noted one where a message of that kind can be this one."""
        default = self.default_tag(message)
        if default == "AIMessageChunk":
            return default
        if not isinstance(noted, str) or noted not in KINDS:
            return default
        kind = KINDS[noted]
        may_be = _MAY_BE.get(kind)
        return noted if kind == KINDS[default] or (may_be is not None and may_be(message)) else default

    # -- reading ------------------------------------------------------------------------------------------------

    def read(self, found: Unwrapped) -> am.Msg:
        """Return what a body means; its spelling is noted by the caller.

        Raises:
            Unreadable: where a field that says what the message is about has no meaning.
        """
        body, kind = found.body, found.kind
        kwargs, response = _object_at(body, "additional_kwargs"), _object_at(body, "response_metadata")
        model, reason, response, note = read_response(response)
        # A chat message whose role says so is an answer, too.
        is_answer = kind == "ai" or (kind == "chat" and body.get("role") == "assistant")
        provider = response.get("model_provider") if is_answer else None
        content = self._content(body.get("content"), provider if type(provider) is str else None)
        fields: Native = {"id": natives.word_if_any(body, "id"), "model": model, "finish_reason": reason}
        if kind in {"tool", "function"}:
            role = "tool"
            fields["content"] = (self._result(body, content, kind),)
        else:
            fields["name"] = natives.word_if_any(body, "name")
            role = self._role(found, kwargs)
            if OPENAI_ROLE in kwargs or role == "developer":
                kwargs, note = _unmarked(found, role, kwargs, note)
            fields["content"] = tuple(block for block, _ in content)
        if is_answer:
            before, behind, metadata = read_kwargs(kwargs)
            placed = [(block, None) for block in before] + content + [(block, None) for block in behind]
            is_chunk = found.tag == "AIMessageChunk"
            lists = body if kind == "ai" else {}
            fields["content"] = tuple(join(placed, lists, kwargs, self.parts, is_chunk=is_chunk))
            fields["usage"] = read_usage(lists.get("usage_metadata"))
            if is_chunk and body.get("chunk_position") == "last":
                note = {**note, "/last": True}
            kwargs = metadata
        if kind == "remove" and fields["content"]:
            raise Unreadable
        return _make_msg(
            role=role,
            metadata=adopt(kwargs) if kwargs else EMPTY,
            response_metadata=adopt(response) if response else EMPTY,
            notes=adopt({FAMILY: note}) if note else EMPTY,
            **fields,
        )

    def _role(self, found: Unwrapped, kwargs: Native) -> str:
        if found.kind == "chat":
            word = found.word if found.form in {"role", "pair"} else found.body.get("role")
            if type(word) is not str or word in OWN_ROLES:
                raise Unreadable
            return word
        if found.kind == "system" and (found.word == "developer" or kwargs.get(OPENAI_ROLE) == "developer"):
            return "developer"
        return ROLE_OF_KIND[found.kind]

    def _content(self, native: Any, provider: str | None) -> list[tuple[Any, Any]]:
        if native is None or native == "":
            return []
        if type(native) is str:
            return [(v1.make_text(text=native), None)]
        if not is_list(native):
            raise Unreadable
        return [(self.parts.read(part, provider), part) for part in native]

    def _result(self, body: Native, content: list[tuple[Any, Any]], kind: str) -> am.ToolResultBlock:
        name = natives.word_if_any(body, "name")
        blocks = tuple(block for block, _ in content)
        if kind == "function":
            return v1.make_result(tool_call_id=None, content=blocks, name=name, notes=_NO_ID)
        link, status = natives.word_if_any(body, "tool_call_id"), body.get("status")
        error = natives.word_if_any(body, "error")
        # An error goes with a status of its own, where somebody else says so.
        as_it_stands = status not in STATUS_WORDS if type(status) is str else error is not None
        result = v1.make_result(
            tool_call_id=link,
            content=blocks,
            name=name,
            structured=adopt(body.get("structured")),
            artifact=adopt(body.get("artifact")),
            status=natives.word_if_any(body, "status"),
            error=error,
            error_type=natives.word_if_any(body, "error_type"),
            cache=v1.cache_of(body),
            notes=_RESULT_NOTES[link is None, as_it_stands],
        )
        told = body.get("content")
        # A text that only repeats what stands apart is there for those who read nothing but content.
        return result.evolve(content=()) if type(told) is str and told and told == _told_apart(result) else result

    # -- writing ------------------------------------------------------------------------------------------------

    def words_of(self, message: am.Msg) -> tuple[Any, ...]:
        """Return the blocks that are written as content where that is a string."""
        blocks = message.content
        if message.role == "tool" and blocks:
            blocks = cast("am.ToolResultBlock", blocks[0]).content
        return tuple(block for block in blocks if type(block) is am.TextBlock)

    def write(self, message: am.Msg, tag: str, form: str) -> Native:
        """Return the body of a message in its default spelling, without unknown fields."""
        kind = KINDS[tag]
        blocks = message.content
        note = message.notes.get(FAMILY) if message.notes else None
        body: Native = {
            "content": "",
            "additional_kwargs": message.metadata,
            "response_metadata": write_response(message, note if is_mapping(note) else None),
            "type": tag,
            "name": message.name,
            "id": message.id,
        }
        if kind == "ai":
            self._write_ai(message, body)
        elif kind in {"tool", "function"}:
            self._write_result(cast("am.ToolResultBlock", blocks[0]), body, kind)
        elif kind == "chat" and message.role == "assistant":
            self._write_blocks(blocks, body, has_lists=False)
            body["role"] = message.role
        else:
            body["content"] = self._write_content(blocks)
            if kind == "chat":
                body["role"] = message.role
            elif message.role == "developer" and _is_marked(message, form):
                body["additional_kwargs"] = {**message.metadata, OPENAI_ROLE: "developer"}
        return _shortened(body, form) if form in _SHORT_FORMS else body

    def _write_content(self, blocks: Any) -> Any:
        if not blocks:
            return ""
        if is_words(blocks):
            return blocks[0].text
        return list(map(self.parts.write, blocks))

    def _write_result(self, block: am.ToolResultBlock, body: Native, kind: str) -> None:
        content = self._write_content(block.content)
        body["name"] = block.name
        body["content"] = content
        if kind == "function":
            return
        if block.tool_call_id is not None:
            body["tool_call_id"] = block.tool_call_id
        body["artifact"] = block.artifact
        if block.status is not None:
            body["status"] = block.status
        if block.cache is not None:
            body["cache_control"] = v1.write_cache(block.cache)
        if block.structured is None and block.error is None and block.error_type is None:
            return
        told = _told_apart(block)
        if not content:
            body["content"] = told or ""
        elif content == told:
            body["content"] = list(map(self.parts.write, block.content))
        for key in ("structured", "error", "error_type"):
            if (value := getattr(block, key)) is not None:
                body[key] = value

    def _write_ai(self, message: am.Msg, body: Native) -> None:
        layout = self._write_blocks(message.content, body)
        body["usage_metadata"] = None if message.usage is None else write_usage(message.usage)
        if body["type"] == "AIMessageChunk":
            body["tool_call_chunks"] = chunks_of(layout)
            body["chunk_position"] = "last" if note_of(message, FAMILY).get("/last") is True else None

    def _write_blocks(self, blocks: Any, body: Native, *, has_lists: bool = True) -> Layout:
        kwargs: Native = {}
        layout = lay_out(blocks)
        inside: list[Any] = []
        for index, block in enumerate(blocks):
            if index in layout.places:
                if "c" in layout.places[index] or (not has_lists and layout.places[index] == "t"):
                    inside.append(content_part(block, self.parts))
            elif is_in_kwargs(block):
                write_kwargs(block, kwargs)
            else:
                inside.append(block)
        if is_words(inside):
            body["content"] = inside[0].text
        else:
            provider = body["response_metadata"].get("model_provider")
            parts = [
                self._attributed(item, self.parts.write(item), provider) if isinstance(item, am.BaseBlock) else item
                for item in inside
            ]
            body["content"] = parts or ""
        if has_lists:
            body["tool_calls"] = [*layout.tool_calls]
            body["invalid_tool_calls"] = [*layout.invalid_tool_calls]
        if layout.raw:
            kwargs["tool_calls"] = layout.raw
        if layout.function_call is not None:
            kwargs["function_call"] = layout.function_call
        if kwargs:
            body["additional_kwargs"] = {**body["additional_kwargs"], **kwargs}
        return layout

    def _attributed(self, block: Any, part: Any, provider: Any) -> Any:
        """Return a part that says whose it is, where the message would say otherwise."""
        if not is_mapping(part) or part.get("type") not in _ATTRIBUTED:
            return part
        if type(block) is am.ThinkingBlock:
            if block.signature is None or provider in (None, ANTHROPIC, block.signature.provider):
                return part
            name, owner = "signature_provider", block.signature.provider
        elif type(block) in _SERVER and block.provider is None and is_of_anthropic(part, provider):
            if am.same(self.parts.read(thaw(part), provider), block):
                # It isn't as Anthropic has them, whatever the message says.
                return part
            name, owner = "provider", None
        else:
            return part
        extras: Native = _object_at(part, "extras")
        return part if name in extras else {**part, "extras": {**extras, name: owner}}


_NO_ID = natives.without_id(FAMILY)
# By what a result has: no id; a status that LangChain does not know.
_RESULT_NOTES: Mapping[tuple[bool, bool], Any] = {
    (False, False): EMPTY,
    (True, False): _NO_ID,
    (False, True): adopt({FAMILY: {"/status": True}}),
    (True, True): adopt({FAMILY: {"/no-id": True, "/status": True}}),
}


def _may_chat(message: am.Msg) -> bool:
    """Whether a chat message, which has neither counters nor lists of calls, can be this one."""
    if message.role != "assistant":
        return message.role not in OWN_ROLES
    return message.usage is None and all(_LISTS.isdisjoint(block.extras) for block in message.content if block.extras)


def _is_bare_result(message: am.Msg) -> bool:
    """Whether a function message, which has nothing but name and content, can be this one."""
    if message.role != "tool":
        return False
    result: Any = message.content[0]
    is_unlinked = result.tool_call_id is None or isinstance(result.tool_call_id, Made)
    return is_unlinked and all(getattr(result, field) is None for field in _BESIDE_NAME)


# The kinds that a message is of by its note alone.
_MAY_BE: Mapping[str, Callable[[am.Msg], bool]] = {"chat": _may_chat, "function": _is_bare_result}
_BESIDE_NAME = ("structured", "artifact", "status", "error", "error_type", "cache")


def _unmarked(found: Unwrapped, role: str, kwargs: Native, note: Native) -> tuple[Native, Native]:
    """Return the metadata and the note of a message whose additional_kwargs may say that a developer speaks.

    Raises:
        Unreadable: where they say otherwise than the role, or nothing that could stand there.
    """
    mark, has_mark = kwargs.get(OPENAI_ROLE), OPENAI_ROLE in kwargs
    if role != "developer" or found.kind == "chat":
        if has_mark and (role == "developer" or (role == "system" and mark == "developer")):
            raise Unreadable
        return kwargs, note
    told = found.body.get("additional_kwargs")
    if (has_mark and mark != "developer") or not (is_object(told) or spelling.says_nothing(told)):
        raise Unreadable
    if has_mark is (found.form in _SELF_SAID):
        note = {**note, "/marked": has_mark}
    return {key: value for key, value in kwargs.items() if key != OPENAI_ROLE}, note


def _is_marked(message: am.Msg, form: str) -> bool:
    """Whether additional_kwargs say that a developer speaks: as it is noted, else where no `role` does."""
    noted = note_of(message, FAMILY).get("/marked")
    return noted if type(noted) is bool else form not in _SELF_SAID


_SERVER = frozenset({am.ToolUseBlock, am.ToolResultBlock})
_ATTRIBUTED = frozenset({"reasoning", "server_tool_call", "server_tool_result"})


def _shortened(body: Native, form: str) -> Native:
    """Leave out what is empty, and what stands in `role`."""
    left_out = {"type", "role"} if form != "oldest" else {"type"}
    return {
        key: value
        for key, value in body.items()
        if key not in left_out and not (key in LEFT_OUT and same_document(value, LEFT_OUT[key]))
    }


def _told_apart(block: am.ToolResultBlock) -> str | None:
    """Return the text of a result that has no content: its structure as JSON, else its error."""
    return block.error if block.structured is None else dump_json(block.structured).decode()


def _object_at(body: Native, key: str) -> Native:
    value = body.get(key)
    return value if is_object(value) else {}
