"""Streams of providers, for users: collect, emit and transcode."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, overload

from agentmsg.api.reading import decode
from agentmsg.api.writing import convert, encode
from agentmsg.errors import AgentMsgError, InvalidMessage, StreamBroken, refused
from agentmsg.formats.events import events_of
from agentmsg.limits import DEFAULT_LIMITS
from agentmsg.model.checks import one_of
from agentmsg.model.history import History
from agentmsg.registry import get_codec
from agentmsg.stream.accumulator import PARTIAL
from agentmsg.stream.frames import Frames, async_events, events_in
from agentmsg.stream.live import ChunkReader

if TYPE_CHECKING:
    from collections.abc import Coroutine, MutableSequence

    from agentmsg.api.writing import Conversion
    from agentmsg.fitting.losses import Loss, Losses
    from agentmsg.formats.codec import Codec
    from agentmsg.formats.events import Events, Fold, Thinking
    from agentmsg.limits import Limits
    from agentmsg.model.msg import Msg
    from agentmsg_codecs import CodecName

__all__ = ["Transcoded", "collect", "emit", "transcode"]

Partial = Literal["error", "keep"]


@overload
def collect(
    events: AsyncIterable[Any],
    codec: CodecName | Codec,
    *,
    partial: Partial = "error",
    limits: Limits = DEFAULT_LIMITS,
    **options: Any,
) -> Coroutine[Any, Any, History]: ...
@overload
def collect(
    events: Iterable[Any] | bytes | str,
    codec: CodecName | Codec,
    *,
    partial: Partial = "error",
    limits: Limits = DEFAULT_LIMITS,
    **options: Any,
) -> History: ...
def collect(
    events: Any,
    codec: CodecName | Codec,
    *,
    partial: Partial = "error",
    limits: Limits = DEFAULT_LIMITS,
    **options: Any,
) -> Any:
    """Return the answer that a stream brings: the same that the provider's response without streaming reads as.

    Args:
        events: plain data or objects of an SDK; or bytes or texts as the server sends them (server-sent events, NDJSON,
            a JSON array), cut anywhere, or lines of them. An async iterable gives a coroutine.
        codec: the provider's format: that of its requests or of its responses.
        partial: of a stream that is cut, or that the provider ends with an error, "keep" returns what came.
            ``metadata["partial"]`` of the message is then True, and ``metadata["error"]`` is what the provider said.
        limits: bounds on what is read.
        options: options of the codec of responses.

    Raises:
        StreamBroken: code "cut" or "failed", with what came. An exception of the iterator is its cause.
        DecodeError: if it isn't such a stream.
        CodecLookupError: if there is no such codec or option; code "option" if the format has no streams.
    """
    one_of(partial, "partial", "error", "keep")
    collecting = _Collecting(codec, partial, limits, options)
    if _is_async(events):
        return collecting.later(events)
    return collecting.now(events)


def _is_async(events: Any) -> bool:
    kind = events.__class__
    return hasattr(kind, "__aiter__") and not hasattr(kind, "__iter__")


class _Collecting:
    def __init__(self, codec: CodecName | Codec, partial: Partial, limits: Limits, options: dict[str, Any]) -> None:
        self._events = events_of(get_codec(codec))
        self._codec = get_codec(self._events.response, **options)
        self._partial = partial
        self._frames = Frames(limits)
        self._limits = limits
        self._fold = self._events.fold()

    def now(self, pieces: Any) -> History:
        fault: Exception | None = None
        iterator = events_in(pieces, self._frames, self._codec.own_form)
        while self._fold.error is None:
            try:
                event = next(iterator)
            except StopIteration:
                break
            except Exception as error:  # noqa: BLE001 - whatever the connection raises
                fault = cut_by(error, self._codec)
                break
            self._add(event)
        return self._collected(fault)

    async def later(self, pieces: AsyncIterable[Any]) -> History:
        fault: Exception | None = None
        iterator = async_events(pieces, self._frames, self._codec.own_form)
        while self._fold.error is None:
            try:
                event = await anext(iterator)
            except StopAsyncIteration:
                break
            except Exception as error:  # noqa: BLE001 - the same
                fault = cut_by(error, self._codec)
                break
            self._add(event)
        return self._collected(fault)

    def _add(self, event: Any) -> None:
        try:
            self._fold.add(event)
        except AgentMsgError as error:
            raise error.at(codec=self._codec.name) from None

    def _collected(self, fault: Exception | None) -> History:
        fold = self._fold
        is_whole = fold.error is None and fault is None and (fold.ended or self._frames.is_done)
        if is_whole:
            return decoded(self._events, self._codec, fold, self._limits)
        history = _so_far(self._events, self._codec, fold, self._limits)
        if self._partial == "keep":
            return history
        raise _broken(history, fold.error, self._codec.name) from fault


def cut_by(error: Exception, codec: Codec) -> Exception:
    """Return the exception that cut a stream; one that says what is wrong with it is raised."""
    if isinstance(error, AgentMsgError) and error.code != "cut":
        raise error.at(codec=codec.name) from None
    return error


def decoded(events: Events, codec: Codec, fold: Fold, limits: Limits) -> History:
    """Return what a response reads as that was folded."""
    history = decode(fold.document(), codec, limits=limits)
    messages = tuple(map(events.finished, history.messages))
    return history if messages == history.messages else history.evolve(messages=messages)


def _so_far(events: Events, codec: Codec, fold: Fold, limits: Limits) -> History:
    """Return what came of a stream that broke, marked as partial; nothing if that can't be read."""
    try:
        history = decoded(events, codec, fold, limits)
    except AgentMsgError:
        return History()
    error = fold.error
    if not history.messages:
        return history
    *before, last = history.messages
    told = {} if error is None else {"error": error}
    return history.evolve(messages=(*before, last.evolve(metadata={**last.metadata, PARTIAL: True, **told})))


