"""The description: messages, and their blocks, sources and calls.

The library has lists of blocks for users and tools. A list of texts elsewhere is read, too: its blocks are marked
``/odd``, and written as a list again. Calls have OpenAI's shape.

Marks on a message: ``/list`` (content that is a list, though a text would do), ``/link`` (a result linked by the key of
another version), ``/time`` (see times.py), ``/odd`` (a role that the library's types don't have).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Unreadable, maker, mark_of, spelling, times
from agentmsg.formats.forms import (
    Arguments,
    Beside,
    Const,
    Content,
    Described,
    Each,
    Form,
    Hatch,
    Inside,
    Key,
    Lifted,
    Link,
    Nested,
    Place,
    Single,
    Spare,
    Text,
    Via,
)
from agentmsg_codecs.arcaelas.names import FAMILY, ITEM, LINKS, SIGNER, is_odd
from agentmsg_codecs.arcaelas.times import STAMP, carried_time, write_time

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from agentmsg.formats import Native

_make_thinking = maker(am.ThinkingBlock, "thinking", "signature")
_make_signature = maker(am.Signature)

# -- blocks, and calls ------------------------------------------------------------------------------------------------

_DATA = Form("base64", am.Base64Source, "base64", (
    Key("media_type", "media_type", Text(), "may", lacks="odd"), Key("data", "data", Text()),
))  # fmt: skip
_URL = Form("url", am.URLSource, "url", (Key("url", "url", Text()),))
_FILE = Form("file", am.FileSource, "file", (Key("file_id", "file_id", Text()),))
# The sources that each class of block may have.
_SOURCES: Mapping[type[Any], tuple[str, tuple[Form, ...]]] = {
    am.ImageBlock: ("image", (_DATA, _URL)),
    am.AudioBlock: ("audio", (_DATA,)),
    am.FileBlock: ("document", (_DATA, _URL, _FILE)),
}
SOURCES: Mapping[type[Any], frozenset[type[Any]]] = {
    cls: frozenset(form.cls for form in forms) for cls, (_, forms) in _SOURCES.items()
}
SOURCE_KEYS: Mapping[type[Any], frozenset[str]] = {form.cls: form.keys for form in (_DATA, _URL, _FILE)}
_BLOCKS = (
    Form("text", am.TextBlock, "text", (Key("text", "text", Text()),)),
    *(
        Form(tag, cls, tag, (Key("source", "source", Nested(tuple(form.name for form in sources))),))
        for cls, (tag, sources) in _SOURCES.items()
    ),
)
_CALL = Form("call", am.ToolUseBlock, None, (
    Key("id", "id", Link(), "may", lacks="no-id"),
    Const("type", "function"),
    Inside("function", (
        Key("name", "name", Text()), Key("arguments", "input", Arguments(is_any=True), '""'),
    ), space=ITEM),
), is_apart=True)  # fmt: skip

# -- content, thinking, times -----------------------------------------------------------------------------------------


class _Words(Content):
    """Content that is written as one text, whatever its notes; only odd blocks make it a list."""

    def write(self, v: str, c: Any) -> str:
        return f"{c.bind('write_words', _write_words)}({v}, {c.place(self.place)}.write)"


def _write_words(blocks: Sequence[Any], put: Callable[[Any], Any]) -> Any:
    is_text = not any(is_odd(block) or type(block) is am.NativeBlock for block in blocks)
    return blocks[0].text if is_text else list(map(put, blocks))


def _read_time(stamp: Any) -> datetime:
    if type(stamp) is not str:
        # Only a text may be an extra; anything else makes the message unreadable.
        raise am.DecodeError("timestamp is not a string")
    time = times.read_time(stamp)
    if time is None:
        raise Unreadable("timestamp isn't a time")
    return time


def _is_odd_time(native: Native) -> bool:
    stamp = native.get("timestamp")
    time = None if type(stamp) is not str or STAMP.fullmatch(stamp) else times.read_time(stamp)
    return time is not None and times.write_time_js(time) is None


_TIME = Key(
    "timestamp", "created_at", Via(_read_time, write_time, is_spelt=True), "may", is_odd=True, cell=carried_time
)


def _read_thinking(native: Native) -> tuple[tuple[Any, ...], Mapping[str, Any], Sequence[str]]:
    notes: dict[str, Any] = {}
    odd: list[str] = []
    found: dict[str, str] = {}
    for key in ("thinking", "thinking_signature"):
        value: Any = native.get(key)
        if type(value) is str and value:
            found[key] = value
        elif key in native:
            nothing = spelling.spelling_of_nothing(value)
            if nothing is None:
                odd.append(key)
            else:
                notes[key] = nothing
    if not found:
        return (), notes, odd
    signed = found.get("thinking_signature")
    signature = None if signed is None else _make_signature(SIGNER, signed)
    return (_make_thinking(found.get("thinking", ""), signature),), notes, odd


def _write_thinking(blocks: Sequence[Any], _: Any) -> Native:
    (block,) = blocks
    native = {"thinking": block.thinking} if block.thinking else {}
    return native if block.signature is None else {**native, "thinking_signature": block.signature.value}


_WORDS = _Words("words")
_LISTED = Key("content", "content", Content("everything"), '""')
_TEXT = Key("content", "content", _WORDS, '""')
_ANSWER = Lifted((
    Beside(keys=("thinking", "thinking_signature"), takes={am.ThinkingBlock: None}, get=_read_thinking,
           put=_write_thinking, about='ThinkingBlock, Signature (provider="anthropic")'),
    Place("content", _WORDS, need="null", alone='""'),
    Place("tool_calls", Each(Nested(("call",))), {am.ToolUseBlock: None}),
))  # fmt: skip

# -- messages ---------------------------------------------------------------------------------------------------------


def _message(role: str | None, *items: Any, place: str = "message", name: str, **how: Any) -> Form:
    fixed = {} if role is None else {"role": role}
    marks = {"time": _is_odd_time}
    return Form(name, am.Msg, role, (*items, _TIME), tag_key="role", fixed=fixed, marks=marks, is_apart=place, **how)


def _results(version: int) -> tuple[Form, ...]:
    """Return the forms of results: linked by both keys, by the other generation's, and by the usual one."""
    own, other, new, old = LINKS[version], LINKS[3 - version], LINKS[2], LINKS[1]

    def form(name: str, link: str, beside: Hatch | Spare, **how: Any) -> Form:
        one = Single(am.ToolResultBlock, (_LISTED, Key(link, "tool_call_id", Link(), "may", lacks="no-id")))
        return _message("tool", one, beside, name=f"{name}_{version}", place=f"tool_{version}", **how)

    def linked(*keys: str, by: str) -> dict[str, Any]:
        def fits(native: Native) -> bool:
            return all((native.get(key) is not None) is (key in keys) for key in (new, old))

        def when(message: am.Msg) -> bool:
            return bool(mark_of(message, FAMILY, "/link") == by)

        return {"fits": fits, "when": when, "notes": {"link": by}}

    both = form("both", new, Spare(old, is_written=False), **linked(new, old, by=new))
    moved = form("other", other, _unused(own), **linked(other, by=other))
    return both, moved, form("tool", own, _unused(other))


def _unused(key: str) -> Hatch:
    """Return the item of a null link, under the key that isn't used."""
    notes: dict[str, Any] = {"notes": {key: "null"}}

    def read(_: Native) -> dict[str, Any]:
        return notes

    def write(_: am.Msg) -> Native:
        return {}

    about = "null, if the other key links the result"
    return Hatch(keys=(key,), cells={}, get=read, put=write, is_optional=True, about=about)


_MESSAGES = (
    _message("system", _TEXT, name="system"),
    _message("user", _LISTED, name="user"),
    _message("assistant", _ANSWER, name="assistant"),
    *_results(2),
    *_results(1),
    _message(None, Key("role", "role", Text()), _TEXT, name="other", place="other", notes={"odd": True}),
)


def described() -> Described:
    """Return all forms; the place "words" is for roles whose content is a text."""
    places = {"everything": tuple(form.name for form in _BLOCKS), "words": ("text",)}
    return Described(FAMILY, (_DATA, _URL, _FILE, *_BLOCKS, _CALL, *_MESSAGES), places, odd={"words": ("text",)})
