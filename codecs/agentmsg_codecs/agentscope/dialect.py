"""Dialect: one version of the messages. A form describes a whole native message.

Two functions read and write the body of a message: role, content and what depends on them. Marks: ``/role`` (an unusual
word for the role), ``/list`` and ``/str`` (content that is a list or a text, unlike the dialect's default), ``/one``
(content that is a single block, as in Java's 0.1.0), ``/url`` (URLs beside content that were a single text).

The state ``asking`` of a call is a request for approval behind the call. A request that was read is marked ``/asking``.
It has no id here but that of its call, so a call without one keeps its state, and so does one outside the assistant's
messages. The library waits for a person as long as a call has this state, even if there is a result: a request of
another format whose call has its result is left out.

The libraries write every key, with null for nothing. A key without a field in the model is *spare*: its usual value is
only spelling, any other an unknown field.

Times are written in full, or with milliseconds and without a zone, as Python's 1.x and Java write them. The mark
``/time`` is on messages whose time the older spelling can't hold.

The input of a call is an object, with its text beside it: ``raw_input`` of Python 1.x and ``content`` of Java are what
the model wrote. If the input is empty, the text decides; it may be invalid. A text that differs from the input is an
unknown field: the input counts.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeGuard

import agentmsg as am
from agentmsg import ToolUseBlock, thaw
from agentmsg.formats import (
    EMPTY,
    KEEP,
    Cell,
    Native,
    Unreadable,
    adopt,
    given,
    is_list,
    is_mapping,
    is_marked,
    is_object,
    is_sequence,
    maker,
    mark_of,
    marked,
    natives,
    object_at,
    same_document,
    speed,
    spelling,
    times,
    tool_arguments,
    usually,
    word_at,
)
from agentmsg.formats.forms import Hatch, Key, Words
from agentmsg_codecs.agentscope.names import ITEM

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from datetime import datetime

    from agentmsg.formats import Parts
    from agentmsg.formats.forms import Described
    from agentmsg_codecs.agentscope.media import Media


ASKING = "asking"


def with_requests(blocks: tuple[Any, ...], family: str) -> tuple[Any, ...]:
    """Return the blocks that were read from an assistant's parts, with a request behind each call that asks."""
    if not any(map(is_asking, blocks)):
        return blocks
    found: list[Any] = []
    for block in blocks:
        if is_asking(block):
            request = am.ApprovalRequestBlock(block.id, block.id)
            found += [block.evolve(status=None), marked(request, family, asking=True)]
        else:
            found.append(block)
    return tuple(found)


