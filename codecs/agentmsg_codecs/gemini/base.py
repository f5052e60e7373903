"""Shared by the codecs of requests and responses."""

from __future__ import annotations

from typing import ClassVar

import attrs

from agentmsg.formats import Codec
from agentmsg_codecs.gemini.messages import Messages
from agentmsg_codecs.gemini.names import FAMILY, KEPT, both


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Gemini(Codec):
    """Documents of Gemini's generateContent.

    Attributes:
        engine: reads and writes; hooks registered on ``engine.parts.converter`` before first use replace ours.
    """

    family: ClassVar[str] = FAMILY
    events: ClassVar[str | None] = "agentmsg_codecs.gemini.events"
    fits_as_read: ClassVar[bool] = True
    writes_plain: ClassVar[bool] = True
    content_keys: ClassVar[frozenset[str]] = Codec.content_keys | {"citationMetadata", "further"}
    kept: ClassVar[frozenset[str]] = both(KEPT)

    engine: Messages = attrs.field(factory=Messages, init=False, eq=False, repr=False)
