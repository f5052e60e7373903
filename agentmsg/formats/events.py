"""Streams of providers: their events are another spelling of the response.

A provider's ``Events`` fold events into the response that the same request gives without streaming, as plain data, and
unfold a response into the events that would have brought it. All else follows: the codec of the response reads what was
folded, exactly. A codec names the module of its ``EVENTS`` in ``Codec.events``.

| names | what they are |
| --- | --- |
| Events | what a provider's streams are: a subclass for each |
| Fold, Strings | collects events; the texts and lists inside it that arrive in pieces |
| Reader, Writer | reads events as chunks; writes chunks as events |
| Thinking | what becomes of thinking that can't be sent back |
| More, TEXT_OF | what most events say: more of a block's text; the field of each class that is its text |
| events_of | the ``Events`` of a codec |
| MISFITS, misfit | what an event raises that doesn't fit its stream; the error that this is for users |
| unfolded, no_form | the events of a response, or one error; that error |
| pieces_of, arguments_of, base64_of | a text in pieces; of pieces the arguments, or their text if cut; bytes |
| without_bytes | a value of an SDK as JSON has it |
| with_cut_calls | a message whose native calls with cut arguments are calls |
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

from agentmsg.errors import AgentMsgError, CodecLookupError, DecodeError, EncodeError
from agentmsg.formats import natives
from agentmsg.formats.shapes import Unreadable
from agentmsg.lazy import imported
from agentmsg.model.blocks import TEXT_OF, NativeBlock
from agentmsg.values.text import parse_arguments
from agentmsg.values.types import is_list, is_mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from agentmsg.formats.codec import Codec
    from agentmsg.formats.shapes import Native
    from agentmsg.model.msg import Msg
    from agentmsg.model.tool_use import ToolUseBlock
    from agentmsg.stream.chunk import MsgChunk

__all__ = [
    "MISFITS",
    "TEXT_OF",
    "Events",
    "Fold",
    "More",
    "Reader",
    "Strings",
    "Thinking",
    "Writer",
    "arguments_of",
    "base64_of",
    "events_of",
    "misfit",
    "no_form",
    "pieces_of",
    "unfolded",
    "with_cut_calls",
    "without_bytes",
]

Thinking = Literal["show", "drop"]
"""What becomes of thinking that the reader of a stream can't send back: it is shown, or left out."""
More = tuple[type[Any], int | str, str]
"""The quick way of streams: what nearly every event says is another piece of a block's text, so it is told as such.

It is the class of the block, its index, and the piece. A reader returns it in place of the chunk that says no more, and
``ChunkReader`` makes that chunk. Transcoding gives it to the writer, which has the form of an event ready for the block
that is open; for any other block it takes the chunk. So no objects of the model are made only to be taken apart. A fold
that has found out the same may tell it, too (``Fold.more``): then the reader need not look again, and keeps nothing of
such events. There are no rules in this: without it all goes on as chunks, to the same events. The response and the
losses are those of the fold.
"""
_module = cache(imported)
MISFITS = (AgentMsgError, Unreadable, LookupError, TypeError, AttributeError, ValueError)
"""What readers raise of an event that doesn't fit its stream: their own error, or what plain Python raises of it."""


def misfit(error: Exception, place: int, codec: str | None) -> AgentMsgError:
    """Return the error for an event that raised one of ``MISFITS``, with its number."""
    if isinstance(error, AgentMsgError):
        return error.at(place, codec=codec)
    return DecodeError("this event doesn't fit its stream", code="schema", path=(place,), codec=codec)


