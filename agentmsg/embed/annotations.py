"""As: a history as a document of a format, for fields of pydantic models and FastAPI bodies.

    class Request(BaseModel):
        conversation: Annotated[am.History, am.As("openai")]

Such a field is read from a document of that format, and written as one; the value is a History. ``am.As["openai"]`` is
the same annotation, for code that no type checker reads.
"""

from __future__ import annotations

from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Union, Unpack, cast, get_args, get_origin

import attrs

from agentmsg.api.reading import Unknown, decode, loads
from agentmsg.api.writing import OnLoss, dumps, encode
from agentmsg.embed.fields import fail, held_messages, unexpected
from agentmsg.embed.schemas import of_documents
from agentmsg.errors import AgentMsgError, DecodeError, InvalidMessage, excerpt, is_a
from agentmsg.fitting.allowing import allowed
from agentmsg.formats.codec import Codec
from agentmsg.limits import DEFAULT_LIMITS, Limits, as_limits
from agentmsg.model.allow import Allow
from agentmsg.model.checks import flag, one_of
from agentmsg.model.history import History
from agentmsg.model.msg import Msg
from agentmsg.registry import get_codec

if TYPE_CHECKING:
    from agentmsg_codecs import CodecName
    from agentmsg_codecs.options import CodecOptions


@attrs.frozen(init=False, repr=False)
class As:
    """The document format of a history, or of a message, for use in ``Annotated``.

    A history is accepted as it is, and so is a list of messages. Anything else must be a document of the format: plain
    data, SDK objects, or bytes. Binary formats (``msgpack``) are base64 in JSON.

    Args:
        codec: the format.
        on_loss: what to do if the format can't hold all content: "error" makes the serialization fail, with the
            LossError as its cause; "ignore" allows it.
        allow: as for ``agentmsg.encode``.
        carry: as for ``agentmsg.encode``.
        limits: bounds on what is read.
        unknown: as for ``agentmsg.loads``: "error" refuses keys, roles and types of blocks that the model has no place
            for.
        options: codec options.

    Raises:
        CodecLookupError: if there is no such codec or option; at once, not when a model is built.
    """

    codec: Codec
    on_loss: OnLoss
    allow: Allow
    carry: bool
    limits: Limits
    unknown: Unknown

    def __init__(
        self,
        codec: CodecName | Codec,
        *,
        on_loss: OnLoss = "error",
        allow: Allow = (),
        carry: bool = False,
        limits: Limits = DEFAULT_LIMITS,
        unknown: Unknown = "keep",
        **options: Unpack[CodecOptions],
    ) -> None:
        one_of(on_loss, "on_loss", "error", "ignore")
        one_of(unknown, "unknown", "keep", "error")
        flag(carry, "carry")
        made, words = cast("Any", self), cast("Allow", tuple(sorted(allowed(allow))))
        made.__attrs_init__(get_codec(codec, **options), on_loss, words, carry, as_limits(limits), unknown)

    def __class_getitem__(cls, codec: CodecName | Codec) -> Any:
        """Return ``Annotated[History, As(codec)]``."""
        return Annotated[History, cls(codec)]

    def __repr__(self) -> str:
        """Return a short form of the call that makes it."""
        return f"As({self.codec.name!r})"

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Read and write documents of the format.

        Raises:
            InvalidMessage: code "type" if the annotated type is neither History nor Msg (nor None).
        """
        from pydantic_core import core_schema  # noqa: PLC0415 - pydantic asks

        kinds = set(get_args(source) if get_origin(source) in (Union, UnionType) else [source])
        wanted = kinds - {NoneType}
        if wanted not in ({History}, {Msg}):
            msg = f"{self!r} must stand beside History or Msg in Annotated, not {excerpt(source)}"
            raise InvalidMessage(msg, code="type")
        documents = _Documents(self, wanted.pop())
        written = core_schema.plain_serializer_function_ser_schema(documents.write, info_arg=True)
        schema = core_schema.no_info_plain_validator_function(documents, serialization=written)
        return core_schema.nullable_schema(schema) if NoneType in kinds else schema

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:
        """Return the JSON Schema of the documents, or one that names the format; for bytes, that of base64."""
        found = of_documents(self.codec, handler)
        if self.codec.binary:
            found = {**found, "type": "string", "contentEncoding": "base64"}
        return {"anyOf": [found, {"type": "null"}]} if schema["type"] == "nullable" else found


@attrs.frozen
class _Documents:
    """A history, or one message, as documents of a format; calling it with a value reads that.

    Attributes:
        way: the format and its options.
        cls: History or Msg.
    """

    way: As
    cls: type[History | Msg]

    @property
    def __name__(self) -> str:
        """The name that pydantic shows if it is one of several types that were tried."""
        return f"{self.cls.__name__} as {self.way.codec.name}"

    def __call__(self, value: Any) -> History | Msg:
        """Return an instance as it is, or read a document."""
        if is_a(value, self.cls):
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
        codec, limits, unknown = self.way.codec, self.way.limits, self.way.unknown
        if codec.binary and is_a(value, str):
            value = _from_base64(value, codec.name)
        read: Any = loads if is_a(value, (bytes, bytearray, memoryview)) else decode
        history: History = read(value, codec, limits=limits, unknown=unknown)
        return history

    def write(self, value: Any, info: Any) -> Any:
        """Return the document of an instance."""
        if not is_a(value, self.cls):
            raise unexpected(value, self.__name__)
        way = self.way
        write: Any = dumps if way.codec.binary else encode
        written = write(value, way.codec, on_loss=way.on_loss, allow=way.allow, carry=way.carry)
        if not way.codec.binary or info.mode != "json":
            return written
        from base64 import b64encode  # noqa: PLC0415 - needed by few

        return b64encode(written).decode()


def _from_base64(text: str, codec: str) -> bytes:
    from base64 import b64decode  # noqa: PLC0415 - needed by few

    try:
        return b64decode(text, validate=True)
    except ValueError as error:
        msg = f"not base64: {error}"
        raise DecodeError(msg, code="syntax", codec=codec) from None
