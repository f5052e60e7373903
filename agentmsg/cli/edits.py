"""``agentmsg redact``, ``trim`` and ``filter``: histories changed on their way from file to file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

from agentmsg.cli.convert import execute
from agentmsg.cli.options import documents_options, from_option, output_option, run_options, to_option
from agentmsg.files.editing import Filtering, Redacting, Trimming
from agentmsg.files.file_names import Kind
from agentmsg.files.job import Job
from agentmsg.redaction.patterns import KINDS
from agentmsg.redaction.redacting import Redactor

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg.files.editing import Edit

__all__ = ["filter_command", "redact_command", "trim_command"]

_F = TypeVar("_F", bound="Callable[..., Any]")


def _in_and_out(command: _F) -> _F:
    """Give a command the files that it reads and the options that say where and how it writes."""
    for option in (
        from_option('The format of all SRC, or "each" to detect that of each document (default: detected by file).'),
        to_option("The format to write (default: that of SRC)."),
        output_option("The file or folder to write"),
        click.argument("files", metavar="SRC...", nargs=-1, required=True),
    ):
        command = option(command)
    return command


def _run(ctx: click.Context, edit: Edit, files: tuple[str, ...], *, losses: str | None = None, **how: Any) -> None:
    job = Job(
        codec=how.pop("codec") or "",
        kind=Kind("json"),
        pretty=how.pop("pretty"),
        losses=losses is not None,
        edit=edit,
    )
    execute(ctx, job, files, losses=losses, flat=None, **how)


def _pairs(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, pattern = text.partition("=")
        if not (name and equals and pattern):
            msg = f"--pattern needs NAME=REGEX, not {text!r}"
            raise click.UsageError(msg)
        pairs[name] = f"(?:{pairs[name]})|(?:{pattern})" if name in pairs else pattern
    return pairs


_REDACT = """\b
Examples:
  agentmsg redact chat.json -o shared.json
  agentmsg redact logs/ -o shared/ --jobs 4
  agentmsg redact chat.json -o shared.json --kind email --kind home
  agentmsg redact chat.json -o shared.json --pattern 'order=ORD-[0-9]+'
  agentmsg redact chat.json -o shared.json --losses secrets.jsonl
"""


@click.command("redact", short_help="Replace secrets and personal data by placeholders.", epilog=_REDACT)
@_in_and_out
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND",
    type=click.Choice(sorted(KINDS)),
    help=f"Find only this kind; may be repeated. One of {', '.join(sorted(KINDS))} (default: all).",
)
@click.option(
    "--pattern",
    "patterns",
    multiple=True,
    metavar="NAME=REGEX",
    callback=_pairs,
    help="Also find what this regular expression matches; may be repeated.",
)
@click.option("--losses", metavar="FILE", help="Write the secrets here, so that the originals can be restored.")
@documents_options
@run_options
@click.pass_context
def redact_command(
    ctx: click.Context, /, *, files: tuple[str, ...], kinds: tuple[str, ...], patterns: dict[str, str], **how: Any
) -> None:
    """Replace secrets and personal data by placeholders.

    Keys, tokens, private keys, passwords in URLs, mail addresses and the names in home paths become placeholders such
    as REDACTED_EMAIL_1. In one document, the same secret is always the same placeholder. Review the output before you
    share it: no pattern finds every secret.

    The output has the format of SRC unless you name another with --to. SRC and the other options are those of
    "agentmsg convert".

    The secrets are gone unless you ask for --losses. That file holds all of them, and only you can read it. With it,
    "agentmsg restore" rebuilds the originals.
    """
    wanted = (*kinds, *(name.lower() for name in patterns)) if kinds else None
    _run(ctx, Redacting(Redactor.of(kinds=wanted, patterns=patterns)), files, **how)


_TRIM = """\b
Examples:
  agentmsg trim chat.json --max-tokens 8000 -o short.json
  agentmsg trim logs.jsonl --max-tokens 4096 --start-on user -o short.jsonl
  agentmsg trim chat.json --max-tokens 8000 --tokenizer o200k_base -o short.json