class Strings:
    """Texts and lists inside a document that arrive in pieces: adding one doesn't depend on those before.

    Attributes:
        latest: the pieces of the text that was added to last. More may be appended, as long as it is the same text.
    """

    def __init__(self) -> None:
        self.latest: list[str] = []
        # With the owner, so that its identity stays its own.
        self._pieces: dict[tuple[int, str], tuple[Native, str, list[str]]] = {}
        self._lists: dict[tuple[int, str], tuple[Native, list[Any]]] = {}

    def add(self, owner: Native, key: str, piece: Any) -> None:
        """Append a piece to the text under a key of an object."""
        if type(piece) is not str:
            raise Unreadable
        held = self._pieces.get((id(owner), key))
        if held is None:
            before = owner.get(key)
            owner[key] = ""
            held = self._pieces[id(owner), key] = (owner, key, [before] if type(before) is str else [])
        self.latest = held[2]
        held[2].append(piece)

    def extend(self, owner: Native, key: str, items: Iterable[Any]) -> None:
        """Append items to the list under a key of an object; the list there at first stays as it is."""
        held = self._lists.get((id(owner), key))
        if held is None or owner.get(key) is not held[1]:
            held = self._lists[id(owner), key] = (owner, [*(owner.get(key) or ())])
            owner[key] = held[1]
        held[1].extend(items)

    def taken(self, owner: Native, key: str) -> str:
        """Return the text so far, to which nothing is added any more; empty if there is none."""
        *_, pieces = self._pieces.pop((id(owner), key), (None, [owner.get(key) or ""]))
        return "".join(pieces)

    def settle(self) -> None:
        """Put the texts, as far as they have come, into their objects."""
        for owner, key, pieces in self._pieces.values():
            pieces[:] = ["".join(pieces)]
            owner[key] = pieces[0]


class Fold:
    """Collects events into one response.

    Attributes:
        ended: whether the stream has said all that belongs to it.
        error: what the provider said in place of the rest; None if nothing.
        codec: whose name errors bear.
        count: how many events came.
        more: what the last event says, if it is that and ``take`` told it.
    """

    def __init__(self) -> None:
        self.ended = False
        self.error: Any = None
        self.strings = Strings()
        self.codec: str | None = None
        self.count = 0
        self.more: More | None = None

    def add(self, event: Any) -> None:
        """Take the next event.

        Raises:
            DecodeError: code "schema" if it doesn't fit its stream; its path is the number of the event.
        """
        self.count += 1
        try:
            if event.__class__ is not dict:
                raise Unreadable
            self.more = self.take(event)
        except MISFITS as error:
            raise misfit(error, self.count - 1, self.codec) from None

    def document(self) -> Any:
        """Return the response as far as it has come; it changes when another event is added.

        Raises:
            DecodeError: code "schema" if the events make none, with the number of the last.
        """
        try:
            self.strings.settle()
            return self.made()
        except MISFITS as error:
            raise misfit(error, max(self.count - 1, 0), self.codec) from None

    def take(self, event: Native) -> More | None:
        """Take the next event. Whatever doesn't fit raises ``Unreadable``, or what plain Python raises of it.

        A piece of a text must be a text. ``More`` may be returned if the reader keeps nothing of such an event.
        """
        raise NotImplementedError

    def made(self) -> Any:
        """Return the response, whose texts are in place."""
        raise NotImplementedError


class Reader(Protocol):
    """Reads events as chunks.

    Attributes:
        over: the indexes of the blocks that the last event ends, until it is emptied.
    """

    over: tuple[Any, ...]

    def __call__(self, event: Native, /) -> MsgChunk | More | None:
        """Return what an event says; None if it says nothing."""
        ...


class Writer(Protocol):
    """Writes chunks as events of a provider.

    Attributes:
        told_ends: whether ``over`` tells the end of each block that has an index.
    """

    told_ends: bool

    def add(self, chunk: MsgChunk) -> list[Native]:
        """Return the events of the next chunk."""
        ...

    def add_more(self, kind: type[Any], index: Any, text: str) -> Iterable[Native] | None:
        """Return the events of ``More``; None if its chunk must be added."""
        ...

    def over(self, indexes: Iterable[Any]) -> list[Native]:
        """Return the events that follow from the end of the blocks with some indexes."""
        ...

    def end(self, document: Any, reason: str | None) -> list[Native]:
        """Return the last events.

        Args:
            document: the response that the whole answer is converted to.
            reason: why the answer ended.
        """
        ...


