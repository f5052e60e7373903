"""The one family of errors that agentmsg raises.

    AgentMsgError
    ├── InvalidMessage      a message, block or value that can't be made (also a ValueError)
    ├── DecodeError         a document that a codec can't read (also a ValueError)
    │   ├── NotUnderstood   a document whose format isn't recognised
    │   └── StreamBroken    a stream that ended before its message
    ├── EncodeError         a history that can't be written (also a ValueError)
    ├── LossError           a conversion that would lose content, or a loss report that doesn't fit
    ├── CodecLookupError    a codec that isn't known (also a LookupError)
    └── FileError           a file that can't be read or written (also an OSError)

Each error has ``codec`` (the format at work, or None), ``path`` (field names and indexes from the root of the document
or history) and ``code``, a stable word that programs may rely on. CODES explains each code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar, cast, overload

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Sized

CODES: Mapping[str, str] = {
    "busy": "another run is at work on the same target",
    "bytes": "the input is larger than Limits.bytes",
    "codec": "a codec of another package failed",
    "column": "no column of a Parquet file holds the documents, or several do",
    "compression": "compressed bytes are damaged or cut",
    "content-loss": "writing would lose content that nobody allowed to lose",
    "cut": "a stream ended before its message",
    "depth": "values are nested deeper than Limits.depth, or contain themselves",
    "duplicate-key": "an object holds a key twice, and the policy is 'error'",
    "edited": "the loss report belongs to another history",
    "exists": "the output file exists, and replacing it was not allowed",
    "failed": "the provider answered, or ended a stream, with an error",
    "file": "a file can't be opened, read or written",
    "form": "the name of a file doesn't match its content",
    "integer-range": "an integer has more digits than Python converts",
    "key": "a key of an object isn't a string",
    "not-understood": "no format is recognised, or several formats read the document differently",
    "number": "a number isn't finite",
    "option": "there is no such option, or it can't have this value",
    "required": "a required part is missing",
    "resume": "an unfinished run was found that doesn't match this one, or --resume or --force must choose",
    "same-file": "an output is also an input, or two outputs are one file",
    "schema": "a part has a shape that the format doesn't allow",
    "source-changed": "an input changed after the run was stopped",
    "surrogate": "a string holds a lone surrogate, which UTF-8 can't encode",
    "syntax": "the bytes aren't well-formed",
    "type": "a part has the wrong type",
    "unavailable": "this feature needs a package that isn't installed",
    "unknown": "a key, role or block type is none that the model has a place for, and the reader is strict",
    "unknown-codec": "no codec has this name",
    "unreadable": "a folder, or something in it, can't be read",
    "verify": "the output and its loss report don't restore the input",
    "version": "the document was written by a later, incompatible version",
}
_EXCERPT = 80
# A longer path is shown without its middle.
_STEPS = 32
_T = TypeVar("_T")


def excerpt(value: object) -> str:
    """Return a short, printable ASCII picture of any value, for error messages.

    At most 80 characters; control characters and everything outside ASCII are escaped.
    """
    try:
        if is_a(value, (dict, list, tuple)):
            return f"{type(value).__name__} of {len(cast('Sized', value))}"
        if isinstance(value, int) and value.bit_length() > 256:  # noqa: PLR2004
            return f"an integer of {value.bit_length()} bits"
        text = ascii(value[: 2 * _EXCERPT] if isinstance(value, (str, bytes)) else value)
    except Exception:  # noqa: BLE001 - an object whose repr fails must not hide what is wrong with it
        text = f"an object of {type(value).__name__}"
    text = text if text.isprintable() else ascii(text)[1:-1]  # the repr of a foreign object may have line ends
    return text if len(text) <= _EXCERPT else text[: _EXCERPT - 3] + "..."


@overload
def is_a(value: object, cls: type[_T]) -> TypeGuard[_T]: ...
@overload
def is_a(value: object, cls: tuple[type, ...]) -> bool: ...
def is_a(value: object, cls: Any) -> bool:
    """Whether a value is an instance of a class; False if its own check raises."""
    try:
        return isinstance(value, cls)
    except Exception:  # noqa: BLE001 - a foreign object may raise anything; it then isn't an instance
        return False


def refused(name: str, value: object, wanted: str, *, code: str = "type") -> InvalidMessage:
    """Return the error for an argument that can't be accepted."""
    return InvalidMessage(f"{name} must be {wanted}, not {excerpt(value)}", code=code, path=(name,))


def close_to(name: object, known: Iterable[str], most: int = 3, likeness: float = 0.5) -> str:
    """Return a "did you mean" question with the closest known names; empty if none is close."""
    from difflib import get_close_matches  # noqa: PLC0415 - only for the message

    close = get_close_matches(str(name), list(known), most, likeness)
    return f"did you mean {' or '.join(close)}?" if close else ""


