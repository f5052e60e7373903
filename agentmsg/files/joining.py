"""Parts to whole files: one after the other, their numbers counted on."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, BinaryIO

from agentmsg.files.places import place_of

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["join", "renumber"]

_BUFFER = 1 << 20
_LEAD = re.compile(rb'\{"line":(\d+)')


def join(parts: Iterable[str], sink: BinaryIO) -> None:
    """Write files to a file, one after the other."""
    for part in parts:
        with place_of(part).open(part) as source:
            shutil.copyfileobj(source, sink, _BUFFER)


def renumber(parts: Iterable[tuple[str, int]], sink: BinaryIO) -> None:
    """Write files of lines to a file; where a line begins with its number, so many are added to it."""
    for part, before in parts:
        with place_of(part).open(part) as source:
            if not before:
                shutil.copyfileobj(source, sink, _BUFFER)
                continue
            for line in source:
                found = _LEAD.match(line)
                sink.write(line if found is None else b'{"line":%d' % (int(found[1]) + before) + line[found.end() :])
