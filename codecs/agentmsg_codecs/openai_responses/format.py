"""The description: items and tools in OpenAI's Responses API; for parts see input_parts.py.

An assistant-side item is a block, and so is each part of its message items. items.py reads messages themselves, and
decides which items form one.

Follows the Python package openai 3.54.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    KEEP,
    Native,
    Parts,
    Unreadable,
    adopt,
    cells,
    is_list,
    is_marked,
    is_object,
    is_sequence,
    mark_of,
    media,
    natives,
    read_as,
    write_as,
)
from agentmsg.formats.forms import (
    Arguments,
    Content,
    Described,
    Form,
    Hatch,
    Input,
    Json,
    Key,
    Link,
    Object,
    Spare,
    Text,
    Truth,
    Via,
    Whole,
)
from agentmsg_codecs.openai_responses.client_tools import CALLS, RESULTS, has_input, said_by
from agentmsg_codecs.openai_responses.input_parts import INPUTS, ODD, PARTS, TEXTS, InputParts, unused
from agentmsg_codecs.openai_responses.item_keys import ENDED, NEEDED_ID, STATUS, item_id, item_marks, own_link
from agentmsg_codecs.openai_responses.names import CHAT_ITEM, DECIDED, FAMILY, PROVIDER, XAI

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg.formats import Shape

_SEPARATOR = "\n\n"
_SERVER = {"kind": "server", "provider": PROVIDER}


# -- what the assistant's side says -----------------------------------------------------------------------------------


_ANNOTATIONS = {"type": "array", "items": {"anyOf": [
    {"$ref": "#/$defs/url_citation"}, {"$ref": "#/$defs/other_citation"},
]}}  # fmt: skip


# -- reasoning --------------------------------------------------------------------------------------------------------
# A summary or the words themselves, and an opaque payload for the next request. Several texts of a summary are one text
# here, separated by empty lines; their lengths are marked (``/lengths``).


def _texts(value: Any, tag: str) -> list[str] | None:
    """Return the texts of a list of parts with a tag and a text; None if it is anything else."""
    if not is_list(value):
        return None
    parts: list[Any] = value
    is_plain = all(type(part) is dict and part.keys() == {"type", "text"} and part["type"] == tag for part in parts)
    return [part["text"] for part in parts] if is_plain and all(type(part["text"]) is str for part in parts) else None


def _read_reasoning(native: Native) -> dict[str, Any]:
    odd: list[str] = []
    marks: dict[str, Any] = {}
    summary, content, value = (native.get(key) for key in ("summary", "content", "encrypted_content"))
    raw = _texts(content, "reasoning_text")
    if summary is None and (raw or (type(value) is str and value)):
        summary, marks["/summary"] = [], "null" if "summary" in native else "absent"
    told = _texts(summary, "summary_text")
    if told is None:
        raise Unreadable
    is_raw = bool(raw) and not told
    if raw and not told:
        told = raw
    elif "content" in native:
        if content is None or content == []:
            marks["/content"] = "null" if content is None else "[]"
        else:
            odd.append("content")
    if "encrypted_content" in native and not (type(value) is str and value):
        if value is None:
            marks["/encrypted"] = "null"
        else:
            odd.append("encrypted_content")
    if told not in ([], [_SEPARATOR.join(told)] if told != [""] else None):
        marks["/lengths"] = list(map(len, told))
    signature = am.Signature(PROVIDER, value) if type(value) is str and value else None
    return {
        "thinking": _SEPARATOR.join(told), "raw": is_raw, "signature": signature, "notes": adopt(marks), "odd": odd
    }  # fmt: skip


def _split(block: Any) -> list[str]:
    """Return the texts of reasoning: as they were read, or one."""
    text, lengths = block.thinking, mark_of(block, FAMILY, "/lengths") if block.notes else None
    if is_sequence(lengths) and all(type(length) is int and length >= 0 for length in lengths):
        found: list[str] = []
        at = 0
        for length in lengths:
            found.append(text[at : at + length])
            at += length + len(_SEPARATOR)
        if _SEPARATOR.join(found) == text and lengths:
            return found
    return [text] if text else []


def _write_reasoning(block: Any) -> Native:
    texts = _split(block)
    own = natives.extras_of(block, FAMILY)
    # An earlier version marked it.
    is_raw = block.raw or (bool(block.notes) and mark_of(block, FAMILY, "/raw") is True)
    is_raw = is_raw and bool(texts) and "content" not in own
    summary = [] if is_raw else [{"type": "summary_text", "text": text} for text in texts]
    noted = mark_of(block, FAMILY, "/summary") if block.notes and not summary else None
    native: Native = {} if noted == "absent" else {"summary": None if noted == "null" else summary}
    if is_raw:
        native["content"] = [{"type": "reasoning_text", "text": text} for text in texts]
    elif block.notes and "content" not in own and mark_of(block, FAMILY, "/content") in ("null", "[]"):
        native["content"] = None if mark_of(block, FAMILY, "/content") == "null" else []
    if block.signature is not None:
        native["encrypted_content"] = block.signature.value
    elif block.notes and "encrypted_content" not in own and mark_of(block, FAMILY, "/encrypted") == "null":
        native["encrypted_content"] = None
    return native


def _raw(value: Any, block: Any) -> bool:
    """Whether words come back as the model's own: where there are some, and no other content."""
    return value and bool(block.thinking) and not natives.has_extra(block, FAMILY, "content")


