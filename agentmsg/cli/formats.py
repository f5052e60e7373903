"""``agentmsg formats``: the known formats, and what each supports."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from agentmsg.cli.capabilities import as_data, summary, tables
from agentmsg.cli.codec_options import options_of
from agentmsg.cli.json_colours import write_json
from agentmsg.cli.options import CODEC, json_option, output_option
from agentmsg.cli.output import REPORTS, check_ending, check_written, output_to
from agentmsg.cli.terminal import aligned, printable, say
from agentmsg.errors import AgentMsgError, CodecLookupError, is_a
from agentmsg.formats.forms.tables import mapped_by, mapping_of
from agentmsg.registry import codec_names, get_codec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmsg.cli.codec_options import Option
    from agentmsg.formats.codec import Codec
    from agentmsg.formats.forms.tables import Mapped

_WIDTH = 100
_PLAIN = (str, int, float, type(None))

_EXAMPLES = """\b
Examples:
  agentmsg formats
  agentmsg formats openai anthropic
  agentmsg formats anthropic --code
  agentmsg formats --json
"""


@click.command("formats", short_help="List the formats, and what each supports.", epilog=_EXAMPLES)
@click.argument("codecs", metavar="[CODEC]...", nargs=-1, type=CODEC)
@output_option("The file to write: .txt, or .json for --json")
@json_option
@click.option(
    "--code", "as_code", is_flag=True, help="Print the generated code of formats that are described in forms."
)
def command(*, codecs: tuple[str, ...], output: str, force: bool, as_json: bool, as_code: bool) -> None:
    """List the formats. Name some to see the options of each, and what it supports.

    In the tables, "yes" means always supported. "if" means supported where the format has a place for the value.
    "rule" means rewritten by a rule, and reported. "no" means lost, and reported.
    """
    as_json = check_ending(output, REPORTS) == ".json" or as_json
    if as_code and (as_json or not codecs):
        raise click.UsageError("--code is Python, not JSON" if as_json else "--code: name a format")
    check_written([output], (), force=force)
    chosen = [get_codec(name) for name in codecs] if codecs else _available()
    code = [_code(codec) for codec in chosen] if as_code else []
    with output_to(output, force=force):
        if as_code:
            click.echo("\n\n".join(code), nl=False)
        elif as_json:
            _print_json(chosen)
        else:
            _print(chosen, has_tables=bool(codecs))


def _code(codec: Codec) -> str:
    """Return the generated code of a format.

    Raises:
        CodecLookupError: if it isn't described in forms.
    """
    if not codec.described:
        raise CodecLookupError("this format isn't described in forms", code="option", codec=codec.name)
    return "\n\n".join(described.code() for described in codec.described)


def _print(codecs: list[Codec], *, has_tables: bool) -> None:
    for line in _overview(codecs):
        click.echo(line)
    if has_tables:
        for codec in codecs:
            _print_tables(codec)


def _available() -> list[Codec]:
    """Return all available codecs; report why others aren't."""
    found: list[Codec] = []
    for name in codec_names():
        try:
            codec = get_codec(name)
            summary(codec.caps)
        except Exception as error:  # noqa: BLE001 - whatever another package raises
            say(f"skipped: {error if is_a(error, AgentMsgError) else f'{name}: {type(error).__name__}: {error}'}")
        else:
            found.append(codec)
    return found


def _overview(codecs: list[Codec]) -> list[str]:
    rows = [(codec.name, codec.title, codec.family, summary(codec.caps)) for codec in codecs]
    return aligned([("NAME", "TITLE", "FAMILY", "SUPPORTS"), *rows])


def _print_tables(codec: Codec) -> None:
    for option in options_of(codec):
        click.echo(f"\n{codec.name}: option {_choices(option)}")
        click.echo(fill(printable(option.about), _WIDTH))
    for mapped in filter(None, (mapped_by(codec), *map(mapping_of, codec.described))):
        click.echo(f"\n{codec.name}: mapping")
        for line in aligned(_mapping(mapped)):
            click.echo(line)
    for title, rows in tables(codec.caps):
        click.echo(f"\n{codec.name}: {title}")
        for line in aligned(rows):
            click.echo(line)


def _mapping(mapped: Sequence[Mapped]) -> list[tuple[str, ...]]:
    """Return the table of native keys, grouped below the names of native objects."""
    rows: list[tuple[str, ...]] = [("NATIVE", "AGENTMSG")]
    for each in mapped:
        rows += [(each.native, each.cls), *((f"  {key}", told) for key, told in each.keys)]
    return rows


def _choices(option: Option) -> str:
    words = "|".join(map(str, option.values)) or type(option.value).__name__
    return printable(f"{option.name}={words} (default {option.value})")


def _print_json(codecs: list[Codec]) -> None:
    listing: list[dict[str, Any]] = [
        {
            "name": codec.name,
            "title": codec.title,
            "family": codec.family,
            "binary": codec.binary,
            "carries": as_data(codec.caps),
            "options": [_as_data(option) for option in options_of(codec)],
        }
        for codec in codecs
    ]
    write_json(listing)


def _as_data(option: Option) -> dict[str, Any]:
    """Return an option as plain data; values that JSON can't hold are texts."""
    values = [each if isinstance(each, _PLAIN) else str(each) for each in (*option.values, option.value)]
    return {"name": option.name, "values": values[:-1], "default": values[-1], "about": option.about}
