"""Bodies: what codecs of requests and responses share, whatever messages these hold.

May import ``model`` and what lies below it, and forms.

| names | what they are |
| --- | --- |
| BodySettings | the settings of a request, by a form: read from the parameters of its body, and written |
| Requests | how a request holds its messages: in a body, as a list, or alone |
| listed_tools, says_no_tools | the tools under a key; whether an extra there means "no tools" |
| read_tool, write_tool | one tool, by a form; any other is native |
| with_input, native_tool_row | the rule for tools that take free text; the row of native tools |
| Pairs | a chosen and a rejected answer, which several formats of training data share |
| RowCodec, check_document | codecs of training rows; whether a document may be a row |
| sources_at, as_address | the media of a row's column of addresses; the rule for them |
| ToolColumn | the tools of a training row, in their own column |
| Answers, ANSWER, answer_caps | codecs of responses of one message; their forms and capability table |
| told, completing | what a response says besides; what finds the fields that it lacks and every response has |
| as_read | a message made of one that was just read, and is spelt alike |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmsg.lazy import later

if TYPE_CHECKING:
    from agentmsg.formats.bodies.answers import ANSWER, Answers, answer_caps, as_read, completing, told
    from agentmsg.formats.bodies.pairs import Pairs
    from agentmsg.formats.bodies.requests import Requests
    from agentmsg.formats.bodies.rows import RowCodec, as_address, check_document, sources_at
    from agentmsg.formats.bodies.settings import BodySettings
    from agentmsg.formats.bodies.tools import (
        ToolColumn,
        listed_tools,
        native_tool_row,
        read_tool,
        says_no_tools,
        with_input,
        write_tool,
    )

_HOMES = {
    "agentmsg.formats.bodies.answers": "ANSWER Answers answer_caps as_read completing told",
    "agentmsg.formats.bodies.pairs": "Pairs",
    "agentmsg.formats.bodies.requests": "Requests",
    "agentmsg.formats.bodies.rows": "RowCodec as_address check_document sources_at",
    "agentmsg.formats.bodies.settings": "BodySettings",
    "agentmsg.formats.bodies.tools": (
        "ToolColumn listed_tools native_tool_row read_tool says_no_tools with_input write_tool"
    ),
}

__all__ = [
    "ANSWER",
    "Answers",
    "BodySettings",
    "Pairs",
    "Requests",
    "RowCodec",
    "ToolColumn",
    "answer_caps",
    "as_address",
    "as_read",
    "check_document",
    "completing",
    "listed_tools",
    "native_tool_row",
    "read_tool",
    "says_no_tools",
    "sources_at",
    "told",
    "with_input",
    "write_tool",
]

__getattr__ = later(globals(), _HOMES)
