"""Work deferred to first use, safe for several threads.

``imported``: a module, its packages first. Python locks each module separately, and hands out a package that another
thread is still importing. If that thread began with a submodule, the package is half made, and the two threads can wait
for each other. Importing from the top downwards avoids this: nobody holds a lock while waiting for a package. Where
modules import each other in one direction only, threads can't wait in a circle. (A single lock of ours around
everything could deadlock: a foreign module may look up a codec while it is imported.)

``later``: a package's names, each imported on first use. If a package imported its own modules, a thread that begins
with the package and one that begins with such a module would wait for each other.

``once``: a method that fills tables, and ``FILLING``, its lock. ``Later``: a table whose entries are made one by one.

``compiled``: a pattern that few documents need.
"""

from __future__ import annotations

import re
from functools import cache, wraps
from importlib import import_module
from threading import RLock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

# One lock for all: tables are filled from others, and separate locks could be taken in two orders.
FILLING = RLock()
"""The lock under which tables are filled."""


def imported(name: str) -> ModuleType:
    """Import a module, its parent packages first.

    Raises:
        ImportError: if it can't be imported.
    """
    end = name.find(".")
    while end >= 0:
        import_module(name[:end])
        end = name.find(".", end + 1)
    return import_module(name)


def later(package: dict[str, Any], homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a package's ``__getattr__`` (PEP 562) that imports names on first use.

    Args:
        package: the package's globals; each name is kept there once imported.
        homes: the names that live in each module, with spaces between them. If the home ends in a dot, it is a package,
            and the names are those of its modules.
    """
    known = {name: home for home, names in homes.items() for name in names.split()}

    def found(name: str) -> Any:
        home = known.get(name)
        if home is None:
            msg = f"module {package['__name__']!r} has no attribute {name!r}"
            raise AttributeError(msg)
        # A submodule named like a function would hide it: the function wins, for good.
        value = package[name] = imported(home + name) if home[-1] == "." else getattr(imported(home), name)
        return value

    return found


def once(fill: Callable[[Any], None]) -> Callable[[Any], None]:
    """Return a method that does its work on the first call for an object; no other call returns before it is done.

    The class must set ``is_filled = False``.
    """

    @wraps(fill)
    def filled(self: Any) -> None:
        if self.is_filled:
            return
        with FILLING:
            if not self.is_filled:
                fill(self)
                self.is_filled = True

    return filled


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern, compiled on first use; only for constants, because none is ever forgotten."""
    return re.compile(pattern)


class Later(dict[Any, Any]):
    """A table whose entries are made on first use; an entry that is None is made again next time.

    Args:
        make: returns the entry for a key, the same in every thread.
    """

    def __init__(self, make: Callable[[Any], Any]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: Any) -> Any:
        value = self._make(key)
        if value is not None:
            self[key] = value
        return value