def _broken(history: History, error: Any, codec: str) -> StreamBroken:
    if error is None:
        return StreamBroken("the stream ended before the message did", code="cut", history=history, codec=codec)
    return StreamBroken(
        "the provider ended the stream with an error", code="failed", history=history, error=error, codec=codec
    )


def emit(
    message: Msg | History,
    codec: CodecName | Codec,
    *,
    size: int = 24,
    losses: MutableSequence[Loss] | None = None,
    on_loss: Literal["error", "ignore"] = "error",
    **options: Any,
) -> Iterator[dict[str, Any]]:
    """Return the events of the stream that would have brought a message: for mocks, replays and tests.

    Collecting them gives what the response reads as.

    Args:
        message: the answer; of a history, its first assistant message.
        codec: the provider's format.
        size: how many characters a piece of a text has.
        losses: as for ``encode``.
        on_loss: as for ``encode``.
        options: options of the codec of responses.

    Raises:
        LossError: as ``encode`` does.
        CodecLookupError: as ``collect`` does.
        InvalidMessage: code "option" if the size isn't a whole number above 0.
    """
    if type(size) is not int or size < 1:
        raise refused("size", size, "a whole number, at least 1", code="option")
    events = events_of(get_codec(codec))
    message = _ended(message)
    response: Any = events.response
    document = encode(message, response, losses=losses, on_loss=on_loss, **options)
    return events.unfold(document, size)


def _ended(message: Msg | History) -> Msg | History:
    """Return an answer that says why it ended, as every stream does."""
    if isinstance(message, History):
        return message.evolve(messages=tuple(map(_ended, message.messages)))
    if message.role != "assistant" or message.finish_reason is not None:
        return message
    return message.evolve(finish_reason="tool_use" if message.tool_calls else "stop")


