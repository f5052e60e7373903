"""The laws of streams, for codecs with events. Like ``laws``, they raise AssertionError, and know no codec by name.

| law | of |
| --- | --- |
| stream_return | a response: its events bring it |
| emit_return | any response, damaged ones too: what ``emit`` makes and its losses bring it, or one typed error |
| live_sum | events: their chunks add up to what they are collected as |
| cut_anywhere | events: bytes may be cut anywhere; a beginning of the events has the beginning of the text |
| transcoded | events: those of another provider bring what converting the response gives, with the same losses |
| any_events | events in any order, damaged ones too: a message, or one typed error |
"""

from __future__ import annotations

from contextlib import suppress
from itertools import groupby
from typing import TYPE_CHECKING, Any

from agentmsg.api.reading import decode
from agentmsg.api.streams import collect, emit, transcode
from agentmsg.api.writing import encode
from agentmsg.errors import CODES, AgentMsgError
from agentmsg.fitting.losses import Loss
from agentmsg.fitting.restore import restore
from agentmsg.formats.events import events_of
from agentmsg.formats.spelling import same_document
from agentmsg.model.blocks import RefusalBlock, TextBlock, ThinkingBlock
from agentmsg.model.equality import same
from agentmsg.model.history import History
from agentmsg.model.msg import Msg
from agentmsg.model.tool_arguments import is_broken
from agentmsg.model.tool_use import ToolUseBlock
from agentmsg.registry import codec_names, get_codec
from agentmsg.stream.accumulator import PARTIAL, Accumulator
from agentmsg.stream.frames import events as framed
from agentmsg.stream.frames import sse
from agentmsg.stream.live import ChunkReader
from agentmsg.testing.telling import document_differs, history_differs
from agentmsg.values.frozen import plain_copy, thaw

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Sequence

    from agentmsg.formats.codec import Codec
    from agentmsg.formats.events import Thinking
    from agentmsg_codecs import CodecName

# Dictionaries, whose keys come in the order of the events.
_BY_KEY = ("extras", "response_metadata")
_CUTS, _BEGINNINGS = 12, 9


def streaming_codecs() -> list[Codec]:
    """Return one codec of each provider with streams: the first by name."""
    found = (codec for codec in map(get_codec, codec_names()) if codec.events is not None)
    return list({codec.events: codec for codec in reversed(list(found))}.values())


def folded(events: Iterable[Any], codec: CodecName | Codec) -> Any:
    """Return the response that events bring, as plain data of its own."""
    fold = events_of(get_codec(codec)).fold()
    for event in events:
        fold.add(event)
    return plain_copy(thaw(fold.document()), 250)


def read_live(events: Iterable[Any], codec: CodecName | Codec) -> Msg:
    """Return the sum of the chunks of events."""
    reader, message = ChunkReader(codec), Accumulator()
    for chunk in filter(None, map(reader, events)):
        message.add(chunk)
    return message.to_msg()


def emitted(codec: Codec, message: Msg, *, size: int = 5) -> list[Any] | None:
    """Return the events of a message, as an assistant's; None if they have no form in a stream, or no answer."""
    with suppress(AgentMsgError):
        events = list(emit(message.evolve(role="assistant"), codec, size=size, losses=[]))
        return events if _answer(codec, events) is not None else None
    return None


def _answer(codec: Codec, events: Iterable[Any]) -> Msg | None:
    """Return the first message of an assistant that events bring, whole or not."""
    found = collect(events, codec, partial="keep")
    return next((message for message in found.messages if message.role == "assistant"), None)


def stream_return(codec: Codec, document: Any, *, size: int = 5) -> list[Any] | None:
    """Fold what was unfolded: it is the same response; if not all of one is brought, what is brought is.

    Returns:
        The events, or None if the document was refused (by the one typed error).
    """
    events = events_of(codec)
    response: Any = events.response
    try:
        decode(document, response)
    except AgentMsgError:
        return None
    unfolded = list(events.unfold(document, size))
    found = folded(unfolded, codec)
    if not events.brings_all:
        document, found = found, folded(events.unfold(found, size + 1), codec)
    assert same_document(found, document), f"the events bring another response: {document_differs(document, found)}"
    return unfolded


def emit_return(codec: Codec, document: Any) -> None:
    """What a response is emitted as gives with the losses what it reads as; why it ended, a stream always says."""
    events, losses = events_of(codec), list[Loss]()
    try:
        given = decode(document, events.response)
        stream = list(emit(given, codec, size=7, losses=losses))
    except AgentMsgError:
        return
    back = restore(collect(stream, codec), losses)
    wanted, got = (_endless(each) if events.brings_all else each for each in (given, back))
    assert same(wanted, got), f"the events bring another answer: {history_differs(wanted, got)}"


def _endless(history: History) -> History:
    return history.evolve(messages=tuple(each.evolve(finish_reason=None) for each in history.messages))


