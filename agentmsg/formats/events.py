"""Streams of providers: their events are another spelling of the response.

A provider's ``Events`` fold events into the response that the same request gives without streaming, as plain data, and
unfold a response into the events that would have brought it. All else follows: the codec of the response reads what was
folded, exactly. A codec names the module of its ``EVENTS`` in ``Codec.events``.

| names | what they are |
| --- | --- |
| Events | what a provider's streams are: a subclass for each |
| Fold, Strings | collects events; the texts inside it that arrive in pieces |
| Writer, Thinking | writes chunks as events; what becomes of thinking that can't be sent back |
| events_of | the ``Events`` of a codec |
| pieces_of, arguments_of | a text in pieces; the value of arguments, or their text if they were cut |
| with_cut_calls | a message whose native calls with cut arguments are calls |
"""

from __future__ import annotations

from importlib import import_module
from operator import is_
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

from agentmsg.errors import AgentMsgError, CodecLookupError, DecodeError
from agentmsg.formats.shapes import Unreadable
from agentmsg.model.blocks import NativeBlock
from agentmsg.values.text import parse_arguments
from agentmsg.values.types import is_mapping, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agentmsg.formats.codec import Codec
    from agentmsg.formats.shapes import Native
    from agentmsg.model.msg import Msg
    from agentmsg.model.tool_use import ToolUseBlock
    from agentmsg.stream.chunk import MsgChunk

__all__ = [
    "Events",
    "Fold",
    "Strings",
    "Thinking",
    "Writer",
    "arguments_of",
    "events_of",
    "pieces_of",
    "with_cut_calls",
]

Thinking = Literal["show", "drop"]
"""What becomes of thinking that the reader of a stream can't send back: it is shown, or left out."""


class Strings:
    """Texts inside a document that arrive in pieces: adding one doesn't depend on those before.

    Attributes:
        latest: the pieces of the text that was added to last. More may be appended, as long as it is the same text.
    """

    def __init__(self) -> None:
        self.latest: list[str] = []
        # With the owner, so that its identity stays its own.
        self._pieces: dict[tuple[int, str], tuple[Native, str, list[str]]] = {}

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
    """

    def __init__(self) -> None:
        self.ended = False
        self.error: Any = None
        self.strings = Strings()
        self._count = 0

    def add(self, event: Any) -> None:
        """Take the next event.

        Raises:
            DecodeError: code "schema" if it doesn't fit its stream; its path is the number of the event.
        """
        place = self._count
        self._count += 1
        try:
            if not is_object(event):
                raise Unreadable
            self.take(event)
        except (Unreadable, LookupError, TypeError, AttributeError, ValueError) as error:
            if isinstance(error, AgentMsgError):
                raise
            msg = "this event doesn't fit its stream"
            raise DecodeError(msg, code="schema", path=(place,)) from None

    def document(self) -> Any:
        """Return the response as far as it has come; it changes when another event is added."""
        self.strings.settle()
        return self.made()

    def take(self, event: Native) -> None:
        """Take the next event. Whatever doesn't fit raises ``Unreadable``, or what plain Python raises of it."""
        raise NotImplementedError

    def made(self) -> Any:
        """Return the response, whose texts are in place."""
        raise NotImplementedError


class Writer(Protocol):
    """Writes chunks as events of a provider.

    Attributes:
        waits: whether a call that begins before another's arguments are whole waits for it, where the provider has one
            block after the other.
    """

    waits: bool

    def add(self, chunk: MsgChunk) -> list[Native]:
        """Return the events of the next chunk."""
        ...

    def end(self, document: Any) -> list[Native]:
        """Return the last events.

        Args:
            document: the response that the whole answer is converted to.
        """
        ...


class Events:
    """What a provider's stream is, as a subclass of each provider tells.

    Attributes:
        response: the codec of the responses.
        fold: what collects events.
        live: the module whose ``READER`` and ``WRITER`` read events as chunks, and write chunks as events.
        alternates: whether the pieces of several calls may alternate.
        brings_all: whether events bring whatever a response holds, exactly.
        are_responses: whether each event is a response, of which the stream has several.
    """

    response: ClassVar[str]
    fold: ClassVar[type[Fold]]
    live: ClassVar[str]
    alternates: ClassVar[bool] = False
    brings_all: ClassVar[bool] = True
    are_responses: ClassVar[bool] = False

    def is_event(self, document: Native) -> bool:
        """Whether an object is an event, and no other document of the provider."""
        raise NotImplementedError

    def unfold(self, document: Any, size: int) -> Iterator[Native]:
        """Yield the events that bring a response, with texts cut into pieces of a number of characters."""
        raise NotImplementedError

    def reader(self, codec: Codec) -> Callable[[Native], MsgChunk | None]:
        """Return what reads events as chunks, as they arrive; None for one that says nothing.

        Args:
            codec: that of the responses, with its options.
        """
        read: Callable[[Native], MsgChunk | None] = import_module(self.live).READER(codec)
        return read

    def writer(self, codec: Codec, thinking: Thinking) -> Writer:
        """Return what writes chunks as events.

        Args:
            codec: that of the responses, with its options.
            thinking: what becomes of thinking that the provider didn't sign.
        """
        written: Writer = import_module(self.live).WRITER(codec, thinking)
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
    found: Events = import_module(codec.events).EVENTS
    return found


def pieces_of(text: str, size: int) -> Iterator[str]:
    """Yield a text in pieces of a number of characters."""
    return (text[start : start + size] for start in range(0, len(text), size))


def arguments_of(text: str) -> Any:
    """Return the value of a call's arguments; the text if it isn't JSON, because it was cut."""
    is_json, value, _ = parse_arguments(text)
    return value if is_json else text


def with_cut_calls(message: Msg, family: str, read: Callable[[Any], ToolUseBlock | None]) -> Msg:
    """Return a message whose native blocks of calls with cut arguments are calls with these as ``raw_input``.

    Args:
        message: as it was read.
        family: whose native blocks these are.
        read: returns the call of a native value; None if it isn't one.
    """
    content = [
        (
            read(block.value)
            if isinstance(block, NativeBlock) and block.codec == family and is_mapping(block.value)
            else None
        )
        or block
        for block in message.content
    ]
    return message if all(map(is_, content, message.content)) else message.evolve(content=tuple(content))
