"""The fast path of reading: messages as LangChain writes them today.

A reader tests the exact keys and types, so that nothing can deviate from what a writer writes, and nothing need be
compared. It returns None if the message needs the general path. Some usual shapes aren't the default ones:
``stop_reason``, the quick parts of blocks/dialects.py, a call that ends content as ``tool_use`` and is in
``tool_calls`` too. All messages, parts or calls of such a shape share one frozen note, which quick_write.py recognises.
Only the two inputs of such a call are compared, as bytes. The quick readers of parts rely on our own writers: a class
with a user's hook has none. tests/test_langchain_fast.py compares both paths.
"""

from __future__ import annotations

import linecache
from functools import cache, partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import EMPTY, Native, adopt, dump_json, is_list, is_mapping, maker, note_of, speed, spelling
from agentmsg_codecs.langchain.blocks.v1 import POINT, is_words, make_call, make_result, make_text
from agentmsg_codecs.langchain.messages.fields import MAY_MEAN, NEEDED, USUAL
from agentmsg_codecs.langchain.messages.metadata import (
    COPIED_NOTE,
    LIST_NOTE,
    MEANT,
    PROVIDER_KEY,
    STOP_NOTES,
    read_response,
    read_usage,
    stop_word,
    usual_kwargs,
    with_texts,
)
from agentmsg_codecs.langchain.names import ANTHROPIC, FAMILY, OPENAI_ROLE, PROVIDER_OF, STATUS_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from agentmsg import Limits
    from agentmsg.formats import Duplicates
    from agentmsg_codecs.langchain.blocks.parts import ContentParts
    from agentmsg_codecs.langchain.messages.fields import Field


# -- generated readers and writers, from the table of fields ----------------------------------------------------------
# A reader tests the exact keys of a body, and passes the values of its fields on, in the order of the table; a writer
# takes these. The layout ``flat`` has all fields, as in ``model_dump``. The layout ``short``, the kwargs of dumpd,
# lacks empty fields; the number of keys proves that there are no others. The generated code is in ``linecache``, so
# that tracebacks show it. Messages with absent, empty or unknown keys use the same functions: an absent or empty field
# reads as its default, and an unknown key is an extra. So nothing is written again and compared. A writer puts a noted
# spelling back only in place of the field's default.


Layout: TypeAlias = Literal["flat", "short"]


def reader(tag: str, layout: Layout, build: Callable[..., am.Msg | None]) -> Callable[[Native], am.Msg | None]:
    """Return the reader of usual bodies of a kind; ``build`` makes messages from their fields. None for any other."""
    made: Callable[[Native], am.Msg | None] = _function(f"read_{layout}_{tag}", "body", *_reader(tag, layout))(build)
    return made


def writer(tag: str, layout: Layout) -> Callable[..., Native]:
    """Return the function that makes bodies of a kind from the values of their fields."""
    values = ", ".join(field.key for field in _taken(tag))
    made: Callable[..., Native] = _function(f"write_{layout}_{tag}", values, *_writer(tag, layout))()
    return made


@cache
def _function(name: str, parameters: str, *lines: str) -> Callable[..., Any]:
    """Return a function that takes ``build``, and returns the function of these lines."""
    body = "\n        ".join(lines)
    text = f"def make(build=None):\n    def {name}({parameters}):\n        {body}\n    return {name}\n"
    file = f"<langchain: {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {}
    exec(compile(text, file, "exec"), scope)  # noqa: S102 - made from the table, never from data
    make: Callable[..., Any] = scope["make"]
    return make


def _taken(tag: str) -> list[Field]:
    """Return the fields that a message is built from: all that can have more than one value."""
    return [field for field in USUAL[tag].values() if field.key != "type" and not field.is_idle]


def _reader(tag: str, layout: Layout) -> Iterator[str]:
    taken = _taken(tag)
    must = [field for field in USUAL[tag].values() if layout == "flat" or field.dumpd != "if set"]
    yield "try:"
    yield from (f"    {field.key} = body[{field.key!r}]" for field in must if field in taken)
    yield f"    if {' or '.join(f'body[{field.key!r}] != {field.default!r}' for field in must if field not in taken)}:"
    yield "        return None"
    yield "except KeyError:"
    yield "    return None"
    yield f"keys = {len(must)}"
    for field in taken:
        indent = ""
        if field not in must:
            yield f"{field.key} = body.get({field.key!r})"
            yield f"if {_is_set(field)}:"
            yield "    keys += 1"
            indent = "    "
        if field.default == {}:
            yield f"{indent}if {field.key}.__class__ is not dict:"
            yield f"{indent}    return None"
    yield f"return build({', '.join(field.key for field in taken)}) if len(body) == keys else None"


