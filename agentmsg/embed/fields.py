"""The classes of the model as types of pydantic: fields, arguments of TypeAdapter, bodies and responses of FastAPI.

Each is read from the canonical form, by the reader of the codec ``json``, so nothing is coerced; and is written as that
form. An instance is taken as it is. What is only a part of a history is read as that part of a small one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

import attrs

from agentmsg.api import decode, encode
from agentmsg.embed.errors import fail
from agentmsg.embed.schemas import Definitions, of_documents
from agentmsg.errors import AgentMsgError, DecodeError, InvalidMessage, excerpt
from agentmsg.model.base import BaseBlock, CacheHint, Citation, Noted, Signature
from agentmsg.model.blocks import BLOCK_TAGS, ImageBlock, TextBlock
from agentmsg.model.history import History
from agentmsg.model.msg import Msg
from agentmsg.model.sources import Base64Source, BlocksSource, FileSource, TextSource, URLSource
from agentmsg.model.tools import NativeTool, ToolSpec
from agentmsg.model.usage import Usage
from agentmsg.registry import get_codec
from agentmsg.values.types import is_mapping, is_object

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["core_schema", "held_messages", "json_schema", "unexpected"]

_CANONICAL: Final = "json"
_FAMILY = "agentmsg"
_Classes: TypeAlias = "type[Any] | tuple[type[Any], ...]"


def _document(**fields: Any) -> dict[str, Any]:
    return {_FAMILY: 1, "messages": [], **fields}


def _message(**fields: Any) -> dict[str, Any]:
    return _document(messages=[{"role": "assistant", "content": [], **fields}])


def _text(**fields: Any) -> dict[str, Any]:
    return _message(content=[{"type": "text", "text": "", **fields}])


def _history(*content: Any, usage: Usage | None = None) -> History:
    return History((Msg("assistant", content, id=None, created_at=None, usage=usage),))


@attrs.frozen
class _Place:
    """Where objects of some classes stand in a history.

    Attributes:
        path: to them, in the document and in the history.
        document: gives the smallest document that holds the native object.
        history: gives the smallest history that holds the object.
    """

    path: tuple[str | int, ...]
    document: Callable[[Any], Any]
    history: Callable[[Any], History]

    def within(self, whole: Any) -> Any:
        """Return what stands there, in a history or in a document."""
        for step in self.path:
            inside: Any = whole
            whole = getattr(whole, step) if isinstance(step, str) and not is_mapping(whole) else inside[step]
        return whole


_BLOCK = ("messages", 0, "content", 0)
_PLACES: Mapping[_Classes, _Place] = {
    History: _Place((), lambda native: native, lambda history: history),
    Msg: _Place(("messages", 0), lambda native: _document(messages=[native]), lambda msg: History((msg,))),
    BaseBlock: _Place(_BLOCK, lambda native: _message(content=[native]), _history),
    (URLSource, Base64Source, FileSource, TextSource, BlocksSource): _Place(
        (*_BLOCK, "source"),
        lambda native: _message(content=[{"type": "image", "source": native}]),
        lambda source: _history(ImageBlock(source)),
    ),
    (ToolSpec, NativeTool): _Place(
        ("tools", 0), lambda native: _document(tools=[native]), lambda tool: History(tools=(tool,))
    ),
    Usage: _Place(("messages", 0, "usage"), lambda native: _message(usage=native), lambda usage: _history(usage=usage)),
    Citation: _Place(
        (*_BLOCK, "citations", 0),
        lambda native: _text(citations=[native]),
        lambda citation: _history(TextBlock("", citations=(citation,))),
    ),
    CacheHint: _Place(
        (*_BLOCK, "cache"), lambda native: _text(cache=native), lambda hint: _history(TextBlock("", cache=hint))
    ),
    Signature: _Place(
        (*_BLOCK, "signature"),
        lambda native: _text(signature=native),
        lambda signature: _history(TextBlock("", signature=signature)),
    ),
}
# The unions that people write in annotations, and the base of all blocks, by the names of their definitions.
_UNIONS: Mapping[str, _Classes] = {
    "Block": BaseBlock,
    "Source": (URLSource, Base64Source, FileSource, TextSource, BlocksSource),
    "Tool": (ToolSpec, NativeTool),
}


@attrs.frozen
class _Type:
    """One class, or several of one place, as a type of pydantic; called with a value, it reads that.

    Attributes:
        name: of its definition.
        classes: of the instances.
        place: where they stand in a history.
        tag: of native objects, where there is one.
    """

    name: str
    classes: _Classes
    place: _Place
    tag: str | None = None

    @property
    def __name__(self) -> str:
        """What pydantic calls it where it is one of several that were tried."""
        return self.name

    def __call__(self, value: Any) -> Any:
        """Return an instance as it is, or what the canonical form says."""
        if isinstance(value, self.classes):
            return value
        if self.classes is History and (messages := held_messages(value)):
            return messages
        is_whole = self.classes is Msg and is_object(value) and _FAMILY in value and "role" not in value
        try:
            return Msg.from_dict(value) if is_whole else self._within(value)
        except AgentMsgError as error:
            told = self._of_another(value) or error
            fail(told, value, self.name, 0 if is_whole else len(self.place.path))

    def _within(self, value: Any) -> Any:
        """Return what is read as a part of a history.

        Raises:
            DecodeError: where it can't be; its path leads through that history.
        """
        if not isinstance(value, Noted):
            found = self.place.within(decode(self.place.document(value), _CANONICAL))
            if isinstance(found, self.classes):
                return found
        msg = f"{self.name} is needed, not {excerpt(value)}"
        raise DecodeError(msg, code="type", path=self.place.path, codec=_CANONICAL)

    def _of_another(self, value: Any) -> DecodeError | None:
        """Return the error of an object whose tag is that of another class: what is inside of it does not matter."""
        tag = value.get("type") if is_object(value) else None
        if self.tag is None or not isinstance(tag, str) or tag == self.tag:
            return None
        if any(name == tag and issubclass(cls, self.classes) for cls, name in BLOCK_TAGS.items()):
            return None
        msg = f"{self.tag!r} is needed, not {excerpt(tag)}"
        return DecodeError(msg, code="schema", path=(*self.place.path, "type"), codec=_CANONICAL)

    def write(self, value: Any, info: Any) -> Any:
        """Return the canonical form of an instance."""
        if not isinstance(value, self.classes):
            raise unexpected(value, self.name)
        history = self.place.history(value)
        # Nothing is ever lost here, and of what goes into JSON at once no plain copy is needed.
        in_json = info.mode == "json"
        return self.place.within(get_codec(_CANONICAL).write(history) if in_json else encode(history, _CANONICAL))


def held_messages(value: Any) -> History | None:
    """Return the history of a list or tuple of messages; None where it is anything else."""
    if type(value) not in (list, tuple) or not value:
        return None
    items = cast("list[Any]", value)
    return History(items) if all(isinstance(item, Msg) for item in items) else None


def unexpected(value: Any, name: str) -> Exception:
    """Return the error by which pydantic goes on to the next type of a union, or warns."""
    from pydantic_core import PydanticSerializationUnexpectedValue  # noqa: PLC0415 - pydantic asks

    return PydanticSerializationUnexpectedValue(f"{name} is needed, not {excerpt(value)}")


def _type_of(cls: Any) -> _Type:
    """Return what pydantic is told of a class, or of a union by its name.

    Raises:
        InvalidMessage: code "type" where it is no class that the canonical form holds.
    """
    if isinstance(cls, str):
        classes = _UNIONS[cls]
        return _Type(cls, classes, _PLACES[classes])
    if cls is BaseBlock:
        return _Type("Block", BaseBlock, _PLACES[BaseBlock])
    if cls in BLOCK_TAGS:
        return _Type(cls.__name__, cls, _PLACES[BaseBlock], BLOCK_TAGS[cls])
    for classes, place in _PLACES.items():
        if cls is classes or (isinstance(classes, tuple) and cls in classes):
            own = _table()[cls.__name__]["properties"].get("type", {})
            return _Type(cls.__name__, cls, place, own.get("const"))
    hint = ": name a tag with register_block" if issubclass(cls, BaseBlock) else ""
    msg = f"{cls.__name__} has no canonical form to be read from{hint}"
    raise InvalidMessage(msg, code="type")


def _table() -> dict[str, Any]:
    """Return the definitions of the canonical form."""
    table: dict[str, Any] = (get_codec(_CANONICAL).schema() or {})["$defs"]
    return table


def _definitions(kind: _Type) -> Definitions:
    """Return the definitions among which that of a class is: of a block of yours it is the only one."""
    cls = kind.classes
    if isinstance(cls, tuple) or cls is BaseBlock or cls.__module__.startswith("agentmsg."):
        return Definitions(_CANONICAL, _table())
    tag = {"const": BLOCK_TAGS[cls]}
    about = {"title": kind.name, "type": "object", "properties": {"type": tag}, "required": ["type"]}
    return Definitions(f"{cls.__module__}.{cls.__qualname__}", {kind.name: about})


def core_schema(cls: type[Any] | str) -> Any:
    """Return how pydantic validates and serializes a class of the model, or a union of these by its name.

    Raises:
        InvalidMessage: code "type" where the canonical form holds no such class.
    """
    from pydantic_core import core_schema as schemas  # noqa: PLC0415 - pydantic asks

    kind = _type_of(cls)
    ref = None if cls is History or isinstance(cls, str) else _definitions(kind).core_ref(kind.name)
    written = schemas.plain_serializer_function_ser_schema(kind.write, info_arg=True)
    return schemas.no_info_plain_validator_function(kind, serialization=written, ref=ref)


def json_schema(cls: type[Any] | str, handler: Any) -> dict[str, Any]:
    """Return the JSON Schema of a class of the model, or of a union; the definitions in it are given to pydantic."""
    if cls is History:
        return of_documents(get_codec(_CANONICAL), handler)
    kind = _type_of(cls)
    found = _definitions(kind)
    # Of a class pydantic makes the definition itself, for its core schema has a ref.
    schema = {"$ref": f"#/$defs/{kind.name}"} if isinstance(cls, str) else found.table[kind.name]
    given: dict[str, Any] = found.given(schema, handler)
    return given