"""


@click.command("trim", short_help="Cut conversations down to a number of tokens.", epilog=_TRIM)
@_in_and_out
@click.option("--max-tokens", type=int, required=True, metavar="N", help="Keep at most so many tokens.")
@click.option(
    "--tokenizer", metavar="NAME", help="Count with this encoding of tiktoken, such as o200k_base (default: estimate)."
)
@click.option(
    "--keep",
    "strategy",
    type=click.Choice(["last", "first"]),
    default="last",
    show_default=True,
    help="Keep the end or the beginning.",
)
@click.option("--drop-system", is_flag=True, help="Don't keep the system messages at the start.")
@click.option("--start-on", multiple=True, metavar="ROLE", help="Begin with a message of this role; may be repeated.")
@click.option("--end-on", multiple=True, metavar="ROLE", help="End with a message of this role; may be repeated.")
@click.option("--allow-partial", is_flag=True, help="Keep the part of a message that fits.")
@click.option("--split-tool-pairs", is_flag=True, help="Allow a tool call without its results.")
@documents_options
@run_options
@click.pass_context
def trim_command(
    ctx: click.Context,
    /,
    *,
    files: tuple[str, ...],
    max_tokens: int,
    tokenizer: str | None,
    strategy: str,
    drop_system: bool,
    start_on: tuple[str, ...],
    end_on: tuple[str, ...],
    allow_partial: bool,
    split_tool_pairs: bool,
    **how: Any,
) -> None:
    """Cut conversations down to a number of tokens.

    Keeps the longest end of each conversation that fits, and the system messages at its start. A tool call and its
    results stay together. What is left out can't be restored.

    The output has the format of SRC unless you name another with --to. SRC and the other options are those of
    "agentmsg convert".
    """
    if strategy == "first" and start_on:
        msg = "--start-on can't be used with --keep first"
        raise click.UsageError(msg)
    arguments: dict[str, Any] = {
        "max_tokens": max_tokens,
        "strategy": strategy,
        "keep_system": not drop_system,
        "start_on": start_on or None,
        "end_on": end_on or None,
        "allow_partial": allow_partial,
        "keep_tool_pairs": not split_tool_pairs,
    }
    _run(ctx, Trimming(tuple(arguments.items()), tokenizer), files, **how)


_FILTER = """\b
Examples:
  agentmsg filter chat.json --role user --role assistant -o short.json
  agentmsg filter logs.jsonl --exclude-role system -o short.jsonl
  agentmsg filter chat.json --exclude-tool-calls -o short.json
"""
_WHICH = {"role": "types", "name": "names", "id": "ids"}


def _conditions(command: _F) -> _F:
    for option in reversed(
        [
            click.option(
                f"--{lead}{word}", f"{way}_{kind}", multiple=True, metavar=word.upper(), help=f"{words} this {word}."
            )
            for lead, way, words in (("", "include", "Keep messages of"), ("exclude-", "exclude", "Drop messages of"))
            for word, kind in _WHICH.items()
        ]
    ):
        command = option(command)
    return command


@click.command("filter", short_help="Keep the messages that meet conditions.", epilog=_FILTER)
@_in_and_out
@_conditions
@click.option("--exclude-tool-calls", is_flag=True, help="Drop messages with tool calls, and tool messages.")
@click.option(
    "--match",
    type=click.Choice(["any", "all"]),
    default="all",
    show_default=True,
    help="Keep messages that meet any or all of --role, --name and --id.",
)
@documents_options
@run_options
@click.pass_context
def filter_command(
    ctx: click.Context, /, *, files: tuple[str, ...], exclude_tool_calls: bool, match: str, **how: Any
) -> None:
    """Keep the messages that meet conditions.

    Each condition may be repeated: --role user --role assistant keeps both. --name is the sender, or the tool of a
    tool message. What is left out can't be restored.

    The output has the format of SRC unless you name another with --to. SRC and the other options are those of
    "agentmsg convert".
    """
    names = [f"{way}_{kind}" for way in ("include", "exclude") for kind in _WHICH.values()]
    arguments: dict[str, Any] = {name: words for name in names if (words := how.pop(name))}
    if not arguments and not exclude_tool_calls:
        msg = "name a condition, such as --role user"
        raise click.UsageError(msg)
    arguments |= {"exclude_tool_calls": exclude_tool_calls or None, "match": match}
    _run(ctx, Filtering(tuple(arguments.items())), files, **how)
