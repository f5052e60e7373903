"""Dialect: one version of the messages. A form describes a whole native message.

Role and content correspond in more than one way, which ``read_said`` and ``write_said`` handle. Their marks: ``/role``
(the word for the role, if it isn't the usual one), ``/list`` and ``/str`` (content that isn't a text, or is one, unlike
the dialect's default), ``/one`` (content that is a single block, as in Java's 0.1.0), ``/url`` (one URL beside content,
as a text).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    KEEP,
    Native,
    Unreadable,
    is_bare_text,
    is_list,
    is_object,
    maker,
    mark_of,
    marked,
    natives,
    word_at,
)
from agentmsg.formats.forms import Hatch
from agentmsg_codecs.agentscope.shapes import beside
from agentmsg_codecs.agentscope.times import is_no_time

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats import Parts
    from agentmsg.formats.forms import Described
    from agentmsg_codecs.agentscope.media import Media

_make_text = maker(am.TextBlock, "text")


def is_result(block: Any) -> bool:
    """Whether a block is the result of a tool."""
    return type(block) is am.ToolResultBlock


class Dialect:
    """One version of the messages: how they and their blocks are spelt.

    Attributes:
        described: the description of messages and blocks; to be set, as are ``media``: images, sound, videos, files.
        read: reads a native message as one, with the results that it holds; there are ``read`` and ``write`` when the
            tables are filled.
        write: writes it in the usual spelling.
    """

    is_filled = False

    family: ClassVar[str]
    keys: ClassVar[frozenset[str]]
    spare: ClassVar[Mapping[str, Any]]
    # Under which key the time stands, and what role, content and the like stand under, in the order of writing.
    time_key: ClassVar[str]
    said: ClassVar[tuple[str, ...]]
    # Whether content that is one bare text is written as a text, and media may stand beside content.
    is_brief: ClassVar[bool] = False
    has_urls: ClassVar[bool] = False
    described: Described
    media: Media
    read: Callable[[Native], am.Msg]
    write: Callable[[am.Msg], Native]

    @property
    def parts(self) -> Mapping[str, Parts]:
        """The parts by our role, and of results ("inner")."""
        return self.described.parts

    def fill(self) -> None:
        """Fill the tables, on first use."""
        if self.is_filled:
            return
        self.described.fill()
        self._readers = {role: self.parts[role].read for role in ("user", "assistant", "system")}
        self._readers["tool"] = self._readers["assistant"]
        self._write_part = self.parts["assistant"].write
        names = self.described.names
        self.read, self.write = names.readers["message"], names.writers["message"]
        self.is_filled = True

    # -- what each dialect says ---------------------------------------------------------------------------------------

    def model_role(self, word: str) -> str | None:
        """Return our role for a word; None for an unknown one."""
        raise NotImplementedError

    def usual_role(self, role: str) -> str:
        """Return the word for one of our roles; for "tool", that of a container of results only."""
        raise NotImplementedError

    def usual_name(self, role: str) -> str | None:
        """Return the name that is written where the first message of a container, of one of our roles, has none."""
        raise NotImplementedError

    # -- role, name and content ---------------------------------------------------------------------------------------

    def hatch(self) -> Hatch:
        """Return the item of the form that role, content and the like are."""
        cells = {"role": KEEP, "content": KEEP, **({"name": KEEP} if "name" in self.said else {})}
        odd = ("url",) if self.has_urls else ()
        return Hatch(keys=(*self.said, *odd), cells=cells, get=self.read_said, put=self.write_said, odd=odd,
                     about=", ".join(cells))  # fmt: skip

    def read_said(self, native: Native) -> dict[str, Any]:
        """Return role, content and name of a whole message; a message of results alone has the role of results.

        Raises:
            Unreadable: where it has no meaning.
        """
        word = native.get("role")
        role = self.model_role(word) if type(word) is str else None
        if role is None:
            raise Unreadable("an unknown role")
        notes: dict[str, Any] = {}
        blocks = self._read_content(native, role, notes)
        has_only_results = bool(blocks) and all(map(is_result, blocks))
        if role == "tool" and not has_only_results:
            raise Unreadable("only results may stand there")
        said = "tool" if has_only_results else role
        if word != self.usual_role(said):
            notes["/role"] = word
        found: dict[str, Any] = {"role": said, "content": blocks, "notes": notes}
        if "name" in self.said:
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
            raise Unreadable("content is no list")
        blocks = tuple(map(self._readers[role], content))
        if self.is_brief and len(blocks) == 1 and is_bare_text(blocks[0], self.family):
            notes["/list"] = True
        return blocks

    def _with_urls(self, native: Native, found: dict[str, Any], role: str) -> dict[str, Any]:
        """Add the blocks of a message's URLs; where they are none, they are an unknown field."""
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
                # What stands in front of the results is a message of its own, which would show them.
                raise Unreadable
            blocks = []
        if not blocks:
            return {**found, "odd": ("url",)}
        if role == "system":
            blocks = [marked(block, self.family, odd=True) for block in blocks]
        if type(urls) is str:
            found["notes"]["/url"] = "text"
        return {**found, "content": (*found["content"], *blocks)}

    def write_said(self, message: am.Msg) -> Native:
        """Return the keys of role, content and the like of a whole message."""
        role, blocks = message.role, message.content
        word = self.usual_role(role)
        if not message.notes and not self.is_brief:
            return self.spelt(message, word, list(map(self._write_part, blocks)))
        found = mark_of(message, self.family, "/role") if message.notes else None
        if type(found) is str and self._is_word_for(found, role):
            word = found
        urls: list[str] = []
        if self.has_urls and blocks and blocks[-1].notes and not any(map(is_result, blocks)):
            urls = self.media.urls_of(blocks)
            blocks = blocks[: len(blocks) - len(urls)]
        native = self.spelt(message, word, self._written(message, blocks))
        if urls:
            native["url"] = urls[0] if len(urls) == 1 and mark_of(message, self.family, "/url") == "text" else urls
        return native

    def spelt(self, message: am.Msg, role: str, content: Any) -> Native:
        """Return the keys ``said`` of a message, whose role and content are given as they are written."""
        raise NotImplementedError

    def _is_word_for(self, word: str, role: str) -> bool:
        found = self.model_role(word)
        return found is not None if role == "tool" else found == role

    def _written(self, message: am.Msg, blocks: Any) -> Any:
        """Return content: a list of parts, or a text."""
        if (self.is_brief or message.notes) and len(blocks) == 1 and is_bare_text(blocks[0], self.family):
            other = mark_of(message, self.family, "/list" if self.is_brief else "/str") if message.notes else None
            if (other is True) is not self.is_brief:
                return blocks[0].text
        parts = list(map(self._write_part, blocks))
        if message.notes and len(parts) == 1 and mark_of(message, self.family, "/one") is True:
            # Some native block that has no kind would be no content.
            return parts[0] if is_object(parts[0]) and type(parts[0].get("type")) is str else parts
        return parts

    # -- unknown fields ------------------------------------------------------------------------------------------------

    def taken_by_message(self, message: am.Msg) -> frozenset[str]:
        """Return the keys that no unknown field of a message may have."""
        own = natives.extras_of(message, self.family)
        free = self.free(own)
        if message.created_at is not None:
            free -= {self.time_key}
        if "url" in free and self.has_url(message, own["url"]):
            free -= {"url"}
        return self.keys - free

    def free(self, native: Mapping[str, Any]) -> frozenset[str]:
        """Return the keys of a message that are unknown fields: spare ones that say something, an invalid time.

        Args:
            native: the message, or its unknown fields.
        """
        found = beside(native, self.spare)
        return found | {self.time_key} if is_no_time(native.get(self.time_key)) else found

    def has_url(self, message: am.Msg, value: Any) -> bool:
        """Whether URLs beside content are those of a message, and no unknown field."""
        if any(mark_of(block, self.family, "/as") == "url" for block in message.content):
            return True
        try:
            has_result = message.role == "tool" and bool(message.content)
            return self.has_urls and not has_result and bool(self.media.read_urls(thaw(value)))
        except Unreadable:
            return False

    def comes_back(self, role: str) -> Callable[[am.NativeBlock], am.NativeBlock | None]:
        """Return the function that tells what is read where a native block is written; None for anything else."""

        def back(block: am.NativeBlock) -> am.NativeBlock | None:
            self.fill()
            part = thaw(block.value)
            found = self.parts[role].read(part)
            return found if type(found) is am.NativeBlock else None

        return back
