"""The description of lionpride: the five classes of content, and the fields beside the content of a node.

Marks on blocks: ``/odd`` on an image whose URL lionpride refuses; ``/detail`` if lionpride doesn't list the detail;
``/parsed`` on JSON in a text field (lionpride parses texts that are JSON when it writes them); ``/error`` and
``/link``, the same for a result's ``error`` and ``request_id``; ``/plain`` on a call whose arguments aren't an object;
``/no-id`` on a call or result; ``/free`` on a result whose id isn't a UUID as lionpride writes it.

Marks on a message: ``/free``, the same for its id; ``/time`` (the form of ``created_at``); ``/unclassed`` (metadata
without ``lion_class``); ``/stored`` (``node_metadata``, as in databases).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    EMPTY,
    KEEP,
    Native,
    Unreadable,
    adopt,
    dump_json,
    is_list,
    is_mapping,
    is_marked,
    is_object,
    maker,
    marked,
    parse_json,
    speed,
    spelling,
    tool_arguments,
)
from agentmsg.formats.forms import Described, Form, Hatch, Json, Key, Lifted, Place, Single, Via, Wrapped
from agentmsg_codecs.lionpride.fields import (
    read_embedding,
    read_id,
    read_metadata,
    read_time,
    read_word,
    write_embedding,
    write_id,
    write_metadata,
    write_time,
)
from agentmsg_codecs.lionpride.names import (
    CONTENT,
    DETAILS,
    FAMILY,
    FIELDS,
    SLOTS,
    TRIGGERS,
    class_of_content,
    is_uuid,
)
from agentmsg_codecs.lionpride.urls import is_web_url

if TYPE_CHECKING:
    from collections.abc import Mapping

_make_text = maker(am.TextBlock, "text")
_make_data = maker(am.DataBlock, "data", "name")
_make_image = maker(am.ImageBlock, "source", "detail")
_make_url = maker(am.URLSource, "url")
_NO_ID = {"no-id": True}
_with_id = speed.replacer(am.ToolUseBlock, "id")


# -- text fields ------------------------------------------------------------------------------------------------------


def _text_via(mark: str) -> Via:
    """Return the value of a text field; any other value becomes its JSON text, and is marked."""

    def read(value: Any, marks: dict[str, Any]) -> str:
        if type(value) is str:
            return value
        marks[mark] = True
        return dump_json(value).decode()

    def write(text: str, owner: Any) -> Any:
        return _parsed(text) if is_marked(owner, FAMILY, mark) else text

    return Via(read, write, EMPTY, KEEP, is_marking=True)


def _parsed(text: str) -> Any:
    """Parse a text as JSON; return the text itself unless its value is written the same."""
    try:
        value = parse_json(text)
    except AgentMsgError:
        return text
    return value if value is not None and type(value) is not str and dump_json(value).decode() == text else text


def _read_text(value: Any) -> Any:
    if type(value) is str:
        return _make_text(value)
    return marked(_make_text(dump_json(value).decode()), FAMILY, parsed=True)


def _write_text(block: Any) -> Any:
    return _parsed(block.text) if is_marked(block, FAMILY, "/parsed") else block.text


# -- instructions -----------------------------------------------------------------------------------------------------

_OTHERS = frozenset[str]().union(*TRIGGERS.values()) - TRIGGERS["instruction"]
_DATA = ("instruction", *SLOTS["user"])


def _read_instruction(native: Native) -> dict[str, Any]:
    notes: dict[str, Any] = {key: "null" for key in native if key in FIELDS["instruction"] and native[key] is None}
    blocks = [
        _make_text(value) if name == "instruction" and type(value) is str else _make_data(adopt(value), name)
        for name in _DATA
        if (value := native.get(name)) is not None
    ]
    urls, detail = native.get("images"), native.get("image_detail")
    if urls:
        if not is_list(urls) or not all(type(url) is str for url in urls) or type(detail) not in (str, type(None)):
            raise Unreadable("images are URLs, with one detail")
        blocks += [_read_image(url, detail) for url in urls]
    else:
        if urls is not None:
            notes["images"] = spelling.spelling_of(urls) or ["=", urls]
        blocks += [] if detail is None else [_make_data(adopt(detail), "image_detail")]
    if _says_null(blocks, native) and notes.pop("instruction", None) is None:
        notes["instruction"] = "absent"
    return {"content": tuple(blocks), "notes": notes}


def _read_image(url: str, detail: str | None) -> Any:
    block = _make_image(_make_url(url), detail)
    marks = {} if detail is None or detail in DETAILS else {"detail": True}
    marks |= {} if is_web_url(url) else {"odd": True}
    return marked(block, FAMILY, **marks) if marks else block


def _write_instruction(message: am.Msg) -> Native:
    native: Native = {}
    for block in message.content:
        if isinstance(block, am.TextBlock):
            native["instruction"] = block.text
        elif isinstance(block, am.DataBlock):
            native[str(block.name)] = thaw(block.data)
        elif isinstance(block, am.ImageBlock):
            native.setdefault("images", []).append(getattr(block.source, "url", ""))
            if block.detail is not None:
                native["image_detail"] = block.detail
    own: Any = message.extras.get(CONTENT) if message.extras else None
    others = own if is_mapping(own) else EMPTY
    return {"instruction": None, **native} if _says_null(message.content, others) else native


def _says_null(blocks: Any, native: Mapping[str, Any]) -> bool:
    """Whether an empty instruction must be written: the other keys decide no class, or another one."""
    if any(getattr(block, "name", None) != "image_detail" for block in blocks):
        return False
    return bool(blocks) or not _OTHERS.isdisjoint(native)


# -- calls and results -------------------------------------------------------------------------------------------------


def _read_arguments(native: Native) -> dict[str, Any]:
    value = native.get("arguments")
    if is_object(value):
        return tool_arguments.from_object(value)
    if value is not None:
        return {"input": adopt(value), "marks": {"/plain": True}}
    return {"input": EMPTY, "notes": {"arguments": "null" if "arguments" in native else "absent"}}


def _write_arguments(message: am.Msg) -> Native:
    block: Any = message.content[0]
    value = block.input
    is_plain = value is not None and not is_mapping(value) and is_marked(block, FAMILY, "/plain")
    return {"arguments": thaw(value if is_plain else tool_arguments.input_object(block))}


def _read_result(native: Native) -> dict[str, Any]:
    value = native.get("result")
    if type(value) is str:
        return {"content": (_make_text(value),)}
    has_error = native.get("error") is not None
    if value is None and has_error == ("result" in native):
        return {"notes": {"result": "null" if has_error else "absent"}}
    return {"structured": adopt(value)}


def _write_result(message: am.Msg) -> Native:
    block: Any = message.content[0]
    if block.content:
        return {"result": block.content[0].text}
    return {} if block.structured is None and block.error is not None else {"result": thaw(block.structured)}


# -- forms ------------------------------------------------------------------------------------------------------------


def _content(name: str, role: str, item: Any) -> Form:
    # A spelling must not change the class.
    return Form(
        name,
        am.Msg,
        None,
        (item,),
        fixed={"role": role},
        fits=lambda native: class_of_content(native) == name,
        space=CONTENT,
        is_apart=True,
    )


def _read_inner(native: Native) -> dict[str, Any]:
    """Return the role and the blocks of a read content; a call gets the id of its node."""
    inner: am.Msg = native["content"]
    content = inner.content
    block: Any = content[0] if content else None
    if type(block) is am.ToolUseBlock:
        link = native.get("id")
        content = (_with_id(block, link) if type(link) is str else marked(block, FAMILY, **_NO_ID),)
    elif type(block) is am.ToolResultBlock and (block.tool_call_id is None or not is_uuid(block.tool_call_id)):
        content = (marked(block, FAMILY, **(_NO_ID if block.tool_call_id is None else {"free": True})),)
    return {"role": inner.role, "content": content}


def _write_inner(_: am.Msg) -> Native:
    """Return a placeholder for the content, which messages.py writes."""
    return {"content": None}


_WORDS = Via(_read_text, _write_text, EMPTY, KEEP)
_DATETIME = Wrapped(am.DataBlock, "data", {"name": "system_datetime"}, of=Json())
_INSTRUCTION = Hatch(
    keys=tuple(sorted(FIELDS["instruction"])),
    cells={"content": KEEP},
    get=_read_instruction,
    put=_write_instruction,
    about="TextBlock; DataBlock named like its key; ImageBlock",
)
_ARGUMENTS = Hatch(
    keys=("arguments",),
    cells={"id": KEEP, "input": KEEP, "raw_input": KEEP},
    get=_read_arguments,
    put=_write_arguments,
    about="input",
)
_RESULT = Hatch(
    keys=("result",),
    cells={"content": KEEP, "structured": KEEP},
    get=_read_result,
    put=_write_result,
    about="content, or structured",
)
_INNER = Hatch(
    keys=("content",),
    cells={"role": KEEP, "content": KEEP},
    get=_read_inner,
    put=_write_inner,
    must=("content",),
    about="role and content",
)
_ID = Hatch(keys=("id",), cells={"id": KEEP}, get=read_id, put=write_id, odd=("id",), about="id, also of a call")
_METADATA = Hatch(
    keys=("metadata",),
    cells={"metadata": KEEP},
    get=read_metadata,
    put=write_metadata,
    odd=("metadata",),
    about="metadata, without lion_class",
)
_WORD = Via(read_word, str)
_TIME = Via(read_time, write_time, {"type": ["string", "number"]}, is_marking=True)
_NUMBERS = {"type": "array", "items": {"type": "number"}}
_VECTOR = Via(read_embedding, write_embedding, {"anyOf": [_NUMBERS, {"type": "string"}]}, is_marking=True)


FORMS = (
    _content("instruction", "user", _INSTRUCTION),
    _content("assistant_response", "assistant", Lifted((
        Place("assistant_response", _WORDS, need="null", is_one=True),
    ))),
    _content("action_response", "tool", Single(am.ToolResultBlock, (
        Key("request_id", "tool_call_id", _text_via("/link"), "may"),
        _RESULT,
        Key("error", "error", _text_via("/error"), "may"),
    ))),
    _content("action_request", "assistant", Single(am.ToolUseBlock, (
        Key("function", "name", _text_via("/parsed"), '""', default=""), _ARGUMENTS,
    ))),
    _content("system", "system", Lifted((
        Place("system_message", _WORDS, alone="null", is_one=True),
        Place("system_datetime", _DATETIME, {am.DataBlock: None}, is_one=True),
    ))),
    Form("node", am.Msg, None, (
        _ID,
        Key("created_at", "created_at", _TIME, "may", is_odd=True),
        _METADATA,
        _INNER,
        Key("embedding", "embedding", _VECTOR, "null", is_odd=True),
        Key("sender", "name", _WORD, "null", is_odd=True),
        Key("recipient", "recipient", _WORD, "null", is_odd=True),
    ), fits=lambda native: "metadata" in native or "node_metadata" not in native, is_apart=True),
)  # fmt: skip
DESCRIBED = Described(FAMILY, FORMS, {})
