"""Native messages and ours: which dialect each is in, and that it comes back.

Mark: ``/version`` (of a message that is in another dialect than its document).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg import AgentMsgError, DecodeError, same, thaw
from agentmsg.formats import (
    Native,
    Unreadable,
    excerpt,
    grouping,
    is_object,
    mark_of,
    marked,
    natives,
    plain_copy,
    same_document,
    spelling,
)
from agentmsg_codecs.agentscope.names import ITEM, VERSIONS
from agentmsg_codecs.agentscope.reading import read_container
from agentmsg_codecs.agentscope.replies import seats
from agentmsg_codecs.agentscope.shapes import is_pair, own_extras, without
from agentmsg_codecs.agentscope.writing import write_alone, write_container, write_content

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import agentmsg as am
    from agentmsg_codecs.agentscope.dialect import Dialect


class Messages:
    """Reads and writes messages, each in its dialect.

    Args:
        dialects: by version.
        detect: tells the version of a native message, None if nothing shows it.
        joins: tells of a version whether a whole reply, with its calls and results, is one native message.
        keeps_marks: whether an entry of a document may be a pair of a message and marks.
        is_new: whether a message has unknown fields that only the newest dialect takes for such.
    """

    def __init__(
        self,
        dialects: Mapping[int, Dialect],
        detect: Callable[[Any], int | None],
        *,
        joins: Callable[[int], bool],
        keeps_marks: bool,
        is_new: Callable[[am.Msg], bool] | None = None,
    ) -> None:
        self.dialects = dialects
        self.keeps_marks = keeps_marks
        self.family = dialects[2].family
        self._detect = detect
        self._is_new = is_new or _never
        self._groupings = {version: seats(dialects[2], joins=joins(version)) for version in VERSIONS}

    def fill(self) -> None:
        """Fill the tables, on first use."""
        for dialect in self.dialects.values():
            dialect.fill()

    # -- reading ------------------------------------------------------------------------------------------------------

    def version_of(self, native_messages: Sequence[Any], otherwise: int) -> int:
        """Return the version of a document: of its first message that shows one."""
        return next((found for native in native_messages if (found := self._detect(native)) is not None), otherwise)

    def read_groups(self, native_messages: Iterable[Any], version: int) -> list[list[am.Msg]]:
        """Return the messages of each native one; what isn't a message here is one of the role "native"."""
        return [self._container(native, version) for native in native_messages]

    def seated(self, groups: Sequence[Sequence[am.Msg]], version: int) -> list[am.Msg]:
        """Return the messages of a document, with notes where they are grouped otherwise than by default."""
        # A message with an id of its own joins no other: where all have one, there is nothing to note.
        if all(len(group) == 1 and group[0].id is not None for group in groups):
            return [group[0] for group in groups]
        return grouping.seated(groups, self._groupings[version])

    def _container(self, native: Any, version: int) -> list[am.Msg]:
        own = self._detect(native) or version
        group = self._group(native, own)
        if group is None:
            return [natives.read_whole(native, self.family)]
        if own != version:
            group[0] = marked(group[0], self.family, version=own)
        return group

    def message_of(self, value: Any) -> am.Msg:
        """Return the first message of what a native message holds.

        Raises:
            DecodeError: if no document may have that.
        """
        self.fill()
        native = value[0] if self.keeps_marks and is_pair(value) else value
        if not is_object(native):
            raise DecodeError(f"a message is an object, not {excerpt(native)}")
        found = self._container(native, 2)[0]
        return natives.read_whole(value, self.family) if found.role == "native" else found

    def _group(self, native: Any, version: int) -> list[am.Msg] | None:
        """Return the messages of a native one; None if it would not come back."""
        if not is_object(native):
            return None
        dialect = self.dialects[version]
        try:
            group, is_usual = read_container(dialect, native)
        except (Unreadable, AgentMsgError):
            return None
        if is_usual:
            return group
        # Each part was read so that it comes back, and so is their list.
        plain = write_container(dialect, group, native.get("content") or write_content(dialect, group))
        if _is_same(plain, native):
            return group
        known = (dialect.keys - dialect.free(native)) | plain.keys()
        kept = spelling.keep(
            group[0],
            native,
            plain,
            family=self.family,
            known=known,
            never=frozenset({"content"}),
            read=lambda native: read_container(dialect, native)[0],
        )
        if kept is None:
            return None
        spelt = spelling.put_back(kept, plain, family=self.family, read=lambda _: kept)
        return [kept, *group[1:]] if _is_same(spelt, native) else None

    # -- writing ------------------------------------------------------------------------------------------------------

    def groups(self, messages: Sequence[am.Msg], version: int) -> list[tuple[am.Msg, ...]]:
        """Return messages that fit in groups of those that share a native one."""
        return grouping.containers(messages, self._groupings[version])

    def write_group(self, group: Sequence[am.Msg], version: int, *, is_forced: bool = False) -> Any:
        """Return the native message of a group.

        Args:
            group: of messages.
            version: of the document.
            is_forced: whether it is written in this version even where it was read in another.
        """
        first: Any = group[0]
        if first.role == "native":
            return thaw(first.content[0].value)
        if not first.notes and not first.extras and len(group) == 1 and not self.dialects[version].is_brief:
            return write_alone(self.dialects[version], first)
        if first.notes and not is_forced:
            own = mark_of(first, self.family, "/version")
            version = own if type(own) is int and own in VERSIONS else version
        if first.extras and not is_forced and self._is_new(first):
            version = VERSIONS[-1]
        dialect = self.dialects[version]
        plain = write_container(dialect, group, write_content(dialect, group))
        if not first.notes or is_forced:
            # What is written in a version of the caller's choice is spelt as that has it.
            return {**plain, **_unknown(first, plain, self.family)} if first.extras else plain
        if ITEM in first.extras:
            first = first.evolve(extras=without(first.extras, ITEM))

        def reread(native: Native) -> am.Msg:
            # A spelling must not make another dialect of it.
            back = self._group(plain_copy(thaw(native)), version) if self._detect(native) in (None, version) else None
            if back is None or len(back) != len(group) or not all(map(same, back[1:], group[1:])):
                raise Unreadable
            return back[0]

        return thaw(spelling.put_back(first, plain, family=self.family, read=reread))


def _never(_: am.Msg) -> bool:
    return False


def _unknown(message: am.Msg, plain: Native, family: str) -> Native:
    """Return the unknown fields of a message, beside those that it is written with."""
    return {key: thaw(value) for key, value in own_extras(message, family).items() if key not in plain}


def _is_same(one: Native, other: Native) -> bool:
    """Whether two native messages are the same; what is one object in both is not looked into."""
    if len(one) != len(other):
        return False
    return all(key in other and (value is other[key] or same_document(value, other[key])) for key, value in one.items())
