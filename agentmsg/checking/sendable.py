"""Find what a provider would refuse: apply the codec's rules to a history."""

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

    Rules see the history as given, and paths refer to it. Anything that ``encode`` fixes on its own, such as a missing
    id, isn't a finding. What ``encode`` leaves out may cause faults that aren't found here.

    Args:
        history: of any format.
        target: the format to send.
        options: codec options.

    Raises:
        CodecLookupError: if there is no such codec or option, or if the codec declares no rules.
    """
    given = as_history(history)
    codec = get_codec(target, **options).suited(given)
    rules = rules_of(codec)
    request = Request(given, joins=codec.joins_turns, codec=codec)
    return tuple([rule.finding(path) for rule in rules for path in rule.find(request)])
