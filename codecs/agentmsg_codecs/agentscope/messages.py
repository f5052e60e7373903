"""Native messages and ours: which dialect each has, and whether it comes back; and the base of both codecs.

The mark ``/version`` is on messages in another dialect than their document.

Each tool result in a native message becomes a tool message, and the blocks between results become messages with its
role. The first message gets its name, id, time, metadata and unknown fields. The last that isn't a result gets its
usage, finish reason and structured output.

A memory of Python's 1.x keeps marks with each message. ``InMemoryMemory.state_dict()`` (agentscope 1.0.21) is
``{"_compressed_summary", "content"}``; an entry of ``content`` is a pair of a message and its marks, up to 1.0.10 just
a message. A list of pairs is read, too. The memory's marks become ``extras["agentscope.item"]["marks"]``. Our marks: of
a history ``/version`` and ``/pairs`` (entries are pairs by default), of a message ``/pair`` (whether it was one, if
that isn't the default).

A session file is the state of an agent, which holds a document, such as ``{"agent": {"memory": {"content": [...]}}}``.
``JSONSession`` and QwenPaw write them: a memory in 1.x, a state in 2.x. The history's mark ``/session`` is the path of
the document in the file; what else the file holds is ``extras["agentscope.session"]`` (of Java ``agentscope-java``).
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import attrs

import agentmsg as am
from agentmsg import AgentMsgError, DecodeError, Made, thaw
from agentmsg.formats import (
    ContainerCodec,
    Containers,
    Native,
    Unreadable,
    adopt,
    carried_extras,
    cells,
    excerpt,
    given,
    grouping,
    is_list,
    is_marked,
    is_object,
    maker,
    mark_of,
    marked,
    natives,
    note_of,
    spelling,
)
from agentmsg_codecs.agentscope.dialect import is_pair, is_result, marks_of, without
from agentmsg_codecs.agentscope.names import CONTENT_KEYS, ITEM, MEMORY, VERSIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agentmsg.formats import Cell
    from agentmsg.formats.forms import Described
    from agentmsg_codecs.agentscope.dialect import Dialect


_PATHS = {
    "agent.state": ("agent", "state"), "agent.memory": ("agent", "memory"), "state": ("state",), "memory": ("memory",),
}  # fmt: skip


class Sessions(Containers):
    """Containers of messages, which may be inside a session file."""

    @property
    def space(self) -> str:
        """The namespace of what else a session file holds."""
        return f"{self.family}.session"

    def session_of(self, document: Any) -> str | None:
        """Return where a session file has its document, as in the mark; None if this is no such file."""
        if not is_object(document) or document.keys().isdisjoint(("agent", "state", "memory")):
            return None
        if not document.keys().isdisjoint((*self.own, *self.keys)):
            return None
        for name, path in _PATHS.items():
            inner: Any = document
            for key in path:
                inner = inner.get(key) if is_object(inner) else None
            if is_object(inner) and is_list(inner.get(self.place(inner) or "")):
                return name
        return None

    def opened(self, document: Any) -> tuple[Any, str | None]:
        """Return the document in a session file, with its place; any other document itself, and None."""
        name = self.session_of(document)
        for key in () if name is None else _PATHS[name]:
            document = document[key]
        return document, name

    def noted(self, history: am.History, document: Native, name: str) -> am.History:
        """Return the history of a session file, with what else the file holds."""
        rest = natives.without(document, _PATHS[name])
        history = marked(history, self.family, session=name)
        return history.evolve(extras={**history.extras, self.space: adopt(rest)}) if rest else history

    def closed(self, history: am.History, document: Any) -> Any:
        """Return the session file of a history's document, if it was read from one."""
        name = self._mark(history)
        if name is None:
            return document
        return natives.merged(natives.extras_copy(history, self.space), natives.nested(_PATHS[name], document))

    def _mark(self, history: am.History) -> str | None:
        """Return the mark of a history that is written as a session file."""
        name = mark_of(history, self.family, "/session") if history.notes else None
        is_inside = mark_of(history, self.family, "/container") in self.keys if name in _PATHS else False
        return name if is_inside else None

    def cells(self) -> Mapping[str, Cell]:
        """Return the cells of histories: what else a session file holds stays if it comes back."""

        def keys(history: am.History) -> frozenset[str] | None:
            return frozenset() if self._comes_back(history) else None

        beside = super().cells()["extras"]
        return {"extras": cells.together(beside, carried_extras((self.space, keys)))}

    def _comes_back(self, history: am.History) -> bool:
        name = self._mark(history)
        rest: Any = history.extras[self.space]
        if name is None:
            return False
        whole = natives.merged(thaw(rest), natives.nested(_PATHS[name], {self.keys[0]: []}))
        return self.session_of(whole) == name and natives.without(whole, _PATHS[name]) == thaw(rest)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class AgentScope(ContainerCodec):
    """Messages of AgentScope, in one of its languages.

    Attributes:
        messages: the class of the engine.
        version: the version to write. None means the version that the history was read from, or else 2.
        engine: reads and writes.
    """

    caps_in: ClassVar[str | None] = "agentmsg_codecs.agentscope.capabilities"
    messages: ClassVar[type[Messages]]
    containers: ClassVar[Sessions]
    content_keys: ClassVar[frozenset[str]] = ContainerCodec.content_keys | CONTENT_KEYS

    version: Literal[1, 2] | None = attrs.field(default=None, validator=attrs.validators.in_((None, *VERSIONS)))
    engine: Messages = attrs.field(
        init=False,
        eq=False,
        repr=False,
        default=attrs.Factory(lambda self: self.messages(self.version), takes_self=True),
    )

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms of both versions, the newer first."""
        dialects = self.engine.dialects
        return tuple(dialects[version].described for version in sorted(dialects, reverse=True))

    # -- reading ------------------------------------------------------------------------------------------------------

    def read(self, document: Any) -> am.History:
        """Read a message, a list of messages, or an object that holds the list; or a session file with such an object.

        Raises:
            DecodeError: if it isn't one of these.
        """
        inner, name = self.containers.opened(document)
        if name is None:
            return self._read(inner)
        try:
            return self.containers.noted(self._read(inner), document, name)
        except DecodeError as error:
            raise error.at(*_PATHS[name]) from None

    def _read(self, document: Any) -> am.History:
        engine, contents = self.engine, self.containers.contents(document)
        if contents.place == "single" and "role" not in document:
            key = next((key for key in self.containers.keys if key in document and key != MEMORY), "role")
            raise DecodeError(f"{key} is a list of messages" if key != "role" else "a message has a role", path=(key,))
        entries = contents.natives
        has_pairs = engine.keeps_marks and any(map(is_pair, entries))
        native_messages = [entry[0] if has_pairs and is_pair(entry) else entry for entry in entries]
        for index, native in enumerate(native_messages):
            if not is_object(native):
                raise DecodeError(f"a message is an object, not {excerpt(native)}", path=contents.path(index))
        version = engine.version_of(native_messages, self.version or VERSIONS[-1])
        groups = [engine.container(native, version) for native in native_messages]
        marks: dict[str, Any] = {"version": version}
        if has_pairs:
            marks["pairs"] = by_default = is_pair(entries[0])
            for group, entry in zip(groups, entries, strict=True):
                group[0] = self._paired(group[0], entry, by_default=by_default)
        history = self.containers.history(contents, engine.seated(groups, version), **marks)
        return history if self.envelope is None else self.envelope.unwrapped(history)

    def _paired(self, message: am.Msg, entry: Any, *, by_default: bool) -> am.Msg:
        """Return a message with the marks of its entry; a native message is the whole entry."""
        was_pair = is_pair(entry)
        if message.role == "native":
            return natives.read_whole(entry, self.family) if was_pair else message
        if was_pair and entry[1]:
            return message.evolve(extras={**message.extras, ITEM: adopt({"marks": entry[1]})})
        return message if was_pair is by_default else marked(message, self.family, pair=was_pair)

    # -- writing ------------------------------------------------------------------------------------------------------

    def write(self, history: am.History) -> Any:
        """Write a history that fits, in the version and container that it was read from, or that the options name."""
        engine, is_forced = self.engine, self.version is not None
        history = history if self.envelope is None else self.envelope.wrapped(history)
        noted = mark_of(history, self.family, "/version")
        own = self.version or (noted if type(noted) is int and noted in VERSIONS else VERSIONS[-1])
        groups = grouping.containers(history.messages, engine.groupings[own])
        native_messages = [engine.write_group(group, own, is_forced=is_forced) for group in groups]
        engine.show_versions(native_messages, groups, own, is_forced=is_forced)
        # The memory of 2.x has no pairs.
        if engine.keeps_marks and self.version != VERSIONS[-1]:
            by_default = is_marked(history, self.family, "/pairs")
            native_messages = [
                self._entry(native, group[0], by_default=by_default)
                if by_default or group[0].extras or group[0].notes
                else native
                for native, group in zip(native_messages, groups, strict=True)
            ]
        document = self.containers.document(history, native_messages, self.container)
        is_alone = is_object(document) and native_messages and document is native_messages[0]
        # An object without a role isn't read as a single message.
        return self.containers.closed(history, native_messages if is_alone and "role" not in document else document)

    def _entry(self, native: Any, message: am.Msg, *, by_default: bool) -> Any:
        if message.role == "native":
            return native
        marks = marks_of(message)
        if marks is not None:
            return [native, thaw(marks)]
        noted = mark_of(message, self.family, "/pair")
        return [native, []] if (noted if type(noted) is bool else by_default) else native

    # -- native messages ----------------------------------------------------------------------------------------------

    def native_messages(self, document: Any) -> list[Any]:
        """Return the native messages of a document, in order; none if it has another format."""
        return super().native_messages(self.containers.opened(document)[0])

    def likeness(self, document: Any) -> float:
        """Return the lowest score of a document's first messages; those of a role and text fit beside any others."""
        entries = self.first_natives(document)
        found: list[Any] = [entry[0] if is_pair(entry) else entry for entry in entries]
        said = [native for native in found if not _is_bare(native)]
        return min((self.engine.sniff(native) if is_object(native) else 0.0 for native in said), default=0.0)


