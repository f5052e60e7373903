"""The base of the codecs for Python and for Java: messages in their containers.

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

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import attrs

from agentmsg import DecodeError, thaw
from agentmsg.formats import (
    ContainerCodec,
    Containers,
    adopt,
    carried_extras,
    cells,
    excerpt,
    is_list,
    is_marked,
    is_object,
    mark_of,
    marked,
    natives,
)
from agentmsg_codecs.agentscope.messages import Messages
from agentmsg_codecs.agentscope.names import CONTENT_KEYS, ITEM, MEMORY, VERSIONS
from agentmsg_codecs.agentscope.shapes import is_pair, marks_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    import agentmsg as am
    from agentmsg.formats import Caps, Cell, Native
    from agentmsg.formats.forms import Described


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
        for key in path_of(name):
            document = document[key]
        return document, name

    def noted(self, history: am.History, document: Native, name: str) -> am.History:
        """Return the history of a session file, with what else the file holds."""
        rest = _rest(document, _PATHS[name])
        history = marked(history, self.family, session=name)
        return history.evolve(extras={**history.extras, self.space: adopt(rest)}) if rest else history

    def closed(self, history: am.History, document: Any) -> Any:
        """Return the session file of a history's document, if it was read from one."""
        name = self._mark(history)
        if name is None:
            return document
        rest: Any = history.extras.get(self.space) if history.extras else None
        return _around(thaw(rest or {}), _PATHS[name], document)

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
        if name is None or any(not is_object(thaw(rest.get(key, {}))) for key in _PATHS[name][:-1]):
            return False
        whole = _around(thaw(rest), _PATHS[name], {self.keys[0]: []})
        return self.session_of(whole) == name and _rest(whole, _PATHS[name]) == thaw(rest)


def path_of(name: str | None) -> tuple[str, ...]:
    """Return the path that a mark names."""
    return () if name is None else _PATHS[name]


def _rest(document: Native, path: tuple[str, ...]) -> Native:
    """Return a session file without its document, and without objects that held nothing else."""
    key, *others = path
    rest = {name: value for name, value in document.items() if name != key}
    inner = _rest(document[key], tuple(others)) if others else {}
    return {**rest, key: inner} if inner else rest


def _around(rest: Native, path: tuple[str, ...], document: Any) -> Native:
    *outer, last = path
    inner = rest
    for key in outer:
        inner = inner.setdefault(key, {})
    inner[last] = document
    return rest


@attrs.frozen(kw_only=True, eq=False, repr=False)
class AgentScope(ContainerCodec):
    """Messages of AgentScope, in one of its languages.

    Attributes:
        messages: the class of the engine.
        version: the version to write. None means the version that the history was read from, or else 2.
        engine: reads and writes.
    """

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

    def make_caps(self) -> Caps:
        """Return the capability table; see capabilities.py."""
        from agentmsg_codecs.agentscope.capabilities import make_caps  # noqa: PLC0415 - readers need no table

        return make_caps(self.engine, self.version, history=self.containers.cells())

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
            raise error.at(*path_of(name)) from None

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
        groups = engine.read_groups(native_messages, version)
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
        groups = engine.groups(history.messages, own)
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
