"""The description of lionpride: the five classes of content, and the fields beside the content of a node.

Marks on blocks: ``/odd`` on an image whose URL lionpride refuses; ``/detail`` if lionpride doesn't list the detail;
``/parsed`` on JSON in a text field (lionpride parses texts that are JSON when it writes them); ``/error`` and
``/link``, the same for a result's ``error`` and ``request_id``; ``/plain`` on a call whose arguments aren't an object;
``/no-id`` on a call or result; ``/free`` on a result whose id isn't a UUID as lionpride writes it.

Marks on a message: ``/free``, the same for its id; ``/time`` (the form of ``created_at``); ``/unclassed`` (metadata
without ``lion_class``); ``/stored`` (``node_metadata``, as in databases).
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    EMPTY,
    KEEP,
    Containers,
    Native,
    Unreadable,
    adopt,
    dump_json,
    given,
    is_list,
    is_mapping,
    is_marked,
    is_object,
    maker,
    mark_of,
    marked,
    natives,
    parse_json,
    same_document,
    speed,
    spelling,
    tool_arguments,
)
from agentmsg.formats.forms import Described, Form, Hatch, Json, Key, Lifted, Place, Single, Via, Wrapped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


# -- names, the class of a content, and ids ---------------------------------------------------------------------------


FAMILY = "lionpride"
# A pile has its nodes under `items`.
CONTAINERS = Containers(family=FAMILY, title="lionpride", keys=("items",), own=frozenset({"content"}))
# Namespaces in extras: for unknown keys of the content, and for another class in the metadata.
CONTENT = "lionpride.content"
META = "lionpride.metadata"
CLASS = "lionpride.session.messages.message.Message"
NODE_KEYS = frozenset({"id", "created_at", "metadata", "content", "embedding", "sender", "recipient"})
DETAILS = frozenset({"low", "high", "auto"})

# The classes of content, in the order in which lionpride tries them: any one of these keys decides, even an empty one.
TRIGGERS: Mapping[str, frozenset[str]] = {
    "instruction": frozenset({"instruction", "context", "request_model", "tool_schemas", "images"}),
    "assistant_response": frozenset({"assistant_response"}),
    "action_response": frozenset({"result", "error"}),
    "action_request": frozenset({"function", "arguments"}),
    "system": frozenset({"system_message", "system_datetime"}),
}
# The known keys of each class.
FIELDS: Mapping[str, frozenset[str]] = {
    **TRIGGERS,
    "instruction": TRIGGERS["instruction"] | {"image_detail"},
    "action_response": TRIGGERS["action_response"] | {"request_id"},
}
# The fields that become a DataBlock of their name, in their order, by role.
SLOTS: Mapping[str, tuple[str, ...]] = {
    "user": ("context", "tool_schemas", "request_model"),
    "system": ("system_datetime",),
}
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def class_of_content(content: Iterable[str]) -> str:
    """Return the class of a content by its keys; an instruction if no key decides."""
    return _class_of(tuple(content))


@lru_cache(maxsize=256)
def _class_of(keys: tuple[str, ...]) -> str:
    return next((name for name, triggers in TRIGGERS.items() if not triggers.isdisjoint(keys)), "instruction")


def _taken(name: str) -> frozenset[str]:
    before = list(TRIGGERS)[: list(TRIGGERS).index(name)]
    return FIELDS[name].union(*(TRIGGERS[other] for other in before))


# The keys that extras of a content can't use, by class: its known keys, and those that would change the class.
TAKEN: Mapping[str, frozenset[str]] = {name: _taken(name) for name in TRIGGERS}
# Keys that hold content for a model; in a content of another class, each is an unknown field.
CONTENT_KEYS = frozenset({"response_model"}.union(*FIELDS.values()))


def is_uuid(text: str) -> bool:
    """Whether an id is a UUID as lionpride writes it."""
    return _UUID.fullmatch(text) is not None


def own_id(text: str) -> str:
    """Return the id if it is a UUID, else a name-based UUID (version 5) of it, always the same."""
    if is_uuid(text):
        return text
    from uuid import NAMESPACE_URL, uuid5  # noqa: PLC0415 - few need it, and it is slow to import

    return str(uuid5(NAMESPACE_URL, f"agentmsg:{text}"))


# -- URLs -------------------------------------------------------------------------------------------------------------


_WEB_URL = r"(?i)https?://([^/?#]*)"
_BRACKETS = r"(?i)([^\[\]]*@)?\[([0-9a-f:.]+)\](:[0-9]*)?"
_IGNORED = dict.fromkeys(map(ord, "\t\r\n"))
_MARKS = dict.fromkeys(map(ord, "/?#@:"))


def is_web_url(url: str) -> bool:
    """Whether lionpride accepts an image's URL: http or https, and a host that urlsplit accepts."""
    match = speed.compiled(_WEB_URL).match(url)
    if match is None or "\x00" in url or "%00" in url:
        return False
    host = match[1].translate(_IGNORED)
    if host.isascii():
        return _is_ipv6(host) if "[" in host or "]" in host else bool(host)
    from unicodedata import normalize  # noqa: PLC0415 - few hosts need it

    plain = host.translate(_MARKS)
    return _MARKS.keys().isdisjoint(map(ord, normalize("NFKC", plain))) and "[" not in host and "]" not in host


