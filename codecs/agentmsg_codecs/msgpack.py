r"""msgpack: the canonical form of agentmsg as MessagePack. It holds every History exactly, in few bytes.

    [1, [[2, ["Hello"], nil, "2026-11-21T10:00:00+00:00"],
         [3, [[8, "add", "c1", nil, "{\"a\":1}"]]]]]

A document is one such array, in bytes. ``agentmsg_codecs.msgpack`` has ``frames`` and ``unframe`` for streams of them.
Other extension types, timestamps, binary values and keys other than texts are refused, because JSON can't hold them.

Follows version 1 of the canonical form.

| model | MessagePack |
| --- | --- |
| History | ``[1, [messages], id, tools, metadata, extras, notes, settings]``; the 1 is the version |
| Msg | ``[role, [blocks], id, created_at, ...]``; a role is its number, or its text |
| a block | ``[number, fields ...]``; a TextBlock with only text is that text; unknown numbers become NativeBlock |
| a block of yours | ``[tag, {field: value}]`` |
| a source, a tool | ``[number, fields ...]`` |
| all others | an array of their fields |
| an absent field | nil, or cut at the end |
| a time | ISO 8601 |
| an integer beyond 64 bits | extension type 1, its decimal digits |
| ``extras["agentmsg"]["+"]`` | items after the last known position, so fields of later versions are kept |

``canonical/fields.py`` lists the numbers and positions.
"""

from __future__ import annotations

from collections import Counter
from functools import cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, cast

import attrs

from agentmsg import AgentMsgError, DecodeError, EncodeError, History, InvalidMessage, Limits
from agentmsg.formats import Caps, Codec, adopt, excerpt, is_list, is_mapping, is_sequence, speed
from agentmsg_codecs.canonical.engine import Engine, check_version
from agentmsg_codecs.canonical.fields import FAMILY
from agentmsg_codecs.canonical.shapes import MsgpackShape, wrong

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from agentmsg.formats import Duplicates

__all__ = ["MsgpackCodec", "frames", "unframe"]

_BIG = 1
_MAX_DIGITS = 4300
_INT64 = 2**63
_SCALARS = frozenset({str, int, bool, type(None)})


def _adopt_checked(value: Any) -> Any:
    """Wrap free-form JSON after a check: MessagePack can hold values that JSON can't."""
    if type(value) is dict or type(value) is list:
        if not _is_json(value):
            _check(value, speed.DEFAULT_LIMITS.depth)
        return adopt(value)
    if type(value) not in _SCALARS:
        _check(value, speed.DEFAULT_LIMITS.depth)
    return value


def _is_json(value: Any) -> bool:
    """Whether a container is certainly JSON and not too deep; False means that a closer check is needed.

    Writing it as JSON is the fastest check: orjson refuses what isn't JSON and turns a float that is not finite into
    null. No value is deeper than the number of brackets in its text.
    """
    import orjson  # noqa: PLC0415 - not every user of the model unpacks

    try:
        text = orjson.dumps(value)
    except TypeError:
        return False
    if text.count(b"[") + text.count(b"{") > speed.DEFAULT_LIMITS.depth:
        return False
    return b"null" not in text or orjson.loads(text) == value


def _check(value: Any, depth: int) -> None:
    try:
        speed.plain_copy(value, depth)
    except InvalidMessage as error:
        raise DecodeError(error.message, code=error.code, path=error.path) from None


def _library() -> Any:
    import msgpack  # noqa: PLC0415 - not every user of the model packs

    return msgpack


