"""What a conversion tells on stderr: content losses one by one (the first few), all others by number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmsg.cli.terminal import say
from agentmsg.files.job import TOLD
from agentmsg.files.names import STANDARD

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentmsg.files.run import Outcome
    from agentmsg.losses import Loss

__all__ = ["counted", "tell_doubt", "tell_losses", "tell_outcome"]


def counted(number: int, word: str) -> str:
    """Return a number with its word, such as ``1 loss`` or ``2,000 losses``."""
    ending = "" if number == 1 else "es" if word.endswith("s") else "s"
    return f"{number:,} {word}{ending}"


def tell_doubt(path: str, words: str) -> None:
    """Warn that a file is hardly of the format that was named."""
    say(f"warning: {'stdin' if path == STANDARD else path} looks like another format: {words}")


def tell_losses(losses: Sequence[Loss]) -> None:
    """Tell what a document lost."""
    levels = {"content": 0, "annotation": 0, "setting": 0}
    for loss in losses:
        levels[loss.level] += 1
    _tell([str(loss) for loss in losses if loss.level == "content"][:TOLD], levels)


def _tell(told: Sequence[str], levels: Mapping[str, int], *, is_one: bool = True) -> None:
    for words in told:
        say(f"lost: {words}")
    more = levels.get("content", 0) - len(told)
    if more:
        say(f"lost: and {counted(more, 'more content loss')}")
    for level in ("annotation", "setting"):
        if count := levels.get(level, 0):
            say(f"lost: {counted(count, f'{level} loss')}")
    if count := levels.get("carried", 0):
        say(f"carried in the {'document' if is_one else 'documents'}: {counted(count, 'loss')}")
    if not any(levels.values()):
        say("nothing lost")


def tell_outcome(outcome: Outcome, written: str, *, is_one: bool, is_silent: bool) -> None:
    """Tell what a run did, what it lost, and what it put aside; that last in any case.

    Args:
        outcome: of the run.
        written: the name of the target.
        is_one: whether it was about one document.
        is_silent: whether losses and counts are left out.
    """
    if not is_silent:
        if not is_one:
            into = "stdout" if written == STANDARD else written
            say(f"{counted(outcome.documents, 'document')}, {counted(outcome.messages, 'message')} -> {into}")
        told = [words if is_one else f"{where}: {words}" for where, words in outcome.told]
        _tell(told, outcome.levels, is_one=is_one)
    if outcome.bad:
        kept, what = ", ".join(outcome.bad_files), counted(outcome.bad, "document")
        words = f"put aside: {what}, kept in {kept}" if kept else f"left out: {what}, not kept (--bad FILE keeps them)"
        say(f"{words}; the first: {outcome.first_bad}")
