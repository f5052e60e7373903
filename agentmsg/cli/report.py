"""The report of a conversion on stderr: the losses by kind, content first, and the quarantined documents."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from agentmsg.cli.terminal import say
from agentmsg.errors import AgentMsgError, FileError, excerpt
from agentmsg.files.file_names import STANDARD
from agentmsg.files.finding import expand
from agentmsg.files.groups import LossGroups
from agentmsg.files.parquet import read_choice
from agentmsg.files.storage import place_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from agentmsg.files.finding import Skipped
    from agentmsg.files.groups import LossGroup
    from agentmsg.files.job import Job, Source
    from agentmsg.files.parquet import Choice
    from agentmsg.files.plan import Target
    from agentmsg.files.run import Outcome
    from agentmsg.fitting.losses import Loss

# Levels in display order: their colours, and how many kinds of each to list.
_REFUSED = {
    "refused": "see agentmsg check, or convert with --repair",
    "unmended": "--repair can't mend them, see agentmsg check",
}
_GIVE = {"unset model": "--model", "unset max_tokens": "--max-tokens"}
_TOLD = frozenset({*_REFUSED, "broken", "unsent"})
_LEVELS = {"content": ("red", 10), "annotation": ("yellow", 5), "setting": ("yellow", 5)}
_UNSENT = 5
# The exit code if documents were quarantined, or if a file of a folder can't be read.
UNREADABLE = 3
# The most files with unreadable documents to list.
_FILES = 10
_SKIPPED: Mapping[Skipped, tuple[str, str]] = {
    "hidden": ("hidden file", "hidden files"),
    "link": ("link that leads out of the folder", "links that lead out of the folder"),
    "other": ("file of another type", "files of other types"),
    "quarantine": ("quarantine of an earlier run", "quarantines of earlier runs"),
}


def is_unreadable(error: AgentMsgError | None) -> bool:
    """Whether an error is that of a file that the system doesn't let us read."""
    return isinstance(error, FileError) and error.code == "file"


def counted(number: int, word: str, words: str | None = None) -> str:
    """Return a number with its word, such as ``1 loss`` or ``2,000 losses``."""
    plural = words or (f"{word}es" if word.endswith("s") else f"{word}s")
    return f"{number:,} {word if number == 1 else plural}"


def tell_doubt(path: str, words: str) -> None:
    """Warn that a file is hardly of the named format."""
    name = "stdin" if path == STANDARD else path
    say(f"warning: {name} looks like another format: {words}", colour="yellow")


class Trouble:
    """Documents that can't be read, reported in one line per file, with the first error and their number."""

    def __init__(self) -> None:
        self.count = 0
        self._files: dict[str, tuple[tuple[AgentMsgError, str], int]] = {}
        self._told = self._silent = 0
        self._lost: set[str] = set()

    def code(self, given: Sequence[str]) -> int:
        """Return the exit code, given the names that the user gave: a file found in a folder must not go unread."""
        return UNREADABLE if self._lost.difference(given) else int(self.count > 0)

    def add(self, name: str, error: AgentMsgError, place: str, count: int) -> None:
        """Add documents of a file: the error of the first, its place, and their number."""
        self.count += count
        if is_unreadable(error):
            self._lost.add(name)
        first, before = self._files.get(name, ((error, place), 0))
        self._files[name] = first, before + count

    def tell(self, name: str) -> None:
        """Report a file that was read, unless enough others have been."""
        if name not in self._files:
            return
        (error, place), count = self._files.pop(name)
        if self._told >= _FILES:
            self._silent += 1
            return
        self._told += 1
        lead = "" if isinstance(error, FileError) else f"{place}: "
        more = f"; and {count - 1:,} more in this file" if count > 1 else ""
        say(f"error [{error.code}] {lead}{error}{more}", colour="red")

    def tell_rest(self) -> None:
        """Report the number of files that weren't listed."""
        if self._silent:
            say(f"error: and {counted(self._silent, 'more file')} with unreadable documents", colour="red")


def tell_losses(losses: Iterable[Loss]) -> None:
    """Report the losses of a document."""
    found, groups = list(losses), LossGroups()
    groups.add(found, 1)
    _tell(groups, Counter(loss.tally for loss in found), is_one=True)


def _list(groups: Sequence[LossGroup], most: int, *, is_one: bool) -> None:
    for group in groups[:most]:
        documents = "" if is_one else f" ({counted(group.documents, 'document')})"
        place = f", first in {group.place}" if group.level == "content" and group.place and not is_one else ""
        say(f"  {group}{documents}{place}")
    if rest := groups[most:]:
        say(f"  {sum(group.count for group in rest):,} × {counted(len(rest), 'other kind')} of loss")


