"""What a provider would refuse: the rules that a codec declares, over a history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats.sending.findings import Finding, Request, rules_of
from agentmsg.model.history import as_history
from agentmsg.registry import get_codec

if TYPE_CHECKING:
    from agentmsg.formats.codec import Codec
    from agentmsg.model.history import History
    from agentmsg_codecs import CodecName

__all__ = ["Finding", "check"]


def check(history: History, target: CodecName | Codec, **options: Any) -> tuple[Finding, ...]:
    """Return what a provider would refuse in a history, in the order of the codec's rules.

    Rules look at the given history, so that paths address it. What ``encode`` mends on its own, such as an id that is
    missing, is no finding. What ``encode`` leaves out may leave more behind than is found here.

    Args:
        history: of any format.
        target: the format that would be sent.
        options: of the codec.

    Raises:
        CodecLookupError: if there is no such codec or option, or if the codec declares no rules.
    """
    codec = get_codec(target, **options)
    rules = rules_of(codec)
    request = Request(as_history(history), joins=codec.joins_turns)
    return tuple(finding for rule in rules for finding in rule.findings(request))
