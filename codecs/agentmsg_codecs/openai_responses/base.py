"""Shared by the codecs of requests and responses."""

from __future__ import annotations

from typing import ClassVar, Literal

import attrs

from agentmsg.formats import Codec
from agentmsg_codecs.openai_responses.items import Items
from agentmsg_codecs.openai_responses.names import FAMILY, NATIVE_ITEMS


@attrs.frozen(kw_only=True, eq=False, repr=False)
class OpenAIResponses(Codec):
    """Documents of OpenAI's Responses API.

    Attributes:
        thinking: what to do with thinking that OpenAI's models can't go on from: "drop" it, or write it as "text" in
            tags. None drops it, too, but ``encode`` then refuses to lose it.
        engine: what reads and writes; hooks registered on ``engine.items.parts["items"].converter``, or on that of
            ``engine.inputs``, before first use replace ours.
    """

    family: ClassVar[str] = FAMILY
    events: ClassVar[str | None] = "agentmsg_codecs.openai_responses.events"
    fits_as_read: ClassVar[bool] = True
    writes_plain: ClassVar[bool] = True
    content_keys: ClassVar[frozenset[str]] = Codec.content_keys | {"outputs", "results"}
    kept: ClassVar[frozenset[str]] = NATIVE_ITEMS | {
        "caller", "computer_call", "computer_call_output", "fingerprint", "shell_call_output",
    }  # fmt: skip

    thinking: Literal["drop", "text"] | None = attrs.field(
        default=None, validator=attrs.validators.in_((None, "drop", "text"))
    )
    engine: Items = attrs.field(factory=Items, init=False, eq=False, repr=False)
