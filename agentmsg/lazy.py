"""What is done at first need, by whichever thread needs it first.

``imported``: a module, its packages before it. Python guards each module by a lock of its own, and a package that
one thread is still importing is handed to another half made, where that one began with a module inside: it holds
what the first is waiting for. From the top downwards nobody holds anything while waiting for a package; and where
modules import each other in one direction only, threads can't wait for each other in a circle. (A lock of ours
around all of it could: somebody's module may ask for a codec while it is imported.)

``later``: a package's names, each imported when it is first asked for. A package that imported its own modules would
make two threads wait for each other, one that begins with the package and one with such a module.

``once``: a method that fills tables, and ``FILLING``: its lock. ``Later``: a table whose entries are made one by one.
"""

from __future__ import annotations

from functools import wraps
from importlib import import_module
from threading import RLock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

__all__ = ["FILLING", "Later", "imported", "later", "once"]

# One for all: tables are filled from others, and a lock for each could be taken in two orders.
FILLING = RLock()
"""The lock under which tables are filled."""


def imported(name: str) -> ModuleType:
    """Return a module, imported after the packages that it is in.

    Raises:
        ImportError: if it can't be imported.
    """
    end = name.find(".")
    while end >= 0:
        import_module(name[:end])
        end = name.find(".", end + 1)
    return import_module(name)


def later(package: dict[str, Any], homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package (PEP 562) that imports its names when they are first asked for.

    Args:
        package: the globals of the package, where a name is kept once it was asked for.
        homes: the module that each name is in; a name that is the last part of its home is that module.
    """

    def found(name: str) -> Any:
        home = homes.get(name)
        if home is None:
            msg = f"module {package['__name__']!r} has no attribute {name!r}"
            raise AttributeError(msg)
        module = imported(home)
        # A submodule named like a function would hide it: the function wins, for good.
        value = package[name] = module if home.endswith(f".{name}") else getattr(module, name)
        return value

    return found


def once(fill: Callable[[Any], None]) -> Callable[[Any], None]:
    """Return a method that does its work at the first call for an object; no other call returns before it is done.

    The class says ``is_filled = False``.
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


class Later(dict[Any, Any]):
    """A table whose entries are made when they are first asked for; what is None is asked for again.

    Args:
        make: returns the entry of a key; the same, whichever thread asks.
    """

    def __init__(self, make: Callable[[Any], Any]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: Any) -> Any:
        value = self._make(key)
        if value is not None:
            self[key] = value
        return value
