"""What a provider refuses, and how to mend it: the vocabulary of ``agentmsg.check`` and ``agentmsg.repair``.

May import ``model`` and what lies below it, and rules for blocks. A codec lists its rules as ``Codec.rules``.

| names | what they are |
| --- | --- |
| Finding, Severity, Path | something that would be refused; "error" or "warning"; its place in the history |
| SendingRule | one rule: its code, severity, words, a function that finds violations, and one that mends them |
| Request | a history for rules: its blocks by class, and which results answer which calls |
| Change, Insert, Move, Remove | what a mend may do |
| Edit, Mend, Mending | any of them; a function that returns them; its argument |
| PAIRING | the rules of calls and results, for providers that match them by id |
| calls_of | the calls of client tools, each with its path |
| is_base64 | whether a text is base64 |
| limits | rules for settings, each with the values that are accepted |
| removing, clearing | the mends that remove what was found, and that clear fields |
| rules_at | the rules of a codec, in a module that is imported when somebody asks for them |
| usual | rules that several providers share, each with its variations |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.lazy import imported, later

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from agentmsg.formats.sending import limits, usual
    from agentmsg.formats.sending.edits import Change, Edit, Insert, Move, Path, Remove
    from agentmsg.formats.sending.encoding import is_base64
    from agentmsg.formats.sending.findings import Finding, Mend, Mending, Request, SendingRule, Severity, calls_of
    from agentmsg.formats.sending.mends import PAIRING, clearing, removing

_HOMES = {
    "agentmsg.formats.sending.": "limits usual",
    "agentmsg.formats.sending.edits": "Change Edit Insert Move Path Remove",
    "agentmsg.formats.sending.encoding": "is_base64",
    "agentmsg.formats.sending.findings": "Finding Mend Mending Request SendingRule Severity calls_of",
    "agentmsg.formats.sending.mends": "PAIRING clearing removing",
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
    "clearing",
    "is_base64",
    "limits",
    "removing",
    "rules_at",
    "usual",
]

__getattr__ = later(globals(), _HOMES)


class _RulesAt:
    def __init__(self, module: str, kept_by: Callable[[Any], Collection[str]]) -> None:
        self._module, self._kept_by = module, kept_by
        self._rules: tuple[SendingRule, ...] | None = None

    def __get__(self, codec: object, owner: type) -> Any:
        rules = self._rules
        if rules is None:
            rules = self._rules = tuple(imported(self._module).RULES)
        kept = () if codec is None else self._kept_by(codec)
        return tuple([rule for rule in rules if rule.code not in kept]) if kept else rules


def rules_at(module: str, kept_by: Callable[[Any], Collection[str]] = lambda _: ()) -> Any:
    """Return the attribute ``rules`` of a codec: the ``RULES`` of a module, imported when somebody asks for them.

    Args:
        module: its name.
        kept_by: returns the codes of the rules that whatever a codec writes keeps, by its options.
    """
    return _RulesAt(module, kept_by)