def _is_set(field: Field) -> str:
    return f"{field.key} is not None" if field.default is None or field.default is NEEDED else field.key


def _writer(tag: str, layout: Layout) -> Iterator[str]:
    taken = _taken(tag)

    def value(field: Field) -> str:
        return field.key if field in taken else repr(field.default)

    def put(fields: Iterable[Field], test: Callable[[Field], str]) -> Iterator[str]:
        for field in fields:
            only_if = test(field)
            yield f"{f'if {only_if}: ' if only_if else ''}body[{field.key!r}] = {value(field)}"

    def is_there(field: Field) -> str:
        always = layout == "flat" or field.dumpd == "always"
        return "" if always and field.default is not NEEDED else _is_set(field)

    fields = list(USUAL[tag].values())
    last = [field for field in fields if field.dumpd == "last"] if layout == "short" else []
    lead = list(takewhile(lambda field: not is_there(field), fields))
    yield f"body = {{{', '.join(f'{field.key!r}: {value(field)}' for field in lead)}}}"
    yield from put((field for field in fields[len(lead) :] if field not in last or field in taken), is_there)
    yield from put(last, lambda field: f"not {field.key}" if field in taken else "")
    yield "return body"


# -- messages that deviate --------------------------------------------------------------------------------------------

_PLAIN: Mapping[str, Native] = {
    tag: {key: field.default for key, field in fields.items() if field.default is not NEEDED}
    for tag, fields in USUAL.items()
}


def read_deviating(body: Native, tag: str, usual: Callable[[Native], am.Msg | None]) -> am.Msg | None:
    """Return the message of a body whose keys deviate; None if anything else is odd."""
    fields = USUAL[tag]
    # In the order of ``spelling.keep``: absent keys first.
    note: Native = {key: "absent" for key in fields if key not in body}
    if not all("absent" in fields[key].spelt for key in note):
        return None
    plain: Native = {**_PLAIN[tag]}
    extras: Native = {}
    for key, value in body.items():
        known = fields.get(key)
        if known is None:
            if key in MAY_MEAN:
                return None
            extras[key] = value
        elif not value and spelling.spelling_of(value) in known.spelt:
            note[key] = spelling.spelling_of(value)
        else:
            plain[key] = value
    message = usual(plain) if note or extras else None
    if message is None:
        return None
    changes: Native = {}
    if extras:
        changes["extras"] = adopt({FAMILY: adopt(extras)})
    if note:
        changes["notes"] = adopt({FAMILY: {**note_of(message, FAMILY), **note}})
    return spelling.changed(message, changes)


def write_deviating(message: am.Msg, usual: Callable[[am.Msg], Native | None]) -> Native | None:
    """Return the body of a message that ``read_deviating`` may have returned; None if anything else is odd."""
    extras: Any = message.extras.get(FAMILY) if message.extras else EMPTY
    if not is_mapping(extras) or len(message.extras) != bool(extras) or not MAY_MEAN.isdisjoint(extras):
        return None
    note = note_of(message, FAMILY)
    spelt = {key: name for key, name in note.items() if key[:1] != "/"}
    if not extras and not spelt:
        return None
    changes: Native = {"extras": EMPTY}
    if spelt:
        marks = {key: note[key] for key in note if key not in spelt}
        rest = {space: own for space, own in message.notes.items() if space != FAMILY}
        changes["notes"] = adopt({**rest, FAMILY: marks} if marks else rest)
    body = usual(spelling.changed(message, changes))
    if body is None:
        return None
    fields = USUAL[body["type"]]
    for key, name in spelt.items():
        field = fields.get(key)
        if field is None or type(name) is not str or name not in field.spelt or body[key] != field.default:
            return None
        if name == "absent":
            del body[key]
        else:
            body[key] = spelling.SPELLINGS[name]
    if extras:
        body.update(extras)
    return body


_BESIDE = ("content", "id", "metadata", "response_metadata", "notes")
# Called by position: keywords would take almost twice the time.
_make_plain = maker(am.Msg, "role", *_BESIDE, "name")
_make_tool = maker(am.Msg, "role", *_BESIDE)
_make_answer = maker(am.Msg, "role", *_BESIDE, "name", "model", "usage", "finish_reason", "provider", "api")
_OBJECT: Any = dict  # so that type checkers don't look inside
_ARRAY: Any = list


