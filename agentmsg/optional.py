"""Packages that not everybody needs: imported where they are used; where one lacks, the install command is told."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from agentmsg.errors import FileError

__all__ = ["extra"]


def extra(module: str, name: str, what: str) -> Any:
    """Return a module of an extra of ours.

    Args:
        module: to import.
        name: of the extra.
        what: needs it, in words.

    Raises:
        FileError: code "unavailable" if it isn't installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError:
        msg = f"{what} needs another package: pip install 'agentmsg[{name}]'"
        raise FileError(msg, code="unavailable") from None
