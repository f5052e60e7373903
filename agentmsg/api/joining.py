"""Several documents that are one conversation: a request and its response, or items and messages side by side.

``Joined`` is a codec for a list of such parts, so that all that holds for documents holds for these lists, too: they
are converted, reported and restored exactly. It isn't registered, because such a list is no format of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar, cast

import attrs

from agentmsg.checking.detection import detect, recognize
from agentmsg.checking.strict import read_strictly
from agentmsg.errors import AgentMsgError, DecodeError, EncodeError, NotUnderstood, is_a, refused
from agentmsg.formats.codec import Codec
from agentmsg.formats.understanding import BAR
from agentmsg.limits import DEFAULT_LIMITS, Limits, room_of
from agentmsg.model.blocks import TextBlock
from agentmsg.model.construction import paused
from agentmsg.model.history import History, without_messages
from agentmsg.model.made_links import apart
from agentmsg.model.msg import Msg
from agentmsg.registry import codecs, get_codec
from agentmsg.values.copies import copy_document
from agentmsg.values.frozen import adopt, thaw
from agentmsg.values.types import is_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from agentmsg.api.reading import Unknown
    from agentmsg_codecs import CodecName

JOINED = "joined"
"""The name of the codec, for loss reports."""
EACH = "each"
# If the means of two families are this close, what they read decides.
_CLOSE = 0.1
# What is said once for a conversation: by one part, or the same by several.
_ONCE = ("id", "tools", "settings")
_MAPPINGS = ("extras", "metadata")


def decode_parts(
    parts: Iterable[Any],
    codec: CodecName | str | None = None,
    *,
    limits: Limits = DEFAULT_LIMITS,
    unknown: Unknown = "keep",
) -> History:
    """Read several documents that are one conversation as one history, in their order.

    Parts are whatever ``decode`` takes: a request and its response, lists of messages or items, single ones, or a text
    as the first part, which is what the user said. Nothing is left out: don't give requests that repeat each other.

    Args:
        parts: the documents, as plain data or objects.
        codec: their format; a response is read by the format for responses that belongs to it. None to detect what fits
            all of them, "each" to detect the format of each.
        limits: bounds on what is read.
        unknown: as for ``loads``.

    Raises:
        NotUnderstood: if no format fits all parts, or several do.
        DecodeError: as for ``decode``; the path begins with the number of the part. Code "schema" if parts tell
            different things about the whole, such as other tools.
        CodecLookupError: if there is no such codec.
    """
    if is_a(parts, (str, bytes, dict)) or not is_a(parts, (Iterable,)):
        raise refused("parts", parts, "a list of documents")
    depth = room_of(limits).depth
    with paused():
        held, joined = [copy_document(part, depth) for part in parts], Joined(format=codec)
        return read_strictly(lambda: joined.read(held), lambda: held, joined, unknown)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Joined(Codec):
    """Lists of parts of a conversation.

    Attributes:
        format: as ``codec`` of ``decode_parts``.
    """

    name: ClassVar[str] = JOINED
    family: ClassVar[str] = JOINED
    title: ClassVar[str] = "Parts of a conversation"

    format: str | None = None

    def read(self, document: Any) -> History:
        """Read the parts in order.

        Raises:
            AgentMsgError: as ``decode_parts``.
        """
        if not is_list(document):
            msg = "parts of a conversation are a list"
            raise DecodeError(msg)
        groups = list(_groups(document, _codecs_of(document, self.format)))
        histories = [group.read() for group in groups]
        notes = [group.note(history) for group, history in zip(groups, histories, strict=True)]
        messages: tuple[Msg, ...] = ()
        for history in histories:
            messages += apart(messages, history.messages)
        return History(messages, notes={JOINED: {"parts": adopt(notes)}}, **_whole(histories))

    def write(self, history: History) -> Any:
        """Write a history that was read from parts as these.

        Raises:
            EncodeError: for any other history.
        """
        parts: list[Any] = []
        start = 0
        try:
            for each in cast("Any", history.notes)[JOINED]["parts"]:
                end = start + each["messages"]
                parts += _written(each, history.messages[start:end])
                start = end
        except AgentMsgError:
            raise
        except Exception as error:
            msg = "only a history that was read from parts can be written as parts; name a format with --to"
            raise EncodeError(msg) from error
        return parts


# -- reading ----------------------------------------------------------------------------------------------------------


@attrs.frozen
class _Group:
    """Parts that are read as one document: adjacent messages or items, or one part of any other kind.

    Attributes:
        codec: the name of their format; empty for a text.
        parts: as given.
        index: of the first.
        cuts: of each part, how many messages or items a list has, or None if it is one itself; None for a document.
    """

    codec: str
    parts: list[Any]
    index: int
    cuts: list[int | None] | None

    def read(self) -> History:
        """Read the parts.

        Raises:
            AgentMsgError: from the codec; the path begins with the number of the part.
        """
        if not self.codec:
            return History((Msg("user", (TextBlock(self.parts[0]),), id=None, created_at=None),))
        codec = get_codec(self.codec)
        if self.cuts is None:
            document = self.parts[0]
        else:
            document = [item for part in self.parts for item in (part if is_list(part) else [part])]
        try:
            return codec.read(document)
        except AgentMsgError as error:
            step, *rest = error.path or (0,)
            index = self._part_of(step) if self.cuts is not None and type(step) is int else (0,)
            error.path = (self.index + index[0], *index[1:], *(rest if self.cuts is not None else error.path))
            raise error.at(codec=self.codec) from error.__cause__

    def _part_of(self, item: int) -> tuple[int, ...]:
        """Return the place of an item: its part, and its place there if that is a list."""
        for number, cut in enumerate(self.cuts or ()):
            if item < (1 if cut is None else cut):
                return (number,) if cut is None else (number, item)
            item -= 1 if cut is None else cut
        return (0,)

    def note(self, history: History) -> dict[str, Any]:
        """Return what ``_written`` needs besides the messages."""
        whole = get_codec("json").write(without_messages(history))
        return {"codec": self.codec, "messages": len(history), "cuts": self.cuts, "whole": thaw(whole)}


def _groups(parts: Sequence[Any], codecs: Sequence[str]) -> Iterator[_Group]:
    """Yield the parts in groups that are read together."""
    kinds = [(codec, _cut(part, codec)) for part, codec in zip(parts, codecs, strict=True)]
    index = 0
    for (codec, is_piece), run in groupby(kinds, lambda kind: (kind[0], kind[1] is not _DOCUMENT)):
        cuts: list[Any] = [cut for _, cut in run]
        held = list(parts[index : index + len(cuts)])
        if is_piece:
            yield _Group(codec, held, index, cuts)
        else:
            yield from (_Group(codec, [part], index + more, None) for more, part in enumerate(held))
        index += len(cuts)


_DOCUMENT: Any = object()


def _cut(part: Any, codec: str) -> Any:
    """Return the number of a list's messages, None for a part that is one message, or _DOCUMENT for another part."""
    if not codec or not get_codec(codec).holds_messages:
        return _DOCUMENT
    natives = get_codec(codec).native_messages(part)
    if is_list(part):
        return len(part) if natives is part else _DOCUMENT
    return None if len(natives) == 1 and natives[0] is part else _DOCUMENT


