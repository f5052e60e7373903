"""The model's classes as pydantic types: fields, arguments of TypeAdapter, FastAPI bodies and responses.

The codec ``json`` reads each from the canonical form, so nothing is coerced, and writes that form. An instance is
accepted as it is.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

import attrs

from agentmsg.api.reading import decode
from agentmsg.embed.schemas import of_documents, with_definitions
from agentmsg.errors import AgentMsgError, DecodeError, InvalidMessage, excerpt, is_a
from agentmsg.formats.codec import Codec
from agentmsg.formats.refusals import refused
from agentmsg.model.base import BaseBlock, CacheHint, Citation, Noted, Signature
from agentmsg.model.blocks import BLOCK_TAGS
from agentmsg.model.history import History
from agentmsg.model.msg import Msg
from agentmsg.model.settings import Settings
from agentmsg.model.sources import Base64Source, BlocksSource, FileSource, TextSource, URLSource
from agentmsg.model.tools import NativeTool, ToolSpec
from agentmsg.model.usage import Usage
from agentmsg.registry import get_codec
from agentmsg.values.copies import thawed
from agentmsg.values.types import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def fail(error: AgentMsgError, value: Any, title: str) -> NoReturn:
    """Raise an error that pydantic puts into its own report, below the place of the value.

    The error's type is our code; ``ctx`` has code and codec; ``input`` is the refused part.

    Args:
        error: our error.
        value: the value that was read.
        title: what was to be read; shown if this is the whole report.

    Raises:
        ValidationError: always.
    """
    from pydantic_core import PydanticCustomError, ValidationError  # noqa: PLC0415 - pydantic asks

    path = error.path
    # The message comes last, so that nothing pydantic fills in earlier can be part of it.
    context: dict[str, Any] = {"code": error.code, "codec": error.codec, "message": error.message}
    # pydantic wants a literal as the type of an error.
    told = PydanticCustomError(cast("Any", error.code), "{message}", context)
    raise ValidationError.from_exception_data(
        title, [{"type": told, "loc": tuple(path), "input": _part(value, path)}]
    ) from None


def _part(value: Any, path: Sequence[Any]) -> Any:
    """Return the part of a value at a path, or the last existing one on the way."""
    for step in path:
        has_step = step in value if is_object(value) else is_list(value) and type(step) is int and step < len(value)
        if not has_step:
            break
        outer: Any = value
        value = outer[step]
    return value


_CANONICAL: Final = "json"
_FAMILY = "agentmsg"
_SOURCES = (URLSource, Base64Source, FileSource, TextSource, BlocksSource)
_TOOLS = (ToolSpec, NativeTool)
_CLASSES: frozenset[type[Any]] = frozenset(
    {History, Msg, Usage, Settings, Citation, CacheHint, Signature, *_SOURCES, *_TOOLS}
)
# The unions that people use in annotations, and the base of all blocks, by the names of their definitions.
_UNIONS: Mapping[str, tuple[type[Any], ...]] = {"Block": (BaseBlock,), "Source": _SOURCES, "Tool": _TOOLS}


@attrs.frozen
class _Type:
    """One class, or several distinguished by tags, as a pydantic type; calling it with a value reads that.

    Attributes:
        name: of its definition.
        classes: of the instances.
        tag: the tag of what is read, if it is always the same.
        codec: of the canonical form.
    """

    name: str
    classes: tuple[type[Any], ...]
    tag: str | None = None
    codec: Codec = attrs.field(factory=lambda: get_codec(_CANONICAL), init=False)

    @property
    def __name__(self) -> str:
        """The name that pydantic shows if it is one of several types that were tried."""
        return self.name

    def __call__(self, value: Any) -> Any:
        """Return an instance as it is, or read the canonical form."""
        if is_a(value, self.classes):
            return value
        try:
            found = self._read(value)
            if not is_a(found, self.classes):
                raise _wrong(self.name, value)
        except AgentMsgError as error:
            fail(self._of_another(value) or error, value, self.name)
        return found

    def _read(self, value: Any) -> Any:
        cls = self.classes[0]
        if is_a(value, Noted):
            raise _wrong(self.name, value)
        if cls is History:
            return held_messages(value) or decode(value, _CANONICAL)
        if cls is Msg and is_object(value) and _FAMILY in value and "role" not in value:
            return Msg.from_dict(value)
        try:
            return self.codec.read_part(cls, value)
        except (AgentMsgError, RecursionError) as error:
            raise refused(error, self.codec) from None

    def _of_another(self, value: Any) -> DecodeError | None:
        """Return the error for an object with another class's tag: its content doesn't matter."""
        tag = value.get("type") if is_object(value) else None
        if self.tag is None or not is_a(tag, str) or tag == self.tag:
            return None
        if any(name == tag and issubclass(cls, self.classes) for cls, name in BLOCK_TAGS.items()):
            return None
        msg = f"{self.tag!r} is needed, not {excerpt(tag)}"
        return DecodeError(msg, code="schema", path=("type",), codec=_CANONICAL)

    def write(self, value: Any, info: Any) -> Any:
        """Return the canonical form of an instance."""
        if not is_a(value, self.classes):
            raise unexpected(value, self.name)
        document = self.codec.write(value) if isinstance(value, History) else self.codec.write_part(value)
        # A value that is rendered as JSON at once needs no plain copy.
        return document if info.mode == "json" else thawed(document)


def _wrong(name: str, value: Any) -> DecodeError:
    return DecodeError(f"{name} is needed, not {excerpt(value)}", code="type", codec=_CANONICAL)


def held_messages(value: Any) -> History | None:
    """Return the history of a list or tuple of messages; None if it is anything else."""
    if type(value) not in (list, tuple) or not value:
        return None
    items = cast("list[Any]", value)
    return History(items) if all(is_a(item, Msg) for item in items) else None


def unexpected(value: Any, name: str) -> Exception:
    """Return the error that makes pydantic try the next type of a union, or warn."""
    from pydantic_core import PydanticSerializationUnexpectedValue  # noqa: PLC0415 - pydantic asks

    return PydanticSerializationUnexpectedValue(f"{name} is needed, not {excerpt(value)}")


def _type_of(cls: Any) -> _Type:
    """Return the pydantic type of a class, or of a union by its name.

    Raises:
        InvalidMessage: code "type" if the canonical form doesn't hold this class.
    """
    if isinstance(cls, str):
        return _Type(cls, _UNIONS[cls])
    if cls is BaseBlock:
        return _Type("Block", (BaseBlock,))
    if cls in BLOCK_TAGS:
        return _Type(cls.__name__, (cls,), BLOCK_TAGS[cls])
    if cls in _CLASSES:
        return _Type(cls.__name__, (cls,), _table()[cls.__name__]["properties"].get("type", {}).get("const"))
    hint = ": name a tag with register_block" if issubclass(cls, BaseBlock) else ""
    msg = f"{cls.__name__} has no canonical form to be read from{hint}"
    raise InvalidMessage(msg, code="type")


def _table() -> dict[str, Any]:
    """Return the definitions of the canonical form."""
    table: dict[str, Any] = (get_codec(_CANONICAL).schema() or {})["$defs"]
    return table


def _definitions(kind: _Type) -> tuple[str, dict[str, Any]]:
    """Return the home of a class's definition, with all that are there; for a user's block it is the only one."""
    cls = kind.classes[0]
    if cls.__module__.startswith("agentmsg."):
        return _CANONICAL, _table()
    tag = {"const": BLOCK_TAGS[cls]}
    about = {"title": kind.name, "type": "object", "properties": {"type": tag}, "required": ["type"]}
    return f"{cls.__module__}.{cls.__qualname__}", {kind.name: about}


def core_schema(cls: type[Any] | str) -> Any:
    """Return how pydantic validates and serializes a class of the model, or a union of these by its name.

    Raises:
        InvalidMessage: code "type" if the canonical form holds no such class.
    """
    from pydantic_core import core_schema as schemas  # noqa: PLC0415 - pydantic asks

    kind = _type_of(cls)
    written = schemas.plain_serializer_function_ser_schema(kind.write, info_arg=True)
    return schemas.no_info_plain_validator_function(kind, serialization=written)


@lru_cache(maxsize=64)
def serializer(cls: type[Any]) -> Any:
    """Return what pydantic writes instances of a class with."""
    from pydantic import TypeAdapter  # noqa: PLC0415 - pydantic asks

    return TypeAdapter(cls).serializer


def json_schema(cls: type[Any] | str, handler: Any) -> dict[str, Any]:
    """Return the JSON Schema of a class of the model, or of a union, and pass its definitions to pydantic."""
    if cls is History:
        return of_documents(get_codec(_CANONICAL), handler)
    kind = _type_of(cls)
    given: dict[str, Any] = with_definitions(*_definitions(kind), {"$ref": f"#/$defs/{kind.name}"}, handler)
    return given