def _is_ipv6(host: str) -> bool:
    """Whether the brackets of a host hold an address."""
    from ipaddress import AddressValueError, IPv6Address  # noqa: PLC0415 - few need it, and it is slow to import

    match = speed.compiled(_BRACKETS).fullmatch(host)
    try:
        return match is not None and bool(IPv6Address(match[2]).packed)
    except AddressValueError:
        return False


# -- fields beside the content of a node: pairs of functions that read and write them ---------------------------------


_NUMBER = r"-?\d+(\.\d+)?"
# The forms of a time besides the usual one.
_TIMES: Mapping[str, Callable[[datetime], Any]] = {
    "Z": lambda time: time.isoformat().removesuffix("+00:00") + "Z",
    "seconds": lambda time: int(time.timestamp()),
    "fraction": lambda time: time.timestamp(),
    "digits": lambda time: str(int(time.timestamp())),
    "digits and fraction": lambda time: str(time.timestamp()),
}


def _time_of(value: Any) -> datetime:
    try:
        if type(value) in (int, float):
            return datetime.fromtimestamp(value, UTC)
        if type(value) is str:
            is_number = speed.compiled(_NUMBER).fullmatch(value)
            return datetime.fromtimestamp(float(value), UTC) if is_number else datetime.fromisoformat(value)
    except (ValueError, OverflowError, OSError):
        pass
    raise Unreadable("not a time")


def _read_time(value: Any, note: dict[str, Any]) -> datetime:
    """Read a time; mark its form if it isn't the usual one, or note the value if the form is unknown."""
    time = _time_of(value)
    if value != time.isoformat():
        form = next((name for name, write in _TIMES.items() if am.same(write(time), value)), None)
        is_told = form is not None and time.tzinfo is UTC
        note["/time" if is_told else "created_at"] = form if is_told else ["=", value]
    return time


def _write_time(time: datetime, message: am.Msg) -> Any:
    """Write a time in the form that was read."""
    form = mark_of(message, FAMILY, "/time") if message.notes else None
    if isinstance(form, str) and form in _TIMES and time.tzinfo is UTC:
        value = _TIMES[form](time)
        if am.same(_time_of(value), time):
            return value
    return time.isoformat()


def _read_word(value: Any) -> str:
    """Read a string that isn't empty."""
    if type(value) is not str or not value:
        raise Unreadable("not a word")
    return value


