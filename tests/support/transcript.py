"""A small lossy codec as a third party would write it: texts by role, nothing else. Tests convert into it.

[{"user": ["Hello"]}, {"assistant": ["Hi.", "How are you?"]}]
"""

from __future__ import annotations

from typing import Any, ClassVar, cast

import attrs

import agentmsg as am
from agentmsg.formats import maker
from agentmsg.formats.capabilities import KEEP, Caps, MessageRow, Row

__all__ = ["TranscriptCodec"]

_TEXTS = MessageRow(blocks={am.TextBlock: Row({"text": KEEP})})
# Values that the document lacks stay empty; the constructor of Msg would make an id and a time.
_make_message = maker(am.Msg)
_CAPS = Caps(messages={"user": _TEXTS, "assistant": _TEXTS})


@attrs.frozen(kw_only=True)
class TranscriptCodec(am.Codec):
    """Texts of users and assistants.

    Attributes:
        shout: whether to write the roles in capitals.
    """

    name: ClassVar[str] = "transcript"
    family: ClassVar[str] = "transcript"
    title: ClassVar[str] = "a transcript"

    shout: bool = attrs.field(default=False, validator=attrs.validators.instance_of(bool))

    def make_caps(self) -> Caps:
        """Return the table: text blocks of users and assistants, without any other field."""
        return _CAPS

    def read(self, document: Any) -> am.History:
        """Read a list of objects with one key each."""
        if not isinstance(document, list):
            msg = "a list is needed"
            raise am.DecodeError(msg, code="type")
        messages: list[am.Msg] = []
        for index, entry in enumerate(cast("Any", document)):
            if not isinstance(entry, dict) or len(cast("Any", entry)) != 1:
                msg = "an object with one key is needed"
                raise am.DecodeError(msg, path=(index,))
            ((role, texts),) = cast("dict[str, list[str]]", entry).items()
            content = tuple(am.TextBlock(text) for text in texts)
            messages.append(_make_message(role=role.lower(), content=content))
        return am.History(messages)

    def write(self, history: am.History) -> Any:
        """Write the texts of each message under its role."""
        return [
            {
                message.role.upper() if self.shout else message.role: [
                    block.text for block in message.blocks(am.TextBlock)
                ]
            }
            for message in history
        ]

    def sniff(self, document: Any) -> float:
        """Return 0.5 for a list of objects whose first has the one key "user"."""
        entries: list[Any] = cast("Any", document) if isinstance(document, list) else []
        return 0.5 if entries and list(entries[0]) == ["user"] else 0.0
