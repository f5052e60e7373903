"""The calls users make to write: dumps, encode, convert, restore; see ``reading`` for loads and decode.

Each is short: find the codec, read (or fit and write), and add the codec's name to errors.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableSequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, NamedTuple, TypeVar, Unpack, overload

import attrs

from agentmsg.api.reading import Unknown, decode, decoded, loads
from agentmsg.errors import AgentMsgError, CodecLookupError, InvalidMessage, LossError, is_a
from agentmsg.errors import refused as refused_value
from agentmsg.fitting.account import account, loses_content
from agentmsg.fitting.allowing import allowed, refusal
from agentmsg.fitting.carry import carried
from agentmsg.fitting.edited import over, with_asked
from agentmsg.fitting.fit import fit
from agentmsg.fitting.losses import Loss, Losses
from agentmsg.formats.codec import Codec
from agentmsg.formats.refusals import is_raw, named
from agentmsg.limits import DEFAULT_LIMITS, Limits
from agentmsg.model.checks import clean_repr, flag, one_of
from agentmsg.model.construction import maker, paused
from agentmsg.model.history import History, Messages, as_history
from agentmsg.model.msg import Msg
from agentmsg.model.pickling import above, repr_html
from agentmsg.registry import get_codec
from agentmsg.values.copies import thawed
from agentmsg.values.frozen import EMPTY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmsg.fitting.fitted import Fitted
    from agentmsg.model.allow import Allow
    from agentmsg.model.fields import Untold
    from agentmsg.values.text import Duplicates
    from agentmsg_codecs import CodecName
    from agentmsg_codecs.options import (
        CodecConverting,
        CodecOptions,
        CodecWriting,
        ListCodecName,
        ListWriting,
        ObjectCodecName,
        ObjectWriting,
        SingleCodecName,
        Whole,
        Wrapped,
    )

if TYPE_CHECKING:
    import typing_extensions  # type checkers bring it along, and know the default

    _D = typing_extensions.TypeVar("_D", default=Any)
else:
    _D = TypeVar("_D")
OnLoss = Literal["error", "ignore"]
# Arguments of encode that aren't codec options.
_WRITING = ("losses", "on_loss", "allow", "carry", "repair")
_ERROR: Final = "error"
_KEEP: Final = "keep"
_LAST: Final = "last"
_REPORT: Final = "report"
_NONE: Final = ()
# Below this many messages, pausing the collector costs more than it saves.
_MANY = 16
_PLAIN = (list, dict)


@attrs.frozen(repr=False)
class Conversion(Generic[_D]):
    """The result of ``convert``.

    Attributes:
        document: the document in the target format: plain data, or bytes if you passed bytes. Its type is told as that
            of ``encode``.
        losses: the loss report: exactly what the target can't hold.
        history: the history that was read from the source, or given.
        codec: the target's codec.
    """

    document: _D
    losses: Losses
    history: History
    codec: Codec = attrs.field(eq=False)
    __repr__ = clean_repr

    def __rich_repr__(self) -> Iterator[tuple[str, Any]]:
        """Yield the fields to show: losses first, because the document may be long."""
        yield "losses", self.losses
        yield "document", self.document

    def dump_losses(self) -> bytes:
        """Return the loss report in its file form, for ``load_losses``, as ``agentmsg.dump_losses`` does."""
        document: Any = self.document
        codec = self.codec
        # Not every document holds made ids: the report is bound to what is read back.
        output = loads(document, codec) if is_raw(document) else decoded(document, codec, DEFAULT_LIMITS)
        lines: bytes = above("fitting.loss_reports").dump_losses(self.losses, output)
        return lines

    def _repr_html_(self) -> str | None:
        """Return the loss table and the document as HTML for a notebook; None without the extra ``html``."""
        return repr_html(self)


_make_conversion = maker(Conversion)


@overload
def encode(
    messages: Messages, codec: ObjectCodecName, *, container: Whole = ..., **options: Unpack[ObjectWriting]
) -> dict[str, Any]: ...
@overload
def encode(
    messages: Messages, codec: ObjectCodecName, *, container: Literal["list"], **options: Unpack[ObjectWriting]
) -> list[Any]: ...
@overload
def encode(
    messages: Untold, codec: SingleCodecName, *, container: None = None, **options: Unpack[ListWriting]
) -> Any: ...
@overload
def encode(  # type: ignore[overload-overlap] # a message by itself
    messages: Msg, codec: SingleCodecName, *, container: None = None, **options: Unpack[ListWriting]
) -> dict[str, Any]: ...
@overload
def encode(
    messages: Messages, codec: ListCodecName, *, container: Literal["list"] | None = ..., **options: Unpack[ListWriting]
) -> list[Any]: ...
@overload
def encode(
    messages: Messages, codec: ListCodecName, *, container: Wrapped, **options: Unpack[ListWriting]
) -> dict[str, Any]: ...
@overload
def encode(messages: Messages, codec: Codec, **options: Any) -> Any: ...
def encode(
    messages: Any,
    codec: CodecName | Codec,
    *,
    losses: MutableSequence[Loss] | None = None,
    on_loss: OnLoss = "error",
    allow: Allow = (),
    carry: bool = False,
    repair: bool = False,
    **options: Any,
) -> Any:
    """Write a history as a document of plain data.

    Args:
        messages: a history, a message, or several messages. A single message becomes a document of one message if the
            format has such documents.
        codec: the format to write.
        losses: a list that collects the losses.
        on_loss: without a list, "error" refuses to lose content and "ignore" allows it.
        allow: kinds of content that may be lost anyway, such as ``("thinking", "citations")``. What a codec option
            decides, such as ``thinking="drop"``, is allowed, and so is what ``repair`` mends.
        carry: keep lost content in the metadata of a message, if the format has any. It then isn't lost: read the
            document back, and ``restore`` returns it.
        repair: fix what the provider would refuse, as ``agentmsg.repair`` does; the losses list the changes.
        options: codec options.

    Returns:
        The document. Its type, for checkers, is that of a new history; one that was read from another container (a bare
        list for ``openai``) goes back into that, unless ``container`` says otherwise.

    Raises:
        LossError: code "content-loss", with the losses, if content would be lost and you neither collect nor ignore
            losses.
        CodecLookupError: if there is no such codec or option, or if ``repair`` has no rules for this provider.
    """
    chosen = writing_codec(codec, options, repair=repair)
    _check(losses, on_loss, carry)
    words = chosen.decided | allowed(allow) if allow is not _NONE else chosen.decided
    history = _given(messages, chosen)
    chosen = chosen.suited(history)
    how = _Way(losses, on_loss, words, carry, repair)
    return _written(chosen, _fitting(history, chosen, how))


def messages_for(
    messages: Messages,
    codec: CodecName | Codec,
    *,
    system: Literal["error", "drop"] = "error",
    **options: Unpack[CodecWriting],
) -> list[Any]:
    """Return the native messages of a history as a list; see ``History.messages_for``."""
    one_of(system, "system", "error", "drop")
    if system == "drop":
        words: Any = allowed(options.get("allow", _NONE)) | {"system", "tools"}
        options["allow"] = words
    chosen, document = _body_of(messages, codec, {**options})
    found = zip(("system prompt", "tools"), chosen.beside(document), strict=True)
    left = [word for word, value in found if value and system == "error"]
    if left:
        msg = f"the {' and the '.join(left)} stand beside the messages here: system_for and tools_for return them"
        raise LossError(f'{msg}; system="drop" leaves them out', codec=chosen.name)
    return list(chosen.native_messages(document))


def beside(messages: Messages, codec: CodecName | Codec, options: dict[str, Any]) -> tuple[Any, Any]:
    """Return what a format puts beside its messages; see ``History.system_for`` and ``tools_for``."""
    chosen, document = _body_of(messages, codec, options)
    return chosen.beside(document)


def _body_of(messages: Messages, codec: CodecName | Codec, options: dict[str, Any]) -> tuple[Codec, Any]:
    """Return a format with messages, and the document of a history.

    Raises:
        CodecLookupError: code "option" if its documents hold no list of messages.
    """
    chosen, writing = writer_for(codec, options)
    if not chosen.holds_messages:
        msg = "documents of this format are responses, and hold no list of messages; encode writes one"
        raise CodecLookupError(msg, code="option", codec=chosen.name)
    return chosen, encode(messages, chosen, **writing)


def _check(losses: object, on_loss: object, carry: object) -> None:
    """Refuse invalid loss options: accepting any value would lose content silently."""
    if losses is not None and type(losses) is not list and not is_a(losses, (MutableSequence,)):
        raise refused_value("losses", losses, "a list")
    one_of(on_loss, "on_loss", "error", "ignore")
    flag(carry, "carry")


def writing_codec(codec: CodecName | Codec, options: Mapping[str, Any], *, repair: bool) -> Codec:
    """Return the codec to write with; for a repair, the options that save most.

    A codec passed as an object keeps the options its caller chose.
    """
    chosen = get_codec(codec, **options) if options else get_codec(codec)
    if repair is False:
        return chosen
    flag(repair, "repair")
    if repair and chosen.repairs_with and isinstance(codec, str):
        return get_codec(codec, **{**chosen.repairs_with, **options}) if options else _repairing(codec)
    return chosen


def writer_for(codec: CodecName | Codec, options: Mapping[str, Any]) -> tuple[Codec, dict[str, Any]]:
    """Return the codec to write with, and the arguments of ``encode`` that stand among the codec's options."""
    writing = {name: value for name, value in options.items() if name in _WRITING}
    own = {name: value for name, value in options.items() if name not in _WRITING}
    return writing_codec(codec, own, repair=writing.get("repair", False)), writing


