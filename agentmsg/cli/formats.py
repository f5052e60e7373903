"""``agentmsg formats``: the formats that are known, and what each carries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from agentmsg._registry import codec_names, get_codec
from agentmsg.cli.capabilities import as_data, summary, tables
from agentmsg.cli.options import CODEC
from agentmsg.cli.terminal import aligned, say, write_bytes
from agentmsg.errors import CodecLookupError
from agentmsg.json_text import dump_json

if TYPE_CHECKING:
    from agentmsg.codec import Codec

__all__ = ["command"]

_EXAMPLES = """\b
Examples:
  agentmsg formats
  agentmsg formats openai anthropic
  agentmsg formats --json
"""


@click.command("formats", short_help="List the formats, and what each carries.", epilog=_EXAMPLES)
@click.argument("codecs", metavar="[CODEC]...", nargs=-1, type=CODEC)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(*, codecs: tuple[str, ...], as_json: bool) -> None:
    """List the formats; with the names of some, what each carries.

    In the tables "yes" means always carried, "if" carried where the format has a place for the value, "rule"
    turned into something that is carried or reported, "no" lost and reported.
    """
    chosen = [get_codec(name) for name in codecs] if codecs else _available()
    if as_json:
        _print_json(chosen)
        return
    for line in _overview(chosen):
        click.echo(line)
    if codecs:
        for codec in chosen:
            _print_tables(codec)


def _available() -> list[Codec]:
    """Return all codecs that can be had; say of the others why not."""
    found: list[Codec] = []
    for name in codec_names():
        try:
            found.append(get_codec(name))
        except CodecLookupError as error:
            say(f"left out: {error}")
    return found


def _overview(codecs: list[Codec]) -> list[str]:
    rows = [(codec.name, codec.title, codec.family, summary(codec.caps)) for codec in codecs]
    return aligned([("NAME", "TITLE", "FAMILY", "CARRIES"), *rows])


def _print_tables(codec: Codec) -> None:
    for title, rows in tables(codec.caps):
        click.echo(f"\n{codec.name}: {title}")
        for line in aligned(rows):
            click.echo(line)


def _print_json(codecs: list[Codec]) -> None:
    listing: list[dict[str, Any]] = [
        {
            "name": codec.name,
            "title": codec.title,
            "family": codec.family,
            "binary": codec.binary,
            "carries": as_data(codec.caps),
        }
        for codec in codecs
    ]
    write_bytes(dump_json(listing) + b"\n")
