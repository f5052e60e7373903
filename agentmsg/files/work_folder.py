"""The folder of an unfinished run: parts, what is known of them, and a lock. It is removed when the run is done.

    .out.jsonl.agentmsg/run.json     what the run is: job, sources, pieces
                        lock         held by the running process
                        3.out 3.losses 3.flat 3.bad      the parts of piece 3
                        3.done       its report: written last, so that it vouches for the parts
                        0.publishing  target 0 and what belongs to it are given their final names
                        0.published  they have them
                        finished     all is done; repeats what the run is. Everything else here is removed first

Killed at any moment, a run leaves only this folder and complete files; ``--resume`` continues from it.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, cast

import attrs

import agentmsg
from agentmsg.errors import DecodeError, FileError
from agentmsg.files.file_names import told_name
from agentmsg.files.groups import LossGroup
from agentmsg.files.job import Report, source_digest
from agentmsg.files.storage import asking, place_of
from agentmsg.values.text import dump_json, parse_json

if TYPE_CHECKING:
    import io
    from collections.abc import Mapping, Sequence

    from agentmsg.files.job import Job, Piece
    from agentmsg.files.plan import Target

_VERSION = 5
# Files that a work folder has from the start.
_OURS = {"finished", "lock", "run.json", "run.json.part"}


def fingerprint(
    job: Job, targets: Sequence[Target], sides: Sequence[Mapping[str, str]], pieces: Sequence[Piece]
) -> Any:
    """Return a run's identity as plain data: runs with the same one write the same bytes to the same files."""
    plain = {
        "version": [_VERSION, agentmsg.__version__],
        "job": attrs.asdict(job, value_serializer=_written),
        "targets": [attrs.asdict(target, value_serializer=_written) for target in targets],
        "sides": [{suffix: told_name(path) for suffix, path in side.items()} for side in sides],
        "ranges": [[piece.start, piece.end] for piece in pieces],
    }
    return parse_json(dump_json(plain))


def _written(_: Any, __: Any, value: Any) -> Any:
    return told_name(value) if type(value) is str else value


def is_work(path: str) -> bool:
    """Whether a run was stopped in a folder, even during its clean-up."""
    place = place_of(path)
    return any(place.size(f"{path}/{name}") is not None for name in ("run.json", "finished"))