# JSON in a tool message is read otherwise than in content.
_ODD_INSIDE = frozenset({am.DataBlock, am.NativeBlock})


class FastReaders:
    """Reads bodies as LangChain writes them today. Its builders are straight-line code on purpose.

    Args:
        parts: reads content parts.
        layout: of the bodies.
        is_odd: whether free-form data with this JSON text needs the general path; None: never.

    Attributes:
        by_tag: the readers by the word in `type`; each returns None for a message that needs the general path.
    """

    def __init__(self, parts: ContentParts, layout: Layout, is_odd: Callable[[bytes], bool] | None = None) -> None:
        self._parts = parts
        self._quick = parts.quick
        self._is_odd = is_odd
        builders: Mapping[str, Callable[..., am.Msg | None]] = {
            "human": partial(self._plain, "user"),
            "system": partial(self._plain, "system"),
            "ai": self._ai,
            "tool": self._tool,
        }
        self.by_tag: dict[Any, Callable[[Native], am.Msg | None]] = {
            tag: reader(tag, layout, build) for tag, build in builders.items()
        }

    # -- messages from the values of their fields ---------------------------------------------------------------

    def _plain(  # noqa: PLR0917 - called for each message: keywords take time
        self, role: str, content: Any, kwargs: Any, response: Any, name: Any, own_id: Any
    ) -> am.Msg | None:
        """Return the message of a role whose fields have these values; kwargs and response are objects or None."""
        if (name is not None and type(name) is not str) or (own_id is not None and type(own_id) is not str):
            return None
        if (kwargs or response) and self._may_mean(kwargs, response):
            return None
        # The usual case, without the call.
        blocks: Any = (make_text(content),) if type(content) is str and content else self._content(content)
        if blocks is None:
            return None
        notes = LIST_NOTE if type(content) is _ARRAY and is_words(blocks) else EMPTY
        meta, rest = adopt(kwargs) if kwargs else EMPTY, adopt(response) if response else EMPTY
        return _make_plain(role, blocks, own_id, meta, rest, notes, name)

    def _tool(  # noqa: PLR0917 - the same
        self, content: Any, kwargs: Any, response: Any, name: Any, own_id: Any, link: Any, artifact: Any, status: Any
    ) -> am.Msg | None:
        """Return the tool message whose fields have these values; kwargs and response are objects or None."""
        if (name is not None and type(name) is not str) or (own_id is not None and type(own_id) is not str):
            return None
        if type(link) is not str or type(status) is not str or status not in STATUS_WORDS:
            return None
        blocks: Any = (make_text(content),) if type(content) is str and content else self._content(content)
        if blocks is None or (type(content) is _ARRAY and not _ODD_INSIDE.isdisjoint(map(type, blocks))):
            return None
        notes = LIST_NOTE if type(content) is _ARRAY and is_words(blocks) else EMPTY
        if artifact is not None:
            if self._looks_odd(artifact):
                return None
            artifact = adopt(artifact)
        if (kwargs or response) and self._may_mean(kwargs, response):
            return None
        result = make_result(link, blocks, name, None, artifact, status)
        meta, rest = adopt(kwargs) if kwargs else EMPTY, adopt(response) if response else EMPTY
        return _make_tool("tool", (result,), own_id, meta, rest, notes)

    def _ai(  # noqa: PLR0917 - the same
        self, content: Any, kwargs: Any, response: Any, name: Any, own_id: Any, calls: Any, usage: Any
    ) -> am.Msg | None:
        """Return the assistant's message whose fields have these values; kwargs and response are objects or None."""
        if (name is not None and type(name) is not str) or (own_id is not None and type(own_id) is not str):
            return None
        if type(calls) is not _ARRAY or (usage is not None and type(usage) is not _OBJECT):
            return None
        before: list[Any] = []
        texts: Any = None
        if kwargs:
            usual = usual_kwargs(kwargs, has_text=type(content) is str and bool(calls))
            if usual is None or self._looks_odd(usual[2]):
                return None
            before, texts, kwargs = usual
        if not calls and type(content) is str and content:
            blocks: Any = (make_text(content),)
            listed = False
        else:
            word = response.get(PROVIDER_KEY) if response else None
            blocks = self._said(content, calls, PROVIDER_OF.get(word, word) if type(word) is str else None)
            if texts is not None and blocks is not None:
                blocks = with_texts(blocks, len(calls), texts)
            if blocks is None:
                return None
            listed = type(content) is _ARRAY and len(content) == 1 and is_words(blocks[:1])
        if before:
            blocks = (*before, *blocks)
        model = reason = provider = api = None
        notes = LIST_NOTE if listed else EMPTY
        if response:
            model, reason, provider, api, response, note = read_response(response)
            if note:
                notes = STOP_NOTES.get((stop_word(note), listed)) if len(note) == 1 else None
                if notes is None:
                    return None
            if response and self._looks_odd(response):
                return None
        counted: Any = None if usage is None else read_usage(usage)
        # Otherwise it has only counters.
        if counted is not None and (counted.extras or counted.notes) and self._looks_odd(usage):
            return None
        meta, rest = adopt(kwargs) if kwargs else EMPTY, adopt(response) if response else EMPTY
        return _make_answer("assistant", blocks, own_id, meta, rest, notes, name, model, counted, reason, provider, api)

    # -- content and calls --------------------------------------------------------------------------------------

    def _may_mean(self, kwargs: Any, response: Any) -> bool:
        """Whether kwargs or response of a message that isn't an answer need the general path."""
        if kwargs and (OPENAI_ROLE in kwargs or self._looks_odd(kwargs)):
            return True
        return bool(response) and (not MEANT.isdisjoint(response) or self._looks_odd(response))

    def _looks_odd(self, value: Any) -> bool:
        """Whether free-form data needs the general path."""
        if self._is_odd is None:
            return False
        try:
            return self._is_odd(dump_json(value))
        except AgentMsgError:
            return True

    def _content(self, native: Any, provider: str | None = None) -> Any:
        if type(native) is str:
            return (make_text(native),) if native else ()
        return self._read_parts(native, provider) if type(native) is _ARRAY and native else None

    def _read_parts(self, natives: list[Any], provider: str | None) -> tuple[Any, ...] | None:
        """Return the blocks of parts; None if one of them looks odd."""
        quick = self._quick
        blocks: list[Any] = []
        for native in natives:
            try:
                block = quick[native["type"]](native)
            except (LookupError, TypeError):
                block = None
            if provider is not None and provider != ANTHROPIC and type(block) is am.ThinkingBlock:
                # The message names the provider of the signature.
                block = None
            # Apart from calls, quickly read parts hold only texts.
            if block is None or type(block) is am.ToolUseBlock:
                if self._looks_odd(native) or (type(native) is _OBJECT and POINT in native):
                    return None
                if block is None:
                    block = self._parts.read(native, provider)
            blocks.append(block)
        return tuple(blocks)

    def _said(self, content: Any, calls: list[Any], provider: str | None) -> Any:
        """Return the blocks of content, and the calls."""
        if type(content) is _ARRAY and calls and content and type(content[-1]) is _OBJECT:
            last: Any = content[-1]
            if last.get("type") == "tool_use":
                return self._copied_calls(content, calls, provider)
        blocks = self._content(content, provider)
        if blocks is None or (type(content) is _ARRAY and am.ToolUseBlock in map(type, blocks)):
            return None
        if not calls:
            return blocks
        read = None if self._looks_odd(calls) else _read_calls(calls)
        return None if read is None else blocks + read

    def _copied_calls(self, content: list[Any], entries: list[Any], provider: str | None) -> tuple[Any, ...] | None:
        """Return the blocks of content that ends with the calls in `tool_calls`, in the same order."""
        start = len(content) - len(entries)
        if start < 0 or self._quick["tool_use"] is None:
            return None
        before = self._read_parts(content[:start], provider)
        if before is None or am.ToolUseBlock in map(type, before):
            return None
        blocks = list(before)
        for part, entry in zip(content[start:], entries, strict=True):
            block = _read_copied(part)
            if block is None or type(entry) is not _OBJECT or len(entry) != 4:  # noqa: PLR2004 - name, args, id, type
                return None
            if entry.get("type") != "tool_call" or entry.get("id") != block.id or entry.get("name") != block.name:
                return None
            # The same bytes are the same value, with the types and the order of keys; == takes True for 1.
            text = _text(part["input"])
            if text is None or text != _text(entry.get("args")) or (self._is_odd is not None and self._is_odd(text)):
                return None
            blocks.append(block)
        return tuple(blocks)


