"""The cost of loss reports: without losses, and if each message loses something."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.fitting.account import account
from agentmsg.fitting.fit import fit
from benchmarks.competitors import TABLE, Missing, enter
from benchmarks.formats import fresh_objects
from benchmarks.section import Scale, Section, two
from benchmarks.timing import Case, copy_bytes, interleave

if TYPE_CHECKING:
    from agentmsg.formats.codec import Codec

__all__ = ["CONVERTED", "ON_FILE", "READ", "account_section", "losses_section"]

READ = "the same messages read from JSON"
CONVERTED = "converted, losses looked at"
ON_FILE = "converted, loss report on file"


def account_section(scale: Scale) -> Section:
    """Measure fit alone, beside write and render, on histories that lose nothing."""
    cases: dict[str, Case] = {}
    missing: tuple[Missing, ...] = ()
    for form in ("json", "langchain"):
        ours = enter(form, TABLE[form]["agentmsg"], scale.history)
        if isinstance(ours, Missing):
            missing = (*missing, ours)
            continue
        codec = am.get_codec(form)
        fitted = fit(fresh_objects(ours), codec)
        assert fitted.history is fitted.source, f"{form} loses something of what it read"
        fresh = partial(fresh_objects, ours)
        cases[f"{form}: fit"] = Case(fresh, partial(_fit, codec))
        # As in a loop that writes a growing history: all messages but the last were fitted before.
        cases[f"{form}: fit again"] = Case(partial(_the_same, fitted.history), partial(_fit, codec))
        cases[f"{form}: write and render"] = Case(fresh, partial(_written, codec))
    times = interleave(cases, scale.rounds)
    rows = two("encode", times, len(scale.history))
    return Section("Loss report, nothing lost", rows, missing, {"encode": times})


def losses_section(scale: Scale) -> Section:
    """Measure conversions in which each message loses something, in steps and whole, beside reading the messages."""
    source, target = am.get_codec("json"), am.get_codec("openai")
    raw = source.to_bytes(scale.history)
    fitted = fit(scale.history, target)
    lost = account(fitted)
    assert len(lost) >= len(scale.history), "nothing is lost"
    fresh, given = partial(am.loads, raw, source), partial(copy_bytes, raw)

    def converted(given: bytes) -> am.Conversion:
        done = am.convert(given, source, target)
        assert len(list(done.losses)) == len(lost)
        return done

    def on_file(given: bytes) -> bytes:
        done = converted(given)
        return am.dump_losses(done.losses, fitted.history)

    cases = {
        READ: Case(given, partial(am.loads, codec=source)),
        "fit": Case(fresh, partial(_fit, target)),
        "loss report": Case(lambda: _fit(target, fresh()), lambda done: list(account(done))),
        "loss report on file": Case(lambda: lost, lambda losses: am.dump_losses(losses, fitted.history)),
        CONVERTED: Case(given, converted),
        ON_FILE: Case(given, on_file),
    }
    times = interleave(cases, scale.rounds.at_most(20))
    rows = two("operation", times, len(scale.history))
    return Section(f"Loss report, {len(lost) / len(scale.history):.1f} a message", rows, (), {"operation": times})


def _written(codec: Codec, history: am.History) -> bytes:
    return codec.render(codec.write(history))


def _the_same(history: am.History) -> am.History:
    return history


def _fit(codec: Codec, history: am.History) -> Any:
    return fit(history, codec)
