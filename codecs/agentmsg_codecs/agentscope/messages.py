"""Native messages and ours: which dialect each has, and whether it comes back.

The mark ``/version`` is on messages in another dialect than their document.

Each tool result in a native message becomes a tool message, and the blocks between results become messages with its
role. The first message gets its name, id, time, metadata and unknown fields. The last that isn't a result gets its
usage, finish reason and structured output.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg import AgentMsgError, DecodeError, Made, thaw
from agentmsg.formats import (
    Native,
    Unreadable,
    adopt,
    excerpt,
    given,
    grouping,
    is_object,
    maker,
    mark_of,
    marked,
    natives,
    note_of,
    spelling,
)
from agentmsg_codecs.agentscope.dialect import is_result
from agentmsg_codecs.agentscope.names import ITEM, VERSIONS
from agentmsg_codecs.agentscope.shapes import is_pair, without

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from agentmsg_codecs.agentscope.dialect import Dialect


def seats(dialect: Dialect, *, joins: bool) -> grouping.Grouping:
    """Return the grouping of messages.

    Args:
        dialect: the dialect of the names.
        joins: whether a whole reply, with its calls and results, is one native message by default.
    """

    def may_join(group: Sequence[am.Msg], message: am.Msg) -> bool:
        return _may_join(group, message, dialect)

    apart = grouping.Grouping(family=dialect.family, may_join=may_join)
    return apart.evolve(joins=_joins_reply) if joins else apart


_make_msg = maker(am.Msg)
_HEAD = ("name", "id", "created_at", "metadata", "extras")
_TAIL = ("usage", "finish_reason", "structured")
# The marks that belong to the fields at the end.
_TAIL_MARKS = frozenset({"/word", "/shape", "/usage", "/both"})


def split(whole: am.Msg, dialect: Dialect) -> list[am.Msg]:
    """Split a native message, which was read as one message with results in its content."""
    if len(whole.content) <= 1 or not any(map(is_result, whole.content)):
        return [whole]
    runs: list[tuple[str, list[Any]]] = []
    for block in whole.content:
        if is_result(block):
            runs.append(("tool", [block]))
        elif runs and runs[-1][0] != "tool":
            runs[-1][1].append(block)
        else:
            runs.append((whole.role, [block]))
    note, last = note_of(whole, dialect.family), _last_spoken([kind for kind, _ in runs])
    group: list[am.Msg] = []
    for index, (kind, blocks) in enumerate(runs):
        named = index and kind != "tool"
        fields: dict[str, Any] = {"name": _shared_name(whole.name, kind, dialect)} if named else {}
        marks: dict[str, Any] = {}
        if index == 0:
            fields = {name: getattr(whole, name) for name in _HEAD}
            marks = {key: value for key, value in note.items() if key not in _TAIL_MARKS}
        if index == last:
            fields |= {name: getattr(whole, name) for name in _TAIL}
            marks |= {key: value for key, value in note.items() if key in _TAIL_MARKS}
        notes = {"notes": adopt({dialect.family: marks})} if marks else {}
        group.append(_make_msg(kind, tuple(blocks), **fields, **notes))
    return group


def join(group: Sequence[am.Msg], family: str) -> am.Msg:
    """Join a group to the one message that is written, with results in its content."""
    first = group[0]
    if len(group) == 1:
        return first
    kinds = [message.role for message in group]
    last = group[_last_spoken(kinds)]
    fields = {name: getattr(first, name) for name in _HEAD} | {name: getattr(last, name) for name in _TAIL}
    note = {key: value for key, value in note_of(first, family).items() if key not in _TAIL_MARKS}
    note |= {key: value for key, value in note_of(last, family).items() if key in _TAIL_MARKS}
    role = next((kind for kind in kinds if kind != "tool"), "tool")
    content = tuple(block for message in group for block in message.content)
    return _make_msg(role, content, **fields, notes=adopt({family: note} if note else {}))


def _last_spoken(kinds: Sequence[str]) -> int:
    """Return the index of the last message that isn't a result; of the first if all are."""
    return next((index for index in range(len(kinds) - 1, -1, -1) if kinds[index] != "tool"), 0)