_SUMMARY = {
    "type": "object", "properties": {"type": {"const": "summary_text"}, "text": {"type": "string"}},
    "required": ["type", "text"], "additionalProperties": False,
}  # fmt: skip
_REASONING = Hatch(
    keys=("summary", "content", "encrypted_content"),
    cells={"thinking": KEEP, "raw": _raw, "signature": cells.signed_by(PROVIDER, family=FAMILY)},
    get=_read_reasoning,
    put=_write_reasoning,
    odd=("content", "encrypted_content"),
    schema={"summary": {"type": "array", "items": _SUMMARY}},
    about="thinking; its signature",
)


def _annotations(citation: Callable[[], Shape]) -> Hatch:
    """Return what says the citations of a text, given what returns the shape of one."""

    def read(native: Native) -> dict[str, Any]:
        value: Any = native.get("annotations")
        if value is None:  # as people write what the assistant said
            return {"citations": (), "notes": {"/uncited": "null" if "annotations" in native else "absent"}}
        if not is_list(value):
            raise Unreadable
        return {"citations": tuple(read_as(citation(), each, FAMILY) for each in value)}

    def write(block: am.TextBlock) -> Native:
        how = mark_of(block, FAMILY, "/uncited") if block.notes and not block.citations else None
        if how in ("absent", "null"):
            return {} if how == "absent" else {"annotations": None}
        return {"annotations": [write_as(citation(), each, FAMILY) for each in block.citations]}

    return Hatch(keys=("annotations",), cells={"citations": KEEP}, get=read, put=write,
                 schema={"annotations": _ANNOTATIONS}, about="citations")  # fmt: skip


def _is_cited(native: Native) -> bool:
    """Whether a citation lacks what the schema asks."""
    return any(native.get(key) is None for key in ("start_index", "end_index", "title", "url"))


_OTHER_TYPE = {"type": "string", "pattern": "^(?!url_citation$).", "examples": ["file_citation"]}
CITATIONS = (
    Form("url_citation", am.Citation, "url_citation", (
        Key("start_index", "start", Whole(), "may"),
        Key("end_index", "end", Whole(), "may"),
        Key("title", "title", Text(), "may"),
        Key("url", "url", Text(), "may"),
    ), fixed={"kind": "url_citation"}, marks={"odd": _is_cited}, is_apart="citation"),
    Form("other_citation", am.Citation, None, (Key("type", "kind", Text()),), notes={"odd": True},
         fits=lambda native: bool(native.get("type")),
         schema={"properties": {"type": _OTHER_TYPE}}, is_apart="citation"),
)  # fmt: skip
REFUSAL = Form("refusal", am.RefusalBlock, "refusal", (Key("refusal", "refusal", Text()),))