def _tell(groups: LossGroups, levels: Mapping[str, int], *, is_one: bool) -> None:
    for level, (colour, most) in _LEVELS.items():
        if count := levels.get(level, 0):
            say(f"lost: {counted(count, f'{level} loss')}", colour=colour)
            _list(groups.of_level(level), most, is_one=is_one)
    if count := levels.get("redacted", 0):
        say(f"redacted: {counted(count, 'message')}")
    if count := levels.get("carried", 0):
        say(f"carried in the {'document' if is_one else 'documents'}: {counted(count, 'loss')}")
    if not any(count for level, count in levels.items() if level not in _TOLD and not level.startswith("unset")):
        say("nothing lost")
    if levels.get("unsent", 0):
        say("in the output, but the library that reads it won't send it to a model:", colour="yellow")
        _list(groups.of_level("unsent"), _UNSENT, is_one=is_one)
    if count := levels.get("broken", 0):
        has = "the document has" if is_one else f"{counted(count, 'document')} with"
        words = f"{has} calls whose arguments are broken: --quarantine arguments leaves such documents out"
        say(words, colour="yellow")
    give = "give " + ", ".join(option for level, option in _GIVE.items() if levels.get(level, 0))
    unset = levels.get("unset", 0)
    for level, help_words in _REFUSED.items():
        if count := levels.get(level, 0):
            words = f"{'the document' if is_one else counted(count, 'document')} would be refused by the provider"
            if unset == count:
                words += f" for a missing setting: {give}"
            elif unset:
                words += f", {unset:,} of them for a missing setting ({give}): {help_words}"
            else:
                words += f": {help_words}" + (f"; {give}" if give != "give " else "")
            say(words, colour="yellow")


def found_in(names: Sequence[str], *, quiet: bool) -> list[str]:
    """Return the files that names, folders and patterns mean; report how many files of folders are left out.

    Raises:
        FileError: if a folder or a pattern matches nothing.
    """
    skipped: Counter[Skipped] = Counter()
    found = [path for path, _ in expand(names, skip=lambda why: skipped.update([why]))]
    if not quiet:
        tell_skipped(skipped)
    return found


def tell_skipped(skipped: Mapping[Skipped, int]) -> None:
    """Report how many files of folders are left out, and why."""
    if any(skipped.values()):
        say("skipped: " + ", ".join(counted(skipped[why], *words) for why, words in _SKIPPED.items() if skipped[why]))


def tell_uncut(sources: Iterable[Source], jobs: int) -> None:
    """Report which files several jobs can't share."""
    found = [source.path for source in sources if jobs > 1 and source.is_uncut]
    if found:
        more = f" and {counted(len(found) - 1, 'other file')}" if found[1:] else ""
        say(f"--jobs: {found[0]}{more} can't be cut: one process reads what is compressed, a stream, or one value")


def tell_columns(targets: Iterable[Target]) -> None:
    """Report which columns of Parquet files hold the documents, and which others aren't kept."""
    chosen: Counter[Choice] = Counter()
    for source in (source for target in targets for source in target.sources):
        if source.kind.form == "parquet" and not source.is_stream:
            # Converting the file will report any fault in it.
            with suppress(AgentMsgError), place_of(source.path).open(source.path) as stream:
                chosen[read_choice(stream, source.path, source.kind.column)] += 1
    for (column, others), count in chosen.items():
        if column is not None and others:
            files = f" ({counted(count, 'file')})" if chosen.total() > 1 else ""
            left = ", ".join(excerpt(each)[1:-1] for each in others)
            say(f"documents are in column {excerpt(column)[1:-1]}{files}; not carried over: {left}")


def tell_absent(count: int) -> None:
    """Report how many records had no document at the places of ``--at``."""
    if count:
        say(f"--at: nothing found in {counted(count, 'document')}")


def tell_outcome(outcome: Outcome, job: Job, written: str, *, is_one: bool, quiet: bool) -> None:
    """Report what a run did, what it lost, and what it quarantined; the last in any case.

    Args:
        outcome: of the run.
        job: what was done; losses of a change to documents, or of a way back, are reported only if there are any.
        written: the name of the target.
        is_one: whether it was about one document.
        quiet: whether to leave out losses and counts.
    """
    is_silent, is_lossless = quiet or job.on_loss == "ignore", job.restores is not None
    change: str = getattr(job.change, "verb", "")
    if outcome.was_done and not is_silent:
        say(f"{written} is newer than the input, and no stopped run is left: nothing to do; --force writes it anew")
    elif not is_silent:
        if change:
            say(f"{change}: {outcome.read - outcome.messages:,} of {counted(outcome.read, 'message')} left out")
        if outcome.formats and not is_lossless:
            found = sorted(outcome.formats.items(), key=lambda pair: (-pair[1], pair[0]))
            say("read as " + ", ".join(f"{codec} ({counted(count, 'document')})" for codec, count in found))
        tell_absent(outcome.missing)
        if outcome.blank:
            say(f"skipped: {counted(outcome.blank, 'blank line')}")
        if not is_one:
            into = "stdout" if written == STANDARD else written
            say(f"{counted(outcome.documents, 'document')}, {counted(outcome.messages, 'message')} -> {into}")
        if outcome.ran:
            say(f"ran on {outcome.ran}")
        if not (change or is_lossless) or any(outcome.levels.values()):
            _tell(outcome.groups, outcome.levels, is_one=is_one)
    if outcome.bad:
        what = counted(outcome.bad, "document")
        words = f"not converted: {what} (--bad FILE keeps them)"
        if outcome.bad_files:
            more = len(outcome.bad_files) - 1
            kept = outcome.bad_files[0] + (f" and {counted(more, 'other file')}" if more else "")
            words = f"quarantined: {what}, in {kept}"
        say(words + (f"; the first: {outcome.first_bad}" if outcome.first_bad else ""), colour="red")
        for code, count in outcome.codes.most_common() if len(outcome.codes) > 1 else ():
            say(f"  {count:,} × {code}")