def _shared_name(name: str | None, role: str, dialect: Dialect) -> str | None:
    """Return the name that a later message of a container gets from the first."""
    return None if name == dialect.usual_name(role) else name


def _may_join(group: Sequence[am.Msg], message: am.Msg, dialect: Dialect) -> bool:
    first, last = group[0], group[-1]
    if "native" in (message.role, first.role) or not (last.content and message.content):
        return False
    if not _has_no_head(message):
        return False
    if message.role == "tool":
        return message.name is None and _has_no_tail(message)
    return (
        last.role == "tool"
        and grouping.all_of(group, _has_no_tail)
        and grouping.all_of(group, _is_part_of(message.role))
        and message.name == _shared_name(first.name, message.role, dialect)
    )


@lru_cache(maxsize=64)
def _is_part_of(role: str) -> Callable[[am.Msg], bool]:
    """Return the test whether a message may be in a reply of a role: it has this role, or is a result."""
    return lambda message: message.role in {"tool", role}


def _has_no_head(message: am.Msg) -> bool:
    return (
        (message.id is None or type(message.id) is Made)
        and given(message.created_at) is None
        and not message.metadata
        and not message.extras
    )


def _has_no_tail(message: am.Msg) -> bool:
    return message.usage is None and message.finish_reason is None and message.structured is None


def _joins_reply(group: Sequence[am.Msg], message: am.Msg) -> bool:
    """Whether a message continues the reply of a container."""
    if message.id is not None and type(message.id) is not Made:
        return False
    if not grouping.all_of(group, _is_part_of("assistant")):
        return False
    return message.role == "tool" or (message.role == "assistant" and group[-1].role == "tool")