def _text(value: Any) -> bytes | None:
    """Return the JSON text of a value; None if it is too deep to have one."""
    try:
        return dump_json(value)
    except AgentMsgError:
        return None


def _read_copied(part: Any) -> am.ToolUseBlock | None:
    """Read ``{"type": "tool_use", "id", "name", "input"}``; None if it is anything else."""
    if type(part) is not _OBJECT or len(part) != 4 or part.get("type") != "tool_use":  # noqa: PLR2004 - these keys
        return None
    link, name, value = part.get("id"), part.get("name"), part.get("input")
    if type(link) is not str or type(name) is not str or type(value) is not _OBJECT or "_raw" in value:
        return None
    return make_call(id=link, name=name, input=adopt(value), notes=COPIED_NOTE)


def _read_calls(entries: list[Any]) -> tuple[Any, ...] | None:
    blocks: list[am.ToolUseBlock] = []
    for entry in entries:
        try:
            name, args, link = entry["name"], entry["args"], entry["id"]
            if entry["type"] != "tool_call" or type(args) is not _OBJECT or "_raw" in args:
                return None
        except (KeyError, TypeError, IndexError):
            return None
        if type(name) is not str or type(link) is not str or len(entry) != 4:  # noqa: PLR2004 - name, args, id, type
            return None
        blocks.append(make_call(link, name, adopt(args)))
    return tuple(blocks)


