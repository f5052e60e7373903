"""Shared by the codecs of requests and responses."""

from __future__ import annotations

from typing import ClassVar, Literal

import attrs

from agentmsg.formats import Codec
from agentmsg_codecs.bedrock.messages import Messages
from agentmsg_codecs.bedrock.names import FAMILY, STRANDS


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Bedrock(Codec):
    """Documents of Bedrock's Converse.

    Attributes:
        thinking: for thinking that another provider signed: "drop" it, or write it as "text" in tags. None drops it,
            too, but ``encode`` then refuses to lose it.
        engine: reads and writes; hooks registered on ``engine.parts.converter`` before first use replace ours.
    """

    family: ClassVar[str] = FAMILY
    events: ClassVar[str | None] = "agentmsg_codecs.bedrock.events"
    fits_as_read: ClassVar[bool] = True
    writes_plain: ClassVar[bool] = True
    # The keys that Strands adds to messages.
    kept: ClassVar[frozenset[str]] = STRANDS

    thinking: Literal["drop", "text"] | None = attrs.field(
        default=None, validator=attrs.validators.in_((None, "drop", "text"))
    )
    engine: Messages = attrs.field(factory=Messages, init=False, eq=False, repr=False)
