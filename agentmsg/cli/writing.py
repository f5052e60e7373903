"""Options and steps that convert and restore share: fit, write, and say what was lost."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeVar

import attrs
import click

from agentmsg._registry import get_codec
from agentmsg.cli.disk import STANDARD, write_file
from agentmsg.cli.terminal import say
from agentmsg.codec import Codec
from agentmsg.errors import AgentMsgError, DecodeError
from agentmsg.fit import Fitted, fit
from agentmsg.json_text import parse_json

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentmsg.history import History
    from agentmsg.losses import Losses

__all__ = ["Target", "output_options", "report"]

_F = TypeVar("_F", bound="Callable[..., Any]")
# So many content losses are told one by one.
_TOLD = 5


def output_options(command: _F) -> _F:
    """Give a command the options that make a Target."""
    for option in (
        click.option("--pretty", is_flag=True, help="Indent JSON for people to read."),
        click.option(
            "-O", "--option", "options", multiple=True, metavar="NAME=VALUE",
            help="An option of the codec that writes; VALUE is JSON or, where it is none, a text.",
        ),
        click.option("-o", "--output", default=STANDARD, metavar="FILE", help="Where to write; else stdout."),
        click.option("--to", "codec", required=True, metavar="CODEC", help="The format to write."),
    ):  # fmt: skip
        command = option(command)
    return command


@attrs.frozen(kw_only=True)
class Target:
    """What to write, and where.

    Attributes:
        codec: that writes.
        output: name of the file, or "-".
        pretty: whether JSON is indented.
    """

    codec: Codec
    output: str
    pretty: bool

    @classmethod
    def of(cls, codec: str, output: str, options: Sequence[str], *, pretty: bool) -> Target:
        """Return the target that the options of the command line describe.

        Raises:
            CodecLookupError: where there is no such codec or codec option.
            click.UsageError: where the options contradict the codec.
        """
        chosen = get_codec(codec, **dict(map(_option, options)))
        if pretty and chosen.binary:
            msg = f"--pretty: {codec} is not JSON"
            raise click.UsageError(msg)
        if chosen.binary and output == STANDARD and sys.stdout.isatty():
            msg = f"{codec} is binary, which is not for a terminal: give -o FILE"
            raise click.UsageError(msg)
        return cls(codec=chosen, output=output, pretty=pretty)

    def fit(self, history: History) -> Fitted:
        """Return what the codec carries of a history."""
        return fit(history, self.codec)

    def render(self, history: History) -> bytes:
        """Return the bytes of a history that fits.

        Raises:
            AgentMsgError: where it cannot be written.
        """
        try:
            document = self.codec.write(history)
            return _indented(document) if self.pretty else self.codec.render(document)
        except AgentMsgError as error:
            raise error.at(codec=self.codec.name) from None

    def save(self, data: bytes) -> None:
        """Write the bytes where they belong."""
        write_file(self.output, data)


def _option(text: str) -> tuple[str, Any]:

    name, equals, value = text.partition("=")
    if not equals or not name:
        msg = f"-O needs NAME=VALUE, not {text!r}"
        raise click.UsageError(msg)
    try:
        return name, parse_json(value)
    except DecodeError:
        return name, value


def _indented(document: Any) -> bytes:
    import json  # noqa: PLC0415 - only for --pretty

    # The standard library writes integers of any size; what it is given holds no NaN.
    return json.dumps(document, ensure_ascii=False, indent=2).encode() + b"\n"


def report(losses: Losses) -> None:
    """Tell on stderr what was lost: content one by one (the first few), the rest by number."""
    content = losses.content
    for loss in content[:_TOLD]:
        say(f"lost: {loss}")
    if len(content) > _TOLD:
        say(f"lost: and {len(content) - _TOLD} more content losses")
    others = [loss.level for loss in losses if loss.level != "content"]
    for level in ("annotation", "setting"):
        if count := others.count(level):
            say(f"lost: {count} {level} loss{'es' if count > 1 else ''}")
    if not losses:
        say("nothing lost")