class Events:
    """What a provider's stream is, as a subclass of each provider tells.

    Attributes:
        response: the codec of the responses.
        fold: what collects events.
        live: the module whose ``READER`` and ``WRITER`` read events as chunks, and write chunks as events.
        tells_ends: whether the reader tells which blocks are over: all those with an index.
        brings_all: whether events bring whatever a response holds, exactly.
        are_responses: whether each event is a response, of which the stream has several.
    """

    response: ClassVar[str]
    fold: ClassVar[type[Fold]]
    live: ClassVar[str]
    tells_ends: ClassVar[bool] = False
    brings_all: ClassVar[bool] = True
    are_responses: ClassVar[bool] = False

    def is_event(self, document: Native) -> bool:
        """Whether an object is an event, and no other document of the provider."""
        raise NotImplementedError

    def unfold(self, document: Any, size: int) -> Iterator[Native]:
        """Yield the events that bring a response, with texts cut into pieces of a number of characters."""
        raise NotImplementedError

    def reader(self, codec: Codec, *, whole: bool = True) -> Reader:
        """Return what reads events as chunks, as they arrive; None for one that says nothing.

        Events of which the fold tells ``More`` need not be read.

        Args:
            codec: that of the responses, with its options.
            whole: whether chunks tell how the answer ended, too, and what it cost; else perhaps not.
        """
        made: Any = _module(self.live).READER(codec)
        made.whole = whole
        read: Reader = made
        return read

    def writer(self, codec: Codec, thinking: Thinking) -> Writer:
        """Return what writes chunks as events.

        Args:
            codec: that of the responses, with its options.
            thinking: what becomes of thinking that the provider didn't sign.
        """
        written: Writer = _module(self.live).WRITER(codec, thinking)
        return written

    def finished(self, message: Msg) -> Msg:
        """Return the message that was read of a response, with what only streams have."""
        return message

    def reason(self, fold: Fold) -> str | None:
        """Return why the answer ended, where the response doesn't hold it."""
        return None


def events_of(codec: Codec) -> Events:
    """Return what the streams of a provider are.

    Raises:
        CodecLookupError: code "option" if the format has no streams.
    """
    if codec.events is None:
        msg = "this format has no streams of events"
        raise CodecLookupError(msg, code="option", codec=codec.name)
    found: Events = _module(codec.events).EVENTS
    return found


def unfolded(events: Events, document: Any, size: int) -> Iterator[Native]:
    """Yield what ``Events.unfold`` does.

    Raises:
        EncodeError: code "schema" if the response holds what no event can bring.
    """
    try:
        yield from events.unfold(document, size)
    except MISFITS as error:
        if isinstance(error, AgentMsgError):
            raise
        raise no_form(events) from error


def no_form(events: Events) -> EncodeError:
    """Return the error for a response that a provider's events can't bring."""
    return EncodeError("this response has no form in a stream", code="schema", codec=events.response)


def pieces_of(text: str, size: int) -> Iterator[str]:
    """Yield a text in pieces of a number of characters."""
    return (text[start : start + size] for start in range(0, len(text), size))


def arguments_of(text: str) -> Any:
    """Return the value of a call's arguments; the text if it isn't JSON, because it was cut."""
    is_json, value, _ = parse_arguments(text)
    return value if is_json else text


def base64_of(text: str) -> str:
    """Return base64 whose pieces, one after the other, were padded each as one."""
    if "=" not in text.rstrip("="):
        return text
    return b64encode(b"".join(map(b64decode, re.findall("[^=]+=*", text)))).decode()


def without_bytes(value: Any, levels: int = 3) -> Any:
    """Return a value of an SDK as JSON has it: bytes, which may be some levels down, are base64."""
    if type(value) is bytes:
        return b64encode(value).decode()
    if is_mapping(value) and levels:
        return {key: without_bytes(held, levels - 1) for key, held in value.items()}
    return [without_bytes(held, levels - 1) for held in value] if is_list(value) and levels else value


def with_cut_calls(message: Msg, family: str, read: Callable[[Any], ToolUseBlock | None]) -> Msg:
    """Return a message whose native blocks of calls with cut arguments are calls with these as ``raw_input``.

    Args:
        message: as it was read.
        family: whose native blocks these are.
        read: returns the call of a native value; None if it isn't one.
    """

    def change(block: Any) -> Any:
        is_own = isinstance(block, NativeBlock) and block.codec == family and is_mapping(block.value)
        return (read(block.value) if is_own else None) or block

    return natives.with_each(message, change)  # type: ignore[no-any-return]
