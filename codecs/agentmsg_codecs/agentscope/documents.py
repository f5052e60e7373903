"""Documents: messages in their containers, and the marks that a memory of Python's 1.x keeps with each of them.

``InMemoryMemory.state_dict()`` (agentscope 1.0.21) is ``{"_compressed_summary", "content"}``; an entry of ``content``
is a pair of a message and its marks, up to 1.0.10 a message. Marks are the unknown field ``marks`` of the object around
the message: ``extras["agentscope.item"]``. A list of such pairs is read, too. Marks of a history: ``/version``;
``/pairs`` (an entry is a pair by default). Of a message: ``/pair`` (whether it was one, if that isn't the default).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg import DecodeError, thaw
from agentmsg.formats import Native, adopt, excerpt, is_object, mark_of, marked, natives
from agentmsg_codecs.agentscope.names import ITEM, MEMORY, VERSIONS
from agentmsg_codecs.agentscope.shapes import is_pair, marks_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import agentmsg as am
    from agentmsg.formats import Containers
    from agentmsg_codecs.agentscope.messages import Messages


def read_document(engine: Messages, containers: Containers, document: Any, version: int) -> am.History:
    """Return the history of a document.

    Args:
        engine: what reads messages.
        containers: that messages may be in.
        document: of either version.
        version: of a document that shows none.

    Raises:
        DecodeError: if it holds no list of messages, or something that isn't a message.
    """
    contents = containers.contents(document)
    if contents.place == "single" and "role" not in document:
        key = next((key for key in containers.keys if key in document and key != MEMORY), "role")
        raise DecodeError(f"{key} is a list of messages" if key != "role" else "a message has a role", path=(key,))
    entries = contents.natives
    has_pairs = engine.keeps_marks and any(map(is_pair, entries))
    native_messages = [entry[0] if has_pairs and is_pair(entry) else entry for entry in entries]
    for index, native in enumerate(native_messages):
        if not is_object(native):
            raise DecodeError(f"a message is an object, not {excerpt(native)}", path=contents.path(index))
    engine.fill()
    version = engine.version_of(native_messages, version)
    groups = engine.read_groups(native_messages, version)
    marks: dict[str, Any] = {"version": version}
    if has_pairs:
        marks["pairs"] = by_default = is_pair(entries[0])
        for group, entry in zip(groups, entries, strict=True):
            group[0] = _paired(engine, group[0], entry, by_default=by_default)
    return containers.history(contents, engine.seated(groups, version), **marks)


def _paired(engine: Messages, message: am.Msg, entry: Any, *, by_default: bool) -> am.Msg:
    """Return a message with the marks that it was kept with; a native one is the whole entry."""
    was_pair = is_pair(entry)
    if message.role == "native":
        return natives.read_whole(entry, engine.family) if was_pair else message
    if was_pair and entry[1]:
        return message.evolve(extras={**message.extras, ITEM: adopt({"marks": entry[1]})})
    return message if was_pair is by_default else marked(message, engine.family, pair=was_pair)


def write_document(
    engine: Messages, containers: Containers, history: am.History, *, version: int | None, container: str | None
) -> Any:
    """Return the document of a history that fits.

    Args:
        engine: what writes messages.
        containers: that messages may be in.
        history: that fits.
        version: that is written; None: that of the history's notes.
        container: of a history that was read from no document.
    """
    engine.fill()
    noted = mark_of(history, engine.family, "/version") if history.notes else None
    own = version or (noted if type(noted) is int and noted in VERSIONS else 2)
    groups = engine.groups(history.messages, own)
    native_messages = [engine.write_group(group, own, is_forced=version is not None) for group in groups]
    engine.show_versions(native_messages, groups, own, is_forced=version is not None)
    # 2.x has no such memory.
    if engine.keeps_marks and version != VERSIONS[-1]:
        by_default = mark_of(history, engine.family, "/pairs") is True if history.notes else False
        native_messages = [
            _entry(native, group[0], engine.family, by_default=by_default)
            if by_default or group[0].extras or group[0].notes
            else native
            for native, group in zip(native_messages, groups, strict=True)
        ]
    document = containers.document(history, native_messages, container)
    is_alone = is_object(document) and native_messages and document is native_messages[0]
    # What has no role isn't a message by itself.
    return native_messages if is_alone and "role" not in document else document


def _entry(native: Any, message: am.Msg, family: str, *, by_default: bool) -> Any:
    if message.role == "native":
        return native
    marks = marks_of(message)
    if marks is not None:
        return [native, thaw(marks)]
    said = mark_of(message, family, "/pair") if message.notes else None
    return [native, []] if (said if type(said) is bool else by_default) else native


def sniff_with(entries: list[Any], sniff: Callable[[Native], float]) -> float:
    """Return how much the first messages of a document look like a format."""
    native_messages: list[Any] = [entry[0] if is_pair(entry) else entry for entry in entries]
    return min((sniff(native) if is_object(native) else 0.0 for native in native_messages), default=0.0)
