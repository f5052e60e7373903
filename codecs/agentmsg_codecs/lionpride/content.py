"""Content: a dict whose keys decide the role, and the blocks of a message.

What a message holds beside its content plays no part here: ``_bare`` takes it away, so that spellings can be tried.
Marks: ``/odd`` on an image whose URL the real reader refuses; ``/detail`` where it does not list the detail;
``/parsed`` on what stands in a text field as JSON (the real writer parses texts that are JSON); ``/error`` and
``/link``, the same of a result's ``error`` and ``request_id``; ``/plain`` on a call whose arguments aren't an object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    EMPTY,
    Native,
    Shape,
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
    read_as,
    tool_arguments,
    write_as,
)
from agentmsg_codecs.lionpride.names import (
    CONTENT,
    DETAILS,
    FAMILY,
    FIELDS,
    SLOTS,
    TRIGGERS,
    class_of_content,
    is_web_url,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


make_msg = maker(am.Msg)
_make_text = maker(am.TextBlock)
_make_data = maker(am.DataBlock)
_make_image = maker(am.ImageBlock)
_make_url = maker(am.URLSource)
_make_call = maker(am.ToolUseBlock)
_make_result = maker(am.ToolResultBlock)


def kind_of(message: am.Msg) -> str:
    """Return the class of content that a message is written as."""
    if message.role == "assistant":
        return "action_request" if message.has(am.ToolUseBlock) else "assistant_response"
    return {"system": "system", "tool": "action_response"}.get(message.role, "instruction")


# -- text fields ------------------------------------------------------------------------------------------------------


def _text(value: Any) -> tuple[str, bool]:
    """Return what a text field says, and whether it is the JSON text of what stands there."""
    return (value, False) if type(value) is str else (dump_json(value).decode(), True)


def _spelt(text: str, *, parsed: bool) -> Any:
    """Return a text, or what it is parsed to, where that was read and says the same."""
    if not parsed:
        return text
    try:
        value = parse_json(text)
    except AgentMsgError:
        return text
    return value if value is not None and type(value) is not str and dump_json(value).decode() == text else text


def _read_text(value: Any) -> Any:
    text, parsed = _text(value)
    return marked(_make_text(text), FAMILY, parsed=True) if parsed else _make_text(text)


def _write_text(block: Any) -> Any:
    return _spelt(block.text, parsed=is_marked(block, FAMILY, "/parsed"))


# -- instructions and systems -----------------------------------------------------------------------------------------


def _read_data(native: Native, name: str) -> list[Any]:
    value = native.get(name)
    return [] if value is None else [_make_data(adopt(value), name=name)]


def _read_images(native: Native) -> list[Any]:
    urls, detail = native.get("images"), native.get("image_detail")
    if not urls:
        return _read_data(native, "image_detail")
    if not is_list(urls) or any(type(url) is not str for url in urls):
        raise Unreadable
    if detail is not None and type(detail) is not str:
        raise Unreadable
    return [_read_image(url, detail) for url in urls]


def _read_image(url: str, detail: str | None) -> Any:
    block = _make_image(_make_url(url), detail=detail)
    if detail is not None and detail not in DETAILS:
        block = marked(block, FAMILY, detail=True)
    return block if is_web_url(url) else marked(block, FAMILY, odd=True)


def _read_instruction(native: Native, _: Any) -> am.Msg:
    value = native.get("instruction")
    blocks = [_make_text(value)] if type(value) is str else _read_data(native, "instruction")
    for name in SLOTS["user"]:
        blocks += _read_data(native, name)
    # Keys of other classes are unknown here; the writer must know of them, for they could decide the class.
    others = {key: native[key] for key in native if key in _OTHERS}
    extras: Mapping[str, Any] = adopt({CONTENT: others}) if others else EMPTY
    return make_msg("user", (*blocks, *_read_images(native)), extras=extras)


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
    if _DECIDING.isdisjoint(native) and (native or _has_others(message)):
        # What is left decides no class, or another one.
        return {"instruction": None, **native}
    return native


_DECIDING = TRIGGERS["instruction"]
_OTHERS = frozenset(key for keys in TRIGGERS.values() for key in keys) - _DECIDING


def _has_others(message: am.Msg) -> bool:
    own: Any = message.extras.get(CONTENT) if message.extras else None
    return is_mapping(own) and not _OTHERS.isdisjoint(own)


def _read_system(native: Native, _: Any) -> am.Msg:
    value = native.get("system_message")
    blocks = [] if value is None else [_read_text(value)]
    return make_msg("system", (*blocks, *_read_data(native, "system_datetime")))


def _write_system(message: am.Msg) -> Native:
    native: Native = {}
    for block in message.content:
        if isinstance(block, am.DataBlock):
            native["system_datetime"] = thaw(block.data)
        else:
            native["system_message"] = _write_text(block)
    return native or {"system_message": None}


# -- responses, calls and results --------------------------------------------------------------------------------------


def _read_response(native: Native, _: Any) -> am.Msg:
    value = native.get("assistant_response")
    return make_msg("assistant", () if value is None else (_read_text(value),))


def _write_response(message: am.Msg) -> Native:
    return {"assistant_response": _write_text(message.content[0]) if message.content else None}


def _read_call(native: Native, _: Any) -> am.Msg:
    function, arguments = native.get("function"), native.get("arguments")
    name, parsed = ("", False) if function is None else _text(function)
    fields: Any = tool_arguments.from_object(arguments) if is_object(arguments) else {"input": adopt(arguments)}
    if arguments is None:
        fields = {"input": EMPTY}
    block = _make_call(id=None, name=name, **fields)
    block = marked(block, FAMILY, parsed=True) if parsed else block
    is_plain = arguments is not None and not is_object(arguments)
    return make_msg("assistant", (marked(block, FAMILY, plain=True) if is_plain else block,))


def _write_call(message: am.Msg) -> Native:
    block: Any = message.first(am.ToolUseBlock)
    value = block.input
    is_plain = value is not None and not is_mapping(value) and is_marked(block, FAMILY, "/plain")
    return {
        "function": _spelt(block.name, parsed=is_marked(block, FAMILY, "/parsed")),
        "arguments": thaw(value if is_plain else tool_arguments.input_object(block)),
    }


def _read_result(native: Native, _: Any) -> am.Msg:
    value = native.get("result")
    fields: dict[str, Any] = {"structured": adopt(value)} if type(value) is not str else {}
    content = (_make_text(value),) if type(value) is str else ()
    marks: dict[str, Any] = {}
    link = native.get("request_id")
    if link is not None:
        link, parsed = _text(link)
        marks |= {"link": True} if parsed else {}
    if native.get("error") is not None:
        fields["error"], parsed = _text(native["error"])
        marks |= {"error": True} if parsed else {}
    block = _make_result(link, content, **fields)
    return make_msg("tool", (marked(block, FAMILY, **marks) if marks else block,))


def _write_result(message: am.Msg) -> Native:
    block: Any = message.content[0]
    native: Native = {}
    if block.tool_call_id is not None:
        native["request_id"] = _spelt(str(block.tool_call_id), parsed=is_marked(block, FAMILY, "/link"))
    if block.content:
        native["result"] = block.content[0].text
    elif block.structured is not None or block.error is None:
        native["result"] = thaw(block.structured)
    if block.error is not None:
        native["error"] = _spelt(block.error, parsed=is_marked(block, FAMILY, "/error"))
    return native


# -- contents ---------------------------------------------------------------------------------------------------------


def _shape(name: str, read: Callable[[Native, Any], am.Msg], write: Callable[[am.Msg], Native]) -> Shape:
    def read_own(native: Native, cls: Any) -> am.Msg:
        # A spelling must not make another class of it.
        if class_of_content(native) != name:
            raise Unreadable
        return read(native, cls)

    return Shape(cls=am.Msg, keys={None: FIELDS[name]}, tag="", read=read_own, write=write)


_SHAPES: Mapping[str, Shape] = {
    "instruction": _shape("instruction", _read_instruction, _write_instruction),
    "assistant_response": _shape("assistant_response", _read_response, _write_response),
    "action_response": _shape("action_response", _read_result, _write_result),
    "action_request": _shape("action_request", _read_call, _write_call),
    "system": _shape("system", _read_system, _write_system),
}


def read_content(native: Any) -> am.Msg:
    """Return the message of a content: role, blocks, unknown keys and spellings.

    Raises:
        Unreadable: where it cannot be told in the model.
    """
    name = class_of_content(native)
    if _is_usual(name, native):
        usual: am.Msg = _SHAPES[name].read(native, am.Msg)
        return usual
    message: am.Msg = read_as(_SHAPES[name], native, CONTENT)
    return message


_USUAL: Mapping[str, Mapping[str, type]] = {
    "instruction": {"instruction": str},
    "assistant_response": {"assistant_response": str},
    "action_response": {"request_id": str, "result": object},
    "action_request": {"function": str, "arguments": dict},
    "system": {"system_message": str},
}


def _is_usual(name: str, native: Native) -> bool:
    """Whether a content is spelt as it would be written, so that nothing can deviate and nothing is compared."""
    usual = _USUAL[name]
    if native.keys() != usual.keys() or any(not isinstance(native[key], kind) for key, kind in usual.items()):
        return False
    # An envelope is read as what it holds.
    return name != "action_request" or "_raw" not in native["arguments"]


def _bare(message: am.Msg) -> am.Msg:
    """Return what of a message stands in its content: no ids of calls, no names of results."""
    own = message.extras.get(CONTENT) if message.extras else None
    content: Any = message.content
    if message.role == "assistant":
        content = tuple(
            block.evolve(id=None) if isinstance(block, am.ToolUseBlock) and block.id is not None else block
            for block in content
        )
    elif message.role == "tool" and content[0].name is not None:
        content = (content[0].evolve(name=None),)
    return make_msg(message.role, content, extras=adopt({CONTENT: own}) if own else EMPTY, notes=message.notes)


def write_content(message: am.Msg) -> Native:
    """Return the content of a message that fits."""
    if CONTENT not in message.notes and CONTENT not in message.extras:
        return _SHAPES[kind_of(message)].write(message)
    return write_as(_SHAPES[kind_of(message)], _bare(message), CONTENT)
