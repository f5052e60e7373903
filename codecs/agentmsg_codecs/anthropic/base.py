"""The base of the codecs for Anthropic's requests and responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import attrs

from agentmsg.formats import Codec
from agentmsg_codecs.anthropic.format import Messages
from agentmsg_codecs.anthropic.names import FAMILY

if TYPE_CHECKING:
    from agentmsg.formats.forms import Described


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Anthropic(Codec):
    """Documents of Anthropic's Messages API.

    Attributes:
        thinking: what to do with thinking that Anthropic didn't sign: "drop" it, or write it as "text" in tags. None
            drops it, too, but ``encode`` then refuses to lose it.
        engine: reads and writes. Hooks registered on ``engine.parts.converter`` before first use replace ours.
    """

    family: ClassVar[str] = FAMILY
    events: ClassVar[str | None] = "agentmsg_codecs.anthropic.events"
    fits_as_read: ClassVar[bool] = True
    writes_plain: ClassVar[bool] = True
    kept: ClassVar[frozenset[str]] = frozenset(
        {"clear_at", "fallback", "tool_addition", "tool_reference", "tool_removal"}
    )

    thinking: Literal["drop", "text"] | None = attrs.field(
        default=None, validator=attrs.validators.in_((None, "drop", "text"))
    )
    engine: Messages = attrs.field(factory=Messages, init=False, eq=False, repr=False)

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms of content and tools."""
        return (self.engine.described,)