def _whole(histories: Sequence[History]) -> dict[str, Any]:
    """Return what parts say about the whole conversation.

    Raises:
        DecodeError: if they say different things.
    """
    whole: dict[str, Any] = {}
    for name in _ONCE:
        told = [getattr(history, name) for history in histories if getattr(history, name)]
        if any(value != told[0] for value in told):
            raise _differ(name)
        if told:
            whole[name] = told[0]
    for name in _MAPPINGS:
        whole[name] = _merged([getattr(history, name) for history in histories], name)
    return whole


def _merged(mappings: Iterable[Mapping[str, Any]], name: str) -> dict[str, Any]:
    """Return the members of several mappings; those of extras are mappings themselves."""
    merged: dict[str, Any] = {}
    for key, value in (member for mapping in mappings for member in mapping.items()):
        told = merged.get(key, value)
        if told != value and name == "extras" and isinstance(told, dict) and isinstance(value, dict):
            merged[key] = _merged(cast("list[dict[str, Any]]", [told, value]), f"{name}/{key}")
        elif told != value:
            raise _differ(f"{name}/{key}")
        else:
            merged[key] = value
    return merged


def _differ(name: str) -> DecodeError:
    return DecodeError(f"these parts are not one conversation: they differ in {name}")


# -- their formats ----------------------------------------------------------------------------------------------------