@cache
def _repairing(codec: CodecName) -> Codec:
    """Return the codec that writes repaired histories: making it, and its tables, takes longer than one of them."""
    return get_codec(codec, **get_codec(codec).repairs_with)


def _given(messages: Messages, codec: Codec) -> History:
    history = as_history(messages)
    return codec.alone(history) if isinstance(messages, Msg) else history


def _written(codec: Codec, history: History) -> Any:
    """Write a fitted history as plain data that belongs to the caller."""
    try:
        document = codec.write(history)
        return document if codec.writes_plain else thawed(document)
    except AgentMsgError as error:
        raise named(error, codec) from error.__cause__


def dumps(
    messages: Messages,
    codec: CodecName | Codec,
    *,
    losses: MutableSequence[Loss] | None = None,
    on_loss: OnLoss = "error",
    allow: Allow = (),
    carry: bool = False,
    repair: bool = False,
    **options: Unpack[CodecOptions],
) -> bytes:
    """Write a history as bytes; arguments and errors as for ``encode``.

    Raises:
        LossError: as for ``encode``.
        CodecLookupError: as for ``encode``.
        EncodeError: if the bytes can't be made.
    """
    chosen = writing_codec(codec, options, repair=repair)
    # Checking absent arguments takes longer than finding that a history has grown.
    if losses is not None or on_loss is not _ERROR or carry is not False:
        _check(losses, on_loss, carry)
    words = chosen.decided | allowed(allow) if allow is not _NONE else chosen.decided
    history = _given(messages, chosen)
    chosen = chosen.suited(history)
    how = _Way(losses, on_loss, words, carry, repair)
    if len(history.messages) < _MANY:
        return _dumped(history, chosen, how)
    with paused():
        return _dumped(history, chosen, how)


