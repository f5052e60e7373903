"""The calls users make to write: dumps, encode, convert, restore; see ``reading`` for loads and decode.

Each is short: find the codec, read (or fit and write), and add the codec's name to errors.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeVar, Unpack, overload

import attrs

from agentmsg.api.reading import Unknown, decode, decoded, loads
from agentmsg.errors import AgentMsgError, CodecLookupError, LossError, is_a
from agentmsg.errors import refused as refused_value
from agentmsg.fitting.account import account, loses_content
from agentmsg.fitting.carry import carried, restore
from agentmsg.fitting.edited import over, with_asked
from agentmsg.fitting.fit import fit
from agentmsg.fitting.losses import Loss, Losses
from agentmsg.formats.refusals import is_raw, named
from agentmsg.limits import DEFAULT_LIMITS, Limits
from agentmsg.model.checks import clean_repr, flag, one_of
from agentmsg.model.construction import maker, paused
from agentmsg.model.history import History, Messages, as_history
from agentmsg.model.msg import Msg
from agentmsg.model.pickling import repr_html
from agentmsg.registry import get_codec
from agentmsg.values.copies import thawed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agentmsg.fitting.fitted import Fitted
    from agentmsg.formats.codec import Codec
    from agentmsg.model.fields import Converting
    from agentmsg.values.text import Duplicates
    from agentmsg_codecs import CodecName
    from agentmsg_codecs.options import (
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

__all__ = [
    "Conversion",
    "OnLoss",
    "convert",
    "dumps",
    "encode",
    "messages_for",
    "refuse_losses",
    "restore",
    "writing_codec",
]

if TYPE_CHECKING:
    import typing_extensions  # type checkers bring it along, and know the default

    _D = typing_extensions.TypeVar("_D", default=Any)
else:
    _D = TypeVar("_D")
OnLoss = Literal["error", "ignore"]
# Arguments of encode that aren't codec options.
_WRITING = ("losses", "on_loss", "carry", "repair")
_ERROR: Final = "error"
_KEEP: Final = "keep"
_LAST: Final = "last"
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
        history: the history that was read from the source.
    """

    document: _D
    losses: Losses
    history: History
    __repr__ = clean_repr

    def __rich_repr__(self) -> Iterator[tuple[str, Any]]:
        """Yield the fields to show: losses first, because the document may be long."""
        yield "losses", self.losses
        yield "document", self.document

    def _repr_html_(self) -> str | None:
        """Return the loss table and the document as HTML for a notebook; None without the extra ``html``."""
        return repr_html(self)


if TYPE_CHECKING:

    class _OfBytes(Conversion[Any]):
        """A conversion of bytes, for type checkers: where a document is Any, they go on with that of plain data."""

        document: bytes


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
    messages: Messages,
    codec: CodecName | Codec,
    *,
    losses: MutableSequence[Loss] | None = None,
    on_loss: OnLoss = "error",
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
    history = _given(messages, chosen)
    chosen = chosen.suited(history)
    return _written(chosen, _fitting(history, chosen, losses, on_loss, carry=carry, repair=repair))


def messages_for(messages: Messages, codec: CodecName | Codec, **options: Unpack[CodecWriting]) -> list[Any]:
    """Return the native messages of a history as a list; see ``History.messages_for``."""
    of_codec: dict[str, Any] = {**options}
    writing = {name: of_codec.pop(name) for name in _WRITING if name in of_codec}
    chosen = writing_codec(codec, of_codec, repair=writing.get("repair", False))
    if not chosen.holds_messages:
        msg = "documents of this format are responses, and hold no list of messages; encode writes one"
        raise CodecLookupError(msg, code="option", codec=chosen.name)
    return list(chosen.native_messages(encode(messages, chosen, **writing)))


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


@cache
def _repairing(codec: CodecName) -> Codec:
    """Return the codec that writes repaired histories: making it, and its tables, takes longer than one of them."""
    return get_codec(codec, **get_codec(codec).repairs_with)


def _given(messages: Messages, codec: Codec) -> History:
    history = as_history(messages)
    return codec.alone(history) if isinstance(messages, Msg) else history


def _written(codec: Codec, history: History) -> Any:
    """Write a fitted history as plain data that belongs to the caller."""
    document = codec.write(history)
    return document if codec.writes_plain else thawed(document)