def _is_alone(native: Native) -> bool:
    """Whether reasoning has neither an id nor a payload."""
    value = native.get("encrypted_content")
    return type(native.get("id")) is not str and not (type(value) is str and value)


def _is_unlinked(native: Native) -> bool:
    return native.get("call_id") is None


_LINK = Key("call_id", "id", Link())
# Of calls and results of functions: older clients leave it out.
_ANY_LINK = Key("call_id", "id", Link(), "null")
_NAMESPACE = Key("namespace", "namespace", Text(), "may")
_ARGUMENTS = Key("arguments", "input", Arguments(is_any=True, is_eager=True), '""')


def _read_link(native: Native) -> dict[str, Any]:
    """Read the id of a call that only its item has: results are linked by it."""
    link = native.get("id")
    return {"id": am.Made(link) if type(link) is str else None}


def _write_nothing(_: Any) -> Native:
    return {}


# Calls of OpenAI's tools have their item's id alone.
_UNLINKED = Hatch(keys=(), cells={"id": own_link}, get=_read_link, put=_write_nothing)


def _served(name: str, returned: Spare, *keys: str) -> Form:
    """Return the form of a call that OpenAI runs; what it returned is read by outcomes.py."""
    items = (said_by(*keys), _UNLINKED, NEEDED_ID, ENDED, returned)
    return Form(f"{name}_call", am.ToolUseBlock, f"{name}_call", items,
                fixed={**_SERVER, "name": name}, marks=item_marks(name), fits=_has_no_label,
                when=_is_not_of_mcp)  # fmt: skip


def _is_of_mcp(block: Any) -> bool:
    return block.server is not None


def _is_not_of_mcp(block: Any) -> bool:
    return not _is_of_mcp(block)


def _has_no_label(native: Native) -> bool:
    """Whether an item isn't labelled as those of MCP servers are: the label alone tells their calls from others."""
    return "server_label" not in native


def _is_search(key: str) -> Callable[[Native], bool]:
    has = has_input(key)
    return lambda native: (key not in native or has(native)) and _has_no_label(native)


def _is_program(native: Native) -> bool:
    return type(native.get("fingerprint")) is str and _has_no_label(native)


def _read_made(data: Any) -> am.Base64Source:
    """Return the source of an image that OpenAI's tool made."""
    if type(data) is not str:
        raise Unreadable
    return made_image(data)


def made_image(data: str) -> am.Base64Source:
    """Return the source of an image; its type is what the data tells."""
    return am.Base64Source(data, media.guess_media_type(data))


def _write_made(source: Any) -> str:
    return source.data  # type: ignore[no-any-return]


