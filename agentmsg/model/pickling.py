"""Portable: how a message or a history is pickled and converted, and how the model reaches the rooms above it.

Conversion and operations live above the model: their modules are looked up at call time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, Unpack, overload

import attrs

from agentmsg.lazy import imported
from agentmsg.model.checks import flag

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg_codecs import CodecName
    from agentmsg_codecs.options import (
        CodecReading,
        ListCodecName,
        ListWriting,
        ObjectCodecName,
        ObjectWriting,
        SingleCodecName,
        Whole,
        Wrapped,
    )

# The packages that drawing a page needs: the extra `html`.
_DRAWS = frozenset({"jinja2", "markdown_it", "markupsafe"})


def above(module: str) -> Any:
    """Return a module above the model, such as "ops.stats".

    Looked up by name at call time. This is the only way upwards, for the convenience methods of Msg and History; it is
    kept out of the import graph on purpose.
    """
    return imported(f"agentmsg.{module}")


def repr_html(value: Any) -> str | None:
    """Return a history, message, loss report or conversion as HTML; None if a package for drawing is missing."""
    try:
        page = above("show.page")
    except ModuleNotFoundError as error:
        if error.name not in _DRAWS:
            raise
        return None
    html: str = page.repr_html(value)
    return html


def _fields(cls: type[Any]) -> Any:
    return attrs.fields(cls)


class Pickled:
    """Pickles and copies a message by its fields, without computed values."""

    __slots__ = ()

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields, without computed values."""
        return {field.name: getattr(self, field.name) for field in _fields(type(self)) if field.init}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Set the fields of a pickle or copy."""
        for field in _fields(type(self)):
            object.__setattr__(self, field.name, state[field.name] if field.init else field.default)


class Format(Protocol):
    """A codec as seen from below: the model doesn't know the class."""

    def read(self, document: Any) -> Any:
        """Read a document."""

    def write(self, history: Any) -> Any:
        """Write a history."""


class _Several(Protocol):
    """A history, whose messages a codec may write as a list."""

    @property
    def messages(self) -> Any: ...


class Reported:
    """What makes losses and findings pydantic types; see ``agentmsg.embed``."""

    __slots__ = ()

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Make the class a pydantic type that is read from plain data."""
        return above("embed.reports").core_schema(cls, handler)

    @property
    def __pydantic_serializer__(self) -> Any:
        """What pydantic writes an object with where it expects anything."""
        return above("embed.fields").serializer(type(self))


class Portable:
    """Conversion methods of a message or a history."""

    __slots__ = ()

    @classmethod
    def _from_history(cls, history: Any) -> Self:
        """Return the history of a document as this class.

        Raises:
            DecodeError: if it doesn't fit.
        """
        raise NotImplementedError

    def _repr_html_(self) -> str | None:
        """Return the page for a notebook, as ``agentmsg show --html`` draws it, with long texts cut.

        None without jinja2 and markdown-it-py (the extra ``html``): notebooks then show the repr.
        """
        return repr_html(self)

    def digest(self, *, exact: bool = False) -> str:
        """Return a stable hash: 64 hexadecimal digits (SHA-256 of the canonical JSON).

        Ids that don't link, times and notes are left out unless ``exact``.
        """
        flag(exact, "exact")
        return str(above("fitting.digest").digest(self, exact=exact))

    def to_dict(self) -> dict[str, Any]:
        """Return the canonical form as plain data."""
        document: dict[str, Any] = above("api.writing").encode(self, "json")
        return document

    def to_json(self) -> str:
        """Return the canonical form as JSON text."""
        return str(above("api.writing").dumps(self, "json"), "utf-8")

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Read a canonical form; a history takes any number of messages, a message exactly one.

        Raises:
            DecodeError: if it isn't a canonical form.
        """
        return cls.decode(document, "json")

    @classmethod
    def from_json(cls, raw: str | bytes) -> Self:
        """Read canonical JSON text, as ``from_dict`` reads plain data.

        Raises:
            DecodeError: if it isn't a canonical form.
        """
        return cls._from_history(above("api.reading").loads(raw, "json"))

    @classmethod
    def decode(cls, document: Any, codec: CodecName | Format, **options: Unpack[CodecReading]) -> Self:
        """Read a document of any format; see ``agentmsg.decode``.

        A history takes any number of messages, a message exactly one.

        Raises:
            DecodeError: if it can't be read, or has the wrong number of messages.
        """
        return cls._from_history(above("api.reading").decode(document, codec, **options))

    @overload
    def encode(
        self, codec: ObjectCodecName, *, container: Whole = ..., **options: Unpack[ObjectWriting]
    ) -> dict[str, Any]: ...
    @overload
    def encode(
        self, codec: ObjectCodecName, *, container: Literal["list"], **options: Unpack[ObjectWriting]
    ) -> list[Any]: ...
    @overload
    def encode(
        self: _Several, codec: ListCodecName, *, container: Literal["list"] | None = ..., **options: Unpack[ListWriting]
    ) -> list[Any]: ...
    @overload
    def encode(  # type: ignore[overload-overlap] # the type of "self" tells them apart
        self, codec: SingleCodecName, *, container: Wrapped | None = None, **options: Unpack[ListWriting]
    ) -> dict[str, Any]: ...
    @overload
    def encode(
        self, codec: ListCodecName, *, container: Literal["list"] | None = None, **options: Unpack[ListWriting]
    ) -> list[Any]: ...
    @overload
    def encode(self, codec: Format, **options: Any) -> Any: ...
    def encode(self, codec: CodecName | Format, **options: Any) -> Any:
        """Write plain data of any format; see ``agentmsg.encode`` for the options and errors."""
        return above("api.writing").encode(self, codec, **options)