def _engine() -> Engine:
    return Engine(MsgpackShape(), _adopt_checked)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class MsgpackCodec(Codec):
    """The canonical MessagePack form; its documents as plain data are positional arrays.

    Attributes:
        engine: reads and writes; hooks registered on ``engine.converter`` before first use replace ours.
    """

    name: ClassVar[str] = "msgpack"
    family: ClassVar[str] = FAMILY
    title: ClassVar[str] = "agentmsg canonical MessagePack"
    binary: ClassVar[bool] = True
    bounds_values: ClassVar[bool] = True

    engine: Engine = attrs.field(factory=_engine, init=False, eq=False, repr=False)

    def make_caps(self) -> Caps:
        """Return that every history is supported."""
        return Caps(everything=True)

    def read(self, document: Any) -> History:
        """Read a document."""
        if not is_list(document) or not document:
            raise wrong(document, "an array that begins with the version")
        check_version(document[0])
        self.engine.fill()
        return self.engine.read_history(document)

    def write(self, history: History) -> Any:
        """Write a history."""
        self.engine.fill()
        return self.engine.write_any(history)

    def native_messages(self, document: Any) -> list[Any]:
        """Return the messages of a document."""
        messages: list[Any] = document[1]
        return messages

    def beside(self, document: Any) -> tuple[Any, Any]:
        """Return the tools of a document; a system prompt is a message."""
        return None, document[3] if len(document) > 3 else None  # noqa: PLR2004 - they are its fourth entry

    def sample(self, document: Any) -> Any:
        """Return the document with some of its messages, each whole: positions in them have a meaning."""
        if not is_sequence(document) or not is_sequence(_messages_in(document)):
            return None
        return [document[0], self.some_of(document[1]), *document[2:]]

    def likeness(self, document: Any) -> float:
        """Return 0.9 for a version followed by an array of arrays."""
        messages = _messages_in(document) if is_sequence(document) else None
        if not is_sequence(messages) or type(document[0]) is not int:
            return 0.0
        return 0.9 if all(map(is_sequence, messages)) else 0.0

    def parse(self, raw: bytes | bytearray | memoryview | str, limits: Limits, duplicates: Duplicates) -> Any:
        """Parse bytes that hold one MessagePack value, and nothing after it."""
        data = _as_bytes(raw)
        if len(data) > limits.bytes:
            words = speed.beyond(f"{len(data)} bytes are more than the limit of {limits.bytes}", "bytes")
            raise DecodeError(words, code="bytes")
        document = _refusing(lambda: _library().unpackb(data, **_options(duplicates)))
        if limits.depth != speed.DEFAULT_LIMITS.depth + speed.AROUND:
            # Reading checks free-form values against the default depth.
            _check(document, limits.depth)
        return document

    def render(self, document: Any) -> bytes:
        """Write a document as bytes."""
        try:
            return cast("bytes", _library().packb(document, default=speed.one_level, strict_types=True))
        except (TypeError, ValueError, OverflowError):
            # A foreign subclass, a tuple, an integer beyond 64 bits, or no MessagePack at all.
            return _pack_carefully(document)


def _messages_in(document: list[Any]) -> Any:
    """Return what stands behind the version; None if nothing does."""
    return document[1] if len(document) > 1 else None


def _as_bytes(raw: Any) -> bytes:
    if isinstance(raw, bytes):
        return raw
    if isinstance(raw, (bytearray, memoryview)):
        return bytes(cast("Any", raw))
    raise wrong(raw, "bytes")


def _options(duplicates: Duplicates) -> dict[str, Any]:
    return {
        "ext_hook": _extension,
        "object_pairs_hook": _once if duplicates == "error" else None,
        "strict_map_key": True,
        "max_bin_len": 0,
    }


def _extension(kind: int, data: bytes) -> int:
    if kind != _BIG:
        raise DecodeError(f"extension type {kind} is unknown", code="type")
    if len(data) > _MAX_DIGITS + 1:
        raise DecodeError(f"an integer of {len(data)} digits", code="integer-range")
    digits = data.removeprefix(b"-")
    if not (digits.isdigit() and digits.isascii()) or len(digits) > _MAX_DIGITS:
        raise DecodeError(f"not an integer: {excerpt(data)}", code="syntax")
    return int(data)