# The keys of the arguments of OpenAI's tools.
SERVED = {"code_interpreter": ("code", "container_id"), "file_search": ("queries",)}
_RETURNED = {"code_interpreter": Spare("outputs", []), "file_search": unused("results")[0]}
ITEMS = (
    Form("reasoning", am.ThinkingBlock, "reasoning", (item_id("reasoning"), _REASONING, STATUS),
         marks=item_marks("reasoning", alone=_is_alone)),
    Form("function_call", am.ToolUseBlock, "function_call", (
        _ANY_LINK, Key("name", "name", Text()), _ARGUMENTS, item_id("call"), STATUS, _NAMESPACE,
    ), marks=item_marks("call", **{"no-id": _is_unlinked})),
    Form("custom_tool_call", am.ToolUseBlock, "custom_tool_call", (
        _ANY_LINK, Key("name", "name", Text()), Key("input", "input", Arguments(is_free=True)), item_id("custom"),
        STATUS, _NAMESPACE,
    ), fixed={"kind": "custom"}, marks=item_marks("custom", **{"no-id": _is_unlinked})),
    *CALLS,
    *(_served(name, _RETURNED[name], *keys) for name, keys in SERVED.items()),
    Form("web_search_call", am.ToolUseBlock, "web_search_call", (
        Key("action", "input", Input(), "{}"), _UNLINKED, NEEDED_ID, ENDED,
    ), fixed={**_SERVER, "name": "web_search"}, marks=item_marks("web_search"), fits=_is_search("action"),
         when=_is_not_of_mcp),
    Form("x_search_call", am.ToolUseBlock, "x_search_call", (
        Key("action", "input", Input(), "{}"), _UNLINKED, NEEDED_ID, ENDED,
    ), fixed={**_SERVER, "provider": XAI, "name": "x_search"}, fits=_is_search("action"), about="of xAI"),
    Form("mcp_call", am.ToolUseBlock, "mcp_call", (
        Key("name", "name", Text()), Key("server_label", "server", Text()), _ARGUMENTS, _UNLINKED, NEEDED_ID, ENDED,
        *unused("output", "error", "approval_request_id"),
    ), fixed=_SERVER, marks=item_marks("mcp"), when=_is_of_mcp),
    Form("tool_search_call", am.ToolUseBlock, "tool_search_call", (
        Key("call_id", "id", Link(), "null"), Key("arguments", "input", Input()), item_id("tool_search"), STATUS,
    ), fixed={**_SERVER, "name": "tool_search"}, marks=item_marks("tool_search"), fits=_is_search("arguments"),
         when=_is_not_of_mcp),
    Form("tool_search_output", am.ToolResultBlock, "tool_search_output", (
        Key("call_id", "tool_call_id", Link(), "null"), Key("tools", "structured", Json()),
        item_id("tool_search_result"), STATUS,
    ), fixed={**_SERVER, "name": "tool_search"}, marks=item_marks("tool_search_result")),
    Form("program", am.ToolUseBlock, "program", (_LINK, said_by("code", must=("code",)), Key("id", "item_id", Text())),
         fixed={**_SERVER, "name": "program"}, marks=item_marks("program"), fits=_is_program,
         when=_is_not_of_mcp, about="fingerprint is an extra",
         schema={"properties": {"fingerprint": {"type": "string"}}, "required": ["fingerprint"]}),
    Form("program_output", am.ToolResultBlock, "program_output", (
        Key("call_id", "tool_call_id", Link()), Key("result", "content", Content()), Key("id", "item_id", Text()),
        ENDED,
    ), fixed={**_SERVER, "name": "program"}),
    Form("image_generation_call", am.ImageBlock, "image_generation_call", (
        Key("result", "source", Via(_read_made, _write_made, {"type": "string"}, supports=KEEP)),
        NEEDED_ID, ENDED,
    ), marks=item_marks("image_generation")),
    Form("compaction", am.CompactionBlock, "compaction", (
        Key("encrypted_content", "encrypted", Text()), item_id("compaction"),
    ), marks=item_marks("compaction"), when=lambda block: not is_marked(block, FAMILY, "/old")),
    Form("compaction_summary", am.CompactionBlock, "compaction_summary", (
        Key("encrypted_content", "encrypted", Text()), item_id("compaction"),
    ), marks=item_marks("compaction"), notes={"old": True}, about="its older name"),
)  # fmt: skip


# -- what others gave -------------------------------------------------------------------------------------------------


def _is_value(native: Native) -> bool:
    """Whether the output is any JSON but a text, parts, or nothing."""
    output = native.get("output")
    return output is not None and type(output) not in (str, list)


def is_value(block: Any) -> bool:
    """Whether a result is written as the value that it was read from."""
    value = block.structured
    is_other = value is not None and not isinstance(value, str) and not is_sequence(value)
    return is_other and not block.content and block.error is None and is_marked(block, FAMILY, "/value")


_OUTPUT = Key("output", "content", Content("inner"), '""')


