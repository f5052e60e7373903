"""Documents of any format as types of pydantic: what ``As`` tells it."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

import attrs

from agentmsg.api import decode, dumps, encode, loads
from agentmsg.embed.errors import fail
from agentmsg.embed.fields import held_messages, unexpected
from agentmsg.embed.schemas import of_documents
from agentmsg.errors import AgentMsgError, DecodeError, InvalidMessage, excerpt, is_a
from agentmsg.model.history import History
from agentmsg.model.msg import Msg

if TYPE_CHECKING:
    from agentmsg.embed.annotations import As

__all__ = ["core_schema", "json_schema"]


@attrs.frozen
class _Documents:
    """A history, or one message, as documents of a format; called with a value, it reads that.

    Attributes:
        way: the format and its options.
        cls: History or Msg.
    """

    way: As
    cls: type[History | Msg]

    @property
    def __name__(self) -> str:
        """What pydantic calls it where it is one of several that were tried."""
        return f"{self.cls.__name__} as {self.way.codec.name}"

    def __call__(self, value: Any) -> History | Msg:
        """Return an instance as it is, or what a document says."""
        if isinstance(value, self.cls):
            return value
        if self.cls is History and (messages := held_messages(value)):
            return messages
        try:
            history = self._read(value)
            if self.cls is History:
                return history
            if len(history) == 1:
                return history[0]
            msg = f"one message is needed, the document holds {len(history)}"
            raise DecodeError(msg, code="schema", codec=self.way.codec.name)
        except AgentMsgError as error:
            fail(error, value, self.__name__)

    def _read(self, value: Any) -> History:
        codec, limits = self.way.codec, self.way.limits
        if isinstance(value, str) and codec.binary:
            value = _from_base64(value, codec.name)
        if is_a(value, (bytes, bytearray, memoryview)):
            return loads(value, codec, limits=limits)
        return decode(value, codec, limits=limits)

    def write(self, value: Any, info: Any) -> Any:
        """Return the document of an instance."""
        if not isinstance(value, self.cls):
            raise unexpected(value, self.__name__)
        way = self.way
        if not way.codec.binary:
            return encode(value, way.codec, on_loss=way.on_loss, carry=way.carry)
        raw = dumps(value, way.codec, on_loss=way.on_loss, carry=way.carry)
        return _to_base64(raw) if info.mode == "json" else raw


def _from_base64(text: str, codec: str) -> bytes:
    from base64 import b64decode  # noqa: PLC0415 - needed by few

    try:
        return b64decode(text, validate=True)
    except ValueError as error:
        msg = f"not base64: {error}"
        raise DecodeError(msg, code="syntax", codec=codec) from None


def _to_base64(raw: bytes) -> str:
    from base64 import b64encode  # noqa: PLC0415 - needed by few

    return b64encode(raw).decode()


def core_schema(way: As, source: Any) -> Any:
    """Return how pydantic validates and serializes what ``Annotated[source, way]`` says.

    Raises:
        InvalidMessage: code "type" where the source is neither a History nor a Msg (or None).
    """
    from pydantic_core import core_schema as schemas  # noqa: PLC0415 - pydantic asks

    kinds = set(get_args(source) if get_origin(source) in (Union, UnionType) else [source])
    (cls,) = kinds - {NoneType} if len(kinds - {NoneType}) == 1 else (None,)
    if cls is not History and cls is not Msg:
        msg = f"{way!r} must stand beside History or Msg in Annotated, not {excerpt(source)}"
        raise InvalidMessage(msg, code="type")
    documents = _Documents(way, cls)
    written = schemas.plain_serializer_function_ser_schema(documents.write, info_arg=True)
    schema = schemas.no_info_plain_validator_function(documents, serialization=written)
    return schemas.nullable_schema(schema) if NoneType in kinds else schema


def json_schema(way: As, schema: Any, handler: Any) -> dict[str, Any]:
    """Return the JSON Schema of the documents of a format; of one that is bytes, that of base64."""
    found = of_documents(way.codec, handler)
    if way.codec.binary:
        found = {**found, "type": "string", "contentEncoding": "base64"}
    return {"anyOf": [found, {"type": "null"}]} if schema["type"] == "nullable" else found