def _codecs_of(parts: Sequence[Any], wanted: str | None) -> list[str]:
    """Return the name of each part's format; it is empty for a text, which only the first may be.

    Raises:
        NotUnderstood: if that isn't clear.
        DecodeError: for a text elsewhere: nobody knows who said it.
        CodecLookupError: if there is no such codec.
    """
    is_led = bool(parts) and type(parts[0]) is str
    for number, part in enumerate(parts):
        if type(part) is str and number:
            msg = "only the first part can be a text, which the user said"
            raise DecodeError(msg, path=(number,))
    documents = parts[is_led:]
    names = _each(documents) if wanted == EACH else _of_family(documents, _family(documents, wanted), wanted)
    return [""] * is_led + names


def _each(documents: Sequence[Any]) -> list[str]:
    names: list[str] = []
    for document in documents:
        try:
            names.append(recognize(document))
        except AgentMsgError as error:
            raise error.at(len(names)) from None
    return names


def _of_family(documents: Sequence[Any], family: str, wanted: str | None) -> list[str]:
    """Return for each document the format of a family that fits best."""
    own = [name for name, codec in codecs() if codec.family == family]
    names: list[str] = []
    for document in documents:
        scores = {name: get_codec(name).sniff(document) for name in own}
        best = max(own, key=lambda name: (scores[name], name == wanted))
        names.append(best if scores[best] or wanted is None else wanted)
    return names


def _family(documents: Sequence[Any], wanted: str | None) -> str:
    """Return the only family that all documents fit.

    Raises:
        NotUnderstood: if there is none, or several.
    """
    if wanted is not None:
        return get_codec(wanted).family
    looks = [_by_family(document) for document in documents]
    common = [family for family in looks[0] if all(family in look for look in looks)] if looks else []
    means = sorted(((sum(look[family] for look in looks) / len(looks), family) for family in common), reverse=True)
    means = [(mean, family) for mean, family in means if max(look[family] for look in looks) >= BAR]
    if not means:
        best = {max(look, key=lambda family: look[family]) for look in looks if look and max(look.values()) >= BAR}
        words = f"these parts have several formats: {' and '.join(sorted(best))}" if len(best) > 1 else None
        raise NotUnderstood(words or "no format is recognised that all parts have", is_mixed=words is not None)
    if means[1:] and means[1][0] >= means[0][0] - _CLOSE:
        return _told(documents)
    return means[0][1]


def _told(documents: Sequence[Any]) -> str:
    """Return the only family of the documents that have a format by themselves, or else of all as one list.

    Raises:
        NotUnderstood: if there is none.
    """
    told: set[str] = set()
    for document in documents:
        with suppress(AgentMsgError):
            told.add(get_codec(recognize(document)).family)
    if len(told) == 1:
        return told.pop()
    items = [item for document in documents for item in (document if is_list(document) else [document])]
    return get_codec(recognize(items)).family


def _by_family(document: Any) -> dict[str, float]:
    best: dict[str, float] = {}
    for name, score in detect(document):
        family = get_codec(name).family
        best[family] = max(best.get(family, 0.0), score)
    return best


# -- writing ----------------------------------------------------------------------------------------------------------


def _written(note: Mapping[str, Any], messages: tuple[Msg, ...]) -> list[Any]:
    """Return the parts of a group, by its note."""
    if not note["codec"]:
        return [message.text for message in messages]
    whole = get_codec("json").read(thaw(note["whole"]))
    document = get_codec(note["codec"]).write(whole.evolve(messages=messages))
    if note["cuts"] is None:
        return [document]
    parts: list[Any] = []
    start = 0
    for cut in note["cuts"]:
        end = start + (1 if cut is None else cut)
        parts += document[start:end] if cut is None else [document[start:end]]
        start = end
    return parts