def _output(name: str, kind: str, result: str, said: Key = _OUTPUT, **how: Any) -> Form:
    fixed = {"kind": "custom"} if kind == "custom_tool_call" else {}
    items = (Key("call_id", "tool_call_id", Link(), "null"), said, item_id(result))
    return Form(
        name,
        am.ToolResultBlock,
        f"{kind}_output",
        (*items, STATUS),
        fixed=fixed,
        marks=item_marks(result, **{"no-id": _is_unlinked}),
        is_apart="output",
        **how,
    )


OUTPUTS = (
    _output("value", "function_call", "result", Key("output", "structured", Json()),
            fits=_is_value, when=is_value, notes={"value": True}),
    _output("output", "function_call", "result"),
    _output("custom_output", "custom_tool_call", "custom_result"),
    *RESULTS,
)  # fmt: skip
DECISION = Form("decision", am.ApprovalResponseBlock, DECIDED, (
    Key("approval_request_id", "id", Text()), Key("approve", "approved", Truth()),
    Key("reason", "reason", Text(), "may"), item_id("decision"),
), fixed={"kind": "server"}, marks=item_marks("decision"))  # fmt: skip


# -- tools ------------------------------------------------------------------------------------------------------------


def _read_format(native: Native) -> dict[str, Any]:
    """Read the format of a custom tool's input: its grammar is in an object of its own in Chat Completions."""
    held: Any = native["format"]
    if not is_object(held) or "grammar" in held:
        return {"odd": ("format",)}
    grammar = {key: value for key, value in held.items() if key != "type"}
    theirs = {"type": "grammar", "grammar": grammar} if held.get("type") == "grammar" else held
    return {"extras": {CHAT_ITEM: {"format": theirs}}}


def _write_format(tool: Any) -> Native:
    held: Any = natives.extras_copy(tool, CHAT_ITEM).get("format")
    if not is_object(held):
        return {}
    is_grammar = held.get("type") == "grammar" and held.keys() == {"type", "grammar"} and is_object(held["grammar"])
    return {"format": {"type": "grammar", **held["grammar"]} if is_grammar else held}


def _carried_format(own: Any, tool: Any) -> Any:
    """Keep a format that comes back."""
    native = _write_format(tool)
    back = _read_format(native).get("extras") if native else None
    kept: Any = {} if back is None else adopt(back[CHAT_ITEM])
    return own if am.same(kept, own) else kept


_ABOUT = (Key("name", "name", Text()), Key("description", "description", Text(), "may"))
TOOLS = (
    Form("tool", am.ToolSpec, "function", (
        *_ABOUT, Key("parameters", "parameters", Object(), "null"),
        Key("strict", "strict", Truth(is_flag=True), "null", default=True),
    ), is_apart="tool"),
    Form("custom_tool", am.ToolSpec, "custom", (
        *_ABOUT,
        Hatch(keys=("format",), cells={}, get=_read_format, put=_write_format, is_optional=True, odd=("format",),
              spaces={CHAT_ITEM: _carried_format}, about='extras["openai.item"], where Chat Completions has it'),
    ), fixed={"kind": "custom"}, is_apart="tool"),
)  # fmt: skip


class _Items(Parts):
    """Items of the assistant's side."""

    @staticmethod
    def said(part: Any) -> str | None:
        """Return the texts of an item."""
        return natives.native_texts(part)


def describe_items() -> Described:
    """Return the description of the assistant's side."""
    text = Form("output_text", am.TextBlock, "output_text", (
        Key("text", "text", Text()),
        _annotations(lambda: described.shapes["url_citation"]),
        Spare("logprobs", [], is_written=False),
    ))  # fmt: skip
    places = {"said": ("output_text", "refusal"), "items": tuple(form.name for form in ITEMS)}
    described = Described(FAMILY, (text, REFUSAL, *CITATIONS, *ITEMS), places, table=_Items)
    return described


def describe_inputs() -> Described:
    """Return the description of what users and tools give, and of tools."""
    places = {"user": INPUTS, "text": TEXTS, "inner": INPUTS}
    odd = {"user": ODD, "inner": ODD}
    return Described(FAMILY, (*PARTS, *OUTPUTS, DECISION, *TOOLS), places, odd=odd, table=InputParts)