class Work:
    """The work folder of a run; holds its lock until ``release``.

    ``was_stopped`` says that a run was stopped here without leaving anything worth keeping.

    Args:
        path: of the folder.
        run: the fingerprint.
        resume: whether to continue from what is there.
        force: otherwise, whether to discard it.

    Raises:
        FileError: code "busy" if another process works in it; "resume" if it belongs to another run, or if finished
            work is there and neither ``resume`` nor ``force`` is set; "source-changed" if a source has changed;
            "exists" if it isn't a work folder.
    """

    def __init__(self, path: str, run: Any, *, resume: bool, force: bool = False) -> None:
        self.path = path
        self.was_stopped = False
        self._run = run
        self._place = place_of(path)
        self._place.make_folder(path)
        self._check_own()
        self._lock = self._place.lock(f"{path}/lock")
        known = None
        try:
            known = self._load("run.json")
            self._is_finished = resume and self._load("finished") == run
            self.resumed = resume and known is not None
            if self.resumed:
                _compare(path, known, run)
            else:
                if known is not None and not force:
                    self.was_stopped = self._check_undone()
                # A finished run may be killed during its clean-up, resumed, and killed again.
                self._clear("/lock", *(("/finished",) if self._is_finished else ()))
                self._save("run.json", run)
        except BaseException:
            if known is None:
                self.abandon()
            self.release()
            raise

    def _check_own(self) -> None:
        """Raise if somebody else's folder has the name of this one."""
        found = {name.removeprefix(f"{self.path}/") for name in self._place.find(self.path)}
        if found and not found & _OURS:
            msg = f"{self.path}: the run needs this folder, but it holds other files; move them away"
            raise FileError(msg, code="exists")

    def _check_undone(self) -> bool:
        """Raise if a stopped run has finished something; return whether there was one at all."""
        if self._place.size(f"{self.path}/finished") is not None:
            return False
        if any(name.endswith(".done") for name in self._place.find(self.path)):
            msg = f"{self.path}: a run was stopped here; --resume continues it, --force starts over"
            raise FileError(msg, code="resume")
        return True

    def _clear(self, *but: str) -> None:
        for name in self._place.find(self.path):
            if not name.endswith(but):
                self._place.remove(name)

    def abandon(self) -> None:
        """Remove the folder after an error, if there is no work in it to resume."""
        with suppress(FileError):  # the error itself is what is told
            if not any(name.endswith((".done", "/finished")) for name in self._place.find(self.path)):
                self._place.remove(self.path)

    def release(self) -> None:
        """Release the lock; the folder's content stays."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def finish(self) -> None:
        """Remove the folder: the run is done.

        If a run is killed here, nothing is left to do, and a resumed run knows that its targets are its own.
        """
        self._save("finished", self._run)
        self._clear("/finished")
        self._place.remove(self.path)
        self.release()

    def base(self, number: int) -> str:
        """Return the path of the parts of a piece, without their suffixes."""
        return f"{self.path}/{number}"

    def done(self, number: int, piece: Piece) -> Report | None:
        """Return the report of a piece that was done before the run was stopped; None if it wasn't.

        Raises:
            FileError: code "source-changed" if its bytes have changed.
        """
        known = self._load(f"{number}.done")
        if known is None:
            return None
        known |= {name: Counter(known[name]) for name in ("codes", "formats", "levels")}
        known["groups"] = [LossGroup(**group) for group in known["groups"]]
        report = Report(**known)
        if source_digest(piece) != report.digest:
            msg = f"{piece.source.path}: changed since the run was stopped; --force starts over"
            raise FileError(msg, code="source-changed")
        return report

    def has_parts(self, number: int, report: Report) -> bool:
        """Whether the parts listed in a report are there, complete."""
        base = self.base(number)
        return all(self._place.size(base + suffix) == size for suffix, size in report.sizes.items())

    def drop_parts(self, number: int, report: Report) -> None:
        """Remove the parts of a piece that is in its target."""
        for suffix in report.sizes:
            self._place.remove(self.base(number) + suffix)

    def mark_done(self, number: int, report: Report) -> None:
        """Record that the parts of a piece are on disk."""
        self._save(f"{number}.done", attrs.asdict(report))

    def is_published(self, target: int) -> bool:
        """Whether a target had its final name when the run was stopped."""
        return self._place.size(f"{self.path}/{target}.published") is not None

    def is_publishing(self, target: int) -> bool:
        """Whether this run has begun to publish a target and its side files: files with their names are its own."""
        is_marked = self._place.size(f"{self.path}/{target}.publishing") is not None
        return self._is_finished or (self.resumed and is_marked)

    def mark(self, target: int, *, word: Literal["publishing", "published"]) -> None:
        """Record that publishing of a target and its side files has begun, or that it has its final name."""
        self._save(f"{target}.{word}", True)

    def _save(self, name: str, value: Any) -> None:
        part = f"{self.path}/{name}.part"
        with asking(part), self._place.create(part) as file:
            file.write(dump_json(value))
        self._place.publish(part, f"{self.path}/{name}", force=True)

    def _load(self, name: str) -> Any:
        if self._place.size(f"{self.path}/{name}") is None:
            return None
        with self._place.open(f"{self.path}/{name}") as file:
            try:
                return parse_json(cast("io.BufferedReader", file).read())
            except DecodeError:
                return None


def _sizes(run: Any) -> list[Any]:
    return [source for target in run["targets"] for source in target["sources"]]


def _compare(path: str, known: Any, run: Any) -> None:
    """Raise unless a run is the one that was stopped."""
    if known == run:
        return
    if known.get("version") == run["version"] and known.get("job") == run["job"] and _sizes(known) != _sizes(run):
        msg = f"{path}: a source changed since the run was stopped; --force starts over"
        raise FileError(msg, code="source-changed")
    msg = f"{path}: another run was stopped here; --force starts over"
    raise FileError(msg, code="resume")
