"""The description: messages in rows, their parts and calls, and the tools.

Marks: on a message ``/list`` (its content is a list, although a text would do); on a block ``/at`` (the key that it was
read from), ``/part`` (thinking or a call in content), ``/value`` or ``/content`` (a text under that key), ``/inline``
(thinking in tags before the text), ``/call`` (a native block among the calls), ``/text`` or ``/object`` (arguments that
aren't spelt in the codec's default way), ``/json`` (how the JSON text of a call in content is spelt), ``/no-id``,
``/no-name``, ``/is-value`` (a result that is any JSON).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    KEEP,
    Unreadable,
    cells,
    is_marked,
    is_object,
    maker,
    mark_of,
    marked,
    media,
    natives,
    spelling,
    tool_arguments,
)
from agentmsg.formats.forms import (
    Beside,
    Content,
    Described,
    Each,
    Form,
    Hatch,
    Input,
    Inside,
    Json,
    Key,
    Lifted,
    Link,
    Object,
    Place,
    Single,
    Spare,
    Text,
    Truth,
    Via,
    Wrapped,
)
from agentmsg_codecs.hf.names import FAMILY, ITEM, REASONING_KEYS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from agentmsg.formats import Native


_KEYS = frozenset({"id", "name", "arguments"})


def read_called(text: Any) -> tuple[Native, Any] | None:
    """Return the call in a text, its id first, and the mark of the text; None if there is anything else."""
    found = spelling.parse_told(text) if type(text) is str else None
    if found is None or not is_object(found[0]) or not {"name", "arguments"} <= found[0].keys() <= _KEYS:
        return None
    call: Native = {key: found[0][key] for key in ("id", "name", "arguments") if key in found[0]}
    is_call = is_object(call["arguments"]) or type(call["arguments"]) is str
    if not is_call or type(call["name"]) is not str or type(call.get("id", "")) is not str:
        return None
    return call, found[1] if list(call) == list(found[0]) else spelling.told_style(text, call)


def write_called(call: Native, told: Any) -> str:
    """Return the text of a call, spelt as a mark tells."""
    text = spelling.dump_as_told(call, told)
    return spelling.dump_styled(call) if text is None else text


_make_url = maker(am.URLSource)
_make_thinking = maker(am.ThinkingBlock, "thinking")
KINDS: Mapping[str, tuple[type[Any], tuple[str, ...]]] = {
    "image": (am.ImageBlock, ("image", "url", "path", "base64")),
    "video": (am.VideoBlock, ("video", "url", "path")),
    "audio": (am.AudioBlock, ("audio", "url", "path", "base64")),
}
"""The media parts: their class, and the keys for their source; the first is written by default."""


# -- media ------------------------------------------------------------------------------------------------------------


def read_url(url: Any) -> Any:
    """Return the data in a base64 ``data:`` URL, or the URL as a reference."""
    if type(url) is not str:
        raise Unreadable
    return media.read_data_url(url) or _make_url(url=url)


_URL = Via(read_url, media.write_url, supports=KEEP, is_spelt=True)
_BASE64 = Wrapped(am.Base64Source, "data")


def is_raw(block: Any) -> bool:
    """Whether media are bare base64 data, without a media type."""
    source = block.source
    is_at = mark_of(block, FAMILY, "/at") == "base64"
    return is_at and type(source) is am.Base64Source and source.media_type is None


def _is_at(key: str) -> Callable[[Any], bool]:
    return lambda block: mark_of(block, FAMILY, "/at") == key


def _is_first(key: str, keys: Sequence[str]) -> Callable[[Native], bool]:
    return lambda native: next((each for each in keys if native.get(each) is not None), None) == key


def _padding(*but: str) -> Iterator[Spare]:
    # In a column of all parts, the keys of others are null.
    keys = dict.fromkeys(("text", "index", *(key for _, keys in KINDS.values() for key in keys)))
    return (Spare(key, is_written=False) for key in keys if key not in but)


def _media(tag: str) -> Iterator[Form]:
    """Yield the forms of media, one for each key; new media get the first key."""
    cls, keys = KINDS[tag]
    for key in (*keys[1:], keys[0]):
        value: tuple[Any, ...] = (Key(key, "source", _BASE64 if key == "base64" else _URL), *_padding(key))
        when = None if key == keys[0] else is_raw if key == "base64" else _is_at(key)
        fits = _is_first(key, keys)
        yield Form(f"{tag}_{key}", cls, tag, value, fits=fits, when=when, notes={"at": key})
    url = f"{tag}_url"
    item: Key | Inside = Key("value", "source", _URL)
    yield Form(f"{url}_value", cls, url, (item,), fits=lambda native: "value" in native, when=_is_at("/value"),
               notes={"at": "/value"})  # fmt: skip
    if tag == "image":
        item = Inside(url, (Key("url", "source", _URL),), space=ITEM, bare="url")
        yield Form("image_url_of_openai", cls, url, (item,), fits=lambda native: url in native,
                   when=_is_at("/image_url"), notes={"at": "/image_url"})  # fmt: skip


# -- calls ------------------------------------------------------------------------------------------------------------


class _Args(Input):
    """The arguments of a call: an object, or its JSON text. What isn't the default is marked.

    Attributes:
        by_text: whether new ones are written as text.
    """

    by_text: bool = False

    @property
    def _mark(self) -> str:
        return "/object" if self.by_text else "/text"

    def nothing(self, v: str, default: str) -> list[str]:
        return ["raw_input_, input_ = NO_TEXT, UNSET"] if self.by_text else super().nothing(v, default)

    def read(self, v: str, c: Any) -> list[str]:
        marked = f"    {c.noted()}[{self._mark!r}] = True"
        as_text = "    raw_input_, input_ = input_, UNSET"
        as_object = [f"    {line}" for line in super().read(v, c)]
        if self.by_text:
            return ["if type(input_) is str:", as_text, "else:", marked, *as_object]
        return ["if type(input_) is str:", marked, as_text, "else:", *as_object]

    def write(self, v: str, c: Any) -> str:
        is_text = c.bind("is_text", self.is_text)
        return f"(input_text(o) if {is_text}(o) else input_copy(o))"

    def is_text(self, block: Any) -> bool:
        """Whether the arguments of a call are written as text."""
        return is_marked(block, FAMILY, self._mark) is not self.by_text

    def cells(self, field: str, c: Any) -> Mapping[str, Any]:
        own = super().cells(field, c)

        def raw_input(text: str, block: Any) -> Any:
            return text if self.is_text(block) else own["raw_input"](text, block)

        return {**own, "raw_input": raw_input}

    def schema(self, c: Any) -> dict[str, Any]:
        return {"anyOf": [{"type": "object"}, {"type": "string"}]}


def _read_called(native: Native) -> dict[str, Any]:
    """Read the JSON text of a call in a part: its name and arguments, and perhaps its id."""
    found = read_called(native["value"])
    if found is None or not is_object(found[0]["arguments"]):
        raise Unreadable("not a call")
    call, told = found
    marks = {**({} if told == "python" else {"/json": told}), **({} if "id" in call else {"/no-id": True})}
    fields = tool_arguments.from_object(call["arguments"])
    return {"id": call.get("id"), "name": call["name"], **fields, "notes": marks}


def _write_called(block: Any) -> Native:
    link = natives.link_of(block.id)
    call = {**({} if link is None else {"id": link}), "name": block.name, "arguments": tool_arguments.input_copy(block)}
    return {"value": write_called(call, mark_of(block, FAMILY, "/json"))}


def is_part(block: Any) -> bool:
    """Whether thinking or a call is a part of content."""
    return is_marked(block, FAMILY, "/part")


def is_entry(block: Any) -> bool:
    """Whether a native block belongs among the calls."""
    return type(block) is am.NativeBlock and is_marked(block, FAMILY, "/call")


_ID = Key("id", "id", Link(), "may", lacks="no-id")
_NAME = Key("name", "name", Text())
_ABOUT = (
    _NAME, Key("description", "description", Text(), "may"), Key("parameters", "parameters", Object(), "may"),
    Key("strict", "strict", Truth(is_flag=True), "may"),
)  # fmt: skip


def _calls(*, by_text: bool) -> tuple[Form, ...]:
    called = (_NAME, Key("arguments", "input", _Args(by_text), '""' if by_text else "{}"))
    return (
        Form("flat_call", am.ToolUseBlock, "function", (_ID, *called), fits=lambda native: "function" not in native,
             when=lambda block: is_marked(block, FAMILY, "/flat"), notes={"flat": True}, tagged="usual", tag_at=1,
             is_apart="calls"),
        Form("call", am.ToolUseBlock, "function", (_ID, Inside("function", called, space=ITEM)), tagged="usual",
             tag_at=1, is_apart="calls"),
    )  # fmt: skip


def _text_at(key: str) -> Form:
    return Form(f"text_{key}", am.TextBlock, "text", (Key(key, "text", Text()),), notes={key: True},
                fits=lambda native: key in native and "text" not in native,
                when=lambda block: is_marked(block, FAMILY, f"/{key}"))  # fmt: skip


_EXAMPLE = '{"name": "get_weather", "arguments": {"city": "Lisbon"}}'
_CALL_TEXT = {"type": "string", "contentMediaType": "application/json", "examples": [_EXAMPLE]}
PARTS = (
    *map(_text_at, ("value", "content")),
    Form("text", am.TextBlock, "text", (Key("text", "text", Text()), *_padding("text"))),
    *(form for tag in KINDS for form in _media(tag)),
    Form("thinking", am.ThinkingBlock, "thinking", (Key("thinking", "thinking", Text()),),
         notes={"part": True, "thinking": True}, when=lambda block: is_marked(block, FAMILY, "/thinking")),
    Form("reasoning", am.ThinkingBlock, "reasoning", (Key("value", "thinking", Text()),), notes={"part": True}),
    Form("tool_call", am.ToolUseBlock, "tool_call", (Hatch(
        keys=("value",), cells={"id": KEEP, "name": KEEP, "input": KEEP, "raw_input": cells.arguments_text},
        get=_read_called, put=_write_called, must=("value",), about="id, name, input", schema={"value": _CALL_TEXT},
    ),), notes={"part": True}),
)  # fmt: skip
TOOLS = (
    Form("tool", am.ToolSpec, "function", (Inside("function", _ABOUT, space=ITEM),), tagged="usual", is_apart=True,
         fits=lambda native: "function" in native),
    Form("bare_tool", am.ToolSpec, None, _ABOUT, fits=lambda native: "function" not in native,
         notes={"bare": True}, is_apart=True),
)  # fmt: skip


# -- messages ---------------------------------------------------------------------------------------------------------


def place_of(block: Any, default: str | None) -> str | None:
    """Return the key that thinking was read from, else the default."""
    place = mark_of(block, FAMILY, "/at")
    if isinstance(place, str) and place in REASONING_KEYS:
        return place
    # Thinking from tags gets a key if they can't hold it any more.
    is_inline = default is None and mark_of(block, FAMILY, "/inline") is not None
    return REASONING_KEYS[0] if is_inline else default


def _read_reasoning(native: Native) -> tuple[tuple[Any, ...], Mapping[str, Any], Sequence[str]]:
    blocks: list[Any] = []
    notes: dict[str, Any] = {}
    odd: list[str] = []
    for key in REASONING_KEYS:
        if key not in native:
            continue
        value, nothing = native[key], spelling.spelling_of_nothing(native[key])
        if nothing is not None:
            notes[key] = nothing
        elif type(value) is str:
            blocks.append(marked(_make_thinking(value), FAMILY, at=key))
        else:
            odd.append(key)
    return tuple(blocks), notes, odd


_NEVER = {
    "plain": ("tool_calls", "function_call", "tool_call_id", *REASONING_KEYS),
    "assistant": ("function_call", "tool_call_id"),
    "tool": ("tool_calls", "function_call", *REASONING_KEYS),
}


def _message(role: str, *items: Any, name: str | None = None, **how: Any) -> Form:
    # In a column of all messages, the keys of other roles are null.
    spares = tuple(Spare(key, is_written=False) for key in _NEVER.get(role, _NEVER["plain"]))
    form = name or f"{role}_message"
    return Form(form, am.Msg, role, (*items, *spares), tag_key="role", fixed={"role": role}, is_apart=role, **how)


def _assistant(calls: Each, reasoning: str | None) -> Form:
    def write(blocks: Sequence[Any], _: Any) -> Native:
        return {str(place_of(block, reasoning)): block.thinking for block in blocks}

    return _message("assistant", Lifted((
        Beside(keys=REASONING_KEYS, takes={am.ThinkingBlock: lambda block: not is_part(block)}, get=_read_reasoning,
               put=write, about="ThinkingBlock"),
        Place("content", Content("assistant"), need='""'),
        Place("tool_calls", calls, {am.ToolUseBlock: lambda block: not is_part(block), am.NativeBlock: is_entry},
              is_odd=True),
    )), _NAMED)  # fmt: skip


def _results() -> Iterator[Form]:
    """Yield the forms of results: with any JSON as content, and with text or parts."""
    about = (
        Key("tool_call_id", "tool_call_id", Link(), "may", is_odd=True, lacks="no-id"),
        Key("name", "name", Link(), "may", is_odd=True, lacks="no-name"),
    )
    value, content = Key("content", "structured", Json()), Key("content", "content", Content("tool"), '""')
    single = Single(am.ToolResultBlock, (*about, value), {"/is-value": True})
    yield _message("tool", single, name="tool_value", fits=_is_native_value, when=_is_value_message)
    yield _message("tool", Single(am.ToolResultBlock, (*about, content)))


def _is_native_value(native: Native) -> bool:
    return native.get("content") is not None and type(native["content"]) not in (str, list)


def _is_value_message(message: Any) -> bool:
    return is_value(message.content[0])


def is_value(block: Any) -> bool:
    """Whether the content of a result's message is any JSON, neither a text nor a list."""
    if block.content or block.structured is None or isinstance(block.structured, (str, list)):
        return False
    return is_marked(block, FAMILY, "/is-value")


_NAMED = Key("name", "name", Text(), "may", is_odd=True)
_SAID = ("text_value", "text_content", "text", *(form.name for tag in KINDS for form in _media(tag)))


def describe(calls: Each, *, reasoning: str | None, by_text: bool) -> Described:
    """Return the description.

    Args:
        calls: reads and writes ``tool_calls``.
        reasoning: the key for thinking that wasn't read from one.
        by_text: whether new arguments are written as text.
    """
    plain = [
        _message(role, Lifted((Place("content", Content("plain"), need='""'),)), _NAMED)
        for role in ("system", "developer", "user")
    ]
    return Described(
        FAMILY,
        (*PARTS, *_calls(by_text=by_text), *TOOLS, *plain, _assistant(calls, reasoning), *_results()),
        {"plain": _SAID, "assistant": (*_SAID, "thinking", "reasoning", "tool_call"), "tool": _SAID},
    )