def _read_id(native: Native) -> dict[str, Any]:
    """Read the id of a node."""
    link = native.get("id")
    if type(link) is str:
        return {"id": link} if is_uuid(link) else {"id": link, "notes": {"/free": True}}
    return natives.unread(native, "id") if "id" in native else {}


def _write_id(message: am.Msg) -> Native:
    """Write the id of a message, or of its call.

    Ids that agentmsg makes for new messages are UUIDs like lionpride's; those that a reader made aren't written.
    """
    call = message.first(am.ToolUseBlock) if message.role == "assistant" else None
    link = message.id if call is None or call.id is None else call.id
    return {} if link is None or (given(link) is None and not is_uuid(link)) else {"id": str(link)}


def _read_metadata(native: Native) -> dict[str, Any]:
    """Read the metadata of a node, without its class."""
    metadata = native.get("metadata")
    if not is_object(metadata):
        return natives.unread(native, "metadata") if "metadata" in native else {"notes": {"metadata": "absent"}}
    if "lion_class" not in metadata:
        return {"metadata": adopt(metadata), "notes": {"/unclassed": True}}
    rest = {key: metadata[key] for key in metadata if key != "lion_class"}
    return {"metadata": adopt(rest)} if rest else {}


def class_extras(metadata: Any) -> Mapping[str, Any]:
    """Return the extras for a class other than that of messages."""
    if not is_object(metadata) or metadata.get("lion_class", CLASS) == CLASS:
        return EMPTY
    return {META: {"lion_class": metadata["lion_class"]}}


def _write_metadata(message: am.Msg) -> Native:
    """Write the metadata of a message, with the class."""
    if not message.metadata and not message.extras and not message.notes:
        return {"metadata": {"lion_class": CLASS}}
    metadata: Native = thaw(message.metadata)
    own = natives.extras_copy(message, META)
    if own:
        metadata |= own
    elif not is_marked(message, FAMILY, "/unclassed"):
        metadata["lion_class"] = CLASS
    return {"metadata": metadata}


def _read_embedding(value: Any, note: dict[str, Any]) -> tuple[float, ...] | None:
    """Read a vector: a list of finite numbers, or the JSON text of one."""
    given_value = value
    if type(value) is str:
        try:
            value = parse_json(value)
        except AgentMsgError:
            raise Unreadable("not a vector") from None
    vector = None
    if value or value == 0:
        vector = _vector(value)
    if not same_document(None if vector is None else list(vector), given_value):
        note["embedding"] = spelling.spelling_of(given_value) or ["=", given_value]
    return vector


def _vector(value: Any) -> tuple[float, ...]:
    if not is_list(value) or any(type(item) not in (int, float) for item in value):
        raise Unreadable("not a vector")
    try:
        vector = tuple(map(float, value))
    except OverflowError:
        raise Unreadable("not a vector") from None
    if not all(map(math.isfinite, vector)):
        raise Unreadable("not a vector")
    return vector


def _write_embedding(vector: tuple[float, ...], _: Any) -> list[float] | None:
    """Write a vector as a list; an empty one becomes null."""
    return list(vector) or None


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
    is_null = _says_null(message.content, natives.extras_of(message, CONTENT))
    return {"instruction": None, **native} if is_null else native


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
_ID = Hatch(keys=("id",), cells={"id": KEEP}, get=_read_id, put=_write_id, odd=("id",), about="id, also of a call")
_METADATA = Hatch(
    keys=("metadata",),
    cells={"metadata": KEEP},
    get=_read_metadata,
    put=_write_metadata,
    odd=("metadata",),
    about="metadata, without lion_class",
)
_WORD = Via(_read_word, str)
_TIME = Via(_read_time, _write_time, {"type": ["string", "number"]}, is_marking=True)
_NUMBERS = {"type": "array", "items": {"type": "number"}}
_VECTOR = Via(_read_embedding, _write_embedding, {"anyOf": [_NUMBERS, {"type": "string"}]}, is_marking=True)


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
