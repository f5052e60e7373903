"""Reading, for users: loads and decode. Whoever only reads doesn't load what writes."""

from __future__ import annotations

from functools import partial
from itertools import filterfalse, repeat
from typing import TYPE_CHECKING, Any, Final, Literal, Unpack

from agentmsg.errors import AgentMsgError, is_a
from agentmsg.formats.plain_messages import how_bare
from agentmsg.formats.refusals import USUAL_ROOM, is_deep, is_raw, not_raw, refused, rooms
from agentmsg.limits import DEFAULT_LIMITS, Limits
from agentmsg.model.blocks import NativeBlock
from agentmsg.model.checks import one_of
from agentmsg.model.construction import paused
from agentmsg.model.msg import Msg
from agentmsg.model.remembering import remember_fit
from agentmsg.registry import get_codec
from agentmsg.values.copies import copy_document

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg.formats.codec import Codec
    from agentmsg.model.history import History
    from agentmsg.values.text import Duplicates
    from agentmsg_codecs import CodecName
    from agentmsg_codecs.options import CodecOptions

Unknown = Literal["keep", "error"]

_LAST: Final = "last"
_KEEP: Final = "keep"
# Below this many bytes, pausing the collector costs more than it saves.
_BULK = 8192


def loads(
    raw: bytes | bytearray | memoryview | str,
    codec: CodecName | Codec,
    *,
    limits: Limits = DEFAULT_LIMITS,
    duplicates: Duplicates = _LAST,
    unknown: Unknown = _KEEP,
    **options: Unpack[CodecOptions],
) -> History:
    """Read a document from bytes or text.

    Args:
        raw: the document.
        codec: its format.
        limits: bounds on what is read.
        duplicates: for a duplicate key in a JSON object, take the "last" or raise an "error".
        unknown: what to do with keys, roles and types of blocks that the model has no place for: "keep" them, so that
            they come back, or raise an "error" that names them.
        options: codec options.

    Raises:
        DecodeError: if it isn't a document of this format; has codec, path and code.
        CodecLookupError: if there is no such codec or option.
    """
    chosen = get_codec(codec, **options)
    if unknown is not _KEEP:
        from agentmsg.checking.strict import read_strictly  # noqa: PLC0415 - few are strict

        parsed = partial(chosen.parse, raw, rooms(chosen, limits)[1], duplicates)
        return read_strictly(partial(loads, raw, chosen, limits=limits, duplicates=duplicates), parsed, chosen, unknown)
    # The common case first: a line that was read before takes no longer than all these checks.
    usual = USUAL_ROOM if limits is DEFAULT_LIMITS and not chosen.bounds_values else rooms(chosen, limits)[0]
    if type(raw) is not bytes and not is_raw(raw):
        raise not_raw(raw, "raw", chosen)
    if duplicates is not _LAST:
        one_of(duplicates, "duplicates", _LAST, "error")
    try:
        if len(raw) < _BULK:
            return _remembered(chosen.from_bytes(raw, usual, duplicates), chosen, raw)
        with paused():
            return _remembered(chosen.from_bytes(raw, usual, duplicates), chosen, raw)
    except (AgentMsgError, RecursionError) as error:
        room = rooms(chosen, limits)[1]
        if not is_deep(error, usual, room):
            told = _explained(error, chosen, lambda: chosen.parse(raw, usual, _LAST), raw)
            raise told from told.__cause__
    from agentmsg.fitting.deep_documents import loads_deep  # noqa: PLC0415 - it takes writing, and is rare

    with paused():
        return loads_deep(raw, chosen, room, duplicates)


def decode(
    document: Any,
    codec: CodecName | Codec,
    *,
    limits: Limits = DEFAULT_LIMITS,
    unknown: Unknown = _KEEP,
    **options: Unpack[CodecOptions],
) -> History:
    """Read a document from plain data (dict, list, str, int, float, bool, None) or from objects.

    SDK objects, pydantic models, attrs classes and dataclasses are accepted anywhere in the document, so you can pass
    an SDK's response as it is. The document is copied; the history shares nothing with it.

    Args:
        document: the document.
        codec: its format.
        limits: bounds on what is read.
        unknown: as for ``loads``.
        options: codec options.

    Raises:
        DecodeError: if it isn't a document of this format, or not JSON data (code "type", "key", "number" ...); code
            "unknown" with ``unknown="error"``.
        CodecLookupError: if there is no such codec or option.
    """
    chosen = get_codec(codec, **options)
    if unknown is not _KEEP:
        from agentmsg.checking.strict import read_strictly  # noqa: PLC0415 - few are strict

        plain = partial(copy_document, document, rooms(chosen, limits)[1].depth, chosen.own_form)
        return read_strictly(partial(decode, document, chosen, limits=limits), plain, chosen, unknown)
    with paused():
        return decoded(document, chosen, limits)


def decoded(document: Any, codec: Codec, limits: Limits) -> History:
    """Do what ``decode`` does, with a codec; the caller pauses the collector."""
    usual, room = rooms(codec, limits)
    try:
        history = codec.read_held(document, usual.depth)
        if history is not None:
            return _remembered(history, codec, document)
    except Exception:  # noqa: BLE001, S110 - whatever a foreign object raises, the careful path below finds the fault
        pass
    try:
        return _remembered(codec.read(copy_document(document, usual.depth, codec.own_form)), codec, document)
    except (AgentMsgError, RecursionError) as error:
        if not is_deep(error, usual, room):
            told = _explained(error, codec, lambda: _plain(document, codec, usual))
            raise told from told.__cause__
    from agentmsg.fitting.deep_documents import decode_deep  # noqa: PLC0415 - the same

    return decode_deep(document, codec, room)


def _plain(document: Any, codec: Codec, limits: Limits) -> Any:
    """Return a document as plain data; bytes, texts and exceptions as they are."""
    is_whole = is_raw(document) or is_a(document, BaseException)
    return document if is_whole else copy_document(document, limits.depth, codec.own_form)


def _explained(
    error: AgentMsgError | RecursionError, codec: Codec, document: Callable[[], Any], raw: Any = None
) -> AgentMsgError:
    from agentmsg.checking.mistaken import explained  # noqa: PLC0415 - it knows all formats, and errors are rare

    return explained(refused(error, codec), codec, document, raw)


def _says_nothing(history: History) -> bool:
    """Whether a reader merely kept what a document begins with."""
    first = history.messages[0] if history.messages else history
    content = first.content if isinstance(first, Msg) else ()
    return type(content[0]) is NativeBlock if content else bool(first.extras)


def _check_understood(document: Any, codec: Codec) -> None:
    """Refuse part of a stream or a response, or a provider's error: a reader that keeps the unknown would take it."""
    from agentmsg.checking.mistaken import stray  # noqa: PLC0415 - the same

    limits = rooms(codec, DEFAULT_LIMITS)[1]
    held = codec.parse(document, limits, _LAST) if is_raw(document) else document
    try:
        first = copy_document(held[:1] if type(held) is list else held, limits.depth, codec.own_form)
    except AgentMsgError:
        return  # objects that only the codec can dump
    found = stray(first, codec)
    if found is not None:
        raise found


def _remembered(history: History, codec: Codec, document: Any) -> History:
    """Return a history just read, whose messages remember its codec; of bare ones, ``fit`` knows enough."""
    if _says_nothing(history) and not codec.caps.everything:
        _check_understood(document, codec)
    if codec.is_remembered:
        # A loop that runs in C, because it looks at every message; what it calls returns None.
        any(map(remember_fit, filterfalse(how_bare, history.messages), repeat(codec)))
    return history
