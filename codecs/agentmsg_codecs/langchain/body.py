"""The body of a message: its fields as model_dump names them. Imports calls, fields, parts and what lies below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import agentmsg as am
import agentmsg_codecs.langchain.v1 as v1
from agentmsg.codec import maker
from agentmsg.json_text import dump_json
from agentmsg.json_values import EMPTY, adopt
from agentmsg.notes import same_document
from agentmsg.plain import is_list, is_mapping, is_object
from agentmsg_codecs.langchain.calls import content_part, is_function_call, join, lay_out
from agentmsg_codecs.langchain.fields import (
    is_in_kwargs,
    read_kwargs,
    read_response,
    write_kwargs,
    write_response,
)
from agentmsg_codecs.langchain.forms import EMPTY_FIELDS, Native, role_word
from agentmsg_codecs.langchain.usage import read_usage, write_usage
from agentmsg_codecs.langchain.v1 import Unreadable, is_bare_text
from agentmsg_codecs.langchain.words import FAMILY, KINDS, OWN_ROLES, ROLE_OF_KIND

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg_codecs.langchain.parts import Parts

__all__ = ["Bodies"]

Part = dict[str, Any]
_make_msg = maker(am.Msg)
_TAG_OF_ROLE: Mapping[str, str] = {
    "user": "human",
    "assistant": "ai",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "remove": "remove",
}
_OPENAI_ROLE = "__openai_role__"
_SHORT_FORMS = frozenset({"role", "oldest", "pair", "text"})


class Bodies:
    """Reads and writes the bodies of messages.

    Args:
        parts: reads and writes content parts.
    """

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    # -- what kind of message -----------------------------------------------------------------------------------

    def default_tag(self, message: am.Msg) -> str:
        """Return the word in `type` for a message, by its role."""
        return _TAG_OF_ROLE.get(message.role, "chat")

    def tag(self, message: am.Msg, noted: Any) -> str:
        """Return the word in `type`: the noted one where a message of that kind can be this one."""
        default = self.default_tag(message)
        if not isinstance(noted, str) or noted not in KINDS:
            return default
        kind = KINDS[noted]
        fits = kind == KINDS[default] or (kind == "function" and message.role == "tool")
        return noted if fits or (kind == "chat" and message.role not in OWN_ROLES) else default

    def default_word(self, message: am.Msg) -> str:
        """Return the word in `role` for a message, where its kind stands there."""
        note = message.notes.get(FAMILY) if message.notes else None
        noted = note.get("/type") if is_mapping(note) else None
        return role_word(message, self.tag(message, noted))

    # -- reading ------------------------------------------------------------------------------------------------

    def read(self, found: Native) -> am.Msg:
        """Return what a body means; its spelling is noted by the caller.

        Raises:
            Unreadable: where a field that says what the message is about has no meaning.
        """
        body, kind = found.body, found.kind
        kwargs, response = _object_at(body, "additional_kwargs"), _object_at(body, "response_metadata")
        model, reason, response, note = read_response(response)
        content = self._content(body.get("content"))
        fields: Part = {"id": _text_or_none(body.get("id")), "model": model, "finish_reason": reason}
        if kind in {"tool", "function"}:
            role = "tool"
            fields["content"] = (self._result(body, content, kind),)
        else:
            fields["name"] = _text_or_none(body.get("name"))
            role = self._role(found, kwargs)
            if role == "developer" and _OPENAI_ROLE in kwargs and found.word is None:
                kwargs = {key: value for key, value in kwargs.items() if key != _OPENAI_ROLE}
            fields["content"] = tuple(block for block, _ in content)
        if kind == "ai":
            before, behind, metadata = read_kwargs(kwargs)
            placed = [(block, None) for block in before] + content + [(block, None) for block in behind]
            fields["content"] = tuple(join(placed, body, kwargs, self.parts))
            fields["usage"] = read_usage(body.get("usage_metadata"))
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

    def _role(self, found: Native, kwargs: Part) -> str:
        if found.kind == "chat":
            word = found.word if found.form in {"role", "pair"} else found.body.get("role")
            if type(word) is not str or word in OWN_ROLES:
                raise Unreadable
            return word
        if found.kind == "system" and (found.word == "developer" or kwargs.get(_OPENAI_ROLE) == "developer"):
            return "developer"
        return ROLE_OF_KIND[found.kind]

    def _content(self, native: Any) -> list[tuple[Any, Any]]:
        if native is None or native == "":
            return []
        if type(native) is str:
            return [(v1.make_text(text=native), None)]
        if not is_list(native):
            raise Unreadable
        return [(self.parts.read(part), part) for part in native]

    def _result(self, body: Part, content: list[tuple[Any, Any]], kind: str) -> am.ToolResultBlock:
        name = _text_or_none(body.get("name"))
        blocks = tuple(block for block, _ in content)
        if kind == "function":
            return v1.make_result(tool_call_id=None, content=blocks, name=name, notes=_NO_ID)
        link, status = _text_or_none(body.get("tool_call_id")), body.get("status")
        result = v1.make_result(
            tool_call_id=link,
            content=blocks,
            name=name,
            structured=adopt(body.get("structured")),
            artifact=adopt(body.get("artifact")),
            status=status if status in ("success", "error") else None,
            error=_text_or_none(body.get("error")),
            error_type=_text_or_none(body.get("error_type")),
            notes=EMPTY if link is not None else _NO_ID,
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

    def write(self, message: am.Msg, tag: str, form: str) -> Part:
        """Return the body of a message in its default spelling, without unknown fields."""
        kind = KINDS[tag]
        blocks = message.content
        note = message.notes.get(FAMILY) if message.notes else None
        body: Part = {
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
        else:
            body["content"] = self._write_content(blocks)
            if kind == "chat":
                body["role"] = message.role
            elif message.role == "developer" and form not in {"role", "pair"}:
                body["additional_kwargs"] = {**message.metadata, _OPENAI_ROLE: "developer"}
        return _shortened(body, form) if form in _SHORT_FORMS else body

    def _write_content(self, blocks: Any) -> Any:
        if not blocks:
            return ""
        if _is_words(blocks):
            return blocks[0].text
        return list(map(self.parts.write, blocks))

    def _write_result(self, block: am.ToolResultBlock, body: Part, kind: str) -> None:
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

    def _write_ai(self, message: am.Msg, body: Part) -> None:
        blocks = message.content
        if _is_words(blocks):
            body["content"] = cast("am.TextBlock", blocks[0]).text
            body["tool_calls"], body["invalid_tool_calls"] = [], []
        else:
            self._write_blocks(blocks, body)
        body["usage_metadata"] = None if message.usage is None else write_usage(message.usage)
        if body["type"] == "AIMessageChunk":
            body["tool_call_chunks"], body["chunk_position"] = _chunks(body), None

    def _write_blocks(self, blocks: Any, body: Part) -> None:
        kwargs: Part = {}
        layout = lay_out(blocks) if any(map(is_function_call, blocks)) else None
        inside: list[Any] = []
        for index, block in enumerate(blocks):
            if layout is not None and index in layout.places:
                if "c" in layout.places[index]:
                    inside.append(content_part(block, self.parts))
            elif is_in_kwargs(block):
                write_kwargs(block, kwargs)
            else:
                inside.append(block)
        if _is_words(inside):
            body["content"] = inside[0].text
        else:
            parts = [self.parts.write(item) if isinstance(item, am.BaseBlock) else item for item in inside]
            body["content"] = parts or ""
        body["tool_calls"] = [] if layout is None else layout.tool_calls
        body["invalid_tool_calls"] = [] if layout is None else layout.invalid_tool_calls
        if layout is not None and layout.raw:
            kwargs["tool_calls"] = layout.raw
        if layout is not None and layout.function_call is not None:
            kwargs["function_call"] = layout.function_call
        if kwargs:
            body["additional_kwargs"] = {**body["additional_kwargs"], **kwargs}


_NO_ID = adopt({FAMILY: {"/no-id": True}})


def _shortened(body: Part, form: str) -> Part:
    """Leave out what is empty, and what stands in `role`."""
    left_out = {"type", "role"} if form != "oldest" else {"type"}
    return {
        key: value
        for key, value in body.items()
        if key not in left_out and not (key in EMPTY_FIELDS and same_document(value, EMPTY_FIELDS[key]))
    }


def _is_words(blocks: Any) -> bool:
    """Tell whether content is one text that says nothing but its words, and so is written as a string."""
    return len(blocks) == 1 and is_bare_text(blocks[0])


def _told_apart(block: am.ToolResultBlock) -> str | None:
    """Return the text of a result that has no content: its structure as JSON, else its error."""
    return block.error if block.structured is None else dump_json(block.structured).decode()


def _chunks(body: Part) -> list[Part]:
    """Return the default tool_call_chunks of an AIMessageChunk: one whole chunk a call, as LangChain makes them."""
    import json  # noqa: PLC0415 - its spelling of arguments is the one that LangChain writes

    def chunk(call: Part, args: Any) -> Part:
        return {
            "name": call.get("name"),
            "args": args,
            "id": call.get("id"),
            "index": None,
            "type": "tool_call_chunk",
        }

    valid = [chunk(call, json.dumps(am.thaw(call.get("args")))) for call in body["tool_calls"]]
    return valid + [chunk(call, call.get("args")) for call in body["invalid_tool_calls"]]


def _object_at(body: Part, key: str) -> Part:
    value = body.get(key)
    if value is None:
        return {}
    if not is_object(value):
        raise Unreadable
    return value


def _text_or_none(value: Any) -> str | None:
    return value if type(value) is str else None
