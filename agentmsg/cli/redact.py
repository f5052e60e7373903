"""``agentmsg redact``: files of documents without their secrets, in the same format."""

from __future__ import annotations

from typing import Any

import click

from agentmsg.cli.options import to_option
from agentmsg.cli.running import Run, input_options, run_job, running_options
from agentmsg.files.changing import Redact
from agentmsg.files.file_names import Kind
from agentmsg.files.job import Job
from agentmsg.redacting.rule import KINDS

_EXAMPLES = """\b
Examples:
  agentmsg redact chat.json -o shared.json
  agentmsg redact logs/ -o shared/ --jobs 4
  agentmsg redact chat.json -o shared.json --kind default --kind phone
  agentmsg redact chat.json -o shared.json --pattern 'order=ORD-[0-9]+'
  agentmsg redact chat.json -o shared.json --losses secrets.jsonl
"""


def _pairs(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, pattern = text.partition("=")
        if not (name and equals and pattern):
            msg = f"--pattern needs NAME=REGEX, not {text!r}"
            raise click.UsageError(msg)
        pairs[name] = f"(?:{pairs[name]})|(?:{pattern})" if name in pairs else pattern
    return pairs


@click.command("redact", short_help="Replace secrets and personal data by placeholders.", epilog=_EXAMPLES)
@input_options
@to_option("The format to write (default: that of SRC).")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(["default", *sorted(KINDS)]),
    help="Find only this kind. Repeatable. card, iban, ip and phone aren't among the default ones.",
)
@click.option(
    "--pattern",
    "patterns",
    multiple=True,
    metavar="NAME=REGEX",
    callback=_pairs,
    help="Also find what this regular expression matches. Repeatable.",
)
@click.option("--losses", metavar="FILE", help="Write the secrets here, so that the originals can be restored.")
@running_options
def command(
    *,
    codec: str | None,
    kinds: tuple[Any, ...],
    patterns: dict[str, str],
    losses: str | None,
    **how: Any,
) -> int:
    """Replace secrets and personal data by placeholders.

    Keys, tokens, cookies, private keys, passwords, mail addresses and the names in home paths become placeholders such
    as REDACTED_EMAIL_1. In one document, the same secret is always the same placeholder. Review the output before you
    share it: no pattern finds every secret.

    The secrets are gone unless you ask for --losses. That file holds all of them, and only you can read it. With it,
    "agentmsg restore" rebuilds the originals.

    Files, folders, stdin, --jobs and --resume work as for "agentmsg convert".
    """
    run = Run(**how)
    change = Redact(kinds=kinds, patterns=tuple(patterns.items()))
    change.words("")  # refuses an invalid pattern before any file is read
    job = Job(codec=codec or "", kind=Kind("json"), change=change)

    return run_job(job, run, losses=losses)
