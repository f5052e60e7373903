"""Check and repair: find what a provider would refuse, and fix it, rule by rule, until nothing more can be mended.

One loop does both, so that ``check`` names all that a repair changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack

import attrs

from agentmsg.fitting.account import account
from agentmsg.fitting.draft import Draft
from agentmsg.fitting.fit import fit
from agentmsg.fitting.fitted import Fitted, make_fitted
from agentmsg.fitting.losses import Losses
from agentmsg.formats.sending.findings import Finding, Mending, Request, rules_of
from agentmsg.model.checks import clean_repr, listed, one_of
from agentmsg.model.history import History, as_history
from agentmsg.registry import get_codec

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from agentmsg.formats.codec import Codec
    from agentmsg.formats.sending.edits import Path
    from agentmsg.formats.sending.findings import SendingRule
    from agentmsg_codecs import CodecName
    from agentmsg_codecs.options import CodecOptions

# A mend may break another rule, which is then applied in the next round; each round leaves less. A few always sufficed.
_ROUNDS = 8


@attrs.frozen(repr=False)
class Repaired:
    """The result of ``repair``.

    Attributes:
        history: the repaired one; the given one itself if there was nothing to mend.
        losses: the changes, each with the code of its rule as reason; ``restore`` undoes all of them.
    """

    history: History
    losses: Losses
    __repr__ = clean_repr

    def __rich_repr__(self) -> Iterator[tuple[str, Any]]:
        """Yield the fields to show: losses first, because the history may be long."""
        yield "losses", self.losses
        yield "history", self.history


def check(history: History, target: CodecName | Codec, **options: Unpack[CodecOptions]) -> tuple[Finding, ...]:
    """Return what a provider would refuse in a history, in the order of the codec's rules.

    Rules see the history as given, and paths refer to it. Anything that ``encode`` fixes on its own, such as a missing
    id, isn't a finding. What only follows from the repair of another finding, or from what ``encode`` leaves out, comes
    after the other findings of its rule: so all that ``repair``, and ``encode`` with ``repair=True``, would change is
    named.

    Args:
        history: of any format.
        target: the format to send.
        options: codec options.

    Raises:
        CodecLookupError: if there is no such codec or option, or if the codec declares no rules.
    """
    given = as_history(history)
    codec = get_codec(target, **options).suited(given)
    request = Request(given, joins=codec.joins_turns, codec=codec)
    # A dict: in order, and each path once.
    found = {id(rule): (rule, dict.fromkeys(rule.find(request))) for rule in rules_of(codec)}

    def tell(rule: SendingRule, paths: Iterable[Path]) -> None:
        found[id(rule)][1].update(dict.fromkeys(paths))

    if any(paths and rule.mend is not None and rule.severity == "error" for rule, paths in found.values()):
        repaired(make_fitted(given, given, codec.name), codec, fits=False, tell=tell)
    fitted = fit(given, codec)
    if fitted.history is not given:
        done = repaired(fitted, codec, tell=tell)
        # What nothing can mend once encode left something out, such as the last message.
        request = Request(done.history, joins=codec.joins_turns, codec=codec)
        for rule in rules_of(codec):
            if rule.mend is None:
                tell(rule, [path for path in rule.find(request) if not any(isinstance(step, int) for step in path)])
    return tuple([rule.finding(path) for rule, paths in found.values() for path in paths])


def errors(given: History, fitted: History, codec: Codec) -> list[Finding]:
    """Return errors that ``check`` finds in a history: some if there are any, and all missing settings.

    Args:
        given: the history.
        fitted: what ``encode`` writes of it.
        codec: the target, suited to the history.
    """
    rules = [rule for rule in rules_of(codec) if rule.severity == "error"]
    request = Request(given, joins=codec.joins_turns, codec=codec)
    found = [rule.finding(path) for rule in rules for path in rule.find(request)]
    if fitted is given or _asks_the_same(given, fitted, codec.family):
        return found
    request = Request(fitted, joins=codec.joins_turns, codec=codec)
    for rule in rules:
        # One error is enough. What encode left out decides whether a setting is missing.
        if rule.mend is not None and not found:
            paths = list(rule.find(request))
            found += [rule.finding(path) for path in paths] if paths and any(rule.mend(Mending(request, paths))) else ()
        elif rule.mend is None:
            found += [rule.finding(path) for path in rule.find(request) if not any(isinstance(x, int) for x in path)]
    return found


def _asks_the_same(given: History, fitted: History, family: str | None) -> bool:
    """Whether encode left out nothing but what no provider of a family is told: a second walk finds no more."""
    return (
        fitted.messages is given.messages
        and fitted.tools is given.tools
        and fitted.settings is given.settings
        and fitted.extras.get(family or "") == given.extras.get(family or "")
    )


def repair(
    history: History,
    target: CodecName | Codec,
    *,
    orphans: Literal["text", "drop"] = "text",
    unanswered: Literal["result", "drop"] = "result",
    also: Collection[str] = (),
    **options: Unpack[CodecOptions],
) -> Repaired:
    """Repair a history so that a provider accepts it, with the smallest change.

    All errors that ``check`` finds are mended, except those that the history alone can't mend: no message at all, too
    many of them, tools and settings that are missing, or turns that don't alternate (which ``encode`` joins). A
    history without errors is returned as it is.

    Args:
        history: of any format.
        target: the format to send.
        orphans: what to do with results that answer no call, or answer it twice: make them a user "text", or "drop"
            them.
        unanswered: what to do with calls without a result: add a made "result" that says so, or "drop" them.
        also: codes of warnings to mend, too, such as "first-role".
        options: codec options.

    Raises:
        CodecLookupError: if there is no such codec or option, or if the codec declares no rules.
        InvalidMessage: code "option" if there is no such choice, or no such warning that can be mended.
    """
    one_of(orphans, "orphans", "text", "drop")
    one_of(unanswered, "unanswered", "result", "drop")
    given, asked = as_history(history), listed(also, "also")
    codec = get_codec(target, **options).suited(given)
    known = [rule.code for rule in rules_of(codec) if rule.mend is not None]
    for code in asked:
        one_of(code, "also", *known)
    done = repaired(
        make_fitted(given, given, codec.name),
        codec,
        fits=False,
        orphans=orphans,
        unanswered=unanswered,
        also=asked,
    )
    return Repaired(done.history, account(done))


def repaired(
    fitted: Fitted,
    codec: Codec,
    *,
    fits: bool = True,
    also: Collection[str] = (),
    tell: Callable[[SendingRule, Iterable[Path]], None] | None = None,
    **choices: Any,
) -> Fitted:
    """Return fit's output, repaired: its loss report covers both, and its history still fits.

    Args:
        fitted: a fit by this codec, or a plain history.
        codec: the target.
        fits: whether the repaired history must fit.
        also: codes of warnings to mend, too.
        tell: called with each rule whose findings are mended, and their paths in the source.
        choices: fields of ``Mending``.

    Raises:
        CodecLookupError: code "option" if the codec declares no rules.
    """
    mends = [
        (rule, rule.mend)
        for rule in rules_of(codec)
        if rule.mend is not None and (rule.severity == "error" or rule.code in also)
    ]
    draft: Draft | None = None
    history = fitted.history
    for _ in range(_ROUNDS):
        before = history
        request = Request(history, joins=codec.joins_turns, codec=codec)
        for rule, mend in mends:
            paths = list(rule.find(request))
            edits = list(mend(Mending(request, paths, **choices))) if paths else ()
            if edits:
                draft = draft or Draft(fitted, codec)
                if tell is not None:
                    tell(rule, draft.sources_of(paths))
                draft.apply(edits, rule.code)
                if fits and codec.caps.derives_names:
                    draft.rename_results(rule.code)
                history = draft.history
                request = Request(history, joins=codec.joins_turns, codec=codec)
        if history is before:
            break
        if fits and draft is not None:
            again = fit(history, codec)
            if again.history is not history:
                draft.follow(again)
                history = draft.history
    return fitted if draft is None else draft.fitted()