def _is_bare(native: Any) -> bool:
    """Whether a message has nothing but a role and texts or thinking."""
    if not is_object(native) or native.keys() != {"role", "content"}:
        return False
    content: Any = native["content"]
    tags = [part.get("type") if is_object(part) else None for part in content] if is_list(content) else ["text"]
    return (type(content) is str or is_list(content)) and all(tag in ("text", "thinking") for tag in tags)


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
    return None if name == dialect.names.get(role) else name


def _may_join(dialect: Dialect, group: Sequence[am.Msg], message: am.Msg) -> bool:
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
        groupings: how messages share native ones, by version.
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
        apart = grouping.Grouping(family=self.family, may_join=partial(_may_join, newest))
        joined = apart.evolve(joins=_joins_reply)
        self.groupings = {own: joined if own in self.joining else apart for own in VERSIONS}

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

    def seated(self, groups: Sequence[Sequence[am.Msg]], version: int) -> list[am.Msg]:
        """Return the messages of a document, noted if the default would group them differently."""
        # A message with an id joins no other: if all have one, there is nothing to note.
        if all(len(group) == 1 and group[0].id is not None for group in groups):
            return [group[0] for group in groups]
        return grouping.seated(groups, self.groupings[version])

    def container(self, native: Any, version: int) -> list[am.Msg]:
        """Read a native message as several; what isn't a message here gets the role "native"."""
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
        found = self.container(native, 2)[0]
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
