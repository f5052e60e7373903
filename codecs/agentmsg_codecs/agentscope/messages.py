"""Native messages and ours: which dialect each has, and whether it comes back.

The mark ``/version`` is on messages in another dialect than their document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from agentmsg import AgentMsgError, DecodeError, thaw
from agentmsg.formats import (
    Native,
    Unreadable,
    excerpt,
    grouping,
    is_object,
    mark_of,
    marked,
    natives,
    note_of,
    spelling,
)
from agentmsg_codecs.agentscope.names import ITEM, VERSIONS
from agentmsg_codecs.agentscope.replies import join, seats, split
from agentmsg_codecs.agentscope.shapes import is_pair, without

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import agentmsg as am
    from agentmsg_codecs.agentscope.dialect import Dialect


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
