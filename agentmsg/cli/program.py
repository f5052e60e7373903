"""The group of all commands: loads each on use, and turns every error into one line and an exit code.

    0  done
    1  an error: one line with code, codec, path and words
    2  the command line is wrong, or names a file that may not be written
    3  content would be lost, and --on-loss error or --allow was given; documents were quarantined; or a folder or
       a file in it can't be read

As shells expect, 130 means stopped by Ctrl-C, and 141 that the output's reader has closed it.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import click

import agentmsg
from agentmsg.cli.terminal import abandon_output, say
from agentmsg.errors import AgentMsgError, excerpt
from agentmsg.optional import install

# Each command: its module, with its name there if that isn't `command`, and its line in --help, which imports no
# command.
_COMMANDS = {
    "bench": ("agentmsg.cli.bench", "Measure how fast codecs read and write a file."),
    "check": ("agentmsg.cli.check", "Tell what a provider would refuse."),
    "completion": ("agentmsg.cli.completion", "Print the completion script for a shell."),
    "convert": ("agentmsg.cli.convert", "Convert documents, and report exactly what is lost."),
    "detect": ("agentmsg.cli.detect", "Detect the format of files."),
    "diff": ("agentmsg.cli.diff", "Compare two conversations, whatever their formats."),
    "filter": ("agentmsg.cli.changing:filter_command", "Keep or leave out messages."),
    "formats": ("agentmsg.cli.formats", "List the formats, and what each supports."),
    "guide": ("agentmsg.cli.guide", "List the guides, or show one."),
    "redact": ("agentmsg.cli.changing:redact_command", "Replace secrets and personal data by placeholders."),
    "restore": ("agentmsg.cli.restore", "Rebuild the originals of converted documents."),
    "schema": ("agentmsg.cli.schema", "Print the JSON Schema of a format."),
    "show": ("agentmsg.cli.show", "Show a conversation in the terminal or as a web page."),
    "stats": ("agentmsg.cli.stats", "Count messages, text, tool calls and tokens."),
    "stream": ("agentmsg.cli.stream", "Convert a provider's stream as it arrives."),
    "trim": ("agentmsg.cli.changing:trim_command", "Keep what fits into a budget."),
}
# The extra that installs a package some commands need.
_EXTRAS = {"jinja2": "html", "markdown_it": "html", "matplotlib": "plot", "rich": "cli"}
# Exit codes by error code; all others are 1.
_CODES = {"content-loss": 3, "exists": 2, "form": 2, "option": 2, "same-file": 2, "unknown-codec": 2, "unreadable": 3}
_WRONG_USAGE = 2
_INTERRUPTED = 130
_NO_READER = 141

_EXAMPLES = """\b
Examples:
  agentmsg guide first-steps
  agentmsg detect history.json
  agentmsg convert history.json -t langchain -o out.json --losses losses.jsonl
  agentmsg restore out.json losses.jsonl
  agentmsg convert train.jsonl -t anthropic -o converted.jsonl --jobs 4
  agentmsg diff history.json out.json
  agentmsg stats *.json --plot stats.svg
  cat history.json | agentmsg convert - -t json --pretty

\b
Exit codes:
  0  done
  1  an error: one line with its code
  2  a wrong command line, or a file that must not be written
  3  documents were quarantined, --on-loss error refused a loss of content, or a folder or a file in it can't be read
"""


class _Program(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), name or "command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, words) for name, (_, words) in _COMMANDS.items()])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[Any, Any, list[str]]:
        name = args[0]
        if name not in _COMMANDS and not name.startswith("-"):
            from agentmsg.errors import close_to  # noqa: PLC0415 - only for the message

            hint = close_to(name, _COMMANDS) or f"the commands are {', '.join(_COMMANDS)}"
            ctx.fail(f"there is no command {excerpt(name)}; {hint}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        code: Any = None
        try:
            try:
                code = super().invoke(ctx)
            finally:
                if sys.stdout is not None and not sys.stdout.closed:
                    sys.stdout.flush()
        except AgentMsgError as error:
            say(f"error [{error.code}] {error}", colour="red")
            code = _CODES.get(error.code, 1)
        except ModuleNotFoundError as error:
            package = str(error.name).partition(".")[0]
            if package not in _EXTRAS:
                raise
            say(f"this command needs the package {package}: {install(_EXTRAS[package])}")
            code = _WRONG_USAGE
        except BrokenPipeError:
            abandon_output()
            code = _NO_READER
        except OSError as error:  # from stdout, because files have their own errors
            abandon_output()
            say(f"error [file] stdout: {error.strerror}")
            code = 1
        except KeyboardInterrupt as error:
            say(str(error) or "stopped")
            code = _INTERRUPTED
        ctx.exit(code or 0)


@click.group(
    cls=_Program,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=_EXAMPLES,
)
@click.version_option(agentmsg.__version__, prog_name="agentmsg", message="%(prog)s %(version)s")
def program() -> None:
    """Convert conversations of AI agents between formats, and report exactly what is lost."""
