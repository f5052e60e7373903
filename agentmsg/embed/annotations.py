"""As: a history as a document of a format, for the fields of pydantic models, and for bodies of FastAPI.

    class Request(BaseModel):
        conversation: Annotated[am.History, am.As("openai")]

Such a field is read from a document of that format, and written as one; the value is a History. ``am.As["openai"]`` is
the same annotation, for where no type checker looks.
"""

from __future__ import annotations

from typing import Annotated, Any

import attrs

from agentmsg.api import OnLoss
from agentmsg.formats.codec import Codec
from agentmsg.limits import DEFAULT_LIMITS, Limits, as_limits
from agentmsg.model.checks import flag, one_of
from agentmsg.model.history import History
from agentmsg.registry import get_codec

__all__ = ["As"]


@attrs.frozen(init=False, repr=False)
class As:
    """How a history, or a message, stands in a document: what is beside it in ``Annotated``.

    A value that is a history already is taken as it is, and so is a list of messages. Anything else must be a document
    of the format: plain data, objects of SDKs, or bytes. Formats that are bytes (``msgpack``) are base64 in JSON.

    Args:
        codec: the format.
        on_loss: what to do where the format can't hold all content: "error" makes the serialization fail, with the
            LossError as its cause; "ignore" does not.
        carry: as of ``agentmsg.encode``.
        limits: bounds on what is read.
        options: of the codec.

    Raises:
        CodecLookupError: where there is no such codec or option; at once, not when a model is built.
    """

    codec: Codec
    on_loss: OnLoss
    carry: bool
    limits: Limits

    def __init__(
        self,
        codec: str | Codec,
        *,
        on_loss: OnLoss = "error",
        carry: bool = False,
        limits: Limits = DEFAULT_LIMITS,
        **options: Any,
    ) -> None:
        one_of(on_loss, "on_loss", "error", "ignore")
        flag(carry, "carry")
        self.__attrs_init__(get_codec(codec, **options), on_loss, carry, as_limits(limits))

    def __class_getitem__(cls, codec: str | Codec) -> Any:
        """Return ``Annotated[History, As(codec)]``."""
        return Annotated[History, cls(codec)]

    def __repr__(self) -> str:
        """Return a short form of the call that makes it."""
        return f"As({self.codec.name!r})"

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Be read and written as documents of the format.

        Raises:
            InvalidMessage: code "type" where neither a History nor a Msg stands beside it.
        """
        from agentmsg.embed.foreign import core_schema  # noqa: PLC0415 - imports what only pydantic needs

        return core_schema(self, source)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:
        """Return the JSON Schema of the documents, or one that names the format."""
        from agentmsg.embed.foreign import json_schema  # noqa: PLC0415 - the same

        return json_schema(self, schema, handler)
