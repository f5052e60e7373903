"""Grouped: the engine of formats whose native user messages hold the results of several calls (Anthropic, Gemini ...).

A native message is a container (``agentmsg.formats.grouping``). Each result in a user message becomes a tool message;
what is between results becomes user messages. What belongs to the native message as a whole is put on the first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import attrs

from agentmsg.errors import AgentMsgError
from agentmsg.formats.grouping import Grouping, containers, seat_of, seated
from agentmsg.formats.natives import is_bare_text, read_whole
from agentmsg.formats.plain_messages import SAID, make_said, make_said_in, says_only_words
from agentmsg.formats.shapes import Native, Unreadable, mark_of, write_as
from agentmsg.formats.spelling import put_back
from agentmsg.model.blocks import NativeBlock, TextBlock, ToolResultBlock
from agentmsg.model.construction import maker, replacer
from agentmsg.model.msg import Msg
from agentmsg.model.tool_links import CallNames
from agentmsg.values.frozen import EMPTY, adopt, thaw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from agentmsg.formats.forms.described import Described
    from agentmsg.formats.parts import Parts

_OBJECT: Any = dict  # so that type checkers don't look inside
_LIST: Any = list
_USERS = frozenset({"user", "tool"})
_make_msg = maker(Msg)
_make_of = maker(Msg, "role", "content")
_with_name = replacer(ToolResultBlock, "name")


def may_join(group: Sequence[Msg], message: Msg) -> bool:
    """Whether a message may be in the native user message of those before it."""
    last = group[-1]
    if last.role not in _USERS or message.role not in _USERS or last.role == message.role == "user":
        return False
    return bool(last.content and message.content) and not message.extras


def _are_results(group: Sequence[Msg], message: Msg) -> bool:
    """Whether a result follows a result."""
    return bool(group[-1].role == message.role == "tool")


class Grouped:
    """Reads and writes messages.

    Args:
        described: the forms.
        result: the form of results, which is apart.
        roles: by role the place of its parts. User messages hold the results.
        words: the native words for roles, if they differ.
        alternates: whether what a user says beside results is by default in their native message.
        content: the key of the content.
        is_list: whether content is always a list of parts; otherwise a single plain text is written as a text.

    Attributes:
        grouping: which messages share a native one.
        parts: the parts of user messages; hooks registered on its Converter before first use replace ours.
    """

    def __init__(
        self,
        described: Described,
        *,
        result: str,
        roles: Mapping[str, str],
        content: str = "content",
        is_list: bool = False,
        words: Mapping[str, str] = EMPTY,
        alternates: bool = False,
    ) -> None:
        self._is_list, self._alternates = is_list, alternates
        self.described, self.family, self._key = described, described.family, content
        self.places: Mapping[str, Parts] = {role: described.parts[place] for role, place in roles.items()}
        self.parts = self.places["user"]
        self.keys = frozenset({"role", content})
        self.grouping = Grouping(family=self.family, may_join=may_join, joins=may_join if alternates else _are_results)
        self._words = {role: words.get(role, role) for role in (*roles, "user")}
        self._roles = {word: role for role, word in self._words.items()}
        self._result_name, self._result_tag = result, described.forms[result].tag
        self._fits_result = described.forms[result].fits
        self._listed = adopt({self.family: {"/list": True}})

    def fill(self) -> None:
        """Fill the tables, on first use."""
        self.described.fill()

    # -- reading ------------------------------------------------------------------------------------------------------

    def read(self, natives: Iterable[Any]) -> list[Msg]:
        """Read native messages; what isn't a message here gets the role "native"."""
        names = CallNames()
        groups: list[list[Msg]] = []
        is_odd, after_result = self._alternates, False
        for native in natives:
            group = self.container(native)
            first = group[0]
            if len(group) == 1 and first.role != "tool":
                after_result = False
                groups.append(group)
                if first._bare != SAID:
                    names.see(first)
                continue
            is_odd = is_odd or (len(group) > 1 and any(message.role != "tool" for message in group))
            for message in group:
                if message.role == "tool":
                    names.named(message)
                else:
                    names.see(message)
            is_odd = is_odd or (after_result and first.role == "tool")
            after_result = group[-1].role == "tool"
            groups.append(group)
        if is_odd:
            return seated(groups, self.grouping)
        return [message for group in groups for message in group]

    def container(self, native: Any) -> list[Msg]:
        """Read one native message as several; one of the role "native" if it isn't a message here."""
        word: Any = native.get("role") if type(native) is _OBJECT else None
        role = self._roles.get(word) if type(word) is str else None
        if role is None:
            return [read_whole(native, self.family)]
        content: Any = native.get(self._key)
        if type(content) is _LIST:
            group = self._split(role, self.places[role], content)
            spelling = None if content or self._is_list else "[]"
        elif type(content) is str and not self._is_list:
            group = [make_said(role, content) if content else _make_of(role, ())]
            spelling = None
        elif content is None:
            group = [_make_of(role, ())]
            spelling = "null" if self._key in native else "absent"
        else:
            return [read_whole(native, self.family)]
        if spelling is None and len(native) == len(self.keys):
            return group
        return [self._kept(group[0], native, spelling), *group[1:]]

    def _kept(self, first: Msg, native: Native, spelling: str | None) -> Msg:
        """Return the first message of a native one, with what the native one says beyond its content."""
        rest = {key: value for key, value in native.items() if key not in self.keys}
        own: Any = first.notes.get(self.family, EMPTY)
        note = own if spelling is None else {**own, self._key: spelling}
        return _make_msg(
            first.role,
            first.content,
            extras=adopt({self.family: rest}) if rest else EMPTY,
            notes=adopt({self.family: note}) if note else EMPTY,
        )

    def _split(self, role: str, place: Parts, content: list[Any]) -> list[Msg]:
        if role != "user" or not any(map(self._is_result, content)):
            return [self._with_blocks(role, tuple(map(place.read, content)))]
        runs: list[tuple[str, list[Any]]] = []
        for part in content:
            result = self.read_result(part)
            if result is not None:
                runs.append(("tool", [result]))
            elif runs and runs[-1][0] == "user":
                runs[-1][1].append(place.read(part))
            else:
                runs.append(("user", [place.read(part)]))
        if len(runs) == 1 and runs[0][0] == "user":
            return [self._with_blocks("user", tuple(runs[0][1]))]
        return [_make_of(kind, tuple(blocks)) for kind, blocks in runs]

    def _is_result(self, part: Any) -> bool:
        if type(part) is not _OBJECT:
            return False
        if self._result_tag is None:
            return self._fits_result is not None and self._fits_result(part)
        return bool(part.get("type") == self._result_tag)

    def _with_blocks(self, role: str, blocks: tuple[Any, ...]) -> Msg:
        if len(blocks) != 1 or type(blocks[0]) is not TextBlock:
            return _make_of(role, blocks)
        if not self._is_list and is_bare_text(blocks[0], self.family):
            return _make_msg(role, blocks, notes=self._listed)
        is_said = self._is_list and blocks[0].text and says_only_words(blocks[0])
        return make_said_in(role, blocks) if is_said else _make_of(role, blocks)

    def read_result(self, part: Any) -> ToolResultBlock | None:
        """Return the result of a part; None if it isn't one."""
        if not self._is_result(part):
            return None
        try:
            block: ToolResultBlock = self.described.names.readers[self._result_name](part)
        except (Unreadable, AgentMsgError):
            return None
        return block

    # -- writing ------------------------------------------------------------------------------------------------------

    def write(self, messages: Sequence[Any]) -> list[Any]:
        """Write messages that fit."""
        if self._alternates:
            return self._write_groups(messages)
        natives: list[Any] = []
        results: list[Any] | None = None
        key, words, add = self._key, self._words, natives.append
        said = None if self._is_list else SAID
        for message in messages:
            role = message.role
            if message._bare == said:
                add({"role": words[role], key: message.content[0].text})
                results = None
            elif role in _USERS and (message.extras or (message.notes and seat_of(message, self.family) is not None)):
                return self._write_groups(messages)
            elif role == "tool":
                if results is None:
                    add({"role": words["user"], key: (results := [])})
                results.append(self.write_result(message.content[0]))
            else:
                add(self._alone(message))
                results = None
        return natives

    def _write_groups(self, messages: Sequence[Any]) -> list[Any]:
        return [self.write_group(group) for group in containers(messages, self.grouping)]

    def _alone(self, message: Any) -> Any:
        """Write a message that shares its native one with no other."""
        role, notes, blocks, family = message.role, message.notes, message.content, self.family
        # A single text is always written as a text.
        if message._bare and (len(blocks) > 1 or blocks[0].__class__ is not TextBlock):
            writers = self.places[role].writers
            return {"role": self._words[role], self._key: [writers[block.__class__](block) for block in blocks]}
        if role == "native" or family in message.extras or (family in notes and notes != self._listed):
            return self.write_group((message,))
        return {"role": self._words[role], self._key: self.content(message)}

    def write_result(self, block: Any) -> Any:
        """Write a result as a part."""
        if self.family not in block.notes and self.family not in block.extras:
            return self.described.names.writers[self._result_name](block)
        # The call has the name.
        plain = _with_name(block, None) if block.name is not None else block
        return write_as(self.described.shapes[self._result_name], plain, self.family)

    def write_group(self, group: Sequence[Msg]) -> Any:
        """Write the native message that holds these messages."""
        first = group[0]
        if first.role == "native":
            return thaw(cast("NativeBlock", first.content[0]).value)
        plain = self._plain(group)
        if not first.notes and not first.extras:
            return plain
        if len(group) > 1:
            # Spellings concern empty content, and there is none here.
            first = attrs.evolve(first, notes={})
        return put_back(first, plain, family=self.family, read=self._reread)

    def _reread(self, native: Native) -> Msg | None:
        group = self.container(thaw(native))
        return group[0] if len(group) == 1 else None

    def _plain(self, group: Sequence[Msg]) -> Native:
        first = group[0]
        if first.role != "tool" and len(group) == 1:
            return {"role": self._words[first.role], self._key: self.content(first)}
        content: list[Any] = []
        for message in group:
            write = self.write_result if message.role == "tool" else self.parts.write
            content.extend(map(write, message.content))
        return {"role": self._words["user"], self._key: content}

    def content(self, message: Msg) -> Any:
        """Write a message's content in its usual spelling: as a text if it is nothing more than one."""
        blocks: Any = message.content
        write = self.places[message.role].write
        if self._is_list:
            return list(map(write, blocks))
        if len(blocks) == 1 and is_bare_text(blocks[0], self.family):
            if not message.notes or mark_of(message, self.family, "/list") is not True:
                return blocks[0].text
        elif not blocks:
            return ""
        return list(map(write, blocks))

    # -- whether native ones come back --------------------------------------------------------------------------------

    def message_of(self, value: Any) -> Msg:
        """Return the first message of a native one."""
        self.fill()
        return self.container(value)[0]

    def returns(self, place: str) -> Callable[[NativeBlock], NativeBlock | None]:
        """Return a function that returns what is read back if a native block is written in a place, else None."""
        return self.described.parts[place].comes_back

    def comes_back_from_user(self, block: NativeBlock) -> NativeBlock | None:
        """Return what is read back if a native block is written in a user message; None for anything else.

        A result isn't one: it is a message of its own.
        """
        self.fill()
        return None if self.read_result(thaw(block.value)) else self.parts.comes_back(block)
