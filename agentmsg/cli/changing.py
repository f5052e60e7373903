"""``agentmsg trim``, ``filter`` and ``redact``: files of documents with fewer messages, or without secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

from agentmsg.cli.options import encoding_option, to_option
from agentmsg.cli.running import Run, input_options, run_job, running_options, taken
from agentmsg.files.changing import Change, Filter, Redact, Trim
from agentmsg.files.file_names import Kind
from agentmsg.files.job import Job
from agentmsg.redacting.rule import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable

_F = TypeVar("_F", bound="Callable[..., object]")

_TRIM_EXAMPLES = """\b
Examples:
  agentmsg trim history.json --max-tokens 8000
  agentmsg trim logs.jsonl --max-tokens 8000 --start-on user -o short.jsonl
"""
_FILTER_EXAMPLES = """\b
Examples:
  agentmsg filter history.json --exclude-role system
  agentmsg filter logs/ --role user --role assistant --exclude-tool-calls -o filtered/
"""


def _words(option: str, name: str, words: str) -> Callable[[_F], _F]:
    """Return an option that may be given several times, as a field of a change."""
    return click.option(option, name, multiple=True, metavar=option.rpartition("-")[2].upper(), help=words)


@click.command("trim", short_help="Keep what fits into a budget.", epilog=_TRIM_EXAMPLES)
@click.option("--max-tokens", type=int, metavar="N", help="The most tokens of each conversation.")
@click.option("--max-messages", type=int, metavar="N", help="The most messages of each conversation.")
@input_options
@click.option(
    "--keep",
    "strategy",
    type=click.Choice(["last", "first"]),
    default="last",
    show_default=True,
    help="Keep the end of a conversation, or its beginning.",
)
@click.option("--drop-system", is_flag=True, help="Don't keep the system messages at the beginning in any case.")
@_words("--start-on", "start_on", "Begin on a message of this role. Repeatable.")
@_words("--end-on", "end_on", "End on a message of this role. Repeatable.")
@click.option("--partial", "allow_partial", is_flag=True, help="Keep the part that fits of the message at the edge.")
@click.option("--tear-pairs", is_flag=True, help="Keep calls without their results, and results without calls.")
@encoding_option
@running_options
def trim_command(*, drop_system: bool, tear_pairs: bool, **how: Any) -> int:
    """Keep the messages of each conversation that fit into a budget, of tokens or of messages.

    The end of each conversation is kept, and its system messages. A tool call stays or goes with its results. The
    output has the format of the input.

    Files, folders, stdin, --jobs and --resume work as for "agentmsg convert".
    """
    change = Trim(keep_system=not drop_system, keep_tool_pairs=not tear_pairs, **taken(Trim, how))
    if change.max_tokens is None and change.max_messages is None:
        raise click.UsageError("--max-tokens or --max-messages is needed")
    if change.start_on and change.strategy == "first":
        msg = "--start-on needs --keep last: the beginning is kept as it is"
        raise click.UsageError(msg)
    return _changed(change, how)


@click.command("filter", short_help="Keep or leave out messages.", epilog=_FILTER_EXAMPLES)
@input_options
@_words("--role", "include_types", "Keep messages of this role. Repeatable.")
@_words("--exclude-role", "exclude_types", "Leave out messages of this role. Repeatable.")
@_words("--name", "include_names", "Keep messages of this sender or tool. Repeatable.")
@_words("--exclude-name", "exclude_names", "Leave out messages of this sender or tool. Repeatable.")
@_words("--id", "include_ids", "Keep the message with this id. Repeatable.")
@_words("--exclude-id", "exclude_ids", "Leave out the message with this id. Repeatable.")
@click.option("--exclude-tool-calls", is_flag=True, help="Leave out tool calls and their results.")
@click.option("--any", "any_of", is_flag=True, help="Keep messages that meet one of the conditions to keep, not all.")
@running_options
def filter_command(*, any_of: bool, **how: Any) -> int:
    """Keep the messages of each conversation that meet all conditions.

    Several values of one option are alternatives: --role user --role assistant keeps both. What is excluded goes in
    any case. The output has the format of the input.

    Files, folders, stdin, --jobs and --resume work as for "agentmsg convert".
    """
    change = Filter(match="any" if any_of else "all", **taken(Filter, how))
    if change in (Filter(), Filter(match="any")):
        msg = "name what to keep or to leave out, such as --role user"
        raise click.UsageError(msg)
    return _changed(change, how)


def _changed(change: Change, how: dict[str, Any]) -> int:
    """Change documents, and return the exit code."""
    return run_job(Job(kind=Kind("json"), change=change), Run(**how))


_REDACT_EXAMPLES = """\b
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


@click.command("redact", short_help="Replace secrets and personal data by placeholders.", epilog=_REDACT_EXAMPLES)
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
def redact_command(
    *,
    codec: str | None,
    kinds: tuple[Any, ...],
    patterns: dict[str, str],
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
    change = Redact(kinds=kinds, patterns=tuple(patterns.items()))
    change.words("")  # refuses an invalid pattern before any file is read
    job = Job(codec=codec or "", kind=Kind("json"), change=change)
    return run_job(job, Run(**how))
