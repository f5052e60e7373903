"""Streams of providers, for users: collect, emit and transcode."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Generator, Iterable, Iterator
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

import attrs

from agentmsg.api.reading import decode
from agentmsg.api.writing import convert, refuse_losses
from agentmsg.checking.strays import failure
from agentmsg.errors import AgentMsgError, DecodeError, EncodeError, InvalidMessage, StreamBroken, refused
from agentmsg.fitting.account import account
from agentmsg.fitting.allowing import allowed
from agentmsg.fitting.fitted import make_fitted
from agentmsg.formats.events import MISFITS, events_of, misfit, no_form, unfolded
from agentmsg.formats.spelling import same_document
from agentmsg.limits import DEFAULT_LIMITS
from agentmsg.model.checks import one_of
from agentmsg.model.equality import same
from agentmsg.model.history import History, as_history
from agentmsg.registry import get_codec
from agentmsg.stream.accumulator import PARTIAL
from agentmsg.stream.frames import Frames, async_events, events_in, is_async
from agentmsg.stream.live import chunk_of

if TYPE_CHECKING:
    from collections.abc import Coroutine, MutableSequence

    from agentmsg.api.writing import Conversion
    from agentmsg.fitting.losses import Loss, Losses
    from agentmsg.formats.codec import Codec
    from agentmsg.formats.events import Events, Fold, Thinking
    from agentmsg.limits import Limits
    from agentmsg.model.allow import Allow
    from agentmsg.model.fields import Untold
    from agentmsg.model.msg import Msg
    from agentmsg_codecs import CodecName
    from agentmsg_codecs.options import CodecOptions, Collecting, Transcoding

Partial = Literal["error", "keep"]


@overload
def collect(events: Untold, codec: CodecName | Codec, **options: Unpack[Collecting]) -> Any: ...
@overload
def collect(
    events: AsyncIterable[Any], codec: CodecName | Codec, **options: Unpack[Collecting]
) -> Coroutine[Any, Any, History]: ...
@overload
def collect(
    events: Iterable[Any] | bytes | str, codec: CodecName | Codec, **options: Unpack[Collecting]
) -> History: ...
def collect(
    events: Any,
    codec: CodecName | Codec,
    *,
    partial: Partial = "error",
    limits: Limits = DEFAULT_LIMITS,
    **options: Unpack[CodecOptions],
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
    source = _Source(codec, limits, options)
    if is_async(events):
        return _collected_later(source, events, partial)
    for _ in source.now(events):
        pass
    return _collected(source, partial)


class _Source:
    """The events of a stream, folded as they come.

    Attributes:
        events: what the provider's streams are.
        codec: that of its responses.
        fold: what came.
        fault: the exception that cut the stream; None if none did.
    """

    def __init__(self, codec: CodecName | Codec, limits: Limits, options: CodecOptions) -> None:
        self.events = events_of(get_codec(codec))
        self.codec = get_codec(self.events.response, **options)
        self.fold = self.events.fold()
        self.fold.codec = self.codec.name
        self.fault: Exception | None = None
        self._frames, self._limits = Frames(limits), limits

    def now(self, pieces: Any) -> Iterator[Any]:
        """Yield each event, once it is folded, up to one that is an error, or to the cut."""
        fold = self.fold
        try:
            for event in events_in(pieces, self._frames, self.codec.own_form):
                fold.add(event)
                if fold.error is not None:
                    return
                yield event
        except Exception as error:  # noqa: BLE001 - whatever the connection raises
            self.fault = cut_by(error, self.codec)

    async def later(self, pieces: AsyncIterable[Any]) -> AsyncIterator[Any]:
        """Yield what ``now`` does, of pieces that arrive asynchronously."""
        fold = self.fold
        try:
            async for event in async_events(pieces, self._frames, self.codec.own_form):
                fold.add(event)
                if fold.error is not None:
                    return
                yield event
        except Exception as error:  # noqa: BLE001 - the same
            self.fault = cut_by(error, self.codec)

    @property
    def is_whole(self) -> bool:
        """Whether the stream has said its end."""
        return self.fold.error is None and self.fault is None and (self.fold.ended or self._frames.is_done)

    def history(self) -> History:
        """Return the answer; of a stream that broke, what came, marked as partial."""
        make = decoded if self.is_whole else _so_far
        return make(self.events, self.codec, self.fold, self._limits)

    def broken(self) -> StreamBroken:
        """Return the error for a stream that broke; its cause is ``fault``."""
        return _broken(self.history(), self.fold.error, self.codec.name)


def _collected(source: _Source, partial: Partial) -> History:
    if source.is_whole or partial == "keep":
        return source.history()
    raise source.broken() from source.fault


async def _collected_later(source: _Source, pieces: AsyncIterable[Any], partial: Partial) -> History:
    async for _ in source.later(pieces):
        pass
    return _collected(source, partial)


def cut_by(error: Exception, codec: Codec) -> Exception:
    """Return the exception that cut a stream; one that says what is wrong with it is raised."""
    if isinstance(error, AgentMsgError) and error.code != "cut":
        raise error.at(codec=codec.name) from None
    return error


def decoded(events: Events, codec: Codec, fold: Fold, limits: Limits) -> History:
    """Return what a response reads as that was folded."""
    history = decode(fold.document(), codec, limits=limits)
    messages = tuple(map(events.finished, history.messages))
    reason = events.reason(fold)
    if reason is not None:
        last = max((place for place, message in enumerate(messages) if message.role == "assistant"), default=0)
        ended = tuple(message.evolve(finish_reason=reason) for message in messages[last : last + 1])
        messages = (*messages[:last], *ended, *messages[last + 1 :])
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
    said = failure(error)
    msg = f"the provider ended the stream with an error{said and ': '}{said}"
    return StreamBroken(msg, code="failed", history=history, error=error, codec=codec)


def emit(
    message: Msg | History,
    codec: CodecName | Codec,
    *,
    size: int = 24,
    losses: MutableSequence[Loss] | None = None,
    on_loss: Literal["error", "ignore"] = "error",
    allow: Allow = (),
    **options: Unpack[CodecOptions],
) -> Iterator[dict[str, Any]]:
    """Return the events of the stream that would have brought a message: for mocks, replays and tests.

    Collecting them gives what the response reads as.

    Args:
        message: the answer; of a history, its first assistant message. A UI message stream brings all its steps.
        codec: the provider's format.
        size: how many characters a piece of a text has.
        losses: as for ``encode``, and what the stream can't bring.
        on_loss: as for ``encode``.
        allow: as for ``encode``.
        options: options of the codec of responses.

    Raises:
        LossError: as ``encode`` does.
        EncodeError: if there is no answer; while iterating, if its response has no form in a stream.
        CodecLookupError: as ``collect`` does.
        InvalidMessage: code "option" if the size isn't a whole number above 0.
    """
    if type(size) is not int or size < 1:
        raise refused("size", size, "a whole number, at least 1", code="option")
    one_of(on_loss, "on_loss", "error", "ignore")
    events = events_of(get_codec(codec))
    chosen = get_codec(events.response, **options)
    given = as_history(message)
    if events.brings_all:
        given = given.evolve(messages=tuple(map(_ended, given.messages)))
    converted = convert(given, to=chosen)
    answers = any(each.role == "assistant" for each in given.messages)
    lost = _unbrought(converted, events, chosen, size) if answers or not events.brings_all else converted.losses
    if losses is not None:
        losses.extend(lost)
    elif on_loss == "error":
        refuse_losses(lost, given, allowed(allow) | chosen.decided)
    if not answers:  # what is lost besides was told first
        raise EncodeError("a stream brings an answer, and there is none", code="required", codec=chosen.name)
    return unfolded(events, converted.document, size)


def _unbrought(converted: Conversion, events: Events, codec: Codec, size: int) -> Losses:
    """Return what of a history its response can't hold, or what the events of that don't bring.

    Raises:
        EncodeError: if they bring nothing that can be read.
    """
    fold, document = events.fold(), converted.document
    try:
        for event in unfolded(events, document, size):
            fold.add(event)
        back = decoded(events, codec, fold, DEFAULT_LIMITS)
    except DecodeError as error:
        raise no_form(events) from error
    if same_document(fold.document(), document) and same(back, decode(document, codec)):
        return converted.losses
    return account(make_fitted(converted.history, back, codec.name))


def _ended(message: Msg) -> Msg:
    """Return an answer that says why it ended, as every stream does."""
    if message.role != "assistant" or message.finish_reason is not None:
        return message
    return message.evolve(finish_reason="tool_use" if message.tool_calls else "stop")


class _Transcoding:
    """What transcodes the events of a stream, and how its whole answer was converted."""

    def __init__(
        self, source: CodecName | Codec, target: CodecName | Codec, thinking: Thinking, limits: Limits
    ) -> None:
        one_of(thinking, "thinking", "show", "drop")
        self._source, target_events = _Source(source, limits, {}), events_of(get_codec(target))
        self._to, self._limits = get_codec(target_events.response), limits
        self._read, self._fold = self._source.events.reader(self._source.codec, whole=False), self._source.fold
        self._writer = target_events.writer(self._to, thinking)
        self._writer.told_ends = self._source.events.tells_ends
        self._is_same = target_events is self._source.events and thinking == "show"
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

    def _take(self, event: Any) -> Iterable[dict[str, Any]]:
        if self._is_same:
            return (event,)
        try:
            more = self._fold.more
            found = more if more is not None else self._read(event)
            if isinstance(found, tuple):
                events = self._writer.add_more(*found)
                if events is not None:
                    return events
                found = chunk_of(found)
        except MISFITS as error:
            raise misfit(error, self._fold.count - 1, self._source.codec.name) from None
        out = [] if found is None else self._writer.add(found)
        over, self._read.over = self._read.over, ()
        return out + self._writer.over(over) if over else out

    def _end(self) -> list[dict[str, Any]]:
        source = self._source
        if not source.is_whole:
            raise source.broken() from source.fault
        converted = convert(source.history(), to=self._to)
        if self._is_same:
            converted = attrs.evolve(converted, losses=converted.losses.lost)  # its client had it already
        reasons = (message.finish_reason for message in converted.history.messages if message.role == "assistant")
        reason = next(reasons, None) or source.events.reason(source.fold)
        last = [] if self._is_same else self._writer.end(converted.document, reason)
        self._converted = converted
        return last


class Transcoded(_Transcoding, Iterator[dict[str, Any]]):
    """The events of a stream in another provider's form, as they arrive; see ``transcode``.

    An event in gives its events out before the next is read.
    """

    def __init__(self, pieces: Any, *given: Any) -> None:
        super().__init__(*given)
        self._pieces, self._events = pieces, self._stream(pieces)

    def close(self) -> None:
        """End early, and close the source if it can be closed."""
        self._events.close()
        close = getattr(self._pieces, "close", None)
        if close is not None:
            close()

    def __iter__(self) -> Iterator[dict[str, Any]]:  # noqa: PYI034 - saves a call for each event
        """Return what makes the events: a loop takes them from there."""
        return self._events

    def __next__(self) -> dict[str, Any]:
        """Return the next event of the target."""
        return next(self._events)

    def _stream(self, pieces: Any) -> Generator[dict[str, Any]]:
        fold, add_more, is_same = self._fold, self._writer.add_more, self._is_same
        for event in self._source.now(pieces):
            # Nearly all events go this way, without a further call.
            more = fold.more
            made = None if is_same or more is None else add_more(*more)
            yield from self._take(event) if made is None else made
        yield from self._end()


class AsyncTranscoded(_Transcoding, AsyncIterator[dict[str, Any]]):
    """``Transcoded`` for events that arrive asynchronously: iterate with ``async for``."""

    def __init__(self, pieces: AsyncIterable[Any], *given: Any) -> None:
        super().__init__(*given)
        self._pieces, self._events = pieces, self._stream(pieces)

    async def aclose(self) -> None:
        """End early, and close the source if it can be closed."""
        await self._events.aclose()
        close = getattr(self._pieces, "aclose", None) or getattr(self._pieces, "close", None)
        closing = close() if close is not None else None
        if isawaitable(closing):
            await closing

    def __aiter__(self) -> AsyncIterator[dict[str, Any]]:  # noqa: PYI034 - saves a call for each event
        """Return what makes the events: a loop takes them from there."""
        return self._events

    async def __anext__(self) -> dict[str, Any]:
        """Return the next event of the target."""
        return await anext(self._events)

    async def _stream(self, pieces: AsyncIterable[Any]) -> AsyncGenerator[dict[str, Any]]:
        async for event in self._source.later(pieces):
            for made in self._take(event):
                yield made
        for made in self._end():
            yield made


@overload
def transcode(
    events: Untold, source: CodecName | Codec, target: CodecName | Codec, **options: Unpack[Transcoding]
) -> Any: ...
@overload
def transcode(
    events: Iterable[Any] | bytes | str,
    source: CodecName | Codec,
    target: CodecName | Codec,
    **options: Unpack[Transcoding],
) -> Transcoded: ...
@overload
def transcode(
    events: AsyncIterable[Any], source: CodecName | Codec, target: CodecName | Codec, **options: Unpack[Transcoding]
) -> AsyncTranscoded: ...
def transcode(
    events: Any,
    source: CodecName | Codec,
    target: CodecName | Codec,
    *,
    thinking: Thinking = "show",
    limits: Limits = DEFAULT_LIMITS,
) -> Transcoded | AsyncTranscoded:
    """Return the events of another provider, as those of a stream come in; those of the same as they are.

    Args:
        events: as for ``collect``. An async iterable gives an async iterator.
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
    transcoding = AsyncTranscoded if is_async(events) else Transcoded
    return transcoding(events, source, target, thinking, limits)
