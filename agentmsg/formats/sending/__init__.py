"""What a provider refuses, and what mends it: the words for ``agentmsg.check`` and ``agentmsg.repair``.

May import ``model`` and what lies below it, and rules for blocks. A codec lists its rules as ``Codec.rules``.

| names | what they are |
| --- | --- |
| Finding, Severity, Path | one thing that would be refused; "error" or "warning"; where it stands in the history |
| SendingRule | one rule: its code, severity, words, the function that finds what breaks it, and the one that mends it |
| Request | a history as rules look at it: its blocks by class, and which results answer which calls |
| Change, Insert, Move, Remove | what a mend may do |
| Edit, Mend, Mending | any of them; a function that returns them; what it is asked with |
| PAIRING | the rules of calls and their results, for providers that match them by ids |
| calls_of | the calls of the client's tools, each with its path |
| data_encoding, is_base64 | the rule that media are base64; whether a text is |
| removing | the mend that removes what was found |
| usual | the rules that several providers have, each with what differs between them |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmsg.lazy import later

if TYPE_CHECKING:
    from agentmsg.formats.sending import usual
    from agentmsg.formats.sending.edits import Change, Edit, Insert, Move, Remove
    from agentmsg.formats.sending.encoding import data_encoding, is_base64
    from agentmsg.formats.sending.findings import (
        Finding,
        Mend,
        Mending,
        Path,
        Request,
        SendingRule,
        Severity,
        calls_of,
    )
    from agentmsg.formats.sending.mends import PAIRING, removing

_HOMES = {
    **dict.fromkeys(("Change", "Edit", "Insert", "Move", "Remove"), "agentmsg.formats.sending.edits"),
    **dict.fromkeys(("data_encoding", "is_base64"), "agentmsg.formats.sending.encoding"),
    **dict.fromkeys(
        (
            "Finding",
            "Mend",
            "Mending",
            "Path",
            "Request",
            "SendingRule",
            "Severity",
            "calls_of",
        ),
        "agentmsg.formats.sending.findings",
    ),
    **dict.fromkeys(("PAIRING", "removing"), "agentmsg.formats.sending.mends"),
    "usual": "agentmsg.formats.sending.usual",
}

__all__ = [
    "PAIRING",
    "Change",
    "Edit",
    "Finding",
    "Insert",
    "Mend",
    "Mending",
    "Move",
    "Path",
    "Remove",
    "Request",
    "SendingRule",
    "Severity",
    "calls_of",
    "data_encoding",
    "is_base64",
    "removing",
    "usual",
]

__getattr__ = later(globals(), _HOMES)
