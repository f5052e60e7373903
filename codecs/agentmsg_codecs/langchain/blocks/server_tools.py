"""Calls and results of server tools as v1 blocks, without forms: what was read is written again and compared.

In results, text, structure and content depend on each other. Anthropic's have the names that langchain-core gives them.
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
    is_mapping,
    is_object,
    natives,
    object_at,
    same_document,
    spelling,
    text_at,
    word_at,
)
from agentmsg.formats.forms import Form
from agentmsg_codecs.langchain.blocks.anthropic import (
    LISTED,
    OF_USES,
    TOOLS,
    form_of,
    output_of,
    read_text,
    server_name,
    write_texts,
)
from agentmsg_codecs.langchain.blocks.v1 import (
    cache_of,
    is_words,
    make_call,
    make_result,
    make_text,
    read_extras,
    write_cache,
    write_extras,
)
from agentmsg_codecs.langchain.blocks.v1_forms import args_of, call_input, items_of_call, read_args, write_beside
from agentmsg_codecs.langchain.names import ANTHROPIC, ANTHROPIC_IDS, FAMILY, INNER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


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


# -- Anthropic's ------------------------------------------------------------------------------------------------------

_V1_NAMES: Mapping[str, str] = {"code_interpreter": "code_execution"}
_NATIVE_NAMES: Mapping[str, str] = {ours: name for name, ours in _V1_NAMES.items()}


def is_of_anthropic(part: Native, provider: str | None) -> bool:
    """Whether a v1 call or result of a server tool is Anthropic's, by its id, its tag, or the message's provider."""
    extras = part.get("extras")
    if "provider" in extras if is_object(extras) else not spelling.says_nothing(extras):
        return False
    link = part.get("id" if part.get("type") == "server_tool_call" else "tool_call_id")
    if type(link) is str and link.startswith(ANTHROPIC_IDS):
        return True
    tag = extras.get("block_type") if is_object(extras) else None
    if type(tag) is str and (tag in TOOLS or tag == "mcp_tool_result"):
        return True
    return provider == ANTHROPIC


def _taken(rest: Native, keys: Iterable[str]) -> Native:
    """Take keys out of `extras`, if they are there."""
    return {key: rest.pop(key) for key in keys if key in rest}


def _taken_text(rest: Native, key: str) -> str:
    return text_at(_taken(rest, (key,)), key)


def _extras(rest: Native, own: Native) -> Any:
    return adopt({**({INNER: rest} if rest else {}), **({ANTHROPIC: own} if own else {})})


def _own(block: Any, keys: Iterable[str]) -> Native:
    """Return the extras of Anthropic's family under these keys, in their order."""
    extras = natives.extras_of(block, ANTHROPIC)
    return {key: extras[key] for key in keys if key in extras}


def _read_call(part: Native, _: Any = None) -> Any:
    fields, rest = _common(part, {}, id_key="")
    name, own = text_at(part, "name"), dict[str, Any]()
    if name == "remote_mcp":
        name, own = _taken_text(rest, "tool_name"), {"server_name": _taken_text(rest, "server_name")}
    own |= _taken(rest, ("caller",))
    return make_call(
        id=word_at(part, "id"),
        name=_V1_NAMES.get(name, name),
        input=call_input(object_at(part, "args")),
        kind="server",
        provider=ANTHROPIC,
        extras=_extras(rest, own),
        **fields,
    )


def _write_call(block: Any) -> Native:
    server = server_name(block)
    own: Native = {} if server is None else {"tool_name": block.name, "server_name": server}
    own |= _own(block, ("caller",))
    name = "remote_mcp" if server is not None else _NATIVE_NAMES.get(block.name, block.name)
    part: Native = {"type": "server_tool_call", "id": block.id, "name": name, "args": args_of(block.input)}
    part |= {} if block.cache is None else {"cache_control": write_cache(block.cache)}
    return {**part, **write_extras(block, {}, **own)}


_OF_RESULTS = ("caller", "retrieved_at")


def _read_result(part: Native, _: Any = None) -> Any:
    fields, rest = _common(part, {})
    tag, output = _taken_text(rest, "block_type"), part.get("output")
    own, status = _taken(rest, _OF_RESULTS), word_at(part, "status")
    if tag == "mcp_tool_result" and is_list(output):
        fields |= {"content": tuple(map(read_text, output)), "status": status, "notes": LISTED}
    elif tag in TOOLS:
        form = form_of(tag, output)
        if status != _status(form):
            raise Unreadable
        fields |= {"name": TOOLS[tag], **form}
    else:
        raise Unreadable
    link = word_at(part, "tool_call_id")
    return make_result(tool_call_id=link, kind="server", provider=ANTHROPIC, extras=_extras(rest, own), **fields)


def _status(form: Native) -> str:
    structured = form.get("structured")
    is_error = "error_type" in form or (is_mapping(structured) and bool(structured.get("error_code")))
    return "error" if is_error else "success"


def _write_result(block: Any) -> Native:
    own: Native = {"block_type": f"{block.name or 'mcp'}_tool_result", **_own(block, _OF_RESULTS)}
    part: Native = {"type": "server_tool_result", "tool_call_id": block.tool_call_id}
    if block.name is not None:
        form = {"structured": block.structured} | ({} if block.error_type is None else {"error_type": ""})
        part |= {"status": _status(form), "output": output_of(block)}
    else:
        part |= {"output": write_texts(block.content)} | ({} if block.status is None else {"status": block.status})
    return {**_with_common(part, block), **write_extras(block, {}, **own)}


# -- calls of functions -----------------------------------------------------------------------------------------------


def _read_use(part: Native) -> Native:
    found = read_args(part)
    rest = found["extras"][INNER]
    own = _taken(rest, OF_USES)
    return {**found, "extras": {**({INNER: rest} if rest else {}), ANTHROPIC: own}}


def _write_use(block: Any) -> Native:
    part, own = write_beside(block), _own(block, OF_USES)
    return {"extras": {**own, **part.get("extras", {})}} if own else part


USE = Form(
    "used_call", am.ToolUseBlock, "tool_call", items_of_call(_read_use, _write_use, ANTHROPIC),
    fits=lambda part: is_object(extras := part.get("extras")) and not extras.keys().isdisjoint(OF_USES),
    fixed={"kind": "function"}, notes={"shape": "v1-anthropic-use"},
    when=lambda block: block.is_valid and bool(_own(block, OF_USES)),
)  # fmt: skip

_CALL_KEYS = frozenset({"type", "id", "extras", "cache_control", "name", "args"})
SHAPES = {
    "v1-anthropic-call": Shape(
        cls=am.ToolUseBlock, keys={"server_tool_call": _CALL_KEYS}, read=_read_call, write=_write_call
    ),
    "v1-anthropic-result": Shape(
        cls=am.ToolResultBlock, keys={"server_tool_result": KEYS}, read=_read_result, write=_write_result
    ),
}