def dumps(
    messages: Messages,
    codec: CodecName | Codec,
    *,
    losses: MutableSequence[Loss] | None = None,
    on_loss: OnLoss = "error",
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
    history = _given(messages, chosen)
    chosen = chosen.suited(history)
    if len(history.messages) < _MANY:
        return _dumped(history, chosen, losses, on_loss, carry=carry, repair=repair)
    with paused():
        return _dumped(history, chosen, losses, on_loss, carry=carry, repair=repair)


def _dumped(
    history: History, codec: Codec, losses: MutableSequence[Loss] | None, on_loss: OnLoss, *, carry: bool, repair: bool
) -> bytes:
    fitting = _fitting(history, codec, losses, on_loss, carry=carry, repair=repair)
    try:
        return codec.to_bytes(fitting)
    except AgentMsgError as error:
        raise named(error, codec) from None


def _fitting(
    history: History, codec: Codec, losses: MutableSequence[Loss] | None, on_loss: OnLoss, *, carry: bool, repair: bool
) -> History:
    if codec.caps.everything and not repair:
        return history
    fitted = _fitted(history, codec, repair=repair)
    if fitted.history is fitted.source:
        return fitted.history
    output, lost = carried(fitted, codec) if carry else (fitted.history, account(fitted))
    if losses is not None:
        losses.extend(lost)
    elif on_loss == "error" and loses_content(fitted):
        refuse_losses(lost.content)
    return output


def _fitted(history: History, codec: Codec, *, repair: bool) -> Fitted:
    fitted = fit(history, codec)
    if not repair:
        return fitted
    from agentmsg.fitting.repairing import repaired  # noqa: PLC0415 - few ask for it

    return repaired(fitted, codec)


def refuse_losses(content: Losses) -> None:
    """Refuse to lose content.

    Raises:
        LossError: if there are any losses.
    """
    if not content:
        return
    first = "; ".join(map(str, content[:3]))
    more = f"; and {len(content) - 3} more" if len(content) > 3 else ""  # noqa: PLR2004 - as many as are shown
    msg = f"writing would lose content: {first}{more} (pass losses=[] to collect the losses, or on_loss='ignore')"
    raise LossError(msg, codec=content.codec, path=content[0].path, losses=content)


@overload
def convert(
    document: bytes | bytearray | memoryview | str,
    source: CodecName | Codec,
    target: CodecName | Codec,
    **options: Unpack[Converting],
) -> _OfBytes: ...
@overload
def convert(
    document: object, source: CodecName | Codec, target: ObjectCodecName, **options: Unpack[Converting]
) -> Conversion[dict[str, Any]]: ...
@overload
def convert(
    document: object, source: CodecName | Codec, target: ListCodecName, **options: Unpack[Converting]
) -> Conversion[list[Any]]: ...
@overload
def convert(
    document: object, source: CodecName | Codec, target: CodecName | Codec, **options: Unpack[Converting]
) -> Conversion: ...
def convert(
    document: Any,
    source: CodecName | Codec,
    target: CodecName | Codec,
    *,
    limits: Limits = DEFAULT_LIMITS,
    duplicates: Duplicates = "last",
    unknown: Unknown = "keep",
    carry: bool = False,
    repair: bool = False,
    model: str | None = None,
    max_tokens: int | None = None,
) -> Conversion:
    """Convert a document to another format, and report exactly what is lost.

    ``restore(decode(result.document, target), result.losses)`` rebuilds the source's history.

    Args:
        document: plain data or objects, as for ``decode``, or bytes or text, in the source format.
        source: the format of the document.
        target: the format to write: plain data for plain data, bytes for bytes.
        limits: bounds on what is read.
        duplicates: as for ``loads``, for bytes and text.
        unknown: as for ``loads``.
        carry: as for ``encode``. The report then lists the other losses, and counts those in the document.
        repair: as for ``encode``. The report lists both losses and repairs.
        model: the name of the model to ask. Without it, a model name that means nothing to the target's provider is
            left out.
        max_tokens: the most tokens to write.

    Raises:
        DecodeError: if the document can't be read. Losses never raise.
        CodecLookupError: if there is no such codec, if ``repair`` has no rules for this provider, or if the format has
            no place for the given settings.
    """
    to, read_by = writing_codec(target, {}, repair=repair), get_codec(source)
    flag(carry, "carry")
    if duplicates is not _LAST:
        one_of(duplicates, "duplicates", _LAST, "error")
    with paused():
        is_text = type(document) not in _PLAIN and is_raw(document)
        if is_text:
            history = loads(document, read_by, limits=limits, duplicates=duplicates, unknown=unknown)
        elif unknown is _KEEP:
            history = decoded(document, read_by, limits)
        else:
            history = decode(document, read_by, limits=limits, unknown=unknown)
        asked = with_asked(history, to, model=model, max_tokens=max_tokens)
        to = to.suited(asked)
        fitted = over(_fitted(asked, to, repair=repair), history, is_secret=False)
        output, losses = carried(fitted, to, read_by.name) if carry else (fitted.history, account(fitted))
        return _make_conversion(to.to_bytes(output) if is_text else _written(to, output), losses, history)
