"""``agentmsg schema``: the JSON Schema of a format."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from agentmsg.cli.options import CODEC
from agentmsg.cli.output import Output, indented, printing, write_json
from agentmsg.cli.terminal import is_terminal, write_bytes
from agentmsg.formats.forms.schemas import schema_of
from agentmsg.registry import codecs, get_codec
from agentmsg.values.text import dump_json

if TYPE_CHECKING:
    from agentmsg.formats.codec import Codec

_EXAMPLES = """\b
Examples:
  agentmsg schema -o agentmsg.schema.json
  agentmsg schema json --compact
  agentmsg schema openai
"""


@click.command("schema", short_help="Print the JSON Schema of a format.", epilog=_EXAMPLES)
@click.argument("codec", metavar="[CODEC]", type=CODEC, default="json")
@printing("The file to write: .json", (".json",))
@click.option("--compact", is_flag=True, help="Print it on one line.")
def command(*, codec: str, out: Output, compact: bool) -> None:
    """Print the JSON Schema (2020-12) of a format (default: agentmsg's own JSON).

    Editors and programs in any language can check documents against it. Of other formats it has the native objects that
    are read, under "$defs": whatever else a document says is kept as it is.
    """
    schema = _schema_of(get_codec(codec))
    if schema is None:
        known = [name for name, each in codecs() if _schema_of(each) is not None]
        msg = f"{codec} has no schema; formats with one: {', '.join(known)}"
        raise click.UsageError(msg)
    out.check()
    with out.printed():
        if is_terminal(sys.stdout) and not compact:
            write_json(schema)
        else:
            write_bytes((dump_json(schema) if compact else indented(schema).encode()) + b"\n")


def _schema_of(codec: Codec) -> dict[str, Any] | None:
    """Return the schema of a codec's documents, or else of its native objects; None if there is none."""
    schema = codec.schema()
    if schema is None and codec.described:
        schema = {"title": codec.title, **schema_of(*codec.described)}
    return schema