def _dumped(history: History, codec: Codec, how: _Way) -> bytes:
    fitting = _fitting(history, codec, how)
    try:
        return codec.to_bytes(fitting)
    except AgentMsgError as error:
        raise named(error, codec) from error.__cause__


class _Way(NamedTuple):
    """How to write a history: the arguments of ``encode``, with the words of all that may be lost."""

    losses: MutableSequence[Loss] | None
    on_loss: OnLoss
    allow: frozenset[str]
    carry: bool
    repair: bool


def _fitting(history: History, codec: Codec, how: _Way) -> History:
    if codec.caps.everything and not how.repair:
        return history
    alone = fit(history, codec)
    fitted = _mended(alone, codec) if how.repair else alone
    if fitted.history is fitted.source and (how.losses is None or not fitted.unsent):
        return fitted.history
    return _reported(alone, fitted, codec, how)[0]


def _reported(
    alone: Fitted, fitted: Fitted, codec: Codec, how: _Way, source: str | None = None
) -> tuple[History, Losses]:
    """Return the history to write, and what it lost; refuse or collect that, as the caller wants.

    Args:
        alone: the fit without a repair: what that mends, the caller decided.
        fitted: the same with it, if there is one.
        codec: to write with.
        how: to write.
        source: the format that was read, if known.
    """
    output, lost = carried(fitted, codec, source) if how.carry else (fitted.history, account(fitted))
    if how.losses is not None:
        how.losses.extend(lost)
    elif how.on_loss == "error" and not lost.carried and loses_content(alone):
        refuse_losses(account(alone) if how.repair else lost, alone.source, how.allow)
    return output, lost


