"""The folder of a run under way: parts, what is known of them, and a lock. It is gone when the run is done.

    .out.jsonl.agentmsg/run.json     what the run is: job, sources, pieces
                        lock         held by the process at work
                        3.out 3.losses 3.flat 3.bad      the parts of piece 3
                        3.done       its report: written last, so that it vouches for the parts
                        0.published  target 0 has its final name

Killed at any moment, a run leaves this folder and whole files only; ``--resume`` goes on from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import attrs

import agentmsg
from agentmsg.errors import DecodeError, FileError
from agentmsg.files.job import Report, digest_of
from agentmsg.files.places import asking, place_of
from agentmsg.json_text import dump_json, parse_json

if TYPE_CHECKING:
    import io
    from collections.abc import Mapping, Sequence

    from agentmsg.files.job import Job, Piece
    from agentmsg.files.plan import Target

__all__ = ["Work", "fingerprint"]

_VERSION = 2


def fingerprint(
    job: Job, targets: Sequence[Target], sides: Sequence[Mapping[str, str]], pieces: Sequence[Piece]
) -> Any:
    """Return what a run is, as plain data: two runs of the same fingerprint write the same bytes to the same files."""
    plain = {
        "version": [_VERSION, agentmsg.__version__],
        "job": attrs.asdict(job),
        "targets": [attrs.asdict(target) for target in targets],
        "sides": list(sides),
        "ranges": [[piece.start, piece.end] for piece in pieces],
    }
    return parse_json(dump_json(plain))


class Work:
    """The work folder of a run; holds its lock until ``release``.

    Args:
        path: of the folder.
        run: the fingerprint.
        resume: whether to go on from what is there; else it is thrown away.

    Raises:
        FileError: code "busy" where another process is at work in it, "resume" where it is of another run,
            "source-changed" where a source is not what it was.
    """

    def __init__(self, path: str, run: Any, *, resume: bool) -> None:
        self.path = path
        self._place = place_of(path)
        self._place.make_folder(path)
        self._lock = self._place.lock(f"{path}/lock")
        try:
            known = self._load("run.json")
            self.resumed = resume and known is not None
            if self.resumed:
                _compare(path, known, run)
            else:
                self._clear()
                self._save("run.json", run)
        except BaseException:
            self.release()
            raise

    def _clear(self) -> None:
        for name in self._place.find(self.path):
            if not name.endswith("/lock"):
                self._place.remove(name)

    def release(self) -> None:
        """Let others in; what is in the folder stays."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def finish(self) -> None:
        """Remove the folder: the run is done."""
        self._place.remove(self.path)
        self.release()

    def base(self, number: int) -> str:
        """Return the path of the parts of a piece, without their suffixes."""
        return f"{self.path}/{number}"

    def done(self, number: int, piece: Piece) -> Report | None:
        """Return the report of a piece that was done before the run was stopped; None where it was not.

        Raises:
            FileError: code "source-changed", where its bytes are not what they were.
        """
        known = self._load(f"{number}.done")
        if known is None:
            return None
        report = Report(**known)
        report.told = [(line, words) for line, words in report.told]
        report.first_bad = None if report.first_bad is None else (report.first_bad[0], report.first_bad[1])
        if digest_of(piece) != report.digest:
            msg = f"{piece.source.path}: changed since the run that was stopped; begin anew without --resume"
            raise FileError(msg, code="source-changed")
        return report

    def has_parts(self, number: int, report: Report) -> bool:
        """Tell whether the parts that a report speaks of are there, whole."""
        base = self.base(number)
        return all(self._place.size(base + suffix) == size for suffix, size in report.sizes.items())

    def drop_parts(self, number: int, report: Report) -> None:
        """Remove the parts of a piece that is in its target."""
        for suffix in report.sizes:
            self._place.remove(self.base(number) + suffix)

    def mark_done(self, number: int, report: Report) -> None:
        """Vouch for the parts of a piece: they are on disk."""
        self._save(f"{number}.done", attrs.asdict(report))

    def is_published(self, target: int) -> bool:
        """Tell whether a target had its final name when the run was stopped."""
        return self._place.size(f"{self.path}/{target}.published") is not None

    def mark_published(self, target: int) -> None:
        """Note that a target has its final name."""
        self._save(f"{target}.published", True)

    def _save(self, name: str, value: Any) -> None:
        part = f"{self.path}/{name}.part"
        with asking(part), self._place.create(part) as file:
            file.write(dump_json(value))
        self._place.publish(part, f"{self.path}/{name}")

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
        msg = f"{path}: a source changed since the run that was stopped; begin anew without --resume"
        raise FileError(msg, code="source-changed")
    msg = f"{path}: the run that was stopped was another one; begin anew without --resume"
    raise FileError(msg, code="resume")