class Messages:
    """Reads and writes messages, each in its dialect.

    Args:
        version: the version to write; None writes each message and block in the version that it was read in.

    Attributes:
        kinds: the dialects, by version.
        joining: the versions in which a whole reply, with its calls and results, is one native message.
        keeps_marks: whether an entry of a document may be a pair of a message and marks.
    """

    kinds: ClassVar[Mapping[int, type[Dialect]]]
    joining: ClassVar[frozenset[int]] = frozenset()
    keeps_marks: ClassVar[bool] = False

    def __init__(self, version: int | None) -> None:
        self.dialects = {own: kind(as_read=version is None) for own, kind in self.kinds.items()}
        newest = self.dialects[VERSIONS[-1]]
        self.family = newest.family
        self._groupings = {own: seats(newest, joins=own in self.joining) for own in VERSIONS}

    # -- how languages differ -----------------------------------------------------------------------------------------

    @staticmethod
    def detect(native: Any) -> int | None:
        """Return the version that a native message shows; None if it shows none."""
        raise NotImplementedError

    @staticmethod
    def sniff(native: Native) -> float:
        """Return how much an object looks like a message of the language."""
        raise NotImplementedError

    def is_new(self, message: am.Msg) -> bool:
        """Whether a message has fields that only the newest dialect doesn't know."""
        return False

    # -- reading ------------------------------------------------------------------------------------------------------

    def version_of(self, native_messages: Sequence[Any], otherwise: int) -> int:
        """Return the version of the first message of a document that shows one."""
        return next((found for native in native_messages if (found := self.detect(native)) is not None), otherwise)

    def read_groups(self, native_messages: Iterable[Any], version: int) -> list[list[am.Msg]]:
        """Read native messages as several each; what isn't a message here gets the role "native"."""
        return [self._container(native, version) for native in native_messages]

    def seated(self, groups: Sequence[Sequence[am.Msg]], version: int) -> list[am.Msg]:
        """Return the messages of a document, noted if the default would group them differently."""
        # A message with an id joins no other: if all have one, there is nothing to note.
        if all(len(group) == 1 and group[0].id is not None for group in groups):
            return [group[0] for group in groups]
        return grouping.seated(groups, self._groupings[version])

    def _container(self, native: Any, version: int) -> list[am.Msg]:
        shown = self.detect(native)
        own = shown or version
        group = None if shown is None and self._is_unclear(native) else self._group(native, own)
        if group is None:
            return [natives.read_whole(native, self.family)]
        if own != version:
            group[0] = marked(group[0], self.family, version=own)
        return group

    def message_of(self, value: Any) -> am.Msg:
        """Return the first message of the value of a native message.

        Raises:
            DecodeError: if no document can contain it.
        """
        native = value[0] if self.keeps_marks and is_pair(value) else value
        if not is_object(native):
            raise DecodeError(f"a message is an object, not {excerpt(native)}")
        found = self._container(native, 2)[0]
        return natives.read_whole(value, self.family) if found.role == "native" else found

    def _group(self, native: Any, version: int) -> list[am.Msg] | None:
        """Read a native message as several; None if it would not come back."""
        if not is_object(native):
            return None
        dialect = self.dialects[version]
        try:
            whole = dialect.readers["message"](native)
        except (Unreadable, AgentMsgError):
            return None
        group = split(whole, dialect)
        # The mark concerns usage and metadata, which would be on different messages.
        return None if len(group) > 1 and mark_of(whole, self.family, "/both") is True else group

    def _has_urls(self, native: Any) -> bool:
        """Whether a message has a URL beside content, which only one version knows."""
        return self.dialects[1].has_urls and is_object(native) and native.get("url") is not None

    def _is_unclear(self, native: Any) -> bool:
        """Whether a message that shows no version would not come back in one of them; then it is kept whole."""
        return self._has_urls(native) and any(self._group(native, version) is None for version in VERSIONS)

    # -- writing ------------------------------------------------------------------------------------------------------

    def groups(self, messages: Sequence[am.Msg], version: int) -> list[tuple[am.Msg, ...]]:
        """Group messages that fit by the native message that they share."""
        return grouping.containers(messages, self._groupings[version])

    def write_group(self, group: Sequence[am.Msg], version: int, *, is_forced: bool = False) -> Any:
        """Write the native message of a group.

        Args:
            group: the messages.
            version: the version of the document.
            is_forced: whether to write this version even if the message was read in the other.
        """
        first: Any = group[0]
        if first.role == "native":
            return thaw(first.content[0].value)
        if not first.notes and not first.extras and len(group) == 1:
            return self.dialects[version].writers["message"](first)
        if not is_forced:
            version = self._version_for(first, version)
        dialect, whole = self.dialects[version], join(group, self.family)
        plain = dialect.writers["message"](whole)
        if is_forced or all(key[:1] == "/" or key == "seat" for key in note_of(whole, self.family)):
            # A version that the caller chose has its own spelling.
            return spelling.with_extras(plain, first, self.family)
        if ITEM in first.extras:
            whole = whole.evolve(extras=without(first.extras, ITEM))

        def reread(native: Native) -> am.Msg:
            # The spelling must not show another version.
            if self.detect(native) not in (None, version):
                raise Unreadable
            return dialect.readers["message"](thaw(native))

        return spelling.put_back(whole, plain, family=self.family, read=reread)

    def _version_for(self, first: am.Msg, version: int) -> int:
        """Return the version to write a group in, by its first message and the version of the document."""
        if first.extras and self.is_new(first):
            return VERSIONS[-1]
        own = mark_of(first, self.family, "/version")
        return own if type(own) is int and own in VERSIONS else version

    def show_versions(
        self, written: Sequence[Any], groups: Sequence[Sequence[am.Msg]], version: int, *, is_forced: bool
    ) -> None:
        """Add a time of null to messages that don't show their version, if they would be read in another.

        Args:
            written: the native messages; they are changed.
            groups: the groups that they were written from.
            version: the version of the history.
            is_forced: whether all were written in this version, which documents that show none are read in.
        """
        hidden: list[tuple[Native, int | None, int]] = []
        for native, group in zip(written, groups, strict=True):
            if group[0].role != "native" and self._has_urls(native):
                own = version if is_forced else self._version_for(group[0], version)
                shown = self.detect(native)
                if shown != own:
                    hidden.append((native, shown, own))
        if not hidden:
            return
        otherwise = self.version_of(written, version if is_forced else VERSIONS[-1])
        are_clear = all((shown or otherwise) == own for _, shown, own in hidden)
        for native, shown, own in hidden:
            if not are_clear or (shown is None and self._is_unclear(native)):
                native[self.dialects[own].time_key] = None