def _mended(fitted: Fitted, codec: Codec) -> Fitted:
    from agentmsg.fitting.repairing import repaired  # noqa: PLC0415 - few ask for it

    return repaired(fitted, codec)


def refuse_losses(losses: Losses, history: History, allow: frozenset[str]) -> None:
    """Refuse to lose content of a history, but for what some words allow.

    Raises:
        LossError: if there is any other.
    """
    how = "allow=[{quoted}] allows it; losses=[] collects the losses, on_loss='ignore' ignores them"
    error = refusal(losses, history, allow, how, "writing would lose content")
    if error is not None:
        raise error.at(*error.losses[0].path)


@overload
def convert(
    document: Untold, source: CodecName | Codec, target: CodecName | Codec, **options: Unpack[CodecConverting]
) -> Conversion[Any]: ...
@overload
def convert(  # type: ignore[overload-overlap] # pyright: ignore[reportOverlappingOverload] # bytes give bytes
    document: bytes | bytearray | memoryview | str,
    source: CodecName | Codec,
    target: CodecName | Codec,
    **options: Unpack[CodecConverting],
) -> Conversion[bytes]: ...
@overload
def convert(
    document: object, source: CodecName | Codec, target: ObjectCodecName, **options: Unpack[CodecConverting]
) -> Conversion[dict[str, Any]]: ...
@overload
def convert(
    document: object, source: CodecName | Codec, target: ListCodecName, **options: Unpack[CodecConverting]
) -> Conversion[list[Any]]: ...
@overload
def convert(
    document: Messages, *, to: ObjectCodecName, **options: Unpack[CodecConverting]
) -> Conversion[dict[str, Any]]: ...
@overload
def convert(document: Messages, *, to: ListCodecName, **options: Unpack[CodecConverting]) -> Conversion[list[Any]]: ...
@overload
def convert(
    document: object,
    source: CodecName | Codec | None = None,
    target: CodecName | Codec | None = None,
    *,
    to: CodecName | Codec | None = None,
    **options: Unpack[CodecConverting],
) -> Conversion: ...
def convert(
    document: Any,
    source: CodecName | Codec | None = None,
    target: CodecName | Codec | None = None,
    *,
    to: CodecName | Codec | None = None,
    limits: Limits = DEFAULT_LIMITS,
    duplicates: Duplicates = "last",
    on_loss: Literal["report", "error", "ignore"] = "report",
    allow: Allow = (),
    unknown: Unknown = "keep",
    carry: bool = False,
    repair: bool = False,
    model: str | None = None,
    max_tokens: int | None = None,
    source_options: Mapping[str, Any] = EMPTY,
    **options: Any,
) -> Conversion:
    """Convert a document, or a history in hand, to another format, and report what is lost: ``restore`` undoes it.

    Args:
        document: plain data or objects, as for ``decode``, or bytes or text, in the source format; or a history.
        source: the format of the document; None for a history: ``convert(history, to="anthropic")``.
        target: the format to write: plain data for plain data and histories, bytes for bytes.
        to: the same as ``target``.
        limits: bounds on what is read.
        duplicates: as for ``loads``, for bytes and text.
        on_loss: "report" never raises for a loss; "error" refuses to lose content.
        allow: kinds of content that may be lost, as for ``encode``; any other is refused.
        unknown: as for ``loads``.
        carry: as for ``encode``. The report then lists the other losses, and counts those in the document.
        repair: as for ``encode``. The report lists both losses and repairs.
        model: the name of the model to ask. Without it, that of a model of another provider is left out.
        max_tokens: the most tokens to write.
        source_options: codec options for reading.
        options: codec options for writing.

    Raises:
        AgentMsgError: as ``loads`` and ``encode`` do; InvalidMessage, code "required", if a format is missing, "option"
            if one is too many.
    """
    read_by = _reading_codec(document, source, source_options)
    aim = target if target is not None and to is None else _one_target(target, to)
    chosen = writing_codec(aim, options, repair=repair)
    if duplicates is not _LAST:
        one_of(duplicates, "duplicates", _LAST, "error")
    is_usual = on_loss is _REPORT and allow is _NONE and carry is False and repair is False
    way = _USUAL if is_usual else _way_of(chosen, on_loss, allow, carry=carry, repair=repair)
    with paused():
        is_text = read_by is not None and type(document) not in _PLAIN and is_raw(document)
        if read_by is None:
            history = _given(document, chosen)
        elif is_text:
            history = loads(document, read_by, limits=limits, duplicates=duplicates, unknown=unknown)
        elif unknown is _KEEP:
            history = decoded(document, read_by, limits)
        else:
            history = decode(document, read_by, limits=limits, unknown=unknown)
        asked = with_asked(history, chosen, model=model, max_tokens=max_tokens)
        return _converted(history, asked, chosen.suited(asked), way, (is_text, read_by))


