"""``agentmsg stream``: the events of a provider's stream in another provider's form, as they arrive."""

from __future__ import annotations

import time
from itertools import product
from typing import TYPE_CHECKING, Any

import click

from agentmsg.api.reading import decode
from agentmsg.api.streams import collect, emit, transcode
from agentmsg.api.writing import dumps
from agentmsg.cli.options import CODEC
from agentmsg.cli.output import Output, printing
from agentmsg.cli.reading import history_of
from agentmsg.cli.terminal import say, standard_in, write_bytes
from agentmsg.errors import StreamBroken
from agentmsg.files.plan import Input
from agentmsg.fitting.loss_reports import dump_losses
from agentmsg.formats.events import events_of
from agentmsg.registry import get_codec
from agentmsg.stream.frames import sse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from agentmsg.formats.events import Thinking

_PIECE = 65536

_EXAMPLES = """\b
Examples:
  curl -sN https://... | agentmsg stream --from openai --to anthropic
  agentmsg stream --from anthropic --collect < events.sse > response.json
  agentmsg stream --to anthropic --emit response.json --delay 20
"""


@click.command("stream", short_help="Convert a provider's stream as it arrives.", epilog=_EXAMPLES)
@click.option("-f", "--from", "source", type=CODEC, help="The format of the events on stdin.")
@click.option("-t", "--to", "target", type=CODEC, help="The format of the events to write.")
@printing("The file to write")
@click.option("--losses", metavar="FILE", help="Write what the target can't hold, once the stream has ended.")
@click.option(
    "--thinking",
    type=click.Choice(["show", "drop"]),
    default="show",
    show_default=True,
    help="What becomes of thinking that the target's provider didn't sign.",
)
@click.option("--collect", "collects", is_flag=True, help="Write the response that the stream brings, as JSON.")
@click.option("--emit", "emitted", metavar="FILE", help="Write the stream that would have brought the answer in FILE.")
@click.option("--delay", type=click.IntRange(0), default=0, metavar="MS", help="With --emit: wait before each event.")
def command(
    *,
    source: str | None,
    target: str | None,
    losses: str | None,
    thinking: Thinking,
    collects: bool,
    emitted: str | None,
    delay: int,
    out: Output,
) -> None:
    """Convert the events of a provider's stream on stdin to those of another, as they arrive.

    Server-sent events, NDJSON or a JSON array come in; server-sent events go out, each as soon as it is known. A stream
    that is cut, or that the provider ends with an error, gives all that came, and then an error.
    """
    _check({"--losses": losses, "--thinking drop": thinking == "drop"}, {"--emit": emitted, "--collect": collects})
    _check({"--collect": collects}, {"--emit": emitted})
    if delay and emitted is None:
        msg = "--delay needs --emit"
        raise click.UsageError(msg)
    out.check([emitted] if emitted else [], losses)
    with out.printed():
        if emitted is not None:
            _emit(emitted, source, _needed(target, "--to"), delay)
        elif collects:
            _collect(_needed(source, "--from"), target)
        else:
            stream = transcode(_pieces(), _needed(source, "--from"), _needed(target, "--to"), thinking=thinking)
            _write(sse(stream))
            if losses is not None:
                response: Any = events_of(get_codec(target or "")).response
                converted = decode(stream.converted.document, response)
                out.write(dump_losses(stream.losses, converted), losses)


def _check(options: Mapping[str, Any], others: Mapping[str, Any]) -> None:
    """Refuse options together with others that have no place for them."""
    for option, other in product(options, others):
        if options[option] and others[other]:
            msg = f"{option} can't be used with {other}"
            raise click.UsageError(msg)


def _needed(codec: str | None, option: str) -> Any:
    if codec is None:
        raise click.UsageError(f"{option}: name a format")
    return codec


def _pieces() -> Iterator[bytes]:
    source: Any = standard_in()
    read = getattr(source, "read1", source.read)  # what has come, without waiting for more
    return iter(lambda: read(_PIECE), b"")


def _write(frames: Iterable[bytes], delay: int = 0) -> None:
    for frame in frames:
        if delay:
            time.sleep(delay / 1000)
        write_bytes(frame)


def _collect(source: Any, target: str | None) -> None:
    response: Any = events_of(get_codec(source)).response if target is None else target
    try:
        history = collect(_pieces(), source)
    except StreamBroken as error:
        if error.history.messages:
            say("the response so far is written")
            write_bytes(dumps(error.history, response, on_loss="ignore") + b"\n")
        raise
    write_bytes(dumps(history, response) + b"\n")


def _emit(file: str, source: str | None, target: Any, delay: int) -> None:
    found: list[Any] = []
    events = emit(history_of(file, Input(source=source)).history, target, losses=found)
    for loss in found:
        if loss.level == "content":
            say(f"lost: {loss}", colour="yellow")
    _write(sse(events), delay)