def _once(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        counts = Counter(name for name, _ in pairs)
        key = counts.most_common(1)[0][0]
        raise DecodeError(f"the key {excerpt(key)} occurs twice in one map", code="duplicate-key")
    return fields


def _refusing(unpack: Callable[[], Any]) -> Any:
    """Unpack, and raise every error of msgpack as a DecodeError: they have no common base."""
    from msgpack.exceptions import ExtraData, FormatError, StackError  # noqa: PLC0415 - see parse

    try:
        return unpack()
    except AgentMsgError:
        raise
    except StackError:
        raise DecodeError("nested deeper than msgpack reads", code="depth") from None
    except ExtraData:
        raise DecodeError("bytes follow the document", code="syntax") from None
    except FormatError:
        raise DecodeError("not MessagePack", code="syntax") from None
    except UnicodeDecodeError as error:
        raise DecodeError(f"a text is not UTF-8: {error.reason}", code="syntax") from None
    except (TypeError, OverflowError, ValueError) as error:
        raise DecodeError(f"not MessagePack: {excerpt(str(error))}", code=_read_code(error)) from None


_READ_CODES = {"max_bin_len": "type", "map key": "key", "recursion": "depth", "unhashable": "key"}


def _read_code(error: Exception) -> str:
    return next((code for words, code in _READ_CODES.items() if words in str(error)), "syntax")


def _write_code(error: Exception) -> str:
    if isinstance(error, UnicodeError):
        return "surrogate"
    return "depth" if "recursion" in str(error) else "type"


def _pack_carefully(document: Any) -> bytes:
    try:
        return cast("bytes", _library().packb(document))
    except OverflowError:
        return _pack_exactly(document)
    except (TypeError, ValueError) as error:
        raise EncodeError(f"not MessagePack: {error}", code=_write_code(error)) from None


def _pack_exactly(document: Any) -> bytes:
    """Pack a document with integers beyond 64 bits."""
    extension: Any = _library().ExtType

    def big(item: Any) -> Any:
        if is_mapping(item):
            return {key: big(value) for key, value in item.items()}
        if is_sequence(item):
            return list(map(big, item))
        if type(item) is int and not -_INT64 <= item < 2 * _INT64:
            return extension(_BIG, str(item).encode())
        return item

    try:
        # The depth that msgpack itself packs.
        return cast("bytes", _library().packb(big(speed.plain_copy(document, 500))))
    except InvalidMessage as error:
        raise EncodeError(error.message, code=error.code, path=error.path) from None


@cache
def _codec() -> MsgpackCodec:
    return MsgpackCodec()


def frames(histories: Iterable[History]) -> Iterator[bytes]:
    """Yield each history as the bytes of one document; joined, they are a stream."""
    codec = _codec()
    for history in histories:
        yield codec.render(codec.write(history))


def unframe(chunks: Iterable[bytes], limits: Limits = speed.DEFAULT_LIMITS) -> Iterator[History]:
    """Read a stream of documents, cut into chunks anywhere, and yield their histories.

    Args:
        chunks: the bytes of the stream.
        limits: bounds on each document.

    Raises:
        DecodeError: if a document is refused, with its number as path; with code "syntax" if the stream ends in the
            middle of one.
    """
    codec = _codec()
    unpacker: Any = _library().Unpacker(max_buffer_size=limits.bytes, **_options("last"))
    done: Any = object()
    fed = end = number = 0
    try:
        for chunk in chunks:
            fed += len(chunk)
            _refusing(partial(unpacker.feed, chunk))
            while (document := _refusing(partial(next, unpacker, done))) is not done:
                end = unpacker.tell()
                _check(document, limits.depth + speed.AROUND)
                yield codec.read(document)
                number += 1
        if end != fed:
            raise DecodeError("the stream ends in the middle of a document", code="syntax")
    except AgentMsgError as error:
        raise error.at(number, codec=codec.name) from None
