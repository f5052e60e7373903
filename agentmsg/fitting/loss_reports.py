"""Loss reports in their file form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.fitting.account_file import from_lines, to_lines
from agentmsg.fitting.carry import uncarried
from agentmsg.fitting.losses import report_of
from agentmsg.fitting.restore import unedited_output
from agentmsg.formats.refusals import is_raw, not_raw
from agentmsg.model.checks import checked
from agentmsg.model.history import History

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmsg.fitting.losses import Loss, Losses


def dump_losses(losses: Iterable[Loss], output: History, *, source: str | None = None) -> bytes:
    """Return a loss report in its file form: JSON lines, a header first, then one line for each object.

    Args:
        losses: the loss report of a conversion, or the list that collected them.
        output: the converted history as its document reads back; the header binds the loss report to it.
        source: the format that was converted, which the header then says, too.

    Raises:
        LossError: code "edited" if the losses belong to another history, or to several.
    """
    account = report_of(losses)
    bound = uncarried(checked(output, History, "output"), account)
    unedited_output(bound, account)
    told = {} if source is None else {"from": source}
    return b"".join(line + b"\n" for line in to_lines(account, bound, told))


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
