"""Documents: messages in their containers, and the marks that a memory of Python's 1.x keeps with each message.

``InMemoryMemory.state_dict()`` (agentscope 1.0.21) is ``{"_compressed_summary", "content"}``; an entry of ``content``
is a pair of a message and its marks, up to 1.0.10 just a message. A list of pairs is read, too. The memory's marks
become ``extras["agentscope.item"]["marks"]``. Our marks: of a history ``/version`` and ``/pairs`` (entries are pairs by
default), of a message ``/pair`` (whether it was one, if that isn't the default).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg import DecodeError, thaw
from agentmsg.formats import Native, adopt, excerpt, is_list, is_marked, is_object, mark_of, marked, natives
from agentmsg_codecs.agentscope.names import ITEM, MEMORY, VERSIONS
from agentmsg_codecs.agentscope.shapes import is_pair, marks_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import agentmsg as am
    from agentmsg.formats import Containers
    from agentmsg_codecs.agentscope.messages import Messages


def read_document(engine: Messages, containers: Containers, document: Any, version: int) -> am.History:
    """Read a document.

    Args:
        engine: reads messages.
        containers: the containers of messages.
        document: the document, of either version.
        version: the version, if the document shows none.

    Raises:
        DecodeError: if it isn't a message, or a list of objects.
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
    """Return a message with the marks of its entry; a native message is the whole entry."""
    was_pair = is_pair(entry)
    if message.role == "native":
        return natives.read_whole(entry, engine.family) if was_pair else message
    if was_pair and entry[1]:
        return message.evolve(extras={**message.extras, ITEM: adopt({"marks": entry[1]})})
    return message if was_pair is by_default else marked(message, engine.family, pair=was_pair)


def write_document(
    engine: Messages, containers: Containers, history: am.History, *, version: int | None, container: str | None
) -> Any:
    """Write a history that fits.

    Args:
        engine: writes messages.
        containers: the containers of messages.
        history: the history.
        version: the version to write; None means the one in the history's notes.
        container: the container, if the notes have none.
    """
    engine.fill()
    noted = mark_of(history, engine.family, "/version")
    own = version or (noted if type(noted) is int and noted in VERSIONS else 2)
    groups = engine.groups(history.messages, own)
    native_messages = [engine.write_group(group, own, is_forced=version is not None) for group in groups]
    engine.show_versions(native_messages, groups, own, is_forced=version is not None)
    # The memory of 2.x has no pairs.
    if engine.keeps_marks and version != VERSIONS[-1]:
        by_default = is_marked(history, engine.family, "/pairs")
        native_messages = [
            _entry(native, group[0], engine.family, by_default=by_default)
            if by_default or group[0].extras or group[0].notes
            else native
            for native, group in zip(native_messages, groups, strict=True)
        ]
    document = containers.document(history, native_messages, container)
    is_alone = is_object(document) and native_messages and document is native_messages[0]
    # An object without a role isn't read as a single message.
    return native_messages if is_alone and "role" not in document else document


def _entry(native: Any, message: am.Msg, family: str, *, by_default: bool) -> Any:
    if message.role == "native":
        return native
    marks = marks_of(message)
    if marks is not None:
        return [native, thaw(marks)]
    noted = mark_of(message, family, "/pair")
    return [native, []] if (noted if type(noted) is bool else by_default) else native


def sniff_with(entries: list[Any], sniff: Callable[[Native], float]) -> float:
    """Return the lowest score of a document's first messages; those of a role and text fit beside any others."""
    native_messages: list[Any] = [entry[0] if is_pair(entry) else entry for entry in entries]
    said = [native for native in native_messages if not _is_bare(native)]
    return min((sniff(native) if is_object(native) else 0.0 for native in said), default=0.0)


def _is_bare(native: Any) -> bool:
    """Whether a message has nothing but a role and texts or thinking."""
    if not is_object(native) or native.keys() != {"role", "content"}:
        return False
    content: Any = native["content"]
    tags = [part.get("type") if is_object(part) else None for part in content] if is_list(content) else ["text"]
    return (type(content) is str or is_list(content)) and all(tag in ("text", "thinking") for tag in tags)