_USUAL = _Way(None, "ignore", frozenset(), carry=False, repair=False)


def _way_of(
    codec: Codec, on_loss: Literal["report", "error", "ignore"], allow: Allow, *, carry: bool, repair: bool
) -> _Way:
    """Return how ``convert`` writes; what it refuses are losses that nobody decided or allowed."""
    flag(carry, "carry")
    one_of(on_loss, "on_loss", "report", "error", "ignore")
    refuses: OnLoss = "error" if on_loss == "error" or (allow is not _NONE and on_loss == "report") else "ignore"
    return _Way(None, refuses, codec.decided | allowed(allow), carry, repair)


def _converted(
    history: History, asked: History, codec: Codec, way: _Way, source: tuple[bool, Codec | None]
) -> Conversion:
    """Write what was read, with some settings set.

    Args:
        history: as it was read.
        asked: the same, with the settings.
        codec: to write with.
        way: how to write.
        source: whether it was text, and the codec that read it, if any.
    """
    is_text, read_by = source
    plain = fit(asked, codec)
    if plain.unsent and read_by is not None and read_by.family == codec.family:
        plain = attrs.evolve(plain, unsent=())  # the library had it already
    alone = over(plain, history, is_secret=False)
    fitted = over(_mended(plain, codec), history, is_secret=False) if way.repair else alone
    output, losses = _reported(alone, fitted, codec, way, None if read_by is None else read_by.name)
    return _make_conversion(codec.to_bytes(output) if is_text else _written(codec, output), losses, history, codec)


def _one_target(target: CodecName | Codec | None, to: CodecName | Codec | None) -> CodecName | Codec:
    """Return the format to write, whichever argument names it."""
    if target is not None and to is not None:
        raise refused_value("to", to, "None where target is given", code="option")
    chosen = target if to is None else to
    if chosen is None:
        msg = "to which format? convert(history, to=...) for a history, convert(document, source, target) for others"
        raise InvalidMessage(msg, code="required", path=("to",))
    return chosen


def _reading_codec(document: object, source: CodecName | Codec | None, options: Mapping[str, Any]) -> Codec | None:
    """Return the codec to read with: none for a history."""
    is_history = is_a(document, (History, Msg))
    if is_history and source is not None:
        raise refused_value(
            "source", source, "None for a history, which has no format: convert(history, to=...)", code="option"
        )
    if not is_history and source is None and (is_raw(document) or is_a(document, (Mapping,))):
        msg = "of which format? agentmsg.recognize finds it; only a history needs no source"
        raise InvalidMessage(msg, code="required", path=("source",))
    return None if source is None else get_codec(source, **options)