class Transcoded(Iterator[dict[str, Any]], AsyncIterator[dict[str, Any]]):
    """The events of a stream in another provider's form, as they arrive; see ``transcode``.

    Iterate with ``for``, or with ``async for`` if the source is asynchronous. An event in gives its events out before
    the next is read.
    """

    def __init__(
        self, events: Any, source: CodecName | Codec, target: CodecName | Codec, thinking: Thinking, limits: Limits
    ) -> None:
        one_of(thinking, "thinking", "show", "drop")
        self._source, self._target = events_of(get_codec(source)), events_of(get_codec(target))
        self._from, self._to = get_codec(self._source.response), get_codec(self._target.response)
        self._read = ChunkReader(self._from)
        self._writer = self._target.writer(self._to, thinking)
        self._writer.waits = self._source.alternates
        self._fold, self._frames, self._limits = self._source.fold(), Frames(limits), limits
        is_async = _is_async(events)
        self._now = None if is_async else self._stream(events)
        self._later = self._async_stream(events) if is_async else None
        self._converted: Conversion | None = None

    @property
    def converted(self) -> Conversion:
        """The conversion of the whole response; once the stream is over.

        Raises:
            InvalidMessage: code "required" before that.
        """
        if self._converted is None:
            msg = "the losses are known after the last event"
            raise InvalidMessage(msg, code="required")
        return self._converted

    @property
    def losses(self) -> Losses:
        """What the target can't hold of the whole answer: the loss report of ``converted``."""
        return self.converted.losses

    def __iter__(self) -> Transcoded:
        """Return this iterator."""
        return self

    def __aiter__(self) -> Transcoded:
        """Return this iterator."""
        return self

    def __next__(self) -> dict[str, Any]:
        """Return the next event of the target."""
        if self._now is None:
            raise StopIteration
        return next(self._now)

    async def __anext__(self) -> dict[str, Any]:
        """Return the next event of the target."""
        if self._later is None:
            raise StopAsyncIteration
        return await anext(self._later)

    def _stream(self, pieces: Any) -> Iterator[dict[str, Any]]:
        fault: Exception | None = None
        iterator = events_in(pieces, self._frames, self._from.own_form)
        while self._fold.error is None:
            try:
                event = next(iterator)
            except StopIteration:
                break
            except Exception as error:  # noqa: BLE001 - whatever the connection raises
                fault = cut_by(error, self._from)
                break
            yield from self._take(event)
        yield from self._end(fault)

    async def _async_stream(self, pieces: AsyncIterable[Any]) -> AsyncIterator[dict[str, Any]]:
        fault: Exception | None = None
        iterator = async_events(pieces, self._frames, self._from.own_form)
        while self._fold.error is None:
            try:
                event = await anext(iterator)
            except StopAsyncIteration:
                break
            except Exception as error:  # noqa: BLE001 - the same
                fault = cut_by(error, self._from)
                break
            for made in self._take(event):
                yield made
        for made in self._end(fault):
            yield made

    def _take(self, event: Any) -> list[dict[str, Any]]:
        self._fold.add(event)
        chunk = self._read(event) if self._fold.error is None else None
        return [] if chunk is None else self._writer.add(chunk)

    def _end(self, fault: Exception | None) -> list[dict[str, Any]]:
        fold = self._fold
        if fold.error is not None or fault is not None or not (fold.ended or self._frames.is_done):
            history = _so_far(self._source, self._from, fold, self._limits)
            raise _broken(history, fold.error, self._from.name) from fault
        converted = convert(fold.document(), self._from, self._to, limits=self._limits)
        last = self._writer.end(converted.document)
        self._converted = converted
        return last


def transcode(
    events: AsyncIterable[Any] | Iterable[Any] | bytes | str,
    source: CodecName | Codec,
    target: CodecName | Codec,
    *,
    thinking: Thinking = "show",
    limits: Limits = DEFAULT_LIMITS,
) -> Transcoded:
    """Return the events of another provider, as those of a stream come in.

    Args:
        events: as for ``collect``.
        source: the format of the provider that answers.
        target: that of the client.
        thinking: what becomes of thinking that the target's provider didn't sign: "show" it, though the client can't
            send it back as its own, or "drop" it.
        limits: bounds on what is read.

    Raises:
        StreamBroken: while iterating, code "cut" or "failed", after all that came. Its history has what came.
        DecodeError: while iterating, if it isn't such a stream.
        CodecLookupError: if there is no such codec; code "option" if a format has no streams.
    """
    return Transcoded(events, source, target, thinking, limits)
