"""Loss reports in their file form."""

from __future__ import annotations

from typing import Any

from agentmsg.fitting.account_file import from_lines, to_lines
from agentmsg.fitting.carry import uncarried
from agentmsg.fitting.losses import Losses
from agentmsg.formats.refusals import is_raw, not_raw
from agentmsg.model.checks import checked
from agentmsg.model.history import History

__all__ = ["dump_losses", "load_losses"]


def dump_losses(losses: Losses, output: History) -> bytes:
    """Return a loss report in its file form: JSON lines, a header first, then one line for each object.

    Args:
        losses: the loss report of a conversion.
        output: the converted history as its document reads back; the header binds the loss report to it.
    """
    account = checked(losses, Losses, "losses")
    return b"".join(line + b"\n" for line in to_lines(account, uncarried(checked(output, History, "output"), account)))


def load_losses(raw: bytes | bytearray | memoryview | str) -> Losses:
    """Read a loss report from a file's content.

    Raises:
        DecodeError: if it isn't one; the path starts with the line number.
    """
    if not is_raw(raw):
        raise not_raw(raw, "raw")
    # Only line feeds separate lines: a text may hold other characters at which str.splitlines would split.
    lines: list[Any] = raw.split("\n") if isinstance(raw, str) else bytes(raw).splitlines()
    return from_lines(lines if not lines or lines[-1] else lines[:-1])