def with_states(blocks: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the blocks to write, with the state of each call before a request in place of that."""
    if am.ApprovalRequestBlock not in map(type, blocks):
        return blocks
    found: list[Any] = []
    for block in blocks:
        if type(block) is am.ApprovalRequestBlock:
            found[-1] = found[-1].evolve(status=ASKING)
        else:
            found.append(block)
    return tuple(found)


def is_call(block: Any) -> TypeGuard[am.ToolUseBlock]:
    """Whether a block is a call of a client's tool."""
    return type(block) is am.ToolUseBlock and block.kind != "server"


def is_asking(block: Any) -> bool:
    """Whether a call has the state of one that a person is asked about."""
    return is_call(block) and block.status == ASKING and block.id is not None


_make_text = maker(am.TextBlock, "text")


def state_key(known: frozenset[str], family: str, **how: Any) -> Key:
    """Return the key of a state: one that the library has, or that was read."""

    @usually("value in known", known=known)
    def cell(state: str, block: Any) -> str | None:
        return state if state in known or is_marked(block, family, "/word") else None

    return Key("state", "status", Words({}, known=known), "may", cell=cell, **how)


def is_result(block: Any) -> bool:
    """Whether a block is the result of a tool."""
    return type(block) is am.ToolResultBlock


class Dialect:
    """One version of the messages and their blocks.

    Attributes:
        as_read: whether what was read in another version is written as such.
        lacks: fields of messages that it lacks, though they come back if they were read.
        lacks_in_blocks: the same of blocks.
        time_key: the key of the time.
        body_keys: the keys of the body, in the order of writing.
        words: the word for each of our roles; for "tool", the one for results alone.
        names: the name that is written for a first message without one, by our role; none if that has none.
        name_cell: the cell of the name, if that is part of the body.
        is_brief: whether content that is one bare text is written as a text.
        has_urls: whether there may be URLs of media beside content.
    """

    is_filled = False

    family: ClassVar[str]
    lacks: ClassVar[frozenset[str]] = frozenset()
    lacks_in_blocks: ClassVar[frozenset[str]] = frozenset()
    time_key: ClassVar[str]
    body_keys: ClassVar[tuple[str, ...]]
    words: ClassVar[Mapping[str, str]]
    names: ClassVar[Mapping[str, str]] = EMPTY
    name_cell: ClassVar[Cell] = KEEP
    is_brief: ClassVar[bool] = False
    has_urls: ClassVar[bool] = False

    def __init__(self, *, as_read: bool) -> None:
        self.as_read = as_read
        self._description: tuple[Described, Media] | None = None

    @property
    def _made(self) -> tuple[Described, Media]:
        # On first use: most documents need one of the dialects.
        if self._description is None:
            with speed.FILLING:
                self._description = self._description or self.describe(as_read=self.as_read)
        return self._description

    @property
    def described(self) -> Described:
        """The description of messages and blocks."""
        return self._made[0]

    @property
    def media(self) -> Media:
        """The images, audios, videos and files."""
        return self._made[1]

    @cached_property
    def readers(self) -> Mapping[str, Callable[[Native], am.Msg]]:
        """By form, what reads; "message" reads a native message as one, with its results among its content."""
        self.fill()
        return self.described.names.readers

    @cached_property
    def writers(self) -> Mapping[str, Callable[[am.Msg], Native]]:
        """By form, what writes; "message" writes a message in the usual spelling."""
        self.fill()
        return self.described.names.writers

    def describe(self, *, as_read: bool) -> tuple[Described, Media]:
        """Return the description of messages and blocks, and its media.

        Args:
            as_read: whether what was read in another version is written as such.
        """
        raise NotImplementedError

    @property
    def parts(self) -> Mapping[str, Parts]:
        """The tables of parts, by our role, and for results ("inner")."""
        return self.described.parts

    @speed.once
    def fill(self) -> None:
        """Fill the tables, on first use."""
        self.described.fill()
        self._readers = {role: self.parts[role].read for role in ("user", "assistant", "system")}
        self._readers["tool"] = self._readers["assistant"]
        self._write_part = self.parts["assistant"].write

    # -- how dialects differ ------------------------------------------------------------------------------------------

    def model_role(self, word: str) -> str | None:
        """Return our role for a word; None for an unknown one."""
        raise NotImplementedError

    # -- the body: role, name and content -----------------------------------------------------------------------------

    def hatch(self) -> Hatch:
        """Return the item for the body."""
        named = {"name": type(self).name_cell} if self.names else {}
        cells = {"role": KEEP, "content": KEEP, **named}
        odd = ("url",) if self.has_urls else ()
        return Hatch(keys=(*self.body_keys, *odd), cells=cells, get=self.read_body, put=self.write_body, odd=odd,
                     about=", ".join(cells))  # fmt: skip

    def read_body(self, native: Native) -> dict[str, Any]:
        """Read role, content and name; a message of nothing but results becomes a tool message.

        Raises:
            Unreadable: if they have no meaning.
        """
        word = native.get("role")
        role = self.model_role(word) if type(word) is str else None
        if role is None:
            raise Unreadable("an unknown role")
        notes: dict[str, Any] = {}
        blocks = self._read_content(native, role, notes)
        has_only_results = bool(blocks) and all(map(is_result, blocks))
        if role == "tool" and not has_only_results:
            raise Unreadable("a tool message holds nothing but results")
        own_role = "tool" if has_only_results else role
        if word != self.words[own_role]:
            notes["/role"] = word
        found: dict[str, Any] = {"role": own_role, "content": blocks, "notes": notes}
        if self.names:
            found["name"] = self._read_name(native, "tool" if blocks and is_result(blocks[0]) else role, notes)
        return self._with_urls(native, found, role) if self.has_urls and "url" in native else found

    def _read_name(self, native: Native, role: str, notes: Native) -> str | None:
        name = word_at(native, "name")
        if name is None:
            notes["name"] = "null" if "name" in native else "absent"
        return None if name == self.names.get(role) else name

    def _read_content(self, native: Native, role: str, notes: Native) -> tuple[Any, ...]:
        content: Any = native.get("content")
        if not content and (content is None or type(content) is str):
            notes["content"] = "absent" if "content" not in native else "null" if content is None else '""'
            return ()
        if type(content) is str:
            if not self.is_brief:
                notes["/str"] = True
            return (_make_text(content),)
        if is_object(content) and type(content.get("type")) is str:
            content, notes["/one"] = [content], True
        if not is_list(content):
            raise Unreadable("content isn't a list")
        blocks = tuple(map(self._readers[role], content))
        if self.is_brief and len(blocks) == 1 and natives.is_bare_text(blocks[0], self.family):
            notes["/list"] = True
        return with_requests(blocks, self.family) if role == "assistant" else blocks

    def _with_urls(self, native: Native, found: dict[str, Any], role: str) -> dict[str, Any]:
        """Add the blocks for a message's URLs; any other value is an unknown field."""
        urls: Any = native["url"]
        if urls is None:
            found["notes"]["url"] = "null"
            return found
        try:
            blocks = self.media.read_urls(urls)
        except Unreadable:
            blocks = []
        if blocks and any(map(is_result, found["content"])):
            if not is_result(found["content"][0]):
                # The blocks before the results become a message, to which these media would belong.
                raise Unreadable
            blocks = []
        if not blocks:
            return {**found, "odd": ("url",)}
        if role == "system":
            blocks = [marked(block, self.family, odd=True) for block in blocks]
        if type(urls) is str:
            found["notes"]["/url"] = "text"
        return {**found, "content": (*found["content"], *blocks)}

    def write_body(self, message: am.Msg) -> Native:
        """Write the body of a message."""
        role, blocks = message.role, with_states(message.content)
        word = self.words[role]
        if not message.notes and not self.is_brief:
            return self._body(message, word, list(map(self._write_part, blocks)))
        noted = mark_of(message, self.family, "/role")
        if type(noted) is str and self._is_word_for(noted, role):
            word = noted
        urls: list[str] = []
        if self.has_urls and blocks and blocks[-1].notes and not any(map(is_result, blocks)):
            urls = self.media.urls_of(blocks)
            blocks = blocks[: len(blocks) - len(urls)]
        native = self._body(message, word, self._written(message, blocks))
        if urls:
            native["url"] = urls[0] if len(urls) == 1 and mark_of(message, self.family, "/url") == "text" else urls
        return native

    def _body(self, message: am.Msg, word: str, content: Any) -> Native:
        """Return the body of a message, from its native role and content."""
        said: Native = {"role": word, "content": content}
        if self.names:
            is_first_result = bool(message.content) and is_result(message.content[0])
            role = "tool" if is_first_result else message.role
            said["name"] = self.names[role] if message.name is None else message.name
        return {key: said[key] for key in self.body_keys}

    def _is_word_for(self, word: str, role: str) -> bool:
        found = self.model_role(word)
        return found is not None if role == "tool" else found == role

    def _written(self, message: am.Msg, blocks: Any) -> Any:
        """Return content: a list of parts, or a text."""
        if len(blocks) == 1 and natives.is_bare_text(blocks[0], self.family):
            is_unusual = is_marked(message, self.family, "/list" if self.is_brief else "/str")
            if is_unusual is not self.is_brief:
                return blocks[0].text
        parts = list(map(self._write_part, blocks))
        if len(parts) == 1 and is_marked(message, self.family, "/one"):
            # A native block without a type would not be read as content.
            return parts[0] if is_object(parts[0]) and type(parts[0].get("type")) is str else parts
        return parts

    # -- unknown fields ------------------------------------------------------------------------------------------------

    def taken(self, own: Mapping[str, Any], message: am.Msg) -> Collection[str]:
        """Return the extras of a message, of those that come back, that would make it one of another version."""
        return ()

    def has_url(self, message: am.Msg, value: Any) -> bool:
        """Whether URLs beside content belong to the message, and aren't an unknown field."""
        if any(mark_of(block, self.family, "/as") == "url" for block in message.content):
            return True
        try:
            has_result = message.role == "tool" and bool(message.content)
            return self.has_urls and not has_result and bool(self.media.read_urls(thaw(value)))
        except Unreadable:
            return False


# -- native objects ---------------------------------------------------------------------------------------------------


def parts_in(content: Any) -> list[Any]:
    """Return the parts of content: a list of them, or one; none if it is anything else."""
    if is_list(content):
        return content
    return [content] if is_object(content) else []


def object_or_none(native: Mapping[str, Any], key: str) -> Native:
    """Return the object under a key; an empty one if there is nothing.

    Raises:
        Unreadable: if there is anything else.
    """
    value: Any = native.get(key)
    if value is not None and not is_object(value):
        raise Unreadable
    return value or {}


def without(mapping: Mapping[str, Any], *keys: str) -> Native:
    """Return a mapping without some keys."""
    return {key: value for key, value in mapping.items() if key not in keys}


# -- entries of a memory ----------------------------------------------------------------------------------------------


def is_pair(entry: Any) -> bool:
    """Whether an entry of a memory is a pair of a message and its marks."""
    return is_list(entry) and len(entry) == 2 and is_object(entry[0]) and is_list(entry[1])  # noqa: PLR2004 - a pair


def marks_of(message: Any) -> Any:
    """Return the marks that a memory keeps with a message; None if there are none."""
    item = natives.extras_of(message, ITEM)
    marks: Any = item.get("marks") if len(item) == 1 else None
    return marks if is_sequence(marks) and marks else None


# -- finish reasons ---------------------------------------------------------------------------------------------------


class Reasons:
    """The finish reasons of a library; a message with any other word is marked ``/word``.

    Attributes:
        family: the family of the mark.
        ours: our words, by the library's.
        words: the library's words, by ours.
    """

    def __init__(self, family: str, ours: Mapping[str, str]) -> None:
        self.family, self.ours = family, ours
        self.words = {ours: word for word, ours in ours.items()}

    def read(self, word: Any, notes: Native) -> str:
        """Return our word for a library's, and note a word that it doesn't have.

        Raises:
            Unreadable: if it isn't a text.
        """
        if type(word) is not str:
            raise Unreadable("a finish reason is a text")
        if word not in self.ours:
            notes["/word"] = True
        return self.ours.get(word, word)

    def write(self, reason: str, message: Any) -> str:
        """Return the library's word for the reason of a message."""
        is_own = is_marked(message, self.family, "/word") and reason not in self.ours
        return reason if is_own else self.words.get(reason, reason)

    def cell(self) -> Cell:
        """Return the cell of finish reasons: those of the library, and one that was read though it has another word."""

        @usually("value in reasons", reasons=self.words)
        def cell(reason: str, message: Any) -> str | None:
            is_odd = reason not in self.ours and is_marked(message, self.family, "/word")
            return reason if reason in self.words or is_odd else None

        return cell


def _read_time(value: Any) -> datetime | None:
    return times.read_time(value) if type(value) is str else None


def is_no_time(value: Any) -> bool:
    """Whether the value for a time is something else."""
    return bool(value) and _read_time(value) is None


def _is_exact(time: datetime) -> bool:
    """Whether the older spelling holds all of a time."""
    return time.tzinfo is None and not time.microsecond % 1000


def _older_spelling(time: datetime) -> str | None:
    """Return a time with milliseconds; None for a made one, with more digits or a zone."""
    if not _is_exact(time):
        return given(time) and time.isoformat(" ")
    text = times.write_time(time)
    return f"{text[:10]} {text[11:23]}" if time.microsecond else f"{text[:10]} {text[11:]}.000"


def time_hatch(key: str, family: str, *, is_old: bool, is_null: bool = False) -> Hatch:
    """Return the hatch of a message's time.

    Args:
        key: the key of the time.
        family: the family of the mark.
        is_old: whether it is written in the older spelling.
        is_null: whether the key is null if there is no time; otherwise it is absent.
    """
    spelt = _older_spelling if is_old else times.write_time
    nothing = "null" if is_null else "absent"

    def read(native: Native) -> dict[str, Any]:
        stamp = native.get(key)
        if stamp is None:
            found = "null" if key in native else "absent"
            return {} if found == nothing else {"notes": {key: found}}
        time = _read_time(stamp)
        if time is None:
            return {"odd": (key,)} if stamp else {"notes": {key: spelling.spelling_of(stamp) or ["=", stamp]}}
        notes: Native = {} if spelt(time) == stamp else {key: ["=", stamp]}
        return {"created_at": time, "notes": {**notes, "/time": True} if is_old and not _is_exact(time) else notes}

    def write(message: Any) -> Native:
        time = message.created_at
        stamp = None if time is None else spelt(time)
        if stamp is None and (not is_null or (time is None and natives.has_extra(message, family, key))):
            return {}
        return {key: stamp}

    cell = old_times(family) if is_old else KEEP
    return Hatch(keys=(key,), cells={"created_at": cell}, get=read, put=write, odd=(key,), about="created_at")


def old_times(family: str) -> Cell:
    """Return the cell of times in the older spelling."""

    @usually("value.tzinfo is None and not value.microsecond % 1000")
    def cell(time: datetime, message: Any) -> datetime:
        if _is_exact(time) or is_marked(message, family, "/time"):
            return time
        return times.nearest_milli(time).replace(tzinfo=None)

    return cell


_make_call = maker(ToolUseBlock)


def _differs(given: Native, text: str) -> bool:
    """Whether the text of a call differs from its input."""
    if not given:
        return False
    valid, value, _ = speed.parse_arguments(text)
    return not valid or not same_document(thaw(adopt(value)), thaw(given))


def spelt(native: Mapping[str, Any], key: str, *, is_null: bool) -> dict[str, Any]:
    """Return the note of a key with an empty value; usually it is null, or absent."""
    if key not in native:
        return {key: "absent"} if is_null else {}
    name = spelling.spelling_of(native[key])
    return {} if name == "null" and is_null else {key: name}


def aside(native: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """Return the notes of keys that aren't read, if their value is empty; those with any other value are odd."""
    found = {key: spelling.spelling_of_nothing(native[key]) for key in keys if key in native}
    notes = {key: nothing for key, nothing in found.items() if nothing is not None}
    return {"notes": notes, "odd": tuple(key for key in found if key not in notes)}


def read_arguments(native: Mapping[str, Any], key: str, text_key: str, *, is_written: bool) -> dict[str, Any]:
    """Return the field ``input`` or ``raw_input`` of a call, its notes, and the key of the text if that is odd.

    Args:
        native: the call.
        key: the key of the input.
        text_key: the key of the text.
        is_written: whether the key of the text is null if there is none; otherwise it is absent.

    Raises:
        Unreadable: if the input isn't an object, or the text isn't one.
    """
    given, text = object_at(native, key), word_at(native, text_key)
    if not text:
        fields, odd, notes = tool_arguments.from_object(given), False, spelt(native, text_key, is_null=is_written)
    elif _differs(given, text):
        fields, odd, notes = tool_arguments.from_object(given), True, {}
    else:
        empty = {key: "{}"} if not given and _is_full_object(text) else {}
        return {"raw_input": text, "notes": empty, "odd": ()}
    if "_raw" in given:
        notes |= _spelt_envelope(native, key, text_key, fields, is_odd=odd)
    return {**fields, "notes": notes, "odd": (text_key,) if odd else ()}


def _is_full_object(text: str) -> bool:
    valid, value, _ = speed.parse_arguments(text)
    return bool(valid and value and is_object(thaw(adopt(value))))


def _spelt_envelope(
    native: Mapping[str, Any], key: str, text_key: str, fields: Mapping[str, Any], *, is_odd: bool
) -> dict[str, Any]:
    """Return the notes of an input in an envelope that isn't written in one."""
    plain, text = write_arguments(_make_call(None, "", **fields))
    notes: Native = {} if same_document(thaw(plain), native[key]) else {key: ["=", native[key]]}
    if text is None:
        return notes
    if is_odd:
        raise Unreadable
    return {**notes, text_key: "absent" if text_key not in native else spelling.spelling_of(native[text_key])}


def write_arguments(block: ToolUseBlock) -> tuple[Mapping[str, Any], str | None]:
    """Return the input of a call as an object, which may be frozen, and its text or None."""
    text = block.raw_input
    if not text:
        return tool_arguments.input_object(block), None
    value = block.input
    return value if is_mapping(value) else {}, text
