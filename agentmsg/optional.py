"""Optional packages, imported where they are used; if one is missing, the error names the install command."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from agentmsg.errors import FileError


def install(name: str) -> str:
    """Return the commands that install one of our extras."""
    return f"pip install 'agentmsg[{name}]', or in a clone: pip install -e '.[{name}]'"


def extra(module: str, name: str, what: str) -> Any:
    """Import a module that belongs to one of our extras.

    Args:
        module: the module to import.
        name: the extra.
        what: what needs it, in words.

    Raises:
        FileError: code "unavailable" if it isn't installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError:
        msg = f"{what} needs another package: {install(name)}"
        raise FileError(msg, code="unavailable") from None
