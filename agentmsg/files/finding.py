"""Find the files that the user's names mean: files, folders, patterns."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal, TypeAlias

from agentmsg.errors import FileError
from agentmsg.files.file_names import COMPRESSIONS, STANDARD, SUFFIXES, is_pattern, is_remote, kind_of
from agentmsg.files.storage import place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# Why a file in a folder isn't converted.
Skipped: TypeAlias = Literal["hidden", "link", "other", "quarantine"]
# Left by a stopped run in its target folder.
_STOPPED = ".agentmsg/run.json"


def expand(names: Sequence[str], *, skip: Callable[[Skipped], None] = lambda _: None) -> list[tuple[str, str]]:
    """Return the files that names, folders and patterns mean, each with its path below the named folder.

    Args:
        names: of files, folders, patterns; "-" is stdin.
        skip: called with the reason for each file of a folder that is left out.

    Raises:
        FileError: if a folder or a pattern matches nothing; code "same-file" if stdin is named twice; "unreadable" if a
            folder or something in it can't be read.
    """
    if names.count(STANDARD) > 1:
        msg = "stdin is named twice, and can be read only once"
        raise FileError(msg, code="same-file")
    found: list[tuple[str, str]] = []
    for name in names:
        if name == STANDARD:
            found.append((name, name))
            continue
        place = place_of(name)
        if place.is_folder(name):
            own = list(_files_of(name, skip))
            words = f"no files that end with {', '.join(SUFFIXES)}, or these with {', '.join(COMPRESSIONS)}"
        elif place.size(name) is None and is_pattern(name):
            own = [(path, _last(path)) for path in place.find(name)]
            for path, _ in own:
                place.check_file(path)
            words = "no file matches"
        else:
            own, words = [(name, _last(name))], ""
        if not own:
            msg = f"{name}: {words}"
            raise FileError(msg, code="file")
        found += own
    return found


def _last(path: str) -> str:
    return path.rsplit("/", 1)[-1] if is_remote(path) else os.path.basename(path)  # noqa: PTH119 - no path is touched


def _files_of(folder: str, skip: Callable[[Skipped], None]) -> Iterator[tuple[str, str]]:
    """Yield the files of a folder to convert, each with its path below it; call ``skip`` for the others."""
    place = place_of(folder)
    spelt = place.spelt(folder)
    base = "" if spelt == "." else f"{spelt.rstrip('/')}/"
    found, out = place.find(folder), place.links_out(folder)
    # A stopped run has written there; the resumed run would otherwise take those files for sources.
    stopped = [path.removesuffix(_STOPPED) for path in found if path.endswith(f"/{_STOPPED}")]
    for link in out:
        # A source that isn't there is an error.
        if _reason(link.removeprefix(base)) is None and not place.is_folder(link):
            place.check_file(link)
        skip("link")
    for path in found:
        if path in out or any(path.startswith(each) for each in stopped if each != base):
            continue
        if any(path.startswith(f"{link}/") for link in out):
            continue  # a file system may follow links to folders
        below = path.removeprefix(base)
        reason = _reason(below)
        if reason is None:
            place.check_file(path)
            yield path, below
        elif ".agentmsg/" not in below:
            skip(reason)


def _reason(below: str) -> Skipped | None:
    """Return why a file in a folder isn't converted; None if it is."""
    if any(part.startswith(".") for part in below.split("/")):
        return "hidden"
    if below.endswith(".bad.jsonl"):
        return "quarantine"
    try:
        kind = kind_of(below)
    except FileError:
        return "other"
    # Most databases are no store of conversations: they are named.
    is_other = kind.form == "sqlite" or (kind.form == "yaml" and find_spec("yaml") is None)
    return "other" if is_other else None
