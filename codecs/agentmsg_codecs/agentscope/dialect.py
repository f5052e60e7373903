"""Dialect: one version of the messages. A form describes a whole native message.

Two functions read and write the body of a message: role, content and what depends on them. Marks: ``/role`` (an unusual
word for the role), ``/list`` and ``/str`` (content that is a list or a text, unlike the dialect's default), ``/one``
(content that is a single block, as in Java's 0.1.0), ``/url`` (URLs beside content that were a single text).

The state ``asking`` of a call is a request for approval behind the call. A request that was read is marked ``/asking``.
It has no id here but that of its call, so a call without one keeps its state, and so does one outside the assistant's
messages. The library waits for a person as long as a call has this state, even if there is a result: a request of
another format whose call has its result is left out.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeGuard

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    KEEP,
    Native,
    Unreadable,
    is_list,
    is_marked,
    is_object,
    maker,
    mark_of,
    marked,
    natives,
    same_document,
    speed,
    word_at,
)
from agentmsg.formats.forms import Hatch, Spare
from agentmsg_codecs.agentscope.shapes import is_no_time

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats import Cell, Parts
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


def is_result(block: Any) -> bool:
    """Whether a block is the result of a tool."""
    return type(block) is am.ToolResultBlock


class Dialect:
    """One version of the messages and their blocks.

    Attributes:
        as_read: whether what was read in another version is written as such.
        signer: the provider whose signatures it has.
        lacks: fields of messages that it lacks, though they come back if they were read.
        lacks_in_blocks: the same of blocks.
        time_key: the key of the time.
        body_keys: the keys of the body, in the order of writing.
        name_cell: the cell of the name, if that is part of the body.
        is_brief: whether content that is one bare text is written as a text.
        has_urls: whether there may be URLs of media beside content.
    """

    is_filled = False

    family: ClassVar[str]
    signer: ClassVar[str]
    lacks: ClassVar[frozenset[str]] = frozenset()
    lacks_in_blocks: ClassVar[frozenset[str]] = frozenset()
    time_key: ClassVar[str]
    body_keys: ClassVar[tuple[str, ...]]
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

    def usual_role(self, role: str) -> str:
        """Return the word for one of our roles; for "tool", the one for results alone."""
        raise NotImplementedError

    def usual_name(self, role: str) -> str | None:
        """Return the name that is written for a first message without one, by our role."""
        raise NotImplementedError

    def body(self, message: am.Msg, role: str, content: Any) -> Native:
        """Return the body of a message, from its native role and content."""
        raise NotImplementedError

    # -- the body: role, name and content -----------------------------------------------------------------------------

    def hatch(self) -> Hatch:
        """Return the item for the body."""
        named = {"name": type(self).name_cell} if "name" in self.body_keys else {}
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
        if word != self.usual_role(own_role):
            notes["/role"] = word
        found: dict[str, Any] = {"role": own_role, "content": blocks, "notes": notes}
        if "name" in self.body_keys:
            found["name"] = self._read_name(native, "tool" if blocks and is_result(blocks[0]) else role, notes)
        return self._with_urls(native, found, role) if self.has_urls and "url" in native else found

    def _read_name(self, native: Native, role: str, notes: Native) -> str | None:
        name = word_at(native, "name")
        if name is None:
            notes["name"] = "null" if "name" in native else "absent"
        return None if name == self.usual_name(role) else name

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
        word = self.usual_role(role)
        if not message.notes and not self.is_brief:
            return self.body(message, word, list(map(self._write_part, blocks)))
        noted = mark_of(message, self.family, "/role")
        if type(noted) is str and self._is_word_for(noted, role):
            word = noted
        urls: list[str] = []
        if self.has_urls and blocks and blocks[-1].notes and not any(map(is_result, blocks)):
            urls = self.media.urls_of(blocks)
            blocks = blocks[: len(blocks) - len(urls)]
        native = self.body(message, word, self._written(message, blocks))
        if urls:
            native["url"] = urls[0] if len(urls) == 1 and mark_of(message, self.family, "/url") == "text" else urls
        return native

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

    def taken_by_message(self, message: am.Msg) -> frozenset[str]:
        """Return the keys of a message that aren't unknown fields."""
        own = natives.extras_of(message, self.family)
        free = self.free(own)
        if message.created_at is not None:
            free -= {self.time_key}
        if "url" in free and self.has_url(message, own["url"]):
            free -= {"url"}
        return self.described.forms["message"].keys - free

    def free(self, native: Mapping[str, Any]) -> frozenset[str]:
        """Return the known keys whose values are unknown fields: spare keys with a value, an invalid time.

        Args:
            native: the native message, or the unknown fields of ours.
        """
        free = {key for key, usual in self._spare.items() if key in native and not same_document(native[key], usual)}
        return frozenset(free | {self.time_key} if is_no_time(native.get(self.time_key)) else free)

    @cached_property
    def _spare(self) -> Mapping[str, Any]:
        """The keys without a field, with their usual values."""
        items = self.described.forms["message"].items
        spare = {item.native: item.usual for item in items if isinstance(item, Spare)}
        return {**spare, "url": None} if self.has_urls else spare

    def has_url(self, message: am.Msg, value: Any) -> bool:
        """Whether URLs beside content belong to the message, and aren't an unknown field."""
        if any(mark_of(block, self.family, "/as") == "url" for block in message.content):
            return True
        try:
            has_result = message.role == "tool" and bool(message.content)
            return self.has_urls and not has_result and bool(self.media.read_urls(thaw(value)))
        except Unreadable:
            return False
