"""Results of server tools as v1 blocks, without forms: what was read is written again and compared.

Text, structure and content depend on each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import (
    EMPTY,
    Native,
    Shape,
    Unreadable,
    adopt,
    is_list,
    natives,
    same_document,
    spelling,
    word_at,
)
from agentmsg_codecs.langchain.blocks.v1 import (
    cache_of,
    is_words,
    make_result,
    make_text,
    read_extras,
    write_cache,
    write_extras,
)
from agentmsg_codecs.langchain.names import FAMILY, INNER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


# The note of a call that was read without an id. It is no spelling.
_UNLINKED = natives.without_id(FAMILY)
_WORD = (str, type(None))
IN_EXTRAS = {key: key for key in ("name", "provider", "error", "error_type")}
KEYS = frozenset({"type", "id", "extras", "cache_control", "tool_call_id", "status", "output"})


def _common(part: Native, names: Mapping[str, str], *, id_key: str = "id") -> tuple[Native, Native]:
    """Return the fields that any part may have, and the rest of its `extras`."""
    fields = {name: value for name, value in read_extras(part, names).items() if name not in ("notes", "odd")}
    if type(item_id := part.get(id_key)) is str:
        fields["item_id"] = item_id
    fields["cache"] = cache_of(part)
    rest = fields.pop("extras", EMPTY).get(INNER, {})
    if "provider" in names and rest.get("provider", "") is None:
        del rest["provider"]  # it is written if the message would say otherwise
    return fields, rest


def _with_common(part: Native, block: Any) -> Native:
    """Add the id and the cache hint of a block to a part."""
    if block.item_id is not None:
        part["id"] = block.item_id
    if block.cache is not None:
        part["cache_control"] = write_cache(block.cache)
    return part


_RAISED = (Unreadable, AgentMsgError, AttributeError, LookupError, TypeError, ValueError)
_ODD = frozenset({"id", "cache_control", "extras"})


def careful(shape: Shape, part: Native) -> Any:
    """Return the block of a part by a shape that reads only the meaning: it is written again and compared."""
    try:
        block = shape.read(part, shape.cls)
        plain = shape.write(block)
    except _RAISED:
        raise Unreadable from None
    if same_document(plain, part):
        return block
    # A result isn't read again: for each level of nesting, that would multiply the time.
    read: Callable[[Native], Any] | None = (
        None if shape.cls is am.ToolResultBlock else lambda native: shape.read(native, shape.cls)
    )
    known = shape.known(part) | plain.keys()
    found = spelling.keep_proven(block, part, plain, family=FAMILY, known=known, odd=_ODD, read=read)
    if found is None:
        raise Unreadable
    kept, is_proven = found
    if is_proven or same_document(spelling.put_back(kept, plain, family=FAMILY, read=None), part):
        return kept
    raise Unreadable


def _said(content: Any, output: Any, fields: Native, read_inner: Callable[[Any], Any]) -> Native:
    """Return the fields of a result's output: blocks, words, or something structured."""
    if content is not None:
        if not is_list(content) or not content or ("structured" not in fields and type(output) not in _WORD):
            raise Unreadable
        found = tuple(map(read_inner, content))
        if any(block.notes and block.notes != _UNLINKED for block in found):
            raise Unreadable
        return {"content": found}
    if "structured" in fields:
        return {}
    return {"content": (make_text(text=output),)} if type(output) is str and output else {"structured": adopt(output)}


def result_shape(read_inner: Callable[[Any], Any], write_inner: Callable[[Any], Any]) -> Shape:
    """Return the shape of results.

    Blocks inside have only one spelling. Otherwise each level would be read again to prove the spelling of the next,
    which would multiply the time for each level.
    """

    def read(part: Native, _: Any = None) -> am.ToolResultBlock:
        """Read ``server_tool_result``: `output` is text or structured; `extras` may hold all of both."""
        fields, rest = _common(part, IN_EXTRAS)
        for name in ("artifact", "structured"):
            if rest.get(name) is not None:
                fields[name] = adopt(rest.pop(name))
        fields |= _said(rest.pop("content", None), part.get("output"), fields, read_inner)
        fields["extras"] = adopt({INNER: rest}) if rest else EMPTY
        link, status = word_at(part, "tool_call_id"), word_at(part, "status")
        return make_result(tool_call_id=link, status=status, kind="server", **fields)

    def write(block: am.ToolResultBlock) -> Native:
        part: Native = {"type": "server_tool_result", "tool_call_id": block.tool_call_id}
        if block.status is not None:
            part["status"] = block.status
        own: Native = {} if block.artifact is None else {"artifact": block.artifact}
        if block.structured is not None:
            part["output"] = block.structured
        elif block.text:
            part["output"] = block.text
        # A structured text reads as words, and so does structure beside content.
        if block.structured is not None and (block.content or type(block.structured) is str):
            own["structured"] = block.structured
        if block.content and (block.structured is not None or not is_words(block.content)):
            own["content"] = list(map(write_inner, block.content))
        return {**_with_common(part, block), **write_extras(block, IN_EXTRAS, **own)}

    return Shape(cls=am.ToolResultBlock, keys={"server_tool_result": KEYS}, read=read, write=write, odd=_ODD)