def _gone_through(value: Any, otherwise: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the items of an attribute, or the fallback: a failing error would hide the real fault."""
    try:
        return tuple(value)
    except Exception:  # noqa: BLE001 - see above
        return otherwise


def _told(path: tuple[str | int, ...]) -> str:
    """Return a path as text; a very long one shows only its two ends."""
    steps = [excerpt(step)[1:-1] if isinstance(step, str) else str(step) for step in path]
    if len(steps) > _STEPS:
        steps[_STEPS // 2 : -_STEPS // 2] = ["..."]
    return "/" + "/".join(steps)


class AgentMsgError(Exception):
    """Base of all errors of agentmsg.

    Args:
        message: what is wrong, in words.
        code: a stable word, one of CODES.
        path: where, as field names and indexes.
        codec: the name of the codec at work.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "schema",
        path: Sequence[str | int] = (),
        codec: str | None = None,
    ) -> None:
        # Accept any message: an error must be able to say what is wrong.
        self.message = message if is_a(message, str) else excerpt(message)
        super().__init__(self.message)
        self.code = code
        self.path: tuple[str | int, ...] = _gone_through(path, (excerpt(path),))
        self.codec = codec

    def __str__(self) -> str:
        """Return the message, preceded by codec and path if known."""
        where = _told(self.path) if self.path else None
        lead = ", ".join(part for part in (self.codec, where) if part)
        return f"{lead}: {self.message}" if lead else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by class, message and attributes, so that errors cross process boundaries."""
        return (_rebuild, (type(self), self.message, dict(self.__dict__)))

    def at(self, *lead: str | int, codec: str | None = None) -> AgentMsgError:
        """Return this error with ``lead`` put before its path, and the codec set if it had none."""
        self.path = (*lead, *self.path)
        if self.codec is None:
            self.codec = codec
        return self


def _rebuild(cls: type[AgentMsgError], message: str, state: dict[str, Any]) -> AgentMsgError:
    error = cls.__new__(cls)
    Exception.__init__(error, message)
    error.__dict__.update(state)
    return error


class InvalidMessage(AgentMsgError, ValueError):
    """A message, block or value that can't be made as asked."""


class DecodeError(AgentMsgError, ValueError):
    """A document that a codec can't read."""


class NotUnderstood(DecodeError):
    """A document whose format isn't recognised, or fits several formats that read it differently.

    Attributes:
        guesses: names of the likely formats, best first.
        unknown: the keys that the best guess doesn't know.
        is_mixed: whether these are several documents in several formats.
        inside: JSON pointers to documents inside this one, with their formats; for ``load(..., at=...)``.
        parts: JSON pointers to what is one conversation together; for ``decode_parts``.
    """

    def __init__(
        self,
        message: str,
        *,
        guesses: Sequence[str] = (),
        unknown: Sequence[str] = (),
        is_mixed: bool = False,
        inside: Sequence[tuple[str, str]] = (),
        parts: Sequence[str] = (),
    ) -> None:
        super().__init__(message, code="not-understood")
        self.guesses = tuple(guesses)
        self.unknown = tuple(unknown)
        self.is_mixed = is_mixed
        self.inside = tuple(inside)
        self.parts = tuple(parts)


class StreamBroken(DecodeError):
    """A stream that ended before its message did.

    Attributes:
        history: what came, with ``metadata["partial"]``; an empty one if nothing can be read.
        error: what the provider said, as plain data; None if it was cut.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "cut",
        history: object = None,
        error: object = None,
        codec: str | None = None,
    ) -> None:
        super().__init__(message, code=code, codec=codec)
        self.history: Any = history
        self.error: Any = error


class EncodeError(AgentMsgError, ValueError):
    """A history that can't be written."""


class LossError(AgentMsgError):
    """A conversion that would lose content, or a loss report that doesn't fit its document.

    Attributes:
        losses: the content losses that stopped the encoding; otherwise empty.
        allow: the words for ``allow`` that would allow them.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "content-loss",
        path: Sequence[str | int] = (),
        codec: str | None = None,
        losses: Sequence[Any] = (),
        allow: Sequence[Any] = (),
    ) -> None:
        super().__init__(message, code=code, path=path, codec=codec)
        # Any: the classes know this module.
        self.losses: tuple[Any, ...] = _gone_through(losses, ())
        self.allow: tuple[Any, ...] = _gone_through(allow, ())


class CodecLookupError(AgentMsgError, LookupError):
    """No codec of that name, or no such option for the codec."""


class FileError(AgentMsgError, OSError):
    """A file that can't be read or written."""
