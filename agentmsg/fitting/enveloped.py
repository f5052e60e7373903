"""Fit for formats that keep answers in envelopes: what is inside is fitted, and taken out again."""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING

from agentmsg.fitting.fitted import Fitted, make_fitted, make_known
from agentmsg.fitting.whole_history import with_fields
from agentmsg.formats.capabilities import Drop
from agentmsg.formats.envelopes import UNFIT, as_written
from agentmsg.formats.reasons import Reasons
from agentmsg.model.blocks import NativeBlock, ThinkingBlock
from agentmsg.model.equality import same

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg.formats.codec import Codec
    from agentmsg.formats.envelopes import Envelope
    from agentmsg.model.history import History
    from agentmsg.model.msg import Msg


_LONE = (NativeBlock, ThinkingBlock)


def fit_inside(history: History, codec: Codec, envelope: Envelope, fit: Callable[[History, Codec], Fitted]) -> Fitted:
    """Return the nearest history that a codec supports in its envelope.

    Args:
        history: any history.
        codec: the codec.
        envelope: its envelope.
        fit: fits what is inside.
    """
    places = envelope.places(history)
    if not places:
        return fit(history, codec)
    new = envelope.each(history, envelope.renewed)
    if new is not history:
        output = fit_inside(new, codec, envelope, fit).history
        return make_fitted(history, output, codec.name, codec.caps.derives_names)
    inside = envelope.wrapped(history)
    fitted = fit(inside, codec)
    if fitted.history is inside and all(inside.messages[at] is not history.messages[at] for at in places):
        return make_fitted(history, history, codec.name, codec.caps.derives_names)  # proved when it was wrapped
    reasons = Reasons()
    bare = _without_dropped(history, inside, fitted, reasons)
    if bare is not history:
        found = fit_inside(bare, codec, envelope, fit)
        if found.known.reasons is not None:
            reasons.extend(found.known.reasons)
        known = make_known(reasons, None, found.known.in_place)
        return make_fitted(history, found.history, codec.name, codec.caps.derives_names, known)
    messages = _taken_out(history, inside, fitted, envelope)
    plain = {id(new) for old, new in zip(history.messages, inside.messages, strict=True) if new is old}
    messages = envelope.agreeing(_wrapped_anew(fitted, messages, plain, codec, fit), fitted.history)
    left = _left_inside(history, inside, fitted, messages)
    if left:
        pairs = zip(history.messages, inside.messages, strict=True)
        inside = with_fields(inside, messages=tuple(old if id(new) in left else new for old, new in pairs))
        fitted = fit(inside, codec)
        messages = envelope.agreeing(_taken_out(history, inside, fitted, envelope), fitted.history)
    if inside is history and all(map(is_, messages, fitted.history.messages)):
        return fitted
    if fitted.history is inside and all(map(is_, messages, history.messages)):
        return make_fitted(history, history, codec.name, codec.caps.derives_names)
    known = make_known(_reasons(history, inside, fitted, messages), None, fitted.known.in_place)
    output = with_fields(fitted.history, messages=tuple(messages))
    return make_fitted(history, output, codec.name, codec.caps.derives_names, known)


def _without_dropped(history: History, inside: History, fitted: Fitted, reasons: Reasons) -> History:
    """Return a history without the blocks that are dropped of messages that weren't wrapped; they may be why.

    These are blocks to which nothing else refers.
    """
    said = fitted.known.reasons
    if said is None:
        return history
    messages = list(history.messages)
    for index, (message, wrapped) in enumerate(zip(messages, inside.messages, strict=True)):
        lone = [block for block in message.content if type(block) in _LONE]
        dropped = [(block, why) for block in lone if isinstance(why := said.of(block), Drop)]
        if message is wrapped and 0 < len(dropped) < len(message.content):
            gone = {id(block) for block, _ in dropped}
            messages[index] = message.with_content([block for block in message.content if id(block) not in gone])
            reasons.became(message, messages[index])
            for block, why in dropped:
                reasons.because(block, why)
    is_same = all(map(is_, messages, history.messages))
    return history if is_same else with_fields(history, messages=tuple(messages))


def _taken_out(history: History, inside: History, fitted: Fitted, envelope: Envelope) -> list[Msg]:
    """Return what a reader takes out of the messages that were fitted."""
    sources = {id(wrapped): message for message, wrapped in zip(history.messages, inside.messages, strict=True)}

    def out(message: Msg) -> Msg:
        source = sources.get(id(message))
        if source is not None and source is not message:
            return source  # proved when it was wrapped
        found = envelope.reopened(as_written(message)) if envelope.concerns(message) else message
        return source if source is not None and same(found, source) else found

    return [out(message) for message in fitted.history.messages]


def _wrapped_anew(
    fitted: Fitted, messages: list[Msg], plain: set[int], codec: Codec, fit: Callable[[History, Codec], Fitted]
) -> list[Msg]:
    """Return messages, of which those that were left inside are taken out, if they fit when they are wrapped again.

    What fitting made of a block may be in no client's form, so that taking it out and wrapping it again changes it.
    So are those that couldn't be wrapped (``plain``, by identity), for what fitting left of them.
    """
    reasons, envelope = fitted.known.reasons, codec.envelope
    if reasons is None or envelope is None:
        return messages
    bare = [
        old if id(reasons.source(old)) in plain else _bare(old, envelope) if new.content is old.content else new
        for old, new in zip(fitted.history.messages, messages, strict=True)
    ]
    if all(map(is_, bare, messages)):
        return messages
    inside = envelope.wrapped(with_fields(fitted.history, messages=tuple(bare)))
    again = fit(inside, codec).history.messages
    if len(again) != len(bare):
        return messages
    return [
        new if new is not wrapped and wrapped is fits else old
        for old, new, wrapped, fits in zip(messages, bare, inside.messages, again, strict=True)
    ]


def _bare(message: Msg, envelope: Envelope) -> Msg:
    try:
        return envelope.unwrap(message) if envelope.concerns(message) else message
    except UNFIT:
        return message


def _left_inside(history: History, inside: History, fitted: Fitted, messages: list[Msg]) -> set[int]:
    """Return which messages of an envelope can't be taken out again, by their identity: fitting changed too much."""
    pairs = zip(history.messages, inside.messages, strict=True)
    changed = {id(new) for old, new in pairs if new.content is not old.content}
    reasons = fitted.known.reasons
    if not changed or reasons is None:
        return set()
    return {
        id(reasons.source(old))
        for old, new in zip(fitted.history.messages, messages, strict=True)
        if new.content is old.content and reasons.source(old) is not old
    } & changed


def _reasons(history: History, inside: History, fitted: Fitted, messages: list[Msg]) -> Reasons:
    """Return what was said while a history was wrapped, fitted and taken out."""
    reasons = Reasons()
    _tell(history.messages, inside.messages, reasons)
    if fitted.known.reasons is not None:
        reasons.extend(fitted.known.reasons)
    pairs = list(zip(fitted.history.messages, messages, strict=True))
    changed = [(old, new) for old, new in pairs if reasons.source(old) is not new]
    _tell([old for old, _ in changed], [new for _, new in changed], reasons)
    return reasons


def _tell(olds: list[Msg] | tuple[Msg, ...], news: list[Msg] | tuple[Msg, ...], reasons: Reasons) -> None:
    for old, new in zip(olds, news, strict=True):
        reasons.became(old, new)
        if len(old.content) == len(new.content):
            reasons.all_became(old.content, new.content)