def live_sum(codec: Codec, events: Sequence[Any]) -> None:
    """What chunks add up to is what the events are collected as.

    Ids of items and hints for caches may differ, if only one of them has any; so may arguments that are no object: a
    codec writes them inside one, and pieces of JSON can't tell.
    """
    whole, found = _answer(codec, events) or Msg("assistant", ()), read_live(events, codec)
    wanted, got = _bare(whole, found), _bare(found, whole)
    assert same(wanted, got), f"chunks add up to another message: {history_differs(History([wanted]), History([got]))}"
    for name in _BY_KEY:
        assert getattr(whole, name) == getattr(found, name), f"chunks add up to other {name}"


def _bare(message: Msg, other: Msg) -> Msg:
    """Return a message but for what may differ in another."""
    beside = [*other.content, *[None] * len(message.content)]
    content = [_bare_block(block, also) for block, also in zip(message.content, beside, strict=False)]
    metadata = {key: value for key, value in message.metadata.items() if key != PARTIAL}
    return message.evolve(content=tuple(content), metadata=metadata, extras={}, response_metadata={})


def _bare_block(block: Any, also: Any) -> Any:
    changes: dict[str, Any] = {"cache": None}
    if not getattr(also, "item_id", None):
        changes["item_id"] = None
    if type(block) is type(also) is ToolUseBlock and (is_broken(block) or is_broken(also)):
        changes |= {"input": {}, "raw_input": None}
    return block.evolve(**changes)


def cut_anywhere(codec: Codec, events: Sequence[Any], rng: random.Random) -> None:
    """Any partition of the bytes gives the same events; a beginning of the events has the beginning of the text."""
    raw = b"".join(sse(events))
    cuts = sorted(rng.randrange(len(raw) + 1) for _ in range(_CUTS))
    pieces = [raw[start:end] for start, end in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    assert list(framed(pieces)) == list(events), "pieces of the bytes give other events"
    whole = before = _text(codec, events)
    for count in range(len(events), 0, -max(1, len(events) // _BEGINNINGS)):
        text = _text(codec, events[:count])
        assert before.startswith(text), f"a beginning of the stream says other than the whole: {text!r} of {whole!r}"
        before = text


def _text(codec: Codec, events: Iterable[Any]) -> str:
    return "".join(message.text for message in collect(events, codec, partial="keep"))


def transcoded(
    codec: Codec, events: Sequence[Any], target: Codec, *, thinking: Thinking = "show"
) -> tuple[Msg | None, Msg | None]:
    """Another provider's events bring what converting the response gives, but for thinking; the losses are the same.

    Returns:
        What they bring, and what converting gives; None for no answer.
    """
    history, losses = collect(events, codec), list[Any]()
    response: Any = events_of(target).response
    write: Any = encode
    document = write(history, response, losses=losses, on_loss="ignore")
    stream = transcode(events, codec, target, thinking=thinking)
    found = _answer(target, list(stream))
    wanted = next((message for message in decode(document, response).messages if message.role == "assistant"), None)
    if wanted is not None:
        assert found is not None, "the events bring no answer"
        was, now = _core(wanted), _core(found)
        assert was == now, f"the events bring {now}, and converting gives {was}"
        assert same(found.usage, wanted.usage), f"the events bring {found.usage}, and converting gives {wanted.usage}"
    told: list[Loss] = list(stream.losses)
    assert told == losses, f"the losses are {told}, and those of converting {losses}"
    return found, wanted


def _core(message: Msg) -> list[Any]:
    """Return what a message says but for thinking; how texts are parted, and when one refuses, is a stream's affair."""
    content = sorted(message.content, key=lambda block: type(block) is RefusalBlock)
    said: Iterable[Any] = (_said(block) for block in content if type(block) is not ThinkingBlock)
    runs = [list(run) for _, run in groupby(said, lambda each: type(each) is str)]
    found = [each for run in runs for each in (["".join(run)] if type(run[0]) is str else run)]
    return [each for each in found if each]


def _said(block: Any) -> Any:
    if type(block) is TextBlock:
        return block.text
    if type(block) is not ToolUseBlock:
        return (type(block).__name__,)
    # What is no object is written inside one, which pieces can't tell.
    return (block.name, None if is_broken(block) else thaw(block.input))


def any_events(codec: Codec, events: Sequence[Any], target: Codec) -> None:
    """Whatever the events are, and in what order: a message, or one AgentMsgError that says of which codec."""
    names = (codec.name, events_of(codec).response, target.name, events_of(target).response)
    for work in (
        lambda: collect(events, codec, partial="keep"),
        lambda: collect(events, codec),
        lambda: read_live(events, codec),
        lambda: list(transcode(events, codec, target)),
    ):
        try:
            work()
        except AgentMsgError as raised:
            error = raised
        else:
            continue
        assert error.code in CODES, f"an error of an odd code: {error!r}"
        assert error.codec in (None, *names), f"an error of another codec: {error!r}"


def disordered(events: Sequence[Any], rng: random.Random) -> list[Any]:
    """Return events of which some are left out, some come again, and some have changed their places."""
    found = [event for event in events for _ in range(rng.choice((0, 1, 1, 1, 1, 2)))]
    for _ in range(rng.randrange(4)):
        at, to = rng.randrange(len(found) + 1), rng.randrange(len(found) + 1)
        found[to:to] = found[at : at + rng.randrange(3)]
    return found[: rng.randrange(len(found) + 1)] if rng.random() < 0.3 else found  # noqa: PLR2004 - some are cut