# -- messages whose depth isn't checked yet: reading them proves it ---------------------------------------------------
# Everything around free-form data has a known shape, and so a known depth. Free-form data is written as text, and its
# brackets are counted. This takes less time than writing the whole document again, as for any other document
# (``agentmsg.values.text.parse_json``).


# The most levels are around a call in content: list, message, body, content, part.
_AROUND = 5


def is_deep(text: bytes, around: int = _AROUND) -> bool:
    """Whether free-form data has too many levels for a document of usual depth.

    Args:
        text: the JSON that we wrote for the data.
        around: the most levels around it.
    """
    levels = speed.USUAL - around
    # Every level has two brackets, so most data need not be searched.
    if len(text) <= 2 * levels or text.count(b"{") + text.count(b"[") <= levels:
        return False
    return not speed.is_shallow(speed.parse_undoubted(text, speed.DEFAULT_LIMITS), speed.PROVABLE - levels)


def take(natives: list[Any], read: Callable[[Any], am.Msg | None]) -> list[am.Msg]:
    """Return the messages of a list up to the first odd one, and remove them from it.

    Memory that is freed at once is still in the processor's cache, and the next message is made there: this saves a
    third of the time.

    Args:
        natives: the list, which nobody else may use.
        read: returns a message, or None for an odd one.
    """
    messages: list[am.Msg] = []
    natives.reverse()
    while natives:
        message = read(natives[-1])
        if message is None:
            break
        messages.append(message)
        natives.pop()
    natives.reverse()
    return messages


def natives_in(raw: bytes | bytearray | memoryview | str, limits: Limits, duplicates: Duplicates) -> list[Any]:
    """Return the native messages in the text of a list; none if it is another document, or must be read carefully."""
    natives = speed.parse_undoubted(raw, limits) if duplicates == "last" else None
    return natives if is_list(natives) else []


def read_all(
    natives: list[Any], read: Callable[[Any], am.Msg | None], read_odd: Callable[[Any], am.Msg]
) -> list[am.Msg] | None:
    """Return the messages of native ones; None if the first is odd, or an odd one is refused, or may be too deep.

    Args:
        natives: the native messages, which nobody else may use.
        read: returns a message whose depth it has proved, or None for an odd one.
        read_odd: reads the odd ones.
    """
    messages = take(natives, read)
    if not messages or (natives and not speed.is_shallow(natives, speed.PROVABLE - speed.USUAL)):
        return None
    try:
        return [*messages, *map(read_odd, natives)]
    except AgentMsgError:
        return None  # the general path raises the error, with its path


def proving(parts: ContentParts) -> Mapping[str, Callable[[Any], am.Msg | None]]:
    """Return, by form, the readers of usual messages that aren't too deep; they return None for any other."""
    readers = FastReaders(parts, "flat", is_deep).by_tag

    def read_dict(native: Any) -> am.Msg | None:
        try:
            read, data = readers[native["type"]], native["data"]
        except (LookupError, TypeError):
            return None
        return read(data) if type(data) is _OBJECT and len(native) == 2 else None  # noqa: PLR2004 - type and data

    def read_flat(native: Any) -> am.Msg | None:
        try:
            return readers[native["type"]](native)
        except (LookupError, TypeError):
            return None

    return {"dict": read_dict, "flat": read_flat}
